/* test_kmeans_round.c -- one round of Lloyd over ranks beside one by hand.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "prototypes/kmeans/kmeans.h"
#include "prototypes/prototypes.h"
#include "parting.h"

enum { ROWS = 700, F = 61, K = 45, EMPTY = 4 };

typedef struct {
    parted_rows parts;
    bn_embedding means;         /* K rows, a cluster each, but the EMPTY ones have none */
    int32_t  cluster_of[K];
    int32_t  cluster[ROWS];
    int64_t  size[K];
} errand;

/* Means of which some are hardly apart from each other, and rows some of which are the same. */
static void make_points(float *x, float *mean, uint64_t s)
{
    for (int i = 0; i < K * F; i++)
        mean[i] = i < F || i / F % 3 == 0
                      ? random_real(&s)
                      : mean[i - F] + (i % 7 == 0 ? 3e-7f * random_real(&s) : 0);
    for (int i = 0; i < ROWS * F; i++)
        x[i] = i / F % 5 == 4 ? x[i - F] : 3 * random_real(&s);
    for (int r = 0; r < ROWS; r += 90)          /* as far as can be, and all the same */
        for (int j = 0; j < F; j++)
            x[r * F + j] = j % 2 ? 50.0f : -50.0f;
}

static bonsai_status assign(bn_world *w, void *payload)
{
    bonsai_status rc;
    errand *t = payload;
    bn_place at = {.world = w, .threads = 1};
    bn_sharded s = {0};
    int64_t *rows = NULL;
    bn_sums m = {.e = &t->means, .cluster = t->cluster_of, .count = t->means.rows,
                 .grid = bn_grid(100, K), .threads = 1};
    bn_round q = {0};
    BN_TRY(bn_sharded_look(&s, &t->parts.e[bn_rank(w)], &at));
    q = (bn_round){.s = &s, .e = s.e, .count = s.e->rows, .k = K, .base = bn_sharded_base(&s),
                   .total = ROWS, .cluster = t->cluster + bn_sharded_base(&s), .threads = 1};
    rc = BN_NEW(&rows, s.e->rows);
    if (rc == BONSAI_OK)
        rc = bn_round_new(&q);
    if (rc == BONSAI_OK)
        rc = bn_sums_new(&m, q.tile);
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0; i < s.e->rows; i++)
        rows[i] = i;
    q.rows = rows;
    for (int64_t i = 0; i < t->means.rows; i++)
        q.size[t->cluster_of[i]] = 1;
    BN_TRY(bn_round_assign(&q, &m, false));
    if (bn_rank(w) == 0)
        memcpy(t->size, q.size, sizeof t->size);
done:
    bn_sums_free(&m);
    bn_round_free(&q);
    bn_sharded_free(&s);
    bn_free(rows);
    return rc;
}

/* Every distance by the kernel; then the empty clusters, in order, take the farthest rows. */
static void by_hand(errand *t, const float *x, const float *mean)
{
    float best[ROWS];
    memset(t->size, 0, sizeof t->size);
    for (int i = 0; i < ROWS; i++) {
        best[i] = INFINITY;
        for (int64_t m = 0; m < t->means.rows; m++) {
            float d = bn_kernels_get()->dist2(x + i * F, mean + m * F, F);
            if (d < best[i]) {
                best[i] = d;
                t->cluster[i] = t->cluster_of[m];
            }
        }
        t->size[t->cluster[i]]++;
    }
    for (int c = 0; c < K; c++) {
        int far = -1;
        for (int i = 0; i < ROWS && t->size[c] == 0; i++)
            if (t->size[t->cluster[i]] > 1 && best[i] > (far < 0 ? 0 : best[far]))
                far = i;
        if (far < 0)
            continue;
        t->size[t->cluster[far]]--;
        t->size[c] = 1;
        t->cluster[far] = c;
        best[far] = 0;
    }
}

