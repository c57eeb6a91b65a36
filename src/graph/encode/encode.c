/* encode.c -- finds the smallest encoding of each section, and its size.
 *
 * The traits of the features (traits.c) determine a coding.  Both the writer (emit.c) and the size
 * of a graph use it, so the two cannot differ.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph/graph.h"

static void set(bn_coding *p, bonsai_section s, bonsai_type t, int64_t count)
{
    p->type[s] = t;
    p->count[s] = count;
}

/* Returns at most INT64_MAX: 2^31 nodes with 2^31 features are legal if they are sparse. */
int64_t bn_coding_bytes(const bn_coding *p, bonsai_section s)
{
    int64_t bytes;
    if (p->type[s] == BONSAI_TYPE_NONE)
        return 0;
    return bn_type_space(&bytes, p->type[s], p->count[s]) ? bytes : INT64_MAX;
}

static bonsai_type offset_type(int64_t last)
{
    return last <= (int64_t)UINT32_MAX ? BONSAI_TYPE_U32 : BONSAI_TYPE_U64;
}

static bonsai_type eight_bits(const bn_traits *t)
{
    return t->negative ? BONSAI_TYPE_I8 : BONSAI_TYPE_U8;
}

static bonsai_type number_type(int64_t features)
{
    return features <= 65536 ? BONSAI_TYPE_U16 : BONSAI_TYPE_U32;
}

static bonsai_type index_type(const bonsai_view *v)
{
    return number_type(v->features);
}

/* Codes dense rows of all columns, or of fewer, which are then listed. */
static void set_dense(bn_coding *p, const bonsai_view *v, bonsai_type t, int64_t columns)
{
    set(p, BONSAI_SECTION_FEATURES, t, v->nodes * columns);
    if (columns < v->features)
        set(p, BONSAI_SECTION_FEATURE_COLUMNS, index_type(v), columns);
    if (bn_scaled(t))
        set(p, BONSAI_SECTION_FEATURE_SCALE, BONSAI_TYPE_F32, v->nodes);
}

static void set_sparse(bn_coding *p, const bonsai_view *v, const bn_traits *t, bonsai_type values)
{
    set(p, BONSAI_SECTION_FEATURE_OFFSETS, offset_type(t->nnz), v->nodes + 1);
    set(p, BONSAI_SECTION_FEATURE_INDICES, index_type(v), t->nnz);
    if (values != BONSAI_TYPE_NONE)
        set(p, BONSAI_SECTION_FEATURE_VALUES, values, t->nnz);
    if (bn_scaled(values))
        set(p, BONSAI_SECTION_FEATURE_SCALE, BONSAI_TYPE_F32, v->nodes);
}

/* Codes the basis and the coordinates of the graph. */
static void set_factors(bn_coding *p, const bonsai_graph *g)
{
    for (int s = BONSAI_SECTION_BASIS; s <= BONSAI_SECTION_COORDINATE_SCALE; s++)
        if (bn_has(g, s))
            set(p, (bonsai_section)s, g->view.section[s].type, g->view.section[s].count);
    if (bn_factors_are_squares(g))
        p->type[BONSAI_SECTION_BASIS] = BONSAI_TYPE_S4;
    if (bn_has(g, BONSAI_SECTION_BASIS_COLUMNS))
        p->type[BONSAI_SECTION_BASIS_COLUMNS] = number_type(bn_basis_features(g));
    const int64_t bits = (bn_basis_features(g) + 7) / 8;
    if (bits < bn_coding_bytes(p, BONSAI_SECTION_BASIS_COLUMNS))
        set(p, BONSAI_SECTION_BASIS_COLUMNS, BONSAI_TYPE_U8, bits);
}

static int64_t feature_bytes(const bn_coding *p)
{
    int64_t sum = 0;
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++)
        if (!bn_add(&sum, sum, bn_coding_bytes(p, s)))
            return INT64_MAX;
    for (int s = BONSAI_SECTION_BASIS; s <= BONSAI_SECTION_COORDINATE_SCALE; s++)
        if (!bn_add(&sum, sum, bn_coding_bytes(p, s)))
            return INT64_MAX;
    return bn_add(&sum, sum, bn_coding_bytes(p, BONSAI_SECTION_FEATURE_COLUMNS)) ? sum : INT64_MAX;
}

