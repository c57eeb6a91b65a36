/* auto.c -- the best of several methods: each makes its graph, and a probe says which is better.
 *
 * Prototypes come first, with the score that they were chosen by.  Nodes are picked only if they
 * can still win: what they need, neighbours above all, takes longer than prototypes.  They get their
 * score here: ridge regression from the embeddings of the small graph's own labelled nodes, as a
 * network would see them there, to their labels, judged on the same nodes.  Where two are too close
 * to tell apart the one that stands first in the table is taken: trees are nodes of the graph, with
 * nothing rounded.  If one method cannot meet the budget, the others are used.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods.h"
#include "record.h"

typedef struct {
    bonsai_method method;
    bonsai_graph *small;
    bonsai_condense_info info;
    bonsai_status rc;
    char error[1024];           /* where it could not be made: what was said, ... */
    char sentence[120];         /* ... and why not, without the name of the file */
    int64_t outlook;            /* where it could not win: from so many nodes info.probe is what
                                 * it could expect */
} entrant;

/* ---- entering ---- */

/* A refusal of this budget or of these options; anything else ends the run.  The name of the file
 * is left out: it may be any bytes, and a record may not. */
static bonsai_status note_refusal(entrant *e, const char *where)
{
    if (e->rc != BONSAI_E_ARGUMENT)
        return e->rc;
    snprintf(e->error, sizeof e->error, "%s", bonsai_error());
    const char *text = e->error;
    size_t len = strlen(where);
    if (strncmp(text, where, len) == 0 && text[len] == ':' && text[len + 1] == ' ')
        text += len + 2;
    snprintf(e->sentence, sizeof e->sentence, "%.119s", text);
    for (char *at = e->sentence; *at; at++)
        *at = (unsigned char)*at < 0x80 ? *at : '?';
    return BONSAI_OK;
}

/* On rank 0, which has the graph of picked nodes; info is the same everywhere. */
static bonsai_status probe_picked(entrant *e, const bn_job *job, const bn_probe *p)
{
    bonsai_status rc = BONSAI_OK;
    bn_world *w = job->at.world;
    bn_enter(&job->at, BN_STAGE_PROBE);
    e->info.probe = -1;
    if (p && bn_rank(w) == 0)
        rc = bn_probe_graph(&e->info.probe, p, e->small);
    BN_TRY(bn_agree(w, rc));
    BN_TRY(bn_share(w, &e->info, sizeof e->info, 0));
done:
    return rc;
}

static bonsai_status enter(entrant *e, const bn_request *asked, const bn_probe *p)
{
    bonsai_status rc = BONSAI_OK;
    const bn_job *job = &asked->p->job;
    const bn_method *m = bn_method_of(e->method);
    bn_request r = *asked;
    r.o.method = e->method;
    if ((m->needs & BN_NEEDS_COVER) && !r.o.no_rknn && r.o.k >= job->trees)
        e->rc = bn_fail(BONSAI_E_ARGUMENT, "k is %d but there are %lld trees", r.o.k,
                        (long long)job->trees);
    else {
        if (m->needs & BN_NEEDS_COVER)
            BN_TRY(bn_prepare_cover(r.p, r.more));
        e->rc = m->run(&e->small, &e->info, &r);
    }
    if (e->rc != BONSAI_OK)
        return note_refusal(e, asked->p->full->where);
    rc = m->pick ? probe_picked(e, job, p) : BONSAI_OK;
done:
    return rc;
}

/* ---- choosing ---- */

/* A standard error of a score. */
static double error_of(double percent, int64_t judged)
{
    double share = percent / 100;
    return judged > 0 ? 100 * sqrt(share * (1 - share) / (double)judged) : 0;
}

/* The best that could be made; an earlier one where the scores are too close.  NULL: none could. */
static entrant *best_of(entrant *all, int count, int64_t judged)
{
    entrant *best = NULL;
    for (entrant *e = all + count - 1; e >= all; e--)
        if (e->rc == BONSAI_OK &&
            (!best || (judged > 0 &&
                       e->info.probe > best->info.probe - error_of(best->info.probe, judged) / 2)))
            best = e;
    return best;
}

