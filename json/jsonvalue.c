/* jsonvalue.c -- JSON values: making, reading, comparing.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jsonparts.h"

/* ---- making ---- */

bool bn_json_grow(void **items, size_t *room, size_t need, size_t size)
{
    size_t wanted = *room + *room / 2 + 4;
    if (need <= *room)
        return true;
    if (wanted < need)
        wanted = need;
    void *bigger = wanted <= SIZE_MAX / size ? bn_json_room(*items, wanted * size) : NULL;
    if (!bigger)
        return false;
    *items = bigger;
    *room = wanted;
    return true;
}

bn_json *bn_json_new(bn_json_kind kind)
{
    bn_json *v = bn_json_room(NULL, sizeof *v);
    if (v)
        *v = (bn_json){.kind = kind, .owners = 1};
    return v;
}

bn_json *bn_json_null(void)
{
    static bn_json null = {.kind = KIND_NULL};
    return &null;
}

bn_json *bn_json_flag(bool value)
{
    static bn_json flags[2] = {{.kind = KIND_FLAG}, {.kind = KIND_FLAG, .is.flag = true}};
    return &flags[value];
}

bn_json *bn_json_whole(int64_t value)
{
    bn_json *v = bn_json_new(KIND_WHOLE);
    if (v)
        v->is.whole = value;
    return v;
}

bn_json *bn_json_real(double value)
{
    bn_json *v = isfinite(value) ? bn_json_new(KIND_REAL) : bn_json_null();
    if (v && v->kind == KIND_REAL)
        v->is.real = value;
    return v;
}

char *bn_json_copy(const char *text, size_t len)
{
    char *copy = bn_json_room(NULL, len + 1);
    if (copy) {
        memcpy(copy, text, len);
        copy[len] = 0;
    }
    return copy;
}

bn_json *bn_json_text_of(const char *text, size_t len)
{
    bn_json *v = bn_json_new(KIND_TEXT);
    if (v && !(v->is.text = bn_json_copy(text, len))) {
        bn_json_drop(v);
        v = NULL;
    }
    return v;
}

static bn_json *checked_text(const char *text, size_t len)
{
    bn_json *v = bn_json_text_of(text, len);
    if (v && bn_utf8_bad((const uint8_t *)text, (int64_t)len) < (int64_t)len)
        for (char *c = v->is.text; *c; c++)
            *c = (unsigned char)*c > 126 ? '?' : *c;
    return v;
}

bn_json *bn_json_text(const char *text)
{
    return checked_text(text, strlen(text));
}

bn_json *bn_json_textf(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bn_json_text(text);
}

bn_json *bn_json_array(void)
{
    return bn_json_new(KIND_ARRAY);
}

bn_json *bn_json_object(void)
{
    return bn_json_new(KIND_OBJECT);
}

bn_json *bn_json_keep(bn_json *v)
{
    if (v && v->kind > KIND_FLAG)               /* the others are there once, for all */
        v->owners++;
    return v;
}

void bn_json_free(bn_json *v)
{
    if (!v || v->kind <= KIND_FLAG || --v->owners > 0)
        return;
    if (v->kind == KIND_TEXT)
        bn_json_drop(v->is.text);
    else if (v->kind == KIND_OBJECT)
        bn_json_pairs_free(&v->is.object);
    else if (v->kind == KIND_ARRAY) {
        for (size_t i = 0; i < v->is.array.count; i++)
            bn_json_free(v->is.array.item[i]);
        bn_json_drop(v->is.array.item);
    }
    bn_json_drop(v);
}

void bn_json_break(bn_json *v)
{
    if (v && v->kind > KIND_FLAG)
        v->broken = true;
}

bn_json *bn_json_add(bn_json *array, bn_json *value)
{
    bn_json_items *a = bn_json_is_array(array) ? &array->is.array : NULL;
    void *items = a ? a->item : NULL;
    bool fits = a && value && bn_json_grow(&items, &a->room, a->count + 1, sizeof *a->item);
    if (a)
        a->item = items;
    if (fits) {
        a->item[a->count++] = value;
        return value;
    }
    bn_json_free(value);
    bn_json_break(array);
    return NULL;
}

/* ---- making by a format ---- */

/* The argument that one letter of the format asks for. */
static bn_json *pack_one(char letter, const char **f, va_list *args)
{
    const char *text;
    switch (letter) {
    case 's':
        text = va_arg(*args, const char *);
        if (**f == '%' && (*f)++)
            return checked_text(text, va_arg(*args, size_t));
        if (**f == '?' && (*f)++)
            return text ? bn_json_text(text) : bn_json_null();
        return bn_json_text(text);
    case 'i': return bn_json_whole(va_arg(*args, int));
    case 'I': return bn_json_whole(va_arg(*args, int64_t));
    case 'f': return bn_json_real(va_arg(*args, double));
    case 'b': return bn_json_flag(va_arg(*args, int) != 0);
    case 'o': return va_arg(*args, bn_json *);
    case 'O': return bn_json_keep(va_arg(*args, bn_json *));
    default:  return bn_json_null();
    }
}

