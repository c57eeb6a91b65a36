/* test_power.c -- sampled representative power beside the exact one: Lemma 1.
 *
 * SPDX-License-Identifier: MIT */
#include "studying.h"

enum { LINE = 5, DRAWS = 40 };

/* Trees at 0, 1, 3, 7 and 15, without edges.  With k = 1 they list 1, 0, 1, 2 and 3, so that each
 * is listed by these, itself among them:  0: 0 1;  1: 0 1 2;  2: 2 3;  3: 3 4;  4: 4. */
static bonsai_graph *line(void)
{
    static float x[LINE] = {0, 1, 3, 7, 15};
    static uint8_t label[LINE], part[LINE];
    bonsai_graph *g = NULL;
    bonsai_view v;
    memset(part, BONSAI_PART_TRAIN, sizeof part);
    bonsai_view_init(&v);
    v.nodes = LINE;
    v.features = v.classes = 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, LINE, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, LINE, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){part, LINE, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    return g;
}

static bonsai_graph *generated(int64_t nodes)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = 30;
    o.words = 6;
    o.classes = 4;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static bonsai_condense_options with_k(int k)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.k = k;
    return o;
}

static bonsai_power asked(double theta, double delta, int64_t sample, int64_t draws)
{
    bonsai_power p;
    bonsai_power_init(&p);
    p.theta = theta;
    p.delta = delta;
    p.sample = sample;
    p.draws = draws;
    return p;
}

