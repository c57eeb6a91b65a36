/* test_seconds.c -- the seconds of the stages add up to those that pass during a call.
 *
 * Another program may take the processor between our clock and that of the library: each call gets
 * several attempts.
 *
 * SPDX-License-Identifier: MIT */
#include "record/fact.h"
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
    double all = 0;
    for (int id = BN_FACT_SECONDS_MEASURE; id < BN_FACT_SECONDS_TOTAL; id++)
        all += bn_fact(i, (bn_fact_id)id);
    return all;
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
        assert_true(bn_fact(&i, BN_FACT_SECONDS_MEASURE) > 0 && bn_fact(&i, BN_FACT_SECONDS_FINISH) > 0);
    }
}

static void each_method_is_told_its_own_stages(void **state)
{
    (void)state;
    bonsai_condense_info trees = timed(BONSAI_METHOD_TREES);
    assert_true(bn_fact(&trees, BN_FACT_SECONDS_WL) > 0);
    assert_true(bn_fact(&trees, BN_FACT_SECONDS_KNN) > 0);
    assert_true(bn_fact(&trees, BN_FACT_SECONDS_COVER) > 0);
    assert_true(bn_fact(&trees, BN_FACT_SECONDS_SPARSIFY) > 0);
    assert_true(bn_fact(&trees, BN_FACT_SECONDS_CLUSTER) == 0);
    assert_true(bn_fact(&trees, BN_FACT_SECONDS_FIT) == 0);
    assert_true(bn_fact(&trees, BN_FACT_SECONDS_PROBE) == 0);
    bonsai_condense_info made = timed(BONSAI_METHOD_PROTOTYPES);
    assert_true(bn_fact(&made, BN_FACT_SECONDS_WL) > 0);
    assert_true(bn_fact(&made, BN_FACT_SECONDS_CLUSTER) > 0);
    assert_true(bn_fact(&made, BN_FACT_SECONDS_FIT) > 0);
    assert_true(bn_fact(&made, BN_FACT_SECONDS_PROBE) > 0);
    assert_true(bn_fact(&made, BN_FACT_SECONDS_KNN) == 0);
    assert_true(bn_fact(&made, BN_FACT_SECONDS_COVER) == 0);
    assert_true(bn_fact(&made, BN_FACT_SECONDS_SPARSIFY) == 0);
    bonsai_condense_info best = timed(BONSAI_METHOD_AUTO);      /* of both, if trees were tried */
    const bool searched = bn_fact(&best, BN_FACT_SECONDS_KNN) > 0;
    assert_true((bn_fact(&best, BN_FACT_SECONDS_COVER) > 0) == searched);
    assert_true((bn_fact(&best, BN_FACT_SECONDS_SPARSIFY) > 0) == searched);
    assert_true(bn_fact(&best, BN_FACT_SECONDS_CLUSTER) > 0);
    assert_true(bn_fact(&best, BN_FACT_SECONDS_FIT) > 0);
    assert_true(bn_fact(&best, BN_FACT_SECONDS_PROBE) > 0);
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
        const double knn = bn_fact(&info[k], BN_FACT_SECONDS_KNN);
        const double first = bn_fact(&info[0], BN_FACT_SECONDS_KNN);
        bool alike = (knn > 0) == (first > 0);          /* both tried trees */
        assert_true(close_to(sum(&info[k]), info[k].seconds_total));
        assert_true(bn_fact(&info[k], BN_FACT_SECONDS_MEASURE) ==
                    bn_fact(&info[0], BN_FACT_SECONDS_MEASURE));
        assert_true(!alike || bn_fact(&info[k], BN_FACT_SECONDS_WL) ==
                                  bn_fact(&info[0], BN_FACT_SECONDS_WL));
        assert_true(!alike || knn == first);
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
