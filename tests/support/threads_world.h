/* threads_world.h -- a world whose ranks are threads of one process, to test what ranks do together
 * without starting any.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_THREADS_WORLD_H
#define BN_THREADS_WORLD_H

#include "base/world.h"

/* Calls fn once on each of `ranks` threads, each with its world (never NULL, also for one rank),
 * and returns the status of rank 0; the statuses and sentences of the others must be the same.
 * Allocations and assertions inside fn belong to its thread: return a status instead of
 * asserting. */
bonsai_status run_ranks(int ranks, bonsai_status (*fn)(bn_world *w, void *payload), void *payload);

#endif
