/* kmeans_round.c -- one round of Lloyd over ranks: every row to the nearest mean.
 *
 *   room       what a round works in
 *   means      of a tile of clusters at a time, so there is never more than a tile of them
 *   nearest    by products, decided by the kernels
 *   repair     an empty cluster takes the row that is farthest from its mean
 *
 * Which rows meet in a matrix product depends on the ranks, and with it how the product rounds.  So
 * it only proposes: the means that may be nearest, by a bound of its error, are measured by the
 * kernel, which adds in a fixed order.  A sparse row adds up rows of the transposed tile, in a
 * fixed order from the start.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kmeans.h"

enum { BLOCK = 256, LEAST_BLOCK = 8, BLOCK_FLOATS = 1 << 20 };      /* rows multiplied at a time */
enum { TILE = 256, LEAST_TILE = 16, TILE_FLOATS = 1 << 22 };        /* means multiplied at a time */
static const double far_away = 4;       /* |mean|^2 over the variance from which rows are centred */
static const double most_norm = 1e37;   /* of which products cannot overflow */
static const double most_error = 0.1;

typedef struct { double distance; int64_t at, cluster; } far_row;       /* at: -1: none */

/* ---- room ---- */

static int64_t between(int64_t low, int64_t x, int64_t high)
{
    return x < low ? low : bn_least(x, high);
}

/* Sets the error of |x|^2 + |c|^2 - 2 x c against the kernel, in units of |x|^2 + |c|^2.  The
 * product is off by f u |x| |c|, twice; the norms and the kernel by f/32 + 8 roundings, the
 * last sums by a few more.  What underflows is lost on top.  u = 2^-24. */
static void set_error(bn_round *q)
{
    q->error = (1.25 * (double)q->e->f + 48.0) * 0x1p-24;
    q->tiny = ((double)q->e->f + 8.0) * 0x1p-146;
}

bonsai_status bn_round_new(bn_round *q)
{
    bonsai_status rc;
    bn_memory *m = q->s->at->memory;
    int64_t f = q->e->f > 0 ? q->e->f : 1, k = (q->k + 15) / 16 * 16;
    int ranks = bn_ranks(q->s->at->world);
    q->block = between(LEAST_BLOCK, BLOCK_FLOATS / f, BLOCK);
    q->tile = bn_least(between(LEAST_TILE, TILE_FLOATS / f / 16 * 16, TILE), k);
    q->lanes = bn_lanes(q->threads, (q->count + q->block - 1) / q->block);
    q->grid = bn_grid(q->s->most, q->total);
    set_error(q);
    BN_TRY(BN_BIG(&q->best, m, q->count));
    BN_TRY(BN_NEW(&q->sum, q->tile * f));
    BN_TRY(BN_NEW(&q->mean, q->tile * f));
    BN_TRY(BN_NEW(&q->norm, q->tile));
    BN_TRY(BN_NEW(&q->size, q->k));
    BN_TRY(BN_NEW(&q->x, q->e->dense ? q->lanes * q->block * f : 0));
    BN_TRY(BN_NEW(&q->product, q->lanes * q->block * q->tile));
    BN_TRY(bn_new(&q->far, ranks, sizeof(far_row)));
    BN_TRY(BN_NEW(&q->far_bytes, ranks));
    for (int r = 0; r < ranks; r++)
        q->far_bytes[r] = sizeof(far_row);
    if (q->e->dense) {
        BN_TRY(bn_blas_begin(q->lanes));
        q->uses_blas = true;
    }
done:
    return rc;
}

void bn_round_free(bn_round *q)
{
    void *all[] = {q->shift, q->sum, q->mean, q->norm, q->size, q->x, q->product, q->far,
                   q->far_bytes};
    if (q->uses_blas)
        bn_blas_end();
    bn_big_free(q->best);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bn_free(all[i]);
}

bonsai_status bn_round_shift(bn_round *q)
{
    bonsai_status rc = BONSAI_OK;
    double square = 0, middle = 0;
    int64_t step = q->count / 1024 + 1, used = 0;
    if (!q->e->dense)
        return rc;
    memset(q->sum, 0, (size_t)q->e->f * sizeof *q->sum);
    for (int64_t i = 0; i < q->count; i += step, used++) {
        bn_row_add(q->sum, q->e, q->rows[i], 1);
        square += bn_row_squares(q->e, q->rows[i]);
    }
    for (int64_t j = 0; j < q->e->f; j++)
        middle += (q->sum[j] / (double)used) * (q->sum[j] / (double)used);
    if (!(middle > far_away * (square / (double)used - middle)) || !(square < (double)FLT_MAX))
        return rc;
    BN_TRY(BN_NEW(&q->shift, q->e->f));
    for (int64_t j = 0; j < q->e->f; j++)
        q->shift[j] = (float)(q->sum[j] / (double)used);
done:
    return rc;
}

/* ---- means ---- */