static char next_letter(const char **f)
{
    *f += strspn(*f, " ,:");
    return *(*f)++;
}

/* Without memory it goes on, since it must take all the values that it was given. */
static bn_json *pack(const char **f, va_list *args)
{
    const char first = next_letter(f);
    if (first != '[' && first != '{')
        return pack_one(first, f, args);
    bn_json *all = first == '[' ? bn_json_array() : bn_json_object();
    for (char c = next_letter(f); c != ']' && c != '}'; c = next_letter(f)) {
        if (first == '[')
            (*f)--;                             /* of the value; else it is the s of the key */
        const char *key = first == '{' ? va_arg(*args, const char *) : NULL;
        bn_json *value = pack(f, args);
        if (key)
            bn_json_set(all, key, value);
        else
            bn_json_add(all, value);
    }
    return all;
}

bn_json *bn_json_pack(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bn_json *v = pack(&format, &args);
    va_end(args);
    return v;
}

/* ---- reading ---- */

static bool is(const bn_json *v, bn_json_kind kind)
{
    return v && v->kind == kind;
}

bool bn_json_is_null(const bn_json *v)   { return is(v, KIND_NULL); }
bool bn_json_is_flag(const bn_json *v)   { return is(v, KIND_FLAG); }
bool bn_json_is_true(const bn_json *v)   { return is(v, KIND_FLAG) && v->is.flag; }
bool bn_json_is_whole(const bn_json *v)  { return is(v, KIND_WHOLE); }
bool bn_json_is_real(const bn_json *v)   { return is(v, KIND_REAL); }
bool bn_json_is_number(const bn_json *v) { return is(v, KIND_WHOLE) || is(v, KIND_REAL); }
bool bn_json_is_text(const bn_json *v)   { return is(v, KIND_TEXT); }
bool bn_json_is_array(const bn_json *v)  { return is(v, KIND_ARRAY); }
bool bn_json_is_object(const bn_json *v) { return is(v, KIND_OBJECT); }

int64_t bn_json_as_whole(const bn_json *v)
{
    return is(v, KIND_WHOLE) ? v->is.whole : 0;
}

double bn_json_as_number(const bn_json *v)
{
    return is(v, KIND_REAL) ? v->is.real : (double)bn_json_as_whole(v);
}

const char *bn_json_as_text(const bn_json *v)
{
    return is(v, KIND_TEXT) ? v->is.text : NULL;
}

size_t bn_json_count(const bn_json *array)
{
    return is(array, KIND_ARRAY) ? array->is.array.count : 0;
}

bn_json *bn_json_at(const bn_json *array, size_t i)
{
    return i < bn_json_count(array) ? array->is.array.item[i] : NULL;
}

/* ---- all of a value ---- */

bool bn_json_sound(const bn_json *v)
{
    bool sound = v && !v->broken;
    for (size_t i = 0; sound && i < bn_json_count(v); i++)
        sound = bn_json_sound(bn_json_at(v, i));
    for (size_t i = 0; sound && bn_json_key(v, i); i++)
        sound = bn_json_sound(bn_json_value(v, i));
    return sound;
}

static bool equal_arrays(const bn_json *a, const bn_json *b)
{
    bool same = bn_json_count(a) == bn_json_count(b);
    for (size_t i = 0; same && i < bn_json_count(a); i++)
        same = bn_json_equal(bn_json_at(a, i), bn_json_at(b, i));
    return same;
}

static bool equal_objects(const bn_json *a, const bn_json *b)
{
    bool same = a->is.object.count == b->is.object.count;
    const char *key;
    for (size_t i = 0; same && (key = bn_json_key(a, i)); i++)
        same = bn_json_equal(bn_json_value(a, i), bn_json_get(b, key));
    return same;
}

bool bn_json_equal(const bn_json *a, const bn_json *b)
{
    if (!a || !b || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case KIND_NULL:  return true;
    case KIND_FLAG:  return a->is.flag == b->is.flag;
    case KIND_WHOLE: return a->is.whole == b->is.whole;
    case KIND_REAL:  return a->is.real == b->is.real;
    case KIND_TEXT:  return strcmp(a->is.text, b->is.text) == 0;
    case KIND_ARRAY: return equal_arrays(a, b);
    default:         return equal_objects(a, b);
    }
}
