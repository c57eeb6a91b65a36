/* test_unroll.c -- descent of students and the derivatives of where it ends, in double.
 *
 * Against values of automatic differentiation through all steps (PyTorch 2, the same formulas,
 * sums with cosines as weights), against central differences, and to the bit for every spacing of
 * what is kept.  With five nodes and eight features the first weights are never made.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "students.h"

enum { N = PUPIL_N, F = PUPIL_F, C = PUPIL_C, STEPS = 25, CASES = 5 };

typedef struct {
    example  p;
    bn_unroll u;
    real   start[PUPIL_MOST], target[PUPIL_MOST], end[PUPIL_MOST], dend[PUPIL_MOST];
    bn_unrolled out;
    real   dx[N * F], dn[N * N], dq[N * C], dones[N];
    bool   squared;
    double loss;
} journey;

static const struct {
    bn_student_form form;
    bool norm, ones, squared;
    double frozen[2][6];        /* 11 and 5 nodes: loss, marks of dx and dq, drate, dones, dn */
} cases[CASES] = {
    {BN_STUDENT_MLP, false, false, true,
     {{11.3479280643341, 0.301024838506562, -4.98554261539699, 14.2015063355309,
       0.721036230261291, 0},
      {11.0497080229757, -0.454196727077625, -5.21276107023507, 18.0450854653662,
       -1.03758655171102, 0}}},
    {BN_STUDENT_MLP, false, true, false,
     {{3.60078401636251, 0.00348376251680549, -1.56120598482384, 2.73128923879553,
       0.0625343227827605, 0},
      {3.41460072871147, -0.248651336080577, -1.21606722173093, 2.3172665746143,
       -0.231695893106871, 0}}},
    {BN_STUDENT_SGC2, false, true, true,
     {{11.7204114021533, 8.83113220411911, -10.6120392638457, 11.5761103526119,
       -0.0337253723520848, 0},
      {9.39877424205919, 1.60060021411836, -7.12871108804962, 3.21978567269014,
       -0.0498194161448723, 0}}},
    {BN_STUDENT_SGC2, true, false, true,
     {{5.69272072463857, 0.0359462979763639, 0.224638995853886, 1.40248056381252,
       -0.058752352835165, 4.26105382004767},
      {2.8935980252748, 0.399352509026288, 0.349517150701043, 10.5381081435179, 2.9496905881796,
       15.5227799360254}}},
    {BN_STUDENT_GCN, true, true, true,
     {{5.26507132131758, 0.00939156445104706, 0.302147494472769, 4.16045047589702,
       1.60818125974039, -1.10175379538132},
      {8.22573199303951, 0.0494727477697142, 0.585705097763036, 4.33793022620553,
       -2.0358935841653, -1.56082088952486}}},
};

static void prepare(journey *j, int i, int64_t n)
{
    memset(j, 0, sizeof *j);
    make_example(&j->p, cases[i].form, 2);
    j->p.s.n = n;
    j->p.s.norm = cases[i].norm ? j->p.norm : NULL;
    j->p.s.ones = cases[i].ones ? j->p.ones : NULL;
    j->squared = cases[i].squared;
    for (int k = 0; k < PUPIL_MOST; k++) {
        j->start[k] = j->p.theta[k];
        j->target[k] = j->start[k] + 0.1 * wave(k, 3.1);
    }
    j->u = (bn_unroll){.s = j->p.s, .steps = STEPS, .every = 4, .rate = 0.3};
}

static void run(journey *j, bool back)
{
    const int64_t size = bn_student_size(&j->u.s);
    real *room = malloc((size_t)bn_unroll_room(&j->u) * sizeof *room);
    assert_non_null(room);
    assert_int_equal(bn_unroll_run(j->end, &j->u, j->start, room), BONSAI_OK);
    j->loss = bn_missed(j->dend, j->end, j->start, j->target, size, j->squared);
    if (back) {
        j->out = (bn_unrolled){j->dx, j->dn, j->dq, j->dones, 0};
        memset(j->dx, 0, sizeof j->dx);
        memset(j->dn, 0, sizeof j->dn);
        memset(j->dq, 0, sizeof j->dq);
        memset(j->dones, 0, sizeof j->dones);
        assert_int_equal(bn_unroll_back(&j->out, &j->u, j->start, j->dend, room), BONSAI_OK);
    }
    free(room);
}

