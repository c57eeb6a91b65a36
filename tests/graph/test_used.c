/* test_used.c -- the columns of the features that have a value.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"
#include "threads_world.h"

static void some_columns(float *x, int64_t n, int64_t f, int percent, uint64_t *s)
{
    random_features(x, n, f, FLOATS, 95, s);
    for (int64_t j = 0; j < f; j++)
        for (int64_t v = 0, empty = random_below(s, 100) >= percent; empty && v < n; v++)
            x[v * f + j] = 0;
    if (n > 0)
        x[0] = -0.0f;                           /* a value */
}

static void the_columns_are_those_with_a_value(void **state)
{
    (void)state;
    enum { N = 700, F = 130 };
    static float x[N * F];
    for (uint64_t seed = 0; seed < 30; seed++) {
        uint64_t s = seed;
        int64_t n = random_below(&s, N), f = 1 + random_below(&s, F), wanted = 0, count;
        int32_t used[F], *got;
        some_columns(x, n, f, 50, &s);
        bonsai_graph *g = dense_graph(x, n, f);
        for (int32_t j = 0; j < f; j++) {
            bool any = false;
            for (int64_t v = 0; v < n; v++)
                any |= x[v * f + j] != 0 || signbit(x[v * f + j]);
            if (any)
                used[wanted++] = j;
        }
        for (int threads = 1; threads < 5; threads += 3)
            for (int64_t most = wanted - 1 < 0 ? 0 : wanted - 1; most <= wanted + 1; most++) {
                assert_int_equal(bn_columns_used(&got, &count, g, bn_rows_of(&g->view, NULL), most,
                                                 threads), BONSAI_OK);
                assert_int_equal(count, most < wanted ? most + 1 : wanted);
                if (most >= wanted)
                    assert_memory_equal(got, used, (size_t)count * sizeof *got);
                else
                    assert_null(got);
                bn_free(got);
            }
        bonsai_graph_free(g);
    }
}

/* One more column than that is no smaller than the best of the others. */
static void no_more_columns_are_looked_for_than_pay(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint64_t s = seed;
        int64_t n = random_below(&s, 20), f = 1 + random_below(&s, 200);
        bn_traits t = bn_no_traits;
        t.nnz = n > 0 ? random_below(&s, (int)(n * f) + 1) : 0;
        t.ones = t.q4 = t.s4 = t.u8 = false;
        t.i8 = seed % 2;
        t.half = seed % 3 == 0;
        int64_t most = bn_traits_columns(&t, n, f), best = bn_traits_bytes(&t, n, f, NULL);
        for (int64_t k = 0; k < f; k++) {
            t.empty = f - k;
            assert_true(k <= most ? bn_traits_bytes(&t, n, f, NULL) < best
                                  : bn_traits_bytes(&t, n, f, NULL) == best);
        }
    }
}

typedef struct {
    bonsai_graph *g;
    const int64_t *first;
    bn_traits of[8];
} job;

static bonsai_status find_rank(bn_world *w, void *payload)
{
    job *j = payload;
    bool integer;
    const bn_place at = {.world = w, .first = j->first, .threads = 1};
    return bn_traits_of(&j->of[w->rank], &integer, j->g, &at);
}

/* Each rank has columns of its own: none finds more than pay, and all together may. */
static void ranks_find_the_columns_of_all(void **state)
{
    (void)state;
    enum { N = 40, F = 60 };
    static float x[N * F];
    int some = 0, none = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint64_t s = seed;
        some_columns(x, N, F, seed % 2 ? 70 : 100, &s);
        for (int64_t v = 0; v < N; v++)         /* a rank of ten rows has fifteen columns */
            for (int64_t k = 0; k < F; k++)
                if (seed % 4 > 1 && k / 15 != v / 10)
                    x[v * F + k] = 0;
        bonsai_graph *g = dense_graph(x, N, F);
        const int64_t first[5] = {0, 10, 20, 30, 40};
        job j = {.g = g, .first = first};
        bn_traits alone;
        bool integer;
        assert_int_equal(bn_traits_of(&alone, &integer, g, NULL), BONSAI_OK);
        atomic_store(&g->learnt, 0);
        assert_int_equal(run_ranks(4, find_rank, &j), BONSAI_OK);
        for (int r = 0; r < 4; r++)
            assert_int_equal(j.of[r].empty, alone.empty);
        some += alone.empty > 0;
        none += alone.empty == 0;
        bonsai_graph_free(g);
    }
    assert_true(some > 0 && none > 0);
}

static bonsai_status find_them(void *payload)
{
    bonsai_graph *g = payload;
    bn_traits t;
    bool integer;
    atomic_store(&g->learnt, 0);
    return bn_traits_of(&t, &integer, g, NULL);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    static float x[10 * 30];
    uint64_t s = 3;
    random_features(x, 10, 30, FLOATS, 95, &s);
    for (int v = 0; v < 10; v++)
        memset(x + 30 * v + 5, 0, 20 * sizeof *x);
    bonsai_graph *g = dense_graph(x, 10, 30);
    survives_failed_allocations(find_them, g, 5);
    assert_true(g->traits.empty >= 20);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_columns_are_those_with_a_value),
        cmocka_unit_test(no_more_columns_are_looked_for_than_pay),
        cmocka_unit_test(ranks_find_the_columns_of_all),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
