/* test_page_tables.c -- a page of tables and charts, from its description in JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "testing.h"

static const char small[] =
    "{\"title\":\"Up <here>\",\"heading\":\"All & some\",\"about\":[[\"Mean ± deviation, by \","
    "{\"code\":\"a < b\"},\".\"],{\"list\":[[\"Far: \",{\"code\":\"walk & look\"}]]}],"
    "\"data\":[\"</script><script>\",0.1],\"tables\":["
    "{\"name\":\"one\",\"title\":\"First <i>\",\"about\":\"a < b\",\"decimals\":2,"
    "\"head\":[{\"key\":\"dataset\",\"label\":\"dataset\",\"source\":\"key\"},"
    "{\"key\":\"ratio\",\"label\":\"ratio\",\"source\":\"key\"},"
    "{\"key\":\"a\",\"label\":\"ours\",\"source\":\"ours\"},"
    "{\"key\":\"b\",\"label\":\"theirs\",\"source\":\"paper\"}],"
    "\"rows\":[[\"x\",0.5,{\"value\":1.005,\"spread\":0.25,\"better\":true},{\"text\":\"OOT\"}],"
    "[\"x\",1,{\"value\":0.001},null],[\"</script><script>\",3,{\"value\":7},{\"text\":\"0.90\"}]],"
    "\"charts\":[{\"kind\":\"bars\",\"title\":\"Bars\",\"x\":\"r\",\"y\":\"v\",\"labels\":[\"p\",\"q\"],"
    "\"series\":[{\"name\":\"s\",\"values\":[4.25,null]}]},"
    "{\"kind\":\"lines\",\"title\":\"Curves\",\"x\":\"r\",\"y\":\"v\","
    "\"curves\":[{\"name\":\"c\",\"at\":[[1,2],[3,4]]},{\"name\":\"none\",\"at\":[]}]}]}]}";

static char *drawn(const char *json)
{
    size_t len;
    const char *path = temp_path("page.html");
    if (bonsai_report_tables(path, json) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    uint8_t *bytes = read_file(path, &len);
    char *text = calloc(len + 1, 1);
    memcpy(text, bytes, len);
    free(bytes);
    return text;
}

static void assert_has(const char *page, const char *part)
{
    if (!strstr(page, part))
        fail_msg("the page lacks %s", part);
}

static void numbers_are_printed_as_the_table_asks(void **state)
{
    (void)state;
    char *page = drawn(small);
    assert_has(page, "0.25</td><td>OOT</td>");          /* 1.00 or 1.01, then the spread */
    assert_has(page, "<td>&lt;0.01</td><td>–</td>");
    assert_has(page, "<td>7.00</td><td>0.90</td>");
    assert_has(page, "<th scope=\"row\">0.5</th><td class=\"mark\">");
    assert_has(page, "<title>Up &lt;here&gt;</title>");
    assert_has(page, "<h1>All &amp; some</h1>\n<p>Mean ± deviation, by <code>a &lt; b</code>.</p>\n"
                     "<ul>\n<li>Far: <code>walk &amp; look</code></li>\n</ul>\n");
    assert_has(page, "4.25");
    assert_has(page, "Curves");
    free(page);
}

static void a_locale_does_not_change_the_page(void **state)
{
    (void)state;
    char *page = drawn(small);
    if (!use_comma_locale())
        skip();
    char *other = drawn(small);
    setlocale(LC_ALL, "C");
    assert_string_equal(page, other);
    free(page);
    free(other);
}

static void a_row_without_a_name_has_none(void **state)
{
    (void)state;
    char *page = drawn("{\"tables\":[{\"head\":[{\"label\":\"d\",\"source\":\"key\"},"
                       "{\"label\":\"v\"}],\"rows\":[[7,{\"value\":1}],3]}]}");
    assert_has(page, "<th scope=\"row\">–</th><td>1</td>");
    assert_null(strstr(page, "(null)"));
    free(page);
}

static void text_cannot_become_markup(void **state)
{
    (void)state;
    char *page = drawn(small);
    assert_has(page, "First &lt;i&gt;");
    assert_has(page, "id=\"results\">[\n \"\\u003c/script>\\u003cscript>\",\n 0.1\n]</script>");
    char *end = strstr(page, "</script>");
    assert_non_null(end);
    assert_null(strstr(end + 1, "</script>"));          /* one element, which the data cannot end */
    free(page);
}

static void odd_results_are_drawn_or_refused(void **state)
{
    static const char *const odd[] = {
        "{\"tables\":[]}", "{\"tables\":[{}]}",
        "{\"about\":[5,[5,{}],{},{\"list\":3},{\"list\":[3]}],\"data\":null,\"tables\":[]}",
        "{\"tables\":[5,null,\"x\",[]]}",
        "{\"tables\":[{\"head\":[{}],\"rows\":[[],[1],5,[null,null,null]],\"decimals\":99}]}",
        "{\"tables\":[{\"head\":[{\"source\":\"key\"},{\"source\":\"key\"},{}],"
        "\"rows\":[[1,2,3],[null,\"a\",{\"value\":1e300}],[\"b\"]],\"decimals\":-4,"
        "\"charts\":[5,{},{\"kind\":\"bars\"},{\"kind\":\"bars\",\"labels\":[1,2],\"series\":[1,{}]},"
        "{\"kind\":\"lines\",\"curves\":[{\"at\":[1,[2],[\"x\",3]]}]}]}]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        free(drawn(odd[i]));
    assert_fails(bonsai_report_tables(temp_path("bad"), "{"), BONSAI_E_FORMAT,
                 "the description of a page has no array of tables: ");
    assert_fails(bonsai_report_tables(temp_path("bad"), "{}"), BONSAI_E_FORMAT,
                 "the description of a page has no array of tables");
    assert_fails(bonsai_report_tables("/nowhere/page.html", small), BONSAI_E_IO, "/nowhere/page.html");
}

static bonsai_status draw_small(void *payload)
{
    return bonsai_report_tables(payload, small);
}

static void survives_every_failed_allocation(void **state)
{
    char path[512];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("page.html"));
    survives_failed_allocations(draw_small, path, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locale_does_not_change_the_page),
        cmocka_unit_test(a_row_without_a_name_has_none),
        cmocka_unit_test(numbers_are_printed_as_the_table_asks),
        cmocka_unit_test(text_cannot_become_markup),
        cmocka_unit_test(odd_results_are_drawn_or_refused),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
