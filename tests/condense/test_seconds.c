/* test_seconds.c -- the seconds of the stages add up to those that pass during a call.
 *
 * Another program may take the processor between our clock and that of the library: each call gets
 * several attempts.
 *
 * SPDX-License-Identifier: MIT */
#include "condensing.h"

enum { ATTEMPTS = 20 };

static bonsai_graph *full;

static int set_up(void **state)
{
    bonsai_generate_options o;
    (void)state;
    bonsai_generate_options_init(&o);
    o.nodes = 2000;
    o.features = 64;
    o.classes = 5;
    return bonsai_graph_generate(&full, &o);
}

static int tear_down(void **state)
{
    (void)state;
    bonsai_graph_free(full);
    return 0;
}

static double sum(const bonsai_condense_info *i)
{
    return i->seconds_measure + i->seconds_wl + i->seconds_knn + i->seconds_cover +
           i->seconds_sparsify + i->seconds_cluster + i->seconds_fit + i->seconds_probe +
           i->seconds_learn + i->seconds_finish;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 0.02 * b + 0.002;
}

/* The seconds of one condensation, which add up to those that passed. */
static bonsai_condense_info timed(bonsai_method m)
{
    bonsai_condense_options o;
    bonsai_condense_info i;
    double passed = 0;
    int attempt = 0;
    bonsai_condense_options_init(&o);
    o.method = m;
    o.ratio = 0.05;
    o.effort = 0.001;
    do {
        double start = bn_seconds();
        bonsai_graph *small = condensed(&i, full, &o);
        passed = bn_seconds() - start;
        assert_true(close_to(sum(&i), i.seconds_total));
        assert_true(i.seconds_total <= passed);
        bonsai_graph_free(small);
    } while (!close_to(sum(&i), passed) && ++attempt < ATTEMPTS);
    assert_true(attempt < ATTEMPTS);
    return i;
}

static void stages_of_every_method_add_up_to_the_seconds_that_passed(void **state)
{
    (void)state;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
        if (!has_method((bonsai_method)m))
            continue;
        bonsai_condense_info i = timed((bonsai_method)m);
        assert_true(i.seconds_measure > 0 && i.seconds_finish > 0);
    }
}

static void each_method_is_told_its_own_stages(void **state)
{
    (void)state;
    bonsai_condense_info trees = timed(BONSAI_METHOD_TREES);
    assert_true(trees.seconds_wl > 0 && trees.seconds_knn > 0 && trees.seconds_cover > 0);
    assert_true(trees.seconds_sparsify > 0);
    assert_true(trees.seconds_cluster == 0 && trees.seconds_fit == 0 && trees.seconds_probe == 0);
    bonsai_condense_info made = timed(BONSAI_METHOD_PROTOTYPES);
    assert_true(made.seconds_wl > 0 && made.seconds_cluster > 0 && made.seconds_fit > 0);
    assert_true(made.seconds_probe > 0);
    assert_true(made.seconds_knn == 0 && made.seconds_cover == 0 && made.seconds_sparsify == 0);
    bonsai_condense_info best = timed(BONSAI_METHOD_AUTO);      /* of both, if trees were tried */
    assert_true((best.seconds_cover > 0) == (best.seconds_knn > 0) &&
                (best.seconds_sparsify > 0) == (best.seconds_knn > 0));
    assert_true(best.seconds_cluster > 0 && best.seconds_fit > 0 && best.seconds_probe > 0);
}

/* What is done once for all stands in each of them. */
static void several_ratios_take_what_each_would_alone(void **state)
{
    (void)state;
    const double ratios[3] = {0.02, 0.05, 0.1};
    bonsai_condense_options o;
    bonsai_condense_info info[3];
    bonsai_graph *out[3];
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(&info[0]);
    double start = bn_seconds();
    assert_int_equal(bonsai_condense_many(out, info, ratios, 3, full, &o), BONSAI_OK);
    double passed = bn_seconds() - start;
    for (int k = 0; k < 3; k++) {
        bool alike = (info[k].seconds_knn > 0) == (info[0].seconds_knn > 0);  /* both tried trees */
        assert_true(close_to(sum(&info[k]), info[k].seconds_total));
        assert_true(info[k].seconds_measure == info[0].seconds_measure);
        assert_true(!alike || info[k].seconds_wl == info[0].seconds_wl);
        assert_true(!alike || info[k].seconds_knn == info[0].seconds_knn);
        assert_true(info[k].seconds_total <= passed);
        bonsai_graph_free(out[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_of_every_method_add_up_to_the_seconds_that_passed),
        cmocka_unit_test(each_method_is_told_its_own_stages),
        cmocka_unit_test(several_ratios_take_what_each_would_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
