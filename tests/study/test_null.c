/* test_null.c -- a pointer that is missing is refused with a sentence, by every function that
 * returns a status: each pointer of each is missing once.
 *
 * SPDX-License-Identifier: MIT */
#include "studying.h"

static bonsai_graph *g, *small;

static int set_up(void **state)
{
    bonsai_condense_options o;
    (void)state;
    bonsai_condense_options_init(&o);
    o.nodes = 12;
    o.method = BONSAI_METHOD_RANDOM;
    g = studied_graph();
    return bonsai_condense(&small, NULL, g, &o);
}

static int tear_down(void **state)
{
    (void)state;
    bonsai_graph_free(small);
    bonsai_graph_free(g);
    return 0;
}

static void missing(bonsai_status rc, const char *what)
{
    char sentence[64];
    snprintf(sentence, sizeof sentence, "%s is NULL", what);
    assert_fails(rc, BONSAI_E_ARGUMENT, sentence);
}

/* Calls with a place of a graph, which must be NULL afterwards. */
#define NO_GRAPH(call, what)                          \
    do {                                              \
        bonsai_graph *out = small;                    \
        missing((call), (what));                      \
        assert_null(out);                             \
    } while (0)

static void graphs_are_made_of_something(void **state)
{
    bonsai_view v;
    const double percent[3] = {60, 20, 20};
    (void)state;
    bonsai_view_init(&v);
    v.nodes = 3;
    missing(bonsai_graph_load(NULL, "x"), "out");
    NO_GRAPH(bonsai_graph_load(&out, NULL), "the path");
    missing(bonsai_graph_read(NULL, "x", NULL), "out");
    NO_GRAPH(bonsai_graph_read(&out, NULL, NULL), "the path");
    missing(bonsai_graph_new(NULL, &v, 0), "out");
    NO_GRAPH(bonsai_graph_new(&out, NULL, 0), "the view");
    missing(bonsai_graph_build(NULL, &v, 0, NULL, NULL, NULL, NULL), "out");
    NO_GRAPH(bonsai_graph_build(&out, NULL, 0, NULL, NULL, NULL, NULL), "the view");
    missing(bonsai_graph_build64(NULL, &v, 0, NULL, NULL, NULL, NULL), "out");
    NO_GRAPH(bonsai_graph_build64(&out, NULL, 0, NULL, NULL, NULL, NULL), "the view");
    missing(bonsai_graph_split(NULL, g, percent, 1), "out");
    NO_GRAPH(bonsai_graph_split(&out, NULL, percent, 1), "the graph");
    NO_GRAPH(bonsai_graph_split(&out, g, NULL, 1), "percent");
    missing(bonsai_graph_split_file(NULL, g, "x"), "out");
    NO_GRAPH(bonsai_graph_split_file(&out, NULL, "x"), "the graph");
    NO_GRAPH(bonsai_graph_split_file(&out, g, NULL), "the path");
    missing(bonsai_graph_name_features(NULL, g, "x"), "out");
    NO_GRAPH(bonsai_graph_name_features(&out, NULL, "x"), "the graph");
    NO_GRAPH(bonsai_graph_name_features(&out, g, NULL), "the names");
    missing(bonsai_graph_induce(NULL, g, NULL, 0), "out");
    NO_GRAPH(bonsai_graph_induce(&out, NULL, NULL, 0), "the graph");
    missing(bonsai_graph_reorder(NULL, g, BONSAI_ORDER_RANDOM, 0, 1, NULL), "out");
    NO_GRAPH(bonsai_graph_reorder(&out, NULL, BONSAI_ORDER_RANDOM, 0, 1, NULL), "the graph");
    missing(bonsai_graph_normalise(NULL, g), "out");
    NO_GRAPH(bonsai_graph_normalise(&out, NULL), "the graph");
    missing(bonsai_graph_standardise(NULL, g, NULL), "out");
    NO_GRAPH(bonsai_graph_standardise(&out, NULL, NULL), "the graph");
    missing(bonsai_graph_generate(NULL, NULL), "out");
}

