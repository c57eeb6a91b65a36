/* test_null.c -- a pointer that is missing is refused with a sentence.
 *
 * SPDX-License-Identifier: MIT */
#include "studying.h"

static void what_is_missing_is_named(void **state)
{
    bonsai_graph *g = NULL;
    bonsai_training *t = NULL;
    bonsai_model *m = NULL;
    bonsai_suggestion *s = NULL;
    bonsai_why why;
    bonsai_stats stats;
    bonsai_measures measures = {.size = sizeof measures};
    int32_t classes[1] = {0};
    double bytes;
    const double percent[3] = {60, 20, 20};
    bonsai_why_init(&why);
    bonsai_stats_init(&stats);
    (void)state;
    assert_fails(bonsai_graph_load(NULL, "x"), BONSAI_E_ARGUMENT, "out is NULL");
    assert_fails(bonsai_graph_load(&g, NULL), BONSAI_E_ARGUMENT, "the path is NULL");
    assert_fails(bonsai_graph_save(NULL, NULL, "x", NULL), BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_graph_new(&g, NULL, 0), BONSAI_E_ARGUMENT, "the view is NULL");
    assert_fails(bonsai_graph_build64(&g, NULL, 0, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "the view is NULL");
    assert_fails(bonsai_graph_verify(NULL), BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_graph_check(NULL, NULL), BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_graph_split(&g, NULL, percent, 1), BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_graph_induce(&g, NULL, NULL, 0), BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_graph_stats(&stats, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "the graph is NULL");
    assert_fails(bonsai_graph_bytes(&bytes, NULL, BONSAI_ACCOUNTING_STRICT), BONSAI_E_ARGUMENT,
                 "the graph is NULL");
    assert_fails(bonsai_condense(&g, NULL, NULL, NULL), BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_condense_explain(&why, NULL, 0, NULL, NULL), BONSAI_E_ARGUMENT,
                 "the small graph is NULL");
    assert_fails(bonsai_train(&t, NULL, NULL, NULL), BONSAI_E_ARGUMENT, "the small graph is NULL");
    assert_fails(bonsai_model_save(NULL, "x"), BONSAI_E_ARGUMENT, "the model is NULL");
    assert_fails(bonsai_model_load(&m, NULL), BONSAI_E_ARGUMENT, "the path is NULL");
    assert_fails(bonsai_predict(classes, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "the model is NULL");
    assert_fails(bonsai_judge(&measures, NULL, NULL, BONSAI_PART_TEST, classes, NULL),
                 BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_suggest(&s, NULL, NULL), BONSAI_E_ARGUMENT, "the graph is NULL");
    assert_fails(bonsai_study_run(NULL, 0, NULL, NULL), BONSAI_E_ARGUMENT, "the graph is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