static void is_near(const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * (1 + fabs(wanted))))
        fail_msg("%s is %.12g, not %.12g", what, got, wanted);
}

static void center(real *dq, int64_t n)         /* along rows that keep their sum */
{
    for (int64_t i = 0; i < n; i++) {
        const double mean = (dq[i * C] + dq[i * C + 1] + dq[i * C + 2]) / C;
        for (int k = 0; k < C; k++)
            dq[i * C + k] -= mean;
    }
}

static void is_frozen(void **state)
{
    static journey j;
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int few = 0; few < 2; few++) {
            const int64_t n = few ? 5 : N;
            prepare(&j, i, n);
            run(&j, true);
            center(j.dq, n);
            const double got[] = {j.loss, mark(j.dx, n * F), mark(j.dq, n * C), j.out.drate,
                                  mark(j.dones, n), mark(j.dn, n * n)};
            for (int k = 0; k < 6; k++) {
                char what[64];
                snprintf(what, sizeof what, "case %d, %d nodes, value %d", i, (int)n, k);
                is_near(what, got[k], cases[i].frozen[few][k], 1e-10);
            }
        }
}

static double loss_at(journey *j, real *at, double value)
{
    const real before = *at;
    *at = (real)value;
    run(j, false);
    *at = before;
    return j->loss;
}

static void is_slope(const char *what, const real *got, journey *j, real *at, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const double step = 1e-6, x = at[i];
        is_near(what, got[i], (loss_at(j, at + i, x + step) - loss_at(j, at + i, x - step)) /
                                  (2 * step), 1e-6);
    }
}

static void agrees_with_differences(void **state)
{
    static journey j;
    (void)state;
    for (int i = 0; i < CASES; i++) {
        prepare(&j, i, 5);
        run(&j, true);
        is_slope("dx", j.dx, &j, j.p.x, 5 * F);
        is_slope("drate", &j.out.drate, &j, &j.u.rate, 1);
        if (j.u.s.norm)
            is_slope("dn", j.dn, &j, j.p.norm, 25);
        if (j.u.s.ones)
            is_slope("dones", j.dones, &j, j.p.ones, 5);
    }
}

static void has_the_same_bits_for_every_spacing(void **state)
{
    static journey a, b;
    static const int64_t every[] = {1, 7, 25};
    (void)state;
    for (int i = 0; i < 2 * CASES; i++) {
        prepare(&a, i / 2, i % 2 ? 5 : N);
        run(&a, true);
        for (size_t k = 0; k < sizeof every / sizeof *every; k++) {
            prepare(&b, i / 2, i % 2 ? 5 : N);
            b.u.every = every[k];
            b.u.s.threads = (int)k + 1;
            run(&b, true);
            assert_memory_equal(a.end, b.end, sizeof a.end);
            assert_memory_equal(a.dx, b.dx, sizeof a.dx);
            assert_memory_equal(a.dn, b.dn, sizeof a.dn);
            assert_memory_equal(a.dq, b.dq, sizeof a.dq);
            assert_memory_equal(a.dones, b.dones, sizeof a.dones);
            assert_memory_equal(&a.out.drate, &b.out.drate, sizeof a.out.drate);
        }
    }
}

typedef struct {
    int  left, seen;            /* looks until the way ends */
    bool fails;
} watch;

static bonsai_status watched(bool *stop, const void *of)
{
    watch *w = *(watch *const *)of;
    const bool ends = ++w->seen == w->left;
    *stop = ends && !w->fails;
    return ends && w->fails ? BONSAI_E_CANCELED : BONSAI_OK;
}

