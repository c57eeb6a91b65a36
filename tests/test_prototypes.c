/* test_prototypes.c -- synthetic nodes: their bytes, where they come from, what they say.
 *
 * SPDX-License-Identifier: MIT */
#include "condensing.h"

#include <stdio.h>

#include "condense/candidate.h"

static void small_options(bonsai_condense_options *o, uint64_t seed)
{
    bonsai_condense_options_init(o);
    o->method = BONSAI_PROTOTYPES;
    o->accounting = seed / 2 % 2 ? BONSAI_PAPER_FULL : BONSAI_STRICT;
    o->layers = (int)(seed % 4);
    o->hard_labels = seed % 5 == 0;
    o->no_validation = seed % 3 == 0;
    o->inductive = seed % 7 == 0;
    o->members = seed % 2 == 0;
    o->threads = 1;
    o->seed = seed;
}

static uint64_t number(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes-- > 0)
        v = v << 8 | p[bytes];
    return v;
}

/* The length of the counted sections in a native file. */
static double counted_in_file(const bonsai_graph *g)
{
    static const int width[] = {0, 1, 2, 4, 8, 1, 2, 4};
    size_t len;
    uint8_t *file = saved(&len, g);
    double sum = 0;
    for (uint64_t i = 0; i < number(file + 24, 4); i++) {
        const uint8_t *entry = file + 64 + 32 * i;
        if (number(entry, 4) <= 12)
            sum += (double)number(entry + 16, 8) * width[number(entry + 4, 4)];
    }
    free(file);
    return sum;
}

