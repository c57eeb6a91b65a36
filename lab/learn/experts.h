/* experts.h -- networks trained on the full graph, whose ways students follow.
 *
 *   experts.c     training, from a seed each, and the few that are kept
 *   expertrows.c  what they read: averaged rows, and who reaches a training node (onehop.h)
 *   curriculum.c        in which order training nodes come in, by the labels of their neighbours
 *
 * An expert is made again from its seed whenever it is asked for and not kept, to the same bits:
 * what is kept changes time alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EXPERTS_H
#define BN_EXPERTS_H

#include "learn.h"
#include "onehop.h"
#include "tangent.h"

typedef enum {                  /* how the share of training nodes grows with epochs */
    BN_CURRICULUM_NONE,               /* all from the start */
    BN_CURRICULUM_LINEAR, BN_CURRICULUM_ROOT, BN_CURRICULUM_GEOMETRIC
} bn_curriculum;

typedef struct {
    bn_student_form form;       /* BN_STUDENT_GCN, or BN_STUDENT_SGC2: on A^2 X and A^2 1 */
    int64_t hidden;
    bool    adam;               /* else plain descent */
    double  rate, decay;
    int64_t slow;               /* from this epoch on a tenth of the rate, Adam afresh; 0: never */
    bn_curriculum pace;
    double  share;              /* of training nodes at the start */
    int64_t grown;              /* epoch from which on all take part */
    const int64_t *wanted;      /* epochs after which parameters are kept, ascending; 0: at first */
    int64_t count;              /* of these */
    int64_t experts;
    int64_t bytes;              /* that kept experts may take; one is kept in any case */
} bn_training;

typedef struct bn_experts bn_experts;

bonsai_status bn_experts_new(bn_experts **out, const bn_problem *s, const bn_training *how);
void bn_experts_free(bn_experts *e);
int64_t bn_experts_size(const bn_experts *e);           /* numbers of a slab: W1 b1 W2 b2 */
/* *slabs = those of expert `which`, one for each of the wanted epochs, until the next call; NULL:
 * time is up. */
bonsai_status bn_expert(const float **slabs, bn_experts *e, int64_t which);
/* out (training nodes x hidden) = what the hidden layer of GCN gives. */
void bn_expert_hidden(float *out, const bn_experts *e, const float *slab);
/* The expert of round i: some of them take turns for a while, then the next ones. */
enum { BN_EXPERT_TURNS = 5 };   /* as many as usual */
int64_t bn_expert_turn(int64_t i, int64_t rounds, int64_t experts, int64_t turns);

/* ---- a round in which a student follows them ---- */

typedef struct {
    const bn_problem *s;
    int64_t i;
} bn_chase;

/* Of bn_unroll: reports the round `of` again, and stops when time is up. */
bonsai_status bn_chase_look(bool *stop, const void *of);

/* ---- what they read (expertrows.c) ---- */

typedef struct {
    int64_t  rows;              /* SGC2: the training nodes; GCN: all nodes that reach one */
    bn_input x;                 /* rows x f, averaged; sparse where that is shorter */
    bn_input to;                /* GCN: training nodes x rows, the operator */
    float   *ones;              /* SGC2: rows of the averaged ones */
    bn_onehop  reach;            /* what x and to are made of: of `to`, ... */
    bn_matrix flipped_to;
    bn_matrix short_x, flipped_x;       /* ... and of x, or ... */
    float    *dense_x;                  /* ... this */
} bn_expert_rows;

bonsai_status bn_expert_rows_make(bn_expert_rows *r, const bn_problem *s, bn_student_form form);
void bn_expert_rows_free(bn_expert_rows *r);

/* ---- pace (curriculum.c) ---- */

/* order (training nodes) = their places, those with fewer kinds of labels around them first.  Of
 * neighbours only training nodes count. */
bonsai_status bn_curriculum_order(int32_t *order, const bn_problem *s);
/* The share that takes part in epoch t = 0, 1, ... */
double bn_curriculum_share(const bn_training *how, int64_t t);

#endif
