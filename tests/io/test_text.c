/* test_text.c -- graphs as text: common notations are read, everything else is refused with file
 * and line.
 *
 * SPDX-License-Identifier: MIT */
#include "texting.h"

/* ---- by hand ---- */

static void reads_numbers_as_node_numbers(void **state)
{
    (void)state;
    bonsai_graph *g = read_edges("# a comment\n0 1\n\n% another\n3 1\n1 1\n0 1\n");
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_int_equal(bonsai_graph_edges(g), 4);
    assert_true(has_edge(g, 1, 0) && has_edge(g, 0, 1) && has_edge(g, 1, 3) && has_edge(g, 3, 1));
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_NODE_NAMES].data);
    const bonsai_read_info *info = bonsai_graph_read_info(g);
    assert_string_equal(info->format, "text");
    assert_int_equal(info->self_loops, 1);
    assert_int_equal(info->repeated, 1);
    assert_int_equal(info->filled, 1);
    bonsai_graph_free(g);
}

static void orders_sparse_integers_by_value(void **state)
{
    (void)state;
    bonsai_graph *g = read_edges("900 -5\n10000000000 900\n0007 900\n7 -5\n");
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_string_equal(node_name(g, 0), "-5");
    assert_string_equal(node_name(g, 1), "7");
    assert_string_equal(node_name(g, 2), "900");
    assert_string_equal(node_name(g, 3), "10000000000");
    assert_true(has_edge(g, 0, 2) && has_edge(g, 2, 3) && has_edge(g, 1, 2) && has_edge(g, 0, 1));
    bonsai_graph_free(g);
    g = read_edges("0 8\n");                    /* numbers, but far apart */
    assert_int_equal(bonsai_graph_nodes(g), 2);
    assert_string_equal(node_name(g, 1), "8");
    bonsai_graph_free(g);
    g = read_edges("0 7\n");                    /* a quarter of them */
    assert_int_equal(bonsai_graph_nodes(g), 8);
    assert_int_equal(bonsai_graph_read_info(g)->filled, 6);
    bonsai_graph_free(g);
}

static void orders_names_by_first_appearance(void **state)
{
    (void)state;
    bonsai_graph *g = read_edges("zoe,\"x, \"\"y\"\"\"\n7,zoe\n12, 7 \n");
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_string_equal(node_name(g, 0), "zoe");
    assert_string_equal(node_name(g, 1), "x, \"y\"");
    assert_string_equal(node_name(g, 2), "7");
    assert_string_equal(node_name(g, 3), "12");
    assert_true(has_edge(g, 0, 1) && has_edge(g, 0, 2) && has_edge(g, 3, 2));
    bonsai_graph_free(g);
}

static void finds_weights_and_headers(void **state)
{
    (void)state;
    static const char *const same[] = {
        "0,1,0.5\n1,2,2\n",         "source,target,weight\n0,1,0.5\n1,2,2\n",
        "a;b;w\n0;1;.5\n1;2;2e0\n", "From\tTo\tx\n0\t1\t0.5\n1\t2\t+2\n",
        "\xef\xbb\xbf\60 1 0.5\r\n1   2 \t 2.0",       "  0 1 5e-1 \n\n\n1 2 2   \n",
        "\"0\",\"1\",\"0.5\"\n1,2,2\n",
    };
    bonsai_graph *first = read_edges(same[0]);
    const float *w = bonsai_graph_view(first)->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    assert_true(w[0] == 0.5f && w[1] == 0.5f && w[2] == 2.0f && w[3] == 2.0f);
    for (size_t i = 1; i < sizeof same / sizeof *same; i++) {
        bonsai_graph *g = read_edges(same[i]);
        assert_same(first, g);
        bonsai_graph_free(g);
    }
    bonsai_graph_free(first);
}

