/* test_map.c -- the map: where nodes are counted, which dots are drawn, what is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "condensing.h"
#include "study/map.h"

static const bn_place alone = {.threads = 1};

/* ---- maps by hand ---- */

/* A graph without edges, all of whose nodes are for training. */
static bonsai_graph *loose(const float *x, int64_t n, int64_t f, const uint8_t *label,
                           int64_t classes, bool split)
{
    bonsai_graph *g = NULL;
    bonsai_view v;
    uint8_t *part = calloc((size_t)n, 1);
    memset(part, BONSAI_PART_TRAIN, (size_t)n);
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = f;
    v.classes = classes;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, n, BONSAI_TYPE_U8};
    if (split)
        v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){part, n, BONSAI_TYPE_U8};
    if (bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    free(part);
    return g;
}

/* The first is by principal directions. */
static bn_map *mapped(const bonsai_graph *small, const bonsai_graph *full, int layers, bool alike,
                      int threads)
{
    static bn_map maps[4][BN_MAPS];
    static int next;
    bn_map *m = maps[next++ % 4];
    if (bn_map_make(m, small, full, layers, alike, &(bn_place){.threads = threads}) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return m;
}

static int64_t counted(const bn_map *m)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < BN_MAP_SIDE * BN_MAP_SIDE; c++) {
        sum += m->grid[c];
        assert_true((m->grid[c] > 0) == (m->most[c] >= 0));
    }
    return sum;
}

static const float cross[] = {-50, 0, -50, 0, -50, 0, -50, 0, 20, 0, 0, -2, 0, -3, 0, -2, 0, 7};
static const uint8_t cross_label[] = {2, 1, 2, 1, 0, 1, 2, 0, 255};

static void nodes_are_counted_where_they_lie(void **state)
{
    const float at[] = {10, 0, 0, -3};
    const uint8_t label[] = {0, 1};
    bonsai_graph *g = loose(cross, 9, 2, cross_label, 3, true);
    bonsai_graph *small = loose(at, 2, 2, label, 3, false);
    (void)state;
    bn_map *m = mapped(small, g, 2, false, 1);
    assert_true(m->known);
    assert_int_equal(m->trees, 8);      /* the last has no label */
    assert_int_equal(m->all_trees, 8);
    assert_int_equal(counted(m), 8);
    assert_true(m->variance[0] > 0.9 && m->variance[0] + m->variance[1] > 1 - 1e-9);
    assert_true(fabs(m->high_x - m->low_x - 70) < 0.5);
    int64_t four = 0;
    for (int64_t c = 0; c < BN_MAP_SIDE * BN_MAP_SIDE; c++)
        if (m->grid[c] == 4) {
            four++;
            assert_int_equal(c % BN_MAP_SIDE, 0);
            assert_int_equal(m->most[c], 1);    /* of two classes as frequent, the lower */
        }
    assert_int_equal(four, 1);
    assert_int_equal(m->dots, 2);
    assert_int_equal(m->dot[0].node, 0);
    assert_int_equal(m->dot[1].label, 1);
    assert_true(fabs(m->dot[0].x - m->dot[1].x - 10) < 0.5);
    assert_true(m->dot[0].weight == 1);
    bn_map_free(m);
    bonsai_graph_free(g);
    bonsai_graph_free(small);
}

static void a_far_node_does_not_squeeze_the_others(void **state)
{
    enum { N = 1200 };
    static float x[N * 2];
    static uint8_t label[N];
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < N * 2; i++)
        x[i] = random_real(&seed);
    x[0] = 1000;
    bonsai_graph *g = loose(x, N, 2, label, 1, true), *small = loose(x, 1, 2, label, 1, false);
    bn_map *m = mapped(small, g, 0, false, 1);
    assert_true(m->high_x - m->low_x > 900);    /* the dot is there, and must be seen */
    bn_map_free(m);
    bonsai_graph_free(small);
    small = loose(x + 2, 1, 2, label, 1, false);
    m = mapped(small, g, 0, false, 1);
    assert_true(m->high_x - m->low_x < 3);
    assert_int_equal(counted(m), N);
    assert_true(m->outside >= 1 && m->outside <= N / 50);
    bn_map_free(m);
    bonsai_graph_free(g);
    bonsai_graph_free(small);
}

