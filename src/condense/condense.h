/* condense.h -- the stages of condensation.
 *
 * Each stage is one file and knows none of the others; trees.c, baselines.c (both on
 * the set of set.h) and condense.c put them in order.  A "tree" is the computation
 * tree of a training node: the node and everything within L hops.  Trees are numbered
 * by their place in the list of training nodes, which ascends, so that ties by number
 * are ties by node id.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CONDENSE_H
#define BN_CONDENSE_H

#include "base/scratch.h"
#include "base/world.h"
#include "graph/graph.h"

/* ---- where a stage runs ---- */

typedef struct {
    bn_world *world;            /* NULL: alone */
    const int64_t *first;       /* ranks+1: rank r has first[r] .. first[r+1]-1; NULL: alone */
    bn_memory *memory;          /* for large arrays; NULL: no limit */
    int     columns;            /* set by the embedding: columns that were made at a time */
    int64_t sent_rows;          /* likewise: bytes that embeddings have sent */
} bn_where;

/* ---- WL embeddings (wl.c) ---- */

/* The arrays are from BN_BIG. */
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
/* As bn_wl, but in each round a node counts as much as each of its neighbours. */
bonsai_status bn_average(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, int threads, bn_progress p);
/* Both over ranks and under a limit.  g is the whole graph on every rank, of which only the rows of
 * its own nodes are read (offsets: any); the nodes are the rank's own, ascending, and so are the
 * rows.  NULL, 0: all of its own.  What is not within `layers` hops of a node that some rank asks
 * for is neither computed nor sent.  The same bits as alone. */
bonsai_status bn_wl_over(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, bn_where *at, int threads, bn_progress p);
bonsai_status bn_average_over(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                              int64_t count, int layers, bn_where *at, int threads, bn_progress p);
void bn_embedding_free(bn_embedding *e);
/* One row as f floats, zeros included; and sum (f) += weight times a row. */
void bn_embedding_row(float *out, const bn_embedding *e, int64_t row);
void bn_row_add(double *sum, const bn_embedding *e, int64_t row, double weight);
/* Squared distance of two rows by the fixed-order kernel: dense and sparse agree. */
float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b);
/* The same of row i of a and row j of b, both dense or both sparse. */
float bn_rows_dist2(const bn_embedding *a, int64_t i, const bn_embedding *b, int64_t j);
/* Whether the rows are dense, and how many columns they have: what a rank without any need not
 * know of itself. */
bonsai_status bn_rows_form(bool *dense, int64_t *f, const bn_embedding *e, bn_world *w);
/* The given rows of all, where rank r has rows first[r] .. first[r+1]-1 of them (e: its own; first
 * is not read alone): in the order given, which may repeat some, on every rank; dense where e is,
 * also on ranks without rows.  The rows are the same on every rank.  (gather.c) */
bonsai_status bn_rows_gather(bn_embedding *out, const bn_embedding *e, const int64_t *first,
                             const int64_t *rows, int64_t count, const bn_where *at);

/* ---- features that matter (cart.c) ---- */

/* The features, ascending, that a decision tree on the rows' labels (0 .. classes-1)
 * splits on: Gini impurity, grown until the leaves are pure.  Feature 0 where there is
 * nothing to split.  The caller frees *out. */
bonsai_status bn_cart(int32_t **out, int64_t *count, const bn_embedding *e, const int32_t *label,
                      int64_t classes, int threads, bn_progress p);

/* ---- sampled k-NN (knn.c, knn_over.c) ---- */

/* For each of z sampled rows its k nearest other rows, nearest first, ties to the
 * lower row: list and dist (may be NULL) are z x k.  k < rows. */
bonsai_status bn_knn(int32_t *list, float *dist, const bn_embedding *e, const int32_t *sample,
                     int64_t z, int k, int threads, bn_progress p);

/* The same where rank r has rows first[r] .. first[r+1]-1 of all (e: its own; first is not read
 * alone); samples are numbers among all rows, the same on every rank, and so is the answer: that of
 * bn_knn to the bit.  k < all rows.  at NULL: alone and without a limit.  (knn_over.c) */
bonsai_status bn_knn_over(int32_t *list, float *dist, const bn_embedding *e, const int64_t *first,
                          const int32_t *sample, int64_t z, int k, const bn_where *at, int threads,
                          bn_progress p);

/* ---- k-NN through a random projection (project.c) ---- */

/* As bn_wl_over, of the features projected to `dims` dimensions. */
bonsai_status bn_project(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, int dims, uint64_t seed, bn_where *at,
                         int threads, bn_progress p);
