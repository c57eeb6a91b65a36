/* test_hoptree.c -- trees that grow into a priced set, or leave it as it was.
 *
 * SPDX-License-Identifier: MIT */
#include "base/slotmap.h"
#include "condensing.h"

/* Hops from root to every node by relaxing all edges n times; 99: not reached. */
static void hops_from(int *hops, const bonsai_graph *g, int32_t root)
{
    int64_t n = g->view.nodes;
    for (int64_t v = 0; v < n; v++)
        hops[v] = v == root ? 0 : 99;
    for (int64_t round = 0; round < n; round++)
        for (int64_t v = 0; v < n; v++)
            for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++)
                if (hops[v] + 1 < hops[bn_neighbors(g)[e]])
                    hops[bn_neighbors(g)[e]] = hops[v] + 1;
}

static void assert_tree(const int32_t *tree, int64_t count, const int *hops, int64_t n, int depth)
{
    int64_t within = 0;
    for (int64_t v = 0; v < n; v++)
        within += hops[v] <= depth;
    assert_int_equal(count, within);
    for (int64_t i = 0; i < count; i++) {
        assert_true(hops[tree[i]] <= depth);
        assert_true(i == 0 || hops[tree[i]] >= hops[tree[i - 1]]);
        for (int64_t j = 0; j < i; j++)
            assert_int_not_equal(tree[i], tree[j]);
    }
}

/* Whether a tree fits is known from the price of the set with and without it. */
static void a_tree_fits_exactly_when_its_price_does(void **state)
{
    (void)state;
    int fitted = 0, refused = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = case_graph(seed);
        int64_t n = g->view.nodes;
        bn_tree tree;
        uint64_t s = seed;
        bn_reader *r = reader_of(g, BONSAI_ACCOUNTING_STRICT), *other = reader_of(g, BONSAI_ACCOUNTING_STRICT);
        bn_price *p = NULL, *wanted = NULL;
        bn_hoptree *e = NULL;
        double limit = 100 + random_below(&s, 2000);
        int64_t most = random_below(&s, 3) ? INT64_MAX : 1 + random_below(&s, (int)n);
        assert_int_equal(bn_price_new(&p, r), BONSAI_OK);
        assert_int_equal(bn_price_new(&wanted, other), BONSAI_OK);
        assert_int_equal(bn_hoptree_new(&e, r), BONSAI_OK);
        for (int step = 0; step < 20; step++) {
            int32_t root = random_below(&s, (int)n), depth = random_below(&s, 4);
            int hops[64];
            bool was[64];
            double before = bn_price_bytes(p);
            hops_from(hops, g, root);
            for (int32_t v = 0; v < n; v++) {
                was[v] = bn_bit(bn_price_bits(p), v);
                if (hops[v] <= depth && !was[v])
                    bn_price_add(wanted, v);
            }
            bool fits = bn_price_bytes(wanted) == before ||
                        (bn_price_bytes(wanted) <= limit && bn_price_nodes(wanted) <= most);
            assert_int_equal(bn_hoptree_grow(&tree, e, p, root, depth,
                                         &(bn_budget){limit, most, INT64_MAX}), BONSAI_OK);
            assert_int_equal(tree.fits, fits);
            fitted += fits;
            refused += !fits;
            if (fits)
                assert_tree(tree.node, tree.count, hops, n, depth);
            for (int32_t v = 0; v < n; v++) {
                if (!fits && hops[v] <= depth && !was[v])
                    bn_price_remove(wanted, v);
                assert_int_equal(bn_bit(bn_price_bits(p), v), bn_bit(bn_price_bits(wanted), v));
            }
            assert_true(bn_price_bytes(p) == bn_price_bytes(wanted));
        }
        bn_hoptree_free(e);
        bn_price_free(p);
        bn_price_free(wanted);
        bn_reader_free(r);
        bn_reader_free(other);
        bonsai_graph_free(g);
    }
    assert_true(fitted > 500 && refused > 500);
}

