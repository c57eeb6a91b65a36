/* knn.h -- declarations shared by the ways of proposing neighbours; see knn.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KNN_H
#define BN_KNN_H

#include "neighbours.h"

enum { BN_CHUNK = 256 };        /* products tested before the bar is read again */

typedef struct { float d; int32_t row; } bn_candidate;

int bn_by_distance(const void *a, const void *b);        /* of candidates, for qsort */

typedef struct {                /* the possible members of the k nearest of a sample */
    bn_candidate *list;         /* room: the first `exact` are measured, then lower bounds */
    int64_t count, exact;
    float  *near;               /* k smallest upper bounds so far: a max-heap */
    int     nears;
    float   bar;                /* lower bounds above this are excluded */
    int32_t last;               /* rows after this one are excluded */
    int64_t measured;           /* by the kernel */
} bn_candidates;

typedef struct {                /* the columns in groups; see knn_groups.c */
    int      count;             /* 0: rows are compared whole */
    int32_t *of;                /* f: the group of a column */
    bool    *alone;             /* count: a group of one column */
} bn_groups;

typedef struct {
    const bn_embedding *e;      /* the trees that are searched */
    const bn_embedding *from;   /* has the samples: sample s is its row at[s], or s if at is NULL */
    const int32_t *at;
    const int32_t *self;        /* z: the tree that the sample is; -1: another rank's */
    int64_t z, trees, f;
    int64_t cols;               /* of the rows that are multiplied: f, or one for each group */
    bn_groups groups;
    bn_knn_way way;
    int64_t base;               /* the number of the first tree in the result */
    int64_t room;               /* candidates that a sample has room for */
    int     k, threads;
    int64_t block, span;        /* trees and samples in a block of products */
    bool    both;               /* every tree is a sample, in order: products serve twice */
    const bn_place *place;
    int64_t before, all;        /* for progress: samples of earlier blocks, and of all */
    float  *mean;               /* f; NULL: not centred */
    float  *low;                /* trees: |x|^2 after centring, minus its share of the error;
                                 * known for all if both, else for the current block */
    float  *own;                /* z: the same of the samples */
    float  *limit;              /* trees, if both: low - bar */
    double  error, tiny;        /* a proposal is off by error (|a|^2 + |b|^2) + 2 tiny at most */
    bn_candidates *c;           /* z */
    float  *line;               /* threads x 2 x f zeros: two sparse rows to be measured, or NULL */
    int64_t measured;           /* pairs compared with all features */
} bn_knn_search;

static inline int64_t bn_knn_at(const bn_knn_search *q, int64_t s) { return q->at ? q->at[s] : s; }

/* Gets the k nearest trees of each sample into list and dist (may be NULL), z x k; missing ones are
 * INT32_MAX, infinitely far.  Sets the members that the caller need not set. */
bonsai_status bn_knn_block(int32_t *list, float *dist, bn_knn_search *q);

/* Takes the products of sample s with trees first .. first+count-1. */
void bn_knn_forward(const bn_knn_search *q, int64_t s, const float *product, int64_t first,
                    int64_t count);
/* Takes the same products for the other trees: row is a candidate of each of them. */
void bn_knn_backward(const bn_knn_search *q, int64_t row, const float *product, int64_t first,
                     int64_t count);
/* Sets the error of products of at most `terms` terms, before the norms are stored. */
void  bn_knn_error(bn_knn_search *q, int64_t terms);
/* Returns what to store for |x|^2. */
float bn_knn_low(const bn_knn_search *q, const float *x, int64_t count);
/* Returns whether proposals have meaning: norms of the samples and of trees first .. end-1 are
 * finite, and errors are smaller. */
bool  bn_knn_bounded(const bn_knn_search *q, int64_t first, int64_t end);
/* Measures these trees for all samples without proposals; progress is from `done` to the next of
 * `total` steps. */
bonsai_status bn_knn_measure(const bn_knn_search *q, int64_t first, int64_t end, int64_t done,
                             int64_t total);
bonsai_status bn_knn_tick(const bn_knn_search *q, int64_t done, int64_t total);

/* Propose all trees to all samples: by dense blocks (knn_dense.c), or through lists of the trees
 * that have a feature (knn_sparse.c). */
bonsai_status bn_knn_dense(bn_knn_search *q);
bonsai_status bn_knn_sparse(bn_knn_search *q);
/* Returns the steps of lists per pair, in multiplications of a dense block. */
bonsai_status bn_knn_lists_cost(double *out, const bn_knn_search *q);

/* Groups columns if that makes dense blocks cheaper than `cost` multiplications for a pair
 * (knn_groups.c); makes the row of norms by which dense blocks then compare. */
bonsai_status bn_knn_group(bn_knn_search *q, double cost);
void bn_knn_group_row(float *out, const bn_groups *g, const bn_embedding *e, int64_t row);
void bn_groups_free(bn_groups *g);

#endif
