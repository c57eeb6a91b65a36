/* slotmap.c -- maps nodes to consecutive slots.
 *
 * Open addressing with linear probing, at most half full; entries are never removed.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "slotmap.h"

enum { FIRST_BITS = 6, MOST_BITS = 40 };

bonsai_status bn_slotmap_new(bn_slotmap *s, int64_t nodes)
{
    memset(s, 0, sizeof *s);
    s->bits = FIRST_BITS;
    if (nodes <= BN_SLOTMAP_DIRECT)
        return BN_NEW(&s->direct, nodes);
    return BN_NEW(&s->table, (int64_t)1 << s->bits);
}

void bn_slotmap_free(bn_slotmap *s)
{
    bn_free(s->direct);
    bn_free(s->table);
    memset(s, 0, sizeof *s);
}

bonsai_status bn_slotmap_reserve(bn_slotmap *s, int64_t more)
{
    bn_slotmap wider = *s;
    if (s->direct)
        return BONSAI_OK;
    while (wider.bits < MOST_BITS && ((int64_t)1 << wider.bits) / 2 < s->count + more)
        wider.bits++;
    if (wider.bits == s->bits)
        return BONSAI_OK;
    bonsai_status rc = BN_NEW(&wider.table, (int64_t)1 << wider.bits);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < (int64_t)1 << s->bits; i++)
        if (s->table[i].slot != 0)
            *bn_slotmap_place(&wider, s->table[i].node) = s->table[i];
    bn_free(s->table);
    *s = wider;
    return BONSAI_OK;
}

int64_t bn_slotmap_add(bn_slotmap *s, int32_t node)
{
    bn_slotmap_entry *place = s->direct ? NULL : bn_slotmap_place(s, node);
    int32_t *slot = place ? &place->slot : &s->direct[node];
    if (*slot != 0)
        return *slot - 1;
    if (place)
        place->node = node;
    *slot = (int32_t)++s->count;
    return *slot - 1;
}
