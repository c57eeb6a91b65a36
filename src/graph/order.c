/* order.c -- reorders nodes; divides rows into blocks for ranks, and counts their halos.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"
#include "options/options.h"

enum { USUAL_PARTS = 8 };

/* ---- orders ---- */

/* Sets order (n) to the nodes by ascending key (n, 0 .. keys-1); equal keys keep their order. */
static bonsai_status sort_by_key(int32_t *order, const int32_t *key, int64_t n, int64_t keys)
{
    int64_t *at = NULL;
    bonsai_status rc = BN_NEW(&at, keys + 1);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t v = 0; v < n; v++)
        at[key[v] + 1]++;
    for (int64_t i = 0; i < keys; i++)
        at[i + 1] += at[i];
    for (int64_t v = 0; v < n; v++)
        order[at[key[v]]++] = (int32_t)v;
    bn_free(at);
    return BONSAI_OK;
}

static bonsai_status by_parts(int32_t *order, const bonsai_graph *g, int64_t parts, uint64_t seed,
                              const bonsai_read_options *o)
{
    bonsai_status rc;
    int32_t *part = NULL;
    int64_t n = g->view.nodes;
    if (parts == 0)
        parts = n < USUAL_PARTS ? n : USUAL_PARTS;
    if (n > 0 && (parts < 1 || parts > n))
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "parts is %lld but must be in 1..%lld, the "
                          "number of nodes, or 0", (long long)parts, (long long)n);
    BN_TRY(BN_NEW(&part, n));
    BN_TRY(bn_metis_parts(part, g, parts, seed, o));
    BN_TRY(sort_by_key(order, part, n, parts));
done:
    bn_free(part);
    return rc;
}

static bonsai_status by_degree(int32_t *order, const bonsai_graph *g)
{
    bonsai_status rc;
    int32_t *key = NULL;
    int64_t n = g->view.nodes, most = 0;
    BN_TRY(BN_NEW(&key, n));
    for (int64_t v = 0; v < n; v++) {
        int64_t degree = bn_row_begin(g, v + 1) - bn_row_begin(g, v);
        most = degree > most ? degree : most;
    }
    if (most >= INT32_MAX) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, g->where, "a node has %lld entries, which are too many "
                        "to order by", (long long)most);
        goto done;
    }
    for (int64_t v = 0; v < n; v++)
        key[v] = (int32_t)(most - (bn_row_begin(g, v + 1) - bn_row_begin(g, v)));
    BN_TRY(sort_by_key(order, key, n, most + 1));
done:
    bn_free(key);
    return rc;
}

static bonsai_status find_order(int32_t *order, const bonsai_graph *g, bonsai_order how,
                                int64_t parts, uint64_t seed, const bonsai_read_options *o)
{
    int64_t n = g->view.nodes;
    for (int64_t v = 0; v < n; v++)
        order[v] = (int32_t)v;
    switch (how) {
    case BONSAI_ORDER_METIS:
        return by_parts(order, g, parts, seed, o);
    case BONSAI_ORDER_RANDOM:
        bn_rng_shuffle(order, n, seed);
        return BONSAI_OK;
    case BONSAI_ORDER_DEGREE:
        return by_degree(order, g);
    default:
        return bn_fail(BONSAI_E_ARGUMENT, "order %d is not known", (int)how);
    }
}

/* Makes the same graph, with all sections borrowed. */
static bonsai_status same_graph(bonsai_graph **out, const bonsai_graph *g)
{
    bonsai_status rc;
    BN_TRY(bonsai_graph_verify(g));
    BN_TRY(bn_graph_new(out, g->where));
    (*out)->view = g->view;
    (*out)->info = g->info;
    bn_graph_borrow(*out, g, BN_ALL_SECTIONS);
done:
    return rc;
}

bonsai_status bonsai_graph_reorder(bonsai_graph **out, const bonsai_graph *g, bonsai_order order,
                                   int64_t parts, uint64_t seed, const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_read_options o;
    int32_t *nodes = NULL;
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&o, given, read));
    const bn_progress p = {o.progress, o.payload};
    if (order == BONSAI_ORDER_NONE)
        return same_graph(out, g);
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, o.threads));
    BN_TRY(bn_tick(p, "ordering", 0, 2));
    BN_TRY(BN_NEW(&nodes, g->view.nodes));
    BN_TRY(find_order(nodes, g, order, parts, seed, &o));
    BN_TRY(bn_tick(p, "ordering", 1, 2));
    BN_TRY(bonsai_graph_induce(out, g, nodes, g->view.nodes));
    /* The graph already borrows from g; metadata are valid in any order. */
    (*out)->view.section[BONSAI_SECTION_METADATA] = g->view.section[BONSAI_SECTION_METADATA];
    atomic_store(&(*out)->verified[BONSAI_SECTION_METADATA], 1);
    BN_TRY(bn_tick(p, "ordering", 2, 2));
done:
    bn_free(nodes);
    if (rc != BONSAI_OK) {
        bonsai_graph_free(*out);
        *out = NULL;
    }
    return rc;
}

/* ---- blocks ---- */

/* Returns the first node at which the nodes and entries before it reach share r of ranks. */
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
    int64_t n = g->view.nodes, least = n >= ranks;      /* of a rank */
    first[0] = 0;
    for (int r = 1; r < ranks; r++) {
        int64_t v = block_begin(g, r, ranks), low = first[r - 1] + least;
        int64_t high = n - least * (ranks - r);
        first[r] = v < low ? low : v > high ? high : v;
    }
    first[ranks] = n;
}

/* Verifies the offsets, on which the blocks depend, in blocks of equal numbers of nodes. */
bonsai_status bn_blocks_new(int64_t **first, const bonsai_graph *g, const bn_place *place)
{
    bonsai_status rc;
    bn_place at = *bn_here(place);
    int64_t n = g->view.nodes, ranks = bn_ranks(at.world);
    BN_TRY(bn_agree(at.world, BN_NEW(first, ranks + 1)));
    for (int64_t r = 0; r <= ranks; r++)
        (*first)[r] = n / ranks * r + bn_least(r, n % ranks);
    at.first = *first;
    BN_TRY(bn_graph_need_at(g, BN_BIT(BONSAI_SECTION_OFFSETS), &at));
    bn_blocks(*first, g, (int)ranks);
done:
    return rc;
}

/* ---- halos ---- */

typedef struct {
    const bonsai_graph *g;
    int64_t begin, end;         /* the rank's own nodes */
} block;

/* Returns whether a node is seen for the first time; seen has one bit per node. */
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
    int lanes = bn_lanes(bn_threads(0), ranks);
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_SECTION_NEIGHBORS), 0));
    BN_TRY(BN_NEW(&first, (int64_t)ranks + 1));
    BN_TRY(BN_NEW(&seen, words * lanes));
    bn_blocks(first, g, ranks);
    const double work = 8.0 * (double)bn_row_begin(g, g->view.nodes);
#pragma omp parallel for num_threads(bn_team(lanes, work)) schedule(static)
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
