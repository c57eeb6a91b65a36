/* wl_sparse.c -- WL rounds over sparse rows; see wl.c.
 *
 * A thread adds neighbours' rows into a dense row of its own and marks the features
 * it touched in a bitmap, with a second one over its words; reading the marks gives
 * the features in order, without sorting, and a row of a million features takes no
 * longer than its entries do.  Finished rows gather in blocks of fixed size, which
 * the threads take as they come free and which are joined at the end.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "wl.h"

enum { BLOCK = 64, BLOCKS_A_TICK = 64 };

typedef struct {                /* a block of finished rows */
    int32_t *index;
    float   *value;
    int64_t  used, index_room, value_room;
} block;

typedef struct {                /* one thread's working row; all zero between rows */
    float    *sum;              /* f */
    uint64_t *marks;            /* f bits */
    uint64_t *words;            /* a bit for each word of marks */
} work;

typedef struct {                /* a round under way */
    const bn_wl_run *w;
    const int32_t *nodes;       /* whose rows are made; NULL: all */
    int64_t count, blocks, lanes;
    block  *block;
    work   *work;               /* lanes */
    int64_t *length;            /* count */
    int64_t next;               /* block not yet taken */
    int     failed;
} sparse_round;

void bn_wl_rows_free(bn_wl_rows *r)
{
    bn_big_free(r->offsets);
    bn_big_free(r->index);
    bn_big_free(r->value);
    memset(r, 0, sizeof *r);
}

/* ---- one row ---- */

static inline void mark(work *k, int32_t j)
{
    k->marks[j >> 6] |= 1ull << (j & 63);
    k->words[j >> 12] |= 1ull << (j >> 6 & 63);
}

static void add_row(work *k, const bn_wl_rows *x, int64_t u, float weight)
{
    for (int64_t e = x->offsets[u]; e < x->offsets[u + 1]; e++) {
        mark(k, x->index[e]);
        k->sum[x->index[e]] += weight * x->value[e];
    }
}

/* Adds up v's neighbours; returns how many entries its next row has at most. */
static int64_t add_neighbours(work *k, const bn_wl_run *w, int64_t v)
{
    const bn_wl_rows *x = &w->x;
    const float *weight = w->g->view.section[BONSAI_EDGE_WEIGHTS].data;
    int64_t most = x->offsets[v + 1] - x->offsets[v], end = bn_row_begin(w->g, v + 1);
    for (int64_t e = x->offsets[v]; e < x->offsets[v + 1]; e++)
        mark(k, x->index[e]);
    for (int64_t e = bn_row_begin(w->g, v); e < end; e++) {
        int32_t u = bn_neighbors(w->g)[e];
        add_row(k, x, u, weight ? weight[e] : 1.0f);
        most += x->offsets[u + 1] - x->offsets[u];
    }
    return most < w->f ? most : w->f;
}

/* A minus zero stays, as it does in a dense row. */
static bool is_zero(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits == 0;
}

/* Takes the marks of one word away and appends its features of v; *self walks along
 * v's own row. */
static void take_word(block *b, work *k, const bn_wl_run *w, int64_t v, int64_t word, int64_t *self)
{
    const bn_wl_rows *x = &w->x;
    for (uint64_t bits = k->marks[word]; bits; bits &= bits - 1) {
        int32_t j = (int32_t)(word * 64 + __builtin_ctzll(bits));
        bool has = *self < x->offsets[v + 1] && x->index[*self] == j;
        float own = has ? x->value[*self] : 0.0f;
        float next = w->inverse[v] == 0.0f ? own : bn_wl_next(w, v, own, k->sum[j]);
        *self += has;
        k->sum[j] = 0.0f;
        b->index[b->used] = j;
        b->value[b->used] = next;
        b->used += !is_zero(next);
    }
    k->marks[word] = 0;
}

/* Appends v's next embedding to the block; false: no room. */
static bool sparse_row(block *b, work *k, const bn_wl_run *w, int64_t v)
{
    int64_t need = b->used + add_neighbours(k, w, v) + 1, self = w->x.offsets[v];
    if (bn_grow((void **)&b->index, &b->index_room, need, sizeof *b->index) != BONSAI_OK ||
        bn_grow((void **)&b->value, &b->value_room, need, sizeof *b->value) != BONSAI_OK)
        return false;
    for (int64_t i = 0; i <= w->f >> 12; i++) {
        for (uint64_t bits = k->words[i]; bits; bits &= bits - 1)
            take_word(b, k, w, v, i * 64 + __builtin_ctzll(bits), &self);
        k->words[i] = 0;
    }
    return true;
}

/* ---- one round ---- */

static bonsai_status start_round(sparse_round *r, const bn_wl_run *w, const int32_t *nodes,
                                 int64_t count)
{
    bonsai_status rc;
    *r = (sparse_round){.w = w, .nodes = nodes, .count = count,
                        .blocks = (count + BLOCK - 1) / BLOCK, .lanes = w->threads};
    BN_TRY(BN_NEW(&r->block, r->blocks));
    BN_TRY(BN_NEW(&r->length, count));
    BN_TRY(BN_NEW(&r->work, r->lanes));
    for (int64_t i = 0; i < r->lanes; i++) {
        BN_TRY(BN_NEW(&r->work[i].sum, w->f));
        BN_TRY(BN_NEW(&r->work[i].marks, (w->f >> 6) + 1));
        BN_TRY(BN_NEW(&r->work[i].words, (w->f >> 12) + 1));
    }
done:
    return rc;
}

