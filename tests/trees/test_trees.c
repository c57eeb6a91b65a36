/* test_trees.c -- the paper's method on jobs made by hand: cover, seats, rounds,
 * extras, and what the choice says about itself.
 *
 * SPDX-License-Identifier: MIT */
#include "record/fact.h"
#include "condensing.h"

#include "condense/methods.h"
#include "trees/chosen.h"

typedef struct {
    bn_job job;
    bonsai_condense_options o;
    bonsai_graph *g;
} work;

/* A job on g whose trees cover z random samples. */
static bool start(work *w, bonsai_graph *g, uint64_t seed, int64_t z)
{
    memset(w, 0, sizeof *w);
    w->g = g;
    bonsai_condense_options_init(&w->o);
    w->o.method = BONSAI_METHOD_TREES;
    w->o.seed = seed;
    w->job.g = g;
    w->job.o = &w->o;
    w->job.at.threads = 1;
    assert_int_equal(BN_NEW(&w->job.train, g->view.nodes), BONSAI_OK);
    for (int32_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0)
            w->job.train[w->job.trees++] = v;
    int64_t trees = w->job.trees;
    w->job.z = z;
    w->job.rknn.count = trees;
    assert_int_equal(BN_NEW(&w->job.rknn.offsets, trees + 1), BONSAI_OK);
    assert_int_equal(BN_NEW(&w->job.rknn.item, trees * z), BONSAI_OK);
    for (int64_t t = 0, at = 0; t < trees; t++) {
        for (int32_t s = 0; s < z; s++)
            if (random_below(&seed, 4) == 0)
                w->job.rknn.item[at++] = s;
        w->job.rknn.offsets[t + 1] = at;
    }
    return trees >= 2;
}

static void end(work *w)
{
    bn_free(w->job.train);
    bn_lists_free(&w->job.rknn);
    bonsai_graph_free(w->g);
}

/* Empty where nothing fits. */
static bn_choice choose(work *w, double bytes, int64_t nodes, int64_t trees)
{
    bn_choice c;
    const bn_budget b = {bytes > 0 ? bytes : INFINITY, nodes > 0 ? nodes : INT64_MAX,
                         trees > 0 ? trees : INT64_MAX};
    bonsai_status rc = bn_method_of(w->o.method)->pick(&c, &w->job, &b);
    if (rc != BONSAI_OK && !strstr(bonsai_error(), "is too small"))
        fail_msg("%s", bonsai_error());
    return c;
}

static bool is_root(const bn_choice *c, int32_t node)
{
    for (int64_t i = 0; i < c->count; i++)
        if (c->node[i] == node)
            return c->role[i] == BONSAI_ROLE_ROOT;
    return false;
}

static double covered_by_roots(const work *w, const bn_choice *c)
{
    uint8_t hit[64] = {0};
    int64_t sum = 0;
    for (int64_t t = 0; t < w->job.trees; t++)
        for (int64_t e = w->job.rknn.offsets[t]; e < w->job.rknn.offsets[t + 1]; e++)
            if (is_root(c, w->job.train[t]))
                hit[w->job.rknn.item[e]] = 1;
    for (int64_t s = 0; s < w->job.z; s++)
        sum += hit[s];
    return (double)sum / (double)w->job.z;
}

static double size_of_choice(const work *w, const bn_choice *c, bonsai_accounting a)
{
    bonsai_graph *small = NULL;
    assert_int_equal(bonsai_graph_induce(&small, w->g, c->node, c->count), BONSAI_OK);
    double bytes = priced_in(small, a) - (a == BONSAI_ACCOUNTING_STRICT ? (double)c->count : 0);    /* split */
    bonsai_graph_free(small);
    return bytes;
}

static void random_options(work *w, uint64_t seed)
{
    w->o.method = seed % 5 == 4 ? BONSAI_METHOD_RANDOM_TREES
                  : seed % 5 == 3 ? BONSAI_METHOD_DEGREE : BONSAI_METHOD_TREES;
    w->o.accounting = seed / 2 % 2 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    w->o.layers = (int)(seed % 4);
    w->o.no_ppr = seed % 7 == 0;
    w->o.density = seed % 3 == 0;
    w->o.patience = seed % 2 ? 200 : 3;
    w->o.prune_share = seed % 10 == 0 ? 0.5 : 1;
}

