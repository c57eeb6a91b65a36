/* train.c -- bonsai_train, and access to its results.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "prototypes/basis.h"
#include "train.h"

struct bonsai_training {
    bonsai_train_info info;
    bonsai_run   *run;
    bonsai_epoch *point;
    int64_t       points;
    bonsai_class *class;        /* info.classes */
    double        idle;         /* the metric of naming the largest class */
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

/* Copies the names of the columns that the first layer reads. */
static bonsai_status copy_feature_names(bonsai_model *m, const bn_task *t)
{
    const bool own = bn_has(t->small, BONSAI_SECTION_FEATURE_NAMES);
    const bonsai_graph *g = own ? t->small : t->given;
    return bn_names_pick(&m->feature_names, &m->feature_names_len,
                         &g->view.section[BONSAI_SECTION_FEATURE_NAMES], own ? NULL : t->kept,
                         m->dims.features);
}

static bonsai_model_info describe(const bn_task *t, const bn_outcome *out)
{
    const bonsai_run *run = &out->run[out->best];
    bonsai_model_info info = {
        .size = sizeof(bonsai_model_info),
        .model = t->dims.kind,
        .layers = t->dims.layers,
        .heads = t->dims.heads,
        .gin_layers = t->dims.gin_layers,
        .epoch = run->best_epoch,
        .features = t->given->view.features,
        .hidden = t->dims.hidden,
        .classes = t->dims.classes,
        .parameters = t->count,
        .accuracy = run->accuracy,
        .accuracy_val = run->accuracy_val,
        .seed = run->seed,
        .weighted = t->dims.weighted,
    };
    if (t->parts.from == BONSAI_SPLIT_OWN || t->parts.from == BONSAI_SPLIT_NONE)
        return info;
    memcpy(info.split, t->parts.percent, sizeof info.split);
    info.split_seed = t->parts.seed;
    info.split_labels = bn_split_sum(t->full);
    return info;
}

/* Returns whether the model is to read the original features: not if a caller projected the judged
 * graph. */
static bool is_folded(const bn_task *t)
{
    return t->projected || (t->same && t->small->spanned);
}

/* Sets out (f x h) to the projection times w (r x h), each sum in the order of the directions. */
static void fold(float *out, const bn_basis *b, const float *w, int64_t h)
{
    for (int64_t j = 0; j < b->f; j++) {
        const float *share = b->project.w + j * b->project.wide;
        for (int64_t k = 0; k < h; k++) {
            double sum = 0;
            for (int64_t i = 0; i < b->r; i++)
                sum += (double)share[i] * (double)w[i * h + k];
            out[j * h + k] = (float)sum;
        }
    }
}

/* Turns a model of the coordinates of small into a model of the features that they encode: its
 * first layer, times the projection.  Every layer begins with a product by the features, so nothing
 * else changes, and predicting needs no projection. */
static bonsai_status fold_model(bonsai_model *m, const bonsai_graph *small)
{
    bonsai_status rc;
    bn_basis b = {.f = 0};
    bn_param from[BN_MOST_PARAMS], to[BN_MOST_PARAMS];
    bn_dims dims = m->dims;
    int count;
    int64_t total;
    float *param = NULL;
    BN_TRY(bn_basis_of(&b, small));
    dims.features = b.f;
    BN_TRY(bn_dims_check(&dims, small->where));
    bn_dims_params(from, &count, &total, &m->dims);
    bn_dims_params(to, &count, &total, &dims);
    BN_TRY(BN_NEW(&param, total));
    for (int i = 0; i < count; i++)
        if (to[i].rows != from[i].rows)
            fold(param + to[i].at, &b, m->param + from[i].at, to[i].cols);
        else
            memcpy(param + to[i].at, m->param + from[i].at,
                   (size_t)(to[i].rows * to[i].cols) * sizeof *param);
    bn_free(m->param);
    m->param = param;
    m->count = m->info.parameters = total;
    m->dims = dims;
    m->info.features = b.f;
done:
    bn_basis_free(&b);
    return rc;
}

static bonsai_status make_model(bonsai_model **out, const bn_task *t, const bn_outcome *from)
{
    bonsai_status rc;
    bonsai_model *m = NULL;
    int64_t f = t->dims.features;
    BN_TRY(bn_model_new(&m, &t->dims));
    m->info = describe(t, from);
    memcpy(m->param, from->param, (size_t)t->count * sizeof *m->param);
    if (is_folded(t))
        BN_TRY(fold_model(m, t->small));
    if (t->kept) {
        BN_TRY(BN_NEW(&m->kept, f));
        memcpy(m->kept, t->kept, (size_t)f * sizeof *m->kept);
    }
    BN_TRY(copy_floats(&m->mean, t->mean, f));
    BN_TRY(copy_floats(&m->spread, t->spread, f));
    if (t->given->view.features == m->info.features)
        BN_TRY(bn_model_scales(m, t->given));
    BN_TRY(copy_names(m, bn_has(t->small, BONSAI_SECTION_CLASS_NAMES) ? t->small : t->full));
    BN_TRY(copy_feature_names(m, t));
    *out = m;
    m = NULL;
done:
    bonsai_model_free(m);
    return rc;
}

