/* paper_figures.c -- the paper's curves: parameters, pairs of nodes, PageRank, and Lemma 1.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "paper.h"

static bn_json *curve(const char *name, bn_json *points)
{
    return bn_json_pack("{s:s,s:o}", "name", name, "at", points);
}

/* ---- parameters ---------------------------------------------------------- */

static bn_json *point(double x, double y, double error)
{
    return isnan(error) ? bn_json_pack("[f,f]", x, y) : bn_json_pack("[f,f,f]", x, y, error);
}

/* On the axis, all trees are their number. */
static double place_of(const paper *p, int set, int64_t at)
{
    return at > 0 ? (double)at : (double)p->seen[set].train;
}

static void parameter_rows(bn_json *t, const paper *p, int set, const parameter *q)
{
    for (int k = 0; q->at[k] && paper_is_there(p, set); k++) {
        const bonsai_cell like = paper_cell(set, q->made[k], paper_curve_ratio, BONSAI_METHOD_TREES,
                                            BONSAI_MODEL_GCN);
        const bonsai_cell *c = paper_measured(p, &like);
        if (!c)
            continue;
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(p->sets[set].is->name));
        table_put(row, q->at[k] < 0 ? bn_json_text("all") : bn_json_whole(q->at[k]));
        table_put(row, value_accuracy(p, c));
        table_put(row, value_seconds(p, c, c->seconds_condense));
    }
}

static void parameter_curves(bn_json *up, bn_json *time, const paper *p, int set,
                             const parameter *q)
{
    for (int k = 0; q->at[k]; k++) {
        const bonsai_cell like = paper_cell(set, q->made[k], paper_curve_ratio, BONSAI_METHOD_TREES,
                                            BONSAI_MODEL_GCN);
        const bonsai_cell *c = paper_measured(p, &like);
        if (!c)
            continue;
        table_put(up, point(place_of(p, set, q->at[k]), c->accuracy_mean, c->accuracy_error));
        table_put(time, point(place_of(p, set, q->at[k]), c->seconds_condense, NAN));
    }
}

static bn_json *parameter_table(const paper *p, const parameter *q)
{
    char about[700];
    snprintf(about, sizeof about, "Whole trees (--keep-trees) at %g %% of the honest bytes, judged "
             "by a GCN: mean and standard error over %d draws, or over splits if there are "
             "several; and seconds to condense. %s If every tree is sampled, draws can give the "
             "same graph; then \u00b1 shows only the starting weights. The paper shows this as a "
             "figure without numbers.", paper_curve_ratio, paper_curve_draws(p), q->rest);
    bn_json *t = table_new(p, paper_table_names[q->which], q->title, about, 2);
    bn_json *accuracies = bn_json_array(), *times = bn_json_array();
    table_key(t, "dataset", "dataset");
    table_key(t, q->key, q->label);
    table_column(t, "accuracy", "accuracy, %", "honest");
    table_column(t, "seconds", "seconds to condense", "honest");
    for (int i = 0; i < p->set_count; i++) {
        bn_json *up = bn_json_array(), *time = bn_json_array();
        parameter_rows(t, p, i, q);
        if (paper_is_there(p, i))
            parameter_curves(up, time, p, i, q);
        table_put(accuracies, curve(p->sets[i].is->title, up));
        table_put(times, curve(p->sets[i].is->title, time));
    }
    chart_lines(t, "Accuracy", q->label, "test accuracy in percent", accuracies);
    chart_log_x(t);
    chart_lines(t, "Time", q->label, "seconds to condense", times);
    chart_log_x(t);
    return t;
}

bn_json *sample_table(const paper *p)
{
    return parameter_table(p, &paper_sample);
}

bn_json *k_table(const paper *p)
{
    return parameter_table(p, &paper_k);
}

/* ---- pairs of nodes ------------------------------------------------------ */

static const bonsai_cell *pairs_of(const paper *p, int set, int model, double share)
{
    const bonsai_cell like = paper_pairs_cell(p, set, BONSAI_STUDY_EMBEDDING,
                                              (bonsai_model_kind)model, share);
    return paper_measured(p, &like);
}

static void distance_rows(bn_json *t, const paper *p, int set, int model)
{
    for (int k = 0; k < SHARES; k++) {
        const bonsai_cell *c = pairs_of(p, set, model, paper_shares[k]);
        if (!c)
            continue;
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(p->sets[set].is->name));
        table_put(row, bn_json_text(bonsai_model_name((bonsai_model_kind)model)));
        table_put(row, bn_json_real(paper_shares[k]));
        table_put(row, value_plain(c->threshold));
        table_put(row, value_plain(c->correlation));
    }
}

static void distance_chart(bn_json *t, const paper *p, int model)
{
    char title[64];
    bn_json *curves = bn_json_array();
    for (int i = 0; i < p->set_count; i++) {
        bn_json *points = bn_json_array();
        for (int k = 0; k < SHARES; k++) {
            const bonsai_cell *c = pairs_of(p, i, model, paper_shares[k]);
            if (c && !isnan(c->correlation))
                table_put(points, bn_json_pack("[f,f]", c->threshold, c->correlation));
        }
        table_put(curves, curve(p->sets[i].is->title, points));
    }
    snprintf(title, sizeof title, "Correlation for %s",
             bonsai_model_name((bonsai_model_kind)model));
    chart_lines(t, title, "threshold of the WL distance", "correlation", curves);
}

