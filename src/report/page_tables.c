/* page_tables.c -- a page of tables and charts, drawn from a description in JSON.
 *
 * The rows of a table are grouped by its first key; the other keys begin each row.  A value is
 * marked if it is better than the published one.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "json.h"

enum { CELL = 64, MOST_COLUMNS = 32, MOST_CURVES = 16 };

static const char *text_of(const bn_json *object, const char *key)
{
    const char *text = bn_json_as_text(bn_json_get(object, key));
    return text ? text : "";
}

static bool is_key(const bn_json *column)
{
    return strcmp(text_of(column, "source"), "key") == 0;
}

/* ---- numbers ------------------------------------------------------------- */

/* "83.95 ± 0.39"; "<0.01" if it rounds to 0 but is not 0; or the cell's own text. */
static void value_text(char buf[CELL], const bn_json *cell, int decimals)
{
    double v = bn_json_as_number(bn_json_get(cell, "value"));
    const bn_json *spread = bn_json_get(cell, "spread");
    double least = pow(10, -decimals);
    if (!bn_json_is_object(cell))
        snprintf(buf, CELL, "–");
    else if (bn_json_is_text(bn_json_get(cell, "text")))
        snprintf(buf, CELL, "%.40s", text_of(cell, "text"));
    else if (v > 0 && v < least / 2)
        bn_print(buf, CELL, "<%.*f", decimals, least);
    else if (spread)
        bn_print(buf, CELL, "%.*f ± %.*f", decimals, v, decimals, bn_json_as_number(spread));
    else
        bn_print(buf, CELL, "%.*f", decimals, v);
}

/* The keys of a row except the first, which names the group: "0.5, strict". */
static void row_name(char buf[CELL], const bn_json *head, const bn_json *row)
{
    size_t i, at = 0;
    bn_json *column;
    buf[0] = 0;
    for (i = 0; (column = bn_json_at(head, i)); i++) {
        const bn_json *cell = bn_json_at(row, i);
        if (i == 0 || !is_key(column) || at >= CELL)
            continue;
        at += (size_t)(bn_json_is_text(cell)
                  ? snprintf(buf + at, CELL - at, "%s%.40s", at ? ", " : "",
                             bn_json_as_text(cell))
                  : bn_print(buf + at, CELL - at, "%s%g", at ? ", " : "",
                             bn_json_as_number(cell)));
    }
}

/* ---- tables -------------------------------------------------------------- */

typedef struct {
    const bn_json *table, *head, *rows;
    int      decimals, keys, columns;   /* columns: with the name of the row */
    bool     grouped;                   /* a table for each value of the first key */
    const char *label[MOST_COLUMNS];
    char     name[160];                 /* of the column of names */
    char   (*text)[CELL];               /* rows x columns */
    const char **cell;
    uint8_t *marked;
} grid;

static void name_columns(grid *s)
{
    size_t i, at = 0;
    bn_json *column;
    s->columns = 1;
    for (i = 0; (column = bn_json_at(s->head, i)); i++) {
        bool named = is_key(column) && (i > 0 || !s->grouped);
        s->keys += is_key(column);
        if (named && at < sizeof s->name)
            at += (size_t)snprintf(s->name + at, sizeof s->name - at, "%s%.40s", at ? "; " : "",
                                   text_of(column, "label"));
        if (!is_key(column) && s->columns < MOST_COLUMNS)
            s->label[s->columns++] = text_of(column, "label");
    }
    s->label[0] = s->name;
}

static void fill_row(grid *s, int64_t r, const bn_json *row)
{
    const char *group = bn_json_as_text(bn_json_at(row, 0));
    int64_t at = r * s->columns;
    if (s->grouped)
        row_name(s->text[at], s->head, row);
    else
        snprintf(s->text[at], CELL, "%.60s", group ? group : "–");
    for (int k = 1; k < s->columns; k++) {
        const bn_json *cell = bn_json_at(row, (size_t)(s->keys + k - 1));
        value_text(s->text[at + k], cell, s->decimals);
        s->marked[at + k] = bn_json_is_true(bn_json_get(cell, "better"));
    }
}

