/* kmeans.h -- what the parts of k-means share; see kmeans.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KMEANS_H
#define BN_KMEANS_H

#include "embed/embed.h"

/* ---- clusters (kmeans.c) ---- */

typedef struct {                /* what to cluster, on all ranks alike but for rows and count */
    const int64_t *rows;        /* count of the rank's own rows */
    int64_t  count, k;
    int      rounds;
    uint64_t seed;
} bn_kmeans_task;

/* Clusters some rows of all ranks: k-means++ seeding, Lloyd to convergence or `rounds`,
 * products by BLAS in blocks of fixed size, empty clusters repaired, ties to the lower
 * cluster; mini-batches if there are many rows.  cluster[i] gets 0 .. *found-1 for rows[i];
 * *found is at most k and no cluster is empty (fewer than k if rows repeat).  Sparse rows
 * stay sparse.  The same clusters for any number of threads, and whichever rank has which
 * rows. */
bonsai_status bn_kmeans(int32_t *cluster, int64_t *found, const bn_sharded *s,
                        const bn_kmeans_task *t);
/* Does the same by clusters of clusters if k and count are large: linear in the rows times
 * the root of k. */
bonsai_status bn_kmeans_deep(int32_t *cluster, int64_t *found, const bn_sharded *s,
                             const bn_kmeans_task *t);
/* Where there are more rows than this, clusters are first found on a sample of about as many. */
enum { BN_KMEANS_SAMPLE = 8192 };

/* ---- means and sums (centroids.c) ---- */

/* Makes the mean of the rows of each cluster 0 .. k-1 (cluster[r] for the rank's own row r,
 * -1: in none), each row with the weight given (NULL: 1), which is 0 or more; sparse rows
 * give sparse means.  Every rank gets all means. */
bonsai_status bn_centroids(bn_embedding *out, const bn_sharded *s, const int32_t *cluster,
                           int64_t k, const float *weight);

typedef struct {                /* rows of an embedding and their clusters */
    const bn_embedding *e;
    const int64_t *rows;        /* count, or NULL: 0 .. count-1 */
    const int32_t *cluster;     /* count; negative: in none */
    const float   *weight;      /* of each row of e, or NULL: 1 */
    int64_t count;
    double  grid;               /* that terms are brought to: see world.h */
    int     threads;
    int64_t chunk;              /* rows that there is room for at a time */
    int32_t *order;
    int64_t *first;             /* most+2 */
} bn_sums;

/* Allocates room for sums of at most `most` clusters at a time; the fields up to threads are
 * set. */
bonsai_status bn_sums_new(bn_sums *q, int64_t most);
void bn_sums_free(bn_sums *q);
/* Fills sum (wide,f) with the sums of the rows in clusters c .. c+wide-1, on this rank; the
 * rows are met in their order, a chunk after the other. */
void bn_sums_add(double *sum, const bn_sums *q, int64_t c, int64_t wide);

/* ---- seeds (kmeans_seed.c) ---- */

typedef struct {
    const bn_embedding *e;
    const int64_t *rows;
    int64_t  count, k;
    int32_t *cluster;           /* count */
    const bn_place *at;
} bn_seeds;

/* Sets cluster[i] to the seed, 0 .. k-1, that is nearest to row i; k becomes smaller if every
 * row is at a seed before there are k.  Ticks 0 .. k of `ticks`. */
bonsai_status bn_kmeans_seed(bn_seeds *q, uint64_t seed, int64_t ticks);

/* ---- rounds (kmeans_round.c) ---- */

typedef struct {
    const bn_sharded *s;
    const bn_embedding *e;      /* its rows on this rank */
    const int64_t *rows;
    int64_t  count, k;
    int64_t  base, total;       /* rows before this rank's, and of all ranks */
    int32_t *cluster;           /* count */
    float   *best;              /* count: squared distance to the nearest mean; of sparse rows
                                 * |c|^2 - 2 x c */
    int64_t  block, tile;
    int      threads, lanes;
    bool     uses_blas;         /* between begin and end */
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
    int64_t  ticks;             /* of the whole call */
} bn_round;

bonsai_status bn_round_new(bn_round *q);        /* room; what stands above `best` is given */
void bn_round_free(bn_round *q);
/* Takes a point off dense rows that lie together far from 0, from which differences of large
 * numbers would lose digits; the rows must all be here. */
bonsai_status bn_round_shift(bn_round *q);
bonsai_status bn_round_sizes(bn_round *q);
/* Assigns all rows to the nearest of the means of the rows in m, whose clusters have the
 * sizes q->size; sets the sizes after that, and repairs empty clusters.  apart: every rank
 * has its own part of m, as of the rows, else m is the same on every rank. */
bonsai_status bn_round_assign(bn_round *q, bn_sums *m, bool apart);

#endif
