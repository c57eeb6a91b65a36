/* test_predict.c -- predictions: which columns a model takes, and what it says of them.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "modelling.h"

#include <math.h>

enum { N = 40, F = 5, C = 3, H = 6 };

static bonsai_train_options options(int threads, int64_t memory)
{
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    o.threads = threads;
    o.memory = memory;
    return o;
}

/* A graph of dense features x (n,f), which are the test's to look at. */
static bonsai_graph *graph_of(const float *x, int64_t n, int64_t f, const uint32_t *kept,
                              const float *mean, const float *spread, uint64_t seed)
{
    int32_t source[3 * N], target[3 * N];
    bonsai_view v;
    bonsai_graph *g;
    for (int64_t e = 0; e < 2 * n; e++) {
        source[e] = random_below(&seed, (int)n);
        target[e] = random_below(&seed, (int)n);
    }
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = f;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    if (kept)
        v.section[BONSAI_SECTION_KEPT_FEATURES] = (bonsai_array){kept, f, BONSAI_TYPE_U32};
    if (mean) {
        v.section[BONSAI_SECTION_FEATURE_MEAN] = (bonsai_array){mean, f, BONSAI_TYPE_F32};
        v.section[BONSAI_SECTION_FEATURE_SPREAD] = (bonsai_array){spread, f, BONSAI_TYPE_F32};
    }
    if (bonsai_graph_build(&g, &v, 2 * n, source, target, NULL, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static bonsai_graph *random_features_graph(int64_t f)
{
    static float x[N * 64];
    uint64_t seed = 8;
    for (int64_t i = 0; i < N * f; i++)
        x[i] = random_real(&seed);
    return graph_of(x, N, f, NULL, NULL, NULL, 4);
}

/* ---- an oracle: a GCN written out over the whole matrix ---- */

/* D^-1/2 (A + I) D^-1/2, s (n,n) */
static void oracle_matrix(double *s, const bonsai_graph *g)
{
    int64_t n = g->view.nodes;
    double degree[N];
    memset(s, 0, (size_t)(n * n) * sizeof *s);
    for (int64_t i = 0; i < n; i++) {
        s[i * n + i] = 1;
        for (int64_t e = bn_row_begin(g, i); e < bn_row_begin(g, i + 1); e++)
            s[i * n + bn_neighbors(g)[e]] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
        degree[i] = 0;
        for (int64_t j = 0; j < n; j++)
            degree[i] += s[i * n + j];
    }
    for (int64_t i = 0; i < n * n; i++)
        s[i] /= sqrt(degree[i / n] * degree[i % n]);
}

/* y (n,h) = s x w + b */
static void oracle_layer(double *y, const double *s, const double *x, const float *w,
                         const float *b, int64_t n, int64_t f, int64_t h)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < h; k++) {
            double sum = b[k];
            for (int64_t j = 0; j < n; j++)
                for (int64_t q = 0; q < f; q++)
                    sum += s[i * n + j] * x[j * f + q] * (double)w[q * h + k];
            y[i * h + k] = sum;
        }
}

/* The probabilities (n,C) of a GCN of two layers, from the graph's own rows. */
static void oracle_gcn(double *p, const bonsai_model *m, const bonsai_graph *g)
{
    static double s[N * N], x[N * F], y[N * H];
    float row[64];
    const float *w = m->param, *b = w + F * H, *w2 = b + H, *b2 = w2 + H * C;
    int64_t n = g->view.nodes;
    for (int64_t i = 0; i < n; i++) {
        bonsai_graph_row(row, g, i);
        for (int q = 0; q < F; q++) {
            double v = (double)row[m->kept ? m->kept[q] : q];
            x[i * F + q] = m->mean ? (v - (double)m->mean[q]) / (double)m->spread[q] : v;
        }
    }
    oracle_matrix(s, g);
    oracle_layer(y, s, x, w, b, n, F, H);
    for (int64_t i = 0; i < n * H; i++)
        y[i] = y[i] > 0 ? y[i] : 0;
    oracle_layer(p, s, y, w2, b2, n, H, C);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < C; k++)
            sum += exp(p[i * C + k]);
        for (int k = 0; k < C; k++)
            p[i * C + k] = exp(p[i * C + k]) / sum;
    }
}

