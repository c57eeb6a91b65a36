/* molds.c -- candidates whose rows are mixtures of a basis: which views it tells apart, how many
 * columns it keeps, and how many prototypes the rest of the bytes pays for.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "search.h"

enum { LEAST_COLUMNS = 32, STEP = 4, MOST_EACH = 256 }; /* MOST_EACH: prototypes of a class */
static const double enough = 0.5;       /* points below the best, from which on more are of no use */
static const double beside = 1;         /* points below the best basis that more candidates may win back */
static const double hopeless = 3;       /* points below it that networks do not win back */

static bonsai_status guide_of(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_enter(&w->at, BN_STAGE_FIT);
    if (!w->guide.live)
        BN_TRY(bn_guide_make(&w->guide, w->s, w->job, &w->at));
done:
    return rc;
}

/* All rows in the coordinates of a basis may be much: only those of the best candidate stay. */
static void drop_others(bn_search *w)
{
    for (int i = 0; i < BN_SEARCH_MOLDS; i++) {
        if (w->mold[i].views == 0 || w->best.mold == &w->mold[i])
            continue;
        for (int k = 0; k < w->clusters; k++)
            if (w->made[k].of == &w->mold[i].s)
                bn_clusters_free(&w->made[k]);
        bn_mold_free(&w->mold[i]);
    }
}

bonsai_status bn_search_mold(bn_mold **out, bn_search *w, int views, int64_t columns)
{
    bonsai_status rc;
    bn_mold *to = NULL;
    for (int i = 0; i < BN_SEARCH_MOLDS; i++)
        if (w->mold[i].views == views && w->mold[i].asked == columns) {
            *out = &w->mold[i];
            return BONSAI_OK;
        }
    drop_others(w);
    for (int i = 0; i < BN_SEARCH_MOLDS; i++)
        to = w->mold[i].views == 0 ? &w->mold[i] : to;
    BN_TRY(guide_of(w));
    BN_TRY(bn_mold_make(to, &w->guide, w->s, views, columns, w->job, &w->at));
    *out = to;
done:
    return rc;
}

/* Returns the columns of a basis that leaves room for the prototypes of a trial; below 0 if not even
 * these fit. */
static int64_t columns_beside(const bn_search *w, const bn_trial *t)
{
    bn_storage s = bn_search_storage(w, t);
    s.directions = bn_basis_most(&w->guide, t->views);
    s.largest = w->s->view[BN_FAR]->rows;
    int64_t low = -1, high = s.f;
    while (low < high) {
        s.kept = high - (high - low) / 2;
        if (bn_storage_bytes(&s, t->nodes, 0) <= w->budget.bytes)
            low = s.kept;
        else
            high = s.kept - 1;
    }
    return low;
}

bonsai_status bn_search_columns(int64_t *columns, bn_search *w, const bn_trial *t)
{
    bonsai_status rc;
    BN_TRY(guide_of(w));
    *columns = columns_beside(w, t);
done:
    return rc;
}

static bool may_be(const bn_search *w, int64_t nodes)
{
    return nodes >= bn_search_least(w) && nodes <= bn_search_most(w);
}

/* So many prototypes, and as many columns as fit beside them; *percent below 0: that is too few. */
static bonsai_status try_count(double *percent, bn_search *w, bn_trial t, int64_t nodes)
{
    *percent = -1;
    t.nodes = nodes;
    t.columns = columns_beside(w, &t);
    if (!may_be(w, nodes) || t.columns < bn_least(LEAST_COLUMNS, w->storage.f))
        return BONSAI_OK;
    return bn_search_try(percent, w, t);
}

/* More and more prototypes, in large steps, as long as they help. */
static bonsai_status try_counts(bn_search *w, bn_trial t)
{
    bonsai_status rc = BONSAI_OK;
    double percent, best = -1;
    const int64_t least = bn_search_least(w);
    for (int64_t n = least; n <= MOST_EACH * least; n *= STEP) {
        BN_TRY(try_count(&percent, w, t, n));
        if (percent < 0 || percent < best - enough)
            break;
        best = fmax(best, percent);
    }
done:
    return rc;
}

/* Makes the best candidate anew from a trial whose score is known. */
static bonsai_status take(bn_search *w, const bn_trial *t, double percent)
{
    bonsai_status rc = bn_search_make(&w->best, w, t, true);
    w->best.percent = percent;
    return rc;
}

/* Tries hard labels, which leave bytes for more columns.  The probe sees little of what networks learn
 * from soft ones, so hard ones must be clearly better. */