/* Returns the smaller coding, or the first if they are equal. */
static bn_coding smaller(const bn_coding *a, const bn_coding *b)
{
    return feature_bytes(b) < feature_bytes(a) ? *b : *a;
}

/* Return the lossless types of 8 and of 4 bits, or NONE. */
static bonsai_type lossless_eight(const bn_traits *t)
{
    return t->u8 ? BONSAI_TYPE_U8 : t->i8 ? BONSAI_TYPE_I8 : BONSAI_TYPE_NONE;
}

static bonsai_type lossless_four(const bn_traits *t)
{
    return t->q4 ? BONSAI_TYPE_Q4 : t->s4 ? BONSAI_TYPE_S4 : BONSAI_TYPE_NONE;
}

enum { SPARSE = -1 };           /* instead of a number of columns */

static bn_coding coded(const bn_coding *base, const bonsai_view *v, const bn_traits *t,
                       bonsai_type values, int64_t columns)
{
    bn_coding p = *base;
    if (columns == SPARSE)
        set_sparse(&p, v, t, values);
    else
        set_dense(&p, v, values, columns);
    return p;
}

/* Returns the smallest lossless coding of sparse rows, or of some columns of dense rows. */
static bn_coding best_of(const bn_coding *base, const bonsai_view *v, const bn_traits *t,
                         int64_t columns)
{
    const bool ones = columns == SPARSE && t->ones, half = columns != SPARSE && t->half;
    const bonsai_type narrow[] = {lossless_eight(t), lossless_four(t)};
    bn_coding best = coded(base, v, t, ones   ? BONSAI_TYPE_NONE
                                       : half ? BONSAI_TYPE_F16 : BONSAI_TYPE_F32, columns);
    for (int i = 0; i < 2; i++)
        if (!ones && narrow[i] != BONSAI_TYPE_NONE) {
            const bn_coding other = coded(base, v, t, narrow[i], columns);
            best = smaller(&best, &other);
        }
    return best;
}

/* Returns the smallest of sparse, dense, and dense for the columns with a value; the first of
 * equals. */
static bn_coding best_of_all(const bn_coding *base, const bonsai_view *v, const bn_traits *t)
{
    const bn_coding dense = best_of(base, v, t, v->features);
    const bn_coding sparse = best_of(base, v, t, SPARSE);
    const bn_coding best = smaller(&sparse, &dense);
    if (t->empty == 0)
        return best;
    const bn_coding some = best_of(base, v, t, v->features - t->empty);
    return smaller(&best, &some);
}

void bn_traits_code(bn_coding *p, const bn_traits *t, int64_t n, int64_t f)
{
    const bonsai_view v = {.nodes = n, .features = f};
    const bn_coding base = *p;
    *p = best_of_all(&base, &v, t);
}

