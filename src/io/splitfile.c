/* splitfile.c -- which nodes are for training, validation and testing, by arrays of an archive.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "npy.h"

static const char *const part_names[] = {"", "train", "val", "test"};

const char *bn_part_array(bonsai_part part, bool mask)
{
    static const char *const arrays[2][4] = {{"", "train_idx", "val_idx", "test_idx"},
                                             {"", "train_mask", "val_mask", "test_mask"}};
    return arrays[mask][part];
}

static bonsai_status put_part(uint8_t *split, const char *where, int64_t node, bonsai_part part)
{
    if (split[node] != BONSAI_PART_NONE && split[node] != part)
        return bn_fail_at(BONSAI_E_FORMAT, where, "node %lld is in %s too", (long long)node,
                          part_names[split[node]]);
    split[node] = (uint8_t)part;
    return BONSAI_OK;
}

bonsai_status bn_npz_part(uint8_t *split, int64_t n, bn_zip *z, bonsai_part part, bool mask)
{
    bonsai_status rc;
    char where[700];
    const char *name = bn_part_array(part, mask);
    int64_t *list = NULL, count;
    snprintf(where, sizeof where, "%.600s:%s", z->path, name);
    BN_TRY(bn_npz_i64(&list, &count, z, name, mask ? n : -1, 0, mask ? 1 : n - 1));
    for (int64_t i = 0; i < count; i++)
        if (!mask || list[i])
            BN_TRY(put_part(split, where, mask ? i : list[i], part));
done:
    bn_free(list);
    return rc;
}

bonsai_status bonsai_graph_split_file(bonsai_graph **out, const bonsai_graph *g, const char *path)
{
    bonsai_status rc;
    bonsai_graph *new = NULL;
    uint8_t *split;
    bn_zip z = {.path = NULL};
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph") || bn_is_null(path, "the path"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_zip_open(&z, path, (bn_progress){NULL, NULL}));
    BN_TRY(bn_graph_resplit(&new, &split, g));
    for (int part = BONSAI_PART_TRAIN; part <= BONSAI_PART_TEST; part++)
        BN_TRY(bn_npz_part(split, g->view.nodes, &z, (bonsai_part)part, false));
    *out = new;
    new = NULL;
done:
    bonsai_graph_free(new);
    bn_zip_close(&z);
    return rc;
}