/* What could mean two things is refused; this means one. */
static void reads_names_with_separators(void **state)
{
    (void)state;
    static const char *const plain[] = {
        "New York,Boston\nBoston,10 Downing Street\n", "\"0;1\",b\nb,\"1,5\"\n",
        "5\" disk,b c\nb c,d\n", "a,\tb\nb\t,c\t\n",
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        bonsai_graph *g = read_edges(plain[i]);
        assert_int_equal(bonsai_graph_nodes(g), 3);
        assert_true(has_edge(g, 0, 1) && has_edge(g, 1, 2) && !has_edge(g, 0, 2));
        bonsai_graph_free(g);
    }
    bonsai_graph *g = read_edges("0 1 0.5\r1 2 2\r");
    assert_int_equal(bonsai_graph_nodes(g), 3);
    bonsai_graph_free(g);
    g = must_read(folder_of("mixed", "x y\ny 7\n", NULL, "x,1\n7,1\ny,0\n\n\n"));
    assert_int_equal(bonsai_graph_nodes(g), 3);
    bonsai_graph_free(g);
    g = must_read(folder_of("mixed", "0 1\n", NULL, "# two nodes\n\n0\n1\n\n"));
    assert_int_equal(bonsai_graph_nodes(g), 2);
    bonsai_graph_free(g);
}

typedef struct { const char *path; bonsai_graph *other; } replacing;

static int replace_it(const bonsai_progress *p, void *payload)
{
    replacing *r = payload;
    if (strcmp(p->stage, "reading edges") == 0 && r->other) {
        assert_int_equal(bonsai_graph_save(NULL, r->other, r->path, NULL), BONSAI_OK);
        bonsai_graph_free(r->other);
        r->other = NULL;
    }
    return 0;
}

static void a_folder_replaced_while_it_is_read_is_refused(void **state)
{
    (void)state;
    char path[512];
    bonsai_read_options o;
    bonsai_graph *g = NULL;
    snprintf(path, sizeof path, "%s", folder_of("moving", "0 1\n1 2\n", NULL, "0\n1\n0\n"));
    replacing r = {.path = path, .other = must_read(path)};
    bonsai_read_options_init(&o);
    o.progress = replace_it;
    o.payload = &r;
    assert_fails(bonsai_graph_read(&g, path, &o), BONSAI_E_IO, "was replaced while it was read");
    assert_int_equal(bonsai_graph_read(&g, path, &o), BONSAI_OK);
    bonsai_graph_free(g);
}

