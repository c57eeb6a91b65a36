/* test_wl_ranks.c -- WL embeddings over ranks and under limits: the bits of one rank without any.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "condense/condense.h"
#include "embed/embed.h"
#include "random_graph.h"
#include "threads_world.h"

enum { MOST_RANKS = 8, MOST_N = 90, MOST_F = 80, MOST_M = 400 };


/* ---- graphs ---- */

typedef struct {
    int64_t n, f, m;
    int32_t source[MOST_M], target[MOST_M];
    float   weight[MOST_M], scale[MOST_N];
    uint8_t byte[MOST_N * MOST_F];
    bool    weighted, loops;
    layout  how;
} model;

/* Edges stay within one of three parts and below `wired`, so that there are several components
 * and lone nodes. */
static void make_model(model *m, uint64_t seed)
{
    static const layout how[] = {DENSE_F32, DENSE_F16, DENSE_U8, SPARSE_ONES, SPARSE_F32,
                                 SPARSE_U8};
    uint64_t s = seed + 77;
    memset(m, 0, sizeof *m);
    m->how = how[seed % 6];
    m->n = random_below(&s, 3) ? MOST_N - random_below(&s, 30) : 1 + random_below(&s, MOST_N);
    m->f = 1 + random_below(&s, random_below(&s, 3) ? MOST_F : 10);
    m->weighted = random_below(&s, 2);
    m->loops = random_below(&s, 2);
    int wired = (int)m->n - random_below(&s, random_below(&s, 3) ? 1 + (int)m->n / 8 : (int)m->n);
    int near = random_below(&s, 2);
    int edges = random_below(&s, MOST_M), percent = random_below(&s, 2) ? 1 : 40;
    for (int i = 0; i < edges; i++) {
        int32_t a = random_below(&s, wired), b = random_below(&s, wired);
        b = near ? a + b % 4 - 2 : b;
        if (b < 0 || b >= wired || a * 3 / wired != b * 3 / wired)
            continue;
        m->source[m->m] = a;
        m->target[m->m] = b;
        m->weight[m->m++] = random_real(&s) + 1.25f;
    }
    for (int64_t v = 0; v < m->n; v++) {
        m->scale[v] = 0.1f + (float)random_below(&s, 100);
        for (int64_t j = 0; j < m->f; j++)
            if (random_below(&s, 100) < percent)
                m->byte[v * m->f + j] = (uint8_t)(1 + random_below(&s, 255));
    }
}

static bonsai_array array_of(const void *data, int64_t count, bonsai_type t)
{
    return (bonsai_array){data, count, t};
}

static void lay_features(bonsai_view *v, const model *m)
{
    static uint32_t offsets[MOST_N + 1];
    static uint16_t index[MOST_N * MOST_F], half[MOST_N * MOST_F];
    static uint8_t byte[MOST_N * MOST_F];
    static float real[MOST_N * MOST_F], sparse_real[MOST_N * MOST_F];
    uint32_t nnz = 0;
    int64_t all = m->n * m->f;
    for (int64_t u = 0; u < m->n; u++) {
        for (int64_t i = u * m->f; i < (u + 1) * m->f; i++) {
            real[i] = m->scale[u] * (float)m->byte[i];
            half[i] = bn_half_from_float(real[i]);
            if (m->byte[i] == 0)
                continue;
            index[nnz] = (uint16_t)(i - u * m->f);
            sparse_real[nnz] = real[i];
            byte[nnz++] = m->byte[i] == 9 ? 0 : m->byte[i];     /* a zero that is stored */
        }
        offsets[u + 1] = nnz;
    }
    bool sparse = m->how >= SPARSE_ONES, scaled = m->how == DENSE_U8 || m->how == SPARSE_U8;
    v->section[BONSAI_SECTION_FEATURES] = m->how == DENSE_F32 ? array_of(real, all, BONSAI_TYPE_F32)
                                  : m->how == DENSE_F16 ? array_of(half, all, BONSAI_TYPE_F16)
                                  : m->how == DENSE_U8 ? array_of(m->byte, all, BONSAI_TYPE_U8)
                                  : (bonsai_array){0};
    if (sparse) {
        v->section[BONSAI_SECTION_FEATURE_OFFSETS] = array_of(offsets, m->n + 1, BONSAI_TYPE_U32);
        v->section[BONSAI_SECTION_FEATURE_INDICES] = array_of(index, nnz, BONSAI_TYPE_U16);
    }
    if (m->how == SPARSE_F32)
        v->section[BONSAI_SECTION_FEATURE_VALUES] = array_of(sparse_real, nnz, BONSAI_TYPE_F32);
    if (m->how == SPARSE_U8)
        v->section[BONSAI_SECTION_FEATURE_VALUES] = array_of(byte, nnz, BONSAI_TYPE_U8);
    if (scaled)
        v->section[BONSAI_SECTION_FEATURE_SCALE] = array_of(m->scale, m->n, BONSAI_TYPE_F32);
}

