/* match.c -- whether the graph that is trained on and the one that is judged on fit each other.
 *
 * A condensed graph may keep some of the features only, and may have been
 * standardised: what was done to it is then done to the full graph.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "train.h"

static const char *name_of(const bonsai_graph *g, int64_t class)
{
    const char *name = g->view.section[BONSAI_SECTION_CLASS_NAMES].data;
    for (int64_t k = 0; k < class; k++)
        name += strlen(name) + 1;
    return name;
}

static bonsai_status match_classes(const bonsai_graph *small, const bonsai_graph *full)
{
    if (small->view.classes != full->view.classes)
        return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld classes, but %s has %lld", small->where,
                       (long long)small->view.classes, full->where,
                       (long long)full->view.classes);
    if (!bn_has(small, BONSAI_SECTION_CLASS_NAMES) || !bn_has(full, BONSAI_SECTION_CLASS_NAMES))
        return BONSAI_OK;
    const char *a = name_of(small, 0), *b = name_of(full, 0);
    for (int64_t k = 0; k < small->view.classes; k++, a += strlen(a) + 1, b += strlen(b) + 1)
        if (strcmp(a, b) != 0)
            return bn_fail(BONSAI_E_ARGUMENT, "class %lld is \"%s\" in %s, but \"%s\" in %s",
                           (long long)k, a, small->where, b, full->where);
    return BONSAI_OK;
}

static bonsai_status no_such_features(const bn_task *t, uint32_t feature)
{
    return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld features by its kept-feature list, but feature "
                   "%u of that list is not among the %lld features of %s", t->small->where,
                   (long long)t->small->view.features, feature,
                   (long long)t->full->view.features, t->full->where);
}

/* Where full has the features that small kept; both lists hold numbers of the original. */
static bonsai_status place_kept(bn_task *t)
{
    bonsai_status rc;
    const uint32_t *kept = t->small->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    const uint32_t *has = t->full->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    int64_t count = t->small->view.features, all = t->full->view.features, j = 0;
    BN_TRY(BN_NEW(&t->kept, count));
    for (int64_t i = 0; i < count; i++) {
        if (!has)
            j = kept[i];
        while (has && j < all && has[j] < kept[i])
            j++;
        if (j >= all || (has && has[j] != kept[i]))
            return no_such_features(t, kept[i]);
        t->kept[i] = (int32_t)j;
    }
    if (count == all) {                 /* ascending and as many: all of them */
        bn_free(t->kept);
        t->kept = NULL;
    }
done:
    return rc;
}

static bonsai_status match_features(bn_task *t)
{
    const bonsai_graph *small = t->small, *full = t->full;
    if (bn_has(small, BONSAI_SECTION_KEPT_FEATURES))
        return place_kept(t);
    if (small->view.features == full->view.features)
        return BONSAI_OK;
    if (bn_has(full, BONSAI_SECTION_KEPT_FEATURES))
        return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld features, but %s has %lld by its "
                       "kept-feature list", small->where, (long long)small->view.features,
                       full->where, (long long)full->view.features);
    return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld features, but %s has %lld, and neither has a "
                   "kept-feature list", small->where, (long long)small->view.features,
                   full->where, (long long)full->view.features);
}

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
    bool equal = bn_has(t->small, BONSAI_SECTION_FEATURE_MEAN);
    for (int64_t j = 0; equal && j < t->small->view.features; j++)
        for (int k = 0; k < 2; k++) {
            bonsai_section s = k ? BONSAI_SECTION_FEATURE_SPREAD : BONSAI_SECTION_FEATURE_MEAN;
            equal &= standard_of(t->small, s, j) ==
                     standard_of(t->full, s, t->kept ? t->kept[j] : j);
        }
    if (equal)
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
    } else if (t->o.standardise) {
        BN_TRY(room_for_standard(t));
        BN_TRY(bn_standard(t->mean, t->spread, t->full, t->kept, t->small->view.features,
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
    bonsai_status rc;
    if (!t->same) {
        BN_TRY(match_classes(t->small, t->full));
        BN_TRY(match_features(t));
    }
    t->of_small.count = t->of_full.count = t->small->view.features;
    t->of_full.kept = t->kept;
    BN_TRY(match_standard(t));
done:
    return rc;
}
