/* test_csr.c -- products and transposes, sparse and dense, compared with those in doubles.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

enum { ROWS = 40, COLS = 30, WIDE = 25 };

typedef struct {
    int64_t offsets[ROWS + 1];
    int32_t index[ROWS * COLS];
    float   value[ROWS * COLS];
    double  dense[ROWS][COLS];
} matrix;

static bn_matrix make(matrix *m, uint64_t seed, bool ones)
{
    uint64_t s = seed;
    int64_t nnz = 0;
    memset(m, 0, sizeof *m);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLS && r % 7 != 3; c++) {
            if (random_below(&s, 4))
                continue;
            m->index[nnz] = c;
            m->value[nnz] = random_real(&s) + 1.5f;
            m->dense[r][c] = ones ? 1 : (double)m->value[nnz];
            nnz++;
        }
        m->offsets[r + 1] = nnz;
    }
    return (bn_matrix){ROWS, COLS, m->offsets, m->index, ones ? NULL : m->value, NULL};
}

static void fill(float *x, int64_t count, uint64_t seed)
{
    uint64_t s = seed;
    for (int64_t i = 0; i < count; i++)
        x[i] = random_real(&s);
}

static void assert_product(const float *y, const matrix *m, const float *x, bool flipped)
{
    int rows = flipped ? COLS : ROWS, cols = flipped ? ROWS : COLS;
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < WIDE; j++) {
            double sum = 0;
            for (int c = 0; c < cols; c++)
                sum += (flipped ? m->dense[c][r] : m->dense[r][c]) * (double)x[c * WIDE + j];
            assert_true(fabs(sum - (double)y[r * WIDE + j]) < 1e-4 * (1 + fabs(sum)));
        }
}

static void products_equal_those_of_the_dense_matrix(void **state)
{
    (void)state;
    static matrix m;
    float x[COLS * WIDE], y[ROWS * WIDE], z[ROWS * WIDE];
    for (uint64_t seed = 0; seed < 100; seed++) {
        bn_matrix a = make(&m, seed, seed % 2);
        fill(x, COLS * WIDE, seed);
        memset(y, 0x7f, sizeof y);
        bn_matrix_times(y, &a, x, WIDE, 1);
        bn_matrix_times(z, &a, x, WIDE, 8);
        assert_memory_equal(y, z, sizeof y);
        assert_product(y, &m, x, false);
    }
}

static void a_transpose_has_the_same_entries(void **state)
{
    (void)state;
    static matrix m;
    float x[ROWS * WIDE], y[COLS * WIDE];
    for (uint64_t seed = 0; seed < 50; seed++) {
        bn_matrix t, back, a = make(&m, seed, seed % 2);
        fill(x, ROWS * WIDE, seed);
        assert_int_equal(bn_matrix_transpose(&t, &a), BONSAI_OK);
        bn_matrix_times(y, &t, x, WIDE, 2);
        assert_product(y, &m, x, true);
        assert_int_equal(bn_matrix_transpose(&back, &t), BONSAI_OK);
        assert_memory_equal(back.offsets, a.offsets, sizeof m.offsets);
        assert_memory_equal(back.index, a.index, (size_t)a.offsets[ROWS] * sizeof *a.index);
        bn_matrix_free(&t);
        bn_matrix_free(&back);
    }
}

/* The same matrix with all its zeros. */
static bn_matrix dense_of(float *room, const matrix *m)
{
    for (int i = 0; i < ROWS * COLS; i++)
        room[i] = (float)m->dense[i / COLS][i % COLS];
    return (bn_matrix){.rows = ROWS, .cols = COLS, .dense = room};
}

static void dense_products_have_the_bits_of_sparse_ones(void **state)
{
    (void)state;
    enum { MOST = 5 * BN_NARROW };
    static matrix m;
    static float room[ROWS * COLS], x[COLS * MOST], y[ROWS * MOST], z[ROWS * MOST];
    for (uint64_t seed = 0; seed < 50; seed++) {
        int64_t k = BN_NARROW * (1 + (int64_t)seed % 5), count = ROWS * k;
        bn_matrix a = make(&m, seed, seed % 2), b = dense_of(room, &m);
        fill(x, COLS * k, seed);
        bn_matrix_times(y, &a, x, k, 1);
        for (int threads = 1; threads <= 8; threads += 7) {
            memset(z, 0x7f, sizeof z);
            bn_matrix_times(z, &b, x, k, threads);
            assert_memory_equal(y, z, (size_t)count * sizeof *y);
        }
    }
}

static void a_dense_matrix_flipped_twice_is_as_before(void **state)
{
    (void)state;
    static matrix m;
    static float room[ROWS * COLS];
    bn_matrix once, twice, a = make(&m, 3, false), b = dense_of(room, &m);
    assert_int_equal(a.rows, b.rows);
    assert_int_equal(bn_matrix_transpose(&once, &b), BONSAI_OK);
    assert_true(once.rows == COLS && once.cols == ROWS);
    for (int i = 0; i < ROWS * COLS; i++)
        assert_true(once.dense[i % COLS * ROWS + i / COLS] == room[i]);
    assert_int_equal(bn_matrix_transpose(&twice, &once), BONSAI_OK);
    assert_true(twice.rows == ROWS && twice.cols == COLS);
    assert_memory_equal(twice.dense, room, sizeof room);
    bn_matrix_free(&once);
    bn_matrix_free(&twice);
}

static void empty_matrices_work(void **state)
{
    (void)state;
    int64_t zero[2] = {0, 0};
    bn_matrix t, a = {0, 0, zero, NULL, NULL, NULL};
    float y = 5, x = 1;
    bn_matrix_times(&y, &a, &x, 1, 2);
    a.rows = 1;
    bn_matrix_times(&y, &a, &x, 0, 2);
    assert_true(y == 5);
    bn_matrix_times(&y, &a, &x, 1, 2);
    assert_true(y == 0);
    assert_int_equal(bn_matrix_transpose(&t, &a), BONSAI_OK);
    bn_matrix_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_equal_those_of_the_dense_matrix),
        cmocka_unit_test(a_transpose_has_the_same_entries),
        cmocka_unit_test(dense_products_have_the_bits_of_sparse_ones),
        cmocka_unit_test(a_dense_matrix_flipped_twice_is_as_before),
        cmocka_unit_test(empty_matrices_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
