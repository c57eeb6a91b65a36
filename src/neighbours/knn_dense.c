/* knn_dense.c -- proposes neighbours by blocks of matrix products; see knn.c.
 *
 * Rows are centred, and sparse ones made dense, a block at a time, so besides the embedding there
 * are only two blocks of rows and one of products.  If products serve both trees, only the blocks
 * on and above the diagonal are computed: small blocks waste less of the diagonal, threads wait
 * less often in large ones.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "knn.h"

enum { SMALL = 512, MEDIUM = 1024, LARGE = BN_KNN_BLOCK, LEAST = 64,
       TILE_SAMPLES = 256, TILE_TREES = 512 };
/* Numbers in a block of rows: at most, and whatever the limit of memory. */
enum { MOST_FLOATS = 1 << 26, LEAST_FLOATS = 1 << 20 };

typedef struct {
    float *samples, *trees;     /* block x cols */
    float *product;             /* block x block, in tiles */
} dense_room;

/* Makes a row of an embedding dense and centred. */
static void centred_row(float *out, const bn_knn_search *q, const bn_embedding *e, int64_t t)
{
    if (e->dense) {
        for (int64_t j = 0; j < q->f; j++)
            out[j] = e->dense[t * q->f + j] - q->mean[j];
        return;
    }
    for (int64_t j = 0; j < q->f; j++)
        out[j] = -q->mean[j];
    for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++)
        out[e->index[i]] = e->value[i] - q->mean[e->index[i]];
}

/* Makes a row for the products. */
static void make_row(float *out, const bn_knn_search *q, const bn_embedding *e, int64_t t)
{
    if (q->groups.count)
        bn_knn_group_row(out, &q->groups, e, t);
    else
        centred_row(out, q, e, t);
}

/* Centres at the mean of some rows: any point near the middle will do. */
static bonsai_status find_mean(bn_knn_search *q)
{
    bonsai_status rc;
    double *sum = NULL;
    const bn_embedding *e = q->e;
    int64_t step = q->trees / 1024 + 1, used = 0;
    BN_TRY(BN_NEW(&q->mean, q->f));
    BN_TRY(BN_NEW(&sum, q->f));
    for (int64_t t = 0; t < q->trees; t += step, used++)
        if (e->dense)
            for (int64_t j = 0; j < q->f; j++)
                sum[j] += (double)e->dense[t * q->f + j];
        else
            for (int64_t i = e->offsets[t]; i < e->offsets[t + 1]; i++)
                sum[e->index[i]] += (double)e->value[i];
    for (int64_t j = 0; j < q->f; j++)
        q->mean[j] = (float)(sum[j] / (double)used);
done:
    bn_free(sum);
    return rc;
}

static int64_t trees_at(const bn_knn_search *q, int64_t first)
{
    return bn_least(q->trees - first, q->block);
}

static int64_t samples_at(const bn_knn_search *q, int64_t first)
{
    return bn_least(q->z - first, q->span);
}

/* Returns `rows`, or fewer if memory is short. */
static int64_t block_rows(const bn_knn_search *q, int64_t rows)
{
    int64_t floats = bn_memory_left(q->place->memory) / 8 / (int64_t)sizeof(float);
    floats = floats < LEAST_FLOATS ? LEAST_FLOATS : bn_least(floats, MOST_FLOATS);
    int64_t fit = floats / (q->cols > 0 ? q->cols : 1);
    return bn_least(rows, fit < LEAST ? LEAST : fit);
}

/* Sets the blocks of samples and trees, which are the same size unless rows of norms are compared,
 * which take longer to make: if all samples fit, more samples meet fewer trees. */
static void find_blocks(bn_knn_search *q)
{
    bool wide = q->groups.count && !q->both;
    int64_t rows = !q->both ? LARGE : q->trees > 4 * MEDIUM ? MEDIUM : SMALL;
    q->block = block_rows(q, wide ? rows / 2 : rows);
    q->span = block_rows(q, wide ? rows * 2 : rows);
}

static void make_samples(float *out, const bn_knn_search *q, int64_t first)
{
    int64_t count = samples_at(q, first);
    const double work = 4 * bn_numbers(q->from, count);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        make_row(out + i * q->cols, q, q->from, bn_knn_at(q, first + i));
}

static void make_trees(float *out, const bn_knn_search *q, int64_t first)
{
    int64_t count = trees_at(q, first);
    const double work = 4 * bn_numbers(q->e, count);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        make_row(out + i * q->cols, q, q->e, first + i);
}

/* Stores the norms of rows that were just made. */
static void find_norms(float *low, const float *x, const bn_knn_search *q, int64_t count)
{
    const double work = (double)(count * q->cols);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        low[i] = bn_knn_low(q, x + i * q->cols, q->cols);
}

static void find_sample_norms(const bn_knn_search *q, float *room)
{
    for (int64_t first = 0; first < q->z; first += q->span) {
        make_samples(room, q, first);
        find_norms(q->own + first, room, q, samples_at(q, first));
    }
}

