/* draft.c -- turns the data of a reader into a graph that satisfies every check.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "options/options.h"

bonsai_status bn_draft_new(bn_draft *d, const char *where)
{
    memset(d, 0, sizeof *d);
    d->nodes = -1;
    return bn_graph_new(&d->g, where);
}

bonsai_status bn_draft_array(void *out, bn_draft *d, bonsai_section s, bonsai_type t,
                             int64_t count)
{
    return bn_graph_array(out, d->g, s, t, count);
}

bonsai_status bn_draft_give(bn_draft *d, bonsai_section s, bonsai_type t, void **data,
                            int64_t count)
{
    void *room;
    if (!*data)
        return bn_draft_array(&room, d, s, t, count);
    bn_free(d->g->owned[s]);
    d->g->owned[s] = *data;
    d->g->view.section[s] = (bonsai_array){*data, count, t};
    *data = NULL;
    return BONSAI_OK;
}

bonsai_status bn_draft_edge(bn_draft *d, int32_t u, int32_t v, const float *weight)
{
    bonsai_status rc;
    BN_TRY(bn_grow((void **)&d->source, &d->room[0], d->m + 1, sizeof *d->source));
    BN_TRY(bn_grow((void **)&d->target, &d->room[1], d->m + 1, sizeof *d->target));
    if (weight) {
        BN_TRY(bn_grow((void **)&d->weight, &d->room[2], d->m + 1, sizeof *d->weight));
        d->weight[d->m] = *weight;
    }
    d->source[d->m] = u;
    d->target[d->m++] = v;
done:
    return rc;
}

void bn_draft_free(bn_draft *d)
{
    bonsai_graph_free(d->g);
    bn_free(d->source);
    bn_free(d->target);
    bn_free(d->weight);
    memset(d, 0, sizeof *d);
}

typedef struct { int32_t index; float value; } entry;

static int by_index(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;  /* sums must not depend on order */
}

static bool row_is_sorted(const int32_t *index, const float *value, int64_t len)
{
    for (int64_t i = 0; i < len; i++)
        if ((i > 0 && index[i] <= index[i - 1]) || (value && bn_is_zero(value[i])))
            return false;
    return true;
}

/* Sorts and merges one row in place; returns its new length. */
static int64_t sort_row(int32_t *index, float *value, int64_t len, entry *room,
                        bonsai_read_info *info)
{
    for (int64_t i = 0; i < len; i++)
        room[i] = (entry){index[i], value ? value[i] : 1.0f};
    qsort(room, (size_t)len, sizeof *room, by_index);
    int64_t kept = 0;
    for (int64_t i = 0, end; i < len; i = end) {
        double sum = (double)room[i].value;
        for (end = i + 1; end < len && room[end].index == room[i].index; end++)
            sum += (double)room[end].value;
        info->feature_repeated += end - i - 1;
        float v = end - i == 1 ? room[i].value : (float)sum;
        if (value && bn_is_zero(v)) {
            info->feature_zeros++;
            continue;
        }
        index[kept] = room[i].index;
        if (value)
            value[kept] = v;
        kept++;
    }
    return kept;
}

/* Sorts each sparse row, sums repeated features and drops zeros, in place.  bn_section_check later
 * refuses ids out of range. */
static bonsai_status sort_features(bonsai_graph *g)
{
    bonsai_status rc = BONSAI_OK;
    entry *room = NULL;
    uint64_t *offsets = g->owned[BONSAI_SECTION_FEATURE_OFFSETS];
    int32_t *index = g->owned[BONSAI_SECTION_FEATURE_INDICES];
    float *value = g->owned[BONSAI_SECTION_FEATURE_VALUES];
    int64_t n = g->view.nodes, longest = 0, kept = 0;
    if (!offsets)
        return BONSAI_OK;
    BN_TRY(bn_section_check(&g->view, BONSAI_SECTION_FEATURE_OFFSETS, g->where, 1));
    for (int64_t v = 0; v < n; v++) {
        int64_t len = (int64_t)(offsets[v + 1] - offsets[v]);
        longest = len > longest ? len : longest;
    }
    BN_TRY(BN_NEW(&room, longest));
    for (int64_t v = 0, begin = 0; v < n; v++) {
        int64_t end = (int64_t)offsets[v + 1], len = end - begin;
        float *values = value ? value + begin : NULL;
        if (!row_is_sorted(index + begin, values, len))
            len = sort_row(index + begin, values, len, room, &g->info);
        if (kept != begin && len > 0) {
            memmove(index + kept, index + begin, (size_t)len * sizeof *index);
            if (value)
                memmove(value + kept, value + begin, (size_t)len * sizeof *value);
        }
        kept += len;
        begin = end;
        offsets[v + 1] = (uint64_t)kept;
    }
    g->view.section[BONSAI_SECTION_FEATURE_INDICES].count = kept;
    if (value)
        g->view.section[BONSAI_SECTION_FEATURE_VALUES].count = kept;
done:
    bn_free(room);
    return rc;
}

