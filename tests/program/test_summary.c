/* test_summary.c -- a summary as text for people, as lines for a pipe and as JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "captured.h"

static const column columns[] = {
    {"name", "name", NULL}, {"mean", "mean", "%.1f"}, {"size", "size", "bytes"}, {NULL, "", NULL},
    {NULL, NULL, NULL}};

static bn_json *rows(int count)
{
    bn_json *all = bn_json_array();
    for (int i = 0; i < count; i++)
        bn_json_add(all, bn_json_pack("[s,f,i]", i % 2 ? "odd" : "even", i + 0.25,
                                      1500 * (i + 1)));
    return all;
}

static summary filled(void)
{
    summary r = {.count = 0};
    summary_heading(&r, "Graph");
    summary_int(&r, "nodes", "nodes", 1234567);
    summary_note(&r, "%d of them\talone", 3);
    summary_real(&r, "degree.mean", "mean degree", 2.5, "%.2f");
    summary_real(&r, "degree.most", NULL, NAN, "%.2f");
    summary_text(&r, NULL, "kind", "plain");
    summary_table(&r, "part", columns, rows(2));
    summary_json(&r, "more", bn_json_pack("{s:i}", "x", 1));
    return r;
}

static void assert_prints(summary r, session s, const char *wanted)
{
    char *text = printed(&r, &s, EXIT_DONE);
    assert_string_equal(text, wanted);
    free(text);
}

static void people_get_columns_that_line_up(void **state)
{
    session s = silent_session();
    (void)state;
    s.people = 1;
    assert_prints(filled(), s,
                  "Graph\n"
                  "  nodes         1,234,567  3 of them alone\n"
                  "  mean degree        2.50\n"
                  "  kind              plain\n"
                  "\n"
                  "  name   mean     size\n"
                  "  even    0.2   1.5 kB  ################\n"
                  "  odd     1.2   3.0 kB  ################################\n");
}

static void a_pipe_gets_keys_tabs_and_the_names_of_columns(void **state)
{
    (void)state;
    assert_prints(filled(), silent_session(),
                  "nodes\t1234567\ndegree.mean\t2.5\ndegree.most\t\n"
                  "part\tname\tmean\tsize\npart\teven\t0.25\t1500\npart\todd\t1.25\t3000\n");
}

static void json_gets_everything_that_has_a_key(void **state)
{
    session s = silent_session();
    (void)state;
    s.json = 1;
    summary r = filled();
    char *text = printed(&r, &s, EXIT_DONE);
    bn_json *got = bn_json_parse(text, strlen(text), 0, NULL);
    bn_json *wanted = bn_json_pack("{s:i,s:{s:f,s:n},s:[{s:s,s:f,s:i},{s:s,s:f,s:i}],s:{s:i}}",
                                   "nodes",
                                   1234567, "degree", "mean", 2.5, "most", "part", "name", "even",
                                   "mean", 0.25, "size", 1500, "name", "odd", "mean", 1.25, "size",
                                   3000, "more", "x", 1);
    assert_true(wanted && bn_json_equal(got, wanted));
    bn_json_free(got);
    bn_json_free(wanted);
    free(text);
}

static void text_of_files_cannot_break_a_line(void **state)
{
    summary r = {.count = 0};
    (void)state;
    summary_text(&r, "name", "name", "a\tb\nc\033[31m");
    summary_text(&r, "bad", "bad", "caf\xe9 \xff");
    assert_prints(r, silent_session(), "name\ta b c [31m\nbad\tcaf? ?\n");
}

static void long_tables_say_how_many_rows_are_left_out(void **state)
{
    static const column two[] = {{"name", "name", NULL}, {"mean", "mean", NULL},
                                 {NULL, NULL, NULL}};
    session s = silent_session();
    summary r = {.count = 0};
    (void)state;
    s.people = 1;
    summary_table(&r, "part", two, rows(5));
    r.items[0].limit = 2;
    assert_prints(r, s, "  name   mean\n  even   0.25\n  odd    1.25\n  ... and 3 more\n");
}

static void more_items_than_fit_are_a_failure(void **state)
{
    session s = silent_session();
    summary r = {.count = 0};
    (void)state;
    for (size_t i = 0; i <= sizeof r.items / sizeof *r.items; i++)
        summary_int(&r, "n", "n", (int64_t)i);
    char *text = printed(&r, &s, EXIT_FAILED);
    assert_string_equal(text, "");
    assert_string_equal(s.said, "there is not enough memory to print the results");
    assert_int_equal(r.count, 0);
    free(text);
}

static void an_object_that_lacks_a_part_is_none(void **state)
{
    summary r = {.count = 0};
    (void)state;
    summary_int(&r, "n", "n", 1);
    summary_json(&r, "more", NULL);             /* out of memory when it was made */
    assert_null(summary_object(&r));
    summary_free(&r);
    assert_int_equal(r.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_get_columns_that_line_up),
        cmocka_unit_test(a_pipe_gets_keys_tabs_and_the_names_of_columns),
        cmocka_unit_test(json_gets_everything_that_has_a_key),
        cmocka_unit_test(text_of_files_cannot_break_a_line),
        cmocka_unit_test(long_tables_say_how_many_rows_are_left_out),
        cmocka_unit_test(more_items_than_fit_are_a_failure),
        cmocka_unit_test(an_object_that_lacks_a_part_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
