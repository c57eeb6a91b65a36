/* checksum.c -- CRC-32 (IEEE 802.3, as in zip and PNG), over blocks in parallel.
 *
 * SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "world.h"

enum { BLOCK = 1 << 22 };       /* bytes; fixed, though the CRC does not depend on it */

uint32_t bn_crc32(uint32_t crc, const void *data, int64_t len)
{
    return (uint32_t)crc32_z(crc, data, (size_t)len);
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
#pragma omp parallel for num_threads(bn_team(threads, 4.0 * BLOCK * blocks)) schedule(static)
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

/* A checksum is linear: the whole's is the exclusive or of its parts', each shifted by the bytes
 * that follow it.  Summing each bit over the ranks gives it in the sums' lowest bits. */
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
