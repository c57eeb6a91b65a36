/* test_generate.c -- generated graphs have the requested properties, and depend only on the seed.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

static bonsai_generate_options options(int64_t nodes)
{
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = 200;
    o.words = 10;
    o.threads = 1;
    return o;
}

static bonsai_graph *generate(const bonsai_generate_options *o)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_generate(&g, o);
    if (rc != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_int_equal(bonsai_graph_check(g, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_view(g)->flags, 0);
    return g;
}

/* ---- oracles: straight loops over the view's arrays ---- */

static int64_t degree_of(const bonsai_graph *g, int64_t v)
{
    const uint64_t *offsets = bonsai_graph_view(g)->section[BONSAI_SECTION_OFFSETS].data;
    return (int64_t)(offsets[v + 1] - offsets[v]);
}

static double measured_homophily(const bonsai_graph *g)
{
    const bonsai_view *v = bonsai_graph_view(g);
    const uint64_t *offsets = v->section[BONSAI_SECTION_OFFSETS].data;
    const uint32_t *to = v->section[BONSAI_SECTION_NEIGHBORS].data;
    const uint8_t *label = v->section[BONSAI_SECTION_LABELS].data;
    double same = 0;
    for (int64_t u = 0; u < v->nodes; u++)
        for (uint64_t e = offsets[u]; e < offsets[u + 1]; e++)
            same += label[u] == label[to[e]];
    return same / (double)offsets[v->nodes];
}

static void assert_near(double got, double wanted, double most)
{
    if (!(fabs(got - wanted) <= most))
        fail_msg("%g is not within %g of %g", got, most, wanted);
}

/* ---- edges ---- */

static void degree_and_homophily_are_as_requested(void **state)
{
    (void)state;
    static const double homophily[] = {0, 0.1, 0.5, 0.81, 1}, degree[] = {1, 4, 4.5, 15, 8};
    static const double exponent[] = {2.6, 2.1, 0, 2.6, 3.5};
    for (int i = 0; i < 5; i++) {
        bonsai_generate_options o = options(20000);
        o.homophily = homophily[i];
        o.degree = degree[i];
        o.exponent = exponent[i];
        bonsai_graph *g = generate(&o);
        assert_near(measured_homophily(g), homophily[i], 0.02);
        assert_near((double)bonsai_graph_edges(g) / 20000, degree[i], 0.03 * degree[i]);
        bonsai_graph_free(g);
    }
}

static void small_and_dense_graphs_reach_their_degree_too(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        static const double degree[] = {10, 40, 150};
        bonsai_generate_options o = options(300);
        o.degree = degree[i];
        o.homophily = 0.5;
        bonsai_graph *g = generate(&o);
        assert_near((double)bonsai_graph_edges(g) / 300, degree[i], 0.03 * degree[i]);
        bonsai_graph_free(g);
    }
}

static void no_node_is_isolated_from_degree_two(void **state)
{
    (void)state;
    bonsai_generate_options o = options(5000);
    o.degree = 2;
    bonsai_graph *g = generate(&o);
    for (int64_t v = 0; v < 5000; v++)
        assert_true(degree_of(g, v) >= 1);
    bonsai_graph_free(g);
}

static int64_t largest_degree(double exponent)
{
    bonsai_generate_options o = options(20000);
    o.exponent = exponent;
    bonsai_graph *g = generate(&o);
    int64_t most = 0;
    for (int64_t v = 0; v < 20000; v++)
        most = degree_of(g, v) > most ? degree_of(g, v) : most;
    bonsai_graph_free(g);
    return most;
}

static void the_exponent_sets_the_tail_and_hubs_are_bounded(void **state)
{
    (void)state;
    int64_t flat = largest_degree(0), light = largest_degree(3.5), heavy = largest_degree(2.5),
            extreme = largest_degree(2.01);
    assert_true(flat < 30);
    assert_true(light > flat && heavy > 2 * light);
    assert_true(extreme < 4 * 141 * 2);         /* sqrt(20000) = 141, times the mean of 4 */
}

/* ---- nodes ---- */

