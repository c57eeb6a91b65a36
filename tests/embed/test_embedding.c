/* test_embedding.c -- rows of an embedding, dense and sparse, against the matrix they were made of.
 *
 * SPDX-License-Identifier: MIT */
#include "embedding.h"

#include "random_graph.h"

enum { ROWS = 9, F = 75 };

/* A third of the entries, more in some rows than in others; the last row has none. */
static void make(float *x, bool whole, uint64_t seed)
{
    for (int i = 0; i < ROWS * F; i++) {
        bool some = i / F < ROWS - 1 && random_below(&seed, 3 + i / F % 4) == 0;
        float v = whole ? (float)(random_below(&seed, 9) - 4) : random_real(&seed);
        x[i] = some ? v : 0.0f;
    }
}

static void set(bn_embedding *e, const float *x, bool sparse)
{
    (sparse ? set_sparse : set_dense)(e, x, ROWS, F);
}

static void rows_are_read_added_and_measured(void **state)
{
    (void)state;
    float x[ROWS * F], row[F];
    make(x, false, 1);
    for (int sparse = 0; sparse < 2; sparse++) {
        bn_embedding e;
        set(&e, x, sparse);
        for (int r = 0; r < ROWS; r++) {
            double sum[F];
            int64_t length = 0;
            for (int j = 0; j < F; j++) {
                sum[j] = j;
                row[j] = 7;
                length += x[r * F + j] != 0.0f;
            }
            bn_embedding_row(row, &e, r);
            assert_memory_equal(row, x + r * F, sizeof row);
            bn_row_add(sum, &e, r, 0.5);
            for (int j = 0; j < F; j++)
                assert_true(sum[j] == j + 0.5 * (double)x[r * F + j]);
            assert_int_equal(bn_embedding_length(&e, r), length);
        }
        bn_embedding_free(&e);
        assert_true(!e.dense && !e.offsets && !e.index && !e.value && e.rows == 0 && e.f == 0);
    }
}

/* Whether sparse rows have ascending columns and no zeros, and nothing stands between them. */
static bool well_formed(const bn_embedding *e)
{
    bool right = e->offsets[0] == 0;
    for (int64_t r = 0; r < e->rows; r++)
        for (int64_t i = e->offsets[r]; i < e->offsets[r + 1]; i++)
            right = right && e->value[i] != 0.0f &&
                    (i == e->offsets[r] || e->index[i] > e->index[i - 1]);
    return right;
}

static void copies_have_the_rows_asked_for(void **state)
{
    (void)state;
    static const int64_t some[] = {3, 8, 3, 0, 7, 1};
    float x[ROWS * F], row[F];
    make(x, false, 2);
    for (int k = 0; k < 16; k++) {
        bool from_sparse = k & 1, dense = k & 2;
        const int64_t *list = k & 4 ? some : NULL;
        int64_t count = list ? 6 : 5;
        bn_embedding e, got;
        set(&e, x, from_sparse);
        assert_int_equal(bn_embedding_take(&got, &e, list, count, dense,
                                           &(bn_place){.threads = k & 8 ? 3 : 1}), BONSAI_OK);
        assert_true(got.rows == count && got.f == F);
        assert_true(dense ? got.dense && !got.offsets : !got.dense && well_formed(&got));
        for (int64_t i = 0; i < count; i++) {
            bn_embedding_row(row, &got, i);
            assert_memory_equal(row, x + (list ? list[i] : i) * F, sizeof row);
        }
        bn_embedding_free(&got);
        bn_embedding_free(&e);
    }
}

/* Whole numbers have exact sums; of others, dense and sparse rows give the same bits. */
static void distances_are_the_same_dense_and_sparse(void **state)
{
    (void)state;
    float x[ROWS * F];
    for (uint64_t seed = 0; seed < 20; seed++) {
        bn_embedding dense, sparse;
        bool whole = seed % 2;
        make(x, whole, seed);
        set(&dense, x, false);
        set(&sparse, x, true);
        for (int a = 0; a < ROWS; a++)
            for (int b = 0; b < ROWS; b++) {
                double sum = 0;
                for (int j = 0; j < F; j++) {
                    double d = (double)x[a * F + j] - (double)x[b * F + j];
                    sum += d * d;
                }
                float got = bn_embedding_dist2(&sparse, a, b);
                assert_true(got == bn_embedding_dist2(&dense, a, b));
                assert_true(got == bn_rows_dist2(&sparse, a, &sparse, b));
                double error = (double)got - sum;
                assert_true(whole ? error == 0 : error * error <= 1e-8 * sum * sum);
            }
        bn_embedding_free(&dense);
        bn_embedding_free(&sparse);
    }
}

typedef struct { const bn_embedding *e; bool dense; } errand;

static bonsai_status take(void *payload)
{
    const errand *t = payload;
    bn_embedding got;
    bonsai_status rc = bn_embedding_take(&got, t->e, NULL, ROWS, t->dense, NULL);
    bn_embedding_free(&got);
    return rc;
}

static void copies_survive_failed_allocations(void **state)
{
    (void)state;
    float x[ROWS * F];
    bn_embedding e;
    make(x, false, 3);
    set(&e, x, true);
    survives_failed_allocations(take, &(errand){&e, true}, 1);
    survives_failed_allocations(take, &(errand){&e, false}, 3);
    bn_embedding_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read_added_and_measured),
        cmocka_unit_test(copies_have_the_rows_asked_for),
        cmocka_unit_test(distances_are_the_same_dense_and_sparse),
        cmocka_unit_test(copies_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
