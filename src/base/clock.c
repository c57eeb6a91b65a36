/* clock.c -- time passed and memory used, for reports.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/resource.h>
#include <time.h>

#include "base.h"
#include "place.h"

double bn_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bn_clock_start(bn_clock *c)
{
    c->since = bn_seconds();
}

void bn_enter(const bn_place *at, int stage)
{
    bn_clock *c = bn_here(at)->clock;
    if (!c)
        return;
    const bn_clock was = *c;
    bn_clock_start(c);
    c->seconds[was.stage] += c->since - was.since;
    c->stage = stage;
}

int64_t bn_peak_rss(void)
{
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (int64_t)use.ru_maxrss * 1024 : 0;
}