static void graphs_are_looked_at_and_written(void **state)
{
    bonsai_stats stats;
    bonsai_linear linear;
    bonsai_shape shape;
    bonsai_plan plan;
    double one = 0, mean[20];
    int equal;
    (void)state;
    bonsai_stats_init(&stats);
    bonsai_linear_init(&linear);
    bonsai_shape_init(&shape);
    bonsai_plan_init(&plan);
    missing(bonsai_graph_verify(NULL), "the graph");
    missing(bonsai_graph_check(NULL, NULL), "the graph");
    missing(bonsai_graph_save(NULL, NULL, "x", NULL), "the graph");
    missing(bonsai_graph_save(NULL, g, NULL, NULL), "the path");
    missing(bonsai_graph_convert(NULL, NULL, NULL, "x", NULL, NULL), "the path");
    missing(bonsai_graph_convert(NULL, NULL, "x", NULL, NULL, NULL), "the path to read");
    missing(bonsai_graph_generate_file(NULL, NULL), "the path");
    missing(bonsai_graph_bytes(NULL, g, BONSAI_ACCOUNTING_STRICT), "out");
    missing(bonsai_graph_bytes(&one, NULL, BONSAI_ACCOUNTING_STRICT), "the graph");
    missing(bonsai_graph_sections(NULL, NULL, BONSAI_SECTION_COUNT, NULL, NULL), "the graph");
    missing(bonsai_graph_equal(NULL, g, g), "out");
    missing(bonsai_graph_equal(&equal, NULL, g), "the first graph");
    missing(bonsai_graph_equal(&equal, g, NULL), "the second graph");
    missing(bonsai_graph_stats(NULL, NULL, g, NULL), "out");
    missing(bonsai_graph_stats(&stats, NULL, NULL, NULL), "the graph");
    missing(bonsai_graph_mean(NULL, g), "out");
    missing(bonsai_graph_mean(mean, NULL), "the graph");
    missing(bonsai_graph_scales(NULL, &one, g), "least_out");
    missing(bonsai_graph_scales(&one, NULL, g), "most_out");
    missing(bonsai_graph_scales(&one, &one, NULL), "the graph");
    missing(bonsai_graph_linear(NULL, g, 1, NULL), "out");
    missing(bonsai_graph_linear(&linear, NULL, 1, NULL), "the graph");
    missing(bonsai_graph_shape(NULL, g), "out");
    missing(bonsai_graph_shape(&shape, NULL), "the graph");
    missing(bonsai_plan_make(NULL, &shape, NULL), "out");
    missing(bonsai_plan_make(&plan, NULL, NULL), "the shape");
}

static void condensing_needs_graphs(void **state)
{
    const double ratio = 0.1;
    (void)state;
    missing(bonsai_condense(NULL, NULL, g, NULL), "out");
    NO_GRAPH(bonsai_condense(&out, NULL, NULL, NULL), "the graph");
    missing(bonsai_condense_many(NULL, NULL, &ratio, 1, g, NULL), "out");
    NO_GRAPH(bonsai_condense_many(&out, NULL, &ratio, 1, NULL, NULL), "the graph");
    missing(bonsai_condense_update(NULL, NULL, g, g, small, NULL), "out");
    NO_GRAPH(bonsai_condense_update(&out, NULL, NULL, g, small, NULL), "the graph now");
    NO_GRAPH(bonsai_condense_update(&out, NULL, g, NULL, small, NULL), "the graph as it was");
    NO_GRAPH(bonsai_condense_update(&out, NULL, g, g, NULL, NULL), "the small graph");
}

static void a_condensed_graph_is_asked(void **state)
{
    bonsai_condense_info info;
    bonsai_condense_options o;
    bonsai_why why;
    bonsai_scores scores;
    int32_t nodes[5];
    int64_t found;
    (void)state;
    bonsai_condense_info_init(&info);
    bonsai_condense_options_init(&o);
    bonsai_why_init(&why);
    bonsai_scores_init(&scores);
    missing(bonsai_condense_info_of(NULL, small), "out");
    missing(bonsai_condense_info_of(&info, NULL), "the small graph");
    missing(bonsai_condense_options_of(NULL, small), "out");
    missing(bonsai_condense_options_of(&o, NULL), "the small graph");
    missing(bonsai_condense_why(NULL, small, 0), "out");
    missing(bonsai_condense_why(&why, NULL, 0), "the small graph");
    missing(bonsai_condense_explain(NULL, small, 0, g, NULL), "out");
    missing(bonsai_condense_explain(&why, NULL, 0, g, NULL), "the small graph");
    missing(bonsai_condense_whys(NULL, NULL, NULL, NULL), "the small graph");
    missing(bonsai_condense_scores(NULL, small, 0), "out");
    missing(bonsai_condense_scores(&scores, NULL, 0), "the small graph");
    missing(bonsai_condense_nearest(NULL, NULL, &found, 5, small, 0, g, NULL), "nodes");
    missing(bonsai_condense_nearest(nodes, NULL, NULL, 5, small, 0, g, NULL), "found");
    missing(bonsai_condense_nearest(nodes, NULL, &found, 5, NULL, 0, g, NULL), "the small graph");
    missing(bonsai_condense_nearest(nodes, NULL, &found, 5, small, 0, NULL, NULL),
            "the full graph");
}

