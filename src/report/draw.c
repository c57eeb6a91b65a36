/* draw.c -- growing text, escaped text, and numbers for people.
 *
 * Numbers are written digit by digit: printf would follow the locale of the calling program, and a
 * decimal comma breaks an SVG path.
 *
 * SPDX-License-Identifier: MIT */
#include "draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- growing text -------------------------------------------------------- */

void bn_page_free(bn_page *p)
{
    bn_free(p->text);
    memset(p, 0, sizeof *p);
}

bonsai_status bn_page_status(const bn_page *p)
{
    if (p->failed)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the page");
    return *p->wrong ? bn_fail(BONSAI_E_FORMAT, "a template of the page has %s", p->wrong)
                     : BONSAI_OK;
}

bonsai_status bn_page_save(const bn_page *p, const char *path)
{
    bonsai_status rc;
    bn_out *out = NULL;
    BN_TRY(bn_page_status(p));
    BN_TRY(bn_out_open(&out, path));
    BN_TRY(bn_out_write(out, p->text, p->length));
    BN_TRY(bn_out_commit(out));
done:
    bn_out_close(out);
    return rc;
}

void bn_put_part(bn_page *p, const char *from, const char *to)
{
    const int64_t len = to - from;
    if (p->failed)
        return;
    if (p->length + len + 1 > p->room) {
        int64_t want = p->length + len + 1 + (p->room < 4096 ? 4096 : p->room);
        if (bn_grow((void **)&p->text, &p->room, want, 1) != BONSAI_OK) {
            p->failed = true;
            return;
        }
    }
    memcpy(p->text + p->length, from, (size_t)len);
    p->length += len;
    p->text[p->length] = 0;
}

void bn_put(bn_page *p, const char *html)
{
    bn_put_part(p, html, html + strlen(html));
}

void bn_putf(bn_page *p, const char *format, ...)
{
    char buf[2048];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(buf, sizeof buf, format, args);
    va_end(args);
    bn_put_part(p, buf, buf + (len < 0 ? 0 : len < (int)sizeof buf ? len : (int)sizeof buf - 1));
}

/* ---- escaped text -------------------------------------------------------- */

static void put_character(bn_page *p, const unsigned char *s, int len, uint32_t code)
{
    const char *entity = code == '&' ? "&amp;" : code == '<' ? "&lt;" : code == '>' ? "&gt;" :
                         code == '"' ? "&quot;" : code == '\'' ? "&#39;" :
                         code == '\n' || code == '\t' || code == '\r' ? " " :
                         len == 0 || bn_utf8_is_harmful(code) ? "?" : NULL;
    if (entity)
        bn_put(p, entity);
    else
        bn_put_part(p, (const char *)s, (const char *)s + len);
}

void bn_escape_cut(bn_page *p, const char *text, int most)
{
    const unsigned char *s = (const unsigned char *)text, *cut = NULL;
    for (int count = 0; *s && count < most; count++) {
        uint32_t code = 0;
        int len = bn_utf8_decode(&code, s, 4);
        if (count == most - 1)
            cut = s;                            /* room for the last character, or the dots */
        s += len ? len : 1;
    }
    const bool long_one = *s || most < 1;
    const unsigned char *end = long_one && cut ? cut : s;
    for (s = (const unsigned char *)text; s < end;) {
        uint32_t code = 0;
        int len = bn_utf8_decode(&code, s, 4);
        put_character(p, s, len, code);
        s += len ? len : 1;
    }
    if (long_one)
        bn_put(p, "…");
}

void bn_escape(bn_page *p, const char *text)
{
    bn_escape_cut(p, text, BN_LONGEST_TEXT);
}

/* ---- numbers ------------------------------------------------------------- */

static int put_digits(char *buf, uint64_t v, int least, bool grouped)
{
    char back[32];
    int n = 0, at = 0;
    for (; v > 0 || n < least; v /= 10)
        back[n++] = (char)('0' + v % 10);
    for (int i = n - 1; i >= 0; i--) {
        buf[at++] = back[i];
        if (grouped && i > 0 && i % 3 == 0)
            buf[at++] = ',';
    }
    return at;
}

/* Writes a number with some digits after the decimal point into buf of 48. */
int bn_fixed(char *buf, double v, int digits, bool grouped)
{
    static const double power[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    int at = 0, exponent = 0;
    if (!isfinite(v))
        return snprintf(buf, 48, "–");
    digits = digits < 0 ? 0 : digits > 9 ? 9 : digits;
    double size = fabs(v);
    if (size * power[digits] >= 9e15) {
        exponent = (int)floor(log10(size));
        size /= pow(10, exponent);
        digits = 1;
    }
    uint64_t scaled = (uint64_t)llround(size * power[digits]), one = (uint64_t)power[digits];
    if (v < 0 && scaled > 0)
        at += snprintf(buf, 48, "−");
    at += put_digits(buf + at, scaled / one, 1, grouped);
    if (digits) {
        buf[at++] = '.';
        at += put_digits(buf + at, scaled % one, digits, false);
    }
    buf[at] = 0;
    return exponent ? at + snprintf(buf + at, 16, "e%d", exponent) : at;
}

/* Writes one digit after the decimal point and, unlike bn_fixed, a minus that SVG reads. */
void bn_plain(char *buf, double v)
{
    if (v < 0 && v > -0.05)
        v = 0;
    *buf = '-';
    bn_fixed(buf + (v < 0), fabs(v), 1, false);
}

void bn_number_text(char *buf, double v)
{
    double size = fabs(v);
    if (!isfinite(v) || v == rint(v) || size >= 100)
        bn_fixed(buf, v, 0, true);
    else if (size >= 1)
        bn_fixed(buf, v, size >= 10 ? 1 : 2, true);
    else if (size >= 1e-4)
        bn_fixed(buf, v, 1 - (int)floor(log10(size)), true);
    else {
        int exponent = (int)floor(log10(size));
        int at = bn_fixed(buf, v / pow(10, exponent), 1, false);
        snprintf(buf + at, 16, "e−%d", -exponent);
    }
}

void bn_bytes_text(char *buf, double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int u = 0;
    if (!isfinite(bytes)) {
        strcpy(buf, "–");
        return;
    }
    for (; fabs(bytes) >= 999.5 && u < 5; u++)
        bytes /= 1000;
    int at = bn_fixed(buf, bytes, u && fabs(bytes) < 99.95 ? 1 : 0, true);
    snprintf(buf + at, 16, " %s", unit[u]);      /* a no-break space */
}

void bn_seconds_text(char *buf, double s)
{
    const double seconds = rint(s), minutes = rint(s / 60);
    if (!(s >= 0.9995))
        strcpy(buf + bn_fixed(buf, 1000 * s, s < 0.00995 ? 1 : 0, true), " ms");
    else if (s < 59.95)
        strcpy(buf + bn_fixed(buf, s, s < 9.995 ? 2 : 1, true), " s");
    else if (s < 3599.5)
        snprintf(buf, 64, "%.0f min %.0f s", floor(seconds / 60), fmod(seconds, 60));
    else
        snprintf(buf + bn_fixed(buf, floor(minutes / 60), 0, true), 16, " h %.0f min",
                 fmod(minutes, 60));
}

void bn_percent_text(char *buf, double share)
{
    double v = 100 * share, size = fabs(v);
    int digits = size >= 99.95 || v == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 4;
    int at = bn_fixed(buf, v, v == rint(v) ? 0 : digits, true);
    snprintf(buf + at, 8, isfinite(v) ? " %%" : "");
}
