/* test_plan.c -- what condensing would take, from a graph's shape.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sanitized.h"
#include "condense/methods.h"
#include "condense/needs.h"
#include "random_graph.h"
#include "testing.h"

static bonsai_shape papers(void)
{
    bonsai_shape s;
    bonsai_shape_init(&s);
    s.nodes = 1000000;
    s.edges = 20000000;
    s.features = 128;
    s.classes = 10;
    s.train = 600000;
    s.val = 200000;
    return s;
}

static bonsai_plan plan_of(const bonsai_shape *s, int ranks, int64_t memory)
{
    bonsai_plan p;
    bonsai_plan_options o;
    bonsai_plan_options_init(&o);
    bonsai_plan_init(&p);
    o.ranks = ranks;
    o.threads = 2;
    o.memory = memory;
    assert_int_equal(bonsai_plan_make(&p, s, &o), BONSAI_OK);
    return p;
}

static void one_rank_sends_nothing(void **state)
{
    const bonsai_shape s = papers();
    const bonsai_plan p = plan_of(&s, 1, 0);
    (void)state;
    assert_true(p.wire == 0 && p.wire_rows == 0 && p.halo == 0 && p.scratch == 0);
    assert_true(p.columns == 64 && p.held == p.most && p.least < p.most);
    assert_true(p.seconds_total > 0 && p.seconds_exchange == 0 && p.seconds_scratch == 0);
}

static void more_ranks_need_less_memory_each_and_more_wire(void **state)
{
    const bonsai_shape s = papers();
    bonsai_plan before = plan_of(&s, 1, 0);
    (void)state;
    for (int ranks = 2; ranks <= 256; ranks *= 2) {
        bonsai_plan p = plan_of(&s, ranks, 0);
        assert_true(p.most < before.most && p.wire_rows > before.wire_rows);
        assert_true(p.halo > 0 && p.halo < s.nodes && p.wire >= p.wire_rows);
        before = p;
    }
}

/* Two rounds of rows that reach all nodes, for an embedding and, in every other case, one of trees;
 * one round for what is around nodes: 4 f bytes for every node of others. */
static void a_dense_graph_in_random_order_exchanges_nearly_all_rows(void **state)
{
    bonsai_shape s = papers();
    (void)state;
    s.edges = 1000000000;
    const bonsai_plan p = plan_of(&s, 4, 0);
    double all = 4.0 * 0.75 * 1e6 * 4 * 128 * (1.5 * 2 + 1);    /* ranks, others, row, rounds */
    assert_true(fabs((double)p.wire_rows / all - 1) < 0.01);
}

/* Words stay sparse rows where they are few, and each entry then has its number; rows that are made
 * in panels have all columns. */
static void sparse_rows_are_sent_by_their_entries(void **state)
{
    bonsai_shape s = papers();
    bonsai_condense_options c;
    (void)state;
    bonsai_condense_options_init(&c);
    s.features = 10000;
    s.nonzeros = 10 * s.nodes;
    bn_needs q = {.s = s, .o = &c, .needs = BN_NEEDS_COVER, .ranks = 4, .threads = 1, .skew = 1};
    assert_true(bn_needs_sparse(&q, 2, 2));
    assert_true(bn_needs_sent(&q, 2, 1) == 4 + 8 * 10);
    assert_true(fabs(bn_needs_sent(&q, 2, 2) - 8 * 207.8 - 4) < 1);     /* of 21 rows, few twice */
    assert_int_equal(plan_of(&s, 4, 0).columns, 0);
    q.skew = 10;                        /* hubs are met most often, and are full */
    assert_true(!bn_needs_sparse(&q, 2, 2) && bn_needs_sparse(&q, 2, 1));
    assert_true(bn_needs_sent(&q, 2, 2) == 4 * 10000);
    s.features = 100;
    assert_int_equal(plan_of(&s, 4, 0).columns, 64);
}

