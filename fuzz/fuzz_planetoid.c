/* fuzz_planetoid.c -- fuzzes the Planetoid reader.
 *
 * The input is the eight files in sequence, each after its length in two bytes, little-endian;
 * anything after the last is ignored.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.files = 8, .separator = -1};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[8] = {"ind.f.test.index", "ind.f.graph", "ind.f.x", "ind.f.allx",
                                         "ind.f.tx", "ind.f.y", "ind.f.ally", "ind.f.ty"};
    char path[256] = "";
    for (int i = 0; i < 8; i++) {
        size_t len = 0;
        if (size >= 2) {
            len = (size_t)data[0] | (size_t)data[1] << 8;
            data += 2;
            size -= 2;
        }
        len = len < size ? len : size;
        strcpy(path, fuzz_file(names[i], data, len));
        data += len;
        size -= len;
    }
    fuzz_load(path);
    return 0;
}