static void the_price_while_selecting_is_the_size_in_the_end(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        work w;
        if (start(&w, case_graph(seed), seed, 10)) {
            random_options(&w, seed);
            bool strict = w.o.accounting == BONSAI_ACCOUNTING_STRICT;
            double limit = 30 + (double)(seed * 37 % 900);
            bn_choice c = choose(&w, limit, 0, 0);
            double wanted = size_of_choice(&w, &c, strict ? BONSAI_ACCOUNTING_STRICT : BONSAI_ACCOUNTING_PAPER_CONDENSED);
            assert_true(c.count == 0 || c.bytes <= limit);
            assert_true(c.count == 0 || fabs(c.bytes - wanted) < (strict ? 1e-9 : 1e-3));
            bn_choice_free(&c);
        }
        end(&w);
    }
}

static void the_choice_tells_the_truth_about_itself(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        work w;
        if (start(&w, case_graph(seed), seed, 10)) {
            random_options(&w, seed);
            bn_choice c = choose(&w, 60 + (double)(seed * 37 % 900), 0, 0);
            const bool covers = w.o.method == BONSAI_METHOD_TREES || c.count == 0;
            assert_true(fabs(c.coverage - (covers ? covered_by_roots(&w, &c) : -1)) < 1e-12);
            assert_true(!covers || c.coverage <= c.coverage_bound + 1e-12);
            for (int64_t i = 0, t = 0; i < c.count; i++) {
                assert_true(i == 0 || c.node[i] > c.node[i - 1]);
                while (t < w.job.trees && w.job.train[t] < c.node[i])
                    t++;
                bool root = c.role[i] == BONSAI_ROLE_ROOT;
                assert_true(!root || (t < w.job.trees && w.job.train[t] == c.node[i]));
                assert_int_equal(c.covers[i], root && covers ? w.job.rknn.offsets[t + 1] -
                                                                   w.job.rknn.offsets[t] : 0);
                assert_true(!root || c.tree[i] == c.node[i]);
                assert_true(is_root(&c, c.tree[i]));
                bool ranked = w.o.method == BONSAI_METHOD_TREES && !w.o.no_ppr;
                assert_true(ranked ? c.score[i] > 0 || !root : c.score[i] == 0);
            }
            bn_choice_free(&c);
        }
        end(&w);
    }
}

/* ---- the cover ---- */

static int64_t coverage_of(const work *w, unsigned trees)
{
    uint64_t hit = 0;
    int64_t count = 0;
    for (int64_t t = 0; t < w->job.trees; t++)
        for (int64_t e = w->job.rknn.offsets[t]; e < w->job.rknn.offsets[t + 1]; e++)
            hit |= (uint64_t)(trees >> t & 1) << w->job.rknn.item[e];
    for (; hit; hit &= hit - 1)
        count++;
    return count;
}

static void a_number_of_trees_covers_as_much_as_the_theorem_says(void **state)
{
    (void)state;
    int compared = 0;
    for (uint64_t seed = 0; compared < 200; seed++) {
        work w;
        if (start(&w, case_graph(seed), seed, 30) && w.job.trees <= 10) {
            int64_t most = 1 + (int64_t)(seed % 4), best = 0;
            for (unsigned set = 0; set < 1u << w.job.trees; set++) {
                int64_t size = 0;
                for (unsigned rest = set; rest; rest &= rest - 1)
                    size++;
                int64_t reached = size <= most ? coverage_of(&w, set) : 0;
                best = reached > best ? reached : best;
            }
            bn_choice c = choose(&w, 0, 0, most);
            assert_true(c.coverage >= (1 - exp(-1)) * (double)best / 30 - 1e-12);
            assert_true((double)best / 30 <= c.coverage_bound + 1e-12);
            bn_choice_free(&c);
            compared++;
        }
        end(&w);
    }
}

/* The bound holds for the best choice by bytes too, not only for ours: each subset is
 * priced as the bare roots. */
