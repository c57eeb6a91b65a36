/* page_metrics.c -- how well models that were trained on the small graph do on the full one.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page.h"

enum { TEXT = BN_CELL_TEXT, COLUMNS = 5, MOST_ROWS = 200 };

/* ---- cells --------------------------------------------------------------- */

/* A caller who knows accuracies alone leaves the metrics 0. */
double bn_cell_metric(const bonsai_cell *c, bonsai_metric m)
{
    if (!c->done || c->runs <= 0 || (unsigned)m >= BONSAI_METRIC_COUNT)
        return NAN;
    const bool filled = c->metric_mean[BONSAI_METRIC_ACCURACY] == c->accuracy_mean;
    const double value = m == BONSAI_METRIC_ACCURACY ? c->accuracy_mean
                         : filled                    ? c->metric_mean[m]
                                                     : NAN;
    return value >= 0 ? value : NAN;
}

static bool is_known(const bonsai_cell *c)
{
    return isfinite(bn_cell_metric(c, c->metric));
}

const bonsai_cell *bn_sheet_full_cell(const bn_sheet *s, bonsai_model_kind model)
{
    for (int64_t i = 0; i < s->o->cell_count; i++)
        if (s->o->cells[i].method < 0 && s->o->cells[i].model == model && is_known(&s->o->cells[i]))
            return &s->o->cells[i];
    return NULL;
}

const bonsai_cell *bn_sheet_first_cell(const bn_sheet *s)
{
    for (int64_t i = 0; i < s->o->cell_count; i++)
        if (s->o->cells[i].method >= 0 && is_known(&s->o->cells[i]))
            return &s->o->cells[i];
    return NULL;
}

void bn_cell_model(char *out, const bonsai_cell *c)
{
    const char *name = bonsai_model_name(c->model);
    snprintf(out, TEXT, "%s", name ? name : "model");
    for (char *t = out; *t && c->model != BONSAI_MODEL_SAGE; t++)
        *t = (char)toupper((unsigned char)*t);
    if (c->model == BONSAI_MODEL_SAGE)
        snprintf(out, TEXT, "GraphSAGE");
}

/* ---- rows ---------------------------------------------------------------- */

bool bn_sheet_has_accuracy(const bn_sheet *s)
{
    for (int64_t i = 0; i < s->o->cell_count; i++)
        if (s->o->cells[i].method >= 0)
            return true;
    return false;
}

typedef struct {
    char        text[MOST_ROWS][COLUMNS][TEXT];
    const char *cell[MOST_ROWS * COLUMNS], *label[MOST_ROWS];
    double      small[MOST_ROWS], full[MOST_ROWS];
    int         rows;
} table;

static void spread_text(char *out, const bonsai_cell *c, bonsai_metric m)
{
    const double std = m == BONSAI_METRIC_ACCURACY ? c->accuracy_std : c->metric_std[m];
    int at = bn_fixed(out, bn_cell_metric(c, m), 1, false);
    at += snprintf(out + at, TEXT - (size_t)at, " ± ");
    bn_fixed(out + at, std, 1, false);
}

static void name_row(char *out, const bn_sheet *s, const bonsai_cell *c)
{
    const char *method = bonsai_method_name((bonsai_method)c->method);
    bool several = false;
    char ratio[64];
    bn_cell_model(out, c);
    for (int64_t i = 0; i < s->o->cell_count; i++)
        several |= s->o->cells[i].method >= 0 && (s->o->cells[i].method != c->method ||
                                                  s->o->cells[i].ratio != c->ratio);
    if (!several)
        return;
    size_t at = strlen(out);
    bn_percent_text(ratio, c->ratio);
    snprintf(out + at, TEXT - at, ", %.20s %.20s", method ? method : "", ratio);
}

/* The full graph's, the small graph's, and the points between them. */
static void add_values(table *a, const bonsai_cell *full, const bonsai_cell *c, bonsai_metric m)
{
    char (*row)[TEXT] = a->text[a->rows];
    const double large = full ? bn_cell_metric(full, m) : NAN, small = bn_cell_metric(c, m);
    a->full[a->rows] = large;
    a->small[a->rows] = small;
    for (int i = 1; i < 4; i++)
        snprintf(row[i], TEXT, "–");
    if (isfinite(large))
        spread_text(row[1], full, m);
    if (isfinite(small))
        spread_text(row[2], c, m);
    if (isfinite(large) && isfinite(small)) {
        int at = snprintf(row[3], TEXT, small > large ? "+" : "");
        bn_fixed(row[3] + at, small - large, 1, false);
    }
    a->label[a->rows] = row[0];
    for (int i = 0; i < COLUMNS; i++)
        a->cell[a->rows * COLUMNS + i] = row[i];
    a->rows++;
}

static void add_cell(table *a, const bn_sheet *s, const bonsai_cell *c)
{
    char (*row)[TEXT] = a->text[a->rows];
    name_row(row[0], s, c);
    snprintf(row[4], TEXT, "%d", c->runs);
    add_values(a, bn_sheet_full_cell(s, c->model), c, c->metric);
}

