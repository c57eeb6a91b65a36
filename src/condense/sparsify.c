/* sparsify.c -- PageRank from the roots on the graph that a set induces, and the ego
 * nodes below its knee go.  Paper: appendix on PPR.
 *
 * Linear in the chosen nodes and all their entries, not in the whole graph.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "set.h"

typedef struct {                /* the graph that the set induces */
    int64_t  n;
    int64_t *offsets;
    int32_t *neighbors;
    float   *weights;
    uint8_t *root;
    double  *pi;
} induced;

static void free_induced(induced *h)
{
    bn_free(h->offsets);
    bn_free(h->neighbors);
    bn_free(h->weights);
    bn_free(h->root);
    bn_free(h->pi);
}

/* Entries of a chosen node to chosen nodes; to and weight (may be NULL) get them. */
static int64_t induce_row(int32_t *to, float *weight, const bn_set *s, int32_t v)
{
    const bonsai_graph *g = s->job->g;
    const int32_t *all = bn_neighbors(g);
    const float *w = g->view.section[BONSAI_EDGE_WEIGHTS].data;
    int64_t count = 0, end = bn_row_begin(g, v + 1);
    for (int64_t e = bn_row_begin(g, v); e < end; e++) {
        if (s->place[all[e]] < 0)
            continue;
        if (to)
            to[count] = s->place[all[e]];
        if (weight)
            weight[count] = w[e];
        count++;
    }
    return count;
}

static bonsai_status induce(induced *h, bn_set *s)
{
    bonsai_status rc;
    h->n = s->members;
    BN_TRY(BN_NEW(&h->offsets, h->n + 1));
    BN_TRY(BN_NEW(&h->root, h->n));
    BN_TRY(BN_NEW(&h->pi, h->n));
    for (int64_t i = 0; i < h->n; i++)
        h->offsets[i + 1] = h->offsets[i] + induce_row(NULL, NULL, s, s->member[i]);
    BN_TRY(BN_NEW(&h->neighbors, h->offsets[h->n]));
    if (bn_has(s->job->g, BONSAI_EDGE_WEIGHTS))
        BN_TRY(BN_NEW(&h->weights, h->offsets[h->n]));
    for (int64_t i = 0; i < h->n; i++) {
        int64_t at = h->offsets[i];
        h->root[i] = s->role[s->member[i]] == BONSAI_ROOT;
        induce_row(h->neighbors + at, h->weights ? h->weights + at : NULL, s, s->member[i]);
    }
done:
    return rc;
}

/* PageRank is a part of the stage that asks for it, which goes no further meanwhile. */
static int say_again(const bonsai_progress *p, void *payload)
{
    const bn_set *s = payload;
    (void)p;
    return s->last.stage && s->job->progress.fn
               ? s->job->progress.fn(&s->last, s->job->progress.payload) : 0;
}

bonsai_status bn_set_rank(bn_set *s)
{
    bonsai_status rc;
    induced h = {0};
    int steps;
    qsort(s->member, (size_t)s->members, sizeof *s->member, bn_by_id);
    for (int64_t i = 0; i < s->members; i++)
        s->place[s->member[i]] = (int32_t)i;
    BN_TRY(induce(&h, s));
    BN_TRY(bn_ppr(h.pi, &steps, h.n, h.offsets, h.neighbors, h.weights, h.root, s->job->o->beta,
                  (bn_progress){say_again, s}));
    for (int64_t i = 0; i < h.n; i++)
        s->score[s->member[i]] = h.pi[i];
done:
    for (int64_t i = 0; i < s->members; i++)
        s->place[s->member[i]] = -1;
    free_induced(&h);
    return rc;
}

static int lowest_first(const void *a, const void *b)
{
    const bn_ranked *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->node > y->node ? -1 : x->node < y->node;
}

