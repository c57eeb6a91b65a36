/* page_tables.c -- a page of tables and charts, drawn from a description in JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tables.h"

/* ---- before the tables --------------------------------------------------- */

/* Text; objects {"code": text} become code. */
static void put_pieces(bn_page *p, const bn_json *pieces)
{
    size_t i;
    bn_json *piece;
    for (i = 0; (piece = bn_json_at(pieces, i)); i++) {
        const char *text = bn_json_as_text(piece);
        const char *code = bn_json_as_text(bn_json_get(piece, "code"));
        bn_put(p, code ? "<code>" : "");
        bn_escape(p, code ? code : text ? text : "");
        bn_put(p, code ? "</code>" : "");
    }
}

static void put_list(bn_page *p, const bn_json *list)
{
    size_t i;
    bn_json *item;
    bn_put(p, "<ul>\n");
    for (i = 0; (item = bn_json_at(list, i)); i++) {
        bn_put(p, "<li>");
        put_pieces(p, item);
        bn_put(p, "</li>\n");
    }
    bn_put(p, "</ul>\n");
}

static void put_summary(bn_page *p, const bn_json *summary)
{
    size_t i;
    bn_json *sentence;
    if (bn_json_count(summary) == 0)
        return;
    bn_put(p, "<ul class=\"summary\">\n");
    for (i = 0; (sentence = bn_json_at(summary, i)); i++) {
        const char *text = bn_json_as_text(sentence);
        bn_put(p, "<li>");
        bn_escape(p, text ? text : "");
        bn_put(p, "</li>\n");
    }
    bn_put(p, "</ul>\n");
}

static void put_head(bn_page *p, const bn_json *all)
{
    size_t i;
    bn_json *block;
    bn_put(p, "<h1>");
    bn_escape(p, bn_text_of(all, "heading"));
    bn_put(p, "</h1>\n");
    if (*bn_text_of(all, "verdict")) {
        bn_put(p, "<p class=\"verdict\">");
        bn_escape(p, bn_text_of(all, "verdict"));
        bn_put(p, "</p>\n");
    }
    put_summary(p, bn_json_get(all, "summary"));
    for (i = 0; (block = bn_json_at(bn_json_get(all, "about"), i)); i++) {
        if (bn_json_is_object(block)) {
            put_list(p, bn_json_get(block, "list"));
            continue;
        }
        bn_put(p, "<p>");
        put_pieces(p, block);
        bn_put(p, "</p>\n");
    }
}

static void put_contents(bn_page *p, const bn_json *tables)
{
    size_t i;
    bn_json *table;
    bn_put(p, "<nav aria-label=\"Tables\"><ul>\n<li><a href=\"#legend\">How to read the tables"
              "</a></li>\n");
    for (i = 0; (table = bn_json_at(tables, i)); i++) {
        bn_put(p, "<li><a href=\"#");
        bn_escape(p, bn_text_of(table, "name"));
        bn_put(p, "\">");
        bn_escape_cut(p, bn_text_of(table, "title"), 100);
        bn_put(p, "</a></li>\n");
    }
    bn_put(p, "</ul></nav>\n");
}

/* Checked, it shows what else appears below the mouse; by the style alone. */
static const char ask_for_more[] =
    "<input type=\"checkbox\" class=\"ask\" id=\"ask\"><label for=\"ask\">Show labelled nodes, "
    "splits, draws, runs and comparisons below every number (else: rest the mouse on it)</label>\n";

/* ---- a table with its charts --------------------------------------------- */

static void put_how(bn_page *p, const char *text, const char *name)
{
    if (!*text)
        return;
    bn_putf(p, "<dt>%s</dt><dd>", name);
    bn_escape(p, text);
    bn_put(p, "</dd>\n");
}

enum { LONG_TEXT = 400, LONG_SENTENCE = 1000 };

/* Parts a long text behind its first sentence; *rest is empty where it is not long. */
static void part(char first[LONG_SENTENCE], const char **rest, const char *text)
{
    const char *end = strlen(text) > LONG_TEXT ? strstr(text, ". ") : NULL;
    const size_t length = end && end - text < LONG_SENTENCE - 1 ? (size_t)(end - text) + 1 : 0;
    memcpy(first, text, length);
    first[length] = 0;
    *rest = length ? end + 2 : text + strlen(text);
}

/* What was measured; how is folded, since it is much the same for all tables, and so is what a long
 * text says behind its first sentence. */
static void put_about(bn_page *p, const bn_json *table)
{
    char first[LONG_SENTENCE];
    const char *about = bn_text_of(table, "about"), *rest;
    part(first, &rest, about);
    bn_put(p, "<dl class=\"how\">\n");
    put_how(p, *rest ? first : about, "Measured");
    bn_put(p, "</dl>\n");
    if (!*rest && !*bn_text_of(table, "data") && !*bn_text_of(table, "protocol"))
        return;
    bn_putf(p, "<details class=\"asides\"><summary>%s</summary><dl class=\"how\">\n",
            *rest ? "More about it, data and protocol" : "Data and protocol");
    put_how(p, rest, "Measured");
    put_how(p, bn_text_of(table, "data"), "Data");
    put_how(p, bn_text_of(table, "protocol"), "Protocol");
    bn_put(p, "</dl></details>\n");
}

static bonsai_status put_table(bn_page *p, const bn_json *table, int number)
{
    bonsai_status rc = BONSAI_OK;
    size_t i;
    bn_json *chart;
    bn_section_begin(p, bn_text_of(table, "name"), bn_text_of(table, "title"));
    put_about(p, table);
    bn_put_grid(p, table, number);
    for (i = 0; (chart = bn_json_at(bn_json_get(table, "charts"), i)); i++)
        BN_TRY(bn_put_chart(p, chart, bn_decimals_of(table)));
    bn_section_end(p);
done:
    return rc;
}

/* ---- the page ------------------------------------------------------------ */

/* The page carries the data that it shows; "<" is escaped, so that it cannot end the element. */
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
    bonsai_status rc = BONSAI_OK;
    const bn_json *tables = bn_json_get(all, "tables");
    size_t i;
    bn_json *table;
    bn_page_begin(p, bn_text_of(all, "title"), false);
    put_head(p, all);
    put_contents(p, tables);
    bn_put_legend(p);
    bn_put(p, ask_for_more);
    for (i = 0; (table = bn_json_at(tables, i)); i++)
        BN_TRY(put_table(p, table, (int)i + 1));
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
