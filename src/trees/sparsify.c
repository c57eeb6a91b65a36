/* sparsify.c -- PageRank from the roots on the graph that a set induces, and the ego
 * nodes below its knee go.  Paper: appendix on PPR.
 *
 * Linear in the chosen nodes and all their entries, not in the whole graph.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "set.h"

enum { AHEAD = 1024 };          /* nodes that are fetched together */

typedef struct {                /* the graph that the set induces */
    int64_t  n;
    bn_slots place;             /* of its nodes */
    int64_t *offsets;
    int32_t *neighbors;
    float   *weights;
    uint8_t *root;
    double  *pi;
} induced;

static void free_induced(induced *h)
{
    bn_slots_free(&h->place);
    bn_free(h->offsets);
    bn_free(h->neighbors);
    bn_free(h->weights);
    bn_free(h->root);
    bn_free(h->pi);
}

/* Entries of a chosen node to chosen nodes; to and weight (may be NULL) get them. */
static int64_t induce_row(int32_t *to, float *weight, const induced *h, const bn_set *s, int32_t v)
{
    const bn_near near = bn_near_of(s->reader, v);
    const uint64_t *priced = bn_price_bits(s->price);   /* the chosen nodes, and a few more */
    int64_t count = 0;
    for (int64_t e = 0; e < near.count; e++) {
        int64_t place = bn_bit(priced, near.to[e]) ? bn_slots_find(&h->place, near.to[e]) : -1;
        if (place < 0)
            continue;
        if (to)
            to[count] = (int32_t)place;
        if (weight)
            weight[count] = near.weight[e];
        count++;
    }
    return count;
}

static bonsai_status induce(induced *h, bn_set *s)
{
    bonsai_status rc;
    h->n = s->members;
    BN_TRY(bn_slots_new(&h->place, s->job->g->view.nodes));
    BN_TRY(bn_slots_reserve(&h->place, h->n));
    for (int64_t i = 0; i < h->n; i++)
        bn_slots_add(&h->place, s->member[i]);
    BN_TRY(BN_NEW(&h->offsets, h->n + 1));
    BN_TRY(BN_NEW(&h->root, h->n));
    BN_TRY(BN_NEW(&h->pi, h->n));
    for (int64_t i = 0; i < h->n; i++)
        h->offsets[i + 1] = h->offsets[i] + induce_row(NULL, NULL, h, s, s->member[i]);
    BN_TRY(BN_NEW(&h->neighbors, h->offsets[h->n]));
    if (bn_has(s->job->g, BONSAI_SECTION_EDGE_WEIGHTS))
        BN_TRY(BN_NEW(&h->weights, h->offsets[h->n]));
    for (int64_t i = 0; i < h->n; i++) {
        int64_t at = h->offsets[i];
        h->root[i] = bn_set_role(s, s->member[i]) == BONSAI_ROLE_ROOT;
        induce_row(h->neighbors + at, h->weights ? h->weights + at : NULL, h, s,
                   s->member[i]);
    }
done:
    return rc;
}

/* PageRank is a part of the stage that asks for it, which goes no further meanwhile. */
static int say_again(const bonsai_progress *p, void *payload)
{
    const bn_set *s = payload;
    (void)p;
    return s->last.stage && s->job->at.progress.fn
               ? s->job->at.progress.fn(&s->last, s->job->at.progress.payload) : 0;
}

