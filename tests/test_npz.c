/* test_npz.c -- NumPy archives: what NumPy could have written is read, what is
 * written comes back, all else is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/npy.h"
#include "npzmake.h"

static npz_maker made;

static void make(void)
{
    made.len = 0;
    made.members = 0;
}

static const char *save_as(const char *name)
{
    const char *path = temp_path(name);
    npz_finish(&made);
    write_file(path, made.data, made.len);
    return path;
}

/* On one thread: these graphs are small and many. */
static bonsai_status load_small(bonsai_graph **out, const char *path)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    return bonsai_graph_read(out, path, &o);
}

static bonsai_graph *load(const char *path)
{
    bonsai_graph *g;
    if (load_small(&g, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static const int64_t five_edges[2][5] = {{0, 1, 2, 3, 0}, {1, 2, 3, 0, 1}};
static const float four_x[4][3] = {{1, 0, 0.5f}, {0, 2, 0}, {0, 0, -3}, {1, 1, 1}};
static const int64_t four_y[4] = {0, 1, -1, 1};

static void add_edges(void)
{
    npz_array(&made, "edge_index", "'<i8', C, (2, 5)", five_edges, sizeof five_edges);
}

static void add_x(void)
{
    npz_array(&made, "x", "'<f4', C, (4, 3)", four_x, sizeof four_x);
}

static void add_y(void)
{
    npz_array(&made, "y", "'<i8', C, (4,)", four_y, sizeof four_y);
}

/* The graph of five_edges and four_x: a ring of four. */
static void assert_ring(const bonsai_graph *g, bool features)
{
    static const uint32_t ring[] = {1, 3, 0, 2, 1, 3, 0, 2};
    float row[3];
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_int_equal(bonsai_graph_edges(g), 8);
    assert_memory_equal(bonsai_graph_view(g)->section[BONSAI_NEIGHBORS].data, ring, sizeof ring);
    for (int v = 0; features && v < 4; v++) {
        bonsai_graph_row(row, g, v);
        assert_memory_equal(row, four_x[v], sizeof row);
    }
}

/* ---- what is read ---- */

static void reads_edges_features_labels_and_split(void **state)
{
    (void)state;
    static const int64_t train[] = {3, 0}, val[] = {1};
    static const uint8_t split[] = {1, 2, 0, 1};
    make();
    add_edges();
    add_x();
    add_y();
    npz_array(&made, "train_idx", "'<i8', C, (2,)", train, sizeof train);
    npz_array(&made, "val_idx", "'<i8', C, (1,)", val, sizeof val);
    npz_array(&made, "test_idx", "'<i8', C, (0,)", NULL, 0);
    bonsai_graph *g = load(save_as("a.npz"));
    assert_ring(g, true);
    assert_int_equal(bonsai_graph_classes(g), 2);
    for (int v = 0; v < 4; v++)
        assert_int_equal(bonsai_graph_label(g, v), four_y[v]);
    assert_memory_equal(bonsai_graph_view(g)->section[BONSAI_SPLIT].data, split, sizeof split);
    assert_int_equal(bonsai_graph_read_info(g)->edges_given, 5);
    assert_int_equal(bonsai_graph_read_info(g)->rounded, 0);
    assert_string_equal(bonsai_graph_read_info(g)->format, "npz");
    bonsai_graph_free(g);
}

/* One integer of a type such as ">i4". */
static size_t put_int(uint8_t *out, const char *type, int64_t v)
{
    int width = type[2] - '0';
    for (int i = 0; i < width; i++)
        out[type[0] == '>' ? width - 1 - i : i] = (uint8_t)((uint64_t)v >> 8 * i);
    return (size_t)width;
}

static void every_integer_type_order_and_version_gives_the_same_edges(void **state)
{
    (void)state;
    static const char *const types[] = {"<i8", ">i8", "<u8", ">u8", "<i4", ">i4", "<u4", ">u4",
                                        "<i2", ">i2", "<u2", ">u2", "|i1", "|u1"};
    uint8_t data[80], bytes[512];
    char head[64];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int form = 0; form < 12; form++) {
            bool fortran = form & 1;
            int version = 1 + form / 2 % 3;
            size_t len = 0;
            for (int k = 0; k < 10; k++)
                len += put_int(data + len, types[t],
                               fortran ? five_edges[k % 2][k / 2] : five_edges[k / 5][k % 5]);
            snprintf(head, sizeof head, "'%s', %c, (2, 5)", types[t], fortran ? 'F' : 'C');
            make();
            len = npy_bytes(bytes, sizeof bytes, version, head, data, len);
            npz_add(&made, "edge_index.npy", bytes, len, form >= 6);
            bonsai_graph *g = load(save_as("t.npz"));
            assert_ring(g, false);
            bonsai_graph_free(g);
        }
}

/* One number of a type such as ">f8"; halves through a table of what is used here. */
static size_t put_real(uint8_t *out, const char *type, float v)
{
    double d = (double)v;
    uint64_t bits = 0;
    uint32_t single;
    if (type[1] != 'f')
        return put_int(out, type, (int64_t)v);
    memcpy(&single, &v, sizeof single);
    if (type[2] == '8')
        memcpy(&bits, &d, sizeof d);
    else if (type[2] == '4')
        bits = single;
    else
        bits = v == 0 ? 0 : v == 1 ? 0x3c00 : v == 0.5f ? 0x3800 : v == 2 ? 0x4000 : 0xc200;
    return put_int(out, type, (int64_t)bits);
}

static void every_float_type_and_order_gives_the_same_features(void **state)
{
    (void)state;
    static const char *const types[] = {"<f4", ">f4", "<f8", ">f8", "<f2", ">f2"};
    uint8_t data[96];
    char head[64];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int fortran = 0; fortran < 2; fortran++) {
            size_t len = 0;
            for (int k = 0; k < 12; k++)
                len += put_real(data + len, types[t],
                                fortran ? four_x[k % 4][k / 4] : four_x[k / 3][k % 3]);
            snprintf(head, sizeof head, "'%s', %c, (4, 3)", types[t], fortran ? 'F' : 'C');
            make();
            add_edges();
            npz_array(&made, "x", head, data, len);
            bonsai_graph *g = load(save_as("t.npz"));
            assert_ring(g, true);
            assert_int_equal(bonsai_graph_read_info(g)->rounded, 0);
            bonsai_graph_free(g);
        }
}

static void integer_and_bool_features_are_numbers(void **state)
{
    (void)state;
    static const char *const types[] = {"|b1", "|i1", "|u1", "<i2", ">i4", "<i8", ">u8"};
    static const float wanted[8] = {0, 1, 1, 0, 1, 0, 0, 1};
    uint8_t data[64];
    char head[64];
    float row[2];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        size_t len = 0;
        for (int k = 0; k < 8; k++)
            len += put_int(data + len, types[t], (int64_t)wanted[k]);
        snprintf(head, sizeof head, "'%s', C, (4, 2)", types[t]);
        make();
        add_edges();
        npz_array(&made, "x", head, data, len);
        bonsai_graph *g = load(save_as("t.npz"));
        for (int v = 0; v < 4; v++) {
            bonsai_graph_row(row, g, v);
            assert_memory_equal(row, wanted + 2 * v, sizeof row);
        }
        bonsai_graph_free(g);
    }
}