static bonsai_graph *generated(int64_t nodes, int dense)
{
    bonsai_generate_options how;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&how);
    how.nodes = nodes;
    how.features = 60;
    how.classes = 4;
    how.words = 8;
    how.dense = dense;
    if (bonsai_graph_generate(&g, &how) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

/* ---- what holds for any graph of prototypes ---- */

static void assert_loops(const bonsai_graph *small)
{
    assert_int_equal(small->view.flags, BONSAI_SELF_LOOPS);
    assert_int_equal(bonsai_graph_edges(small), small->view.nodes);
    for (int64_t v = 0; v < small->view.nodes; v++) {
        assert_int_equal(bn_row_begin(small, v), v);
        assert_int_equal(bn_neighbors(small)[v], v);
    }
}

static void assert_labels(const bonsai_graph *small, const bonsai_graph *g)
{
    const uint32_t *origin = small->view.section[BONSAI_ORIGIN].data;
    const uint8_t *role = small->view.section[BONSAI_ROLE].data;
    const uint8_t *soft = small->view.section[BONSAI_SOFT_LABELS].data;
    int64_t classes = small->view.classes;
    for (int64_t v = 0; v < small->view.nodes; v++) {
        assert_int_equal(role[v], BONSAI_PROTOTYPE);
        assert_int_equal(bn_part(g, origin[v]), BONSAI_TRAIN);
        assert_int_equal(bn_label(small, v), bn_label(g, origin[v]));
        for (int64_t u = 0; u < v; u++)
            assert_int_not_equal(origin[u], origin[v]);
        int sum = 0;
        for (int64_t k = 0; soft && k < classes; k++)
            sum += soft[v * classes + k];
        assert_true(!soft || sum == 255);
        assert_true(!soft || soft[v * classes + bn_label(small, v)] >= 127);
    }
    assert_true(!bn_has(small, BONSAI_SPLIT) && !bn_has(small, BONSAI_EDGE_WEIGHTS));
}

/* Each training node is a member of one prototype of its class, the origin among them. */
static void assert_members(const bonsai_graph *small, const bonsai_graph *g, bool all)
{
    const bonsai_array *offsets = &small->view.section[BONSAI_MEMBER_OFFSETS];
    const uint32_t *member = small->view.section[BONSAI_MEMBERS].data;
    const uint32_t *origin = small->view.section[BONSAI_ORIGIN].data;
    const bonsai_array *weight = &small->view.section[BONSAI_NODE_WEIGHTS];
    int of[64] = {0};
    int64_t sum = 0, least = INT64_MAX, most = 0;
    for (int64_t v = 0; v < small->view.nodes; v++) {
        int64_t begin = bn_int_at(offsets, v), end = bn_int_at(offsets, v + 1);
        bool there = false;
        for (int64_t i = begin; i < end; i++) {
            assert_int_equal(of[member[i]]++, 0);
            assert_true(i == begin || member[i] > member[i - 1]);
            assert_int_equal(bn_part(g, member[i]), BONSAI_TRAIN);
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

static bool has_every_class(const bonsai_graph *small, const bonsai_graph *g)
{
    for (int64_t c = 0; c < g->view.classes; c++) {
        bool found = in_class(g, c) == 0;
        for (int64_t v = 0; v < small->view.nodes; v++)
            found |= bn_label(small, v) == c;
        if (!found)
            return false;
    }
    return true;
}

static void assert_info(const bonsai_condense_info *i, const bonsai_graph *small,
                        const bonsai_graph *g)
{
    assert_int_equal(i->method, BONSAI_PROTOTYPES);
    assert_int_equal(i->nodes, small->view.nodes);
    assert_int_equal(i->labelled, small->view.nodes);
    assert_int_equal(i->roots, 0);
    assert_true(i->bytes == size_in(small, BONSAI_STRICT));
    assert_true(i->bytes == counted_in_file(small));
    assert_true(i->paper_bytes == size_in(small, BONSAI_PAPER_CONDENSED));
    assert_true(i->full_bytes == size_in(g, BONSAI_STRICT));
    assert_true(i->ratio == i->bytes / i->full_bytes && i->lossless_ratio >= i->ratio);
    assert_true(i->probe == -1 || (i->probe >= 0 && i->probe <= 100));
    assert_true(i->coverage == -1 && i->coverage_bound == -1 && i->probe_other == -1);
}

/* No node more would fit with a row like the longest. */
static bool no_room(const bonsai_condense_info *i, const bonsai_graph *small, bool strict)
{
    double f = (double)small->view.features, c = (double)small->view.classes;
    double row = strict ? 8 + 1 + c + 2 + 4 + fmin(f, 3 * f + 4) : 2 * (3 * f + c + 4);
    return i->budget - (strict ? i->bytes : i->paper_bytes) < row;
}

/* Whether it has all nodes that it could: fewer than there are training nodes where those are
 * the same. */
static bool has_all(const bonsai_graph *small, const bonsai_graph *g, bonsai_condense_options o)
{
    bonsai_condense_info i;
    o.ratio = 0;
    o.bytes = 1 << 30;
    bonsai_graph *most = condensed(&i, g, &o);
    bool all = most->view.nodes == small->view.nodes;
    bonsai_graph_free(most);
    return all;
}

static void nothing_is_over_budget_and_every_report_is_true(void **state)
{
    (void)state;
    int made = 0, refused = 0, used = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        bonsai_graph *g = case_graph(seed), *small = NULL;
        bonsai_condense_options o;
        bonsai_condense_info i;
        uint64_t s = seed;
        small_options(&o, seed);
        int kind = random_below(&s, 4);
        bool strict = o.accounting == BONSAI_STRICT;
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
        assert_loops(small);
        assert_labels(small, g);
        assert_info(&i, small, g);
        assert_int_equal(bn_has(small, BONSAI_MEMBERS), o.members);
        if (o.members)
            assert_members(small, g, has_every_class(small, g));
        assert_true(!o.hard_labels || !bn_has(small, BONSAI_SOFT_LABELS));
        if (kind < 2) {
            double bytes = strict ? i.bytes : i.paper_bytes;
            assert_true(bytes <= i.budget);
            assert_true(bytes >= 0.95 * i.budget || no_room(&i, small, strict) ||
                        has_all(small, g, o));
            used += bytes >= 0.95 * i.budget;
        }
        assert_true(kind != 2 || i.nodes <= o.nodes);
        assert_true(kind != 3 || i.nodes <= o.trees);
    next:
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
    assert_true(made > 250 && refused > 10 && used > 20);
}

/* On a graph where a node is a small part of the budget. */
static void the_budget_is_used_where_more_helps(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(1500, dense);
        for (int k = 0; k < 12; k++) {
            bonsai_condense_options o;
            bonsai_condense_info i;
            bonsai_condense_options_init(&o);
            o.method = BONSAI_PROTOTYPES;
            o.threads = 1;
            o.accounting = k % 2 ? BONSAI_PAPER_FULL : BONSAI_STRICT;
            o.ratio = 0.01 * pow(1.4, k / 2) * (k % 2 ? 0.3 : 1);
            o.hard_labels = k % 3 == 0;
            o.no_validation = k % 4 == 0;
            bonsai_graph *small = condensed(&i, g, &o);
            double bytes = k % 2 ? i.paper_bytes : i.bytes;
            assert_true(bytes <= i.budget);
            assert_true(bytes >= 0.97 * i.budget || no_room(&i, small, k % 2 == 0));
            assert_true(i.nodes < 30 || bytes >= 0.97 * i.budget);
            assert_true(has_every_class(small, g));
            bonsai_graph_free(small);
        }
        bonsai_graph_free(g);
    }
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
        small_options(&o, 2);
        o.layers = 0;
        o.nodes = 1 + (int64_t)(seed % 12);
        if (training_nodes(g) == 0) {
            bonsai_graph_free(g);
            continue;
        }
        bonsai_graph *small = condensed(&i, g, &o);
        const bonsai_array *offsets = &small->view.section[BONSAI_MEMBER_OFFSETS];
        const uint32_t *member = small->view.section[BONSAI_MEMBERS].data;
        const uint32_t *origin = small->view.section[BONSAI_ORIGIN].data;
        int64_t f = g->view.features;
        for (int64_t v = 0; v < small->view.nodes; v++) {
            double mean[16] = {0}, most = 0;
            float row[16];
            int64_t begin = bn_int_at(offsets, v), end = bn_int_at(offsets, v + 1);
            for (int64_t e = begin; e < end; e++) {
                bonsai_graph_row(row, g, member[e]);
                for (int64_t j = 0; j < f; j++)
                    mean[j] += (double)row[j] / (double)(end - begin);
            }
            double near = distance(g, origin[v], mean);
            for (int64_t e = begin; e < end; e++)
                assert_true(near <= distance(g, member[e], mean) * (1 + 1e-4) + 1e-6);
            bonsai_graph_row(row, small, v);
            for (int64_t j = 0; j < f; j++)
                most = fmax(most, fabs(mean[j]));
            for (int64_t j = 0; j < f; j++)
                assert_true(fabs(mean[j] - (double)row[j]) <= most * (0.5 / 127 + 1e-4));
        }
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

/* Largest remaining deficit, one node at a time, as the text of the method has it. */
static void shares_are_those_of_giving_one_node_at_a_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 300; seed++) {
        uint64_t s = seed;
        int64_t have[9], want[9], slow[9], classes = 1 + random_below(&s, 9), rows = 0, live = 0;
        for (int64_t k = 0; k < classes; k++) {
            have[k] = random_below(&s, 3) ? random_below(&s, 1 << random_below(&s, 8)) : 0;
            rows += have[k];
            live += have[k] > 0;
        }
        int64_t nodes = random_below(&s, 60), given = 0, sum = 0;
        assert_int_equal(bn_clusters_share(want, have, classes, nodes), BONSAI_OK);
        int64_t cap = nodes < rows ? nodes : rows;
        for (int64_t k = 0; k < classes; k++) {
            slow[k] = have[k] > 0;
            given += slow[k];
            sum += want[k];
            assert_true(want[k] <= have[k]);
        }
        assert_int_equal(sum, cap);
        while (given < cap) {
            int64_t best = -1;
            double need = 0;
            for (int64_t k = 0; k < classes; k++) {
                double d = (double)cap * (double)have[k] / (double)rows - (double)slow[k];
                if (slow[k] < have[k] && (best < 0 || d > need + 1e-9)) {
                    best = k;
                    need = d;
                }
            }
            slow[best]++;
            given++;
        }
        for (int64_t k = 0; k < classes && cap >= live; k++)
            assert_int_equal(want[k], slow[k]);
        for (int64_t k = 0; k < classes && cap < live; k++)     /* the largest classes, one each */
            for (int64_t j = 0; j < classes; j++)
                assert_true(want[k] <= 1 && (want[k] >= want[j] || have[k] <= have[j]));
    }
}

static void soft_labels_sum_to_255_and_are_off_by_less_than_one(void **state)
{
    (void)state;
    uint64_t s = 5;
    for (int trial = 0; trial < 2000; trial++) {
        float p[40];
        uint8_t q[40];
        int64_t classes = 1 + random_below(&s, 40), label = random_below(&s, (int)classes);
        double sum = 0, mix = fabs((double)random_real(&s));
        int total = 0;
        for (int64_t k = 0; k < classes; k++)
            sum += p[k] = powf(fabsf(random_real(&s)), 6) + 1e-6f;
        for (int64_t k = 0; k < classes; k++)
            p[k] = (float)((double)p[k] / sum);
        bn_soften(q, (int32_t)label, p, classes, mix);
        for (int64_t k = 0; k < classes; k++) {
            double v = 255 * (mix * (double)p[k] + (k == label ? 1 - mix : 0));
            total += q[k];
            assert_true(fabs((double)q[k] - v) < 1 + 1e-3);
        }
        assert_int_equal(total, 255);
    }
}

/* ---- the same whatever does not matter ---- */

/* The same graph with its features laid out the other way. */
static bonsai_graph *laid_out(const bonsai_graph *g, bool dense)
{
    static float x[64 * 16];
    static uint32_t index[64 * 16];
    uint32_t offsets[65] = {0};
    bonsai_graph *out = NULL;
    bonsai_view v = g->view;
    int64_t n = v.nodes, f = v.features, nnz = 0;
    for (int s = BONSAI_FEATURES; s <= BONSAI_FEATURE_SCALE; s++)
        v.section[s] = (bonsai_array){NULL, 0, BONSAI_NONE};
    for (int64_t i = 0; i < n; i++) {
        float row[16];
        bonsai_graph_row(row, g, i);
        for (int64_t j = 0; j < f; j++) {
            if (dense)
                x[i * f + j] = row[j];
            else if (row[j] != 0 || signbit(row[j])) {
                index[nnz] = (uint32_t)j;
                x[nnz++] = row[j];
            }
        }
        offsets[i + 1] = (uint32_t)nnz;
    }
    if (dense) {
        v.section[BONSAI_FEATURES] = (bonsai_array){x, n * f, BONSAI_F32};
    } else {
        v.section[BONSAI_FEATURE_OFFSETS] = (bonsai_array){offsets, n + 1, BONSAI_U32};
        v.section[BONSAI_FEATURE_INDICES] = (bonsai_array){index, nnz, BONSAI_U32};
        v.section[BONSAI_FEATURE_VALUES] = (bonsai_array){x, nnz, BONSAI_F32};
    }
    if (bonsai_graph_new(&out, &v, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return out;
}

static void the_bytes_do_not_depend_on_threads_or_layout(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        bonsai_graph *g = case_graph(seed), *other[3];
        bonsai_condense_options o;
        bonsai_condense_info i;
        small_options(&o, seed);
        o.ratio = 0.4;
        if (training_nodes(g) < 2) {
            bonsai_graph_free(g);
            continue;
        }
        bonsai_graph *dense = laid_out(g, true), *sparse = laid_out(g, false);
        bonsai_graph *first = condensed(&i, dense, &o);
        other[0] = condensed(&i, sparse, &o);
        o.threads = 3;
        other[1] = condensed(&i, dense, &o);
        other[2] = condensed(&i, sparse, &o);
        for (int k = 0; k < 3; k++) {
            assert_same_file(first, other[k]);
            bonsai_graph_free(other[k]);
        }
        bonsai_graph_free(first);
        bonsai_graph_free(dense);
        bonsai_graph_free(sparse);
        bonsai_graph_free(g);
    }
}

static bonsai_graph *reloaded(const bonsai_graph *g, bonsai_encoding e)
{
    bonsai_graph *out = NULL;
    bonsai_write_options o;
    const char *path = temp_path("layout.bonsai");
    bonsai_write_options_init(&o);
    o.features = e;
    assert_int_equal(bonsai_graph_save(g, path, &o, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&out, path), BONSAI_OK);
    return out;
}

/* 60 words of which a node has few: averaged once they are sparse, averaged twice not. */
static void a_larger_graph_is_the_same_in_any_layout(void **state)
{
    (void)state;
    bonsai_graph *g = generated(1500, 0);
    bonsai_graph *dense = reloaded(g, BONSAI_ENCODE_F32);
    bonsai_graph *sparse = reloaded(g, BONSAI_ENCODE_SPARSE_F32);
    for (int layers = 0; layers < 3; layers++) {
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = BONSAI_PROTOTYPES;
        o.ratio = 0.03;
        o.threads = 1;
        o.layers = layers;
        bonsai_graph *a = condensed(&i, dense, &o), *b = condensed(&i, sparse, &o);
        assert_same_file(a, b);
        bonsai_graph_free(a);
        bonsai_graph_free(b);
    }
    bonsai_graph_free(dense);
    bonsai_graph_free(sparse);
    bonsai_graph_free(g);
}

static void a_larger_graph_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(1500, dense);
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = BONSAI_PROTOTYPES;
        o.ratio = 0.03;
        o.threads = 1;
        o.no_validation = dense;
        bonsai_graph *one = condensed(&i, g, &o);
        o.threads = 3;
        bonsai_graph *three = condensed(&i, g, &o);
        assert_same_file(one, three);
        bonsai_graph_free(one);
        bonsai_graph_free(three);
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
    o.method = BONSAI_PROTOTYPES;
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

/* A copy of g with other labels outside the training part. */
static bonsai_graph *with_other_labels(const bonsai_graph *g, uint64_t seed)
{
    bonsai_graph *out = NULL;
    bonsai_view v = g->view;
    uint32_t *label = calloc((size_t)v.nodes, sizeof *label);
    for (int64_t i = 0; i < v.nodes; i++)
        label[i] = bn_part(g, i) == BONSAI_TRAIN || bn_label(g, i) < 0
                       ? (uint32_t)bn_label(g, i) : (uint32_t)random_below(&seed, (int)v.classes);
    v.section[BONSAI_LABELS] = (bonsai_array){label, v.nodes, BONSAI_U32};
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    free(label);
    return out;
}

/* With validation the probe may choose another candidate, but not change one. */
static void no_label_outside_the_training_part_leaves_a_trace(void **state)
{
    (void)state;
    int same = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        bonsai_graph *g = seed < 98 ? random_graph(seed, 30, 60, 1 + (layout)(seed % 8), WITH_ALL)
                                    : NULL;
        if (!g) {
            bonsai_graph *whole = generated(800, seed % 2);
            const double percent[3] = {50, 30, 20};
            assert_int_equal(bonsai_graph_split(&g, whole, percent, 3), BONSAI_OK);
            bonsai_graph_free(whole);
        }
        bonsai_graph *h = with_other_labels(g, seed);
        bonsai_condense_options o;
        bonsai_condense_info i, j;
        small_options(&o, seed);
        o.ratio = seed < 98 ? 0.4 : 0.03;
        if (training_nodes(g) >= 1) {
            bonsai_graph *a = condensed(&i, g, &o), *b = condensed(&j, h, &o);
            if (o.no_validation || o.inductive) {
                assert_same_file(a, b);
                assert_true(i.probe == j.probe);
            } else if (i.nodes == j.nodes && i.entries == j.entries && i.values == j.values) {
                int equal;
                assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
                assert_true(equal);
                same++;
            }
            bonsai_graph_free(a);
            bonsai_graph_free(b);
        }
        bonsai_graph_free(g);
        bonsai_graph_free(h);
    }
    assert_true(same > 20);
}

/* ---- odd graphs and small budgets ---- */

static bonsai_status try_with(const bonsai_graph *g, const bonsai_condense_options *o)
{
    bonsai_graph *small = NULL;
    bonsai_status rc = bonsai_condense(&small, NULL, g, o);
    assert_true((rc == BONSAI_OK) == (small != NULL));
    bonsai_graph_free(small);
    return rc;
}

/* The sentence's own number is enough, and one less is not. */
static void the_smallest_possible_is_what_the_sentence_says(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        long least = 0;
        small_options(&o, seed);
        o.bytes = 1;
        if (training_nodes(g) >= 1) {
            assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, "of one node, takes ");
            sscanf(strstr(bonsai_error(), "takes "), "takes %ld", &least);
            o.bytes = least - 1;
            assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, "is too small");
            o.bytes = least;
            if (try_with(g, &o) != BONSAI_OK)
                fail_msg("%s", bonsai_error());
        }
        bonsai_graph_free(g);
    }
}

