/* lines.c -- lines and fields of a mapped or inflated file; see lines.h.
 *
 * Only fields with doubled quotes are copied.  Numbers are parsed in place; only text that does not
 * look like a plain number goes through a field.
 *
 * SPDX-License-Identifier: MIT */
#include "lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

enum { SHOWN = 40 };           /* bytes of a field shown in an error message */

/* ---- lines ---- */

void bn_lines_close(bn_lines *l)
{
    bn_file_close(&l->file);
    bn_free(l->inflated);
    bn_free(l->room);
    memset(l, 0, sizeof *l);
}

void bn_lines_rewind(bn_lines *l)
{
    l->next = l->start = l->at = l->end = l->feed = l->data;
    l->line = l->lines = l->gap = l->tick = 0;
    l->more = false;
}

/* Returns the column, from 1, that was read last. */
static int64_t column_read(const bn_lines *l)
{
    bn_lines again = {.separator = l->separator, .stop = l->stop, .next = l->start,
                      .feed = l->start};
    bn_field f;
    int64_t columns = 0;
    bn_lines_next(&again);
    while (again.more && again.at < l->at && bn_field_next(&again, &f) == BONSAI_OK)
        columns++;
    bn_free(again.room);
    return columns;
}

bonsai_status bn_lines_fail(const bn_lines *l, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bonsai_status rc = bn_fail_line(l->path, l->line, column_read(l), fmt, args);
    va_end(args);
    return rc;
}

