/* page_tables.c -- a page of tables and charts, drawn from a description in JSON.
 *
 * The rows of a table are grouped by its first key; the other keys begin each row.  A value is
 * marked if it is better than the published one.
 *
 * SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

enum { CELL = 64, MOST_COLUMNS = 32, MOST_CURVES = 16 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool is_key(const json_t *column)
{
    return strcmp(text_of(column, "source"), "key") == 0;
}

/* ---- numbers ------------------------------------------------------------- */

/* "83.95 ± 0.39"; "<0.01" if it rounds to 0 but is not 0; or the cell's own text. */
static void value_text(char buf[CELL], const json_t *cell, int decimals)
{
    double v = json_number_value(json_object_get(cell, "value"));
    const json_t *spread = json_object_get(cell, "spread");
    double least = pow(10, -decimals);
    if (!json_is_object(cell))
        snprintf(buf, CELL, "–");
    else if (json_is_string(json_object_get(cell, "text")))
        snprintf(buf, CELL, "%.40s", text_of(cell, "text"));
    else if (v > 0 && v < least / 2)
        bn_print(buf, CELL, "<%.*f", decimals, least);
    else if (spread)
        bn_print(buf, CELL, "%.*f ± %.*f", decimals, v, decimals, json_number_value(spread));
    else
        bn_print(buf, CELL, "%.*f", decimals, v);
}

/* The keys of a row except the first, which names the group: "0.5, strict". */
static void row_name(char buf[CELL], const json_t *head, const json_t *row)
{
    size_t i, at = 0;
    json_t *column;
    buf[0] = 0;
    json_array_foreach(head, i, column) {
        const json_t *cell = json_array_get(row, i);
        if (i == 0 || !is_key(column) || at >= CELL)
            continue;
        at += (size_t)(json_is_string(cell)
                  ? snprintf(buf + at, CELL - at, "%s%.40s", at ? ", " : "",
                             json_string_value(cell))
                  : bn_print(buf + at, CELL - at, "%s%g", at ? ", " : "",
                             json_number_value(cell)));
    }
}

/* ---- tables -------------------------------------------------------------- */

