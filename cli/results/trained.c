/* trained.c -- results of training: table, JSON, learning curves.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "files/graphs.h"
#include "results/train_eval.h"

static bn_json *whole(uint64_t value)    /* JSON's whole numbers end before 2^64 */
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return value <= INT64_MAX ? bn_json_whole((int64_t)value) : bn_json_text(text);
}

/* ---- one model ----------------------------------------------------------- */

/* Returns 120, or "110..240" if the runs differ. */
static bn_json *best_epochs(const bonsai_training *t)
{
    char text[48] = "";
    int low = 0, high = 0;
    const bonsai_run *r;
    for (int64_t i = 0; (r = bonsai_training_run(t, i)) != NULL; i++) {
        low = i == 0 || r->best_epoch < low ? r->best_epoch : low;
        high = r->best_epoch > high ? r->best_epoch : high;
    }
    if (low == high)
        return bn_json_whole(low);
    snprintf(text, sizeof text, "%d..%d", low, high);
    return bn_json_text(text);
}

static bn_json *model_row(const training *t, const bonsai_training *of)
{
    const bonsai_train_info *i = bonsai_training_info(of);
    double n = (double)i->runs;
    return bn_json_pack("[s,o,o,o,o,I,f,f,f]", bonsai_model_name(i->model),
                        measure_json(i->metric_mean[i->metric]), measure_spread(i, i->metric),
                        measure_json(i->metric_val_mean[i->metric]), best_epochs(of),
                        (int64_t)i->parameters,
                        1000 * i->seconds_train / (n * t->o.epochs),
                        1000 * i->seconds_eval / (n * training_judgings(&t->o)), i->seconds_total);
}

static bn_json *run_json(const bonsai_run *r)
{
    bn_json *run = bn_json_pack("{s:o}", "seed", whole(r->seed));
    measures_set(run, "", r->metric);
    measures_set(run, "_val", r->metric_val);
    bn_json *rest = bn_json_pack("{s:i,s:f,s:f,s:f}", "best_epoch", r->best_epoch, "loss", r->loss,
                                 "seconds_train", r->seconds_train, "seconds_eval",
                                 r->seconds_eval);
    bn_json_update(run, rest);
    bn_json_free(rest);
    return run;
}

static bn_json *runs_json(const bonsai_training *of)
{
    const bonsai_run *r;
    bn_json *list = bn_json_array();
    for (int64_t k = 0; (r = bonsai_training_run(of, k)) != NULL; k++)
        bn_json_add(list, run_json(r));
    return list;
}

static bn_json *classes_json(const bonsai_training *of, const bn_json *names)
{
    const bonsai_class *c;
    bn_json *list = bn_json_array();
    for (int64_t k = 0; (c = bonsai_training_class(of, k)) != NULL; k++)
        bn_json_add(list, bn_json_pack("{s:o,s:I,s:o,s:o}", "class",
                                       bn_json_keep(bn_json_at(names, (size_t)k)), "test",
                                       (int64_t)c->test, "recall_mean",
                                       measure_json(c->recall_mean), "recall_std",
                                       measure_json(c->test ? c->recall_std : -1)));
    return list;
}

/* Returns the results of a training; null for NULL. */
static bn_json *trained_on_json(const bonsai_training *of, const bn_json *names)
{
    if (!of)
        return bn_json_null();
    const bonsai_train_info *i = bonsai_training_info(of);
    bn_json *model = bn_json_pack("{s:s}", "model", bonsai_model_name(i->model));
    measures_set_spread(model, i->metric_mean, i->metric_std);
    measures_set(model, "_val_mean", i->metric_val_mean);
    bn_json *rest = bn_json_pack("{s:o,s:o,s:f,s:f,s:f,s:I,s:I,s:b}", "runs", runs_json(of),
                                 "classes", classes_json(of, names), "seconds_train",
                                 i->seconds_train, "seconds_eval", i->seconds_eval, "seconds_total",
                                 i->seconds_total, "parameters", (int64_t)i->parameters,
                                 "peak_rss_bytes", (int64_t)i->peak_rss_bytes, "in_blocks",
                                 i->in_blocks);
    bn_json_update(model, rest);
    bn_json_free(rest);
    return model;
}

static bn_json *model_json(const training *t, int k, const bn_json *names)
{
    const char *saved = t->to[k];
    bn_json *model = trained_on_json(t->done[k], names);
    bn_json_set(model, "saved", *saved ? bn_json_text(saved) : bn_json_null());
    if (t->full) {
        const int64_t lost = t->lost[k];
        bn_json_set(model, "full", trained_on_json(t->beside[k], names));
        bn_json_set(model, "kept", measure_json(beside_kept(t, k)));
        bn_json_set(model, "lost_class", lost < 0 ? bn_json_null()
                                                  : bn_json_keep(bn_json_at(names, (size_t)lost)));
    }
    return model;
}

