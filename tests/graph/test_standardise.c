/* test_standardise.c -- columns of features with mean 0 and spread 1, in every layout.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "random_graph.h"

enum { N = 23, MOST_FEATURES = 16 };

static bonsai_graph *standardised(const bonsai_graph *g, const bonsai_graph *like)
{
    bonsai_graph *out = NULL;
    if (bonsai_graph_standardise(&out, g, like) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return out;
}

static const float *numbers(const bonsai_graph *g, bonsai_section s)
{
    return bonsai_graph_view(g)->section[s].data;
}

/* Column j of g and of out, against mean and spread that are computed anew. */
static void check_column(const bonsai_graph *g, const bonsai_graph *out, int64_t j)
{
    float row[MOST_FEATURES];
    double x[N], sum = 0, squares = 0;
    int zeros = 0;
    for (int64_t v = 0; v < N; v++) {
        bonsai_graph_row(row, g, v);
        x[v] = (double)row[j];
        sum += x[v];
        zeros += x[v] == 0;
    }
    const double middle = sum / N;
    for (int64_t v = 0; v < N; v++)
        squares += (x[v] - middle) * (x[v] - middle);
    const double mean = 2 * (N - zeros) < N ? 0 : middle;
    const double spread = squares > 0 ? sqrt(squares / N) : 1;
    for (int64_t v = 0; v < N; v++) {
        bonsai_graph_row(row, out, v);
        assert_true(fabs((double)row[j] - (x[v] - mean) / spread) < 1e-4);
    }
    assert_true(fabs((double)numbers(out, BONSAI_SECTION_FEATURE_MEAN)[j] - mean) <= 1e-5 * (1 + fabs(mean)));
    assert_true(fabs((double)numbers(out, BONSAI_SECTION_FEATURE_SPREAD)[j] - spread) <= 1e-5 * (1 + spread));
}

static void columns_are_scaled_in_every_layout(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++)
        for (layout kind = DENSE_F32; kind < LAYOUTS; kind++) {
            bonsai_graph *g = random_graph(seed, N, 40, kind, WITH_LABELS);
            bonsai_graph *out = standardised(g, NULL);
            for (int64_t j = 0; j < g->view.features; j++)
                check_column(g, out, j);
            assert_int_equal(bn_has(out, BONSAI_SECTION_FEATURE_OFFSETS),
                             bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS));
            assert_int_equal(bonsai_graph_edges(out), bonsai_graph_edges(g));
            assert_int_equal(bn_label(out, 3), bn_label(g, 3));
            bonsai_graph_free(out);
            bonsai_graph_free(g);
        }
}

static void mostly_zeros_stay_zeros(void **state)
{
    (void)state;
    static const float x[] = {0, 5, 0, 7, 2, 9, 0, 3, 0, 6};
    bonsai_graph *g = dense_graph(x, 5, 2), *out = standardised(g, NULL);
    float row[2];
    bonsai_graph_row(row, out, 0);
    assert_true(row[0] == 0);
    assert_true(numbers(out, BONSAI_SECTION_FEATURE_MEAN)[0] == 0);
    assert_true(numbers(out, BONSAI_SECTION_FEATURE_MEAN)[1] == 6);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

static void what_comes_later_is_scaled_alike(void **state)
{
    (void)state;
    static const float x[] = {10, 1, 30, 4, 20, 4}, later[] = {40, 1};
    bonsai_graph *g = dense_graph(x, 3, 2), *out = standardised(g, NULL);
    bonsai_graph *one = dense_graph(later, 1, 2), *scaled = standardised(one, out);
    float row[2], first[2];
    bonsai_graph_row(row, scaled, 0);
    bonsai_graph_row(first, out, 0);
    assert_true(fabs((double)row[0] - 20 / sqrt(200.0 / 3)) < 1e-5);
    assert_true(row[1] == first[1]);
    assert_null(standardised(scaled, out));             /* it is */
    assert_null(standardised(one, g));                  /* g is not */
    bonsai_graph *wide = dense_graph(x, 2, 3);
    assert_null(standardised(wide, out));               /* other columns */
    bonsai_graph_free(wide);
    bonsai_graph_free(scaled);
    bonsai_graph_free(one);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

static void nothing_and_twice(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, N, 40, NO_FEATURES, WITH_LABELS), *out;
    assert_null(standardised(g, NULL));
    bonsai_graph_free(g);
    g = random_graph(1, N, 40, DENSE_F32, WITH_LABELS);
    bonsai_graph *once = standardised(g, NULL);
    assert_fails(bonsai_graph_standardise(&out, once, NULL), BONSAI_E_ARGUMENT,
                 "its columns of features are scaled already");
    assert_null(out);
    bonsai_graph_free(once);
    bonsai_graph_free(g);
}

static bonsai_status try_standardise(void *payload)
{
    bonsai_graph *out = NULL;
    bonsai_status rc = bonsai_graph_standardise(&out, payload, NULL);
    bonsai_graph_free(out);
    return rc;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bonsai_graph *g = random_graph(2, N, 40, k ? SPARSE_ONES : DENSE_F32, WITH_LABELS);
        survives_failed_allocations(try_standardise, g, 3);
        bonsai_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_scaled_in_every_layout),
        cmocka_unit_test(mostly_zeros_stay_zeros),
        cmocka_unit_test(what_comes_later_is_scaled_alike),
        cmocka_unit_test(nothing_and_twice),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
