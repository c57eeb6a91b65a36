/* test_kmeans.c -- clusters against distances in double, and the means of clusters.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "prototypes/kmeans/kmeans.h"
#include "prototypes/prototypes.h"
#include "clustering.h"
#include "embedding.h"
#include "random_graph.h"

enum { MOST_ROWS = 120, MOST_F = 40, CASES = 240, MANY = 10000 };

static bonsai_status centroids(bn_embedding *out, const bn_embedding *e, const int32_t *cluster,
                               int64_t k, const float *weight, int threads)
{
    bn_sharded s;
    bonsai_status rc = bn_sharded_look(&s, e, &(bn_place){.threads = threads});
    if (rc == BONSAI_OK)
        rc = bn_centroids(out, &s, cluster, k, weight);
    bn_sharded_free(&s);
    return rc;
}

/* ---- embeddings ---- */

typedef enum { SPREAD, GRID, REPEATED, EQUAL, FAR_AWAY, CLOSE_BY, KINDS } kind;

static void fill(float *x, int64_t rows, int64_t f, kind how, uint64_t *s)
{
    for (int64_t i = 0; i < rows * f; i++) {
        float small = random_below(s, 3) ? 0.0f : random_real(s);
        x[i] = how == GRID ? (float)random_below(s, 3)
             : how == EQUAL ? (float)(i % f)
             : how == FAR_AWAY ? 1000.0f + (float)random_below(s, 64)
             : how == CLOSE_BY ? nextafterf(1.0f, (float)random_below(s, 3))
             : small;
    }
    for (int64_t r = 3; how == REPEATED && r < rows; r++)
        if (random_below(s, 8))
            memcpy(x + r * f, x + random_below(s, (int)r) * f, (size_t)f * sizeof *x);
}

/* ---- the oracle: means and distances in double, one after the other ---- */

typedef struct {
    double *mean;               /* k x f */
    int64_t *size;
    double  objective;
    int64_t k, f;
} oracle;

static double apart(const float *x, const double *m, int64_t f)
{
    double d = 0;
    for (int64_t j = 0; j < f; j++)
        d += ((double)x[j] - m[j]) * ((double)x[j] - m[j]);
    return d;
}

static oracle look(const float *x, int64_t f, const int64_t *rows, const int32_t *cluster,
                   int64_t count, int64_t k)
{
    oracle o = {calloc((size_t)(k * f + 1), sizeof(double)), calloc((size_t)k + 1, sizeof(int64_t)),
                0, k, f};
    for (int64_t i = 0; i < count; i++) {
        assert_in_range(cluster[i], 0, k - 1);
        o.size[cluster[i]]++;
        for (int64_t j = 0; j < f; j++)
            o.mean[cluster[i] * f + j] += (double)x[rows[i] * f + j];
    }
    for (int64_t c = 0; c < k; c++) {
        assert_true(o.size[c] > 0);
        for (int64_t j = 0; j < f; j++)
            o.mean[c * f + j] /= (double)o.size[c];
    }
    for (int64_t i = 0; i < count; i++)
        o.objective += apart(x + rows[i] * f, o.mean + cluster[i] * f, f);
    return o;
}

static void forget(oracle *o)
{
    free(o->mean);
    free(o->size);
}

static int64_t distinct(const float *x, int64_t f, const int64_t *rows, int64_t count)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = 0;
        while (memcmp(x + rows[i] * f, x + rows[j] * f, (size_t)f * sizeof *x) != 0)
            j++;
        found += j == i;
    }
    return found;
}

static double largest(const float *x, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)x[i]));
    return most;
}

static void check_nearest(const float *x, const int64_t *rows, const int32_t *cluster,
                          int64_t count, const oracle *o, double slack)
{
    for (int64_t i = 0; i < count; i++) {
        const float *row = x + rows[i] * o->f;
        double own = apart(row, o->mean + cluster[i] * o->f, o->f);
        for (int64_t c = 0; c < o->k; c++)
            assert_true(own <= apart(row, o->mean + c * o->f, o->f) + slack);
    }
}

