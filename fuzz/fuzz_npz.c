/* fuzz_npz.c -- fuzzes the reader of NumPy archives.
 *
 * If the first byte is 0, the rest is the archive.  Else an archive is built from the rest
 * (tests/support/npzmake.h), so that checksums are right and the code after them is reached.  A
 * graph that loads must also save and read back the same.
 *
 * SPDX-License-Identifier: MIT */
#include "../tests/support/npzmake.h"

#include "base/base.h"
#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.head = 1, .files = 1, .separator = -1, .last_bare = true};

static const char *const names[] = {
    "edge_index", "x", "y", "x_data", "x_indices", "x_indptr", "x_shape", "train_idx", "val_idx",
    "test_mask", "edge_weight", "num_nodes", "adj_data", "adj_indices", "adj_indptr", "adj_shape",
    "attr_matrix", "labels", "graph_flags", "num_classes", "y_soft", "node_weight", "class_names",
    "feature_names", "node_names", "origin", "role", "member_offsets", "members", "kept_features", "feature_mean",
    "feature_spread", "metadata",
};

static void there_and_back(const char *path)
{
    bonsai_graph *g = NULL, *back = NULL;
    bonsai_read_options r;
    bonsai_write_options w;
    int equal = 1;
    bonsai_read_options_init(&r);
    bonsai_write_options_init(&w);
    r.threads = w.threads = 1;
    if (bonsai_graph_read(&g, path, &r) == BONSAI_OK) {
        bonsai_status rc = bonsai_graph_save(NULL, g, path, &w);
        if (rc == BONSAI_OK)
            rc = bonsai_graph_read(&back, path, &r);
        if (rc == BONSAI_OK)
            rc = bonsai_graph_equal(&equal, g, back);
        if (!equal || (rc != BONSAI_OK && rc != BONSAI_E_MEMORY)) {
            fprintf(stderr, "it did not come back: %s\n", bonsai_error());
            abort();
        }
    }
    bonsai_graph_free(g);
    bonsai_graph_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static npz_maker m;
    const char *path;
    if (size < 1 || size > 1 << 15)
        return 0;
    if (data[0] == 0) {
        path = fuzz_file("graph.npz", data + 1, size - 1);
    } else {
        npz_fuzzed(&m, names, sizeof names / sizeof *names, data + 1, size - 1);
        path = fuzz_file("graph.npz", m.data, m.len);
    }
    bn_mem_limit(1 << 20);          /* a two-byte id can ask for millions of nodes */
    fuzz_load(path);
    there_and_back(path);
    return 0;
}
