/* adam.c -- one step of the optimiser (Kingma, Ba 2015), equal to that of torch.optim.Adam.
 *
 * Each parameter is updated alone, so blocks of any size give the same bits.  The inner loop is a
 * kernel, because square roots and divisions gain most from wide vectors.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "nn.h"

enum { BLOCK = 1 << 14 };

static const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

static void update(const bn_learned *l, int64_t t, double rate, double decay)
{
    const bn_adam_step s = {
        .decay = (float)decay,
        .keep_m = (float)beta1,
        .keep_v = (float)beta2,
        .rate = (float)(rate / (1 - pow(beta1, (double)t))),
        .grow = (float)(1 / sqrt(1 - pow(beta2, (double)t))),
        .epsilon = (float)epsilon,
    };
    bn_kernels_get()->adam(l->param, l->grad, l->m, l->v, &s, l->count);
}

void bn_adam(const bn_learned *l, int64_t t, double rate, double decay, int threads)
{
    int64_t blocks = (l->count + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(bn_team(threads, 8.0 * (double)l->count)) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t at = b * BLOCK, n = l->count - at < BLOCK ? l->count - at : BLOCK;
        const bn_learned block = {l->param + at, l->grad + at, l->m + at, l->v + at, n};
        update(&block, t, rate, decay);
    }
}
