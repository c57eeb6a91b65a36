/* test_gdem.c -- GDEM: what it makes of graphs, and which nodes it learns from.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "condensing.h"
#include "training.h"

static bonsai_condense_options options(int64_t nodes)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_GDEM;
    o.nodes = nodes;
    o.effort = 0.1;
    o.keep = BONSAI_KEEP_LAST;
    o.threads = 1;
    return o;
}

static void what_it_makes_is_an_operator(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 40, 0);
    bonsai_condense_options o = options(12);
    bonsai_condense_info info;
    bonsai_graph *small = condensed(&info, g, &o);
    assert_int_equal(small->view.flags, BONSAI_FLAG_OPERATOR | BONSAI_FLAG_SELF_LOOPS);
    assert_int_equal(small->view.nodes, 12);
    assert_int_equal(bonsai_graph_check(small, NULL), BONSAI_OK);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void a_network_learns_from_it(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(400, 1000, 0);
    bonsai_condense_options o = options(15);
    bonsai_condense_info info;
    o.effort = 1;
    bonsai_graph *small = condensed(&info, g, &o);
    bonsai_train_options how = quick(BONSAI_MODEL_GCN);
    bonsai_training *t = trained(small, g, &how);
    if (bonsai_training_info(t)->accuracy_mean < 70)
        fail_msg("%g %% of test nodes", bonsai_training_info(t)->accuracy_mean);
    bonsai_training_free(t);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* A ring of nodes for training, and as many without an edge, of which `extra` are for training. */
static bonsai_graph *with_isolated(int extra)
{
    enum { N = 60, F = 6 };
    static float x[2 * N * F];
    static uint32_t label[2 * N];
    static uint8_t split[2 * N];
    static int32_t source[N], target[N];
    uint64_t state = 5;
    bonsai_view v;
    bonsai_graph *g = NULL;
    for (int i = 0; i < 2 * N; i++) {
        label[i] = (uint32_t)i % 3;
        split[i] = i < N || i < N + extra ? BONSAI_PART_TRAIN : BONSAI_PART_NONE;
        for (int j = 0; j < F; j++)
            x[i * F + j] = 2 + random_real(&state) + (float)((int)label[i] == j);
    }
    for (int i = 0; i < N; i++) {
        source[i] = i;
        target[i] = (i + 1) % N;
    }
    bonsai_view_init(&v);
    v.nodes = 2 * N;
    v.features = F;
    v.classes = 3;
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, v.nodes * F);
    set_section(&v, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, label, v.nodes);
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, split, v.nodes);
    assert_int_equal(bonsai_graph_build(&g, &v, N, source, target, NULL, NULL), BONSAI_OK);
    return g;
}

static void nodes_outside_the_largest_component_change_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = with_isolated(0);
    bonsai_view v = view_of(g);
    bonsai_condense_options o = options(9);
    bonsai_condense_info info;
    float *x = malloc(120 * 6 * sizeof *x);
    memcpy(x, v.section[BONSAI_SECTION_FEATURES].data, 120 * 6 * sizeof *x);
    for (int i = 60 * 6; i < 120 * 6; i++)
        x[i] *= 3;
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, 120 * 6);
    bonsai_graph *other = graph_of(&v);
    bonsai_graph *a = condensed(&info, g, &o), *b = condensed(&info, other, &o);
    assert_memory_equal(a->view.section[BONSAI_SECTION_FEATURES].data,
                        b->view.section[BONSAI_SECTION_FEATURES].data, 9 * 6 * sizeof(float));
    assert_memory_equal(a->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data,
                        b->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data, 81 * sizeof(float));
    bonsai_graph_free(a);
    bonsai_graph_free(b);
    bonsai_graph_free(other);
    bonsai_graph_free(g);
    free(x);
}

static void training_nodes_outside_of_it_are_left_out_of_means(void **state)
{
    (void)state;
    bonsai_graph *g = with_isolated(30);
    bonsai_condense_options o = options(9);
    bonsai_condense_info info;
    bonsai_graph *small = condensed(&info, g, &o);
    assert_int_equal(bonsai_graph_check(small, NULL), BONSAI_OK);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Its largest component has one node, and one eigenvalue, 0. */
static void isolated_nodes_make_the_identity(void **state)
{
    (void)state;
    float x[20 * 3];
    uint32_t label[20];
    uint8_t split[20];
    bonsai_view v;
    bonsai_graph *g = NULL;
    bonsai_condense_options o = options(4);
    bonsai_condense_info info;
    for (int i = 0; i < 60; i++)
        x[i] = (float)(1 + i % 7);
    for (int i = 0; i < 20; i++) {
        label[i] = (uint32_t)i % 2;
        split[i] = BONSAI_PART_TRAIN;
    }
    bonsai_view_init(&v);
    v.nodes = 20;
    v.features = 3;
    v.classes = 2;
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, x, 60);
    set_section(&v, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, label, 20);
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, split, 20);
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    bonsai_graph *small = condensed(&info, g, &o);
    const float *w = small->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    assert_int_equal(small->view.section[BONSAI_SECTION_NEIGHBORS].count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(w[i] == 1.0f);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_makes_is_an_operator),
        cmocka_unit_test(a_network_learns_from_it),
        cmocka_unit_test(nodes_outside_the_largest_component_change_nothing),
        cmocka_unit_test(training_nodes_outside_of_it_are_left_out_of_means),
        cmocka_unit_test(isolated_nodes_make_the_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
