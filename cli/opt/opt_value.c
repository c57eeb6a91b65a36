/* opt_value.c -- parses an option's text: numbers, sizes, words, splits, and lists of words.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opt/opt_row.h"
#include "output/text.h"

/* ---- numbers ------------------------------------------------------------- */

int parse_real(const char *text, double *out)
{
    char *end;
    if (strspn(text, "0123456789+-.eE") != strlen(text) || !*text)
        return 0;                               /* no spaces, hexadecimal, inf or nan */
    errno = 0;
    *out = strtod(text, &end);
    return *end == 0 && isfinite(*out);
}

/* Parses 1e7 or 2.5e6, as people write large whole numbers. */
static int parse_power(const char *text, int64_t *out)
{
    const double most = 9e15;           /* every whole number below is itself */
    double real;
    if (!strpbrk(text, "eE") || !parse_real(text, &real) || real != floor(real))
        return 0;
    errno = fabs(real) > most ? ERANGE : 0;
    *out = errno ? 0 : (int64_t)real;
    return 1;
}

int parse_whole(const char *text, int64_t *out)
{
    char *end;
    if (strspn(text, "0123456789+-.eE") == strlen(text) && parse_power(text, out))
        return 1;
    if (strspn(text, "0123456789+-") != strlen(text) || !*text)
        return 0;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return *end == 0 && end > text;
}

static int set_split(session *s, const opt *o, const char *text)
{
    char copy[96];
    const char *whole = text;
    double *percent = o->value, sum = 0;
    if (bonsai_split_named(percent, text))
        return OPT_GO;
    for (int i = 0; i < 3; i++) {
        size_t len = strcspn(whole, "/");
        snprintf(copy, sizeof copy, "%.*s", (int)(len < sizeof copy ? len : 0), whole);
        if (whole[len] != (i < 2 ? '/' : 0) || !parse_real(copy, &percent[i]))
            return refuse(s, "--%s is \"%s\", which is not of the form 60/20/20", o->name, text);
        if (percent[i] < 0 || percent[i] > 100)
            return refuse(s, "--%s is \"%s\", but %s is outside 0..100", o->name, text, copy);
        sum += percent[i];
        whole += len + 1;
    }
    if (sum > 100 + 1e-9)
        return refuse(s, "--%s is \"%s\", which sums to %g, more than 100", o->name, text, sum);
    if (sum == 0)
        return refuse(s, "--%s is \"%s\", which leaves no nodes", o->name, text);
    return OPT_GO;
}

int check_split(session *s, const double percent[3])
{
    if (percent[0] != 0 || (percent[1] == 0 && percent[2] == 0))
        return OPT_GO;
    return refuse(s, "--split is %g/%g/%g, which leaves no training nodes", percent[0], percent[1],
                  percent[2]);
}

/* Parses a size: K, M, G, T and KiB, MiB ... are powers of 1024, KB, MB ... of 1000; a blank may
 * precede them, as in messages. */
static int parse_size(const char *text, int64_t *out)
{
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789.");
    char number[32];
    double bytes, thousand = 1024;
    const char *unit = text + digits + (digits && text[digits] == ' ' && text[digits + 1]);
    const char *at = *unit ? strchr(units, toupper((unsigned char)*unit)) : NULL;
    snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : 0), text);
    if (!parse_real(number, &bytes) || (*unit && !at && strcmp(unit, "B") != 0))
        return 0;
    if (at && strcmp(unit + 1, "B") == 0)
        thousand = 1000;
    else if (at && unit[1] && strcmp(unit + 1, "iB") != 0)
        return 0;
    for (; at && at >= units; at--)
        bytes *= thousand;
    *out = bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
    return 1;
}

static int parse_unsigned(const char *text, uint64_t *out)
{
    char *end;
    if (strspn(text, "0123456789") != strlen(text) || !*text)
        return 0;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return *end == 0 && errno == 0;
}

static int set_word(const opt *o, const char *text)
{
    for (int i = 0; o->f->words[i]; i++)
        if (strcmp(o->f->words[i], text) == 0) {
            *(int *)o->value = i;
            return 1;
        }
    return 0;
}

