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

static int says_at(published *says, const place *at)
{
    return paper_entry_says(says, at->p, at->set, at->e, at->ratio, at->model);
}

/* Redone: beside the published figure, where split and training are the same.  In the paper's
 * accounting: beside the published code redone.  At honest bytes: beside trees. */
static void judge(bn_json *cell, const place *at, column_name which, const published *says)
{
    const bonsai_cell *c = cell_at(at, at->e, which);
    const figure own = figure_of(c);
    if (!paper_entry_compares(at->p, at->e, which, c))
        return;
    if (which == COLUMN_REDONE && says && !says->broken && paper_trains_as_published(at->p))
        value_judge(cell, own, figure_published(says), "published");
    if (which == COLUMN_PAPER)
        value_judge(cell, own, figure_of(cell_at(at, paper_bonsai, COLUMN_REDONE)),
                    "Bonsai, published code redone");
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
        if (k == COLUMN_PAPER && at->model != BONSAI_MODEL_GCN)
            continue;
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
    table_put(row, bn_json_real(paper_entry_ratio(at->e, at->ratio)));
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
    "Published: as the paper prints it. Published code redone: the row Bonsai follows the steps of "
    "its authors' code, rewritten in C (--method published). Random, Herding and the other "
    "condensers are our own code of these methods, with as many nodes as the authors' formula "
    "gives. Our program trains all networks. Each run starts from fresh weights; the authors' runs "
    "go on with one model. In the paper's accounting: our methods with at most as many bytes as "
    "that code allows. It prices the full graph as dense and the small one as sparse, so a small "
    "graph of \"1 %\" may hold most of the graph. If it holds all that training reaches, its "
    "accuracy is that of the full graph. At honest bytes: both graphs are priced alike, "
    "in their smallest lossless encoding. A few nodes can be a large share of a sparse graph: 13 "
    "dense rows of 32-bit numbers are 45 % of Cora. As many nodes can be 0.5 and 3 %, because rows "
    "of prototypes keep more entries as the budget grows. Rows of methods that learn have 8 bits "
    "at honest bytes, and keep only their largest entries if one node of each class does not fit "
    "otherwise; this is our addition. A small graph may stay below its budget, because a score on "
    "validation nodes decides. EXGC begins as GCond on few nodes of each class: with few nodes or "
    "rounds both make the same graph. Random and Herding choose training nodes and keep the edges "
    "among them. Bonsai here is the paper's text, "
    "--method trees. With whole trees (--keep-trees) a tree is cut only if none of its class that "
    "was tried fits whole. auto is what this program does by default, mostly prototypes: means of "
    "nodes that lie close together. It makes several small graphs and keeps the one with the best "
    "score on validation nodes. Bonsai does not use validation labels. No method uses test labels. "
    "Each accuracy comes with the size of its small graph.";

static void chart_accuracy(bn_json *table, const paper *p, int set)
{
    static const char *const names[] = {"published", "published code redone",
                                        "Bonsai at honest bytes", "auto at honest bytes"};
    bn_json *labels = bn_json_array(), *series = bn_json_array(), *values[4];
    char title[96];
    for (int i = 0; i < 4; i++)
        values[i] = bn_json_array();
    for (int r = 0; r < RATIOS; r++) {
        const place at = {p, set, r, paper_bonsai, BONSAI_MODEL_GCN};
        published says;
        const bonsai_cell *c[] = {cell_at(&at, paper_bonsai, COLUMN_REDONE),
                                  cell_at(&at, paper_bonsai, COLUMN_HONEST),
                                  cell_at(&at, paper_auto, COLUMN_HONEST)};
        table_put(labels, bn_json_textf("%g %%", paper_ratios[r]));
        table_put(values[0], says_at(&says, &at) ? bn_json_real(says.value) : bn_json_null());
        for (int i = 0; i < 3; i++)
            table_put(values[i + 1], c[i] ? bn_json_real(c[i]->accuracy_mean) : bn_json_null());
    }
    for (int i = 0; i < 4; i++)
        table_put(series, bn_json_pack("{s:s,s:o}", "name", names[i], "values", values[i]));
    snprintf(title, sizeof title, "%s: accuracy of a GCN", p->sets[set].is->title);
    chart_bars(table, title, "ratio, each in its own accounting", "test accuracy in percent",
               labels, series);
}

bn_json *accuracy_table(const paper *p)
{
    char about[3200];
    snprintf(about, sizeof about, "Percent of test nodes of the full graph that a GCN classifies "
             "correctly after training on the small graph. %s", what_columns_are);
    bn_json *t = table_new(p, "accuracy", "Accuracy of a GCN (Table 4)", about, 2);
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
    bn_json *t = table_new(p, "models", "Accuracy of GAT and GIN (Table 5)",
                           "Small graphs of the first draw; in the GCN's table sizes are means "
                           "over draws. The columns mean the same. As in the paper, EXGC, GC-SNTK "
                           "and GEOM are not here. The paper's accounting is not measured here. "
                           "GAT has one head. The MLP inside GIN is one linear layer, as in the "
                           "paper. The graphs of the published code have self loops on roots, "
                           "which our GIN does not see.", 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "network");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "method", "method");
    table_three_columns(t);
    for (int i = 0; i < p->set_count; i++)
        for (int m = BONSAI_MODEL_GAT; paper_is_there(p, i) && m <= BONSAI_MODEL_GIN; m++)
            add_rows(t, p, i, (bonsai_model_kind)m, 1);
    return t;
}

/* ---- the parts of trees -------------------------------------------------- */

bn_json *ablation_table(const paper *p)
{
    char about[1500];
    snprintf(about, sizeof about, "Accuracy of a GCN at honest bytes, mean and standard error over "
             "%d draws. Ratios are larger than the paper's, because hardly a tree survives below "
             "them. Whole trees: --keep-trees; a tree is cut only if none of its class that was "
             "tried fits whole, and a round of pruning by PageRank is kept only if the roots then "
             "cover more of the sampled trees, or as many with more roots. -PPR: the same without "
             "PageRank; where no round pays, it is the same small graph. -RkNN: the same in random "
             "order. Bonsai: the paper's text, which drops single nodes of trees, as in the tables "
             "of accuracy. Random nodes: no trees. Each is compared with whole trees. A tree is "
             "kept whole if all nodes within two hops of its root are kept; a root without "
             "neighbours counts as one. The paper shows this as a figure without "
             "numbers.", paper_curve_draws(p));
    bn_json *t = table_new(p, "ablation", "What each part of trees is worth (Figure 4)", about, 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "ratio", "ratio, %");
    for (const ablation *a = paper_ablations; a->label; a++)
        table_column(t, a->label, a->label, "honest");
    table_column(t, "whole", "trees kept whole by whole trees", "ours");
    table_column(t, "whole_knee", "trees kept whole by Bonsai", "ours");
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
