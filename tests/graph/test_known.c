/* test_known.c -- public datasets are known by all four numbers.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t nodes, edges, features, classes;
} numbers;

/* Node i points to the nodes behind it, until there are as many entries. */
static bonsai_graph *graph_of(numbers n)
{
    const int64_t m = n.edges / 2;
    int32_t *source = malloc((size_t)m * sizeof *source), *target = malloc((size_t)m * sizeof *target);
    uint32_t *offsets = calloc((size_t)n.nodes + 1, sizeof *offsets);
    uint8_t *labels = calloc((size_t)n.nodes, 1);
    const uint16_t index[1] = {0};
    bonsai_graph *g = NULL;
    bonsai_view v;
    bonsai_view_init(&v);
    for (int64_t i = 0; i < m; i++) {
        source[i] = (int32_t)(i % n.nodes);
        target[i] = (int32_t)((i % n.nodes + 1 + i / n.nodes) % n.nodes);
    }
    v.nodes = n.nodes;
    v.features = n.features;
    v.classes = n.classes;
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] =
        (bonsai_array){offsets, n.nodes + 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, 0, BONSAI_TYPE_U16};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){labels, n.nodes, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, m, source, target, NULL, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_edges(g), n.edges);
    free(source);
    free(target);
    free(offsets);
    free(labels);
    return g;
}

static const bonsai_known *known_of(numbers n)
{
    bonsai_graph *g = graph_of(n);
    const bonsai_known *k = bonsai_graph_known(g);
    bonsai_graph_free(g);
    return k;
}

static void a_dataset_is_known_by_its_four_numbers(void **state)
{
    (void)state;
    const numbers cora = {2708, 10556, 1433, 7};
    assert_string_equal(known_of(cora)->name, "cora");
    assert_string_equal(known_of(cora)->title, "Cora");
    assert_string_equal(known_of((numbers){3327, 9104, 3703, 6})->title, "CiteSeer");
    assert_string_equal(known_of((numbers){19717, 88648, 500, 3})->title, "PubMed");
    for (int i = 0; i < 4; i++) {
        numbers other = cora;
        other.nodes += i == 0;
        other.edges += i == 1 ? 2 : 0;
        other.features += i == 2;
        other.classes += i == 3;
        assert_null(known_of(other));
    }
}

static void the_list_ends_and_no_two_are_alike(void **state)
{
    (void)state;
    int count = 0;
    for (const bonsai_known *k; (k = bonsai_known_at(count)); count++) {
        assert_int_equal(k->size, sizeof *k);
        for (int i = 0; i < count; i++) {
            assert_string_not_equal(bonsai_known_at(i)->name, k->name);
            assert_int_not_equal(bonsai_known_at(i)->nodes, k->nodes);
        }
    }
    assert_int_equal(count, 9);
    assert_null(bonsai_known_at(-1));
    assert_null(bonsai_known_at(count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dataset_is_known_by_its_four_numbers),
        cmocka_unit_test(the_list_ends_and_no_two_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
