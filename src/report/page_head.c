/* page_head.c -- the verdict on a small graph: what it is worth, in a sentence and a few large
 * numbers.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "page.h"

double bn_part_of(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* ---- the sentence -------------------------------------------------------- */

static void put_count(bn_page *p, double count, const char *one, const char *many)
{
    bn_put(p, "<strong>");
    bn_put_number(p, count);
    bn_put(p, "</strong> ");
    bn_put(p, count == 1 ? one : many);
}

static void put_name(bn_page *p, const char *name)
{
    bn_put(p, "<strong>");
    bn_escape_cut(p, name, 120);
    bn_put(p, "</strong>");
}

/* Of so many trees, if it is known. */
static void say_whole(bn_page *p, const bonsai_condense_info *i)
{
    if (i->whole_trees < 0)
        return;
    bn_put(p, ", ");
    bn_put_number(p, (double)i->whole_trees);
    bn_put(p, " kept whole,");
}

/* Nodes without a label may take part in prototypes: then there are more of them. */
static void say_prototypes(bn_page *p, const bn_sheet *s)
{
    const bool told = isfinite(s->stood);
    const double count = s->small.nodes - s->second;
    put_count(p, count, "prototype", "prototypes");
    if (s->second > 0) {
        bn_put(p, ", with ");
        put_count(p, s->second, "second node without a label,", "second nodes without a label,");
    }
    bn_put(p, !told ? " made with " : count == 1 ? " stands for " : " stand for ");
    if (told && s->stood > s->training) {
        put_count(p, s->stood, "node", "nodes");
        bn_put(p, ", ");
        put_count(p, s->training, "of them with a training label,",
                  "of them with a training label,");
    } else
        put_count(p, told ? s->stood : s->training, "training node", "training nodes");
    bn_put(p, " of ");
}

static void say_making(bn_page *p, const bn_sheet *s)
{
    const char *method = s->f->method ? s->f->method : "unknown";
    if (strcmp(method, "prototypes") == 0) {
        say_prototypes(p, s);
    } else if (strcmp(method, "trees") == 0) {
        put_count(p, (double)s->f->made.info.roots, "tree", "trees");
        say_whole(p, &s->f->made.info);
        bn_put(p, " with ");
        put_count(p, s->small.nodes, "node", "nodes");
        if (isfinite(s->coverage)) {
            bn_put(p, " cover <strong>");
            bn_put_percent(p, s->coverage);
            bn_put(p, "</strong> of the sampled training nodes of ");
        } else
            bn_put(p, " were picked from ");
    } else if (s->f->made.info.learn_rounds > 0) {
        put_count(p, s->small.nodes, "node was", "nodes were");
        bn_put(p, " learned by <strong>");
        bn_escape_cut(p, method, 40);
        bn_put(p, "</strong> from ");
        put_count(p, s->training, "training node", "training nodes");
        bn_put(p, " of ");
    } else {
        put_count(p, s->small.nodes, "node was", "nodes were");
        bn_put(p, " picked by <strong>");
        bn_escape_cut(p, method, 40);
        bn_put(p, "</strong>");
        if (strcmp(method, "published") == 0) {
            bn_put(p, " with ");
            put_count(p, (double)s->f->made.info.roots, "tree", "trees");
            say_whole(p, &s->f->made.info);
        }
        bn_put(p, " from ");
    }
    put_name(p, s->full_name);
}

static void say(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<p class=\"lead\">");
    if (!s->f->made.known || !isfinite(s->full.nodes)) {
        put_name(p, s->small_name);
        bn_put(p, " has ");
        put_count(p, s->small.nodes, "node", "nodes");
        bn_put(p, " and ");
        put_count(p, s->small.edges, "edge entry", "edge entries");
        bn_put(p, " in <strong>");
        bn_put_bytes(p, s->small.bytes);
        bn_put(p, "</strong>.</p>\n");
        return;
    }
    say_making(p, s);
    bn_put(p, ": <strong>");
    bn_put_bytes(p, s->small.bytes);
    bn_put(p, "</strong> instead of <strong>");
    bn_put_bytes(p, s->full.bytes);
    bn_put(p, "</strong>.</p>\n");
    if (s->f->made.info.why[0]) {
        bn_put(p, "<p class=\"quiet\">");
        bn_escape_cut(p, s->f->made.info.why, 200);
        bn_put(p, ".</p>\n");
    }
}

