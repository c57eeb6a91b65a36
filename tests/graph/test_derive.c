/* test_derive.c -- splits, induced subgraphs, equality.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

static int is_equal(const bonsai_graph *a, const bonsai_graph *b)
{
    int equal = -1;
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    return equal;
}

/* ---- split ---- */

static void shares_are_drawn_from_the_labelled_nodes(void **state)
{
    (void)state;
    static const double percent[][3] = {{60, 20, 20}, {100, 0, 0}, {0, 0, 0}, {10, 20, 30},
                                        {33.3, 33.3, 33.4}, {0, 0, 100}, {0.1, 0.1, 99.8}};
    for (uint64_t seed = 0; seed < 100; seed++) {
        const double *p = percent[seed % 7];
        bonsai_graph *g = random_graph(seed, 5 + (int64_t)seed * 3, 50, SPARSE_ONES, WITH_ALL), *h;
        int64_t count[4] = {0}, labelled = 0;
        if (bonsai_graph_split(&h, g, p, seed) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        for (int64_t v = 0; v < bonsai_graph_nodes(g); v++) {
            bool known = bonsai_graph_label(g, v) >= 0;
            labelled += known;
            count[bn_part(h, v)]++;
            assert_true(known || bn_part(h, v) == BONSAI_PART_NONE);
        }
        double used = 0;
        for (int k = 0; k < 3; k++) {
            assert_true(fabs((double)count[k + 1] - (double)labelled * p[k] / 100) <= 1);
            used += p[k];
        }
        if (used > 99.9999)
            assert_int_equal(count[1] + count[2] + count[3], labelled);
        assert_int_equal(bonsai_graph_verify(h), BONSAI_OK);
        bonsai_graph_free(g);
        bonsai_graph_free(h);
    }
}

static void shares_have_names(void **state)
{
    (void)state;
    double p[3] = {1, 2, 3};
    assert_int_equal(bonsai_split_named(p, "public"), 0);
    assert_int_equal(bonsai_split_named(p, ""), 0);
    assert_true(p[0] == 1 && p[1] == 2 && p[2] == 3);
    assert_int_equal(bonsai_split_named(p, "published"), 1);
    assert_true(p[0] == 56 && p[1] == 24 && p[2] == 20);
    assert_int_equal(bonsai_split_named(p, "random"), 1);
    assert_true(p[0] == 60 && p[1] == 20 && p[2] == 20);
}

static void the_same_seed_gives_the_same_split(void **state)
{
    (void)state;
    static const double percent[3] = {50, 25, 25};
    bonsai_graph *g = random_graph(3, 200, 100, DENSE_F32, WITH_ALL), *a, *b, *c;
    assert_int_equal(bonsai_graph_split(&a, g, percent, 7), BONSAI_OK);
    assert_int_equal(bonsai_graph_split(&b, a, percent, 7), BONSAI_OK);
    assert_int_equal(bonsai_graph_split(&c, g, percent, 8), BONSAI_OK);
    assert_true(is_equal(a, b));
    assert_false(is_equal(a, c));
    bonsai_graph_free(g);
    bonsai_graph_free(a);                       /* b and c share nothing with it */
    assert_int_equal(bonsai_graph_check(b, NULL), BONSAI_OK);
    bonsai_graph_free(b);
    bonsai_graph_free(c);
}

static void wrong_shares_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 10, 10, NO_FEATURES, WITH_LABELS), *h;
    bonsai_graph *bare = random_graph(1, 10, 10, NO_FEATURES, 0);
    assert_fails(bonsai_graph_split(&h, g, (double[]){60, 30, 20}, 1), BONSAI_E_ARGUMENT,
                 "the shares 60/30/20 sum to more than 100");
    assert_fails(bonsai_graph_split(&h, g, (double[]){-1, 30, 20}, 1), BONSAI_E_ARGUMENT,
                 "a share of -1 % is not in 0..100");
    assert_fails(bonsai_graph_split(&h, g, (double[]){1, NAN, 20}, 1), BONSAI_E_ARGUMENT,
                 "a share of nan % is not in 0..100");
    assert_fails(bonsai_graph_split(&h, g, (double[]){0, 0, 101}, 1), BONSAI_E_ARGUMENT, "101 %");
    assert_fails(bonsai_graph_split(&h, bare, (double[]){1, 1, 1}, 1), BONSAI_E_ARGUMENT,
                 "graph: no node has a label, so there is nothing to split");
    assert_null(h);
    bonsai_graph_free(g);
    bonsai_graph_free(bare);
}

