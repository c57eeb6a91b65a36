/* exp.c -- e^x with the same bits on every processor: a C library has several, by instruction set.
 *
 * x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its series, whose 14th term is below 2^-57; then
 * times 2^k.  The error is below one unit in the last place.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tensor.h"

double bn_exp(double x)
{
    static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    static const double series[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800,
                                    1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                    1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1};
    if (!(x > -746))
        return x <= -746 ? 0 : x;
    if (x > 710)
        return INFINITY;
    double k = rint(x * 0x1.71547652b82fep+0), r = (x - k * ln2_high) - k * ln2_low, sum = 0;
    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        sum = sum * r + series[i];
    if (k < -1021 || k > 1023)
        return ldexp(sum, (int)k);
    const uint64_t bits = (uint64_t)((int64_t)k + 1023) << 52;      /* 2^k */
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}
