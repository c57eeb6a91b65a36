/* gat.c -- attention over the neighbours and the node itself, forward and back.
 *
 * Each node has two numbers a head, src and dst; the weight of an entry (i,j) is the softmax
 * over j of leaky(src_j + dst_i).  Forward reads the rows of z = x w once an entry, backward
 * twice: along the receivers' rows for
 *
 *   g_ij = dy_i . z_j,    e_ij = alpha_ij (g_ij - sum over j of alpha_ij g_ij) leaky'_ij
 *
 * which are the gradients of the scores, and along the senders' rows (the transpose, where
 * mirror says which entry is meant) for
 *
 *   dz_j = sum over i of alpha_ij dy_i + dsrc_j att_src + ddst_j att_dst
 *
 * with dsrc_j and ddst_i the sums of e over a column and a row.  So every sum has one owner
 * and a fixed order.  dz and ddst take the places of z and dst, which nobody reads any more
 * by then.
 *
 * An entry from a node to itself has weight 0: the node's own weight stands for it.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "nn.h"

enum { ROWS = 64, PIECE = 256 };        /* rows of a block; entries taken together */

static const real slope = (real)0.2;

static real leaky(real v)
{
    return v > 0 ? v : slope * v;
}

static real power(real v)
{
    return sizeof(real) == sizeof(float) ? (real)expf((float)v) : (real)exp((double)v);
}

static int64_t blocks_of(int64_t n)
{
    return (n + ROWS - 1) / ROWS;
}

/* The layer's output has head t at column t times this, */
static int64_t step_of(const bn_attention *a)
{
    return a->join ? a->d : 0;
}

/* and this share of it. */
static real share_of(const bn_attention *a)
{
    return a->join ? 1 : 1 / (real)a->k;
}

typedef struct {                /* one row of a side */
    const int32_t *ids;
    int64_t begin, count;
} row;

static row row_of(const bn_side *s, int64_t i)
{
    int64_t begin = bn_int_at(&s->offsets, i);
    return (row){s->ids + begin, begin, bn_int_at(&s->offsets, i + 1) - begin};
}

/* y (width) += the rows of x (of stride columns) times their weights, every k-th of weight; with
 * mirror, the entries that it names. */
static void add_rows(real *y, int64_t width, const real *x, int64_t stride, row r,
                     const real *weight, int k, const int64_t *mirror)
{
    real piece[PIECE];
    for (int64_t from = 0; from < r.count; from += PIECE) {
        int64_t count = r.count - from < PIECE ? r.count - from : PIECE;
        for (int64_t e = 0; e < count; e++)
            piece[e] = weight[(mirror ? mirror[from + e] : from + e) * k];
        bn_real_combine_part(y, x, width, stride, r.ids + from, piece, count);
    }
}

/* By the inner loop for many rows, which is quicker on short ones too. */
static real dot_one(const real *a, const real *b, int64_t width)
{
    const int32_t first = 0;
    real out;
    bn_real_dots(&out, a, b, width, width, &first, 1);
    return out;
}

/* ---- forward ---- */

static void find_src_and_dst(const bn_at *at, const bn_attention *a, const real *att_src,
                             const real *att_dst)
{
#pragma omp parallel for schedule(static) num_threads(bn_team(at->threads, blocks_of(at->n)))
    for (int64_t i = 0; i < at->n; i++)
        for (int t = 0; t < a->k; t++) {
            const real *z = a->z + (i * a->k + t) * a->d;
            a->src[i * a->k + t] = dot_one(z, att_src + t * a->d, a->d);
            a->dst[i * a->k + t] = dot_one(z, att_dst + t * a->d, a->d);
        }
}

/* The softmax of row i under head t: alpha (every k-th) and own.  The largest score is that of
 * the largest src, for neither + nor leaky changes the order. */