static void training_and_predicting(void **state)
{
    bonsai_training *t = NULL, *beside = NULL;
    bonsai_model *m = NULL;
    const bonsai_train_options o = studied_training();
    bonsai_measures measures;
    int32_t classes[1] = {0};
    (void)state;
    bonsai_measures_init(&measures);
    missing(bonsai_train(NULL, small, g, NULL), "out");
    missing(bonsai_train(&t, NULL, g, NULL), "the small graph");
    assert_int_equal(bonsai_train(&t, small, g, &o), BONSAI_OK);
    missing(bonsai_train_beside(NULL, t, g, NULL), "out");
    missing(bonsai_train_beside(&beside, NULL, g, NULL), "the training");
    missing(bonsai_train_beside(&beside, t, NULL, NULL), "the full graph");
    missing(bonsai_model_save(NULL, "x"), "the model");
    missing(bonsai_model_save(bonsai_training_model(t), NULL), "the path");
    missing(bonsai_model_load(NULL, "x"), "out");
    missing(bonsai_model_load(&m, NULL), "the path");
    missing(bonsai_predict(NULL, NULL, bonsai_training_model(t), g, NULL), "classes");
    double was[2], is[2];
    int64_t columns, column;
    missing(bonsai_model_scale(NULL, &column, was, is, bonsai_training_model(t), g), "columns");
    missing(bonsai_model_scale(&columns, NULL, was, is, bonsai_training_model(t), g), "column");
    missing(bonsai_model_scale(&columns, &column, NULL, is, bonsai_training_model(t), g), "was");
    missing(bonsai_model_scale(&columns, &column, was, NULL, bonsai_training_model(t), g), "is");
    missing(bonsai_model_scale(&columns, &column, was, is, NULL, g), "the model");
    missing(bonsai_predict(classes, NULL, NULL, g, NULL), "the model");
    missing(bonsai_predict(classes, NULL, bonsai_training_model(t), NULL, NULL), "the graph");
    missing(bonsai_judge(NULL, NULL, g, BONSAI_PART_TEST, classes, NULL), "out");
    missing(bonsai_judge(&measures, NULL, NULL, BONSAI_PART_TEST, classes, NULL), "the graph");
    missing(bonsai_judge(&measures, NULL, g, BONSAI_PART_TEST, NULL, NULL), "the classes");
    bonsai_training_free(t);
}

static void studies_have_a_graph_and_cells(void **state)
{
    bonsai_compare_options o;
    const bonsai_model_kind model = BONSAI_MODEL_GCN;
    bonsai_cell cell;
    bonsai_difference d;
    bonsai_power power;
    double percent[3], wl = 0, seen = 0;
    (void)state;
    bonsai_compare_options_init(&o);
    o.models = &model;
    o.model_count = 1;
    bonsai_difference_init(&d);
    bonsai_power_init(&power);
    missing(bonsai_compare_cells((bonsai_cell *)NULL, &o), "the array of bonsai_cell");
    assert_int_equal(bonsai_compare_count(&o), 1);
    assert_int_equal(bonsai_compare_cells(&cell, &o), BONSAI_OK);
    missing(bonsai_compare(NULL, g, &o), "the array of bonsai_cell");
    missing(bonsai_compare(&cell, NULL, &o), "the graph");
    missing(bonsai_compare_split(NULL, g, &o), "out");
    missing(bonsai_compare_split(percent, NULL, &o), "the graph");
    missing(bonsai_study_run(NULL, 1, g, &o), "the array of bonsai_cell");
    missing(bonsai_study_run(NULL, 0, NULL, NULL), "the graph");
    missing(bonsai_cells_merge(NULL, &cell, 1, &cell), "out");
    missing(bonsai_cells_merge(&cell, NULL, 1, &cell), "the array of bonsai_cell");
    missing(bonsai_cells_merge(&cell, &cell, 1, NULL), "the cell asked for");
    missing(bonsai_cells_difference(NULL, &cell, 1, &cell, &cell), "out");
    missing(bonsai_cells_difference(&d, NULL, 1, &cell, &cell), "the array of bonsai_cell");
    missing(bonsai_cells_difference(&d, &cell, 1, NULL, &cell), "the first cell");
    missing(bonsai_cells_difference(&d, &cell, 1, &cell, NULL), "the second cell");
    if (!has_method(BONSAI_METHOD_GCOND))
        return;
    missing(bonsai_study_pairs(NULL, &seen, 1, g, BONSAI_STUDY_EMBEDDING, NULL), "wl");
    missing(bonsai_study_pairs(&wl, NULL, 1, g, BONSAI_STUDY_EMBEDDING, NULL), "seen");
    missing(bonsai_study_pairs(&wl, &seen, 1, NULL, BONSAI_STUDY_EMBEDDING, NULL), "the graph");
    missing(bonsai_study_power(NULL, 1, g, NULL), "the array of bonsai_power");
    missing(bonsai_study_power(&power, 1, NULL, NULL), "the graph");
}

