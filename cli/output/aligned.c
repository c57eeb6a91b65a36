/* aligned.c -- facts and tables as aligned text that fits the terminal.
 *
 * Where a table is wider than the terminal, its bars go, two spaces stand between its columns
 * instead of three, and texts and heads wrap, the widest column first.  Columns that still do not
 * fit follow in further parts below, each of which begins with the texts that name a row.  The text
 * or the note of a fact wraps behind its label.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/summary.h"
#include "output/text.h"

enum { BAR = 32, BAR_LEAST = 8, CELL = 256, FACT = 4096, COLUMNS = 24, INDENT = 2, GAP = 3,
       NARROW_GAP = 2, TEXT_LEAST = 16, VALUE = 20, NAMES = 2, BESIDE = 20, BELOW = 4 };

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* ---- a line -------------------------------------------------------------- */

/* Spaces wait until a text follows, so that no line ends with one. */
static int waiting;

static void put_part(const char *text, size_t bytes)
{
    if (bytes == 0)
        return;
    printf("%*s", waiting, "");
    fwrite(text, 1, bytes, stdout);
    waiting = 0;
}

static void end_line(void)
{
    waiting = 0;
    putchar('\n');
}

static int part_width(const char *text, size_t bytes)
{
    char part[CELL];
    snprintf(part, sizeof part, "%.*s", (int)bytes, text);
    return text_width(part);
}

static void put_padded(const char *text, size_t bytes, int width, int right)
{
    const int pad = larger(width - part_width(text, bytes), 0);
    waiting += right ? pad : 0;
    put_part(text, bytes);
    waiting += right ? 0 : pad;
}

static const char *bold(int on)
{
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || getenv("NO_COLOR") || !term || strcmp(term, "dumb") == 0)
        return "";
    return on ? "\033[1m" : "\033[0m";
}

static void put_bar(double share, int width)
{
    static const char *const eighth[] = {"",       "\u258f", "\u258e", "\u258d",
                                         "\u258c", "\u258b", "\u258a", "\u2589"};
    const int utf8 = text_is_utf8();
    int eighths = (int)(share * width * 8);
    eighths += eighths < share * width * 8;     /* up, so that a single node shows */
    waiting += 2;
    for (int i = 0; i < eighths / 8; i++)
        put_part(utf8 ? "\u2588" : "#", utf8 ? 3 : 1);
    if (eighths % 8)
        put_part(utf8 ? eighth[eighths % 8] : "#", utf8 ? 3 : eighths < 8);
}

/* ---- facts --------------------------------------------------------------- */

typedef struct {
    int labels, values, right;  /* widths; whether the values are numbers */
    int columns;
} fact_layout;

static fact_layout measure_facts(const summary *r, int from, int end)
{
    char text[FACT];
    fact_layout l = {0, 0, 0, line_columns()};
    for (int i = from; i < end; i++) {
        const item *it = &r->items[i];
        if (!it->label)
            continue;
        cell_text(text, sizeof text, it->value, it->format, 1);
        const int width = text_width(text);
        l.labels = larger(l.labels, text_width(it->label));
        l.values = width <= VALUE ? larger(l.values, width) : l.values;
        l.right |= bn_json_is_number(it->value);
    }
    l.labels += INDENT + GAP;
    l.values = smaller(l.values, l.columns - l.labels);
    return l;
}

/* Writes a text from a column on, or on the next line where little room is left. */
static void put_beside(const char *text, int at, int columns)
{
    if (text_width(text) > columns - at && columns - at < BESIDE) {
        end_line();
        at = waiting = BELOW;
    }
    const int indent = at;
    for (size_t bytes; *text; text = text_after(text, bytes)) {
        bytes = text_line(text, columns - at);
        put_part(text, bytes);
        if (*text_after(text, bytes)) {
            end_line();
            waiting = indent;
        }
    }
}

