/* test_condense_ranks.c -- the whole door over ranks: wherever memory fails, all of them end.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "condense/condense.h"
#include "testing.h"
#include "threads_world.h"

enum { RANKS = 3 };

typedef struct {
    const bonsai_graph *g;
    bonsai_condense_options o;
    bonsai_graph *small;        /* of rank 0 */
} errand;

static bonsai_status condense(bn_world *w, void *payload)
{
    errand *t = payload;
    bonsai_graph *out = NULL;
    bonsai_status rc = bn_condense(&out, NULL, t->g, &(bn_asked){&t->o, NULL, 1, false}, w);
    if (w->rank == 0)
        t->small = out;
    else if (out)
        return bn_fail(BONSAI_E_ARGUMENT, "rank %d has a graph", w->rank);
    return rc;
}

static bonsai_graph *make_graph(int dense)
{
    bonsai_generate_options o;
    bonsai_graph *g;
    bonsai_generate_options_init(&o);
    o.nodes = 90;
    o.features = 30;
    o.words = 5;
    o.dense = dense;
    o.classes = 3;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_verify(g), BONSAI_OK);
    return g;
}

static void over_ranks_memory_that_fails_anywhere_ends_all_of_them(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = make_graph(dense);
        errand t = {.g = g};
        bonsai_condense_options_init(&t.o);
        t.o.ratio = 0.2;
        t.o.threads = 1;
        bonsai_status rc = BONSAI_E_MEMORY;
        for (int64_t at = 0; rc == BONSAI_E_MEMORY; at = next_fault(at)) {
            alarm(20);                  /* a rank that waits forever is a failed test */
            t.small = NULL;
            bn_mem_fail_at(at);
            rc = run_ranks(RANKS, condense, &t);
            bn_mem_fail_at(-1);
            assert_true(rc == BONSAI_OK || (rc == BONSAI_E_MEMORY && !t.small));
        }
        alarm(0);
        assert_int_equal(rc, BONSAI_OK);
        bonsai_graph_free(t.small);
        bonsai_graph_free(g);
    }
}

static void over_ranks_trees_are_kept_as_on_one(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = make_graph(dense), *alone = NULL;
        errand t = {.g = g};
        int equal = 0;
        bonsai_condense_options_init(&t.o);
        t.o.method = BONSAI_METHOD_TREES;
        t.o.ratio = 0.3;
        t.o.keep_trees = 1;
        t.o.threads = 1;
        assert_int_equal(bonsai_condense(&alone, NULL, g, &t.o), BONSAI_OK);
        assert_int_equal(run_ranks(RANKS, condense, &t), BONSAI_OK);
        assert_int_equal(bonsai_graph_equal(&equal, alone, t.small), BONSAI_OK);
        assert_true(equal);
        bonsai_graph_free(alone);
        bonsai_graph_free(t.small);
        bonsai_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_ranks_memory_that_fails_anywhere_ends_all_of_them),
        cmocka_unit_test(over_ranks_trees_are_kept_as_on_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
