/* test_publishedset.c -- trees of the published code under a budget.
 *
 * test_published.c compares whole runs with the published code's own.
 *
 * SPDX-License-Identifier: MIT */
#include "condensing.h"

#include <time.h>

#include "published/published.h"

/* A node joined to all others, which are all trees, and a ring of these. */
static bonsai_graph *wheel(int32_t n)
{
    int32_t *source = malloc(2 * (size_t)n * sizeof *source), *target = malloc(2 * (size_t)n * 4);
    bonsai_graph *g = NULL;
    bonsai_view v;
    for (int32_t i = 1; i < n; i++) {
        source[i - 1] = 0;
        source[n - 2 + i] = target[i - 1] = i;
        target[n - 2 + i] = i + 1 < n ? i + 1 : 1;
    }
    bonsai_view_init(&v);
    v.nodes = n;
    assert_int_equal(bonsai_graph_build(&g, &v, 2 * (n - 1), source, target, NULL, NULL),
                     BONSAI_OK);
    free(source);
    free(target);
    return g;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Every tree has the hub, whose row walked each time would take minutes.  The first tree brings
 * four nodes and five edges. */
static void a_hub_does_not_slow_the_selection(void **state)
{
    (void)state;
    enum { N = 200001 };
    bn_published p = {.g = wheel(N), .price = calloc(N, sizeof *p.price),
                      .order = malloc(N * sizeof *p.order)};
    bn_job job = {.g = p.g, .train = malloc(N * sizeof *job.train), .trees = N - 1};
    bn_published_set s;
    for (int32_t t = 0; t < N - 1; t++) {
        p.order[t] = t;
        job.train[t] = t + 1;
    }
    const double start = now();
    assert_int_equal(bn_published_select(&s, &p, &job, 1e12), BONSAI_OK);
    assert_true(now() - start < 10);
    assert_true(s.roots == N - 1 && s.nodes == N && s.edges == 2 * (N - 1) && s.misses == 0);
    bn_published_set_free(&s);
    assert_int_equal(bn_published_select(&s, &p, &job, 2 * 2 * (4 + 5) + 1), BONSAI_OK);
    assert_true(s.roots == 1 && s.nodes == 4 && s.edges == 5 && s.misses > 100);
    bn_published_set_free(&s);
    bonsai_graph_free(p.g);
    free(p.price);
    free(p.order);
    free(job.train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hub_does_not_slow_the_selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
