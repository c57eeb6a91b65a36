/* paper_times.c -- tables of seconds and carbon.  Nothing here is called better or worse than what
 * another machine took.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "paper.h"

/* At 0.5 %. */
static const bonsai_cell *first_at(const paper *p, int set, const entry *e, int which)
{
    return paper_entry_measured(p, set, e, (column_name)which, 0, BONSAI_MODEL_GCN);
}

/* A published figure of a dataset; NULL: of nothing that the paper names. */
static bn_json *published_at(const paper *p, int set, const char *table, const char *name)
{
    published says;
    const int known = name && paper_says(&says, table, p->sets[set].is->name, 0, "", name);
    return value_published(known ? &says : NULL);
}

static const char *how_timed(const paper *p)
{
    return p->repeat.side_by_side
               ? "One thread each, several at a time (--side-by-side): compare among them. "
               : "";
}

/* To condense; of the full graph, to train one GCN. */
static double seconds_of(const bonsai_cell *c)
{
    return !c ? NAN : c->method == FULL ? cell_seconds_train(c) : c->seconds_condense;
}

/* ---- seconds ------------------------------------------------------------- */

bn_json *seconds_table(const paper *p)
{
    char about[900];
    snprintf(about, sizeof about, "Seconds to condense to 0.5 %%, without loading; means over "
             "draws, without \u00b1. Published: on the authors' machines, their peers and full "
             "training on a GPU. Ours: by our program on this machine, so no figure is called "
             "better than a published one. Methods that learn do %g of their published rounds. "
             "\"5 of 100 rounds\": the time limit of %g seconds cut them. Full: seconds to train "
             "one GCN on the full graph, without judging it. OOT: not within five hours. %s",
             p->effort, p->time_limit, how_timed(p));
    bn_json *t = table_new(p, "seconds", "Seconds to condense to 0.5 % (Table 6)", about, 3);
    table_key(t, "dataset", "dataset");
    table_key(t, "method", "method");
    table_four_columns(t);
    for (int i = 0; i < p->set_count; i++)
        for (const entry *e = paper_entries; e->name && paper_is_there(p, i); e++) {
            bn_json *row = table_row(t);
            table_put(row, bn_json_text(p->sets[i].is->name));
            table_put(row, bn_json_text(e->name));
            table_put(row, published_at(p, i, "seconds", e->theirs));
            for (int k = 0; k < COLUMNS; k++) {
                const bonsai_cell *c = first_at(p, i, e, k);
                table_put(row, value_seconds(p, c, seconds_of(c)));
            }
        }
    return t;
}

/* ---- components ---------------------------------------------------------- */

enum { PARTS = 5 };

static double part_of(const bonsai_cell *c, int part)
{
    const double seconds[PARTS] = {c->seconds_wl, c->seconds_knn, c->seconds_cover,
                                   c->seconds_sparsify, c->seconds_condense};
    return seconds[part];
}

bn_json *components_table(const paper *p)
{
    static const char *const names[PARTS] = {"WL", "Rev-k-NN", "Greedy", "PPR", "Total"};
    char about[600];
    snprintf(about, sizeof about, "Seconds of each part of Bonsai at 0.5 %%. Total also includes "
             "prices, checks and building the small graph. In the published code redone, WL "
             "includes its choice of features. Published: on the authors' machine. %s",
             how_timed(p));
    bn_json *t = table_new(p, "components", "Seconds of each component (Table 7)", about, 4);
    table_key(t, "dataset", "dataset");
    table_key(t, "component", "component");
    table_four_columns(t);
    for (int i = 0; i < p->set_count; i++)
        for (int part = 0; part < PARTS && paper_is_there(p, i); part++) {
            bn_json *row = table_row(t);
            table_put(row, bn_json_text(p->sets[i].is->name));
            table_put(row, bn_json_text(names[part]));
            table_put(row, published_at(p, i, "components", names[part]));
            for (int k = 0; k < COLUMNS; k++) {
                const bonsai_cell *c = first_at(p, i, paper_bonsai, k);
                table_put(row, value_seconds(p, c, c ? part_of(c, part) : NAN));
            }
        }
    return t;
}

/* ---- carbon -------------------------------------------------------------- */

bn_json *energy_table(const paper *p)
{
    bn_json *t = table_new(p, "energy", "Carbon of condensing to 0.5 % (Table 8)",
                           "Grams of CO2 by the paper's formula, from seconds: 4.32 kg for 100 "
                           "hours of ten processor cores, however many are used. All of ours use "
                           "this rate. Published peers and full training use 10.8 kg for 100 hours "
                           "of a GPU.", 4);
    table_key(t, "dataset", "dataset");
    table_key(t, "method", "method");
    table_column(t, "published", "grams, published", "published");
    table_column(t, "redone", "grams, published code redone", "redone");
    table_column(t, "paper", "grams, ours in the paper's accounting", "paper");
    table_column(t, "honest", "grams, ours at honest bytes", "honest");
    for (int i = 0; i < p->set_count; i++)
        for (const entry *e = paper_entries; e->name && paper_is_there(p, i); e++) {
            bn_json *row = table_row(t);
            table_put(row, bn_json_text(p->sets[i].is->name));
            table_put(row, bn_json_text(e->name));
            table_put(row, published_at(p, i, "carbon", e->theirs));
            for (int k = 0; k < COLUMNS; k++) {
                const bonsai_cell *c = first_at(p, i, e, k);
                table_put(row, value_seconds(p, c, carbon_grams(seconds_of(c))));
            }
        }
    return t;
}

/* ---- training on small graphs -------------------------------------------- */

static void training_rows(bn_json *t, const paper *p, int set, bonsai_model_kind model, int ratio)
{
    for (const entry *e = paper_entries; e->name; e++) {
        const int full = e->method[COLUMN_REDONE] == FULL;
        const bonsai_cell *c[] = {
            paper_entry_measured(p, set, e, COLUMN_REDONE, ratio, model),
            paper_entry_measured(p, set, e, COLUMN_HONEST, ratio, model)};
        if ((!c[0] && !c[1]) || (full && ratio < RATIOS - 1))
            continue;
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(p->sets[set].is->name));
        table_put(row, bn_json_text(bonsai_model_name(model)));
        table_put(row, bn_json_real(full ? 100 : paper_ratios[ratio]));
        table_put(row, bn_json_text(e->name));
        for (int k = 0; k < 2; k++)
            table_put(row, value_seconds(p, c[k], c[k] ? cell_seconds_train(c[k]) : NAN));
    }
}

bn_json *training_table(const paper *p)
{
    char about[400];
    snprintf(about, sizeof about, "Seconds to train one network on the small graph, without "
             "judging it on the full one; the mean over runs. The paper shows this as figures "
             "without numbers. %s", how_timed(p));
    bn_json *t = table_new(p, "training", "Seconds to train on small graphs (Figures 7 to 9)",
                           about, 3);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "network");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "method", "method");
    table_column(t, "redone", "published code redone", "redone");
    table_column(t, "honest", "ours at honest bytes", "honest");
    for (int i = 0; i < p->set_count; i++)
        for (int m = BONSAI_MODEL_GCN; paper_is_there(p, i) && m <= BONSAI_MODEL_GIN; m++)
            for (int r = 0; r < RATIOS; r++)
                training_rows(t, p, i, (bonsai_model_kind)m, r);
    return t;
}
