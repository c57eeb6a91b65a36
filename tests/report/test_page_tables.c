/* test_page_tables.c -- a page of tables and charts, from its description in JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "testing.h"

static const char small[] =
    "{\"title\":\"Up <here>\",\"heading\":\"All & some\",\"verdict\":\"All < none.\","
    "\"summary\":[\"It is < 1.\"],"
    "\"about\":[[\"Mean ± deviation, by \","
    "{\"code\":\"a < b\"},\".\"],{\"list\":[[\"Far: \",{\"code\":\"walk & look\"}]]}],"
    "\"data\":[\"</script><script>\",0.1],\"tables\":["
    "{\"name\":\"one\",\"title\":\"First <i>\",\"about\":\"a < b\",\"data\":\"c & d\","
    "\"protocol\":\"5 > 4\",\"decimals\":2,"
    "\"head\":[{\"key\":\"dataset\",\"label\":\"dataset\",\"source\":\"key\"},"
    "{\"key\":\"ratio\",\"label\":\"ratio\",\"source\":\"key\"},"
    "{\"key\":\"a\",\"label\":\"ours\",\"source\":\"honest\"},"
    "{\"key\":\"b\",\"label\":\"published\",\"source\":\"published\"}],"
    "\"rows\":[[\"x\",0.5,{\"value\":1.005,\"spread\":0.25,\"nodes\":1689,\"edges\":1,"
    "\"labelled\":12,\"bytes\":64800,\"share\":0.314,\"runs\":5,\"splits\":1,\"draws\":2,"
    "\"verdict\":\"better\",\"against\":\"the <rest>\"},{\"text\":\"OOT\"}],"
    "[\"x\",1,{\"value\":0.001,\"verdict\":\"worse\"},null],"
    "[\"x\",2,{\"value\":-2,\"large\":true,\"share\":0.6,\"verdict\":\"better\"},"
    "{\"text\":\"0.80\",\"broken\":\"why & how\"}],"
    "[\"</script><script>\",3,{\"value\":7000,\"verdict\":\"same\"},"
    "{\"text\":\"0.90\",\"broken\":\"why & how\"}]],"
    "\"charts\":[{\"kind\":\"bars\",\"title\":\"Bars\",\"x\":\"r\",\"y\":\"v\",\"labels\":[\"p\",\"q\"],"
    "\"series\":[{\"name\":\"s\",\"values\":[4.25,null]}]},"
    "{\"kind\":\"lines\",\"title\":\"Curves\",\"x\":\"r\",\"y\":\"v\",\"log_x\":true,"
    "\"curves\":[{\"name\":\"c\",\"at\":[[0,1],[1,2,0.5],[30,4]]},{\"name\":\"none\",\"at\":[]}]}]}]}";

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
    assert_has(page, " ± 0.25</b>");                    /* 1.00 or 1.01 before it */
    assert_has(page, ">OOT</span></td>");
    assert_has(page, ">&lt;0.01</span>");
    assert_has(page, ">−2.00</span>");
    assert_has(page, ">7,000.00</span>");
    assert_has(page, ">–</span></td>");
    assert_has(page, "4.25");
    assert_has(page, "Curves");
    free(page);
}

static void every_mark_has_its_words(void **state)
{
    (void)state;
    char *page = drawn(small);
    assert_has(page, "<td class=\"honest better\" title=\"12\u00a0labelled\u00a0nodes, 1\u00a0split, "
                     "2\u00a0draws, 5\u00a0runs; better than the &lt;rest&gt;\">"
                     "<span class=\"sign\">★</span> <b class=\"v\">1.0");
    assert_has(page, "<small>1,689\u00a0nodes, 1\u00a0edge, 64.8\u00a0kB, "
                     "31.4\u00a0% of\u00a0bytes</small>");
    assert_has(page, "<td class=\"honest worse\" title=\"worse than published\">"
                     "<span class=\"sign\">▼</span> <span class=\"v\">&lt;0.01</span>"
                     "<small class=\"than\">worse than published</small>");
    assert_has(page, "<td class=\"honest large\"><span class=\"v\">−2.00</span><small>60\u00a0%"
                     " of\u00a0bytes</small><small class=\"much\">more than half of the bytes"
                     "</small></td>");
    assert_has(page, "<td class=\"honest\" title=\"no clear difference from published\">");
    assert_has(page, "0.80</span><sup><a href=\"#n1-1\" aria-label=\"note 1\">†1</a></sup>");
    assert_has(page, "0.90</span><sup><a href=\"#n1-1\" aria-label=\"note 1\">†1</a></sup>");
    assert_has(page, "<li id=\"n1-1\"><b>†1</b> why &amp; how</li>\n</ul>");
    free(page);
}

/* Only the first sentence of a long text is not folded. */
static void a_long_text_is_folded(void **state)
{
    (void)state;
    char text[1200], about[600];
    memset(about, 'x', sizeof about);
    memcpy(about, "First < this. Then ", 19);
    about[sizeof about - 1] = 0;
    snprintf(text, sizeof text, "{\"title\": \"t\", \"heading\": \"h\", \"tables\": [{\"name\": "
             "\"one\", \"title\": \"One\", \"about\": \"%s\", \"head\": [], \"rows\": []}]}",
             about);
    char *page = drawn(text);
    assert_has(page, "<dt>Measured</dt><dd>First &lt; this.</dd>\n</dl>\n<details "
                     "class=\"asides\"><summary>More about it, data and protocol</summary>"
                     "<dl class=\"how\">\n<dt>Measured</dt><dd>Then xxx");
    free(page);
}

