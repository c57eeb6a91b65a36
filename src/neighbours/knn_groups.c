/* knn_groups.c -- bounds of distances from the norms of groups of columns; see knn.c.
 *
 * For any group of columns | |a| - |b| | <= |a - b|, so the distance of two rows is at least that
 * of their rows of norms, one for each group; a group of one column keeps its value.  Columns are
 * sorted by their variance and cut into groups of equal variance: those that differ most are alone,
 * rare words share a group.
 *
 * Principal directions leave more pairs: two rows of words are far apart mostly in the many columns
 * where only one of them has a word, so the rest outside of a few directions is as large as the
 * distance, and its norm says little.  Of Coauthor CS 256 directions leave 16 % of the pairs, 256
 * groups 8 % and 512 groups 1 %.
 *
 * The number of groups is tried on a few rows: more groups cost more products and leave fewer pairs
 * to measure.  If no number is cheaper than comparing whole rows, columns are not grouped.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "knn.h"

/* Numbers of groups; rows for the variances; rows on which the numbers of groups are tried. */
enum { MOST_GROUPS = 1024, LEAST_GROUPS = 64, VARIANCE_ROWS = 512, PILOT_TREES = 512,
       PILOT_SAMPLES = 32 };
/* Multiplications below which trying costs more than it saves; costs of measuring a pair: fixed,
 * for each column, and for each entry of sparse rows. */
static const double least_work = 1e10, pair_cost = 1e4, column_cost = 8, entry_cost = 16;

void bn_groups_free(bn_groups *g)
{
    bn_free(g->of);
    bn_free(g->alone);
    memset(g, 0, sizeof *g);
}

/* ---- rows of norms ---- */

/* Sums squares in double, where they are exact; a column alone keeps its sign. */
void bn_knn_group_row(float *out, const bn_groups *g, const bn_embedding *e, int64_t row)
{
    double sum[MOST_GROUPS];
    memset(sum, 0, (size_t)g->count * sizeof *sum);
    int64_t begin = e->dense ? 0 : e->offsets[row], end = e->dense ? e->f : e->offsets[row + 1];
    const float *value = e->dense ? e->dense + row * e->f : e->value;
    for (int64_t i = begin; i < end; i++) {
        int32_t to = g->of[e->dense ? i : e->index[i]];
        double v = (double)value[i];
        sum[to] += v * (g->alone[to] ? fabs(v) : v);
    }
    for (int i = 0; i < g->count; i++)
        out[i] = (float)(sum[i] < 0 ? -sqrt(-sum[i]) : sqrt(sum[i]));
}

/* ---- groups of equal variance ---- */

typedef struct { double variance; int32_t column; } spread;

