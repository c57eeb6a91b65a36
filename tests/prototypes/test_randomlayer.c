/* test_randomlayer.c -- random columns against the kernel that they stand for.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "prototypes/randomlayer.h"
#include "random_graph.h"

enum { ROWS = 24, WIDE = BN_RANDOM_COLUMNS };

static bn_embedding dense_rows(int64_t f, int percent, uint64_t seed)
{
    bn_embedding e = {.rows = ROWS, .f = f};
    assert_int_equal(BN_BIG(&e.dense, NULL, ROWS * f), BONSAI_OK);
    random_features(e.dense, ROWS, f, FLOATS, percent, &seed);
    return e;
}

static bn_embedding layer(const bn_embedding *x, int threads)
{
    bn_random_layer h;
    bn_embedding out;
    assert_int_equal(bn_random_layer_new(&h, x), BONSAI_OK);
    assert_int_equal(bn_random_layer_rows(&out, &h, x, threads), BONSAI_OK);
    assert_int_equal(out.rows, x->rows);
    assert_int_equal(out.f, WIDE);
    bn_random_layer_free(&h);
    return out;
}

static double product(const float *a, const float *b, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += (double)a[j] * (double)b[j];
    return sum;
}

/* The mean product of relu(w a) and relu(w b) over normal w (Cho and Saul 2009). */
static double kernel(double aa, double bb, double ab)
{
    double cosine = fmin(1, fmax(-1, ab / sqrt(aa * bb))), angle = acos(cosine);
    return sqrt(aa * bb) / 6.283185307179586 *
           (sin(angle) + (3.141592653589793 - angle) * cosine);
}

/* The rows less their mean, over their root mean squared distance from it. */
static double *centred(const bn_embedding *x)
{
    double *out = calloc((size_t)(ROWS * x->f), sizeof *out), squares = 0;
    assert_non_null(out);
    for (int64_t j = 0; j < x->f; j++) {
        double mean = 0;
        for (int64_t r = 0; r < ROWS; r++)
            mean += (double)x->dense[r * x->f + j] / ROWS;
        for (int64_t r = 0; r < ROWS; r++) {
            double away = (double)x->dense[r * x->f + j] - mean;
            out[r * x->f + j] = away;
            squares += away * away / ROWS;
        }
    }
    for (int64_t i = 0; i < ROWS * x->f && squares > 0; i++)
        out[i] /= sqrt(squares);
    return out;
}

/* A tenth of the unit is the constant. */
static double inner(const double *a, const double *b, int64_t n)
{
    double sum = 0.01;
    for (int64_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

static void products_come_to_the_kernel(void **state)
{
    static const int64_t columns[] = {1, 40, 63, 64, 300, 1023, 1024, 2500, 4095, 9000};
    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        int64_t f = columns[i];
        bn_embedding x = dense_rows(f, 40, i), y = layer(&x, 1);
        double *c = centred(&x), worst = 0, off = 0;
        for (int r = 0; r < ROWS; r++)
            for (int s = 0; s < ROWS; s++) {
                const double *a = c + r * f, *b = c + s * f;
                double aa = inner(a, a, f), bb = inner(b, b, f);
                double want = kernel(aa, bb, inner(a, b, f));
                double got = product(y.dense + r * WIDE, y.dense + s * WIDE, WIDE) / WIDE;
                worst = fmax(worst, fabs(got - want) / sqrt(aa * bb));
                off += (got - want) / sqrt(aa * bb) / ROWS / ROWS;
            }
        if (worst > 0.12 || fabs(off) > 0.04)
            fail_msg("%lld columns: off by %g, by %g in the mean", (long long)f, worst, off);
        free(c);
        bn_embedding_free(&x);
        bn_embedding_free(&y);
    }
}

static void sparse_rows_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    for (int64_t f = 50; f < 6000; f += 2900) {
        bn_embedding x = dense_rows(f, 10, 3), sparse;
        assert_int_equal(bn_embedding_take(&sparse, &x, NULL, ROWS, false,
                                           &(bn_place){.threads = 1}), BONSAI_OK);
        bn_embedding a = layer(&x, 1), b = layer(&sparse, 3);
        assert_memory_equal(a.dense, b.dense, ROWS * WIDE * sizeof(float));
        bn_embedding_free(&x);
        bn_embedding_free(&sparse);
        bn_embedding_free(&a);
        bn_embedding_free(&b);
    }
}

/* Times a power of two: nothing is rounded another way. */
static void the_scale_of_rows_does_not_matter(void **state)
{
    (void)state;
    bn_embedding x = dense_rows(70, 60, 8), a = layer(&x, 1);
    for (int i = 0; i < ROWS * 70; i++)
        x.dense[i] *= 0x1p40f;
    bn_embedding b = layer(&x, 1);
    assert_memory_equal(a.dense, b.dense, ROWS * WIDE * sizeof(float));
    memset(x.dense, 0, ROWS * 70 * sizeof(float));
    x.dense[5] = 3e38f;                 /* far above the mean of all others */
    bn_embedding c = layer(&x, 1);
    for (int i = 0; i < ROWS * WIDE; i++)
        assert_true(isfinite(c.dense[i]) && c.dense[i] >= 0);
    bn_embedding_free(&x);
    bn_embedding_free(&a);
    bn_embedding_free(&b);
    bn_embedding_free(&c);
}

static void a_row_added_to_all_rows_changes_nothing(void **state)
{
    (void)state;
    for (int64_t f = 30; f < 6000; f += 2900) {
        uint64_t s = 4;
        bn_embedding x = dense_rows(f, 50, 2), a = layer(&x, 1);
        for (int64_t j = 0; j < f; j++) {
            float same = 3 * random_real(&s);
            for (int64_t r = 0; r < ROWS; r++)
                x.dense[r * f + j] += same;
        }
        bn_embedding b = layer(&x, 1);
        for (int i = 0; i < ROWS * WIDE; i++)
            assert_true(fabsf(a.dense[i] - b.dense[i]) < 1e-4f);
        bn_embedding_free(&x);
        bn_embedding_free(&a);
        bn_embedding_free(&b);
    }
}

/* They have no distance from their mean, so the unit is 1. */
static void of_equal_rows_only_the_constant_is_left(void **state)
{
    (void)state;
    bn_embedding x = dense_rows(20, 0, 1);
    for (int i = 0; i < ROWS * 20; i++)
        x.dense[i] = (float)(i % 20) - 7.5f;
    bn_embedding y = layer(&x, 1);
    for (int r = 0; r < ROWS; r++) {
        assert_memory_equal(y.dense, y.dense + r * WIDE, WIDE * sizeof(float));
        double got = product(y.dense, y.dense + r * WIDE, WIDE) / WIDE;
        assert_true(fabs(got - kernel(0.01, 0.01, 0.01)) < 0.0012);
    }
    bn_embedding_free(&x);
    bn_embedding_free(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_come_to_the_kernel),
        cmocka_unit_test(sparse_rows_and_threads_give_the_same_bits),
        cmocka_unit_test(the_scale_of_rows_does_not_matter),
        cmocka_unit_test(a_row_added_to_all_rows_changes_nothing),
        cmocka_unit_test(of_equal_rows_only_the_constant_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
