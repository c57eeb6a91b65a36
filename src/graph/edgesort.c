/* edgesort.c -- sorts more edges than memory holds into an adjacency.
 *
 * Edges are kept as they arrive, and the entries of each bucket of neighbouring rows are counted.
 * Then every edge is written to its bucket, once for each direction, as a key: row, column, and
 * whether it is the reverse of the edge.  Up to about 2.7e8 keys a bucket can be sorted in cache;
 * with more keys buckets grow.  All large arrays are read and written in order, by as many streams
 * as there are buckets, so they may lie in scratch files.
 *
 * Without weights, an entry given in both directions is the same as one whose reverse was added, so
 * the result does not depend on whether the input was symmetric.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph.h"

enum { MAX_BUCKETS = 4096, BUCKET_KEYS = 1 << 16, TICK = 1 << 22, BATCH = 64 };

static const uint64_t COLUMN = 0x7fffffff;      /* above the bit of the reverse */

static uint64_t key_of(int32_t row, int32_t column, bool reverse)
{
    return (uint64_t)row << 32 | (uint64_t)(uint32_t)column << 1 | reverse;
}

bonsai_status bn_edge_sort_begin(bn_edge_sort *p)
{
    bonsai_status rc;
    int64_t wanted = bn_least(p->most / (BUCKET_KEYS / 2) + 1, MAX_BUCKETS);
    while (p->n > wanted << p->shift)
        p->shift++;
    p->buckets = (p->n >> p->shift) + 1;
    BN_TRY(BN_NEW(&p->bucket, p->buckets + 1));
    BN_TRY(BN_BIG(&p->edge, p->at.memory, p->most));
done:
    return rc;
}

bonsai_status bn_edge_sort_add(bn_edge_sort *p, const int32_t *source, const int32_t *target,
                               int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const int32_t u = source[i], v = target[i];
        p->self_loops += u == v && !p->keep_self;
        if (p->edges == p->most)
            return bn_fail(BONSAI_E_ARGUMENT, "more than the %lld edges that were announced",
                           (long long)p->most);
        p->edge[p->edges++] = (uint64_t)u << 32 | (uint32_t)v;
        if (u == v && !p->keep_self)
            continue;
        p->bucket[u >> p->shift]++;
        if (u != v && !p->directed)
            p->bucket[v >> p->shift]++;
    }
    return BONSAI_OK;
}

/* Turns the number of keys of each bucket into its start; returns the largest number. */
static int64_t place_buckets(bn_edge_sort *p)
{
    int64_t at = 0, largest = 0;
    for (int64_t k = 0; k <= p->buckets; k++) {
        int64_t count = p->bucket[k];
        largest = count > largest ? count : largest;
        p->bucket[k] = at;
        at += count;
    }
    return largest;
}

/* Puts the keys into their buckets; afterwards bucket[k] is the end of bucket k. */
static bonsai_status spread(bn_edge_sort *p)
{
    bonsai_status rc = BONSAI_OK;
    int64_t *to = p->bucket;
    for (int64_t i = 0; i < p->edges; i++) {
        const int32_t u = (int32_t)(p->edge[i] >> 32), v = (int32_t)(p->edge[i] & COLUMN);
        if (i % TICK == 0)
            BN_TRY(bn_tick(p->at.progress, "spreading edges", i, p->edges));
        if (u == v && !p->keep_self)
            continue;
        p->keys[to[u >> p->shift]++] = key_of(u, v, false);
        if (u != v && !p->directed)
            p->keys[to[v >> p->shift]++] = key_of(v, u, true);
    }
    BN_TRY(bn_tick(p->at.progress, "spreading edges", p->edges, p->edges));
done:
    return rc;
}

typedef struct { int64_t kept, repeated, reversed; } merged;

/* Keeps one of equal entries. */
static merged merge(uint64_t *keys, int64_t count)
{
    merged m = {0};
    for (int64_t i = 0, end; i < count; i = end) {
        int64_t given = 0;
        for (end = i; end < count && keys[end] >> 1 == keys[i] >> 1; end++)
            given += !(keys[end] & 1);
        m.repeated += given > 1 ? given - 1 : 0;
        m.reversed += given == 0;
        keys[m.kept++] = keys[i];
    }
    return m;
}

