/* test_wl.c -- WL embeddings against powers of a dense matrix, and every way of
 * giving the same features.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "condense/condense.h"
#include "nativefile.h"
#include "oracle.h"
#include "random_graph.h"

enum { MOST_N = 24, MOST_F = 150, MOST_M = 80, GRAPHS = 200 };

typedef struct {                /* what a test graph is made of */
    int64_t n, f, m;
    int32_t source[MOST_M], target[MOST_M];
    float   weight[MOST_M], scale[MOST_N];
    uint8_t byte[MOST_N * MOST_F];
    float   x[MOST_N * MOST_F];         /* scale times byte */
    bool    weighted, loops;
    bn_rule rule;
} model;


/* Some nodes have no edge, some rows no feature; scales are powers of two, so that
 * halves hold the same numbers. */
static void make_model(model *m, uint64_t seed, int percent)
{
    uint64_t s = seed;
    memset(m, 0, sizeof *m);
    m->n = 1 + random_below(&s, MOST_N);
    m->f = 1 + random_below(&s, seed % 3 ? MOST_F : 20);
    m->m = random_below(&s, MOST_M);
    m->weighted = random_below(&s, 2);
    m->loops = random_below(&s, 2);
    m->rule = (bn_rule)(seed / 5 % 3);
    int wired = 1 + random_below(&s, (int)m->n);
    for (int64_t i = 0; i < m->m; i++) {
        m->source[i] = random_below(&s, wired);
        m->target[i] = random_below(&s, wired);
        m->weight[i] = random_real(&s) + 1.25f;
    }
    for (int64_t v = 0; v < m->n; v++) {
        m->scale[v] = ldexpf(1.0f, -random_below(&s, 4));
        int chance = random_below(&s, 6) ? percent : 0;
        for (int64_t j = 0; j < m->f; j++) {
            int b = random_below(&s, 100) < chance ? 1 + random_below(&s, 255) : 0;
            m->byte[v * m->f + j] = (uint8_t)b;
            m->x[v * m->f + j] = m->scale[v] * (float)b;
        }
    }
}

/* The sparse form of the bytes: entries as floats and as bytes. */
typedef struct {
    uint64_t offsets[MOST_N + 1];
    uint32_t index[MOST_N * MOST_F];
    float    value[MOST_N * MOST_F];
    uint8_t  byte[MOST_N * MOST_F];
    uint16_t half[MOST_N * MOST_F];
} forms;

/* A byte times a small power of two is a normal half, exactly. */
static uint16_t exact_half(float v)
{
    int e;
    double m = frexp((double)v, &e);            /* v = m 2^e, m in [1/2, 1) */
    return v == 0.0f ? 0 : (uint16_t)((e + 14) << 10 | (int)((2 * m - 1) * 1024));
}

static void make_forms(forms *s, const model *m)
{
    int64_t nnz = 0;
    for (int64_t v = 0; v < m->n; v++) {
        for (int64_t j = 0; j < m->f; j++)
            if (m->byte[v * m->f + j]) {
                s->index[nnz] = (uint32_t)j;
                s->value[nnz] = m->x[v * m->f + j];
                s->byte[nnz++] = m->byte[v * m->f + j];
            }
        s->offsets[v + 1] = (uint64_t)nnz;
    }
    for (int64_t i = 0; i < m->n * m->f; i++)
        s->half[i] = exact_half(m->x[i]);
}

