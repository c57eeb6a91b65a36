/* energy.c -- what the processors of this machine have used, by their own counters.
 *
 * Intel and AMD count the energy of each package (RAPL), and Linux shows that through powercap:
 * ROOT/intel-rapl:N/energy_uj, which starts again from 0 above max_energy_range_uj.  Packages alone
 * are added up: their parts (intel-rapl:N:M) are within them, psys is the platform around them, and
 * intel-rapl-mmio:N is a package once more.  If one of them cannot be read, nothing is measured.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "energy.h"

#define OWN_ROOT "/sys/class/powercap"

enum { MOST_WATTS = 1000 };     /* of a package: a counter cannot start again twice before that */

/* ---- one file ------------------------------------------------------------ */

/* The first line, without its end; 0: there is no such file, -1: it cannot be read. */
static int read_line(char *text, size_t size, int folder, int zone, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "intel-rapl:%d/%s", zone, name);
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? 0 : -1;
    ssize_t len = read(file, text, size - 1);
    close(file);
    if (len <= 0)
        return -1;
    text[len] = 0;
    text[strcspn(text, "\n")] = 0;
    return 1;
}

static bool read_count(uint64_t *count, int folder, int zone, const char *name)
{
    char text[32];
    if (read_line(text, sizeof text, folder, zone, name) <= 0)
        return false;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || text[digits])
        return false;
    *count = strtoull(text, NULL, 10);
    return true;
}

/* ---- the packages -------------------------------------------------------- */

/* Adds the zone if it is a package; false: it cannot be said. */
static bool look_at(bn_rapl *r, int folder, int zone)
{
    char name[32];
    const int there = read_line(name, sizeof name, folder, zone, "name");
    if (there == 0 || (there > 0 && strncmp(name, "package", 7) != 0))
        return true;
    bn_rapl_package *p = &r->package[r->count];
    p->zone = zone;
    if (there < 0 || !read_count(&p->range, folder, zone, "max_energy_range_uj") || p->range == 0)
        return false;
    r->count++;
    return true;
}

void bn_rapl_open(bn_rapl *r, const char *root)
{
    memset(r, 0, sizeof *r);
    r->root = root;
    r->stale = true;
    bool known = true;
    int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    for (int zone = 0; zone < BN_MOST_PACKAGES && known; zone++)
        known = look_at(r, folder, zone);
    close(folder);
    r->count = known ? r->count : 0;
}

static bool read_all(uint64_t *count, const bn_rapl *r)
{
    int folder = open(r->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = folder >= 0;
    for (int i = 0; i < r->count && good; i++)
        good = read_count(&count[i], folder, r->package[i].zone, "energy_uj") &&
               count[i] <= r->package[i].range;
    if (folder >= 0)
        close(folder);
    return good;
}

/* Whether some counter may have started again twice since the last reading. */
static bool waited_too_long(const bn_rapl *r, double now)
{
    bool late = false;
    for (int i = 0; i < r->count; i++)
        late |= (now - r->at) * MOST_WATTS > 1e-6 * (double)r->package[i].range;
    return late;
}

void bn_rapl_read(bn_rapl *r, double now)
{
    uint64_t count[BN_MOST_PACKAGES];
    if (r->count == 0)
        return;
    const bool good = read_all(count, r), joins = good && !r->stale && !waited_too_long(r, now);
    r->breaks += !joins;
    r->stale = !good;
    r->at = now;
    for (int i = 0; i < r->count && good; i++) {
        bn_rapl_package *p = &r->package[i];
        const uint64_t used = count[i] - p->last + (count[i] < p->last ? p->range : 0);
        r->joules += joins ? 1e-6 * (double)used : 0;
        p->last = count[i];
    }
}

bn_energy bn_rapl_energy(const bn_rapl *r)
{
    return (bn_energy){r->count > 0 && !r->stale ? r->joules : NAN, r->breaks};
}

double bn_joules(bn_energy since, bn_energy until)
{
    return since.breaks == until.breaks ? until.joules - since.joules : NAN;
}

double bn_joules_told(double joules)
{
    return isnan(joules) ? -1 : joules;
}

/* ---- of this process ----------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bn_rapl own;
static atomic_int watched;      /* its packages, once it is open */

void bn_energy_open(const char *root)
{
    pthread_mutex_lock(&lock);
    bn_rapl_open(&own, root);
    atomic_store(&watched, own.count);
    pthread_mutex_unlock(&lock);
}

bn_energy bn_energy_now(void)
{
    pthread_mutex_lock(&lock);
    if (!own.root)
        bn_rapl_open(&own, OWN_ROOT);
    bn_rapl_read(&own, bn_seconds());
    const bn_energy now = bn_rapl_energy(&own);
    atomic_store(&watched, own.count);
    pthread_mutex_unlock(&lock);
    return now;
}

void bn_energy_watch(void)
{
    if (atomic_load(&watched) == 0 || pthread_mutex_trylock(&lock) != 0)
        return;
    const double now = bn_seconds();
    if (now - own.at >= 1)
        bn_rapl_read(&own, now);
    pthread_mutex_unlock(&lock);
}
