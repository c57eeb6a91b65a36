/* strength.h -- the strongest of many: those farthest from 0, of equals the lower number first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_STRENGTH_H
#define BN_STRENGTH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t number;
    double  value;
} bn_strength;

/* Puts one among the strongest so far, of which there are *count in order, and room for `room`. */
void bn_keep_strongest(bn_strength *top, int64_t *count, int64_t room, bn_strength one);

#endif