static void a_page_says_what_it_shows(void **state)
{
    (void)state;
    char *page = drawn(small);
    assert_has(page, "<title>Up &lt;here&gt;</title>");
    assert_has(page, "<h1>All &amp; some</h1>\n<p class=\"verdict\">All &lt; none.</p>\n<ul class=\"summary\">\n<li>It is &lt; 1.</li>\n</ul>\n"
                     "<p>Mean ± deviation, by <code>a &lt; b</code>.</p>\n"
                     "<ul>\n<li>Far: <code>walk &amp; look</code></li>\n</ul>\n");
    assert_has(page, "<li><a href=\"#one\">First &lt;i&gt;</a></li>");
    assert_has(page, "<dt>Measured</dt><dd>a &lt; b</dd>\n</dl>\n<details class=\"asides\">");
    assert_has(page, "<dt>Data</dt><dd>c &amp; d</dd>\n<dt>Protocol</dt><dd>5 &gt; 4</dd>\n");
    assert_has(page, "<span class=\"v\">ours</span><small>ours, honest bytes</small></th>");
    assert_has(page, "<span class=\"v\">published</span></th>");        /* that says enough */
    assert_has(page, "colspan=\"3\"><span>x</span></th></tr>");
    free(page);
}

static void curves_have_bands_and_log_axes(void **state)
{
    (void)state;
    char *page = drawn(small);
    assert_has(page, "<td>2 ± 0.50</td>");
    assert_has(page, "<td>30</td><td>4</td>");
    assert_has(page, ">10</text>");
    assert_has(page, ">20</text>");
    assert_has(page, "<path class=\"s1 area\" d=\"M0.0 ");      /* the band; 0 is not on the axis */
    assert_null(strstr(page, "nan"));
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
    assert_has(page, ">7</span> </th><td class=\"ours\"><span class=\"v\">1</span></td>");
    assert_has(page, ">–</span> </th><td class=\"ours\"><span class=\"v\">–</span></td>");
    assert_null(strstr(page, "(null)"));
    free(page);
}

static void text_cannot_become_markup(void **state)
{
    (void)state;
    char *page = drawn(small);
    assert_has(page, "First &lt;i&gt;");
    assert_has(page, "id=\"results\">[\"\\u003c/script>\\u003cscript>\",0.1]</script>");
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
        "{\"kind\":\"lines\",\"curves\":[{\"at\":[1,[2],[\"x\",3]]}]},"
        "{\"kind\":\"lines\",\"log_x\":true,\"log_y\":true,\"curves\":[{\"at\":[[-1,1],[0,0,1]]},"
        "{\"at\":[[1e300,1e300,1e300],[1e-300,-1e300,-5],[5,5,null],[5,5,{}]]}]},"
        "{\"kind\":\"lines\",\"log_x\":1,\"curves\":[{\"at\":[[1e308,-1e308,1e308],[-1e308,1e308]]},5]}]}]}",
        "{\"summary\":5,\"tables\":[{\"name\":7,\"title\":[],\"about\":{},\"data\":1,\"protocol\":null,"
        "\"head\":[{\"source\":\"published\"},{\"source\":\"key\"},{\"source\":5},{\"source\":\"fact\"},3],"
        "\"rows\":[[{\"text\":5,\"broken\":7},{},{\"value\":\"x\",\"spread\":[],\"nodes\":-1,\"edges\":1e300,"
        "\"labelled\":\"a\",\"bytes\":-5,\"share\":1e9,\"runs\":null,\"splits\":0.5,\"draws\":{},"
        "\"large\":5,\"verdict\":\"best\",\"against\":3},\"text\",[1]],"
        "[{\"text\":\"\",\"broken\":\"\"},null,{\"value\":1e300,\"spread\":-1e300,\"verdict\":\"better\"}]]}]}",
        "{\"summary\":[5,null,{}],\"tables\":[{\"rows\":[[],[]]}]}",
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

/* More columns, keys and reasons than there is room for. */
static void more_reasons_than_notes_are_drawn(void **state)
{
    enum { MANY = 100, ROOM = 40000 };
    char *json = calloc(ROOM, 1);
    size_t at = 0;
    (void)state;
    at += (size_t)snprintf(json + at, ROOM - at, "{\"tables\":[{\"head\":[");
    for (int i = 0; i < MANY; i++)
        at += (size_t)snprintf(json + at, ROOM - at, "%s{\"source\":\"%s\"}", i ? "," : "",
                               i < 12 ? "key" : "published");
    at += (size_t)snprintf(json + at, ROOM - at, "],\"rows\":[[");
    for (int i = 0; i < MANY; i++)
        at += (size_t)snprintf(json + at, ROOM - at, "%s{\"text\":\"a\",\"broken\":\"reason %d\"}",
                               i ? "," : "", i);
    snprintf(json + at, ROOM - at, "]]}]}");
    char *page = drawn(json);
    assert_has(page, "†40</b> reason 51</li>\n</ul>");
    assert_has(page, "title=\"broken: reason 63\"");
    free(page);
    free(json);
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
        cmocka_unit_test(every_mark_has_its_words),
        cmocka_unit_test(a_page_says_what_it_shows),
        cmocka_unit_test(a_long_text_is_folded),
        cmocka_unit_test(curves_have_bands_and_log_axes),
        cmocka_unit_test(more_reasons_than_notes_are_drawn),
        cmocka_unit_test(text_cannot_become_markup),
        cmocka_unit_test(odd_results_are_drawn_or_refused),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
