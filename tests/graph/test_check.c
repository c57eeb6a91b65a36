/* test_check.c -- every invariant of a graph has an error message.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

/* Three nodes 0-1-2, two features, two classes. */
static const uint32_t offsets[] = {0, 1, 3, 4}, neighbors[] = {1, 0, 2, 1};
static const float    weights[] = {1, 1, 2, 2};
static const float    features[] = {1, 0, 0, 2, 0, 0};
static const uint8_t  labels[] = {0, 1, 255}, bytes[] = {1, 2, 3, 4, 5, 255};
static const float    scale[] = {1, 1, 1};

static bonsai_view good(void)
{
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = 3;
    v.features = 2;
    v.classes = 2;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 4, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 4, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_EDGE_WEIGHTS] = (bonsai_array){weights, 4, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){features, 6, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){labels, 3, BONSAI_TYPE_U8};
    return v;
}

static void refuse(const bonsai_view *v, const char *sentence)
{
    bonsai_graph *g = (bonsai_graph *)1;
    for (int copy = 0; copy < 2; copy++) {
        assert_fails(bonsai_graph_new(&g, v, copy), BONSAI_E_ARGUMENT, sentence);
        assert_null(g);
    }
}

static void accept(const bonsai_view *v)
{
    bonsai_graph *g;
    for (int copy = 0; copy < 2; copy++) {
        if (bonsai_graph_new(&g, v, copy) != BONSAI_OK || bonsai_graph_check(g, NULL) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        bonsai_graph_free(g);
    }
}

static void with(bonsai_section s, const void *data, int64_t count, bonsai_type t,
                 const char *sentence)
{
    bonsai_view v = good();
    v.section[s] = (bonsai_array){data, count, t};
    if (sentence)
        refuse(&v, sentence);
    else
        accept(&v);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    bonsai_view v = good();
    accept(&v);
    v.nodes = -1;
    refuse(&v, "graph: -1 nodes; the number must be in 0..2147483647");
    v = good();
    v.nodes = (int64_t)INT32_MAX + 1;
    refuse(&v, "2147483648 nodes");
    v = good();
    v.features = -7;
    refuse(&v, "-7 features; the number must be");
    v = good();
    v.classes = INT64_MAX;
    refuse(&v, "classes; the number must be");
    v = good();
    v.classes = 3 + (1 << 16);
    accept(&v);
    v.classes++;
    refuse(&v, "graph: 65540 classes are implausible for 3 nodes");
    v = good();
    v.flags = 32;
    refuse(&v, "unknown flags 20");
    v.size = 0;
    refuse(&v, "bonsai_view was not initialised");
}

static void types_and_counts_are_checked(void **state)
{
    (void)state;
    with(BONSAI_SECTION_OFFSETS, offsets, 4, BONSAI_TYPE_U16,
         "offsets: type u16 (2) is not allowed here; allowed: u32, u64");
    with(BONSAI_SECTION_OFFSETS, offsets, 4, (bonsai_type)77,
         "offsets: type  (77) is not allowed here");
    with(BONSAI_SECTION_OFFSETS, offsets, 3, BONSAI_TYPE_U32,
         "offsets: 3 elements where 4 are needed");
    with(BONSAI_SECTION_NEIGHBORS, neighbors, -4, BONSAI_TYPE_U32,
         "neighbors: -4 elements; the number must not");
    with(BONSAI_SECTION_EDGE_WEIGHTS, weights, 3, BONSAI_TYPE_F32,
         "edge weights: 3 elements where 4 are needed");
    with(BONSAI_SECTION_FEATURES, features, 5, BONSAI_TYPE_F32,
         "features: 5 elements where 6 are needed");
    with(BONSAI_SECTION_FEATURES, features, 6, BONSAI_TYPE_U32,
         "features: type u32 (3) is not allowed");
    with(BONSAI_SECTION_SOFT_LABELS, bytes, 5, BONSAI_TYPE_U8,
         "soft labels: 5 elements where 6 are needed");
    with(BONSAI_SECTION_SPLIT, bytes, 2, BONSAI_TYPE_U8, "split: 2 elements where 3");
    with(BONSAI_SECTION_ORIGIN, offsets, 4, BONSAI_TYPE_U32, "origin: 4 elements where 3");
    with(BONSAI_SECTION_KEPT_FEATURES, offsets, 1, BONSAI_TYPE_U32,
         "kept features: 1 elements where 2");
}

static void sections_need_each_other(void **state)
{
    (void)state;
    with(BONSAI_SECTION_NEIGHBORS, NULL, 0, BONSAI_TYPE_NONE,
         "has \"edge weights\" but not \"neighbors\"");
    with(BONSAI_SECTION_OFFSETS, NULL, 0, BONSAI_TYPE_NONE, "has no adjacency");
    with(BONSAI_SECTION_FEATURES, NULL, 0, BONSAI_TYPE_NONE, "says 2 features but holds none");
    with(BONSAI_SECTION_FEATURE_OFFSETS, offsets, 4, BONSAI_TYPE_U32,
         "but not \"feature indices\"");
    with(BONSAI_SECTION_FEATURE_INDICES, offsets, 4, BONSAI_TYPE_U32,
         "but not \"feature offsets\"");
    with(BONSAI_SECTION_FEATURE_VALUES, weights, 0, BONSAI_TYPE_F32, "but not \"feature indices\"");
    with(BONSAI_SECTION_MEMBERS, offsets, 4, BONSAI_TYPE_U32,
         "has \"members\" but not \"member offsets\"");
    with(BONSAI_SECTION_MEMBER_OFFSETS, offsets, 4, BONSAI_TYPE_U32, "but not \"members\"");
    with(BONSAI_SECTION_FEATURE_MEAN, features, 2, BONSAI_TYPE_F32, "but not \"feature spread\"");
    with(BONSAI_SECTION_FEATURE_SPREAD, features, 2, BONSAI_TYPE_F32, "but not \"feature mean\"");
    with(BONSAI_SECTION_FEATURE_SCALE, scale, 3, BONSAI_TYPE_F32,
         "features of 8 or 4 bits need a scale per row");
    with(BONSAI_SECTION_FEATURES, bytes, 6, BONSAI_TYPE_U8,
         "features of 8 or 4 bits need a scale per row");
    bonsai_view v = good();
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, 4, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){neighbors, 4, BONSAI_TYPE_U32};
    refuse(&v, "has dense and sparse features");
}

