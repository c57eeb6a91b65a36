/* test_aligned.c -- what gives way where a terminal is narrow, and that every line fits.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>

#include "captured.h"
#include "output/text.h"

static const column many[] = {
    {"name", "name", NULL},           {"kind", "kind of it", NULL},  {"size", "size", NULL},
    {"mean", "mean of all", "%.2f"},  {"path", "path", NULL},        {"nodes", "nodes", NULL},
    {NULL, "", NULL},                 {NULL, NULL, NULL}};

static bn_json *rows(void)
{
    bn_json *all = bn_json_array();
    bn_json_add(all, bn_json_pack("[s,s,i,f,s,i]", "first", "plain", 1234567, 12.345,
                                  "a/folder/with/a/long/name/graph.bonsai", 10));
    bn_json_add(all, bn_json_pack("[s,s,i,f,s,i]", "second", "a text of several words", 2, 0.5,
                                  "s.bonsai", 20));
    return all;
}

static char *at_width(int columns, summary (*make)(void))
{
    char width[16];
    session s = silent_session();
    s.people = 1;
    snprintf(width, sizeof width, "%d", columns);
    setenv("COLUMNS", width, 1);
    summary r = make();
    char *text = printed(&r, &s, EXIT_DONE);
    unsetenv("COLUMNS");
    return text;
}

static void assert_at(int columns, summary (*make)(void), const char *wanted)
{
    char *text = at_width(columns, make);
    assert_string_equal(text, wanted);
    free(text);
}

static summary table(void)
{
    summary r = {.count = 0};
    summary_table(&r, "t", many, rows());
    return r;
}

static void a_wide_terminal_gets_all_of_it(void **state)
{
    (void)state;
    assert_at(140, table,
        "  name     kind of it                     size   mean of all   "
        "path                                     nodes\n"
        "  first    plain                     1,234,567         12.35   "
        "a/folder/with/a/long/name/graph.bonsai      10  ##############\n"
        "  second   a text of several words           2          0.50   "
        "s.bonsai                                    20  #############################\n");
}

static void bars_give_way_first_and_then_texts_wrap(void **state)
{
    (void)state;
    assert_at(90, table,
        "  name    kind of it                    size  mean of all  path                      nodes\n"
        "  first   plain                    1,234,567        12.35  a/folder/with/a/long/        10\n"
        "                                                           name/graph.bonsai\n"
        "  second  a text of several words          2         0.50  s.bonsai                     20\n");
}

static void columns_that_do_not_fit_follow_below_the_names_of_the_rows(void **state)
{
    (void)state;
    assert_at(60, table,
        "  name    kind of it                    size  mean of all\n"
        "  first   plain                    1,234,567        12.35\n"
        "  second  a text of several words          2         0.50\n"
        "\n"
        "  name    kind of it            path                  nodes\n"
        "  first   plain                 a/folder/with/a/         10\n"
        "                                long/name/\n"
        "                                graph.bonsai\n"
        "  second  a text of several     s.bonsai                 20\n"
        "          words\n");
}

static summary facts(void)
{
    summary r = {.count = 0};
    summary_heading(&r, "A heading that is longer than forty columns are");
    summary_int(&r, "a", "nodes", 1234567);
    summary_note(&r, "entries: an undirected edge is two of them");
    summary_text(&r, "b", "why", "because the probe found it better than every other method");
    summary_text(&r, "c", "a label that is long", "short");
    summary_note(&r, "a note");
    summary_text(&r, "d", "path", "a/path/without/any/space/but/with/many/folders/graph.bonsai");
    return r;
}

static void facts_wrap_beside_their_labels(void **state)
{
    (void)state;
    assert_at(80, facts,
        "A heading that is longer than forty columns are\n"
        "  nodes                  1,234,567  entries: an undirected edge is two of them\n"
        "  why                    because the probe found it better than every other\n"
        "                         method\n"
        "  a label that is long       short  a note\n"
        "  path                   a/path/without/any/space/but/with/many/folders/\n"
        "                         graph.bonsai\n");
    assert_at(60, facts,
        "A heading that is longer than forty columns are\n"
        "  nodes                  1,234,567  entries: an undirected\n"
        "                                    edge is two of them\n"
        "  why                    because the probe found it better\n"
        "                         than every other method\n"
        "  a label that is long       short  a note\n"
        "  path                   a/path/without/any/space/but/with/\n"
        "                         many/folders/graph.bonsai\n");
}

static summary wide(void)
{
    static const column two[] = {{"name", "\u540d\u524d", NULL}, {"size", "size", NULL},
                                 {NULL, NULL, NULL}};
    summary r = {.count = 0};
    bn_json *all = bn_json_array();
    bn_json_add(all, bn_json_pack("[s,i]", "\u30b0\u30e9\u30d5\u30cb\u30e5\u30fc\u30e9\u30eb"
                                  "\u30cd\u30c3\u30c8\u30ef\u30fc\u30af\u306e\u5b66\u7fd2"
                                  "\u306e\u305f\u3081", 1));
    bn_json_add(all, bn_json_pack("[s,i]", "cafe\u0301", 22));
    summary_table(&r, "t", two, all);
    summary_text(&r, "x", "\u540d\u524d", "\u30b0\u30e9\u30d5 \u30cb\u30e5\u30fc\u30e9\u30eb "
                 "\u30cd\u30c3\u30c8\u30ef\u30fc\u30af \u306e\u5b66\u7fd2");
    return r;
}

static void wide_characters_have_two_columns_and_combining_ones_none(void **state)
{
    (void)state;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    assert_at(60, wide,
        "  \u540d\u524d                                       size\n"
        "  \u30b0\u30e9\u30d5\u30cb\u30e5\u30fc\u30e9\u30eb\u30cd\u30c3\u30c8\u30ef\u30fc\u30af"
        "\u306e\u5b66\u7fd2\u306e\u305f\u3081      1\n"
        "  cafe\u0301                                         22\n"
        "  \u540d\u524d   \u30b0\u30e9\u30d5 \u30cb\u30e5\u30fc\u30e9\u30eb "
        "\u30cd\u30c3\u30c8\u30ef\u30fc\u30af \u306e\u5b66\u7fd2\n");
    setlocale(LC_CTYPE, "C");
}

/* The widest line. */
static int widest(const char *text)
{
    char line[4096];
    int most = 0;
    for (; *text; text += strcspn(text, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        most = text_width(line) > most ? text_width(line) : most;
        assert_true(!*line || line[strlen(line) - 1] != ' ');
    }
    return most;
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    summary (*const all[])(void) = {table, facts, wide};
    (void)state;
    setlocale(LC_CTYPE, "C.UTF-8");
    for (int columns = 60; columns <= 200; columns++)
        for (int i = 0; i < 3; i++) {
            char *text = at_width(columns, all[i]);
            if (widest(text) > columns)
                fail_msg("%d columns:\n%s", columns, text);
            free(text);
        }
    setlocale(LC_CTYPE, "C");
}

static void less_than_sixty_columns_are_sixty(void **state)
{
    (void)state;
    char *few = at_width(10, facts), *least = at_width(60, facts);
    assert_string_equal(few, least);
    free(few);
    free(least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_terminal_gets_all_of_it),
        cmocka_unit_test(bars_give_way_first_and_then_texts_wrap),
        cmocka_unit_test(columns_that_do_not_fit_follow_below_the_names_of_the_rows),
        cmocka_unit_test(facts_wrap_beside_their_labels),
        cmocka_unit_test(wide_characters_have_two_columns_and_combining_ones_none),
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(less_than_sixty_columns_are_sixty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
