/* fullgcn.h -- gradients that some training nodes of the full graph give a GCN of two layers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FULLGCN_H
#define BN_FULLGCN_H

#include "onehop.h"

typedef struct {
    int64_t  f, h, c;
    int      threads;
    bn_onehop reach;             /* the operator's rows of the nodes, and what they reach */
    float   *rows;              /* reached x f: features after one hop */
    /* of a batch: those that it reaches, and where each is among them (-1: it is not) */
    int32_t *list, *at;
    float   *x, *hidden, *back; /* (list,f), (list,h): after ReLU; its gradient */
    float   *mean, *other, *p;  /* (batch,h): a hop of hidden; its gradient; (batch,c) */
    float   *room;
} bn_fullgcn;

/* For these nodes, and batches of at most `batch` of them.  In any case to be freed. */
bonsai_status bn_fullgcn_new(bn_fullgcn *g, const bn_problem *s, const int32_t *node, int64_t count,
                             int64_t batch, int64_t hidden);
void bn_fullgcn_free(bn_fullgcn *g);
/* grad = the gradient of theta, as in bn_student, of the mean loss of nodes `place` (count), all of
 * one class. */
void bn_fullgcn_grad(float *grad, bn_fullgcn *g, const float *theta, const int32_t *place,
                     int64_t count, int32_t kind);

#endif
