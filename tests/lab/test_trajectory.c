/* test_trajectory.c -- SFGC and GEOM on a small graph: the loss falls, and rows are where they began.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include "condensing.h"
#include "learn/trajectory.h"
#include "learning.h"

enum { NODES = 200, FEATURES = 60, CLASSES = 4, SMALL = 12 };

static bn_trajectory_plan plan;

static bonsai_status begin(bn_problem *s)
{
    return bn_trajectory_begin(s, &plan);
}

static const bn_learner hard = {.begin = begin, .step = bn_trajectory_step, .show = bn_trajectory_show,
                                .end = bn_trajectory_end};
static const bn_learner soft = {.soft = true, .begin = begin, .step = bn_trajectory_step,
                                .show = bn_trajectory_show, .end = bn_trajectory_end};

static void make(scene *v, const bn_learner *how, int64_t nodes)
{
    scene_set(v, learnable(NODES, FEATURES, CLASSES, false), BONSAI_METHOD_SFGC);
    scene_begin(v, how, nodes);
    plan = (bn_trajectory_plan){.expert_rate = 0.5, .epochs = 60, .rounds = 25, .window = 1,
                            .window_end = 1, .ahead = 50, .steps = 20, .eta = 0.5, .rate = 0.1,
                            .squared = true};
}

/* The mean loss of the first five rounds and of the last. */
static void learn(double *first, double *last, scene *v)
{
    *first = *last = 0;
    assert_int_equal(v->s.how->begin(&v->s), BONSAI_OK);
    assert_int_equal(v->s.steps, plan.rounds);
    for (int64_t i = 0; i < v->s.steps; i++) {
        assert_int_equal(v->s.how->step(&v->s, i), BONSAI_OK);
        *first += i < 5 ? v->s.loss / 5 : 0;
        *last += i >= v->s.steps - 5 ? v->s.loss / 5 : 0;
    }
    assert_int_equal(v->s.skipped, 0);
}

static void is_learned(const bn_learner *how, void (*change)(void))
{
    scene v;
    double first, last;
    make(&v, how, SMALL);
    change();
    learn(&first, &last, &v);
    if (!(last < 0.9 * first))
        fail_msg("the loss went from %g to %g", first, last);
    for (int64_t i = 0; v.s.q && i < SMALL; i++) {
        float sum = 0;
        for (int64_t k = 0; k < CLASSES; k++)
            sum += v.s.q[i * CLASSES + k];
        assert_true(fabsf(sum - 1) < 1e-5f);
    }
    drop(&v);
}

static void as_sfgc(void)
{
}

static void as_geom(void)
{
    plan.squared = false;
    plan.pace = BN_CURRICULUM_ROOT;
    plan.share = 0.6;
    plan.grown = 30;
    plan.window_end = 20;
    plan.beta = 0.05;
    plan.soft = 0.01;
    plan.rate = 0.1;
}

static void the_loss_falls(void **state)
{
    (void)state;
    is_learned(&hard, as_sfgc);
    is_learned(&soft, as_geom);
}

/* Each row is at first that of a training node of its class, and no node is taken twice. */
static void it_starts_from_different_nodes(void **state)
{
    scene v;
    (void)state;
    make(&v, &hard, SMALL);
    const int64_t trees = v.p.job.trees;
    float *row = calloc((size_t)(trees * v.s.f), sizeof *row);
    uint8_t *used = calloc((size_t)trees, 1);
    assert_int_equal(v.s.how->begin(&v.s), BONSAI_OK);
    assert_int_equal(bn_problem_rows(row, &v.s, v.p.job.train, trees, 0), BONSAI_OK);
    for (int64_t i = 0; i < SMALL; i++) {
        int64_t t = 0;
        while (t < trees && (used[t] || v.s.label[t] != v.s.kind[i] ||
                             memcmp(row + t * v.s.f, v.s.x + i * v.s.f,
                                    (size_t)v.s.f * sizeof *row)))
            t++;
        assert_true(t < trees);
        used[t] = 1;
    }
    free(row);
    free(used);
    drop(&v);
}

/* A descent that explodes is no step. */
static void a_round_that_is_not_finite_is_left_out(void **state)
{
    scene v;
    (void)state;
    make(&v, &hard, SMALL);
    plan.eta = 1e30;
    assert_int_equal(v.s.how->begin(&v.s), BONSAI_OK);
    float *before = calloc((size_t)(SMALL * v.s.f), sizeof *before);
    memcpy(before, v.s.x, (size_t)(SMALL * v.s.f) * sizeof *before);
    for (int64_t i = 0; i < 3; i++)
        assert_int_equal(v.s.how->step(&v.s, i), BONSAI_OK);
    assert_int_equal(v.s.in_a_row, 3);
    assert_memory_equal(before, v.s.x, (size_t)(SMALL * v.s.f) * sizeof *before);
    free(before);
    drop(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_falls),
        cmocka_unit_test(it_starts_from_different_nodes),
        cmocka_unit_test(a_round_that_is_not_finite_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
