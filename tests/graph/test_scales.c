/* test_scales.c -- how far apart the scales of columns are, compared with computing by hand.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

/* A graph without edges: columns of standard deviation about 1, 500 times as much, and 0. */
static bonsai_graph *three_columns(int64_t nodes, bonsai_encoding as)
{
    bonsai_view v;
    bonsai_graph *g = NULL, *back = NULL;
    float *x = calloc((size_t)nodes * 3, sizeof *x);
    bonsai_write_options o;
    bonsai_view_init(&v);
    bonsai_write_options_init(&o);
    v.nodes = nodes;
    v.features = 3;
    v.classes = 1;
    for (int64_t i = 0; i < nodes; i++) {
        const bool high = (uint32_t)i * 2654435761u >> 31;
        x[3 * i] = 10000 + (high ? 1.0f : -1.0f);
        x[3 * i + 1] = high ? 1000 : 0;
        x[3 * i + 2] = 7;
    }
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 3 * nodes, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    o.features = as;
    assert_int_equal(bonsai_graph_save(NULL, g, temp_path("g.bonsai"), &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&back, temp_path("g.bonsai")), BONSAI_OK);
    bonsai_graph_free(g);
    free(x);
    return back;
}

static void are_those_of_the_columns_that_vary(void **state)
{
    (void)state;
    static const int64_t sizes[] = {10, 1000, 20000};
    for (int i = 0; i < 3; i++) {
        double least = -1, most = -1;
        bonsai_graph *g = three_columns(sizes[i], BONSAI_ENCODING_F32);
        assert_int_equal(bonsai_graph_scales(&least, &most, g), BONSAI_OK);
        assert_true(fabs(least - 1) < 0.1);
        assert_true(fabs(most / least - 500) < 1e-6);
        bonsai_graph_free(g);
    }
}

static void sparse_features_have_none(void **state)
{
    (void)state;
    double least = -1, most = -1;
    bonsai_graph *g = three_columns(10, BONSAI_ENCODING_SPARSE_F32);
    assert_int_equal(bonsai_graph_scales(&least, &most, g), BONSAI_OK);
    assert_true(least == 0 && most == 0);
    bonsai_graph_free(g);
    g = three_columns(1, BONSAI_ENCODING_F32);
    assert_int_equal(bonsai_graph_scales(&least, &most, g), BONSAI_OK);
    assert_true(least == 0 && most == 0);
    assert_fails(bonsai_graph_scales(NULL, &most, g), BONSAI_E_ARGUMENT, "least_out is NULL");
    bonsai_graph_free(g);
}

static bonsai_status scales_of(void *g)
{
    double least, most;
    return bonsai_graph_scales(&least, &most, g);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = three_columns(10, BONSAI_ENCODING_F32);
    survives_failed_allocations(scales_of, g, 5);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_those_of_the_columns_that_vary),
        cmocka_unit_test(sparse_features_have_none),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
