/* test_linear.c -- the linear model compared with elimination in doubles, and its accuracy on
 * generated graphs.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

enum { COLS = 48, SIDES = 8 };

/* ---- oracle ---- */

/* Solves a w = b for a (n,n), b (n,k) in place, with pivots; w is left in b. */
static void eliminate(double *a, double *b, int n, int k)
{
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p; i < n; i++)
            best = fabs(a[i * n + p]) > fabs(a[best * n + p]) ? i : best;
        for (int j = 0; j < n; j++) {
            double t = a[p * n + j];
            a[p * n + j] = a[best * n + j];
            a[best * n + j] = t;
        }
        for (int j = 0; j < k; j++) {
            double t = b[p * k + j];
            b[p * k + j] = b[best * k + j];
            b[best * k + j] = t;
        }
        for (int i = 0; i < n; i++) {
            double share = i == p ? 0 : a[i * n + p] / a[p * n + p];
            for (int j = 0; j < n; j++)
                a[i * n + j] -= share * a[p * n + j];
            for (int j = 0; j < k; j++)
                b[i * k + j] -= share * b[p * k + j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            b[i * k + j] /= a[i * n + i];
}

/* w (cols,k) = (x'x + lambda)^-1 x'y */
static void oracle_ridge(double *w, const double *x, const double *y, int rows, int cols, int k,
                         double lambda)
{
    double *a = calloc((size_t)(cols * cols), sizeof *a);
    memset(w, 0, (size_t)(cols * k) * sizeof *w);
    for (int i = 0; i < rows; i++)
        for (int p = 0; p < cols; p++) {
            for (int q = 0; q < cols; q++)
                a[p * cols + q] += x[i * cols + p] * x[i * cols + q];
            for (int j = 0; j < k; j++)
                w[p * k + j] += x[i * cols + p] * y[i * k + j];
        }
    for (int p = 0; p < cols; p++)
        a[p * cols + p] += lambda;
    eliminate(a, w, cols, k);
    free(a);
}

/* x (n,f) averaged once, by the definition. */
static void oracle_average(double *out, const double *x, const bonsai_graph *g, int f)
{
    const bonsai_view *v = bonsai_graph_view(g);
    const uint64_t *offsets = v->section[BONSAI_SECTION_OFFSETS].data;
    const uint32_t *to = v->section[BONSAI_SECTION_NEIGHBORS].data;
    const float *weight = v->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    for (int64_t u = 0; u < v->nodes; u++)
        for (int j = 0; j < f; j++) {
            double sum = 0, total = 0;
            for (uint64_t e = offsets[u]; e < offsets[u + 1]; e++) {
                double w = weight ? (double)weight[e] : 1;
                sum += w * x[to[e] * f + j];
                total += w;
            }
            double own = x[u * f + j];
            out[u * f + j] = total > 0 ? (own + sum / total) / 2 : own;
        }
}

/* Rows of length 1 and a constant. */
static void oracle_rows(double *out, const double *x, int64_t n, int f)
{
    for (int64_t v = 0; v < n; v++) {
        double sum = 0;
        for (int j = 0; j < f; j++)
            sum += x[v * f + j] * x[v * f + j];
        for (int j = 0; j < f; j++)
            out[v * (f + 1) + j] = sum > 0 ? x[v * f + j] / sqrt(sum) : 0;
        out[v * (f + 1) + f] = 1;
    }
}

static double oracle_accuracy(const double *x, const bonsai_graph *g, int f)
{
    int64_t n = bonsai_graph_nodes(g);
    int c = (int)bonsai_graph_classes(g), train = 0, test = 0, right = 0, cols = f + 1;
    const uint8_t *part = bonsai_graph_view(g)->section[BONSAI_SECTION_SPLIT].data;
    double *rows = calloc((size_t)(n * cols), sizeof *rows), *fit = calloc((size_t)(n * cols), 8);
    double *y = calloc((size_t)(n * c), sizeof *y), *w = calloc((size_t)(cols * c), sizeof *w);
    double mean[16] = {0};
    oracle_rows(rows, x, n, f);
    for (int64_t v = 0; v < n; v++)
        if (part[v] == BONSAI_PART_TRAIN) {
            memcpy(fit + train * cols, rows + v * cols, (size_t)cols * sizeof *fit);
            for (int j = 0; j < c; j++) {
                y[train * c + j] = bonsai_graph_label(g, v) == j ? 1 : -1;
                mean[j] += y[train * c + j];
            }
            train++;
        }
    for (int i = 0; i < train * c; i++)
        y[i] -= mean[i % c] / train;
    oracle_ridge(w, fit, y, train, cols, c, 1);
    for (int64_t v = 0; v < n; v++) {
        double best = -INFINITY;
        int guess = 0;
        for (int j = 0; j < c && part[v] == BONSAI_PART_TEST; j++) {
            double score = mean[j] / train;
            for (int p = 0; p < cols; p++)
                score += rows[v * cols + p] * w[p * c + j];
            guess = score > best ? j : guess;
            best = score > best ? score : best;
        }
        test += part[v] == BONSAI_PART_TEST;
        right += part[v] == BONSAI_PART_TEST && guess == bonsai_graph_label(g, v);
    }
    free(rows);
    free(fit);
    free(y);
    free(w);
    return 100.0 * right / test;
}

/* ---- helpers ---- */

static bonsai_graph *make(int64_t nodes, int64_t features, double words, uint64_t seed)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = features;
    o.words = words;
    o.classes = 4;
    o.seed = seed;
    o.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static bonsai_linear measure(const bonsai_graph *g, int threads)
{
    bonsai_linear l;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    bonsai_linear_init(&l);
    o.threads = threads;
    if (bonsai_graph_linear(&l, g, 1, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return l;
}

static void assert_same(bonsai_linear a, bonsai_linear b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void assert_near(double got, double wanted, double most)
{
    if (!(fabs(got - wanted) <= most))
        fail_msg("%g is not within %g of %g", got, most, wanted);
}

/* g with its features dense in the given columns of `f`. */
static bonsai_graph *respread(const bonsai_graph *g, int64_t f, int64_t step, bool sparse)
{
    const bonsai_view *old = bonsai_graph_view(g);
    bonsai_view v = *old;
    bonsai_graph *out = NULL;
    int64_t n = v.nodes, nnz = old->section[BONSAI_SECTION_FEATURE_INDICES].count;
    const uint16_t *index = old->section[BONSAI_SECTION_FEATURE_INDICES].data;
    const uint64_t *offsets = old->section[BONSAI_SECTION_FEATURE_OFFSETS].data;
    uint32_t *wide = malloc((size_t)nnz * sizeof *wide);
    float *x = calloc(sparse ? 1 : (size_t)(n * f), sizeof *x);
    for (int64_t e = 0; e < nnz; e++)
        wide[e] = (uint32_t)(index[e] * step);
    for (int64_t u = 0; u < n && !sparse; u++)
        for (uint64_t e = offsets[u]; e < offsets[u + 1]; e++)
            x[u * f + wide[e]] = 1;
    v.features = f;
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){wide, nnz, BONSAI_TYPE_U32};
    if (!sparse) {
        v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
        v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    }
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    free(wide);
    free(x);
    return out;
}

/* ---- ridge ---- */

typedef struct {
    int rows;
    int64_t offsets[65];
    int32_t index[64 * COLS];
    float value[64 * COLS], y[64 * SIDES];
    double dense[64 * COLS];
    bn_matrix x;
} system_of;

static void draw_system(system_of *s, int rows, uint64_t seed)
{
    int64_t nnz = 0;
    bn_rng r = bn_rng_at(seed, 0);
    memset(s, 0, sizeof *s);
    s->rows = rows;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < COLS - 1; j++)          /* the last column stays empty */
            if (bn_rng_below(&r, 3) == 0) {
                s->index[nnz] = j;
                s->value[nnz] = (float)bn_rng_normal(&r);
                s->dense[i * COLS + j] = (double)s->value[nnz++];
            }
        s->offsets[i + 1] = nnz;
    }
    for (int i = 0; i < rows * SIDES; i++)
        s->y[i] = (float)bn_rng_normal(&r);
    s->x = (bn_matrix){rows, COLS, s->offsets, s->index, s->value, NULL};
}

static void ridge_matches_elimination(void **state)
{
    (void)state;
    static system_of s;
    static double y[64 * SIDES], wanted[COLS * SIDES];
    static float w[COLS * SIDES];
    for (uint64_t seed = 0; seed < 40; seed++) {
        int rows = 1 + (int)(seed * 7 % 64), k = 1 + (int)seed % SIDES;
        draw_system(&s, rows, seed);
        for (int i = 0; i < rows * k; i++)
            y[i] = (double)s.y[i];
        oracle_ridge(wanted, s.dense, y, rows, COLS, k, 0.5);
        assert_int_equal(bn_ridge(w, &s.x, s.y, k, &(bn_ridge_how){.lambda = 0.5, .enough = 1e-8, .threads = 2}), BONSAI_OK);
        for (int i = 0; i < COLS * k; i++)
            assert_near((double)w[i], wanted[i], 1e-3);
    }
}

/* Begun at the answer nothing is left to do; begun elsewhere it is found. */
static void ridge_begins_where_it_is_told(void **state)
{
    (void)state;
    static system_of s;
    static float w[COLS * SIDES], again[COLS * SIDES], far[COLS * SIDES];
    draw_system(&s, 50, 3);
    for (int i = 0; i < COLS * SIDES; i++)
        far[i] = (float)(i % 5) - 2;
    bn_ridge_how how = {.lambda = 0.5, .enough = 1e-10, .threads = 1};
    assert_int_equal(bn_ridge(w, &s.x, s.y, SIDES, &how), BONSAI_OK);
    how.start = far;
    assert_int_equal(bn_ridge(again, &s.x, s.y, SIDES, &how), BONSAI_OK);
    for (int i = 0; i < COLS * SIDES; i++)
        assert_near((double)again[i], (double)w[i], 1e-3);
    how.start = w;
    how.steps = 1;
    assert_int_equal(bn_ridge(again, &s.x, s.y, SIDES, &how), BONSAI_OK);
    for (int i = 0; i < COLS * SIDES; i++)
        assert_near((double)again[i], (double)w[i], 1e-3);
}

/* Columns a thousand times as long as others take no more steps. */
static void ridge_bears_columns_of_unlike_lengths(void **state)
{
    (void)state;
    static system_of s;
    static double y[64 * SIDES], wanted[COLS * SIDES];
    static float w[COLS * SIDES];
    draw_system(&s, 60, 9);
    for (int64_t e = 0; e < s.offsets[60]; e++) {
        const float by = s.index[e] % 3 == 0 ? 1000 : s.index[e] % 3 == 1 ? 1 : 30;
        s.value[e] *= by;
    }
    for (int i = 0; i < 60; i++)
        for (int64_t e = s.offsets[i]; e < s.offsets[i + 1]; e++)
            s.dense[i * COLS + s.index[e]] = (double)s.value[e];
    for (int i = 0; i < 60 * SIDES; i++)
        y[i] = (double)s.y[i];
    oracle_ridge(wanted, s.dense, y, 60, COLS, SIDES, 0.5);
    const bn_ridge_how how = {.lambda = 0.5, .enough = 1e-10, .steps = 2 * COLS, .threads = 1};
    assert_int_equal(bn_ridge(w, &s.x, s.y, SIDES, &how), BONSAI_OK);
    for (int i = 0; i < COLS * SIDES; i++)
        assert_near((double)w[i], wanted[i], 1e-3);
}

/* Fills out (rows, COLS) with the product of both, less its mean row. */
static void multiply_and_centre(double *out, const double *a, int rows, int between, const double *b)
{
    for (int i = 0; i < rows * COLS; i++)
        out[i] = 0;
    for (int i = 0; i < rows; i++)
        for (int p = 0; p < between; p++)
            for (int j = 0; j < COLS; j++)
                out[i * COLS + j] += a[i * COLS + p] * b[p * COLS + j];
    for (int j = 0; j < COLS; j++) {
        double mean = 0;
        for (int i = 0; i < rows; i++)
            mean += out[i * COLS + j] / rows;
        for (int i = 0; i < rows; i++)
            out[i * COLS + j] -= mean;
    }
}

/* Rows that are a product of two matrices, less their mean, without the product. */
static void ridge_of_a_product_matches_elimination(void **state)
{
    (void)state;
    enum { ROWS = 50 };
    static system_of a, b;
    static double product[64 * COLS], y[64 * SIDES], wanted[COLS * SIDES], squares[COLS];
    static float w[COLS * SIDES], mean[COLS];
    for (uint64_t seed = 0; seed < 10; seed++) {
        bn_matrix a_turned, b_turned;
        draw_system(&a, ROWS, seed);
        draw_system(&b, COLS, seed + 100);
        multiply_and_centre(product, a.dense, ROWS, COLS, b.dense);
        memset(squares, 0, sizeof squares);
        memset(mean, 0, sizeof mean);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) {
                double sum = 0;
                for (int p = 0; p < COLS; p++)
                    sum += a.dense[i * COLS + p] * b.dense[p * COLS + j];
                mean[j] += (float)(sum / ROWS);
                squares[j] += product[i * COLS + j] * product[i * COLS + j];
            }
        for (int i = 0; i < ROWS * SIDES; i++)
            y[i] = (double)a.y[i];
        oracle_ridge(wanted, product, y, ROWS, COLS, SIDES, 0.5);
        assert_int_equal(bn_matrix_transpose(&a_turned, &a.x), BONSAI_OK);
        assert_int_equal(bn_matrix_transpose(&b_turned, &b.x), BONSAI_OK);
        const bn_chain c = {{{&a.x, &a_turned}, {&b.x, &b_turned}}, 2};
        const bn_ridge_how how = {.lambda = 0.5, .enough = 1e-12, .threads = 2, .mean = mean};
        assert_int_equal(bn_ridge_chain(w, &c, squares, a.y, SIDES, &how), BONSAI_OK);
        for (int i = 0; i < COLS * SIDES; i++)
            assert_near((double)w[i], wanted[i], 2e-3);
        bn_matrix_free(&a_turned);
        bn_matrix_free(&b_turned);
    }
}