static bonsai_graph *make_graph(const model *m)
{
    bonsai_view v;
    bonsai_read_options o;
    bonsai_graph *g = NULL;
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    v.nodes = m->n;
    v.features = m->f;
    lay_features(&v, m);
    o.threads = 1;
    o.keep_self_loops = m->loops;
    if (bonsai_graph_build(&g, &v, m->m, m->source, m->target, m->weighted ? m->weight : NULL, &o))
        fail_msg("%s", bonsai_error());
    assert_int_equal(bn_graph_need(g, BN_ALL_SECTIONS, 1), BONSAI_OK);
    return g;
}

/* Spoils the items of a section outside begin .. end-1. */
static void spoil(bonsai_graph *g, bonsai_section s, int64_t begin, int64_t end)
{
    const bonsai_array *a = &g->view.section[s];
    size_t item = bonsai_type_bytes(a->type);
    if (!a->data)
        return;
    assert_ptr_equal(a->data, g->owned[s]);
    memset(g->owned[s], 0xff, (size_t)begin * item);
    memset((char *)g->owned[s] + (size_t)end * item, 0xff, (size_t)(a->count - end) * item);
}

/* What a rank must not read is not there. */
static void spoil_others(bonsai_graph *g, int64_t first, int64_t end)
{
    const bonsai_array *x = &g->view.section[BONSAI_SECTION_FEATURE_OFFSETS];
    int64_t f = g->view.features;
    spoil(g, BONSAI_SECTION_NEIGHBORS, bn_row_begin(g, first), bn_row_begin(g, end));
    spoil(g, BONSAI_SECTION_EDGE_WEIGHTS, bn_row_begin(g, first), bn_row_begin(g, end));
    spoil(g, BONSAI_SECTION_FEATURES, first * f, end * f);
    spoil(g, BONSAI_SECTION_FEATURE_SCALE, first, end);
    if (!x->data)
        return;
    spoil(g, BONSAI_SECTION_FEATURE_INDICES, bn_int_at(x, first), bn_int_at(x, end));
    spoil(g, BONSAI_SECTION_FEATURE_VALUES, bn_int_at(x, first), bn_int_at(x, end));
}

/* ---- a run ---- */

typedef struct {
    bonsai_graph *g[MOST_RANKS];
    int     ranks, layers;
    bn_rule rule;
    int64_t first[MOST_RANKS + 1];
    int64_t count;
    int32_t nodes[MOST_N];              /* ascending; all: NULL is given */
    bool    all;
    int64_t limit;                      /* -1: none */
    bn_embedding want;                  /* of one rank */
    int64_t sent[MOST_RANKS], halo[MOST_RANKS];
    int     form[MOST_RANKS];
    int     cancel_at, ticks;
} run;

/* How the result was made. */
enum { SPARSE_ROWS, PANELS, DENSE_AT_LAST };

static int form_of(const bn_embedding *e)
{
    return !e->dense ? SPARSE_ROWS : e->columns > 0 ? PANELS : DENSE_AT_LAST;
}

static bool same_row(const bn_embedding *a, int64_t i, const bn_embedding *b, int64_t j)
{
    float x[MOST_F], y[MOST_F];
    bn_embedding_row(x, a, i);
    bn_embedding_row(y, b, j);
    return memcmp(x, y, (size_t)a->f * sizeof *x) == 0;
}

