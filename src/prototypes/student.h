/* student.h -- a small network that learns from the rows of a small graph; see student.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_STUDENT_H
#define BN_STUDENT_H

#include "finals.h"
#include "nn/nn.h"

typedef struct {                /* rows of a view, and their transpose */
    bn_embedding e;
    bn_matrix    flipped;       /* of sparse rows */
    bn_input     x;
} bn_student_rows;

typedef struct {
    bool        sage;           /* GraphSAGE; else GCN */
    int64_t     p, h, c;        /* labelled rows; hidden units; classes */
    int64_t     features, q;    /* of the full graph; columns that have weights, ... */
    const int32_t *column;      /* ... these; NULL: all */
    bn_student_rows view[BN_VIEWS];
    real       *directions;     /* of a basis: (r,q), as the input `basis`; NULL: no basis */
    bn_input    basis;
    uint8_t    *alone;          /* p: 1: the node has no neighbours */
    bn_targets  targets;
    bn_learned  learned;        /* w and w2 (q,h), b (h), v and v2 (h,c), d (c), in this order */
    real       *slab, *room;
    real       *hidden[2];      /* of neighbours, of the node itself */
    real       *slope, *score, *mixed;
} bn_student;

bonsai_status bn_student_new(bn_student *s, const bn_entrant *e, bool sage, int layers);
void bn_student_free(bn_student *s);
/* Takes one step of Adam, epoch = 1, 2, ...; returns false if the loss is not finite. */
bool bn_student_step(bn_student *s, int epoch);

typedef struct {                /* the buffers of bn_student_answer */
    bn_scorer one, two;         /* the weights of what the first layer reads */
    float *hidden[2], *other, *score;
} bn_answer_room;

bonsai_status bn_answer_room_new(bn_answer_room *x, const bn_student *s);
void bn_answer_room_free(bn_answer_room *x);
/* Fills guess with the network's classes of the first `count` rows, and score (count, classes)
 * unless it is NULL. */
void bn_student_answer(int32_t *guess, float *score, const bn_student *s, bn_answer_room *x,
                       const bn_views *rows, int64_t count);

#endif
