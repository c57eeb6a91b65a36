/* test_facts.c -- what a report is made of: classes, sizes, the curves that the small graph holds,
 * and what is refused.
 *
 * SPDX-License-Identifier: MIT */

#include "record/fact.h"
#include "condensing.h"
#include "json.h"
#include "report/facts.h"
#include "trees/chosen.h"

static const bn_progress silent = {NULL, NULL};

static bonsai_graph *generated(int64_t nodes, int dense)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = dense ? 8 : 60;
    o.classes = 3;
    o.dense = dense;
    o.words = 6;
    o.threads = 1;
    if (bonsai_graph_generate(&g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static bonsai_condense_options asked(bonsai_method m, double ratio)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = m;
    o.ratio = ratio;
    o.threads = 1;
    return o;
}

static bn_facts *gathered(const bonsai_graph *small, const bonsai_graph *full)
{
    static bn_facts f;
    if (bn_facts_gather(&f, small, full, 1, silent) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return &f;
}

static void assert_ascends(const bn_curve *c, bool y)
{
    assert_true(c->count <= 200);
    for (int64_t i = 1; i < c->count; i++) {
        assert_true(c->at[i].x > c->at[i - 1].x);
        assert_true(y ? c->at[i].y >= c->at[i - 1].y : c->at[i].y <= c->at[i - 1].y);
    }
}

/* ---- curves ---- */

static void check_rounds(const bn_facts *f, const bonsai_condense_info *info)
{
    assert_true(f->rounds >= (bn_fact_whole(info, BN_FACT_ROUNDS) < 10 ? bn_fact_whole(info, BN_FACT_ROUNDS) : 10));
    assert_true(f->rounds <= 10 && f->rounds <= bn_fact_whole(info, BN_FACT_ROUNDS) + 1);
    for (int64_t i = 0; i < f->rounds; i++) {
        const bn_prune *r = &f->round[i];
        assert_true(r->number == i + 1 || (i == 9 && r->number > 10));
        assert_true(r->scores.count == (r->nodes < 100 ? r->nodes : 100));
        assert_true(r->scores.at[0].x == 0);
        assert_true(r->scores.at[r->scores.count - 1].x == (double)r->nodes - 1);
        assert_true(r->pruned >= 0 && r->pruned < r->nodes && r->knee < r->nodes);
        assert_ascends(&r->scores, false);
        bool there = r->knee < 0;
        for (int64_t k = 0; k < r->scores.count; k++)
            there |= r->scores.at[k].x == (double)r->knee;
        assert_true(there);
    }
    if (f->rounds > 0)
        assert_true(f->round[f->rounds - 1].number == bn_fact_whole(info, BN_FACT_ROUNDS) ||
                    (f->round[f->rounds - 1].number == bn_fact_whole(info, BN_FACT_ROUNDS) + 1 &&
                     f->round[f->rounds - 1].pruned == 0));
}

static void curves_ascend_and_end_in_what_was_reported(void **state)
{
    const double ratio[] = {0.02, 0.05, 0.3};
    int rounds = 0;
    (void)state;
    for (int i = 0; i < 12; i++) {
        bonsai_graph *g = generated(400 + 150 * i, i % 2);
        bonsai_condense_options o = asked(BONSAI_METHOD_TREES, ratio[i % 3]);
        bonsai_condense_info info;
        o.select_features = i == 5;
        o.inductive = i == 6;
        o.accounting = i == 7 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
        bonsai_graph *small = condensed(&info, g, &o);
        bn_facts *f = gathered(small, g);
        assert_string_equal(f->method, "trees");
        assert_true(f->coverage.count > 0);
        assert_ascends(&f->coverage, true);
        const bn_spot *last = &f->coverage.at[f->coverage.count - 1];
        assert_true(fabs(last->y - info.coverage) < 1e-12);
        assert_true(last->x == (i == 7 ? bn_fact(&info, BN_FACT_PAPER_BYTES) : info.bytes));
        assert_true(f->coverage.at[0].y > 0);
        assert_true(fabs(bn_fact(&f->made.info, BN_FACT_COVERAGE_BOUND) - bn_fact(&info, BN_FACT_COVERAGE_BOUND)) < 1e-8);
        assert_true(fabs(bn_fact(&f->made.info, BN_FACT_COVERAGE_CHECK) - bn_fact(&info, BN_FACT_COVERAGE_CHECK)) < 1e-8);
        check_rounds(f, &info);
        rounds += bn_fact_whole(&info, BN_FACT_ROUNDS);
        assert_true(f->map[0].known);
        bn_facts_free(f);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
    assert_true(rounds > 20);
}

/* What the small graph's metadata hold, read without the library. */
static bn_json *metadata_of(const bonsai_graph *small)
{
    const bonsai_array *a = &bonsai_graph_view(small)->section[BONSAI_SECTION_METADATA];
    bn_json *all = bn_json_parse(a->data, (size_t)a->count, 0, NULL);
    assert_non_null(all);
    return all;
}

static void a_long_curve_is_thinned_and_small(void **state)
{
    bonsai_graph *g = generated(4000, 1);
    bonsai_condense_options o = asked(BONSAI_METHOD_TREES, 0);
    bonsai_condense_info info;
    (void)state;
    o.trees = 1500;
    bonsai_graph *small = condensed(&info, g, &o);
    bn_facts *f = gathered(small, g);
    assert_int_equal(info.roots, 1500);
    assert_true(f->coverage.count > 90 && f->coverage.count <= 200);
    assert_true(f->coverage.at[f->coverage.count - 1].x == info.bytes);
    double widest = 0;
    for (int64_t i = 1; i < f->coverage.count; i++)
        widest = fmax(widest, f->coverage.at[i].x - f->coverage.at[i - 1].x);
    assert_true(widest < info.bytes / 40);
    bn_facts_free(f);
    bn_json *report = metadata_of(small);
    char *curve = bn_json_print(bn_json_get(report, "curve"), 0, 17);
    char *rounds = bn_json_print(bn_json_get(report, "rounds"), 0, 17);
    assert_true(strlen(curve) + strlen(rounds) < 20000);
    bn_json_drop(curve);
    bn_json_drop(rounds);
    bn_json_free(report);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* Where the last look changed nothing, its scores are those of the small graph's nodes. */
static void the_last_scores_are_those_of_the_nodes(void **state)
{
    int looked = 0;
    (void)state;
    for (int i = 0; i < 10; i++) {
        bonsai_graph *g = generated(300 + 200 * i, i % 2);
        bonsai_condense_options o = asked(BONSAI_METHOD_TREES, 0.05);
        bonsai_condense_info info;
        bonsai_graph *small = condensed(&info, g, &o);
        bn_facts *f = gathered(small, NULL);
        const bn_prune *last = f->rounds ? &f->round[f->rounds - 1] : NULL;
        if (last && last->pruned == 0 && last->nodes == small->view.nodes) {
            double *pi = calloc((size_t)last->nodes, sizeof *pi);
            assert_int_equal(bonsai_condense_whys(NULL, NULL, pi, small), BONSAI_OK);
            qsort(pi, (size_t)last->nodes, sizeof *pi, descending);
            for (int64_t k = 0; k < last->scores.count; k++) {
                double want = pi[(int64_t)last->scores.at[k].x];
                assert_true(fabs(last->scores.at[k].y - want) <= 6e-4 * want);
            }
            free(pi);
            looked++;
        }
        bn_facts_free(f);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
    assert_true(looked > 3);
}

static void random_trees_have_no_coverage(void **state)
{
    bonsai_graph *g = generated(500, 0);
    bonsai_condense_options o = asked(BONSAI_METHOD_TREES, 0.05);
    bonsai_condense_info info;
    (void)state;
    o.no_rknn = 1;
    bonsai_graph *small = condensed(&info, g, &o);
    bn_facts *f = gathered(small, g);
    assert_int_equal(f->coverage.count, 0);
    assert_true(bn_fact(&f->made.info, BN_FACT_COVERAGE_BOUND) == -1 && bn_fact(&f->made.info, BN_FACT_COVERAGE_CHECK) == -1);
    assert_true(f->rounds > 0);
    bn_facts_free(f);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* ---- classes and sizes ---- */

static void classes_are_counted_in_both_graphs(void **state)
{
    bonsai_graph *g = generated(600, 0), *split = NULL;
    (void)state;
    for (int m = 0; m < 2; m++) {
        bonsai_condense_options o = asked(m ? BONSAI_METHOD_PROTOTYPES : BONSAI_METHOD_TREES, 0.1);
        bonsai_condense_info info;
        double sum = 0, weights = 0;
        o.split[0] = 30;
        o.split[1] = 20;
        o.split[2] = 50;
        o.seed = m ? 9 : UINT64_MAX - 8;        /* the metadata have the latter as -9 */
        bonsai_graph *small = condensed(&info, g, &o);
        bn_facts *f = gathered(small, g);
        assert_int_equal(bonsai_graph_split(&split, g, o.split, o.seed), BONSAI_OK);
        assert_int_equal(f->classes, 3);
        for (int64_t c = 0; c < 3; c++) {
            char name[16];
            snprintf(name, sizeof name, "class %d", (int)c);
            if (!bn_has(g, BONSAI_SECTION_CLASS_NAMES))
                assert_string_equal(f->class_name[c], name);
            assert_int_equal((int64_t)f->class_full[c], in_class(split, c));
            sum += f->class_small[c];
            weights += f->class_weight[c];
        }
        assert_int_equal((int64_t)sum, info.labelled);
        assert_int_equal((int64_t)weights, bn_has(small, BONSAI_SECTION_NODE_WEIGHTS) ? bn_fact_whole(&info, BN_FACT_TREES)
                                                                              : info.labelled);
        assert_int_equal(f->map[0].all_trees, bn_fact_whole(&info, BN_FACT_TREES));
        assert_int_equal(f->map[0].all_dots, info.labelled);
        bn_facts_free(f);
        bonsai_graph_free(small);
        bonsai_graph_free(split);
    }
    bonsai_graph_free(g);
}

static void classes_have_the_names_that_a_graph_gives_them(void **state)
{
    static const char names[] = "a<b>\0\0third";
    bonsai_graph *g = generated(60, 0), *named = NULL;
    bonsai_view v = *bonsai_graph_view(g);
    (void)state;
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){names, sizeof names, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_new(&named, &v, 0), BONSAI_OK);
    for (int i = 0; i < 2; i++) {               /* its own, or the full graph's */
        bn_facts *f = gathered(i ? g : named, named);
        assert_string_equal(f->class_name[0], "a<b>");
        assert_string_equal(f->class_name[1], "");
        assert_string_equal(f->class_name[2], "third");
        bn_facts_free(f);
    }
    bonsai_graph_free(named);
    bonsai_graph_free(g);
}

static void sizes_are_those_of_the_graphs(void **state)
{
    bonsai_graph *g = generated(500, 1);
    bonsai_condense_options o = asked(BONSAI_METHOD_PROTOTYPES, 0.05);
    bonsai_condense_info info;
    int64_t bytes[BONSAI_SECTION_COUNT];
    bonsai_stats stats;
    (void)state;
    bonsai_graph *small = condensed(&info, g, &o);
    bn_facts *f = gathered(small, g);
    assert_int_equal(bonsai_graph_sections(NULL, bytes, BONSAI_SECTION_COUNT, g, NULL), BONSAI_OK);
    assert_memory_equal(bytes, f->full_bytes, sizeof bytes);
    assert_int_equal(bonsai_graph_sections(NULL, bytes, BONSAI_SECTION_COUNT, small, NULL),
                     BONSAI_OK);
    assert_memory_equal(bytes, f->small_bytes, sizeof bytes);
    bonsai_stats_init(&stats);
    assert_int_equal(bonsai_graph_stats(&stats, NULL, g, NULL), BONSAI_OK);
    assert_memory_equal(&stats, &f->full_stats, sizeof stats);
    assert_int_equal(f->small_stats.nodes, info.nodes);
    bn_facts_free(f);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Beside the full graph, and alone, a report and explain call the same features strong. */
static void strongest_features_are_those_of_explain(void **state)
{
    (void)state;
    static const bonsai_method methods[] = {BONSAI_METHOD_PROTOTYPES, BONSAI_METHOD_TREES};
    for (int k = 0; k < 8; k++) {
        bonsai_condense_options o = asked(methods[k & 1], 0.1);
        bonsai_condense_info info;
        o.select_features = k & 1;
        bonsai_graph *g = generated(300, k >> 1 & 1), *small = condensed(&info, g, &o);
        const uint32_t *kept = small->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
        bn_facts *f = gathered(small, k >> 2 ? g : NULL);
        assert_true(f->stands > 0);
        for (int64_t i = 0; i < f->stands; i++) {
            bonsai_why w;
            bonsai_why_init(&w);
            assert_int_equal(bonsai_condense_explain(&w, small, f->stand[i].node, f->full, NULL),
                             BONSAI_OK);
            for (int64_t s = 0; s < BN_STRONGEST; s++) {
                const int64_t j = f->stand[i].strong[s].feature;
                assert_int_equal(j >= 0, s < w.features);
                assert_true(j < 0 || (kept ? (int64_t)kept[j] : j) == w.feature[s]);
            }
        }
        bn_facts_free(f);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

static void without_a_full_graph_only_the_small_one_is_known(void **state)
{
    bonsai_graph *g = generated(300, 0);
    (void)state;
    bn_facts *f = gathered(g, NULL);
    assert_false(f->made.known);
    assert_string_equal(f->method, "unknown");
    assert_null(f->class_full);
    assert_int_equal(f->full_stats.size, 0);
    assert_int_equal(f->full_bytes[BONSAI_SECTION_OFFSETS], 0);
    assert_false(f->map[0].known);
    assert_int_equal(f->coverage.count + f->rounds, 0);
    assert_true(bn_fact(&f->made.info, BN_FACT_COVERAGE_BOUND) == -1 && bn_fact(&f->made.info, BN_FACT_COVERAGE_CHECK) == -1);
    bn_facts_free(f);
    bonsai_graph_free(g);
}

/* ---- refusals ---- */

static void refuse(const bonsai_graph *small, const bonsai_graph *full, const char *text)
{
    static bn_facts f;
    assert_fails(bn_facts_gather(&f, small, full, 1, silent), BONSAI_E_ARGUMENT, text);
}

static void another_full_graph_is_refused(void **state)
{
    bonsai_graph *g = generated(300, 0), *more = generated(301, 0), *same = generated(300, 1);
    bonsai_graph *narrow = NULL;
    bonsai_condense_options o = asked(BONSAI_METHOD_TREES, 0.1);
    bonsai_condense_info info;
    const int32_t kept[] = {0, 1, 5};
    (void)state;
    bonsai_graph *small = condensed(&info, g, &o);
    bonsai_view v = *bonsai_graph_view(g);
    refuse(small, more, " has 301 nodes, and generated was made of a graph with 300: it is not "
                        "the graph that was condensed");
    assert_int_equal(bn_graph_columns(&narrow, g, kept, 3), BONSAI_OK);
    refuse(small, narrow, "features");
    bonsai_graph_free(narrow);
    static const uint32_t none[301];
    bonsai_view bare = v;
    bare.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){none, 301, BONSAI_TYPE_U32};
    bare.section[BONSAI_SECTION_NEIGHBORS].count = 0;
    assert_int_equal(bonsai_graph_new(&narrow, &bare, 0), BONSAI_OK);
    refuse(small, narrow, "has 0 edge entries, and");
    bonsai_graph_free(narrow);
    v.classes = 4;
    assert_int_equal(bonsai_graph_new(&narrow, &v, 0), BONSAI_OK);
    refuse(small, narrow, "has 3 classes, but");
    refuse(small, same, "has 60 features, but");
    bonsai_graph_free(narrow);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
    bonsai_graph_free(more);
    bonsai_graph_free(same);
}

/* A graph whose metadata is the given text, with ' for ". */
static bonsai_graph *telling(const char *text)
{
    bonsai_graph *g = generated(40, 0);
    char *to;
    assert_int_equal(bn_graph_array(&to, g, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8, (int64_t)strlen(text)),
                     BONSAI_OK);
    for (size_t i = 0; i < strlen(text); i++)
        to[i] = text[i] == '\'' ? '"' : text[i];
    return g;
}

static void nonsense_in_the_metadata_does_no_harm(void **state)
{
    static const char *const text[] = {
        "{}",
        "{'method': 3, 'cover': [], 'curve': 7, 'rounds': {}, 'options': null, 'recipe': 'x'}",
        "{'cover': {'sample': 'x'}, 'curve': {'bytes': [1, 2], 'covered': [1, 2]}}",
        "{'cover': {'sample': 0}, 'curve': {'bytes': [1, 2], 'covered': [1, 2]}}",
        "{'rounds': [1, {'rank': [0, 1], 'score': 3}, {'rank': ['x'], 'score': [1]}]}",
        "{'options': {'layers': -3, 'split': [50, 20], 'seed': -1, 'inductive': 1}}",
        "{'sizes': {'full_nodes': 'many', 'full_edges': -5}, 'why': {'covers': 'all'}}",
        "{'recipe': {'layers': 900000000000}}", "{'options': {'split': [200, -3, 'x']}}",
        "{'why': {'covers': ['a', -3, 1e300]}}",
    };
    bonsai_graph *g = generated(40, 0);
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        bonsai_graph *small = telling(text[i]);
        bn_facts *f = gathered(small, g);
        assert_int_equal(f->coverage.count, 0);
        for (int64_t k = 0; k < f->rounds; k++)
            assert_int_equal(f->round[k].scores.count, 0);
        assert_true(f->map[0].known);
        bn_facts_free(f);
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

static void curves_that_do_not_ascend_are_cut(void **state)
{
    bonsai_graph *g = telling("{'cover': {'sample': 10}, 'curve': {"
                              "'bytes': [5, 9, 7, 8, 20, 'x', 30],"
                              "'covered': [1, 2, 3, 9, 8, 9, 10]}, 'rounds': ["
                              "{'nodes': 9, 'rank': [0, 4, 4, 2, 8], 'score': [5, 4, 3, 2, 1]}]}");
    static const bn_spot want[] = {{5, 0.1}, {7, 0.3}, {20, 0.8}};
    (void)state;
    bn_facts *f = gathered(g, NULL);
    assert_int_equal(f->coverage.count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(f->coverage.at[i].x == want[i].x &&
                    fabs(f->coverage.at[i].y - want[i].y) < 1e-12);
    assert_int_equal(f->rounds, 1);
    assert_int_equal(f->round[0].knee, -1);
    assert_int_equal(f->round[0].number, 1);
    assert_int_equal(f->round[0].scores.count, 3);
    assert_true(f->round[0].scores.at[2].x == 8 && f->round[0].scores.at[2].y == 1);
    bn_facts_free(f);
    bonsai_graph_free(g);
}

/* ---- memory ---- */

static bonsai_status try_gather(void *payload)
{
    static bn_facts f;
    bonsai_graph **pair = payload;
    bonsai_status rc = bn_facts_gather(&f, pair[0], pair[1], 1, silent);
    bn_facts_free(&f);
    return rc;
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    bonsai_graph *g = generated(120, 0);
    bonsai_condense_options o = asked(BONSAI_METHOD_TREES, 0.2);
    bonsai_condense_info info;
    (void)state;
    o.split[0] = 60;
    o.inductive = 1;
    bonsai_graph *small = condensed(&info, g, &o);
    survives_failed_allocations(try_gather, (bonsai_graph *[]){small, g}, 40);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_ascend_and_end_in_what_was_reported),
        cmocka_unit_test(a_long_curve_is_thinned_and_small),
        cmocka_unit_test(the_last_scores_are_those_of_the_nodes),
        cmocka_unit_test(random_trees_have_no_coverage),
        cmocka_unit_test(classes_are_counted_in_both_graphs),
        cmocka_unit_test(classes_have_the_names_that_a_graph_gives_them),
        cmocka_unit_test(sizes_are_those_of_the_graphs),
        cmocka_unit_test(strongest_features_are_those_of_explain),
        cmocka_unit_test(without_a_full_graph_only_the_small_one_is_known),
        cmocka_unit_test(another_full_graph_is_refused),
        cmocka_unit_test(nonsense_in_the_metadata_does_no_harm),
        cmocka_unit_test(curves_that_do_not_ascend_are_cut),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
