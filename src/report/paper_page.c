/* paper_page.c -- the page of the paper's tables, drawn from results.json.
 *
 * Whatever the page prints is in that JSON; it knows no table by name.  A table's rows are grouped
 * by dataset, its other keys begin each row, and what beats the published figure is marked.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
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

/* Ours: "83.95 ± 0.39", and "<0.01" for what rounds to nothing and is something.  The paper's: as
 * published. */
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

/* The keys of a row but for the first, which is the dataset: "0.5, strict". */
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
    bool     grouped;                   /* a table for each dataset */
    const char *label[MOST_COLUMNS];
    char     name[160];                 /* of the column of names */
    char   (*text)[CELL];               /* rows x columns */
    const char **cell;
    uint8_t *marked;
} sheet;

static void name_columns(sheet *s)
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

static void fill_row(sheet *s, int64_t r, const json_t *row)
{
    const char *set = json_string_value(json_array_get(row, 0));
    int64_t at = r * s->columns;
    if (s->grouped)
        row_name(s->text[at], s->head, row);
    else
        snprintf(s->text[at], CELL, "%.60s", set ? set : "–");
    for (int k = 1; k < s->columns; k++) {
        const json_t *cell = json_array_get(row, (size_t)(s->keys + k - 1));
        value_text(s->text[at + k], cell, s->decimals);
        s->marked[at + k] = json_is_true(json_object_get(cell, "better"));
    }
}

/* A table of the rows from first on that are of the same dataset; returns where the next begins. */
static size_t put_group(bn_page *p, sheet *s, size_t first)
{
    const char *set = json_string_value(json_array_get(json_array_get(s->rows, first), 0));
    char caption[200];
    size_t end = first;
    for (; end < json_array_size(s->rows); end++) {
        const json_t *row = json_array_get(s->rows, end);
        const char *of = json_string_value(json_array_get(row, 0));
        if (s->grouped && (!of || !set || strcmp(of, set) != 0))
            break;
        fill_row(s, (int64_t)(end - first), row);
    }
    end += end == first;                        /* a row that names no dataset */
    snprintf(caption, sizeof caption, "%.100s%s%.60s", text_of(s->table, "title"),
             s->grouped && set ? ": " : "", s->grouped && set ? set : "");
    bn_table(p, caption, s->label, s->columns, s->cell, (int64_t)(end - first), s->marked);
    return end;
}

static bonsai_status put_rows(bn_page *p, const json_t *table)
{
    bonsai_status rc;
    sheet s = {.table = table, .head = json_object_get(table, "head"),
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
        bn_put(p, "<p>Nothing of it was measured.</p>\n");
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
    bn_chart_bars(p, text_of(chart, "title"), text_of(chart, "x"), text_of(chart, "y"), label,
                  (int64_t)n, s, (int)count, "%.2f");
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
        bn_chart_lines(p, text_of(chart, "title"), text_of(chart, "x"), text_of(chart, "y"), curve,
                       name, count, NAN, NULL, NULL, false);
done:
    for (int k = 0; k < count; k++)
        bn_free(curve[k].at);
    return rc;
}

/* ---- the page ------------------------------------------------------------ */

static void put_head(bn_page *p, const json_t *all)
{
    const json_t *o = json_object_get(all, "options"), *m = json_object_get(all, "machine");
    long long seeds = (long long)json_integer_value(json_object_get(o, "seeds"));
    size_t i;
    json_t *d;
    bn_put(p, "<h1>The paper reproduced</h1>\n<p>Every table and figure of the paper, measured by <code>bonsai paper");
    bn_put(p, json_is_true(json_object_get(o, "quick")) ? " --quick" : "");
    bn_put(p, "</code> ");
    bn_escape(p, text_of(all, "bonsai_paper"));
    bn_put(p, ", beside the published figures. ");
    if (seeds == 1)
        bn_put(p, "One run each, so that small differences may be chance;");
    else
        bn_putf(p, "Mean ± deviation of %lld runs;", seeds);
    bn_putf(p, " %lld epochs; split ",
            (long long)json_integer_value(json_object_get(o, "epochs")));
    bn_escape(p, text_of(o, "split"));
    bn_putf(p, ", seed %lld; %lld threads of ",
            (long long)json_integer_value(json_object_get(o, "seed")),
            (long long)json_integer_value(json_object_get(m, "threads")));
    bn_escape(p, text_of(m, "cpu"));
    bn_put(p, ". A star marks what is better than the published figure of the same method; trees "
              "and auto stand beside the paper's Bonsai.</p>\n");
    if (json_array_size(json_object_get(all, "missing")) == 0)
        return;
    bn_put(p, "<p>Not there, and how to get it:</p>\n<ul>\n");
    json_array_foreach(json_object_get(all, "missing"), i, d) {
        bn_put(p, "<li>");
        bn_escape(p, text_of(d, "title"));
        bn_put(p, ": <code>");
        bn_escape(p, text_of(d, "how"));
        bn_put(p, "</code></li>\n");
    }
    bn_put(p, "</ul>\n");
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

/* The results themselves, so that the page carries what it shows; "<" cannot end the element. */
static void put_data(bn_page *p, const char *json)
{
    char piece[1024];
    bn_put(p, "<script type=\"application/json\" id=\"results\">");
    for (const char *at = json; *at;) {
        size_t len = strcspn(at, "<");
        len = len < sizeof piece ? len : sizeof piece - 1;
        memcpy(piece, at, len);
        piece[len] = 0;
        bn_put(p, piece);
        at += len;
        if (*at == '<') {
            bn_put(p, "\\u003c");
            at++;
        }
    }
    bn_put(p, "</script>\n");
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

bonsai_status bonsai_paper_page(const char *path, const char *json)
{
    bonsai_status rc = BONSAI_OK;
    bn_page p = {0};
    json_error_t wrong;
    size_t i;
    json_t *all = json_loads(json, 0, &wrong), *table;
    if (!all || !json_is_array(json_object_get(all, "tables"))) {
        rc = bn_fail(BONSAI_E_FORMAT, "the results are not what bonsai paper writes%s%s",
                     all ? "" : ": ", all ? "" : wrong.text);
        goto done;
    }
    bn_page_begin(&p, "Bonsai: the paper reproduced", false);
    put_head(&p, all);
    json_array_foreach(json_object_get(all, "tables"), i, table)
        BN_TRY(put_table(&p, table));
    put_data(&p, json);
    bn_page_end(&p, false);
    BN_TRY(save(path, &p));
done:
    json_decref(all);
    bn_page_free(&p);
    return rc;
}