/* From the least budget up, classes only come, the largest first. */
static void classes_come_with_the_budget_and_none_is_lost_again(void **state)
{
    (void)state;
    bonsai_graph *g = generated(400, 0);
    bonsai_condense_options o;
    bonsai_condense_info i;
    int64_t before = 0;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_PROTOTYPES;
    o.threads = 1;
    for (o.bytes = 30; o.bytes < 400; o.bytes += 7) {
        bonsai_graph *small = condensed(&i, g, &o);
        int64_t seen = 0;
        for (int64_t v = 0; v < i.nodes; v++)
            seen += v == 0 || bn_label(small, v) != bn_label(small, v - 1);
        assert_true(seen >= before);
        assert_true(i.bytes <= (double)o.bytes);
        before = seen;
        bonsai_graph_free(small);
    }
    assert_int_equal(before, 4);
    bonsai_graph_free(g);
}

static bonsai_graph *plain(int64_t n, const uint8_t *label, const uint8_t *split, const float *x,
                           int64_t f)
{
    bonsai_view v;
    bonsai_graph *g = NULL;
    const int32_t source[] = {0, 1}, target[] = {1, 2};
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = f;
    v.classes = 3;
    v.section[BONSAI_FEATURES] = (bonsai_array){x, n * f, BONSAI_F32};
    v.section[BONSAI_LABELS] = (bonsai_array){label, n, BONSAI_U8};
    v.section[BONSAI_SPLIT] = (bonsai_array){split, n, BONSAI_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 2, source, target, NULL, NULL), BONSAI_OK);
    return g;
}

