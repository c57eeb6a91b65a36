/* layout.c -- checks that counts, types and combinations of sections fit; reads no element.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "graph.h"

typedef struct {
    bonsai_section section;
    unsigned types;             /* BN_BIT of each allowed type */
    int64_t count;              /* -1: any */
} shape_rule;

/* Writes "u8, u16, u32". */
static const char *list_types(char *text, size_t size, unsigned types)
{
    size_t used = 0;
    text[0] = 0;
    for (int t = 0; t <= BONSAI_TYPE_S4; t++)
        if (types & BN_BIT(t) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     bonsai_type_text((bonsai_type)t));
    return text;
}

static bonsai_status check_rule(const bonsai_view *v, const shape_rule *rule, const char *where)
{
    const bonsai_array *a = &v->section[rule->section];
    if (!a->data)
        return BONSAI_OK;
    const char *name = bonsai_section_text(rule->section);
    char allowed[64];
    if ((unsigned)a->type > BONSAI_TYPE_S4 || !(rule->types & BN_BIT(a->type)))
        return bn_fail_at(BONSAI_E_FORMAT, where, "%s: type %s (%d) is not allowed here; allowed: "
                          "%s", name, bonsai_type_text(a->type), (int)a->type,
                          list_types(allowed, sizeof allowed, rule->types));
    if (a->count < 0)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%s: %lld elements; the number must not be "
                          "negative", name, (long long)a->count);
    if (rule->count >= 0 && a->count != rule->count)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%s: %lld elements where %lld are needed", name,
                          (long long)a->count, (long long)rule->count);
    return BONSAI_OK;
}

static bonsai_status check_sizes(const bonsai_view *v, const char *where)
{
    const struct { int64_t count; const char *name; } sizes[] = {
        {v->nodes, "nodes"}, {v->features, "features"}, {v->classes, "classes"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].count < 0 || sizes[i].count > INT32_MAX)
            return bn_fail_at(BONSAI_E_FORMAT, where, "%lld %s; the number must be in 0..%d",
                              (long long)sizes[i].count, sizes[i].name, INT32_MAX);
    if (v->flags & ~(uint64_t)BN_ALL_FLAGS)
        return bn_fail_at(BONSAI_E_FORMAT, where, "unknown flags %llx",
                          (unsigned long long)v->flags);
    return BONSAI_OK;
}

/* Bounds the classes and features that no array supports, as memory is allocated for each.  Below
 * 2^24 features every graph is within the bounds. */
static bonsai_status check_plausible(const bonsai_view *v, const char *where)
{
    enum { CLASSES = 1 << 16, FEATURES = 1 << 24, PER_ENTRY = 4096 };
    const bonsai_array *a = v->section;
    int64_t entries = a[BONSAI_SECTION_FEATURES].count + a[BONSAI_SECTION_FEATURE_INDICES].count +
                      a[BONSAI_SECTION_KEPT_FEATURES].count +
                      a[BONSAI_SECTION_FEATURE_COLUMNS].count + a[BONSAI_SECTION_BASIS].count;
    if (v->classes - v->nodes - CLASSES > a[BONSAI_SECTION_CLASS_NAMES].count)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%lld classes are implausible for %lld nodes: "
                          "number classes from 0 on, or name each", (long long)v->classes,
                          (long long)v->nodes);
    if ((v->features - FEATURES) / PER_ENTRY > entries)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%lld features are implausible for %lld values: "
                          "number features from 0 on, or keep fewer", (long long)v->features,
                          (long long)entries);
    return BONSAI_OK;
}

static bool is_scaled(const bonsai_array *a)
{
    return a->data && bn_scaled(a->type);
}