static bonsai_graph *make_graph(const model *m, layout how)
{
    static forms s;
    bonsai_view v;
    bonsai_read_options o;
    bonsai_graph *g = NULL;
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    memset(&s, 0, sizeof s);
    make_forms(&s, m);
    int64_t all = m->n * m->f, nnz = (int64_t)s.offsets[m->n];
    v.nodes = m->n;
    v.features = m->f;
    if (how == DENSE_F32)
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){m->x, all, BONSAI_TYPE_F32};
    else if (how == DENSE_F16)
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){s.half, all, BONSAI_TYPE_F16};
    else if (how == DENSE_U8)
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){m->byte, all, BONSAI_TYPE_U8};
    if (how >= SPARSE_ONES) {
        v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){s.offsets, m->n + 1, BONSAI_TYPE_U64};
        v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){s.index, nnz, BONSAI_TYPE_U32};
        v.section[BONSAI_SECTION_FEATURE_VALUES] = how == SPARSE_F32
            ? (bonsai_array){s.value, nnz, BONSAI_TYPE_F32}
            : (bonsai_array){s.byte, nnz, how == SPARSE_I8 ? BONSAI_TYPE_I8 : BONSAI_TYPE_U8};
    }
    if (how == DENSE_U8 || how == SPARSE_U8 || how == SPARSE_I8)
        v.section[BONSAI_SECTION_FEATURE_SCALE] = (bonsai_array){m->scale, m->n, BONSAI_TYPE_F32};
    o.threads = 1;
    o.keep_self_loops = m->loops;
    bonsai_status rc = bonsai_graph_build(&g, &v, m->m, m->source, m->target,
                                          m->weighted ? m->weight : NULL, &o);
    if (rc != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

/* p (n,n) = one round as a matrix. */
static void round_matrix(double *p, const model *m)
{
    int count[MOST_N * MOST_N];
    double weight[MOST_N * MOST_N];
    oracle_adjacency(count, weight, m->n, m->m, m->source, m->target,
                     m->weighted ? m->weight : NULL, false, m->loops, false);
    for (int64_t v = 0; v < m->n; v++) {
        double degree = 0;
        for (int64_t u = 0; u < m->n; u++) {
            double a = count[v * m->n + u] == 0 ? 0 : m->weighted ? weight[v * m->n + u] : 1;
            p[v * m->n + u] = a;
            degree += a;
        }
        for (int64_t u = 0; u < m->n; u++)
            p[v * m->n + u] = degree == 0 ? u == v && m->rule != BN_RULE_AROUND
                              : m->rule == BN_RULE_AROUND ? p[v * m->n + u] / degree
                              : m->rule == BN_RULE_MEAN ? ((u == v) + p[v * m->n + u]) / (degree + 1)
                              : ((u == v) + p[v * m->n + u] / degree) / 2;
    }
}

static void multiply(double *out, const double *a, const double *b, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int64_t l = 0; l < n; l++)
                sum += a[i * n + l] * b[l * k + j];
            out[i * k + j] = sum;
        }
}

/* The power of the round matrix times the features. */
static void oracle_wl(double *out, const model *m, int layers)
{
    static double p[MOST_N * MOST_N], power[MOST_N * MOST_N], next[MOST_N * MOST_N];
    static double x[MOST_N * MOST_F];
    round_matrix(p, m);
    for (int64_t i = 0; i < m->n * m->n; i++)
        power[i] = i % (m->n + 1) == 0;
    for (int l = 0; l < layers; l++) {
        multiply(next, power, p, m->n, m->n);
        memcpy(power, next, sizeof next);
    }
    for (int64_t i = 0; i < m->n * m->f; i++)
        x[i] = (double)m->x[i];
    multiply(out, power, x, m->n, m->f);
}

/* The rows of an embedding as a dense matrix; sparse rows must ascend without zeros. */
static void expand(float *out, const bn_embedding *e)
{
    memset(out, 0, (size_t)(e->rows * e->f) * sizeof *out);
    if (e->dense) {
        memcpy(out, e->dense, (size_t)(e->rows * e->f) * sizeof *out);
        return;
    }
    assert_int_equal(e->offsets[0], 0);
    for (int64_t r = 0; r < e->rows; r++)
        for (int64_t i = e->offsets[r]; i < e->offsets[r + 1]; i++) {
            assert_true(i == e->offsets[r] || e->index[i - 1] < e->index[i]);
            assert_in_range(e->index[i], 0, e->f - 1);
            assert_true(e->value[i] != 0.0f);
            out[r * e->f + e->index[i]] = e->value[i];
        }
}

static bool embed(float *out, const model *m, layout how, const int32_t *nodes, int64_t count,
                  int layers, int threads)
{
    bn_embedding e;
    bonsai_graph *g = make_graph(m, how);
    assert_int_equal(bn_embed(&e, g, nodes ? &(bn_nodes){nodes, count} : NULL, m->rule, layers,
                              &(bn_place){.threads = threads}), BONSAI_OK);
    assert_int_equal(e.rows, nodes ? count : m->n);
    assert_int_equal(e.f, m->f);
    expand(out, &e);
    bool dense = e.dense != NULL;
    bn_embedding_free(&e);
    bonsai_graph_free(g);
    return dense;
}

