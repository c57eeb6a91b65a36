/* edgenet_back.c -- the gradients of the network that predicts edges.
 *
 * Two passes over the blocks: `collect` sums what the second batch norm needs, and `spread` adds to
 * the nodes of each pair.  The second layer is stored, or computed again in both passes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "edgenet.h"

/* ---- the third and second layer ---- */

/* Fills score with the gradient of the scores; returns its sum. */
static double start_back(const bn_edgenet *e, const real *a, const real *da)
{
    const int64_t n = e->n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const real v = a[i * n + j] * (1 - a[i * n + j]) *
                           (da[i * n + j] + da[j * n + i]) / (real)(2 * e->streams);
            e->score[i * n + j] = i == j ? 0 : v;
            sum += i == j ? 0 : (double)v;
        }
    return sum;
}

/* Sets g to 0 where y is 0. A separate loop, which compilers make without branches. */
static void mask(real *restrict g, const real *restrict y, int64_t h)
{
    for (int64_t k = 0; k < h; k++) {
        const real v = g[k];
        g[k] = y[k] > 0 ? v : 0;
    }
}

static void second_back_one(const bn_edge_block *b)
{
    const int64_t h = b->e->h;
    const real *restrict w = b->param + b->e->at[0].w3;
    for (int64_t r = 0; r < b->pairs; r++) {
        real *restrict g = b->g[0] + r * h;
        const real *restrict y = b->y[0] + r * h, by = b->e->score[b->first * b->e->n + r];
        for (int64_t k = 0; k < h; k++)
            g[k] = by * w[k];
        mask(g, y, h);
    }
}

/* Multiplies the second stream's output u by the first stream's output y. */
static void second_back_two(const bn_edge_block *b)
{
    const int64_t h = b->e->h;
    const real *restrict w0 = b->param + b->e->at[0].w3, *restrict w1 = b->param + b->e->at[1].w3;
    const real *restrict mul = b->e->s[1].mul, *restrict add = b->e->s[1].add;
    for (int64_t r = 0; r < b->pairs; r++) {
        real *restrict g0 = b->g[0] + r * h, *restrict g1 = b->g[1] + r * h;
        const real *restrict y = b->y[0] + r * h, *restrict z = b->z[1] + r * h;
        const real by = b->e->score[b->first * b->e->n + r];
        for (int64_t k = 0; k < h; k++) {
            const real line = z[k] * mul[k] + add[k], u = line > 0 ? line : 0;
            g0[k] = by * (w0[k] + w1[k] * u);
            g1[k] = by * w1[k] * y[k];
        }
        mask(g0, y, h);
        mask(g1, b->y[1] + r * h, h);
    }
}

/* Fills g with the gradient of the output of the second batch norm. */
static void second_back(const bn_edge_block *b)
{
    if (!b->e->keep)
        bn_edge_second(b);
    bn_edge_third(b);
    if (b->e->streams == 1)
        second_back_one(b);
    else
        second_back_two(b);
}

/* Fills the sums of block b: of g, of g times the normalised z, and the gradient of w3. */
static void sum_back(const bn_edge_block *b, int64_t at, int s)
{
    const int64_t h = b->e->h;
    const bn_edge_stream *t = &b->e->s[s];
    const real *score_of = b->e->score + b->first * b->e->n;
    const real *restrict mean2 = t->mean2, *restrict inv2 = t->inv2;
    real *restrict sum = t->sums + at * BN_EDGE_SUMS * h, *restrict along = sum + h;
    memset(sum, 0, (size_t)(BN_EDGE_SUMS * h) * sizeof *sum);
    for (int64_t r = 0; r < b->pairs; r++) {
        const real *restrict g = b->g[s] + r * h, *restrict z = b->z[s] + r * h;
        for (int64_t k = 0; k < h; k++) {
            sum[k] += g[k];
            along[k] += g[k] * ((z[k] - mean2[k]) * inv2[k]);
        }
        bn_real_axpy(along + h, score_of[r], b->y[s] + r * h, h);
    }
}

