/* features.c -- reads the features, label and part of a node in any encoding, and what a node of a
 * condensed graph represents.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"

bn_csr bn_features_csr(const bonsai_graph *g)
{
    const bonsai_view *v = &g->view;
    bn_csr x = {v->nodes, v->features, v->section[BONSAI_SECTION_FEATURE_OFFSETS],
                v->section[BONSAI_SECTION_FEATURE_INDICES],
                v->section[BONSAI_SECTION_FEATURE_VALUES],
                v->section[BONSAI_SECTION_FEATURE_SCALE].data};
    return x;
}

double bn_features_work(const bonsai_graph *g, int64_t nodes)
{
    const bonsai_view *v = &g->view;
    if (!bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS) || v->nodes == 0)
        return (double)nodes * (double)v->features;
    return (double)nodes * 4 * (double)v->section[BONSAI_SECTION_FEATURE_INDICES].count /
           (double)v->nodes;
}

int64_t bn_row_room(const bonsai_graph *g)
{
    return bn_row_room_in(g, 0, g->view.nodes);
}

int64_t bn_row_room_in(const bonsai_graph *g, int64_t begin, int64_t end)
{
    const bonsai_array *offsets = &g->view.section[BONSAI_SECTION_FEATURE_OFFSETS];
    int64_t room = 0;
    if (!offsets->data)
        return begin < end ? g->view.features : 0;
    for (int64_t v = begin; v < end; v++) {
        int64_t len = bn_int_at(offsets, v + 1) - bn_int_at(offsets, v);
        room = len > room ? len : room;
    }
    return room;
}

static int64_t sparse_row(int32_t *index, float *value, const bonsai_graph *g, int64_t node)
{
    const bn_csr x = bn_features_csr(g);
    int64_t count = 0, end = bn_int_at(&x.offsets, node + 1);
    for (int64_t e = bn_int_at(&x.offsets, node); e < end; e++) {
        float v = bn_csr_value(&x, node, e);
        if (bn_is_zero(v))
            continue;
        index[count] = (int32_t)bn_int_at(&x.indices, e);
        value[count++] = v;
    }
    return count;
}

/* Gets the non-zeros of a row of floats: skips zeros many at a time, else without a branch. */
static int64_t float_row(int32_t *index, float *value, const float *row, int64_t f)
{
    enum { RUN = 32 };
    int64_t count = 0;
    for (int64_t first = 0; first < f; first += RUN) {
        int64_t end = bn_least(first + RUN, f);
        uint32_t any = 0;
#pragma omp simd reduction(|:any)
        for (int64_t j = first; j < end; j++) {
            uint32_t bits;
            memcpy(&bits, &row[j], sizeof bits);
            any |= bits;
        }
        for (int64_t j = first; any && j < end; j++) {
            index[count] = (int32_t)j;
            value[count] = row[j];
            count += !bn_is_zero(row[j]);
        }
    }
    return count;
}

static int64_t dense_row(int32_t *index, float *value, const bonsai_graph *g, int64_t node)
{
    const bonsai_array *x = &g->view.section[BONSAI_SECTION_FEATURES];
    const float *scale = g->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    int64_t f = g->view.features, count = 0;
    if (x->type == BONSAI_TYPE_F32 && !scale)
        return float_row(index, value, (const float *)x->data + node * f, f);
    for (int64_t j = 0; j < f; j++) {
        float v = bn_real_at(x, node * f + j);
        if (scale)
            v *= scale[node];
        if (bn_is_zero(v))
            continue;
        index[count] = (int32_t)j;
        value[count++] = v;
    }
    return count;
}

int64_t bn_row_get(int32_t *index, float *value, const bonsai_graph *g, int64_t node)
{
    if (bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS))
        return sparse_row(index, value, g, node);
    if (bn_has(g, BONSAI_SECTION_FEATURES))
        return dense_row(index, value, g, node);
    return 0;
}

void bn_row_whole(float *out, const bonsai_graph *g, int64_t node)
{
    const bonsai_array *x = &g->view.section[BONSAI_SECTION_FEATURES];
    const float *scale = g->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    int64_t f = g->view.features;
    if (x->data && x->type == BONSAI_TYPE_F32)
        memcpy(out, (const float *)x->data + node * f, (size_t)f * sizeof *out);
    else if (x->data)
        for (int64_t j = 0; j < f; j++)
            out[j] = scale ? scale[node] * bn_real_at(x, node * f + j)
                           : bn_real_at(x, node * f + j);
    else {
        memset(out, 0, (size_t)f * sizeof *out);
        if (!bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS))
            return;
        const bn_csr s = bn_features_csr(g);
        int64_t end = bn_int_at(&s.offsets, node + 1);
        for (int64_t e = bn_int_at(&s.offsets, node); e < end; e++)
            out[bn_int_at(&s.indices, e)] = bn_csr_value(&s, node, e);
    }
}

int32_t bn_label(const bonsai_graph *g, int64_t node)
{
    const bonsai_array *a = &g->view.section[BONSAI_SECTION_LABELS];
    if (!a->data)
        return -1;
    int64_t label = bn_int_at(a, node), unknown = (1ll << 8 * bonsai_type_bytes(a->type)) - 1;
    return label == unknown ? -1 : (int32_t)label;
}

/* ---- getters for callers, who may not have verified what they read ---- */

/* Returns whether the sections first .. last are valid, verifying a file once.  If not, its getters
 * return nothing, and bonsai_error() says why. */
