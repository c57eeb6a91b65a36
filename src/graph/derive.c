/* derive.c -- makes new graphs from old ones: another split, an induced subgraph; finds nodes by
 * their numbers in the original graph.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/slotmap.h"
#include "graph.h"

bonsai_status bn_graph_derive(bonsai_graph **out, const bonsai_graph *g, uint32_t mask)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    BN_TRY(bn_graph_need(g, mask, 0));
    BN_TRY(bn_graph_new(&child, g->where));
    child->view.nodes = g->view.nodes;
    child->view.features = g->view.features;
    child->view.classes = g->view.classes;
    child->view.flags = g->view.flags;
    child->spanned = g->spanned;
    if (!(mask & BN_BIT(BONSAI_SECTION_COORDINATES))) {
        child->view.flags &= ~(uint64_t)BONSAI_FLAG_COORDINATES;
        child->spanned = 0;
    }
    child->info = g->info;
    bn_graph_borrow(child, g, mask);
done:
    return bn_graph_give(out, child, rc);
}

/* ---- split ---- */

bool bn_split_is_asked(const double percent[3])
{
    return percent[0] != 0 || percent[1] != 0 || percent[2] != 0;
}

bool bn_split_is_own(const double percent[3])
{
    return percent[0] == -1 && percent[1] == -1 && percent[2] == -1;
}

static bonsai_status check_percent(const double percent[3])
{
    double sum = 0;
    if (bn_split_is_own(percent))
        return bn_fail(BONSAI_E_ARGUMENT, "a graph's own split is not drawn");
    for (int i = 0; i < 3; i++) {
        if (!(percent[i] >= 0 && percent[i] <= 100))
            return bn_fail(BONSAI_E_ARGUMENT, "a share of %g %% is not in 0..100", percent[i]);
        sum += percent[i];
    }
    if (sum > 100 + 1e-9)
        return bn_fail(BONSAI_E_ARGUMENT, "the shares %g/%g/%g sum to more than 100", percent[0],
                       percent[1], percent[2]);
    return BONSAI_OK;
}

bonsai_status bn_graph_resplit(bonsai_graph **out, uint8_t **split, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    *out = NULL;
    BN_TRY(bn_graph_derive(&child, g, BN_ALL_SECTIONS & ~BN_BIT(BONSAI_SECTION_SPLIT)));
    BN_TRY(bn_graph_array(split, child, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, g->view.nodes));
    atomic_store(&child->verified[BONSAI_SECTION_SPLIT], 1);
done:
    return bn_graph_give(out, child, rc);
}

int bonsai_split_named(double percent[3], const char *name)
{
    static const struct { const char *name; double percent[3]; } known[] = {
        {"own", {-1, -1, -1}}, {"random", {60, 20, 20}}, {"published", {56, 24, 20}}};
    for (size_t i = 0; percent && name && i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            memcpy(percent, known[i].percent, sizeof known[i].percent);
            return 1;
        }
    return 0;
}

int64_t bn_split_end(int64_t labelled, double percent)
{
    return (int64_t)((double)labelled * percent / 100 + 0.5);
}

bonsai_status bonsai_graph_split(bonsai_graph **out, const bonsai_graph *g,
                                 const double percent[3], uint64_t seed)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    int32_t *order = NULL;
    uint8_t *split;
    int64_t labelled = 0;
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph") || bn_is_null(percent, "percent"))
        return BONSAI_E_ARGUMENT;
    const int64_t n = g->view.nodes;
    BN_TRY(check_percent(percent));
    BN_TRY(bn_graph_resplit(&child, &split, g));
    BN_TRY(BN_NEW(&order, n));
    for (int64_t v = 0; v < n; v++)
        if (bn_label(g, v) >= 0)
            order[labelled++] = (int32_t)v;
    if (labelled == 0) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, g->where, "no node has a label, so there is nothing to "
                        "split");
        goto done;
    }
    bn_rng_shuffle(order, labelled, seed);
    double share = 0;
    for (int64_t part = 0, i = 0; part < 3; part++) {
        share += percent[part];
        const int64_t end = bn_split_end(labelled, share);
        for (; i < end && i < labelled; i++)
            split[order[i]] = (uint8_t)(part + BONSAI_PART_TRAIN);
    }
done:
    bn_free(order);
    return bn_graph_give(out, child, rc);
}

/* ---- induced subgraph ---- */

