/* moves.c -- finds the prototype of each node that a change reached.
 *
 * Only these nodes are embedded: in the older graph, to subtract them from the mean that they were
 * part of, and in the newer, to find the nearest prototype of their class and to add them there.
 * Each embedding is of the nodes and all within L hops of them, which gives the same bits as the
 * whole graph.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <string.h>

#include "update.h"

/* ---- the older members ---- */

static bonsai_status read_members(bn_moves *m)
{
    const bonsai_graph *s = m->small;
    const bonsai_array *offsets = &s->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    const uint32_t *member = s->view.section[BONSAI_SECTION_MEMBERS].data;
    for (int64_t v = 0; v < m->now->view.nodes; v++)
        m->before[v] = m->after[v] = -1;
    for (int64_t p = 0; p < s->view.nodes; p++) {
        int64_t end = bn_int_at(offsets, p + 1);
        m->size_before[p] = end - bn_int_at(offsets, p);
        for (int64_t e = bn_int_at(offsets, p); e < end; e++) {
            uint32_t v = member[e];
            if (v >= (uint64_t)m->was->view.nodes || m->before[v] >= 0 ||
                bn_label(m->was, v) != bn_label(s, p))
                return bn_fail_at(BONSAI_E_ARGUMENT, s->where, "node %lld names member %u, which "
                                  "is not a member of its class in %s, or one twice: it was not "
                                  "made of that graph", (long long)p, (unsigned)v, m->was->where);
            m->before[v] = (int32_t)p;
        }
    }
    return BONSAI_OK;
}

static bool trains(const bonsai_graph *g, int64_t v)
{
    return v < g->view.nodes && bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0;
}

/* Lists the nodes that leave and join.  Training nodes without a prototype, such as those held out
 * for the probe, stay without. */
static void list_moves(bn_moves *m, const bn_changes *c)
{
    for (int64_t v = 0; v < m->now->view.nodes; v++) {
        bool member = m->before[v] >= 0;
        if (!(c->kind[v] & (BN_TOUCHED | BN_NEW_LABEL))) {
            m->after[v] = m->before[v];
            continue;
        }
        if (member)
            m->left[m->lefts++] = (int32_t)v;
        if (trains(m->now, v) && (member || !trains(m->was, v)))
            m->joined[m->joins++] = (int32_t)v;
    }
}

/* ---- embeddings of some nodes ---- */

static bonsai_status embed(bn_embedding *out, const bn_moves *m, const bonsai_graph *g,
                           const int32_t *nodes, int64_t count)
{
    bonsai_status rc = BONSAI_OK;
    int32_t *ball = NULL, *place = NULL;
    bonsai_graph *part = NULL;
    int64_t size;
    if (count == 0)
        return BONSAI_OK;
    BN_TRY(bn_ball(&ball, &size, g, nodes, count, bn_blend_reach(&m->blend, m->layers)));
    if (size > g->view.nodes / 2) {
        rc = bn_embed_blend(out, g, &(bn_nodes){nodes, count}, &m->blend, m->layers, m->at);
        goto done;
    }
    BN_TRY(bonsai_graph_induce(&part, g, ball, size));
    BN_TRY(BN_NEW(&place, count));
    for (int64_t i = 0, at = 0; i < count; i++) {       /* both ascend */
        while (ball[at] != nodes[i])
            at++;
        place[i] = (int32_t)at;
    }
    BN_TRY(bn_embed_blend(out, part, &(bn_nodes){place, count}, &m->blend, m->layers, m->at));
done:
    bonsai_graph_free(part);
    bn_free(ball);
    bn_free(place);
    return rc;
}

/* ---- the nearest prototype ---- */

static double dot(const bn_embedding *e, int64_t r, const float *row)
{
    double sum = 0;
    for (int64_t j = 0; e->dense && j < e->f; j++)
        sum += (double)e->dense[r * e->f + j] * (double)row[j];
    for (int64_t i = e->dense ? 0 : e->offsets[r]; !e->dense && i < e->offsets[r + 1]; i++)
        sum += (double)e->value[i] * (double)row[e->index[i]];
    return sum;
}

/* Finds the nearest prototypes, one prototype at a time, so that only one row is dense. */
static void assign_all(bn_moves *m, double *best, float *row)
{
    const bonsai_graph *s = m->small;
    for (int64_t i = 0; i < m->joins; i++)
        best[i] = DBL_MAX;
    for (int64_t p = 0; p < s->view.nodes; p++) {
        double length2 = 0;
        int32_t label = bn_label(s, p);
        bn_row_whole(row, s, p);
        for (int64_t j = 0; j < s->view.features; j++)
            length2 += (double)row[j] * (double)row[j];
        const double work = 4 * bn_numbers(&m->fresh, m->joins);
#pragma omp parallel for num_threads(bn_team(m->at->threads, work)) schedule(static)
        for (int64_t i = 0; i < m->joins; i++) {
            if (bn_label(m->now, m->joined[i]) != label)
                continue;
            double d = length2 - 2 * dot(&m->fresh, i, row);
            if (d < best[i]) {
                best[i] = d;
                m->after[m->joined[i]] = (int32_t)p;
            }
        }
    }
}

static bonsai_status assign(bn_moves *m)
{
    bonsai_status rc;
    double *best = NULL;
    float *row = NULL;
    BN_TRY(BN_NEW(&best, m->joins));
    BN_TRY(BN_NEW(&row, m->small->view.features));
    assign_all(m, best, row);
    for (int64_t i = 0; i < m->joins; i++) {
        int32_t v = m->joined[i];
        if (m->after[v] < 0) {
            rc = bn_fail_at(BONSAI_E_ARGUMENT, m->now->where, "class %d of node %d has no "
                            "prototype in %s: condense it again", bn_label(m->now, v), v,
                            m->small->where);
            goto done;
        }
        m->moved += m->after[v] != m->before[v];
    }
    for (int64_t v = 0; v < m->now->view.nodes; v++)
        if (m->after[v] >= 0)
            m->size_after[m->after[v]]++;
done:
    bn_free(best);
    bn_free(row);
    return rc;
}

bonsai_status bn_moves_find(bn_moves *m, const bn_changes *c)
{
    bonsai_status rc;
    int64_t n = m->now->view.nodes, prototypes = m->small->view.nodes;
    BN_TRY(BN_NEW(&m->before, n));
    BN_TRY(BN_NEW(&m->after, n));
    BN_TRY(BN_NEW(&m->left, n));
    BN_TRY(BN_NEW(&m->joined, n));
    BN_TRY(BN_NEW(&m->size_before, prototypes));
    BN_TRY(BN_NEW(&m->size_after, prototypes));
    BN_TRY(read_members(m));
    list_moves(m, c);
    BN_TRY(embed(&m->old, m, m->was, m->left, m->lefts));
    BN_TRY(embed(&m->fresh, m, m->now, m->joined, m->joins));
    BN_TRY(assign(m));
done:
    return rc;
}

void bn_moves_free(bn_moves *m)
{
    bn_free(m->before);
    bn_free(m->after);
    bn_free(m->left);
    bn_free(m->joined);
    bn_free(m->size_before);
    bn_free(m->size_after);
    bn_embedding_free(&m->old);
    bn_embedding_free(&m->fresh);
}
