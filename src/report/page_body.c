/* page_body.c -- maps, coverage, pruning, classes and degrees.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum { MOST_CLASSES = 40, MOST_CURVES = 6, MOST_POINTS = 200, TEXT = 64, BINS = 33 };

/* ---- the map ------------------------------------------------------------- */

bool bn_sheet_has_map(const bn_sheet *s)
{
    return s->f->map[BN_MAP_WIDEST].known;
}

/* What the table of nodes says of one of them. */
static void tell_node(bn_page *p, const void *facts, const bn_dot *d)
{
    const bn_facts *f = facts;
    for (int64_t i = 0; i < f->stands; i++)
        if (f->stand[i].node == d->node && f->stand[i].strong[0].feature >= 0) {
            bn_put(p, "; strongest: ");
            for (int k = 0; k < BN_STRONGEST && f->stand[i].strong[k].feature >= 0; k++) {
                bn_put(p, k ? ", " : "");
                bn_put_strong(p, f, &f->stand[i].strong[k]);
            }
            return;
        }
}

void bn_sheet_map(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<p>Nodes that are close together look similar to a graph neural network: each "
              "position is a node's features averaged with its neighbourhood's. The small graph's "
              "nodes should lie where the training nodes are.</p>\n");
    bn_chart_maps(p, &(bn_map_chart){
        .maps = s->f->map, .class_name = (const char *const *)s->f->class_name,
        .classes = s->f->classes, .tell = tell_node, .payload = s->f});
}

/* ---- coverage and pruning ------------------------------------------------ */

bool bn_sheet_has_coverage(const bn_sheet *s)
{
    return s->f->coverage.count > 0;
}

void bn_sheet_coverage(bn_page *p, const bn_sheet *s)
{
    const bn_facts *f = s->f;
    bn_spot at[MOST_POINTS];
    const bonsai_condense_info *made = &f->made.info;
    char bound[128];
    bn_curve percent = {f->coverage.count < MOST_POINTS ? f->coverage.count : MOST_POINTS, at};
    for (int64_t i = 0; i < percent.count; i++)
        at[i] = (bn_spot){f->coverage.at[i].x, 100 * f->coverage.at[i].y};
    bn_put(p, "<p>A tree covers the sampled training nodes that have it among their nearest. ");
    if (isfinite(s->coverage)) {
        bn_put(p, "The roots cover <strong>");
        bn_put_percent(p, s->coverage);
        bn_put(p, "</strong> of the sample");
    }
    if (made->coverage_check >= 0) {
        bn_put(p, ", and <strong>");
        bn_put_percent(p, made->coverage_check);
        bn_put(p, "</strong> of another sample, which was not used to choose them");
    }
    bn_put(p, isfinite(s->coverage) ? "." : "");
    if (made->coverage_bound >= 0 && made->coverage_bound < 0.9995) {
        bn_put(p, " No choice of trees at this budget covers more than ");
        bn_put_percent(p, made->coverage_bound);
        bn_put(p, ".");
    }
    bn_put(p, "</p>\n");
    snprintf(bound, sizeof bound, "bound at this budget: ");
    bn_percent_text(bound + strlen(bound), made->coverage_bound);
    bn_chart_lines(p, &(bn_line_chart){
        .title = "Coverage by bytes", .x = "bytes used", .y = "percent of the sample covered",
        .curve = &percent, .curves = 1,
        .line_at = made->coverage_bound >= 0 ? 100 * made->coverage_bound : NAN,
        .line_name = bound});
}

bool bn_sheet_has_pruning(const bn_sheet *s)
{
    for (int64_t i = 0; i < s->f->rounds; i++)
        if (s->f->round[i].scores.count > 0)
            return true;
    return false;
}

