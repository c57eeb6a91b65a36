/* centroids.c -- the means of clusters of rows of which every rank has some.
 *
 * Terms are brought to a grid before they are added, so that a sum does not depend on who adds
 * what.  The rows are met in their order, a chunk at a time, which a scratch file likes best; in
 * a chunk each cluster, or some columns of it, belong to one thread.  There is never more than a
 * tile of sums.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kmeans.h"

enum { CHUNK_FLOATS = 1 << 21, LEAST_CHUNK = 1 << 12, MOST_CHUNK = 1 << 16 };
enum { TILE_DOUBLES = 1 << 22, LEAST_COLUMNS = 32 };

/* ---- sums by cluster ---- */

bonsai_status bn_sums_new(bn_sums *q, int64_t most)
{
    bonsai_status rc;
    int64_t f = q->e->f > 0 ? q->e->f : 1, chunk = CHUNK_FLOATS / f;
    chunk = chunk < LEAST_CHUNK ? LEAST_CHUNK : bn_least(chunk, MOST_CHUNK);
    q->chunk = bn_least(chunk, q->count);
    BN_TRY(BN_NEW(&q->order, q->chunk));
    BN_TRY(BN_NEW(&q->first, most + 2));
done:
    return rc;
}

void bn_sums_free(bn_sums *q)
{
    bn_free(q->order);
    bn_free(q->first);
}

/* Sorts the rows begin .. end-1 by their clusters c .. c+wide-1 and leaves out the others. */
static void sort_chunk(const bn_sums *q, int64_t begin, int64_t end, int64_t c, int64_t wide)
{
    int64_t *next = q->first + 1;       /* one behind: where it ends, it is the next one's start */
    memset(q->first, 0, (size_t)(wide + 2) * sizeof *q->first);
    for (int64_t i = begin; i < end; i++)
        if (q->cluster[i] >= c && q->cluster[i] < c + wide)
            next[q->cluster[i] - c + 1]++;
    for (int64_t j = 0; j < wide; j++)
        next[j + 1] += next[j];
    for (int64_t i = begin; i < end; i++)
        if (q->cluster[i] >= c && q->cluster[i] < c + wide)
            q->order[next[q->cluster[i] - c]++] = (int32_t)(i - begin);
}

static void add_dense(double *restrict sum, const float *restrict x, int64_t count, double grid)
{
    for (int64_t j = 0; j < count; j++)
        sum[j] += bn_on_grid((double)x[j], grid);
}

static void add_weighted(double *restrict sum, const float *restrict x, int64_t count,
                         double weight, double grid)
{
    for (int64_t j = 0; j < count; j++)
        sum[j] += bn_on_grid(weight * (double)x[j], grid);
}

static void add_sparse(double *sum, const bn_embedding *e, int64_t row, double weight, double grid)
{
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        sum[e->index[i]] += bn_on_grid(weight * (double)e->value[i], grid);
}

/* Adds columns from .. to-1 of the rows of one cluster in a chunk that begins at `begin`. */
static void add_rows(double *sum, const bn_sums *q, int64_t begin, int64_t j, int64_t from,
                     int64_t to)
{
    const bn_embedding *e = q->e;
    for (int64_t i = q->first[j]; i < q->first[j + 1]; i++) {
        int64_t place = begin + q->order[i], row = q->rows ? q->rows[place] : place;
        double weight = q->weight ? (double)q->weight[row] : 1;
        if (!e->dense)
            add_sparse(sum, e, row, weight, q->grid);
        else if (q->weight)
            add_weighted(sum + from, e->dense + row * e->f + from, to - from, weight, q->grid);
        else
            add_dense(sum + from, e->dense + row * e->f + from, to - from, q->grid);
    }
}

void bn_sums_add(double *sum, const bn_sums *q, int64_t c, int64_t wide)
{
    int64_t f = q->e->f, cuts = q->e->dense && wide < 4 * q->threads ? 4 * q->threads / wide : 1;
    int64_t columns = (f + cuts - 1) / cuts;
    columns = q->e->dense && columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
    cuts = columns > 0 ? (f + columns - 1) / columns : 0;
    memset(sum, 0, (size_t)(wide * f) * sizeof *sum);
    for (int64_t begin = 0; begin < q->count; begin += q->chunk) {
        int64_t end = bn_least(begin + q->chunk, q->count);
        sort_chunk(q, begin, end, c, wide);
        const double work = 4 * bn_numbers(q->e, end - begin);
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
        for (int64_t t = 0; t < wide * cuts; t++) {
            int64_t j = t / cuts, from = t % cuts * columns;
            add_rows(sum + j * f, q, begin, j, from, bn_least(from + columns, f));
        }
    }
}

/* ---- means ---- */

typedef struct {                /* entries of sparse means so far */
    int64_t count, index_room, value_room;
    int32_t *index;
    float   *value;
} entries;