static void offsets_are_checked(void **state)
{
    (void)state;
    with(BONSAI_SECTION_OFFSETS, (uint32_t[]){1, 1, 3, 4}, 4, BONSAI_TYPE_U32,
         "offsets: the first is 1, not 0");
    with(BONSAI_SECTION_OFFSETS, (uint32_t[]){0, 3, 1, 4}, 4, BONSAI_TYPE_U32,
         "fall from 3 to 1 after row 1");
    with(BONSAI_SECTION_OFFSETS, (uint32_t[]){0, 1, 3, 3}, 4, BONSAI_TYPE_U32,
         "offsets: the last is 3 but there are 4 entries");
    with(BONSAI_SECTION_OFFSETS, (uint64_t[]){0, 1, 3, 4}, 4, BONSAI_TYPE_U64, NULL);
    with(BONSAI_SECTION_OFFSETS, (uint64_t[]){0, UINT64_MAX, 3, 4}, 4, BONSAI_TYPE_U64,
         "fall from -1 to 3");
    with(BONSAI_SECTION_OFFSETS, (uint64_t[]){0, 1, 3, UINT64_MAX}, 4, BONSAI_TYPE_U64,
         "the last is -1");
}

static void neighbours_are_checked(void **state)
{
    (void)state;
    bonsai_view v = good();
    with(BONSAI_SECTION_NEIGHBORS, (uint32_t[]){1, 0, 3, 1}, 4, BONSAI_TYPE_U32,
         "neighbors: entry 2 is 3, outside 0..2");
    with(BONSAI_SECTION_NEIGHBORS, (uint32_t[]){1, 0, UINT32_MAX, 1}, 4, BONSAI_TYPE_U32,
         "is 4294967295, outside");
    with(BONSAI_SECTION_NEIGHBORS, (uint32_t[]){1, 2, 0, 1}, 4, BONSAI_TYPE_U32,
         "neighbors: entry 1 of row 1 is 0, out of order");
    with(BONSAI_SECTION_NEIGHBORS, (uint32_t[]){1, 0, 0, 1}, 4, BONSAI_TYPE_U32,
         "entry 1 of row 1 is 0, out of");
    with(BONSAI_SECTION_NEIGHBORS, (uint32_t[]){0, 0, 2, 1}, 4, BONSAI_TYPE_U32,
         "entry 0 of row 0 is 0, a self loop in a graph that says it has none");
    v.section[BONSAI_SECTION_NEIGHBORS].data = (uint32_t[]){0, 1, 1, 2};
    v.flags = BONSAI_FLAG_SELF_LOOPS | BONSAI_FLAG_REPEATED;
    v.section[BONSAI_SECTION_EDGE_WEIGHTS].data = (float[]){1, 1, 1, 1};
    accept(&v);
}

