/* layering.h -- one layer with all its data, and its output by definition.
 *
 * Made of `real`, so that test_layers.c, compiled for double, and test_gat.c share it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LAYERING_H
#define BN_LAYERING_H

#include <math.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "random_graph.h"

typedef enum { DENSE_INPUT, SPARSE_INPUT, SPARSE_INPUT_ONES, PASSED_INPUT, INPUTS } input_kind;

typedef struct {
    bonsai_model_kind kind;
    int        gin_layers, k;
    bool       join;
    int64_t    f, d;            /* d: of one head; of the layer for other kinds */
    input_kind input;
} plan;

typedef struct {
    plan     p;
    int64_t  n, h, wide;        /* wide: k d before heads are averaged */
    bonsai_graph *g;
    bn_messages m;
    bn_input x, passed;
    real    *features;          /* n x f, whatever the form of x */
    real    *param[4], *grad[4];
    int64_t  size[4];
    bn_attention a;
    real    *keep, *inner, *room, *y, *dy, *dx;
    void    *block[64];
    int      blocks;
} layer;

/* ---- making one ---- */

static inline void *take(layer *l, int64_t count, size_t item)
{
    void *p = malloc((size_t)(count > 0 ? count : 1) * item);
    assert_true(p && l->blocks < 64);
    memset(p, 0xff, (size_t)count * item);      /* not a number, so that unwritten values show */
    return l->block[l->blocks++] = p;
}

static inline real *take_reals(layer *l, int64_t count)
{
    return take(l, count, sizeof(real));
}

static inline real *take_random(layer *l, int64_t count, uint64_t *s)
{
    real *x = take_reals(l, count);
    for (int64_t i = 0; i < count; i++)
        x[i] = (real)random_real(s);
    return x;
}

static inline void free_layer(layer *l)
{
    for (int i = 0; i < l->blocks; i++)
        free(l->block[i]);
    bn_messages_free(&l->m);
    bonsai_graph_free(l->g);
}

/* The non-zeros of the matrix (rows,cols) whose entry (r,c) is at r*down + c*right. */
static inline void compress(layer *l, int64_t **offsets, int32_t **index, real **value,
                            const real *x, int64_t rows, int64_t cols, int64_t down, int64_t right)
{
    int64_t nnz = 0;
    *offsets = take(l, rows + 1, sizeof **offsets);
    *index = take(l, rows * cols, sizeof **index);
    *value = take_reals(l, rows * cols);
    (*offsets)[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < cols; c++)
            if (x[r * down + c * right] != 0) {
                (*index)[nnz] = (int32_t)c;
                (*value)[nnz++] = x[r * down + c * right];
            }
        (*offsets)[r + 1] = nnz;
    }
}

static inline void make_sparse(layer *l, uint64_t *s)
{
    int64_t n = l->n, f = l->p.f, *offsets, *t_offsets;
    int32_t *index, *t_index;
    real *value, *t_value;
    bool ones = l->p.input == SPARSE_INPUT_ONES;
    for (int64_t i = 0; i < n * f; i++)
        l->features[i] = random_below(s, 2) ? 0 : ones ? 1 : l->features[i];
    compress(l, &offsets, &index, &value, l->features, n, f, f, 1);
    compress(l, &t_offsets, &t_index, &t_value, l->features, f, n, 1, f);
    l->x = (bn_input){n, f, NULL, offsets, index, ones ? NULL : value, t_offsets, t_index,
                      ones ? NULL : t_value};
}

static inline void make_params(layer *l, uint64_t *s)
{
    const plan *p = &l->p;
    bool more = p->kind == BONSAI_MODEL_GIN && p->gin_layers == 2;
    l->size[BN_W] = p->f * l->wide;
    l->size[BN_B] = l->h;
    l->size[BN_W2] = p->kind == BONSAI_MODEL_GAT    ? l->wide
                     : p->kind == BONSAI_MODEL_SAGE ? p->f * l->h
                     : more                         ? l->h * l->h
                                                    : 0;
    l->size[BN_B2] = p->kind == BONSAI_MODEL_GAT ? l->wide : more ? l->h : 0;
    for (int i = 0; i < 4; i++)
        if (l->size[i] > 0) {
            l->param[i] = take_random(l, l->size[i], s);
            l->grad[i] = take_reals(l, l->size[i]);
        }
}

