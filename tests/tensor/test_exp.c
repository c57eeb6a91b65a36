/* test_exp.c -- our e^x against that of the C library.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <float.h>
#include <math.h>

#include "random_graph.h"
#include "tensor/tensor.h"

static void is_within_one_unit_of_the_last_place(void **state)
{
    (void)state;
    uint64_t s = 4;
    for (int i = 0; i < 200000; i++) {
        double x = (double)random_real(&s) * (i % 3 == 0 ? 700 : i % 3 == 1 ? 20 : 1e-3);
        double wanted = exp(x);
        assert_true(fabs(bn_exp(x) - wanted) <= DBL_EPSILON * wanted);
    }
}

static void ends_are_as_in_the_c_library(void **state)
{
    (void)state;
    static const double x[] = {0, -0.0, 1, -1, 709.7, 709.79, 710, 1e308, INFINITY, -708.5, -740,
                               -745.1, -745.2, -746, -1e308, -INFINITY};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        double wanted = exp(x[i]), got = bn_exp(x[i]);
        assert_true(got == wanted || fabs(got - wanted) <= DBL_EPSILON * wanted + DBL_TRUE_MIN);
    }
    assert_true(isnan(bn_exp(NAN)));
    assert_true(bn_exp(0) == 1);
}

static void the_bits_are_those_of_every_processor(void **state)
{
    (void)state;
    uint64_t s = 5, hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 20000; i++) {
        double y = bn_exp((double)random_real(&s) * 40);
        for (size_t j = 0; j < sizeof y; j++)
            hash = (hash ^ ((const uint8_t *)&y)[j]) * 0x100000001b3u;
    }
    assert_int_equal(hash, 0x6d98af166a0ab5b0u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_within_one_unit_of_the_last_place),
        cmocka_unit_test(ends_are_as_in_the_c_library),
        cmocka_unit_test(the_bits_are_those_of_every_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
