/* fullprobe.c -- measures what the probe gets from the full graph, and at most from picked nodes.
 *
 * Fitted on training nodes with their rows in the full graph, the probe gets what a small graph can
 * come near to.  A sample stands for very many nodes.
 *
 * A budget limits the number of picked nodes to those that fit without edges.  The probe fitted on
 * as many, with their rows in the full graph, gets more than a network on a small graph, where most
 * of their neighbours are missing.  The best of a few draws counts.  If even that is far below
 * another method's score, nodes need not be picked.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "prototypes/randomlayer.h"
#include "prototypes/judge.h"

enum { DRAWS = 4 };             /* of training nodes: the luckiest counts */
static const double most_products = 2e9;        /* of a fit: else it takes longer than picking */

/* Returns the number of nodes that the budget holds without edges. */
static double most_nodes(const bn_request *r)
{
    const bonsai_graph *g = r->p->full;
    double n = (double)g->view.nodes, each = n <= 65536 ? 2 : 4;
    double rest = r->p->sizes.strict - each * (double)bonsai_graph_edges(g);
    double nodes = fmin((double)r->budget.nodes, (double)r->budget.trees);
    if (r->budget.trees < INT64_MAX || r->o.accounting != BONSAI_ACCOUNTING_STRICT)
        return INFINITY;
    return fmin(nodes, r->budget.bytes / fmax(rest / n, 1));
}

/* Returns the mean number of entries of a row, with the constant. */
static double length_of(const bn_embedding *e)
{
    return 1 + (e->dense ? (double)e->f : (double)e->offsets[e->rows] / (double)e->rows);
}

/* Draws training rows, ascending, without those that are judged on; returns their number. */
static int64_t draw(int64_t *row, const bn_job *job, int64_t wanted, int which)
{
    bn_rng r = bn_rng_at(job->o->seed, (uint64_t)which);
    int64_t taken = 0, met = 0;
    for (int64_t t = 0; t < job->trees && met < wanted; t++)
        if (bn_rng_below(&r, job->trees - t) < wanted - met) {
            met++;
            if (!job->held || !job->held[t])
                row[taken++] = t;
        }
    return taken;
}

typedef struct {
    bn_views views;
    int64_t *row;
    int32_t *label;
    int64_t  count;
} points;

static void points_free(points *q)
{
    bn_views_free(&q->views);
    bn_free(q->row);
    bn_free(q->label);
}

static bonsai_status make_points(points *q, int64_t wanted, const bn_job *job, int which)
{
    bonsai_status rc;
    rc = BN_NEW(&q->row, wanted);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&q->label, wanted);
    BN_TRY(bn_agree(job->at.world, rc));
    q->count = draw(q->row, job, wanted, which);
    for (int64_t i = 0; i < q->count; i++)
        q->label[i] = bn_label(job->g, job->train[q->row[i]]);
    const bn_embedding *from[] = {&job->own, &job->around, &job->far};
    bn_embedding *to[] = {&q->views.own, &q->views.around, &q->views.far};
    for (int i = 0; i < 3; i++)
        BN_TRY(bn_rows_gather(to[i], &(bn_sharded){.e = from[i], .first = job->tree_first,
                                                   .at = &job->at}, q->row, q->count));
done:
    return rc;
}

static bonsai_status try_draw(double *percent, int64_t wanted, const bn_job *job, int which)
{
    bonsai_status rc;
    points q = {.count = 0};
    double one = 0;
    BN_TRY(make_points(&q, wanted, job, which));
    if (q.count > 0)
        rc = bn_probe_rows(&one, job->probe, &q.views, q.label);
    BN_TRY(bn_agree(job->at.world, rc));
    BN_TRY(bn_share(job->at.world, &one, sizeof one, 0));
    *percent = one > *percent ? one : *percent;
done:
    points_free(&q);
    return rc;
}

/* Returns whether the fits of n points, in both views of the probe, take longer than picking
 * them. */
static bool takes_long(double n, const bn_views *v)
{
    double near = length_of(&v->own) + length_of(&v->around), wide = BN_RANDOM_COLUMNS;
    return n * (near * fmin(n, 2 * (double)v->own.f) + wide * fmin(n, wide)) > most_products;
}

bonsai_status bn_fullprobe(double *percent, int64_t *fitted, const bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    points q = {.count = 0};
    *percent = -1;
    *fitted = 0;
    if (!job->probe)
        goto done;
    bn_enter(&job->at, BN_STAGE_PROBE);
    BN_TRY(make_points(&q, bn_least(job->trees, BN_MOST_FITTED), job, DRAWS));
    *fitted = q.count;
    if (q.count > 0)
        rc = bn_probe_once(percent, job->probe, &q.views, q.label);
    BN_TRY(bn_agree(job->at.world, rc));
    BN_TRY(bn_share(job->at.world, percent, sizeof *percent, 0));
done:
    points_free(&q);
    return rc;
}

bonsai_status bn_fullprobe_bound(bn_picked_bound *s, const bn_request *r, double bar)
{
    bonsai_status rc = BONSAI_OK;
    const bn_job *job = &r->p->job;
    double n = floor(most_nodes(r));
    if (!job->probe || n < 1 || n > (double)job->trees / 2 || takes_long(n, &job->judge))
        goto done;
    bn_enter(&job->at, BN_STAGE_PROBE);
    s->nodes = (int64_t)n;
    for (; s->draws < DRAWS && s->percent < bar; s->draws++)
        BN_TRY(try_draw(&s->percent, s->nodes, job, s->draws));
done:
    return rc;
}

double bn_fullprobe_nodes(const bn_request *r)
{
    return fmin(most_nodes(r), (double)r->p->job.trees);
}