typedef struct { int seen, ends; float last; } watch;

static bool watch_step(const float *w, int64_t stride, int step, void *payload)
{
    watch *k = payload;
    assert_true(stride >= SIDES);
    assert_int_equal(step, ++k->seen);
    k->last = w[0];
    return step == k->ends;
}

static void whoever_looks_sees_every_step_and_may_end_it(void **state)
{
    (void)state;
    static system_of s;
    static float w[COLS * SIDES];
    draw_system(&s, 40, 5);
    for (int ends = 1; ends < 6; ends++) {
        watch k = {.ends = ends};
        const bn_ridge_how how = {.lambda = 0.5, .enough = 1e-12, .threads = 1, .look = watch_step,
                                  .payload = &k};
        assert_int_equal(bn_ridge(w, &s.x, s.y, SIDES, &how), BONSAI_OK);
        assert_int_equal(k.seen, ends);
        assert_true(w[0] == k.last);
    }
}

/* ---- the linear model ---- */

/* g with weights that differ widely, equal in both directions; frees g. */
static bonsai_graph *with_weights(bonsai_graph *g)
{
    bonsai_view v = *bonsai_graph_view(g);
    bonsai_graph *out = NULL;
    int64_t m = bonsai_graph_edges(g);
    const uint64_t *offsets = v.section[BONSAI_SECTION_OFFSETS].data;
    const uint32_t *to = v.section[BONSAI_SECTION_NEIGHBORS].data;
    float *weight = malloc((size_t)m * sizeof *weight);
    for (int64_t u = 0; u < v.nodes; u++)
        for (uint64_t e = offsets[u]; e < offsets[u + 1]; e++)
            weight[e] = 0.01f + (float)((u + to[e]) % 7);
    v.section[BONSAI_SECTION_EDGE_WEIGHTS] = (bonsai_array){weight, m, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    bonsai_graph_free(g);
    free(weight);
    return out;
}

static void both_accuracies_match_the_oracle(void **state)
{
    (void)state;
    enum { N = 400, F = 30 };
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bonsai_graph *g = make(N, F, 5, seed);
        if (seed > 3)
            g = with_weights(g);
        bonsai_linear l = measure(g, 1);
        double *x = calloc(N * F, sizeof *x), *one = calloc(N * F, sizeof *x);
        float row[F];
        for (int v = 0; v < N; v++) {
            bonsai_graph_row(row, g, v);
            for (int j = 0; j < F; j++)
                x[v * F + j] = (double)row[j];
        }
        assert_int_equal(l.train, 240);
        assert_int_equal(l.test, 80);
        assert_near(l.features_only, oracle_accuracy(x, g, F), 1.3);    /* one node is 1.25 */
        oracle_average(one, x, g, F);
        oracle_average(x, one, g, F);
        assert_near(l.two_hops, oracle_accuracy(x, g, F), 1.3);
        free(x);
        free(one);
        bonsai_graph_free(g);
    }
}

