/* test_csr.c -- sparse products compared with dense ones.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

enum { ROWS = 40, COLS = 30, WIDE = 9 };

typedef struct {
    uint32_t offsets[ROWS + 1];
    uint64_t long_offsets[ROWS + 1];
    uint16_t indices[ROWS * COLS];
    uint32_t long_indices[ROWS * COLS];
    float    values[ROWS * COLS];
    int8_t   bytes[ROWS * COLS];
    float    scale[ROWS];
    double   dense[ROWS][COLS];
} matrix;

/* kind 0: F32 values; 1: all ones; 2: I8 with a scale. */
static bn_csr make(matrix *m, uint64_t seed, int kind)
{
    uint64_t s = seed;
    uint32_t nnz = 0;
    memset(m, 0, sizeof *m);
    for (int r = 0; r < ROWS; r++) {
        m->scale[r] = random_real(&s) + 1.5f;
        for (int c = 0; c < COLS && r % 7 != 3; c++) {
            if (random_below(&s, 4))
                continue;
            m->indices[nnz] = (uint16_t)c;
            m->long_indices[nnz] = (uint32_t)c;
            m->values[nnz] = random_real(&s) + 1.5f;
            m->bytes[nnz] = (int8_t)(1 + random_below(&s, 127));
            m->dense[r][c] = kind == 0 ? (double)m->values[nnz] : kind == 1 ? 1
                             : (double)(m->scale[r] * (float)m->bytes[nnz]);
            nnz++;
        }
        m->long_offsets[r + 1] = m->offsets[r + 1] = nnz;
    }
    bn_csr a = {ROWS, COLS, {m->offsets, ROWS + 1, BONSAI_TYPE_U32},
                {m->indices, nnz, BONSAI_TYPE_U16}, {NULL, 0, BONSAI_TYPE_NONE}, NULL};
    if (seed % 2) {
        a.offsets = (bonsai_array){m->long_offsets, ROWS + 1, BONSAI_TYPE_U64};
        a.indices = (bonsai_array){m->long_indices, nnz, BONSAI_TYPE_U32};
    }
    if (kind == 0)
        a.values = (bonsai_array){m->values, nnz, BONSAI_TYPE_F32};
    if (kind == 2) {
        a.values = (bonsai_array){m->bytes, nnz, BONSAI_TYPE_I8};
        a.scale = m->scale;
    }
    return a;
}

static void fill(float *x, int64_t count, uint64_t seed)
{
    uint64_t s = seed;
    for (int64_t i = 0; i < count; i++)
        x[i] = random_real(&s);
}

static void products_equal_those_of_the_dense_matrix(void **state)
{
    (void)state;
    static matrix m;
    float x[COLS * WIDE], y[ROWS * WIDE], z[ROWS * WIDE];
    for (uint64_t seed = 0; seed < 100; seed++) {
        bn_csr a = make(&m, seed, (int)(seed % 3));
        fill(x, COLS * WIDE, seed);
        memset(y, 0x7f, sizeof y);
        bn_csr_times_dense(y, &a, x, WIDE, 1);
        bn_csr_times_dense(z, &a, x, WIDE, 8);
        assert_memory_equal(y, z, sizeof y);
        for (int r = 0; r < ROWS; r++)
            for (int j = 0; j < WIDE; j++) {
                double sum = 0;
                for (int c = 0; c < COLS; c++)
                    sum += m.dense[r][c] * (double)x[c * WIDE + j];
                assert_true(fabs(sum - (double)y[r * WIDE + j]) < 1e-4 * (1 + fabs(sum)) * 20);
            }
    }
}

static void means_are_over_the_neighbours_of_each_row(void **state)
{
    (void)state;
    static matrix m;
    float x[ROWS * WIDE], y[ROWS * WIDE], z[ROWS * WIDE];
    for (uint64_t seed = 0; seed < 50; seed++) {
        bn_csr a = make(&m, seed, (int)(seed % 2));
        fill(x, ROWS * WIDE, seed);
        bn_csr_mean(y, &a, x, WIDE, 1);
        bn_csr_mean(z, &a, x, WIDE, 8);
        assert_memory_equal(y, z, sizeof y);
        for (int r = 0; r < ROWS; r++)
            for (int j = 0; j < WIDE; j++) {
                double sum = 0, total = 0;
                for (int c = 0; c < COLS; c++) {
                    sum += m.dense[r][c] * (double)x[c * WIDE + j];
                    total += m.dense[r][c];
                }
                double wanted = total > 0 ? sum / total : (double)x[r * WIDE + j];
                assert_true(fabs(wanted - (double)y[r * WIDE + j]) < 1e-5);
            }
    }
}

static void empty_matrices_work(void **state)
{
    (void)state;
    const uint32_t zero[2] = {0, 0};
    bn_csr a = {0, 0, {zero, 1, BONSAI_TYPE_U32}, {zero, 0, BONSAI_TYPE_U32},
                {NULL, 0, BONSAI_TYPE_NONE}, NULL};
    float y = 5, x = 1;
    bn_csr_times_dense(&y, &a, &x, 1, 2);
    a.rows = 1;
    a.offsets.count = 2;
    bn_csr_times_dense(&y, &a, &x, 0, 2);
    assert_true(y == 5);
    bn_csr_times_dense(&y, &a, &x, 1, 2);
    assert_true(y == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_equal_those_of_the_dense_matrix),
        cmocka_unit_test(means_are_over_the_neighbours_of_each_row),
        cmocka_unit_test(empty_matrices_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
