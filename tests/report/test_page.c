/* test_page.c -- whole reports: of odd graphs, of harmful names, of hand-made facts.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/fact.h"
#include "report/page.h"
#include "reporting.h"

static bonsai_graph *make(const bonsai_view *v)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_new(&g, v, 1);
    if (rc != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

/* ---- reports ------------------------------------------------------------- */

static void every_method_has_a_page(void **state)
{
    (void)state;
    bonsai_graph *g = generate(120, 3);
    for (int m = 0; m < BONSAI_METHOD_AUTO; m++) {
        bonsai_condense_info info;
        bonsai_report_options o;
        bonsai_graph *small = condense(g, (bonsai_method)m, 12, &info);
        bonsai_report_options_init(&o);
        o.condensed = &info;
        o.threads = 1;
        bonsai_report *r = report(small, g, &o);
        const char *html = bonsai_report_html(NULL, r);
        assert_good_page(html);
        assert_non_null(strstr(html, "id=\"map\""));
        assert_non_null(strstr(html, "id=\"effort\""));
        assert_int_equal(strstr(html, "id=\"coverage\"") != NULL, m == BONSAI_METHOD_TREES);
        assert_non_null(strstr(html, m == BONSAI_METHOD_PROTOTYPES ? "prototypes stand" : "node"));
        bonsai_report_free(r);
        assert_report(small, NULL, "<h1>small, made of full</h1>", "id=\"map\"");
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

static void pages_tell_how_many_published_trees_are_whole(void **state)
{
    (void)state;
    if (!has_method(BONSAI_METHOD_PUBLISHED))
        skip();
    bonsai_graph *g = generate(120, 3), *small = NULL;
    bonsai_condense_options o;
    bonsai_condense_info info;
    char text[120];
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(&info);
    o.method = BONSAI_METHOD_PUBLISHED;
    o.ratio = 0.1;
    o.threads = 1;
    assert_int_equal(bonsai_condense(&small, &info, g, &o), BONSAI_OK);
    assert_true(info.roots > 1 && bn_fact_whole(&info, BN_FACT_WHOLE_TREES) >= 0);
    snprintf(text, sizeof text, "published</strong> with <strong>%lld</strong> trees, %lld kept "
             "whole, from ", (long long)info.roots, (long long)bn_fact_whole(&info, BN_FACT_WHOLE_TREES));
    assert_report(small, g, text, NULL);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void a_page_of_one_node_is_a_page(void **state)
{
    (void)state;
    bonsai_graph *g = generate(1, 1);
    assert_report(g, NULL, "<strong>1</strong> node ", "id=\"options\"");
    bonsai_graph_free(g);
}

static void a_graph_without_labels_and_features_has_a_page(void **state)
{
    (void)state;
    const uint32_t offsets[] = {0, 1, 2}, neighbors[] = {1, 0};
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = 2;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 2, BONSAI_TYPE_U32};
    bonsai_graph *g = make(&v);
    assert_report(g, NULL, "id=\"bytes\"", "Classes: what a model");
    bonsai_graph_free(g);
}

static void three_hundred_classes_are_shown_as_forty_and_the_rest(void **state)
{
    (void)state;
    bonsai_graph *g = generate(1500, 300), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 300, NULL);
    assert_report(small, g, "and 260 more", "and 261 more");
    assert_report(small, g, "291 other classes", NULL);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* A graph of two nodes with the given names of its two classes. */
static bonsai_graph *with_names(const char *names, int64_t len)
{
    const uint32_t offsets[] = {0, 1, 2}, neighbors[] = {1, 0};
    const uint8_t labels[] = {0, 1}, part[] = {1, 1};
    const float x[] = {1, 2};
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = 2;
    v.features = 1;
    v.classes = 2;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 2, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 2, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){labels, 2, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){part, 2, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){names, len, BONSAI_TYPE_U8};
    return make(&v);
}

static void names_with_markup_do_no_harm(void **state)
{
    (void)state;
    static const char names[] = "<script>alert(1)</script>\0\"'><img src=x onerror=alert(1)>";
    bonsai_graph *g = with_names(names, sizeof names);
    bonsai_report_options o;
    bonsai_report_options_init(&o);
    o.title = "</title></h1><script>alert(1)</script>\xff";
    o.small_name = "a/<b onload=x>\"'.bonsai";
    o.full_name = "--><svg/onload=x>";
    o.command = "</code></pre><script>x</script>";
    for (o.fragment = 0; o.fragment < 2; o.fragment++) {
        bonsai_report *r = report(g, g, &o);
        assert_good_page(bonsai_report_html(NULL, r));
        assert_non_null(strstr(bonsai_report_html(NULL, r), "&lt;script&gt;alert(1)"));
        bonsai_report_free(r);
    }
    bonsai_graph_free(g);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    enum { LONG = 1000000 };
    static char names[LONG + 2];
    memset(names, 'x', LONG);
    names[LONG - 1] = 0;
    names[LONG] = 'y';
    names[LONG + 1] = 0;
    bonsai_graph *g = with_names(names, LONG + 2);
    bonsai_report *r = report(g, g, NULL);
    assert_good_page(bonsai_report_html(NULL, r));
    assert_true(strlen(bonsai_report_html(NULL, r)) < 100000);
    bonsai_report_free(r);
    bonsai_graph_free(g);
}

static void metadata_that_makes_no_sense_is_not_believed(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "{}", "{\"method\":\"<b>\",\"options\":{\"ratio\":\"<i>\",\"split\":[1,null],\"seed\":{}}}",
        "{\"method\":\"trees\",\"sizes\":{\"bytes\":-1,\"full_bytes\":1e300,\"full_nodes\":2,\"ratio\":[]},"
        "\"cover\":{\"coverage\":1e99,\"sample\":-3,\"trees\":0},\"options\":[],\"rounds\":[{},3,"
        "{\"rank\":[0,1e308],\"score\":[-1,0],\"knee\":99}],\"curve\":{\"bytes\":[1],\"covered\":[2]}}",
        "{\"method\":\"prototypes\",\"choice\":{\"why\":\"</p><script>\",\"probe_other\":1},"
        "\"sizes\":{\"full_nodes\":9},\"recipe\":{\"trees\":-5,\"lossless_ratio\":1e-300},"
        "\"options\":{\"accounting\":\"'\",\"bytes\":1e300,\"layers\":true}}"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const uint32_t offsets[] = {0, 1, 2}, neighbors[] = {1, 0};
        bonsai_view v;
        bonsai_view_init(&v);
        v.nodes = 2;
        v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
        v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 2, BONSAI_TYPE_U32};
        v.section[BONSAI_SECTION_METADATA] = (bonsai_array){odd[i], (int64_t)strlen(odd[i]), BONSAI_TYPE_U8};
        bonsai_graph *g = make(&v);
        assert_report(g, NULL, "<h1>", "<script");
        bonsai_graph_free(g);
    }
}