static void weigh(real *alpha, real *own, const bn_attention *a, int64_t i, int t, row r)
{
    const real *src = a->src + t;
    int64_t k = a->k;
    real dst = a->dst[i * k + t], most = src[i * k];
    for (int64_t e = 0; e < r.count; e++)
        most = src[r.ids[e] * k] > most ? src[r.ids[e] * k] : most;
    real top = leaky(most + dst);
    double total = 0;
    for (int64_t e = 0; e < r.count; e++) {
        alpha[e * k] = r.ids[e] == i ? 0 : power(leaky(src[r.ids[e] * k] + dst) - top);
        total += (double)alpha[e * k];
    }
    *own = power(leaky(src[i * k] + dst) - top);
    real inverse = (real)(1 / (total + (double)*own));
    *own *= inverse;
    for (int64_t e = 0; e < r.count; e++)
        alpha[e * k] *= inverse;
}

static void forward_row(real *y, const bn_attention *a, const real *b, int64_t i, row r)
{
    int64_t k = a->k, d = a->d, h = a->join ? k * d : d;
    real *alpha = a->alpha + r.begin * k, *own = a->alpha_own + i * k;
    memset(y, 0, (size_t)h * sizeof *y);
    for (int t = 0; t < k; t++) {
        weigh(alpha + t, own + t, a, i, t, r);
        add_rows(y + t * step_of(a), d, a->z + t * d, k * d, r, alpha + t, a->k, NULL);
        bn_real_axpy(y + t * step_of(a), own[t], a->z + (i * k + t) * d, d);
    }
    real share = share_of(a);
    for (int64_t j = 0; j < h; j++)
        y[j] = y[j] * share + b[j];
}

void bn_gat_forward(const bn_at *at, const bn_attention *a, real *y, const bn_input *x,
                    const real *w, const real *b, const real *att_src, const real *att_dst)
{
    bn_times(a->z, x, w, a->k * a->d, false, 0, at->n, at->threads);
    find_src_and_dst(at, a, att_src, att_dst);
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(bn_team(at->threads, blocks_of(at->n)))
    for (int64_t i = 0; i < at->n; i++)
        forward_row(y + i * at->h, a, b, i, row_of(&at->m->to, i));
}

/* ---- backward ---- */

typedef struct {                /* what lies in the room */
    real *e;                    /* (entries,k): the gradients of the scores */
    real *e_own;                /* (n,k) */
    real *datt;                 /* (blocks, 2 k d): sums for att_src, and for att_dst */
} workings;

static workings workings_in(real *room, const bn_messages *m, int64_t k)
{
    real *own = room + bn_int_at(&m->to.offsets, m->to.n) * k;
    return (workings){room, own, own + m->to.n * k};
}

int64_t bn_gat_room(const bn_messages *m, const bn_input *x, int64_t h, int k)
{
    enum { BIAS = 64 };         /* as bn_bias_t wants */
    int64_t most = (bn_int_at(&m->to.offsets, m->to.n) + m->to.n) * k + blocks_of(m->to.n) * 2 * h;
    int64_t times = bn_times_room(x, h);
    most = most > times ? most : times;
    return most > BIAS * h ? most : BIAS * h;
}

/* e of row i under head t from g, in its place: the softmax, then leaky.  ddst takes the place
 * of dst. */
static void score_row(const bn_attention *a, real *e, real *own, const real *alpha, int64_t i,
                      int t, row r)
{
    int64_t k = a->k;
    const real *src = a->src + t;
    real dst = a->dst[i * k + t], alpha_own = a->alpha_own[i * k + t], sum = 0;
    double mean = (double)alpha_own * (double)*own;
    for (int64_t j = 0; j < r.count; j++)
        mean += (double)alpha[j * k] * (double)e[j * k];
    for (int64_t j = 0; j < r.count; j++) {
        real slant = src[r.ids[j] * k] + dst > 0 ? 1 : slope;
        e[j * k] = alpha[j * k] * (e[j * k] - (real)mean) * slant;
        sum += e[j * k];
    }
    *own = alpha_own * (*own - (real)mean) * (src[i * k] + dst > 0 ? 1 : slope);
    a->dst[i * k + t] = sum + *own;
}

/* out (every k-th) = share times a . the rows of x */
static void dot_rows(real *out, int k, const real *a, real share, const real *x, int64_t width,
                     int64_t stride, row r)
{
    real piece[PIECE];
    for (int64_t from = 0; from < r.count; from += PIECE) {
        int64_t count = r.count - from < PIECE ? r.count - from : PIECE;
        bn_real_dots(piece, a, x, width, stride, r.ids + from, count);
        for (int64_t e = 0; e < count; e++)
            out[(from + e) * k] = share * piece[e];
    }
}