static bonsai_status try_hard(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    const bn_trial soft = w->best.t;
    const double before = w->best.percent;
    double percent;
    bn_trial t = soft;
    t.soft = false;
    if (!soft.soft || soft.columns >= w->storage.f)
        return BONSAI_OK;
    BN_TRY(try_count(&percent, w, t, t.nodes));
    if (!w->best.t.soft && percent < before + enough)
        BN_TRY(take(w, &soft, before));
done:
    return rc;
}

/* Tries rows of the other kind, half as many prototypes for more columns, and hard labels. */
static bonsai_status try_near(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    double percent;
    bn_trial t = w->best.t;
    t.kind = t.kind == BN_KIND_FAR ? BN_KIND_MIXED : BN_KIND_FAR;
    if (w->best.t.kind != BN_KIND_PAIRS)
        BN_TRY(bn_search_try(&percent, w, t));
    t = w->best.t;
    if (t.columns < w->storage.f)       /* else more prototypes cost nothing */
        BN_TRY(try_count(&percent, w, t, t.nodes / 2));
    BN_TRY(try_hard(w));
done:
    return rc;
}

/* The most prototypes that are about as good and cost no column: the probe tells such candidates
 * apart by chance, and networks learn more, and bear more, from more rows. */
static bonsai_status take_more(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_trial more = w->best.t;
    double percent = w->best.percent;
    for (int i = 0; i < w->count; i++) {
        bn_trial t = w->tried[i].t;
        t.nodes = more.nodes;
        if (bn_trial_same(&t, &more) && w->tried[i].t.nodes > more.nodes &&
            w->tried[i].percent >= w->best.percent - enough) {
            more.nodes = w->tried[i].t.nodes;
            percent = w->tried[i].percent;
        }
    }
    if (more.nodes > w->best.t.nodes)
        rc = take(w, &more, percent);
    return rc;
}

typedef struct { bn_trial t; double percent; } leader;   /* the best of all so far */

/* Tries the candidates of one basis and enters the best of them. */
static bonsai_status try_basis(leader *top, bn_search *w, const bn_trial *t)
{
    bonsai_status rc;
    BN_TRY(try_counts(w, *t));
    if (!w->best.c)
        goto done;
    if (w->best.percent > top->percent - beside)
        BN_TRY(try_near(w));
    BN_TRY(take_more(w));
    if (w->best.percent < top->percent - hopeless)
        bn_candidate_free(&w->best);
    else if (w->best.percent > top->percent + enough)
        *top = (leader){w->best.t, w->best.percent};
    BN_TRY(bn_search_enter(w));
done:
    return rc;
}

/* Enters twofold prototypes with as many nodes as the best basis has.  Networks compare them with the
 * other finalists; the probe cannot. */
static bonsai_status try_twofold(bn_search *w, const bn_trial *best)
{
    bonsai_status rc;
    double percent;
    bn_trial t = *best;
    const int64_t least = bn_search_least(w);
    const int64_t nodes = t.nodes / 2 > least ? t.nodes / 2 : least;
    if (nodes > w->budget.nodes / 2)
        return BONSAI_OK;
    t.kind = BN_KIND_TWOFOLD;
    t.soft = w->storage.soft;
    t.views |= BN_BASIS_OWN;
    BN_TRY(try_count(&percent, w, t, nodes));
    BN_TRY(bn_search_enter(w));
done:
    return rc;
}

/* A node's own features say most of it where neighbours disagree, and averages where they do not: a
 * basis of either, or of both. */
bonsai_status bn_search_molds(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    static const struct { int views, kind; } some[] = {
        {BN_BASIS_OWN, BN_KIND_MIXED}, {BN_BASIS_FAR, BN_KIND_FAR},
        {BN_BASIS_OWN | BN_BASIS_FAR, BN_KIND_MIXED}, {BN_BASIS_OWN, BN_KIND_PAIRS},
        {BN_BASIS_OWN | BN_BASIS_FAR, BN_KIND_PAIRS}};
    leader top = {.percent = -1};
    if (w->storage.classes > BN_BASIS_CLASSES || w->s->live < 2)
        return BONSAI_OK;
    BN_TRY(guide_of(w));
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const bn_trial t = {.kind = some[i].kind, .soft = w->storage.soft, .views = some[i].views};
        if (!bn_kinds[t.kind].pair || bn_search_may_pair(w, bn_search_least(w)))
            BN_TRY(try_basis(&top, w, &t));
    }
    if (top.percent >= 0)
        BN_TRY(try_twofold(w, &top.t));
done:
    return rc;
}
