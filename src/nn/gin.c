/* gin.c -- the layer of GIN: a small network on the sum of a node and its neighbours.
 *
 * With one linear layer it is y = S (x w) + b, S = A + (1 + epsilon) I and epsilon 0; with two,
 * y = relu(S (x w) + b) w2 + b2.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

enum { INNER = 1 };             /* made: relu(...) (rows,h), besides the sum's */

static const bn_slot *slots(const bn_dims *d)
{
    static const bn_slot one[] = {
        {"nn.weight", BN_FORM_WEIGHT, BN_SIZE_IN, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_IN},
        {"nn.bias", BN_FORM_VECTOR, BN_SIZE_ONE, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_IN},
        {0},
    };
    static const bn_slot two[] = {
        {"nn.0.weight", BN_FORM_WEIGHT, BN_SIZE_IN, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_IN},
        {"nn.0.bias", BN_FORM_VECTOR, BN_SIZE_ONE, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_IN},
        {"nn.2.weight", BN_FORM_WEIGHT, BN_SIZE_OUT, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_OUT},
        {"nn.2.bias", BN_FORM_VECTOR, BN_SIZE_ONE, BN_SIZE_OUT, BN_INIT_FAN, BN_SIZE_OUT},
        {0},
    };
    return d->gin_layers == 2 ? two : one;
}

static bn_input inner_of(const bn_at *at, int64_t rows)
{
    static const real some;
    return (bn_input){.rows = rows, .cols = at->h,
                      .dense = at->made[INNER] ? at->made[INNER] : &some};
}

/* Returns the room of the products, which the gradient of the inner part follows. */
static int64_t products_room(const bn_at *at)
{
    const bn_input inner = inner_of(at, at->n);
    bn_space sum = {0};
    bn_sum_space(&sum, at);
    return sum.backward + bn_times_room(&inner, at->h);
}

static void space(bn_space *out, const bn_at *at)
{
    bn_sum_space(out, at);
    if (at->dims->gin_layers == 1)
        return;
    out->made[INNER] = at->h;
    out->backward = products_room(at) + at->n * at->h;
}

static void rows(const bn_at *at, real *y, bn_span r)
{
    real *to = at->p[BN_W2] ? at->made[INNER] : y;
    bn_sum_rows(at, to, r);
    bn_bias(to, at->p[BN_B], r.count, at->h, r.threads);
    if (!at->p[BN_W2])
        return;
    const bn_input inner = inner_of(at, r.count);
    bn_relu_forward(to, r.count * at->h, 0, 0, r.threads);
    bn_times(y, &inner, at->p[BN_W2], at->h, false, (bn_span){0, r.count, r.threads});
    bn_bias(y, at->p[BN_B2], r.count, at->h, r.threads);
}

static void backward(const bn_at *at, real *dx, const real *dy)
{
    real *room = at->room, *dinner = room + products_room(at);
    const bn_input inner = inner_of(at, at->n);
    const bn_cols w2 = {at->p[BN_W2], at->h, at->h};
    if (at->p[BN_W2]) {
        bn_bias_t(at->g[BN_B2], dy, at->n, at->h, room, at->threads);
        bn_times_t(at->g[BN_W2], &inner, dy, at->h, room, at->threads);
        bn_times_back(dinner, dy, w2, at->h, false, (bn_span){0, at->n, at->threads});
        bn_relu_backward(dinner, inner.dense, at->n * at->h, 0, at->threads);
        dy = dinner;
    }
    bn_bias_t(at->g[BN_B], dy, at->n, at->h, room, at->threads);
    bn_sum_backward(at, dx, dy);
}

const bn_layer bn_gin = {
    .name = "gin", .norm = BN_NORM_SUM, .weighted = BN_NORM_WEIGHTED_SUM, .cost = 1, .zero = "eps",
    .slots = slots, .space = space, .send = bn_sum_send, .rows = rows, .backward = backward,
};
