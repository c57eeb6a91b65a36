/* fuzz_text.c -- the text reader on any bytes.
 *
 * The first byte says what follows: bit 0: a folder, whose files are separated by
 * bytes 0xfe (edges, features, labels); bit 1: the edges are gzip data.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz.h"

static void write_folder(const uint8_t *data, size_t size, bool gz)
{
    const char *const names[] = {gz ? "g/edges.csv.gz" : "g/edges.csv", "g/features.csv",
                                 "g/labels.csv"};
    unlink(fuzz_file(gz ? "g/edges.csv" : "g/edges.csv.gz", data, 0));
    for (int i = 0; i < 3; i++) {
        const uint8_t *cut = size ? memchr(data, 0xfe, size) : NULL;
        size_t len = cut && i < 2 ? (size_t)(cut - data) : size;
        const char *path = fuzz_file(names[i], data, len);
        if (len == 0 && i > 0)
            unlink(path);
        data += len + (cut && i < 2);
        size -= len + (cut && i < 2);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 16)
        return 0;
    bool gz = data[0] & 2;
    if (!(data[0] & 1)) {
        fuzz_load(fuzz_file(gz ? "edges.el.gz" : "edges.el", data + 1, size - 1));
        return 0;
    }
    write_folder(data + 1, size - 1, gz);
    char folder[256];
    strcpy(folder, fuzz_file("x", data, 0));
    folder[strlen(folder) - 1] = 'g';
    fuzz_load(folder);
    return 0;
}
