/* check.c -- every invariant of a graph, and the sentence for each.
 *
 * bn_view_shape looks only at counts and types.  bn_section_check reads the
 * elements of one section, in parallel, and names the first that is wrong.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "graph.h"

/* ---- shape ---- */

typedef struct {
    bonsai_section section;
    unsigned types;             /* BN_BIT of each type that it may have */
    int64_t count;              /* -1: any */
} shape_rule;

static bonsai_status check_rule(const bonsai_view *v, const shape_rule *rule, const char *where)
{
    const bonsai_array *a = &v->section[rule->section];
    if (!a->data)
        return BONSAI_OK;
    const char *name = bonsai_section_text(rule->section);
    if ((unsigned)a->type > BONSAI_F32 || !(rule->types & BN_BIT(a->type)))
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: type %s (%d) is not allowed here", where, name,
                       bonsai_type_text(a->type), (int)a->type);
    if (a->count < 0)
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: %lld elements; the number must not be negative",
                       where, name, (long long)a->count);
    if (rule->count >= 0 && a->count != rule->count)
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: %lld elements where %lld are needed", where, name,
                       (long long)a->count, (long long)rule->count);
    return BONSAI_OK;
}

static bonsai_status check_sizes(const bonsai_view *v, const char *where)
{
    if (v->nodes < 0 || v->nodes > INT32_MAX)
        return bn_fail(BONSAI_E_FORMAT, "%s: %lld nodes; the number must be in 0..%d", where,
                       (long long)v->nodes, INT32_MAX);
    if (v->features < 0 || v->features > INT32_MAX)
        return bn_fail(BONSAI_E_FORMAT, "%s: %lld features; the number must be in 0..%d", where,
                       (long long)v->features, INT32_MAX);
    if (v->classes < 0 || v->classes > INT32_MAX)
        return bn_fail(BONSAI_E_FORMAT, "%s: %lld classes; the number must be in 0..%d", where,
                       (long long)v->classes, INT32_MAX);
    if (v->flags & ~(uint64_t)(BONSAI_DIRECTED | BONSAI_SELF_LOOPS | BONSAI_REPEATED))
        return bn_fail(BONSAI_E_FORMAT, "%s: unknown flags %llx", where,
                       (unsigned long long)v->flags);
    return BONSAI_OK;
}

static bonsai_status missing(const char *where, bonsai_section have, bonsai_section need)
{
    return bn_fail(BONSAI_E_FORMAT, "%s: has \"%s\" but not \"%s\"", where,
                   bonsai_section_text(have), bonsai_section_text(need));
}

static bool is_scaled(const bonsai_array *a)
{
    return a->data && (a->type == BONSAI_U8 || a->type == BONSAI_I8);
}

static bonsai_status check_together(const bonsai_view *v, const char *where)
{
    static const bonsai_section pairs[][2] = {      /* the first needs the second */
        {BONSAI_EDGE_WEIGHTS, BONSAI_NEIGHBORS},
        {BONSAI_FEATURE_OFFSETS, BONSAI_FEATURE_INDICES},
        {BONSAI_FEATURE_INDICES, BONSAI_FEATURE_OFFSETS},
        {BONSAI_FEATURE_VALUES, BONSAI_FEATURE_INDICES},
        {BONSAI_MEMBER_OFFSETS, BONSAI_MEMBERS},
        {BONSAI_MEMBERS, BONSAI_MEMBER_OFFSETS},
        {BONSAI_FEATURE_MEAN, BONSAI_FEATURE_SPREAD},
        {BONSAI_FEATURE_SPREAD, BONSAI_FEATURE_MEAN},
    };
    const bonsai_array *a = v->section;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (a[pairs[i][0]].data && !a[pairs[i][1]].data)
            return missing(where, pairs[i][0], pairs[i][1]);
    if (!a[BONSAI_OFFSETS].data || !a[BONSAI_NEIGHBORS].data)
        return bn_fail(BONSAI_E_FORMAT, "%s: has no adjacency", where);
    if (a[BONSAI_FEATURES].data && a[BONSAI_FEATURE_OFFSETS].data)
        return bn_fail(BONSAI_E_FORMAT, "%s: has dense and sparse features", where);
    if (v->features > 0 && !a[BONSAI_FEATURES].data && !a[BONSAI_FEATURE_OFFSETS].data)
        return bn_fail(BONSAI_E_FORMAT, "%s: says %lld features but holds none", where,
                       (long long)v->features);
    bool scaled = is_scaled(&a[BONSAI_FEATURES]) || is_scaled(&a[BONSAI_FEATURE_VALUES]);
    if (scaled != (a[BONSAI_FEATURE_SCALE].data != NULL))
        return bn_fail(BONSAI_E_FORMAT, "%s: 8-bit features need a scale per row, others have none",
                       where);
    return BONSAI_OK;
}

