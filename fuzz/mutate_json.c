/* mutate_json.c -- mutations of a JSON text: values of other kinds and sizes, keys that are missing
 * or twice, lists of other lengths, deep nesting, odd strings.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "mutate.h"

enum { VALUES = 2048, DEPTH = 64 };

typedef struct {
    size_t at, end;
    size_t key;         /* where its key starts; == at: it has none */
} value;

typedef struct {
    value  list[VALUES];
    int    count;
    int    open[DEPTH];
    int    depth;
    size_t key;         /* of the value that comes next */
    bool   keyed;
} scan;

static size_t end_of_string(const mu_bytes *b, size_t at)
{
    for (at++; at < b->len && b->data[at] != '"'; at++)
        at += b->data[at] == '\\';
    return at < b->len ? at + 1 : b->len;
}

static int add(scan *s, size_t at, size_t end)
{
    s->list[s->count] = (value){at, end, s->keyed ? s->key : at};
    s->keyed = false;
    return s->count++;
}

/* A string, which is a key if a colon follows; returns its end. */
static size_t take_string(scan *s, const mu_bytes *b, size_t at)
{
    size_t end = end_of_string(b, at), next = end;
    while (next < b->len && isspace(b->data[next]))
        next++;
    if (next < b->len && b->data[next] == ':') {
        s->keyed = true;
        s->key = at;
    } else {
        add(s, at, end);
    }
    return end;
}

static size_t take_word(scan *s, const mu_bytes *b, size_t at)
{
    size_t end = at;
    while (end < b->len && (isalnum(b->data[end]) || strchr("+-.", b->data[end])))
        end++;
    add(s, at, end);
    return end;
}

static void take_bracket(scan *s, size_t at, bool opens)
{
    if (opens && s->depth < DEPTH)
        s->open[s->depth++] = add(s, at, at);
    else if (!opens && s->depth > 0)
        s->list[s->open[--s->depth]].end = at + 1;
}

static void find_values(scan *s, const mu_bytes *b)
{
    s->count = s->depth = 0;
    s->keyed = false;
    for (size_t at = 0; at < b->len && s->count < VALUES; ) {
        uint8_t c = b->data[at];
        if (c == '"')
            at = take_string(s, b, at);
        else if (isalnum(c) || c == '-')
            at = take_word(s, b, at);
        else {
            if (strchr("{[]}", c) && c)
                take_bracket(s, at, c == '{' || c == '[');
            at++;
        }
    }
    while (s->depth > 0)
        s->list[s->open[--s->depth]].end = b->len;
}

static const char *odd_value(mu_rng *r)
{
    static const char *const list[] = {
        "null", "true", "false", "\"\"", "\"x\"", "[]", "{}", "[[]]", "[null]", "{\"a\":{}}",
        "\"trees\"", "\"auto\"", "\"prototypes\"", "\"gat\"", "\"\\u0000\"", "\"\\ud800\"",
        "\"<b>&\\\"'\"", "\"%s%n\"", "[0,1,2]", "[1e308,-1e308,0.5]", "\"\\u2028\"",
    };
    return mu_chance(r, 2) ? mu_digits(r) : list[mu_below(r, sizeof list / sizeof *list)];
}

static void put(mu_bytes *b, value v, const char *text)
{
    mu_splice(b, v.at, v.end - v.at, text, strlen(text));
}

static void nest(mu_bytes *b, value v, mu_rng *r)
{
    static const size_t depths[] = {3, 60, 600, 3000};
    char text[6002];
    size_t depth = depths[mu_below(r, 4)];
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = 0;
    put(b, v, text);
}

static void remove_member(mu_bytes *b, value v)
{
    size_t end = v.end, at = v.key;
    if (end < b->len && b->data[end] == ',')
        end++;
    else if (at > 0 && b->data[at - 1] == ',')
        at--;
    mu_splice(b, at, end - at, NULL, 0);
}

/* Puts a value, with its key if it has one, at another's place or before it. */
static void copy_value(mu_bytes *b, value to, value from, bool instead)
{
    uint8_t kept[4096];
    size_t len = from.end - from.key;
    if (len + 1 > sizeof kept)
        return;
    memcpy(kept, b->data + from.key, len);
    kept[len] = ',';
    if (instead)
        mu_splice(b, to.key, to.end - to.key, kept, len);
    else
        mu_splice(b, to.key, 0, kept, len + 1);
}

static void change_inside(mu_bytes *b, value v, mu_rng *r)
{
    static const char *const list[] = {"\xff", "\\u0000", "\\udc00", "\xed\xa0\x80", "\x01", "\\",
                                       "\"", "e", "99999999", "\xc3\xa9", "&", "<", "-", "."};
    const char *text = list[mu_below(r, sizeof list / sizeof *list)];
    size_t at = v.at + 1 + mu_below(r, v.end - v.at - 1);
    mu_splice(b, at, 0, text, strlen(text));
}

bool mutate_json(mu_bytes *b, mu_rng *r)
{
    static scan s;
    find_values(&s, b);
    if (s.count == 0)
        return false;
    value v = s.list[mu_below(r, (size_t)s.count)], w = s.list[mu_below(r, (size_t)s.count)];
    switch (mu_below(r, 12)) {
    case 0: nest(b, v, r); break;
    case 1: case 2: remove_member(b, v); break;
    case 3: copy_value(b, v, v, false); break;
    case 4: copy_value(b, v, w, false); break;
    case 5: copy_value(b, v, w, true); break;
    case 6: change_inside(b, v, r); break;
    default: put(b, v, odd_value(r));
    }
    return true;
}
