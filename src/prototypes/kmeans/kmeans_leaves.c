/* kmeans_leaves.c -- leaves of deep k-means dealt to ranks: rows go there, clusters come back.
 *
 * Leaves go through in batches, so that a rank has the rows of few at a time.  Leaf i is
 * solved by rank i mod ranks.  A rank packs its rows for each of the others, leaf after leaf; what
 * comes is then one stretch per leaf from each rank, in the order of the ranks, as the rows were.
 * Packing meets the rows in their order, once a batch, whatever the leaves: they may lie in a
 * scratch file.  So one rank alone goes this way too where its rows do.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "kmeans_deep.h"

enum { BATCH_BYTES = 1 << 26 };         /* of rows that come to a rank at a time, more or less */

typedef struct {                /* a batch of leaves */
    bn_deep *d;
    bn_world *w;
    bn_memory *memory;
    int      rank, ranks;
    const int32_t *leaf_of;     /* d->count: the leaf of each row */
    int64_t  begin, end;        /* leaves */
    int64_t *count;             /* ranks x leaves of the batch: rows that each rank has of each */
    int64_t *start;             /* the same: where they are in what came; only of our own leaves */
    int64_t *next;              /* leaves: where the next row of each goes in what is sent */
    int64_t *out, *in;          /* ranks: rows to each and from each, ... */
    int64_t *out_bytes, *in_bytes;      /* ... and their bytes */
    int64_t  outs, ins;         /* rows in all */
    bn_embedding mine, came;
    int32_t *answer, *result;   /* clusters of what came, and of what was sent */
} batch;

static int owner(const batch *b, int64_t leaf)
{
    return (int)(leaf % b->ranks);
}

/* Returns how many rows of a leaf are sent: one cluster needs none. */
static int64_t sent(const bn_leaf *l)
{
    return l->k == 1 ? 0 : l->count;
}

static void batch_free(batch *b)
{
    bn_free(b->count);
    bn_free(b->start);
    bn_free(b->next);
    bn_free(b->out);
    bn_free(b->in);
    bn_free(b->out_bytes);
    bn_free(b->in_bytes);
    bn_embedding_free(&b->mine);
    bn_embedding_free(&b->came);
    bn_big_free(b->answer);
    bn_big_free(b->result);
}

/* ---- who sends what ---- */

static bonsai_status new_batch(batch *b)
{
    bonsai_status rc;
    int64_t leaves = b->end - b->begin;
    BN_TRY(BN_NEW(&b->count, b->ranks * leaves));
    BN_TRY(BN_NEW(&b->start, b->ranks * leaves));
    BN_TRY(BN_NEW(&b->next, leaves));
    BN_TRY(BN_NEW(&b->out, b->ranks));
    BN_TRY(BN_NEW(&b->in, b->ranks));
    BN_TRY(BN_NEW(&b->out_bytes, b->ranks));
    BN_TRY(BN_NEW(&b->in_bytes, b->ranks));
done:
    return rc;
}

static bonsai_status count_rows(batch *b)
{
    bonsai_status rc;
    int64_t leaves = b->end - b->begin;
    int64_t *own = b->count + b->rank * leaves;
    for (int64_t i = 0; i < leaves; i++)
        own[i] = sent(&b->d->leaf[b->begin + i]);
    BN_TRY(bn_sum_int(b->w, b->count, b->ranks * leaves));
    for (int r = 0; r < b->ranks; r++)
        for (int64_t i = 0; i < leaves; i++) {
            if (owner(b, b->begin + i) == r) {
                b->next[i] = b->outs;
                b->out[r] += own[i];
                b->outs += own[i];
            }
            if (owner(b, b->begin + i) == b->rank) {
                b->start[r * leaves + i] = b->ins;
                b->in[r] += b->count[r * leaves + i];
                b->ins += b->count[r * leaves + i];
            }
        }
done:
    return rc;
}

/* Returns the place of the next row of a leaf; -1: the row is not in this batch. */
static int64_t next_place(batch *b, int64_t i)
{
    int64_t leaf = b->leaf_of[i];
    return leaf >= b->begin && leaf < b->end ? b->next[leaf - b->begin]++ : -1;
}

/* Sets the places back to the beginning of each leaf. */
static void start_again(batch *b)
{
    for (int64_t i = 0; i < b->end - b->begin; i++)
        b->next[i] -= sent(&b->d->leaf[b->begin + i]);
}

static bonsai_status exchange(batch *b, void *in, const void *out, size_t item)
{
    for (int r = 0; r < b->ranks; r++) {
        b->in_bytes[r] = b->in[r] * (int64_t)item;
        b->out_bytes[r] = b->out[r] * (int64_t)item;
    }
    return bn_exchange(b->w, in, b->in_bytes, out, b->out_bytes);
}

/* ---- rows ---- */

