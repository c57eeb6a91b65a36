/* test_rop.c -- gradients of students and their derivatives, in double.
 *
 * Against central differences; against values of automatic differentiation (a double backward pass
 * in PyTorch 2 on the same formulas, sums with cosines as weights); and by what must hold: the
 * Hessian is symmetric, the order of nodes does not matter, ...
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "students.h"

enum { N = PUPIL_N, F = PUPIL_F, H = PUPIL_H, C = PUPIL_C, FORMS = BN_STUDENT_GCN + 1 };

typedef struct {                /* all that can be asked for */
    bn_tangent t;
    real grad[PUPIL_MOST], hess[PUPIL_MOST], dx[N * F], dn[N * N], dq[N * C], dones[N];
} answer;

static void ask(answer *a, example *p)
{
    memset(a, 0, sizeof *a);
    a->t = (bn_tangent){a->hess, a->dx, a->dn, a->dq, a->dones, a->grad, 0, 0};
    bn_rop(&a->t, &p->s, p->theta, p->v, p->room);
}

static void is_near(const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * (1 + fabs(wanted))))
        fail_msg("%s is %.12g, not %.12g", what, got, wanted);
}

static void are_near(const char *what, const real *got, const real *wanted, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        is_near(what, got[i], wanted[i], 1e-11);
}

/* ---- differences ---- */

static double loss_at(example *p)
{
    real grad[PUPIL_MOST];
    return bn_student_grad(grad, &p->s, p->theta, p->room);
}

static double slope_at(example *p)
{
    bn_tangent t = {0};
    bn_rop(&t, &p->s, p->theta, p->v, p->room);
    return t.slope;
}

static double difference(double (*fn)(example *), example *p, real *at)
{
    const double step = 1e-5, before = *at;
    *at = before + step;
    double up = fn(p);
    *at = before - step;
    double down = fn(p);
    *at = before;
    return (up - down) / (2 * step);
}

static void is_slope(const char *what, const real *got, double (*fn)(example *), example *p, real *at,
                     int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        is_near(what, got[i], difference(fn, p, at + i), 1e-8);
}

static void check_differences(example *p)
{
    answer a;
    const int64_t size = bn_student_size(&p->s);
    ask(&a, p);
    is_near("loss", a.t.loss, loss_at(p), 0);
    is_slope("gradient", a.grad, loss_at, p, p->theta, size);
    is_slope("hessian times v", a.hess, slope_at, p, p->theta, size);
    is_slope("dx", a.dx, slope_at, p, p->x, N * F);
    is_slope("dq", a.dq, slope_at, p, p->q, N * C);
    if (p->s.norm)
        is_slope("dn", a.dn, slope_at, p, p->norm, N * N);
    if (p->s.ones)
        is_slope("dones", a.dones, slope_at, p, p->ones, N);
}

static void agrees_with_differences(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++)
        for (int hops = 0; hops < 4; hops++)
            for (int bare = 0; bare < 3; bare++) {
                example p;
                make_example(&p, (bn_student_form)form, hops);
                p.s.norm = bare > 0 ? NULL : p.norm;
                p.s.ones = bare > 1 ? NULL : p.ones;
                check_differences(&p);
            }
}

/* ---- automatic differentiation ---- */

static void is_frozen(void **state)
{
    static const double frozen[FORMS][8] = {    /* loss, slope, and marks of the rest in order */
        [BN_STUDENT_LINEAR] = {2.5726520536543, 0.594429264748086, -0.0152145978342225,
                               -0.00933691247535542, 0.0023272495761325, 0.347699650283722,
                               0.0533380842664534, -0.079170664163833},
        [BN_STUDENT_MLP] = {4.07483803081394, -1.41107411867811, -0.492342552969956,
                            -0.191642255796672, 0.0599499409047347, -0.873371215648568,
                            -0.0205739975867212, 0.195818599011963},
        [BN_STUDENT_SGC2] = {5.42868158566365, -3.58027547240635, -2.08431661135947,
                             1.07092214665196, -0.019214326209744, -2.45344837464598,
                             -0.0906247706552963, 0.270326282160612},
        [BN_STUDENT_GCN] = {4.04166519379803, -1.27635291589054, 0.425757316725926,
                            -0.954673519890828, -0.0086748968923458, -1.30023037820578,
                            -0.0243529960200829, 0.0669472408444127},
    };
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        example p;
        answer a;
        make_example(&p, (bn_student_form)form, 2);
        ask(&a, &p);
        for (int i = 0; i < N; i++) {           /* along rows that keep their sum */
            const double mean = (a.dq[i * C] + a.dq[i * C + 1] + a.dq[i * C + 2]) / C;
            for (int k = 0; k < C; k++)
                a.dq[i * C + k] -= mean;
        }
        const int64_t size = bn_student_size(&p.s);
        const double got[8] = {a.t.loss, a.t.slope, mark(a.grad, size), mark(a.hess, size),
                               mark(a.dx, N * F), mark(a.dn, N * N), mark(a.dq, N * C),
                               mark(a.dones, N)};
        for (int i = 0; i < 8; i++) {
            char what[48];
            snprintf(what, sizeof what, "form %d, value %d", form, i);
            is_near(what, got[i], frozen[form][i], 1e-12);
        }
    }
}

