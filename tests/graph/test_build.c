/* test_build.c -- adjacency from edges, compared with a dense matrix.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "oracle.h"
#include "random_graph.h"

enum { MOST_NODES = 12, MOST_EDGES = 60 };

typedef struct {
    int64_t n, m;
    int32_t source[MOST_EDGES], target[MOST_EDGES];
    float   weight[MOST_EDGES];
} edges;

static void random_edges(edges *e, uint64_t seed)
{
    uint64_t s = seed;
    e->n = 1 + random_below(&s, MOST_NODES);
    e->m = random_below(&s, MOST_EDGES + 1);
    for (int64_t i = 0; i < e->m; i++) {
        e->source[i] = random_below(&s, (int)e->n);
        e->target[i] = random_below(&s, (int)e->n);
        e->weight[i] = (float)(1 + random_below(&s, 16)) / 4;  /* sums are exact */
    }
    if (seed % 4 == 0)                          /* make it symmetric, sometimes */
        for (int64_t i = 0; i + 1 < e->m; i += 2) {
            e->source[i + 1] = e->target[i];
            e->target[i + 1] = e->source[i];
            e->weight[i + 1] = e->weight[i];
        }
    if (seed % 4 == 0 && e->m % 2)
        e->m--;
}

static bonsai_read_options options(int flags, int threads)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.keep_directed = flags & 1;
    o.keep_self_loops = flags >> 1 & 1;
    o.keep_repeated = flags >> 2 & 1;
    o.threads = threads;
    return o;
}

static void build(bn_adjacent *a, const edges *e, bool weighted, int flags, int threads)
{
    bonsai_read_options o = options(flags, threads);
    bonsai_read_info info = {0};
    uint64_t got = 99;
    assert_int_equal(bn_adjacent_build(a, &got, &info, "test", e->n, e->m, e->source, e->target,
                                       weighted ? e->weight : NULL, &o), BONSAI_OK);
    assert_int_equal(got, flags);
    assert_int_equal(info.edges_given, e->m);
    assert_int_equal(info.edges_given - info.self_loops - info.repeated + info.reversed, a->m);
}

static void same_as_matrix(const bn_adjacent *a, const int *count, const double *weight,
                           bool repeated)
{
    assert_int_equal(a->offsets[0], 0);
    assert_int_equal(a->offsets[a->n], a->m);
    for (int64_t u = 0; u < a->n; u++) {
        int64_t e = a->offsets[u];
        for (int64_t v = 0; v < a->n; v++) {
            double sum = 0;
            int64_t first = e;
            for (; e < a->offsets[u + 1] && a->neighbors[e] == v; e++) {
                sum += a->weights ? (double)a->weights[e] : 0;
                assert_true(!a->weights || e == first || a->weights[e] >= a->weights[e - 1]);
            }
            assert_int_equal(e - first, count[u * a->n + v]);
            if (a->weights)
                assert_true(sum == weight[u * a->n + v]);
            assert_true(repeated || e - first <= 1);
        }
        assert_int_equal(e, a->offsets[u + 1]);
    }
}

static void the_adjacency_equals_the_dense_matrix(void **state)
{
    (void)state;
    edges e;
    int count[MOST_NODES * MOST_NODES];
    double weight[MOST_NODES * MOST_NODES];
    for (uint64_t seed = 0; seed < 250; seed++)
        for (int flags = 0; flags < 8; flags++)
            for (int weighted = 0; weighted < 2; weighted++) {
                bn_adjacent a;
                random_edges(&e, seed);
                build(&a, &e, weighted, flags, 1 + (int)(seed % 3));
                oracle_adjacency(count, weight, e.n, e.m, e.source, e.target,
                                 weighted ? e.weight : NULL, flags & 1, flags & 2, flags & 4);
                same_as_matrix(&a, count, weight, flags & 4);
                assert_int_equal(a.weights != NULL, weighted);
                bn_adjacent_free(&a);
            }
}

static void same_bytes(const bn_adjacent *a, const bn_adjacent *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->m, b->m);
    assert_memory_equal(a->offsets, b->offsets, (size_t)(a->n + 1) * sizeof *a->offsets);
    assert_memory_equal(a->neighbors, b->neighbors, (size_t)a->m * sizeof *a->neighbors);
    if (a->weights)
        assert_memory_equal(a->weights, b->weights, (size_t)a->m * sizeof *a->weights);
}

/* A larger graph, of several blocks and buckets. */
typedef struct { int64_t n, m; int32_t *source, *target; float *weight; } many;

