/* scale.c -- encodes feature rows in eight or four bits: value = scale * q, or scale * q * |q|.
 *
 * Squares q * |q| keep some size for features that are many times smaller than the largest of their
 * row.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph/graph.h"

enum { PIECE = 64, BUFFER = 1 << 14 };  /* values examined together; bytes passed on at a time */

/* Returns whether every value is exactly scale times a non-zero integer in low..high. */
static bool is_multiple(const float *value, int64_t count, float scale, int low, int high)
{
    for (int64_t i = 0; i < count; i++) {
        float q = rintf(value[i] / scale);
        if (!(q >= (float)low && q <= (float)high) || scale * q != value[i] || q == 0.0f)
            return false;
    }
    return true;
}

/* Returns whether every value is nearly scale times an integer, so that a scale a few bits away may
 * be exact. */
static bool is_nearly_multiple(const float *value, int64_t count, float scale)
{
    for (int64_t i = 0; i < count; i++) {
        float q = value[i] / scale;
        if (!(fabsf(q - rintf(q)) < 1e-3f))
            return false;
    }
    return true;
}

/* Tries the floats around scale: if scale * q rounds to a value, then value / q is at most two
 * floats away from scale. */
static float exact_near(const float *value, int64_t count, float scale, int low, int high)
{
    if (!is_nearly_multiple(value, count, scale))
        return 0.0f;
    float up = nextafterf(scale, INFINITY), down = nextafterf(scale, 0.0f);
    const float near[5] = {scale, up, down, nextafterf(up, INFINITY), nextafterf(down, 0.0f)};
    for (int i = 0; i < 5; i++)
        if (near[i] > 0.0f && is_multiple(value, count, near[i], low, high))
            return near[i];
    return 0.0f;
}

/* Extends the range of absolute values by these, and returns whether one is negative.  Without
 * their signs floats are in the order of their bits, which wide registers compare. */
static bool widen_range(float *least, float *largest, const float *value, int64_t count)
{
    int32_t low, high, any = 0;
    memcpy(&low, least, sizeof low);
    memcpy(&high, largest, sizeof high);
#pragma omp simd reduction(|:any) reduction(min:low) reduction(max:high)
    for (int64_t i = 0; i < count; i++) {
        int32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        any |= bits;
        bits &= INT32_MAX;
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
    }
    memcpy(least, &low, sizeof low);
    memcpy(largest, &high, sizeof high);
    return any < 0;
}

/* Returns how many scales are to be tried, and the smallest value: it is scale times one of
 * 1..high, and the largest at most scale times high, so there are few. */
static int count_scales(float *least, const float *value, int64_t count, int low, int high)
{
    float largest = 0.0f;
    int scales = high;
    *least = INFINITY;
    for (int64_t i = 0; i < count && scales > 0; i += PIECE) {
        bool negative = widen_range(least, &largest, value + i, bn_least(PIECE, count - i));
        if (*least == 0.0f || (low == 0 && negative) || !isfinite(largest))
            return 0;                           /* a minus zero is not a multiple */
        scales = (int)((float)(high + 1) * (*least / largest) + 0.5f);
    }
    return scales;
}

/* Returns a positive lossless scale, or 0.  hint: the scale that the row was stored with, or 0. */
float bn_scale_exact(const float *value, int64_t count, int low, int high, float hint)
{
    if (count == 0)
        return 1.0f;
    /* A negative scale would turn each zero of a dense row into a minus zero. */
    if (hint > 0.0f && is_multiple(value, count, hint, low, high))
        return hint;
    if (is_multiple(value, count, 1.0f, low, high))
        return 1.0f;
    float least;
    int scales = count_scales(&least, value, count, low, high);
    for (int divisor = 1; divisor <= scales; divisor++) {
        float scale = exact_near(value, count, least / (float)divisor, low, high);
        if (scale != 0.0f)
            return scale;
    }
    return 0.0f;
}

int bn_largest_square(const float *value, int64_t count, float scale)
{
    float last = 0.0f, largest = 0.0f;
    for (int64_t i = 0; i < count; i++) {
        if (value[i] == last)
            continue;                           /* many rows have one value only */
        last = value[i];
        float q = fabsf(rintf(last / scale)), root = rintf(sqrtf(q));
        if (root * root != q)
            return -1;
        largest = fmaxf(largest, q);
    }
    return (int)largest;
}

