/* test_explain.c -- the most telling of a node's classes, nodes and features, against plain sorting.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "condensing.h"
#include "pairing.h"

enum { FEATURES = 40, CLASSES = 14 };

static bonsai_graph *generated(int dense)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 400;
    o.features = FEATURES;
    o.classes = CLASSES;
    o.dense = dense;
    o.difficulty = 0.7;         /* soft labels of several classes */
    o.threads = 1;
    if (bonsai_graph_generate(&g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static bonsai_graph *made(const bonsai_graph *g, bonsai_method method)
{
    bonsai_condense_options o;
    bonsai_condense_info info;
    bonsai_condense_options_init(&o);
    o.method = method;
    o.nodes = 30;
    o.members = 1;
    o.select_features = 1;
    o.threads = 1;
    return condensed(&info, g, &o);
}

static bonsai_why told(const bonsai_graph *small, int64_t node, const bonsai_graph *full)
{
    bonsai_why w;
    bonsai_why_init(&w);
    if (bonsai_condense_explain(&w, small, node, full, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return w;
}

/* How many of count values are larger in size than one, or as large and before it. */
static int64_t rank_of(const double *value, int64_t count, int64_t one)
{
    int64_t before = 0;
    for (int64_t i = 0; i < count; i++)
        before += value[i] != 0 && (fabs(value[i]) > fabs(value[one]) ||
                                    (fabs(value[i]) == fabs(value[one]) && i < one));
    return before;
}

static void shares_are_the_largest_ones(void **state)
{
    (void)state;
    bonsai_graph *g = generated(0), *small = made(g, BONSAI_METHOD_PROTOTYPES);
    int64_t most = 0;
    for (int64_t v = 0; v < small->view.nodes; v++) {
        float soft[CLASSES];
        double wide[CLASSES];
        int64_t there = 0;
        bonsai_why w = told(small, v, NULL);
        bonsai_graph_soft_label(soft, small, v);
        for (int c = 0; c < CLASSES; c++) {
            wide[c] = (double)soft[c];
            there += soft[c] > 0;
        }
        assert_int_equal(w.shares, there < BONSAI_WHY_ROOM ? there : BONSAI_WHY_ROOM);
        for (int64_t i = 0; i < w.shares; i++) {
            assert_int_equal(rank_of(wide, CLASSES, w.share_class[i]), i);
            assert_true((float)w.share[i] == soft[w.share_class[i]]);
        }
        most = w.shares > most ? w.shares : most;
    }
    assert_true(most > 1);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Mean and standard deviation of each feature over the nodes that count. */
static void measure(double *mean, double *spread, const bonsai_graph *g, bool labelled)
{
    float row[FEATURES];
    double nodes = 0;
    memset(mean, 0, FEATURES * sizeof *mean);
    memset(spread, 0, FEATURES * sizeof *spread);
    for (int64_t v = 0; v < g->view.nodes; v++) {
        if (labelled && bn_label(g, v) < 0)
            continue;
        bonsai_graph_row(row, g, v);
        nodes++;
        for (int64_t j = 0; j < g->view.features; j++) {
            mean[j] += (double)row[j];
            spread[j] += (double)row[j] * (double)row[j];
        }
    }
    for (int64_t j = 0; j < g->view.features; j++) {
        mean[j] /= nodes;
        spread[j] = sqrt(fmax(spread[j] / nodes - mean[j] * mean[j], 0));
    }
}

static void check_features(const bonsai_why *w, const bonsai_graph *small, int64_t v,
                           const bonsai_graph *full)
{
    float row[FEATURES];
    double value[FEATURES], mean[FEATURES], spread[FEATURES], least = 0;
    const int64_t f = small->view.features;
    const uint32_t *kept = small->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    int64_t there = 0, place[FEATURES];
    measure(mean, spread, full ? full : small, !full);
    bonsai_graph_row(row, small, v);
    for (int64_t j = 0; j < f; j++) {
        place[j] = full && kept ? (int64_t)kept[j] : j;
        least += spread[place[j]] / (double)f;
    }
    for (int64_t j = 0; j < f; j++) {
        there += row[j] != 0;
        value[j] = row[j] == 0 ? 0 : ((double)row[j] - mean[place[j]]) / fmax(spread[place[j]], least);
    }
    assert_int_equal(w->features_set, there);
    assert_int_equal(w->features, there < BONSAI_WHY_ROOM ? there : BONSAI_WHY_ROOM);
    for (int64_t i = 0, j = 0; i < w->features; i++, j = 0) {
        while ((kept ? (int64_t)kept[j] : j) != w->feature[i])
            j++;
        assert_int_equal(rank_of(value, f, j), i);
        assert_true(w->value[i] == (double)row[j]);
        assert_true(fabs(w->above_mean[i] - ((double)row[j] - mean[place[j]])) < 1e-9);
        assert_true(fabs(w->deviations[i] - value[j]) < 1e-6 * (1 + fabs(value[j])));
    }
}

static void features_are_the_strongest_ones(void **state)
{
    (void)state;
    static const bonsai_method methods[] = {BONSAI_METHOD_PROTOTYPES, BONSAI_METHOD_TREES};
    for (int k = 0; k < 4; k++) {
        bonsai_graph *g = generated(k / 2), *small = made(g, methods[k % 2]);
        for (int64_t v = 0; v < small->view.nodes; v += 5) {
            bonsai_why alone = told(small, v, NULL), beside = told(small, v, g);
            check_features(&alone, small, v, NULL);
            check_features(&beside, small, v, g);
        }
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

static void nodes_are_the_members_or_the_nearest_of_them(void **state)
{
    (void)state;
    bonsai_graph *g = generated(1), *small = made(g, BONSAI_METHOD_PROTOTYPES);
    for (int64_t v = 0; v < small->view.nodes; v++) {
        int64_t count, found;
        int32_t near[BONSAI_WHY_ROOM];
        float distance[BONSAI_WHY_ROOM];
        const int32_t *member = bonsai_graph_members(&count, small, v);
        bonsai_why alone = told(small, v, NULL), beside = told(small, v, g);
        assert_int_equal(alone.members, count);
        assert_int_equal(alone.nodes, count < BONSAI_WHY_ROOM ? count : BONSAI_WHY_ROOM);
        assert_int_equal(bonsai_condense_nearest(near, distance, &found, BONSAI_WHY_ROOM, small, v,
                                                 g, NULL), BONSAI_OK);
        assert_int_equal(beside.nodes, found);
        for (int64_t i = 0; i < alone.nodes; i++) {
            assert_int_equal(alone.node[i], member[i]);
            assert_true(alone.distance[i] == -1);
            assert_int_equal(beside.node[i], near[i]);
            assert_true(beside.distance[i] == (double)distance[i]);
        }
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void the_nodes_of_a_pair_name_each_other(void **state)
{
    (void)state;
    bonsai_graph *g = generated(1), *plain = made(g, BONSAI_METHOD_PROTOTYPES);
    bonsai_graph *picked = made(g, BONSAI_METHOD_TREES), *small = paired(plain);
    const int64_t n = plain->view.nodes;
    for (int64_t v = 0; v < n; v++) {
        const bonsai_why first = told(small, v, NULL), second = told(small, n + v, NULL);
        assert_int_equal(told(plain, v, NULL).partner, -1);
        assert_int_equal(first.partner, n + v);
        assert_int_equal(second.partner, v);
        assert_int_equal(second.label, -1);
        assert_int_equal(second.nodes, 0);
        assert_true(second.features > 0);
    }
    for (int64_t v = 0; v < picked->view.nodes; v++)
        assert_int_equal(told(picked, v, NULL).partner, -1);
    bonsai_graph_free(small);
    bonsai_graph_free(picked);
    bonsai_graph_free(plain);
    bonsai_graph_free(g);
}

/* ---- origins ---- */

typedef struct { int members, few, rounds, dense; } way;

static bonsai_graph *made_by(const bonsai_graph *g, const way *w, bonsai_method method)
{
    bonsai_condense_options o;
    bonsai_condense_info info;
    bonsai_condense_options_init(&o);
    o.method = method;
    o.nodes = 40;
    o.members = w->members;
    o.layers = w->rounds;
    o.threads = 1;
    if (w->few) {                               /* nodes without a label take part */
        o.split[0] = 5;
        o.split[1] = o.split[2] = 20;
    }
    return condensed(&info, g, &o);
}

/* The nearest of the nodes that a prototype stands for is its origin. */
static int64_t check_origins(const bonsai_graph *small, const bonsai_graph *g)
{
    int64_t checked = 0;
    for (int64_t v = 0; v < small->view.nodes; v++) {
        const bonsai_why w = told(small, v, g);
        if (w.role != BONSAI_ROLE_PROTOTYPE || w.label < 0)
            continue;
        assert_true(w.nodes > 0);
        assert_int_equal(w.node[0], w.origin);
        for (int64_t i = 1; i < w.nodes; i++)
            assert_true(w.distance[i - 1] <= w.distance[i]);
        checked++;
    }
    return checked;
}

static void the_origin_is_the_nearest_node(void **state)
{
    (void)state;
    static const bonsai_method methods[] = {BONSAI_METHOD_PROTOTYPES, BONSAI_METHOD_AUTO};
    for (int k = 0; k < 32; k++) {
        const way w = {k & 1, k >> 1 & 1, k >> 2 & 1 ? 2 : 0, k >> 3 & 1};
        bonsai_graph *g = generated(w.dense), *small = made_by(g, &w, methods[k >> 4]);
        const int64_t checked = check_origins(small, g);
        assert_true(methods[k >> 4] == BONSAI_METHOD_AUTO || checked >= 10);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

/* Nodes of a part of a graph have their numbers in the whole of it. */
static void the_origin_is_found_in_a_part_of_a_graph(void **state)
{
    (void)state;
    bonsai_graph *g = generated(1), *half = NULL;
    int32_t nodes[200];
    for (int i = 0; i < 200; i++)
        nodes[i] = 399 - i;
    assert_int_equal(bonsai_graph_induce(&half, g, nodes, 200), BONSAI_OK);
    for (int members = 0; members < 2; members++) {
        bonsai_graph *small = made_by(half, &(way){.members = members, .rounds = 2},
                                      BONSAI_METHOD_PROTOTYPES);
        for (int64_t v = 0; v < small->view.nodes; v++) {
            bonsai_why w = told(small, v, half);
            if (w.label >= 0)
                assert_int_equal(bonsai_graph_origin(half, w.node[0]), w.origin);
        }
        bonsai_graph_free(small);
    }
    bonsai_graph_free(half);
    bonsai_graph_free(g);
}

static void another_graph_is_refused(void **state)
{
    (void)state;
    bonsai_graph *g = generated(1), *small = made(g, BONSAI_METHOD_PROTOTYPES);
    bonsai_graph *other = generated(0);
    bonsai_why w;
    bonsai_why_init(&w);
    assert_fails(bonsai_condense_explain(&w, small, 0, other, NULL), BONSAI_E_ARGUMENT,
                 "generated: was not made of generated: the checksum");
    assert_fails(bonsai_condense_explain(&w, small, 30, g, NULL), BONSAI_E_ARGUMENT,
                 "node 30 is outside 0..29");
    assert_fails(bonsai_condense_explain(&w, g, 0, small, NULL), BONSAI_E_ARGUMENT,
                 "is not a condensed graph");
    bonsai_graph_free(small);
    bonsai_graph_free(other);
    bonsai_graph_free(g);
}

typedef struct {
    bonsai_graph *small, *full;
} pair;

static bonsai_status explain(void *payload)
{
    const pair *p = payload;
    bonsai_why w;
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.threads = 1;
    bonsai_why_init(&w);
    return bonsai_condense_explain(&w, p->small, 1, p->full, &o);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    pair p = {.full = generated(1)};
    p.small = made(p.full, BONSAI_METHOD_PROTOTYPES);
    survives_failed_allocations(explain, &p, 10);
    bonsai_graph_free(p.small);
    bonsai_graph_free(p.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_the_largest_ones),
        cmocka_unit_test(features_are_the_strongest_ones),
        cmocka_unit_test(nodes_are_the_members_or_the_nearest_of_them),
        cmocka_unit_test(the_nodes_of_a_pair_name_each_other),
        cmocka_unit_test(the_origin_is_the_nearest_node),
        cmocka_unit_test(the_origin_is_found_in_a_part_of_a_graph),
        cmocka_unit_test(another_graph_is_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
