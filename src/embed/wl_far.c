/* wl_far.c -- exchanges sparse rows of the halo; see wl.c.
 *
 * First the lengths of the rows are sent, then their entries, which are used where they arrive: the
 * indices of a row, followed by its values.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "wl.h"

static int64_t total(const int64_t *rows, int ranks)
{
    int64_t sum = 0;
    for (int r = 0; r < ranks; r++)
        sum += rows[r];
    return sum;
}

static bonsai_status room_for_lengths(bn_wl_run *w, int ranks)
{
    bonsai_status rc;
    bn_wl_far *far = &w->far;
    bn_memory *m = w->at->memory;
    BN_TRY(BN_BIG(&far->offsets, m, w->in.count + 1));
    BN_TRY(BN_BIG(&far->in_length, m, total(w->in.rows, ranks)));
    BN_TRY(BN_BIG(&far->out_length, m, total(w->out.rows, ranks)));
    BN_TRY(BN_BIG(&far->out_offsets, m, total(w->out.rows, ranks) + 1));
done:
    return rc;
}

static bonsai_status exchange_lengths(bn_wl_run *w, int level)
{
    bn_world *world = bn_wl_world(w);
    bn_wl_far *far = &w->far;
    const bn_wl_list *l = &w->out;
    for (int64_t i = 0, at = 0; i < l->count; i++)
        if (bn_wl_needs(l->need, i, level)) {
            far->out_length[at] = (int32_t)bn_wl_row_of(w, l->row[i]).count;
            far->out_offsets[at + 1] = far->out_offsets[at] + far->out_length[at];
            at++;
        }
    for (int r = 0; r < world->ranks; r++) {
        w->in_bytes[r] = w->in.rows[r] * (int64_t)sizeof *far->in_length;
        w->out_bytes[r] = l->rows[r] * (int64_t)sizeof *far->out_length;
        world->halo += w->out_bytes[r];
    }
    return bn_exchange(world, far->in_length, w->in_bytes, far->out_length, w->out_bytes);
}

/* Allocates the entries; rows that are not needed at this level have none. */
static bonsai_status room_for_entries(bn_wl_run *w, int level, int ranks)
{
    bonsai_status rc;
    bn_wl_far *far = &w->far;
    for (int64_t i = 0, at = 0; i < w->in.count; i++) {
        bool here = bn_wl_needs(w->in.need, i, level);
        far->offsets[i + 1] = far->offsets[i] + (here ? far->in_length[at] : 0);
        at += here;
    }
    BN_TRY(BN_BIG(&far->data, w->at->memory, 2 * far->offsets[w->in.count]));
    BN_TRY(BN_BIG(&far->send, w->at->memory, 2 * far->out_offsets[total(w->out.rows, ranks)]));
done:
    return rc;
}

static void pack(const bn_wl_run *w, int level)
{
    const bn_wl_list *l = &w->out;
    const double work = 8 * bn_wl_numbers(w, l->count);
#pragma omp parallel for num_threads(bn_team(w->threads, work)) schedule(dynamic, 1)
    for (int64_t b = 0; b <= l->count / BN_WL_BLOCK; b++) {
        uint32_t *to = w->far.send + 2 * w->far.out_offsets[l->place[b]];
        for (int64_t i = b * BN_WL_BLOCK; i < bn_least(l->count, (b + 1) * BN_WL_BLOCK); i++) {
            if (!bn_wl_needs(l->need, i, level))
                continue;
            bn_wl_row r = bn_wl_row_of(w, l->row[i]);
            for (int64_t e = 0; e < r.count; e++) {
                float value = bn_wl_value(&r, e);
                to[e] = (uint32_t)bn_wl_index(&r, e);
                memcpy(to + r.count + e, &value, sizeof value);
            }
            to += 2 * r.count;
        }
    }
}

bonsai_status bn_wl_far_start(bn_wl_run *w, int level)
{
    bonsai_status rc;
    bn_world *world = bn_wl_world(w);
    bn_wl_far *far = &w->far;
    int ranks = world->ranks;
    const int64_t entry = 2 * sizeof *far->data;
    bn_wl_lists_at(w, level);
    BN_TRY(bn_agree(world, room_for_lengths(w, ranks)));
    BN_TRY(exchange_lengths(w, level));
    BN_TRY(bn_agree(world, room_for_entries(w, level, ranks)));
    pack(w, level);
    for (int64_t r = 0, at = 0; r < ranks; r++) {
        int64_t next = at + w->out.rows[r];
        w->in_bytes[r] = (far->offsets[w->in.begin[r + 1]] - far->offsets[w->in.begin[r]]) * entry;
        w->out_bytes[r] = (far->out_offsets[next] - far->out_offsets[at]) * entry;
        world->halo += w->out_bytes[r];
        at = next;
    }
    rc = bn_exchange_start(world, far->data, w->in_bytes, far->send, w->out_bytes);
done:
    return rc;
}

bonsai_status bn_wl_passes(bonsai_status *mine, bn_wl_run *w, bn_wl_pass_fn *run, void *round)
{
    bonsai_status rc = BONSAI_OK;
    if (w->neighbors)
        BN_TRY(bn_wl_far_start(w, w->done));
    *mine = run(round, 0);
    if (w->neighbors) {
        BN_TRY(bn_exchange_finish(bn_wl_world(w)));
        if (*mine == BONSAI_OK)
            *mine = run(round, 1);
    }
done:
    return rc;
}

void bn_wl_far_free(bn_wl_run *w)
{
    bn_big_free(w->far.offsets);
    bn_big_free(w->far.data);
    bn_big_free(w->far.in_length);
    bn_big_free(w->far.out_length);
    bn_big_free(w->far.out_offsets);
    bn_big_free(w->far.send);
    memset(&w->far, 0, sizeof w->far);
}
