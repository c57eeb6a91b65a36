/* pairing.h -- a graph of prototypes that are pairs of nodes, made of one whose prototypes are not.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PAIRING_H
#define BN_PAIRING_H

#include "testing.h"

/* Prototype i of small is joined to node n + i, which has a loop, the same features and no label.
 * Yours to free. */
static inline bonsai_graph *paired(const bonsai_graph *small)
{
    const bonsai_view *old = bonsai_graph_view(small);
    const int64_t n = old->nodes, f = old->features;
    bonsai_graph *out = NULL;
    bonsai_view v;
    uint32_t *offsets = test_malloc((size_t)(2 * n + 1) * sizeof *offsets);
    uint32_t *neighbors = test_malloc((size_t)(3 * n) * sizeof *neighbors);
    uint8_t *label = test_malloc((size_t)(2 * n)), *role = test_malloc((size_t)(2 * n));
    float *weight = test_calloc((size_t)(2 * n), sizeof *weight);
    float *x = test_malloc((size_t)(2 * n * f) * sizeof *x);
    bonsai_view_init(&v);
    offsets[0] = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
        uint32_t at = offsets[i];
        neighbors[at++] = (uint32_t)(i < n ? i + n : i - n);
        if (i >= n)
            neighbors[at++] = (uint32_t)i;
        offsets[i + 1] = at;
        label[i] = i < n ? (uint8_t)bonsai_graph_label(small, i) : 255;
        role[i] = BONSAI_ROLE_PROTOTYPE;
        weight[i] = i < n ? (float)bonsai_graph_weight(small, i) : 0;
        bonsai_graph_row(x + i * f, small, i % n);
    }
    v.nodes = 2 * n;
    v.features = f;
    v.classes = old->classes;
    v.flags = BONSAI_FLAG_SELF_LOOPS;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 2 * n + 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 3 * n, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 2 * n * f, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 2 * n, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_NODE_WEIGHTS] = (bonsai_array){weight, 2 * n, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_ROLE] = (bonsai_array){role, 2 * n, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_METADATA] = old->section[BONSAI_SECTION_METADATA];
    if (bonsai_graph_new(&out, &v, 1) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    test_free(offsets);
    test_free(neighbors);
    test_free(label);
    test_free(role);
    test_free(weight);
    test_free(x);
    return out;
}

#endif
