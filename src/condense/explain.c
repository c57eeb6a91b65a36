/* explain.c -- what a condensed graph says about its making, for callers of the library.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "record.h"

static bonsai_status read(bn_record *r, const bonsai_graph *small)
{
    bonsai_status rc;
    BN_TRY(bn_graph_need(small, BN_BIT(BONSAI_SECTION_METADATA), 0));
    BN_TRY(bn_record_read(r, small));
    if (!r->known)
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s: is not a condensed graph: it does not say how it was "
                     "made", small->where);
done:
    return rc;
}

bonsai_status bonsai_condense_info_of(bonsai_condense_info *out, const bonsai_graph *small)
{
    bonsai_status rc;
    bn_record r;
    BN_TRY(bn_result_check(out, "bonsai_condense_info"));
    BN_TRY(read(&r, small));
    bn_result_fill(out, &r.info);
done:
    return rc;
}

bonsai_status bonsai_condense_options_of(bonsai_condense_options *out, const bonsai_graph *small)
{
    bonsai_status rc;
    bn_record r;
    BN_TRY(bn_result_check(out, "bonsai_condense_options"));
    BN_TRY(read(&r, small));
    bn_result_fill(out, &r.o);
done:
    return rc;
}

/* ---- why nodes are there ---- */

/* Whether no node was picked from the full graph: its record has no reasons. */
static bool all_made(const bonsai_graph *g)
{
    const uint8_t *role = g->view.section[BONSAI_SECTION_ROLE].data;
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (!role || (role[v] != BONSAI_ROLE_PROTOTYPE && role[v] != BONSAI_ROLE_LEARNED))
            return false;
    return true;
}

bonsai_status bonsai_condense_whys(int64_t *tree, int64_t *covers, double *score,
                                   const bonsai_graph *small)
{
    bonsai_status rc;
    bn_record r;
    bool known;
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_record_read(&r, small));
    BN_TRY(bn_record_reasons(&known, tree, covers, score, small));
    if (!known && !(r.known && all_made(small)))
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s: is not a condensed graph: it holds no report of why "
                     "its nodes are there", small->where);
done:
    return rc;
}

static int64_t row_length(const bonsai_array *offsets, int64_t node)
{
    return bn_int_at(offsets, node + 1) - bn_int_at(offsets, node);
}

/* What sections say of a node. */
static void describe(bonsai_why *w, const bonsai_graph *g, int64_t node)
{
    const bonsai_array *x = g->view.section;
    const uint32_t *origin = x[BONSAI_SECTION_ORIGIN].data;
    const uint8_t *role = x[BONSAI_SECTION_ROLE].data;
    const bonsai_array *weight = &x[BONSAI_SECTION_NODE_WEIGHTS];
    const bonsai_array *members = &x[BONSAI_SECTION_MEMBER_OFFSETS];
    w->origin = origin ? (int64_t)origin[node] : -1;
    w->role = role ? (bonsai_role)role[node] : BONSAI_ROLE_NONE;
    w->label = bn_label(g, node);
    w->weight = weight->data ? (double)bn_real_at(weight, node) : 1;
    w->members = members->data ? row_length(members, node) : -1;
    w->edges = x[BONSAI_SECTION_OFFSETS].data ? row_length(&x[BONSAI_SECTION_OFFSETS], node) : 0;
    w->root = -1;
    for (int64_t v = 0; origin && w->tree >= 0 && w->root < 0 && v < g->view.nodes; v++)
        if ((int64_t)origin[v] == w->tree)
            w->root = v;
}

bonsai_status bonsai_condense_why(bonsai_why *out, const bonsai_graph *small, int64_t node)
{
    bonsai_status rc;
    bonsai_why w;
    bn_record r;
    int64_t n = small->view.nodes, *tree = NULL, *covers = NULL;
    double *score = NULL;
    bonsai_why_init(&w);
    if (node < 0 || node >= n)
        return bn_fail(BONSAI_E_ARGUMENT, "%s: node %lld is outside 0..%lld", small->where,
                       (long long)node, (long long)n - 1);
    BN_TRY(bn_result_check(out, "bonsai_why"));
    BN_TRY(BN_NEW(&tree, n));
    BN_TRY(BN_NEW(&covers, n));
    BN_TRY(BN_NEW(&score, n));
    BN_TRY(bonsai_condense_whys(tree, covers, score, small));
    BN_TRY(bn_record_read(&r, small));
    w.tree = tree[node];
    w.covers = covers[node];
    w.sample = r.info.sample;
    w.score = score[node];
    w.rank = w.score > 0;
    for (int64_t v = 0; w.score > 0 && v < n; v++)
        w.rank += score[v] > w.score;
    describe(&w, small, node);
    bn_result_fill(out, &w);
done:
    bn_free(tree);
    bn_free(covers);
    bn_free(score);
    return rc;
}

bonsai_status bonsai_condense_scores(bonsai_scores *out, const bonsai_graph *small, int64_t round)
{
    bonsai_status rc;
    bonsai_scores s;
    bn_trace *t = NULL;
    bonsai_scores_init(&s);
    s.knee = -1;
    BN_TRY(bn_result_check(out, "bonsai_scores"));
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_record_trace(&t, small));
    s.rounds = t->rounds;
    const int64_t last = s.rounds > 0 ? s.rounds - 1 : 0;
    if (round < 0 || round > last) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s: round %lld of pruning is outside 0..%lld",
                     small->where, (long long)round, (long long)last);
        goto done;
    }
    if (s.rounds > 0) {
        const bn_trace_round *r = &t->round[round];
        s.number = r->number;
        s.ranked = r->nodes;
        s.knee = r->knee;
        s.pruned = r->pruned;
        s.count = r->count;
        memcpy(s.rank, r->rank, sizeof s.rank);
        memcpy(s.score, r->score, sizeof s.score);
    }
    bn_result_fill(out, &s);
done:
    bn_free(t);
    return rc;
}
