/* update.c -- updates prototypes after their graph has changed.
 *
 * The centroids are kept: nothing is clustered or probed again, and only nodes that the change
 * reached are embedded again.  Layers, budget and split are read from the record of the small
 * graph; the record's checksum shows whether it was made of the older graph.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods.h"
#include "options/options.h"
#include "record/record.h"
#include "update/update.h"

typedef struct {
    bonsai_condense_options o;          /* of the caller: threads and progress count */
    bn_record made;                     /* what the small graph says about its making */
    bn_preparation now, was;            /* their sizes and checksums; nothing is embedded */
    const bn_kind *kind;                /* of the rows */
    bn_clock clock;
} updating;

static bonsai_status read_record(updating *u, const bonsai_graph *small)
{
    bonsai_status rc = bn_record_read(&u->made, small);
    const bn_method *by = bn_method_of(u->made.info.method);
    if (rc != BONSAI_OK)
        return rc;
    if (!by || !(by->needs & BN_CAN_FOLLOW) || !u->made.has_options ||
        (small->view.flags & BONSAI_FLAG_OPERATOR))
        return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "was not made by the method prototypes, "
                          "so it cannot be updated");
    if (!bn_has(small, BONSAI_SECTION_MEMBER_OFFSETS) || !bn_has(small, BONSAI_SECTION_MEMBERS))
        return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "does not name its members, so it "
                          "cannot be updated: condense with members");
    if (u->made.o.inductive)
        return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "was condensed from the training part "
                          "alone (inductive), so it cannot be updated");
    u->kind = bn_kind_named(u->made.rows);
    if (!u->kind || u->kind->pair)
        return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "its rows are %s, which cannot be "
                          "updated: condense it again", u->made.rows);
    if (u->made.layers < 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, small->where, "its report does not say how many "
                          "layers it was made with");
    return BONSAI_OK;
}

/* Fails unless g has the classes and all features of was: a prototype is a row of these. */
static bonsai_status same_shape(const bonsai_graph *g, const bonsai_graph *was, int threads)
{
    int32_t *kept;
    bonsai_status rc = bn_compatible_check(&kept, g, was, BN_SAME_COLUMNS, threads);
    bn_free(kept);
    if (rc == BONSAI_OK && g->view.features != was->view.features)
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s has %lld of the %lld features of %s", g->where,
                     (long long)g->view.features, (long long)was->view.features, was->where);
    return rc;
}

/* Fails unless g has the scale of the small graph: a prototype is a row of scaled features. */
static bonsai_status same_scale(const bonsai_graph *g, const bonsai_graph *small)
{
    const bonsai_array *x = small->view.section;
    const float *mean = x[BONSAI_SECTION_FEATURE_MEAN].data;
    if ((!mean && !bn_has(g, BONSAI_SECTION_FEATURE_MEAN)) ||
        bn_is_standardised(g, mean, x[BONSAI_SECTION_FEATURE_SPREAD].data, NULL, g->view.features))
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "the features of %s are standardised, but those of %s are not, "
                   "or not by the same mean and spread: give the graph as it was before", g->where,
                   small->where);
}

/* Fails if nodes are not numbered as in the original graph: members are numbers of that. */
static bonsai_status check_numbers(const bonsai_graph *g)
{
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_number_of(g, v) != (uint32_t)v)
            return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "node %lld has the origin %u: a graph "
                              "in another order, or a part of one, cannot be updated", (long long)v,
                              (unsigned)bn_number_of(g, v));
    return BONSAI_OK;
}

static bonsai_status check_graphs(const bonsai_graph *now, const bonsai_graph *was,
                                  const bonsai_graph *small, int threads)
{
    bonsai_status rc;
    BN_TRY(same_shape(now, was, threads));
    BN_TRY(same_shape(small, was, threads));
    BN_TRY(same_scale(now, small));
    BN_TRY(same_scale(was, small));
    BN_TRY(check_numbers(was));
    BN_TRY(check_numbers(now));
    if (now->view.nodes < was->view.nodes)
        return bn_fail(BONSAI_E_ARGUMENT, "%s has %lld nodes, fewer than the %lld of %s: nodes may "
                       "only be added, behind the older ones", now->where,
                       (long long)now->view.nodes, (long long)was->view.nodes, was->where);
    for (int i = 0; i < 2; i++)
        if (!bn_has(i ? was : now, BONSAI_SECTION_SPLIT))       /* drawn for each, they differ */
            return bn_fail_at(BONSAI_E_ARGUMENT, (i ? was : now)->where, "has no split: give both "
                              "graphs one in which the older nodes keep their parts");
done:
    return rc;
}

/* Measures one of the two graphs as condensing does. */
static bonsai_status measure(bn_preparation *p, updating *u, const bonsai_graph *g)
{
    p->o = u->o;
    p->job.at.clock = &u->clock;
    return bn_prepare(p, g, 0);
}

