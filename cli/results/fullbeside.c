/* fullbeside.c -- what training on the full graph gives, beside what training on the small one does.
 *
 * It is trained on with the same options and judged on the same nodes.  That may take long or more
 * memory than there is: then it is left out, and a note says why.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "results/train_eval.h"

enum { LONG = 600, WORTH_SAYING = 20 };         /* seconds */

/* Returns the seconds to expect: an epoch is about as much work as judging all nodes three times.
 * */
static double forecast(const training *t)
{
    double sum = 0;
    for (int k = 0; k < t->count; k++) {
        const bonsai_train_info *i = bonsai_training_info(t->done[k]);
        const double spent = i->seconds_train + i->seconds_eval;
        const double judging = i->seconds_eval / training_judgings(&t->o);
        if (spent > 0)
            sum += 3 * t->o.epochs * judging * i->seconds_total / spent;
    }
    return sum;
}

static int judged_in_blocks(const training *t)
{
    int blocks = 0;
    for (int k = 0; k < t->count; k++)
        blocks |= bonsai_training_info(t->done[k])->in_blocks;
    return blocks;
}

/* Returns 1 if training takes some minutes at most; otherwise notes why not. */
static int is_bearable(session *s, const training *t)
{
    const double wait = forecast(t);
    if (judged_in_blocks(t))
        note(s, "training on %s as well takes more memory than is allowed: its accuracy is left out",
             t->full);
    else if (wait > LONG)
        note(s, "training on %s as well would take about %.0f minutes: its accuracy is left out; "
             "bonsai train measures it", t->full, wait / 60);
    else if (wait > WORTH_SAYING)
        note(s, "training on %s as well takes about %.0f s; --alone leaves it out", t->full, wait);
    return !judged_in_blocks(t) && wait <= LONG;
}

bonsai_status beside_train(session *s, training *t, const bonsai_graph *full)
{
    bonsai_status rc = BONSAI_OK;
    if (t->alone || bonsai_training_info(t->done[0])->test == 0 || !is_bearable(s, t))
        return BONSAI_OK;
    for (int k = 0; k < t->count && rc == BONSAI_OK; k++)
        rc = bonsai_train_beside(&t->beside[k], t->done[k], full, &t->o);
    t->canceled = rc == BONSAI_E_CANCELED;
    if (rc == BONSAI_OK || t->canceled)
        return BONSAI_OK;
    note(s, "%s was not trained on as well: %s", t->full, bonsai_error());
    return BONSAI_OK;
}

/* ---- classes that are lost ------------------------------------------------ */

int beside_judge(session *s, training *t)
{
    const int classes = bonsai_training_info(t->done[0])->classes;
    double *recall = calloc((size_t)classes + 1, sizeof *recall);
    if (!recall)
        return fail_with(s, "there is not enough memory to judge %d classes", classes);
    for (int k = 0; k < t->count; k++) {
        for (int i = 0; i < classes; i++)
            recall[i] = bonsai_training_class(t->done[k], i)->recall_mean;
        t->lost[k] = !t->beside[k] ? -1 : bonsai_judge_lost(
            recall, classes, bonsai_training_info(t->done[k])->metric_mean,
            bonsai_training_info(t->beside[k])->metric_mean);
    }
    free(recall);
    return EXIT_DONE;
}

void beside_add_lost(summary *r, const training *t, int k, const bn_json *names)
{
    const int64_t lost = t->lost[k];
    if (!t->full || lost < 0)
        return;
    const bn_json *called = bn_json_at(names, (size_t)lost);
    const char *name = bn_json_is_text(called) ? bn_json_as_text(called) : NULL;
    char text[200], number[32];
    snprintf(number, sizeof number, "class %lld", (long long)lost);
    snprintf(text, sizeof text, "of %.80s %s finds %.1f %%, trained on the full graph %.1f %%",
             name ? name : number, bonsai_model_name(t->model[k]),
             bonsai_training_class(t->done[k], lost)->recall_mean,
             bonsai_training_class(t->beside[k], lost)->recall_mean);
    summary_text(r, "lost", "classes fare unequally", text);
    r->items[r->count - 1].no_json = 1;
}

/* ---- the table ----------------------------------------------------------- */

/* Returns the percentage that is kept; -1 without a result on the full graph. */
double beside_kept(const training *t, int k)
{
    const bonsai_train_info *i = bonsai_training_info(t->done[k]);
    const double small = i->metric_mean[i->metric];
    const double full = t->beside[k] ? bonsai_training_info(t->beside[k])->metric_mean[i->metric]
                                     : -1;
    return small >= 0 && full > 0 ? 100 * small / full : -1;
}

static bn_json *row(const training *t, int k)
{
    const bonsai_train_info *small = bonsai_training_info(t->done[k]);
    const bonsai_train_info *full = bonsai_training_info(t->beside[k]);
    const bonsai_metric m = small->metric;
    return bn_json_pack("[s,o,o,o,o,o]", bonsai_model_name(small->model),
                        measure_json(small->metric_mean[m]), measure_spread(small, m),
                        measure_json(full->metric_mean[m]), measure_spread(full, m),
                        measure_json(beside_kept(t, k)));
}

void beside_add(summary *r, const training *t, char title[64])
{
    static const column columns[] = {
        {"model", "model", NULL}, {"mean", "small graph %", "%.2f"}, {"std", "std. dev.", "%.2f"},
        {"full_mean", "full graph %", "%.2f"}, {"full_std", "std. dev.", "%.2f"},
        {"kept", "kept %", "%.1f"}, {NULL, NULL, NULL}};
    bn_json *rows = bn_json_array();
    for (int k = 0; k < t->count; k++)
        if (t->beside[k])
            bn_json_add(rows, row(t, k));
    if (bn_json_count(rows) == 0) {
        bn_json_free(rows);
        return;
    }
    measure_title(title, 64, t->o.metric, " on the test nodes, by the graph trained on");
    summary_heading(r, title);
    summary_table(r, "beside", columns, rows);
    r->items[r->count - 1].no_json = 1;
}
