/* train.c -- bonsai_train, and what it found out.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "train.h"

struct bonsai_training {
    bonsai_train_info info;
    bonsai_run   *run;
    bonsai_epoch *point;
    int64_t       points;
    bonsai_model *model;
};

/* ---- the model ---- */

static bonsai_status copy_floats(float **to, const float *from, int64_t count)
{
    bonsai_status rc = from ? BN_NEW(to, count) : BONSAI_OK;
    if (from && rc == BONSAI_OK)
        memcpy(*to, from, (size_t)count * sizeof **to);
    return rc;
}

static bonsai_status copy_names(bonsai_model *m, const bonsai_graph *g)
{
    const bonsai_array *names = &g->view.section[BONSAI_SECTION_CLASS_NAMES];
    return names->data ? bn_model_names(m, names) : BONSAI_OK;
}

static bonsai_model_info describe(const bn_task *t, const bn_outcome *out)
{
    const bonsai_run *run = &out->run[out->best];
    return (bonsai_model_info){
        .size = sizeof(bonsai_model_info),
        .model = t->dims.kind,
        .layers = t->dims.layers,
        .heads = t->dims.heads,
        .gin_layers = t->dims.gin_layers,
        .epoch = run->best_epoch,
        .features = t->full->view.features,
        .hidden = t->dims.hidden,
        .classes = t->dims.classes,
        .parameters = t->count,
        .accuracy = run->accuracy,
        .accuracy_val = run->accuracy_val,
        .seed = run->seed,
    };
}

static bonsai_status make_model(bonsai_model **out, const bn_task *t, const bn_outcome *from)
{
    bonsai_status rc;
    bonsai_model *m = NULL;
    int64_t f = t->dims.features;
    BN_TRY(bn_model_new(&m, &t->dims));
    m->info = describe(t, from);
    memcpy(m->param, from->param, (size_t)t->count * sizeof *m->param);
    if (t->kept) {
        BN_TRY(BN_NEW(&m->kept, f));
        memcpy(m->kept, t->kept, (size_t)f * sizeof *m->kept);
    }
    BN_TRY(copy_floats(&m->mean, t->mean, f));
    BN_TRY(copy_floats(&m->spread, t->spread, f));
    BN_TRY(copy_names(m, bn_has(t->small, BONSAI_SECTION_CLASS_NAMES) ? t->small : t->full));
    *out = m;
    m = NULL;
done:
    bonsai_model_free(m);
    return rc;
}

/* ---- the report ---- */

/* Of all runs or, where there are no test nodes, of none: -1. */
static void sum_up(bonsai_train_info *info, const bn_task *t, const bn_outcome *out)
{
    double sum = 0, squares = 0;
    int n = t->o.seeds;
    for (int i = 0; i < n; i++) {
        sum += out->run[i].accuracy;
        info->seconds_train += out->run[i].seconds_train;
        info->seconds_eval += out->run[i].seconds_eval;
    }
    info->accuracy_mean = sum / n;
    for (int i = 0; i < n; i++) {
        double d = out->run[i].accuracy - info->accuracy_mean;
        squares += d * d;
    }
    info->accuracy_std = n > 1 ? sqrt(squares / (n - 1)) : 0;
}

static void fill_info(bonsai_train_info *info, const bn_task *t, const bn_outcome *out)
{
    *info = (bonsai_train_info){
        .size = sizeof *info,
        .model = t->dims.kind,
        .runs = t->o.seeds,
        .parameters = t->count,
        .train = t->targets.count,
        .val = t->val.count,
        .test = t->test.count,
        .peak_rss_bytes = bn_peak_rss(),
        .in_blocks = out->in_blocks,
        .split_from = t->parts.from,
        .split_seed = t->parts.seed,
        .leaks = t->leaks,
    };
    memcpy(info->split, t->parts.percent, sizeof info->split);
    sum_up(info, t, out);
}

/* ---- the public calls ---- */

bonsai_status bonsai_train(bonsai_training **out, const bonsai_graph *small,
                           const bonsai_graph *full, const bonsai_train_options *o)
{
    bonsai_status rc;
    bn_task task = {0};
    bn_outcome found = {0};
    bonsai_training *t = NULL;
    double start = bn_seconds();
    *out = NULL;
    BN_TRY(bn_task_make(&task, small, full, o));
    BN_TRY(bn_runs(&found, &task));
    BN_TRY(BN_NEW(&t, 1));
    BN_TRY(make_model(&t->model, &task, &found));
    fill_info(&t->info, &task, &found);
    t->run = found.run;
    t->point = found.point;
    t->points = (int64_t)task.o.seeds * task.o.epochs;
    found.run = NULL;
    found.point = NULL;
    t->info.seconds_total = bn_seconds() - start;
    *out = t;
    t = NULL;
done:
    bonsai_training_free(t);
    bn_outcome_free(&found);
    bn_task_free(&task);
    return rc;
}

void bonsai_training_free(bonsai_training *t)
{
    if (!t)
        return;
    bn_free(t->run);
    bn_free(t->point);
    bonsai_model_free(t->model);
    bn_free(t);
}

const bonsai_train_info *bonsai_training_info(const bonsai_training *t)
{
    return &t->info;
}

int64_t bonsai_training_runs(const bonsai_training *t)
{
    return t->info.runs;
}

int64_t bonsai_training_epochs(const bonsai_training *t)
{
    return t->points;
}

const bonsai_run *bonsai_training_run(const bonsai_training *t, int64_t i)
{
    return i >= 0 && i < t->info.runs ? &t->run[i] : NULL;
}

const bonsai_epoch *bonsai_training_epoch(const bonsai_training *t, int64_t i)
{
    return i >= 0 && i < t->points ? &t->point[i] : NULL;
}

const bonsai_model *bonsai_training_model(const bonsai_training *t)
{
    return t->model;
}