/* Two nodes' own features say nothing; the heavy edge of each tells its class. */
static void edge_weights_matter(void **state)
{
    (void)state;
    enum { N = 400 };
    int32_t source[2 * N], target[2 * N];
    float weight[2 * N], x[N * 2];
    uint8_t label[N], part[N];
    for (int v = 0; v < N; v++) {       /* v < N/2 asks; the second half answers */
        int ask = v % (N / 2);
        label[v] = (uint8_t)(ask % 2);
        part[v] = v >= N / 2 ? BONSAI_PART_NONE : v % 5 < 3 ? BONSAI_PART_TRAIN : BONSAI_PART_TEST;
        x[2 * v] = v < N / 2 || label[v] ? 1.0f : 0.0f;
        x[2 * v + 1] = v < N / 2 || !label[v] ? 1.0f : 0.0f;
        source[2 * v] = source[2 * v + 1] = ask;
        target[2 * v] = N / 2 + ask;
        target[2 * v + 1] = N / 2 + (ask + 1) % (N / 2);
        weight[2 * v] = 50;
        weight[2 * v + 1] = 0.5f;
    }
    bonsai_view v;
    bonsai_graph *g = NULL;
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = v.classes = 2;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * 2, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, N, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){part, N, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, N, source, target, weight, NULL), BONSAI_OK);
    bonsai_linear l = measure(g, 1);
    assert_true(l.features_only < 60);
    assert_near(l.two_hops, 100, 0);
    bonsai_graph_free(g);
    assert_int_equal(bonsai_graph_build(&g, &v, N, source, target, NULL, NULL), BONSAI_OK);
    l = measure(g, 1);
    assert_true(l.two_hops < 80);
    bonsai_graph_free(g);
}

