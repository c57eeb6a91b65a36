/* test_basis.c -- directions that tell classes apart, rows in their coordinates, and shares.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "embedding.h"
#include "prototypes/mold.h"
#include "random_graph.h"

enum { ROWS = 150, JUDGED = 60, COLS = 40, CLASSES = 5, LIVE = 4, TOLD = 6, NODES = 9 };
enum { BOTH = BN_BASIS_OWN | BN_BASIS_FAR };
static const int told[TOLD] = {2, 9, 17, 18, 30, 39};   /* columns in which classes differ */

/* ---- cases ---- */

typedef struct {                /* a source and a job, as simple as can be */
    bn_embedding row[BN_VIEWS];
    bn_sharded view[BN_VIEWS];
    int32_t label[ROWS], judge_label[JUDGED];
    int64_t have[CLASSES];
    bn_source s;
    bn_job job;
    bonsai_graph g;
    bonsai_condense_options o;
} stage;

/* Noise about a mean that is not zero; class 2 has no row. */
static void fill(float *x, int32_t *label, int rows, uint64_t *s)
{
    for (int i = 0; i < rows; i++) {
        label[i] = i % LIVE < 2 ? i % LIVE : i % LIVE + 1;
        for (int j = 0; j < COLS; j++)
            x[i * COLS + j] = random_below(s, 3) ? 0.4f + 0.3f * random_real(s) : 0;
        for (int j = 0; j < TOLD; j++)
            x[i * COLS + told[j]] += (label[i] * (j + 1) % 7 < 3) ? 2.0f : 0;
    }
}

static void add_rows(bn_embedding *e, int32_t *label, int rows, bool sparse, uint64_t *s)
{
    static float x[ROWS * COLS];
    fill(x, label, rows, s);
    (sparse ? set_sparse : set_dense)(e, x, rows, COLS);
}

static stage *new_stage(bool sparse, int threads)
{
    stage *t = calloc(1, sizeof *t);
    bn_views *judge = &t->job.judge;
    bn_embedding *judged[BN_VIEWS] = {&judge->own, &judge->around, &judge->far};
    static char name[] = "graph";
    uint64_t s = 5;
    bonsai_condense_options_init(&t->o);
    t->g.where = name;
    t->g.view.classes = CLASSES;
    t->g.view.features = COLS;
    t->job.g = &t->g;
    t->job.o = &t->o;
    t->job.at.threads = threads;
    t->job.judge_label = t->judge_label;
    t->s = (bn_source){.label = t->label, .classes = CLASSES, .have = t->have, .live = LIVE};
    for (int v = 0; v < BN_VIEWS; v++) {
        add_rows(&t->row[v], t->label, ROWS, sparse, &s);
        add_rows(judged[v], t->judge_label, JUDGED, sparse, &s);
        assert_int_equal(bn_sharded_look(&t->view[v], &t->row[v], &t->job.at), BONSAI_OK);
        t->s.view[v] = &t->view[v];
    }
    t->s.near = &t->view[BN_FAR];
    for (int i = 0; i < ROWS; i++)
        t->have[t->label[i]]++;
    return t;
}

static void free_stage(stage *t)
{
    for (int v = 0; v < BN_VIEWS; v++) {
        bn_embedding_free(&t->row[v]);
        bn_sharded_free(&t->view[v]);
    }
    bn_embedding_free(&t->job.judge.own);
    bn_embedding_free(&t->job.judge.around);
    bn_embedding_free(&t->job.judge.far);
    free(t);
}

