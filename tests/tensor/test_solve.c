/* test_solve.c -- systems solved in panels, against elimination in doubles.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"
#include "tensor/tensor.h"

typedef struct {
    int m, k, stride;
    double *a, *b, *x;          /* (m,m), (m,stride) twice */
} scene;

static double *room(int64_t count)
{
    double *p = calloc((size_t)count + 1, sizeof *p);
    assert_non_null(p);
    return p;
}

/* a = r r' + a little, for random r (m,m); what is beside the k columns must stay. */
static scene make_scene(int m, int k, uint64_t seed)
{
    scene v = {m, k, k + 3, room((int64_t)m * m), room((int64_t)m * (k + 3)),
               room((int64_t)m * (k + 3))};
    double *r = room((int64_t)m * m);
    for (int i = 0; i < m * m; i++)
        r[i] = (double)random_real(&seed);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int t = 0; t < m; t++)
                v.a[i * m + j] += r[i * m + t] * r[j * m + t];
    for (int i = 0; i < m * v.stride; i++)
        v.b[i] = v.x[i] = (double)random_real(&seed);
    free(r);
    return v;
}

static void free_scene(scene *v)
{
    free(v->a);
    free(v->b);
    free(v->x);
}

static void solve(scene *v, double plus)
{
    bn_system s = {v->a, v->m, v->k, v->stride};
    int64_t size = bn_solve_room(&s);
    double *space = room(size);
    for (int64_t i = 0; i < size; i++)
        space[i] = NAN;                         /* of whatever was solved there before */
    bn_solve(v->x, &s, plus, space);
    free(space);
}

/* The largest entry of (a + plus) x - b. */
static double residual(const scene *v, double plus)
{
    double worst = 0;
    for (int i = 0; i < v->m; i++)
        for (int j = 0; j < v->k; j++) {
            double sum = plus * v->x[i * v->stride + j] - v->b[i * v->stride + j];
            for (int t = 0; t < v->m; t++)
                sum += v->a[i * v->m + t] * v->x[t * v->stride + j];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

static void a_solution_solves_the_system_at_every_size(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 47, 64, 100, 145, 300};
    static const int sides[] = {1, 7, 16, 17, 40};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof sides / sizeof *sides; j++) {
            scene v = make_scene(sizes[i], sides[j], 10 * i + j);
            solve(&v, 0.1);
            assert_true(residual(&v, 0.1) < 1e-10);
            for (int r = 0; r < v.m; r++)
                assert_memory_equal(v.x + r * v.stride + v.k, v.b + r * v.stride + v.k,
                                    3 * sizeof *v.x);
            free_scene(&v);
        }
}

static void a_factor_serves_several_times_on_any_number_of_threads(void **state)
{
    (void)state;
    scene v = make_scene(145, 40, 7), w = make_scene(145, 40, 7);
    const bn_system s = {w.a, w.m, w.k, w.stride};
    double *space = room(bn_solve_room(&s));
    solve(&v, 0.1);
    bn_factor(&s, 0.1, space, 3);
    for (int i = 0; i < 2; i++) {
        memcpy(w.x, w.b, (size_t)(w.m * w.stride) * sizeof *w.x);
        bn_solve_factored(w.x, &s, space, 3 - i);
        assert_memory_equal(v.x, w.x, (size_t)(v.m * v.stride) * sizeof *v.x);
    }
    free(space);
    free_scene(&v);
    free_scene(&w);
}

static void the_upper_half_is_not_read(void **state)
{
    (void)state;
    scene v = make_scene(50, 4, 3), w = make_scene(50, 4, 3);
    for (int i = 0; i < w.m; i++)
        for (int j = i + 1; j < w.m; j++)
            w.a[i * w.m + j] = NAN;
    solve(&v, 1);
    solve(&w, 1);
    assert_memory_equal(v.x, w.x, (size_t)(v.m * v.stride) * sizeof *v.x);
    free_scene(&v);
    free_scene(&w);
}

/* FNV-1a of the solution's bytes: one figure for all processors, instruction sets and compilers. */
static void the_bits_are_those_of_every_processor(void **state)
{
    (void)state;
    scene v = make_scene(200, 20, 5);
    uint64_t hash = 0xcbf29ce484222325u;
    solve(&v, 0.01);
    for (size_t i = 0; i < (size_t)(v.m * v.stride) * sizeof *v.x; i++)
        hash = (hash ^ ((const uint8_t *)v.x)[i]) * 0x100000001b3u;
    assert_int_equal(hash, 0x6790144ce4bbe151u);
    free_scene(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_solves_the_system_at_every_size),
        cmocka_unit_test(a_factor_serves_several_times_on_any_number_of_threads),
        cmocka_unit_test(the_upper_half_is_not_read),
        cmocka_unit_test(the_bits_are_those_of_every_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