/* Both ways with looks, of which one may end them. */
static void go(journey *j, watch *w, bonsai_status run_rc, bonsai_status back_rc)
{
    real *room = malloc((size_t)bn_unroll_room(&j->u) * sizeof *room);
    assert_non_null(room);
    j->u.look = watched;
    j->u.of = &w;
    assert_int_equal(bn_unroll_run(j->end, &j->u, j->start, room), run_rc);
    if (run_rc == BONSAI_OK) {
        memset(j->dend, 0, sizeof j->dend);
        j->out = (bn_unrolled){.dx = j->dx};
        assert_int_equal(bn_unroll_back(&j->out, &j->u, j->start, j->dend, room), back_rc);
    }
    free(room);
}

static void is_looked_after(void **state)
{
    static journey j;
    watch w = {0};
    (void)state;
    prepare(&j, 0, 5);
    j.u.steps = 200;
    j.u.every = 10;
    go(&j, &w, BONSAI_OK, BONSAI_OK);
    assert_int_equal(w.seen, 3 + 5);            /* of 200 steps; of 180 made again and 200 back */
    w = (watch){.left = 2, .fails = true};
    go(&j, &w, BONSAI_E_CANCELED, BONSAI_OK);
    assert_int_equal(w.seen, 2);
    w = (watch){.left = 5, .fails = true};
    go(&j, &w, BONSAI_OK, BONSAI_E_CANCELED);
    assert_int_equal(w.seen, 5);
    w = (watch){.left = 5};
    go(&j, &w, BONSAI_OK, BONSAI_OK);
    assert_int_equal(w.seen, 5);
}

static void keeps_what_fits(void **state)
{
    journey j;
    (void)state;
    prepare(&j, 0, N);
    j.u.every = bn_unroll_every(&j.u, INT64_MAX);
    assert_int_equal(j.u.every, 1);
    const int64_t all = bn_unroll_room(&j.u);
    j.u.every = bn_unroll_every(&j.u, (all - 1) * (int64_t)sizeof(real));
    assert_true(j.u.every > 1 && bn_unroll_room(&j.u) < all);
    j.u.every = bn_unroll_every(&j.u, 0);
    assert_int_equal(j.u.every, 5);             /* 5 kept, 5 between */
}

static void takes_one_node_and_one_step(void **state)
{
    static journey j;
    (void)state;
    prepare(&j, 0, 1);
    j.u.steps = j.u.every = 1;
    run(&j, true);
    is_slope("dx", j.dx, &j, j.p.x, F);
}

static void differentiates_the_loss_by_the_input(void **state)
{
    static example p;
    real dx[N * F] = {0}, grad[PUPIL_MOST];
    (void)state;
    for (int form = 0; form <= BN_STUDENT_GCN; form++) {
        make_example(&p, (bn_student_form)form, 2);
        p.s.norm = form == BN_STUDENT_GCN ? p.norm : NULL;
        memset(dx, 0, sizeof dx);
        const double loss = bn_student_input(dx, &p.s, p.theta, 3, p.room);
        is_near("loss", loss, bn_student_grad(grad, &p.s, p.theta, p.room), 0);
        for (int i = 0; i < N * F; i++) {
            const double x = p.x[i], step = 1e-5;
            p.x[i] = x + step;
            double up = bn_student_grad(grad, &p.s, p.theta, p.room);
            p.x[i] = x - step;
            double down = bn_student_grad(grad, &p.s, p.theta, p.room);
            p.x[i] = x;
            is_near("dx", dx[i], 3 * (up - down) / (2 * step), 1e-8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_frozen),
        cmocka_unit_test(agrees_with_differences),
        cmocka_unit_test(has_the_same_bits_for_every_spacing),
        cmocka_unit_test(is_looked_after),
        cmocka_unit_test(keeps_what_fits),
        cmocka_unit_test(takes_one_node_and_one_step),
        cmocka_unit_test(differentiates_the_loss_by_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
