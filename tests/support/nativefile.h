/* nativefile.h -- a native file as bytes, read and written without the library.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NATIVEFILE_H
#define BN_NATIVEFILE_H

#include "testing.h"

static inline void put(uint8_t *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t number(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes-- > 0)
        v = v << 8 | p[bytes];
    return v;
}

/* The entry of a section in the table. */
static inline uint8_t *entry_of(uint8_t *file, uint64_t id)
{
    for (uint64_t i = 0; i < number(file + 24, 4); i++)
        if (number(file + 64 + 32 * i, 4) == id)
            return file + 64 + 32 * i;
    fail_msg("no section %d", (int)id);
    return NULL;
}

#endif
