/* fieldvalue.c -- reads, sets and checks the value of a field, and writes it as text.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"

size_t bn_field_bytes(const bonsai_field *f)
{
    switch (f->type) {
    case BONSAI_FIELD_FLAG:
    case BONSAI_FIELD_CHOICE:
    case BONSAI_FIELD_SET:
    case BONSAI_FIELD_INT:
        return sizeof(int);
    case BONSAI_FIELD_SPLIT:
        return 3 * sizeof(double);
    case BONSAI_FIELD_TEXT:
    case BONSAI_FIELD_FILE:
    case BONSAI_FIELD_POINTER:
        return sizeof(void *);
    default:
        return sizeof(int64_t);         /* double has as many */
    }
}

const bonsai_field *bn_field_named(bonsai_options_kind kind, const char *name)
{
    const bonsai_field *f = bn_structs[kind].field;
    while (strcmp(f->name, name) != 0)
        f++;
    return f;
}

const char *bn_field_option(char *name, const bonsai_field *f)
{
    snprintf(name, 48, "%s", f->option ? f->option : f->name);
    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = '-';
    return name;
}

/* ---- numbers ---- */

static bool is_real(const bonsai_field *f)
{
    return f->type == BONSAI_FIELD_REAL || f->type == BONSAI_FIELD_SPEED;
}

static bool is_whole(const bonsai_field *f)
{
    return f->type <= BONSAI_FIELD_BYTES;
}

