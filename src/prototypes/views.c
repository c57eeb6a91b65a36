/* views.c -- both near views of nodes side by side, and rows without their first columns.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "judge.h"

static int64_t put_row(int32_t *index, float *value, const bn_embedding *e, int64_t row,
                       int64_t plus)
{
    int64_t count = 0;
    for (int64_t j = 0; e->dense && j < e->f; j++)
        if (e->dense[row * e->f + j] != 0.0f) {
            index[count] = (int32_t)(plus + j);
            value[count++] = e->dense[row * e->f + j];
        }
    for (int64_t i = e->dense ? 0 : e->offsets[row]; !e->dense && i < e->offsets[row + 1]; i++) {
        index[count] = (int32_t)(plus + e->index[i]);
        value[count++] = e->value[i];
    }
    return count;
}

bonsai_status bn_views_join(bn_embedding *out, const bn_views *v)
{
    bonsai_status rc;
    int64_t rows = v->own.rows, f = v->own.f, entries = 0;
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < rows; i++)
        entries += bn_embedding_length(&v->own, i) + bn_embedding_length(&v->around, i);
    out->f = 2 * f;
    if (bn_is_full(entries, rows * out->f)) {
        BN_TRY(BN_BIG(&out->dense, NULL, rows * out->f));
        for (int64_t i = 0; i < rows; i++) {
            bn_embedding_row(out->dense + i * out->f, &v->own, i);
            bn_embedding_row(out->dense + i * out->f + f, &v->around, i);
        }
    } else {
        BN_TRY(BN_BIG(&out->offsets, NULL, rows + 1));
        BN_TRY(BN_BIG(&out->index, NULL, entries));
        BN_TRY(BN_BIG(&out->value, NULL, entries));
        for (int64_t i = 0, at = 0; i < rows; i++) {
            at += put_row(out->index + at, out->value + at, &v->own, i, 0);
            at += put_row(out->index + at, out->value + at, &v->around, i, f);
            out->offsets[i + 1] = at;
        }
    }
    out->rows = rows;
done:
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

void bn_embedding_drop(bn_embedding *e, int64_t columns)
{
    const int64_t f = e->f - columns;
    for (int64_t i = 0; i < e->rows && columns > 0; i++)
        memmove(e->dense + i * f, e->dense + i * e->f + columns, (size_t)f * sizeof *e->dense);
    e->f = f;
}
