/* test_kmeans_deep.c -- clusters of clusters, beside the clusters of k-means itself.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "prototypes/kmeans/kmeans.h"
#include "prototypes/prototypes.h"
#include "clustering.h"
#include "random_graph.h"

enum { ROWS = 2500, F = 96, K = 700 };          /* more products than MUCH */


typedef struct {
    bn_embedding e;
    int64_t rows[ROWS];
} points;

/* Around 40 centres. */
static points *make_points(void)
{
    uint64_t s = 9;
    points *p = calloc(1, sizeof *p);
    float *x = malloc(sizeof *x * ROWS * F), centre[40 * F];
    for (int i = 0; i < 40 * F; i++)
        centre[i] = 4 * random_real(&s);
    for (int i = 0; i < ROWS; i++) {
        int c = random_below(&s, 40);
        for (int j = 0; j < F; j++)
            x[i * F + j] = centre[c * F + j] + random_real(&s);
        p->rows[i] = i;
    }
    p->e = (bn_embedding){.rows = ROWS, .f = F, .dense = x};
    return p;
}

static void free_points(points *p)
{
    free(p->e.dense);
    free(p);
}

/* The sum of squared distances to the means; every cluster 0 .. found-1 must have a row. */
static double objective(const points *p, const int32_t *cluster, int64_t found)
{
    double *mean = calloc((size_t)found * F, sizeof *mean), sum = 0;
    int64_t *size = calloc((size_t)found, sizeof *size);
    for (int i = 0; i < ROWS; i++) {
        assert_in_range(cluster[i], 0, found - 1);
        size[cluster[i]]++;
        for (int j = 0; j < F; j++)
            mean[(int64_t)cluster[i] * F + j] += (double)p->e.dense[i * F + j];
    }
    for (int64_t c = 0; c < found; c++)
        assert_true(size[c] > 0);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < F; j++) {
            int64_t c = cluster[i];
            double d = (double)p->e.dense[i * F + j] - mean[c * F + j] / (double)size[c];
            sum += d * d;
        }
    free(mean);
    free(size);
    return sum;
}

/* Rows far from all others make groups of one, which get a cluster each whatever their share. */
static void there_are_never_more_clusters_than_asked_for(void **state)
{
    (void)state;
    points *p = make_points();
    static int32_t cluster[ROWS];
    for (int i = 0; i < 20; i++)
        p->e.dense[(i * 100) * F + i] = 1e4f;
    for (int64_t k = 560; k <= K; k += 20) {
        int64_t found = 0;
        assert_int_equal(cluster_rows(bn_kmeans_deep, cluster, &found, &p->e,
                                      (bn_kmeans_task){p->rows, ROWS, k, 5, 1},
                                      &(bn_place){.threads = 2}),
                         BONSAI_OK);
        assert_in_range(found, k / 2, k);
        objective(p, cluster, found);
    }
    free_points(p);
}

static void clusters_of_clusters_are_almost_as_tight(void **state)
{
    (void)state;
    points *p = make_points();
    static int32_t flat[ROWS], deep[ROWS];
    int64_t found = 0, also = 0;
    assert_int_equal(cluster_rows(bn_kmeans, flat, &found, &p->e,
                                  (bn_kmeans_task){p->rows, ROWS, K, 25, 1},
                                  &(bn_place){.threads = 2}), BONSAI_OK);
    assert_int_equal(cluster_rows(bn_kmeans_deep, deep, &also, &p->e,
                                  (bn_kmeans_task){p->rows, ROWS, K, 25, 1},
                                  &(bn_place){.threads = 2}),
                     BONSAI_OK);
    assert_int_equal(also, K);
    assert_memory_not_equal(deep, flat, sizeof flat);
    assert_true(objective(p, deep, also) < 1.15 * objective(p, flat, found));
    free_points(p);
}

static void threads_do_not_change_a_cluster(void **state)
{
    (void)state;
    points *p = make_points();
    static int32_t one[ROWS], three[ROWS];
    int64_t a = 0, b = 0;
    assert_int_equal(cluster_rows(bn_kmeans_deep, one, &a, &p->e,
                                  (bn_kmeans_task){p->rows, ROWS, K, 25, 7},
                                  &(bn_place){.threads = 1}), BONSAI_OK);
    assert_int_equal(cluster_rows(bn_kmeans_deep, three, &b, &p->e,
                                  (bn_kmeans_task){p->rows, ROWS, K, 25, 7},
                                  &(bn_place){.threads = 3}), BONSAI_OK);
    assert_int_equal(a, b);
    assert_memory_equal(one, three, sizeof one);
    free_points(p);
}

static void few_clusters_are_those_of_k_means(void **state)
{
    (void)state;
    points *p = make_points();
    static int32_t flat[ROWS], deep[ROWS];
    int64_t found = 0, also = 0;
    assert_int_equal(cluster_rows(bn_kmeans, flat, &found, &p->e,
                                  (bn_kmeans_task){p->rows, ROWS, 9, 25, 3},
                                  &(bn_place){.threads = 2}), BONSAI_OK);
    assert_int_equal(cluster_rows(bn_kmeans_deep, deep, &also, &p->e,
                                  (bn_kmeans_task){p->rows, ROWS, 9, 25, 3},
                                  &(bn_place){.threads = 2}),
                     BONSAI_OK);
    assert_int_equal(found, also);
    assert_memory_equal(deep, flat, sizeof flat);
    free_points(p);
}

static int ticks_left;

static int cancel_at_zero(const bonsai_progress *p, void *payload)
{
    (void)p;
    (void)payload;
    return ticks_left-- == 0;
}

static void can_be_canceled_between_groups(void **state)
{
    (void)state;
    points *p = make_points();
    static int32_t deep[ROWS];
    int64_t found = 0, before = bn_mem_live();
    for (int at = 0; at < 40; at += 8) {
        ticks_left = at;
        assert_fails(cluster_rows(bn_kmeans_deep, deep, &found, &p->e,
                                  (bn_kmeans_task){p->rows, ROWS, K, 25, 3},
                                  &(bn_place){.threads = 2, .progress = {cancel_at_zero, NULL}}),
                     BONSAI_E_CANCELED,
                     "canceled");
        assert_int_equal(bn_mem_live(), before);
    }
    free_points(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_never_more_clusters_than_asked_for),
        cmocka_unit_test(clusters_of_clusters_are_almost_as_tight),
        cmocka_unit_test(threads_do_not_change_a_cluster),
        cmocka_unit_test(few_clusters_are_those_of_k_means),
        cmocka_unit_test(can_be_canceled_between_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