static void rows_go_where_the_kernel_says_on_any_number_of_ranks(void **state)
{
    (void)state;
    static float x[ROWS * F], mean[K * F];
    for (uint64_t seed = 0; seed < 12; seed++) {
        errand hand = {0};
        make_points(x, mean, seed);
        set_dense(&hand.means, mean, K - EMPTY, F);
        for (int i = 0; i < K - EMPTY; i++)
            hand.cluster_of[i] = i + (i > 3) + (i > 11) + 2 * (i > 20);
        by_hand(&hand, x, mean);
        for (int c = 0; c < 5; c++) {
            errand t = {.means = hand.means};
            uint64_t s = seed;
            memcpy(t.cluster_of, hand.cluster_of, sizeof t.cluster_of);
            part_rows(&t.parts, x, ROWS, F, rank_counts[c], false, false, &s);
            for (int r = 0; r < rank_counts[c]; r++)
                if (t.parts.e[r].rows == 0)
                    set_dense(&t.parts.e[r], x, 0, F);
            assert_int_equal(run_ranks(rank_counts[c], assign, &t), BONSAI_OK);
            assert_memory_equal(t.cluster, hand.cluster, sizeof t.cluster);
            assert_memory_equal(t.size, hand.size, sizeof t.size);
            free_parts(&t.parts);
        }
        bn_embedding_free(&hand.means);
    }
}

/* ---- sums ---- */

typedef struct {
    parted_rows parts;
    int32_t cluster[ROWS];
    float   weight[ROWS];
    bool    weighted;
    float   mean[3 * F];
} summing;

static bonsai_status add_up(bn_world *w, void *payload)
{
    bonsai_status rc;
    summing *t = payload;
    bn_place at = {.world = w, .threads = 1 + bn_rank(w) % 2};
    bn_sharded s = {0};
    bn_embedding mean = {0};
    int64_t first = t->parts.first[bn_rank(w)];
    BN_TRY(bn_sharded_look(&s, &t->parts.e[bn_rank(w)], &at));
    BN_TRY(bn_centroids(&mean, &s, t->cluster + first, 3, t->weighted ? t->weight + first : NULL));
    for (int c = 0; c < 3 && bn_rank(w) == 0; c++)
        bn_embedding_row(t->mean + c * F, &mean, c);
done:
    bn_embedding_free(&mean);
    bn_sharded_free(&s);
    return rc;
}

/* Large numbers that cancel in the end show what was rounded away from small ones before. */
static void means_do_not_depend_on_who_adds_what(void **state)
{
    (void)state;
    static float x[ROWS * F];
    for (int way = 0; way < 4; way++) {
        summing alone = {.weighted = way / 2};
        uint64_t s = 7;
        for (int i = 0; i < ROWS; i++) {
            alone.cluster[i] = i % 4 - 1;       /* ROWS is a multiple: the last match the first */
            alone.weight[i] = i < 4 || i >= ROWS - 4 ? 1 : 1 + random_real(&s) / 2;
            for (int j = 0; j < F; j++)
                x[i * F + j] = i < 4 ? 1000 * random_real(&s)
                               : i < ROWS - 4 ? 1e-9f * random_real(&s) : -x[i % 4 * F + j];
        }
        part_rows(&alone.parts, x, ROWS, F, 1, way % 2, false, &s);
        assert_int_equal(add_up(NULL, &alone), BONSAI_OK);
        for (int c = 0; c < 5; c++) {
            summing t = alone;
            memset(t.mean, 0, sizeof t.mean);
            part_rows(&t.parts, x, ROWS, F, rank_counts[c], way % 2, true, &s);
            assert_int_equal(run_ranks(rank_counts[c], add_up, &t), BONSAI_OK);
            assert_memory_equal(t.mean, alone.mean, sizeof t.mean);
            free_parts(&t.parts);
        }
        free_parts(&alone.parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_go_where_the_kernel_says_on_any_number_of_ranks),
        cmocka_unit_test(means_do_not_depend_on_who_adds_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
