/* test_condensed.c -- what is said of a condensed graph where the energy was measured, and where not.
 *
 * SPDX-License-Identifier: MIT */
#include "captured.h"
#include "results/condensed.h"
#include "results/train_eval.h"

/* What summary_condensed prints of a small graph that took so many joules. */
static char *said_of(double joules, int people, int json)
{
    session s = silent_session();
    summary r = {.count = 0};
    bonsai_generate_options made;
    bonsai_condense_options o;
    bonsai_condense_info info;
    bonsai_graph *g = NULL, *small = NULL;
    bonsai_generate_options_init(&made);
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(&info);
    made.nodes = 100;
    made.classes = 3;
    made.features = 10;
    made.words = 3;
    o.method = BONSAI_METHOD_RANDOM;
    o.nodes = 9;
    assert_int_equal(bonsai_graph_generate(&g, &made), BONSAI_OK);
    assert_int_equal(bonsai_condense(&small, &info, g, &o), BONSAI_OK);
    info.joules = joules;
    s.people = people;
    s.json = json;
    summary_condensed(&r, &o, &info, small, temp_path("none"));
    bonsai_graph_free(g);
    bonsai_graph_free(small);
    setenv("COLUMNS", "200", 1);             /* nothing wraps */
    return printed(&r, &s, EXIT_DONE);
}

static void assert_says(double joules, int people, int json, const char *wanted)
{
    char *text = said_of(joules, people, json);
    if (!strstr(text, wanted))
        fail_msg("\"%s\" is not in: %s", wanted, text);
    free(text);
}

static void energy_is_shown_where_it_was_measured(void **state)
{
    (void)state;
    assert_says(12.345, 1, 0, "12.3 J  of the machine's processors, including whatever else");
    assert_says(12.5, 0, 0, "\njoules\t12.5\n");
    assert_says(12.5, 0, 1, "\"joules\": 12.5");
    assert_says(0, 1, 0, "0.0 J");
}

static void people_see_nothing_where_it_was_not(void **state)
{
    (void)state;
    char *text = said_of(-1, 1, 0), *rows = said_of(-1, 0, 0);
    assert_null(strstr(text, "energy"));
    assert_null(strstr(rows, "joules"));
    assert_says(-1, 0, 1, "\"joules\": null");
    free(text);
    free(rows);
}

static void carbon_follows_the_papers_formula(void **state)
{
    (void)state;
    assert_true(carbon_grams(100 * 3600) == 4320 && carbon_grams(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_shown_where_it_was_measured),
        cmocka_unit_test(people_see_nothing_where_it_was_not),
        cmocka_unit_test(carbon_follows_the_papers_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
