/* paper_values.c -- the contents of a table's cell: a value, its error, the size of the small
 * graph, and the result of its comparison.
 *
 * Better or worse is stated only beyond two standard errors, and by the callers only between values
 * of the same accounting, shares of the split and network; times only between those measured here.
 * A graph that is not small is not called better.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "paper.h"

static const double large = 0.5;        /* share of the bytes from which nothing is condensed */

bn_json *value_plain(double value)
{
    return isnan(value) ? bn_json_null() : bn_json_pack("{s:f}", "value", value);
}

bn_json *value_text(const char *text)
{
    return bn_json_pack("{s:s}", "text", text);
}

/* ---- measured ------------------------------------------------------------ */

/* Counts the splits and draws that a merged cell is made of. */
static void count_repeats(int *splits, int *draws, const paper *p, const bonsai_cell *like)
{
    *splits = *draws = 0;
    for (const bonsai_cell *c = p->cells; c < p->cells + p->count; c++)
        if (c->setting == like->setting && c->method == like->method && c->model == like->model &&
            c->ratio == like->ratio && c->study == like->study && c->done && c->runs > 0) {
            *splits += c->draw == 0;
            *draws += c->split == 0;
        }
}

static bn_json *with_sizes(const paper *p, const bonsai_cell *c, double value, double spread)
{
    int splits, draws;
    count_repeats(&splits, &draws, p, c);
    bn_json *cell = bn_json_pack(
        "{s:f,s:I,s:I,s:I,s:I,s:f,s:i,s:i,s:i}", "value", value, "nodes", (int64_t)c->nodes,
        "edges", (int64_t)c->edges, "features", (int64_t)c->features, "bytes",
        (int64_t)c->strict_bytes, "share", c->strict_share, "runs", c->runs, "splits", splits,
        "draws", draws);
    if (!isnan(spread))
        bn_json_set(cell, "spread", bn_json_real(spread));
    if (c->method != FULL && c->strict_share > large)
        bn_json_set(cell, "large", bn_json_flag(1));
    if (c->method != FULL)
        bn_json_set(cell, "labelled", bn_json_whole((int64_t)c->labelled));
    if (c->learn_made < c->learn_rounds)
        bn_json_set(cell, "cut", bn_json_textf("%lld of %lld rounds", (long long)c->learn_made,
                                               (long long)c->learn_rounds));
    return cell;
}

/* Returns a measured cell.  A method that learns and was stopped before its first round has no
 * result. */
static bn_json *measured(const paper *p, const bonsai_cell *c, double value, double spread)
{
    if (!c)
        return bn_json_null();
    if (c->learn_rounds > 0 && c->learn_made == 0)
        return bn_json_pack("{s:o}", "text", bn_json_textf("no round in %g s", p->time_limit));
    return with_sizes(p, c, value, spread);
}

/* Returns the deviation over runs, as published; for repeated cells the standard error; NAN for one
 * run. */
static double spread_of(const bonsai_cell *c)
{
    return c->unit != BONSAI_UNIT_RUN ? c->accuracy_error : c->runs > 1 ? c->accuracy_std : NAN;
}

bn_json *value_accuracy(const paper *p, const bonsai_cell *c)
{
    return measured(p, c, c ? c->accuracy_mean : NAN, c ? spread_of(c) : NAN);
}

/* ---- published ----------------------------------------------------------- */

bn_json *value_published(const published *says)
{
    if (!says)
        return bn_json_null();
    bn_json *cell = bn_json_pack("{s:s}", "text", says->text);
    if (!isnan(says->value))
        bn_json_set(cell, "value", bn_json_real(says->value));
    if (!isnan(says->spread))
        bn_json_set(cell, "spread", bn_json_real(says->spread));
    if (says->broken)
        bn_json_set(cell, "broken", bn_json_text(says->broken));
    return cell;
}

/* ---- verdicts ------------------------------------------------------------ */

figure figure_of(const bonsai_cell *c)
{
    return c ? (figure){c->accuracy_mean, c->accuracy_error} : (figure){NAN, NAN};
}

/* Returns a published figure.  The authors' runs continue with one model, so their deviation is not
 * divided by the number of runs. */
figure figure_published(const published *says)
{
    return says ? (figure){says->value, says->spread} : (figure){NAN, NAN};
}

static void judge_by(bn_json *cell, figure value, figure beside, const char *against)
{
    const double error = hypot(value.error, beside.error), gap = value.value - beside.value;
    if (!bn_json_is_object(cell) || isnan(error) || isnan(gap))
        return;
    const int apart = fabs(gap) > 2 * error, better = gap > 0;
    if (apart && better && bn_json_is_true(bn_json_get(cell, "large")))
        return;
    bn_json_set(cell, "verdict", bn_json_text(!apart ? "same" : better ? "better" : "worse"));
    bn_json_set(cell, "against", bn_json_text(against));
}

