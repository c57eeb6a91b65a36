/* edgenet.c -- a network that predicts an edge between any two nodes of a small graph.
 *
 * The first layer on the features of nodes i and j is a sum p_i + q_j, so the n n rows of features
 * are never made.  Its mean and variance over all pairs are sums of those of p and q, and its
 * normalised value is a sum as well.  The second layer is a product over all pairs, made in blocks
 * of rows i; it is kept, or computed again in each pass if it would take too much memory.
 *
 * Sums over blocks are added in order, so that the bits do not depend on the number of threads.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "edgenet.h"

enum { MOST_PARTS = 16 };

static const double floor_of_variance = 1e-5;
static const real none;         /* of a matrix that is only counted */

/* ---- where things are ---- */

static int64_t take(int64_t *at, int64_t count)
{
    const int64_t here = *at;
    *at += count;
    return here;
}

static void place_params(bn_edgenet *e)
{
    const int64_t h = e->h;
    int64_t at = 0;
    for (int s = 0; s < e->streams; s++) {
        bn_edge_params *p = &e->at[s];
        p->wide = s ? 1 : e->d;
        p->w1 = take(&at, p->wide * 2 * h);
        p->scale1 = take(&at, h);
        p->shift1 = take(&at, h);
        p->w2 = take(&at, h * h);
        p->scale2 = take(&at, h);
        p->shift2 = take(&at, h);
        p->w3 = take(&at, h);
        p->bias = take(&at, 1);
    }
    e->count = at;
}

static void lay_stream(bn_edge_stream *t, const bn_edgenet *e, bn_slab *slab)
{
    const int64_t n = e->n, h = e->h, most = e->lanes * e->rows * n;
    real **const wide[] = {&t->hat, &t->first, &t->back};
    real **const one[] = {&t->inv1, &t->inv2, &t->mean2, &t->mul, &t->add};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        *wide[i] = bn_slab_take(slab, n, 2 * h);
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        *one[i] = bn_slab_take(slab, 1, h);
    t->sums = bn_slab_take(slab, e->blocks * BN_EDGE_SUMS, h);
    t->tail = bn_slab_take(slab, e->parts * n, h);
    t->square = bn_slab_take(slab, e->parts * h, h);
    t->y = bn_slab_take(slab, most, h);
    t->e = bn_slab_take(slab, most, h);
    t->z = e->keep ? NULL : bn_slab_take(slab, most, h);
    t->all = e->keep ? bn_slab_take(slab, n * n, h) : NULL;
}

/* Assigns room for the sums of blocks and for the products of the first layer; returns its size. */
static int64_t lay_room(bn_edgenet *e)
{
    const bn_input block = {.rows = e->rows * e->n, .cols = e->h, .dense = &none};
    const bn_input all = {.rows = e->n, .cols = e->d, .dense = &none};
    e->each = bn_times_room(&block, e->h);
    const int64_t first = bn_times_room(&all, 2 * e->h);
    return first > e->lanes * e->each ? first : e->lanes * e->each;
}

void bn_edgenet_lay(bn_edgenet *e, bn_slab *slab)
{
    e->rows = e->pairs / e->n < 1 ? 1 : e->pairs / e->n;
    e->rows = e->rows < e->n ? e->rows : e->n;
    e->blocks = (e->n + e->rows - 1) / e->rows;
    e->parts = e->blocks < MOST_PARTS ? e->blocks : MOST_PARTS;
    e->lanes = bn_lanes(e->threads, e->blocks);
    place_params(e);
    e->score = bn_slab_take(slab, e->n, e->n);
    e->place = bn_slab_take(slab, e->n, 1);
    for (int64_t i = 0; e->place && i < e->n; i++)
        e->place[i] = e->n > 1 ? 2 * (real)i / (real)(e->n - 1) - 1 : 0;
    e->room = bn_slab_take(slab, lay_room(e), 1);
    for (int s = 0; s < e->streams; s++)
        lay_stream(&e->s[s], e, slab);
}

static double most_of(int64_t fan)
{
    return 1 / sqrt((double)fan);
}

void bn_edgenet_init(real *param, const bn_edgenet *e, uint64_t seed)
{
    const int64_t h = e->h;
    for (int s = 0; s < e->streams; s++) {
        const bn_edge_params *p = &e->at[s];
        bn_draw_uniform(param, p->w1, p->wide * 2 * h, most_of(2 * p->wide), seed);
        bn_draw_uniform(param, p->w2, h * h, most_of(h), seed);
        bn_draw_uniform(param, p->w3, h + 1, most_of(h), seed);
        for (int64_t k = 0; k < h; k++) {
            param[p->scale1 + k] = param[p->scale2 + k] = 1;
            param[p->shift1 + k] = param[p->shift2 + k] = 0;
        }
    }
}

