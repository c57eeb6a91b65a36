/* template.c -- fills templates with values.
 *
 * SPDX-License-Identifier: MIT */
#include "template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made from src/report/templates/ by cmake/embed.cmake. */
extern const char bn_html_page[], bn_html_sheet[], bn_html_chart[], bn_html_tables[];
extern const char bn_css_style[];
static const char *const files[] = {bn_html_page, bn_html_sheet, bn_html_chart, bn_html_tables};

enum { WORD = 64, DEEPEST = 32 };

typedef struct scope {          /* where names are looked up */
    const bn_json *value;
    const struct scope *outer;
    bool later;                 /* an item of a list behind the first */
    int  depth;
} scope;

typedef struct {
    char kind;                  /* one of # ? ^ / >, or 0: a value */
    char name[WORD], format[WORD];
    const char *from, *behind;  /* the first brace, and what follows the last */
} tag;

static void fail(bn_page *p, const char *what, const char *name)
{
    if (!*p->wrong)
        snprintf(p->wrong, sizeof p->wrong, "%s {{%s}}", what, name);
}

/* ---- formats ------------------------------------------------------------- */

double bn_real_of(const bn_json *v)
{
    return bn_json_is_number(v) ? bn_json_as_number(v) : NAN;
}

const char *bn_text_of(const bn_json *object, const char *key)
{
    const char *text = bn_json_as_text(bn_json_get(object, key));
    return text ? text : "";
}

/* Writes a whole number without commas. */
static void id_text(char *buf, double v)
{
    snprintf(buf, 64, "%.0f", v);
}

/* Writes a share as a place in a drawing: 12.50%. */
static void place_text(char *buf, double share)
{
    strcpy(buf + bn_fixed(buf, isfinite(share) ? 100 * fmin(fmax(share, 0), 1) : 0, 2, false), "%");
}

static const struct {
    const char *name;
    void (*text)(char *buf, double v);
} of_numbers[] = {
    {"number", bn_number_text}, {"bytes", bn_bytes_text}, {"seconds", bn_seconds_text},
    {"percent", bn_percent_text}, {"id", id_text}, {"place", place_text}, {"plain", bn_plain},
};

/* Puts a number with as many decimals as the argument says. */
static void put_fixed(bn_page *p, const bn_json *v, const char *argument)
{
    char buf[64];
    bn_fixed(buf, bn_real_of(v), atoi(argument), true);
    bn_put(p, buf);
}

/* Puts a text of at most as many characters as the argument says. */
static void put_cut(bn_page *p, const bn_json *v, const char *argument)
{
    bn_escape_cut(p, bn_json_is_text(v) ? bn_json_as_text(v) : "–", atoi(argument));
}

/* Puts the first of two words, parted by |, if the number is 1, else the second. */
static void put_plural(bn_page *p, const bn_json *v, const char *argument)
{
    const size_t one = strcspn(argument, "|");
    if (bn_real_of(v) == 1)
        bn_putf(p, "%.*s", (int)one, argument);
    else
        bn_put(p, argument + one + (argument[one] == '|'));
}

/* Puts the key of a class, by the number of its colour. */
static void put_key(bn_page *p, const bn_json *v, const char *argument)
{
    (void)argument;
    bn_put_key(p, (int)bn_json_as_number(v));
}

static void put_mark(bn_page *p, const bn_json *v, const char *argument)
{
    (void)argument;
    bn_put_marker(p, (int)bn_json_as_whole(bn_json_get(v, "colour")),
                  bn_json_as_number(bn_json_get(v, "radius")));
}

/* Puts any value as JSON in a script element, which "<" could end. */
static void put_json(bn_page *p, const bn_json *v, const char *argument)
{
    char *text = bn_json_print(v, 0, 10);
    (void)argument;
    p->failed = p->failed || !text;
    for (const char *at = text ? text : ""; *at;) {
        const char *end = at + strcspn(at, "<");
        bn_put_part(p, at, end);
        bn_put(p, *end ? "\\u003c" : "");
        at = end + (*end == '<');
    }
    bn_json_drop(text);
}

