/* kmeans.c -- clusters of rows: Lloyd's rounds on matrix products, after kmeans_seed.c.
 *
 *   rows       norms and equality of dense and sparse rows
 *   rounds     every row to the nearest mean, by |c|^2 - 2 x c
 *   repair     an empty cluster takes the row that is farthest from its mean
 *   distinct   as many clusters as rows: no distances needed
 *   many rows  rounds on a sample, then a few on all
 *
 * The means of a tile of clusters at a time are made from the members, so there is never more
 * than a tile of them.  Dense rows are copied by blocks for sgemm; a sparse row adds up rows of
 * the transposed tile.  Each row and each mean is computed by one thread in a fixed order, from
 * blocks that do not depend on the number of threads.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmeans.h"
#include "prototypes.h"

enum { BLOCK = 256, LEAST_BLOCK = 8, BLOCK_FLOATS = 1 << 20 };      /* rows multiplied at a time */
enum { TILE = 256, LEAST_TILE = 16, TILE_FLOATS = 1 << 22 };        /* with so many means */
enum { SAMPLE = 8192, SAMPLE_EACH = 32, FULL_ROUNDS = 2 };     /* where there are more rows */
static const double far_away = 4;       /* |mean|^2 over the variance from which rows are centred */

typedef struct {
    const bn_embedding *e;
    const int64_t *rows;
    int64_t  count, k;
    int32_t *cluster;           /* count */
    float   *best;              /* count: |c|^2 - 2 x c of the nearest mean */
    int64_t  block, tile;
    int      threads, lanes;
    float   *shift;             /* f: taken off dense rows; NULL: nothing */
    double  *sum;               /* tile x f */
    float   *mean;              /* tile x f, or f x tile where rows are sparse */
    float   *norm;              /* tile */
    float   *x, *product;       /* lanes x block x f, lanes x block x tile */
    int64_t *size;              /* k */
    bn_progress progress;
    int64_t  ticks;             /* of the whole call */
} run;

/* ---- rows ---- */

static int64_t between(int64_t low, int64_t x, int64_t high)
{
    return x < low ? low : bn_least(x, high);
}

static bool same_row(const bn_embedding *e, int64_t a, int64_t b)
{
    if (e->dense) {
        const float *x = e->dense + a * e->f, *y = e->dense + b * e->f;
        for (int64_t j = 0; j < e->f; j++)
            if (x[j] != y[j])
                return false;
        return true;
    }
    int64_t many = e->offsets[a + 1] - e->offsets[a];
    if (e->offsets[b + 1] - e->offsets[b] != many)
        return false;
    for (int64_t i = 0; i < many; i++)
        if (e->index[e->offsets[a] + i] != e->index[e->offsets[b] + i] ||
            e->value[e->offsets[a] + i] != e->value[e->offsets[b] + i])
            return false;
    return true;
}

/* |x|^2 of a row, less the shift. */
static double row_norm(const run *q, int64_t row)
{
    const bn_embedding *e = q->e;
    double total = 0;
    if (e->dense)
        for (int64_t j = 0; j < e->f; j++) {
            double v = (double)e->dense[row * e->f + j] - (q->shift ? (double)q->shift[j] : 0);
            total += v * v;
        }
    else
        for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
            total += (double)e->value[i] * (double)e->value[i];
    return total;
}

/* ---- rounds ---- */

