/* fuzz_ogb.c -- fuzzes the OGB reader with text files.
 *
 * The input is the eight files in sequence, each followed by a zero byte (the last may end with the
 * input).  The files are not gzipped, so that the bytes reach the parser; fuzz_text covers
 * inflating.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.files = 8, .separator = 0};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[8] = {
        "ogb/split/s/test.csv", "ogb/split/s/train.csv", "ogb/split/s/valid.csv",
        "ogb/raw/edge.csv", "ogb/raw/node-feat.csv", "ogb/raw/num-node-list.csv",
        "ogb/raw/num-edge-list.csv", "ogb/raw/node-label.csv",
    };
    char path[256] = "";
    for (int i = 0; i < 8; i++) {
        const uint8_t *end = size ? memchr(data, 0, size) : NULL;
        size_t len = end ? (size_t)(end - data) : size;
        strcpy(path, fuzz_file(names[i], data, len));
        data += len + (end != NULL);
        size -= len + (end != NULL);
    }
    *strstr(path, "/raw/") = 0;
    fuzz_load(path);
    return 0;
}