static void probabilities_are_those_of_the_formula(void **state)
{
    (void)state;
    for (int with = 0; with < 4; with++) {
        bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 2, 1, 1, F, H, C, false}, with, 11);
        bonsai_graph *g = random_features_graph(m->info.features);
        double wanted[N * C];
        float got[N * C];
        int32_t classes[N];
        oracle_gcn(wanted, m, g);
        for (int small = 0; small < 2; small++) {
            const bonsai_train_options o = options(1, small);
            assert_int_equal(bonsai_predict(classes, got, m, g, &o), BONSAI_OK);
            for (int i = 0; i < N * C; i++)
                assert_true(fabs((double)got[i] - wanted[i]) < 1e-5);
            for (int i = 0; i < N; i++)
                for (int k = 0; k < C; k++)
                    assert_true(wanted[i * C + classes[i]] >= wanted[i * C + k] - 1e-5);
        }
        assert_int_equal(bonsai_predict(classes, NULL, m, g, NULL), BONSAI_OK);
        bonsai_graph_free(g);
        bonsai_model_free(m);
    }
}

static void threads_change_no_bit_and_memory_next_to_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * BONSAI_MODEL_COUNT; k++) {
        const bn_dims s = {k % BONSAI_MODEL_COUNT, 2 + k / BONSAI_MODEL_COUNT, 2, 2, F, H, C,
                           false};
        bonsai_model *m = a_model(s, k % 4, 3);
        bonsai_graph *g = random_features_graph(m->info.features);
        float one[N * C], eight[N * C], blocks[N * C];
        int32_t a[N], b[N];
        bonsai_train_options o = options(1, 0);
        assert_int_equal(bonsai_predict(a, one, m, g, &o), BONSAI_OK);
        o = options(8, 0);
        assert_int_equal(bonsai_predict(b, eight, m, g, &o), BONSAI_OK);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_equal(one, eight, sizeof one);
        o = options(2, 1);
        assert_int_equal(bonsai_predict(b, blocks, m, g, &o), BONSAI_OK);
        for (int i = 0; i < N * C; i++)
            assert_true(fabsf(one[i] - blocks[i]) < 1e-4f);
        bonsai_graph_free(g);
        bonsai_model_free(m);
    }
}

static void a_saved_model_predicts_the_same(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_SAGE, 2, 1, 1, F, H, C, false},
                              WITH_EVERY, 3), *back;
    bonsai_graph *g = random_features_graph(m->info.features);
    float p[N * C], q[N * C];
    int32_t a[N], b[N];
    save_model(m, temp_path("same.bonsai"));
    back = load_model(temp_path("same.bonsai"));
    assert_int_equal(bonsai_predict(a, p, m, g, NULL), BONSAI_OK);
    assert_int_equal(bonsai_predict(b, q, back, g, NULL), BONSAI_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(p, q, sizeof p);
    bonsai_graph_free(g);
    bonsai_model_free(back);
    bonsai_model_free(m);
}

/* The same parameters, with and without edge weights, on a graph that has some and on one that
 * has none. */
static void a_model_that_was_trained_with_weights_predicts_with_them(void **state)
{
    (void)state;
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++)
        for (int with = 0; with <= WITH_WEIGHTS; with += WITH_WEIGHTS) {
            const bool knows = kind == BONSAI_MODEL_GIN || kind == BONSAI_MODEL_SAGE;
            bonsai_graph *g = random_graph(4, N, 3 * N, DENSE_F32, with);
            bn_dims dims = {kind, 2, 2, 1, g->view.features, H, C, false};
            bonsai_model *m = a_model(dims, 0, 3), *back;
            float p[N * C], q[N * C];
            int32_t a[N];
            assert_int_equal(bonsai_predict(a, p, m, g, NULL), BONSAI_OK);
            dims.weighted = true;
            bonsai_model *weighted = a_model(dims, 0, 3);
            save_model(weighted, temp_path("weighted.bonsai"));
            back = load_model(temp_path("weighted.bonsai"));
            assert_int_equal(back->info.weighted, 1);
            assert_int_equal(bonsai_predict(a, q, back, g, NULL), BONSAI_OK);
            assert_int_equal(memcmp(p, q, sizeof p) != 0, knows && with);
            bonsai_graph_free(g);
            bonsai_model_free(m);
            bonsai_model_free(back);
            bonsai_model_free(weighted);
        }
}

