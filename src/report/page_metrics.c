/* page_metrics.c -- how well models that were trained on the small graph do on the full one, by
 * several metrics and by class: accuracy hides a class that is never found where that is small.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page.h"

enum { TEXT = BN_CELL_TEXT, MOST_ROWS = 200, MOST_CELLS = 8, MOST_CLASSES = 40 };

/* ---- cells --------------------------------------------------------------- */

/* Returns the metric in percent, NAN if it is not known; a caller who knows accuracies alone
 * leaves the others 0. */
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

static double std_of(const bonsai_cell *c, bonsai_metric m)
{
    return !c ? NAN : m == BONSAI_METRIC_ACCURACY ? c->accuracy_std : c->metric_std[m];
}

static bn_json *row_of(const bn_sheet *s, const bonsai_cell *c, bonsai_metric m)
{
    char model[TEXT], name[2 * TEXT];
    const bonsai_cell *full = bn_sheet_full_cell(s, c->model);
    const double large = full ? bn_cell_metric(full, m) : NAN, small = bn_cell_metric(c, m);
    name_row(model, s, c);
    if (m == c->metric)
        strcpy(name, model);
    else
        snprintf(name, TEXT, "%.40s, %s", model, bonsai_metric_text(m));
    return bn_json_pack("{ss,sf,sf,sf,sf,sf,sb,si}", "name", name, "full", large,
                        "full_std", std_of(full, m), "small", small, "small_std", std_of(c, m),
                        "points", small - large, "gain", small > large, "runs", c->runs);
}

/* Lists for each cell the metric that counts, or the others that are known. */
static bn_json *rows_of(const bn_sheet *s, bool others)
{
    bn_json *rows = bn_json_array();
    for (int64_t i = 0; i < s->o->cell_count; i++) {
        const bonsai_cell *c = &s->o->cells[i];
        for (int m = 0; m < BONSAI_METRIC_COUNT; m++)
            if (c->method >= 0 && bn_json_count(rows) < MOST_ROWS &&
                (m == (int)c->metric) != others &&
                (!others || isfinite(bn_cell_metric(c, (bonsai_metric)m))))
                bn_json_add(rows, row_of(s, c, (bonsai_metric)m));
    }
    return rows;
}

/* ---- the recall of each class -------------------------------------------- */

static bool has_recall(const bn_sheet *s)
{
    return s->o->recall && s->o->cell_count > 0 && s->f->classes > 0;
}

double bn_sheet_recall_of(const bn_sheet *s, const bonsai_cell *c, int64_t k)
{
    if (!has_recall(s) || !c)
        return NAN;
    const double value = s->o->recall[(c - s->o->cells) * s->f->classes + k];
    return value >= 0 && value <= 100 ? value : NAN;
}

int64_t bn_sheet_lost_class(const bn_sheet *s)
{
    double metric[2][BONSAI_METRIC_COUNT];
    const bonsai_cell *small = bn_sheet_first_cell(s);
    const bonsai_cell *full = small ? bn_sheet_full_cell(s, small->model) : NULL;
    if (!small || !has_recall(s))
        return -1;
    for (int m = 0; m < BONSAI_METRIC_COUNT; m++) {
        metric[0][m] = bn_cell_metric(small, (bonsai_metric)m);
        metric[1][m] = full ? bn_cell_metric(full, (bonsai_metric)m) : NAN;
    }
    return bonsai_judge_lost(s->o->recall + (small - s->o->cells) * s->f->classes, s->f->classes,
                             metric[0], metric[1]);
}

static bn_json *recall_values(const bn_sheet *s)
{
    const bonsai_report_options *o = s->o;
    const int64_t cells = o->cell_count < MOST_CELLS ? o->cell_count : MOST_CELLS;
    const int64_t shown = s->f->classes < MOST_CLASSES ? s->f->classes : MOST_CLASSES;
    if (!has_recall(s))
        return bn_json_null();
    bn_json *models = bn_json_array(), *rows = bn_json_array();
    for (int64_t i = 0; i < cells; i++) {
        char model[BN_CELL_TEXT];
        bn_cell_model(model, &o->cells[i]);
        bn_json_add(models, bn_json_pack("{ss,sb}", "model", model,
                                         "full", o->cells[i].method < 0));
    }
    for (int64_t k = 0; k < shown; k++) {
        bn_json *values = bn_json_array();
        for (int64_t i = 0; i < cells; i++)
            bn_json_add(values, bn_json_real(bn_sheet_recall_of(s, &o->cells[i], k)));
        bn_json_add(rows, bn_json_pack("{ss,so}", "name", s->f->class_name[k], "values", values));
    }
    return bn_json_pack("{so,so,sI,sf}", "models", models, "rows", rows, "shown", shown, "all",
                        shown < s->f->classes ? (double)s->f->classes : NAN);
}

/* ---- the section --------------------------------------------------------- */

/* Makes the bars of the rows, without the full graph's if none is known. */
static bn_json *chart_of(const bn_json *rows, bonsai_metric metric)
{
    bn_json *labels = bn_json_array(), *full = bn_json_array(), *small = bn_json_array();
    bool any_full = false;
    const bn_json *row;
    for (size_t i = 0; (row = bn_json_at(rows, i)); i++) {
        bn_json_add(labels, bn_json_keep(bn_json_get(row, "name")));
        bn_json_add(full, bn_json_keep(bn_json_get(row, "full")));
        bn_json_add(small, bn_json_keep(bn_json_get(row, "small")));
        any_full |= bn_json_is_number(bn_json_get(row, "full"));
    }
    return bn_bars(bn_json_textf("Test %s", bonsai_metric_text(metric)), "model",
                   metric == BONSAI_METRIC_ACCURACY ? "percent of test nodes" : "percent", labels,
                   bn_two_series("trained on the full graph", full, any_full,
                                 "trained on the small graph", small));
}

/* Returns the title of what is folded: the other metrics, and the recall of each class unless
 * one is lost. */
static const char *folded(bool others, bool recall)
{
    return others && recall ? "Other metrics, and the recall of each class"
           : others         ? "Other metrics"
           : recall         ? "The recall of each class" : NULL;
}

bn_json *bn_sheet_accuracy(const bn_sheet *s)
{
    const bonsai_cell *first = bn_sheet_first_cell(s);
    const bonsai_metric m = first ? first->metric : BONSAI_METRIC_ACCURACY;
    const bool lost = bn_sheet_lost_class(s) >= 0;
    bn_json *main = rows_of(s, false), *others = rows_of(s, true);
    const bool there = bn_json_count(main) > 0, other = bn_json_count(others) > 0;
    bn_json *v = bn_json_pack(
        "{ss?,sf,sb,ss,sb,ss?,so,so,so,so}", "metric",
        m == BONSAI_METRIC_ACCURACY ? NULL : bonsai_metric_text(m),
        "idle", s->f->idle[m] > 0 ? s->f->idle[m] : NAN, "alike", m >= BONSAI_METRIC_AUC,
        "largest", s->f->classes > 0 ? s->f->class_name[s->f->largest] : "", "lost", lost,
        "folded", folded(other, has_recall(s) && !lost), "chart", chart_of(main, m),
        "recall", recall_values(s), "main", bn_json_pack("{so}", "rows", main),
        "others", other ? bn_json_pack("{so}", "rows", others) : bn_json_null());
    if (!other)
        bn_json_free(others);
    return bn_sheet_if(there, v);
}