static int64_t whole_of(const bonsai_field *f, const void *options)
{
    const char *at = (const char *)options + f->offset;
    int narrow;
    int64_t wide = 0;
    if (bn_field_bytes(f) == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

double bn_field_number(const bonsai_field *f, const void *options)
{
    double real = 0;
    if (is_real(f))
        memcpy(&real, (const char *)options + f->offset, sizeof real);
    else if (f->type == BONSAI_FIELD_U64)
        real = (double)(uint64_t)whole_of(f, options);
    else if (is_whole(f))
        real = (double)whole_of(f, options);
    return real;
}

/* Sets the value.  A flag takes any number of a file; the range of others was checked before. */
void bn_field_set(const bonsai_field *f, void *options, double value)
{
    char *at = (char *)options + f->offset;
    const int narrow = f->type == BONSAI_FIELD_FLAG ? value != 0 :
                       bn_field_bytes(f) == sizeof narrow ? (int)value : 0;
    if (is_real(f)) {
        memcpy(at, &value, sizeof value);
    } else if (bn_field_bytes(f) == sizeof narrow) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        const int64_t wide = (int64_t)value;
        memcpy(at, &wide, sizeof wide);
    }
}

/* ---- ranges ---- */

static int words_of(const bonsai_field *f)
{
    int count = 0;
    while (f->words && f->words[count])
        count++;
    return count;
}

/* Returns whether a value is in range.  Every comparison fails on NaN, which is in no range. */
bool bn_field_in_range(const bonsai_field *f, double v)
{
    if (f->type == BONSAI_FIELD_FLAG || f->type == BONSAI_FIELD_U64)
        return true;
    if (f->type == BONSAI_FIELD_CHOICE)
        return v >= 0 && v < words_of(f);
    if (f->type == BONSAI_FIELD_SET)
        return v >= 0 && v < (double)(1 << words_of(f));
    if (f->type == BONSAI_FIELD_LONG && f->words && v == -1)
        return true;
    if (f->low == f->high)
        return true;
    return (f->marks & BONSAI_MARK_ABOVE ? v > f->low : v >= f->low) &&
           (f->marks & BONSAI_MARK_BELOW ? v < f->high : v <= f->high);
}

/* Writes "in 1..16", "at least 1", "above 0 and at most 1", "at least 0 and below 1". */
static void range_text(char *out, size_t size, const bonsai_field *f)
{
    const bool above = f->marks & BONSAI_MARK_ABOVE, below = f->marks & BONSAI_MARK_BELOW;
    const char *least = above ? "above" : "at least";
    if (isinf(f->high))
        bn_print(out, size, "%s %.10g", least, f->low);
    else if (above || below)
        bn_print(out, size, "%s %.10g and %s %.10g", least, f->low, below ? "below" : "at most",
                 f->high);
    else
        bn_print(out, size, "in %.10g..%.10g", f->low, f->high);
}

bonsai_status bn_field_check(const bonsai_field *f, double value)
{
    char range[64], number[32];
    if (bn_field_in_range(f, value))
        return BONSAI_OK;
    if (f->type == BONSAI_FIELD_CHOICE || f->type == BONSAI_FIELD_SET)
        return bn_fail(BONSAI_E_ARGUMENT, "%s %d is not known", f->name, (int)value);
    range_text(range, sizeof range, f);
    bn_print(number, sizeof number, is_real(f) ? "%g" : "%.0f", value);
    if (f->words)
        return bn_fail(BONSAI_E_ARGUMENT, "%s is %s; it must be %s, or -1 for %s", f->name, number,
                       range, f->words[0]);
    return bn_fail(BONSAI_E_ARGUMENT, "%s is %s; it must be %s", f->name, number, range);
}

bonsai_status bn_fields_check(bonsai_options_kind kind, const void *options)
{
    bonsai_status rc = BONSAI_OK;
    for (const bonsai_field *f = bn_structs[kind].field; f->name && rc == BONSAI_OK; f++) {
        double value = bn_field_number(f, options);
        if (value != f->preset)
            rc = bn_field_check(f, value);
    }
    return rc;
}

/* ---- text ---- */

/* Returns whether a value was given: the preset of some fields means none. */
static bool is_given(const bonsai_field *f, double value)
{
    return value != f->preset || (!f->otherwise && bn_field_in_range(f, value));
}

static int split_text(char *text, size_t size, const double split[3])
{
    if (split[0] == 0 && split[1] == 0 && split[2] == 0)
        return bn_print(text, size, "%s", "");
    if (split[0] < 0)
        return bn_print(text, size, "own");
    return bn_print(text, size, "%.9g/%.9g/%.9g", split[0], split[1], split[2]);
}

/* Writes the words of a set: "gcn,sage". */
static int set_text(char *text, size_t size, const bonsai_field *f, int64_t bits)
{
    char all[128] = "";
    size_t at = 0;
    for (int i = 0; f->words[i] && at < sizeof all; i++)
        if (bits >> i & 1)
            at += (size_t)bn_print(all + at, sizeof all - at, "%s%s", at ? "," : "", f->words[i]);
    return bn_print(text, size, "%s", at > 0 ? all : "all");
}

static int whole_text(char *text, size_t size, const bonsai_field *f, int64_t value)
{
    if (f->type == BONSAI_FIELD_FLAG && !f->words)
        return bn_print(text, size, "%s", value ? "yes" : "no");
    if (f->type == BONSAI_FIELD_FLAG)
        return bn_print(text, size, "%s", f->words[value != 0]);
    if (f->type == BONSAI_FIELD_CHOICE && value >= 0 && value < words_of(f))
        return bn_print(text, size, "%s", f->words[value]);
    if (f->type == BONSAI_FIELD_SET)
        return set_text(text, size, f, value);
    if (f->type == BONSAI_FIELD_LONG && f->words && value == -1)
        return bn_print(text, size, "%s", f->words[0]);
    if (!is_given(f, (double)value))
        return bn_print(text, size, "%s", "");
    return bn_print(text, size, "%lld", (long long)value);
}

int bonsai_field_text(char *text, size_t size, const bonsai_field *f, const void *options)
{
    const char *at = (const char *)options + f->offset;
    if (f->type == BONSAI_FIELD_SPLIT) {
        double split[3];
        memcpy(split, at, sizeof split);
        return split_text(text, size, split);
    }
    if (f->type == BONSAI_FIELD_TEXT || f->type == BONSAI_FIELD_FILE) {
        const char *value;
        memcpy(&value, at, sizeof value);
        return bn_print(text, size, "%s", value ? value : "");
    }
    if (is_real(f)) {
        double value = bn_field_number(f, options);
        return is_given(f, value) ? bn_print(text, size, "%.9g", value)
                                  : bn_print(text, size, "%s", "");
    }
    if (f->type == BONSAI_FIELD_U64)
        return bn_print(text, size, "%llu", (unsigned long long)whole_of(f, options));
    if (f->type == BONSAI_FIELD_POINTER)
        return bn_print(text, size, "%s", "");
    return whole_text(text, size, f, whole_of(f, options));
}
