/* adam.c -- one step of the optimiser (Kingma, Ba 2015), as torch.optim.Adam does it.
 *
 * Each parameter is updated on its own, so blocks of any size give the same bits; the
 * inner loop is among the kernels, for its square roots and divisions want wide vectors.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "nn.h"

enum { BLOCK = 1 << 14 };

static const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

#ifdef BN_DOUBLE
static void update(double *w, double *g, double *m, double *v, int64_t n, int64_t t, double rate,
                   double decay)
{
    double one = 1 - pow(beta1, (double)t), two = 1 - pow(beta2, (double)t);
    for (int64_t i = 0; i < n; i++) {
        double slope = g[i] + decay * w[i];
        m[i] = beta1 * m[i] + (1 - beta1) * slope;
        v[i] = beta2 * v[i] + (1 - beta2) * slope * slope;
        w[i] -= rate / one * m[i] / (sqrt(v[i] / two) + epsilon);
        g[i] = 0;
    }
}
#else
static void update(float *w, float *g, float *m, float *v, int64_t n, int64_t t, double rate,
                   double decay)
{
    const bn_adam_step s = {
        .decay = (float)decay,
        .keep_m = (float)beta1,
        .keep_v = (float)beta2,
        .rate = (float)(rate / (1 - pow(beta1, (double)t))),
        .grow = (float)(1 / sqrt(1 - pow(beta2, (double)t))),
        .epsilon = (float)epsilon,
    };
    bn_kernels_get()->adam(w, g, m, v, &s, n);
}
#endif

void bn_adam(real *w, real *g, real *m, real *v, int64_t count, int64_t t, double rate,
             double decay, int threads)
{
    int64_t blocks = (count + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(bn_team(threads, blocks)) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t at = b * BLOCK, n = count - at < BLOCK ? count - at : BLOCK;
        update(w + at, g + at, m + at, v + at, n, t, rate, decay);
    }
}