static bool is_sound(const bonsai_graph *g, int first, int last)
{
    uint32_t mask = 0;
    for (int s = first; s <= last; s++)
        if (bn_has(g, s) && !atomic_load(&g->verified[s]))
            mask |= BN_BIT(s);
    if (mask == 0)
        return true;
    if (atomic_load(&g->unsound))
        return false;
    const bonsai_status rc = bn_graph_need(g, mask, 0);
    if (rc == BONSAI_E_FORMAT || rc == BONSAI_E_ARGUMENT)
        atomic_store(&((bonsai_graph *)(uintptr_t)g)->unsound, 1);
    return rc == BONSAI_OK;
}

void bonsai_graph_row(float *out, const bonsai_graph *g, int64_t node)
{
    if (is_sound(g, BONSAI_SECTION_FEATURES, BONSAI_SECTION_FEATURE_SCALE))
        bn_row_whole(out, g, node);
    else
        memset(out, 0, (size_t)g->view.features * sizeof *out);
}

int32_t bonsai_graph_label(const bonsai_graph *g, int64_t node)
{
    return is_sound(g, BONSAI_SECTION_LABELS, BONSAI_SECTION_LABELS) ? bn_label(g, node) : -1;
}

/* ---- what a node of a condensed graph represents ---- */

double bn_soft_share(const bonsai_graph *g, int64_t node, int64_t label)
{
    const bonsai_array *soft = &g->view.section[BONSAI_SECTION_SOFT_LABELS];
    if (!soft->data)
        return bn_label(g, node) == label;
    return (double)bn_real_at(soft, node * g->view.classes + label) /
           (soft->type == BONSAI_TYPE_U8 ? 255 : 1);
}

void bonsai_graph_soft_label(float *out, const bonsai_graph *g, int64_t node)
{
    const bool sound = is_sound(g, BONSAI_SECTION_LABELS, BONSAI_SECTION_SOFT_LABELS);
    for (int64_t c = 0; c < g->view.classes; c++)
        out[c] = sound ? (float)bn_soft_share(g, node, c) : 0;
}

double bonsai_graph_weight(const bonsai_graph *g, int64_t node)
{
    const bonsai_array *weight = &g->view.section[BONSAI_SECTION_NODE_WEIGHTS];
    const bool there = weight->data &&
                       is_sound(g, BONSAI_SECTION_NODE_WEIGHTS, BONSAI_SECTION_NODE_WEIGHTS);
    return there ? (double)bn_real_at(weight, node) : 1;
}

int64_t bonsai_graph_origin(const bonsai_graph *g, int64_t node)
{
    const bonsai_array *origin = &g->view.section[BONSAI_SECTION_ORIGIN];
    const bool there = origin->data && is_sound(g, BONSAI_SECTION_ORIGIN, BONSAI_SECTION_ORIGIN);
    return there ? bn_int_at(origin, node) : -1;
}

const int32_t *bonsai_graph_members(int64_t *count, const bonsai_graph *g, int64_t node)
{
    const bonsai_array *offsets = &g->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    const int32_t *members = g->view.section[BONSAI_SECTION_MEMBERS].data;
    *count = 0;
    if (!members || !is_sound(g, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_SECTION_MEMBERS))
        return NULL;
    const int64_t first = bn_int_at(offsets, node);
    *count = bn_int_at(offsets, node + 1) - first;
    return members + first;
}

const char *bonsai_graph_class_name(const bonsai_graph *g, int64_t label)
{
    return label >= 0 && label < g->view.classes &&
                   is_sound(g, BONSAI_SECTION_CLASS_NAMES, BONSAI_SECTION_CLASS_NAMES)
               ? bn_name_at(&g->view.section[BONSAI_SECTION_CLASS_NAMES], label) : NULL;
}

const char *bonsai_graph_feature_name(const bonsai_graph *g, int64_t feature)
{
    return feature >= 0 && feature < g->view.features &&
                   is_sound(g, BONSAI_SECTION_FEATURE_NAMES, BONSAI_SECTION_FEATURE_NAMES)
               ? bn_name_at(&g->view.section[BONSAI_SECTION_FEATURE_NAMES], feature) : NULL;
}

bonsai_part bn_part(const bonsai_graph *g, int64_t node)
{
    const uint8_t *split = g->view.section[BONSAI_SECTION_SPLIT].data;
    return split ? (bonsai_part)split[node] : BONSAI_PART_NONE;
}

bonsai_status bonsai_graph_mean(double *mean, const bonsai_graph *g)
{
    bonsai_status rc;
    int32_t *index = NULL;
    float *value = NULL;
    if (bn_is_null(mean, "out") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    memset(mean, 0, (size_t)g->view.features * sizeof *mean);
    BN_TRY(bn_graph_need(g, BN_FEATURE_SECTIONS, 0));
    BN_TRY(BN_NEW(&index, bn_row_room(g)));
    BN_TRY(BN_NEW(&value, bn_row_room(g)));
    for (int64_t v = 0; v < g->view.nodes; v++) {
        int64_t count = bn_row_get(index, value, g, v);
        for (int64_t i = 0; i < count; i++)
            mean[index[i]] += (double)value[i];
    }
    for (int64_t j = 0; j < g->view.features && g->view.nodes > 0; j++)
        mean[j] /= (double)g->view.nodes;
done:
    bn_free(index);
    bn_free(value);
    return rc;
}