static void keeps_what_the_options_ask_for(void **state)
{
    (void)state;
    bonsai_read_options o;
    bonsai_graph *g;
    bonsai_read_options_init(&o);
    o.keep_directed = o.keep_self_loops = o.keep_repeated = 1;
    const char *path = temp_path("keep.tsv");
    write_text(path, "0\t1\n0\t1\n1\t1\n");
    assert_int_equal(bonsai_graph_read(&g, path, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_edges(g), 3);
    assert_int_equal(bonsai_graph_view(g)->flags, 7);
    bonsai_graph_free(g);
}

static void reads_labels_of_every_kind(void **state)
{
    (void)state;
    bonsai_graph *g = must_read(folder_of("kinds", "b,c\nc,a\n", NULL,
        "id,label,split,weight,origin,role\na,red,train,1,9,root\nb,,Validation,0.5,8,\n"
        "c,blue,test,2,0,prototype\nd,red,,3,1,ego\n"));
    const bonsai_view *v = bonsai_graph_view(g);
    assert_int_equal(bonsai_graph_nodes(g), 4);
    assert_int_equal(bonsai_graph_classes(g), 2);
    assert_int_equal(bonsai_graph_label(g, 1), -1);
    assert_int_equal(bonsai_graph_label(g, 0), 1);
    assert_int_equal(bonsai_graph_label(g, 2), 0);
    assert_memory_equal(v->section[BONSAI_SECTION_CLASS_NAMES].data, "blue\0red", 9);
    assert_memory_equal(v->section[BONSAI_SECTION_NODE_NAMES].data, "a\0b\0c\0d", 8);
    assert_memory_equal(v->section[BONSAI_SECTION_SPLIT].data, "\1\2\3\0", 4);
    assert_memory_equal(v->section[BONSAI_SECTION_ROLE].data, "\1\0\3\2", 4);
    assert_true(((const float *)v->section[BONSAI_SECTION_NODE_WEIGHTS].data)[3] == 3.0f);
    assert_int_equal(((const uint32_t *)v->section[BONSAI_SECTION_ORIGIN].data)[0], 9);
    assert_true(has_edge(g, 1, 2) && has_edge(g, 0, 2) && !has_edge(g, 0, 1));
    bonsai_graph_free(g);

    g = must_read(folder_of("kinds", "0,1\n", NULL, "1\n-1\n0\n"));
    assert_int_equal(bonsai_graph_nodes(g), 3);
    assert_int_equal(bonsai_graph_classes(g), 2);
    assert_int_equal(bonsai_graph_label(g, 0), 1);
    assert_int_equal(bonsai_graph_label(g, 1), -1);
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_CLASS_NAMES].data);
    bonsai_graph_free(g);

    g = must_read(folder_of("kinds", "30,20\n", NULL, "30 1\n10 x\n20 1\n"));
    assert_int_equal(bonsai_graph_nodes(g), 3);
    assert_true(has_edge(g, 0, 2));
    assert_string_equal(node_name(g, 1), "10");
    assert_memory_equal(bonsai_graph_view(g)->section[BONSAI_SECTION_CLASS_NAMES].data, "1\0x", 4);
    bonsai_graph_free(g);

    g = must_read(folder_of("kinds", "", NULL, "id\n0\n1\n2\n"));    /* isolated nodes only */
    assert_int_equal(bonsai_graph_nodes(g), 3);
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_LABELS].data);
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_NODE_NAMES].data);
    bonsai_graph_free(g);
}

static void reads_features_of_every_kind(void **state)
{
    (void)state;
    static const char *const same[][2] = {      /* features, labels */
        {"1,0,-0.5\n0,0,0\n0,2,0\n", NULL},
        {"1 0 -5e-1\n0 0 0\n0 2 0\n", NULL},
        {"True,FALSE,-0.5\n0,false,0\n0,2,false\n", NULL},
        {"node,feature,value\n2,1,2\n0,2,-0.5\n0,0,1\n", "id\n0\n1\n2\n"},
        {"node,feature,value\n2,1,2\n0,2,-0.5\n0,0,1\n", NULL},
        {"node,feature,value\n0,0,1\n2,1,1\n2,1,1\n0,2,-0.5\n1,1,0\n", NULL},
    };
    bonsai_graph *first = NULL;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        bonsai_graph *g = must_read(folder_of("feat", "0,1\n1,2\n", same[i][0], same[i][1]));
        float row[3];
        bonsai_graph_row(row, g, 0);
        assert_true(row[0] == 1.0f && row[1] == 0.0f && row[2] == -0.5f);
        bonsai_graph_row(row, g, 2);
        assert_true(row[0] == 0.0f && row[1] == 2.0f && row[2] == 0.0f);
        same_as_first(&first, g);
    }
    bonsai_graph_free(first);
    bonsai_graph *g = must_read(folder_of("feat", "x,y\n", "y,3\nx,4\n", NULL));
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_FEATURE_NAMES].data);
    float value;
    bonsai_graph_row(&value, g, 0);
    assert_true(value == 3.0f);
    bonsai_graph *bare = must_read(folder_of("truth", "0,1\n", "true\nfalse\n", NULL));
    bonsai_graph_row(&value, bare, 0);                          /* it is no header */
    assert_true(value == 1.0f && bonsai_graph_nodes(bare) == 2);
    bonsai_graph_free(bare);
    assert_string_equal(node_name(g, 0), "y");
    bonsai_graph_free(g);
}