/* Whether picked nodes can expect less than the best so far, by two standard errors. */
static bonsai_status is_hopeless(entrant *e, entrant *all, int count, const bn_request *r,
                                 const bn_probe *p)
{
    bonsai_status rc;
    int64_t judged = r->p->job.judge.far.rows;
    const entrant *best = best_of(all, count, judged);
    if (!best)
        return BONSAI_OK;
    double bar = best->info.probe - 2 * error_of(best->info.probe, judged);
    BN_TRY(bn_outlook(&e->info.probe, &e->outlook, r, p, bar));
    if (e->info.probe >= bar)
        e->outlook = 0;
done:
    return rc;
}

/* The highest score among the others, or one that was not made. */
static entrant *runner_up(entrant *all, int count, const entrant *best)
{
    entrant *other = NULL;
    for (entrant *e = all; e < all + count; e++)
        if (e != best && (!other || (e->rc == BONSAI_OK && (other->rc != BONSAI_OK ||
                                                            e->info.probe > other->info.probe))))
            other = e;
    return other;
}

static void say_why(entrant *best, const entrant *other, const bn_job *job)
{
    const char *name = bonsai_method_name(best->method), *with = bonsai_method_name(other->method);
    char *why = best->info.why;
    size_t size = sizeof best->info.why;
    const char *judged = job->held ? "held-out training" : "validation";
    if (other->outlook > 0)
        bn_print(why, size, "%s: the probe got %.1f %% of %lld %s nodes right, with %lld training "
                 "nodes, as many as fit, %.1f %%: no %s were made", name, best->info.probe,
                 (long long)job->judge.far.rows, judged, (long long)other->outlook, other->info.probe,
                 with);
    else if (other->rc != BONSAI_OK)
        snprintf(why, size, "%s: %s cannot be made: %s", name, with, other->sentence);
    else if (job->judge.far.rows == 0)
        snprintf(why, size, "%s: there are no nodes for a probe to judge on", name);
    else
        bn_print(why, size, "%s: the probe got %.1f %% of %lld %s nodes right, with %s %.1f %%%s",
                 name, best->info.probe, (long long)job->judge.far.rows, judged, with, other->info.probe,
                 best->info.probe < other->info.probe ? ", too close to tell" : "");
}

static bonsai_status settle(bonsai_graph **out, bonsai_condense_info *info, entrant *all, int count,
                            const bn_preparation *p)
{
    bonsai_status rc = BONSAI_OK;
    bn_enter(&p->job.at, BN_STAGE_FINISH);
    entrant *best = best_of(all, count, p->job.judge.far.rows);
    if (!best)
        return bn_fail(all[count - 1].rc, "%s", all[count - 1].error);
    entrant *other = runner_up(all, count, best);
    best->info.probe_other = other->rc == BONSAI_OK || other->outlook > 0 ? other->info.probe : -1;
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

/* Those that make nodes, then those that pick some. */
static bonsai_status enter_all(entrant *all, int count, const bn_request *r)
{
    bonsai_status rc = BONSAI_OK;
    bn_probe *p = NULL;
    for (int i = 0; i < count; i++)
        if (bn_method_of(all[i].method)->make)
            BN_TRY(enter(&all[i], r, NULL));
    if (r->p->job.judge.far.rows > 0)
        BN_TRY(bn_agree(r->p->job.at.world, bn_probe_new(&p, &r->p->job)));
    for (int i = 0; i < count; i++) {
        if (bn_method_of(all[i].method)->make)
            continue;
        BN_TRY(is_hopeless(&all[i], all, count, r, p));
        if (all[i].outlook == 0)
            BN_TRY(enter(&all[i], r, p));
    }
done:
    bn_probe_free(p);
    return rc;
}

bonsai_status bn_run_auto(bonsai_graph **out, bonsai_condense_info *info, const bn_request *r)
{
    bonsai_status rc;
    entrant all[BONSAI_METHOD_COUNT] = {{0}};
    int count = 0;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
        if (bn_method_of((bonsai_method)m)->needs & BN_ENTERS_AUTO)
            all[count++] = (entrant){.method = (bonsai_method)m, .rc = BONSAI_E_ARGUMENT};
    BN_TRY(enter_all(all, count, r));
    BN_TRY(settle(out, info, all, count, r->p));
done:
    for (int i = 0; i < count; i++)
        bonsai_graph_free(all[i].small);
    return rc;
}