typedef struct {
    const bonsai_graph *g;
    bonsai_graph *out;
    const int32_t *nodes;       /* of the rows to make */
    int64_t count;
    int64_t first;              /* position of nodes[0] among all nodes */
    bn_slotmap place;             /* new ids of all nodes */
} inducing;

static bonsai_status place_nodes(inducing *in, const int32_t *all, int64_t count)
{
    bonsai_status rc;
    int64_t n = in->g->view.nodes;
    BN_TRY(bn_slotmap_new(&in->place, n));
    BN_TRY(bn_slotmap_reserve(&in->place, count));
    for (int64_t i = 0; i < count; i++) {
        int32_t v = all[i];
        if (v < 0 || v >= n)
            return bn_fail(BONSAI_E_ARGUMENT, "node %d is outside 0..%lld", v, (long long)n - 1);
        if (bn_slotmap_find(&in->place, v) >= 0)
            return bn_fail(BONSAI_E_ARGUMENT, "node %d is listed twice", v);
        bn_slotmap_add(&in->place, v);
    }
done:
    return rc;
}

typedef struct { int32_t id; float weight; int64_t entry; } arc;

/* Collects the kept neighbours of one row, in their old order. */
static int64_t induced_row(arc *row, const inducing *in, int64_t i)
{
    const int32_t *to = bn_neighbors(in->g);
    const float *w = in->g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    int64_t count = 0, v = in->nodes[i], end = bn_row_begin(in->g, v + 1);
    for (int64_t e = bn_row_begin(in->g, v); e < end; e++) {
        int64_t place = bn_slotmap_find(&in->place, to[e]);
        if (place >= 0)
            row[count++] = (arc){(int32_t)place, w ? w[e] : 1.0f, e};
    }
    return count;
}

/* Keeps repeated entries in order; else a symmetric graph would lose its symmetry. */
static bool before(const arc *a, const arc *b)
{
    return a->id != b->id ? a->id < b->id : a->entry < b->entry;
}

static void sort_arcs(arc *a, int64_t count)
{
    for (int64_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)   /* Shell's sort */
        for (int64_t i = gap; i < count; i++) {
            arc t = a[i];
            int64_t j = i;
            for (; j >= gap && before(&t, &a[j - gap]); j -= gap)
                a[j] = a[j - gap];
            a[j] = t;
        }
}

static bonsai_status induce_edges(inducing *in)
{
    bonsai_status rc;
    uint64_t *offsets;
    int32_t *neighbors;
    float *weights = NULL;
    arc *row = NULL;
    int64_t longest = 0, total = 0;
    BN_TRY(bn_graph_array(&offsets, in->out, BONSAI_SECTION_OFFSETS, BONSAI_TYPE_U64,
                          in->count + 1));
    for (int64_t i = 0; i < in->count; i++) {
        int64_t v = in->nodes[i], degree = bn_row_begin(in->g, v + 1) - bn_row_begin(in->g, v);
        longest = degree > longest ? degree : longest;
    }
    BN_TRY(BN_NEW(&row, longest));
    for (int64_t i = 0; i < in->count; i++) {
        total += induced_row(row, in, i);
        offsets[i + 1] = (uint64_t)total;
    }
    BN_TRY(bn_graph_array(&neighbors, in->out, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, total));
    if (bn_has(in->g, BONSAI_SECTION_EDGE_WEIGHTS))
        BN_TRY(bn_graph_array(&weights, in->out, BONSAI_SECTION_EDGE_WEIGHTS, BONSAI_TYPE_F32,
                              total));
    for (int64_t i = 0; i < in->count; i++) {
        int64_t count = induced_row(row, in, i), at = (int64_t)offsets[i];
        sort_arcs(row, count);
        for (int64_t j = 0; j < count; j++) {
            neighbors[at + j] = row[j].id;
            if (weights)
                weights[at + j] = row[j].weight;
        }
    }
done:
    bn_free(row);
    return rc;
}

/* Copies the rows of a section of n rows of `width` elements. */
static bonsai_status induce_rows(inducing *in, bonsai_section s, int64_t width)
{
    const bonsai_array *a = &in->g->view.section[s];
    uint8_t *to;
    if (!a->data)
        return BONSAI_OK;
    size_t bytes = (size_t)width * bonsai_type_bytes(a->type);
    bonsai_status rc = bn_graph_array(&to, in->out, s, a->type, in->count * width);
    for (int64_t i = 0; rc == BONSAI_OK && i < in->count; i++)
        memcpy(to + (size_t)i * bytes, (const uint8_t *)a->data + (size_t)in->nodes[i] * bytes,
               bytes);
    return rc;
}

