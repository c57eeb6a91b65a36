/* test_clusters.c -- nodes over classes, soft labels, and prototypes where there is little to go by.
 *
 * SPDX-License-Identifier: MIT */
#include "record/fact.h"
#include "prototyping.h"

#include <stdio.h>

#include "prototypes/candidate.h"
#include "embedding.h"

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
        double down = 0, up = 1;                /* largest rest rounded down, least rounded up */
        for (int64_t k = 0; k < classes; k++) {
            double v = 255 * (mix * (double)p[k] + (k == label ? 1 - mix : 0));
            total += q[k];
            assert_true(fabs((double)q[k] - v) < 1 + 1e-3);
            down = (double)q[k] < v ? fmax(down, v - floor(v)) : down;
            up = (double)q[k] > v ? fmin(up, v - floor(v)) : up;
        }
        assert_true(down <= up + 1e-4);
        assert_int_equal(total, 255);
    }
}

/* ---- clusters ---- */

enum { POINTS = 50, F = 9, CLASSES = 4 };

typedef struct {
    float   x[POINTS * F], posterior[POINTS * CLASSES];
    int32_t label[POINTS];
    int64_t have[CLASSES], live;
    bn_embedding e;
    bn_sharded rows;
    bn_source s;
} points;

/* Rows of all classes but the third; some are the same. */
static void make_points(points *p, bool sparse, bool soft, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    for (int r = 0; r < POINTS; r++) {
        p->label[r] = (int32_t[]){0, 0, 1, 3}[random_below(&seed, 4)];
        p->live += p->have[p->label[r]]++ == 0;
        for (int j = 0; j < F; j++)
            p->x[r * F + j] = random_below(&seed, 3) ? 0 : (float)(1 + random_below(&seed, 9));
        for (int k = 0; k < CLASSES; k++)
            p->posterior[r * CLASSES + k] = fabsf(random_real(&seed));
    }
    (sparse ? set_sparse : set_dense)(&p->e, p->x, POINTS, F);
    assert_int_equal(bn_sharded_look(&p->rows, &p->e, NULL), BONSAI_OK);
    p->s = (bn_source){.view = {&p->rows, &p->rows, &p->rows}, .near = &p->rows,
                       .label = p->label, .classes = CLASSES, .have = p->have, .live = p->live,
                       .posterior = soft ? p->posterior : NULL};
}

static void free_points(points *p)
{
    bn_sharded_free(&p->rows);
    bn_embedding_free(&p->e);
}

/* The mean of column j of some matrix over the members of cluster k. */
static double mean_of(const bn_clusters *c, int64_t k, const float *x, int width, int j)
{
    double sum = 0, count = 0;
    for (int r = 0; r < POINTS; r++)
        if (c->cluster[r] == k) {
            sum += (double)x[r * width + j];
            count++;
        }
    return sum / count;
}

static void assert_cluster(const bn_clusters *c, const points *p, int64_t k)
{
    float row[F];
    int64_t members = 0;
    for (int r = 0; r < POINTS; r++)
        if (c->cluster[r] == k) {
            members++;
            assert_int_equal(c->label[k], p->label[r]);
        }
    assert_true(members > 0 && members == c->size[k] && members <= c->largest);
    assert_true(k == 0 || c->label[k] >= c->label[k - 1]);
    bn_embedding_row(row, &c->centre[BN_FAR], k);
    for (int j = 0; j < F; j++)
        assert_true(fabs((double)row[j] - mean_of(c, k, p->x, F, j)) < 1e-5);
    for (int j = 0; c->posterior && j < CLASSES; j++)
        assert_true(fabs((double)c->posterior[k * CLASSES + j] -
                         mean_of(c, k, p->posterior, CLASSES, j)) < 1e-5);
}

/* The first of the members with the least distance; rounding may confuse those that tie. */
static void assert_nearest(bn_clusters *c, const points *p)
{
    int64_t near[POINTS];
    assert_int_equal(bn_clusters_nearest(near, c, &p->s, &c->centre[BN_FAR],
                                         &bn_kinds[BN_KIND_FAR].blend), BONSAI_OK);
    for (int64_t k = 0; k < c->count; k++) {
        double best = INFINITY, got = 0;
        int64_t first = -1;
        for (int64_t r = 0; r < POINTS; r++) {
            double d = 0;
            for (int j = 0; j < F; j++)
                d += pow((double)p->x[r * F + j] - mean_of(c, k, p->x, F, j), 2);
            if (c->cluster[r] == k && d < best - 1e-4) {
                best = d;
                first = r;
            }
            got = r == near[k] ? d : got;
        }
        assert_int_equal(c->cluster[near[k]], k);
        assert_true(fabs(got - best) < 1e-3);
        assert_true(memcmp(p->x + near[k] * F, p->x + first * F, F * sizeof(float)) != 0 ||
                    near[k] == first);
    }
}