bonsai_status bn_set_rank(bn_set *s)
{
    bonsai_status rc;
    induced h = {0};
    int steps;
    qsort(s->member, (size_t)s->members, sizeof *s->member, bn_by_id);
    BN_TRY(induce(&h, s));
    BN_TRY(bn_ppr(h.pi, &steps, &(bn_links){h.n, h.offsets, h.neighbors, h.weights, h.root},
                  s->job->o->beta, (bn_progress){say_again, s}));
    for (int64_t i = 0; i < h.n; i++)
        bn_set_find(s, s->member[i])->score = h.pi[i];
done:
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
        const bn_chosen *c = bn_set_find(s, s->member[i]);
        if (roles & 1 << c->role)
            (*out)[(*count)++] = (bn_ranked){c->score, s->member[i]};
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
        pi[i] = bn_set_find(s, s->member[i])->score;
    qsort(pi, (size_t)s->members, sizeof *pi, descending);
    BN_TRY(bn_knee(&knee, bar, pi, s->members));
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
    BN_TRY(bn_set_lowest(&ego, &egos, s, 1 << BONSAI_ROLE_EGO));
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

/* ---- single nodes ---- */

typedef struct {
    bn_set   *s;
    uint64_t *met;              /* n bits */
    int32_t  *queue;            /* of the set, the nearest first */
    int64_t   head, tail, room;
    int64_t   end;              /* of the nodes at one distance */
    int64_t   ahead, entry;     /* of the queue, and of that node: asked for up to here */
    int64_t   misses;
} widening;

/* Asks for the next neighbours that might be taken. */
static bonsai_status look_ahead(widening *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_reader *r = w->s->reader;
    for (int64_t asked = 0; bn_reader_remote(r) && w->ahead < w->end && asked < AHEAD;) {
        const bn_near near = bn_near_of(r, w->queue[w->ahead]);
        for (; w->entry < near.count && asked < AHEAD; w->entry++) {
            int32_t u = near.to[w->entry];
            if (bn_bit(w->met, u) || bn_set_role(w->s, u) != BONSAI_ROLE_NONE)
                continue;
            BN_TRY(bn_reader_ask(r, u, BN_WHOLE));
            asked++;
        }
        if (w->entry < near.count)
            break;
        w->ahead++;
        w->entry = 0;
    }
    BN_TRY(bn_reader_fetch(r));
done:
    return rc;
}

static bonsai_status enqueue(widening *w, int32_t v)
{
    bonsai_status rc = bn_grow((void **)&w->queue, &w->room, w->tail + 1, sizeof *w->queue);
    if (rc == BONSAI_OK)
        w->queue[w->tail++] = v;
    return rc;
}

/* Takes one node as part of a root's tree if it fits. */
static bonsai_status take_node(bool *fits, bn_set *s, int32_t v, int32_t root)
{
    bonsai_status rc;
    bn_price_mark(s->price);
    BN_TRY(bn_price_add(s->price, v));
    *fits = !bn_set_exceeds(s);
    if (*fits)
        BN_TRY(bn_set_choose(s, v, root, false));
    else
        bn_price_undo(s->price, &v, 1);
done:
    return rc;
}

/* Meets the neighbours of a node; those in the set or taken into it go to the queue. */
static bonsai_status widen_from(widening *w, int32_t v)
{
    bonsai_status rc = BONSAI_OK;
    bn_set *s = w->s;
    const bn_near near = bn_near_of(s->reader, v);
    for (int64_t e = 0; e < near.count && w->misses < s->job->o->patience; e++) {
        int32_t u = near.to[e];
        bool in = true;
        if (w->head == w->ahead && e == w->entry)
            BN_TRY(look_ahead(w));
        if (bn_bit(w->met, u))
            continue;
        bn_bit_set(w->met, u);
        if (bn_set_role(s, u) == BONSAI_ROLE_NONE)
            BN_TRY(take_node(&in, s, u, bn_set_find(s, v)->brought));
        w->misses = in ? 0 : w->misses + 1;
        if (in)
            BN_TRY(enqueue(w, u));
    }
done:
    return rc;
}

bonsai_status bn_set_widen(bn_set *s)
{
    bonsai_status rc;
    widening w = {.s = s};
    bn_ranked *root = NULL;
    int64_t roots = 0;
    BN_TRY(BN_NEW(&w.met, BN_WORDS(s->job->g->view.nodes)));
    BN_TRY(bn_set_lowest(&root, &roots, s, 1 << BONSAI_ROLE_ROOT));
    for (int64_t i = roots - 1; i >= 0; i--) {
        BN_TRY(enqueue(&w, root[i].node));
        bn_bit_set(w.met, root[i].node);
    }
    for (int hop = 0; hop < s->job->o->layers; hop++)
        for (w.end = w.tail; w.head < w.end && w.misses < s->job->o->patience; w.head++) {
            if (w.head > w.ahead)       /* the node before had no neighbours */
                w.ahead = w.head;
            BN_TRY(widen_from(&w, w.queue[w.head]));
            if (w.head % 1024 == 0)
                BN_TRY(bn_tick(s->job->at.progress, "finishing", 0, 1));
        }
done:
    bn_free(w.met);
    bn_free(w.queue);
    bn_free(root);
    return rc;
}
