/* adjust.c -- the prototypes after some nodes have left or joined them.
 *
 * A row is the stored mean of its members: rows that left are subtracted, rows that joined are
 * added, and as many entries as before are stored again in the same type.  A prototype without
 * changes keeps its bits; one without members is removed.  A node brings the soft label of the
 * prototype that it left; without one it takes that of its new prototype.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "update.h"

typedef struct { int32_t index; float value; } entry;

typedef struct {
    const bn_moves *m;
    bonsai_graph *out;
    bn_lists left, joined;      /* per prototype of small: positions in m->left and m->joined */
    int32_t *kept;              /* prototypes of small that stay */
    int64_t  count;
    double  *sum;               /* f */
    entry   *row;               /* f */
    float   *value;             /* f */
    int32_t *index;             /* f */
    bonsai_type four;           /* of four bits, if small is stored in them; else NONE */
    bool    *uses;              /* f: columns that small stores; NULL: all */
    float    hint;              /* the scale of a row of squares; else 0 */
} adjusting;

/* Lists the positions 0 .. count-1 by the prototype of each node. */
static bonsai_status group(bn_lists *out, const int32_t *nodes, int64_t count, const int32_t *of,
                           int64_t prototypes)
{
    bonsai_status rc;
    out->count = prototypes;
    BN_TRY(BN_NEW(&out->offsets, prototypes + 2));
    BN_TRY(BN_NEW(&out->item, count));
    for (int64_t i = 0; i < count; i++)
        out->offsets[of[nodes[i]] + 2]++;
    for (int64_t p = 0; p < prototypes; p++)
        out->offsets[p + 2] += out->offsets[p + 1];
    for (int64_t i = 0; i < count; i++)
        out->item[out->offsets[of[nodes[i]] + 1]++] = (int32_t)i;
done:
    return rc;
}

static bool is_moved(const adjusting *a, int64_t p)
{
    return a->left.offsets[p + 1] > a->left.offsets[p] ||
           a->joined.offsets[p + 1] > a->joined.offsets[p];
}

/* ---- rows ---- */

/* Computes the mean of the current members.  If none of the old members stays, earlier rounding is
 * forgotten. */
static void find_mean(adjusting *a, int64_t p)
{
    const bn_moves *m = a->m;
    int64_t f = m->small->view.features;
    const int64_t *left = a->left.offsets + p, *joined = a->joined.offsets + p;
    memset(a->sum, 0, (size_t)f * sizeof *a->sum);
    if (left[1] - left[0] < m->size_before[p]) {
        bn_row_whole(a->value, m->small, p);
        for (int64_t j = 0; j < f; j++)
            a->sum[j] = (double)a->value[j] * (double)m->size_before[p];
        for (int64_t i = left[0]; i < left[1]; i++)
            bn_row_add(a->sum, &m->old, a->left.item[i], -1);
    }
    for (int64_t i = joined[0]; i < joined[1]; i++)
        bn_row_add(a->sum, &m->fresh, a->joined.item[i], 1);
    for (int64_t j = 0; j < f; j++)
        a->sum[j] /= (double)m->size_after[p];
}

