/* paper_end.c -- what did not reproduce, and the sentences that open the page: both from the data.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "paper.h"

typedef struct {                /* a published figure beside the same, redone */
    int          set, ratio;
    const entry *e;
    bonsai_model_kind model;
    published    says;
    const bonsai_cell *cell;
} pair;

typedef struct {                /* all such pairs of a run, one by one */
    const paper *p;
    int at;                     /* place among all sets, models, ratios and entries */
} walk;

static int entries(void)
{
    int n = 0;
    while (paper_entries[n].name)
        n++;
    return n;
}

static int fill_pair(pair *out, const paper *p)
{
    if (!paper_is_there(p, out->set) || (out->e == paper_full && out->ratio < RATIOS - 1) ||
        !paper_entry_says(&out->says, p, out->set, out->e, out->ratio, out->model) ||
        isnan(out->says.value))
        return 0;
    out->cell = paper_entry_measured(p, out->set, out->e, COLUMN_REDONE, out->ratio, out->model);
    return out->cell != NULL;
}

static int next_pair(pair *out, walk *w)
{
    const int n = entries(), models = BONSAI_MODEL_GIN + 1;
    while (w->at < w->p->set_count * models * RATIOS * n) {
        int at = w->at++;
        out->e = &paper_entries[at % n];
        out->ratio = at / n % RATIOS;
        out->model = (bonsai_model_kind)(at / n / RATIOS % models);
        out->set = at / n / RATIOS / models;
        if (fill_pair(out, w->p))
            return 1;
    }
    return 0;
}

static double gap_of(const pair *d)
{
    return d->cell->accuracy_mean - d->says.value;
}

/* The error of the gap; NAN: of one run there is none. */
static double error_of(const pair *d)
{
    return figure_apart(figure_of(d->cell), figure_published(&d->says));
}

static int differs(const pair *d)
{
    return fabs(gap_of(d)) > 2 * error_of(d);
}

static int next_compared(pair *out, walk *w)
{
    while (next_pair(out, w))
        if (paper_entry_compares(w->p, out->e, COLUMN_REDONE, out->cell))
            return 1;
    return 0;
}

/* ---- reasons ------------------------------------------------------------- */

/* How far the full graph is off, with the same network. */
static double gap_of_full(const paper *p, const pair *d)
{
    pair full = *d;
    full.ratio = RATIOS - 1;
    full.e = paper_full;
    return fill_pair(&full, p) && differs(&full) ? gap_of(&full) : 0;
}

/* Figures of Bonsai whose difference was looked into otherwise; NULL: this was not. */
static const char *explained(const paper *p, const pair *d)
{
    if (d->e == paper_bonsai && d->model == BONSAI_MODEL_GCN && d->ratio == 0 &&
        strcmp(p->sets[d->set].is->name, "cora") == 0)
        return "100 epochs, the default of the authors' script, give the published figure "
               "(doc/benchmarks.md)";
    return NULL;
}

/* A full graph that is off less than half as far explains little. */
static bn_json *reason(const paper *p, const pair *d)
{
    const double full = gap_of_full(p, d), gap = gap_of(d);
    if (d->says.broken || explained(p, d))
        return value_text(d->says.broken ? d->says.broken : explained(p, d));
    if (d->e->learns)
        return value_text("our own code of the method");
    if (d->e != paper_bonsai && d->e != paper_full)
        return value_text("other nodes are drawn: the published choice is not known");
    if (d->e != paper_full && full * gap > 0 && fabs(full) >= fabs(gap) / 2)
        return bn_json_pack("{s:o}", "text",
                            bn_json_textf("the network on the full graph is off by %s%.1f points "
                                          "too", full < 0 ? "\u2212" : "+", fabs(full)));
    return value_text("not known");
}

