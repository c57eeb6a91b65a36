/* sntk.h -- the structural kernel: the neural tangent kernel of a network that averages rows over
 * neighbours and then has dense layers, and its adjoint.
 *
 * After every one of `hops` sums over neighbours there are `layers` ReLU layers.  Rows on one side
 * have neighbours; those on the other side, which are learned, stand alone.  All numbers are
 * doubles: near 1 the slope of the kernel has no bound.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SNTK_H
#define BN_SNTK_H

#include "tensor/tensor.h"

typedef struct {
    int hops, layers;           /* layers: after each hop */
} bn_sntk;

typedef struct {                /* row i of a sum: value[e] times row index[e], for its entries e */
    const int64_t *offsets;     /* rows+1 */
    const int32_t *index;       /* counted from the first row */
    const double  *value;
} bn_around;

typedef struct {                /* rows that are compared */
    int64_t rows, f;
    const double *x;            /* rows x f */
    const double *norm;         /* (hops layers) x rows: roots of the kernel of a row with itself
                                 * before each layer */
    bn_around around;           /* offsets NULL: they stand alone */
} bn_sntk_rows;

typedef struct {                /* what a comparison leaves for its adjoint */
    bn_sntk how;
    int64_t most;               /* entries of the kernel at most */
    double *kernel;             /* rows x columns */
    double *cosine, *slope, *before;    /* (hops layers) x most */
    double *now, *next;         /* most each */
    double *dnorm;              /* columns: room */
    int     threads;
} bn_sntk_tape;

bonsai_status bn_sntk_new(bn_sntk_tape *t, bn_sntk how, int64_t rows, int64_t cols, int threads);
void bn_sntk_free(bn_sntk_tape *t);

/* Fills norm ((hops layers) x n) of rows x (n x f) that stand alone. */
void bn_sntk_norms(double *norm, const double *x, int64_t n, int64_t f, bn_sntk how);
/* Fills norm of rows with neighbours, by their kernel with each other; room: 2 rows^2 doubles. */
void bn_sntk_norms_around(double *norm, const bn_sntk_rows *a, bn_sntk how, double *room,
                          int threads);
/* Fills t->kernel (a rows x b rows); b stands alone. */
void bn_sntk_forward(bn_sntk_tape *t, const bn_sntk_rows *a, const bn_sntk_rows *b);
/* Adds to dx (b rows x f) the gradient by b's rows at fixed rows of a, given that of the kernel;
 * overwrites the tape.  If a is b, each row acts on both sides: give the gradient of the kernel
 * plus its transpose. */
void bn_sntk_backward(double *dx, const double *dkernel, bn_sntk_tape *t, const bn_sntk_rows *a,
                      const bn_sntk_rows *b);

#endif
