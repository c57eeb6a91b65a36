/* gather.c -- gathers some rows of a sharded embedding on all ranks.
 *
 * The rows are sent in blocks: each rank packs its rows of a block, all gather them, and each puts
 * them in place.  Besides the result only two blocks exist, in whatever order, and however often,
 * rows are requested.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "embed.h"

enum { BLOCK_BYTES = 1 << 24 };

typedef struct { int32_t index; float value; } entry;

typedef struct {
    bn_embedding *out;
    const bn_embedding *e;
    const int64_t *first;
    const int64_t *rows;
    int     rank, ranks;
    char   *mine, *all;         /* a block as packed here, and as received */
    int64_t *bytes;             /* ranks: the bytes of each rank in a block */
    int64_t *at;                /* ranks: the position of its next row there */
} gathering;

static bool has_row(const gathering *g, int r, int64_t row)
{
    return row >= g->first[r] && row < g->first[r + 1];
}

static int owner(const gathering *g, int64_t row)
{
    int low = 0, high = g->ranks - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (row < g->first[middle + 1])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int64_t row_bytes(const gathering *g, int64_t i)
{
    const bn_embedding *o = g->out;
    return o->dense ? o->f * (int64_t)sizeof(float)
                    : (o->offsets[i + 1] - o->offsets[i]) * (int64_t)sizeof(entry);
}

/* ---- one row ---- */

static void pack(char *to, const bn_embedding *e, int64_t row, bool dense)
{
    if (dense) {
        bn_embedding_row((float *)(void *)to, e, row);
        return;
    }
    for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++, to += sizeof(entry))
        memcpy(to, &(entry){e->index[i], e->value[i]}, sizeof(entry));
}

static void unpack(bn_embedding *out, int64_t i, const char *from)
{
    if (out->dense) {
        memcpy(out->dense + i * out->f, from, (size_t)out->f * sizeof(float));
        return;
    }
    for (int64_t j = out->offsets[i]; j < out->offsets[i + 1]; j++, from += sizeof(entry)) {
        entry x;
        memcpy(&x, from, sizeof x);
        out->index[j] = x.index;
        out->value[j] = x.value;
    }
}

static void copy_row(bn_embedding *out, int64_t i, const bn_embedding *e, int64_t row)
{
    if (out->dense) {
        bn_embedding_row(out->dense + i * out->f, e, row);
        return;
    }
    size_t count = (size_t)(e->offsets[row + 1] - e->offsets[row]);
    memcpy(out->index + out->offsets[i], e->index + e->offsets[row], count * sizeof *out->index);
    memcpy(out->value + out->offsets[i], e->value + e->offsets[row], count * sizeof *out->value);
}

/* ---- a block of rows ---- */

/* Returns the end of the rows from i on that fit into a block, which are at least one. */
static int64_t block_end(const gathering *g, int64_t i, int64_t count)
{
    int64_t bytes = 0;
    do
        bytes += row_bytes(g, i++);
    while (i < count && bytes + row_bytes(g, i) <= BLOCK_BYTES);
    return i;
}

static int64_t largest_block(const gathering *g, int64_t count)
{
    int64_t most = 0;
    for (int64_t i = 0; i < count;) {
        int64_t bytes = 0, end = block_end(g, i, count);
        for (; i < end; i++)
            bytes += row_bytes(g, i);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static bonsai_status gather_block(gathering *g, bn_world *w, int64_t begin, int64_t end)
{
    int64_t filled = 0;
    memset(g->bytes, 0, (size_t)g->ranks * sizeof *g->bytes);
    for (int64_t i = begin; i < end; i++) {
        g->bytes[owner(g, g->rows[i])] += row_bytes(g, i);
        if (!has_row(g, g->rank, g->rows[i]))
            continue;
        pack(g->mine + filled, g->e, g->rows[i] - g->first[g->rank], g->out->dense);
        filled += row_bytes(g, i);
    }
    bonsai_status rc = bn_gather(w, g->all, g->bytes, g->mine);
    if (rc != BONSAI_OK)
        return rc;
    for (int r = 0; r < g->ranks; r++)
        g->at[r] = r == 0 ? 0 : g->at[r - 1] + g->bytes[r - 1];
    for (int64_t i = begin; i < end; i++) {
        int64_t *at = &g->at[owner(g, g->rows[i])];
        unpack(g->out, i, g->all + *at);
        *at += row_bytes(g, i);
    }
    return BONSAI_OK;
}

static bonsai_status gather_blocks(gathering *g, bn_world *w, int64_t count)
{
    bonsai_status rc;
    int64_t room = largest_block(g, count);
    rc = BN_NEW(&g->mine, room);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&g->all, room);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&g->bytes, g->ranks);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&g->at, g->ranks);
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0, end; i < count; i = end) {
        end = block_end(g, i, count);
        BN_TRY(gather_block(g, w, i, end));
    }
done:
    bn_free(g->mine);
    bn_free(g->all);
    bn_free(g->bytes);
    bn_free(g->at);
    return rc;
}

/* ---- all ---- */

bonsai_status bn_rows_form(bool *dense, int64_t *f, const bn_embedding *e, bn_world *w)
{
    double say[3] = {e->rows > 0 && e->dense, e->rows > 0 && !e->dense, (double)e->f};
    bonsai_status rc = bn_max(w, say, 3);
    *dense = say[0] > 0 || (say[1] == 0 && e->dense);
    *f = (int64_t)say[2];
    return rc;
}

static bonsai_status sparse_room(gathering *g, bn_world *w, int64_t count, bn_memory *m)
{
    bonsai_status rc;
    bn_embedding *out = g->out;
    BN_TRY(bn_agree(w, BN_BIG(&out->offsets, m, count + 1)));
    for (int64_t i = 0; i < count; i++)
        if (has_row(g, g->rank, g->rows[i])) {
            int64_t row = g->rows[i] - g->first[g->rank];
            out->offsets[i + 1] = g->e->offsets[row + 1] - g->e->offsets[row];
        }
    BN_TRY(bn_sum_int(w, out->offsets, count + 1));
    for (int64_t i = 0; i < count; i++)
        out->offsets[i + 1] += out->offsets[i];
    rc = BN_BIG(&out->index, m, out->offsets[count]);
    if (rc == BONSAI_OK)
        rc = BN_BIG(&out->value, m, out->offsets[count]);
    BN_TRY(bn_agree(w, rc));
done:
    return rc;
}

bonsai_status bn_rows_gather(bn_embedding *out, const bn_sharded *s, const int64_t *rows,
                             int64_t count)
{
    bonsai_status rc;
    bool dense;
    const bn_embedding *e = s->e;
    bn_world *w = s->at->world;
    bn_memory *m = s->at->memory;
    const int64_t alone[2] = {0, e->rows};
    gathering g = {.out = out, .e = e, .first = bn_ranks(w) > 1 ? s->first : alone, .rows = rows,
                   .rank = bn_rank(w), .ranks = bn_ranks(w)};
    memset(out, 0, sizeof *out);
    BN_TRY(bn_rows_form(&dense, &out->f, e, w));
    out->rows = count;
    if (dense)
        BN_TRY(bn_agree(w, BN_BIG(&out->dense, m, count * out->f)));
    else
        BN_TRY(sparse_room(&g, w, count, m));
    if (g.ranks == 1)
        for (int64_t i = 0; i < count; i++)
            copy_row(out, i, e, rows[i]);
    else
        BN_TRY(gather_blocks(&g, w, count));
done:
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}