/* Puts the mean of cluster c+j of a tile; of an empty one zeros that are infinitely long. */
static double put_mean(bn_round *q, int64_t c, int64_t j)
{
    int64_t f = q->e->f, members = q->size[c + j], step = q->e->dense ? 1 : q->tile;
    const double *sum = q->sum + j * f;
    float *mean = q->mean + (q->e->dense ? j * f : j);
    double norm = 0;
    for (int64_t t = 0; t < f; t++) {
        double shift = q->shift ? (double)q->shift[t] : 0;
        mean[t * step] = members > 0 ? (float)(sum[t] / (double)members - shift) : 0.0f;
        norm += (double)mean[t * step] * (double)mean[t * step];
    }
    double least = q->e->dense ? norm * (1 - q->error) - q->tiny : norm;
    q->norm[j] = members > 0 ? (float)least : INFINITY;
    return norm;
}

/* Finds the means of clusters c .. c+wide-1 of the rows in m. */
static bonsai_status find_means(bn_round *q, bn_sums *m, bool apart, int64_t c, int64_t wide)
{
    bonsai_status rc = BONSAI_OK;
    double longest = 0;
    bn_sums_add(q->sum, m, c, wide);
    if (apart)
        BN_TRY(bn_sum(q->s->at->world, q->sum, wide * q->e->f));
    const double work = 4.0 * (double)(wide * q->e->f);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static) \
    reduction(max : longest)
    for (int64_t j = 0; j < wide; j++) {
        double norm = put_mean(q, c, j);
        longest = norm > longest ? norm : longest;
    }
    q->longest = longest;
done:
    return rc;
}

/* ---- nearest ---- */

static void multiply_sparse(const bn_round *q, float *product, int64_t first, int64_t count,
                            int64_t wide)
{
    const bn_embedding *e = q->e;
    memset(product, 0, (size_t)(count * q->tile) * sizeof *product);
    for (int64_t i = 0; i < count; i++) {
        int64_t from = e->offsets[q->rows[first + i]], to = e->offsets[q->rows[first + i] + 1];
        bn_kernels_get()->combine(product + i * q->tile, q->mean, (wide + 15) / 16 * 16, q->tile,
                                  e->index + from, e->value + from, to - from);
    }
}

static void multiply_dense(const bn_round *q, float *product, float *x, int64_t first,
                           int64_t count, int64_t wide)
{
    const bn_embedding *e = q->e;
    for (int64_t i = 0; i < count; i++) {
        memcpy(x + i * e->f, e->dense + q->rows[first + i] * e->f, (size_t)e->f * sizeof *x);
        if (q->shift)
            bn_kernels_get()->axpy(x + i * e->f, -1, q->shift, e->f);
    }
    bn_gemm_nt(product, x, q->mean, (int)count, (int)wide, (int)e->f);
}

/* Returns the least of norm - 2 product. */
static float least_of(const float *norm, const float *product, int64_t count)
{
    enum { LANES = 16 };
    float least[LANES];
    int64_t i = 0;
    for (int j = 0; j < LANES; j++)
        least[j] = INFINITY;
    for (; i + LANES <= count; i += LANES)
        for (int j = 0; j < LANES; j++) {
            float d = norm[i + j] - 2.0f * product[i + j];
            least[j] = d < least[j] ? d : least[j];
        }
    for (; i < count; i++) {
        float d = norm[i] - 2.0f * product[i];
        least[0] = d < least[0] ? d : least[0];
    }
    for (int j = 1; j < LANES; j++)
        least[0] = least[j] < least[0] ? least[j] : least[0];
    return least[0];
}

/* Lists the means that may be nearer to x than the one it has, and as near as any other of
 * the tile. */
static int64_t propose(int32_t *hit, const bn_round *q, const float *x, const float *product,
                       float best, int64_t wide)
{
    double own = (double)bn_kernels_get()->dot(x, x, q->e->f);
    if (!(own < most_norm) || !(q->longest < most_norm) || q->error > most_error) {
        for (int64_t j = 0; j < wide; j++)
            hit[j] = (int32_t)j;
        return wide;
    }
    double slack = 2.5 * q->error * (own + q->longest) + 16 * q->tiny;
    double least = (double)least_of(q->norm, product, wide);
    double bar = fmin(least, (double)best - (own * (1 - q->error) - q->tiny)) + slack;
    return bn_kernels_get()->below(hit, q->norm, product, (float)bar, wide);
}

/* Assigns rows to the nearest of the tile's means, if it is nearer than the one they have. */
static void compare_dense(const bn_round *q, int lane, int64_t first, int64_t c, int64_t wide)
{
    int64_t count = bn_least(q->block, q->count - first), f = q->e->f;
    float *product = q->product + lane * q->block * q->tile, *x = q->x + lane * q->block * f;
    int32_t hit[TILE];
    multiply_dense(q, product, x, first, count, wide);
    for (int64_t i = 0; i < count; i++) {
        float best = q->best[first + i];
        int64_t hits = propose(hit, q, x + i * f, product + i * wide, best, wide);
        for (int64_t h = 0; h < hits; h++) {
            float d = bn_kernels_get()->dist2(x + i * f, q->mean + hit[h] * f, f);
            if (d < best && q->size[c + hit[h]] > 0) {
                best = d;
                q->cluster[first + i] = (int32_t)(c + hit[h]);
            }
        }
        q->best[first + i] = best;
    }
}