bonsai_status bn_view_shape(const bonsai_view *v, const char *where)
{
    bonsai_status rc;
    BN_TRY(check_sizes(v, where));
    const unsigned u8 = BN_BIT(BONSAI_U8), u16 = BN_BIT(BONSAI_U16), u32 = BN_BIT(BONSAI_U32),
                   u64 = BN_BIT(BONSAI_U64), i8 = BN_BIT(BONSAI_I8), f16 = BN_BIT(BONSAI_F16),
                   f32 = BN_BIT(BONSAI_F32);
    int64_t n = v->nodes, f = v->features, c = v->classes;     /* below 2^31: n*f cannot overflow */
    int64_t m = v->section[BONSAI_NEIGHBORS].count, nnz = v->section[BONSAI_FEATURE_INDICES].count;
    const shape_rule rules[] = {
        {BONSAI_OFFSETS, u32 | u64, n + 1},
        {BONSAI_NEIGHBORS, u32, -1},
        {BONSAI_EDGE_WEIGHTS, f32, m},
        {BONSAI_FEATURES, f32 | f16 | u8 | i8, n * f},
        {BONSAI_FEATURE_OFFSETS, u32 | u64, n + 1},
        {BONSAI_FEATURE_INDICES, u16 | u32, -1},
        {BONSAI_FEATURE_VALUES, f32 | u8 | i8, nnz},
        {BONSAI_FEATURE_SCALE, f32, n},
        {BONSAI_LABELS, u8 | u16 | u32, n},
        {BONSAI_SOFT_LABELS, u8 | f32, n * c},
        {BONSAI_NODE_WEIGHTS, u8 | u16 | f32, n},
        {BONSAI_SPLIT, u8, n},
        {BONSAI_CLASS_NAMES, u8, -1},
        {BONSAI_NODE_NAMES, u8, -1},
        {BONSAI_ORIGIN, u32, n},
        {BONSAI_ROLE, u8, n},
        {BONSAI_MEMBER_OFFSETS, u32 | u64, n + 1},
        {BONSAI_MEMBERS, u32, -1},
        {BONSAI_KEPT_FEATURES, u32, f},
        {BONSAI_FEATURE_MEAN, f32, f},
        {BONSAI_FEATURE_SPREAD, f32, f},
        {BONSAI_METADATA, u8, -1},
    };
    BN_TRY(check_together(v, where));           /* a missing section says more than a count */
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        BN_TRY(check_rule(v, &rules[i], where));
done:
    return rc;
}

/* ---- elements ---- */

typedef struct {
    const bonsai_view *v;
    const bonsai_array *a;      /* what is checked */
    const bonsai_array *offsets;/* of lists */
    int64_t low, high;          /* integers must be in low..high */
    bool strict;                /* lists ascend without repeats */
    bool no_self;               /* a list does not hold its own row */
} scan;

typedef int64_t first_bad_fn(const scan *s, int64_t begin, int64_t end);

/* The first i in [0, n) that fn calls bad, or n: blocks in parallel, lowest wins. */
static int64_t first_bad(first_bad_fn *fn, const scan *s, int64_t n, int threads)
{
    const int64_t block = 1 << 16;
    int64_t blocks = (n + block - 1) / block, found = n;
#pragma omp parallel for num_threads(bn_team(threads, blocks)) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t end = (b + 1) * block < n ? (b + 1) * block : n;
        int64_t bad = fn(s, b * block, end);
        if (bad < end) {
#pragma omp critical(bn_first_bad)
            if (bad < found)
                found = bad;
        }
    }
    return found;
}