/* A tree that never fits exceeds the budget by itself; most that do so are found at once. */
static void a_tree_never_fits_if_it_exceeds_the_budget_alone(void **state)
{
    (void)state;
    int never = 0, alone = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = case_graph(seed);
        uint64_t s = seed;
        bn_reader *r = reader_of(g, BONSAI_ACCOUNTING_STRICT);
        bn_hoptree *e = NULL;
        int nodes = (int)g->view.nodes;
        const bn_budget all = {INFINITY, INT64_MAX, INT64_MAX};
        const bn_budget some = {300 + random_below(&s, 1000),
                                random_below(&s, 3) ? INT64_MAX : 4 + random_below(&s, nodes),
                                INT64_MAX};
        assert_int_equal(bn_hoptree_new(&e, r), BONSAI_OK);
        for (int step = 0; step < 20; step++) {
            int32_t root = random_below(&s, nodes);
            int depth = random_below(&s, 4);
            bn_price *empty = NULL, *p = NULL;
            bn_tree whole, tree;
            assert_int_equal(bn_price_new(&empty, r), BONSAI_OK);
            assert_int_equal(bn_price_new(&p, r), BONSAI_OK);
            assert_int_equal(bn_price_add(p, random_below(&s, nodes)), BONSAI_OK);
            assert_int_equal(bn_hoptree_grow(&tree, e, p, root, depth, &some), BONSAI_OK);
            assert_int_equal(bn_hoptree_grow(&whole, e, empty, root, depth, &all), BONSAI_OK);
            bool exceeds = bn_price_bytes(empty) > some.bytes || bn_price_nodes(empty) > some.nodes;
            assert_true(!tree.never || (exceeds && !tree.fits));
            never += tree.never;
            alone += exceeds;
            bn_price_free(empty);
            bn_price_free(p);
        }
        bn_hoptree_free(e);
        bn_reader_free(r);
        bonsai_graph_free(g);
    }
    assert_true(never > 200 && 2 * never > alone);
}

static void a_tree_can_be_taken_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        bonsai_graph *g = case_graph(seed);
        bn_tree tree;
        bn_reader *r = reader_of(g, BONSAI_ACCOUNTING_STRICT);
        bn_price *p = NULL;
        bn_hoptree *e = NULL;
        assert_int_equal(bn_price_new(&p, r), BONSAI_OK);
        assert_int_equal(bn_hoptree_new(&e, r), BONSAI_OK);
        assert_int_equal(bn_hoptree_grow(&tree, e, p, 0, 0,
                                     &(bn_budget){INFINITY, INT64_MAX, INT64_MAX}), BONSAI_OK);
        double before = bn_price_bytes(p);
        assert_int_equal(bn_hoptree_grow(&tree, e, p, 1, 2,
                                     &(bn_budget){INFINITY, INT64_MAX, INT64_MAX}), BONSAI_OK);
        assert_true(tree.fits && bn_price_nodes(p) > 1);
        bn_hoptree_undo(e, p);
        assert_true(bn_price_bytes(p) == before);
        assert_true(bn_bit(bn_price_bits(p), 0) && bn_price_nodes(p) == 1);
        bn_hoptree_free(e);
        bn_price_free(p);
        bn_reader_free(r);
        bonsai_graph_free(g);
    }
}

static bonsai_status make_ego(void *payload)
{
    bonsai_status rc;
    bn_tree tree;
    bn_reader *r = NULL;
    bn_price *p = NULL;
    bn_hoptree *e = NULL;
    BN_TRY(bn_reader_new(&r, payload, BONSAI_ACCOUNTING_STRICT));
    BN_TRY(bn_price_new(&p, r));
    BN_TRY(bn_hoptree_new(&e, r));
    BN_TRY(bn_hoptree_grow(&tree, e, p, 1, 3, &(bn_budget){INFINITY, INT64_MAX, INT64_MAX}));
done:
    bn_hoptree_free(e);
    bn_price_free(p);
    bn_reader_free(r);
    return rc;
}

static void an_ego_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = case_graph(1);
    survives_failed_allocations(make_ego, g, 10);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_fits_exactly_when_its_price_does),
        cmocka_unit_test(a_tree_never_fits_if_it_exceeds_the_budget_alone),
        cmocka_unit_test(a_tree_can_be_taken_back),
        cmocka_unit_test(an_ego_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