int64_t bn_traits_columns(const bn_traits *t, int64_t n, int64_t f)
{
    const bonsai_view v = {.nodes = n, .features = f};
    const bn_coding base = {.type = {BONSAI_TYPE_NONE}};
    bn_traits all = *t;
    all.empty = 0;
    const bn_coding best = best_of_all(&base, &v, &all);
    int64_t low = -1, high = f - 1;             /* more columns never take fewer bytes */
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        const bn_coding some = best_of(&base, &v, t, middle);
        if (feature_bytes(&some) < feature_bytes(&best))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t bn_traits_bytes(const bn_traits *t, int64_t n, int64_t f, bool *is_dense)
{
    bn_coding best = {.type = {BONSAI_TYPE_NONE}};
    bn_traits_code(&best, t, n, f);
    if (is_dense)
        *is_dense = best.type[BONSAI_SECTION_FEATURES] != BONSAI_TYPE_NONE;
    return feature_bytes(&best);
}

static bonsai_status code_features(bn_coding *p, const bonsai_graph *g, bonsai_encoding e,
                                   const bn_traits *t)
{
    const bonsai_view *v = &g->view;
    const bn_coding base = *p;
    bn_coding factored = base;
    if (!bn_has(g, BONSAI_SECTION_FEATURES) && !bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS))
        return BONSAI_OK;
    const bn_traits mapped = bn_traits_mapped(t);
    if (g->spanned) {                   /* only the basis says what they are coordinates of */
        set_factors(p, g);
        return BONSAI_OK;
    }
    switch (e) {
    case BONSAI_ENCODING_AUTO:
        *p = best_of_all(&base, v, t);
        if (t->factored) {
            set_factors(&factored, g);
            *p = smaller(&factored, p);
        }
        break;
    case BONSAI_ENCODING_KEEP:
        *p = best_of(&base, v, &mapped,
                     bn_has(g, BONSAI_SECTION_FEATURES) ? v->features : SPARSE);
        break;
    case BONSAI_ENCODING_F32:
        set_dense(p, v, BONSAI_TYPE_F32, v->features);
        break;
    case BONSAI_ENCODING_F16:
        set_dense(p, v, BONSAI_TYPE_F16, v->features);
        break;
    case BONSAI_ENCODING_U8:
        set_dense(p, v, eight_bits(t), v->features);
        break;
    case BONSAI_ENCODING_SPARSE_F32:
        set_sparse(p, v, t, BONSAI_TYPE_F32);
        break;
    case BONSAI_ENCODING_SPARSE_U8:
        set_sparse(p, v, t, eight_bits(t));
        break;
    default:
        return bn_fail(BONSAI_E_ARGUMENT, "feature encoding %d is not known", (int)e);
    }
    return BONSAI_OK;
}

int64_t bn_coding_saves(const bn_coding *p, const bonsai_graph *g, const bn_traits *t, int bits)
{
    const bonsai_type narrow = bits == 8 ? eight_bits(t)
                               : t->negative ? BONSAI_TYPE_S4 : BONSAI_TYPE_Q4;
    bn_coding other = {.type = {BONSAI_TYPE_NONE}};
    if (p->type[BONSAI_SECTION_COORDINATES] != BONSAI_TYPE_NONE)
        return 0;
    if (p->type[BONSAI_SECTION_FEATURES] != BONSAI_TYPE_NONE)
        set_dense(&other, &g->view, narrow, g->view.features - t->empty);
    else
        set_sparse(&other, &g->view, t, narrow);
    return feature_bytes(p) - bn_least(feature_bytes(&other), feature_bytes(p));
}

/* Tests whether soft labels or node weights fit 8 bits, and 16. */
static void try_narrow(int64_t *wide8, int64_t *wide16, const bonsai_graph *g, bonsai_section s,
                       bn_rows rows)
{
    const bonsai_array *a = &g->view.section[s];
    bool bytes = true, shorts = s == BONSAI_SECTION_NODE_WEIGHTS;
    int64_t i, to;
    bn_section_part(&i, &to, &g->view, s, rows);
    for (; a->type != BONSAI_TYPE_U8 && i < to && (bytes || shorts); i++) {
        float v = bn_real_at(a, i), q = s == BONSAI_SECTION_SOFT_LABELS ? rintf(v * 255.0f) : v;
        bytes &= q >= 0 && q <= 255.0f && !signbit(v) &&
                 (s == BONSAI_SECTION_SOFT_LABELS ? q / 255.0f : rintf(q)) == v;
        shorts &= v >= 0 && v <= 65535.0f && !signbit(v) && rintf(v) == v;
    }
    *wide8 = !bytes;
    *wide16 = !shorts;
}