/* ---- clusters ---- */

static int64_t cluster_all(int32_t *cluster, const bn_embedding *e, int64_t k, int rounds,
                           uint64_t seed, int threads)
{
    int64_t found = -1, *rows = calloc((size_t)e->rows + 1, sizeof *rows);
    for (int64_t i = 0; i < e->rows; i++)
        rows[i] = i;
    if (cluster_rows(bn_kmeans, cluster, &found, e,
                     (bn_kmeans_task){rows, e->rows, k, rounds, seed},
                     &(bn_place){.threads = threads}))
        fail_msg("%s", bonsai_error());
    free(rows);
    return found;
}

static void two_pairs_on_a_line_by_hand(void **state)
{
    (void)state;
    static const float x[] = {100, 0, 101, 1};
    int32_t cluster[4];
    bn_embedding e;
    for (int form = 0; form < 2; form++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            (form ? set_sparse : set_dense)(&e, x, 4, 1);
            assert_int_equal(cluster_all(cluster, &e, 2, 10, seed, 1), 2);
            assert_int_equal(cluster[0], cluster[2]);
            assert_int_equal(cluster[1], cluster[3]);
            assert_int_equal(cluster[0] + cluster[1], 1);
            bn_embedding_free(&e);
        }
}

/* 0 is as far from the mean of -2 and 0 as from 1: it may stay only if its cluster is the first. */
static void a_tie_goes_to_the_lower_cluster(void **state)
{
    (void)state;
    static const float x[] = {-2, 0, 1};
    int32_t cluster[3];
    bn_embedding e;
    for (int form = 0; form < 2; form++) {
        int seen = 0;
        (form ? set_sparse : set_dense)(&e, x, 3, 1);
        for (uint64_t seed = 0; seed < 3000; seed++) {
            assert_int_equal(cluster_all(cluster, &e, 2, 10, seed, 1), 2);
            if (cluster[0] != cluster[1])
                continue;
            assert_int_equal(cluster[0], 0);
            seen++;
        }
        assert_true(seen > 0);
        bn_embedding_free(&e);
    }
}

static void rounds_end_where_no_row_is_nearer_to_another_mean(void **state)
{
    (void)state;
    static float x[MOST_ROWS * MOST_F];
    int64_t rows[MOST_ROWS], better = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        uint64_t s = seed;
        kind how = (kind)(seed % KINDS);
        int64_t n = 2 + random_below(&s, MOST_ROWS - 1), count = 0, found, start;
        int64_t f = how == GRID ? 1 + random_below(&s, 4) : 1 + random_below(&s, MOST_F);
        int32_t cluster[MOST_ROWS], first[MOST_ROWS];
        bn_embedding e;
        fill(x, n, f, how, &s);
        for (int64_t r = n - 1; r >= 0; r--)
            if (random_below(&s, 4) || count == 0)
                rows[count++] = r;
        int64_t k = 1 + random_below(&s, (int)count + 1), most = distinct(x, f, rows, count);
        (seed / KINDS % 2 ? set_sparse : set_dense)(&e, x, n, f);
        assert_int_equal(cluster_rows(bn_kmeans, first, &start, &e,
                                      (bn_kmeans_task){rows, count, k, 0, seed},
                                      &(bn_place){.threads = 2}),
                         BONSAI_OK);
        assert_int_equal(cluster_rows(bn_kmeans, cluster, &found, &e,
                                      (bn_kmeans_task){rows, count, k, 500, seed},
                                      &(bn_place){.threads = 2}),
                         BONSAI_OK);
        if (how != CLOSE_BY) {
            assert_int_equal(start, k < most ? k : most);
            assert_int_equal(found, k < most ? k : most);
        }
        oracle a = look(x, f, rows, first, count, start);
        oracle b = look(x, f, rows, cluster, count, found);
        double slack = 2e-6 * (double)f * largest(x, n * f) * largest(x, n * f);
        assert_true(b.objective <= a.objective + (double)count * slack * 1e-3);
        better += b.objective < 0.99 * a.objective;
        check_nearest(x, rows, cluster, count, &b, slack);
        forget(&a);
        forget(&b);
        bn_embedding_free(&e);
    }
    assert_true(better > CASES / 20);
}

