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
    const int full = out->e->method[COLUMN_REDONE] == FULL;
    const char *table = out->model == BONSAI_MODEL_GCN ? "accuracy" : "models";
    if (!paper_is_there(p, out->set) || !out->e->theirs || (full && out->ratio > 0) ||
        !paper_says(&out->says, table, p->sets[out->set].is->name,
                    full ? 100 : paper_ratios[out->ratio], bonsai_model_name(out->model),
                    out->e->theirs) || isnan(out->says.value))
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

/* The standard error of the gap; NAN: of one run there is none. */
static double error_of(const pair *d)
{
    return hypot(figure_of(d->cell).error, figure_published(&d->says).error);
}

static int differs(const pair *d)
{
    return fabs(gap_of(d)) > 2 * error_of(d);
}

/* ---- reasons ------------------------------------------------------------- */

/* How far the full graph is off, with the same network. */
static double gap_of_full(const paper *p, const pair *d)
{
    pair full = *d;
    full.ratio = 0;
    full.e = &paper_entries[entries() - 1];
    return fill_pair(&full, p) && differs(&full) ? gap_of(&full) : 0;
}

static bn_json *reason(const paper *p, const pair *d)
{
    const double full = gap_of_full(p, d);
    if (d->says.broken)
        return value_text(d->says.broken);
    if (p->protocol != PROTOCOL_PUBLISHED)
        return value_text("another split and other training than published");
    if (d->e->method[COLUMN_REDONE] != FULL && full * gap_of(d) > 0)
        return bn_json_pack("{s:o}", "text",
                            bn_json_textf("the network on the full graph is off by %s%.1f points "
                                          "too", full < 0 ? "\u2212" : "+", fabs(full)));
    if (d->e->learns)
        return bn_json_pack("{s:o}", "text", bn_json_textf("our own code of the method, at effort "
                            "%g",
                                                           p->effort));
    if (d->e != paper_bonsai && d->e->method[COLUMN_REDONE] != FULL)
        return value_text("other nodes are drawn: the published choice is not known");
    return value_text("not known");
}

bn_json *differences_table(const paper *p)
{
    bn_json *t = table_new(p, "differences", "What did not reproduce",
                           "Every published accuracy that was measured again and is off by more "
                           "than two standard errors, of ours and of the published one together "
                           "(theirs: the printed deviation over the square root of five runs). The "
                           "reason is found by rule: a figure that is known to be broken, a full "
                           "graph that is off in the same direction, a method of our own "
                           "making.", 2);
    walk w = {p, 0};
    pair d;
    table_key(t, "dataset", "dataset");
    table_key(t, "model", "network");
    table_key(t, "ratio", "ratio, %");
    table_key(t, "method", "method");
    table_column(t, "published", "published", "published");
    table_column(t, "redone", "published code redone", "redone");
    table_column(t, "difference", "difference", "ours");
    table_column(t, "reason", "reason", "fact");
    while (next_pair(&d, &w)) {
        if (!differs(&d))
            continue;
        bn_json *row = table_row(t);
        table_put(row, bn_json_text(p->sets[d.set].is->name));
        table_put(row, bn_json_text(bonsai_model_name(d.model)));
        table_put(row, bn_json_real(d.e->method[COLUMN_REDONE] == FULL ? 100
                                                                       : paper_ratios[d.ratio]));
        table_put(row, bn_json_text(d.e->name));
        table_put(row, value_published(&d.says));
        table_put(row, value_accuracy(p, d.cell));
        table_put(row, value_plain(gap_of(&d)));
        table_put(row, reason(p, &d));
    }
    return t;
}

/* ---- sentences ----------------------------------------------------------- */

/* Where nothing is known of the error, nothing is within two of them. */
static void say_reproduced(bn_json *all, const paper *p)
{
    walk w = {p, 0};
    pair d;
    int own = 0, near = 0, others = 0, others_near = 0;
    double most = 0;
    while (next_pair(&d, &w)) {
        const int is_own = d.e == paper_bonsai;
        if (isnan(error_of(&d)))
            continue;
        own += is_own;
        near += is_own && !differs(&d);
        others += !is_own && !d.says.broken;
        others_near += !is_own && !d.says.broken && !differs(&d);
        if (is_own)
            most = fmax(most, fabs(gap_of(&d)));
    }
    if (own > 0 && p->protocol == PROTOCOL_PUBLISHED)
        bn_json_add(all, bn_json_textf("Of Bonsai's published accuracies, redone step by step as "
                                       "its authors' code computes them, %d of %d are within two "
                                       "standard errors; the largest difference is %.1f "
                                       "points.", near, own, most));
    if (others > 0 && p->protocol == PROTOCOL_PUBLISHED)
        bn_json_add(all, bn_json_textf("Of the peers, baselines and full graphs %d of %d published "
                                       "figures that are not known to be broken are within two "
                                       "standard errors of what we measure.", others_near, others));
}

static void say_large(bn_json *all, const paper *p)
{
    for (int i = 0; i < p->set_count; i++) {
        const bonsai_cell *c = paper_entry_measured(p, i, paper_bonsai, COLUMN_REDONE, 1,
                                                    BONSAI_MODEL_GCN);
        char kept[32], nodes[32];
        if (!c || c->strict_share <= 0.1)
            continue;
        text_grouped(kept, sizeof kept, c->nodes);
        text_grouped(nodes, sizeof nodes, p->sets[i].is->nodes);
        bn_json_add(all, bn_json_textf("What the published code calls 1 %% of %s has %s of its %s "
                                       "nodes and %.0f %% of its "
                                       "bytes.", p->sets[i].is->title, kept,
                                       nodes, 100 * c->strict_share));
    }
}

static void say_honest(bn_json *all, const paper *p)
{
    const entry *automatic = paper_bonsai + 2;
    for (int i = 0; i < p->set_count; i++) {
        const bonsai_cell *c[3];
        const entry *e[3] = {automatic, paper_bonsai, &paper_entries[entries() - 1]};
        const column_name from[3] = {COLUMN_HONEST, COLUMN_HONEST, COLUMN_REDONE};
        for (int k = 0; k < 3; k++)
            c[k] = paper_entry_measured(p, i, e[k], from[k], 1, BONSAI_MODEL_GCN);
        if (c[0] && c[1] && c[2])
            bn_json_add(all, bn_json_textf("At 1 %% of the honest bytes of %s a GCN gets %.1f %% "
                                           "with auto and %.1f %% with the paper's trees; on the "
                                           "full graph %.1f "
                                           "%%.", p->sets[i].is->title, c[0]->accuracy_mean,
                                           c[1]->accuracy_mean, c[2]->accuracy_mean));
    }
}

bn_json *paper_summary(const paper *p)
{
    bn_json *all = bn_json_array();
    if (p->quick)
        bn_json_add(all, bn_json_text("A quick run: fewer cells, runs and epochs than the paper's, "
                                      "so that no figure here is for quoting."));
    else
        say_reproduced(all, p);
    say_large(all, p);
    say_honest(all, p);
    return all;
}