static void collect(const bn_edgenet *e, const real *param)
{
#pragma omp parallel for num_threads(bn_team((int)e->lanes, bn_edge_work(e) / 4)) schedule(static)
    for (int64_t at = 0; at < e->blocks; at++) {
        const bn_edge_block b = bn_edge_block_at(e, param, at);
        second_back(&b);
        for (int s = 0; s < e->streams; s++)
            sum_back(&b, at, s);
    }
}

/* Turns the sums of all blocks into means, stored in those of the first block. */
static void second_means(const bn_edgenet *e, real *dparam, int s)
{
    const int64_t h = e->h, to[BN_EDGE_SUMS] = {e->at[s].shift2, e->at[s].scale2, e->at[s].w3};
    real *sums = e->s[s].sums;
    for (int64_t k = 0; k < BN_EDGE_SUMS * h; k++) {
        double sum = 0;
        for (int64_t b = 0; b < e->blocks; b++)
            sum += (double)sums[b * BN_EDGE_SUMS * h + k];
        sums[k] = (real)(sum / (double)(e->n * e->n));
        if (dparam)
            dparam[to[k / h] + k % h] += (real)sum;
    }
}

/* Replaces g by the gradient of z. */
static void norm_back(const bn_edge_block *b, int s)
{
    const int64_t h = b->e->h;
    const bn_edge_stream *t = &b->e->s[s];
    const real *restrict mean = t->sums, *restrict slope = t->sums + h, *restrict mul = t->mul;
    const real *restrict mean2 = t->mean2, *restrict inv2 = t->inv2;
    for (int64_t r = 0; r < b->pairs; r++) {
        real *restrict g = b->g[s] + r * h;
        const real *restrict z = b->z[s] + r * h;
        for (int64_t k = 0; k < h; k++)
            g[k] = mul[k] * (g[k] - mean[k] - (z[k] - mean2[k]) * inv2[k] * slope[k]);
    }
}

static void add_back(real *restrict left, real *restrict right, const real *restrict g,
                     const real *restrict p, const real *restrict q, int64_t h)
{
    for (int64_t k = 0; k < h; k++) {
        const real u = p[k] + q[k], by = g[k], v = u > 0 ? by : 0;
        left[k] += v;
        right[k] += v;
    }
}

/* Splits the gradient g1 of the second stream's product: each factor's gradient is g1 times the
 * other factor. */
static void part_product(real *restrict g0, real *restrict g1, const real *restrict first0,
                         const real *restrict p1, const real *restrict q1, int64_t h)
{
    for (int64_t k = 0; k < h; k++) {
        const real line = p1[k] + q1[k], u = line > 0 ? line : 0;
        g0[k] += g1[k] * u;
        g1[k] *= first0[k];
    }
}

/* Adds y, the gradient of the second layer's input, to the nodes of each pair. */
static void first_pairs(const bn_edge_block *b, int64_t part)
{
    const int64_t n = b->e->n, h = b->e->h;
    const bn_edge_stream *s = b->e->s;
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t at = (i * n + j) * h;
            const int64_t left = (b->first + i) * 2 * h, right = j * 2 * h + h;
            if (b->e->streams > 1) {
                bn_edge_join(b->g[0] + at, s[0].first + left, s[0].first + right, h);
                part_product(b->y[0] + at, b->y[1] + at, b->g[0] + at, s[1].first + left,
                             s[1].first + right, h);
            }
            for (int k = 0; k < b->e->streams; k++)
                add_back(s[k].back + left, s[k].tail + (part * n + j) * h, b->y[k] + at,
                         s[k].first + left, s[k].first + right, h);
        }
}

static void spread_block(const bn_edge_block *b, int64_t part, bool params)
{
    const int64_t h = b->e->h;
    second_back(b);
    for (int s = 0; s < b->e->streams; s++)
        norm_back(b, s);
    if (params)
        bn_edge_first(b);
    for (int s = 0; s < b->e->streams; s++) {
        const bn_input y = {.rows = b->pairs, .cols = h, .dense = b->y[s]};
        const real *w2 = b->param + b->e->at[s].w2;
        if (params)
            bn_times_t(b->e->s[s].square + part * h * h, &y, b->g[s], h, b->room, 1);
        bn_times_back(b->y[s], b->g[s], (bn_cols){w2, h, h}, h, false, (bn_span){0, b->pairs, 1});
    }
    first_pairs(b, part);
}

