/* jsonparse.c -- text to JSON values (RFC 8259), with the line of what is wrong.
 *
 * The text need not end with a zero and may come from anywhere.  Nesting is limited, so that
 * no text can exhaust a stack of 64 KiB.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsonparts.h"

enum { MOST_DEPTH = 64, MOST_SHOWN = 20 };

typedef enum {          /* besides the characters that stand for themselves: { } [ ] : , */
    TOKEN_END = 0, TOKEN_BAD = 256, TOKEN_TEXT, TOKEN_WHOLE, TOKEN_REAL, TOKEN_NULL, TOKEN_TRUE,
    TOKEN_FALSE
} token;

typedef struct {
    const char *start, *at, *end;       /* of the token, of what is not read yet, of all */
    int         line, depth, flags;
    int         token;
    bool        wrong;                  /* a mistake is in error: the first one stays */
    bn_json_error *error;
    char       *text;                   /* of a token of text, and of a number */
    size_t      length, room;
    int64_t     whole;
    double      real;
} parser;

/* ---- mistakes ---- */

/* Notes what is wrong and shows the token, if it is short. */
__attribute__((format(printf, 2, 3)))
static void mistake(parser *p, const char *format, ...)
{
    bn_json_error *e = p->error;
    const ptrdiff_t shown = p->at - p->start;
    va_list args;
    if (p->wrong)
        return;
    p->wrong = true;
    p->token = TOKEN_BAD;
    va_start(args, format);
    int n = vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    e->line = p->line;
    if (shown == 0 && p->at == p->end)
        snprintf(e->text + n, sizeof e->text - (size_t)n, " near end of file");
    else if (shown > 0 && shown <= MOST_SHOWN)
        snprintf(e->text + n, sizeof e->text - (size_t)n, " near '%.*s'", (int)shown, p->start);
}

static void no_memory(parser *p)
{
    if (!p->wrong)
        *p->error = (bn_json_error){.no_memory = true, .line = p->line, .text = "out of memory"};
    p->wrong = true;
    p->token = TOKEN_BAD;
}

/* ---- tokens ---- */

static void keep(parser *p, const char *bytes, size_t len)
{
    void *to = p->text;
    if (!bn_json_grow(&to, &p->room, p->length + len + 1, 1)) {
        no_memory(p);
        return;
    }
    p->text = to;
    memcpy(p->text + p->length, bytes, len);
    p->length += len;
    p->text[p->length] = 0;
}

static int peek(const parser *p)
{
    return p->at < p->end ? (unsigned char)*p->at : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Four hexadecimal digits after \u; -1: they are not there. */
static int32_t read_hex(parser *p)
{
    int32_t value = 0;
    if (p->end - p->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *d = memchr(digits, p->at[i] | (p->at[i] >= 'A' ? 32 : 0), 16);
        if (!d)
            return -1;
        value = value * 16 + (int32_t)(d - digits);
    }
    p->at += 4;
    return value;
}

static void keep_code(parser *p, int32_t code)
{
    char utf8[4];
    int len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = len - 1; i > 0; i--, code >>= 6)
        utf8[i] = (char)(0x80 | (code & 0x3f));
    utf8[0] = (char)(len == 1 ? code : (0xf00 >> len & 0xff) | code);
    keep(p, utf8, (size_t)len);
}

/* After \u: one code, or two that stand for a high one. */
static void read_code(parser *p)
{
    int32_t code = read_hex(p), low = -1;
    if (code < 0) {
        mistake(p, "invalid escape");
        return;
    }
    if (code >= 0xd800 && code < 0xdc00 && p->end - p->at >= 2 && memcmp(p->at, "\\u", 2) == 0) {
        p->at += 2;
        low = read_hex(p);
        if (low >= 0xdc00 && low < 0xe000)
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000)
        mistake(p, "invalid Unicode '\\u%04X'", (unsigned)code);
    else if (code == 0)
        mistake(p, "\\u0000 is not allowed");
    else
        keep_code(p, code);
}

static void read_escape(parser *p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    p->at++;
    const char *known = p->at < p->end ? memchr(from, *p->at, 8) : NULL;
    if (known) {
        p->at++;
        keep(p, &to[known - from], 1);
    } else if (peek(p) == 'u') {
        p->at++;
        read_code(p);
    } else
        mistake(p, "invalid escape");
}

