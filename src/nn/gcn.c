/* gcn.c -- y = S (x w) + b: the layer of GCN, and the sum that GIN and GraphSAGE begin with.
 *
 * S (x w) = (S x) w, so neighbours are summed where a row is shorter: before the product
 * if f < h, behind it otherwise; and not at all where S x is known, as it is for
 * the features of a graph that does not change.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

bool bn_sum_first(const bn_input *x, int64_t h)
{
    return x->dense && x->cols < h;
}

int64_t bn_keep_width(const bn_input *x, int64_t h)
{
    return bn_sum_first(x, h) ? x->cols : h;
}

/* What bn_times_t and bn_bias_t need, and for GIN's own network a gradient in between. */
int64_t bn_layer_room(bonsai_model_kind kind, const bn_messages *m, const bn_input *x, int64_t h,
                      int k)
{
    static const real some;
    const bn_input inner = {.rows = x->rows, .cols = h, .dense = &some};
    if (kind == BONSAI_MODEL_GAT)
        return bn_gat_room(m, x, h, k);
    int64_t room = bn_times_room(x, h) + 64 * h;
    if (kind == BONSAI_MODEL_GIN)
        room += bn_times_room(&inner, h) + x->rows * h;
    return room;
}

void bn_sum_forward(const bn_at *at, real *y, real *keep, const bn_input *x, bool passed,
                    const real *w)
{
    if (passed) {
        bn_times(y, x, w, at->h, false, 0, at->n, at->threads);
    } else if (bn_sum_first(x, at->h)) {
        const bn_input sum = {.rows = at->n, .cols = at->f, .dense = keep};
        bn_pass(keep, &at->m->to, x->dense, at->f, false, 0, at->n, at->threads);
        bn_times(y, &sum, w, at->h, false, 0, at->n, at->threads);
    } else {
        bn_times(keep, x, w, at->h, false, 0, at->n, at->threads);
        bn_pass(y, &at->m->to, keep, at->h, false, 0, at->n, at->threads);
    }
}

void bn_sum_backward(const bn_at *at, real *dx, real *dw, const real *dy, real *keep,
                     const bn_input *x, bool passed, const real *w)
{
    int64_t n = at->n, f = at->f, h = at->h;
    if (passed) {
        bn_times_t(dw, x, dy, h, at->room, at->threads);
    } else if (bn_sum_first(x, h)) {
        const bn_input sum = {.rows = n, .cols = f, .dense = keep};
        bn_times_t(dw, &sum, dy, h, at->room, at->threads);
        if (!dx)
            return;
        bn_times_back(keep, dy, w, n, f, h, false, at->threads);
        bn_pass(dx, &at->m->back, keep, f, false, 0, n, at->threads);
    } else {
        bn_pass(keep, &at->m->back, dy, h, false, 0, n, at->threads);
        bn_times_t(dw, x, keep, h, at->room, at->threads);
        if (dx)
            bn_times_back(dx, keep, w, n, f, h, false, at->threads);
    }
}

void bn_gcn_forward(const bn_at *at, real *y, real *keep, const bn_input *x, bool passed,
                    const real *w, const real *b)
{
    bn_sum_forward(at, y, keep, x, passed, w);
    bn_bias(y, b, at->n, at->h, at->threads);
}

void bn_gcn_backward(const bn_at *at, real *dx, real *dw, real *db, const real *dy, real *keep,
                     const bn_input *x, bool passed, const real *w)
{
    bn_bias_t(db, dy, at->n, at->h, at->room, at->threads);
    bn_sum_backward(at, dx, dw, dy, keep, x, passed, w);
}