static void rounds_table(bn_page *p, const bn_facts *f)
{
    static const char *const head[] = {"round", "ranked", "knee at", "removed"};
    char (*text)[4][TEXT] = NULL;
    const char **cell = NULL;
    if (BN_NEW(&text, f->rounds) != BONSAI_OK || BN_NEW(&cell, 4 * f->rounds) != BONSAI_OK)
        p->failed = true;
    else {
        for (int64_t i = 0; i < f->rounds; i++) {
            const bn_prune *r = &f->round[i];
            bn_number_text(text[i][0], (double)r->number);
            bn_number_text(text[i][1], (double)r->nodes);
            bn_number_text(text[i][2], r->knee >= 0 ? (double)r->knee : NAN);
            bn_number_text(text[i][3], (double)r->pruned);
            for (int k = 0; k < 4; k++)
                cell[4 * i + k] = text[i][k];
        }
        bn_table(p, f->made.o.keep_trees
                     ? "Rounds of pruning: trees ranked, rank of the knee, trees removed"
                     : "Rounds of pruning: nodes ranked, rank of the knee, nodes removed",
                 &(bn_cells){.head = head, .columns = 4, .cell = cell, .rows = f->rounds});
    }
    bn_free(text);
    bn_free(cell);
}

void bn_sheet_pruning(bn_page *p, const bn_sheet *s)
{
    const bn_facts *f = s->f;
    bn_curve curve[MOST_CURVES];
    char text[MOST_CURVES][TEXT];
    const char *name[MOST_CURVES];
    double knee[MOST_CURVES];
    int count = f->rounds < MOST_CURVES ? (int)f->rounds : MOST_CURVES;
    for (int i = 0; i < count; i++) {           /* includes the first and the last */
        const bn_prune *r = &f->round[count > 1 ? i * (f->rounds - 1) / (count - 1) : 0];
        char at[64];
        curve[i] = r->scores;
        knee[i] = r->knee >= 0 ? (double)r->knee : NAN;
        bn_number_text(at, knee[i]);
        snprintf(text[i], TEXT, r->knee >= 0 ? "round %lld, knee at %s" : "round %lld",
                 (long long)r->number, at);
        name[i] = text[i];
    }
    bn_put(p, f->made.o.keep_trees
                  ? "<p>In each round PageRank, starting from the roots, scores the whole trees by "
                    "the mean of their nodes. The trees after the knee, where the scores stop "
                    "falling steeply, are removed to make room for others, but only if the roots "
                    "then cover more, or as much with more trees.</p>\n<div class=\"two\">\n"
                  : "<p>In each round PageRank, starting from the roots, ranks the other nodes of "
                    "their trees. The nodes after the knee, where the scores stop falling steeply, "
                    "are removed to make room for more trees.</p>\n<div class=\"two\">\n");
    bn_chart_lines(p, &(bn_line_chart){
        .title = "PageRank by rank", .x = "rank, the highest score first", .y = "PageRank",
        .curve = curve, .name = name, .curves = count, .marks = knee, .log_y = true});
    bn_put(p, "<div>");
    rounds_table(p, f);
    bn_put(p, "</div></div>\n");
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

static bool has_classes(const bn_sheet *s)
{
    const bn_facts *f = s->f;
    return f->classes > 0 &&
           sum_of(f->class_small, f->classes) + sum_of(f->class_full, f->classes) > 0;
}

/* Shares in percent in the order of `order`; the last is the sum of those not shown. */
static void shares(double *out, const double *count, const ranked *order, int64_t classes,
                   int64_t shown)
{
    double sum = sum_of(count, classes);
    out[shown] = 0;
    for (int64_t i = 0; i < classes; i++) {
        double percent = sum > 0 ? 100 * count[order[i].at] / sum : 0;
        if (i < shown)
            out[i] = percent;
        else
            out[shown] += percent;
    }
}

static bool weights_differ(const bn_facts *f)
{
    for (int64_t c = 0; f->class_weight && c < f->classes; c++)
        if (f->class_weight[c] != f->class_small[c])
            return true;
    return false;
}

static void draw_classes(bn_page *p, const bn_facts *f, const ranked *order)
{
    double value[3][MOST_CLASSES + 1];
    const char *label[MOST_CLASSES + 1];
    char rest[TEXT];
    bn_series series[3];
    const int64_t shown = f->classes < MOST_CLASSES ? f->classes : MOST_CLASSES;
    int count = 0;
    for (int64_t i = 0; i < shown; i++)
        label[i] = f->class_name[order[i].at];
    snprintf(rest, sizeof rest, "and %lld more", (long long)(f->classes - shown));
    label[shown] = rest;
    if (f->class_full) {
        shares(value[count], f->class_full, order, f->classes, shown);
        series[count] = (bn_series){"full graph, training nodes", value[count]};
        count++;
    }
    shares(value[count], f->class_small, order, f->classes, shown);
    series[count] = (bn_series){"small graph, labelled nodes", value[count]};
    count++;
    if (weights_differ(f)) {
        shares(value[count], f->class_weight, order, f->classes, shown);
        series[count] = (bn_series){"small graph, by weight in the loss", value[count]};
        count++;
    }
    bn_chart_bars(p, &(bn_bar_chart){
        .title = "Classes that a model sees in training", .x = "class", .y = "percent",
        .label = label, .labels = shown + (f->classes > shown), .s = series, .series = count,
        .format = "%.1f"});
}

static void classes_chart(bn_page *p, const bn_sheet *s)
{
    const bn_facts *f = s->f;
    ranked *order = NULL;
    if (BN_NEW(&order, f->classes) != BONSAI_OK) {
        p->failed = true;
        return;
    }
    for (int64_t c = 0; c < f->classes; c++)
        order[c] = (ranked){f->class_full ? f->class_full[c] : f->class_small[c], c};
    qsort(order, (size_t)f->classes, sizeof *order, by_size);
    draw_classes(p, f, order);
    bn_free(order);
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

static void bin_text(char *out, int i)
{
    long long low = i == 0 ? 0 : 1LL << (i - 1), high = i == 0 ? 0 : (1LL << i) - 1;
    char from[64], to[64];
    bn_tick_text(from, (double)low, false);
    bn_tick_text(to, (double)high, false);
    if (low == high)
        snprintf(out, TEXT, "%lld", low);
    else if (high < 1000)
        snprintf(out, TEXT, "%lld–%lld", low, high);
    else {
        bn_fixed(from, (double)low, 0, true);
        snprintf(out, TEXT, "from %.40s", from);
    }
}

static void say_degrees(bn_page *p, const char *what, const bonsai_stats *st)
{
    bn_put(p, what);
    bn_put(p, " <strong>");
    bn_put_fixed(p, st->degree_mean, 1);
    bn_put(p, "</strong> entries per node on average, ");
    bn_put_number(p, (double)st->degree_max);
    bn_put(p, " at most");
    if (st->homophily >= 0) {
        bn_put(p, ", ");
        bn_put_percent(p, st->homophily);
        bn_put(p, " of them between nodes of one class");
    }
    bn_put(p, ". ");
}

static void degrees_chart(bn_page *p, const bn_sheet *s)
{
    const bn_facts *f = s->f;
    const bool full = f->full_stats.size > 0;
    double value[2][BINS];
    char text[BINS][TEXT];
    const char *label[BINS];
    int bins = last_bin(&f->small_stats), other = last_bin(&f->full_stats);
    bins = 1 + (bins > other ? bins : other);
    for (int i = 0; i < bins; i++) {
        double n = (double)f->full_stats.nodes, m = (double)f->small_stats.nodes;
        value[0][i] = full && n > 0 ? 100 * (double)f->full_stats.degree_bin[i] / n : 0;
        value[1][i] = m > 0 ? 100 * (double)f->small_stats.degree_bin[i] / m : 0;
        bin_text(text[i], i);
        label[i] = text[i];
    }
    const bn_series both[] = {{"full graph", value[0]}, {"small graph", value[1]}};
    bn_chart_bars(p, &(bn_bar_chart){
        .title = "Degrees: edge entries of a node", .x = "degree", .y = "percent of the nodes",
        .label = label, .labels = bins, .s = full ? both : both + 1, .series = full ? 2 : 1,
        .format = "%.1f"});
}

void bn_sheet_before(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<p>");
    if (s->f->full_stats.size > 0)
        say_degrees(p, "The full graph has", &s->f->full_stats);
    say_degrees(p, "The small graph has", &s->f->small_stats);
    bn_put(p, "</p>\n<div class=\"two\">\n");
    if (has_classes(s))
        classes_chart(p, s);
    degrees_chart(p, s);
    bn_put(p, "</div>\n");
}
