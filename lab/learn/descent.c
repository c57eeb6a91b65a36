/* descent.c -- Adam steps; skips gradients that are not finite.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "learn.h"

bonsai_status bn_descent_new(bn_descent *d, float *param, int64_t count, double rate, double decay)
{
    bonsai_status rc;
    *d = (bn_descent){.l = {.param = param, .count = count}, .rate = rate, .decay = decay};
    BN_TRY(BN_NEW(&d->l.grad, count));
    BN_TRY(BN_NEW(&d->l.m, count));
    BN_TRY(BN_NEW(&d->l.v, count));
done:
    return rc;
}

void bn_descent_free(bn_descent *d)
{
    bn_free(d->l.grad);
    bn_free(d->l.m);
    bn_free(d->l.v);
    memset(d, 0, sizeof *d);
}

void bn_descent_restart(bn_descent *d)
{
    const size_t bytes = (size_t)d->l.count * sizeof(float);
    d->t = 0;
    memset(d->l.grad, 0, bytes);
    memset(d->l.m, 0, bytes);
    memset(d->l.v, 0, bytes);
}

/* Returns whether all numbers are finite: a sum of numbers times 0 is 0 unless one of them is
 * not. */
static bool is_finite(const float *x, int64_t count)
{
    float sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += 0.0f * x[i];
    return sum == 0.0f;
}

bool bn_descend(bn_descent *d, bn_problem *s)
{
    if (!is_finite(d->l.grad, d->l.count)) {
        memset(d->l.grad, 0, (size_t)d->l.count * sizeof(float));
        s->skipped++;
        s->in_a_row += !d->student;
        return false;
    }
    s->in_a_row = d->student ? s->in_a_row : 0;
    bn_adam(&d->l, ++d->t, d->rate, d->decay, s->threads);
    return true;
}
