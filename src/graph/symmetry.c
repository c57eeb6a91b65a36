/* symmetry.c -- whether an undirected graph lists each edge from both ends.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"

/* Rows are sorted, so while u runs upwards, the entries (v, u) of each row v are
 * met in order: a cursor per row must always stand at u. */
int64_t bn_asymmetric_row(int64_t n, const int64_t *offsets, const int32_t *neighbors,
                          const float *weights, int64_t *cursor)
{
    memcpy(cursor, offsets, (size_t)n * sizeof *cursor);
    for (int64_t u = 0; u < n; u++)
        for (int64_t e = offsets[u]; e < offsets[u + 1]; e++) {
            int32_t v = neighbors[e];
            int64_t back = cursor[v]++;
            if (back >= offsets[v + 1] || neighbors[back] != u ||
                (weights && weights[back] != weights[e]))
                return u;
        }
    return n;
}

bonsai_status bn_symmetry_check(const bonsai_graph *g, bn_progress p)
{
    bonsai_status rc;
    int64_t n = g->view.nodes, *cursor = NULL, *offsets = NULL;
    BN_TRY(bn_tick(p, "symmetry", 0, 1));
    BN_TRY(BN_NEW(&cursor, n));
    BN_TRY(BN_NEW(&offsets, n + 1));
    for (int64_t v = 0; v <= n; v++)
        offsets[v] = bn_row_begin(g, v);
    int64_t row = bn_asymmetric_row(n, offsets, bn_neighbors(g),
                                    g->view.section[BONSAI_EDGE_WEIGHTS].data, cursor);
    if (row < n) {
        rc = bn_fail(BONSAI_E_FORMAT, "%s: an edge of node %lld has no reverse of equal weight, "
                     "but the graph says it is undirected", g->where, (long long)row);
        goto done;
    }
    BN_TRY(bn_tick(p, "symmetry", 1, 1));
done:
    bn_free(cursor);
    bn_free(offsets);
    return rc;
}

bonsai_status bonsai_graph_check(const bonsai_graph *g, const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_read_options o;
    BN_TRY(BN_OPTIONS(&o, given, read));
    bn_progress p = {o.progress, o.payload};
    BN_TRY(bn_tick(p, "sections", 0, BONSAI_SECTIONS));
    for (int s = 1; s < BONSAI_SECTIONS; s++) {
        BN_TRY(bn_graph_need(g, BN_BIT(s), o.threads));
        BN_TRY(bn_tick(p, "sections", s + 1, BONSAI_SECTIONS));
    }
    if (!(g->view.flags & BONSAI_DIRECTED))
        BN_TRY(bn_symmetry_check(g, p));
done:
    return rc;
}
