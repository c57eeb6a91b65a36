/* tangent.h -- derivatives that the learning methods are made of.
 *
 *   smalloperator.c  the operator of GCN on a dense adjacency, and its adjoint
 *   rop.c            gradients of a student on a small graph, and derivatives of these gradients
 *   unroll.c         descent of a student, and the derivative of where it ends
 *   distance.c       the distance of two gradients
 *   edgenet.c        a network that predicts edges; edgenet_back.c its gradients
 *   matching.c       the distance of a small graph's gradients from those of the full graph
 *   spectra.c        the distance of a small graph's spectrum from that of the full graph
 *   closededges.c    edges between rows that express each other, and their adjoint
 *   expertgap.c      the distance of a student on such rows and edges from an expert
 *
 * All matrices are row-major without gaps, of `real`: tests compile these files for double.
 * Nothing allocates; `room` is given.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TANGENT_H
#define BN_TANGENT_H

#include "nn/nn.h"

/* ---- the operator of a small dense graph (smalloperator.c) ---- */

/* Computes norm (n,n) = D^-1/2 (A + I) D^-1/2 and half (n) = D^-1/2 of a (n,n), whose entries are
 * at least 0. */
void bn_small_norm(real *norm, real *half, const real *a, int64_t n);
/* Computes da (n,n) = the gradient by a, given that by norm; room: n. */
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
    const real *norm;           /* (n,n); NULL: the identity, for rows that are averaged */
    const real *x;              /* (n,f); NULL: the identity, f = n, and there is no b1 */
    const real *ones;           /* n: what a bias is multiplied with, as N^2 1; NULL: 1 */
    const real *q;              /* (n,c), rows that sum to 1 */
    const real *w;              /* n */
    int     threads;
} bn_student;

int64_t bn_student_size(const bn_student *s);           /* numbers in the slab */
int64_t bn_student_room(const bn_student *s);           /* reals that both below work in */
/* Computes grad (slab) = the gradient; returns the loss. */
double bn_student_grad(real *grad, const bn_student *s, const real *theta, real *room);

typedef struct {                /* derivatives of <v, gradient>; NULL: not asked for */
    real  *hess;                /* slab: = that of theta, the Hessian times v */
    real  *dx, *dn;             /* (n,f), (n,n): += those of x and norm */
    real  *dq, *dones;          /* (n,c), n: += those of q (row sums stay) and ones */
    real  *grad;                /* slab: = the gradient itself */
    double loss, slope;         /* set: the loss, and <v, gradient> */
} bn_tangent;

void bn_rop(bn_tangent *out, const bn_student *s, const real *theta, const real *v, real *room);
/* Adds to dx (n,f) factor times the derivative of the loss by x; returns the loss. */
double bn_student_input(real *dx, const bn_student *s, const real *theta, real factor, real *room);

/* ---- steps of a student, theta -= rate times its gradient (unroll.c) ---- */

typedef struct {
    bn_student s;
    int64_t steps;
    int64_t every;              /* every so many steps one is kept, the others are made again: which
                                 * changes memory and time alone */
    double  rate;
    /* Called now and then, unless NULL: may fail, or set *stop.  The way ends there, and what was
     * asked for is not made. */
    bonsai_status (*look)(bool *stop, const void *of);
    const void *of;
} bn_unroll;

typedef struct {                /* derivatives; NULL: not asked for */
    real  *dx, *dn, *dq, *dones;        /* += */
    double drate;                       /* set */
} bn_unrolled;

/* Returns the least `every` whose room is at most `bytes`; if none is, the one of least room. */
int64_t bn_unroll_every(const bn_unroll *u, int64_t bytes);
int64_t bn_unroll_room(const bn_unroll *u);             /* reals */
/* Computes end (slab) = the parameters after all steps from start; room keeps the way for
 * bn_unroll_back. */
bonsai_status bn_unroll_run(real *end, const bn_unroll *u, const real *start, real *room);
/* Computes the derivatives of a value whose derivative by the end of the run in room is `dend`
 * (slab). */
