/* ego.c -- the nodes within L hops of a root, added to a priced set if they fit.
 *
 * Breadth first.  The price only grows with nodes, so the search stops, and is
 * taken back, as soon as it exceeds what is left: a tree that is far too large costs
 * no more than one that just fits.
 *
 * SPDX-License-Identifier: MIT */
#include "condense.h"

struct bn_ego {
    const bonsai_graph *g;
    int32_t *seen;              /* n: number of the search that met a node last */
    int32_t *queue;             /* n */
    int32_t *added;             /* n */
    int32_t  search;
};

bonsai_status bn_ego_new(bn_ego **out, const bonsai_graph *g)
{
    bonsai_status rc;
    bn_ego *e = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&e, 1));
    e->g = g;
    BN_TRY(BN_NEW(&e->seen, g->view.nodes));
    BN_TRY(BN_NEW(&e->queue, g->view.nodes));
    BN_TRY(BN_NEW(&e->added, g->view.nodes));
    *out = e;
    e = NULL;
done:
    bn_ego_free(e);
    return rc;
}

void bn_ego_free(bn_ego *e)
{
    if (!e)
        return;
    bn_free(e->seen);
    bn_free(e->queue);
    bn_free(e->added);
    bn_free(e);
}

/* Takes a node into the set; false if the set is then too large. */
static bool take(bn_ego *e, int64_t *count, bn_price *p, int32_t v, double limit, int64_t most)
{
    if (bn_price_has(p, v))
        return true;
    bn_price_add(p, v);
    e->added[(*count)++] = v;
    return bn_price_bytes(p) <= limit && (most < 0 || bn_price_nodes(p) <= most);
}

bool bn_ego_grow(const int32_t **added, int64_t *count, bn_ego *e, bn_price *p, int32_t root,
                 int layers, double limit, int64_t most)
{
    const int32_t *to = bn_neighbors(e->g);
    int64_t head = 0, tail = 0;
    *count = 0;
    *added = e->added;
    if (++e->search == INT32_MAX) {             /* a search in two billion: start anew */
        for (int64_t v = 0; v < e->g->view.nodes; v++)
            e->seen[v] = 0;
        e->search = 1;
    }
    e->seen[root] = e->search;
    e->queue[tail++] = root;
    bool fits = take(e, count, p, root, limit, most);
    for (int hop = 0; hop < layers && fits; hop++)
        for (int64_t end = tail; head < end && fits; head++) {
            int32_t v = e->queue[head];
            int64_t last = bn_row_begin(e->g, v + 1);
            for (int64_t i = bn_row_begin(e->g, v); i < last && fits; i++) {
                if (e->seen[to[i]] == e->search)
                    continue;
                e->seen[to[i]] = e->search;
                e->queue[tail++] = to[i];
                fits = take(e, count, p, to[i], limit, most);
            }
        }
    for (int64_t i = *count - 1; i >= 0 && !fits; i--)
        bn_price_remove(p, e->added[i]);
    return fits;
}
