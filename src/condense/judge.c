/* judge.c -- embeddings of the training nodes and of those that candidates are judged on.
 *
 * One pass over the graph makes both.  They are then dense or sparse by what they hold, not by
 * how the features came, so that the same graph gives the same prototypes in any layout.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "judge.h"

enum { MOST_JUDGED = 5000, SHARE = 5, SPARSE_SHARE = 4 };

/* ---- which nodes ---- */

/* Up to so many labelled validation nodes of the graph. */
static bonsai_status draw_validation(int32_t **out, int64_t *count, const bn_job *job)
{
    bonsai_status rc;
    const bonsai_graph *g = job->g;
    uint8_t *taken = NULL;
    int32_t *node = NULL;
    int64_t all = 0;
    BN_TRY(BN_NEW(&node, g->view.nodes));
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_VAL && bn_label(g, v) >= 0)
            node[all++] = (int32_t)v;
    *count = all < MOST_JUDGED ? all : MOST_JUDGED;
    BN_TRY(BN_NEW(&taken, all));
    BN_TRY(BN_NEW(out, *count));
    BN_TRY(bn_rng_pick(taken, all, *count, job->o->seed));
    for (int64_t i = 0, at = 0; i < all; i++)
        if (taken[i])
            (*out)[at++] = node[i];
done:
    bn_free(node);
    bn_free(taken);
    return rc;
}

/* A fifth of the training nodes; none where there are fewer than five. */
static bonsai_status hold_out(bn_job *job)
{
    bonsai_status rc;
    int64_t count = job->trees / SHARE;
    if (count == 0)
        return BONSAI_OK;
    count = count < MOST_JUDGED ? count : MOST_JUDGED;
    BN_TRY(BN_NEW(&job->held, job->trees));
    BN_TRY(bn_rng_pick(job->held, job->trees, count, job->o->seed));
done:
    return rc;
}

/* ---- their rows ---- */

static int64_t row_length(const bn_embedding *e, int64_t r)
{
    int64_t count = 0;
    if (!e->dense)
        return e->offsets[r + 1] - e->offsets[r];
    for (int64_t j = 0; j < e->f; j++)
        count += e->dense[r * e->f + j] != 0.0f;
    return count;
}

static int64_t all_lengths(const bn_embedding *e, int threads)
{
    int64_t sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
    for (int64_t r = 0; r < e->rows; r++)
        sum += row_length(e, r);
    return sum;
}

static void to_sparse(int32_t *index, float *value, const bn_embedding *e, int64_t r)
{
    int64_t at = 0;
    for (int64_t j = 0; e->dense && j < e->f; j++)
        if (e->dense[r * e->f + j] != 0.0f) {
            index[at] = (int32_t)j;
            value[at++] = e->dense[r * e->f + j];
        }
    for (int64_t i = e->dense ? 0 : e->offsets[r]; !e->dense && i < e->offsets[r + 1]; i++) {
        index[at] = e->index[i];
        value[at++] = e->value[i];
    }
}

bonsai_status bn_embedding_take(bn_embedding *out, const bn_embedding *e, const int64_t *row,
                                int64_t count, bool dense, int threads)
{
    bonsai_status rc;
    memset(out, 0, sizeof *out);
    out->rows = count;
    out->f = e->f;
    if (dense)
        BN_TRY(BN_BIG(&out->dense, NULL, count * e->f));
    else {
        BN_TRY(BN_BIG(&out->offsets, NULL, count + 1));
        for (int64_t i = 0; i < count; i++)
            out->offsets[i + 1] = out->offsets[i] + row_length(e, row[i]);
        BN_TRY(BN_BIG(&out->index, NULL, out->offsets[count]));
        BN_TRY(BN_BIG(&out->value, NULL, out->offsets[count]));
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < count; i++) {
        if (dense)
            bn_embedding_row(out->dense + i * e->f, e, row[i]);
        else
            to_sparse(out->index + out->offsets[i], out->value + out->offsets[i], e, row[i]);
    }
done:
    return rc;
}

/* Training rows first in e, then those of the judged nodes; or those that are held out.  Where e
 * is as it should be the training rows stay where they are: they may be most of the memory. */