static void add_difference(bn_json *t, const paper *p, const pair *d)
{
    bn_json *row = table_row(t);
    table_put(row, bn_json_text(p->sets[d->set].is->name));
    table_put(row, bn_json_text(bonsai_model_name(d->model)));
    table_put(row, bn_json_real(paper_entry_ratio(d->e, d->ratio)));
    table_put(row, bn_json_text(d->e->name));
    table_put(row, value_published(&d->says));
    table_put(row, value_accuracy(p, d->cell));
    table_put(row, value_plain(gap_of(d)));
    table_put(row, reason(p, d));
}

/* The published correlation with gradients, beside the nearer of our two readings. */
static void add_gradient_difference(bn_json *t, const paper *p, int set)
{
    published says;
    double nearest = NAN, error = NAN;
    const char *name = p->sets[set].is->name;
    if (!paper_says(&says, "gradient", name, 0, "", "Correlation") || isnan(says.value))
        return;
    for (int study = BONSAI_STUDY_GRADIENT; study <= BONSAI_STUDY_WEIGHTS; study++) {
        const bonsai_cell like = paper_pairs_cell(p, set, (bonsai_study)study, BONSAI_MODEL_GCN,
                                                  100);
        const bonsai_cell *c = paper_measured(p, &like);
        if (!c || (!isnan(nearest) &&
                   !(fabs(c->correlation - says.value) < fabs(nearest - says.value))))
            continue;
        nearest = c->correlation;               /* 10,000 pairs, in the paper too */
        error = (1 - nearest * nearest) * sqrt(2 / (double)c->pairs);
    }
    if (!(fabs(nearest - says.value) > 2 * error))
        return;
    bn_json *row = table_row(t);
    table_put(row, bn_json_text(name));
    table_put(row, bn_json_text(bonsai_model_name(BONSAI_MODEL_GCN)));
    table_put(row, bn_json_real(100));
    table_put(row, bn_json_text("correlation with gradients"));
    table_put(row, value_published(&says));
    table_put(row, value_plain(nearest));
    table_put(row, value_plain(nearest - says.value));
    table_put(row, value_text("not known: the paper does not say how weights begin, nor whether "
                              "the bias counts"));
}

static void say_left_out(char *out, size_t size, const paper *p)
{
    if (!paper_trains_as_published(p))
        snprintf(out, size, "No accuracy is compared, because networks are trained otherwise than "
                 "for the published figures (--protocol published, %d epochs).", PUBLISHED_EPOCHS);
    else if (p->effort < 1)
        snprintf(out, size, "Methods that learn are left out, because they do only %g of their "
                 "published rounds here (--effort), and so is what was drawn only once.",
                 p->effort);
}

/* How many accuracies differ, of how many; of none: why. */
static void say_compared(char *out, size_t size, const paper *p, int count, int all)
{
    char left_out[280] = "";
    say_left_out(left_out, sizeof left_out, p);
    if (!paper_trains_as_published(p))
        snprintf(out, size, "%s", left_out);
    else if (all == 0)
        snprintf(out, size, "No published accuracy is compared with ours: none that was measured "
                 "has a published figure beside it, and an error. %s", left_out);
    else
        snprintf(out, size, "Every published accuracy that differs from ours by more than two "
                 "standard errors of the difference: %d of the %d that were compared. The "
                 "published error is the printed deviation, undivided, because the authors' runs "
                 "go on with one model. %s", count, all, left_out);
}

bn_json *differences_table(const paper *p)
{
    char about[1400], compared[700];
    int count = 0, all = 0;
    walk w = {p, 0};
    pair d;
    for (; paper_trains_as_published(p) && next_compared(&d, &w); all++)
        count += differs(&d);
    say_compared(compared, sizeof compared, p, count, all);
    snprintf(about, sizeof about, "%s%sDifference is ours minus published, in points. Correlations "
             "with gradients (Table 2) are listed if they differ by more than two errors of a "
             "correlation over 10,000 pairs, since the paper prints none; redone is the nearer of "
             "our two readings. If a reason names no page, a fixed rule gives it, and nobody has "
             "tested it.", compared, compared[strlen(compared) - 1] == ' ' ? "" : " ");
    bn_json *t = table_new(p, "differences", "What did not reproduce", about, 2);
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "network");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "method", "method");
    table_column(t, "published", "published", "published");
    table_column(t, "redone", "redone", "redone");
    table_column(t, "difference", "difference", "ours");
    table_column(t, "reason", "reason", "fact");
    for (w.at = 0; paper_trains_as_published(p) && next_compared(&d, &w);)
        if (differs(&d))
            add_difference(t, p, &d);
    for (int i = 0; i < p->set_count; i++)
        if (paper_is_there(p, i))
            add_gradient_difference(t, p, i);
    return t;
}