static void class_sizes_follow_the_imbalance(void **state)
{
    (void)state;
    bonsai_generate_options o = options(11000);
    o.classes = 3;
    for (int i = 0; i < 2; i++) {
        o.imbalance = i;
        bonsai_graph *g = generate(&o);
        const uint8_t *label = bonsai_graph_view(g)->section[BONSAI_SECTION_LABELS].data;
        double count[3] = {0};
        for (int64_t v = 0; v < 11000; v++)
            count[label[v]]++;
        assert_near(count[0], i ? 6000 : 3667, 3);
        assert_near(count[1], i ? 3000 : 3667, 3);
        assert_near(count[2], i ? 2000 : 3667, 3);
        bonsai_graph_free(g);
    }
}

static void an_id_reveals_neither_class_nor_part_nor_degree(void **state)
{
    (void)state;
    bonsai_generate_options o = options(20000);
    o.classes = 2;
    o.imbalance = 0;
    bonsai_graph *g = generate(&o);
    const uint8_t *label = bonsai_graph_view(g)->section[BONSAI_SECTION_LABELS].data;
    const uint8_t *part = bonsai_graph_view(g)->section[BONSAI_SECTION_SPLIT].data;
    double first[3] = {0}, same = 0, train_of_class = 0;
    for (int64_t v = 0; v < 20000; v++) {
        first[0] += v < 10000 && label[v] == 0;
        first[1] += v < 10000 && part[v] == BONSAI_PART_TRAIN;
        first[2] += v < 10000 ? (double)degree_of(g, v) : 0;
        same += v > 0 && label[v] == label[v - 1];
        train_of_class += label[v] == 0 && part[v] == BONSAI_PART_TRAIN;
    }
    assert_near(first[0], 5000, 200);
    assert_near(first[1], 6000, 200);
    assert_near(first[2], (double)bonsai_graph_edges(g) / 2, 2000);
    assert_near(same, 10000, 300);
    assert_near(train_of_class, 6000, 200);
    bonsai_graph_free(g);
}

static void the_split_is_60_20_20(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 10, 999};
    for (int i = 0; i < 5; i++) {
        bonsai_generate_options o = options(sizes[i]);
        o.classes = 1;
        o.degree = 0;
        bonsai_graph *g = generate(&o);
        const uint8_t *part = bonsai_graph_view(g)->section[BONSAI_SECTION_SPLIT].data;
        double count[4] = {0}, n = (double)sizes[i];
        for (int64_t v = 0; v < sizes[i]; v++)
            count[part[v]]++;
        assert_near(count[BONSAI_PART_NONE], 0, 0);
        assert_near(count[BONSAI_PART_TRAIN], 0.6 * n, 0.5);
        assert_near(count[BONSAI_PART_VAL] + count[BONSAI_PART_TRAIN], 0.8 * n, 0.5);
        bonsai_graph_free(g);
    }
}

/* ---- features ---- */

static void rows_have_the_requested_number_of_words(void **state)
{
    (void)state;
    static const double words[] = {0, 0.5, 10, 30.5, 199, 200};
    for (int i = 0; i < 6; i++) {
        bonsai_generate_options o = options(2000);
        o.words = words[i];
        bonsai_graph *g = generate(&o);
        const bonsai_view *v = bonsai_graph_view(g);
        assert_null(v->section[BONSAI_SECTION_FEATURE_VALUES].data);
        assert_null(v->section[BONSAI_SECTION_FEATURES].data);
        assert_near((double)v->section[BONSAI_SECTION_FEATURE_INDICES].count / 2000, words[i],
                    0.02 * words[i] + 0.03);
        bonsai_graph_free(g);
    }
}

static void lengths_of_rows_vary(void **state)
{
    (void)state;
    bonsai_generate_options o = options(2000);
    bonsai_graph *g = generate(&o);
    const uint64_t *offsets = bonsai_graph_view(g)->section[BONSAI_SECTION_FEATURE_OFFSETS].data;
    double sum = 0;
    for (int64_t v = 0; v < 2000; v++) {
        double away = (double)(offsets[v + 1] - offsets[v]) - 10;
        sum += away * away;
    }
    assert_near(sqrt(sum / 2000), 3, 0.4);
    bonsai_graph_free(g);
}