static const struct {
    const char *name;
    void (*put)(bn_page *p, const bn_json *v, const char *argument);
} with_argument[] = {
    {"fixed ", put_fixed}, {"cut ", put_cut}, {"plural ", put_plural}, {"bars ", bn_chart_bars},
    {"lines ", bn_chart_lines}, {"key", put_key}, {"mark", put_mark},
    {"json", put_json},
};

static void put_value(bn_page *p, const bn_json *v, const char *format)
{
    if (!*format && bn_json_is_text(v)) {
        bn_escape(p, bn_json_as_text(v));
        return;
    }
    for (size_t i = 0; i < sizeof of_numbers / sizeof *of_numbers; i++)
        if (strcmp(of_numbers[i].name, *format ? format : "number") == 0) {
            char buf[64];
            of_numbers[i].text(buf, bn_real_of(v));
            bn_put(p, buf);
            return;
        }
    for (size_t i = 0; i < sizeof with_argument / sizeof *with_argument; i++) {
        const size_t len = strlen(with_argument[i].name);
        if (strncmp(with_argument[i].name, format, len) == 0) {
            with_argument[i].put(p, v, format + len);
            return;
        }
    }
    fail(p, "no format", format);
}

/* ---- names --------------------------------------------------------------- */

static const bn_json *look_up(bn_page *p, const char *name, const scope *s)
{
    char first[WORD];
    const bn_json *v = NULL;
    const size_t len = strcspn(name, ".?");
    if (strcmp(name, ".") == 0)
        return s->value;
    snprintf(first, sizeof first, "%.*s", (int)len, name);
    for (; s && !v; s = s->outer)
        v = bn_json_get(s->value, first);
    if (!v && !strchr(name, '?'))
        fail(p, "no value for", name);
    return name[len] == '.' ? look_up(p, name + len + 1, &(scope){v, NULL, false, 0}) : v;
}

static bool is_there(const bn_json *v)
{
    if (bn_json_is_text(v))
        return *bn_json_as_text(v) != 0;
    if (bn_json_is_array(v))
        return bn_json_count(v) > 0;
    return bn_json_is_object(v) || bn_json_is_number(v) || bn_json_is_true(v);
}

/* ---- tags ---------------------------------------------------------------- */

/* Finds the next tag; false: there is none before end. */
static bool next_tag(tag *t, const char *at, const char *end)
{
    const char *open = strstr(at, "{{"), *close = open ? strstr(open, "}}") : NULL;
    if (!close || close >= end)
        return false;
    *t = (tag){.from = open, .behind = close + 2};
    open += 2;
    if (strchr("#?^/>", *open))
        t->kind = *open++;
    size_t len = strcspn(open, " }");
    snprintf(t->name, WORD, "%.*s", (int)len, open);
    open += len + (open[len] == ' ');
    snprintf(t->format, WORD, "%.*s", (int)(close - open), open);
    return true;
}

/* Finds the tag that closes a section. */
static bool find_close(tag *close, const tag *open, const char *end)
{
    int depth = 1;
    *close = *open;
    while (depth > 0 && next_tag(close, close->behind, end))
        depth += close->kind == '/' ? -1 : (close->kind && strchr("#?^", close->kind));
    return depth == 0 && strcmp(close->name, open->name) == 0;
}

/* ---- text ---------------------------------------------------------------- */

static const char *skip_indentation(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static void put_text(bn_page *p, const char *at, const char *end)
{
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *stop = line ? line + 1 : end;
        const bool joined = line && line > at && line[-1] == '\\';
        bn_put_part(p, at, joined ? line - 1 : stop);
        at = line ? skip_indentation(stop, end) : end;
    }
}

/* Returns where text continues behind a tag of a section: the line break goes with a tag that
 * is alone on its line. */
static const char *behind(const tag *t, const char *begin, const char *end)
{
    const char *before = t->from;
    while (before > begin && before[-1] == ' ')
        before--;
    const bool alone = (before == begin || before[-1] == '\n') && *t->behind == '\n';
    return alone ? skip_indentation(t->behind + 1, end) : t->behind;
}

/* ---- filling ------------------------------------------------------------- */

static void fill(bn_page *p, const char *at, const char *end, const scope *s);

