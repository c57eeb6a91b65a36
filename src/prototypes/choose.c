/* choose.c -- the best candidates of each family, and the choice between them.
 *
 * A family is rows that are stored one by one, or rows in one kind of basis.  Within a family the
 * probe chooses; between families networks do that are trained on the small graphs (finals.c),
 * unless the options leave that out or the graphs are too large for it.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "search.h"

void bn_search_drop_finals(bn_search *w)
{
    for (int i = 0; i < w->finals; i++) {
        bonsai_graph_free(w->final[i].g);
        bn_basis_free(&w->final[i].basis);
    }
    w->finals = 0;
}

static bonsai_status add(bn_search *w, const bn_candidate *a)
{
    bonsai_status rc;
    bn_finalist *f = &w->final[w->finals++];
    *f = (bn_finalist){.t = a->t, .percent = a->percent, .score = a->percent};
    rc = bn_search_shares(&f->g, a, w);
    if (rc == BONSAI_OK && a->mold)
        rc = bn_basis_copy(&f->basis, a->t.bare ? &a->mold->bare : &a->mold->basis, 0,
                           w->job->o->coordinates);
    return bn_agree(w->world, rc);
}

bonsai_status bn_search_enter(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    if (w->best.c && w->finals < BN_FINALS_MOST)
        BN_TRY(add(w, &w->best));
done:
    bn_candidate_free(&w->best);
    return rc;
}

/* Trains networks on the finalists from `first` on and sets their scores, the same on every rank.
 * *epochs: to train for; 0: not known yet; below 0: the graphs are too large to train on. */
static bonsai_status train(bn_search *w, int first, int *epochs)
{
    bonsai_status rc;
    bn_entrant e[BN_FINALS_MOST];
    double score[BN_FINALS_MOST] = {0};
    const int count = w->finals - first;
    for (int i = 0; i < count; i++) {
        const bn_finalist *f = &w->final[first + i];
        const bn_basis *basis = f->basis.r > 0 ? &f->basis : NULL;
        e[i] = w->job->o->coordinates ? (bn_entrant){f->g, NULL, basis}
                                      : (bn_entrant){f->g, basis, NULL};
    }
    rc = bn_finals_judge(score, epochs, e, count, bn_probe_merit(w->probe), w->job);
    BN_TRY(bn_agree(w->world, rc));
    BN_TRY(bn_share(w->world, score, count * (int64_t)sizeof *score, 0));
    for (int i = 0; i < count && *epochs > 0; i++)
        w->final[first + i].score = score[i];
done:
    return rc;
}

static bool is_safe(const bn_search *w, const bn_trial *t)
{
    return t->views == (BN_BASIS_OWN | BN_BASIS_FAR) && t->kind == BN_KIND_MIXED && t->soft &&
           t->bare == bn_search_bare(w);
}

/* Returns the finalist with the highest score.  A basis of own and averaged rows is good on
 * nearly every graph, so another one must be better by more than chance: a judged node, and
 * half a standard error. */
static int winner(const bn_search *w)
{
    const int64_t judged = w->job->judge.far.rows;
    int best = 0, safe = -1;
    for (int i = 0; i < w->finals; i++) {
        best = w->final[i].score > w->final[best].score ? i : best;
        safe = safe < 0 && is_safe(w, &w->final[i].t) ? i : safe;
    }
    if (safe < 0 || judged == 0)
        return best;
    const double most = w->final[best].score;
    const double margin = fmax(100 / (double)judged, bn_probe_error(most, judged) / 2);
    return w->final[safe].score >= most - margin ? safe : best;
}

/* Returns a finalist with more prototypes of the same kind that is about as good, or the given
 * one: with more rows networks tolerate more, such as dropout. */
static int with_more(const bn_search *w, int best)
{
    const double margin = 100 / fmax((double)w->job->judge.far.rows, 1);
    for (int i = 0; i < w->finals; i++) {
        bn_trial t = w->final[i].t;
        t.nodes = w->final[best].t.nodes;
        if (bn_trial_same(&t, &w->final[best].t) && w->final[i].t.nodes > t.nodes &&
            w->final[i].score >= w->final[best].score - margin)
            best = i;
    }
    return best;
}

/* Trains networks on all finalists, then on variants of the best. */
static bonsai_status train_all(bn_search *w, int *epochs)
{
    bonsai_status rc;
    BN_TRY(train(w, 0, epochs));
    const bn_trial best = w->final[winner(w)].t;
    const int first = w->finals;
    if (*epochs < 0)
        goto done;
    BN_TRY(bn_search_variants(w, &best));
    bn_enter(&w->at, BN_STAGE_PROBE);
    if (w->finals > first)
        BN_TRY(train(w, first, epochs));
done:
    return rc;
}

/* Scores the finalists that the probe has not seen yet. */
static bonsai_status probe_all(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    for (int i = 0; i < w->finals; i++) {
        bn_finalist *f = &w->final[i];
        if (f->percent >= 0)
            continue;
        BN_TRY(bn_search_make(&w->best, w, &f->t, true));
        BN_TRY(bn_search_score(&w->best, w));
        f->score = f->percent = w->best.percent;
    }
done:
    return rc;
}

bonsai_status bn_search_choose(bn_search *w)
{
    bonsai_status rc;
    int epochs = w->job->o->no_training ? -1 : 0;
    bn_enter(&w->at, BN_STAGE_PROBE);
    if (epochs == 0)
        BN_TRY(train_all(w, &epochs));
    if (epochs < 0)
        BN_TRY(probe_all(w));
    const bn_finalist chosen = w->final[with_more(w, winner(w))];
    w->trained = epochs > 0 ? chosen.score : -1;
    w->recipe->finalists = epochs > 0 ? w->finals : 0;
    BN_TRY(bn_search_make(&w->best, w, &chosen.t, true));
    w->best.percent = chosen.percent;
    if (chosen.percent < 0)
        BN_TRY(bn_search_score(&w->best, w));
    bn_search_drop_finals(w);
done:
    return rc;
}
