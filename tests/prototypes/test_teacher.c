/* test_teacher.c -- softmax regression by ridge steps: the middle of two classes, the least of the loss,
 * rows in another unit, threads and failed allocations.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "prototypes/teacher.h"
#include "random_graph.h"

enum { ROWS = 300, F = 5, CLASSES = 4 };

typedef struct { float x[ROWS * F]; int32_t label[ROWS]; bn_embedding e; } lesson;

/* Classes whose rows overlap: the loss has one least value, at finite weights. */
static void make_lesson(lesson *l, double unit, uint64_t seed)
{
    uint64_t s = seed;
    for (int i = 0; i < ROWS; i++) {
        l->label[i] = (int32_t)(random_below(&s, CLASSES));
        for (int j = 0; j < F; j++) {
            const double noise = (double)random_real(&s) + (double)random_real(&s) - 1;
            l->x[i * F + j] = (float)(unit * (2 + noise + (j == l->label[i] ? 0.7 : 0)));
        }
    }
    l->e = (bn_embedding){.rows = ROWS, .f = F, .dense = l->x};
}

static bn_teacher teacher_of(const lesson *l, int threads)
{
    bn_teacher t;
    assert_int_equal(bn_teacher_make(&t, &l->e, l->label, CLASSES, threads), BONSAI_OK);
    assert_true(t.f == F && t.c == CLASSES);
    return t;
}

static void two_classes_meet_in_the_middle(void **state)
{
    (void)state;
    float x[] = {-1, -1.5f, -2, -2.5f, 1, 1.5f, 2, 2.5f, 0.5f, -0.5f}, said[2];
    const int32_t label[] = {0, 0, 0, 0, 1, 1, 1, 1, 0, 1};
    const bn_embedding e = {.rows = 10, .f = 1, .dense = x};
    bn_teacher t;
    double before = 1;
    assert_int_equal(bn_teacher_make(&t, &e, label, 2, 1), BONSAI_OK);
    for (float at = -3; at <= 3; at += 0.5f) {
        bn_teacher_label(said, &t, &at);
        assert_true(fabs((double)said[0] + (double)said[1] - 1) < 1e-6);
        assert_true((double)said[0] < before);
        before = (double)said[0];
        if (at == 0)
            assert_true(fabs((double)said[0] - 0.5) < 1e-3);
    }
    bn_teacher_free(&t);
}

/* Where the loss is least, the probabilities miss nothing on average, nor along any coordinate. */
static void the_loss_is_least(void **state)
{
    (void)state;
    static lesson l;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double miss[(F + 1) * CLASSES] = {0};
        make_lesson(&l, 1, seed);
        bn_teacher t = teacher_of(&l, 1);
        for (int i = 0; i < ROWS; i++) {
            float said[CLASSES];
            bn_teacher_label(said, &t, l.x + i * F);
            for (int k = 0; k < CLASSES; k++)
                for (int j = 0; j <= F; j++)
                    miss[j * CLASSES + k] += ((double)said[k] - (l.label[i] == k)) / ROWS *
                                             (j < F ? (double)l.x[i * F + j] : 1);
        }
        for (int i = 0; i < (F + 1) * CLASSES; i++)
            assert_true(fabs(miss[i]) < 1e-3);
        bn_teacher_free(&t);
    }
}

static void the_unit_of_rows_does_not_matter(void **state)
{
    (void)state;
    static lesson one, large;
    make_lesson(&one, 1, 7);
    make_lesson(&large, 1000, 7);
    bn_teacher a = teacher_of(&one, 1), b = teacher_of(&large, 1);
    for (int i = 0; i < ROWS; i++) {
        float x[CLASSES], y[CLASSES];
        bn_teacher_label(x, &a, one.x + i * F);
        bn_teacher_label(y, &b, large.x + i * F);
        for (int k = 0; k < CLASSES; k++)
            assert_true(fabs((double)x[k] - (double)y[k]) < 1e-3);
    }
    bn_teacher_free(&a);
    bn_teacher_free(&b);
}

static void equal_rows_get_the_shares_of_their_classes(void **state)
{
    (void)state;
    float x[8] = {3, 3, 3, 3, 3, 3, 3, 3}, said[3];
    const int32_t label[8] = {0, 0, 0, 0, 1, 1, 2, 2};
    const bn_embedding e = {.rows = 8, .f = 1, .dense = x};
    bn_teacher t;
    assert_int_equal(bn_teacher_make(&t, &e, label, 3, 1), BONSAI_OK);
    bn_teacher_label(said, &t, x);
    assert_true(fabs((double)said[0] - 0.5) < 1e-3 && fabs((double)said[1] - 0.25) < 1e-3);
    bn_teacher_free(&t);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static lesson l;
    make_lesson(&l, 1, 3);
    bn_teacher a = teacher_of(&l, 1), b = teacher_of(&l, 8);
    assert_memory_equal(a.w, b.w, (F + 1) * CLASSES * sizeof *a.w);
    bn_teacher_free(&a);
    bn_teacher_free(&b);
}

static void rows_are_as_many_as_a_fit_can_afford(void **state)
{
    (void)state;
    assert_int_equal(bn_teacher_rows(100, 10, 5), 100);
    assert_int_equal(bn_teacher_rows(100000, 10, 5), BN_TEACHER_ROWS);
    assert_int_equal(bn_teacher_rows(100000, 511, 256), 1525);   /* 2e8 products / (512 * 256) */
    assert_int_equal(bn_teacher_rows(100000, 1000000, 256), 1024);
}

static bonsai_status try_once(void *payload)
{
    const lesson *l = payload;
    bn_teacher t;
    bonsai_status rc = bn_teacher_make(&t, &l->e, l->label, CLASSES, 1);
    bn_teacher_free(&t);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static lesson l;
    make_lesson(&l, 1, 5);
    survives_failed_allocations(try_once, &l, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_meet_in_the_middle),
        cmocka_unit_test(the_loss_is_least),
        cmocka_unit_test(the_unit_of_rows_does_not_matter),
        cmocka_unit_test(equal_rows_get_the_shares_of_their_classes),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(rows_are_as_many_as_a_fit_can_afford),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
