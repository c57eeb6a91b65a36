/* axes.h -- an orthonormal projection of rows to few dimensions that keeps most of their distances.
 *
 * With P the projection and r the rest of a row,
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

/* Finds the directions of nearly the largest variance in the rows of all ranks, from a sample: the
 * same on every rank and processor. */
bonsai_status bn_axes_find(bn_axes *out, const bn_sharded *x, int dims);
void bn_axes_free(bn_axes *a);
/* Projects the rank's own rows to dense rows; each is summed in the order of its entries. */
bonsai_status bn_axes_project(bn_embedding *out, const bn_axes *a, const bn_embedding *e,
                              const bn_place *at);

#endif
