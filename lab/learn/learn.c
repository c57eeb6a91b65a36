/* learn.c -- the loop of all methods that learn: rounds, limits, the choice of the round that is
 * kept.
 *
 * The probe scores the small graph at the start, about ten times on the way and at the end; the one
 * with the highest score is kept, the first of equals.  Without validation nodes, or if the last
 * round is asked for, the last one is kept.  A run whose time is up, or whose gradients stop being
 * finite, ends with what it has.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "record/record.h"
#include "problem.h"

enum { LOOKS = 10, MOST_SKIPPED = 10 };

typedef struct {
    bn_problem      s;
    bn_learn_report *card;
    bn_fit         fit;
    bonsai_graph  *kept;
    bool           probes;      /* the probe chooses */
} run;

/* Fills *bits with the bits of a stored feature: four if all features are squares. */
static bonsai_status bits_of(int *bits, const bonsai_graph *g)
{
    bn_traits t;
    bool integer;
    bonsai_status rc = bn_traits_of(&t, &integer, g, NULL);
    if (rc == BONSAI_OK && *bits == 8 && (t.q4 || t.s4))
        *bits = 4;
    return rc;
}

/* Scores the small graph after `done` rounds by the probe, if the probe chooses, and keeps the
 * better one. */
static bonsai_status look(run *a, int64_t done)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    double percent = -1;
    int bits = a->fit.bits;
    const bn_job *job = a->s.job;
    BN_TRY(a->s.how->show(&a->s));
    BN_TRY(bn_learned_graph(&g, &a->s, &a->fit));
    BN_TRY(bits_of(&bits, g));
    bn_enter(&job->at, BN_STAGE_PROBE);
    if (a->probes)
        BN_TRY(bn_probe_graph(&percent, job->probe, g));
    bn_enter(&job->at, BN_STAGE_LEARN);
    if (a->kept && a->probes && percent <= a->card->probe)
        goto done;
    bonsai_graph_free(a->kept);
    a->kept = g;
    g = NULL;
    a->card->kept = done;
    a->card->probe = percent;
    a->card->loss = a->s.loss;
    a->card->bits = bits;
done:
    bonsai_graph_free(g);
    return rc;
}

bonsai_status bn_problem_tick(const bn_problem *s, int64_t done)
{
    char note[48];
    snprintf(note, sizeof note, "loss %.4g", s->loss);
    return bn_tick_note(s->job->at.progress, "learning", done, s->steps, done > 0 ? note : NULL);
}

static bool is_due(const run *a, int64_t done)
{
    const int64_t every = (a->s.steps + LOOKS - 1) / LOOKS;
    return a->probes && done % every == 0 && done < a->s.steps;
}

static bonsai_status rounds(run *a)
{
    bonsai_status rc;
    bn_problem *s = &a->s;
    bn_learn_report *card = a->card;
    BN_TRY(bn_problem_tick(s, 0));
    for (int64_t i = 0; i < s->steps && !card->late && !card->failed; i++) {
        if (is_due(a, i))
            BN_TRY(look(a, i));
        s->made = BN_MADE_WHOLE;
        BN_TRY(s->how->step(s, i));
        card->done = i + (s->made != BN_MADE_NONE);
        card->late = s->made != BN_MADE_WHOLE || (bn_problem_late(s) && i + 1 < s->steps);
        card->failed = s->in_a_row >= MOST_SKIPPED;
        BN_TRY(bn_problem_tick(s, card->done));
    }
    BN_TRY(look(a, card->done));
done:
    return rc;
}

static bonsai_status learn(run *a)
{
    bonsai_status rc;
    BN_TRY(bn_blas_begin(a->s.threads));
    rc = a->s.how->begin(&a->s);
    if (rc == BONSAI_OK)
        rc = rounds(a);
    bn_blas_end();
done:
    return rc;
}

