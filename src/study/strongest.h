/* strongest.h -- the features by which a node differs from the others; see strongest.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_STRONGEST_H
#define BN_STRONGEST_H

#include "base/place.h"
#include "embed/embed.h"

enum { BN_STRONGEST = 4 };

typedef struct {
    int64_t feature;            /* of the graph; -1: none, and none after it */
    double  value, mean;        /* of the node, and of all nodes that were given */
} bn_strong;

/* out: BN_STRONGEST for each of count places in `nodes`. */
bonsai_status bn_strongest_find(bn_strong *out, const bonsai_graph *g, const bn_nodes *nodes,
                                const int64_t *place, int64_t count, const bn_place *at);

#endif