static bn_json *options_json(const training *t)
{
    const bonsai_train_options *o = &t->o;
    bn_json *all = bn_json_pack("{s:s,s:i,s:I,s:i,s:i,s:i,s:i,s:i,s:f,s:f,s:f,s:s,s:b,s:f,s:b,s:I,"
                                "s:s,s:o}",
                        "protocol", training_protocol_name(t->protocol), "layers", o->layers, "hidden",
                        (int64_t)o->hidden, "heads", o->heads, "gin_layers", o->gin_layers,
                        "epochs", o->epochs, "every", o->every, "seeds", o->seeds, "rate", o->rate,
                        "decay", o->decay, "dropout", o->dropout, "standardise",
                        training_standardise(o), "weighted", o->weighted, "cut", o->cut,
                        "uniform", o->uniform,
                        "memory", (int64_t)o->memory, "metric", bonsai_metric_name(o->metric), "seed",
                        whole(o->seed));
    if (o->class_weight)
        bn_json_set(all, "class_weight", bn_json_text(o->class_weight));
    return all;
}

/* ---- all models ---------------------------------------------------------- */

typedef struct {                /* of tables that are made up here, until they are printed */
    char   mean[32], title[64], beside[64];
    char   full[BONSAI_MODEL_COUNT][2][32];     /* keys and labels */
    column model[10], class[3 + 2 * BONSAI_MODEL_COUNT];
} heads;

static void add_setting(summary *r, const training *t)
{
    const bonsai_train_info *i = bonsai_training_info(t->done[0]);
    summary_heading(r, "Training");
    summary_text(r, "trained_on", "trained on", t->path);
    summary_text(r, "judged_on", t->full ? "judged on" : NULL, t->full ? t->full : t->path);
    summary_text(r, "split", "split", t->parts);
    summary_int(r, "train", "training nodes", i->train);
    summary_int(r, "val", "validation nodes", i->val);
    summary_int(r, "test", "test nodes", i->test);
    summary_int(r, "epochs", "epochs", t->o.epochs);
    summary_note(r, "judged every %d; the best on the validation nodes counts", t->o.every);
    summary_int(r, "seeds", "runs", t->o.seeds);
}