/* Bytes up to the next quote, escape or control character. */
static void read_plain(parser *p)
{
    const char *from = p->at;
    while (p->at < p->end && (unsigned char)*p->at >= 32 && *p->at != '"' && *p->at != '\\')
        p->at++;
    const int64_t len = p->at - from, bad = bn_utf8_bad((const uint8_t *)from, len);
    if (bad < len) {
        p->at = from + bad;
        mistake(p, "unable to decode byte 0x%x", (unsigned)(unsigned char)from[bad]);
    } else
        keep(p, from, (size_t)len);
}

static void read_text(parser *p)
{
    p->at++;
    p->length = 0;
    keep(p, "", 0);
    while (!p->wrong && peek(p) != '"') {
        const int c = peek(p);
        if (c < 0)
            mistake(p, "premature end of input");
        else if (c == '\n')
            mistake(p, "unexpected newline");
        else if (c < 32)
            mistake(p, "control character 0x%x", (unsigned)c);
        else if (c == '\\')
            read_escape(p);
        else
            read_plain(p);
    }
    p->at += !p->wrong;
    p->token = p->wrong ? TOKEN_BAD : TOKEN_TEXT;
}

static void skip_digits(parser *p)
{
    while (is_digit(peek(p)))
        p->at++;
}

/* At least one digit; false: none is there. */
static bool need_digits(parser *p)
{
    bool there = is_digit(peek(p));
    skip_digits(p);
    return there;
}

static void take_whole(parser *p)
{
    errno = 0;
    p->whole = strtoll(p->text, NULL, 10);
    if (errno == ERANGE)
        mistake(p, p->whole < 0 ? "too big negative integer" : "too big integer");
}

static void take_real(parser *p)
{
    p->real = strtod(p->text, NULL);
    if (fabs(p->real) == HUGE_VAL)
        mistake(p, "real number overflow");
}

/* Keeps the number as strtod reads it: with the decimal point of the locale, which may have several
 * bytes.  point is where the number has its own, or NULL. */
static void keep_number(parser *p, const char *point)
{
    const char *local = localeconv()->decimal_point, *rest = point ? point + 1 : p->start;
    p->length = 0;
    if (point) {
        keep(p, p->start, (size_t)(point - p->start));
        keep(p, local, strlen(local));
    }
    keep(p, rest, (size_t)(p->at - rest));
}

static void read_number(parser *p)
{
    const char *point = NULL;
    bool real = false;
    p->at += peek(p) == '-';
    const bool zero = peek(p) == '0';
    bool good = zero ? p->at++ != NULL && !is_digit(peek(p)) : need_digits(p);
    if (good && peek(p) == '.') {
        point = p->at++;
        real = true;
        good = need_digits(p);
    }
    if (good && (peek(p) == 'e' || peek(p) == 'E')) {
        p->at++;
        p->at += peek(p) == '+' || peek(p) == '-';
        real = true;
        good = need_digits(p);
    }
    if (!good)
        return;                                 /* the token stays bad */
    p->token = real ? TOKEN_REAL : TOKEN_WHOLE;
    keep_number(p, point);
    if (p->wrong)
        return;
    if (real)
        take_real(p);
    else
        take_whole(p);
}

static void read_name(parser *p)
{
    static const struct { const char *name; token is; } names[] = {
        {"null", TOKEN_NULL}, {"true", TOKEN_TRUE}, {"false", TOKEN_FALSE}};
    while ((peek(p) | 32) >= 'a' && (peek(p) | 32) <= 'z')
        p->at++;
    for (size_t i = 0; i < 3; i++)
        if ((size_t)(p->at - p->start) == strlen(names[i].name) &&
            memcmp(p->start, names[i].name, strlen(names[i].name)) == 0)
            p->token = names[i].is;
}

static void skip_spaces(parser *p)
{
    for (; p->at < p->end && memchr(" \t\n\r", *p->at, 4); p->at++)
        p->line += *p->at == '\n';
}

/* Anything else is a bad token: one character. */
static void read_odd(parser *p)
{
    const int64_t rest = p->end - p->at, most = rest < 4 ? rest : 4;
    const int64_t good = bn_utf8_bad((const uint8_t *)p->at, most);
    if (good == 0) {
        mistake(p, "unable to decode byte 0x%x", (unsigned)peek(p));
        return;
    }
    do
        p->at++;
    while (p->at < p->end && ((unsigned char)*p->at & 0xc0) == 0x80);
}

