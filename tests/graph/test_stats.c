/* test_stats.c -- statistics of a graph, compared with counting by hand.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

static void numbers_of_a_small_graph(void **state)
{
    (void)state;
    bonsai_view v;
    bonsai_graph *g;
    bonsai_stats s;
    int64_t classes[2];
    bonsai_read_options o;
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    bonsai_stats_init(&s);
    v.nodes = 5;
    v.features = 2;
    v.classes = 2;
    v.section[BONSAI_SECTION_FEATURES] =
        (bonsai_array){(float[]){1, 0, 0, 0, 2, -0.0f, 0, 0, 1, 1}, 10, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] =
        (bonsai_array){(uint8_t[]){0, 0, 1, 255, 1}, 5, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){(uint8_t[]){1, 2, 3, 0, 1}, 5, BONSAI_TYPE_U8};
    o.keep_self_loops = 1;
    /* edges 0-1 0-2 0-3 1-1, node 4 alone */
    assert_int_equal(bonsai_graph_build(&g, &v, 4, (int32_t[]){0, 0, 0, 1}, (int32_t[]){1, 2, 3, 1},
                                        NULL, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_stats(&s, classes, g, NULL), BONSAI_OK);
    assert_int_equal(s.nodes, 5);
    assert_int_equal(s.edges, 7);
    assert_int_equal(s.features, 2);
    assert_int_equal(s.classes, 2);
    assert_int_equal(s.feature_nnz, 5);         /* minus zero is kept */
    assert_int_equal(s.labelled, 4);
    assert_memory_equal(s.part, ((int64_t[]){1, 2, 1, 1}), sizeof s.part);
    assert_int_equal(s.isolated, 1);
    assert_int_equal(s.self_loops, 1);
    assert_int_equal(s.degree_min, 0);
    assert_int_equal(s.degree_median, 1);
    assert_int_equal(s.degree_max, 3);
    assert_true(s.degree_mean == 7.0 / 5);
    assert_int_equal(s.degree_bin[0], 1);
    assert_int_equal(s.degree_bin[1], 2);
    assert_int_equal(s.degree_bin[2], 2);
    assert_true(s.homophily == 0.5);            /* 0-1 same, 0-2 not, 0-3 unknown */
    assert_true(s.power_exponent == 0);
    assert_int_equal(classes[0], 2);
    assert_int_equal(classes[1], 2);
    bonsai_graph_free(g);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void numbers_of_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        int64_t n = (int64_t)(seed % 20), degree[20] = {0}, same = 0, known = 0, loops = 0, nnz = 0;
        bonsai_graph *g = random_graph(seed, n, 30, seed % LAYOUTS,
                                       (seed % 5 ? WITH_LABELS : 0) | (int)(seed % 8) * WITH_LOOPS);
        const uint32_t *to = bonsai_graph_view(g)->section[BONSAI_SECTION_NEIGHBORS].data;
        float row[16];
        bonsai_stats s;
        bonsai_stats_init(&s);
        assert_int_equal(bonsai_graph_stats(&s, NULL, g, NULL), BONSAI_OK);
        for (int64_t v = 0, e = 0; v < n; v++) {
            int32_t label = bonsai_graph_label(g, v);
            for (; e < bn_row_begin(g, v + 1); e++, degree[v]++) {
                int32_t other = bonsai_graph_label(g, to[e]);
                loops += to[e] == v;
                if (to[e] == v || label < 0 || other < 0)
                    continue;
                known++;
                same += label == other;
            }
            bonsai_graph_row(row, g, v);
            for (int64_t j = 0; j < bonsai_graph_features(g); j++)
                nnz += row[j] != 0 || signbit(row[j]);
        }
        qsort(degree, (size_t)n, sizeof *degree, by_value);
        assert_int_equal(s.nodes, n);
        assert_int_equal(s.feature_nnz, nnz);
        assert_int_equal(s.self_loops, loops);
        assert_int_equal(s.degree_min, n ? degree[0] : 0);
        assert_int_equal(s.degree_max, n ? degree[n - 1] : 0);
        assert_int_equal(s.degree_median, n ? degree[(n - 1) / 2] : 0);
        assert_true(s.homophily == (known ? (double)same / (double)known : -1));
        int64_t binned = 0;
        for (int i = 0; i < 33; i++)
            binned += s.degree_bin[i];
        assert_int_equal(binned, n);
        bonsai_graph_free(g);
    }
}