static many many_edges(int64_t n, int64_t m, int star, uint64_t seed)
{
    many e = {n, m, malloc((size_t)m * 4), malloc((size_t)m * 4), malloc((size_t)m * 4)};
    uint64_t s = seed;
    for (int64_t i = 0; i < m; i++) {
        e.source[i] = star ? 0 : random_below(&s, (int)n);
        e.target[i] = random_below(&s, (int)n);
        e.weight[i] = random_real(&s) + 1.5f;
    }
    return e;
}

static void free_many(many *e)
{
    free(e->source);
    free(e->target);
    free(e->weight);
}

static void build_many(bn_adjacent *a, const many *e, int flags, int threads)
{
    bonsai_read_options o = options(flags, threads);
    bonsai_read_info info = {0};
    uint64_t got = 0;
    assert_int_equal(bn_adjacent_build(a, &got, &info, "test", e->n, e->m, e->source, e->target,
                                       e->weight, &o), BONSAI_OK);
}

static void swap_edges(many *e, int64_t i, int64_t j)
{
    int32_t u = e->source[i], v = e->target[i];
    float w = e->weight[i];
    e->source[i] = e->source[j];
    e->target[i] = e->target[j];
    e->weight[i] = e->weight[j];
    e->source[j] = u;
    e->target[j] = v;
    e->weight[j] = w;
}

static void neither_order_nor_threads_change_a_byte(void **state)
{
    (void)state;
    static const struct { int64_t n, m; int star; } shapes[] = {
        {50000, 300000, 0}, {300, 300000, 0}, {100000, 70000, 1}, {3, 70000, 1}};
    for (int k = 0; k < 4; k++)
        for (int flags = 0; flags < 8; flags += k ? 4 : 7) {
            many e = many_edges(shapes[k].n, shapes[k].m, shapes[k].star, (uint64_t)k);
            bn_adjacent a, b;
            uint64_t s = 77;
            build_many(&a, &e, flags, 1);
            for (int threads = 2; threads <= 8; threads *= 4) {
                build_many(&b, &e, flags, threads);
                same_bytes(&a, &b);
                bn_adjacent_free(&b);
            }
            for (int64_t i = e.m - 1; i > 0; i--)
                swap_edges(&e, i, random_below(&s, (int)i + 1));
            build_many(&b, &e, flags, 2);
            same_bytes(&a, &b);
            bn_adjacent_free(&a);
            bn_adjacent_free(&b);
            free_many(&e);
        }
}

static void a_symmetric_input_is_not_doubled(void **state)
{
    (void)state;
    edges e = {.n = 3, .m = 4, .source = {0, 1, 1, 2}, .target = {1, 0, 2, 1},
               .weight = {2, 2, 5, 5}};
    bn_adjacent a;
    build(&a, &e, true, 0, 1);
    assert_int_equal(a.m, 4);
    assert_true(a.weights[0] == 2 && a.weights[1] == 2 && a.weights[2] == 5);
    bn_adjacent_free(&a);
    e.weight[1] = 3;                            /* one edge, two weights: they are summed */
    build(&a, &e, true, 0, 1);
    assert_true(a.weights[0] == 5 && a.weights[1] == 5 && a.weights[2] == 10);
    bn_adjacent_free(&a);
}

static void building_the_result_again_changes_nothing(void **state)
{
    (void)state;
    for (int flags = 0; flags < 8; flags++) {
        many e = many_edges(40, 300, 0, (uint64_t)flags), again = {.n = 40};
        bn_adjacent a, b;
        build_many(&a, &e, flags, 1);
        again.m = a.m;
        again.source = malloc((size_t)a.m * 4);
        again.target = malloc((size_t)a.m * 4);
        again.weight = malloc((size_t)a.m * 4);
        for (int64_t u = 0; u < a.n; u++)
            for (int64_t i = a.offsets[u]; i < a.offsets[u + 1]; i++) {
                again.source[i] = (int32_t)u;
                again.target[i] = a.neighbors[i];
                again.weight[i] = a.weights[i];
            }
        build_many(&b, &again, flags, 1);
        same_bytes(&a, &b);
        bn_adjacent_free(&a);
        bn_adjacent_free(&b);
        free_many(&e);
        free_many(&again);
    }
}

