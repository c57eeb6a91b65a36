/* fuzz_mag240m.c -- fuzzes the reader of MAG240M's folders, and converting them.
 *
 * The input is the five files in sequence, each but the last after its length in two bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fuzz.h"
#include "mutate.h"
#include "base/base.h"

const mu_framing fuzz_framing = {.files = 5, .separator = -1, .last_bare = true};

static void convert(const char *path)
{
    bonsai_read_options r;
    bonsai_write_options w;
    bonsai_read_options_init(&r);
    bonsai_write_options_init(&w);
    r.threads = w.threads = 1;
    w.labelled = 1;
    const char *out = fuzz_file("mag.bonsai", (const uint8_t *)"", 0);
    if (bonsai_graph_convert(NULL, NULL, out, path, &r, &w) == BONSAI_OK)
        fuzz_load(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[5] = {
        "mag/meta.pt", "mag/split_dict.pt", "mag/processed/paper/node_label.npy",
        "mag/processed/paper/node_feat.npy", "mag/processed/paper___cites___paper/edge_index.npy",
    };
    char path[256] = "";
    for (int i = 0; i < 5; i++) {
        const bool framed = i < 4 && size >= 2;
        size_t len = framed ? (size_t)(data[0] | data[1] << 8) : size;
        data += framed ? 2 : 0;
        size -= framed ? 2 : 0;
        len = len < size ? len : size;
        strcpy(path, fuzz_file(names[i], data, len));
        data += len;
        size -= len;
    }
    *strstr(path, "/processed/") = 0;
    fuzz_load(path);
    convert(path);
    return 0;
}