/* Gives values to repeated features without values, so that their sum is kept. */
static bonsai_status give_values(bonsai_graph *g)
{
    float *value;
    const bonsai_array *index = &g->view.section[BONSAI_SECTION_FEATURE_INDICES];
    if (!index->data || bn_has(g, BONSAI_SECTION_FEATURE_VALUES))
        return BONSAI_OK;
    const uint64_t *offsets = g->owned[BONSAI_SECTION_FEATURE_OFFSETS];
    const int32_t *id = index->data;
    bool repeated = false;
    if (offsets[g->view.nodes] != (uint64_t)index->count)
        return BONSAI_OK;                       /* refused later, with an error message */
    for (int64_t v = 0; v < g->view.nodes && !repeated; v++)
        for (uint64_t e = offsets[v] + 1; e < offsets[v + 1] && e < (uint64_t)index->count; e++)
            repeated |= id[e] <= id[e - 1];     /* unsorted, so maybe repeated */
    if (!repeated)
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&value, g, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32,
                                      index->count);
    for (int64_t i = 0; rc == BONSAI_OK && i < index->count; i++)
        value[i] = 1.0f;
    return rc;
}

static void drop_values_of_one(bonsai_graph *g)
{
    bonsai_array *a = &g->view.section[BONSAI_SECTION_FEATURE_VALUES];
    const float *value = a->data;
    for (int64_t i = 0; i < a->count; i++)
        if (value[i] != 1.0f)
            return;
    bn_free(g->owned[BONSAI_SECTION_FEATURE_VALUES]);
    g->owned[BONSAI_SECTION_FEATURE_VALUES] = NULL;
    *a = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
}

static int64_t largest_id(const bn_draft *d)
{
    int64_t largest = -1;
    for (int64_t i = 0; i < d->m; i++) {
        largest = d->source[i] > largest ? d->source[i] : largest;
        largest = d->target[i] > largest ? d->target[i] : largest;
    }
    return largest;
}

static void count_classes(bn_draft *d)
{
    const int32_t *label = d->g->owned[BONSAI_SECTION_LABELS];
    for (int64_t v = 0; label && v < d->g->view.section[BONSAI_SECTION_LABELS].count; v++)
        if (label[v] >= d->classes)
            d->classes = (int64_t)label[v] + 1;
}

static bonsai_status lay_edges(bonsai_graph *g, int64_t m, const int32_t *source,
                               const int32_t *target, const float *weight,
                               const bonsai_read_options *o)
{
    bn_adjacent a;
    bonsai_status rc = bn_adjacent_build(&a, &g->view.flags, &g->info, g->where, g->view.nodes, m,
                                         source, target, weight, o);
    if (rc != BONSAI_OK)
        return rc;
    g->owned[BONSAI_SECTION_OFFSETS] = a.offsets;
    g->owned[BONSAI_SECTION_NEIGHBORS] = a.neighbors;
    g->owned[BONSAI_SECTION_EDGE_WEIGHTS] = a.weights;
    g->view.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){a.offsets, a.n + 1, BONSAI_TYPE_U64};
    g->view.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){a.neighbors, a.m, BONSAI_TYPE_U32};
    if (a.weights)
        g->view.section[BONSAI_SECTION_EDGE_WEIGHTS] =
            (bonsai_array){a.weights, a.m, BONSAI_TYPE_F32};
    atomic_store(&g->verified[0], 1);           /* lists built here are right, */
    atomic_store(&g->verified[BONSAI_SECTION_OFFSETS], 1);      /* but sums may overflow */
    atomic_store(&g->verified[BONSAI_SECTION_NEIGHBORS], 1);
    return BONSAI_OK;
}

static bonsai_status check_node_count(const bonsai_graph *g)
{
    if (g->view.nodes >= 0 && g->view.nodes <= INT32_MAX)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_FORMAT, g->where, "%lld nodes; the number must be in 0..%d",
                      (long long)g->view.nodes, INT32_MAX);
}

bonsai_status bn_draft_finish(bonsai_graph **out, bn_draft *d, const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_graph *g = d->g;
    bonsai_read_options o = *given;
    *out = NULL;
    o.keep_directed |= (d->keep & BONSAI_FLAG_DIRECTED) != 0;
    o.keep_self_loops |= (d->keep & BONSAI_FLAG_SELF_LOOPS) != 0;
    o.keep_repeated |= (d->keep & BONSAI_FLAG_REPEATED) != 0;
    g->view.flags = d->keep & BONSAI_FLAG_OPERATOR;
    if (d->classes == 0)
        count_classes(d);
    g->view.nodes = d->nodes >= 0 ? d->nodes : largest_id(d) + 1;
    g->view.features = d->features;
    g->view.classes = d->classes;
    BN_TRY(check_node_count(g));
    BN_TRY(lay_edges(g, d->m, d->source, d->target, d->weight, &o));
    bn_free(d->source);
    bn_free(d->target);
    bn_free(d->weight);
    d->source = d->target = NULL;
    d->weight = NULL;
    BN_TRY(bn_view_shape(&g->view, g->where));
    BN_TRY(give_values(g));
    BN_TRY(sort_features(g));
    drop_values_of_one(g);
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, o.threads));
    *out = g;
    d->g = NULL;
