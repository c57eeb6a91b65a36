/* blend.c -- mixtures of a node's own row, the mean of its neighbours and its averaged row.
 *
 * Averages describe a class well if neighbours agree; GraphSAGE and GIN also use a node's own row.
 * A mixture keeps some of each in one row.
 *
 * SPDX-License-Identifier: MIT */
#include "embed.h"

#include <string.h>

typedef struct {                /* reads the parts of a sparse row together */
    const bn_embedding *part[BN_VIEWS];
    double  share[BN_VIEWS];
    int64_t at[BN_VIEWS], end[BN_VIEWS];
    int     count;
} reading;

static reading start(const bn_embedding *const part[BN_VIEWS], const bn_blend *b)
{
    reading r = {.count = 0};
    for (int v = 0; v < BN_VIEWS; v++)
        if (b->share[v] != 0) {
            r.part[r.count] = part[v];
            r.share[r.count++] = b->share[v];
        }
    return r;
}

/* Returns the next column of a sparse row, or -1, and its sum. */
static int32_t next(reading *r, double *sum)
{
    int32_t least = -1;
    *sum = 0;
    for (int p = 0; p < r->count; p++) {
        int32_t j = r->at[p] < r->end[p] ? r->part[p]->index[r->at[p]] : -1;
        least = j >= 0 && (least < 0 || j < least) ? j : least;
    }
    for (int p = 0; least >= 0 && p < r->count; p++)
        if (r->at[p] < r->end[p] && r->part[p]->index[r->at[p]] == least)
            *sum += r->share[p] * (double)r->part[p]->value[r->at[p]++];
    return least;
}

/* Writes the entries of a sparse row and returns their number; to NULL: only counts them. */
static int64_t mix_sparse(bn_embedding *to, reading *r, int64_t row, int64_t at)
{
    int64_t count = 0;
    double sum;
    for (int p = 0; p < r->count; p++) {
        r->at[p] = r->part[p]->offsets[row];
        r->end[p] = r->part[p]->offsets[row + 1];
    }
    for (int32_t j = next(r, &sum); j >= 0; j = next(r, &sum)) {
        if ((float)sum == 0.0f)
            continue;
        if (to) {
            to->index[at + count] = j;
            to->value[at + count] = (float)sum;
        }
        count++;
    }
    return count;
}

static bonsai_status blend_sparse(bn_embedding *out, const reading *from, const bn_place *at)
{
    bonsai_status rc;
    int threads = bn_threads(at->threads);
    double work = 0;
    for (int p = 0; p < from->count; p++)
        work += 4 * bn_numbers(from->part[p], out->rows);
    BN_TRY(BN_BIG(&out->offsets, at->memory, out->rows + 1));
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t i = 0; i < out->rows; i++) {
        reading r = *from;
        out->offsets[i + 1] = mix_sparse(NULL, &r, i, 0);
    }
    for (int64_t i = 0; i < out->rows; i++)
        out->offsets[i + 1] += out->offsets[i];
    BN_TRY(BN_BIG(&out->index, at->memory, out->offsets[out->rows]));
    BN_TRY(BN_BIG(&out->value, at->memory, out->offsets[out->rows]));
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t i = 0; i < out->rows; i++) {
        reading r = *from;
        mix_sparse(out, &r, i, out->offsets[i]);
    }
done:
    return rc;
}

static void add_row(float *to, const bn_embedding *e, int64_t row, float share)
{
    for (int64_t j = 0; e->dense && j < e->f; j++)
        to[j] += share * e->dense[row * e->f + j];
    for (int64_t n = e->dense ? 0 : e->offsets[row]; !e->dense && n < e->offsets[row + 1]; n++)
        to[e->index[n]] += share * e->value[n];
}

static bonsai_status blend_dense(bn_embedding *out, const reading *from, const bn_place *at)
{
    bonsai_status rc = BN_BIG(&out->dense, at->memory, out->rows * out->f);
    if (rc != BONSAI_OK)
        return rc;
    const double work = 4.0 * (double)out->rows * (double)out->f;
#pragma omp parallel for num_threads(bn_team(bn_threads(at->threads), work)) schedule(static)
    for (int64_t i = 0; i < out->rows; i++)
        for (int p = 0; p < from->count; p++)
            add_row(out->dense + i * out->f, from->part[p], i, (float)from->share[p]);
    return rc;
}

bonsai_status bn_blend_rows(bn_embedding *out, const bn_embedding *const part[BN_VIEWS],
                            const bn_blend *b, const bn_place *at)
{
    bonsai_status rc;
    const reading from = start(part, b);
    bool dense = false;
    at = bn_here(at);
    memset(out, 0, sizeof *out);
    for (int p = 0; p < from.count; p++)
        dense |= from.part[p]->dense != NULL;
    out->rows = from.part[0]->rows;
    out->f = from.part[0]->f;
    rc = dense ? blend_dense(out, &from, at) : blend_sparse(out, &from, at);
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

bonsai_status bn_embed_view(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                            int view, int layers, const bn_place *at)
{
    return bn_embed(out, g, nodes, view == BN_AROUND ? BN_RULE_AROUND : BN_RULE_MEAN,
                    view == BN_OWN ? 0 : view == BN_AROUND ? 1 : layers, at);
}

bonsai_status bn_embed_blend(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                             const bn_blend *b, int layers, const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    bn_embedding view[BN_VIEWS] = {{0}};
    const bn_embedding *part[BN_VIEWS];
    for (int v = 0; v < BN_VIEWS; v++) {
        part[v] = &view[v];
        if (b->share[v] == 1)
            return bn_embed_view(out, g, nodes, v, layers, at);
    }
    for (int v = 0; v < BN_VIEWS; v++)
        if (b->share[v] != 0)
            BN_TRY(bn_embed_view(&view[v], g, nodes, v, layers, at));
    BN_TRY(bn_blend_rows(out, part, b, at));
done:
    for (int v = 0; v < BN_VIEWS; v++)
        bn_embedding_free(&view[v]);
    return rc;
}
