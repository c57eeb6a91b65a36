/* choose.c -- the best candidates of each family, and the choice between them.
 *
 * A family is rows that are stored one by one, or rows in one kind of basis.  Within a family the
 * probe chooses; between families networks do that are trained on the small graphs (finals.c), unless
 * the options leave that out or the graphs are too large for it.
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
    *f = (bn_finalist){.t = a->t, .percent = w->best.percent};
    rc = bn_search_shares(&f->g, a, w);
    if (rc == BONSAI_OK && a->mold)
        rc = bn_basis_copy(&f->basis, a->t.bare ? &a->mold->bare : &a->mold->basis, 0,
                           false);
    return bn_agree(w->world, rc);
}

bonsai_status bn_search_enter(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_candidate bare = {.percent = -1};
    if (!w->best.c || w->finals + 2 > BN_FINALS_MOST)
        goto done;
    BN_TRY(add(w, &w->best));
    if (!w->best.mold)
        goto done;
    bn_trial t = w->best.t;
    t.bare = true;
    BN_TRY(bn_search_make(&bare, w, &t, true));
    BN_TRY(add(w, &bare));
done:
    bn_candidate_free(&bare);
    bn_candidate_free(&w->best);
    return rc;
}

/* Fills score with what networks get right, the same on every rank; *done: whether they were trained. */
static bonsai_status train(double *score, bool *done, const bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_entrant e[BN_FINALS_MOST];
    for (int i = 0; i < w->finals; i++)
        e[i] = (bn_entrant){w->final[i].g, w->final[i].basis.r > 0 ? &w->final[i].basis : NULL};
    rc = bn_finals_judge(score, done, e, w->finals, bn_probe_merit(w->probe), w->job);
    BN_TRY(bn_agree(w->world, rc));
    BN_TRY(bn_share(w->world, score, w->finals * (int64_t)sizeof *score, 0));
done:
    return rc;
}

/* Returns the finalist with the highest score.  Rows that are stored one by one are the safer choice:
 * a basis wins by more than one judged node, and more than a quarter of a standard error. */
static int winner(const bn_search *w, const double *score)
{
    const int64_t judged = w->job->judge.far.rows;
    int best = 0, plain = -1;
    for (int i = 0; i < w->finals; i++) {
        best = score[i] > score[best] ? i : best;
        if (w->final[i].t.views == 0 && (plain < 0 || score[i] > score[plain]))
            plain = i;
    }
    if (plain < 0 || judged == 0)
        return best;
    const double margin = fmax(100 / (double)judged, bn_probe_error(score[best], judged) / 4);
    return score[plain] >= score[best] - margin ? plain : best;
}

bonsai_status bn_search_choose(bn_search *w)
{
    bonsai_status rc;
    double score[BN_FINALS_MOST];
    bool trained = false;
    for (int i = 0; i < w->finals; i++)
        score[i] = w->final[i].percent;
    bn_enter(&w->at, BN_STAGE_PROBE);
    if (!w->job->o->no_training)
        BN_TRY(train(score, &trained, w));
    const int best = winner(w, score);
    const bn_finalist chosen = w->final[best];
    w->trained = trained ? score[best] : -1;
    w->recipe->finalists = trained ? w->finals : 0;
    BN_TRY(bn_search_make(&w->best, w, &chosen.t, true));
    w->best.percent = chosen.percent;
    bn_search_drop_finals(w);
done:
    return rc;
}
