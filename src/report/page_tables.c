/* page_tables.c -- a page of tables and charts, drawn from a description in JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "tables.h"

/* ---- a table with its charts --------------------------------------------- */

enum { LONG_TEXT = 400, LONG_SENTENCE = 1000 };

/* Parts a long text behind its first sentence; *rest is empty if it is not long. */
static void part(char first[LONG_SENTENCE], const char **rest, const char *text)
{
    const char *end = strlen(text) > LONG_TEXT ? strstr(text, ". ") : NULL;
    const size_t length = end && end - text < LONG_SENTENCE - 1 ? (size_t)(end - text) + 1 : 0;
    memcpy(first, text, length);
    first[length] = 0;
    *rest = length ? end + 2 : text + strlen(text);
}

/* Puts the text about a table: data and protocol are folded, because they are nearly the same for
 * all tables, and so is the rest of a long text behind its first sentence. */
static void put_about(bn_page *p, const bn_json *table)
{
    char first[LONG_SENTENCE];
    const char *about = bn_text_of(table, "about"), *rest;
    const char *data = bn_text_of(table, "data"), *protocol = bn_text_of(table, "protocol");
    part(first, &rest, about);
    bn_fill(p, "how", bn_json_pack("{ss,ss,ss,ss,sb}", "first", *rest ? first : about,
                                   "rest", rest, "data", data, "protocol", protocol,
                                   "folded", *rest || *data || *protocol));
}

static void put_charts(bn_page *p, const bn_json *table)
{
    char digits[16];
    const bn_json *chart;
    snprintf(digits, sizeof digits, "%d", bn_decimals_of(table));
    for (size_t i = 0; (chart = bn_json_at(bn_json_get(table, "charts"), i)); i++)
        if (strcmp(bn_text_of(chart, "kind"), "bars") == 0)
            bn_chart_bars(p, chart, digits);
        else
            bn_chart_lines(p, chart, "measured");
}

static void put_table(bn_page *p, const bn_json *table, int number)
{
    bn_section_begin(p, bn_text_of(table, "name"), bn_text_of(table, "title"), NULL);
    put_about(p, table);
    bn_put_grid(p, table, number);
    put_charts(p, table);
    bn_section_end(p, NULL);
}

/* ---- the page ------------------------------------------------------------ */

static void draw(bn_page *p, const bn_json *all)
{
    const bn_json *table;
    bn_page_begin(p, bn_text_of(all, "title"), false);
    bn_fill_with(p, "tables", all);
    for (size_t i = 0; (table = bn_json_at(bn_json_get(all, "tables"), i)); i++)
        put_table(p, table, (int)i + 1);
    bn_fill_with(p, "tables-data", all);
    bn_page_end(p, false);
}

bonsai_status bonsai_report_tables(const char *path, const char *json)
{
    bonsai_status rc = BONSAI_OK;
    bn_page p = {0};
    bn_json_error wrong;
    if (bn_is_null(path, "the path") || bn_is_null(json, "the description of the page"))
        return BONSAI_E_ARGUMENT;
    bn_json *all = bn_json_parse(json, strlen(json), 0, &wrong);
    if (!all && wrong.no_memory) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the description of a page");
        goto done;
    }
    if (!all || !bn_json_is_array(bn_json_get(all, "tables"))) {
        rc = bn_fail(BONSAI_E_FORMAT, "the description of a page has no array of tables%s%s",
                     all ? "" : ": ", all ? "" : wrong.text);
        goto done;
    }
    draw(&p, all);
    BN_TRY(bn_page_save(&p, path));
done:
    bn_json_free(all);
    bn_page_free(&p);
    return rc;
}
