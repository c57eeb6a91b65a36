/* build.c -- builds a sorted adjacency from edges in any order.
 *
 * Edges become 64-bit keys (row, column) and are distributed over buckets of neighbouring rows.
 * Each bucket is radix-sorted in cache, and equal keys are merged there.  Time is linear in the
 * edges.  The result is sorted, including the weights of equal keys, so it depends neither on
 * threads nor on the order of the input.
 *
 * An undirected graph is first built from the edges alone, and again from both directions unless
 * every entry has its reverse: a graph that already lists both directions keeps its weights.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

enum { SPREAD_BLOCK = 1 << 18, MAX_BUCKETS = 4096, BUCKET_EDGES = 1 << 16, BATCH = 64 };

typedef struct {
    int64_t n, m;
    const int32_t *source, *target;
    const float *weight;
    bool both;                  /* add the reverse of each edge */
    bool keep_self, keep_repeated;
    bool any_sign;              /* weights are an operator's */
    int  shift, threads;        /* bucket = row >> shift */
    bn_progress progress;

    int64_t blocks, buckets, entries;
    int64_t *start;             /* (blocks, buckets): where each block puts its keys */
    int64_t *bucket;            /* buckets+1: first key of each */
    int64_t *kept;              /* buckets: number of keys left after merging */
    uint64_t *keys;
    float   *weights;
    int64_t self_loops, repeated;
} sorter;

static void plan_buckets(sorter *s)
{
    int64_t entries = s->both ? 2 * s->m : s->m, wanted = entries / BUCKET_EDGES + 1;
    if (wanted > MAX_BUCKETS)
        wanted = MAX_BUCKETS;
    while (s->n > wanted << s->shift)
        s->shift++;
    s->buckets = (s->n >> s->shift) + 1;
    s->blocks = (s->m + SPREAD_BLOCK - 1) / SPREAD_BLOCK;
}

static void count_block(sorter *s, int64_t b)
{
    int64_t *count = s->start + b * s->buckets, end = bn_least((b + 1) * SPREAD_BLOCK, s->m);
    for (int64_t i = b * SPREAD_BLOCK; i < end; i++) {
        bool self = s->source[i] == s->target[i];
        if (self && !s->keep_self)
            continue;
        count[s->source[i] >> s->shift]++;
        if (s->both && !self)
            count[s->target[i] >> s->shift]++;
    }
}

/* Calls fn for every block, in batches with a tick between them. */
static bonsai_status each_block(sorter *s, const char *stage, void (*fn)(sorter *, int64_t))
{
    bonsai_status rc;
    for (int64_t first = 0; first < s->blocks; first += BATCH / 4) {
        BN_TRY(bn_tick(s->progress, stage, first, s->blocks));
        int64_t last = bn_least(first + BATCH / 4, s->blocks);
        const double work = 8.0 * (double)bn_least(SPREAD_BLOCK * (last - first), s->m);
        const int threads = bn_lanes(s->threads, last - first);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
        for (int64_t b = first; b < last; b++)
            fn(s, b);
    }
    BN_TRY(bn_tick(s->progress, stage, s->blocks, s->blocks));
done:
    return rc;
}

/* Turns the counts of each block and bucket into positions. */
static void place_keys(sorter *s)
{
    int64_t at = 0;
    for (int64_t k = 0; k < s->buckets; k++) {
        s->bucket[k] = at;
        for (int64_t b = 0; b < s->blocks; b++) {
            int64_t count = s->start[b * s->buckets + k];
            s->start[b * s->buckets + k] = at;
            at += count;
        }
    }
    s->bucket[s->buckets] = s->entries = at;
}

static void put_key(sorter *s, int64_t *place, int32_t row, int32_t column, int64_t i)
{
    int64_t at = place[row >> s->shift]++;
    s->keys[at] = (uint64_t)row << 32 | (uint32_t)column;
    if (s->weights)
        s->weights[at] = s->weight[i];
}

