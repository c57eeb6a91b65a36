/* paper_tables.c -- tables of accuracy: of every method, and of what each part of trees is worth.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "paper.h"

/* ---- one row ------------------------------------------------------------- */

typedef struct {                /* what a row is of */
    const paper *p;
    int          set, ratio;
    const entry *e;
    bonsai_model_kind model;
} place;

static const bonsai_cell *cell_at(const place *at, const entry *e, column_name which)
{
    return paper_entry_measured(at->p, at->set, e, which, at->ratio, at->model);
}

static const char *table_of(bonsai_model_kind model)
{
    return model == BONSAI_MODEL_GCN ? "accuracy" : "models";
}

static int says_at(published *says, const place *at)
{
    const double ratio = at->e->method[COLUMN_REDONE] == FULL ? 100 : paper_ratios[at->ratio];
    const char *set = at->p->sets[at->set].is->name, *model = bonsai_model_name(at->model);
    return at->e->theirs &&
           paper_says(says, table_of(at->model), set, ratio, model, at->e->theirs);
}

/* Redone: beside the published figure, where the shares of the split are the same.  In the paper's
 * accounting: beside the published code redone.  At honest bytes: beside trees. */
static void judge(bn_json *cell, const place *at, column_name which, const published *says)
{
    const figure own = figure_of(cell_at(at, at->e, which));
    if (which == COLUMN_REDONE && says && !says->broken && at->p->protocol == PROTOCOL_PUBLISHED)
        value_judge(cell, own, figure_published(says), "published");
    if (which == COLUMN_PAPER)
        value_judge(cell, own, figure_of(cell_at(at, paper_bonsai, COLUMN_REDONE)),
                    "the published code redone");
    if (which == COLUMN_HONEST && at->e != paper_bonsai)
        value_judge(cell, own, figure_of(cell_at(at, paper_bonsai, COLUMN_HONEST)),
                    "Bonsai at honest bytes");
}

/* Something was published or measured. */
static int is_filled(const place *at)
{
    published says;
    int any = says_at(&says, at);
    for (int k = 0; k < COLUMNS; k++)
        any |= cell_at(at, at->e, (column_name)k) != NULL;
    return any;
}

static void fill_row(bn_json *row, const place *at)
{
    published says;
    const int known = says_at(&says, at);
    table_put(row, value_published(known ? &says : NULL));
    for (int k = 0; k < COLUMNS; k++) {
        bn_json *cell = value_accuracy(at->p, cell_at(at, at->e, (column_name)k));
        judge(cell, at, (column_name)k, known ? &says : NULL);
        table_put(row, cell);
    }
}

static void add_row(bn_json *t, const place *at, int models)
{
    if (!is_filled(at))
        return;
    bn_json *row = table_row(t);
    table_put(row, bn_json_text(at->p->sets[at->set].is->name));
    if (models)
        table_put(row, bn_json_text(bonsai_model_name(at->model)));
    table_put(row, bn_json_real(at->e->method[COLUMN_REDONE] == FULL ? 100
                                                                     : paper_ratios[at->ratio]));
    table_put(row, bn_json_text(at->e->name));
    fill_row(row, at);
}

/* Ratio by ratio; the full graph once, at the end. */
static void add_rows(bn_json *t, const paper *p, int set, bonsai_model_kind model, int models)
{
    place at = {.p = p, .set = set, .model = model};
    for (at.ratio = 0; at.ratio < RATIOS; at.ratio++)
        for (at.e = paper_entries; at.e->name; at.e++)
            if (at.e->method[COLUMN_REDONE] != FULL || at.ratio == RATIOS - 1)
                if (!at.e->gcn_only || model == BONSAI_MODEL_GCN)
                    add_row(t, &at, models);
}

/* ---- accuracy ------------------------------------------------------------ */

static const char what_columns_are[] =
    "Published: as the paper prints it. Published code redone: Bonsai as its authors' code "
    "computes it (--method published); their peers, Random and Herding by our code of these "
    "methods, with as many nodes as the authors gave them. In the paper's accounting: our methods "
    "with as many bytes as that code allows, where the full graph is priced as dense and the small "
    "one as sparse, so that a small graph of \"1 %\" may hold most of the graph. At honest bytes: "
    "both graphs in the bytes of their smallest lossless file. Bonsai is the paper's text, "
    "--method trees; with whole trees, --keep-trees, a tree is cut only where none of its class "
    "fits whole; auto is what this program does by default, mostly prototypes: means of nodes that "
    "lie together. Every small graph's nodes, edges and honest bytes stand below its accuracy.";

static void chart_accuracy(bn_json *table, const paper *p, int set)
{
    static const char *const names[] = {"published", "published code redone", "trees at honest "
                                        "bytes",
                                        "auto at honest bytes"};
    bn_json *labels = bn_json_array(), *series = bn_json_array(), *values[4];
    char title[96];
    for (int i = 0; i < 4; i++)
        values[i] = bn_json_array();
    for (int r = 0; r < RATIOS; r++) {
        const place at = {p, set, r, paper_bonsai, BONSAI_MODEL_GCN};
        published says;
        const bonsai_cell *c[] = {cell_at(&at, paper_bonsai, COLUMN_REDONE),
                                  cell_at(&at, paper_bonsai, COLUMN_HONEST),
                                  cell_at(&at, paper_bonsai + 2, COLUMN_HONEST)};
        table_put(labels, bn_json_textf("%g %%", paper_ratios[r]));
        table_put(values[0], says_at(&says, &at) ? bn_json_real(says.value) : bn_json_null());
        for (int i = 0; i < 3; i++)
            table_put(values[i + 1], c[i] ? bn_json_real(c[i]->accuracy_mean) : bn_json_null());
    }
    for (int i = 0; i < 4; i++)
        table_put(series, bn_json_pack("{s:s,s:o}", "name", names[i], "values", values[i]));
    snprintf(title, sizeof title, "%s: accuracy of a GCN", p->sets[set].is->title);
    chart_bars(table, title, "ratio, each in its own accounting", "test accuracy in "
                             "percent", labels,
               series);
}