/* ---- sentences ----------------------------------------------------------- */

typedef struct {                /* published accuracies: compared, and within two standard errors */
    int    own, near, others, others_near;
    double most, most_gcn;      /* the largest differences of Bonsai's own */
} agreement;

/* Where nothing is known of the error, nothing is within two of them. */
static agreement agreement_of(const paper *p)
{
    walk w = {p, 0};
    pair d;
    agreement a = {.own = 0};
    while (next_compared(&d, &w)) {
        const int is_own = d.e == paper_bonsai;
        if (isnan(error_of(&d)))
            continue;
        a.own += is_own;
        a.near += is_own && !differs(&d);
        a.others += !is_own && !d.says.broken;
        a.others_near += !is_own && !d.says.broken && !differs(&d);
        if (is_own)
            a.most = fmax(a.most, fabs(gap_of(&d)));
        if (is_own && d.model == BONSAI_MODEL_GCN)
            a.most_gcn = fmax(a.most_gcn, fabs(gap_of(&d)));
    }
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

static void say_large(bn_json *all, const paper *p)
{
    for (int i = 0; i < p->set_count; i++) {
        const bonsai_cell *c = paper_entry_measured(p, i, paper_bonsai, COLUMN_REDONE, 1,
                                                    BONSAI_MODEL_GCN);
        const bonsai_cell *more = paper_entry_measured(p, i, paper_bonsai, COLUMN_REDONE, 2,
                                                       BONSAI_MODEL_GCN);
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

/* At 1 % of the honest bytes: auto, Bonsai, and the full graph.  Whether all were measured. */
static int find_honest(const bonsai_cell *c[3], const paper *p, int set)
{
    const entry *e[3] = {paper_auto, paper_bonsai, paper_full};
    const column_name from[3] = {COLUMN_HONEST, COLUMN_HONEST, COLUMN_REDONE};
    for (int k = 0; k < 3; k++)
        c[k] = paper_entry_measured(p, set, e[k], from[k], 1, BONSAI_MODEL_GCN);
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

static void say_ablation(bn_json *all, const paper *p)
{
    const ablation *a = paper_ablations, *nodes = a;
    int more = 0, cells = 0;
    while (nodes[1].label)
        nodes++;
    for (int i = 0; i < p->set_count; i++)
        for (int r = 0; r < RATIOS; r++) {
            const double ratio = paper_ablation_ratios[r];
            const bonsai_cell like[] = {
                paper_cell(i, a->made, ratio, a->method, BONSAI_MODEL_GCN),
                paper_cell(i, nodes->made, ratio, nodes->method, BONSAI_MODEL_GCN)};
            const bonsai_cell *c[] = {paper_measured(p, &like[0]), paper_measured(p, &like[1])};
            if (!c[0] || !c[1])
                continue;
            cells++;
            more += c[1]->accuracy_mean > c[0]->accuracy_mean;
        }
    if (cells > 0)
        bn_json_add(all, bn_json_textf("At 5 %% of the honest bytes and more, random nodes are "
                                       "better than whole trees in %d of %d cells of the ablation; "
                                       "in the paper, with its ratios and accounting, they are "
                                       "worse.", more, cells));
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
    if (p->asked >> TABLE_ABLATION & 1)
        say_ablation(all, p);
    return all;
}

/* "97 % of its accuracy on Cora, 96 % on CiteSeer"; the number of them. */
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
                         sets ? "Trained on 1 % of the bytes, a GCN keeps " : "", kept, sets ? "." : "", near);
}