/* ---- large numbers ------------------------------------------------------- */

/* The full graph as a square, the small one as a square inside it, to scale by area. */
static void area(bn_page *p, double ratio)
{
    double side = fmax(0.8, 98 * sqrt(fmin(fmax(ratio, 0), 1)));
    char size[48], top[48];
    bn_fixed(size, side, 1, false);
    bn_fixed(top, 99 - side, 1, false);
    bn_putf(p, "<svg class=\"area-of\" viewBox=\"0 0 100 100\" aria-hidden=\"true\">"
            "<rect class=\"whole\" x=\"1\" y=\"1\" width=\"98\" height=\"98\" rx=\"4\"/>"
            "<rect class=\"part\" x=\"1\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"1\"/></svg>\n",
            top, size, size);
}

static void tile(bn_page *p, const char *what)
{
    bn_putf(p, "</b><span class=\"what\">%s</span><small>", what);
}

static void tile_bytes(bn_page *p, const bn_sheet *s)
{
    double ratio = bn_part_of(s->small.bytes, s->full.bytes);
    bn_put(p, "<li class=\"size\">");
    if (isfinite(ratio))
        area(p, ratio);
    bn_put(p, "<span><b>");
    if (isfinite(ratio)) {
        bn_put_percent(p, ratio);
        tile(p, "of the bytes");
        bn_put_bytes(p, s->small.bytes);
        bn_put(p, " of ");
        bn_put_bytes(p, s->full.bytes);
    } else {
        bn_put_bytes(p, s->small.bytes);
        tile(p, "in all");
        bn_put(p, "without names and metadata");
    }
    bn_put(p, "</small></span></li>\n");
}

static void put_of(bn_page *p, double some, double all)
{
    bn_put_number(p, some);
    if (isfinite(all)) {
        bn_put(p, " of ");
        bn_put_number(p, all);
    }
}

static void tile_nodes(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<li><b>");
    bn_put_number(p, s->small.nodes);
    tile(p, s->small.nodes == 1 ? "node" : "nodes");
    if (isfinite(s->full.nodes)) {
        bn_put(p, "of ");
        bn_put_number(p, s->full.nodes);
    }
    if (s->second > 0) {
        bn_put(p, isfinite(s->full.nodes) ? ", " : "");
        bn_put_number(p, s->second);
        bn_put(p, " without a label");
    }
    bn_put(p, isfinite(s->full.nodes) || s->second > 0 ? "; " : "");
    put_of(p, s->small.edges, s->full.edges);
    bn_put(p, s->small.edges == 1 && !isfinite(s->full.edges) ? " edge entry" : " edge entries");
    bn_put(p, "</small></li>\n");
}

static void tile_cover(bn_page *p, const bn_sheet *s)
{
    const double each = bn_part_of(s->stood, s->small.nodes - s->second);
    bn_put(p, "<li><b>");
    if (isfinite(s->coverage)) {
        bn_put_percent(p, s->coverage);
        tile(p, "of the sample covered");
        const double bound = s->f->made.info.coverage_bound;
        if (bound >= 0 && bound < 0.9995) {
            bn_put(p, "at most ");
            bn_put_percent(p, bound);
            bn_put(p, " at this budget");
        } else {
            bn_put(p, "of ");
            bn_put_number(p, (double)s->f->made.info.sample);
            bn_put(p, " trees");
        }
    } else {
        bn_put_number(p, each >= 10 ? rint(each) : each);
        tile(p, s->stood > s->training ? "nodes per prototype" : "training nodes per prototype");
        bn_put_number(p, s->stood);
        bn_put(p, " in all");
        if (s->stood > s->training) {
            bn_put(p, ", ");
            bn_put_number(p, s->training);
            bn_put(p, " with a training label");
        }
    }
    bn_put(p, "</small></li>\n");
}

static void tile_time(bn_page *p, const bonsai_condense_info *i)
{
    bn_put(p, "<li><b>");
    bn_put_seconds(p, i->seconds_total);
    tile(p, "to condense");
    if (i->peak_rss_bytes > 0) {
        bn_put(p, "peak memory ");
        bn_put_bytes(p, (double)i->peak_rss_bytes);
    }
    bn_put(p, "</small></li>\n");
}

