/* metrics.h -- measures of how well predictions fit labels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_METRICS_H
#define BN_METRICS_H

#include "nn/nn.h"

typedef struct {                /* labelled nodes of one part */
    int64_t  count;
    int32_t *node, *label;
} bn_judged;

/* The labelled nodes of g in a part. */
bonsai_status bn_judged_list(bn_judged *j, const bonsai_graph *g, bonsai_part part);
void bn_judged_free(bn_judged *j);

typedef struct {                /* what is counted of one judgement after the other */
    int64_t   classes;
    int64_t   nodes;            /* of this judgement */
    int64_t  *labels, *guesses, *right;     /* by class: nodes that have it, get it, and both */
    int32_t  *guess;            /* by judged node */
    uint64_t *item[2];          /* two classes: (margin of class 1) << 1 | label; else NULL */
    bool      ranked;           /* item[0] is filled */
} bn_tally;

/* Room for judgements of at most so many nodes. */
bonsai_status bn_tally_new(bn_tally *t, int64_t classes, int64_t nodes);
void bn_tally_free(bn_tally *t);
/* Counts the nodes of j, whose classes are those of the highest scores (n,c), and fills metric
 * (BONSAI_METRIC_ROOM).  False: a score is no number. */
bool bn_measure(double *metric, bn_tally *t, const bn_judged *j, const real *scores, int threads);
/* The percent of the nodes of class k that were found; -1: there are none. */
double bn_recall(const bn_tally *t, int64_t k);

#endif