static void threads_and_encodings_change_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = make(1500, 60, 8, 1), *dense = respread(g, 60, 1, false);
    bonsai_linear l = measure(g, 1);
    assert_same(measure(g, 8), l);
    assert_same(measure(dense, 2), l);
    bonsai_write_options w;
    bonsai_graph *mapped;
    bonsai_write_options_init(&w);
    w.features = BONSAI_ENCODING_U8;
    assert_int_equal(bonsai_graph_save(NULL, g, temp_path("u8.bonsai"), &w), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&mapped, temp_path("u8.bonsai")), BONSAI_OK);
    assert_same(measure(mapped, 2), l);
    bonsai_graph_free(mapped);
    bonsai_graph_free(dense);
    bonsai_graph_free(g);
}

/* So many columns that they run in blocks; the empty ones must not matter. */
static void blocks_of_columns_change_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = make(1200, 60, 8, 1), *wide = respread(g, 60 * 300, 300, true);
    assert_same(measure(wide, 2), measure(g, 2));
    bonsai_graph_free(wide);
    bonsai_graph_free(g);
}

static void a_graph_without_split_is_split_by_the_seed(void **state)
{
    (void)state;
    bonsai_graph *g = make(1000, 60, 8, 1), *bare = NULL;
    bonsai_view v = *bonsai_graph_view(g);
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_int_equal(bonsai_graph_new(&bare, &v, 0), BONSAI_OK);
    bonsai_linear l = measure(bare, 1), again = measure(bare, 2);
    assert_int_equal(l.train, 600);
    assert_int_equal(l.test, 200);
    assert_same(again, l);
    bonsai_graph_free(bare);
    bonsai_graph_free(g);
}