/* ---- accuracies, commands, fragments ------------------------------------- */

static void accuracies_stand_beside_the_full_graphs(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 4, NULL);
    bonsai_cell cells[] = {
        {.size = sizeof(bonsai_cell), .method = -1, .model = BONSAI_MODEL_GCN, .done = 1, .runs = 5,
         .accuracy_mean = 86.84, .accuracy_std = 0.42},
        {.size = sizeof(bonsai_cell), .method = BONSAI_METHOD_PROTOTYPES, .model = BONSAI_MODEL_GCN, .done = 1,
         .runs = 5, .accuracy_mean = 84.91, .accuracy_std = 1.25},
        {.size = sizeof(bonsai_cell), .method = BONSAI_METHOD_PROTOTYPES, .model = BONSAI_MODEL_SAGE, .done = 1,
         .why = "it was too small"},
    };
    bonsai_report_options o;
    bonsai_report_options_init(&o);
    o.cells = cells;
    o.cell_count = 3;
    bonsai_report *r = report(small, g, &o);
    const char *html = bonsai_report_html(NULL, r);
    assert_good_page(html);
    assert_non_null(strstr(html, "<th scope=\"row\">GCN</th><td>86.8 ± 0.4</td><td>84.9 ± 1.3</td>"
                                 "<td>−1.9</td><td>5</td>"));
    assert_non_null(strstr(html, "<th scope=\"row\">GraphSAGE</th><td>–</td><td>–</td><td>–</td>"));
    assert_non_null(strstr(html, "accuracy of a GCN"));
    bonsai_report_free(r);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* The metric that chose the epochs comes first; the others, and the recall of each class, follow. */