static void a_header_and_comments_name_features(void **state)
{
    (void)state;
    static const char *const same[][3] = {      /* features, labels, names */
        {"f1,f2,f3\n1,0,-0.5\n0,0,0\n0,2,0\n", NULL, "f1\0f2\0f3"},
        {"id,f1,f2,f3\n0,1,0,-0.5\n1,0,0,0\n2,0,2,0\n", NULL, "f1\0f2\0f3"},
        {"id f1 f2 f3\n2 0 2 0\n0 1 0 -5e-1\n1 0 0 0\n", "id\n0\n1\n2\n", "f1\0f2\0f3"},
        {"\"a, b\",\\n,\n1,0,-0.5\n0,0,0\n0,2,0\n", NULL, "a, b\0\\n\0"},
        {"# made by hand\n# bonsai: feature_names=3\n# a, b\n# \\n\n#\n1,0,-0.5\n0,0,0\n0,2,0\n",
         NULL, "a, b\0\n\0"},
        {"# bonsai: feature_names=3\n# p\n# q\n# r\na,b,c\n1,0,-0.5\n0,0,0\n0,2,0\n", NULL,
         "p\0q\0r"},
        {"# bonsai: feature_names=3\n# p\n# q\n# r\nnode,feature,value\n2,1,2\n0,0,1\n0,2,-0.5\n",
         NULL, "p\0q\0r"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        bonsai_graph *g = must_read(folder_of("named", "0,1\n1,2\n", same[i][0], same[i][1]));
        const bonsai_array *names = &bonsai_graph_view(g)->section[BONSAI_SECTION_FEATURE_NAMES];
        const char *wanted = same[i][2], *got = names->data;
        float row[3];
        bonsai_graph_row(row, g, 0);
        assert_true(row[0] == 1.0f && row[1] == 0.0f && row[2] == -0.5f);
        assert_non_null(got);
        for (int j = 0; j < 3; j++, wanted += strlen(wanted) + 1, got += strlen(got) + 1)
            assert_string_equal(got, wanted);
        assert_int_equal(got - (const char *)names->data, names->count);
        bonsai_graph_free(g);
    }
    bonsai_graph *g = must_read(folder_of("named", "0,1\n",        /* the last has no value */
        "# bonsai: feature_names=3\n# p\n# q\n# r\nnode,feature\n1,1\n", NULL));
    assert_int_equal(bonsai_graph_features(g), 3);
    bonsai_graph_free(g);
}

static void finds_companions_next_to_a_file(void **state)
{
    (void)state;
    write_gz(temp_path("net.el.gz"), "0 1\n1 2\n");
    write_text(temp_path("net.features.tsv"), "1\t2\n3\t4\n5\t6\n");
    write_gz(temp_path("net.labels.txt.gz"), "1\n0\n1\n");
    bonsai_graph *g = must_read(temp_path("net.el.gz"));
    assert_int_equal(bonsai_graph_features(g), 2);
    assert_int_equal(bonsai_graph_classes(g), 2);
    bonsai_graph_free(g);
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    char labels[512];
    snprintf(labels, sizeof labels, "%s", temp_path("other.labels"));
    write_text(labels, "7\n7\n7\n");
    o.labels = labels;
    assert_int_equal(bonsai_graph_read(&g, temp_path("net.el.gz"), &o), BONSAI_OK);
    assert_string_equal(bonsai_graph_class_name(g, 0), "7");
    bonsai_graph_free(g);
    write_text(temp_path("said.el"), "# bonsai: nodes=3 features=0 classes=1 directed=0\n0 1\n");
    assert_int_equal(bonsai_graph_read(&g, temp_path("said.el"), &o), BONSAI_OK);
    assert_string_equal(bonsai_graph_class_name(g, 0), "7");    /* the file given in the options is used */
    bonsai_graph_free(g);
}

/* ---- oracle and metamorphic ---- */

enum { SMALL = 12 };

/* Compares the adjacency with a matrix made from the same numbers. */
static void matches_matrix(const bonsai_graph *g, int n, bool matrix[SMALL][SMALL])
{
    assert_int_equal(bonsai_graph_nodes(g), n);
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++)
            assert_int_equal(has_edge(g, u, v), u != v && (matrix[u][v] || matrix[v][u]));
}

