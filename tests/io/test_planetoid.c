/* test_planetoid.c -- Planetoid raw files: seven small nodes by hand, and the real ones.
 *
 * SPDX-License-Identifier: MIT */
#include "pickling.h"

#include <stdio.h>
#include <unistd.h>

static bytes b;

/* Seven nodes: 0..3 in allx, test nodes 6 and 4 in this order, 5 skipped. */
static const float allx[4][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 1, 0}};
static const float tx[2][3] = {{0, 0, 6}, {4, 0, 4}};
static const int32_t ally[4][2] = {{1, 0}, {0, 1}, {0, 1}, {1, 0}};
static const int32_t ty[2][2] = {{0, 1}, {1, 0}};

static void write_features(const char *name, int rows, int columns, const float *dense)
{
    begin_pickle(&b);
    add_csr(&b, rows, columns, dense);
    end_pickle(&b, name);
}

static void write_labels(const char *name, int rows, int classes, const int32_t *one_hot)
{
    begin_pickle(&b);
    add_array(&b, "i4", rows, classes, false, one_hot, 4 * (size_t)(rows * classes));
    end_pickle(&b, name);
}

static void write_graph(const char *items, size_t len)
{
    begin_pickle(&b);
    add_text(&b, "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(");
    add(&b, items, len);
    add_text(&b, "u");
    end_pickle(&b, "ind.t.graph");
}

#define GRAPH(literal) write_graph(literal, sizeof literal - 1)

/* Writes the files of a sound graph, which the tests then damage one by one. */
static void write_sound(void)
{
    write_features("ind.t.x", 2, 3, allx[0]);
    write_features("ind.t.allx", 4, 3, allx[0]);
    write_features("ind.t.tx", 2, 3, tx[0]);
    write_labels("ind.t.y", 2, 2, ally[0]);
    write_labels("ind.t.ally", 4, 2, ally[0]);
    write_labels("ind.t.ty", 2, 2, ty[0]);
    GRAPH("K\0](K\1K\1K\6eK\1](K\0K\2eK\2](K\1K\2eK\3]K\5]K\6]K\4aK\4]K\6a");
    write_text(temp_path("ind.t.test.index"), "6\n4\n");
}

/* On one thread, because hundreds of tiny graphs are read here. */
static bonsai_status load(bonsai_graph **g)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    return bonsai_graph_read(g, temp_path("ind.t"), &o);
}

static void refuses(const char *text)
{
    bonsai_graph *g;
    assert_fails(load(&g), BONSAI_E_FORMAT, text);
    assert_null(g);
    write_sound();
}

static void assert_row(const bonsai_graph *g, int node, float a, float c, float d)
{
    float row[3];
    bonsai_graph_row(row, g, node);
    assert_memory_equal(row, ((float[]){a, c, d}), sizeof row);
}

static void reads_seven_nodes(void **state)
{
    (void)state;
    static const int32_t labels[7] = {0, 1, 1, 0, 0, -1, 1};
    static const uint8_t split[7] = {1, 1, 2, 2, 3, 0, 3};
    static const int64_t offsets[8] = {0, 2, 4, 5, 5, 6, 6, 8};
    static const int32_t neighbors[8] = {1, 6, 0, 2, 1, 6, 0, 4};
    bonsai_graph *g;
    write_sound();
    assert_int_equal(load(&g), BONSAI_OK);
    const bonsai_view *v = bonsai_graph_view(g);
    assert_int_equal(v->nodes, 7);
    assert_int_equal(v->features, 3);
    assert_int_equal(v->classes, 2);
    for (int i = 0; i < 7; i++)
        assert_int_equal(bonsai_graph_label(g, i), labels[i]);
    assert_memory_equal(v->section[BONSAI_SECTION_SPLIT].data, split, sizeof split);
    assert_int_equal(bonsai_graph_edges(g), 8);
    assert_memory_equal(v->section[BONSAI_SECTION_OFFSETS].data, offsets, sizeof offsets);
    assert_memory_equal(v->section[BONSAI_SECTION_NEIGHBORS].data, neighbors, sizeof neighbors);
    for (int i = 0; i < 4; i++)
        assert_row(g, i, allx[i][0], allx[i][1], allx[i][2]);
    assert_row(g, 4, 4, 0, 4);
    assert_row(g, 5, 0, 0, 0);
    assert_row(g, 6, 0, 0, 6);
    const bonsai_read_info *info = bonsai_graph_read_info(g);
    assert_int_equal(info->filled, 1);
    assert_int_equal(info->edges_given, 9);
    assert_int_equal(info->self_loops, 1);
    assert_int_equal(info->repeated, 1);
    assert_int_equal(info->reversed, 1);
    assert_string_equal(info->format, "planetoid");
    bonsai_graph_free(g);
}

