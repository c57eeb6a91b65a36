/* layering.h -- one layer with all its data, and its output by definition.
 *
 * Made of `real`, so that test_layers.c, compiled for double, and test_gat.c share it.  A
 * layer is tried by being in the table; what it should give is defined here once more.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LAYERING_H
#define BN_LAYERING_H

#include <math.h>
#include <stdlib.h>

#include "furnish.h"
#include "random_graph.h"

typedef enum { DENSE_INPUT, SPARSE_INPUT, SPARSE_INPUT_ONES, PASSED_INPUT, INPUTS } input_kind;

typedef struct {
    bonsai_model_kind kind;
    int        gin_layers, k;
    bool       join;
    int64_t    f, d;            /* d: of one head; of the layer for other kinds */
    input_kind input;
    bool       weighted;
} plan;

typedef struct {
    plan     p;
    int64_t  n, h, wide;        /* wide: k d before heads are averaged */
    bonsai_graph *g;
    bn_dims  dims;              /* of a model whose first layer this is */
    bn_operand o;               /* its messages and inputs */
    const bn_layer *l;
    bn_at    at;
    real    *features;          /* n x f, whatever the form of x */
    real    *param[BN_SLOTS], *grad[BN_SLOTS];
    int64_t  size[BN_SLOTS];
    real    *y, *dy, *dx;
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
    bn_messages_free(&l->o.m);
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
    l->o.x = (bn_input){n, f, NULL, offsets, index, ones ? NULL : value, t_offsets, t_index,
                        ones ? NULL : t_value};
}

static inline void make_params(layer *l, uint64_t *s)
{
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    bn_dims_params(table, &count, &total, &l->dims);
    for (int i = 0; i < count && table[i].layer == 0; i++) {
        int slot = table[i].slot;
        l->size[slot] = table[i].rows * table[i].cols;
        l->param[slot] = take_random(l, l->size[slot], s);
        l->grad[slot] = take_reals(l, l->size[slot]);
        l->at.p[slot] = l->param[slot];
        l->at.g[slot] = l->grad[slot];
    }
}

/* Outputs for this input are compared with those for the features themselves. */
static inline void make_passed(layer *l)
{
    real *sum = take_reals(l, l->n * l->p.f);
    bn_pass(sum, &l->o.m.to, &l->o.x, (bn_span){0, l->n, 1});
    l->o.passed = (bn_input){.rows = l->n, .cols = l->p.f, .dense = sum};
}

static inline void keep_block(layer *l, void *block)
{
    assert_true(l->blocks < 64);
    l->block[l->blocks++] = block;
}

/* Takes ownership of g. */
static inline void make_layer(layer *l, const plan *p, bonsai_graph *g, uint64_t seed)
{
    uint64_t s = seed + 1;
    int64_t n = g->view.nodes;
    memset(l, 0, sizeof *l);
    l->p = *p;
    l->n = n;
    l->g = g;
    l->wide = p->k * p->d;
    l->h = p->join ? l->wide : p->d;
    l->l = bn_layers[p->kind];
    l->dims = (bn_dims){p->kind, p->join ? 2 : 1, p->k, p->gin_layers, p->f, l->wide,
                        p->join ? 3 : p->d, p->weighted};
    assert_int_equal(bn_messages_make(&l->o.m, g, bn_dims_norm(&l->dims), true, 1), BONSAI_OK);
    l->features = take_random(l, n * p->f, &s);
    l->o.x = (bn_input){.rows = n, .cols = p->f, .dense = l->features};
    if (p->input == SPARSE_INPUT || p->input == SPARSE_INPUT_ONES)
        make_sparse(l, &s);
    if (p->input == PASSED_INPUT)
        make_passed(l);
    l->at = bn_layer_at(&l->dims, &l->o, 0);
    make_params(l, &s);
    keep_block(l, furnish(&l->at, l->l, n));
    l->y = take_reals(l, n * l->h);
    l->dy = take_random(l, n * l->h, &s);
    l->dx = p->input == DENSE_INPUT ? take_reals(l, n * p->f) : NULL;
}

/* ---- running it ---- */

static inline void run_forward(layer *l, int threads)
{
    l->at.threads = threads;
    bn_layer_forward(l->l, &l->at, l->y);
}

/* Gradients start at 1, which is subtracted afterwards: backward must add. */
static inline void run_backward(layer *l, int threads)
{
    real **d = l->grad;
    l->at.threads = threads;
    for (int i = 0; i < BN_SLOTS; i++)
        for (int64_t j = 0; j < l->size[i]; j++)
            d[i][j] = 1;
    l->l->backward(&l->at, l->dx, l->dy);
    for (int i = 0; i < BN_SLOTS; i++)
        for (int64_t j = 0; j < l->size[i]; j++)
            d[i][j] -= 1;
}

