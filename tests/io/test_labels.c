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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_classes_in_sorted_order),
        cmocka_unit_test(keeps_an_absent_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
