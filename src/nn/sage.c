/* sage.c -- the layer of GraphSAGE: the mean of the neighbours and the node itself, each by a
 * weight of its own.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

void bn_sage_forward(const bn_at *at, real *y, real *keep, const bn_input *x,
                     const bn_input *passed, const real *w, const real *b, const real *w2)
{
    int64_t n = at->n, f = at->f, h = at->h;
    if (passed) {
        bn_times(y, passed, w, h, false, 0, n, at->threads);
    } else if (bn_sum_first(x, h)) {
        const bn_input mean = {.rows = n, .cols = f, .dense = keep};
        bn_pass(keep, &at->m->to, x->dense, f, false, 0, n, at->threads);
        bn_times(y, &mean, w, h, false, 0, n, at->threads);
    } else {
        bn_times(keep, x, w, h, false, 0, n, at->threads);
        bn_pass(y, &at->m->to, keep, h, false, 0, n, at->threads);
    }
    bn_times(y, x, w2, h, true, 0, n, at->threads);
    bn_bias(y, b, n, h, at->threads);
}

void bn_sage_backward(const bn_at *at, real *dx, real *dw, real *db, real *dw2, const real *dy,
                      real *keep, const bn_input *x, const bn_input *passed, const real *w,
                      const real *w2)
{
    int64_t n = at->n, f = at->f, h = at->h;
    bn_bias_t(db, dy, n, h, at->room, at->threads);
    bn_times_t(dw2, x, dy, h, at->room, at->threads);
    if (passed) {
        bn_times_t(dw, passed, dy, h, at->room, at->threads);
        return;                 /* features have no gradient */
    }
    if (bn_sum_first(x, h)) {
        const bn_input mean = {.rows = n, .cols = f, .dense = keep};
        bn_times_t(dw, &mean, dy, h, at->room, at->threads);
        if (!dx)
            return;
        bn_times_back(keep, dy, w, n, f, h, false, at->threads);
        bn_pass(dx, &at->m->back, keep, f, false, 0, n, at->threads);
    } else {
        bn_pass(keep, &at->m->back, dy, h, false, 0, n, at->threads);
        bn_times_t(dw, x, keep, h, at->room, at->threads);
        if (!dx)
            return;
        bn_times_back(dx, keep, w, n, f, h, false, at->threads);
    }
    bn_times_back(dx, dy, w2, n, f, h, true, at->threads);
}
