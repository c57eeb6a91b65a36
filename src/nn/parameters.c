/* parameters.c -- the names, sizes and places of a model's parameters, and their first values.
 *
 * One list serves the first weights, the layers, the file and the export: a model's
 * numbers are one slab in the order of this list, layer by layer and slot by slot.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "options/fields.h"
#include "nn.h"

int64_t bn_dims_size(const bn_dims *d, int layer, bn_size what)
{
    bool last = layer == d->layers - 1;
    int64_t heads = bn_layers[d->kind]->heads ? d->heads : 1;
    int64_t head = last ? d->classes : d->hidden / heads;
    switch (what) {
    case BN_SIZE_IN:    return layer == 0 ? d->features : d->hidden;
    case BN_SIZE_OUT:   return last ? d->classes : d->hidden;
    case BN_SIZE_HEADS: return heads;
    case BN_SIZE_HEAD:  return head;
    case BN_SIZE_WIDE:  return heads * head;
    default:            return 1;
    }
}

static bonsai_status in_range(const char *where, const char *what, int64_t value, int64_t least,
                              int64_t most)
{
    if (value >= least && value <= most)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, where, "%s is %lld, which is outside %lld..%lld", what,
                      (long long)value, (long long)least, (long long)most);
}

/* Checks a dimension that is also an option of training. */
static bonsai_status in_field(const char *where, const char *what, int64_t value, const char *name)
{
    const bonsai_field *f = bn_field_named(BONSAI_OPTIONS_TRAIN, name);
    return in_range(where, what, value, (int64_t)f->low, (int64_t)f->high);
}

/* Fails unless the dimensions are in bounds within which no product of two sizes and sixteen layers
 * overflows. */
bonsai_status bn_dims_check(const bn_dims *d, const char *where)
{
    enum { MOST_CLASSES = 1 << 20, MOST_FEATURES = 1 << 26 };
    bonsai_status rc;
    BN_TRY(in_range(where, "the kind of model", d->kind, 0, BONSAI_MODEL_COUNT - 1));
    BN_TRY(in_field(where, "the number of layers", d->layers, "layers"));
    BN_TRY(in_field(where, "hidden", d->hidden, "hidden"));
    BN_TRY(in_field(where, "heads", d->heads, "heads"));
    BN_TRY(in_field(where, "gin_layers", d->gin_layers, "gin_layers"));
    BN_TRY(in_range(where, "the number of features", d->features, 1, MOST_FEATURES));
    BN_TRY(in_range(where, "the number of classes", d->classes, 1, MOST_CLASSES));
    if (bn_layers[d->kind]->heads && d->layers > 1 && d->hidden % d->heads != 0)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, where, "hidden is %lld, which %d heads cannot share "
                        "equally", (long long)d->hidden, d->heads);
done:
    return rc;
}

void bn_dims_params(bn_param *table, int *count, int64_t *total, const bn_dims *d)
{
    const bn_slot *slots = bn_layers[d->kind]->slots(d);
    *count = 0;
    *total = 0;
    for (int layer = 0; layer < d->layers; layer++)
        for (int slot = 0; slot < BN_SLOTS && slots[slot].name; slot++) {
            const bn_slot *from = &slots[slot];
            bn_param *p = &table[(*count)++];
            *p = (bn_param){.rows = bn_dims_size(d, layer, from->rows),
                            .cols = bn_dims_size(d, layer, from->cols), .at = *total,
                            .fan = bn_dims_size(d, layer, from->fan), .form = from->form,
                            .init = from->init, .layer = layer, .slot = slot};
            snprintf(p->name, sizeof p->name, "convs.%d.%s", layer, from->name);
            *total += p->rows * p->cols;
        }
}

void bn_dims_places(int64_t at[][BN_SLOTS], const bn_dims *d)
{
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    bn_dims_params(table, &count, &total, d);
    for (int layer = 0; layer < d->layers; layer++)
        for (int slot = 0; slot < BN_SLOTS; slot++)
            at[layer][slot] = -1;
    for (int i = 0; i < count; i++)
        at[table[i].layer][table[i].slot] = table[i].at;
}

/* ---- the first weights: drawn as PyTorch Geometric does, or all by one rule ---- */

/* A weight depends only on the seed and on its place in the slab. */

void bn_draw_uniform(real *param, int64_t first, int64_t count, double most, uint64_t seed)
{
    for (int64_t i = first; i < first + count; i++) {
        bn_rng r = bn_rng_at(seed, (uint64_t)i);
        param[i] = (real)(most * (2 * bn_rng_unit(&r) - 1));
    }
}

static double widest(const bn_param *p)
{
    switch (p->init) {
    case BN_INIT_GLOROT: return sqrt(6.0 / (double)(p->rows + p->cols));
    case BN_INIT_FAN:    return 1 / sqrt((double)p->fan);
    default:             return 0;
    }
}

static void draw(real *param, const bn_dims *d, uint64_t seed, bool uniform)
{
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    bn_dims_params(table, &count, &total, d);
    for (int p = 0; p < count; p++) {
        const int64_t in = bn_dims_size(d, table[p].layer, BN_SIZE_IN);
        const double most = uniform ? 1 / sqrt((double)in) : widest(&table[p]);
        bn_draw_uniform(param, table[p].at, table[p].rows * table[p].cols, most, seed);
    }
}

void bn_init_params(real *param, const bn_dims *d, uint64_t seed)
{
    draw(param, d, seed, false);
}

void bn_init_uniform(real *param, const bn_dims *d, uint64_t seed)
{
    draw(param, d, seed, true);
}
