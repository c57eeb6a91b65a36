/* test_learners.c -- all methods that learn, on small graphs: what each of them must do.
 *
 * The derivatives and the settings of a method are tested beside it; here the table of methods is
 * walked.  Rounds are cut to almost nothing: a run takes milliseconds.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "condense/methods.h"
#include "record/record.h"
#include "condensing.h"
#include "learning.h"

enum { NODES = 200, FEATURES = 40, CLASSES = 4, SAMPLE = 8 };

/* ---- graphs, options ---- */

static bonsai_graph *generated(int classes, bool dense)
{
    return learnable(NODES, FEATURES, classes, dense);
}

static bonsai_condense_options options(int method)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = (bonsai_method)method;
    o.nodes = 6;
    o.effort = 1e-4;
    o.threads = 1;
    return o;
}

typedef void try_fn(int method, const bonsai_graph *g);

/* Each method that learns, on the same graph, which is freed. */
static void walk(try_fn *try, bonsai_graph *g)
{
    int count = 0;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
        if (bn_method_of((bonsai_method)m)->needs & BN_LEARNS) {
            try(m, g);
            count++;
        }
    bonsai_graph_free(g);
    assert_true(count > 0);
}

/* Nodes that were learned, all of them for training, with numbers in every feature. */
static void assert_whole(const bonsai_graph *small, int method)
{
    float row[FEATURES];
    assert_int_equal(bonsai_graph_verify(small), BONSAI_OK);
    assert_true(bn_has(small, BONSAI_SECTION_ROLE));
    assert_false(bn_has(small, BONSAI_SECTION_ORIGIN));
    for (int64_t v = 0; v < small->view.nodes; v++) {
        bonsai_graph_row(row, small, v);
        assert_true(bn_label(small, v) >= 0);
        assert_int_equal(((const uint8_t *)small->view.section[BONSAI_SECTION_ROLE].data)[v],
                         BONSAI_ROLE_LEARNED);
        for (int64_t j = 0; j < small->view.features; j++)
            if (!isfinite(row[j]))
                fail_msg("%s: feature %d of node %d is %g",
                         bonsai_method_name((bonsai_method)method), (int)j, (int)v, row[j]);
    }
}

static bonsai_graph *learned(bonsai_condense_info *info, const bonsai_graph *g,
                             const bonsai_condense_options *o)
{
    bonsai_graph *small = condensed(info, g, o);
    assert_whole(small, (int)o->method);
    assert_int_equal(info->method, o->method);
    return small;
}

/* ---- budgets ---- */

static void try_ratio(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_condense_info info;
    o.nodes = 0;
    for (o.ratio = 0.05; o.ratio < 0.4; o.ratio *= 2) {
        bonsai_graph *small = learned(&info, g, &o);
        assert_true(info.bytes <= o.ratio * info.full_bytes);
        assert_true(info.bytes == size_in(small, BONSAI_ACCOUNTING_STRICT));
        assert_true(counted_in_file(small) == info.bytes);
        bonsai_graph_free(small);
    }
    o.ratio = 0.1;
    o.accounting = BONSAI_ACCOUNTING_PAPER_FULL;
    bonsai_graph *small = learned(&info, g, &o);
    const double f = (double)g->view.features, t = 0.1 * bn_fact(&info, BN_FACT_PAPER_FULL_BYTES);
    assert_int_equal(small->view.nodes, (int64_t)floor((sqrt(f * f + floor(t)) - f) / 2));
    assert_true(bn_fact(&info, BN_FACT_PAPER_BYTES) <= t);
    bonsai_graph_free(small);
}

static void each_keeps_within_a_ratio_in_both_accountings(void **state)
{
    (void)state;
    walk(try_ratio, generated(CLASSES, false));
}

static void try_nodes(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_condense_info info;
    for (o.nodes = 1; o.nodes < 20; o.nodes += o.nodes < 3 ? 1 : 7) {
        bonsai_graph *small = learned(&info, g, &o);
        assert_int_equal(small->view.nodes, o.nodes);
        bonsai_graph_free(small);
    }
    o.nodes = NODES;            /* no more than there are training nodes */
    bonsai_graph *small = learned(&info, g, &o);
    assert_int_equal(small->view.nodes, training_nodes(g));
    bonsai_graph_free(small);
}

