/* gin.c -- the layer of GIN: a small network on the sum of a node and its neighbours.
 *
 * With one linear layer it is y = S (x w) + b with S = A + (1 + epsilon) I; a second one
 * comes behind a ReLU.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

void bn_gin_forward(const bn_at *at, real *y, real *keep, real *inner, const bn_input *x,
                    bool passed, const real *w, const real *b, const real *w2, const real *b2)
{
    const bn_input hidden = {.rows = at->n, .cols = at->h, .dense = inner};
    if (!w2) {
        bn_gcn_forward(at, y, keep, x, passed, w, b);
        return;
    }
    bn_gcn_forward(at, inner, keep, x, passed, w, b);
    bn_relu_forward(inner, at->n * at->h, 0, 0, at->threads);
    bn_times(y, &hidden, w2, at->h, false, 0, at->n, at->threads);
    bn_bias(y, b2, at->n, at->h, at->threads);
}

/* The gradient of inner stands behind what the sums need of the room. */
void bn_gin_backward(const bn_at *at, real *dx, real *dw, real *db, real *dw2, real *db2,
                     const real *dy, real *keep, real *inner, const bn_input *x, bool passed,
                     const real *w, const real *w2)
{
    const bn_input hidden = {.rows = at->n, .cols = at->h, .dense = inner};
    if (!w2) {
        bn_gcn_backward(at, dx, dw, db, dy, keep, x, passed, w);
        return;
    }
    int64_t a = bn_times_room(x, at->h), b = bn_times_room(&hidden, at->h);
    real *dinner = at->room + a + b + 64 * at->h;
    bn_bias_t(db2, dy, at->n, at->h, at->room, at->threads);
    bn_times_t(dw2, &hidden, dy, at->h, at->room, at->threads);
    bn_times_back(dinner, dy, w2, at->n, at->h, at->h, false, at->threads);
    bn_relu_backward(dinner, inner, at->n * at->h, 0, at->threads);
    bn_gcn_backward(at, dx, dw, db, dinner, keep, x, passed, w);
}
