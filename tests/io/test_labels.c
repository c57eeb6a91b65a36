/* test_labels.c -- how the text reader numbers classes.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "texting.h"

/* Two files of the same classes agree, whatever their rows begin with; as in Python's tables. */
static void numbers_classes_in_sorted_order(void **state)
{
    (void)state;
    static const struct { const char *labels; int32_t label[4]; int64_t classes; const char *names; }
        rows[] = {
            {"new\nloyal\n\"\xc3\xa4\"\nold\n", {1, 0, 3, 2}, 4, "loyal|new|old|\xc3\xa4|"},
            {"loyal\nold\n\xc3\xa4\nnew\n", {0, 2, 3, 1}, 4, "loyal|new|old|\xc3\xa4|"},
            {"ab\na\nb\n-1\n", {1, 0, 2, -1}, 3, "a|ab|b|"},
            {"10\nx\n9\n9\n", {0, 2, 1, 1}, 3, "10|9|x|"},
            {"77\n10\n-1\n9\n", {2, 1, -1, 0}, 3, "9|10|77|"},
            {"id,label\n0,20\n1,\n2,0\n3,10\n", {2, -1, 0, 1}, 3, "0|10|20|"},
            {"2147483646\n007\n7\n+7\n", {1, 0, 0, 0}, 2, "7|2147483646|"},
            {"0\n3\n2\n-1\n", {0, 2, 1, -1}, 3, "0|2|3|"},
            {"10.0\n20\n-1.0\n0.00\n", {1, 2, -1, 0}, 3, "0|10|20|"},
            {"1.0\n0\n1.\n0\n", {1, 0, 1, 0}, 2, ""},
            {"10.5\n10.5\n100\n10.0\n", {1, 1, 2, 0}, 3, "10.0|10.5|100|"},
            {"3\n1\n2\n0\n", {3, 1, 2, 0}, 4, ""},
            {"-1\n-1\n-1\n-1\n", {-1, -1, -1, -1}, 0, ""},
            {"# bonsai: class_names=5\n# z\n# y\n# x\n# w\n# v\n4\n1\n1\n-1\n", {4, 1, 1, -1}, 5,
             "z|y|x|w|v|"},
        };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bonsai_graph *g = must_read(folder_of("sorted", "0,1\n2,3\n", NULL, rows[i].labels));
        const bonsai_array *names = &bonsai_graph_view(g)->section[BONSAI_SECTION_CLASS_NAMES];
        const char *text = names->data;
        assert_int_equal(bonsai_graph_classes(g), rows[i].classes);
        assert_int_equal(names->count, strlen(rows[i].names));
        for (int64_t k = 0; k < names->count; k++)
            assert_int_equal(text[k] ? text[k] : '|', rows[i].names[k]);
        for (int64_t v = 0; v < 4; v++)
            assert_int_equal(bonsai_graph_label(g, v), rows[i].label[v]);
        bonsai_graph_free(g);
    }
    bonsai_graph *g = must_read(folder_of("sorted", "# bonsai: nodes=3 classes=40\n0,1\n", NULL,
                                          "30\n2\n-1\n"));
    assert_int_equal(bonsai_graph_classes(g), 40);
    assert_int_equal(bonsai_graph_label(g, 0), 30);
    assert_null(bonsai_graph_class_name(g, 30));
    bonsai_graph_free(g);
}