static bonsai_status send_dense(batch *b)
{
    bonsai_status rc;
    const bn_embedding *e = b->d->s->e;
    size_t bytes = (size_t)e->f * sizeof(float);
    rc = BN_BIG(&b->mine.dense, b->memory, b->outs * e->f);
    if (rc == BONSAI_OK && b->ranks > 1)
        rc = BN_BIG(&b->came.dense, b->memory, b->ins * e->f);
    BN_TRY(bn_agree(b->w, rc));
    for (int64_t i = 0; i < b->d->count; i++) {
        int64_t to = next_place(b, i);
        if (to >= 0)
            memcpy(b->mine.dense + to * e->f, e->dense + b->d->rows[i] * e->f, bytes);
    }
    if (b->ranks == 1) {                /* it need not go anywhere */
        b->came.dense = b->mine.dense;
        b->mine.dense = NULL;
    } else
        BN_TRY(exchange(b, b->came.dense, b->mine.dense, bytes));
done:
    return rc;
}

static bonsai_status new_entries(bn_embedding *x, int64_t rows, bn_memory *m)
{
    bonsai_status rc;
    for (int64_t i = 0; i < rows; i++)
        x->offsets[i + 1] += x->offsets[i];
    BN_TRY(BN_BIG(&x->index, m, x->offsets[rows]));
    BN_TRY(BN_BIG(&x->value, m, x->offsets[rows]));
done:
    return rc;
}

/* Replaces the counts of rows to or from each rank by those of their entries. */
static void count_entries(int64_t *count, const int64_t *offsets, int ranks)
{
    for (int64_t r = 0, at = 0; r < ranks; r++) {
        int64_t rows = count[r];
        count[r] = offsets[at + rows] - offsets[at];
        at += rows;
    }
}

static void pack_sparse(batch *b)
{
    const bn_embedding *e = b->d->s->e;
    for (int64_t i = 0; i < b->d->count; i++) {
        int64_t to = next_place(b, i), from = e->offsets[b->d->rows[i]];
        size_t many = (size_t)(e->offsets[b->d->rows[i] + 1] - from);
        if (to < 0)
            continue;
        memcpy(b->mine.index + b->mine.offsets[to], e->index + from, many * sizeof *e->index);
        memcpy(b->mine.value + b->mine.offsets[to], e->value + from, many * sizeof *e->value);
    }
}

static bonsai_status send_lengths(batch *b)
{
    bonsai_status rc;
    const bn_embedding *e = b->d->s->e;
    rc = BN_BIG(&b->mine.offsets, b->memory, b->outs + 1);
    if (rc == BONSAI_OK)
        rc = BN_BIG(&b->came.offsets, b->memory, b->ins + 1);
    BN_TRY(bn_agree(b->w, rc));
    for (int64_t i = 0; i < b->d->count; i++) {
        int64_t to = next_place(b, i), row = b->d->rows[i];
        if (to >= 0)
            b->mine.offsets[to + 1] = e->offsets[row + 1] - e->offsets[row];
    }
    start_again(b);
    BN_TRY(exchange(b, b->came.offsets + 1, b->mine.offsets + 1, sizeof *e->offsets));
    rc = new_entries(&b->mine, b->outs, b->memory);
    if (rc == BONSAI_OK)
        rc = new_entries(&b->came, b->ins, b->memory);
    BN_TRY(bn_agree(b->w, rc));
done:
    return rc;
}

static bonsai_status send_sparse(batch *b)
{
    bonsai_status rc;
    size_t bytes = (size_t)b->ranks * sizeof *b->in;
    int64_t *rows = NULL;
    BN_TRY(bn_agree(b->w, BN_NEW(&rows, 2 * b->ranks)));
    BN_TRY(send_lengths(b));
    pack_sparse(b);
    memcpy(rows, b->in, bytes);
    memcpy(rows + b->ranks, b->out, bytes);
    count_entries(b->in, b->came.offsets, b->ranks);
    count_entries(b->out, b->mine.offsets, b->ranks);
    BN_TRY(exchange(b, b->came.index, b->mine.index, sizeof *b->mine.index));
    BN_TRY(exchange(b, b->came.value, b->mine.value, sizeof *b->mine.value));
    memcpy(b->in, rows, bytes);
    memcpy(b->out, rows + b->ranks, bytes);
done:
    bn_free(rows);
    return rc;
}

/* ---- clusters ---- */

/* Lists the rows of a leaf among the received ones. */
static void find_rows(int64_t *row, const batch *b, int64_t leaf)
{
    int64_t leaves = b->end - b->begin, i = leaf - b->begin, at = 0;
    for (int r = 0; r < b->ranks; r++)
        for (int64_t j = 0; j < b->count[r * leaves + i]; j++)
            row[at++] = b->start[r * leaves + i] + j;
}

