/* paper_tables.c -- each table and figure of the paper, ours next to the published ones.
 *
 * A row is a dataset and a budget, a column a method: first ours, then the paper's.  Our
 * cell is better if it beats the paper's figure of the same method; trees and auto are
 * compared with Bonsai.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"

static const double ratios[] = {0.5, 1, 3};
enum { RATIOS = 3 };

typedef struct {
    const char *label;          /* of ours */
    int         method;         /* -1: the full graph */
    const char *theirs;         /* the paper's name; NULL: it has none */
} pairing;

static const pairing ours[] = {
    {"trees", BONSAI_METHOD_TREES, "Bonsai"},      {"auto", BONSAI_METHOD_AUTO, "Bonsai"},
    {"random", BONSAI_METHOD_RANDOM, "Random"},    {"herding", BONSAI_METHOD_HERDING, "Herding"},
    {"kcenter", BONSAI_METHOD_KCENTER, NULL},      {"full", -1, "Full"},
};
enum { OURS = sizeof ours / sizeof *ours };

static const char *const peers[] = {"Bonsai", "Random", "Herding", "GCond", "GDEM", "GCSR", "EXGC",
                                    "GC-SNTK", "GEOM", "Full", NULL};
static const char *const gcn_only[] = {"EXGC", "GC-SNTK", "GEOM", NULL};
static const char *const no_times[] = {"Random", "Herding", NULL};

static int is_among(const char *name, const char *const *list)
{
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0)
            return 1;
    return 0;
}

static void add_columns(bn_json *table, const char *const *but)
{
    char label[48];
    for (int i = 0; i < OURS; i++)
        table_column(table, ours[i].label, ours[i].label, "ours");
    for (int i = 0; peers[i]; i++) {
        snprintf(label, sizeof label, "%s (paper)", peers[i]);
        if (!is_among(peers[i], but))
            table_column(table, peers[i], label, "paper");
    }
}

static const bonsai_cell *fit_of(const paper *p, int set, int accounting, double ratio, int method,
                                 bonsai_model_kind model)
{
    const bonsai_cell like =
        method < 0 ? paper_cell(set, STRICT, 100, -1, model)
                   : paper_cell(set, (variant)accounting, ratio, method, model);
    return paper_measured(p, &like);
}

static const char *accounting_text(int accounting)
{
    return accounting ? "paper" : "strict";
}

/* ---- accuracy ------------------------------------------------------------ */

static void fill_accuracy(bn_json *row, const paper *p, int set, int accounting, double ratio,
                          bonsai_model_kind model)
{
    const char *table = model == BONSAI_MODEL_GCN ? "accuracy" : "models";
    const char *const *but = model == BONSAI_MODEL_GCN ? NULL : gcn_only;
    const char *name = p->sets[set].name;
    published says;
    for (int i = 0; i < OURS; i++) {
        const bonsai_cell *c = fit_of(p, set, accounting, ratio, ours[i].method, model);
        int known = ours[i].theirs &&
                    paper_says(&says, table, name, ours[i].method < 0 ? 100 : ratio,
                               bonsai_model_name(model), ours[i].theirs);
        table_put(row, c ? value_ours(c->accuracy_mean, cell_spread(p, c), known ? &says : NULL, 0)
                         : bn_json_null());
    }
    for (int i = 0; peers[i]; i++)
        if (!is_among(peers[i], but))
            table_put(row, paper_says(&says, table, name, strcmp(peers[i], "Full") ? ratio : 100,
                                   bonsai_model_name(model), peers[i])
                            ? value_paper(&says) : bn_json_null());
}