static void any_of_the_files_names_the_graph(void **state)
{
    (void)state;
    static const char *const names[] = {"ind.t.graph", "ind.t.allx", "ind.t.x", "ind.t.ty",
                                        "ind.t.test.index"};
    write_sound();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bonsai_graph *g;
        assert_int_equal(bonsai_graph_load(&g, temp_path(names[i])), BONSAI_OK);
        assert_int_equal(bonsai_graph_nodes(g), 7);
        bonsai_graph_free(g);
    }
}

static void a_row_of_zeros_is_an_unlabelled_node(void **state)
{
    (void)state;
    bonsai_graph *g;
    write_sound();
    write_labels("ind.t.ally", 4, 2, (int32_t[]){1, 0, 0, 0, 0, 1, 1, 0});
    assert_int_equal(load(&g), BONSAI_OK);
    assert_int_equal(bonsai_graph_label(g, 1), -1);
    assert_int_equal(bn_part(g, 1), BONSAI_PART_TRAIN);
    bonsai_graph_free(g);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"ind.t.x", "ind.t.tx", "ind.t.y", "ind.t.ally", "ind.t.ty",
                                        "ind.t.test.index"};
    bonsai_graph *g;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_sound();
        unlink(temp_path(names[i]));
        assert_fails(load(&g), BONSAI_E_IO, names[i]);
    }
    write_sound();
    unlink(temp_path("ind.t.graph"));
    assert_fails(load(&g), BONSAI_E_IO, "cannot be opened");
    assert_fails(bonsai_graph_load(&g, "planetoid:/"), BONSAI_E_FORMAT,
                 "/: is a folder; for Planetoid give FOLDER/ind.NAME");
}

static void refuses_files_that_do_not_fit_together(void **state)
{
    (void)state;
    write_sound();
    write_features("ind.t.tx", 2, 2, tx[0]);
    refuses("ind.t.tx: has 2 columns but");
    write_features("ind.t.x", 1, 3, allx[0]);
    refuses("ind.t.y: has 2 rows but");
    write_labels("ind.t.ty", 1, 4, (int32_t[]){1, 0, 0, 0});
    refuses("ind.t.ty: has 4 classes but");
    write_labels("ind.t.ally", 3, 2, ally[0]);
    refuses("ind.t.ally: has 3 rows but");
    begin_pickle(&b);
    add_array(&b, "i4", 2, -1, false, ally[0], 8);
    end_pickle(&b, "ind.t.y");
    refuses("ind.t.y: has 1 dimension");
    write_labels("ind.t.y", 5, 2, (int32_t[10]){0});
    write_features("ind.t.x", 5, 3, (float[15]){0});
    refuses("ind.t.y: has 5 rows");
    write_labels("ind.t.x", 2, 2, ally[0]);
    refuses("ind.t.x: holds an array where a whole csr_matrix");
    write_features("ind.t.y", 2, 2, allx[0]);
    refuses("ind.t.y: holds a matrix where a whole array");
    write_labels("ind.t.graph", 2, 2, ally[0]);
    refuses("ind.t.graph: holds an array where a dict");
}

static void refuses_labels_that_are_not_one_hot(void **state)
{
    (void)state;
    write_sound();
    write_labels("ind.t.ally", 4, 2, (int32_t[]){1, 0, 0, 2, 0, 1, 1, 0});
    refuses("ind.t.ally: row 1: class 1 is 2");
    write_labels("ind.t.ty", 2, 2, (int32_t[]){0, 1, 1, 1});
    refuses("ind.t.ty: row 1: class 1 is 1, the second 1");
}

static void refuses_a_bad_test_index(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"6\n4\n5\n", "has 3 nodes but"},
        {"6\n", "has 1 nodes but"},
        {"", "has 0 nodes but"},
        {"6\n6\n", "the lowest node is 6, but it must follow the 4"},
        {"4\n4\n", "node 4 occurs twice"},
        {"3\n4\n", "the lowest node is 3"},
        {"6\nx4\n", ":2: \"x4\" is not"},
        {"6\n4.5\n", ":2: \"4.5"},
        {"6\n-4\n", ":2: node -4 is outside"},
        {"6\n2147483647\n", ":2: node 2147483647 is outside"},
        {"2147483646\n4\n", "nodes up to 2147483646 are skipped"},
        {"99999999999999999999\n4\n", ":1: \"99999999999999999999"},
    };
    write_sound();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        write_text(temp_path("ind.t.test.index"), lines[i][0]);
        refuses(lines[i][1]);
    }
    bonsai_graph *g;
    write_text(temp_path("ind.t.test.index"), "6\r\n\n 4");
    assert_int_equal(load(&g), BONSAI_OK);
    bonsai_graph_free(g);
}

