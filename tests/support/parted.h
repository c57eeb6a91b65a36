/* parted.h -- a job on ranks that each see only their own nodes: each rank's copy of the graph has
 * wrong adjacency and features for all other nodes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PARTED_H
#define BN_PARTED_H

#include "condensing.h"
#include "threads_world.h"

enum { MOST_RANKS = 8 };

typedef struct {
    int ranks;
    const bonsai_graph *g;
    bonsai_graph *seen[MOST_RANKS];
    int64_t first[MOST_RANKS + 1], tree_first[MOST_RANKS + 1];
} parted;

static inline void spoil(bonsai_graph *g, bonsai_section s, int64_t begin, int64_t end, int byte)
{
    size_t width = bonsai_type_bytes(g->view.section[s].type);
    if (g->owned[s] && end > begin)
        memset((char *)g->owned[s] + (size_t)begin * width, byte, (size_t)(end - begin) * width);
}

static inline void spoil_node(bonsai_graph *g, int64_t v)
{
    int64_t f = g->view.features, begin = bn_row_begin(g, v), end = bn_row_begin(g, v + 1);
    const bonsai_array *rows = &g->view.section[BONSAI_SECTION_FEATURE_OFFSETS];
    spoil(g, BONSAI_SECTION_NEIGHBORS, begin, end, 0);
    spoil(g, BONSAI_SECTION_EDGE_WEIGHTS, begin, end, 0x40);
    spoil(g, BONSAI_SECTION_FEATURES, v * f, v * f + f, 0x3a);
    spoil(g, BONSAI_SECTION_FEATURE_SCALE, v, v + 1, 0x3b);
    if (rows->data) {
        begin = bn_int_at(rows, v);
        end = bn_int_at(rows, v + 1);
        spoil(g, BONSAI_SECTION_FEATURE_INDICES, begin, end, 0);
        spoil(g, BONSAI_SECTION_FEATURE_VALUES, begin, end, 0x3c);
    }
}

/* Divides the nodes equally; or gives all to the last rank; all but one to the first; or halves
 * with one node between them.  Some ranks have none. */
static inline void cut(parted *p, int64_t n, uint64_t seed)
{
    for (int r = 1; r < p->ranks; r++) {
        const int64_t at[] = {n * r / p->ranks, 0, n - 1, r == 1 ? n / 2 : n / 2 + 1};
        p->first[r] = bn_least(at[seed % 4], n);
    }
    p->first[p->ranks] = n;
}

/* Divides the graph of g, whose trees are `train`, among the ranks. */
static inline void part(parted *p, int ranks, const bonsai_graph *g, const int32_t *train,
                        int64_t trees, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->ranks = ranks;
    p->g = g;
    cut(p, g->view.nodes, seed);
    for (int r = 0; r < ranks; r++) {
        if (bonsai_graph_new(&p->seen[r], &g->view, 1) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        for (int64_t v = 0; v < g->view.nodes; v++)
            if (v < p->first[r] || v >= p->first[r + 1])
                spoil_node(p->seen[r], v);
        p->tree_first[r + 1] = p->tree_first[r];
        while (p->tree_first[r + 1] < trees && train[p->tree_first[r + 1]] < p->first[r + 1])
            p->tree_first[r + 1]++;
    }
}

static inline void unpart(parted *p)
{
    for (int r = 0; r < p->ranks; r++)
        bonsai_graph_free(p->seen[r]);
}

/* The job as one rank sees it. */
static inline bn_job job_of(parted *p, bn_world *w, const bn_job *job)
{
    bn_job mine = *job;
    mine.g = p->seen[w->rank];
    mine.at.world = w;
    mine.at.first = p->first;
    mine.tree_first = p->tree_first;
    mine.known = true;
    if (w->rank > 0)
        mine.rknn = (bn_lists){0};
    return mine;
}

#endif
