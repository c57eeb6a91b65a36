/* fullgcn.c -- gradients of a GCN of two layers by some training nodes of the full graph.
 *
 * A node reads its neighbours' hidden rows, which are made of features after one hop; those are
 * made once.  So a batch costs one hidden row per neighbour, and no sampling is needed.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fullgcn.h"

/* ---- new and free ---- */

static int64_t room_of(const bn_fullgcn *g, int64_t batch)
{
    static const real some;
    const bn_input x = {.rows = g->reach.to.cols, .cols = g->f, .dense = &some};
    const bn_input mean = {.rows = batch, .cols = g->h, .dense = &some};
    const int64_t first = bn_times_room(&x, g->h), second = bn_times_room(&mean, g->c);
    return (first > second ? first : second) + BN_BIAS_ROOM * (g->h + g->c);
}

static bonsai_status make_buffers(bn_fullgcn *g, int64_t batch)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&g->x, g->reach.to.cols * g->f));
    BN_TRY(BN_NEW(&g->hidden, g->reach.to.cols * g->h));
    BN_TRY(BN_NEW(&g->back, g->reach.to.cols * g->h));
    BN_TRY(BN_NEW(&g->mean, batch * g->h));
    BN_TRY(BN_NEW(&g->other, batch * g->h));
    BN_TRY(BN_NEW(&g->p, batch * g->c));
    BN_TRY(BN_NEW(&g->room, room_of(g, batch)));
done:
    return rc;
}

bonsai_status bn_fullgcn_new(bn_fullgcn *g, const bn_problem *s, const int32_t *node, int64_t count,
                             int64_t batch, int64_t hidden)
{
    bonsai_status rc;
    *g = (bn_fullgcn){.f = s->f, .h = hidden, .c = s->c, .threads = s->threads};
    BN_TRY(bn_onehop_new(&g->reach, s, node, count));
    const int64_t reached = g->reach.to.cols;
    BN_TRY(BN_NEW(&g->at, reached));
    BN_TRY(BN_NEW(&g->list, reached));
    BN_TRY(BN_NEW(&g->rows, reached * g->f));
    BN_TRY(bn_problem_rows(g->rows, s, g->reach.node, reached, 1));
    BN_TRY(make_buffers(g, batch));
    memset(g->at, 0xff, (size_t)reached * sizeof *g->at);
done:
    return rc;
}

void bn_fullgcn_free(bn_fullgcn *g)
{
    void *const owned[] = {g->rows, g->list, g->at, g->x, g->hidden, g->back, g->mean, g->other,
                           g->p, g->room};
    bn_onehop_free(&g->reach);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    memset(g, 0, sizeof *g);
}

/* ---- a batch ---- */

typedef struct {
    const int32_t *place;
    int64_t count, reached;
} batch;

/* Copies the rows that the batch reaches into x. */
static void gather(bn_fullgcn *g, batch *b)
{
    const bn_matrix *to = &g->reach.to;
    for (int64_t i = 0; i < b->count; i++)
        for (int64_t e = to->offsets[b->place[i]]; e < to->offsets[b->place[i] + 1]; e++) {
            const int32_t row = to->index[e];
            if (g->at[row] >= 0)
                continue;
            memcpy(g->x + b->reached * g->f, g->rows + row * g->f, (size_t)g->f * sizeof *g->x);
            g->list[b->reached] = row;
            g->at[row] = (int32_t)b->reached++;
        }
}

static void forget(bn_fullgcn *g, const batch *b)
{
    for (int64_t i = 0; i < b->reached; i++)
        g->at[g->list[i]] = -1;
}

/* Computes mean = a hop of hidden; transposed: adds the transpose times other to back. */
static void hop(bn_fullgcn *g, const batch *b, bool transposed)
{
    const bn_matrix *to = &g->reach.to;
    const int64_t h = g->h;
    for (int64_t i = 0; i < b->count; i++)
        for (int64_t e = to->offsets[b->place[i]]; e < to->offsets[b->place[i] + 1]; e++) {
            const int64_t row = g->at[to->index[e]] * h;
            if (transposed)
                bn_real_axpy(g->back + row, to->value[e], g->other + i * h, h);
            else
                bn_real_axpy(g->mean + i * h, to->value[e], g->hidden + row, h);
        }
}

static void forward(bn_fullgcn *g, const batch *b, const float *theta)
{
    const int64_t f = g->f, h = g->h, c = g->c;
    const float *second = theta + (f + 1) * h;
    const bn_input x = {.rows = b->reached, .cols = f, .dense = g->x};
    const bn_input mean = {.rows = b->count, .cols = h, .dense = g->mean};
    bn_times(g->hidden, &x, theta, h, false, (bn_span){0, b->reached, g->threads});
    bn_bias(g->hidden, theta + f * h, b->reached, h, g->threads);
    bn_relu_forward(g->hidden, b->reached * h, 0, 0, g->threads);
    memset(g->mean, 0, (size_t)(b->count * h) * sizeof *g->mean);
    hop(g, b, false);
    bn_times(g->p, &mean, second, c, false, (bn_span){0, b->count, g->threads});
    bn_bias(g->p, second + h * c, b->count, c, g->threads);
    bn_softmax(g->p, b->count, c, g->threads);
}

static void backward(float *grad, bn_fullgcn *g, const batch *b, const float *theta)
{
    const int64_t f = g->f, h = g->h, c = g->c;
    float *second = grad + (f + 1) * h;
    const bn_input x = {.rows = b->reached, .cols = f, .dense = g->x};
    const bn_input mean = {.rows = b->count, .cols = h, .dense = g->mean};
    bn_times_t(second, &mean, g->p, c, g->room, g->threads);
    bn_bias_t(second + h * c, g->p, b->count, c, g->room, g->threads);
    bn_times_back(g->other, g->p, (bn_cols){theta + (f + 1) * h, c, c}, h, false,
                  (bn_span){0, b->count, g->threads});
    memset(g->back, 0, (size_t)(b->reached * h) * sizeof *g->back);
    hop(g, b, true);
    bn_relu_backward(g->back, g->hidden, b->reached * h, 0, g->threads);
    bn_times_t(grad, &x, g->back, h, g->room, g->threads);
    bn_bias_t(grad + f * h, g->back, b->reached, h, g->room, g->threads);
}

void bn_fullgcn_grad(float *grad, bn_fullgcn *g, const float *theta, const int32_t *place,
                     int64_t count, int32_t kind)
{
    batch b = {place, count, 0};
    const int64_t size = (g->f + 1) * g->h + (g->h + 1) * g->c;
    gather(g, &b);
    forward(g, &b, theta);
    for (int64_t i = 0; i < count; i++)
        g->p[i * g->c + kind] -= 1;
    for (int64_t i = 0; i < count * g->c; i++)
        g->p[i] /= (float)count;
    memset(grad, 0, (size_t)size * sizeof *grad);
    backward(grad, g, &b, theta);
    forget(g, &b);
}
