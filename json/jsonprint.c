/* jsonprint.c -- JSON values as text.
 *
 * Reals are printed so that they are read back as reals: 3 is "3.0", 1e+20 is "1e20".
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "jsonparts.h"

typedef struct {
    char  *text;
    size_t length, room;
    bool   no_room;
    int    indent, digits;
} printer;

static void put(printer *p, const char *text, size_t len)
{
    void *to = p->text;
    if (p->no_room || !bn_json_grow(&to, &p->room, p->length + len + 1, 1)) {
        p->no_room = true;
        return;
    }
    p->text = to;
    memcpy(p->text + p->length, text, len);
    p->length += len;
    p->text[p->length] = 0;
}

static void put_word(printer *p, const char *word)
{
    put(p, word, strlen(word));
}

/* The locale may have another decimal point, and it may be several bytes. */
static void use_point(char *number)
{
    char *to = number;
    for (const char *c = number; *c; c++)
        if (isdigit((unsigned char)*c) || *c == '-' || *c == '+' || *c == 'e')
            *to++ = *c;
        else if (to == number || to[-1] != '.')
            *to++ = '.';
    *to = 0;
}

static void put_real(printer *p, double value)
{
    char number[64];
    snprintf(number, sizeof number - 3, "%.*g", p->digits, value);
    use_point(number);
    char *power = strchr(number, 'e');
    if (!power && !strchr(number, '.'))
        strcat(number, ".0");
    if (power) {                                /* no plus, no zeros in front */
        char *to = power + 1, *from = to;
        to += *from == '-';
        from += strspn(from, "+-0");
        memmove(to, from, strlen(from) + 1);
    }
    put_word(p, number);
}

static void put_escape(printer *p, uint32_t c)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";    /* pairs: byte, letter */
    char text[8];
    for (const char *pair = letters; *pair; pair += 2)
        if ((uint32_t)*pair == c) {
            snprintf(text, sizeof text, "\\%c", pair[1]);
            put(p, text, 2);
            return;
        }
    snprintf(text, sizeof text, "\\u%04X", c);
    put(p, text, 6);
}

/* What steers a terminal is escaped too: results are shown there. */
static bool is_escaped(uint32_t c)
{
    return c == '"' || c == '\\' || (c < 0x10000 && bn_utf8_is_harmful(c));
}

static void put_text(printer *p, const char *text)
{
    put(p, "\"", 1);
    while (*text) {
        uint32_t code = 0;
        const int bytes = bn_utf8_decode(&code, (const uint8_t *)text, 4);
        if (bytes == 0)                         /* a key that is not UTF-8 */
            put(p, "?", 1);
        else if (is_escaped(code))
            put_escape(p, code);
        else
            put(p, text, (size_t)bytes);
        text += bytes ? bytes : 1;
    }
    put(p, "\"", 1);
}

static void new_line(printer *p, int depth)
{
    if (p->indent > 0)
        put(p, "\n", 1);
    for (int i = 0; i < p->indent * depth; i++)
        put(p, " ", 1);
}

static void put_value(printer *p, const bn_json *v, int depth);

static void put_array(printer *p, const bn_json *v, int depth)
{
    const size_t count = bn_json_count(v);
    put(p, "[", 1);
    for (size_t i = 0; i < count; i++) {
        put(p, ",", i > 0);
        new_line(p, depth + 1);
        put_value(p, bn_json_at(v, i), depth + 1);
    }
    if (count)
        new_line(p, depth);
    put(p, "]", 1);
}

static void put_object(printer *p, const bn_json *v, int depth)
{
    const char *key;
    size_t i = 0;
    put(p, "{", 1);
    for (; (key = bn_json_key(v, i)); i++) {
        put(p, ",", i > 0);
        new_line(p, depth + 1);
        put_text(p, key);
        put_word(p, p->indent > 0 ? ": " : ":");
        put_value(p, bn_json_value(v, i), depth + 1);
    }
    if (i)
        new_line(p, depth);
    put(p, "}", 1);
}

static void put_value(printer *p, const bn_json *v, int depth)
{
    char number[32];
    switch (v->kind) {
    case KIND_NULL:
        put_word(p, "null");
        break;
    case KIND_FLAG:
        put_word(p, v->is.flag ? "true" : "false");
        break;
    case KIND_WHOLE:
        snprintf(number, sizeof number, "%lld", (long long)v->is.whole);
        put_word(p, number);
        break;
    case KIND_REAL:
        put_real(p, v->is.real);
        break;
    case KIND_TEXT:
        put_text(p, v->is.text);
        break;
    case KIND_ARRAY:
        put_array(p, v, depth);
        break;
    default:
        put_object(p, v, depth);
    }
}

char *bn_json_print(const bn_json *v, int indent, int digits)
{
    printer p = {.indent = indent, .digits = digits};
    if (!bn_json_sound(v))
        return NULL;
    put_value(&p, v, 0);
    if (p.no_room) {
        bn_json_drop(p.text);
        p.text = NULL;
    }
    return p.text;
}
