/* bound.c -- the cost of each tree, and the share of the sample that trees can cover at most.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "exemplars.h"

enum { TICK_EVERY = 16, AHEAD = 256, FIRST_ENTRIES = 64 };      /* fetched together: trees, and
                                                                 * entries of each */

typedef struct { double gain, cost; } offer;

static int best_first(const void *a, const void *b)
{
    const offer *x = a, *y = b;
    double left = x->gain * y->cost, right = y->gain * x->cost;
    return left > right ? -1 : left < right;
}

static int64_t gain_of(const bn_job *job, int64_t tree)
{
    return job->rknn.offsets[tree + 1] - job->rknn.offsets[tree];
}

/* Fetches the rows and the first entries of the next trees that cover a sample. */
static bonsai_status ask_for_trees(const bn_exemplars *t, int64_t tree, int64_t count,
                                   int64_t entries)
{
    bonsai_status rc = BONSAI_OK;
    int64_t end = bn_least(tree + count, t->job->trees);
    for (; bn_reader_remote(t->set.reader) && tree < end; tree++)
        if (gain_of(t->job, tree) > 0)
            BN_TRY(bn_reader_ask(t->set.reader, t->job->train[tree], entries));
    BN_TRY(bn_reader_fetch(t->set.reader));
done:
    return rc;
}

/* Prices each tree at the least that its root's row costs, and takes trees by gain per byte, the
 * last one in part. */
bonsai_status bn_bound_coverage(bn_exemplars *t)
{
    bonsai_status rc;
    const bn_job *job = t->job;
    const bn_budget *b = &t->set.budget;
    offer *all = NULL;
    int64_t count = 0;
    bool bytes = isfinite(b->bytes);
    double sum = 0, left = bytes ? b->bytes : (double)(b->nodes < b->trees ? b->nodes : b->trees);
    t->out->coverage_bound = -1;
    BN_TRY(BN_NEW(&all, job->trees));
    if (bytes)
        BN_TRY(ask_for_trees(t, 0, job->trees, 0));
    for (int64_t i = 0; i < job->trees; i++) {
        double gain = (double)gain_of(job, i);
        double cost = bytes ? 0 : 1;
        if (bytes && gain > 0)
            BN_TRY(bn_price_least(&cost, t->set.price, job->train[i]));
        left -= cost < 0 ? cost : 0;            /* the paper's price of negative features */
        if (gain > 0)
            all[count++] = (offer){gain, cost < 0 ? 0 : cost};
    }
    qsort(all, (size_t)count, sizeof *all, best_first);
    for (int64_t i = 0; i < count && (left > 0 || all[i].cost == 0); i++) {
        double part = all[i].cost <= left ? 1 : left / all[i].cost;
        sum += part * all[i].gain;
        left -= all[i].cost;
    }
    if (job->z > 0)
        t->out->coverage_bound = fmin(1, sum / (double)job->z);
done:
    bn_free(all);
    return rc;
}

bonsai_status bn_price_trees(bn_exemplars *t)
{
    bonsai_status rc;
    const bn_job *job = t->job;
    const bn_budget *b = &t->set.budget;
    bn_price *price = NULL;
    BN_TRY(bn_stage_begin(t, "pricing", job->trees));
    BN_TRY(BN_NEW(&t->cost, job->trees));
    BN_TRY(bn_price_new(&price, t->set.reader));
    const double empty = bn_price_bytes(price), large = isfinite(b->bytes) ? b->bytes : 1e30;
    for (int64_t i = 0; i < job->trees; i++) {
        bn_tree tree;
        t->cost[i] = large;                     /* at least, if it does not fit */
        if (i % AHEAD == 0)
            BN_TRY(ask_for_trees(t, i, AHEAD, FIRST_ENTRIES));
        if (gain_of(job, i) == 0)
            continue;
        BN_TRY(bn_hoptree_grow(&tree, t->set.hoptree, price, job->train[i], job->o->layers, b));
        if (tree.fits) {
            t->cost[i] = fmax(1, bn_price_bytes(price) - empty);
            bn_hoptree_undo(t->set.hoptree, price);
        }
        t->done = i;
        if (i % TICK_EVERY == 0)
            BN_TRY(bn_stage_tick(t));
    }
    BN_TRY(bn_stage_end(t));
done:
    bn_price_free(price);
    return rc;
}