static void equals_the_power_of_a_dense_matrix(void **state)
{
    (void)state;
    static model m;
    static double want[MOST_N * MOST_F];
    static float got[MOST_N * MOST_F];
    int dense = 0, sparse = 0;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        int layers = (int)(seed % 5);
        make_model(&m, seed, seed % 2 ? 3 : 60);
        oracle_wl(want, &m, layers);
        for (int form = 0; form < 2; form++) {
            bool is_dense = embed(got, &m, form ? SPARSE_F32 : DENSE_F32, NULL, 0, layers, 2);
            dense += form && is_dense;
            sparse += form && !is_dense;
            for (int64_t i = 0; i < m.n * m.f; i++)
                if (!(fabs((double)got[i] - want[i]) <= 1e-5 * (1 + fabs(want[i]))))
                    fail_msg("seed %d, layers %d, entry %d: %g, not %g", (int)seed, layers, (int)i,
                             (double)got[i], want[i]);
        }
    }
    assert_true(dense > 20 && sparse > 20);     /* both ways were taken */
}

static void encodings_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    static const layout forms_of[] = {DENSE_F32, DENSE_F16, DENSE_U8, SPARSE_F32, SPARSE_U8};
    static const int threads[] = {1, 2, 8};
    static model m;
    static float want[MOST_N * MOST_F], got[MOST_N * MOST_F];
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        make_model(&m, seed, (int)(seed % 4) * 8 + 2);
        embed(want, &m, DENSE_F32, NULL, 0, (int)(seed % 5), 1);
        for (int i = 0; i < 5; i++) {
            embed(got, &m, forms_of[i], NULL, 0, (int)(seed % 5), threads[(seed + (uint64_t)i) % 3]);
            assert_memory_equal(got, want, (size_t)(m.n * m.f) * sizeof *got);
        }
    }
}

/* Bytes above 127 stand for negative numbers. */
static void signed_bytes_are_read_as_such(void **state)
{
    (void)state;
    static model m;
    static float want[MOST_N * MOST_F], got[MOST_N * MOST_F];
    for (uint64_t seed = 0; seed < 40; seed++) {
        int layers = (int)(seed % 4);
        make_model(&m, seed, 4);
        for (int64_t i = 0; i < m.n * m.f; i++)
            m.x[i] = m.scale[i / m.f] * (float)(int8_t)m.byte[i];
        embed(want, &m, DENSE_F32, NULL, 0, layers, 1);
        embed(got, &m, SPARSE_I8, NULL, 0, layers, 2);
        assert_memory_equal(got, want, (size_t)(m.n * m.f) * sizeof *got);
    }
}

static void some_nodes_get_the_rows_that_they_get_among_all(void **state)
{
    (void)state;
    static model m;
    static float all[MOST_N * MOST_F], got[MOST_N * MOST_F];
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        uint64_t s = seed;
        int32_t nodes[MOST_N];
        int64_t count = 0;
        int layers = (int)(seed % 4);
        make_model(&m, seed, seed % 2 ? 3 : 40);
        for (int32_t v = 0; v < m.n; v++)
            if (random_below(&s, 2))
                nodes[count++] = v;
        layout how = seed % 3 ? SPARSE_U8 : DENSE_F32;
        embed(all, &m, how, NULL, 0, layers, 1);
        embed(got, &m, how, nodes, count, layers, 8);
        for (int64_t i = 0; i < count; i++)
            assert_memory_equal(got + i * m.f, all + nodes[i] * m.f, (size_t)m.f * sizeof *got);
    }
}

/* 3 - 0 - 1, 2 alone; one feature: 4, 8, 5, 0. */
static void a_small_graph_by_hand(void **state)
{
    (void)state;
    static model m = {.n = 4, .f = 1, .m = 2, .source = {0, 0}, .target = {3, 1},
                      .byte = {4, 8, 5, 0}, .x = {4, 8, 5, 0}, .scale = {1, 1, 1, 1}};
    static const float want[3][4] = {{4, 8, 5, 0}, {4, 6, 5, 2}, {4, 5, 5, 3}};
    float got[4];
    static const float mean[4] = {4, 6, 5, 2}, around[4] = {4, 4, 0, 4};
    for (int layers = 0; layers < 3; layers++) {
        embed(got, &m, DENSE_F32, NULL, 0, layers, 1);
        assert_memory_equal(got, want[layers], sizeof got);
    }
    m.rule = BN_RULE_MEAN;
    embed(got, &m, DENSE_F32, NULL, 0, 1, 1);
    assert_memory_equal(got, mean, sizeof got);
    m.rule = BN_RULE_AROUND;
    embed(got, &m, DENSE_F32, NULL, 0, 1, 1);
    assert_memory_equal(got, around, sizeof got);
    m.rule = BN_RULE_WL;
}

