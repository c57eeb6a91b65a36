/* wl_sum.c -- the next row of a node from sparse rows; see wl.c.
 *
 * The neighbours' rows are added into a dense row, which stays in the nearest cache; the rule is
 * applied to all of it, and its non-zeros are read in order, without sorting.  If a node's
 * neighbours have few entries among many features, the stretches that they touch are marked, and
 * only those are read: a row of a million features takes no longer than its entries do.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "wl.h"

/* GROUP: features of a stretch; FEW: rows with fewer entries than f / FEW are thin; AHEAD,
 * AHEAD_BYTES: rows that are prefetched, and how much of each. */
enum { GROUP_BITS = 6, GROUP = 1 << GROUP_BITS, FEW = 16, AHEAD = 4, AHEAD_BYTES = 256 };

bonsai_status bn_wl_sum_new(bn_wl_sum *k, int64_t f)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&k->sum, f));
    BN_TRY(BN_NEW(&k->own, f));
    BN_TRY(BN_NEW(&k->touched, f / GROUP + 1));
done:
    return rc;
}

void bn_wl_sum_free(bn_wl_sum *k)
{
    bn_free(k->sum);
    bn_free(k->own);
    bn_free(k->touched);
}

/* ---- the sum of the neighbours ---- */

/* Adds a row whose types the compiler knows. */
static inline __attribute__((always_inline)) void
add_typed(bn_wl_sum *k, bn_wl_row r, float weight, const bool thin, const bool narrow,
          const bonsai_type t)
{
    float *restrict sum = k->sum;
    uint8_t *restrict touched = k->touched;
    r.narrow = narrow;
    r.value = t == BONSAI_TYPE_NONE ? NULL : r.value;
    r.type = t;
    for (int64_t e = 0; e < r.count; e++) {
        int32_t j = bn_wl_index(&r, e);
        sum[j] += weight * bn_wl_value(&r, e);
        if (thin)
            touched[j >> GROUP_BITS] = 1;
    }
}

static inline __attribute__((always_inline)) void
add_values(bn_wl_sum *k, const bn_wl_row *r, float weight, const bool thin, const bool narrow)
{
    if (!r->value)
        add_typed(k, *r, weight, thin, narrow, BONSAI_TYPE_NONE);
    else if (r->type == BONSAI_TYPE_F32)
        add_typed(k, *r, weight, thin, narrow, BONSAI_TYPE_F32);
    else if (r->type == BONSAI_TYPE_U8)
        add_typed(k, *r, weight, thin, narrow, BONSAI_TYPE_U8);
    else
        add_typed(k, *r, weight, thin, narrow, BONSAI_TYPE_I8);
}

static inline __attribute__((always_inline)) void
add_row(bn_wl_sum *k, const bn_wl_row *r, float weight, const bool thin)
{
    if (r->narrow)
        add_values(k, r, weight, thin, true);
    else
        add_values(k, r, weight, thin, false);
}

/* Prefetches the start of a row; the processor follows a long row by itself. */
static inline void fetch(const bn_wl_row *r)
{
    const char *index = r->index, *value = r->value ? r->value : r->index;
    int64_t bytes = bn_least(r->count * 4, AHEAD_BYTES);
    for (int64_t b = 0; b < bytes; b += 64) {
        __builtin_prefetch(index + b);
        __builtin_prefetch(value + b);
    }
}

static inline __attribute__((always_inline)) void
add_neighbours(bn_wl_sum *k, const bn_wl_run *w, int64_t v, const bool thin)
{
    bn_wl_edges edges = bn_wl_edges_of(w, v);
    for (int64_t e = 0; e < edges.count; e++) {
        if (e + AHEAD < edges.count) {
            bn_wl_row later = bn_wl_row_of(w, edges.id[e + AHEAD]);
            fetch(&later);
        }
        bn_wl_row r = bn_wl_row_of(w, edges.id[e]);
        add_row(k, &r, edges.weight ? edges.weight[e] : 1.0f, thin);
    }
}

/* ---- the rule ---- */

/* Applies the rule to the node's own entries and their sums. */
static void keep_own(bn_wl_sum *k, const bn_wl_run *w, int64_t v, const bn_wl_row *own)
{
    for (int64_t e = 0; e < own->count; e++)
        k->own[e] = bn_rule_next(w->rule, w->factor[v], bn_wl_value(own, e),
                                 k->sum[bn_wl_index(own, e)]);
}