static int64_t rounded_by(const char *head, const void *data, size_t len)
{
    make();
    add_edges();
    npz_array(&made, "x", head, data, len);
    bonsai_graph *g = load(save_as("t.npz"));
    int64_t rounded = bonsai_graph_read_info(g)->rounded;
    bonsai_graph_free(g);
    return rounded;
}

static void numbers_wider_than_float_are_rounded_and_said_to_be(void **state)
{
    (void)state;
    const double tenth[4] = {0, 0.1, 0, 0}, half[4] = {0.5, 0x1p100, -0.0, -3};
    const int64_t odd[4] = {(1 << 24) + 1, 0, 0, 0}, even[4] = {1ll << 62, -(1 << 24), INT64_MIN, 3};
    assert_int_equal(rounded_by("'<f8', C, (4, 1)", tenth, sizeof tenth), 1);
    assert_int_equal(rounded_by("'<f8', C, (4, 1)", half, sizeof half), 0);
    assert_int_equal(rounded_by("'<i8', C, (4, 1)", odd, sizeof odd), 1);
    assert_int_equal(rounded_by("'<i8', C, (4, 1)", even, sizeof even), 0);
}

static void reads_sparse_features_and_weights(void **state)
{
    (void)state;
    static const float data[] = {1, 0.5f, 2, -3, 1, 1, 1}, weight[] = {1, 2, 3, 4, 5};
    static const int32_t indices[] = {0, 2, 1, 2, 0, 1, 2};
    static const int64_t indptr[] = {0, 2, 3, 4, 7}, shape[] = {4, 3};
    make();
    add_edges();
    npz_array(&made, "edge_weight", "'<f4', C, (5,)", weight, sizeof weight);
    npz_array(&made, "x_data", "'<f4', C, (7,)", data, sizeof data);
    npz_array(&made, "x_indices", "'<i4', C, (7,)", indices, sizeof indices);
    npz_array(&made, "x_indptr", "'<i8', C, (5,)", indptr, sizeof indptr);
    npz_array(&made, "x_shape", "'<i8', C, (2,)", shape, sizeof shape);
    bonsai_graph *g = load(save_as("t.npz"));
    assert_ring(g, true);
    const float *w = bonsai_graph_view(g)->section[BONSAI_EDGE_WEIGHTS].data;
    assert_non_null(w);
    assert_true(w[0] == 6 && w[1] == 4);        /* 0-1 is given twice, as 1 and as 5 */
    bonsai_graph_free(g);
}

