/* hoptree.c -- adds the nodes within L hops of a root to a priced set if they fit.
 *
 * The search is breadth first, in three steps.  The first lists the nodes and sums the least that
 * each must cost; it stops when the sum exceeds the rest of the budget, so that a tree far too
 * large takes no longer than one that just fits.  The second adds the entries among the outermost
 * nodes, which are most of a tree where neighbours know each other, and stops likewise.  The third
 * adds the nodes to the set, with their edges.
 *
 * On several ranks these steps fetch ahead, in portions that grow: a tree takes few messages, and a
 * tree that does not fit fetches little in vain.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "reader.h"

enum { CHECK_EVERY = 64,
       LEAST_AHEAD = 8, ROWS_AHEAD = 4, ROW_AHEAD = 128, /* entries that memory is asked for */
       FIRST_PORTION = 1024, LAST_PORTION = 1 << 20,    /* entries that are fetched ahead */
       GROWTH = 4 };

/* If this share of the budget is left, a tree that does not fit is tested against all of it. */
static const double NEARLY_ALL = 0.75;

typedef struct { double bytes; int64_t nodes; } room;

struct bn_hoptree {
    bn_reader *r;
    uint64_t *seen;             /* n bits: in the queue */
    int32_t  *queue;            /* the tree */
    int32_t  *added;            /* those of it that are new in the set */
    int64_t   length, new;
    int64_t   inner;            /* new ones all of whose neighbours are in the tree */
    const uint64_t *priced;     /* n bits: of the price that it grows in */
    int64_t   queue_room, added_room;
    int64_t   portion;
    int64_t   looked;           /* entries of each node that were looked ahead at */
    uint32_t *least;            /* n: what a node costs at least, 0: not known; NULL: not kept */
    room      used;             /* what the new nodes cost at least; ... */
    room      most;             /* ... it stops when that is more */
    double    entry;            /* bytes that an entry costs at least */
    bool      whole;            /* all entries of the nodes that are met are in the tree */
};

bonsai_status bn_hoptree_new(bn_hoptree **out, bn_reader *r)
{
    bonsai_status rc;
    bn_hoptree *e = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&e, 1));
    e->r = r;
    BN_TRY(BN_NEW(&e->seen, BN_WORDS(r->g->view.nodes)));
    if (r->accounting == BONSAI_ACCOUNTING_STRICT && r->g->view.nodes <= BN_SLOTMAP_DIRECT)
        BN_TRY(BN_NEW(&e->least, r->g->view.nodes));
    *out = e;
    e = NULL;
done:
    bn_hoptree_free(e);
    return rc;
}

void bn_hoptree_free(bn_hoptree *e)
{
    if (!e)
        return;
    bn_free(e->seen);
    bn_free(e->least);
    bn_free(e->queue);
    bn_free(e->added);
    bn_free(e);
}

static void next_search(bn_hoptree *e)
{
    int64_t words = BN_WORDS(e->r->g->view.nodes);
    if (e->length > words)
        memset(e->seen, 0, (size_t)words * sizeof *e->seen);
    for (int64_t i = 0; i < e->length && e->length <= words; i++)
        bn_bit_clear(e->seen, e->queue[i]);
    e->length = e->new = e->inner = 0;
    e->used = (room){0, 0};
}

static bonsai_status widen(bn_hoptree *e)
{
    bonsai_status rc;
    BN_TRY(bn_grow((void **)&e->queue, &e->queue_room, e->length + 1, sizeof *e->queue));
    BN_TRY(bn_grow((void **)&e->added, &e->added_room, e->length + 1, sizeof *e->added));
done:
    return rc;
}

/* ---- fetching ahead ---- */

/* Fetches a portion of entries, of the next nodes of a list: *ahead gets the first node left
 * out. */
static bonsai_status fetch_entries(int64_t *ahead, bn_hoptree *e, const int32_t *nodes, int64_t end,
                                   int64_t most)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t sum = 0; *ahead < end && sum < e->portion; ++*ahead) {
        int64_t degree = bn_degree(e->r->g, nodes[*ahead]);
        sum += 1 + bn_least(degree, most);
        BN_TRY(bn_reader_ask(e->r, nodes[*ahead], most));
    }
    BN_TRY(bn_reader_fetch(e->r));
    e->portion = bn_least(GROWTH * e->portion, LAST_PORTION);
