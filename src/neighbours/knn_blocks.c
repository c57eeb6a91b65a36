/* knn_blocks.c -- the neighbour search, a block of samples at a time, on one rank or several.
 *
 * Every rank receives the rows of a block and searches its own rows for the k nearest; one rank per
 * sample receives its lists from all ranks and merges them.  The nearest of all rows is the nearest
 * among those of its rank, and ties are won by the lower row in both steps: the result is that of
 * one rank.
 *
 * On one rank with enough memory, all samples are one block.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "knn.h"

/* Of a block: bytes of its arrays over ranks, bytes that they may take whatever the limit, as each
 * block reads all trees again, and the fewest samples. */
enum { BLOCK_BYTES = 1 << 26, LEAST_BYTES = 1 << 24, LEAST_SAMPLES = 256 };

typedef struct {
    const bn_sharded *x;
    bn_world *w;
    int     k, rank, ranks;
    int64_t block;              /* samples at a time */
    int64_t *row;               /* block: the samples as rows of all */
    int32_t *self;              /* block: the samples as rows of this rank, or -1 */
    int32_t *list;              /* block x k: the nearest of this rank */
    float   *dist;
    bn_candidate *mine;         /* the same to send */
    bn_candidate *all;          /* of all ranks for the samples merged here */
    int64_t *out_bytes, *in_bytes;      /* ranks */
    int64_t *next;              /* ranks: the next candidate of each */
} merging;

/* ---- merging ---- */

/* Returns the first sample, among `count`, that rank r merges. */
static int64_t slice(const merging *d, int64_t count, int r)
{
    return count * r / d->ranks;
}

static bool nearer(bn_candidate a, bn_candidate b)
{
    return a.d < b.d || (a.d == b.d && a.row < b.row);
}

/* Merges the k nearest of sample s of the `many` that are merged here. */
static void merge(bn_candidate *to, const merging *d, int64_t s, int64_t many)
{
    for (int r = 0; r < d->ranks; r++)
        d->next[r] = (r * many + s) * d->k;
    for (int j = 0; j < d->k; j++) {
        int best = 0;
        for (int r = 1; r < d->ranks; r++)      /* no list ends before its k-th is taken */
            if (nearer(d->all[d->next[r]], d->all[d->next[best]]))
                best = r;
        to[j] = d->all[d->next[best]++];
    }
}

static bonsai_status merge_block(int32_t *list, float *dist, merging *d, int64_t count)
{
    bonsai_status rc;
    int64_t begin = slice(d, count, d->rank), many = slice(d, count, d->rank + 1) - begin;
    int64_t each = d->k * (int64_t)sizeof *d->mine;
    for (int64_t i = 0; i < count * d->k; i++)
        d->mine[i] = (bn_candidate){d->dist[i], d->list[i]};
    for (int r = 0; r < d->ranks; r++) {
        d->out_bytes[r] = (slice(d, count, r + 1) - slice(d, count, r)) * each;
        d->in_bytes[r] = many * each;
    }
    BN_TRY(bn_exchange(d->w, d->all, d->in_bytes, d->mine, d->out_bytes));
    for (int64_t s = 0; s < many; s++)
        merge(d->mine + s * d->k, d, s, many);
    BN_TRY(bn_gather(d->w, d->all, d->out_bytes, d->mine));
    for (int64_t i = 0; i < count * d->k; i++) {
        list[i] = d->all[i].row;
        if (dist)
            dist[i] = d->all[i].d;
    }
done:
    return rc;
}

/* ---- a block of samples ---- */

static bonsai_status block_of_ranks(int32_t *list, float *dist, merging *d, bn_knn_search *q,
                                  const int32_t *sample)
{
    bonsai_status rc;
    bn_embedding x = {0};
    int64_t base = d->x->first[d->rank], end = d->x->first[d->rank + 1];
    for (int64_t i = 0; i < q->z; i++) {
        d->row[i] = sample[i];
        d->self[i] = sample[i] >= base && sample[i] < end ? (int32_t)(sample[i] - base) : -1;
    }
    BN_TRY(bn_rows_gather(&x, d->x, d->row, q->z));
    q->from = &x;
    q->self = d->self;
    q->base = base;
    BN_TRY(bn_agree(d->w, bn_knn_block(d->list, d->dist, q)));
    BN_TRY(merge_block(list, dist, d, q->z));
done:
    bn_embedding_free(&x);
    return rc;
}

static bonsai_status block_alone(int32_t *list, float *dist, bn_knn_search *q,
                                 const int32_t *sample)
{
    q->from = q->e;
    q->at = q->self = sample;
    return bn_knn_block(list, dist, q);
}