static void scan(parser *p)
{
    skip_spaces(p);
    p->start = p->at;
    const int c = peek(p);
    if (p->wrong)
        return;
    p->token = c < 0 ? TOKEN_END : TOKEN_BAD;
    if (c < 0)
        return;
    if (c != 0 && strchr("{}[]:,", c)) {
        p->token = c;
        p->at++;
    } else if (c == '"')
        read_text(p);
    else if (is_digit(c) || c == '-')
        read_number(p);
    else if ((c | 32) >= 'a' && (c | 32) <= 'z')
        read_name(p);
    else
        read_odd(p);
}

/* ---- values ---- */

static bn_json *parse_value(parser *p);

/* What was made, or out of memory. */
static bn_json *made(parser *p, bn_json *v)
{
    if (!v)
        no_memory(p);
    return v;
}

static bool expect(parser *p, int wanted, const char *sentence)
{
    if (p->token != wanted)
        mistake(p, "%s", sentence);
    return !p->wrong;
}

/* A key and its value. */
static void parse_pair(parser *p, bn_json *object)
{
    if (!expect(p, TOKEN_TEXT, "string or '}' expected"))
        return;
    if ((p->flags & BN_JSON_UNIQUE) && bn_json_get(object, p->text)) {
        mistake(p, "duplicate object key");
        return;
    }
    char *key = bn_json_copy(p->text, p->length);
    if (!key)
        no_memory(p);
    scan(p);
    if (expect(p, ':', "':' expected")) {
        scan(p);
        bn_json *value = parse_value(p);
        if (value)
            bn_json_set(object, key, value);
        if (object->broken)
            no_memory(p);
    }
    bn_json_drop(key);
}

static bn_json *parse_object(parser *p)
{
    bn_json *object = made(p, bn_json_object());
    scan(p);
    if (p->token == '}')
        return object;
    while (!p->wrong) {
        parse_pair(p, object);
        scan(p);
        if (p->token != ',')
            break;
        scan(p);
    }
    expect(p, '}', "'}' expected");
    return object;
}

static bn_json *parse_array(parser *p)
{
    bn_json *array = made(p, bn_json_array());
    scan(p);
    if (p->token == ']')
        return array;
    while (!p->wrong && p->token != TOKEN_END) {
        bn_json *value = parse_value(p);
        if (value)
            bn_json_add(array, value);
        if (array->broken)
            no_memory(p);
        scan(p);
        if (p->token != ',')
            break;
        scan(p);
    }
    expect(p, ']', "']' expected");
    return array;
}

static bn_json *parse_nested(parser *p)
{
    bn_json *v = NULL;
    if (p->depth == MOST_DEPTH)
        mistake(p, "maximum parsing depth reached");
    else {
        p->depth++;
        v = p->token == '{' ? parse_object(p) : parse_array(p);
        p->depth--;
    }
    if (p->wrong) {
        bn_json_free(v);
        v = NULL;
    }
    return v;
}

static bn_json *parse_value(parser *p)
{
    if (p->wrong)
        return NULL;
    switch (p->token) {
    case '{':
    case '[':         return parse_nested(p);
    case TOKEN_TEXT:  return made(p, bn_json_text_of(p->text, p->length));
    case TOKEN_WHOLE: return made(p, bn_json_whole(p->whole));
    case TOKEN_REAL:  return made(p, bn_json_real(p->real));
    case TOKEN_NULL:  return bn_json_null();
    case TOKEN_TRUE:
    case TOKEN_FALSE: return bn_json_flag(p->token == TOKEN_TRUE);
    case TOKEN_BAD:   mistake(p, "invalid token"); return NULL;
    default:          mistake(p, "unexpected token"); return NULL;
    }
}

bn_json *bn_json_parse(const char *text, size_t size, int flags, bn_json_error *error)
{
    bn_json_error unread;
    parser p = {.at = text, .end = text + size, .line = 1, .flags = flags,
                .error = error ? error : &unread};
    *p.error = (bn_json_error){.line = 0};
    scan(&p);
    if (p.token != '[' && p.token != '{')
        mistake(&p, "'[' or '{' expected");
    bn_json *v = parse_value(&p);
    scan(&p);
    if (v && p.token != TOKEN_END)
        mistake(&p, "end of file expected");
    bn_json_drop(p.text);
    if (p.wrong) {
        bn_json_free(v);
        v = NULL;
    }
    return v;
}
