/* test_problem.c -- what a method that learns is given, the loop, and the small graph of it.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include "condensing.h"
#include "learning.h"

enum { NODES = 60, NINE = 9 };

/* ---- a job ---- */

static void make(scene *v, layout features, int with, const bn_learner *how)
{
    scene_set(v, random_graph(5, NODES, 150, features, WITH_LABELS | with), BONSAI_METHOD_GCOND_X);
    scene_begin(v, how, NINE);
}

/* Of 300 words, of which a row of eight bits takes as many bytes. */
static void make_words(scene *v)
{
    scene_set(v, learnable(200, 300, 5, false), BONSAI_METHOD_GCOND_X);
    scene_begin(v, NULL, NINE);
}

/* ---- a method that counts ---- */

static int64_t shown, ended, stop_at;

static bonsai_status toy_begin(bn_problem *s)
{
    s->steps = 20;
    shown = ended = 0;
    return bn_problem_start(s, 1);
}

static bonsai_status toy_step(bn_problem *s, int64_t i)
{
    s->loss = 20 - (double)i;
    s->x[0] += 1;
    if (i == stop_at)
        s->in_a_row = 10;
    return BONSAI_OK;
}

static bonsai_status toy_show(bn_problem *s)
{
    shown++;
    for (int64_t i = 0; s->a && i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            s->a[i * s->n + j] = i == j ? 0.25f : (i + j) % 2 ? 0.5f : 0.01f;
    for (int64_t i = 0; s->q && i < s->n * s->c; i++)
        s->q[i] = i % s->c == s->c - 1 ? 0.8f : 0.2f / (float)(s->c - 1);
    s->least = 0.05f;
    return BONSAI_OK;
}

static void toy_end(bn_problem *s)
{
    (void)s;
    ended++;
}

static const bn_learner plain = {BN_UNITS_PUBLISHED, false, 0, false, false,
                                 toy_begin, toy_step, toy_show, toy_end, NULL};
static const bn_learner joined = {BN_UNITS_STANDARD, true, 40, true, false,
                                  toy_begin, toy_step, toy_show, toy_end, NULL};

/* ---- averaged rows ---- */

/* The features in units, and A + I with the degrees of its rows. */
static void plain_start(double *x, double *a, double *d, const bn_problem *s)
{
    const bonsai_graph *g = s->job->g;
    const float *w = g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    const int64_t n = g->view.nodes, f = s->f;
    int32_t *index = calloc((size_t)f, sizeof *index);
    float *value = calloc((size_t)f, sizeof *value);
    for (int64_t v = 0; v < n; v++) {
        const int64_t count = bn_row_get(index, value, g, v);
        for (int64_t j = 0; j < f; j++)
            x[v * f + j] = -(double)s->mean[j] / (double)s->spread[j];
        for (int64_t e = 0; e < count; e++)
            x[v * f + index[e]] += (double)value[e] / (double)s->spread[index[e]];
        for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++)
            a[v * n + bn_neighbors(g)[e]] += w ? (double)w[e] : 1;
        a[v * n + v] = a[v * n + v] == 0 ? 1 : a[v * n + v];
        for (int64_t u = 0; u < n; u++)
            d[v] += a[v * n + u];
    }
    free(index);
    free(value);
}

static void plain_pass(double *next, const double *x, const double *a, const double *d, int64_t f)
{
    memset(next, 0, (size_t)(NODES * f) * sizeof *next);
    for (int64_t v = 0; v < NODES; v++)
        for (int64_t u = 0; u < NODES; u++)
            for (int64_t j = 0; j < f && a[v * NODES + u] != 0; j++)
                next[v * f + j] += a[v * NODES + u] / sqrt(d[v] * d[u]) * x[u * f + j];
}

static void rows_case(layout features, int with, const bn_learner *how)
{
    scene v;
    make(&v, features, with, how);
    const int64_t f = v.s.f;
    double *a = calloc(NODES * NODES, sizeof *a), d[NODES] = {0};
    double *x = calloc((size_t)(NODES * f), sizeof *x), *next = calloc((size_t)(NODES * f), sizeof *x);
    float *got = calloc((size_t)(NODES * f), sizeof *got);
    int32_t node[NODES];
    for (int i = 0; i < NODES; i++)
        node[i] = NODES - 1 - i;
    plain_start(x, a, d, &v.s);
    for (int hops = 0; hops <= 3; hops++) {
        assert_int_equal(bn_problem_rows(got, &v.s, node, NODES, hops), BONSAI_OK);
        for (int64_t i = 0; i < NODES * f; i++) {
            const double want = x[node[i / f] * f + i % f];
            assert_true(fabs((double)got[i] - want) < 1e-4 * (1 + fabs(want)));
        }
        plain_pass(next, x, a, d, f);
        memcpy(x, next, (size_t)(NODES * f) * sizeof *x);
    }
    free(a);
    free(x);
    free(next);
    free(got);
    drop(&v);
}