/* Adds up the weights of each cluster over all ranks; most: the largest weight. */
static bonsai_status find_weights(double *total, const bn_sums *q, int64_t k, bn_world *w,
                                  double most, int64_t rows)
{
    double grid = bn_grid(most, rows);
    for (int64_t i = 0; i < q->count; i++)
        if (q->cluster[i] >= 0)
            total[q->cluster[i]] += q->weight ? bn_on_grid((double)q->weight[i], grid) : 1;
    return bn_sum(w, total, k);
}

static bonsai_status append(entries *out, const double *sum, int64_t f, double total)
{
    bonsai_status rc;
    int64_t need = out->count + f;
    BN_TRY(bn_grow((void **)&out->index, &out->index_room, need, sizeof *out->index));
    BN_TRY(bn_grow((void **)&out->value, &out->value_room, need, sizeof *out->value));
    for (int64_t j = 0; j < f; j++) {
        float v = total > 0 ? (float)(sum[j] / total) : 0.0f;
        if (v == 0.0f)
            continue;
        out->index[out->count] = (int32_t)j;
        out->value[out->count++] = v;
    }
done:
    return rc;
}

/* Writes the means of a tile of clusters from their sums over all ranks. */
static bonsai_status write_means(bn_embedding *out, entries *sparse, const double *sum,
                                 const double *total, int64_t c, int64_t wide)
{
    bonsai_status rc = BONSAI_OK;
    int64_t f = out->f;
    for (int64_t j = c; j < c + wide; j++) {
        const double *s = sum + (j - c) * f;
        for (int64_t t = 0; out->dense && t < f; t++)
            out->dense[j * f + t] = total[j] > 0 ? (float)(s[t] / total[j]) : 0.0f;
        if (out->dense)
            continue;
        BN_TRY(append(sparse, s, f, total[j]));
        out->offsets[j + 1] = sparse->count;
    }
done:
    return rc;
}

static bonsai_status make_means(bn_embedding *out, bn_sums *q, const double *total, double *sum,
                                int64_t tile, bn_world *w)
{
    bonsai_status rc = BONSAI_OK;
    entries sparse = {0};
    for (int64_t c = 0; c < out->rows; c += tile) {
        int64_t wide = bn_least(tile, out->rows - c);
        bn_sums_add(sum, q, c, wide);
        BN_TRY(bn_sum(w, sum, wide * out->f));
        BN_TRY(bn_agree(w, write_means(out, &sparse, sum, total, c, wide)));
    }
    if (!out->dense) {
        rc = BN_BIG(&out->index, NULL, sparse.count);
        if (rc == BONSAI_OK)
            rc = BN_BIG(&out->value, NULL, sparse.count);
        BN_TRY(bn_agree(w, rc));
        memcpy(out->index, sparse.index, (size_t)sparse.count * sizeof *out->index);
        memcpy(out->value, sparse.value, (size_t)sparse.count * sizeof *out->value);
    }
done:
    bn_free(sparse.index);
    bn_free(sparse.value);
    return rc;
}

static bonsai_status make_room(bn_embedding *out, bn_sums *q, double **sum, double **total,
                               int64_t tile)
{
    bonsai_status rc;
    BN_TRY(bn_sums_new(q, tile));
    BN_TRY(BN_NEW(sum, tile * out->f));
    BN_TRY(BN_NEW(total, out->rows));
    if (q->e->dense)
        BN_TRY(BN_BIG(&out->dense, NULL, out->rows * out->f));
    else
        BN_TRY(BN_BIG(&out->offsets, NULL, out->rows + 1));
done:
    return rc;
}

bonsai_status bn_centroids(bn_embedding *out, const bn_sharded *s, const int32_t *cluster,
                           int64_t k, const float *weight)
{
    bonsai_status rc;
    bn_world *w = s->at->world;
    bn_sums q = {.e = s->e, .cluster = cluster, .weight = weight, .count = s->e->rows,
                 .threads = bn_threads(s->at->threads)};
    double *sum = NULL, *total = NULL, most = 1;
    int64_t f = s->e->f, tile = bn_least(TILE_DOUBLES / (f > 0 ? f : 1) + 1, k > 0 ? k : 1);
    memset(out, 0, sizeof *out);
    out->rows = k;
    out->f = f;
    for (int64_t i = 0; weight && i < s->e->rows; i++)
        most = (double)weight[i] > most ? (double)weight[i] : most;
    BN_TRY(bn_agree(w, make_room(out, &q, &sum, &total, tile)));
    BN_TRY(bn_max(w, &most, 1));
    q.grid = bn_grid(most * s->most, s->rows);
    BN_TRY(find_weights(total, &q, k, w, most, s->rows));
    BN_TRY(make_means(out, &q, total, sum, tile, w));
done:
    bn_sums_free(&q);
    bn_free(sum);
    bn_free(total);
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}
