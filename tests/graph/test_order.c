/* test_order.c -- reordered nodes give the same graph; blocks and halos match counting.
 *
 * SPDX-License-Identifier: MIT */
#include "random_graph.h"

#include <stdlib.h>

static const bonsai_order orders[] = {BONSAI_ORDER_METIS, BONSAI_ORDER_RANDOM, BONSAI_ORDER_DEGREE};

static bool has_metis(void)
{
    bonsai_graph *g = random_graph(1, 20, 40, NO_FEATURES, 0), *out = NULL;
    bonsai_status rc = bonsai_graph_reorder(&out, g, BONSAI_ORDER_METIS, 2, 1, NULL);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
    return rc == BONSAI_OK;
}

static bonsai_graph *reordered(const bonsai_graph *g, bonsai_order how, int64_t parts,
                               uint64_t seed)
{
    bonsai_graph *out = NULL;
    if (bonsai_graph_reorder(&out, g, how, parts, seed, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_int_equal(bonsai_graph_verify(out), BONSAI_OK);
    return out;
}

static const uint32_t *origin_of(const bonsai_graph *g)
{
    return bonsai_graph_view(g)->section[BONSAI_SECTION_ORIGIN].data;
}

static void assert_equal_graphs(const bonsai_graph *a, const bonsai_graph *b)
{
    int equal = 0;
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    assert_true(equal);
}

/* ---- orders ---- */

/* g without an origin, so that the new origin is the order itself. */
static bonsai_graph *without_origin(const bonsai_graph *g)
{
    bonsai_view v = *bonsai_graph_view(g);
    bonsai_graph *out = NULL;
    v.section[BONSAI_SECTION_ORIGIN] = (bonsai_array){0};
    assert_int_equal(bonsai_graph_new(&out, &v, 1), BONSAI_OK);
    return out;
}

static void assert_comes_back(const bonsai_graph *given, bonsai_order how, uint64_t seed)
{
    bonsai_graph *g = without_origin(given), *back = NULL, *same = NULL;
    int64_t n = bonsai_graph_nodes(g);
    bonsai_graph *out = reordered(g, how, seed % 3, seed);
    int32_t *place = calloc((size_t)n + 1, sizeof *place);
    int32_t *identity = calloc((size_t)n + 1, sizeof *identity);
    for (int64_t i = 0; i < n; i++)
        place[i] = identity[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(origin_of(out)[i], 0, n - 1);
        assert_int_equal(place[origin_of(out)[i]], -1);     /* every node once */
        place[origin_of(out)[i]] = (int32_t)i;
        identity[i] = (int32_t)i;
    }
    assert_int_equal(bonsai_graph_induce(&back, out, place, n), BONSAI_OK);
    assert_int_equal(bonsai_graph_induce(&same, g, identity, n), BONSAI_OK);
    assert_equal_graphs(back, same);            /* with origins 0, 1, 2, ... */
    assert_int_equal(bonsai_graph_view(out)->flags, bonsai_graph_view(g)->flags);
    const bonsai_array *was = &bonsai_graph_view(g)->section[BONSAI_SECTION_METADATA],
                       *is = &bonsai_graph_view(out)->section[BONSAI_SECTION_METADATA];
    assert_int_equal(is->count, was->count);
    if (was->count > 0)
        assert_memory_equal(is->data, was->data, (size_t)was->count);
    free(place);
    free(identity);
    bonsai_graph_free(back);
    bonsai_graph_free(same);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

static void undoing_the_order_gives_the_old_graph(void **state)
{
    (void)state;
    bool metis = has_metis();
    for (uint64_t seed = 0; seed < 120; seed++) {
        int with = seed % 5 == 4 ? WITH_ALL | WITH_LOOPS | WITH_REPEATED | DIRECTED : WITH_ALL;
        bonsai_graph *g = random_graph(seed, 1 + (int64_t)(seed * 7) % 60, (int64_t)seed % 97 * 3,
                                       (layout)(seed % LAYOUTS), with);
        for (int i = !metis; i < 3; i++)
            assert_comes_back(g, orders[i], seed);
        bonsai_graph_free(g);
    }
}

static void origins_are_composed(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(3, 40, 100, SPARSE_ONES, WITH_LABELS);
    bonsai_graph *one = reordered(g, BONSAI_ORDER_RANDOM, 0, 5);
    bonsai_graph *two = reordered(one, BONSAI_ORDER_DEGREE, 0, 0);
    for (int64_t i = 0; i < 40; i++)
        assert_int_equal(bonsai_graph_label(two, i), bonsai_graph_label(g, origin_of(two)[i]));
    bonsai_graph_free(two);
    bonsai_graph_free(one);
    bonsai_graph_free(g);
}

static int64_t degree_of(const bonsai_graph *g, int64_t v)
{
    return bn_row_begin(g, v + 1) - bn_row_begin(g, v);
}

static void degrees_fall_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(9, 300, 900, NO_FEATURES, 0);
    bonsai_graph *out = reordered(g, BONSAI_ORDER_DEGREE, 0, 0);
    for (int64_t i = 0; i + 1 < 300; i++) {
        assert_true(degree_of(out, i) >= degree_of(out, i + 1));
        if (degree_of(out, i) == degree_of(out, i + 1))
            assert_true(origin_of(out)[i] < origin_of(out)[i + 1]);
    }
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

static void order_none_shares_the_graph(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(4, 50, 90, DENSE_F32, WITH_ALL);
    bonsai_graph *out = reordered(g, BONSAI_ORDER_NONE, 0, 0);
    assert_equal_graphs(out, g);
    assert_ptr_equal(bonsai_graph_view(out)->section[BONSAI_SECTION_FEATURES].data,
                     bonsai_graph_view(g)->section[BONSAI_SECTION_FEATURES].data);
    bonsai_graph_free(g);
    assert_int_equal(bonsai_graph_verify(out), BONSAI_OK);
    bonsai_graph_free(out);
}

static void the_seed_decides(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(8, 400, 1500, NO_FEATURES, 0);
    for (int i = has_metis() ? 0 : 1; i < 2; i++) {
        srand(5);
        int first = rand();
        srand(5);
        bonsai_graph *a = reordered(g, orders[i], 5, 1), *b = reordered(g, orders[i], 5, 1),
                     *c = reordered(g, orders[i], 5, 2);
        assert_memory_equal(origin_of(a), origin_of(b), 400 * sizeof(uint32_t));
        assert_memory_not_equal(origin_of(a), origin_of(c), 400 * sizeof(uint32_t));
        assert_int_equal(rand(), first);        /* the program's own random numbers continue */
        bonsai_graph_free(a);
        bonsai_graph_free(b);
        bonsai_graph_free(c);
    }
    bonsai_graph_free(g);
}

/* ---- blocks and halos ---- */

/* As graph.h describes it, one node at a time. */
static void naive_blocks(int64_t *first, const bonsai_graph *g, int ranks)
{
    int64_t n = bonsai_graph_nodes(g), all = n + bonsai_graph_edges(g), least = n >= ranks;
    for (int r = 0; r <= ranks; r++) {
        int64_t v = 0;
        while (v < n && (bn_row_begin(g, v) + v) * ranks < all * r)
            v++;
        if (r > 0 && v < first[r - 1] + least)
            v = first[r - 1] + least;
        first[r] = v > n - least * (ranks - r) ? n - least * (ranks - r) : v;
    }
}

static int64_t naive_halo(const bonsai_graph *g, int64_t begin, int64_t end)
{
    int64_t count = 0;
    for (int64_t u = 0; u < bonsai_graph_nodes(g); u++) {
        bool touched = false;
        for (int64_t e = bn_row_begin(g, begin); e < bn_row_begin(g, end); e++)
            touched |= bn_neighbors(g)[e] == u;
        count += touched && (u < begin || u >= end);
    }
    return count;
}

static void blocks_and_halos_match_counting(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        bonsai_graph *g = random_graph(seed, 1 + (int64_t)seed % 37, (int64_t)(seed * 5) % 150,
                                       NO_FEATURES, seed % 2 ? 0 : DIRECTED | WITH_LOOPS);
        for (int ranks = 1; ranks <= 9; ranks++) {
            int64_t first[10], wanted[10], rows[9];
            bn_blocks(first, g, ranks);
            naive_blocks(wanted, g, ranks);
            assert_memory_equal(first, wanted, (size_t)(ranks + 1) * sizeof *first);
            assert_int_equal(first[0], 0);
            assert_int_equal(first[ranks], bonsai_graph_nodes(g));
            assert_int_equal(bn_halo_count(rows, g, ranks), BONSAI_OK);
            for (int r = 0; r < ranks; r++) {
                assert_true(first[r] + (bonsai_graph_nodes(g) >= ranks) <= first[r + 1]);
                assert_int_equal(rows[r], naive_halo(g, first[r], first[r + 1]));
            }
        }
        bonsai_graph_free(g);
    }
}

/* One node with nearly all entries still leaves a node for each rank after it. */
static void a_hub_leaves_every_rank_a_node(void **state)
{
    (void)state;
    enum { N = 12 };
    int32_t source[N - 1], target[N - 1];
    for (int hub = 0; hub < N; hub += N - 1) {
        bonsai_graph *g = NULL;
        bonsai_view v;
        bonsai_view_init(&v);
        v.nodes = N;
        for (int i = 0; i < N - 1; i++) {
            source[i] = hub;
            target[i] = hub ? i : i + 1;
        }
        assert_int_equal(bonsai_graph_build(&g, &v, N - 1, source, target, NULL, NULL), BONSAI_OK);
        for (int ranks = 1; ranks <= N; ranks++) {
            int64_t first[N + 1];
            bn_blocks(first, g, ranks);
            for (int r = 0; r < ranks; r++)
                assert_true(first[r] < first[r + 1]);
        }
        bonsai_graph_free(g);
    }
}

/* Communities of 250 nodes in random order: 9 of 10 edges stay inside. */
static bonsai_graph *communities(int count)
{
    enum { SIZE = 250, EDGES = 6 };
    int64_t n = (int64_t)count * SIZE;
    int32_t *source = calloc((size_t)n * EDGES, sizeof *source);
    int32_t *target = calloc((size_t)n * EDGES, sizeof *target);
    bonsai_graph *planted = NULL;
    bonsai_view v;
    uint64_t state = 11;
    bonsai_view_init(&v);
    v.nodes = n;
    for (int64_t i = 0; i < n * EDGES; i++) {
        source[i] = (int32_t)(i / EDGES);
        target[i] = random_below(&state, 10) == 0 ? random_below(&state, (int)n)
                        : source[i] / SIZE * SIZE + random_below(&state, SIZE);
    }
    assert_int_equal(bonsai_graph_build(&planted, &v, n * EDGES, source, target, NULL, NULL),
                     BONSAI_OK);
    free(source);
    free(target);
    bonsai_graph *out = reordered(planted, BONSAI_ORDER_RANDOM, 0, 3);
    bonsai_graph_free(planted);
    return out;
}

static int64_t total_halo(const bonsai_graph *g, int ranks)
{
    int64_t rows[16], sum = 0;
    assert_int_equal(bn_halo_count(rows, g, ranks), BONSAI_OK);
    for (int r = 0; r < ranks; r++)
        sum += rows[r];
    return sum;
}

static void metis_makes_the_halos_of_communities_small(void **state)
{
    (void)state;
    if (!has_metis())
        skip();
    bonsai_graph *g = communities(8);
    for (int parts = 4; parts <= 16; parts *= 2) {
        bonsai_graph *out = reordered(g, BONSAI_ORDER_METIS, parts, 1);
        for (int ranks = 2; ranks <= (parts < 8 ? parts : 8); ranks *= 2)
            assert_true(total_halo(out, ranks) * 2 < total_halo(g, ranks));
        bonsai_graph_free(out);
    }
    bonsai_graph *out = reordered(g, BONSAI_ORDER_METIS, 8, 1);
    assert_true(total_halo(out, 8) * 3 < total_halo(g, 8));
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

/* Eight cliques in random order with no edge between them: each must stay in one piece. */
static void metis_keeps_cliques_together(void **state)
{
    (void)state;
    enum { CLIQUE = 20, N = 8 * CLIQUE };
    if (!has_metis())
        skip();
    static int32_t source[N * CLIQUE], target[N * CLIQUE];
    int64_t m = 0;
    for (int32_t u = 0; u < N; u++)
        for (int32_t v = 0; v < N; v++)
            if (u != v && u % 8 == v % 8) {
                source[m] = u;
                target[m++] = v;
            }
    bonsai_graph *g = NULL;
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = N;
    assert_int_equal(bonsai_graph_build(&g, &v, m, source, target, NULL, NULL), BONSAI_OK);
    bonsai_graph *out = reordered(g, BONSAI_ORDER_METIS, 0, 1);
    for (int i = 0; i < N; i++) {
        assert_int_equal(origin_of(out)[i] % 8, origin_of(out)[i / CLIQUE * CLIQUE] % 8);
        if (i % CLIQUE)
            assert_true(origin_of(out)[i - 1] < origin_of(out)[i]);
    }
    assert_int_equal(total_halo(out, 8), 0);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

/* ---- edges and refusals ---- */

static void small_and_empty_graphs_can_be_ordered(void **state)
{
    (void)state;
    bool metis = has_metis();
    for (int64_t n = 0; n < 6; n++)
        for (int64_t m = 0; m < 3; m++) {
            bonsai_graph *g = random_graph((uint64_t)(n + m), n, n ? m * n : 0, NO_FEATURES, 0);
            for (int i = !metis; i < 3; i++)
                bonsai_graph_free(reordered(g, orders[i], i == 0 && n ? n : 0, 1));
            bonsai_graph_free(g);
        }
}

static void impossible_orders_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(2, 10, 30, NO_FEATURES, 0), *out = g;
    assert_fails(bonsai_graph_reorder(&out, g, (bonsai_order)9, 0, 1, NULL), BONSAI_E_ARGUMENT,
                 "order 9 is not known");
    assert_null(out);
    if (has_metis()) {
        assert_fails(bonsai_graph_reorder(&out, g, BONSAI_ORDER_METIS, 11, 1, NULL),
                     BONSAI_E_ARGUMENT,
                     "parts is 11 but must be in 1..10, the number of nodes, or 0");
        assert_fails(bonsai_graph_reorder(&out, g, BONSAI_ORDER_METIS, -1, 1, NULL),
                     BONSAI_E_ARGUMENT, "parts is -1 but must be in 1..10");
    } else
        assert_fails(bonsai_graph_reorder(&out, g, BONSAI_ORDER_METIS, 2, 1, NULL),
                     BONSAI_E_ARGUMENT, "built without METIS: install libmetis-dev");
    bonsai_graph_free(g);
}

static int stop(const bonsai_progress *p, void *payload)
{
    (void)payload;
    return p->done == 1;
}

static void it_can_be_canceled(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(2, 10, 30, NO_FEATURES, 0), *out = g;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.progress = stop;
    assert_fails(bonsai_graph_reorder(&out, g, BONSAI_ORDER_DEGREE, 0, 1, &o), BONSAI_E_CANCELED,
                 "canceled during \"ordering\"");
    assert_null(out);
    bonsai_graph_free(g);
}

typedef struct { bonsai_graph *g; bonsai_order how; } ordering;

static bonsai_status order_it(void *payload)
{
    const ordering *a = payload;
    bonsai_graph *out = NULL;
    int64_t rows[3];
    bonsai_status rc = bonsai_graph_reorder(&out, a->g, a->how, 0, 1, NULL);
    if (rc == BONSAI_OK)
        rc = bn_halo_count(rows, out, 3);
    bonsai_graph_free(out);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (int i = !has_metis(); i < 3; i++)
        for (int directed = 0; directed < 2; directed++) {
            ordering a = {random_graph(5, 30, 80, SPARSE_F32, WITH_ALL | (directed ? DIRECTED : 0)),
                          orders[i]};
            survives_failed_allocations(order_it, &a, 15);
            bonsai_graph_free(a.g);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undoing_the_order_gives_the_old_graph),
        cmocka_unit_test(origins_are_composed),
        cmocka_unit_test(degrees_fall_and_equal_ones_keep_their_order),
        cmocka_unit_test(order_none_shares_the_graph),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(blocks_and_halos_match_counting),
        cmocka_unit_test(a_hub_leaves_every_rank_a_node),
        cmocka_unit_test(metis_makes_the_halos_of_communities_small),
        cmocka_unit_test(metis_keeps_cliques_together),
        cmocka_unit_test(small_and_empty_graphs_can_be_ordered),
        cmocka_unit_test(impossible_orders_are_refused),
        cmocka_unit_test(it_can_be_canceled),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
