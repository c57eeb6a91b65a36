/* gcond.h -- what methods that match gradients share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GCOND_H
#define BN_GCOND_H

#include "fullgcn.h"
#include "tangent.h"

typedef struct {                /* published settings */
    bn_student_form form;
    int     outer, inner;       /* steps of the small graph in a round; of the student between */
    double  rate_x, rate_a;
    int     rounds;
    int     hidden;             /* of the network that joins nodes */
    float   least;              /* a weight below it is no edge */
} bn_gcond_set;

extern const bn_gcond_set bn_gcond_sets[BN_LIKES];

typedef struct {                /* what differs between methods */
    const bn_gcond_set *set;
    int     streams;            /* of that network; 0: no two nodes are joined */
    bn_far  far;
    double  smooth;
} bn_gcond_how;

typedef struct {
    bn_gcond_set set;
    bn_matching  m;
    bn_edgenet   net;
    bn_descent   x, edges, model;
    float   *param, *theta;     /* of the net, of the student */
    float   *slab;
    /* the full graph: training nodes by class */
    int32_t *kind, *order;      /* trees: classes; places, shuffled within each class */
    bn_fullgcn gcn;             /* of a student that reads the graph; others read ... */
    float   *rows;              /* trees x f: features after two hops */
    float   *batch, *q, *w;     /* BN_BATCH x f, BN_BATCH x c, BN_BATCH */
    float   *room;              /* of a student on them */
    /* for methods that choose nodes: how much each changes the distance; which may move */
    double  *weight;            /* n; NULL: not asked for */
    bool    *moves;             /* n; NULL: all */
} bn_gcond_state;

enum { BN_BATCH = 256 };        /* nodes of a class at most */
enum { BN_STUDENT_HIDDEN = 256 };

bonsai_status bn_gcond_begin(bn_problem *s, const bn_gcond_how *how);
bonsai_status bn_gcond_step(bn_problem *s, int64_t i);
bonsai_status bn_gcond_show(bn_problem *s);
void bn_gcond_end(bn_problem *s);

#endif
