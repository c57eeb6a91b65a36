/* test_normalise.c -- features divided by the sum of their row, in every layout.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "random_graph.h"

enum { N = 23, MOST_FEATURES = 16 };

static bonsai_graph *normalised(const bonsai_graph *g)
{
    bonsai_graph *out = NULL;
    if (bonsai_graph_normalise(&out, g) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return out;
}

static bool is_negative(const bonsai_graph *g)
{
    float row[MOST_FEATURES];
    bool found = false;
    for (int64_t v = 0; v < N; v++) {
        bonsai_graph_row(row, g, v);
        for (int64_t j = 0; j < g->view.features; j++)
            found |= row[j] < 0;
    }
    return found;
}

static void check_rows(const bonsai_graph *g, const bonsai_graph *out)
{
    float was[MOST_FEATURES], is[MOST_FEATURES];
    for (int64_t v = 0; v < N; v++) {
        double sum = 0, now = 0;
        bonsai_graph_row(was, g, v);
        bonsai_graph_row(is, out, v);
        for (int64_t j = 0; j < g->view.features; j++)
            sum += (double)was[j];
        for (int64_t j = 0; j < g->view.features; j++) {
            assert_true(fabs((double)is[j] - (sum > 0 ? (double)was[j] / sum : 0)) < 1e-6);
            now += (double)is[j];
        }
        assert_true(fabs(now - (sum > 0)) < 1e-6);
    }
}

static void rows_sum_to_one_in_every_layout(void **state)
{
    (void)state;
    int done = 0;
    for (uint64_t seed = 0; seed < 40; seed++)
        for (layout kind = DENSE_F32; kind < LAYOUTS; kind++) {
            bonsai_graph *g = random_graph(seed, N, 40, kind, WITH_ALL);
            if (!is_negative(g)) {
                bonsai_graph *out = normalised(g), *again = normalised(out);
                check_rows(g, out);
                check_rows(g, again);
                assert_int_equal(bonsai_graph_edges(out), bonsai_graph_edges(g));
                assert_int_equal(bn_label(out, 3), bn_label(g, 3));
                bonsai_graph_free(again);
                bonsai_graph_free(out);
                done++;
            }
            bonsai_graph_free(g);
        }
    assert_true(done > 40);
}

static void a_graph_without_features_stays_one(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, N, 40, NO_FEATURES, WITH_LABELS), *out = normalised(g);
    int equal = 0;
    assert_int_equal(bonsai_graph_equal(&equal, g, out), BONSAI_OK);
    assert_true(equal);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

static void negative_features_are_refused(void **state)
{
    (void)state;
    static const float x[] = {1, 2, 3, 0.5f, -2, 1};
    bonsai_graph *g = dense_graph(x, 2, 3), *out = NULL;
    assert_fails(bonsai_graph_normalise(&out, g), BONSAI_E_ARGUMENT,
                 "feature 1 of node 1 is -2: rows with negative features cannot be divided");
    assert_null(out);
    bonsai_graph_free(g);
}

static bonsai_status try_normalise(void *payload)
{
    bonsai_graph *out = NULL;
    bonsai_status rc = bonsai_graph_normalise(&out, payload);
    bonsai_graph_free(out);
    return rc;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(2, N, 40, SPARSE_ONES, WITH_ALL);
    survives_failed_allocations(try_normalise, g, 3);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_sum_to_one_in_every_layout),
        cmocka_unit_test(a_graph_without_features_stays_one),
        cmocka_unit_test(negative_features_are_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
