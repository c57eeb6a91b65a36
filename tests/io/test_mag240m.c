/* test_mag240m.c -- folders in MAG240M's layout: six papers, read, converted, damaged.
 *
 * SPDX-License-Identifier: MIT */
#include "io/io.h"
#include "magfolder.h"

static bonsai_status load(bonsai_graph **g, const char *path)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    return bonsai_graph_read(g, path, &o);
}

static bonsai_graph *must_load(const char *path)
{
    bonsai_graph *g = NULL;
    if (load(&g, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static bonsai_graph *converted(const char *from, int labelled)
{
    bonsai_write_options w;
    const char *format = NULL, *to = temp_path("out.bonsai");
    uint64_t left_out = 1;
    bonsai_write_options_init(&w);
    w.labelled = labelled;
    w.memory = 1;
    if (bonsai_graph_convert(&left_out, &format, to, from, NULL, &w) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_string_equal(format, "mag240m");
    assert_int_equal(left_out, 0);
    bonsai_graph *g = must_load(to);
    assert_int_equal(bonsai_graph_verify(g), BONSAI_OK);
    return g;
}

/* ---- right answers ---- */

static void check_graph(const bonsai_graph *g)
{
    static const int32_t labels[6] = {0, -1, 2, 1, -1, -1};
    static const bonsai_part parts[6] = {BONSAI_PART_TRAIN, BONSAI_PART_NONE, BONSAI_PART_VAL,
                                         BONSAI_PART_NONE, BONSAI_PART_TEST, BONSAI_PART_NONE};
    static const int32_t neighbors[] = {1, 3, 0, 2, 1, 3, 5, 0, 2, 2};
    static const int64_t begin[7] = {0, 2, 4, 7, 9, 9, 10};
    assert_int_equal(bonsai_graph_nodes(g), 6);
    assert_int_equal(bonsai_graph_features(g), 2);
    assert_int_equal(bonsai_graph_classes(g), 3);
    assert_int_equal(bonsai_graph_edges(g), 10);
    assert_memory_equal(bn_neighbors(g), neighbors, sizeof neighbors);
    assert_int_equal(g->view.section[BONSAI_SECTION_FEATURES].type, BONSAI_TYPE_F16);
    assert_memory_equal(g->view.section[BONSAI_SECTION_FEATURES].data, mag_x, sizeof mag_x);
    for (int v = 0; v < 6; v++) {
        assert_int_equal(bn_row_begin(g, v), begin[v]);
        assert_int_equal(bonsai_graph_label(g, v), labels[v]);
        assert_int_equal(bn_part(g, v), parts[v]);
    }
}

static void reads_and_converts_papers_and_citations(void **state)
{
    (void)state;
    write_mag("mag");
    bonsai_graph *g = must_load(temp_path("mag"));
    assert_string_equal(bonsai_graph_read_info(g)->format, "mag240m");
    assert_int_equal(bonsai_graph_read_info(g)->edges_given, 7);
    assert_int_equal(bonsai_graph_read_info(g)->self_loops, 1);
    assert_int_equal(bonsai_graph_read_info(g)->repeated, 1);
    check_graph(g);
    assert_null(g->owned[BONSAI_SECTION_FEATURES]);     /* mapped */
    bonsai_graph_free(g);
    g = converted(temp_path("mag"), 0);
    check_graph(g);
    bonsai_graph_free(g);
}

static void finds_the_folder_from_above_and_below(void **state)
{
    (void)state;
    write_mag("mag");
    mkdir(temp_path("root"), 0700);
    assert_int_equal(rename(temp_path("mag"), temp_path("root/mag240m_kddcup2021")), 0);
    static const char *const paths[] = {"root", "root/mag240m_kddcup2021",
                                        "root/mag240m_kddcup2021/processed"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        bonsai_graph *g = must_load(temp_path(paths[i]));
        check_graph(g);
        bonsai_graph_free(g);
    }
    mkdir(temp_path("root/processed"), 0700);           /* the other way round, and in one folder */
    assert_int_equal(rename(temp_path("root/mag240m_kddcup2021/processed"),
                            temp_path("root/processed/mag240m_kddcup2021")), 0);
    assert_int_equal(rename(temp_path("root/mag240m_kddcup2021/meta.pt"),
                            temp_path("root/meta.pt")), 0);
    assert_int_equal(rename(temp_path("root/mag240m_kddcup2021/split_dict.pt"),
                            temp_path("root/processed/mag240m_kddcup2021/split_dict.pt")), 0);
    bonsai_graph *g = must_load(temp_path("root"));
    check_graph(g);
    bonsai_graph_free(g);
}

/* What lies above the folder that a link leads to is not asked. */
static void processed_may_be_a_link_to_another_disk(void **state)
{
    (void)state;
    write_mag("mag");
    mkdir(temp_path("disk"), 0700);
    assert_int_equal(rename(temp_path("mag/processed"), temp_path("disk/arrays")), 0);
    assert_int_equal(symlink("../disk/arrays", temp_path("mag/processed")), 0);
    write_file(temp_path("disk/meta.pt"), "another", 7);
    bonsai_graph *g = must_load(temp_path("mag"));
    check_graph(g);
    bonsai_graph_free(g);
    mkdir(temp_path("above"), 0700);
    assert_int_equal(symlink("../mag", temp_path("above/mag240m_kddcup2021")), 0);
    g = must_load(temp_path("above"));
    check_graph(g);
    bonsai_graph_free(g);
    unlink(temp_path("above/mag240m_kddcup2021"));      /* the other tests write a folder */
    unlink(temp_path("mag/processed"));
}

static void labelled_papers_induce_a_graph(void **state)
{
    (void)state;
    static const int32_t origin[] = {0, 2, 3, 4}, neighbors[] = {2, 2, 0, 1};
    write_mag("mag");
    bonsai_graph *g = converted(temp_path("mag"), 1), *all = must_load(temp_path("mag")), *again;
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_int_equal(bonsai_graph_edges(g), 4);
    assert_memory_equal(bn_neighbors(g), neighbors, sizeof neighbors);
    assert_memory_equal(g->view.section[BONSAI_SECTION_ORIGIN].data, origin, sizeof origin);
    assert_int_equal(bonsai_graph_label(g, 1), 2);
    assert_int_equal(bn_part(g, 3), BONSAI_PART_TEST);
    float row[2];
    bonsai_graph_row(row, g, 1);
    assert_true(row[0] == 0.5f && row[1] == 1.0f);
    bonsai_write_options w;                             /* the same of a graph in memory */
    bonsai_write_options_init(&w);
    w.labelled = 1;
    int equal = 0;
    assert_int_equal(bonsai_graph_save(NULL, all, temp_path("again.bonsai"), &w), BONSAI_OK);
    again = must_load(temp_path("again.bonsai"));
    assert_int_equal(bonsai_graph_equal(&equal, g, again), BONSAI_OK);
    assert_true(equal);
    bonsai_graph_free(again);
    bonsai_graph_free(all);
    bonsai_graph_free(g);
}

/* A folder without papers that could stay gives an empty graph, whose file is whole. */
static void no_paper_may_be_left(void **state)
{
    (void)state;
    static const float unknown[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    write_mag("mag");
    write_npy(mag_in("mag", MAG_LABELS), "<f4", "False", "(6,)", unknown, sizeof unknown);
    write_empty_split(mag_in("mag", "split_dict.pt"));
    for (int papers = 6; papers >= 0; papers -= 6) {
        bonsai_graph *g = converted(temp_path("mag"), papers > 0);
        assert_int_equal(bonsai_graph_nodes(g), 0);
        assert_int_equal(bonsai_graph_features(g), 2);
        assert_int_equal(bonsai_graph_classes(g), 3);
        bonsai_graph_free(g);
        write_meta(mag_in("mag", "meta.pt"), 0, 3);
        write_npy(mag_in("mag", MAG_LABELS), "<f4", "False", "(0,)", NULL, 0);
        write_npy(mag_in("mag", MAG_FEATURES), "<f2", "False", "(0, 2)", NULL, 0);
        write_npy(mag_in("mag", MAG_EDGES), "<i8", "False", "(2, 0)", NULL, 0);
    }
}

/* Tensors instead of arrays, and the older layout of torch.save. */
static void write_older(const char *path, int count, int64_t said, int again)
{
    static const uint8_t head[] = "\x80\2\x8a\12\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
                                  "\x80\2M\xe9\3.";
    static bytes b;
    b.len = 0;
    add(&b, head, sizeof head - 1);
    add_text(&b, "\x80\2}");
    add_unicode(&b, "little_endian");
    add_text(&b, "\x88s.\x80\2}(");
    add_unicode(&b, "train");
    add_tensor(&b, "77", 1, true);
    add_unicode(&b, "valid");
    add_tensor(&b, "1234", count, true);
    add_unicode(&b, "test");
    add_indices(&b, mag_part[2], 1);
    if (again > 0) {
        add_unicode(&b, "train");       /* the last of equal keys counts */
        add_tensor(&b, "77", again, true);
    }
    add_text(&b, "u.\x80\2](");
    add_unicode(&b, "1234");
    add_unicode(&b, "77");
    add_text(&b, "e.");
    add(&b, &said, 8);
    add(&b, mag_part[1], 8);
    add(&b, (int64_t[]){1, 0}, 16);
    write_file(path, b.data, b.len);
}

static void reads_either_layout_of_torch(void **state)
{
    (void)state;
    static bytes b;
    write_mag("mag");
    write_older(mag_in("mag", "split_dict.pt"), 1, 1, 1);
    bonsai_graph *g = must_load(temp_path("mag"));
    check_graph(g);
    bonsai_graph_free(g);
    begin_pickle(&b);
    add_text(&b, "}(");
    add_unicode(&b, "train");
    add_tensor(&b, "0", 1, false);
    add_unicode(&b, "valid");
    add_indices(&b, mag_part[1], 1);
    add_unicode(&b, "test-dev");
    add_indices(&b, mag_part[2], 1);
    add_unicode(&b, "test-challenge");
    add_indices(&b, NULL, 0);
    add_text(&b, "u.");
    write_torch(mag_in("mag", "split_dict.pt"), &b, mag_part[0], 8);
    g = must_load(temp_path("mag"));
    check_graph(g);
    bonsai_graph_free(g);
    write_split(mag_in("mag", "split_dict.pt"), mag_part, "test-whole");
    g = must_load(temp_path("mag"));
    check_graph(g);
    bonsai_graph_free(g);
}

/* Other versions of OGB and numpy may write other kinds of number, also where nobody looks. */
static void numbers_of_any_kind_are_read(void **state)
{
    (void)state;
    static bytes b;
    write_mag("mag");
    begin_pickle(&b);
    add_text(&b, "}(");
    add_unicode(&b, "paper");
    add_text(&b, "cnumpy._core.multiarray\nscalar\n");
    add_dtype(&b, "i8", "<");
    add_encoded(&b, (int64_t[]){6}, 8);
    add_text(&b, "\x86R");
    add_unicode(&b, "num_classes");
    add(&b, "\x8a\1\3", 3);
    add_unicode(&b, "edges");
    add(&b, "\x8a\5\0\0\0\0\1", 7);
    add_unicode(&b, "share");
    add(&b, "G\x3f\xe0\0\0\0\0\0\0", 9);
    add_text(&b, "u.");
    write_torch(mag_in("mag", "meta.pt"), &b, NULL, 0);
    bonsai_graph *g = must_load(temp_path("mag"));
    check_graph(g);
    bonsai_graph_free(g);
}

/* Other types and orders give the same numbers, though not all of them are mapped or streamed. */
static void other_types_and_orders_are_the_same_graph(void **state)
{
    (void)state;
    static const uint16_t label2[6] = {0, 0x7e00, 0x4000, 0x3c00, 0xbc00, 0xfe00};
    double x8[12], label8[6];
    float x4[12], columns[12];
    int64_t pairs[14];
    for (int i = 0; i < 12; i++) {
        x8[i] = (double)bn_half_to_float(mag_x[i / 2][i % 2]);
        x4[i] = (float)x8[i];
        columns[i % 2 * 6 + i / 2] = (float)x8[i];
    }
    for (int i = 0; i < 6; i++)
        label8[i] = (double)mag_label[i];
    for (int i = 0; i < 14; i++)
        pairs[i] = mag_edge[i % 2][i / 2];
    write_mag("mag");
    bonsai_graph *want = converted(temp_path("mag"), 0);        /* a mapped file must not change */
    write_npy(mag_in("mag", MAG_LABELS), "<f8", "False", "(6, 1)", label8, sizeof label8);
    write_npy(mag_in("mag", MAG_EDGES), "<i8", "True", "(2, 7)", pairs, sizeof pairs);
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            write_npy(mag_in("mag", MAG_LABELS), "<f2", "False", "(6,)", label2, sizeof label2);
        if (i == 2)
            write_npy(mag_in("mag", MAG_FEATURES), "<f4", "True", "(6, 2)", columns,
                      sizeof columns);
        else if (i == 1)
            write_npy(mag_in("mag", MAG_FEATURES), "<f4", "False", "(6, 2)", x4, sizeof x4);
        else
            write_npy(mag_in("mag", MAG_FEATURES), "<f8", "False", "(6, 2)", x8, sizeof x8);
        bonsai_graph *g[2] = {must_load(temp_path("mag")), converted(temp_path("mag"), 0)};
        for (int k = 0; k < 2; k++) {
            int equal = 0;
            assert_int_equal(bonsai_graph_equal(&equal, g[k], want), BONSAI_OK);
            assert_true(equal);
            bonsai_graph_free(g[k]);
        }
    }
    bonsai_graph_free(want);
}

/* ---- refusals ---- */

static bonsai_status convert(const char *from)
{
    return bonsai_graph_convert(NULL, NULL, temp_path("refused.bonsai"), from, NULL, NULL);
}

/* Reading and converting fail with the same sentence, which names the file; nothing is written. */
static void refused(const char *name, bonsai_status status, const char *text)
{
    bonsai_graph *g = NULL;
    assert_fails(load(&g, temp_path("mag")), status, text);
    assert_null(g);
    assert_non_null(strstr(bonsai_error(), name));
    assert_fails(convert(temp_path("mag")), status, text);
    assert_non_null(strstr(bonsai_error(), name));
    assert_int_not_equal(access(temp_path("refused.bonsai"), F_OK), 0);
    write_mag("mag");
}

static void refuses_missing_and_cut_files(void **state)
{
    (void)state;
    static const char *const files[] = {MAG_FEATURES, MAG_LABELS, MAG_EDGES, "meta.pt",
                                        "split_dict.pt"};
    write_mag("mag");
    for (int i = 0; i < 5; i++) {
        const char *name = strrchr(files[i], '/') ? strrchr(files[i], '/') + 1 : files[i];
        unlink(mag_in("mag", files[i]));
        refused(name, BONSAI_E_IO, "cannot be opened");
        size_t len;
        uint8_t *data = read_file(mag_in("mag", files[i]), &len);
        write_file(mag_in("mag", files[i]), data, len - 3);
        refused(name, BONSAI_E_FORMAT, i < 3 ? "bytes for them" : "its end is missing");
        write_file(mag_in("mag", files[i]), data, 0);
        refused(name, BONSAI_E_FORMAT, i < 3 ? "too few" : "is empty");
        free(data);
    }
}

static void refuses_wrong_sizes_and_types(void **state)
{
    (void)state;
    static const int64_t outside[2][7] = {{0, 1, 2, 3, 5, 0, 4}, {1, 2, 3, 0, 6, 1, 4}};
    static const float half[6] = {0, 0.5f, 2, 1, 0, 0}, high[6] = {0, 0, 3, 0, 0, 0};
    uint16_t x[6][2];
    write_mag("mag");
    write_npy(mag_in("mag", MAG_LABELS), "<f4", "False", "(5,)", mag_label, 20);
    refused("meta.pt", BONSAI_E_FORMAT, "says 6 papers, but there are 5 labels");
    write_npy(mag_in("mag", MAG_FEATURES), "<f2", "False", "(5, 2)", mag_x, 20);
    refused("node_feat.npy", BONSAI_E_FORMAT, "has shape [5,2] where [6,any] is needed");
    write_npy(mag_in("mag", MAG_FEATURES), "<f2", "False", "(12,)", mag_x, sizeof mag_x);
    refused("node_feat.npy", BONSAI_E_FORMAT, "has shape [12]");
    write_npy(mag_in("mag", MAG_FEATURES), "<f2", "False", "(7, 2)", mag_x, sizeof mag_x);
    refused("node_feat.npy", BONSAI_E_FORMAT, "says 14 elements of 2 bytes");
    write_npy(mag_in("mag", MAG_FEATURES), "<c8", "False", "(6, 2)", mag_x, sizeof mag_x);
    refused("node_feat.npy", BONSAI_E_FORMAT, "type \"<c8\"");
    memcpy(x, mag_x, sizeof x);
    x[4][1] = 0x7c00;
    write_npy(mag_in("mag", MAG_FEATURES), "<f2", "False", "(6, 2)", x, sizeof x);
    refused("node_feat.npy", BONSAI_E_FORMAT, "entry [4,1] is inf");
    write_npy(mag_in("mag", MAG_EDGES), "<i8", "False", "(2, 7)", outside, sizeof outside);
    refused("edge_index.npy", BONSAI_E_FORMAT, "entry [1,4] is 6, outside 0..5");
    write_npy(mag_in("mag", MAG_EDGES), "<i8", "False", "(7, 2)", mag_edge, sizeof mag_edge);
    refused("edge_index.npy", BONSAI_E_FORMAT, "has shape [7,2]");
    write_npy(mag_in("mag", MAG_EDGES), "<f8", "False", "(2, 7)", mag_edge, sizeof mag_edge);
    refused("edge_index.npy", BONSAI_E_FORMAT, "where integers are needed");
    write_npy(mag_in("mag", MAG_LABELS), "<f4", "False", "(6,)", half, sizeof half);
    refused("node_label.npy", BONSAI_E_FORMAT, "entry 1 is 0.5, which is not a class");
    write_npy(mag_in("mag", MAG_LABELS), "<f4", "False", "(6,)", high, sizeof high);
    refused("node_label.npy", BONSAI_E_FORMAT, "entry 2 is 3, but \"num_classes\"");
    write_npy(mag_in("mag", MAG_LABELS), ">f4", "False", "(6,)", mag_label, sizeof mag_label);
    refused("node_label.npy", BONSAI_E_FORMAT, "labels of type \">f4\"");
    write_npy(mag_in("mag", MAG_LABELS), "<f2", "False", "(6,)", mag_x, 12);
    refused("node_label.npy", BONSAI_E_FORMAT, "entry 4 is 0.5, which is not a class");
    write_npy(mag_in("mag", MAG_LABELS), "<f4", "False", "(3, 2)", mag_label, sizeof mag_label);
    refused("node_label.npy", BONSAI_E_FORMAT, "2 labels a node");
}

/* Numbers that no element answers for; each is refused by the folder's name. */
static void refuses_implausible_numbers(void **state)
{
    (void)state;
    write_mag("mag");
    write_meta(mag_in("mag", "meta.pt"), 6, 70000);
    refused("mag: 70000", BONSAI_E_FORMAT, "70000 classes are implausible for 6 nodes");
    write_meta(mag_in("mag", "meta.pt"), 0, 3);
    write_empty_split(mag_in("mag", "split_dict.pt"));
    write_npy(mag_in("mag", MAG_LABELS), "<f4", "False", "(0,)", NULL, 0);
    write_npy(mag_in("mag", MAG_FEATURES), "<f2", "False", "(0, 2147483647)", NULL, 0);
    write_npy(mag_in("mag", MAG_EDGES), "<i8", "False", "(2, 0)", NULL, 0);
    refused("mag: 2147483647", BONSAI_E_FORMAT, "features are implausible for 0 values");
}

static void refuses_wrong_splits(void **state)
{
    (void)state;
    static const int64_t outside[3][1] = {{0}, {6}, {3}}, below[3][1] = {{-1}, {1}, {3}},
                         twice[3][1] = {{0}, {1}, {0}};
    write_mag("mag");
    write_meta(mag_in("mag", "meta.pt"), 6, 0);
    refused("meta.pt", BONSAI_E_FORMAT, "says 0 classes");
    write_split(mag_in("mag", "split_dict.pt"), outside, "test");
    refused("split_dict.pt", BONSAI_E_FORMAT, "entry 0 of \"valid\" is 6, outside 0..5");
    write_split(mag_in("mag", "split_dict.pt"), below, "test");
    refused("split_dict.pt", BONSAI_E_FORMAT, "entry 0 of \"train\" is -1, outside");
    write_split(mag_in("mag", "split_dict.pt"), twice, "test");
    refused("split_dict.pt", BONSAI_E_FORMAT, "paper 0 is already in a part");
    write_split(mag_in("mag", "split_dict.pt"), mag_part, "tests");
    refused("split_dict.pt", BONSAI_E_FORMAT, "has no list of indices \"test-dev\"");
    write_meta(mag_in("mag", "split_dict.pt"), 6, 3);
    refused("split_dict.pt", BONSAI_E_FORMAT, "has no list of indices \"train\"");
    write_split(mag_in("mag", "meta.pt"), mag_part, "test");
    refused("meta.pt", BONSAI_E_FORMAT, "has no number \"paper\"");
    write_older(mag_in("mag", "split_dict.pt"), 1, 2, 0);
    refused("split_dict.pt", BONSAI_E_FORMAT, "another number of them");
    write_older(mag_in("mag", "split_dict.pt"), 100, 100, 0);
    refused("split_dict.pt", BONSAI_E_FORMAT, "ends before the elements of a tensor");
    write_older(mag_in("mag", "split_dict.pt"), 1, 1, 100000000);
    refused("split_dict.pt: pickle at byte 45", BONSAI_E_FORMAT, "of two types or lengths");
}

static void refused_pickle(const char *data, size_t len, const char *text)
{
    static bytes b;
    begin_pickle(&b);
    add(&b, data, len);
    write_torch(mag_in("mag", "split_dict.pt"), &b, mag_part[0], 8);
    refused("split_dict.pt", BONSAI_E_FORMAT, text);
}

#define ENCODE "c_codecs\nencode\n"
#define TENSOR "ctorch._utils\n_rebuild_tensor_v2\n"
#define STORED(count) "(X\7\0\0\0storagectorch\nLongStorage\nX\1\0\0\0" "0X\3\0\0\0cpuK" count "tQ"
#define REST "\x89" "ccollections\nOrderedDict\n)R"
#define PICKLE(literal, text) refused_pickle(literal, sizeof literal - 1, text)

static void refuses_hostile_pickles(void **state)
{
    (void)state;
    write_mag("mag");
    PICKLE("cos\nsystem\n(X\4\0\0\0truetR.", "asks for \"os system\", which no file of data needs");
    PICKLE("cbuiltins\neval\n.", "asks for \"builtins eval\"");
    PICKLE("ctorch\nFloatStorage\n.", "asks for \"torch FloatStorage\"");
    PICKLE("].", "does not hold a dict");
    PICKLE("}.", "has no list of indices \"train\"");
    PICKLE("\x8c\1a.", "opcode 0x8c");
    PICKLE(ENCODE ")R.", "encode has arguments that numpy never gives it");
    PICKLE(ENCODE "X\1\0\0\0bX\4\0\0\0utf8\x86R.", "encode has arguments");
    PICKLE(ENCODE "X\2\0\0\0\xc4\x80X\6\0\0\0latin1\x86R.", "not Latin 1");
    PICKLE(ENCODE "X\1\0\0\0\xc3X\6\0\0\0latin1\x86R.", "not Latin 1");
    PICKLE("X\7\0\0\0storage\x85Q.", "a storage that is not of indices");
    PICKLE("Q.", "needs more values");
    PICKLE(TENSOR ")R.", "_rebuild_tensor_v2 has arguments");
    PICKLE(TENSOR "(" STORED("\1") "K\0K\2\x85K\1\x85" REST "tR.", "goes beyond its storage");
    PICKLE(TENSOR "(" STORED("\1") "K\2K\0\x85K\1\x85" REST "tR.", "goes beyond its storage");
    PICKLE(TENSOR "(" STORED("\4") "K\0K\2\x85K\2\x85" REST "tR.", "not one row of indices");
    PICKLE(TENSOR "(" STORED("\4") "K\0K\2K\1\x86K\1K\1\x86" REST "tR.", "not one row of indices");
    PICKLE("}X\5\0\0\0train" TENSOR "(" STORED("\2") "K\0K\2\x85K\1\x85" REST "tRs.",
           "has 8 bytes where 2 elements of 8 are needed");
    PICKLE("}X\5\0\0\0train" TENSOR "((X\7\0\0\0storagectorch\nLongStorage\nX\1\0\0\0" "9X\3\0\0\0cpu"
           "K\1tQK\0K\1\x85K\1\x85" REST "tRs.", "has no member \"data/9\"");
    PICKLE("(X\7\0\0\0storagectorch\nLongStorage\nX\1\0\0\0" "0X\3\0\0\0cpu"
           "\x8a\10\0\0\0\0\0\0\0\x20tQ.", "a storage of more elements than any file has");
    PICKLE("(" STORED("\1") STORED("\2") "t.", "a storage of two types or lengths");
    PICKLE("ccollections\nOrderedDict\n(K\1tR.", "an OrderedDict that is not empty");
    PICKLE("c__builtin__\nbytes\nK\1\x85R.", "bytes has arguments that numpy never gives it");
}

/* One text that is encoded again and again cannot take more memory than the file. */
static void refuses_text_that_grows(void **state)
{
    (void)state;
    static bytes b;
    static const char a[1000];
    const uint32_t len = sizeof a;
    begin_pickle(&b);
    add_text(&b, "(X");
    add(&b, &len, 4);
    add(&b, a, sizeof a);
    add(&b, "q\0X\6\0\0\0latin1q\1" ENCODE "q\2", 33);
    for (int i = 0; i < 500; i++)
        add(&b, "h\2h\0h\1\x86R", 8);
    add_text(&b, "t.");
    write_mag("mag");
    write_torch(mag_in("mag", "split_dict.pt"), &b, NULL, 0);
    refused("split_dict.pt", BONSAI_E_FORMAT, "encodes more text than the file has");
}

/* A storage without a tensor; the name is fill, `len` times. */
static void add_storage(bytes *b, char fill, uint32_t len)
{
    char name[64];
    memset(name, fill, len);
    add_text(b, "(");
    add_unicode(b, "storage");
    add_text(b, "ctorch\nLongStorage\nX");
    add(b, &len, 4);
    add(b, name, len);
    add_unicode(b, "cpu");
    add(b, "K\1tQ", 4);
}

/* Each use of a storage has its name compared with all before: names are short, and few. */
static void refuses_long_and_many_names_of_storages(void **state)
{
    (void)state;
    static bytes b;
    write_mag("mag");
    for (uint32_t len = 40; len <= 41; len++) {
        begin_pickle(&b);
        add_storage(&b, 'n', len);
        add_text(&b, ".");
        write_torch(mag_in("mag", "split_dict.pt"), &b, NULL, 0);
        refused("split_dict.pt", BONSAI_E_FORMAT,
                len == 40 ? "does not hold a dict"
                          : "the name of a storage has 41 bytes; at most 40 are allowed");
    }
    for (int names = 64; names <= 65; names++) {
        begin_pickle(&b);
        add_text(&b, "(");
        for (int i = 0; i < 2 * names; i++)
            add_storage(&b, (char)('!' + i % names), 40);
        add_text(&b, "t.");
        write_torch(mag_in("mag", "split_dict.pt"), &b, NULL, 0);
        refused("split_dict.pt", BONSAI_E_FORMAT,
                names == 64 ? "does not hold a dict" : "too many storages");
    }
}

/* ---- failures ---- */

typedef struct { int labelled, converts, left; } asked;

static int count_down(const bonsai_progress *p, void *payload)
{
    asked *a = payload;
    assert_true(p->done <= p->total);
    return a->left >= 0 && a->left-- == 0;
}

static bonsai_status work(void *payload)
{
    asked *a = payload;
    bonsai_graph *g = NULL;
    bonsai_read_options r;
    bonsai_write_options w;
    bonsai_read_options_init(&r);
    bonsai_write_options_init(&w);
    r.threads = w.threads = 1;
    r.progress = w.progress = count_down;
    r.payload = w.payload = a;
    w.labelled = a->labelled;
    bonsai_status rc = a->converts
        ? bonsai_graph_convert(NULL, NULL, temp_path("out2.bonsai"), temp_path("mag"), &r, &w)
        : bonsai_graph_read(&g, temp_path("mag"), &r);
    bonsai_graph_free(g);
    return rc;
}

static void failed_allocations_and_cancelling_leak_nothing(void **state)
{
    (void)state;
    write_mag("mag");
    for (int i = 0; i < 3; i++) {
        asked a = {.converts = i > 0, .labelled = i > 1, .left = -1};
        survives_failed_allocations(work, &a, 10);
        int reports = 0;
        const int64_t before = bn_mem_live();
        for (bonsai_status rc = BONSAI_E_CANCELED; rc != BONSAI_OK; reports++) {
            unlink(temp_path("out2.bonsai"));
            a.left = reports;
            rc = work(&a);
            assert_true(rc == BONSAI_OK || rc == BONSAI_E_CANCELED);
            assert_int_equal(bn_mem_live(), before);
            if (rc != BONSAI_OK)
                assert_int_not_equal(access(temp_path("out2.bonsai"), F_OK), 0);
        }
        assert_true(reports > 4);
    }
}

static int stop_at(const bonsai_progress *p, void *stage)
{
    return strcmp(p->stage, stage) == 0;
}

static void reading_labels_can_be_cancelled(void **state)
{
    (void)state;
    bonsai_graph *g = NULL;
    bonsai_read_options r;
    char stage[] = "reading labels";
    bonsai_read_options_init(&r);
    r.progress = stop_at;
    r.payload = stage;
    write_mag("mag");
    assert_int_equal(bonsai_graph_read(&g, temp_path("mag"), &r), BONSAI_E_CANCELED);
    assert_null(g);
}

static void the_progress_of_the_writer_can_cancel(void **state)
{
    (void)state;
    bonsai_write_options w;
    char stage[] = "writing";
    bonsai_write_options_init(&w);
    w.progress = stop_at;
    w.payload = stage;
    write_mag("mag");
    assert_int_equal(bonsai_graph_convert(NULL, NULL, temp_path("stopped.bonsai"), temp_path("mag"),
                                          NULL, &w), BONSAI_E_CANCELED);
    assert_int_not_equal(access(temp_path("stopped.bonsai"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_converts_papers_and_citations),
        cmocka_unit_test(finds_the_folder_from_above_and_below),
        cmocka_unit_test(processed_may_be_a_link_to_another_disk),
        cmocka_unit_test(labelled_papers_induce_a_graph),
        cmocka_unit_test(no_paper_may_be_left),
        cmocka_unit_test(reads_either_layout_of_torch),
        cmocka_unit_test(numbers_of_any_kind_are_read),
        cmocka_unit_test(other_types_and_orders_are_the_same_graph),
        cmocka_unit_test(refuses_missing_and_cut_files),
        cmocka_unit_test(refuses_wrong_sizes_and_types),
        cmocka_unit_test(refuses_implausible_numbers),
        cmocka_unit_test(refuses_wrong_splits),
        cmocka_unit_test(refuses_hostile_pickles),
        cmocka_unit_test(refuses_text_that_grows),
        cmocka_unit_test(refuses_long_and_many_names_of_storages),
        cmocka_unit_test(failed_allocations_and_cancelling_leak_nothing),
        cmocka_unit_test(reading_labels_can_be_cancelled),
        cmocka_unit_test(the_progress_of_the_writer_can_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