/* ---- the first layer ---- */

/* Subtracts its mean from each column of x (n,2h); fills inv (h) with 1 over the deviation of the
 * sums over pairs. */
static void centre(real *x, real *inv, int64_t n, int64_t h)
{
    for (int64_t k = 0; k < 2 * h; k++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)x[i * 2 * h + k];
        const double mean = sum / (double)n;
        for (int64_t i = 0; i < n; i++) {
            const double by = (double)x[i * 2 * h + k] - mean;
            x[i * 2 * h + k] = (real)by;
            square += by * by;
        }
        inv[k % h] = (real)(square / (double)n + (k < h ? 0 : (double)inv[k % h]));
    }
    for (int64_t k = 0; k < h; k++)
        inv[k] = (real)(1 / sqrt((double)inv[k] + floor_of_variance));
}

static void first_forward(const bn_edgenet *e, const real *param, int s)
{
    const int64_t n = e->n, h = e->h;
    const bn_edge_params *p = &e->at[s];
    const bn_edge_stream *t = &e->s[s];
    const bn_input in = {.rows = n, .cols = p->wide, .dense = t->in};
    bn_times(t->hat, &in, param + p->w1, 2 * h, false, (bn_span){0, n, e->threads});
    centre(t->hat, t->inv1, n, h);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < 2 * h; k++) {
            real *hat = t->hat + i * 2 * h + k;
            *hat *= t->inv1[k % h];
            t->first[i * 2 * h + k] = *hat * param[p->scale1 + k % h] +
                                      (k < h ? param[p->shift1 + k] : 0);
        }
}

/* ---- blocks of pairs ---- */

bn_edge_block bn_edge_block_at(const bn_edgenet *e, const real *param, int64_t b)
{
    bn_edge_block at = {.e = e, .param = param, .first = b * e->rows};
    const int64_t lane = bn_thread() * e->rows * e->n * e->h;
    at.rows = e->n - at.first < e->rows ? e->n - at.first : e->rows;
    at.pairs = at.rows * e->n;
    at.room = e->room + bn_thread() * e->each;
    for (int s = 0; s < e->streams; s++) {
        const bn_edge_stream *t = &e->s[s];
        at.y[s] = t->y + lane;
        at.g[s] = t->e + lane;
        at.z[s] = e->keep ? t->all + at.first * e->n * e->h : t->z + lane;
    }
    return at;
}

double bn_edge_work(const bn_edgenet *e)
{
    return (double)(e->n * e->n * e->streams) * (double)e->h * (2 + (double)e->h / 8);
}

void bn_edge_join(real *restrict y, const real *restrict p, const real *restrict q, int64_t h)
{
    for (int64_t k = 0; k < h; k++) {
        const real u = p[k] + q[k];
        y[k] = u > 0 ? u : 0;
    }
}

static void join_times(real *restrict y, const real *restrict p, const real *restrict q,
                       const real *restrict by, int64_t h)
{
    for (int64_t k = 0; k < h; k++) {
        const real line = p[k] + q[k], u = line > 0 ? line : 0;
        y[k] = u * by[k];
    }
}

void bn_edge_first(const bn_edge_block *b)
{
    const int64_t n = b->e->n, h = b->e->h;
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t at = (i * n + j) * h;
            const int64_t left = (b->first + i) * 2 * h, right = j * 2 * h + h;
            const real *first = b->e->s[0].first;
            bn_edge_join(b->y[0] + at, first + left, first + right, h);
            if (b->e->streams == 1)
                continue;
            first = b->e->s[1].first;
            join_times(b->y[1] + at, first + left, first + right, b->y[0] + at, h);
        }
}

void bn_edge_second(const bn_edge_block *b)
{
    const int64_t h = b->e->h;
    bn_edge_first(b);
    for (int s = 0; s < b->e->streams; s++) {
        const bn_input y = {.rows = b->pairs, .cols = h, .dense = b->y[s]};
        bn_times(b->z[s], &y, b->param + b->e->at[s].w2, h, false, (bn_span){0, b->pairs, 1});
    }
}

static void norm_relu(real *y, const real *z, const bn_edge_stream *t, int64_t pairs, int64_t h)
{
    const real *restrict mul = t->mul, *restrict add = t->add;
    for (int64_t r = 0; r < pairs; r++) {
        real *restrict to = y + r * h;
        const real *restrict from = z + r * h;
        for (int64_t k = 0; k < h; k++) {
            const real u = from[k] * mul[k] + add[k];
            to[k] = u > 0 ? u : 0;
        }
    }
}