static void reals_are_checked(void **state)
{
    (void)state;
    with(BONSAI_SECTION_EDGE_WEIGHTS, (float[]){1, -1, 2, 2}, 4, BONSAI_TYPE_F32,
         "edge weights: entry 1 is -1, which is not positive and finite");
    with(BONSAI_SECTION_FEATURES, (float[]){1, 0, 0, NAN, 0, 0}, 6, BONSAI_TYPE_F32,
         "features: entry 3 is nan");
    with(BONSAI_SECTION_FEATURES, (uint16_t[]){0, 0, 0x7c00, 0, 0, 0}, 6, BONSAI_TYPE_F16,
         "entry 2 is inf");
    with(BONSAI_SECTION_SOFT_LABELS, (float[]){1, 0, 0, -1, 0, 0}, 6, BONSAI_TYPE_F32,
         "soft labels: entry 3 is -1, which is not finite and at least 0");
    with(BONSAI_SECTION_SOFT_LABELS, (float[]){1, 0, 0.5f, 0.5f, 2, 4}, 6, BONSAI_TYPE_F32,
         "soft labels: the shares of node 2 sum to 6, not to 1");
    with(BONSAI_SECTION_SOFT_LABELS, (uint8_t[]){255, 0, 255, 255, 0, 0}, 6, BONSAI_TYPE_U8,
         "soft labels: the shares of node 1 sum to 2, not to 1");
    with(BONSAI_SECTION_SOFT_LABELS, (uint8_t[]){128, 128, 0, 0, 1, 2}, 6, BONSAI_TYPE_U8, NULL);
    with(BONSAI_SECTION_NODE_WEIGHTS, (float[]){1, INFINITY, 0}, 3, BONSAI_TYPE_F32,
         "node weights: entry 1 is inf");
    with(BONSAI_SECTION_NODE_WEIGHTS, (float[]){1, 0, 2.5f}, 3, BONSAI_TYPE_F32, NULL);
    bonsai_view v = good();
    v.section[BONSAI_SECTION_FEATURE_MEAN] = (bonsai_array){(float[]){0, NAN}, 2, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_FEATURE_SPREAD] = (bonsai_array){features, 2, BONSAI_TYPE_F32};
    refuse(&v, "feature mean: entry 1 is nan");
}

