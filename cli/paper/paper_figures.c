/* paper_figures.c -- the paper's curves: its parameters, and pairs of nodes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "paper.h"

static const double ratio = 3;  /* percent, for all parameters */

/* ---- parameters ---------------------------------------------------------- */

typedef struct {                /* accuracy and time of trees at 3 % against one of its options */
    table_name  which;
    const char *key, *label, *title;
    int64_t     at[6];          /* -1: every tree; ended by 0 */
    variant     made[5];        /* ... and so */
} parameter;

static bn_json *curve(const char *name, bn_json *points)
{
    return bn_json_pack("{s:s,s:o}", "name", name, "at", points);
}

static bn_json *parameter_table(const paper *p, const parameter *q)
{
    bn_json *t = table_new(q->which, q->title,
                           "Trees at 3 % in strict bytes, with a GCN. The paper shows this as a "
                           "figure without numbers.", 3);
    bn_json *accuracies = bn_json_array(), *times = bn_json_array();
    table_key(t, "dataset", "dataset");
    table_key(t, q->key, q->label);
    table_column(t, "accuracy", "accuracy, %", "ours");
    table_column(t, "seconds", "seconds to condense", "ours");
    for (int i = 0; i < p->set_count; i++) {
        bn_json *up = bn_json_array(), *time = bn_json_array();
        for (int k = 0; q->at[k] && table_shows(p, i, q->which); k++) {
            int all = q->at[k] < 0;             /* on the axis the number of trees */
            double x = all ? floor(0.6 * (double)p->sets[i].nodes) : (double)q->at[k];
            const bonsai_cell like = paper_cell(i, q->made[k], ratio, BONSAI_METHOD_TREES,
                                                BONSAI_MODEL_GCN);
            const bonsai_cell *c = paper_measured(p, &like);
            if (!c)
                continue;
            bn_json *row = table_row(t);
            table_put(row, bn_json_text(p->sets[i].name));
            table_put(row, all ? bn_json_text("all") : bn_json_whole((int64_t)q->at[k]));
            table_put(row, value_ours(c->accuracy_mean, cell_spread(p, c), NULL, 0));
            table_put(row, value_ours(c->seconds_condense, NAN, NULL, 1));
            table_put(up, bn_json_pack("[f,f]", x, c->accuracy_mean));
            table_put(time, bn_json_pack("[f,f]", x, c->seconds_condense));
        }
        table_put(accuracies, curve(p->sets[i].title, up));
        table_put(times, curve(p->sets[i].title, time));
    }
    chart_lines(t, "Accuracy", q->label, "test accuracy in percent", accuracies);
    chart_lines(t, "Time", q->label, "seconds to condense", times);
    return t;
}

bn_json *sample_table(const paper *p)
{
    static const parameter sample = {TABLE_SAMPLE, "sample", "trees sampled",
                                     "Accuracy and time against the sample",
                                     {100, 250, 500, 1000, -1, 0},
                                     {SAMPLE_100, SAMPLE_250, SAMPLE_500, SAMPLE_1000,
                                      SAMPLE_ALL}};
    return parameter_table(p, &sample);
}

bn_json *k_table(const paper *p)
{
    static const parameter k = {TABLE_K, "k", "k", "Accuracy and time against k",
                                {1, 2, 5, 10, 20, 0}, {K_1, K_2, STRICT, K_10, K_20}};
    return parameter_table(p, &k);
}

/* ---- pairs of nodes ------------------------------------------------------ */

static const double shares[] = {1, 2, 5, 10, 25, 50, 100};
enum { SHARES = sizeof shares / sizeof *shares };

static const bonsai_cell *pairs_of(const paper *p, int set, int model, double share)
{
    const bonsai_cell like = paper_pairs_cell(p, set, BONSAI_STUDY_EMBEDDING,
                                              (bonsai_model_kind)model, share);
    return paper_measured(p, &like);
}

