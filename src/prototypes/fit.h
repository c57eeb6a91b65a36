/* fit.h -- weighted ridge regression in closed form; see fit.c, and scorer.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FIT_H
#define BN_FIT_H

#include "prototypes.h"

enum { BN_FIT_BLOCK = 256 };    /* rows to score at a time */

typedef struct {
    const bn_embedding *x;
    int64_t n;                  /* rows that take part, at even distances among those of x */
    int64_t wide;               /* f + 1 */
    int64_t c, k;               /* classes; classes times lambdas */
    const double *lambda;
    int     ways;               /* how many lambdas */
    int     steps;              /* of bn_fit_steps, at most; 0: as bn_ridge's */
    double  enough;             /* share of the squared residual that ends bn_fit_steps; 0: 1e-6 */
    int     threads;
    bool    dual;
    int64_t m, depth;           /* the smaller of n and wide, and the other */

    double *root;               /* n: of the weights, which sum to 1 */
    double *y;                  /* (n,c): targets times roots */
    double  one;                /* the constant of every row */
    double  squares;            /* the mean squared length of a row, the constant included */
    int64_t *offsets;           /* lines of a sparse A: its rows, or its columns where dual */
    int32_t *index;
    double  *value;
    double *slab;
    double *gram;               /* (m,m): the lower half */
    double *factor;             /* of each lambda that is under way: see bn_solve */
    double *b;                  /* (m,k): right-hand sides, then solutions */
    double *exact;              /* (wide,k): where dual, the weights */
    float  *w;                  /* (wide,k) */
} bn_fit;

typedef struct {                /* of the rows of x: soft ones and weights, or one for each row */
    const float *target;        /* rows x classes, each row sums to 1; NULL: labels, ... */
    const float *weight;        /* ... and all weigh the same; else rows, above 0 */
    const int32_t *label;
} bn_labels;

/* Sets the rows, their weights and targets; x, n, c, lambda, ways and threads are given. */
bonsai_status bn_fit_rows(bn_fit *q, const bn_labels *given);
bonsai_status bn_fit_direct(bn_fit *q);                 /* w, by a factorisation per lambda */
bonsai_status bn_fit_steps(bn_fit *q, bn_progress p);   /* w of one lambda, approximately */
void bn_fit_free(bn_fit *q);

typedef struct {                /* scores rows in a fixed order: see bn_score_rows */
    int64_t  f, k, wide;        /* wide: k and what fills up the kernel's columns */
    float   *w;                 /* (f+1,wide) */
} bn_scorer;

bonsai_status bn_scorer_new(bn_scorer *s, const bn_fit *q);
/* Allocates weights of k columns, all zero: the caller fills them in. */
bonsai_status bn_scorer_room(bn_scorer *s, int64_t f, int64_t k);
void bn_scorer_free(bn_scorer *s);
/* Fills out (count,k) with rows of x from `row` on, and the constant, times the weights: the
 * bits of a row do not depend on the others. */
void bn_score_rows(float *out, const bn_scorer *s, const bn_embedding *x, int64_t row,
                   int64_t count);

/* Fills the posteriors of all rows of e by such scores.  (posterior.c) */
void bn_posterior_by(float *posterior, const bn_scorer *scorer, const bn_embedding *e,
                     int64_t classes, double sharpness, int threads);

#endif
