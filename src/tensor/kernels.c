/* kernels.c -- the inner loops, in plain C, compiled once per instruction set.
 *
 * The build defines BN_KERNELS as the name of the table that this object
 * exports.  The compiler turns the fixed inner loops of 32 into vector code; with
 * -ffp-contract=off the result does not depend on the vector width.
 *
 * SPDX-License-Identifier: MIT */
#include "tensor.h"

enum { LANES = 32 };

static float add_up(float s[LANES])
{
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++)
            s[i] += s[i + width];
    return s[0];
}

static float dot(const float *restrict a, const float *restrict b, int64_t n)
{
    float s[LANES] = {0};
    int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int j = 0; j < LANES; j++)
            s[j] += a[i + j] * b[i + j];
    for (int64_t i = whole; i < n; i++)
        s[i - whole] += a[i] * b[i];
    return add_up(s);
}

static float dist2(const float *restrict a, const float *restrict b, int64_t n)
{
    float s[LANES] = {0};
    int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int j = 0; j < LANES; j++) {
            float d = a[i + j] - b[i + j];
            s[j] += d * d;
        }
    for (int64_t i = whole; i < n; i++) {
        float d = a[i] - b[i];
        s[i - whole] += d * d;
    }
    return add_up(s);
}

static float sparse_dot(const int32_t *restrict index, const float *restrict value, int64_t nnz,
                        const float *restrict b)
{
    float s[LANES] = {0};
    for (int64_t i = 0; i < nnz; i++)
        s[index[i] % LANES] += (value ? value[i] : 1.0f) * b[index[i]];
    return add_up(s);
}

static void axpy(float *restrict y, float alpha, const float *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

static void scale(float *restrict y, float alpha, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] *= alpha;
}

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)
extern const bn_kernels BN_KERNELS;
const bn_kernels BN_KERNELS = {NAME_OF(BN_ISA), dot, dist2, sparse_dot, axpy, scale};