static void equal_scores_go_to_the_lower_class(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 1, 1, 1, F, H, 4, false}, 0, 3);
    bonsai_graph *g = random_features_graph(F);
    int32_t classes[N];
    memset(m->param, 0, (size_t)m->count * sizeof *m->param);
    float *bias = m->param + F * 4;
    bias[1] = bias[3] = 2;
    bias[0] = -1;
    assert_int_equal(bonsai_predict(classes, NULL, m, g, NULL), BONSAI_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(classes[i], 1);
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

static void a_graph_without_nodes_has_no_classes(void **state)
{
    (void)state;
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++)
        for (int memory = 0; memory < 2; memory++) {
            bonsai_model *m = a_model((bn_dims){kind, 2, 2, 1, F, H, C, false}, WITH_MEAN, 3);
            float none = 0;
            int32_t classes[1] = {7};
            const bonsai_train_options o = options(1, memory);
            bonsai_graph *g = graph_of(&none, 0, F, NULL, NULL, NULL, 1);
            assert_int_equal(bonsai_predict(classes, &none, m, g, &o), BONSAI_OK);
            assert_int_equal(classes[0], 7);
            bonsai_graph_free(g);
            bonsai_model_free(m);
        }
}

/* A trained model, saved and loaded, is as right as its training said. */
static void a_prediction_is_as_right_as_training_said(void **state)
{
    (void)state;
    enum { NODES = 300 };
    bonsai_generate_options make;
    bonsai_graph *g;
    bonsai_training *t;
    bonsai_model *m;
    int32_t classes[NODES];
    bonsai_generate_options_init(&make);
    make.nodes = NODES;
    make.features = 40;
    make.classes = 4;
    make.words = 6;
    make.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &make), BONSAI_OK);
    for (int k = 0; k < 2 * BONSAI_MODEL_COUNT; k++) {
        bonsai_train_options o = options(1, 0);
        int64_t right = 0, test = 0;
        o.model = k % BONSAI_MODEL_COUNT;
        o.standardise = k / BONSAI_MODEL_COUNT;
        o.epochs = 12;
        o.every = 5;
        o.seeds = 2;
        o.hidden = 8;
        if (bonsai_train(&t, g, NULL, &o) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        save_model(bonsai_training_model(t), temp_path("trained.bonsai"));
        bonsai_training_free(t);
        m = load_model(temp_path("trained.bonsai"));
        assert_int_equal(bonsai_predict(classes, NULL, m, g, &o), BONSAI_OK);
        for (int64_t v = 0; v < NODES; v++)
            if (bn_part(g, v) == BONSAI_PART_TEST) {
                test++;
                right += classes[v] == bonsai_graph_label(g, v);
            }
        assert_true(fabs(100.0 * (double)right / (double)test -
                         bonsai_model_facts(m)->accuracy) < 1e-9);
        bonsai_model_free(m);
    }
    bonsai_graph_free(g);
}

/* ---- scales ---- */

static bonsai_graph *scaled_graph(float by)
{
    enum { MANY = 12 };
    float x[MANY * 2];
    for (int i = 0; i < MANY; i++) {
        x[2 * i] = by * (float)(i % 5);
        x[2 * i + 1] = (float)(i % 3);
    }
    return dense_graph(x, MANY, 2);
}

/* Columns of mean 2 and 1, times and plus something in the second; mostly zeros in the third. */
static bonsai_graph *unit_graph(int nodes, float by, float plus)
{
    float x[3 * 200];
    for (int i = 0; i < nodes; i++) {
        x[3 * i] = (float)(i % 5);
        x[3 * i + 1] = by * (float)(i % 3) + plus;
        x[3 * i + 2] = i == 4 ? 100 * by : 0;
    }
    return dense_graph(x, nodes, 3);
}