bn_json *accuracy_table(const paper *p)
{
    char about[1200];
    snprintf(about, sizeof about, "Percent of test nodes that a GCN trained on the small graph "
             "gets right on the full one. %s", what_columns_are);
    bn_json *t = table_new(p, "accuracy", "Accuracy of a GCN", about, 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "method", "method");
    table_four_columns(t);
    for (int i = 0; i < p->set_count; i++)
        if (paper_is_there(p, i)) {
            add_rows(t, p, i, BONSAI_MODEL_GCN, 0);
            chart_accuracy(t, p, i);
        }
    return t;
}

bn_json *models_table(const paper *p)
{
    bn_json *t = table_new(p, "models", "Accuracy of GAT and GIN",
                           "The same small graphs as for the GCN above, with the same meaning of "
                           "the columns, but for the paper's accounting, which is not measured "
                           "here; GIN's own network is one linear layer, as in the paper.", 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "network");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "method", "method");
    table_four_columns(t);
    for (int i = 0; i < p->set_count; i++)
        for (int m = BONSAI_MODEL_GAT; paper_is_there(p, i) && m <= BONSAI_MODEL_GIN; m++)
            add_rows(t, p, i, (bonsai_model_kind)m, 1);
    return t;
}

/* ---- the parts of trees -------------------------------------------------- */

bn_json *ablation_table(const paper *p)
{
    bn_json *t = table_new(p, "ablation", "What each part of trees is worth",
                           "Accuracy of a GCN at honest bytes. Ratios are larger than the paper's, "
                           "since below them hardly a tree survives. Whole trees: --keep-trees; a "
                           "tree is cut only where none of its class fits whole. -PPR: the same "
                           "without PageRank. -RkNN: the same in random order. Knee on nodes: the "
                           "paper's text, which drops single nodes of trees. Random nodes: no "
                           "trees. Trees kept whole: roots that have everything within two hops; "
                           "so has a root without neighbours. The paper shows this as a figure "
                           "without numbers.", 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "ratio", "ratio, %");
    for (const ablation *a = paper_ablations; a->label; a++)
        table_column(t, a->label, a->label, "honest");
    table_column(t, "whole", "trees kept whole", "ours");
    table_column(t, "whole_knee", "... by the knee on nodes", "ours");
    for (int i = 0; i < p->set_count; i++)
        for (int r = 0; r < RATIOS && paper_is_there(p, i); r++) {
            if (p->quick && r > 0)
                continue;
            bn_json *row = table_row(t);
            figure first = {NAN, NAN};
            double whole[] = {NAN, NAN};        /* of whole trees, and of the knee on nodes */
            table_put(row, bn_json_text(p->sets[i].is->name));
            table_put(row, bn_json_real(paper_ablation_ratios[r]));
            for (const ablation *a = paper_ablations; a->label; a++) {
                const bonsai_cell like = paper_cell(i, a->made, paper_ablation_ratios[r], a->method,
                                                    BONSAI_MODEL_GCN);
                const bonsai_cell *c = paper_measured(p, &like);
                bn_json *cell = value_accuracy(p, c);
                if (a == paper_ablations)
                    first = figure_of(c);
                else
                    value_judge(cell, figure_of(c), first, paper_ablations[0].label);
                table_put(row, cell);
                if (c && a->method == BONSAI_METHOD_TREES && a->made <= WHOLE)
                    whole[a->made == HONEST] = (double)c->whole_trees;
            }
            table_put(row, value_plain(whole[0]));
            table_put(row, value_plain(whole[1]));
        }
    return t;
}

/* ---- all of them --------------------------------------------------------- */

bn_json *paper_tables(const paper *p)
{
    static bn_json *(*const make[TABLES])(const paper *p) = {
        [TABLE_ACCURACY] = accuracy_table, [TABLE_MODELS] = models_table,
        [TABLE_SECONDS] = seconds_table, [TABLE_COMPONENTS] = components_table,
        [TABLE_ENERGY] = energy_table, [TABLE_TRAINING] = training_table,
        [TABLE_ABLATION] = ablation_table, [TABLE_SAMPLE] = sample_table, [TABLE_K] = k_table,
        [TABLE_DISTANCE] = distance_table, [TABLE_GRADIENT] = gradient_table,
        [TABLE_PAGERANK] = pagerank_table, [TABLE_LEMMA] = lemma_table,
        [TABLE_PROPERTIES] = properties_table, [TABLE_DATASETS] = datasets_table,
    };
    bn_json *all = bn_json_array();
    if (p->asked & (1 << TABLE_ACCURACY | 1 << TABLE_MODELS))
        bn_json_add(all, differences_table(p));
    for (int t = 0; t < TABLES; t++)
        if (p->asked >> t & 1)
            bn_json_add(all, make[t](p));
    return all;
}
