/* gcn.c -- y = S (x w) + b: the layer of GCN, and the sum that starts GIN and GraphSAGE.
 *
 * S (x w) = (S x) w, so neighbours are summed where a row is shorter: before the product if f < h,
 * after it otherwise; and not at all if S x is known, as for the features of a graph that does not
 * change.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

enum { Z };                     /* sent: x w (n,h), if the product is first */
enum { SUM };                   /* made: S x (rows,f), if the sum is first */

/* ---- the sum ---- */

static bool sums_first(const bn_at *at)
{
    return at->way == BN_FIRST_IN_BLOCKS ||
           (at->way == BN_WHOLE && at->x.dense && at->f < at->h);
}

void bn_sum_space(bn_space *out, const bn_at *at)
{
    int64_t room = bn_times_room(&at->x, at->h);
    int64_t passed = at->passed ? bn_times_room(at->passed, at->h) : 0;
    out->backward = (passed > room ? passed : room) + BN_BIAS_ROOM * at->h;
    if (!at->passed && sums_first(at))
        out->made[SUM] = at->f;
    else if (!at->passed)
        out->sent[Z] = at->h;
}

void bn_sum_send(const bn_at *at)
{
    if (!at->passed && !sums_first(at))
        bn_times(at->sent[Z], &at->x, at->p[BN_W], at->h, false,
                 (bn_span){0, at->x.rows, at->threads});
}

void bn_sum_rows(const bn_at *at, real *y, bn_span r)
{
    const real *w = at->p[BN_W];
    const bn_input sum = {.rows = r.count, .cols = at->f, .dense = at->made[SUM]};
    const bn_input z = {.rows = at->n, .cols = at->h, .dense = at->sent[Z]};
    if (at->passed) {
        bn_times(y, at->passed, w, at->h, false, r);
    } else if (sums_first(at)) {
        bn_pass(at->made[SUM], &at->m->to, &at->x, r);
        bn_times(y, &sum, w, at->h, false, (bn_span){0, r.count, r.threads});
    } else {
        bn_pass(y, &at->m->to, &z, r);
    }
}

void bn_sum_backward(const bn_at *at, real *dx, const real *dy)
{
    const bn_span all = {0, at->n, at->threads};
    const bn_cols w = {at->p[BN_W], at->h, at->h};
    const bn_input dy_in = {.rows = at->n, .cols = at->h, .dense = dy};
    const bn_input sum = {.rows = at->n, .cols = at->f, .dense = at->made[SUM]};
    real *dw = at->g[BN_W];
    if (at->passed) {
        bn_times_t(dw, at->passed, dy, at->h, at->room, at->threads);
    } else if (sums_first(at)) {
        bn_times_t(dw, &sum, dy, at->h, at->room, at->threads);
        if (!dx)
            return;
        bn_times_back(at->made[SUM], dy, w, at->f, false, all);
        bn_pass(dx, &at->m->back, &sum, all);
    } else {
        bn_pass(at->sent[Z], &at->m->back, &dy_in, all);
        bn_times_t(dw, &at->x, at->sent[Z], at->h, at->room, at->threads);
        if (dx)
            bn_times_back(dx, at->sent[Z], w, at->f, false, all);
    }
}

/* ---- the layer ---- */

static const bn_slot *slots(const bn_dims *d)
{
    static const bn_slot list[] = {
        {"lin.weight", BN_FORM_WEIGHT, BN_SIZE_IN, BN_SIZE_OUT, BN_INIT_GLOROT, BN_SIZE_IN},
        {"bias", BN_FORM_VECTOR, BN_SIZE_ONE, BN_SIZE_OUT, BN_INIT_ZERO, BN_SIZE_IN},
        {0},
    };
    (void)d;
    return list;
}

static void rows(const bn_at *at, real *y, bn_span r)
{
    bn_sum_rows(at, y, r);
    bn_bias(y, at->p[BN_B], r.count, at->h, r.threads);
}

static void backward(const bn_at *at, real *dx, const real *dy)
{
    bn_bias_t(at->g[BN_B], dy, at->n, at->h, at->room, at->threads);
    bn_sum_backward(at, dx, dy);
}

const bn_layer bn_gcn = {
    .name = "gcn", .norm = BN_NORM_BOTH, .weighted = BN_NORM_BOTH, .cost = 1, .slots = slots,
    .space = bn_sum_space, .send = bn_sum_send, .rows = rows, .backward = backward,
};