static void add_adjacency(float first)
{
    const float ones[] = {first, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t ring[] = {1, 3, 0, 2, 1, 3, 0, 2}, indptr[] = {0, 2, 4, 6, 8};
    static const int64_t shape[] = {4, 4};
    npz_array(&made, "adj_data", "'<f4', C, (8,)", ones, sizeof ones);
    npz_array(&made, "adj_indices", "'<i4', C, (8,)", ring, sizeof ring);
    npz_array(&made, "adj_indptr", "'<i4', C, (5,)", indptr, sizeof indptr);
    npz_array(&made, "adj_shape", "'<i8', C, (2,)", shape, sizeof shape);
}

static void reads_the_layout_of_adj_attr_and_labels(void **state)
{
    (void)state;
    make();
    add_adjacency(1);
    npz_array(&made, "attr_matrix", "'<f4', C, (4, 3)", four_x, sizeof four_x);
    npz_array(&made, "labels", "'<i8', C, (4,)", four_y, sizeof four_y);
    npz_array(&made, "class_names", "'|O', C, (2,)", four_y, 16);
    npz_array(&made, "metadata", "'<U4', C, ()", "a\0\0\0b\0\0\0c\0\0\0d\0\0", 16);
    bonsai_graph *g = load(save_as("t.npz"));
    assert_ring(g, true);
    assert_null(bonsai_graph_view(g)->section[BONSAI_EDGE_WEIGHTS].data);
    assert_int_equal(bonsai_graph_label(g, 1), 1);
    bonsai_graph_free(g);
    make();
    add_adjacency(3);
    g = load(save_as("t.npz"));
    assert_non_null(bonsai_graph_view(g)->section[BONSAI_EDGE_WEIGHTS].data);
    bonsai_graph_free(g);
}

static void masks_are_a_split_too(void **state)
{
    (void)state;
    static const uint8_t train[] = {1, 0, 0, 1}, test[] = {0, 1, 0, 0}, split[] = {1, 3, 0, 1};
    make();
    add_edges();
    npz_array(&made, "train_mask", "'|b1', C, (4,)", train, sizeof train);
    npz_array(&made, "test_mask", "'|b1', C, (4,)", test, sizeof test);
    bonsai_graph *g = load(save_as("t.npz"));
    assert_memory_equal(bonsai_graph_view(g)->section[BONSAI_SPLIT].data, split, sizeof split);
    bonsai_graph_free(g);
}

static void the_number_of_nodes_comes_from_num_nodes_or_the_largest_id(void **state)
{
    (void)state;
    static const int64_t nine = 9;
    make();
    add_edges();
    bonsai_graph *g = load(save_as("t.npz"));
    assert_int_equal(bonsai_graph_nodes(g), 4);
    bonsai_graph_free(g);
    make();
    add_edges();
    npz_array(&made, "num_nodes", "'<i8', C, ()", &nine, 8);
    g = load(save_as("t.npz"));
    assert_int_equal(bonsai_graph_nodes(g), 9);
    bonsai_graph_free(g);
}

static void unknown_members_are_not_looked_at(void **state)
{
    (void)state;
    make();
    npz_add(&made, "readme.txt", "hello", 5, 0);
    npz_add(&made, "junk.npy", "not an array", 12, 1);
    npz_array(&made, "objects", "'|O', C, (1,)", "12345678", 8);
    npz_array(&made, "origin", "'<U2', C, (1,)", "a\0\0\0b\0\0", 8);
    add_edges();
    bonsai_graph *g = load(save_as("t.npz"));
    assert_ring(g, false);
    bonsai_graph_free(g);
}

/* ---- there and back ---- */

typedef struct {
    bonsai_view v;
    int32_t source[60], target[60];
    float   weight[60], x[400], scale[20], node_weight[20], soft[100], mean[20];
    uint8_t small[400], split[20], role[20], soft8[100], names[60];
    uint16_t half[400], index[400];
    uint32_t offsets[21], labels[20], origin[20], member_offsets[21], members[60], kept[20];
} parts;

static bonsai_array *section(parts *p, bonsai_section s)
{
    return &p->v.section[s];
}

static void random_features(parts *p, bn_rng *r)
{
    int64_t n = p->v.nodes, f = p->v.features, nnz = 0;
    int form = (int)bn_rng_below(r, 7);
    for (int64_t i = 0; i < n * f; i++) {
        p->x[i] = bn_rng_below(r, 3) ? (float)bn_rng_normal(r) : bn_rng_below(r, 2) ? 0.0f : -0.0f;
        p->half[i] = bn_half_from_float(p->x[i]);
        p->small[i] = (uint8_t)bn_rng_below(r, 256);
    }
    for (int64_t v = 0; v < n; v++) {
        p->scale[v] = (float)bn_rng_unit(r) + 0.01f;
        for (int64_t j = 0; j < f; j++)
            if (bn_rng_below(r, 3) == 0)
                p->index[nnz++] = (uint16_t)j;
        p->offsets[v + 1] = (uint32_t)nnz;
    }
    if (form == 0)
        p->v.features = 0;
    if (form == 1)
        *section(p, BONSAI_FEATURES) = (bonsai_array){p->x, n * f, BONSAI_F32};
    if (form == 2)
        *section(p, BONSAI_FEATURES) = (bonsai_array){p->half, n * f, BONSAI_F16};
    if (form == 3)
        *section(p, BONSAI_FEATURES) = (bonsai_array){p->small, n * f, BONSAI_U8};
    if (form >= 4) {
        *section(p, BONSAI_FEATURE_OFFSETS) = (bonsai_array){p->offsets, n + 1, BONSAI_U32};
        *section(p, BONSAI_FEATURE_INDICES) = (bonsai_array){p->index, nnz, BONSAI_U16};
    }
    if (form == 5)
        *section(p, BONSAI_FEATURE_VALUES) = (bonsai_array){p->x, nnz, BONSAI_F32};
    if (form == 6)
        *section(p, BONSAI_FEATURE_VALUES) = (bonsai_array){p->small, nnz, BONSAI_I8};
    if (form == 3 || form == 6)
        *section(p, BONSAI_FEATURE_SCALE) = (bonsai_array){p->scale, n, BONSAI_F32};
}

static void random_sections(parts *p, bn_rng *r)
{
    int64_t n = p->v.nodes, c = p->v.classes, f = p->v.features;
    static const char metadata[] = "{\"name\": \"gr\xc3\xa4ph\"}";
    for (int64_t v = 0; v < n; v++) {
        int64_t label = bn_rng_below(r, c + 1) - 1;
        p->labels[v] = (uint32_t)label;
        p->split[v] = (uint8_t)bn_rng_below(r, 4);
        p->role[v] = (uint8_t)bn_rng_below(r, 4);
        p->origin[v] = (uint32_t)bn_rng_below(r, INT32_MAX);
        p->node_weight[v] = (float)bn_rng_unit(r);
        p->member_offsets[v + 1] = p->member_offsets[v] + (uint32_t)bn_rng_below(r, 3);
    }
    for (int i = 0; i < 100; i++) {
        p->soft[i] = (float)bn_rng_unit(r);
        p->soft8[i] = (uint8_t)bn_rng_below(r, 256);
    }
    for (int i = 0; i < 60; i++)
        p->members[i] = (uint32_t)bn_rng_below(r, 1000);
    for (int j = 0; j < 20; j++) {
        p->mean[j] = (float)bn_rng_normal(r);
        p->kept[j] = (uint32_t)(3 * j);
        p->names[2 * j] = (uint8_t)('a' + j);
    }
    const struct { bonsai_section s; bonsai_array a; } all[] = {
        {BONSAI_LABELS, {p->labels, n, BONSAI_U32}},
        {BONSAI_SOFT_LABELS, {p->soft, n * c, BONSAI_F32}},
        {BONSAI_SOFT_LABELS, {p->soft8, n * c, BONSAI_U8}},
        {BONSAI_NODE_WEIGHTS, {p->node_weight, n, BONSAI_F32}},
        {BONSAI_NODE_WEIGHTS, {p->half, n, BONSAI_U16}},
        {BONSAI_NODE_WEIGHTS, {p->role, n, BONSAI_U8}},
        {BONSAI_SPLIT, {p->split, n, BONSAI_U8}},
        {BONSAI_CLASS_NAMES, {p->names, 2 * c, BONSAI_U8}},
        {BONSAI_NODE_NAMES, {p->names, 2 * n, BONSAI_U8}},
        {BONSAI_ORIGIN, {p->origin, n, BONSAI_U32}},
        {BONSAI_ROLE, {p->role, n, BONSAI_U8}},
        {BONSAI_KEPT_FEATURES, {p->kept, f, BONSAI_U32}},
        {BONSAI_METADATA, {metadata, sizeof metadata - 1, BONSAI_U8}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (bn_rng_below(r, 2))
            *section(p, all[i].s) = all[i].a;
    if (bn_rng_below(r, 2)) {
        *section(p, BONSAI_MEMBER_OFFSETS) = (bonsai_array){p->member_offsets, n + 1, BONSAI_U32};
        *section(p, BONSAI_MEMBERS) = (bonsai_array){p->members, p->member_offsets[n], BONSAI_U32};
        *section(p, BONSAI_FEATURE_MEAN) = (bonsai_array){p->mean, f, BONSAI_F32};
        *section(p, BONSAI_FEATURE_SPREAD) = (bonsai_array){p->mean, f, BONSAI_F32};
    }
}

static bonsai_graph *random_graph(uint64_t seed)
{
    static parts p;
    bn_rng r = bn_rng_at(seed, 1);
    bonsai_read_options o;
    bonsai_graph *g;
    memset(&p, 0, sizeof p);
    bonsai_view_init(&p.v);
    bonsai_read_options_init(&o);
    o.threads = 1;
    p.v.nodes = bn_rng_below(&r, 20);
    p.v.features = bn_rng_below(&r, 20);
    p.v.classes = bn_rng_below(&r, 5);
    random_features(&p, &r);
    random_sections(&p, &r);
    int64_t m = p.v.nodes ? bn_rng_below(&r, 60) : 0;
    for (int64_t i = 0; i < m; i++) {
        p.source[i] = (int32_t)bn_rng_below(&r, p.v.nodes);
        p.target[i] = (int32_t)bn_rng_below(&r, p.v.nodes);
        p.weight[i] = (float)bn_rng_unit(&r) + 0.1f;
    }
    o.keep_directed = (int)bn_rng_below(&r, 2);
    o.keep_self_loops = (int)bn_rng_below(&r, 2);
    o.keep_repeated = (int)bn_rng_below(&r, 2);
    const float *weight = bn_rng_below(&r, 2) ? p.weight : NULL;
    if (bonsai_graph_build(&g, &p.v, m, p.source, p.target, weight, &o) != BONSAI_OK)
        fail_msg("seed %d: %s", (int)seed, bonsai_error());
    return g;
}

static void assert_same(const bonsai_graph *a, const bonsai_graph *b, uint64_t seed)
{
    const bonsai_array *x = &bonsai_graph_view(a)->section[BONSAI_METADATA];
    const bonsai_array *y = &bonsai_graph_view(b)->section[BONSAI_METADATA];
    int equal = 0;
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    if (!equal || x->count != y->count || !x->data != !y->data)
        fail_msg("graph %d did not come back", (int)seed);
    if (x->count)
        assert_memory_equal(x->data, y->data, x->count);
}

static void every_section_comes_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        uint64_t lost = 1;
        bonsai_graph *g = random_graph(seed);
        const char *path = temp_path("back.npz");
        if (bonsai_graph_save(g, path, NULL, &lost) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        assert_int_equal(lost, 0);
        bonsai_graph *back = load(path);
        assert_same(g, back, seed);
        bonsai_graph_free(back);
        bonsai_graph_free(g);
    }
}

static void the_same_graph_gives_the_same_bytes(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(7);
    size_t a_len, b_len;
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    const char *a = temp_path("one.npz"), *b = temp_path("two.npz");
    assert_int_equal(bonsai_graph_save(g, a, NULL, NULL), BONSAI_OK);
    o.threads = 1;
    assert_int_equal(bonsai_graph_save(g, b, &o, NULL), BONSAI_OK);
    uint8_t *x = read_file(a, &a_len), *y = read_file(b, &b_len);
    assert_int_equal(a_len, b_len);
    assert_memory_equal(x, y, a_len);
    free(x);
    free(y);
    bonsai_graph_free(g);
}

static void a_split_that_puts_no_node_anywhere_is_still_a_split(void **state)
{
    (void)state;
    static const uint8_t split[3] = {0};
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = 3;
    v.section[BONSAI_SPLIT] = (bonsai_array){split, 3, BONSAI_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    const char *path = temp_path("split.npz");
    assert_int_equal(bonsai_graph_save(g, path, NULL, NULL), BONSAI_OK);
    bonsai_graph *back = load(path);
    assert_non_null(bonsai_graph_view(back)->section[BONSAI_SPLIT].data);
    assert_null(bonsai_graph_view(back)->section[BONSAI_LABELS].data);
    assert_same(g, back, 0);
    bonsai_graph_free(back);
    bonsai_graph_free(g);
}

/* In each header of the directory, offsets from the limit on are in the 64-bit form. */
static void assert_wide(const char *path, int64_t limit)
{
    size_t len;
    int headers = 0;
    uint8_t *data = read_file(path, &len);
    for (size_t i = 0; i + 46 < len; i++) {
        if (memcmp(data + i, "PK\x01\x02", 4) != 0)
            continue;
        uint32_t size, offset;
        memcpy(&size, data + i + 24, 4);
        memcpy(&offset, data + i + 42, 4);
        assert_true(size == UINT32_MAX ? 208 >= limit - limit / 64 : size == 208);
        assert_true(offset == UINT32_MAX || offset < limit);
        headers++;
    }
    assert_int_equal(headers, 3);
    free(data);
}

static void sizes_and_offsets_of_64_bits_are_read(void **state)
{
    (void)state;
    bn_zip_out *z;
    const int64_t shape[] = {2, 5};
    for (int64_t limit = 1; limit < 1000; limit += 111) {
        const char *path = temp_path("wide.npz");
        assert_int_equal(bn_zip_out_open(&z, path, (bn_progress){0}, 0), BONSAI_OK);
        bn_zip_out_limit(z, limit);
        for (int i = 0; i < 3; i++) {
            static const char *const names[] = {"other", "edge_index", "last"};
            assert_int_equal(bn_zip_out_begin(z, names[i], "<i8", 2, shape), BONSAI_OK);
            assert_int_equal(bn_zip_out_write(z, five_edges, sizeof five_edges), BONSAI_OK);
            assert_int_equal(bn_zip_out_end(z), BONSAI_OK);
        }
        assert_int_equal(bn_zip_out_commit(z), BONSAI_OK);
        bn_zip_out_close(z);
        assert_wide(path, limit);
        bonsai_graph *g = load(path);
        assert_ring(g, false);
        bonsai_graph_free(g);
    }
}

/* ---- what is refused ---- */

static void refuse(const char *text)
{
    bonsai_graph *g;
    assert_fails(load_small(&g, save_as("bad.npz")), BONSAI_E_FORMAT, text);
    assert_null(g);
}

static void refuse_array(const char *name, const char *head, const void *data, size_t len,
                         const char *text)
{
    make();
    add_edges();
    npz_array(&made, name, head, data, len);
    refuse(text);
}

static void what_is_no_archive_is_refused(void **state)
{
    (void)state;
    bonsai_graph *g;
    assert_fails(load_small(&g, "nowhere.npz"), BONSAI_E_IO, "nowhere.npz: cannot be opened");
    const char *folder = temp_path("folder.npz"), *path = temp_path("x.npz");
    mkdir(folder, 0700);
    assert_fails(load_small(&g, folder), BONSAI_E_IO, "is a folder");
    write_text(path, "");
    assert_fails(load_small(&g, path), BONSAI_E_FORMAT, "x.npz: is empty");
    write_text(path, "this is not a zip archive at all, really not");
    assert_fails(load_small(&g, path), BONSAI_E_FORMAT, "is not a zip archive");
    make();
    add_x();
    add_y();
    refuse("has neither \"edge_index\" nor \"adj_indptr\"; its arrays are: x, y");
    make();
    add_edges();
    add_edges();
    refuse("has two members \"edge_index.npy\"");
    make();
    add_edges();
    add_adjacency(1);
    refuse("has edges twice");
}

static void ids_out_of_range_are_refused_by_entry_and_value(void **state)
{
    (void)state;
    const int64_t negative[] = {0, 1, 2, -3}, far[] = {0, 1, 2, 4}, huge[] = {0, 1ll << 31, 2, 3};
    const uint64_t beyond[] = {0, UINT64_MAX, 0, 0};
    make();
    npz_array(&made, "edge_index", "'<i8', C, (2, 2)", negative, sizeof negative);
    refuse("bad.npz:edge_index: entry [1,1] is -3, outside 0..");
    make();
    npz_array(&made, "edge_index", "'<i8', F, (2, 2)", far, sizeof far);
    add_x();
    refuse("edge_index: entry [1,1] is 4, outside 0..3");
    make();
    npz_array(&made, "edge_index", "'<i8', C, (2, 2)", huge, sizeof huge);
    refuse("entry [0,1] is 2147483648, outside 0..2147483646");
    make();
    npz_array(&made, "edge_index", "'<u8', C, (2, 2)", beyond, sizeof beyond);
    refuse("entry [0,1] is 18446744073709551615");
    refuse_array("train_idx", "'<i8', C, (4,)", far, sizeof far, "train_idx: entry 3 is 4");
    refuse_array("y", "'<i8', C, (4,)", negative, sizeof negative, "y: entry 3 is -3, outside -1..");
    refuse_array("y", "'<u8', C, (4,)", beyond, sizeof beyond, "y: entry 1 is 18446744073709551615");
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    const float nan4[4] = {0, 0, NAN, 0}, inf5[5] = {1, 1, 1, 1, INFINITY};
    const float zero5[5] = {1, 0, 1, 1, 1};
    const double large[4] = {0, 1e300, 0, 0};
    refuse_array("x", "'<f4', C, (4, 1)", nan4, sizeof nan4, "x: entry [2,0] is nan, not a finite");
    refuse_array("x", "'<f8', C, (4, 1)", large, sizeof large, "[1,0] is 1e+300, too large for a fl");
    refuse_array("edge_weight", "'<f4', C, (5,)", inf5, sizeof inf5, "entry 4 is inf, not a finite");
    refuse_array("edge_weight", "'<f4', C, (5,)", zero5, sizeof zero5, "edge 1: weight 0 is not pos");
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const uint8_t zero[64] = {0};
    make();
    npz_array(&made, "edge_index", "'<i8', C, (4, 2)", zero, 64);
    refuse("edge_index: has shape [4,2] where [2,any] is needed");
    refuse_array("x", "'<f4', C, (4,)", zero, 16, "x: has shape [4] where [any,any] is needed");
    refuse_array("x", "'<f4', C, (4, 4611686018427387904)", zero, 16, "is not possible");
    refuse_array("x", "'<f4', C, (-4, -1)", zero, 16, "length -4 of dimension 0 is not possible");
    refuse_array("x", "'<f4', C, (4, 1000000)", zero, 16, "4000000 elements of 4 bytes, but the file "
                 "holds 16 bytes");
    refuse_array("x", "'<f4', C, (1, 2, 2, 1, 1)", zero, 16, "has 5 dimensions");
    refuse_array("y", "'<i8', C, (4, 2)", zero, 64, "only one label a node");
    refuse_array("edge_weight", "'<f4', C, (4,)", zero, 16, "has shape [4] where [5] is needed");
    refuse_array("num_nodes", "'<i8', C, (2,)", zero, 16, "has 2 elements where one is needed");
    refuse_array("train_mask", "'|b1', C, (4, 2)", zero, 8, "train_mask: has shape [4,2]");
    make();
    add_edges();
    add_y();
    npz_array(&made, "x", "'<f4', C, (5, 1)", zero, 20);
    refuse("bad.npz: y has 4 nodes but x has 5");
}

static void types_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const uint8_t zero[64] = {0};
    refuse_array("x", "'|O', C, (4, 1)", zero, 32, "x: holds Python objects, which are never read");
    refuse_array("x", "'<U1', C, (4, 1)", zero, 16, "type \"<U1\" where numbers are needed");
    refuse_array("y", "'<f8', C, (4,)", zero, 32, "type \"<f8\" where integers are needed");
    refuse_array("y", "'<i3', C, (4,)", zero, 12, "type \"<i3\" cannot be read");
    refuse_array("y", "'<M8[s]', C, (4,)", zero, 32, "type \"<M8[s]\" cannot be read");
    refuse_array("y", "[('a','<i8')], C, (4,)", zero, 32, "type \"record\" cannot be read");
    make();
    add_edges();
    npz_add(&made, "y.npy", "\x93NUMPY\x04\0\x02\0{}", 12, 0);
    refuse("y: is not a NumPy array of version 1.0, 2.0 or 3.0");
    make();
    add_edges();
    npz_add(&made, "y.npy", "\x93NUMPY\x01\0\x02\0{}", 12, 0);
    refuse("y: cannot make sense of the header \"{}\"");
    make();
    add_edges();
    npz_add(&made, "y.npy", "\x93NUM", 4, 0);
    refuse("y: has 4 bytes, too few");
}

static void a_split_that_overlaps_is_refused(void **state)
{
    (void)state;
    static const int64_t train[] = {3, 0}, test[] = {1, 3};
    make();
    add_edges();
    npz_array(&made, "train_idx", "'<i8', C, (2,)", train, sizeof train);
    npz_array(&made, "test_idx", "'<i8', C, (2,)", test, sizeof test);
    refuse("test_idx: node 3 is in train too");
}

static void sparse_arrays_that_disagree_are_refused(void **state)
{
    (void)state;
    static const int64_t starts[][3] = {{1, 1, 2}, {0, 2, 1}, {0, 1, 1}, {0, 1, 3}};
    static const char *const texts[] = {"x_indptr: entry 0 is 1, but it must be 0",
                                        "x_indptr: entry 2 is 1, but it must be at least 2",
                                        "the last entry is 1, but there are 2 indices",
                                        "x_indptr: entry 2 is 3, outside 0..2"};
    static const int64_t shape[] = {2, 3}, edges[] = {0, 1}, indices[] = {0, 3}, fine[] = {0, 1, 2};
    static const float data[] = {1, 2};
    for (int i = 0; i < 5; i++) {
        make();
        npz_array(&made, "edge_index", "'<i8', C, (2, 1)", edges, sizeof edges);
        npz_array(&made, "x_shape", "'<i8', C, (2,)", shape, sizeof shape);
        npz_array(&made, "x_data", "'<f4', C, (2,)", data, sizeof data);
        npz_array(&made, "x_indices", "'<i8', C, (2,)", i == 4 ? indices : edges, 16);
        npz_array(&made, "x_indptr", "'<i8', C, (3,)", i == 4 ? fine : starts[i], 24);
        refuse(i == 4 ? "x_indices: entry 1 is 3, outside 0..2" : texts[i]);
    }
    make();
    npz_array(&made, "edge_index", "'<i8', C, (2, 1)", edges, sizeof edges);
    npz_array(&made, "x_indices", "'<i8', C, (2,)", edges, sizeof edges);
    refuse("has no array \"x_shape\"");
}

/* An array of which the archive tells lies: sizes and checksum as given. */
static void add_lie(const char *name, int deflated, uint32_t size, uint32_t crc_error)
{
    uint8_t bytes[512];
    uint32_t before = (uint32_t)made.len;
    size_t len = npy_bytes(bytes, sizeof bytes, 1, "'<i8', C, (2, 5)", five_edges, 80);
    npz_add(&made, name, bytes, len, deflated);
    npz_member *e = &made.list[made.members - 1];
    e->size = size ? size : e->size;
    e->crc ^= crc_error;
    for (int i = 0; i < 4; i++) {
        made.data[before + 14 + (uint32_t)i] = (uint8_t)(e->crc >> 8 * i);
        made.data[before + 22 + (uint32_t)i] = (uint8_t)(e->size >> 8 * i);
    }
}

static void an_archive_that_lies_is_refused(void **state)
{
    (void)state;
    make();
    add_lie("edge_index.npy", 1, 2000000000, 0);
    refuse("unzip to 2000000000, which is not possible");
    make();
    add_lie("edge_index.npy", 0, 1000, 0);
    refuse("unzip to 1000, which is not possible");
    make();
    add_lie("edge_index.npy", 1, 5000, 0);
    refuse("10 elements of 8 bytes, but the file holds");
    make();
    add_lie("edge_index.npy", 1, 0, 1);
    refuse("edge_index: cannot be unzipped: CRC error");
    make();
    add_lie("edge_index.npy", 0, 0, 1);
    refuse("edge_index: cannot be unzipped: CRC error");
}

/* A member that is deflated and whose sizes are honest but not its header's. */
static void a_member_of_another_length_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[512];
    size_t len = npy_bytes(bytes, sizeof bytes, 1, "'<i8', C, (2, 5)", five_edges, 80);
    make();
    npz_add(&made, "edge_index.npy", bytes, len - 1, 1);
    refuse("10 elements of 8 bytes, but the file holds 79 bytes");
    make();
    npz_add(&made, "edge_index.npy", bytes, len + 1, 1);
    refuse("10 elements of 8 bytes, but the file holds 81 bytes");
}

/* Sizes that agree with the header, around a stream that does not. */
static void a_stream_longer_or_shorter_than_it_says_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[512];
    for (int edges = 4; edges <= 6; edges += 2) {
        char head[32];
        snprintf(head, sizeof head, "'<i8', C, (2, %d)", edges);
        size_t len = npy_bytes(bytes, sizeof bytes, 1, head, five_edges, 80);
        make();
        npz_add(&made, "edge_index.npy", bytes, len, 1);
        uint32_t size = (uint32_t)len - 80 + 16 * (uint32_t)edges;
        made.list[0].size = size;
        memcpy(made.data + 22, &size, 4);
        refuse("edge_index: ");
    }
}

