/* traits.c -- finds the traits of a graph's features in one pass, and keeps them.
 *
 * Traits are the number of non-zeros, and whether all values are one, fit half precision, are small
 * multiples of a number per row, or are whole.  If none of that is true, a few rows are enough to
 * find that out, and the rest are only counted.  Then used.c looks for columns without a value.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph/graph.h"

enum { ROWS = 1024 };           /* per block */

typedef struct { bn_traits t; bool integer; } facts;

#define NO_TRAITS {0, true, true, true, true, false, true, true, 0, false}

const bn_traits bn_no_traits = NO_TRAITS;
static const facts nothing = {NO_TRAITS, true};

bn_traits bn_traits_mapped(const bn_traits *t)
{
    bn_traits mapped = *t;
    mapped.q4 = mapped.s4 = false;
    mapped.empty = 0;
    mapped.factored = false;
    return mapped;
}

float bn_row_hint(const bonsai_graph *g, int64_t node)
{
    const float *scale = g->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    return scale ? scale[node] : 0.0f;
}

/* Tests whether a row has 8-bit numbers, and if so, whether they are squares that fit four bits. */
static void add_numbers(bn_traits *t, const float *value, int64_t count, float hint)
{
    const float u = t->u8 ? bn_scale_exact(value, count, 0, 255, hint) : 0.0f;
    const float i = t->i8 ? bn_scale_exact(value, count, -128, 127, hint) : 0.0f;
    t->u8 = u != 0.0f;
    t->i8 = i != 0.0f;
    int q = (t->q4 || t->s4) && t->u8 ? bn_largest_square(value, count, u) : -1;
    int s = u == i ? q : t->s4 && t->i8 ? bn_largest_square(value, count, i) : -1;
    t->q4 = t->q4 && q >= 0;
    t->s4 = t->s4 && s >= 0 && s <= 49;
}

void bn_traits_add(bn_traits *t, const float *value, int64_t count, float hint)
{
    uint32_t any = 0;
    for (int64_t i = 0; i < count && t->ones; i++)
        t->ones = value[i] == 1.0f;
    for (int64_t i = 0; i < count && t->half; i++)
        t->half = bn_half_to_float(bn_half_from_float(value[i])) == value[i];
#pragma omp simd reduction(|:any)
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        any |= bits;
    }
    t->nnz += count;
    t->negative |= any >> 31 != 0;
    add_numbers(t, value, count, hint);
}

static bool are_whole(const float *value, int64_t count)
{
    int64_t i = 0;
    while (i < count && rintf(value[i]) == value[i])
        i++;
    return i == count;
}

void bn_traits_join(bn_traits *t, const bn_traits *more)
{
    t->nnz += more->nnz;
    t->ones &= more->ones;
    t->half &= more->half;
    t->u8 &= more->u8;
    t->i8 &= more->i8;
    t->negative |= more->negative;
    t->q4 &= more->q4;
    t->s4 &= more->s4;
}

static void join(facts *to, const facts *f)
{
    bn_traits_join(&to->t, &f->t);
    to->integer &= f->integer;
}

/* ---- counting alone ---- */

/* Returns the array of values if they are floats or halves; else NULL. */
static const bonsai_array *plain_values(const bonsai_graph *g)
{
    const bonsai_array *a =
        &g->view.section[bn_has(g, BONSAI_SECTION_FEATURES) ? BONSAI_SECTION_FEATURES
                                                            : BONSAI_SECTION_FEATURE_VALUES];
    return a->data && (a->type == BONSAI_TYPE_F32 || a->type == BONSAI_TYPE_F16) ? a : NULL;
}

/* Returns whether only the number of non-zeros, and any minus sign, are left to find. */
static bool is_settled(const facts *f, const bonsai_array *plain)
{
    return plain && !f->t.ones && !f->t.u8 && !f->t.i8 && !f->integer &&
           (!f->t.half || plain->type == BONSAI_TYPE_F16);
}

/* Counts floats, or halves, that are not zero, and finds a minus sign, by their bits. */
static inline __attribute__((always_inline)) void
count_values(bn_traits *t, const void *data, int64_t first, int64_t count, const bool halves)
{
    const uint32_t *floats = (const uint32_t *)data + first;
    const uint16_t *shorts = (const uint16_t *)data + first;
    uint32_t any = 0, zeros = 0;
#pragma omp simd reduction(|:any) reduction(+:zeros)
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = halves ? shorts[i] : floats[i];
        any |= bits;
        zeros += bits == 0;
    }
    t->nnz += count - zeros;
    t->negative |= any >> (halves ? 15 : 31) != 0;
}

static void count_rows(bn_traits *t, const bonsai_graph *g, const bonsai_array *plain,
                       int64_t begin, int64_t end)
{
    const int64_t piece = 1 << 20;
    int64_t from, to;
    bn_section_part(&from, &to, &g->view,
                    bn_has(g, BONSAI_SECTION_FEATURES) ? BONSAI_SECTION_FEATURES
                                                       : BONSAI_SECTION_FEATURE_VALUES,
                    (bn_rows){begin, end, false, false});
    for (; from < to; from += piece)
        if (plain->type == BONSAI_TYPE_F32)
            count_values(t, plain->data, from, bn_least(piece, to - from), false);
        else
            count_values(t, plain->data, from, bn_least(piece, to - from), true);
}

/* ---- learning ---- */

