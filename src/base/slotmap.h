/* slotmap.h -- consecutive numbers (slots) for the touched nodes of a large graph; sets of bits.
 *
 * A stage that touches few nodes of a large graph stores its data about them by slot: 0, 1, 2, ...
 * in the order in which the nodes were added.  A small graph has an array with the slot of each
 * node, a large graph a hash table of the touched nodes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SLOTMAP_H
#define BN_SLOTMAP_H

#include "base.h"

enum { BN_SLOTMAP_DIRECT = 1 << 22 };   /* graphs with more nodes use the table */

typedef struct { int32_t node, slot; } bn_slotmap_entry;  /* slot + 1; 0: empty */

typedef struct {
    int64_t  count;             /* of slots */
    int32_t *direct;            /* of nodes: slot + 1, or NULL */
    bn_slotmap_entry *table;    /* 2^bits, at most half full, or NULL */
    int      bits;
} bn_slotmap;

/* Prepares a map of the nodes 0 .. nodes-1.  bn_slotmap_free accepts an all-zero struct. */
bonsai_status bn_slotmap_new(bn_slotmap *s, int64_t nodes);
void          bn_slotmap_free(bn_slotmap *s);
/* Makes room for `more` further nodes. */
bonsai_status bn_slotmap_reserve(bn_slotmap *s, int64_t more);
/* Returns the slot of a node, which is added if new; cannot fail within the reserved room. */
int64_t       bn_slotmap_add(bn_slotmap *s, int32_t node);

/* Returns the node's entry, or the free entry where the node belongs. */
static inline bn_slotmap_entry *bn_slotmap_place(const bn_slotmap *s, int32_t node)
{
    uint64_t i = (uint64_t)(uint32_t)node * 0x9e3779b97f4a7c15u >> (64 - s->bits);
    uint64_t last = ((uint64_t)1 << s->bits) - 1;
    while (s->table[i].slot != 0 && s->table[i].node != node)
        i = (i + 1) & last;
    return &s->table[i];
}

/* Returns the node's slot, or -1 if it was not added. */
static inline int64_t bn_slotmap_find(const bn_slotmap *s, int32_t node)
{
    return (s->direct ? s->direct[node] : bn_slotmap_place(s, node)->slot) - (int64_t)1;
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
