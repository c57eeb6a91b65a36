/* largest.h -- keeps the few entries of largest absolute value; among equals the lower number wins.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LARGEST_H
#define BN_LARGEST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t number;
    double  value;
} bn_largest;

/* Adds an entry to the *count largest so far, which are in order and have room for `room`. */
void bn_largest_add(bn_largest *top, int64_t *count, int64_t room, bn_largest one);

#endif