static void large_graphs_are_sampled(void **state)
{
    (void)state;
    bonsai_graph *g = make(52000, 10, 3, 1);
    bonsai_linear l = measure(g, 2);
    assert_int_equal(l.train, 10000);
    assert_int_equal(l.test, 10000);
    assert_true(l.two_hops > l.features_only && l.features_only > l.majority);
    bonsai_graph_free(g);
}

/* ---- accuracy on generated graphs ---- */

static double at_difficulty(double difficulty, int dense, double *majority)
{
    double sum = 0;
    *majority = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        bonsai_generate_options o;
        bonsai_graph *g = NULL;
        bonsai_generate_options_init(&o);
        o.nodes = 1500;
        o.features = dense ? 32 : 200;
        o.dense = dense;
        o.difficulty = difficulty;
        o.seed = seed;
        o.threads = 1;
        assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
        bonsai_linear l = measure(g, 1);
        sum += l.features_only / 3;
        *majority += l.majority / 3;
        bonsai_graph_free(g);
    }
    return sum;
}

static void difficulty_ranges_from_trivial_to_impossible(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        double before = 101, majority = 0;
        for (int i = 0; i <= 4; i++) {
            double now = at_difficulty(i / 4.0, dense, &majority);
            assert_true(now < before - 2 || i == 0);
            if (i == 0)
                assert_true(now > 97);
            before = now;
        }
        assert_near(before, majority, 10);
    }
}

