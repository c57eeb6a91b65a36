/* fuzz_native.c -- fuzzes the native reader.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.files = 1, .separator = -1, .last_bare = true};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[1 << 16];
    if (size > sizeof copy)
        return 0;
    memcpy(copy, data, size);
    fuzz_repair(copy, size);
    fuzz_load(fuzz_file("graph.bonsai", copy, size));
    return 0;
}
