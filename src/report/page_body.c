/* page_body.c -- maps, coverage, pruning, classes and degrees.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "page.h"

enum { MOST_CLASSES = 40, MOST_CURVES = 6, BINS = 33 };

/* ---- the map ------------------------------------------------------------- */

bn_json *bn_sheet_map(const bn_sheet *s)
{
    return bn_sheet_if(s->f->map[BN_MAP_WIDEST].known, bn_json_object());
}

/* Returns the strongest features of a node, if it is in the table of nodes. */
static bn_json *strongest_of(const void *facts, int64_t node)
{
    const bn_facts *f = facts;
    for (int64_t i = 0; i < f->stands; i++)
        if (f->stand[i].node == node)
            return bn_distinctive_values(f, &f->stand[i]);
    return bn_json_null();
}

void bn_sheet_draw_map(bn_page *p, const bn_sheet *s)
{
    bn_chart_maps(p, &(bn_map_chart){
        .maps = s->f->map, .class_name = (const char *const *)s->f->class_name,
        .classes = s->f->classes, .strongest = strongest_of, .payload = s->f});
}

/* ---- coverage and pruning ------------------------------------------------ */

static bn_json *points_of(const bn_curve *c, double scale)
{
    bn_json *all = bn_json_array();
    for (int64_t i = 0; i < c->count; i++)
        bn_json_add(all, bn_json_pack("[ff]", c->at[i].x, scale * c->at[i].y));
    return all;
}

static bn_json *bound_of(double bound)
{
    char text[64];
    if (bound < 0)
        return bn_json_null();
    bn_percent_text(text, bound);
    return bn_json_pack("{sf,so}", "at", 100 * bound, "name",
                        bn_json_textf("bound at this budget: %s", text));
}

bn_json *bn_sheet_coverage(const bn_sheet *s)
{
    const bonsai_condense_info *made = &s->f->made.info;
    const double bound = bn_fact(made, BN_FACT_COVERAGE_BOUND);
    if (s->f->coverage.count == 0)
        return bn_json_null();
    return bn_json_pack("{sf,sf,sf,s{ss,ss,ss,s[{so}],so}}", "coverage", s->coverage, "check",
                        bn_fact_real(made, BN_FACT_COVERAGE_CHECK),
                        "bound", bound >= 0 && bound < 0.9995 ? bound : NAN,
                        "chart", "title", "Coverage by bytes", "x", "bytes used",
                        "y", "percent of the sample covered", "curves",
                        "at", points_of(&s->f->coverage, 100), "line", bound_of(bound));
}

static bn_json *curve_of(const bn_prune *r)
{
    char knee[64];
    const double at = r->knee >= 0 ? (double)r->knee : NAN;
    bn_number_text(knee, at);
    return bn_json_pack("{so,so,sf}", "name",
                        bn_json_textf(r->knee >= 0 ? "round %lld, knee at %s" : "round %lld",
                                      (long long)r->number, knee),
                        "at", points_of(&r->scores, 1), "mark", at);
}

bn_json *bn_sheet_pruning(const bn_sheet *s)
{
    const bn_facts *f = s->f;
    const int64_t count = f->rounds < MOST_CURVES ? f->rounds : MOST_CURVES;
    bool there = false;
    bn_json *curves = bn_json_array(), *rounds = bn_json_array();
    for (int64_t i = 0; i < count; i++)         /* includes the first and the last */
        bn_json_add(curves, curve_of(&f->round[count > 1 ? i * (f->rounds - 1) / (count - 1) : 0]));
    for (int64_t i = 0; i < f->rounds; i++) {
        const bn_prune *r = &f->round[i];
        there = there || r->scores.count > 0;
        bn_json_add(rounds, bn_json_pack("{sI,sI,sf,sI}", "number", r->number, "nodes", r->nodes,
                                         "knee", r->knee >= 0 ? (double)r->knee : NAN,
                                         "pruned", r->pruned));
    }
    return bn_sheet_if(there, bn_json_pack(
        "{sb,so,s{ss,ss,ss,sb,so}}", "whole", f->made.o.keep_trees, "rounds", rounds, "chart",
        "title", "PageRank by rank", "x", "rank, the highest score first", "y", "PageRank",
        "log_y", true, "curves", curves));
}

/* ---- classes ------------------------------------------------------------- */

typedef struct {
    double size;
    int64_t at;
} ranked;

static int by_size(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    return a->size > b->size ? -1 : a->size < b->size ? 1 : a->at < b->at ? -1 : 1;
}

static double sum_of(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; v && i < n; i++)
        sum += v[i];
    return sum;
}

/* Makes a series of the shares in percent of the first classes in the order; its last value
 * is the sum of the others. */
