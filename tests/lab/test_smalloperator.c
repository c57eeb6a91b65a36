/* test_smalloperator.c -- the operator of a small dense graph and its adjoint, in double.
 *
 * SPDX-License-Identifier: MIT */
#include "differences.h"
#include "students.h"

enum { N = 9 };

typedef struct {
    int64_t n;
    real a[N * N], norm[N * N], half[N], by[N * N];
} small;

static void make_small(small *s, int64_t n)
{
    s->n = n;
    for (int64_t i = 0; i < n * n; i++) {
        s->a[i] = i % (n + 1) ? 0.5 + 0.5 * wave(i, 0.3) : 0;   /* not symmetric */
        s->by[i] = wave(i, 1.3);
    }
}

static double sum_of(void *payload)
{
    small *s = payload;
    double sum = 0;
    bn_small_norm(s->norm, s->half, s->a, s->n);
    for (int64_t i = 0; i < s->n * s->n; i++)
        sum += s->norm[i] * s->by[i];
    return sum;
}

static void the_adjoint_is_that_of_differences(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= N; n += 4) {
        small s;
        real da[N * N], room[N];
        make_small(&s, n);
        sum_of(&s);
        bn_small_norm_back(da, s.by, s.a, s.half, n, room);
        assert_gradient("gradient", da, sum_of, &s, s.a, n * n);
    }
}

static void the_operator_is_that_of_gcn(void **state)
{
    (void)state;
    const real a[4] = {0, 3, 3, 0};
    real norm[4], half[2];
    bn_small_norm(norm, half, a, 2);
    for (int i = 0; i < 4; i++)
        assert_near("entry", norm[i], (i == 0 || i == 3 ? 1 : 3) / 4.0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_adjoint_is_that_of_differences),
        cmocka_unit_test(the_operator_is_that_of_gcn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
