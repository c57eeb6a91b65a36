/* auto.c -- chooses the best of several methods: each makes its graph, and a probe scores it.
 *
 * Prototypes are first.  Nodes are picked only if they can
 * still win, because picking, neighbours above all, takes longer than prototypes.  Methods that
 * pick nodes enter from the cheapest to the dearest, each only while picked nodes can still beat
 * the best so far.  They measure on the rows that prototypes are made of.  The highest score wins,
 * the cheaper method where scores are equal.  If a method cannot meet the budget, the others are
 * used.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods.h"
#include "prototypes/judge.h"
#include "record/record.h"

typedef struct {
    bonsai_method method;
    bonsai_graph *small;
    bonsai_condense_info info;
    bonsai_status rc;
    bn_error error;             /* if the method failed: the refusal, ... */
    char sentence[120];         /* ... and its reason, without the name of the file */
    int64_t bound_nodes;        /* if it cannot win: the nodes that info.probe bounds */
} entrant;

/* ---- entering ---- */

/* Keeps a refusal of the budget or the options; any other error ends the run. */
static bonsai_status note_refusal(entrant *e, const char *where)
{
    if (e->rc != BONSAI_E_ARGUMENT)
        return e->rc;
    bn_error_keep(&e->error);
    bn_request_refusal(e->sentence, sizeof e->sentence, where);
    return BONSAI_OK;
}

/* Probes the graph of picked nodes on rank 0, which has it; info is the same everywhere. */
static bonsai_status probe_picked(entrant *e, const bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    bn_world *w = job->at.world;
    bn_enter(&job->at, BN_STAGE_PROBE);
    e->info.probe = -1;
    if (job->probe && bn_rank(w) == 0)
        rc = bn_probe_graph(&e->info.probe, job->probe, e->small);
    BN_TRY(bn_agree(w, rc));
    BN_TRY(bn_share(w, &e->info, sizeof e->info, 0));
done:
    return rc;
}

static bonsai_status enter(entrant *e, const bn_request *asked)
{
    bn_job *job = &asked->p->job;
    const bn_method *m = bn_method_of(e->method);
    bn_request r = *asked;
    r.o.method = e->method;
    if ((m->needs & BN_NEEDS_COVER) && !r.o.no_rknn && r.o.k >= job->trees)
        e->rc = bn_fail(BONSAI_E_ARGUMENT, "k is %d but there are %lld trees", r.o.k,
                        (long long)job->trees);
    else {
        if ((m->needs & BN_NEEDS_COVER) && !r.more)     /* it is the last to enter */
            bn_rows_forget(job);
        e->rc = m->run(&e->small, &e->info, &r);
    }
    if (e->rc != BONSAI_OK)
        return note_refusal(e, asked->p->full->where);
    return m->pick ? probe_picked(e, job) : BONSAI_OK;
}

/* ---- choosing ---- */

/* Returns the best graph, the first of equal ones; NULL if all methods failed. */
static entrant *best_of(entrant *all, int count)
{
    entrant *best = NULL;
    for (entrant *e = all; e < all + count; e++)
        if (e->rc == BONSAI_OK && (!best || e->info.probe > best->info.probe))
            best = e;
    return best;
}

/* Bounds the score of picked nodes; notes it if it is below the best by two standard errors. */
static bonsai_status look_ahead(entrant *e, const entrant *best, bn_picked_bound *ahead,
                                const bn_request *r)
{
    bonsai_status rc = BONSAI_OK;
    if (!best)
        goto done;
    const bn_probe *probe = r->p->job.probe;
    const int64_t judged = probe ? bn_probe_merit(probe)->independent : 0;
    double bar = best->info.probe - 2 * bn_probe_error(best->info.probe, judged);
    BN_TRY(bn_fullprobe_bound(ahead, r, bar));
    if (ahead->nodes > 0 && ahead->percent < bar) {
        e->bound_nodes = ahead->nodes;
        e->info.probe = ahead->percent;
    }
done:
    return rc;
}

/* Returns 2 for a graph that was made, 1 for one that cannot win, 0 for one that cannot be made. */
static int outcome(const entrant *e)
{
    return e->rc == BONSAI_OK ? 2 : e->bound_nodes > 0;
}

/* Returns the entrant of highest score but the best one, or one that failed; NULL: no other. */
static entrant *runner_up(entrant *all, int count, const entrant *best)
{
    entrant *other = NULL;
    for (entrant *e = all; e < all + count; e++)
        if (e != best && (!other || outcome(e) > outcome(other) ||
                          (outcome(e) == outcome(other) && e->info.probe > other->info.probe)))
            other = e;
    return other;
}

