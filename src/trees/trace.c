/* trace.c -- records for the report what the roots cover by the bytes of their trees, and the
 * scores of each round of pruning.
 *
 * The bytes are those of the final set: rounds of taking and pruning use the same bytes again and
 * again, and a curve over them would not show what a byte is worth.  Curves are thinned out, and
 * take the same memory for ten trees and for a million.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "chosen.h"

/* ---- rounds of pruning ---- */

void bn_chosen_trace_round(bn_chosen *s)
{
    if (s->trace && s->trace->starts < BN_TRACE_STARTS)
        s->trace->start[s->trace->starts++] = s->turns;
}

/* Returns the i-th rank to record: each one if there is room, else at growing distances. */
static int64_t nth_rank(int64_t i, int64_t n)
{
    if (n <= BN_TRACE_SCORES)
        return i;
    int64_t rank = (int64_t)pow((double)n, (double)i / (BN_TRACE_SCORES - 1)) - 1;
    return i == BN_TRACE_SCORES - 1 ? n - 1 : rank > i ? rank : i;
}

void bn_chosen_trace_scores(bn_chosen *s, const double *sorted, int64_t n, int64_t knee)
{
    bn_trace *t = s->trace;
    if (!t)
        return;
    int64_t number = t->rounds > 0 ? t->round[t->rounds - 1].number + 1 : 1;
    t->rounds += t->rounds < BN_TRACE_ROUNDS;
    bn_trace_round *r = &t->round[t->rounds - 1];
    *r = (bn_trace_round){.number = number, .nodes = n, .knee = knee};
    r->count = n < BN_TRACE_SCORES ? n : BN_TRACE_SCORES;
    for (int64_t i = 0; i < r->count; i++) {
        r->rank[i] = nth_rank(i, n);
        if (i + 1 < r->count && r->rank[i] < knee && nth_rank(i + 1, n) > knee)
            r->rank[i] = knee;          /* it shall be a point of the curve */
        r->score[i] = sorted[r->rank[i]];
    }
}

void bn_chosen_trace_pruned(bn_chosen *s, int64_t pruned)
{
    if (s->trace)
        s->trace->round[s->trace->rounds - 1].pruned = pruned;
}

/* ---- the curve ---- */

typedef struct {
    int32_t turn;               /* of the root that brought it; the last if it was dropped */
    int32_t node;
    bool    root;
} arrival;

static int in_turn(const void *a, const void *b)
{
    const arrival *x = a, *y = b;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return x->root != y->root ? y->root - x->root : x->node < y->node ? -1 : x->node > y->node;
}

static void list_arrivals(arrival *all, const bn_chosen *s)
{
    for (int64_t i = 0; i < s->members; i++) {
        const bn_chosen_node *c = bn_chosen_find(s, s->member[i]);
        const bn_chosen_node *by = bn_chosen_find(s, c->brought);
        all[i] = (arrival){by->role == BONSAI_ROLE_ROOT ? by->turn : INT32_MAX, s->member[i],
                           c->role == BONSAI_ROLE_ROOT};
    }
    qsort(all, (size_t)s->members, sizeof *all, in_turn);
}

/* Drops every second point that need not be kept, and halves the rate of new ones. */
static void thin(bn_trace *t)
{
    int64_t left = 0, seen = 0;
    for (int64_t i = 0; i < t->count; i++)
        if (t->point[i].keep || seen++ % 2 == 0)
            t->point[left++] = t->point[i];
    t->count = left;
    t->every *= 2;
}

/* Adds a point, thinning out if needed; leaves one place for the last point. */
static void add_point(bn_trace *t, double bytes, int64_t covered, bool keep)
{
    if (++t->met < t->every && !keep)
        return;
    t->met = 0;
    if (t->count == BN_TRACE_POINTS - 1)
        thin(t);
    t->point[t->count++] = (bn_trace_point){bytes, covered, keep};
}

/* Returns whether a round began between two turns. */
static bool new_round(const bn_trace *t, int32_t last, int32_t now)
{
    for (int64_t i = 0; i < t->starts; i++)
        if (last < t->start[i] && t->start[i] <= now)
            return true;
    return false;
}

/* Removes all nodes from the price and adds them again in turn, which restores it exactly. */
static void follow(bn_chosen *s, const arrival *all, uint8_t *covered)
{
    bn_trace *t = s->trace;
    int64_t reached = 0, n = s->members;
    int32_t last = -1;
    t->every = 1;
    for (int64_t i = 0; i < n; i++)
        bn_price_remove(s->price, all[i].node);
    for (int64_t i = 0; i < n; i++) {
        bn_price_again(s->price, all[i].node);
        reached += all[i].root ? bn_chosen_cover(covered, s, all[i].node) : 0;
        if (i + 1 < n && all[i + 1].turn == all[i].turn)
            continue;
        if (i + 1 == n)
            t->point[t->count++] = (bn_trace_point){bn_price_bytes(s->price), reached, true};
        else
            add_point(t, bn_price_bytes(s->price), reached, new_round(t, last, all[i].turn));
        last = all[i].turn;
    }
}

bonsai_status bn_chosen_trace_curve(bn_chosen *s)
{
    bonsai_status rc;
    arrival *all = NULL;
    uint8_t *covered = NULL;
    if (!s->trace || s->z == 0)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&all, s->members));
    BN_TRY(BN_NEW(&covered, s->z));
    list_arrivals(all, s);
    follow(s, all, covered);
done:
    bn_free(all);
    bn_free(covered);
    return rc;
}