bonsai_status bn_set_lowest(bn_ranked **out, int64_t *count, const bn_set *s, int roles)
{
    bonsai_status rc = BN_NEW(out, s->members);
    *count = 0;
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < s->members; i++) {
        int32_t v = s->member[i];
        if (roles & 1 << s->role[v])
            (*out)[(*count)++] = (bn_ranked){s->score[v], v};
    }
    qsort(*out, (size_t)*count, sizeof **out, lowest_first);
    return BONSAI_OK;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static bonsai_status find_knee(double *bar, bn_set *s)
{
    bonsai_status rc;
    double *pi = NULL;
    int64_t knee;
    BN_TRY(BN_NEW(&pi, s->members));
    for (int64_t i = 0; i < s->members; i++)
        pi[i] = s->score[s->member[i]];
    qsort(pi, (size_t)s->members, sizeof *pi, descending);
    BN_TRY(bn_knee(&knee, bar, pi, s->members));
    if (knee < 0)
        *bar = 0;
    bn_set_trace_scores(s, pi, knee);
done:
    bn_free(pi);
    return rc;
}

bonsai_status bn_set_prune(bn_set *s, int64_t *pruned, bool *settled)
{
    bonsai_status rc;
    const bonsai_condense_options *o = s->job->o;
    bn_ranked *ego = NULL;
    int32_t *going = NULL;
    int64_t egos = 0, below = 0;
    double bar;
    *pruned = 0;
    BN_TRY(bn_set_rank(s));
    BN_TRY(find_knee(&bar, s));
    BN_TRY(bn_set_lowest(&ego, &egos, s, 1 << BONSAI_EGO));
    BN_TRY(BN_NEW(&going, egos));
    int64_t most = (int64_t)(o->prune_share * (double)egos);
    for (; below < egos && below < most && ego[below].score < bar; below++)
        going[below] = ego[below].node;
    bool few = below == 0 || (double)below < o->min_pruned * (double)s->members;
    *settled = few && bn_set_used(s) >= BN_ENOUGH;
    if (!*settled && bn_set_drop(s, going, below))
        *pruned = below;
    bn_set_trace_pruned(s, *pruned);
done:
    bn_free(ego);
    bn_free(going);
    return rc;
}

/* Takes one node as part of a root's tree; false if it does not fit. */
static bool take_node(bn_set *s, int32_t v, int32_t root)
{
    bn_price_mark(s->price);
    bn_price_add(s->price, v);
    if (bn_set_over(s)) {
        bn_price_undo(s->price, &v, 1);
        return false;
    }
    s->role[v] = BONSAI_EGO;
    s->brought[v] = root;
    s->member[s->members++] = v;
    return true;
}

/* Meets the neighbours of a node; those in the set or taken into it go to the queue.
 * place marks what has been met. */
static bool widen_from(bn_set *s, int32_t v, int32_t *queue, int64_t *tail, int64_t *misses)
{
    const int32_t *to = bn_neighbors(s->job->g);
    int64_t end = bn_row_begin(s->job->g, v + 1);
    for (int64_t e = bn_row_begin(s->job->g, v); e < end; e++) {
        int32_t u = to[e];
        if (s->place[u] >= 0)
            continue;
        s->place[u] = 0;
        if (s->role[u] == BONSAI_ROLE_NONE && !take_node(s, u, s->brought[v])) {
            if (++*misses >= s->job->o->patience)
                return false;
            continue;
        }
        *misses = 0;
        queue[(*tail)++] = u;
    }
    return true;
}

bonsai_status bn_set_widen(bn_set *s)
{
    bonsai_status rc;
    bn_ranked *root = NULL;
    int32_t *queue = NULL;
    int64_t roots = 0, head = 0, tail = 0, misses = 0;
    bool going = true;
    BN_TRY(BN_NEW(&queue, s->job->g->view.nodes));
    BN_TRY(bn_set_lowest(&root, &roots, s, 1 << BONSAI_ROOT));
    for (int64_t i = roots - 1; i >= 0; i--) {
        queue[tail++] = root[i].node;
        s->place[root[i].node] = 0;
    }
    for (int hop = 0; hop < s->job->o->layers && going; hop++)
        for (int64_t end = tail; head < end && going; head++) {
            going = widen_from(s, queue[head], queue, &tail, &misses);
            if (head % 1024 == 0)
                BN_TRY(bn_tick(s->job->progress, "finishing", 0, 1));
        }
done:
    for (int64_t v = 0; v < s->job->g->view.nodes; v++)
        s->place[v] = -1;
    bn_free(root);
    bn_free(queue);
    return rc;
}