static bonsai_status solve_leaf(batch *b, const bn_sharded *s, int64_t leaf, int64_t *row,
                                int32_t *own)
{
    bn_leaf *l = &b->d->leaf[leaf];
    find_rows(row, b, leaf);
    bonsai_status rc = bn_leaf_solve(b->d, l, own, s, row);
    for (int64_t j = 0; j < l->total && rc == BONSAI_OK; j++)
        b->answer[row[j]] = own[j];
    return rc;
}

/* Solves the leaves of this rank. */
static bonsai_status solve_own(batch *b)
{
    bonsai_status rc;
    bn_place here = *b->d->s->at;
    here.world = NULL;
    bn_sharded s = bn_sharded_alone(b->d->s, &b->came, &here);
    int64_t *row = NULL, most = 0;
    int32_t *own = NULL;
    for (int64_t i = b->begin; i < b->end; i++)
        if (owner(b, i) == b->rank && b->d->leaf[i].k > 1 && b->d->leaf[i].total > most)
            most = b->d->leaf[i].total;
    BN_TRY(BN_BIG(&row, b->memory, most));
    BN_TRY(BN_BIG(&own, b->memory, most));
    BN_TRY(BN_BIG(&b->answer, b->memory, b->ins));
    BN_TRY(BN_BIG(&b->result, b->memory, b->outs));
    for (int64_t i = b->begin; i < b->end; i++)
        if (owner(b, i) == b->rank && b->d->leaf[i].k > 1)
            BN_TRY(solve_leaf(b, &s, i, row, own));
done:
    bn_big_free(row);
    bn_big_free(own);
    return rc;
}

/* Sends the clusters back to the ranks that sent the rows, and the number of each leaf's to
 * all. */
static bonsai_status hand_back(batch *b)
{
    bonsai_status rc;
    int64_t *t = b->in;
    b->in = b->out;
    b->out = t;
    BN_TRY(exchange(b, b->result, b->answer, sizeof *b->answer));
    start_again(b);
    for (int64_t i = 0; i < b->d->count; i++) {
        int64_t from = next_place(b, i);
        if (from >= 0)
            b->d->cluster[i] = b->result[from];
    }
    for (int64_t i = b->begin; i < b->end; i++)
        b->next[i - b->begin] = owner(b, i) == b->rank ? b->d->leaf[i].found : 0;
    BN_TRY(bn_sum_int(b->w, b->next, b->end - b->begin));
    for (int64_t i = b->begin; i < b->end; i++)
        b->d->leaf[i].found = b->next[i - b->begin];
done:
    return rc;
}

static bonsai_status deal(batch *b)
{
    bonsai_status rc;
    const bn_embedding *e = b->d->s->e;
    BN_TRY(bn_agree(b->w, new_batch(b)));
    BN_TRY(count_rows(b));
    BN_TRY(e->dense ? send_dense(b) : send_sparse(b));
    bn_embedding_free(&b->mine);
    b->came.rows = b->ins;
    b->came.f = e->f;
    BN_TRY(bn_agree(b->w, solve_own(b)));
    BN_TRY(hand_back(b));
done:
    batch_free(b);
    return rc;
}

/* ---- all leaves ---- */

/* Returns the end of the batch that begins at leaf `begin`: about as many bytes as the ranks take
 * at a time, at least one leaf each. */
static int64_t batch_end(const bn_deep *d, int64_t begin, int ranks)
{
    double each = d->s->length * (d->s->e->dense ? 4 : 8), bytes = 0;
    int64_t end = begin;
    for (; end < d->leaves && (end < begin + ranks || bytes < (double)BATCH_BYTES * ranks); end++)
        bytes += d->leaf[end].k > 1 ? each * (double)d->leaf[end].total : 0;
    return end;
}

bonsai_status bn_leaves_deal(bn_deep *d)
{
    bonsai_status rc;
    bn_world *w = d->s->at->world;
    int32_t *leaf_of = NULL;
    BN_TRY(bn_agree(w, BN_BIG(&leaf_of, d->s->at->memory, d->count)));
    for (int64_t i = 0; i < d->leaves; i++) {
        bn_leaf *l = &d->leaf[i];
        l->found = 1;                   /* those that are dealt will tell */
        for (int64_t j = l->begin; j < l->begin + l->count; j++) {
            leaf_of[d->place[j]] = l->k == 1 ? -1 : (int32_t)i;
            d->cluster[d->place[j]] = 0;
        }
    }
    for (int64_t begin = 0, end; begin < d->leaves; begin = end) {
        end = batch_end(d, begin, bn_ranks(w));
        batch b = {.d = d, .w = w, .memory = d->s->at->memory, .rank = bn_rank(w),
                   .ranks = bn_ranks(w), .leaf_of = leaf_of, .begin = begin, .end = end};
        BN_TRY(deal(&b));
    }
done:
    bn_big_free(leaf_of);
    return rc;
}
