/* reach.h -- the nodes that some nodes of the full graph read in one hop.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REACH_H
#define BN_REACH_H

#include "learn.h"

typedef struct {
    bn_matrix to;               /* nodes x reached: their rows of the operator, the loop first */
    int32_t  *node;             /* reached: each node and its neighbours, as they are met */
} bn_reach;

/* In any case to be freed. */
bonsai_status bn_reach_new(bn_reach *r, const bn_lesson *s, const int32_t *node, int64_t count);
void bn_reach_free(bn_reach *r);
/* How many nodes are reached. */
bonsai_status bn_reach_count(int64_t *out, const bn_lesson *s, const int32_t *node, int64_t count);

#endif
