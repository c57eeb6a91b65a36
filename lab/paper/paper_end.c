/* paper_end.c -- the table of differences, and the sentences that open the page.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "paper.h"

typedef struct {                /* a published figure beside the same, redone */
    const place *at;
    published    says;
    const bonsai_cell *cell;
} pair;

static const bn_json *described(void)
{
    return paper_named(paper_described("tables"), "name", "differences");
}

static int find_pair(pair *out, const place *at)
{
    const bn_json *redone = paper_named(paper_described("columns"), "key", "redone");
    out->at = at;
    out->cell = paper_cell_at(at, redone);
    return out->cell && paper_figure_of(&out->says, at, redone) && !isnan(out->says.value);
}

static int find_compared(pair *out, const place *at)
{
    return find_pair(out, at) && paper_compares(at, out->cell);
}

static double gap_of(const pair *d)
{
    return d->cell->accuracy_mean - d->says.value;
}

/* Returns the standard error of the gap; NAN if it is not known. */
static double error_of(const pair *d)
{
    return hypot(figure_of(d->cell).error, figure_published(&d->says).error);
}

static int differs(const pair *d)
{
    return fabs(gap_of(d)) > 2 * error_of(d);
}

static int is_bonsai(const pair *d)
{
    return strcmp(paper_text(d->at->item, "method"), "Bonsai") == 0;
}

/* ---- reasons ------------------------------------------------------------- */

/* Returns the gap of the full graph with the same network; 0 if it is within two errors. */
static double gap_of_full(const place *at)
{
    pair full;
    place last = *at;
    last.item = paper_named(paper_described("methods"), "method", "Full");
    return find_pair(&full, &last) && differs(&full) ? gap_of(&full) : 0;
}

/* Returns the explanation of a figure whose difference was investigated; NULL for the others. */
static const char *explained(const pair *d)
{
    if (is_bonsai(d) && d->at->model == BONSAI_MODEL_GCN && d->at->r == 0 &&
        strcmp(d->at->p->sets[d->at->set].is->name, "cora") == 0)
        return "100 epochs, the default of the authors' script, give the published figure "
               "(doc/benchmarks.md)";
    return NULL;
}

/* Returns the reason for a difference.  A full graph whose gap is less than half explains
 * little. */
static bn_json *reason(const pair *d)
{
    const double full = gap_of_full(d->at), gap = gap_of(d);
    const int is_full = paper_is_full(d->at->item);
    if (d->says.broken || explained(d))
        return value_text(d->says.broken ? d->says.broken : explained(d));
    if (bn_json_get(d->at->item, "learns"))
        return value_text("our own code of the method");
    if (!is_bonsai(d) && !is_full)
        return value_text("other nodes are drawn: the published choice is not known");
    if (!is_full && full * gap > 0 && fabs(full) >= fabs(gap) / 2)
        return bn_json_pack("{s:o}", "text",
                            bn_json_textf("the network on the full graph is off by %s%.1f points "
                                          "too", full < 0 ? "\u2212" : "+", fabs(full)));
    return value_text("not known");
}

/* ---- the table ----------------------------------------------------------- */

static bn_json *row_of(const place *at, double ratio, const char *what, const published *says,
                       bn_json *ours, double gap, bn_json *why)
{
    return bn_json_pack("[s,s,f,s,o,o,o,o]", at->p->sets[at->set].is->name,
                        bonsai_model_name(at->model), ratio, what, value_published(says), ours,
                        value_plain(gap), why);
}

static int add_difference(const place *at, void *rows)
{
    pair d;
    if (!find_compared(&d, at) || !differs(&d))
        return 0;
    bn_json_add(rows, row_of(at, paper_is_full(at->item) ? 100 : at->ratio,
                             paper_text(at->item, "method"), &d.says,
                             value_accuracy(at->p, d.cell), gap_of(&d), reason(&d)));
    return 0;
}

/* Adds the published correlation with gradients, beside the nearer of our two readings, if they
 * differ. */
static int add_gradient_difference(const place *at, void *rows)
{
    published says;
    const bn_json *col;
    double nearest = NAN, error = NAN;
    for (size_t i = 0; (col = paper_column(at->table, i)); i++) {
        const bonsai_cell *c = paper_cell_at(at, col);
        if (strcmp(paper_text(col, "figure"), "Correlation") == 0 &&
            (!paper_figure_of(&says, at, col) || isnan(says.value)))
            return 0;
        if (!c || (!isnan(nearest) &&
                   !(fabs(c->correlation - says.value) < fabs(nearest - says.value))))
            continue;
        nearest = c->correlation;               /* 10,000 pairs, in the paper too */
        error = (1 - nearest * nearest) * sqrt(2 / (double)c->pairs);
    }
    if (!(fabs(nearest - says.value) > 2 * error))
        return 0;
    bn_json_add(rows, row_of(at, 100, "correlation with gradients", &says, value_plain(nearest),
                             nearest - says.value,
                             value_text("not known: the paper does not say how weights begin, nor "
                                        "whether the bias counts")));
    return 0;
}

