/* explain.c -- gives callers of the library what the record of a condensed graph holds.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "record.h"
#include "distinctive.h"
#include "options/options.h"

static bonsai_status read(bn_record *r, const bonsai_graph *small)
{
    bonsai_status rc;
    BN_TRY(bn_graph_need(small, BN_BIT(BONSAI_SECTION_METADATA), 0));
    BN_TRY(bn_record_read(r, small));
    if (!r->known)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, small->where, "is not a condensed graph: it does not "
                        "say how it was made");
done:
    return rc;
}

bonsai_status bonsai_condense_info_of(bonsai_condense_info *out, const bonsai_graph *small)
{
    bonsai_status rc;
    bn_record r;
    if (bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
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
    if (bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_result_check(out, "bonsai_condense_options"));
    BN_TRY(read(&r, small));
    bn_result_fill(out, &r.o);
done:
    return rc;
}

/* ---- why nodes are there ---- */

/* Returns whether no node was picked from the full graph: then the record has no reasons. */
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
    if (bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_record_read(&r, small));
    BN_TRY(bn_record_reasons(&known, tree, covers, score, small));
    if (!known && !(r.known && all_made(small)))
        rc = bn_fail_at(BONSAI_E_ARGUMENT, small->where, "is not a condensed graph: it holds no "
                        "report of why its nodes are there");
done:
    return rc;
}

static int64_t row_length(const bonsai_array *offsets, int64_t node)
{
    return bn_int_at(offsets, node + 1) - bn_int_at(offsets, node);
}

static bool is_prototype(const bonsai_graph *g, int64_t node)
{
    const uint8_t *role = g->view.section[BONSAI_SECTION_ROLE].data;
    return role && role[node] == BONSAI_ROLE_PROTOTYPE;
}

/* Returns the other node of a pair: a neighbour with a label where this has none, or vice versa. */
static int64_t partner_of(const bonsai_graph *g, int64_t node)
{
    const bonsai_array *offsets = &g->view.section[BONSAI_SECTION_OFFSETS];
    const uint32_t *neighbor = g->view.section[BONSAI_SECTION_NEIGHBORS].data;
    if (!offsets->data || !is_prototype(g, node))
        return -1;
    for (int64_t e = bn_int_at(offsets, node); e < bn_int_at(offsets, node + 1); e++)
        if (is_prototype(g, neighbor[e]) &&
            (bn_label(g, neighbor[e]) < 0) != (bn_label(g, node) < 0))
            return neighbor[e];
    return -1;
}

/* Fills what the sections hold of a node. */
static void describe(bonsai_why *w, const bonsai_graph *g, int64_t node)
{
    const bonsai_array *x = g->view.section;
    const uint32_t *origin = x[BONSAI_SECTION_ORIGIN].data;
    const uint8_t *role = x[BONSAI_SECTION_ROLE].data;
    const bonsai_array *members = &x[BONSAI_SECTION_MEMBER_OFFSETS];
    w->origin = bonsai_graph_origin(g, node);
    w->role = role ? (bonsai_role)role[node] : BONSAI_ROLE_NONE;
    w->label = bn_label(g, node);
    w->weight = bonsai_graph_weight(g, node);
    w->members = members->data ? row_length(members, node) : -1;
    w->edges = x[BONSAI_SECTION_OFFSETS].data ? row_length(&x[BONSAI_SECTION_OFFSETS], node) : 0;
    w->partner = partner_of(g, node);
    w->root = -1;
    for (int64_t v = 0; origin && w->tree >= 0 && w->root < 0 && v < g->view.nodes; v++)
        if ((int64_t)origin[v] == w->tree)
            w->root = v;
}

/* Fills what the record holds of a node. */
static bonsai_status recall(bonsai_why *w, const bonsai_graph *small, int64_t node)
{
    bonsai_status rc;
    bn_record r;
    int64_t n = small->view.nodes, *tree = NULL, *covers = NULL;
    double *score = NULL;
    BN_TRY(BN_NEW(&tree, n));
    BN_TRY(BN_NEW(&covers, n));
    BN_TRY(BN_NEW(&score, n));
    BN_TRY(bonsai_condense_whys(tree, covers, score, small));
    BN_TRY(bn_record_read(&r, small));
    w->tree = tree[node];
    w->covers = covers[node];
    w->sample = bn_fact_whole(&r.info, BN_FACT_SAMPLE);
    w->score = score[node];
    w->rank = w->score > 0;
    for (int64_t v = 0; w->score > 0 && v < n; v++)
        w->rank += score[v] > w->score;
done:
    bn_free(tree);
    bn_free(covers);
    bn_free(score);
    return rc;
}