/* Limits the weights to two bytes or one, if the graph exceeds its budget otherwise. */
static bonsai_status keep_budget(double *budget, const updating *u, bonsai_graph *small)
{
    bonsai_status rc;
    bool paper = u->made.o.accounting != BONSAI_ACCOUNTING_STRICT;
    double bytes, limit;
    const float most[] = {INFINITY, 65535, 255};
    *budget = bn_record_budget(&u->made.o, u->now.sizes.strict, u->now.sizes.paper);
    limit = *budget > 0 ? *budget : INFINITY;
    for (int i = 0; i < 3; i++) {
        bn_adjust_limit(small, most[i]);
        BN_TRY(bonsai_graph_bytes(&bytes, small, paper ? BONSAI_ACCOUNTING_PAPER_CONDENSED
                                                       : BONSAI_ACCOUNTING_STRICT));
        if (bytes <= limit)
            return BONSAI_OK;
    }
    rc = bn_fail_at(BONSAI_E_ARGUMENT, small->where, "the prototypes take %.0f bytes, more than "
                    "the %.0f that are their share of %s now: condense it again", bytes, limit,
                    u->now.full->where);
done:
    return rc;
}

static bonsai_status fill_info(bonsai_condense_info *i, const updating *u,
                               const bonsai_graph *small, double budget)
{
    const bonsai_array *x = small->view.section;
    bonsai_status rc = bn_fill_plain(i, &u->now, small);
    i->method = u->made.info.method;
    i->seed = u->made.o.seed;
    bn_fact_set(i, BN_FACT_BUDGET, budget);
    bn_fact_set(i, BN_FACT_LAYERS, u->made.layers);
    bn_fact_set(i, BN_FACT_ENTRIES, bn_fact(&u->made.info, BN_FACT_ENTRIES));
    bn_fact_set(i, BN_FACT_VALUES,
                x[BONSAI_SECTION_FEATURES].data         ? x[BONSAI_SECTION_FEATURES].type
                : x[BONSAI_SECTION_FEATURE_VALUES].data ? x[BONSAI_SECTION_FEATURE_VALUES].type
                                                        : BONSAI_TYPE_U8);
    return rc;
}

static bonsai_status run(bonsai_graph **out, bonsai_condense_info *info, const updating *u,
                         const bonsai_graph *small)
{
    bonsai_status rc;
    bn_changes c = {0};
    bn_moves m = {.now = u->now.full, .was = u->was.full, .small = small, .layers = u->made.layers,
                  .blend = u->kind->blend,
                  .at = &u->now.job.at};
    bonsai_graph *made = NULL;
    int64_t adjusted;
    double budget;
    bn_enter(m.at, BN_STAGE_WL);
    BN_TRY(bn_changes_find(&c, m.now, m.was, bn_blend_reach(&m.blend, m.layers),
                           m.at->progress));
    BN_TRY(bn_moves_find(&m, &c));
    bn_enter(m.at, BN_STAGE_CLUSTER);
    BN_TRY(bn_adjust(&made, &adjusted, &m));
    bn_enter(m.at, BN_STAGE_FINISH);
    BN_TRY(keep_budget(&budget, u, made));
    BN_TRY(fill_info(info, u, made, budget));
    bn_fact_print(info, BN_FACT_WHY, "updated: %lld nodes added and %lld changed reach %lld "
                  "training nodes, %lld of which moved; %lld of %lld prototypes adjusted",
                  (long long)c.added, (long long)c.changed, (long long)m.joins, (long long)m.moved,
                  (long long)adjusted, (long long)small->view.nodes);
    BN_TRY(bn_record_updated(made, info, small));
    *out = made;
    made = NULL;
done:
    bn_changes_free(&c);
    bn_moves_free(&m);
    bonsai_graph_free(made);
    return rc;
}

bonsai_status bonsai_condense_update(bonsai_graph **out, bonsai_condense_info *info,
                                     const bonsai_graph *now, const bonsai_graph *was,
                                     const bonsai_graph *small,
                                     const bonsai_condense_options *given)
{
    bonsai_status rc;
    updating u;
    bonsai_condense_info filled;
    bonsai_graph *scaled[2] = {NULL, NULL};
    if (BN_NO_PLACE(out) || bn_is_null(now, "the graph now") ||
        bn_is_null(was, "the graph as it was") || bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    memset(&u, 0, sizeof u);
    u.clock.stage = BN_STAGE_MEASURE;
    bn_clock_start(&u.clock);
    BN_TRY(BN_OPTIONS(&u.o, given, condense));
    BN_TRY(info ? bn_result_check(info, "bonsai_condense_info") : BONSAI_OK);
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, u.o.threads));
    BN_TRY(bn_graph_need(was, BN_ALL_SECTIONS, u.o.threads));
    BN_TRY(bn_graph_need(now, BN_ALL_SECTIONS, u.o.threads));
    BN_TRY(read_record(&u, small));
    BN_TRY(bonsai_graph_standardise(&scaled[0], now, small));
    BN_TRY(bonsai_graph_standardise(&scaled[1], was, small));
    now = scaled[0] ? scaled[0] : now;
    was = scaled[1] ? scaled[1] : was;
    BN_TRY(check_graphs(now, was, small, u.o.threads));
    memset(u.o.split, 0, sizeof u.o.split);
    u.o.inductive = u.o.select_features = 0;
    BN_TRY(measure(&u.was, &u, was));
    BN_TRY(bn_compatible_crc(&u.made, small, was, u.was.crc));
    BN_TRY(measure(&u.now, &u, now));
    BN_TRY(run(out, &filled, &u, small));
    BN_TRY(bn_fill_spent(&filled, &u.now.job.at));
    filled.peak_rss_bytes = bn_peak_rss();
    if (info)
        bn_result_fill(info, &filled);
done:
    bn_preparation_free(&u.now);
    bn_preparation_free(&u.was);
    bonsai_graph_free(scaled[0]);
    bonsai_graph_free(scaled[1]);
    return rc;
}