void paper_differences(const paper *p, bn_json *rows)
{
    if (paper_trains_as_published(p))
        paper_each_row(p, described(), add_difference, rows);
    paper_each_row(p, paper_named(paper_described("tables"), "name", "gradient"),
                   add_gradient_difference, rows);
}

static int count_compared(const place *at, void *payload)
{
    int *count = payload;       /* all; that differ */
    pair d;
    if (find_compared(&d, at)) {
        count[0]++;
        count[1] += differs(&d);
    }
    return 0;
}

void paper_say_compared(char *out, size_t size, const paper *p)
{
    char left_out[280] = "";
    int count[2] = {0, 0};
    if (p->effort < 1)
        snprintf(left_out, sizeof left_out, "Methods that learn are left out, because they do only "
                 "%g of their published rounds here (--effort), and so is what was drawn only "
                 "once. ", p->effort);
    paper_each_row(p, described(), count_compared, count);
    if (!paper_trains_as_published(p))
        snprintf(out, size, "No accuracy is compared, because networks are trained otherwise than "
                 "for the published figures (--protocol published, %d epochs). ", PUBLISHED_EPOCHS);
    else if (count[0] == 0)
        snprintf(out, size, "No published accuracy is compared with ours: none that was measured "
                 "has a published figure beside it, and an error. %s", left_out);
    else
        snprintf(out, size, "Every published accuracy that differs from ours by more than two "
                 "standard errors of the difference: %d of the %d that were compared. The "
                 "published error is the printed deviation, undivided, because the authors' runs "
                 "go on with one model. %s", count[1], count[0], left_out);
}

/* ---- sentences ----------------------------------------------------------- */

typedef struct {                /* published accuracies: compared, and within two standard errors */
    int    own, near, others, others_near;
    double most, most_gcn;      /* the largest differences of Bonsai's own */
} agreement;

/* Counts compared accuracies; one whose error is not known does not count. */
static int agree(const place *at, void *payload)
{
    agreement *a = payload;
    pair d;
    if (!find_compared(&d, at) || isnan(error_of(&d)))
        return 0;
    const int own = is_bonsai(&d), other = !own && !d.says.broken;
    a->own += own;
    a->near += own && !differs(&d);
    a->others += other;
    a->others_near += other && !differs(&d);
    if (own)
        a->most = fmax(a->most, fabs(gap_of(&d)));
    if (own && at->model == BONSAI_MODEL_GCN)
        a->most_gcn = fmax(a->most_gcn, fabs(gap_of(&d)));
    return 0;
}

static agreement agreement_of(const paper *p)
{
    agreement a = {.own = 0};
    paper_each_row(p, described(), agree, &a);
    return a;
}

static void say_reproduced(bn_json *all, const paper *p)
{
    const agreement a = agreement_of(p);
    if (a.own > 0)
        bn_json_add(all, bn_json_textf("Of Bonsai's published accuracies, redone step by step as "
                                       "its authors' code computes them, %d of %d are within two "
                                       "standard errors of ours; the largest difference is %.1f "
                                       "points with a GCN and %.1f in all.", a.near, a.own,
                                       a.most_gcn, a.most));
    if (a.others > 0)
        bn_json_add(all, bn_json_textf("Of the other published accuracies that can be compared "
                                       "(%sRandom and Herding drawn several times, full graphs), "
                                       "%d of %d are.", p->effort < 1 ? "" : "methods that learn, ",
                                       a.others_near, a.others));
}

/* Returns the place of a dataset at the r-th ratio, with a GCN. */
static place place_at(const paper *p, int set, int r)
{
    const bn_json *table = described();
    const bn_json *ratio = bn_json_at(bn_json_get(table, "ratios"), (size_t)r);
    return (place){.p = p, .table = table, .set = set, .r = r, .ratio = bn_json_as_number(ratio),
                   .model = BONSAI_MODEL_GCN};
}

static void say_large(bn_json *all, const paper *p)
{
    for (int i = 0; i < p->set_count; i++) {
        const bonsai_cell *c = paper_method_cell(place_at(p, i, 1), "Bonsai", "redone");
        const bonsai_cell *more = paper_method_cell(place_at(p, i, 2), "Bonsai", "redone");
        char kept[32], nodes[32];
        if (!c || c->strict_share <= 0.1)
            continue;
        text_grouped(kept, sizeof kept, c->nodes);
        text_grouped(nodes, sizeof nodes, p->sets[i].is->nodes);
        bn_json_add(all, bn_json_textf("What the published code calls 1 %% of %s has %s of %s "
                                       "nodes, %lld of %lld features and %.0f %% of the honest "
                                       "bytes%s.", p->sets[i].is->title, kept, nodes,
                                       (long long)c->features, (long long)p->sets[i].is->features,
                                       100 * c->strict_share,
                                       more && more->checksum == c->checksum
                                           ? "; what it calls 3 % is the same graph" : ""));
    }
}

