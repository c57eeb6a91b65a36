/* test_publishedmethod.c -- the method published among the others: what it makes of their options.
 *
 * SPDX-License-Identifier: MIT */
#include "condensing.h"

#include "published/published.h"

static bonsai_condense_options published(void)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_PUBLISHED;
    o.ratio = 1;
    o.threads = 1;
    return o;
}

static uint64_t all_but_record(const bonsai_graph *g)
{
    return bonsai_graph_checksum(g, ~(UINT64_C(1) << BONSAI_SECTION_METADATA));
}

static void set_idle(bonsai_condense_options *o)
{
    o->select_features = o->density = o->no_rknn = o->no_ppr = o->raw_features = 1;
    o->members = o->hard_labels = o->no_validation = o->keep_trees = 1;
    o->accounting = BONSAI_ACCOUNTING_STRICT;
    o->k = 2;
    o->layers = 3;
    o->sample = 4;
    o->project = 2;
}

static void options_of_other_methods_change_nothing(void **state)
{
    (void)state;
    int made = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        bonsai_graph *g = case_graph(seed), *small = NULL, *same = NULL;
        bonsai_condense_options o = published(), told;
        if (bonsai_condense(&small, NULL, g, &o) == BONSAI_OK) {
            set_idle(&o);
            assert_int_equal(bonsai_condense(&same, NULL, g, &o), BONSAI_OK);
            assert_int_equal(all_but_record(small), all_but_record(same));
            bonsai_condense_options_init(&told);
            assert_int_equal(bonsai_condense_options_of(&told, same), BONSAI_OK);
            assert_true(told.k == BN_PUBLISHED_K && told.layers == BN_PUBLISHED_LAYERS &&
                        told.sample == -1 && told.select_features == 0);
            made++;
        }
        bonsai_graph_free(small);
        bonsai_graph_free(same);
        bonsai_graph_free(g);
    }
    assert_true(made > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_other_methods_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
