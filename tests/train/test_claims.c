/* test_claims.c -- a graph that says it is undirected and is not: every call that rests on that
 * claim refuses it with the same sentence, and graphs that share an adjacency check it once.
 *
 * SPDX-License-Identifier: MIT */
#include "training.h"

enum { NODES = 20001 };

static const char *const claim = "has no reverse of equal weight, but the graph says it is";

/* A star whose centre, the last node, is listed by all others and lists none. */
static bonsai_view star(void)
{
    static uint32_t offsets[NODES + 1], neighbors[NODES - 1];
    static float features[NODES];
    static uint8_t labels[NODES], split[NODES];
    bonsai_view v;
    for (uint32_t i = 0; i < NODES; i++) {
        offsets[i] = i;
        neighbors[i < NODES - 1 ? i : 0] = NODES - 1;
        features[i] = (float)(i % 7);
        labels[i] = (uint8_t)(i % 2);
        split[i] = (uint8_t)(1 + i % 3);
    }
    offsets[NODES] = NODES - 1;
    bonsai_view_init(&v);
    v.nodes = NODES;
    v.features = 1;
    v.classes = 2;
    set_section(&v, BONSAI_SECTION_OFFSETS, BONSAI_TYPE_U32, offsets, NODES + 1);
    set_section(&v, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, neighbors, NODES - 1);
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, features, NODES);
    set_section(&v, BONSAI_SECTION_LABELS, BONSAI_TYPE_U8, labels, NODES);
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, split, NODES);
    return v;
}

/* The star from a file whose checksums are right. */
static bonsai_graph *star_of_a_file(uint64_t flags)
{
    bonsai_view v = star();
    v.flags = flags;
    bonsai_graph *g = graph_of(&v), *loaded = NULL;
    const char *path = temp_path("star.bonsai");
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    bonsai_graph_free(g);
    assert_int_equal(bonsai_graph_load(&loaded, path), BONSAI_OK);
    assert_int_equal(bonsai_graph_verify(loaded), BONSAI_OK);
    return loaded;
}

static void no_model_is_trained_on_it(void **state)
{
    (void)state;
    bonsai_graph *g = star_of_a_file(0), *good = made_graph(60, 1, 1);
    bonsai_view v = view_of(good);
    bonsai_training *t = NULL;
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bonsai_train_options o = quick(kind);
        o.epochs = 1;
        assert_fails(bonsai_train(&t, g, NULL, &o), BONSAI_E_FORMAT, claim);
        assert_null(t);
    }
    v.classes = 2;
    v.section[BONSAI_SECTION_LABELS] = bonsai_graph_view(g)->section[BONSAI_SECTION_LABELS];
    v.section[BONSAI_SECTION_LABELS].count = v.nodes;
    bonsai_graph *other = graph_of(&v);
    bonsai_train_options o = quick(BONSAI_MODEL_GAT);
    o.epochs = 1;
    assert_fails(bonsai_train(&t, other, g, &o), BONSAI_E_FORMAT, claim);
    bonsai_training *right = trained(other, NULL, &o);
    static int32_t classes[NODES];
    assert_fails(bonsai_predict(classes, NULL, bonsai_training_model(right), g, NULL),
                 BONSAI_E_FORMAT, claim);
    bonsai_training_free(right);
    bonsai_graph_free(other);
    bonsai_graph_free(good);
    bonsai_graph_free(g);
}

static void as_a_directed_graph_it_is_fine(void **state)
{
    (void)state;
    bonsai_graph *g = star_of_a_file(BONSAI_FLAG_DIRECTED);
    bonsai_train_options o = quick(BONSAI_MODEL_GAT);
    o.epochs = 1;
    bonsai_training_free(trained(g, NULL, &o));
    bonsai_graph_free(g);
}

static void it_is_not_condensed_reordered_or_written_as_text(void **state)
{
    (void)state;
    bonsai_graph *g = star_of_a_file(0), *out = NULL;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.nodes = 10;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
        if (!has_method((bonsai_method)m))
            continue;
        o.method = (bonsai_method)m;
        o.nodes = m == BONSAI_METHOD_PUBLISHED ? 0 : 10;
        o.ratio = m == BONSAI_METHOD_PUBLISHED ? 0.5 : 0;
        assert_fails(bonsai_condense(&out, NULL, g, &o), BONSAI_E_FORMAT, claim);
        assert_null(out);
    }
    assert_fails(bonsai_graph_save(NULL, g, temp_path("star/"), NULL), BONSAI_E_FORMAT, claim);
    bonsai_graph *some = made_graph(20, 1, 1);
    if (bonsai_graph_reorder(&out, some, BONSAI_ORDER_METIS, 2, 0, NULL) == BONSAI_OK) {
        bonsai_graph_free(out);
        assert_fails(bonsai_graph_reorder(&out, g, BONSAI_ORDER_METIS, 2, 0, NULL),
                     BONSAI_E_FORMAT, claim);
    }
    bonsai_graph_free(some);
    bonsai_graph_free(g);
}

/* What a split or a choice of features makes of a graph has its adjacency. */
static void graphs_that_share_an_adjacency_check_it_once(void **state)
{
    (void)state;
    const double percent[3] = {50, 25, 25};
    bonsai_graph *g = made_graph(60, 4, 1), *split = NULL;
    assert_int_equal(bonsai_graph_split(&split, g, percent, 1), BONSAI_OK);
    assert_false(atomic_load(&g->verified[0]));
    assert_int_equal(bn_graph_need(split, BN_SYMMETRY, 1), BONSAI_OK);
    assert_true(atomic_load(&g->verified[0]));
    ((int32_t *)(uintptr_t)bn_neighbors(g))[0] ^= 1;    /* nobody looks again */
    assert_int_equal(bn_graph_need(g, BN_SYMMETRY, 1), BONSAI_OK);
    bonsai_graph_free(split);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_model_is_trained_on_it),
        cmocka_unit_test(as_a_directed_graph_it_is_fine),
        cmocka_unit_test(it_is_not_condensed_reordered_or_written_as_text),
        cmocka_unit_test(graphs_that_share_an_adjacency_check_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
