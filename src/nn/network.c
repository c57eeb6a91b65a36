/* network.c -- layers put in order, with room for their activations and gradients.
 *
 * One slab holds everything that a run needs between forward and backward; it is laid
 * out twice by the same code, first to count and then to point into it.
 *
 * SPDX-License-Identifier: MIT */
#include "nn.h"

enum { THREAD_WORK = 1 << 21 }; /* products of the first layer that are worth a thread */

struct bn_network {
    bn_dims s;
    const bn_operand *o;
    double  dropout;
    int     threads;
    int64_t at[BN_MOST_LAYERS][4];              /* where a layer's parameters begin; -1: none */
    real   *y[BN_MOST_LAYERS], *keep[BN_MOST_LAYERS], *inner[BN_MOST_LAYERS];
    bn_attention attention[BN_MOST_LAYERS];
    real   *dy[2], *room;
    real   *slab;
};

/* ---- the slab ---- */

typedef struct {
    real   *slab;               /* NULL: only counting */
    int64_t used;               /* -1: more than can be counted */
} layout;

static real *take(layout *l, int64_t rows, int64_t cols)
{
    int64_t count, at = l->used;
    if (at < 0 || !bn_mul(&count, rows, cols) || !bn_add(&l->used, at, (count + 15) & ~(int64_t)15)) {
        l->used = -1;
        return NULL;
    }
    return l->slab ? l->slab + at : NULL;
}

static bn_input input_of(const bn_network *w, int layer)
{
    static const real some;
    if (layer == 0)
        return w->o->x;
    return (bn_input){.rows = w->o->x.rows, .cols = bn_layer_in(&w->s, layer),
                      .dense = w->y[layer - 1] ? w->y[layer - 1] : &some};
}

static bool is_passed(const bn_network *w, int layer)
{
    return layer == 0 && w->o->passed.rows > 0;
}

static void lay_attention(bn_network *w, layout *l, int layer)
{
    bn_attention *a = &w->attention[layer];
    int64_t n = w->o->x.rows, entries = bn_int_at(&w->o->m.to.offsets, n);
    a->k = w->s.heads;
    a->d = bn_head_width(&w->s, layer);
    a->join = layer < w->s.layers - 1;
    a->z = take(l, n, a->k * a->d);
    a->src = take(l, n, a->k);
    a->dst = take(l, n, a->k);
    a->alpha = take(l, entries, a->k);
    a->alpha_own = take(l, n, a->k);
}

static void lay_layer(bn_network *w, layout *l, int layer)
{
    int64_t n = w->o->x.rows, h = bn_layer_out(&w->s, layer);
    bn_input x = input_of(w, layer);
    if (w->s.kind == BONSAI_MODEL_GAT)
        lay_attention(w, l, layer);
    else if (!is_passed(w, layer))
        w->keep[layer] = take(l, n, bn_keep_width(&x, h));
    if (w->s.kind == BONSAI_MODEL_GIN && w->s.gin_layers == 2)
        w->inner[layer] = take(l, n, h);
    w->y[layer] = take(l, n, h);
}

static int64_t room_of(const bn_network *w, int layer)
{
    bn_input x = input_of(w, layer);
    bool gat = w->s.kind == BONSAI_MODEL_GAT;
    int64_t h = gat ? w->s.heads * bn_head_width(&w->s, layer) : bn_layer_out(&w->s, layer);
    int64_t room = bn_layer_room(w->s.kind, &w->o->m, &x, h, gat ? w->s.heads : 1);
    if (is_passed(w, layer)) {
        int64_t more = bn_layer_room(w->s.kind, &w->o->m, &w->o->passed, h, 1);
        room = more > room ? more : room;
    }
    return room;
}

/* The room is for going back, and shared: the largest that a layer asks for. */
static void lay_out(bn_network *w, layout *l, bool gradients)
{
    int64_t room = 0;
    for (int layer = 0; layer < w->s.layers; layer++) {
        lay_layer(w, l, layer);
        int64_t more = room_of(w, layer);
        room = more > room ? more : room;
    }
    w->room = take(l, gradients ? room : 0, 1);
    for (int i = 0; i < 2 && gradients && w->s.layers > 1; i++)
        w->dy[i] = take(l, w->o->x.rows, w->s.hidden);
}

int64_t bn_network_bytes(const bn_dims *s, const bn_operand *o, bool gradients)
{
    bn_network w = {.s = *s, .o = o};
    layout l = {0};
    lay_out(&w, &l, gradients);
    return l.used < 0 || l.used > INT64_MAX / (int64_t)sizeof(real) ? -1
                                                                    : l.used * (int64_t)sizeof(real);
}

