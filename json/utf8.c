/* utf8.c -- characters of UTF-8, and those that must not reach a terminal.
 *
 * Names come from files of others.  Besides control characters below 32, those of 128 to 159 steer
 * a terminal (155 begins a command), and embeddings, overrides and isolates of direction make
 * text look like other text.
 *
 * SPDX-License-Identifier: MIT */
#include "json.h"

int bn_utf8_decode(uint32_t *code, const uint8_t *s, int64_t len)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const int bytes = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
                      s[0] < 0xf5 ? 4 : 0;
    if (bytes == 0 || bytes > len)
        return 0;
    *code = bytes == 1 ? s[0] : s[0] & (0x7fu >> bytes);
    for (int i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    if (*code < least[bytes] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return bytes;
}

int64_t bn_utf8_bad(const uint8_t *s, int64_t len)
{
    uint32_t code;
    int64_t i = 0;
    for (int bytes; i < len && (bytes = bn_utf8_decode(&code, s + i, len - i)) > 0; i += bytes)
        ;
    return i;
}

bool bn_utf8_is_harmful(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           (code >= 0xfdd0 && code < 0xfdf0) || (code & 0xfffe) == 0xfffe;
}

void bn_utf8_clean(char *text, char instead)
{
    const uint8_t *from = (const uint8_t *)text;
    uint32_t code = 0;
    for (int bytes; *from; from += bytes ? bytes : 1) {
        bytes = bn_utf8_decode(&code, from, 4);         /* stops at the zero, which continues nothing */
        if (bytes == 0 || bn_utf8_is_harmful(code))
            *text++ = instead;
        else
            for (int i = 0; i < bytes; i++)
                *text++ = (char)from[i];
    }
    *text = 0;
}
