/* test_strongest.c -- the features by which a node differs from the others.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "condensing.h"
#include "study/strongest.h"

enum { N = 5, F = 6 };

static const bn_place alone = {.threads = 1};

/* Feature 0 is large everywhere, 1 is of node 0, 2 is tiny but of node 0 alone, 3 is of nodes 1 to
 * 4, 4 is -9 but for node 2, 5 is nowhere. */
static const float x[N * F] = {50, 3, 0.001f, 0, -9, 0,  50, 1, 0, 2, -9, 0,  50, 1, 0, 2, -1, 0,
                               51, 1, 0, 2, -9, 0,  50, 0, 0, 2, -9, 0};

static bonsai_graph *graph(bool sparse)
{
    bonsai_graph *g = NULL;
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = F;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    bonsai_graph *other = laid_out(g, !sparse);
    bonsai_graph_free(g);
    return other;
}

static void what_is_far_from_the_mean_is_strong(void **state)
{
    static const int64_t place[] = {0, 2, 4};
    static const int64_t strong[3][BN_STRONGEST] = {{1, 4, 0, 2}, {4, 3, 0, 1}, {4, 3, 0, -1}};
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        bonsai_graph *g = graph(sparse);
        const int32_t all[N] = {0, 1, 2, 3, 4};
        bn_strong out[3 * BN_STRONGEST];
        assert_int_equal(bn_strongest_find(out, g, &(bn_nodes){all, N}, place, 3, &alone),
                         BONSAI_OK);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < BN_STRONGEST; k++)
                assert_int_equal(out[i * BN_STRONGEST + k].feature, strong[i][k]);
        assert_true(out[0].value == 3 && fabs(out[0].mean - 1.2) < 1e-9);
        bonsai_graph_free(g);
    }
}

static void only_the_nodes_that_are_given_count(void **state)
{
    const int32_t some[] = {1, 3};
    const int64_t place[] = {1};
    bn_strong out[BN_STRONGEST];
    bonsai_graph *g = graph(false);
    (void)state;
    assert_int_equal(bn_strongest_find(out, g, &(bn_nodes){some, 2}, place, 1, &alone), BONSAI_OK);
    assert_int_equal(out[0].feature, 0);        /* 51 beside 50; all else is equal */
    assert_true(out[0].value == 51 && out[0].mean == 50.5);
    assert_int_equal(out[1].feature, -1);
    bonsai_graph_free(g);
}

/* A mean of equal values may differ from them by rounding: that is not strong. */
static void equal_nodes_have_no_strong_features(void **state)
{
    enum { MANY = 1000 };
    static float same[MANY * 2];
    static int32_t all[MANY];
    const int64_t place[] = {0, MANY - 1};
    bn_strong out[2 * BN_STRONGEST];
    bonsai_graph *g = NULL;
    bonsai_view v;
    (void)state;
    for (int i = 0; i < MANY; i++) {
        all[i] = i;
        same[2 * i] = 0.1f;
        same[2 * i + 1] = 0.7f;
    }
    bonsai_view_init(&v);
    v.nodes = MANY;
    v.features = 2;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){same, MANY * 2, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    assert_int_equal(bn_strongest_find(out, g, &(bn_nodes){all, MANY}, place, 2, &alone),
                     BONSAI_OK);
    for (int i = 0; i < 2 * BN_STRONGEST; i++)
        assert_int_equal(out[i].feature, -1);
    bonsai_graph_free(g);
}

static bonsai_status try_strongest(void *payload)
{
    const int32_t all[N] = {0, 1, 2, 3, 4};
    const int64_t place[] = {0};
    bn_strong out[BN_STRONGEST];
    return bn_strongest_find(out, payload, &(bn_nodes){all, N}, place, 1, &alone);
}

static void survives_every_failed_allocation(void **state)
{
    bonsai_graph *g = graph(true);
    (void)state;
    survives_failed_allocations(try_strongest, g, 4);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_far_from_the_mean_is_strong),
        cmocka_unit_test(only_the_nodes_that_are_given_count),
        cmocka_unit_test(equal_nodes_have_no_strong_features),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