/* Along the receivers' rows: e, e_own and ddst. */
static void find_scores(const bn_at *at, const bn_attention *a, const workings *s, const real *dy)
{
    int64_t k = a->k, d = a->d;
    real share = share_of(a);
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(bn_team(at->threads, blocks_of(at->n)))
    for (int64_t i = 0; i < at->n; i++) {
        row r = row_of(&at->m->to, i);
        for (int t = 0; t < k; t++) {
            const real *dyt = dy + i * at->h + t * step_of(a), *z = a->z + t * d;
            real *e = s->e + r.begin * k + t, *own = s->e_own + i * k + t;
            dot_rows(e, a->k, dyt, share, z, d, k * d, r);
            *own = share * dot_one(dyt, z + i * k * d, d);
            score_row(a, e, own, a->alpha + r.begin * k + t, i, t, r);
        }
    }
}

/* dz of node j under head t, in the place of z, which is first put to the attention's sums. */
static void send_back(const bn_at *at, const bn_attention *a, const workings *s, int64_t j, int t,
                      real *datt, const real *dy, const real *att_src, const real *att_dst)
{
    int64_t k = a->k, d = a->d;
    row r = row_of(&at->m->back, j);
    const int64_t *mirror = at->m->mirror + r.begin;
    real *z = a->z + (j * k + t) * d, dsrc = s->e_own[j * k + t], ddst = a->dst[j * k + t];
    for (int64_t e = 0; e < r.count; e++)
        dsrc += s->e[mirror[e] * k + t];
    bn_real_axpy(datt + t * d, dsrc, z, d);
    bn_real_axpy(datt + (k + t) * d, ddst, z, d);
    dy += t * step_of(a);
    memset(z, 0, (size_t)d * sizeof *z);
    add_rows(z, d, dy, at->h, r, a->alpha + t, a->k, mirror);
    bn_real_axpy(z, a->alpha_own[j * k + t], dy + j * at->h, d);
    real share = share_of(a);
    const real *by_src = att_src + t * d, *by_dst = att_dst + t * d;
    for (int64_t c = 0; c < d; c++)
        z[c] = share * z[c] + dsrc * by_src[c] + ddst * by_dst[c];
}

/* Along the senders' rows: dz, and the attention's sums by blocks. */
static void find_dz(const bn_at *at, const bn_attention *a, const workings *s, const real *dy,
                    const real *att_src, const real *att_dst)
{
    int64_t wide = a->k * a->d, blocks = blocks_of(at->n);
#pragma omp parallel for schedule(dynamic, 1) num_threads(bn_team(at->threads, blocks))
    for (int64_t b = 0; b < blocks; b++) {
        real *datt = s->datt + b * 2 * wide;
        int64_t end = at->n - b * ROWS < ROWS ? at->n : (b + 1) * ROWS;
        memset(datt, 0, (size_t)(2 * wide) * sizeof *datt);
        for (int64_t j = b * ROWS; j < end; j++)
            for (int t = 0; t < a->k; t++)
                send_back(at, a, s, j, t, datt, dy, att_src, att_dst);
    }
}

void bn_gat_backward(const bn_at *at, const bn_attention *a, real *dx, real *dw, real *db,
                     real *datt_src, real *datt_dst, const real *dy, const bn_input *x,
                     const real *w, const real *att_src, const real *att_dst)
{
    int64_t wide = a->k * a->d;
    workings s = workings_in(at->room, at->m, a->k);
    find_scores(at, a, &s, dy);
    find_dz(at, a, &s, dy, att_src, att_dst);
    for (int64_t b = 0; b < blocks_of(at->n); b++) {
        bn_real_axpy(datt_src, 1, s.datt + b * 2 * wide, wide);
        bn_real_axpy(datt_dst, 1, s.datt + (b * 2 + 1) * wide, wide);
    }
    bn_bias_t(db, dy, at->n, at->h, at->room, at->threads);
    bn_times_t(dw, x, a->z, wide, at->room, at->threads);
    if (dx)
        bn_times_back(dx, a->z, w, at->n, at->f, wide, false, at->threads);
}