/* ---- what must hold ---- */

static double product(const real *a, const real *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void has_a_symmetric_hessian(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        example p;
        answer a, b;
        real u[PUPIL_MOST], v[PUPIL_MOST];
        make_example(&p, (bn_student_form)form, 2);
        const int64_t size = bn_student_size(&p.s);
        memcpy(v, p.v, sizeof v);
        ask(&a, &p);
        is_near("slope", a.t.slope, product(v, a.grad, size), 1e-12);
        for (int64_t i = 0; i < size; i++)
            p.v[i] = u[i] = wave(i, 4.4);
        ask(&b, &p);
        is_near("<u, H v>", product(u, a.hess, size), product(v, b.hess, size), 1e-12);
    }
}

static void is_nothing_without_a_direction(void **state)
{
    static const real none[N * N];
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        example p;
        answer a;
        make_example(&p, (bn_student_form)form, 2);
        memset(p.v, 0, sizeof p.v);
        ask(&a, &p);
        assert_true(a.t.slope == 0);
        are_near("hess", a.hess, none, bn_student_size(&p.s));
        are_near("dx", a.dx, none, N * F);
        are_near("dn", a.dn, none, N * N);
        are_near("dq", a.dq, none, N * C);
        are_near("dones", a.dones, none, N);
    }
}

static void adds_to_what_is_there(void **state)
{
    example p;
    answer a, b;
    (void)state;
    make_example(&p, BN_STUDENT_GCN, 0);
    ask(&a, &p);
    memcpy(&b, &a, sizeof b);
    b.t = (bn_tangent){.dx = b.dx, .dn = b.dn, .dq = b.dq, .dones = b.dones};
    bn_rop(&b.t, &p.s, p.theta, p.v, p.room);
    for (int i = 0; i < N * N; i++)
        is_near("dn", b.dn[i], 2 * a.dn[i], 1e-14);
    for (int i = 0; i < N * F; i++)
        is_near("dx", b.dx[i], 2 * a.dx[i], 1e-14);
}

static void compare(const answer *a, const answer *b, const example *p)
{
    const int64_t size = bn_student_size(&p->s);
    is_near("loss", a->t.loss, b->t.loss, 1e-13);
    are_near("grad", a->grad, b->grad, size);
    are_near("hess", a->hess, b->hess, size);
    are_near("dx", a->dx, b->dx, N * F);
    are_near("dq", a->dq, b->dq, N * C);
}

static void needs_no_identity(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        example p;
        answer a, b;
        make_example(&p, (bn_student_form)form, 2);
        for (int i = 0; i < N * N; i++)
            p.norm[i] = i % (N + 1) ? 0 : 1;
        ask(&a, &p);
        p.s.norm = NULL;
        ask(&b, &p);
        compare(&a, &b, &p);
    }
}

/* Rows that are averaged before, with N^2 1, and rows that are averaged after. */
static void may_be_given_averaged_rows(void **state)
{
    example p;
    answer a, b;
    real x[N * F], ones[N], dx[N * F];
    (void)state;
    make_example(&p, BN_STUDENT_SGC2, 2);
    p.s.ones = NULL;
    ask(&a, &p);
    for (int i = 0; i < N; i++)
        p.ones[i] = 1;
    for (int hop = 0; hop < 2; hop++) {
        const bn_input norm = {.rows = N, .cols = N, .dense = p.norm};
        bn_times(x, &norm, p.x, F, false, (bn_span){0, N, 1});
        bn_times(ones, &norm, p.ones, 1, false, (bn_span){0, N, 1});
        memcpy(p.x, x, sizeof x);
        memcpy(p.ones, ones, sizeof ones);
    }
    p.s.norm = NULL;
    p.s.ones = p.ones;
    ask(&b, &p);
    for (int hop = 0; hop < 2; hop++) {
        const bn_input norm = {.rows = N, .cols = N, .dense = p.norm};
        memset(dx, 0, sizeof dx);
        bn_times_t(dx, &norm, b.dx, F, p.room, 1);
        memcpy(b.dx, dx, sizeof dx);
    }
    compare(&a, &b, &p);
}

