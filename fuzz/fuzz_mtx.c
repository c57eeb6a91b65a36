/* fuzz_mtx.c -- fuzzes the Matrix Market reader.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.files = 1, .separator = -1, .last_bare = true};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= 1 << 16)
        fuzz_load(fuzz_file("graph.mtx", data, size));
    return 0;
}