static int largest_first(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    float left = fabsf(a->value), right = fabsf(b->value);
    if (left != right)
        return left > right ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int by_index(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    return (a->index > b->index) - (a->index < b->index);
}

/* Replaces the entries by the nearest squares, without those that become 0; returns their
 * number. */
static int64_t to_squares(adjusting *a, int64_t count)
{
    int64_t kept = 0;
    a->hint = bn_scale_pick(a->value, count, a->four, 0);
    for (int64_t i = 0; i < count; i++) {
        int q = bn_quantise(a->value[i], a->hint, a->four);
        q -= a->four == BONSAI_TYPE_S4 && q > 7 ? 16 : 0;
        if (q == 0)
            continue;
        a->value[kept] = a->hint * (float)(q < 0 ? -q * q : q * q);
        a->row[kept] = (entry){a->row[i].index, a->value[kept]};
        kept++;
    }
    return kept;
}

/* Picks the `most` largest entries of the mean, ascending.  Unsigned types hold no negative
 * entries, which appear where entries were cut before. */
static int64_t pick_entries(adjusting *a, int64_t most, bonsai_type t)
{
    int64_t count = 0, f = a->m->small->view.features;
    for (int64_t j = 0; j < f; j++) {
        float v = (float)a->sum[j];
        if (v != 0 && !(v < 0 && t == BONSAI_TYPE_U8) && (!a->uses || a->uses[j]))
            a->row[count++] = (entry){(int32_t)j, v};
    }
    if (count > most) {
        qsort(a->row, (size_t)count, sizeof *a->row, largest_first);
        qsort(a->row, (size_t)most, sizeof *a->row, by_index);
        count = most;
    }
    for (int64_t i = 0; i < count; i++)
        a->value[i] = a->row[i].value;
    return a->four == BONSAI_TYPE_NONE ? count : to_squares(a, count);
}

static void put(void *data, int64_t at, bonsai_type t, float v, float scale)
{
    if (t == BONSAI_TYPE_F32)
        ((float *)data)[at] = v;
    else if (t == BONSAI_TYPE_F16)
        ((uint16_t *)data)[at] = bn_half_from_float(v);
    else
        ((uint8_t *)data)[at] = bn_quantise(v, scale, t);
}

static bool has_scale(bonsai_type t)
{
    return t == BONSAI_TYPE_U8 || t == BONSAI_TYPE_I8;
}

/* Allocates a scale per row, with the old ones. */
static bonsai_status scales(float **out, const adjusting *a, bonsai_type t)
{
    const float *old = a->m->small->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    *out = NULL;
    if (!has_scale(t))
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(out, a->out, BONSAI_SECTION_FEATURE_SCALE, BONSAI_TYPE_F32,
                                      a->count);
    for (int64_t i = 0; rc == BONSAI_OK && i < a->count; i++)
        (*out)[i] = old ? old[a->kept[i]] : 1.0f;
    return rc;
}

static bonsai_status store_dense(adjusting *a)
{
    const bonsai_type t = a->out->view.section[BONSAI_SECTION_FEATURES].type;
    int64_t f = a->out->view.features;
    uint8_t *data = a->out->owned[BONSAI_SECTION_FEATURES];
    float *scale;
    bonsai_status rc = scales(&scale, a, t);
    for (int64_t i = 0; rc == BONSAI_OK && i < a->count; i++) {
        if (!is_moved(a, a->kept[i]))
            continue;
        find_mean(a, a->kept[i]);
        int64_t count = pick_entries(a, f, t);
        if (scale)
            scale[i] = bn_scale_pick(a->value, count, t, a->hint);
        memset(data + (size_t)(i * f) * bonsai_type_bytes(t), 0, (size_t)f * bonsai_type_bytes(t));
        for (int64_t k = 0; k < count; k++)
            put(data, i * f + a->row[k].index, t, a->row[k].value, scale ? scale[i] : 1.0f);
    }
    return rc;
}

/* Stores sparse rows, which never grow: as many entries as before, without those that round to
 * 0. */
static bonsai_status store_sparse(adjusting *a)
{
    bonsai_status rc;
    const bonsai_array *old = a->m->small->view.section;
    const bonsai_array *values = &old[BONSAI_SECTION_FEATURE_VALUES];
    const bonsai_type t = values->data ? values->type : BONSAI_TYPE_U8;
    uint64_t *offsets;
    uint32_t *index;
    uint8_t *value;
    float *scale;
    int64_t total = old[BONSAI_SECTION_FEATURE_INDICES].count, at = 0;
    BN_TRY(scales(&scale, a, t));
    BN_TRY(bn_graph_array(&offsets, a->out, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64,
                          a->count + 1));
    BN_TRY(bn_graph_array(&index, a->out, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32, total));
    BN_TRY(bn_graph_array(&value, a->out, BONSAI_SECTION_FEATURE_VALUES, t, total));
    for (int64_t i = 0; i < a->count; i++) {
        int64_t p = a->kept[i], count = bn_row_get(a->index, a->value, a->m->small, p);
        for (int64_t k = 0; k < count; k++)
            a->row[k] = (entry){a->index[k], a->value[k]};
        if (is_moved(a, p)) {
            find_mean(a, p);
            count = pick_entries(a, count, t);
            if (scale)
                scale[i] = bn_scale_pick(a->value, count, t, a->hint);
        }
        for (int64_t k = 0; k < count; k++) {
            float s = scale ? scale[i] : 1.0f;
            if (scale && bn_quantise(a->row[k].value, s, t) == 0)
                continue;
            index[at] = (uint32_t)a->row[k].index;
            put(value, at++, t, a->row[k].value, s);
        }
        offsets[i + 1] = (uint64_t)at;
    }
    a->out->view.section[BONSAI_SECTION_FEATURE_INDICES].count = at;
    a->out->view.section[BONSAI_SECTION_FEATURE_VALUES].count = at;
done:
    return rc;
}

/* ---- labels, weights, members ---- */

/* Rounds by largest remainders, so that the numbers sum to the older total.  Of rows that sum to
 * 255 no more than 255 are rounded up; others may differ. */
static void round_soft(uint8_t *out, double *mean, int64_t classes, int64_t total)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < classes; c++) {
        out[c] = (uint8_t)floor(mean[c]);
        mean[c] -= floor(mean[c]);
        sum += out[c];
    }
    for (int i = 0; i < UINT8_MAX && sum < total; i++, sum++) {
        int64_t best = 0;
        for (int64_t c = 1; c < classes; c++)
            best = mean[c] > mean[best] ? c : best;
        out[best]++;
        mean[best] = -1;
    }
}

