/* judge.c -- embeddings of the training nodes and of those that candidates are judged on.
 *
 * One pass over the graph for each view computes both.  They are then dense or sparse by their
 * entries, not by the layout of the features, so that prototypes do not depend on the layout.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "embed/embed.h"
#include "judge.h"
#include "prototypes.h"

enum { SHARE = 5 };

/* ---- which nodes ---- */

static bool may_judge(const bonsai_graph *g, int64_t v)
{
    return bn_part(g, v) == BONSAI_PART_VAL && bn_label(g, v) >= 0;
}

/* Draws up to BN_MOST_JUDGED labelled validation nodes of the graph. */
static bonsai_status draw_validation(int32_t **out, int64_t *count, const bn_job *job)
{
    bonsai_status rc;
    const bonsai_graph *g = job->g;
    uint8_t *taken = NULL;
    int64_t all = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        all += may_judge(g, v);
    *count = all < BN_MOST_JUDGED ? all : BN_MOST_JUDGED;
    BN_TRY(BN_BIG(&taken, job->at.memory, all));
    BN_TRY(BN_NEW(out, *count));
    BN_TRY(bn_rng_pick(taken, all, *count, job->o->seed));
    for (int64_t v = 0, i = 0, at = 0; v < g->view.nodes; v++)
        if (may_judge(g, v) && taken[i++])
            (*out)[at++] = (int32_t)v;
done:
    bn_big_free(taken);
    return rc;
}

/* Holds out a fifth of the training nodes, or none if they are fewer than five. */
static bonsai_status hold_out(bn_job *job)
{
    bonsai_status rc;
    int64_t count = job->trees / SHARE;
    if (count == 0)
        return BONSAI_OK;
    count = count < BN_MOST_JUDGED ? count : BN_MOST_JUDGED;
    BN_TRY(BN_BIG(&job->held, job->at.memory, job->trees));
    BN_TRY(bn_rng_pick(job->held, job->trees, count, job->o->seed));
done:
    return rc;
}

/* ---- their rows ---- */

static int64_t all_lengths(const bn_embedding *e, int threads)
{
    int64_t sum = 0;
    const double work = bn_numbers(e, e->rows);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static) reduction(+ : sum)
    for (int64_t r = 0; r < e->rows; r++)
        sum += bn_embedding_length(e, r);
    return sum;
}

/* Makes the rows dense or sparse on all ranks alike, by the entries of all ranks together. */
static bonsai_status choose_form(bn_job *job, bn_embedding *e)
{
    bonsai_status rc;
    bn_world *w = job->at.world;
    bn_embedding other = {0};
    int64_t sums[2] = {all_lengths(e, job->at.threads), e->rows * e->f};
    BN_TRY(bn_sum_int(w, sums, 2));
    bool dense = bn_is_full(sums[0], sums[1]);
    rc = BONSAI_OK;
    if (dense != (e->dense != NULL))
        rc = bn_embedding_take(&other, e, NULL, e->rows, dense, &job->at);
    BN_TRY(bn_agree(w, rc));
    if (dense != (e->dense != NULL)) {
        other.columns = e->columns;
        bn_embedding_free(e);
        *e = other;
        memset(&other, 0, sizeof other);
    }
done:
    bn_embedding_free(&other);
    return rc;
}

/* Removes the rows with judges[r] in place, since a second copy could take most of the memory. */
static void close_up(bn_embedding *e, const uint8_t *judges)
{
    int64_t kept = 0, at = 0;
    for (int64_t r = 0; r < e->rows; r++) {
        int64_t from = e->dense ? r * e->f : e->offsets[r];
        int64_t count = e->dense ? e->f : e->offsets[r + 1] - from;
        if (judges[r])
            continue;
        if (e->dense && at != from)
            memmove(e->dense + at, e->dense + from, (size_t)count * sizeof *e->dense);
        if (!e->dense) {
            memmove(e->index + at, e->index + from, (size_t)count * sizeof *e->index);
            memmove(e->value + at, e->value + from, (size_t)count * sizeof *e->value);
            e->offsets[kept] = at;
        }
        at += count;
        kept++;
    }
    if (!e->dense)
        e->offsets[kept] = at;
    e->rows = kept;
}