static void each_makes_so_many_nodes_even_fewer_than_classes(void **state)
{
    (void)state;
    walk(try_nodes, generated(CLASSES, false));
}

static void try_least(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    long least = 0;
    o.nodes = 0;
    for (int paper = 0; paper < 2; paper++) {
        o.accounting = paper ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
        o.bytes = 3;
        assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, "a budget of 3 bytes is too small for ");
        assert_non_null(strstr(bonsai_error(), bonsai_method_name(o.method)));
        sscanf(strstr(bonsai_error(), "takes "), "takes %ld", &least);
        o.bytes = least - 1;
        assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, "a graph of one node takes ");
        o.bytes = least;
        assert_int_equal(try_with(g, &o), BONSAI_OK);
    }
}

static void each_names_the_bytes_of_one_node(void **state)
{
    (void)state;
    walk(try_least, generated(CLASSES, false));
}

/* ---- odd graphs ---- */

static void try_plain(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_condense_info info;
    bonsai_graph_free(learned(&info, g, &o));
}

static void each_learns_one_class(void **state)
{
    (void)state;
    walk(try_plain, generated(1, false));
}

static void each_learns_dense_features_of_both_signs(void **state)
{
    (void)state;
    walk(try_plain, generated(CLASSES, true));
}

static bonsai_graph *without_edges(void)
{
    bonsai_graph *g = generated(CLASSES, false), *out = NULL;
    bonsai_view v = g->view;
    v.section[BONSAI_SECTION_OFFSETS] = v.section[BONSAI_SECTION_NEIGHBORS] =
        (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_int_equal(bonsai_graph_build(&out, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    bonsai_graph_free(g);
    return out;
}

static void each_learns_from_isolated_nodes(void **state)
{
    (void)state;
    walk(try_plain, without_edges());
}

/* All features 0: nothing to tell nodes apart by. */
static bonsai_graph *of_zeros(void)
{
    bonsai_graph *g = generated(CLASSES, true);
    memset(g->owned[BONSAI_SECTION_FEATURES], 0, NODES * FEATURES * sizeof(float));
    return g;
}

static void each_learns_from_features_that_are_all_zero(void **state)
{
    (void)state;
    walk(try_plain, of_zeros());
}

static bonsai_graph *with_training_nodes(int64_t count)
{
    bonsai_graph *g = generated(CLASSES, false);
    uint8_t *split = g->owned[BONSAI_SECTION_SPLIT];
    for (int64_t v = 0; v < NODES; v++)
        if (split[v] == BONSAI_PART_TRAIN && count-- <= 0)
            split[v] = BONSAI_PART_NONE;
    return g;
}

static void each_learns_from_one_training_node(void **state)
{
    (void)state;
    walk(try_plain, with_training_nodes(1));
}

static void try_refused(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_view v = g->view;
    bonsai_graph *bare = NULL;
    v.features = 0;
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++)
        v.section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_int_equal(bonsai_graph_new(&bare, &v, 1), BONSAI_OK);
    assert_fails(try_with(bare, &o), BONSAI_E_ARGUMENT, "has no features");
    bonsai_graph_free(bare);
}

static void each_refuses_a_graph_without_features(void **state)
{
    (void)state;
    walk(try_refused, generated(CLASSES, false));
}

/* Squares of such features are not finite in single precision. */
static bonsai_graph *of_huge_features(void)
{
    bonsai_graph *g = generated(CLASSES, true);
    float *x = g->owned[BONSAI_SECTION_FEATURES];
    for (int64_t i = 0; i < NODES * FEATURES; i++)
        x[i] *= 1e30f;
    return g;
}

static void try_huge(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_graph *small = NULL;
    o.effort = 0.005;
    if (bonsai_condense(&small, NULL, g, &o) == BONSAI_OK)
        assert_whole(small, method);
    else
        assert_true(strlen(bonsai_error()) > 0);
    bonsai_graph_free(small);
}

static void each_ends_where_numbers_are_too_large(void **state)
{
    (void)state;
    walk(try_huge, of_huge_features());
}

/* Their sum over a row is not finite in single precision. */
static void features_without_units_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = generated(CLASSES, true);
    float *x = g->owned[BONSAI_SECTION_FEATURES];
    bonsai_condense_options o = options(BONSAI_METHOD_GCOND_X);
    for (int64_t i = 0; i < NODES * FEATURES; i++)
        x[i] = 1e37f;
    assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, "features are too large to learn from");
    bonsai_graph_free(g);
}

