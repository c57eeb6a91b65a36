/* test_headers.c -- headers and columns of ids that have names of their own, and honest files that
 * only look alike.
 *
 * SPDX-License-Identifier: MIT */
#include "texting.h"

typedef struct {
    const char *edges, *features, *labels;
    int nodes, columns, classes;        /* of features; of nodes */
    int doubt;                          /* whether the first edge may be a header */
} example;

typedef struct {                        /* by bonsai_warning_kind */
    int     found[6];
    int64_t column[6];
    char    value[6][200];
} doubts;

static void note_doubt(const bonsai_warning *w, void *payload)
{
    doubts *d = payload;
    assert_int_equal(w->size, sizeof *w);
    assert_int_equal(strncmp(w->text, w->path, strlen(w->path)), 0);
    d->found[w->kind]++;
    d->column[w->kind] = w->column;
    snprintf(d->value[w->kind], sizeof d->value[0], "%s", w->value);
}

static bonsai_graph *read_doubting(doubts *d, const char *path)
{
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.warning = note_doubt;
    o.warning_payload = d;
    memset(d, 0, sizeof *d);
    if (bonsai_graph_read(&g, path, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static void reads(const example *e)
{
    doubts d;
    bonsai_graph *g = read_doubting(&d, folder_of("head", e->edges, e->features, e->labels));
    if (bonsai_graph_nodes(g) != e->nodes || bonsai_graph_features(g) != e->columns ||
        bonsai_graph_classes(g) != e->classes || d.found[BONSAI_WARNING_HEADER] != e->doubt)
        fail_msg("%s: %lld nodes, %lld features, %lld classes, header %d", e->edges,
                 (long long)bonsai_graph_nodes(g), (long long)bonsai_graph_features(g),
                 (long long)bonsai_graph_classes(g), d.found[BONSAI_WARNING_HEADER]);
    bonsai_graph_free(g);
}

static void headers_of_edges(void **state)
{
    (void)state;
    static const example all[] = {
        {"buyer,partner\nC1,C2\nC2,C3\n", NULL, "C1,a\nC2,b\nC3,a\n", 3, 0, 2, 0},   /* listed */
        {"buyer,partner\nC1,C2\nC2,C3\n", "id,f\nC1,1\nC2,2\nC3,3\n", NULL, 3, 1, 0, 0},
        {"source,partner\nC1,C2\nC2,C3\n", NULL, NULL, 3, 0, 0, 0},
        {"buyer,to\nann,bob\nbob,eve\n", NULL, NULL, 3, 0, 0, 0},
        {"buyer,partner,times\nC1,C2,3\nC2,C3,1\n", NULL, NULL, 3, 0, 0, 0},
        {"buyer,partner,times\n1,2,3\n2,0,1\n", NULL, NULL, 3, 0, 0, 0},
        {"buyer,partner\nC1,C2\nC2,C3\n", NULL, NULL, 5, 0, 0, 1},   /* or an edge: a doubt */
        {"u,w\nv,w\nu,v\n", NULL, NULL, 3, 0, 0, 0},                  /* edges */
        {"from,w\nv,w\n", NULL, NULL, 3, 0, 0, 0},
        {"ann,bob\neve,joe\n", NULL, NULL, 4, 0, 0, 0},
        {"ann,bob\nC1,bob\n", NULL, NULL, 3, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        reads(&all[i]);
}

/* All are the edges 0-1 of weight 5 and 1-2 of weight 7, or the same without weights. */
static void columns_of_edges(void **state)
{
    (void)state;
    static const struct { const char *edges; bool weighted; const char *weight, *unread; } all[] = {
        {"source,target,amount\n0,1,5\n1,2,7\n", true, "amount", ""},
        {"buyer,partner,times\n0,1,5\n1,2,7\n", true, "times", ""},
        {"buyer,partner,a\001b\n0,1,5\n1,2,7\n", true, "a?b", ""},
        {"source,target,\n0,1,5\n1,2,7\n", true, "column 3", ""},
        {"source,target,Weight\n0,1,5\n1,2,7\n", true, "", ""},
        {"buyer,partner,weights\n0,1,5\n1,2,7\n", true, "", ""},
        {"u,v,w\n0,1,5\n1,2,7\n", true, "", ""},
        {"0,1,5\n1,2,7\n", true, "", ""},                            /* no header, no name */
        {"source,target\n0,1\n1,2\n", false, "", ""},
        {"target,source\n0,1\n1,2\n", false, "", ""},
        {"weight,source,target\n5,0,1\n7,1,2\n", true, "", ""},
        {",from,to\n8,0,1\n9,1,2\n", false, "", "column 1"},
        {"id,source,target\n8,0,1\n9,1,2\n", false, "", "id"},
        {"from,day,to\n0,8,1\n1,9,2\n", false, "", "day"},
        {"day,to,weight,note,from\n3,1,5,,0\n,2,7,\"x,y\",1\n", true, "", "day, note"},
        {"source,target,amount,day\n0,1,5,8\n1,2,7,9\n", false, "", "amount, day"},
        {"start,end,source,target\n8,9,0,1\n9,9,1,2\n", false, "", "start, end"},
        {"from,target,to,x\n0,8,1,8\n1,9,2,9\n", false, "", "target, x"},
        {"src,target,x,y\n0,1,a,b\n1,2,c,d\n", false, "", "x, y"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *path = temp_path("columns.csv");
        write_text(path, all[i].edges);
        doubts d;
        bonsai_graph *g = read_doubting(&d, path);
        const float *w = bonsai_graph_view(g)->section[BONSAI_SECTION_EDGE_WEIGHTS].data;
        if (bonsai_graph_nodes(g) != 3 || !has_edge(g, 0, 1) || !has_edge(g, 1, 2) ||
            has_edge(g, 0, 2) || !w == all[i].weighted || (w && (w[0] != 5 || w[2] != 7)))
            fail_msg("%s", all[i].edges);
        assert_string_equal(d.value[BONSAI_WARNING_WEIGHT_COLUMN], all[i].weight);
        assert_string_equal(d.value[BONSAI_WARNING_UNREAD_COLUMNS], all[i].unread);
        bonsai_graph_free(g);
    }
}

/* Words that name columns in another order may be nodes. */
static void columns_of_edges_between_names(void **state)
{
    (void)state;
    static const example all[] = {
        {"day,from,to,x\n1,ann,bob,2\n2,bob,eve,3\n", NULL, NULL, 3, 0, 0, 0},
        {"id,source,target\nx,ann,bob\ny,bob,eve\n", NULL, NULL, 3, 0, 0, 0},
        {"id,source,target\nx,ann,bob\ny,bob,eve\n", NULL, "ann,a\nbob,a\neve,b\n", 3, 0, 2, 0},
        {"to,from\nann,bob\n", NULL, NULL, 2, 0, 0, 0},
        {"v,u\nu,ann\n", NULL, NULL, 3, 0, 0, 0},                    /* edges */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        reads(&all[i]);
}

static void many_columns_are_named_in_part(void **state)
{
    (void)state;
    char text[2048] = "source,target", row[512] = "0,1";
    for (int i = 0; i < 60; i++) {
        sprintf(text + strlen(text), ",column_of_number_%d", i);
        strcat(row, ",3");
    }
    const char *path = temp_path("wide.csv");
    write_text(path, strcat(strcat(strcat(text, "\n"), row), "\n"));
    doubts d;
    bonsai_graph *g = read_doubting(&d, path);
    const char *unread = d.value[BONSAI_WARNING_UNREAD_COLUMNS];
    assert_int_equal(strncmp(unread, "column_of_number_0, column_of_number_1, ", 40), 0);
    assert_string_equal(strrchr(unread, ' '), " ...");
    bonsai_graph_free(g);
    write_text(path, "source,target,\303\244\303\244\303\244\303\244\303\244\303\244\303\244"
               "\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244"
               "\303\244\303\244\303\244x\303\244\303\244\n0,1,5\n");
    g = read_doubting(&d, path);
    assert_int_equal(strlen(d.value[BONSAI_WARNING_WEIGHT_COLUMN]), 39);        /* no half of one */
    bonsai_graph_free(g);
}

static void names_the_place_of_a_cell(void **state)
{
    (void)state;
    bonsai_graph *g = NULL;
    const bonsai_error_info *e;
    const char *path = folder_of("place", "0,1\n", "f,g,h\n1,\"2\",3\n4,five,6\n", NULL);
    assert_int_equal(bonsai_graph_load(&g, path), BONSAI_E_FORMAT);
    e = bonsai_error_details();
    assert_string_equal(strrchr(e->path, '/'), "/features.csv");
    assert_true(e->kind == BONSAI_ERROR_TEXT && e->line == 3 && e->column == 2);
    assert_int_equal(strncmp(e->reason, "\"five\" in column \"g\"", 20), 0);
    path = folder_of("place", "0 1\n 1  x y\n", NULL, NULL);
    assert_int_equal(bonsai_graph_load(&g, path), BONSAI_E_FORMAT);
    assert_true(bonsai_error_details()->line == 2 && bonsai_error_details()->column == 2);
}

static void headers_of_labels(void **state)
{
    (void)state;
    static const example all[] = {
        {"C1,C2\nC2,C3\n", NULL, "customer_id,label\nC1,a\nC2,b\nC3,a\n", 3, 0, 2, 0},
        {"C1,C2\nC2,C3\n", NULL, "customer,class\nC1,a\nC2,b\nC3,a\n", 3, 0, 2, 0},
        {"C1,C2\nC2,C3\n", NULL, "node_id,tier\nC1,a\nC2,b\nC3,a\n", 3, 0, 2, 0},
        {"5,6\n6,7\n", NULL, "customer,y,split\n7,a,train\n6,b,\n5,a,\n", 3, 0, 2, 0},
        {"C1,C2\nC2,C3\n", NULL, "C1,y\nC2,n\nC3,y\n", 3, 0, 2, 0},         /* classes y and n */
        {"0,1\n1,2\n", NULL, "y\nn\ny\n", 3, 0, 2, 0},
        {"0,1\n1,2\n", NULL, "0,target\n1,decoy\n2,decoy\n", 3, 0, 2, 0},
        {"C1,C2\nC2,C3\n", NULL, "C0,a\nC1,a\nC2,b\nC3,a\n", 4, 0, 2, 0},   /* no edge */
        {"C1,C2\nC2,C3\n", NULL, "C1,only\nC2,b\nC3,b\n", 3, 0, 2, 0},
        {"id,label\nlabel,C3\n", NULL, "id,label\nid,label\nlabel,b\nC3,b\n", 3, 0, 2, 0},
        {"x_id,y_id\n", NULL, "x_id,a\ny_id,a\n", 2, 0, 1, 0},
        {"C1,C2\n", NULL, "customer_id,tier\nC1,a\nC2,a\n", 2, 0, 1, 0},
        {"C1,C2\nC2,C3\n", NULL, "id,label\nC1,\"a,\nb\"\nC2,b\nC3,b\n", 3, 0, 2, 0},
        {"C1,C2\nC2,C3\n", NULL, "C1,\"a\n\"\"b\"\nC2,\"\nc\"\nC3,b\n", 3, 0, 3, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        reads(&all[i]);
    refuses_file(folder_of("head", "C1,C2\nC2,C3\n", NULL, "customer,tier\nC1,a\nC2,b\nC3,a\n"),
                 "labels.csv:1: \"customer\" and \"tier\" look like a header");
    refuses_file(folder_of("head", "C1,C2\n", NULL, "C1,3,a\nC2,4,b\n"),
                 "labels.csv:1: 3 columns, and no header that calls one of them label");
}

static void columns_of_ids(void **state)
{
    (void)state;
    static const char *const same[] = {
        "id,f\nC2,2\nC1,1\n", "customer_id,f\nC2,2\nC1,1\n", "customer,f\nC2,2\nC1,1\n"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        bonsai_graph *g = must_read(folder_of("ids", "C1,C2\n", same[i], "id\nC1\nC2\n"));
        float value;
        bonsai_graph_row(&value, g, 0);
        assert_true(value == 1.0f && bonsai_graph_features(g) == 1);
        assert_string_equal(bonsai_graph_feature_name(g, 0), "f");
        bonsai_graph_free(g);
    }
    static const struct { const char *rows; int doubt; } numbers[] = {
        {"f,n\n1,3\n1,0\n1,1\n1,2\n1,5\n1,4\n1,6\n1,7\n", 2},
        {"f,n\n1,0\n1,1\n1,2\n1,3\n1,4\n1,5\n1,6\n1,7\n", 0},         /* in order */
        {"f,n\n1,3\n1,0\n1,1\n1,2\n1,5\n1,4\n1,6\n1,6\n", 0},
        {"f,n\n1,3\n1,0\n1,1\n1,2\n1,5\n1,4\n1,6\n1,8\n", 0},
        {"f,n\n1,3\n1,0\n1,1\n1,2\n1,5\n1,4.5\n1,6\n1,7\n", 0},
        {"f,n\n1,3\n1,0\n1,1\n1,2\n", 0},                             /* few */
        {"f_id,n\n1,3\n2,0\n3,1\n0,2\n5,5\n4,4\n6,6\n7,7\n", 0},      /* has ids */
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        doubts d;
        bonsai_graph *g = read_doubting(&d, folder_of("ids", "0,1\n", numbers[i].rows, NULL));
        assert_int_equal(d.column[BONSAI_WARNING_ID_COLUMN], numbers[i].doubt);
        bonsai_graph_free(g);
    }
}

static void a_label_among_features_is_told(void **state)
{
    (void)state;
    static const struct { const char *rows; int64_t column; } tables[] = {
        {"age,label\n31,0\n20,1\n", 2}, {"Class,age\n0,31\n1,20\n", 1}, {"age,labels\n3,0\n2,1\n", 0},
        {"1,0\n0,1\n", 0}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        doubts d;
        bonsai_graph *g = read_doubting(&d, folder_of("told", "0,1\n", tables[i].rows, NULL));
        assert_int_equal(d.column[BONSAI_WARNING_LABEL_COLUMN], tables[i].column);
        bonsai_graph_free(g);
    }
    bonsai_graph *g = NULL;
    assert_fails(bonsai_graph_load(&g, folder_of("told", "0,1\n", "age,label\n31,\n20,1\n", NULL)),
                 BONSAI_E_FORMAT, "if these are the labels, give the same file for both");
}

/* One file is both the features and the labels. */
static bonsai_status read_table(bonsai_graph **g, const char *text)
{
    bonsai_read_options o;
    char edges[512], table[512];
    snprintf(edges, sizeof edges, "%s", temp_path("table.el"));
    snprintf(table, sizeof table, "%s", temp_path("table.csv"));
    write_text(edges, "C1 C2\nC2 C3\n");
    write_text(table, text);
    bonsai_read_options_init(&o);
    o.features = o.labels = table;
    o.threads = 1;
    return bonsai_graph_read(g, edges, &o);
}

static void one_table_is_both(void **state)
{
    (void)state;
    static const char *const same[] = {
        "id,age,weight,label,split\nC1,1,10,a,train\nC2,2,20,b,\nC3,3,30,a,test\n",
        "customer,age,weight,split,class\nC1,1,10,train,a\nC2,2,20,,b\nC3,3,30,test,a\n",
        "y,age,node_id,weight,split\na,1,C1,10,train\nb,2,C2,20,\na,3,C3,30,test\n"};
    bonsai_graph *first = NULL, *g = NULL;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        float row[2];
        if (read_table(&g, same[i]) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        bonsai_graph_row(row, g, 2);
        assert_true(bonsai_graph_features(g) == 2 && row[0] == 3.0f && row[1] == 30.0f);
        assert_string_equal(bonsai_graph_feature_name(g, 1), "weight");
        assert_string_equal(bonsai_graph_class_name(g, 1), "b");
        assert_string_equal(node_name(g, 2), "C3");
        same_as_first(&first, g);
    }
    bonsai_graph_free(first);
    static const char *const bad[][2] = {
        {"id,age\nC1,1\nC2,2\nC3,3\n",
         "table.csv:1: no column is called label, class, y or target: call"},
        {"C1,1,a\nC2,2,b\nC3,3,a\n", "table.csv:1: 3 columns, and no header"},
        {"id,age,label\nC1,1,a\nC2,no,b\nC3,3,a\n",
         "table.csv:3: \"no\" in column \"age\" is not a finite number: features are numbers"},
        {"id,age,label\nC1,1,a\nC2,2,b\n", "table.el:2: node \"C3\" is not listed in"},
        {"age,label\n1,a\n2,b\n3,a\n", "table.el:1: node \"C1\" is not an integer"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(read_table(&g, bad[i][0]), BONSAI_E_FORMAT, bad[i][1]);
}

static void names_the_row_that_is_wrong(void **state)
{
    (void)state;
    static const char *const bad[][3] = {       /* features, labels, message */
        {"id,f\nC1,1\nC3,2\n", "C1,a\nC2,a\nC3,b\n",
         "features.csv: has no row for node \"C2\", which "},
        {"id,f\n1,1\n3,2\n", "id\n1\n2\n3\n", "features.csv: has no row for node \"2\""},
        {"id,f\nC1,1\n# two\nC2,2\nC1,2\nC3,1\n", "C1,a\nC2,a\nC3,b\n",
         "features.csv:5: a second row for node \"C1\""},
        {"1\n2\n", "C1,a\nC2,a\nC3,b\n", "labels.csv: a first column called id says whose"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_file(folder_of("rows", "C1,C2\nC2,C3\n", bad[i][0], bad[i][1]), bad[i][2]);
}

/* Cells that are no numbers: the sentence names the column, and says what to do. */
static void says_what_to_do_about_a_cell(void **state)
{
    (void)state;
    static const char *const bad[][2] = {       /* features, message */
        {"id,age,income\nC1,1,2\nC2,,3\n",
         "features.csv:3: the value in column \"age\" is missing (\"\"): fill it, for example with "
         "the mean of the column, or 0"},
        {"id,age,income\nC1,1,N/A\n", "the value in column \"income\" is missing (\"N/A\")"},
        {"C1,1,2\nC2,1,\n", "features.csv:2: the value in column 3 is missing (\"\")"},
        {"id;age;income\nC1;1;50285,0\n",
         "features.csv:2: \"50285,0\" in column \"income\" is not a finite number: write numbers "
         "with a decimal point"},
        {"id,age,income\nC1,1,\"1,5\"\n", "\"1,5\" in column \"income\" is not a finite number: write"},
        {"id,age,income\nC1,1,\"a,b\"\n", "\"a,b\" in column \"income\" is not a finite number: feat"},
        {"id,age,tier\nC1,1,gold\n",
         "\"gold\" in column \"tier\" is not a finite number: features are numbers, such as 1 and 0 "
         "for yes and no"},
        {"id,age,Label\nC1,1,stays\n",
         "features.csv:2: \"stays\" in column \"Label\" is not a finite number: if these are the "
         "labels, give the same file for both, features=\""},
        {"id,y\nC1,stays\n", "in column \"y\" is not a finite number: if these are the labels"},
        {",customer,age\n0,C1,1\n1,C2,3\n",
         "features.csv:2: \"C1\" in column \"customer\" is not a finite number, and the first column "
         "has no name, as where pandas wrote its index: leave that out with to_csv(index=False)"},
        {"id,age\n", "features.csv: has a header but no rows"},
        {"age,income\n", "features.csv: has a header but no rows"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_file(folder_of("cell", "C1,C2\n", bad[i][0], NULL), bad[i][1]);
    refuses_file(folder_of("cell", "C1,C2\n", NULL, ",id,label\n0,C1,a\n1,C2,b\n"),
                 "labels.csv:1: column 1 has no name; if pandas wrote its index there, leave it out "
                 "with to_csv(index=False)");
    refuses_file(folder_of("cell", "C1,C2\n", "id,age\n", "id,label\nC1,a\nC2,b\n"),
                 "features.csv: has a header but no rows");
    refuses_file(folder_of("cell", "C1,C2\n", NULL, "id,label\n"),
                 "labels.csv: has a header but no rows");
    bonsai_graph *g = NULL;
    assert_fails(read_table(&g, ",customer,age,label\n0,C1,1,a\n1,C2,2,b\n2,C3,2,b\n"),
                 BONSAI_E_FORMAT, "table.csv:2: \"C1\" in column \"customer\" is not a finite number, "
                 "and the first column has no name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_edges),
        cmocka_unit_test(a_label_among_features_is_told),
        cmocka_unit_test(columns_of_edges),
        cmocka_unit_test(columns_of_edges_between_names),
        cmocka_unit_test(many_columns_are_named_in_part),
        cmocka_unit_test(names_the_place_of_a_cell),
        cmocka_unit_test(headers_of_labels),
        cmocka_unit_test(columns_of_ids),
        cmocka_unit_test(one_table_is_both),
        cmocka_unit_test(names_the_row_that_is_wrong),
        cmocka_unit_test(says_what_to_do_about_a_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