/* A table of the rows from first on in the same group; returns where the next group begins. */
static size_t put_group(bn_page *p, grid *s, size_t first)
{
    const char *group = bn_json_as_text(bn_json_at(bn_json_at(s->rows, first), 0));
    char caption[200];
    size_t end = first;
    for (; end < bn_json_count(s->rows); end++) {
        const bn_json *row = bn_json_at(s->rows, end);
        const char *of = bn_json_as_text(bn_json_at(row, 0));
        if (s->grouped && (!of || !group || strcmp(of, group) != 0))
            break;
        fill_row(s, (int64_t)(end - first), row);
    }
    end += end == first;                        /* a row without a group */
    snprintf(caption, sizeof caption, "%.100s%s%.60s", text_of(s->table, "title"),
             s->grouped && group ? ": " : "", s->grouped && group ? group : "");
    bn_table(p, caption, &(bn_cells){.head = s->label, .columns = s->columns, .cell = s->cell,
                                     .rows = (int64_t)(end - first), .marked = s->marked});
    return end;
}

static bonsai_status put_rows(bn_page *p, const bn_json *table)
{
    bonsai_status rc;
    grid s = {.table = table, .head = bn_json_get(table, "head"),
               .rows = bn_json_get(table, "rows"),
               .decimals = (int)bn_json_as_whole(bn_json_get(table, "decimals"))};
    s.decimals = s.decimals < 0 ? 0 : s.decimals > 9 ? 9 : s.decimals;
    s.grouped = is_key(bn_json_at(s.head, 1));
    name_columns(&s);
    int64_t rows = (int64_t)bn_json_count(s.rows), cells = rows * s.columns;
    BN_TRY(BN_NEW(&s.text, cells));
    BN_TRY(BN_NEW(&s.cell, cells));
    BN_TRY(BN_NEW(&s.marked, cells));
    for (int64_t i = 0; i < cells; i++)
        s.cell[i] = s.text[i];
    for (size_t first = 0; first < (size_t)rows;)
        first = put_group(p, &s, first);
    if (rows == 0)
        bn_put(p, "<p>Not measured.</p>\n");
done:
    bn_free(s.text);
    bn_free(s.cell);
    bn_free(s.marked);
    return rc;
}

/* ---- charts -------------------------------------------------------------- */

static double number_or_nan(const bn_json *value)
{
    return bn_json_is_number(value) ? bn_json_as_number(value) : NAN;
}

static bonsai_status put_bars(bn_page *p, const bn_json *chart)
{
    bonsai_status rc;
    const bn_json *labels = bn_json_get(chart, "labels");
    const bn_json *series = bn_json_get(chart, "series");
    size_t n = bn_json_count(labels), count = bn_json_count(series);
    double *value = NULL;
    const char **label = NULL;
    bn_series *s = NULL;
    BN_TRY(BN_NEW(&value, (int64_t)(n * count)));
    BN_TRY(BN_NEW(&label, (int64_t)n));
    BN_TRY(BN_NEW(&s, (int64_t)count));
    for (size_t i = 0; i < n; i++) {
        const char *text = bn_json_as_text(bn_json_at(labels, i));
        label[i] = text ? text : "";
    }
    for (size_t k = 0; k < count; k++) {
        const bn_json *one = bn_json_at(series, k);
        s[k] = (bn_series){text_of(one, "name"), value + k * n};
        for (size_t i = 0; i < n; i++)
            value[k * n + i] = number_or_nan(bn_json_at(bn_json_get(one, "values"), i));
    }
    bn_chart_bars(p, &(bn_bar_chart){
        .title = text_of(chart, "title"), .x = text_of(chart, "x"), .y = text_of(chart, "y"),
        .label = label, .labels = (int64_t)n, .s = s, .series = (int)count, .format = "%.2f"});
done:
    bn_free(value);
    bn_free(label);
    bn_free(s);
    return rc;
}

