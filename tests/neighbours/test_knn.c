/* test_knn.c -- neighbours against measuring everything, with every kind of tie.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "embedding.h"
#include "tricky_rows.h"

enum { MOST_ROWS = 60, MOST_F = 80, CASES = 200 };


/* ---- embeddings ---- */

/* Squared distance in the order that is promised: lane = index mod 32, then a tree. */
static float by_hand(const float *a, const float *b, int64_t f)
{
    float lane[32] = {0};
    for (int64_t j = 0; j < f; j++) {
        volatile float d = a[j] - b[j];
        volatile float square = d * d;
        lane[j % 32] += square;
    }
    for (int width = 16; width > 0; width /= 2)
        for (int i = 0; i < width; i++)
            lane[i] += lane[i + width];
    return lane[0];
}

/* k times the nearest row that is not yet listed; the first of equals. */
static void brute(int32_t *list, float *dist, const float *x, int64_t rows, int64_t f, int64_t self,
                  int k)
{
    bool listed[MOST_ROWS * 8] = {false};
    float d[MOST_ROWS * 8];
    for (int64_t r = 0; r < rows; r++)
        d[r] = by_hand(x + self * f, x + r * f, f);
    listed[self] = true;
    for (int j = 0; j < k; j++) {
        int64_t best = -1;
        for (int64_t r = 0; r < rows; r++)
            if (!listed[r] && (best < 0 || d[r] < d[best]))
                best = r;
        listed[best] = true;
        list[j] = (int32_t)best;
        dist[j] = d[best];
    }
}

static void check_way(const bn_embedding *e, const float *x, const bn_sample *which, int k,
                      int threads, bn_knn_way way)
{
    const int32_t *sample = which->row;
    int64_t z = which->z;
    bn_knn_work work = {.way = way};
    int32_t *list = calloc((size_t)(z * k), sizeof *list), *want = calloc((size_t)k, sizeof *want);
    float *dist = calloc((size_t)(z * k), sizeof *dist), *far = calloc((size_t)k, sizeof *far);
    assert_int_equal(bn_knn(list, dist,
                            &(bn_sharded){.e = e, .at = &(bn_place){.threads = threads}},
                            which, k, &work), BONSAI_OK);
    assert_int_equal(work.pairs, z * e->rows);
    assert_in_range(work.measured, way == BN_KNN_GROUPS ? z * k : work.pairs, work.pairs);
    for (int64_t s = 0; s < z; s++) {
        brute(want, far, x, e->rows, e->f, sample[s], k);
        if (memcmp(list + s * k, want, (size_t)k * sizeof *want) != 0 ||
            memcmp(dist + s * k, far, (size_t)k * sizeof *far) != 0)
            fail_msg("wrong neighbours of row %d by way %d", sample[s], (int)way);
    }
    free(list);
    free(want);
    free(dist);
    free(far);
}

static void check_against_brute(const bn_embedding *e, const float *x, const int32_t *sample,
                                int64_t z, int k, int threads)
{
    check_way(e, x, &(bn_sample){sample, z}, k, threads, BN_KNN_CHEAPER);
    check_way(e, x, &(bn_sample){sample, z}, k, threads, BN_KNN_GROUPS);
}

static void equals_measuring_everything(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 8};
    static float x[MOST_ROWS * MOST_F];
    for (uint64_t seed = 0; seed < CASES; seed++) {
        uint64_t s = seed;
        kind how = (kind)(seed % KINDS);
        int64_t rows = 2 + random_below(&s, MOST_ROWS - 1), f = 1 + random_below(&s, MOST_F);
        int32_t sample[MOST_ROWS];
        bn_embedding e;
        fill_rows(x, rows, f, how, how == FAR_AWAY ? 100 : seed / KINDS % 2 ? 4 : 70, &s);
        int64_t z = draw_rows(sample, rows, &s);
        int k = seed / KINDS % 3 ? 1 + random_below(&s, (int)rows - 1) : (int)rows - 1;
        for (int form = 0; form < 2; form++) {
            (form ? set_sparse : set_dense)(&e, x, rows, f);
            check_against_brute(&e, x, sample, z, k, threads[(seed + (uint64_t)form) % 3]);
            bn_embedding_free(&e);
        }
    }
}