static int by_variance(const void *a, const void *b)
{
    const spread *x = a, *y = b;
    if (x->variance != y->variance)
        return x->variance > y->variance ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* Finds the variances of columns over some trees, in falling order. */
static bonsai_status find_spread(spread **out, const bn_knn_search *q)
{
    bonsai_status rc;
    const bn_embedding *e = q->e;
    double *sum = NULL;
    int64_t used = bn_least(q->trees, VARIANCE_ROWS);
    BN_TRY(BN_NEW(out, q->f));
    BN_TRY(BN_NEW(&sum, q->f));
    for (int64_t u = 0; u < used; u++) {
        int64_t t = u * q->trees / used;
        int64_t begin = e->dense ? 0 : e->offsets[t], end = e->dense ? e->f : e->offsets[t + 1];
        const float *value = e->dense ? e->dense + t * e->f : e->value;
        for (int64_t i = begin; i < end; i++) {
            int64_t j = e->dense ? i : e->index[i];
            sum[j] += (double)value[i];
            (*out)[j].variance += (double)value[i] * (double)value[i];
        }
    }
    for (int64_t j = 0; j < q->f; j++) {
        double v = (*out)[j].variance - sum[j] * sum[j] / (double)used;
        (*out)[j] = (spread){v > 0 ? v : 0, (int32_t)j};
    }
    qsort(*out, (size_t)q->f, sizeof **out, by_variance);
done:
    bn_free(sum);
    return rc;
}

/* Cuts the columns into at most `count` groups. */
static void cut(bn_groups *g, const spread *s, int64_t f, int count)
{
    double left = 0;
    int64_t at = 0;
    for (int64_t j = 0; j < f; j++)
        left += s[j].variance;
    for (g->count = 0; at < f && g->count < count; g->count++) {
        double want = left / (count - g->count), have = 0;
        int64_t first = at;
        while (at < f && (at == first || g->count == count - 1 ||
                          have + s[at].variance / 2 <= want)) {
            have += s[at].variance;
            g->of[s[at++].column] = g->count;
        }
        g->alone[g->count] = at == first + 1;
        left -= have;
    }
}

/* ---- how many ---- */

typedef struct {
    int64_t trees, samples;     /* tried */
    float  *far;                /* samples x trees: distances */
    float  *bar;                /* samples: about the k-th smallest of all */
    float  *x;                  /* (samples + trees) x MOST_GROUPS */
} pilot;

static int64_t pilot_sample(const bn_knn_search *q, const pilot *p, int64_t s)
{
    return s * q->z / p->samples;
}

static int64_t pilot_tree(const bn_knn_search *q, const pilot *p, int64_t t)
{
    return t * q->trees / p->trees;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Finds about the k-th smallest distance of each sample: the tried trees have a proportional share
 * of the k nearest. */
static void find_bars(pilot *p, const bn_knn_search *q)
{
    int64_t rank = q->k * p->trees / q->trees;
    const double work = 8 * bn_numbers(q->e, p->samples * p->trees);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
    for (int64_t i = 0; i < p->samples; i++) {
        int64_t s = pilot_sample(q, p, i);
        float *far = p->far + i * p->trees;
        for (int64_t j = 0; j < p->trees; j++) {
            int64_t t = pilot_tree(q, p, j);
            float d = t == q->self[s] ? INFINITY : bn_rows_dist2(q->from, bn_knn_at(q, s), q->e, t);
            far[j] = d < INFINITY ? d : INFINITY;
        }
        qsort(far, (size_t)p->trees, sizeof *far, by_size);
        p->bar[i] = far[bn_least(rank, p->trees - 1)];
    }
}

/* Returns the share of the pairs whose rows of norms are within the bar. */
static double share_left(pilot *p, const bn_knn_search *q, const bn_groups *g)
{
    int64_t left = 0;
    const double work = 8 * bn_numbers(q->e, p->samples + p->trees);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t i = 0; i < p->samples + p->trees; i++)
        if (i < p->samples)
            bn_knn_group_row(p->x + i * g->count, g, q->from,
                             bn_knn_at(q, pilot_sample(q, p, i)));
        else
            bn_knn_group_row(p->x + i * g->count, g, q->e, pilot_tree(q, p, i - p->samples));
    for (int64_t i = 0; i < p->samples; i++)
        for (int64_t j = 0; j < p->trees; j++) {
            const float *a = p->x + i * g->count, *b = p->x + (p->samples + j) * g->count;
            left += bn_kernels_get()->dist2(a, b, g->count) <= p->bar[i];
        }
    return (double)left / (double)(p->samples * p->trees);
}

static double measuring_cost(const bn_knn_search *q)
{
    double entries = q->e->dense ? 0 : (double)q->e->offsets[q->trees] / (double)q->trees;
    return pair_cost + column_cost * (double)q->f + entry_cost * entries;
}

/* Finds the cheapest number of groups, and the cost of a pair with it. */
static void try_counts(int *best, double *cost, pilot *p, bn_knn_search *q, const spread *s)
{
    find_bars(p, q);
    *cost = INFINITY;
    for (int count = MOST_GROUPS; count >= LEAST_GROUPS; count /= 2) {
        if (2 * count > q->f)
            continue;
        cut(&q->groups, s, q->f, count);
        double left = share_left(p, q, &q->groups), now = count + left * measuring_cost(q);
        if (now < *cost) {
            *cost = now;
            *best = count;
        }
    }
}

static bonsai_status choose(int *count, bn_knn_search *q, const spread *s, double most)
{
    bonsai_status rc;
    double cost;
    pilot p = {.trees = bn_least(q->trees, PILOT_TREES),
               .samples = bn_least(q->z, PILOT_SAMPLES)};
    BN_TRY(BN_NEW(&p.far, p.samples * p.trees));
    BN_TRY(BN_NEW(&p.bar, p.samples));
    BN_TRY(BN_NEW(&p.x, (p.samples + p.trees) * MOST_GROUPS));
    try_counts(count, &cost, &p, q, s);
    if (q->way == BN_KNN_CHEAPER && cost > most)
        *count = 0;
done:
    bn_free(p.far);
    bn_free(p.bar);
    bn_free(p.x);
    return rc;
}

bonsai_status bn_knn_group(bn_knn_search *q, double cost)
{
    bonsai_status rc = BONSAI_OK;
    spread *s = NULL;
    int count = (int)(q->f / 4) + 1;
    bool small = (double)q->z * (double)q->trees * cost < least_work;
    if (q->way == BN_KNN_WHOLE || q->f < 1 || (q->way == BN_KNN_CHEAPER &&
        (small || q->f < 2 * LEAST_GROUPS || bn_big_spilled(q->e->dense) ||
         bn_big_spilled(q->e->value))))
        return rc;
    BN_TRY(BN_NEW(&q->groups.of, q->f));
    BN_TRY(BN_NEW(&q->groups.alone, MOST_GROUPS));
    BN_TRY(find_spread(&s, q));
    if (q->f >= 2 * LEAST_GROUPS)
        BN_TRY(choose(&count, q, s, cost));
    q->groups.count = 0;
    if (count > 0)
        cut(&q->groups, s, q->f, count);
done:
    bn_free(s);
    return rc;
}
