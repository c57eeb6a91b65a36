/* page_head.c -- the verdict on a small graph: what it is worth, in a sentence and a few large
 * numbers.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "page.h"

double bn_part_of(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
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

/* Compares the two scores; null if one is not known. */
static bn_json *difference(const worth *w, double bytes)
{
    const double points = w->small - w->full;
    const bool same = fabs(points) <= w->error || fabs(points) < 0.05;
    if (!isfinite(points))
        return bn_json_null();
    return bn_json_pack("{sb,sf,sf,sf}", "same", same, "gain", !same && points > 0 ? points : NAN,
                        "loss", !same && points < 0 ? -points : NAN, "bytes", bytes);
}

/* Returns the class with the worst recall if the one number hides it; else null. */
static bn_json *lost_class(const bn_sheet *s, const worth *w)
{
    const int64_t lost = bn_sheet_lost_class(s);
    if (lost < 0)
        return bn_json_null();
    return bn_json_pack("{ss,sf,sf}", "name", s->f->class_name[lost],
                        "small", bn_sheet_recall_of(s, w->cell, lost),
                        "full", bn_sheet_recall_of(s, w->full_cell, lost));
}

static bn_json *score(const char *css, const char *what, double percent)
{
    return bn_json_pack("{ss,ss,sf,sf}", "css", css, "what", what, "percent", percent,
                        "width", fmin(fmax(percent, 0), 100));
}

/* Returns a probe's verdict, in the words of the program. */
static bn_json *probe_values(const bn_sheet *s)
{
    char words[400] = "";
    const char *aim = bonsai_aim_text((bonsai_aim)bn_fact(&s->f->made.info, BN_FACT_METRIC));
    bonsai_condense_worth(words, sizeof words, NULL, &s->f->made.info);
    return bn_json_pack("{ss,ss,sn}", "words", words, "aim", aim ? aim : "accuracy", "model");
}

static bn_json *cell_values(const bn_sheet *s, const worth *w)
{
    char model[BN_CELL_TEXT];
    const bonsai_metric m = w->cell->metric;
    bn_cell_model(model, w->cell);
    return bn_json_pack("{sn,ss,ss,si,sb,sb,sf,sb,so,so}", "words", "model", model,
                        "metric", bonsai_metric_text(m), "runs", w->cell->runs,
                        "several", w->cell->runs != 1, "right", m == BONSAI_METRIC_ACCURACY,
                        "idle", s->f->idle[m] > 0 ? s->f->idle[m] : NAN,
                        "alike", m >= BONSAI_METRIC_AUC, "difference",
                        difference(w, bn_part_of(s->small.bytes, s->full.bytes)),
                        "lost", lost_class(s, w));
}

static bn_json *worth_values(const bn_sheet *s, const worth *w)
{
    if (!isfinite(w->small))
        return bn_json_null();
    bn_json *v = w->cell ? cell_values(s, w) : probe_values(s), *scores = bn_json_array();
    bn_json_add(scores, score("s1", "small graph", w->small));
    if (isfinite(w->full))
        bn_json_add(scores, score("s0", "full graph", w->full));
    bn_json_set(v, "small", bn_json_real(w->small));
    bn_json_set(v, "full", bn_json_real(w->full));
    bn_json_set(v, "scores", scores);
    return v;
}

/* ---- how it was made ----------------------------------------------------- */

static bool is_made_by(const bn_sheet *s, const char *method)
{
    return s->f->method && strcmp(s->f->method, method) == 0;
}

