/* test_knn_ranks.c -- neighbours over ranks and under a limit against neighbours alone.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdlib.h>

#include "parting.h"
#include "tricky_rows.h"

enum { MOST_ROWS = 60, MOST_F = 80, CASES = 160 };


typedef struct {
    parted_rows parts;
    const int32_t *sample, *list;       /* list, dist: the answer alone */
    const float *dist;
    int64_t z, limit;           /* of memory; 0: none */
    int     k, threads;
    bool    no_dist;
    bn_knn_way way;
    int     cancel_on, cancel_at;       /* rank and call */
} search;

static bonsai_status wrong(bn_world *w, bool right)
{
    return bn_agree(w, right ? BONSAI_OK
                             : bn_fail(BONSAI_E_FORMAT, "wrong neighbours on rank %d", w->rank));
}

static bonsai_status find(bn_world *w, void *payload)
{
    const search *t = payload;
    size_t bytes = (size_t)(t->z * t->k) * sizeof(int32_t);
    int32_t *list = calloc(1, bytes + 1);
    float *dist = calloc(1, bytes + 1);
    bn_memory memory = {.limit = t->limit};
    bn_place at = {.world = w, .memory = t->limit ? &memory : NULL, .threads = t->threads};
    const bn_sharded x = {.e = &t->parts.e[w->rank], .first = t->parts.first, .at = &at};
    bn_knn_work work = {.way = t->way};
    bonsai_status rc = bn_knn(list, t->no_dist ? NULL : dist, &x, &(bn_sample){t->sample, t->z},
                              t->k, &work);
    if (rc == BONSAI_OK)
        rc = wrong(w, work.pairs == t->z * t->parts.first[bn_ranks(w)] &&
                      (t->way == BN_KNN_GROUPS || work.measured == work.pairs) &&
                      memcmp(list, t->list, bytes) == 0 &&
                      (t->no_dist || memcmp(dist, t->dist, bytes) == 0) &&
                      (!t->limit || memory.spilled_most > 0) && memory.spilled == 0);
    free(list);
    free(dist);
    return rc;
}

/* Over 1, 2, 3, 5 and 8 ranks as alone. */
static void check_ranks(search *t, const float *x, int64_t rows, int64_t f, bool sparse,
                        uint64_t *s, const char *what)
{
    bn_embedding e;
    int32_t *list = calloc((size_t)(t->z * t->k), sizeof *list);
    float *dist = calloc((size_t)(t->z * t->k), sizeof *dist);
    t->list = list;
    t->dist = dist;
    (sparse ? set_sparse : set_dense)(&e, x, rows, f);
    assert_int_equal(bn_knn(list, dist, &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 2}},
                            &(bn_sample){t->sample, t->z}, t->k, NULL), BONSAI_OK);
    for (int i = 0; i < 5; i++) {
        part_rows(&t->parts, x, rows, f, rank_counts[i], sparse, i % 2, s);
        if (run_ranks(rank_counts[i], find, t) != BONSAI_OK)
            fail_msg("%s, %d ranks: %s", what, rank_counts[i], bonsai_error());
        free_parts(&t->parts);
    }
    bn_embedding_free(&e);
    free(list);
    free(dist);
}

static void any_number_of_ranks_finds_what_one_finds(void **state)
{
    (void)state;
    static float x[MOST_ROWS * MOST_F];
    int32_t sample[MOST_ROWS];
    for (uint64_t seed = 0; seed < CASES; seed++) {
        uint64_t s = seed;
        kind how = (kind)(seed % KINDS);
        int64_t rows = 2 + random_below(&s, MOST_ROWS - 1), f = 1 + random_below(&s, MOST_F);
        fill_rows(x, rows, f, how, how == FAR_AWAY ? 100 : seed / KINDS % 2 ? 4 : 70, &s);
        search t = {.sample = sample, .z = draw_rows(sample, rows, &s), .threads = seed % 3 ? 1 : 8,
                    .no_dist = seed % 7 == 0, .limit = seed % 11 == 0,
                    .way = seed % 5 < 3 ? BN_KNN_GROUPS : BN_KNN_CHEAPER,
                    .k = seed / KINDS % 3 ? 1 + random_below(&s, (int)rows - 1) : (int)rows - 1};
        check_ranks(&t, x, rows, f, seed / KINDS % 4 > 1, &s, kind_name[how]);
    }
}

