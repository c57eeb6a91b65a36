/* test_edgenet.c -- the network that joins nodes, in double: gradients by differences, blocks and
 * threads, and what must hold.  Its values beside PyTorch's are in test_matching.c.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "differences.h"
#include "students.h"

enum { N = 8, D = 5, H = 4, PARAMS = 256 };

typedef struct {                /* a network, what it reads, and weights of what it gives */
    bn_edgenet e;
    bn_slab slab;
    real x[N * D], param[PARAMS], a[N * N], by[N * N];
    real dx[N * D], dparam[PARAMS];
} joiner;

static void make_joiner(joiner *j, int streams, int64_t n, int64_t pairs, bool keep)
{
    *j = (joiner){.e = {.n = n, .d = D, .h = H, .streams = streams, .threads = 3, .pairs = pairs,
                        .keep = keep}};
    bn_edgenet_lay(&j->e, &j->slab);
    assert_true(j->e.count <= PARAMS);
    j->slab = (bn_slab){.reals = calloc((size_t)j->slab.used, sizeof(real))};
    bn_edgenet_lay(&j->e, &j->slab);
    for (int64_t i = 0; i < j->e.count; i++)
        j->param[i] = wave(i, 0.5);
    for (int64_t i = 0; i < n * D; i++)
        j->x[i] = wave(i, 0.1);
    for (int64_t i = 0; i < n * n; i++)
        j->by[i] = wave(i, 0.8);
}

static void free_joiner(joiner *j)
{
    free(j->slab.reals);
}

static double sum_of(void *payload)
{
    joiner *j = payload;
    double sum = 0;
    bn_edgenet_forward(j->a, &j->e, j->param, j->x);
    for (int64_t i = 0; i < j->e.n * j->e.n; i++)
        sum += j->a[i] * j->by[i];
    return sum;
}

static double run(joiner *j)
{
    const double sum = sum_of(j);
    memset(j->dx, 0, sizeof j->dx);
    memset(j->dparam, 0, sizeof j->dparam);
    bn_edgenet_backward(j->dx, j->dparam, &j->e, j->param, j->a, j->by);
    return sum;
}

static void gradients_are_those_of_differences(void **state)
{
    (void)state;
    for (int streams = 1; streams <= 2; streams++)
        for (int keep = 0; keep < 2; keep++) {
            joiner j;
            make_joiner(&j, streams, N, 3 * N, keep);
            run(&j);
            assert_gradient("x", j.dx, sum_of, &j, j.x, N * D);
            assert_gradient("a parameter", j.dparam, sum_of, &j, j.param, j.e.count);
            free_joiner(&j);
        }
}

static void weights_are_symmetric_without_loops(void **state)
{
    (void)state;
    for (int streams = 1; streams <= 2; streams++) {
        joiner j;
        make_joiner(&j, streams, N, 2 * N, true);
        run(&j);
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < N; k++) {
                const real v = j.a[i * N + k];
                assert_true(v == j.a[k * N + i]);
                assert_true(i == k ? v == 0 : v > 0 && v < 1);
            }
        free_joiner(&j);
    }
}

static void same(const char *what, const real *a, const real *b, int64_t count, double tolerance)
{
    for (int64_t i = 0; i < count; i++)
        assert_near(what, a[i], b[i], tolerance);
}

static void assert_alike(const joiner *a, const joiner *b, double tolerance)
{
    same("a weight", a->a, b->a, N * N, tolerance);
    same("a gradient of x", a->dx, b->dx, N * D, tolerance);
    same("a gradient of a parameter", a->dparam, b->dparam, a->e.count, tolerance);
}

