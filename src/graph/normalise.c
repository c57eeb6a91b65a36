/* normalise.c -- divides the features of each node by their sum.
 *
 * Sparse rows keep their columns; a row of zeros is unchanged.
 *
 * SPDX-License-Identifier: MIT */
#include "graph.h"

/* Reads a row with its stored zeros, so that each number keeps its place; returns its length. */
static int64_t read_row(float *row, const bonsai_graph *g, int64_t node)
{
    if (!bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS)) {
        bn_row_whole(row, g, node);
        return g->view.features;
    }
    const bn_csr x = bn_features_csr(g);
    const int64_t first = bn_int_at(&x.offsets, node), end = bn_int_at(&x.offsets, node + 1);
    for (int64_t e = first; e < end; e++)
        row[e - first] = bn_csr_value(&x, node, e);
    return end - first;
}

static bonsai_status refuse_negative(const bonsai_graph *g, int64_t node, int64_t at, float value)
{
    const bn_csr x = bn_features_csr(g);
    if (x.offsets.data)
        at = bn_int_at(&x.indices, bn_int_at(&x.offsets, node) + at);
    return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "feature %lld of node %lld is %g: rows with "
                      "negative features cannot be divided by their sum", (long long)at,
                      (long long)node, (double)value);
}

static bonsai_status divide_rows(bonsai_graph *out, const bonsai_graph *g)
{
    const bonsai_view *v = &g->view;
    const bool sparse = bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS);
    float *row;
    bonsai_status rc = bn_graph_array(
        &row, out, sparse ? BONSAI_SECTION_FEATURE_VALUES : BONSAI_SECTION_FEATURES,
        BONSAI_TYPE_F32, sparse ? v->section[BONSAI_SECTION_FEATURE_INDICES].count
                                : v->nodes * v->features);
    for (int64_t i = 0, count; rc == BONSAI_OK && i < v->nodes; i++, row += count) {
        double sum = 0;
        count = read_row(row, g, i);
        for (int64_t e = 0; e < count; e++) {
            if (row[e] < 0)
                return refuse_negative(g, i, e, row[e]);
            sum += (double)row[e];
        }
        for (int64_t e = 0; e < count; e++)
            row[e] = sum > 0 ? (float)((double)row[e] / sum) : 0;
    }
    return rc;
}

bonsai_status bonsai_graph_normalise(bonsai_graph **out, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    const uint32_t own = BN_BIT(BONSAI_SECTION_FEATURES) | BN_BIT(BONSAI_SECTION_FEATURE_VALUES) |
                         BN_BIT(BONSAI_SECTION_FEATURE_SCALE) |
                         BN_BIT(BONSAI_SECTION_FEATURE_MEAN) |
                         BN_BIT(BONSAI_SECTION_FEATURE_SPREAD) | BN_FACTOR_SECTIONS;
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_graph_derive(&child, g, BN_ALL_SECTIONS & ~own));
    if (g->view.features > 0)
        BN_TRY(divide_rows(child, g));
    BN_TRY(bonsai_graph_verify(child));
done:
    return bn_graph_give(out, child, rc);
}
