/* test_price.c -- the price of a set of nodes, to the byte.
 *
 * SPDX-License-Identifier: MIT */
#include "base/slotmap.h"
#include "condensing.h"

/* The graph that some nodes induce, without what a condensed graph never has. */
static bonsai_graph *induced(const bonsai_graph *g, const uint8_t *in)
{
    bonsai_graph *small = NULL;
    int32_t node[64];
    int64_t count = 0;
    for (int32_t v = 0; v < g->view.nodes; v++)
        if (in[v])
            node[count++] = v;
    assert_int_equal(bonsai_graph_induce(&small, g, node, count), BONSAI_OK);
    bn_free(small->owned[BONSAI_SECTION_SPLIT]);
    small->owned[BONSAI_SECTION_SPLIT] = NULL;
    small->view.section[BONSAI_SECTION_SPLIT] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    return small;
}

static void assert_price(const bn_price *p, const bonsai_graph *g, const uint8_t *in,
                         bonsai_accounting a)
{
    bonsai_graph *small = induced(g, in);
    double wanted = priced_in(small, a), got = bn_price_bytes(p);
    assert_int_equal(bn_price_nodes(p), small->view.nodes);
    if (a == BONSAI_ACCOUNTING_STRICT)
        assert_true(got == wanted);
    else                                        /* rows are rounded up to 2^-20 each */
        assert_true(got >= wanted - 1e-9 && got - wanted < 1e-3);
    bonsai_graph_free(small);
}

static void the_price_is_the_size_whatever_comes_and_goes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = case_graph(seed);
        for (int a = 0; a < 2; a++) {
            bonsai_accounting accounting = a ? BONSAI_ACCOUNTING_PAPER_CONDENSED : BONSAI_ACCOUNTING_STRICT;
            bn_price *p = NULL;
            uint8_t in[64] = {0};
            uint64_t s = seed;
            bn_reader *r_p = reader_of(g, accounting);
            assert_int_equal(bn_price_new(&p, r_p), BONSAI_OK);
            for (int step = 0; step < 60; step++) {
                int32_t v = random_below(&s, (int)g->view.nodes);
                assert_int_equal(bn_bit(bn_price_bits(p), v), in[v]);
                if (in[v])
                    bn_price_remove(p, v);
                else
                    bn_price_add(p, v);
                in[v] ^= 1;
                if (step % 7 == 0)
                    assert_price(p, g, in, accounting);
            }
            assert_price(p, g, in, accounting);
            bn_price_free(p);
            bn_reader_free(r_p);
        }
        bonsai_graph_free(g);
    }
}

/* Whatever the order of coming and going, a set has one price. */
static void a_price_does_not_remember(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        bonsai_graph *g = case_graph(seed);
        bn_price *a = NULL, *b = NULL;
        int32_t n = (int32_t)g->view.nodes;
        bn_reader *r_a = reader_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED);
        assert_int_equal(bn_price_new(&a, r_a), BONSAI_OK);
        bn_reader *r_b = reader_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED);
        assert_int_equal(bn_price_new(&b, r_b), BONSAI_OK);
        for (int32_t v = 0; v < n; v++)
            bn_price_add(a, v);
        for (int32_t v = 0; v < n; v += 2)
            bn_price_remove(a, v);
        for (int32_t v = n - 1; v >= 0; v--)
            if (v % 2)
                bn_price_add(b, v);
        assert_true(bn_price_bytes(a) == bn_price_bytes(b));
        bn_price_free(a);
        bn_reader_free(r_a);
        bn_price_free(b);
        bn_reader_free(r_b);
        bonsai_graph_free(g);
    }
}

static void undoing_goes_back_to_the_mark(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        bonsai_graph *g = case_graph(seed);
        bn_price *p = NULL;
        int32_t added[64];
        int64_t count = 0;
        bn_reader *r_p = reader_of(g, seed % 2 ? BONSAI_ACCOUNTING_STRICT : BONSAI_ACCOUNTING_PAPER_CONDENSED);
        assert_int_equal(bn_price_new(&p, r_p), BONSAI_OK);
        bn_price_add(p, 3);
        bn_price_add(p, 5);
        double before = bn_price_bytes(p);
        bn_price_mark(p);
        for (int32_t v = 6; v < g->view.nodes; v++) {
            bn_price_add(p, v);
            added[count++] = v;
        }
        bn_price_undo(p, added, count);
        assert_true(bn_price_bytes(p) == before);
        assert_int_equal(bn_price_nodes(p), 2);
        assert_true(bn_bit(bn_price_bits(p), 3) && !bn_bit(bn_price_bits(p), 6));
        bn_price_free(p);
        bn_reader_free(r_p);
        bonsai_graph_free(g);
    }
}

