/* test_classes.c -- a graph with the class numbers of a model or of another graph.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "texting.h"

enum { MOST = 6 };

/* Names in one text, each ended by "|"; returns their number. */
static int64_t cut(char *text, const char **names)
{
    int64_t count = 0;
    for (char *end; (end = strchr(text, '|')); text = end + 1) {
        *end = 0;
        names[count++] = text;
    }
    return count;
}

typedef struct {
    const char *labels, *names;         /* of a graph of four nodes; wanted, NULL: no names */
    int64_t     count;                  /* wanted, without names */
    int32_t     label[4];               /* then; -9: nothing changes */
} sample;

static void match_one(const sample *s)
{
    char text[64];
    const char *names[MOST];
    bonsai_graph *g = must_read(folder_of("match", "0,1\n2,3\n", "1,0\n0,1\n1,1\n2,0\n", s->labels));
    bonsai_graph *out = NULL;
    snprintf(text, sizeof text, "%s", s->names ? s->names : "");
    const int64_t count = s->names ? cut(text, names) : s->count;
    if (bonsai_graph_match_classes(&out, g, s->names ? names : NULL, count) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bonsai_graph_free(g);               /* out shares its arrays */
    if (s->label[0] == -9) {
        assert_null(out);
        return;
    }
    assert_non_null(out);
    assert_int_equal(bonsai_graph_check(out, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_classes(out), count);
    for (int64_t v = 0; v < 4; v++)
        assert_int_equal(bonsai_graph_label(out, v), s->label[v]);
    for (int64_t k = 0; s->names && k < count; k++)
        assert_string_equal(bonsai_graph_class_name(out, k), names[k]);
    assert_true(s->names || !bonsai_graph_class_name(out, 0));
    bonsai_graph_free(out);
}

static void tells_classes_by_name(void **state)
{
    (void)state;
    static const sample samples[] = {
        {"new\nloyal\nnew\n-1\n", "new|loyal|", 0, {0, 1, 0, -1}},
        {"new\nloyal\nnew\n-1\n", "old|new|gone|loyal|", 0, {1, 3, 1, -1}},
        {"new\nloyal\nnew\n-1\n", "loyal|new|old|", 0, {1, 0, 1, -1}},
        {"new\nloyal\nnew\n-1\n", "loyal|new|", 0, {-9}},
        {"new\nloyal\nnew\n-1\n", "new|loyal|new|", 0, {-9}},       /* which of the two? */
        {"new\nloyal\nnew\n-1\n", NULL, 4, {-9}},
        {"# bonsai: class_names=3\n# x\n# b\n# a\n1\n2\n2\n1\n", "a|b|", 0, {1, 0, 0, 1}},
        {"0\n1\n0\n1\n", "b|a|", 0, {-9}},
        {"0\n1\n0\n1\n", NULL, 3, {-9}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        match_one(&samples[i]);
}

static void refuses_one(const sample *s, const char *sentence)
{
    char text[64];
    const char *names[MOST];
    bonsai_graph *g = must_read(folder_of("match", "0,1\n2,3\n", NULL, s->labels)), *out = NULL;
    snprintf(text, sizeof text, "%s", s->names ? s->names : "");
    const int64_t count = s->names ? cut(text, names) : s->count;
    assert_fails(bonsai_graph_match_classes(&out, g, s->names ? names : NULL, count),
                 BONSAI_E_ARGUMENT, sentence);
    assert_null(out);
    bonsai_graph_free(g);
}

static void refuses_unknown_classes(void **state)
{
    (void)state;
    static const struct { sample s; const char *sentence; } rows[] = {
        {{"new\nloyal\nnew\n-1\n", "loyal|old|", 0, {0}},
         "has nodes of the class \"new\", which is none of the 2 classes of what it is used with"},
        {{"new\nloyal\nnew\n-1\n", "loyal|", 0, {0}}, "of the class \"new\", which is none of the 1"},
        {{"b\na\nb\na\n", "1|2|3|4|5|", 0, {0}}, "the class \"b\", which is none of the 5 classes"},
        {{"0\n2\n1\n-1\n", "0|1|7|", 0, {0}}, "of the class \"2\", which"},
        {{"0\n9\n1\n1\n", NULL, 7, {0}}, "the class \"9\", which is none of the 7"},
        {{"0\n9\n1\n1\n", NULL, -1, {0}}, "-1 classes are outside 0.."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refuses_one(&rows[i].s, rows[i].sentence);
}

/* Of 0, 1, 3 only the numbers say that 3 is not the third of seven classes without names. */
static void tells_classes_by_number(void **state)
{
    (void)state;
    static const sample samples[] = {
        {"0\n3\n1\n-1\n", NULL, 7, {0, 3, 1, -1}},
        {"0\n2\n1\n-1\n", "0|1|2|7|", 0, {0, 2, 1, -1}},
        {"0\n2\n1\n-1\n", "10|2|1|0|", 0, {3, 1, 2, -1}},
        {"10\n20\n10\n20\n", NULL, 2, {-9}},
        {"10\n20\n10\n20\n", "5|10|20|", 0, {1, 2, 1, 2}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        match_one(&samples[i]);
}

static void renumbers_soft_labels(void **state)
{
    (void)state;
    const float share[] = {1, 0, 0.25f, 0.75f};
    const int32_t label[] = {0, 1};
    const char *const names[] = {"z", "b", "a"};
    const uint64_t offsets[] = {0, 0, 0};
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = v.classes = 2;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U64};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){label, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 2, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_SOFT_LABELS] = (bonsai_array){share, 4, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){"a\0b", 4, BONSAI_TYPE_U8};
    bonsai_graph *g = NULL, *out = NULL;
    float soft[3];
    if (bonsai_graph_new(&g, &v, 0) != BONSAI_OK ||
        bonsai_graph_match_classes(&out, g, names, 3) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bonsai_graph_soft_label(soft, out, 1);
    assert_true(soft[0] == 0 && soft[1] == 0.75f && soft[2] == 0.25f);
    assert_int_equal(bonsai_graph_label(out, 1), 1);
    assert_int_equal(bonsai_graph_label(out, 0), 2);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_classes_by_name),
        cmocka_unit_test(tells_classes_by_number),
        cmocka_unit_test(refuses_unknown_classes),
        cmocka_unit_test(renumbers_soft_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
