/* modelsplit.c -- draws the split of a model's training again.
 *
 * A split depends on the seed and on which nodes have labels.  On another graph with as many nodes
 * it would call training nodes test nodes; so a model has a checksum of the labels.  Outside the
 * training part that only says whether they are known.
 *
 * SPDX-License-Identifier: MIT */
#include "train.h"

int64_t bn_split_sum(const bonsai_graph *g)
{
    enum { PIECE = 1024, KNOWN = -2 };
    int32_t label[PIECE];
    uint32_t crc = 0;
    for (int64_t at = 0; at < g->view.nodes; at += PIECE) {
        const int64_t n = bn_least(PIECE, g->view.nodes - at);
        for (int64_t i = 0; i < n; i++) {
            label[i] = bn_label(g, at + i);
            if (label[i] >= 0 && bn_part(g, at + i) != BONSAI_PART_TRAIN)
                label[i] = KNOWN;
        }
        crc = bn_crc32(crc, label, n * (int64_t)sizeof *label);
    }
    return crc > 0 ? crc : 1;
}

static bool has_labels(const bonsai_graph *g)
{
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_label(g, v) >= 0)
            return true;
    return false;
}

bonsai_status bonsai_model_split(bonsai_graph **out, const bonsai_model *m, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *drawn = NULL;
    if (bn_is_null(out, "out"))
        return BONSAI_E_ARGUMENT;
    *out = NULL;
    if (bn_is_null(m, "the model") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_SECTION_LABELS), 0));
    if (m->info.split_labels == 0 || !has_labels(g))
        goto done;
    BN_TRY(bonsai_graph_split(&drawn, g, m->info.split, m->info.split_seed));
    if (bn_split_sum(drawn) == m->info.split_labels) {
        *out = drawn;
        drawn = NULL;
    }
done:
    bonsai_graph_free(drawn);
    return rc;
}