static void metrics_and_recall_stand_beside_the_full_graphs(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2), *small = condense(g, BONSAI_METHOD_PROTOTYPES, 4, NULL);
    bonsai_cell cells[] = {
        {.size = sizeof(bonsai_cell), .method = -1, .model = BONSAI_MODEL_GCN, .done = 1, .runs = 5,
         .accuracy_mean = 77.4, .metric_mean = {77.4, 70.25, 65.5, 81.75},
         .metric_std = {0, 1.5, 2.5, 0.5}, .metric = BONSAI_METRIC_F1},
        {.size = sizeof(bonsai_cell), .method = BONSAI_METHOD_PROTOTYPES, .done = 1, .runs = 5,
         .accuracy_mean = 77.4, .metric_mean = {77.4, 50, 43.5, -1},
         .metric_std = {0, 0, 1.25, 0}, .metric = BONSAI_METRIC_F1},
    };
    const double recall[] = {95.5, 45, 100, -1};
    bonsai_report *r = report_cells(small, g, cells, recall);
    const char *html = bonsai_report_html(NULL, r);
    assert_good_page(html);
    assert_non_null(strstr(html, "<th scope=\"row\">GCN</th><td>65.5 ± 2.5</td><td>43.5 ± 1.3</td>"
                                 "<td>−22.0</td><td>5</td>"));
    assert_non_null(strstr(html, "macro F1 of a GCN"));
    assert_non_null(strstr(html, "Test macro F1"));
    assert_non_null(strstr(html, "validation nodes by macro F1."));
    assert_non_null(strstr(html, "GCN, accuracy</th><td>77.4 ± 0.0</td><td>77.4 ± 0.0</td>"));
    assert_non_null(strstr(html, "GCN, balanced accuracy</th><td>70.3 ± 1.5</td><td>50.0 ± 0.0</td>"
                                 "<td>−20.3</td>"));
    assert_null(strstr(html, "GCN, ROC AUC"));
    assert_non_null(strstr(html, "<th scope=\"col\">GCN, full</th><th scope=\"col\">GCN, small</th>"));
    assert_non_null(strstr(html, "<td>95.5</td><td>100.0</td></tr>"));
    assert_non_null(strstr(html, "<td>45.0</td><td>–</td></tr>"));
    bonsai_report_free(r);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void unescape(char *out, const char *from, const char *end)
{
    static const struct { const char *entity; char c; } row[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    while (from < end) {
        char c = *from;
        size_t len = 1;
        for (int i = 0; i < 5; i++)
            if (strncmp(from, row[i].entity, strlen(row[i].entity)) == 0) {
                c = row[i].c;
                len = strlen(row[i].entity);
            }
        *out++ = c;
        from += len;
    }
    *out = 0;
}

static void the_command_survives_the_shell(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2), *small = condense(g, BONSAI_METHOD_TREES, 8, NULL);
    bonsai_report_options o;
    bonsai_report_options_init(&o);
    o.full_name = "it's $HOME; `x` \"q\" \\ *.bonsai";
    o.small_name = "'";
    bonsai_report *r = report(small, g, &o);
    const char *start = strstr(bonsai_report_html(NULL, r), "<code>bonsai ") + 13;
    char line[1024] = "printf '%s\\n' ", got[512];
    unescape(line + strlen(line), start, strstr(start, "</code>"));
    FILE *f = popen(line, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = 0;
    assert_int_equal(pclose(f), 0);
    assert_string_equal(got, "condense\nit's $HOME; `x` \"q\" \\ *.bonsai\n-o\n'\n--method\ntrees\n"
                             "--nodes\n8\n");
    bonsai_report_free(r);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void fragments_may_stand_in_one_notebook(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2);
    bonsai_report_options o;
    char first[64], second[64];
    bonsai_report_options_init(&o);
    o.fragment = 1;
    for (int i = 0; i < 2; i++) {
        o.title = i ? "second" : "first";
        bonsai_report *r = report(g, NULL, &o);
        const char *html = bonsai_report_html(NULL, r);
        assert_good_page(html);
        assert_memory_equal(html, "<div class=\"bonsai\">", 20);
        assert_null(strstr(html, "<html"));
        assert_null(strstr(html, "<body"));
        snprintf(i ? second : first, 64, "%.20s", strstr(html, "<desc id=\""));
        for (const char *at = strstr(html, "<style>") + 7; at < strstr(html, "</style>");) {
            const char *rule = *at == '@' ? strchr(at, '{') + 1 : at;      /* every rule is ours */
            if (*at != ' ')                                 /* it does not go on from above */
                assert_memory_equal(rule, ".bonsai", 7);
            at = strchr(at, '\n') + 1;
        }
        bonsai_report_free(r);
    }
    assert_string_not_equal(first, second);
    bonsai_graph_free(g);
}

/* ---- the largest page ---------------------------------------------------- */

static void the_largest_page_is_below_two_megabytes(void **state)
{
    (void)state;
    enum { CLASSES = 5000, ROUNDS = 50, POINTS = 200, DOTS = 2000, CELLS = 300 };
    static bn_facts f;
    static char *name[CLASSES], text[4100];
    static double count[CLASSES], weight[CLASSES];
    static bn_prune round[ROUNDS];
    static bn_spot spots[POINTS];
    static bn_dot dot[DOTS];
    static bonsai_cell cells[CELLS];
    memset(text, '<', sizeof text - 1);
    for (int i = 0; i < CLASSES; i++) {
        name[i] = text;
        count[i] = i;
        weight[i] = i + 0.5;
    }
    for (int i = 0; i < POINTS; i++)
        spots[i] = (bn_spot){123456.789 * i, 1.0 / (i + 1)};
    for (int i = 0; i < ROUNDS; i++)
        round[i] = (bn_prune){.scores = {POINTS, spots}, .nodes = 1 << 30, .knee = 7, .number = i + 1};
    for (int i = 0; i < DOTS; i++)
        dot[i] = (bn_dot){i / 2000.0, 1 - i / 2000.0, i, 1e6 + i, 2000000000 + i};
    for (int i = 0; i < BN_MAP_SIDE * BN_MAP_SIDE; i++) {
        for (int k = 0; k < BN_MAPS; k++) {
            f.map[k].grid[i] = 1 + i % 1000;
            f.map[k].most[i] = i % CLASSES;
        }
    }
    for (int i = 0; i < CELLS; i++)
        cells[i] = (bonsai_cell){.method = i % 7 - 1, .model = (bonsai_model_kind)(i % 4), .done = 1,
                                 .runs = 5, .accuracy_mean = 50, .ratio = i / 300.0};
    f.method = text;
    f.classes = CLASSES;
    f.class_name = name;
    f.class_small = f.class_full = count;
    f.class_weight = weight;
    f.small_stats.size = f.full_stats.size = sizeof(bonsai_stats);
    f.small_stats.nodes = f.full_stats.nodes = 1 << 30;
    for (int i = 0; i < 33; i++)
        f.small_stats.degree_bin[i] = f.full_stats.degree_bin[i] = 1000000;
    for (int i = 1; i < BONSAI_SECTION_COUNT; i++)
        f.small_bytes[i] = f.full_bytes[i] = INT64_C(1) << 40;
    f.coverage = (bn_curve){POINTS, spots};
    bn_fact_set(&f.made.info, BN_FACT_COVERAGE_BOUND, 0.5);
    bn_fact_set(&f.made.info, BN_FACT_COVERAGE_CHECK, 0.5);
    f.rounds = ROUNDS;
    f.round = round;
    for (int k = 0; k < BN_MAPS; k++) {
        bn_map *m = &f.map[k];
        m->known = true;
        m->high_x = m->high_y = 1;
        m->trees = m->all_trees = INT64_C(1) << 30;
        m->dots = DOTS;
        m->all_dots = INT64_C(1) << 30;
        m->dot = dot;
    }
    bonsai_report_options o;
    bonsai_report_options_init(&o);
    o.title = o.small_name = o.full_name = o.command = text;
    o.cells = cells;
    o.cell_count = CELLS;
    bn_page p = {0};
    bn_sheet_draw(&p, &f, &o);
    assert_int_equal(bn_page_status(&p), BONSAI_OK);
    assert_good_page(p.text);
    assert_true(p.length > 500000);             /* or it is not the largest */
    bn_page_free(&p);
}

/* ---- the interface ------------------------------------------------------- */

static void what_is_saved_is_what_is_shown(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2);
    bonsai_report *r = report(g, NULL, NULL);
    const char *path = temp_path("report.html");
    size_t length, saved;
    assert_int_equal(bonsai_report_save(r, path), BONSAI_OK);
    uint8_t *bytes = read_file(path, &saved);
    const char *html = bonsai_report_html(&length, r);
    assert_int_equal(length, saved);
    assert_memory_equal(html, bytes, saved);
    free(bytes);
    assert_fails(bonsai_report_save(r, temp_path("missing/report.html")), BONSAI_E_IO,
                 "missing/report.html");
    bonsai_report_free(r);
    bonsai_report_free(NULL);
    bonsai_graph_free(g);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = generate(60, 2), *other = generate(50, 2);
    bonsai_graph *small = condense(g, BONSAI_METHOD_RANDOM, 5, NULL);
    bonsai_report *r = NULL;
    bonsai_report_options o;
    bonsai_report_options_init(&o);
    o.cell_count = 2;
    assert_fails(bonsai_report_new(&r, g, NULL, &o), BONSAI_E_ARGUMENT, "2 cells");
    o.cell_count = 0;
    o.size = 0;
    assert_fails(bonsai_report_new(&r, g, NULL, &o), BONSAI_E_ARGUMENT, "not initialised");
    assert_fails(bonsai_report_new(&r, NULL, NULL, NULL), BONSAI_E_ARGUMENT, "NULL");
    assert_fails(bonsai_report_new(&r, small, other, NULL), BONSAI_E_ARGUMENT, "not the graph");
    assert_null(r);
    bonsai_graph_free(small);
    bonsai_graph_free(other);
    bonsai_graph_free(g);
}

