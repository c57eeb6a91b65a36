/* npy.c -- reads the elements of a NumPy array into the types that a graph uses.
 *
 * Elements are read in blocks that stay in cache.  The common little-endian types are copied; all
 * others are assembled byte by byte.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"

enum { BLOCK = 4096 };

bonsai_status bn_npy_pull(bn_npy *a, void *to, int64_t len)
{
    if (a->zip)
        return bn_zip_pull(a, to, len);
    if (len > a->file.len - a->at)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "ends after %lld bytes, in the middle of its "
                          "array", (long long)a->file.len);
    if (len > 0)
        memcpy(to, a->file.data + a->at, (size_t)len);
    a->at += len;
    return BONSAI_OK;
}

bonsai_status bn_npy_open(bn_npy *a, const char *path)
{
    bonsai_status rc;
    memset(a, 0, sizeof *a);
    snprintf(a->where, sizeof a->where, "%s", path);
    BN_TRY(bn_file_open(&a->file, path));
    BN_TRY(bn_npy_header(a, a->file.len));
done:
    if (rc != BONSAI_OK)
        bn_npy_close(a);
    return rc;
}

bonsai_status bn_npy_end(bn_npy *a)
{
    if (a->done != a->count)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "has %lld elements where %lld are needed",
                          (long long)a->count, (long long)a->done);
    return a->zip ? bn_zip_end(a) : BONSAI_OK;
}

/* ---- elements ---- */

static uint64_t bits_at(const bn_npy *a, const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < a->width; i++)
        v |= (uint64_t)p[i] << 8 * (a->big ? a->width - 1 - i : i);
    return v;
}

static int64_t int_at(const bn_npy *a, const uint8_t *p)
{
    uint64_t v = bits_at(a, p);
    if (a->kind != 'i')
        return (int64_t)v;
    uint64_t sign = 1ull << (8 * a->width - 1);
    return (int64_t)((v ^ sign) - sign);
}

double bn_npy_real(const bn_npy *a, const uint8_t *p)
{
    uint64_t bits = bits_at(a, p);
    uint32_t low = (uint32_t)bits;
    double d;
    float f;
    if (a->kind != 'f')
        return a->kind == 'u' ? (double)bits : (double)int_at(a, p);
    if (a->width == 2)
        return (double)bn_half_to_float((uint16_t)bits);
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return a->width == 4 ? (double)f : d;
}

/* Returns whether an integer is exactly a float: 24 bits times a power of two. */
static bool fits_float(uint64_t v)
{
    while (v && !(v & 1))
        v >>= 1;
    return v < 1 << 24;
}

static float float_at(const bn_npy *a, const uint8_t *p, int64_t *rounded)
{
    if (a->kind == 'f') {
        double d = bn_npy_real(a, p);
        float f = (float)d;
        if ((double)f != d)
            *rounded = 1;
        return f;
    }
    int64_t v = int_at(a, p);
    bool negative = a->kind == 'i' && v < 0;
    uint64_t size = negative ? -(uint64_t)v : (uint64_t)v;
    if (!fits_float(size))
        *rounded = 1;
    return negative ? -(float)size : (float)size;
}

/* Writes the position of element k of the file as text: "5", or "[1,5]" in a matrix. */
static void place_text(char out[64], const bn_npy *a, int64_t k)
{
    if (a->dims != 2 || a->shape[0] == 0 || a->shape[1] == 0)
        snprintf(out, 64, "%lld", (long long)k);
    else if (a->fortran)
        snprintf(out, 64, "[%lld,%lld]", (long long)(k % a->shape[0]),
                 (long long)(k / a->shape[0]));
    else
        snprintf(out, 64, "[%lld,%lld]", (long long)(k / a->shape[1]),
                 (long long)(k % a->shape[1]));
}

