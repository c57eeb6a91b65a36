/* knn_dense.c -- proposes neighbours by blocks of matrix products; see knn.c.
 *
 * Rows are centred, and sparse ones made dense, a block at a time, so beside the
 * embedding there are only two blocks of rows and one of products.  Where products
 * serve both trees only the blocks on and above the diagonal are computed: small
 * blocks waste less of the diagonal, large ones wait less often for each other.
 *
 * SPDX-License-Identifier: MIT */
#include "knn.h"

enum { SMALL = 512, MEDIUM = 1024, LARGE = 2048, TILE_SAMPLES = 256, TILE_TREES = 512 };

typedef struct {
    float *samples, *trees;     /* block x f, centred */
    float *product;             /* block x block, in tiles */
} dense_room;

/* Row t of the embedding, dense and centred. */
static void centred_row(float *out, const bn_knn_search *q, int64_t t)
{
    const bn_embedding *e = q->e;
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

/* Any point near the middle will do: the mean of some of the rows. */
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

static void centre_block(float *out, const bn_knn_search *q, const int32_t *row, int64_t first, int64_t count)
{
#pragma omp parallel for num_threads(q->threads) schedule(static)
    for (int64_t i = 0; i < count; i++)
        centred_row(out + i * q->f, q, row ? row[first + i] : first + i);
}

static int64_t block_at(const bn_knn_search *q, int64_t first, int64_t total)
{
    return total - first < q->block ? total - first : q->block;
}

static void find_dense_norms(bn_knn_search *q, float *room)
{
    for (int64_t first = 0; first < q->trees; first += q->block) {
        int64_t count = block_at(q, first, q->trees);
        centre_block(room, q, NULL, first, count);
#pragma omp parallel for num_threads(q->threads) schedule(static)
        for (int64_t i = 0; i < count; i++) {
            const float *x = room + i * q->f;
            q->low[first + i] = bn_knn_low(q, bn_kernels_get()->dot(x, x, q->f));
        }
    }
}

/* The products of some of the block's samples with its trees; tile j of them starts
 * at column j * TILE_TREES and is as wide as what is left. */
static void multiply(const bn_knn_search *q, const dense_room *r, int64_t sample, int64_t samples,
                     int64_t trees)
{
    for (int64_t t = 0; t < trees; t += TILE_TREES) {
        int64_t wide = trees - t < TILE_TREES ? trees - t : TILE_TREES;
        bn_gemm_nt(r->product + sample * q->block + t * samples, r->samples + sample * q->f,
                   r->trees + t * q->f, (int)samples, (int)wide, (int)q->f);
    }
}

static void scan_tiles(const bn_knn_search *q, const dense_room *r, int64_t s0, int64_t sample,
                       int64_t samples, int64_t t0, int64_t trees)
{
    for (int64_t t = 0; t < trees; t += TILE_TREES) {
        int64_t wide = trees - t < TILE_TREES ? trees - t : TILE_TREES;
        const float *tile = r->product + sample * q->block + t * samples;
        for (int64_t i = 0; i < samples; i++)
            bn_knn_forward(q, s0 + sample + i, tile + i * wide, t0 + t, wide);
    }
}

/* One block of products: samples from s0 (already centred) with trees from t0. */
static void dense_block(const bn_knn_search *q, const dense_room *r, int64_t s0, int64_t t0)
{
    int64_t samples = block_at(q, s0, q->z), trees = block_at(q, t0, q->trees);
    int64_t each = samples / (4 * q->threads) < TILE_SAMPLES ? samples / (4 * q->threads) + 1
                                                             : TILE_SAMPLES;
    each = each < 64 ? 64 : each;
#pragma omp parallel for num_threads(q->threads) schedule(dynamic)
    for (int64_t s = 0; s < samples; s += each) {
        int64_t use = samples - s < each ? samples - s : each;
        multiply(q, r, s, use, trees);
        scan_tiles(q, r, s0, s, use, t0, trees);
    }
    if (!q->both || s0 == t0)
        return;
#pragma omp parallel for num_threads(q->threads) schedule(dynamic)
    for (int64_t t = 0; t < trees; t += TILE_TREES) {
        int64_t wide = trees - t < TILE_TREES ? trees - t : TILE_TREES;
        for (int64_t s = 0; s < samples; s++) {
            int64_t part = s - s % each, high = samples - part < each ? samples - part : each;
            bn_knn_backward(q, s0 + s, r->product + part * q->block + t * high + (s - part) * wide,
                          t0 + t, wide);
        }
    }
}

static bonsai_status dense_blocks(const bn_knn_search *q, const dense_room *r)
{
    bonsai_status rc = BONSAI_OK;
    int64_t across = (q->z + q->block - 1) / q->block, down = (q->trees + q->block - 1) / q->block, done = 0;
    int64_t total = q->both ? down * (down + 1) / 2 : down * across;
    for (int64_t t0 = 0; t0 < q->trees; t0 += q->block) {
        centre_block(r->trees, q, NULL, t0, block_at(q, t0, q->trees));
        for (int64_t s0 = 0; s0 < (q->both ? t0 + 1 : q->z); s0 += q->block) {
            BN_TRY(bn_tick(q->progress, "neighbours", q->z * done++ / total, q->z));
            if (across > 1 || t0 == 0)
                centre_block(r->samples, q, q->sample, s0, block_at(q, s0, q->z));
            dense_block(q, r, s0, t0);
        }
    }
done:
    return rc;
}

bonsai_status bn_knn_dense(bn_knn_search *q)
{
    bonsai_status rc;
    dense_room r = {0};
    q->block = !q->both ? LARGE : q->trees > 4 * MEDIUM ? MEDIUM : SMALL;
    int64_t samples = block_at(q, 0, q->z), trees = block_at(q, 0, q->trees);
    bn_knn_error(q, q->f);
    BN_TRY(find_mean(q));
    BN_TRY(BN_NEW(&r.samples, samples * q->f));
    BN_TRY(BN_NEW(&r.trees, trees * q->f));
    BN_TRY(BN_NEW(&r.product, samples * q->block));
    find_dense_norms(q, r.trees);
    if (bn_knn_bounded(q)) {
        bn_blas_begin();
        rc = dense_blocks(q, &r);
        bn_blas_end();
    } else
        rc = bn_knn_measure(q);
done:
    bn_free(r.samples);
    bn_free(r.trees);
    bn_free(r.product);
    return rc;
}

