/* equal.c -- compares the values of two graphs, whatever their encodings.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"

static bool same_integers(const bonsai_array *a, const bonsai_array *b)
{
    for (int64_t i = 0; i < a->count; i++)
        if (bn_int_at(a, i) != bn_int_at(b, i))
            return false;
    return true;
}

static float unit(const bonsai_array *a, bonsai_section s)
{
    return s == BONSAI_SECTION_SOFT_LABELS && a->type == BONSAI_TYPE_U8 ? 255.0f : 1.0f;
}

static bool same_reals(const bonsai_array *a, const bonsai_array *b, bonsai_section s)
{
    float ua = unit(a, s), ub = unit(b, s);
    for (int64_t i = 0; i < a->count; i++)
        if (bn_real_at(a, i) / ua != bn_real_at(b, i) / ub)
            return false;
    return true;
}

static bool same_labels(const bonsai_graph *a, const bonsai_graph *b)
{
    for (int64_t v = 0; v < a->view.nodes; v++)
        if (bn_label(a, v) != bn_label(b, v))
            return false;
    return true;
}

static bool same_section(const bonsai_graph *a, const bonsai_graph *b, bonsai_section s)
{
    const bonsai_array *x = &a->view.section[s], *y = &b->view.section[s];
    if (!x->data || !y->data)
        return !x->data && !y->data;
    if (x->count != y->count)
        return false;
    switch (s) {
    case BONSAI_SECTION_LABELS:
        return same_labels(a, b);
    case BONSAI_SECTION_EDGE_WEIGHTS:
    case BONSAI_SECTION_SOFT_LABELS:
    case BONSAI_SECTION_NODE_WEIGHTS:
    case BONSAI_SECTION_FEATURE_MEAN:
    case BONSAI_SECTION_FEATURE_SPREAD:
        return same_reals(x, y, s);
    default:
        return same_integers(x, y);
    }
}

/* Compares the bases if features are coordinates; else equal features suffice. */
static bool same_basis(const bonsai_graph *a, const bonsai_graph *b)
{
    const int last = a->spanned ? BONSAI_SECTION_BASIS_COLUMNS : 0;
    bool same = a->spanned == b->spanned;
    for (int s = BONSAI_SECTION_BASIS; same && s <= last; s++) {
        const bonsai_array *x = &a->view.section[s], *y = &b->view.section[s];
        const size_t bytes = (size_t)x->count * bonsai_type_bytes(x->type);
        same = x->count == y->count && x->type == y->type && !x->data == !y->data &&
               (!x->data || memcmp(x->data, y->data, bytes) == 0);
    }
    return same;
}

/* Compares the non-zeros of feature rows bit for bit. */
static bonsai_status same_features(bool *same, const bonsai_graph *a, const bonsai_graph *b)
{
    bonsai_status rc;
    int64_t room_a = bn_row_room(a), room_b = bn_row_room(b);
    int64_t room = room_a > room_b ? room_a : room_b;
    int32_t *index = NULL;
    float *value = NULL;
    BN_TRY(BN_NEW(&index, 2 * room));
    BN_TRY(BN_NEW(&value, 2 * room));
    for (int64_t v = 0; v < a->view.nodes && *same; v++) {
        int64_t count = bn_row_get(index, value, a, v);
        *same = bn_row_get(index + room, value + room, b, v) == count &&
                memcmp(index, index + room, (size_t)count * sizeof *index) == 0 &&
                memcmp(value, value + room, (size_t)count * sizeof *value) == 0;
    }
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

bonsai_status bonsai_graph_equal(int *equal, const bonsai_graph *a, const bonsai_graph *b)
{
    bonsai_status rc;
    if (bn_is_null(equal, "out") || bn_is_null(a, "the first graph") ||
        bn_is_null(b, "the second graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_need(a, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_graph_need(b, BN_ALL_SECTIONS, 0));
    bool same = a->view.nodes == b->view.nodes && a->view.features == b->view.features &&
                a->view.classes == b->view.classes && a->view.flags == b->view.flags;
    for (int s = 1; s < BONSAI_SECTION_METADATA && same; s++)
        if (!(BN_FEATURE_SECTIONS & BN_BIT(s)))
            same = same_section(a, b, s);
    same = same && same_basis(a, b);
    if (same)
        BN_TRY(same_features(&same, a, b));
    *equal = same;
done:
    return rc;
}