static void agrees_with_a_matrix_in_any_notation(void **state)
{
    (void)state;
    static const char *const dress[] = {"%d,%d\n", "%d\t%d\n", " %d   %d\r\n", "%d;%d\n",
                                        "\"%d\" , \"%d\"\n#x\n"};
    for (int round = 0; round < 200; round++) {
        bn_rng r = bn_rng_at(7, (uint64_t)round);
        int n = (int)bn_rng_below(&r, SMALL) + 1, m = 3 * n;
        bool matrix[SMALL][SMALL] = {{false}};
        char text[4096] = "";
        int edge[3 * SMALL][2], len = 0;
        for (int i = 0; i < m; i++)
            for (int k = 0; k < 2; k++)
                edge[i][k] = (int)bn_rng_below(&r, n);
        edge[0][0] = n - 1;
        for (int i = 0; i < m; i++) {
            matrix[edge[i][0]][edge[i][1]] = true;
            len += sprintf(text + len, dress[round % 5], edge[i][0], edge[i][1]);
        }
        if (round % 3 == 0 && text[len - 1] == '\n')
            text[len - 1] = 0;                  /* the last line feed is optional */
        if (round % 2) {
            bonsai_graph *g = read_edges(text);
            matches_matrix(g, n, matrix);
            bonsai_graph_free(g);
        } else {
            write_gz(temp_path("dress.csv.gz"), text);
            bonsai_graph *g = must_read(temp_path("dress.csv.gz"));
            matches_matrix(g, n, matrix);
            bonsai_graph_free(g);
        }
    }
}

static void the_order_of_edges_does_not_matter(void **state)
{
    (void)state;
    enum { M = 200 };
    char line[M][40];
    int32_t order[M];
    bonsai_graph *first = NULL;
    for (int i = 0; i < M; i++) {
        bn_rng r = bn_rng_at(3, (uint64_t)i);
        snprintf(line[i], sizeof line[i], "%d %d %.3f\n", (int)bn_rng_below(&r, 30),
                 (int)bn_rng_below(&r, 30), bn_rng_unit(&r) + 0.001);
        order[i] = i;
    }
    for (int round = 0; round < 10; round++) {
        char text[M * 40] = "0 29 1\n";
        for (int i = 0; i < M; i++)
            strcat(text, line[order[i]]);
        bonsai_graph *g = read_edges(text);
        bn_rng_shuffle(order, M, (uint64_t)round);
        same_as_first(&first, g);
    }
    bonsai_graph_free(first);
}

/* ---- refusals ---- */

