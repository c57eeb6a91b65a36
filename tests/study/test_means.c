/* test_means.c -- means over splits and draws, their errors, and methods in pairs.
 *
 * SPDX-License-Identifier: MIT */
#include "studying.h"

enum { RANDOM = BONSAI_METHOD_RANDOM, TREES = BONSAI_METHOD_TREES };

static bonsai_cell measured(int method, int split, int draw, double mean)
{
    bonsai_cell c;
    bonsai_cell_init(&c);
    c.method = method;
    c.ratio = method < 0 ? 1 : 0.1;
    c.split = split;
    c.draw = draw;
    c.done = 1;
    c.runs = c.units = 2;
    c.accuracy_mean = mean;
    c.accuracy_std = 2;
    c.accuracy_error = sqrt(2);
    c.nodes = 10 + split;
    c.bytes = 100 + draw;
    c.seconds_train = 3;
    c.seconds_condense = 1 + draw;
    c.whole_trees = 3 + split;
    return c;
}

static bonsai_cell merge(const bonsai_cell *cells, int count, int method)
{
    bonsai_cell like = measured(method, 0, 0, 0), out;
    bonsai_cell_init(&out);
    assert_int_equal(bonsai_cells_merge(&out, cells, count, &like), BONSAI_OK);
    return out;
}

static bonsai_difference between(const bonsai_cell *cells, int count, int a, int b)
{
    bonsai_cell one = measured(a, 0, 0, 0), other = measured(b, 0, 0, 0);
    bonsai_difference d;
    bonsai_difference_init(&d);
    assert_int_equal(bonsai_cells_difference(&d, cells, count, &one, &other), BONSAI_OK);
    return d;
}

static void assert_near(double is, double expected)
{
    if (!(fabs(is - expected) < 1e-12))
        fail_msg("%.15g, not %.15g", is, expected);
}

/* ---- means ---- */

static void the_split_is_the_unit_if_there_are_several(void **state)
{
    const bonsai_cell cells[] = {
        measured(RANDOM, 0, 0, 50), measured(TREES, 0, 0, 99), measured(RANDOM, 0, 1, 60),
        measured(RANDOM, 1, 0, 61), measured(-1, 1, 0, 77),    measured(RANDOM, 1, 1, 63),
    };
    (void)state;
    bonsai_cell c = merge(cells, 6, RANDOM);            /* 55 and 62 */
    assert_int_equal(c.unit, BONSAI_UNIT_SPLIT);
    assert_int_equal(c.units, 2);
    assert_int_equal(c.runs, 8);
    assert_near(c.accuracy_mean, 58.5);
    assert_near(c.accuracy_error, 3.5);
    /* 50-58.5 60-58.5 61-58.5 63-58.5: 72.25 + 2.25 + 6.25 + 20.25, each for two runs */
    assert_near(c.accuracy_std, sqrt((4 * 4 + 2 * 101) / 7.0));
    assert_near(c.seconds_train, 12);
    assert_near(c.seconds_condense, 1.5);
    assert_near(c.bytes, 101);                          /* 100.5 */
    assert_true(c.nodes == 11 && c.split == -1 && c.draw == -1 && c.done && !c.accuracies);
}

/* auto may pick nodes in one draw and make them in another. */
static void what_one_cell_does_not_know_the_mean_does_not(void **state)
{
    bonsai_cell cells[] = {measured(RANDOM, 0, 0, 50), measured(RANDOM, 1, 0, 60),
                           measured(RANDOM, 2, 0, 55)};
    (void)state;
    assert_int_equal(merge(cells, 3, RANDOM).whole_trees, 4);
    cells[1].whole_trees = -1;
    assert_int_equal(merge(cells, 3, RANDOM).whole_trees, -1);
    cells[0].whole_trees = cells[2].whole_trees = -1;
    assert_int_equal(merge(cells, 3, RANDOM).whole_trees, -1);
}

static void else_the_draw_and_else_the_run(void **state)
{
    const bonsai_cell cells[] = {measured(RANDOM, 3, 0, 50), measured(RANDOM, 3, 1, 60),
                                 measured(RANDOM, 3, 2, 55), measured(TREES, 3, 0, 70)};
    (void)state;
    bonsai_cell c = merge(cells, 4, RANDOM);
    assert_true(c.unit == BONSAI_UNIT_DRAW && c.units == 3);
    assert_near(c.accuracy_mean, 55);
    assert_near(c.accuracy_error, 5 / sqrt(3));
    c = merge(cells, 4, TREES);                         /* as it is */
    assert_true(c.unit == BONSAI_UNIT_RUN && c.units == 2 && c.split == 3);
    assert_near(c.accuracy_error, sqrt(2));
}

