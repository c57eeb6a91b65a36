/* clustering.h -- k-means of rows that are all here, for tests.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CLUSTERING_H
#define BN_CLUSTERING_H

#include "prototypes/kmeans/kmeans.h"

typedef bonsai_status clusterer(int32_t *cluster, int64_t *found, const bn_sharded *s,
                                const bn_kmeans_task *t);

/* how: bn_kmeans or bn_kmeans_deep. */
static inline bonsai_status cluster_rows(clusterer *how, int32_t *cluster, int64_t *found,
                                         const bn_embedding *e, bn_kmeans_task t,
                                         const bn_place *at)
{
    bn_sharded s;
    bonsai_status rc = bn_sharded_look(&s, e, at);
    if (rc == BONSAI_OK)
        rc = how(cluster, found, &s, &t);
    bn_sharded_free(&s);
    return rc;
}

#endif
