/* sage.c -- the layer of GraphSAGE: y = M (x w) + x w2 + b, the mean of the neighbours and the
 * node itself, each with its own weight.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

enum { OWN = 1 };               /* sent: x w2 (n,h), if x will be gone; besides the sum's */

static const bn_slot *slots(const bn_dims *d)
{
    static const bn_slot list[] = {
        {"lin_l.weight", BN_FORM_WEIGHT, BN_SIZE_IN, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_IN},
        {"lin_l.bias", BN_FORM_VECTOR, BN_SIZE_ONE, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_IN},
        {"lin_r.weight", BN_FORM_WEIGHT, BN_SIZE_IN, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_IN},
        {0},
    };
    (void)d;
    return list;
}

static void space(bn_space *out, const bn_at *at)
{
    bn_sum_space(out, at);
    out->sent[OWN] = at->way == BN_LATER_IN_BLOCKS ? at->h : 0;
}

static void send(const bn_at *at)
{
    bn_sum_send(at);
    if (at->way == BN_LATER_IN_BLOCKS)
        bn_times(at->sent[OWN], &at->x, at->p[BN_W2], at->h, false,
                 (bn_span){0, at->x.rows, at->threads});
}

static void rows(const bn_at *at, real *y, bn_span r)
{
    bn_sum_rows(at, y, r);
    if (at->way == BN_LATER_IN_BLOCKS)
        bn_real_axpy(y, 1, at->sent[OWN] + r.first * at->h, r.count * at->h);
    else
        bn_times(y, &at->x, at->p[BN_W2], at->h, true, r);
    bn_bias(y, at->p[BN_B], r.count, at->h, r.threads);
}

static void backward(const bn_at *at, real *dx, const real *dy)
{
    bn_bias_t(at->g[BN_B], dy, at->n, at->h, at->room, at->threads);
    bn_times_t(at->g[BN_W2], &at->x, dy, at->h, at->room, at->threads);
    bn_sum_backward(at, dx, dy);
    if (dx)
        bn_times_back(dx, dy, (bn_cols){at->p[BN_W2], at->h, at->h}, at->f, true,
                      (bn_span){0, at->n, at->threads});
}

const bn_layer bn_sage = {
    .name = "sage", .norm = BN_NORM_MEAN, .weighted = BN_NORM_WEIGHTED_MEAN, .cost = 1.5,
    .slots = slots, .space = space, .send = send, .rows = rows, .backward = backward,
};
