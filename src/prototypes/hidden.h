/* hidden.h -- rows as a hidden layer of random weights sees them; see hidden.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_HIDDEN_H
#define BN_HIDDEN_H

#include "embed/embed.h"

enum { BN_HIDDEN_WIDE = 1024 };         /* columns of the layer */

typedef struct {
    int64_t f, side;            /* columns of rows; of what they are mixed in: a power of two */
    float   unit;               /* a row is divided by it */
    float  *sign;               /* f+1 and the rest of a whole number of sides: +1 or -1, ... */
    float  *turn;               /* ... and two sides of them for each mixing */
    float  *mean;               /* a side for each mixing: the mean row, in the unit */
} bn_hidden;

/* Makes a layer for rows such as these. */
bonsai_status bn_hidden_new(bn_hidden *h, const bn_embedding *rows);
void bn_hidden_free(bn_hidden *h);
/* Fills out (dense, BN_HIDDEN_WIDE columns) with what the layer makes of each row of x: the
 * bits of a row depend neither on the others nor on whether x is dense. */
bonsai_status bn_hidden_rows(bn_embedding *out, const bn_hidden *h, const bn_embedding *x,
                             int threads);

#endif