/* Outputs for this input are compared with those for the features themselves. */
static inline void make_passed(layer *l)
{
    real *sum = take_reals(l, l->n * l->p.f);
    bn_pass(sum, &l->m.to, l->features, l->p.f, false, 0, l->n, 1);
    l->passed = (bn_input){.rows = l->n, .cols = l->p.f, .dense = sum};
}

/* Takes ownership of g. */
static inline void make_layer(layer *l, const plan *p, bonsai_graph *g, uint64_t seed)
{
    uint64_t s = seed + 1;
    int64_t n = g->view.nodes, entries = bonsai_graph_edges(g);
    memset(l, 0, sizeof *l);
    l->p = *p;
    l->n = n;
    l->g = g;
    l->wide = p->k * p->d;
    l->h = p->join ? l->wide : p->d;
    assert_int_equal(bn_messages_make(&l->m, g, p->kind, true, 1), BONSAI_OK);
    l->features = take_random(l, n * p->f, &s);
    l->x = (bn_input){.rows = n, .cols = p->f, .dense = l->features};
    if (p->input == SPARSE_INPUT || p->input == SPARSE_INPUT_ONES)
        make_sparse(l, &s);
    if (p->input == PASSED_INPUT)
        make_passed(l);
    make_params(l, &s);
    l->a = (bn_attention){p->k, p->d, p->join, take_reals(l, n * l->wide), take_reals(l, n * p->k),
                          take_reals(l, n * p->k), take_reals(l, entries * p->k),
                          take_reals(l, n * p->k)};
    l->keep = take_reals(l, n * bn_keep_width(&l->x, l->h));
    l->inner = take_reals(l, n * l->h);
    int64_t room = bn_layer_room(p->kind, &l->m, &l->x, l->wide, p->k);
    int64_t other = p->input == PASSED_INPUT
                    ? bn_layer_room(p->kind, &l->m, &l->passed, l->wide, p->k) : 0;
    l->room = take_reals(l, room > other ? room : other);
    l->y = take_reals(l, n * l->h);
    l->dy = take_random(l, n * l->h, &s);
    l->dx = p->input == DENSE_INPUT ? take_reals(l, n * p->f) : NULL;
}

/* ---- running it ---- */

static inline void run_forward(layer *l, int threads)
{
    const bn_at at = {&l->m, l->n, l->p.f, l->h, l->room, threads};
    bool passed = l->p.input == PASSED_INPUT;
    const bn_input *x = passed ? &l->passed : &l->x;
    real **p = l->param;
    switch (l->p.kind) {
    case BONSAI_MODEL_GCN:
        bn_gcn_forward(&at, l->y, l->keep, x, passed, p[BN_W], p[BN_B]);
        break;
    case BONSAI_MODEL_GIN:
        bn_gin_forward(&at, l->y, l->keep, l->inner, x, passed, p[BN_W], p[BN_B], p[BN_W2],
                       p[BN_B2]);
        break;
    case BONSAI_MODEL_SAGE:
        bn_sage_forward(&at, l->y, l->keep, &l->x, passed ? x : NULL, p[BN_W], p[BN_B], p[BN_W2]);
        break;
    default:
        bn_gat_forward(&at, &l->a, l->y, x, p[BN_W], p[BN_B], p[BN_ATT_SRC], p[BN_ATT_DST]);
    }
}