static int64_t bad_offset(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin;
    while (i < end && (uint64_t)bn_int_at(s->a, i) <= (uint64_t)bn_int_at(s->a, i + 1))
        i++;
    return i;
}

static int64_t bad_integer(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin;
    while (i < end && bn_int_at(s->a, i) >= 0 && bn_int_at(s->a, i) <= s->high)
        i++;                    /* high is -1 where nothing is allowed */
    return i;
}

static int64_t bad_finite(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin;
    while (i < end && isfinite(bn_real_at(s->a, i)))
        i++;
    return i;
}

static int64_t bad_positive(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin;
    while (i < end && isfinite(bn_real_at(s->a, i)) && bn_real_at(s->a, i) > 0.0f)
        i++;
    return i;
}

static int64_t bad_non_negative(const scan *s, int64_t begin, int64_t end)
{
    int64_t i = begin;
    while (i < end && isfinite(bn_real_at(s->a, i)) && bn_real_at(s->a, i) >= 0.0f)
        i++;
    return i;
}

/* The first entry of one list that is not ascending, or is its own row. */
static int64_t bad_entry(const scan *s, int64_t row)
{
    int64_t e = bn_int_at(s->offsets, row), end = bn_int_at(s->offsets, row + 1), before = -1;
    for (; e < end; e++) {
        int64_t id = bn_int_at(s->a, e);
        if (id < before || (s->strict && id == before) || (s->no_self && id == row))
            break;
        before = id;
    }
    return e;
}

static int64_t bad_list(const scan *s, int64_t begin, int64_t end)
{
    int64_t r = begin;
    while (r < end && bad_entry(s, r) == bn_int_at(s->offsets, r + 1))
        r++;
    return r;
}

/* Whether the scale of an 8-bit row keeps all its features finite. */
static bool products_are_finite(const bonsai_view *v, int64_t row)
{
    bool sparse = v->section[BONSAI_FEATURE_OFFSETS].data != NULL;
    const bonsai_array *q = &v->section[sparse ? BONSAI_FEATURE_VALUES : BONSAI_FEATURES];
    const bonsai_array *offsets = &v->section[BONSAI_FEATURE_OFFSETS];
    const float *scale = v->section[BONSAI_FEATURE_SCALE].data;
    int64_t begin = sparse ? bn_int_at(offsets, row) : row * v->features;
    int64_t end = sparse ? bn_int_at(offsets, row + 1) : begin + v->features;
    for (int64_t e = begin; e < end; e++)
        if (!isfinite(scale[row] * bn_real_at(q, e)))
            return false;
    return true;
}

/* Scales that are not finite, or that make a feature infinite.  Only a scale near
 * the largest float can, so the features are hardly ever read. */
static int64_t bad_scale(const scan *s, int64_t begin, int64_t end)
{
    const float *scale = s->a->data;
    int64_t i = begin;
    while (i < end && isfinite(scale[i]) &&
           (fabsf(scale[i]) <= FLT_MAX / 256 || products_are_finite(s->v, i)))
        i++;
    return i;
}

static bonsai_status check_offsets(const scan *s, bonsai_section id, int64_t total,
                                   const char *where, int threads)
{
    const char *name = bonsai_section_text(id);
    int64_t rows = s->a->count - 1;
    if (bn_int_at(s->a, 0) != 0)
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: the first is %lld, not 0", where, name,
                       (long long)bn_int_at(s->a, 0));
    int64_t bad = first_bad(bad_offset, s, rows, threads);
    if (bad < rows)
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: they fall from %lld to %lld after row %lld", where,
                       name, (long long)bn_int_at(s->a, bad), (long long)bn_int_at(s->a, bad + 1),
                       (long long)bad);
    if (bn_int_at(s->a, rows) != total)
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: the last is %lld but there are %lld entries",
                       where, name, (long long)bn_int_at(s->a, rows), (long long)total);
    return BONSAI_OK;
}

