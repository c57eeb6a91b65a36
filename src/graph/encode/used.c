/* used.c -- finds the columns of the features that have a value in some row.
 *
 * Dense features are stored for these columns alone if that is the smallest encoding.  The other
 * traits limit how many columns there may be, and the search ends when it has found one more: in
 * most graphs after a few rows.  Threads share one bit for each column; they set it once and read
 * it from then on.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "graph/graph.h"

enum { ROWS = 256, BITS = 64 }; /* rows per block; bits of a word */

typedef struct {
    const bonsai_graph *g;
    _Atomic uint64_t *seen;     /* a bit for each column */
    atomic_int_fast64_t found;  /* bits that are set */
    int64_t most;
} search;

static void mark(search *k, int32_t column)
{
    _Atomic uint64_t *word = &k->seen[column / BITS];
    const uint64_t bit = (uint64_t)1 << column % BITS;
    if (atomic_load_explicit(word, memory_order_relaxed) & bit)
        return;
    if (!(atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit))
        atomic_fetch_add_explicit(&k->found, 1, memory_order_relaxed);
}

static bool is_over(search *k)
{
    return atomic_load_explicit(&k->found, memory_order_relaxed) > k->most;
}

static bonsai_status mark_rows(search *k, bn_rows rows, int threads)
{
    bonsai_status rc;
    int64_t room = bn_row_room_in(k->g, rows.begin, rows.end);
    int64_t blocks = (rows.end - rows.begin + ROWS - 1) / ROWS;
    int64_t lanes = bn_least(bn_threads(threads), blocks);
    int32_t *index = NULL;
    float *value = NULL;
    BN_TRY(BN_NEW(&index, room * lanes));
    BN_TRY(BN_NEW(&value, room * lanes));
    const double work = bn_features_work(k->g, rows.end - rows.begin);
#pragma omp parallel for num_threads(bn_team((int)lanes, work)) schedule(static)
    for (int64_t lane = 0; lane < lanes; lane++)
        for (int64_t b = lane; b < blocks; b += lanes)
            for (int64_t i = 0; i < ROWS && !is_over(k); i++) {
                int64_t v = rows.begin + b * ROWS + i;
                int64_t count = v < rows.end ? bn_row_get(index + lane * room, value + lane * room,
                                                          k->g, v) : 0;
                for (int64_t e = 0; e < count; e++)
                    mark(k, index[lane * room + e]);
            }
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

static bonsai_status list(int32_t **out, const search *k, int64_t f)
{
    int64_t at = 0;
    bonsai_status rc = BN_NEW(out, atomic_load(&k->found));
    for (int64_t j = 0; j < f && rc == BONSAI_OK; j++)
        if (k->seen[j / BITS] >> j % BITS & 1)
            (*out)[at++] = (int32_t)j;
    return rc;
}

bonsai_status bn_columns_used(int32_t **out, int64_t *count, const bonsai_graph *g, bn_rows rows,
                              int64_t most, int threads)
{
    bonsai_status rc;
    const int64_t f = g->view.features;
    search k = {.g = g, .most = most};
    *out = NULL;
    BN_TRY(BN_NEW(&k.seen, f / BITS + 1));
    BN_TRY(mark_rows(&k, rows, threads));
    *count = bn_least(atomic_load(&k.found), most + 1);
    if (*count <= most)
        BN_TRY(list(out, &k, f));
done:
    bn_free((void *)k.seen);
    return rc;
}

/* ---- on several ranks ---- */

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Counts the columns that the lists of all ranks hold together. */
static bonsai_status count_together(int64_t *count, const int32_t *mine, bn_world *w)
{
    bonsai_status rc;
    int64_t *bytes = NULL, all = 0, different = 0;
    int32_t *each = NULL;
    BN_TRY(bn_agree(w, BN_NEW(&bytes, bn_ranks(w))));
    BN_TRY(bn_gather_int(w, bytes, *count * (int64_t)sizeof *each));
    for (int r = 0; r < bn_ranks(w); r++)
        all += bytes[r] / (int64_t)sizeof *each;
    BN_TRY(bn_agree(w, BN_NEW(&each, all)));
    BN_TRY(bn_gather(w, each, bytes, mine));
    qsort(each, (size_t)all, sizeof *each, by_number);
    for (int64_t i = 0; i < all; i++)
        different += i == 0 || each[i] != each[i - 1];
    *count = different;
done:
    bn_free(bytes);
    bn_free(each);
    return rc;
}

bonsai_status bn_columns_find(bn_traits *t, const bonsai_graph *g, const bn_place *place)
{
    bonsai_status rc;
    const bn_place *at = bn_here(place);
    const int64_t f = g->view.features, most = bn_traits_columns(t, g->view.nodes, f);
    int32_t *mine = NULL;
    int64_t count = 0, over;
    t->empty = 0;
    if (most < 0)
        return BONSAI_OK;
    BN_TRY(bn_agree(at->world, bn_columns_used(&mine, &count, g, bn_rows_of(&g->view, at), most,
                                               at->threads)));
    over = count > most;
    BN_TRY(bn_sum_int(at->world, &over, 1));
    if (over > 0)
        goto done;
    if (bn_ranks(at->world) > 1)
        BN_TRY(count_together(&count, mine, at->world));
    t->empty = count <= most ? f - count : 0;
done:
    bn_free(mine);
    return rc;
}