static size_t small_archive(void)
{
    make();
    add_edges();
    uint8_t bytes[512];
    size_t len = npy_bytes(bytes, sizeof bytes, 1, "'<f4', C, (4, 3)", four_x, sizeof four_x);
    npz_add(&made, "x.npy", bytes, len, 1);
    npz_finish(&made);
    return made.len;
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    bonsai_graph *g;
    const char *path = temp_path("cut.npz");
    for (size_t len = small_archive(); len-- > 0;) {
        write_file(path, made.data, len);
        if (load_small(&g, path) != BONSAI_E_FORMAT)
            fail_msg("cut to %zu bytes it was read", len);
    }
}

/* A flip may lie in a name or a time, where nothing is promised; but where the file
 * still loads with all its arrays, they are the same. */
static void a_flipped_bit_never_changes_a_number(void **state)
{
    (void)state;
    const char *path = temp_path("flip.npz");
    size_t len = small_archive();
    int refused = 0;
    for (size_t bit = 0; bit < 8 * len; bit++) {
        bonsai_graph *g;
        made.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        write_file(path, made.data, len);
        bonsai_status rc = load_small(&g, path);
        made.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (rc != BONSAI_OK) {
            assert_int_equal(rc, BONSAI_E_FORMAT);
            refused++;
            continue;
        }
        assert_ring(g, bonsai_graph_features(g) > 0);
        bonsai_graph_free(g);
    }
    assert_true(refused > (int)len);
}