/* ---- induce ---- */

static int32_t *some_nodes(int64_t *count, int64_t n, uint64_t *s)
{
    int32_t *nodes = malloc((size_t)(n + 1) * sizeof *nodes);
    *count = 0;
    for (int64_t v = 0; v < n; v++)
        if (random_below(s, 3))
            nodes[(*count)++] = (int32_t)v;
    for (int64_t i = *count - 1; i > 0; i--) {
        int64_t j = random_below(s, (int)i + 1);
        int32_t t = nodes[i];
        nodes[i] = nodes[j];
        nodes[j] = t;
    }
    return nodes;
}

static int64_t count_entries(const bonsai_graph *g, int64_t u, int64_t v, double *sum)
{
    const bonsai_view *view = bonsai_graph_view(g);
    const uint32_t *to = view->section[BONSAI_SECTION_NEIGHBORS].data;
    const float *w = view->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    int64_t count = 0;
    *sum = 0;
    for (int64_t e = bn_row_begin(g, u); e < bn_row_begin(g, u + 1); e++)
        if (to[e] == v) {
            count++;
            *sum += w ? (double)w[e] * (double)count : 0;   /* their order matters too */
        }
    return count;
}

static void same_node(const bonsai_graph *h, int64_t i, const bonsai_graph *g, int64_t v)
{
    float x[16], y[16];
    bonsai_graph_row(x, h, i);
    bonsai_graph_row(y, g, v);
    assert_memory_equal(x, y, (size_t)bonsai_graph_features(g) * sizeof *x);
    assert_int_equal(bonsai_graph_label(h, i), bonsai_graph_label(g, v));
    assert_int_equal(bn_part(h, i), bn_part(g, v));
    const bonsai_array *a = bonsai_graph_view(h)->section, *b = bonsai_graph_view(g)->section;
    if (b[BONSAI_SECTION_ROLE].data)
        assert_int_equal(bn_int_at(&a[BONSAI_SECTION_ROLE], i),
                         bn_int_at(&b[BONSAI_SECTION_ROLE], v));
    int64_t origin = b[BONSAI_SECTION_ORIGIN].data ? bn_int_at(&b[BONSAI_SECTION_ORIGIN], v) : v;
    assert_int_equal(bn_int_at(&a[BONSAI_SECTION_ORIGIN], i), origin);
    if (b[BONSAI_SECTION_NODE_WEIGHTS].data)
        assert_true(bn_real_at(&a[BONSAI_SECTION_NODE_WEIGHTS], i) ==
                    bn_real_at(&b[BONSAI_SECTION_NODE_WEIGHTS], v));
    int64_t c = bonsai_graph_classes(g);
    for (int64_t j = 0; b[BONSAI_SECTION_SOFT_LABELS].data && j < c; j++)
        assert_true(bn_real_at(&a[BONSAI_SECTION_SOFT_LABELS], i * c + j) ==
                    bn_real_at(&b[BONSAI_SECTION_SOFT_LABELS], v * c + j));
    if (!b[BONSAI_SECTION_MEMBERS].data)
        return;
    int64_t p = bn_int_at(&a[BONSAI_SECTION_MEMBER_OFFSETS], i);
    int64_t q = bn_int_at(&b[BONSAI_SECTION_MEMBER_OFFSETS], v);
    int64_t len = bn_int_at(&b[BONSAI_SECTION_MEMBER_OFFSETS], v + 1) - q;
    assert_int_equal(bn_int_at(&a[BONSAI_SECTION_MEMBER_OFFSETS], i + 1) - p, len);
    for (int64_t k = 0; k < len; k++)
        assert_int_equal(bn_int_at(&a[BONSAI_SECTION_MEMBERS], p + k),
                         bn_int_at(&b[BONSAI_SECTION_MEMBERS], q + k));
}

static const char *node_name(const bonsai_graph *g, int64_t v)
{
    const char *name = bonsai_graph_view(g)->section[BONSAI_SECTION_NODE_NAMES].data;
    while (v-- > 0)
        name += strlen(name) + 1;
    return name;
}