static void refuses_bad_edges_with_file_and_line(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "bad.el: has no edge"},
        {"# nothing\n", "bad.el: has no edge"},
        {"source,target\n", "bad.el: has no edge"},
        {"0 1\n1 2\n3\n", "bad.el:3: the line ends where a node is needed"},
        {"0\n1\n", "bad.el:1: one column"},
        {"0 1 2 3\n", "bad.el:1: 4 columns where a source, a target and perhaps a weight are "
                      "needed: call two of them source and target in the first line, or keep two "
                      "alone, such as the first two by awk '{print $1, $2}'"},
        {"a,b,c,source\n1,2,3,4\n", "or keep two alone, such as the first two by cut -d, -f1,2"},
        {"a;b;c;d\n1;2;3;4\n", "two by cut -d';' -f1,2"},
        {"a\tb\tc\td\n", "two by cut -f1,2"},
        {",buyer,seller\n0,1,2\n", "bad.el:1: the first column has no name, as where pandas wrote "
                                  "its index: leave it out with to_csv(index=False)"},
        {",buyer,seller,day\n0,1,2,3\n", "bad.el:1: the first column has no name"},
        {"source,day,note,target\n1,2\n", "bad.el:2: 2 columns where the first line has 4"},
        {"source,day,note,target\n1,2,3\n", "bad.el:2: the line ends where a node is needed"},
        {"source,day,note,target\n1,2,3,4,5\n", "bad.el:2: more columns than the 4 of the first"},
        {"0 1\n\n1 2 5\n", "bad.el:3: more columns than the 2 of the first line"},
        {"0 1 1\n1 2\n", "bad.el:2: the line ends where a finite number is needed"},
        {"0 1 1\n1 2 nan\n", "bad.el:2: \"nan\" is not a finite number"},
        {"0 1 1\n1 2 1e39\n", "bad.el:2: \"1e39\" is not a finite number"},
        {"0 1 1\n1 2 0x10\n", "bad.el:2: \"0x10\" is not a finite number: a third column holds "
                               "weights, which are numbers; awk '{print $1, $2}' keeps the first two"},
        {"0 1 1\n1 2 -4\n", "bad.el:2: weight -4 is not positive"},
        {"0 1 1\n1 2 0\n", "bad.el:2: weight 0 is not positive"},
        {"0,1\n,2\n", "bad.el:2: the id of a node is empty"},
        {"a,\"b\nc,d\n", "bad.el:1: a quote is opened but never closed"},
        {"a,\"b\"c\n", "bad.el:1: \"b\" is followed by more than a separator"},
        {"a,b\nc,\xff\n", "bad.el:2: byte 0 of the name"},
        {"0;1;0,5\n", "bad.el:1: \",\" and \";\" both occur"},
        {"# x\na;b;0,5\nb;c;1,5\n", "bad.el:2: \",\" and \";\" both occur"},
        {"0\t1\t0,5\n", "bad.el:1: \",\" and tabs both occur"},
        {"a;b\tc\n", "bad.el:1: \";\" and tabs both occur"},
        {"Smith, J.\tDoe, J.\n", "bad.el:1: \",\" and tabs both occur"},
        {"0 1 0,5\n1 2 0,5\n", "bad.el:1: \"0 1 0\" looks like several numbers"},
        {"0 1\n1 2,5\n", "bad.el:2: \"2,5\" looks like several numbers"},
        {"0,1\n1;2,0\n", "bad.el:2: \"1;2\" looks like several numbers"},
        {"a\tb\n0,5\tb\n", "bad.el:2: \"0,5\" looks like several numbers"},
        {"source;target;weight\n0;1;0,5\n", "bad.el:2: \"0,5\" is not a finite number"},
        {"\xff\xfe\x30\x20\x31\n", "bad.el: is UTF-16 text"},
        {"\xfe\xff\x20\x30\n", "bad.el: is UTF-16 text"},
        {"# bonsai: nodes=3 colour=2\n0 1\n", "bad.el:1: \"colour\" is not known"},
        {"# bonsai: nodes=x\n0 1\n", "bad.el:1: nodes has no number"},
        {"# bonsai: nodes=2000000000\n0 1\n", "bad.el:1: 2000000000 nodes are implausible"},
        {"# bonsai: nodes=2\n0 1\n2 1\n", "bad.el:3: node 2 is outside 0..1"},
        {"# bonsai: nodes=2\n0 1\nx 1\n", "bad.el:3: node \"x\" is not an integer"},
        {"# bonsai: nodes=2 edges=2\n0 1\n", "bad.el: says 2 edges but lists 1"},
        {"# bonsai: nodes=2 features=2\n0 1\n", "bad.el: says 2 features"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(temp_path("bad.el"), bad[i][0]);
        refuses_file(temp_path("bad.el"), bad[i][1]);
    }
    write_file(temp_path("bad.el"), "a,b\nc,d\0e\n", 10);
    refuses_file(temp_path("bad.el"), "bad.el:2: byte 1 of the name");
}