static void the_default_graph_is_like_a_citation_network(void **state)
{
    (void)state;
    bonsai_graph *g = NULL;
    bonsai_stats s;
    bonsai_stats_init(&s);
    assert_int_equal(bonsai_graph_generate(&g, NULL), BONSAI_OK);
    bonsai_linear l = measure(g, 1);
    assert_int_equal(bonsai_graph_stats(&s, NULL, g, NULL), BONSAI_OK);
    assert_near(l.features_only, 74, 4);
    assert_near(l.two_hops, 87, 2);
    assert_near(s.homophily, 0.81, 0.02);
    assert_near(s.power_exponent, 3.4, 0.4);            /* Cora 3.45, CiteSeer 3.75, PubMed 2.97 */
    assert_true(s.degree_max > 80 && s.degree_max < 250);
    assert_int_equal(s.isolated, 0);
    bonsai_graph_free(g);
}

/* ---- refusals ---- */

static void refuse(const bonsai_view *v, const char *text)
{
    bonsai_graph *g = NULL;
    bonsai_linear l;
    bonsai_linear_init(&l);
    assert_int_equal(bonsai_graph_new(&g, v, 0), BONSAI_OK);
    assert_fails(bonsai_graph_linear(&l, g, 1, NULL), BONSAI_E_ARGUMENT, text);
    bonsai_graph_free(g);
}

static void what_cannot_be_measured_is_refused(void **state)
{
    (void)state;
    const bonsai_array none = {NULL, 0, BONSAI_TYPE_NONE};
    bonsai_graph *g = make(50, 10, 3, 1);
    const bonsai_view good = *bonsai_graph_view(g);
    uint8_t one_class[50] = {0}, unknown[50], all_train[50];
    memset(unknown, 255, sizeof unknown);
    memset(all_train, BONSAI_PART_TRAIN, sizeof all_train);

    bonsai_view v = good;
    v.features = 0;
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] = v.section[BONSAI_SECTION_FEATURE_INDICES] = none;
    refuse(&v, "has no features");
    v = good;
    v.section[BONSAI_SECTION_LABELS] = none;
    refuse(&v, "has no labels");
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){unknown, 50, BONSAI_TYPE_U8};
    refuse(&v, "0 labelled training and 0 labelled test nodes");
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){one_class, 50, BONSAI_TYPE_U8};
    refuse(&v, "all training nodes have class 0");
    v = good;
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){all_train, 50, BONSAI_TYPE_U8};
    refuse(&v, "50 labelled training and 0 labelled test nodes");
    bonsai_graph_free(g);
    g = make(300, 10, 3, 1);
    v = *bonsai_graph_view(g);
    v.features = 1 << 24;                       /* of which it has ten */
    refuse(&v, "is too large for the linear model");
    bonsai_graph_free(g);
}