/* Finds the cells at 1 % of the honest bytes: auto, Bonsai, and the full graph.  Returns whether
 * all were measured. */
static int find_honest(const bonsai_cell *c[3], const paper *p, int set)
{
    c[0] = paper_method_cell(place_at(p, set, 1), "auto (ours)", "honest");
    c[1] = paper_method_cell(place_at(p, set, 1), "Bonsai", "honest");
    c[2] = paper_method_cell(place_at(p, set, 1), "Full", "redone");
    return c[0] && c[1] && c[2];
}

static void say_honest(bn_json *all, const paper *p)
{
    for (int i = 0; i < p->set_count; i++) {
        const bonsai_cell *c[3];
        if (find_honest(c, p, i))
            bn_json_add(all, bn_json_textf("At 1 %% of the honest bytes of %s a GCN has a test "
                                           "accuracy of %.1f %% with auto, which chooses by "
                                           "validation labels, and %.1f %% with Bonsai, which does "
                                           "not; on the full graph %.1f %%.", p->sets[i].is->title,
                                           c[0]->accuracy_mean, c[1]->accuracy_mean,
                                           c[2]->accuracy_mean));
    }
}

static int count_better(const place *at, void *payload)
{
    int *count = payload;       /* cells; where random nodes are better than whole trees */
    const bonsai_cell *c[2] = {NULL, NULL};
    const bn_json *col;
    for (size_t i = 0; (col = paper_column(at->table, i)); i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(paper_text(col, "key"), k ? "random nodes" : "whole trees") == 0)
                c[k] = paper_cell_at(at, col);
    if (c[0] && c[1]) {
        count[0]++;
        count[1] += c[1]->accuracy_mean > c[0]->accuracy_mean;
    }
    return 0;
}

static void say_ablation(bn_json *all, const paper *p)
{
    int count[2] = {0, 0};
    paper_each_row(p, paper_named(paper_described("tables"), "name", "ablation"), count_better,
                   count);
    if (count[0] > 0)
        bn_json_add(all, bn_json_textf("At 5 %% of the honest bytes and more, random nodes are "
                                       "better than whole trees in %d of %d cells of the ablation; "
                                       "in the paper, with its ratios and accounting, they are "
                                       "worse.", count[1], count[0]));
}

bn_json *paper_summary(const paper *p)
{
    bn_json *all = bn_json_array();
    if (p->quick)
        bn_json_add(all, bn_json_text("A quick run: fewer cells, runs and epochs than the paper's. "
                                      "Do not quote these numbers."));
    else if (paper_trains_as_published(p))
        say_reproduced(all, p);
    say_large(all, p);
    say_honest(all, p);
    if (paper_wants(p, "ablation"))
        say_ablation(all, p);
    return all;
}

/* Writes "97 % of its accuracy on Cora, 96 % on CiteSeer"; returns the number of datasets. */
static int say_kept(char *out, size_t size, const paper *p)
{
    int count = 0;
    size_t at = 0;
    *out = 0;
    for (int i = 0; i < p->set_count && at < size; i++) {
        const bonsai_cell *c[3];
        if (!find_honest(c, p, i) || !(c[2]->accuracy_mean > 0))
            continue;
        at += (size_t)snprintf(out + at, size - at, "%s%.0f %%%s on %s", count ? ", " : "",
                               100 * c[0]->accuracy_mean / c[2]->accuracy_mean,
                               count ? "" : " of its accuracy", p->sets[i].is->title);
        count++;
    }
    return count;
}

bn_json *paper_verdict(const paper *p)
{
    char kept[1000], near[200] = "";
    const agreement a = agreement_of(p);
    const int sets = say_kept(kept, sizeof kept, p);
    if (!p->quick && paper_trains_as_published(p) && a.own > 0)
        snprintf(near, sizeof near, "%s%d of Bonsai's %d published accuracies reproduce within two "
                 "standard errors.", sets ? " " : "", a.near, a.own);
    if (!sets && !*near)
        return bn_json_null();
    return bn_json_textf("%s%s%s%s%s", p->quick ? "A quick run, not to be quoted. " : "",
                         sets ? "Trained on 1 % of the bytes, a GCN keeps " : "", kept,
                         sets ? "." : "", near);
}