static void refuses_bad_companions_with_file_and_line(void **state)
{
    (void)state;
    static const char *const bad[][4] = {       /* edges, features, labels, message */
        {"0 1\n1 9\n", NULL, "0\n0\n", "edges.csv:2: node 9 is outside 0..1"},
        {"a b\na c\n", NULL, "a 0\nb 0\n", "edges.csv:2: node \"c\" is not listed in"},
        {"5 6\n5 7\n", NULL, "id\n5\n6\n", "edges.csv:2: node \"7\" is not listed in"},
        {"0 1\n", NULL, "id,label\n0,1\n0,1\n", "labels.csv:3: node \"0\" is listed a second time"},
        {"a b\n", NULL, "id,label\na,1\na,1\n", "labels.csv:3: node \"a\" is listed a second"},
        {"0 1\n", NULL, "", "labels.csv: is empty or has only comments"},
        {"0 1\n", NULL, "id,label\n0,1\n1\n", "labels.csv:3: 1 columns where 2 are needed"},
        {"0 1\n", NULL, "id,label\n0,1\n1,1,1\n", "labels.csv:3: more than 2 columns"},
        {"0 1\n", NULL, "id,label,year\n0,1,2\n", "labels.csv:1: column \"year\" is none of"},
        {"0 1\n", NULL, "id,label,label\n0,1,2\n", "labels.csv:1: column \"label\" occurs twice"},
        {"0 1\n", NULL, "0\n-2\n", "labels.csv:2: label -2 is outside"},
        {"0 1\n", NULL, "0\n2147483647\n", "labels.csv:2: label 2147483647 is outside"},
        {"0 1\n", NULL, "id,split\n0,train\n1,tset\n", "labels.csv:3: split \"tset\" is none of"},
        {"0 1\n", NULL, "id,role\n0,root\n1,king\n", "labels.csv:3: role \"king\" is none of"},
        {"0 1\n", NULL, "id,weight\n0,1\n1,-1\n", "labels.csv:3: weight \"-1\" is not"},
        {"0 1\n", NULL, "id,weight\n0,1\n1,inf\n", "labels.csv:3: weight \"inf\" is not"},
        {"0 1\n", NULL, "id,origin\n0,1\n1,-1\n", "labels.csv:3: origin \"-1\" is outside"},
        {"0 1\n", NULL, "id\n0\n\"\"x\n", "labels.csv:3: \"\" is followed by"},
        {"0 1\n", NULL, "# bonsai: class_names=2\n# a\n0\n0\n", "labels.csv:2: 1 class names"},
        {"0 1\n", NULL, "# bonsai: class_names=1\n# a\n0\n1\n", "labels.csv: label 1 is outside"},
        {"0 1\n", NULL, "# bonsai: class_names=1\n# a\n0\nx\n", "labels.csv:4: label \"x\" is not"},
        {"0 1\n1 2\n", NULL, "0\n\n1\n2\n", "labels.csv:2: a blank line or a comment between rows"},
        {"0 1\n", NULL, "label\n  \n1\n0\n", "labels.csv:2: a blank line or a comment"},
        {"0 1\n", NULL, "red\n#1\nred\n", "labels.csv:2: a blank line or a comment between rows"},
        {"0 1\n", NULL, "label,split\n0,train\n\n1,test\n", "labels.csv:3: a blank line or"},
        {"0 1\n", NULL, "subject\n0\n1\n", "labels.csv:1: \"subject\" is above numbers"},
        {"5 6\n", NULL, "paper,subject\n5,x\n6,y\n", "labels.csv:1: \"paper\" is above numbers"},
        {"0 1\n", NULL, "0\n1,5\n", "labels.csv:2: \"1,5\" looks like several numbers"},
        {"0 1\n", "a,b\n1\n2\n", NULL, "features.csv: names 2 features, but has 1"},
        {"0 1\n", "a,\xff\n1,2\n3,4\n", NULL, "features.csv:1: "},
        {"0 1\n", "# bonsai: feature_names=2\n# a\n1,2\n3,4\n", NULL,
         "features.csv:2: 1 feature names where 2 were announced"},
        {"0 1\n", "# bonsai: feature_names=1\n# a\n1,2\n3,4\n", NULL,
         "features.csv: names 1 features, but has 2"},
        {"0 1\n", "# bonsai: feature_names=x\n1,2\n3,4\n", NULL,
         "features.csv:1: \"x\" is not a number of feature names"},
        {"0 1\n", "1,2\n\n3,4\n", NULL, "features.csv:2: a blank line or a comment between rows"},
        {"0 1\n", "0,5;1,5\n0,5;2,5\n", NULL, "features.csv:1: \",\" and \";\" both occur"},
        {"0 1\n", "1,2\n3\n", NULL, "features.csv:2: 1 features where the first row has 2"},
        {"0 1\n", "1,2\n3,NaN\n", NULL, "features.csv:2: the value in column 2 is missing (\"NaN\")"},
        {"0 1\n", "1,2\n3,-inf\n", NULL, "features.csv:2: \"-inf\" in column 2 is not a finite number"},
        {"0 1\n", "1,2\n3,x\n", NULL, "features.csv:2: \"x\" in column 2 is not a finite number: "},
        {"0 1\n", "1,2\n3,\n", NULL, "features.csv:2: the value in column 2 is missing (\"\"): fill it"},
        {"0 1\n", "1\n2\n3\n", "0\n0\n", "features.csv: 3 rows of features for 2 nodes"},
        {"0 1\n", "", NULL, "features.csv: is empty or has only comments"},
        {"0 1\n", "id,a\n0,1\n0,1\n", NULL, "features.csv:3: node \"0\" is listed a second time"},
        {"0 1\n", "id,a\n0,1\n0,1\n", "id\n0\n1\n", "features.csv:3: a second row for node \"0\""},
        {"0 1\n", "id,a\n0,1\n7,1\n", "id\n0\n1\n", "features.csv:3: node 7 is outside 0..1"},
        {"0 1\n", "node,feature,value\n0,0,1\n2,0,1\n", NULL, "features.csv:3: node 2 is outside"},
        {"0 1\n", "node,feature,value\n0,-1,1\n", NULL, "features.csv:2: feature -1 is outside"},
        {"0 1\n", "node,feature,value\n0,1,\n", NULL, "features.csv:2: \"\" is not a finite"},
        {"0 1\n", "node,feature\n0,1,1\n", NULL, "features.csv:2: more than 2 columns"},
        {"0 1\n", "node,feature\n0,x\n", NULL, "features.csv:2: \"x\" is not an integer"},
        {"# bonsai: nodes=2 features=1\n0 1\n", "node,feature\n0,1\n", NULL,
         "features.csv:2: feature 1 is outside 0..0"},
        {"# bonsai: nodes=2 features=1\n0 1\n", "1,2\n1,2\n", NULL,
         "features.csv: 2 features, but 1 were announced"},
        {"# bonsai: nodes=3\n0 1\n", NULL, "id\n0\n1\n", "edges.csv: says 3 nodes, but"},
        {"# bonsai: classes=1\n0 1\n", NULL, "0\n1\n", "labels.csv:2: label 1 is outside 0..0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_file(folder_of("bad", bad[i][0], bad[i][1], bad[i][2]), bad[i][3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_numbers_as_node_numbers),
        cmocka_unit_test(orders_sparse_integers_by_value),
        cmocka_unit_test(orders_names_by_first_appearance),
        cmocka_unit_test(finds_weights_and_headers),
        cmocka_unit_test(reads_names_with_separators),
        cmocka_unit_test(a_folder_replaced_while_it_is_read_is_refused),
        cmocka_unit_test(keeps_what_the_options_ask_for),
        cmocka_unit_test(reads_labels_of_every_kind),
        cmocka_unit_test(reads_features_of_every_kind),
        cmocka_unit_test(a_header_and_comments_name_features),
        cmocka_unit_test(finds_companions_next_to_a_file),
        cmocka_unit_test(agrees_with_a_matrix_in_any_notation),
        cmocka_unit_test(the_order_of_edges_does_not_matter),
        cmocka_unit_test(refuses_bad_edges_with_file_and_line),
        cmocka_unit_test(refuses_bad_companions_with_file_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
