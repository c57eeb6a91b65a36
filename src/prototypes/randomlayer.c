/* randomlayer.c -- a hidden layer of random weights: relu(W (x - m) / u + b) of each row x.
 *
 * m is the mean of the rows that the layer is made for, and u their root mean squared distance from
 * it: networks learn to ignore what all rows have in common, which would hide their differences.
 * A linear model on such columns stands for a network with a hidden layer.  W is not drawn number
 * by number: x is mixed by random signs and Hadamard transforms, three times each in turn, which
 * comes to the same as a matrix of normal numbers (Yu and others 2016) for far fewer additions, and
 * in the same order everywhere.  The constant b is one more column of x, of a tenth of the
 * unit.  Where a row has more columns than are mixed at once, columns that lie that far apart share
 * one, each with its sign.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "randomlayer.h"

enum { WIDE = BN_RANDOM_COLUMNS, LEAST_SIDE = 64, MOST_SIDE = 4096, TURNS = 2, GROUP = 8, SEED = 17,
       ROWS = 16 };
static const float constant = 0.1f, most = 1e18f;

/* ---- making one ---- */

static void draw_signs(float *sign, int64_t count, uint64_t item)
{
    bn_rng r = bn_rng_at(SEED, item);
    for (int64_t i = 0; i < count; i++)
        sign[i] = bn_rng_next(&r) >> 63 ? 1.0f : -1.0f;
}

/* Returns the number of mixings of one side that make all columns. */
static int64_t mixings(const bn_random_layer *h)
{
    return h->side < WIDE ? WIDE / h->side : 1;
}

/* Adds factor times the row to `to` (side), each column with its sign. */
static void add_row(float *to, const bn_random_layer *h, const bn_embedding *x, int64_t row,
                    float factor, const float *sign)
{
    const int64_t last = h->side - 1;
    for (int64_t j = 0; x->dense && j < h->f; j++)
        to[j & last] += sign[j] * (x->dense[row * h->f + j] * factor);
    for (int64_t e = x->dense ? 0 : x->offsets[row]; !x->dense && e < x->offsets[row + 1]; e++)
        to[x->index[e] & last] += sign[x->index[e]] * (x->value[e] * factor);
}

/* Finds the mean row, in the layer's order of columns, and the unit. */
static bonsai_status find_mean(bn_random_layer *h, const bn_embedding *rows)
{
    bonsai_status rc;
    double *sum = NULL, squares = 0, n = (double)rows->rows;
    bn_embedding mean = {.rows = 1, .f = h->f};
    BN_TRY(BN_NEW(&sum, h->f));
    BN_TRY(BN_NEW(&mean.dense, h->f));
    BN_TRY(BN_NEW(&h->mean, mixings(h) * h->side));
    for (int64_t i = 0; i < rows->rows; i++) {
        bn_row_add(sum, rows, i, 1 / n);
        squares += bn_row_squares(rows, i) / n;
    }
    for (int64_t j = 0; j < h->f; j++) {
        mean.dense[j] = (float)sum[j];
        squares -= sum[j] * sum[j];
    }
    h->unit = squares > 0 && isfinite(squares) ? (float)sqrt(squares) : 1.0f;
    h->unit = h->unit > 0 ? h->unit : 1.0f;
    for (int64_t m = 0; m < mixings(h); m++)
        add_row(h->mean + m * h->side, h, &mean, 0, 1.0f / h->unit, h->sign + m * (h->f + 1));
done:
    bn_free(sum);
    bn_free(mean.dense);
    return rc;
}

bonsai_status bn_random_layer_new(bn_random_layer *h, const bn_embedding *rows)
{
    bonsai_status rc;
    memset(h, 0, sizeof *h);
    h->f = rows->f;
    h->side = LEAST_SIDE;
    while (h->side <= h->f && h->side < MOST_SIDE)
        h->side *= 2;
    int64_t turns = mixings(h) * TURNS * h->side;
    BN_TRY(BN_NEW(&h->sign, mixings(h) * (h->f + 1)));
    BN_TRY(BN_NEW(&h->turn, turns));
    draw_signs(h->sign, mixings(h) * (h->f + 1), 0);
    draw_signs(h->turn, turns, 1);
    BN_TRY(find_mean(h, rows));
done:
    if (rc != BONSAI_OK)
        bn_random_layer_free(h);
    return rc;
}

