/* axes.h -- an orthonormal projection of rows to few dimensions, in which most of what tells them
 * apart is kept.
 *
 * With P the projection and r what it leaves of a row,
 *
 *   |Pa - Pb|^2 + (|ra| - |rb|)^2  <=  |a - b|^2,
 *
 * so distances there are lower bounds of distances between the whole rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_AXES_H
#define BN_AXES_H

#include "sharded.h"

typedef struct {
    int64_t f;
    int     dims;               /* a multiple of BN_NARROW */
    float  *basis;              /* f x dims: columns of length 1, at right angles up to rounding;
                                 * the last may be 0 */
} bn_axes;

/* The directions in which the rows of all ranks reach farthest, nearly, from a sample of them: the
 * same on every rank and processor. */
bonsai_status bn_axes_find(bn_axes *out, const bn_sharded *x, int dims);
void bn_axes_free(bn_axes *a);
/* The rank's own rows in those directions, dense; each is summed in the order of its entries. */
bonsai_status bn_axes_project(bn_embedding *out, const bn_axes *a, const bn_embedding *e,
                              const bn_place *at);

#endif
