/* partition.c -- batches of nodes of the full graph for the structural kernel.
 *
 * Nodes are cut into batches of equal size, because the kernel compares all pairs of a batch.  Only
 * edges inside a batch count; so nodes are taken in the order of a breadth-first walk over the
 * edges among them, which keeps most neighbours together and takes linear time.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "gcsntk.h"

int64_t bn_partition_first(const bn_partition *c, int64_t batch)
{
    return c->batches > 0 ? batch * c->count / c->batches : 0;
}

int64_t bn_partition_most(const bn_partition *c)
{
    return c->batches > 0 ? (c->count + c->batches - 1) / c->batches : 0;
}

/* ---- order ---- */

typedef struct {
    const bonsai_graph *g;
    const int32_t *node;        /* as given */
    int32_t *spot;              /* of every node of the graph: 1 + where it is; 0: not here */
} party;

/* Appends a node of the party to the order unless it is there already; returns the new count. */
static int64_t greet(const party *p, int32_t *order, int64_t count, int64_t place)
{
    p->spot[p->node[place]] = 0;
    order[count] = (int32_t)place;
    return count + 1;
}

/* Orders the nodes breadth first.  Meanwhile spot is 1 + the place of nodes that are not reached
 * yet. */
static void walk(const party *p, int32_t *order, int64_t count)
{
    int64_t known = 0, at = 0;
    for (int64_t i = 0; i < count; i++) {
        if (p->spot[p->node[i]] != 0)
            known = greet(p, order, known, i);
        for (; at < known; at++) {
            const int32_t v = p->node[order[at]];
            for (int64_t e = bn_row_begin(p->g, v); e < bn_row_begin(p->g, v + 1); e++)
                if (p->spot[bn_neighbors(p->g)[e]] != 0)
                    known = greet(p, order, known, p->spot[bn_neighbors(p->g)[e]] - 1);
        }
    }
}

static void set_order(bn_partition *c, const party *p)
{
    for (int64_t i = 0; i < c->count; i++) {
        c->place[i] = (int32_t)i;
        p->spot[p->node[i]] = (int32_t)i + 1;
    }
    if (c->batches > 1)
        walk(p, c->place, c->count);
    for (int64_t i = 0; i < c->count; i++)
        p->spot[p->node[c->place[i]]] = (int32_t)i + 1;
}

/* ---- neighbours ---- */

/* Lists row i and its neighbours in its batch, which begins at `first` and ends before `end`. */
static int64_t list_row(int32_t *index, const bn_partition *c, const party *p, int64_t i,
                        const int64_t span[2])
{
    const int32_t v = p->node[c->place[i]], *near = bn_neighbors(p->g);
    const int64_t begin = bn_row_begin(p->g, v);
    int64_t count = 0;
    index[count++] = (int32_t)(i - span[0]);
    for (int64_t e = begin; e < bn_row_begin(p->g, v + 1); e++) {
        const int64_t at = (int64_t)p->spot[near[e]] - 1;
        const bool repeated = near[e] == v || (e > begin && near[e] == near[e - 1]);
        if (!repeated && at >= span[0] && at < span[1])
            index[count++] = (int32_t)(at - span[0]);
    }
    return count;
}

static void list_rows(bn_partition *c, const party *p, bool mean)
{
    for (int64_t b = 0; b < c->batches; b++) {
        const int64_t span[2] = {bn_partition_first(c, b), bn_partition_first(c, b + 1)};
        for (int64_t i = span[0]; i < span[1]; i++) {
            const int64_t from = c->offsets[i], count = list_row(c->index + from, c, p, i, span);
            for (int64_t e = from; e < from + count; e++)
                c->value[e] = mean ? 1 / (double)count : 1;
            c->offsets[i + 1] = from + count;
        }
    }
}

static bonsai_status find_neighbours(bn_partition *c, const party *p, bool mean)
{
    bonsai_status rc;
    int64_t most = c->count;
    for (int64_t i = 0; i < c->count; i++)
        most += bn_row_begin(p->g, p->node[i] + 1) - bn_row_begin(p->g, p->node[i]);
    BN_TRY(BN_NEW(&c->offsets, c->count + 1));
    BN_TRY(BN_NEW(&c->index, most));
    BN_TRY(BN_NEW(&c->value, most));
    list_rows(c, p, mean);
done:
    return rc;
}

/* ---- rows ---- */

static bonsai_status find_rows(bn_partition *c, const bn_problem *s, const int32_t *node)
{
    bonsai_status rc;
    int32_t *of = NULL;
    BN_TRY(BN_NEW(&of, c->count));
    BN_TRY(BN_NEW(&c->x, c->count * c->f));
    for (int64_t i = 0; i < c->count; i++)
        of[i] = node[c->place[i]];
    BN_TRY(bn_problem_rows(c->x, s, of, c->count, bn_gcsntk_settings_of(s)->hops));
done:
    bn_free(of);
    return rc;
}

bn_sntk_rows bn_partition_batch(bn_partition *c, int64_t batch)
{
    const int64_t first = bn_partition_first(c, batch);
    const int64_t rows = bn_partition_first(c, batch + 1) - first;
    for (int64_t i = 0; i < rows * c->f; i++)
        c->room[i] = (double)c->x[first * c->f + i];
    return (bn_sntk_rows){.rows = rows, .f = c->f, .x = c->room, .norm = c->norm + c->steps * first,
                          .around = {c->offsets + first, c->index, c->value}};
}

static bonsai_status find_norms(bn_partition *c, const bn_problem *s)
{
    bonsai_status rc;
    const int64_t most = bn_partition_most(c);
    double *room = NULL;
    BN_TRY(BN_NEW(&c->norm, c->steps * c->count));
    BN_TRY(BN_NEW(&c->room, most * c->f));
    BN_TRY(BN_NEW(&room, 2 * most * most));
    for (int64_t b = 0; b < c->batches; b++) {
        const bn_sntk_rows a = bn_partition_batch(c, b);
        BN_TRY(bn_tick(s->job->at.progress, "comparing rows", b, c->batches));
        bn_sntk_norms_around(c->norm + c->steps * bn_partition_first(c, b), &a,
                             bn_gcsntk_settings_of(s)->kernel, room, s->threads);
    }
    BN_TRY(bn_tick(s->job->at.progress, "comparing rows", c->batches, c->batches));
done:
    bn_free(room);
    return rc;
}

bonsai_status bn_partition_new(bn_partition *c, const bn_problem *s, const int32_t *node,
                               int64_t count)
{
    bonsai_status rc;
    const bn_gcsntk_settings *how = bn_gcsntk_settings_of(s);
    party p = {.g = s->job->g, .node = node};
    *c = (bn_partition){.count = count, .f = s->f, .steps = how->kernel.hops * how->kernel.layers,
                    .batches = (count + how->batch - 1) / how->batch};
    BN_TRY(BN_NEW(&p.spot, p.g->view.nodes));
    BN_TRY(BN_NEW(&c->place, count));
    set_order(c, &p);
    BN_TRY(find_neighbours(c, &p, how->mean));
    BN_TRY(find_rows(c, s, node));
    BN_TRY(find_norms(c, s));
done:
    bn_free(p.spot);
    return rc;
}

void bn_partition_free(bn_partition *c)
{
    void *const owned[] = {c->place, c->x, c->offsets, c->index, c->value, c->norm, c->room};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    memset(c, 0, sizeof *c);
}
