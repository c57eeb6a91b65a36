/* startup.c -- restarts the program with settings that libraries read before main starts.
 *
 * OpenBLAS starts a thread for every core when it is loaded, and ends the process if one does not
 * start; under a memory limit such a thread takes what the command needs, or waits for it forever.
 * The library uses BLAS on its own threads alone, so OpenBLAS gets none.
 *
 * A thread of OpenMP that spins while it waits takes a core that others need: on a busy machine
 * that costs tens of times what it saves.  A thread that sleeps is woken in some microseconds, and
 * the library wakes none for less work than pays for that (bn_team).  The user's own setting stays.
 *
 * Threads of OpenMP have stacks as large as the limit of the process; a small one (`ulimit -s 64`)
 * holds less than a stage needs.
 *
 * So the program restarts itself with these settings before any library is initialised.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __GLIBC__
enum { MOST = 4000 };

static char one_thread[] = "OPENBLAS_NUM_THREADS=1", sleep_to_wait[] = "OMP_WAIT_POLICY=passive",
            room_to_work[] = "OMP_STACKSIZE=8M";

static int is_named(const char *setting, const char *name)
{
    size_t len = strlen(name);
    return strncmp(setting, name, len) == 0 && setting[len] == '=';
}

static const char *find(char **settings, const char *name)
{
    while (*settings && !is_named(*settings, name))
        settings++;
    return *settings;
}

static int stacks_are_small(char **settings)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < 1 << 20 &&
           !find(settings, "OMP_STACKSIZE");
}

/* Restarts the program with the settings that are missing; does nothing if that fails. */
static void restart(int argc, char **argv, char **settings)
{
    static char *changed[MOST + 4];
    const char *blas = find(settings, "OPENBLAS_NUM_THREADS");
    const int waits = find(settings, "OMP_WAIT_POLICY") || find(settings, "GOMP_SPINCOUNT");
    const int small = stacks_are_small(settings);
    int count = 0;
    (void)argc;
    if (waits && !small && blas && strcmp(blas, one_thread) == 0)
        return;
    for (; *settings && count < MOST; settings++)
        if (!is_named(*settings, "OPENBLAS_NUM_THREADS"))
            changed[count++] = *settings;
    changed[count++] = one_thread;
    if (!waits)
        changed[count++] = sleep_to_wait;
    if (small)
        changed[count] = room_to_work;
    if (!*settings)
        execve("/proc/self/exe", argv, changed);
}

/* Runs restart before the libraries initialise themselves. */
__attribute__((section(".preinit_array"), used))
static void (*const before_libraries)(int argc, char **argv, char **settings) = restart;
#endif