bonsai_status bn_network_new(bn_network **out, const bn_dims *s, const bn_operand *o,
                             double dropout, bool gradients, int threads)
{
    bonsai_status rc;
    bn_network *w = NULL;
    layout l = {0};
    *out = NULL;
    bn_blas_begin();
    BN_TRY(BN_NEW(&w, 1));
    w->s = *s;
    w->o = o;
    w->dropout = dropout;
    double entries = o->x.dense ? (double)o->x.rows * (double)o->x.cols
                                : (double)o->x.offsets[o->x.rows];
    double work = (entries + 16.0 * (double)o->x.rows) * (double)s->hidden / THREAD_WORK;
    w->threads = bn_team(bn_threads(threads), 1 + (int64_t)work);
    bn_dims_places(w->at, s);
    lay_out(w, &l, gradients);
    if (l.used < 0) {
        rc = bn_fail(BONSAI_E_MEMORY, "%s: a model with hidden %lld on %lld nodes is too large",
                     o->g->where, (long long)s->hidden, (long long)o->x.rows);
        goto done;
    }
    BN_TRY(BN_NEW(&w->slab, l.used));
    l = (layout){.slab = w->slab};
    lay_out(w, &l, gradients);
    *out = w;
    return BONSAI_OK;
done:
    bn_blas_end();
    bn_free(w);
    return rc;
}

void bn_network_free(bn_network *w)
{
    if (!w)
        return;
    bn_blas_end();
    bn_free(w->slab);
    bn_free(w);
}

/* ---- forward and back ---- */

static bn_at place_of(const bn_network *w, int layer)
{
    return (bn_at){&w->o->m, w->o->x.rows, bn_layer_in(&w->s, layer), bn_layer_out(&w->s, layer),
                   w->room, w->threads};
}

static const real *part(const bn_network *w, const real *slab, int layer, int slot)
{
    return w->at[layer][slot] < 0 ? NULL : slab + w->at[layer][slot];
}

static void layer_forward(bn_network *w, const real *param, int i)
{
    const bn_at at = place_of(w, i);
    const bn_input x = input_of(w, i);
    bool passed = is_passed(w, i);
    const bn_input *from = passed ? &w->o->passed : &x;
    const real *p[4];
    for (int slot = 0; slot < 4; slot++)
        p[slot] = part(w, param, i, slot);
    switch (w->s.kind) {
    case BONSAI_MODEL_GCN:
        bn_gcn_forward(&at, w->y[i], w->keep[i], from, passed, p[BN_W], p[BN_B]);
        break;
    case BONSAI_MODEL_GIN:
        bn_gin_forward(&at, w->y[i], w->keep[i], w->inner[i], from, passed, p[BN_W], p[BN_B],
                       p[BN_W2], p[BN_B2]);
        break;
    case BONSAI_MODEL_SAGE:
        bn_sage_forward(&at, w->y[i], w->keep[i], &x, passed ? &w->o->passed : NULL, p[BN_W],
                        p[BN_B], p[BN_W2]);
        break;
    default:
        bn_gat_forward(&at, &w->attention[i], w->y[i], &x, p[BN_W], p[BN_B], p[BN_ATT_SRC],
                       p[BN_ATT_DST]);
    }
}

real *bn_network_forward(bn_network *w, const real *param, bool training, uint64_t seed)
{
    int last = w->s.layers - 1;
    double dropout = training ? w->dropout : 0;
    for (int i = 0; i <= last; i++) {
        layer_forward(w, param, i);
        if (i < last)
            bn_relu_forward(w->y[i], w->o->x.rows * w->s.hidden, dropout,
                            seed * BN_MOST_LAYERS + (uint64_t)i, w->threads);
    }
    return w->y[last];
}

static void layer_backward(bn_network *w, real *dx, real *grad, const real *param, const real *dy,
                           int i)
{
    const bn_at at = place_of(w, i);
    const bn_input x = input_of(w, i);
    bool passed = is_passed(w, i);
    const bn_input *from = passed ? &w->o->passed : &x;
    const real *p[4];
    real *d[4];
    for (int slot = 0; slot < 4; slot++) {
        p[slot] = part(w, param, i, slot);
        d[slot] = w->at[i][slot] < 0 ? NULL : grad + w->at[i][slot];
    }
    switch (w->s.kind) {
    case BONSAI_MODEL_GCN:
        bn_gcn_backward(&at, dx, d[BN_W], d[BN_B], dy, w->keep[i], from, passed, p[BN_W]);
        break;
    case BONSAI_MODEL_GIN:
        bn_gin_backward(&at, dx, d[BN_W], d[BN_B], d[BN_W2], d[BN_B2], dy, w->keep[i],
                        w->inner[i], from, passed, p[BN_W], p[BN_W2]);
        break;
    case BONSAI_MODEL_SAGE:
        bn_sage_backward(&at, dx, d[BN_W], d[BN_B], d[BN_W2], dy, w->keep[i], &x,
                         passed ? &w->o->passed : NULL, p[BN_W], p[BN_W2]);
        break;
    default:
        bn_gat_backward(&at, &w->attention[i], dx, d[BN_W], d[BN_B], d[BN_ATT_SRC], d[BN_ATT_DST],
                        dy, &x, p[BN_W], p[BN_ATT_SRC], p[BN_ATT_DST]);
    }
}

void bn_network_backward(bn_network *w, real *grad, const real *param, const real *dscores)
{
    const real *dy = dscores;
    for (int i = w->s.layers - 1; i >= 0; i--) {
        real *dx = i > 0 ? w->dy[i % 2] : NULL;
        layer_backward(w, dx, grad, param, dy, i);
        if (dx)
            bn_relu_backward(dx, w->y[i - 1], w->o->x.rows * w->s.hidden, w->dropout, w->threads);
        dy = dx;
    }
}