static void the_heaviest_dots_are_drawn(void **state)
{
    enum { N = 2500 };
    static float x[N * 2];
    static uint8_t label[N];
    static uint16_t weight[N];
    bonsai_graph *heavy = NULL;
    uint64_t seed = 4;
    (void)state;
    random_features(x, N, 2, FLOATS, 100, &seed);
    for (int i = 0; i < N; i++)
        weight[i] = (uint16_t)(i * 7919 % N);
    bonsai_graph *g = loose(x, N, 2, label, 1, true);
    bonsai_view v = *bonsai_graph_view(g);
    v.section[BONSAI_SECTION_NODE_WEIGHTS] = (bonsai_array){weight, N, BONSAI_TYPE_U16};
    assert_int_equal(bonsai_graph_new(&heavy, &v, 0), BONSAI_OK);
    bn_map *m = mapped(heavy, g, 0, true, 1);
    assert_int_equal(m->dots, 2000);
    assert_int_equal(m->all_dots, N);
    for (int64_t i = 0; i < m->dots; i++)
        assert_true(m->dot[i].weight == (double)(N - 1 - i) &&
                    weight[m->dot[i].node] == N - 1 - i);
    bn_map_free(m);
    bonsai_graph_free(heavy);
    bonsai_graph_free(g);
}

static void a_map_of_nodes_that_are_alike_has_a_width(void **state)
{
    static const float x[8] = {1, 2, 1, 2, 1, 2, 1, 2};
    static const uint8_t label[4];
    bonsai_graph *g = loose(x, 4, 2, label, 1, true), *small = loose(x, 1, 2, label, 1, false);
    (void)state;
    bn_map *m = mapped(small, g, 1, false, 1);
    assert_true(m->low_x < m->high_x && m->low_y < m->high_y);
    assert_int_equal(counted(m), 4);
    assert_true(m->variance[0] == 0);
    bn_map_free(m);
    bonsai_graph_free(g);
    bonsai_graph_free(small);
}

static void without_training_nodes_there_is_no_map(void **state)
{
    static const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t unknown[4] = {255, 255, 255, 255};
    bonsai_graph *g = loose(x, 4, 2, unknown, 1, true);
    (void)state;
    bn_map *m = mapped(g, g, 1, false, 1);
    assert_false(m->known);
    assert_int_equal(m->trees, 0);
    bonsai_graph_free(g);
}

/* ---- maps of random graphs ---- */

/* One with at least four features. */
static bonsai_graph *wide_graph(void)
{
    for (uint64_t seed = 0; seed < CASES; seed++) {
        bonsai_graph *g = case_graph(seed);
        if (g->view.features >= 4 && training_nodes(g) > 2)
            return g;
        bonsai_graph_free(g);
    }
    fail_msg("no graph is wide");
    return NULL;
}

static void assert_same_map(const bn_map *a, const bn_map *b)
{
    assert_int_equal(a->dots, b->dots);
    for (int64_t i = 0; i < a->dots; i++)
        assert_true(a->dot[i].x == b->dot[i].x && a->dot[i].y == b->dot[i].y &&
                    a->dot[i].node == b->dot[i].node && a->dot[i].weight == b->dot[i].weight);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    assert_memory_equal(a->most, b->most, sizeof a->most);
    assert_true(a->low_x == b->low_x && a->high_x == b->high_x && a->low_y == b->low_y &&
                a->high_y == b->high_y && a->variance[0] == b->variance[0] &&
                a->variance[1] == b->variance[1]);
}

