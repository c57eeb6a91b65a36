/* test_condense.c -- what holds for every condensed graph, whatever the method.
 *
 * SPDX-License-Identifier: MIT */
#include "record/fact.h"
#include "condensing.h"

#include <stdio.h>

enum { CHOOSING = BONSAI_METHOD_PROTOTYPES };  /* methods that choose original nodes: the first ones */

static void small_options(bonsai_condense_options *o, const bonsai_graph *g, uint64_t seed)
{
    int64_t trees = training_nodes(g);
    bonsai_condense_options_init(o);
    o->method = (bonsai_method)(seed % CHOOSING);
    o->accounting = seed / CHOOSING % 2 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    o->k = trees > 3 ? 3 : (int)trees - 1;
    o->layers = (int)(seed / 3 % 4);
    o->density = seed % 5 == 0;
    o->no_rknn = seed % 17 == 0;
    o->no_ppr = seed % 13 == 0;
    o->inductive = seed % 11 == 0;
    o->raw_features = seed % 2 == 0;
    o->patience = seed % 4 ? 200 : 2;
    o->sample = seed % 3 ? 0 : -1;
    o->threads = 1;
    o->seed = seed;
}

/* What can be said of any condensed graph of g. */
static void assert_sound(const bonsai_graph *small, const bonsai_condense_info *i,
                         const bonsai_graph *g)
{
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    const uint8_t *role = small->view.section[BONSAI_SECTION_ROLE].data;
    int64_t labelled = 0, roots = 0;
    float a[16], b[16];
    assert_int_equal(bonsai_graph_check(small, NULL), BONSAI_OK);
    for (int64_t v = 0; v < small->view.nodes; v++) {
        bool train = bn_part(g, origin[v]) == BONSAI_PART_TRAIN;
        assert_true(v == 0 || origin[v] > origin[v - 1]);
        assert_int_equal(bn_label(small, v), train ? bn_label(g, origin[v]) : -1);
        assert_true(role[v] == BONSAI_ROLE_ROOT || role[v] == BONSAI_ROLE_EGO);
        assert_true(role[v] == BONSAI_ROLE_EGO || bn_label(small, v) >= 0);
        labelled += bn_label(small, v) >= 0;
        roots += role[v] == BONSAI_ROLE_ROOT;
        bonsai_graph_row(a, small, v);
        bonsai_graph_row(b, g, origin[v]);
        assert_memory_equal(a, b, (size_t)g->view.features * sizeof *a);
    }
    assert_int_equal(i->nodes, small->view.nodes);
    assert_int_equal(i->edges, bonsai_graph_edges(small));
    assert_int_equal(i->labelled, labelled);
    assert_int_equal(i->roots, roots);
    assert_true(i->bytes == size_in(small, BONSAI_ACCOUNTING_STRICT));
    assert_true(i->bytes == counted_in_file(small));
    assert_true(bn_fact(i, BN_FACT_PAPER_BYTES) == size_in(small, BONSAI_ACCOUNTING_PAPER_CONDENSED));
    assert_true(i->full_bytes == size_in(g, BONSAI_ACCOUNTING_STRICT));
    assert_true(i->ratio == i->bytes / i->full_bytes);
    assert_true(i->coverage <= bn_fact(i, BN_FACT_COVERAGE_BOUND) + 1e-12 && bn_fact(i, BN_FACT_COVERAGE_BOUND) <= 1);
    assert_true(!bn_has(small, BONSAI_SECTION_SPLIT) && !bn_has(small, BONSAI_SECTION_SOFT_LABELS));
}

/* Both ends of every entry of the full graph that are in the small one are joined there. */
static void assert_induced(const bonsai_graph *small, const bonsai_graph *g)
{
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    int64_t place[64], entries = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        place[v] = -1;
    for (int64_t v = 0; v < small->view.nodes; v++)
        place[origin[v]] = v;
    for (int64_t v = 0; v < g->view.nodes; v++)
        for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++)
            entries += place[v] >= 0 && place[bn_neighbors(g)[e]] >= 0;
    assert_int_equal(bonsai_graph_edges(small), entries);
}

