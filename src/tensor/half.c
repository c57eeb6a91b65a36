/* half.c -- IEEE 754 binary16 conversion in plain C, for any instruction set.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tensor.h"

float bn_half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, fraction = h & 1023;
    uint32_t bits;
    float v;
    if (exponent == 31)
        bits = sign | 0x7f800000 | fraction << 13;
    else if (exponent)
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    else {
        v = (float)fraction * 0x1p-24f;         /* subnormal: exact */
        memcpy(&bits, &v, sizeof bits);
        bits |= sign;
    }
    memcpy(&v, &bits, sizeof v);
    return v;
}

uint16_t bn_half_from_float(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)
        return sign | 0x7e00;                   /* not a number */
    if (bits >= 0x477ff000)
        return sign | 0x7c00;                   /* rounds to infinity */
    if (bits < 0x38800000) {                    /* subnormal half: let the FPU round it */
        float magic = 0.5f, sum;
        memcpy(&sum, &bits, sizeof sum);
        sum += magic;
        uint32_t rounded;
        memcpy(&rounded, &sum, sizeof rounded);
        return sign | (uint16_t)(rounded - 0x3f000000);
    }
    bits += 0xc8000fff + (bits >> 13 & 1);      /* re-bias, round half to even */
    return sign | (uint16_t)(bits >> 13);
}