static void say_why(entrant *best, const entrant *other, const bn_job *job)
{
    const char *name = bonsai_method_name(best->method), *with = bonsai_method_name(other->method);
    bonsai_condense_info *i = &best->info;
    const char *judged = job->held ? "held-out training" : "validation";
    if (job->judge.far.rows == 0)
        bn_fact_print(i, BN_FACT_WHY, "%s: there are no nodes for a probe to judge on", name);
    else if (other->bound_nodes > 0)
        bn_fact_print(i, BN_FACT_WHY, "%s: the probe scores %.1f %% (%lld %s node%s); the best "
                      "alternative, %lld training node%s as they are, would score %.1f %%", name,
                      best->info.probe, (long long)job->judge.far.rows, judged,
                      bn_s(job->judge.far.rows), (long long)other->bound_nodes,
                      bn_s(other->bound_nodes), other->info.probe);
    else if (other->rc != BONSAI_OK)
        bn_fact_print(i, BN_FACT_WHY, "%s: %s cannot be made: %s", name, with, other->sentence);
    else
        bn_fact_print(i, BN_FACT_WHY, "%s: the probe scores %.1f %% (%lld %s node%s); the best "
                      "alternative, %s, scores %.1f %%", name, best->info.probe,
                      (long long)job->judge.far.rows, judged, bn_s(job->judge.far.rows), with,
                      other->info.probe);
}

/* Raises again the refusal of the first method that makes nodes, else of any. */
static bonsai_status refuse(const entrant *all, int count)
{
    const entrant *first = all;
    for (const entrant *e = all; e < all + count; e++)
        if (bn_method_of(e->method)->make)
            first = e;
    return bn_error_raise(&first->error);
}

static bonsai_status settle(bonsai_graph **out, bonsai_condense_info *info, entrant *all, int count,
                            const bn_preparation *p)
{
    bonsai_status rc = BONSAI_OK;
    bn_enter(&p->job.at, BN_STAGE_FINISH);
    entrant *best = best_of(all, count);
    if (!best)
        return refuse(all, count);
    entrant *other = runner_up(all, count, best);
    bn_fact_set(&best->info, BN_FACT_PROBE_OTHER, outcome(other) > 0 ? other->info.probe : -1);
    bn_fact_set(&best->info, BN_FACT_CHOSEN, 1);
    say_why(best, other, &p->job);
    if (best->small)                    /* of picked nodes, on rank 0 */
        rc = bn_record_reason(best->small, &best->info);
    BN_TRY(bn_agree(p->job.at.world, rc));
    *info = best->info;
    *out = best->small;
    best->small = NULL;
done:
    return rc;
}

/* Runs the methods that pick nodes while they can win; without a probe only if the others
 * failed. */
static bonsai_status enter_picked(entrant *all, int count, const bn_request *r)
{
    bonsai_status rc = BONSAI_OK;
    bn_picked_bound ahead = {0};
    for (int i = 0; i < count; i++) {
        const entrant *best = best_of(all, count);
        if (bn_method_of(all[i].method)->make || (best && !r->p->job.probe))
            continue;
        BN_TRY(look_ahead(&all[i], best, &ahead, r));
        if (all[i].bound_nodes == 0)
            BN_TRY(enter(&all[i], r));
    }
done:
    return rc;
}

/* Runs the methods that make nodes, then those that pick some. */
static bonsai_status enter_all(entrant *all, int count, const bn_request *r)
{
    bonsai_status rc = BONSAI_OK;
    for (int i = 0; i < count; i++)
        if (bn_method_of(all[i].method)->make)
            BN_TRY(enter(&all[i], r));
    BN_TRY(enter_picked(all, count, r));
done:
    return rc;
}

/* Returns whether a method may enter, by its work; the judged rows stand for those of all ranks. */
static bool may_enter(const bn_method *m, const bn_request *r)
{
    const bn_job *job = &r->p->job;
    return (m->needs & BN_ENTERS_AUTO) &&
           (!(m->needs & BN_NEEDS_PAIRS) ||
            bn_fullprobe_nodes(r) * bn_numbers(&job->judge.far, job->trees) <= BN_MOST_PAIRS);
}

/* Returns the cost of a method in steps from 0, picking at random, to 3, finding neighbours. */
static int cost_of(bonsai_method m)
{
    unsigned needs = bn_method_of(m)->needs;
    return needs & BN_NEEDS_COVER ? 3 : needs & BN_NEEDS_PAIRS ? 2
           : (needs & BN_NEEDS_CLUSTERS) != 0;
}

bonsai_status bn_run_auto(bonsai_graph **out, bonsai_condense_info *info, const bn_request *r)
{
    bonsai_status rc;
    entrant all[BONSAI_METHOD_COUNT] = {{0}};
    int count = 0;
    for (int cost = 0; cost < 4; cost++)
        for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
            if (may_enter(bn_method_of((bonsai_method)m), r) && cost_of((bonsai_method)m) == cost)
                all[count++] = (entrant){.method = (bonsai_method)m, .rc = BONSAI_E_ARGUMENT};
    BN_TRY(enter_all(all, count, r));
    BN_TRY(settle(out, info, all, count, r->p));
done:
    for (int i = 0; i < count; i++)
        bonsai_graph_free(all[i].small);
    return rc;
}