/* More rows than a sample has room for, so that candidates are measured on the way,
 * and more than one chunk of products. */
static void equals_measuring_everything_when_many_are_close(void **state)
{
    (void)state;
    enum { ROWS = 8 * MOST_ROWS, F = 12 };
    static float x[ROWS * F];
    int32_t all[ROWS];
    for (int32_t r = 0; r < ROWS; r++)
        all[r] = r;
    for (uint64_t seed = 0; seed < 2 * KINDS; seed++) {
        uint64_t s = seed;
        bn_embedding e;
        fill_rows(x, ROWS, F, (kind)(seed % KINDS), seed < KINDS ? 100 : 10, &s);
        for (int form = 0; form < 2; form++) {
            (form ? set_sparse : set_dense)(&e, x, ROWS, F);
            check_against_brute(&e, x, all, ROWS, 3, 2);
            check_against_brute(&e, x, all + 7, ROWS - 20, 3, 2);
            bn_embedding_free(&e);
        }
    }
}

/* Rows of words that are found in a graph: few pairs are measured, dense or sparse, alone or all,
 * and whole rows give the same lists. */
static void groups_of_columns_rule_out_most_pairs(void **state)
{
    (void)state;
    enum { ROWS = 4500, Z = 500, F = 1200, K = 5 };
    float *x = calloc((size_t)ROWS * F, sizeof *x);
    float *dist[2] = {calloc(Z * K, sizeof **dist), calloc(Z * K, sizeof **dist)};
    int32_t *list[2] = {calloc(Z * K, sizeof **list), calloc(Z * K, sizeof **list)}, sample[Z];
    uint64_t s = 5;
    for (int64_t r = 0; r < ROWS; r++)
        for (int i = 0; i < 80; i++) {          /* a topic of 200 words, some words far oftener */
            int word = random_below(&s, 200) * random_below(&s, 200) / 200;
            x[r * F + r % 6 * 200 + word] += 0.25f + random_real(&s) / 9;
        }
    for (int32_t i = 0; i < Z; i++)
        sample[i] = i * 9;
    for (int form = 0; form < 2; form++) {
        bn_embedding e;
        (form ? set_sparse : set_dense)(&e, x, ROWS, F);
        for (bn_knn_way way = BN_KNN_WHOLE; way <= BN_KNN_GROUPS; way++) {
            bn_knn_work work = {.way = way};
            assert_int_equal(bn_knn(list[way == BN_KNN_GROUPS], dist[way == BN_KNN_GROUPS],
                                    &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 2}},
                                    &(bn_sample){sample, Z}, K, &work), BONSAI_OK);
            if (way == BN_KNN_GROUPS)
                assert_in_range(work.measured, Z * K, work.pairs / 10);
        }
        assert_memory_equal(list[1], list[0], Z * K * sizeof **list);
        assert_memory_equal(dist[1], dist[0], Z * K * sizeof **dist);
        bn_embedding_free(&e);
    }
    for (int i = 0; i < 2; i++) {
        free(list[i]);
        free(dist[i]);
    }
    free(x);
}