static void samples_in_any_order_and_repeated_are_found(void **state)
{
    (void)state;
    enum { ROWS = 500, F = 12, Z = 300 };
    static float x[ROWS * F];
    int32_t sample[Z];
    for (uint64_t seed = 0; seed < 2 * KINDS; seed++) {
        uint64_t s = seed;
        fill_rows(x, ROWS, F, (kind)(seed % KINDS), seed < KINDS ? 100 : 10, &s);
        for (int i = 0; i < Z; i++)
            sample[i] = random_below(&s, ROWS);
        search t = {.sample = sample, .z = Z, .k = 3, .threads = 2};
        check_ranks(&t, x, ROWS, F, seed % 2, &s, kind_name[seed % KINDS]);
    }
}

static int32_t *count_up(int64_t rows)
{
    int32_t *all = calloc((size_t)rows, sizeof *all);
    for (int32_t r = 0; r < rows; r++)
        all[r] = r;
    return all;
}

/* More samples than go through at a time over ranks. */
static void blocks_of_samples_do_not_change_the_answer(void **state)
{
    (void)state;
    enum { ROWS = 8500, F = 3 };
    float *x = calloc(ROWS * F, sizeof *x);
    int32_t *all = count_up(ROWS);
    uint64_t s = 7;
    bn_embedding e;
    search t = {.sample = all, .z = ROWS, .k = 3, .threads = 2};
    int32_t *list = calloc(ROWS * 3, sizeof *list);
    float *dist = calloc(ROWS * 3, sizeof *dist);
    t.list = list;
    t.dist = dist;
    fill_rows(x, ROWS, F, REPEATED_ROWS, 80, &s);
    set_dense(&e, x, ROWS, F);
    assert_int_equal(bn_knn(list, dist, &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 2}},
                            &(bn_sample){all, ROWS}, 3, NULL), BONSAI_OK);
    part_rows(&t.parts, x, ROWS, F, 3, false, true, &s);
    assert_int_equal(run_ranks(3, find, &t), BONSAI_OK);
    free_parts(&t.parts);
    bn_embedding_free(&e);
    free(list);
    free(dist);
    free(all);
    free(x);
}

/* Samples in blocks, and, of sparse rows, lists of a stretch of trees at a time. */
static void a_limit_of_memory_does_not_change_the_answer(void **state)
{
    (void)state;
    enum { ROWS = 3000, F = 600, K = 100 };
    float *x = calloc((size_t)ROWS * F, sizeof *x);
    int32_t *all = count_up(ROWS), *list[2];
    float *dist[2];
    uint64_t s = 3;
    fill_rows(x, ROWS, F, REPEATED_ROWS, 6, &s);
    for (int i = 0; i < 2; i++) {
        list[i] = calloc(ROWS * K, sizeof **list);
        dist[i] = calloc(ROWS * K, sizeof **dist);
    }
    for (int c = 0; c < 4; c++) {
        bn_embedding e;
        bn_memory memory = {.limit = c < 2 ? 1 : 24 << 20};
        (c % 2 ? set_sparse : set_dense)(&e, x, ROWS, F);
        assert_int_equal(bn_knn(list[0], dist[0],
                                &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 2}},
                                &(bn_sample){all, ROWS}, K, NULL), BONSAI_OK);
        bn_place limited = {.memory = &memory, .threads = 2};
        assert_int_equal(bn_knn(list[1], dist[1], &(bn_sharded){.e = &e, .at = &limited},
                                &(bn_sample){all, ROWS}, K, NULL), BONSAI_OK);
        assert_memory_equal(list[1], list[0], ROWS * K * sizeof **list);
        assert_memory_equal(dist[1], dist[0], ROWS * K * sizeof **dist);
        assert_true(memory.most <= memory.limit);
        assert_true(c < 2 ? memory.spilled_most > 0 : memory.spilled_most == 0);
        assert_int_equal(memory.used + memory.spilled, 0);
        bn_embedding_free(&e);
    }
    for (int i = 0; i < 2; i++) {
        free(list[i]);
        free(dist[i]);
    }
    free(all);
    free(x);
}

/* ---- refusals, cancelling, memory ---- */

static bonsai_status too_many(bn_world *w, void *payload)
{
    const search *t = payload;
    int32_t list[8];
    bn_place at = {.world = w, .threads = 1};
    const bn_sharded x = {.e = &t->parts.e[w->rank], .first = t->parts.first, .at = &at};
    return bn_knn(list, NULL, &x, &(bn_sample){t->sample, 1}, t->k, NULL);
}

