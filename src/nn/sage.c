/* sage.c -- the layer of GraphSAGE: the mean of the neighbours and the node itself, each by a
 * weight of its own.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

void bn_sage_forward(const bn_at *at, real *y, real *keep, const bn_input *x,
                     const bn_input *passed, const real *w, const real *b, const real *w2)
{
    bn_sum_forward(at, y, keep, passed ? passed : x, passed != NULL, w);
    bn_times(y, x, w2, at->h, true, 0, at->n, at->threads);
    bn_bias(y, b, at->n, at->h, at->threads);
}

void bn_sage_backward(const bn_at *at, real *dx, real *dw, real *db, real *dw2, const real *dy,
                      real *keep, const bn_input *x, const bn_input *passed, const real *w,
                      const real *w2)
{
    bn_bias_t(db, dy, at->n, at->h, at->room, at->threads);
    bn_times_t(dw2, x, dy, at->h, at->room, at->threads);
    bn_sum_backward(at, dx, dw, dy, keep, passed ? passed : x, passed != NULL, w);
    if (dx)
        bn_times_back(dx, dy, w2, at->n, at->f, at->h, true, at->threads);
}