static void a_star_reaches_every_leaf(void **state)
{
    (void)state;
    enum { LEAVES = 150000 };
    many e = many_edges(LEAVES + 1, LEAVES, 1, 1);
    bn_adjacent a;
    for (int i = 0; i < LEAVES; i++)
        e.target[i] = LEAVES - i;
    build_many(&a, &e, 0, 1024);                /* memory for many threads stays small */
    assert_int_equal(a.m, 2 * LEAVES);
    assert_int_equal(a.offsets[1], LEAVES);
    for (int i = 0; i < LEAVES; i++) {
        assert_int_equal(a.neighbors[i], i + 1);
        assert_int_equal(a.neighbors[LEAVES + i], 0);
        assert_true(a.weights[LEAVES + i] == a.weights[i]);
    }
    bn_adjacent_free(&a);
    free_many(&e);
}

static void one_edge_many_times_is_one_edge(void **state)
{
    (void)state;
    enum { TIMES = 300000 };                    /* quadratic time would show */
    many e = many_edges(2, TIMES, 1, 3);
    bn_adjacent a;
    double sum = 0;
    for (int i = 0; i < TIMES; i++) {
        e.target[i] = 1;
        e.weight[i] = (float)((TIMES - i) % 1000 + 1);
        sum += (double)e.weight[i];
    }
    build_many(&a, &e, 0, 2);
    assert_int_equal(a.m, 2);
    assert_true(a.weights[0] == (float)sum && a.weights[1] == (float)sum);
    bn_adjacent_free(&a);
    free_many(&e);
}

static void tiny_inputs_work(void **state)
{
    (void)state;
    edges e = {.n = 0, .m = 0};
    bn_adjacent a;
    for (int flags = 0; flags < 8; flags++) {
        e.n = e.m = 0;
        build(&a, &e, true, flags, 2);
        assert_int_equal(a.m, 0);
        assert_int_equal(a.offsets[0], 0);
        bn_adjacent_free(&a);
        e.n = 1;
        e.m = 2;
        e.source[0] = e.source[1] = e.target[0] = e.target[1] = 0;
        e.weight[0] = e.weight[1] = 1;
        build(&a, &e, true, flags, 2);
        assert_int_equal(a.m, !(flags & 2) ? 0 : flags & 4 ? 2 : 1);
        bn_adjacent_free(&a);
    }
}

static bonsai_status try_edge(int32_t u, int32_t v, float w, const bonsai_read_options *o)
{
    const int32_t source[] = {0, u}, target[] = {1, v};
    const float weight[] = {1, w};
    bonsai_view view;
    bonsai_graph *g = (bonsai_graph *)1;
    bonsai_view_init(&view);
    view.nodes = 3;
    bonsai_status rc = bonsai_graph_build(&g, &view, 2, source, target, weight, o);
    if (rc == BONSAI_OK)
        bonsai_graph_free(g);
    else
        assert_null(g);
    return rc;
}

static void wrong_edges_are_refused(void **state)
{
    (void)state;
    assert_int_equal(try_edge(1, 2, 1, NULL), BONSAI_OK);
    assert_fails(try_edge(1, 3, 1, NULL), BONSAI_E_ARGUMENT,
                 "graph: edge 1: node 3 is outside 0..2");
    assert_fails(try_edge(-1, 2, 1, NULL), BONSAI_E_ARGUMENT, "edge 1: node -1 is outside 0..2");
    assert_fails(try_edge(1, 2, 0, NULL), BONSAI_E_ARGUMENT, "edge 1: weight 0 is not positive");
    assert_fails(try_edge(1, 2, -2, NULL), BONSAI_E_ARGUMENT, "weight -2 is not positive");
    assert_fails(try_edge(1, 2, NAN, NULL), BONSAI_E_ARGUMENT, "weight nan is not positive");
    assert_fails(try_edge(1, 2, INFINITY, NULL), BONSAI_E_ARGUMENT, "weight inf is not positive");
}

/* ---- edges of 64 bits ---- */

static bonsai_status try_wide(int64_t u, int64_t v)
{
    const int64_t edge_index[] = {0, u, 1, v};  /* [2, 2], as PyTorch Geometric has it */
    bonsai_view view;
    bonsai_graph *g = (bonsai_graph *)1;
    bonsai_view_init(&view);
    view.nodes = 3;
    bonsai_status rc = bonsai_graph_build64(&g, &view, 2, edge_index, edge_index + 2, NULL, NULL);
    if (rc == BONSAI_OK)
        bonsai_graph_free(g);
    else
        assert_null(g);
    return rc;
}

