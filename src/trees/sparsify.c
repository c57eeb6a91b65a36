/* sparsify.c -- ranks the chosen nodes by PageRank from the roots, and drops ego nodes below its
 * knee. Paper: appendix on PPR.
 *
 * Linear in the chosen nodes and all their entries; takes a bit a node of the whole graph.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "chosen.h"

enum { AHEAD = 1024 };          /* nodes that are fetched together */

typedef struct {                /* the graph that the set induces */
    int64_t   n;
    uint64_t *in;               /* nodes of the full graph: bits; its own are in their order */
    int32_t  *before;           /* words of bits: its nodes before them */
    int64_t  *offsets;
    int32_t  *neighbors;
    float    *weights;
    uint8_t  *root;
    double   *pi;
} induced;

static void free_induced(induced *h)
{
    bn_free(h->in);
    bn_free(h->before);
    bn_free(h->offsets);
    bn_free(h->neighbors);
    bn_free(h->weights);
    bn_free(h->root);
    bn_free(h->pi);
}

/* Numbers the chosen nodes by id, and puts them in that order. */
static bonsai_status number_nodes(induced *h, bn_chosen *s)
{
    bonsai_status rc;
    int64_t words = BN_WORDS(s->job->g->view.nodes), count = 0;
    BN_TRY(BN_NEW(&h->in, words));
    BN_TRY(BN_NEW(&h->before, words));
    for (int64_t i = 0; i < s->members; i++)
        bn_bit_set(h->in, s->member[i]);
    for (int64_t w = 0; w < words; w++) {
        h->before[w] = (int32_t)count;
        for (uint64_t bits = h->in[w]; bits != 0; bits &= bits - 1)
            s->member[count++] = (int32_t)(w * 64 + __builtin_ctzll(bits));
    }
    h->n = count;
done:
    return rc;
}

static int32_t number_of(const induced *h, int32_t node)
{
    uint64_t below = h->in[node >> 6] & (((uint64_t)1 << (node & 63)) - 1);
    return h->before[node >> 6] + __builtin_popcountll(below);
}

/* Appends the entries of a chosen node to chosen nodes. */
static void induce_row(induced *h, const bn_chosen *s, int64_t i)
{
    const bn_near near = bn_near_of(s->reader, s->member[i]);
    int64_t at = h->offsets[i];
    for (int64_t e = 0; e < near.count; e++) {
        if (!bn_bit(h->in, near.to[e]))
            continue;
        h->neighbors[at] = number_of(h, near.to[e]);
        if (h->weights)
            h->weights[at] = near.weight[e];
        at++;
    }
    h->offsets[i + 1] = at;
}

static bonsai_status induce(induced *h, bn_chosen *s)
{
    bonsai_status rc;
    int64_t most = bn_price_entries(s->price);  /* of the chosen nodes and a few more */
    BN_TRY(number_nodes(h, s));
    BN_TRY(BN_NEW(&h->offsets, h->n + 1));
    BN_TRY(BN_NEW(&h->neighbors, most));
    if (bn_has(s->job->g, BONSAI_SECTION_EDGE_WEIGHTS))
        BN_TRY(BN_NEW(&h->weights, most));
    BN_TRY(BN_NEW(&h->root, h->n));
    BN_TRY(BN_NEW(&h->pi, h->n));
    for (int64_t i = 0; i < h->n; i++) {
        h->root[i] = bn_chosen_role(s, s->member[i]) == BONSAI_ROLE_ROOT;
        induce_row(h, s, i);
    }
done:
    return rc;
}

/* Reports the last progress again: PageRank is part of a stage that does not advance meanwhile. */
static int say_again(const bonsai_progress *p, void *payload)
{
    const bn_chosen *s = payload;
    (void)p;
    return s->last.stage && s->job->at.progress.fn
               ? s->job->at.progress.fn(&s->last, s->job->at.progress.payload) : 0;
}

bonsai_status bn_chosen_rank(bn_chosen *s)
{
    bonsai_status rc;
    induced h = {0};
    int steps;
    const bn_place at = {.threads = s->job->at.threads, .progress = {say_again, s}};
    BN_TRY(induce(&h, s));
    BN_TRY(bn_ppr(h.pi, &steps, &(bn_links){h.n, h.offsets, h.neighbors, h.weights, h.root},
                  s->job->o->beta, &at));
    for (int64_t i = 0; i < h.n; i++)
        bn_chosen_find(s, s->member[i])->score = h.pi[i];
done:
    free_induced(&h);
    return rc;
}

bonsai_status bn_chosen_lowest(bn_ranked **out, int64_t *count, const bn_chosen *s, int roles)
{
    bonsai_status rc = BN_NEW(out, s->members);
    *count = 0;
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < s->members; i++) {
        const bn_chosen_node *c = bn_chosen_find(s, s->member[i]);
        if (roles & 1 << c->role)
            (*out)[(*count)++] = (bn_ranked){c->score, s->member[i]};
    }
    qsort(*out, (size_t)*count, sizeof **out, bn_lowest_first);
    return BONSAI_OK;
}

