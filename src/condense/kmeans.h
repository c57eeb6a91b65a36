/* kmeans.h -- what the parts of k-means share; see kmeans.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KMEANS_H
#define BN_KMEANS_H

#include "condense.h"

/* ---- rows in the order of their clusters (centroids.c) ---- */

typedef struct {
    int64_t  k;
    int64_t *first;             /* k+1: cluster c has at[first[c]] .. at[first[c+1] - 1] */
    int64_t *at;                /* rows of the embedding */
} bn_groups;

bonsai_status bn_groups_new(bn_groups *g, int64_t count, int64_t k);
void bn_groups_free(bn_groups *g);
/* Of at most as many rows (NULL: 0 .. count-1) and clusters as there is room for; a negative
 * cluster: in none. */
void bn_groups_fill(bn_groups *g, const int64_t *rows, const int32_t *cluster, int64_t count,
                    int64_t k);

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

#endif
