/* fuzz_native.c -- the native reader on any bytes.
 *
 * The checksums of the header and of the sections are repaired, so that what lies
 * behind them is reached; an input that ends in 0xff keeps its own.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/base.h"
#include "fuzz.h"

static void put_crc(uint8_t *to, const uint8_t *data, int64_t len)
{
    uint32_t crc = bn_crc32(0, data, len);
    memcpy(to, &crc, sizeof crc);
}

static void repair_section(uint8_t *file, size_t size, uint8_t *entry)
{
    uint32_t type;
    uint64_t offset, count;
    memcpy(&type, entry + 4, sizeof type);
    memcpy(&offset, entry + 8, sizeof offset);
    memcpy(&count, entry + 16, sizeof count);
    uint64_t item = bonsai_type_bytes((bonsai_type)type);
    if (item && offset <= size && count <= (size - offset) / item)
        put_crc(entry + 24, file + offset, (int64_t)(count * item));
}

static void repair(uint8_t *file, size_t size)
{
    size_t head = 64 + 32u * file[24];
    if (file[24] >= 64 || head > size)
        return;
    for (uint8_t *entry = file + 64; entry < file + head; entry += 32)
        repair_section(file, size, entry);
    memset(file + 28, 0, 4);
    put_crc(file + 28, file, (int64_t)head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[1 << 16];
    if (size > sizeof copy)
        return 0;
    memcpy(copy, data, size);
    if (size >= 64 && data[size - 1] != 0xff)
        repair(copy, size);
    fuzz_load(fuzz_file("graph.bonsai", copy, size));
    return 0;
}