/* Multiplies some of the block's samples with its trees; tile j starts at column j * TILE_TREES. */
static void multiply(const bn_knn_search *q, const dense_room *r, int64_t sample, int64_t samples,
                     int64_t trees)
{
    for (int64_t t = 0; t < trees; t += TILE_TREES) {
        int64_t wide = trees - t < TILE_TREES ? trees - t : TILE_TREES;
        bn_gemm_nt(r->product + sample * q->block + t * samples, r->samples + sample * q->cols,
                   r->trees + t * q->cols, (int)samples, (int)wide, (int)q->cols);
    }
}

/* Proposes, by the same products, the trees from t0 on to the samples from s0 on. */
static void scan_tiles(const bn_knn_search *q, const float *product, int64_t s0, int64_t samples,
                       int64_t t0, int64_t trees)
{
    for (int64_t t = 0; t < trees; t += TILE_TREES) {
        int64_t wide = trees - t < TILE_TREES ? trees - t : TILE_TREES;
        const float *tile = product + t * samples;
        for (int64_t i = 0; i < samples; i++)
            bn_knn_forward(q, s0 + i, tile + i * wide, t0 + t, wide);
    }
}

/* Computes one block of products: samples from s0 (already made) with trees from t0. */
static void dense_block(const bn_knn_search *q, const dense_room *r, int64_t s0, int64_t t0)
{
    int64_t samples = samples_at(q, s0), trees = trees_at(q, t0);
    int64_t each = samples / (4 * q->threads) < TILE_SAMPLES ? samples / (4 * q->threads) + 1
                                                             : TILE_SAMPLES;
    each = each < 64 ? 64 : each;
    const double work = (double)(samples * trees) * (1 + (double)q->cols / 8);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
    for (int64_t s = 0; s < samples; s += each) {
        int64_t use = samples - s < each ? samples - s : each;
        multiply(q, r, s, use, trees);
        scan_tiles(q, r->product + s * q->block, s0 + s, use, t0, trees);
    }
    if (!q->both || s0 == t0)
        return;
    const double scan = (double)(samples * trees);
#pragma omp parallel for num_threads(bn_team(q->threads, scan)) schedule(dynamic)
    for (int64_t t = 0; t < trees; t += TILE_TREES) {
        int64_t wide = trees - t < TILE_TREES ? trees - t : TILE_TREES;
        for (int64_t s = 0; s < samples; s++) {
            int64_t part = s - s % each, high = samples - part < each ? samples - part : each;
            bn_knn_backward(q, s0 + s, r->product + part * q->block + t * high + (s - part) * wide,
                          t0 + t, wide);
        }
    }
}

/* Reads rows once, in order: they may lie in a file. */
static bonsai_status dense_blocks(const bn_knn_search *q, const dense_room *r)
{
    bonsai_status rc = BONSAI_OK;
    int64_t across = (q->z + q->span - 1) / q->span, down = (q->trees + q->block - 1) / q->block;
    int64_t total = q->both ? down * (down + 1) / 2 : down * across, done = 0;
    for (int64_t t0 = 0; t0 < q->trees; t0 += q->block) {
        int64_t count = trees_at(q, t0);
        make_trees(r->trees, q, t0);
        if (!q->both)
            find_norms(q->low + t0, r->trees, q, count);
        if (!q->both && !bn_knn_bounded(q, t0, t0 + count)) {
            BN_TRY(bn_knn_measure(q, t0, t0 + count, done / across, down));
            done += across;
            continue;
        }
        for (int64_t s0 = 0; s0 < (q->both ? t0 + 1 : q->z); s0 += q->span) {
            BN_TRY(bn_knn_tick(q, done++, total));
            if (across > 1)
                make_samples(r->samples, q, s0);
            dense_block(q, r, s0, t0);
        }
    }
done:
    return rc;
}

/* Finds the norms of the samples, which are those of all trees if products serve twice. */
static bool prepare_samples(bn_knn_search *q, const dense_room *r)
{
    find_sample_norms(q, r->samples);
    if (!q->both)
        return true;
    memcpy(q->low, q->own, (size_t)q->trees * sizeof *q->low);
    return bn_knn_bounded(q, 0, q->trees);
}

bonsai_status bn_knn_dense(bn_knn_search *q)
{
    bonsai_status rc;
    dense_room r = {0};
    q->cols = q->groups.count ? q->groups.count : q->f;
    find_blocks(q);
    int64_t samples = samples_at(q, 0), trees = trees_at(q, 0);
    bn_knn_error(q, q->cols);
    if (!q->groups.count)
        BN_TRY(find_mean(q));
    BN_TRY(BN_NEW(&r.samples, samples * q->cols));
    BN_TRY(BN_NEW(&r.trees, trees * q->cols));
    BN_TRY(BN_NEW(&r.product, samples * q->block));
    if (prepare_samples(q, &r)) {
        BN_TRY(bn_blas_begin(q->threads));
        rc = dense_blocks(q, &r);
        bn_blas_end();
    } else
        rc = bn_knn_measure(q, 0, q->trees, 0, 1);
done:
    bn_free(r.samples);
    bn_free(r.trees);
    bn_free(r.product);
    return rc;
}
