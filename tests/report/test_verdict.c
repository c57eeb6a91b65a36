/* test_verdict.c -- what a report says first, what it says of the nodes, and what it folds.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "record/fact.h"
#include "pairing.h"
#include "reporting.h"

/* ---- the verdict --------------------------------------------------------- */

static void assert_verdict(const bonsai_graph *small, const bonsai_graph *g, const double mean[2],
                           double std, const char *text)
{
    bonsai_cell cells[] = {
        {.size = sizeof(bonsai_cell), .method = -1, .model = BONSAI_MODEL_GIN, .done = 1, .runs = 4,
         .accuracy_mean = mean[0], .accuracy_std = std, .seconds_train = 12},
        {.size = sizeof(bonsai_cell), .method = 0, .model = BONSAI_MODEL_GIN, .done = 1, .runs = 4,
         .accuracy_mean = mean[1], .accuracy_std = std, .seconds_train = 2},
    };
    bonsai_report *r = report_cells(small, g, cells, NULL);
    const char *html = bonsai_report_html(NULL, r), *verdict = strstr(html, "class=\"verdict\"");
    assert_good_page(html);
    assert_non_null(verdict);
    assert_true(verdict < strstr(html, "<section"));
    assert_non_null(strstr(verdict, "Trained on this small graph, a GIN gets <strong>"));
    assert_non_null(strstr(verdict, text));
    assert_null(strstr(html, "<summary>Other metrics"));        /* there are none to fold */
    assert_non_null(strstr(verdict, "500\u00a0ms</b><span class=\"what\">to train a GIN</span>"
                                    "<small>3.00\u00a0s on the full graph"));
    bonsai_report_free(r);
}

