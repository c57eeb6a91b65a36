/* test_matching.c -- the distance between gradients of a small and of a full graph, in double.
 *
 * Against values of automatic differentiation: a double backward pass in PyTorch 2 of the same
 * formulas, with the n n rows of pairs and torch's batch norm, on 12 nodes of 3 classes; numbers
 * come from `wave`, and results are sums with cosines as weights.  And against differences.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "differences.h"
#include "students.h"

enum { N = 12, D = 5, H = 4, C = 3, MOST = 512 };

typedef struct {                /* a step of GCond and its kin, and what PyTorch makes of it */
    bn_student_form form;
    int     streams;
    bn_far  far;
    double  smooth;
    double  distance, edges, dx, dparam;
} known;

static const known cases[] = {
    {BN_STUDENT_LINEAR, 0, BN_FAR_COLUMNS, 0, 8.19799223004384, 0, -2.14286489464375, 0},
    {BN_STUDENT_LINEAR, 1, BN_FAR_COLUMNS, 0,
     6.19143402885005, 1.70340603531012, 0.200264464540401, 0.530123257720131},
    {BN_STUDENT_LINEAR, 2, BN_FAR_COLUMNS, 0.5,
     9.92167537756032, 1.03949828949843, 0.181112255405557, 0.920286219852962},
    {BN_STUDENT_MLP, 1, BN_FAR_COLUMNS, 0,
     16.4272591004998, 1.70340603531012, 1.02680222307152, 0.0212461119867931},
    {BN_STUDENT_GCN, 1, BN_FAR_SQUARES, 0,
     16.2827074477519, 1.70340603531012, -2.72970105279284, -0.1385423620401},
    {BN_STUDENT_GCN, 2, BN_FAR_WHOLE, 0.1,
     2.67249676922225, 1.03949828949843, 0.029522996071438, 0.00668722285822266},
};

enum { CASES = sizeof cases / sizeof *cases };

typedef struct {
    bn_matching m;
    bn_edgenet net;
    bn_slab slab;
    int32_t kind[N];
    int64_t want[C];
    real x[N * D], theta[MOST], param[MOST], dx[N * D], dparam[MOST];
} matched;

static void lay(matched *m, bn_slab *slab)
{
    if (m->m.net)
        bn_edgenet_lay(&m->net, slab);
    bn_matching_lay(&m->m, slab);
}

static void make_matched(matched *m, const known *k, const int64_t *want)
{
    *m = (matched){.net = {.n = N, .d = D, .h = H, .streams = k->streams, .threads = 1,
                           .pairs = 40, .keep = true}};
    for (int64_t c = 0, i = 0; c < C; i += want[c++]) {
        m->want[c] = want[c];
        for (int64_t j = 0; j < want[c]; j++)
            m->kind[i + j] = (int32_t)c;
    }
    m->m = (bn_matching){.s = {.form = k->form, .n = N, .f = D, .h = H, .c = C, .threads = 1},
                         .kind = m->kind, .want = m->want, .net = k->streams ? &m->net : NULL,
                         .far = k->far, .smooth = k->smooth, .x = m->x, .theta = m->theta,
                         .param = m->param};
    lay(m, &m->slab);
    m->slab = (bn_slab){.reals = calloc((size_t)m->slab.used, sizeof(real))};
    lay(m, &m->slab);
    for (int64_t i = 0; i < MOST; i++) {
        m->theta[i] = 0.8 + wave(i, 1.4);
        m->param[i] = wave(i, 0.5);
    }
    for (int64_t i = 0; i < N * D; i++)
        m->x[i] = wave(i, 0.1);
    for (int64_t i = 0; i < C * m->m.size; i++)
        m->m.full[i] = 0.1 * wave(i, 0.2);
}

static double run(matched *m)
{
    memset(m->dx, 0, sizeof m->dx);
    memset(m->dparam, 0, sizeof m->dparam);
    bn_matching_forward(&m->m);
    return bn_matching_backward(m->dx, m->m.net ? m->dparam : NULL, &m->m);
}

static double far_of(void *payload)
{
    matched *m = payload;
    bn_matching_forward(&m->m);
    return bn_matching_backward(NULL, NULL, &m->m);
}

static const int64_t want[C] = {5, 3, 4};

static void a_step_is_that_of_automatic_differentiation(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const known *k = &cases[i];
        matched m;
        make_matched(&m, k, want);
        assert_near("the distance", run(&m), k->distance, 1e-12);
        if (m.m.net)
            assert_near("edges", mark(m.m.a, N * N), k->edges, 1e-12);
        assert_near("the gradient of x", mark(m.dx, N * D), k->dx, 1e-11);
        assert_near("the gradient of the net", mark(m.dparam, m.net.count), k->dparam, 1e-11);
        free(m.slab.reals);
    }
}

static void gradients_are_those_of_differences(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        matched m;
        make_matched(&m, &cases[i], want);
        run(&m);
        assert_gradient("x", m.dx, far_of, &m, m.x, N * D);
        assert_gradient("a parameter", m.dparam, far_of, &m, m.param, m.net.count);
        free(m.slab.reals);
    }
}

/* A small graph that gives the gradients of the full one is at its goal. */
static void nothing_pulls_where_gradients_are_equal(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        known k = cases[i];
        matched m;
        k.smooth = 0;
        make_matched(&m, &k, want);
        bn_matching_forward(&m.m);
        memset(m.m.full, 0, (size_t)(C * m.m.size) * sizeof(real));
        for (int64_t c = 0, first = 0; c < C; first += want[c++]) {
            real w[N] = {0};
            bn_student s = m.m.s;
            s.norm = k.form == BN_STUDENT_GCN ? m.m.norm : NULL;
            s.x = k.form == BN_STUDENT_GCN ? m.x : m.m.hops;
            s.q = m.m.q;
            s.w = w;
            for (int64_t j = first; j < first + want[c]; j++)
                w[j] = 1 / (double)want[c];
            bn_student_grad(m.m.full + c * m.m.size, &s, m.theta, m.m.room);
        }
        assert_true(fabs(run(&m)) < 0.02);        /* 1e-6 is added to lengths */
        for (int64_t j = 0; j < N * D; j++)
            assert_true(fabs(m.dx[j]) < 0.02);
        free(m.slab.reals);
    }
}

/* A class without nodes takes no part. */
static void a_class_may_be_missing(void **state)
{
    (void)state;
    static const int64_t some[C] = {7, 0, 5};
    for (int i = 0; i < CASES; i++) {
        matched m;
        make_matched(&m, &cases[i], some);
        const double far = run(&m);
        for (int64_t j = 0; j < m.m.size; j++)
            m.m.full[m.m.size + j] = 7;
        assert_near("the distance", far_of(&m), far, 0);
        assert_gradient("x", m.dx, far_of, &m, m.x, N * D);
        free(m.slab.reals);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_that_of_automatic_differentiation),
        cmocka_unit_test(gradients_are_those_of_differences),
        cmocka_unit_test(nothing_pulls_where_gradients_are_equal),
        cmocka_unit_test(a_class_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