/* Returns the largest number of a type. */
static int largest_of(bonsai_type t)
{
    return t == BONSAI_TYPE_U8 ? 255 : t == BONSAI_TYPE_I8 ? 127 : t == BONSAI_TYPE_Q4 ? 225 : 49;
}

/* Returns the lossless scale for 8-bit numbers, or 0 if the type loses something. */
static float lossless_scale(const float *value, int64_t count, bonsai_type t, float hint)
{
    bool positive = t == BONSAI_TYPE_U8 || t == BONSAI_TYPE_Q4;
    float scale = bn_scale_exact(value, count, positive ? 0 : -128, positive ? 255 : 127, hint);
    if (scale == 0.0f || !bn_four_bits(t))
        return scale;
    int square = bn_largest_square(value, count, scale);
    return square >= 0 && square <= largest_of(t) ? scale : 0.0f;
}

/* Returns a lossless scale, else the largest value divided by the largest number. */
float bn_scale_pick(const float *value, int64_t count, bonsai_type t, float hint)
{
    const float high = (float)largest_of(t);
    float scale = lossless_scale(value, count, t, hint), largest = 0.0f;
    if (scale != 0.0f)
        return scale;
    for (int64_t i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(value[i]));
    scale = largest / high;
    if (isinf(scale * high))
        scale = nextafterf(scale, 0.0f);
    return scale > 0.0f ? scale : 1.0f;
}

/* Returns the code of the nearest square; c and c + 1 meet at c c + c + 1/2. */
static uint8_t nearest_square(float q, bonsai_type t)
{
    float root = rintf(sqrtf(fmaxf(0.0f, fabsf(q) - 0.25f)));
    if (t == BONSAI_TYPE_Q4)
        return signbit(q) ? 0 : (uint8_t)fminf(15.0f, root);
    return (uint8_t)(int8_t)copysignf(fminf(7.0f, root), q) & 15;
}

uint8_t bn_quantise(float v, float scale, bonsai_type t)
{
    if (bn_four_bits(t))
        return nearest_square(v / scale, t);
    float q = rintf(v / scale);
    if (t == BONSAI_TYPE_I8)
        return (uint8_t)(int8_t)fmaxf(-128.0f, fminf(127.0f, q));
    return (uint8_t)fmaxf(0.0f, fminf(255.0f, q));
}

/* ---- two codes of four bits in a byte, the first in the low half ---- */

bonsai_status bn_halves_put(const void *codes, int64_t count, void *halves)
{
    bonsai_status rc = BONSAI_OK;
    bn_halves *h = halves;
    const uint8_t *code = codes;
    uint8_t buffer[BUFFER];
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++) {
        if (h->low < 0) {
            h->low = code[i];
            continue;
        }
        buffer[used++] = (uint8_t)(h->low | code[i] << 4);
        h->low = -1;
        if (used == BUFFER) {
            BN_TRY(h->sink(buffer, used, h->payload));
            used = 0;
        }
    }
    if (used > 0)
        BN_TRY(h->sink(buffer, used, h->payload));
done:
    return rc;
}

bonsai_status bn_halves_end(bn_halves *h)
{
    const uint8_t last = (uint8_t)h->low;
    return h->low < 0 ? BONSAI_OK : h->sink(&last, 1, h->payload);
}

int64_t bn_halves_open(uint8_t *out, const uint8_t *data, int64_t count, bonsai_type t)
{
    enum { NOTHING = 8 };       /* the code of -8, which has no positive counterpart */
    const bool is_signed = t == BONSAI_TYPE_S4;
    int64_t bad = count;
    for (int64_t i = 0; i < count; i++) {
        int code = data[i / 2] >> 4 * (i % 2) & 15;
        if (is_signed && code == NOTHING && bad == count)
            bad = i;
        if (is_signed && code > NOTHING)
            code -= 16;
        out[i] = (uint8_t)(code * (code < 0 ? -code : code));
    }
    return bad;
}
