/* condense.c -- condenses a graph: checks the options, prepares what the method needs, and runs the
 * method for each budget.  Over several ranks all of them call it together.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "condense.h"
#include "methods.h"
#include "options/fields.h"
#include "options/options.h"
#include "record/record.h"

/* Copies a result to the caller's array, whose structs may have another size than ours. */
static void give_info(bonsai_condense_info *info, int i, const bonsai_condense_info *ours)
{
    void *item = (char *)info + (size_t)i * info->size;
    memcpy(item, &info->size, sizeof info->size);
    bn_result_fill(item, ours);
}

_Static_assert(BN_FACT_SECONDS_TOTAL - BN_FACT_SECONDS_MEASURE == (int)BN_STAGES,
               "each stage has a fact");

bonsai_status bn_fill_spent(bonsai_condense_info *i, const bn_place *at)
{
    bn_enter(at, BN_STAGE_FINISH);
    bonsai_status rc = bn_share(at->world, at->clock->seconds, sizeof at->clock->seconds, 0);
    i->seconds_total = 0;
    for (int s = 0; s < BN_STAGES; s++) {
        bn_fact_set(i, (bn_fact_id)(BN_FACT_SECONDS_MEASURE + s), at->clock->seconds[s]);
        i->seconds_total += at->clock->seconds[s];
    }
    return rc;
}

/* Fills the costs, the same on all ranks: times of rank 0, the most memory of any, bytes of all. */
static bonsai_status fill_effort(bonsai_condense_info *i, const bn_preparation *p)
{
    bonsai_status rc;
    bn_world *w = p->job.at.world;
    const bn_memory *m = &p->memory;
    double most[] = {(double)bn_peak_rss(), (double)m->most, (double)m->spilled_most};
    int64_t sum[] = {w ? w->sent : 0, w ? w->sent_rows : 0, w ? w->halo : 0};
    BN_TRY(bn_max(w, most, 3));
    BN_TRY(bn_sum_int(w, sum, 3));
    BN_TRY(bn_fill_spent(i, &p->job.at));
    i->peak_rss_bytes = (int64_t)most[0];
    bn_fact_set(i, BN_FACT_HELD, most[1]);
    bn_fact_set(i, BN_FACT_SCRATCH, most[2]);
    bn_fact_set(i, BN_FACT_MEMORY, (double)p->allowed);
    bn_fact_set(i, BN_FACT_SENT, (double)sum[0]);
    bn_fact_set(i, BN_FACT_SENT_ROWS, (double)sum[1]);
    bn_fact_set(i, BN_FACT_HALO, (double)sum[2]);
    bn_fact_set(i, BN_FACT_PANEL, p->job.columns);
    bn_fact_set(i, BN_FACT_RANKS, bn_ranks(w));
    if (p->job.work.pairs > 0)
        bn_fact_set(i, BN_FACT_MEASURED, (double)p->job.work.measured / (double)p->job.work.pairs);
done:
    return rc;
}

/* ---- checks of options ---- */

bonsai_status bn_request_ratio(double ratio)
{
    return bn_field_check(bn_field_named(BONSAI_OPTIONS_CONDENSE, "ratio"), ratio);
}

bonsai_status bn_request_budget(const bonsai_condense_options *o)
{
    if (o->ratio > 0 || o->bytes > 0 || o->nodes > 0 || o->trees > 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "no budget was given: set ratio, bytes, nodes or trees");
}

/* Requires prototypes, which alone have a basis: auto has nothing to choose. */
bonsai_status bn_request_coordinates(bonsai_condense_options *o, bool ratios)
{
    if (o->method != BONSAI_METHOD_AUTO && o->method != BONSAI_METHOD_PROTOTYPES)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates are for the methods auto and prototypes, not for "
                       "%s", bonsai_method_name(o->method));
    if (o->accounting != BONSAI_ACCOUNTING_STRICT)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates need the strict accounting: the paper's has no "
                       "price for a basis");
    if (o->members || o->select_features)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates and %s do not go together",
                       o->members ? "members" : "selected features");
    if (!ratios && !(o->ratio > 0) && o->bytes == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "coordinates need a budget in bytes: set ratio or bytes");
    o->method = BONSAI_METHOD_PROTOTYPES;
    return BONSAI_OK;
}