/* The classes differ in the third feature alone, which varies least. */
static void classes_that_variance_hides_are_apart(void **state)
{
    enum { N = 300, F = 6 };
    static float x[N * F];
    static uint8_t label[N];
    uint64_t seed = 8;
    (void)state;
    for (int i = 0; i < N; i++) {
        label[i] = (uint8_t)(i % 3);
        for (int j = 0; j < F; j++)
            x[i * F + j] = (j == 2 ? 0.2f : 5) * random_real(&seed);
        x[i * F + 2] += label[i];
    }
    bonsai_graph *g = loose(x, N, F, label, 3, true), *small = loose(x, 9, F, label, 3, false);
    bn_map *m = mapped(small, g, 0, true, 1), *apart = &m[BN_MAP_APART];
    assert_true(apart->known);
    assert_true(apart->variance[0] > 0.95);
    assert_true(apart->nearest > 0.9);
    assert_true(m->nearest < 0.6);
    for (int i = 0; i < 9; i++)                 /* in the order of the classes, to either side */
        for (int k = 0; k < 9; k++)
            if (apart->dot[i].label < apart->dot[k].label && apart->dot[0].label == 0)
                assert_true((apart->dot[i].x < apart->dot[k].x) ==
                            (apart->dot[0].x < apart->dot[2].x));
    bn_map_free(m);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void two_classes_have_a_map_and_one_has_none(void **state)
{
    static const float x[] = {0, 1, 0, 2, 0, 3, 5, 1, 5, 2, 5, 3.5f};
    static const uint8_t two[] = {0, 0, 0, 1, 1, 1}, one[6];
    (void)state;
    for (int classes = 1; classes < 3; classes++) {
        bonsai_graph *g = loose(x, 6, 2, classes == 2 ? two : one, 2, true);
        bn_map *m = mapped(g, g, 0, true, 1), *apart = &m[BN_MAP_APART];
        assert_true(m->known);
        assert_int_equal(apart->known, classes == 2);
        if (classes == 2) {
            assert_true(apart->variance[0] > 1 - 1e-9 && apart->variance[1] == 0);
            assert_true(apart->nearest == 1);
            assert_true(apart->high_y - apart->low_y > 1);
            assert_int_equal(counted(apart), 6);
        }
        bn_map_free(m);
        bonsai_graph_free(g);
    }
}

/* By an oracle: no other direction, of many random ones, has a larger ratio of the variance between
 * the classes to that within. */
static void no_direction_separates_better(void **state)
{
    enum { N = 240, F = 5 };
    static float x[N * F];
    static uint8_t label[N];
    uint64_t seed = 21;
    (void)state;
    for (int i = 0; i < N; i++) {
        label[i] = (uint8_t)(i % 4);
        for (int j = 0; j < F; j++)
            x[i * F + j] = random_real(&seed) * (float)(1 + j) + (float)(label[i] == j);
    }
    bonsai_graph *g = loose(x, N, F, label, 4, true);
    bn_map *m = mapped(g, g, 0, true, 1), *apart = &m[BN_MAP_APART];
    double best = 0, found = 0;
    for (int trial = 0; trial < 2001; trial++) {
        double v[F], mean[4] = {0}, all = 0, within = 0, between = 0;
        static double at[N];
        for (int j = 0; j < F; j++)
            v[j] = random_real(&seed) - 0.5;
        for (int i = 0; i < N; i++) {
            at[i] = 0;
            for (int j = 0; j < F; j++)
                at[i] += v[j] * (double)x[i * F + j];
        }
        for (int i = 0; trial == 0 && i < N; i++)       /* the map's own */
            at[apart->dot[i].node] = apart->dot[i].x;
        for (int i = 0; i < N; i++) {
            mean[label[i]] += at[i] / (N / 4);
            all += at[i] / N;
        }
        for (int i = 0; i < N; i++) {
            within += (at[i] - mean[label[i]]) * (at[i] - mean[label[i]]);
            between += (mean[label[i]] - all) * (mean[label[i]] - all);
        }
        if (trial == 0)
            found = between / within;
        best = between / within > best ? between / within : best;
    }
    assert_true(found > 0.95 * best);           /* it is shrunk a little */
    bn_map_free(m);
    bonsai_graph_free(g);
}

static void maps_of_dense_and_sparse_features_and_any_threads_are_the_same(void **state)
{
    int made = 0;
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_graph *dense = laid_out(g, true), *sparse = laid_out(g, false);
        bn_map *a = mapped(g, dense, 2, seed % 2, 1);
        bn_map *b = mapped(g, sparse, 2, seed % 2, 1), *c = mapped(g, dense, 2, seed % 2, 8);
        for (int k = 0; k < BN_MAPS; k++) {
            assert_same_map(&a[k], &b[k]);
            assert_same_map(&a[k], &c[k]);
        }
        assert_int_equal(counted(a), training_nodes(g));
        made += a->known;
        bn_map_free(a);
        bn_map_free(b);
        bn_map_free(c);
        bonsai_graph_free(dense);
        bonsai_graph_free(sparse);
        bonsai_graph_free(g);
    }
    assert_true(made > CASES / 2);
}

