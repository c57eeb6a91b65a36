/* random_graph.c -- see random_graph.h.
 *
 * SPDX-License-Identifier: MIT */
#include "random_graph.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t random_bits(uint64_t *state)
{
    uint64_t x = *state + 0x2545f4914f6cdd1du;  /* xorshift64*, which must not start at 0 */
    x = x ? x : 88172645463325252u;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1du;
}

int random_below(uint64_t *state, int n)
{
    return (int)((random_bits(state) >> 33) % (uint64_t)n);
}

float random_real(uint64_t *state)
{
    return (float)((int64_t)(random_bits(state) >> 40) - (1 << 23)) / (float)(1 << 23);
}

static int square(int q)
{
    return q * q;
}

static float one_value(nature kind, float scale, uint64_t *state)
{
    switch (kind) {
    case BINARY:        return 1.0f;
    case SMALL_INTS:    return (float)(1 + random_below(state, 255));
    case ROW_SCALED:    return scale * (float)(1 + random_below(state, 40));
    case HALVES:        return bn_half_to_float((uint16_t)(1 + random_below(state, 0x7bff)));
    case SIGNED_INTS:   return (float)(random_below(state, 2) ? 1 + random_below(state, 127)
                                                              : -1 - random_below(state, 128));
    case SIGNED_SCALED: return scale * (float)(random_below(state, 2)
                                               ? 1 + random_below(state, 30)
                                               : -1 - random_below(state, 30));
    case SQUARES:       return scale * (float)square(1 + random_below(state, 15));
    case SIGNED_SQUARES: return scale * (float)(random_below(state, 2)
                                                ? square(1 + random_below(state, 7))
                                                : -square(1 + random_below(state, 7)));
    case MINUS_ZEROS:   return random_below(state, 2) ? -0.0f : 1.0f;
    default:            return random_real(state) + 2.0f;
    }
}

void random_features(float *x, int64_t n, int64_t f, nature kind, int percent, uint64_t *state)
{
    for (int64_t v = 0; v < n; v++) {
        float scale = (random_real(state) + 1.5f) / 7.0f;
        int chance = random_below(state, 5) ? percent : 0;      /* some rows are all zero */
        for (int64_t j = 0; j < f; j++)
            x[v * f + j] = random_below(state, 100) < chance ? one_value(kind, scale, state) : 0.0f;
    }
}

/* Memory of one graph under construction; random_graph copies, then frees it. */
static void *pool[64];
static int   pooled;

static void *room(int64_t count, size_t item)
{
    void *p = calloc((size_t)count + 1, item);
    assert_non_null(p);
    assert_true(pooled < 64);
    return pool[pooled++] = p;
}

static void empty_pool(void)
{
    while (pooled)
        free(pool[--pooled]);
}

static bonsai_array bytes_of(int64_t count, size_t item, bonsai_type t, void **data)
{
    *data = room(count, item);
    return (bonsai_array){*data, count, t};
}

static bonsai_array random_scale(int64_t n, uint64_t *s)
{
    void *data;
    bonsai_array a = bytes_of(n, 4, BONSAI_TYPE_F32, &data);
    for (int64_t v = 0; v < n; v++)
        ((float *)data)[v] = (random_real(s) + 1.5f) / 16.0f;
    return a;
}

static bonsai_array random_values(int64_t count, bonsai_type t, uint64_t *s)
{
    void *data;
    bonsai_array a = bytes_of(count, bonsai_type_bytes(t), t, &data);
    for (int64_t i = 0; i < count; i++) {
        if (t == BONSAI_TYPE_F32)
            ((float *)data)[i] = random_below(s, 3) ? random_real(s) : 0.0f;
        else if (t == BONSAI_TYPE_F16)
            ((uint16_t *)data)[i] = (uint16_t)random_below(s, 0x7c00);
        else
            ((uint8_t *)data)[i] = (uint8_t)(random_below(s, 3) ? random_below(s, 256) : 0);
    }
    return a;
}

static void lay_dense(bonsai_view *v, bonsai_type t, uint64_t *s)
{
    v->section[BONSAI_SECTION_FEATURES] = random_values(v->nodes * v->features, t, s);
    if (t == BONSAI_TYPE_U8 || t == BONSAI_TYPE_I8)
        v->section[BONSAI_SECTION_FEATURE_SCALE] = random_scale(v->nodes, s);
}