/* Copies lists: offsets, and one or two sections of elements. */
static bonsai_status induce_lists(inducing *in, bonsai_section offset_section, bonsai_section first,
                                  bonsai_section second)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_array *from = &in->g->view.section[offset_section];
    uint64_t *offsets;
    if (!from->data)
        return BONSAI_OK;
    BN_TRY(bn_graph_array(&offsets, in->out, offset_section, BONSAI_TYPE_U64, in->count + 1));
    for (int64_t i = 0; i < in->count; i++)
        offsets[i + 1] = offsets[i] + (uint64_t)(bn_int_at(from, in->nodes[i] + 1) -
                                                 bn_int_at(from, in->nodes[i]));
    const bonsai_section sections[2] = {first, second};
    for (int k = 0; k < 2; k++) {
        const bonsai_array *a = &in->g->view.section[sections[k]];
        uint8_t *to;
        if (!a->data)
            continue;
        size_t item = bonsai_type_bytes(a->type);
        BN_TRY(bn_graph_array(&to, in->out, sections[k], a->type, (int64_t)offsets[in->count]));
        for (int64_t i = 0; i < in->count; i++)
            memcpy(to + offsets[i] * item,
                   (const uint8_t *)a->data + (size_t)bn_int_at(from, in->nodes[i]) * item,
                   (size_t)(offsets[i + 1] - offsets[i]) * item);
    }
done:
    return rc;
}

static bonsai_status induce_names(inducing *in)
{
    bonsai_status rc;
    const bonsai_array *a = &in->g->view.section[BONSAI_SECTION_NODE_NAMES];
    const char *name = a->data;
    const char **start = NULL;
    char *to;
    int64_t total = 0;
    if (!name)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&start, in->count));
    for (int64_t v = 0; v < in->g->view.nodes; v++, name += strlen(name) + 1) {
        int64_t i = bn_slotmap_find(&in->place, (int32_t)v) - in->first;
        if (i >= 0 && i < in->count)
            start[i] = name;
    }
    for (int64_t i = 0; i < in->count; i++)
        total += (int64_t)strlen(start[i]) + 1;
    BN_TRY(bn_graph_array(&to, in->out, BONSAI_SECTION_NODE_NAMES, BONSAI_TYPE_U8, total));
    for (int64_t i = 0; i < in->count; i++, to += strlen(to) + 1)
        strcpy(to, start[i]);
done:
    bn_free(start);
    return rc;
}

static bonsai_status induce_origin(inducing *in)
{
    int32_t *origin;
    if (bn_has(in->g, BONSAI_SECTION_ORIGIN))
        return induce_rows(in, BONSAI_SECTION_ORIGIN, 1);
    bonsai_status rc = bn_graph_array(&origin, in->out, BONSAI_SECTION_ORIGIN, BONSAI_TYPE_U32,
                                      in->count);
    if (rc == BONSAI_OK && in->count > 0)
        memcpy(origin, in->nodes, (size_t)in->count * sizeof *origin);
    return rc;
}

void bn_usual_split(double percent[3], const bonsai_graph *g)
{
    const double usual[3] = {60, 20, 20}, all[3] = {100, 0, 0};
    memcpy(percent, bn_has(g, BONSAI_SECTION_ROLE) ? all : usual, sizeof usual);
}

bonsai_status bn_graph_parts(bonsai_graph **out, const bonsai_graph *g, double percent[3],
                             uint64_t seed)
{
    bool own = bn_split_is_own(percent), asked = bn_split_is_asked(percent);
    *out = NULL;
    if (own)
        memset(percent, 0, 3 * sizeof *percent);
    if ((own || !asked) && bn_has(g, BONSAI_SECTION_SPLIT))
        return BONSAI_OK;
    if (own)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has no split of its own; a split such as "
                          "60/20/20 draws one");
    if (!asked)
        bn_usual_split(percent, g);
    bonsai_status rc = bonsai_graph_split(out, g, percent, seed);
    if (rc == BONSAI_OK)
        (*out)->drawn = g->drawn || !bn_has(g, BONSAI_SECTION_SPLIT);
    return rc;
}