/* Embeddings of the graph itself: each dot is where the node was counted. */
static void trees_lie_where_their_graph_puts_them(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        bonsai_graph *g = case_graph(seed);
        bn_map *m = mapped(g, g, 2, false, 1);
        for (int64_t i = 0; i < m->dots; i++) {
            const bn_dot *d = &m->dot[i];
            int64_t x = (int64_t)(BN_MAP_SIDE * ((d->x - m->low_x) / (m->high_x - m->low_x)));
            int64_t y = (int64_t)(BN_MAP_SIDE * ((d->y - m->low_y) / (m->high_y - m->low_y)));
            x = x < BN_MAP_SIDE ? x : BN_MAP_SIDE - 1;
            y = y < BN_MAP_SIDE ? y : BN_MAP_SIDE - 1;
            assert_int_equal(d->label, bn_label(g, d->node));
            if (bn_part(g, d->node) == BONSAI_PART_TRAIN)
                assert_true(m->grid[y * BN_MAP_SIDE + x] > 0);
        }
        bn_map_free(m);
        bonsai_graph_free(g);
    }
}

static void features_that_were_dropped_do_not_count(void **state)
{
    const int32_t kept[] = {1, 3};
    bonsai_graph *g = wide_graph(), *few = NULL;
    (void)state;
    assert_int_equal(bn_graph_columns(&few, g, kept, 2), BONSAI_OK);
    bn_map *a = mapped(few, g, 1, false, 1), *b = mapped(few, few, 1, false, 1);
    assert_true(a->known);
    assert_same_map(a, b);
    bn_map_free(a);
    bn_map_free(b);
    bonsai_graph_free(few);
    bonsai_graph_free(g);
}

static void another_number_of_features_is_refused(void **state)
{
    bonsai_graph *g = case_graph(0), *small = loose(cross, 9, 2, cross_label, 3, false);
    static bn_map m[BN_MAPS];
    (void)state;
    assert_fails(bn_map_make(m, small, g, 2, false, &alone), BONSAI_E_ARGUMENT,
                 "has 2 features, but");
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static bonsai_status try_map(void *payload)
{
    static bn_map m[BN_MAPS];
    bonsai_graph **pair = payload;
    bonsai_status rc = bn_map_make(m, pair[0], pair[1], 2, false, &alone);
    bn_map_free(m);
    return rc;
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    const int32_t kept[] = {0, 2};
    bonsai_graph *g = wide_graph(), *few = NULL;
    (void)state;
    assert_int_equal(bn_graph_columns(&few, g, kept, 2), BONSAI_OK);
    survives_failed_allocations(try_map, (bonsai_graph *[]){few, g}, 20);
    bonsai_graph_free(few);
    bonsai_graph_free(g);
}

static int at_once(const bonsai_progress *p, void *payload)
{
    return strcmp(p->stage, payload) == 0;
}

static void it_can_be_canceled(void **state)
{
    static bn_map m[BN_MAPS];
    static char *const stages[] = {"embedding", "map"};
    bonsai_graph *g = case_graph(0);
    (void)state;
    for (int i = 0; i < 2; i++) {
        const bn_place at = {.threads = 1, .progress = {at_once, stages[i]}};
        assert_int_equal(bn_map_make(m, g, g, 2, false, &at), BONSAI_E_CANCELED);
    }
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_counted_where_they_lie),
        cmocka_unit_test(a_far_node_does_not_squeeze_the_others),
        cmocka_unit_test(the_heaviest_dots_are_drawn),
        cmocka_unit_test(a_map_of_nodes_that_are_alike_has_a_width),
        cmocka_unit_test(without_training_nodes_there_is_no_map),
        cmocka_unit_test(classes_that_variance_hides_are_apart),
        cmocka_unit_test(two_classes_have_a_map_and_one_has_none),
        cmocka_unit_test(no_direction_separates_better),
        cmocka_unit_test(maps_of_dense_and_sparse_features_and_any_threads_are_the_same),
        cmocka_unit_test(trees_lie_where_their_graph_puts_them),
        cmocka_unit_test(features_that_were_dropped_do_not_count),
        cmocka_unit_test(another_number_of_features_is_refused),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(it_can_be_canceled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
