/* eigen.h -- eigenpairs: of small symmetric matrices, and the ends of a graph's spectrum.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EIGEN_H
#define BN_EIGEN_H

#include "nn/nn.h"

/* Computes all eigenpairs of a symmetric a (n,n): value (n) ascends, and row i of a becomes the
 * vector of value[i]. Call between bn_blas_begin and bn_blas_end. */
bonsai_status bn_eigen_small(double *value, double *a, int64_t n);

typedef struct {                /* what is asked for */
    const bn_side *a;           /* the operator of GCN on n nodes (BN_NORM_BOTH) */
    int64_t  n, low, high;      /* pairs of I - A: the lowest and the highest; low + high <= n */
    uint64_t seed;
    int      threads;
    double   until;             /* bn_seconds() when time is up: what is there by then is taken */
    bn_progress progress;
} bn_ends;

/* Computes the pairs at both ends of a spectrum: lambda (low + high) ascends; u (n, low + high) has
 * the vectors as columns of length 1 whose entry of largest magnitude is positive.  Call between
 * bn_blas_begin and bn_blas_end. */
bonsai_status bn_eigen_ends(float *lambda, float *u, const bn_ends *e);

#endif