bonsai_status bn_graph_induce_part(bonsai_graph **out, const bonsai_graph *g, const int32_t *nodes,
                                   int64_t count, int64_t begin, int64_t end)
{
    bonsai_status rc;
    inducing in = {.g = g, .nodes = nodes + begin, .count = end - begin, .first = begin};
    *out = NULL;
    if ((g->view.flags & BONSAI_FLAG_OPERATOR) && count < g->view.nodes)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its edge weights are an operator of all of "
                          "its nodes, which some of them cannot have");
    BN_TRY(bn_graph_derive(&in.out, g, BN_BIT(BONSAI_SECTION_CLASS_NAMES) |
                                           BN_BIT(BONSAI_SECTION_FEATURE_NAMES) |
                                           BN_BIT(BONSAI_SECTION_KEPT_FEATURES) |
                                           BN_BIT(BONSAI_SECTION_FEATURE_MEAN) |
                                           BN_BIT(BONSAI_SECTION_FEATURE_SPREAD)));
    in.out->view.nodes = in.count;
    BN_TRY(place_nodes(&in, nodes, count));
    BN_TRY(induce_edges(&in));
    BN_TRY(induce_rows(&in, BONSAI_SECTION_FEATURES, g->view.features));
    BN_TRY(induce_rows(&in, BONSAI_SECTION_SOFT_LABELS, g->view.classes));
    static const bonsai_section by_node[] = {BONSAI_SECTION_FEATURE_SCALE, BONSAI_SECTION_LABELS,
                                             BONSAI_SECTION_NODE_WEIGHTS, BONSAI_SECTION_SPLIT,
                                             BONSAI_SECTION_ROLE};
    for (size_t i = 0; i < sizeof by_node / sizeof *by_node; i++)
        BN_TRY(induce_rows(&in, by_node[i], 1));
    BN_TRY(induce_lists(&in, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_SECTION_FEATURE_INDICES,
                        BONSAI_SECTION_FEATURE_VALUES));
    BN_TRY(induce_lists(&in, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_SECTION_MEMBERS,
                        BONSAI_SECTION_MEMBERS));
    BN_TRY(induce_names(&in));
    BN_TRY(induce_origin(&in));
done:
    bn_slotmap_free(&in.place);
    return bn_graph_give(out, in.out, rc);
}

bonsai_status bonsai_graph_induce(bonsai_graph **out, const bonsai_graph *g, const int32_t *nodes,
                                  int64_t count)
{
    bonsai_status rc;
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_count_check(count, "nodes"));
    if (count > 0 && !nodes)
        return bn_fail(BONSAI_E_ARGUMENT, "%lld nodes, but no list of them", (long long)count);
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_graph_induce_part(out, g, nodes, count, 0, count));
    BN_TRY(bn_graph_detach(*out));
    BN_TRY(bonsai_graph_verify(*out));
done:
    if (rc != BONSAI_OK) {
        bonsai_graph_free(*out);
        *out = NULL;
    }
    return rc;
}

/* ---- nodes by their numbers in the original graph ---- */

/* A graph that was reordered, or is a part of another, holds the numbers of its nodes there as
 * origins; small graphs of it keep these numbers. */

typedef struct {
    uint32_t number;
    int32_t  node;
} numbered;

static int by_number(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Returns the position of the first entry of at least that number. */
static int64_t find_number(const numbered *list, int64_t count, uint32_t number)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t bn_number_of(const bonsai_graph *g, int64_t node)
{
    const int64_t origin = bonsai_graph_origin(g, node);
    return (uint32_t)(origin < 0 ? node : origin);
}

bonsai_status bn_numbers_find(int32_t *out, const uint32_t *number, int64_t count,
                              const bonsai_graph *g)
{
    numbered *list = NULL;
    const int64_t n = g->view.nodes;
    const bool renumbered = bn_has(g, BONSAI_SECTION_ORIGIN);
    bonsai_status rc = renumbered ? BN_NEW(&list, n) : BONSAI_OK;
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t v = 0; renumbered && v < n; v++)
        list[v] = (numbered){bn_number_of(g, v), (int32_t)v};
    if (renumbered)
        qsort(list, (size_t)n, sizeof *list, by_number);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = renumbered ? find_number(list, n, number[i]) : (int64_t)number[i];
        out[i] = at >= n || (renumbered && list[at].number != number[i]) ? -1
                 : renumbered ? list[at].node : (int32_t)at;
    }
    bn_free(list);
    return BONSAI_OK;
}