static void a_column_in_another_unit_is_told(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 1, 1, 1, 3, H, C, false}, 0, 2);
    bonsai_graph *g = unit_graph(200, 1, 0);
    assert_int_equal(bn_model_scales(m, g), BONSAI_OK);
    const struct { int nodes; float by, plus; int far; } cases[] = {
        {200, 1, 0, 0}, {200, 9, 0, 0}, {200, 12, 0, 1}, {200, 1 / 12.0f, 0, 1}, {30, 12, -11, 0},
        {30, 40, 0, 1}, {200, 1, 273, 1}, {200, 1, 5, 0}, {9, 1000, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t columns, column;
        double was[2], is[2];
        bonsai_graph *other = unit_graph(cases[i].nodes, cases[i].by, cases[i].plus);
        assert_int_equal(bonsai_model_scale(&columns, &column, was, is, m, other), BONSAI_OK);
        assert_int_equal(columns, cases[i].far);
        assert_int_equal(column, cases[i].far ? 1 : -1);
        assert_true(!cases[i].far || (fabs(was[0] - 0.995) < 1e-3 && fabs(was[1] - 0.816) < 1e-2));
        bonsai_graph_free(other);
    }
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

static void another_scale_is_told(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 1, 1, 1, 2, H, C, false}, 0, 2);
    bonsai_graph *g = scaled_graph(1000), *standard = NULL;
    double was[2], is[2];
    int64_t columns, column;
    assert_int_equal(bn_graph_scale(&m->info.scale, g), BONSAI_OK);
    const double scale = m->info.scale;
    assert_true(scale > 1000 && scale < 2000);
    const struct { float by; int far; } cases[] = {{1000, 0}, {20000, 0}, {1e6f, 1}, {100, 0}, {1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bonsai_graph *other = scaled_graph(cases[i].by);
        assert_int_equal(bonsai_model_scale(&columns, &column, was, is, m, other), BONSAI_OK);
        assert_int_equal(columns, cases[i].far);
        assert_int_equal(column, -1);
        assert_true(was[1] == (cases[i].far ? scale : 0));
        bonsai_graph_free(other);
    }
    assert_int_equal(bonsai_graph_standardise(&standard, g, NULL), BONSAI_OK);  /* as it was before */
    assert_int_equal(bonsai_model_scale(&columns, &column, was, is, m, standard), BONSAI_OK);
    assert_int_equal(columns, 0);
    bonsai_graph *few = dense_graph((const float[]){1, 2, 3, 4}, 2, 2);
    assert_int_equal(bonsai_model_scale(&columns, &column, was, is, m, few), BONSAI_OK);
    assert_int_equal(columns, 0);
    assert_fails(bonsai_model_scale(&columns, &column, was, is, m, NULL), BONSAI_E_ARGUMENT,
                 "the graph");
    bonsai_graph_free(few);
    bonsai_graph_free(standard);
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

/* ---- columns ---- */

/* The graph of all features, the graph of those that are kept, and the latter
 * standardised, say the same. */
static void a_graph_that_keeps_the_same_features_is_taken_as_it_is(void **state)
{
    (void)state;
    enum { ALL = 2 * F - 1 };
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 2, 1, 1, F, H, C, false},
                              WITH_KEPT | WITH_MEAN, 9);
    float x[N * ALL], few[N * F], standard[N * F], p[3][N * C];
    int32_t classes[N];
    uint32_t kept[F];
    uint64_t seed = 6;
    for (int i = 0; i < N * ALL; i++)
        x[i] = random_real(&seed);
    for (int i = 0; i < N * F; i++) {
        few[i] = x[i / F * ALL + m->kept[i % F]];
        standard[i] = (few[i] - m->mean[i % F]) / m->spread[i % F];
        kept[i % F] = (uint32_t)m->kept[i % F];
    }
    bonsai_graph *g[] = {graph_of(x, N, ALL, NULL, NULL, NULL, 4),
                         graph_of(few, N, F, kept, NULL, NULL, 4),
                         graph_of(standard, N, F, kept, m->mean, m->spread, 4)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bonsai_predict(classes, p[i], m, g[i], NULL), BONSAI_OK);
        assert_memory_equal(p[0], p[i], sizeof p[0]);
        bonsai_graph_free(g[i]);
    }
    bonsai_model_free(m);
}

