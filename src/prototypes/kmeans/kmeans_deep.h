/* kmeans_deep.h -- what the parts of k-means of k-means share; see kmeans_deep.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KMEANS_DEEP_H
#define BN_KMEANS_DEEP_H

#include "kmeans.h"

typedef struct {                /* a group that is not parted any more; alike on every rank ... */
    int64_t  begin, count;      /* ... but for where its rows are in the order here, and how many */
    int64_t  total, k;          /* rows on all ranks; clusters to make of them */
    uint64_t seed;
    int64_t  found;       /* clusters that were made */
} bn_leaf;

typedef struct {
    const bn_sharded *s;
    const int64_t *rows;        /* count */
    int64_t  count;
    int32_t *cluster;           /* count: the result */
    int      rounds;
    int64_t *row;               /* count: the rows, group after group, ... */
    int32_t *place;             /* ... and their places in rows */
    int32_t *part;              /* count: groups or clusters of those */
    int32_t *spare;             /* count */
    bn_leaf *leaf;
    int64_t  leaves, room;
} bn_deep;

/* Clusters a leaf whose rows, total of them, are all here in s. */
bonsai_status bn_leaf_solve(const bn_deep *d, bn_leaf *l, int32_t *cluster, const bn_sharded *s,
                            const int64_t *rows);
/* Clusters each leaf, 0 .. found-1, to d->cluster.  Each leaf is dealt to a rank, which gets
 * its rows, a batch of leaves at a time.  (kmeans_leaves.c) */
bonsai_status bn_leaves_deal(bn_deep *d);

#endif