bonsai_status bn_unroll_back(bn_unrolled *out, const bn_unroll *u, const real *start,
                             const real *dend, real *room);

/* Returns the distance of the end from a target, over the distance of the start from it; squared,
 * or not. dend (count) = its derivative. */
double bn_missed(real *dend, const real *end, const real *start, const real *target, int64_t count,
                 bool squared);

/* ---- distances of gradients (distance.c) ---- */

typedef enum {
    BN_FAR_COLUMNS,             /* 1 - cosine, of each column, summed */
    BN_FAR_WHOLE,               /* 1 - cosine of the whole */
    BN_FAR_SQUARES              /* squared differences, summed */
} bn_far;

typedef struct {
    bn_far  kind;
    int64_t rows, cols;
} bn_extent;

/* Returns the distance of s (rows,cols) from g; fills v with its derivative by s; v may be s. */
double bn_distance(real *v, const real *s, const real *g, const bn_extent *x);

/* ---- a network that joins any two nodes (edgenet.c) ---- */

/* Each stream: linear, batch norm over all pairs, ReLU; the same again; a number.  The first reads
 * the features of both nodes.  The second, if there is one, reads their places, and after each ReLU
 * is multiplied by the first. */
enum { BN_EDGE_STREAMS = 2 };

typedef struct {                /* where the parameters of a stream are */
    int64_t wide;               /* numbers that it reads of a node */
    int64_t w1, w2, w3;         /* (wide,2h): of the first node and of the second; (h,h); (h) */
    int64_t scale1, shift1, scale2, shift2;     /* (h): of the batch norms */
    int64_t bias;               /* 1; others would cancel in the batch norms */
} bn_edge_params;

typedef struct {                /* what a stream works with */
    const real *in;             /* (n,wide) */
    real *hat, *first, *back;   /* (n,2h): the first layer normalised, then scaled; its gradient */
    real *inv1, *inv2, *mean2;  /* (h) of the batch norms */
    real *mul, *add;            /* (h): the second one as one product and sum */
    real *sums;                 /* (blocks,3,h) */
    real *all;                  /* (n n,h): the second layer, if it is kept */
    real *tail, *square;        /* (parts,n,h), (parts,h,h) */
    real *y, *z, *e;            /* (lanes,pairs,h) */
} bn_edge_stream;

typedef struct {
    int64_t n, d, h;
    int     streams, threads;
    int64_t pairs;              /* of a block, about; results differ by rounding */
    bool    keep;               /* the second layer of all pairs, and not made again */
    /* set by bn_edgenet_lay */
    int64_t rows, blocks, parts, lanes, count;  /* count: parameters */
    bn_edge_params at[BN_EDGE_STREAMS];
    bn_edge_stream s[BN_EDGE_STREAMS];
    real   *place, *score;      /* n, (n,n) */
    real   *room;               /* of products; each: of a lane */
    int64_t each;
} bn_edgenet;

/* Assigns what is not set: call it with a slab that counts, then with one that has memory. */
void bn_edgenet_lay(bn_edgenet *e, bn_slab *slab);
void bn_edgenet_init(real *param, const bn_edgenet *e, uint64_t seed);
/* Computes a (n,n) = weights in 0 .. 1, symmetric, 0 on the diagonal, from x (n,d). */
void bn_edgenet_forward(real *a, bn_edgenet *e, const real *param, const real *x);
/* Adds to dx (n,d) and dparam, unless NULL, their gradients, given da; call bn_edgenet_forward
 * first. */
void bn_edgenet_backward(real *dx, real *dparam, bn_edgenet *e, const real *param, const real *a,
                         const real *da);

/* ---- matching of gradients (matching.c) ---- */

/* How far the gradients that a small graph gives a student, class by class, are from those of the
 * full graph; each class counts as much as it has nodes.  GCN reads the graph; other forms read
 * rows of features after two hops. */
