/* real.h -- the number type of layers: float, or double if a test compiles them so.
 *
 * Finite differences need double; the library trains in float.  The same sources give both: with
 * BN_DOUBLE defined every layer is compiled for double, with plain loops in place of the inner
 * loops that exist for float only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REAL_H
#define BN_REAL_H

#include "tensor/tensor.h"

#ifdef BN_DOUBLE
typedef double real;
#else
typedef float real;
#endif

typedef struct {                /* some columns of a matrix: rows of width, stride apart */
    const real *at;
    int64_t     width, stride;
} bn_cols;

#ifdef BN_DOUBLE

static inline void bn_real_axpy(real *y, real a, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static inline void bn_real_combine(real *y, bn_cols x, const int32_t *id, const real *w,
                                   int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        bn_real_axpy(y, w ? w[i] : 1, x.at + (int64_t)id[i] * x.stride, x.width);
}

static inline void bn_real_dots(real *out, const real *a, bn_cols x, const int32_t *id,
                                int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const real *b = x.at + (int64_t)id[i] * x.stride;
        out[i] = 0;
        for (int64_t j = 0; j < x.width; j++)
            out[i] += a[j] * b[j];
    }
}

#else

static inline void bn_real_axpy(real *y, real a, const real *x, int64_t n)      /* y += a x */
{
    bn_kernels_get()->axpy(y, a, x, n);
}

/* Adds to y (width) the sum over i, in order, of w[i] (NULL: 1) times row id[i] of x. */
static inline void bn_real_combine(real *y, bn_cols x, const int32_t *id, const real *w,
                                   int64_t count)
{
    const bn_kernels *k = bn_kernels_get();
    if (count == 1 && w)        /* the same bits, faster */
        k->axpy(y, w[0], x.at + (int64_t)id[0] * x.stride, x.width);
    else
        k->combine(y, x.at, x.width, x.stride, id, w, count);
}

/* Sets out[i] = a (width) times row id[i] of x. */
static inline void bn_real_dots(real *out, const real *a, bn_cols x, const int32_t *id,
                                int64_t count)
{
    bn_kernels_get()->dots(out, a, x.at, x.width, x.stride, id, count);
}

#endif

#endif