/* Several blocks of rows and tiles of means. */
static void threads_and_storage_do_not_change_the_clusters(void **state)
{
    (void)state;
    enum { ROWS = 1900, F = 9, K = 300 };
    float *x = calloc(ROWS * F, sizeof *x);
    int32_t *cluster[6];
    int64_t rows[ROWS];
    bn_embedding form[2];
    uint64_t s = 5;
    for (int64_t i = 0; i < ROWS * F; i++)
        x[i] = random_below(&s, 3) ? 0.0f : (float)random_below(&s, 1000);
    set_dense(&form[0], x, ROWS, F);
    set_sparse(&form[1], x, ROWS, F);
    for (int i = 0; i < 6; i++) {
        cluster[i] = calloc(ROWS, sizeof **cluster);
        assert_int_equal(cluster_all(cluster[i], &form[i / 3], K, 100, 4, 1 + i % 3), K);
        assert_memory_equal(cluster[i], cluster[0], ROWS * sizeof **cluster);
    }
    for (int64_t i = 0; i < ROWS; i++)
        rows[i] = i;
    oracle o = look(x, F, rows, cluster[0], ROWS, K);
    check_nearest(x, rows, cluster[0], ROWS, &o, 1);
    forget(&o);
    for (int i = 0; i < 6; i++)
        free(cluster[i]);
    bn_embedding_free(&form[0]);
    bn_embedding_free(&form[1]);
    free(x);
}

static void rows_far_from_zero_are_told_apart(void **state)
{
    (void)state;
    enum { ROWS = 400, F = 16, K = 4 };
    float x[ROWS * F];
    int32_t cluster[ROWS];
    bn_embedding e;
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t j = 0; j < F; j++)
            x[r * F + j] = 1e5f + (r % K == j ? 0.25f : 0.0f) + (r / K % F == j ? 0.03125f : 0.0f);
    set_dense(&e, x, ROWS, F);
    assert_int_equal(cluster_all(cluster, &e, K, 50, 1, 2), K);
    for (int64_t r = K; r < ROWS; r++)
        assert_int_equal(cluster[r], cluster[r % K]);
    bn_embedding_free(&e);
}

/* More than Lloyd looks at: most rows only get the nearest of a sample's means. */
static float *corners(void)
{
    float *x = calloc(MANY * 2, sizeof *x);
    uint64_t s = 3;
    for (int64_t r = 0; r < MANY; r++) {
        x[2 * r] = (float)(r % 2) * 8.0f + random_real(&s);
        x[2 * r + 1] = (float)(r / 2 % 2) * 8.0f + random_real(&s);
    }
    return x;
}

static void many_rows_go_to_the_means_of_a_sample(void **state)
{
    (void)state;
    float *x = corners();
    int32_t *cluster = calloc(MANY, sizeof *cluster), *again = calloc(MANY, sizeof *again);
    bn_embedding e;
    for (int form = 0; form < 2; form++) {
        (form ? set_sparse : set_dense)(&e, x, MANY, 2);
        assert_int_equal(cluster_all(cluster, &e, 4, 20, 7, 1), 4);
        for (int64_t r = 4; r < MANY; r++)
            assert_int_equal(cluster[r], cluster[r % 4]);
        for (int i = 1; i < 4; i++)
            for (int j = 0; j < i; j++)
                assert_int_not_equal(cluster[i], cluster[j]);
        assert_int_equal(cluster_all(cluster, &e, 90, 3, 7, 1), 90);
        assert_int_equal(cluster_all(again, &e, 90, 3, 7, 3), 90);
        assert_memory_equal(cluster, again, MANY * sizeof *again);
        bn_embedding_free(&e);
    }
    free(cluster);
    free(again);
    free(x);
}