static bn_json *shares(const char *name, const double *count, const ranked *order, int64_t classes)
{
    const double sum = sum_of(count, classes);
    double rest = 0;
    bn_json *values = bn_json_array();
    for (int64_t i = 0; i < classes; i++) {
        const double percent = sum > 0 ? 100 * count[order[i].at] / sum : 0;
        if (i < MOST_CLASSES)
            bn_json_add(values, bn_json_real(percent));
        else
            rest += percent;
    }
    if (classes > MOST_CLASSES)
        bn_json_add(values, bn_json_real(rest));
    return bn_json_pack("{ss,so}", "name", name, "values", values);
}

static bool weights_differ(const bn_facts *f)
{
    for (int64_t c = 0; f->class_weight && c < f->classes; c++)
        if (f->class_weight[c] != f->class_small[c])
            return true;
    return false;
}

static bn_json *classes_drawn(const bn_facts *f, const ranked *order)
{
    bn_json *labels = bn_json_array(), *series = bn_json_array();
    for (int64_t i = 0; i < f->classes && i < MOST_CLASSES; i++)
        bn_json_add(labels, bn_json_text(f->class_name[order[i].at]));
    if (f->classes > MOST_CLASSES)
        bn_json_add(labels, bn_json_textf("and %lld more", (long long)f->classes - MOST_CLASSES));
    if (f->class_full)
        bn_json_add(series, shares("full graph, training nodes", f->class_full, order, f->classes));
    bn_json_add(series, shares("small graph, labelled nodes", f->class_small, order, f->classes));
    if (weights_differ(f))
        bn_json_add(series, shares("small graph, by weight in the loss", f->class_weight, order,
                                   f->classes));
    return bn_bars(bn_json_text("Classes that a model sees in training"), "class", "percent",
                   labels, series);
}

static bn_json *classes_of(const bn_facts *f)
{
    ranked *order = NULL;
    if (!(sum_of(f->class_small, f->classes) + sum_of(f->class_full, f->classes) > 0))
        return bn_json_null();
    if (BN_NEW(&order, f->classes) != BONSAI_OK)
        return NULL;
    for (int64_t c = 0; c < f->classes; c++)
        order[c] = (ranked){f->class_full ? f->class_full[c] : f->class_small[c], c};
    qsort(order, (size_t)f->classes, sizeof *order, by_size);
    bn_json *chart = classes_drawn(f, order);
    bn_free(order);
    return chart;
}

/* ---- degrees ------------------------------------------------------------- */

static int last_bin(const bonsai_stats *st)
{
    int last = 0;
    for (int i = 0; i < BINS; i++)
        if (st->size > 0 && st->degree_bin[i] > 0)
            last = i;
    return last;
}

static bn_json *bin_name(int i)
{
    const long long low = i == 0 ? 0 : 1LL << (i - 1), high = i == 0 ? 0 : (1LL << i) - 1;
    char from[64];
    if (low == high)
        return bn_json_textf("%lld", low);
    if (high < 1000)
        return bn_json_textf("%lld–%lld", low, high);
    bn_fixed(from, (double)low, 0, true);
    return bn_json_textf("from %s", from);
}

static bn_json *bins_of(const bonsai_stats *st, int bins)
{
    bn_json *all = bn_json_array();
    for (int i = 0; i < bins; i++)
        bn_json_add(all, bn_json_real(
            st->size > 0 && st->nodes > 0 ? 100 * (double)st->degree_bin[i] / (double)st->nodes
                                          : 0));
    return all;
}

static bn_json *degrees_of(const bn_facts *f)
{
    const bonsai_stats *small = &f->small_stats, *full = &f->full_stats;
    const int bins = 1 + (last_bin(small) > last_bin(full) ? last_bin(small) : last_bin(full));
    bn_json *labels = bn_json_array();
    for (int i = 0; i < bins; i++)
        bn_json_add(labels, bin_name(i));
    return bn_bars(bn_json_text("Degrees: edge entries of a node"), "degree",
                   "percent of the nodes", labels,
                   bn_two_series("full graph", bins_of(full, bins), full->size > 0,
                                 "small graph", bins_of(small, bins)));
}

static bn_json *degree_values(const bonsai_stats *st)
{
    return bn_sheet_if(st->size > 0, bn_json_pack(
        "{sf,sI,sf}", "mean", st->degree_mean, "most", st->degree_max,
        "homophily", st->homophily >= 0 ? st->homophily : NAN));
}

bn_json *bn_sheet_before(const bn_sheet *s)
{
    return bn_json_pack("{so,so,so,so}", "full", degree_values(&s->f->full_stats), "small",
                        degree_values(&s->f->small_stats), "classes", classes_of(s->f),
                        "degrees", degrees_of(s->f));
}