/* Seconds of one thread, doc/scale.md. */
static void picking_takes_about_as_long_as_was_measured(void **state)
{
    static const struct { bonsai_method method; double seconds; } measured[] = {
        {BONSAI_METHOD_TREES, 7.0}, {BONSAI_METHOD_KCENTER, 12.4}, {BONSAI_METHOD_HERDING, 7.6},
        {BONSAI_METHOD_PROTOTYPES, 5.4}, {BONSAI_METHOD_PUBLISHED, 20.0},
        {BONSAI_METHOD_RANDOM, 0.05}, {BONSAI_METHOD_AUTO, 6.6}};
    bonsai_shape s = papers();          /* bonsai generate --nodes 100000 */
    bonsai_condense_options c;
    bonsai_plan_options o;
    (void)state;
    s.nodes = 100000;
    s.edges = 400722;
    s.features = 1000;
    s.classes = 7;
    s.nonzeros = 1803324;
    s.train = 60000;
    s.val = 20000;
    s.bytes = 6210016;
    bonsai_plan_options_init(&o);
    o.threads = 1;
    o.condense = &c;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        bonsai_plan p;
        if (!has_method(measured[i].method))
            continue;
        bonsai_plan_init(&p);
        bonsai_condense_options_init(&c);
        c.method = measured[i].method;
        c.ratio = 0.01;
        if (c.method == BONSAI_METHOD_PUBLISHED)
            c.accounting = BONSAI_ACCOUNTING_PAPER_FULL;
        assert_int_equal(bonsai_plan_make(&p, &s, &o), BONSAI_OK);
        const double share = p.seconds_total / measured[i].seconds;
        if (share < 0.4 || share > 2.5)
            fail_msg("%s: %g s planned, %g measured", bonsai_method_name(c.method),
                     p.seconds_total, measured[i].seconds);
    }
}

/* Seconds of a processor at effort 1 for 70 nodes of Cora's public split, on a machine whose
 * products reach 75 GF a second; SFGC and GEOM from a fiftieth of it. */
static void learning_takes_about_as_long_as_was_measured(void **state)
{
    static const struct { bonsai_method method; double seconds; } measured[] = {
        {BONSAI_METHOD_GCOND, 175}, {BONSAI_METHOD_GCOND_X, 32}, {BONSAI_METHOD_DOSCOND, 307},
        {BONSAI_METHOD_SGDD, 390}, {BONSAI_METHOD_EXGC, 167}, {BONSAI_METHOD_GC_SNTK, 1},
        {BONSAI_METHOD_GDEM, 1.7}, {BONSAI_METHOD_GCSR, 66}, {BONSAI_METHOD_SFGC, 735},
        {BONSAI_METHOD_GEOM, 1265}};
    bonsai_shape s;
    bonsai_condense_options c;
    bonsai_plan_options o;
    bonsai_plan base;
    (void)state;
    if (!has_method(BONSAI_METHOD_GCOND))
        skip();
    bonsai_shape_init(&s);
    s.nodes = 2708;
    s.edges = 10556;
    s.features = 1433;
    s.classes = 7;
    s.nonzeros = 49216;
    s.train = 140;
    s.val = 500;
    bonsai_condense_options_init(&c);
    bonsai_plan_options_init(&o);
    c.nodes = 70;
    o.threads = 1;
    o.condense = &c;
    c.method = BONSAI_METHOD_RANDOM;    /* what the process and the graph take in any case */
    bonsai_plan_init(&base);
    assert_int_equal(bonsai_plan_make(&base, &s, &o), BONSAI_OK);
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        bonsai_plan p, half;
        bonsai_plan_init(&p);
        bonsai_plan_init(&half);
        c.method = measured[i].method;
        c.effort = 1;
        assert_int_equal(bonsai_plan_make(&p, &s, &o), BONSAI_OK);
        const double share = p.seconds_total / measured[i].seconds;
        if (share < 0.4 || share > 2.5)
            fail_msg("%s: %g s planned, %g measured", bonsai_method_name(c.method),
                     p.seconds_total, measured[i].seconds);
        const int64_t more = p.most - base.most;
        if (more < 10 << 20 || more > 1 << 30)
            fail_msg("%s: %lld bytes planned", bonsai_method_name(c.method), (long long)more);
        c.effort = 0.5;
        assert_int_equal(bonsai_plan_make(&half, &s, &o), BONSAI_OK);
        assert_true(fabs(half.seconds_learn / p.seconds_learn - 0.5) < 1e-9);
    }
}

static void a_limit_makes_panels_narrow_then_rows_spill(void **state)
{
    const bonsai_shape s = papers();
    const bonsai_plan whole = plan_of(&s, 1, 0);
    int columns = 64;
    (void)state;
    for (int64_t m = whole.most; m > whole.least; m -= (whole.most - whole.least) / 50) {
        const bonsai_plan p = plan_of(&s, 1, m);
        assert_true(p.columns <= columns && p.held <= m && p.columns >= 4);
        assert_true((p.scratch > 0) == (m < whole.most));
        columns = p.columns;
    }
    assert_true(columns < 64);
}

