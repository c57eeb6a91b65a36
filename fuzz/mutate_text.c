/* mutate_text.c -- mutations of lines of numbers, and of bytes of which nothing is known.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "mutate.h"

typedef struct { size_t at, len; } span;

/* A number that starts at or after a random place. */
static span some_number(const mu_bytes *b, mu_rng *r)
{
    size_t at = mu_below(r, b->len), end;
    while (at < b->len && !isdigit(b->data[at]))
        at++;
    while (at > 0 && at < b->len && (isdigit(b->data[at - 1]) || b->data[at - 1] == '-'))
        at--;
    for (end = at; end < b->len && (isalnum(b->data[end]) || strchr("+-.", b->data[end])); )
        end++;
    return (span){at, end - at};
}

/* The line around a random place, with its end. */
static span some_line(const mu_bytes *b, mu_rng *r)
{
    size_t at = mu_below(r, b->len), end = at;
    while (at > 0 && b->data[at - 1] != '\n')
        at--;
    while (end < b->len && b->data[end] != '\n')
        end++;
    return (span){at, end + (end < b->len) - at};
}

static void put_text(mu_bytes *b, span s, const char *text)
{
    mu_splice(b, s.at, s.len, text, strlen(text));
}

static void copy_span(mu_bytes *b, span to, span from)
{
    uint8_t kept[256];
    from.len = from.len < sizeof kept ? from.len : sizeof kept;
    memcpy(kept, b->data + from.at, from.len);
    mu_splice(b, to.at, to.len, kept, from.len);
}

static void change_separator(mu_bytes *b, mu_rng *r)
{
    static const char *const list[] = {" ", ",", "\t", ";", "\n", "\r", "\r\n", "", "\n\n", "  ",
                                       ":", "\"", "#", "%", "|", "nan", "inf", "-", "+", "."};
    size_t at = mu_below(r, b->len);
    while (at < b->len && (isalnum(b->data[at]) || b->data[at] == '-' || b->data[at] == '.'))
        at++;
    put_text(b, (span){at, at < b->len && !mu_chance(r, 4)},
             list[mu_below(r, sizeof list / sizeof *list)]);
}

static void change_lines(mu_bytes *b, mu_rng *r)
{
    span line = some_line(b, r), other = some_line(b, r);
    switch (mu_below(r, 4)) {
    case 0: mu_splice(b, line.at, line.len, NULL, 0); break;
    case 1: copy_span(b, (span){other.at, 0}, line); break;
    case 2: copy_span(b, other, line); break;
    default: mu_splice(b, line.at, 0, "\n", 1);
    }
}

void mutate_text(mu_bytes *b, mu_rng *r)
{
    span s = some_number(b, r);
    switch (mu_below(r, 8)) {
    case 0: case 1: case 2: put_text(b, s, mu_digits(r)); break;
    case 3: copy_span(b, s, some_number(b, r)); break;
    case 4: change_separator(b, r); break;
    case 5: case 6: change_lines(b, r); break;
    default:
        if (mu_chance(r, 4))
            b->len = mu_below(r, b->len + 1);
        else
            put_text(b, (span){s.at, mu_below(r, s.len + 1)}, "");
    }
}

void mutate_binary(mu_bytes *b, mu_rng *r)
{
    uint8_t kept[64];
    size_t at = mu_below(r, b->len), len = (size_t)1 << mu_below(r, 4);
    uint64_t value = 0;
    len = len < b->len - at ? len : b->len - at;
    switch (mu_below(r, 6)) {
    case 0:
        mu_splice(b, at, mu_below(r, len + 1), NULL, 0);
        break;
    case 1:
        len = mu_below(r, sizeof kept);
        len = len < b->len - at ? len : b->len - at;
        memcpy(kept, b->data + at, len);
        mu_splice(b, mu_below(r, b->len + 1), 0, kept, len);
        break;
    default:
        if (len > 0)
            memcpy(&value, b->data + at, len);
        value = mu_number(r, value);
        if (len > 0)
            memcpy(b->data + at, &value, len);
    }
}