/* Classes that no sampled node has take no room, and change nothing: also where a test node has a
 * class that no training node has. */
static void classes_without_nodes_cost_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = make(250, 10, 5, 1);
    bonsai_view v = *bonsai_graph_view(g);
    uint32_t label[250];
    for (int i = 0; i < 250; i++)
        label[i] = (uint32_t)bn_label(g, i) * 2 + (i % 40 == 7 ? 1 : 0);
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 250, BONSAI_TYPE_U32};
    bonsai_linear few, many;
    for (int k = 0; k < 2; k++) {
        bonsai_graph *other = NULL;
        v.classes = k ? 65000 : 12;
        assert_int_equal(bonsai_graph_new(&other, &v, 0), BONSAI_OK);
        if (k)
            bn_mem_limit(4 << 20);
        *(k ? &many : &few) = measure(other, 1);
        bn_mem_limit(0);
        bonsai_graph_free(other);
    }
    assert_true(few.features_only == many.features_only && few.two_hops == many.two_hops);
    assert_true(few.majority == many.majority);
    bonsai_graph_free(g);
}

static int give_up(const bonsai_progress *p, void *payload)
{
    int64_t *left = payload;
    (void)p;
    return (*left)-- <= 0;
}

static void it_can_be_canceled_at_every_tick(void **state)
{
    (void)state;
    bonsai_graph *g = make(60, 10, 3, 1);
    bonsai_read_options o;
    bonsai_linear l;
    int64_t before = bn_mem_live(), nth = 0, left;
    bonsai_status rc;
    bonsai_read_options_init(&o);
    bonsai_linear_init(&l);
    o.progress = give_up;
    o.payload = &left;
    do {
        left = nth++;
        rc = bonsai_graph_linear(&l, g, 1, &o);
        if (rc != BONSAI_OK)
            assert_fails(rc, BONSAI_E_CANCELED, "canceled during");
        assert_int_equal(bn_mem_live(), before);
    } while (rc != BONSAI_OK);
    assert_true(nth > 8);
    bonsai_graph_free(g);
}

static bonsai_status linear(void *payload)
{
    bonsai_linear l;
    bonsai_linear_init(&l);
    return bonsai_graph_linear(&l, payload, 1, NULL);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    bonsai_graph *g = make(60, 10, 3, 1);
    survives_failed_allocations(linear, g, 40);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_matches_elimination),
        cmocka_unit_test(ridge_begins_where_it_is_told),
        cmocka_unit_test(ridge_bears_columns_of_unlike_lengths),
        cmocka_unit_test(ridge_of_a_product_matches_elimination),
        cmocka_unit_test(whoever_looks_sees_every_step_and_may_end_it),
        cmocka_unit_test(both_accuracies_match_the_oracle),
        cmocka_unit_test(edge_weights_matter),
        cmocka_unit_test(threads_and_encodings_change_nothing),
        cmocka_unit_test(blocks_of_columns_change_nothing),
        cmocka_unit_test(a_graph_without_split_is_split_by_the_seed),
        cmocka_unit_test(large_graphs_are_sampled),
        cmocka_unit_test(difficulty_ranges_from_trivial_to_impossible),
        cmocka_unit_test(the_default_graph_is_like_a_citation_network),
        cmocka_unit_test(what_cannot_be_measured_is_refused),
        cmocka_unit_test(classes_without_nodes_cost_nothing),
        cmocka_unit_test(it_can_be_canceled_at_every_tick),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