/* Bars of one dataset: the paper's figures, and ours at the same ratios in strict bytes. */
static void chart_accuracy(bn_json *table, const paper *p, int set)
{
    char title[96];
    bn_json *labels = bn_json_array(), *trees = bn_json_array(), *automatic = bn_json_array();
    bn_json *paper_bars = bn_json_array(), *series = bn_json_array();
    published says;
    int known = 0;
    for (int r = 0; r < RATIOS; r++) {
        const bonsai_cell *a = fit_of(p, set, 0, ratios[r], BONSAI_METHOD_TREES, BONSAI_MODEL_GCN);
        const bonsai_cell *b = fit_of(p, set, 0, ratios[r], BONSAI_METHOD_AUTO, BONSAI_MODEL_GCN);
        int has = paper_says(&says, "accuracy", p->sets[set].name, ratios[r], "gcn", "Bonsai");
        table_put(labels, bn_json_textf("%g %%", ratios[r]));
        table_put(trees, a ? bn_json_real(a->accuracy_mean) : bn_json_null());
        table_put(automatic, b ? bn_json_real(b->accuracy_mean) : bn_json_null());
        table_put(paper_bars, has ? bn_json_real(says.value) : bn_json_null());
        known += has;
    }
    table_put(series, bn_json_pack("{s:s,s:o}", "name", "trees", "values", trees));
    table_put(series, bn_json_pack("{s:s,s:o}", "name", "auto", "values", automatic));
    if (known)
        table_put(series, bn_json_pack("{s:s,s:o}", "name", "Bonsai (paper)", "values",
                                       paper_bars));
    else
        bn_json_free(paper_bars);
    snprintf(title, sizeof title, "%s: accuracy of a GCN, ours in strict bytes",
             p->sets[set].title);
    chart_bars(table, title, "share of the bytes", "test accuracy in percent", labels, series);
}

static bn_json *accuracy_table(const paper *p)
{
    bn_json *t = table_new(TABLE_ACCURACY, "Accuracy of a GCN",
                           "Percent of test nodes that a GCN trained on the small graph gets "
                           "right. Strict: both graphs priced the same way, in bytes on disk. "
                           "Paper: as the published code prices them, where 0.5 % may hold nearly "
                           "all training nodes. The published figures use the paper's accounting.",
                           2);
    table_key(t, "dataset", "dataset");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "accounting", "bytes");
    add_columns(t, NULL);
    for (int i = 0; i < p->set_count; i++) {
        for (int a = 0; a < 2 && table_shows(p, i, TABLE_ACCURACY); a++)
            for (int r = 0; r < RATIOS; r++) {
                bn_json *row = table_row(t);
                table_put(row, bn_json_text(p->sets[i].name));
                table_put(row, bn_json_real(ratios[r]));
                table_put(row, bn_json_text(accounting_text(a)));
                fill_accuracy(row, p, i, a, ratios[r], BONSAI_MODEL_GCN);
            }
        if (table_shows(p, i, TABLE_ACCURACY))
            chart_accuracy(t, p, i);
    }
    return t;
}

static void models_rows(bn_json *t, const paper *p, int set, int model)
{
    for (int a = 0; a < 2; a++)
        for (int r = 0; r < RATIOS; r++) {
            if (p->quick && a == 1 && r > 0)
                continue;                       /* not measured */
            bn_json *row = table_row(t);
            table_put(row, bn_json_text(p->sets[set].name));
            table_put(row, bn_json_text(bonsai_model_name((bonsai_model_kind)model)));
            table_put(row, bn_json_real(ratios[r]));
            table_put(row, bn_json_text(accounting_text(a)));
            fill_accuracy(row, p, set, a, ratios[r], (bonsai_model_kind)model);
        }
}

static bn_json *models_table(const paper *p)
{
    bn_json *t = table_new(TABLE_MODELS, "Accuracy of GAT and GIN",
                           "The same small graphs, other models.", 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "model");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "accounting", "bytes");
    add_columns(t, gcn_only);
    for (int i = 0; i < p->set_count; i++)
        for (int m = BONSAI_MODEL_GAT; table_shows(p, i, TABLE_MODELS) && m <= BONSAI_MODEL_GIN;
             m++)
            models_rows(t, p, i, m);
    return t;
}

/* ---- seconds and carbon -------------------------------------------------- */

/* A hundred hours of ten CPU cores are 4.32 kg. */
static const double grams_per_second = 4320.0 / (100 * 3600);

