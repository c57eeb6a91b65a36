/* sha256.h -- the checksum SHA-256 (FIPS 180-4).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_SHA256_H
#define BONSAI_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX = 65 };                               /* 64 digits and a zero */

typedef struct {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t  block[64];
} sha256_state;

void sha256_begin(sha256_state *h);
void sha256_add(sha256_state *h, const void *data, size_t bytes);
void sha256_end(sha256_state *h, char hex[SHA256_HEX]);
int  sha256_file(const char *path, char hex[SHA256_HEX]);       /* 0: done; else errno */

#endif