static void refuse_graph(int with, int64_t f, const uint32_t *kept, const char *sentence)
{
    static const float x[N * 64];
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 2, 1, 1, F, H, C, false}, with, 9);
    bonsai_graph *g = graph_of(x, N, f, kept, NULL, NULL, 4);
    int32_t classes[N];
    int64_t before = bn_mem_live();
    assert_fails(bonsai_predict(classes, NULL, m, g, NULL), BONSAI_E_ARGUMENT, sentence);
    assert_int_equal(bn_mem_live(), before);
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

static void a_graph_of_other_features_is_refused(void **state)
{
    (void)state;
    static const uint32_t other[] = {0, 2, 4, 6, 7, 9};
    refuse_graph(0, 7, NULL, "the model is for graphs of 5 features, but graph has 7");
    refuse_graph(0, 6, other, "the model is for graphs of 5 features, but graph has 6 "
                              "(kept-feature list 0, 2, 4, 6, ...)");
    refuse_graph(WITH_KEPT, 7, NULL, "the model keeps 5 of 9 features (kept-feature list 0, 2, 4, "
                                     "6, ...), but graph has 7");
    refuse_graph(WITH_KEPT, 5, NULL, "the model keeps 5 of 9 features (kept-feature list 0, 2, 4, "
                                     "6, ...), but graph has 5");
    refuse_graph(WITH_KEPT, 5, other, "but graph has 5 (kept-feature list 0, 2, 4, 6, ...)");
    refuse_graph(WITH_KEPT, 0, NULL, "but graph has 0");
    refuse_graph(WITH_KEPT, 2, other, "but graph has 2 (kept-feature list 0, 2)");
}

static void a_graph_whose_columns_have_other_names_is_refused(void **state)
{
    (void)state;
    static const float x[N * 9];
    static const struct { int with; int64_t f; const char *names, *sentence; } rows[] = {
        {WITH_NAMES, 5, "f\xc3\xa4 0\nf\xc3\xa4 3\nf\xc3\xa4 6\nf\xc3\xa4 9\nf\xc3\xa4 12", NULL},
        {WITH_NAMES, 5, "\n\n\n\n\n", NULL},
        {WITH_NAMES, 5, "f\xc3\xa4 0\nf\xc3\xa4 6\nf\xc3\xa4 3\nf\xc3\xa4 9\nf\xc3\xa4 12",
         "feature 1 is \"f\xc3\xa4 3\" in the model, but \"f\xc3\xa4 6\" in graph, where "
         "\"f\xc3\xa4 3\" is feature 2: put its columns into the order of the model"},
        {WITH_NAMES, 5, "f\xc3\xa4 0\nf\xc3\xa4 3\nf\xc3\xa4 6\nf\xc3\xa4 9\nother",
         "feature 4 is \"f\xc3\xa4 12\" in the model, but \"other\" in graph, which has no feature "
         "\"f\xc3\xa4 12\": give it the columns of the model, in their order"},
        {WITH_NAMES | WITH_KEPT, 9, "f\xc3\xa4 0\n?\nf\xc3\xa4 3\n?\nf\xc3\xa4 6\n?\nf\xc3\xa4 9\n?\n"
         "f\xc3\xa4 12", NULL},
        {WITH_NAMES | WITH_KEPT, 9, "f\xc3\xa4 0\n?\nf\xc3\xa4 3\n?\nf\xc3\xa4 6\n?\n?\n"
         "f\xc3\xa4 9\nf\xc3\xa4 12",
         "feature 6 is \"f\xc3\xa4 9\" in the model, but \"?\" in graph"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 2, 1, 1, F, H, C, false},
                                  rows[i].with, 9);
        bonsai_graph *g = graph_of(x, N, rows[i].f, NULL, NULL, NULL, 4), *named;
        int32_t classes[N];
        assert_int_equal(bonsai_graph_name_features(&named, g, rows[i].names), BONSAI_OK);
        assert_int_equal(bonsai_predict(classes, NULL, m, g, NULL), BONSAI_OK);
        if (rows[i].sentence)
            assert_fails(bonsai_predict(classes, NULL, m, named, NULL), BONSAI_E_ARGUMENT,
                         rows[i].sentence);
        else
            assert_int_equal(bonsai_predict(classes, NULL, m, named, NULL), BONSAI_OK);
        bonsai_graph_free(named);
        bonsai_graph_free(g);
        bonsai_model_free(m);
    }
}

