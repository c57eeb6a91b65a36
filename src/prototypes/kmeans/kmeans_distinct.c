/* kmeans_distinct.c -- as many clusters as rows: no distances needed.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "kmeans.h"

enum { STRETCH = 256 };         /* rows that are worth a thread */

static bool same_row(const bn_embedding *e, int64_t a, int64_t b)
{
    if (e->dense) {
        const float *x = e->dense + a * e->f, *y = e->dense + b * e->f;
        for (int64_t j = 0; j < e->f; j++)
            if (x[j] != y[j])
                return false;
        return true;
    }
    int64_t many = e->offsets[a + 1] - e->offsets[a];
    if (e->offsets[b + 1] - e->offsets[b] != many)
        return false;
    for (int64_t i = 0; i < many; i++)
        if (e->index[e->offsets[a] + i] != e->index[e->offsets[b] + i] ||
            e->value[e->offsets[a] + i] != e->value[e->offsets[b] + i])
            return false;
    return true;
}

typedef struct { uint64_t hash; int64_t at; } hashed;

static int by_hash(const void *a, const void *b)
{
    const hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Returns a hash of a row, the same for 0 and -0, and for entries in any order. */
static uint64_t hash_row(const bn_embedding *e, int64_t row)
{
    uint64_t hash = 0;
    int64_t from = e->dense ? row * e->f : e->offsets[row];
    int64_t to = e->dense ? from + e->f : e->offsets[row + 1];
    for (int64_t i = from; i < to; i++) {
        float v = e->dense ? e->dense[i] : e->value[i];
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (v != 0.0f)
            hash += bn_rng_at(bits, (uint64_t)(e->dense ? i - from : e->index[i])).key;
    }
    return hash;
}

bonsai_status bn_kmeans_distinct(int32_t *cluster, int64_t *found, const bn_embedding *e,
                                 const int64_t *rows, int64_t count, int threads)
{
    bonsai_status rc;
    hashed *h = NULL;
    *found = 0;
    BN_TRY(BN_NEW(&h, count));
#pragma omp parallel for num_threads(bn_team(threads, 8 * bn_numbers(e, count))) schedule(static)
    for (int64_t i = 0; i < count; i++)
        h[i] = (hashed){hash_row(e, rows[i]), i};
    qsort(h, (size_t)count, sizeof *h, by_hash);
    for (int64_t first = 0, i = 0; i < count; i++) {
        first = h[i].hash == h[first].hash ? first : i;
        int64_t j = first;
        while (j < i && !same_row(e, rows[h[j].at], rows[h[i].at]))
            j++;
        cluster[h[i].at] = (int32_t)h[j].at;
    }
    for (int64_t i = 0; i < count; i++)
        cluster[i] = cluster[i] == i ? (int32_t)(*found)++ : cluster[cluster[i]];
done:
    bn_free(h);
    return rc;
}
