/* test_template.c -- templates: values, sections, formats, and what is wrong with them.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "report/template.h"
#include "testing.h"

static bn_json *values(void)
{
    static const char text[] =
        "{\"name\":\"a < b\",\"count\":1234.25,\"one\":1,\"zero\":0,\"none\":null,\"empty\":\"\","
        "\"no\":false,\"yes\":true,\"list\":[1,2,3],\"bare\":[],\"inner\":{\"name\":\"in\",\"x\":2},"
        "\"rows\":[{\"name\":\"r\",\"cells\":[\"x\",\"y\"]},{\"name\":null,\"cells\":[]}]}";
    bn_json *v = bn_json_parse(text, sizeof text - 1, 0, NULL);
    assert_non_null(v);
    return v;
}

static void assert_fills(const char *template, const char *wanted)
{
    bn_page p = {0};
    bn_json *v = values();
    bn_put(&p, "");
    bn_fill_text(&p, template, v);
    if (bn_page_status(&p) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_string_equal(p.text, wanted);
    bn_page_free(&p);
    bn_json_free(v);
}

static void assert_faulty(const char *template, const char *wanted)
{
    bn_page p = {0};
    bn_json *v = values();
    bn_fill_text(&p, template, v);
    assert_fails(bn_page_status(&p), BONSAI_E_FORMAT, wanted);
    bn_page_free(&p);
    bn_json_free(v);
}

static void values_are_escaped_and_formatted(void **state)
{
    (void)state;
    assert_fills("{{name}}|{{count}}|{{none}}", "a &lt; b|1,234|–");
    assert_fills("{{name cut 3}}|{{count fixed 1}}|{{count id}}|{{count plain}}",
                 "a …|1,234.3|1234|1234.3");
    assert_fills("{{one percent}}|{{one place}}|{{count bytes}}|{{one seconds}}",
                 "100\u00a0%|100.00%|1.2\u00a0kB|1.00\u00a0s");
    assert_fills("{{one plural node|nodes}} {{count plural node|nodes}}", "node nodes");
    assert_fills("{{inner.name}} {{inner.x}} {{missing?}}", "in 2 –");
}

static void sections_are_repeated_or_left_out(void **state)
{
    (void)state;
    assert_fills("{{#list}}{{#later}}, {{/later}}{{^later}}: {{/later}}{{.}}{{/list}}", ": 1, 2, 3");
    assert_fills("{{#rows}}[{{name}}{{#cells}} {{.}}{{/cells}}]{{/rows}}", "[r x y][–]");
    assert_fills("{{#inner}}{{name}}{{one}}{{/inner}}{{name}}", "in1a &lt; b");
    assert_fills("{{?rows}}{{name}}{{/rows}}", "a &lt; b");
    assert_fills("{{#zero}}0{{/zero}}{{?none}}1{{/none}}{{?empty}}2{{/empty}}{{?no}}3{{/no}}"
                 "{{?bare}}4{{/bare}}{{?yes}}5{{/yes}}{{?missing?}}6{{/missing?}}", "05");
    assert_fills("{{^zero}}0{{/zero}}{{^none}}1{{/none}}{{^empty}}2{{/empty}}{{^no}}3{{/no}}"
                 "{{^bare}}4{{/bare}}{{^yes}}5{{/yes}}{{^missing?}}6{{/missing?}}", "12346");
}

static void indentation_and_lines_of_tags_are_left_out(void **state)
{
    (void)state;
    assert_fills("a\n  b \\\n   c\n", "a\nb c\n");
    assert_fills("a\n  {{?yes}}\n  b\n  {{/yes}}\nc\n", "a\nb\nc\n");
    assert_fills("a{{?yes}} b {{/yes}}\nc", "a b \nc");
}

static void faults_are_reported(void **state)
{
    (void)state;
    assert_faulty("{{missing}}", "a template of the page has no value for {{missing}}");
    assert_faulty("{{#missing}}{{/missing}}", "no value for {{missing}}");
    assert_faulty("{{inner.missing}}", "no value for {{missing}}");
    assert_faulty("{{#list}}", "no end of {{list}}");
    assert_faulty("{{#list}}{{#yes}}{{/list}}{{/yes}}", "no end of {{list}}");
    assert_faulty("{{/list}}", "no begin of {{list}}");
    assert_faulty("{{>nothing}}", "no template {{nothing}}");
    assert_faulty("{{count loud}}", "no format {{loud}}");
}

extern const char bn_html_page[], bn_html_sheet[], bn_html_chart[], bn_html_tables[];
static const char *const files[] = {bn_html_page, bn_html_sheet, bn_html_chart, bn_html_tables};

static bool is_template(const char *name)
{
    char head[80];
    snprintf(head, sizeof head, "{{: %s}}\n", name);
    for (int i = 0; i < 4; i++)
        if (strstr(files[i], head))
            return true;
    return false;
}

static bool is_format(const char *format)
{
    static const char *const known[] = {"number", "bytes", "seconds", "percent", "id", "place",
        "plain", "fixed ", "cut ", "plural ", "bars ", "lines ", "key", "mark", "json"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(format, known[i], strlen(known[i])) == 0)
            return true;
    return *format == 0;
}

/* Also those that no test fills. */
static void all_templates_are_sound(void **state)
{
    char open[16][64] = {""}, name[64], format[64];
    (void)state;
    for (int i = 0; i < 4; i++) {
        int depth = 0, tags = 0;
        for (const char *at = files[i]; (at = strstr(at, "{{")) != NULL; at += 2, tags++) {
            const char kind = at[2];
            *format = 0;
            assert_true(sscanf(at + 2 + (strchr("#?^/>:", kind) != NULL), " %63[^ }] %63[^}]", name,
                               format) >= 1);
            if (kind == ':')
                assert_int_equal(depth, 0);             /* the template before it is complete */
            else if (kind == '#' || kind == '?' || kind == '^')
                snprintf(open[depth++], 64, "%s", name);
            else if (kind == '/')
                assert_string_equal(open[--depth], name);
            else if (kind == '>')
                assert_true(is_template(name));
            else if (!is_format(format))
                fail_msg("{{%s}} has no format %s", name, format);
        }
        assert_int_equal(depth, 0);
        assert_true(tags > 10);
    }
}

static bonsai_status draw(void *payload)
{
    bn_page p = {0};
    (void)payload;
    bn_fill(&p, "section", bn_json_pack("{ss,ss,ss}", "id", "a", "heading", "b", "folded", "c"));
    bonsai_status rc = bn_page_status(&p);
    bn_page_free(&p);
    return rc;
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    survives_failed_allocations(draw, NULL, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_escaped_and_formatted),
        cmocka_unit_test(sections_are_repeated_or_left_out),
        cmocka_unit_test(indentation_and_lines_of_tags_are_left_out),
        cmocka_unit_test(faults_are_reported),
        cmocka_unit_test(all_templates_are_sound),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