bonsai_status bn_chosen_knee(double *bar, bn_chosen *s, const bn_ranked *all, int64_t count)
{
    bonsai_status rc;
    double *sorted = NULL;
    int64_t knee;
    BN_TRY(BN_NEW(&sorted, count));
    for (int64_t i = 0; i < count; i++)
        sorted[i] = all[count - 1 - i].score;
    bn_knee(&knee, bar, sorted, count);
    bn_chosen_trace_scores(s, sorted, count, knee);
done:
    bn_free(sorted);
    return rc;
}

/* Keeps the nodes of one role, in their order; returns their number. */
static int64_t keep_role(bn_ranked *all, int64_t count, const bn_chosen *s, int role)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (bn_chosen_role(s, all[i].node) == role)
            all[kept++] = all[i];
    return kept;
}

bonsai_status bn_chosen_prune(bn_chosen *s, int64_t *pruned, bool *settled)
{
    bonsai_status rc;
    const bonsai_condense_options *o = s->job->o;
    bn_ranked *ego = NULL;
    int32_t *going = NULL;
    int64_t egos = 0, below = 0;
    double bar;
    *pruned = 0;
    BN_TRY(bn_chosen_rank(s));
    BN_TRY(bn_chosen_lowest(&ego, &egos, s, 1 << BONSAI_ROLE_EGO | 1 << BONSAI_ROLE_ROOT));
    BN_TRY(bn_chosen_knee(&bar, s, ego, egos));
    egos = keep_role(ego, egos, s, BONSAI_ROLE_EGO);
    BN_TRY(BN_NEW(&going, egos));
    int64_t most = (int64_t)(o->prune_share * (double)egos);
    for (; below < egos && below < most && ego[below].score < bar; below++)
        going[below] = ego[below].node;
    bool few = below == 0 || (double)below < o->min_pruned * (double)s->members;
    *settled = few && bn_chosen_used(s) >= BN_ENOUGH;
    if (!*settled && bn_chosen_drop(s, going, below))
        *pruned = below;
    bn_chosen_trace_pruned(s, *pruned);
done:
    bn_free(ego);
    bn_free(going);
    return rc;
}

/* ---- single nodes ---- */

typedef struct {
    bn_chosen   *s;
    uint64_t *met;              /* n bits */
    int32_t  *queue;            /* of the set, the nearest first */
    int64_t   head, tail, room;
    int64_t   end;              /* of the nodes at one distance */
    int64_t   ahead, entry;     /* of the queue, and of that node: asked for up to here */
    int64_t   misses;
} widening;

/* Fetches the next neighbours that might be taken. */
static bonsai_status look_ahead(widening *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_reader *r = w->s->reader;
    for (int64_t asked = 0; bn_reader_remote(r) && w->ahead < w->end && asked < AHEAD;) {
        const bn_near near = bn_near_of(r, w->queue[w->ahead]);
        for (; w->entry < near.count && asked < AHEAD; w->entry++) {
            int32_t u = near.to[w->entry];
            if (bn_bit(w->met, u) || bn_chosen_role(w->s, u) != BONSAI_ROLE_NONE)
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
static bonsai_status take_node(bool *fits, bn_chosen *s, int32_t v, int32_t root)
{
    bonsai_status rc;
    bn_price_mark(s->price);
    BN_TRY(bn_price_add(s->price, v));
    *fits = !bn_chosen_exceeds(s);
    if (*fits)
        BN_TRY(bn_chosen_add(s, v, root, false));
    else
        bn_price_undo(s->price, &v, 1);
done:
    return rc;
}

/* Takes the neighbours of a node that fit, and queues those that are chosen now. */
static bonsai_status widen_from(widening *w, int32_t v)
{
    bonsai_status rc = BONSAI_OK;
    bn_chosen *s = w->s;
    const bn_near near = bn_near_of(s->reader, v);
    for (int64_t e = 0; e < near.count && w->misses < s->job->o->patience; e++) {
        int32_t u = near.to[e];
        bool in = true;
        if (w->head == w->ahead && e == w->entry)
            BN_TRY(look_ahead(w));
        if (bn_bit(w->met, u))
            continue;
        bn_bit_set(w->met, u);
        if (bn_chosen_role(s, u) == BONSAI_ROLE_NONE)
            BN_TRY(take_node(&in, s, u, bn_chosen_find(s, v)->brought));
        w->misses = in ? 0 : w->misses + 1;
        if (in)
            BN_TRY(enqueue(w, u));
    }
done:
    return rc;
}

bonsai_status bn_chosen_widen(bn_chosen *s)
{
    bonsai_status rc;
    widening w = {.s = s};
    bn_ranked *root = NULL;
    int64_t roots = 0;
    BN_TRY(BN_NEW(&w.met, BN_WORDS(s->job->g->view.nodes)));
    BN_TRY(bn_chosen_lowest(&root, &roots, s, 1 << BONSAI_ROLE_ROOT));
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