static void free_blocks(sparse_round *r)
{
    for (int64_t b = 0; r->block && b < r->blocks; b++) {
        bn_free(r->block[b].index);
        bn_free(r->block[b].value);
    }
    bn_free(r->block);
    r->block = NULL;
}

static void end_round(sparse_round *r)
{
    free_blocks(r);
    for (int64_t i = 0; r->work && i < r->lanes; i++) {
        bn_free(r->work[i].sum);
        bn_free(r->work[i].marks);
        bn_free(r->work[i].words);
    }
    bn_free(r->work);
    bn_free(r->length);
}

static bool run_block(sparse_round *r, int64_t lane, int64_t b)
{
    int64_t end = (b + 1) * BLOCK < r->count ? (b + 1) * BLOCK : r->count;
    for (int64_t i = b * BLOCK; i < end; i++) {
        int64_t before = r->block[b].used;
        if (!sparse_row(&r->block[b], &r->work[lane], r->w, r->nodes ? r->nodes[i] : i))
            return false;
        r->length[i] = r->block[b].used - before;
    }
    return true;
}

/* A lane takes blocks while there are any before the last: rows differ too much in
 * length to be dealt out beforehand. */
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

static bonsai_status run_blocks(sparse_round *r)
{
    bonsai_status rc = BONSAI_OK;
    int64_t some = BLOCKS_A_TICK * r->lanes;
    for (int64_t first = 0; first < r->blocks; first += some) {
        BN_TRY(bn_wl_tick(r->w, 1, first, r->blocks));
        r->next = first;
#pragma omp parallel for num_threads(r->w->threads) schedule(static)
        for (int64_t lane = 0; lane < r->lanes; lane++)
            run_lane(r, lane, first + some < r->blocks ? first + some : r->blocks);
        if (r->failed) {
            rc = bn_fail(BONSAI_E_MEMORY, "out of memory: no room for sparse embeddings");
            goto done;
        }
    }
done:
    return rc;
}

/* The blocks' rows, one after the other; each block goes as soon as it is copied. */
static bonsai_status join_blocks(bn_wl_rows *out, sparse_round *r)
{
    bonsai_status rc;
    out->rows = r->count;
    BN_TRY(BN_BIG(&out->offsets, NULL, r->count + 1));
    for (int64_t i = 0; i < r->count; i++)
        out->offsets[i + 1] = out->offsets[i] + r->length[i];
    BN_TRY(BN_BIG(&out->index, NULL, out->offsets[r->count]));
    BN_TRY(BN_BIG(&out->value, NULL, out->offsets[r->count]));
#pragma omp parallel for num_threads(r->w->threads) schedule(static)
    for (int64_t b = 0; b < r->blocks; b++) {
        block *from = &r->block[b];
        int64_t to = out->offsets[b * BLOCK];
        if (from->used > 0) {
            memcpy(out->index + to, from->index, (size_t)from->used * sizeof *from->index);
            memcpy(out->value + to, from->value, (size_t)from->used * sizeof *from->value);
        }
        bn_free(from->index);
        bn_free(from->value);
        *from = (block){0};
    }
done:
    return rc;
}

bonsai_status bn_wl_sparse_step(bn_wl_run *w, const int32_t *nodes, int64_t count)
{
    bonsai_status rc;
    sparse_round r;
    BN_TRY(start_round(&r, w, nodes, count));
    BN_TRY(run_blocks(&r));
    bn_wl_rows_free(&w->x);         /* before the copy, so that there are never three */
    BN_TRY(join_blocks(&w->x, &r));
    w->done++;
done:
    end_round(&r);
    return rc;
}

/* ---- features ---- */

bonsai_status bn_wl_sparse_load(bn_wl_run *w)
{
    bonsai_status rc;
    bn_wl_rows *x = &w->x;
    int64_t room = w->g->view.section[BONSAI_FEATURE_INDICES].count;
    BN_TRY(BN_BIG(&x->offsets, NULL, w->n + 1));
    BN_TRY(BN_BIG(&x->index, NULL, room));
    BN_TRY(BN_BIG(&x->value, NULL, room));
    for (int64_t v = 0, at = 0; v < w->n; v++) {
        at += bn_row_get(x->index + at, x->value + at, w->g, v);
        x->offsets[v + 1] = at;
    }
    x->rows = w->n;
done:
    return rc;
}

bonsai_status bn_wl_sparse_pick(bn_wl_run *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_wl_rows picked = {.rows = w->count}, *x = &w->x;
    if (!w->nodes)
        return rc;
    BN_TRY(BN_BIG(&picked.offsets, NULL, w->count + 1));
    for (int64_t i = 0; i < w->count; i++)
        picked.offsets[i + 1] = picked.offsets[i] + x->offsets[w->nodes[i] + 1] -
                                x->offsets[w->nodes[i]];
    BN_TRY(BN_BIG(&picked.index, NULL, picked.offsets[w->count]));
    BN_TRY(BN_BIG(&picked.value, NULL, picked.offsets[w->count]));
    for (int64_t i = 0; i < w->count; i++) {
        int64_t from = x->offsets[w->nodes[i]], to = picked.offsets[i];
        size_t len = (size_t)(picked.offsets[i + 1] - to);
        memcpy(picked.index + to, x->index + from, len * sizeof *x->index);
        memcpy(picked.value + to, x->value + from, len * sizeof *x->value);
    }
    bn_wl_rows_free(x);
    *x = picked;
    memset(&picked, 0, sizeof picked);
done:
    bn_wl_rows_free(&picked);
    return rc;
}