/* Differences of large numbers lose digits, so rows that lie together far from 0 are moved. */
static bonsai_status find_shift(run *q)
{
    bonsai_status rc = BONSAI_OK;
    double square = 0, middle = 0;
    int64_t step = q->count / 1024 + 1, used = 0;
    if (!q->e->dense)
        return rc;
    memset(q->sum, 0, (size_t)q->e->f * sizeof *q->sum);
    for (int64_t i = 0; i < q->count; i += step, used++) {
        bn_row_add(q->sum, q->e, q->rows[i], 1);
        square += row_norm(q, q->rows[i]);
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

static bonsai_status new_run(run *q)
{
    bonsai_status rc;
    int64_t f = q->e->f > 0 ? q->e->f : 1, k = (q->k + 15) / 16 * 16;
    q->block = between(LEAST_BLOCK, BLOCK_FLOATS / f, BLOCK);
    q->tile = bn_least(between(LEAST_TILE, TILE_FLOATS / f / 16 * 16, TILE), k);
    q->lanes = bn_team(q->threads, (q->count + q->block - 1) / q->block);
    BN_TRY(BN_NEW(&q->best, q->count));
    BN_TRY(BN_NEW(&q->sum, q->tile * f));
    BN_TRY(BN_NEW(&q->mean, q->tile * f));
    BN_TRY(BN_NEW(&q->norm, q->tile));
    BN_TRY(BN_NEW(&q->size, q->k));
    BN_TRY(BN_NEW(&q->x, q->e->dense ? q->lanes * q->block * f : 0));
    BN_TRY(BN_NEW(&q->product, q->lanes * q->block * q->tile));
    BN_TRY(find_shift(q));
done:
    return rc;
}

static void free_run(run *q)
{
    bn_free(q->best);
    bn_free(q->shift);
    bn_free(q->sum);
    bn_free(q->mean);
    bn_free(q->norm);
    bn_free(q->size);
    bn_free(q->x);
    bn_free(q->product);
}

/* The means of clusters c .. c+wide-1. */
static void find_means(const run *q, const bn_groups *g, int64_t c, int64_t wide)
{
    int64_t f = q->e->f;
#pragma omp parallel for num_threads(bn_team(q->threads, wide)) schedule(dynamic)
    for (int64_t j = 0; j < wide; j++) {
        double *sum = q->sum + j * f, norm = 0;
        int64_t members = g->first[c + j + 1] - g->first[c + j];
        memset(sum, 0, (size_t)f * sizeof *sum);
        for (int64_t i = g->first[c + j]; i < g->first[c + j + 1]; i++)
            bn_row_add(sum, q->e, g->at[i], 1);
        for (int64_t t = 0; t < f && members > 0; t++) {
            float v = (float)(sum[t] / (double)members - (q->shift ? (double)q->shift[t] : 0));
            q->mean[q->e->dense ? j * f + t : t * q->tile + j] = v;
            norm += (double)v * (double)v;
        }
        q->norm[j] = members > 0 ? (float)norm : INFINITY;
    }
}

static void multiply(const run *q, float *product, int lane, int64_t first, int64_t count,
                     int64_t wide)
{
    const bn_embedding *e = q->e;
    float *x = q->x + lane * q->block * e->f;
    if (!e->dense) {
        memset(product, 0, (size_t)(count * q->tile) * sizeof *product);
        for (int64_t i = 0; i < count; i++) {
            int64_t from = e->offsets[q->rows[first + i]], to = e->offsets[q->rows[first + i] + 1];
            bn_kernels_get()->combine(product + i * q->tile, q->mean, (wide + 15) / 16 * 16,
                                      q->tile, e->index + from, e->value + from, to - from);
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const float *row = e->dense + q->rows[first + i] * e->f;
        memcpy(x + i * e->f, row, (size_t)e->f * sizeof *x);
        if (q->shift)
            bn_kernels_get()->axpy(x + i * e->f, -1, q->shift, e->f);
    }
    bn_gemm_nt(product, x, q->mean, (int)count, (int)wide, (int)e->f);
}

/* Rows to the nearest of the tile's means, if nearer than what they have. */
static void compare(const run *q, int lane, int64_t first, int64_t c, int64_t wide)
{
    float *product = q->product + lane * q->block * q->tile;
    int64_t count = bn_least(q->block, q->count - first), stride = q->e->dense ? wide : q->tile;
    multiply(q, product, lane, first, count, wide);
    for (int64_t i = 0; i < count; i++) {
        const float *p = product + i * stride;
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

static void assign(run *q, const bn_groups *g)
{
    for (int64_t i = 0; i < q->count; i++) {
        q->best[i] = INFINITY;
        q->cluster[i] = 0;
    }
    bn_blas_begin();
    for (int64_t c = 0; c < g->k; c += q->tile) {
        int64_t wide = bn_least(q->tile, g->k - c);
        find_means(q, g, c, wide);
#pragma omp parallel for num_threads(q->lanes) schedule(static)
        for (int lane = 0; lane < q->lanes; lane++)
            for (int64_t b = lane * q->block; b < q->count; b += q->lanes * q->block)
                compare(q, lane, b, c, wide);
    }
    bn_blas_end();
}

/* ---- repair ---- */

static int64_t count_empty(const run *q)
{
    int64_t empty = 0;
    memset(q->size, 0, (size_t)q->k * sizeof *q->size);
    for (int64_t i = 0; i < q->count; i++)
        q->size[q->cluster[i]]++;
    for (int64_t c = 0; c < q->k; c++)
        empty += q->size[c] == 0;
    return empty;
}

/* The row that is farthest from its mean, and not alone there; -1: none. */
static int64_t farthest(const run *q)
{
    int64_t far = -1;
    for (int64_t i = 0; i < q->count; i++)
        if (q->size[q->cluster[i]] > 1 && q->best[i] > (far < 0 ? 0 : q->best[far]))
            far = i;
    return far;
}

static void repair(run *q)
{
    if (count_empty(q) == 0)
        return;
#pragma omp parallel for num_threads(q->lanes) schedule(static)
    for (int64_t i = 0; i < q->count; i++) {
        double d = row_norm(q, q->rows[i]) + (double)q->best[i];
        q->best[i] = d < (double)FLT_MAX ? (float)fmax(d, 0) : FLT_MAX;
    }
    for (int64_t c = 0; c < q->k; c++) {
        int64_t i = q->size[c] == 0 ? farthest(q) : -1;
        if (i < 0)
            continue;
        q->size[q->cluster[i]]--;
        q->size[c] = 1;
        q->cluster[i] = (int32_t)c;
        q->best[i] = 0;
    }
}

/* Leaves out the clusters that stayed empty. */
static int64_t close_gaps(run *q)
{
    int64_t found = 0;
    if (count_empty(q) == 0)
        return q->k;
    for (int64_t c = 0; c < q->k; c++)
        q->size[c] = q->size[c] ? found++ : -1;
    for (int64_t i = 0; i < q->count; i++)
        q->cluster[i] = (int32_t)q->size[q->cluster[i]];
    return found;
}

/* Rounds until no row changes its cluster; ticks end at `last` of q->ticks. */
static bonsai_status settle(run *q, int rounds, int64_t last)
{
    bonsai_status rc;
    int32_t *before = NULL;
    bn_groups g = {0};
    size_t bytes = (size_t)q->count * sizeof *before;
    BN_TRY(BN_NEW(&before, q->count));
    BN_TRY(bn_groups_new(&g, q->count, q->k));
    for (int round = 0; round < rounds && q->k > 1; round++) {
        BN_TRY(bn_tick(q->progress, "clusters", last - rounds + round, q->ticks));
        memcpy(before, q->cluster, bytes);
        bn_groups_fill(&g, q->rows, q->cluster, q->count, q->k);
        assign(q, &g);
        repair(q);
        if (memcmp(before, q->cluster, bytes) == 0)
            break;
    }
    q->k = close_gaps(q);
done:
    bn_free(before);
    bn_groups_free(&g);
    return rc;
}

static bonsai_status seed_and_settle(run *q, int rounds, uint64_t seed)
{
    bonsai_status rc;
    int64_t asked = q->k;
    bn_seeds s = {q->e, q->rows, q->count, q->k, q->cluster, q->threads, q->progress};
    BN_TRY(bn_kmeans_seed(&s, seed, q->ticks));
    q->k = s.k;
    BN_TRY(settle(q, rounds, asked + rounds));
done:
    return rc;
}

/* ---- distinct rows ---- */

typedef struct { uint64_t hash; int64_t at; } hashed;

static int by_hash(const void *a, const void *b)
{
    const hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The same for 0 and -0, and for entries in any order. */
static uint64_t hash_row(const bn_embedding *e, int64_t row)
{
    uint64_t hash = 0;
    int64_t from = e->dense ? row * e->f : e->offsets[row];
    int64_t to = e->dense ? from + e->f : e->offsets[row + 1];
    for (int64_t i = from; i < to; i++) {
        float v = e->dense ? e->dense[i] : e->value[i];
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (v != 0.0f)
            hash += bn_rng_at(bits, (uint64_t)(e->dense ? i - from : e->index[i])).key;
    }
    return hash;
}

/* A cluster for each distinct row, in the order of their first. */
static bonsai_status distinct_rows(int32_t *cluster, int64_t *found, const bn_embedding *e,
                                   const int64_t *rows, int64_t count, int threads)
{
    bonsai_status rc;
    hashed *h = NULL;
    *found = 0;
    BN_TRY(BN_NEW(&h, count));
#pragma omp parallel for num_threads(bn_team(threads, count / BLOCK + 1)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        h[i] = (hashed){hash_row(e, rows[i]), i};
    qsort(h, (size_t)count, sizeof *h, by_hash);
    for (int64_t first = 0, i = 0; i < count; i++) {
        first = h[i].hash == h[first].hash ? first : i;
        int64_t j = first;
        while (j < i && !same_row(e, rows[h[j].at], rows[h[i].at]))
            j++;
        cluster[h[i].at] = (int32_t)h[j].at;
    }
    for (int64_t i = 0; i < count; i++)
        cluster[i] = cluster[i] == i ? (int32_t)(*found)++ : cluster[cluster[i]];
done:
    bn_free(h);
    return rc;
}

/* ---- many rows ---- */

/* So many of the rows, in order, each set as likely as any other. */
static void draw_rows(int64_t *out, int64_t many, const int64_t *rows, int64_t count, uint64_t seed)
{
    bn_rng r = bn_rng_at(seed, 1);
    for (int64_t i = 0, taken = 0; taken < many; i++)
        if (bn_rng_below(&r, count - i) < many - taken)
            out[taken++] = rows[i];
}

/* All rows to the nearest of the means that a sample settles on. */
static bonsai_status cluster_sample(run *all, int64_t many, int rounds, uint64_t seed)
{
    bonsai_status rc;
    bn_groups g = {0};
    int64_t *rows = NULL;
    run q = {.e = all->e, .count = many, .k = all->k, .threads = all->threads,
             .progress = all->progress, .ticks = all->ticks};
    BN_TRY(BN_NEW(&rows, many));
    BN_TRY(BN_NEW(&q.cluster, many));
    draw_rows(rows, many, all->rows, all->count, seed);
    q.rows = rows;
    BN_TRY(new_run(&q));
    BN_TRY(seed_and_settle(&q, rounds, seed));
    BN_TRY(bn_groups_new(&g, many, q.k));
    bn_groups_fill(&g, rows, q.cluster, many, q.k);
    all->k = q.k;
    assign(all, &g);
    repair(all);
done:
    free_run(&q);
    bn_groups_free(&g);
    bn_free(q.cluster);
    bn_free(rows);
    return rc;
}

bonsai_status bn_kmeans(int32_t *cluster, int64_t *found, const bn_embedding *e,
                        const int64_t *rows, int64_t count, int64_t k, int rounds, uint64_t seed,
                        int threads, bn_progress p)
{
    bonsai_status rc;
    run q = {.e = e, .rows = rows, .count = count, .k = k, .cluster = cluster,
             .threads = bn_threads(threads), .progress = p};
    *found = 0;
    if (k < 1)
        return bn_fail(BONSAI_E_ARGUMENT, "k is %lld: there must be a cluster", (long long)k);
    int64_t many = k > SAMPLE / SAMPLE_EACH ? bn_least(k, count) * SAMPLE_EACH : SAMPLE;
    int full = rounds < FULL_ROUNDS ? rounds : FULL_ROUNDS;
    q.ticks = bn_least(k, count) + rounds + full;
    BN_TRY(bn_tick(p, "clusters", 0, q.ticks));
    if (k >= count) {
        BN_TRY(distinct_rows(cluster, found, e, rows, count, q.threads));
    } else {
        BN_TRY(new_run(&q));
        if (count > many) {
            BN_TRY(cluster_sample(&q, many, rounds, seed));
            BN_TRY(settle(&q, full, q.ticks));
        } else
            BN_TRY(seed_and_settle(&q, rounds, seed));
        *found = q.k;
    }
    BN_TRY(bn_tick(p, "clusters", q.ticks, q.ticks));
done:
    free_run(&q);
    return rc;
}
