/* metis.c -- partitions a graph with METIS, if bonsai was built with it.
 *
 * Parts have the same weight as the blocks of bn_blocks: nodes plus entries.  METIS prints when it
 * runs out of memory, and uses the random numbers of the C library.  So we check the memory first,
 * run one call at a time, and restore the program's random numbers afterwards.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"
#include "graph.h"

#ifdef BONSAI_WITH_METIS
#include <metis.h>

static const int64_t most = IDXTYPEWIDTH == 32 ? INT32_MAX : INT64_MAX;

typedef struct { idx_t n, *offsets, *neighbors, *weight, *part; } input;

/* Fails if memory is short of what METIS needs: the graph, its coarser copies, and data for each
 * entry. */
static bonsai_status check_room(const bonsai_graph *g)
{
    int64_t entries = bonsai_graph_edges(g), n = g->view.nodes;
    int64_t bytes = (int64_t)sizeof(idx_t) * (10 * entries + 20 * n), left = bn_memory_free();
    char *room = NULL;
    if (bytes > left)
        return bn_fail_at(BONSAI_E_MEMORY, g->where, "out of memory: METIS needs about %lld bytes "
                          "and %lld are free", (long long)bytes, (long long)left);
    bonsai_status rc = BN_NEW(&room, bytes);
    bn_free(room);
    return rc;
}

static bonsai_status fill(input *in, const bonsai_graph *g)
{
    bonsai_status rc;
    int64_t n = g->view.nodes, m = bonsai_graph_edges(g);
    const int32_t *to = bn_neighbors(g);
    in->n = (idx_t)n;
    BN_TRY(BN_NEW(&in->offsets, n + 1));
    BN_TRY(BN_NEW(&in->neighbors, m));
    BN_TRY(BN_NEW(&in->weight, n));
    BN_TRY(BN_NEW(&in->part, n));
    for (int64_t v = 0; v < n; v++) {
        in->offsets[v + 1] = (idx_t)bn_row_begin(g, v + 1);
        in->weight[v] = in->offsets[v + 1] - in->offsets[v] + 1;
    }
    for (int64_t e = 0; e < m; e++)
        in->neighbors[e] = to[e];
done:
    return rc;
}

static int run(input *in, idx_t parts, uint64_t seed)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char state[128];
    idx_t options[METIS_NOPTIONS], one = 1, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(seed & 0x7fffffff);
    options[METIS_OPTION_DBGLVL] = 0;
    options[METIS_OPTION_UFACTOR] = 5;  /* thousandths; more would shift blocks off the parts */
    pthread_mutex_lock(&lock);
    char *before = initstate(1, state, sizeof state);
    int rc = METIS_PartGraphKway(&in->n, &one, in->offsets, in->neighbors, in->weight, NULL, NULL,
                                 &parts, NULL, NULL, options, &cut, in->part);
    setstate(before);
    pthread_mutex_unlock(&lock);
    return rc;
}

/* Partitions a graph without directed, repeated and self entries. */
static bonsai_status find_parts(int32_t *part, const bonsai_graph *g, int64_t parts, uint64_t seed)
{
    bonsai_status rc;
    input in = {0};
    BN_TRY(check_room(g));
    BN_TRY(fill(&in, g));
    int done = run(&in, (idx_t)parts, seed);
    if (done == METIS_ERROR_MEMORY)
        rc = bn_fail_at(BONSAI_E_MEMORY, g->where, "out of memory in METIS");
    else if (done != METIS_OK)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, g->where, "METIS finds no %lld parts of %lld nodes (its "
                        "error %d)", (long long)parts, (long long)g->view.nodes, done);
    for (int64_t v = 0; rc == BONSAI_OK && v < g->view.nodes; v++)
        part[v] = (int32_t)in.part[v];
done:
    bn_free(in.offsets);
    bn_free(in.neighbors);
    bn_free(in.weight);
    bn_free(in.part);
    return rc;
}

/* Makes a graph of the same nodes with each edge in both directions, once. */
static bonsai_status plain_graph(bonsai_graph **out, const bonsai_graph *g,
                                 const bonsai_read_options *given)
{
    int32_t *source = NULL;
    bonsai_view v;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = given->threads;
    bonsai_view_init(&v);
    v.nodes = g->view.nodes;
    bonsai_status rc = BN_NEW(&source, bonsai_graph_edges(g));
    for (int64_t u = 0; rc == BONSAI_OK && u < v.nodes; u++)
        for (int64_t e = bn_row_begin(g, u); e < bn_row_begin(g, u + 1); e++)
            source[e] = (int32_t)u;
    if (rc == BONSAI_OK)
        rc = bonsai_graph_build(out, &v, bonsai_graph_edges(g), source, bn_neighbors(g), NULL, &o);
    bn_free(source);
    return rc;
}

bonsai_status bn_metis_parts(int32_t *part, const bonsai_graph *g, int64_t parts, uint64_t seed,
                             const bonsai_read_options *o)
{
    bonsai_status rc;
    bonsai_graph *plain = NULL;
    int64_t n = g->view.nodes, sum;
    BN_TRY(bn_graph_need(g, BN_SYMMETRY, o->threads));
    if (g->view.flags & (BONSAI_FLAG_DIRECTED | BONSAI_FLAG_SELF_LOOPS | BONSAI_FLAG_REPEATED)) {
        BN_TRY(plain_graph(&plain, g, o));
        g = plain;
    }
    if (!bn_add(&sum, bonsai_graph_edges(g), n) || sum > most) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, g->where, "%lld nodes and %lld entries are more than "
                        "this METIS can number, which is %lld", (long long)n,
                        (long long)bonsai_graph_edges(g), (long long)most);
        goto done;
    }
    if (bonsai_graph_edges(g) == 0 || parts < 2)
        for (int64_t v = 0; v < n; v++)
            part[v] = (int32_t)(v * parts / n);
    else
        BN_TRY(find_parts(part, g, parts, seed));
done:
    bonsai_graph_free(plain);
    return rc;
}

#else

bonsai_status bn_metis_parts(int32_t *part, const bonsai_graph *g, int64_t parts, uint64_t seed,
                             const bonsai_read_options *o)
{
    (void)part;
    (void)g;
    (void)parts;
    (void)seed;
    (void)o;
    return bn_fail(BONSAI_E_ARGUMENT, "this library was built without METIS: install libmetis-dev "
                   "(Debian's name) and build it again");
}

#endif
