/* gat.c -- attention over the neighbours and the node itself, forward and backward.
 *
 * With k heads of d columns: z (n, k d) = x w.  Each node has two numbers a head, src_j = z_j
 * att_src and dst_i = z_i att_dst.  The weight alpha of an entry (i,j) is the softmax over j of
 * leaky(src_j + dst_i), and y_i = sum of alpha_ij z_j + b, the heads side by side or averaged.
 *
 * Forward reads the rows of z once an entry.  In blocks, the first layer has no z: it sums
 * features and multiplies the sums by w, head by head, and its src and dst are the features
 * times w att.  Backward reads the rows of z twice: along the receivers' rows for
 *
 *   g_ij = dy_i . z_j,    e_ij = alpha_ij (g_ij - sum over j of alpha_ij g_ij) leaky'_ij
 *
 * which are the gradients of the scores, and along the senders' rows (the transpose, where
 * mirror says which entry is meant) for
 *
 *   dz_j = sum over i of alpha_ij dy_i + dsrc_j att_src + ddst_j att_dst
 *
 * with dsrc_j and ddst_i the sums of e over a column and a row.  So every sum has one owner
 * and a fixed order.  dz and ddst are written over z and dst, which are not needed any more
 * by then.
 *
 * An entry from a node to itself has weight 0: the node's own weight stands for it.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "nn.h"

enum { ROWS = 64, PIECE = 256 };        /* rows of a block; entries taken together */
enum { Z, SRC, DST };                   /* sent: (n, k d), (n,k), (n,k) */
enum { OWN, SUM };                      /* made: a node's own weights (rows,k); features (rows,f) */

static const real slope = (real)0.2;

static const bn_slot *slots(const bn_dims *d)
{
    static const bn_slot list[] = {
        {"lin.weight", BN_FORM_WEIGHT, BN_SIZE_IN, BN_SIZE_WIDE, BN_INIT_GLOROT, BN_SIZE_IN},
        {"bias", BN_FORM_VECTOR, BN_SIZE_ONE, BN_SIZE_OUT, BN_INIT_ZERO, BN_SIZE_IN},
        {"att_src", BN_FORM_HEADS, BN_SIZE_HEADS, BN_SIZE_HEAD, BN_INIT_GLOROT, BN_SIZE_IN},
        {"att_dst", BN_FORM_HEADS, BN_SIZE_HEADS, BN_SIZE_HEAD, BN_INIT_GLOROT, BN_SIZE_IN},
        {0},
    };
    (void)d;
    return list;
}

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

/* Returns the columns between the outputs of two heads. */
static int64_t step_of(const bn_at *at)
{
    return at->join ? at->d : 0;
}

/* Returns the share of a head in the output. */
static real share_of(const bn_at *at)
{
    return at->join ? 1 : 1 / (real)at->k;
}

