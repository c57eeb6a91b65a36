/* threads.c -- the number of threads, and progress to the caller.
 *
 * OpenMP ends the process if it cannot start a thread of a team.  So every parallel region asks
 * bn_team for its threads, and bn_team tries what the region will need before it answers: it starts
 * as many threads of the same size as OpenMP would have to, and ends them again.  If some cannot be
 * started, the team is smaller.  Meanwhile it holds as much room as another thread may take for a
 * moment between the trial and the team: malloc reserves that for a thread's first allocation.
 *
 * A thread that is woken costs its region some microseconds, and on a busy machine it may have to
 * wait for a core.  So a region whose work is done in less than a tenth of a millisecond or two has
 * one thread.  Results are the same for every number of threads.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"

enum { MOST_THREADS = 1024, SPARE = 128 << 20 };

#ifdef _OPENMP
#include <omp.h>

static int cores(void)
{
    return omp_get_num_procs();
}

int bn_thread(void)
{
    return omp_get_thread_num();
}

/* Returns whether OpenMP would run a region here on one thread, as it does inside another
 * region. */
static bool is_serial(void)
{
    return omp_get_active_level() >= omp_get_max_active_levels();
}

/* Returns whether OpenMP keeps the threads of a region for the next one: not inside another
 * region. */
static bool keeps_threads(void)
{
    return omp_get_level() == 0 && !omp_get_dynamic();
}
#else
static int cores(void)
{
    return 1;
}

int bn_thread(void)
{
    return 0;
}

static bool is_serial(void)
{
    return true;
}

static bool keeps_threads(void)
{
    return false;
}
#endif

/* ---- how many ---- */

/* A child of fork() inherits OpenMP's list of threads but not the threads, and would wait for
 * them forever.  If this process may have started threads, its children use one. */
static atomic_bool had_several, alone;

static _Atomic double each = 1 << 19;  /* the work that pays for a thread: see bn_team */

/* Of this thread's teams: the threads that OpenMP keeps, including this one; the most that could be
 * started; the most that the caller allows (bn_team_most). */
static _Thread_local int kept = 1, startable = MOST_THREADS, allowed = MOST_THREADS;

static void in_child(void)
{
    if (atomic_load(&had_several))
        atomic_store(&alone, true);
}

static int64_t quota;   /* of cores: see bn_cores_quota */

static void begin(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);     /* fails only without memory */
    quota = bn_cores_quota();
}

/* Returns the number of threads of this process; 0: unknown. */
static long count_threads(void)
{
    struct stat s;
    return stat("/proc/self/task", &s) == 0 ? (long)s.st_nlink - 2 : 0;
}

/* Returns the number of usable cores, but at most as many threads as fit in half of what a limit of
 * memory leaves. */
static int usual_threads(void)
{
    int64_t room = bn_memory_unreserved();
    int64_t usable = bn_least(cores(), bn_least(quota, bn_cores_job()));
    return (int)(room == INT64_MAX ? usable : bn_least(usable, room / 2 / BN_THREAD_BYTES));
}

int bn_threads(int asked)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    startable = MOST_THREADS;           /* others may have ended since */
    if (kept > 1 && count_threads() < kept)
        kept = 1;                       /* the caller's own regions have ended some */
    int t = asked > 0 ? asked : usual_threads();
    if (t <= 1 || atomic_load(&alone))
        return 1;
    return t > MOST_THREADS ? MOST_THREADS : t;
}

int bn_lanes(int threads, int64_t pieces)
{
    return pieces < 1 ? 1 : pieces < threads ? (int)pieces : threads;
}

/* ---- whether they start ---- */

/* Sets the stack of a thread of OpenMP: what its settings say, or the system's. */
static void set_stack(pthread_attr_t *a)
{
    static const char *const names[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"};
    size_t usual = 0;
    (void)pthread_attr_getstacksize(a, &usual);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const double bytes = bn_setting_bytes(names[i], 'K');
        if (bytes > (double)usual && bytes < 1e12 &&
            pthread_attr_setstacksize(a, (size_t)bytes) == 0)
            usual = (size_t)bytes;
    }
}

typedef struct {
    pthread_mutex_t *gate;      /* opens when all have started */
    pthread_t thread;
    long id;                    /* of the system */
} trial;

static void *wait_at_gate(void *payload)
{
    trial *t = payload;
    t->id = syscall(SYS_gettid);
    pthread_mutex_lock(t->gate);
    pthread_mutex_unlock(t->gate);
    return NULL;
}

/* Waits until the system has forgotten a joined thread, which counts against the limits until
 * then. */
static void end_trial(trial *t)
{
    const struct timespec moment = {.tv_nsec = 20 * 1000};
    pthread_join(t->thread, NULL);
    for (int i = 0; i < 10000 && syscall(SYS_tgkill, getpid(), t->id, 0) == 0; i++)
        nanosleep(&moment, NULL);
}

int bn_can_start(int threads)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    trial one[MOST_THREADS];
    pthread_attr_t a;
    int started = 0;
    void *spare = mmap(NULL, SPARE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (spare == MAP_FAILED)
        return 0;
    if (pthread_attr_init(&a) != 0)
        goto done;
    set_stack(&a);
    pthread_mutex_lock(&gate);
    for (; started < threads && started < MOST_THREADS; started++) {
        one[started].gate = &gate;
        if (pthread_create(&one[started].thread, &a, wait_at_gate, &one[started]) != 0)
            break;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        end_trial(&one[i]);
    pthread_attr_destroy(&a);
done:
    munmap(spare, SPARE);
    return started;
}

/* Returns how many threads the work pays for, if `ready` of them wait.  OpenMP keeps the threads of
 * a team for the next one, and ends those that the team does not need: starting them again costs
 * more than waking them, so if two threads pay, all that are ready work. */
static int paid_threads(double work, int ready, int most)
{
    const double paid = work / atomic_load(&each);
    if (!(paid >= 2))
        return 1;
    return paid >= most || ready >= most ? most : paid > ready ? (int)paid : ready;
}

int bn_team(int threads, double work)
{
    int here = keeps_threads() ? kept : 1;
    int team = paid_threads(work, here, bn_lanes(threads, bn_least(startable, allowed)));
    team = bn_mem_spare(is_serial() ? 1 : team);
    if (team == 1)
        return 1;
    if (team > here) {
        int more = bn_can_start(team - here);
        if (here + more < team)
            startable = team = here + more / 2;         /* and leave room for others */
    }
    if (team > 1)
        atomic_store(&had_several, true);
    if (team > 1 && keeps_threads())
        kept = team;
    return team;
}

void bn_team_work(double pays)
{
    atomic_store(&each, pays);
}

int bn_team_most(int most)
{
    int before = allowed;
    allowed = most;
    return before;
}

bonsai_status bn_tick(bn_progress p, const char *stage, int64_t done, int64_t total)
{
    return bn_tick_note(p, stage, done, total, NULL);
}

bonsai_status bn_tick_note(bn_progress p, const char *stage, int64_t done, int64_t total,
                           const char *note)
{
    if (!p.fn)
        return BONSAI_OK;
    bonsai_progress now = {sizeof now, stage, (uint64_t)done, (uint64_t)total, note};
    if (p.fn(&now, p.payload) == 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_CANCELED, "canceled during \"%s\"", stage);
}
