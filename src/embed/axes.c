/* axes.c -- finds principal directions of rows by subspace iteration on a sample.
 *
 * Random directions are multiplied by the covariance of the sample and made orthonormal, a few
 * times; then the first of them nearly span the principal directions.  The sample is on every rank,
 * every sum has a fixed order, and so all ranks find the same axes.  O(dims times the entries of
 * the sample, and dims^2 f).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "embed.h"

/* SAMPLE: rows for each axis; BLOCK: axes made orthonormal together; SLICE and SOME_ROWS: columns
 * and rows that a thread works on; STRETCH: rows between two reports of progress. */
enum { SAMPLE = 6, ROUNDS = 2, BLOCK = 16, SLICE = 256, SOME_ROWS = 64, STRETCH = 1 << 14 };
static const double gone = 1e-4;  /* of length 1: what is left of a shorter direction is rounding */

typedef struct {
    bn_embedding sample;        /* sparse */
    bn_matrix rows, columns;    /* the same; rows borrow it */
    int64_t  f, dims;
    int      threads;
    float   *basis;             /* f x dims */
    float   *score;             /* rows x dims */
    float   *axis;              /* dims x f: the basis, transposed */
    float   *part;              /* dims x BLOCK: products of each axis with those of a block */
    int32_t *count;             /* dims: 0, 1, ... */
} search;

/* ---- the sample ---- */

static int64_t all_rows(const bn_sharded *x)
{
    return x->first ? x->first[bn_ranks(x->at->world)] : x->e->rows;
}

/* Scales the rows, since squares of very large numbers overflow; the axes do not depend on it. */
static void scale(search *s)
{
    int64_t count = s->rows.offsets[s->rows.rows];
    int power = 0;
    float most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fabsf(s->rows.value[i]) > most ? fabsf(s->rows.value[i]) : most;
    (void)frexpf(most, &power);
    for (int64_t i = 0; i < count; i++)
        s->rows.value[i] = ldexpf(s->rows.value[i], -power);
}

/* Samples evenly spaced rows and copies them to all ranks. */
static bonsai_status draw(search *s, const bn_sharded *x)
{
    bonsai_status rc;
    bn_world *w = x->at->world;
    bn_embedding some = {0};
    int64_t *row = NULL, all = all_rows(x), count = bn_least(SAMPLE * s->dims, all);
    BN_TRY(bn_agree(w, BN_NEW(&row, count)));
    for (int64_t i = 0; i < count; i++)
        row[i] = i * all / count;
    BN_TRY(bn_rows_gather(&some, x, row, count));
    s->f = some.f;
    if (some.dense)
        rc = bn_embedding_take(&s->sample, &some, NULL, count, false, x->at);
    else {
        s->sample = some;
        memset(&some, 0, sizeof some);
    }
    BN_TRY(bn_agree(w, rc));
    s->rows = (bn_matrix){count, s->f, s->sample.offsets, s->sample.index, s->sample.value,
                          NULL};
    scale(s);
done:
    bn_embedding_free(&some);
    bn_free(row);
    return rc;
}

static bonsai_status make_room(search *s)
{
    bonsai_status rc;
    BN_TRY(bn_matrix_transpose(&s->columns, &s->rows));
    BN_TRY(BN_NEW(&s->basis, s->f * s->dims));
    BN_TRY(BN_NEW(&s->score, s->rows.rows * s->dims));
    BN_TRY(BN_NEW(&s->axis, s->f * s->dims));
    BN_TRY(BN_NEW(&s->part, s->dims * BLOCK));
    BN_TRY(BN_NEW(&s->count, s->dims));
    for (int64_t j = 0; j < s->dims; j++)
        s->count[j] = (int32_t)j;
done:
    return rc;
}

static void search_free(search *s)
{
    bn_embedding_free(&s->sample);
    bn_matrix_free(&s->columns);
    bn_free(s->basis);
    bn_free(s->score);
    bn_free(s->axis);
    bn_free(s->part);
    bn_free(s->count);
}

/* ---- orthonormal ---- */

/* Sets to (cols,rows) to the transpose of from (rows,cols). */
static void transpose(float *to, const float *from, int64_t rows, int64_t cols, int threads)
{
    const double work = 8.0 * (double)rows * (double)cols;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t r0 = 0; r0 < rows; r0 += BLOCK)
        for (int64_t c = 0; c < cols; c++)
            for (int64_t r = r0; r < bn_least(r0 + BLOCK, rows); r++)
                to[c * rows + r] = from[r * cols + c];
}

/* Makes axes first .. first+many-1 orthogonal to the axes before them. */
static void clear_block(const search *s, int64_t first, int64_t many)
{
    const bn_kernels *k = bn_kernels_get();
    float *block = s->axis + first * s->f;
    const double work = (double)(first * many) * (double)s->f;
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(static)
    for (int64_t i = 0; i < first; i++)
        for (int64_t j = 0; j < many; j++)
            s->part[j * s->dims + i] = -k->dot(s->axis + i * s->f, block + j * s->f, s->f);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(static)
    for (int64_t at = 0; at < s->f; at += SLICE)
        for (int64_t j = 0; j < many; j++)
            k->combine(block + j * s->f + at, s->axis + at, bn_least(SLICE, s->f - at), s->f,
                       s->count, s->part + j * s->dims, first);
}