static bonsai_status share_rows(bn_job *job, bn_embedding *e, const int32_t *node)
{
    bonsai_status rc;
    int64_t count = e->rows - job->trees, *row = NULL;
    bool dense = all_lengths(e, job->threads) > e->rows * e->f / SPARSE_SHARE;
    BN_TRY(BN_NEW(&row, e->rows));
    for (int64_t i = 0; i < count; i++)
        row[i] = job->trees + i;
    for (int64_t t = 0; job->held && t < job->trees; t++)
        if (job->held[t])
            row[count++] = t;
    BN_TRY(BN_NEW(&job->judge_label, count));
    for (int64_t i = 0; i < count; i++)
        job->judge_label[i] = bn_label(job->g, job->held ? job->train[row[i]] : node[i]);
    BN_TRY(bn_embedding_take(&job->judge, e, row, count, dense, job->threads));
    if (dense == (e->dense != NULL)) {
        job->x = *e;
        job->x.rows = job->trees;
        memset(e, 0, sizeof *e);
        goto done;
    }
    for (int64_t t = 0; t < job->trees; t++)
        row[t] = t;
    BN_TRY(bn_embedding_take(&job->x, e, row, job->trees, dense, job->threads));
done:
    bn_free(row);
    return rc;
}

/* ---- whether neighbours agree ---- */

/* Where training nodes have the class of their training neighbours hardly more often than by
 * chance, averaging over neighbours mixes classes up, and a self loop would teach GraphSAGE to
 * trust them: prototypes then are means of features, without an edge. */
static bonsai_status find_agreement(bn_job *job)
{
    enum { LEAST_ENTRIES = 100 };
    static const double hardly = 1.1;
    bonsai_status rc;
    const bonsai_graph *g = job->g;
    int32_t *label = NULL;
    int64_t *ends = NULL, entries = 0, same = 0;
    double chance = 0;
    BN_TRY(BN_NEW(&label, g->view.nodes));
    BN_TRY(BN_NEW(&ends, g->view.classes));
    memset(label, 0xff, (size_t)g->view.nodes * sizeof *label);
    for (int64_t t = 0; t < job->trees; t++)
        label[job->train[t]] = bn_label(g, job->train[t]);
    for (int64_t t = 0; t < job->trees; t++) {
        int64_t v = job->train[t];
        for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++) {
            int32_t u = bn_neighbors(g)[e];
            if (label[u] < 0 || u == v)
                continue;
            entries++;
            same += label[u] == label[v];
            ends[label[v]]++;
        }
    }
    for (int64_t c = 0; c < g->view.classes && entries > 0; c++)
        chance += (double)ends[c] / (double)entries * (double)ends[c] / (double)entries;
    job->apart = entries >= LEAST_ENTRIES && (double)same < hardly * chance * (double)entries;
    job->depth = job->apart ? 0 : job->o->layers;
done:
    bn_free(label);
    bn_free(ends);
    return rc;
}

bonsai_status bn_judge_embed(bn_job *job)
{
    bonsai_status rc;
    int32_t *judged = NULL, *node = NULL;
    int64_t count = 0;
    bn_embedding e = {0};
    if (!job->o->no_validation && !job->o->inductive)
        BN_TRY(draw_validation(&judged, &count, job));
    if (count == 0)
        BN_TRY(hold_out(job));
    BN_TRY(BN_NEW(&node, job->trees + count));
    memcpy(node, job->train, (size_t)job->trees * sizeof *node);
    if (count > 0)
        memcpy(node + job->trees, judged, (size_t)count * sizeof *node);
    BN_TRY(find_agreement(job));
    BN_TRY(bn_average(&e, job->g, node, job->trees + count, job->depth, job->threads,
                      job->progress));
    BN_TRY(share_rows(job, &e, judged));
done:
    bn_embedding_free(&e);
    bn_free(judged);
    bn_free(node);
    return rc;
}

void bn_judge_forget(bn_job *job)
{
    bn_embedding_free(&job->x);
    bn_embedding_free(&job->judge);
    bn_free(job->judge_label);
    bn_free(job->held);
    job->judge_label = NULL;
    job->held = NULL;
}
