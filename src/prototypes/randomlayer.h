/* randomlayer.h -- a hidden layer of random weights; see randomlayer.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RANDOMLAYER_H
#define BN_RANDOMLAYER_H

#include "embed/embed.h"

enum { BN_RANDOM_COLUMNS = 1024 };         /* columns of the layer */

typedef struct {
    int64_t f, side;            /* columns of rows; of what they are mixed in: a power of two */
    float   unit;               /* a row is divided by it */
    float  *sign;               /* f+1 and the rest of a whole number of sides: +1 or -1, ... */
    float  *turn;               /* ... and two sides of them for each mixing */
    float  *mean;               /* a side for each mixing: the mean row, in the unit */
} bn_random_layer;

/* Makes a layer for rows like these, whose mean and spread it is given. */
bonsai_status bn_random_layer_new(bn_random_layer *h, const bn_embedding *rows);
void bn_random_layer_free(bn_random_layer *h);
/* Fills out (dense, BN_RANDOM_COLUMNS columns) with the layer's output for each row of x: the
 * bits of a row depend neither on the other rows nor on whether x is dense. */
bonsai_status bn_random_layer_rows(bn_embedding *out, const bn_random_layer *h,
                                   const bn_embedding *x, int threads);

#endif