/* The writer announces the number of classes, so that one that no node has is not lost. */
static void keeps_an_absent_class(void **state)
{
    (void)state;
    bonsai_graph *g = must_read(folder_of("absent", "# bonsai: nodes=3 classes=6\n0,1\n", NULL,
                                          "4\n2\n-1\n"));
    char path[600];
    snprintf(path, sizeof path, "%s", temp_path("written/"));
    if (bonsai_graph_save(NULL, g, path, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bonsai_graph *again = must_read(path);
    assert_int_equal(bonsai_graph_classes(again), 6);
    assert_int_equal(bonsai_graph_label(again, 0), 4);
    assert_int_equal(bonsai_graph_label(again, 2), -1);
    assert_same(g, again);
    bonsai_graph_free(g);
    bonsai_graph_free(again);
}

/* Labels of some of the nodes that the features list; the second column is the split, if any. */
static void labels_of_some_nodes(void **state)
{
    (void)state;
    static const struct { const char *edges, *features, *labels; int node, label, part; } all[] = {
        {"C1,C2\nC3,C1\n", "id,f\nC1,1\nC2,2\nC3,3\n", "id,label\nC3,b\nC1,a\n", 2, 1, 0},
        {"C1,C2\nC3,C1\n", "id,f\nC1,1\nC2,2\nC3,3\n", "id,label\nC3,b\nC1,a\n", 0, 0, 0},
        {"C1,C2\nC3,C1\n", "id,f\nC1,1\nC2,2\nC3,3\n", "C3,b\nC1,a\n", 1, -1, 0},
        {"0,1\n1,2\n", "id,f\n0,1\n1,2\n2,3\n", "id,label,split\n0,0,train\n1,1,test\n", 1, 1, 3},
        {"0,1\n1,2\n", "id,f\n0,1\n1,2\n2,3\n", "id,label,split\n0,0,train\n1,1,test\n", 2, -1, 0},
        {"7,1\n1,3\n", "id,f\n7,1\n1,2\n3,3\n", "id,split,label\n3,val,1\n1,,0\n", 2, 1, 2},
        {"7,1\n1,3\n", "id,f\n7,1\n1,2\n3,3\n", "id,split,label\n3,val,1\n1,,0\n", 0, -1, 0},
        {"7,1\n1,x\n", "id,f\n7,1\n1,2\nx,3\n", "id,label\n1,10\n7,20\n", 0, 1, 0},
        {"0,1\n1,2\n", "id,f\n0,1\n1,2\n2,3\n", "id,split\n1,test\n", 1, -1, 3},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bonsai_graph *g = must_read(folder_of("some", all[i].edges, all[i].features, all[i].labels));
        float row;
        assert_int_equal(bonsai_graph_nodes(g), 3);
        for (int v = 0; v < 3; v++) {                   /* in the order of the features */
            bonsai_graph_row(&row, g, v);
            assert_true(row == (float)v + 1);
        }
        if (bonsai_graph_label(g, all[i].node) != all[i].label ||
            (int)bn_part(g, all[i].node) != all[i].part)
            fail_msg("%s: label %d, part %d", all[i].labels, bonsai_graph_label(g, all[i].node),
                     (int)bn_part(g, all[i].node));
        bonsai_graph_free(g);
    }
}

static void labels_of_some_nodes_that_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][3] = {       /* features, labels, message */
        {"id,f\nC1,1\nC2,2\nC3,3\n", "id,label\nC1,a\nC9,b\n",
         "labels.csv:3: node \"C9\" is not listed in"},
        {"id,f\nC1,1\nC2,2\n", "id,label\nC1,a\n", "edges.csv:2: node \"C3\" is not listed in"},
        {"id,f\nC1,1\nC2,2\nC3,3\n", "id,label,weight\nC1,a,1\n",
         "features.csv:3: node \"C2\" is not listed in"},
        {"id,f\nC1,1\nC2,2\nC3,3\n", "id\nC1\n", "features.csv:3: node \"C2\" is not listed in"},
        {"id,f\nC1,1\nC2,2\nC2,3\n", "id,label\nC1,a\n", "features.csv:4: node \"C2\" is listed a"},
        {"id,f\nC1,1\n,2\nC3,3\n", "id,label\nC1,a\n", "features.csv:3: the id of a node is empty"},
        {"id,f\n1,1\n2,2\n3,3\n", "id,label\nC1,a\n",
         "labels.csv:2: node \"C1\" is not an integer, but the other nodes are"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_file(folder_of("some", "C1,C2\nC1,C3\n", bad[i][0], bad[i][1]), bad[i][2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_classes_in_sorted_order),
        cmocka_unit_test(keeps_an_absent_class),
        cmocka_unit_test(labels_of_some_nodes),
        cmocka_unit_test(labels_of_some_nodes_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
