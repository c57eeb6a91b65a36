/* test_axes.c -- axes are orthonormal, the same on all ranks, and keep what matters of rows.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "embed/embed.h"
#include "parting.h"
#include "tricky_rows.h"

enum { ROWS = 150, F = 70, DIMS = 32 };

static bn_axes find(const bn_embedding *e, int threads)
{
    bn_axes a;
    const bn_place at = {.threads = threads};
    assert_int_equal(bn_axes_find(&a, &(bn_sharded){.e = e, .at = &at}, DIMS), BONSAI_OK);
    assert_int_equal(a.dims, DIMS);
    assert_int_equal(a.f, e->f);
    return a;
}

static double product(const bn_axes *a, int i, int j)
{
    double sum = 0;
    for (int64_t t = 0; t < a->f; t++)
        sum += (double)a->basis[t * a->dims + i] * (double)a->basis[t * a->dims + j];
    return sum;
}

static double square(const float *x, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

static void axes_are_orthonormal(void **state)
{
    (void)state;
    float *x = malloc(ROWS * F * sizeof *x);
    for (int how = 0; how < KINDS; how++) {
        uint64_t s = (uint64_t)how;
        bn_embedding e;
        fill_rows(x, ROWS, F, (kind)how, 40, &s);
        set_dense(&e, x, ROWS, F);
        bn_axes a = find(&e, 2);
        assert_true(fabs(product(&a, 0, 0) - 1) < 1e-5);
        for (int i = 0; i < DIMS; i++)
            for (int j = 0; j <= i; j++) {
                double p = product(&a, i, j);
                if (fabs(p - (i == j)) > 1e-5 && !(i == j && p == 0))
                    fail_msg("%s: axes %d and %d: %g", kind_name[how], i, j, p);
            }
        bn_axes_free(&a);
        bn_embedding_free(&e);
    }
    free(x);
}

/* Rows in a space of few dimensions lose nothing; more axes than dimensions are 0. */
static void rows_of_low_rank_keep_their_length(void **state)
{
    (void)state;
    enum { RANK = 9 };
    uint64_t s = 5;
    float *x = calloc(ROWS * F, sizeof *x);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < RANK; k++) {
            float weight = random_real(&s);
            for (int j = 0; j < F; j++)
                x[r * F + j] += weight * sinf((float)((k + 1) * (j + 1)));
        }
    bn_embedding e, low;
    set_dense(&e, x, ROWS, F);
    bn_axes a = find(&e, 1);
    assert_int_equal(bn_axes_project(&low, &a, &e, NULL), BONSAI_OK);
    for (int r = 0; r < ROWS; r++)
        assert_true(fabs(square(low.dense + r * DIMS, DIMS) / square(x + r * F, F) - 1) < 1e-4);
    for (int j = RANK; j < DIMS; j++)
        assert_true(product(&a, j, j) == 0);
    bn_embedding_free(&low);
    bn_embedding_free(&e);
    bn_axes_free(&a);
    free(x);
}

/* One direction with most of the length must be found among many with little. */
static void the_longest_direction_is_found(void **state)
{
    (void)state;
    uint64_t s = 8;
    float *x = malloc(ROWS * F * sizeof *x);
    for (int i = 0; i < ROWS * F; i++)
        x[i] = 0.1f * random_real(&s) + (i % F == 17 ? 3 * random_real(&s) : 0);
    bn_embedding e;
    set_dense(&e, x, ROWS, F);
    bn_axes a = find(&e, 1);
    assert_true(square(a.basis + 17 * DIMS, DIMS) > 0.999);
    bn_axes_free(&a);
    bn_embedding_free(&e);
    free(x);
}

typedef struct {
    parted_rows parts;
    float basis[F * DIMS], low[ROWS * DIMS];
} wanted;

static bonsai_status same(bn_world *w, void *payload)
{
    bonsai_status rc;
    const wanted *t = payload;
    const bn_place at = {.world = w, .threads = 1 + w->rank % 3};
    const bn_embedding *e = &t->parts.e[w->rank];
    bn_axes a = {0};
    bn_embedding low = {0};
    BN_TRY(bn_axes_find(&a, &(bn_sharded){.e = e, .at = &at, .first = t->parts.first}, DIMS));
    BN_TRY(bn_agree(w, bn_axes_project(&low, &a, e, &at)));
    bool ok = memcmp(a.basis, t->basis, sizeof t->basis) == 0 &&
              (e->rows == 0 || memcmp(low.dense, t->low + t->parts.first[w->rank] * DIMS,
                                      (size_t)(e->rows * DIMS) * sizeof *low.dense) == 0);
    rc = bn_agree(w, ok ? BONSAI_OK : bn_fail(BONSAI_E_FORMAT, "wrong on rank %d", w->rank));
done:
    bn_axes_free(&a);
    bn_embedding_free(&low);
    return rc;
}

static void ranks_threads_and_forms_agree(void **state)
{
    (void)state;
    static wanted t;
    float *x = malloc(ROWS * F * sizeof *x);
    for (uint64_t seed = 0; seed < 6; seed++) {
        uint64_t s = seed;
        bn_embedding e, low;
        fill_rows(x, ROWS, F, SPREAD, 40, &s);
        set_sparse(&e, x, ROWS, F);
        bn_axes a = find(&e, 1);
        assert_int_equal(bn_axes_project(&low, &a, &e, NULL), BONSAI_OK);
        memcpy(t.basis, a.basis, sizeof t.basis);
        memcpy(t.low, low.dense, sizeof t.low);
        for (int i = 0; i < 5; i++) {
            part_rows(&t.parts, x, ROWS, F, rank_counts[i], seed % 2, false, &s);
            assert_int_equal(run_ranks(rank_counts[i], same, &t), BONSAI_OK);
            free_parts(&t.parts);
        }
        bn_axes_free(&a);
        bn_embedding_free(&low);
        bn_embedding_free(&e);
    }
    free(x);
}

static int cancel(const bonsai_progress *p, void *payload)
{
    (void)p;
    (void)payload;
    return 1;
}

static void projecting_can_be_canceled(void **state)
{
    (void)state;
    float x[ROWS] = {1};
    int64_t before = bn_mem_live();
    bn_embedding e, low;
    set_dense(&e, x, ROWS / 10, 10);
    bn_axes a = find(&e, 1);
    assert_fails(bn_axes_project(&low, &a, &e, &(bn_place){.progress = {cancel, NULL}}),
                 BONSAI_E_CANCELED, "canceled");
    bn_embedding_free(&e);
    bn_axes_free(&a);
    assert_int_equal(bn_mem_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_orthonormal),
        cmocka_unit_test(rows_of_low_rank_keep_their_length),
        cmocka_unit_test(the_longest_direction_is_found),
        cmocka_unit_test(ranks_threads_and_forms_agree),
        cmocka_unit_test(projecting_can_be_canceled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
