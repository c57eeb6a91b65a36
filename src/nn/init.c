/* init.c -- draws the first weights as PyTorch Geometric does, or all by one rule.
 *
 * A weight depends only on the seed and on its place in the slab.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "nn.h"

void bn_draw_uniform(real *param, int64_t first, int64_t count, double most, uint64_t seed)
{
    for (int64_t i = first; i < first + count; i++) {
        bn_rng r = bn_rng_at(seed, (uint64_t)i);
        param[i] = (real)(most * (2 * bn_rng_unit(&r) - 1));
    }
}

static double widest(const bn_param *p)
{
    switch (p->init) {
    case BN_INIT_GLOROT: return sqrt(6.0 / (double)(p->rows + p->cols));
    case BN_INIT_FAN:    return 1 / sqrt((double)p->fan);
    default:             return 0;
    }
}

static void draw(real *param, const bn_dims *d, uint64_t seed, bool uniform)
{
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    bn_dims_params(table, &count, &total, d);
    for (int p = 0; p < count; p++) {
        const int64_t in = bn_dims_size(d, table[p].layer, BN_SIZE_IN);
        const double most = uniform ? 1 / sqrt((double)in) : widest(&table[p]);
        bn_draw_uniform(param, table[p].at, table[p].rows * table[p].cols, most, seed);
    }
}

void bn_init_params(real *param, const bn_dims *d, uint64_t seed)
{
    draw(param, d, seed, false);
}

void bn_init_uniform(real *param, const bn_dims *d, uint64_t seed)
{
    draw(param, d, seed, true);
}
