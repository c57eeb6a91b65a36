/* limits.c -- reads what the system allows this process.
 *
 * Memory of the machine, of its control groups, of its job in a batch system and by its limits
 * (ulimit -d, ulimit -v); processors by its control groups and its job.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scratch.h"

/* Returns the number after NAME in a line "NAME: 123 kB" or "NAME 123" of a system file; -1:
 * none. */
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

static int64_t of_process(const char *name)
{
    return read_kilobytes("/proc/self/status", name);
}

/* Returns what the process holds.  Address space that is only reserved does not count: sanitizers
 * reserve terabytes of it, and Python with other libraries gigabytes. */
int64_t bn_memory_private(void)
{
    const int64_t held = of_process("RssAnon:");        /* since Linux 4.5 */
    return held >= 0 ? held : of_process("VmData:");
}

/* ---- control groups ---- */

/* Reads one group from this folder; older: groups have a tree for each controller, else one
 * tree. */
typedef void look_fn(void *out, const char *folder, bool older);

/* Returns the path of a group in a line "ID:CONTROLLERS:/PATH"; NULL: the line is of another
 * controller. */
static char *path_in(char *line, bool *older, const char *controller)
{
    char wanted[32];
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || path[1] != '/')
        return NULL;
    *path = ',';
    *older = strncmp(line, "0:,", 3) != 0;
    *controllers = ',';
    snprintf(wanted, sizeof wanted, ",%s,", controller);
    return !*older || strstr(controllers, wanted) ? path + 1 : NULL;
}

/* Looks at a group and its parents: inside a container only the topmost may be readable. */
static void each_group(void *out, look_fn *look, const char *controller, const char *self,
                       const char *mounts)
{
    char line[1024], folder[1300];
    bool older;
    FILE *f = fopen(self, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *path = path_in(line, &older, controller);
        for (char *end = path ? path + strlen(path) : NULL; path && end >= path; end--) {
            if (*end && *end != '/')
                continue;
            *end = 0;
            snprintf(folder, sizeof folder, "%s%s%s%s", mounts, older ? "/" : "",
                     older ? controller : "", path);
            look(out, folder, older);
        }
    }
    if (f)
        fclose(f);
}

static int64_t read_in(const char *folder, const char *file, const char *name)
{
    char path[1400];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return read_line(path, name);
}

typedef struct {
    int64_t most, left;
} group_room;

/* Reads a limit and what is left of it.  Pages of files that are not in use can be taken back. */
static void look_at_memory(void *out, const char *folder, bool older)
{
    group_room *r = out;
    int64_t limit = read_in(folder, older ? "memory.limit_in_bytes" : "memory.max", "");
    int64_t now = read_in(folder, older ? "memory.usage_in_bytes" : "memory.current", "");
    int64_t cache = read_in(folder, "memory.stat",
                            older ? "total_inactive_file " : "inactive_file ");
    if (limit < 0 || now < 0)           /* "max": none */
        return;
    if (cache > 0)
        now = now > cache ? now - cache : 0;
    r->most = bn_least(r->most, limit);
    r->left = bn_least(r->left, limit > now ? limit - now : 0);
}

void bn_memory_group(int64_t *most, int64_t *left, const char *self, const char *mounts)
{
    group_room r = {INT64_MAX, INT64_MAX};
    each_group(&r, look_at_memory, "memory", self, mounts);
    *most = r.most;
    *left = r.left;
}

/* Reads "200000 100000": microseconds of all processors in microseconds of the clock; "max":
 * any. */
static void look_at_quota(void *out, const char *folder, bool older)
{
    int64_t *cores = out, quota = read_in(folder, older ? "cpu.cfs_quota_us" : "cpu.max", "");
    int64_t period = older ? read_in(folder, "cpu.cfs_period_us", "") : 0;
    char both[64];
    if (!older && quota > 0) {
        snprintf(both, sizeof both, "%lld ", (long long)quota);
        period = read_in(folder, "cpu.max", both);
    }
    if (quota > 0 && period > 0)
        *cores = bn_least(*cores, (quota - 1) / period + 1);
}

int64_t bn_cores_group(const char *self, const char *mounts)
{
    int64_t cores = INT64_MAX;
    each_group(&cores, look_at_quota, "cpu", self, mounts);
    return cores;
}

static int64_t group_memory(bool left)
{
    int64_t most, rest;
    bn_memory_group(&most, &rest, "/proc/self/cgroup", "/sys/fs/cgroup");
    return left ? rest : most;
}

int64_t bn_cores_quota(void)
{
    return bn_cores_group("/proc/self/cgroup", "/sys/fs/cgroup");
}