static bn_guide guide_of(const stage *t)
{
    bn_guide g;
    if (bn_guide_make(&g, &t->s, &t->job, NULL, &t->job.at) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static bn_basis basis_of(const stage *t, int views, int64_t columns)
{
    bn_guide g = guide_of(t);
    bn_basis b;
    if (bn_basis_make(&b, &g, views, columns, &t->job.at) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bn_guide_free(&g);
    return b;
}

/* Not returned: it points into itself. */
static void mold_of(bn_mold *m, const stage *t, int views, int64_t columns)
{
    bn_guide g = guide_of(t);
    if (bn_mold_make(m, &g, &t->s, views, columns, &t->job, &t->job.at) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bn_guide_free(&g);
}

/* ---- oracle ---- */

/* Direction k on all columns. */
static void decode(double *out, const bn_basis *b, int64_t k)
{
    memset(out, 0, COLS * sizeof *out);
    for (int64_t j = 0; j < b->columns; j++)
        out[b->column ? b->column[j] : j] =
            (double)b->number[k * b->columns + j] * (double)b->scale[k];
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

/* The row's part within the span of the directions, by Gram and Schmidt. */
static void project(double *out, const bn_basis *b, const float *x)
{
    double unit[COLS][COLS], row[COLS];
    memset(out, 0, COLS * sizeof *out);
    for (int j = 0; j < COLS; j++)
        row[j] = (double)x[j];
    for (int64_t k = 0; k < b->r; k++) {
        decode(unit[k], b, k);
        for (int64_t i = 0; i < 2 * k; i++) {           /* twice: the first is rounded */
            double share = dot(unit[k], unit[i % k], COLS);
            for (int j = 0; j < COLS; j++)
                unit[k][j] -= share * unit[i % k][j];
        }
        double length = sqrt(dot(unit[k], unit[k], COLS));
        for (int j = 0; j < COLS; j++)
            unit[k][j] /= length;
        double share = dot(unit[k], row, COLS);
        for (int j = 0; j < COLS; j++)
            out[j] += share * unit[k][j];
    }
}

static double coordinates_dot(const bn_embedding *e, int64_t i, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < e->f; j++)
        sum += (double)e->dense[i * e->f + j] * (double)e->dense[k * e->f + j];
    return sum;
}

/* ---- directions ---- */

static void directions_are_signed_squares_up_to_49(void **state)
{
    (void)state;
    static const int views[] = {BN_BASIS_OWN, BN_BASIS_FAR, BOTH};
    stage *t = new_stage(false, 1);
    for (int i = 0; i < 6; i++) {
        bn_basis b = basis_of(t, views[i / 2], i % 2 ? 12 : COLS);
        assert_true(b.f == COLS && b.r >= LIVE && b.r <= (i < 4 ? LIVE : 2 * LIVE - 1));
        for (int64_t k = 0; k < b.r; k++) {
            int most = 0;
            for (int64_t j = 0; j < b.columns; j++) {
                int size = abs(b.number[k * b.columns + j]), root = (int)lround(sqrt(size));
                assert_int_equal(root * root, size);
                most = size > most ? size : most;
            }
            assert_int_equal(most, 49);
            assert_true(b.scale[k] > 0 && isfinite(b.scale[k]));
        }
        bn_basis_free(&b);
    }
    free_stage(t);
}

static void there_is_one_for_the_mean_and_one_less_than_classes_of_each_view(void **state)
{
    (void)state;
    stage *t = new_stage(false, 1);
    bn_guide g = guide_of(t);
    assert_int_equal(g.lives, LIVE);
    assert_int_equal(bn_basis_most(&g, BN_BASIS_OWN), LIVE);
    assert_int_equal(bn_basis_most(&g, BN_BASIS_FAR), LIVE);
    assert_int_equal(bn_basis_most(&g, BOTH), 2 * LIVE - 1);
    g.lives = 1;
    assert_int_equal(bn_basis_most(&g, BN_BASIS_OWN), 2);
    bn_guide_free(&g);
    free_stage(t);
}

/* Off by what rounding to four bits takes: the step between squares, at most 13 of 49. */
static void the_first_direction_is_the_mean_of_averaged_rows(void **state)
{
    (void)state;
    stage *t = new_stage(false, 1);
    bn_basis b = basis_of(t, BOTH, COLS);
    double mean[COLS] = {0}, first[COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        mean[i % COLS] += (double)t->row[BN_FAR].dense[i] / ROWS;
    decode(first, &b, 0);
    double cosine = dot(mean, first, COLS) /
                    sqrt(dot(mean, mean, COLS) * dot(first, first, COLS));
    assert_true(cosine > 0.98 && cosine <= 1 + 1e-12);
    bn_basis_free(&b);
    free_stage(t);
}

static void the_columns_that_tell_classes_apart_are_kept(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        stage *t = new_stage(sparse, 2);
        for (int views = BN_BASIS_OWN; views <= BOTH; views++) {
            bn_basis b = basis_of(t, views, TOLD);
            assert_int_equal(b.columns, TOLD);
            for (int j = 0; j < TOLD; j++)
                assert_int_equal(b.column[j], told[j]);
            bn_basis_free(&b);
            b = basis_of(t, views, 25);
            assert_int_equal(b.columns, 25);
            for (int j = 1; j < 25; j++)
                assert_true(b.column[j] > b.column[j - 1] && b.column[j] < COLS);
            bn_basis_free(&b);
            b = basis_of(t, views, COLS);
            assert_true(!b.column && b.columns == COLS);
            bn_basis_free(&b);
        }
        free_stage(t);
    }
}

/* One column is solved by the first step, before anybody looks. */
static void what_the_first_step_solves_is_kept(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        stage *t = new_stage(sparse, 1);
        bn_guide g = guide_of(t);
        for (int view = 0; view < BN_GUIDES; view++) {
            float w[CLASSES] = {0};
            double most = 0;
            assert_int_equal(bn_guide_refit(w, &g, view, &told[1], 1, &t->job.at), BONSAI_OK);
            for (int k = 0; k < CLASSES; k++)
                most = fmax(most, fabs((double)w[k]));
            assert_true(most > 0);
        }
        bn_guide_free(&g);
        free_stage(t);
    }
}

/* ---- coordinates ---- */

static void coordinates_have_the_products_of_projected_rows(void **state)
{
    (void)state;
    enum { SOME = 20 };
    stage *t = new_stage(false, 2), *sparse = new_stage(true, 2);
    for (int columns = 10; columns <= COLS; columns += 30) {
        bn_basis b = basis_of(t, BOTH, columns);
        bn_embedding out, same;
        double want[SOME][COLS];
        assert_int_equal(bn_basis_project(&out, &b, &t->row[BN_OWN], &t->job.at), BONSAI_OK);
        assert_int_equal(bn_basis_project(&same, &b, &sparse->row[BN_OWN], &t->job.at), BONSAI_OK);
        assert_true(out.rows == ROWS && out.f == b.r);
        for (int i = 0; i < ROWS * (int)b.r; i++)
            assert_true(fabsf(out.dense[i] - same.dense[i]) < 1e-5f);
        for (int i = 0; i < SOME; i++)
            project(want[i], &b, t->row[BN_OWN].dense + i * COLS);
        for (int i = 0; i < SOME; i++)
            for (int k = 0; k <= i; k++)
                assert_true(fabs(coordinates_dot(&out, i, k) - dot(want[i], want[k], COLS)) < 1e-4);
        bn_embedding_free(&out);
        bn_embedding_free(&same);
        bn_basis_free(&b);
    }
    free_stage(t);
    free_stage(sparse);
}

static void shares_and_coordinates_turn_into_each_other(void **state)
{
    (void)state;
    stage *t = new_stage(false, 1);
    uint64_t s = 3;
    for (int columns = 10; columns <= COLS; columns += 30) {
        bn_basis b = basis_of(t, BOTH, columns);
        double share[COLS], angle[COLS], back[COLS], direction[COLS];
        float row[COLS] = {0};
        for (int64_t k = 0; k < b.r; k++) {
            share[k] = (double)random_real(&s);
            decode(direction, &b, k);
            for (int j = 0; j < COLS; j++)
                row[j] += (float)(share[k] * direction[j]);
        }
        bn_embedding one = {.rows = 1, .f = COLS, .dense = row}, out;
        memcpy(angle, share, sizeof angle);
        bn_angles_of(angle, b.factor, b.r);
        assert_int_equal(bn_basis_project(&out, &b, &one, &t->job.at), BONSAI_OK);
        memcpy(back, angle, sizeof back);
        bn_basis_shares(back, &b);
        for (int64_t k = 0; k < b.r; k++) {
            assert_true(fabs((double)out.dense[k] - angle[k]) < 1e-5);
            assert_true(fabs(back[k] - share[k]) < 1e-9);
        }
        bn_embedding_free(&out);
        bn_basis_free(&b);
    }
    free_stage(t);
}

/* ---- molds ---- */

static void a_mold_has_all_rows_in_coordinates(void **state)
{
    (void)state;
    stage *t = new_stage(false, 2);
    bn_mold m;
    mold_of(&m, t, BOTH, 20);
    const int64_t r = m.basis.r;
    assert_true(m.views == BOTH && m.asked == 20 && !m.probe);
    assert_true(m.s.near == &m.near && m.s.label == t->label && m.s.classes == CLASSES);
    for (int v = 0; v < BN_VIEWS; v++) {
        bn_embedding out;
        assert_int_equal(bn_basis_project(&out, &m.basis, &t->row[v], &t->job.at), BONSAI_OK);
        assert_true(m.s.view[v] == &m.view[v] && m.view[v].e == &m.row[v] && m.row[v].f == r);
        assert_memory_equal(out.dense, m.row[v].dense, (size_t)(ROWS * r) * sizeof(float));
        bn_embedding_free(&out);
    }
    assert_true(m.mixed.f == r - 1 && m.judge.far.f == r - 1 && m.judge.own.rows == JUDGED);
    for (int i = 0; i < ROWS; i++)
        for (int64_t k = 1; k < r; k++) {
            double mean = 0;
            for (int v = 0; v < BN_VIEWS; v++)
                mean += (double)m.row[v].dense[i * r + k] / BN_VIEWS;
            assert_true(fabs(mean - (double)m.mixed.dense[i * (r - 1) + k - 1]) < 1e-5);
        }
    double full;
    assert_int_equal(bn_mold_full(&full, &m, &t->job), BONSAI_OK);
    assert_true(full > 90 && full <= 100);
    bn_mold_free(&m);
    free_stage(t);
}

static void one_class_has_no_directions(void **state)
{
    (void)state;
    stage *t = new_stage(false, 1);
    for (int k = 0; k < CLASSES; k++)
        t->have[k] = k == 1 ? ROWS : 0;
    for (int i = 0; i < ROWS; i++)
        t->label[i] = 1;
    bn_mold m;
    mold_of(&m, t, BOTH, 20);
    assert_true(m.basis.r == 0 && !m.probe && !m.mixed.dense);
    bn_mold_free(&m);
    free_stage(t);
}

/* ---- what a teacher says ---- */

/* Rows that are those of members: their classes are told apart, in every kind of prototype. */
static void teachers_know_the_classes_of_rows(void **state)
{
    (void)state;
    static const int kinds[] = {BN_KIND_FAR, BN_KIND_MIXED, BN_KIND_OWN, BN_KIND_PAIRS, BN_KIND_TWOFOLD};
    stage *t = new_stage(false, 2);
    bn_mold m;
    mold_of(&m, t, BOTH, 20);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const bn_kind *kind = &bn_kinds[kinds[i]];
        const bool two = kind->pair || kind->both;
        const int64_t r = m.basis.r, n = NODES, labelled = kind->both ? 2 * n : n;
        bn_centres rows = {.count = n, .x = {.rows = two ? 2 * n : n, .f = r}};
        float *said = NULL;
        int right = 0;
        rows.x.dense = calloc((size_t)(2 * n * r), sizeof(float));
        memcpy(rows.x.dense, m.row[BN_OWN].dense, (size_t)(n * r) * sizeof(float));
        memcpy(rows.x.dense + n * r, m.row[kind->both ? BN_OWN : BN_AROUND].dense,
               (size_t)(n * r) * sizeof(float));
        assert_int_equal(bn_teachers_label(&said, &m.teachers, &rows, kind, &t->job.at), BONSAI_OK);
        for (int64_t at = 0; at < labelled; at++) {
            double sum = 0;
            int best = 0;
            for (int k = 0; k < CLASSES; k++) {
                sum += (double)said[at * CLASSES + k];
                best = said[at * CLASSES + k] > said[at * CLASSES + best] ? k : best;
            }
            assert_true(fabs(sum - 1) < 1e-5);
            right += best == t->label[at % n];
        }
        assert_true(right > labelled * 7 / 10);
        bn_free(said);
        free(rows.x.dense);
    }
    bn_mold_free(&m);
    free_stage(t);
}

/* ---- shares ---- */

/* A share is off by half of a 127th of the largest, at most. */
static void stored_shares_are_those_of_the_rows_rounded(void **state)
{
    (void)state;
    stage *t = new_stage(false, 1);
    bn_mold m;
    mold_of(&m, t, BN_BASIS_FAR, 20);
    bn_embedding few = m.row[BN_FAR];
    bn_shares s;
    double x[COLS];
    few.rows = NODES;
    memset(few.dense + few.f, 0, (size_t)few.f * sizeof(float));
    assert_int_equal(bn_shares_make(&s, &few, &m.basis), BONSAI_OK);
    assert_true(s.rows == NODES && s.r == m.basis.r);
    for (int i = 0; i < NODES; i++) {
        int most = 0;
        for (int64_t k = 0; k < s.r; k++)
            x[k] = (double)few.dense[i * s.r + k];
        bn_basis_shares(x, &m.basis);
        for (int64_t k = 0; k < s.r; k++) {
            int number = s.number[i * s.r + k];
            assert_true(fabs(x[k] - number * (double)s.scale[i]) <= 0.5001 * (double)s.scale[i]);
            most = abs(number) > most ? abs(number) : most;
        }
        assert_int_equal(most, i == 1 ? 0 : 127);
    }
    assert_true(s.scale[1] == 1);               /* the row is all zero */
    bn_shares_free(&s);
    bn_mold_free(&m);
    free_stage(t);
}

/* The features of a stored graph: shares times directions. */
static void check_stored(const bonsai_graph *g, const bn_shares *s, const bn_basis *b)
{
    double direction[COLS];
    for (int i = 0; i < NODES; i++) {
        double want[COLS] = {0};
        float row[COLS];
        bonsai_graph_row(row, g, i);
        for (int64_t k = 0; k < b->r; k++) {
            decode(direction, b, k);
            for (int j = 0; j < COLS; j++)
                want[j] += (double)s->scale[i] * s->number[i * b->r + k] * direction[j];
        }
        for (int j = 0; j < COLS; j++)
            assert_true(fabs(want[j] - (double)row[j]) < 1e-5);
    }
}

static void check_compact(const bonsai_graph *g, const bn_shares *s, const bn_basis *b)
{
    const float *x = g->view.section[BONSAI_SECTION_FEATURES].data;
    for (int i = 0; i < NODES; i++) {
        double want[COLS];
        for (int64_t k = 0; k < b->r; k++)
            want[k] = (double)s->scale[i] * s->number[i * b->r + k];
        bn_angles_of(want, b->factor, b->r);
        for (int64_t k = 1; k < b->r; k++)
            assert_true(fabs(want[k] - (double)x[i * (b->r - 1) + k - 1]) < 1e-5);
    }
}

static void a_graph_keeps_its_basis(void **state)
{
    (void)state;
    for (int columns = 20; columns <= COLS; columns += 20) {
        stage *t = new_stage(false, 1);
        bn_mold m;
        mold_of(&m, t, BOTH, columns);
        bn_embedding few = m.row[BN_OWN];
        bn_shares s;
        bn_basis b;
        bonsai_graph *g = NULL, *small = NULL;
        const size_t numbers = (size_t)(m.basis.r * m.basis.columns);
        few.rows = NODES;
        assert_int_equal(bn_shares_make(&s, &few, &m.basis), BONSAI_OK);
        assert_int_equal(bn_made_graph(&g, &t->g, NODES), BONSAI_OK);
        assert_int_equal(bn_shares_store(g, &s, &m.basis, 2), BONSAI_OK);
        check_stored(g, &s, &m.basis);
        assert_true(bn_factors_are_squares(g));
        assert_int_equal(bn_basis_of(&b, g), BONSAI_OK);
        assert_true(b.f == COLS && b.r == m.basis.r && b.columns == columns);
        assert_memory_equal(b.number, m.basis.number, numbers);
        assert_memory_equal(b.factor, m.basis.factor, (size_t)(b.r * b.r) * sizeof *b.factor);
        assert_true(!b.column == (columns == COLS));
        for (int64_t j = 0; b.column && j < columns; j++)
            assert_int_equal(b.column[j], m.basis.column[j]);
        assert_int_equal(bn_made_graph(&small, &t->g, NODES), BONSAI_OK);
        assert_int_equal(bn_shares_compact(small, &s, &m.basis, 1), BONSAI_OK);
        check_compact(small, &s, &m.basis);
        bonsai_graph_free(g);
        bonsai_graph_free(small);
        bn_basis_free(&b);
        bn_shares_free(&s);
        bn_mold_free(&m);
        free_stage(t);
    }
}

/* The first node has a self loop, the second nothing; both have the label and half the weight of the
 * cluster, and what is said of each.  The price is no less than that of what is written. */
static void twofold_prototypes_are_two_nodes(void **state)
{
    (void)state;
    enum { ALL = 2 * NODES };
    stage *t = new_stage(false, 1);
    bn_mold m;
    mold_of(&m, t, BOTH, COLS);
    bn_embedding rows = m.row[BN_OWN];
    bn_shares shares;
    int64_t size[NODES];
    float said[ALL * CLASSES] = {0};
    bonsai_graph *g = NULL;
    double bytes = 0;
    rows.rows = ALL;
    for (int i = 0; i < NODES; i++)
        size[i] = 3 + i;
    for (int i = 0; i < ALL; i++)
        said[i * CLASSES + (i + t->label[i % NODES]) % CLASSES] = 1;
    assert_int_equal(bn_shares_make(&shares, &rows, &m.basis), BONSAI_OK);
    const bn_clusters c = {.count = NODES, .label = t->label, .size = size};
    const bn_storage storage = {.accounting = BONSAI_ACCOUNTING_STRICT, .f = COLS, .classes = CLASSES,
                                .type = BONSAI_TYPE_I8, .soft = true, .both = true,
                                .largest = 2 + NODES, .directions = m.basis.r, .kept = COLS};
    const bn_plan plan = {.c = &c, .storage = &storage, .mix = 0.6, .taught = said,
                          .basis = &m.basis, .shares = &shares};
    assert_int_equal(bn_candidate_graph(&g, &plan, BN_COMPACT_NOT, &t->job), BONSAI_OK);
    const uint32_t *offsets = g->view.section[BONSAI_SECTION_OFFSETS].data;
    const uint32_t *to = g->view.section[BONSAI_SECTION_NEIGHBORS].data;
    const uint8_t *soft = g->view.section[BONSAI_SECTION_SOFT_LABELS].data;
    const float *weight = g->view.section[BONSAI_SECTION_NODE_WEIGHTS].data;
    assert_true(g->view.nodes == ALL && bonsai_graph_edges(g) == NODES);
    for (int i = 0; i < ALL; i++) {
        const int32_t label = t->label[i % NODES];
        assert_int_equal(offsets[i + 1] - offsets[i], i < NODES);
        assert_true(i >= NODES || to[offsets[i]] == (uint32_t)i);
        assert_int_equal(bn_label(g, i), label);
        assert_true(2 * weight[i] == (float)size[i % NODES]);
        const int sure = (i + label) % CLASSES;
        assert_int_equal(soft[i * CLASSES + sure], sure == label ? 255 : 153);
        assert_int_equal(soft[i * CLASSES + label], sure == label ? 255 : 102);
    }
    assert_int_equal(bonsai_graph_bytes(&bytes, g, BONSAI_ACCOUNTING_STRICT), BONSAI_OK);
    assert_true(bytes > 0 && bytes <= bn_storage_bytes(&storage, NODES, 0));
    bonsai_graph_free(g);
    bn_shares_free(&shares);
    bn_mold_free(&m);
    free_stage(t);
}

/* ---- threads and memory ---- */

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        stage *one = new_stage(sparse, 1), *many = new_stage(sparse, 8);
        bn_mold a, b;
        double full[2];
        mold_of(&a, one, BOTH, 20);
        mold_of(&b, many, BOTH, 20);
        const int64_t r = a.basis.r;
        assert_int_equal(r, b.basis.r);
        assert_memory_equal(a.basis.number, b.basis.number, (size_t)(r * 20));
        assert_memory_equal(a.basis.scale, b.basis.scale, (size_t)r * sizeof(float));
        assert_memory_equal(a.basis.column, b.basis.column, 20 * sizeof(int32_t));
        assert_memory_equal(a.basis.factor, b.basis.factor, (size_t)(r * r) * sizeof(double));
        assert_memory_equal(a.mixed.dense, b.mixed.dense,
                            (size_t)(ROWS * (r - 1)) * sizeof(float));
        assert_int_equal(bn_mold_full(&full[0], &a, &one->job), BONSAI_OK);
        assert_int_equal(bn_mold_full(&full[1], &b, &many->job), BONSAI_OK);
        assert_true(full[0] == full[1]);
        bn_mold_free(&a);
        bn_mold_free(&b);
        free_stage(one);
        free_stage(many);
    }
}

