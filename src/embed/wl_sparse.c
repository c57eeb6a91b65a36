/* wl_sparse.c -- rounds of averaging on sparse rows; see wl.c.
 *
 * Rows are made (wl_sum.c) a batch at a time: each thread takes the next block when it is free, and
 * appends the rows to a list of chunks, which may be scratch files.  At the end the chunks are
 * joined.
 *
 * Rows that need the halo are made in a second pass, so that the others can be made while its rows
 * travel; joining puts both in order.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "wl.h"

/* BLOCK: rows; CHUNK: entries of a chunk, unless a batch needs more. */
enum { BLOCK = 64, BATCH_BLOCKS = 32, CHUNK = 1 << 23 };

typedef struct {                /* a block of rows being made */
    int32_t *index;
    float   *value;
    int64_t  used, index_room, value_room;
    int64_t  place;             /* position in its chunk */
} block;

typedef struct {                /* finished rows of some batches */
    int32_t *index;
    float   *value;
    int64_t  used, room;
} chunk;

typedef struct {                /* the rows of one batch, in a chunk */
    const int32_t *index;
    const float   *value;
    int64_t used;
} batch;

typedef struct {                /* a round */
    const bn_wl_run *w;
    const int32_t *nodes;       /* whose rows are made; NULL: all own */
    int     level;
    int64_t count, batches, lanes, rows;        /* rows: of a batch */
    block  *block;              /* of one batch */
    bn_wl_sum *sum;             /* lanes */
    int32_t *length;            /* count */
    chunk  *chunk;
    int64_t chunks, chunk_room, entries;
    batch  *batch[2];           /* batches: of each pass */
    int     pass;
    int64_t next;               /* next block to take */
    int     failed;
} sparse_round;

void bn_wl_rows_free(bn_wl_rows *r)
{
    bn_big_free(r->offsets);
    bn_big_free(r->index);
    bn_big_free(r->value);
    memset(r, 0, sizeof *r);
}

/* Appends v's next embedding to the block; false: out of memory. */
static bool sparse_row(block *b, bn_wl_sum *k, const bn_wl_run *w, int64_t v)
{
    int64_t bound = bn_wl_bound(w, v), need = b->used + bound + BN_PACK_ROOM;
    if (bn_grow((void **)&b->index, &b->index_room, need, sizeof *b->index) != BONSAI_OK ||
        bn_grow((void **)&b->value, &b->value_room, need, sizeof *b->value) != BONSAI_OK)
        return false;
    b->used += bn_wl_sum_sparse(b->index + b->used, b->value + b->used, k, w, v, bound);
    return true;
}

/* ---- a batch ---- */

static bool run_block(sparse_round *r, int64_t lane, int64_t number)
{
    const bn_wl_run *w = r->w;
    block *b = &r->block[number % (r->rows / BLOCK)];
    int64_t end = bn_least((number + 1) * BLOCK, r->count);
    b->used = 0;
    for (int64_t i = number * BLOCK; i < end; i++) {
        int64_t v = r->nodes ? r->nodes[i] - w->first : i, before = b->used;
        if (!bn_wl_needs(w->need, v, r->level) || (w->outer && w->outer[v]) != r->pass)
            continue;
        if (!sparse_row(b, &r->sum[lane], w, v))
            return false;
        r->length[i] = (int32_t)(b->used - before);
    }
    return true;
}

/* Takes blocks until the last: rows differ too much in length to be distributed in advance. */
static void run_lane(sparse_round *r, int64_t lane, int64_t last)
{
    for (;;) {
        int64_t b;
#pragma omp atomic capture
        b = r->next++;
        if (b >= last)
            return;
        if (!run_block(r, lane, b)) {
#pragma omp atomic write
            r->failed = 1;
            return;
        }
    }
}

/* Finds a chunk with room for `need` entries at its end; chunks grow with their number. */
static bonsai_status find_room(sparse_round *r, int64_t need)
{
    bonsai_status rc;
    chunk *last = r->chunks > 0 ? &r->chunk[r->chunks - 1] : NULL;
    if (last && last->room - last->used >= need)
        return BONSAI_OK;
    BN_TRY(bn_grow((void **)&r->chunk, &r->chunk_room, r->chunks + 1, sizeof *r->chunk));
    last = &r->chunk[r->chunks++];
    *last = (chunk){.room = bn_least(CHUNK, r->entries)};
    last->room = last->room > need ? last->room : need;
    BN_TRY(BN_BIG(&last->index, r->w->at->memory, last->room));
    BN_TRY(BN_BIG(&last->value, r->w->at->memory, last->room));
done:
    return rc;
}

