/* molds.c -- candidates whose rows are mixtures of a basis: which views it tells apart, how many
 * columns it keeps, and how many prototypes the rest of the bytes pays for.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "search.h"

enum { LEAST_COLUMNS = 32, MORE = 4 };
enum { MOST_EACH = 16 };                /* prototypes of a class, at first */
enum { MANY_ROWS = 1 << 16 };           /* of which one basis more takes much memory */
static const double share = 1.0 / 4;    /* of the bytes, that prototypes may cost columns */

bonsai_status bn_search_guide(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_enter(&w->at, BN_STAGE_FIT);
    if (!w->guide.live)
        BN_TRY(bn_guide_make(&w->guide, w->s, w->job, w->settled ? w->steps : NULL, &w->at));
    memcpy(w->steps, w->guide.steps, sizeof w->steps);
done:
    return rc;
}

static void drop_mold(bn_search *w, bn_mold *m)
{
    for (int k = 0; k < w->clusters; k++)
        if (w->made[k].of == &m->s)
            bn_clusters_free(&w->made[k]);
    bn_mold_free(m);
}

/* Returns a free place for a mold.  If all rows in the coordinates of a basis take much memory,
 * frees all molds except that of the best candidate. */
static bn_mold *free_place(bn_search *w)
{
    const bool many = w->s->view[BN_FAR]->rows > MANY_ROWS;
    bn_mold *place = NULL;
    for (int i = 0; i < BN_SEARCH_MOLDS && many; i++)
        if (w->best.mold != &w->mold[i])
            drop_mold(w, &w->mold[i]);
    for (int i = 0; i < BN_SEARCH_MOLDS && !place; i++)
        place = w->mold[i].views == 0 ? &w->mold[i] : NULL;
    for (int i = 0; i < BN_SEARCH_MOLDS && !place; i++)
        if (w->best.mold != &w->mold[i]) {
            drop_mold(w, &w->mold[i]);
            place = &w->mold[i];
        }
    return place;
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
    to = free_place(w);
    BN_TRY(bn_search_guide(w));
    BN_TRY(bn_mold_make(to, &w->guide, w->s, views, columns, w->job, &w->at));
    *out = to;
done:
    return rc;
}

/* Returns the columns of a basis that leaves room for the prototypes of a trial; below 0 if
 * not even these fit. */
static int64_t columns_beside(const bn_search *w, const bn_trial *t)
{
    bn_storage s = bn_search_storage(w, t);
    s.directions = bn_basis_most(&w->guide, t->views) - t->bare;
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
    bonsai_status rc = bn_search_guide(w);
    if (rc == BONSAI_OK)
        *columns = columns_beside(w, t);
    return rc;
}

static bool may_be(const bn_search *w, int64_t nodes)
{
    return nodes >= bn_search_least(w) && nodes <= bn_search_most(w);
}

static bool is_entered(const bn_search *w, const bn_trial *t)
{
    for (int i = 0; i < w->finals; i++)
        if (bn_trial_same(&w->final[i].t, t))
            return true;
    return false;
}

/* Enters a trial with as many columns as fit beside its prototypes, if these are enough.  Networks
 * compare it with others, so that the probe need not. */
static bonsai_status enter_trial(bn_search *w, bn_trial t)
{
    bonsai_status rc;
    t.columns = columns_beside(w, &t);
    if (!may_be(w, t.nodes) || t.columns < bn_least(LEAST_COLUMNS, w->storage.f) ||
        is_entered(w, &t))
        return BONSAI_OK;
    BN_TRY(bn_search_step(w));
    BN_TRY(bn_search_make(&w->best, w, &t, true));
    w->recipe->candidates += w->best.fits;
    if (w->best.fits)
        BN_TRY(bn_search_enter(w));
done:
    bn_candidate_free(&w->best);
    return rc;
}

/* Returns whether this many prototypes leave room for all columns, or cost few of them. */
static bool is_cheap(const bn_search *w, bn_trial t, int64_t nodes)
{
    t.nodes = nodes;
    bn_storage s = bn_search_storage(w, &t);
    s.directions = bn_basis_most(&w->guide, t.views) - t.bare;
    s.largest = w->s->view[BN_FAR]->rows;
    return may_be(w, nodes) && (columns_beside(w, &t) >= s.f ||
                                bn_storage_bytes(&s, nodes, 0) <= share * w->budget.bytes);
}

