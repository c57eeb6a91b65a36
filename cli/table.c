/* table.c -- facts and tables, collected once and printed in one of three ways.
 *
 * On a terminal: headings and aligned columns.  Into a pipe: one row per line,
 * cells separated by tabs, a table's rows after its key.  With --json: one object.
 * Cells are JSON values, so that all three print the same.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { BAR = 32, CELL = 256, COLUMNS = 12 };

static item *add(summary *r, int kind, const char *key, const char *label, bn_json *value)
{
    static item spare;
    if (r->count == (int)(sizeof r->items / sizeof *r->items) || (kind != ITEM_HEADING && !value)) {
        bn_json_free(value);
        r->broken = 1;
        memset(&spare, 0, sizeof spare);
        return &spare;
    }
    item *it = &r->items[r->count++];
    memset(it, 0, sizeof *it);
    it->kind = kind;
    it->key = key;
    it->label = label;
    it->value = value;
    return it;
}

/* Names come from files: control characters must not reach the terminal or split a row. */
static void clean(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = ' ';
}

void summary_heading(summary *r, const char *text)
{
    add(r, ITEM_HEADING, NULL, text, NULL);
}

void summary_int(summary *r, const char *key, const char *label, int64_t value)
{
    add(r, ITEM_FACT, key, label, bn_json_whole(value));
}

void summary_real(summary *r, const char *key, const char *label, double value, const char *format)
{
    bn_json *cell = isfinite(value) ? bn_json_real(value) : bn_json_null();
    add(r, ITEM_FACT, key, label, cell)->format = format;
}

void summary_text(summary *r, const char *key, const char *label, const char *value)
{
    add(r, ITEM_FACT, key, label, bn_json_text(value));
}

void summary_note(summary *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (r->count) {
        vsnprintf(r->items[r->count - 1].note, sizeof r->items[0].note, format, args);
        clean(r->items[r->count - 1].note);
    }
    va_end(args);
}

void summary_table(summary *r, const char *key, const column *columns, bn_json *rows)
{
    add(r, ITEM_TABLE, key, NULL, rows)->columns = columns;
}

void summary_json(summary *r, const char *key, bn_json *value)
{
    add(r, ITEM_JSON, key, NULL, value);
}

/* ---- cells as text ------------------------------------------------------- */

static void cell_text(char *buf, size_t size, const bn_json *cell, const char *format, int people)
{
    if (bn_json_is_whole(cell) && people && format && strcmp(format, "bytes") == 0)
        text_bytes(buf, size, (double)bn_json_as_whole(cell));
    else if (bn_json_is_whole(cell) && people)
        text_grouped(buf, size, bn_json_as_whole(cell));
    else if (bn_json_is_whole(cell))
        snprintf(buf, size, "%lld", (long long)bn_json_as_whole(cell));
    else if (bn_json_is_real(cell) && people && format)
        snprintf(buf, size, format, bn_json_as_number(cell));
    else if (bn_json_is_real(cell))
        snprintf(buf, size, "%.6g", bn_json_as_number(cell));
    else if (bn_json_is_text(cell)) {
        snprintf(buf, size, "%s", bn_json_as_text(cell));
        clean(buf);
    } else if (bn_json_is_flag(cell))
        snprintf(buf, size, "%s", bn_json_is_true(cell) ? "yes" : "no");
    else
        snprintf(buf, size, "%s", people ? "-" : "");
}

/* ---- on a terminal ------------------------------------------------------- */

static void put_padded(const char *text, int width, int right)
{
    int pad = width - text_width(text);
    if (right && pad > 0)
        printf("%*s", pad, "");
    fputs(text, stdout);
    if (!right && pad > 0)
        printf("%*s", pad, "");
}

static const char *bold(int on)
{
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || getenv("NO_COLOR") || !term || strcmp(term, "dumb") == 0)
        return "";
    return on ? "\033[1m" : "\033[0m";
}

static void put_bar(double share)
{
    static const char *const eighth[] = {"",       "\u258f", "\u258e", "\u258d",
                                         "\u258c", "\u258b", "\u258a", "\u2589"};
    int utf8 = text_is_utf8(), eighths = (int)(share * BAR * 8);
    eighths += eighths < share * BAR * 8;       /* up, so that a single node shows */
    fputs("  ", stdout);
    for (int i = 0; i < eighths / 8; i++)
        fputs(utf8 ? "\u2588" : "#", stdout);
    if (eighths % 8)
        fputs(utf8 ? eighth[eighths % 8] : eighths < 8 ? "#" : "", stdout);
}

