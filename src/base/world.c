/* world.c -- the calls between ranks, and their meaning for one rank alone.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "world.h"

static bool alone(const bn_world *w)
{
    return !w || w->ranks == 1;
}

static void copy(void *to, const void *from, int64_t bytes)
{
    if (bytes > 0 && to != from)
        memcpy(to, from, (size_t)bytes);
}

/* ---- all ranks ---- */

bonsai_status bn_gather(bn_world *w, void *all, const int64_t *bytes, const void *mine)
{
    if (!alone(w))
        return w->gather(w, all, bytes, mine);
    copy(all, mine, bytes[0]);
    return BONSAI_OK;
}

bonsai_status bn_gather_int(bn_world *w, int64_t *all, int64_t mine)
{
    if (alone(w)) {
        *all = mine;
        return BONSAI_OK;
    }
    memset(all, 0, (size_t)w->ranks * sizeof *all);
    all[w->rank] = mine;
    return w->sum_int(w, all, w->ranks);
}

bonsai_status bn_share(bn_world *w, void *data, int64_t bytes, int from)
{
    return alone(w) ? BONSAI_OK : w->share(w, data, bytes, from);
}

bonsai_status bn_sum(bn_world *w, double *x, int64_t count)
{
    return alone(w) ? BONSAI_OK : w->sum(w, x, count);
}

bonsai_status bn_sum_int(bn_world *w, int64_t *x, int64_t count)
{
    return alone(w) ? BONSAI_OK : w->sum_int(w, x, count);
}

bonsai_status bn_max(bn_world *w, double *x, int64_t count)
{
    return alone(w) ? BONSAI_OK : w->max(w, x, count);
}

bonsai_status bn_exchange_start(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                                const int64_t *out_bytes)
{
    if (!alone(w))
        return w->start(w, in, in_bytes, out, out_bytes);
    copy(in, out, in_bytes[0]);
    return BONSAI_OK;
}

bonsai_status bn_exchange_finish(bn_world *w)
{
    return alone(w) ? BONSAI_OK : w->finish(w);
}

bonsai_status bn_exchange(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                          const int64_t *out_bytes)
{
    bonsai_status rc = bn_exchange_start(w, in, in_bytes, out, out_bytes);
    return rc != BONSAI_OK ? rc : bn_exchange_finish(w);
}

/* Returns the status of all ranks; the first rank that failed provides the sentence. */
bonsai_status bn_agree(bn_world *w, bonsai_status mine)
{
    bn_error e = {.status = mine};
    double worst[2];
    bonsai_status rc = mine;
    if (alone(w))
        return mine;
    if (rc == BONSAI_OK && w->canceled)
        rc = bn_fail(BONSAI_E_CANCELED, "canceled");
    worst[0] = rc == BONSAI_OK ? -INFINITY : -(double)w->rank;
    bonsai_status sent = w->max(w, worst, 1);
    if (sent != BONSAI_OK || worst[0] == -INFINITY)
        return sent;
    int from = (int)-worst[0];
    if (from == w->rank)
        bn_error_keep(&e);
    e.status = rc;
    BN_TRY(w->share(w, &e, sizeof e, from));
    rc = bn_error_raise(&e);
done:
    return rc;
}

/* ---- two ranks ---- */

bonsai_status bn_send(bn_world *w, int to, const void *data, int64_t bytes)
{
    return w->send(w, to, data, bytes);
}

bonsai_status bn_receive(bn_world *w, int *from, void **data, int64_t *bytes)
{
    return w->receive(w, from, data, bytes);
}

/* ---- sums ---- */

/* Returns a grid such that the sum and every part of it stay below 2^52 multiples of 2^e; around
 * 1.5 2^(52+e) doubles are 2^e apart, for every term that fits. */
double bn_grid(double most, int64_t count)
{
    int above;
    double total = most * (double)(count > 0 ? count : 1);
    if (!(total > 0) || !isfinite(total))
        return 0;
    frexp(total, &above);               /* total < 2^above */
    return above + 1 < 1022 ? ldexp(1.5, above + 1) : 0;
}
