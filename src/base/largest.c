/* largest.c -- keeps the few entries of largest absolute value.
 *
 * SPDX-License-Identifier: MIT */
#include "largest.h"

#include <math.h>

static bool is_stronger(bn_largest a, bn_largest b)
{
    const double x = fabs(a.value), y = fabs(b.value);
    return x != y ? x > y : a.number < b.number;
}

void bn_largest_add(bn_largest *top, int64_t *count, int64_t room, bn_largest one)
{
    int64_t at = *count;
    if (at == room && !is_stronger(one, top[at - 1]))
        return;
    at -= at == room;
    for (; at > 0 && is_stronger(one, top[at - 1]); at--)
        top[at] = top[at - 1];
    top[at] = one;
    *count += *count < room;
}
