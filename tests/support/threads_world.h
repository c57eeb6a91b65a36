/* threads_world.h -- a world whose ranks are threads of one process, to test code on several ranks
 * without MPI.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_THREADS_WORLD_H
#define BN_THREADS_WORLD_H

#include "base/world.h"

/* Calls fn once on each of `ranks` threads, each with its world (never NULL, even for one rank).
 * Returns the status of rank 0; the statuses and messages of the others must be the same.
 * Allocations and assertions inside fn belong to its thread: return a status instead of
 * asserting. */
bonsai_status run_ranks(int ranks, bonsai_status (*fn)(bn_world *w, void *payload), void *payload);

#endif
