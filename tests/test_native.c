/* test_native.c -- the native file: what is written is read, all else is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

static bonsai_graph *small_graph(void)
{
    static const int32_t source[] = {0, 1, 2, 3, 0}, target[] = {1, 2, 3, 0, 1};
    static const float x[] = {1, 0, 0.5f, 0, 2, 0, 0, 0, 3, 1, 1, 1};
    static const uint32_t labels[] = {0, 1, UINT32_MAX, 1};
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = 4;
    v.features = 3;
    v.classes = 2;
    v.section[BONSAI_FEATURES] = (bonsai_array){x, 12, BONSAI_F32};
    v.section[BONSAI_LABELS] = (bonsai_array){labels, 4, BONSAI_U32};
    assert_int_equal(bonsai_graph_build(&g, &v, 5, source, target, NULL, NULL), BONSAI_OK);
    return g;
}

static void saving_and_loading_keeps_the_graph(void **state)
{
    (void)state;
    bonsai_graph *g = small_graph(), *back;
    int equal = 0;
    assert_int_equal(bonsai_graph_edges(g), 8);
    const char *path = temp_path("g.bonsai");
    assert_int_equal(bonsai_graph_save(g, path, NULL, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&back, path), BONSAI_OK);
    assert_int_equal(bonsai_graph_equal(&equal, g, back), BONSAI_OK);
    assert_true(equal);
    assert_int_equal(bonsai_graph_label(back, 2), -1);
    bonsai_graph_free(back);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saving_and_loading_keeps_the_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
