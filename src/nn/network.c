/* network.c -- the layers in order, with room for their activations and gradients.
 *
 * One slab holds everything that a run needs between forward and backward; the same code lays it
 * out twice, first to count and then to point into it.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

enum { THREAD_WORK = 1 << 21 }; /* products of the first layer that are worth a thread */

struct bn_network {
    bn_dims d;
    const bn_layer   *layer;
    const bn_operand *o;
    double  dropout;
    int     threads;
    bool    uses_blas;          /* between begin and end */
    int64_t place[BN_MOST_LAYERS][BN_SLOTS];
    bn_at   at[BN_MOST_LAYERS];
    real   *y[BN_MOST_LAYERS];
    real   *dy[2];
    bn_slab slab;
};

/* ---- a slab ---- */

real *bn_slab_take(bn_slab *s, int64_t rows, int64_t cols)
{
    int64_t count, at = s->used;
    if (at < 0 || !bn_mul(&count, rows, cols) ||
        !bn_add(&s->used, at, (count + 15) & ~(int64_t)15)) {
        s->used = -1;
        return NULL;
    }
    return s->reals ? s->reals + at : NULL;
}

int64_t bn_slab_bytes(const bn_slab *s)
{
    return s->used > INT64_MAX / (int64_t)sizeof(real) ? -1 : s->used * (int64_t)sizeof(real);
}

bonsai_status bn_slab_make(bn_slab *s, const bn_dims *d, const bn_operand *o)
{
    int64_t count = s->used;
    s->used = 0;
    if (count < 0)
        return bn_fail_at(BONSAI_E_MEMORY, o->g->where, "a model with hidden %lld on %lld nodes is "
                          "too large", (long long)d->hidden, (long long)o->x.rows);
    return BN_NEW(&s->reals, count);
}

/* ---- one layer ---- */

bn_at bn_layer_at(const bn_dims *d, const bn_operand *o, int layer)
{
    static const real some;             /* while only sizes are counted */
    bn_at at = {
        .dims = d, .m = &o->m, .n = o->x.rows,
        .f = bn_dims_size(d, layer, BN_SIZE_IN), .h = bn_dims_size(d, layer, BN_SIZE_OUT),
        .k = bn_dims_size(d, layer, BN_SIZE_HEADS), .d = bn_dims_size(d, layer, BN_SIZE_HEAD),
        .join = layer < d->layers - 1, .x = o->x,
    };
    if (layer > 0)
        at.x = (bn_input){.rows = at.n, .cols = at.f, .dense = &some};
    else if (o->passed.rows > 0)
        at.passed = &o->passed;
    return at;
}

void bn_layer_bind(bn_at *at, const int64_t *place, const real *param, real *grad)
{
    for (int slot = 0; slot < BN_SLOTS; slot++) {
        at->p[slot] = place[slot] < 0 ? NULL : param + place[slot];
        at->g[slot] = place[slot] < 0 || !grad ? NULL : grad + place[slot];
    }
}

/* Lays out a layer; returns the reals of the room that it needs. */
static int64_t lay_layer(bn_network *w, bn_slab *s, int layer, bool gradients)
{
    bn_at *at = &w->at[layer];
    bn_space space = {0};
    *at = bn_layer_at(&w->d, w->o, layer);
    at->threads = w->threads;
    if (layer > 0 && w->y[layer - 1])
        at->x.dense = w->y[layer - 1];
    w->layer->space(&space, at);
    for (int i = 0; i < BN_SENT; i++)
        at->sent[i] = bn_slab_take(s, at->n, space.sent[i]);
    for (int i = 0; i < BN_MADE; i++)
        at->made[i] = bn_slab_take(s, at->n, space.made[i]);
    at->entry = bn_slab_take(s, bn_int_at(&at->m->to.offsets, at->n), space.entry);
    w->y[layer] = bn_slab_take(s, at->n, at->h);
    return gradients && space.backward > space.forward ? space.backward : space.forward;
}

/* Lays out all layers, which share the largest room. */
static void lay_out(bn_network *w, bn_slab *s, bool gradients)
{
    int64_t room = 0;
    for (int layer = 0; layer < w->d.layers; layer++) {
        int64_t more = lay_layer(w, s, layer, gradients);
        room = more > room ? more : room;
    }
    real *shared = bn_slab_take(s, room, 1);
    for (int layer = 0; layer < w->d.layers; layer++)
        w->at[layer].room = shared;
    for (int i = 0; i < 2 && gradients && w->d.layers > 1; i++)
        w->dy[i] = bn_slab_take(s, w->o->x.rows, w->d.hidden);
}

/* ---- all layers ---- */

int64_t bn_network_bytes(const bn_dims *d, const bn_operand *o, bool gradients)
{
    bn_network w = {.d = *d, .layer = bn_layers[d->kind], .o = o};
    bn_slab s = {0};
    lay_out(&w, &s, gradients);
    return bn_slab_bytes(&s);
}

static int worth_threads(const bn_dims *d, const bn_operand *o, int threads)
{
    double entries = o->x.dense ? (double)o->x.rows * (double)o->x.cols
                                : (double)o->x.offsets[o->x.rows];
    double work = (entries + 16.0 * (double)o->x.rows) * (double)d->hidden / THREAD_WORK;
    return bn_lanes(bn_threads(threads), 1 + (int64_t)work);
}

bonsai_status bn_network_new(bn_network **out, const bn_dims *d, const bn_operand *o,
                             double dropout, bool gradients, int threads)
{
    bonsai_status rc;
    bn_network *w = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&w, 1));
    w->d = *d;
    w->layer = bn_layers[d->kind];
    w->o = o;
    w->dropout = dropout;
    w->threads = worth_threads(d, o, threads);
    BN_TRY(bn_blas_begin(w->threads));
    w->uses_blas = true;
    bn_dims_places(w->place, d);
    lay_out(w, &w->slab, gradients);
    BN_TRY(bn_slab_make(&w->slab, d, o));
    lay_out(w, &w->slab, gradients);
    *out = w;
    w = NULL;
done:
    bn_network_free(w);
    return rc;
}

void bn_network_free(bn_network *w)
{
    if (!w)
        return;
    if (w->uses_blas)
        bn_blas_end();
    bn_free(w->slab.reals);
    bn_free(w);
}

/* ---- forward and backward ---- */

real *bn_network_forward(bn_network *w, const real *param, bool training, uint64_t seed)
{
    int last = w->d.layers - 1;
    double dropout = training ? w->dropout : 0;
    for (int i = 0; i <= last; i++) {
        bn_layer_bind(&w->at[i], w->place[i], param, NULL);
        bn_layer_forward(w->layer, &w->at[i], w->y[i]);
        if (i < last)
            bn_relu_forward(w->y[i], w->o->x.rows * w->d.hidden, dropout,
                            seed * BN_MOST_LAYERS + (uint64_t)i, w->threads);
    }
    return w->y[last];
}

const bn_input *bn_network_last_input(const bn_network *w)
{
    return &w->at[w->d.layers - 1].x;
}

void bn_network_backward(bn_network *w, real *grad, const real *param, const real *dscores)
{
    const real *dy = dscores;
    for (int i = w->d.layers - 1; i >= 0; i--) {
        real *dx = i > 0 ? w->dy[i % 2] : NULL;
        bn_layer_bind(&w->at[i], w->place[i], param, grad);
        w->layer->backward(&w->at[i], dx, dy);
        if (dx)
            bn_relu_backward(dx, w->y[i - 1], w->o->x.rows * w->d.hidden, w->dropout, w->threads);
        dy = dx;
    }
}