/* Aligns consecutive facts; returns how many there were. */
static int put_facts(const summary *r, int from)
{
    char text[CELL];
    int end = from, labels = 0, values = 0, right = 0;
    for (; end < r->count && r->items[end].kind == ITEM_FACT; end++) {
        const item *it = &r->items[end];
        if (!it->label)
            continue;
        cell_text(text, sizeof text, it->value, it->format, 1);
        int width = text_width(text);
        labels = text_width(it->label) > labels ? text_width(it->label) : labels;
        values = width > values && width <= 20 ? width : values;
        right |= bn_json_is_number(it->value);
    }
    for (int i = from; i < end; i++) {
        const item *it = &r->items[i];
        if (!it->label)
            continue;
        cell_text(text, sizeof text, it->value, it->format, 1);
        fputs("  ", stdout);
        put_padded(it->label, labels + 3, 0);
        put_padded(text, it->note[0] || right ? values : 0, right);
        printf("%s%s\n", it->note[0] ? "  " : "", it->note);
    }
    return end - from;
}

typedef struct {
    int    width[COLUMNS], right[COLUMNS];
    double most[COLUMNS];
    int    columns;
} layout;

static void measure(layout *l, const item *it)
{
    char text[CELL];
    memset(l, 0, sizeof *l);
    for (; it->columns[l->columns].label && l->columns < COLUMNS; l->columns++)
        l->width[l->columns] = text_width(it->columns[l->columns].label);
    for (size_t i = 0; i < bn_json_count(it->value); i++)
        for (int c = 0, cell = 0; c < l->columns; c++) {
            if (!it->columns[c].key)
                continue;
            const bn_json *v = bn_json_at(bn_json_at(it->value, i), (size_t)cell++);
            cell_text(text, sizeof text, v, it->columns[c].format, 1);
            l->width[c] = text_width(text) > l->width[c] ? text_width(text) : l->width[c];
            l->right[c] |= bn_json_is_number(v);
            if (bn_json_is_number(v) && bn_json_as_number(v) > l->most[c])
                l->most[c] = bn_json_as_number(v);
        }
}

static void put_row(const item *it, const layout *l, const bn_json *row)
{
    char text[CELL];
    fputs("  ", stdout);
    for (int c = 0, cell = 0; c < l->columns; c++) {
        if (!it->columns[c].key) {
            double v = bn_json_as_number(bn_json_at(row, (size_t)cell - 1));
            if (v > 0)
                put_bar(v / l->most[c - 1]);
            continue;
        }
        cell_text(text, sizeof text, bn_json_at(row, (size_t)cell++), it->columns[c].format, 1);
        int last = c + 1 == l->columns;
        put_padded(text, last && !l->right[c] ? 0 : l->width[c], l->right[c]);
        fputs(last || !it->columns[c + 1].key ? "" : "   ", stdout);
    }
    putchar('\n');
}

static void put_table(const item *it)
{
    layout l;
    size_t rows = bn_json_count(it->value), shown = rows;
    measure(&l, it);
    fputs("  ", stdout);
    for (int c = 0; c < l.columns; c++) {
        int last = c + 1 == l.columns || !it->columns[c + 1].key;
        if (it->columns[c].key)
            put_padded(it->columns[c].label, last && !l.right[c] ? 0 : l.width[c], l.right[c]);
        fputs(last ? "" : "   ", stdout);
    }
    putchar('\n');
    if (it->limit && rows > (size_t)it->limit)
        shown = (size_t)it->limit;
    for (size_t i = 0; i < shown; i++)
        put_row(it, &l, bn_json_at(it->value, i));
    if (shown < rows)
        printf("  ... and %zu more\n", rows - shown);
}

static void print_text(const summary *r)
{
    for (int i = 0; i < r->count;) {
        const item *it = &r->items[i];
        if (it->kind == ITEM_FACT) {
            i += put_facts(r, i);
            continue;
        }
        if (it->kind == ITEM_HEADING)
            printf("%s%s%s%s\n", i ? "\n" : "", bold(1), it->label, bold(0));
        else if (it->kind == ITEM_TABLE) {
            if (i && r->items[i - 1].kind == ITEM_FACT)
                putchar('\n');
            put_table(it);
        }
        i++;
    }
}

