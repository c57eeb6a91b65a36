/* ego.c -- the nodes within L hops of a root, added to a priced set if they fit.
 *
 * Breadth first, in two steps.  The first only meets the nodes and adds up the least
 * that each must cost: it stops as soon as that exceeds what is left, so that a tree
 * that is far too large, or a hub of a million neighbours, costs no more than one
 * that just fits.  The second adds them, edges and all.
 *
 * SPDX-License-Identifier: MIT */
#include "condense.h"

enum { CHECK_EVERY = 64 };

struct bn_ego {
    const bonsai_graph *g;
    int32_t *seen;              /* n: number of the search that met a node last */
    int32_t *queue;             /* n: the tree */
    int32_t *added;             /* n: those of it that are new in the set */
    int64_t  length, new;
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

static void next_search(bn_ego *e)
{
    if (++e->search == INT32_MAX) {             /* a search in two billion: start anew */
        for (int64_t v = 0; v < e->g->view.nodes; v++)
            e->seen[v] = 0;
        e->search = 1;
    }
    e->length = e->new = 0;
}

typedef struct { double bytes; int64_t nodes; } room;

/* Meets a node; false if the set would surely be too large with it. */
static bool meet(bn_ego *e, bn_price *p, int32_t v, room *left)
{
    e->seen[v] = e->search;
    e->queue[e->length++] = v;
    if (bn_price_has(p, v))
        return true;
    e->added[e->new++] = v;
    left->bytes -= bn_price_least(p, v);
    left->nodes--;
    return left->bytes >= 0 && left->nodes >= 0;
}

static bool meet_all(bn_ego *e, bn_price *p, int32_t root, int layers, room left)
{
    const int32_t *to = bn_neighbors(e->g);
    int64_t head = 0;
    bool fits = meet(e, p, root, &left);
    for (int hop = 0; hop < layers && fits; hop++)
        for (int64_t end = e->length; head < end && fits; head++) {
            int32_t v = e->queue[head];
            int64_t last = bn_row_begin(e->g, v + 1);
            for (int64_t i = bn_row_begin(e->g, v); i < last && fits; i++)
                if (e->seen[to[i]] != e->search)
                    fits = meet(e, p, to[i], &left);
        }
    return fits;
}

bool bn_ego_grow(const int32_t **tree, int64_t *count, bn_ego *e, bn_price *p, int32_t root,
                 int layers, double limit, int64_t most)
{
    room left = {limit - bn_price_floor(p), most < 0 ? INT64_MAX : most - bn_price_nodes(p)};
    next_search(e);
    bn_price_mark(p);
    bool fits = meet_all(e, p, root, layers, left);
    for (int64_t i = 0; i < e->new && fits; i++) {
        bn_price_add(p, e->added[i]);
        if (i + 1 == e->new || (i + 1) % CHECK_EVERY == 0)
            fits = bn_price_bytes(p) <= limit;
        if (!fits)
            bn_price_undo(p, e->added, i + 1);
    }
    *tree = e->queue;
    *count = e->length;
    return fits;
}

void bn_ego_undo(bn_ego *e, bn_price *p)
{
    bn_price_undo(p, e->added, e->new);
    e->new = 0;
}