static void lay_sparse(bonsai_view *v, bonsai_type t, uint64_t *s)
{
    void *offsets, *indices;
    bool wide = random_below(s, 2), wide_offsets = random_below(s, 2);
    bonsai_array o = bytes_of(v->nodes + 1, 8, wide_offsets ? BONSAI_TYPE_U64 : BONSAI_TYPE_U32,
                              &offsets);
    bonsai_array x = bytes_of(v->nodes * v->features, 4, wide ? BONSAI_TYPE_U32 : BONSAI_TYPE_U16,
                              &indices);
    int64_t nnz = 0;
    for (int64_t u = 0; u < v->nodes; u++) {
        for (int64_t j = 0; j < v->features; j++) {
            if (random_below(s, 4))
                continue;
            if (wide)
                ((uint32_t *)indices)[nnz++] = (uint32_t)j;
            else
                ((uint16_t *)indices)[nnz++] = (uint16_t)j;
        }
        if (wide_offsets)
            ((uint64_t *)offsets)[u + 1] = (uint64_t)nnz;
        else
            ((uint32_t *)offsets)[u + 1] = (uint32_t)nnz;
    }
    x.count = nnz;
    v->section[BONSAI_SECTION_FEATURE_OFFSETS] = o;
    v->section[BONSAI_SECTION_FEATURE_INDICES] = x;
    if (t != BONSAI_TYPE_NONE)
        v->section[BONSAI_SECTION_FEATURE_VALUES] = random_values(nnz, t, s);
    if (t == BONSAI_TYPE_U8 || t == BONSAI_TYPE_I8)
        v->section[BONSAI_SECTION_FEATURE_SCALE] = random_scale(v->nodes, s);
}

static void lay_features(bonsai_view *v, layout features, uint64_t *s)
{
    static const bonsai_type type[] = {BONSAI_TYPE_NONE, BONSAI_TYPE_F32, BONSAI_TYPE_F16,
                                       BONSAI_TYPE_U8,   BONSAI_TYPE_I8,  BONSAI_TYPE_NONE,
                                       BONSAI_TYPE_F32,  BONSAI_TYPE_U8,  BONSAI_TYPE_I8};
    if (features >= SPARSE_ONES)
        lay_sparse(v, type[features], s);
    else if (features != NO_FEATURES)
        lay_dense(v, type[features], s);
}

static bonsai_array random_integers(int64_t n, bonsai_type t, int below, uint64_t *s)
{
    void *data;
    bonsai_array a = bytes_of(n, 4, t, &data);
    for (int64_t i = 0; i < n; i++) {
        uint32_t x = below == 4 ? (uint32_t)random_below(s, 4)
                                : (uint32_t)random_below(s, below + 1) - 1u;
        if (t == BONSAI_TYPE_U8)
            ((uint8_t *)data)[i] = (uint8_t)x;
        else if (t == BONSAI_TYPE_U16)
            ((uint16_t *)data)[i] = (uint16_t)x;
        else
            ((uint32_t *)data)[i] = x;
    }
    return a;
}

static void lay_labels(bonsai_view *v, int with, uint64_t *s)
{
    static const bonsai_type type[] = {BONSAI_TYPE_U8, BONSAI_TYPE_U16, BONSAI_TYPE_U32};
    if (with & WITH_LABELS) {
        v->section[BONSAI_SECTION_LABELS] = random_integers(v->nodes, type[random_below(s, 3)],
                                                    (int)v->classes, s);
        v->section[BONSAI_SECTION_SPLIT] = random_integers(v->nodes, BONSAI_TYPE_U8, 4, s);
    }
    if (!(with & WITH_SOFT))
        return;
    void *data;
    bool narrow = random_below(s, 2);
    v->section[BONSAI_SECTION_SOFT_LABELS] = bytes_of(v->nodes * v->classes, 4,
                                              narrow ? BONSAI_TYPE_U8 : BONSAI_TYPE_F32, &data);
    const int most = v->classes > 0 ? (int)(255 / v->classes) : 0;     /* of a row that sums to 1 */
    for (int64_t i = 0; i < v->nodes * v->classes; i++)
        if (narrow)
            ((uint8_t *)data)[i] = (uint8_t)random_below(s, most + 1);
        else
            ((float *)data)[i] = (float)random_below(s, most + 1) /
                                 (random_below(s, 9) ? 255.0f : 300.0f);
    int width = random_below(s, 3);
    bonsai_type t = width == 0 ? BONSAI_TYPE_U8 : width == 1 ? BONSAI_TYPE_U16 : BONSAI_TYPE_F32;
    v->section[BONSAI_SECTION_NODE_WEIGHTS] = bytes_of(v->nodes, 4, t, &data);
    for (int64_t i = 0; i < v->nodes; i++)
        if (width == 0)
            ((uint8_t *)data)[i] = (uint8_t)random_below(s, 256);
        else if (width == 1)
            ((uint16_t *)data)[i] = (uint16_t)random_below(s, 1000);
        else
            ((float *)data)[i] = (float)random_below(s, 300);
}