static void a_scale_must_keep_its_features_finite(void **state)
{
    (void)state;
    bonsai_view v = good();
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){bytes, 6, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_FEATURE_SCALE] = (bonsai_array){scale, 3, BONSAI_TYPE_F32};
    accept(&v);
    v.section[BONSAI_SECTION_FEATURE_SCALE].data = (float[]){1, FLT_MAX / 4, 1};
    accept(&v);
    v.section[BONSAI_SECTION_FEATURE_SCALE].data = (float[]){1, 1, -FLT_MAX / 4};
    refuse(&v, "feature scale: entry 2 is -8.50706e+37, which is not finite, or times its "
           "features");
    v.section[BONSAI_SECTION_FEATURE_SCALE].data = (float[]){1, NAN, 1};
    refuse(&v, "feature scale: entry 1 is nan");
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] =
        (bonsai_array){(uint32_t[]){0, 1, 1, 2}, 4, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] =
        (bonsai_array){(uint16_t[]){1, 0}, 2, BONSAI_TYPE_U16};
    v.section[BONSAI_SECTION_FEATURE_VALUES] =
        (bonsai_array){(int8_t[]){2, -128}, 2, BONSAI_TYPE_I8};
    v.section[BONSAI_SECTION_FEATURE_SCALE].data = (float[]){1, FLT_MAX, 2};
    accept(&v);
    v.section[BONSAI_SECTION_FEATURE_SCALE].data = (float[]){1, FLT_MAX, FLT_MAX / 127};
    refuse(&v, "feature scale: entry 2");
}

static void integers_are_checked(void **state)
{
    (void)state;
    with(BONSAI_SECTION_LABELS, (uint8_t[]){0, 2, 255}, 3, BONSAI_TYPE_U8,
         "labels: node 1 has label 2 but there are 2 classes");
    with(BONSAI_SECTION_LABELS, (uint16_t[]){0, 255, 1}, 3, BONSAI_TYPE_U16,
         "node 1 has label 255");
    with(BONSAI_SECTION_LABELS, (uint32_t[]){0, UINT32_MAX, 1}, 3, BONSAI_TYPE_U32, NULL);
    with(BONSAI_SECTION_SPLIT, (uint8_t[]){0, 3, 4}, 3, BONSAI_TYPE_U8,
         "split: entry 2 is 4, outside 0..3");
    with(BONSAI_SECTION_ROLE, (uint8_t[]){7, 3, 4}, 3, BONSAI_TYPE_U8,
         "role: entry 0 is 7, outside 0..4");
    with(BONSAI_SECTION_ORIGIN, (uint32_t[]){0, 1u << 31, 3}, 3, BONSAI_TYPE_U32,
         "origin: entry 1 is 2147483648");
    with(BONSAI_SECTION_KEPT_FEATURES, (uint32_t[]){5, 5}, 2, BONSAI_TYPE_U32,
         "kept features: entry 1 is 5, out of order");
    with(BONSAI_SECTION_KEPT_FEATURES, (uint32_t[]){5, 6}, 2, BONSAI_TYPE_U32, NULL);
    bonsai_view v = good();
    v.section[BONSAI_SECTION_FEATURES].data = NULL;
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] =
        (bonsai_array){(uint32_t[]){0, 2, 2, 2}, 4, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] =
        (bonsai_array){(uint16_t[]){0, 2}, 2, BONSAI_TYPE_U16};
    refuse(&v, "feature indices: entry 1 is 2, outside 0..1");
    v.section[BONSAI_SECTION_FEATURE_INDICES].data = (uint16_t[]){1, 0};
    refuse(&v, "feature indices: entry 1 of row 0 is 0, out of order");
}

static void no_id_is_valid_if_there_is_nothing_to_number(void **state)
{
    (void)state;
    static const uint32_t no_rows[] = {0, 0, 0}, one_each[] = {0, 1, 2};
    static const uint32_t nobody[] = {0}, zeros[] = {0, 0};
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = 2;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){no_rows, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){nobody, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){one_each, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){zeros, 2, BONSAI_TYPE_U32};
    assert_fails(bonsai_graph_new(&g, &v, 0), BONSAI_E_ARGUMENT,
                 "feature indices: entry 0 is 0, outside 0..-1");
}

