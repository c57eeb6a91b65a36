/* principal.c -- two principal directions by subspace iteration.
 *
 * A block of eight directions is multiplied by the covariance until the two largest values no
 * longer change: the more directions, the fewer steps.  Rows are centred only in their products, so
 * that sparse ones stay sparse, and all sums run in the order of columns and rows, in double, in
 * pieces that do not depend on the number of threads.  O(steps x entries).
 *
 * SPDX-License-Identifier: MIT */
#include "principal.h"

#include <math.h>
#include <string.h>

enum { BLOCK = BN_PRINCIPAL_BLOCK, MOST_STEPS = 60, MOST_PIECES = 16, PIECE_ROOM = 1 << 22 };

typedef struct {
    const bn_embedding *e;
    const int64_t *rows;
    int64_t count, pieces;
    int     threads;
    double *mean;               /* f */
    double  total;              /* variance */
    double *v, *y;              /* f x BLOCK: directions, and the covariance times them */
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

static void one_piece(search *s, int64_t piece, const double *shift)
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
                score[b] += (double)x.value[k] * s->v[bn_column(&x, k) * BLOCK + b];
        for (int b = 0; b < BLOCK; b++) {
            score[b] -= shift[b];
            sum[b] += score[b];
        }
        for (int64_t k = 0; k < x.count; k++)
            for (int b = 0; b < BLOCK; b++)
                y[bn_column(&x, k) * BLOCK + b] += (double)x.value[k] * score[b];
    }
}

/* y = covariance times v. */
static void multiply(search *s)
{
    int64_t f = s->e->f, stride = (f + 1) * BLOCK;
    double shift[BLOCK] = {0}, sum[BLOCK] = {0};
    for (int64_t j = 0; j < f; j++)
        for (int b = 0; b < BLOCK; b++)
            shift[b] += s->mean[j] * s->v[j * BLOCK + b];
    const double work = 4 * BLOCK * bn_numbers(s->e, s->count);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(dynamic)
    for (int64_t piece = 0; piece < s->pieces; piece++)
        one_piece(s, piece, shift);
    for (int64_t piece = 0; piece < s->pieces; piece++)
        for (int b = 0; b < BLOCK; b++)
            sum[b] += s->part[piece * stride + f * BLOCK + b];
    for (int64_t j = 0; j < f; j++)
        for (int b = 0; b < BLOCK; b++) {
            double y = 0;
            for (int64_t piece = 0; piece < s->pieces; piece++)
                y += s->part[piece * stride + j * BLOCK + b];
            s->y[j * BLOCK + b] = (y - s->mean[j] * sum[b]) / (double)s->count;
        }
}

/* v = v q */
static void turn(double *v, double q[BLOCK][BLOCK], int64_t f)
{
    for (int64_t j = 0; j < f; j++) {
        double row[BLOCK] = {0};
        for (int a = 0; a < BLOCK; a++)
            for (int b = 0; b < BLOCK; b++)
                row[b] += v[j * BLOCK + a] * q[a][b];
        memcpy(v + j * BLOCK, row, sizeof row);
    }
}

/* Covariance times v, then v turned so that its columns have the largest values they can. */
static void settle(search *s, double value[2])
{
    int64_t f = s->e->f;
    double t[BLOCK][BLOCK], q[BLOCK][BLOCK];
    multiply(s);
    for (int a = 0; a < BLOCK; a++)
        for (int b = a; b < BLOCK; b++)
            t[a][b] = t[b][a] = bn_block_dot(s->v, a, s->y, b, f, BLOCK);
    bn_diagonalise(&t[0][0], &q[0][0], BLOCK);
    turn(s->v, q, f);
    turn(s->y, q, f);
    value[0] = t[0][0];
    value[1] = t[1][1];
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
    BN_TRY(BN_NEW(&s->v, f * BLOCK));
    BN_TRY(BN_NEW(&s->y, f * BLOCK));
    BN_TRY(BN_NEW(&s->part, room));
    measure(s);
    for (int64_t j = 0; j < f; j++) {
        bn_rng r = bn_rng_at(1, (uint64_t)j);
        for (int b = 0; b < BLOCK; b++)
            s->v[j * BLOCK + b] = bn_rng_normal(&r);
    }
    bn_straighten(s->v, f, BLOCK);
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
            out->direction[j * 2 + b] = any ? s->v[j * BLOCK + b] : 0;
        out->share[b] = any ? fmin(1, value[b] / s->total) : 0;
    }
    out->mean = s->mean;
    out->block = s->v;
    s->mean = s->v = NULL;
    bn_principal_orient(out);
}

bonsai_status bn_principal_find(bn_principal *out, const bn_embedding *e, const int64_t *rows,
                                int64_t count, int threads, bn_progress p)
{
    bonsai_status rc;
    search s = {.e = e, .rows = rows, .count = count, .threads = bn_threads(threads)};
    double value[2] = {0, 0}, last[2];
    memset(out, 0, sizeof *out);
    out->f = e->f;
    BN_TRY(bn_tick(p, "map", 0, MOST_STEPS));
    BN_TRY(BN_NEW(&out->direction, e->f * 2));
    BN_TRY(prepare(&s));
    for (int step = 0; step < MOST_STEPS && s.total > 0; step++) {
        memcpy(last, value, sizeof last);
        settle(&s, value);
        if (step > 0 && fabs(value[0] - last[0]) + fabs(value[1] - last[1]) < 1e-11 * value[0])
            break;
        if (step + 1 < MOST_STEPS) {
            memcpy(s.v, s.y, (size_t)(e->f * BLOCK) * sizeof *s.v);
            bn_straighten(s.v, e->f, BLOCK);
        }
        BN_TRY(bn_tick(p, "map", step, MOST_STEPS));
    }
    hand_over(out, &s, value);
    BN_TRY(bn_tick(p, "map", MOST_STEPS, MOST_STEPS));
done:
    bn_free(s.mean);
    bn_free(s.v);
    bn_free(s.y);
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