bonsai_status bn_learn(bonsai_graph **out, bn_learn_report *card, const bn_learner *how,
                       const bn_job *job, const bn_budget *budget)
{
    bonsai_status rc;
    run a = {.card = card,
                .probes = job->o->keep == BONSAI_KEEP_PROBE && job->probe && !job->held};
    const double limit = job->o->time_limit;
    const double until = limit > 0 ? bn_seconds() + limit : INFINITY;
    *card = (bn_learn_report){.probe = -1};
    bn_enter(&job->at, BN_STAGE_LEARN);
    BN_TRY(bn_learned_nodes(&a.fit, how, job, budget));
    BN_TRY(bn_problem_new(&a.s, how, job, a.fit.nodes));
    a.s.until = until;
    card->nodes = a.fit.nodes;
    card->bits = a.fit.bits;
    card->cut = a.fit.cut;
    card->limited = a.fit.limited;
    card->like = a.s.like;
    card->is_like = bn_is_like(&a.s);
    BN_TRY(learn(&a));
    card->steps = a.s.steps;
    card->skipped = a.s.skipped;
    *out = a.kept;
    a.kept = NULL;
done:
    bonsai_graph_free(a.kept);
    bn_problem_free(&a.s);
    return rc;
}

/* ---- the small graph of one request, and its record ---- */

/* Writes the line that a reader should know about the run. */
static void say_how(bonsai_condense_info *i, const bn_learn_report *c)
{
    char limit[64] = "", end[64] = "";
    if (c->limited)
        snprintf(limit, sizeof limit, "%d nodes at most; ", BN_MOST_PAIRED);
    if (c->failed || c->late)
        snprintf(end, sizeof end, "; %s after %lld",
                 c->failed ? "gradients were no longer finite" : "the time was up",
                 (long long)c->done);
    bn_fact_print(i, BN_FACT_WHY, "%ssettings of %s%s; round %lld of %lld kept%s", limit,
                  bn_like_name(c->like), c->is_like ? "" : ", the nearest shape",
                  (long long)c->kept, (long long)c->steps, end);
}

static void set_report(bonsai_condense_info *i, const bn_learn_report *c)
{
    bn_fact_set(i, BN_FACT_PROBE, c->probe);
    bn_fact_set(i, BN_FACT_LEARN_NODES, (double)c->nodes);
    bn_fact_set(i, BN_FACT_LEARN_ROUNDS, (double)c->steps);
    bn_fact_set(i, BN_FACT_LEARN_MADE, (double)c->done);
    bn_fact_set(i, BN_FACT_LEARN_KEPT, (double)c->kept);
    bn_fact_set(i, BN_FACT_LEARN_SKIPPED, (double)c->skipped);
    bn_fact_set(i, BN_FACT_LEARN_LOSS, c->kept > 0 && isfinite(c->loss) ? c->loss : NAN);
    bn_fact_set(i, BN_FACT_LEARN_OWN, c->is_like);
    bn_fact_set(i, BN_FACT_LEARN_BITS, c->bits);
    bn_fact_set(i, BN_FACT_LEARN_CUT, c->cut);
    bn_fact_print(i, BN_FACT_LEARN_SETTINGS, "%s", bn_like_name(c->like));
    bn_fact_print(i, BN_FACT_LEARN_END, "%s", c->failed ? "not finite" : c->late ? "time" : "done");
    say_how(i, c);
}

static bonsai_status finish_learned(bonsai_graph *small, bonsai_condense_info *info,
                                    const bn_request *q, const bn_learn_report *c)
{
    bonsai_status rc;
    BN_TRY(bn_fill_sizes(info, q, small));
    bn_fact_set(info, BN_FACT_LOSSLESS_RATIO, info->bytes / bn_full_in_bits(q, c->bits));
    set_report(info, c);
    BN_TRY(bn_check_bytes(info, q));
    BN_TRY(bn_record_write(small, info, &q->o, NULL));
done:
    return rc;
}

bonsai_status bn_run_learned(bonsai_graph **out, bonsai_condense_info *info, const bn_request *q)
{
    bonsai_status rc;
    bn_learn_report card;
    bonsai_graph *small = NULL;
    BN_TRY(bn_learn(&small, &card, bn_method_of(q->o.method)->how, &q->p->job, &q->budget));
    bn_enter(&q->p->job.at, BN_STAGE_FINISH);
    BN_TRY(finish_learned(small, info, q, &card));
    *out = small;
    small = NULL;
done:
    bonsai_graph_free(small);
    return rc;
}