/* ---- all of it ---- */

typedef struct {                /* trees and judged nodes, in the order of nodes */
    int32_t *judged;            /* validation nodes that are judged, on all ranks, ascending */
    int64_t  count;
    int64_t *number;            /* rows that judge, of all ranks, among all that are embedded */
    int64_t  numbers;
    int64_t *first;             /* ranks+1: rows of each rank */
    int32_t *node;              /* own rows */
    uint8_t *judges;            /* own rows: 1: a validation node */
} embedded;

static void embedded_free(embedded *r)
{
    bn_free(r->judged);
    bn_free(r->number);
    bn_free(r->first);
    bn_big_free(r->node);
    bn_big_free(r->judges);
}

static int64_t own_trees(const bn_job *job)
{
    return job->tree_first ? job->tree_first[bn_rank(job->at.world) + 1] - bn_job_first(job)
                           : job->trees;
}

/* Returns the first node of a rank. */
static int64_t first_node(const bn_job *job, int rank)
{
    return job->at.first ? job->at.first[rank] : rank == 0 ? 0 : job->g->view.nodes;
}

/* Numbers the judged rows among all embedded rows, which follow the order of nodes, and finds the
 * first row of each rank.  Validation nodes are never trees. */
static void number_rows(embedded *r, const bn_job *job)
{
    int64_t j = 0;
    int ranks = bn_ranks(job->at.world);
    for (int64_t t = 0; t <= job->trees; t++) {
        for (; j < r->count && (t == job->trees || r->judged[j] < job->train[t]); j++)
            r->number[r->numbers++] = t + j;
        if (t < job->trees && job->held && job->held[t])
            r->number[r->numbers++] = t;
    }
    j = 0;
    for (int k = 0; k <= ranks; k++) {
        while (j < r->count && r->judged[j] < first_node(job, k))
            j++;
        r->first[k] = j + (job->tree_first ? job->tree_first[k] : k == 0 ? 0 : job->trees);
    }
}

static void list_nodes(embedded *r, const bn_job *job)
{
    int rank = bn_rank(job->at.world);
    int64_t t = bn_job_first(job), last = t + own_trees(job), rows = 0;
    int64_t j = r->first[rank] - t, end = r->first[rank + 1] - last;
    while (t < last || j < end) {
        bool judges = t == last || (j < end && r->judged[j] < job->train[t]);
        r->judges[rows] = judges;
        r->node[rows++] = judges ? r->judged[j++] : job->train[t++];
    }
}

static bonsai_status list_embedded(embedded *r, bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    bn_memory *m = job->at.memory;
    int rank = bn_rank(job->at.world);
    if (!job->o->no_validation && !job->o->inductive)
        BN_TRY(draw_validation(&r->judged, &r->count, job));
    if (r->count == 0)
        BN_TRY(hold_out(job));
    BN_TRY(BN_NEW(&r->number, BN_MOST_JUDGED));
    BN_TRY(BN_NEW(&r->first, bn_ranks(job->at.world) + 1));
    number_rows(r, job);
    BN_TRY(BN_BIG(&r->node, m, r->first[rank + 1] - r->first[rank]));
    BN_TRY(BN_BIG(&r->judges, m, r->first[rank + 1] - r->first[rank]));
    list_nodes(r, job);
    BN_TRY(BN_NEW(&job->judge_label, r->numbers));
    for (int64_t i = 0; i < r->numbers; i++)
        job->judge_label[i] = bn_label(job->g, job->held ? job->train[r->number[i]] : r->judged[i]);
done:
    return rc;
}

/* Computes one view of all embedded nodes: own gets the trees' rows, and judge on every rank the
 * judged ones. */
static bonsai_status make_view(bn_embedding *own, bn_embedding *judge, bn_job *job,
                               const embedded *r, int view)
{
    bonsai_status rc;
    bn_world *w = job->at.world;
    bn_embedding e = {0};
    const bn_nodes nodes = {r->node, r->first[bn_rank(w) + 1] - r->first[bn_rank(w)]};
    const bn_sharded all = {.e = &e, .first = r->first, .at = &job->at};
    BN_TRY(bn_embed_view(&e, job->g, &nodes, view, job->o->layers, &job->at));
    BN_TRY(choose_form(job, &e));
    BN_TRY(bn_rows_gather(judge, &all, r->number, r->numbers));
    close_up(&e, r->judges);
    *own = e;
    memset(&e, 0, sizeof e);
done:
    bn_embedding_free(&e);
    return rc;
}