static void the_verdict_says_what_is_lost(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 4, NULL);
    assert_verdict(small, g, (double[]){80, 76.5}, 1, " It loses 3.5 points, with ");
    assert_verdict(small, g, (double[]){80, 83}, 1, " That is 3.0 points more, with ");
    assert_verdict(small, g, (double[]){80, 79}, 1, " That is no clear difference, with ");
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void without_a_model_the_probe_is_the_verdict(void **state)
{
    (void)state;
    bonsai_graph *g = generate(200, 2), *small = condense(g, BONSAI_METHOD_AUTO, 8, NULL);
    bonsai_graph *picked = condense(g, BONSAI_METHOD_RANDOM, 8, NULL);
    char text[400];
    bonsai_condense_info info;
    bonsai_condense_info_init(&info);
    assert_int_equal(bonsai_condense_info_of(&info, small), BONSAI_OK);
    assert_true(info.probe_full > 0);
    snprintf(text, sizeof text, "<p class=\"verdict\">");
    bonsai_condense_worth(text + strlen(text), sizeof text - strlen(text), NULL, &info);
    assert_report(small, g, text, NULL);
    assert_report(small, NULL, text, NULL);
    assert_report(small, NULL, "<span class=\"what\">full graph</span>", NULL);
    assert_report(picked, g, NULL, "<p class=\"verdict\">");
    bonsai_graph_free(picked);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* A graph that does not say what it was made of is compared with nothing. */
static void a_graph_without_a_record_has_its_own_numbers_alone(void **state)
{
    (void)state;
    bonsai_graph *g = generate(120, 3);
    assert_report(g, NULL, " edge entries</small>", " of 0 edge entries");
    bonsai_graph_free(g);
}

/* The spread of another metric, however large, says nothing about the one that is compared. */
static void the_verdict_takes_the_error_of_its_own_metric(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 4, NULL);
    bonsai_cell cells[] = {
        {.size = sizeof(bonsai_cell), .method = -1, .done = 1, .runs = 4, .accuracy_mean = 77,
         .accuracy_std = 90, .metric_mean = {77, 70, 60}, .metric_std = {90, 1, 1}},
        {.size = sizeof(bonsai_cell), .method = 0, .done = 1, .runs = 4, .accuracy_mean = 77,
         .metric_mean = {77, 50, 40}, .metric_std = {0, 1, 1}, .metric = BONSAI_METRIC_F1},
    };
    bonsai_report *r = report_cells(small, g, cells, NULL);
    assert_non_null(strstr(bonsai_report_html(NULL, r), " It loses 20.0 points"));
    bonsai_report_free(r);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* What is said of two classes with these recalls, trained on the full graph and on the small. */
static void assert_fares(const double recall[4], double balanced, bool lost)
{
    bonsai_graph *g = generate(60, 2), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 4, NULL);
    bonsai_cell cells[] = {
        {.size = sizeof(bonsai_cell), .method = -1, .done = 1, .runs = 1, .accuracy_mean = 80,
         .metric_mean = {80, 80, 80}},
        {.size = sizeof(bonsai_cell), .method = 0, .done = 1, .runs = 1, .accuracy_mean = 78,
         .metric_mean = {78, balanced, 70}},
    };
    bonsai_report *r = report_cells(small, g, cells, recall);
    const char *html = bonsai_report_html(NULL, r), *table = strstr(html, "Recall: the percent");
    const char *fold = strstr(html, "<details><summary>Other metrics");
    assert_good_page(html);
    assert_true(table && fold && (table < fold) == lost);
    assert_int_equal(!!strstr(html, " Classes fare unequally: of class 1 it finds <strong>"), lost);
    assert_non_null(strstr(html, "; always the largest class: "));
    assert_non_null(strstr(html, "For reference: always answering class "));
    bonsai_report_free(r);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void the_verdict_names_a_class_that_is_lost(void **state)
{
    (void)state;
    assert_fares((double[]){85, 75, 85, 71}, 78, false);
    assert_fares((double[]){85, 75, 99, 5}, 78, true);          /* they are far apart */
    assert_fares((double[]){85, 75, 85, 55}, 70, true);         /* accuracy loses much less */
}

static void nothing_is_said_to_have_no_bytes(void **state)
{
    (void)state;
    bonsai_graph *g = generate(120, 3);
    for (int m = 0; m < BONSAI_METHOD_AUTO; m++) {
        bonsai_graph *small = condense(g, (bonsai_method)m, 12, NULL);
        assert_report(small, NULL, "id=\"bytes\"", ">0\u00a0B<");
        assert_report(small, NULL, NULL, "<th scope=\"col\">full graph</th>");
        assert_report(small, g, "id=\"bytes\"", ">0\u00a0B<");
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

/* Few training nodes: those without a label take part, and the weights count them. */
static void prototypes_stand_for_nodes_without_a_label_too(void **state)
{
    (void)state;
    bonsai_graph *all = generate(400, 2), *g = NULL, *small = NULL;
    bonsai_condense_info info;
    bonsai_condense_info_init(&info);
    assert_int_equal(bonsai_graph_split(&g, all, (double[]){3, 20, 77}, 1), BONSAI_OK);
    small = condense(g, BONSAI_METHOD_PROTOTYPES, 6, NULL);
    assert_int_equal(bonsai_condense_info_of(&info, small), BONSAI_OK);
    double stood = 0;
    for (int64_t v = 0; v < info.nodes; v++)
        stood += bonsai_graph_weight(small, v);
    assert_true(stood > bn_fact(&info, BN_FACT_TREES));
    char text[200];
    snprintf(text, sizeof text, "<strong>%.0f</strong> nodes, <strong>%lld</strong> of them with a "
             "training label, of ", stood, (long long)bn_fact_whole(&info, BN_FACT_TREES));
    assert_report(small, g, text, "training nodes per prototype");
    snprintf(text, sizeof text, "<small>%.0f in all, %lld with a training label</small>", stood,
             (long long)bn_fact_whole(&info, BN_FACT_TREES));
    assert_report(small, g, text, NULL);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
    bonsai_graph_free(all);
}

/* Each of four prototypes has a second node, which stands for nothing. */
static void second_nodes_are_counted_apart(void **state)
{
    (void)state;
    bonsai_graph *g = generate(200, 2), *plain = condense(g, BONSAI_METHOD_PROTOTYPES, 4, NULL);
    bonsai_graph *small = paired(plain);
    const int64_t n = bonsai_graph_nodes(plain);
    char text[200];
    snprintf(text, sizeof text, "<strong>%lld</strong> prototypes, with <strong>%lld</strong> second "
             "nodes without a label, stand for <strong>120</strong> training nodes", (long long)n,
             (long long)n);
    assert_report(small, g, text, NULL);
    snprintf(text, sizeof text, "<b>%lld</b><span class=\"what\">nodes</span><small>of 200, %lld "
             "without a label; ", (long long)(2 * n), (long long)n);
    assert_report(small, g, text, NULL);
    snprintf(text, sizeof text, "<b>%g</b><span class=\"what\">training nodes per prototype",
             120 / n >= 10 ? rint(120.0 / (double)n) : 120.0 / (double)n);
    assert_report(small, g, text, NULL);
    assert_report(small, g, "The second has no label and stands for no nodes", NULL);
    assert_report(plain, g, NULL, "second node");
    bonsai_graph_free(small);
    bonsai_graph_free(plain);
    bonsai_graph_free(g);
}

static void a_method_that_auto_chose_was_not_changed(void **state)
{
    (void)state;
    bonsai_graph *g = generate(200, 2), *small = condense(g, BONSAI_METHOD_AUTO, 8, NULL);
    bonsai_graph *asked = condense(g, BONSAI_METHOD_PROTOTYPES, 8, NULL);
    assert_report(small, g, "<tr><th scope=\"row\">--method</th><td>auto (chose ",
                  "--method</th><td class=\"mark\">");
    assert_report(small, g, " --method auto ", NULL);
    assert_report(asked, g, "--method</th><td class=\"mark\">prototypes", "auto (chose ");
    bonsai_graph_free(asked);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* ---- the nodes ----------------------------------------------------------- */

static void prototypes_are_listed_with_soft_labels_and_features(void **state)
{
    (void)state;
    bonsai_graph *g = generate(200, 3), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 9, NULL);
    bonsai_report_options o;
    char names[16 * 10] = "";
    bonsai_report_options_init(&o);
    for (int j = 0; j < 16; j++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "<w%d>%s", j,
                 j < 15 ? "\n" : "");
    o.feature_names = names;
    bonsai_report *r = report(small, g, &o), *plain = report(small, NULL, NULL);
    const char *html = bonsai_report_html(NULL, r), *at = strstr(html, "<section id=\"nodes\"");
    assert_good_page(html);
    assert_non_null(at);
    assert_non_null(strstr(at, "<td class=\"heat h5\""));
    assert_non_null(strstr(at, "&lt;w"));
    const char *number = strstr(at, " feature ");
    assert_true(!number || number > strstr(at, "</section>"));
    assert_non_null(strstr(bonsai_report_html(NULL, plain), ">+&nbsp;feature "));
    assert_non_null(strstr(strstr(html, "id=\"map\""), "; strongest: +&nbsp;&lt;w"));
    assert_non_null(strstr(at, ", raised; on the mean "));
    assert_non_null(strstr(at, ", lowered; on the mean "));
    assert_non_null(strstr(at, ">−&nbsp;&lt;w"));
    bonsai_report_free(plain);
    bonsai_report_free(r);
    names[strlen(names) - 6] = 0;               /* one name is missing */
    bonsai_status rc = bonsai_report_new(&r, small, g, &o);
    assert_int_equal(rc, BONSAI_E_ARGUMENT);
    assert_non_null(strstr(bonsai_error(), "there are 15 names of features, but "));
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Condensing hands them on; given ones hold instead. */
static void features_have_the_names_of_the_graphs(void **state)
{
    (void)state;
    bonsai_graph *plain = generate(200, 3), *g, *small;
    bonsai_report_options o;
    char names[16 * 10] = "";
    for (int j = 0; j < 16; j++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "zq%d\n", j);
    assert_int_equal(bonsai_graph_name_features(&g, plain, names), BONSAI_OK);
    small = condense(g, BONSAI_METHOD_PROTOTYPES, 9, NULL);
    bonsai_graph *bare = condense(plain, BONSAI_METHOD_PROTOTYPES, 9, NULL);
    bonsai_report *r[] = {report(small, NULL, NULL), report(small, plain, NULL),
                          report(bare, g, NULL)};
    for (int i = 0; i < 3; i++) {
        assert_non_null(strstr(bonsai_report_html(NULL, r[i]), "zq1"));
        assert_null(strstr(bonsai_report_html(NULL, r[i]), "+ feature "));
        bonsai_report_free(r[i]);
    }
    bonsai_report_options_init(&o);
    o.feature_names = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15";
    r[0] = report(small, g, &o);
    assert_null(strstr(bonsai_report_html(NULL, r[0]), "zq1"));
    bonsai_report_free(r[0]);
    bonsai_graph_free(bare);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
    bonsai_graph_free(plain);
}

static void many_nodes_are_cut_and_many_classes_are_named(void **state)
{
    (void)state;
    bonsai_graph *g = generate(900, 30), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 90, NULL);
    bonsai_report *r = report(small, g, NULL);
    const char *at = strstr(bonsai_report_html(NULL, r), "<section id=\"nodes\"");
    const char *end = strstr(at, "</section>"), *row = at;
    int rows = 0;
    while ((row = strstr(row, "<tr><th scope=\"row\">")) != NULL && row++ < end)
        rows++;
    assert_int_equal(rows, 40);
    assert_non_null(strstr(at, " Shown: 40 of "));
    assert_non_null(strstr(at, "soft label, %</th>"));
    bonsai_report_free(r);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void a_node_stands_for_what_its_method_counts(void **state)
{
    (void)state;
    static const struct { bonsai_method method; const char *says; } kind[] = {
        {BONSAI_METHOD_PROTOTYPES, " Each counts in the loss as often"},
        {BONSAI_METHOD_TREES, " A root stands for the sampled training nodes"},
        {BONSAI_METHOD_RANDOM, "A model learns from these nodes. The strongest"}};
    bonsai_graph *g = generate(300, 3);
    for (int i = 0; i < 3; i++) {
        bonsai_graph *small = condense(g, kind[i].method, 12, NULL);
        assert_report(small, g, kind[i].says, NULL);
        assert_report(small, g, NULL, i == 2 ? "<th scope=\"col\">stands for</th>" : NULL);
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

static void internals_are_folded(void **state)
{
    (void)state;
    static const char *const open[] = {"map", "nodes", "before", "options", "repeat"};
    static const char *const folded[] = {"sizes", "bytes", "coverage", "pruning", "effort"};
    bonsai_condense_info info;
    bonsai_report_options o;
    bonsai_graph *g = generate(300, 3), *small = condense(g, BONSAI_METHOD_TREES, 60, &info);
    bonsai_report_options_init(&o);
    o.condensed = &info;
    bonsai_report *r = report(small, g, &o);
    for (int i = 0; i < 10; i++) {
        char start[64];
        snprintf(start, sizeof start, "<section id=\"%s\"", i < 5 ? open[i] : folded[i - 5]);
        const char *at = strstr(bonsai_report_html(NULL, r), start);
        assert_non_null(at);
        at = strchr(at, '>');
        assert_int_equal(strncmp(at, ">\n<details><summary><h2>", 24) == 0, i >= 5);
    }
    bonsai_report_free(r);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdict_says_what_is_lost),
        cmocka_unit_test(without_a_model_the_probe_is_the_verdict),
        cmocka_unit_test(a_graph_without_a_record_has_its_own_numbers_alone),
        cmocka_unit_test(the_verdict_takes_the_error_of_its_own_metric),
        cmocka_unit_test(the_verdict_names_a_class_that_is_lost),
        cmocka_unit_test(prototypes_stand_for_nodes_without_a_label_too),
        cmocka_unit_test(second_nodes_are_counted_apart),
        cmocka_unit_test(a_method_that_auto_chose_was_not_changed),
        cmocka_unit_test(nothing_is_said_to_have_no_bytes),
        cmocka_unit_test(prototypes_are_listed_with_soft_labels_and_features),
        cmocka_unit_test(features_have_the_names_of_the_graphs),
        cmocka_unit_test(many_nodes_are_cut_and_many_classes_are_named),
        cmocka_unit_test(a_node_stands_for_what_its_method_counts),
        cmocka_unit_test(internals_are_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