/* Zeros only, duplicates only, huge values, a class without training nodes, more prototypes than
 * training nodes. */
static void odd_graphs_are_condensed(void **state)
{
    (void)state;
    const uint8_t label[] = {0, 1, 0, 1, 2, 1, 0, 1}, split[] = {1, 1, 1, 1, 2, 3, 1, 1};
    const float level[] = {0, 1, 3e38f, 1e-45f, -2};
    for (size_t k = 0; k < sizeof level / sizeof *level; k++)
        for (int budget = 0; budget < 4; budget++) {
            float x[16];
            for (int j = 0; j < 16; j++)
                x[j] = level[k];
            bonsai_graph *g = plain(8, label, split, x, 2);
            bonsai_condense_options o;
            bonsai_condense_info i;
            bonsai_condense_options_init(&o);
            o.method = BONSAI_PROTOTYPES;
            o.threads = 1;
            o.layers = k == 2 ? 0 : 2;          /* averages of the largest floats overflow */
            o.ratio = budget == 0 ? 0.7 : budget == 1 ? 1 : 0;
            o.nodes = budget == 2 ? 1000 : 0;
            o.bytes = budget == 3 ? 1000000 : 0;
            bonsai_graph *small = condensed(&i, g, &o);
            assert_int_equal(bonsai_graph_check(small, NULL), BONSAI_OK);
            assert_true(i.nodes >= 1 && i.nodes <= 6);
            assert_true(has_every_class(small, g));
            bonsai_graph_free(small);
            bonsai_graph_free(g);
        }
}

