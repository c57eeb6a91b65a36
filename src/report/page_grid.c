/* page_grid.c -- a table of the page: heads, rows in groups, notes.
 *
 * Rows that share their first key stand below its name; the other keys begin each row, all in one
 * cell, which stays in sight while the rest of a wide table scrolls.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tables.h"

enum { MOST_COLUMNS = 64, MOST_KEYS = 8, KEY_TEXT = 64 };
/* Characters that fit a screen of 1280 pixels, so many if they are set small, and what a column
 * takes of them. */
enum { SCREEN = 145, SMALL_SCREEN = 190, NUMBER = 14, WITH_SIZE = 26, WORDS = 30 };

typedef struct {
    const bn_json *rows;
    int       columns, keys;
    const bn_json *column[MOST_COLUMNS];
    int       key[MOST_KEYS];           /* places in a row */
    int       wide[MOST_KEYS];          /* characters */
    bool      grouped;                  /* by the first key */
    bn_notes  notes;
    bn_cell_style style[MOST_COLUMNS];
    double    head;                     /* height of the heads, in rem */
} grid;

int bn_decimals_of(const bn_json *table)
{
    int64_t d = bn_json_as_whole(bn_json_get(table, "decimals"));
    return d < 0 ? 0 : d > 9 ? 9 : (int)d;
}

/* ---- keys ---------------------------------------------------------------- */

static void key_text(char buf[KEY_TEXT], const bn_json *cell)
{
    if (bn_json_is_text(cell))
        snprintf(buf, KEY_TEXT, "%.60s", bn_json_as_text(cell));
    else if (bn_json_is_number(cell))
        bn_print(buf, KEY_TEXT, "%g", bn_json_as_number(cell));
    else
        snprintf(buf, KEY_TEXT, "–");
}

