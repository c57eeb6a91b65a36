/* test_graphsaint.c -- reads folders in GraphSAINT's layout.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npzmake.h"

static npz_maker made;

/* A ring of four nodes, which the tests then damage. */
static const int32_t ring[] = {1, 3, 0, 2, 1, 3, 0, 2};
static const int32_t starts[] = {0, 2, 4, 6, 8};
static const double feats[4][2] = {{1, 2}, {0, 0.5}, {-1, 0}, {3, 4}};
static const char classes[] = "{\"0\": 1, \"2\": 0, \"1\": 1, \"3\": -1}";
static const char role[] = "{\"tr\": [0, 3], \"va\": [1], \"te\": [2]}";

static const char *file(const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "saint/%s", name);
    return temp_path(full);
}

static void write_adjacency(const int32_t *indices, const float *data, const char *format)
{
    static const int64_t shape[] = {4, 4};
    static const uint8_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    made.len = 0;
    made.members = 0;
    npz_array(&made, "indices", "'<i4', C, (8,)", indices, 32);
    npz_array(&made, "indptr", "'<i4', C, (5,)", starts, sizeof starts);
    npz_array(&made, "format", "'|S3', C, ()", format, 3);
    npz_array(&made, "shape", "'<i8', C, (2,)", shape, sizeof shape);
    if (data)
        npz_array(&made, "data", "'<f4', C, (8,)", data, 32);
    else
        npz_array(&made, "data", "'|b1', C, (8,)", ones, 8);
    npz_finish(&made);
    write_file(file("adj_full.npz"), made.data, made.len);
}

static void write_features(const char *head, const void *data, size_t len)
{
    uint8_t bytes[512];
    write_file(file("feats.npy"), bytes, npy_bytes(bytes, sizeof bytes, 1, head, data, len));
}

static const char *fine_folder(void)
{
    const char *folder = temp_path("saint");
    mkdir(folder, 0700);
    write_adjacency(ring, NULL, "csr");
    write_features("'<f8', C, (4, 2)", feats, sizeof feats);
    write_text(file("class_map.json"), classes);
    write_text(file("role.json"), role);
    return folder;
}

static bonsai_status load_small(bonsai_graph **out)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    return bonsai_graph_read(out, temp_path("saint"), &o);
}

static bonsai_graph *load(void)
{
    bonsai_graph *g;
    if (load_small(&g) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static void reads_all_four_files(void **state)
{
    (void)state;
    static const uint8_t split[] = {1, 2, 3, 1};
    static const int32_t labels[] = {1, 1, 0, -1};
    fine_folder();
    bonsai_graph *g = load();
    const bonsai_view *v = bonsai_graph_view(g);
    assert_int_equal(v->nodes, 4);
    assert_int_equal(v->features, 2);
    assert_int_equal(v->classes, 2);
    assert_int_equal(bonsai_graph_edges(g), 8);
    assert_memory_equal(v->section[BONSAI_SECTION_NEIGHBORS].data, ring, sizeof ring);
    assert_null(v->section[BONSAI_SECTION_EDGE_WEIGHTS].data);
    assert_memory_equal(v->section[BONSAI_SECTION_SPLIT].data, split, sizeof split);
    for (int i = 0; i < 4; i++) {
        float row[2];
        bonsai_graph_row(row, g, i);
        assert_true((double)row[0] == feats[i][0] && (double)row[1] == feats[i][1]);
        assert_int_equal(bonsai_graph_label(g, i), labels[i]);
    }
    assert_string_equal(bonsai_graph_read_info(g)->format, "graphsaint");
    bonsai_graph_free(g);
}

static void weights_other_than_one_are_kept(void **state)
{
    (void)state;
    static const float data[8] = {2, 1, 2, 1, 1, 1, 1, 1};
    fine_folder();
    write_adjacency(ring, data, "csr");
    bonsai_graph *g = load();
    const float *w = bonsai_graph_view(g)->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    assert_non_null(w);
    assert_memory_equal(w, data, sizeof data);
    bonsai_graph_free(g);
}

static void lists_with_a_single_one_are_classes(void **state)
{
    (void)state;
    fine_folder();
    write_text(file("class_map.json"), "{\"0\": [0, 1, 0], \"3\": [1.0, 0.0, 0.0]}");
    bonsai_graph *g = load();
    assert_int_equal(bonsai_graph_classes(g), 3);
    assert_int_equal(bonsai_graph_label(g, 0), 1);
    assert_int_equal(bonsai_graph_label(g, 1), -1);
    assert_int_equal(bonsai_graph_label(g, 3), 0);
    bonsai_graph_free(g);
}

static void bad_json_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct { const char *name, *json, *text; } cases[] = {
        {"class_map.json", "", "class_map.json: is empty"},
        {"class_map.json", "{\"0\": 1", "class_map.json:1: "},
        {"class_map.json", "[1, 2]", "is not a JSON object"},
        {"class_map.json", "{\"0\": 1, \"0\": 1}", "duplicate object key"},
        {"class_map.json", "{\"0\": 1, \"00\": 1}", "node 0 occurs twice"},
        {"class_map.json", "{\"4\": 1}", "node \"4\" is outside 0..3"},
        {"class_map.json", "{\"-1\": 1}", "node \"-1\" is outside 0..3"},
        {"class_map.json", "{\"one\": 1}", "node \"one\" is outside 0..3"},
        {"class_map.json", "{\"1\": \"a\"}", "the class of node 1 is neither an integer"},
        {"class_map.json", "{\"1\": true}", "the class of node 1 is neither an integer"},
        {"class_map.json", "{\"1\": -2}", "node 1 has class -2, outside -1.."},
        {"class_map.json", "{\"1\": 2147483647}", "node 1 has class 2147483647, outside -1.."},
        {"class_map.json", "{\"1\": [1, 0, 1]}", "node \"1\" has 2 classes; multi-label targets "
         "are not supported"},
        {"class_map.json", "{\"1\": []}", "has 0 classes; multi-label"},
        {"class_map.json", "{\"1\": [2]}", "entry 0 of its list is neither 0 nor 1"},
        {"class_map.json", "{\"1\": [[1]]}", "entry 0 of its list is neither 0 nor 1"},
        {"class_map.json", "{\"1\": [1, 0], \"2\": [1]}", "has a list of 1 where others have 2"},
        {"role.json", "{\"tr\": [0], \"va\": [1]}", "role.json: has no list \"te\""},
        {"role.json", "{\"tr\": 0, \"va\": [1], \"te\": []}", "has no list \"tr\""},
        {"role.json", "{\"tr\": [0], \"va\": [1.5], \"te\": []}", "entry 0 of \"va\" is not an"},
        {"role.json", "{\"tr\": [0, 4], \"va\": [], \"te\": []}", "entry 1 of \"tr\" is 4, out"},
        {"role.json", "{\"tr\": [-1], \"va\": [], \"te\": []}", "entry 0 of \"tr\" is -1, outside"},
        {"role.json", "{\"tr\": [0], \"va\": [], \"te\": [0]}", "node 0 is in \"tr\" and in"},
    };
    bonsai_graph *g;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fine_folder();
        write_text(file(cases[i].name), cases[i].json);
        assert_fails(load_small(&g), BONSAI_E_FORMAT, cases[i].text);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { DEEP = 200000 };
    bonsai_graph *g;
    char *text = malloc(DEEP + 6);
    assert_non_null(text);
    memcpy(text, "{\"0\":", 5);
    memset(text + 5, '[', DEEP);
    text[DEEP + 5] = 0;
    fine_folder();
    write_text(file("class_map.json"), text);
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "class_map.json:1: maximum parsing depth");
    free(text);
}