static void learn_rows(facts *f, const bonsai_graph *g, int64_t begin, int64_t end, int32_t *index,
                       float *value)
{
    const bonsai_array *plain = plain_values(g);
    int64_t v = begin;
    for (; v < end && !is_settled(f, plain); v++) {
        int64_t count = bn_row_get(index, value, g, v);
        bn_traits_add(&f->t, value, count, bn_row_hint(g, v));
        f->integer = f->integer && are_whole(value, count);
    }
    if (v < end)
        count_rows(&f->t, g, plain, v, end);
}

static bonsai_status learn(facts *out, const bonsai_graph *g, int64_t begin, int64_t end,
                           int threads)
{
    bonsai_status rc;
    int64_t room = bn_row_room_in(g, begin, end), blocks = (end - begin + ROWS - 1) / ROWS;
    int64_t lanes = bn_least(bn_threads(threads), blocks);
    int32_t *index = NULL;
    float *value = NULL;
    facts *part = NULL;
    BN_TRY(BN_NEW(&index, room * lanes));
    BN_TRY(BN_NEW(&value, room * lanes));
    BN_TRY(BN_NEW(&part, lanes));
    const double work = 2.0 * bn_features_work(g, end - begin);
#pragma omp parallel for num_threads(bn_team((int)lanes, work)) schedule(static)
    for (int64_t lane = 0; lane < lanes; lane++) {
        facts f = nothing;
        for (int64_t b = lane; b < blocks; b += lanes)
            learn_rows(&f, g, begin + b * ROWS, bn_least(begin + (b + 1) * ROWS, end),
                       index + lane * room, value + lane * room);
        part[lane] = f;
    }
    *out = nothing;
    for (int64_t lane = 0; lane < lanes; lane++)
        join(out, &part[lane]);
done:
    bn_free(index);
    bn_free(value);
    bn_free(part);
    return rc;
}

bonsai_status bn_traits_rows(bn_traits *out, bool *integer, const bonsai_graph *g, int64_t begin,
                             int64_t end, int threads)
{
    facts f = nothing;
    const bonsai_array *offsets = &g->view.section[BONSAI_SECTION_FEATURE_OFFSETS];
    if (offsets->data && !bn_has(g, BONSAI_SECTION_FEATURE_VALUES)) {  /* all are one */
        f.t.nnz = bn_int_at(offsets, end) - bn_int_at(offsets, begin);
    } else if (offsets->data || bn_has(g, BONSAI_SECTION_FEATURES)) {
        bonsai_status rc = learn(&f, g, begin, end, threads);
        if (rc != BONSAI_OK)
            return rc;
    }
    *out = f.t;
    *integer = f.integer;
    return BONSAI_OK;
}

static bonsai_status join_ranks(bn_traits *t, bool *integer, bn_world *w)
{
    int64_t sum[] = {t->nnz, !t->ones, !t->half, !t->u8, !t->i8, t->negative, !t->q4, !t->s4,
                     !*integer};
    bonsai_status rc = bn_sum_int(w, sum, sizeof sum / sizeof *sum);
    *t = (bn_traits){sum[0], !sum[1], !sum[2], !sum[3], !sum[4], sum[5] != 0, !sum[6], !sum[7], 0,
                      false};
    *integer = !sum[8];
    return rc;
}

/* ---- keeping ---- */

static bool shares_features(const bonsai_graph *g)
{
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE && g->parent; s++)
        if (g->parent->view.section[s].data != g->view.section[s].data)
            return false;
    return g->parent != NULL;
}

/* Returns the graph that owns the features, which all borrowers share, so the traits stay true.
 * NULL: the features belong to the caller, who may change them. */
static bonsai_graph *keeper(const bonsai_graph *g)
{
    while (shares_features(g))
        g = g->parent;
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++)
        if (bn_has(g, s) && !g->owned[s] && !g->file.data)
            return NULL;
    return (bonsai_graph *)(uintptr_t)g;
}

static void keep(bonsai_graph *k, const bn_traits *t, bool integer)
{
    pthread_mutex_lock(&k->lock);
    if (!atomic_load(&k->learnt)) {
        k->traits = *t;
        k->integer = integer;
        atomic_store(&k->learnt, 1);
    }
    pthread_mutex_unlock(&k->lock);
}

bonsai_status bn_traits_of(bn_traits *out, bool *integer, const bonsai_graph *g,
                           const bn_place *place)
{
    bonsai_status rc;
    const bn_place *at = bn_here(place);
    bn_world *w = at->world;
    bonsai_graph *k = keeper(g);
    const bn_rows rows = bn_rows_of(&g->view, at);
    int64_t unknown = !k || !atomic_load(&k->learnt);
    BN_TRY(bn_graph_need_at(g, BN_FEATURE_SECTIONS, at));
    BN_TRY(bn_sum_int(w, &unknown, 1));         /* all ranks read, or none */
    if (unknown) {
        BN_TRY(bn_agree(w, bn_traits_rows(out, integer, g, rows.begin, rows.end, at->threads)));
        BN_TRY(join_ranks(out, integer, w));
        BN_TRY(bn_columns_find(out, g, at));
        if (k)
            keep(k, out, *integer);
    } else {
        *out = k->traits;
        *integer = k->integer;
    }
    out->factored = bn_has(g, BONSAI_SECTION_COORDINATES);
done:
    return rc;
}
