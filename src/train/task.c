/* task.c -- prepares a training: checks options, lists targets, prepares graphs.
 *
 * Labels of validation and test nodes are read only into the lists that judge.
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

/* Fails if the metric is not defined for the graph. */
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

/* ---- features ---- */

/* A condensed graph may keep some of the features only, and may have been standardised: then the
 * full graph is treated alike. */

static bonsai_status room_for_standard(bn_task *t)
{
    bonsai_status rc = BN_NEW(&t->mean, t->small->view.features);
    return rc != BONSAI_OK ? rc : BN_NEW(&t->spread, t->small->view.features);
}

/* Returns the mean or spread by which a graph says it was standardised; a spread of 0 counts as
 * 1. */
static float standard_of(const bonsai_graph *g, bonsai_section s, int64_t j)
{
    float v = bn_real_at(&g->view.section[s], j);
    return s == BONSAI_SECTION_FEATURE_SPREAD && v == 0 ? 1.0f : v;
}

/* Fails unless both graphs, which are standardised, are so by the same numbers. */
static bonsai_status same_standard(const bn_task *t)
{
    const bonsai_array *x = t->small->view.section;
    if (bn_is_standardised(t->full, x[BONSAI_SECTION_FEATURE_MEAN].data,
                           x[BONSAI_SECTION_FEATURE_SPREAD].data, t->kept,
                           t->small->view.features))
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "the features of %s are standardised, but those of %s are "
                   "not, or not by the same mean and spread", t->full->where, t->small->where);
}

/* Gives the model the numbers by which small was standardised, even if both graphs are: it may
 * predict on a graph that is not. */
static bonsai_status match_standard(bn_task *t)
{
    bonsai_status rc = BONSAI_OK;
    bool given = bn_has(t->small, BONSAI_SECTION_FEATURE_MEAN);
    bool ready = bn_has(t->full, BONSAI_SECTION_FEATURE_MEAN);
    if (!t->same && ready)
        BN_TRY(same_standard(t));
    if (given) {
        BN_TRY(room_for_standard(t));
        for (int64_t j = 0; j < t->small->view.features; j++) {
            t->mean[j] = standard_of(t->small, BONSAI_SECTION_FEATURE_MEAN, j);
            t->spread[j] = standard_of(t->small, BONSAI_SECTION_FEATURE_SPREAD, j);
        }
    } else if (t->o.standardise && t->small->spanned) {
        return bn_fail(BONSAI_E_ARGUMENT, "the features of %s are coordinates, which are not "
                       "standardised", t->small->where);
    } else if (t->o.standardise) {
        BN_TRY(room_for_standard(t));
        BN_TRY(bn_standard(t->mean, t->spread, t->full,
                           &(bn_standard_of){t->kept, t->small->view.features,
                                             t->o.standardise == BONSAI_STANDARDISE_ALL},
                           t->threads));
        t->of_small.mean = t->mean;
        t->of_small.spread = t->spread;
    }
    t->of_full.mean = ready ? NULL : t->mean;
    t->of_full.spread = ready ? NULL : t->spread;
done:
    return rc;
}

static bonsai_status match_features(bn_task *t)
{
    bonsai_status rc = BONSAI_OK;
    if (!t->same)
        BN_TRY(bn_compatible_check(&t->kept, t->small, t->full, BN_SAME_COLUMNS, t->threads));
    t->of_small.count = t->of_full.count = t->small->view.features;
    t->of_full.kept = t->kept;
    BN_TRY(match_standard(t));
done:
    return rc;
}

/* ---- memory ---- */

/* Returns a share of all memory, not of the free memory: what is kept decides how sums are rounded,
 * and the same training must give the same bits on a busy day. */
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

/* ---- the task ---- */

static bonsai_status choose_graphs(bn_task *t, const bonsai_graph *small, const bonsai_graph *full)
{
    bonsai_status rc;
    t->same = !full || full == small;
    full = t->same ? small : full;
    BN_TRY(bn_graph_need(small, BN_ALL_SECTIONS, t->threads));
    BN_TRY(bn_graph_need(full, BN_ALL_SECTIONS, t->threads));
    memcpy(t->parts.percent, t->o.split, sizeof t->parts.percent);
    t->parts.seed = t->o.seed;
    BN_TRY(bn_judge_split_of(&t->drawn, &t->parts, small, full));
    t->full = t->drawn ? t->drawn : full;
    t->small = t->same ? t->full : small;
    t->given = t->full;
    if (t->same)
        goto done;
    BN_TRY(bn_judge_split_leaks(&t->leaks, small, t->full));
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
    BN_TRY(bn_weigh_classes(&t->targets, t->small->view.classes, t->o.class_weight,
                            t->small->where));
    BN_TRY(bn_targets_check(&t->targets, t->small));
    BN_TRY(bn_judged_list(&t->val, t->full, BONSAI_PART_VAL));
    BN_TRY(bn_judged_list(&t->test, t->full, BONSAI_PART_TEST));
    t->positive = bn_rarer(t->full);
    BN_TRY(check_dims(t));
    BN_TRY(check_metric(t));
    BN_TRY(match_features(t));
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