/* Seconds of a run, on the small graph and on the full one. */
static void tile_training(bn_page *p, const bonsai_cell *small, const bonsai_cell *full)
{
    char model[BN_CELL_TEXT], what[2 * BN_CELL_TEXT];
    bn_cell_model(model, small);
    bn_put(p, "<li><b>");
    bn_put_seconds(p, small->seconds_train / small->runs);
    snprintf(what, sizeof what, "to train a %s", model);
    tile(p, what);
    if (full && full->seconds_train > 0) {
        bn_put_seconds(p, full->seconds_train / full->runs);
        bn_put(p, " on the full graph");
    }
    bn_put(p, "</small></li>\n");
}

/* ---- the verdict --------------------------------------------------------- */

typedef struct {                /* what the small graph is worth, in percent; NAN: not known */
    double small, full;
    double error;               /* two standard errors of their difference */
    const bonsai_cell *cell, *full_cell;        /* NULL: a probe's */
} worth;

static double squared_error(const bonsai_cell *c, bonsai_metric m)
{
    const double std = m == BONSAI_METRIC_ACCURACY ? c->accuracy_std : c->metric_std[m];
    return c->runs > 1 && isfinite(std) ? std * std / c->runs : 0;
}

static worth worth_of(const bn_sheet *s)
{
    const bonsai_condense_info *made = &s->f->made.info;
    worth w = {NAN, NAN, 0, bn_sheet_first_cell(s), NULL};
    if (!w.cell) {
        w.small = s->f->made.known && made->probe >= 0 ? made->probe : NAN;
        w.full = s->f->made.known && made->probe_full > 0 ? made->probe_full : NAN;
        return w;
    }
    w.small = bn_cell_metric(w.cell, w.cell->metric);
    w.full_cell = bn_sheet_full_cell(s, w.cell->model);
    if (w.full_cell) {
        w.full = bn_cell_metric(w.full_cell, w.cell->metric);
        w.error = 2 * sqrt(squared_error(w.cell, w.cell->metric) +
                           squared_error(w.full_cell, w.cell->metric));
    }
    return w;
}

static void put_strong_percent(bn_page *p, double percent)
{
    bn_put(p, "<strong>");
    bn_put_fixed(p, percent, 1);
    bn_put(p, " %</strong>");
}

/* How the two compare, where both are known. */
static void say_difference(bn_page *p, const worth *w, double bytes)
{
    const double points = w->small - w->full;
    if (!isfinite(points))
        return;
    if (fabs(points) <= w->error || fabs(points) < 0.05)
        bn_put(p, " That is no clear difference");
    else {
        bn_put(p, points > 0 ? " That is " : " It loses ");
        bn_put_fixed(p, fabs(points), 1);
        bn_put(p, points > 0 ? " points more" : " points");
    }
    if (isfinite(bytes)) {
        bn_put(p, ", with ");
        bn_put_percent(p, bytes);
        bn_put(p, " of the bytes");
    }
    bn_put(p, ".");
}

/* In the words of the program. */
static void say_probe(bn_page *p, const bn_sheet *s)
{
    char text[400];
    if (bonsai_condense_worth(text, sizeof text, NULL, &s->f->made.info) > 0)
        bn_escape(p, text);
    bn_put(p, "</p>\n");
}

/* The class that fares worst, where the one number hides it. */
static void say_lost(bn_page *p, const bn_sheet *s, const worth *w)
{
    const int64_t lost = bn_sheet_lost_class(s);
    if (lost < 0)
        return;
    const double full = bn_sheet_recall_of(s, w->full_cell, lost);
    bn_put(p, " Classes fare unequally: of ");
    bn_escape_cut(p, s->f->class_name[lost], 60);
    bn_put(p, " it finds ");
    put_strong_percent(p, bn_sheet_recall_of(s, w->cell, lost));
    if (isfinite(full)) {
        bn_put(p, ", the full graph ");
        put_strong_percent(p, full);
    }
    bn_put(p, ".");
}

