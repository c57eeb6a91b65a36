/* place.h -- where a stage runs: its ranks, memory limit, threads, progress callback and clock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PLACE_H
#define BN_PLACE_H

#include "scratch.h"
#include "world.h"

/* The clock always runs for one stage, so that the seconds of all stages add up to the total. */
enum { BN_CLOCK_STAGES = 16 };

typedef struct {
    int    stage;               /* the caller numbers them, from 0 */
    double since;               /* when its current lap began */
    double seconds[BN_CLOCK_STAGES];
} bn_clock;

typedef struct {
    bn_world *world;            /* NULL: alone */
    const int64_t *first;       /* ranks+1: rank r has first[r] .. first[r+1]-1; NULL: alone */
    bn_memory *memory;          /* for large arrays; NULL: no limit */
    int threads;                /* 0: every core */
    bn_progress progress;
    bn_clock *clock;            /* NULL: not measured */
} bn_place;

/* Returns the place itself, or for NULL one rank, all memory, every core and no progress. */
static inline const bn_place *bn_here(const bn_place *at)
{
    static const bn_place alone;
    return at ? at : &alone;
}

/* Returns the same place without progress. */
static inline bn_place bn_silent(const bn_place *at)
{
    bn_place quiet = *bn_here(at);
    quiet.progress = (bn_progress){NULL, NULL};
    return quiet;
}

void bn_clock_start(bn_clock *c);               /* begins a lap of its stage (clock.c) */
/* Counts time for the stage from now on, until another is entered (clock.c). */
void bn_enter(const bn_place *at, int stage);

#endif