static bonsai_status outside(const bn_npy *a, int64_t k, int64_t v, int64_t low, int64_t high)
{
    char place[64], value[32];
    place_text(place, a, k);
    snprintf(value, sizeof value, a->kind == 'u' ? "%llu" : "%lld", (long long)v);
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "entry %s is %s, outside %lld..%lld", place, value,
                      (long long)low, (long long)high);
}

static bonsai_status not_finite(const bn_npy *a, int64_t k, double v)
{
    char place[64];
    place_text(place, a, k);
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "entry %s is %g, %s", place, v,
                      isfinite(v) ? "too large for a float" : "not a finite number");
}

static bonsai_status need_kind(const bn_npy *a, const char *kinds, const char *wanted)
{
    if (strchr(kinds, a->kind))
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "elements of type \"%s\" where %s are needed",
                      a->descr, wanted);
}

static bonsai_status need_left(const bn_npy *a, int64_t count)
{
    if (count <= a->count - a->done)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_FORMAT, a->where, "has %lld elements where %lld are needed",
                      (long long)a->count, (long long)(a->done + count));
}

/* Reads and checks the next elements, at most a block of them. */
static bonsai_status int_block(int64_t out[BLOCK], bn_npy *a, int64_t count, int64_t low,
                               int64_t high)
{
    bonsai_status rc;
    uint8_t raw[BLOCK * 8];
    bool wide = a->width == 8 && !a->big;
    BN_TRY(bn_npy_pull(a, wide ? (void *)out : raw, count * a->width));
    if (!wide)
        for (int64_t i = 0; i < count; i++)
            out[i] = int_at(a, raw + i * a->width);
    if (a->kind == 'u' && a->width == 8 && low < 0)
        low = 0;                                /* huge numbers look negative here */
    bool bad = false;
    for (int64_t i = 0; i < count; i++)
        bad |= out[i] < low || out[i] > high;
    for (int64_t i = 0; bad && i < count; i++)
        if (out[i] < low || out[i] > high) {
            rc = outside(a, a->done + i, out[i], low, high);
            goto done;
        }
    a->done += count;
done:
    return rc;
}

static void store(void *out, int bytes, int64_t at, const int64_t *block, int64_t count)
{
    if (bytes == 8)
        memcpy((int64_t *)out + at, block, (size_t)count * sizeof *block);
    for (int64_t i = 0; bytes == 4 && i < count; i++)
        ((int32_t *)out)[at + i] = (int32_t)block[i];
    for (int64_t i = 0; bytes == 1 && i < count; i++)
        ((uint8_t *)out)[at + i] = (uint8_t)block[i];
}

/* Reads integers into elements of 1, 4 or 8 bytes. */
static bonsai_status read_integers(void *out, int bytes, bn_npy *a, int64_t count, int64_t low,
                                   int64_t high)
{
    bonsai_status rc;
    int64_t block[BLOCK];
    BN_TRY(need_kind(a, "biu", "integers"));
    BN_TRY(need_left(a, count));
    for (int64_t at = 0, n; at < count; at += n) {
        n = bn_least(count - at, BLOCK);
        BN_TRY(int_block(block, a, n, low, high));
        store(out, bytes, at, block, n);
    }
done:
    return rc;
}

bonsai_status bn_npy_i64(int64_t *out, bn_npy *a, int64_t count, int64_t low, int64_t high)
{
    return read_integers(out, 8, a, count, low, high);
}

bonsai_status bn_npy_i32(int32_t *out, bn_npy *a, int64_t count, int32_t low, int32_t high)
{
    return read_integers(out, 4, a, count, low, high);
}

bonsai_status bn_npy_u8(uint8_t *out, bn_npy *a, int64_t count, uint8_t high)
{
    return read_integers(out, 1, a, count, 0, high);
}