/* ---- classes ---- */

/* The same graph with names of some classes. */
static bonsai_graph *named_graph(const bonsai_graph *g, int64_t classes, const char *names,
                                 int64_t len)
{
    bonsai_graph *out;
    bonsai_view v = *bonsai_graph_view(g);
    v.classes = classes;
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){names, len, BONSAI_TYPE_U8};
    if (bonsai_graph_new(&out, &v, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return out;
}

static void a_model_has_the_names_of_its_classes(void **state)
{
    (void)state;
    bonsai_model *m = small_model(WITH_NAMES), *without = small_model(0);
    assert_string_equal(bonsai_model_class_name(m, 0), "cl\xc3\xa4ss 0");
    assert_string_equal(bonsai_model_class_name(m, 1), "cl\xc3\xa4ss 7");
    assert_null(bonsai_model_class_name(m, 2));
    assert_null(bonsai_model_class_name(m, -1));
    assert_null(bonsai_model_class_name(without, 0));
    bonsai_model_free(without);
    bonsai_model_free(m);
}

static void a_model_has_the_names_of_its_features(void **state)
{
    (void)state;
    const bn_dims d = {BONSAI_MODEL_GCN, 2, 1, 1, F, H, C, false};
    bonsai_model *m = a_model(d, WITH_NAMES, 9), *without = a_model(d, 0, 9);
    bonsai_model *some = a_model(d, WITH_NAMES | WITH_KEPT, 9);
    assert_string_equal(bonsai_model_feature_name(m, 0), "f\xc3\xa4 0");
    assert_string_equal(bonsai_model_feature_name(m, F - 1), "f\xc3\xa4 12");
    assert_null(bonsai_model_feature_name(m, F));
    assert_null(bonsai_model_feature_name(m, -1));
    assert_null(bonsai_model_feature_name(without, 0));
    assert_string_equal(bonsai_model_feature_name(some, 2), "f\xc3\xa4 3");
    assert_null(bonsai_model_feature_name(some, 1));
    assert_string_equal(bonsai_model_feature_name(some, 8), "f\xc3\xa4 12");
    assert_null(bonsai_model_feature_name(some, 9));
    bonsai_model_free(some);
    bonsai_model_free(without);
    bonsai_model_free(m);
}

static void a_graph_in_which_a_number_is_another_class_is_refused(void **state)
{
    (void)state;
    static const char fewer[] = "cl\xc3\xa4ss 0\0cl\xc3\xa4ss 7", other[] = "cl\xc3\xa4ss 0\0blue";
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 2, 1, 1, F, H, C, false}, WITH_NAMES, 9);
    bonsai_graph *g = random_features_graph(F);
    bonsai_graph *same = named_graph(g, 2, fewer, sizeof fewer);
    bonsai_graph *bad = named_graph(g, 2, other, sizeof other);
    int32_t classes[N];
    assert_int_equal(bonsai_predict(classes, NULL, m, g, NULL), BONSAI_OK);
    assert_int_equal(bonsai_predict(classes, NULL, m, same, NULL), BONSAI_OK);
    assert_fails(bonsai_predict(classes, NULL, m, bad, NULL), BONSAI_E_ARGUMENT,
                 "class 1 is \"cl\xc3\xa4ss 7\" in the model, but \"blue\" in graph");
    bonsai_graph_free(bad);
    bonsai_graph_free(same);
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

/* ---- refusals, canceling, memory ---- */