static void a_split_with_fewer_draws_weighs_as_much(void **state)
{
    bonsai_cell cells[] = {measured(RANDOM, 0, 0, 50), measured(RANDOM, 0, 1, 60),
                           measured(RANDOM, 1, 0, 75), measured(RANDOM, 1, 1, 0)};
    (void)state;
    cells[3].runs = 0;                                  /* could not be made */
    bonsai_cell c = merge(cells, 4, RANDOM);
    assert_near(c.accuracy_mean, 65);
    assert_near(c.accuracy_error, 10);
    assert_int_equal(c.runs, 6);
    snprintf(cells[0].why, sizeof cells[0].why, "too small");
    cells[0].runs = 0;
    c = merge(cells, 1, RANDOM);
    assert_int_equal(c.runs, 0);
    assert_string_equal(c.why, "too small");
}

/* Each as accuracies are; one that is not defined in one of the cells is not defined. */
static void every_metric_is_merged(void **state)
{
    bonsai_cell cells[] = {measured(RANDOM, 0, 0, 50), measured(RANDOM, 1, 0, 60)};
    (void)state;
    for (int i = 0; i < 2; i++) {
        cells[i].metric = BONSAI_METRIC_F1;
        cells[i].metric_mean[BONSAI_METRIC_F1] = 30 + 8 * i;
        cells[i].metric_std[BONSAI_METRIC_F1] = 3;
        cells[i].metric_mean[BONSAI_METRIC_AUC] = i ? -1 : 70;
    }
    bonsai_cell c = merge(cells, 2, RANDOM);
    assert_int_equal(c.metric, BONSAI_METRIC_F1);
    assert_near(c.accuracy_mean, 55);
    assert_near(c.metric_mean[BONSAI_METRIC_ACCURACY], 55);
    assert_near(c.metric_mean[BONSAI_METRIC_F1], 34);
    assert_near(c.metric_error[BONSAI_METRIC_F1], 4);
    assert_near(c.metric_std[BONSAI_METRIC_F1], sqrt((2 * 9 + 2 * 2 * 16) / 3.0));
    assert_near(c.metric_mean[BONSAI_METRIC_AUC], -1);
    assert_true(isnan(c.metric_error[BONSAI_METRIC_AUC]));
}

static void refuses_what_is_not_there(void **state)
{
    bonsai_cell c = measured(RANDOM, 0, 0, 50), like = measured(TREES, 0, 0, 0), out;
    (void)state;
    bonsai_cell_init(&out);
    assert_fails(bonsai_cells_merge(&out, &c, 1, &like), BONSAI_E_ARGUMENT,
                 "none of the 1 cells is like the one asked for");
    c.metric = BONSAI_METRIC_COUNT;
    assert_fails(bonsai_cells_merge(&out, &c, 1, &c), BONSAI_E_ARGUMENT,
                 "cell 0 has no valid metric");
    c.metric = BONSAI_METRIC_ACCURACY;
    out.size = 0;
    assert_fails(bonsai_cells_merge(&out, &c, 1, &c), BONSAI_E_ARGUMENT, "was not initialised");
}

/* ---- pairs ---- */

static void pairs_go_by_the_metric_of_the_cells(void **state)
{
    bonsai_cell cells[] = {measured(RANDOM, 0, 0, 50), measured(TREES, 0, 0, 80),
                           measured(RANDOM, 1, 0, 50), measured(TREES, 1, 0, 80)};
    (void)state;
    for (int i = 0; i < 4; i++) {
        cells[i].metric = BONSAI_METRIC_BALANCED;
        cells[i].metric_mean[BONSAI_METRIC_BALANCED] = i % 2 ? 20 : 30 + i;
    }
    bonsai_difference d = between(cells, 4, RANDOM, TREES);
    assert_near(d.difference, 11);
    assert_near(d.error, 1);
    assert_int_equal(d.verdict, 1);
}