static bonsai_status check_together(const bonsai_view *v, const char *where)
{
    static const bonsai_section pairs[][2] = {      /* the first needs the second */
        {BONSAI_SECTION_EDGE_WEIGHTS, BONSAI_SECTION_NEIGHBORS},
        {BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_SECTION_FEATURE_INDICES},
        {BONSAI_SECTION_FEATURE_INDICES, BONSAI_SECTION_FEATURE_OFFSETS},
        {BONSAI_SECTION_FEATURE_VALUES, BONSAI_SECTION_FEATURE_INDICES},
        {BONSAI_SECTION_MEMBER_OFFSETS, BONSAI_SECTION_MEMBERS},
        {BONSAI_SECTION_MEMBERS, BONSAI_SECTION_MEMBER_OFFSETS},
        {BONSAI_SECTION_FEATURE_MEAN, BONSAI_SECTION_FEATURE_SPREAD},
        {BONSAI_SECTION_FEATURE_SPREAD, BONSAI_SECTION_FEATURE_MEAN},
        {BONSAI_SECTION_FEATURE_COLUMNS, BONSAI_SECTION_FEATURES},
        {BONSAI_SECTION_BASIS, BONSAI_SECTION_BASIS_SCALE},
        {BONSAI_SECTION_BASIS_SCALE, BONSAI_SECTION_COORDINATES},
        {BONSAI_SECTION_BASIS_COLUMNS, BONSAI_SECTION_BASIS},
        {BONSAI_SECTION_COORDINATES, BONSAI_SECTION_COORDINATE_SCALE},
        {BONSAI_SECTION_COORDINATE_SCALE, BONSAI_SECTION_BASIS},
    };
    const bonsai_array *a = v->section;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (a[pairs[i][0]].data && !a[pairs[i][1]].data)
            return bn_fail_at(BONSAI_E_FORMAT, where, "has \"%s\" but not \"%s\"",
                              bonsai_section_text(pairs[i][0]), bonsai_section_text(pairs[i][1]));
    if (!a[BONSAI_SECTION_OFFSETS].data || !a[BONSAI_SECTION_NEIGHBORS].data)
        return bn_fail_at(BONSAI_E_FORMAT, where, "has no adjacency");
    if ((v->flags & BONSAI_FLAG_OPERATOR) && !a[BONSAI_SECTION_EDGE_WEIGHTS].data)
        return bn_fail_at(BONSAI_E_FORMAT, where, "says that its edge weights are an operator, but "
                          "has none");
    if ((v->flags & BONSAI_FLAG_COORDINATES) && !a[BONSAI_SECTION_COORDINATES].data)
        return bn_fail_at(BONSAI_E_FORMAT, where, "says that its features are coordinates, but has "
                          "none");
    if ((v->flags & BONSAI_FLAG_OPERATOR) && (v->flags & BONSAI_FLAG_DIRECTED))
        return bn_fail_at(BONSAI_E_FORMAT, where, "is directed, but its edge weights are an "
                          "operator, which must be symmetric");
    if (a[BONSAI_SECTION_FEATURES].data && a[BONSAI_SECTION_FEATURE_OFFSETS].data)
        return bn_fail_at(BONSAI_E_FORMAT, where, "has dense and sparse features");
    if (v->features > 0 && !a[BONSAI_SECTION_FEATURES].data &&
        !a[BONSAI_SECTION_FEATURE_OFFSETS].data && !a[BONSAI_SECTION_COORDINATES].data)
        return bn_fail_at(BONSAI_E_FORMAT, where, "says %lld features but holds none",
                          (long long)v->features);
    bool scaled = is_scaled(&a[BONSAI_SECTION_FEATURES]) ||
                  is_scaled(&a[BONSAI_SECTION_FEATURE_VALUES]);
    if (scaled != (a[BONSAI_SECTION_FEATURE_SCALE].data != NULL))
        return bn_fail_at(BONSAI_E_FORMAT, where, "features of 8 or 4 bits need a scale per row, "
                          "others have none");
    return BONSAI_OK;
}

/* Bounds the numbers that a basis encodes, as they can be many more than the file has. */
static bonsai_status check_factors(const bonsai_view *v, const char *where)
{
    const bonsai_array *a = v->section;
    int64_t directions = a[BONSAI_SECTION_BASIS_SCALE].count, columns = bn_basis_columns(v);
    if (!a[BONSAI_SECTION_COORDINATES].data)
        return BONSAI_OK;
    if (a[BONSAI_SECTION_FEATURES].data || a[BONSAI_SECTION_FEATURE_OFFSETS].data)
        return bn_fail_at(BONSAI_E_FORMAT, where, "has features and coordinates");
    if (directions < 1 || directions > BN_MOST_DIRECTIONS)
        return bn_fail_at(BONSAI_E_FORMAT, where, "a basis of %lld directions; the number must be "
                          "in 1..%d", (long long)directions, BN_MOST_DIRECTIONS);
    if (columns < 0 || columns > v->features)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%lld columns of a basis; the number must be in "
                          "0..%lld", (long long)columns, (long long)v->features);
    if (v->nodes > 0 && columns > bn_most_decoded / v->nodes)
        return bn_fail_at(BONSAI_E_FORMAT, where, "a basis of %lld columns is implausible for %lld "
                          "nodes: decoded they would be more than %lld numbers", (long long)columns,
                          (long long)v->nodes, (long long)bn_most_decoded);
    return BONSAI_OK;
}

/* Checks coordinates that are features: fewer than the features that they encode, and no section
 * that describes those. */
static bonsai_status check_coordinates(const bonsai_view *v, const char *where)
{
    static const bonsai_section never[] = {
        BONSAI_SECTION_KEPT_FEATURES, BONSAI_SECTION_FEATURE_MEAN, BONSAI_SECTION_FEATURE_SPREAD,
        BONSAI_SECTION_FEATURE_NAMES};
    const int64_t directions = v->section[BONSAI_SECTION_BASIS_SCALE].count;
    if (!(v->flags & BONSAI_FLAG_COORDINATES) || !v->section[BONSAI_SECTION_COORDINATES].data)
        return BONSAI_OK;
    if (directions > BN_MOST_ANGLES || directions >= v->features)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%lld coordinates as features; the number must "
                          "be below %lld, that of the features that they stand for, and at most %d",
                          (long long)directions, (long long)v->features, BN_MOST_ANGLES);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (v->section[never[i]].data)
            return bn_fail_at(BONSAI_E_FORMAT, where, "has \"%s\", but its features are "
                              "coordinates", bonsai_section_text(never[i]));
    return BONSAI_OK;
}