static const bn_json *column_named(const place *at, const char *key)
{
    const bn_json *col;
    size_t i = 0;
    while ((col = paper_column(at->table, i)) && strcmp(paper_text(col, "key"), key) != 0)
        i++;
    return col;
}

/* Judges a value: redone, beside the published figure if split and training are the same; in the
 * paper's accounting, beside the published code redone; at honest bytes, beside trees; or beside
 * the named column. */
static void judge(bn_json *cell, const place *at, const bn_json *col, const bonsai_cell *c)
{
    const char *source = paper_text(col, "source"), *against = paper_text(col, "against");
    const figure own = figure_of(c);
    published says;
    if (*against)
        judge_by(cell, own, figure_of(paper_cell_at(at, column_named(at, against))), against);
    if (!paper_method_of(at) || !paper_compares(at, c))
        return;
    if (strcmp(source, "redone") == 0 && paper_figure_of(&says, at, col) && !says.broken &&
        paper_trains_as_published(at->p))
        judge_by(cell, own, figure_published(&says), "published");
    if (strcmp(source, "paper") == 0)
        judge_by(cell, own, figure_of(paper_method_cell(*at, "Bonsai", "redone")),
                 "Bonsai, published code redone");
    if (strcmp(source, "honest") == 0 && strcmp(paper_text(at->item, "method"), "Bonsai") != 0)
        judge_by(cell, own, figure_of(paper_method_cell(*at, "Bonsai", "honest")),
                 "Bonsai at honest bytes");
}

/* ---- by their names in the description ----------------------------------- */

/* Returns the seconds of condensing; of the full graph, of training one GCN. */
static double seconds_of(const bonsai_cell *c)
{
    return c->method == FULL ? c->seconds_train / c->runs : c->seconds_condense;
}

static double part_of(const place *at, const bonsai_cell *c)
{
    const char *name = paper_text(at->item, "component");
    return strcmp(name, "WL") == 0 ? c->seconds_wl : strcmp(name, "Rev-k-NN") == 0 ? c->seconds_knn
           : strcmp(name, "Greedy") == 0 ? c->seconds_cover
           : strcmp(name, "PPR") == 0 ? c->seconds_sparsify : c->seconds_condense;
}

/* Returns the seconds or grams of a measured cell; NAN if the name is of neither. */
static double spent(const place *at, const char *name, const bonsai_cell *c)
{
    return strcmp(name, "condense") == 0 ? seconds_of(c)
           : strcmp(name, "grams") == 0 ? carbon_grams(seconds_of(c))
           : strcmp(name, "train") == 0 ? c->seconds_train / c->runs
           : strcmp(name, "part") == 0 ? part_of(at, c) : NAN;
}

static bn_json *value_of(const place *at, const bn_json *col, const bonsai_cell *c)
{
    const char *name = bn_json_get(col, "value") ? paper_text(col, "value")
                                                    : paper_text(at->table, "value");
    if (!c)
        return bn_json_null();
    if (strcmp(name, "accuracy") == 0) {
        bn_json *cell = value_accuracy(at->p, c);
        judge(cell, at, col, c);
        return cell;
    }
    if (!isnan(spent(at, name, c)))
        return measured(at->p, c, spent(at, name, c), NAN);
    return value_plain(strcmp(name, "whole") == 0 ? (double)c->whole_trees
                       : strcmp(name, "threshold") == 0 ? c->threshold
                       : strcmp(name, "chance") == 0 ? fmax(c->chance, DBL_MIN)  /* never 0 */
                       : c->correlation);
}

static bn_json *key_of(const place *at, const char *key)
{
    if (strcmp(key, "dataset") == 0)
        return bn_json_text(at->p->sets[at->set].is->name);
    if (strcmp(key, "model") == 0)
        return bn_json_text(bonsai_model_name(at->model));
    if (strcmp(key, "ratio") == 0)
        return bn_json_real(paper_is_full(at->item) ? 100 : at->ratio);
    return bn_json_keep(bn_json_get(at->item, key));
}

bn_json *paper_value(const place *at, const bn_json *col)
{
    const char *source = paper_text(col, "source");
    published says;
    if (strcmp(source, "key") == 0)
        return key_of(at, paper_text(col, "key"));
    if (strcmp(source, "published") == 0)
        return value_published(paper_figure_of(&says, at, col) ? &says : NULL);
    return value_of(at, col, paper_cell_at(at, col));
}
