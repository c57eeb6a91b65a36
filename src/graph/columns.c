/* columns.c -- keeps some of the features of a graph.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"

typedef struct {
    const bonsai_graph *g;
    bonsai_graph *out;
    const int32_t *kept;
    int64_t count;
} keeping;

static bonsai_status check_kept(const keeping *k)
{
    int64_t f = k->g->view.features;
    for (int64_t i = 0; i < k->count; i++) {
        if (k->kept[i] < 0 || k->kept[i] >= f)
            return bn_fail(BONSAI_E_ARGUMENT, "feature %d is outside 0..%lld", k->kept[i],
                           (long long)f - 1);
        if (i > 0 && k->kept[i] <= k->kept[i - 1])
            return bn_fail(BONSAI_E_ARGUMENT, "feature %d comes after feature %d: they must ascend",
                           k->kept[i], k->kept[i - 1]);
    }
    return BONSAI_OK;
}

/* Keeps the chosen elements in each of `rows` rows of all features. */
static bonsai_status keep_elements(keeping *k, bonsai_section s, int64_t rows)
{
    const bonsai_array *a = &k->g->view.section[s];
    int64_t f = k->g->view.features;
    size_t item = bonsai_type_bytes(a->type);
    uint8_t *to;
    if (!a->data)
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&to, k->out, s, a->type, rows * k->count);
    for (int64_t r = 0; rc == BONSAI_OK && r < rows; r++) {
        const uint8_t *row = (const uint8_t *)a->data + (size_t)(r * f) * item;
        for (int64_t i = 0; i < k->count; i++, to += item)
            memcpy(to, row + (size_t)k->kept[i] * item, item);
    }
    return rc;
}

static void put_integer(void *to, bonsai_type t, int64_t i, int64_t value)
{
    if (t == BONSAI_TYPE_U16)
        ((uint16_t *)to)[i] = (uint16_t)value;
    else
        ((uint32_t *)to)[i] = (uint32_t)value;
}

/* Finds the new number of each feature, or -1, and the offsets of the new rows. */
static bonsai_status plan_rows(int32_t **place, keeping *k)
{
    bonsai_status rc;
    const bonsai_view *v = &k->g->view;
    const bonsai_array *from = &v->section[BONSAI_SECTION_FEATURE_OFFSETS];
    const bonsai_array *index = &v->section[BONSAI_SECTION_FEATURE_INDICES];
    uint64_t *offsets;
    BN_TRY(BN_NEW(place, v->features));
    memset(*place, 0xff, (size_t)v->features * sizeof **place);
    for (int64_t i = 0; i < k->count; i++)
        (*place)[k->kept[i]] = (int32_t)i;
    BN_TRY(bn_graph_array(&offsets, k->out, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64,
                          v->nodes + 1));
    for (int64_t r = 0; r < v->nodes; r++) {
        offsets[r + 1] = offsets[r];
        for (int64_t e = bn_int_at(from, r); e < bn_int_at(from, r + 1); e++)
            offsets[r + 1] += (*place)[bn_int_at(index, e)] >= 0;
    }
done:
    return rc;
}

static bonsai_status keep_lists(keeping *k)
{
    bonsai_status rc;
    const bonsai_view *v = &k->g->view;
    const bonsai_array *index = &v->section[BONSAI_SECTION_FEATURE_INDICES];
    const bonsai_array *value = &v->section[BONSAI_SECTION_FEATURE_VALUES];
    size_t item = bonsai_type_bytes(value->type);
    int32_t *place = NULL;
    void *to;
    uint8_t *values = NULL;
    BN_TRY(plan_rows(&place, k));
    const uint64_t *offsets = k->out->view.section[BONSAI_SECTION_FEATURE_OFFSETS].data;
    int64_t total = (int64_t)offsets[v->nodes];
    BN_TRY(bn_graph_array(&to, k->out, BONSAI_SECTION_FEATURE_INDICES, index->type, total));
    if (value->data)
        BN_TRY(bn_graph_array(&values, k->out, BONSAI_SECTION_FEATURE_VALUES, value->type, total));
    for (int64_t e = 0, at = 0; at < total; e++) {
        int32_t j = place[bn_int_at(index, e)];
        if (j < 0)
            continue;
        put_integer(to, index->type, at, j);
        if (values)
            memcpy(values + (size_t)at * item, (const uint8_t *)value->data + (size_t)e * item,
                   item);
        at++;
    }
done:
    bn_free(place);
    return rc;
}

/* Stores the numbers in the full graph, even if g itself kept only some features. */
static bonsai_status name_kept(keeping *k)
{
    const uint32_t *before = k->g->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    uint32_t *to;
    bonsai_status rc = bn_graph_array(&to, k->out, BONSAI_SECTION_KEPT_FEATURES, BONSAI_TYPE_U32,
                                      k->count);
    for (int64_t i = 0; rc == BONSAI_OK && i < k->count; i++)
        to[i] = before ? before[k->kept[i]] : (uint32_t)k->kept[i];
    return rc;
}

bonsai_status bn_graph_columns(bonsai_graph **out, const bonsai_graph *g, const int32_t *kept,
                               int64_t count)
{
    bonsai_status rc;
    keeping k = {g, NULL, kept, count};
    char *names;
    int64_t len;
    const uint32_t own = BN_BIT(BONSAI_SECTION_FEATURES) | BN_BIT(BONSAI_SECTION_FEATURE_OFFSETS) |
                         BN_BIT(BONSAI_SECTION_FEATURE_INDICES) |
                         BN_BIT(BONSAI_SECTION_FEATURE_VALUES) |
                         BN_BIT(BONSAI_SECTION_KEPT_FEATURES) |
                         BN_BIT(BONSAI_SECTION_FEATURE_NAMES) |
                         BN_BIT(BONSAI_SECTION_FEATURE_MEAN) |
                         BN_BIT(BONSAI_SECTION_FEATURE_SPREAD) | BN_FACTOR_SECTIONS;
    *out = NULL;
    BN_TRY(check_kept(&k));
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_graph_new(&k.out, g->where));
    k.out->view.nodes = g->view.nodes;
    k.out->view.features = count;
    k.out->view.classes = g->view.classes;
    k.out->view.flags = g->view.flags & ~(uint64_t)BONSAI_FLAG_COORDINATES;
    k.out->info = g->info;
    bn_graph_borrow(k.out, g, BN_ALL_SECTIONS & ~own);
    BN_TRY(keep_elements(&k, BONSAI_SECTION_FEATURES, g->view.nodes));
    if (bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS))
        BN_TRY(keep_lists(&k));
    BN_TRY(keep_elements(&k, BONSAI_SECTION_FEATURE_MEAN, 1));
    BN_TRY(keep_elements(&k, BONSAI_SECTION_FEATURE_SPREAD, 1));
    BN_TRY(name_kept(&k));
    BN_TRY(bn_names_pick(&names, &len, &g->view.section[BONSAI_SECTION_FEATURE_NAMES], kept,
                         count));
    bn_names_give(k.out, names, len);
    BN_TRY(bonsai_graph_verify(k.out));
done:
    return bn_graph_give(out, k.out, rc);
}
