/* experts.h -- networks trained on the full graph whose trajectories students follow.
 *
 *   experts.c     trains experts, each from its own seed, and caches some
 *   expertrows.c  the averaged rows that experts read (onehop.h)
 *   curriculum.c  the order in which training nodes take part, by the labels around them
 *
 * An expert that is not cached is trained again from its seed, to the same bits: the cache changes
 * only the time.
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
/* Sets *slabs to those of expert `which`, one for each of the wanted epochs, valid until the next
 * call; NULL if time is up. */
bonsai_status bn_expert(const float **slabs, bn_experts *e, int64_t which);
/* Fills out (training nodes x hidden) with the hidden layer's output of GCN. */
void bn_expert_hidden(float *out, const bn_experts *e, const float *slab);
/* Returns the expert of round i: BN_EXPERT_TURNS experts take turns for some rounds, then the next
 * ones. */
enum { BN_EXPERT_TURNS = 5 };   /* as many as usual */
int64_t bn_expert_turn(int64_t i, int64_t rounds, int64_t experts, int64_t turns);

/* ---- a round in which a student follows them ---- */

typedef struct {
    const bn_problem *s;
    int64_t i;
} bn_chase;

/* Reports the round of `of` again and sets *stop if time is up; a callback of bn_unroll. */
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

/* Fills order (training nodes) with their places, those with fewer kinds of labels around them
 * first.  Only neighbours that are training nodes count. */
bonsai_status bn_curriculum_order(int32_t *order, const bn_problem *s);
/* Returns the share of training nodes that takes part in epoch t = 0, 1, ... */
double bn_curriculum_share(const bn_training *how, int64_t t);

#endif
