/* test_gcond.c -- methods that match gradients, on small graphs.
 *
 * What they are made of is tested in test_matching.c and test_edgenet.c.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "condensing.h"
#include "learn/gcond.h"
#include "learning.h"

enum { NODES = 300, FEATURES = 30, CLASSES = 3, SMALL = 12 };

static void make(scene *v, const bn_learner *how, double effort)
{
    scene_set(v, learnable(NODES, FEATURES, CLASSES, false), BONSAI_METHOD_GCOND);
    v->p.o.effort = effort;
    scene_begin(v, how, SMALL);
    assert_int_equal(how->begin(&v->s), BONSAI_OK);
}

/* The mean loss of rounds from .. to-1. */
static double mean_loss(bn_problem *s, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t i = from; i < to; i++) {
        assert_int_equal(s->how->step(s, i), BONSAI_OK);
        assert_true(isfinite(s->loss));
        sum += s->loss;
    }
    return sum / (double)(to - from);
}

static void check_falls(const bn_learner *how, double effort)
{
    scene v;
    make(&v, how, effort);
    const int64_t steps = v.s.steps, part = steps / 5;
    const double first = mean_loss(&v.s, 0, part);
    mean_loss(&v.s, part, steps - part);
    const double last = mean_loss(&v.s, steps - part, steps);
    if (!(last < first))
        fail_msg("the loss was %g and is %g", first, last);
    assert_int_equal(v.s.skipped, 0);
    assert_int_equal(how->show(&v.s), BONSAI_OK);
    drop(&v);
}

static void losses_fall(void **state)
{
    (void)state;
    check_falls(&bn_gcond_x, 0.1);
    check_falls(&bn_gcond, 0.02);
    check_falls(&bn_sgdd, 0.02);
    check_falls(&bn_exgc, 0.02);
    check_falls(&bn_doscond, 0.01);
}

/* ---- the full graph under a GCN ---- */

/* The operator of all nodes, dense. */
static void dense_operator(float *norm, const bonsai_graph *g)
{
    bn_messages m;
    float *one = calloc(NODES * NODES, sizeof *one);
    for (int64_t i = 0; i < NODES; i++)
        one[i * NODES + i] = 1;
    assert_int_equal(bn_messages_make(&m, g, BN_NORM_BOTH, false, 1), BONSAI_OK);
    const bn_input x = {.rows = NODES, .cols = NODES, .dense = one};
    bn_pass(norm, &m.to, &x, (bn_span){0, NODES, 1});
    bn_messages_free(&m);
    free(one);
}

static void gradients_of_a_batch_are_those_of_the_whole_graph(void **state)
{
    (void)state;
    enum { H = 7, COUNT = 9, SIZE = (FEATURES + 1) * H + (H + 1) * CLASSES };
    scene v;
    bn_fullgcn full;
    float theta[SIZE], got[SIZE], wanted[SIZE], *room, q[NODES * CLASSES] = {0}, w[NODES] = {0};
    float *norm = calloc(NODES * NODES, sizeof *norm), *x = calloc(NODES * FEATURES, sizeof *x);
    int32_t all[NODES], place[COUNT];
    uint64_t seed = 3;
    make(&v, &bn_gcond_x, 0.001);
    for (int i = 0; i < SIZE; i++)
        theta[i] = random_real(&seed);
    for (int32_t i = 0; i < NODES; i++)
        all[i] = i;
    dense_operator(norm, v.g);
    assert_int_equal(bn_problem_rows(x, &v.s, all, NODES, 0), BONSAI_OK);
    bn_student s = {.form = BN_STUDENT_GCN, .n = NODES, .f = FEATURES, .h = H, .c = CLASSES,
                    .norm = norm, .x = x, .q = q, .w = w, .threads = 1};
    room = calloc((size_t)bn_student_room(&s), sizeof *room);
    for (int64_t i = 0; i < NODES; i++)
        q[i * CLASSES + 1] = 1;
    assert_int_equal(bn_fullgcn_new(&full, &v.s, v.p.job.train, v.p.job.trees, COUNT, H),
                     BONSAI_OK);
    for (int again = 0; again < 2; again++) {
        memset(w, 0, sizeof w);
        for (int i = 0; i < COUNT; i++) {
            place[i] = i * 5 + again;
            w[v.p.job.train[place[i]]] = 1.0f / COUNT;
        }
        bn_fullgcn_grad(got, &full, theta, place, COUNT, 1);
        bn_student_grad(wanted, &s, theta, room);
        for (int i = 0; i < SIZE; i++)
            if (!(fabsf(got[i] - wanted[i]) <= 1e-5f * (1 + fabsf(wanted[i]))))
                fail_msg("number %d is %g, not %g", i, got[i], wanted[i]);
    }
    bn_fullgcn_free(&full);
    free(norm);
    free(x);
    free(room);
    drop(&v);
}