static void k_is_compared_with_the_rows_of_all_ranks(void **state)
{
    (void)state;
    static const float x[4] = {1, 2, 4, 8};
    static const int32_t sample[1] = {0}, want[3] = {1, 2, 3};
    static const float far[3] = {1, 9, 49};
    uint64_t s = 1;
    search t = {.sample = sample, .k = 4};
    part_rows(&t.parts, x, 4, 1, 3, false, true, &s);
    assert_fails(run_ranks(3, too_many, &t), BONSAI_E_ARGUMENT,
                 "k is 4 but there are 4 trees: it must be in 1..3");
    t = (search){.parts = t.parts, .sample = sample, .k = 3, .z = 1, .list = want, .dist = far};
    assert_int_equal(run_ranks(3, find, &t), BONSAI_OK);
    free_parts(&t.parts);
}

typedef struct { int calls, cancel_at; } ticks;

static int on_tick(const bonsai_progress *p, void *payload)
{
    ticks *t = payload;
    (void)p;
    return t->calls++ == t->cancel_at;
}

static bonsai_status cancel(bn_world *w, void *payload)
{
    const search *t = payload;
    int32_t list[MOST_ROWS * 2];
    ticks calls = {.cancel_at = t->cancel_at};
    bn_place at = {.world = w, .threads = 1,
                   .progress = {w->rank == t->cancel_on ? on_tick : NULL, &calls}};
    const bn_sharded x = {.e = &t->parts.e[w->rank], .first = t->parts.first, .at = &at};
    return bn_knn(list, NULL, &x, &(bn_sample){t->sample, t->z}, t->k, NULL);
}

static void one_rank_may_cancel_for_all(void **state)
{
    (void)state;
    static float x[MOST_ROWS * 10];
    int32_t *all = count_up(MOST_ROWS);
    uint64_t s = 1;
    for (int sparse = 0; sparse < 2; sparse++) {
        search t = {.sample = all, .z = MOST_ROWS, .k = 2};
        fill_rows(x, MOST_ROWS, 10, SPREAD, 8, &s);
        part_rows(&t.parts, x, MOST_ROWS, 10, 3, sparse, true, &s);
        for (t.cancel_on = 0; t.cancel_on < 3; t.cancel_on++)
            for (t.cancel_at = 0; t.cancel_at < 3; t.cancel_at++)
                assert_fails(run_ranks(3, cancel, &t), BONSAI_E_CANCELED, "neighbours");
        free_parts(&t.parts);
    }
    free(all);
}

static bonsai_status find_on_three(void *payload)
{
    return run_ranks(3, find, payload);
}

static void a_failed_allocation_on_some_rank_ends_all(void **state)
{
    (void)state;
    enum { ROWS = 20, F = 6, K = 2 };
    float x[ROWS * F], dist[ROWS * K];
    int32_t *all = count_up(ROWS), list[ROWS * K];
    for (int sparse = 0; sparse < 3; sparse++) {
        bn_embedding e;
        uint64_t s = 2;
        search t = {.sample = all, .z = ROWS, .k = K, .threads = 1, .list = list, .dist = dist};
        fill_rows(x, ROWS, F, SPREAD, sparse == 1 ? 8 : 60, &s);
        (sparse ? set_sparse : set_dense)(&e, x, ROWS, F);
        assert_int_equal(bn_knn(list, dist, &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 1}},
                                &(bn_sample){all, ROWS}, K, NULL), BONSAI_OK);
        part_rows(&t.parts, x, ROWS, F, 3, sparse, true, &s);
        survives_failed_allocations(find_on_three, &t, 60);
        free_parts(&t.parts);
        bn_embedding_free(&e);
    }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_finds_what_one_finds),
        cmocka_unit_test(samples_in_any_order_and_repeated_are_found),
        cmocka_unit_test(blocks_of_samples_do_not_change_the_answer),
        cmocka_unit_test(a_limit_of_memory_does_not_change_the_answer),
        cmocka_unit_test(k_is_compared_with_the_rows_of_all_ranks),
        cmocka_unit_test(one_rank_may_cancel_for_all),
        cmocka_unit_test(a_failed_allocation_on_some_rank_ends_all),
    };
    return cmocka_run_group_tests_name("knn over ranks", tests, NULL, NULL);
}
