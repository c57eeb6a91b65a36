/* task.c -- a training made ready: options checked, targets listed, graphs prepared.
 *
 * Labels of validation and test nodes are read into the lists that judge, and nowhere
 * else.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scratch.h"
#include "train.h"

static bonsai_status check_dims(bn_task *t)
{
    const bonsai_train_options *o = &t->o;
    bn_param table[BN_MOST_PARAMS];
    int entries;
    if (t->small->view.features == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "%s: has no features; give every node some, such as its "
                       "degree or a one-hot id", t->small->where);
    t->dims = (bn_dims){.kind = o->model, .layers = o->layers, .heads = o->heads,
                        .gin_layers = o->gin_layers, .features = t->small->view.features,
                        .hidden = o->hidden, .classes = t->small->view.classes,
                        .weighted = o->weighted != 0};
    bonsai_status rc = bn_dims_check(&t->dims, t->small->where);
    if (rc == BONSAI_OK)
        bn_dims_params(table, &entries, &t->count, &t->dims);
    return rc;
}

/* ---- targets ---- */

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

/* A row of c numbers that sum to 1: soft labels where there are some. */
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
        return bn_fail(BONSAI_E_ARGUMENT, "%s: the weights of all %lld training nodes are 0",
                       g->where, (long long)t->count);
    for (int64_t p = 0; p < t->count; p++)
        t->weight[p] = (float)(raw_weight(g, t->node[p]) / sum);
    return BONSAI_OK;
}

static bonsai_status check_classes(const bn_targets *t, const bonsai_graph *g)
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
    return bn_fail(BONSAI_E_ARGUMENT, "%s: all %lld training nodes are of class %lld: there is "
                   "nothing to tell apart", g->where, (long long)t->count, (long long)first);
}

static bonsai_status list_targets(bn_targets *t, const bonsai_graph *g)
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
    BN_TRY(check_classes(t, g));
done:
    return rc;
}

/* ---- the metric ---- */

/* Only one of the metrics is not defined for every graph. */
static bonsai_status check_metric(const bn_task *t)
{
    int64_t ones = 0;
    if (t->o.metric != BONSAI_METRIC_AUC)
        return BONSAI_OK;
    if (t->dims.classes != 2)
        return bn_fail(BONSAI_E_ARGUMENT, "%s: has %lld classes, but the metric auc is for two; "
                       "balanced and f1 are for any number", t->full->where,
                       (long long)t->dims.classes);
    for (int64_t i = 0; i < t->val.count; i++)
        ones += t->val.label[i];
    if (t->val.count && (ones == 0 || ones == t->val.count))
        return bn_fail(BONSAI_E_ARGUMENT, "%s: all %lld validation nodes are of class %d, but the "
                       "metric auc needs both classes", t->full->where, (long long)t->val.count,
                       ones != 0);
    return BONSAI_OK;
}

/* ---- memory ---- */

/* A share of all memory, not of what is free: what is kept decides how sums are rounded, and
 * the same training must give the same bits on a busy day. */
int64_t bn_memory_room(int64_t memory)
{
    int64_t room = bn_memory_all() / 8;
    return memory > 0 && memory < room ? memory : room;
}

static bonsai_status make_operands(bn_task *t)
{
    bonsai_status rc = bn_operand_make(&t->train, t->small, &t->dims, &t->of_small,
                                       (bn_purpose){true, bn_memory_room(0), t->threads});
    if (rc != BONSAI_OK || t->same)
        return rc;
    return bn_operand_make(&t->judge, t->full, &t->dims, &t->of_full,
                           (bn_purpose){false, bn_memory_room(t->o.memory), t->threads});
}

/* ---- all of it ---- */

static bonsai_status choose_graphs(bn_task *t, const bonsai_graph *small, const bonsai_graph *full)
{
    bonsai_status rc;
    t->same = !full || full == small;
    full = t->same ? small : full;
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, t->threads));
    BN_TRY(bn_graph_need(full, BN_ALL_SECTIONS, t->threads));
    memcpy(t->parts.percent, t->o.split, sizeof t->parts.percent);
    t->parts.seed = t->o.seed;
    BN_TRY(bn_parts_for(&t->drawn, &t->parts, small, full));
    t->full = t->drawn ? t->drawn : full;
    t->small = t->same ? t->full : small;
    if (!t->same)
        BN_TRY(bn_parts_leaks(&t->leaks, small, t->full));
done:
    return rc;
}

bonsai_status bn_task_make(bn_task *t, const bonsai_graph *small, const bonsai_graph *full,
                           const bonsai_train_options *o)
{
    enum { STEPS = 2 };
    bonsai_status rc;
    BN_TRY(BN_OPTIONS(&t->o, o, train));
    t->threads = bn_threads(t->o.threads);
    t->progress = (bn_progress){t->o.progress, t->o.payload};
    BN_TRY(bn_tick(t->progress, "preparing", 0, STEPS));
    BN_TRY(choose_graphs(t, small, full));
    BN_TRY(list_targets(&t->targets, t->small));
    BN_TRY(bn_judged_list(&t->val, t->full, BONSAI_PART_VAL));
    BN_TRY(bn_judged_list(&t->test, t->full, BONSAI_PART_TEST));
    BN_TRY(check_dims(t));
    BN_TRY(check_metric(t));
    BN_TRY(bn_match(t));
    BN_TRY(bn_tick(t->progress, "preparing", 1, STEPS));
    BN_TRY(make_operands(t));
    BN_TRY(bn_tick(t->progress, "preparing", STEPS, STEPS));
done:
    return rc;
}

void bn_task_free(bn_task *t)
{
    bn_operand_free(&t->train);
    bn_operand_free(&t->judge);
    bn_free(t->targets.node);
    bn_free(t->targets.label);
    bn_free(t->targets.soft);
    bn_free(t->targets.weight);
    bn_judged_free(&t->val);
    bn_judged_free(&t->test);
    bn_free(t->kept);
    bn_free(t->mean);
    bn_free(t->spread);
    bonsai_graph_free(t->drawn);
}