/* ---- the same again ---- */

static void try_threads(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_condense_info info;
    bonsai_graph *one = learned(&info, g, &o);
    for (o.threads = 2; o.threads <= 3; o.threads++) {
        bonsai_graph *other = learned(&info, g, &o);
        assert_same_file(one, other);
        bonsai_graph_free(other);
    }
    o.seed++;
    bonsai_graph *other = learned(&info, g, &o);
    bonsai_graph_free(other);
    bonsai_graph_free(one);
}

static void each_gives_the_same_bytes_for_any_threads(void **state)
{
    (void)state;
    walk(try_threads, generated(CLASSES, false));
}

/* The arrays of two graphs, but for the record, which has a checksum of all labels. */
static void assert_same_sections(const bonsai_graph *a, const bonsai_graph *b)
{
    for (int s = 0; s < BONSAI_SECTION_COUNT; s++) {
        const bonsai_array *x = &a->view.section[s], *y = &b->view.section[s];
        if (s == BONSAI_SECTION_METADATA)
            continue;
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->type, y->type);
        if (x->count)
            assert_memory_equal(x->data, y->data,
                                (size_t)x->count * bonsai_type_bytes(x->type));
    }
}

/* What the records say of the choice; no validation label had a part in it. */
static void assert_same_choice(const bonsai_graph *a, const bonsai_graph *b)
{
    bn_record x, y;
    assert_int_equal(bn_record_read(&x, a), BONSAI_OK);
    assert_int_equal(bn_record_read(&y, b), BONSAI_OK);
    assert_true(x.info.probe == -1 && y.info.probe == -1);
    assert_true(bn_fact(&x.info, BN_FACT_LEARN_LOSS) == bn_fact(&y.info, BN_FACT_LEARN_LOSS));
    assert_int_equal(bn_fact_whole(&x.info, BN_FACT_LEARN_KEPT), bn_fact_whole(&y.info, BN_FACT_LEARN_KEPT));
    assert_string_equal(bn_fact_text(&x.info, BN_FACT_WHY), bn_fact_text(&y.info, BN_FACT_WHY));
}

/* The classes of nodes that are not for training, shifted by one. */
static bonsai_graph *shifted(const bonsai_graph *g)
{
    static uint8_t label[NODES];
    bonsai_view v = g->view;
    bonsai_graph *out = NULL;
    for (int64_t i = 0; i < NODES; i++) {
        const int64_t k = bn_label(g, i);
        label[i] = (uint8_t)(bn_part(g, i) == BONSAI_PART_TRAIN ? k : (k + 1) % CLASSES);
    }
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, NODES, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    return out;
}

static void try_labels(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_condense_info info;
    bonsai_graph *other = shifted(g);
    o.keep = BONSAI_KEEP_LAST;
    o.effort = 0.001;
    bonsai_graph *a = learned(&info, g, &o), *b = learned(&info, other, &o);
    assert_same_sections(a, b);
    assert_same_choice(a, b);
    bonsai_graph_free(a);
    bonsai_graph_free(b);
    bonsai_graph_free(other);
}

static void no_label_of_other_parts_is_read(void **state)
{
    (void)state;
    walk(try_labels, generated(CLASSES, false));
}

/* ---- interrupted ---- */

