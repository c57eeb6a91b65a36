/* test_distinctive.c -- the features by which a node differs from the others.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "condensing.h"
#include "record/distinctive.h"

enum { N = 5, F = 6, ROOM = 4 };

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

/* The strongest features of a node by number; -1 behind the last. */
static void strongest(int64_t out[ROOM], const bonsai_graph *small, const bonsai_graph *full,
                      int64_t node)
{
    bn_feature_stats y;
    bn_largest top[ROOM];
    float row[F];
    assert_int_equal(bn_feature_stats_make(&y, small, full), BONSAI_OK);
    bonsai_graph_row(row, small, node);
    const int64_t count = bn_distinctive_find(top, ROOM, row, &y);
    for (int64_t i = 0; i < ROOM; i++)
        out[i] = i < count ? top[i].number : -1;
    bn_feature_stats_free(&y);
}

static void what_is_far_from_the_mean_is_strong(void **state)
{
    static const int64_t node[] = {0, 2, 4};
    static const int64_t want[3][ROOM] = {{1, 4, 0, 2}, {4, 3, 0, 1}, {4, 3, 0, -1}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        bonsai_graph *g = graph(k % 2);
        bn_feature_stats y;
        int64_t found[ROOM];
        for (int i = 0; i < 3; i++) {
            strongest(found, g, k < 2 ? NULL : g, node[i]);
            assert_memory_equal(found, want[i], sizeof found);
        }
        assert_int_equal(bn_feature_stats_make(&y, g, NULL), BONSAI_OK);
        assert_true(fabs(y.mean[1] - 1.2) < 1e-9 && fabs(y.spread[1] - sqrt(0.96)) < 1e-9);
        bn_feature_stats_free(&y);
        bonsai_graph_free(g);
    }
}

/* A small graph alone is measured by its labelled nodes, beside the full one by all of that. */
static void only_the_nodes_that_count_are_measured(void **state)
{
    static const uint8_t label[N] = {255, 0, 255, 0, 255};
    bonsai_graph *g = graph(false), *full = graph(true);
    int64_t found[ROOM];
    (void)state;
    for (int k = 0; k < 2; k++) {
        bonsai_graph *one = k ? full : g;
        one->view.classes = 1;
        one->view.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, N, BONSAI_TYPE_U8};
    }
    strongest(found, g, NULL, 3);
    assert_int_equal(found[0], 0);              /* 51 beside 50; all else is equal */
    assert_int_equal(found[1], -1);
    strongest(found, g, full, 2);
    assert_int_equal(found[0], 4);
    assert_int_equal(found[1], 3);
    bonsai_graph_free(g);
    bonsai_graph_free(full);
}

/* A mean of equal values may differ from them by rounding: that is not strong. */
static void equal_nodes_have_no_strong_features(void **state)
{
    enum { MANY = 1000 };
    static float same[MANY * 2];
    int64_t found[ROOM];
    bonsai_graph *g = NULL;
    bonsai_view v;
    (void)state;
    for (int i = 0; i < MANY; i++) {
        same[2 * i] = 0.1f;
        same[2 * i + 1] = 0.7f;
    }
    bonsai_view_init(&v);
    v.nodes = MANY;
    v.features = 2;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){same, MANY * 2, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    strongest(found, g, g, 0);
    for (int i = 0; i < ROOM; i++)
        assert_int_equal(found[i], -1);
    bonsai_graph_free(g);
}

static bonsai_status try_strongest(void *payload)
{
    bn_feature_stats y;
    bonsai_status rc = bn_feature_stats_make(&y, payload, NULL);
    bn_feature_stats_free(&y);
    return rc;
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
        cmocka_unit_test(only_the_nodes_that_count_are_measured),
        cmocka_unit_test(equal_nodes_have_no_strong_features),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