static bn_json *times_table(const paper *p, table_name which, const char *title, const char *about,
                            double factor)
{
    const char *table = paper_table_names[which];
    bn_json *t = table_new(which, title, about, which == TABLE_SECONDS ? 3 : 4);
    table_key(t, "dataset", "dataset");
    table_key(t, "accounting", "bytes");
    add_columns(t, no_times);
    published says;
    for (int i = 0; i < p->set_count; i++)
        for (int a = 0; a < 2 && table_shows(p, i, which); a++) {
            bn_json *row = table_row(t);
            table_put(row, bn_json_text(p->sets[i].name));
            table_put(row, bn_json_text(accounting_text(a)));
            for (int m = 0; m < OURS; m++) {
                const bonsai_cell *c = fit_of(p, i, a, ratios[0], ours[m].method, BONSAI_MODEL_GCN);
                int known = ours[m].theirs && ours[m].method >= 0 &&
                            paper_says(&says, table, p->sets[i].name, 0, "", ours[m].theirs);
                table_put(row, c ? value_ours(factor * (ours[m].method < 0 ? cell_seconds_train(c)
                                                                  : c->seconds_condense),
                                           NAN, known ? &says : NULL, 1) : bn_json_null());
            }
            for (int k = 0; peers[k]; k++)
                if (!is_among(peers[k], no_times))
                    table_put(row, paper_says(&says, table, p->sets[i].name, 0, "", peers[k])
                                    ? value_paper(&says) : bn_json_null());
        }
    return t;
}

static bn_json *seconds_table(const paper *p)
{
    return times_table(p, TABLE_SECONDS, "Seconds to condense to 0.5 %",
                       "Full: seconds to train one GCN on the full graph, without judging it; on "
                       "another machine and for another number of epochs than the paper's, "
                       "so that it has no star. OOT: not within five hours. The paper ran its "
                       "peers on a GPU.", 1);
}

static bn_json *carbon_table(const paper *p)
{
    return times_table(p, TABLE_CARBON, "Carbon of condensing to 0.5 %, in grams of CO2",
                       "From the seconds above: 4.32 kg per 100 hours of ten CPU cores, however "
                       "many of them we used; the paper's peers and its full training at 10.8 kg "
                       "per 100 hours of a GPU.", grams_per_second);
}

static bn_json *components_table(const paper *p)
{
    static const char *const names[] = {"WL", "Rev-k-NN", "Greedy", "PPR", "Total"};
    bn_json *t = table_new(TABLE_COMPONENTS, "Seconds of each component of trees at 0.5 %",
                           "Total includes what is none of the four: prices, checks, the small "
                           "graph.", 4);
    char label[48];
    published says;
    table_key(t, "dataset", "dataset");
    table_key(t, "accounting", "bytes");
    for (int k = 0; k < 5; k++)
        table_column(t, names[k], names[k], "ours");
    for (int k = 0; k < 5; k++) {
        snprintf(label, sizeof label, "%s (paper)", names[k]);
        table_column(t, names[k], label, "paper");
    }
    for (int i = 0; i < p->set_count; i++)
        for (int a = 0; a < 2 && table_shows(p, i, TABLE_COMPONENTS); a++) {
            const bonsai_cell *c = fit_of(p, i, a, ratios[0], BONSAI_METHOD_TREES,
                                          BONSAI_MODEL_GCN);
            const double part[] = {c ? c->seconds_wl : NAN, c ? c->seconds_knn : NAN,
                                   c ? c->seconds_cover : NAN,
                                   c ? c->seconds_sparsify : NAN,
                                   c ? c->seconds_condense : NAN};
            bn_json *row = table_row(t);
            table_put(row, bn_json_text(p->sets[i].name));
            table_put(row, bn_json_text(accounting_text(a)));
            for (int k = 0; k < 5; k++)
                table_put(row, value_ours(part[k], NAN,
                                       paper_says(&says, "components", p->sets[i].name, 0, "",
                                                  names[k]) ? &says : NULL, 1));
            for (int k = 0; k < 5; k++)
                table_put(row, paper_says(&says, "components", p->sets[i].name, 0, "", names[k])
                                ? value_paper(&says) : bn_json_null());
        }
    return t;
}