static void text_is_checked(void **state)
{
    (void)state;
    static const struct { const char *name; bool ok; } rows[] = {
        {"plain", true}, {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\xb3", true}, {"\xf4\x8f\xbf\xbf", true},
        {"\xc0\x80", false}, {"\xc1\xbf", false}, {"\xe0\x9f\xbf", false}, {"\xed\xa0\x80", false},
        {"\xf0\x8f\xbf\xbf", false}, {"\xf4\x90\x80\x80", false}, {"\xf5\x80\x80\x80", false},
        {"\x80", false}, {"\xc3", false}, {"\xe2\x82", false}, {"\xff", false}, {"a\xc3(", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32] = {0};
        size_t len = strlen(rows[i].name);
        memcpy(text, rows[i].name, len);
        with(BONSAI_SECTION_CLASS_NAMES, text, (int64_t)len + 2, BONSAI_TYPE_U8,
             rows[i].ok ? NULL : "class names: byte ");
    }
    with(BONSAI_SECTION_CLASS_NAMES, "a\0b", 3, BONSAI_TYPE_U8,
         "class names: 1 names where 2 are needed");
    with(BONSAI_SECTION_CLASS_NAMES, "a\0b\0c", 6, BONSAI_TYPE_U8,
         "class names: 3 names where 2 are needed");
    with(BONSAI_SECTION_FEATURE_NAMES, "a\0b", 4, BONSAI_TYPE_U8, NULL);
    with(BONSAI_SECTION_FEATURE_NAMES, "a\0b", 3, BONSAI_TYPE_U8,
         "feature names: 1 names where 2 are needed");
    with(BONSAI_SECTION_FEATURE_NAMES, "a\0\xff", 4, BONSAI_TYPE_U8,
         "feature names: byte 2 is not UTF-8");
    with(BONSAI_SECTION_FEATURE_NAMES, "a\0b", 4, BONSAI_TYPE_I8,
         "feature names: type i8 (5) is not allowed here");
    with(BONSAI_SECTION_NODE_NAMES, "", 0, BONSAI_TYPE_U8,
         "node names: 0 names where 3 are needed");
    with(BONSAI_SECTION_METADATA, "{\"a\": 1}", 8, BONSAI_TYPE_U8, NULL);
    with(BONSAI_SECTION_METADATA, "{\"a\": ", 6, BONSAI_TYPE_U8, "metadata: ");
    with(BONSAI_SECTION_METADATA, "", 0, BONSAI_TYPE_U8, "metadata: ");
    with(BONSAI_SECTION_METADATA, "[1]", 3, BONSAI_TYPE_U8, "metadata: is not a JSON object");
    with(BONSAI_SECTION_METADATA, "{}\xff", 3, BONSAI_TYPE_U8, "metadata: byte 2 is not UTF-8");
}

static void the_first_wrong_entry_is_named_whatever_the_threads(void **state)
{
    (void)state;
    enum { N = 400000 };
    uint32_t *origin = calloc(N, 4);
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = N;
    v.section[BONSAI_SECTION_ORIGIN] = (bonsai_array){origin, N, BONSAI_TYPE_U32};
    origin[399999] = origin[70001] = origin[200000] = UINT32_MAX;
    for (int threads = 1; threads <= 8; threads *= 2)
        assert_fails(bn_section_check(&v, BONSAI_SECTION_ORIGIN, "x", threads), BONSAI_E_FORMAT,
                     "x: origin: entry 70001 is 4294967295");
    free(origin);
}

static void asymmetry_is_found(void **state)
{
    (void)state;
    bonsai_view v = good();
    bonsai_graph *g;
    v.section[BONSAI_SECTION_EDGE_WEIGHTS].data = (float[]){1, 1, 2, 3};
    assert_int_equal(bonsai_graph_new(&g, &v, 1), BONSAI_OK);
    assert_fails(bonsai_graph_check(g, NULL), BONSAI_E_FORMAT,
                 "an edge of node 1 has no reverse of equal weight");
    bonsai_graph_free(g);
    v.flags = BONSAI_FLAG_DIRECTED;
    accept(&v);
    v.flags = 0;
    v.section[BONSAI_SECTION_EDGE_WEIGHTS].data = NULL;
    accept(&v);
    v.section[BONSAI_SECTION_NEIGHBORS].data = (uint32_t[]){2, 0, 2, 1};
    assert_int_equal(bonsai_graph_new(&g, &v, 1), BONSAI_OK);
    assert_fails(bonsai_graph_check(g, NULL), BONSAI_E_FORMAT, "an edge of node 0 has no reverse");
    bonsai_graph_free(g);
}

/* Compares with all pairs: flips single entries of random symmetric graphs.  The larger ones are
 * divided among threads. */
static void compare_with_all_pairs(int n, int edges, uint64_t seed, int threads)
{
    uint64_t s = seed;
    bool *a = calloc((size_t)(n * n), sizeof *a);
    int64_t *row = calloc((size_t)n + 1, sizeof *row), *room = calloc((size_t)n, sizeof *room);
    int64_t m = 0, first = n;           /* the row of the flipped entry */
    const bonsai_array rows = {row, n + 1, BONSAI_TYPE_U64};
    int32_t *to = calloc((size_t)(n * n), sizeof *to);
    for (int i = 0; i < edges; i++) {
        int u = random_below(&s, n), v = random_below(&s, n);
        a[u * n + v] = a[v * n + u] = true;
    }
    if (seed % 2)
        a[random_below(&s, n) * n + random_below(&s, n)] ^= true;
    for (int u = 0; u < n; u++) {
        for (int v = 0; v < n; v++) {
            if (a[u * n + v] && !a[v * n + u])
                first = u;
            if (a[u * n + v])
                to[m++] = v;
        }
        row[u + 1] = m;
    }
    int64_t found = bn_asymmetric_row(n, &rows, to, NULL, room, threads);
    assert_int_equal(found == n, first == n);
    assert_true(found <= first);        /* a row before it may notice */
    free(a);
    free(row);
    free(room);
    free(to);
}

static void asymmetry_matches_a_check_of_all_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++)
        compare_with_all_pairs(6, 12, seed, 1);
    for (uint64_t seed = 0; seed < 24; seed++)
        compare_with_all_pairs(400, 80000, seed, 1 + (int)seed / 2 % 4);
}

