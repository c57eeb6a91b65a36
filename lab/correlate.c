/* correlate.c -- the correlation of distances in WL space with distances for a model.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "study/study.h"

static int nearest_first(const void *a, const void *b)
{
    double x = ((const bn_pair *)a)->wl, y = ((const bn_pair *)b)->wl;
    return (x > y) - (x < y);
}

bonsai_status bn_pairs_sorted(bn_pair **out, int64_t pairs, const bonsai_graph *g,
                              bonsai_study what, const bonsai_train_options *o)
{
    bonsai_status rc;
    double *wl = NULL, *seen = NULL;
    BN_TRY(BN_NEW(&wl, pairs));
    BN_TRY(BN_NEW(&seen, pairs));
    BN_TRY(BN_NEW(out, pairs));
    BN_TRY(bonsai_study_pairs(wl, seen, pairs, g, what, o));
    for (int64_t i = 0; i < pairs; i++)
        (*out)[i] = (bn_pair){wl[i], seen[i]};
    qsort(*out, (size_t)pairs, sizeof **out, nearest_first);
done:
    bn_free(wl);
    bn_free(seen);
    return rc;
}

static double pearson(const bn_pair *q, int64_t n)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int64_t i = 0; i < n; i++) {
        x += q[i].wl / (double)n;
        y += q[i].seen / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double dx = q[i].wl - x, dy = q[i].seen - y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* Returns the probability of a correlation of at least r by chance, by Fisher's transform. */
static double chance_of(double r, int64_t n)
{
    return isnan(r) || n < 4
               ? NAN
               : erfc(fabs(atanh(fmin(fmax(r, -1), 1))) * sqrt((double)n - 3) / sqrt(2));
}

void bn_correlate(bonsai_cell *c, const bn_pair *pair)
{
    int64_t near = (int64_t)(c->nearest * (double)c->pairs);
    c->runs = 1;
    c->correlation = pearson(pair, near);
    c->threshold = pair[near - 1].wl;
    c->chance = chance_of(c->correlation, near);
}
