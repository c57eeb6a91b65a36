/* csr.c -- multiplies matrices, sparse, dense or products of such, by dense ones; transposes them.
 *
 * Rows are independent and each adds its entries in order, so the result does not depend on the
 * number of threads.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tensor.h"

enum { DENSE_ROWS = 16 };       /* of a dense matrix that a thread takes at a time */

static void times_dense(float *y, const bn_matrix *a, const float *x, int64_t k, int threads)
{
    const bn_kernels *kernel = bn_kernels_get();
    const double work = (double)a->rows * (double)a->cols * (double)k / 8;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic)
    for (int64_t r = 0; r < a->rows; r += DENSE_ROWS) {
        int64_t rows = bn_least(DENSE_ROWS, a->rows - r);
        const bn_operands o = {a->dense + r * a->cols, x, a->cols, k, k};
        memset(y + r * k, 0, (size_t)(rows * k) * sizeof *y);
        kernel->times(y + r * k, &o, rows, k, a->cols);
    }
}

void bn_matrix_times(float *y, const bn_matrix *a, const float *x, int64_t k, int threads)
{
    const bn_kernels *kernel = bn_kernels_get();
    if (a->dense) {
        times_dense(y, a, x, k, threads);
        return;
    }
    const double work = (double)(a->rows + a->offsets[a->rows] - a->offsets[0]) * (double)k;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic, 32)
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t e = a->offsets[r];
        memset(y + r * k, 0, (size_t)k * sizeof *y);
        kernel->combine(y + r * k, x, k, k, a->index + e, a->value ? a->value + e : NULL,
                        a->offsets[r + 1] - e);
    }
}

static bonsai_status transpose_dense(bn_matrix *out, const bn_matrix *a)
{
    enum { SIDE = 32 };
    *out = (bn_matrix){.rows = a->cols, .cols = a->rows};
    bonsai_status rc = BN_NEW(&out->dense, a->rows * a->cols);
    for (int64_t r = 0; rc == BONSAI_OK && r < a->rows; r += SIDE)
        for (int64_t j = 0; j < a->cols; j++)
            for (int64_t i = r; i < r + SIDE && i < a->rows; i++)
                out->dense[j * a->rows + i] = a->dense[i * a->cols + j];
    return rc;
}

bonsai_status bn_csr_transpose(bn_matrix *out, const bn_csr *a)
{
    bonsai_status rc;
    const int64_t first = bn_int_at(&a->offsets, 0), end = bn_int_at(&a->offsets, a->rows);
    *out = (bn_matrix){.rows = a->cols, .cols = a->rows};
    BN_TRY(BN_NEW(&out->offsets, a->cols + 2));
    BN_TRY(BN_NEW(&out->index, end - first));
    if (a->values.data)
        BN_TRY(BN_NEW(&out->value, end - first));
    int64_t *place = out->offsets + 1;          /* once filled, the start of the next row */
    for (int64_t e = first; e < end; e++)
        place[bn_int_at(&a->indices, e) + 1]++;
    for (int64_t j = 0; j < a->cols; j++)
        place[j + 1] += place[j];
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = bn_int_at(&a->offsets, r); e < bn_int_at(&a->offsets, r + 1); e++) {
            const int64_t at = place[bn_int_at(&a->indices, e)]++;
            out->index[at] = (int32_t)r;
            if (out->value)
                out->value[at] = bn_csr_value(a, r, e);
        }
done:
    if (rc != BONSAI_OK)
        bn_matrix_free(out);
    return rc;
}

bonsai_status bn_matrix_transpose(bn_matrix *out, const bn_matrix *a)
{
    if (a->dense)
        return transpose_dense(out, a);
    const int64_t entries = a->offsets[a->rows];
    const bn_csr csr = {a->rows, a->cols, {a->offsets, a->rows + 1, BONSAI_TYPE_U64},
                        {a->index, entries, BONSAI_TYPE_U32},
                        {a->value, entries, BONSAI_TYPE_F32}, NULL};
    return bn_csr_transpose(out, &csr);
}

void bn_matrix_free(bn_matrix *a)
{
    bn_free(a->offsets);
    bn_free(a->index);
    bn_free(a->value);
    bn_free(a->dense);
    memset(a, 0, sizeof *a);
}

/* ---- products of matrices, multiplied by one factor after the other ---- */

/* Averaged rows have many entries, but their factors, the features and the edges, have few:
 * multiplying by the factors costs a fraction of multiplying by the rows. */

int64_t bn_chain_rows(const bn_chain *c)
{
    return c->factor[0].a->rows;
}

int64_t bn_chain_cols(const bn_chain *c)
{
    return c->factor[c->count - 1].a->cols;
}

int64_t bn_chain_room(const bn_chain *c)
{
    int64_t most = 0;
    for (int i = 1; i < c->count; i++)
        most = c->factor[i].a->rows > most ? c->factor[i].a->rows : most;
    return most;
}

int64_t bn_chain_lanes(const bn_chain *c)
{
    enum { LANES = 8 };
    for (int i = 0; i < c->count; i++)
        if (c->factor[i].a->dense)
            return BN_NARROW;
    return LANES;
}

void bn_chain_times(float *y, const bn_chain *c, const float *x, int64_t k, float *const room[2],
                    int threads)
{
    for (int i = c->count - 1; i >= 0; i--) {
        float *to = i == 0 ? y : room[i % 2];
        bn_matrix_times(to, c->factor[i].a, x, k, threads);
        x = to;
    }
}

void bn_chain_times_turned(float *y, const bn_chain *c, const float *x, int64_t k,
                           float *const room[2], int threads)
{
    for (int i = 0; i < c->count; i++) {
        float *to = i == c->count - 1 ? y : room[i % 2];
        bn_matrix_times(to, c->factor[i].turned, x, k, threads);
        x = to;
    }
}