static bn_json *making_values(const bn_sheet *s)
{
    const bonsai_condense_info *made = &s->f->made.info;
    const bool prototypes = is_made_by(s, "prototypes"), trees = is_made_by(s, "trees");
    const bool learned = !prototypes && !trees && bn_fact(made, BN_FACT_LEARN_ROUNDS) > 0;
    if (!s->f->made.known || !isfinite(s->full.nodes))
        return bn_json_null();
    return bn_json_pack("{sb,sb,sb,sb,sb,ss,sI,sf,ss}", "prototypes", prototypes, "trees", trees,
                        "learned", learned, "picked", !prototypes && !trees && !learned,
                        "published", is_made_by(s, "published"),
                        "method", s->f->method ? s->f->method : "unknown", "roots", made->roots,
                        "whole", bn_fact_real(made, BN_FACT_WHOLE_TREES),
                        "why", bn_fact_text(made, BN_FACT_WHY));
}

/* ---- large numbers ------------------------------------------------------- */

static bn_json *extent(const bn_extent *e)
{
    return bn_json_pack("{sf,sf,sf}", "nodes", e->nodes, "edges", e->edges, "bytes", e->bytes);
}

/* Returns the seconds of a run on the small graph and on the full one. */
static bn_json *training_time(const worth *w)
{
    char model[BN_CELL_TEXT];
    const bonsai_cell *full = w->full_cell;
    if (!w->cell || !(w->cell->seconds_train > 0))
        return bn_json_null();
    bn_cell_model(model, w->cell);
    return bn_json_pack("{ss,sf,sf}", "model", model,
                        "seconds", w->cell->seconds_train / w->cell->runs, "full",
                        full && full->seconds_train > 0 ? full->seconds_train / full->runs : NAN);
}

static bn_json *condensing_time(const bn_sheet *s)
{
    const bonsai_condense_info *i = s->o->condensed;
    if (!i || !(i->seconds_total > 0))
        return bn_json_null();
    return bn_json_pack("{sf,sf}", "seconds", i->seconds_total,
                        "memory", i->peak_rss_bytes > 0 ? (double)i->peak_rss_bytes : NAN);
}

static bn_json *standing_values(const bn_sheet *s)
{
    const double each = bn_part_of(s->stood, s->small.nodes - s->second);
    if (isfinite(s->coverage) || !isfinite(s->stood) || !isfinite(s->training) ||
        !is_made_by(s, "prototypes"))
        return bn_json_null();
    return bn_json_pack("{sf}", "each", each >= 10 ? rint(each) : each);
}

/* Returns what the tiles show: the full graph as a square, the small one inside it, to scale
 * by area. */
static bn_json *tile_values(const bn_sheet *s)
{
    const double share = bn_part_of(s->small.bytes, s->full.bytes);
    const double side = fmax(0.8, 98 * sqrt(fmin(fmax(share, 0), 1)));
    const double bound = bn_fact(&s->f->made.info, BN_FACT_COVERAGE_BOUND);
    return bn_json_pack("{sf,sf,sf,sf,sb,sf,sf,sI,sf,sf,sf,sb}", "share", share, "side", side,
                        "top", 99 - side, "second", s->second > 0 ? s->second : NAN,
                        "more", isfinite(s->full.nodes) || s->second > 0, "coverage", s->coverage,
                        "bound", bound >= 0 && bound < 0.9995 ? bound : NAN,
                        "sample", bn_fact_whole(&s->f->made.info, BN_FACT_SAMPLE), "labelled",
                        s->small.nodes - s->second,
                        "stood", s->stood, "training", s->training,
                        "unlabelled", s->stood > s->training);
}

void bn_sheet_head(bn_page *p, const bn_sheet *s)
{
    const worth w = worth_of(s);
    bn_json *v = tile_values(s), *more = bn_json_pack(
        "{ss,ss,ss,so,so,so,so,so,so,so}", "title", s->title, "small_name", s->small_name,
        "full_name", s->full_name, "small", extent(&s->small), "full", extent(&s->full),
        "worth", worth_values(s, &w), "making", making_values(s), "time", condensing_time(s),
        "training_time", training_time(&w), "standing", standing_values(s));
    bn_json_update(v, more);
    bn_json_free(more);
    bn_fill(p, "head", v);
}