bonsai_status bn_judge_embed(bn_job *job)
{
    bonsai_status rc;
    embedded r = {0};
    BN_TRY(bn_agree(job->at.world, list_embedded(&r, job)));
    BN_TRY(make_view(&job->own, &job->judge.own, job, &r, BN_OWN));
    BN_TRY(make_view(&job->around, &job->judge.around, job, &r, BN_AROUND));
    BN_TRY(make_view(&job->far, &job->judge.far, job, &r, BN_FAR));
    bn_enter(&job->at, BN_STAGE_PROBE);
    if (r.numbers > 0)
        BN_TRY(bn_agree(job->at.world, bn_probe_new(&job->probe, job)));
done:
    embedded_free(&r);
    return rc;
}

void bn_views_free(bn_views *v)
{
    bn_embedding_free(&v->own);
    bn_embedding_free(&v->around);
    bn_embedding_free(&v->far);
}

void bn_rows_forget(bn_job *job)
{
    bn_embedding_free(&job->own);
    bn_embedding_free(&job->around);
    bn_embedding_free(&job->far);
}

void bn_judge_forget(bn_job *job)
{
    bn_rows_forget(job);
    bn_views_free(&job->judge);
    bn_probe_free(job->probe);
    job->probe = NULL;
    bn_free(job->judge_label);
    bn_big_free(job->held);
    job->judge_label = NULL;
    job->held = NULL;
}

/* ---- views ---- */

static int64_t put_row(int32_t *index, float *value, const bn_embedding *e, int64_t row,
                       int64_t plus)
{
    int64_t count = 0;
    for (int64_t j = 0; e->dense && j < e->f; j++)
        if (e->dense[row * e->f + j] != 0.0f) {
            index[count] = (int32_t)(plus + j);
            value[count++] = e->dense[row * e->f + j];
        }
    for (int64_t i = e->dense ? 0 : e->offsets[row]; !e->dense && i < e->offsets[row + 1]; i++) {
        index[count] = (int32_t)(plus + e->index[i]);
        value[count++] = e->value[i];
    }
    return count;
}

bonsai_status bn_views_join(bn_embedding *out, const bn_views *v)
{
    bonsai_status rc;
    int64_t rows = v->own.rows, f = v->own.f, entries = 0;
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < rows; i++)
        entries += bn_embedding_length(&v->own, i) + bn_embedding_length(&v->around, i);
    out->f = 2 * f;
    if (bn_is_full(entries, rows * out->f)) {
        BN_TRY(BN_BIG(&out->dense, NULL, rows * out->f));
        for (int64_t i = 0; i < rows; i++) {
            bn_embedding_row(out->dense + i * out->f, &v->own, i);
            bn_embedding_row(out->dense + i * out->f + f, &v->around, i);
        }
    } else {
        BN_TRY(BN_BIG(&out->offsets, NULL, rows + 1));
        BN_TRY(BN_BIG(&out->index, NULL, entries));
        BN_TRY(BN_BIG(&out->value, NULL, entries));
        for (int64_t i = 0, at = 0; i < rows; i++) {
            at += put_row(out->index + at, out->value + at, &v->own, i, 0);
            at += put_row(out->index + at, out->value + at, &v->around, i, f);
            out->offsets[i + 1] = at;
        }
    }
    out->rows = rows;
done:
    if (rc != BONSAI_OK)
        bn_embedding_free(out);
    return rc;
}

void bn_embedding_drop(bn_embedding *e, int64_t columns)
{
    const int64_t f = e->f - columns;
    for (int64_t i = 0; i < e->rows && columns > 0; i++)
        memmove(e->dense + i * f, e->dense + i * e->f + columns, (size_t)f * sizeof *e->dense);
    e->f = f;
}