static bool brings_label(const bn_moves *m, int64_t p, int32_t v)
{
    int32_t from = m->before[v];
    return from >= 0 && from != p && bn_label(m->small, from) == bn_label(m->small, p);
}

static void store_soft_label(adjusting *a, int64_t i, double *mean)
{
    const bn_moves *m = a->m;
    const bonsai_array *soft = &m->small->view.section[BONSAI_SECTION_SOFT_LABELS];
    int64_t p = a->kept[i], classes = m->small->view.classes, others = 0, total = 0;
    memset(mean, 0, (size_t)classes * sizeof *mean);
    for (int64_t k = a->joined.offsets[p]; k < a->joined.offsets[p + 1]; k++) {
        int32_t v = m->joined[a->joined.item[k]];
        if (!brings_label(m, p, v))
            continue;
        others++;
        for (int64_t c = 0; c < classes; c++)
            mean[c] += (double)bn_real_at(soft, m->before[v] * classes + c);
    }
    if (others == 0)
        return;
    for (int64_t c = 0; c < classes; c++) {
        double own = (double)bn_real_at(soft, p * classes + c);
        mean[c] = (mean[c] + own * (double)(m->size_after[p] - others)) / (double)m->size_after[p];
        total += (int64_t)own;
    }
    if (soft->type == BONSAI_TYPE_U8)
        round_soft((uint8_t *)a->out->owned[BONSAI_SECTION_SOFT_LABELS] + i * classes, mean,
                   classes, total);
    else
        for (int64_t c = 0; c < classes; c++)
            ((float *)a->out->owned[BONSAI_SECTION_SOFT_LABELS])[i * classes + c] = (float)mean[c];
}

static bonsai_status store_labels(adjusting *a)
{
    double *mean = NULL;
    if (!bn_has(a->out, BONSAI_SECTION_SOFT_LABELS))
        return BONSAI_OK;
    bonsai_status rc = BN_NEW(&mean, a->out->view.classes);
    for (int64_t i = 0; rc == BONSAI_OK && i < a->count; i++)
        store_soft_label(a, i, mean);
    bn_free(mean);
    return rc;
}

static bonsai_status store_weights(adjusting *a)
{
    const bn_moves *m = a->m;
    const bonsai_array *old = &m->small->view.section[BONSAI_SECTION_NODE_WEIGHTS];
    float *weight;
    if (!old->data)
        return BONSAI_OK;
    bonsai_status rc = bn_graph_array(&weight, a->out, BONSAI_SECTION_NODE_WEIGHTS,
                                      BONSAI_TYPE_F32, a->count);
    for (int64_t i = 0; rc == BONSAI_OK && i < a->count; i++) {
        int64_t p = a->kept[i];
        double before = (double)m->size_before[p], after = (double)m->size_after[p];
        weight[i] = (float)(before > 0 ? (double)bn_real_at(old, p) * after / before : after);
    }
    return rc;
}

/* Stores members and origins: the origin is one of the members, the old one, else one that
 * joined. */
