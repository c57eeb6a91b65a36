/* slots.h -- consecutive numbers for the touched nodes of a large graph, and sets of bits.
 *
 * A stage that touches few nodes of a large graph stores its data about them by slot: 0, 1, 2, ...
 * in the order in which the nodes were added.  A small graph looks a node's slot up in an array, a
 * large one in a hash table of the touched nodes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SLOTS_H
#define BN_SLOTS_H

#include "base.h"

enum { BN_SLOTS_DIRECT = 1 << 22 };     /* graphs with more nodes use the table */

typedef struct { int32_t node, slot; } bn_slot_of;         /* slot + 1; 0: empty */

typedef struct {
    int64_t  count;             /* slots given */
    int32_t *direct;            /* nodes: slot + 1, or NULL */
    bn_slot_of *table;             /* 2^bits, at most half full, or NULL */
    int      bits;
} bn_slots;

/* For nodes 0 .. nodes-1.  bn_slots_free accepts an all-zero struct. */
bonsai_status bn_slots_new(bn_slots *s, int64_t nodes);
void          bn_slots_free(bn_slots *s);
/* Makes room for so many more nodes. */
bonsai_status bn_slots_reserve(bn_slots *s, int64_t more);
/* Adds a node, which cannot fail within the reserved room.  A node already added keeps its slot. */
int64_t       bn_slots_add(bn_slots *s, int32_t node);

/* The node's place in the table, or the free place where it belongs. */
static inline bn_slot_of *bn_slots_place(const bn_slots *s, int32_t node)
{
    uint64_t i = (uint64_t)(uint32_t)node * 0x9e3779b97f4a7c15u >> (64 - s->bits);
    uint64_t last = ((uint64_t)1 << s->bits) - 1;
    while (s->table[i].slot != 0 && s->table[i].node != node)
        i = (i + 1) & last;
    return &s->table[i];
}

/* -1: not added. */
static inline int64_t bn_slots_find(const bn_slots *s, int32_t node)
{
    return (s->direct ? s->direct[node] : bn_slots_place(s, node)->slot) - (int64_t)1;
}

/* ---- bits, in arrays of BN_WORDS(n) words ---- */

#define BN_WORDS(n) (((n) + 63) / 64)

static inline bool bn_bit(const uint64_t *b, int32_t i)
{
    return b[i >> 6] >> (i & 63) & 1;
}

static inline void bn_bit_set(uint64_t *b, int32_t i)
{
    b[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline void bn_bit_clear(uint64_t *b, int32_t i)
{
    b[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

#endif
