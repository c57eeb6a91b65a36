/* trained.c -- results of training: table, JSON, learning curves.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "cli.h"

static bn_json *known(double value)      /* an accuracy of -1: none */
{
    return isfinite(value) && value >= 0 ? bn_json_real(value) : bn_json_null();
}

static bn_json *spread(const bonsai_train_info *i)
{
    return known(i->accuracy_mean >= 0 ? i->accuracy_std : -1);
}

static bn_json *whole(uint64_t value)    /* JSON's whole numbers end before 2^64 */
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return value <= INT64_MAX ? bn_json_whole((int64_t)value) : bn_json_text(text);
}

/* ---- one model ----------------------------------------------------------- */

static double mean_val(const bonsai_training *t)
{
    const bonsai_run *r;
    double sum = 0;
    int64_t count = 0;
    for (; (r = bonsai_training_run(t, count)) != NULL; count++) {
        if (!(r->accuracy_val >= 0))
            return -1;
        sum += r->accuracy_val;
    }
    return count ? sum / (double)count : -1;
}

/* "120", or "110..240" if the runs differ. */
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

/* How often a run was judged. */
static double judgings(const bonsai_train_options *o)
{
    return ceil((double)o->epochs / o->every);
}

static bn_json *model_row(const training *t, const bonsai_training *of)
{
    const bonsai_train_info *i = bonsai_training_info(of);
    int64_t count = bonsai_training_runs(of);
    double n = (double)(count ? count : 1);
    return bn_json_pack("[s,o,o,o,o,I,f,f,f]", bonsai_model_name(i->model), known(i->accuracy_mean),
                        count > 1 ? spread(i) : bn_json_null(),
                        known(mean_val(of)), best_epochs(of),
                        (int64_t)i->parameters,
                        1000 * i->seconds_train / (n * t->o.epochs),
                        1000 * i->seconds_eval / (n * judgings(&t->o)), i->seconds_total);
}

static bn_json *run_json(const bonsai_run *r)
{
    return bn_json_pack("{s:o,s:o,s:o,s:i,s:f,s:f,s:f}", "seed", whole(r->seed), "accuracy",
                        known(r->accuracy), "accuracy_val", known(r->accuracy_val), "best_epoch",
                        r->best_epoch, "loss", r->loss, "seconds_train", r->seconds_train,
                        "seconds_eval", r->seconds_eval);
}

static bn_json *model_json(const bonsai_training *of, const char *saved)
{
    const bonsai_train_info *i = bonsai_training_info(of);
    const bonsai_run *r;
    bn_json *list = bn_json_array();
    for (int64_t k = 0; (r = bonsai_training_run(of, k)) != NULL; k++)
        bn_json_add(list, run_json(r));
    return bn_json_pack("{s:s,s:o,s:o,s:o,s:o,s:f,s:f,s:f,s:I,s:I,s:b,s:o}", "model",
                        bonsai_model_name(i->model), "accuracy_mean", known(i->accuracy_mean),
                        "accuracy_std", spread(i), "accuracy_val_mean",
                        known(mean_val(of)), "runs", list, "seconds_train",
                        i->seconds_train, "seconds_eval", i->seconds_eval, "seconds_total",
                        i->seconds_total, "parameters", (int64_t)i->parameters, "peak_rss_bytes",
                        (int64_t)i->peak_rss_bytes, "in_blocks", i->in_blocks, "saved",
                        *saved ? bn_json_text(saved) : bn_json_null());
}

static bn_json *options_json(const training *t)
{
    const bonsai_train_options *o = &t->o;
    return bn_json_pack("{s:s,s:i,s:I,s:i,s:i,s:i,s:i,s:i,s:f,s:f,s:f,s:b,s:I,s:o}", "protocol",
                        t->protocol ? "paper" : "default", "layers", o->layers, "hidden",
                        (int64_t)o->hidden, "heads", o->heads, "gin_layers", o->gin_layers,
                        "epochs", o->epochs, "every", o->every, "seeds", o->seeds, "rate", o->rate,
                        "decay", o->decay, "dropout", o->dropout, "standardise", o->standardise,
                        "memory", (int64_t)o->memory, "seed", whole(o->seed));
}

/* ---- all models ---------------------------------------------------------- */

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

static void add_models(summary *r, const training *t)
{
    static const column columns[] = {
        {"model", "model", NULL}, {"accuracy_mean", "accuracy %", "%.2f"},
        {"accuracy_std", "+-", "%.2f"}, {"accuracy_val_mean", "validation %", "%.2f"},
        {"best_epoch", "best epoch", NULL}, {"parameters", "parameters", NULL},
        {"epoch_ms", "epoch ms", "%.2f"}, {"judge_ms", "judge ms", "%.2f"},
        {"seconds_total", "seconds", "%.2f"}, {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array(), *all = bn_json_array();
    for (int i = 0; i < t->count; i++) {
        bn_json_add(rows, model_row(t, t->done[i]));
        bn_json_add(all, model_json(t->done[i], t->to[i]));
    }
    summary_heading(r, "Accuracy on the test nodes");
    summary_table(r, "model", columns, rows);
    r->items[r->count - 1].no_json = 1;
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

int trained_print(session *s, const training *t)
{
    summary r = {.count = 0};
    add_setting(&r, t);
    add_models(&r, t);
    add_written(&r, t);
    summary_json(&r, "options", options_json(t));
    return summary_print(&r, s);
}

/* ---- learning curves ----------------------------------------------------- */

static void put_accuracy(csv *out, double value)
{
    fputc(',', out->file);
    if (value >= 0)
        fprintf(out->file, "%.6g", value);
}

int trained_curves(session *s, const training *t)
{
    csv out;
    if (csv_begin(s, &out, t->curves) != EXIT_DONE)
        return EXIT_FAILED;
    fputs("model,seed,epoch,loss,accuracy_val,accuracy_test\n", out.file);
    for (int i = 0; i < t->count; i++) {
        const bonsai_epoch *e;
        for (int64_t k = 0; (e = bonsai_training_epoch(t->done[i], k)) != NULL; k++) {
            uint64_t seed = bonsai_training_run(t->done[i], e->run)->seed;
            fprintf(out.file, "%s,%llu,%d,%.9g", bonsai_model_name(t->model[i]),
                    (unsigned long long)seed, e->epoch, e->loss);
            put_accuracy(&out, e->accuracy_val);
            put_accuracy(&out, e->accuracy_test);
            fputc('\n', out.file);
        }
    }
    return csv_end(s, &out);
}
