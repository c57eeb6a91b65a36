/* fuzz_mag240m.c -- fuzzes the reader of MAG240M's folders, and converting them.
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
        "mag/meta.pt", "mag/split_dict.pt", "mag/processed/paper/node_label.npy",
        "mag/processed/paper/node_feat.npy", "mag/processed/paper___cites___paper/edge_index.npy",
    };
    char path[256];
    fuzz_files(names, 5, data, size);
    strcpy(path, fuzz_path("mag"));
    fuzz_load(path);
    fuzz_convert(path);
    return 0;
}