static void no_choice_of_roots_that_fits_covers_more_than_the_bound(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        work w;
        if (start(&w, case_graph(seed), seed, 30) && w.job.trees <= 8) {
            w.o.accounting = seed % 2 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
            bonsai_accounting a = seed % 2 ? BONSAI_ACCOUNTING_PAPER_CONDENSED : BONSAI_ACCOUNTING_STRICT;
            double limit = 25 + (double)(seed * 13 % 60);
            for (int64_t t = 0; t <= w.job.trees; t++)          /* sample t is tree t's alone */
                w.job.rknn.offsets[t] = t;
            for (int32_t t = 0; t < w.job.trees; t++)
                w.job.rknn.item[t] = t;
            bn_choice c = choose(&w, limit, 0, 0);
            for (unsigned set = 1; set < 1u << w.job.trees; set++) {
                int32_t node[8];
                bn_choice some = {.node = node};
                for (int t = 0; t < w.job.trees; t++)
                    if (set >> t & 1)
                        node[some.count++] = w.job.train[t];
                if (size_of_choice(&w, &some, a) <= limit)
                    assert_true((double)coverage_of(&w, set) / 30 <= c.coverage_bound + 1e-12);
            }
            bn_choice_free(&c);
        }
        end(&w);
    }
}

/* ---- graphs by hand ---- */

static bonsai_graph *by_hand(int64_t n, int64_t m, const int32_t *source, const int32_t *target,
                             const uint8_t *label, const uint8_t *split, int64_t classes)
{
    float *x = calloc((size_t)n, sizeof *x);
    bonsai_view v;
    bonsai_graph *g = NULL;
    for (int64_t i = 0; i < n; i++)
        x[i] = 1.0f + (float)i / 3;
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = 1;
    v.classes = classes;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, n, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, n, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, m, source, target, NULL, NULL), BONSAI_OK);
    free(x);
    return g;
}

/* A hub 0 of class 1 with 50 neighbours, and a pair 51 - 52 of class 0. */
static void a_class_whose_trees_are_too_large_is_tried_at_less_depth(void **state)
{
    (void)state;
    int32_t source[51], target[51];
    uint8_t label[53] = {1}, split[53] = {BONSAI_PART_TRAIN};
    for (int32_t i = 0; i < 50; i++) {
        source[i] = 0;
        target[i] = i + 1;
    }
    source[50] = 51;
    target[50] = 52;
    split[51] = BONSAI_PART_TRAIN;
    work w;
    assert_true(start(&w, by_hand(53, 51, source, target, label, split, 2), 1, 4));
    w.o.layers = 1;
    bn_choice c = choose(&w, 100, 0, 0);
    assert_int_equal(c.shallow_classes, 1);
    assert_true(is_root(&c, 0) && is_root(&c, 51));
    bn_choice_free(&c);
    c = choose(&w, 2000, 0, 0);
    assert_int_equal(c.shallow_classes, 0);
    bn_choice_free(&c);
    end(&w);
}

/* 0 - 1, and 50 more nodes on 1; the pairs 52 - 53 and 54 - 55 of another class.  Of
 * four nodes the pair takes two, and class 1 its tree of depth 1, before 54 alone. */
static void less_depth_comes_before_single_nodes(void **state)
{
    (void)state;
    int32_t source[53], target[53];
    uint8_t label[56] = {1}, split[56] = {BONSAI_PART_TRAIN};
    for (int32_t i = 0; i < 51; i++) {
        source[i] = i == 0 ? 0 : 1;
        target[i] = i + 1;
    }
    source[51] = 52;
    target[51] = 53;
    source[52] = 54;
    target[52] = 55;
    split[52] = split[54] = BONSAI_PART_TRAIN;
    work w;
    assert_true(start(&w, by_hand(56, 53, source, target, label, split, 2), 1, 4));
    w.o.no_ppr = 1;
    bn_choice c = choose(&w, 0, 4, 0);
    assert_int_equal(c.count, 4);
    assert_int_equal(c.node[0], 0);
    assert_int_equal(c.node[1], 1);
    assert_int_equal(c.shallow_classes, 1);
    bn_choice_free(&c);
    end(&w);
}

/* The star of 0, and of another class 21, on the star of 22, of which depth 1 would fit, and 42,
 * without neighbours and samples, so that it comes last. */
