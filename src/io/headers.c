/* headers.c -- tells headers and columns of ids from data.
 *
 * A name of a column may be a name of a node or of a class too.  What decides is the rest of the
 * file: a column's name does not occur below itself.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "companion.h"

bool bn_is_id_name(const bn_field *f, bool first)
{
    const bn_field tail = {f->text + (f->len > 3 ? f->len - 3 : 0), 3, false};
    return bn_field_is(f, "id") || bn_field_is(f, "node") || bn_field_is(f, "node_id") ||
           bn_field_is(f, "nodeid") || (first && f->len > 3 && bn_field_is(&tail, "_id"));
}

void bn_word_of(bn_word *w, const bn_field *f)
{
    w->len = f->text && f->len <= (int64_t)sizeof w->text ? f->len : -1;
    if (w->len > 0)
        memcpy(w->text, f->text, (size_t)w->len);
}

bonsai_status bn_record_next(bn_lines *l, bool *there)
{
    bonsai_status rc = BONSAI_OK;
    bn_field f;
    while (l->more)                     /* a quoted field may span lines */
        BN_TRY(bn_field_next(l, &f));
    *there = bn_lines_next(l);
done:
    return rc;
}

bonsai_status bn_word_below(bool *found, bn_lines *l, const bn_word *w, int64_t from, int64_t to)
{
    bonsai_status rc;
    bn_field f;
    bool there;
    *found = false;
    BN_TRY(bn_record_next(l, &there));
    while (!*found && there) {
        for (int64_t i = 0; i < to && l->more && !*found; i++) {
            BN_TRY(bn_field_next(l, &f));
            *found = i >= from && f.len == w->len && w->len >= 0 &&
                     (f.len == 0 || memcmp(f.text, w->text, (size_t)f.len) == 0);
        }
        BN_TRY(bn_record_next(l, &there));
    }
done:
    return rc;
}

bonsai_status bn_word_in(bool *found, const char *path, const bn_word *w, int64_t columns)
{
    bonsai_status rc;
    bn_lines l = {0};
    BN_TRY(bn_lines_open(&l, path));
    BN_TRY(bn_word_below(found, &l, w, 0, columns));
done:
    bn_lines_close(&l);
    return rc;
}

/* Whether a column holds each of 0 .. n-1 once, in another order.  seen has n zeros, or leavings of
 * columns before: marks of this column are `mark`. */
static bool is_permuted(const float *x, int64_t n, int64_t columns, int32_t *seen, int32_t mark)
{
    bool moved = false;
    for (int64_t v = 0; v < n; v++) {
        const float at = x[v * columns];
        if (!(at >= 0 && at < (float)n) || at != (float)(int64_t)at || seen[(int64_t)at] == mark)
            return false;
        seen[(int64_t)at] = mark;
        moved |= (int64_t)at != v;
    }
    return moved;
}

bonsai_status bn_find_id_column(int64_t *out, const float *x, int64_t n, int64_t columns)
{
    bonsai_status rc;
    int32_t *seen = NULL;
    const int64_t exact = 1 << 24;              /* floats hold whole numbers up to here */
    *out = 0;
    if (n < 8 || n > exact)                     /* a few numbers may be different by chance */
        return BONSAI_OK;
    BN_TRY(BN_NEW(&seen, n));
    for (int64_t i = 0; i < columns && *out == 0; i++)
        if (is_permuted(x + i, n, columns, seen, (int32_t)i + 1))
            *out = i + 1;
done:
    bn_free(seen);
    return rc;
}
