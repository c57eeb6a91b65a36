/* published.h -- what the code published with the paper computes, step by step.
 *
 * Three things do not depend on the budget: the features that are kept, an order of the trees, and
 * a price for each node.  A budget then picks nodes and edges.  doc/algorithm.md lists where all
 * this differs from the paper's text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PUBLISHED_H
#define BN_PUBLISHED_H

#include "condense/methods.h"

enum { BN_PUBLISHED_K = 5,              /* nearest rows, a row itself among them */
       BN_PUBLISHED_LAYERS = 1,         /* hops of a tree */
       BN_PUBLISHED_DEPTH = 50,         /* of the decision tree */
       BN_PUBLISHED_TIMES = 10 };       /* budgets that are selected before nodes are dropped */

typedef struct {                /* what all budgets share */
    bonsai_graph *g;            /* the job's, cut to the kept features */
    bn_lists covers;            /* per tree the trees that it is near to */
    int32_t *order;             /* trees, as the cover takes them */
    double  *price;             /* nodes: of its row */
} bn_published;

/* Lists the kept features, ascending, by a decision tree of the job's training rows
 * (publishedrows.c). Free *kept with bn_free. */
bonsai_status bn_published_features(int32_t **kept, int64_t *count, const bn_job *job);
/* Computes prices, neighbours and order for the kept features.  An all-zero struct may be freed
 * too. */
bonsai_status bn_published_new(bn_published *p, const bn_job *job, const int32_t *kept,
                               int64_t count);
void bn_published_free(bn_published *p);
/* Fills order (a place for each list) with the trees in the order of a lazy greedy cover with the
 * published code's heap (publishedorder.c). */
bonsai_status bn_published_order(int32_t *order, const bn_lists *covers, bn_progress progress);

/* ---- trees under a budget (publishedset.c) ---- */

typedef struct {
    const bonsai_graph *g;
    const double *price;
    uint8_t  *in;               /* nodes */
    uint8_t  *link;             /* entries of g: an edge of a tree that was taken */
    int32_t  *from;             /* nodes: the root whose tree brought it */
    uint64_t *here;             /* n bits: members of the tree at hand */
    int32_t  *root;             /* that were taken, in order */
    int64_t   roots, nodes, edges;      /* without self loops */
    double    sum;              /* of the nodes' prices */
    int64_t   misses;
} bn_published_set;

/* Takes trees in order while the price of all stays below the bytes. */
bonsai_status bn_published_select(bn_published_set *s, const bn_published *p, const bn_job *job,
                                  double bytes);
void bn_published_set_free(bn_published_set *s);

/* ---- the whole (published.c) ---- */

enum { BN_PUBLISHED_OUT, BN_PUBLISHED_KEPT, BN_PUBLISHED_ADDED };       /* states of a node */

typedef struct {
    bn_choice choice;
    bn_published_set set;       /* of ten budgets */
    uint8_t *state;             /* nodes */
    int64_t  aim;               /* nodes of the trees of one budget: as many are to be left */
    int64_t  dropped, added, removed;   /* by PageRank; for the classes' shares */
} bn_published_pick;

/* Picks nodes; fails if not even one node is left.  Free it even on failure. */
bonsai_status bn_published_choose(bn_published_pick *out, const bn_published *p, const bn_job *job,
                                  double bytes);
/* Removes the edges that are in no tree from small, which bonsai_graph_induce made of the
 * choice. */
void bn_published_thin(bonsai_graph *small, const bn_published_pick *c);
void bn_published_pick_free(bn_published_pick *c);

/* ---- its row among the methods (publishedmethod.c) ---- */

bn_run_fn bn_run_published;
bonsai_status bn_published_check(bonsai_condense_options *o);
bonsai_status bn_published_prepare(bn_preparation *p);
void bn_published_forget(void *own);            /* a bn_published */
double bn_published_bytes(const bn_needs *q);   /* of features, columns of the tree, edges taken */

#endif