/* More than one block of either side. */
static void blocks_threads_and_storage_do_not_change_the_answer(void **state)
{
    (void)state;
    enum { ROWS = 2500, F = 33, K = 4 };
    float *x = calloc(ROWS * F, sizeof *x);
    int32_t *list[4], *all = calloc(ROWS, sizeof *all);
    uint64_t s = 9;
    bn_embedding dense, sparse;
    fill_rows(x, ROWS, F, REPEATED_ROWS, 6, &s);
    set_dense(&dense, x, ROWS, F);
    set_sparse(&sparse, x, ROWS, F);
    for (int i = 0; i < 4; i++) {
        list[i] = calloc(ROWS * K, sizeof **list);
        for (int32_t r = 0; r < ROWS; r++)
            all[r] = r;
        int64_t z = i == 3 ? ROWS - 1 : ROWS;       /* not all: each product serves once */
        assert_int_equal(bn_knn(list[i], NULL,
                                &(bn_sharded){.e = i == 2 ? &sparse : &dense,
                                              .at = &(bn_place){.threads = i == 1 ? 8 : 1}},
                                &(bn_sample){all, z}, K, NULL), BONSAI_OK);
        assert_memory_equal(list[i], list[0], (size_t)(z * K) * sizeof **list);
    }
    for (int64_t r = 0; r < ROWS; r += 97) {
        float last = by_hand(x + r * F, x + list[0][r * K + K - 1] * F, F);
        int64_t nearer = 0;
        for (int64_t t = 0; t < ROWS; t++)
            nearer += t != r && by_hand(x + r * F, x + t * F, F) < last;
        assert_true(nearer < K);
    }
    for (int i = 0; i < 4; i++)
        free(list[i]);
    bn_embedding_free(&dense);
    bn_embedding_free(&sparse);
    free(all);
    free(x);
}

/* 0, 1, 3, 7 on a line, and 3 again. */
static void a_line_by_hand(void **state)
{
    (void)state;
    static const float x[] = {0, 1, 3, 7, 3};
    static const int32_t sample[] = {1, 3, 4};
    static const int32_t want[] = {0, 2, 2, 4, 2, 1};
    static const float far[] = {1, 4, 16, 16, 0, 4};
    int32_t list[6];
    float dist[6];
    bn_embedding e;
    set_dense(&e, x, 5, 1);
    assert_int_equal(bn_knn(list, dist, &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 1}},
                            &(bn_sample){sample, 3}, 2, NULL), BONSAI_OK);
    assert_memory_equal(list, want, sizeof want);
    assert_memory_equal(dist, far, sizeof far);
    bn_embedding_free(&e);
}

static void every_table_finds_the_same_below(void **state)
{
    (void)state;
    float a[131], b[131];
    uint64_t s = 4;
    for (int i = 0; i < 131; i++) {
        a[i] = random_real(&s);
        b[i] = random_real(&s);
    }
    a[7] = NAN;
    for (int t = 0; bn_kernels_all(t); t++)
        for (int n = 0; n <= 131; n++)
            for (int level = 0; level < 4; level++) {
                float x = level == 3 ? INFINITY : (float)level - 2.5f;
                int32_t got[131], want[131];
                int64_t count = 0;
                for (int i = 0; i < n; i++)
                    if (a[i] - 2 * b[i] <= x)
                        want[count++] = i;
                assert_int_equal(bn_kernels_all(t)->below(got, a, b, x, n), count);
                assert_memory_equal(got, want, (size_t)count * sizeof *got);
            }
}

/* ---- progress, refusals, memory ---- */

typedef struct { int calls, cancel_at; uint64_t done, total; } ticks;

static int on_tick(const bonsai_progress *p, void *payload)
{
    ticks *t = payload;
    assert_string_equal(p->stage, "neighbours");
    assert_true(t->calls > 0 || p->done == 0);
    assert_true(t->calls == 0 || p->total == t->total);
    assert_in_range(p->done, t->done, p->total);
    t->done = p->done;
    t->total = p->total;
    return t->calls++ == t->cancel_at;
}