static bonsai_status check_shape(const bonsai_view *v, const char *where, bool stored)
{
    bonsai_status rc;
    const int64_t listed = v->section[BONSAI_SECTION_FEATURE_COLUMNS].count;
    BN_TRY(check_sizes(v, where));
    if (listed < 0 || listed > v->features)
        return bn_fail_at(BONSAI_E_FORMAT, where, "%lld feature columns; the number must be in "
                          "0..%lld", (long long)listed, (long long)v->features);
    BN_TRY(check_factors(v, where));
    BN_TRY(check_coordinates(v, where));
    const unsigned u8 = BN_BIT(BONSAI_TYPE_U8), u16 = BN_BIT(BONSAI_TYPE_U16),
                   u32 = BN_BIT(BONSAI_TYPE_U32), u64 = BN_BIT(BONSAI_TYPE_U64),
                   i8 = BN_BIT(BONSAI_TYPE_I8), f16 = BN_BIT(BONSAI_TYPE_F16),
                   f32 = BN_BIT(BONSAI_TYPE_F32),
                   four = stored ? BN_BIT(BONSAI_TYPE_Q4) | BN_BIT(BONSAI_TYPE_S4) : 0,
                   factor = stored ? ~0u : 0;
    const int64_t directions = v->section[BONSAI_SECTION_BASIS_SCALE].count;
    int64_t n = v->nodes, f = v->features, c = v->classes;     /* below 2^31: n*f cannot overflow */
    int64_t m = v->section[BONSAI_SECTION_NEIGHBORS].count;
    int64_t nnz = v->section[BONSAI_SECTION_FEATURE_INDICES].count;
    const shape_rule rules[] = {
        {BONSAI_SECTION_OFFSETS, u32 | u64, n + 1},
        {BONSAI_SECTION_NEIGHBORS, u32, -1},
        {BONSAI_SECTION_EDGE_WEIGHTS, f32, m},
        {BONSAI_SECTION_FEATURES, f32 | f16 | u8 | i8 | four,
         n * (v->section[BONSAI_SECTION_FEATURE_COLUMNS].data ? listed : f)},
        {BONSAI_SECTION_FEATURE_OFFSETS, u32 | u64, n + 1},
        {BONSAI_SECTION_FEATURE_INDICES, u16 | u32, -1},
        {BONSAI_SECTION_FEATURE_VALUES, f32 | u8 | i8 | four, nnz},
        {BONSAI_SECTION_FEATURE_SCALE, f32, n},
        {BONSAI_SECTION_LABELS, u8 | u16 | u32, n},
        {BONSAI_SECTION_SOFT_LABELS, u8 | f32, n * c},
        {BONSAI_SECTION_NODE_WEIGHTS, u8 | u16 | f32, n},
        {BONSAI_SECTION_SPLIT, u8, n},
        {BONSAI_SECTION_CLASS_NAMES, u8, -1},
        {BONSAI_SECTION_NODE_NAMES, u8, -1},
        {BONSAI_SECTION_ORIGIN, u32, n},
        {BONSAI_SECTION_ROLE, u8, n},
        {BONSAI_SECTION_MEMBER_OFFSETS, u32 | u64, n + 1},
        {BONSAI_SECTION_MEMBERS, u32, -1},
        {BONSAI_SECTION_KEPT_FEATURES, u32, f},
        {BONSAI_SECTION_FEATURE_MEAN, f32, f},
        {BONSAI_SECTION_FEATURE_SPREAD, f32, f},
        {BONSAI_SECTION_METADATA, u8, -1},
        {BONSAI_SECTION_FEATURE_COLUMNS, stored ? u16 | u32 : 0, -1},
        {BONSAI_SECTION_FEATURE_NAMES, u8, -1},
        {BONSAI_SECTION_BASIS, factor & (i8 | BN_BIT(BONSAI_TYPE_S4)),
         directions * bn_basis_columns(v)},
        {BONSAI_SECTION_BASIS_SCALE, factor & f32, -1},
        {BONSAI_SECTION_BASIS_COLUMNS, factor & (u8 | u16 | u32),
         v->section[BONSAI_SECTION_BASIS_COLUMNS].type == BONSAI_TYPE_U8 ? (f + 7) / 8
                                                                         : bn_basis_columns(v)},
        {BONSAI_SECTION_COORDINATES, factor & i8, n * directions},
        {BONSAI_SECTION_COORDINATE_SCALE, factor & f32, n},
    };
    BN_TRY(check_together(v, where));           /* a missing section is the more useful error */
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        BN_TRY(check_rule(v, &rules[i], where));
    BN_TRY(check_plausible(v, where));
done:
    return rc;
}

bonsai_status bn_view_shape(const bonsai_view *v, const char *where)
{
    return check_shape(v, where, false);
}

bonsai_status bn_stored_shape(const bonsai_view *v, const char *where)
{
    return check_shape(v, where, true);
}