static void fill_section(bn_page *p, const char *at, const char *end, const scope *s,
                         const bn_json *v)
{
    const scope inner = {v, s, false, s->depth + 1};
    if (!bn_json_is_array(v)) {
        fill(p, at, end, &inner);
        return;
    }
    for (size_t i = 0; i < bn_json_count(v); i++)
        fill(p, at, end, &(scope){bn_json_at(v, i), s, i > 0, s->depth + 1});
}

/* Fills a section and returns where the text continues behind it. */
static const char *section(bn_page *p, const tag *t, const char *begin, const char *end,
                           const scope *s)
{
    tag close;
    if (!find_close(&close, t, end)) {
        fail(p, "no end of", t->name);
        return end;
    }
    const char *inside = behind(t, begin, close.from);
    if (strcmp(t->name, "later") == 0) {
        if (s->later == (t->kind == '#'))
            fill(p, inside, close.from, s);
    } else {
        const bn_json *v = look_up(p, t->name, s);
        if (t->kind == '#' && is_there(v))
            fill_section(p, inside, close.from, s, v);
        else if (t->kind != '#' && is_there(v) == (t->kind == '?'))
            fill(p, inside, close.from, s);
    }
    return behind(&close, begin, end);
}

/* Returns the text of a template, up to *end; NULL: there is none. */
static const char *find(const char **end, const char *name)
{
    char head[WORD];
    const int len = snprintf(head, sizeof head, "{{: %.40s}}\n", name);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *at = strstr(files[i], head);
        if (!at)
            continue;
        const char *next = strstr(at + len, "{{: ");
        *end = next ? next : at + strlen(at);
        return skip_indentation(at + len, *end);
    }
    return NULL;
}

static void fill_named(bn_page *p, const char *name, const scope *s)
{
    const char *end, *text = find(&end, name);
    if (text && s->depth < DEEPEST)
        fill(p, text, end, &(scope){s->value, s->outer, s->later, s->depth + 1});
    else
        fail(p, "no template", name);
}

static void fill(bn_page *p, const char *at, const char *end, const scope *s)
{
    const char *begin = at;
    tag t;
    while (!p->failed && next_tag(&t, at, end)) {
        put_text(p, at, t.from);
        at = t.behind;
        if (t.kind && strchr("#?^", t.kind))
            at = section(p, &t, begin, end, s);
        else if (t.kind == '>')
            fill_named(p, t.name, s);
        else if (t.kind == '/')
            fail(p, "no begin of", t.name);
        else
            put_value(p, look_up(p, t.name, s), t.format);
    }
    put_text(p, at, end);
}

void bn_fill_with(bn_page *p, const char *name, const bn_json *values)
{
    if (!bn_json_sound(values))
        p->failed = true;
    fill_named(p, name, &(scope){values, NULL, false, 0});
}

void bn_fill(bn_page *p, const char *name, bn_json *values)
{
    bn_fill_with(p, name, values);
    bn_json_free(values);
}

void bn_fill_text(bn_page *p, const char *text, const bn_json *values)
{
    fill(p, text, text + strlen(text), &(scope){values, NULL, false, 0});
}

/* ---- the frame of a page and of its sections -------------------------------- */

void bn_page_begin(bn_page *p, const char *title, bool fragment)
{
    if (fragment)               /* several may share a document: their ids must differ */
        p->charts = (int)(bn_crc32(0, title, (int64_t)strlen(title)) % 1000000) * 1000;
    bn_fill(p, fragment ? "fragment" : "page", bn_json_pack("{ss}", "title", title));
    bn_put(p, bn_css_style);
    bn_fill(p, fragment ? "fragment-main" : "page-main", bn_json_object());
}

void bn_page_end(bn_page *p, bool fragment)
{
    bn_fill(p, fragment ? "fragment-end" : "page-end", bn_json_object());
}

void bn_section_begin(bn_page *p, const char *id, const char *heading, const char *folded)
{
    bn_fill(p, "section",
            bn_json_pack("{ss,ss,ss?}", "id", id, "heading", heading, "folded", folded));
}

void bn_section_end(bn_page *p, const char *folded)
{
    bn_fill(p, "section-end", bn_json_pack("{ss?}", "folded", folded));
}