static void spread(const bn_edgenet *e, const real *param, bool params)
{
#pragma omp parallel for num_threads(bn_team((int)e->lanes, bn_edge_work(e) * 2)) schedule(static)
    for (int64_t part = 0; part < e->parts; part++) {
        const int64_t end = (part + 1) * e->blocks / e->parts;
        for (int64_t at = part * e->blocks / e->parts; at < end; at++) {
            const bn_edge_block b = bn_edge_block_at(e, param, at);
            spread_block(&b, part, params);
        }
    }
}

/* ---- the first layer ---- */

/* Replaces t->back by the gradient of p and q; adds to scale and shift their gradients, unless
 * NULL. */
static void first_back(const bn_edgenet *e, const real *param, real *dparam, int s)
{
    const int64_t n = e->n, h = e->h;
    const bn_edge_params *p = &e->at[s];
    const bn_edge_stream *t = &e->s[s];
    for (int64_t k = 0; k < h; k++) {
        double sum = 0, along = 0;
        for (int64_t i = 0; i < n; i++) {
            const real *g = t->back + i * 2 * h + k, *hat = t->hat + i * 2 * h + k;
            sum += (double)g[0];
            along += (double)g[0] * (double)hat[0] + (double)g[h] * (double)hat[h];
        }
        if (dparam) {
            dparam[p->scale1 + k] += (real)along;
            dparam[p->shift1 + k] += (real)sum;
        }
        const real mul = param[p->scale1 + k] * t->inv1[k];
        const real mean = (real)(sum / (double)n), slope = (real)(along / (double)n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t half = 0; half <= h; half += h) {
                real *g = t->back + i * 2 * h + half + k;
                *g = mul * (*g - mean - t->hat[i * 2 * h + half + k] * slope);
            }
    }
}

static void clear_back(const bn_edgenet *e)
{
    for (int s = 0; s < e->streams; s++) {
        const bn_edge_stream *t = &e->s[s];
        memset(t->back, 0, (size_t)(e->n * 2 * e->h) * sizeof *t->back);
        memset(t->tail, 0, (size_t)(e->parts * e->n * e->h) * sizeof *t->tail);
        memset(t->square, 0, (size_t)(e->parts * e->h * e->h) * sizeof *t->square);
    }
}

/* Adds what the parts hold for the second node of a pair and for w2. */
static void add_parts(const bn_edgenet *e, real *dparam, int s)
{
    const int64_t n = e->n, h = e->h;
    const bn_edge_stream *t = &e->s[s];
    for (int64_t part = 0; part < e->parts; part++) {
        for (int64_t j = 0; j < n; j++)
            bn_real_axpy(t->back + j * 2 * h + h, 1, t->tail + (part * n + j) * h, h);
        if (dparam)
            bn_real_axpy(dparam + e->at[s].w2, 1, t->square + part * h * h, h * h);
    }
}

static void stream_back(real *dx, real *dparam, const bn_edgenet *e, const real *param, int s)
{
    const int64_t n = e->n, h = e->h;
    const bn_edge_params *p = &e->at[s];
    const bn_edge_stream *t = &e->s[s];
    add_parts(e, dparam, s);
    first_back(e, param, dparam, s);
    const bn_input in = {.rows = n, .cols = p->wide, .dense = t->in};
    if (dparam)
        bn_times_t(dparam + p->w1, &in, t->back, 2 * h, e->room, e->threads);
    if (dx && s == 0)
        bn_times_back(dx, t->back, (bn_cols){param + p->w1, 2 * h, 2 * h}, e->d, true,
                      (bn_span){0, n, e->threads});
}

void bn_edgenet_backward(real *dx, real *dparam, bn_edgenet *e, const real *param, const real *a,
                         const real *da)
{
    const double bias = start_back(e, a, da);
    clear_back(e);
    collect(e, param);
    for (int s = 0; s < e->streams; s++) {
        second_means(e, dparam, s);
        if (dparam)
            dparam[e->at[s].bias] += (real)bias;
    }
    spread(e, param, dparam != NULL);
    for (int s = 0; s < e->streams; s++)
        stream_back(dx, dparam, e, param, s);
}
