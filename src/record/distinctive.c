/* distinctive.c -- finds the features by which a node of a small graph differs from others.
 *
 * A feature is distinctive if its value is far from the mean, above or below, in standard
 * deviations. Mean and deviation are those of all nodes of the full graph or, without it, of the
 * labelled nodes of the small one.  A deviation counts as at least the mean of all deviations: else
 * a feature that is almost constant would be distinctive wherever it differs.  Values of 0 never
 * are: small graphs leave entries out.
 *
 * SPDX-License-Identifier: MIT */
#include "distinctive.h"

#include <math.h>

#include "record.h"

/* Returns the distance of a value from a mean; 0 if it may be due to rounding: the mean of equal
 * values may differ from them a little. */
static double apart(double value, double mean)
{
    const double by = value - mean;
    return fabs(by) > 1e-8 * fmax(fabs(value), fabs(mean)) ? by : 0;
}

/* ---- the largest entries ---- */

static bool is_stronger(bn_largest a, bn_largest b)
{
    const double x = fabs(a.value), y = fabs(b.value);
    return x != y ? x > y : a.number < b.number;
}

void bn_largest_add(bn_largest *top, int64_t *count, int64_t room, bn_largest one)
{
    int64_t at = *count;
    if (at == room && !is_stronger(one, top[at - 1]))
        return;
    at -= at == room;
    for (; at > 0 && is_stronger(one, top[at - 1]); at--)
        top[at] = top[at - 1];
    top[at] = one;
    *count += *count < room;
}

/* ---- mean and spread ---- */

typedef struct {
    const bonsai_graph *g;
    bool     labelled;          /* only nodes with a label count */
    int64_t  nodes;             /* that count */
    int32_t *index;             /* one row */
    float   *value;
    int64_t *present;           /* per feature: nodes where it is not 0 */
} reading;

static bool counts(const reading *r, int64_t node)
{
    return !r->labelled || bn_label(r->g, node) >= 0;
}

static void find_means(double *mean, reading *r)
{
    for (int64_t v = 0; v < r->g->view.nodes; v++) {
        if (!counts(r, v))
            continue;
        const int64_t length = bn_row_get(r->index, r->value, r->g, v);
        for (int64_t i = 0; i < length; i++) {
            mean[r->index[i]] += (double)r->value[i];
            r->present[r->index[i]]++;
        }
        r->nodes++;
    }
    for (int64_t j = 0; j < r->g->view.features && r->nodes > 0; j++)
        mean[j] /= (double)r->nodes;
}

static void find_spreads(double *spread, const double *mean, const reading *r)
{
    for (int64_t v = 0; v < r->g->view.nodes; v++) {
        const int64_t length = counts(r, v) ? bn_row_get(r->index, r->value, r->g, v) : 0;
        for (int64_t i = 0; i < length; i++) {
            const double by = apart((double)r->value[i], mean[r->index[i]]);
            spread[r->index[i]] += by * by;
        }
    }
    for (int64_t j = 0; j < r->g->view.features && r->nodes > 0; j++) {
        const double zeros = (double)(r->nodes - r->present[j]);
        spread[j] = sqrt((spread[j] + zeros * mean[j] * mean[j]) / (double)r->nodes);
    }
}

static bonsai_status measure(bn_feature_stats *y, const bonsai_graph *g, bool labelled)
{
    bonsai_status rc;
    reading r = {.g = g, .labelled = labelled && bn_has(g, BONSAI_SECTION_LABELS)};
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, 0));
    BN_TRY(BN_NEW(&y->mean, g->view.features));
    BN_TRY(BN_NEW(&y->spread, g->view.features));
    BN_TRY(BN_NEW(&r.present, g->view.features));
    BN_TRY(BN_NEW(&r.index, bn_row_room(g)));
    BN_TRY(BN_NEW(&r.value, bn_row_room(g)));
    find_means(y->mean, &r);
    find_spreads(y->spread, y->mean, &r);
done:
    bn_free(r.present);
    bn_free(r.index);
    bn_free(r.value);
    return rc;
}

bonsai_status bn_feature_stats_make(bn_feature_stats *y, const bonsai_graph *small,
                                const bonsai_graph *full)
{
    bonsai_status rc;
    int32_t *kept = NULL;
    bonsai_graph *projected = NULL;
    *y = (bn_feature_stats){.f = small->view.features};
    if (full)
        BN_TRY(bn_projected(&projected, full, small));
    full = projected ? projected : full;
    if (full)
        BN_TRY(bn_compatible_check(&kept, small, full, BN_SAME_COLUMNS, 0));
    BN_TRY(measure(y, full ? full : small, !full));
    for (int64_t j = 0; j < y->f; j++) {
        const int64_t at = kept ? kept[j] : j;          /* at least j: still as it was */
        y->mean[j] = y->mean[at];
        y->spread[j] = y->spread[at];
        y->least += y->spread[j] / (double)y->f;
    }
done:
    bonsai_graph_free(projected);
    bn_free(kept);
    if (rc != BONSAI_OK)
        bn_feature_stats_free(y);
    return rc;
}

void bn_feature_stats_free(bn_feature_stats *y)
{
    bn_free(y->mean);
    bn_free(y->spread);
    *y = (bn_feature_stats){0};
}

/* ---- a row ---- */

int64_t bn_distinctive_find(bn_largest *out, int64_t room, const float *row,
                            const bn_feature_stats *y)
{
    int64_t count = 0;
    for (int64_t j = 0; j < y->f; j++) {
        const double by = apart((double)row[j], y->mean[j]);
        if (row[j] != 0 && by != 0)
            bn_largest_add(out, &count, room,
                              (bn_largest){j, by / fmax(y->spread[j], y->least)});
    }
    return count;
}