done:
    return rc;
}

bonsai_status bonsai_graph_build(bonsai_graph **out, const bonsai_view *v, int64_t m,
                                 const int32_t *source, const int32_t *target,
                                 const float *weight, const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    const bonsai_view empty = {.size = sizeof empty};
    bonsai_view full;
    if (BN_NO_PLACE(out) || bn_is_null(v, "the view"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_count_check(m, "edges"));
    if (m > 0 && (!source || !target))
        return bn_fail(BONSAI_E_ARGUMENT, "%lld edges, but no source or target", (long long)m);
    BN_TRY(BN_OPTIONS(&o, given, read));
    BN_TRY(bn_options_merge(&full, &empty, sizeof empty, v, "bonsai_view"));
    bn_factors_drop(&full);
    if (full.section[BONSAI_SECTION_OFFSETS].data || full.section[BONSAI_SECTION_NEIGHBORS].data ||
        full.section[BONSAI_SECTION_EDGE_WEIGHTS].data) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "the view has an adjacency, and edges were given too");
        goto done;
    }
    BN_TRY(bn_graph_new(&g, "graph"));
    g->view.nodes = full.nodes;
    g->view.features = full.features;
    g->view.classes = full.classes;
    g->view.flags = full.flags & BONSAI_FLAG_OPERATOR;
    BN_TRY(check_node_count(g));
    BN_TRY(lay_edges(g, m, source, target, weight, &o));
    full.section[BONSAI_SECTION_OFFSETS] = g->view.section[BONSAI_SECTION_OFFSETS];
    full.section[BONSAI_SECTION_NEIGHBORS] = g->view.section[BONSAI_SECTION_NEIGHBORS];
    full.section[BONSAI_SECTION_EDGE_WEIGHTS] = g->view.section[BONSAI_SECTION_EDGE_WEIGHTS];
    full.flags = g->view.flags;
    BN_TRY(bn_view_shape(&full, g->where));
    for (int s = BONSAI_SECTION_EDGE_WEIGHTS + 1; s < BONSAI_SECTION_COUNT; s++)
        BN_TRY(bn_graph_copy(g, &full, s));
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, o.threads));
done:
    return bn_blame_caller(bn_graph_give(out, g, rc));
}

/* Stores both ends of m edges in 32 bits; *bad: the first edge that does not fit, or m. */
static bonsai_status narrow(int32_t **out, int64_t *bad, const int64_t *const end[2], int64_t m,
                            int threads)
{
    bonsai_status rc;
    int64_t first = m;
    BN_TRY(BN_NEW(&out[0], m));
    BN_TRY(BN_NEW(&out[1], m));
    const double work = 4.0 * (double)m;
#pragma omp parallel for num_threads(bn_team(bn_threads(threads), work)) schedule(static) \
    reduction(min : first)
    for (int64_t i = 0; i < m; i++)
        for (int side = 0; side < 2; side++) {
            out[side][i] = (int32_t)end[side][i];
            if (out[side][i] != end[side][i])
                first = i < first ? i : first;
        }
    *bad = first;
done:
    return rc;
}

bonsai_status bonsai_graph_build64(bonsai_graph **out, const bonsai_view *v, int64_t m,
                                   const int64_t *source, const int64_t *target,
                                   const float *weight, const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_read_options o;
    int32_t *end[2] = {NULL, NULL};
    int64_t bad = m;
    if (BN_NO_PLACE(out) || bn_is_null(v, "the view"))
        return BONSAI_E_ARGUMENT;
    if (m <= 0 || !source || !target)
        return bonsai_graph_build(out, v, m, NULL, NULL, weight, given);
    BN_TRY(BN_OPTIONS(&o, given, read));
    BN_TRY(narrow(end, &bad, (const int64_t *const[2]){source, target}, m, o.threads));
    if (bad < m) {
        const bool first = source[bad] != (int32_t)source[bad];
        bn_edge_outside("graph", bad, first ? source[bad] : target[bad], v->nodes);
        rc = BONSAI_E_ARGUMENT;                 /* not a file's fault */
        goto done;
    }
    BN_TRY(bonsai_graph_build(out, v, m, end[0], end[1], weight, given));
done:
    bn_free(end[0]);
    bn_free(end[1]);
    return rc;
}
