/* merit.h -- what the probe compares small graphs by; see merit.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MERIT_H
#define BN_MERIT_H

#include "trees/job.h"

typedef struct {
    bonsai_aim aim;             /* asked for, or chosen for these labels; never AUTO */
    double  share[BONSAI_METRIC_COUNT];     /* of each metric in the score; they sum to 1 */
    bool    orders;             /* scores are needed, not only the classes that they name */
    int64_t classes;
    int     positive;           /* two classes: the one with fewer judged nodes */
    double  idle;               /* the score of always naming the largest class; -1: not known */
    int64_t independent;        /* judged nodes that accuracy would need for as small an error */
} bn_merit;

/* Chooses the metric by the options and by the labels of the training nodes and of the judged
 * ones.  Fails if the metric is not defined for them.  The same on every rank. */
bonsai_status bn_merit_of(bn_merit *m, const bn_job *job);

typedef struct {                /* what one fit says of the judged nodes */
    const int32_t *label;
    int64_t rows;
    const int32_t *guess;       /* rows */
    const float *score;         /* where the merit orders: row r, class k at r * stride + k */
    int64_t stride;
} bn_verdict;

/* Fills the score in percent. */
bonsai_status bn_merit_score(double *percent, const bn_merit *m, const bn_verdict *v);

#endif
