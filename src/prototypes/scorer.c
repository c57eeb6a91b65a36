/* scorer.c -- rows times the weights of a fit, row by row.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fit.h"

enum { SOME_ROWS = 16, STRETCH = 128 };

bonsai_status bn_scorer_room(bn_scorer *s, int64_t f, int64_t k)
{
    s->f = f;
    s->k = k;
    s->wide = (k + BN_NARROW - 1) / BN_NARROW * BN_NARROW;
    return BN_NEW(&s->w, (f + 1) * s->wide);
}

bonsai_status bn_scorer_new(bn_scorer *s, const bn_fit *q)
{
    bonsai_status rc = bn_scorer_room(s, q->x->f, q->k);
    for (int64_t j = 0; rc == BONSAI_OK && j <= s->f; j++)
        memcpy(s->w + j * s->wide, q->w + j * s->k, (size_t)s->k * sizeof *s->w);
    return rc;
}

void bn_scorer_free(bn_scorer *s)
{
    bn_free(s->w);
}

typedef struct { int64_t first, count; } some_rows;

/* Scores with the columns of the weights from `at` on, as many as there is room for. */
static void score_some(float *room, const bn_scorer *s, const bn_embedding *x, some_rows rows,
                       int64_t at)
{
    int64_t wide = bn_least(STRETCH, s->wide - at), count = rows.count;
    for (int64_t r = 0; r < count; r++)
        memcpy(room + r * STRETCH, s->w + s->f * s->wide + at, (size_t)wide * sizeof *room);
    if (x->dense) {
        const bn_operands o = {x->dense + rows.first * x->f, s->w + at, x->f, s->wide, STRETCH};
        bn_kernels_get()->times(room, &o, count, wide, x->f);
        return;
    }
    for (int64_t r = 0; r < count; r++) {
        int64_t from = x->offsets[rows.first + r], to = x->offsets[rows.first + r + 1];
        bn_kernels_get()->combine(room + r * STRETCH, s->w + at, wide, s->wide, x->index + from,
                                  x->value + from, to - from);
    }
}

/* Scores whole groups of columns, as the kernels want them. */
void bn_score_rows(float *out, const bn_scorer *s, const bn_embedding *x, int64_t row,
                   int64_t count)
{
    float room[SOME_ROWS * STRETCH];
    for (int64_t done = 0; done < count; done += SOME_ROWS) {
        int64_t some = bn_least(SOME_ROWS, count - done);
        for (int64_t at = 0; at < s->k; at += STRETCH) {
            score_some(room, s, x, (some_rows){row + done, some}, at);
            for (int64_t r = 0; r < some; r++)
                memcpy(out + (done + r) * s->k + at, room + r * STRETCH,
                       (size_t)bn_least(STRETCH, s->k - at) * sizeof *out);
        }
    }
}
