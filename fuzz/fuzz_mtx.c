/* fuzz_mtx.c -- fuzzes the Matrix Market reader.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= 1 << 16)
        fuzz_load(fuzz_file("graph.mtx", data, size));
    return 0;
}
