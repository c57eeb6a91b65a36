/* wl_last.c -- the last round, from sparse rows to dense ones; see wl.c.
 *
 * Sparse rows fill up from round to round.  If those of the result are at least a quarter full,
 * they are written as dense rows at once.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "wl.h"

/* SOME_ROWS: rows that a thread takes at a time; STRETCH: rows between two reports of progress;
 * SAMPLE, MOST_ENTRIES: rows that the estimate reads, and the most entries of them. */
enum { SOME_ROWS = 16, STRETCH = 4096, SAMPLE = 256, MOST_ENTRIES = 1 << 22 };

/* ---- the estimate ---- */

static int64_t count_new(uint8_t *seen, const bn_wl_row *r)
{
    int64_t fresh = 0;
    for (int64_t e = 0; e < r->count; e++) {
        int32_t j = bn_wl_index(r, e);
        fresh += !seen[j];
        seen[j] = 1;
    }
    return fresh;
}

/* Counts the features of v and its neighbours, as far as they are here; adds entries read to
 * *looked. */
static int64_t count_features(uint8_t *seen, int64_t *looked, const bn_wl_run *w, int64_t v)
{
    bn_wl_edges edges = bn_wl_edges_of(w, v);
    bn_wl_row own = bn_wl_row_of(w, v);
    int64_t count = count_new(seen, &own);
    for (int64_t e = 0; e < edges.count && count < w->f; e++) {
        if (edges.id[e] >= w->n)
            continue;
        bn_wl_row r = bn_wl_row_of(w, edges.id[e]);
        count += count_new(seen, &r);
        *looked += r.count;
    }
    memset(seen, 0, (size_t)w->f);
    return count;
}

bonsai_status bn_wl_fills(bool *out, const bn_wl_run *w)
{
    bonsai_status rc;
    uint8_t *seen = NULL;
    int64_t sum[2] = {0}, looked = 0;
    BN_TRY(bn_agree(bn_wl_world(w), BN_NEW(&seen, w->f)));
    for (int64_t s = 0; s < bn_least(SAMPLE, w->count) && looked < MOST_ENTRIES; s++) {
        bn_rng r = bn_rng_at(0, s);
        int64_t i = w->count <= SAMPLE ? s : bn_rng_below(&r, w->count);
        sum[0] += count_features(seen, &looked, w, w->nodes ? w->nodes[i] - w->first : i);
        sum[1] += w->f;
    }
    BN_TRY(bn_sum_int(bn_wl_world(w), sum, 2));
    *out = bn_is_full(sum[0], sum[1]);
done:
    bn_free(seen);
    return rc;
}

/* ---- the round ---- */

typedef struct {
    const bn_wl_run *w;
    float   *out;               /* count x f */
    bn_wl_sum *sum;             /* lanes */
    int      pass;              /* 0: rows that need no halo, 1: the others */
    int64_t  next;              /* next row to take */
    int64_t  bad;               /* numbers that are not finite */
} last_round;

static int64_t some_rows(const last_round *r, int64_t lane, int64_t begin, int64_t end)
{
    const bn_wl_run *w = r->w;
    int64_t bad = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t v = w->nodes ? w->nodes[i] - w->first : i;
        if ((w->outer && w->outer[v]) != r->pass)
            continue;
        bn_wl_sum_dense(r->out + i * w->f, &r->sum[lane], w, v);
        bad += bn_wl_not_finite(r->out + i * w->f, w->f);
    }
    return bad;
}

static void run_lane(last_round *r, int64_t lane, int64_t end)
{
    for (;;) {
        int64_t i, bad;
#pragma omp atomic capture
        { i = r->next; r->next += SOME_ROWS; }
        if (i >= end)
            return;
        bad = some_rows(r, lane, i, bn_least(i + SOME_ROWS, end));
#pragma omp atomic update
        r->bad += bad;
    }
}

static bonsai_status run_pass(void *round, int pass)
{
    last_round *r = round;
    bonsai_status rc = BONSAI_OK;
    const bn_wl_run *w = r->w;
    int passes = w->neighbors ? 2 : 1;
    r->pass = pass;
    for (int64_t begin = 0; begin < w->count; begin += STRETCH) {
        int64_t end = bn_least(begin + STRETCH, w->count);
        BN_TRY(bn_wl_tick(w, 1, pass * w->count + begin, passes * w->count));
        r->next = begin;
        const double adds = 64 * bn_wl_numbers(w, end - begin) +
                            8.0 * (double)((end - begin) * w->f);
#pragma omp parallel for num_threads(bn_team(w->threads, adds)) schedule(static)
        for (int64_t lane = 0; lane < w->threads; lane++)
            run_lane(r, lane, end);
    }
done:
    return rc;
}

static bonsai_status start(last_round *r, bn_embedding *out)
{
    bonsai_status rc;
    const bn_wl_run *w = r->w;
    BN_TRY(BN_NEW(&r->sum, w->threads));
    for (int i = 0; i < w->threads; i++)
        BN_TRY(bn_wl_sum_new(&r->sum[i], w->f));
    BN_TRY(BN_BIG(&out->dense, w->at->memory, w->count * w->f));
    r->out = out->dense;
done:
    return rc;
}

bonsai_status bn_wl_last_dense(bn_embedding *out, bn_wl_run *w)
{
    bonsai_status rc, mine;
    bn_world *world = bn_wl_world(w);
    last_round r = {.w = w};
    BN_TRY(bn_agree(world, start(&r, out)));
    BN_TRY(bn_wl_passes(&mine, w, run_pass, &r));
    BN_TRY(bn_agree(world, mine));
    w->bad = r.bad;
done:
    bn_wl_far_free(w);
    for (int i = 0; r.sum && i < w->threads; i++)
        bn_wl_sum_free(&r.sum[i]);
    bn_free(r.sum);
    return rc;
}
