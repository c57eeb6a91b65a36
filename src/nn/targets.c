/* targets.c -- the targets of a graph's training nodes: labels or soft labels, and weights.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "nn.h"

static double soft_sum(const bonsai_graph *g, int64_t node)
{
    const bonsai_array *soft = &g->view.section[BONSAI_SECTION_SOFT_LABELS];
    int64_t c = g->view.classes;
    double sum = 0;
    for (int64_t k = 0; soft->data && k < c; k++)
        sum += (double)bn_real_at(soft, node * c + k);
    return sum;
}

static bool is_target(const bonsai_graph *g, int64_t node)
{
    if (bn_has(g, BONSAI_SECTION_SPLIT) && bn_part(g, node) != BONSAI_PART_TRAIN)
        return false;
    return bn_label(g, node) >= 0 || soft_sum(g, node) > 0;
}

/* Fills a row of c numbers that sum to 1: soft labels if any. */
static void soft_row(float *to, const bonsai_graph *g, int64_t node)
{
    const bonsai_array *soft = &g->view.section[BONSAI_SECTION_SOFT_LABELS];
    int64_t c = g->view.classes;
    double sum = soft_sum(g, node);
    if (sum > 0)
        for (int64_t k = 0; k < c; k++)
            to[k] = (float)((double)bn_real_at(soft, node * c + k) / sum);
    else
        to[bn_label(g, node)] = 1;
}

static double raw_weight(const bonsai_graph *g, int64_t node)
{
    const bonsai_array *weight = &g->view.section[BONSAI_SECTION_NODE_WEIGHTS];
    return weight->data ? (double)bn_real_at(weight, node) : 1;
}

static bonsai_status weigh_targets(bn_targets *t, const bonsai_graph *g)
{
    double sum = 0;
    for (int64_t p = 0; p < t->count; p++)
        sum += raw_weight(g, t->node[p]);
    if (!(sum > 0))
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "the weights of all %lld training nodes are "
                          "0", (long long)t->count);
    for (int64_t p = 0; p < t->count; p++)
        t->weight[p] = (float)(raw_weight(g, t->node[p]) / sum);
    return BONSAI_OK;
}

bonsai_status bn_targets_check(const bn_targets *t, const bonsai_graph *g)
{
    int64_t c = g->view.classes, first = -1;
    for (int64_t p = 0; p < t->count; p++) {
        int64_t k = t->label ? t->label[p] : 0, end = t->label ? k + 1 : c;
        for (; t->weight[p] > 0 && k < end; k++) {
            if (t->soft && t->soft[p * c + k] == 0)
                continue;
            if (first >= 0 && first != k)
                return BONSAI_OK;
            first = k;
        }
    }
    return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "all %lld training nodes are of class %lld: "
                      "there is nothing to tell apart", (long long)t->count, (long long)first);
}

bonsai_status bn_targets_list(bn_targets *t, const bonsai_graph *g)
{
    bonsai_status rc;
    int64_t n = g->view.nodes;
    for (int64_t v = 0; v < n; v++)
        t->count += is_target(g, v);
    if (t->count == 0)
        return bn_fail(BONSAI_E_ARGUMENT, bn_has(g, BONSAI_SECTION_SPLIT)
                       ? "%s: no labelled node is in the training part"
                       : "%s: no node has a label, so there is nothing to train on", g->where);
    BN_TRY(BN_NEW(&t->node, t->count));
    BN_TRY(BN_NEW(&t->weight, t->count));
    for (int64_t v = 0, p = 0; v < n; v++)
        if (is_target(g, v))
            t->node[p++] = (int32_t)v;
    if (bn_has(g, BONSAI_SECTION_SOFT_LABELS)) {
        BN_TRY(BN_NEW(&t->soft, t->count * g->view.classes));
        for (int64_t p = 0; p < t->count; p++)
            soft_row(t->soft + p * g->view.classes, g, t->node[p]);
    } else {
        BN_TRY(BN_NEW(&t->label, t->count));
        for (int64_t p = 0; p < t->count; p++)
            t->label[p] = bn_label(g, t->node[p]);
    }
    BN_TRY(weigh_targets(t, g));
done:
    return rc;
}

void bn_targets_free(bn_targets *t)
{
    bn_free(t->node);
    bn_free(t->label);
    bn_free(t->soft);
    bn_free(t->weight);
    memset(t, 0, sizeof *t);
}
