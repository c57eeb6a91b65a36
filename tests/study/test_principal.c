/* test_principal.c -- principal directions against Jacobi's method on the covariance.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "embedding.h"
#include "random_graph.h"
#include "study/principal.h"

enum { MOST_ROWS = 300, MOST_F = 24 };

static const bn_progress silent = {NULL, NULL};

/* Eigenvalues (descending) and vectors (columns of q) of a symmetric matrix, by rotations. */
static void jacobi(double *value, double *q, double *a, int f)
{
    for (int i = 0; i < f * f; i++)
        q[i] = i % (f + 1) == 0;
    for (int sweep = 0; sweep < 100; sweep++)
        for (int i = 0; i < f; i++)
            for (int j = i + 1; j < f; j++) {
                double angle = 0.5 * atan2(2 * a[i * f + j], a[j * f + j] - a[i * f + i]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < f; k++) {
                    double x = a[k * f + i], y = a[k * f + j], u = q[k * f + i], v = q[k * f + j];
                    a[k * f + i] = c * x - s * y;
                    a[k * f + j] = s * x + c * y;
                    q[k * f + i] = c * u - s * v;
                    q[k * f + j] = s * u + c * v;
                }
                for (int k = 0; k < f; k++) {
                    double x = a[i * f + k], y = a[j * f + k];
                    a[i * f + k] = c * x - s * y;
                    a[j * f + k] = s * x + c * y;
                }
            }
    for (int i = 0; i < f; i++) {
        int best = i;
        for (int j = i + 1; j < f; j++)
            best = a[j * f + j] > a[best * f + best] ? j : best;
        for (int k = 0; k < f; k++) {
            double t = q[k * f + i];
            q[k * f + i] = q[k * f + best];
            q[k * f + best] = t;
        }
        value[i] = a[best * f + best];
        a[best * f + best] = a[i * f + i];
    }
}

static void covariance(double *out, double *mean, const float *x, int rows, int f)
{
    memset(mean, 0, (size_t)f * sizeof *mean);
    memset(out, 0, (size_t)(f * f) * sizeof *out);
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < f; j++)
            mean[j] += (double)x[r * f + j] / rows;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < f; i++)
            for (int j = 0; j < f; j++)
                out[i * f + j] += ((double)x[r * f + i] - mean[i]) *
                                  ((double)x[r * f + j] - mean[j]) / rows;
}

/* A matrix in which some directions matter more; a third of it zeros. */
static void stretch(float *x, int rows, int f, uint64_t *seed)
{
    random_features(x, rows, f, FLOATS, 67, seed);
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < f; j++)
            x[r * f + j] = x[r * f + j] == 0 ? 0 : 3 + x[r * f + j] * (float)(j % 5 + 1);
}

static void all_rows(int64_t *rows, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        rows[i] = i;
}

static bn_principal found(const bn_embedding *e, int threads)
{
    static int64_t rows[MOST_ROWS];
    bn_principal d;
    all_rows(rows, e->rows);
    if (bn_principal_find(&d, e, rows, e->rows, threads, silent) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return d;
}

static void directions_are_those_of_jacobis_method(void **state)
{
    static float x[MOST_ROWS * MOST_F];
    static double a[MOST_F * MOST_F], q[MOST_F * MOST_F], value[MOST_F], mean[MOST_F];
    int sure = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t random = seed;
        int rows = 3 + random_below(&random, MOST_ROWS - 3), f = 1 + random_below(&random, MOST_F);
        bn_embedding e;
        stretch(x, rows, f, &random);
        set_dense(&e, x, rows, f);
        bn_principal d = found(&e, 1);
        covariance(a, mean, x, rows, f);
        double total = 0;
        for (int j = 0; j < f; j++)
            total += a[j * f + j];
        jacobi(value, q, a, f);
        for (int b = 0; b < 2; b++) {
            double share = b < f && total > 0 ? value[b] / total : 0, along = 0, length = 0;
            assert_true(fabs(d.share[b] - share) < 1e-6);
            for (int j = 0; j < f && b < f; j++) {
                along += d.direction[j * 2 + b] * q[j * f + b];
                length += d.direction[j * 2 + b] * d.direction[j * 2 + b];
            }
            double gap = b + 1 < f ? value[b] - value[b + 1] : value[b < f ? b : 0];
            gap = b > 0 && b < f ? fmin(gap, value[0] - value[1]) : gap;
            if (b >= f || gap < 0.1 * value[0])
                continue;
            assert_true(fabs(length - 1) < 1e-9);
            assert_true(fabs(along) > 1 - 1e-4);
            sure++;
        }
        for (int j = 0; j < f; j++)
            assert_true(fabs(d.mean[j] - mean[j]) < 1e-9);
        bn_principal_free(&d);
        bn_embedding_free(&e);
    }
    assert_true(sure > 50);
}

