/* test_distance.c -- distances of gradients, in double: derivatives by differences, and what must
 * hold.
 *
 * SPDX-License-Identifier: MIT */
#include "differences.h"
#include "students.h"

enum { ROWS = 7, COLS = 70 };           /* more columns than are taken at a time */

typedef struct {
    real s[ROWS * COLS], g[ROWS * COLS], v[ROWS * COLS];
    bn_extent x;
} pair;

static double far_of(void *payload)
{
    pair *p = payload;
    real v[ROWS * COLS];
    return bn_distance(v, p->s, p->g, &p->x);
}

static void make_pair(pair *p, bn_far kind)
{
    p->x = (bn_extent){kind, ROWS, COLS};
    for (int64_t i = 0; i < ROWS * COLS; i++) {
        p->s[i] = wave(i, 0.2);
        p->g[i] = wave(i, 0.9);
    }
}

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    for (bn_far kind = BN_FAR_COLUMNS; kind <= BN_FAR_SQUARES; kind++) {
        pair p;
        make_pair(&p, kind);
        const double far = bn_distance(p.v, p.s, p.g, &p.x);
        assert_near("the distance", far_of(&p), far, 0);
        assert_gradient("derivative", p.v, far_of, &p, p.s, ROWS * COLS);
    }
}

/* In place: the derivative takes the place of the gradient. */
static void the_derivative_may_replace_the_gradient(void **state)
{
    (void)state;
    for (bn_far kind = BN_FAR_COLUMNS; kind <= BN_FAR_SQUARES; kind++) {
        pair p;
        make_pair(&p, kind);
        bn_distance(p.v, p.s, p.g, &p.x);
        bn_distance(p.s, p.s, p.g, &p.x);
        assert_memory_equal(p.s, p.v, sizeof p.v);
    }
}

static void nothing_is_far_from_itself(void **state)
{
    (void)state;
    for (bn_far kind = BN_FAR_COLUMNS; kind <= BN_FAR_SQUARES; kind++) {
        pair p;
        make_pair(&p, kind);
        memcpy(p.s, p.g, sizeof p.s);
        assert_true(fabs(far_of(&p)) < 1e-4);   /* 1e-6 is added to lengths */
    }
}

static void cosines_do_not_see_lengths(void **state)
{
    (void)state;
    for (bn_far kind = BN_FAR_COLUMNS; kind <= BN_FAR_WHOLE; kind++) {
        pair p;
        make_pair(&p, kind);
        const double far = far_of(&p);
        for (int64_t i = 0; i < ROWS * COLS; i++)
            p.s[i] *= kind == BN_FAR_COLUMNS ? 1 + (double)(i % COLS) : 3;
        assert_near("the distance", far_of(&p), far, 1e-5);
    }
}

static void a_column_of_zeros_is_at_distance_one(void **state)
{
    (void)state;
    pair p;
    make_pair(&p, BN_FAR_COLUMNS);
    memset(p.s, 0, sizeof p.s);
    assert_near("the distance", bn_distance(p.v, p.s, p.g, &p.x), COLS, 1e-12);
    for (int64_t i = 0; i < ROWS * COLS; i++)
        assert_true(isfinite(p.v[i]));
    memset(p.g, 0, sizeof p.g);
    bn_distance(p.v, p.s, p.g, &p.x);
    for (int64_t i = 0; i < ROWS * COLS; i++)
        assert_true(p.v[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_differences),
        cmocka_unit_test(the_derivative_may_replace_the_gradient),
        cmocka_unit_test(nothing_is_far_from_itself),
        cmocka_unit_test(cosines_do_not_see_lengths),
        cmocka_unit_test(a_column_of_zeros_is_at_distance_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