static void few_training_nodes_reach_few_rows(void **state)
{
    bonsai_shape s = papers();
    bonsai_condense_options o;
    (void)state;
    bonsai_condense_options_init(&o);
    bn_needs q = {.s = s, .o = &o, .needs = BN_NEEDS_COVER, .ranks = 4, .threads = 1};
    assert_true(fabs(bn_needs_share(&q, 2) - 0.6) < 1e-9 && bn_needs_share(&q, 0) > 0.999);
    q.needs = BN_NEEDS_JUDGE;           /* 5,000 more are judged on */
    assert_true(fabs(bn_needs_share(&q, 2) - 0.605) < 1e-9);
    q.needs = BN_NEEDS_COVER;
    q.s.train = 100;
    q.s.val = 0;
    assert_true(fabs(bn_needs_share(&q, 2) - 1e-4) < 1e-9);
    assert_true(bn_needs_share(&q, 1) < 0.0022 && bn_needs_share(&q, 1) > 0.002);
    assert_true(bn_needs_halo(&q, 2) < 1e3 && bn_needs_halo(&q, 1) < 2e4);
}

static void a_shape_is_that_of_the_graph(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        bonsai_graph *g = random_graph(seed, 20 + (int64_t)seed, 60, (layout)(seed % LAYOUTS),
                                       seed % 3 ? WITH_ALL : 0);
        bonsai_shape s;
        int64_t train = 0, val = 0, labelled = 0;
        bonsai_shape_init(&s);
        assert_int_equal(bonsai_graph_shape(&s, g), BONSAI_OK);
        assert_int_equal(s.nodes, bonsai_graph_nodes(g));
        assert_int_equal(s.edges, bonsai_graph_edges(g));
        for (int64_t v = 0; v < s.nodes && bn_has(g, BONSAI_SECTION_LABELS); v++) {
            bool known = bonsai_graph_label(g, v) >= 0;
            labelled += known;
            train += known && bn_part(g, v) == BONSAI_PART_TRAIN;
            val += known && bn_part(g, v) == BONSAI_PART_VAL;
        }
        bool split = bn_has(g, BONSAI_SECTION_SPLIT);
        assert_int_equal(s.train, split ? train : labelled * 3 / 5);
        assert_int_equal(s.val, split ? val : labelled / 5);
        bonsai_graph_free(g);
    }
}

static void the_largest_shapes_need_positive_bytes(void **state)
{
    bonsai_shape s = papers();
    (void)state;
    s.features = INT32_MAX;
    for (int sparse = 0; sparse < 2; sparse++) {
        s.nonzeros = sparse ? (int64_t)5e16 : 0;
        s.edges = sparse ? (int64_t)1e17 : 5;
        s.nodes = s.train = sparse ? INT32_MAX : 100000000;
        for (int ranks = 1; ranks <= 1000; ranks *= 1000) {
            const bonsai_plan p = plan_of(&s, ranks, 1 << 30);
            assert_true(p.least > 0 && p.most > 0 && p.held > 0 && p.scratch >= 0 && p.file > 0);
            assert_true(p.wire >= 0 && p.wire_rows >= 0 && p.halo >= 0);
        }
    }
}

static void what_cannot_be_is_refused(void **state)
{
    bonsai_shape s = papers();
    bonsai_plan p;
    bonsai_plan_options o;
    bonsai_condense_options c;
    (void)state;
    bonsai_condense_options_init(&c);
    bonsai_plan_options_init(&o);
    bonsai_plan_init(&p);
    o.ranks = 1000001;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT, "ranks is 1000001");
    o.ranks = 0;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT, "ranks is 0");
    o.ranks = 2;
    o.condense = &c;
    c.method = BONSAI_METHOD_KCENTER;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT,
                 "the method kcenter runs on one rank only: trees, random, prototypes and auto");
    o.condense = NULL;
    o.ranks = 1;
    o.memory = -1;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT, "memory is -1; it must be at least 0");
    o.memory = 0;
    s.train = 0;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT, "0 training nodes");
    s.train = 5;
    s.edges = INT64_MAX;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT, "more than any file holds");
    s.edges = 5;
    s.features = INT64_MAX;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT, "cannot be condensed");
    s.features = 5;
    s.nodes = (int64_t)1 << 40;
    assert_fails(bonsai_plan_make(&p, &s, &o), BONSAI_E_ARGUMENT, "cannot be condensed");
}

/* ---- what condensing itself says ---- */

static bonsai_graph *generated(int i)
{
    static const double all[3] = {50, 10, 30};
    bonsai_generate_options o;
    bonsai_graph *g = NULL, *split = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 200 + 173 * i;
    o.features = 20 + 61 * i;
    o.classes = 2 + i;
    o.dense = i % 2;
    o.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    if (i % 3 == 1) {
        assert_int_equal(bonsai_graph_split(&split, g, all, 3), BONSAI_OK);
        bonsai_graph_free(g);
        g = split;
    } else if (i % 3 == 2) {            /* none: one is drawn */
        bonsai_view v = *bonsai_graph_view(g);
        v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
        assert_int_equal(bonsai_graph_new(&split, &v, 1), BONSAI_OK);
        bonsai_graph_free(g);
        g = split;
    }
    return g;
}