static bonsai_status store_members(adjusting *a)
{
    bonsai_status rc;
    const bn_moves *m = a->m;
    uint64_t *offsets;
    uint32_t *member, *origin = a->out->owned[BONSAI_SECTION_ORIGIN];
    int64_t *at = NULL, total = 0;
    BN_TRY(BN_NEW(&at, m->small->view.nodes));
    BN_TRY(bn_graph_array(&offsets, a->out, BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_TYPE_U64,
                          a->count + 1));
    for (int64_t i = 0; i < a->count; i++) {
        at[a->kept[i]] = total;
        total += m->size_after[a->kept[i]];
        offsets[i + 1] = (uint64_t)total;
    }
    BN_TRY(bn_graph_array(&member, a->out, BONSAI_SECTION_MEMBERS, BONSAI_TYPE_U32, total));
    for (int64_t v = 0; v < m->now->view.nodes; v++)
        if (m->after[v] >= 0)
            member[at[m->after[v]]++] = (uint32_t)v;
    for (int64_t i = 0; origin && i < a->count; i++) {
        int64_t p = a->kept[i], joined = a->joined.offsets[p];
        if (origin[i] >= (uint64_t)m->now->view.nodes || m->after[origin[i]] != p)
            origin[i] = joined < a->joined.offsets[p + 1]
                            ? (uint32_t)m->joined[a->joined.item[joined]] : member[offsets[i]];
    }
done:
    bn_free(at);
    return rc;
}

/* ---- all of it ---- */

/* Finds the form that changed rows must keep: four bits, and some columns. */
static bonsai_status find_form(adjusting *a)
{
    bonsai_status rc;
    const bonsai_graph *small = a->m->small;
    bn_traits t;
    bn_coding p;
    bool integer;
    int32_t *column = NULL;
    int64_t count;
    BN_TRY(bn_traits_of(&t, &integer, small, NULL));
    BN_TRY(bn_coding_of(&p, small, BONSAI_ENCODING_AUTO, &t, NULL));
    const bonsai_type dense = p.type[BONSAI_SECTION_FEATURES];
    const bonsai_type values = dense ? dense : p.type[BONSAI_SECTION_FEATURE_VALUES];
    a->four = bn_four_bits(values) ? values : BONSAI_TYPE_NONE;
    if (t.empty == 0)
        goto done;
    BN_TRY(bn_columns_used(&column, &count, small, bn_rows_of(&small->view, NULL),
                           small->view.features, 1));
    BN_TRY(BN_NEW(&a->uses, small->view.features));
    for (int64_t i = 0; i < count; i++)
        a->uses[column[i]] = true;
done:
    bn_free(column);
    return rc;
}

static bonsai_status prepare(adjusting *a, int64_t *adjusted)
{
    bonsai_status rc;
    const bn_moves *m = a->m;
    int64_t prototypes = m->small->view.nodes, f = m->small->view.features;
    BN_TRY(group(&a->left, m->left, m->lefts, m->before, prototypes));
    BN_TRY(group(&a->joined, m->joined, m->joins, m->after, prototypes));
    BN_TRY(BN_NEW(&a->kept, prototypes));
    BN_TRY(BN_NEW(&a->sum, f));
    BN_TRY(BN_NEW(&a->row, f));
    BN_TRY(BN_NEW(&a->value, f));
    BN_TRY(BN_NEW(&a->index, f));
    BN_TRY(find_form(a));
    for (int64_t p = 0; p < prototypes; p++) {
        *adjusted += is_moved(a, p);
        if (m->size_after[p] > 0)
            a->kept[a->count++] = (int32_t)p;
    }
    if (a->count == 0)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, m->now->where, "no training node is left that a "
                        "prototype could stand for");
done:
    return rc;
}

bonsai_status bn_adjust(bonsai_graph **out, int64_t *adjusted, const bn_moves *m)
{
    bonsai_status rc;
    adjusting a = {.m = m};
    *adjusted = 0;
    BN_TRY(prepare(&a, adjusted));
    BN_TRY(bonsai_graph_induce(&a.out, m->small, a.kept, a.count));
    if (bn_has(m->small, BONSAI_SECTION_FEATURE_OFFSETS))
        BN_TRY(store_sparse(&a));
    else
        BN_TRY(store_dense(&a));
    BN_TRY(store_labels(&a));
    BN_TRY(store_weights(&a));
    BN_TRY(store_members(&a));
done:
    bn_lists_free(&a.left);
    bn_lists_free(&a.joined);
    bn_free(a.kept);
    bn_free(a.sum);
    bn_free(a.row);
    bn_free(a.value);
    bn_free(a.index);
    bn_free(a.uses);
    return bn_graph_give(out, a.out, rc);
}

void bn_adjust_limit(bonsai_graph *small, float most)
{
    float *weight = small->owned[BONSAI_SECTION_NODE_WEIGHTS];
    for (int64_t i = 0; weight && i < small->view.nodes; i++)
        weight[i] = fminf(weight[i], most);
}