void bn_request_refusal(char *to, size_t size, const char *where)
{
    const bonsai_error_info *e = bonsai_error_details();
    snprintf(to, size, "%.*s", (int)size - 1, strcmp(e->path, where) == 0 ? e->reason : bonsai_error());
    for (char *at = to; *at; at++)
        *at = (unsigned char)*at < 0x80 ? *at : '?';
}

static bonsai_status check(bonsai_condense_options *o, const bonsai_condense_info *info,
                           const bn_asked *a)
{
    bonsai_status rc;
    BN_TRY(BN_OPTIONS(o, a->o, condense));
    BN_TRY(bn_method_check(o));
    if (o->coordinates)
        BN_TRY(bn_request_coordinates(o, a->ratios != NULL));
    BN_TRY(info ? bn_result_check(info, "bonsai_condense_info") : BONSAI_OK);
    for (int i = 0; i < a->count; i++)
        BN_TRY(a->ratios ? bn_request_ratio(a->ratios[i]) : bn_request_budget(o));
done:
    return rc;
}

bn_request bn_request_of(bn_preparation *p, double ratio, bool more)
{
    bn_request r = {.p = p, .o = p->o, .budget = {INFINITY, INT64_MAX, INT64_MAX}, .more = more};
    r.o.ratio = ratio > 0 ? ratio : r.o.ratio;
    if (r.o.ratio > 0 || r.o.bytes > 0)
        r.budget.bytes = bn_record_budget(&r.o, p->sizes.strict, p->sizes.paper);
    else if (r.o.nodes > 0)
        r.budget.nodes = r.o.nodes;
    else
        r.budget.trees = r.o.trees;
    return r;
}

/* ---- condensing ---- */

bonsai_status bn_condense(bonsai_graph **out, bonsai_condense_info *info, const bonsai_graph *g,
                          const bn_asked *a, bn_world *w)
{
    bonsai_status rc;
    bn_clock clock = {.stage = BN_STAGE_MEASURE};
    bn_preparation p = {.job.at = {.world = w, .clock = &clock}, .plain = a->plain};
    bonsai_condense_info one;
    bn_clock_start(&clock);
    for (int i = 0; i < a->count; i++)
        out[i] = NULL;
    for (int i = 0; a->ratios && i < a->count; i++)
        p.largest = fmax(p.largest, a->ratios[i]);
    BN_TRY(bn_agree(w, check(&p.o, info, a)));
    BN_TRY(bn_prepare(&p, g, bn_method_of(p.o.method)->needs));
    bn_enter(&p.job.at, BN_STAGE_FINISH);
    const bn_clock prepared = clock;
    for (int i = 0; i < a->count; i++) {
        const bn_request r = bn_request_of(&p, a->ratios ? a->ratios[i] : 0, i + 1 < a->count);
        clock = prepared;               /* as if for this ratio alone */
        bn_clock_start(&clock);
        BN_TRY(bn_method_of(r.o.method)->run(&out[i], &one, &r));
        BN_TRY(fill_effort(&one, &p));
        if (info)
            give_info(info, i, &one);
    }
done:
    for (int i = 0; i < a->count && (rc != BONSAI_OK || bn_rank(w) > 0); i++) {
        bonsai_graph_free(out[i]);
        out[i] = NULL;
    }
    bn_preparation_free(&p);
    return rc;
}

bonsai_status bonsai_condense_many(bonsai_graph **out, bonsai_condense_info *info,
                                   const double *ratios, int count, const bonsai_graph *g,
                                   const bonsai_condense_options *o)
{
    if (bn_is_null(out, "out") || bn_count_check(count, "ratios") != BONSAI_OK)
        return BONSAI_E_ARGUMENT;
    for (int i = 0; i < count; i++)
        out[i] = NULL;
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    return bn_condense(out, info, g, &(bn_asked){o, ratios, count, false}, NULL);
}

bonsai_status bonsai_condense(bonsai_graph **out, bonsai_condense_info *info,
                              const bonsai_graph *g, const bonsai_condense_options *o)
{
    return bonsai_condense_many(out, info, NULL, 1, g, o);
}
