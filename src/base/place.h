/* place.h -- where a stage runs: among which ranks, in how much memory, on how many threads, and
 * who hears how far it is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PLACE_H
#define BN_PLACE_H

#include "scratch.h"
#include "world.h"

typedef struct {
    bn_world *world;            /* NULL: alone */
    const int64_t *first;       /* ranks+1: rank r has nodes first[r] .. first[r+1]-1; NULL: alone */
    bn_memory *memory;          /* for large arrays; NULL: no limit */
    int threads;                /* 0: every core */
    bn_progress progress;
} bn_place;

/* The place itself; for NULL, one rank alone with all memory and every core, in silence. */
static inline const bn_place *bn_here(const bn_place *at)
{
    static const bn_place alone;
    return at ? at : &alone;
}

/* The same place for a stage that says nothing. */
static inline bn_place bn_silent(const bn_place *at)
{
    bn_place quiet = *bn_here(at);
    quiet.progress = (bn_progress){NULL, NULL};
    return quiet;
}

#endif
