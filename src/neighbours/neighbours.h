/* neighbours.h -- nearest rows of an embedding, exactly or through a projection, and reverse lists.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NEIGHBOURS_H
#define BN_NEIGHBOURS_H

#include "embed/embed.h"

typedef struct {                /* rows whose neighbours are requested, the same on every rank */
    const int32_t *row;         /* numbers among the rows of all ranks */
    int64_t z;
} bn_sample;

/* ---- sampled k-NN (knn_blocks.c, knn.c) ---- */

/* What decides which pairs are measured: all features, or norms of groups of columns. */
typedef enum { BN_KNN_CHEAPER, BN_KNN_WHOLE, BN_KNN_GROUPS } bn_knn_way;

typedef struct {
    bn_knn_way way;
    int64_t pairs;              /* of a sample and a row */
    int64_t measured;           /* those compared with all features */
} bn_knn_work;

/* Finds for each sampled row its k nearest other rows of all ranks, nearest first, ties to the
 * lower row: list and dist (may be NULL) are z x k, the same on every rank.  k < all rows.  work
 * may be NULL; its counts are added to. */
bonsai_status bn_knn(int32_t *list, float *dist, const bn_sharded *x, const bn_sample *s, int k,
                     bn_knn_work *work);

/* The most rows of a block of products: two blocks of rows and one of products are in memory. */
enum { BN_KNN_BLOCK = 2048 };
/* The most samples of a block over ranks, where every rank holds their rows. */
enum { BN_KNN_SAMPLES = 8192 };
/* Spare candidates of a sample; with more than k and these they are measured. */
enum { BN_KNN_SPARE = 64 };
static inline int64_t bn_knn_room(int64_t k) { return 4 * k + 2 * BN_KNN_SPARE; }

/* ---- k-NN through a random projection (project.c) ---- */

typedef struct { int dims; uint64_t seed; } bn_projection;

/* Embeds as bn_embed does by the WL rule, the features projected to few dimensions. */
bonsai_status bn_project(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                         int layers, bn_projection how, const bn_place *at);

typedef struct {                /* the training nodes of all ranks */
    const bonsai_graph *g;
    const int32_t *node;
    int64_t count;
    const int64_t *first;   /* ranks+1: rank r has first[r] .. first[r+1]-1; not read on one rank */
    int layers;                 /* rounds of their exact embedding */
} bn_roots;

/* Finds the nearest among max(4k, 32) candidates that the projected embedding proposes, by their
 * distances with all features, as bn_knn does.  low has the rows of this rank's roots. */
bonsai_status bn_project_knn(int32_t *list, const bn_embedding *low, const bn_roots *roots,
                             const bn_sample *s, int k, const bn_place *at);
/* Gets the share of the exact neighbours of up to 200 of the samples that the list has; -1 if the
 * exact search would need more than a gibibyte, of all ranks together. */
bonsai_status bn_project_recall(double *out, const int32_t *list, const bn_roots *roots,
                                const bn_sample *s, int k, const bn_place *at);

/* ---- reverse k-NN (rknn.c) ---- */

typedef struct {                /* lists of integers, one after the other */
    int64_t  count;
    int64_t *offsets;           /* count+1 */
    int32_t *item;
} bn_lists;

/* Lists for each of `rows` rows the samples (0 .. z-1) that list it, and itself if it is one;
 * ascending. */
bonsai_status bn_rknn(bn_lists *out, int64_t rows, const bn_sample *s, const int32_t *list, int k);
void bn_lists_free(bn_lists *l);

#endif