static void pairs_share_split_and_draw(void **state)
{
    const bonsai_cell cells[] = {
        measured(RANDOM, 0, 0, 50), measured(RANDOM, 0, 1, 40), measured(RANDOM, 1, 0, 70),
        measured(TREES, 1, 0, 74),  measured(TREES, 0, 1, 43),  measured(TREES, 0, 0, 55),
        measured(TREES, 1, 1, 99),
    };
    (void)state;
    bonsai_difference d = between(cells, 7, TREES, RANDOM);     /* 4, 3, 5 */
    assert_int_equal(d.pairs, 3);
    assert_near(d.difference, 4);
    assert_near(d.error, 1 / sqrt(3));
    assert_int_equal(d.verdict, 1);
    d = between(cells, 7, RANDOM, TREES);
    assert_near(d.difference, -4);
    assert_int_equal(d.verdict, -1);
}

static void within_two_errors_it_is_a_tie(void **state)
{
    bonsai_cell cells[] = {measured(RANDOM, 0, 0, 50), measured(RANDOM, 0, 1, 50),
                           measured(TREES, 0, 0, 51), measured(TREES, 0, 1, 53)};
    (void)state;
    bonsai_difference d = between(cells, 4, TREES, RANDOM);     /* 1, 3: error 1 */
    assert_near(d.error, 1);
    assert_int_equal(d.verdict, 0);
    cells[2].accuracy_mean = 51.5;                              /* 1.5, 3: error 0.75 */
    assert_int_equal(between(cells, 4, TREES, RANDOM).verdict, 1);
}

static void one_pair_has_the_errors_of_its_runs(void **state)
{
    bonsai_cell cells[] = {measured(RANDOM, 0, 0, 50), measured(TREES, 0, 0, 55)};
    (void)state;
    bonsai_difference d = between(cells, 2, TREES, RANDOM);
    assert_int_equal(d.pairs, 1);
    assert_near(d.error, 2);
    assert_int_equal(d.verdict, 1);
    cells[0].accuracy_error = NAN;                              /* of one run */
    d = between(cells, 2, TREES, RANDOM);
    assert_true(isnan(d.error) && d.verdict == 0);
    cells[0].runs = 0;
    d = between(cells, 2, TREES, RANDOM);
    assert_true(d.pairs == 0 && isnan(d.error) && d.verdict == 0);
}

static void the_full_graph_serves_every_draw(void **state)
{
    const bonsai_cell cells[] = {measured(-1, 0, 0, 80), measured(-1, 1, 0, 90),
                                 measured(TREES, 0, 0, 79), measured(TREES, 0, 1, 77),
                                 measured(TREES, 1, 0, 88), measured(TREES, 1, 1, 88)};
    (void)state;
    bonsai_difference d = between(cells, 6, TREES, -1);         /* -1 -3 -2 -2 */
    assert_int_equal(d.pairs, 4);
    assert_near(d.difference, -2);
    assert_int_equal(d.verdict, -1);
    d = between(cells, 6, -1, TREES);
    assert_near(d.difference, 2);
    assert_int_equal(d.verdict, 1);
}

static bonsai_status both(void *payload)
{
    const bonsai_cell *cells = payload;
    bonsai_cell out;
    bonsai_difference d;
    bonsai_cell_init(&out);
    bonsai_difference_init(&d);
    bonsai_status rc = bonsai_cells_merge(&out, cells, 2, cells);
    return rc != BONSAI_OK ? rc : bonsai_cells_difference(&d, cells, 2, cells, cells + 1);
}

static void survives_every_failed_allocation(void **state)
{
    bonsai_cell cells[] = {measured(RANDOM, 0, 0, 50), measured(TREES, 0, 0, 55)};
    (void)state;
    survives_failed_allocations(both, cells, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_split_is_the_unit_if_there_are_several),
        cmocka_unit_test(what_one_cell_does_not_know_the_mean_does_not),
        cmocka_unit_test(else_the_draw_and_else_the_run),
        cmocka_unit_test(a_split_with_fewer_draws_weighs_as_much),
        cmocka_unit_test(refuses_what_is_not_there),
        cmocka_unit_test(every_metric_is_merged),
        cmocka_unit_test(pairs_go_by_the_metric_of_the_cells),
        cmocka_unit_test(pairs_share_split_and_draw),
        cmocka_unit_test(within_two_errors_it_is_a_tie),
        cmocka_unit_test(one_pair_has_the_errors_of_its_runs),
        cmocka_unit_test(the_full_graph_serves_every_draw),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