static void nothing_is_over_budget_and_every_report_is_true(void **state)
{
    (void)state;
    int made = 0, refused = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        bonsai_graph *g = case_graph(seed), *small = NULL;
        bonsai_condense_options o;
        bonsai_condense_info i;
        uint64_t s = seed;
        small_options(&o, g, seed);
        if (training_nodes(g) < 2)
            goto next;
        int kind = random_below(&s, 4);
        o.ratio = kind == 0 ? 0.02 + 0.5 * fabs((double)random_real(&s)) : 0;
        o.bytes = kind == 1 ? 5 + random_below(&s, 1 << random_below(&s, 11)) : 0;
        o.nodes = kind == 2 ? 1 + random_below(&s, 20) : 0;
        o.trees = kind == 3 ? 1 + random_below(&s, 6) : 0;
        bonsai_condense_info_init(&i);
        if (bonsai_condense(&small, &i, g, &o) != BONSAI_OK) {
            assert_fails(BONSAI_E_ARGUMENT, BONSAI_E_ARGUMENT, "is too small");
            refused++;
            goto next;
        }
        made++;
        assert_sound(small, &i, g);
        assert_induced(small, g);
        double bytes = o.accounting == BONSAI_ACCOUNTING_STRICT 
                           ? i.bytes : bn_fact(&i, BN_FACT_PAPER_BYTES);
        double full = o.accounting == BONSAI_ACCOUNTING_STRICT 
                          ? i.full_bytes : bn_fact(&i, BN_FACT_PAPER_FULL_BYTES);
        assert_true(kind != 0 || bytes <= o.ratio * full);
        assert_true(kind != 0 || bn_fact(&i, BN_FACT_BUDGET) == floor(o.ratio * full));
        assert_true(kind != 1 || bytes <= (double)o.bytes);
        assert_true(kind != 2 || i.nodes <= o.nodes);
        assert_true(kind != 3 || i.roots <= o.trees);
    next:
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
    assert_true(made > 300 && refused > 10);
}

/* The price of the cheapest choice of one training node a class, by trying them all. */
static double cheapest_of_each(const bonsai_graph *g, bonsai_accounting a, int32_t *node,
                               int64_t count, int64_t class)
{
    double best = INFINITY;
    if (class == g->view.classes) {
        bonsai_graph *small = NULL;
        assert_int_equal(bonsai_graph_induce(&small, g, node, count), BONSAI_OK);
        best = priced_in(small, a) - (a == BONSAI_ACCOUNTING_STRICT ? (double)count : 0);   /* no split */
        bonsai_graph_free(small);
        return best;
    }
    if (in_class(g, class) == 0)
        return cheapest_of_each(g, a, node, count, class + 1);
    for (int32_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) == class) {
            node[count] = v;
            best = fmin(best, cheapest_of_each(g, a, node, count + 1, class + 1));
        }
    return best;
}

static void assert_every_class(const bonsai_graph *small, const bonsai_graph *g)
{
    for (int64_t c = 0; c < g->view.classes; c++) {
        bool found = in_class(g, c) == 0;
        for (int64_t v = 0; v < small->view.nodes; v++)
            found |= bn_label(small, v) == c;
        assert_true(found);
    }
}

static void every_class_is_there_where_one_node_of_each_fits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        bonsai_condense_info i;
        int32_t node[8];
        small_options(&o, g, seed);
        if (seed % 8 == 0 || seed % 8 == 1 || seed % 8 == 5 || seed % 8 == 6)
            o.accounting = BONSAI_ACCOUNTING_STRICT;       /* the paper's price of negative features */
        o.inductive = 0;
        if (training_nodes(g) >= 2) {
            double least = cheapest_of_each(g, o.accounting == BONSAI_ACCOUNTING_STRICT ? BONSAI_ACCOUNTING_STRICT
                                                   : BONSAI_ACCOUNTING_PAPER_CONDENSED, node, 0, 0);
            for (int more = 0; more < 3; more++) {
                o.bytes = (int64_t)ceil(least) + 40 * more;
                if (o.bytes < 1)
                    continue;
                bonsai_graph *small = condensed(&i, g, &o);
                assert_every_class(small, g);
                bonsai_graph_free(small);
            }
            int64_t classes = 0;
            for (int64_t c = 0; c < g->view.classes; c++)
                classes += in_class(g, c) > 0;
            o.bytes = 0;
            o.nodes = classes;
            bonsai_graph *small = condensed(&i, g, &o);
            assert_every_class(small, g);
            assert_int_equal(i.nodes, classes);
            bonsai_graph_free(small);
        }
        bonsai_graph_free(g);
    }
}