static void rows_are_those_of_the_operator(void **state)
{
    (void)state;
    rows_case(SPARSE_ONES, 0, &plain);
    rows_case(DENSE_F32, WITH_WEIGHTS, &plain);
    rows_case(DENSE_U8, WITH_WEIGHTS | WITH_LOOPS, &joined);
    rows_case(SPARSE_F32, 0, &joined);
}

static void words_are_over_their_mean_sum(void **state)
{
    (void)state;
    scene v;
    double sum = 0;
    make(&v, SPARSE_ONES, 0, &plain);
    const int64_t all = v.p.job.trees * v.s.f;
    float *x = calloc((size_t)all, sizeof *x);
    assert_int_equal(bn_problem_rows(x, &v.s, v.p.job.train, v.p.job.trees, 0), BONSAI_OK);
    for (int64_t i = 0; i < all; i++)
        sum += (double)x[i];
    assert_true(fabs(sum / (double)v.p.job.trees - 1) < 1e-5);
    free(x);
    drop(&v);
}

/* ---- classes ---- */

static void classes_get_their_shares(void **state)
{
    (void)state;
    scene v;
    int32_t pick[NINE];
    make(&v, SPARSE_ONES, 0, &plain);
    assert_int_equal(bn_problem_pick(pick, &v.s, 3), BONSAI_OK);
    for (int i = 0; i < NINE; i++) {
        assert_int_equal(v.s.label[pick[i]], v.s.kind[i]);
        assert_true(i == 0 || v.s.kind[i - 1] <= v.s.kind[i]);
        for (int j = 0; j < i; j++)
            assert_true(pick[i] != pick[j]);
    }
    drop(&v);
}

/* ---- the loop ---- */

static bonsai_graph *learned(bn_learn_report *card, scene *v, const bn_learner *how, bn_budget b)
{
    bonsai_graph *small = NULL;
    if (bn_learn(&small, card, how, &v->p.job, &b) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return small;
}

static const bn_budget nine = {INFINITY, NINE, INT64_MAX};

static void the_round_that_is_asked_for_is_kept(void **state)
{
    (void)state;
    scene v;
    bn_learn_report card;
    stop_at = -1;
    make(&v, SPARSE_ONES, 0, NULL);
    v.p.o.keep = BONSAI_KEEP_LAST;
    bonsai_graph *small = learned(&card, &v, &plain, nine);
    assert_int_equal(card.kept, 20);
    assert_int_equal(card.done, 20);
    assert_int_equal(card.bits, 32);
    assert_true(card.probe == -1);      /* nobody asked */
    assert_int_equal(shown, 1);
    assert_int_equal(ended, 1);
    assert_int_equal(small->view.nodes, NINE);
    assert_int_equal(bonsai_graph_edges(small), NINE);  /* a self loop each */
    bonsai_graph_free(small);
    v.p.o.keep = BONSAI_KEEP_PROBE;
    small = learned(&card, &v, &plain, nine);
    assert_int_equal(shown, 11);
    assert_true(card.probe >= 0);
    bonsai_graph_free(small);
    drop(&v);
}

static void it_ends_early_with_what_there_is(void **state)
{
    (void)state;
    scene v;
    bn_learn_report card;
    stop_at = 4;
    make(&v, SPARSE_ONES, 0, NULL);
    v.p.o.keep = BONSAI_KEEP_LAST;
    bonsai_graph *small = learned(&card, &v, &plain, nine);
    assert_true(card.failed);
    assert_int_equal(card.done, 5);
    bonsai_graph_free(small);
    stop_at = -1;
    v.p.o.time_limit = 1e-9;
    small = learned(&card, &v, &plain, nine);
    assert_true(card.late);
    assert_int_equal(card.done, 1);
    bonsai_graph_free(small);
    drop(&v);
}

/* Steps of a student between those of the small graph neither count nor end a row of them. */
static void only_the_small_graph_fails_in_a_row(void **state)
{
    (void)state;
    bn_problem s = {.threads = 1};
    float x[2] = {0}, theta[2] = {0};
    bn_descent small, student;
    assert_int_equal(bn_descent_new(&small, x, 2, 0.1, 0), BONSAI_OK);
    assert_int_equal(bn_descent_new(&student, theta, 2, 0.1, 0), BONSAI_OK);
    student.student = true;
    for (int i = 0; i < 10; i++) {
        small.l.grad[1] = NAN;
        assert_false(bn_descend(&small, &s));
        student.l.grad[0] = 1;
        assert_true(bn_descend(&student, &s));
    }
    student.l.grad[0] = NAN;
    assert_false(bn_descend(&student, &s));
    assert_int_equal(s.in_a_row, 10);
    assert_int_equal(s.skipped, 11);
    assert_true(bn_descend(&small, &s));
    assert_int_equal(s.in_a_row, 0);
    bn_descent_free(&small);
    bn_descent_free(&student);
}

/* ---- the small graph ---- */

static void edges_are_those_above_the_threshold(void **state)
{
    (void)state;
    scene v;
    bn_learn_report card;
    stop_at = -1;
    make(&v, DENSE_F32, 0, NULL);
    bonsai_graph *small = learned(&card, &v, &joined, nine);
    const float *w = small->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    const int64_t n = small->view.nodes;
    assert_int_equal(n, v.p.job.trees < NINE ? v.p.job.trees : NINE);
    assert_int_equal(bonsai_graph_edges(small), n + 2 * ((n + 1) / 2) * (n / 2));
    assert_true(small->view.flags & BONSAI_FLAG_SELF_LOOPS);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = bn_row_begin(small, i); e < bn_row_begin(small, i + 1); e++)
            assert_true(w[e] == (bn_neighbors(small)[e] == i ? 1.25f : 0.5f));
        assert_int_equal(bn_label(small, i), small->view.classes - 1);
    }
    bonsai_graph_free(small);
    drop(&v);
}