/* A budget that could hold everything gives every training node, and its exact row. */
static void with_bytes_to_spare_rows_lose_nothing(void **state)
{
    (void)state;
    const uint8_t label[] = {0, 1, 0, 1}, split[] = {1, 1, 1, 1};
    const float x[] = {0.1f, 0.7f, 1.3f, 0.2f, 12.5f, 0.003f, 3.14159f, 2.71828f};
    bonsai_graph *g = plain(4, label, split, x, 2);
    bonsai_condense_options o;
    bonsai_condense_info i;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_PROTOTYPES;
    o.layers = 0;
    o.bytes = 10000;
    bonsai_graph *small = condensed(&i, g, &o);
    assert_int_equal(i.nodes, 4);
    assert_int_equal(i.values, BONSAI_F32);
    const uint32_t *origin = small->view.section[BONSAI_ORIGIN].data;
    for (int64_t v = 0; v < 4; v++) {
        float row[2];
        bonsai_graph_row(row, small, v);
        assert_memory_equal(row, x + 2 * origin[v], sizeof row);
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void selected_features_are_those_of_the_prototypes(void **state)
{
    (void)state;
    bonsai_graph *g = generated(400, 0);
    bonsai_condense_options o;
    bonsai_condense_info i;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_PROTOTYPES;
    o.threads = 1;
    o.ratio = 0.2;
    o.select_features = 1;
    bonsai_graph *small = condensed(&i, g, &o);
    assert_true(small->view.features < g->view.features);
    assert_int_equal(small->view.section[BONSAI_KEPT_FEATURES].count, small->view.features);
    bonsai_graph_free(small);
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
                assert_fails(try_with(g, &o), BONSAI_E_CANCELED, "canceled while at");
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
        cmocka_unit_test(the_budget_is_used_where_more_helps),
        cmocka_unit_test(rows_are_means_of_members_and_origins_the_nearest),
        cmocka_unit_test(shares_are_those_of_giving_one_node_at_a_time),
        cmocka_unit_test(soft_labels_sum_to_255_and_are_off_by_less_than_one),
        cmocka_unit_test(the_bytes_do_not_depend_on_threads_or_layout),
        cmocka_unit_test(a_larger_graph_is_the_same_in_any_layout),
        cmocka_unit_test(a_larger_graph_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(many_ratios_give_what_each_gives_alone),
        cmocka_unit_test(no_label_outside_the_training_part_leaves_a_trace),
        cmocka_unit_test(the_smallest_possible_is_what_the_sentence_says),
        cmocka_unit_test(classes_come_with_the_budget_and_none_is_lost_again),
        cmocka_unit_test(odd_graphs_are_condensed),
        cmocka_unit_test(with_bytes_to_spare_rows_lose_nothing),
        cmocka_unit_test(selected_features_are_those_of_the_prototypes),
        cmocka_unit_test(every_tick_can_cancel),
        cmocka_unit_test(prototypes_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