static void add_models(summary *r, const training *t, heads *h)
{
    const column columns[] = {
        {"model", "model", NULL}, {"mean", h->mean, "%.2f"},
        {"std", "std. dev.", "%.2f"}, {"val_mean", "validation %", "%.2f"},
        {"best_epoch", "best epoch", NULL}, {"parameters", "parameters", NULL},
        {"epoch_ms", "epoch ms", "%.2f"}, {"judge_ms", "judge ms", "%.2f"},
        {"seconds_total", "seconds", "%.2f"}, {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    memcpy(h->model, columns, sizeof columns);
    snprintf(h->mean, sizeof h->mean, "%s %%", bonsai_metric_name(t->o.metric));
    measure_title(h->title, sizeof h->title, t->o.metric, " on the test nodes");
    for (int i = 0; i < t->count; i++)
        bn_json_add(rows, model_row(t, t->done[i]));
    summary_heading(r, h->title);
    summary_table(r, "model", h->model, rows);
    r->items[r->count - 1].no_json = 1;
}

/* Adds the other metrics, where they are defined. */
static void add_others(summary *r, const training *t)
{
    static const column columns[] = {
        {"model", "model", NULL}, {"metric", "metric", NULL}, {"mean", "test %", "%.2f"},
        {"std", "std. dev.", "%.2f"}, {"val_mean", "validation %", "%.2f"}, {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    for (int i = 0; i < t->count; i++)
        for (int m = 0; m < BONSAI_METRIC_COUNT; m++) {
            const bonsai_train_info *f = bonsai_training_info(t->done[i]);
            if (m != (int)f->metric && f->metric_mean[m] >= 0)
                bn_json_add(rows, bn_json_pack("[s,s,o,o,o]", bonsai_model_name(f->model),
                                               bonsai_metric_name((bonsai_metric)m),
                                               measure_json(f->metric_mean[m]),
                                               measure_spread(f, (bonsai_metric)m),
                                               measure_json(f->metric_val_mean[m])));
        }
    if (bn_json_count(rows))
        summary_heading(r, "Other metrics");
    summary_table(r, "metric", columns, rows);
    r->items[r->count - 1].no_json = 1;
}

/* Names a column per model and, if it was trained on the full graph, one behind for that. */
static void name_classes(heads *h, const training *t)
{
    column *at = h->class;
    *at++ = (column){"class", "class", NULL};
    *at++ = (column){"test", "test nodes", NULL};
    for (int i = 0; i < t->count; i++) {
        const char *name = bonsai_model_name(t->model[i]);
        *at++ = (column){name, name, "%.2f"};
        if (!t->beside[i])
            continue;
        snprintf(h->full[i][0], sizeof h->full[i][0], "%s_full", name);
        snprintf(h->full[i][1], sizeof h->full[i][1], "%s, full graph", name);
        *at++ = (column){h->full[i][0], h->full[i][1], "%.2f"};
    }
    *at = (column){NULL, NULL, NULL};
}

static void add_classes(summary *r, const training *t, heads *h, const bn_json *names)
{
    const bonsai_class *c;
    bn_json *rows = bn_json_array();
    name_classes(h, t);
    for (int64_t k = 0; (c = bonsai_training_class(t->done[0], k)) != NULL; k++) {
        bn_json *row = bn_json_pack("[o,I]", bn_json_keep(bn_json_at(names, (size_t)k)),
                                    (int64_t)c->test);
        for (int i = 0; i < t->count; i++) {
            bn_json_add(row, measure_json(bonsai_training_class(t->done[i], k)->recall_mean));
            if (t->beside[i])
                bn_json_add(row, measure_json(bonsai_training_class(t->beside[i], k)->recall_mean));
        }
        bn_json_add(rows, row);
    }
    summary_heading(r, "Recall of each class on the test nodes, in percent");
    summary_table(r, "recall", h->class, rows);
    r->items[r->count - 1].limit = CLASSES_SHOWN;
    r->items[r->count - 1].no_json = 1;
}

static void add_json(summary *r, const training *t, const bn_json *names)
{
    bn_json *all = bn_json_array();
    for (int i = 0; i < t->count; i++)
        bn_json_add(all, model_json(t, i, names));
    summary_json(r, "models", all);
}

static void add_written(summary *r, const training *t)
{
    if (t->save || t->curves)
        summary_heading(r, "Written");
    for (int i = 0; i < t->count && t->save; i++) {
        summary_text(r, "saved", bonsai_model_name(t->model[i]), t->to[i]);
        r->items[r->count - 1].no_json = 1;
    }
    if (t->curves)
        summary_text(r, "curves", "curves", t->curves);
}

static void add_all(summary *r, const training *t, heads *h, const bonsai_graph *g)
{
    bn_json *names = class_list(bonsai_graph_view(g));
    add_setting(r, t);
    if (t->full)
        beside_add(r, t, h->beside);
    add_models(r, t, h);
    if (bonsai_training_info(t->done[0])->test > 0) {
        add_others(r, t);
        add_classes(r, t, h, names);
        for (int i = 0; i < t->count; i++)
            beside_add_lost(r, t, i, names);
    }
    add_json(r, t, names);
    add_written(r, t);
    summary_json(r, "options", options_json(t));
    bn_json_free(names);
}

int trained_print(session *s, const training *t, const bonsai_graph *g)
{
    summary r = {.count = 0};
    heads h;
    add_all(&r, t, &h, g);
    return summary_print(&r, s);
}

bn_json *trained_json(const training *t, const bonsai_graph *g)
{
    summary r = {.count = 0};
    heads h;
    add_all(&r, t, &h, g);
    bn_json *all = summary_object(&r);
    summary_free(&r);
    return all;
}

/* ---- learning curves ----------------------------------------------------- */

static void put_measures(csv *out, const double *val, const double *test)
{
    for (int m = 0; m < BONSAI_METRIC_COUNT; m++)
        for (int k = 0; k < 2; k++) {
            double value = k ? test[m] : val[m];
            fputc(',', out->file);
            if (value >= 0)
                fprintf(out->file, "%.6g", value);
        }
}

int trained_curves(session *s, const training *t)
{
    csv out;
    const char *name;
    if (csv_begin(s, &out, t->curves) != EXIT_DONE)
        return EXIT_FAILED;
    fputs("model,seed,epoch,loss", out.file);
    for (int m = 0; (name = bonsai_metric_name((bonsai_metric)m)); m++)
        fprintf(out.file, ",%s_val,%s_test", name, name);
    fputc('\n', out.file);
    for (int i = 0; i < t->count; i++) {
        const bonsai_epoch *e;
        for (int64_t k = 0; (e = bonsai_training_epoch(t->done[i], k)) != NULL; k++) {
            uint64_t seed = bonsai_training_run(t->done[i], e->run)->seed;
            fprintf(out.file, "%s,%llu,%d,%.9g", bonsai_model_name(t->model[i]),
                    (unsigned long long)seed, e->epoch, e->loss);
            put_measures(&out, e->metric_val, e->metric_test);
            fputc('\n', out.file);
        }
    }
    return csv_end(s, &out);
}
