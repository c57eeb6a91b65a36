/* parameters.c -- what the parameters of a model are called, how large they are, where they lie.
 *
 * One table serves the first weights, the layers, the file and the export: a model's
 * numbers are one slab in the order of this table.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "nn.h"

static const char *const model_names[BONSAI_MODEL_COUNT] = {"gcn", "gat", "gin", "sage"};

const char *bonsai_model_name(bonsai_model_kind m)
{
    return (unsigned)m < BONSAI_MODEL_COUNT ? model_names[m] : NULL;
}

int64_t bn_layer_in(const bn_dims *s, int layer)
{
    return layer == 0 ? s->features : s->hidden;
}

int64_t bn_layer_out(const bn_dims *s, int layer)
{
    return layer == s->layers - 1 ? s->classes : s->hidden;
}

int64_t bn_head_width(const bn_dims *s, int layer)
{
    return layer == s->layers - 1 ? s->classes : s->hidden / s->heads;
}

static bonsai_status in_range(const char *where, const char *what, int64_t value, int64_t least,
                              int64_t most)
{
    if (value >= least && value <= most)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s: %s is %lld, which is outside %lld..%lld", where, what,
                   (long long)value, (long long)least, (long long)most);
}

/* With these bounds no product of two sizes and sixteen layers overflows. */
bonsai_status bn_dims_check(const bn_dims *s, const char *where)
{
    enum { MOST_WIDTH = 1 << 20, MOST_HEADS = 1024, MOST_FEATURES = 1 << 26 };
    bonsai_status rc;
    BN_TRY(in_range(where, "the kind of model", s->kind, 0, BONSAI_MODEL_COUNT - 1));
    BN_TRY(in_range(where, "the number of layers", s->layers, 1, BN_MOST_LAYERS));
    BN_TRY(in_range(where, "hidden", s->hidden, 1, MOST_WIDTH));
    BN_TRY(in_range(where, "heads", s->heads, 1, MOST_HEADS));
    BN_TRY(in_range(where, "gin_layers", s->gin_layers, 1, 2));
    BN_TRY(in_range(where, "the number of features", s->features, 1, MOST_FEATURES));
    BN_TRY(in_range(where, "the number of classes", s->classes, 1, MOST_WIDTH));
    if (s->kind == BONSAI_MODEL_GAT && s->layers > 1 && s->hidden % s->heads != 0)
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s: hidden is %lld, which %d heads cannot share equally",
                     where, (long long)s->hidden, s->heads);
done:
    return rc;
}

typedef struct {
    bn_param *table;
    int       count, layer;
    int64_t   total;
} listing;

static void add(listing *l, int slot, const char *name, int64_t rows, int64_t cols, bn_init init,
                int64_t fan)
{
    bn_param *p = &l->table[l->count++];
    *p = (bn_param){.rows = rows, .cols = cols, .at = l->total, .fan = fan, .init = init,
                    .layer = l->layer, .slot = slot};
    snprintf(p->name, sizeof p->name, "convs.%d.%s", l->layer, name);
    p->is_weight = strstr(name, "weight") != NULL;
    l->total += rows * cols;
}

static void add_layer(listing *l, const bn_dims *s)
{
    int64_t in = bn_layer_in(s, l->layer), out = bn_layer_out(s, l->layer);
    int64_t wide = s->heads * bn_head_width(s, l->layer);
    switch (s->kind) {
    case BONSAI_MODEL_GCN:
        add(l, BN_W, "lin.weight", in, out, BN_INIT_GLOROT, in);
        add(l, BN_B, "bias", 1, out, BN_INIT_ZERO, in);
        break;
    case BONSAI_MODEL_GAT:
        add(l, BN_W, "lin.weight", in, wide, BN_INIT_GLOROT, in);
        add(l, BN_B, "bias", 1, out, BN_INIT_ZERO, in);
        add(l, BN_ATT_SRC, "att_src", s->heads, bn_head_width(s, l->layer), BN_INIT_GLOROT, in);
        add(l, BN_ATT_DST, "att_dst", s->heads, bn_head_width(s, l->layer), BN_INIT_GLOROT, in);
        break;
    case BONSAI_MODEL_GIN:
        add(l, BN_W, s->gin_layers == 2 ? "nn.0.weight" : "nn.weight", in, out, BN_INIT_FAN, in);
        add(l, BN_B, s->gin_layers == 2 ? "nn.0.bias" : "nn.bias", 1, out, BN_INIT_FAN, in);
        if (s->gin_layers == 2) {
            add(l, BN_W2, "nn.2.weight", out, out, BN_INIT_FAN, out);
            add(l, BN_B2, "nn.2.bias", 1, out, BN_INIT_FAN, out);
        }
        break;
    default:
        add(l, BN_W, "lin_l.weight", in, out, BN_INIT_FAN, in);
        add(l, BN_B, "lin_l.bias", 1, out, BN_INIT_FAN, in);
        add(l, BN_W2, "lin_r.weight", in, out, BN_INIT_FAN, in);
    }
}

void bn_dims_params(bn_param *table, int *count, int64_t *total, const bn_dims *s)
{
    listing l = {.table = table};
    for (l.layer = 0; l.layer < s->layers; l.layer++)
        add_layer(&l, s);
    *count = l.count;
    *total = l.total;
}

void bn_dims_places(int64_t at[][4], const bn_dims *s)
{
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    bn_dims_params(table, &count, &total, s);
    for (int layer = 0; layer < s->layers; layer++)
        for (int slot = 0; slot < 4; slot++)
            at[layer][slot] = -1;
    for (int i = 0; i < count; i++)
        at[table[i].layer][table[i].slot] = table[i].at;
}
