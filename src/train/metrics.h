/* metrics.h -- measures of how well predictions fit labels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_METRICS_H
#define BN_METRICS_H

#include "nn/nn.h"
#include "nn/tally.h"

typedef struct {                /* labelled nodes of one part */
    int64_t  count;
    int32_t *node, *label;
} bn_judged;

/* Lists the labelled nodes of g in a part. */
bonsai_status bn_judged_list(bn_judged *j, const bonsai_graph *g, bonsai_part part);
void bn_judged_free(bn_judged *j);

/* Counts the nodes of j, whose classes are those of the highest scores (n,c), and fills metric
 * (BONSAI_METRIC_ROOM).  Returns false if a score is not a number. */
bool bn_measure(double *metric, bn_tally *t, const bn_judged *j, const real *scores, int threads);
/* Returns the class of two that has fewer labelled nodes in g; 1 if both have as many. */
int bn_rarer(const bonsai_graph *g);

#endif