static void spread_block(sorter *s, int64_t b)
{
    int64_t *place = s->start + b * s->buckets, end = bn_least((b + 1) * SPREAD_BLOCK, s->m);
    for (int64_t i = b * SPREAD_BLOCK; i < end; i++) {
        bool self = s->source[i] == s->target[i];
        if (self && !s->keep_self)
            continue;
        put_key(s, place, s->source[i], s->target[i], i);
        if (s->both && !self)
            put_key(s, place, s->target[i], s->source[i], i);
    }
}

/* Makes one stable pass over eight bits; returns false, and moves nothing, if all keys agree
 * there. */
static bool radix_pass(uint64_t *to, float *wto, const uint64_t *from, const float *wfrom,
                       int64_t count, int bit)
{
    int64_t place[256] = {0}, at = 0;
    for (int64_t i = 0; i < count; i++)
        place[from[i] >> bit & 255]++;
    if (place[from[0] >> bit & 255] == count)
        return false;
    for (int d = 0; d < 256; d++) {
        int64_t c = place[d];
        place[d] = at;
        at += c;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t p = place[from[i] >> bit & 255]++;
        to[p] = from[i];
        if (wto)
            wto[p] = wfrom[i];
    }
    return true;
}

void bn_radix_sort(uint64_t *keys, float *w, uint64_t *spare, float *wspare, int64_t count)
{
    uint64_t *from = keys, *to = spare;
    float *wfrom = w, *wto = w ? wspare : NULL;
    for (int bit = 0; bit < 64 && count > 1; bit += 8) {
        if (!radix_pass(to, wto, from, wfrom, count, bit))
            continue;
        uint64_t *t = from;
        from = to;
        to = t;
        float *wt = wfrom;
        wfrom = wto;
        wto = wt;
    }
    if (from != keys && count > 0) {
        memcpy(keys, from, (size_t)count * sizeof *keys);
        if (w)
            memcpy(w, wfrom, (size_t)count * sizeof *w);
    }
}

static int by_weight(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the weights of equal keys, so that their sum does not depend on their order.  Nearly all
 * runs are short; a long one must not take quadratic time. */
static void sort_weights(float *w, int64_t count)
{
    if (count > 32) {
        qsort(w, (size_t)count, sizeof *w, by_weight);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        float v = w[i];
        int64_t j = i;
        for (; j > 0 && w[j - 1] > v; j--)
            w[j] = w[j - 1];
        w[j] = v;
    }
}

static int64_t merge_equal(uint64_t *keys, float *w, int64_t count, bool keep)
{
    int64_t kept = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && keys[end] == keys[i]; end++) {}
        if (w && end - i > 1)
            sort_weights(w + i, end - i);
        if (keep) {
            kept = end;
            continue;
        }
        double sum = 0;
        for (int64_t j = i; w && j < end; j++)
            sum += (double)w[j];
        if (w)
            w[kept] = (float)sum;
        keys[kept++] = keys[i];
    }
    return kept;
}

static bonsai_status sort_buckets(sorter *s)
{
    bonsai_status rc;
    int64_t largest = 0;
    uint64_t *spare = NULL;
    float *wspare = NULL;
    for (int64_t k = 0; k < s->buckets; k++) {
        int64_t count = s->bucket[k + 1] - s->bucket[k];
        largest = count > largest ? count : largest;
    }
    /* Room for one bucket per lane, or for all keys if one bucket holds most of them. */
    int64_t most = bn_least(bn_least(s->threads, BATCH), s->buckets);
    bool whole = largest > s->entries / most;
    BN_TRY(BN_NEW(&spare, whole ? s->entries : largest * most));
    if (s->weights)
        BN_TRY(BN_NEW(&wspare, whole ? s->entries : largest * most));
    for (int64_t first = 0; first < s->buckets; first += BATCH) {
        BN_TRY(bn_tick(s->progress, "sorting edges", first, s->buckets));
        int64_t last = bn_least(first + BATCH, s->buckets);
        int64_t lanes = bn_least(most, last - first);
        const double work = 32.0 * (double)(s->bucket[last] - s->bucket[first]);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(dynamic, 1)
        for (int64_t lane = 0; lane < lanes; lane++)
            for (int64_t k = first + lane; k < last; k += lanes) {
                int64_t at = s->bucket[k], count = s->bucket[k + 1] - at;
                float *w = s->weights ? s->weights + at : NULL;
                int64_t room = whole ? at : lane * largest;
                bn_radix_sort(s->keys + at, w, spare + room, w ? wspare + room : NULL, count);
                s->kept[k] = merge_equal(s->keys + at, w, count, s->keep_repeated);
            }
    }
    BN_TRY(bn_tick(s->progress, "sorting edges", s->buckets, s->buckets));
done:
    bn_free(spare);
    bn_free(wspare);
    return rc;
}

