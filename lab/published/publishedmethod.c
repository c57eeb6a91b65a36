/* publishedmethod.c -- the method that runs the steps of the published code (published.h) and
 * writes the record.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "record/record.h"
#include "published.h"

bonsai_status bn_published_check(bonsai_condense_options *o)
{
    if (o->nodes > 0 || o->trees > 0)
        return bn_fail(BONSAI_E_ARGUMENT, "the method published has a budget in bytes of its own "
                       "price: set ratio or bytes, not %s", o->nodes > 0 ? "nodes" : "trees");
    o->accounting = BONSAI_ACCOUNTING_PAPER_FULL;
    o->k = BN_PUBLISHED_K;
    o->layers = BN_PUBLISHED_LAYERS;
    o->sample = -1;             /* all trees */
    o->select_features = 0;     /* it has a decision tree of its own */
    return BONSAI_OK;
}

bonsai_status bn_published_prepare(bn_preparation *p)
{
    bonsai_status rc;
    bn_published *own = NULL;
    int32_t *kept = NULL;
    int64_t count;
    BN_TRY(bn_published_features(&kept, &count, &p->job));
    BN_TRY(BN_NEW(&own, 1));
    p->own = own;
    BN_TRY(bn_published_new(own, &p->job, kept, count));
done:
    bn_free(kept);
    return rc;
}

void bn_published_forget(void *own)
{
    bn_published_free(own);
    bn_free(own);
}

double bn_published_bytes(const bn_needs *q)
{
    const double n = (double)q->s.nodes, t = (double)q->s.train;
    const double columns = 8 * n * bn_needs_row(&q->s, 0);              /* features, divided */
    return columns + 12 * t * bn_needs_row(&q->s, q->o->layers) + (double)q->s.edges;
}

/* Returns what the graph costs by the selection's price, a self loop of every node included. */
static double price_of(const bonsai_graph *small, const bn_published *p, const bn_choice *c)
{
    double rows = 0;
    for (int64_t i = 0; i < c->count; i++)
        rows += p->price[c->node[i]];
    return 2 * (rows + 2 * ((double)bonsai_graph_edges(small) / 2 + (double)c->count));
}

/* Writes the reason.  The published code looks only at the number of nodes, so the price may exceed
 * the budget and is reported. */
static void say_how(bonsai_condense_info *i, const bn_published_pick *c, double share)
{
    bn_fact_print(i, BN_FACT_WHY, "%lld nodes in trees of one budget, %lld of ten: %lld dropped, "
                  "%lld added, %lld removed; priced at %.2f of the budget", (long long)c->aim,
             (long long)c->set.nodes, (long long)c->dropped, (long long)c->added,
             (long long)c->removed, share);
}

/* Returns the target in bytes, which is not rounded. */
static double target_of(const bn_request *r)
{
    return r->o.ratio > 0 ? r->o.ratio * r->p->sizes.paper : (double)r->o.bytes;
}

bonsai_status bn_run_published(bonsai_graph **out, bonsai_condense_info *info, const bn_request *r)
{
    bonsai_status rc;
    bn_published_pick c = {0};
    bonsai_graph *small = NULL;
    bn_job job = r->p->job;
    const bn_published *own = r->p->own;
    job.g = own->g;
    BN_TRY(bn_published_choose(&c, own, &job, target_of(r)));
    bn_enter(&job.at, BN_STAGE_FINISH);
    BN_TRY(bonsai_graph_induce(&small, job.g, c.choice.node, c.choice.count));
    bn_published_thin(small, &c);
    BN_TRY(bn_fill_picked(small, info, r, &c.choice));
    bn_fact_set(info, BN_FACT_SAMPLE, (double)job.trees);
    info->coverage = c.choice.coverage;
    BN_TRY(bn_record_write(small, info, &r->o, &c.choice));
    say_how(info, &c, price_of(small, own, &c.choice) / target_of(r));
    BN_TRY(bn_record_reason(small, info));
    *out = small;
    small = NULL;
done:
    bonsai_graph_free(small);
    bn_published_pick_free(&c);
    return rc;
}