static bonsai_status check_integers(const scan *s, bonsai_section id, const char *where,
                                    int threads)
{
    int64_t bad = first_bad(bad_integer, s, s->a->count, threads);
    if (bad == s->a->count)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_FORMAT, "%s: %s: entry %lld is %lld, outside 0..%lld", where,
                   bonsai_section_text(id), (long long)bad, (long long)bn_int_at(s->a, bad),
                   (long long)s->high);
}

static bonsai_status check_ascending(const scan *s, bonsai_section id, const char *where,
                                     int threads)
{
    bonsai_status rc;
    BN_TRY(check_integers(s, id, where, threads));
    for (int64_t i = 1; i < s->a->count; i++)
        if (bn_int_at(s->a, i) <= bn_int_at(s->a, i - 1))
            return bn_fail(BONSAI_E_FORMAT, "%s: %s: entry %lld is %lld, out of order", where,
                           bonsai_section_text(id), (long long)i, (long long)bn_int_at(s->a, i));
done:
    return rc;
}

static bonsai_status check_reals(first_bad_fn *fn, const char *wanted, const scan *s,
                                 bonsai_section id, const char *where, int threads)
{
    int64_t bad = first_bad(fn, s, s->a->count, threads);
    if (bad == s->a->count)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_FORMAT, "%s: %s: entry %lld is %g, which is not %s", where,
                   bonsai_section_text(id), (long long)bad, (double)bn_real_at(s->a, bad), wanted);
}

static bonsai_status check_lists(scan *s, bonsai_section id, const char *where, int threads)
{
    bonsai_status rc;
    BN_TRY(check_integers(s, id, where, threads));
    int64_t rows = s->offsets->count - 1, row = first_bad(bad_list, s, rows, threads);
    if (row < rows) {
        int64_t e = bad_entry(s, row);
        bool self = s->no_self && bn_int_at(s->a, e) == row;
        rc = bn_fail(BONSAI_E_FORMAT, "%s: %s: entry %lld of row %lld is %lld, %s", where,
                     bonsai_section_text(id), (long long)(e - bn_int_at(s->offsets, row)),
                     (long long)row, (long long)bn_int_at(s->a, e),
                     self ? "a self loop in a graph that says it has none" : "out of order");
    }
done:
    return rc;
}

static bonsai_status check_labels(scan *s, const char *where, int threads)
{
    int64_t unknown = (1ll << 8 * bonsai_type_bytes(s->a->type)) - 1, n = s->a->count;
    s->high = s->v->classes - 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t label = bn_int_at(s->a, i);
        if (label != unknown && label > s->high)
            return bn_fail(BONSAI_E_FORMAT, "%s: labels: node %lld has label %lld but there are "
                           "%lld classes", where, (long long)i, (long long)label,
                           (long long)s->v->classes);
    }
    (void)threads;
    return BONSAI_OK;
}

/* Well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
static int64_t bad_utf8(const uint8_t *s, int64_t len)
{
    int64_t i = 0;
    while (i < len) {
        uint8_t b = s[i];
        int more = b < 0x80 ? 0 : b >= 0xc2 && b < 0xe0 ? 1 : b >= 0xe0 && b < 0xf0 ? 2
                   : b >= 0xf0 && b < 0xf5 ? 3 : -1;
        if (more < 0 || more >= len - i)
            return i;
        uint8_t low = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
        uint8_t high = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
        for (int k = 1; k <= more; k++, low = 0x80, high = 0xbf)
            if (s[i + k] < low || s[i + k] > high)
                return i;
        i += more + 1;
    }
    return len;
}

static bonsai_status check_text(const bonsai_array *a, bonsai_section id, const char *where)
{
    int64_t bad = bad_utf8(a->data, a->count);
    if (bad < a->count)
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: byte %lld is not UTF-8", where,
                       bonsai_section_text(id), (long long)bad);
    return BONSAI_OK;
}

static bonsai_status check_names(const bonsai_array *a, bonsai_section id, int64_t wanted,
                                 const char *where)
{
    const uint8_t *text = a->data;
    int64_t names = 0;
    for (int64_t i = 0; i < a->count; i++)
        names += text[i] == 0;
    if (names != wanted || (a->count > 0 && text[a->count - 1] != 0))
        return bn_fail(BONSAI_E_FORMAT, "%s: %s: %lld names where %lld are needed", where,
                       bonsai_section_text(id), (long long)names, (long long)wanted);
    return check_text(a, id, where);
}

static bonsai_status check_metadata(const bonsai_array *a, const char *where)
{
    bonsai_status rc;
    json_error_t error;
    BN_TRY(check_text(a, BONSAI_METADATA, where));
    errno = 0;                  /* jansson takes a failed malloc for bad syntax, now and then */
    json_t *root = json_loadb(a->data, (size_t)a->count, 0, &error);
    if (!root)
        rc = errno == ENOMEM || json_error_code(&error) == json_error_out_of_memory
                 ? bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the metadata of %s", where)
                 : bn_fail(BONSAI_E_FORMAT, "%s: metadata: %s (line %d)", where, error.text,
                           error.line);
    else if (!json_is_object(root))
        rc = bn_fail(BONSAI_E_FORMAT, "%s: metadata: is not a JSON object", where);
    json_decref(root);
