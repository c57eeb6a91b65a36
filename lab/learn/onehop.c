/* onehop.c -- the nodes within one hop of some nodes of the full graph, and their rows of the
 * operator.
 *
 * SPDX-License-Identifier: MIT */
#include "onehop.h"

#include <string.h>

typedef struct {
    const bn_side *side;
    int32_t *at;                /* nodes: place among the reached nodes; -1: not reached */
    int32_t *node;              /* of a place */
    int64_t  reached, entries;
} search;

static void add_node(search *a, int32_t node)
{
    if (a->at[node] >= 0)
        return;
    a->node[a->reached] = node;
    a->at[node] = (int32_t)a->reached++;
}

static void find_all(search *a, const int32_t *node, int64_t count)
{
    memset(a->at, 0xff, (size_t)a->side->n * sizeof *a->at);
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = bn_int_at(&a->side->offsets, node[i]);
        const int64_t end = bn_int_at(&a->side->offsets, node[i] + 1);
        add_node(a, node[i]);
        for (int64_t e = first; e < end; e++)
            add_node(a, a->side->ids[e]);
        a->entries += end - first + 1;
    }
}

static float of(const float *v, int64_t i, float otherwise)
{
    return v ? v[i] : otherwise;
}

/* Writes row i of the operator from entry `to` on; returns where the next row begins. */
static int64_t fill_row(bn_matrix *m, const search *a, int32_t i, int64_t to)
{
    const bn_side *d = a->side;
    const float left = of(d->left, i, 1);
    m->index[to] = a->at[i];
    m->value[to++] = left * of(d->own, i, 0) * of(d->right, i, 1);
    for (int64_t e = bn_int_at(&d->offsets, i); e < bn_int_at(&d->offsets, i + 1); e++) {
        m->index[to] = a->at[d->ids[e]];
        m->value[to++] = left * of(d->right, d->ids[e], 1) * of(d->weights, e, 1);
    }
    return to;
}

/* Counts the nodes reached; fills r too unless it is NULL. */
static bonsai_status reach(bn_onehop *r, int64_t *reached, const bn_problem *s, const int32_t *node,
                           int64_t count)
{
    bonsai_status rc;
    bn_messages m = {0};
    search a = {.side = &m.to};
    BN_TRY(bn_messages_make(&m, s->job->g, BN_NORM_BOTH, false, s->threads));
    BN_TRY(BN_NEW(&a.at, m.to.n));
    BN_TRY(BN_NEW(&a.node, m.to.n));
    find_all(&a, node, count);
    *reached = a.reached;
    if (!r)
        goto done;
    r->to = (bn_matrix){.rows = count, .cols = a.reached};
    BN_TRY(BN_NEW(&r->to.offsets, count + 1));
    BN_TRY(BN_NEW(&r->to.index, a.entries));
    BN_TRY(BN_NEW(&r->to.value, a.entries));
    for (int64_t i = 0; i < count; i++)
        r->to.offsets[i + 1] = fill_row(&r->to, &a, node[i], r->to.offsets[i]);
    r->node = a.node;
    a.node = NULL;
done:
    bn_messages_free(&m);
    bn_free(a.at);
    bn_free(a.node);
    return rc;
}

bonsai_status bn_onehop_new(bn_onehop *r, const bn_problem *s, const int32_t *node, int64_t count)
{
    int64_t reached;
    memset(r, 0, sizeof *r);
    return reach(r, &reached, s, node, count);
}

bonsai_status bn_onehop_count(int64_t *out, const bn_problem *s, const int32_t *node, int64_t count)
{
    return reach(NULL, out, s, node, count);
}

void bn_onehop_free(bn_onehop *r)
{
    bn_matrix_free(&r->to);
    bn_free(r->node);
    memset(r, 0, sizeof *r);
}