static bonsai_status try_once(void *payload)
{
    bonsai_status rc;
    const stage *t = payload;
    bn_guide g = {0};
    bn_mold m = {0};
    bn_shares s = {0};
    bn_basis b = {0};
    bonsai_graph *small = NULL;
    float *said = NULL;
    double full;
    BN_TRY(bn_guide_make(&g, &t->s, &t->job, NULL, &t->job.at));
    BN_TRY(bn_mold_make(&m, &g, &t->s, BOTH, 20, &t->job, &t->job.at));
    BN_TRY(bn_mold_full(&full, &m, &t->job));
    BN_TRY(bn_shares_make(&s, &m.row[BN_FAR], &m.basis));
    BN_TRY(bn_made_graph(&small, &t->g, ROWS));
    BN_TRY(bn_shares_store(small, &s, &m.basis, 1));
    BN_TRY(bn_basis_of(&b, small));
    const bn_centres rows = {.count = NODES, .x = m.row[BN_FAR]};
    BN_TRY(bn_teachers_label(&said, &m.teachers, &rows, &bn_kinds[BN_KIND_TWOFOLD], &t->job.at));
done:
    bn_free(said);
    bonsai_graph_free(small);
    bn_basis_free(&b);
    bn_shares_free(&s);
    bn_mold_free(&m);
    bn_guide_free(&g);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        stage *t = new_stage(sparse, 2);
        survives_failed_allocations(try_once, t, 60);
        free_stage(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_signed_squares_up_to_49),
        cmocka_unit_test(there_is_one_for_the_mean_and_one_less_than_classes_of_each_view),
        cmocka_unit_test(the_first_direction_is_the_mean_of_averaged_rows),
        cmocka_unit_test(the_columns_that_tell_classes_apart_are_kept),
        cmocka_unit_test(what_the_first_step_solves_is_kept),
        cmocka_unit_test(coordinates_have_the_products_of_projected_rows),
        cmocka_unit_test(shares_and_coordinates_turn_into_each_other),
        cmocka_unit_test(a_mold_has_all_rows_in_coordinates),
        cmocka_unit_test(one_class_has_no_directions),
        cmocka_unit_test(teachers_know_the_classes_of_rows),
        cmocka_unit_test(stored_shares_are_those_of_the_rows_rounded),
        cmocka_unit_test(a_graph_keeps_its_basis),
        cmocka_unit_test(twofold_prototypes_are_two_nodes),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
