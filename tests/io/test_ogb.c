/* test_ogb.c -- OGB folders: four small nodes as text, as .gz and as arrays.
 *
 * SPDX-License-Identifier: MIT */
#include "io/npy.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const char *const text_files[][2] = {
    {"raw/edge.csv", "0,1\n1,2\n2,3\n0,1\n3,3\n"},
    {"raw/num-node-list.csv", "4\n"},
    {"raw/num-edge-list.csv", "5\n"},
    {"raw/node-feat.csv", "1,0.5\n0,2\n-1e3,0\n0,0\n"},
    {"raw/node-label.csv", "2\nnan\n\n0.0\n"},
    {"split/time/train.csv", "3\n0\n"},
    {"split/time/valid.csv", "1\n"},
    {"split/time/test.csv", ""},
};
enum { FILES = sizeof text_files / sizeof *text_files };

/* On one thread, because hundreds of tiny graphs are read here. */
static bonsai_status load(bonsai_graph **g, const char *path)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    return bonsai_graph_read(g, path, &o);
}

static const char *in(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return temp_path(path);
}

static void make_folders(const char *folder)
{
    mkdir(temp_path(folder), 0700);
    mkdir(in(folder, "raw"), 0700);
    mkdir(in(folder, "split"), 0700);
    mkdir(in(folder, "split/time"), 0700);
}

/* Writes a sound folder, whose files the tests then damage one by one. */
static void write_sound(void)
{
    make_folders("text");
    for (int i = 0; i < FILES; i++)
        write_text(in("text", text_files[i][0]), text_files[i][1]);
}

static void write_gz(const char *path, const char *text)
{
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
}

static void write_gz_folder(void)
{
    make_folders("gz");
    for (int i = 0; i < FILES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.gz", text_files[i][0]);
        write_gz(in("gz", name), text_files[i][1]);
    }
}

static void put(bn_zip_out *z, const char *name, const char *type, int dims, int64_t rows,
                int64_t columns, const void *data, int64_t len)
{
    assert_int_equal(bn_zip_out_begin(z, name, type, dims, (int64_t[]){rows, columns}), BONSAI_OK);
    assert_int_equal(bn_zip_out_write(z, data, len), BONSAI_OK);
    assert_int_equal(bn_zip_out_end(z), BONSAI_OK);
}

typedef struct {                /* the content of the arrays; the defaults are sound */
    int64_t nodes, edges, labels_a_node;
    const char *label_type;
    double label;               /* of node 3 */
    bool no_features;
} arrays;

static const arrays sound = {4, 5, 1, "<f4", 0, false};

static void write_label_array(const arrays *a)
{
    bn_zip_out *z;
    const float f4[] = {2, NAN, NAN, (float)a->label};
    const double f8[] = {2, (double)NAN, (double)NAN, a->label};
    const int64_t i8[] = {2, -1, -1, (int64_t)a->label};
    bool single = strcmp(a->label_type, "<f4") == 0 || strcmp(a->label_type, ">f4") == 0;
    const void *data = single ? (const void *)f4 : a->label_type[1] == 'f' ? (const void *)f8 : i8;
    assert_int_equal(bn_zip_out_open(&z, in("npz", "raw/node-label.npz"), (bn_progress){0}, 1), 0);
    put(z, "node_label", a->label_type, 2, 4 / a->labels_a_node, a->labels_a_node, data,
        single ? 16 : 32);
    assert_int_equal(bn_zip_out_commit(z), BONSAI_OK);
    bn_zip_out_close(z);
}

