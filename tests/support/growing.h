/* growing.h -- graphs that grow, and prototypes made before they grew.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GROWING_H
#define BN_GROWING_H

#include "update/update.h"
#include "condensing.h"

enum { NODES = 260, FEATURES = 24, CLASSES = 3, OLDER = 240 };

/* ---- graphs that grow ---- */

typedef struct { bonsai_graph *was, *now, *small; bonsai_condense_info info; } grown;

/* A generated graph.  Its first OLDER nodes are the older graph; the newer one has later nodes and
 * edges and, depending on the seed, other features and labels. */
static inline bonsai_graph *generated(uint64_t seed)
{
    bonsai_generate_options how;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&how);
    how.nodes = NODES;
    how.features = FEATURES;
    how.classes = CLASSES;
    how.words = 6;
    how.degree = 2.2;
    how.exponent = 0;
    how.dense = seed % 2 != 0;
    how.seed = seed;
    assert_int_equal(bonsai_graph_generate(&g, &how), BONSAI_OK);
    return g;
}

static inline bonsai_graph *first_nodes(const bonsai_graph *g, int64_t count)
{
    int32_t node[NODES];
    bonsai_graph *out = NULL;
    for (int32_t v = 0; v < NODES; v++)
        node[v] = v;
    assert_int_equal(bonsai_graph_induce(&out, g, node, count), BONSAI_OK);
    return out;
}

/* Changes the label of one training node, the part of another, and a feature of a third. */
static inline void meddle(bonsai_graph *g, uint64_t seed)
{
    uint64_t state = seed + 7;
    uint8_t *label = g->owned[BONSAI_SECTION_LABELS], *split = g->owned[BONSAI_SECTION_SPLIT];
    for (int i = 0; i < 2; i++) {
        int v = random_below(&state, OLDER);
        while (bn_part(g, v) != BONSAI_PART_TRAIN)
            v = random_below(&state, OLDER);
        if (i)
            split[v] = BONSAI_PART_TEST;
        else
            label[v] = (uint8_t)((label[v] + 1) % CLASSES);
    }
    int v = random_below(&state, OLDER);
    if (bn_has(g, BONSAI_SECTION_FEATURES) &&
        g->view.section[BONSAI_SECTION_FEATURES].type == BONSAI_TYPE_F32)
        ((float *)g->owned[BONSAI_SECTION_FEATURES])[v * FEATURES + 3] += 1;
}

/* The same graph with a few more edges among the older nodes. */
static inline bonsai_graph *with_edges(const bonsai_graph *g, uint64_t seed)
{
    enum { MORE = 4, MOST = 4096 };
    int32_t source[MOST], target[MOST];
    int64_t m = 0;
    uint64_t state = seed + 99;
    bonsai_view v = g->view;
    bonsai_graph *out = NULL;
    for (int64_t u = 0; u < v.nodes; u++)
        for (int64_t e = bn_row_begin(g, u); e < bn_row_begin(g, u + 1); e++)
            if (bn_neighbors(g)[e] > u) {
                source[m] = (int32_t)u;
                target[m++] = bn_neighbors(g)[e];
            }
    for (int i = 0; i < MORE; i++) {
        source[m] = random_below(&state, OLDER);
        target[m++] = random_below(&state, OLDER);
    }
    assert_true(m < MOST);
    v.section[BONSAI_SECTION_OFFSETS] = v.section[BONSAI_SECTION_NEIGHBORS] =
        (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_int_equal(bonsai_graph_build(&out, &v, m, source, target, NULL, NULL), BONSAI_OK);
    return out;
}

static inline grown grow(uint64_t seed, int changes)
{
    grown w = {NULL, NULL, NULL, {0}};
    bonsai_graph *g = generated(seed);
    bonsai_condense_options o;
    w.was = first_nodes(g, OLDER);
    w.now = first_nodes(g, changes ? NODES - (int64_t)(seed % 3) * 9 : OLDER);
    if (changes > 1) {
        bonsai_graph *more = with_edges(w.now, seed);
        bonsai_graph_free(w.now);
        w.now = more;
        meddle(w.now, seed);
    }
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.members = 1;
    o.hard_labels = seed % 5 == 4;
    o.layers = (int)(seed % 4);
    o.ratio = 0.06 + 0.03 * (double)(seed % 3);
    w.small = condensed(&w.info, w.was, &o);
    bonsai_graph_free(g);
    return w;
}

static inline void grown_free(grown *w)
{
    bonsai_graph_free(w->was);
    bonsai_graph_free(w->now);
    bonsai_graph_free(w->small);
}

static inline bonsai_graph *updated(bonsai_condense_info *info, const grown *w, int threads)
{
    bonsai_graph *out = NULL;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.threads = threads;
    bonsai_condense_info_init(info);
    if (bonsai_condense_update(&out, info, w->now, w->was, w->small, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return out;
}

#endif
