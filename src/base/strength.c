/* strength.c -- the strongest of many.
 *
 * SPDX-License-Identifier: MIT */
#include "strength.h"

#include <math.h>

static bool is_stronger(bn_strength a, bn_strength b)
{
    const double x = fabs(a.value), y = fabs(b.value);
    return x != y ? x > y : a.number < b.number;
}

void bn_keep_strongest(bn_strength *top, int64_t *count, int64_t room, bn_strength one)
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
