/* slots.h -- numbers for those of many nodes that matter, and sets of bits.
 *
 * A stage that touches some nodes of a large graph keeps what it knows of them in arrays by slot:
 * 0, 1, 2, ... in the order in which the nodes came.  Which slot a node has is looked up in an
 * array while the graph is small, and in a hash table of the touched ones where it is large.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SLOTS_H
#define BN_SLOTS_H

#include "base.h"

enum { BN_SLOTS_DIRECT = 1 << 22 };     /* nodes; with more there is a table */

typedef struct { int32_t node, slot; } bn_slot;         /* slot + 1; 0: empty */

typedef struct {
    int64_t  count;             /* slots given */
    int32_t *direct;            /* nodes: slot + 1, or NULL */
    bn_slot *table;             /* 2^bits, at most half full, or NULL */
    int      bits;
} bn_slots;

/* For nodes 0 .. nodes-1.  bn_slots_free takes what is all zero, too. */
bonsai_status bn_slots_new(bn_slots *s, int64_t nodes);
void          bn_slots_free(bn_slots *s);
/* Room for so many more nodes, ... */
bonsai_status bn_slots_reserve(bn_slots *s, int64_t more);
/* ... which then cannot fail to be added.  A node that is in keeps its slot. */
int64_t       bn_slots_add(bn_slots *s, int32_t node);

/* Where a node stands in the table, or would. */
static inline bn_slot *bn_slots_place(const bn_slots *s, int32_t node)
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