static int on_tick(const bonsai_progress *p, void *payload)
{
    run *r = payload;
    (void)p;
    return r->ticks++ == r->cancel_at;
}

static bonsai_status compare(const run *r, const bn_embedding *e, int64_t begin, int64_t count,
                             int rank)
{
    if (e->rows != count || e->f != r->want.f)
        return bn_fail(BONSAI_E_ARGUMENT, "rank %d has another shape", rank);
    for (int64_t i = 0; i < count; i++)
        if (!same_row(e, i, &r->want, begin + i))
            return bn_fail(BONSAI_E_ARGUMENT, "rank %d has another row %d", rank, (int)i);
    return BONSAI_OK;
}

static bonsai_status one_rank(bn_world *w, void *payload)
{
    run *r = payload;
    bn_memory memory = {.limit = r->limit};
    bn_place at = {.world = w, .first = r->first, .memory = r->limit < 0 ? NULL : &memory};
    bn_embedding e;
    int64_t begin = 0, end;
    while (begin < r->count && r->nodes[begin] < r->first[w->rank])
        begin++;
    for (end = begin; end < r->count && r->nodes[end] < r->first[w->rank + 1]; end++)
        ;
    const bn_nodes own = {r->nodes + begin, end - begin};
    at.threads = 1 + w->rank % 2;
    if (w->rank == 0 && r->cancel_at >= 0)
        at.progress = (bn_progress){on_tick, r};
    int64_t before = w->sent += 5;              /* it has sent something before */
    bonsai_status rc = bn_embed(&e, r->g[w->rank], r->all ? NULL : &own, r->rule, r->layers, &at);
    r->sent[w->rank] = w->sent - before;
    r->halo[w->rank] = w->halo;
    if (rc != BONSAI_OK)
        return rc;
    r->form[w->rank] = form_of(&e);
    rc = compare(r, &e, begin, end - begin, w->rank);
    if (w->sent_rows != r->sent[w->rank])
        rc = bn_fail(BONSAI_E_ARGUMENT, "rank %d lost count of what it sent", w->rank);
    bn_embedding_free(&e);
    if (memory.used != 0 || memory.spilled != 0 ||
        (r->limit >= 0 && memory.most > r->limit))
        rc = bn_fail(BONSAI_E_ARGUMENT, "rank %d lost count of its memory", w->rank);
    return bn_agree(w, rc);
}

static void part(run *r, int64_t n, uint64_t *s)
{
    for (int i = 1; i < r->ranks; i++)
        r->first[i] = random_below(s, (int)n + 1);
    r->first[r->ranks] = n;
    for (int i = 1; i < r->ranks; i++)
        for (int j = i; j > 1 && r->first[j] < r->first[j - 1]; j--) {
            int64_t t = r->first[j];
            r->first[j] = r->first[j - 1];
            r->first[j - 1] = t;
        }
}

static void start_run(run *r, const model *m, uint64_t seed, int ranks)
{
    uint64_t s = seed * 31 + 5;
    *r = (run){.ranks = ranks, .layers = (int)(seed / 6 % 4), .rule = (bn_rule)(seed % 4 % 3),
               .all = random_below(&s, 3) == 0, .limit = -1, .cancel_at = -1};
    part(r, m->n, &s);
    /* some blocks ask for nothing */
    int64_t from = random_below(&s, 2) ? 0 : random_below(&s, (int)m->n);
    int often = 1 + random_below(&s, 8);
    for (int32_t v = 0; v < m->n; v++)
        if (r->all || (v >= from && random_below(&s, often) == 0))
            r->nodes[r->count++] = v;
    for (int i = 0; i < ranks; i++)
        r->g[i] = make_graph(m);
    assert_int_equal(bn_embed(&r->want, r->g[0], &(bn_nodes){r->nodes, r->count}, r->rule, r->layers,
                              &(bn_place){.threads = 1}), BONSAI_OK);
    for (int i = 0; i < ranks; i++)
        spoil_others(r->g[i], r->first[i], r->first[i + 1]);
}