/* As bn_knn_over: the nearest among max(4k, 32) candidates that the projected embedding proposes,
 * by their distances with all features.  nodes are those of all trees, of which rank r has first[r] ..
 * first[r+1]-1; low has the rows of this rank's. */
bonsai_status bn_project_knn(int32_t *list, const bn_embedding *low, const bonsai_graph *g,
                             const int32_t *nodes, const int64_t *first, const int32_t *sample,
                             int64_t z, int k, int layers, const bn_where *at, int threads,
                             bn_progress p);
/* The share of the exact neighbours of up to 200 of the samples that is in the list; -1
 * where the exact search would need more than a gibibyte, of all ranks together. */
bonsai_status bn_project_recall(double *out, const int32_t *list, const bonsai_graph *g,
                                const int32_t *nodes, const int64_t *first, int64_t trees,
                                const int32_t *sample, int64_t z, int k, int layers,
                                const bn_where *at, int threads);

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

/* ---- what nodes look like (near.c) ---- */

/* The one door to the neighbours and the features of nodes for those who choose some. */
typedef struct bn_reader bn_reader;

/* accounting: STRICT or PAPER_CONDENSED.  g must be undirected and verified. */
bonsai_status bn_reader_new(bn_reader **out, const bonsai_graph *g, bonsai_accounting accounting);
void          bn_reader_free(bn_reader *r);     /* NULL is fine */

/* ---- the price of a set of nodes (price.c) ---- */

/* What the graph of some nodes and the edges among them would cost, to the byte as
 * the writer writes it, kept up to date while nodes come and go.  It would hold
 * adjacency, weights where the full one has them, features and labels. */
typedef struct bn_price bn_price;

/* In the reader's accounting; borrows it. */
bonsai_status bn_price_new(bn_price **out, bn_reader *r);
void    bn_price_free(bn_price *p);
double  bn_price_bytes(const bn_price *p);
int64_t bn_price_nodes(const bn_price *p);
bool    bn_price_has(const bn_price *p, int32_t node);
bonsai_status bn_price_add(bn_price *p, int32_t node);  /* must not be in */
void    bn_price_remove(bn_price *p, int32_t node);     /* must be in */
void    bn_price_again(bn_price *p, int32_t node);      /* adds one that was in before */
/* Remembers the set; undo goes back to it, given the nodes that were added since.
 * Nothing may have been removed in between.  O(1) and O(count). */
void    bn_price_mark(bn_price *p);
void    bn_price_undo(bn_price *p, const int32_t *nodes, int64_t count);
/* No set costs less than the sum of its nodes' least; and the set with more nodes
 * costs no less than its floor and their least. */
bonsai_status bn_price_least(double *out, bn_price *p, int32_t node);
double  bn_price_floor(const bn_price *p);
/* The non-zero features of a node, and one bit for each small encoding, of
 * BN_ENCODING_BITS, that its row forbids the whole set. */
enum { BN_ENCODING_BITS = 5 };
bonsai_status bn_price_row(int64_t *nnz, int *forbids, bn_price *p, int32_t node);

/* ---- trees (ego.c) ---- */

typedef struct bn_ego bn_ego;   /* room for growing trees */

bonsai_status bn_ego_new(bn_ego **out, bn_reader *r);
void bn_ego_free(bn_ego *e);

typedef struct {
    const int32_t *node;        /* the root first; the ego's until the next call */
    int64_t count;
    bool    fits;
} bn_tree;

/* Adds the nodes within `layers` hops of root to the priced set if that then costs at
 * most limit and, for most >= 0, has at most so many nodes.  Where they fit, they are the
 * nodes of *tree, whether or not they were in before; else nothing changed. */
bonsai_status bn_ego_grow(bn_tree *tree, bn_ego *e, bn_price *p, int32_t root, int layers,
                          double limit, int64_t most);
/* Takes back what the last call added. */
void bn_ego_undo(bn_ego *e, bn_price *p);

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
                     double beta, bn_progress p);
/* The index of the largest second difference of the scores in descending order, and
 * the score there; -1 with fewer than three nodes. */
bonsai_status bn_knee(int64_t *index, double *score, const double *pi, int64_t n);

/* ---- what may be asked for (request.c) ---- */

bonsai_status bn_request_check(const bonsai_condense_options *o);      /* all but the budget */
bonsai_status bn_request_budget(const bonsai_condense_options *o);
bonsai_status bn_request_ratio(double ratio);

/* ---- a job: what all methods start from (condense.c) ---- */

