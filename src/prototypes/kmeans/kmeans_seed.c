/* kmeans_seed.c -- k-means++: seeds far from each other, as the start of Lloyd's rounds.
 *
 * A seed is drawn with a chance in proportion to its squared distance from the nearest seed so
 * far; of a few that are drawn the one is taken that leaves the least.  Sums are kept by chunks
 * of fixed size and added in their order, so threads do not matter.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kmeans.h"

/* From MUCH products on there is one candidate a seed: more would take longer than the rounds. */
enum { CHUNK = 256, CANDIDATES = 3, MUCH = 1 << 22 };

typedef struct {
    float   *near;              /* count: squared distance to the nearest seed */
    float   *far;               /* CANDIDATES x count: the same if a candidate were a seed */
    double  *part;              /* (1 + CANDIDATES) x chunks: sums of near and far by chunks */
    int64_t  chunks;
    double  *norm;              /* sparse: count */
    double  *dense;             /* sparse: CANDIDATES x f, the candidates as dense rows */
    int64_t  at[CANDIDATES];    /* in rows */
} seeding;

/* Multiplies in the order of the entries, so that equal rows are at exactly 0 from each
 * other. */
static double times_dense(const bn_embedding *e, int64_t row, const double *dense)
{
    double total = 0;
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        total += (double)e->value[i] * dense[e->index[i]];
    return total;
}

static float distance(const bn_seeds *q, const seeding *s, int64_t i, int c)
{
    const bn_embedding *e = q->e;
    double d;
    if (e->dense)
        d = (double)bn_kernels_get()->dist2(e->dense + q->rows[i] * e->f,
                                            e->dense + q->rows[s->at[c]] * e->f, e->f);
    else
        d = s->norm[i] + s->norm[s->at[c]] -
            2 * times_dense(e, q->rows[i], s->dense + c * e->f);
    return d > 0 ? (float)fmin(d, (double)FLT_MAX) : d <= 0 ? 0.0f : FLT_MAX;
}

static void lay_out(const bn_seeds *q, seeding *s, int many, bool fill)
{
    const bn_embedding *e = q->e;
    for (int c = 0; !e->dense && c < many; c++) {
        int64_t row = q->rows[s->at[c]];
        for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
            s->dense[c * e->f + e->index[i]] = fill ? (double)e->value[i] : 0;
    }
}

/* Measures what `near` would be with each of the candidates, and its sums. */
static void measure(const bn_seeds *q, seeding *s, int many)
{
    lay_out(q, s, many, true);
    const int team = bn_lanes(bn_threads(q->at->threads), s->chunks);
    const double work = 2 * many * bn_numbers(q->e, q->count);
#pragma omp parallel for num_threads(bn_team(team, work)) schedule(static)
    for (int64_t chunk = 0; chunk < s->chunks; chunk++) {
        double total[CANDIDATES] = {0};
        int64_t end = bn_least((chunk + 1) * CHUNK, q->count);
        for (int64_t i = chunk * CHUNK; i < end; i++)
            for (int c = 0; c < many; c++) {
                float d = s->near[i] > 0 ? distance(q, s, i, c) : 0.0f;
                s->far[c * q->count + i] = d < s->near[i] ? d : s->near[i];
                total[c] += (double)s->far[c * q->count + i];
            }
        for (int c = 0; c < many; c++)
            s->part[(1 + c) * s->chunks + chunk] = total[c];
    }
    lay_out(q, s, many, false);
}

static double total_of(const seeding *s, int which)
{
    double total = 0;
    for (int64_t chunk = 0; chunk < s->chunks; chunk++)
        total += s->part[which * s->chunks + chunk];
    return total;
}

/* Draws a row with a chance in proportion to `near`, whose total is above 0. */
static int64_t draw(const bn_seeds *q, const seeding *s, double total, bn_rng *r)
{
    double left = bn_rng_unit(r) * total;
    int64_t last = q->count - 1;
    for (int64_t chunk = 0; chunk < s->chunks; chunk++) {
        if (left >= s->part[chunk]) {
            left -= s->part[chunk];
            continue;
        }
        int64_t end = bn_least((chunk + 1) * CHUNK, q->count);
        for (int64_t i = chunk * CHUNK; i < end; i++) {
            if (left < (double)s->near[i])
                return i;
            left -= (double)s->near[i];
        }
    }
    while (last > 0 && !(s->near[last] > 0))    /* rounding left a little over */
        last--;
    return last;
}

static void take(bn_seeds *q, seeding *s, int c, int32_t seed)
{
    const float *far = s->far + c * q->count;
    for (int64_t i = 0; i < q->count; i++)
        if (far[i] < s->near[i]) {
            s->near[i] = far[i];
            q->cluster[i] = seed;
        }
    memcpy(s->part, s->part + (1 + c) * s->chunks, (size_t)s->chunks * sizeof *s->part);
}

static bonsai_status new_seeding(seeding *s, const bn_seeds *q)
{
    bonsai_status rc;
    s->chunks = (q->count + CHUNK - 1) / CHUNK;
    BN_TRY(BN_NEW(&s->near, q->count));
    BN_TRY(BN_NEW(&s->far, CANDIDATES * q->count));
    BN_TRY(BN_NEW(&s->part, (1 + CANDIDATES) * s->chunks));
    if (!q->e->dense) {
        BN_TRY(BN_NEW(&s->norm, q->count));
        BN_TRY(BN_NEW(&s->dense, CANDIDATES * q->e->f));
        for (int64_t i = 0; i < q->count; i++)
            s->norm[i] = bn_row_squares(q->e, q->rows[i]);
    }
    for (int64_t i = 0; i < q->count; i++)
        s->near[i] = INFINITY;
done:
    return rc;
}

bonsai_status bn_kmeans_seed(bn_seeds *q, uint64_t seed, int64_t ticks)
{
    bonsai_status rc;
    seeding s = {0};
    bn_rng r = bn_rng_at(seed, 0);
    double total = 1, work = (double)q->count * (double)q->k * (double)q->e->f;
    int tries = work < MUCH ? CANDIDATES : 1;
    int64_t k;
    BN_TRY(new_seeding(&s, q));
    for (k = 0; k < q->k && total > 0; k++) {
        int many = k == 0 ? 1 : tries, best = 0;
        if (k % (q->k / 50 + 1) == 0)
            BN_TRY(bn_tick(q->at->progress, "clusters", k, ticks));
        for (int c = 0; c < many; c++)
            s.at[c] = k == 0 ? bn_rng_below(&r, q->count) : draw(q, &s, total, &r);
        measure(q, &s, many);
        for (int c = 1; c < many; c++)
            if (total_of(&s, 1 + c) < total_of(&s, 1 + best))
                best = c;
        take(q, &s, best, (int32_t)k);
        total = total_of(&s, 0);
    }
    q->k = k;
done:
    bn_free(s.near);
    bn_free(s.far);
    bn_free(s.part);
    bn_free(s.norm);
    bn_free(s.dense);
    return rc;
}
