/* tangent.h -- derivatives that learned small graphs are made of.
 *
 *   smalloperator.c  the operator of GCN on a dense adjacency, and its adjoint
 *   rop.c            gradients of a student on a small graph, and derivatives of these gradients
 *   unroll.c         descent of a student, and the derivative of where it ends
 *
 * All matrices are row-major without gaps, of `real`: tests compile these files for double.  Nothing
 * allocates; `room` is given.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TANGENT_H
#define BN_TANGENT_H

#include "nn/nn.h"

/* ---- the operator of a small dense graph (smalloperator.c) ---- */

/* norm (n,n) = D^-1/2 (A + I) D^-1/2 and half (n) = D^-1/2, of a (n,n), whose entries are 0 or more. */
void bn_small_norm(real *norm, real *half, const real *a, int64_t n);
/* da (n,n) = the gradient of a, given that of norm; room: n. */
void bn_small_norm_back(real *da, const real *dnorm, const real *a, const real *half, int64_t n,
                        real *room);

/* ---- a student: a network on a small graph (rop.c) ---- */

typedef enum {                  /* scores Z; N: norm, B: a bias in every row (times `ones`) */
    BN_STUDENT_LINEAR,          /* N^hops (X W1) + B1 */
    BN_STUDENT_MLP,             /* N^hops (H W2 + B2), H = relu(X W1 + B1) */
    BN_STUDENT_SGC2,            /* the same without relu */
    BN_STUDENT_GCN              /* N H W2 + B2, H = relu(N X W1 + B1) */
} bn_student_form;

/* The loss is the sum over rows of w times the cross-entropy of q and softmax(Z).  All parameters
 * are in one slab: W1 (f,h), b1 (h), W2 (h,c), b2 (c); of the linear form W1 (f,c), b1 (c). */
typedef struct {
    bn_student_form form;
    int     hops;               /* the last layer's; GCN has one in each layer */
    int64_t n, f, h, c;         /* h is not read in the linear form */
    const real *norm;           /* (n,n); NULL: the identity, as for rows that are averaged already */
    const real *x;              /* (n,f); NULL: the identity, f = n, and there is no b1 */
    const real *ones;           /* n: what a bias is multiplied with, as N^2 1; NULL: 1 */
    const real *q;              /* (n,c), rows that sum to 1 */
    const real *w;              /* n */
    int     threads;
} bn_student;

int64_t bn_student_size(const bn_student *s);           /* numbers in the slab */
int64_t bn_student_room(const bn_student *s);           /* reals that both below work in */
/* grad (slab) = the gradient; returns the loss. */
double bn_student_grad(real *grad, const bn_student *s, const real *theta, real *room);

typedef struct {                /* derivatives of <v, gradient>; NULL: not asked for */
    real  *hess;                /* slab: = that of theta, the Hessian times v */
    real  *dx, *dn;             /* (n,f), (n,n): += those of x and norm */
    real  *dq, *dones;          /* (n,c), n: += those of q, for rows that keep their sum, and ones */
    real  *grad;                /* slab: = the gradient itself */
    double loss, slope;         /* set: the loss, and <v, gradient> */
} bn_tangent;

void bn_rop(bn_tangent *out, const bn_student *s, const real *theta, const real *v, real *room);
/* dx (n,f) += factor times the derivative of the loss by x; returns the loss. */
double bn_student_input(real *dx, const bn_student *s, const real *theta, real factor, real *room);

/* ---- steps of a student, theta -= rate times its gradient (unroll.c) ---- */

typedef struct {
    bn_student s;
    int64_t steps;
    int64_t every;              /* every so many steps one is kept, the others are made again: which
                                 * changes memory and time alone */
    double  rate;
} bn_unroll;

typedef struct {                /* derivatives; NULL: not asked for */
    real  *dx, *dn, *dq, *dones;        /* += */
    double drate;                       /* set */
} bn_unrolled;

/* The least `every` for which the room is at most so many bytes, else that of the least room. */
int64_t bn_unroll_every(const bn_unroll *u, int64_t bytes);
int64_t bn_unroll_room(const bn_unroll *u);             /* reals */
/* end (slab) = the parameters after all steps, from start; room remembers the way. */
void bn_unroll_run(real *end, const bn_unroll *u, const real *start, real *room);
/* The derivatives of what has the derivative `dend` (slab) by the end of the run in room. */
void bn_unroll_back(bn_unrolled *out, const bn_unroll *u, const real *start, const real *dend,
                    real *room);

/* How far the end is from a target, in distances of the start from it; squared, or not.  dend
 * (count) = its derivative. */
double bn_missed(real *dend, const real *end, const real *start, const real *target, int64_t count,
                 bool squared);

#endif