static void end_run(run *r)
{
    bn_embedding_free(&r->want);
    for (int i = 0; i < r->ranks; i++)
        bonsai_graph_free(r->g[i]);
}

static void must_be_ok(bonsai_status rc, uint64_t seed, const run *r)
{
    if (rc != BONSAI_OK)
        fail_msg("seed %d, %d ranks, limit %d: %s", (int)seed, r->ranks, (int)r->limit,
                 bonsai_error());
    for (int i = 1; i < r->ranks; i++)
        assert_int_equal(r->form[i], r->form[0]);
}

/* ---- averages as products of matrices ---- */

static bool is_near(float a, float b)
{
    float larger = fmaxf(fabsf(a), fabsf(b));
    return fabsf(a - b) <= 1e-4f * (1 + larger);
}

/* Multiplies the chain, or its transpose, by ones on the diagonal, which gives the rows themselves. */
static bonsai_status check_rows(const bn_chain *c, const bn_embedding *want, bool turned)
{
    bonsai_status rc;
    const int64_t lanes = bn_chain_lanes(c), rows = turned ? want->f : want->rows;
    const int64_t cols = turned ? want->rows : want->f, k = (cols + lanes - 1) / lanes * lanes;
    float *one = NULL, *y = NULL, *row = NULL, *room[2] = {NULL, NULL};
    BN_TRY(BN_NEW(&one, cols * k));
    BN_TRY(BN_NEW(&y, rows * k));
    BN_TRY(BN_NEW(&row, want->f));
    for (int i = 0; i < 2; i++)
        BN_TRY(BN_NEW(&room[i], bn_chain_room(c) * k));
    for (int64_t j = 0; j < cols; j++)
        one[j * k + j] = 1;
    (turned ? bn_chain_times_turned : bn_chain_times)(y, c, one, k, room, 2);
    for (int64_t i = 0; i < want->rows && rc == BONSAI_OK; i++) {
        bn_embedding_row(row, want, i);
        for (int64_t j = 0; j < want->f && rc == BONSAI_OK; j++)
            if (!is_near(turned ? y[j * k + i] : y[i * k + j], row[j]))
                rc = bn_fail(BONSAI_E_ARGUMENT, "row %d, column %d differ", (int)i, (int)j);
    }
done:
    bn_free(one);
    bn_free(y);
    bn_free(row);
    bn_free(room[0]);
    bn_free(room[1]);
    return rc;
}

static bonsai_status check_averages(bn_world *w, void *payload)
{
    run *r = payload;
    bonsai_status rc;
    bn_place at = {.world = w, .first = r->first, .threads = 1 + w->rank % 2};
    const bn_nodes nodes = {r->nodes, r->count};
    bn_averages a;
    rc = bn_averages_make(&a, r->g[w->rank], &nodes, r->layers, r->all, &at);
    if (rc != BONSAI_OK)
        return rc;
    if (w->rank == 0) {
        const bn_chain c = bn_averages_far(&a, r->layers);
        rc = check_rows(&c, &r->want, false);
        if (rc == BONSAI_OK)
            rc = check_rows(&c, &r->want, true);
    } else if (a.x.rows != 0 || a.last.rows != 0)
        rc = bn_fail(BONSAI_E_ARGUMENT, "rank %d has matrices", w->rank);
    bn_averages_free(&a);
    return bn_agree(w, rc);
}

/* ---- tests ---- */

static void products_of_edges_and_features_are_averaged_rows(void **state)
{
    (void)state;
    static const int ranks[] = {1, 2, 3, 5};
    static model m;
    static run r;
    for (uint64_t seed = 0; seed < 80; seed++) {
        make_model(&m, seed);
        start_run(&r, &m, seed, ranks[seed / 3 % 4]);
        bn_embedding_free(&r.want);
        bonsai_graph *g = make_graph(&m);
        r.rule = BN_RULE_MEAN;
        assert_int_equal(bn_embed(&r.want, g, &(bn_nodes){r.nodes, r.count}, r.rule, r.layers,
                                  &(bn_place){.threads = 1}), BONSAI_OK);
        must_be_ok(run_ranks(r.ranks, check_averages, &r), seed, &r);
        bonsai_graph_free(g);
        end_run(&r);
    }
}