done:
    return rc;
}

bonsai_status bn_section_check(const bonsai_view *v, bonsai_section s, const char *where,
                               int threads)
{
    const bonsai_array *all = v->section, *a = &all[s];
    scan sc = {.v = v, .a = a, .strict = true};
    switch (s) {
    case BONSAI_OFFSETS:
        return check_offsets(&sc, s, all[BONSAI_NEIGHBORS].count, where, threads);
    case BONSAI_FEATURE_OFFSETS:
        return check_offsets(&sc, s, all[BONSAI_FEATURE_INDICES].count, where, threads);
    case BONSAI_MEMBER_OFFSETS:
        return check_offsets(&sc, s, all[BONSAI_MEMBERS].count, where, threads);
    case BONSAI_NEIGHBORS:
        sc.offsets = &all[BONSAI_OFFSETS];
        sc.high = v->nodes - 1;
        sc.strict = !(v->flags & BONSAI_REPEATED);
        sc.no_self = !(v->flags & BONSAI_SELF_LOOPS);
        return check_lists(&sc, s, where, threads);
    case BONSAI_FEATURE_INDICES:
        sc.offsets = &all[BONSAI_FEATURE_OFFSETS];
        sc.high = v->features - 1;
        return check_lists(&sc, s, where, threads);
    case BONSAI_EDGE_WEIGHTS:
        return check_reals(bad_positive, "positive and finite", &sc, s, where, threads);
    case BONSAI_SOFT_LABELS:
    case BONSAI_NODE_WEIGHTS:
        return check_reals(bad_non_negative, "finite and at least 0", &sc, s, where, threads);
    case BONSAI_FEATURES:
    case BONSAI_FEATURE_VALUES:
    case BONSAI_FEATURE_MEAN:
    case BONSAI_FEATURE_SPREAD:
        return check_reals(bad_finite, "finite", &sc, s, where, threads);
    case BONSAI_FEATURE_SCALE:
        return check_reals(bad_scale, "finite, or times its features is not", &sc, s, where,
                           threads);
    case BONSAI_LABELS:
        return check_labels(&sc, where, threads);
    case BONSAI_SPLIT:
    case BONSAI_ROLE:
        sc.high = 3;
        return check_integers(&sc, s, where, threads);
    case BONSAI_CLASS_NAMES:
        return check_names(a, s, v->classes, where);
    case BONSAI_NODE_NAMES:
        return check_names(a, s, v->nodes, where);
    case BONSAI_KEPT_FEATURES:
        sc.high = INT32_MAX;
        return check_ascending(&sc, s, where, threads);
    case BONSAI_ORIGIN:
    case BONSAI_MEMBERS:
        sc.high = INT32_MAX;
        return check_integers(&sc, s, where, threads);
    case BONSAI_METADATA:
        return check_metadata(a, where);
    case BONSAI_SECTIONS:
        break;
    }
    return BONSAI_OK;
}
