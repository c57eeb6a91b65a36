/* test_induce.c -- the small graph that ranks make together: the one that one would make alone.
 *
 * SPDX-License-Identifier: MIT */
#include "parted.h"

typedef struct {
    bn_job job;
    parted p;
    int32_t node[64];
    int64_t count;
    bonsai_graph *got;          /* of rank 0 */
    bool others_have_none;
} work;

static const int ranks_to_try[] = {1, 2, 3, 5, 8};

static bonsai_status induce_on_rank(bn_world *world, void *payload)
{
    work *w = payload;
    bonsai_graph *out;
    const bn_job job = job_of(&w->p, world, &w->job);
    bool first = world->rank == 0;
    bonsai_status rc = bn_induce(&out, &job, first ? w->node : NULL, first ? w->count : 0);
    if (first)
        w->got = out;
    else if (out)
        w->others_have_none = false;
    return rc;
}

static void assert_same_sections(const bonsai_graph *a, const bonsai_graph *b)
{
    assert_int_equal(a->view.nodes, b->view.nodes);
    assert_int_equal(a->view.features, b->view.features);
    assert_int_equal(a->view.classes, b->view.classes);
    assert_int_equal(a->view.flags, b->view.flags);
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        const bonsai_array *x = &a->view.section[s], *y = &b->view.section[s];
        assert_int_equal(x->data != NULL, y->data != NULL);
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->type, y->type);
        if (x->data && x->count > 0)
            assert_memory_equal(x->data, y->data, (size_t)x->count * bonsai_type_bytes(x->type));
    }
}

static void choose_nodes(work *w, int64_t n, uint64_t seed)
{
    int percent = random_below(&seed, 101);
    w->count = 0;
    for (int32_t v = 0; v < n; v++)
        if (random_below(&seed, 100) < percent)
            w->node[w->count++] = v;
}

static void ranks_induce_what_one_would_induce(void **state)
{
    (void)state;
    int with_names = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        int with = WITH_LABELS | (seed & 1 ? WITH_WEIGHTS : 0) | (seed & 2 ? WITH_SOFT : 0) |
                   (seed & 4 ? WITH_EXTRAS : 0) | (seed & 8 ? WITH_LOOPS : 0) |
                   (seed & 16 ? WITH_REPEATED : 0);
        int64_t n = 1 + (int64_t)(seed * 7 % 40);
        bonsai_graph *g = random_graph(seed, n, 2 * n, (layout)(seed % LAYOUTS), with), *alone;
        work w = {.job = {.g = g}, .others_have_none = true};
        choose_nodes(&w, n, seed);
        assert_int_equal(bonsai_graph_induce(&alone, g, w.node, w.count), BONSAI_OK);
        part(&w.p, ranks_to_try[seed % 5], g, NULL, 0, seed / 5);
        if (run_ranks(w.p.ranks, induce_on_rank, &w) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        assert_true(w.others_have_none);
        assert_same_sections(alone, w.got);
        if (w.count > 0)
            assert_same_file(alone, w.got);
        with_names += bn_has(g, BONSAI_SECTION_NODE_NAMES);
        bonsai_graph_free(w.got);
        bonsai_graph_free(alone);
        unpart(&w.p);
        bonsai_graph_free(g);
    }
    assert_true(with_names > 50);
}

static void a_node_that_is_not_there_is_refused_everywhere(void **state)
{
    (void)state;
    bonsai_graph *g = case_graph(1);
    work w = {.job = {.g = g}, .node = {3, 99}, .count = 2};
    part(&w.p, 3, g, NULL, 0, 0);
    assert_fails(run_ranks(3, induce_on_rank, &w), BONSAI_E_ARGUMENT, "node 99 is outside 0..");
    assert_null(w.got);
    unpart(&w.p);
    bonsai_graph_free(g);
}

static bonsai_status induce_once(void *payload)
{
    work *w = payload;
    w->got = NULL;
    bonsai_status rc = run_ranks(w->p.ranks, induce_on_rank, w);
    bonsai_graph_free(w->got);
    return rc;
}

static void a_failed_allocation_on_any_rank_ends_all(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(4, 30, 60, SPARSE_U8, WITH_ALL);
    work w = {.job = {.g = g}};
    for (int32_t v = 0; v < 30; v += 2)
        w.node[w.count++] = v;
    part(&w.p, 3, g, NULL, 0, 0);
    survives_failed_allocations(induce_once, &w, 40);
    unpart(&w.p);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_induce_what_one_would_induce),
        cmocka_unit_test(a_node_that_is_not_there_is_refused_everywhere),
        cmocka_unit_test(a_failed_allocation_on_any_rank_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