/* ---- memory, progress ---- */

static bonsai_status load_once(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = load_small(&g, payload);
    bonsai_graph_free(g);
    return rc;
}

typedef struct {
    const bonsai_graph *g;
    const char *path;
} saving;

static bonsai_status save_once(void *payload)
{
    const saving *s = payload;
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.threads = 1;
    return bonsai_graph_save(s->g, s->path, &o, NULL);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 28; seed++) {
        bonsai_graph *g = random_graph(seed);
        char path[512];
        snprintf(path, sizeof path, "%s", temp_path("memory.npz"));
        saving s = {g, path};
        unlink(path);
        survives_failed_allocations(save_once, &s, 10);
        survives_failed_allocations(load_once, path, 10);
        bonsai_graph_free(g);
    }
    make();
    add_adjacency(2);
    char path[512];
    snprintf(path, sizeof path, "%s", save_as("memory.npz"));
    survives_failed_allocations(load_once, path, 10);
}

typedef struct {
    int calls, cancel_at;
    uint64_t last, total;
} ticker;

static int tick(const bonsai_progress *p, void *payload)
{
    ticker *t = payload;
    if (strcmp(p->stage, "writing") == 0 || strcmp(p->stage, "reading") == 0) {
        assert_true(t->calls == 0 ? p->done == 0 : p->done >= t->last);
        t->last = p->done;
        t->total = p->total;
        return t->calls++ == t->cancel_at;
    }
    return 0;
}

