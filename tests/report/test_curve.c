/* test_curve.c -- the curve of ratio against score, on a page and alone.
 *
 * SPDX-License-Identifier: MIT */
#include "paging.h"

#include "studying.h"

static bonsai_suggestion *suggested(const bonsai_graph *g, double keep, double high)
{
    bonsai_suggest_options o;
    bonsai_condense_options c;
    bonsai_suggestion *s = NULL;
    bonsai_condense_options_init(&c);
    c.method = BONSAI_METHOD_RANDOM;
    memcpy(c.split, (const double[]){50, 30, 20}, sizeof c.split);
    bonsai_suggest_options_init(&o);
    o.condense = &c;
    o.keep = keep;
    o.low = 1e-4;
    o.high = high;
    o.points = 5;
    if (bonsai_suggest(&s, g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return s;
}

static bonsai_report *alone(const bonsai_suggestion *s, int fragment)
{
    bonsai_report_options o;
    bonsai_report *r = NULL;
    bonsai_report_options_init(&o);
    o.fragment = fragment;
    o.title = fragment ? NULL : "A & B";
    if (bonsai_report_suggestion(&r, s, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return r;
}

static void assert_has(const char *html, const char *text)
{
    if (!strstr(html, text))
        fail_msg("the page does not say \"%s\"", text);
}

static void a_curve_alone_is_a_page_or_a_fragment(void **state)
{
    bonsai_graph *g = studied_graph();
    bonsai_suggestion *s = suggested(g, 0.6, 0.8);
    for (int fragment = 0; fragment < 2; fragment++) {
        bonsai_report *r = alone(s, fragment);
        const char *html = bonsai_report_html(NULL, r);
        assert_well_formed(html);
        assert_int_equal(strncmp(html, fragment ? "<div" : "<!doctype", fragment ? 4 : 9), 0);
        assert_has(html, fragment ? "Which ratio keeps the score" : "A &amp; B");
        assert_has(html, "is the smallest that keeps 60\u00a0% of the full graph&#39;s score: ");
        assert_has(html, " validation nodes of a split of 50/30/20 drawn with seed 1.");
        assert_has(html, "Score of the small graph by its ratio");
        assert_has(html, "60\u00a0% of the full graph&#39;s</text>");
        bonsai_report_free(r);
    }
    bonsai_suggestion_free(s);
    bonsai_graph_free(g);
    (void)state;
}

/* Every ratio has a row, those without a graph too. */
static void every_point_is_in_the_table(void **state)
{
    bonsai_graph *g = studied_graph();
    bonsai_suggestion *s = suggested(g, 0.6, 0.8);
    bonsai_report *r = alone(s, 1);
    const char *table = strstr(bonsai_report_html(NULL, r), "Every ratio that was tried");
    const bonsai_suggest_point *p;
    assert_non_null(table);
    assert_true(bonsai_suggestion_point(s, 0)->score < 0);
    assert_has(table, "–");
    for (int64_t k = 0; (p = bonsai_suggestion_point(s, k)); k++) {
        char text[64];
        snprintf(text, sizeof text, "%.2f", p->score);
        if (p->score >= 0)
            assert_has(table, text);
    }
    bonsai_report_free(r);
    bonsai_suggestion_free(s);
    bonsai_graph_free(g);
    (void)state;
}

static void a_share_that_no_ratio_keeps_is_said_to_be_so(void **state)
{
    bonsai_graph *g = studied_graph();
    bonsai_suggestion *s = suggested(g, 1, 0.05);
    bonsai_report *r = alone(s, 1);
    assert_int_equal(bonsai_suggestion_info(s)->reached, 0);
    assert_has(bonsai_report_html(NULL, r),
               "No ratio that was tried keeps 100\u00a0% of the full graph&#39;s score; the best is ");
    bonsai_report_free(r);
    bonsai_suggestion_free(s);
    bonsai_graph_free(g);
    (void)state;
}

static void a_report_has_the_curve_where_it_is_given(void **state)
{
    bonsai_graph *g = studied_graph();
    bonsai_suggestion *s = suggested(g, 0.6, 0.8);
    bonsai_report_options o;
    bonsai_report *r = NULL;
    bonsai_report_options_init(&o);
    assert_int_equal(bonsai_report_new(&r, bonsai_suggestion_graph(s), g, &o), BONSAI_OK);
    assert_null(strstr(bonsai_report_html(NULL, r), "id=\"ratio\""));
    bonsai_report_free(r);
    o.suggestion = s;
    assert_int_equal(bonsai_report_new(&r, bonsai_suggestion_graph(s), g, &o), BONSAI_OK);
    assert_well_formed(bonsai_report_html(NULL, r));
    assert_has(bonsai_report_html(NULL, r), "<section id=\"ratio\"");
    assert_has(bonsai_report_html(NULL, r), "href=\"#ratio\"");
    bonsai_report_free(r);
    bonsai_suggestion_free(s);
    bonsai_graph_free(g);
    (void)state;
}

static bonsai_status draw(void *payload)
{
    bonsai_report *r = NULL;
    bonsai_status rc = bonsai_report_suggestion(&r, payload, NULL);
    bonsai_report_free(r);
    return rc;
}

static void failed_allocations_are_survived(void **state)
{
    bonsai_graph *g = studied_graph();
    bonsai_suggestion *s = suggested(g, 0.6, 0.8);
    survives_failed_allocations(draw, s, 4);
    bonsai_suggestion_free(s);
    bonsai_graph_free(g);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_alone_is_a_page_or_a_fragment),
        cmocka_unit_test(every_point_is_in_the_table),
        cmocka_unit_test(a_share_that_no_ratio_keeps_is_said_to_be_so),
        cmocka_unit_test(a_report_has_the_curve_where_it_is_given),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
