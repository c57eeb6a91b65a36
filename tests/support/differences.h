/* differences.h -- gradients beside central differences, in double.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_DIFFERENCES_H
#define BN_DIFFERENCES_H

#include <math.h>

#include "nn/real.h"
#include "testing.h"

static inline void assert_near(const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * (1 + fabs(wanted))))
        fail_msg("%s is %.12g, not %.12g", what, got, wanted);
}

/* Each of count gradients of fn by the numbers at `at`.  The step is short, so that no ReLU turns
 * in it. */
static inline void assert_gradient(const char *what, const real *got, double (*fn)(void *payload),
                                   void *payload, real *at, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const double step = 1e-6, before = at[i];
        at[i] = before + step;
        const double up = fn(payload);
        at[i] = before - step;
        const double down = fn(payload);
        at[i] = before;
        assert_near(what, got[i], (up - down) / (2 * step), 1e-7);
    }
}

#endif