static void wide_edges_give_the_same_graph(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        edges e;
        int64_t wide[2][MOST_EDGES];
        bonsai_graph *a, *b;
        bonsai_view view;
        int same = 0;
        random_edges(&e, seed);
        for (int64_t i = 0; i < e.m; i++) {
            wide[0][i] = e.source[i];
            wide[1][i] = e.target[i];
        }
        bonsai_view_init(&view);
        view.nodes = e.n;
        const float *weight = seed % 2 ? e.weight : NULL;
        assert_int_equal(bonsai_graph_build(&a, &view, e.m, e.source, e.target, weight, NULL),
                         BONSAI_OK);
        assert_int_equal(bonsai_graph_build64(&b, &view, e.m, wide[0], wide[1], weight, NULL),
                         BONSAI_OK);
        assert_int_equal(bonsai_graph_equal(&same, a, b), BONSAI_OK);
        assert_true(same);
        bonsai_graph_free(a);
        bonsai_graph_free(b);
    }
}

static void wide_nodes_that_are_not_there_are_named(void **state)
{
    (void)state;
    bonsai_graph *g;
    bonsai_view view;
    bonsai_view_init(&view);
    assert_int_equal(try_wide(1, 2), BONSAI_OK);
    assert_fails(try_wide(1, 3), BONSAI_E_ARGUMENT, "graph: edge 1: node 3 is outside 0..2");
    assert_fails(try_wide(1, 9000000000), BONSAI_E_ARGUMENT,
                 "graph: edge 1: node 9000000000 is outside 0..2");
    assert_fails(try_wide(INT64_MIN, 2), BONSAI_E_ARGUMENT,
                 "graph: edge 1: node -9223372036854775808 is outside 0..2");
    assert_fails(try_wide((int64_t)1 << 32, 2), BONSAI_E_ARGUMENT,     /* 0, if its top is cut off */
                 "graph: edge 1: node 4294967296 is outside 0..2");
    assert_fails(bonsai_graph_build64(&g, &view, 2, NULL, NULL, NULL, NULL), BONSAI_E_ARGUMENT,
                 "2 edges, but no source or target");
    assert_int_equal(bonsai_graph_build64(&g, &view, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    bonsai_graph_free(g);
}

static bonsai_status build_wide(void *payload)
{
    (void)payload;
    return try_wide(1, 2);
}

static void wide_edges_survive_failed_allocations(void **state)
{
    (void)state;
    survives_failed_allocations(build_wide, NULL, 8);
}

static int cancel(const bonsai_progress *p, void *payload)
{
    (void)p;
    return --*(int *)payload < 0;
}

static void every_tick_can_cancel(void **state)
{
    (void)state;
    bonsai_read_options o = options(0, 1);
    int64_t before = bn_mem_live();
    o.progress = cancel;
    for (int ticks = 0;; ticks++) {
        int left = ticks;
        o.payload = &left;
        bonsai_status rc = try_edge(1, 2, 1, &o);
        assert_int_equal(bn_mem_live(), before);
        if (rc == BONSAI_OK) {
            assert_true(ticks >= 4);            /* first and last, of both passes */
            return;
        }
        assert_fails(rc, BONSAI_E_CANCELED, "canceled during \"");
    }
}

static bonsai_status build_small(void *payload)
{
    edges *e = payload;
    bonsai_read_options o = options(0, 2);
    bonsai_read_info info = {0};
    uint64_t flags = 0;
    bn_adjacent a;
    bonsai_status rc = bn_adjacent_build(&a, &flags, &info, "test", e->n, e->m, e->source,
                                         e->target, e->weight, &o);
    bn_adjacent_free(&a);
    return rc;
}

static void building_survives_failed_allocations(void **state)
{
    (void)state;
    edges e;
    random_edges(&e, 5);
    survives_failed_allocations(build_small, &e, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_adjacency_equals_the_dense_matrix),
        cmocka_unit_test(neither_order_nor_threads_change_a_byte),
        cmocka_unit_test(a_symmetric_input_is_not_doubled),
        cmocka_unit_test(building_the_result_again_changes_nothing),
        cmocka_unit_test(a_star_reaches_every_leaf),
        cmocka_unit_test(one_edge_many_times_is_one_edge),
        cmocka_unit_test(tiny_inputs_work),
        cmocka_unit_test(wrong_edges_are_refused),
        cmocka_unit_test(wide_edges_give_the_same_graph),
        cmocka_unit_test(wide_nodes_that_are_not_there_are_named),
        cmocka_unit_test(wide_edges_survive_failed_allocations),
        cmocka_unit_test(every_tick_can_cancel),
        cmocka_unit_test(building_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
