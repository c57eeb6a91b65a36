/* matrix.c -- products of inputs, weights and gradients.
 *
 * Dense products call BLAS on blocks whose size depends only on the sizes of the matrices; a sum
 * over nodes has a fixed number of parts, which are added in order.  Sparse products are made row
 * by row; those of the transpose use the rows of the transpose.  So the bits do not depend on the
 * number of threads.
 *
 * SPDX-License-Identifier: MIT */
#include <cblas.h>
#include <string.h>

#include "nn.h"

#ifdef BN_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

/* Rows of a block, at most and at least; parts of a sum over nodes at most, and their rows at
 * least; SLICE columns of the input are one task. */
enum { ROWS = 256, LEAST_ROWS = 32, PARTS = 16, PART_ROWS = 1024, SLICE = 64 };

/* Returns the rows of a block; small matrices are cut too, as work for some threads. */
static int64_t block_rows(int64_t count)
{
    enum { BLOCKS = 8 };
    int64_t rows = (count + BLOCKS - 1) / BLOCKS;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows > ROWS ? ROWS : rows;
}

/* Estimate the work of a product of (n,f) and (f,h), and of sparse rows with a matrix of that
 * width. */
static double product_work(int64_t n, int64_t f, int64_t h)
{
    return (double)n * ((double)f * (double)h / 8 + 4 * (double)(f + h));
}

static double sparse_work(const bn_input *x, int64_t width, bn_span s)
{
    return (double)(x->offsets[s.first + s.count] - x->offsets[s.first]) * (double)width;
}

static void dense_times(real *y, int64_t stride, const bn_input *x, bn_cols w, bool add, bn_span s)
{
    int64_t high = block_rows(s.count), blocks = (s.count + high - 1) / high, f = x->cols;
    real keep = add ? 1 : 0;
    const double work = product_work(s.count, f, w.width);
#pragma omp parallel for num_threads(bn_team(s.threads, work)) schedule(dynamic, 1)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t at = b * high, rows = s.count - at < high ? s.count - at : high;
        GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)w.width, (int)f, 1,
             x->dense + (s.first + at) * f, (int)f, w.at, (int)w.stride, keep, y + at * stride,
             (int)stride);
    }
}

static void sparse_times(real *y, int64_t stride, const bn_input *x, bn_cols w, bool add, bn_span s)
{
    const double work = sparse_work(x, w.width, s);
#pragma omp parallel for num_threads(bn_team(s.threads, work)) schedule(dynamic, 64)
    for (int64_t r = 0; r < s.count; r++) {
        int64_t e = x->offsets[s.first + r], end = x->offsets[s.first + r + 1];
        if (!add)
            memset(y + r * stride, 0, (size_t)w.width * sizeof *y);
        bn_real_combine(y + r * stride, w, x->index + e, x->value ? x->value + e : NULL, end - e);
    }
}

void bn_times_part(real *y, int64_t stride, const bn_input *x, bn_cols w, bool add, bn_span s)
{
    if (x->dense)
        dense_times(y, stride, x, w, add, s);
    else
        sparse_times(y, stride, x, w, add, s);
}

void bn_times(real *y, const bn_input *x, const real *w, int64_t h, bool add, bn_span s)
{
    bn_times_part(y, h, x, (bn_cols){w, h, h}, add, s);
}

static int64_t parts_of(int64_t n)
{
    int64_t parts = n / PART_ROWS;
    return parts < 1 ? 1 : parts > PARTS ? PARTS : parts;
}

int64_t bn_times_room(const bn_input *x, int64_t h)
{
    return x->dense ? (parts_of(x->rows) - 1) * x->cols * h : 0;
}

/* Adds part 0 directly into dw, the others by way of room. */
static void dense_times_t(real *dw, const bn_input *x, const real *dy, int64_t h, real *room,
                          int threads)
{
    int64_t n = x->rows, f = x->cols, parts = parts_of(n), slices = (f + SLICE - 1) / SLICE;
#pragma omp parallel for num_threads(bn_team(threads, product_work(n, f, h))) schedule(dynamic, 1)
    for (int64_t task = 0; task < parts * slices; task++) {
        int64_t part = task / slices, from = part * n / parts, rows = (part + 1) * n / parts - from;
        int64_t col = task % slices * SLICE, cols = f - col < SLICE ? f - col : SLICE;
        real *to = part ? room + (part - 1) * f * h : dw;
        GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, (int)cols, (int)h, (int)rows, 1,
             x->dense + from * f + col, (int)f, dy + from * h, (int)h, part ? 0 : 1, to + col * h,
             (int)h);
    }
    if (parts == 1)
        return;
    const double work = (double)(parts * f) * (double)h;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t j = 0; j < f; j++)
        for (int64_t part = 1; part < parts; part++)
            bn_real_axpy(dw + j * h, 1, room + ((part - 1) * f + j) * h, h);
}

static void sparse_times_t(real *dw, const bn_input *x, const real *dy, int64_t h, int threads)
{
    const double work = (double)x->t_offsets[x->cols] * (double)h;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic, 8)
    for (int64_t j = 0; j < x->cols; j++) {
        int64_t e = x->t_offsets[j], end = x->t_offsets[j + 1];
        if (e < end)            /* in a small graph most features have no node */
            bn_real_combine(dw + j * h, (bn_cols){dy, h, h}, x->t_index + e,
                            x->t_value ? x->t_value + e : NULL, end - e);
    }
}

void bn_times_t(real *dw, const bn_input *x, const real *dy, int64_t h, real *room, int threads)
{
    if (x->dense)
        dense_times_t(dw, x, dy, h, room, threads);
    else
        sparse_times_t(dw, x, dy, h, threads);
}

void bn_times_back(real *dx, const real *dy, bn_cols w, int64_t f, bool add, bn_span s)
{
    int64_t high = block_rows(s.count), blocks = (s.count + high - 1) / high, h = w.width;
    real keep = add ? 1 : 0;
    const double work = product_work(s.count, f, h);
#pragma omp parallel for num_threads(bn_team(s.threads, work)) schedule(dynamic, 1)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t at = b * high, rows = s.count - at < high ? s.count - at : high;
        GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)f, (int)h, 1,
             dy + (s.first + at) * h, (int)h, w.at, (int)w.stride, keep, dx + at * f, (int)f);
    }
}

void bn_bias(real *y, const real *b, int64_t n, int64_t h, int threads)
{
#pragma omp parallel for num_threads(bn_team(threads, (double)(n * h))) schedule(static)
    for (int64_t i = 0; i < n; i++)
        bn_real_axpy(y + i * h, 1, b, h);
}

void bn_bias_t(real *db, const real *dy, int64_t n, int64_t h, real *room, int threads)
{
    int64_t parts = n / ROWS < 1 ? 1 : n / ROWS > BN_BIAS_ROOM ? BN_BIAS_ROOM : n / ROWS;
#pragma omp parallel for num_threads(bn_team(threads, (double)(n * h))) schedule(static)
    for (int64_t p = 0; p < parts; p++) {
        real *sum = room + p * h;
        memset(sum, 0, (size_t)h * sizeof *sum);
        for (int64_t i = p * n / parts; i < (p + 1) * n / parts; i++)
            bn_real_axpy(sum, 1, dy + i * h, h);
    }
    for (int64_t p = 0; p < parts; p++)
        bn_real_axpy(db, 1, room + p * h, h);
}
