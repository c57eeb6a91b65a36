/* smalloperator.c -- the operator of GCN on a dense adjacency, and its adjoint.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "tangent.h"

static real entry(const real *a, int64_t n, int64_t i, int64_t j)
{
    return a[i * n + j] + (i == j ? 1 : 0);
}

void bn_small_norm(real *norm, real *half, const real *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        real degree = 0;
        for (int64_t j = 0; j < n; j++)
            degree += entry(a, n, i, j);
        half[i] = 1 / (real)sqrt((double)degree);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            norm[i * n + j] = half[i] * entry(a, n, i, j) * half[j];
}

/* Adds the derivative by the degrees: a degree acts on its row and its column of the operator. */
static void degree_back(real *out, const real *dnorm, const real *a, const real *half, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const real v = dnorm[i * n + j] * entry(a, n, i, j);
            out[i] += v * half[j];
            out[j] += v * half[i];
        }
    for (int64_t i = 0; i < n; i++)
        out[i] *= -half[i] * half[i] * half[i] / 2;
}

void bn_small_norm_back(real *da, const real *dnorm, const real *a, const real *half, int64_t n,
                        real *room)
{
    degree_back(room, dnorm, a, half, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            da[i * n + j] = half[i] * dnorm[i * n + j] * half[j] + room[i];
}
