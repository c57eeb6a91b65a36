/* fullgcn.h -- gradients of a GCN of two layers by some training nodes of the full graph.
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

/* Makes room for these nodes and for batches of at most `batch` of them.  Free it even on
 * failure. */
bonsai_status bn_fullgcn_new(bn_fullgcn *g, const bn_problem *s, const int32_t *node, int64_t count,
                             int64_t batch, int64_t hidden);
void bn_fullgcn_free(bn_fullgcn *g);
/* Computes grad = the gradient by theta (laid out as in bn_student) of the mean loss of nodes
 * `place` (count), all of one class. */
void bn_fullgcn_grad(float *grad, bn_fullgcn *g, const float *theta, const int32_t *place,
                     int64_t count, int32_t kind);

#endif