bonsai_status bn_lines_tick(bn_lines *l, bn_progress p, const char *stage)
{
    int64_t done = l->next - l->data, total = l->stop - l->data;
    if (done < l->tick)
        return BONSAI_OK;
    if (l->tick == 0)
        done = 0;
    l->tick = done + total / 64 + 1;
    if (l->tick > total && done < total)
        l->tick = total;
    return bn_tick(p, stage, done, total);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *first_of_line(const bn_lines *l)
{
    const char *p = l->at;
    while (p < l->end && is_blank(*p))
        p++;
    return p;
}

/* Extends the record by one line, which ends with LF, CR LF or CR. */
static void take_line(bn_lines *l)
{
    if (l->feed <= l->next && l->feed < l->stop) {
        const char *feed = memchr(l->next, '\n', (size_t)(l->stop - l->next));
        l->feed = feed ? feed + 1 : l->stop;
    }
    const char *cr = memchr(l->next, '\r', (size_t)(l->feed - l->next));
    if (cr) {
        l->end = cr;
        l->next = cr + 1 < l->stop && cr[1] == '\n' ? cr + 2 : cr + 1;
    } else {
        l->next = l->feed;
        l->end = l->next[-1] == '\n' ? l->next - 1 : l->next;
    }
    l->lines++;
}

/* Moves past the quoted text that starts at p. */
static const char *skip_quoted(const char *p, const char *stop)
{
    const char *end = memchr(p + 1, '"', (size_t)(stop - p - 1));
    return end ? end + 1 : stop;
}

/* Finds the separator in the first record, which may span lines within quotes.  A tab next to
 * another separator, or at an end of the line, may be a blank. */
static bonsai_status find_separator(bn_lines *l)
{
    bool comma = false, semicolon = false, tab = false, inner_tab = false, pending = false;
    char last = 0;              /* the last character that is not a blank */
    for (const char *p = l->at; p < l->stop && *p != '\n' && *p != '\r';) {
        if (*p == '"' && (!last || strchr(" \t,;", p[-1]))) {
            last = *p;
            p = skip_quoted(p, l->stop);
            continue;
        }
        const bool mark = *p == ',' || *p == ';';
        comma |= *p == ',';
        semicolon |= *p == ';';
        tab |= *p == '\t';
        inner_tab |= pending && !mark && !is_blank(*p);
        pending = *p == '\t' ? last && last != ',' && last != ';' : pending && is_blank(*p);
        last = is_blank(*p) ? last : *p;
        p++;
    }
    if (comma + semicolon + inner_tab > 1)
        return bn_lines_fail(l, "%s and %s both occur, so it is not clear which of them separates "
                             "the columns: use one, decimal points, and quotes around names with "
                             "the other", comma ? "\",\"" : "\";\"", inner_tab ? "tabs" : "\";\"");
    l->separator = comma ? ',' : tab ? '\t' : semicolon ? ';' : ' ';
    return BONSAI_OK;
}

bool bn_lines_next(bn_lines *l)
{
    const bool inside = l->line > 0;
    l->gap = 0;
    while (l->next < l->stop) {
        l->start = l->at = l->next;
        take_line(l);
        const char *first = first_of_line(l);
        if (first == l->end || *first == '#' || *first == '%') {
            l->gap = inside && !l->gap ? l->lines : l->gap;
            continue;
        }
        l->line = l->lines;
        l->more = true;
        return true;
    }
    l->at = l->end = l->next;
    l->more = false;
    return false;
}

bool bn_lines_row(bn_lines *l, bn_progress p, const char *stage, bonsai_status *rc)
{
    const bool there = bn_lines_next(l);
    *rc = bn_lines_tick(l, p, stage);
    return there && *rc == BONSAI_OK;
}

bonsai_status bn_lines_open(bn_lines *l, const char *path)
{
    bonsai_status rc;
    memset(l, 0, sizeof *l);
    l->path = path;
    BN_TRY(bn_file_open(&l->file, path));
    if (bn_ends_with(path, ".gz")) {
        int64_t len = 0;
        BN_TRY(bn_gunzip(&l->inflated, &len, &l->file, path));
        bn_file_close(&l->file);
        l->data = l->inflated;
        l->stop = l->data + len;
    } else {
        l->data = l->file.data ? (const char *)l->file.data : "";
        l->stop = l->data + l->file.len;
    }
    const int64_t len = l->stop - l->data;
    if (len >= 3 && memcmp(l->data, "\xef\xbb\xbf", 3) == 0)
        l->data += 3;
    if (len >= 2 && (memcmp(l->data, "\xff\xfe", 2) == 0 || memcmp(l->data, "\xfe\xff", 2) == 0)) {
        rc = bn_fail_at(BONSAI_E_FORMAT, path, "is UTF-16 text; save it as UTF-8");
        goto done;
    }
    bn_lines_rewind(l);
    if (bn_lines_next(l))
        BN_TRY(find_separator(l));
    bn_lines_rewind(l);
done:
    if (rc != BONSAI_OK)
        bn_lines_close(l);
    return rc;
}

bonsai_status bn_lines_close_up(const bn_lines *l)
{
    if (l->gap == 0)
        return BONSAI_OK;
    return bn_lines_fail(&(bn_lines){.path = l->path, .line = l->gap}, "a blank line or a comment "
                         "between rows without ids, which belong to the nodes in order: write -1 "
                         "for an unknown label, and quotes around a value that starts with # or "
                         "%%");
}

bool bn_comment_next(bn_lines *l, bn_field *out)
{
    bn_lines before = *l;
    while (l->next < l->stop) {
        l->at = l->next;
        take_line(l);
        const char *first = first_of_line(l);
        if (first == l->end)
            continue;
        if (*first != '#' && *first != '%')
            break;
        l->line = l->lines;
        for (first++; first < l->end && is_blank(*first); first++) {}
        const char *last = l->end;
        while (last > first && is_blank(last[-1]))
            last--;
        *out = (bn_field){first, last - first, false};
        return true;
    }
    *l = before;
    return false;
}

/* ---- fields ---- */

/* Skips blanks; a tab is one unless the file separates fields by tabs. */
static const char *skip_blanks(const bn_lines *l, const char *p)
{
    while (p < l->end && (*p == ' ' || (*p == '\t' && l->separator != '\t')))
        p++;
    return p;
}

/* Moves past the separator that follows a field ending at p; false: there is none. */
static bool leave_field(bn_lines *l, const char *p)
{
    const char *q = skip_blanks(l, p);
    if (q == l->end) {
        l->at = q;
        l->more = false;
        return true;
    }
    if (l->separator == ' ' ? q == p : *q != l->separator)
        return false;
    l->at = l->separator == ' ' ? q : q + 1;
    return true;
}

/* Removes the outer quotes and turns each doubled inner quote into one. */
static bonsai_status undouble(bn_lines *l, bn_field *f)
{
    bonsai_status rc;
    int64_t len = 0;
    BN_TRY(bn_grow((void **)&l->room, &l->capacity, f->len, 1));
    for (int64_t i = 0; i < f->len; i++) {
        l->room[len++] = f->text[i];
        i += f->text[i] == '"';
    }
    f->text = l->room;
    f->len = len;
done:
    return rc;
}

static bonsai_status quoted_field(bn_lines *l, const char *open, bn_field *out)
{
    bool doubled = false;
    const char *p = open + 1;
    for (;; p += 2, doubled = true) {
        p = memchr(p, '"', (size_t)(l->stop - p));
        if (!p)
            return bn_lines_fail(l, "a quote is opened but never closed");
        if (p + 1 == l->stop || p[1] != '"')
            break;
    }
    while (p >= l->end)
        take_line(l);
    *out = (bn_field){open + 1, p - open - 1, true};
    if (!leave_field(l, p + 1))
        return bn_lines_fail(l, "\"%.*s\" is followed by more than a separator",
                             bn_field_show(out), out->text);
    return doubled ? undouble(l, out) : BONSAI_OK;
}

bonsai_status bn_field_next(bn_lines *l, bn_field *out)
{
    *out = (bn_field){NULL, 0, false};
    if (!l->more)
        return BONSAI_OK;
    const char *first = skip_blanks(l, l->at), *p = first, *last;
    if (p < l->end && *p == '"')
        return quoted_field(l, p, out);
    if (l->separator == ' ')
        while (p < l->end && !is_blank(*p))
            p++;
    else
        while (p < l->end && *p != l->separator)
            p++;
    for (last = p; last > first && is_blank(last[-1]); last--) {}
    *out = (bn_field){first, last - first, false};
    leave_field(l, p);
    return BONSAI_OK;
}

bool bn_field_int(const bn_field *f, int64_t *out)
{
    const char *p = f->text, *end = p + f->len;
    return bn_parse_int(&p, end, out) && p == end;
}

bool bn_field_real(const bn_field *f, double *out)
{
    const char *p = f->text, *end = p + f->len;
    return bn_parse_real(&p, end, out) && p == end;
}

bool bn_field_is(const bn_field *f, const char *word)
{
    int64_t i = 0;
    for (; i < f->len && word[i]; i++) {
        char c = f->text[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i])
            return false;
    }
    return i == f->len && !word[i];
}