typedef struct {
    const bonsai_graph *g;              /* the graph that is condensed: full, or its training part */
    const bonsai_condense_options *o;   /* complete */
    int      threads;
    bn_progress progress;
    bn_where where;                     /* ranks and memory */
    int64_t *tree_first;                /* ranks+1: the trees of each rank */
    int32_t *train;                     /* training nodes with a label, ascending: the trees' roots */
    int64_t  trees;                     /* of all ranks */
    bn_embedding x;                     /* a row per tree of this rank; empty where the method needs
                                         * none */
    int32_t *sample;                    /* z trees, ascending */
    int64_t  z;
    bn_lists rknn;                      /* per tree the samples it covers; empty for other methods,
                                         * and on other ranks than 0 */
    bn_embedding judge;                 /* prototypes and auto: rows that the probe judges on, the
                                         * same on every rank, ... */
    int32_t *judge_label;               /* ... and their labels */
    bool     apart;                     /* ... whether neighbours agree no more than by chance, ... */
    int      depth;                     /* ... and the rounds of averaging: then none, else layers */
    uint8_t *held;                      /* trees: 1: it is one of those rows; NULL: none is */
} bn_job;

typedef struct {                /* what may be taken: each a limit, INFINITY or INT64_MAX if none */
    double  bytes;              /* in the accounting of the job */
    int64_t nodes, trees;
} bn_budget;

/* How the choice went, for the report (trace.c): of a fixed size, however long it took. */
enum { BN_TRACE_POINTS = 200, BN_TRACE_SCORES = 100, BN_TRACE_ROUNDS = 10, BN_TRACE_STARTS = 50 };

typedef struct {
    double  bytes;              /* in the accounting of the job */
    int64_t covered;            /* samples */
    bool    keep;               /* not to be thinned out: the first of a round */
} bn_trace_point;

typedef struct {                /* a look at the PageRank of all nodes */
    int64_t number;             /* from 1 */
    int64_t nodes, knee, pruned;        /* knee: a rank; -1: none */
    int64_t count;
    int64_t rank[BN_TRACE_SCORES];      /* from 0, ascending, denser at the top */
    double  score[BN_TRACE_SCORES];     /* descending */
} bn_trace_round;

typedef struct {
    int64_t count, every, met;  /* every so many roots one is a point; met since the last one */
    bn_trace_point point[BN_TRACE_POINTS];      /* by roots in the order in which they were taken */
    int64_t starts;
    int32_t start[BN_TRACE_STARTS];             /* roots that had come when a round began */
    int64_t rounds;
    bn_trace_round round[BN_TRACE_ROUNDS];      /* the first ones and the last */
} bn_trace;

typedef struct {                /* what was taken */
    int64_t  count;
    int32_t *node;              /* ids in the job's graph, ascending */
    uint8_t *role;              /* bonsai_role */
    float   *score;             /* PageRank from the roots; 0: none */
    int32_t *tree;              /* root of the tree that brought the node: a root's is itself */
    int32_t *covers;            /* samples that a root covers */
    double   bytes;             /* what the set was priced at, in the accounting of the job */
    double   coverage, coverage_bound;
    int64_t  rechecks;
    int      rounds, shallow_classes;
    double   seconds_cover, seconds_sparsify;
    bn_trace *trace;            /* trees: how it went; NULL: not told */
} bn_choice;

void bn_choice_free(bn_choice *c);

/* The door for all ranks together: on rank 0 as bonsai_condense_many, on the others out stays NULL;
 * info is the same everywhere. */
bonsai_status bn_condense_over(bonsai_graph **out, bonsai_condense_info *info, const double *ratios,
                               int count, const bonsai_graph *g, const bonsai_condense_options *o,
                               bn_world *w);
/* The paper's method, and its ablations and extras (trees.c). */
bonsai_status bn_trees(bn_choice *out, const bn_job *job, const bn_budget *budget);
/* The same over ranks: rank 0 chooses, and the choice is on rank 0 alone; the others answer what it
 * asks about their nodes.  Collective.  Fails where nothing fits. */
bonsai_status bn_trees_over(bn_choice *out, const bn_job *job, const bn_budget *budget);
/* The others (baselines.c). */
bonsai_status bn_baseline(bn_choice *out, const bn_job *job, const bn_budget *budget);
/* The graph of the nodes, ascending, that rank 0 gives, made on rank 0 alone (induce.c): what
 * bonsai_graph_induce would make of them, every rank reading its own.  Collective. */
bonsai_status bn_induce_over(bonsai_graph **out, const bn_job *job, const int32_t *nodes,
                             int64_t count);
/* Fails: a budget in bytes has no room for any node; the sentence tells the least that has
 * (set.c).  Collective. */
bonsai_status bn_too_small(const bn_job *job, const bn_budget *budget);

#endif