static void a_subgraph_keeps_the_data_of_its_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        uint64_t s = seed;
        int with = seed % 3 ? WITH_ALL : 0;
        with |= random_below(&s, 8) * WITH_LOOPS;
        bonsai_graph *g = random_graph(seed, random_below(&s, 15), 60, seed % LAYOUTS, with), *h;
        int64_t count;
        int32_t *nodes = some_nodes(&count, bonsai_graph_nodes(g), &s);
        assert_int_equal(bonsai_graph_induce(&h, g, nodes, count), BONSAI_OK);
        assert_int_equal(bonsai_graph_check(h, NULL), BONSAI_OK);
        assert_int_equal(bonsai_graph_nodes(h), count);
        assert_int_equal(bonsai_graph_view(h)->flags, bonsai_graph_view(g)->flags);
        int64_t total = 0;
        for (int64_t i = 0; i < count; i++) {
            same_node(h, i, g, nodes[i]);
            if (with & WITH_EXTRAS)
                assert_string_equal(node_name(h, i), node_name(g, nodes[i]));
            for (int64_t j = 0; j < count; j++) {
                double x, y;
                int64_t got = count_entries(h, i, j, &x);
                assert_int_equal(got, count_entries(g, nodes[i], nodes[j], &y));
                assert_true(x == y);
                total += got;
            }
        }
        assert_int_equal(bonsai_graph_edges(h), total);
        free(nodes);
        bonsai_graph_free(g);
        bonsai_graph_free(h);
    }
}

static void all_nodes_in_order_induce_the_same_graph(void **state)
{
    (void)state;
    int32_t nodes[30];
    for (int i = 0; i < 30; i++)
        nodes[i] = i;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int with = WITH_ALL | (int)(seed % 8) * WITH_LOOPS;
        bonsai_graph *g = random_graph(seed, 30, 300, seed % LAYOUTS, with), *h;
        assert_int_equal(bonsai_graph_induce(&h, g, nodes, 30), BONSAI_OK);
        assert_true(is_equal(g, h));
        bonsai_graph_free(g);
        bonsai_graph_free(h);
    }
}

static void inducing_twice_composes_the_origin(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 10, 30, DENSE_U8, WITH_LABELS), *h, *k;
    assert_int_equal(bonsai_graph_induce(&h, g, (int32_t[]){9, 3, 5, 0}, 4), BONSAI_OK);
    assert_int_equal(bonsai_graph_induce(&k, h, (int32_t[]){2, 0}, 2), BONSAI_OK);
    const uint32_t *origin = bonsai_graph_view(k)->section[BONSAI_SECTION_ORIGIN].data;
    assert_int_equal(origin[0], 5);
    assert_int_equal(origin[1], 9);
    bonsai_graph_free(g);
    bonsai_graph_free(h);
    bonsai_graph_free(k);
}

/* A graph may borrow a caller's arrays, which need not outlive what was induced of it. */
static void an_induced_graph_shares_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 10, 30, DENSE_F32, WITH_ALL), *lent, *h, *before;
    bonsai_view v = *bonsai_graph_view(g);
    char names[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p";
    assert_true(v.classes <= 16);
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){names, 2 * v.classes, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_new(&lent, &v, 0), BONSAI_OK);
    assert_int_equal(bonsai_graph_induce(&h, lent, (int32_t[]){9, 3, 5, 0}, 4), BONSAI_OK);
    assert_int_equal(bonsai_graph_new(&before, bonsai_graph_view(h), 1), BONSAI_OK);
    memset(names, 'x', sizeof names);
    bonsai_graph_free(lent);
    bonsai_graph_free(g);
    assert_string_equal(bonsai_graph_class_name(h, 0), "a");
    assert_true(is_equal(h, before));
    bonsai_graph_free(before);
    bonsai_graph_free(h);
}

static void no_nodes_induce_an_empty_graph(void **state)
{
    (void)state;
    for (int k = 0; k < LAYOUTS; k++) {
        bonsai_graph *g = random_graph(1, 6, 10, k, WITH_ALL), *h, *same;
        assert_int_equal(bonsai_graph_induce(&h, g, NULL, 0), BONSAI_OK);
        assert_int_equal(bonsai_graph_nodes(h), 0);
        assert_int_equal(bonsai_graph_induce(&same, h, NULL, 0), BONSAI_OK);
        assert_true(is_equal(h, same));
        bonsai_graph_free(g);
        bonsai_graph_free(h);
        bonsai_graph_free(same);
    }
}