/* Appends the blocks of a batch to the chunks.  The first access to new memory is slow, so all
 * threads take part. */
static bonsai_status keep_batch(sparse_round *r, int64_t number, int64_t blocks)
{
    bonsai_status rc;
    int64_t used = 0;
    for (int64_t b = 0; b < blocks; b++) {
        r->block[b].place = used;
        used += r->block[b].used;
    }
    BN_TRY(find_room(r, used));
    chunk *to = &r->chunk[r->chunks - 1];
    int32_t *index = to->index + to->used;
    float *value = to->value + to->used;
    r->batch[r->pass][number] = (batch){index, value, used};
#pragma omp parallel for num_threads(bn_team(r->w->threads, 8.0 * (double)used)) schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
        const block *from = &r->block[b];
        if (from->used > 0) {
            memcpy(index + from->place, from->index, (size_t)from->used * sizeof *index);
            memcpy(value + from->place, from->value, (size_t)from->used * sizeof *value);
        }
    }
    to->used += used;
    r->entries += used;
done:
    return rc;
}

/* Makes the inner rows (pass 0) or the outer ones (pass 1). */
static bonsai_status run_pass(void *round, int pass)
{
    sparse_round *r = round;
    bonsai_status rc = BONSAI_OK;
    int passes = r->w->neighbors ? 2 : 1;
    int64_t blocks = (r->count + BLOCK - 1) / BLOCK, some = r->rows / BLOCK;
    r->pass = pass;
    for (int64_t i = 0; i < r->batches; i++) {
        int64_t last = bn_least((i + 1) * some, blocks);
        BN_TRY(bn_wl_tick(r->w, 1, pass * r->batches + i, passes * r->batches));
        r->next = i * some;
        const double adds = 64 * bn_wl_numbers(r->w, BLOCK * (last - i * some));
#pragma omp parallel for num_threads(bn_team(r->w->threads, adds)) schedule(static)
        for (int64_t lane = 0; lane < r->lanes; lane++)
            run_lane(r, lane, last);
        if (r->failed) {
            rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for sparse embeddings");
            goto done;
        }
        BN_TRY(keep_batch(r, i, last - i * some));
    }
done:
    return rc;
}

/* ---- a round ---- */

static bonsai_status start_round(sparse_round *r)
{
    bonsai_status rc;
    const bn_wl_run *w = r->w;
    r->lanes = w->threads;
    r->rows = BATCH_BLOCKS * BLOCK * r->lanes;
    r->batches = (r->count + r->rows - 1) / r->rows;
    BN_TRY(BN_NEW(&r->block, r->rows / BLOCK));
    BN_TRY(BN_BIG(&r->length, w->at->memory, r->count));
    BN_TRY(BN_NEW(&r->batch[0], r->batches));
    BN_TRY(BN_NEW(&r->batch[1], r->batches));
    BN_TRY(BN_NEW(&r->sum, r->lanes));
    for (int64_t i = 0; i < r->lanes; i++)
        BN_TRY(bn_wl_sum_new(&r->sum[i], w->f));
done:
    return rc;
}

static void free_work(sparse_round *r)
{
    for (int64_t b = 0; r->block && b < r->rows / BLOCK; b++) {
        bn_free(r->block[b].index);
        bn_free(r->block[b].value);
    }
    for (int64_t i = 0; r->sum && i < r->lanes; i++)
        bn_wl_sum_free(&r->sum[i]);
    bn_free(r->block);
    bn_free(r->sum);
    r->block = NULL;
    r->sum = NULL;
}

static void end_round(sparse_round *r)
{
    free_work(r);
    for (int64_t i = 0; i < r->chunks; i++) {
        bn_big_free(r->chunk[i].index);
        bn_big_free(r->chunk[i].value);
    }
    bn_free(r->chunk);
    bn_free(r->batch[0]);
    bn_free(r->batch[1]);
    bn_big_free(r->length);
}

