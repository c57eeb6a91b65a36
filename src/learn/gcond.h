/* gcond.h -- what methods that match gradients share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GCOND_H
#define BN_GCOND_H

#include "learn.h"
#include "tangent.h"

typedef struct {                /* published settings */
    bn_student_form form;
    int     outer, inner;       /* steps of the small graph in a round; of the student between */
    double  rate_x, rate_a;
    int     rounds;
    int     hidden;             /* of the network that joins nodes, and of the student */
    float   least;              /* a weight below it is no edge */
} bn_gcond_set;

extern const bn_gcond_set bn_gcond_sets[BN_LIKES];

typedef struct {                /* what differs between methods */
    const bn_gcond_set *set;
    int     streams;            /* of that network; 0: no two nodes are joined */
    double  smooth;
} bn_gcond_how;

typedef struct {
    bn_gcond_set set;
    bn_matching  m;
    bn_edgenet   net;
    bn_descent   x, edges, model;
    float   *param, *theta;     /* of the net, of the student */
    float   *slab;
    /* the full graph: rows of training nodes after two hops, by class */
    float   *rows;              /* trees x f */
    int32_t *kind, *order;      /* trees: classes; places in rows, shuffled within each class */
    float   *batch, *q, *w;     /* BN_BATCH x f, BN_BATCH x c, BN_BATCH */
    float   *room;              /* of a student on them */
    /* for methods that choose nodes: how much each changes the distance; which may move */
    double  *weight;            /* n; NULL: not asked for */
    bool    *moves;             /* n; NULL: all */
} bn_gcond_state;

enum { BN_BATCH = 256 };        /* rows of a class at most */

bonsai_status bn_gcond_begin(bn_lesson *s, const bn_gcond_how *how);
bonsai_status bn_gcond_step(bn_lesson *s, int64_t i);
bonsai_status bn_gcond_show(bn_lesson *s);
void bn_gcond_end(bn_lesson *s);
int64_t bn_gcond_turn(const bn_lesson *s);      /* rounds until edges are learned again */

#endif
