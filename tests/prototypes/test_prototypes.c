/* test_prototypes.c -- synthetic nodes: their bytes, where they come from, what they say.
 *
 * SPDX-License-Identifier: MIT */
#include "record/record.h"
#include "prototyping.h"

/* ---- what holds for any graph of prototypes ---- */

/* A self loop each, or none, or pairs, the second of which has one. */
static void assert_edges(const bonsai_graph *small)
{
    int64_t nodes = small->view.nodes, first = labelled_nodes(small), alone = !small->view.flags;
    assert_true(first == nodes || 2 * first == nodes);
    for (int64_t v = 0; v < nodes; v++) {
        const int32_t *to = bn_neighbors(small) + bn_row_begin(small, v);
        int64_t count = bn_row_begin(small, v + 1) - bn_row_begin(small, v);
        assert_int_equal(count, first < nodes ? (v < first ? 1 : 2) : !alone);
        assert_true(first < nodes || alone || to[0] == v);
        assert_true(first == nodes || to[0] == (v < first ? v + first : v - first));
        assert_true(first == nodes || v < first || to[1] == v);
    }
}

static void assert_labels(const bonsai_graph *small, const bonsai_graph *g)
{
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    const uint8_t *role = small->view.section[BONSAI_SECTION_ROLE].data;
    const uint8_t *soft = small->view.section[BONSAI_SECTION_SOFT_LABELS].data;
    int64_t classes = small->view.classes, first = labelled_nodes(small);
    bool few = 4 * training_nodes(g) < g->view.nodes;
    for (int64_t v = 0; v < small->view.nodes; v++) {
        assert_int_equal(role[v], BONSAI_ROLE_PROTOTYPE);
        assert_int_equal(bn_part(g, origin[v]), BONSAI_PART_TRAIN);
        assert_int_equal(origin[v], origin[v % first]);
        if (v >= first)
            continue;
        assert_int_equal(bn_label(small, v), bn_label(g, origin[v]));
        for (int64_t u = 0; u < v && !few; u++)
            assert_int_not_equal(origin[u], origin[v]);
        int sum = 0;
        for (int64_t k = 0; soft && k < classes; k++)
            sum += soft[v * classes + k];
        assert_true(!soft || sum == 255);
        assert_true(!soft || few || soft[v * classes + bn_label(small, v)] >= 127);
    }
    assert_true(!bn_has(small, BONSAI_SECTION_SPLIT) && !bn_has(small, BONSAI_SECTION_EDGE_WEIGHTS));
}

/* Each training node is a member of one prototype of its class, the origin among them. */
static void assert_members(const bonsai_graph *small, const bonsai_graph *g, bool all)
{
    const bonsai_array *offsets = &small->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    const uint32_t *member = small->view.section[BONSAI_SECTION_MEMBERS].data;
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    const bonsai_array *weight = &small->view.section[BONSAI_SECTION_NODE_WEIGHTS];
    int of[64] = {0};
    int64_t sum = 0, least = INT64_MAX, most = 0;
    for (int64_t v = 0; v < small->view.nodes; v++) {
        int64_t begin = bn_int_at(offsets, v), end = bn_int_at(offsets, v + 1);
        bool there = false;
        for (int64_t i = begin; i < end; i++) {
            assert_int_equal(of[member[i]]++, 0);
            assert_true(i == begin || member[i] > member[i - 1]);
            assert_int_equal(bn_part(g, member[i]), BONSAI_PART_TRAIN);
            assert_int_equal(bn_label(g, member[i]), bn_label(small, v));
            there |= member[i] == origin[v];
        }
        assert_true(there);
        sum += end - begin;
        least = end - begin < least ? end - begin : least;
        most = end - begin > most ? end - begin : most;
        if (weight->data)
            assert_true(bn_real_at(weight, v) == (float)(end - begin));
    }
    assert_true(!all || sum == training_nodes(g));
    assert_true(!weight->data || least < most);
}

static void assert_info(const bonsai_condense_info *i, const bonsai_graph *small,
                        const bonsai_graph *g)
{
    assert_int_equal(i->method, BONSAI_METHOD_PROTOTYPES);
    assert_int_equal(i->nodes, small->view.nodes);
    assert_int_equal(i->labelled, labelled_nodes(small));
    assert_int_equal(i->roots, 0);
    assert_true(i->bytes == size_in(small, BONSAI_ACCOUNTING_STRICT));
    assert_true(i->bytes == counted_in_file(small));
    assert_true(bn_fact(i, BN_FACT_PAPER_BYTES) == size_in(small, BONSAI_ACCOUNTING_PAPER_CONDENSED));
    assert_true(i->full_bytes == size_in(g, BONSAI_ACCOUNTING_STRICT));
    assert_true(i->ratio == i->bytes / i->full_bytes && bn_fact(i, BN_FACT_LOSSLESS_RATIO) >= i->ratio);
    assert_true(i->probe == -1 || (i->probe >= 0 && i->probe <= 100));
    assert_true(i->coverage == -1 && bn_fact(i, BN_FACT_COVERAGE_BOUND) == -1 && bn_fact(i, BN_FACT_PROBE_OTHER) == -1);
    assert_true(bn_fact(i, BN_FACT_MEASURED) == 0);
}

