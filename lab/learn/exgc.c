/* exgc.c -- efficient graph condensation (Fang et al., WWW 2024), from the paper's description.
 *
 * GCond that learns few nodes at first: one of each class.  After every twelfth of a run, or every
 * round of a short one, more nodes join: those with the largest sum over features of |x dD/dx|, D
 * the distance.  The other nodes remain the training nodes that they were drawn from.  The authors'
 * code was not available, so the share that joins is our choice.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "gcond.h"

enum { PARTS = 12 };                    /* of a run: between two of them nodes join */
static const double share = 0.2;        /* of all nodes that join each time */

static void first_of_each_class(bool *moves, const bn_problem *s)
{
    for (int64_t i = 0; i < s->n; i++)
        moves[i] = i == 0 || s->kind[i] != s->kind[i - 1];
}

static bonsai_status begin(bn_problem *s)
{
    bonsai_status rc;
    const bn_gcond_how how = {.set = &bn_gcond_sets[s->like], .streams = 1};
    BN_TRY(bn_gcond_begin(s, &how));
    bn_gcond_state *g = s->state;
    BN_TRY(BN_NEW(&g->weight, s->n));
    BN_TRY(BN_NEW(&g->moves, s->n));
    first_of_each_class(g->moves, s);
done:
    return rc;
}

/* Returns the node of largest weight among the fixed nodes; -1 if none is fixed. */
static int64_t heaviest(const bn_gcond_state *g, const bn_problem *s)
{
    int64_t best = -1;
    for (int64_t i = 0; i < s->n; i++)
        if (!g->moves[i] && (best < 0 || g->weight[i] > g->weight[best]))
            best = i;
    return best;
}

static void let_more_move(bn_problem *s)
{
    bn_gcond_state *g = s->state;
    const int64_t more = (int64_t)(share * (double)s->n) + 1;
    for (int64_t k = 0; k < more; k++) {
        const int64_t i = heaviest(g, s);
        if (i < 0)
            break;
        g->moves[i] = true;
    }
    memset(g->weight, 0, (size_t)s->n * sizeof *g->weight);
}

static bonsai_status step(bn_problem *s, int64_t i)
{
    const int64_t every = s->steps / PARTS > 1 ? s->steps / PARTS : 1;
    if (i > 0 && i % every == 0)
        let_more_move(s);
    return bn_gcond_step(s, i);
}

const bn_learner bn_exgc = {
    .edges = true, .pair = 40, .begin = begin, .step = step, .show = bn_gcond_show,
    .end = bn_gcond_end, .work = bn_work_gcond,
};
