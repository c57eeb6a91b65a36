/* spread.h -- the rows of an embedding, spread over ranks.
 *
 * What prototypes are made of lies where its nodes are: every rank has some rows, numbered in one
 * sequence over all ranks, and may have none.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SPREAD_H
#define BN_SPREAD_H

#include "embed.h"

typedef struct {
    const bn_embedding *e;      /* the rank's own rows */
    const bn_where *at;         /* NULL: alone, and without a limit */
    int64_t *first;             /* ranks+1: rank r has rows first[r] .. first[r+1]-1 */
    int64_t  rows;              /* of all ranks */
    double   length;            /* entries that a row has in the mean: f of dense ones */
    double   most, least;       /* at least the largest |x| and, where below 0, the smallest x */
} bn_spread;

/* Looks at the rows of all ranks. */
bonsai_status bn_spread_look(bn_spread *out, const bn_embedding *e, const bn_where *at,
                             int threads);
void bn_spread_free(bn_spread *s);
/* Other rows, all of them here, with numbers like those of s. */
bn_spread bn_spread_alone(const bn_spread *s, const bn_embedding *e, const bn_where *at);

static inline bn_world *bn_spread_world(const bn_spread *s) { return s->at ? s->at->world : NULL; }
static inline bn_memory *bn_spread_memory(const bn_spread *s)
{
    return s->at ? s->at->memory : NULL;
}
/* Whether all rows are here and in memory, so that they may be met in any order. */
bool bn_spread_here(const bn_spread *s);
/* The number among all of the rank's own first row. */
static inline int64_t bn_spread_base(const bn_spread *s)
{
    return s->first ? s->first[bn_rank(bn_spread_world(s))] : 0;
}

/* place (ranks+1): where each rank's things begin, of which this one has `mine`. */
bonsai_status bn_places(int64_t *place, bn_world *w, int64_t mine);

/* ---- sums by cluster (centroids.c) ---- */

typedef struct {                /* rows of an embedding and their clusters */
    const bn_embedding *e;
    const int64_t *rows;        /* count, or NULL: 0 .. count-1 */
    const int32_t *cluster;     /* count; negative: in none */
    const float   *weight;      /* of each row of e, or NULL: 1 */
    int64_t count;
    double  grid;               /* that terms are brought to: see world.h */
    int     threads;
    int64_t chunk;              /* room for so many rows at a time */
    int32_t *order;
    int64_t *first;             /* most+2 */
} bn_sums;

/* Room for sums of at most `most` clusters at a time; the fields up to threads are set. */
bonsai_status bn_sums_new(bn_sums *q, int64_t most);
void bn_sums_free(bn_sums *q);
/* sum (wide,f) = of the rows in clusters c .. c+wide-1, on this rank; the rows are met in their
 * order, a chunk after the other. */
void bn_sums_add(double *sum, const bn_sums *q, int64_t c, int64_t wide);

#endif
