/* krr.h -- a kernel regression whose rows and targets are learned, and its adjoint.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_KRR_H
#define BN_KRR_H

#include "sntk.h"

typedef struct {
    bn_sntk kernel;
    double  ridge;              /* times the mean of the kernel's diagonal */
    int64_t n, f, c;            /* learned rows, their features, classes */
    int64_t most;               /* rows of a batch at most */
    int     threads;
} bn_krr_how;

typedef struct {
    bn_krr_how how;
    double *x, *y;              /* n x f rows, n x c targets: to be set */
    double *dx, *dy;            /* their gradients */
    double  loss;
    double *norm;               /* of the rows */
    double *weight;             /* n x c: what the kernel is multiplied by */
    double *factor;             /* of the system */
    bn_sntk_tape own, with;     /* the rows with each other, a batch with them */
    double *dkernel;            /* of either */
    double *score;              /* most x c */
} bn_krr;

bonsai_status bn_krr_new(bn_krr *k, const bn_krr_how *how);     /* in any case to be freed */
void bn_krr_free(bn_krr *k);

/* Fits the weights to x and y; sets the loss and the gradients to 0. */
void bn_krr_fit(bn_krr *k);
/* Fills k->score (rows x c) by the fitted weights. */
void bn_krr_score(bn_krr *k, const bn_sntk_rows *rows);
/* Adds a batch: the mean squared distance of softmax(score) to its labels. share: the weight of one
 * number in the mean of all batches. */
void bn_krr_learn(bn_krr *k, const bn_sntk_rows *rows, const int32_t *label, double share);
/* Finishes the gradients after all batches. */
void bn_krr_finish(bn_krr *k);

#endif
