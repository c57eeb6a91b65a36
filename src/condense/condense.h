/* condense.h -- the stages of condensation.
 *
 * Each stage is one file and knows none of the others; trees.c, baselines.c and
 * condense.c put them in order.  A "tree" is the computation tree of a training
 * node: the node and everything within L hops.  Trees are numbered by their place
 * in the list of training nodes, which ascends, so that ties by number are ties by
 * node id.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CONDENSE_H
#define BN_CONDENSE_H

#include "graph/graph.h"

/* ---- WL embeddings (wl.c) ---- */

typedef struct {                /* one row per requested node: dense or sparse */
    int64_t  rows, f;
    float   *dense;             /* rows x f, or NULL */
    int64_t *offsets;           /* rows+1: sparse rows, indices ascending, no zeros */
    int32_t *index;
    float   *value;
} bn_embedding;

/* The embeddings after `layers` rounds of the given nodes (NULL: all of them); the
 * same bits for any number of threads and for features given dense or sparse. */
bonsai_status bn_wl(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes, int64_t count,
                    int layers, int threads, bn_progress p);
void bn_embedding_free(bn_embedding *e);
/* Squared distance of two rows by the fixed-order kernel: dense and sparse agree. */
float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b);

/* ---- sampled k-NN (knn.c) ---- */

/* For each of z sampled rows its k nearest other rows, nearest first, ties to the
 * lower row: list and dist (may be NULL) are z x k.  k < rows. */
bonsai_status bn_knn(int32_t *list, float *dist, const bn_embedding *e, const int32_t *sample,
                     int64_t z, int k, int threads, bn_progress p);

/* ---- reverse k-NN (rknn.c) ---- */

typedef struct {                /* lists of integers, one after the other */
    int64_t  count;
    int64_t *offsets;           /* count+1 */
    int32_t *item;
} bn_lists;

/* For each tree the samples (0 .. z-1) that list it, and itself where it is one;
 * ascending. */
bonsai_status bn_rknn(bn_lists *out, int64_t trees, const int32_t *sample, int64_t z,
                      const int32_t *list, int k);
void bn_lists_free(bn_lists *l);

/* ---- the price of a set of nodes (price.c) ---- */

/* What a graph of some nodes and the edges among them would cost, to the byte as
 * the writer writes it, kept up to date while nodes come and go.  A condensed
 * graph has adjacency, weights where the full one has, features and labels. */
typedef struct {
    const bonsai_graph *g;
    bonsai_accounting accounting;       /* STRICT or PAPER_CONDENSED */
    int64_t  nodes, entries, loops;     /* entries: both directions, self loops once */
    int64_t  nnz;
    int64_t  trait[5];                  /* nodes whose rows are not all 1, not half, not u8, not i8, not integer */
    double   sum;                       /* of feature values */
    uint8_t *in;                        /* n: whether a node is in the set */
    int32_t *row_nnz;                   /* n */
    uint8_t *row_trait;                 /* n: bits as in trait */
    double  *row_sum;                   /* n: value sums; PAPER_CONDENSED only */
} bn_price;

bonsai_status bn_price_new(bn_price *p, const bonsai_graph *g, bonsai_accounting accounting,
                           int threads);
void   bn_price_free(bn_price *p);
double bn_price_bytes(const bn_price *p);
void   bn_price_clear(bn_price *p);
void   bn_price_add(bn_price *p, int32_t node);        /* must not be in */
void   bn_price_remove(bn_price *p, int32_t node);     /* must be in */

/* ---- trees (ego.c) ---- */

/* Grows the tree of root to `layers` hops into the price's set if it then costs at
 * most limit; *added gets the new nodes in breadth-first order (room for n).  If it
 * does not fit nothing is changed and *added_count is -1.  A tree whose nodes are
 * all there already fits. */
void bn_ego_grow(int32_t *added, int64_t *added_count, bn_price *p, int32_t root, int layers,
                 double limit);

/* ---- lazy greedy cover (cover.c) ---- */

typedef struct bn_cover bn_cover;

/* Trees in the order of the largest marginal number of uncovered samples, divided
 * by cost where given (a number per tree); ties to the lower tie[] (the root's
 * degree), then to the lower tree.  When all samples are covered another round
 * begins; when no tree covers anything new, the rest comes in seeded random order.
 * Borrows all arrays. */
bonsai_status bn_cover_new(bn_cover **out, const bn_lists *covers, int64_t samples,
                           const int64_t *tie, const double *cost, uint64_t seed);
int64_t bn_cover_next(bn_cover *c);                 /* not yet taken or skipped; -1: none left */
void    bn_cover_take(bn_cover *c, int64_t tree);   /* covers its samples */
void    bn_cover_skip(bn_cover *c, int64_t tree);   /* not again until bn_cover_retry */
void    bn_cover_retry(bn_cover *c);                /* what was skipped may come again */
int64_t bn_cover_reached(const bn_cover *c);        /* samples covered since the start */
int64_t bn_cover_rechecks(const bn_cover *c);       /* gains computed again */
void    bn_cover_free(bn_cover *c);

/* ---- personalised PageRank and its knee (ppr.c) ---- */

/* pi (n) of a graph given by CSR (weights may be NULL), teleporting to the nodes
 * with root[v] != 0 only: pi = (1 - beta) A pi + beta e, A column-stochastic, until
 * the L1 change is below 1e-9.  *rounds gets the number of steps. */
bonsai_status bn_ppr(double *pi, int *rounds, int64_t n, const int64_t *offsets,
                     const int32_t *neighbors, const float *weights, const uint8_t *root,
                     double beta);
/* The index of the largest second difference of the scores in descending order, and
 * the score there; -1 with fewer than three nodes. */
bonsai_status bn_knee(int64_t *index, double *score, const double *pi, int64_t n);

#endif