/* The metrics beside the one that counts, where they are known. */
static void add_others(table *a, const bn_sheet *s, const bonsai_cell *c)
{
    for (int m = 0; m < BONSAI_METRIC_COUNT && a->rows < MOST_ROWS; m++) {
        char name[TEXT];
        if (m == (int)c->metric || !isfinite(bn_cell_metric(c, (bonsai_metric)m)))
            continue;
        name_row(name, s, c);
        snprintf(a->text[a->rows][0], TEXT, "%.40s, %s", name,
                 bonsai_metric_text((bonsai_metric)m));
        snprintf(a->text[a->rows][4], TEXT, "%d", c->runs);
        add_values(a, bn_sheet_full_cell(s, c->model), c, (bonsai_metric)m);
    }
}

static void fill(table *a, const bn_sheet *s, void (*add)(table *, const bn_sheet *,
                                                          const bonsai_cell *))
{
    a->rows = 0;
    for (int64_t i = 0; i < s->o->cell_count && a->rows < MOST_ROWS; i++)
        if (s->o->cells[i].method >= 0)
            add(a, s, &s->o->cells[i]);
}

/* ---- the section --------------------------------------------------------- */

static const char *const head[COLUMNS] = {"model", "full", "small", "points", "runs"};

static bonsai_metric metric_of(const bn_sheet *s)
{
    const bonsai_cell *c = bn_sheet_first_cell(s);
    return c ? c->metric : BONSAI_METRIC_ACCURACY;
}

static void draw_main(bn_page *p, const bn_sheet *s, const table *a)
{
    char title[TEXT];
    bool any_full = false;
    for (int i = 0; i < a->rows; i++)
        any_full |= isfinite(a->full[i]);
    const bn_series both[] = {{"trained on the full graph", a->full},
                              {"trained on the small graph", a->small}};
    snprintf(title, sizeof title, "Test %s", bonsai_metric_text(metric_of(s)));
    bn_put(p, "<div class=\"two\">\n");
    bn_chart_bars(p, &(bn_bar_chart){
        .title = title, .x = "model",
        .y = metric_of(s) == BONSAI_METRIC_ACCURACY ? "percent of test nodes" : "percent",
        .label = a->label, .labels = a->rows, .s = any_full ? both : both + 1,
        .series = any_full ? 2 : 1, .format = "%.1f"});
    bn_put(p, "<div>");
    bn_table(p, "Trained on the full graph and on the small one, in percent: mean and standard "
             "deviation over runs, and the difference",
             &(bn_cells){.head = head, .columns = COLUMNS, .cell = a->cell, .rows = a->rows});
    bn_put(p, "</div></div>\n");
}

/* What is folded: the other metrics, and the recall of each class unless one is lost. */
static void draw_more(bn_page *p, const bn_sheet *s, const table *others)
{
    const bool recall = bn_sheet_has_recall(s) && bn_sheet_lost_class(s) < 0;
    const bool both = others->rows && recall;
    if (!others->rows && !recall)
        return;
    bn_putf(p, "<details><summary>%s</summary>\n",
            both ? "Other metrics, and the recall of each class"
            : others->rows ? "Other metrics" : "The recall of each class");
    if (others->rows)
        bn_table(p, "Other metrics of the same models",
                 &(bn_cells){.head = head, .columns = COLUMNS, .cell = others->cell,
                             .rows = others->rows});
    if (recall)
        bn_sheet_recall(p, s);
    bn_put(p, "</details>\n");
}

/* What no model should fall below. */
static void say_largest(bn_page *p, const bn_sheet *s)
{
    const bonsai_metric m = metric_of(s);
    if (!(s->f->idle[m] > 0))
        return;
    bn_put(p, "<p>For reference: ");
    if (m >= BONSAI_METRIC_AUC)
        bn_put(p, "scoring all nodes alike gets ");
    else {
        bn_put(p, "always answering ");
        bn_escape_cut(p, s->f->class_name[s->f->largest], 60);
        bn_put(p, ", the largest class of the test nodes, gets ");
    }
    bn_put_fixed(p, s->f->idle[m], 1);
    bn_putf(p, m == BONSAI_METRIC_ACCURACY ? " %%.</p>\n" : " %% of %s.</p>\n",
            bonsai_metric_text(m));
}

void bn_sheet_accuracy(bn_page *p, const bn_sheet *s)
{
    table *a = NULL;
    if (BN_NEW(&a, 1) != BONSAI_OK) {
        p->failed = true;
        return;
    }
    bn_putf(p, "<p>Models were trained on the small graph and judged on the full graph's test "
               "nodes, at the epoch that did best on its validation nodes%s%s.</p>\n",
            metric_of(s) == BONSAI_METRIC_ACCURACY ? "" : " by ",
            metric_of(s) == BONSAI_METRIC_ACCURACY ? "" : bonsai_metric_text(metric_of(s)));
    say_largest(p, s);
    fill(a, s, add_cell);
    draw_main(p, s, a);
    if (bn_sheet_lost_class(s) >= 0)
        bn_sheet_recall(p, s);
    fill(a, s, add_others);
    draw_more(p, s, a);
    bn_free(a);
}