void bn_random_layer_free(bn_random_layer *h)
{
    bn_free(h->sign);
    bn_free(h->turn);
    bn_free(h->mean);
    memset(h, 0, sizeof *h);
}

/* ---- a row ---- */

static void mix_group(float *x)
{
    for (int len = 1; len < GROUP; len *= 2)
        for (int i = 0; i < GROUP; i += 2 * len)
            for (int j = i; j < i + len; j++) {
                float a = x[j], b = x[j + len];
                x[j] = a + b;
                x[j + len] = a - b;
            }
}

static void mix_halves(float *restrict low, float *restrict high, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        float a = low[j], b = high[j];
        low[j] = a + b;
        high[j] = a - b;
    }
}

/* Applies the Hadamard transform to n numbers, a power of two from GROUP on. */
static void mix(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i += GROUP)
        mix_group(x + i);
    for (int64_t len = GROUP; len < n; len *= 2)
        for (int64_t i = 0; i < n; i += 2 * len)
            mix_halves(x + i, x + i + len, len);
}

/* Fills `to` (side) with the row less the mean, and the constant, each column with its sign. */
static void lay_out(float *to, const bn_random_layer *h, const bn_embedding *x, int64_t row,
                    const float *sign, const float *mean)
{
    memset(to, 0, (size_t)h->side * sizeof *to);
    add_row(to, h, x, row, 1.0f / h->unit, sign);
    for (int64_t j = 0; j < h->side; j++)
        to[j] -= mean[j];
    to[h->f & (h->side - 1)] += sign[h->f] * constant;
}

/* Fills out with one mixing.  Only the first columns of the last transform are needed, those of
 * the sums of stretches. */
static void one_mixing(float *out, float *room, const bn_random_layer *h, const float *turn)
{
    const int64_t side = h->side, kept = bn_least(side, WIDE);
    const float share = 1.0f / (float)side;
    for (int t = 0; t < TURNS; t++) {
        mix(room, side);
        for (int64_t j = 0; j < side; j++)
            room[j] *= turn[t * side + j];
    }
    for (int64_t at = kept; at < side; at += kept)
        for (int64_t j = 0; j < kept; j++)
            room[j] += room[at + j];
    mix(room, kept);
    for (int64_t j = 0; j < kept; j++) {        /* what is not finite would spoil the whole fit */
        float y = room[j] * share;
        out[j] = y > 0.0f ? fminf(y, most) : 0.0f;
    }
}

static void one_row(float *out, float *room, const bn_random_layer *h, const bn_embedding *x,
                    int64_t row)
{
    for (int64_t m = 0; m < mixings(h); m++) {
        lay_out(room, h, x, row, h->sign + m * (h->f + 1), h->mean + m * h->side);
        one_mixing(out + m * h->side, room, h, h->turn + m * TURNS * h->side);
    }
}

bonsai_status bn_random_layer_rows(bn_embedding *out, const bn_random_layer *h,
                                   const bn_embedding *x, int threads)
{
    bonsai_status rc;
    memset(out, 0, sizeof *out);
    BN_TRY(BN_BIG(&out->dense, NULL, x->rows * WIDE));
    out->rows = x->rows;
    out->f = WIDE;
    const double work = (double)x->rows * (double)(mixings(h) * h->side) * 8;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic)
    for (int64_t first = 0; first < x->rows; first += ROWS) {
        float room[MOST_SIDE];
        for (int64_t r = first; r < bn_least(first + ROWS, x->rows); r++)
            one_row(out->dense + r * WIDE, room, h, x, r);
    }
done:
    return rc;
}