static int characters(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

static void measure_keys(grid *g)
{
    char text[KEY_TEXT];
    size_t r;
    bn_json *row, *before = NULL;
    for (int k = 0; k < g->keys; k++) {
        snprintf(text, sizeof text, "%.60s", bn_text_of(g->column[g->key[k]], "label"));
        g->wide[k] = characters(text);
        for (r = 0; (row = bn_json_at(g->rows, r)); r++) {
            key_text(text, bn_json_at(row, (size_t)g->key[k]));
            int n = characters(text);
            g->wide[k] = n > g->wide[k] ? n : g->wide[k];
        }
    }
    for (r = 0; g->keys > 1 && !g->grouped && (row = bn_json_at(g->rows, r)); before = row, r++)
        g->grouped = r > 0 && bn_json_equal(bn_json_at(before, (size_t)g->key[0]),
                                            bn_json_at(row, (size_t)g->key[0]));
}

/* ---- columns ------------------------------------------------------------- */

/* Whether a column holds counts: they are shown without decimals. */
static bool is_whole(const bn_json *rows, int k)
{
    size_t r;
    bn_json *row;
    for (r = 0; (row = bn_json_at(rows, r)); r++) {
        const bn_json *cell = bn_json_at(row, (size_t)k), *value = bn_json_get(cell, "value");
        double v = bn_json_as_number(value);
        if (bn_json_is_number(value) && (v != floor(v) || bn_json_get(cell, "spread")))
            return false;
    }
    return true;
}

static void read_head(grid *g, const bn_json *head, int decimals)
{
    bn_json *column;
    for (; g->columns < MOST_COLUMNS && (column = bn_json_at(head, (size_t)g->columns));
         g->columns++) {
        const int k = g->columns;
        g->column[k] = column;
        g->style[k] = (bn_cell_style){bn_source_of(column), is_whole(g->rows, k) ? 0 : decimals,
                                      &g->notes};
        if (g->style[k].from == BN_FROM_KEY && g->keys < MOST_KEYS)
            g->key[g->keys++] = k;
    }
    measure_keys(g);
}

/* ---- heads --------------------------------------------------------------- */

static bool has_word(const char *text, const char *word)
{
    for (; *text; text++) {
        size_t i = 0;
        while (word[i] && tolower((unsigned char)text[i]) == word[i])
            i++;
        if (!word[i])
            return true;
    }
    return false;
}

/* Whether the label says where the numbers come from, or nothing needs to. */
static bool is_telling(const bn_json *column)
{
    const bn_source_words *from = &bn_sources[bn_source_of(column)];
    return !*from->name || (*from->telling && has_word(bn_text_of(column, "label"), from->telling));
}

static void put_column_head(bn_page *p, const bn_json *column)
{
    const bn_source_words *from = &bn_sources[bn_source_of(column)];
    const char *label = bn_text_of(column, "label");
    bn_putf(p, "<th scope=\"col\" class=\"%s\"><span class=\"v\">", from->word);
    bn_escape_cut(p, label, 100);
    bn_put(p, "</span>");
    if (!is_telling(column))
        bn_putf(p, "<small>%s</small>", from->name);
    bn_put(p, "</th>");
}

/* What a column takes; numbers with the size of their graph take more. */
static int width_of(const grid *g, int k)
{
    size_t r;
    bn_json *row;
    if (g->style[k].from == BN_FROM_KEY || g->style[k].from == BN_FROM_FACT)
        return g->style[k].from == BN_FROM_KEY ? 0 : WORDS;
    for (r = 0; (row = bn_json_at(g->rows, r)); r++) {
        const bn_json *cell = bn_json_at(row, (size_t)k);
        if (bn_json_get(cell, "nodes") || bn_json_get(cell, "verdict"))
            return WITH_SIZE;
    }
    return NUMBER;
}

static int lines_of(int letters, int wide)
{
    return (letters + wide - 1) / wide;
}

/* The heads are as high as the one with most lines: the names of groups stick below them. */
static void measure_heads(grid *g)
{
    static const double label = 1.29, small = 1.02, around = 1.2;   /* of a line; padding */
    g->head = label;
    for (int i = 0; i < g->columns; i++) {
        const int wide = g->style[i].from == BN_FROM_KEY ? KEY_TEXT : width_of(g, i) - 2;
        const char *name = is_telling(g->column[i]) ? "" : bn_sources[g->style[i].from].name;
        const double high = label * lines_of(characters(bn_text_of(g->column[i], "label")), wide) +
                            small * lines_of(characters(name), wide);
        g->head = fmax(g->head, high);
    }
    g->head += around;
}

static void put_heads(bn_page *p, const grid *g)
{
    bn_put(p, "<thead><tr><th scope=\"col\" class=\"keys\">");
    for (int k = g->grouped; k < g->keys; k++) {
        bn_putf(p, "<span style=\"--w:%d\">", g->wide[k]);
        bn_escape_cut(p, bn_text_of(g->column[g->key[k]], "label"), KEY_TEXT);
        bn_put(p, "</span> ");
    }
    bn_put(p, "</th>");
    for (int i = 0; i < g->columns; i++)
        if (g->style[i].from != BN_FROM_KEY)
            put_column_head(p, g->column[i]);
    bn_put(p, "</tr></thead>\n");
}

/* ---- rows ---------------------------------------------------------------- */

static int values_of(const grid *g)
{
    int n = 0;
    for (int i = 0; i < g->columns; i++)
        n += g->style[i].from != BN_FROM_KEY;
    return n;
}

/* The row that names a group. */
static void put_group(bn_page *p, const grid *g, const bn_json *row)
{
    char text[KEY_TEXT];
    key_text(text, bn_json_at(row, (size_t)g->key[0]));
    bn_putf(p, "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%d\"><span>",
            1 + values_of(g));
    bn_escape(p, text);
    bn_put(p, "</span></th></tr>\n");
}

/* Keys that are those of the row before are quiet. */
static void put_keys(bn_page *p, const grid *g, const bn_json *row, const bn_json *before)
{
    bool again = before != NULL;
    bn_put(p, "<tr><th scope=\"row\" class=\"keys\">");
    for (int k = g->grouped; k < g->keys; k++) {
        const bn_json *cell = bn_json_at(row, (size_t)g->key[k]);
        char text[KEY_TEXT];
        again = again && bn_json_equal(cell, bn_json_at(before, (size_t)g->key[k]));
        key_text(text, cell);
        bn_putf(p, "<span%s style=\"--w:%d\">", again ? " class=\"again\"" : "",
                g->wide[k]);
        bn_escape(p, text);
        bn_put(p, "</span> ");
    }
    bn_put(p, "</th>");
}

static void put_row(bn_page *p, const grid *g, size_t r)
{
    const bn_json *row = bn_json_at(g->rows, r), *before = r ? bn_json_at(g->rows, r - 1) : NULL;
    const bool new_group =
        g->grouped && !(before && bn_json_equal(bn_json_at(before, (size_t)g->key[0]),
                                                bn_json_at(row, (size_t)g->key[0])));
    if (new_group) {
        bn_put(p, r ? "</tbody><tbody>\n" : "");
        put_group(p, g, row);
    }
    put_keys(p, g, row, new_group ? NULL : before);
    for (int i = 0; i < g->columns; i++)
        if (g->style[i].from != BN_FROM_KEY)
            bn_put_value_cell(p, bn_json_at(row, (size_t)i), &g->style[i]);
    bn_put(p, "</tr>\n");
}

/* ---- the table ----------------------------------------------------------- */

/* Whether a screen of usual width shows all columns, and how. */
static const char *fit_of(const grid *g)
{
    int all = 0;
    for (int k = g->grouped; k < g->keys; k++)
        all += 5 * g->wide[k] / 4 + 2;
    for (int k = 0; k < g->columns; k++)
        all += width_of(g, k);
    return all <= SCREEN ? " fits" : all <= SMALL_SCREEN ? " fits tight" : "";
}

void bn_put_grid(bn_page *p, const bn_json *table, int number)
{
    grid g = {.rows = bn_json_get(table, "rows"), .notes = {.table = number}};
    if (bn_json_count(g.rows) == 0) {
        bn_put(p, "<p>Not measured.</p>\n");
        return;
    }
    read_head(&g, bn_json_get(table, "head"), bn_decimals_of(table));
    measure_heads(&g);
    const char *css = fit_of(&g);
    char head[48];
    bn_fixed(head, g.head, 2, false);
    bn_putf(p, "<p class=\"hint%s\">Where the table is larger than the window it scrolls in its "
               "own box.</p>\n<div class=\"box%s\" tabindex=\"0\" role=\"region\" "
               "aria-label=\"", css, css);
    bn_escape(p, bn_text_of(table, "title"));
    bn_putf(p, "\"><table class=\"sheet\" style=\"--head:%srem\"><caption class=\"sr\">", head);
    bn_escape(p, bn_text_of(table, "title"));
    bn_put(p, "</caption>\n");
    put_heads(p, &g);
    bn_put(p, "<tbody>\n");
    for (size_t r = 0; r < bn_json_count(g.rows); r++)
        put_row(p, &g, r);
    bn_put(p, "</tbody></table></div>\n");
    bn_put_notes(p, &g.notes);
}