/* ---- edges ---- */

static void as_many_clusters_as_rows_are_the_distinct_rows_in_order(void **state)
{
    (void)state;
    static const float x[] = {5, 0, 5, 1, 0, 0, 5, 0, -0.0f, 0, 5, 1};
    static const int32_t want[] = {0, 1, 2, 0, 2, 1};
    int32_t cluster[6];
    bn_embedding e;
    for (int form = 0; form < 2; form++)
        for (int64_t k = 6; k < 9; k++) {
            (form ? set_sparse : set_dense)(&e, x, 6, 2);
            assert_int_equal(cluster_all(cluster, &e, k, 10, 1, 2), 3);
            assert_memory_equal(cluster, want, sizeof want);
            bn_embedding_free(&e);
        }
}

static void no_rows_one_row_one_cluster_and_equal_rows_are_fine(void **state)
{
    (void)state;
    static const float x[] = {2, 3, 2, 3, 2, 3, 2, 3};
    int32_t cluster[4] = {7, 7, 7, 7};
    int64_t found = -1, rows[] = {3, 1, 2, 0};
    bn_embedding e;
    for (int form = 0; form < 2; form++) {
        (form ? set_sparse : set_dense)(&e, x, 4, 2);
        assert_int_equal(cluster_rows(bn_kmeans, cluster, &found, &e,
                                      (bn_kmeans_task){rows, 0, 3, 9, 1},
                                      &(bn_place){.threads = 1}), BONSAI_OK);
        assert_int_equal(found, 0);
        assert_int_equal(cluster[0], 7);
        for (int64_t k = 1; k < 6; k++)
            for (int64_t count = 1; count < 5; count++) {
                for (int64_t i = 0; i < 4; i++)
                    cluster[i] = 7;
                assert_int_equal(cluster_rows(bn_kmeans, cluster, &found, &e,
                                              (bn_kmeans_task){rows, count, k, 9, 1},
                                              &(bn_place){.threads = 1}),
                                 BONSAI_OK);
                assert_int_equal(found, 1);
                for (int64_t i = 0; i < 4; i++)
                    assert_int_equal(cluster[i], i < count ? 0 : 7);
            }
        assert_fails(cluster_rows(bn_kmeans, cluster, &found, &e,
                                  (bn_kmeans_task){rows, 4, 0, 9, 1}, &(bn_place){.threads = 1}),
                     BONSAI_E_ARGUMENT, "k is 0");
        bn_embedding_free(&e);
        cluster[0] = 7;
    }
}

static void squares_that_overflow_or_underflow_leave_whole_clusters(void **state)
{
    (void)state;
    enum { ROWS = 40, F = 5 };
    float x[ROWS * F];
    int64_t rows[ROWS];
    int32_t cluster[ROWS];
    bn_embedding e;
    for (int64_t r = 0; r < ROWS; r++)
        rows[r] = r;
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint64_t s = seed;
        for (int64_t i = 0; i < ROWS * F; i++)
            x[i] = random_real(&s) * (seed / 2 % 2 ? 3e38f : 1e-24f);
        (seed % 2 ? set_sparse : set_dense)(&e, x, ROWS, F);
        int64_t found = cluster_all(cluster, &e, 7, 20, seed, 2);
        if (seed / 2 % 2)       /* no product is a number: every cluster is repaired */
            assert_int_equal(found, 7);
        assert_in_range(found, 1, 7);
        oracle o = look(x, F, rows, cluster, ROWS, found);
        forget(&o);
        bn_embedding_free(&e);
    }
}

/* ---- means ---- */

