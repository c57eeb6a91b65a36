/* knn.h -- what the ways of proposing neighbours share; see knn.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KNN_H
#define BN_KNN_H

#include "condense.h"

enum { BN_CHUNK = 256 };        /* products looked at between two looks at the bar */

typedef struct { float d; int32_t row; } bn_candidate;

typedef struct {                /* what may still be among the k nearest of a sample */
    bn_candidate *list;            /* room: the first `exact` are measured, then lower bounds */
    int64_t count, exact;
    float  *near;               /* k smallest upper bounds so far: a max-heap */
    int     nears;
    float   bar;                /* lower bounds above this are out */
    int32_t last;               /* so are rows after this one */
} bn_candidates;

typedef struct {
    const bn_embedding *e;
    const int32_t *sample;
    int64_t z, trees, f;
    int64_t room;               /* candidates that a sample has room for */
    int     k, threads;
    int64_t block;              /* trees in a block of products */
    bool    both;               /* every tree is a sample, in order: products serve twice */
    bn_progress progress;
    float  *mean;               /* f; NULL: not centred */
    float  *low;                /* trees: |x|^2 after centring, less its share of the error */
    float  *limit;              /* trees, if both: low - bar */
    double  error, tiny;        /* a proposal is off by error (|a|^2 + |b|^2) + 2 tiny at most */
    bn_candidates *c;              /* z */
} bn_knn_search;

/* Products of sample s with trees first .. first+count-1. */
void bn_knn_forward(const bn_knn_search *q, int64_t s, const float *product, int64_t first,
                    int64_t count);
/* The same products for the other trees: row is a candidate of each of them. */
void bn_knn_backward(const bn_knn_search *q, int64_t row, const float *product, int64_t first,
                     int64_t count);
/* The error of products of at most so many terms, before the norms are stored. */
void  bn_knn_error(bn_knn_search *q, int64_t terms);
float bn_knn_low(const bn_knn_search *q, float norm);   /* what to store of a squared norm */
/* False: norms overflow, or errors are as large as they; proposals say nothing. */
bool  bn_knn_bounded(const bn_knn_search *q);
bonsai_status bn_knn_measure(bn_knn_search *q);         /* without proposals */

/* Each proposes all trees to all samples: by dense blocks (knn_dense.c), or through
 * lists of the trees that have a feature (knn_sparse.c), which says in *used whether
 * that was less work. */
bonsai_status bn_knn_dense(bn_knn_search *q);
bonsai_status bn_knn_sparse(bool *used, bn_knn_search *q);

#endif
