/* normalise.c -- divides the features of each node by their sum.
 *
 * Sparse rows keep their columns; a row of zeros is unchanged.
 *
 * SPDX-License-Identifier: MIT */
#include "graph.h"

typedef struct {
    const bonsai_graph *g;
    bn_csr   csr;               /* if features are sparse */
    float   *row;               /* of one row, sparse or dense */
    int32_t *index;
} reading;

static bonsai_status refuse_negative(const reading *r, int64_t node, int64_t count)
{
    for (int64_t e = 0; e < count; e++)
        if (r->row[e] < 0)
            return bn_fail_at(BONSAI_E_ARGUMENT, r->g->where, "feature %d of node %lld is %g: rows "
                              "with negative features cannot be divided by their sum", r->index[e],
                              (long long)node, (double)r->row[e]);
    return BONSAI_OK;
}

static void divide(float *to, const float *from, int64_t count)
{
    double sum = 0;
    for (int64_t e = 0; e < count; e++)
        sum += (double)from[e];
    for (int64_t e = 0; e < count; e++)
        to[e] = sum > 0 ? (float)((double)from[e] / sum) : 0;
}

/* Reads a row with its stored zeros, so that each number keeps its place; returns its length. */
static int64_t read_row(reading *r, int64_t node)
{
    if (r->csr.rows == 0) {
        bn_row_whole(r->row, r->g, node);
        return r->g->view.features;
    }
    const int64_t first = bn_int_at(&r->csr.offsets, node);
    const int64_t count = bn_int_at(&r->csr.offsets, node + 1) - first;
    for (int64_t e = 0; e < count; e++) {
        r->row[e] = bn_csr_value(&r->csr, node, first + e);
        r->index[e] = (int32_t)bn_int_at(&r->csr.indices, first + e);
    }
    return count;
}

static bonsai_status divide_rows(bonsai_graph *out, reading *r)
{
    bonsai_status rc;
    const bonsai_view *v = &r->g->view;
    const bool sparse = r->csr.rows > 0;
    float *to;
    BN_TRY(bn_graph_array(&to, out, sparse ? BONSAI_SECTION_FEATURE_VALUES : BONSAI_SECTION_FEATURES,
                          BONSAI_TYPE_F32, sparse ? r->csr.indices.count : v->nodes * v->features));
    for (int64_t i = 0; i < v->nodes; i++) {
        const int64_t count = read_row(r, i);
        BN_TRY(refuse_negative(r, i, count));
        divide(to, r->row, count);
        to += count;
    }
done:
    return rc;
}

static bonsai_status make_room(reading *r)
{
    bonsai_status rc;
    const bonsai_view *v = &r->g->view;
    const bonsai_array *section = v->section;
    int64_t room = v->features;
    if (bn_has(r->g, BONSAI_SECTION_FEATURE_OFFSETS)) {
        r->csr = (bn_csr){v->nodes, v->features, section[BONSAI_SECTION_FEATURE_OFFSETS],
                          section[BONSAI_SECTION_FEATURE_INDICES],
                          section[BONSAI_SECTION_FEATURE_VALUES],
                          section[BONSAI_SECTION_FEATURE_SCALE].data};
        room = bn_row_room(r->g);
    }
    BN_TRY(BN_NEW(&r->row, room));
    BN_TRY(BN_NEW(&r->index, room));
    for (int64_t j = 0; r->csr.rows == 0 && j < room; j++)
        r->index[j] = (int32_t)j;
done:
    return rc;
}

bonsai_status bonsai_graph_normalise(bonsai_graph **out, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *child = NULL;
    reading r = {.g = g};
    const uint32_t own = BN_BIT(BONSAI_SECTION_FEATURES) | BN_BIT(BONSAI_SECTION_FEATURE_VALUES) |
                         BN_BIT(BONSAI_SECTION_FEATURE_SCALE) |
                         BN_BIT(BONSAI_SECTION_FEATURE_MEAN) |
                         BN_BIT(BONSAI_SECTION_FEATURE_SPREAD) | BN_FACTOR_SECTIONS;
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, 0));
    BN_TRY(make_room(&r));
    BN_TRY(bn_graph_derive(&child, g, BN_ALL_SECTIONS & ~own));
    if (g->view.features > 0)
        BN_TRY(divide_rows(child, &r));
    BN_TRY(bonsai_graph_verify(child));
    *out = child;
    child = NULL;
done:
    bonsai_graph_free(child);
    bn_free(r.row);
    bn_free(r.index);
    return rc;
}