static void say_worth(bn_page *p, const bn_sheet *s, const worth *w)
{
    char model[BN_CELL_TEXT];
    if (!isfinite(w->small))
        return;
    bn_put(p, "<p class=\"verdict\">");
    if (!w->cell) {
        say_probe(p, s);
        return;
    }
    bn_cell_model(model, w->cell);
    const bool right = w->cell->metric == BONSAI_METRIC_ACCURACY;
    bn_putf(p, "Trained on this small graph, a %s %s ", model, right ? "gets" : "reaches");
    put_strong_percent(p, w->small);
    bn_put(p, right ? " of the test nodes right" : " of ");
    bn_put(p, right ? "" : bonsai_metric_text(w->cell->metric));
    if (isfinite(w->full)) {
        bn_put(p, "; trained on the full graph, ");
        put_strong_percent(p, w->full);
    }
    bn_put(p, ".");
    say_difference(p, w, bn_part_of(s->small.bytes, s->full.bytes));
    say_lost(p, s, w);
    bn_put(p, "</p>\n");
}

static void put_score(bn_page *p, double percent, const char *css, const char *what)
{
    char width[48];
    bn_fixed(width, fmin(fmax(percent, 0), 100), 1, false);
    bn_putf(p, "<span class=\"score %s\"><b>", css);
    bn_put_fixed(p, percent, 1);
    bn_putf(p, " %%</b><span class=\"what\">%s</span><svg viewBox=\"0 0 100 4\" "
            "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"rail\" "
            "width=\"100\" height=\"4\"/><rect class=\"fill\" width=\"%s\" height=\"4\"/></svg>"
            "</span>", what, width);
}

static void tile_worth(bn_page *p, const bn_sheet *s, const worth *w)
{
    char model[BN_CELL_TEXT];
    bn_put(p, "<li class=\"first worth\"><span class=\"scores\">");
    put_score(p, w->small, "s1", "small graph");
    if (isfinite(w->full))
        put_score(p, w->full, "s0", "full graph");
    bn_put(p, "</span><small>");
    if (w->cell) {
        bn_cell_model(model, w->cell);
        bn_putf(p, "test %s of a %s, ", bonsai_metric_text(w->cell->metric), model);
        bn_putf(p, w->cell->runs == 1 ? "one run" : "mean of %d runs", w->cell->runs);
        if (s->f->idle[w->cell->metric] > 0) {
            bn_put(p, w->cell->metric >= BONSAI_METRIC_AUC ? "; all nodes alike: "
                                                           : "; always the largest class: ");
            bn_put_fixed(p, s->f->idle[w->cell->metric], 1);
            bn_put(p, " %");
        }
    } else {
        const char *text = bonsai_aim_text(s->f->made.info.metric);
        bn_putf(p, "%s of the probe, a quick classifier; given a model, this is a network's",
                text ? text : "accuracy");
    }
    bn_put(p, "</small></li>\n");
}

void bn_sheet_head(bn_page *p, const bn_sheet *s)
{
    bn_put(p, "<header>\n<p class=\"kicker\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\">"
              "<path class=\"leaf\" d=\"M12 2c3 0 5 1.6 5.6 3.7C20 6 22 7.6 22 9.8c0 2.4-2.3 4-5 "
              "4H7c-2.8 0-5-1.6-5-4C2 7.8 3.6 6.2 6 5.8 6.7 3.5 9 2 12 2z\"/>"
              "<path class=\"pot\" d=\"M11 13h2v4h6l-1.5 5h-11L5 17h6z\"/></svg>"
              "<span>Graph condensation</span></p>\n<h1>");
    bn_escape_cut(p, s->title, 200);
    bn_put(p, "</h1>\n");
    const worth w = worth_of(s);
    say_worth(p, s, &w);
    say(p, s);
    bn_put(p, "<ul class=\"tiles\">\n");
    if (isfinite(w.small))
        tile_worth(p, s, &w);
    tile_bytes(p, s);
    tile_nodes(p, s);
    if (bn_sheet_has_effort(s))
        tile_time(p, s->o->condensed);
    if (w.cell && w.cell->seconds_train > 0)
        tile_training(p, w.cell, w.full_cell);
    if (isfinite(s->coverage) || (isfinite(s->stood) && isfinite(s->training) && s->f->method &&
                                  strcmp(s->f->method, "prototypes") == 0))
        tile_cover(p, s);
    bn_put(p, "</ul>\n</header>\n");
}