void bn_edge_third(const bn_edge_block *b)
{
    const int64_t h = b->e->h;
    for (int s = 0; s < b->e->streams; s++)
        norm_relu(b->y[s], b->z[s], &b->e->s[s], b->pairs, h);
    real *restrict y = b->y[1];
    const real *restrict by = b->y[0];
    for (int64_t i = 0; b->e->streams > 1 && i < b->pairs * h; i++)
        y[i] *= by[i];
}

/* ---- forward ---- */

/* Fills the sums of block b: the mean of z, and its squared distances from that mean. */
static void moments(const bn_edge_block *b, int64_t at, int s)
{
    const int64_t h = b->e->h;
    real *restrict mean = b->e->s[s].sums + at * BN_EDGE_SUMS * h, *restrict square = mean + h;
    memset(mean, 0, (size_t)(2 * h) * sizeof *mean);
    for (int64_t r = 0; r < b->pairs; r++)
        bn_real_axpy(mean, 1, b->z[s] + r * h, h);
    for (int64_t k = 0; k < h; k++)
        mean[k] /= (real)b->pairs;
    for (int64_t r = 0; r < b->pairs; r++) {
        const real *restrict z = b->z[s] + r * h;
        for (int64_t k = 0; k < h; k++)
            square[k] += (z[k] - mean[k]) * (z[k] - mean[k]);
    }
}

/* Combines the moments of all blocks. */
static void second_norm(const bn_edgenet *e, const real *param, int s)
{
    const int64_t n = e->n, h = e->h;
    const bn_edge_params *p = &e->at[s];
    const bn_edge_stream *t = &e->s[s];
    for (int64_t k = 0; k < h; k++) {
        double count = 0, mean = 0, square = 0;
        for (int64_t b = 0; b < e->blocks; b++) {
            const int64_t rows = n - b * e->rows < e->rows ? n - b * e->rows : e->rows;
            const real *sums = t->sums + b * BN_EDGE_SUMS * h + k;
            const double more = (double)(rows * n), by = (double)sums[0] - mean;
            square += (double)sums[h] + by * by * count * more / (count + more);
            count += more;
            mean += by * more / count;
        }
        t->mean2[k] = (real)mean;
        t->inv2[k] = (real)(1 / sqrt(square / count + floor_of_variance));
        t->mul[k] = param[p->scale2 + k] * t->inv2[k];
        t->add[k] = param[p->shift2 + k] - t->mean2[k] * t->mul[k];
    }
}

static void measure(const bn_edgenet *e, const real *param)
{
#pragma omp parallel for num_threads(bn_team((int)e->lanes, bn_edge_work(e))) schedule(static)
    for (int64_t at = 0; at < e->blocks; at++) {
        const bn_edge_block b = bn_edge_block_at(e, param, at);
        bn_edge_second(&b);
        for (int s = 0; s < e->streams; s++)
            moments(&b, at, s);
    }
}

static void score(const bn_edgenet *e, const real *param)
{
#pragma omp parallel for num_threads(bn_team((int)e->lanes, bn_edge_work(e) / 4)) schedule(static)
    for (int64_t at = 0; at < e->blocks; at++) {
        const bn_edge_block b = bn_edge_block_at(e, param, at);
        real *to = e->score + b.first * e->n;
        if (!e->keep)
            bn_edge_second(&b);
        bn_edge_third(&b);
        for (int s = 0; s < e->streams; s++) {
            const bn_input y = {.rows = b.pairs, .cols = e->h, .dense = b.y[s]};
            bn_times(to, &y, param + e->at[s].w3, 1, s > 0, (bn_span){0, b.pairs, 1});
        }
    }
}

static void finish(real *a, const bn_edgenet *e, const real *param)
{
    const int64_t n = e->n;
    double bias = 0;
    for (int s = 0; s < e->streams; s++)
        bias += (double)param[e->at[s].bias];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double sum = (double)e->score[i * n + j] + (double)e->score[j * n + i];
            const double z = (sum / 2 + bias) / e->streams;
            a[i * n + j] = a[j * n + i] = i == j ? 0 : (real)(1 / (1 + exp(-z)));
        }
}

void bn_edgenet_forward(real *a, bn_edgenet *e, const real *param, const real *x)
{
    for (int s = 0; s < e->streams; s++) {
        e->s[s].in = s ? e->place : x;
        first_forward(e, param, s);
    }
    measure(e, param);
    for (int s = 0; s < e->streams; s++)
        second_norm(e, param, s);
    score(e, param);
    finish(a, e, param);
}