/* Wide enough for several panels of either width and for marks above the first word. */
static void wide_and_sparse_rows_agree_with_dense_ones(void **state)
{
    (void)state;
    enum { N = 200, F = 9000, EACH = 5 };
    uint64_t s = 3;
    static uint32_t offsets[N + 1], index[N * EACH];
    static float x[N * F], got[N * F];
    int32_t source[600], target[600];
    for (int v = 0; v < N; v++) {
        for (int i = 0; i < EACH; i++) {
            index[v * EACH + i] = (uint32_t)(i * (F / EACH) + random_below(&s, F / EACH));
            x[v * F + (int)index[v * EACH + i]] = 1.0f;
        }
        offsets[v + 1] = (uint32_t)(v + 1) * EACH;
    }
    for (int i = 0; i < 600; i++) {
        source[i] = random_below(&s, N);
        target[i] = i % 2 ? 0 : random_below(&s, N);        /* node 0 is a hub */
    }
    bn_embedding e[2];
    for (int form = 0; form < 2; form++) {
        bonsai_view v;
        bonsai_graph *g = NULL;
        bonsai_view_init(&v);
        v.nodes = N;
        v.features = F;
        if (form == 0)
            v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, (int64_t)N * F, BONSAI_TYPE_F32};
        else {
            v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, N + 1, BONSAI_TYPE_U32};
            v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, N * EACH, BONSAI_TYPE_U32};
        }
        assert_int_equal(bonsai_graph_build(&g, &v, 600, source, target, NULL, NULL), BONSAI_OK);
        assert_int_equal(bn_embed(&e[form], g, NULL, BN_RULE_WL, 2, &(bn_place){.threads = 8}),
                         BONSAI_OK);
        bonsai_graph_free(g);
    }
    assert_non_null(e[0].dense);
    assert_null(e[1].dense);
    expand(got, &e[1]);
    assert_memory_equal(got, e[0].dense, sizeof got);
    for (int64_t i = 0; i < 500; i++) {
        float a = bn_embedding_dist2(&e[0], i % N, i * 7 % N), b = bn_embedding_dist2(&e[1], i % N, i * 7 % N);
        assert_memory_equal(&a, &b, sizeof a);
    }
    bn_embedding_free(&e[0]);
    bn_embedding_free(&e[1]);
}

static void features_alone_stay_sparse(void **state)
{
    (void)state;
    static model m;
    static float got[MOST_N * MOST_F];
    make_model(&m, 5, 90);
    assert_false(embed(got, &m, SPARSE_U8, NULL, 0, 0, 1));
    assert_memory_equal(got, m.x, (size_t)(m.n * m.f) * sizeof *got);
    const int32_t nodes[2] = {(int32_t)m.n - 1, 0};
    assert_false(embed(got, &m, SPARSE_U8, nodes, 2, 0, 1));
    assert_memory_equal(got, m.x + (m.n - 1) * m.f, (size_t)m.f * sizeof *got);
    assert_memory_equal(got + m.f, m.x, (size_t)m.f * sizeof *got);
}