static void any_number_of_ranks_gives_the_bits_of_one(void **state)
{
    (void)state;
    static const int ranks[] = {1, 2, 3, 5, 8};
    static model m;
    static run r;
    for (uint64_t seed = 0; seed < 240; seed++) {
        make_model(&m, seed);
        start_run(&r, &m, seed, ranks[seed / 2 % 5]);
        must_be_ok(run_ranks(r.ranks, one_rank, &r), seed, &r);
        end_run(&r);
    }
}

/* A feature for each node and twelve neighbours: a round fills thin rows up. */
static void ranks_make_dense_rows_of_sparse_ones(void **state)
{
    (void)state;
    enum { N = 60, F = 20, FAR = 6 };
    static model m;
    static run r;
    m = (model){.n = N, .f = F, .how = SPARSE_F32};
    for (int32_t v = 0; v < N; v++) {
        m.scale[v] = 0.3f + (float)v;
        m.byte[v * F + v % F] = (uint8_t)(1 + v);
        for (int32_t u = v + 1; u < N && u <= v + FAR; u++, m.m++) {
            m.source[m.m] = v;
            m.target[m.m] = u;
        }
    }
    for (uint64_t seed = 6; seed < 12; seed++)          /* one round */
        for (int ranks = 1; ranks <= 4; ranks++) {
            start_run(&r, &m, seed, ranks);
            assert_int_equal(form_of(&r.want), DENSE_AT_LAST);
            must_be_ok(run_ranks(r.ranks, one_rank, &r), seed, &r);
            assert_int_equal(r.form[0], DENSE_AT_LAST);
            end_run(&r);
        }
}

static void ranks_under_any_limit_give_the_same_bits(void **state)
{
    (void)state;
    static const int64_t limits[] = {0, 300, 2000, 6000, 20000, 1 << 30};
    static model m;
    static run r;
    for (uint64_t seed = 0; seed < 48; seed++) {
        make_model(&m, seed);
        start_run(&r, &m, seed, (int)(1 + seed % 4));
        for (int i = 0; i < 6; i++) {
            r.limit = limits[i];
            must_be_ok(run_ranks(r.ranks, one_rank, &r), seed, &r);
        }
        end_run(&r);
    }
}

/* The rows that must travel, by definition: before each round the rows, of the level before, that
 * are next to what a rank will need. */
static int64_t rows_that_travel(const run *r, const bonsai_graph *g)
{
    static bool need[MOST_N], below[MOST_N], sent[MOST_RANKS][MOST_N];
    int64_t n = g->view.nodes, rows = 0;
    memset(need, 0, sizeof need);
    for (int64_t i = 0; i < r->count; i++)
        need[r->nodes[i]] = true;
    for (int level = r->layers; level > 0; level--) {
        memcpy(below, need, sizeof below);
        memset(sent, 0, sizeof sent);
        for (int rank = 0; rank < r->ranks; rank++)
            for (int64_t v = r->first[rank]; v < r->first[rank + 1]; v++)
                for (int64_t e = bn_row_begin(g, v); need[v] && e < bn_row_begin(g, v + 1); e++) {
                    int32_t u = bn_neighbors(g)[e];
                    below[u] = true;
                    sent[rank][u] = u < r->first[rank] || u >= r->first[rank + 1];
                }
        for (int rank = 0; rank < r->ranks; rank++)
            for (int64_t v = 0; v < n; v++)
                rows += sent[rank][v];
        memcpy(need, below, sizeof need);
    }
    return rows;
}

static void no_more_is_sent_than_must_be(void **state)
{
    (void)state;
    static model m;
    static run r;
    int busy = 0;
    for (uint64_t seed = 0; seed < 600; seed += 6) {        /* dense */
        int64_t sent = 0, halo = 0;
        make_model(&m, seed);
        start_run(&r, &m, seed, (int)(2 + seed / 6 % 7));
        must_be_ok(run_ranks(r.ranks, one_rank, &r), seed, &r);
        bonsai_graph *g = make_graph(&m);
        for (int i = 0; i < r.ranks; i++) {
            sent += r.sent[i];
            halo += r.halo[i];
        }
        assert_int_equal(halo, rows_that_travel(&r, g) * m.f * 4);
        /* beside the rows, their ids once, and how many there are of each rank */
        int64_t levels = r.layers * (int64_t)r.ranks * (r.ranks - 1);
        assert_true(sent >= halo && sent <= halo + halo / m.f + 8 * levels);
        busy += halo > 500;
        bonsai_graph_free(g);
        end_run(&r);
    }
    assert_true(busy >= 15);
}