static int no_word(session *s, const opt *o, const char *text)
{
    int count = 0;
    while (o->f->words[count])
        count++;
    const char *near = text_nearest(text, o->f->words, count);
    return refuse(s, "--%s is \"%s\", which is none of %s%s%s%s", o->name, text, o->arg,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int bad(session *s, const opt *o, const char *text, const char *why)
{
    return refuse(s, "--%s is \"%s\", which is %s", o->name, text, why);
}

static int in_range(const bonsai_field *f, double v)
{
    return f->low == f->high || ((f->marks & BONSAI_MARK_ABOVE ? v > f->low : v >= f->low) &&
                                 (f->marks & BONSAI_MARK_BELOW ? v < f->high : v <= f->high));
}

static int out_of_range(session *s, const opt *o, const char *text)
{
    const bonsai_field *f = o->f;
    const char *limit = f->type == BONSAI_FIELD_REAL ? "%.10g" : "%.0f";
    const int above = f->marks & BONSAI_MARK_ABOVE, below = f->marks & BONSAI_MARK_BELOW;
    char low[32], high[32], instead[48] = "";
    double real = 0;
    if (above && f->low == 0 && f->high == 1 && parse_real(text, &real) && real > 1 && real <= 100)
        snprintf(instead, sizeof instead, "; for %.10g %% write %.10g", real, real / 100);
    snprintf(low, sizeof low, limit, f->low);
    snprintf(high, sizeof high, limit, f->high);
    if (isinf(f->high))
        return refuse(s, "--%s is %s, which is %s %s", o->name, text,
                      above ? "not above" : "less than", low);
    if (above || below)
        return refuse(s, "--%s is %s, which is not %s %s and %s %s%s", o->name, text,
                      above ? "above" : "at least", low, below ? "below" : "at most", high, instead);
    return refuse(s, "--%s is %s, which is outside %s..%s", o->name, text, low, high);
}

int parse_share(const char *text, double *out)
{
    char number[32];
    const size_t len = strlen(text);
    if (len < 2 || len > sizeof number || text[len - 1] != '%')
        return parse_real(text, out);
    snprintf(number, sizeof number, "%.*s", (int)len - 1, text);
    if (!parse_real(number, out))
        return 0;
    *out /= 100;
    return 1;
}

static int set_real(session *s, const opt *o, const char *text)
{
    double real = 0;
    const int share = o->f->low == 0 && o->f->high == 1;
    if (!(share ? parse_share(text, &real) : parse_real(text, &real)))
        return bad(s, o, text, "not a number");
    if (!in_range(o->f, real))
        return out_of_range(s, o, text);
    *(double *)o->value = real;
    return OPT_GO;
}

/* Refuses a text; for 100M, which is how sizes are written, suggests 100e6. */
static int no_whole(session *s, const opt *o, const char *text)
{
    static const char units[] = "KMGT";
    const size_t digits = strspn(text, "0123456789.");
    const char *at = digits && text[digits] && !text[digits + 1]
                         ? strchr(units, toupper((unsigned char)text[digits])) : NULL;
    char why[80] = "not a whole number";
    if (at)
        snprintf(why, sizeof why, "not a whole number; write %.*se%d",
                 (int)(digits < 32 ? digits : 32), text, 3 * (int)(at - units + 1));
    return bad(s, o, text, why);
}

static int set_whole(session *s, const opt *o, const char *text)
{
    int64_t whole = 0;
    if (o->f->words && strcmp(text, o->f->words[0]) == 0)
        whole = -1;
    else if (!parse_whole(text, &whole))
        return o->f->words ? refuse(s, "--%s is \"%s\", which is neither %s nor a whole number",
                                    o->name, text, o->f->words[0])
                           : no_whole(s, o, text);
    else if (errno == ERANGE)
        return bad(s, o, text, "too large");
    else if (!in_range(o->f, (double)whole))
        return out_of_range(s, o, text);
    if (o->f->type == BONSAI_FIELD_LONG)
        *(int64_t *)o->value = whole;
    else
        *(int *)o->value = (int)whole;
    return OPT_GO;
}

/* Refuses a size that is too small to be of use: its unit is missing. */
static int without_unit(session *s, const opt *o, const char *text, int64_t bytes)
{
    char why[80];
    if (bytes == 0)
        snprintf(why, sizeof why, "less than a byte; write %.20sG", text);
    else
        snprintf(why, sizeof why, "only so many bytes; write %.20sG or %.20sM", text, text);
    return bad(s, o, text, why);
}

static int set_size(session *s, const opt *o, const char *text)
{
    enum { FEW = 1024 };
    int64_t bytes = 0;
    if (!parse_size(text, &bytes))
        return bad(s, o, text, "not a size such as 500M or 3G");
    if (bytes < FEW && text[strspn(text, "0123456789.")] == 0 && strpbrk(text, "123456789"))
        return without_unit(s, o, text, bytes);
    if (bytes == 0 && strpbrk(text, "123456789"))       /* 0 means something else */
        return bad(s, o, text, "less than a byte");
    if (o->f->type == BONSAI_FIELD_BYTES)
        *(int64_t *)o->value = bytes;
    else
        *(double *)o->value = (double)bytes;
    return OPT_GO;
}

/* Sets the bits of words between commas, or of all. */
static int set_words(session *s, const opt *o, const char *text)
{
    int word[32], count, bits = 0;
    char name[64];
    if (!*text)
        return refuse(s, "--%s is empty", o->name);
    snprintf(name, sizeof name, "--%s", o->name);
    const int all = strcmp(text, "all") == 0;
    int rc = all ? OPT_GO : parse_words(s, word, &count, name, text, o->f->words);
    for (int i = 0; rc == OPT_GO && !all && i < count; i++)
        bits |= 1 << word[i];
    if (rc == OPT_GO)
        *(int *)o->value = bits;
    return rc;
}

int opt_set(session *s, const opt *o, const char *text)
{
    switch (o->f->type) {
    case BONSAI_FIELD_FLAG:
    case BONSAI_FIELD_CHOICE:
        if (opt_is_flag(o))
            *(int *)o->value = 1;
        else if (!set_word(o, text))
            return no_word(s, o, text);
        return OPT_GO;
    case BONSAI_FIELD_SET:
        return set_words(s, o, text);
    case BONSAI_FIELD_U64:
        if (!parse_unsigned(text, o->value))
            return bad(s, o, text, "not a whole number of at most 64 bits");
        return OPT_GO;
    case BONSAI_FIELD_BYTES:
    case BONSAI_FIELD_SPEED:
        return set_size(s, o, text);
    case BONSAI_FIELD_SPLIT:
        return set_split(s, o, text);
    case BONSAI_FIELD_TEXT:
    case BONSAI_FIELD_FILE:
        if (!*text)
            return refuse(s, "--%s is empty", o->name);
        if (o->f->type == BONSAI_FIELD_FILE && strlen(text) >= MOST_PATH)
            return refuse(s, "--%s is longer than %d bytes", o->name, MOST_PATH - 1);
        *(const char **)o->value = text;
        return OPT_GO;
    case BONSAI_FIELD_REAL:
        return set_real(s, o, text);
    default:
        return set_whole(s, o, text);
    }
}

/* ---- lists --------------------------------------------------------------- */

static int no_such_word(session *s, const char *option, const char *word, const char *const *words)
{
    char list[256] = "";
    int count = 0;
    for (size_t at = 0; words[count] && at < sizeof list; count++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", count ? ", " : "",
                               words[count]);
    const char *near = text_nearest(word, words, count);
    return refuse(s, "%s holds \"%s\", which is none of %s%s%s%s", option, word, list,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int parse_ratios(session *s, double *out, int *count, int most, const char *text)
{
    char word[64];
    *count = 0;
    while (text_piece(word, sizeof word, &text)) {
        double *ratio = &out[*count];
        if (*count == most)
            return refuse(s, "--ratios holds more than %d numbers", most);
        if (!parse_share(word, ratio) || *ratio <= 0 || *ratio > 1)
            return refuse(s, "--ratios holds \"%s\", which is not a number above 0 and at most 1",
                          word);
        for (int i = 0; i < *count; i++)
            if (out[i] == *ratio)
                return refuse(s, "--ratios holds %s twice", word);
        ++*count;
    }
    return OPT_GO;
}

int parse_words(session *s, int *out, int *count, const char *option, const char *text,
                const char *const *words)
{
    char word[64];
    *count = 0;
    if (strcmp(text, "all") == 0) {
        for (; words[*count]; ++*count)
            out[*count] = *count;
        return OPT_GO;
    }
    while (text_piece(word, sizeof word, &text)) {
        int i = 0;
        while (words[i] && strcmp(words[i], word) != 0)
            i++;
        if (!words[i])
            return no_such_word(s, option, word, words);
        for (int k = 0; k < *count; k++)
            if (out[k] == i)
                return refuse(s, "%s holds %s twice", option, word);
        out[(*count)++] = i;
    }
    return OPT_GO;
}