static bn_json *training_table(const paper *p)
{
    bn_json *t = table_new(TABLE_TRAINING, "Seconds to train one model on small graphs",
                           "Strict bytes; without judging on the full graph. The paper shows this "
                           "as a figure without numbers.", 3);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "model");
    table_key(t, "ratio", "ratio, %");
    table_column(t, "trees", "trees", "ours");
    table_column(t, "auto", "auto", "ours");
    table_column(t, "full", "full", "ours");
    for (int i = 0; i < p->set_count; i++)
        for (int m = BONSAI_MODEL_GCN; table_shows(p, i, TABLE_TRAINING) && m <= BONSAI_MODEL_GIN;
             m++)
            for (int r = 0; r < RATIOS; r++) {
                static const int columns[] = {BONSAI_METHOD_TREES, BONSAI_METHOD_AUTO, -1};
                bn_json *row = table_row(t);
                table_put(row, bn_json_text(p->sets[i].name));
                table_put(row, bn_json_text(bonsai_model_name((bonsai_model_kind)m)));
                table_put(row, bn_json_real(ratios[r]));
                for (int k = 0; k < 3; k++) {
                    const bonsai_cell *c = fit_of(p, i, 0, ratios[r], columns[k],
                                                 (bonsai_model_kind)m);
                    table_put(row, c ? value_ours(cell_seconds_train(c), NAN, NULL, 1)
                                     : bn_json_null());
                }
            }
    return t;
}

/* ---- ablation and parameters --------------------------------------------- */

static bn_json *ablation_table(const paper *p)
{
    bn_json *t = table_new(TABLE_ABLATION, "What each part of trees is worth",
                           "Accuracy of a GCN: trees as in the paper, without PageRank, with trees "
                           "in random order, and random nodes. The paper shows this as a figure "
                           "without numbers.", 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "accounting", "bytes");
    table_column(t, "trees", "trees", "ours");
    table_column(t, "-PPR", "-PPR", "ours");
    table_column(t, "-RkNN", "-RkNN", "ours");
    table_column(t, "random", "random", "ours");
    for (int i = 0; i < p->set_count; i++)
        for (int a = 0; a < (p->quick ? 1 : 2) && table_shows(p, i, TABLE_ABLATION); a++)
            for (int r = 0; r < RATIOS; r++) {
                bn_json *row = table_row(t);
                table_put(row, bn_json_text(p->sets[i].name));
                table_put(row, bn_json_real(ratios[r]));
                table_put(row, bn_json_text(accounting_text(a)));
                for (int k = 0; k < 4; k++) {
                    const bonsai_cell like =
                        k < 3 ? paper_cell(i, (variant)(a + 2 * k), ratios[r], BONSAI_METHOD_TREES,
                                           BONSAI_MODEL_GCN)
                              : paper_cell(i, (variant)a, ratios[r], BONSAI_METHOD_RANDOM,
                                           BONSAI_MODEL_GCN);
                    const bonsai_cell *c = paper_measured(p, &like);
                    table_put(row, c ? value_ours(c->accuracy_mean, cell_spread(p, c), NULL, 0)
                                     : bn_json_null());
                }
            }
    return t;
}

/* ---- all of them --------------------------------------------------------- */

static bn_json *make_table(const paper *p, table_name t)
{
    switch (t) {
    case TABLE_ACCURACY:   return accuracy_table(p);
    case TABLE_MODELS:     return models_table(p);
    case TABLE_SECONDS:    return seconds_table(p);
    case TABLE_COMPONENTS: return components_table(p);
    case TABLE_TRAINING:   return training_table(p);
    case TABLE_ABLATION:   return ablation_table(p);
    case TABLE_SAMPLE:     return sample_table(p);
    case TABLE_K:          return k_table(p);
    case TABLE_DISTANCE:   return distance_table(p);
    case TABLE_GRADIENT:   return gradient_table(p);
    default:               return carbon_table(p);
    }
}

bn_json *paper_tables(const paper *p)
{
    bn_json *all = bn_json_array();
    for (int t = 0; t < TABLES; t++)
        if (p->asked >> t & 1)
            bn_json_add(all, make_table(p, (table_name)t));
    return all;
}