static void clusters_are_what_their_members_make_them(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        points p;
        bn_clusters c;
        int64_t want[CLASSES], got[CLASSES] = {0}, nodes = 1 + (int64_t)(seed * 7 % 25), largest = 0;
        make_points(&p, seed % 2, seed % 3, seed);
        assert_int_equal(bn_clusters_make(&c, &p.s, nodes, seed), BONSAI_OK);
        assert_int_equal(bn_clusters_share(want, p.have, CLASSES, nodes), BONSAI_OK);
        assert_true(c.asked == nodes && (c.posterior != NULL) == (p.s.posterior != NULL));
        assert_int_equal(bn_clusters_average(&c, &p.s, &bn_kinds[BN_KIND_FAR]), BONSAI_OK);
        for (int64_t k = 0; k < c.count; k++) {
            assert_cluster(&c, &p, k);
            got[c.label[k]]++;
            largest = c.size[k] > largest ? c.size[k] : largest;
        }
        assert_int_equal(c.largest, largest);
        for (int k = 0; k < CLASSES; k++)
            assert_true(got[k] <= want[k] && (got[k] > 0) == (want[k] > 0));
        for (int r = 0; r < POINTS; r++)
            assert_true(want[p.label[r]] > 0 ? c.cluster[r] >= 0 : c.cluster[r] == -1);
        assert_nearest(&c, &p);
        bn_clusters_free(&c);
        free_points(&p);
    }
}

/* ---- where clusters are looked for ---- */

/* Whether rows of f columns, each with so many entries, are projected. */
static bool is_projected(int64_t f, int64_t entries, float value)
{
    enum { MANY = 4 };
    bn_embedding e = {.rows = MANY, .f = f}, low = {0};
    bn_sharded x, room = {0};
    const bn_sharded *near = NULL;
    assert_int_equal(BN_BIG(&e.offsets, NULL, MANY + 1), BONSAI_OK);
    assert_int_equal(BN_BIG(&e.index, NULL, MANY * entries), BONSAI_OK);
    assert_int_equal(BN_BIG(&e.value, NULL, MANY * entries), BONSAI_OK);
    for (int64_t i = 0; i < MANY * entries; i++) {
        e.index[i] = (int32_t)(i % entries * (f / entries));
        e.value[i] = value;
        e.offsets[i / entries + 1] = i + 1;
    }
    assert_int_equal(bn_sharded_look(&x, &e, NULL), BONSAI_OK);
    assert_int_equal(bn_clusters_near(&near, &room, &low, &x), BONSAI_OK);
    assert_true(near == &x || (near == &room && room.e == &low && low.rows == MANY && low.f < f));
    bool projected = near != &x;
    bn_sharded_free(&room);
    bn_sharded_free(&x);
    bn_embedding_free(&low);
    bn_embedding_free(&e);
    return projected;
}

/* Rows that are short, or so wide that axes would be large, are compared as they are; so are those
 * whose sums overflow. */
static void only_long_rows_are_projected(void **state)
{
    (void)state;
    assert_true(is_projected(300, 100, 1));
    assert_false(is_projected(200, 100, 1));
    assert_false(is_projected(300, 50, 1));
    assert_true(is_projected(1 << 17, 100, 1));
    assert_false(is_projected((1 << 17) + 1, 100, 1));
    assert_false(is_projected(300, 100, 3e38f));
}

/* ---- odd graphs and small budgets ---- */

/* The sentence's own number is enough, and one less is not. */
static void the_smallest_possible_is_what_the_sentence_says(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        small_options(&o, seed);
        if (training_nodes(g) >= 1)
            assert_names_the_least(g, o);
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
    o.method = BONSAI_METHOD_PROTOTYPES;
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
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, n, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, n, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 2, source, target, NULL, NULL), BONSAI_OK);
    return g;
}

/* Zeros only, duplicates only, huge values, a class without training nodes, more prototypes than
 * training nodes. */
static void odd_graphs_are_condensed(void **state)
{
    (void)state;
    const uint8_t label[] = {0, 1, 0, 1, 2, 1, 0, 1}, split[] = {1, 1, 1, 1, 2, 3, 1, 1};
    const float level[] = {0, 1, 3e37f, 1e-45f, -2};
    for (size_t k = 0; k < sizeof level / sizeof *level; k++)
        for (int budget = 0; budget < 4; budget++) {
            float x[16];
            for (int j = 0; j < 16; j++)
                x[j] = level[k];
            bonsai_graph *g = plain(8, label, split, x, 2);
            bonsai_condense_options o;
            bonsai_condense_info i;
            bonsai_condense_options_init(&o);
            o.method = BONSAI_METHOD_PROTOTYPES;
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
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.layers = 0;
    o.bytes = 10000;
    bonsai_graph *small = condensed(&i, g, &o);
    assert_int_equal(i.nodes, 4);
    assert_int_equal(bn_fact_whole(&i, BN_FACT_VALUES), BONSAI_TYPE_F32);
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
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
    o.method = BONSAI_METHOD_PROTOTYPES;
    o.threads = 1;
    o.ratio = 0.2;
    o.select_features = 1;
    bonsai_graph *small = condensed(&i, g, &o);
    assert_true(small->view.features < g->view.features);
    assert_int_equal(small->view.section[BONSAI_SECTION_KEPT_FEATURES].count, small->view.features);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_giving_one_node_at_a_time),
        cmocka_unit_test(soft_labels_sum_to_255_and_are_off_by_less_than_one),
        cmocka_unit_test(clusters_are_what_their_members_make_them),
        cmocka_unit_test(only_long_rows_are_projected),
        cmocka_unit_test(the_smallest_possible_is_what_the_sentence_says),
        cmocka_unit_test(classes_come_with_the_budget_and_none_is_lost_again),
        cmocka_unit_test(odd_graphs_are_condensed),
        cmocka_unit_test(with_bytes_to_spare_rows_lose_nothing),
        cmocka_unit_test(selected_features_are_those_of_the_prototypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