/* Blocks change rounding alone; what is kept, and threads, nothing. */
static void blocks_and_threads_change_nothing(void **state)
{
    (void)state;
    bn_team_work(1);
    for (int streams = 1; streams <= 2; streams++)
        for (int64_t rows = 1; rows <= N; rows += 2) {
            joiner one, other;
            make_joiner(&one, streams, N, N * N, true);
            make_joiner(&other, streams, N, rows * N, true);
            run(&one);
            run(&other);
            assert_alike(&one, &other, 1e-12);
            free_joiner(&one);
            for (int threads = 1; threads <= 8; threads++) {
                make_joiner(&one, streams, N, rows * N, false);
                free_joiner(&one);
                one.e.threads = threads;
                one.slab = (bn_slab){0};
                bn_edgenet_lay(&one.e, &one.slab);
                one.slab = (bn_slab){.reals = calloc((size_t)one.slab.used, sizeof(real))};
                bn_edgenet_lay(&one.e, &one.slab);
                run(&one);
                assert_alike(&one, &other, 0);
                free_joiner(&one);
            }
            free_joiner(&other);
        }
    bn_team_work(0);
}

/* What is not asked for does not change the rest. */
static void each_gradient_can_be_had_alone(void **state)
{
    (void)state;
    joiner a, b;
    make_joiner(&a, 2, N, 3 * N, true);
    make_joiner(&b, 2, N, 3 * N, true);
    run(&a);
    sum_of(&b);
    bn_edgenet_backward(b.dx, NULL, &b.e, b.param, b.a, b.by);
    sum_of(&b);
    bn_edgenet_backward(NULL, b.dparam, &b.e, b.param, b.a, b.by);
    assert_alike(&a, &b, 1e-14);
    free_joiner(&a);
    free_joiner(&b);
}

static void the_order_of_nodes_does_not_matter(void **state)
{
    (void)state;
    joiner a, b;
    make_joiner(&a, 1, N, 3 * N, true);
    make_joiner(&b, 1, N, 3 * N, true);
    for (int64_t i = 0; i < N; i++)
        memcpy(b.x + (i * 3 % N) * D, a.x + i * D, D * sizeof(real));
    sum_of(&a);
    sum_of(&b);
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < N; k++)
            assert_near("a weight", b.a[(i * 3 % N) * N + k * 3 % N], a.a[i * N + k], 1e-12);
    free_joiner(&a);
    free_joiner(&b);
}

static void one_node_has_no_edge_and_no_gradient(void **state)
{
    (void)state;
    for (int streams = 1; streams <= 2; streams++) {
        joiner j;
        make_joiner(&j, streams, 1, 512, true);
        run(&j);
        assert_true(j.a[0] == 0);
        for (int64_t i = 0; i < j.e.count; i++)
            assert_true(j.dparam[i] == 0);
        for (int64_t i = 0; i < D; i++)
            assert_true(j.dx[i] == 0);
        free_joiner(&j);
    }
}

static void first_values_are_those_of_linear_layers(void **state)
{
    (void)state;
    joiner j;
    make_joiner(&j, 2, N, 3 * N, true);
    real other[PARAMS];
    bn_edgenet_init(j.param, &j.e, 1);
    bn_edgenet_init(other, &j.e, 2);
    for (int s = 0; s < 2; s++) {
        const bn_edge_params *p = &j.e.at[s];
        for (int64_t i = 0; i < p->wide * 2 * H; i++)
            assert_true(fabs(j.param[p->w1 + i]) <= 1 / sqrt(2.0 * (double)p->wide));
        for (int64_t k = 0; k < H; k++) {
            assert_true(fabs(j.param[p->w3 + k]) <= 0.5);
            assert_true(j.param[p->scale1 + k] == 1 && j.param[p->scale2 + k] == 1);
            assert_true(j.param[p->shift1 + k] == 0 && j.param[p->shift2 + k] == 0);
        }
        assert_true(j.param[p->w2] != other[p->w2]);
    }
    assert_true(j.param[j.e.at[0].w2] != j.param[j.e.at[1].w2]);
    free_joiner(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_differences),
        cmocka_unit_test(weights_are_symmetric_without_loops),
        cmocka_unit_test(blocks_and_threads_change_nothing),
        cmocka_unit_test(each_gradient_can_be_had_alone),
        cmocka_unit_test(the_order_of_nodes_does_not_matter),
        cmocka_unit_test(one_node_has_no_edge_and_no_gradient),
        cmocka_unit_test(first_values_are_those_of_linear_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
