/* origins.c -- the node that a prototype is most like: its member whose row, made as the rows
 * of the prototypes were, is nearest to the prototype's row as it is stored.
 *
 * The stored row is what a network learns from, and all that a file tells of a prototype: whoever
 * has the full graph can measure again (record/nearest.c does).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "candidate.h"

enum { CHUNK = 1 << 14, BLENDED = 1 << 8 };     /* rows measured at a time */

typedef struct {
    int64_t *out;               /* count: the rank's own row, or -1 */
    double  *best;              /* count: its squared distance */
    const bn_clusters *c;
    const bn_source *s;
    const bn_blend *blend;
    const bn_embedding *to;     /* count rows, dense or sparse as blended ones are */
    float   *room;              /* CHUNK */
    int      threads;
} search;

/* Returns the view that a blend is, or -1 if it mixes several. */
static int only_view(const bn_blend *b)
{
    for (int v = 0; v < BN_VIEWS; v++)
        if (b->share[v] == 1)
            return v;
    return -1;
}

/* Blends rows begin .. end-1 of the source. */
static bonsai_status blend(bn_embedding *out, const search *q, int64_t begin, int64_t end)
{
    bonsai_status rc = BONSAI_OK;
    bn_embedding some[BN_VIEWS] = {{0}};
    const bn_embedding *part[BN_VIEWS];
    const bn_place at = {.threads = q->threads};
    int64_t row[BLENDED];
    for (int64_t r = begin; r < end; r++)
        row[r - begin] = r;
    for (int v = 0; v < BN_VIEWS; v++) {
        const bn_embedding *e = q->s->view[v]->e;
        part[v] = &some[v];
        if (q->blend->share[v] != 0)
            BN_TRY(bn_embedding_take(&some[v], e, row, end - begin, e->dense != NULL, &at));
    }
    BN_TRY(bn_blend_rows(out, part, q->blend, &at));
done:
    for (int v = 0; v < BN_VIEWS; v++)
        bn_embedding_free(&some[v]);
    return rc;
}

static void keep_nearer(search *q, int64_t k, int64_t row, double distance)
{
    if (!(distance < q->best[k] || q->out[k] < 0))
        return;
    q->best[k] = distance;
    q->out[k] = row;
}

/* Measures every member from its prototype; row `at` of x is row begin of the source. */
static void measure_members(search *q, const bn_embedding *x, int64_t at, int64_t begin,
                            int64_t end)
{
    const int32_t *cluster = q->c->cluster;
#pragma omp parallel for num_threads(bn_team(q->threads, 4 * bn_numbers(x, end - begin))) \
    schedule(static)
    for (int64_t r = begin; r < end; r++)
        if (cluster[r] >= 0)
            q->room[r - begin] = bn_rows_dist2(x, at + r - begin, q->to, cluster[r]);
    for (int64_t r = begin; r < end; r++)
        if (cluster[r] >= 0)
            keep_nearer(q, cluster[r], r, (double)q->room[r - begin]);
}

/* Measures training nodes from all prototypes of their class, where labels are guesses. */
static void measure_known(search *q, const bn_embedding *x, int64_t at, int64_t begin, int64_t end)
{
    for (int64_t r = begin; r < end; r++)
        for (int64_t k = 0; q->s->known[r] && k < q->c->count; k++)
            if (q->c->label[k] == q->s->label[r])
                keep_nearer(q, k, r, (double)bn_rows_dist2(x, at + r - begin, q->to, k));
}

static bonsai_status measure(search *q)
{
    bonsai_status rc = BONSAI_OK;
    const int view = only_view(q->blend);
    const int64_t rows = q->s->view[BN_FAR]->e->rows, step = view < 0 ? BLENDED : CHUNK;
    bn_embedding some = {0};
    for (int64_t begin = 0; begin < rows; begin += step) {
        const int64_t end = bn_least(begin + step, rows);
        const bn_embedding *x = view < 0 ? &some : q->s->view[view]->e;
        if (view < 0)
            BN_TRY(blend(&some, q, begin, end));
        (q->s->known ? measure_known : measure_members)(q, x, view < 0 ? 0 : begin, begin, end);
        bn_embedding_free(&some);
    }
done:
    return rc;
}

/* Replaces the rank's nearest rows by the nearest of all ranks, the first of equals. */
static bonsai_status agree_on_rows(search *q, double *all)
{
    bonsai_status rc;
    const bn_sharded *x = q->s->view[BN_FAR];
    for (int64_t k = 0; k < q->c->count; k++)
        all[k] = q->out[k] < 0 ? -INFINITY : -q->best[k];
    BN_TRY(bn_max(x->at->world, all, q->c->count));
    for (int64_t k = 0; k < q->c->count; k++)
        all[k] = q->out[k] >= 0 && -q->best[k] == all[k] ? -(double)(bn_sharded_base(x) + q->out[k])
                                                         : -INFINITY;
    BN_TRY(bn_max(x->at->world, all, q->c->count));
    for (int64_t k = 0; k < q->c->count; k++)
        q->out[k] = (int64_t)-all[k];
done:
    return rc;
}

/* Copies the prototypes' rows, dense or sparse as the rows that are compared with them. */
static bonsai_status take_form(bn_embedding *to, const bn_embedding *rows, const search *q)
{
    bool dense = false;
    for (int v = 0; v < BN_VIEWS; v++)
        dense |= q->blend->share[v] != 0 && q->s->view[v]->e->dense != NULL;
    return bn_embedding_take(to, rows, NULL, q->c->count, dense,
                             &(bn_place){.threads = q->threads});
}

bonsai_status bn_clusters_nearest(int64_t *out, const bn_clusters *c, const bn_source *s,
                                  const bn_embedding *rows, const bn_blend *b)
{
    bonsai_status rc;
    const bn_place *at = s->view[BN_FAR]->at;
    double *all = NULL;
    bn_embedding to = {0};
    search q = {.out = out, .c = c, .s = s, .blend = b, .to = &to,
                .threads = bn_threads(at->threads)};
    rc = BN_NEW(&q.best, c->count);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&all, c->count);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&q.room, CHUNK);
    if (rc == BONSAI_OK)
        rc = take_form(&to, rows, &q);
    for (int64_t k = 0; k < c->count; k++)
        out[k] = -1;
    if (rc == BONSAI_OK)
        rc = measure(&q);
    BN_TRY(bn_agree(at->world, rc));
    BN_TRY(agree_on_rows(&q, all));
done:
    bn_embedding_free(&to);
    bn_free(q.best);
    bn_free(q.room);
    bn_free(all);
    return rc;
}
