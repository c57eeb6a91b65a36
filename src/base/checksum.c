/* checksum.c -- CRC-32 (IEEE 802.3, as in zip and PNG), over blocks in parallel.
 *
 * A checksum is the remainder of a division by a polynomial, and multiplying 64 bytes by remainders
 * of powers of x moves them 512 places on.  A processor that multiplies polynomials folds long data
 * into its last 64 bytes in this way, several times as fast as zlib, which then sums those.
 *
 * SPDX-License-Identifier: MIT */
#include <zlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "world.h"

enum { BLOCK = 1 << 22 };       /* bytes; fixed, though the CRC does not depend on it */

#ifdef __x86_64__
static bool can_fold(void)
{
    return __builtin_cpu_supports("pclmul");
}

/* Returns the checksum of len bytes, a positive multiple of 64. */
__attribute__((target("pclmul")))
static uint32_t fold(uint32_t crc, const uint8_t *data, int64_t len)
{
    enum { LANES = 4, BYTES = 16 };
    /* The remainders of x^544 and x^480, bits in reverse order: one for each half of a lane. */
    const __m128i by = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    __m128i lane[LANES];
    for (int i = 0; i < LANES; i++)
        lane[i] = _mm_loadu_si128((const __m128i *)(const void *)(data + i * BYTES));
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)~crc));
    for (int64_t at = LANES * BYTES; at < len; at += LANES * BYTES)
        for (int i = 0; i < LANES; i++) {
            const void *next = data + at + i * BYTES;
            __m128i low = _mm_clmulepi64_si128(lane[i], by, 0x00);
            __m128i high = _mm_clmulepi64_si128(lane[i], by, 0x11);
            lane[i] = _mm_xor_si128(_mm_xor_si128(low, high),
                                    _mm_loadu_si128((const __m128i *)next));
        }
    return (uint32_t)crc32_z(UINT32_MAX, (const void *)lane, sizeof lane);
}
#else
static bool can_fold(void)
{
    return false;
}

static uint32_t fold(uint32_t crc, const uint8_t *data, int64_t len)
{
    return (uint32_t)crc32_z(crc, data, (size_t)len);
}
#endif

uint32_t bn_crc32(uint32_t crc, const void *data, int64_t len)
{
    enum { WORTH = 256 };       /* bytes: fewer are summed faster than folded */
    const uint8_t *bytes = data;
    int64_t folded = len >= WORTH && can_fold() ? len - len % 64 : 0;
    if (folded > 0)
        crc = fold(crc, bytes, folded);
    return folded < len ? (uint32_t)crc32_z(crc, bytes + folded, (size_t)(len - folded)) : crc;
}

uint32_t bn_crc32_append(uint32_t crc, uint32_t piece, int64_t len)
{
    return (uint32_t)crc32_combine(crc, piece, (z_off_t)len);
}

uint32_t bn_crc32_parallel(const void *data, int64_t len, int threads)
{
    const uint8_t *bytes = data;
    uint32_t crc = 0;
    enum { BATCH = 64 };
    for (int64_t at = 0; at < len; at += (int64_t)BATCH * BLOCK) {
        int64_t left = len - at;
        int blocks = left >= (int64_t)BATCH * BLOCK ? BATCH : (int)((left + BLOCK - 1) / BLOCK);
        uint32_t part[BATCH];
        const int lanes = bn_lanes(threads, blocks);
#pragma omp parallel for num_threads(bn_team(lanes, (double)left)) schedule(static)
        for (int b = 0; b < blocks; b++) {
            int64_t first = at + (int64_t)b * BLOCK;
            part[b] = bn_crc32(0, bytes + first, len - first < BLOCK ? len - first : BLOCK);
        }
        for (int b = 0; b < blocks; b++) {
            int64_t first = at + (int64_t)b * BLOCK;
            crc = bn_crc32_append(crc, part[b], len - first < BLOCK ? len - first : BLOCK);
        }
    }
    return crc;
}

/* Combines the ranks' checksums, which are linear: that of the whole is the exclusive or of those
 * of its parts, each shifted by the bytes that follow.  Summing each bit over the ranks yields it
 * in the lowest bits. */
bonsai_status bn_crc32_ranks(bn_world *w, uint32_t *crc, int64_t after)
{
    int64_t bit[32];
    uint32_t moved = bn_crc32_append(*crc, 0, after);
    for (int i = 0; i < 32; i++)
        bit[i] = moved >> i & 1;
    bonsai_status rc = bn_sum_int(w, bit, 32);
    *crc = 0;
    for (int i = 0; i < 32; i++)
        *crc |= (uint32_t)(bit[i] & 1) << i;
    return rc;
}
