/* fuzz_text.c -- fuzzes the text reader.
 *
 * The first byte says what follows.  Bit 0: a folder, whose files (edges, features, labels) are
 * separated by 0xfe bytes; bit 1: the edges are gzip data; bit 2: the graph is written as text and
 * read again, and must be the same.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.head = 1, .files = 3, .separator = 0xfe};

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

/* Whether the call succeeded; running out of memory is not a bug. */
static bool went_well(bonsai_status rc)
{
    if (rc != BONSAI_OK && rc != BONSAI_E_MEMORY) {
        fprintf(stderr, "unexpected: %s\n", bonsai_error());
        abort();
    }
    return rc == BONSAI_OK;
}

static void there_and_back(const char *path)
{
    bonsai_graph *g = NULL, *back = NULL;
    bonsai_read_options o;
    uint64_t left_out = 0;
    int equal = 1;
    char folder[300];
    bonsai_read_options_init(&o);
    o.threads = 1;
    if (bonsai_graph_read(&g, path, &o) != BONSAI_OK)
        return;
    snprintf(folder, sizeof folder, "%s-out", path);
    if (went_well(bonsai_graph_save(&left_out, g, folder, NULL)) &&
        went_well(bonsai_graph_read(&back, folder, &o)))
        went_well(bonsai_graph_equal(&equal, g, back));
    if (!equal || left_out != 0) {
        fprintf(stderr, "%s came back different\n", path);
        abort();
    }
    bonsai_graph_free(back);
    bonsai_graph_free(g);
}

static void load(const char *path, bool back)
{
    char copy[256];
    snprintf(copy, sizeof copy, "text:%s", path);
    fuzz_load(copy);
    if (back)
        there_and_back(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 16)
        return 0;
    bool gz = data[0] & 2;
    if (!(data[0] & 1)) {
        load(fuzz_file(gz ? "edges.el.gz" : "edges.el", data + 1, size - 1), data[0] & 4);
        return 0;
    }
    write_folder(data + 1, size - 1, gz);
    char folder[256];
    strcpy(folder, fuzz_file("x", data, 0));
    folder[strlen(folder) - 1] = 'g';
    load(folder, data[0] & 4);
    return 0;
}
