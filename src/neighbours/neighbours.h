/* neighbours.h -- nearest rows of an embedding, exactly or through a projection, and who lists whom.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NEIGHBOURS_H
#define BN_NEIGHBOURS_H

#include "embed/embed.h"

/* ---- sampled k-NN (knn.c, knn_over.c) ---- */

/* For each of z sampled rows its k nearest other rows, nearest first, ties to the
 * lower row: list and dist (may be NULL) are z x k.  k < rows. */
bonsai_status bn_knn(int32_t *list, float *dist, const bn_embedding *e, const int32_t *sample,
                     int64_t z, int k, int threads, bn_progress p);

/* The same where rank r has rows first[r] .. first[r+1]-1 of all (e: its own; first is not read
 * alone); samples are numbers among all rows, the same on every rank, and so is the answer: that of
 * bn_knn to the bit.  k < all rows.  at NULL: alone and without a limit.  (knn_over.c) */
bonsai_status bn_knn_over(int32_t *list, float *dist, const bn_embedding *e, const int64_t *first,
                          const int32_t *sample, int64_t z, int k, const bn_where *at, int threads,
                          bn_progress p);

/* ---- k-NN through a random projection (project.c) ---- */

/* As bn_wl_over, of the features projected to `dims` dimensions. */
bonsai_status bn_project(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, int dims, uint64_t seed, bn_where *at,
                         int threads, bn_progress p);
/* As bn_knn_over: the nearest among max(4k, 32) candidates that the projected embedding proposes,
 * by their distances with all features.  nodes are those of all trees, of which rank r has first[r] ..
 * first[r+1]-1; low has the rows of this rank's. */
bonsai_status bn_project_knn(int32_t *list, const bn_embedding *low, const bonsai_graph *g,
                             const int32_t *nodes, const int64_t *first, const int32_t *sample,
                             int64_t z, int k, int layers, const bn_where *at, int threads,
                             bn_progress p);
/* The share of the exact neighbours of up to 200 of the samples that is in the list; -1
 * where the exact search would need more than a gibibyte, of all ranks together. */
bonsai_status bn_project_recall(double *out, const int32_t *list, const bonsai_graph *g,
                                const int32_t *nodes, const int64_t *first, int64_t trees,
                                const int32_t *sample, int64_t z, int k, int layers,
                                const bn_where *at, int threads);

/* ---- reverse k-NN (rknn.c) ---- */

typedef struct {                /* lists of integers, one after the other */
    int64_t  count;
    int64_t *offsets;           /* count+1 */
    int32_t *item;
} bn_lists;

/* For each tree the samples (0 .. z-1) that list it, and itself where it is one;
 * ascending. */
bonsai_status bn_rknn(bn_lists *out, int64_t trees, const int32_t *sample, int64_t z,
                      const int32_t *list, int k);
void bn_lists_free(bn_lists *l);

#endif
