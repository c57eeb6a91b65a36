/* limits.c -- what the system allows this process: memory of the machine, of its control groups,
 * and of its own limits (ulimit -d, ulimit -v).
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scratch.h"

/* The number after NAME in a line "NAME: 123 kB" or "NAME 123" of a file of the system; -1: none. */
static int64_t read_line(const char *path, const char *name)
{
    char line[256];
    long long number = -1;
    size_t len = strlen(name);
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    while (number < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, name, len) == 0 && sscanf(line + len, "%lld", &number) != 1)
            number = -1;
    fclose(f);
    return (int64_t)number;
}

static int64_t read_kilobytes(const char *path, const char *name)
{
    int64_t number = read_line(path, name);
    return number < 0 ? -1 : 1024 * number;
}

int64_t bn_memory_private(void)
{
    return read_kilobytes("/proc/self/status", "VmData:");
}

/* ---- control groups ---- */

/* The files of a memory group: with and without one tree for all controllers. */
typedef struct {
    const char *below, *most, *now, *cache;
} kind;

static const kind kinds[] = {{"", "memory.max", "memory.current", "inactive_file "},
                             {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                              "total_inactive_file "}};

/* One group: its limit, and what it may still take.  Pages of files that nobody uses now can be
 * taken back. */
static void look_at(int64_t *most, int64_t *left, const char *folder, const kind *k)
{
    char path[1400];
    snprintf(path, sizeof path, "%s/%s", folder, k->most);
    int64_t limit = read_line(path, "");        /* "max": none */
    snprintf(path, sizeof path, "%s/%s", folder, k->now);
    int64_t now = read_line(path, "");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    int64_t cache = read_line(path, k->cache);
    if (limit < 0 || now < 0)
        return;
    if (cache > 0)
        now = now > cache ? now - cache : 0;
    *most = bn_least(*most, limit);
    *left = bn_least(*left, limit > now ? limit - now : 0);
}

/* Where the path of a memory group begins in a line "ID:CONTROLLERS:/PATH"; NULL: another group. */
static char *path_in(char *line, const kind **k)
{
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || path[1] != '/')
        return NULL;
    *path = ',';
    *k = strncmp(line, "0:,", 3) == 0 ? &kinds[0] : &kinds[1];
    *controllers = ',';
    return *k == &kinds[0] || strstr(controllers, ",memory,") ? path + 1 : NULL;
}

/* A group and its parents: inside a container only those at the top may be there to read. */
void bn_memory_group(int64_t *most, int64_t *left, const char *self, const char *mounts)
{
    char line[1024], folder[1300];
    const kind *k;
    FILE *f = fopen(self, "re");
    *most = *left = INT64_MAX;
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *path = path_in(line, &k);
        for (char *end = path ? path + strlen(path) : NULL; path && end >= path; end--) {
            if (*end && *end != '/')
                continue;
            *end = 0;
            snprintf(folder, sizeof folder, "%s%s%s", mounts, k->below, path);
            look_at(most, left, folder, k);
        }
    }
    if (f)
        fclose(f);
}

static int64_t group_memory(bool left)
{
    int64_t most, rest;
    bn_memory_group(&most, &rest, "/proc/self/cgroup", "/sys/fs/cgroup");
    return left ? rest : most;
}

/* ---- the machine ---- */

static int64_t machine_memory(void)
{
    int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    return bytes > 0 ? bytes : INT64_MAX;
}

int64_t bn_memory_all(void)
{
    return bn_least(machine_memory(), group_memory(false));
}

/* ---- limits of this process ---- */

static int64_t limit_of(int which)
{
    struct rlimit r;
    if (getrlimit(which, &r) != 0 || r.rlim_cur == RLIM_INFINITY ||
        r.rlim_cur > INT64_MAX)
        return INT64_MAX;
    return (int64_t)r.rlim_cur;
}

/* Of the address space, libraries and mapped files take their part. */
int64_t bn_memory_most(void)
{
    int64_t data = limit_of(RLIMIT_DATA), space = limit_of(RLIMIT_AS);
    int64_t used = bn_memory_private();
    if (space == INT64_MAX || used < 0)
        return data;
    int64_t others = read_kilobytes("/proc/self/status", "VmSize:") - used;
    return bn_least(data, space > others ? space - others : 0);
}

int64_t bn_memory_unreserved(void)
{
    if (limit_of(RLIMIT_DATA) == INT64_MAX && limit_of(RLIMIT_AS) == INT64_MAX)
        return INT64_MAX;
    int64_t most = bn_memory_most(), used = bn_memory_private();
    if (used < 0)
        return INT64_MAX;
    return most > used ? most - used : 0;
}

int64_t bn_memory_share(int processes)
{
    int64_t bytes = read_kilobytes("/proc/meminfo", "MemAvailable:");
    bytes = bytes < 0 ? machine_memory() / 2 : bytes;
    return bn_least(bn_least(bytes, group_memory(true)) / processes, bn_memory_unreserved());
}

int64_t bn_memory_free(void)
{
    return bn_memory_share(1);
}