static void pages_tell_of_something(void **state)
{
    bonsai_report *r = NULL;
    bonsai_suggestion *s = NULL;
    (void)state;
    missing(bonsai_suggest(NULL, g, NULL), "out");
    missing(bonsai_suggest(&s, NULL, NULL), "the graph");
    missing(bonsai_report_new(NULL, small, g, NULL), "out");
    missing(bonsai_report_new(&r, NULL, g, NULL), "the small graph");
    missing(bonsai_report_suggestion(&r, NULL, NULL), "the suggestion");
    missing(bonsai_report_save(NULL, "x"), "the report");
    missing(bonsai_report_tables(NULL, "{}"), "the path");
    missing(bonsai_report_tables("x", NULL), "the description of the page");
    assert_int_equal(bonsai_report_new(&r, small, NULL, NULL), BONSAI_OK);
    missing(bonsai_report_save(r, NULL), "the path");
    bonsai_report_free(r);
}

/* ---- and numbers that cannot be ---- */

static void a_negative_count_is_named(void **state)
{
    bonsai_view v;
    bonsai_graph *out = small;
    bonsai_cell cell;
    const double ratio = 0.1;
    int32_t nodes[1];
    int64_t found;
    (void)state;
    bonsai_view_init(&v);
    bonsai_cell_init(&cell);
    v.nodes = 3;
    assert_fails(bonsai_graph_build(&out, &v, -1, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "the number of edges is -1");
    assert_null(out);
    assert_fails(bonsai_graph_build64(&out, &v, -2, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "the number of edges is -2");
    assert_fails(bonsai_graph_induce(&out, g, nodes, -1), BONSAI_E_ARGUMENT,
                 "the number of nodes is -1");
    assert_fails(bonsai_condense_many(&out, NULL, &ratio, -1, g, NULL), BONSAI_E_ARGUMENT,
                 "the number of ratios is -1");
    assert_fails(bonsai_condense_nearest(nodes, NULL, &found, -5, small, 0, g, NULL),
                 BONSAI_E_ARGUMENT, "the number of nearest nodes is -5");
    assert_fails(bonsai_study_run(&cell, -1, g, NULL), BONSAI_E_ARGUMENT,
                 "the number of bonsai_cell is -1");
}

static void a_part_that_no_node_can_have_is_refused(void **state)
{
    bonsai_measures m;
    int32_t classes[150] = {0};
    (void)state;
    bonsai_measures_init(&m);
    assert_fails(bonsai_judge(&m, NULL, g, (bonsai_part)9, classes, NULL), BONSAI_E_ARGUMENT,
                 "part 9 is not known");
}

/* ---- functions that return no status ---- */

static void what_has_no_status_does_nothing(void **state)
{
    double percent[3];
    char word[8];
    (void)state;
    bonsai_view_init((bonsai_view *)NULL);
    bonsai_condense_options_init((bonsai_condense_options *)NULL);
    assert_int_equal(bonsai_split_named(percent, NULL), 0);
    assert_int_equal(bonsai_split_named(NULL, "random"), 0);
    assert_int_equal(bonsai_shell_word(word, sizeof word, NULL), 2);
    assert_string_equal(word, "''");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_made_of_something),
        cmocka_unit_test(graphs_are_looked_at_and_written),
        cmocka_unit_test(condensing_needs_graphs),
        cmocka_unit_test(a_condensed_graph_is_asked),
        cmocka_unit_test(training_and_predicting),
        cmocka_unit_test(studies_have_a_graph_and_cells),
        cmocka_unit_test(pages_tell_of_something),
        cmocka_unit_test(a_negative_count_is_named),
        cmocka_unit_test(a_part_that_no_node_can_have_is_refused),
        cmocka_unit_test(what_has_no_status_does_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