static void measure(bonsai_power *p, int64_t count, const bonsai_graph *g,
                    const bonsai_condense_options *o)
{
    if (bonsai_study_power(p, count, g, o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

/* ---- by hand ---- */

/* A sample of one tree gives power 1 to itself and to the one that it lists, 0 to the others. */
static void errors_are_those_found_by_hand(void **state)
{
    static const double mean[LINE] = {0.4, 0.4, 0.4, 0.48, 0.56}, above[LINE] = {1, 1, 1, 3, 3};
    static const double most[LINE] = {0.6, 0.6, 0.6, 0.6, 0.8};
    bonsai_power_error each[DRAWS];
    bonsai_condense_options o = with_k(1);
    bonsai_power p = asked(0.5, 0.5, 1, DRAWS);
    bonsai_graph *g = line();
    double sum = 0;
    (void)state;
    p.each = each;
    o.seed = 7;
    measure(&p, 1, g, &o);
    for (int d = 0; d < DRAWS; d++) {
        uint8_t taken[LINE] = {0};
        int tree = 0;
        assert_int_equal(bn_rng_pick(taken, LINE, 1, o.seed + (uint64_t)d), BONSAI_OK);
        while (!taken[tree])
            tree++;
        assert_float_equal(each[d].mean, mean[tree], 1e-12);
        assert_float_equal(each[d].above, above[tree] / LINE, 1e-12);
        assert_float_equal(each[d].most, most[tree], 1e-12);
        assert_float_equal(each[d].upper, most[tree], 1e-12);
        sum += mean[tree];
    }
    assert_float_equal(p.error.mean, sum / DRAWS, 1e-12);
    assert_float_equal(p.least.mean, 0.4, 1e-12);
    assert_float_equal(p.largest.mean, 0.56, 1e-12);
    bonsai_graph_free(g);
}

static void exact_powers_are_described(void **state)
{
    const bonsai_condense_options o = with_k(1);
    bonsai_power p = asked(0.3, 0.5, 2, 1);
    bonsai_graph *g = line();
    (void)state;
    measure(&p, 1, g, &o);
    assert_int_equal(p.trees, LINE);
    assert_int_equal(p.sample, 2);
    assert_float_equal(p.power_mean, 0.4, 1e-12);
    assert_float_equal(p.power_most, 0.6, 1e-12);
    assert_float_equal(p.power_above, 0.8, 1e-12);
    bonsai_graph_free(g);
}

/* ---- what must hold ---- */

static void a_sample_of_all_trees_has_no_error(void **state)
{
    bonsai_power p[] = {asked(0.05, 0.05, -1, 3), asked(0.05, 0.05, 1 << 20, 3),
                        asked(0.05, 0.05, 0, 3)};
    const bonsai_condense_options o = with_k(5);
    bonsai_graph *g = studied_graph();
    (void)state;
    measure(p, 3, g, &o);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(p[i].sample, p[i].trees);
        assert_true(p[i].largest.most == 0 && p[i].error.mean == 0 && p[i].error.above == 0);
    }
    bonsai_graph_free(g);
}

/* The lemma's sample size, and its promise; here with powers that theta can tell from 0. */
static void the_lemma_holds_on_a_generated_graph(void **state)
{
    bonsai_power p[] = {asked(0.2, 0.05, 0, 20), asked(0.1, 0.2, 0, 20), asked(0.1, 0.05, 0, 20)};
    static const int64_t size[] = {203, 484, 775};
    const bonsai_condense_options o = with_k(300);
    bonsai_graph *g = generated(2000);
    (void)state;
    measure(p, 3, g, &o);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(p[i].sample, size[i]);
        assert_true(p[i].power_above > p[i].delta);
        assert_true(p[i].error.above <= p[i].delta && p[i].largest.above <= p[i].delta);
    }
    bonsai_graph_free(g);
}

static void errors_shrink_as_the_root_of_the_sample(void **state)
{
    bonsai_power p[] = {asked(0.05, 0.05, 50, 20), asked(0.05, 0.05, 200, 20)};
    const bonsai_condense_options o = with_k(100);
    bonsai_graph *g = generated(2000);
    (void)state;
    measure(p, 2, g, &o);
    double n = (double)p[0].trees, rest = sqrt((1 - 50 / n) / (1 - 200 / n));
    assert_float_equal(p[0].error.mean / p[1].error.mean, 2 * rest, 0.15);
    assert_true(p[0].error.mean < p[0].error.upper && p[0].error.upper < p[0].error.most);
    bonsai_graph_free(g);
}

static void threads_and_company_change_nothing(void **state)
{
    bonsai_power both[] = {asked(0.05, 0.05, 30, 3), asked(0.05, 0.05, 60, 2)};
    bonsai_power alone = asked(0.05, 0.05, 60, 2);
    bonsai_condense_options o = with_k(5);
    bonsai_graph *g = studied_graph();
    (void)state;
    o.threads = 1;
    measure(both, 2, g, &o);
    o.threads = 3;
    o.sample = 10;              /* without a say, like these */
    o.no_rknn = o.select_features = 1;
    o.project = 2;
    o.method = BONSAI_METHOD_PROTOTYPES;
    measure(&alone, 1, g, &o);
    assert_memory_equal(&both[1], &alone, sizeof alone);
    bonsai_graph_free(g);
}

/* ---- refusals ---- */

static void what_makes_no_sense_is_refused(void **state)
{
    bonsai_graph *g = line();
    const bonsai_condense_options o = with_k(1), many = with_k(LINE);
    bonsai_power p = asked(0, 0.05, 0, 1);
    (void)state;
    assert_fails(bonsai_study_power(&p, 1, g, &o), BONSAI_E_ARGUMENT, "theta");
    p = asked(0.05, 2, 0, 1);
    assert_fails(bonsai_study_power(&p, 1, g, &o), BONSAI_E_ARGUMENT, "delta");
    p = asked(0.05, 0.05, -2, 1);
    assert_fails(bonsai_study_power(&p, 1, g, &o), BONSAI_E_ARGUMENT, "sample");
    p = asked(0.05, 0.05, 0, 0);
    assert_fails(bonsai_study_power(&p, 1, g, &o), BONSAI_E_ARGUMENT, "draws is 0");
    assert_fails(bonsai_study_power(&p, 0, g, &o), BONSAI_E_ARGUMENT, "0 sample sizes");
    p = asked(0.05, 0.05, 0, 1);
    assert_fails(bonsai_study_power(&p, 1, g, &many), BONSAI_E_ARGUMENT, "k must be smaller");
    bonsai_graph_free(g);
}

static int stop(const bonsai_progress *p, void *payload)
{
    (void)payload;
    return strcmp(p->stage, "power") == 0 && p->done == 2;
}

static void it_can_be_cancelled(void **state)
{
    bonsai_condense_options o = with_k(1);
    bonsai_power p = asked(0.05, 0.05, 2, 5);
    bonsai_graph *g = line();
    (void)state;
    o.progress = stop;
    assert_fails(bonsai_study_power(&p, 1, g, &o), BONSAI_E_CANCELED, "");
    bonsai_graph_free(g);
}

static bonsai_status try_power(void *payload)
{
    bonsai_power p[] = {asked(0.05, 0.05, 2, 2), asked(0.5, 0.5, 0, 1)};
    bonsai_condense_options o = with_k(1);
    o.threads = 1;
    return bonsai_study_power(p, 2, payload, &o);
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    bonsai_graph *g = line();
    (void)state;
    survives_failed_allocations(try_power, g, 10);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_found_by_hand),
        cmocka_unit_test(exact_powers_are_described),
        cmocka_unit_test(a_sample_of_all_trees_has_no_error),
        cmocka_unit_test(the_lemma_holds_on_a_generated_graph),
        cmocka_unit_test(errors_shrink_as_the_root_of_the_sample),
        cmocka_unit_test(threads_and_company_change_nothing),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