static bonsai_status read_curve(bn_curve *c, const bn_json *points)
{
    bonsai_status rc = BN_NEW(&c->at, (int64_t)bn_json_count(points));
    size_t i;
    bn_json *point;
    if (rc == BONSAI_OK)
        for (i = 0; (point = bn_json_at(points, i)); i++)
            c->at[c->count++] = (bn_spot){bn_json_as_number(bn_json_at(point, 0)),
                                          bn_json_as_number(bn_json_at(point, 1))};
    return rc;
}

static bonsai_status put_lines(bn_page *p, const bn_json *chart)
{
    bonsai_status rc = BONSAI_OK;
    bn_curve curve[MOST_CURVES] = {{0}};
    const char *name[MOST_CURVES];
    int count = 0;
    size_t i;
    bn_json *one;
    for (i = 0; (one = bn_json_at(bn_json_get(chart, "curves"), i)); i++) {
        const bn_json *points = bn_json_get(one, "at");
        if (count == MOST_CURVES || bn_json_count(points) == 0)
            continue;
        name[count] = text_of(one, "name");
        BN_TRY(read_curve(&curve[count++], points));
    }
    if (count > 0)
        bn_chart_lines(p, &(bn_line_chart){
            .title = text_of(chart, "title"), .x = text_of(chart, "x"), .y = text_of(chart, "y"),
            .curve = curve, .name = name, .curves = count});
done:
    for (int k = 0; k < count; k++)
        bn_free(curve[k].at);
    return rc;
}

/* ---- the page ------------------------------------------------------------ */

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

static void put_head(bn_page *p, const bn_json *all)
{
    size_t i;
    bn_json *block;
    bn_put(p, "<h1>");
    bn_escape(p, text_of(all, "heading"));
    bn_put(p, "</h1>\n");
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

static bonsai_status put_table(bn_page *p, const bn_json *table)
{
    bonsai_status rc;
    size_t i;
    bn_json *chart;
    bn_section_begin(p, text_of(table, "name"), text_of(table, "title"));
    bn_put(p, "<p>");
    bn_escape(p, text_of(table, "about"));
    bn_put(p, "</p>\n");
    BN_TRY(put_rows(p, table));
    for (i = 0; (chart = bn_json_at(bn_json_get(table, "charts"), i)); i++)
        BN_TRY(strcmp(text_of(chart, "kind"), "bars") == 0 ? put_bars(p, chart)
                                                           : put_lines(p, chart));
    bn_section_end(p);
done:
    return rc;
}

/* The page carries the data that it shows; "<" is escaped, so that it cannot end the element. */
static bonsai_status put_data(bn_page *p, const bn_json *data)
{
    char *text = bn_json_print(data, 1, 10);
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

bonsai_status bonsai_report_tables(const char *path, const char *json)
{
    bonsai_status rc = BONSAI_OK;
    bn_page p = {0};
    bn_json_error wrong;
    size_t i;
    bn_json *all = bn_json_parse(json, strlen(json), 0, &wrong), *table;
    if (!all && wrong.no_memory) {
        rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the description of a page");
        goto done;
    }
    if (!all || !bn_json_is_array(bn_json_get(all, "tables"))) {
        rc = bn_fail(BONSAI_E_FORMAT, "the description of a page has no array of tables%s%s",
                     all ? "" : ": ", all ? "" : wrong.text);
        goto done;
    }
    bn_page_begin(&p, text_of(all, "title"), false);
    put_head(&p, all);
    for (i = 0; (table = bn_json_at(bn_json_get(all, "tables"), i)); i++)
        BN_TRY(put_table(&p, table));
    if (bn_json_get(all, "data"))
        BN_TRY(put_data(&p, bn_json_get(all, "data")));
    bn_page_end(&p, false);
    BN_TRY(save(path, &p));
done:
    bn_json_free(all);
    bn_page_free(&p);
    return rc;
}