/* Finds the narrowest type that holds every soft label, and every node weight. */
static bonsai_status find_reals(bn_coding *p, const bonsai_graph *g, bn_world *w, bn_rows rows)
{
    static const bonsai_section section[] = {BONSAI_SECTION_SOFT_LABELS,
                                             BONSAI_SECTION_NODE_WEIGHTS};
    int64_t wide[2][2] = {{0}};
    for (int i = 0; i < 2; i++)
        if (bn_has(g, section[i]))
            try_narrow(&wide[i][0], &wide[i][1], g, section[i], rows);
    bonsai_status rc = bn_sum_int(w, wide[0], 4);
    for (int i = 0; i < 2; i++)
        if (bn_has(g, section[i]))
            p->type[section[i]] = !wide[i][0]   ? BONSAI_TYPE_U8
                                  : !wide[i][1] ? BONSAI_TYPE_U16
                                                : BONSAI_TYPE_F32;
    return rc;
}

/* Counts the sparse entries of the ranks before this one; rows are read again only if zeros are
 * stored, or if features are dense. */
static bonsai_status find_before(bn_coding *p, const bonsai_graph *g, bn_world *w, bn_rows rows,
                                 int threads)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_array *offsets = &g->view.section[BONSAI_SECTION_FEATURE_OFFSETS];
    int64_t *all = NULL;
    bn_traits t = {0};
    bool integer;
    if (p->type[BONSAI_SECTION_FEATURE_OFFSETS] == BONSAI_TYPE_NONE || bn_ranks(w) == 1)
        return BONSAI_OK;
    if (offsets->data &&
        g->view.section[BONSAI_SECTION_FEATURE_INDICES].count ==
            p->count[BONSAI_SECTION_FEATURE_INDICES]) {
        p->before = bn_int_at(offsets, rows.begin);
        return BONSAI_OK;
    }
    rc = BN_NEW(&all, bn_ranks(w));
    if (rc == BONSAI_OK)
        rc = bn_traits_rows(&t, &integer, g, rows.begin, rows.end, threads);
    BN_TRY(bn_agree(w, rc));
    BN_TRY(bn_gather_int(w, all, t.nnz));
    for (int r = 0; r < bn_rank(w); r++)
        p->before += all[r];
done:
    bn_free(all);
    return rc;
}

bonsai_status bn_coding_of(bn_coding *p, const bonsai_graph *g, bonsai_encoding e,
                           const bn_traits *traits, const bn_place *place)
{
    bonsai_status rc;
    const bn_place *at = bn_here(place);
    const bonsai_view *v = &g->view;
    const bn_rows rows = bn_rows_of(v, at);
    memset(p, 0, sizeof *p);
    BN_TRY(bn_graph_need_at(g, BN_FEATURE_SECTIONS | BN_BIT(BONSAI_SECTION_SOFT_LABELS) |
                                   BN_BIT(BONSAI_SECTION_NODE_WEIGHTS) |
                                   BN_BIT(BONSAI_SECTION_LABELS), at));
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        const bonsai_array *a = &v->section[s];
        bonsai_type t = a->type;
        if (!a->data || (s >= BONSAI_SECTION_FEATURES && s <= BONSAI_SECTION_FEATURE_SCALE) ||
            bn_is_factor(s))
            continue;
        if (s == BONSAI_SECTION_OFFSETS)
            t = offset_type(v->section[BONSAI_SECTION_NEIGHBORS].count);
        else if (s == BONSAI_SECTION_MEMBER_OFFSETS)
            t = offset_type(v->section[BONSAI_SECTION_MEMBERS].count);
        else if (s == BONSAI_SECTION_LABELS)
            t = v->classes <= 255     ? BONSAI_TYPE_U8
                : v->classes <= 65535 ? BONSAI_TYPE_U16
                                      : BONSAI_TYPE_U32;
        set(p, s, t, a->count);
    }
    BN_TRY(find_reals(p, g, at->world, rows));
    BN_TRY(code_features(p, g, e, traits));
    BN_TRY(find_before(p, g, at->world, rows, bn_threads(at->threads)));
done:
    return rc;
}

bonsai_status bn_coding_make(bn_coding *p, const bonsai_graph *g, bonsai_encoding e,
                             const bn_place *at)
{
    bn_traits t;
    bool integer;
    bonsai_status rc = bn_traits_of(&t, &integer, g, at);
    return rc != BONSAI_OK ? rc : bn_coding_of(p, g, e, &t, at);
}
