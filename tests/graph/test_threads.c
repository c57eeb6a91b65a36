/* test_threads.c -- many threads use one const graph at once.
 *
 * The thread sanitizer decides here; without it the answers are compared.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <pthread.h>
#include <stdlib.h>

#include "random_graph.h"

enum { THREADS = 8, N = 20000 };

typedef struct {
    const bonsai_graph *g;
    pthread_barrier_t *start;
    int      id;
    bonsai_status rc;
    bonsai_stats stats;
    double   bytes, sum;
    char     sentence[200];
} job;

static void *use(void *payload)
{
    job *j = payload;
    float row[16];
    bonsai_read_options o;
    bonsai_status rc;
    bonsai_read_options_init(&o);
    o.threads = 1;
    bonsai_stats_init(&j->stats);
    pthread_barrier_wait(j->start);
    BN_TRY(j->id % 2 ? bonsai_graph_verify(j->g) : bonsai_graph_check(j->g, &o));
    BN_TRY(bonsai_graph_stats(&j->stats, NULL, j->g, &o));
    BN_TRY(bonsai_graph_bytes(&j->bytes, j->g, BONSAI_ACCOUNTING_STRICT));
    for (int64_t v = 0; v < N; v++) {
        bonsai_graph_row(row, j->g, v);
        j->sum += (double)row[0] + bonsai_graph_label(j->g, v);
    }
done:
    j->rc = rc;
    strncpy(j->sentence, rc == BONSAI_OK ? "" : bonsai_error(), sizeof j->sentence - 1);
    return NULL;
}

static void run_all(job *jobs, const bonsai_graph *g)
{
    pthread_t thread[THREADS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){.g = g, .start = &start, .id = i};
        assert_int_equal(pthread_create(&thread[i], NULL, use, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&start);
}

static void a_mapped_graph_is_verified_by_eight_threads_at_once(void **state)
{
    (void)state;
    job jobs[THREADS];
    bonsai_graph *g = random_graph(1, N, 400000, DENSE_F32, WITH_ALL), *mapped;
    const char *path = temp_path("shared.bonsai");
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&mapped, path), BONSAI_OK);
    assert_int_equal(atomic_load(&mapped->verified[BONSAI_SECTION_NEIGHBORS]), 0);
    run_all(jobs, mapped);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(jobs[i].rc, BONSAI_OK);
        assert_memory_equal(&jobs[i].stats, &jobs[0].stats, sizeof jobs[0].stats);
        assert_true(jobs[i].sum == jobs[0].sum && jobs[i].bytes == jobs[0].bytes);
    }
    bonsai_graph_free(g);
    bonsai_graph_free(mapped);
}

static void every_thread_sees_the_damage(void **state)
{
    (void)state;
    job jobs[THREADS];
    bonsai_graph *g = random_graph(1, N, 400000, DENSE_F32, WITH_ALL), *mapped;
    const char *path = temp_path("damaged.bonsai");
    size_t len;
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    uint8_t *file = read_file(path, &len);
    file[1000000] ^= 1;                         /* among the neighbours */
    write_file(path, file, len);
    free(file);
    assert_int_equal(bonsai_graph_load(&mapped, path), BONSAI_OK);
    run_all(jobs, mapped);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(jobs[i].rc, BONSAI_E_FORMAT);
        assert_non_null(strstr(jobs[i].sentence, "section \"neighbors\" does not match"));
    }
    bonsai_graph_free(g);
    bonsai_graph_free(mapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapped_graph_is_verified_by_eight_threads_at_once),
        cmocka_unit_test(every_thread_sees_the_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
