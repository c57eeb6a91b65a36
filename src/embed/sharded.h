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
    const bn_place *at;         /* not NULL; its `first` is of nodes and is not read */
    const int64_t *first;       /* ranks+1: rank r has rows first[r] .. first[r+1]-1; NULL: alone */
    /* set by bn_sharded_look; not needed to search or gather */
    int64_t  rows;              /* of all ranks */
    double   length;            /* mean number of entries of a row: f if dense */
    double   most, least;       /* bounds of the largest |x| and of the smallest x, if below 0 */
    int64_t *owned;             /* first, if allocated here */
} bn_sharded;

/* Measures the rows of all ranks; borrows e and at. */
bonsai_status bn_sharded_look(bn_sharded *out, const bn_embedding *e, const bn_place *at);
void bn_sharded_free(bn_sharded *s);
/* Returns other rows, all of them here, with numbers like those of s. */
bn_sharded bn_sharded_alone(const bn_sharded *s, const bn_embedding *e, const bn_place *at);

/* Returns whether all rows are here and in memory, so that any order of access is cheap. */
bool bn_sharded_here(const bn_sharded *s);
/* Returns the number, among all rows, of the rank's own first row. */
static inline int64_t bn_sharded_base(const bn_sharded *s)
{
    return s->first ? s->first[bn_rank(s->at->world)] : 0;
}

/* Gets whether the rows are dense, and their columns, also on a rank without rows. */
bonsai_status bn_rows_form(bool *dense, int64_t *f, const bn_embedding *e, bn_world *w);
/* Gathers the given rows on every rank, in the given order, which is the same everywhere and may
 * repeat some; dense where e is, also on ranks without rows.  (gather.c) */
bonsai_status bn_rows_gather(bn_embedding *out, const bn_sharded *s, const int64_t *rows,
                             int64_t count);

/* Sets place (ranks+1) to where each rank's items begin; this rank has `mine`. */
bonsai_status bn_places(int64_t *place, bn_world *w, int64_t mine);

#endif
