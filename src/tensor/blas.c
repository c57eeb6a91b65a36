/* blas.c -- BLAS on one thread, with buffers reserved before it is called.
 *
 * OpenBLAS works in a buffer for every thread that calls it.  It reserves a buffer when it first
 * needs one, keeps it, and tries again forever if the system refuses.  So a caller announces how
 * many threads will call BLAS at a time, and a buffer is reserved for each beforehand, after a
 * trial of our own: if that fails, fewer threads work, or the caller gets an error.
 *
 * SPDX-License-Identifier: MIT */
#include <cblas.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/scratch.h"
#include "tensor.h"

/* Functions of OpenBLAS that none of its headers declares: they may be missing. */
void *blas_memory_alloc(int place) __attribute__((weak));
void  blas_memory_free(void *buffer) __attribute__((weak));
extern int blas_server_avail __attribute__((weak));     /* whether it has its own threads */

enum { BUFFER = 128 << 20, FEW = 48, MOST = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;               /* threads that are between begin and end */
static int promised, mapped;    /* buffers: promised to users, and held by OpenBLAS */
static int before;              /* OpenBLAS's number of threads, to be restored */

/* Of this thread: calls of begin without an end, the most threads that one of them asked for, its
 * share of `promised`, and the limit of bn_team before. */
static _Thread_local int depth, asked, mine, outside;

/* ---- buffers ---- */

static bool is_room(void)
{
    void *p = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED && munmap(p, BUFFER) == 0;
}

/* Tests for room twice, as a thread of OpenBLAS itself may be waiting for memory, and takes it. */
static bool is_room_for_us(void)
{
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    if (!is_room())
        return false;
    if (openblas_get_num_threads() == 1 || bn_memory_unreserved() == INT64_MAX)
        return true;
    nanosleep(&moment, NULL);
    return is_room();
}

/* Returns the most buffers: OpenBLAS has two for each thread that it was built for; its own threads
 * have some. */
static int most_buffers(void)
{
    const char *built = strstr(openblas_get_config(), "MAX_THREADS=");
    int most = built ? 2 * atoi(built + strlen("MAX_THREADS=")) - openblas_get_num_threads() : FEW;
    return (int)bn_least(most < FEW ? FEW : most, MOST);
}

/* Lets OpenBLAS reserve buffers until it has `wanted`; returns how many it has.  As many as were
 * promised may be in use: beyond those that are mapped and not in use, each needs room. */
static int map_buffers(int wanted)
{
    static void *held[MOST];
    int count = 0;
    if (!blas_memory_alloc || !blas_memory_free)
        return is_room_for_us() ? wanted : mapped;
    while (count < wanted && (count + promised < mapped || is_room_for_us()) &&
           (held[count] = blas_memory_alloc(0)) != NULL)
        count++;
    for (int i = 0; i < count; i++)
        blas_memory_free(held[i]);
    return count > mapped ? count : mapped;
}

/* Returns how many of the wanted buffers can be promised. */
static int reserve(int wanted)
{
    int most = most_buffers() - promised;
    if (wanted > most)
        wanted = most > 1 ? most : 1;
    if (promised + wanted > MOST)
        return 0;
    if (promised + wanted > mapped)
        mapped = map_buffers(promised + wanted);
    return (int)bn_least(wanted, mapped - promised);
}

/* ---- threads ---- */

/* Returns whether OpenBLAS may be used: after a fork it starts its threads again when their number
 * is set, and ends the process if one does not start. */
static bool can_set_threads(void)
{
    before = openblas_get_num_threads();
    if (before == 1 || !&blas_server_avail || blas_server_avail)
        return true;
    return bn_memory_unreserved() / BN_THREAD_BYTES >= before && bn_can_start(before) == before;
}

/* Sets OpenBLAS to one thread; the setting is global: the first caller saves it, the last restores
 * it. */
static bool enter(int lanes)
{
    if (depth == 0 && users == 0 && !can_set_threads())
        return false;
    int more = lanes > mine ? reserve(lanes - mine) : 0;
    if (mine + more == 0)
        return false;
    promised += more;
    mine += more;
    if (depth++ == 0 && users++ == 0 && before != 1)
        openblas_set_num_threads(1);
    return true;
}

bonsai_status bn_blas_begin(int lanes)
{
    pthread_mutex_lock(&lock);
    bool outer = depth == 0, entered = enter(lanes);
    pthread_mutex_unlock(&lock);
    if (!entered)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: matrix products need a buffer of %d bytes "
                       "for each thread, and the system allows this process not even one; raise "
                       "its limits (ulimit -v, ulimit -d)", BUFFER);
    if (outer)
        outside = bn_team_most(INT32_MAX);
    asked = outer || lanes > asked ? lanes : asked;
    bn_team_most(mine < asked && mine < outside ? mine : outside);
    return BONSAI_OK;
}

void bn_blas_end(void)
{
    pthread_mutex_lock(&lock);
    if (--depth == 0) {
        promised -= mine;
        mine = 0;
        bn_team_most(outside);
        if (--users == 0 && before != 1)
            openblas_set_num_threads(before);
    }
    pthread_mutex_unlock(&lock);
}

/* Makes OpenBLAS believe that it has no threads if one may wait for memory: it waits for its
 * threads when the process exits, and such a thread never ends. */
__attribute__((destructor)) static void leave_waiting_threads(void)
{
    if (&blas_server_avail && blas_server_avail && bn_memory_unreserved() < INT64_MAX && !is_room())
        blas_server_avail = 0;
}