/* ---- the largest of its classes, nodes and features ---- */

static void add_shares(bonsai_why *w, const bonsai_graph *small, int64_t node)
{
    bn_largest top[BONSAI_WHY_ROOM];
    if (!bn_has(small, BONSAI_SECTION_SOFT_LABELS))
        return;
    for (int64_t c = 0; c < small->view.classes; c++) {
        const double share = bn_soft_share(small, node, c);
        if (share > 0)
            bn_largest_add(top, &w->shares, BONSAI_WHY_ROOM, (bn_largest){c, share});
    }
    for (int64_t i = 0; i < w->shares; i++) {
        w->share_class[i] = top[i].number;
        w->share[i] = top[i].value;
    }
}

static void add_members(bonsai_why *w, const bonsai_graph *small, int64_t node)
{
    int64_t count;
    const int32_t *member = bonsai_graph_members(&count, small, node);
    for (w->nodes = 0; w->nodes < count && w->nodes < BONSAI_WHY_ROOM; w->nodes++) {
        w->node[w->nodes] = member[w->nodes];
        w->distance[w->nodes] = -1;
    }
}

static bonsai_status add_nearest(bonsai_why *w, const bonsai_graph *small, int64_t node,
                                 const bonsai_graph *full, const bonsai_condense_options *o)
{
    int32_t near[BONSAI_WHY_ROOM];
    float distance[BONSAI_WHY_ROOM];
    bonsai_status rc = bonsai_condense_nearest(near, distance, &w->nodes, BONSAI_WHY_ROOM, small,
                                               node, full, o);
    for (int64_t i = 0; i < w->nodes; i++) {
        w->node[i] = near[i];
        w->distance[i] = (double)distance[i];
    }
    return rc;
}

static bonsai_status add_features(bonsai_why *w, const bonsai_graph *small, int64_t node,
                                  const bonsai_graph *full)
{
    bonsai_status rc;
    const uint32_t *kept = small->view.section[BONSAI_SECTION_KEPT_FEATURES].data;
    bn_largest top[BONSAI_WHY_ROOM];
    bn_feature_stats y = {0};
    float *row = NULL;
    BN_TRY(BN_NEW(&row, small->view.features));
    BN_TRY(bn_feature_stats_make(&y, small, full));
    bn_row_whole(row, small, node);
    for (int64_t j = 0; j < small->view.features; j++)
        w->features_set += row[j] != 0;
    w->features = bn_distinctive_find(top, BONSAI_WHY_ROOM, row, &y);
    for (int64_t i = 0; i < w->features; i++) {
        const int64_t j = top[i].number;
        w->feature[i] = kept ? (int64_t)kept[j] : j;
        w->feature_name[i] = bonsai_graph_feature_name(small, j);
        w->value[i] = bn_unscaled(small, j, (double)row[j]);
        w->above_mean[i] = w->value[i] - bn_unscaled(small, j, y.mean[j]);
        w->deviations[i] = top[i].value;
    }
done:
    bn_feature_stats_free(&y);
    bn_free(row);
    return rc;
}

bonsai_status bonsai_condense_explain(bonsai_why *out, const bonsai_graph *small, int64_t node,
                                      const bonsai_graph *full, const bonsai_condense_options *o)
{
    bonsai_status rc;
    bonsai_why w;
    bonsai_why_init(&w);
    if (bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_result_check(out, "bonsai_why"));
    BN_TRY(bn_node_check(small, node));
    BN_TRY(recall(&w, small, node));
    describe(&w, small, node);
    add_shares(&w, small, node);
    if (full && w.role == BONSAI_ROLE_PROTOTYPE)
        BN_TRY(add_nearest(&w, small, node, full, o));
    else
        add_members(&w, small, node);
    BN_TRY(add_features(&w, small, node, full));
    bn_result_fill(out, &w);
done:
    return rc;
}

bonsai_status bonsai_condense_why(bonsai_why *out, const bonsai_graph *small, int64_t node)
{
    return bonsai_condense_explain(out, small, node, NULL, NULL);
}

bonsai_status bonsai_condense_scores(bonsai_scores *out, const bonsai_graph *small, int64_t round)
{
    bonsai_status rc;
    bonsai_scores s;
    bn_trace *t = NULL;
    bonsai_scores_init(&s);
    s.knee = -1;
    if (bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_result_check(out, "bonsai_scores"));
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_record_trace(&t, small));
    s.rounds = t->rounds;
    const int64_t last = s.rounds > 0 ? s.rounds - 1 : 0;
    if (round < 0 || round > last) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, small->where, "round %lld of pruning is outside 0..%lld",
                        (long long)round, (long long)last);
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