/* ---- nodes that wait ---- */

static int64_t moved_rows(const bn_problem *s, const float *before)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++)
        count += memcmp(s->x + i * s->f, before + i * s->f, (size_t)s->f * sizeof *before) != 0;
    return count;
}

static void more_nodes_learn_as_time_goes_by(void **state)
{
    (void)state;
    scene v;
    float before[SMALL * FEATURES];
    make(&v, &bn_exgc, 0.04);           /* 24 rounds: every two more nodes join */
    memcpy(before, v.s.x, sizeof before);
    mean_loss(&v.s, 0, 4);              /* these are for edges */
    assert_int_equal(moved_rows(&v.s, before), 0);
    int64_t moved = 0;
    for (int64_t i = 4; i < 24; i++) {
        mean_loss(&v.s, i, i + 1);
        const int64_t now = moved_rows(&v.s, before);
        assert_true(now >= moved && now >= CLASSES);
        assert_true(i >= 6 || now < SMALL);
        moved = now;
    }
    assert_int_equal(moved, SMALL);
    drop(&v);
}

/* ---- batches ---- */

/* A class of more nodes than a batch: each step draws others, and a seed draws them again. */
static void edges_learn_in_short_runs(void **state)
{
    scene v;
    (void)state;
    make(&v, &bn_gcond, 0.005);
    const bn_gcond_state *g = v.s.state;
    for (int64_t steps = 1; steps < 5; steps++) {
        int64_t moved = 0;
        v.s.steps = steps;
        for (int64_t i = 0; i < steps; i++) {
            const int64_t before = g->edges.t;
            assert_int_equal(v.s.how->step(&v.s, i), BONSAI_OK);
            moved += g->edges.t > before;
        }
        assert_int_equal(moved, steps > 1);
    }
    drop(&v);
}

static void batches_are_drawn_again(void **state)
{
    (void)state;
    bonsai_graph *out[3];
    bonsai_generate_options o;
    bonsai_condense_options how;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 1200;
    o.features = FEATURES;
    o.classes = 2;
    o.words = 8;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    bonsai_condense_options_init(&how);
    how.nodes = 6;
    how.effort = 0.002;
    how.threads = 1;
    for (int m = 0; m < 2; m++) {
        how.method = m ? BONSAI_METHOD_DOSCOND : BONSAI_METHOD_GCOND_X;
        for (int i = 0; i < 3; i++) {
            how.seed = i < 2 ? 1 : 2;
            assert_int_equal(bonsai_condense(&out[i], NULL, g, &how), BONSAI_OK);
        }
        assert_same_file(out[0], out[1]);
        for (int i = 0; i < 3; i++)
            bonsai_graph_free(out[i]);
    }
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_fall),
        cmocka_unit_test(gradients_of_a_batch_are_those_of_the_whole_graph),
        cmocka_unit_test(more_nodes_learn_as_time_goes_by),
        cmocka_unit_test(edges_learn_in_short_runs),
        cmocka_unit_test(batches_are_drawn_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