static void sparse_rows_are_sent_without_their_zeros(void **state)
{
    (void)state;
    static model m;
    static run r;
    int busy = 0;
    for (uint64_t seed = 4; seed < 600; seed += 6) {
        int64_t sent = 0, halo = 0;
        make_model(&m, seed);
        start_run(&r, &m, seed, 4);
        must_be_ok(run_ranks(r.ranks, one_rank, &r), seed, &r);
        bonsai_graph *g = make_graph(&m);
        for (int i = 0; i < r.ranks; i++) {
            sent += r.sent[i];
            halo += r.halo[i];
        }
        int64_t rows = rows_that_travel(&r, g);
        assert_true(sent <= halo + 4 * rows + 8 * r.layers * 12);
        if (!r.want.dense && rows > 5 && m.f > 20) {
            assert_true(halo < rows * m.f * 2);
            busy++;
        }
        bonsai_graph_free(g);
        end_run(&r);
    }
    assert_true(busy >= 5);
}

/* ---- limits ---- */

static void draw_values(float *x, int count, uint64_t *s)
{
    for (int i = 0; i < count; i++)
        x[i] = random_real(s);
}

static void draw_edges(int32_t *source, int32_t *target, int edges, int nodes, uint64_t *s)
{
    for (int i = 0; i < edges; i++) {
        source[i] = random_below(s, nodes);
        target[i] = random_below(s, nodes);
    }
}

typedef struct {
    int64_t limit;
    int     columns;
    bool    spilled;
} limit_case;

static void panels_get_narrow_before_they_spill(void **state)
{
    (void)state;
    enum { N = 2000, F = 40, M = 6000 };
    static const limit_case cases[] = {
        {10000000, 16, false}, {600000, 16, false}, {300000, 16, true}, {150000, 8, true},
        {80000, 4, true}, {9000, 4, true}, {0, 4, true},
    };
    static float x[N * F];
    int32_t source[M], target[M];
    uint64_t s = 4;
    bonsai_view v;
    bonsai_graph *g = NULL;
    bn_embedding want, got;
    bonsai_view_init(&v);
    draw_values(x, N * F, &s);
    draw_edges(source, target, M, N, &s);
    v.nodes = N;
    v.features = F;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, M, source, target, NULL, NULL), BONSAI_OK);
    assert_int_equal(bn_embed(&want, g, NULL, BN_RULE_WL, 2, &(bn_place){.threads = 2}), BONSAI_OK);
    for (int i = 0; i < 7; i++) {
        bn_memory memory = {.limit = cases[i].limit};
        bn_place at = {.memory = &memory, .threads = 2};
        assert_int_equal(bn_embed(&got, g, NULL, BN_RULE_WL, 2, &at), BONSAI_OK);
        assert_int_equal(got.columns, cases[i].columns);
        assert_int_equal(bn_big_spilled(got.dense), cases[i].spilled);
        assert_true(memory.most <= memory.limit);
        assert_memory_equal(got.dense, want.dense, sizeof x);
        bn_embedding_free(&got);
    }
    bn_embedding_free(&want);
    bonsai_graph_free(g);
}

