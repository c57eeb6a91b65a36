/* test_slotmap.c -- slots of nodes compared with a plain array, and bits.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/slotmap.h"
#include "random_graph.h"

enum { MANY = INT32_MAX, FEW = 5000 };

/* Node i of a run: close together, far apart, or with equal low bits. */
static int32_t nth_node(int kind, uint64_t *seed, int64_t nodes)
{
    int64_t i = random_below(seed, FEW);
    return (int32_t)(kind == 0 ? i : kind == 1 ? i * (nodes / FEW) : nodes - 1 - i);
}

static void slots_are_numbers_in_the_order_of_coming(int64_t nodes)
{
    for (int kind = 0; kind < 3; kind++) {
        bn_slotmap s;
        int32_t *came = calloc(FEW, sizeof *came);
        int64_t count = 0;
        uint64_t seed = 7;
        assert_int_equal(bn_slotmap_new(&s, nodes), BONSAI_OK);
        for (int step = 0; step < 3 * FEW; step++) {
            int32_t v = nth_node(kind, &seed, nodes);
            int64_t slot = 0;
            while (slot < count && came[slot] != v)
                slot++;
            assert_int_equal(bn_slotmap_find(&s, v), slot < count ? slot : -1);
            if (step % 3 == 0) {
                assert_int_equal(bn_slotmap_reserve(&s, 1), BONSAI_OK);
                assert_int_equal(bn_slotmap_add(&s, v), slot);
                came[slot] = v;
                count += slot == count;
            }
            assert_int_equal(s.count, count);
        }
        for (int64_t i = 0; i < count; i++)
            assert_int_equal(bn_slotmap_find(&s, came[i]), i);
        bn_slotmap_free(&s);
        free(came);
    }
}

static void nodes_of_a_small_graph_get_slots_in_order_of_arrival(void **state)
{
    (void)state;
    slots_are_numbers_in_the_order_of_coming(FEW);
    slots_are_numbers_in_the_order_of_coming(BN_SLOTMAP_DIRECT);
}

static void nodes_of_a_large_graph_get_slots_in_order_of_arrival(void **state)
{
    (void)state;
    slots_are_numbers_in_the_order_of_coming(BN_SLOTMAP_DIRECT + 1);
    slots_are_numbers_in_the_order_of_coming(MANY);
}

static void memory_depends_on_the_nodes_added(void **state)
{
    (void)state;
    bn_slotmap s;
    assert_int_equal(bn_slotmap_new(&s, MANY), BONSAI_OK);
    for (int32_t i = 0; i < 1000; i++) {
        assert_int_equal(bn_slotmap_reserve(&s, 1), BONSAI_OK);
        bn_slotmap_add(&s, i * 2000000);
        assert_true(!s.direct && 1 << s.bits >= 2 * s.count);
        assert_true(1 << s.bits <= 64 || 1 << s.bits < 4 * s.count + 4);
    }
    bn_slotmap_free(&s);
}

static void what_was_reserved_can_be_added(void **state)
{
    (void)state;
    bn_slotmap s;
    assert_int_equal(bn_slotmap_new(&s, MANY), BONSAI_OK);
    assert_int_equal(bn_slotmap_reserve(&s, 10000), BONSAI_OK);
    int bits = s.bits;
    for (int32_t i = 0; i < 10000; i++)
        assert_int_equal(bn_slotmap_add(&s, 3 * i), i);
    assert_int_equal(s.bits, bits);
    assert_int_equal(bn_slotmap_find(&s, 1), -1);
    bn_slotmap_free(&s);
}

static void an_empty_graph_needs_no_slots(void **state)
{
    (void)state;
    bn_slotmap s, none = {0};
    assert_int_equal(bn_slotmap_new(&s, 0), BONSAI_OK);
    bn_slotmap_free(&s);
    bn_slotmap_free(&none);
}

static bonsai_status add_some(void *payload)
{
    bonsai_status rc;
    bn_slotmap s;
    BN_TRY(bn_slotmap_new(&s, *(int64_t *)payload));
    for (int32_t i = 0; i < 200; i++) {
        BN_TRY(bn_slotmap_reserve(&s, 1));
        bn_slotmap_add(&s, i);
    }
done:
    bn_slotmap_free(&s);
    return rc;
}

static void slots_survive_failed_allocations(void **state)
{
    (void)state;
    int64_t small = 1000, large = MANY;
    survives_failed_allocations(add_some, &small, 1);
    survives_failed_allocations(add_some, &large, 4);
}

static void bits_are_a_set(void **state)
{
    (void)state;
    uint64_t bits[BN_WORDS(200)] = {0}, seed = 3;
    bool in[200] = {false};
    for (int step = 0; step < 5000; step++) {
        int32_t i = random_below(&seed, 200);
        in[i] = random_below(&seed, 2);
        if (in[i])
            bn_bit_set(bits, i);
        else
            bn_bit_clear(bits, i);
        for (int32_t j = 0; j < 200 && step % 50 == 0; j++)
            assert_int_equal(bn_bit(bits, j), in[j]);
    }
    assert_int_equal(BN_WORDS(0), 0);
    assert_int_equal(BN_WORDS(64), 1);
    assert_int_equal(BN_WORDS(65), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_a_small_graph_get_slots_in_order_of_arrival),
        cmocka_unit_test(nodes_of_a_large_graph_get_slots_in_order_of_arrival),
        cmocka_unit_test(memory_depends_on_the_nodes_added),
        cmocka_unit_test(what_was_reserved_can_be_added),
        cmocka_unit_test(an_empty_graph_needs_no_slots),
        cmocka_unit_test(slots_survive_failed_allocations),
        cmocka_unit_test(bits_are_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
