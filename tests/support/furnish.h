/* furnish.h -- a layer's arrays, for tests that run one layer without a network.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FURNISH_H
#define BN_FURNISH_H

#include <stdlib.h>

#include "nn/nn.h"
#include "testing.h"

/* Gives a layer what it keeps, `rows` of those that blocks make, and its room.  Every number is
 * NaN: what is not written shows.  free() the answer. */
static inline void *furnish(bn_at *at, const bn_layer *l, int64_t rows)
{
    bn_space space = {0};
    int64_t entries = bn_int_at(&at->m->to.offsets, at->n), total = 1, used = 0;
    l->space(&space, at);
    int64_t room = space.forward > space.backward ? space.forward : space.backward;
    for (int i = 0; i < BN_SENT; i++)
        total += at->n * space.sent[i];
    for (int i = 0; i < BN_MADE; i++)
        total += rows * space.made[i];
    total += entries * space.entry + room;
    real *block = malloc((size_t)total * sizeof *block);
    assert_non_null(block);
    memset(block, 0xff, (size_t)total * sizeof *block);
    for (int i = 0; i < BN_SENT; used += at->n * space.sent[i++])
        at->sent[i] = block + used;
    for (int i = 0; i < BN_MADE; used += rows * space.made[i++])
        at->made[i] = block + used;
    at->entry = block + used;
    at->room = block + used + entries * space.entry;
    return block;
}

#endif