static void means_by_hand_with_and_without_weights(void **state)
{
    (void)state;
    static const float x[] = {1, 0, 2,  3, 0, -2,  9, 9, 9,  0, 4, 0};
    static const int32_t cluster[] = {2, 2, -1, 0};
    static const float weight[] = {3, 1, 5, 2};
    static const float plain[] = {0, 4, 0,  0, 0, 0,  2, 0, 0};
    static const float weighted[] = {0, 4, 0,  0, 0, 0,  1.5f, 0, 1};
    static const int64_t offsets[] = {0, 1, 1, 2}, offsets_weighted[] = {0, 1, 1, 3};
    static const int32_t index[] = {1, 0, 2};
    static const float value[] = {4, 2}, value_weighted[] = {4, 1.5f, 1};
    bn_embedding e, m;
    set_dense(&e, x, 4, 3);
    for (int w = 0; w < 2; w++) {
        assert_int_equal(centroids(&m, &e, cluster, 3, w ? weight : NULL, 2), BONSAI_OK);
        assert_true(m.rows == 3 && m.f == 3 && !m.offsets);
        assert_memory_equal(m.dense, w ? weighted : plain, sizeof plain);
        bn_embedding_free(&m);
    }
    bn_embedding_free(&e);
    set_sparse(&e, x, 4, 3);
    for (int w = 0; w < 2; w++) {
        assert_int_equal(centroids(&m, &e, cluster, 3, w ? weight : NULL, 2), BONSAI_OK);
        assert_true(m.rows == 3 && m.f == 3 && !m.dense);
        assert_memory_equal(m.offsets, w ? offsets_weighted : offsets, sizeof offsets);
        assert_memory_equal(m.index, index, (w ? 3 : 2) * sizeof *index);
        assert_memory_equal(m.value, w ? value_weighted : value, (w ? 3 : 2) * sizeof *value);
        bn_embedding_free(&m);
    }
    bn_embedding_free(&e);
}

static void means_are_the_same_dense_and_sparse_for_any_threads(void **state)
{
    (void)state;
    enum { ROWS = 300, F = 31, K = 23 };
    static float x[ROWS * F], weight[ROWS];
    int32_t cluster[ROWS];
    int64_t rows[ROWS];
    uint64_t s = 8;
    bn_embedding form[2], m[6];
    fill(x, ROWS, F, SPREAD, &s);
    for (int64_t r = 0; r < ROWS; r++) {
        rows[r] = r;
        weight[r] = 1;
        cluster[r] = (int32_t)(r < K ? r : random_below(&s, K));
    }
    set_dense(&form[0], x, ROWS, F);
    set_sparse(&form[1], x, ROWS, F);
    oracle o = look(x, F, rows, cluster, ROWS, K);
    for (int i = 0; i < 6; i++)
        assert_int_equal(centroids(&m[i], &form[i / 3], cluster, K, i % 2 ? weight : NULL,
                                   1 + i % 3), BONSAI_OK);
    for (int64_t c = 0; c < K; c++) {
        int64_t at = m[3].offsets[c];
        for (int64_t j = 0; j < F; j++) {
            float v = m[0].dense[c * F + j];
            assert_true(fabs((double)v - o.mean[c * F + j]) <= 1e-7 * fabs((double)v));
            if (v == 0.0f)
                continue;
            assert_int_equal(m[3].index[at], j);
            assert_true(m[3].value[at++] == v);
        }
        assert_int_equal(at, m[3].offsets[c + 1]);
    }
    for (int i = 0; i < 6; i++)
        assert_memory_equal(i < 3 ? m[i].dense : m[i].value, i < 3 ? m[0].dense : m[3].value,
                            (size_t)(i < 3 ? K * F : m[3].offsets[K]) * sizeof(float));
    for (int i = 0; i < 6; i++)
        bn_embedding_free(&m[i]);
    forget(&o);
    bn_embedding_free(&form[0]);
    bn_embedding_free(&form[1]);
}

/* ---- progress and memory ---- */

typedef struct { int calls, cancel_at; uint64_t done, total; } ticks;