done:
    return rc;
}

/* Asks for the unseen neighbours among the entries from .. to-1. */
static bonsai_status ask_for_neighbours(bn_hoptree *e, int32_t v, int64_t from, int64_t to)
{
    bonsai_status rc = BONSAI_OK;
    const bn_near near = bn_near_of(e->r, v);
    for (int64_t i = from; i < bn_least(near.count, to); i++)
        if (!bn_bit(e->seen, near.to[i]))
            BN_TRY(bn_reader_ask(e->r, near.to[i], 0));
done:
    return rc;
}

/* Fetches the neighbours of the next nodes of the queue, and the least that they cost. */
static bonsai_status look_ahead(int64_t *ahead, bn_hoptree *e, int64_t end)
{
    bonsai_status rc = BONSAI_OK;
    int64_t head = *ahead;
    e->looked = BN_WHOLE;
    if (!bn_reader_remote(e->r)) {
        *ahead = end;
        goto done;
    }
    e->looked = e->portion;
    BN_TRY(fetch_entries(ahead, e, e->queue, end, e->looked));
    for (int64_t i = head; i < *ahead; i++)
        BN_TRY(ask_for_neighbours(e, e->queue[i], 0, e->looked));
    BN_TRY(bn_reader_fetch(e->r));
done:
    return rc;
}

/* Fetches the entries from .. to-1 of one node and the rows of these neighbours. */
static bonsai_status look_further(bn_hoptree *e, int32_t v, int64_t from, int64_t to)
{
    bonsai_status rc;
    BN_TRY(bn_reader_want(e->r, &v, 1, to));
    BN_TRY(ask_for_neighbours(e, v, from, to));
    BN_TRY(bn_reader_fetch(e->r));
done:
    return rc;
}

/* ---- growing ---- */

static bool is_within(const room *used, const room *most)
{
    return used->bytes <= most->bytes && used->nodes <= most->nodes;
}

/* Returns the least that a node costs; by the strict accounting a whole number of bytes. */
static bonsai_status least_of(double *out, bn_hoptree *e, bn_price *p, int32_t v)
{
    bonsai_status rc = BONSAI_OK;
    if (!e->least || e->least[v] == 0)
        rc = bn_price_least(out, p, v);
    else
        *out = e->least[v];
    if (e->least)
        e->least[v] = (uint32_t)*out;
    return rc;
}

/* Adds a node to the queue, and its least cost to the sum if it is new in the set. */
static bonsai_status meet(bn_hoptree *e, bn_price *p, int32_t v)
{
    bonsai_status rc = BONSAI_OK;
    double least, entries = e->whole ? (double)bn_degree(e->r->g, v) : e->length > 0;
    if (e->length >= e->added_room)
        BN_TRY(widen(e));
    bn_bit_set(e->seen, v);
    e->queue[e->length++] = v;
    if (bn_bit(e->priced, v))
        return BONSAI_OK;
    e->added[e->new++] = v;
    BN_TRY(least_of(&least, e, p, v));
    e->used.bytes += least + entries * e->entry;
    e->used.nodes++;
done:
    return rc;
}

static bonsai_status meet_neighbours(bn_hoptree *e, bn_price *p, int32_t v)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t degree = bn_degree(e->r->g, v);
    for (int64_t i = 0, looked = e->looked; i < degree && is_within(&e->used, &e->most);) {
        if (looked > e->looked)
            BN_TRY(look_further(e, v, i, looked));
        const bn_near near = bn_near_of(e->r, v);
        for (int64_t end = bn_least(near.count, looked);
             i < end && is_within(&e->used, &e->most); i++) {
            if (e->least && i + LEAST_AHEAD < end)
                __builtin_prefetch(&e->least[near.to[i + LEAST_AHEAD]]);
            if (!bn_bit(e->seen, near.to[i]))
                BN_TRY(meet(e, p, near.to[i]));
        }
        looked = GROWTH * bn_least(looked, INT64_MAX / GROWTH);
    }