static void put_own(float *row, const bn_wl_sum *k, const bn_wl_row *own)
{
    for (int64_t e = 0; e < own->count; e++)
        row[bn_wl_index(own, e)] = k->own[e];
}

/* Applies the rule where a node itself has no entry. */
static void apply(float *to, const float *sum, const bn_wl_run *w, int64_t v, int64_t count)
{
    const float factor = w->factor[v];
    const float a = w->rule == BN_RULE_MEAN ? 1.0f : factor;
    const float b = w->rule == BN_RULE_MEAN ? factor : w->rule == BN_RULE_WL ? 0.5f : 1.0f;
    bn_kernels_get()->mix(to, sum, a, b, count);
}

void bn_wl_sum_dense(float *to, bn_wl_sum *k, const bn_wl_run *w, int64_t v)
{
    bn_wl_row own = bn_wl_row_of(w, v);
    if (w->factor[v] == 0.0f) {
        for (int64_t e = 0; e < own.count && bn_rule_keeps(w->rule); e++)
            to[bn_wl_index(&own, e)] = bn_wl_value(&own, e);
        return;
    }
    add_neighbours(k, w, v, false);
    keep_own(k, w, v, &own);
    apply(to, k->sum, w, v, w->f);
    put_own(to, k, &own);
    memset(k->sum, 0, (size_t)w->f * sizeof *k->sum);
}

/* ---- sparse rows ---- */

int64_t bn_wl_bound(const bn_wl_run *w, int64_t v)
{
    bn_wl_edges edges = bn_wl_edges_of(w, v);
    int64_t most = bn_wl_row_of(w, v).count;
    for (int64_t e = 0; e < edges.count; e++)
        most += bn_wl_row_of(w, edges.id[e]).count;
    return bn_least(most, w->f);
}

int64_t bn_wl_pick(int32_t *index, float *value, const bn_wl_row *r)
{
    int64_t count = 0;
    for (int64_t e = 0; e < r->count; e++) {
        float x = bn_wl_value(r, e);
        if (bn_is_zero(x))
            continue;
        if (index) {
            index[count] = bn_wl_index(r, e);
            value[count] = x;
        }
        count++;
    }
    return count;
}

/* Finds the next touched features from *end on. */
static bool next_stretch(int64_t *begin, int64_t *end, const bn_wl_sum *k, int64_t f)
{
    const uint8_t *at = k->touched + *end / GROUP, *last = k->touched + (f + GROUP - 1) / GROUP;
    const uint8_t *from = *end < f ? memchr(at, 1, (size_t)(last - at)) : NULL;
    if (!from)
        return false;
    const uint8_t *to = memchr(from, 0, (size_t)(last - from));
    *begin = (from - k->touched) * GROUP;
    *end = bn_least(((to ? to : last) - k->touched) * GROUP, f);
    return true;
}

/* Adds the neighbours' rows; marks the stretches that they touch, or all. */
static void add_up(bn_wl_sum *k, const bn_wl_run *w, int64_t v, const bn_wl_row *own, bool thin)
{
    if (!thin) {
        add_neighbours(k, w, v, false);
        memset(k->touched, 1, (size_t)(w->f / GROUP + 1));
        return;
    }
    add_neighbours(k, w, v, true);
    for (int64_t e = 0; e < own->count; e++)
        k->touched[bn_wl_index(own, e) >> GROUP_BITS] = 1;
}

int64_t bn_wl_sum_sparse(int32_t *index, float *value, bn_wl_sum *k, const bn_wl_run *w, int64_t v,
                         int64_t bound)
{
    bn_wl_row own = bn_wl_row_of(w, v);
    int64_t count = 0;
    if (w->factor[v] == 0.0f)
        return bn_rule_keeps(w->rule) ? bn_wl_pick(index, value, &own) : 0;
    add_up(k, w, v, &own, bound * FEW < w->f);
    keep_own(k, w, v, &own);
    for (int64_t begin, end = 0; next_stretch(&begin, &end, k, w->f);)
        apply(k->sum + begin, k->sum + begin, w, v, end - begin);
    put_own(k->sum, k, &own);
    for (int64_t begin, end = 0; next_stretch(&begin, &end, k, w->f);) {
        count += bn_kernels_get()->pack(index + count, value + count, k->sum + begin,
                                        (int32_t)begin, end - begin, bound - count);
        memset(k->sum + begin, 0, (size_t)(end - begin) * sizeof *k->sum);
    }
    memset(k->touched, 0, (size_t)(w->f / GROUP + 1));
    return count;
}