static void wrong_nodes_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 6, 10, NO_FEATURES, 0), *h;
    assert_fails(bonsai_graph_induce(&h, g, (int32_t[]){1, 6}, 2), BONSAI_E_ARGUMENT,
                 "node 6 is outside 0..5");
    assert_fails(bonsai_graph_induce(&h, g, (int32_t[]){-1}, 1), BONSAI_E_ARGUMENT, "node -1");
    assert_fails(bonsai_graph_induce(&h, g, (int32_t[]){2, 3, 2}, 3), BONSAI_E_ARGUMENT,
                 "node 2 is listed twice");
    assert_fails(bonsai_graph_induce(&h, g, NULL, 3), BONSAI_E_ARGUMENT, "3 nodes, but no list");
    assert_fails(bonsai_graph_induce(&h, g, NULL, -3), BONSAI_E_ARGUMENT, "the number of nodes is -3");
    assert_null(h);
    bonsai_graph_free(g);
}

/* ---- equality ---- */

static void a_change_anywhere_makes_graphs_unequal(void **state)
{
    (void)state;
    for (int k = 0; k < LAYOUTS; k++) {
        bonsai_graph *g = random_graph(2, 9, 30, k, WITH_ALL | DIRECTED), *h;
        for (int s = 1; s < BONSAI_SECTION_METADATA; s++) {
            bonsai_view v = *bonsai_graph_view(g);
            if (!v.section[s].data || v.section[s].count == 0)
                continue;
            size_t len = (size_t)v.section[s].count * bonsai_type_bytes(v.section[s].type);
            uint8_t *changed = malloc(len);
            int refused = 0, unequal = 0, tried = 0;
            for (size_t at = 0; at < len; at++) {
                memcpy(changed, v.section[s].data, len);
                changed[at] ^= 1;
                v.section[s].data = changed;
                if (bonsai_graph_new(&h, &v, 0) != BONSAI_OK)
                    refused++;
                else
                    unequal += !is_equal(g, h);
                tried++;
                v.section[s].data = bonsai_graph_view(g)->section[s].data;
                bonsai_graph_free(h);
            }
            /* A stored zero may change its place or scale; any other change must show. */
            bool may_be_equal = s > BONSAI_SECTION_FEATURES && s <= BONSAI_SECTION_FEATURE_SCALE;
            assert_true(may_be_equal ? refused + unequal > 0 : refused + unequal == tried);
            free(changed);
        }
        assert_true(is_equal(g, g));
        bonsai_graph_free(g);
    }
}

static bonsai_status derive_all(void *payload)
{
    bonsai_graph *h = NULL, *k = NULL;
    bonsai_status rc;
    int equal;
    BN_TRY(bonsai_graph_split(&h, payload, (double[]){60, 20, 20}, 1));
    BN_TRY(bonsai_graph_induce(&k, payload, (int32_t[]){3, 1, 2}, 3));
    BN_TRY(bonsai_graph_equal(&equal, payload, h));
done:
    bonsai_graph_free(h);
    bonsai_graph_free(k);
    return rc;
}

static void deriving_survives_failed_allocations(void **state)
{
    (void)state;
    for (int k = 0; k < LAYOUTS; k++) {
        bonsai_graph *g = random_graph(2, 9, 30, k, WITH_ALL);
        survives_failed_allocations(derive_all, g, 20);
        bonsai_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_drawn_from_the_labelled_nodes),
        cmocka_unit_test(shares_have_names),
        cmocka_unit_test(the_same_seed_gives_the_same_split),
        cmocka_unit_test(wrong_shares_are_refused),
        cmocka_unit_test(a_subgraph_keeps_the_data_of_its_nodes),
        cmocka_unit_test(all_nodes_in_order_induce_the_same_graph),
        cmocka_unit_test(inducing_twice_composes_the_origin),
        cmocka_unit_test(an_induced_graph_shares_nothing),
        cmocka_unit_test(no_nodes_induce_an_empty_graph),
        cmocka_unit_test(wrong_nodes_are_refused),
        cmocka_unit_test(a_change_anywhere_makes_graphs_unequal),
        cmocka_unit_test(deriving_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