/* Writes the rows of one bucket at `to`. */
static void fill_bucket(const sorter *s, bn_adjacent *out, int64_t k, int64_t to)
{
    int64_t at = s->bucket[k], end = bn_least((k + 1) << s->shift, s->n);
    const uint64_t *key = s->keys + at, *stop = key + s->kept[k];
    const float *w = s->weights ? s->weights + at : NULL;
    for (int64_t row = k << s->shift; row < end; row++) {
        out->offsets[row] = to;
        for (; key < stop && (int64_t)(*key >> 32) == row; key++, to++) {
            out->neighbors[to] = (int32_t)(*key & 0x7fffffff);
            if (w)
                out->weights[to] = *w++;
        }
    }
}

static bonsai_status fill_rows(sorter *s, bn_adjacent *out)
{
    bonsai_status rc;
    int64_t *to = s->start, total = 0;      /* reuses the first row of start */
    for (int64_t k = 0; k < s->buckets; k++) {
        to[k] = total;
        total += s->kept[k];
    }
    s->repeated = s->entries - total;
    out->n = s->n;
    out->m = total;
    BN_TRY(BN_NEW(&out->offsets, s->n + 1));
    BN_TRY(BN_NEW(&out->neighbors, total));
    if (s->weights)
        BN_TRY(BN_NEW(&out->weights, total));
    for (int64_t first = 0; first < s->buckets; first += BATCH) {
        BN_TRY(bn_tick(s->progress, "filling rows", first, s->buckets));
        int64_t last = bn_least(first + BATCH, s->buckets);
        const double work = 8.0 * (double)(s->bucket[last] - s->bucket[first]);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(static)
        for (int64_t k = first; k < last; k++)
            fill_bucket(s, out, k, to[k]);
    }
    out->offsets[s->n] = total;
    BN_TRY(bn_tick(s->progress, "filling rows", s->buckets, s->buckets));
done:
    return rc;
}

static bonsai_status build_once(bn_adjacent *out, sorter *s, bool both)
{
    bonsai_status rc;
    s->both = both;
    s->shift = 0;
    plan_buckets(s);
    BN_TRY(BN_NEW(&s->start, (s->blocks ? s->blocks : 1) * s->buckets));
    BN_TRY(BN_NEW(&s->bucket, s->buckets + 1));
    BN_TRY(BN_NEW(&s->kept, s->buckets));
    BN_TRY(each_block(s, "counting edges", count_block));
    place_keys(s);
    BN_TRY(BN_NEW(&s->keys, s->entries));
    if (s->weight)
        BN_TRY(BN_NEW(&s->weights, s->entries));
    BN_TRY(each_block(s, "spreading edges", spread_block));
    BN_TRY(sort_buckets(s));
    BN_TRY(fill_rows(s, out));
done:
    bn_free(s->start);
    bn_free(s->bucket);
    bn_free(s->kept);
    bn_free(s->keys);
    bn_free(s->weights);
    s->start = s->bucket = s->kept = NULL;
    s->keys = NULL;
    s->weights = NULL;
    if (rc != BONSAI_OK)
        bn_adjacent_free(out);
    return rc;
}

void bn_adjacent_free(bn_adjacent *a)
{
    bn_free(a->offsets);
    bn_free(a->neighbors);
    bn_free(a->weights);
    memset(a, 0, sizeof *a);
}