/* ---- batch systems ---- */

/* Returns the number in an environment variable; 0: none above 0. */
static int64_t number_in(const char *name)
{
    const char *text = getenv(name);
    const long long number = text ? atoll(text) : 0;
    return number > 0 ? (int64_t)number : 0;
}

/* Returns what the user, Slurm, PBS, LSF or Grid Engine gives a process. */
int64_t bn_cores_job(void)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK", "NCPUS",
                                        "LSB_DJOB_NUMPROC", "NSLOTS"};
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_in(names[i]) > 0)
            least = bn_least(least, number_in(names[i]));
    return least;
}

double bn_setting_bytes(const char *name, char usual)
{
    static const char units[] = "BKMGT";
    const char *text = getenv(name);
    char *end = NULL;
    double size = text ? strtod(text, &end) : 0;
    if (!text || !(size > 0))
        return 0;
    while (isspace((unsigned char)*end))
        end++;
    const char unit = *end ? (char)toupper((unsigned char)*end) : usual;
    if (!strchr(units, unit))
        return 0;
    for (const char *u = units; *u != unit; u++)
        size *= 1024;
    return size;
}

/* Returns the memory that Slurm gives, in megabytes of 2^20 bytes if no unit is given, for the
 * job's part of this machine or for each of its processors there.  If only the processors of a task
 * are known, a process has those. */
int64_t bn_memory_job(int processes)
{
    const double node = bn_setting_bytes("SLURM_MEM_PER_NODE", 'M');
    const double each = bn_setting_bytes("SLURM_MEM_PER_CPU", 'M');
    const int64_t here = number_in("SLURM_CPUS_ON_NODE"), task = number_in("SLURM_CPUS_PER_TASK");
    const double cores = (double)(here > 0 ? here : task > 0 ? task : 1);
    const double bytes = (node > 0 ? node : each * cores) / (node > 0 || here > 0 ? processes : 1);
    return bytes > 0 && bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

/* ---- the machine ---- */

static int64_t machine_memory(void)
{
    int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    return bytes > 0 ? bytes : INT64_MAX;
}

int64_t bn_memory_all(void)
{
    return bn_least(bn_least(machine_memory(), group_memory(false)), bn_memory_job(1));
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

/* Returns a limit; line: of the process status, with the use that this limit counts. */
static bn_bound bound_of(int which, const char *line, const char *name)
{
    const int64_t limit = limit_of(which), used = limit == INT64_MAX ? -1 : of_process(line);
    if (used < 0)
        return (bn_bound){INT64_MAX, INT64_MAX, name};
    return (bn_bound){limit, limit > used ? limit - used : 0, name};
}

/* Returns the tighter limit; the address space holds libraries and mapped files, too. */
bn_bound bn_memory_process(void)
{
    const bn_bound data = bound_of(RLIMIT_DATA, "VmData:", "ulimit -d");
    const bn_bound space = bound_of(RLIMIT_AS, "VmSize:", "ulimit -v");
    return space.left < data.left ? space : data;
}

int64_t bn_memory_unreserved(void)
{
    return bn_memory_process().left;
}

bonsai_status bn_no_room(int64_t count, size_t item)
{
    const bn_bound b = bn_memory_process();
    char why[64] = "";
    if (b.bytes < INT64_MAX && (double)count * (double)item > (double)b.left)
        snprintf(why, sizeof why, "; %s allows %lld bytes", b.name, (long long)b.bytes);
    return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for %lld items of %zu bytes%s",
                   (long long)count, item, why);
}

int64_t bn_memory_most(void)
{
    const int64_t room = bn_memory_unreserved(), held = bn_memory_private();
    return room == INT64_MAX || held < 0 ? room : room + held;
}

bn_bound bn_memory_outer(int processes)
{
    const int64_t job = bn_memory_job(processes), group = group_memory(false);
    const int64_t share = group == INT64_MAX ? group : group / processes;
    return share < job ? (bn_bound){share, share, "control group"} : (bn_bound){job, job, "Slurm"};
}

int64_t bn_memory_share(int processes)
{
    int64_t bytes = read_kilobytes("/proc/meminfo", "MemAvailable:");
    bytes = bytes < 0 ? machine_memory() / 2 : bytes;
    const int64_t job = bn_memory_job(processes), used = bn_memory_private();
    const int64_t left = job == INT64_MAX || used < 0 ? job : job > used ? job - used : 0;
    bytes = bn_least(bytes, group_memory(true)) / processes;
    return bn_least(bn_least(bytes, left), bn_memory_unreserved());
}

int64_t bn_memory_free(void)
{
    return bn_memory_share(1);
}
