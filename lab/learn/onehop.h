/* onehop.h -- the nodes within one hop of some nodes of the full graph.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_ONEHOP_H
#define BN_ONEHOP_H

#include "learn.h"

typedef struct {
    bn_matrix to;               /* nodes x reached: their rows of the operator, the loop first */
    int32_t  *node;             /* reached: each node and its neighbours, as they are met */
} bn_onehop;

/* Fills r for the nodes.  Free it even on failure. */
bonsai_status bn_onehop_new(bn_onehop *r, const bn_problem *s, const int32_t *node, int64_t count);
void bn_onehop_free(bn_onehop *r);
/* Counts the nodes reached. */
bonsai_status bn_onehop_count(int64_t *out, const bn_problem *s, const int32_t *node,
                              int64_t count);

#endif