static void scores_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GIN, 2, 1, 1, F, H, C, false}, 0, 3);
    float x[N * F];
    int32_t classes[N];
    for (int i = 0; i < N * F; i++)
        x[i] = i < F ? 3e38f : 0.5f;
    bonsai_graph *g = graph_of(x, N, F, NULL, NULL, NULL, 4);
    assert_fails(bonsai_predict(classes, NULL, m, g, NULL), BONSAI_E_ARGUMENT,
                 "graph: the scores of node 0 are not finite");
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 2, 1, 1, F, H, C, false}, 0, 3);
    bonsai_graph *g = random_features_graph(F);
    int32_t classes[N];
    bonsai_train_options o = options(1, -5);
    assert_fails(bonsai_predict(classes, NULL, m, g, &o), BONSAI_E_ARGUMENT, "memory is -5; it must");
    o = options(-2, 0);
    assert_fails(bonsai_predict(classes, NULL, m, g, &o), BONSAI_E_ARGUMENT, "threads is -2");
    o.size = 0;
    assert_fails(bonsai_predict(classes, NULL, m, g, &o), BONSAI_E_ARGUMENT, "was not initialised");
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

static int cancel(const bonsai_progress *p, void *payload)
{
    int *left = payload;
    assert_string_equal(p->stage, "predicting");
    assert_int_equal(p->total, 3);
    left[1]++;
    return --left[0] < 0;
}

static void it_can_be_canceled_at_every_tick(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GAT, 2, 2, 1, F, H, C, false}, WITH_EVERY, 3);
    bonsai_graph *g = random_features_graph(m->info.features);
    int32_t classes[N];
    int64_t before = bn_mem_live();
    for (int ticks = 0; ticks <= 4; ticks++) {
        int left[] = {ticks, 0};
        bonsai_train_options o = options(1, 0);
        o.progress = cancel;
        o.payload = left;
        bonsai_status rc = bonsai_predict(classes, NULL, m, g, &o);
        assert_int_equal(rc, ticks < 4 ? BONSAI_E_CANCELED : BONSAI_OK);
        assert_int_equal(left[1], ticks < 4 ? ticks + 1 : 4);
        assert_int_equal(bn_mem_live(), before);
    }
    bonsai_graph_free(g);
    bonsai_model_free(m);
}

typedef struct { bonsai_model *m; bonsai_graph *g; int64_t memory; } job;

static bonsai_status predict_it(void *payload)
{
    job *j = payload;
    int32_t classes[N];
    float p[N * C];
    const bonsai_train_options o = options(1, j->memory);
    return bonsai_predict(classes, p, j->m, j->g, &o);
}

static void predicting_survives_failed_allocations(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * BONSAI_MODEL_COUNT; k++) {
        job j = {.memory = k / BONSAI_MODEL_COUNT};
        j.m = a_model((bn_dims){k % BONSAI_MODEL_COUNT, 3, 2, 2, F, H, C, false}, WITH_EVERY, 3);
        j.g = random_features_graph(j.m->info.features);
        survives_failed_allocations(predict_it, &j, 3);
        bonsai_graph_free(j.g);
        bonsai_model_free(j.m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_are_those_of_the_formula),
        cmocka_unit_test(threads_change_no_bit_and_memory_next_to_nothing),
        cmocka_unit_test(a_saved_model_predicts_the_same),
        cmocka_unit_test(a_prediction_is_as_right_as_training_said),
        cmocka_unit_test(another_scale_is_told),
        cmocka_unit_test(a_column_in_another_unit_is_told),
        cmocka_unit_test(a_model_that_was_trained_with_weights_predicts_with_them),
        cmocka_unit_test(equal_scores_go_to_the_lower_class),
        cmocka_unit_test(a_graph_without_nodes_has_no_classes),
        cmocka_unit_test(a_graph_that_keeps_the_same_features_is_taken_as_it_is),
        cmocka_unit_test(a_graph_of_other_features_is_refused),
        cmocka_unit_test(a_graph_whose_columns_have_other_names_is_refused),
        cmocka_unit_test(a_model_has_the_names_of_its_classes),
        cmocka_unit_test(a_model_has_the_names_of_its_features),
        cmocka_unit_test(a_graph_in_which_a_number_is_another_class_is_refused),
        cmocka_unit_test(scores_that_are_not_finite_are_refused),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(it_can_be_canceled_at_every_tick),
        cmocka_unit_test(predicting_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
