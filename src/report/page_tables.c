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

/* Puts what was measured; data and protocol are folded, since they are much the same for all
 * tables, and so is a long text behind its first sentence. */
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

/* Puts the data that the page shows into it; "<" is escaped, so that it cannot end the
 * element. */
static bonsai_status put_data(bn_page *p, const bn_json *data)
{
    char *text = bn_json_print(data, 0, 10);
    if (!text)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the data of a page");
    bn_put(p, "<script type=\"application/json\" id=\"results\">");
    for (char *at = text, *end; *at; at = end) {
        end = at + strcspn(at, "<");
        bool cut = *end == '<';
        *end = 0;
        bn_put(p, at);
        bn_put(p, cut ? "\\u003c" : "");
        end += cut;
    }
    bn_put(p, "</script>\n");
    bn_json_drop(text);
    return BONSAI_OK;
}

static bonsai_status save(const char *path, const bn_page *p)
{
    bonsai_status rc;
    bn_out *out = NULL;
    BN_TRY(bn_page_status(p));
    BN_TRY(bn_out_open(&out, path));
    BN_TRY(bn_out_write(out, p->text, p->length));
    BN_TRY(bn_out_commit(out));
done:
    bn_out_close(out);
    return rc;
}

static bonsai_status draw(bn_page *p, const bn_json *all)
{
    static const char fold[] = "what the colours, marks and small print mean";
    bonsai_status rc = BONSAI_OK;
    const bn_json *table;
    bn_page_begin(p, bn_text_of(all, "title"), false);
    bn_fill_with(p, "tables", all);
    bn_section_begin(p, "legend", "How to read the tables", fold);
    bn_fill(p, "legend", bn_json_object());
    bn_section_end(p, fold);
    bn_fill(p, "ask", bn_json_object());
    for (size_t i = 0; (table = bn_json_at(bn_json_get(all, "tables"), i)); i++)
        put_table(p, table, (int)i + 1);
    if (bn_json_get(all, "data"))
        BN_TRY(put_data(p, bn_json_get(all, "data")));
    bn_page_end(p, false);
done:
    return rc;
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
    BN_TRY(draw(&p, all));
    BN_TRY(save(path, &p));
done:
    bn_json_free(all);
    bn_page_free(&p);
    return rc;
}
