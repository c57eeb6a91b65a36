/* test_rare.c -- a rare class: condensed, told of, and found again.
 *
 * SPDX-License-Identifier: MIT */
#include "rare.h"
#include "training.h"

#include "record/record.h"

static bonsai_graph *condensed(bonsai_condense_info *i, const bonsai_graph *g, double ratio,
                               bonsai_aim metric, int threads)
{
    bonsai_condense_options o;
    bonsai_graph *small = NULL;
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(i);
    o.ratio = ratio;
    o.metric = metric;
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.threads = threads;
    if (bonsai_condense(&small, i, g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return small;
}

static const char *worth_of(double *kept, const bonsai_condense_info *i)
{
    static char text[512];
    assert_in_range(bonsai_condense_worth(text, sizeof text, kept, i), 1, sizeof text - 1);
    return text;
}

static bonsai_array record_of(const bonsai_graph *g)
{
    return bonsai_graph_view(g)->section[BONSAI_SECTION_METADATA];
}

static bool says(const bonsai_graph *g, const char *text)
{
    const bonsai_array a = record_of(g);
    char *all = calloc(1, (size_t)a.count + 1);
    memcpy(all, a.data, (size_t)a.count);
    const bool found = strstr(all, text) != NULL;
    free(all);
    return found;
}

static double recall_of(const bonsai_graph *small, const bonsai_graph *full, int rare,
                        const char *class_weight)
{
    bonsai_train_options o = quick(BONSAI_MODEL_GCN);
    o.epochs = 200;
    o.metric = BONSAI_METRIC_BALANCED;
    o.class_weight = class_weight;
    bonsai_training *t = trained(small, full, &o);
    const double recall = bonsai_training_class(t, rare)->recall_mean;
    bonsai_training_free(t);
    return recall;
}

/* ---- where there is something to find ---- */

static void a_rare_class_is_kept_and_found(void **state)
{
    (void)state;
    for (int rare = 0; rare < 2; rare++) {
        bonsai_graph *g = rare_graph(1500, 2.5, rare);
        bonsai_condense_info i, again;
        double kept;
        bonsai_graph *small = condensed(&i, g, 0.02, BONSAI_AIM_AUTO, 1);
        assert_int_equal(bn_fact_whole(&i, BN_FACT_METRIC), BONSAI_AIM_MIXED);
        assert_true(bn_fact(&i, BN_FACT_PROBE_IDLE) > 73 && bn_fact(&i, BN_FACT_PROBE_IDLE) < 75);    /* (98 + 50) / 2 */
        assert_true(i.probe > bn_fact(&i, BN_FACT_PROBE_IDLE) + 2 && i.probe_full > i.probe);
        assert_non_null(strstr(worth_of(&kept, &i), "(mean of accuracy and balanced accuracy of "));
        assert_true(kept > 50 && kept < 100);
        assert_true(says(small, "\"metric\":\"mixed\""));
        bonsai_condense_info_init(&again);
        assert_int_equal(bonsai_condense_info_of(&again, small), BONSAI_OK);
        assert_int_equal(bn_fact_whole(&again, BN_FACT_METRIC), BONSAI_AIM_MIXED);
        assert_true(fabs(bn_fact(&again, BN_FACT_PROBE_IDLE) - bn_fact(&i, BN_FACT_PROBE_IDLE)) < 1e-6);
        assert_true(recall_of(small, g, rare, "balanced") > 50);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

static void any_number_of_threads_gives_the_same_small_graph(void **state)
{
    (void)state;
    bonsai_graph *g = rare_graph(600, 2.5, 1);
    static const bonsai_aim aims[] = {BONSAI_AIM_AUTO, BONSAI_AIM_F1, BONSAI_AIM_AP};
    for (size_t k = 0; k < sizeof aims / sizeof *aims; k++) {
        const bonsai_aim aim = aims[k];
        bonsai_condense_info one, three;
        bonsai_graph *a = condensed(&one, g, 0.03, aim, 1);
        bonsai_graph *b = condensed(&three, g, 0.03, aim, 3);
        const bonsai_array ra = record_of(a), rb = record_of(b);
        assert_true(one.probe == three.probe && one.probe_full == three.probe_full);
        assert_true(one.probe > 0 && one.probe <= 100 + 1e-9 && bn_fact(&one, BN_FACT_PROBE_IDLE) > 0);
        assert_int_equal(bn_fact_whole(&one, BN_FACT_METRIC), aim == BONSAI_AIM_AUTO ? BONSAI_AIM_MIXED : aim);
        assert_int_equal(ra.count, rb.count);
        assert_memory_equal(ra.data, rb.data, (size_t)ra.count);
        assert_int_equal(bonsai_graph_checksum(a, ~0ull), bonsai_graph_checksum(b, ~0ull));
        bonsai_graph_free(a);
        bonsai_graph_free(b);
    }
    bonsai_graph_free(g);
}

/* ---- where there is nothing ---- */

static void nothing_found_is_never_called_kept(void **state)
{
    (void)state;
    bonsai_graph *g = rare_graph(2000, 0, 1);
    static const bonsai_aim aims[] = {BONSAI_AIM_AUTO, BONSAI_AIM_ACCURACY};
    for (int k = 0; k < 2; k++) {
        bonsai_condense_info i, again;
        double kept;
        bonsai_graph *small = condensed(&i, g, 0.01, aims[k], 1);
        assert_true(i.probe < bn_fact(&i, BN_FACT_PROBE_IDLE) + 3 && i.probe_full < bn_fact(&i, BN_FACT_PROBE_IDLE) + 1);
        const char *worth = worth_of(&kept, &i);
        assert_null(strstr(worth, "keeps"));
        assert_non_null(strstr(worth, "; always naming the largest class gets "));
        assert_non_null(strstr(worth, "%: the small graph is hardly better than that."));
        assert_true(kept == -1);
        bonsai_condense_info_init(&again);              /* and so does the record */
        assert_int_equal(bonsai_condense_info_of(&again, small), BONSAI_OK);
        assert_null(strstr(worth_of(&kept, &again), "keeps"));
        assert_int_equal(bn_fact_whole(&again, BN_FACT_METRIC), bn_fact_whole(&i, BN_FACT_METRIC));
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

/* ---- where no class is rare ---- */

static void without_a_rare_class_accuracy_counts_and_the_record_is_as_before(void **state)
{
    (void)state;
    bonsai_graph *g = made_graph(600, 60, 0);
    bonsai_condense_info i, asked;
    bonsai_graph *small = condensed(&i, g, 0.05, BONSAI_AIM_AUTO, 1);
    bonsai_graph *same = condensed(&asked, g, 0.05, BONSAI_AIM_ACCURACY, 1);
    assert_int_equal(bn_fact_whole(&i, BN_FACT_METRIC), BONSAI_AIM_ACCURACY);
    assert_false(says(small, "\"metric\""));
    assert_false(says(small, "probe_idle"));
    assert_true(says(same, "\"metric\":\"accuracy\""));         /* among the options */
    assert_true(i.probe == asked.probe);
    bonsai_graph_free(small);
    bonsai_graph_free(same);
    bonsai_graph_free(g);
}

/* ---- refusals ---- */

static void metrics_that_are_not_defined_are_refused(void **state)
{
    (void)state;
    bonsai_graph *three = made_graph(200, 30, 0), *g = rare_graph(500, 1, 1), *small = NULL;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.ratio = 0.1;
    o.metric = BONSAI_AIM_F1MAX;
    assert_fails(bonsai_condense(&small, NULL, three, &o), BONSAI_E_ARGUMENT,
                 "has 3 classes, but the metric f1max is for two");
    o.metric = BONSAI_AIM_COUNT;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT, "metric 8 is not known");
    bonsai_view v = view_of(g);
    uint8_t part[500];
    memcpy(part, v.section[BONSAI_SECTION_SPLIT].data, sizeof part);
    for (int i = 0; i < 500; i++)
        if (part[i] == BONSAI_PART_VAL && bonsai_graph_label(g, i) == 1)
            part[i] = BONSAI_PART_TEST;
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, part, 500);
    bonsai_graph *one = graph_of(&v);
    o.metric = BONSAI_AIM_AUC;
    assert_fails(bonsai_condense(&small, NULL, one, &o), BONSAI_E_ARGUMENT,
                 "nodes that the probe judges on are of class 0, but the metric auc needs two");
    o.metric = BONSAI_AIM_BALANCED;
    assert_int_equal(bonsai_condense(&small, NULL, one, &o), BONSAI_OK);
    bonsai_graph_free(small);
    bonsai_graph_free(one);
    bonsai_graph_free(g);
    bonsai_graph_free(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rare_class_is_kept_and_found),
        cmocka_unit_test(any_number_of_threads_gives_the_same_small_graph),
        cmocka_unit_test(nothing_found_is_never_called_kept),
        cmocka_unit_test(without_a_rare_class_accuracy_counts_and_the_record_is_as_before),
        cmocka_unit_test(metrics_that_are_not_defined_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