bonsai_status bn_edge_outside(const char *where, int64_t edge, int64_t node, int64_t n)
{
    return bn_fail_at(BONSAI_E_FORMAT, where, "edge %lld: node %lld is outside 0..%lld",
                      (long long)edge, (long long)node, (long long)n - 1);
}

static bonsai_status check_edges(sorter *s, const char *where)
{
    int64_t bad = s->m, loops = 0;
    const double work = 4.0 * (double)s->m;
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(static) \
    reduction(min : bad) reduction(+ : loops)
    for (int64_t i = 0; i < s->m; i++) {
        bool in = s->source[i] >= 0 && s->source[i] < s->n && s->target[i] >= 0 &&
                  s->target[i] < s->n;
        if (!in || (s->weight && !(isfinite(s->weight[i]) && (s->any_sign || s->weight[i] > 0.0f))))
            bad = i < bad ? i : bad;
        loops += s->source[i] == s->target[i];
    }
    s->self_loops = loops;
    if (bad == s->m)
        return BONSAI_OK;
    int32_t u = s->source[bad], v = s->target[bad];
    if (u < 0 || u >= s->n || v < 0 || v >= s->n)
        return bn_edge_outside(where, bad, u < 0 || u >= s->n ? u : v, s->n);
    return bn_fail_at(BONSAI_E_FORMAT, where, "edge %lld: weight %g is not %sfinite",
                      (long long)bad, (double)s->weight[bad], s->any_sign ? "" : "positive and ");
}

static bonsai_status is_symmetric(bool *out, const bn_adjacent *a, int threads)
{
    int64_t *cursor = NULL;
    const bonsai_array offsets = {a->offsets, a->n + 1, BONSAI_TYPE_U64};
    bonsai_status rc = BN_NEW(&cursor, a->n);
    if (rc == BONSAI_OK)
        *out = bn_asymmetric_row(a->n, &offsets, a->neighbors, a->weights, cursor, threads) == a->n;
    bn_free(cursor);
    return rc;
}

bonsai_status bn_adjacent_build(bn_adjacent *out, uint64_t *flags, bonsai_read_info *info,
                                const char *where, int64_t n, int64_t m, const int32_t *source,
                                const int32_t *target, const float *weight,
                                const bonsai_read_options *o)
{
    bonsai_status rc;
    bool symmetric = true;
    sorter s = {.n = n, .m = m, .source = source, .target = target, .weight = weight,
                .any_sign = (*flags & BONSAI_FLAG_OPERATOR) != 0,
                .keep_self = o->keep_self_loops || (*flags & BONSAI_FLAG_OPERATOR),
                .keep_repeated = o->keep_repeated,
                .threads = bn_threads(o->threads), .progress = {o->progress, o->payload}};
    memset(out, 0, sizeof *out);
    BN_TRY(check_edges(&s, where));
    BN_TRY(build_once(out, &s, false));
    info->edges_given = m;
    info->self_loops = s.keep_self ? 0 : s.self_loops;
    info->repeated = s.repeated;
    if (!o->keep_directed)
        BN_TRY(is_symmetric(&symmetric, out, s.threads));
    if (!symmetric && s.any_sign)
        BN_TRY(bn_fail_at(BONSAI_E_FORMAT, where, "its edge weights are an operator that is not "
                          "symmetric"));
    if (!symmetric) {
        int64_t before = out->m;
        bn_adjacent_free(out);
        BN_TRY(build_once(out, &s, true));
        info->reversed = out->m - before;
    }
    *flags = (s.any_sign ? BONSAI_FLAG_OPERATOR : 0u) |
             (o->keep_directed ? BONSAI_FLAG_DIRECTED : 0u) |
             (s.keep_self ? BONSAI_FLAG_SELF_LOOPS : 0u) |
             (s.keep_repeated ? BONSAI_FLAG_REPEATED : 0u);
done:
    if (rc != BONSAI_OK)
        bn_adjacent_free(out);
    return rc;
}