/* Doubles the prototypes of each class while they are cheap. */
static int64_t usual_count(const bn_search *w, const bn_trial *t)
{
    const int64_t least = bn_search_least(w);
    int64_t n = least;
    while (2 * n <= MOST_EACH * least && is_cheap(w, *t, 2 * n))
        n *= 2;
    return n;
}

/* Returns whether a basis does without the mean row at first: words are learned faster
 * without it, and dense features better with it, since networks do not unlearn the random
 * weights that they begin with. */
bool bn_search_bare(const bn_search *w)
{
    return w->guide.filled[BN_GUIDE_OWN] < 0.5;
}

/* Enters a basis of own rows, which say most where neighbours disagree, of averaged ones, and
 * of both.  Each is entered with one number of prototypes, since the probe tells more of them
 * from fewer by chance. */
bonsai_status bn_search_molds(bn_search *w)
{
    bonsai_status rc = BONSAI_OK;
    static const struct { int views, kind; } some[] = {
        {BN_BASIS_FAR, BN_KIND_FAR}, {BN_BASIS_FAR, BN_KIND_MIXED}, {BN_BASIS_OWN, BN_KIND_MIXED},
        {BN_BASIS_OWN | BN_BASIS_FAR, BN_KIND_MIXED}, {BN_BASIS_OWN, BN_KIND_PAIRS},
        {BN_BASIS_OWN | BN_BASIS_FAR, BN_KIND_PAIRS}};
    if (!bn_search_may_guide(w))
        return BONSAI_OK;
    BN_TRY(bn_search_guide(w));
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        bn_trial t = {.kind = some[i].kind, .soft = w->storage.soft, .views = some[i].views,
                      .bare = bn_search_bare(w), .nodes = bn_search_least(w)};
        if (bn_kinds[t.kind].pair && !bn_search_may_pair(w, t.nodes))
            continue;
        t.nodes = usual_count(w, &t);
        BN_TRY(enter_trial(w, t));
    }
done:
    return rc;
}

/* Enters a few prototypes of own rows without edges: where neighbours only disturb, these hold
 * all that can be learned. */
static bonsai_status try_alone(bn_search *w, bn_trial t)
{
    const int64_t least = bn_search_least(w);
    if (w->guide.right[BN_GUIDE_OWN] < w->guide.right[BN_GUIDE_FAR])
        return BONSAI_OK;
    t.kind = BN_KIND_ALONE;
    t.views = BN_BASIS_OWN;
    t.nodes = t.nodes / 4 > least ? t.nodes / 4 : least;
    return enter_trial(w, t);
}

/* Enters variants of a trial of a basis: with the mean row or without, with four times as many
 * prototypes, with hard labels, which leave bytes for columns, twofold, and without edges. */
static bonsai_status vary_basis(bn_search *w, const bn_trial *best)
{
    bonsai_status rc;
    bn_trial t = *best;
    t.bare = !t.bare;
    BN_TRY(enter_trial(w, t));
    t = *best;
    t.nodes *= MORE;
    if (is_cheap(w, t, t.nodes))
        BN_TRY(enter_trial(w, t));
    t = *best;
    t.soft = false;
    if (best->soft && best->columns < w->storage.f)
        BN_TRY(enter_trial(w, t));
    t = *best;
    t.kind = BN_KIND_TWOFOLD;
    t.views |= BN_BASIS_OWN;
    t.nodes = t.nodes / 2 > bn_search_least(w) ? t.nodes / 2 : bn_search_least(w);
    if (best->kind == BN_KIND_MIXED && t.nodes <= w->budget.nodes / 2)
        BN_TRY(enter_trial(w, t));
    BN_TRY(try_alone(w, *best));
done:
    return rc;
}

/* Enters as many twofold prototypes with full rows as fit, at most half as many as the best
 * has rows. */
static bonsai_status vary_rows(bn_search *w, const bn_trial *best)
{
    bonsai_status rc = BONSAI_OK;
    bn_trial t = *best;
    t.kind = BN_KIND_TWOFOLD;
    t.form = BN_FORM_BYTES;
    bn_storage s = bn_search_storage(w, &t);
    s.largest = w->s->view[BN_FAR]->rows;
    t.nodes = bn_least(t.nodes / 2, bn_storage_most(&s, w->budget.bytes, s.f));
    if (!may_be(w, t.nodes) || !bn_search_may_teach(w))
        return BONSAI_OK;
    BN_TRY(bn_search_try(NULL, w, t));
    BN_TRY(bn_search_enter(w));
done:
    return rc;
}

bonsai_status bn_search_variants(bn_search *w, const bn_trial *best)
{
    return best->views ? vary_basis(w, best) : vary_rows(w, best);
}
