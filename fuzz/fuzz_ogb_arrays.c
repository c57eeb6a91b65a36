/* fuzz_ogb_arrays.c -- fuzzes OGB's binary form, which ogbn-papers100M comes in, and converting it.
 *
 * The input is the five files in sequence, each but the last after its length in two bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.files = 5, .separator = -1, .last_bare = true};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[5] = {
        "ogb/split/s/train.csv", "ogb/split/s/valid.csv", "ogb/raw/data.npz",
        "ogb/raw/node-label.npz", "ogb/split/s/test.csv",
    };
    char path[256];
    fuzz_files(names, 5, data, size);
    strcpy(path, fuzz_path("ogb"));
    fuzz_load(path);
    fuzz_convert(path);
    return 0;
}
