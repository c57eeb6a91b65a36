/* test_gcsr.c -- GCSR's class matrix and its rounds, on a small graph.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "condensing.h"
#include "learn/experts.h"
#include "learning.h"

enum { N = 9, MOST_CLASSES = 4 };

static void make(scene *v, double labelled)
{
    scene_set(v, learnable(120, 40, MOST_CLASSES, false), BONSAI_METHOD_GCSR);
    v->p.o.effort = 0.01;
    v->p.o.split[0] = labelled;
    v->p.o.split[1] = v->p.o.split[2] = 20;
    scene_begin(v, &bn_gcsr, N);
    assert_int_equal(v->s.how->begin(&v->s), BONSAI_OK);
}

/* Of the neighbours of class k that are training nodes, the share of class l; by looking at all
 * pairs of training nodes. */
static double share(const scene *v, int32_t k, int32_t l)
{
    const bn_job *job = &v->p.job;
    double all = 0, these = 0;
    for (int64_t a = 0; a < job->trees; a++)
        for (int64_t b = 0; b < job->trees; b++) {
            bool joined = false;
            for (int64_t e = bn_row_begin(v->g, job->train[a]);
                 e < bn_row_begin(v->g, job->train[a] + 1); e++)
                joined |= bn_neighbors(v->g)[e] == job->train[b];
            if (!joined || a == b || bn_label(v->g, job->train[a]) != k)
                continue;
            all++;
            these += bn_label(v->g, job->train[b]) == l;
        }
    return all > 0 ? these / all : 0;
}

static void the_first_edges_know_training_edges_alone(void **state)
{
    scene v;
    float p[N * N], q[N * N] = {0}, a[N * N];
    (void)state;
    make(&v, 60);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            p[i * N + j] = (float)share(&v, v.s.kind[i], v.s.kind[j]);
    for (int i = 0; i < N; i++)
        q[i * N + i] = 1;
    assert_int_equal(v.s.how->show(&v.s), BONSAI_OK);
    bn_closededges e = {.n = N, .f = v.s.f, .x = v.s.x, .p = p, .q = q, .threads = 1};
    double *wide = calloc((size_t)bn_closededges_room(&e), sizeof *wide);
    double best = 1;
    static const double settings[][2] = {{1, 0.9}, {1, 1}, {0.1, 0.999}, {1, 0.999}, {10, 0.999}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        double worst = 0;
        e.alpha = settings[i][0];
        e.beta = settings[i][1];
        bn_closededges_run(a, &e, wide);
        for (int j = 0; j < N * N; j++)
            worst = fmax(worst, fabs((double)(a[j] - v.s.a[j])));
        best = fmin(best, worst);
    }
    assert_true(best < 1e-6);
    free(wide);
    drop(&v);
}

static void rounds_move_rows_and_edges_with(double labelled)
{
    scene v;
    float *before = NULL;
    double moved = 0;
    make(&v, labelled);
    before = malloc((size_t)(N * v.s.f) * sizeof *before);
    memcpy(before, v.s.x, (size_t)(N * v.s.f) * sizeof *before);
    for (int64_t i = 0; i < 10; i++) {
        assert_int_equal(v.s.how->step(&v.s, i), BONSAI_OK);
        assert_true(v.s.loss > 0 && v.s.loss < 1.1);
    }
    assert_int_equal(v.s.skipped, 0);
    assert_int_equal(v.s.how->show(&v.s), BONSAI_OK);
    for (int64_t i = 0; i < N * v.s.f; i++)
        moved += fabs((double)(v.s.x[i] - before[i]));
    assert_true(moved > 0);
    for (int i = 0; i < N * N; i++) {
        assert_true(v.s.a[i] >= 0 && isfinite(v.s.a[i]));
        assert_true(v.s.a[i] == v.s.a[i % N * N + i / N]);
    }
    free(before);
    drop(&v);
}

static void rounds_move_rows_and_edges(void **state)
{
    (void)state;
    rounds_move_rows_and_edges_with(60);
}

/* Then an expert says what the neighbours are. */
static void few_labels_are_enough(void **state)
{
    scene v;
    double sum = 0;
    (void)state;
    rounds_move_rows_and_edges_with(10);
    make(&v, 10);
    assert_true(v.p.job.trees < v.g->view.nodes / 4);
    assert_int_equal(v.s.how->show(&v.s), BONSAI_OK);
    for (int i = 0; i < N * N; i++)
        sum += i % (N + 1) == 0 ? 0 : (double)v.s.a[i];
    assert_true(sum > 0.5);
    drop(&v);
}

static bonsai_status learn_few(void *payload)
{
    bonsai_graph *small = NULL;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_GCSR;
    o.nodes = 6;
    o.effort = 0.0002;
    o.threads = 1;
    o.split[0] = 10;
    o.split[1] = o.split[2] = 20;
    const bonsai_status rc = bonsai_condense(&small, NULL, payload, &o);
    bonsai_graph_free(small);
    return rc;
}

static void survives_little_memory(void **state)
{
    bonsai_graph *g = NULL;
    bonsai_generate_options o;
    (void)state;
    bonsai_generate_options_init(&o);
    o.nodes = 120;
    o.features = 40;
    o.classes = MOST_CLASSES;
    o.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    survives_failed_allocations(learn_few, g, 40);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_edges_know_training_edges_alone),
        cmocka_unit_test(rounds_move_rows_and_edges),
        cmocka_unit_test(few_labels_are_enough),
        cmocka_unit_test(survives_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
