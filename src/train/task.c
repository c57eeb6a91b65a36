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
#include "options/options.h"
#include "train.h"

static bonsai_status check_dims(bn_task *t)
{
    const bonsai_train_options *o = &t->o;
    bn_param table[BN_MOST_PARAMS];
    int entries;
    if (t->small->view.features == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, t->small->where, "has no features; give every node "
                          "some, such as its degree or a one-hot id");
    t->dims = (bn_dims){.kind = o->model, .layers = o->layers, .heads = o->heads,
                        .gin_layers = o->gin_layers, .features = t->small->view.features,
                        .hidden = o->hidden, .classes = t->small->view.classes,
                        .weighted = o->weighted != 0};
    bonsai_status rc = bn_dims_check(&t->dims, t->small->where);
    if (rc == BONSAI_OK)
        bn_dims_params(table, &entries, &t->count, &t->dims);
    return rc;
}

/* ---- the metric ---- */

/* Some metrics are not defined for every graph. */
static bonsai_status check_metric(const bn_task *t)
{
    const bonsai_metric m = t->o.metric;
    const bool of_two = m == BONSAI_METRIC_AUC || m == BONSAI_METRIC_F1MAX;
    bool alike = true;
    if (!of_two && m != BONSAI_METRIC_AP)
        return BONSAI_OK;
    if (of_two && t->dims.classes != 2)
        return bn_fail_at(BONSAI_E_ARGUMENT, t->full->where, "has %lld classes, but the metric %s "
                          "is for two; balanced and f1 are for any number",
                          (long long)t->dims.classes, bonsai_metric_name(m));
    for (int64_t i = 1; i < t->val.count; i++)
        alike = alike && t->val.label[i] == t->val.label[0];
    if (t->val.count && alike)
        return bn_fail_at(BONSAI_E_ARGUMENT, t->full->where, "all %lld validation nodes are of "
                          "class %d, but the metric %s needs %s classes", (long long)t->val.count,
                          (int)t->val.label[0], bonsai_metric_name(m), of_two ? "both" : "two");
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
    t->given = t->full;
    if (t->same)
        goto done;
    BN_TRY(bn_parts_leaks(&t->leaks, small, t->full));
    BN_TRY(bn_projected(&t->projected, t->full, small));
    t->full = t->projected ? t->projected : t->full;
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
    BN_TRY(bn_targets_list(&t->targets, t->small));
    BN_TRY(bn_weigh_classes(&t->targets, t->small->view.classes, t->o.class_weight, t->small->where));
    BN_TRY(bn_targets_check(&t->targets, t->small));
    BN_TRY(bn_judged_list(&t->val, t->full, BONSAI_PART_VAL));
    BN_TRY(bn_judged_list(&t->test, t->full, BONSAI_PART_TEST));
    t->positive = bn_rarer(t->full);
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
    bn_targets_free(&t->targets);
    bn_judged_free(&t->val);
    bn_judged_free(&t->test);
    bn_free(t->kept);
    bn_free(t->mean);
    bn_free(t->spread);
    bonsai_graph_free(t->projected);
    bonsai_graph_free(t->drawn);
}
