/* tangent.h -- derivatives that learned small graphs are made of.
 *
 *   smalloperator.c  the operator of GCN on a dense adjacency, and its adjoint
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

#endif