static int on_tick(const bonsai_progress *p, void *payload)
{
    ticks *t = payload;
    assert_string_equal(p->stage, "clusters");
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
    float *x = corners();
    int64_t *rows = calloc(MANY, sizeof *rows), found;
    int32_t *cluster = calloc(MANY, sizeof *cluster);
    bn_embedding e;
    for (int64_t r = 0; r < MANY; r++)
        rows[r] = r;
    set_dense(&e, x, MANY, 2);
    static const int64_t counts[] = {0, 1, 5, 200, MANY};
    for (int which = 0; which < 5; which++) {
        ticks t = {.cancel_at = -1};
        int64_t live = bn_mem_live();
        assert_int_equal(cluster_rows(bn_kmeans, cluster, &found, &e,
                                      (bn_kmeans_task){rows, counts[which], 5, 4, 1},
                                      &(bn_place){.threads = 2, .progress = {on_tick, &t}}),
                         BONSAI_OK);
        assert_true(t.calls > (counts[which] > 5 ? 5 : 0));
        assert_int_equal(t.done, t.total);
        for (int stop = 0, calls = t.calls; stop < calls; stop++) {
            t = (ticks){.cancel_at = stop};
            assert_fails(cluster_rows(bn_kmeans, cluster, &found, &e,
                                      (bn_kmeans_task){rows, counts[which], 5, 4, 1},
                                      &(bn_place){.threads = 2, .progress = {on_tick, &t}}),
                         BONSAI_E_CANCELED, "clusters");
            assert_int_equal(bn_mem_live(), live);
        }
    }
    bn_embedding_free(&e);
    free(cluster);
    free(rows);
    free(x);
}

typedef struct { const bn_embedding *e; int64_t *rows; int32_t *cluster; int64_t k; } memory;

static bonsai_status try_memory(void *payload)
{
    memory *m = payload;
    bonsai_status rc;
    int64_t found;
    bn_embedding mean = {0};
    BN_TRY(cluster_rows(bn_kmeans, m->cluster, &found, m->e,
                        (bn_kmeans_task){m->rows, m->e->rows, m->k, 2, 1},
                        &(bn_place){.threads = 2}));
    BN_TRY(centroids(&mean, m->e, m->cluster, found, NULL, 2));
done:
    bn_embedding_free(&mean);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    float *x = corners();
    memory m = {NULL, calloc(MANY, sizeof *m.rows), calloc(MANY, sizeof *m.cluster), 0};
    bn_embedding e;
    for (int64_t r = 0; r < MANY; r++)
        m.rows[r] = r;
    for (int way = 0; way < 6; way++) {
        m.e = &e;
        m.k = way / 2 == 2 ? 500 : 6;
        (way % 2 ? set_sparse : set_dense)(&e, x, way / 2 == 0 ? MANY : 500, 2);
        survives_failed_allocations(try_memory, &m, way / 2 == 2 ? 4 : 12);
        bn_embedding_free(&e);
    }
    free(m.rows);
    free(m.cluster);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_pairs_on_a_line_by_hand),
        cmocka_unit_test(a_tie_goes_to_the_lower_cluster),
        cmocka_unit_test(rounds_end_where_no_row_is_nearer_to_another_mean),
        cmocka_unit_test(threads_and_storage_do_not_change_the_clusters),
        cmocka_unit_test(rows_far_from_zero_are_told_apart),
        cmocka_unit_test(many_rows_go_to_the_means_of_a_sample),
        cmocka_unit_test(as_many_clusters_as_rows_are_the_distinct_rows_in_order),
        cmocka_unit_test(no_rows_one_row_one_cluster_and_equal_rows_are_fine),
        cmocka_unit_test(squares_that_overflow_or_underflow_leave_whole_clusters),
        cmocka_unit_test(means_by_hand_with_and_without_weights),
        cmocka_unit_test(means_are_the_same_dense_and_sparse_for_any_threads),
        cmocka_unit_test(progress_goes_from_nothing_to_all_and_may_cancel),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