typedef struct {
    const json_t *table, *head, *rows;
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
    json_t *column;
    s->columns = 1;
    json_array_foreach(s->head, i, column) {
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

static void fill_row(grid *s, int64_t r, const json_t *row)
{
    const char *group = json_string_value(json_array_get(row, 0));
    int64_t at = r * s->columns;
    if (s->grouped)
        row_name(s->text[at], s->head, row);
    else
        snprintf(s->text[at], CELL, "%.60s", group ? group : "–");
    for (int k = 1; k < s->columns; k++) {
        const json_t *cell = json_array_get(row, (size_t)(s->keys + k - 1));
        value_text(s->text[at + k], cell, s->decimals);
        s->marked[at + k] = json_is_true(json_object_get(cell, "better"));
    }
}

/* A table of the rows from first on in the same group; returns where the next group begins. */
static size_t put_group(bn_page *p, grid *s, size_t first)
{
    const char *group = json_string_value(json_array_get(json_array_get(s->rows, first), 0));
    char caption[200];
    size_t end = first;
    for (; end < json_array_size(s->rows); end++) {
        const json_t *row = json_array_get(s->rows, end);
        const char *of = json_string_value(json_array_get(row, 0));
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

static bonsai_status put_rows(bn_page *p, const json_t *table)
{
    bonsai_status rc;
    grid s = {.table = table, .head = json_object_get(table, "head"),
               .rows = json_object_get(table, "rows"),
               .decimals = (int)json_integer_value(json_object_get(table, "decimals"))};
    s.decimals = s.decimals < 0 ? 0 : s.decimals > 9 ? 9 : s.decimals;
    s.grouped = is_key(json_array_get(s.head, 1));
    name_columns(&s);
    int64_t rows = (int64_t)json_array_size(s.rows), cells = rows * s.columns;
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

static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bonsai_status put_bars(bn_page *p, const json_t *chart)
{
    bonsai_status rc;
    const json_t *labels = json_object_get(chart, "labels");
    const json_t *series = json_object_get(chart, "series");
    size_t n = json_array_size(labels), count = json_array_size(series);
    double *value = NULL;
    const char **label = NULL;
    bn_series *s = NULL;
    BN_TRY(BN_NEW(&value, (int64_t)(n * count)));
    BN_TRY(BN_NEW(&label, (int64_t)n));
    BN_TRY(BN_NEW(&s, (int64_t)count));
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(labels, i));
        label[i] = text ? text : "";
    }
    for (size_t k = 0; k < count; k++) {
        const json_t *one = json_array_get(series, k);
        s[k] = (bn_series){text_of(one, "name"), value + k * n};
        for (size_t i = 0; i < n; i++)
            value[k * n + i] = number_or_nan(json_array_get(json_object_get(one, "values"), i));
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

static bonsai_status read_curve(bn_curve *c, const json_t *points)
{
    bonsai_status rc = BN_NEW(&c->at, (int64_t)json_array_size(points));
    size_t i;
    json_t *point;
    if (rc == BONSAI_OK)
        json_array_foreach(points, i, point)
            c->at[c->count++] = (bn_spot){json_number_value(json_array_get(point, 0)),
                                          json_number_value(json_array_get(point, 1))};
    return rc;
}

static bonsai_status put_lines(bn_page *p, const json_t *chart)
{
    bonsai_status rc = BONSAI_OK;
    bn_curve curve[MOST_CURVES] = {{0}};
    const char *name[MOST_CURVES];
    int count = 0;
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(chart, "curves"), i, one) {
        const json_t *points = json_object_get(one, "at");
        if (count == MOST_CURVES || json_array_size(points) == 0)
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
static void put_pieces(bn_page *p, const json_t *pieces)
{
    size_t i;
    json_t *piece;
    json_array_foreach(pieces, i, piece) {
        const char *text = json_string_value(piece);
        const char *code = json_string_value(json_object_get(piece, "code"));
        bn_put(p, code ? "<code>" : "");
        bn_escape(p, code ? code : text ? text : "");
        bn_put(p, code ? "</code>" : "");
    }
}

static void put_list(bn_page *p, const json_t *list)
{
    size_t i;
    json_t *item;
    bn_put(p, "<ul>\n");
    json_array_foreach(list, i, item) {
        bn_put(p, "<li>");
        put_pieces(p, item);
        bn_put(p, "</li>\n");
    }
    bn_put(p, "</ul>\n");
}

static void put_head(bn_page *p, const json_t *all)
{
    size_t i;
    json_t *block;
    bn_put(p, "<h1>");
    bn_escape(p, text_of(all, "heading"));
    bn_put(p, "</h1>\n");
    json_array_foreach(json_object_get(all, "about"), i, block) {
        if (json_is_object(block)) {
            put_list(p, json_object_get(block, "list"));
            continue;
        }
        bn_put(p, "<p>");
        put_pieces(p, block);
        bn_put(p, "</p>\n");
    }
}

static bonsai_status put_table(bn_page *p, const json_t *table)
{
    bonsai_status rc;
    size_t i;
    json_t *chart;
    bn_section_begin(p, text_of(table, "name"), text_of(table, "title"));
    bn_put(p, "<p>");
    bn_escape(p, text_of(table, "about"));
    bn_put(p, "</p>\n");
    BN_TRY(put_rows(p, table));
    json_array_foreach(json_object_get(table, "charts"), i, chart)
        BN_TRY(strcmp(text_of(chart, "kind"), "bars") == 0 ? put_bars(p, chart)
                                                           : put_lines(p, chart));
    bn_section_end(p);
done:
    return rc;
}

/* The page carries the data that it shows; "<" is escaped, so that it cannot end the element. */
static bonsai_status put_data(bn_page *p, const json_t *data)
{
    char *text = json_dumps(data, JSON_ENCODE_ANY | JSON_INDENT(1) | JSON_REAL_PRECISION(10));
    if (!text)
        return bn_fail(BONSAI_E_MEMORY, "there is not enough memory for the data of a page");
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
    free(text);
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
    json_error_t wrong;
    size_t i;
    json_t *all = json_loads(json, 0, &wrong), *table;
    if (!all || !json_is_array(json_object_get(all, "tables"))) {
        rc = bn_fail(BONSAI_E_FORMAT, "the description of a page has no array of tables%s%s",
                     all ? "" : ": ", all ? "" : wrong.text);
        goto done;
    }
    bn_page_begin(&p, text_of(all, "title"), false);
    put_head(&p, all);
    json_array_foreach(json_object_get(all, "tables"), i, table)
        BN_TRY(put_table(&p, table));
    if (json_object_get(all, "data"))
        BN_TRY(put_data(&p, json_object_get(all, "data")));
    bn_page_end(&p, false);
    BN_TRY(save(path, &p));
done:
    json_decref(all);
    bn_page_free(&p);
    return rc;
}
