/* fuzz_native.c -- the native reader on any bytes.
 *
 * The checksum of the header is repaired, so that what lies behind it is reached.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/base.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[1 << 16];
    if (size > sizeof copy)
        return 0;
    memcpy(copy, data, size);
    if (size >= 64 && data[24] < 64 && 64 + 32u * data[24] <= size) {
        memset(copy + 28, 0, 4);
        uint32_t crc = bn_crc32(0, copy, 64 + 32 * data[24]);
        memcpy(copy + 28, &crc, 4);
    }
    fuzz_load(fuzz_file("graph.bonsai", copy, size));
    return 0;
}
