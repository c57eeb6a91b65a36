/* test_judge.c -- prototypes are the same whatever does not matter: threads, layouts, labels that
 * must not be known.
 *
 * SPDX-License-Identifier: MIT */
#include "prototyping.h"

static void the_bytes_do_not_depend_on_threads_or_layout(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < cases_to_run(100); seed++) {
        bonsai_graph *g = case_graph(seed), *other[3];
        bonsai_condense_options o;
        bonsai_condense_info i;
        small_options(&o, seed);
        o.ratio = 0.4;
        if (training_nodes(g) < 2) {
            bonsai_graph_free(g);
            continue;
        }
        bonsai_graph *dense = laid_out(g, true), *sparse = laid_out(g, false);
        bonsai_graph *first = condensed(&i, dense, &o);
        other[0] = condensed(&i, sparse, &o);
        o.threads = 3;
        other[1] = condensed(&i, dense, &o);
        other[2] = condensed(&i, sparse, &o);
        for (int k = 0; k < 3; k++) {
            assert_same_file(first, other[k]);
            bonsai_graph_free(other[k]);
        }
        bonsai_graph_free(first);
        bonsai_graph_free(dense);
        bonsai_graph_free(sparse);
        bonsai_graph_free(g);
    }
}

static bonsai_graph *reloaded(const bonsai_graph *g, bonsai_encoding e)
{
    bonsai_graph *out = NULL;
    bonsai_write_options o;
    const char *path = temp_path("layout.bonsai");
    bonsai_write_options_init(&o);
    o.features = e;
    assert_int_equal(bonsai_graph_save(NULL, g, path, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&out, path), BONSAI_OK);
    return out;
}

/* 60 words of which a node has few: averaged once they are sparse, averaged twice not. */
static void a_larger_graph_is_the_same_in_any_layout(void **state)
{
    (void)state;
    bonsai_graph *g = generated(1500, 0);
    bonsai_graph *dense = reloaded(g, BONSAI_ENCODING_F32);
    bonsai_graph *sparse = reloaded(g, BONSAI_ENCODING_SPARSE_F32);
    for (int layers = 0; layers < 3; layers++) {
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = BONSAI_METHOD_PROTOTYPES;
        o.ratio = 0.03;
        o.threads = 1;
        o.layers = layers;
        bonsai_graph *a = condensed(&i, dense, &o), *b = condensed(&i, sparse, &o);
        assert_same_file(a, b);
        bonsai_graph_free(a);
        bonsai_graph_free(b);
    }
    bonsai_graph_free(dense);
    bonsai_graph_free(sparse);
    bonsai_graph_free(g);
}

static void a_larger_graph_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(1500, dense);
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = BONSAI_METHOD_PROTOTYPES;
        o.ratio = 0.03;
        o.threads = 1;
        o.no_validation = dense;
        bonsai_graph *one = condensed(&i, g, &o);
        o.threads = 3;
        bonsai_graph *three = condensed(&i, g, &o);
        assert_same_file(one, three);
        bonsai_graph_free(one);
        bonsai_graph_free(three);
        bonsai_graph_free(g);
    }
}

/* A copy of g with other labels outside the training part, or in the test part and where there is
 * none. */
static bonsai_graph *with_other_labels(const bonsai_graph *g, bool judged, uint64_t seed)
{
    bonsai_graph *out = NULL;
    bonsai_view v = g->view;
    uint32_t *label = calloc((size_t)v.nodes, sizeof *label);
    for (int64_t i = 0; i < v.nodes; i++) {
        bool stays = bn_part(g, i) == BONSAI_PART_TRAIN || bn_label(g, i) < 0 ||
                     (!judged && bn_part(g, i) == BONSAI_PART_VAL);
        label[i] = stays ? (uint32_t)bn_label(g, i)
                         : (uint32_t)random_below(&seed, (int)v.classes);
    }
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, v.nodes, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    free(label);
    return out;
}

/* Validation labels choose among candidates where they may; no other one has any say. */
static void no_label_outside_the_training_part_leaves_a_trace(void **state)
{
    (void)state;
    int few = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        bonsai_graph *g = seed < 58 ? random_graph(seed, 30, 60, 1 + (layout)(seed % 8), WITH_ALL)
                                    : NULL;
        if (!g) {
            bonsai_graph *whole = generated(800, seed % 2);
            const double percent[3] = {seed % 2 ? 50 : 5, 30, 20};
            assert_int_equal(bonsai_graph_split(&g, whole, percent, 3), BONSAI_OK);
            bonsai_graph_free(whole);
        }
        bonsai_condense_options o;
        bonsai_condense_info i, j;
        small_options(&o, seed);
        o.ratio = seed < 58 ? 0.4 : 0.03;
        o.members = seed % 4 == 0;
        bonsai_graph *h = with_other_labels(g, o.no_validation || o.inductive, seed);
        if (training_nodes(g) >= 1) {
            bonsai_graph *a = condensed(&i, g, &o), *b = condensed(&j, h, &o);
            assert_same_file(a, b);
            assert_true(i.probe == j.probe);
            few += 4 * training_nodes(g) < g->view.nodes && !o.members && !o.inductive;
            bonsai_graph_free(a);
            bonsai_graph_free(b);
        }
        bonsai_graph_free(g);
        bonsai_graph_free(h);
    }
    assert_true(few > 10);
}

/* A number in the recipe of a small graph's record. */
static long recipe_of(const bonsai_graph *small, const char *key)
{
    const bonsai_array *meta = &small->view.section[BONSAI_SECTION_METADATA];
    char *text = calloc((size_t)meta->count + 1, 1);
    memcpy(text, meta->data, (size_t)meta->count);
    const char *at = strstr(text, "\"recipe\"");
    at = at ? strstr(at, key) : NULL;
    long value = at ? strtol(at + strlen(key), NULL, 10) : -1;
    free(text);
    return value;
}

static void every_labelled_validation_node_is_judged_on(void **state)
{
    (void)state;
    int first = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        bonsai_condense_info i;
        int64_t count = 0;
        for (int64_t v = 0; v < g->view.nodes; v++) {
            bool judges = bn_part(g, v) == BONSAI_PART_VAL && bn_label(g, v) >= 0;
            count += judges;
            first += judges && v == 0;
        }
        bonsai_condense_options_init(&o);
        o.method = BONSAI_METHOD_PROTOTYPES;
        o.threads = 1;
        o.nodes = 6;
        if (training_nodes(g) >= 6 && count > 0) {
            bonsai_graph *small = condensed(&i, g, &o);
            assert_int_equal(recipe_of(small, "\"judged\":"), count);
            bonsai_graph_free(small);
        }
        bonsai_graph_free(g);
    }
    assert_true(first > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_do_not_depend_on_threads_or_layout),
        cmocka_unit_test(a_larger_graph_is_the_same_in_any_layout),
        cmocka_unit_test(a_larger_graph_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(no_label_outside_the_training_part_leaves_a_trace),
        cmocka_unit_test(every_labelled_validation_node_is_judged_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
