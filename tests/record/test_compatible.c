/* test_compatible.c -- every call that takes two graphs refuses two that do not belong together.
 *
 * SPDX-License-Identifier: MIT */
#include "record/record.h"
#include "condensing.h"
#include "update/update.h"
#include "study/map.h"

enum { CLASSES = 3, FEATURES = 24 };

static bonsai_graph *full_graph(void)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 200;
    o.features = FEATURES;
    o.classes = CLASSES;
    o.dense = 1;
    o.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static bonsai_graph *prototypes_of(const bonsai_graph *g, int select)
{
    bonsai_condense_options o;
    bonsai_graph *small = NULL;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.nodes = 12;
    o.members = 1;
    o.select_features = select;
    if (bonsai_condense(&small, NULL, g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return small;
}

/* A copy with another list of kept features. */
static bonsai_graph *with_kept(const bonsai_graph *g, const uint32_t *kept)
{
    bonsai_view v = *bonsai_graph_view(g);
    bonsai_graph *out = NULL;
    v.section[BONSAI_SECTION_KEPT_FEATURES] = (bonsai_array){kept, v.features, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    return out;
}

/* Every public call that takes a small graph and the one it was made of; update takes two. */
static void refuse_all(const bonsai_graph *small, const bonsai_graph *full, const char *text)
{
    int32_t node[1], *kept = NULL;
    int64_t found;
    bonsai_training *t = NULL;
    bonsai_report *r = NULL;
    bonsai_graph *out = NULL;
    bn_map map[BN_MAPS];
    assert_fails(bonsai_condense_nearest(node, NULL, &found, 1, small, 0, full, NULL),
                 BONSAI_E_ARGUMENT, text);
    assert_fails(bonsai_train(&t, small, full, NULL), BONSAI_E_ARGUMENT, text);
    assert_fails(bonsai_report_new(&r, small, full, NULL), BONSAI_E_ARGUMENT, text);
    assert_fails(bonsai_condense_update(&out, NULL, full, full, small, NULL), BONSAI_E_ARGUMENT,
                 text);
    assert_fails(bonsai_condense_update(&out, NULL, small, full, small, NULL), BONSAI_E_ARGUMENT,
                 text);
    assert_fails(bn_map_make(map, small, full, 2, true, NULL), BONSAI_E_ARGUMENT, text);
    assert_fails(bn_compatible_check(&kept, small, full, BN_SAME_COLUMNS, 1), BONSAI_E_ARGUMENT,
                 text);
    assert_null(kept);
}

static void kept_features_are_looked_for_in_the_full_graph(void **state)
{
    (void)state;
    bonsai_graph *g = full_graph(), *small = prototypes_of(g, 0);
    uint32_t kept[FEATURES];
    for (uint32_t j = 0; j < FEATURES; j++)
        kept[j] = j + (j == FEATURES - 1);              /* as many as g has, but one of another */
    bonsai_graph *lying = with_kept(small, kept);
    refuse_all(lying, g, "feature 24 of that list is not among the 24 features");
    bonsai_graph_free(lying);
    kept[FEATURES - 1] = INT32_MAX;
    lying = with_kept(small, kept);
    refuse_all(lying, g, "feature 2147483647 of that list is not among the 24 features");
    bonsai_graph_free(lying);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void places_of_kept_features_are_columns_of_the_full_graph(void **state)
{
    (void)state;
    bonsai_graph *g = full_graph(), *some = NULL, *few = NULL;
    const int32_t first[] = {2, 3, 5, 7, 11, 13}, then[] = {1, 2, 5}, all[] = {3, 5, 13};
    int32_t *kept = NULL;
    assert_int_equal(bn_graph_columns(&some, g, first, 6), BONSAI_OK);
    assert_int_equal(bn_graph_columns(&few, some, then, 3), BONSAI_OK);
    assert_int_equal(bn_compatible_check(&kept, few, some, BN_SAME_COLUMNS, 1), BONSAI_OK);
    assert_memory_equal(kept, then, sizeof then);
    bn_free(kept);
    assert_int_equal(bn_compatible_check(&kept, few, g, BN_SAME_COLUMNS, 1), BONSAI_OK);
    assert_memory_equal(kept, all, sizeof all);
    bn_free(kept);
    assert_int_equal(bn_compatible_check(&kept, some, some, BN_SAME_COLUMNS, 1), BONSAI_OK);
    assert_null(kept);
    assert_fails(bn_compatible_check(&kept, some, few, BN_SAME_COLUMNS, 1), BONSAI_E_ARGUMENT,
                 "feature 2 of that list is not among the 3 features");
    bonsai_graph_free(few);
    bonsai_graph_free(some);
    bonsai_graph_free(g);
}

static void classes_must_be_the_same(void **state)
{
    (void)state;
    bonsai_graph *g = full_graph(), *small = prototypes_of(g, 0), *other = NULL;
    bonsai_view v = *bonsai_graph_view(g);
    v.classes++;
    assert_int_equal(bonsai_graph_new(&other, &v, 1), BONSAI_OK);
    refuse_all(small, other, "has 3 classes, but graph has 4");
    bonsai_graph_free(other);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* One feature of one node is another: that is a graph to judge on, but not the one condensed. */
static void the_checksum_tells_the_graph_that_was_condensed(void **state)
{
    (void)state;
    bonsai_graph *g = full_graph(), *small = prototypes_of(g, 0), *other = NULL;
    bonsai_view v = *bonsai_graph_view(g);
    int32_t node[1], *kept = NULL;
    int64_t found;
    bonsai_report *r = NULL;
    assert_int_equal(bonsai_graph_new(&other, &v, 1), BONSAI_OK);
    ((float *)other->owned[BONSAI_SECTION_FEATURES])[0] += 1;
    assert_int_equal(bn_compatible_check(&kept, small, other, BN_SAME_COLUMNS, 1), BONSAI_OK);
    assert_fails(bonsai_condense_nearest(node, NULL, &found, 1, small, 0, other, NULL),
                 BONSAI_E_ARGUMENT, "was not made of graph: the checksum of its graph is");
    assert_fails(bonsai_report_new(&r, small, other, NULL), BONSAI_E_ARGUMENT, "was not made of");
    assert_int_equal(bonsai_condense_nearest(node, NULL, &found, 1, small, 0, g, NULL), BONSAI_OK);
    assert_int_equal(bonsai_report_new(&r, small, g, NULL), BONSAI_OK);
    bonsai_report_free(r);
    bonsai_graph_free(other);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Whatever condensing drew or cut, the checksum of its input can be found again. */
static void the_checksum_is_found_again_whatever_was_asked(void **state)
{
    (void)state;
    bonsai_graph *g = full_graph(), *bare = NULL, *small;
    bonsai_view v = *bonsai_graph_view(g);
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_int_equal(bonsai_graph_new(&bare, &v, 1), BONSAI_OK);
    for (int i = 0; i < 24; i++) {
        bonsai_condense_options o;
        int32_t *kept = NULL;
        bonsai_condense_options_init(&o);
        o.method = i % 3 == 0 ? BONSAI_METHOD_TREES
                   : i % 3 == 1 ? BONSAI_METHOD_PROTOTYPES : BONSAI_METHOD_RANDOM;
        o.nodes = 12;
        o.inductive = i / 3 % 2;
        o.select_features = i / 6 % 2;
        const bonsai_graph *full = i / 12 ? bare : g;
        small = NULL;
        if (bonsai_condense(&small, NULL, full, &o) != BONSAI_OK ||
            bn_compatible_check(&kept, small, full, BN_SAME_SOURCE, 1) != BONSAI_OK)
            fail_msg("%d: %s", i, bonsai_error());
        bn_free(kept);
        bonsai_graph_free(small);
    }
    bonsai_graph_free(bare);
    bonsai_graph_free(g);
}

static bonsai_status check_pair(void *payload)
{
    const bonsai_graph **pair = payload;
    int32_t *kept = NULL;
    bonsai_status rc = bn_compatible_check(&kept, pair[0], pair[1], BN_SAME_SOURCE, 1);
    bn_free(kept);
    return rc;
}

static void checking_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = full_graph(), *small = prototypes_of(g, 1);
    const bonsai_graph *pair[2] = {small, g};
    survives_failed_allocations(check_pair, pair, 2);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_features_are_looked_for_in_the_full_graph),
        cmocka_unit_test(places_of_kept_features_are_columns_of_the_full_graph),
        cmocka_unit_test(classes_must_be_the_same),
        cmocka_unit_test(the_checksum_tells_the_graph_that_was_condensed),
        cmocka_unit_test(the_checksum_is_found_again_whatever_was_asked),
        cmocka_unit_test(checking_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
