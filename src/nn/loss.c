/* loss.c -- log-softmax with cross-entropy, softmax, ReLU with dropout.
 *
 * Sums over nodes are made block by block, and the number of blocks depends only on the number
 * of nodes.  The seed and its place decide whether a value is dropped.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>
#include <tgmath.h>

#include "nn.h"

enum { MOST_BLOCKS = 256, LEAST_ROWS = 64, BLOCK = 1 << 13 };

static real top_of(const real *y, int64_t c)
{
    real top = y[0];
    for (int64_t k = 1; k < c; k++)
        top = y[k] > top ? y[k] : top;
    return top;
}

/* Sets e (c) = exp(y - top); returns their sum.  e may be y. */
static real exponentials(real *e, const real *y, int64_t c, real top)
{
    real sum = 0;
    for (int64_t k = 0; k < c; k++) {
        e[k] = exp(y[k] - top);
        sum += e[k];
    }
    return sum;
}

/* Returns the score that the target gives its classes. */
static double wanted_score(const real *y, int64_t c, const bn_targets *t, int64_t place)
{
    double sum = 0;
    if (t->label)
        return (double)y[t->label[place]];
    for (int64_t k = 0; k < c; k++)
        sum += (double)t->soft[place * c + k] * (double)y[k];
    return sum;
}

static double loss_of(const real *y, int64_t c, const bn_targets *t, int64_t place)
{
    real top = top_of(y, c), sum = 0;
    for (int64_t k = 0; k < c; k++)
        sum += exp(y[k] - top);
    return (double)top + log((double)sum) - wanted_score(y, c, t, place);
}

/* Returns the loss of one node, and sets its weighted gradient; dy may be y. */
static double slope_of(real *dy, const real *y, int64_t c, const bn_targets *t, int64_t place)
{
    real top = top_of(y, c), weight = t->weight[place];
    double wanted = wanted_score(y, c, t, place);       /* before y is overwritten */
    real sum = exponentials(dy, y, c, top), factor = weight / sum;
    for (int64_t k = 0; k < c; k++)
        dy[k] *= factor;
    if (t->label)
        dy[t->label[place]] -= weight;
    for (int64_t k = 0; k < c && !t->label; k++)
        dy[k] -= weight * (real)t->soft[place * c + k];
    return (double)top + log((double)sum) - wanted;
}

static void clear_rows(real *dy, int64_t first, int64_t end, int64_t c)
{
    if (first < end)
        memset(dy + first * c, 0, (size_t)((end - first) * c) * sizeof *dy);
}

/* Sums the loss of targets begin .. end-1, and clears the rows between them. */
static double block_loss(real *dy, const real *y, int64_t c, const bn_targets *t, int64_t begin,
                         int64_t end)
{
    double sum = 0;
    for (int64_t p = begin; p < end; p++) {
        const real *row = y + t->node[p] * c;
        if (!dy) {
            sum += (double)t->weight[p] * loss_of(row, c, t, p);
            continue;
        }
        clear_rows(dy, p ? t->node[p - 1] + 1 : 0, t->node[p], c);
        sum += (double)t->weight[p] * slope_of(dy + t->node[p] * c, row, c, t, p);
    }
    return sum;
}

double bn_cross_entropy(real *dy, const real *y, int64_t n, int64_t c, const bn_targets *t,
                        int threads)
{
    double part[MOST_BLOCKS], sum = 0;
    int64_t rows = (t->count + MOST_BLOCKS - 1) / MOST_BLOCKS;
    rows = rows < LEAST_ROWS ? LEAST_ROWS : rows;
    int64_t blocks = (t->count + rows - 1) / rows;
    const double work = 16.0 * (double)(t->count * c);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t end = (b + 1) * rows < t->count ? (b + 1) * rows : t->count;
        part[b] = block_loss(dy, y, c, t, b * rows, end);
    }
    if (dy)
        clear_rows(dy, t->count ? t->node[t->count - 1] + 1 : 0, n, c);
    for (int64_t b = 0; b < blocks; b++)
        sum += part[b];
    return sum;
}

void bn_softmax(real *y, int64_t n, int64_t c, int threads)
{
#pragma omp parallel for num_threads(bn_team(threads, 16.0 * (double)(n * c))) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        real *row = y + i * c, share = 1 / exponentials(row, row, c, top_of(row, c));
        for (int64_t k = 0; k < c; k++)
            row[k] *= share;
    }
}

/* Keeps NaN, so that a diverging loss is seen. */
static void relu(real *y, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = 0 > y[i] ? 0 : y[i];
}

/* Decides for two values by one random number and a table, as no branch could be predicted. */
static void drop(real *y, int64_t count, double p, bn_rng r)
{
    const uint32_t below = (uint32_t)(p * 0x1p32);
    const real factor[2] = {(real)(1 / (1 - p)), 0};
    for (int64_t i = 0; i < count; i += 2) {
        uint64_t bits = bn_rng_next(&r);
        y[i] *= factor[(uint32_t)bits < below];
        if (i + 1 < count)
            y[i + 1] *= factor[(uint32_t)(bits >> 32) < below];
    }
}

void bn_relu_forward(real *y, int64_t count, double p, uint64_t seed, int threads)
{
    int64_t blocks = (count + BLOCK - 1) / BLOCK;
    const double work = 8.0 * (double)count;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t at = b * BLOCK, n = count - at < BLOCK ? count - at : BLOCK;
        relu(y + at, n);
        if (p > 0)
            drop(y + at, n, p, bn_rng_at(seed, (uint64_t)b));
    }
}

static void relu_back(real *restrict dy, const real *restrict y, int64_t count, real grow)
{
    for (int64_t i = 0; i < count; i++)         /* a factor 0, since a choice would be a branch */
        dy[i] *= y[i] == 0 ? 0 : grow;
}

void bn_relu_backward(real *dy, const real *y, int64_t count, double p, int threads)
{
    int64_t blocks = (count + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(bn_team(threads, 8.0 * (double)count)) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t at = b * BLOCK, n = count - at < BLOCK ? count - at : BLOCK;
        relu_back(dy + at, y + at, n, (real)(1 / (1 - p)));
    }
}