static void copy_entries(bn_wl_rows *out, int64_t to, const batch *from, int64_t at, int64_t count)
{
    if (count == 0)
        return;
    memcpy(out->index + to, from->index + at, (size_t)count * sizeof *out->index);
    memcpy(out->value + to, from->value + at, (size_t)count * sizeof *out->value);
}

/* Puts a batch's rows of both passes in order. */
static void join_batch(bn_wl_rows *out, const sparse_round *r, int64_t number)
{
    const batch *inner = &r->batch[0][number], *outer = &r->batch[1][number];
    const bn_wl_run *w = r->w;
    int64_t begin = number * r->rows, end = bn_least(begin + r->rows, r->count), at[2] = {0};
    if (inner->used == 0 || outer->used == 0) {
        copy_entries(out, out->offsets[begin], inner, 0, inner->used);
        copy_entries(out, out->offsets[begin], outer, 0, outer->used);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        int64_t v = r->nodes ? r->nodes[i] - w->first : i;
        int pass = w->outer[v];
        copy_entries(out, out->offsets[i], pass ? outer : inner, at[pass], r->length[i]);
        at[pass] += r->length[i];
    }
}

static bonsai_status join_batches(bn_wl_rows *out, const sparse_round *r)
{
    bonsai_status rc;
    bn_memory *m = r->w->at->memory;
    out->rows = r->count;
    BN_TRY(BN_BIG(&out->offsets, m, r->count + 1));
    for (int64_t i = 0; i < r->count; i++)
        out->offsets[i + 1] = out->offsets[i] + r->length[i];
    BN_TRY(BN_BIG(&out->index, m, out->offsets[r->count]));
    BN_TRY(BN_BIG(&out->value, m, out->offsets[r->count]));
    const double copies = 8.0 * (double)out->offsets[r->count];
#pragma omp parallel for num_threads(bn_team(r->w->threads, copies)) schedule(static)
    for (int64_t i = 0; i < r->batches; i++)
        join_batch(out, r, i);
done:
    return rc;
}

/* Frees the old rows before the new ones are joined, so that at most two copies exist. */
static bonsai_status replace_rows(bn_wl_run *w, sparse_round *r)
{
    bn_wl_far_free(w);
    bn_wl_rows_free(&w->x);
    free_work(r);
    return join_batches(&w->x, r);
}

bonsai_status bn_wl_sparse_step(bn_wl_run *w, bool last)
{
    bonsai_status rc, mine;
    bn_world *world = bn_wl_world(w);
    sparse_round r = {.w = w, .nodes = last ? w->nodes : NULL, .level = w->done + 1,
                      .count = last ? w->count : w->n};
    BN_TRY(bn_agree(world, start_round(&r)));
    BN_TRY(bn_wl_passes(&mine, w, run_pass, &r));
    if (mine == BONSAI_OK)
        mine = replace_rows(w, &r);
    BN_TRY(bn_agree(world, mine));
    w->done++;
done:
    bn_wl_far_free(w);
    end_round(&r);
    return rc;
}

/* ---- features ---- */

bonsai_status bn_wl_sparse_pick(bn_wl_run *w)
{
    bonsai_status rc;
    bn_wl_rows picked = {.rows = w->count};
    BN_TRY(BN_BIG(&picked.offsets, w->at->memory, w->count + 1));
    for (int64_t i = 0; i < w->count; i++) {
        bn_wl_row r = bn_wl_feature_row(w->g, w->nodes ? w->nodes[i] : w->first + i);
        picked.offsets[i + 1] = picked.offsets[i] + bn_wl_pick(NULL, NULL, &r);
    }
    BN_TRY(BN_BIG(&picked.index, w->at->memory, picked.offsets[w->count]));
    BN_TRY(BN_BIG(&picked.value, w->at->memory, picked.offsets[w->count]));
    const double copies = 4.0 * (double)picked.offsets[w->count];
#pragma omp parallel for num_threads(bn_team(w->threads, copies)) schedule(static)
    for (int64_t i = 0; i < w->count; i++) {
        bn_wl_row r = bn_wl_feature_row(w->g, w->nodes ? w->nodes[i] : w->first + i);
        bn_wl_pick(picked.index + picked.offsets[i], picked.value + picked.offsets[i], &r);
    }
    w->x = picked;
    memset(&picked, 0, sizeof picked);
done:
    bn_wl_rows_free(&picked);
    return rc;
}