/* Sorts and merges every bucket; done_with (buckets) gets what is left of each. */
static bonsai_status sort_buckets(bn_edge_sort *p, merged *done_with, int64_t largest)
{
    bonsai_status rc;
    uint64_t *spare = NULL;
    const int threads = bn_threads(p->at.threads);
    /* Room for one bucket per lane, or for all keys if one bucket holds most of them. */
    const int64_t most = bn_least(bn_least(threads, BATCH), p->buckets);
    const int64_t all = p->bucket[p->buckets];
    const bool whole = largest > all / most;
    BN_TRY(BN_BIG(&spare, p->at.memory, whole ? all : largest * most));
    for (int64_t first = 0; first < p->buckets; first += BATCH) {
        BN_TRY(bn_tick(p->at.progress, "sorting edges", first, p->buckets));
        const int64_t last = bn_least(first + BATCH, p->buckets), start = first;
        const int64_t lanes = bn_least(most, last - first);
        const int64_t before = first ? p->bucket[first - 1] : 0;
        const double work = 32.0 * (double)(p->bucket[last - 1] - before);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic, 1)
        for (int64_t lane = 0; lane < lanes; lane++)
            for (int64_t k = start + lane; k < last; k += lanes) {
                const int64_t at = k ? p->bucket[k - 1] : 0, count = p->bucket[k] - at;
                uint64_t *room = spare + (whole ? at : lane * largest);
                bn_radix_sort(p->keys + at, NULL, room, NULL, count);
                done_with[k] = merge(p->keys + at, count);
            }
    }
    BN_TRY(bn_tick(p->at.progress, "sorting edges", p->buckets, p->buckets));
done:
    bn_big_free(spare);
    return rc;
}

/* Writes the columns of a bucket over the keys: each takes half a key, so they never overtake the
 * keys that are still to be read. */
static void fill_bucket(bn_edge_sort *p, int64_t k, int64_t kept)
{
    const uint64_t *key = p->keys + (k ? p->bucket[k - 1] : 0), *stop = key + kept;
    const int64_t end = bn_least((k + 1) << p->shift, p->n);
    uint8_t *to = (uint8_t *)p->keys + p->m * (int64_t)sizeof *p->neighbors;
    for (int64_t row = k << p->shift; row < end; row++) {
        p->offsets[row] = p->m;
        for (; key < stop && (int64_t)(*key >> 32) == row; key++, p->m++) {
            const int32_t column = (int32_t)(*key >> 1 & COLUMN);
            memcpy(to, &column, sizeof column);
            to += sizeof column;
        }
    }
}

static bonsai_status fill_rows(bn_edge_sort *p, const merged *done_with)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t k = 0; k < p->buckets; k++) {
        if (k % BATCH == 0)
            BN_TRY(bn_tick(p->at.progress, "filling rows", k, p->buckets));
        fill_bucket(p, k, done_with[k].kept);
        p->repeated += done_with[k].repeated;
        p->reversed += done_with[k].reversed;
    }
    p->offsets[p->n] = p->m;
    p->neighbors = (int32_t *)p->keys;
    BN_TRY(bn_tick(p->at.progress, "filling rows", p->buckets, p->buckets));
done:
    return rc;
}

bonsai_status bn_edge_sort_run(bn_edge_sort *p)
{
    bonsai_status rc;
    merged *done_with = NULL;
    const int64_t largest = place_buckets(p);
    BN_TRY(BN_NEW(&done_with, p->buckets));
    BN_TRY(BN_BIG(&p->keys, p->at.memory, p->bucket[p->buckets]));
    BN_TRY(spread(p));
    bn_big_free(p->edge);
    p->edge = NULL;
    BN_TRY(BN_BIG(&p->offsets, p->at.memory, p->n + 1));
    BN_TRY(sort_buckets(p, done_with, largest));
    BN_TRY(fill_rows(p, done_with));
done:
    bn_free(done_with);
    return rc;
}

void bn_edge_sort_free(bn_edge_sort *p)
{
    bn_free(p->bucket);
    bn_big_free(p->edge);
    bn_big_free(p->keys);
    bn_big_free(p->offsets);
    memset(p, 0, sizeof *p);
}