static void as_many_nodes_as_fit(void **state)
{
    (void)state;
    scene v;
    bn_learn_report card;
    bonsai_graph *small = NULL;
    int cut = 0, whole = 0;
    const bn_learner *const both[] = {&plain, &joined};
    stop_at = -1;
    make_words(&v);
    for (int i = 0; i < 2; i++)
        for (double bytes = 400; bytes < 4000; bytes += 473) {
            small = learned(&card, &v, both[i], (bn_budget){bytes, INT64_MAX, INT64_MAX});
            assert_true(card.bits == 8 || (card.cut && card.bits == 4));
            assert_true(card.cut ? small->view.nodes <= 5 : small->view.nodes >= 5);
            cut += card.cut;
            whole += !card.cut;
            assert_true(size_in(small, BONSAI_ACCOUNTING_STRICT) <= bytes);
            bonsai_graph_free(small);
        }
    assert_true(cut > 2 && whole > 2);
    small = NULL;
    const bn_budget tiny = {9, INT64_MAX, INT64_MAX};
    assert_fails(bn_learn(&small, &card, &plain, &v.p.job, &tiny), BONSAI_E_ARGUMENT,
                 "a budget of 9 bytes is too small for gcond-x");
    assert_null(small);
    drop(&v);
}

/* Of 10,000 training nodes, where any two of those learned take room. */
static void there_are_not_too_many_pairs(void **state)
{
    (void)state;
    scene v;
    bn_fit fit;
    make(&v, SPARSE_ONES, 0, NULL);
    bn_job job = v.p.job;
    job.trees = 10000;
    const bn_budget more = {INFINITY, 5000, INT64_MAX}, less = {INFINITY, 4096, INT64_MAX};
    assert_int_equal(bn_learned_nodes(&fit, &joined, &job, &more), BONSAI_OK);
    assert_int_equal(fit.nodes, BN_MOST_PAIRED);
    assert_true(fit.limited);
    assert_int_equal(bn_learned_nodes(&fit, &joined, &job, &less), BONSAI_OK);
    assert_int_equal(fit.nodes, 4096);
    assert_false(fit.limited);
    assert_int_equal(bn_learned_nodes(&fit, &plain, &job, &more), BONSAI_OK);
    assert_int_equal(fit.nodes, 5000);
    assert_false(fit.limited);
    drop(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_operator),
        cmocka_unit_test(words_are_over_their_mean_sum),
        cmocka_unit_test(classes_get_their_shares),
        cmocka_unit_test(the_round_that_is_asked_for_is_kept),
        cmocka_unit_test(it_ends_early_with_what_there_is),
        cmocka_unit_test(only_the_small_graph_fails_in_a_row),
        cmocka_unit_test(edges_are_those_above_the_threshold),
        cmocka_unit_test(as_many_nodes_as_fit),
        cmocka_unit_test(there_are_not_too_many_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
