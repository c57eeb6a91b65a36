/* match.c -- how the features of the graph that is judged on become those of the one trained on.
 *
 * A condensed graph may keep some of the features only, and may have been
 * standardised: what was done to it is then done to the full graph.
 *
 * SPDX-License-Identifier: MIT */
#include "train.h"

static bonsai_status room_for_standard(bn_task *t)
{
    bonsai_status rc = BN_NEW(&t->mean, t->small->view.features);
    return rc != BONSAI_OK ? rc : BN_NEW(&t->spread, t->small->view.features);
}

/* What a graph says it was standardised by; a spread of 0 counts as 1. */
static float standard_of(const bonsai_graph *g, bonsai_section s, int64_t j)
{
    float v = bn_real_at(&g->view.section[s], j);
    return s == BONSAI_SECTION_FEATURE_SPREAD && v == 0 ? 1.0f : v;
}

/* Both graphs come standardised: that must have been by the same numbers. */
static bonsai_status same_standard(const bn_task *t)
{
    const bonsai_array *x = t->small->view.section;
    if (bn_is_standardised(t->full, x[BONSAI_SECTION_FEATURE_MEAN].data,
                           x[BONSAI_SECTION_FEATURE_SPREAD].data, t->kept,
                           t->small->view.features))
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "the features of %s are standardised, but those of %s are "
                   "not, or not by the same mean and spread", t->full->where, t->small->where);
}

/* The numbers that small was standardised by belong to the model even where both graphs come
 * standardised: it may be put to one that does not. */
static bonsai_status match_standard(bn_task *t)
{
    bonsai_status rc = BONSAI_OK;
    bool given = bn_has(t->small, BONSAI_SECTION_FEATURE_MEAN);
    bool ready = bn_has(t->full, BONSAI_SECTION_FEATURE_MEAN);
    if (!t->same && ready)
        BN_TRY(same_standard(t));
    if (given) {
        BN_TRY(room_for_standard(t));
        for (int64_t j = 0; j < t->small->view.features; j++) {
            t->mean[j] = standard_of(t->small, BONSAI_SECTION_FEATURE_MEAN, j);
            t->spread[j] = standard_of(t->small, BONSAI_SECTION_FEATURE_SPREAD, j);
        }
    } else if (t->o.standardise && t->small->spanned) {
        return bn_fail(BONSAI_E_ARGUMENT, "the features of %s are coordinates, which are not standardised",
                       t->small->where);
    } else if (t->o.standardise) {
        BN_TRY(room_for_standard(t));
        BN_TRY(bn_standard(t->mean, t->spread, t->full,
                           &(bn_standard_of){t->kept, t->small->view.features,
                                             t->o.standardise == BONSAI_STANDARDISE_ALL},
                           t->threads));
        t->of_small.mean = t->mean;
        t->of_small.spread = t->spread;
    }
    t->of_full.mean = ready ? NULL : t->mean;
    t->of_full.spread = ready ? NULL : t->spread;
done:
    return rc;
}

bonsai_status bn_match(bn_task *t)
{
    bonsai_status rc = BONSAI_OK;
    if (!t->same)
        BN_TRY(bn_pair_check(&t->kept, t->small, t->full, BN_PAIR_ALIKE, t->threads));
    t->of_small.count = t->of_full.count = t->small->view.features;
    t->of_full.kept = t->kept;
    BN_TRY(match_standard(t));
done:
    return rc;
}