static bonsai_array names(int64_t count, const char *stem)
{
    void *data;
    int64_t used = 0;
    bonsai_array a = bytes_of(count * 24, 1, BONSAI_TYPE_U8, &data);
    for (int64_t i = 0; i < count; i++)
        used += snprintf((char *)data + used, 24, "%s%lld", stem, (long long)i) + 1;
    a.count = used;
    return a;
}

static void lay_extras(bonsai_view *v, uint64_t *s)
{
    void *data, *offsets;
    static const char metadata[] = "{\"from\": \"a test\", \"numbers\": [1, 2.5]}";
    v->section[BONSAI_SECTION_CLASS_NAMES] = names(v->classes, "class \xc3\xa9 ");
    v->section[BONSAI_SECTION_NODE_NAMES] = names(v->nodes, "n");
    v->section[BONSAI_SECTION_FEATURE_NAMES] = names(v->features, "f\xc3\xa9 ");
    v->section[BONSAI_SECTION_ORIGIN] = bytes_of(v->nodes, 4, BONSAI_TYPE_U32, &data);
    for (int64_t i = 0; i < v->nodes; i++)
        ((uint32_t *)data)[i] = (uint32_t)random_below(s, INT32_MAX);
    v->section[BONSAI_SECTION_ROLE] = random_integers(v->nodes, BONSAI_TYPE_U8, 4, s);
    v->section[BONSAI_SECTION_MEMBER_OFFSETS] =
        bytes_of(v->nodes + 1, 4, BONSAI_TYPE_U32, &offsets);
    v->section[BONSAI_SECTION_MEMBERS] = bytes_of(v->nodes * 3, 4, BONSAI_TYPE_U32, &data);
    uint32_t total = 0;
    for (int64_t i = 0; i < v->nodes; i++) {
        for (int k = random_below(s, 4); k > 0; k--)
            ((uint32_t *)data)[total++] = (uint32_t)random_below(s, 1000);
        ((uint32_t *)offsets)[i + 1] = total;
    }
    v->section[BONSAI_SECTION_MEMBERS].count = total;
    v->section[BONSAI_SECTION_METADATA] =
        (bonsai_array){metadata, sizeof metadata - 1, BONSAI_TYPE_U8};
    v->section[BONSAI_SECTION_KEPT_FEATURES] = bytes_of(v->features, 4, BONSAI_TYPE_U32, &data);
    for (int64_t j = 0; j < v->features; j++)
        ((uint32_t *)data)[j] = (uint32_t)(3 * j + random_below(s, 3));
    for (int k = 0; k < 2; k++) {
        v->section[BONSAI_SECTION_FEATURE_MEAN + k] =
            bytes_of(v->features, 4, BONSAI_TYPE_F32, &data);
        for (int64_t j = 0; j < v->features; j++)
            ((float *)data)[j] = random_real(s) + 1.5f;
    }
}

bonsai_graph *random_graph(uint64_t seed, int64_t n, int64_t m, layout features, int with)
{
    uint64_t s = seed * 7919 + (uint64_t)features;
    bonsai_view v;
    bonsai_read_options o;
    bonsai_graph *g = NULL;
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    v.nodes = n;
    v.features = features == NO_FEATURES ? 0 : 1 + random_below(&s, 12);
    v.classes = with & (WITH_LABELS | WITH_SOFT | WITH_EXTRAS) ? 1 + random_below(&s, 5) : 0;
    lay_features(&v, features, &s);
    lay_labels(&v, with, &s);
    if (with & WITH_EXTRAS)
        lay_extras(&v, &s);
    m = n > 0 ? m : 0;
    int32_t *source = room(m, 4), *target = room(m, 4);
    float *weight = with & WITH_WEIGHTS ? room(m, 4) : NULL;
    for (int64_t i = 0; i < m; i++) {
        source[i] = random_below(&s, (int)n);
        target[i] = random_below(&s, (int)n);
        if (weight)
            weight[i] = random_real(&s) + 1.25f;
    }
    o.threads = 1;
    o.keep_self_loops = (with & WITH_LOOPS) != 0;
    o.keep_repeated = (with & WITH_REPEATED) != 0;
    o.keep_directed = (with & DIRECTED) != 0;
    bonsai_status rc = bonsai_graph_build(&g, &v, m, source, target, weight, &o);
    if (rc != BONSAI_OK)
        fail_msg("random graph: %s", bonsai_error());
    empty_pool();
    return g;
}

bonsai_graph *dense_graph(const float *x, int64_t n, int64_t f)
{
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = f;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, n * f, BONSAI_TYPE_F32};
    if (bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}
