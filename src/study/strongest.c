/* strongest.c -- the features by which a node differs from the others.
 *
 * A feature is strong in a node where its value is far from the mean of the nodes, above or below,
 * in standard deviations.  That of a feature counts as at least the mean over all features: else
 * one that is almost always the same would be strong wherever it is not.
 *
 * SPDX-License-Identifier: MIT */
#include "strongest.h"

#include <math.h>

#include "base/strength.h"

typedef struct {
    double *mean, *spread;      /* f */
    double  least;              /* a spread counts as at least so much */
    float  *row;                /* f */
} measures;

/* How far a value is from a mean; 0 where rounding alone may part them: equal values have a mean
 * that differs from them a little. */
static double apart(double value, double mean)
{
    const double by = value - mean;
    return fabs(by) > 1e-8 * fmax(fabs(value), fabs(mean)) ? by : 0;
}

static void measure(measures *m, const bn_embedding *e)
{
    const double n = (double)e->rows;
    for (int64_t r = 0; r < e->rows; r++)
        bn_row_add(m->mean, e, r, 1 / n);
    for (int64_t r = 0; r < e->rows; r++) {
        bn_embedding_row(m->row, e, r);
        for (int64_t j = 0; j < e->f; j++) {
            const double by = apart((double)m->row[j], m->mean[j]);
            m->spread[j] += by * by / n;
        }
    }
    for (int64_t j = 0; j < e->f; j++) {
        m->spread[j] = sqrt(m->spread[j]);
        m->least += m->spread[j] / (double)e->f;
    }
}

static double strength(const measures *m, int64_t j)
{
    const double by = apart((double)m->row[j], m->mean[j]);
    return by != 0 ? by / fmax(m->spread[j], m->least) : 0;
}

static void find(bn_strong out[BN_STRONGEST], const measures *m, int64_t f)
{
    bn_strength top[BN_STRONGEST];
    int64_t count = 0;
    for (int64_t j = 0; j < f; j++)             /* nothing at the mean is strong */
        if (m->row[j] != 0 && strength(m, j) != 0)
            bn_keep_strongest(top, &count, BN_STRONGEST, (bn_strength){j, strength(m, j)});
    for (int64_t i = 0; i < BN_STRONGEST; i++) {
        const int64_t j = i < count ? top[i].number : -1;
        out[i] = j < 0 ? (bn_strong){.feature = -1}
                       : (bn_strong){j, (double)m->row[j], m->mean[j]};
    }
}

bonsai_status bn_strongest_find(bn_strong *out, const bonsai_graph *g, const bn_nodes *nodes,
                                const int64_t *place, int64_t count, const bn_place *at)
{
    bonsai_status rc;
    bn_embedding e = {0};
    measures m = {0};
    const bn_place quiet = bn_silent(at);
    BN_TRY(bn_embed(&e, g, nodes, BN_RULE_WL, 0, &quiet));      /* the features themselves */
    BN_TRY(BN_NEW(&m.mean, e.f));
    BN_TRY(BN_NEW(&m.spread, e.f));
    BN_TRY(BN_NEW(&m.row, e.f));
    measure(&m, &e);
    for (int64_t i = 0; i < count; i++) {
        bn_embedding_row(m.row, &e, place[i]);
        find(out + i * BN_STRONGEST, &m, e.f);
    }
done:
    bn_embedding_free(&e);
    bn_free(m.mean);
    bn_free(m.spread);
    bn_free(m.row);
    return rc;
}