static void write_arrays(const arrays *a)
{
    static const int64_t edges[] = {0, 1, 2, 0, 3, 1, 2, 3, 1, 3};
    static const float x[] = {1, 0.5f, 0, 2, -1e3f, 0, 0, 0};
    bn_zip_out *z;
    make_folders("npz");
    write_label_array(a);
    assert_int_equal(bn_zip_out_open(&z, in("npz", "raw/data.npz"), (bn_progress){0}, 1), 0);
    put(z, "edge_index", "<i8", 2, 2, 5, edges, sizeof edges);
    put(z, "num_nodes_list", "<i8", 1, 1, 0, &a->nodes, 8);
    put(z, "num_edges_list", "<i8", 1, 1, 0, &a->edges, 8);
    if (!a->no_features)
        put(z, "node_feat", "<f4", 2, 4, 2, x, sizeof x);
    assert_int_equal(bn_zip_out_commit(z), BONSAI_OK);
    bn_zip_out_close(z);
    for (int i = FILES - 3; i < FILES; i++)
        write_text(in("npz", text_files[i][0]), text_files[i][1]);
}

static void check_graph(const char *folder)
{
    static const int32_t labels[] = {2, -1, -1, 0};
    static const bonsai_part parts[] = {BONSAI_PART_TRAIN, BONSAI_PART_VAL, BONSAI_PART_NONE,
                                        BONSAI_PART_TRAIN};
    static const float x[4][2] = {{1, 0.5f}, {0, 2}, {-1e3f, 0}, {0, 0}};
    static const int32_t neighbors[] = {1, 0, 2, 1, 3, 2};
    bonsai_graph *g;
    if (load(&g, temp_path(folder)) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_int_equal(bonsai_graph_features(g), 2);
    assert_int_equal(bonsai_graph_classes(g), 3);
    assert_int_equal(bonsai_graph_edges(g), 6);
    assert_memory_equal(bn_neighbors(g), neighbors, sizeof neighbors);
    for (int v = 0; v < 4; v++) {
        float row[2];
        bonsai_graph_row(row, g, v);
        assert_true(row[0] == x[v][0] && row[1] == x[v][1]);
        assert_int_equal(bonsai_graph_label(g, v), labels[v]);
        assert_int_equal(bn_part(g, v), parts[v]);
    }
    assert_int_equal(bonsai_graph_read_info(g)->edges_given, 5);
    assert_int_equal(bonsai_graph_read_info(g)->self_loops, 1);
    assert_string_equal(bonsai_graph_read_info(g)->format, "ogb");
    bonsai_graph_free(g);
}

static void reads_text(void **state)
{
    (void)state;
    write_sound();
    check_graph("text");
}

static void reads_compressed_text(void **state)
{
    (void)state;
    write_gz_folder();
    check_graph("gz");
}

static void reads_arrays_with_labels_of_any_type(void **state)
{
    (void)state;
    static const char *const types[] = {"<f4", "<f8", "<i8"};
    for (int i = 0; i < 3; i++) {
        arrays a = sound;
        a.label_type = types[i];
        write_arrays(&a);
        check_graph("npz");
    }
}

/* Converts a folder and compares the file with what is read, all of it or the labelled part. */
static void check_converted(const char *folder, int labelled, bool direct)
{
    bonsai_graph *g, *got, *want;
    bonsai_write_options w;
    int equal = 0;
    bonsai_write_options_init(&w);
    w.labelled = labelled;
    w.features = direct ? BONSAI_ENCODING_AUTO : BONSAI_ENCODING_F32;   /* this is not streamed */
    const char *out = temp_path("out.bonsai"), *other = temp_path("other.bonsai");
    assert_int_equal(bonsai_graph_convert(NULL, NULL, out, temp_path(folder), NULL, &w), 0);
    assert_int_equal(load(&g, temp_path(folder)), BONSAI_OK);
    assert_int_equal(bonsai_graph_save(NULL, g, other, &w), BONSAI_OK);
    assert_int_equal(load(&got, out), BONSAI_OK);
    assert_int_equal(load(&want, other), BONSAI_OK);
    assert_int_equal(bonsai_graph_verify(got), BONSAI_OK);
    assert_int_equal(bonsai_graph_equal(&equal, got, want), BONSAI_OK);
    assert_true(equal);
    assert_int_equal(bonsai_graph_nodes(got), labelled ? 3 : 4);
    bonsai_graph_free(g);
    bonsai_graph_free(got);
    bonsai_graph_free(want);
}

static void converts_what_it_reads(void **state)
{
    (void)state;
    write_sound();
    write_arrays(&sound);
    for (int i = 0; i < 4; i++) {
        check_converted("npz", i % 2, i / 2);
        check_converted("text", i % 2, i / 2);
    }
    arrays a = sound;
    a.no_features = true;
    write_arrays(&a);
    check_converted("npz", 0, true);
    assert_int_equal(bonsai_graph_convert(NULL, NULL, temp_path("npz.npz"), temp_path("npz"), NULL,
                                          NULL), BONSAI_OK);
    a.edges = 6;
    write_arrays(&a);
    assert_fails(bonsai_graph_convert(NULL, NULL, temp_path("none.bonsai"), temp_path("npz"), NULL,
                                      NULL), BONSAI_E_FORMAT, "num_edges_list: says 6");
}

static void features_and_split_may_be_missing(void **state)
{
    (void)state;
    bonsai_graph *g;
    arrays a = sound;
    a.no_features = true;
    write_arrays(&a);
    assert_int_equal(load(&g, temp_path("npz")), BONSAI_OK);
    assert_int_equal(bonsai_graph_features(g), 0);
    bonsai_graph_free(g);
    mkdir(temp_path("bare"), 0700);
    mkdir(temp_path("bare/raw"), 0700);
    for (int i = 0; i < FILES - 3; i++)
        if (i != 3)
            write_text(in("bare", text_files[i][0]), text_files[i][1]);
    assert_int_equal(load(&g, temp_path("bare")), BONSAI_OK);
    assert_int_equal(bonsai_graph_features(g), 0);
    assert_false(bn_has(g, BONSAI_SECTION_SPLIT));
    bonsai_graph_free(g);
}

static void the_first_scheme_by_name_is_used(void **state)
{
    (void)state;
    bonsai_graph *g;
    write_sound();
    mkdir(in("text", "split/a"), 0700);
    write_text(in("text", "split/a/train.csv"), "2\n");
    write_text(in("text", "split/a/valid.csv"), "");
    write_text(in("text", "split/a/test.csv"), "");
    assert_int_equal(load(&g, temp_path("text")), BONSAI_OK);
    assert_int_equal(bn_part(g, 2), BONSAI_PART_TRAIN);
    assert_int_equal(bn_part(g, 0), BONSAI_PART_NONE);
    bonsai_graph_free(g);
    unlink(in("text", "split/a/train.csv"));
    unlink(in("text", "split/a/valid.csv"));
    unlink(in("text", "split/a/test.csv"));
    rmdir(in("text", "split/a"));
}

static void an_empty_graph_is_a_graph(void **state)
{
    (void)state;
    bonsai_graph *g;
    mkdir(temp_path("none"), 0700);
    mkdir(temp_path("none/raw"), 0700);
    write_text(temp_path("none/raw/edge.csv"), "");
    write_text(temp_path("none/raw/node-label.csv"), "");
    write_text(temp_path("none/raw/num-node-list.csv"), "0\n");
    write_text(temp_path("none/raw/num-edge-list.csv"), "0\n");
    assert_int_equal(load(&g, temp_path("none")), BONSAI_OK);
    assert_int_equal(bonsai_graph_nodes(g), 0);
    bonsai_graph_free(g);
}

static void refuses_bad_text(void **state)
{
    (void)state;
    static const char *const bad[][3] = {
        {"raw/edge.csv", "0,1\n1,4\n2,3\n0,1\n3,3\n", "edge.csv:2: node 4 is outside 0..3"},
        {"raw/edge.csv", "0,1\n1,2\n2,-3\n0,1\n3,3\n", "edge.csv:3: node -3 is outside 0..3"},
        {"raw/edge.csv", "0,1\n1\n2,3\n0,1\n3,3\n\n", "edge.csv:2: the line ends"},
        {"raw/edge.csv", "0,1\n1,2,3\n2,3\n0,1\n3,3\n", "edge.csv:2: more than two nodes"},
        {"raw/edge.csv", "0,1\n1,x\n2,3\n0,1\n3,3\n", "edge.csv:2: \"x\" is not an integer"},
        {"raw/edge.csv", "0,1\n1,2\n2,3\n0,1\n", "too short for the 5 edges"},
        {"raw/edge.csv", "0, 1\n1, 2\n2, 3\n0, 1\n", "ends after 4 edges of the 5"},
        {"raw/edge.csv", "0,1\n1,2\n2,3\n0,1\n3,3\n1,1\n", "edge.csv:6: more edges than the 5"},
        {"raw/num-node-list.csv", "5\n", "num-node-list says 5 nodes, but node-label has 4"},
        {"raw/num-node-list.csv", "4\n4\n", "num-node-list.csv:2: a second graph"},
        {"raw/num-node-list.csv", "4,4\n", "num-node-list.csv:1: more than one number"},
        {"raw/num-node-list.csv", "", "num-node-list.csv: is empty"},
        {"raw/num-node-list.csv", "four", "\"four\" is not an integer"},
        {"raw/num-edge-list.csv", "-1\n", "too short for the -1 edges"},
        {"raw/num-edge-list.csv", "9223372036854775807\n", "too short for the 9223372036854775807"},
        {"raw/node-feat.csv", "1,0.5\n0\n-1e3,0\n0,0\n,,", "node-feat.csv:2: the line ends"},
        {"raw/node-feat.csv", "1,0.5\n0,2,3\n-1e3,0\n0,0\n", "node-feat.csv:2: more columns"},
        {"raw/node-feat.csv", "1,0.5\n0,nan\n-1e3,0\n0,0\n", "node-feat.csv:2: \"nan\" is not"},
        {"raw/node-feat.csv", "1,0.5\n0,1e39\n-1e3,0\n0,0\n", "node-feat.csv:2: \"1e39\" is not"},
        {"raw/node-feat.csv", "1,2\n3,4\n5,6\n", "too short for 4 rows like the first, of 2"},
        {"raw/node-feat.csv", "1.5,2.5\n3,4\n5,6\n", "has fewer than the 4 rows"},
        {"raw/node-feat.csv", "1,0.5\n0,2\n-1e3,0\n0,0\n0,0\n", "has more than the 4 rows"},
        {"raw/node-feat.csv", "", "has fewer than the 4 rows"},
        {"raw/node-label.csv", "2\nnan\n\n0.5\n", "node-label.csv:4: \"0.5\" is not a class"},
        {"raw/node-label.csv", "2\n-2\n\n0\n", "node-label.csv:2: \"-2\" is not a class"},
        {"raw/node-label.csv", "2\n2147483647\n\n0\n", "\"2147483647\" is not a class"},
        {"raw/node-label.csv", "2\ninf\n\n0\n", "\"inf\" is not a class"},
        {"raw/node-label.csv", "2\nx\n\n0\n", "\"x\" is not a class"},
        {"raw/node-label.csv", "2,1\n1,1\n0,1\n0,0\n", "node-label.csv:1: more than one label"},
        {"raw/node-label.csv", "2\n#1\n1\n0\n", "node-label.csv:2: a comment where a label"},
        {"raw/node-label.csv", "2\n1\n1\n0\n\n", "node-label has 5"},
        {"split/time/train.csv", "3\n4\n", "train.csv:2: node 4 is outside 0..3"},
        {"split/time/train.csv", "3,0\n", "train.csv:1: more than one node"},
        {"split/time/test.csv", "2\n1\n", "test.csv:2: node 1 is already in valid"},
        {"split/time/train.csv", "3\n3\n", "train.csv:2: node 3 is already in train"},
    };
    write_sound();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bonsai_graph *g;
        write_text(in("text", bad[i][0]), bad[i][1]);
        assert_fails(load(&g, temp_path("text")), BONSAI_E_FORMAT, bad[i][2]);
        assert_null(g);
        write_sound();
    }
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    static const char *const needed[] = {"raw/num-node-list.csv", "raw/num-edge-list.csv",
                                         "raw/node-label.csv", "split/time/valid.csv"};
    for (int i = 0; i < 4; i++) {
        bonsai_graph *g;
        write_sound();
        unlink(in("text", needed[i]));
        assert_fails(load(&g, temp_path("text")), BONSAI_E_IO, needed[i]);
    }
    bonsai_graph *g;
    write_sound();
    unlink(in("text", "raw/edge.csv"));
    assert_fails(load(&g, temp_path("text")), BONSAI_E_FORMAT, "no known layout");
    assert_fails(load(&g, "ogb:/nowhere"), BONSAI_E_IO, "/nowhere/raw/node-label");
}

