/* test_judgesplit.c -- which split judges a pair of graphs, and which nodes of the small one leak.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "record/record.h"
#include "training.h"

static bonsai_graph *without(const bonsai_graph *g, bonsai_section s)
{
    bonsai_view v = view_of(g);
    v.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    return graph_of(&v);
}

static bonsai_graph *condensed(const bonsai_graph *g, const double split[3], uint64_t seed)
{
    bonsai_condense_options o;
    bonsai_graph *small = NULL;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_RANDOM;
    o.nodes = 20;
    o.seed = seed;
    o.threads = 1;
    if (split)
        memcpy(o.split, split, sizeof o.split);
    if (bonsai_condense(&small, NULL, g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return small;
}

/* The split is that of bonsai_graph_split, or full's own where percent is NULL. */
static void assert_parts(const bonsai_graph *small, const bonsai_graph *full, bn_judge_split p,
                         bonsai_split_source from, const double percent[3], uint64_t seed)
{
    bonsai_graph *drawn = NULL, *want = NULL;
    assert_int_equal(bn_judge_split_of(&drawn, &p, small, full), BONSAI_OK);
    assert_int_equal(p.from, from);
    assert_true((drawn != NULL) == (percent != NULL));
    if (percent) {
        assert_int_equal(bonsai_graph_split(&want, full, percent, seed), BONSAI_OK);
        for (int64_t v = 0; v < full->view.nodes; v++)
            assert_int_equal(bn_part(drawn, v), bn_part(want, v));
        assert_memory_equal(p.percent, percent, sizeof p.percent);
    }
    assert_int_equal(p.seed, percent ? seed : 0);
    bonsai_graph_free(drawn);
    bonsai_graph_free(want);
}

static const double usual[3] = {60, 20, 20}, other[3] = {30, 30, 40}, all[3] = {100, 0, 0};

static void a_split_comes_from_where_the_graphs_say(void **state)
{
    (void)state;
    bonsai_graph *own = made_graph(300, 20, 0), *bare = without(own, BONSAI_SECTION_SPLIT);
    bonsai_graph *of_own = condensed(own, NULL, 3), *of_bare = condensed(bare, NULL, 3);
    bonsai_graph *of_asked = condensed(own, other, UINT64_MAX - 4);
    const bn_judge_split open = {.seed = 9}, asked = {{30, 30, 40}, 9, BONSAI_SPLIT_OWN};
    assert_parts(of_own, own, open, BONSAI_SPLIT_OWN, NULL, 0);
    assert_parts(of_bare, bare, open, BONSAI_SPLIT_CONDENSED, usual, 3);
    assert_parts(of_bare, own, open, BONSAI_SPLIT_CONDENSED, usual, 3);
    assert_parts(of_asked, own, open, BONSAI_SPLIT_CONDENSED, other, UINT64_MAX - 4);
    assert_parts(of_own, bare, open, BONSAI_SPLIT_DRAWN, usual, 9);
    assert_parts(of_bare, bare, asked, BONSAI_SPLIT_ASKED, other, 9);
    assert_parts(NULL, own, open, BONSAI_SPLIT_OWN, NULL, 0);
    assert_parts(NULL, bare, open, BONSAI_SPLIT_DRAWN, usual, 9);
    assert_parts(of_own, of_own, open, BONSAI_SPLIT_NONE, all, 9);
    bonsai_graph_free(of_own);
    bonsai_graph_free(of_bare);
    bonsai_graph_free(of_asked);
    bonsai_graph_free(own);
    bonsai_graph_free(bare);
}

static void a_graph_of_another_size_is_not_split_as_the_record_says(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 20, 0), *more = made_graph(301, 20, 0);
    bonsai_graph *small = condensed(g, other, 3);
    assert_parts(small, g, (bn_judge_split){.seed = 9}, BONSAI_SPLIT_CONDENSED, other, 3);
    assert_parts(small, more, (bn_judge_split){.seed = 9}, BONSAI_SPLIT_OWN, NULL, 0);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
    bonsai_graph_free(more);
}

/* A record that says the given text about its options, with ' for ". */
static bonsai_graph *telling(const char *options)
{
    char text[300];
    bonsai_graph *small = made_graph(30, 20, 0);
    uint8_t *to;
    int len = snprintf(text, sizeof text, "{'method':'random','sizes':{'full_nodes':300},"
                       "'options':%s}", options);
    assert_int_equal(bn_graph_array(&to, small, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8, len),
                     BONSAI_OK);
    for (int i = 0; i < len; i++)
        to[i] = text[i] == '\'' ? '"' : (uint8_t)text[i];
    return small;
}

static void shares_that_make_no_sense_are_not_drawn(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "7", "{}", "{'split':5}", "{'split':[]}", "{'split':['60','20','20']}",
        "{'split':[200,-50,-50]}", "{'split':[50,1e300,0]}", "{'split':[60,30,30]}",
        "{'split':[-1,50,50],'seed':[]}", "{'split':[null,{},[]]}"};
    bonsai_graph *g = made_graph(300, 20, 0);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        bonsai_graph *small = telling(odd[i]);
        assert_parts(small, g, (bn_judge_split){.seed = 9}, BONSAI_SPLIT_OWN, NULL, 0);
        bonsai_graph_free(small);
    }
    bonsai_graph *few = telling("{'split':[10,20],'seed':'x'}");
    assert_parts(few, g, (bn_judge_split){.seed = 9}, BONSAI_SPLIT_CONDENSED,
                 (double[]){10, 20, 0}, 1);
    bonsai_graph_free(few);
    bonsai_graph_free(g);
}

