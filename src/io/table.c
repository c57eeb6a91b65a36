/* table.c -- a text file as a table: its first two lines, words below them, rows, and names in
 * comments at its head; see table.h.
 *
 * Our writer puts names, which may be any text, into comments: "# bonsai: class_names=C" and then C
 * lines "# NAME", where \n, \r, \t, \s (a blank) and \\ escape what a comment line cannot hold.
 *
 * SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdio.h>
#include <string.h>

/* ---- the first two records ---- */

static bonsai_status keep_record(bn_table *t, bn_record *r)
{
    bonsai_status rc;
    bn_field f;
    BN_TRY(bn_field_next(&t->l, &f));
    while (f.text) {
        BN_TRY(bn_grow((void **)&r->cell, &r->capacity, r->count + 1, sizeof *r->cell));
        BN_TRY(bn_grow((void **)&t->text, &t->capacity, t->len + f.len + 1, 1));
        if (f.len > 0)
            memcpy(t->text + t->len, f.text, (size_t)f.len);
        r->cell[r->count++] = (bn_cell_place){t->len, f.len, f.quoted};
        t->len += f.len;
        BN_TRY(bn_field_next(&t->l, &f));
    }
done:
    return rc;
}

bonsai_status bn_table_open(bn_table *t, const char *path)
{
    bonsai_status rc;
    BN_TRY(bn_lines_open(&t->l, path));
    for (int i = 0; i < 2 && bn_lines_next(&t->l); i++) {
        t->line = i == 0 ? t->l.line : t->line;
        BN_TRY(keep_record(t, &t->record[i]));
    }
    bn_lines_rewind(&t->l);
done:
    return rc;
}

void bn_table_close(bn_table *t)
{
    bn_lines_close(&t->l);
    bn_free(t->record[0].cell);
    bn_free(t->record[1].cell);
    bn_free(t->text);
}

bn_field bn_cell(const bn_table *t, int record, int64_t column)
{
    const bn_record *r = &t->record[record];
    if (column >= r->count)
        return (bn_field){"", 0, false};
    const bn_cell_place *c = &r->cell[column];
    return (bn_field){t->text + c->begin, c->len, c->quoted};
}

int64_t bn_table_column(const bn_table *t, const char *name)
{
    for (int64_t i = 0; i < t->record[0].count; i++) {
        const bn_field f = bn_cell(t, 0, i);
        if (bn_field_is(&f, name))
            return i;
    }
    return -1;
}

bonsai_status bn_table_fail(const bn_table *t, int64_t column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bonsai_status rc = bn_fail_line(t->l.path, t->line, column, fmt, args);
    va_end(args);
    return rc;
}

/* ---- words below a record ---- */

bonsai_status bn_record_next(bn_lines *l, bool *there)
{
    bonsai_status rc = BONSAI_OK;
    bn_field f;
    while (l->more)
        BN_TRY(bn_field_next(l, &f));
    *there = bn_lines_next(l);
done:
    return rc;
}

static bonsai_status find_word(bool *found, bn_lines *l, bn_field word, int64_t from, int64_t to)
{
    bonsai_status rc;
    bn_field f;
    bool there;
    *found = false;
    BN_TRY(bn_record_next(l, &there));
    while (!*found && there) {
        for (int64_t i = 0; i < to && l->more && !*found; i++) {
            BN_TRY(bn_field_next(l, &f));
            *found = i >= from && f.len == word.len &&
                     (f.len == 0 || memcmp(f.text, word.text, (size_t)f.len) == 0);
        }
        BN_TRY(bn_record_next(l, &there));
    }
done:
    return rc;
}

bonsai_status bn_table_occurs(bool *found, bn_table *t, bn_field word, int64_t from, int64_t to)
{
    bn_lines_rewind(&t->l);
    bn_lines_next(&t->l);
    return find_word(found, &t->l, word, from, to);
}

bonsai_status bn_file_has(bool *found, const char *path, bn_field word, int64_t columns)
{
    bonsai_status rc;
    bn_lines l = {0};
    BN_TRY(bn_lines_open(&l, path));
    BN_TRY(find_word(found, &l, word, 0, columns));
done:
    bn_lines_close(&l);
    return rc;
}

/* ---- rows ---- */

void bn_table_start(bn_table *t)
{
    bn_lines_rewind(&t->l);
    if (t->header)
        bn_lines_next(&t->l);
}

bool bn_table_next(bn_table *t, bonsai_status *rc)
{
    const bool there = bn_lines_row(&t->l, t->progress, t->stage, rc);
    if (there && t->in_order)
        *rc = bn_lines_close_up(&t->l);
    return there && *rc == BONSAI_OK;
}

/* ---- names ---- */

bool bn_is_id_name(const bn_field *f, bool first)
{
    const bn_field tail = {f->text + (f->len > 3 ? f->len - 3 : 0), 3, false};
    return bn_field_is(f, "id") || bn_field_is(f, "node") || bn_field_is(f, "node_id") ||
           bn_field_is(f, "nodeid") || (first && f->len > 3 && bn_field_is(&tail, "_id"));
}

bool bn_is_label_name(const bn_field *f)
{
    return bn_field_is(f, "label") || bn_field_is(f, "class") || bn_field_is(f, "y") ||
           bn_field_is(f, "target");
}

bool bn_field_is_real(const bn_field *f)
{
    double v;
    return bn_field_real(f, &v);
}

bonsai_status bn_head_names_add(bn_head_names *n, const bn_lines *l, const bn_field *f,
                                bool escaped)
{
    bonsai_status rc;
    BN_TRY(bn_field_name(l, f));
    BN_TRY(bn_grow((void **)&n->text, &n->capacity, n->len + f->len + 1, 1));
    char *to = n->text + n->len;
    for (int64_t i = 0; i < f->len; i++) {
        char c = f->text[i];
        if (escaped && c == '\\' && i + 1 < f->len) {
            c = f->text[++i];
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == 's' ? ' ' : c == 't' ? '\t' : c;
        }
        *to++ = c;
    }
    *to++ = 0;
    n->len = to - n->text;
    n->count++;
done:
    return rc;
}

/* Reads the announced number and as many names. */
static bonsai_status read_list(bn_head_names *n, bn_lines *l, bn_field *f, const char *what)
{
    bonsai_status rc;
    int64_t wanted;
    if (n->text || !bn_field_int(f, &wanted) || wanted < 0)
        return bn_lines_fail(l, "\"%.*s\" is not a number of %s names", bn_field_show(f), f->text,
                             what);
    BN_TRY(bn_grow((void **)&n->text, &n->capacity, 1, 1));
    while (n->count < wanted) {
        if (!bn_comment_next(l, f))
            return bn_lines_fail(l, "%lld %s names where %lld were announced", (long long)n->count,
                                 what, (long long)wanted);
        BN_TRY(bn_head_names_add(n, l, f, true));
    }
done:
    return rc;
}

bonsai_status bn_head_names_read(bn_head_names *n, bn_lines *l, const char *what)
{
    bonsai_status rc = BONSAI_OK;
    char mark[40];
    const int64_t len = snprintf(mark, sizeof mark, "bonsai: %s_names=", what);
    bn_field f;
    while (bn_comment_next(l, &f)) {
        if (f.len < len || memcmp(f.text, mark, (size_t)len) != 0)
            continue;
        f.text += len;
        f.len -= len;
        BN_TRY(read_list(n, l, &f, what));
    }
done:
    return rc;
}
