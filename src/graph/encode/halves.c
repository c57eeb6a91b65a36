/* halves.c -- codes of four bits, two in a byte, the first in the low half.
 *
 * A code q stands for the number q * |q|: features that are many times smaller than the largest of
 * their row keep some of their size.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/graph.h"

enum { PIECE = 1 << 14 };       /* bytes passed on at a time */

bonsai_status bn_halves_put(const void *codes, int64_t count, void *halves)
{
    bonsai_status rc = BONSAI_OK;
    bn_halves *h = halves;
    const uint8_t *code = codes;
    uint8_t buffer[PIECE];
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++) {
        if (h->low < 0) {
            h->low = code[i];
            continue;
        }
        buffer[used++] = (uint8_t)(h->low | code[i] << 4);
        h->low = -1;
        if (used == PIECE) {
            BN_TRY(h->sink(buffer, used, h->payload));
            used = 0;
        }
    }
    if (used > 0)
        BN_TRY(h->sink(buffer, used, h->payload));
done:
    return rc;
}

bonsai_status bn_halves_end(bn_halves *h)
{
    const uint8_t last = (uint8_t)h->low;
    return h->low < 0 ? BONSAI_OK : h->sink(&last, 1, h->payload);
}

int64_t bn_halves_open(uint8_t *out, const uint8_t *data, int64_t count, bonsai_type t)
{
    enum { NOTHING = 8 };       /* as a signed code: -8, which has no positive counterpart */
    const bool is_signed = t == BONSAI_TYPE_S4;
    int64_t bad = count;
    for (int64_t i = 0; i < count; i++) {
        int code = data[i / 2] >> 4 * (i % 2) & 15;
        if (is_signed && code == NOTHING && bad == count)
            bad = i;
        if (is_signed && code > NOTHING)
            code -= 16;
        out[i] = (uint8_t)(code * (code < 0 ? -code : code));
    }
    return bad;
}