/* A copy of g with the labels outside the training part shuffled among themselves. */
static bonsai_graph *with_other_labels(const bonsai_graph *g, uint64_t seed)
{
    bonsai_graph *out = NULL;
    bonsai_view v = g->view;
    uint32_t label[64];
    int64_t n = v.nodes;
    for (int64_t i = 0; i < n; i++)
        label[i] = (uint32_t)bn_label(g, i);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = random_below(&seed, (int)n);
        if (bn_part(g, i) != BONSAI_PART_TRAIN && bn_part(g, j) != BONSAI_PART_TRAIN) {
            uint32_t t = label[i];
            label[i] = label[j];
            label[j] = t;
        }
    }
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, n, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    return out;
}

static void no_label_outside_the_training_part_leaves_a_trace(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = random_graph(seed, 30, 60, 1 + (layout)(seed % 8), WITH_ALL);
        bonsai_graph *h = with_other_labels(g, seed), *a, *b;
        bonsai_condense_options o;
        bonsai_condense_info i;
        small_options(&o, g, seed);
        o.ratio = 0.4;
        if (training_nodes(g) >= 2) {
            a = condensed(&i, g, &o);
            b = condensed(&i, h, &o);
            assert_same_file(a, b);
            assert_true(!bn_has(a, BONSAI_SECTION_SOFT_LABELS) && !bn_has(a, BONSAI_SECTION_NODE_WEIGHTS));
            assert_true(!bn_has(a, BONSAI_SECTION_MEMBERS) && !bn_has(a, BONSAI_SECTION_SPLIT));
            bonsai_graph_free(a);
            bonsai_graph_free(b);
        }
        bonsai_graph_free(g);
        bonsai_graph_free(h);
    }
}

static void the_bytes_do_not_depend_on_threads_layout_or_file(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = case_graph(seed), *other[4] = {NULL}, *first;
        bonsai_condense_options o;
        bonsai_condense_info i;
        small_options(&o, g, seed);
        o.ratio = 0.4;
        if (training_nodes(g) < 2) {
            bonsai_graph_free(g);
            continue;
        }
        /* features in F32, for a scale that a row came with is kept and changes bytes */
        bonsai_graph *dense = laid_out(g, true), *sparse = laid_out(g, false), *loaded = NULL;
        const char *path = temp_path("input.bonsai");
        assert_int_equal(bonsai_graph_save(NULL, dense, path, NULL), BONSAI_OK);
        assert_int_equal(bonsai_graph_load(&loaded, path), BONSAI_OK);
        first = condensed(&i, dense, &o);
        other[0] = condensed(&i, sparse, &o);
        other[1] = condensed(&i, loaded, &o);
        o.threads = 2;
        other[2] = condensed(&i, dense, &o);
        o.threads = 8;
        other[3] = condensed(&i, sparse, &o);
        for (int k = 0; k < 4; k++) {
            assert_same_file(first, other[k]);
            bonsai_graph_free(other[k]);
        }
        bonsai_graph_free(first);
        bonsai_graph_free(dense);
        bonsai_graph_free(sparse);
        bonsai_graph_free(loaded);
        bonsai_graph_free(g);
    }
}

static void another_seed_takes_another_sample(void **state)
{
    (void)state;
    for (int m = 0; m < CHOOSING; m++) {
        bonsai_generate_options how;
        bonsai_graph *g = NULL, *a, *b;
        bonsai_condense_options o;
        bonsai_condense_info i;
        int equal;
        bonsai_generate_options_init(&how);
        how.nodes = 300;
        how.features = 20;
        how.classes = 3;
        how.words = 5;
        assert_int_equal(bonsai_graph_generate(&g, &how), BONSAI_OK);
        bonsai_condense_options_init(&o);
        o.method = (bonsai_method)m;
        o.ratio = 0.1;
        o.sample = 60;
        a = condensed(&i, g, &o);
        o.seed = 2;
        b = condensed(&i, g, &o);
        assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
        assert_int_equal(equal, m == BONSAI_METHOD_HERDING || m == BONSAI_METHOD_DEGREE);
        bonsai_graph_free(a);
        bonsai_graph_free(b);
        bonsai_graph_free(g);
    }
}