typedef struct {
    bn_student s;               /* form, f, h, c and threads; and n: nodes of the small graph */
    const int32_t *kind;        /* n: their classes, ascending */
    const int64_t *want;        /* c: how many of each */
    bn_edgenet *net;            /* NULL: no two nodes are joined */
    bn_far  far;                /* by columns: of each matrix of weights; else of all parameters */
    double  smooth;             /* times what the operator carries between classes is added */
    const real *x, *theta, *param;      /* (n,f); of the student, of the net */
    /* set by bn_matching_lay */
    int64_t size;               /* of theta */
    real   *full;               /* (c,size): the full graph's gradients, for the caller to fill */
    real   *a, *norm;           /* (n,n) */
    real   *hops;               /* (n,f): two hops of x */
    real   *q;                  /* (n,c): 1 at the class */
    real   *half, *x1, *w, *v, *dh, *dx1, *dnorm, *da, *room;
} bn_matching;

void bn_matching_lay(bn_matching *m, bn_slab *slab);
void bn_matching_forward(bn_matching *m);       /* a, norm, hops, of x and param */
/* Returns the distance after bn_matching_forward; adds its gradients to dx and dparam, unless
 * NULL. */
double bn_matching_backward(real *dx, real *dparam, bn_matching *m);
/* Computes grad (size) = the student's gradient of the mean loss of all nodes. */
void bn_matching_train(real *grad, bn_matching *m);

/* ---- spectra (spectra.c) ---- */

/* u (n,k): eigenvectors of the small graph as columns; x (n,f): its features.  What is minimised is
 * alpha times the mean over k, f and f of the squared entries of p p' - q q', p a row of U'X of
 * length 1, + beta times the mean squared entry of R M' - I, M the mean rows of the classes of
 * U K U'X, each of length 1, + gamma times the mean squared entry of U'U - I.  Classes without a
 * row in R or a node do not take part. */
typedef struct {
    int64_t n, k, f, c;
    const real    *q;           /* (k,f): rows of the full graph's U'X, of length 1 */
    const real    *r;           /* (c,f): M of the full graph; a row of zeros: no such class */
    const real    *kept;        /* k: K, 1 - the eigenvalues */
    const int32_t *kind;        /* n: classes */
    const real    *share;       /* n: 1 / nodes of the class */
    double alpha, beta, gamma;
    int    threads;
} bn_spectra;

int64_t bn_spectra_room(const bn_spectra *s);   /* reals */
/* Returns the loss; fills du (n,k) and dx (n,f) with its gradients unless NULL. */
double bn_spectra_loss(real *du, real *dx, const bn_spectra *s, const real *u, const real *x,
                       real *room);

/* ---- edges between rows that express each other (closededges.c) ---- */

typedef struct {
    int64_t n, f;
    const real *x;              /* (n,f) */
    const real *p, *q;          /* (n,n): what edges should be like */
    double  alpha, beta;        /* how much */
    int     threads;
} bn_closededges;

int64_t bn_closededges_room(const bn_closededges *e);           /* doubles */
/* Computes a (n,n), symmetric, at least 0, with a diagonal; room keeps the run for the adjoint. */
void bn_closededges_run(real *a, const bn_closededges *e, double *room);
/* Adds to dx (n,f) the gradient by x, given that by a, of the run in room.  Call it once a run. */
void bn_closededges_back(real *dx, const bn_closededges *e, const real *da, double *room);

/* ---- a student on rows and their own edges (expertgap.c) ---- */

typedef struct {
    bn_closededges e;
    bn_unroll  u;               /* steps, every, rate, look; of the student h, c, q and w */
    real   *room;               /* bn_gap_room(w) */
    double *wide;               /* bn_closededges_room(&w->e) */
} bn_gap;

int64_t bn_gap_every(const bn_gap *w, int64_t bytes);     /* as bn_unroll_every */
int64_t bn_gap_room(const bn_gap *w);             /* reals */
/* Computes *loss = the squared distance from target at which a student of SGC2 that begins at start
 * ends, over that of the start. a (n,n) = the edges; dx (n,f) = the gradient by x. */
bonsai_status bn_gap_run(double *loss, real *dx, real *a, const bn_gap *w, const real *start,
                         const real *target);

#endif
