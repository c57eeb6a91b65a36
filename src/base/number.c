/* number.c -- numbers in text, exact and independent of the locale.
 *
 * Most numbers have at most 19 digits and a small power of ten.  Then mantissa and
 * power are exact in a double, and one multiplication or division rounds correctly
 * (Clinger 1990).  The others go through strtod_l.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t plain_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    return c_locale;
}

static double slow_parse(const char *s, char **end)
{
    locale_t c = plain_locale();
    return c ? strtod_l(s, end, c) : strtod(s, end);
}

bool bn_parse_int(const char **p, const char *end, int64_t *out)
{
    const char *s = *p;
    bool negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+'))
        s++;
    if (s == end || *s < '0' || *s > '9')
        return false;
    int64_t v = 0;
    for (; s < end && *s >= '0' && *s <= '9'; s++) {
        int digit = *s - '0';
        if (v > (INT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = negative ? -v : v;
    *p = s;
    return true;
}

/* Parses a copy that ends with a zero, since the text may reach the end of a mapped file. */
enum { LONGEST_EXPONENT = 8 };  /* a truncated exponent may look like none */

static bool parse_copy(const char **p, const char *end, double *out)
{
    char copy[512], *stop;
    size_t len = (size_t)(end - *p) < sizeof copy - 1 ? (size_t)(end - *p) : sizeof copy - 1;
    memcpy(copy, *p, len);
    copy[len] = 0;
    if (copy[0] == ' ' || (copy[0] >= '\t' && copy[0] <= '\r'))
        return false;
    if (strpbrk(copy, "xX") == copy + 1 || strpbrk(copy, "xX") == copy + 2)
        return false;                       /* no hexadecimal */
    *out = slow_parse(copy, &stop);
    if (stop == copy)
        return false;
    if (len == sizeof copy - 1 && stop + LONGEST_EXPONENT > copy + len)
        return false;                       /* it may continue past the copy */
    *p += stop - copy;
    return true;
}

bool bn_parse_real(const char **p, const char *end, double *out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *s = *p;
    bool negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+'))
        s++;
    uint64_t mantissa = 0;
    int digits = 0, exponent = 0, any = 0;
    for (; s < end && *s >= '0' && *s <= '9'; s++, any++)
        if (mantissa || *s != '0')
            mantissa = mantissa * 10 + (uint64_t)(*s - '0'), digits++;
    if (s < end && *s == '.')
        for (s++; s < end && *s >= '0' && *s <= '9'; s++, any++, exponent--)
            if (mantissa || *s != '0')
                mantissa = mantissa * 10 + (uint64_t)(*s - '0'), digits++;
    if (!any || digits > 19)
        return parse_copy(p, end, out);
    if (s < end && (*s == 'e' || *s == 'E')) {
        const char *after = s + 1;
        int64_t e;
        if (!bn_parse_int(&after, end, &e) || e > 400 || e < -400)
            return parse_copy(p, end, out);
        exponent += (int)e;
        s = after;
    }
    if (mantissa > (1ull << 53) || exponent < -22 || exponent > 22)
        return parse_copy(p, end, out);
    double v = (double)mantissa;
    v = exponent < 0 ? v / power[-exponent] : v * power[exponent];
    *out = negative ? -v : v;
    *p = s;
    return true;
}

int bn_format_float(char *buf, float v)
{
    int len = 0;
    locale_t c = plain_locale(), before = c ? uselocale(c) : (locale_t)0;
    for (int precision = 6; precision <= 9; precision++) {
        len = snprintf(buf, 24, "%.*g", precision, (double)v);
        const char *p = buf;
        double back;
        if (bn_parse_real(&p, buf + len, &back) && (float)back == v)
            break;
    }
    if (c)
        uselocale(before);
    return len;
}

const char *bn_s(int64_t count)
{
    return count == 1 ? "" : "s";
}

int bn_print_list(char *buf, size_t size, const char *format, va_list args)
{
    locale_t c = plain_locale(), before = c ? uselocale(c) : (locale_t)0;
    int len = vsnprintf(buf, size, format, args);
    if (c)
        uselocale(before);
    return len;
}

int bn_print(char *buf, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = bn_print_list(buf, size, format, args);
    va_end(args);
    return len;
}