/* Gradients start at 1, which is subtracted afterwards: backward must add. */
static inline void run_backward(layer *l, int threads)
{
    const bn_at at = {&l->m, l->n, l->p.f, l->h, l->room, threads};
    bool passed = l->p.input == PASSED_INPUT;
    const bn_input *x = passed ? &l->passed : &l->x;
    real **p = l->param, **d = l->grad;
    for (int i = 0; i < 4; i++)
        for (int64_t j = 0; j < l->size[i]; j++)
            d[i][j] = 1;
    switch (l->p.kind) {
    case BONSAI_MODEL_GCN:
        bn_gcn_backward(&at, l->dx, d[BN_W], d[BN_B], l->dy, l->keep, x, passed, p[BN_W]);
        break;
    case BONSAI_MODEL_GIN:
        bn_gin_backward(&at, l->dx, d[BN_W], d[BN_B], d[BN_W2], d[BN_B2], l->dy, l->keep, l->inner,
                        x, passed, p[BN_W], p[BN_W2]);
        break;
    case BONSAI_MODEL_SAGE:
        bn_sage_backward(&at, l->dx, d[BN_W], d[BN_B], d[BN_W2], l->dy, l->keep, &l->x,
                         passed ? x : NULL, p[BN_W], p[BN_W2]);
        break;
    default:
        bn_gat_backward(&at, &l->a, l->dx, d[BN_W], d[BN_B], d[BN_ATT_SRC], d[BN_ATT_DST], l->dy,
                        x, p[BN_W], p[BN_ATT_SRC], p[BN_ATT_DST]);
    }
    for (int i = 0; i < 4; i++)
        for (int64_t j = 0; j < l->size[i]; j++)
            d[i][j] -= 1;
}

/* ---- what it should give ---- */

/* s (n,n): the weight of node j in node i, entry by entry; for attention: how often it occurs. */
static inline void oracle_sum(double *s, const layer *l)
{
    int64_t n = l->n;
    const float *weight = l->g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    bool gcn = l->p.kind == BONSAI_MODEL_GCN;
    double *loop = malloc((size_t)n * sizeof *loop), *degree = calloc((size_t)n, sizeof *degree);
    memset(s, 0, (size_t)(n * n) * sizeof *s);
    for (int64_t i = 0; i < n; i++)
        loop[i] = 1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t e = bn_row_begin(l->g, j); e < bn_row_begin(l->g, j + 1); e++) {
            int64_t i = bn_neighbors(l->g)[e];
            double w = gcn && weight ? (double)weight[e] : 1;
            if (i == j && gcn)
                loop[i] = w;
            else if (i != j || l->p.kind != BONSAI_MODEL_GAT)
                s[i * n + j] += w;
        }
    for (int64_t i = 0; i < n; i++) {
        if (l->p.kind != BONSAI_MODEL_SAGE)
            s[i * n + i] += gcn ? loop[i] : 1;
        for (int64_t j = 0; j < n; j++)
            degree[i] += s[i * n + j];
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (gcn)
                s[i * n + j] /= sqrt(degree[i] * degree[j]);
            else if (l->p.kind == BONSAI_MODEL_SAGE && degree[i] > 0)
                s[i * n + j] /= degree[i];
    free(loop);
    free(degree);
}

/* y (n,h) += a (n,m) b (m,h) */
static inline void oracle_product(double *y, const double *a, const double *b, int64_t n,
                                  int64_t m, int64_t h)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < h; j++)
            for (int64_t q = 0; q < m; q++)
                y[i * h + j] += a[i * m + q] * b[q * h + j];
}

static inline double *doubles(const real *x, int64_t count)
{
    double *y = calloc((size_t)count + 1, sizeof *y);
    for (int64_t i = 0; x && i < count; i++)
        y[i] = (double)x[i];
    return y;
}

/* Computes the attention of head t in s. */
static inline void oracle_attend(double *s, const double *z, const layer *l, int t)
{
    int64_t n = l->n, d = l->p.d, wide = l->wide;
    const real *by_src = l->param[BN_ATT_SRC] + t * d, *by_dst = l->param[BN_ATT_DST] + t * d;
    for (int64_t i = 0; i < n; i++) {
        double total = 0;
        for (int64_t j = 0; j < n; j++) {
            double score = 0;
            for (int64_t c = 0; c < d; c++)
                score += (double)by_src[c] * z[j * wide + t * d + c]
                         + (double)by_dst[c] * z[i * wide + t * d + c];
            s[i * n + j] *= exp(score > 0 ? score : 0.2 * score);
            total += s[i * n + j];
        }
        for (int64_t j = 0; j < n; j++)
            s[i * n + j] /= total;
    }
}