static void arrays_are_refused(const arrays *a, const char *text)
{
    bonsai_graph *g;
    write_arrays(a);
    assert_fails(load(&g, temp_path("npz")), BONSAI_E_FORMAT, text);
}

static void refuses_bad_arrays(void **state)
{
    (void)state;
    arrays a = sound;
    a.nodes = 5;
    arrays_are_refused(&a, "num_nodes_list: says 5, but there are 4");
    a = sound;
    a.edges = 6;
    arrays_are_refused(&a, "num_edges_list: says 6, but there are 5");
    a = sound;
    a.labels_a_node = 2;
    arrays_are_refused(&a, "2 labels a node");
    a = sound;
    a.label = 0.5;
    arrays_are_refused(&a, "entry 3 is 0.5, which is not a class");
    a.label = (double)INFINITY;
    arrays_are_refused(&a, "entry 3 is inf, which is not a class");
    a = sound;
    a.label_type = "<i8";
    a.label = -2;
    arrays_are_refused(&a, "is -2, outside -1..");
    a = sound;
    a.label_type = ">f4";
    arrays_are_refused(&a, "labels of type");
}

static bonsai_status load_and_free(void *payload)
{
    bonsai_graph *g;
    bonsai_status rc = load(&g, temp_path(payload));
    bonsai_graph_free(g);
    return rc;
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    write_sound();
    survives_failed_allocations(load_and_free, (void *)(uintptr_t)"text", 20);
    write_gz_folder();
    survives_failed_allocations(load_and_free, (void *)(uintptr_t)"gz", 25);
    write_arrays(&sound);
    survives_failed_allocations(load_and_free, (void *)(uintptr_t)"npz", 10);
}

