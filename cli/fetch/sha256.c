/* sha256.c -- the checksum SHA-256 (FIPS 180-4).
 *
 * The constants are the leading bits of the fractional parts of square and cube
 * roots of primes, computed in integers at the first use.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sha256.h"

static uint32_t first[8], round_constant[64];

/* The fraction of the root of p, 32 bits: the largest r with r^2 <= p 2^64, or r^3 <= p 2^96, less
 * its whole part.  Needs 128 bits: r is below 2^37. */
static uint32_t root_fraction(unsigned p, int cube)
{
    uint64_t r = 0;
    for (int bit = 36; bit >= 0; bit--) {
        uint64_t next = r | (uint64_t)1 << bit;
        unsigned __int128 square = (unsigned __int128)next * next;
        if (cube ? square <= ((unsigned __int128)p << 96) / next
                 : square <= (unsigned __int128)p << 64)
            r = next;
    }
    return (uint32_t)r;
}

static void make_constants(void)
{
    int found = 0;
    for (unsigned p = 2; found < 64; p++) {
        unsigned d = 2;
        while (d * d <= p && p % d != 0)
            d++;
        if (d * d <= p)
            continue;
        if (found < 8)
            first[found] = root_fraction(p, 0);
        round_constant[found++] = root_fraction(p, 1);
    }
}

static uint32_t turn(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                     round_constant[i] + w[i];
        uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
                     ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t;
        v[0] = t + u;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_begin(sha256_state *h)
{
    if (!round_constant[63])
        make_constants();
    memset(h, 0, sizeof *h);
    memcpy(h->state, first, sizeof h->state);
}

void sha256_add(sha256_state *h, const void *data, size_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        size_t at = h->bytes % 64, n = 64 - at < bytes ? 64 - at : bytes;
        memcpy(h->block + at, from, n);
        h->bytes += n;
        from += n;
        bytes -= n;
        if (h->bytes % 64 == 0)
            add_block(h->state, h->block);
    }
}

void sha256_end(sha256_state *h, char hex[SHA256_HEX])
{
    uint64_t bits = h->bytes * 8;
    uint8_t tail[72] = {0x80}, length[8];
    size_t pad = 64 - (h->bytes + 8) % 64;      /* 1 to 64 */
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(h, tail, pad);
    sha256_add(h, length, sizeof length);
    for (int i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", (unsigned)h->state[i]);
}

int sha256_file(const char *path, char hex[SHA256_HEX])
{
    char buffer[16384];
    sha256_state h;
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f)
        return errno;
    sha256_begin(&h);
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        sha256_add(&h, buffer, n);
    int bad = ferror(f) ? EIO : 0;
    fclose(f);
    sha256_end(&h, hex);
    return bad;
}
