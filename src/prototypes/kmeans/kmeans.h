/* kmeans.h -- what the parts of k-means share; see kmeans.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KMEANS_H
#define BN_KMEANS_H

#include "embed/spread.h"

/* ---- clusters (kmeans.c) ---- */

/* k-means of the rows[0 .. count-1] of e: k-means++ seeding, Lloyd to convergence or `rounds`,
 * products by BLAS in blocks of fixed size, empty clusters repaired, ties to the lower
 * cluster; mini-batches where count is large.  cluster[i] gets 0 .. *found-1; *found is at most k
 * and no cluster is empty (fewer than k where rows repeat).  Sparse rows stay sparse.  The same
 * bits for any number of threads. */
bonsai_status bn_kmeans(int32_t *cluster, int64_t *found, const bn_embedding *e,
                        const int64_t *rows, int64_t count, int64_t k, int rounds, uint64_t seed,
                        int threads, bn_progress p);
/* The same over ranks: of rows of s that each rank has, numbered as its own; cluster is theirs.
 * The same clusters whoever has which rows. */
bonsai_status bn_kmeans_over(int32_t *cluster, int64_t *found, const bn_spread *s,
                             const int64_t *rows, int64_t count, int64_t k, int rounds,
                             uint64_t seed, int threads, bn_progress p);
/* The same, of clusters of clusters where k and count are large: linear in the rows times the root
 * of k. */
bonsai_status bn_kmeans_deep(int32_t *cluster, int64_t *found, const bn_embedding *e,
                             const int64_t *rows, int64_t count, int64_t k, int rounds,
                             uint64_t seed, int threads, bn_progress p);
bonsai_status bn_kmeans_deep_over(int32_t *cluster, int64_t *found, const bn_spread *s,
                                  const int64_t *rows, int64_t count, int64_t k, int rounds,
                                  uint64_t seed, int threads, bn_progress p);
/* The mean of the rows of each cluster 0 .. k-1 (cluster[r] for row r of e, -1: in none), each row
 * with the weight given (NULL: 1), which is 0 or more; sparse rows give sparse means. */
bonsai_status bn_centroids(bn_embedding *out, const bn_embedding *e, const int32_t *cluster,
                           int64_t k, const float *weight, int threads);
/* The same over ranks, each of which gets all means. */
bonsai_status bn_centroids_over(bn_embedding *out, const bn_spread *s, const int32_t *cluster,
                                int64_t k, const float *weight, int threads);

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