static void nothing_is_over_budget_and_every_report_is_true(void **state)
{
    (void)state;
    int made = 0, refused = 0, used = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = case_graph(seed), *small = NULL;
        bonsai_condense_options o;
        bonsai_condense_info i;
        uint64_t s = seed;
        small_options(&o, seed);
        int kind = random_below(&s, 4);
        bool strict = o.accounting == BONSAI_ACCOUNTING_STRICT;
        o.ratio = kind == 0 ? 0.02 + 0.5 * fabs((double)random_real(&s)) : 0;
        o.bytes = kind == 1 ? 5 + random_below(&s, 1 << random_below(&s, 11)) : 0;
        o.nodes = kind == 2 ? 1 + random_below(&s, 20) : 0;
        o.trees = kind == 3 ? 1 + random_below(&s, 6) : 0;
        bonsai_condense_info_init(&i);
        if (training_nodes(g) == 0)
            goto next;
        if (bonsai_condense(&small, &i, g, &o) != BONSAI_OK) {
            assert_fails(BONSAI_E_ARGUMENT, BONSAI_E_ARGUMENT, "is too small");
            assert_true(kind < 2);
            refused++;
            goto next;
        }
        made++;
        assert_int_equal(bonsai_graph_check(small, NULL), BONSAI_OK);
        assert_edges(small);
        assert_labels(small, g);
        assert_info(&i, small, g);
        assert_int_equal(bn_has(small, BONSAI_SECTION_MEMBERS), o.members);
        if (o.members)
            assert_members(small, g, has_every_class(small, g));
        assert_true(!o.hard_labels || !bn_has(small, BONSAI_SECTION_SOFT_LABELS));
        if (kind < 2) {
            double bytes = strict ? i.bytes : bn_fact(&i, BN_FACT_PAPER_BYTES);
            assert_true(bytes <= bn_fact(&i, BN_FACT_BUDGET));
            used += bytes >= 0.9 * bn_fact(&i, BN_FACT_BUDGET);
        }
        assert_true(kind != 2 || i.nodes <= o.nodes);
        assert_true(kind != 3 || i.nodes <= o.trees);
    next:
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
    assert_true(made > 120 && refused > 4 && used > 10);
}

/* What the probe says of the best candidate does not fall by more than its noise as the budget
 * grows. */
static void more_budget_is_no_worse(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        if (cases_to_run(8) < 8 && k % 2 != k / 2 % 2)      /* each way with one of the layouts */
            continue;
        bonsai_graph *g = generated(1500, k % 2);
        double best = 0;
        for (int step = 0; step < 5; step++) {
            bonsai_condense_options o;
            bonsai_condense_info i;
            bonsai_condense_options_init(&o);
            o.method = BONSAI_METHOD_PROTOTYPES;
            o.threads = 1;
            o.no_training = 1;      /* which compares families by another measure */
            o.ratio = 0.01 * pow(3, step);
            o.hard_labels = k / 2 == 1;
            o.no_validation = k / 2 == 2;
            o.members = k / 2 == 3;
            bonsai_graph *small = condensed(&i, g, &o);
            assert_true(i.bytes <= bn_fact(&i, BN_FACT_BUDGET) && has_every_class(small, g));
            assert_true(i.probe >= best - 2);
            best = i.probe > best ? i.probe : best;
            bonsai_graph_free(small);
        }
        bonsai_graph_free(g);
    }
}

