/* test_gather.c -- rows of a sharded embedding, gathered on every rank.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdlib.h>

#include "parting.h"

typedef struct {
    parted_rows parts;
    const float *x;
    int64_t  f, count;
    int64_t *rows;
    bool     sparse;
    int64_t  limit;             /* of memory; 0: none */
} errand;

static bool same_rows(const bn_embedding *got, const errand *t)
{
    bool right = got->rows == t->count && got->f == t->f && (got->dense != NULL) == !t->sparse;
    float *row = calloc((size_t)t->f + 1, sizeof *row);
    for (int64_t i = 0; i < t->count && right; i++) {
        bn_embedding_row(row, got, i);
        right = memcmp(row, t->x + t->rows[i] * t->f, (size_t)t->f * sizeof *row) == 0;
    }
    for (int64_t j = 0; right && t->sparse && j < got->offsets[t->count]; j++)
        right = got->value[j] != 0.0f;
    free(row);
    return right;
}

static bonsai_status gather(bn_world *w, void *payload)
{
    const errand *t = payload;
    bn_embedding got;
    bn_memory memory = {.limit = t->limit};
    bn_place at = {.world = w, .memory = t->limit ? &memory : NULL};
    const bn_sharded x = {.e = &t->parts.e[w->rank], .first = t->parts.first, .at = &at};
    bonsai_status rc = bn_rows_gather(&got, &x, t->rows, t->count);
    if (rc != BONSAI_OK)
        return rc;
    bool right = same_rows(&got, t);
    if (t->limit)
        right = right && bn_big_spilled(t->sparse ? (void *)got.value : (void *)got.dense);
    bn_embedding_free(&got);
    return bn_agree(w, right ? BONSAI_OK : bn_fail(BONSAI_E_FORMAT, "wrong on rank %d", w->rank));
}

static void fill(float *x, int64_t count, int percent, uint64_t *s)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = random_below(s, 100) < percent ? random_real(s) + 2 : 0.0f;
}

static void any_rows_in_any_order_come_to_every_rank(void **state)
{
    (void)state;
    enum { ROWS = 40, F = 23 };
    float x[ROWS * F];
    int64_t rows[3 * ROWS];
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t s = seed;
        errand t = {.x = x, .f = F, .rows = rows, .sparse = seed % 2, .limit = seed % 3 == 0};
        fill(x, ROWS * F, seed % 4 == 1 ? 5 : 60, &s);
        t.count = 1 + random_below(&s, 3 * ROWS);
        for (int64_t i = 0; i < t.count; i++)
            rows[i] = random_below(&s, ROWS);
        for (int i = 0; i < 5; i++) {
            part_rows(&t.parts, x, ROWS, F, rank_counts[i], t.sparse, false, &s);
            assert_int_equal(run_ranks(rank_counts[i], gather, &t), BONSAI_OK);
            free_parts(&t.parts);
        }
    }
}

static void no_rows_may_be_asked_for(void **state)
{
    (void)state;
    float x[6] = {1, 2, 3, 4, 5, 6};
    uint64_t s = 1;
    for (int sparse = 0; sparse < 2; sparse++) {
        errand t = {.x = x, .f = 2, .sparse = sparse};
        part_rows(&t.parts, x, 3, 2, 5, sparse, false, &s);
        assert_int_equal(run_ranks(5, gather, &t), BONSAI_OK);
        free_parts(&t.parts);
    }
}

static void without_a_world_rows_are_copied(void **state)
{
    (void)state;
    float x[6] = {1, 0, 0, 4, 5, 6};
    int64_t rows[4] = {2, 0, 2, 1};
    for (int sparse = 0; sparse < 2; sparse++) {
        bn_embedding e, got;
        errand t = {.x = x, .f = 2, .sparse = sparse, .rows = rows, .count = 4};
        (sparse ? set_sparse : set_dense)(&e, x, 3, 2);
        const bn_sharded all = {.e = &e, .at = &(bn_place){.threads = 1}};
        assert_int_equal(bn_rows_gather(&got, &all, rows, 4), BONSAI_OK);
        assert_true(same_rows(&got, &t));
        bn_embedding_free(&got);
        bn_embedding_free(&e);
    }
}

typedef struct { int64_t rows[2]; bool has[2], dense; } form;

static bonsai_status ask_form(bn_world *w, void *payload)
{
    const form *t = payload;
    float some[2] = {1, 2};
    bn_embedding e = {.rows = t->rows[w->rank], .f = w->rank ? 2 : 0,
                      .dense = t->has[w->rank] ? some : NULL};
    bool dense;
    int64_t f;
    bonsai_status rc = bn_rows_form(&dense, &f, &e, w);
    bool right = dense == t->dense && f == 2;
    return bn_agree(w, rc != BONSAI_OK || right ? rc : bn_fail(BONSAI_E_FORMAT, "wrong form"));
}

/* A rank without rows may have an array all the same; those with rows decide. */
static void ranks_with_rows_know_their_form(void **state)
{
    (void)state;
    form all[] = {
        {{1, 1}, {true, true}, true},    {{1, 1}, {false, false}, false},
        {{0, 1}, {true, false}, false},  {{0, 1}, {false, true}, true},
        {{0, 0}, {true, true}, true},    {{0, 0}, {false, false}, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(run_ranks(2, ask_form, &all[i]), BONSAI_OK);
}

static void many_bytes_go_through_in_blocks(void **state)
{
    (void)state;
    enum { ROWS = 5, F = 300000, COUNT = 20 };          /* 24 MB */
    float *x = calloc(ROWS * F, sizeof *x);
    int64_t rows[COUNT];
    uint64_t s = 5;
    fill(x, ROWS * F, 90, &s);
    for (int i = 0; i < COUNT; i++)
        rows[i] = random_below(&s, ROWS);
    for (int sparse = 0; sparse < 2; sparse++) {
        errand t = {.x = x, .f = F, .rows = rows, .sparse = sparse, .count = COUNT};
        part_rows(&t.parts, x, ROWS, F, 3, sparse, true, &s);
        assert_int_equal(run_ranks(3, gather, &t), BONSAI_OK);
        free_parts(&t.parts);
    }
    free(x);
}

static bonsai_status gather_on_three(void *payload)
{
    return run_ranks(3, gather, payload);
}

static void a_failed_allocation_on_some_rank_ends_all(void **state)
{
    (void)state;
    enum { ROWS = 9, F = 4 };
    float x[ROWS * F];
    int64_t rows[4] = {8, 0, 4, 4};
    uint64_t s = 3;
    fill(x, ROWS * F, 60, &s);
    for (int sparse = 0; sparse < 2; sparse++) {
        errand t = {.x = x, .f = F, .rows = rows, .sparse = sparse, .count = 4};
        part_rows(&t.parts, x, ROWS, F, 3, sparse, true, &s);
        survives_failed_allocations(gather_on_three, &t, 12);
        free_parts(&t.parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_rows_in_any_order_come_to_every_rank),
        cmocka_unit_test(no_rows_may_be_asked_for),
        cmocka_unit_test(without_a_world_rows_are_copied),
        cmocka_unit_test(ranks_with_rows_know_their_form),
        cmocka_unit_test(many_bytes_go_through_in_blocks),
        cmocka_unit_test(a_failed_allocation_on_some_rank_ends_all),
    };
    return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