/* Returns the columns of head t in z, or in w. */
static bn_cols head_of(const bn_at *at, const real *z, int t)
{
    return (bn_cols){z + t * at->d, at->d, at->k * at->d};
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

typedef struct {                /* the source of a sum: rows of z, or of the features */
    bn_cols z;
    const bn_input *x;          /* NULL: z */
} summed;

static void add_some(real *y, const summed *from, const int32_t *ids, const real *w, int64_t count)
{
    if (from->x)
        bn_add_rows(y, from->x, ids, w, count);
    else
        bn_real_combine(y, from->z, ids, w, count);
}

/* Adds the rows times their weights to y: every k-th of weight; with mirror, the entries that it
 * lists. */
static void add_rows(real *y, const summed *from, row r, const real *weight, int64_t k,
                     const int64_t *mirror)
{
    real piece[PIECE];
    for (int64_t first = 0; first < r.count; first += PIECE) {
        int64_t count = r.count - first < PIECE ? r.count - first : PIECE;
        for (int64_t e = 0; e < count; e++)
            piece[e] = weight[(mirror ? mirror[first + e] : first + e) * k];
        add_some(y, from, r.ids + first, piece, count);
    }
}

/* Multiplies two rows by the inner loop for many rows, which is faster on short ones too. */
static real dot_one(const real *a, const real *b, int64_t width)
{
    const int32_t first = 0;
    real out;
    bn_real_dots(&out, a, (bn_cols){b, width, width}, &first, 1);
    return out;
}

/* ---- forward: src and dst ---- */

/* Computes src and dst (rows,k): each head's columns of z (rows, k d) times its two vectors. */
static void find_scores(const bn_at *at, real *src, real *dst, const real *z, int64_t rows)
{
    int64_t k = at->k, d = at->d;
    const real *by_src = at->p[BN_ATT_SRC], *by_dst = at->p[BN_ATT_DST];
    const double work = 2.0 * (double)(rows * k * d);
#pragma omp parallel for schedule(static) num_threads(bn_team(at->threads, work))
    for (int64_t i = 0; i < rows; i++)
        for (int64_t t = 0; t < k; t++) {
            const real *zt = z + (i * k + t) * d;
            src[i * k + t] = dot_one(zt, by_src + t * d, d);
            dst[i * k + t] = dot_one(zt, by_dst + t * d, d);
        }
}

static void send(const bn_at *at)
{
    const bn_span all = {0, at->x.rows, at->threads};
    real *src = at->sent[SRC], *dst = at->sent[DST];
    if (at->way != BN_FIRST_IN_BLOCKS) {
        bn_times(at->sent[Z], &at->x, at->p[BN_W], at->k * at->d, false, all);
        find_scores(at, src, dst, at->sent[Z], at->x.rows);
        return;
    }
    real *u = at->room, *v = u + at->f * at->k;         /* w att_src and w att_dst, (f,k) each */
    find_scores(at, u, v, at->p[BN_W], at->f);
    bn_times(src, &at->x, u, at->k, false, all);
    bn_times(dst, &at->x, v, at->k, false, all);
}

/* ---- forward: rows ---- */

typedef struct {                /* a node that receives */
    int64_t node;
    row     senders;
    real   *alpha, *own;        /* (senders,k) and (k): its weights */
} receiver;

static receiver receiver_of(const bn_at *at, bn_span s, int64_t i)
{
    int64_t first = bn_int_at(&at->m->to.offsets, s.first);
    row r = row_of(&at->m->to, s.first + i);
    return (receiver){s.first + i, r, at->entry + (r.begin - first) * at->k,
                      at->made[OWN] + i * at->k};
}

/* Computes the softmax of a row under head t.  The largest score is that of the largest src, as
 * neither + nor leaky changes the order. */
static void weigh(const bn_at *at, const receiver *v, int t)
{
    const real *src = at->sent[SRC] + t;
    const int32_t *ids = v->senders.ids;
    real *alpha = v->alpha + t, *own = v->own + t;
    int64_t k = at->k, i = v->node, count = v->senders.count;
    real dst = at->sent[DST][i * k + t], most = src[i * k];
    for (int64_t e = 0; e < count; e++)
        most = src[ids[e] * k] > most ? src[ids[e] * k] : most;
    real top = leaky(most + dst);
    double total = 0;
    for (int64_t e = 0; e < count; e++) {
        alpha[e * k] = ids[e] == i ? 0 : power(leaky(src[ids[e] * k] + dst) - top);
        total += (double)alpha[e * k];
    }
    *own = power(leaky(src[i * k] + dst) - top);
    real inverse = (real)(1 / (total + (double)*own));
    *own *= inverse;
    for (int64_t e = 0; e < count; e++)
        alpha[e * k] *= inverse;
}

/* Adds to y what a node receives under head t. */
static void receive(real *y, const bn_at *at, const receiver *v, int t, const summed *from)
{
    const int32_t self = (int32_t)v->node;
    weigh(at, v, t);
    add_rows(y, from, v->senders, v->alpha + t, at->k, NULL);
    add_some(y, from, &self, v->own + t, 1);
}

static void finish(const bn_at *at, real *y)
{
    real share = share_of(at);
    const real *b = at->p[BN_B];
    for (int64_t j = 0; j < at->h; j++)
        y[j] = y[j] * share + b[j];
}

/* Estimates the work of the entries of some rows, for each of which `wide` numbers are added. */
static double row_work(const bn_at *at, bn_span s, int64_t wide)
{
    const bonsai_array *offsets = &at->m->to.offsets;
    int64_t entries = bn_int_at(offsets, s.first + s.count) - bn_int_at(offsets, s.first);
    return (double)(entries + s.count) * (double)(wide + 16 * at->k);
}

static void sum_z(const bn_at *at, real *y, bn_span s)
{
    const double work = row_work(at, s, at->h);
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(bn_team(s.threads, work))
    for (int64_t i = 0; i < s.count; i++) {
        const receiver v = receiver_of(at, s, i);
        memset(y + i * at->h, 0, (size_t)at->h * sizeof *y);
        for (int t = 0; t < at->k; t++) {
            const summed z = {.z = head_of(at, at->sent[Z], t)};
            receive(y + i * at->h + t * step_of(at), at, &v, t, &z);
        }
        finish(at, y + i * at->h);
    }
}

static void sum_features(const bn_at *at, real *y, bn_span s)
{
    const summed x = {.x = &at->x};
    const bn_input sum = {.rows = s.count, .cols = at->f, .dense = at->made[SUM]};
    for (int t = 0; t < at->k; t++) {
        const double work = row_work(at, s, at->f);
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(bn_team(s.threads, work))
        for (int64_t i = 0; i < s.count; i++) {
            const receiver v = receiver_of(at, s, i);
            memset(at->made[SUM] + i * at->f, 0, (size_t)at->f * sizeof *y);
            receive(at->made[SUM] + i * at->f, at, &v, t, &x);
        }
        bn_times_part(y + t * step_of(at), at->h, &sum, head_of(at, at->p[BN_W], t),
                      !at->join && t > 0, (bn_span){0, s.count, s.threads});
    }
    for (int64_t i = 0; i < s.count; i++)
        finish(at, y + i * at->h);
}

static void rows(const bn_at *at, real *y, bn_span s)
{
    if (at->way == BN_FIRST_IN_BLOCKS)
        sum_features(at, y, s);
    else
        sum_z(at, y, s);
}

/* ---- backward ---- */

typedef struct {                /* what is in the room */
    real *e;                    /* (entries,k): the gradients of the scores */
    real *e_own;                /* (n,k) */
    real *datt;                 /* (blocks, 2 k d): sums for att_src, and for att_dst */
} workings;

static workings workings_in(const bn_at *at)
{
    real *own = at->room + bn_int_at(&at->m->to.offsets, at->n) * at->k;
    return (workings){at->room, own, own + at->n * at->k};
}

static void space(bn_space *out, const bn_at *at)
{
    bool features = at->way == BN_FIRST_IN_BLOCKS;
    int64_t k = at->k, wide = k * at->d, entries = bn_int_at(&at->m->to.offsets, at->n);
    out->sent[Z] = features ? 0 : wide;
    out->sent[SRC] = out->sent[DST] = k;
    out->made[OWN] = k;
    out->made[SUM] = features ? at->f : 0;
    out->entry = k;
    out->forward = features ? 2 * at->f * k : 0;
    out->backward = bn_most((entries + at->n) * k + blocks_of(at->n) * 2 * wide,
                           bn_most(bn_times_room(&at->x, wide), BN_BIAS_ROOM * wide));
}

/* Computes e of row i under head t from g, in place: the softmax, then leaky.  ddst replaces
 * dst. */
static void score_row(const bn_at *at, const workings *s, int64_t i, int t, row r)
{
    int64_t k = at->k;
    const real *src = at->sent[SRC] + t, *alpha = at->entry + r.begin * k + t;
    real *e = s->e + r.begin * k + t, *own = s->e_own + i * k + t;
    real dst = at->sent[DST][i * k + t], alpha_own = at->made[OWN][i * k + t], sum = 0;
    double mean = (double)alpha_own * (double)*own;
    for (int64_t j = 0; j < r.count; j++)
        mean += (double)alpha[j * k] * (double)e[j * k];
    for (int64_t j = 0; j < r.count; j++) {
        real slant = src[r.ids[j] * k] + dst > 0 ? 1 : slope;
        e[j * k] = alpha[j * k] * (e[j * k] - (real)mean) * slant;
        sum += e[j * k];
    }
    *own = alpha_own * (*own - (real)mean) * (src[i * k] + dst > 0 ? 1 : slope);
    at->sent[DST][i * k + t] = sum + *own;
}

/* Sets out (every k-th) to share times a . the rows of x. */
static void dot_rows(real *out, int64_t k, const real *a, real share, bn_cols x, row r)
{
    real piece[PIECE];
    for (int64_t from = 0; from < r.count; from += PIECE) {
        int64_t count = r.count - from < PIECE ? r.count - from : PIECE;
        bn_real_dots(piece, a, x, r.ids + from, count);
        for (int64_t e = 0; e < count; e++)
            out[(from + e) * k] = share * piece[e];
    }
}

/* Computes e, e_own and ddst along the receivers' rows. */
static void over_receivers(const bn_at *at, const workings *s, const real *dy)
{
    int64_t k = at->k;
    real share = share_of(at);
    const double work = 2 * row_work(at, (bn_span){0, at->n, 0}, at->h);
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(bn_team(at->threads, work))
    for (int64_t i = 0; i < at->n; i++) {
        row r = row_of(&at->m->to, i);
        for (int t = 0; t < k; t++) {
            const real *dyt = dy + i * at->h + t * step_of(at);
            const bn_cols z = head_of(at, at->sent[Z], t);
            dot_rows(s->e + r.begin * k + t, k, dyt, share, z, r);
            s->e_own[i * k + t] = share * dot_one(dyt, z.at + i * z.stride, z.width);
            score_row(at, s, i, t, r);
        }
    }
}

/* Computes dz of node j under head t, in place of z, which is first added to the sums of
 * attention. */
static void send_back(const bn_at *at, const workings *s, const real *dy, int64_t j, int t,
                      real *datt)
{
    int64_t k = at->k, d = at->d;
    row r = row_of(&at->m->back, j);
    const int64_t *mirror = at->m->mirror + r.begin;
    const summed from = {.z = {dy + t * step_of(at), d, at->h}};
    real *z = at->sent[Z] + (j * k + t) * d;
    real dsrc = s->e_own[j * k + t], ddst = at->sent[DST][j * k + t], share = share_of(at);
    for (int64_t e = 0; e < r.count; e++)
        dsrc += s->e[mirror[e] * k + t];
    bn_real_axpy(datt + t * d, dsrc, z, d);
    bn_real_axpy(datt + (k + t) * d, ddst, z, d);
    memset(z, 0, (size_t)d * sizeof *z);
    add_rows(z, &from, r, at->entry + t, k, mirror);
    bn_real_axpy(z, at->made[OWN][j * k + t], from.z.at + j * at->h, d);
    const real *by_src = at->p[BN_ATT_SRC] + t * d, *by_dst = at->p[BN_ATT_DST] + t * d;
    for (int64_t c = 0; c < d; c++)
        z[c] = share * z[c] + dsrc * by_src[c] + ddst * by_dst[c];
}

/* Computes dz, and the sums of attention by blocks, along the senders' rows. */
static void over_senders(const bn_at *at, const workings *s, const real *dy)
{
    int64_t wide = at->k * at->d, blocks = blocks_of(at->n);
    const double work = 2 * row_work(at, (bn_span){0, at->n, 0}, at->h);
#pragma omp parallel for schedule(dynamic, 1) num_threads(bn_team(at->threads, work))
    for (int64_t b = 0; b < blocks; b++) {
        real *datt = s->datt + b * 2 * wide;
        int64_t end = at->n - b * ROWS < ROWS ? at->n : (b + 1) * ROWS;
        memset(datt, 0, (size_t)(2 * wide) * sizeof *datt);
        for (int64_t j = b * ROWS; j < end; j++)
            for (int t = 0; t < at->k; t++)
                send_back(at, s, dy, j, t, datt);
    }
}

static void backward(const bn_at *at, real *dx, const real *dy)
{
    int64_t wide = at->k * at->d;
    const workings s = workings_in(at);
    over_receivers(at, &s, dy);
    over_senders(at, &s, dy);
    for (int64_t b = 0; b < blocks_of(at->n); b++) {
        bn_real_axpy(at->g[BN_ATT_SRC], 1, s.datt + b * 2 * wide, wide);
        bn_real_axpy(at->g[BN_ATT_DST], 1, s.datt + (b * 2 + 1) * wide, wide);
    }
    bn_bias_t(at->g[BN_B], dy, at->n, at->h, at->room, at->threads);
    bn_times_t(at->g[BN_W], &at->x, at->sent[Z], wide, at->room, at->threads);
    if (dx)
        bn_times_back(dx, at->sent[Z], (bn_cols){at->p[BN_W], wide, wide}, at->f, false,
                      (bn_span){0, at->n, at->threads});
}

const bn_layer bn_gat = {
    .name = "gat", .norm = BN_NORM_NONE, .weighted = BN_NORM_NONE, .heads = true, .cost = 1.3,
    .slots = slots, .space = space, .send = send, .rows = rows, .backward = backward,
};