static void minus_zero_stays_where_nothing_is_added(void **state)
{
    (void)state;
    static const float x[40] = {-0.0f, 1.0f}, v[2] = {-0.0f, 1.0f};
    static const uint32_t offsets[3] = {0, 2, 2}, index[2] = {0, 1};
    bn_embedding e;
    float got[2][40];
    for (int form = 0; form < 2; form++) {
        bonsai_view view;
        bonsai_graph *g = NULL;
        bonsai_view_init(&view);
        view.nodes = 2;
        view.features = 20;
        if (form == 0)
            view.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 40, BONSAI_TYPE_F32};
        else {
            view.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
            view.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, 2, BONSAI_TYPE_U32};
            view.section[BONSAI_SECTION_FEATURE_VALUES] = (bonsai_array){v, 2, BONSAI_TYPE_F32};
        }
        assert_int_equal(bonsai_graph_build(&g, &view, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
        assert_int_equal(bn_embed(&e, g, NULL, BN_RULE_WL, 1, &(bn_place){.threads = 1}),
                         BONSAI_OK);
        memset(got[form], 0, sizeof got[form]);
        if (e.dense)
            memcpy(got[form], e.dense, sizeof got[form]);
        else
            for (int64_t i = 0; i < e.offsets[2]; i++)
                got[form][e.index[i]] = e.value[i];
        assert_int_equal(e.dense == NULL, form);
        bn_embedding_free(&e);
        bonsai_graph_free(g);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
}

/* ---- progress, refusals, memory ---- */

typedef struct {
    int calls, cancel_at;
    uint64_t total, last;
} ticks;

static int on_tick(const bonsai_progress *p, void *payload)
{
    ticks *t = payload;
    assert_string_equal(p->stage, "embedding");
    if (t->calls == 0) {
        assert_int_equal(p->done, 0);
        t->total = p->total;
    }
    assert_int_equal(p->total, t->total);
    assert_in_range(p->done, t->last, p->total);
    t->last = p->done;
    return t->calls++ == t->cancel_at;
}

static void progress_goes_from_nothing_to_all_and_may_cancel(void **state)
{
    (void)state;
    static model m;
    for (uint64_t seed = 0; seed < 40; seed++) {
        make_model(&m, seed, seed % 2 ? 3 : 50);
        bonsai_graph *g = make_graph(&m, seed % 4 < 2 ? SPARSE_U8 : DENSE_F32);
        ticks t = {.cancel_at = -1};
        bn_embedding e;
        assert_int_equal(bn_embed(&e, g, NULL, BN_RULE_WL, (int)(seed % 4),
                                  &(bn_place){.threads = 1, .progress = {on_tick, &t}}),
                         BONSAI_OK);
        assert_int_equal(t.last, t.total);
        bn_embedding_free(&e);
        int64_t live = bn_mem_live();
        for (int stop = 0, calls = t.calls; stop < calls; stop++) {
            t = (ticks){.cancel_at = stop};
            assert_fails(bn_embed(&e, g, NULL, BN_RULE_WL, (int)(seed % 4),
                                  &(bn_place){.threads = 1, .progress = {on_tick, &t}}),
                         BONSAI_E_CANCELED, "embedding");
            assert_int_equal(bn_mem_live(), live);
        }
        bonsai_graph_free(g);
    }
}

static void averages_that_overflow_are_refused(void **state)
{
    (void)state;
    static const int32_t source[] = {0, 0}, target[] = {1, 2};
    static const float x[] = {3e38f, 3e38f, 3e38f};
    bonsai_view v;
    bonsai_graph *g;
    bn_embedding e;
    bonsai_view_init(&v);
    v.nodes = 3;
    v.features = 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 3, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 2, source, target, NULL, NULL), BONSAI_OK);
    assert_fails(bn_embed(&e, g, NULL, BN_RULE_WL, 1, &(bn_place){.threads = 1}), BONSAI_E_ARGUMENT,
                 "averaging the features over neighbours overflows");
    assert_null(e.dense);
    bonsai_graph_free(g);
}

static void a_negative_number_of_layers_is_refused(void **state)
{
    (void)state;
    static model m;
    bn_embedding e;
    make_model(&m, 1, 50);
    bonsai_graph *g = make_graph(&m, DENSE_F32);
    assert_fails(bn_embed(&e, g, NULL, BN_RULE_WL, -1, &(bn_place){.threads = 1}),
                 BONSAI_E_ARGUMENT, "layers is -1");
    bonsai_graph_free(g);
}

typedef struct {
    bonsai_graph *g;
    const int32_t *nodes;
    int64_t count;
    int layers;
} memory_case;

static bonsai_status try_memory(void *payload)
{
    const memory_case *c = payload;
    bn_embedding e;
    bonsai_status rc = bn_embed(&e, c->g, &(bn_nodes){c->nodes, c->count}, BN_RULE_WL, c->layers,
                                &(bn_place){.threads = 2});
    bn_embedding_free(&e);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static model m;
    static const int32_t nodes[] = {0};
    for (int layers = 0; layers < 4; layers++)
        for (int form = 0; form < 3; form++) {
            make_model(&m, 2, form == 2 ? 50 : 3);
            memory_case c = {make_graph(&m, form ? SPARSE_F32 : DENSE_F32), nodes, 1, layers};
            survives_failed_allocations(try_memory, &c, 3);
            bonsai_graph_free(c.g);
        }
}

