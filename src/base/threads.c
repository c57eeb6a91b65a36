/* threads.c -- the number of threads, and progress to the caller.
 *
 * SPDX-License-Identifier: MIT */
#include "base.h"

#include <pthread.h>
#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>

static int cores(void)
{
    return omp_get_num_procs();
}
#else
static int cores(void)
{
    return 1;
}
#endif

/* A child of fork() inherits OpenMP's list of threads but not the threads, and would wait for
 * them forever.  If this process may have started threads, its children use one. */
static atomic_bool had_several, alone;

static void in_child(void)
{
    if (atomic_load(&had_several))
        atomic_store(&alone, true);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);     /* fails only without memory */
}

int bn_threads(int asked)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    int t = asked > 0 ? asked : cores();
    if (t <= 1 || atomic_load(&alone))
        return 1;
    atomic_store(&had_several, true);
    return t > 1024 ? 1024 : t;
}

int bn_team(int threads, int64_t pieces)
{
    return pieces < 1 ? 1 : pieces < threads ? (int)pieces : threads;
}

bonsai_status bn_tick(bn_progress p, const char *stage, int64_t done, int64_t total)
{
    if (!p.fn)
        return BONSAI_OK;
    bonsai_progress now = {sizeof now, stage, (uint64_t)done, (uint64_t)total};
    if (p.fn(&now, p.payload) == 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_CANCELED, "canceled while at \"%s\"", stage);
}