static void compare_sparse(const bn_round *q, int lane, int64_t first, int64_t c, int64_t wide)
{
    int64_t count = bn_least(q->block, q->count - first);
    float *product = q->product + lane * q->block * q->tile;
    multiply_sparse(q, product, first, count, wide);
    for (int64_t i = 0; i < count; i++) {
        const float *p = product + i * q->tile;
        float best = q->best[first + i];
        int32_t cluster = q->cluster[first + i];
        for (int64_t j = 0; j < wide; j++) {
            float d = q->norm[j] - 2.0f * p[j];
            if (d < best) {
                best = d;
                cluster = (int32_t)(c + j);
            }
        }
        q->best[first + i] = best;
        q->cluster[first + i] = cluster;
    }
}

static void compare(const bn_round *q, int64_t c, int64_t wide)
{
    const double each = q->e->dense ? 2 + (double)q->e->f / 8 : bn_numbers(q->e, 1);
    const double work = (double)q->count * (double)wide * each;
#pragma omp parallel for num_threads(bn_team(q->lanes, work)) schedule(static)
    for (int lane = 0; lane < q->lanes; lane++)
        for (int64_t first = lane * q->block; first < q->count; first += q->lanes * q->block) {
            if (q->e->dense)
                compare_dense(q, lane, first, c, wide);
            else
                compare_sparse(q, lane, first, c, wide);
        }
}

/* ---- repair ---- */

bonsai_status bn_round_sizes(bn_round *q)
{
    memset(q->size, 0, (size_t)q->k * sizeof *q->size);
    for (int64_t i = 0; i < q->count; i++)
        q->size[q->cluster[i]]++;
    return bn_sum_int(q->s->at->world, q->size, q->k);
}

/* Finds the row of all ranks that is farthest from its mean, and not alone there; the first
 * of them. */
static bonsai_status farthest(far_row *out, const bn_round *q)
{
    bn_world *w = q->s->at->world;
    const far_row *all = q->far;
    int64_t far = -1;
    for (int64_t i = 0; i < q->count; i++)
        if (q->size[q->cluster[i]] > 1 && q->best[i] > (far < 0 ? 0 : q->best[far]))
            far = i;
    far_row mine = {0, -1, -1};
    if (far >= 0)
        mine = (far_row){(double)q->best[far], q->base + far, q->cluster[far]};
    bonsai_status rc = bn_gather(w, q->far, q->far_bytes, &mine);
    *out = all[0];
    for (int r = 1; r < bn_ranks(w); r++)
        if (all[r].distance > out->distance)    /* higher ranks have later rows */
            *out = all[r];
    return rc;
}

static void find_distances(bn_round *q)
{
#pragma omp parallel for num_threads(bn_team(q->lanes, bn_numbers(q->e, q->count))) schedule(static)
    for (int64_t i = 0; i < q->count; i++) {
        double d = (double)q->best[i] + (q->e->dense ? 0 : bn_row_squares(q->e, q->rows[i]));
        q->best[i] = d < (double)FLT_MAX ? (float)fmax(d, 0) : FLT_MAX;
    }
}

static bonsai_status repair(bn_round *q)
{
    bonsai_status rc = BONSAI_OK;
    int64_t empty = 0;
    for (int64_t c = 0; c < q->k; c++)
        empty += q->size[c] == 0;
    if (empty > 0)
        find_distances(q);
    for (int64_t c = 0; c < q->k && empty > 0; c++) {
        far_row far;
        if (q->size[c] > 0)
            continue;
        BN_TRY(farthest(&far, q));
        if (far.at < 0)
            break;
        q->size[far.cluster]--;
        q->size[c] = 1;
        if (far.at >= q->base && far.at < q->base + q->count) {
            q->cluster[far.at - q->base] = (int32_t)c;
            q->best[far.at - q->base] = 0;
        }
    }
done:
    return rc;
}

bonsai_status bn_round_assign(bn_round *q, bn_sums *m, bool apart)
{
    bonsai_status rc;
    for (int64_t i = 0; i < q->count; i++) {
        q->best[i] = INFINITY;
        q->cluster[i] = 0;
    }
    for (int64_t c = 0; c < q->k; c += q->tile) {
        int64_t wide = bn_least(q->tile, q->k - c);
        BN_TRY(find_means(q, m, apart, c, wide));
        compare(q, c, wide);
    }
    BN_TRY(bn_round_sizes(q));
    BN_TRY(repair(q));
done:
    return rc;
}