/* ---- into a pipe --------------------------------------------------------- */

static void print_tsv(const summary *r)
{
    char text[4096];
    for (int i = 0; i < r->count; i++) {
        const item *it = &r->items[i];
        if (it->kind == ITEM_FACT && it->key) {
            cell_text(text, sizeof text, it->value, it->format, 0);
            printf("%s\t%s\n", it->key, text);
        }
        size_t rows = it->kind == ITEM_TABLE && it->key ? bn_json_count(it->value) : 0;
        for (size_t row = 0; row < rows; row++) {
            const bn_json *cells = bn_json_at(it->value, row);
            fputs(it->key, stdout);
            for (size_t c = 0; c < bn_json_count(cells); c++) {
                cell_text(text, sizeof text, bn_json_at(cells, c), NULL, 0);
                printf("\t%s", text);
            }
            putchar('\n');
        }
    }
}

/* ---- as JSON ------------------------------------------------------------- */

/* Sets "a.b" inside the object that "a" holds. */
static void set_at(bn_json *root, const char *key, bn_json *value)
{
    char name[64];
    const char *dot = strchr(key, '.');
    if (!dot) {
        bn_json_set(root, key, value);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
    if (!bn_json_get(root, name))
        bn_json_set(root, name, bn_json_object());
    set_at(bn_json_get(root, name), dot + 1, value);
}

static bn_json *rows_as_objects(const item *it)
{
    bn_json *out = bn_json_array();
    for (size_t i = 0; i < bn_json_count(it->value); i++) {
        bn_json *object = bn_json_object();
        size_t cell = 0;
        for (const column *c = it->columns; c->label; c++)
            if (c->key)
                bn_json_set(object, c->key,
                            bn_json_keep(bn_json_at(bn_json_at(it->value, i), cell++)));
        bn_json_add(out, object);
    }
    return out;
}

void summary_free(summary *r)
{
    for (int i = 0; i < r->count; i++)
        bn_json_free(r->items[i].value);
    r->count = 0;
}

/* Whether something could not be collected. */
static int is_broken(const summary *r)
{
    int broken = r->broken;
    for (int i = 0; i < r->count; i++)
        broken |= r->items[i].value && !bn_json_sound(r->items[i].value);
    return broken;
}

bn_json *summary_object(const summary *r)
{
    bn_json *root = bn_json_object();
    for (int i = 0; i < r->count; i++) {
        const item *it = &r->items[i];
        if (!it->key || it->no_json)
            continue;
        set_at(root, it->key,
               it->kind == ITEM_TABLE ? rows_as_objects(it) : bn_json_keep(it->value));
    }
    if (!is_broken(r))
        return root;
    bn_json_free(root);
    return NULL;
}

static int no_memory(session *s)
{
    return fail_with(s, "there is not enough memory to print the results");
}

int print_json(session *s, bn_json *value)
{
    progress_clear(&s->progress);
    char *text = bn_json_print(value, 2, 10);
    int code = text ? EXIT_DONE : no_memory(s);
    if (text)
        puts(text);
    bn_json_drop(text);
    bn_json_free(value);
    return code;
}

int summary_has(summary *r, bonsai_status rc)
{
    r->broken |= rc == BONSAI_E_MEMORY;
    return rc == BONSAI_OK;
}

void summary_degrees(summary *r, const bonsai_stats *st)
{
    summary_heading(r, "Degrees");
    summary_int(r, "degree.min", "least", st->degree_min);
    summary_int(r, "degree.median", "median", st->degree_median);
    summary_real(r, "degree.mean", "mean", st->degree_mean, "%.2f");
    summary_int(r, "degree.max", "most", st->degree_max);
    summary_real(r, "degree.exponent", "exponent of the tail",
                 st->power_exponent > 0 ? st->power_exponent : NAN, "%.2f");
}

int summary_print(summary *r, session *s)
{
    style how = style_of(s);
    int code = EXIT_DONE;
    progress_clear(&s->progress);
    if (is_broken(r))
        code = no_memory(s);
    else if (how == STYLE_TEXT)
        print_text(r);
    else if (how == STYLE_TSV)
        print_tsv(r);
    else
        code = print_json(s, summary_object(r));
    summary_free(r);
    return code;
}
