/* test_npzbad.c -- NumPy archives: bad ones are refused, with the reason.
 *
 * SPDX-License-Identifier: MIT */
#include "npzfixture.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

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

static void a_file_that_is_not_an_archive_is_refused(void **state)
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
    refuse("has two members of one name");
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
    refuse_array("y", "'<i8', C, (4,)", negative, sizeof negative, "y: entry 3 is -3, outside -1");
    refuse_array("y", "'<u8', C, (4,)", beyond, sizeof beyond, "entry 1 is 18446744073709551615");
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    const float nan4[4] = {0, 0, NAN, 0}, inf5[5] = {1, 1, 1, 1, INFINITY};
    const float zero5[5] = {1, 0, 1, 1, 1};
    const double large[4] = {0, 1e300, 0, 0};
    refuse_array("x", "'<f4', C, (4, 1)", nan4, sizeof nan4, "x: entry [2,0] is nan, not a finite");
    refuse_array("x", "'<f8', C, (4, 1)", large, sizeof large, "[1,0] is 1e+300, too large");
    refuse_array("edge_weight", "'<f4', C, (5,)", inf5, sizeof inf5, "entry 4 is inf, not");
    refuse_array("edge_weight", "'<f4', C, (5,)", zero5, sizeof zero5, "edge 1: weight 0 is");
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
    refuse_array("x", "'<f4', C, (4, 1000000)", zero, 16, "4000000 elements of 4 bytes, "
                 "but the file holds 16 bytes");
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

/* What takes memory must have bytes behind it. */
static void numbers_that_no_array_answers_for_are_refused(void **state)
{
    (void)state;
    const int64_t most = INT32_MAX, far[4] = {0, 1, 1, INT32_MAX - 1};
    const int64_t label[4] = {0, 1, 10000000, 2}, shape[2] = {4, INT32_MAX}, none[5] = {0};
    make();
    add_edges();
    npz_array(&made, "num_nodes", "'<i8', C, ()", &most, 8);
    refuse("num_nodes: 2147483647 nodes are implausible in ");
    make();
    npz_array(&made, "edge_index", "'<i8', C, (2, 2)", far, sizeof far);
    refuse("edge_index: 2147483647 nodes are implausible in ");
    make();
    add_edges();
    npz_array(&made, "x", "'<f4', C, (2147483647, 0)", far, 0);
    refuse("x: 2147483647 nodes are implausible in ");
    refuse_array("y", "'<i8', C, (4,)", label, sizeof label,
                 "10000001 classes are implausible for 4 nodes: number classes from 0 on, or name");
    make();
    add_edges();
    npz_array(&made, "x_indptr", "'<i8', C, (5,)", none, sizeof none);
    npz_array(&made, "x_indices", "'<i8', C, (0,)", none, 0);
    npz_array(&made, "x_data", "'<f4', C, (0,)", none, 0);
    npz_array(&made, "x_shape", "'<i8', C, (2,)", shape, sizeof shape);
    refuse("2147483647 features are implausible for 0 values: number features from 0 on");
    refuse_array("y", "'|S0', C, (1000000000000,)", none, 0, "type \"|S0\" cannot be read");
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

/* Adds an array with a wrong size and checksum in the archive. */
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

/* A deflated member whose sizes are right but differ from its header's. */
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

/* Sizes that agree with the header, but not with the stream. */
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

/* A flip in a time may go unnoticed; but if the file still loads, all arrays are there and
 * unchanged: a name that differs between a member and the list of members is refused. */
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
        assert_ring(g, true);
        bonsai_graph_free(g);
    }
    assert_true(refused > (int)len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_not_an_archive_is_refused),
        cmocka_unit_test(ids_out_of_range_are_refused_by_entry_and_value),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(numbers_that_no_array_answers_for_are_refused),
        cmocka_unit_test(types_that_do_not_fit_are_refused),
        cmocka_unit_test(a_split_that_overlaps_is_refused),
        cmocka_unit_test(sparse_arrays_that_disagree_are_refused),
        cmocka_unit_test(an_archive_that_lies_is_refused),
        cmocka_unit_test(a_member_of_another_length_is_refused),
        cmocka_unit_test(a_stream_longer_or_shorter_than_it_says_is_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(a_flipped_bit_never_changes_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
