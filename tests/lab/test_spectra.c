/* test_spectra.c -- how far two spectra are from each other, and its gradients, in double.
 *
 * Against central differences; against values that were made with the formulas written out in full
 * (outer products of rows, all class means, in NumPy, and ten steps of Adam in turn); and by what
 * must hold.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "learn/tangent.h"
#include "testing.h"

enum { N = 11, K = 6, F = 9, C = 4, ROOM = 2000 };

typedef struct {
    bn_spectra s;
    real u[N * K], x[N * F], q[K * F], r[C * F], kept[K], share[N], room[ROOM];
    int32_t kind[N];
} case_of;

/* Numbers that every language has. */
static double wave(int i, double step)
{
    return sin(1 + step * i * (i + 1));
}

static void make_unit(real *row)
{
    double sum = 0;
    for (int j = 0; j < F; j++)
        sum += row[j] * row[j];
    for (int j = 0; j < F; j++)
        row[j] /= sqrt(sum);
}

static case_of *new_case(void)
{
    static const int32_t kinds[N] = {0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3};
    static const int counts[C] = {3, 2, 4, 2};
    case_of *t = calloc(1, sizeof *t);
    for (int i = 0; i < N * K; i++)
        t->u[i] = wave(i, 0.17) / 2;
    for (int i = 0; i < N * F; i++)
        t->x[i] = wave(i, 0.23);
    for (int i = 0; i < K * F; i++)
        t->q[i] = wave(i, 0.31);
    for (int i = 0; i < C * F; i++)
        t->r[i] = wave(i, 0.41);
    for (int j = 0; j < K; j++) {
        t->kept[j] = 1 - 0.3 * j;
        make_unit(t->q + j * F);
    }
    for (int c = 0; c < C; c++)
        make_unit(t->r + c * F);
    for (int i = 0; i < N; i++) {
        t->kind[i] = kinds[i];
        t->share[i] = 1.0 / counts[kinds[i]];
    }
    t->s = (bn_spectra){.n = N, .k = K, .f = F, .c = C, .q = t->q, .r = t->r, .kept = t->kept,
                        .kind = t->kind, .share = t->share, .alpha = 3, .beta = 0.7, .gamma = 0.4,
                        .threads = 1};
    assert_true(bn_spectra_room(&t->s) <= ROOM);
    return t;
}

static double loss(case_of *t)
{
    return bn_spectra_loss(NULL, NULL, &t->s, t->u, t->x, t->room);
}

static void compare(case_of *t, real *at, const real *slope, int count)
{
    const double step = 1e-5;
    for (int i = 0; i < count; i++) {
        const real before = at[i];
        at[i] = before + step;
        double up = loss(t);
        at[i] = before - step;
        double difference = (up - loss(t)) / (2 * step);
        at[i] = before;
        if (fabs(difference - slope[i]) > 1e-8 * (1 + fabs(difference)))
            fail_msg("slope %d is %.12g, not %.12g", i, slope[i], difference);
    }
}

static void gradients_are_those_of_differences(void **state)
{
    (void)state;
    case_of *t = new_case();
    real du[N * K], dx[N * F];
    bn_spectra_loss(du, dx, &t->s, t->u, t->x, t->room);
    compare(t, t->u, du, N * K);
    compare(t, t->x, dx, N * F);
    memset(t->r + F, 0, F * sizeof *t->r);              /* a class that the full graph lacks */
    for (int i = 0; i < N; i++)
        t->kind[i] = t->kind[i] == 2 ? 0 : t->kind[i];  /* and one that the small one lacks */
    bn_spectra_loss(du, dx, &t->s, t->u, t->x, t->room);
    compare(t, t->u, du, N * K);
    compare(t, t->x, dx, N * F);
    free(t);
}

static void is_near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-10 * (1 + fabs(wanted)))
        fail_msg("%.15g is not %.15g", got, wanted);
}

static double weighed(const real *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += cos(i) * x[i];
    return sum;
}

static void values_are_those_of_the_formulas_written_out(void **state)
{
    (void)state;
    case_of *t = new_case();
    real du[N * K], dx[N * F];
    is_near(bn_spectra_loss(du, dx, &t->s, t->u, t->x, t->room), 0.436259640783431);
    is_near(weighed(du, N * K), -0.243626311492474);
    is_near(weighed(dx, N * F), -0.0185345817960656);
    free(t);
}

/* Steps of Adam without the library's, which is for single precision. */
static void take_step(real *at, const real *slope, double *m, double *v, int count, int t)
{
    for (int i = 0; i < count; i++) {
        m[i] = 0.9 * m[i] + 0.1 * slope[i];
        v[i] = 0.999 * v[i] + 0.001 * slope[i] * slope[i];
        at[i] -= 0.01 * m[i] / (1 - pow(0.9, t)) / (sqrt(v[i] / (1 - pow(0.999, t))) + 1e-8);
    }
}

static void ten_rounds_end_where_the_formulas_do(void **state)
{
    (void)state;
    case_of *t = new_case();
    static double m[2][N * F], v[2][N * F];
    real slope[N * F];
    int steps[2] = {0, 0};
    for (int e = 0; e < 10; e++) {
        const int is_x = e % 5 >= 2, count = is_x ? N * F : N * K;
        bn_spectra_loss(is_x ? NULL : slope, is_x ? slope : NULL, &t->s, t->u, t->x, t->room);
        take_step(is_x ? t->x : t->u, slope, m[is_x], v[is_x], count, ++steps[is_x]);
    }
    is_near(loss(t), 0.311999717264465);
    is_near(weighed(t->u, N * K), 2.36217306174569);
    is_near(weighed(t->x, N * F), 1.45573984651008);
    free(t);
}

static void the_sign_of_an_eigenvector_does_not_matter(void **state)
{
    (void)state;
    case_of *t = new_case();
    const double before = loss(t);
    for (int i = 0; i < N; i++)
        t->u[i * K + 2] = -t->u[i * K + 2];
    is_near(loss(t), before);
    free(t);
}

/* The same spectrum and the same features: no distance. */
static void a_graph_is_its_own_spectrum(void **state)
{
    (void)state;
    case_of *t = new_case();
    memset(t->u, 0, sizeof t->u);
    for (int j = 0; j < K; j++)
        t->u[j * K + j] = 1;
    for (int j = 0; j < K; j++) {
        memcpy(t->q + j * F, t->x + j * F, F * sizeof *t->q);
        make_unit(t->q + j * F);
    }
    t->s.beta = 0;
    assert_true(fabs(loss(t)) < 1e-14);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_differences),
        cmocka_unit_test(values_are_those_of_the_formulas_written_out),
        cmocka_unit_test(ten_rounds_end_where_the_formulas_do),
        cmocka_unit_test(the_sign_of_an_eigenvector_does_not_matter),
        cmocka_unit_test(a_graph_is_its_own_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
