/* sharded.c -- facts about sharded rows: where they begin, how long they are and how large their
 * numbers.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "embed.h"

enum { STRETCH = 1 << 16 };     /* numbers that a thread reads at a time */

bonsai_status bn_places(int64_t *place, bn_world *w, int64_t mine)
{
    bonsai_status rc = bn_gather_int(w, place + 1, mine);
    place[0] = 0;
    for (int r = 0; r < bn_ranks(w); r++)
        place[r + 1] += place[r];
    return rc;
}

static void look_at(double *most, double *least, const float *x, int64_t count, int threads)
{
    double high = 0, low = 0;
#pragma omp parallel for num_threads(bn_team(threads, 2.0 * (double)count)) schedule(static) \
    reduction(max : high) reduction(min : low)
    for (int64_t begin = 0; begin < count; begin += STRETCH) {
        int64_t end = bn_least(begin + STRETCH, count);
        float up = 0, down = 0;
        for (int64_t i = begin; i < end; i++) {
            up = x[i] > up ? x[i] : up;
            down = x[i] < down ? x[i] : down;
        }
        high = (double)up > high ? (double)up : high;
        low = (double)down < low ? (double)down : low;
    }
    *most = high > -low ? high : -low;
    *least = low;
}

bonsai_status bn_sharded_look(bn_sharded *out, const bn_embedding *e, const bn_place *place)
{
    bonsai_status rc;
    const bn_place *at = bn_here(place);
    bn_world *w = at->world;
    int64_t own = e->dense ? e->rows * e->f : e->rows ? e->offsets[e->rows] : 0, all = own;
    double found[2];
    *out = (bn_sharded){.e = e, .at = at};
    look_at(&out->most, &out->least, e->dense ? e->dense : e->value, own, bn_threads(at->threads));
    BN_TRY(bn_agree(w, BN_NEW(&out->owned, bn_ranks(w) + 1)));
    BN_TRY(bn_places(out->owned, w, e->rows));
    out->first = out->owned;
    out->rows = out->first[bn_ranks(w)];
    found[0] = out->most;
    found[1] = -out->least;
    BN_TRY(bn_max(w, found, 2));
    BN_TRY(bn_sum_int(w, &all, 1));
    out->most = found[0];
    out->least = -found[1];
    out->length = e->dense || out->rows == 0 ? (double)e->f : (double)all / (double)out->rows;
done:
    return rc;
}

void bn_sharded_free(bn_sharded *s)
{
    bn_free(s->owned);
    memset(s, 0, sizeof *s);
}

bn_sharded bn_sharded_alone(const bn_sharded *s, const bn_embedding *e, const bn_place *at)
{
    return (bn_sharded){.e = e, .at = at, .rows = e->rows, .length = s->length, .most = s->most,
                        .least = s->least};
}

bool bn_sharded_here(const bn_sharded *s)
{
    bool limited = s->at->memory != NULL;
    return bn_ranks(s->at->world) == 1 &&
           !(limited && (bn_big_spilled(s->e->dense) || bn_big_spilled(s->e->value)));
}
