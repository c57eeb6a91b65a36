/* test_half.c -- half precision compared with a search over all halves.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>

#include "oracle.h"
#include "random_graph.h"

static void halves_by_hand(void **state)
{
    (void)state;
    static const struct { uint16_t half; float value; } rows[] = {
        {0x0000, 0.0f}, {0x3c00, 1.0f}, {0xc000, -2.0f}, {0x7bff, 65504.0f}, {0x0001, 0x1p-24f},
        {0x03ff, 1023 * 0x1p-24f}, {0x0400, 0x1p-14f}, {0x3555, 0.333251953125f},
        {0x7c00, INFINITY}, {0xfc00, -INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(bn_half_to_float(rows[i].half) == rows[i].value);
        assert_int_equal(bn_half_from_float(rows[i].value), rows[i].half);
    }
}

static void every_half_comes_back(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        float v = bn_half_to_float((uint16_t)h);
        uint16_t back = bn_half_from_float(v);
        if ((h & 0x7fff) > 0x7c00)
            assert_true(isnan(v) && (back & 0x7fff) > 0x7c00);
        else
            assert_int_equal(back, h);
        assert_int_equal(signbit(v) != 0, h >> 15);
    }
}

static void same_as_oracle(float v)
{
    if (bn_half_from_float(v) != oracle_half(v))
        fail_msg("%a became %04x, not %04x", (double)v, bn_half_from_float(v), oracle_half(v));
}

static void the_nearest_half_is_found(void **state)
{
    (void)state;
    uint64_t s = 1;
    for (int i = 0; i < 1500; i++) {
        int exponent = random_below(&s, 48) - 28;
        same_as_oracle(ldexpf(random_real(&s), exponent));
    }
    for (int i = 0; i < 300; i++) {             /* the middle of two halves, and its neighbours */
        uint16_t h = (uint16_t)random_below(&s, 0x7bff);
        float middle = (bn_half_to_float(h) + bn_half_to_float((uint16_t)(h + 1))) / 2;
        same_as_oracle(middle);
        same_as_oracle(nextafterf(middle, 0));
        same_as_oracle(-nextafterf(middle, INFINITY));
    }
    static const float edges[] = {65504.0f, 65519.996f, 65520.0f, 65536.0f, 3e38f, 0x1p-25f,
                                  0x1.000002p-25f, 0x1p-26f, 0x1p-149f, 0x1.ffcp-15f, 0x1.ffep-15f,
                                  0x1.fffffep-15f, 0.0f, -0.0f};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        same_as_oracle(edges[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_by_hand),
        cmocka_unit_test(every_half_comes_back),
        cmocka_unit_test(the_nearest_half_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
