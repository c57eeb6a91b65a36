/* sharded.h -- the rows of an embedding, a part of them on every rank.
 *
 * A rank keeps the rows of its own nodes, and may have none.  Rows are numbered in one sequence
 * over all ranks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SHARDED_H
#define BN_SHARDED_H

#include "embed.h"

typedef struct {
    const bn_embedding *e;      /* the rank's own rows */
    const bn_place *at;         /* not NULL; at->first is not read: that is of nodes */
    const int64_t *first;       /* ranks+1: rank r has rows first[r] .. first[r+1]-1; NULL: alone */
    /* what bn_sharded_look finds; searching and gathering do not need it */
    int64_t  rows;              /* of all ranks */
    double   length;            /* entries that a row has in the mean: f of dense ones */
    double   most, least;       /* at least the largest |x| and, where below 0, the smallest x */
    int64_t *owned;             /* first, to be freed */
} bn_sharded;

/* Looks at the rows of all ranks; borrows both. */
bonsai_status bn_sharded_look(bn_sharded *out, const bn_embedding *e, const bn_place *at);
void bn_sharded_free(bn_sharded *s);
/* Other rows, all of them here, with numbers like those of s. */
bn_sharded bn_sharded_alone(const bn_sharded *s, const bn_embedding *e, const bn_place *at);

/* Whether all rows are here and in memory, so that they may be met in any order. */
bool bn_sharded_here(const bn_sharded *s);
/* The number among all of the rank's own first row. */
static inline int64_t bn_sharded_base(const bn_sharded *s)
{
    return s->first ? s->first[bn_rank(s->at->world)] : 0;
}

/* Whether the rows are dense, and how many columns they have: what a rank without any need not
 * know of itself. */
bonsai_status bn_rows_form(bool *dense, int64_t *f, const bn_embedding *e, bn_world *w);
/* The given rows of all, on every rank: in the order given, which is the same everywhere and may
 * repeat some; dense where e is, also on ranks without rows.  (gather.c) */
bonsai_status bn_rows_gather(bn_embedding *out, const bn_sharded *s, const int64_t *rows,
                             int64_t count);

/* place (ranks+1): where each rank's things begin, of which this one has `mine`. */
bonsai_status bn_places(int64_t *place, bn_world *w, int64_t mine);

#endif
