/* standardise.c -- the same graph with columns of features that have mean 0 and spread 1.
 *
 * What was subtracted and divided by goes into the graph, and from there into what is condensed of
 * it and trained on that: graphs that come later are scaled by the same numbers.  A column of
 * which most are zeros is only divided, so sparse features take at most twice their room.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"

typedef struct {
    const bonsai_graph *g;
    bonsai_graph *out;
    float   *mean, *spread;     /* of out */
    int32_t *centred;           /* columns whose mean is subtracted */
    int64_t  count;             /* of these */
    int32_t *index;             /* what is read of a row, ... */
    float   *value;
} scaling;

/* ---- the numbers ---- */

bool bn_is_standardised(const bonsai_graph *g, const float *mean, const float *spread,
                        const int32_t *kept, int64_t count)
{
    const float *by_mean = g->view.section[BONSAI_SECTION_FEATURE_MEAN].data;
    const float *by_spread = g->view.section[BONSAI_SECTION_FEATURE_SPREAD].data;
    bool same = by_mean && mean;
    for (int64_t j = 0; same && j < count; j++) {
        const int64_t at = kept ? kept[j] : j;
        same = by_mean[at] == mean[j] && bn_divisor(by_spread[at]) == bn_divisor(spread[j]);
    }
    return same;
}

/* Takes the mean of a column to be 0 where zeros are the most. */
static bonsai_status keep_zeros(scaling *s)
{
    bonsai_status rc;
    const bonsai_view *v = &s->g->view;
    int64_t *present = NULL;
    BN_TRY(BN_NEW(&present, v->features));
    for (int64_t i = 0; i < v->nodes; i++) {
        const int64_t length = bn_row_get(s->index, s->value, s->g, i);
        for (int64_t e = 0; e < length; e++)
            present[s->index[e]]++;
    }
    for (int64_t j = 0; j < v->features; j++)
        if (2 * present[j] < v->nodes)
            s->mean[j] = 0;
done:
    bn_free(present);
    return rc;
}

static bonsai_status find_numbers(scaling *s, const bonsai_graph *like)
{
    bonsai_status rc;
    const int64_t f = s->g->view.features;
    BN_TRY(bn_graph_array(&s->mean, s->out, BONSAI_SECTION_FEATURE_MEAN, BONSAI_TYPE_F32, f));
    BN_TRY(bn_graph_array(&s->spread, s->out, BONSAI_SECTION_FEATURE_SPREAD, BONSAI_TYPE_F32, f));
    if (like) {
        const bonsai_array *x = like->view.section;
        memcpy(s->mean, x[BONSAI_SECTION_FEATURE_MEAN].data, (size_t)f * sizeof *s->mean);
        memcpy(s->spread, x[BONSAI_SECTION_FEATURE_SPREAD].data, (size_t)f * sizeof *s->spread);
    } else {
        BN_TRY(bn_standard(s->mean, s->spread, s->g, &(bn_standard_of){.all = true}, bn_threads(0)));
        BN_TRY(keep_zeros(s));
    }
    BN_TRY(BN_NEW(&s->centred, f));
    for (int64_t j = 0; j < f; j++)
        if (s->mean[j] != 0)
            s->centred[s->count++] = (int32_t)j;
done:
    return rc;
}

/* ---- the features ---- */

static bonsai_status scale_dense(scaling *s)
{
    float *to;
    const int64_t f = s->g->view.features;
    bonsai_status rc = bn_graph_array(&to, s->out, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32,
                                      s->g->view.nodes * f);
    for (int64_t i = 0; rc == BONSAI_OK && i < s->g->view.nodes; i++, to += f) {
        bn_row_whole(to, s->g, i);
        for (int64_t j = 0; j < f; j++)
            to[j] = bn_standardised(to[j], s->mean[j], s->spread[j]);
    }
    return rc;
}

/* The scaled row of a node: its own columns and all that are centred.  Returns their number. */
static int64_t scale_row(int32_t *index, float *value, const scaling *s, int64_t node)
{
    const int64_t length = bn_row_get(s->index, s->value, s->g, node);
    int64_t k = 0;
    for (int64_t e = 0, c = 0; e < length || c < s->count; k++) {
        const int32_t own = e < length ? s->index[e] : INT32_MAX;
        const int32_t must = c < s->count ? s->centred[c] : INT32_MAX;
        const int32_t j = own < must ? own : must;
        index[k] = j;
        value[k] = bn_standardised(own == j ? s->value[e] : 0, s->mean[j], s->spread[j]);
        e += own == j;
        c += must == j;
    }
    return k;
}

static bonsai_status scale_sparse(scaling *s)
{
    bonsai_status rc;
    const int64_t n = s->g->view.nodes, room = bn_row_room(s->g) + s->count;
    int32_t *index = NULL;
    float *value = NULL;
    uint64_t *offset;
    BN_TRY(BN_NEW(&index, room));
    BN_TRY(BN_NEW(&value, room));
    BN_TRY(bn_graph_array(&offset, s->out, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, n + 1));
    for (int64_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + (uint64_t)scale_row(index, value, s, i);
    int32_t *to;
    float *values;
    BN_TRY(bn_graph_array(&to, s->out, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32,
                          (int64_t)offset[n]));
    BN_TRY(bn_graph_array(&values, s->out, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32,
                          (int64_t)offset[n]));
    for (int64_t i = 0; i < n; i++)
        scale_row(to + offset[i], values + offset[i], s, i);
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

/* ---- the graph ---- */

static bonsai_status scale(scaling *s, const bonsai_graph *like)
{
    bonsai_status rc;
    const uint32_t own = BN_FEATURE_SECTIONS | BN_FACTOR_SECTIONS |
                         BN_BIT(BONSAI_SECTION_FEATURE_MEAN) |
                         BN_BIT(BONSAI_SECTION_FEATURE_SPREAD);
    BN_TRY(bn_graph_need(s->g, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_graph_derive(&s->out, s->g, BN_ALL_SECTIONS & ~own));
    BN_TRY(BN_NEW(&s->index, bn_row_room(s->g)));
    BN_TRY(BN_NEW(&s->value, bn_row_room(s->g)));
    BN_TRY(find_numbers(s, like));
    BN_TRY(bn_has(s->g, BONSAI_SECTION_FEATURE_OFFSETS) ? scale_sparse(s) : scale_dense(s));
    BN_TRY(bonsai_graph_verify(s->out));
done:
    return rc;
}

/* Whether g is to be scaled by the numbers of like. */
static bool is_behind(const bonsai_graph *g, const bonsai_graph *like)
{
    return bn_has(like, BONSAI_SECTION_FEATURE_MEAN) && !bn_has(g, BONSAI_SECTION_FEATURE_MEAN) &&
           g->view.features == like->view.features;
}

bonsai_status bonsai_graph_standardise(bonsai_graph **out, const bonsai_graph *g,
                                       const bonsai_graph *like)
{
    bonsai_status rc;
    scaling s = {.g = g};
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    if (like ? !is_behind(g, like) : g->view.features == 0 || g->view.nodes == 0)
        return BONSAI_OK;
    if (!like && bn_has(g, BONSAI_SECTION_FEATURE_MEAN))
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its columns of features are scaled "
                          "already, by the mean and spread that it records");
    if (like)
        BN_TRY(bn_graph_need(like, BN_ALL_SECTIONS, 0));
    BN_TRY(scale(&s, like));
    *out = s.out;
    s.out = NULL;
done:
    bonsai_graph_free(s.out);
    bn_free(s.centred);
    bn_free(s.index);
    bn_free(s.value);
    return rc;
}