/* Every how manyth of `count` is tried: all with FAULTS=all. */
static int64_t step_of(int64_t count, int64_t sample)
{
    return next_fault(count) == count + 1 ? 1 : 1 + count / sample;
}

typedef struct { int64_t calls, stop; } ticks;

static int count_ticks(const bonsai_progress *p, void *payload)
{
    ticks *t = payload;
    assert_true(p->done <= p->total);
    return t->calls++ == t->stop;
}

static void try_cancel(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    ticks t = {0, -1};
    o.progress = count_ticks;
    o.payload = &t;
    assert_int_equal(try_with(g, &o), BONSAI_OK);
    const int64_t calls = t.calls, live = bn_mem_live();
    const int64_t step = step_of(calls, SAMPLE);
    for (int64_t stop = 0; stop < calls; stop += step) {
        t = (ticks){0, stop};
        assert_fails(try_with(g, &o), BONSAI_E_CANCELED, "canceled during");
        assert_int_equal(bn_mem_live(), live);
    }
}

static void each_can_be_canceled(void **state)
{
    (void)state;
    walk(try_cancel, generated(CLASSES, false));
}

static int stop_fitting(const bonsai_progress *p, void *payload)
{
    (void)payload;
    return strcmp(p->stage, "fitting") == 0 && p->done > 0;
}

static void finding_how_many_nodes_fit_can_be_canceled(void **state)
{
    (void)state;
    bonsai_graph *g = generated(CLASSES, false);
    bonsai_condense_options o = options(BONSAI_METHOD_GCOND_X);
    o.nodes = 0;
    o.ratio = 0.3;
    o.progress = stop_fitting;
    assert_fails(try_with(g, &o), BONSAI_E_CANCELED, "canceled during");
    bonsai_graph_free(g);
}

/* Allocation `nth` fails; whether there was one. */
static bool fails_at(const bonsai_graph *g, const bonsai_condense_options *o, int64_t nth)
{
    const int64_t live = bn_mem_live();
    bn_mem_fail_at((int)nth);
    const bonsai_status rc = try_with(g, o);
    const bool failed = bn_mem_failed();
    bn_mem_fail_at(-1);
    assert_int_equal(bn_mem_live(), live);
    assert_int_equal(rc, failed ? BONSAI_E_MEMORY : BONSAI_OK);
    return failed;
}

static void try_allocations(int method, const bonsai_graph *g)
{
    const bonsai_condense_options o = options(method);
    int64_t most = 64;
    while (fails_at(g, &o, most))
        most *= 2;
    const int64_t step = step_of(most, 3 * SAMPLE);
    for (int64_t nth = 0; nth < most && fails_at(g, &o, nth); nth += step)
        continue;
}

static void each_survives_failed_allocations(void **state)
{
    (void)state;
    walk(try_allocations, generated(CLASSES, false));
}

static void try_late(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_condense_info info;
    o.effort = 1;
    o.time_limit = 1e-9;
    bonsai_graph *small = learned(&info, g, &o);
    const bonsai_array *record = &small->view.section[BONSAI_SECTION_METADATA];
    assert_non_null(strstr(bn_fact_text(&info, BN_FACT_WHY), "the time was up"));
    assert_true(bn_fact_whole(&info, BN_FACT_LEARN_KEPT) <= bn_fact_whole(&info, BN_FACT_LEARN_MADE) && bn_fact_whole(&info, BN_FACT_LEARN_MADE) <= 1);
    assert_true(bn_has(small, BONSAI_SECTION_METADATA));
    static const char end[] = "\"end\":\"time\"";
    bool said = false;
    for (int64_t i = 0; i + (int64_t)sizeof end <= record->count; i++)
        said |= memcmp((const char *)record->data + i, end, sizeof end - 1) == 0;
    assert_true(said);
    bonsai_graph_free(small);
}

static void each_keeps_what_it_has_when_time_is_up(void **state)
{
    (void)state;
    walk(try_late, generated(CLASSES, false));
}