/* Scales axis j to length 1, or to 0 if it is not longer than `least`. */
static void normalise(const search *s, int64_t j, double least)
{
    const bn_kernels *k = bn_kernels_get();
    float *x = s->axis + j * s->f;
    double square = (double)k->dot(x, x, s->f);
    if (square > least * least && isfinite(square))
        k->scale(x, (float)(1 / sqrt(square)), s->f);
    else
        memset(x, 0, (size_t)s->f * sizeof *x);
}

/* Makes the axes of a block orthonormal, one after the other; twice, because of rounding. */
static void orthonormalise_block(const search *s, int64_t first, int64_t many)
{
    const bn_kernels *k = bn_kernels_get();
    for (int64_t j = first; j < first + many; j++) {
        float *x = s->axis + j * s->f;
        for (int twice = 0; twice < 2; twice++)
            for (int64_t i = first; i < j; i++)
                k->axpy(x, -k->dot(s->axis + i * s->f, x, s->f), s->axis + i * s->f, s->f);
        normalise(s, j, gone);
    }
}

static void make_orthonormal(const search *s)
{
    transpose(s->axis, s->basis, s->f, s->dims, s->threads);
    for (int64_t first = 0; first < s->dims; first += BLOCK) {
        int64_t many = bn_least(BLOCK, s->dims - first);
        for (int64_t j = first; j < first + many; j++)
            normalise(s, j, 0);
        clear_block(s, first, many);
        orthonormalise_block(s, first, many);
        clear_block(s, first, many);
        orthonormalise_block(s, first, many);
    }
    transpose(s->basis, s->axis, s->dims, s->f, s->threads);
}

/* ---- the search ---- */

static void iterate(const search *s)
{
    int64_t count = s->rows.rows * s->dims;
    for (int64_t i = 0; i < count; i++) {
        bn_rng r = bn_rng_at(0, (uint64_t)i);
        s->score[i] = bn_rng_next(&r) >> 63 ? 1.0f : -1.0f;
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (round > 0)
            bn_matrix_times(s->score, &s->rows, s->basis, s->dims, s->threads);
        bn_matrix_times(s->basis, &s->columns, s->score, s->dims, s->threads);
        make_orthonormal(s);
    }
}

bonsai_status bn_axes_find(bn_axes *out, const bn_sharded *x, int dims)
{
    bonsai_status rc;
    search s = {.dims = (dims + BN_NARROW - 1) / BN_NARROW * BN_NARROW,
                .threads = bn_threads(x->at->threads)};
    memset(out, 0, sizeof *out);
    BN_TRY(draw(&s, x));
    BN_TRY(bn_agree(x->at->world, make_room(&s)));
    iterate(&s);
    *out = (bn_axes){s.f, (int)s.dims, s.basis};
    s.basis = NULL;
done:
    search_free(&s);
    return rc;
}

void bn_axes_free(bn_axes *a)
{
    bn_free(a->basis);
    memset(a, 0, sizeof *a);
}

/* Projects rows first .. first+count-1 of dense rows. */
static void project_dense(float *to, const bn_axes *a, const bn_embedding *e, int64_t first,
                          int64_t count)
{
    const bn_operands o = {e->dense + first * e->f, a->basis, e->f, a->dims, a->dims};
    bn_kernels_get()->times(to + first * a->dims, &o, count, a->dims, e->f);
}

static void project_sparse(float *to, const bn_axes *a, const bn_embedding *e, int64_t first,
                           int64_t count)
{
    for (int64_t r = first; r < first + count; r++) {
        int64_t from = e->offsets[r];
        bn_kernels_get()->combine(to + r * a->dims, a->basis, a->dims, a->dims, e->index + from,
                                  e->value + from, e->offsets[r + 1] - from);
    }
}

static void project_some(float *to, const bn_axes *a, const bn_embedding *e, int64_t begin,
                         int64_t end, int threads)
{
    const double work = bn_numbers(e, end - begin) * a->dims;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic)
    for (int64_t r = begin; r < end; r += SOME_ROWS)
        (e->dense ? project_dense : project_sparse)(to, a, e, r, bn_least(SOME_ROWS, end - r));
}

bonsai_status bn_axes_project(bn_embedding *out, const bn_axes *a, const bn_embedding *e,
                              const bn_place *place)
{
    bonsai_status rc;
    const bn_place *at = bn_here(place);
    memset(out, 0, sizeof *out);
    BN_TRY(BN_BIG(&out->dense, at->memory, e->rows * a->dims));
    out->rows = e->rows;
    out->f = a->dims;
    for (int64_t r = 0; r < e->rows; r += STRETCH) {
        BN_TRY(bn_tick(at->progress, "clusters", r, e->rows));
        project_some(out->dense, a, e, r, bn_least(r + STRETCH, e->rows), bn_threads(at->threads));
    }
done:
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}
