/* real.h -- the number type of layers: float, or double where a test compiles them so.
 *
 * Finite differences need double; the library trains in float.  The same sources give
 * both: with BN_DOUBLE defined every layer is compiled for double, with plain loops in
 * place of the inner loops that exist for float only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REAL_H
#define BN_REAL_H

#include "tensor/tensor.h"

#ifdef BN_DOUBLE

typedef double real;

static inline void bn_real_axpy(real *y, real a, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static inline real bn_real_dot(const real *a, const real *b, int64_t n)
{
    real sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline void bn_real_combine_part(real *y, const real *x, int64_t width, int64_t stride,
                                        const int32_t *id, const real *w, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        bn_real_axpy(y, w ? w[i] : 1, x + (int64_t)id[i] * stride, width);
}

static inline void bn_real_dots(real *out, const real *a, const real *x, int64_t width,
                                int64_t stride, const int32_t *id, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = bn_real_dot(a, x + (int64_t)id[i] * stride, width);
}

#else

typedef float real;

static inline void bn_real_axpy(real *y, real a, const real *x, int64_t n)      /* y += a x */
{
    bn_kernels_get()->axpy(y, a, x, n);
}

static inline real bn_real_dot(const real *a, const real *b, int64_t n)
{
    return bn_kernels_get()->dot(a, b, n);
}

/* y (width) += sum over i, in order, of w[i] (NULL: 1) times the first columns of row id[i] of x,
 * whose rows are stride apart */
static inline void bn_real_combine_part(real *y, const real *x, int64_t width, int64_t stride,
                                        const int32_t *id, const real *w, int64_t count)
{
    bn_kernels_get()->combine(y, x, width, stride, id, w, count);
}

/* out[i] = a (width) times the first columns of row id[i] of x */
static inline void bn_real_dots(real *out, const real *a, const real *x, int64_t width,
                                int64_t stride, const int32_t *id, int64_t count)
{
    bn_kernels_get()->dots(out, a, x, width, stride, id, count);
}

#endif

static inline void bn_real_combine(real *y, const real *x, int64_t width, const int32_t *id,
                                   const real *w, int64_t count)
{
    bn_real_combine_part(y, x, width, width, id, w, count);
}

#endif