/* ---- the report ---- */

/* Computes mean and deviation of n runs, whose values are `step` bytes apart.  All runs are judged
 * on the same nodes: if a value is -1, not defined, all are. */
static void spread(double *mean, double *std, const double *first, size_t step, int n)
{
    double sum = 0, squares = 0;
    const char *at = (const char *)first;
    for (int i = 0; i < n; i++)
        sum += *(const double *)(at + (size_t)i * step);
    *mean = sum / n;
    for (int i = 0; i < n; i++) {
        double d = *(const double *)(at + (size_t)i * step) - *mean;
        squares += d * d;
    }
    *std = n > 1 ? sqrt(squares / (n - 1)) : 0;
}

static void sum_up(bonsai_train_info *info, const bn_task *t, const bn_outcome *out)
{
    const bonsai_run *run = out->run;
    double unused;
    for (int m = 0; m < BONSAI_METRIC_ROOM; m++) {
        spread(&info->metric_mean[m], &info->metric_std[m], &run->metric[m], sizeof *run,
               t->o.seeds);
        spread(&info->metric_val_mean[m], &unused, &run->metric_val[m], sizeof *run, t->o.seeds);
    }
    info->accuracy_mean = info->metric_mean[BONSAI_METRIC_ACCURACY];
    info->accuracy_std = info->metric_std[BONSAI_METRIC_ACCURACY];
    for (int i = 0; i < t->o.seeds; i++) {
        info->seconds_train += run[i].seconds_train;
        info->seconds_eval += run[i].seconds_eval;
    }
}

static bonsai_status list_classes(bonsai_class **out, const bn_task *t, const double *recall)
{
    const int64_t c = t->dims.classes;
    bonsai_status rc = BN_NEW(out, c);
    for (int64_t k = 0; rc == BONSAI_OK && k < c; k++) {
        bonsai_class *one = &(*out)[k];
        one->size = sizeof *one;
        spread(&one->recall_mean, &one->recall_std, recall + k, (size_t)c * sizeof *recall,
               t->o.seeds);
    }
    for (int64_t i = 0; rc == BONSAI_OK && i < t->test.count; i++)
        (*out)[t->test.label[i]].test++;
    return rc;
}

/* Computes the metric of a model that has learned nothing, on the test nodes. */
static bonsai_status find_idle(double *idle, const bn_task *t)
{
    int64_t *labels = NULL;
    bonsai_status rc = BN_NEW(&labels, t->dims.classes);
    for (int64_t i = 0; rc == BONSAI_OK && i < t->test.count; i++)
        labels[t->test.label[i]]++;
    if (rc == BONSAI_OK)
        *idle = bn_idle(t->o.metric, labels, t->dims.classes, t->positive);
    bn_free(labels);
    return rc;
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
        .metric = t->o.metric,
        .classes = (int)t->dims.classes,
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
    const double start = bn_seconds();
    if (BN_NO_PLACE(out) || bn_is_null(small, "the small graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_task_make(&task, small, full, o));
    BN_TRY(bn_runs(&found, &task));
    BN_TRY(BN_NEW(&t, 1));
    BN_TRY(make_model(&t->model, &task, &found));
    BN_TRY(list_classes(&t->class, &task, found.recall));
    BN_TRY(find_idle(&t->idle, &task));
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
    bn_free(t->class);
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

const bonsai_class *bonsai_training_class(const bonsai_training *t, int64_t i)
{
    return i >= 0 && i < t->info.classes ? &t->class[i] : NULL;
}

int64_t bonsai_training_idle(double *percent, const bonsai_training *t)
{
    const double better = 1;            /* point */
    const bonsai_metric m = t->info.metric;
    int64_t all = 0, most = -1;
    for (int64_t k = 0; k < t->info.classes; k++) {
        all += t->class[k].test;
        most = most < 0 || t->class[k].test > t->class[most].test ? k : most;
    }
    *percent = all > 0 ? t->idle : 0;
    return all > 0 && t->class[most].test < all && t->info.metric_mean[m] <= *percent + better
               ? most : -1;
}

const bonsai_model *bonsai_training_model(const bonsai_training *t)
{
    return t->model;
}
