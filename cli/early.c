/* early.c -- settings that libraries read before main starts.
 *
 * OpenBLAS starts a thread for every core when it is loaded, and ends the process if one does not
 * start; under a memory limit such a thread takes what the command needs, or waits for it forever.
 * The library uses BLAS on its own threads alone, so OpenBLAS gets none.
 *
 * A thread of OpenMP that spins while it waits takes a core that others need: on a busy machine
 * that costs tens of times what it saves.
 *
 * The program therefore restarts itself with both settings before any library begins.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#ifdef __GLIBC__
enum { MOST = 4000 };

static char one_thread[] = "OPENBLAS_NUM_THREADS=1", short_spin[] = "GOMP_SPINCOUNT=10000";

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

/* For a command whose threads meet often, unless the user has said how long to spin. */
static int spins(int argc, char **argv, char **settings)
{
    const command *c = argc > 1 ? command_find(argv[1]) : NULL;
    return c && c->shares && !find(settings, "GOMP_SPINCOUNT") && !find(settings, "OMP_WAIT_POLICY");
}

/* If it cannot restart, nothing changes. */
static void restart(int argc, char **argv, char **settings)
{
    static char *changed[MOST + 3];
    const char *blas = find(settings, "OPENBLAS_NUM_THREADS");
    const int less = spins(argc, argv, settings);
    int count = 0;
    if (!less && blas && strcmp(blas, one_thread) == 0)
        return;
    for (; *settings && count < MOST; settings++)
        if (!is_named(*settings, "OPENBLAS_NUM_THREADS"))
            changed[count++] = *settings;
    changed[count++] = one_thread;
    if (less)
        changed[count] = short_spin;
    if (!*settings)
        execve("/proc/self/exe", argv, changed);
}

/* Called before the libraries' own beginnings. */
__attribute__((section(".preinit_array"), used))
static void (*const before_libraries)(int argc, char **argv, char **settings) = restart;
#endif
