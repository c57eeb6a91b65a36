/* kmeans.h -- what the parts of k-means share; see kmeans.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KMEANS_H
#define BN_KMEANS_H

#include "spread.h"

/* ---- seeds (kmeans_seed.c) ---- */

typedef struct {
    const bn_embedding *e;
    const int64_t *rows;
    int64_t  count, k;
    int32_t *cluster;           /* count */
    int      threads;
    bn_progress progress;
} bn_seeds;

/* cluster[i] = the seed, 0 .. k-1, that is nearest to row i; k becomes smaller where every row is
 * at a seed before there are k.  Ticks 0 .. k of `ticks`. */
bonsai_status bn_kmeans_seed(bn_seeds *q, uint64_t seed, int64_t ticks);

/* ---- equal rows (kmeans_distinct.c) ---- */

/* A cluster for each distinct row, in the order of their first. */
bonsai_status bn_kmeans_distinct(int32_t *cluster, int64_t *found, const bn_embedding *e,
                                 const int64_t *rows, int64_t count, int threads);

/* ---- rounds (kmeans_round.c) ---- */

typedef struct {
    const bn_spread *s;
    const bn_embedding *e;      /* its rows on this rank */
    const int64_t *rows;
    int64_t  count, k;
    int64_t  base, total;       /* rows before this rank's, and of all ranks */
    int32_t *cluster;           /* count */
    float   *best;              /* count: squared distance to the nearest mean; of sparse rows
                                 * |c|^2 - 2 x c */
    int64_t  block, tile;
    int      threads, lanes;
    float   *shift;             /* f: taken off dense rows; NULL: nothing */
    double   error, tiny;       /* of products: see set_error */
    double   grid;              /* of sums */
    double  *sum;               /* tile x f */
    float   *mean;              /* tile x f, or f x tile where rows are sparse */
    float   *norm;              /* tile: |c|^2, of dense means as little as it may be */
    double   longest;           /* of a dense mean of the tile: |c|^2 */
    float   *x, *product;       /* lanes x block x f, lanes x block x tile */
    int64_t *size;              /* k: of the clusters on all ranks */
    void    *far;               /* ranks: a row each, and its bytes */
    int64_t *far_bytes;
    bn_progress progress;
    int64_t  ticks;             /* of the whole call */
} bn_round;

bonsai_status bn_round_new(bn_round *q);        /* room; what stands above `best` is given */
void bn_round_free(bn_round *q);
/* Takes a point off dense rows that lie together far from 0, from which differences of large
 * numbers would lose digits; the rows must all be here. */
bonsai_status bn_round_shift(bn_round *q);
bonsai_status bn_round_sizes(bn_round *q);
/* All rows to the nearest of the means of the rows in m, whose clusters have the sizes q->size;
 * with the sizes after that, and empty clusters repaired.  apart: m is spread as the rows are, else
 * it is the same on every rank. */
bonsai_status bn_round_assign(bn_round *q, bn_sums *m, bool apart);

#endif
