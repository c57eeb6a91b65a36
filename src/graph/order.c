/* order.c -- blocks of rows for ranks, and what lies on their borders.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"

/* ---- blocks ---- */

/* The first node at which nodes and entries before it reach share r of ranks. */
static int64_t block_begin(const bonsai_graph *g, int64_t r, int64_t ranks)
{
    int64_t n = g->view.nodes, all = bonsai_graph_edges(g) + n, low = 0, high = n;
    int64_t wanted = all / ranks * r + (all % ranks * r + ranks - 1) / ranks;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (bn_row_begin(g, middle) + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void bn_blocks(int64_t *first, const bonsai_graph *g, int ranks)
{
    int64_t n = g->view.nodes, least = n >= ranks;      /* nodes of a rank */
    first[0] = 0;
    for (int r = 1; r < ranks; r++) {
        int64_t v = block_begin(g, r, ranks), low = first[r - 1] + least;
        int64_t high = n - least * (ranks - r);
        first[r] = v < low ? low : v > high ? high : v;
    }
    first[ranks] = n;
}

/* ---- halos ---- */

typedef struct {
    const bonsai_graph *g;
    int64_t begin, end;         /* the rank's own nodes */
} block;

/* Whether a node is met for the first time; seen has a bit a node. */
static bool mark(uint64_t *seen, int64_t v)
{
    uint64_t bit = 1ull << (v & 63);
    bool is_new = !(seen[v >> 6] & bit);
    seen[v >> 6] |= bit;
    return is_new;
}

static int64_t halo_of(const block *b, uint64_t *seen)
{
    const int32_t *to = bn_neighbors(b->g);
    int64_t first = bn_row_begin(b->g, b->begin), last = bn_row_begin(b->g, b->end), count = 0;
    for (int64_t e = first; e < last; e++)
        if (to[e] < b->begin || to[e] >= b->end)
            count += mark(seen, to[e]);
    return count;
}

bonsai_status bn_halo_count(int64_t *rows, const bonsai_graph *g, int ranks)
{
    bonsai_status rc;
    int64_t *first = NULL, words = g->view.nodes / 64 + 1;
    uint64_t *seen = NULL;
    int lanes = bn_team(bn_threads(0), ranks);
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_NEIGHBORS), 0));
    BN_TRY(BN_NEW(&first, (int64_t)ranks + 1));
    BN_TRY(BN_NEW(&seen, words * lanes));
    bn_blocks(first, g, ranks);
#pragma omp parallel for num_threads(lanes) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int r = lane; r < ranks; r += lanes) {
            const block b = {g, first[r], first[r + 1]};
            memset(seen + lane * words, 0, (size_t)words * sizeof *seen);
            rows[r] = halo_of(&b, seen + lane * words);
        }
done:
    bn_free(first);
    bn_free(seen);
    return rc;
}