/* The bound on coverage and the refusal of large trees rest on this. */
static void no_set_costs_less_than_its_floor_and_the_least_of_what_comes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        bonsai_graph *g = case_graph(seed);
        bn_price *p = NULL;
        uint64_t s = seed;
        double least = 0;
        bn_reader *r_p = reader_of(g, seed % 2 ? BONSAI_ACCOUNTING_STRICT : BONSAI_ACCOUNTING_PAPER_CONDENSED);
        assert_int_equal(bn_price_new(&p, r_p), BONSAI_OK);
        for (int step = 0; step < 30; step++) {
            int32_t v = random_below(&s, (int)g->view.nodes);
            if (bn_bit(bn_price_bits(p), v))
                continue;
            double one;
            assert_int_equal(bn_price_least(&one, p, v), BONSAI_OK);
            double low = bn_price_floor(p) + one;
            least += one;
            bn_price_add(p, v);
            assert_true(bn_price_bytes(p) >= low);
            assert_true(bn_price_bytes(p) >= least);
        }
        bn_price_free(p);
        bn_reader_free(r_p);
        bonsai_graph_free(g);
    }
}

static void a_price_by_hand(void **state)
{
    (void)state;
    /* 0 - 1 - 2, node 2 with a loop; 4 binary features of which 1, 2 and 3 are set */
    int32_t source[] = {0, 1, 2}, target[] = {1, 2, 2};
    float x[] = {1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0};
    uint8_t label[] = {0, 1, 0};
    bonsai_view v;
    bonsai_read_options o;
    bonsai_graph *g = NULL;
    bn_price *p = NULL;
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    o.keep_self_loops = 1;
    v.nodes = 3;
    v.features = 4;
    v.classes = 2;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 12, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 3, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 3, source, target, NULL, &o), BONSAI_OK);
    bn_reader *r_p = reader_of(g, BONSAI_ACCOUNTING_STRICT);
    assert_int_equal(bn_price_new(&p, r_p), BONSAI_OK);
    assert_true(bn_price_bytes(p) == 4);
    bn_price_add(p, 1);         /* 2 offsets, 1 label, a row of 4 half bytes and its scale */
    assert_true(bn_price_bytes(p) == 8 + 1 + 6);
    bn_price_add(p, 2);         /* 3 offsets, 3 entries, 2 labels, two such rows */
    assert_true(bn_price_bytes(p) == 12 + 12 + 2 + 12);
    bn_price_remove(p, 1);
    assert_true(bn_price_bytes(p) == 8 + 4 + 1 + 6);
    bn_price_free(p);
    bn_reader_free(r_p);
    r_p = reader_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED);
    assert_int_equal(bn_price_new(&p, r_p), BONSAI_OK);
    bn_price_add(p, 1);
    bn_price_add(p, 2);         /* dense rows of 2 x 4; one edge and a loop each */
    assert_true(bn_price_bytes(p) == 2 * (16 + 2 * 3));
    bn_price_free(p);
    bn_reader_free(r_p);
    bonsai_graph_free(g);
}

static bonsai_status make_price(void *payload)
{
    bonsai_status rc;
    bn_reader *r = NULL;
    bn_price *p = NULL;
    BN_TRY(bn_reader_new(&r, payload, BONSAI_ACCOUNTING_PAPER_CONDENSED));
    BN_TRY(bn_price_new(&p, r));
    for (int32_t v = 0; v < 12; v++)
        BN_TRY(bn_price_add(p, v));
done:
    bn_price_free(p);
    bn_reader_free(r);
    return rc;
}

static void a_price_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = case_graph(1);
    survives_failed_allocations(make_price, g, 7);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_by_hand),
        cmocka_unit_test(the_price_is_the_size_whatever_comes_and_goes),
        cmocka_unit_test(a_price_does_not_remember),
        cmocka_unit_test(undoing_goes_back_to_the_mark),
        cmocka_unit_test(no_set_costs_less_than_its_floor_and_the_least_of_what_comes),
        cmocka_unit_test(a_price_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