static void bad_matrices_are_refused(void **state)
{
    (void)state;
    static const int32_t far[] = {1, 3, 0, 2, 1, 4, 0, 2};
    static const float zero[8] = {0, 1, 1, 1, 1, 1, 1, 1}, nan8[8] = {1, NAN, 1, 1, 1, 1, 1, 1};
    const double bad[4][2] = {{1, INFINITY}};
    bonsai_graph *g;
    fine_folder();
    write_adjacency(ring, NULL, "csc");
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "adj_full.npz:format: is \"csc\"");
    write_adjacency(far, NULL, "csr");
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "indices: entry 5 is 4, outside 0..3");
    write_adjacency(ring, zero, "csr");
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "weight 0 is not positive");
    write_adjacency(ring, nan8, "csr");
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "data: entry 1 is nan");
    fine_folder();
    write_features("'<f8', C, (4, 2)", bad, sizeof bad);
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "feats.npy: entry [0,1] is inf");
    write_features("'<f8', C, (2, 4)", feats, sizeof feats);
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "feats.npy: has shape [2,4] where [4,any]");
    write_features("'<f8', C, (4, 2)", feats, sizeof feats - 8);
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "8 elements of 8 bytes, but the file holds 56");
    write_features("'|O', C, (4, 2)", feats, sizeof feats);
    assert_fails(load_small(&g), BONSAI_E_FORMAT, "feats.npy: holds Python objects");
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"feats.npy", "class_map.json", "role.json"};
    bonsai_graph *g;
    for (int i = 0; i < 3; i++) {
        char text[64];
        fine_folder();
        assert_int_equal(unlink(file(names[i])), 0);
        snprintf(text, sizeof text, "saint/%s: cannot be opened", names[i]);
        assert_fails(load_small(&g), BONSAI_E_IO, text);
    }
}

static void every_cut_of_every_file_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"adj_full.npz", "feats.npy", "class_map.json", "role.json"};
    bonsai_graph *g;
    for (int i = 0; i < 4; i++) {
        size_t len;
        fine_folder();
        uint8_t *data = read_file(file(names[i]), &len);
        while (len-- > 0) {
            write_file(file(names[i]), data, len);
            if (load_small(&g) != BONSAI_E_FORMAT)
                fail_msg("%s cut to %zu bytes was read", names[i], len);
        }
        free(data);
    }
}

static bonsai_status load_once(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = load_small(&g);
    (void)payload;
    bonsai_graph_free(g);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    fine_folder();
    survives_failed_allocations(load_once, NULL, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_four_files),
        cmocka_unit_test(weights_other_than_one_are_kept),
        cmocka_unit_test(lists_with_a_single_one_are_classes),
        cmocka_unit_test(bad_json_is_refused_with_the_reason),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(bad_matrices_are_refused),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(every_cut_of_every_file_is_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