static void many_features_and_classes_widen_their_types(void **state)
{
    (void)state;
    bonsai_generate_options o = options(1000);
    o.features = 100000;
    o.classes = 600;
    bonsai_graph *g = generate(&o);
    const bonsai_view *v = bonsai_graph_view(g);
    assert_int_equal(v->section[BONSAI_SECTION_FEATURE_INDICES].type, BONSAI_TYPE_U32);
    assert_int_equal(v->section[BONSAI_SECTION_LABELS].type, BONSAI_TYPE_U32);
    bool seen[600] = {false};
    for (int64_t u = 0; u < 1000; u++)
        seen[bonsai_graph_label(g, u)] = true;
    for (int t = 0; t < 600; t++)
        assert_true(seen[t]);
    bonsai_graph_free(g);
}

static void dense_points_have_noise_of_one(void **state)
{
    (void)state;
    bonsai_generate_options o = options(3000);
    o.dense = 1;
    o.features = 8;
    o.difficulty = 1;
    bonsai_graph *g = generate(&o);
    const float *x = bonsai_graph_view(g)->section[BONSAI_SECTION_FEATURES].data;
    assert_non_null(x);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < 24000; i++) {
        sum += (double)x[i];
        squares += (double)x[i] * (double)x[i];
    }
    assert_near(sum / 24000, 0, 0.03);
    assert_near(squares / 24000, 1, 0.05);
    bonsai_graph_free(g);
}

/* ---- the same bytes ---- */

static uint8_t *bytes_of(const bonsai_generate_options *o, size_t *len)
{
    bonsai_graph *g = generate(o);
    const char *path = temp_path("g.bonsai");
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    bonsai_graph_free(g);
    return read_file(path, len);
}

static void the_number_of_threads_changes_no_byte(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_generate_options o = options(dense ? 3000 : 30000);
        o.dense = dense;
        size_t len[3];
        uint8_t *bytes[3];
        for (int i = 0; i < 3; i++) {
            static const int threads[] = {1, 2, 8};
            o.threads = threads[i];
            bytes[i] = bytes_of(&o, &len[i]);
            assert_int_equal(len[i], len[0]);
            assert_memory_equal(bytes[i], bytes[0], len[0]);
        }
        for (int i = 0; i < 3; i++)
            free(bytes[i]);
    }
}

static void another_seed_gives_another_graph(void **state)
{
    (void)state;
    bonsai_generate_options o = options(500);
    bonsai_graph *a = generate(&o), *b;
    int equal = 1;
    o.seed = 2;
    b = generate(&o);
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    assert_false(equal);
    bonsai_graph_free(a);
    bonsai_graph_free(b);
}

/* ---- limits of the options ---- */

static void the_smallest_graphs_can_be_made(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 12; n++)
        for (int64_t c = 1; c <= n; c++)
            for (int64_t f = 0; f <= 3; f++) {
                bonsai_generate_options o = options(n);
                o.classes = c;
                o.features = f;
                o.words = (double)f / 2;
                o.degree = (double)(n - 1) * (double)(c % 3) / 2;
                o.dense = (int)(n + f) % 2;
                bonsai_graph *g = generate(&o);
                assert_int_equal(bonsai_graph_nodes(g), n);
                assert_int_equal(bonsai_graph_classes(g), c);
                assert_int_equal(bonsai_graph_features(g), f);
                bonsai_graph_free(g);
            }
}

static void degree_zero_has_no_edges(void **state)
{
    (void)state;
    bonsai_generate_options o = options(100);
    o.degree = 0;
    bonsai_graph *g = generate(&o);
    assert_int_equal(bonsai_graph_edges(g), 0);
    bonsai_graph_free(g);
}

static void null_means_the_defaults(void **state)
{
    (void)state;
    bonsai_graph *g = generate(NULL);
    assert_int_equal(bonsai_graph_nodes(g), 10000);
    bonsai_graph_free(g);
}

static void refuse(const bonsai_generate_options *o, const char *text)
{
    bonsai_graph *g = NULL;
    assert_fails(bonsai_graph_generate(&g, o), BONSAI_E_ARGUMENT, text);
    assert_null(g);
}

