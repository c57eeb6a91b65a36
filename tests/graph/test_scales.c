/* test_scales.c -- how far apart the scales of columns are, compared with computing by hand.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

static bool is_high(int64_t node)
{
    return (uint32_t)node * 2654435761u >> 31;
}

/* A graph without edges, stored in some way; x is freed. */
static bonsai_graph *stored(float *x, int64_t nodes, bonsai_encoding as)
{
    bonsai_view v;
    bonsai_graph *g = NULL, *back = NULL;
    bonsai_write_options o;
    bonsai_view_init(&v);
    bonsai_write_options_init(&o);
    v.nodes = nodes;
    v.features = 3;
    v.classes = 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 3 * nodes, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    o.features = as;
    assert_int_equal(bonsai_graph_save(NULL, g, temp_path("g.bonsai"), &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&back, temp_path("g.bonsai")), BONSAI_OK);
    bonsai_graph_free(g);
    free(x);
    return back;
}

/* Columns of standard deviation about 1, 500 times as much, and 0. */
static bonsai_graph *three_columns(int64_t nodes, bonsai_encoding as)
{
    float *x = calloc((size_t)nodes * 3, sizeof *x);
    for (int64_t i = 0; i < nodes; i++) {
        x[3 * i] = 10000 + (is_high(i) ? 1.0f : -1.0f);
        x[3 * i + 1] = is_high(i) ? 1001 : 1;
        x[3 * i + 2] = 7;
    }
    return stored(x, nodes, as);
}

/* A column of numbers and two that say yes or no, mostly no; words: the first is zero, too, in three
 * nodes of four. */
static bonsai_graph *a_table(int64_t nodes, bonsai_encoding as, bool words)
{
    float *x = calloc((size_t)nodes * 3, sizeof *x);
    for (int64_t i = 0; i < nodes; i++) {
        x[3 * i] = words && i % 4 ? 0 : 1000 + (is_high(i) ? 300.0f : -300.0f);
        x[3 * i + 1] = i % 5 == 0;
        x[3 * i + 2] = i % 7 == 0;
    }
    return stored(x, nodes, as);
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

static void a_table_has_them_however_it_is_stored(void **state)
{
    (void)state;
    static const bonsai_encoding as[] = {BONSAI_ENCODING_F32, BONSAI_ENCODING_SPARSE_F32};
    double least[2], most[2];
    for (int i = 0; i < 2; i++) {
        bonsai_graph *g = a_table(700, as[i], false);
        assert_int_equal(bonsai_graph_scales(&least[i], &most[i], g), BONSAI_OK);
        bonsai_graph_free(g);
    }
    assert_true(fabs(most[0] - 300) < 5 && fabs(least[0] - sqrt(6.0 / 49)) < 1e-6);
    assert_true(least[0] == least[1] && most[0] == most[1]);
}

static void words_have_none(void **state)
{
    (void)state;
    static const bonsai_encoding as[] = {BONSAI_ENCODING_F32, BONSAI_ENCODING_SPARSE_F32};
    double least = -1, most = -1;
    bonsai_graph *g;
    for (int i = 0; i < 2; i++) {
        g = a_table(700, as[i], true);
        assert_int_equal(bonsai_graph_scales(&least, &most, g), BONSAI_OK);
        assert_true(least == 0 && most == 0);
        bonsai_graph_free(g);
    }
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
        cmocka_unit_test(a_table_has_them_however_it_is_stored),
        cmocka_unit_test(words_have_none),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