/* Large sections of a file are checked when they are needed: here, all that are read. */
static void damaged_sections_are_noticed_before_they_are_read(void **state)
{
    (void)state;
    enum { N = 1000, F = 300, M = 200000 };
    static const bonsai_section sections[] = {BONSAI_SECTION_NEIGHBORS, BONSAI_SECTION_EDGE_WEIGHTS,
                                              BONSAI_SECTION_FEATURES};
    static int32_t source[M], target[M];
    static float weight[M], x[N * F];
    const char *path = temp_path("damaged.bonsai");
    bonsai_graph *g = NULL, *damaged;
    bonsai_view v;
    uint64_t s = 1;
    size_t len;
    for (int i = 0; i < M; i++) {
        source[i] = random_below(&s, N);
        target[i] = random_below(&s, N);
        weight[i] = 1.5f + random_real(&s);
    }
    for (int i = 0; i < N * F; i++)
        x[i] = random_real(&s);
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = F;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, M, source, target, weight, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    uint8_t *file = read_file(path, &len);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        uint8_t *byte = file + number(entry_of(file, sections[i]) + 8, 8) + 1000;
        bn_embedding e;
        *byte ^= 1;
        write_file(path, file, len);
        *byte ^= 1;
        assert_int_equal(bonsai_graph_load(&damaged, path), BONSAI_OK);
        assert_fails(bn_embed(&e, damaged, NULL, BN_RULE_WL, 1, NULL), BONSAI_E_FORMAT,
                     "does not match");
        bonsai_graph_free(damaged);
    }
    free(file);
    bonsai_graph_free(g);
}

/* The inverse of such a degree is infinite in single precision. */
static void weights_near_zero_give_finite_rows_and_no_new_entries(void **state)
{
    (void)state;
    enum { F = 4096 };
    static const float weight[] = {1e-45f, 1e-40f, 3e-39f, 1e-38f};
    static const int32_t source[] = {0, 1}, target[] = {1, 2};
    static uint64_t offsets[] = {0, 1, 2, 3};
    static uint32_t index[] = {0, 7, F - 1};
    static float value[] = {1, 2, 3};
    for (size_t i = 0; i < sizeof weight / sizeof *weight; i++)
        for (int rule = BN_RULE_WL; rule <= BN_RULE_AROUND; rule++) {
            bonsai_graph *g;
            bn_embedding e;
            bonsai_view v;
            const float two[] = {weight[i], weight[i]};
            bonsai_view_init(&v);
            v.nodes = 3;
            v.features = F;
            v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, 4, BONSAI_TYPE_U64};
            v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, 3, BONSAI_TYPE_U32};
            v.section[BONSAI_SECTION_FEATURE_VALUES] = (bonsai_array){value, 3, BONSAI_TYPE_F32};
            assert_int_equal(bonsai_graph_build(&g, &v, 2, source, target, two, NULL), BONSAI_OK);
            assert_int_equal(bn_embed(&e, g, NULL, (bn_rule)rule, 2, NULL), BONSAI_OK);
            assert_true(!e.dense && e.offsets[3] <= 9);
            for (int64_t k = 0; k < e.offsets[3]; k++)
                assert_true(isfinite(e.value[k]));
            bn_embedding_free(&e);
            bonsai_graph_free(g);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_power_of_a_dense_matrix),
        cmocka_unit_test(encodings_and_threads_give_the_same_bits),
        cmocka_unit_test(signed_bytes_are_read_as_such),
        cmocka_unit_test(some_nodes_get_the_rows_that_they_get_among_all),
        cmocka_unit_test(a_small_graph_by_hand),
        cmocka_unit_test(wide_and_sparse_rows_agree_with_dense_ones),
        cmocka_unit_test(features_alone_stay_sparse),
        cmocka_unit_test(minus_zero_stays_where_nothing_is_added),
        cmocka_unit_test(progress_goes_from_nothing_to_all_and_may_cancel),
        cmocka_unit_test(averages_that_overflow_are_refused),
        cmocka_unit_test(weights_near_zero_give_finite_rows_and_no_new_entries),
        cmocka_unit_test(a_negative_number_of_layers_is_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(damaged_sections_are_noticed_before_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
