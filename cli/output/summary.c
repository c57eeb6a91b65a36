/* table.c -- facts and tables, collected once and printed in one of three ways.
 *
 * On a terminal: headings and aligned columns (aligned.c).  Into a pipe: one row per line, cells
 * separated by tabs; a fact's key and value; a table's rows after its key, the names of its columns
 * first.  With --json: one object.  Cells are JSON values, so that all three print the same.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "output/summary.h"
#include "output/text.h"

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
    it->show = r->show;
    return it;
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
        bn_utf8_clean(r->items[r->count - 1].note, ' ');
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

void cell_text(char *buf, size_t size, const bn_json *cell, const char *format, int people)
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
        bn_utf8_clean(buf, ' ');
    } else if (bn_json_is_flag(cell))
        snprintf(buf, size, "%s", bn_json_is_true(cell) ? "yes" : "no");
    else
        snprintf(buf, size, "%s", people ? "-" : "");
}

/* ---- into a pipe --------------------------------------------------------- */

/* Writes the names of the columns, also of a table without rows, then the rows. */
static void put_rows(const item *it)
{
    char text[4096];
    fputs(it->key, stdout);
    for (const column *c = it->columns; c->label; c++)
        if (c->key)
            printf("\t%s", c->key);
    putchar('\n');
    for (size_t row = 0; row < bn_json_count(it->value); row++) {
        const bn_json *cells = bn_json_at(it->value, row);
        fputs(it->key, stdout);
        for (size_t c = 0; c < bn_json_count(cells); c++) {
            cell_text(text, sizeof text, bn_json_at(cells, c), NULL, 0);
            printf("\t%s", text);
        }
        putchar('\n');
    }
}

static void print_tsv(const summary *r)
{
    char text[4096];
    for (int i = 0; i < r->count; i++) {
        const item *it = &r->items[i];
        if (it->kind == ITEM_FACT && it->key) {
            cell_text(text, sizeof text, it->value, it->format, 0);
            printf("%s\t%s\n", it->key, text);
        }
        if (it->kind == ITEM_TABLE && it->key)
            put_rows(it);
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

/* Returns 1 if memory or room for items ran out. */
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

/* Removes what people do not see without -v, or with it. */
static void leave_out(summary *r, int verbose)
{
    const summary_show hidden = verbose ? SHOW_BRIEF : SHOW_VERBOSE;
    int kept = 0;
    for (int i = 0; i < r->count; i++)
        if (r->items[i].show == hidden)
            bn_json_free(r->items[i].value);
        else
            r->items[kept++] = r->items[i];
    r->count = kept;
}

int summary_print(summary *r, session *s)
{
    style how = style_of(s);
    int code = EXIT_DONE;
    progress_clear(&s->progress);
    if (is_broken(r))
        code = no_memory(s);
    else if (how == STYLE_TEXT) {
        leave_out(r, s->verbose);
        summary_put_text(r);
    } else if (how == STYLE_TSV)
        print_tsv(r);
    else
        code = print_json(s, summary_object(r));
    summary_free(r);
    return code;
}
