/* test_npz.c -- NumPy archives: reads what NumPy may have written.
 *
 * SPDX-License-Identifier: MIT */
#include "npzfixture.h"

#include <stdio.h>
#include <unistd.h>

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
    assert_memory_equal(bonsai_graph_view(g)->section[BONSAI_SECTION_SPLIT].data, split,
                        sizeof split);
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

/* One number of a type such as ">f8"; halves come from a table of those used here. */
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

static void numbers_wider_than_float_are_rounded_and_reported(void **state)
{
    (void)state;
    const double tenth[4] = {0, 0.1, 0, 0}, half[4] = {0.5, 0x1p100, -0.0, -3};
    const int64_t odd[4] = {(1 << 24) + 1, 0, 0, 0};
    const int64_t even[4] = {1ll << 62, -(1 << 24), INT64_MIN, 3};
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
    const float *w = bonsai_graph_view(g)->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    assert_non_null(w);
    assert_true(w[0] == 6 && w[1] == 4);        /* 0-1 is given twice, as 1 and as 5 */
    bonsai_graph_free(g);
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
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_EDGE_WEIGHTS].data);
    assert_int_equal(bonsai_graph_label(g, 1), 1);
    bonsai_graph_free(g);
    make();
    add_adjacency(3);
    g = load(save_as("t.npz"));
    assert_non_null(bonsai_graph_view(g)->section[BONSAI_SECTION_EDGE_WEIGHTS].data);
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
    assert_memory_equal(bonsai_graph_view(g)->section[BONSAI_SECTION_SPLIT].data, split,
                        sizeof split);
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

static void unknown_members_are_ignored(void **state)
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

static void available_datasets_have_their_sizes(void **state)
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
        cmocka_unit_test(numbers_wider_than_float_are_rounded_and_reported),
        cmocka_unit_test(reads_sparse_features_and_weights),
        cmocka_unit_test(reads_the_layout_of_adj_attr_and_labels),
        cmocka_unit_test(masks_are_a_split_too),
        cmocka_unit_test(the_number_of_nodes_comes_from_num_nodes_or_the_largest_id),
        cmocka_unit_test(unknown_members_are_ignored),
        cmocka_unit_test(available_datasets_have_their_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