/* So wide that the rows of the scratch file are turned in three parts, the last one short. */
static void a_wide_result_in_a_scratch_file_is_in_the_order_of_rows(void **state)
{
    (void)state;
    enum { N = 150, F = 18001, M = 300 };
    uint64_t s = 12;
    float *x = malloc(sizeof *x * N * F);
    int32_t source[M], target[M], nodes[N];
    bonsai_view v;
    bonsai_graph *g = NULL;
    bn_embedding want, got;
    bonsai_view_init(&v);
    draw_values(x, N * F, &s);
    draw_edges(source, target, M, N, &s);
    for (int i = 0; i < N; i++)
        nodes[i] = N - 1 - i;
    v.nodes = N;
    v.features = F;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, M, source, target, NULL, NULL), BONSAI_OK);
    assert_int_equal(bn_embed(&want, g, &(bn_nodes){nodes, N}, BN_RULE_WL, 1,
                              &(bn_place){.threads = 1}), BONSAI_OK);
    for (int64_t limit = 0; limit <= 40000; limit += 40000) {
        bn_memory memory = {.limit = limit};
        bn_place at = {.memory = &memory, .threads = 2};
        assert_int_equal(bn_embed(&got, g, &(bn_nodes){nodes, N}, BN_RULE_WL, 1, &at), BONSAI_OK);
        assert_true(bn_big_spilled(got.dense));
        assert_memory_equal(got.dense, want.dense, sizeof *x * N * F);
        bn_embedding_free(&got);
    }
    bn_embedding_free(&want);
    bonsai_graph_free(g);
    free(x);
}

/* ---- failures ---- */

static bonsai_status try_memory(void *payload)
{
    run *r = payload;
    return run_ranks(r->ranks, one_rank, r);
}

static void a_failed_allocation_on_any_rank_ends_all(void **state)
{
    (void)state;
    static model m;
    static run r;
    for (uint64_t seed = 0; seed < 6; seed++)
        for (int limit = -1; limit <= 1000; limit += 1001) {
            make_model(&m, 12 + seed);
            start_run(&r, &m, 12 + seed, 3);
            r.limit = limit;
            survives_failed_allocations(try_memory, &r, limit < 0 ? 20 : 3);
            end_run(&r);
        }
}

static void canceling_on_one_rank_ends_all(void **state)
{
    (void)state;
    static model m;
    static run r;
    for (uint64_t seed = 10; seed < 22; seed++) {
        make_model(&m, seed);
        start_run(&r, &m, seed, 3);
        int64_t live = bn_mem_live();
        r.cancel_at = 1 << 20;
        must_be_ok(run_ranks(3, one_rank, &r), seed, &r);
        int calls = r.ticks;
        for (r.cancel_at = 0; r.cancel_at < calls; r.cancel_at++) {
            r.ticks = 0;
            assert_fails(run_ranks(3, one_rank, &r), BONSAI_E_CANCELED, "embedding");
            assert_int_equal(bn_mem_live(), live);
        }
        end_run(&r);
    }
}

static void overflow_on_one_rank_is_refused_by_all(void **state)
{
    (void)state;
    static model m;
    static run r;
    make_model(&m, 0);
    m = (model){.n = 6, .f = 1, .m = 2, .source = {4, 5}, .target = {5, 3}, .how = DENSE_F32};
    for (int v = 0; v < 6; v++) {
        m.byte[v] = 1;
        m.scale[v] = 1;
    }
    start_run(&r, &m, 1, 3);
    for (int i = 0; i < 3; i++)
        for (int v = 3; v < 6; v++)
            ((float *)r.g[i]->owned[BONSAI_SECTION_FEATURES])[v] = 3e38f;
    r.layers = 1;
    r.all = true;
    assert_fails(run_ranks(3, one_rank, &r), BONSAI_E_ARGUMENT, "overflows");
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_edges_and_features_are_averaged_rows),
        cmocka_unit_test(any_number_of_ranks_gives_the_bits_of_one),
        cmocka_unit_test(ranks_make_dense_rows_of_sparse_ones),
        cmocka_unit_test(ranks_under_any_limit_give_the_same_bits),
        cmocka_unit_test(no_more_is_sent_than_must_be),
        cmocka_unit_test(sparse_rows_are_sent_without_their_zeros),
        cmocka_unit_test(panels_get_narrow_before_they_spill),
        cmocka_unit_test(a_wide_result_in_a_scratch_file_is_in_the_order_of_rows),
        cmocka_unit_test(a_failed_allocation_on_any_rank_ends_all),
        cmocka_unit_test(canceling_on_one_rank_ends_all),
        cmocka_unit_test(overflow_on_one_rank_is_refused_by_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