/* With the identity for x, W1 is what the first layer gives. */
static void may_be_given_a_first_layer(void **state)
{
    example p;
    answer a, b;
    real s[N * H];
    const int64_t second = F * H + H, rest = H * C + C;
    (void)state;
    make_example(&p, BN_STUDENT_MLP, 0);
    p.s.norm = p.s.ones = NULL;
    memset(p.v, 0, (size_t)second * sizeof *p.v);
    ask(&a, &p);
    const bn_input x = {.rows = N, .cols = F, .dense = p.x};
    bn_times(s, &x, p.theta, H, false, (bn_span){0, N, 1});
    bn_bias(s, p.theta + F * H, N, H, 1);
    real theta[PUPIL_MOST], v[PUPIL_MOST] = {0};
    memcpy(theta, s, sizeof s);
    memcpy(theta + N * H, p.theta + second, (size_t)rest * sizeof *theta);
    memcpy(v + N * H, p.v + second, (size_t)rest * sizeof *v);
    p.s.x = NULL;
    p.s.f = N;
    assert_int_equal(bn_student_size(&p.s), N * H + rest);
    memset(&b, 0, sizeof b);
    b.t = (bn_tangent){.grad = b.grad, .hess = b.hess};
    bn_rop(&b.t, &p.s, theta, v, p.room);
    are_near("grad", b.grad + N * H, a.grad + second, rest);
    are_near("hess", b.hess + N * H, a.hess + second, rest);
    real w1[F * H] = {0};
    bn_times_t(w1, &x, b.hess, H, p.room, 1);
    are_near("hess of W1", w1, a.hess, F * H);
}

static void swap_rows(real *x, int64_t i, int64_t j, int64_t width)
{
    for (int64_t k = 0; k < width; k++) {
        const real t = x[i * width + k];
        x[i * width + k] = x[j * width + k];
        x[j * width + k] = t;
    }
}

static void swap_nodes(example *p, int64_t i, int64_t j)
{
    swap_rows(p->x, i, j, F);
    swap_rows(p->q, i, j, C);
    swap_rows(p->w, i, j, 1);
    swap_rows(p->ones, i, j, 1);
    swap_rows(p->norm, i, j, N);
    for (int64_t r = 0; r < N; r++)
        swap_rows(p->norm + r * N, i, j, 1);
}

static void does_not_see_the_order_of_nodes(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        example p;
        answer a, b;
        make_example(&p, (bn_student_form)form, 2);
        ask(&a, &p);
        swap_nodes(&p, 2, 9);
        ask(&b, &p);
        swap_rows(b.dx, 2, 9, F);
        swap_rows(b.dq, 2, 9, C);
        compare(&a, &b, &p);
    }
}

static void takes_one_node(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        example p;
        answer a;
        make_example(&p, (bn_student_form)form, 2);
        p.s.n = 1;
        ask(&a, &p);
        is_slope("dx", a.dx, slope_at, &p, p.x, F);
        is_slope("dn", a.dn, slope_at, &p, p.norm, 1);
    }
}

static void has_the_same_bits_for_any_threads(void **state)
{
    static const int threads[] = {2, 3, 8};
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        example p;
        answer a, b;
        make_example(&p, (bn_student_form)form, 2);
        ask(&a, &p);
        for (int i = 0; i < 3; i++) {
            p.s.threads = threads[i];
            ask(&b, &p);
            b.t = a.t;
            assert_memory_equal(a.grad, b.grad, sizeof a - offsetof(answer, grad));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_differences),
        cmocka_unit_test(is_frozen),
        cmocka_unit_test(has_a_symmetric_hessian),
        cmocka_unit_test(is_nothing_without_a_direction),
        cmocka_unit_test(adds_to_what_is_there),
        cmocka_unit_test(needs_no_identity),
        cmocka_unit_test(may_be_given_averaged_rows),
        cmocka_unit_test(may_be_given_a_first_layer),
        cmocka_unit_test(does_not_see_the_order_of_nodes),
        cmocka_unit_test(takes_one_node),
        cmocka_unit_test(has_the_same_bits_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