bn_json *distance_table(const paper *p)
{
    bn_json *t = table_new(p, "distance", "Is near in WL space near for a network? (Figure 2)",
                           "Pearson's correlation of the WL distance of two training nodes with "
                           "the distance of their class scores in a trained network, over random "
                           "pairs that are no farther apart than the threshold: the nearest share "
                           "of all. The paper shows this as a figure without numbers. It does not "
                           "say which layer it takes, nor whether the networks are trained.", 3);
    char how[240];
    snprintf(how, sizeof how, "One network of each kind, trained on the full graph for %d epochs. "
             "Euclidean distances of class scores before softmax, over one draw of %s pairs.",
             p->train.epochs, p->quick ? "50,000" : "200,000");
    table_protocol(t, how);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "network");
    table_key(t, "nearest", "nearest pairs, %");
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
    bn_json *t = table_new(p, "gradient", "Correlation of WL distance and training gradients "
                                          "(Table 2)",
                           "Pearson's correlation over 10,000 random pairs of training nodes: "
                           "their WL distance with the distance of the gradients of their losses "
                           "in the last layer of a GCN before training. The paper does not say "
                           "whether the bias counts; both are here. p: by Fisher's transform. One "
                           "draw of pairs, so nothing is called better.", 3);
    table_protocol(t, "A GCN with its first random weights; nothing is trained.");
    static const char *const theirs[] = {"Correlation", "p"};
    published says;
    table_key(t, "dataset", "dataset");
    table_column(t, "Correlation", "correlation, published", "published");
    table_column(t, "p", "p, published", "published");
    table_column(t, "weights", "weights", "ours");
    table_column(t, "weights_p", "p", "ours");
    table_column(t, "weights_and_bias", "weights and bias", "ours");
    table_column(t, "weights_and_bias_p", "p", "ours");
    for (int i = 0; i < p->set_count; i++) {
        const char *name = p->sets[i].is->name;
        if (!paper_is_there(p, i))
            continue;
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(name));
        for (int k = 0; k < 2; k++)
            table_put(row, value_published(paper_says(&says, "gradient", name, 0, "", theirs[k])
                                               ? &says : NULL));
        for (int study = BONSAI_STUDY_WEIGHTS; study >= BONSAI_STUDY_GRADIENT; study--) {
            const bonsai_cell like = paper_pairs_cell(p, i, (bonsai_study)study, BONSAI_MODEL_GCN,
                                                      100);
            const bonsai_cell *c = paper_measured(p, &like);
            table_put(row, value_plain(c ? c->correlation : NAN));
            table_put(row, value_plain(c ? fmax(c->chance, DBL_MIN) : NAN));    /* never 0 */
        }
    }
    return t;
}

/* ---- what was read off the graphs ---------------------------------------- */

/* Moves the rows and curves that paper_look made into a table. */
static void take_rows(bn_json *t, const bn_json *found)
{
    bn_json *rows = bn_json_get(t, "rows"), *row;
    for (size_t i = 0; (row = bn_json_at(bn_json_get(found, "rows"), i)); i++)
        bn_json_add(rows, bn_json_keep(row));
}

static void take_curve(bn_json *curves, const paper *p, int set, const bn_json *found)
{
    bn_json *points = bn_json_get(found, "at");
    if (points)
        table_put(curves, curve(p->sets[set].is->title, bn_json_keep(points)));
}

bn_json *pagerank_table(const paper *p)
{
    bn_json *t = table_new(p, "pagerank", "Distribution of PageRank scores (Figure 5)",
                           "Scores by rank of the nodes that Bonsai has chosen at 1 % of the "
                           "honest bytes, before the first pruning. Nodes below the knee that are "
                           "no roots are removed, and other trees fill the space, so the final "
                           "graph can have more nodes. The paper shows this as a figure without "
                           "numbers.", 5);
    bn_json *curves = bn_json_array();
    table_protocol(t, "--method trees --ratio 0.01 on the first split; nothing is trained.");
    table_key(t, "dataset", "dataset");
    table_column(t, "nodes", "nodes scored", "ours");
    table_column(t, "knee", "rank of the knee", "ours");
    table_column(t, "score", "score there", "ours");
    for (int i = 0; i < p->set_count; i++) {
        take_rows(t, p->seen[i].pagerank);
        take_curve(curves, p, i, p->seen[i].pagerank);
    }
    chart_lines(t, "PageRank from the roots", "rank", "score", curves);
    chart_log_x(t);
    return t;
}

bn_json *lemma_table(const paper *p)
{
    bn_json *t = table_new(p, "lemma", "Lemma 1: how far a sampled representative power is off",
                           "The representative power of a tree is the share of all training trees "
                           "that have it among their five nearest, or are it. Exact: over all "
                           "trees. Sampled: over as many as the lemma asks for with this theta and "
                           "delta, at most all; with all there is no error. The lemma says that "
                           "the share of trees that are off by more than theta is at most delta. "
                           "The last column has that share if every power is taken as 0. Means "
                           "over draws. With more than 20,000 training trees it is not measured.",
                           5);
    bn_json *curves = bn_json_array();
    table_protocol(t, "Exact k-NN of all training trees of the first split, 20 draws of each "
                      "sample; nothing is trained.");
    table_key(t, "dataset", "dataset");
    table_key(t, "theta", "theta");
    table_key(t, "delta", "delta");
    table_column(t, "sample", "sample", "ours");
    table_column(t, "mean", "mean error", "ours");
    table_column(t, "upper", "95 % of trees are off by at most", "ours");
    table_column(t, "most", "largest error, mean over draws", "ours");
    table_column(t, "above", "share off by more than theta", "ours");
    table_column(t, "guess", "the same if every power is taken as 0", "ours");
    for (int i = 0; i < p->set_count; i++) {
        take_rows(t, p->seen[i].lemma);
        take_curve(curves, p, i, p->seen[i].lemma);
    }
    chart_lines(t, "Mean error against the sample", "trees sampled", "mean error of the power",
                curves);
    chart_log_x(t);
    return t;
}