static void the_tail_of_a_power_law_is_measured(void **state)
{
    (void)state;
    enum { N = 20000 };
    int64_t m = 0;
    int32_t *source = malloc(4000000 * 4), *target = malloc(4000000 * 4);
    bonsai_read_options o;
    bonsai_view v;
    bonsai_graph *g;
    bonsai_stats s;
    bonsai_read_options_init(&o);
    bonsai_view_init(&v);
    bonsai_stats_init(&s);
    o.keep_directed = 1;
    v.nodes = N;
    for (int i = 0; i < N; i++) {               /* P(degree >= d) = (d / 2)^-1.5 */
        int degree = (int)(2 * pow((i + 0.5) / N, -1 / 1.5) + 0.5);
        for (int k = 1; k <= degree && k < N && m < 4000000; k++, m++) {
            source[m] = i;
            target[m] = (i + k) % N;
        }
    }
    assert_int_equal(bonsai_graph_build(&g, &v, m, source, target, NULL, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_stats(&s, NULL, g, NULL), BONSAI_OK);
    assert_true(fabs(s.power_exponent - 2.5) < 0.1);
    bonsai_graph_free(g);
    free(source);
    free(target);
}

static void older_and_newer_structs_are_filled_as_far_as_they_go(void **state)
{
    (void)state;
    struct { bonsai_stats known; int64_t tail[2]; } newer;
    bonsai_stats older, zero = {0};
    bonsai_graph *g = random_graph(1, 9, 20, DENSE_F32, WITH_ALL);
    memset(&older, 0x77, sizeof older);
    bonsai_stats_init_sized(&older, offsetof(bonsai_stats, features));
    assert_int_equal(bonsai_graph_stats(&older, NULL, g, NULL), BONSAI_OK);
    assert_int_equal(older.size, offsetof(bonsai_stats, features));
    assert_int_equal(older.nodes, 9);
    assert_int_equal(*(unsigned char *)&older.features, 0x77);
    bonsai_stats_init_sized(&newer.known, sizeof newer);
    assert_int_equal(bonsai_graph_stats(&newer.known, NULL, g, NULL), BONSAI_OK);
    assert_int_equal(newer.known.size, sizeof newer);
    assert_int_equal(newer.tail[1], 0);
    assert_fails(bonsai_graph_stats(&zero, NULL, g, NULL), BONSAI_E_ARGUMENT,
                 "bonsai_stats was not initialised");
    bonsai_graph_free(g);
}

static void many_features_of_no_nodes_cost_nothing(void **state)
{
    (void)state;
    bonsai_view v;
    bonsai_graph *g;
    bonsai_stats s;
    bonsai_view_init(&v);
    bonsai_stats_init(&s);
    v.features = 1 << 22;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){&v, 0, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    bn_mem_limit(1 << 20);
    assert_int_equal(bonsai_graph_stats(&s, NULL, g, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_save(NULL, g, temp_path("wide.bonsai"), NULL), BONSAI_OK);
    bn_mem_limit(0);
    bonsai_graph_free(g);
}

static bonsai_status stats_of(void *payload)
{
    bonsai_stats s;
    bonsai_stats_init(&s);
    return bonsai_graph_stats(&s, NULL, payload, NULL);
}

static void counting_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 9, 20, SPARSE_U8, WITH_ALL);
    survives_failed_allocations(stats_of, g, 3);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_small_graph),
        cmocka_unit_test(numbers_of_random_graphs),
        cmocka_unit_test(the_tail_of_a_power_law_is_measured),
        cmocka_unit_test(older_and_newer_structs_are_filled_as_far_as_they_go),
        cmocka_unit_test(many_features_of_no_nodes_cost_nothing),
        cmocka_unit_test(counting_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
