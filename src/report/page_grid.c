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

const bn_source_words bn_sources[BN_SOURCES] = {
    [BN_FROM_KEY] = {"key", "", ""},
    [BN_FROM_PUBLISHED] = {"published", "published", "published"},
    [BN_FROM_REDONE] = {"redone", "published code, redone", "redone"},
    [BN_FROM_PAPER] = {"paper", "ours, paper's accounting", "accounting"},
    [BN_FROM_HONEST] = {"honest", "ours, honest bytes", "honest"},
    [BN_FROM_OURS] = {"ours", "measured\u00a0here", ""},
    [BN_FROM_FACT] = {"fact", "", ""},
};

/* Returns where the numbers of a column come from; OURS if it does not say. */
static bn_source source_of(const bn_json *column)
{
    for (int i = 0; i < BN_SOURCES; i++)
        if (strcmp(bn_text_of(column, "source"), bn_sources[i].word) == 0)
            return (bn_source)i;
    return BN_FROM_OURS;
}

enum { MOST_COLUMNS = 64, MOST_KEYS = 8, KEY_TEXT = 64 };
/* Characters that fit a screen of 1280 pixels, as they are and set small, and what a column
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

/* Returns whether a column holds counts, which are shown without decimals. */
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
        g->style[k] = (bn_cell_style){source_of(column), is_whole(g->rows, k) ? 0 : decimals,
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

/* Returns whether the label says where the numbers come from, or nothing needs to. */
static bool is_telling(const bn_json *column)
{
    const bn_source_words *from = &bn_sources[source_of(column)];
    return !*from->name || (*from->telling && has_word(bn_text_of(column, "label"), from->telling));
}

/* Returns the characters that a column takes; numbers with the size of their graph take more. */
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

/* Sets the height of the heads to that of the one with most lines: the names of groups stick
 * below them. */
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

/* Returns the class of a table that a screen of usual width shows whole; "" of others. */
static const char *fit_of(const grid *g)
{
    int all = 0;
    for (int k = g->grouped; k < g->keys; k++)
        all += 5 * g->wide[k] / 4 + 2;
    for (int k = 0; k < g->columns; k++)
        all += width_of(g, k);
    return all <= SCREEN ? " fits" : all <= SMALL_SCREEN ? " fits tight" : "";
}

static bn_json *key_of(const grid *g, int k)
{
    return bn_json_pack("{si,ss}", "wide", g->wide[k], "label",
                        bn_text_of(g->column[g->key[k]], "label"));
}

static bn_json *column_of(const bn_json *column)
{
    const bn_source_words *from = &bn_sources[source_of(column)];
    return bn_json_pack("{ss,ss,ss}", "source", from->word, "label", bn_text_of(column, "label"),
                        "name", is_telling(column) ? "" : from->name);
}

static void put_heads(bn_page *p, const grid *g, const char *title)
{
    bn_json *keys = bn_json_array(), *columns = bn_json_array();
    for (int k = g->grouped; k < g->keys; k++)
        bn_json_add(keys, key_of(g, k));
    for (int i = 0; i < g->columns; i++)
        if (g->style[i].from != BN_FROM_KEY)
            bn_json_add(columns, column_of(g->column[i]));
    bn_fill(p, "grid", bn_json_pack("{ss,ss,sf,so,so}", "fits", fit_of(g), "title", title,
                                    "high", g->head, "keys", keys, "columns", columns));
}

/* ---- rows ---------------------------------------------------------------- */

/* Returns the group that begins with this row. */
static bn_json *group_of(const grid *g, const bn_json *row, size_t cells)
{
    char text[KEY_TEXT];
    key_text(text, bn_json_at(row, (size_t)g->key[0]));
    return bn_json_pack("{ss,sI}", "name", text, "columns", (int64_t)cells + 1);
}

/* Returns the keys of a row; those that are the same as in the row before are quiet. */
static bn_json *keys_of(const grid *g, const bn_json *row, const bn_json *before)
{
    bool again = before != NULL;
    bn_json *keys = bn_json_array();
    for (int k = g->grouped; k < g->keys; k++) {
        const bn_json *cell = bn_json_at(row, (size_t)g->key[k]);
        char text[KEY_TEXT];
        again = again && bn_json_equal(cell, bn_json_at(before, (size_t)g->key[k]));
        key_text(text, cell);
        bn_json_add(keys, bn_json_pack("{sb,si,ss}", "again", again, "wide", g->wide[k],
                                       "text", text));
    }
    return keys;
}

static void put_row(bn_page *p, const grid *g, size_t r)
{
    const bn_json *row = bn_json_at(g->rows, r), *before = r ? bn_json_at(g->rows, r - 1) : NULL;
    const bool new_group =
        g->grouped && !(before && bn_json_equal(bn_json_at(before, (size_t)g->key[0]),
                                                bn_json_at(row, (size_t)g->key[0])));
    bn_json *cells = bn_json_array();
    for (int i = 0; i < g->columns; i++)
        if (g->style[i].from != BN_FROM_KEY)
            bn_json_add(cells, bn_cell_values(bn_json_at(row, (size_t)i), &g->style[i]));
    bn_fill(p, "grid-row", bn_json_pack(
        "{sb,so,so,so}", "begun", new_group && r > 0,
        "group", new_group ? group_of(g, row, bn_json_count(cells)) : bn_json_null(),
        "keys", keys_of(g, row, new_group ? NULL : before), "cells", cells));
}

/* ---- the table ----------------------------------------------------------- */

static bn_json *notes_of(const bn_notes *n)
{
    bn_json *all = bn_json_array();
    for (int i = 0; i < n->count; i++)
        bn_json_add(all, bn_json_pack("{si,si,ss}", "table", n->table, "number", i + 1,
                                      "reason", n->reason[i]));
    return all;
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
    put_heads(p, &g, bn_text_of(table, "title"));
    for (size_t r = 0; r < bn_json_count(g.rows); r++)
        put_row(p, &g, r);
    bn_fill(p, "grid-end", bn_json_pack("{so}", "notes", notes_of(&g.notes)));
}