/* Nine digits are written: 33.3333333 + 33.3333333 + 33.3333334 may be a little above 100. */
static void shares_whose_decimals_were_cut_are_drawn(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 20, 0), *drawn = NULL;
    bonsai_graph *small = telling("{'split':[33.3333334,33.3333334,33.3333334]}");
    bn_judge_split p = {.seed = 9};
    assert_int_equal(bn_judge_split_of(&drawn, &p, small, g), BONSAI_OK);
    assert_int_equal(p.from, BONSAI_SPLIT_CONDENSED);
    assert_true(p.percent[0] + p.percent[1] + p.percent[2] <= 100);
    bonsai_graph_free(drawn);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static int64_t leaks_of(const bonsai_graph *small, const bonsai_graph *full)
{
    int64_t leaks = -1;
    assert_int_equal(bn_judge_split_leaks(&leaks, small, full), BONSAI_OK);
    return leaks;
}

/* Nodes of a graph in another order, and what is made of it, go by their old numbers. */
static void leaks_are_found_in_another_order(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 20, 0), *turned = NULL, *some = NULL;
    int32_t nodes[300], few[40];
    int64_t want = 0, count = 0;
    for (int i = 0; i < 300; i++)
        nodes[i] = 299 - i;
    assert_int_equal(bonsai_graph_induce(&turned, g, nodes, 300), BONSAI_OK);
    for (int32_t v = 0; v < 300 && count < 40; v++)
        if (bn_part(turned, v) == BONSAI_PART_TRAIN && bn_label(turned, v) >= 0)
            few[count++] = v;
    assert_int_equal(bonsai_graph_induce(&some, turned, few, count), BONSAI_OK);
    assert_int_equal(leaks_of(some, turned), 0);
    assert_int_equal(leaks_of(some, g), 0);
    bonsai_graph_free(some);
    for (int i = 0; i < 40; i++)
        want += bn_part(turned, i) == BONSAI_PART_VAL || bn_part(turned, i) == BONSAI_PART_TEST;
    for (int32_t i = 0; i < 40; i++)
        few[i] = i;
    assert_int_equal(bonsai_graph_induce(&some, turned, few, 40), BONSAI_OK);
    assert_true(want > 0);
    assert_int_equal(leaks_of(some, turned), want);
    assert_int_equal(leaks_of(some, g), want);
    bonsai_graph_free(some);
    bonsai_graph_free(turned);
    bonsai_graph_free(g);
}

static void leaks_are_labelled_nodes_that_are_judged(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(300, 20, 0), *some = NULL;
    const int32_t nodes[] = {0, 5, 17, 40, 41, 99, 250};
    int64_t want = 0;
    assert_int_equal(bonsai_graph_induce(&some, g, nodes, 7), BONSAI_OK);
    for (int i = 0; i < 7; i++)
        want += bn_part(g, nodes[i]) == BONSAI_PART_VAL || bn_part(g, nodes[i]) == BONSAI_PART_TEST;
    assert_true(want > 0 && want < 7);
    assert_int_equal(leaks_of(some, g), want);
    uint32_t *origin = some->owned[BONSAI_SECTION_ORIGIN];
    for (int i = 0; i < 7; i++)
        origin[i] = UINT32_MAX - (uint32_t)i;           /* of no node */
    assert_int_equal(leaks_of(some, g), 0);
    assert_int_equal(leaks_of(g, g), 0);          /* has no origins */
    bonsai_graph_free(some);
    bonsai_graph_free(g);
}

/* Of each class the training nodes of the split that was drawn, whatever the options' seed. */
static void the_nearest_are_training_nodes_of_the_recorded_split(void **state)
{
    (void)state;
    enum { MOST = 300 };
    bonsai_graph *own = made_graph(300, 20, 0), *g = without(own, BONSAI_SECTION_SPLIT);
    bonsai_graph *small = NULL, *split = NULL;
    bonsai_condense_options o;
    int32_t near[MOST];
    int64_t found, want = 0;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.nodes = 9;
    o.seed = 3;
    o.threads = 1;
    assert_int_equal(bonsai_condense(&small, NULL, g, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_split(&split, g, usual, 3), BONSAI_OK);
    assert_int_equal(bonsai_condense_nearest(near, NULL, &found, MOST, small, 0, g, NULL),
                     BONSAI_OK);
    for (int64_t v = 0; v < 300; v++)
        want += bn_part(split, v) == BONSAI_PART_TRAIN && bn_label(g, v) == bn_label(small, 0);
    assert_int_equal(found, want);
    for (int64_t i = 0; i < found; i++)
        assert_int_equal(bn_part(split, near[i]), BONSAI_PART_TRAIN);
    bonsai_graph_free(split);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
    bonsai_graph_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_comes_from_where_the_graphs_say),
        cmocka_unit_test(a_graph_of_another_size_is_not_split_as_the_record_says),
        cmocka_unit_test(shares_that_make_no_sense_are_not_drawn),
        cmocka_unit_test(shares_whose_decimals_were_cut_are_drawn),
        cmocka_unit_test(leaks_are_labelled_nodes_that_are_judged),
        cmocka_unit_test(leaks_are_found_in_another_order),
        cmocka_unit_test(the_nearest_are_training_nodes_of_the_recorded_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
