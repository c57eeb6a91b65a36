/* tally.h -- predictions counted against labels, and the metrics of these counts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TALLY_H
#define BN_TALLY_H

#include "base/base.h"

typedef struct {                /* counts of one judgement after the other */
    int64_t   classes;
    int64_t   nodes;            /* of this judgement */
    int64_t  *labels, *guesses, *right;    /* by class: nodes that have it, that get it, and both */
    int32_t  *guess;            /* by judged node */
    uint64_t *item[2];          /* bn_rank_key of each judged node, and room to sort; NULL: nodes
                                 * are not ordered */
    bool      ranked;           /* two classes: item[0] is filled with the margins of class 1 */
    bool      each;             /* more than two classes: average precision is needed */
    double   *level;            /* with each, by judged node: turns scores into probabilities */
    int       positive;         /* two classes: the class of precision, 0 or 1 */
    bool      finds;            /* finds and keeps the threshold that is best for F1; else the
                                 * kept one is used */
    uint64_t  cut;              /* that threshold as a margin of bn_rank_key; UINT64_MAX: none */
} bn_tally;

/* Makes room for judgements of at most `nodes` nodes. */
bonsai_status bn_tally_new(bn_tally *t, int64_t classes, int64_t nodes, bool each);
void bn_tally_free(bn_tally *t);
/* Returns a number in the order of the scores, times two, plus the flag; the zeros are equal. */
uint64_t bn_rank_key(float score, bool flag);
/* Counts nodes whose predicted classes are in guess, and fills metric (BONSAI_METRIC_ROOM):
 * undefined metrics become -1, and so does the average precision of more than two classes. */
void bn_tally_count(double *metric, bn_tally *t, const int32_t *label, int64_t nodes);
/* Returns AUC, AP or F1MAX of n nodes whose items are item[0] and have the flag if they are
 * positive; sorts them.  -1: all have the flag, or none has. */
double bn_tally_order(bonsai_metric m, uint64_t *const item[2], int64_t n);
/* Returns the percent of the nodes of class k that were found; -1: no such nodes. */
double bn_recall(const bn_tally *t, int64_t k);
/* Returns the metric of always naming the largest class, or, of AUC, AP and F1MAX, of scoring all
 * nodes alike; labels: nodes by class.  -1: no nodes. */
double bn_idle(bonsai_metric m, const int64_t *labels, int64_t classes, int positive);

#endif