static void progress_goes_from_nothing_to_all_and_may_cancel(void **state)
{
    (void)state;
    static float x[MOST_ROWS * MOST_F];
    int32_t sample[MOST_ROWS], list[MOST_ROWS * 2];
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t s = seed;
        bn_embedding e;
        fill_rows(x, MOST_ROWS, MOST_F, seed % 5 ? SPREAD : HUGE_ONES, 3, &s);
        int64_t z = draw_rows(sample, MOST_ROWS, &s);
        (seed % 2 ? set_sparse : set_dense)(&e, x, MOST_ROWS, MOST_F);
        ticks t = {.cancel_at = -1};
        assert_int_equal(bn_knn(list, NULL,
                                &(bn_sharded){.e = &e,
                                              .at = &(bn_place){.threads = 1,
                                                                .progress = {on_tick, &t}}},
                                &(bn_sample){sample, z}, 2, NULL),
                         BONSAI_OK);
        assert_int_equal(t.done, t.total);
        int64_t live = bn_mem_live();
        for (int stop = 0, calls = t.calls; stop < calls; stop++) {
            t = (ticks){.cancel_at = stop};
            assert_fails(bn_knn(list, NULL,
                                &(bn_sharded){.e = &e,
                                              .at = &(bn_place){.threads = 1,
                                                                .progress = {on_tick, &t}}},
                                &(bn_sample){sample, z}, 2, NULL),
                         BONSAI_E_CANCELED, "neighbours");
            assert_int_equal(bn_mem_live(), live);
        }
        bn_embedding_free(&e);
    }
}

static void k_outside_its_range_is_refused(void **state)
{
    (void)state;
    static const float x[3] = {1, 2, 3};
    static const int32_t sample[1] = {0};
    int32_t list[3];
    bn_embedding e;
    set_dense(&e, x, 3, 1);
    assert_fails(bn_knn(list, NULL, &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 1}},
                        &(bn_sample){sample, 1}, 3, NULL), BONSAI_E_ARGUMENT,
                 "k is 3 but there are 3 trees: it must be in 1..2");
    assert_fails(bn_knn(list, NULL, &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 1}},
                        &(bn_sample){sample, 1}, 0, NULL), BONSAI_E_ARGUMENT, "k is 0");
    bn_embedding_free(&e);
}

static bonsai_status try_groups(void *payload)
{
    static int32_t sample[MOST_ROWS], list[MOST_ROWS * 3];
    bn_knn_work work = {.way = BN_KNN_GROUPS};
    for (int32_t i = 0; i < MOST_ROWS; i++)
        sample[i] = i;
    return bn_knn(list, NULL, &(bn_sharded){.e = payload, .at = &(bn_place){.threads = 2}},
                  &(bn_sample){sample, MOST_ROWS}, 3, &work);
}

static bonsai_status try_memory(void *payload)
{
    static int32_t sample[MOST_ROWS], list[MOST_ROWS * 3];
    for (int32_t i = 0; i < MOST_ROWS; i++)
        sample[i] = i;
    return bn_knn(list, NULL, &(bn_sharded){.e = payload, .at = &(bn_place){.threads = 2}},
                  &(bn_sample){sample, MOST_ROWS}, 3, NULL);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static float x[MOST_ROWS * MOST_F];
    bn_embedding e;
    for (int form = 0; form < 3; form++) {
        uint64_t s = 2;
        fill_rows(x, MOST_ROWS, MOST_F, SPREAD, form == 1 ? 2 : 60, &s);
        (form ? set_sparse : set_dense)(&e, x, MOST_ROWS, MOST_F);
        survives_failed_allocations(try_memory, &e, 5);
        survives_failed_allocations(try_groups, &e, 5);
        bn_embedding_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_measuring_everything),
        cmocka_unit_test(equals_measuring_everything_when_many_are_close),
        cmocka_unit_test(groups_of_columns_rule_out_most_pairs),
        cmocka_unit_test(blocks_threads_and_storage_do_not_change_the_answer),
        cmocka_unit_test(a_line_by_hand),
        cmocka_unit_test(every_table_finds_the_same_below),
        cmocka_unit_test(progress_goes_from_nothing_to_all_and_may_cancel),
        cmocka_unit_test(k_outside_its_range_is_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