static bonsai_graph *large_graph(void)
{
    enum { N = 20000, F = 100 };
    bonsai_view v;
    bonsai_graph *g;
    float *x = calloc(N * F, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < N * F; i++)
        x[i] = (float)(i % 97);
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = F;
    v.section[BONSAI_FEATURES] = (bonsai_array){x, N * F, BONSAI_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    free(x);
    return g;
}

static void progress_ends_at_the_total_and_canceling_leaves_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = large_graph(), *back;
    const char *path = temp_path("progress.npz");
    bonsai_write_options w;
    bonsai_read_options r;
    bonsai_write_options_init(&w);
    bonsai_read_options_init(&r);
    w.progress = r.progress = tick;
    int64_t live = bn_mem_live();
    for (int at = 0, more = 1; more; at++) {
        ticker t = {.cancel_at = at};
        w.payload = &t;
        bonsai_status rc = bonsai_graph_save(g, path, &w, NULL);
        more = rc != BONSAI_OK;
        if (more) {
            assert_fails(rc, BONSAI_E_CANCELED, "writing");
            assert_int_equal(access(path, F_OK), -1);
        } else {
            assert_true(at >= 3 && t.last == t.total && t.total > 8000000);
        }
    }
    for (int at = 0, more = 1; more; at++) {
        ticker t = {.cancel_at = at};
        r.payload = &t;
        bonsai_status rc = bonsai_graph_read(&back, path, &r);
        more = rc != BONSAI_OK;
        if (more)
            assert_fails(rc, BONSAI_E_CANCELED, "reading");
        else
            assert_true(at >= 3 && t.last == t.total);
        bonsai_graph_free(back);
    }
    assert_int_equal(bn_mem_live(), live);
    bonsai_graph_free(g);
}

