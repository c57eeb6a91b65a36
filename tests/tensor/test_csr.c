/* test_csr.c -- sparse products and transposes compared with dense ones.
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
    return (bn_matrix){ROWS, COLS, m->offsets, m->index, ones ? NULL : m->value};
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
        assert_int_equal(bn_matrix_flip(&t, &a), BONSAI_OK);
        bn_matrix_times(y, &t, x, WIDE, 2);
        assert_product(y, &m, x, true);
        assert_int_equal(bn_matrix_flip(&back, &t), BONSAI_OK);
        assert_memory_equal(back.offsets, a.offsets, sizeof m.offsets);
        assert_memory_equal(back.index, a.index, (size_t)a.offsets[ROWS] * sizeof *a.index);
        bn_matrix_free(&t);
        bn_matrix_free(&back);
    }
}

static void empty_matrices_work(void **state)
{
    (void)state;
    int64_t zero[2] = {0, 0};
    bn_matrix t, a = {0, 0, zero, NULL, NULL};
    float y = 5, x = 1;
    bn_matrix_times(&y, &a, &x, 1, 2);
    a.rows = 1;
    bn_matrix_times(&y, &a, &x, 0, 2);
    assert_true(y == 5);
    bn_matrix_times(&y, &a, &x, 1, 2);
    assert_true(y == 0);
    assert_int_equal(bn_matrix_flip(&t, &a), BONSAI_OK);
    bn_matrix_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_equal_those_of_the_dense_matrix),
        cmocka_unit_test(a_transpose_has_the_same_entries),
        cmocka_unit_test(empty_matrices_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
