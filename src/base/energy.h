/* energy.h -- energy that the processors of this machine have used; by everybody, not by this
 * process alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_ENERGY_H
#define BN_ENERGY_H

#include "base.h"

enum { BN_MOST_PACKAGES = 64 };

typedef struct {
    double   joules;            /* from some beginning; NAN: not measurable */
    uint64_t breaks;            /* how often count was lost: readings with another number differ */
} bn_energy;

/* Between two readings; NAN: not measurable. */
double bn_joules(bn_energy since, bn_energy until);
double bn_joules_told(double joules);           /* as callers are told: -1 instead of NAN */

/* ---- of this process ---- */

bn_energy bn_energy_now(void);
/* Reads the counters if that was a second ago or more, so that none starts again unseen; ticks of
 * progress call it. */
void bn_energy_watch(void);
void bn_energy_open(const char *root);          /* for tests: counters from another folder */

/* ---- counters below a folder ---- */

typedef struct {
    int      zone;
    uint64_t last, range;       /* microjoules */
} bn_rapl_package;

typedef struct {
    const char *root;           /* the caller's */
    int      count;             /* packages; 0: not measurable */
    bn_rapl_package package[BN_MOST_PACKAGES];
    double   joules, at;        /* so far; when they were last read */
    bool     stale;             /* they were not, or could not be */
    uint64_t breaks;
} bn_rapl;

void bn_rapl_open(bn_rapl *r, const char *root);
void bn_rapl_read(bn_rapl *r, double now);      /* now: seconds of bn_seconds */
bn_energy bn_rapl_energy(const bn_rapl *r);

#endif
