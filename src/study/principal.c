/* principal.c -- two principal directions of rows, by subspace iteration on their covariance.
 *
 * Rows are centred only in their products, so that sparse ones stay sparse, and all sums run in the
 * order of columns and rows, in double, in pieces that do not depend on the number of threads.
 * O(steps x entries).
 *
 * SPDX-License-Identifier: MIT */
#include "principal.h"

#include <math.h>
#include <string.h>

enum { BLOCK = BN_BLOCK, MOST_PIECES = 16, PIECE_ROOM = 1 << 22 };

typedef struct {
    const bn_embedding *e;
    const int64_t *rows;
    int64_t count, pieces;
    int     threads;
    double *mean;               /* f */
    double  total;              /* variance */
    bn_subspace found;
    double *part;               /* pieces x (f + 1) x BLOCK: of y, and of the sum of all scores */
} search;

/* ---- the covariance ---- */

static void measure(search *s)
{
    double square = 0;
    int64_t f = s->e->f;
    for (int64_t i = 0; i < s->count; i++) {
        bn_entries x = bn_row_of(s->e, s->rows[i]);
        for (int64_t k = 0; k < x.count; k++) {
            s->mean[bn_column(&x, k)] += (double)x.value[k];
            square += (double)x.value[k] * (double)x.value[k];
        }
    }
    s->total = square / (double)s->count;
    for (int64_t j = 0; j < f; j++) {
        s->mean[j] /= (double)s->count;
        s->total -= s->mean[j] * s->mean[j];
    }
}

static void one_piece(search *s, int64_t piece, const double *v, const double *shift)
{
    int64_t f = s->e->f, from = s->count * piece / s->pieces;
    int64_t to = s->count * (piece + 1) / s->pieces;
    double *y = s->part + piece * (f + 1) * BLOCK, *sum = y + f * BLOCK;
    memset(y, 0, (size_t)((f + 1) * BLOCK) * sizeof *y);
    for (int64_t i = from; i < to; i++) {
        bn_entries x = bn_row_of(s->e, s->rows[i]);
        double score[BLOCK] = {0};
        for (int64_t k = 0; k < x.count; k++)
            for (int b = 0; b < BLOCK; b++)
                score[b] += (double)x.value[k] * v[bn_column(&x, k) * BLOCK + b];
        for (int b = 0; b < BLOCK; b++) {
            score[b] -= shift[b];
            sum[b] += score[b];
        }
        for (int64_t k = 0; k < x.count; k++)
            for (int b = 0; b < BLOCK; b++)
                y[bn_column(&x, k) * BLOCK + b] += (double)x.value[k] * score[b];
    }
}

/* Computes y = covariance times v. */
static void multiply(double *y, const double *v, void *payload)
{
    search *s = payload;
    int64_t f = s->e->f, stride = (f + 1) * BLOCK;
    double shift[BLOCK] = {0}, sum[BLOCK] = {0};
    for (int64_t j = 0; j < f; j++)
        for (int b = 0; b < BLOCK; b++)
            shift[b] += s->mean[j] * v[j * BLOCK + b];
    const double work = 4 * BLOCK * bn_numbers(s->e, s->count);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(dynamic)
    for (int64_t piece = 0; piece < s->pieces; piece++)
        one_piece(s, piece, v, shift);
    for (int64_t piece = 0; piece < s->pieces; piece++)
        for (int b = 0; b < BLOCK; b++)
            sum[b] += s->part[piece * stride + f * BLOCK + b];
    for (int64_t j = 0; j < f; j++)
        for (int b = 0; b < BLOCK; b++) {
            double all = 0;
            for (int64_t piece = 0; piece < s->pieces; piece++)
                all += s->part[piece * stride + j * BLOCK + b];
            y[j * BLOCK + b] = (all - s->mean[j] * sum[b]) / (double)s->count;
        }
}

/* ---- the whole ---- */

static bonsai_status prepare(search *s)
{
    bonsai_status rc;
    int64_t f = s->e->f, room;
    s->pieces = PIECE_ROOM / ((f + 1) * BLOCK);
    s->pieces = s->pieces < 1 ? 1 : s->pieces > MOST_PIECES ? MOST_PIECES : s->pieces;
    if (!bn_mul(&room, f + 1, s->pieces * BLOCK))
        return bn_fail(BONSAI_E_MEMORY, "out of memory: %lld features are too many for a map",
                       (long long)f);
    BN_TRY(BN_NEW(&s->mean, f));
    BN_TRY(BN_NEW(&s->found.v, f * BLOCK));
    BN_TRY(BN_NEW(&s->found.y, f * BLOCK));
    BN_TRY(BN_NEW(&s->part, room));
    measure(s);
done:
    return rc;
}

void bn_principal_orient(bn_principal *d)
{
    for (int b = 0; b < 2; b++) {
        double largest = 0;
        d->origin[b] = 0;
        for (int64_t j = 0; j < d->f; j++)
            if (fabs(d->direction[j * 2 + b]) > fabs(largest))
                largest = d->direction[j * 2 + b];
        for (int64_t j = 0; j < d->f; j++) {
            double *v = &d->direction[j * 2 + b];
            *v = largest < 0 ? -*v : *v;
            d->origin[b] += d->mean[j] * *v;
        }
    }
}

static void hand_over(bn_principal *out, search *s, const double value[2])
{
    for (int b = 0; b < 2; b++) {
        bool any = s->total > 0 && value[b] > 1e-12 * s->total;     /* more than rounding */
        for (int64_t j = 0; j < s->e->f; j++)
            out->direction[j * 2 + b] = any ? s->found.v[j * BLOCK + b] : 0;
        out->share[b] = any ? fmin(1, value[b] / s->total) : 0;
    }
    out->mean = s->mean;
    out->block = s->found.v;
    s->mean = s->found.v = NULL;
    bn_principal_orient(out);
}

bonsai_status bn_principal_find(bn_principal *out, const bn_embedding *e, const int64_t *rows,
                                int64_t count, int threads, bn_progress p)
{
    bonsai_status rc;
    search s = {.e = e, .rows = rows, .count = count, .threads = bn_threads(threads),
                .found = {.f = e->f, .multiply = multiply, .payload = &s, .stage = "map"}};
    double value[2] = {0, 0};
    memset(out, 0, sizeof *out);
    out->f = e->f;
    BN_TRY(bn_tick(p, "map", 0, BN_SUBSPACE_STEPS));
    BN_TRY(BN_NEW(&out->direction, e->f * 2));
    BN_TRY(prepare(&s));
    if (s.total > 0)
        BN_TRY(bn_subspace_find(value, &s.found, p));
    hand_over(out, &s, value);
    BN_TRY(bn_tick(p, "map", BN_SUBSPACE_STEPS, BN_SUBSPACE_STEPS));
done:
    bn_free(s.mean);
    bn_free(s.found.v);
    bn_free(s.found.y);
    bn_free(s.part);
    if (rc != BONSAI_OK)
        bn_principal_free(out);
    return rc;
}

void bn_principal_free(bn_principal *d)
{
    bn_free(d->mean);
    bn_free(d->direction);
    bn_free(d->block);
    memset(d, 0, sizeof *d);
}

void bn_principal_project(double at[2], const bn_principal *d, const bn_embedding *e, int64_t r)
{
    bn_entries x = bn_row_of(e, r);
    at[0] = at[1] = 0;
    for (int64_t k = 0; k < x.count; k++)
        for (int b = 0; b < 2; b++)
            at[b] += (double)x.value[k] * d->direction[bn_column(&x, k) * 2 + b];
    for (int b = 0; b < 2; b++)
        at[b] -= d->origin[b];
}
