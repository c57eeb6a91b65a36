/* infer.c -- scores by row blocks, for graphs whose activations do not fit.
 *
 * The first layer sums the features of the neighbours before it multiplies, so a block of rows
 * needs only the features, which are mapped.  What the next layer sends of a block is computed at
 * once, and only that is kept for all nodes: with two layers, n x c.  Attention also keeps two
 * scores a node and head.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "nn.h"

enum { BLOCK_NUMBERS = 1 << 20, MOST_ROWS = 4096, LEAST_ROWS = 64 };

struct bn_infer {
    bn_dims  d;
    const bn_layer   *layer;
    const bn_operand *o;
    int      threads;
    bool     uses_blas;         /* between begin and end */
    int64_t  rows;              /* of a block */
    int64_t  place[BN_MOST_LAYERS][BN_SLOTS];
    bn_space space[BN_MOST_LAYERS];
    real    *sent[2][BN_SENT];  /* of this layer and of the next, in turn */
    real    *made[BN_MADE], *entry, *room;
    real    *y;                 /* rows x hidden */
    real    *scores;            /* n x c */
    bn_slab  slab;
};

/* ---- the slab ---- */

static int64_t block_rows(const bn_dims *d)
{
    int64_t wide = bn_most(d->features, d->hidden);
    for (int layer = 0; layer < d->layers; layer++)
        wide = bn_most(wide, bn_dims_size(d, layer, BN_SIZE_WIDE));
    int64_t rows = BLOCK_NUMBERS / wide;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

/* Returns the entries of the block that has most. */
static int64_t block_entries(const bn_side *s, int64_t rows)
{
    int64_t most = 0;
    for (int64_t first = 0; first < s->n; first += rows) {
        int64_t end = s->n - first < rows ? s->n : first + rows;
        most = bn_most(most, bn_int_at(&s->offsets, end) - bn_int_at(&s->offsets, first));
    }
    return most;
}

/* Returns a layer without its parameters. */
static bn_at at_of(const bn_infer *i, int layer)
{
    bn_at at = bn_layer_at(&i->d, i->o, layer);
    at.way = layer == 0 ? BN_FIRST_IN_BLOCKS : BN_LATER_IN_BLOCKS;
    for (int k = 0; k < BN_SENT; k++)
        at.sent[k] = i->sent[layer % 2][k];
    for (int k = 0; k < BN_MADE; k++)
        at.made[k] = i->made[k];
    at.entry = i->entry;
    at.room = i->room;
    at.threads = i->threads;
    return at;
}

static void widen(bn_space *most, const bn_space *one)
{
    for (int k = 0; k < BN_SENT; k++)
        most->sent[k] = bn_most(most->sent[k], one->sent[k]);
    for (int k = 0; k < BN_MADE; k++)
        most->made[k] = bn_most(most->made[k], one->made[k]);
    most->entry = bn_most(most->entry, one->entry);
    most->forward = bn_most(most->forward, one->forward);
}

/* Lays out the arrays, which layers share, each as large as the layer that needs most. */
static void lay_out(bn_infer *i, bn_slab *s)
{
    int64_t n = i->o->x.rows;
    bn_space most = {0}, turn[2];
    memset(turn, 0, sizeof turn);
    for (int layer = 0; layer < i->d.layers; layer++) {
        widen(&most, &i->space[layer]);
        widen(&turn[layer % 2], &i->space[layer]);
    }
    for (int k = 0; k < BN_SENT; k++) {
        i->sent[0][k] = bn_slab_take(s, n, turn[0].sent[k]);
        i->sent[1][k] = bn_slab_take(s, n, turn[1].sent[k]);
    }
    for (int k = 0; k < BN_MADE; k++)
        i->made[k] = bn_slab_take(s, i->rows, most.made[k]);
    i->entry = bn_slab_take(s, block_entries(&i->o->m.to, i->rows), most.entry);
    i->room = bn_slab_take(s, most.forward, 1);
    i->y = bn_slab_take(s, i->rows, i->d.layers > 1 ? i->d.hidden : 0);
    i->scores = bn_slab_take(s, n, i->d.classes);
}

/* Sets all but the slab. */
static void set_up(bn_infer *i, const bn_dims *d, const bn_operand *o, int threads)
{
    *i = (bn_infer){.d = *d, .layer = bn_layers[d->kind], .o = o, .threads = bn_threads(threads),
                    .rows = block_rows(d)};
    bn_dims_places(i->place, d);
    for (int layer = 0; layer < d->layers; layer++) {
        const bn_at at = at_of(i, layer);
        i->layer->space(&i->space[layer], &at);
    }
}

int64_t bn_infer_bytes(const bn_dims *d, const bn_operand *o)
{
    bn_infer i;
    bn_slab s = {0};
    set_up(&i, d, o, 1);
    lay_out(&i, &s);
    return bn_slab_bytes(&s);
}

bonsai_status bn_infer_new(bn_infer **out, const bn_dims *d, const bn_operand *o, int threads)
{
    bonsai_status rc;
    bn_infer *i = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&i, 1));
    set_up(i, d, o, threads);
    BN_TRY(bn_blas_begin(i->threads));
    i->uses_blas = true;
    lay_out(i, &i->slab);
    BN_TRY(bn_slab_make(&i->slab, d, o));
    lay_out(i, &i->slab);
    *out = i;
    i = NULL;
done:
    bn_infer_free(i);
    return rc;
}

void bn_infer_free(bn_infer *i)
{
    if (!i)
        return;
    if (i->uses_blas)
        bn_blas_end();
    bn_free(i->slab.reals);
    bn_free(i);
}

/* ---- the scores ---- */

/* Sends a block, after a ReLU, to the next layer. */
static void send_block(bn_infer *i, const real *param, int next, bn_span block)
{
    bn_at at = at_of(i, next);
    bn_layer_bind(&at, i->place[next], param, NULL);
    at.x = (bn_input){.rows = block.count, .cols = at.f, .dense = i->y};
    for (int k = 0; k < BN_SENT; k++)
        at.sent[k] += block.first * i->space[next].sent[k];
    bn_relu_forward(i->y, block.count * at.f, 0, 0, i->threads);
    i->layer->send(&at);
}

static void run_layer(bn_infer *i, const real *param, int layer)
{
    bool last = layer == i->d.layers - 1;
    bn_at at = at_of(i, layer);
    bn_layer_bind(&at, i->place[layer], param, NULL);
    if (layer == 0)
        i->layer->send(&at);
    for (int64_t first = 0; first < at.n; first += i->rows) {
        int64_t count = at.n - first < i->rows ? at.n - first : i->rows;
        const bn_span block = {first, count, i->threads};
        i->layer->rows(&at, last ? i->scores + first * at.h : i->y, block);
        if (!last)
            send_block(i, param, layer + 1, block);
    }
}

const real *bn_infer_scores(bn_infer *i, const real *param)
{
    for (int layer = 0; layer < i->d.layers; layer++)
        run_layer(i, param, layer);
    return i->scores;
}
