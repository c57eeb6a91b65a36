/* test_budget.c -- on real data the budget is really used, where the data are at hand.
 *
 * SPDX-License-Identifier: MIT */
#include "record/fact.h"
#include "condensing.h"

#include <stdio.h>

#include "sanitized.h"

static const char *const sets[] = {"planetoid/ind.cora", "planetoid/ind.citeseer",
                                   "planetoid/ind.pubmed", "npz/amazon_photo.npz",
                                   "npz/ogbn_arxiv_sub22k.npz"};
#ifdef SANITIZED
enum { SETS = 1 };              /* the others take minutes there, by the same lines of code */
#else
enum { SETS = sizeof sets / sizeof *sets };
#endif
static const double ratios[3] = {0.005, 0.01, 0.03};

static bonsai_graph *open_set(const char *name)
{
    static const char *const folders[] = {"../shared/data", "../../shared/data"};
    bonsai_graph *g = NULL;
    char path[200];
    for (int i = 0; i < 2 && !g; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        if (bonsai_graph_load(&g, path) != BONSAI_OK)
            g = NULL;
    }
    return g;
}

static void assert_used(const bonsai_graph *small, const bonsai_condense_info *i,
                        const bonsai_graph *g, double least)
{
    double bytes = 0;
    assert_int_equal(bonsai_graph_bytes(&bytes, small, BONSAI_ACCOUNTING_STRICT), BONSAI_OK);
    assert_true(bytes == i->bytes && bytes <= bn_fact(i, BN_FACT_BUDGET));
    assert_true(bytes >= least * bn_fact(i, BN_FACT_BUDGET));
    int64_t missing = g->view.classes;
    for (int64_t c = 0; c < g->view.classes; c++)
        for (int64_t v = 0; v < small->view.nodes; v++)
            if (bn_label(small, v) == c) {
                missing--;
                break;
            }
    assert_int_equal(missing, 0);
}

static void condense_all(bonsai_method method, bool own_split)
{
    int seen = 0;
    for (int s = 0; s < SETS; s++) {
        bonsai_graph *g = open_set(sets[s]), *small[3];
        bonsai_condense_options o;
        bonsai_condense_info i[3];
        if (!g)
            continue;
        seen++;
        bonsai_condense_options_init(&o);
        o.method = method;
        o.no_training = 1;      /* which compares kinds of prototypes by another measure than the probe */
        o.split[0] = own_split ? 0 : 60;
        o.split[1] = o.split[2] = own_split ? 0 : 20;
        for (int k = 0; k < 3; k++)
            bonsai_condense_info_init(&i[k]);
        if (bonsai_condense_many(small, i, ratios, 3, g, &o) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        for (int k = 0; k < 3; k++) {
            bool free = method == BONSAI_METHOD_PROTOTYPES;     /* to take less where that is better */
            assert_used(small[k], &i[k], g, free ? 0 : 0.9);
            assert_true(!free || k == 0 || i[k].probe >= i[k - 1].probe - 1);
            bonsai_graph_free(small[k]);
        }
        bonsai_graph_free(g);
    }
    if (seen == 0)
        skip();
}

static void trees_use_the_budget_and_know_every_class(void **state)
{
    (void)state;
    condense_all(BONSAI_METHOD_TREES, false);
}

/* PubMed's own has 60 training nodes, which alone take a fraction of 0.5 %. */
static void trees_do_so_with_the_split_of_the_file(void **state)
{
    (void)state;
    condense_all(BONSAI_METHOD_TREES, true);
}

static void random_nodes_and_trees_do_too(void **state)
{
    (void)state;
    condense_all(BONSAI_METHOD_RANDOM, false);
    condense_all(BONSAI_METHOD_RANDOM_TREES, false);
    condense_all(BONSAI_METHOD_DEGREE, false);
}

static void prototypes_know_every_class_and_more_is_no_worse(void **state)
{
    (void)state;
    condense_all(BONSAI_METHOD_PROTOTYPES, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_use_the_budget_and_know_every_class),
        cmocka_unit_test(trees_do_so_with_the_split_of_the_file),
        cmocka_unit_test(random_nodes_and_trees_do_too),
        cmocka_unit_test(prototypes_know_every_class_and_more_is_no_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