static void many_ratios_give_what_each_gives_alone(void **state)
{
    (void)state;
    const double ratios[3] = {0.5, 0.2, 0.35};
    for (uint64_t seed = 0; seed < 30; seed++) {
        bonsai_graph *g = case_graph(seed), *out[3];
        bonsai_condense_options o;
        bonsai_condense_info info[3], i;
        small_options(&o, g, seed);
        for (int k = 0; k < 3; k++)
            bonsai_condense_info_init(&info[k]);
        if (training_nodes(g) >= 2 &&
            bonsai_condense_many(out, info, ratios, 3, g, &o) == BONSAI_OK)
            for (int k = 0; k < 3; k++) {
                o.ratio = ratios[k];
                bonsai_graph *one = condensed(&i, g, &o);
                assert_same_file(one, out[k]);
                assert_true(i.bytes == info[k].bytes && i.coverage == info[k].coverage);
                bonsai_graph_free(one);
                bonsai_graph_free(out[k]);
            }
        bonsai_graph_free(g);
    }
}

/* ---- bad input ---- */

static void options_out_of_range_are_refused_with_a_sentence(void **state)
{
    (void)state;
    bonsai_graph *g = case_graph(3);
    bonsai_condense_options o;
#define REFUSES(set, text) \
    bonsai_condense_options_init(&o); \
    o.ratio = 0.5; \
    set; \
    assert_fails(try_with(g, &o), BONSAI_E_ARGUMENT, text)
    REFUSES(o.ratio = 0, "no budget was given");
    REFUSES(o.ratio = 1.5, "ratio is 1.5; it must be above 0 and at most 1");
    REFUSES(o.ratio = -1, "ratio is -1; it must be above 0 and at most 1");
    REFUSES(o.ratio = NAN, "ratio is nan");
    REFUSES(o.bytes = -5, "bytes is -5; it must be at least 1");
    REFUSES(o.memory = -1, "memory is -1; it must be at least 0");
    REFUSES(o.method = (bonsai_method)99, "method 99 is not known");
    REFUSES(o.accounting = BONSAI_ACCOUNTING_PAPER_CONDENSED, "accounting 2 is not known");
    REFUSES(o.layers = 17, "layers is 17; it must be in 0..16");
    REFUSES(o.layers = -1, "layers is -1");
    REFUSES(o.theta = 0, "theta is 0");
    REFUSES(o.delta = 0, "delta is 0");
    REFUSES(o.beta = 0, "beta is 0");
    REFUSES(o.prune_share = 2, "prune_share is 2; it must be in 0..1");
    REFUSES(o.min_pruned = NAN, "min_pruned is nan");
    REFUSES(o.k = 0, "k is 0");
    REFUSES(o.patience = 0, "patience is 0");
    REFUSES(o.sample = -2, "sample is -2; it must be in 1..1e+15, or -1 for all");
    REFUSES(o.method = BONSAI_METHOD_TREES; o.k = 1000000, "k is 1000000 but there are");
    REFUSES(o.ratio = 0; o.bytes = 3, "a budget of 3 bytes is too small: the smallest possible");
#undef REFUSES
    bonsai_graph_free(g);
}

/* The sentence's own number is enough, and one less is not. */
static void the_smallest_possible_is_what_the_sentence_says(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        small_options(&o, g, seed);
        o.inductive = 0;
        o.accounting = BONSAI_ACCOUNTING_STRICT;
        if (training_nodes(g) >= 2)
            assert_names_the_least(g, o);
        bonsai_graph_free(g);
    }
}

static bonsai_graph *plain(int64_t n, const uint8_t *label, const uint8_t *split, float *x,
                           int64_t f, int directed)
{
    bonsai_view v;
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    int32_t source[] = {0, 1}, target[] = {1, 2};
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    o.keep_directed = directed;
    v.nodes = n;
    v.features = f;
    v.classes = label ? 3 : 0;
    if (x)
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    if (label)
        v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, n, BONSAI_TYPE_U8};
    if (split)
        v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, n, BONSAI_TYPE_U8};
    if (bonsai_graph_build(&g, &v, 2, source, target, NULL, &o) != BONSAI_OK)
        return NULL;
    return g;
}