/* The rows of a later layer in blocks: x goes by in blocks, of other sizes than those of y. */
static inline void send_blocks(layer *l, bn_at *at)
{
    enum { ROWS = 4 };
    bn_space space = {0};
    l->l->space(&space, at);
    for (int64_t first = 0; first < l->n; first += ROWS) {
        int64_t count = l->n - first < ROWS ? l->n - first : ROWS;
        bn_at one = *at;
        one.x = (bn_input){.rows = count, .cols = l->p.f, .dense = l->features + first * l->p.f};
        for (int i = 0; i < BN_SENT; i++)
            one.sent[i] += first * space.sent[i];
        l->l->send(&one);
    }
    at->x = (bn_input){.rows = l->n, .cols = l->p.f};   /* it is not there any more */
}

/* y (n,h) in blocks, as the first layer of a network or as a later one. */
static inline void run_blocks(layer *l, real *y, bn_way way)
{
    enum { ROWS = 5 };
    bn_at at = bn_layer_at(&l->dims, &l->o, 0);
    at.way = way;
    at.threads = 2;
    memcpy(at.p, l->at.p, sizeof at.p);
    if (way == BN_LATER_IN_BLOCKS)
        at.passed = NULL;
    void *block = furnish(&at, l->l, ROWS);
    if (way == BN_LATER_IN_BLOCKS)
        send_blocks(l, &at);
    else
        l->l->send(&at);
    for (int64_t first = 0; first < l->n; first += ROWS) {
        int64_t count = l->n - first < ROWS ? l->n - first : ROWS;
        l->l->rows(&at, y + first * l->h, (bn_span){first, count, 2});
    }
    free(block);
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
            double w = (gcn || l->p.weighted) && weight ? (double)weight[e] : 1;
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
    if (l->p.kind > BONSAI_MODEL_SAGE)
        fail_msg("layer %s has no definition here", l->l->name);
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

enum { MOST_VARIANTS = 8 * BONSAI_MODEL_COUNT, GRAPHS = 6 };

static inline bool is_deep(bonsai_model_kind kind)
{
    const bn_dims one = {kind, 1, 1, 1, 1, 1, 1, false}, two = {kind, 1, 1, 2, 1, 1, 1, false};
    return bn_layers[kind]->slots(&one) != bn_layers[kind]->slots(&two);
}

/* Every row of the table of layers, with its heads, inner layers and weights; returns how many. */
static inline int list_variants(plan *all)
{
    static const struct { int k; bool join; } heads[] = {
        {1, true}, {1, false}, {3, true}, {3, false}, {2, true},
    };
    int count = 0;
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++)
        for (int deep = 1; deep <= (is_deep((bonsai_model_kind)kind) ? 2 : 1); deep++)
            for (int i = 0; i < (bn_layers[kind]->heads ? 5 : 1); i++)
                for (int w = 0; w <= (bn_layers[kind]->weighted != bn_layers[kind]->norm); w++)
                    all[count++] = (plan){(bonsai_model_kind)kind, deep, heads[i].k, heads[i].join,
                                          0, 0, DENSE_INPUT, w != 0};
    assert_true(count <= MOST_VARIANTS);
    return count;
}

/* Layer variant i, with fewer or more inputs f than outputs. */
static inline plan variant(int i, bool narrow, input_kind input)
{
    plan all[MOST_VARIANTS];
    list_variants(all);
    plan p = all[i];
    p.f = narrow ? 3 : 11;
    p.d = p.k > 1 ? 4 : 7;
    p.input = input;
    return p;
}

static inline int variants(void)
{
    plan all[MOST_VARIANTS];
    return list_variants(all);
}

/* The first variant of attention with several heads. */
static inline int with_heads(void)
{
    int i = 0;
    while (variant(i, true, DENSE_INPUT).k < 3)
        i++;
    return i;
}

/* Layers that weigh their entries themselves have no sum to be known. */
static inline bool takes(const plan *p, input_kind input)
{
    return input != PASSED_INPUT || bn_layers[p->kind]->norm != BN_NORM_NONE;
}

static const int graph_kinds[GRAPHS] = {
    0, WITH_WEIGHTS, DIRECTED | WITH_WEIGHTS, WITH_LOOPS | WITH_WEIGHTS,
    WITH_LOOPS | WITH_REPEATED, DIRECTED | WITH_LOOPS | WITH_REPEATED | WITH_WEIGHTS,
};

#endif