static void refuses_a_bad_graph(void **state)
{
    (void)state;
    write_sound();
    GRAPH("K\0](K\1K\7e");
    refuses("node 0 has neighbor 7, outside 0..6");
    GRAPH("K\0]J\xff\xff\xff\xff" "a");
    refuses("node 0 has neighbor -1, outside 0..6");
    GRAPH("K\7]");
    refuses("node 7 is in none of the other files");
    GRAPH("K\1]K\1]");
    refuses("node 1 has two lists");
    GRAPH("K\1K\1");
    refuses("maps an integer to an integer");
}

static void refuses_values_that_are_not_finite(void **state)
{
    (void)state;
    float x[12];
    write_sound();
    memcpy(x, allx, sizeof x);
    x[4] = __builtin_inff();
    write_features("ind.t.allx", 4, 3, x);
    refuses("not finite");
}

static bonsai_status load_and_free(void *payload)
{
    bonsai_graph *g;
    (void)payload;
    bonsai_status rc = load(&g);
    bonsai_graph_free(g);
    return rc;
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    write_sound();
    survives_failed_allocations(load_and_free, NULL, 40);
}

static int cancel_at_the_third(const bonsai_progress *p, void *payload)
{
    (void)p;
    return ++*(int *)payload == 3;
}

static void can_be_canceled(void **state)
{
    (void)state;
    int calls = 0;
    bonsai_graph *g;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.progress = cancel_at_the_third;
    o.payload = &calls;
    write_sound();
    int64_t before = bn_mem_live();
    assert_int_equal(bonsai_graph_read(&g, temp_path("ind.t"), &o), BONSAI_E_CANCELED);
    assert_int_equal(bn_mem_live(), before);
}

static void check_real(const char *name, int64_t n, int64_t m, int64_t f, int64_t c, int64_t filled)
{
    char path[100];
    bonsai_graph *g;
    snprintf(path, sizeof path, "../shared/data/planetoid/ind.%s.graph", name);
    if (access(path, R_OK) != 0)
        skip();
    snprintf(path, sizeof path, "../shared/data/planetoid/ind.%s", name);
    assert_int_equal(bonsai_graph_load(&g, path), BONSAI_OK);
    assert_int_equal(bonsai_graph_nodes(g), n);
    assert_int_equal(bonsai_graph_edges(g), m);
    assert_int_equal(bonsai_graph_features(g), f);
    assert_int_equal(bonsai_graph_classes(g), c);
    assert_int_equal(bonsai_graph_read_info(g)->filled, filled);
    int64_t parts[4] = {0};
    for (int64_t v = 0; v < n; v++)
        parts[bn_part(g, v)] += bn_label(g, v) >= 0;
    assert_int_equal(parts[BONSAI_PART_TRAIN], 20 * c);
    assert_int_equal(parts[BONSAI_PART_VAL], 500);
    assert_int_equal(parts[BONSAI_PART_TEST], 1000);
    assert_int_equal(bonsai_graph_check(g, NULL), BONSAI_OK);
    bonsai_graph_free(g);
}

static void reads_cora(void **state)
{
    (void)state;
    check_real("cora", 2708, 10556, 1433, 7, 0);
}

static void reads_citeseer(void **state)
{
    (void)state;
    check_real("citeseer", 3327, 9104, 3703, 6, 15);
}

static void reads_pubmed(void **state)
{
    (void)state;
    check_real("pubmed", 19717, 88648, 500, 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_seven_nodes),
        cmocka_unit_test(any_of_the_files_names_the_graph),
        cmocka_unit_test(a_row_of_zeros_is_an_unlabelled_node),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(refuses_files_that_do_not_fit_together),
        cmocka_unit_test(refuses_labels_that_are_not_one_hot),
        cmocka_unit_test(refuses_a_bad_test_index),
        cmocka_unit_test(refuses_a_bad_graph),
        cmocka_unit_test(refuses_values_that_are_not_finite),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(can_be_canceled),
        cmocka_unit_test(reads_cora),
        cmocka_unit_test(reads_citeseer),
        cmocka_unit_test(reads_pubmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