static void put_fact(const item *it, const fact_layout *l)
{
    char text[FACT];
    cell_text(text, sizeof text, it->value, it->format, 1);
    const int width = text_width(text), padded = it->note[0] || l->right;
    const int pad = padded ? larger(l->values - width, 0) : 0;
    waiting = INDENT;
    put_padded(it->label, strlen(it->label), l->labels - INDENT, 0);
    waiting += l->right ? pad : 0;
    put_beside(text, l->labels, l->columns);
    if (it->note[0]) {
        waiting += 2 + (l->right ? 0 : pad);
        put_beside(it->note, l->labels + larger(width, l->values) + 2, l->columns);
    }
    end_line();
}

/* Aligns consecutive facts; returns how many there were. */
static int put_facts(const summary *r, int from)
{
    int end = from;
    while (end < r->count && r->items[end].kind == ITEM_FACT)
        end++;
    const fact_layout l = measure_facts(r, from, end);
    for (int i = from; i < end; i++)
        if (r->items[i].label)
            put_fact(&r->items[i], &l);
    return end - from;
}

/* ---- tables -------------------------------------------------------------- */

typedef struct {
    int    width[COLUMNS], least[COLUMNS];      /* of a column, unwrapped and at least */
    int    right[COLUMNS];                      /* numbers; a text is on the left */
    int    cell[COLUMNS];                       /* its place in a row; -1: a bar */
    double most[COLUMNS];
    int    columns, names;                      /* all; the texts that name a row */
} layout;

typedef struct {                /* columns that stand side by side */
    int column[COLUMNS], width[COLUMNS];
    int count, gap, bar;
} part;

static int longest_word(const char *text)
{
    int most = 0;
    for (text += strspn(text, " "); *text; text = text_after(text, strcspn(text, " ")))
        most = larger(most, part_width(text, strcspn(text, " ")));
    return most;
}

static void measure_column(layout *l, const item *it, int c, int cell)
{
    char text[CELL];
    int cells = 0;
    for (size_t i = 0; i < bn_json_count(it->value); i++) {
        const bn_json *v = bn_json_at(bn_json_at(it->value, i), (size_t)cell);
        cell_text(text, sizeof text, v, it->columns[c].format, 1);
        cells = larger(cells, text_width(text));
        l->right[c] |= bn_json_is_number(v);
        if (bn_json_is_number(v) && bn_json_as_number(v) > l->most[c])
            l->most[c] = bn_json_as_number(v);
    }
    l->cell[c] = cell;
    l->width[c] = larger(cells, text_width(it->columns[c].label));
    l->least[c] = larger(l->right[c] ? cells : smaller(cells, TEXT_LEAST),
                         longest_word(it->columns[c].label));
}

static void measure(layout *l, const item *it)
{
    int cell = 0;
    memset(l, 0, sizeof *l);
    for (; it->columns[l->columns].label && l->columns < COLUMNS; l->columns++) {
        if (it->columns[l->columns].key)
            measure_column(l, it, l->columns, cell++);
        else
            l->cell[l->columns] = -1;
    }
}

static int width_of(const part *p)
{
    int sum = INDENT, columns = 0;
    for (int i = 0; i < p->count; i++) {
        sum += p->width[i];
        columns += p->width[i] > 0;
    }
    return sum + p->gap * larger(columns - 1, 0);
}

/* Narrows the widest columns until all fit; returns whether they do. */
static int fit(part *p, const layout *l, int columns)
{
    for (int most = columns; most > 0; most--) {
        for (int i = 0; i < p->count; i++) {
            const int c = p->column[i];
            p->width[i] = l->cell[c] < 0 ? 0 : larger(l->least[c], smaller(l->width[c], most));
        }
        if (width_of(p) <= columns)
            return 1;
    }
    return 0;
}

/* Returns the texts that name a row and the columns from `from` on that fit behind. */
static part next_part(const layout *l, int from, int columns)
{
    part p = {.gap = NARROW_GAP};
    for (int c = 0; c < l->names; c++)
        p.column[p.count++] = c;
    for (int c = from; c < l->columns; c++) {
        p.column[p.count++] = c;
        if (!fit(&p, l, columns) && c > from) {
            p.count--;
            fit(&p, l, columns);
            break;
        }
    }
    return p;
}

