/* changes.c -- what differs between two graphs, and whose embeddings that reaches.
 *
 * Reading both is all that is linear in the graph; what follows walks from what differs.
 * An embedding after L rounds looks at the features of nodes within L hops and at the edges of
 * those within L - 1, so new edges start one hop late.  The walk is over the newer graph: where
 * an older path is broken, one of its nodes has new edges and is nearer.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "update.h"

typedef struct {                /* room for a row of each graph */
    int32_t *index[2];
    float   *value[2];
} room;

static bonsai_status room_new(room *r, const bonsai_graph *now, const bonsai_graph *was)
{
    bonsai_status rc;
    const bonsai_graph *g[2] = {now, was};
    for (int i = 0; i < 2; i++) {
        BN_TRY(BN_NEW(&r->index[i], bn_row_room(g[i])));
        BN_TRY(BN_NEW(&r->value[i], bn_row_room(g[i])));
    }
done:
    return rc;
}

static void room_free(room *r)
{
    for (int i = 0; i < 2; i++) {
        bn_free(r->index[i]);
        bn_free(r->value[i]);
    }
}

static bool same_features(const room *r, const bonsai_graph *now, const bonsai_graph *was,
                          int64_t v)
{
    int64_t a = bn_row_get(r->index[0], r->value[0], now, v);
    int64_t b = bn_row_get(r->index[1], r->value[1], was, v);
    return a == b && memcmp(r->index[0], r->index[1], (size_t)a * sizeof(int32_t)) == 0 &&
           memcmp(r->value[0], r->value[1], (size_t)a * sizeof(float)) == 0;
}

static bool same_edges(const bonsai_graph *now, const bonsai_graph *was, int64_t v)
{
    int64_t a = bn_row_begin(now, v), b = bn_row_begin(was, v);
    int64_t count = bn_row_begin(now, v + 1) - a;
    const float *w = now->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    const float *x = was->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    if (count != bn_row_begin(was, v + 1) - b ||
        memcmp(bn_neighbors(now) + a, bn_neighbors(was) + b, (size_t)count * sizeof(int32_t)) != 0)
        return false;
    for (int64_t i = 0; (w || x) && i < count; i++)
        if ((w ? w[a + i] : 1.0f) != (x ? x[b + i] : 1.0f))
            return false;
    return true;
}

static bonsai_status compare(bn_changes *c, const bonsai_graph *now, const bonsai_graph *was,
                             bn_progress p)
{
    bonsai_status rc;
    room r = {{NULL, NULL}, {NULL, NULL}};
    int64_t n = now->view.nodes, old = was->view.nodes, stretch = n / 100 + 1;
    BN_TRY(room_new(&r, now, was));
    for (int64_t v = 0; v < n; v++) {
        if (v % stretch == 0)
            BN_TRY(bn_tick(p, "comparing", v, n));
        if (v >= old) {
            c->kind[v] = BN_NEW_EDGES | BN_NEW_FEATURES | BN_NEW_LABEL;
            c->added++;
            continue;
        }
        c->kind[v] = (uint8_t)((same_edges(now, was, v) ? 0 : BN_NEW_EDGES) |
                               (same_features(&r, now, was, v) ? 0 : BN_NEW_FEATURES) |
                               (bn_label(now, v) == bn_label(was, v) &&
                                bn_part(now, v) == bn_part(was, v) ? 0 : BN_NEW_LABEL));
        c->changed += c->kind[v] != 0;
    }
    BN_TRY(bn_tick(p, "comparing", n, n));
done:
    room_free(&r);
    return rc;
}

/* Appends the unmarked neighbours of list[from .. to-1]; returns the new length. */
static int64_t add_ring(int32_t *list, int64_t from, int64_t to, uint8_t *mark, uint8_t bit,
                        const bonsai_graph *g)
{
    const int32_t *neighbors = bn_neighbors(g);
    int64_t length = to;
    for (int64_t i = from; i < to; i++)
        for (int64_t e = bn_row_begin(g, list[i]); e < bn_row_begin(g, list[i] + 1); e++)
            if (!(mark[neighbors[e]] & bit)) {
                mark[neighbors[e]] |= bit;
                list[length++] = neighbors[e];
            }
    return length;
}

static bonsai_status touch(bn_changes *c, const bonsai_graph *now, int layers)
{
    int32_t *list = NULL;
    int64_t n = now->view.nodes, from = 0, to = 0;
    bonsai_status rc = BN_NEW(&list, n);
    if (rc != BONSAI_OK)
        return rc;
    for (int hop = 0; hop <= layers; hop++) {
        int64_t end = hop > 0 ? add_ring(list, from, to, c->kind, BN_TOUCHED, now) : 0;
        int seed = hop == 0 ? BN_NEW_FEATURES : BN_NEW_EDGES;
        for (int64_t v = 0; hop <= 1 && v < n; v++)
            if ((c->kind[v] & seed) && !(c->kind[v] & BN_TOUCHED)) {
                c->kind[v] |= BN_TOUCHED;
                list[end++] = (int32_t)v;
            }
        from = to;
        to = end;
    }
    c->touched = to;
    bn_free(list);
    return BONSAI_OK;
}

bonsai_status bn_changes_find(bn_changes *out, const bonsai_graph *now, const bonsai_graph *was,
                              int layers, bn_progress p)
{
    bonsai_status rc;
    memset(out, 0, sizeof *out);
    BN_TRY(BN_NEW(&out->kind, now->view.nodes));
    BN_TRY(compare(out, now, was, p));
    BN_TRY(touch(out, now, layers));
done:
    if (rc != BONSAI_OK)
        bn_changes_free(out);
    return rc;
}

void bn_changes_free(bn_changes *c)
{
    bn_free(c->kind);
    memset(c, 0, sizeof *c);
}

bonsai_status bn_ball(int32_t **out, int64_t *size, const bonsai_graph *g, const int32_t *nodes,
                      int64_t count, int hops)
{
    bonsai_status rc;
    uint8_t *in = NULL;
    int32_t *list = NULL;
    int64_t from = 0, to = count, n = g->view.nodes;
    BN_TRY(BN_NEW(&in, n));
    BN_TRY(BN_NEW(&list, n));
    for (int64_t i = 0; i < count; i++) {
        list[i] = nodes[i];
        in[nodes[i]] = 1;
    }
    for (int hop = 0; hop < hops; hop++) {
        int64_t end = add_ring(list, from, to, in, 1, g);
        from = to;
        to = end;
    }
    *size = 0;
    for (int64_t v = 0; v < n; v++)
        if (in[v])
            list[(*size)++] = (int32_t)v;
    *out = list;
    list = NULL;
done:
    bn_free(in);
    bn_free(list);
    return rc;
}