/* ---- all samples ---- */

/* Returns as many samples as memory allows; over ranks by what all ranks know. */
static int64_t block_size(const bn_knn_search *q, int ranks, bool dense, int64_t f)
{
    int64_t each = bn_knn_room(q->k) * (int64_t)sizeof(bn_candidate) +
                   4 * q->k * (int64_t)sizeof(bn_candidate) + 256, most;
    int64_t left = bn_memory_left(q->place->memory) / 2;
    if (ranks == 1)
        most = (left < LEAST_BYTES ? LEAST_BYTES : left) / each;
    else
        most = bn_least(BLOCK_BYTES / (each + (dense ? f : 0) * (int64_t)sizeof(float)),
                        BN_KNN_SAMPLES);
    return bn_least(most < LEAST_SAMPLES ? LEAST_SAMPLES : most, q->all);
}

static bonsai_status new_merging(merging *d)
{
    bonsai_status rc;
    int64_t merged = (d->block / d->ranks + 1) * d->ranks;
    BN_TRY(BN_NEW(&d->row, d->block));
    BN_TRY(BN_NEW(&d->self, d->block));
    BN_TRY(BN_NEW(&d->list, d->block * d->k));
    BN_TRY(BN_NEW(&d->dist, d->block * d->k));
    BN_TRY(BN_NEW(&d->mine, d->block * d->k));
    BN_TRY(BN_NEW(&d->all, merged * d->k));
    BN_TRY(BN_NEW(&d->out_bytes, d->ranks));
    BN_TRY(BN_NEW(&d->in_bytes, d->ranks));
    BN_TRY(BN_NEW(&d->next, d->ranks));
done:
    return rc;
}

static void free_merging(merging *d)
{
    bn_free(d->row);
    bn_free(d->self);
    bn_free(d->list);
    bn_free(d->dist);
    bn_free(d->mine);
    bn_free(d->all);
    bn_free(d->out_bytes);
    bn_free(d->in_bytes);
    bn_free(d->next);
}

static bonsai_status all_blocks(int32_t *list, float *dist, merging *d, bn_knn_search *q,
                                const int32_t *sample)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t s = 0; s < q->all; s += d->block) {
        int32_t *to = list + s * q->k;
        float *far = dist ? dist + s * q->k : NULL;
        q->before = s;
        q->z = bn_least(d->block, q->all - s);
        if (d->ranks == 1)
            BN_TRY(block_alone(to, far, q, sample + s));
        else
            BN_TRY(block_of_ranks(to, far, d, q, sample + s));
    }
done:
    return rc;
}

/* Adds the work of all ranks. */
static bonsai_status count_work(bn_knn_work *work, const bn_knn_search *q, bn_world *w)
{
    int64_t count[2] = {q->all * q->trees, q->measured};
    bonsai_status rc = bn_sum_int(w, count, 2);
    work->pairs += count[0];
    work->measured += count[1];
    return rc;
}

bonsai_status bn_knn(int32_t *list, float *dist, const bn_sharded *x, const bn_sample *s, int k,
                     bn_knn_work *work)
{
    bonsai_status rc;
    bool dense;
    const bn_place *at = x->at;
    bn_world *w = at->world;
    merging d = {.x = x, .w = w, .k = k, .rank = bn_rank(w), .ranks = bn_ranks(w)};
    int64_t trees = d.ranks == 1 ? x->e->rows : x->first[d.ranks];
    bn_knn_search q = {.e = x->e, .trees = x->e->rows, .all = s->z, .k = k,
                       .threads = bn_threads(at->threads), .place = at,
                       .way = work ? work->way : BN_KNN_CHEAPER};
    if (k < 1 || k >= trees)
        return bn_fail(BONSAI_E_ARGUMENT, "k is %d but there are %lld trees: it must be in 1..%lld",
                       k, (long long)trees, (long long)trees - 1);
    BN_TRY(bn_agree(w, bn_tick(at->progress, "neighbours", 0, s->z)));
    BN_TRY(bn_rows_form(&dense, &q.f, x->e, w));
    d.block = block_size(&q, d.ranks, dense, q.f);
    if (d.ranks > 1)
        BN_TRY(bn_agree(w, new_merging(&d)));
    BN_TRY(all_blocks(list, dist, &d, &q, s->row));
    if (work)
        BN_TRY(count_work(work, &q, w));
    BN_TRY(bn_agree(w, bn_tick(at->progress, "neighbours", s->z, s->z)));
done:
    free_merging(&d);
    return rc;
}
