/* place.h -- where a stage runs: among which ranks, and in how much memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PLACE_H
#define BN_PLACE_H

#include "scratch.h"
#include "world.h"

/* ---- where a stage runs ---- */

typedef struct {
    bn_world *world;            /* NULL: alone */
    const int64_t *first;       /* ranks+1: rank r has first[r] .. first[r+1]-1; NULL: alone */
    bn_memory *memory;          /* for large arrays; NULL: no limit */
    int     columns;            /* set by the embedding: columns that were made at a time */
    int64_t sent_rows;          /* likewise: bytes that embeddings have sent */
} bn_where;

#endif