static void every_truncation_of_raw_is_refused(void **state)
{
    (void)state;
    int64_t before = bn_mem_live();
    write_sound();
    for (int i = 0; i < FILES; i++) {
        const char *text = text_files[i][1];
        for (size_t len = 0; len < strlen(text); len++) {
            bonsai_graph *g;
            write_file(in("text", text_files[i][0]), text, len);
            bonsai_status rc = load(&g, temp_path("text"));
            size_t spare = i == 4 ? 3 : 1;      /* the line end; and 0 or 0. is 0.0 */
            if (i < 5 && len + spare < strlen(text))
                assert_int_equal(rc, BONSAI_E_FORMAT);
            if (rc != BONSAI_OK)
                assert_int_equal(rc, BONSAI_E_FORMAT);
            bonsai_graph_free(g);
        }
        write_text(in("text", text_files[i][0]), text);
    }
    assert_int_equal(bn_mem_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_text),
        cmocka_unit_test(reads_compressed_text),
        cmocka_unit_test(reads_arrays_with_labels_of_any_type),
        cmocka_unit_test(converts_what_it_reads),
        cmocka_unit_test(features_and_split_may_be_missing),
        cmocka_unit_test(the_first_scheme_by_name_is_used),
        cmocka_unit_test(an_empty_graph_is_a_graph),
        cmocka_unit_test(refuses_bad_text),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(refuses_bad_arrays),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(every_truncation_of_raw_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
