/* fieldjson.c -- writes structs of options as JSON, and reads them back.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

static bn_json *split_json(const void *at)
{
    double split[3];
    memcpy(split, at, sizeof split);
    return bn_json_pack("[fff]", split[0], split[1], split[2]);
}

static bn_json *text_json(const void *at)
{
    const char *text;
    memcpy(&text, at, sizeof text);
    return text ? bn_json_text(text) : bn_json_null();
}

static bn_json *wide_json(const void *at)
{
    int64_t value;
    memcpy(&value, at, sizeof value);
    return bn_json_whole((int64_t)value);     /* a seed above 2^63 is read back unchanged */
}

static bn_json *set_json(const bonsai_field *f, const void *options)
{
    char text[128];
    bonsai_field_text(text, sizeof text, f, options);
    return bn_json_text(text);
}

static bn_json *value_json(const bonsai_field *f, const void *options)
{
    const char *at = (const char *)options + f->offset;
    const double number = bn_field_number(f, options);
    switch (f->type) {
    case BONSAI_FIELD_FLAG:
        return bn_json_flag(number != 0);
    case BONSAI_FIELD_CHOICE:
        return bn_json_text(f->words[(int)number]);
    case BONSAI_FIELD_SET:
        return set_json(f, options);
    case BONSAI_FIELD_INT:
        return bn_json_whole((int64_t)number);
    case BONSAI_FIELD_REAL:
    case BONSAI_FIELD_SPEED:
        return bn_json_real(number);
    case BONSAI_FIELD_SPLIT:
        return split_json(at);
    case BONSAI_FIELD_TEXT:
    case BONSAI_FIELD_FILE:
        return text_json(at);
    default:
        return wide_json(at);
    }
}

bool bn_field_recorded(const bonsai_field *f)
{
    return f->type != BONSAI_FIELD_POINTER && !(f->marks & BONSAI_MARK_ASIDE);
}

/* Returns whether the option has its default, which records of older versions do not name. */
static bool is_unsaid(const bonsai_field *f, const void *options)
{
    const char *text = NULL;
    if (!(f->marks & BONSAI_MARK_UNUSUAL))
        return false;
    if (f->type == BONSAI_FIELD_TEXT)
        memcpy(&text, (const char *)options + f->offset, sizeof text);
    return f->type == BONSAI_FIELD_TEXT ? !text : bn_field_number(f, options) == f->preset;
}

bn_json *bn_fields_json(bonsai_options_kind kind, const void *options)
{
    bn_json *all = bn_json_object();
    for (const bonsai_field *f = bn_structs[kind].field; f->name; f++)
        if (bn_field_recorded(f) && !is_unsaid(f, options))
            bn_json_set(all, f->name, value_json(f, options));
    return all;
}

int bonsai_options_json(char *text, size_t size, bonsai_options_kind kind, const void *options)
{
    bn_json *all = bn_fields_json(kind, options);
    char *whole = bn_json_print(all, 0, 17);
    int length = snprintf(text, size, "%s", whole ? whole : "{}");
    if (!whole)
        length = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the options");
    bn_json_free(all);
    bn_json_drop(whole);
    return length;
}

/* ---- and back ---- */

/* Reads shares of 100, nothing else.  Subtracts from the last one what rounding may have added. */
static void read_split(const bonsai_field *f, void *options, const bn_json *value)
{
    double split[3], sum = 0;
    for (size_t i = 0; i < 3; i++) {
        split[i] = bn_json_as_number(bn_json_at(value, i));
        sum += split[i] >= 0 ? split[i] : HUGE_VAL;
    }
    if (!(sum <= 100 + 1e-5))
        return;
    for (int i = 2; i >= 0 && sum > 100; i--)
        if (split[i] > 0) {
            split[i] -= sum - 100;
            break;
        }
    memcpy((char *)options + f->offset, split, sizeof split);
}

static void read_word(const bonsai_field *f, void *options, const char *word)
{
    for (int i = 0; word && f->words[i]; i++)
        if (strcmp(f->words[i], word) == 0)
            bn_field_set(f, options, i);
}

/* Reads words between commas; skips those outside the set. */
static void read_set(const bonsai_field *f, void *options, const char *text)
{
    int bits = 0;
    for (size_t length; text && *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        for (int i = 0; f->words[i]; i++)
            if (strlen(f->words[i]) == length && strncmp(f->words[i], text, length) == 0)
                bits |= 1 << i;
    }
    bn_field_set(f, options, bits);
}

/* Reads whole numbers of 64 bits, which a double may not hold exactly. */
static void read_wide(const bonsai_field *f, void *options, const bn_json *value)
{
    const int64_t wide = (int64_t)bn_json_as_whole(value);
    const double number = (double)wide;
    if (bn_json_is_whole(value) && (number == f->preset || bn_field_in_range(f, number)))
        memcpy((char *)options + f->offset, &wide, sizeof wide);
}

static void read_number(const bonsai_field *f, void *options, const bn_json *value)
{
    const double number = bn_json_is_flag(value) ? bn_json_is_true(value)
                                                 : bn_json_as_number(value);
    const bool is_number = bn_json_is_number(value) || bn_json_is_flag(value);
    if (is_number && (number == f->preset || bn_field_in_range(f, number)))
        bn_field_set(f, options, number);
}

void bn_fields_from_json(bonsai_options_kind kind, void *options, const bn_json *from)
{
    for (const bonsai_field *f = bn_structs[kind].field; f->name; f++) {
        const bn_json *value = bn_json_get(from, f->name);
        if (!value)
            continue;
        if (f->type == BONSAI_FIELD_SPLIT)
            read_split(f, options, value);
        else if (f->type == BONSAI_FIELD_CHOICE)
            read_word(f, options, bn_json_as_text(value));
        else if (f->type == BONSAI_FIELD_SET)
            read_set(f, options, bn_json_as_text(value));
        else if (f->type == BONSAI_FIELD_LONG || f->type == BONSAI_FIELD_BYTES ||
                 f->type == BONSAI_FIELD_U64)
            read_wide(f, options, value);
        else if (f->type < BONSAI_FIELD_TEXT)
            read_number(f, options, value);
    }
}
