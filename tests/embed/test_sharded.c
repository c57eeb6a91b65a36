/* test_sharded.c -- what is known of rows that lie on several ranks.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "parting.h"

enum { ROWS = 30, F = 11 };

typedef struct {
    parted_rows parts;
    int64_t rows;
    double  most, least, length;        /* as they should be */
} facts;

static bool right(const bn_sharded *s, const facts *t)
{
    return s->rows == t->rows && s->most == t->most && s->least == t->least &&
           s->length == t->length;
}

static bonsai_status look(bn_world *w, void *payload)
{
    const facts *t = payload;
    bn_sharded s;
    const bn_place at = {.world = w, .threads = 2};
    bonsai_status rc = bn_sharded_look(&s, &t->parts.e[w->rank], &at);
    if (rc != BONSAI_OK)
        return rc;
    bool ok = right(&s, t) && s.e == &t->parts.e[w->rank] && s.at == &at &&
              memcmp(s.first, t->parts.first, (size_t)(w->ranks + 1) * sizeof *s.first) == 0 &&
              bn_sharded_base(&s) == t->parts.first[w->rank] &&
              bn_sharded_here(&s) == (w->ranks == 1);
    bn_sharded_free(&s);
    ok = ok && !s.owned && !s.first;
    return bn_agree(w, ok ? BONSAI_OK : bn_fail(BONSAI_E_FORMAT, "wrong on rank %d", w->rank));
}

/* Rows of numbers of both signs, of one sign, or of none. */
static void every_rank_knows_the_same_facts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        uint64_t s = seed;
        float x[ROWS * F];
        int64_t nnz = 0;
        bool sparse = seed % 2;
        facts t = {.rows = ROWS};
        for (int i = 0; i < ROWS * F; i++) {
            float v = random_real(&s);
            v = seed % 4 < 2 ? v : seed % 8 < 4 ? fabsf(v) : -fabsf(v);
            x[i] = random_below(&s, 3) ? 0.0f : v;
            nnz += x[i] != 0.0f;
            t.most = fmax(t.most, fabs((double)x[i]));
            t.least = fmin(t.least, (double)x[i]);
        }
        t.length = sparse ? (double)nnz / ROWS : F;
        for (int i = 0; i < 5; i++) {
            part_rows(&t.parts, x, ROWS, F, rank_counts[i], sparse, false, &s);
            assert_int_equal(run_ranks(rank_counts[i], look, &t), BONSAI_OK);
            free_parts(&t.parts);
        }
    }
}

/* Threads look at 65,536 numbers at a time; the extremes stand at the ends of such stretches. */
static void extremes_are_found_wherever_they_are(void **state)
{
    (void)state;
    enum { STRETCH = 1 << 16, COUNT = 3 * STRETCH + 5 };
    static const int64_t place[] = {0, STRETCH - 1, STRETCH, 2 * STRETCH + 7, COUNT - 1};
    float *x = calloc(COUNT, sizeof *x);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            bn_embedding e;
            bn_sharded s;
            bool apart = i != j;
            x[place[i]] = 3;
            x[place[j]] = -5;
            set_dense(&e, x, COUNT, 1);
            assert_int_equal(bn_sharded_look(&s, &e, &(bn_place){.threads = 1 + i}), BONSAI_OK);
            assert_true(right(&s, &(facts){.rows = COUNT, .most = 5, .least = -5, .length = 1}));
            bn_sharded_free(&s);
            e.dense[place[j]] = 0;
            assert_int_equal(bn_sharded_look(&s, &e, NULL), BONSAI_OK);
            assert_true(right(&s, &(facts){.rows = COUNT, .most = apart ? 3 : 0, .length = 1}));
            bn_sharded_free(&s);
            bn_embedding_free(&e);
            x[place[i]] = x[place[j]] = 0;
        }
    free(x);
}

static void no_rows_have_the_columns_as_length(void **state)
{
    (void)state;
    bn_embedding e = {.f = 4};
    bn_sharded s;
    assert_int_equal(bn_sharded_look(&s, &e, NULL), BONSAI_OK);
    assert_true(right(&s, &(facts){.length = 4}));
    bn_sharded_free(&s);
}

/* Rows in a scratch file are not here, dense or sparse. */
static void spilled_rows_are_not_here(void **state)
{
    (void)state;
    float x[ROWS * F];
    uint64_t seed = 1;
    for (int i = 0; i < ROWS * F; i++)
        x[i] = random_real(&seed);
    for (int k = 0; k < 4; k++) {
        bn_embedding all, e;
        bn_memory memory = {.limit = k & 2 ? 1 : 1 << 20};
        const bn_place at = {.memory = &memory}, free_place = {0};
        set_dense(&all, x, ROWS, F);
        assert_int_equal(bn_embedding_take(&e, &all, NULL, ROWS, k & 1, &at), BONSAI_OK);
        bn_sharded s = {.e = &all, .at = &at, .length = 2, .most = 3, .least = -1};
        assert_true(bn_sharded_here(&s));
        s = bn_sharded_alone(&s, &e, &at);
        assert_true(right(&s, &(facts){.rows = ROWS, .most = 3, .least = -1, .length = 2}));
        assert_true(s.e == &e && s.at == &at && !s.first && !s.owned);
        assert_int_equal(bn_sharded_here(&s), !(k & 2));
        s.at = &free_place;
        assert_true(bn_sharded_here(&s));
        bn_embedding_free(&e);
        bn_embedding_free(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_knows_the_same_facts),
        cmocka_unit_test(extremes_are_found_wherever_they_are),
        cmocka_unit_test(no_rows_have_the_columns_as_length),
        cmocka_unit_test(spilled_rows_are_not_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
