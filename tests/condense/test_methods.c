/* test_methods.c -- the table of methods: whole, and true to what the methods read.
 *
 * SPDX-License-Identifier: MIT */
#include "condensing.h"

#include "condense/methods.h"

static const bn_method *row(int m)
{
    const bn_method *r = bn_method_of((bonsai_method)m);
    assert_non_null(r);
    return r;
}

static void every_method_has_a_row_and_a_name_of_its_own(void **state)
{
    (void)state;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
        if (!has_method((bonsai_method)m))
            continue;
        const char *name = bonsai_method_name((bonsai_method)m);
        assert_non_null(name);
        assert_non_null(row(m)->run);
        for (int other = 0; other < m; other++)
            assert_string_not_equal(name, bonsai_method_name((bonsai_method)other));
    }
    assert_null(bn_method_of(BONSAI_METHOD_COUNT));
    assert_null(bonsai_method_name(BONSAI_METHOD_COUNT));
    assert_null(bonsai_method_name((bonsai_method)-1));
}

static void a_method_picks_nodes_makes_or_learns_them_or_tries_others(void **state)
{
    (void)state;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
        if (!has_method((bonsai_method)m))
            continue;
        bool tries = row(m)->needs & BN_TRIES_OTHERS, redoes = row(m)->needs & BN_REDOES;
        bool learns = row(m)->needs & BN_LEARNS;
        assert_int_equal((row(m)->pick != NULL) + (row(m)->make != NULL) +
                         learns + tries + redoes, 1);
        assert_true((row(m)->pick != NULL) == (row(m)->run == bn_run_picked));
        assert_true((row(m)->make != NULL) == (row(m)->run == bn_run_made));
        assert_true(learns == (row(m)->how && row(m)->operations));
        assert_true((learns || redoes) == (row(m)->bytes != NULL));
        assert_true(redoes == (row(m)->prepare && row(m)->forget));
        assert_false(tries && (row(m)->needs & BN_ENTERS_AUTO));    /* it would try itself */
    }
}

/* What is prepared for auto must serve all that it tries: whoever judges has rows to judge on, and
 * training rows, which serve those that want an embedding too.  Some of them run on ranks. */
static void auto_needs_what_its_entrants_need(void **state)
{
    (void)state;
    const unsigned all = BN_NEEDS_COVER | BN_NEEDS_JUDGE | BN_NEEDS_CLUSTERS;
    unsigned entrants = 0;
    int count = 0, on_ranks = 0;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
        if (row(m)->needs & BN_ENTERS_AUTO) {
            entrants |= row(m)->needs & all;
            count++;
            on_ranks += (row(m)->needs & BN_RUNS_ON_RANKS) != 0;
        }
    assert_true(count > on_ranks && on_ranks > 1);
    assert_int_equal(row(BONSAI_METHOD_AUTO)->needs & all, entrants);
    assert_true(row(BONSAI_METHOD_AUTO)->needs & BN_NEEDS_JUDGE);
}

/* A preparation by the row alone is enough for the method: nothing else was asked for. */
static void a_row_says_all_that_the_method_reads(void **state)
{
    (void)state;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
        if (!has_method((bonsai_method)m))
            continue;
        bonsai_graph *g = case_graph(5), *small = NULL, *want;
        bonsai_condense_info info, other;
        bn_preparation p = {.full = NULL};
        bonsai_condense_options_init(&p.o);
        p.o.method = (bonsai_method)m;
        p.o.nodes = 3;
        p.o.k = 1;
        p.o.threads = 1;
        p.o.effort = 0.001;
        if (row(m)->needs & BN_REDOES) {
            p.o.nodes = 0;
            p.o.bytes = 2000;
            assert_int_equal(bn_method_check(&p.o), BONSAI_OK);
        }
        assert_int_equal(bn_prepare(&p, g, row(m)->needs), BONSAI_OK);
        assert_true((p.job.far.rows > 0) == ((row(m)->needs & BN_NEEDS_JUDGE) != 0));
        assert_true((p.job.judge.far.rows > 0) == ((row(m)->needs & BN_NEEDS_JUDGE) != 0));
        const bn_request r = {&p, p.o, {p.o.bytes ? (double)p.o.bytes : INFINITY,
                                           p.o.nodes ? p.o.nodes : INT64_MAX, INT64_MAX}, false};
        assert_int_equal(row(m)->run(&small, &info, &r), BONSAI_OK);
        assert_true(p.job.z == 0 || row(m)->needs & BN_NEEDS_COVER);
        want = condensed(&other, g, &p.o);
        assert_same_file(small, want);
        assert_int_equal(r.o.method, m);
        assert_true(row(m)->needs & BN_TRIES_OTHERS || (int)info.method == m);
        bonsai_graph_free(small);
        bonsai_graph_free(want);
        bn_preparation_free(&p);
        bonsai_graph_free(g);
    }
}

/* -DBONSAI_LAB=OFF */
static void a_method_that_the_build_leaves_out_is_refused_by_name(void **state)
{
    bonsai_graph *g, *small = NULL;
    bonsai_condense_options o;
    double wl[1], seen[1];
    (void)state;
    if (has_method(BONSAI_METHOD_GCOND))
        skip();
    g = case_graph(5);
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_GCOND;
    o.nodes = 3;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT,
                 "method gcond is not in this build (BONSAI_LAB=OFF)");
    assert_fails(bonsai_study_pairs(wl, seen, 1, g, BONSAI_STUDY_GRADIENT, NULL), BONSAI_E_ARGUMENT,
                 "bonsai_study_pairs is not in this build");
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_a_row_and_a_name_of_its_own),
        cmocka_unit_test(a_method_picks_nodes_makes_or_learns_them_or_tries_others),
        cmocka_unit_test(auto_needs_what_its_entrants_need),
        cmocka_unit_test(a_row_says_all_that_the_method_reads),
        cmocka_unit_test(a_method_that_the_build_leaves_out_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