/* Returns all columns side by side, unwrapped. */
static part whole(const layout *l, int columns)
{
    part p = {.gap = GAP};
    int bars = 0;
    for (int c = 0; c < l->columns; c++) {
        p.column[p.count] = c;
        p.width[p.count++] = l->cell[c] < 0 ? 0 : l->width[c];
        bars += l->cell[c] < 0;
    }
    p.bar = bars ? smaller(BAR, columns - width_of(&p) - 2) : 0;
    return p;
}

/* Writes a row of cells, or of heads, whose last lines stand above the first row. */
static void put_cells(const part *p, const layout *l, char (*text)[CELL], int head)
{
    const char *at[COLUMNS];
    int lines = 0, own[COLUMNS];
    for (int i = 0; i < p->count; i++) {
        at[i] = text[i];
        own[i] = 0;
        for (const char *t = text[i]; *t && p->width[i]; own[i]++)
            t = text_after(t, text_line(t, p->width[i]));
        lines = larger(lines, own[i]);
    }
    for (int line = 0; line < lines || line == 0; line++) {
        waiting = INDENT;
        for (int i = 0; i < p->count; i++) {
            const int due = *at[i] && p->width[i] && (!head || line >= lines - own[i]);
            const size_t bytes = due ? text_line(at[i], p->width[i]) : 0;
            put_padded(at[i], bytes, p->width[i], l->right[p->column[i]]);
            at[i] = text_after(at[i], bytes);
            waiting += p->width[i] && i + 1 < p->count && p->width[i + 1] ? p->gap : 0;
        }
        if (line + 1 < lines)
            end_line();
    }
}

static void put_head(const part *p, const layout *l, const item *it)
{
    char text[COLUMNS][CELL];
    for (int i = 0; i < p->count; i++)
        snprintf(text[i], CELL, "%s", it->columns[p->column[i]].label);
    put_cells(p, l, text, 1);
    end_line();
}

static void put_row(const part *p, const layout *l, const item *it, const bn_json *row)
{
    char text[COLUMNS][CELL];
    double share = 0;
    for (int i = 0; i < p->count; i++) {
        const int c = p->column[i];
        text[i][0] = 0;
        if (l->cell[c] >= 0)
            cell_text(text[i], CELL, bn_json_at(row, (size_t)l->cell[c]), it->columns[c].format, 1);
        else if (l->most[c - 1] > 0)
            share = bn_json_as_number(bn_json_at(row, (size_t)l->cell[c - 1])) / l->most[c - 1];
    }
    put_cells(p, l, text, 0);
    if (share > 0 && p->bar >= BAR_LEAST)
        put_bar(share, p->bar);
    end_line();
}

static void put_table(const item *it)
{
    const int columns = line_columns();
    const size_t rows = bn_json_count(it->value);
    const size_t shown = it->limit && rows > (size_t)it->limit ? (size_t)it->limit : rows;
    layout l;
    measure(&l, it);
    part p = whole(&l, columns);
    const int fits = width_of(&p) <= columns;
    while (!fits && l.names < l.columns - 1 && !l.right[l.names] && l.names < NAMES)
        l.names++;
    for (int from = l.names, first = 1; first || from < l.columns; first = 0) {
        if (!fits)
            p = next_part(&l, from, columns);
        from = p.column[p.count - 1] + 1;
        if (!first)
            putchar('\n');
        put_head(&p, &l, it);
        for (size_t i = 0; i < shown; i++)
            put_row(&p, &l, it, bn_json_at(it->value, i));
    }
    if (shown < rows)
        printf("  ... and %zu more\n", rows - shown);
}

void summary_put_text(const summary *r)
{
    for (int i = 0; i < r->count;) {
        const item *it = &r->items[i];
        if (it->kind == ITEM_FACT) {
            i += put_facts(r, i);
            continue;
        }
        if (it->kind == ITEM_HEADING) {
            printf("%s%s", i ? "\n" : "", bold(1));
            put_wrapped(it->label, 0, 0, line_columns());
            puts(bold(0));
        } else if (it->kind == ITEM_TABLE) {
            if (i && r->items[i - 1].kind == ITEM_FACT)
                putchar('\n');
            put_table(it);
        }
        i++;
    }
}