/* 100 soft labels of 100 classes are more than 10,000 bytes. */
static void where_soft_labels_do_not_fit_labels_are_hard(void **state)
{
    (void)state;
    bonsai_generate_options how;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&how);
    how.nodes = 1500;
    how.features = 20;
    how.classes = 100;
    how.words = 5;
    assert_int_equal(bonsai_graph_generate(&g, &how), BONSAI_OK);
    for (int k = 0; k < 6; k++) {
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = k % 2 ? BONSAI_METHOD_AUTO : BONSAI_METHOD_PROTOTYPES;
        o.threads = 1;
        o.bytes = k < 4 ? 10000 : 200;
        o.no_validation = k / 2 == 1;
        bonsai_graph *small = condensed(&i, g, &o);
        assert_int_equal(i.method, BONSAI_METHOD_PROTOTYPES);
        assert_false(bn_has(small, BONSAI_SECTION_SOFT_LABELS));
        assert_true(i.bytes <= bn_fact(&i, BN_FACT_BUDGET));
        assert_true(i.probe > 0);
        assert_true(k > 3 || has_every_class(small, g));
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

/* ---- values ---- */

static double distance(const bonsai_graph *g, int64_t node, const double *from)
{
    double sum = 0;
    float row[16];
    bonsai_graph_row(row, g, node);
    for (int64_t j = 0; j < g->view.features; j++)
        sum += ((double)row[j] - from[j]) * ((double)row[j] - from[j]);
    return sum;
}

/* With no rounds of averaging a prototype is the mean of its members' features, to eight bits. */
static void rows_are_means_of_members_and_origins_the_nearest(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        bonsai_condense_info i;
        bn_record made;
        small_options(&o, 2);
        o.layers = 0;
        o.hard_labels = 1;              /* no classifier */
        o.nodes = 1 + (int64_t)(seed % 12);
        if (training_nodes(g) == 0) {
            bonsai_graph_free(g);
            continue;
        }
        bonsai_graph *small = condensed(&i, g, &o);
        assert_int_equal(bn_record_read(&made, small), BONSAI_OK);
        bool plain = strcmp(made.rows, "mixed") != 0;   /* nothing of neighbours in them */
        const bonsai_array *offsets = &small->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
        const uint32_t *member = small->view.section[BONSAI_SECTION_MEMBERS].data;
        const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
        int64_t f = g->view.features;
        for (int64_t v = 0; v < small->view.nodes; v++) {
            double mean[16] = {0}, most = 0, stored[16];
            float row[16];
            int64_t begin = bn_int_at(offsets, v), end = bn_int_at(offsets, v + 1);
            for (int64_t e = begin; e < end; e++) {
                bonsai_graph_row(row, g, member[e]);
                for (int64_t j = 0; j < f; j++)
                    mean[j] += (double)row[j] / (double)(end - begin);
            }
            bonsai_graph_row(row, small, v);
            for (int64_t j = 0; j < f; j++) {
                most = fmax(most, fabs(mean[j]));
                stored[j] = (double)row[j];
            }
            double near = distance(g, origin[v], stored);
            for (int64_t e = begin; plain && e < end; e++)
                assert_true(near <= distance(g, member[e], stored) * (1 + 1e-4) + 1e-6);
            for (int64_t j = 0; plain && j < f; j++)
                assert_true(fabs(mean[j] - (double)row[j]) <= most * (0.5 / 127 + 1e-4));
        }
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

static void many_ratios_give_what_each_gives_alone(void **state)
{
    (void)state;
    const double ratios[3] = {0.05, 0.01, 0.03};
    bonsai_graph *g = generated(600, 0), *out[3];
    bonsai_condense_options o;
    bonsai_condense_info info[3], i;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.threads = 1;
    for (int k = 0; k < 3; k++)
        bonsai_condense_info_init(&info[k]);
    assert_int_equal(bonsai_condense_many(out, info, ratios, 3, g, &o), BONSAI_OK);
    for (int k = 0; k < 3; k++) {
        o.ratio = ratios[k];
        bonsai_graph *one = condensed(&i, g, &o);
        assert_same_file(one, out[k]);
        assert_true(i.probe == info[k].probe);
        bonsai_graph_free(one);
        bonsai_graph_free(out[k]);
    }
    bonsai_graph_free(g);
}

/* ---- progress and memory ---- */

typedef struct { int calls, stop_at; uint64_t last; } watched;

static int watch(const bonsai_progress *p, void *payload)
{
    watched *w = payload;
    assert_true(p->done <= p->total);
    if (strcmp(p->stage, "prototypes") == 0) {
        assert_true(p->done >= w->last);
        w->last = p->done;
    }
    return w->calls++ == w->stop_at;
}

static void every_tick_can_cancel(void **state)
{
    (void)state;
    for (uint64_t seed = 8; seed < 14; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        watched all = {0, -1, 0};
        small_options(&o, seed);
        o.ratio = 0.5;
        o.progress = watch;
        o.payload = &all;
        int64_t before = bn_mem_live();
        if (training_nodes(g) >= 2) {
            assert_int_equal(try_with(g, &o), BONSAI_OK);
            assert_int_equal(all.last, 1000);
            for (int stop = 0; stop < all.calls; stop++) {
                watched w = {0, stop, 0};
                o.payload = &w;
                assert_fails(try_with(g, &o), BONSAI_E_CANCELED, "canceled during");
                assert_int_equal(bn_mem_live(), before);
            }
        }
        bonsai_graph_free(g);
    }
}

typedef struct { const bonsai_graph *g; bonsai_condense_options o; } asked;

static bonsai_status condense_once(void *payload)
{
    asked *a = payload;
    return try_with(a->g, &a->o);
}

static void prototypes_survive_failed_allocations(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 8; seed++) {
        bonsai_graph *g = case_graph(seed + 20);
        asked a = {g, {0}};
        small_options(&a.o, seed);
        if (seed % 2)
            a.o.bytes = 150;
        else
            a.o.ratio = 0.5;
        a.o.members = 1;
        a.o.select_features = seed == 4;
        if (training_nodes(g) >= 6)
            survives_failed_allocations(condense_once, &a, 30);
        bonsai_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_over_budget_and_every_report_is_true),
        cmocka_unit_test(more_budget_is_no_worse),
        cmocka_unit_test(where_soft_labels_do_not_fit_labels_are_hard),
        cmocka_unit_test(rows_are_means_of_members_and_origins_the_nearest),
        cmocka_unit_test(many_ratios_give_what_each_gives_alone),
        cmocka_unit_test(every_tick_can_cancel),
        cmocka_unit_test(prototypes_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