static inline void oracle_heads(double *y, const layer *l, const double *x, const double *w)
{
    int64_t n = l->n, d = l->p.d, wide = l->wide, h = l->h;
    double *z = doubles(NULL, n * wide), *s = malloc((size_t)(n * n) * sizeof *s);
    oracle_product(z, x, w, n, l->p.f, wide);
    for (int t = 0; t < l->p.k; t++) {
        oracle_sum(s, l);
        oracle_attend(s, z, l, t);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t c = 0; c < d; c++)
                    y[i * h + (l->p.join ? t * d : 0) + c] +=
                        s[i * n + j] * z[j * wide + t * d + c] / (l->p.join ? 1 : l->p.k);
    }
    free(z);
    free(s);
}

static inline void oracle_bias(double *y, const real *b, int64_t n, int64_t h)
{
    for (int64_t i = 0; i < n * h; i++)
        y[i] += (double)b[i % h];
}

/* The layer's output; free() it. */
static inline double *oracle_layer(const layer *l)
{
    int64_t n = l->n, f = l->p.f, h = l->h;
    double *x = doubles(l->features, n * f), *w = doubles(l->param[BN_W], f * l->wide);
    double *w2 = doubles(l->param[BN_W2], l->size[BN_W2]), *y = doubles(NULL, n * h);
    double *s = malloc((size_t)(n * n + 1) * sizeof *s), *sum = doubles(NULL, n * f);
    if (l->p.kind == BONSAI_MODEL_GAT) {
        oracle_heads(y, l, x, w);
    } else {
        oracle_sum(s, l);
        oracle_product(sum, s, x, n, n, f);
        oracle_product(y, sum, w, n, f, h);
    }
    oracle_bias(y, l->param[BN_B], n, h);
    if (l->p.kind == BONSAI_MODEL_SAGE)
        oracle_product(y, x, w2, n, f, h);
    if (l->p.kind == BONSAI_MODEL_GIN && l->p.gin_layers == 2) {
        double *inner = y;
        for (int64_t i = 0; i < n * h; i++)
            inner[i] = inner[i] > 0 ? inner[i] : 0;
        y = doubles(NULL, n * h);
        oracle_product(y, inner, w2, n, h, h);
        oracle_bias(y, l->param[BN_B2], n, h);
        free(inner);
    }
    free(x);
    free(w);
    free(w2);
    free(s);
    free(sum);
    return y;
}

static inline void equals_the_definition(const layer *l, double tolerance)
{
    double *wanted = oracle_layer(l);
    for (int64_t i = 0; i < l->n * l->h; i++)
        if (!(fabs((double)l->y[i] - wanted[i]) <= tolerance * (1 + fabs(wanted[i]))))
            fail_msg("output %lld of kind %d is %.17g, not %.17g", (long long)i, l->p.kind,
                     (double)l->y[i], wanted[i]);
    free(wanted);
}

/* ---- the kinds and graphs to test ---- */

enum { VARIANTS = 9, GRAPHS = 6 };

/* Layer variant i, with fewer or more inputs f than outputs. */
static inline plan variant(int i, bool narrow, input_kind input)
{
    static const plan all[VARIANTS] = {
        {BONSAI_MODEL_GCN, 1, 1, true, 0, 0, 0},  {BONSAI_MODEL_GIN, 1, 1, true, 0, 0, 0},
        {BONSAI_MODEL_GIN, 2, 1, true, 0, 0, 0},  {BONSAI_MODEL_SAGE, 1, 1, true, 0, 0, 0},
        {BONSAI_MODEL_GAT, 1, 1, true, 0, 0, 0},  {BONSAI_MODEL_GAT, 1, 1, false, 0, 0, 0},
        {BONSAI_MODEL_GAT, 1, 3, true, 0, 0, 0},  {BONSAI_MODEL_GAT, 1, 3, false, 0, 0, 0},
        {BONSAI_MODEL_GAT, 1, 2, true, 0, 0, 0},
    };
    plan p = all[i];
    p.f = narrow ? 3 : 11;
    p.d = p.k > 1 ? 4 : 7;
    p.input = input;
    return p;
}

static const int graph_kinds[GRAPHS] = {
    0, WITH_WEIGHTS, DIRECTED | WITH_WEIGHTS, WITH_LOOPS | WITH_WEIGHTS,
    WITH_LOOPS | WITH_REPEATED, DIRECTED | WITH_LOOPS | WITH_REPEATED | WITH_WEIGHTS,
};

#endif