static bonsai_condense_options asked(int m, int i)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = (bonsai_method)m;
    o.threads = 1 + i % 2;
    o.effort = 0.001;
    if (m != BONSAI_METHOD_PUBLISHED) {
        o.layers = 1 + i % 3;
        o.k = 5 + i;
    } else {
        o.accounting = BONSAI_ACCOUNTING_PAPER_FULL;
        o.layers = 1;
        o.sample = -1;
    }
    if (i % 3 == 0)
        o.ratio = 0.05;
    else if (i % 3 == 1 && m != BONSAI_METHOD_PUBLISHED)
        o.nodes = 12;
    else
        o.bytes = 20000;
    return o;
}

static int64_t least_of(const bonsai_graph *g, const bonsai_condense_options *c)
{
    bonsai_shape s;
    bonsai_plan p;
    bonsai_plan_options o;
    bonsai_shape_init(&s);
    bonsai_plan_init(&p);
    bonsai_plan_options_init(&o);
    o.condense = c;
    o.threads = c->threads;
    assert_int_equal(bonsai_graph_shape(&s, g), BONSAI_OK);
    if (bonsai_plan_make(&p, &s, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return p.least;
}

/* The number in condense's refusal of so little memory; 0: it was not refused. */
static int64_t refusal(const bonsai_graph *g, bonsai_condense_options o, int64_t memory)
{
    static const char words[] = "is too little to condense it: at least ";
    bonsai_graph *small = NULL;
    o.memory = memory;
    const bonsai_status rc = bonsai_condense(&small, NULL, g, &o);
    const char *at = rc == BONSAI_E_ARGUMENT ? strstr(bonsai_error(), words) : NULL;
    bonsai_graph_free(small);
    char unit[8] = "";
    long long least = 0;
    if (at && (sscanf(at + sizeof words - 1, "%lld %7s", &least, unit) != 2 || strcmp(unit, "MiB")))
        fail_msg("%s", bonsai_error());
    return (int64_t)least << 20;
}

static void condensing_refuses_what_a_plan_calls_too_little(void **state)
{
    (void)state;
#ifdef SANITIZED
    skip();                     /* what a sanitizer holds grows from call to call */
#endif
    for (int i = 0; i < 6; i++) {
        bonsai_graph *g = generated(i);
        for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
            if (!has_method((bonsai_method)m))
                continue;
            const bonsai_condense_options o = asked(m, i);
            const int64_t least = least_of(g, &o), told = refusal(g, o, 1);
            if (told != least)
                fail_msg("graph %d, %s: a plan says %lld, condensing %lld", i,
                         bonsai_method_name(o.method), (long long)least, (long long)told);
            assert_int_equal(refusal(g, o, least - ((int64_t)3 << 20)), least);
        }
        bonsai_graph_free(g);
    }
}

static void what_a_plan_calls_enough_is_enough(void **state)
{
    static const bonsai_method methods[] = {BONSAI_METHOD_TREES, BONSAI_METHOD_RANDOM,
                                            BONSAI_METHOD_PROTOTYPES, BONSAI_METHOD_AUTO};
    (void)state;
    for (int i = 0; i < 4; i++) {
        bonsai_graph *g = generated(i);
        for (int m = 0; m < 4; m++) {
            const bonsai_condense_options o = asked(methods[m], i);
            assert_int_equal(refusal(g, o, least_of(g, &o)), 0);
        }
        bonsai_graph_free(g);
    }
}

/* Plans count what the process holds, and OpenBLAS may still be starting its threads. */
static int wait_for_threads(void **state)
{
    (void)state;
    int64_t before = -1;
    for (int same = 0; same < 20; usleep(5000)) {
        int64_t now = bn_memory_private();
        same = now == before ? same + 1 : 0;
        before = now;
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_sends_nothing),
        cmocka_unit_test(more_ranks_need_less_memory_each_and_more_wire),
        cmocka_unit_test(a_dense_graph_in_random_order_exchanges_nearly_all_rows),
        cmocka_unit_test(sparse_rows_are_sent_by_their_entries),
        cmocka_unit_test(picking_takes_about_as_long_as_was_measured),
        cmocka_unit_test(learning_takes_about_as_long_as_was_measured),
        cmocka_unit_test(a_limit_makes_panels_narrow_then_rows_spill),
        cmocka_unit_test(few_training_nodes_reach_few_rows),
        cmocka_unit_test(a_shape_is_that_of_the_graph),
        cmocka_unit_test(the_largest_shapes_need_positive_bytes),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(condensing_refuses_what_a_plan_calls_too_little),
        cmocka_unit_test(what_a_plan_calls_enough_is_enough),
    };
    return cmocka_run_group_tests(tests, wait_for_threads, NULL);
}
