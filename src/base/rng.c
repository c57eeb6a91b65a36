/* rng.c -- random numbers by (seed, item, counter): an item's numbers are the same
 * on every thread.
 *
 * A stream's key is a hash of seed and item; its i-th number is a hash of the
 * key and i.  The hash is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base.h"

static const uint64_t golden = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

bn_rng bn_rng_at(uint64_t seed, uint64_t item)
{
    bn_rng r = {mix(mix(seed + golden) ^ (item * golden + 1)), 0};
    return r;
}

uint64_t bn_rng_next(bn_rng *r)
{
    return mix(r->key + golden * ++r->counter);
}

double bn_rng_unit(bn_rng *r)
{
    return (double)(bn_rng_next(r) >> 11) * 0x1p-53;
}

int64_t bn_rng_below(bn_rng *r, int64_t n)
{
    /* Reject the few numbers above the largest multiple of n. */
    uint64_t range = (uint64_t)n, top = UINT64_MAX - UINT64_MAX % range, x;
    do
        x = bn_rng_next(r);
    while (x >= top);
    return (int64_t)(x % range);
}

double bn_rng_normal(bn_rng *r)
{
    double u = 1.0 - bn_rng_unit(r), v = bn_rng_unit(r);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void bn_rng_shuffle(int32_t *a, int64_t n, uint64_t seed)
{
    bn_rng r = bn_rng_at(seed, 0);
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = bn_rng_below(&r, i + 1);
        int32_t t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}

bonsai_status bn_rng_pick(uint8_t *taken, int64_t n, int64_t wanted, uint64_t seed)
{
    int32_t *order = NULL;
    bonsai_status rc = BN_NEW(&order, n);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    bn_rng_shuffle(order, n, seed);
    for (int64_t i = 0; i < wanted; i++)
        taken[order[i]] = 1;
    bn_free(order);
    return BONSAI_OK;
}