static int cancel(const bonsai_progress *p, void *payload)
{
    (void)p;
    return --*(int *)payload < 0;
}

static void checking_can_be_canceled(void **state)
{
    (void)state;
    bonsai_view v = good();
    bonsai_graph *g;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.progress = cancel;
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    for (int ticks = 0;; ticks++) {
        int left = ticks;
        o.payload = &left;
        bonsai_status rc = bonsai_graph_check(g, &o);
        if (rc == BONSAI_OK) {
            assert_true(ticks > BONSAI_SECTION_COUNT);
            break;
        }
        assert_fails(rc, BONSAI_E_CANCELED, "canceled during");
    }
    bonsai_graph_free(g);
}

static bonsai_status check_it(void *payload)
{
    return bonsai_graph_check(payload, NULL);
}

static void checking_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 9, 20, DENSE_U8, WITH_ALL);
    survives_failed_allocations(check_it, g, 1);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(types_and_counts_are_checked),
        cmocka_unit_test(sections_need_each_other),
        cmocka_unit_test(offsets_are_checked),
        cmocka_unit_test(neighbours_are_checked),
        cmocka_unit_test(reals_are_checked),
        cmocka_unit_test(a_scale_must_keep_its_features_finite),
        cmocka_unit_test(integers_are_checked),
        cmocka_unit_test(no_id_is_valid_if_there_is_nothing_to_number),
        cmocka_unit_test(text_is_checked),
        cmocka_unit_test(the_first_wrong_entry_is_named_whatever_the_threads),
        cmocka_unit_test(asymmetry_is_found),
        cmocka_unit_test(asymmetry_matches_a_check_of_all_pairs),
        cmocka_unit_test(checking_can_be_canceled),
        cmocka_unit_test(checking_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
