/* mutate.c -- chance, bytes, and which mutator a file gets; see mutate.h.
 *
 * SPDX-License-Identifier: MIT */
#include "mutate.h"

#include <ctype.h>
#include <string.h>

uint64_t mu_next(mu_rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t mu_below(mu_rng *r, size_t n)
{
    return n ? (size_t)(mu_next(r) % n) : 0;
}

bool mu_chance(mu_rng *r, size_t one_in)
{
    return mu_below(r, one_in) == 0;
}

uint64_t mu_number(mu_rng *r, uint64_t was)
{
    uint64_t power = (uint64_t)1 << mu_below(r, 64);
    switch (mu_below(r, 12)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return was + 1;
    case 3: return was - 1;
    case 4: return was * 2;
    case 5: return was / 2;
    case 6: return power;
    case 7: return power - 1;
    case 8: return was ^ power;
    case 9: return ~(uint64_t)0 - mu_below(r, 3);
    case 10: return mu_next(r);
    default: return mu_below(r, 64);
    }
}

const char *mu_digits(mu_rng *r)
{
    static const char *const list[] = {
        "0", "1", "2", "3", "7", "40", "-1", "-0", "255", "256", "65535", "65536", "1000000",
        "10000000", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "0.5", "-0.5", "1e7", "1e38", "1e39", "1e308", "-1e308", "1e-320",
        "0.30000000000000004", "99999999999999999999999999999999999999999999",
    };
    return list[mu_below(r, sizeof list / sizeof *list)];
}

bool mu_splice(mu_bytes *b, size_t at, size_t gone, const void *put, size_t len)
{
    if (at > b->len || gone > b->len - at || len > b->room - (b->len - gone))
        return false;
    memmove(b->data + at + len, b->data + at + gone, b->len - at - gone);
    if (len > 0)
        memcpy(b->data + at, put, len);
    b->len += len - gone;
    return true;
}

static bool is_text(const mu_bytes *b)
{
    size_t odd = 0;
    for (size_t i = 0; i < b->len; i++)
        odd += b->data[i] < 9 || (b->data[i] > 13 && b->data[i] < 32) || b->data[i] > 126;
    return odd * 10 <= b->len;
}

static bool is_json(const mu_bytes *b)
{
    size_t i = 0;
    while (i < b->len && isspace(b->data[i]))
        i++;
    return i < b->len && (b->data[i] == '{' || b->data[i] == '[');
}

void mutate_file(mu_bytes *b, mu_rng *r, const mu_bytes *other)
{
    if (mutate_native(b, r, other) || mutate_zip(b, r) || mutate_npy(b, r))
        return;
    if (is_json(b) && !mu_chance(r, 8) && mutate_json(b, r))
        return;
    if (is_text(b) && !mu_chance(r, 8))
        mutate_text(b, r);
    else
        mutate_binary(b, r);
}