static int cancel(const bonsai_progress *p, void *payload)
{
    (void)p;
    return ++*(int *)payload > 1;
}

static void a_report_can_be_canceled(void **state)
{
    (void)state;
    bonsai_graph *g = generate(200, 2), *small = condense(g, BONSAI_METHOD_TREES, 20, NULL);
    bonsai_report *r = NULL;
    bonsai_report_options o;
    int calls = 0;
    bonsai_report_options_init(&o);
    o.progress = cancel;
    o.payload = &calls;
    int64_t before = bn_mem_live();
    assert_int_equal(bonsai_report_new(&r, small, g, &o), BONSAI_E_CANCELED);
    assert_null(r);
    assert_int_equal(bn_mem_live(), before);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

typedef struct { bonsai_graph *small, *full; bonsai_report_options o; } request;

static bonsai_status draw(void *payload)
{
    request *q = payload;
    bonsai_report *r = NULL;
    bonsai_status rc = bonsai_report_new(&r, q->small, q->full, &q->o);
    bonsai_report_free(r);
    return rc;
}

static void reports_survive_every_failed_allocation(void **state)
{
    (void)state;
    bonsai_cell cell = {.size = sizeof cell, .method = BONSAI_METHOD_TREES, .done = 1, .runs = 1};
    request q = {.full = generate(60, 2)};
    q.small = condense(q.full, BONSAI_METHOD_TREES, 12, NULL);
    bonsai_report_options_init(&q.o);
    q.o.threads = 1;
    q.o.cells = &cell;
    q.o.cell_count = 1;
    survives_failed_allocations(draw, &q, 20);
    bonsai_graph_free(q.small);
    bonsai_graph_free(q.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_a_page),
        cmocka_unit_test(pages_tell_how_many_published_trees_are_whole),
        cmocka_unit_test(a_page_of_one_node_is_a_page),
        cmocka_unit_test(a_graph_without_labels_and_features_has_a_page),
        cmocka_unit_test(three_hundred_classes_are_shown_as_forty_and_the_rest),
        cmocka_unit_test(names_with_markup_do_no_harm),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(metadata_that_makes_no_sense_is_not_believed),
        cmocka_unit_test(accuracies_stand_beside_the_full_graphs),
        cmocka_unit_test(metrics_and_recall_stand_beside_the_full_graphs),
        cmocka_unit_test(the_command_survives_the_shell),
        cmocka_unit_test(fragments_may_stand_in_one_notebook),
        cmocka_unit_test(the_largest_page_is_below_two_megabytes),
        cmocka_unit_test(what_is_saved_is_what_is_shown),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_report_can_be_canceled),
        cmocka_unit_test(reports_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