bool bn_field_value(const bn_field *f, double *out)
{
    const bool yes = bn_field_is(f, "true");
    if (!yes && !bn_field_is(f, "false"))
        return bn_field_real(f, out);
    *out = yes;
    return true;
}

int bn_field_show(const bn_field *f)
{
    return f->len < SHOWN ? (int)f->len : SHOWN;
}

bonsai_status bn_field_name(const bn_lines *l, const bn_field *f)
{
    const char *zero = f->len > 0 ? memchr(f->text, 0, (size_t)f->len) : NULL;
    const int64_t end = zero ? zero - f->text : f->len;
    const int64_t bad = bn_utf8_bad((const uint8_t *)f->text, end);
    if (bad == f->len)
        return BONSAI_OK;
    return bn_lines_fail(l, "byte %lld of the name \"%.*s\" is %s", (long long)bad,
                         bn_field_show(f), f->text, f->text[bad] ? "not UTF-8" : "zero");
}

/* Returns whether a field is "0;1;0" or "0,5", where another separator ends fields. */
static bool is_several_numbers(const bn_field *f)
{
    const char *p = f->text, *end = p + f->len;
    int64_t numbers = 0;
    double v;
    while (!f->quoted && p < end) {
        if (!bn_parse_real(&p, end, &v) || (p < end && !strchr(",; \t", *p)))
            return false;
        numbers++;
        while (p < end && *p && strchr(",; \t", *p))
            p++;
    }
    return numbers > 1;
}

bonsai_status bn_field_id(const bn_lines *l, const bn_field *f)
{
    if (is_several_numbers(f))
        return bn_lines_fail(l, "\"%.*s\" looks like several numbers: use one separator in the "
                             "whole file, decimal points, and quotes around such a name",
                             bn_field_show(f), f->text);
    return bn_field_name(l, f);
}

/* ---- numbers ---- */

bool bn_int_try(bn_lines *l, int64_t *out)
{
    const char *p = skip_blanks(l, l->at);
    return l->more && bn_parse_int(&p, l->end, out) && leave_field(l, p);
}

static bonsai_status not_a_number(const bn_lines *l, const bn_field *f, const char *what)
{
    return f->text ? bn_lines_fail(l, "\"%.*s\" is not %s%s", bn_field_show(f), f->text, what,
                                   l->hint ? l->hint : "")
                   : bn_lines_fail(l, "the line ends where %s is needed", what);
}

bonsai_status bn_int_next(bn_lines *l, int64_t *out)
{
    bonsai_status rc = BONSAI_OK;
    bn_field f;
    if (bn_int_try(l, out))
        return BONSAI_OK;
    BN_TRY(bn_field_next(l, &f));
    if (!f.text || !bn_field_int(&f, out))
        rc = not_a_number(l, &f, "an integer");
done:
    return rc;
}

bool bn_real_try(bn_lines *l, float *out)
{
    const char *before = l->at, *p = skip_blanks(l, before);
    bool more = l->more;
    double v = 0;
    if (!more || !bn_parse_real(&p, l->end, &v) || !leave_field(l, p)) {
        bn_field f;
        if (bn_field_next(l, &f) != BONSAI_OK || !f.text || !bn_field_value(&f, &v))
            v = (double)NAN;
    }
    *out = (float)v;
    if (isfinite(*out))
        return true;
    l->at = before;
    l->more = more;
    return false;
}

bonsai_status bn_real_next(bn_lines *l, float *out)
{
    bonsai_status rc;
    bn_field f;
    if (bn_real_try(l, out))
        return BONSAI_OK;
    BN_TRY(bn_field_next(l, &f));
    rc = not_a_number(l, &f, "a finite number");
done:
    return rc;
}