static void a_row_lies_at_its_products_less_those_of_the_mean(void **state)
{
    static float x[50 * 7];
    uint64_t seed = 5;
    bn_embedding dense, sparse;
    (void)state;
    stretch(x, 50, 7, &seed);
    set_dense(&dense, x, 50, 7);
    set_sparse(&sparse, x, 50, 7);
    bn_principal d = found(&dense, 1);
    for (int r = 0; r < 50; r++) {
        double want[2] = {0, 0}, got[2], same[2];
        for (int j = 0; j < 7; j++)
            for (int b = 0; b < 2; b++)
                want[b] += ((double)x[r * 7 + j] - d.mean[j]) * d.direction[j * 2 + b];
        bn_principal_project(got, &d, &dense, r);
        bn_principal_project(same, &d, &sparse, r);
        assert_memory_equal(got, same, sizeof got);
        for (int b = 0; b < 2; b++)
            assert_true(fabs(got[b] - want[b]) < 1e-9);
    }
    bn_principal_free(&d);
    bn_embedding_free(&dense);
    bn_embedding_free(&sparse);
}

static void assert_same_directions(const bn_principal *a, const bn_principal *b)
{
    assert_memory_equal(a->mean, b->mean, (size_t)a->f * sizeof *a->mean);
    assert_memory_equal(a->direction, b->direction, (size_t)a->f * 2 * sizeof *a->direction);
    assert_memory_equal(a->share, b->share, sizeof a->share);
    assert_memory_equal(a->origin, b->origin, sizeof a->origin);
}

static void dense_and_sparse_rows_and_any_threads_give_the_same_bits(void **state)
{
    static float x[MOST_ROWS * MOST_F];
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed;
        int rows = 40 + random_below(&random, MOST_ROWS - 40), f = 2 + random_below(&random, 20);
        bn_embedding dense, sparse;
        stretch(x, rows, f, &random);
        set_dense(&dense, x, rows, f);
        set_sparse(&sparse, x, rows, f);
        bn_principal a = found(&dense, 1), b = found(&sparse, 1), c = found(&dense, 8);
        assert_same_directions(&a, &b);
        assert_same_directions(&a, &c);
        bn_principal_free(&a);
        bn_principal_free(&b);
        bn_principal_free(&c);
        bn_embedding_free(&dense);
        bn_embedding_free(&sparse);
    }
}

static void rows_that_are_alike_have_no_direction(void **state)
{
    float x[7 * 3];
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;
        bn_embedding e;
        for (int i = 0; i < 7 * 3; i++)
            x[i] = i < 3 ? random_real(&random) : x[i - 3];
        set_dense(&e, x, 7, 3);
        bn_principal d = found(&e, 2);
        for (int i = 0; i < 6; i++)
            assert_true(d.direction[i] == 0);
        assert_true(d.share[0] == 0 && d.share[1] == 0);
        bn_principal_free(&d);
        bn_embedding_free(&e);
    }
}

static void rows_on_a_line_have_one_direction(void **state)
{
    float x[40 * 3];
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;
        float along[3] = {random_real(&random), random_real(&random), random_real(&random)};
        bn_embedding e;
        for (int i = 0; i < 40 * 3; i++)        /* but for the rounding of floats */
            x[i] = 0.5f + (float)(i / 3) * along[i % 3];
        set_dense(&e, x, 40, 3);
        bn_principal d = found(&e, 1);
        assert_true(d.share[0] > 1 - 1e-9 && d.share[1] == 0);
        assert_true(d.direction[1] == 0 && d.direction[3] == 0 && d.direction[5] == 0);
        for (int j = 0; j < 3; j++)
            assert_true(fabs(fabs(d.direction[2 * j]) - (double)fabsf(along[j]) /
                             sqrt((double)(along[0] * along[0] + along[1] * along[1] +
                                           along[2] * along[2]))) < 1e-6);
        bn_principal_free(&d);
        bn_embedding_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_those_of_jacobis_method),
        cmocka_unit_test(a_row_lies_at_its_products_less_those_of_the_mean),
        cmocka_unit_test(dense_and_sparse_rows_and_any_threads_give_the_same_bits),
        cmocka_unit_test(rows_that_are_alike_have_no_direction),
        cmocka_unit_test(rows_on_a_line_have_one_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