bonsai_status bn_npy_f32(float *out, bn_npy *a, int64_t count, int64_t *rounded)
{
    bonsai_status rc;
    uint8_t raw[BLOCK * 8];
    BN_TRY(need_kind(a, "biuf", "numbers"));
    BN_TRY(need_left(a, count));
    bool copied = a->kind == 'f' && a->width == 4 && !a->big;
    for (int64_t at = 0, n; at < count; at += n, a->done += n) {
        n = bn_least(count - at, BLOCK);
        BN_TRY(bn_npy_pull(a, raw, n * a->width));
        if (copied)
            memcpy(out + at, raw, (size_t)n * sizeof *out);
        for (int64_t i = 0; !copied && i < n; i++)
            out[at + i] = float_at(a, raw + i * a->width, rounded);
        bool bad = false;
        for (int64_t i = 0; i < n; i++)
            bad |= !isfinite(out[at + i]);
        for (int64_t i = 0; bad && i < n; i++)
            if (!isfinite(out[at + i])) {
                rc = not_finite(a, a->done + i, bn_npy_real(a, raw + i * a->width));
                goto done;
            }
    }
done:
    return rc;
}

bonsai_status bn_npy_f64(double *out, bn_npy *a, int64_t count)
{
    bonsai_status rc;
    uint8_t raw[8];
    BN_TRY(need_kind(a, "biuf", "numbers"));
    BN_TRY(need_left(a, count));
    for (int64_t i = 0; i < count; i++, a->done++) {
        BN_TRY(bn_npy_pull(a, raw, a->width));
        out[i] = bn_npy_real(a, raw);
        if (!isfinite(out[i]))
            return not_finite(a, a->done, out[i]);
    }
done:
    return rc;
}

bonsai_status bn_npy_f32_rows(float *out, bn_npy *a, int64_t *rounded)
{
    bonsai_status rc = BONSAI_OK;
    float block[BLOCK];
    int64_t rows = a->shape[0], cols = a->shape[1];
    if (!a->fortran)
        return bn_npy_f32(out, a, a->count, rounded);
    for (int64_t at = 0, n; at < a->count; at += n) {
        n = bn_least(a->count - at, BLOCK);
        BN_TRY(bn_npy_f32(block, a, n, rounded));
        for (int64_t i = 0; i < n; i++)
            out[(at + i) % rows * cols + (at + i) / rows] = block[i];
    }
done:
    return rc;
}

bonsai_status bn_npy_raw(void *out, bn_npy *a, int64_t count)
{
    bonsai_status rc;
    BN_TRY(need_left(a, count));
    BN_TRY(bn_npy_pull(a, out, count * a->width));
    a->done += count;
done:
    return rc;
}

bonsai_status bn_npy_skip(bn_npy *a, int64_t count)
{
    bonsai_status rc;
    uint8_t raw[BLOCK * 8];
    BN_TRY(need_left(a, count));
    if (!a->zip)
        a->at += count * a->width;      /* the header was checked: the bytes are there */
    for (int64_t left = a->zip ? count * a->width : 0, n; left > 0; left -= n) {
        n = bn_least(left, (int64_t)sizeof raw);
        BN_TRY(bn_npy_pull(a, raw, n));
    }
    a->done += count;
done:
    return rc;
}

bool bn_npy_is_f16(const bn_npy *a)
{
    return a->kind == 'f' && a->width == 2 && !a->big;
}

bonsai_status bn_npy_f16(uint16_t *out, bn_npy *a, int64_t count)
{
    enum { EXPONENT = 0x7c00 };         /* all set: infinite, or not a number */
    bonsai_status rc;
    BN_TRY(need_left(a, count));
    for (int64_t at = 0, n; at < count; at += n, a->done += n) {
        bool bad = false;
        n = bn_least(count - at, BLOCK);
        BN_TRY(bn_npy_pull(a, out + at, n * a->width));
        for (int64_t i = 0; i < n; i++)
            bad |= (out[at + i] & EXPONENT) == EXPONENT;
        for (int64_t i = 0; bad && i < n; i++)
            if ((out[at + i] & EXPONENT) == EXPONENT) {
                rc = not_finite(a, a->done + i, (double)bn_half_to_float(out[at + i]));
                goto done;
            }
    }
done:
    return rc;
}