static void graphs_that_cannot_be_condensed_are_refused(void **state)
{
    (void)state;
    const uint8_t label[] = {0, 1, 0, 1, 0, 1}, split[] = {1, 1, 1, 1, 2, 3};
    const uint8_t none[] = {2, 2, 2, 3, 3, 0};
    float x[6] = {1, 2, 3, 4, 5, 6}, bad[6] = {1, 2, NAN, 4, 5, 6};
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.ratio = 0.5;
    o.k = 2;
    bonsai_graph *g[] = {plain(6, NULL, NULL, x, 1, 0), plain(6, label, none, x, 1, 0),
                         plain(6, label, split, NULL, 0, 0), plain(6, label, split, x, 1, 1)};
    assert_fails(try_with(g[0], &o), BONSAI_E_ARGUMENT, "has no labels");
    bonsai_view v = *bonsai_graph_view(g[1]);
    bonsai_graph *many;
    v.classes = 65537;
    assert_int_equal(bonsai_graph_new(&many, &v, 0), BONSAI_OK);
    assert_fails(try_with(many, &o), BONSAI_E_ARGUMENT, "has 65537 classes; at most 65536");
    bonsai_graph_free(many);
    enum { STORED = 1 << 14 };
    const uint32_t offsets[7] = {0, STORED, STORED, STORED, STORED, STORED, STORED};
    static uint32_t index[STORED];
    for (uint32_t j = 0; j < STORED; j++)
        index[j] = j;
    v.classes = 2;
    v.features = (1 << 26) + 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, 7, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, STORED, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&many, &v, 0), BONSAI_OK);
    assert_fails(try_with(many, &o), BONSAI_E_ARGUMENT, "has 67108865 features; at most 67108864");
    bonsai_graph_free(many);
    assert_fails(try_with(g[1], &o), BONSAI_E_ARGUMENT, "no labelled node is in the training part");
    assert_fails(try_with(g[2], &o), BONSAI_E_ARGUMENT, "has no features; give every node some");
    assert_fails(try_with(g[3], &o), BONSAI_E_ARGUMENT, "is directed");
    for (int i = 0; i < 4; i++)
        bonsai_graph_free(g[i]);
    assert_null(plain(6, label, split, bad, 1, 0));
    g[0] = plain(6, label, split, x, 1, 0);
    o.k = 4;
    o.method = BONSAI_METHOD_TREES;
    assert_fails(try_with(g[0], &o), BONSAI_E_ARGUMENT, "k is 4 but there are 4 trees");
    bonsai_graph_free(g[0]);
}

