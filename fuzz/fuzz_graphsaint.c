/* fuzz_graphsaint.c -- fuzzes the GraphSAINT reader.
 *
 * The lowest bit of the first byte tells if the first file is an archive (0) or a description of
 * one (tests/support/npzmake.h); the second bit tells if feats.npy gets a valid header.  Then come
 * three files, each after its length in two bytes; the rest is the fourth.
 *
 * SPDX-License-Identifier: MIT */
#include "../tests/support/npzmake.h"

#include "base/base.h"
#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.head = 1, .files = 4, .separator = -1, .last_bare = true};

static const char *const names[] = {"indices", "indptr", "data", "shape", "format"};

typedef struct {
    const uint8_t *data;
    size_t len;
} piece;

static piece cut(const uint8_t **data, size_t *size, int last)
{
    piece p = {*data, *size};
    if (!last && *size >= 2) {
        size_t len = (size_t)((*data)[0] | (*data)[1] << 8);
        p.data += 2;
        p.len = len < *size - 2 ? len : *size - 2;
    }
    *size -= (size_t)(p.data - *data) + p.len;
    *data = p.data + p.len;
    return p;
}

/* Two bytes of shape, then floats. */
static void write_features(piece p)
{
    static uint8_t bytes[1 << 16];
    char head[64];
    if (p.len < 2)
        return;
    snprintf(head, sizeof head, "'<f4', C, (%d, %d)", p.data[0], p.data[1]);
    fuzz_file("saint/feats.npy", bytes,
              npy_bytes(bytes, sizeof bytes, 1, head, p.data + 2, p.len - 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static npz_maker m;
    char folder[256];
    if (size < 1 || size > 1 << 15)
        return 0;
    unsigned mode = *data++;
    size--;
    piece adj = cut(&data, &size, 0), feats = cut(&data, &size, 0), classes = cut(&data, &size, 0);
    npz_fuzzed(&m, names, sizeof names / sizeof *names, adj.data, adj.len);
    fuzz_file("saint/adj_full.npz", mode & 1 ? m.data : adj.data, mode & 1 ? m.len : adj.len);
    fuzz_file("saint/feats.npy", feats.data, feats.len);
    if (mode & 2)
        write_features(feats);
    fuzz_file("saint/class_map.json", classes.data, classes.len);
    piece role = cut(&data, &size, 1);
    snprintf(folder, sizeof folder, "%s", fuzz_file("saint/role.json", role.data, role.len));
    *strrchr(folder, '/') = 0;
    fuzz_load(folder);
    return 0;
}