/* ---- real data, where it is ---- */

static void the_datasets_at_hand_have_their_sizes(void **state)
{
    (void)state;
    static const struct { const char *path; int64_t n, m, f, c; } sets[] = {
        {"../shared/data/npz/amazon_photo.npz", 7650, 238162, 745, 8},
        {"../shared/data/npz/ogbn_arxiv_sub22k.npz", 22541, 194964, 128, 40},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (access(sets[i].path, R_OK) != 0)
            continue;
        bonsai_graph *g = load(sets[i].path);
        assert_int_equal(bonsai_graph_nodes(g), sets[i].n);
        assert_int_equal(bonsai_graph_edges(g), sets[i].m);
        assert_int_equal(bonsai_graph_features(g), sets[i].f);
        assert_int_equal(bonsai_graph_classes(g), sets[i].c);
        bonsai_graph_free(g);
        found++;
    }
    if (!found)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_edges_features_labels_and_split),
        cmocka_unit_test(every_integer_type_order_and_version_gives_the_same_edges),
        cmocka_unit_test(every_float_type_and_order_gives_the_same_features),
        cmocka_unit_test(integer_and_bool_features_are_numbers),
        cmocka_unit_test(numbers_wider_than_float_are_rounded_and_said_to_be),
        cmocka_unit_test(reads_sparse_features_and_weights),
        cmocka_unit_test(reads_the_layout_of_adj_attr_and_labels),
        cmocka_unit_test(masks_are_a_split_too),
        cmocka_unit_test(the_number_of_nodes_comes_from_num_nodes_or_the_largest_id),
        cmocka_unit_test(unknown_members_are_not_looked_at),
        cmocka_unit_test(every_section_comes_back),
        cmocka_unit_test(the_same_graph_gives_the_same_bytes),
        cmocka_unit_test(a_split_that_puts_no_node_anywhere_is_still_a_split),
        cmocka_unit_test(sizes_and_offsets_of_64_bits_are_read),
        cmocka_unit_test(what_is_no_archive_is_refused),
        cmocka_unit_test(ids_out_of_range_are_refused_by_entry_and_value),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(types_that_do_not_fit_are_refused),
        cmocka_unit_test(a_split_that_overlaps_is_refused),
        cmocka_unit_test(sparse_arrays_that_disagree_are_refused),
        cmocka_unit_test(an_archive_that_lies_is_refused),
        cmocka_unit_test(a_member_of_another_length_is_refused),
        cmocka_unit_test(a_stream_longer_or_shorter_than_it_says_is_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(a_flipped_bit_never_changes_a_number),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(progress_ends_at_the_total_and_canceling_leaves_nothing),
        cmocka_unit_test(the_datasets_at_hand_have_their_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