static void patience_is_each_class_s_own_before_a_tree_is_cut(void **state)
{
    (void)state;
    int32_t source[40], target[40];
    uint8_t label[43] = {0}, split[43] = {0};
    for (int32_t i = 0; i < 40; i++) {
        source[i] = i < 20 ? 0 : i == 20 ? 21 : 22;
        target[i] = i < 20 ? i + 1 : i + 2;
    }
    for (int i = 0; i < 43; i++) {
        label[i] = i > 20;
        split[i] = i == 0 || i == 21 || i == 42 ? BONSAI_PART_TRAIN : BONSAI_PART_TEST;
    }
    work w;
    assert_true(start(&w, by_hand(43, 40, source, target, label, split, 2), 1, 2));
    w.job.rknn.item[0] = 0;
    w.job.rknn.item[1] = 1;
    for (int64_t t = 0; t < 3; t++)
        w.job.rknn.offsets[t + 1] = t == 0 ? 1 : 2;
    w.o.keep_trees = 1;
    w.o.patience = 2;
    bn_choice c = choose(&w, 0, 3, 0);
    assert_true(is_root(&c, 42) && !is_root(&c, 21));
    assert_int_equal(c.shallow_classes, 1);
    bn_choice_free(&c);
    end(&w);
}

/* A path 0 - 1 - ... - 8, all in training.  Trees of depth 1 are three nodes. */
static bonsai_graph *path_of_nine(void)
{
    const int32_t source[] = {0, 1, 2, 3, 4, 5, 6, 7}, target[] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t label[9] = {0}, split[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    return by_hand(9, 8, source, target, label, split, 1);
}

static void lists(work *w, const char *text)    /* samples of tree 0, 1, ... : "01 2  34" */
{
    int64_t t = 0, at = 0;
    for (; *text; text++)
        if (*text == ' ')
            w->job.rknn.offsets[++t] = at;
        else
            w->job.rknn.item[at++] = *text - '0';
    while (t < w->job.trees)
        w->job.rknn.offsets[++t] = at;
}

static void the_largest_gain_comes_first_and_ties_go_to_the_lower_degree(void **state)
{
    (void)state;
    work w;
    assert_true(start(&w, path_of_nine(), 1, 6));
    w.o.layers = 1;
    w.o.no_ppr = 1;
    lists(&w, "0 12 0123  345   3 4");          /* 2 has four; then 4 with two of its three */
    bn_choice c = choose(&w, 0, 0, 2);
    assert_int_equal(c.count, 5);
    assert_true(is_root(&c, 2) && is_root(&c, 4) && !is_root(&c, 3));
    assert_int_equal(c.node[0], 1);
    assert_int_equal(c.node[4], 5);
    assert_true(c.coverage == 1);
    assert_int_equal(c.covers[1], 4);
    bn_choice_free(&c);
    lists(&w, "01 01 01    01  01");            /* 0 and 8 are ends */
    c = choose(&w, 0, 0, 1);
    assert_true(is_root(&c, 0));
    bn_choice_free(&c);
    end(&w);
}

/* Roots at both ends of 0 - 1 - 2 - 3 - 4, and 10 more nodes on 2: the middle and what
 * hangs on it score far less than the ends and their neighbours. */
static void ego_nodes_below_the_knee_go_unless_told_otherwise(void **state)
{
    (void)state;
    int32_t source[14] = {0, 1, 2, 3}, target[14] = {1, 2, 3, 4};
    uint8_t label[15] = {0}, split[15] = {BONSAI_PART_TRAIN, 0, 0, 0, BONSAI_PART_TRAIN};
    for (int32_t i = 4; i < 14; i++) {
        source[i] = 2;
        target[i] = i + 1;
    }
    work w;
    assert_true(start(&w, by_hand(15, 14, source, target, label, split, 1), 1, 4));
    w.o.layers = 3;
    w.o.no_ppr = 1;
    bn_choice c = choose(&w, 0, 0, 2);
    assert_int_equal(c.count, 15);
    assert_int_equal(c.rounds, 0);
    bn_choice_free(&c);
    w.o.no_ppr = 0;
    c = choose(&w, 0, 0, 2);
    assert_true(c.count >= 2 && c.count <= 5);
    assert_true(is_root(&c, 0) && is_root(&c, 4));
    assert_int_equal(c.rounds, 1);
    bn_choice_free(&c);
    w.o.prune_share = 0.5;                      /* of 13 ego nodes six */
    c = choose(&w, 0, 0, 2);
    assert_int_equal(c.count, 9);
    bn_choice_free(&c);
    w.o.prune_share = 0;
    c = choose(&w, 0, 0, 2);
    assert_int_equal(c.count, 15);
    bn_choice_free(&c);
    end(&w);
}

static void the_budget_is_filled_down_to_single_nodes(void **state)
{
    (void)state;
    for (int64_t most = 1; most <= 9; most++) {
        work w;
        assert_true(start(&w, path_of_nine(), 1, 6));
        for (int m = 0; m < 3; m++) {
            w.o.method = m == 0 ? BONSAI_METHOD_TREES : m == 1 ? BONSAI_METHOD_RANDOM_TREES : BONSAI_METHOD_RANDOM;
            bn_choice c = choose(&w, 0, most, 0);
            assert_int_equal(c.count, most);
            bn_choice_free(&c);
        }
        end(&w);
    }
}

/* Only 4 and 8 are trees: with both in and budget left, their neighbours come back. */
static void ego_nodes_come_back_where_no_tree_could_use_the_bytes(void **state)
{
    (void)state;
    const int32_t source[] = {0, 1, 2, 3, 4, 5, 6, 7}, target[] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t label[9] = {0}, split[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int64_t most = 1; most <= 9; most++) {
        work w;
        assert_true(start(&w, by_hand(9, 8, source, target, label, split, 1), 1, 3));
        for (w.o.layers = 0; w.o.layers <= 2; w.o.layers++) {
            static const int64_t reach[] = {2, 5, 7};
            bn_choice c = choose(&w, 0, most, 0);
            assert_int_equal(c.count, most < reach[w.o.layers] ? most : reach[w.o.layers]);
            bn_choice_free(&c);
        }
        end(&w);
    }
}

/* ---- size ---- */

static void a_star_does_not_take_long(void **state)
{
    (void)state;
    enum { LEAVES = 200000 };
    int32_t *source = calloc(LEAVES, 4), *target = calloc(LEAVES, 4);
    uint8_t *label = calloc(LEAVES + 1, 1), *split = calloc(LEAVES + 1, 1);
    for (int32_t i = 0; i < LEAVES; i++) {
        target[i] = i + 1;
        label[i + 1] = (uint8_t)(i % 3);
        split[i + 1] = (uint8_t)(1 + i % 3);
    }
    bonsai_graph *g = by_hand(LEAVES + 1, LEAVES, source, target, label, split, 3);
    for (int m = 0; m < BONSAI_METHOD_PROTOTYPES; m++) {
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = (bonsai_method)m;
        o.ratio = m == BONSAI_METHOD_KCENTER || m == BONSAI_METHOD_HERDING ? 0.0005 : 0.01;
        o.sample = 300;
        double begin = bn_seconds();
        bonsai_graph *small = condensed(&i, g, &o);
        assert_true(bn_seconds() - begin < 20);
        assert_true(i.bytes > 0.9 * bn_fact(&i, BN_FACT_BUDGET) && i.bytes <= bn_fact(&i, BN_FACT_BUDGET));
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
    free(source);
    free(target);
    free(label);
    free(split);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_gain_comes_first_and_ties_go_to_the_lower_degree),
        cmocka_unit_test(a_class_whose_trees_are_too_large_is_tried_at_less_depth),
        cmocka_unit_test(less_depth_comes_before_single_nodes),
        cmocka_unit_test(patience_is_each_class_s_own_before_a_tree_is_cut),
        cmocka_unit_test(ego_nodes_below_the_knee_go_unless_told_otherwise),
        cmocka_unit_test(the_budget_is_filled_down_to_single_nodes),
        cmocka_unit_test(ego_nodes_come_back_where_no_tree_could_use_the_bytes),
        cmocka_unit_test(the_price_while_selecting_is_the_size_in_the_end),
        cmocka_unit_test(the_choice_tells_the_truth_about_itself),
        cmocka_unit_test(a_number_of_trees_covers_as_much_as_the_theorem_says),
        cmocka_unit_test(no_choice_of_roots_that_fits_covers_more_than_the_bound),
        cmocka_unit_test(a_star_does_not_take_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
