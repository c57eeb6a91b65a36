/* distinctive.h -- the features by which a node differs from others; see distinctive.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_DISTINCTIVE_H
#define BN_DISTINCTIVE_H

#include "graph/graph.h"

/* ---- the few entries of largest absolute value ---- */

typedef struct {
    int64_t number;
    double  value;
} bn_largest;

/* Adds an entry to the *count largest so far, in order, if it is among the `room` largest. */
void bn_largest_add(bn_largest *top, int64_t *count, int64_t room, bn_largest one);

/* ---- features ---- */

typedef struct {                /* mean and spread of features */
    int64_t f;
    double *mean, *spread;      /* f: of the features of the small graph */
    double  least;              /* the least that counts as a spread */
} bn_feature_stats;

/* Measures the nodes of full or, where that is NULL, the labelled nodes of small. */
bonsai_status bn_feature_stats_make(bn_feature_stats *y, const bonsai_graph *small,
                                const bonsai_graph *full);
void bn_feature_stats_free(bn_feature_stats *y);
/* Lists the most distinctive features of a row, at most `room`, with their distance from the
 * mean in standard deviations; returns their number. */
int64_t bn_distinctive_find(bn_largest *out, int64_t room, const float *row,
                            const bn_feature_stats *y);

#endif
