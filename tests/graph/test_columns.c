/* test_columns.c -- graphs with some of their features, in every layout; and
 * condensing with the features that a decision tree splits on.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "record/fact.h"
#include "random_graph.h"

enum { NODES = 30, EDGES = 60 };

/* Every row of `some` holds the kept values of the row of `all`. */
static void assert_rows(const bonsai_graph *some, const bonsai_graph *all, const int32_t *kept,
                        int64_t count)
{
    float *a = malloc((size_t)all->view.features * sizeof *a);
    float *b = malloc((size_t)(count + 1) * sizeof *b);
    for (int64_t v = 0; v < all->view.nodes; v++) {
        bonsai_graph_row(a, all, v);
        bonsai_graph_row(b, some, v);
        for (int64_t i = 0; i < count; i++)
            assert_true(b[i] == a[kept[i]]);
    }
    free(a);
    free(b);
}

static int64_t choose(int32_t *kept, int64_t f, int percent, uint64_t *state)
{
    int64_t count = 0;
    for (int64_t j = 0; j < f; j++)
        if (random_below(state, 100) < percent)
            kept[count++] = (int32_t)j;
    return count;
}

static void rows_hold_the_kept_values_in_every_layout(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    for (int trial = 0; trial < 160; trial++) {
        layout kind = (layout)(1 + trial % (LAYOUTS - 1));
        bonsai_graph *g = random_graph((uint64_t)trial + 1, NODES, EDGES, kind,
                                       WITH_LABELS | WITH_WEIGHTS);
        bonsai_graph *some;
        int32_t kept[512];
        assert_true(g->view.features <= 512);
        int64_t count = choose(kept, g->view.features, random_below(&state, 101), &state);
        assert_int_equal(bn_graph_columns(&some, g, kept, count), BONSAI_OK);
        assert_int_equal(some->view.features, count);
        assert_rows(some, g, kept, count);
        assert_int_equal(some->view.section[BONSAI_SECTION_FEATURES].type,
                         g->view.section[BONSAI_SECTION_FEATURES].type);
        assert_int_equal(some->view.section[BONSAI_SECTION_FEATURE_VALUES].type,
                         g->view.section[BONSAI_SECTION_FEATURE_VALUES].type);
        assert_ptr_equal(some->view.section[BONSAI_SECTION_NEIGHBORS].data,
                         g->view.section[BONSAI_SECTION_NEIGHBORS].data);
        assert_ptr_equal(some->view.section[BONSAI_SECTION_FEATURE_SCALE].data,
                         g->view.section[BONSAI_SECTION_FEATURE_SCALE].data);
        bonsai_graph_free(g);                   /* shared arrays stay alive */
        assert_int_equal(bonsai_graph_verify(some), BONSAI_OK);
        bonsai_graph_free(some);
    }
}

static bonsai_graph *small_graph(float *x, int64_t n, int64_t f)
{
    bonsai_view v;
    bonsai_graph *g;
    uint32_t offsets[16] = {0}, nothing = 0;
    float mean[4] = {1, 2, 3, 4}, spread[4] = {5, 6, 7, 8};
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = f;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, n + 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){&nothing, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_FEATURE_MEAN] = (bonsai_array){mean, f, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_FEATURE_SPREAD] = (bonsai_array){spread, f, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_new(&g, &v, 1), BONSAI_OK);
    return g;
}

static void numbers_and_standardisation_follow_the_features(void **unused)
{
    (void)unused;
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    bonsai_graph *g = small_graph(x, 2, 4), *three, *one, *plain;
    assert_int_equal(bn_graph_columns(&plain, g, (const int32_t[]){0, 2}, 2), BONSAI_OK);
    assert_null(plain->view.section[BONSAI_SECTION_FEATURE_NAMES].data);
    bonsai_graph_free(plain);
    assert_int_equal(bonsai_graph_name_features(&plain, g, "zero\none\n\nthree\n"), BONSAI_OK);
    bonsai_graph_free(g);
    g = plain;
    assert_int_equal(bn_graph_columns(&three, g, (const int32_t[]){0, 2, 3}, 3), BONSAI_OK);
    assert_int_equal(bn_graph_columns(&one, three, (const int32_t[]){1}, 1), BONSAI_OK);
    const uint32_t *a = three->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    const uint32_t *b = one->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    assert_true(a[0] == 0 && a[1] == 2 && a[2] == 3);
    assert_true(b[0] == 2);
    assert_string_equal(bonsai_graph_feature_name(three, 0), "zero");
    assert_null(bonsai_graph_feature_name(three, 1));           /* its name is empty */
    assert_string_equal(bonsai_graph_feature_name(three, 2), "three");
    assert_int_equal(one->view.section[BONSAI_SECTION_FEATURE_NAMES].count, 1);
    assert_true(((const float *)one->view.section[BONSAI_SECTION_FEATURE_MEAN].data)[0] == 3);
    assert_true(((const float *)one->view.section[BONSAI_SECTION_FEATURE_SPREAD].data)[0] == 7);
    assert_true(((const float *)one->view.section[BONSAI_SECTION_FEATURES].data)[1] == 7);
    bonsai_graph_free(g);
    bonsai_graph_free(three);
    bonsai_graph_free(one);
}