static void options_out_of_range_are_named(void **state)
{
    (void)state;
    const bonsai_generate_options good = options(100);
    bonsai_generate_options o = good;
#define REFUSE(field, value, text) \
    o = good;                      \
    o.field = (value);             \
    refuse(&o, text)
    REFUSE(nodes, 0, "nodes is 0; it must be in 1..2147483647");
    REFUSE(nodes, 1ll << 31, "nodes is 2147483648");
    REFUSE(features, -1, "features is -1");
    REFUSE(features, 1ll << 31, "features is 2147483648");
    REFUSE(classes, 0, "classes is 0; it must be in 1..2147483647");
    REFUSE(classes, 101, "classes is 101; it must be in 1..100, the number of nodes");
    REFUSE(threads, -1, "threads is -1");
    REFUSE(degree, -0.5, "degree is -0.5");
    REFUSE(degree, 100, "degree is 100; it must be at least 0 and less than the 100 nodes");
    REFUSE(degree, NAN, "degree is ");
    REFUSE(exponent, 2, "exponent is 2; it must be 0 or above 2");
    REFUSE(exponent, -3, "exponent is -3");
    REFUSE(exponent, INFINITY, "exponent is inf");
    REFUSE(exponent, NAN, "exponent is ");
    REFUSE(homophily, 1.01, "homophily is 1.01; it must be in 0..1");
    REFUSE(homophily, NAN, "homophily is ");
    REFUSE(imbalance, -0.1, "imbalance is -0.1");
    REFUSE(imbalance, NAN, "imbalance is ");
    REFUSE(difficulty, 2, "difficulty is 2");
    REFUSE(difficulty, NAN, "difficulty is ");
    REFUSE(words, -1, "words is -1; it must be at least 0");
    REFUSE(words, 201, "words is 201; it must be in 0..200, the number of features");
    REFUSE(words, NAN, "words is ");
#undef REFUSE
}

typedef struct { int64_t left; } patience;

static int give_up(const bonsai_progress *p, void *payload)
{
    patience *t = payload;
    (void)p;
    return t->left-- <= 0;
}

static void it_can_be_canceled_at_every_tick(void **state)
{
    (void)state;
    bonsai_generate_options o = options(1000);
    int64_t before = bn_mem_live();
    for (int64_t nth = 0;; nth++) {
        patience t = {.left = nth};
        bonsai_graph *g = NULL;
        o.progress = give_up;
        o.payload = &t;
        bonsai_status rc = bonsai_graph_generate(&g, &o);
        if (rc == BONSAI_OK) {
            assert_true(nth > 10);
            bonsai_graph_free(g);
            break;
        }
        assert_fails(rc, BONSAI_E_CANCELED, "canceled during");
        assert_null(g);
        assert_int_equal(bn_mem_live(), before);
    }
}

static bonsai_status generate_and_free(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_generate(&g, payload);
    bonsai_graph_free(g);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    bonsai_generate_options o = options(50);
    survives_failed_allocations(generate_and_free, &o, 15);
    o.dense = 1;
    survives_failed_allocations(generate_and_free, &o, 15);
    o.degree = 30;                              /* draws more than once */
    survives_failed_allocations(generate_and_free, &o, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degree_and_homophily_are_as_requested),
        cmocka_unit_test(small_and_dense_graphs_reach_their_degree_too),
        cmocka_unit_test(no_node_is_isolated_from_degree_two),
        cmocka_unit_test(the_exponent_sets_the_tail_and_hubs_are_bounded),
        cmocka_unit_test(class_sizes_follow_the_imbalance),
        cmocka_unit_test(an_id_reveals_neither_class_nor_part_nor_degree),
        cmocka_unit_test(the_split_is_60_20_20),
        cmocka_unit_test(rows_have_the_requested_number_of_words),
        cmocka_unit_test(lengths_of_rows_vary),
        cmocka_unit_test(many_features_and_classes_widen_their_types),
        cmocka_unit_test(dense_points_have_noise_of_one),
        cmocka_unit_test(the_number_of_threads_changes_no_byte),
        cmocka_unit_test(another_seed_gives_another_graph),
        cmocka_unit_test(the_smallest_graphs_can_be_made),
        cmocka_unit_test(degree_zero_has_no_edges),
        cmocka_unit_test(null_means_the_defaults),
        cmocka_unit_test(options_out_of_range_are_named),
        cmocka_unit_test(it_can_be_canceled_at_every_tick),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