/* A round that nothing was done in is not counted, and one that was cut short is no whole one. */
static void the_only_round_ends_early_as_well(void **state)
{
    (void)state;
    static const bonsai_method at_once[] = {BONSAI_METHOD_GC_SNTK, BONSAI_METHOD_GCSR,
                                            BONSAI_METHOD_SFGC, BONSAI_METHOD_GEOM,
                                            BONSAI_METHOD_GCOND};
    const int count = sizeof at_once / sizeof *at_once;
    bonsai_graph *g = generated(CLASSES, false);
    for (int i = 0; i < count; i++) {
        bonsai_condense_options o = options((int)at_once[i]);
        bonsai_condense_info info;
        o.time_limit = 1e-9;
        bonsai_graph *small = learned(&info, g, &o);
        assert_int_equal(bn_fact_whole(&info, BN_FACT_LEARN_ROUNDS), 1);
        assert_int_equal(bn_fact_whole(&info, BN_FACT_LEARN_MADE), at_once[i] == BONSAI_METHOD_GCOND);
        assert_string_equal(bn_fact_text(&info, BN_FACT_LEARN_END), "time");
        assert_non_null(strstr(bn_fact_text(&info, BN_FACT_WHY), "the time was up"));
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

/* ---- the record ---- */

static void try_record(int method, const bonsai_graph *g)
{
    bonsai_condense_options o = options(method);
    bonsai_condense_info info;
    bn_record r;
    o.nodes = 0;
    o.ratio = 0.1;
    bonsai_graph *small = learned(&info, g, &o);
    assert_int_equal(bn_record_read(&r, small), BONSAI_OK);
    assert_true(r.known);
    assert_int_equal(r.info.method, method);
    assert_int_equal(r.o.method, method);
    assert_true(r.o.effort == o.effort);
    assert_int_equal(r.info.nodes, info.nodes);
    assert_int_equal(bn_fact_whole(&r.info, BN_FACT_TREES), bn_fact_whole(&info, BN_FACT_TREES));
    assert_true(r.info.bytes == info.bytes);
    assert_true(fabs(r.info.probe - info.probe) < 1e-6);
    assert_true(fabs(bn_fact(&r.info, BN_FACT_LOSSLESS_RATIO) - bn_fact(&info, BN_FACT_LOSSLESS_RATIO)) < 1e-6);
    assert_string_equal(bn_fact_text(&r.info, BN_FACT_WHY), bn_fact_text(&info, BN_FACT_WHY));
    assert_true(info.probe >= 0);
    assert_non_null(strstr(bn_fact_text(&info, BN_FACT_WHY), "settings of "));
    bonsai_graph_free(small);
}

static void each_writes_a_record_that_is_read_back(void **state)
{
    (void)state;
    walk(try_record, generated(CLASSES, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_keeps_within_a_ratio_in_both_accountings),
        cmocka_unit_test(each_makes_so_many_nodes_even_fewer_than_classes),
        cmocka_unit_test(each_names_the_bytes_of_one_node),
        cmocka_unit_test(each_learns_one_class),
        cmocka_unit_test(each_learns_dense_features_of_both_signs),
        cmocka_unit_test(each_learns_from_isolated_nodes),
        cmocka_unit_test(each_learns_from_features_that_are_all_zero),
        cmocka_unit_test(each_learns_from_one_training_node),
        cmocka_unit_test(each_refuses_a_graph_without_features),
        cmocka_unit_test(each_ends_where_numbers_are_too_large),
        cmocka_unit_test(features_without_units_are_refused),
        cmocka_unit_test(each_gives_the_same_bytes_for_any_threads),
        cmocka_unit_test(no_label_of_other_parts_is_read),
        cmocka_unit_test(each_can_be_canceled),
        cmocka_unit_test(finding_how_many_nodes_fit_can_be_canceled),
        cmocka_unit_test(each_survives_failed_allocations),
        cmocka_unit_test(each_keeps_what_it_has_when_time_is_up),
        cmocka_unit_test(the_only_round_ends_early_as_well),
        cmocka_unit_test(each_writes_a_record_that_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