static void distance_rows(bn_json *t, const paper *p, int set, int model)
{
    for (int k = 0; k < SHARES; k++) {
        const bonsai_cell *c = pairs_of(p, set, model, shares[k]);
        if (!c)
            continue;
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(p->sets[set].name));
        table_put(row, bn_json_text(bonsai_model_name((bonsai_model_kind)model)));
        table_put(row, bn_json_real(shares[k]));
        table_put(row, value_ours(c->threshold, NAN, NULL, 0));
        table_put(row, value_ours(c->correlation, NAN, NULL, 0));
    }
}

static void distance_chart(bn_json *t, const paper *p, int model)
{
    char title[64];
    bn_json *curves = bn_json_array();
    for (int i = 0; i < p->set_count; i++) {
        bn_json *points = bn_json_array();
        for (int k = 0; k < SHARES; k++) {
            const bonsai_cell *c = pairs_of(p, i, model, shares[k]);
            if (c && !isnan(c->correlation))
                table_put(points, bn_json_pack("[f,f]", c->threshold, c->correlation));
        }
        table_put(curves, curve(p->sets[i].title, points));
    }
    snprintf(title, sizeof title, "Correlation for %s",
             bonsai_model_name((bonsai_model_kind)model));
    chart_lines(t, title, "threshold of the WL distance", "correlation", curves);
}

bn_json *distance_table(const paper *p)
{
    bn_json *t = table_new(TABLE_DISTANCE, "Is near in WL space near for a model?",
                           "Pearson's correlation of the WL distance of two training nodes with "
                           "the distance of their scores in a trained model, over random pairs "
                           "that are no farther apart than the threshold: the nearest share of "
                           "all. The paper shows this as a figure without numbers, and does not "
                           "say which layer it takes, nor whether the models are trained.", 3);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "model");
    table_key(t, "share", "nearest pairs, %");
    table_column(t, "threshold", "threshold", "ours");
    table_column(t, "correlation", "correlation", "ours");
    for (int i = 0; i < p->set_count; i++)
        for (int m = BONSAI_MODEL_GCN; m <= BONSAI_MODEL_GIN; m++)
            distance_rows(t, p, i, m);
    for (int m = BONSAI_MODEL_GCN; m <= BONSAI_MODEL_GIN; m++)
        distance_chart(t, p, m);
    return t;
}

bn_json *gradient_table(const paper *p)
{
    bn_json *t = table_new(TABLE_GRADIENT, "Correlation of WL distance and training gradients",
                           "Pearson's correlation over 10,000 random pairs of training nodes: "
                           "their WL distance with the distance of the gradients of their losses "
                           "in the last layer of a GCN before training. The paper does not say "
                           "whether the bias belongs to them; both are here. p: by Fisher's "
                           "transform.", 3);
    static const char *const theirs[] = {"Correlation", "p"};
    published says;
    table_key(t, "dataset", "dataset");
    table_column(t, "weights", "weights", "ours");
    table_column(t, "weights_p", "p", "ours");
    table_column(t, "weights_and_bias", "weights and bias", "ours");
    table_column(t, "weights_and_bias_p", "p", "ours");
    table_column(t, "Correlation", "correlation (paper)", "paper");
    table_column(t, "p", "p (paper)", "paper");
    for (int i = 0; i < p->set_count; i++) {
        const char *name = p->sets[i].name;
        if (!table_shows(p, i, TABLE_GRADIENT))
            continue;
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(name));
        for (int study = BONSAI_STUDY_WEIGHTS; study >= BONSAI_STUDY_GRADIENT; study--) {
            const bonsai_cell like = paper_pairs_cell(p, i, (bonsai_study)study, BONSAI_MODEL_GCN,
                                                      100);
            const bonsai_cell *c = paper_measured(p, &like);
            int known = paper_says(&says, "gradient", name, 0, "", theirs[0]);
            table_put(row, c ? value_ours(c->correlation, NAN, known ? &says : NULL, 0)
                             : bn_json_null());
            table_put(row, c ? value_ours(c->chance, NAN, NULL, 1) : bn_json_null());
        }
        for (int k = 0; k < 2; k++)
            table_put(row, paper_says(&says, "gradient", name, 0, "", theirs[k])
                               ? value_paper(&says) : bn_json_null());
    }
    return t;
}