/* Class 2 has no training node, all features are equal, and 3, 4, 5 have no edge. */
static void odd_graphs_are_condensed(void **state)
{
    (void)state;
    const uint8_t label[] = {0, 1, 0, 1, 2, 1}, split[] = {1, 1, 1, 1, 2, 3};
    float x[6] = {1, 1, 1, 1, 1, 1};
    bonsai_graph *g = plain(6, label, split, x, 1, 0);
    for (int m = 0; m < CHOOSING; m++) {
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = (bonsai_method)m;
        o.ratio = 0.6;
        o.k = 2;
        bonsai_graph *small = condensed(&i, g, &o);
        assert_sound(small, &i, g);
        assert_every_class(small, g);
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

/* Says that it is undirected, but node 0 lists 1 and 1 does not list 0. */
static void an_input_that_lies_cannot_exceed_the_budget(void **state)
{
    (void)state;
    enum { N = 40 };
    uint32_t offsets[N + 1], neighbors[N * N];
    uint8_t label[N] = {0}, split[N];
    float x[N];
    bonsai_view v;
    bonsai_graph *g = NULL, *small = NULL;
    bonsai_condense_options o;
    bonsai_condense_info i;
    uint32_t m = 0;
    for (uint32_t u = 0; u < N; u++) {
        offsets[u] = m;
        for (uint32_t w = u + 1; w < N; w++)
            neighbors[m++] = w;
        split[u] = BONSAI_PART_TRAIN;
        x[u] = (float)u;
    }
    offsets[N] = m;
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = v.classes = 1;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, N + 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, m, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, N, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, N, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    for (uint64_t seed = 0; seed < 6; seed++) {
        bonsai_condense_options_init(&o);
        bonsai_condense_info_init(&i);
        o.method = seed % 2 ? BONSAI_METHOD_TREES : BONSAI_METHOD_RANDOM;
        o.layers = 0;
        o.ratio = 0.3;
        o.seed = seed;
        if (bonsai_condense(&small, &i, g, &o) == BONSAI_OK)
            assert_true(i.bytes <= bn_fact(&i, BN_FACT_BUDGET));
        else
            assert_fails(BONSAI_E_FORMAT, BONSAI_E_FORMAT, "graph");
        bonsai_graph_free(small);
        small = NULL;
    }
    bonsai_graph_free(g);
}

/* ---- progress and memory ---- */

typedef struct {
    int calls, stop_at;
    char stages[400];
    uint64_t last, total;
} watched;

static int watch(const bonsai_progress *p, void *payload)
{
    watched *w = payload;
    size_t used = strlen(w->stages), len = strlen(p->stage);
    assert_true(p->done <= p->total);
    if (used < len || strcmp(w->stages + used - len, p->stage) != 0) {
        assert_true(w->last == w->total);       /* the stage before it was completed */
        assert_true(p->done == 0);
        snprintf(w->stages + used, sizeof w->stages - used, " %s", p->stage);
    }
    w->last = p->done;
    w->total = p->total;
    return w->calls++ == w->stop_at;
}

static void stages_come_in_order_and_every_tick_can_cancel(void **state)
{
    (void)state;
    for (int m = 0; m < 2 * CHOOSING; m++) {
        bonsai_graph *g = case_graph(8 + (uint64_t)m);
        bonsai_condense_options o;
        int64_t before = bn_mem_live();
        bonsai_condense_options_init(&o);
        o.method = (bonsai_method)(m % CHOOSING);
        o.density = m >= CHOOSING;
        o.ratio = 0.5;
        o.k = 1;
        o.progress = watch;
        watched all = {0, -1, "", 0, 0};
        o.payload = &all;
        if (training_nodes(g) >= 2) {
            assert_int_equal(try_with(g, &o), BONSAI_OK);
            bool embeds = o.method == BONSAI_METHOD_HERDING || o.method == BONSAI_METHOD_KCENTER;
            char wanted[100];
            snprintf(wanted, sizeof wanted, " measuring%s%s",
                     o.method != BONSAI_METHOD_TREES ? embeds ? " embedding" : ""
                     : o.density ? " embedding neighbours pricing" : " embedding neighbours",
                     o.method == BONSAI_METHOD_TREES ? " cover sparsify finishing" : " choosing");
            assert_string_equal(all.stages, wanted);
            for (int stop = 0; stop < all.calls; stop++) {
                watched w = {0, stop, "", 0, 0};
                o.payload = &w;
                assert_fails(try_with(g, &o), BONSAI_E_CANCELED, "canceled during");
                assert_int_equal(w.calls, stop + 1);
                assert_int_equal(bn_mem_live(), before);
            }
        }
        bonsai_graph_free(g);
    }
}

typedef struct { const bonsai_graph *g; bonsai_condense_options o; } asked;

/* A random graph of at least six trees. */
static bonsai_graph *enough_trees(uint64_t seed)
{
    for (;; seed++) {
        bonsai_graph *g = case_graph(seed);
        if (training_nodes(g) >= 6)
            return g;
        bonsai_graph_free(g);
    }
}

static bonsai_status condense_once(void *payload)
{
    asked *a = payload;
    return try_with(a->g, &a->o);
}

static void condensing_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = enough_trees(9);
    for (int m = 0; m < CHOOSING + 2; m++) {
        asked a = {g, {0}};
        bonsai_condense_options_init(&a.o);
        a.o.method = (bonsai_method)(m % CHOOSING);
        a.o.ratio = 0.5;
        a.o.k = 2;
        a.o.threads = 1;
        a.o.density = m == CHOOSING;
        a.o.inductive = m == CHOOSING;
        a.o.split[0] = m == CHOOSING + 1 ? 60 : 0;
        survives_failed_allocations(condense_once, &a, 30);
    }
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_over_budget_and_every_report_is_true),
        cmocka_unit_test(every_class_is_there_where_one_node_of_each_fits),
        cmocka_unit_test(no_label_outside_the_training_part_leaves_a_trace),
        cmocka_unit_test(the_bytes_do_not_depend_on_threads_layout_or_file),
        cmocka_unit_test(another_seed_takes_another_sample),
        cmocka_unit_test(many_ratios_give_what_each_gives_alone),
        cmocka_unit_test(options_out_of_range_are_refused_with_a_sentence),
        cmocka_unit_test(the_smallest_possible_is_what_the_sentence_says),
        cmocka_unit_test(graphs_that_cannot_be_condensed_are_refused),
        cmocka_unit_test(odd_graphs_are_condensed),
        cmocka_unit_test(an_input_that_lies_cannot_exceed_the_budget),
        cmocka_unit_test(stages_come_in_order_and_every_tick_can_cancel),
        cmocka_unit_test(condensing_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