static void bad_lists_are_refused(void **unused)
{
    (void)unused;
    float x[8] = {0};
    bonsai_graph *g = small_graph(x, 2, 4), *out;
    assert_fails(bn_graph_columns(&out, g, (const int32_t[]){4}, 1), BONSAI_E_ARGUMENT,
                 "feature 4 is outside 0..3");
    assert_fails(bn_graph_columns(&out, g, (const int32_t[]){-1}, 1), BONSAI_E_ARGUMENT,
                 "feature -1 is outside");
    assert_fails(bn_graph_columns(&out, g, (const int32_t[]){1, 1}, 2), BONSAI_E_ARGUMENT,
                 "must ascend");
    assert_null(out);
    bonsai_graph_free(g);
}

static bonsai_status keep_some(void *payload)
{
    bonsai_graph *out;
    bonsai_status rc = bn_graph_columns(&out, payload, (const int32_t[]){0, 1}, 2);
    bonsai_graph_free(out);
    return rc;
}

static void failed_allocations_are_survived(void **unused)
{
    (void)unused;
    for (int kind = DENSE_F32; kind < LAYOUTS; kind++) {
        bonsai_graph *g = random_graph(5, NODES, EDGES, (layout)kind, WITH_LABELS);
        survives_failed_allocations(keep_some, g, 4);
        bonsai_graph_free(g);
    }
}

/* ---- in condensing ---- */

static bonsai_graph *generated(void)
{
    bonsai_graph *g;
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = 300;
    o.features = 80;
    o.classes = 4;
    o.words = 12;
    o.seed = 3;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static bonsai_graph *condensed(bonsai_condense_info *info, const bonsai_graph *g,
                               bonsai_method method, int threads)
{
    bonsai_graph *small;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(info);
    o.ratio = 0.2;
    o.method = method;
    o.select_features = 1;
    o.threads = threads;
    assert_int_equal(bonsai_condense(&small, info, g, &o), BONSAI_OK);
    return small;
}

static void condensed_graphs_hold_the_selected_features_of_their_nodes(void **unused)
{
    (void)unused;
    bonsai_graph *g = generated();
    for (int m = 0; m < BONSAI_METHOD_PROTOTYPES; m++) {
        bonsai_condense_info info;
        bonsai_graph *small = condensed(&info, g, (bonsai_method)m, 2);
        const bonsai_array *kept = &small->view.section[BONSAI_SECTION_KEPT_FEATURES];
        const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
        float a[80], b[80];
        assert_true(kept->count > 0 && kept->count < 80);
        assert_int_equal(kept->count, small->view.features);
        assert_int_equal(bn_fact_whole(&info, BN_FACT_FEATURES), small->view.features);
        assert_true(info.bytes <= bn_fact(&info, BN_FACT_BUDGET));
        for (int64_t v = 0; v < small->view.nodes; v++) {
            bonsai_graph_row(a, g, origin[v]);
            bonsai_graph_row(b, small, v);
            for (int64_t i = 0; i < kept->count; i++)
                assert_true(b[i] == a[((const uint32_t *)kept->data)[i]]);
        }
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

static void selection_is_the_same_for_any_number_of_threads(void **unused)
{
    (void)unused;
    bonsai_condense_info info;
    bonsai_graph *g = generated(), *one = condensed(&info, g, BONSAI_METHOD_TREES, 1);
    for (int threads = 2; threads <= 8; threads *= 4) {
        int equal;
        bonsai_graph *other = condensed(&info, g, BONSAI_METHOD_TREES, threads);
        assert_int_equal(bonsai_graph_equal(&equal, one, other), BONSAI_OK);
        assert_true(equal);
        assert_int_equal(one->view.features, other->view.features);
        assert_memory_equal(one->view.section[BONSAI_SECTION_KEPT_FEATURES].data,
                            other->view.section[BONSAI_SECTION_KEPT_FEATURES].data,
                            (size_t)one->view.features * 4);
        bonsai_graph_free(other);
    }
    bonsai_graph_free(one);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_the_kept_values_in_every_layout),
        cmocka_unit_test(numbers_and_standardisation_follow_the_features),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(failed_allocations_are_survived),
        cmocka_unit_test(condensed_graphs_hold_the_selected_features_of_their_nodes),
        cmocka_unit_test(selection_is_the_same_for_any_number_of_threads),
    };
    return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