done:
    return rc;
}

static bonsai_status meet_all(bn_hoptree *e, bn_price *p, int32_t root, int layers)
{
    bonsai_status rc;
    int64_t head = 0, ahead = 0;
    e->portion = FIRST_PORTION;
    e->whole = layers > 0;
    BN_TRY(bn_reader_want(e->r, &root, 1, FIRST_PORTION));
    BN_TRY(meet(e, p, root));
    for (int hop = 1; hop <= layers; hop++) {
        e->whole = hop < layers;
        e->inner = e->new;
        for (int64_t end = e->length; head < end && is_within(&e->used, &e->most); head++) {
            if (head == ahead)
                BN_TRY(look_ahead(&ahead, e, end));
            BN_TRY(meet_neighbours(e, p, e->queue[head]));
        }
    }
done:
    return rc;
}

/* Prefetches a row of neighbours: rows are scattered over memory. */
static void fetch_row(const bn_hoptree *e, int64_t i)
{
    if (i >= e->new)
        return;
    const bn_near near = bn_near_of(e->r, e->added[i]);
    for (int64_t j = 0; j < near.count && j < ROW_AHEAD; j += 16)
        __builtin_prefetch(near.to + j);
}

/* Adds the entries among the outermost nodes to the cost; one of each node is counted already. */
static void count_entries(bn_hoptree *e)
{
    for (int64_t i = e->inner; i < e->new && is_within(&e->used, &e->most); i++) {
        const bn_near near = bn_near_of(e->r, e->added[i]);
        int64_t links = 0;
        fetch_row(e, i + ROWS_AHEAD);
        for (int64_t j = 0; j < near.count; j++)
            links += bn_bit(e->seen, near.to[j]);
        e->used.bytes += links > 1 ? (double)(links - 1) * e->entry : 0;
    }
}

static bonsai_status add_all(bool *fits, bn_hoptree *e, bn_price *p, double limit)
{
    bonsai_status rc = BONSAI_OK;
    int64_t ahead = bn_reader_remote(e->r) ? 0 : e->new;
    e->portion = FIRST_PORTION;
    for (int64_t i = 0; i < e->new && *fits; i++) {
        if (i == ahead)
            BN_TRY(fetch_entries(&ahead, e, e->added, e->new, BN_WHOLE));
        BN_TRY(bn_price_add(p, e->added[i]));
        if (i + 1 == e->new || (i + 1) % CHECK_EVERY == 0)
            *fits = bn_price_bytes(p) <= limit;
        if (!*fits)
            bn_price_undo(p, e->added, i + 1);
    }
done:
    return rc;
}

bonsai_status bn_hoptree_grow(bn_tree *tree, bn_hoptree *e, bn_price *p, int32_t root, int layers,
                          const bn_budget *budget)
{
    bonsai_status rc;
    const room all = {budget->bytes, budget->nodes};
    const room left = {all.bytes - bn_price_floor(p), all.nodes - bn_price_nodes(p)};
    bool nearly_all = left.bytes >= NEARLY_ALL * all.bytes &&
                      (double)left.nodes >= NEARLY_ALL * (double)all.nodes;
    next_search(e);
    e->priced = bn_price_bits(p);
    e->entry = bn_price_entry(p);
    e->most = e->entry > 0 && nearly_all ? all : left;
    bn_price_mark(p);
    BN_TRY(meet_all(e, p, root, layers));
    if (e->entry > 0 && layers > 0)
        count_entries(e);
    tree->fits = e->new == 0 || is_within(&e->used, &left);
    tree->never = e->entry > 0 && !is_within(&e->used, &all);
    BN_TRY(add_all(&tree->fits, e, p, budget->bytes));
    tree->node = e->queue;
    tree->count = e->length;
done:
    return rc;
}

void bn_hoptree_undo(bn_hoptree *e, bn_price *p)
{
    bn_price_undo(p, e->added, e->new);
    e->new = 0;
}
