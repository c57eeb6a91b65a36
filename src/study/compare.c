/* compare.c -- a whole table: methods by ratios by models, and the full graph.
 *
 * The split is drawn once.  A method condenses to all ratios that still miss a cell in
 * one go, since one embedding serves them; then each small graph trains its models, and
 * is freed.  A budget that is too small, or a small graph that cannot be trained on,
 * costs its own cells only.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "condense/condense.h"
#include "effort.h"

typedef struct {
    bonsai_compare_options  o;
    bonsai_condense_options condense;
    bonsai_train_options    train;
    bonsai_cell  *cells;
    bonsai_graph *split;        /* ours */
    const bonsai_graph *full;   /* with the split that all cells share */
    bonsai_cell   whole;        /* the sizes of the full graph */
    bn_meter      meter;
    int           open;         /* ratios of one method that miss a cell: */
    int          *place;        /* where each stands in o.ratios */
    double       *ratio;
    bonsai_graph **small;       /* NULL: it could not be made */
    bonsai_condense_info *info;
} comparison;

/* ---- the plan ------------------------------------------------------------ */

static bonsai_status need_list(const void *list, int count, int least, const char *what)
{
    if (count < least)
        return bn_fail(BONSAI_E_ARGUMENT, "the number of %s to compare is %d; it must be at least "
                       "%d", what, count, least);
    if (count > 0 && !list)
        return bn_fail(BONSAI_E_ARGUMENT, "%d %s to compare, but no list of them", count, what);
    return BONSAI_OK;
}

static bonsai_status check_lists(int64_t *cells, const bonsai_compare_options *o)
{
    bonsai_status rc;
    int64_t small = 0;
    BN_TRY(need_list(o->methods, o->method_count, 0, "methods"));
    BN_TRY(need_list(o->ratios, o->ratio_count, 0, "ratios"));
    BN_TRY(need_list(o->models, o->model_count, 1, "models"));
    for (int i = 0; i < o->method_count; i++)
        if (!bonsai_method_name(o->methods[i]))
            return bn_fail(BONSAI_E_ARGUMENT, "method %d is not known", (int)o->methods[i]);
    for (int i = 0; i < o->ratio_count; i++)
        BN_TRY(bn_request_ratio(o->ratios[i]));
    for (int i = 0; i < o->model_count; i++)
        if (!bonsai_model_name(o->models[i]))
            return bn_fail(BONSAI_E_ARGUMENT, "model %d is not known", (int)o->models[i]);
    if (!bn_mul(&small, o->method_count, o->ratio_count) ||
        !bn_mul(cells, small + 1, o->model_count))
        rc = bn_fail(BONSAI_E_ARGUMENT, "%d methods, %d ratios and %d models make too many cells",
                     o->method_count, o->ratio_count, o->model_count);
done:
    return rc;
}

int64_t bonsai_compare_count(const bonsai_compare_options *given)
{
    bonsai_compare_options o;
    int64_t cells = 0;
    if (BN_OPTIONS(&o, given, compare) != BONSAI_OK || check_lists(&cells, &o) != BONSAI_OK)
        return -1;
    return cells;
}

/* Where the cells of a method and ratio begin; method -1: the full graph. */
static int64_t place_of(const bonsai_compare_options *o, int method, int ratio)
{
    return method < 0 ? 0 : (1 + (int64_t)method * o->ratio_count + ratio) * o->model_count;
}

static bonsai_cell planned(const bonsai_compare_options *o, int method, int ratio, int model)
{
    bonsai_cell c = {.size = sizeof c, .method = -1, .model = o->models[model], .ratio = 1};
    if (method >= 0) {
        c.method = (int)o->methods[method];
        c.ratio = o->ratios[ratio];
    }
    return c;
}

bonsai_status bonsai_compare_plan(bonsai_cell *cells, const bonsai_compare_options *given)
{
    bonsai_status rc;
    bonsai_compare_options o;
    int64_t count;
    BN_TRY(BN_OPTIONS(&o, given, compare));
    BN_TRY(check_lists(&count, &o));
    for (int k = 0; k < o.model_count; k++)
        cells[k] = planned(&o, -1, 0, k);
    for (int i = 0; i < o.method_count; i++)
        for (int j = 0; j < o.ratio_count; j++)
            for (int k = 0; k < o.model_count; k++)
                cells[place_of(&o, i, j) + k] = planned(&o, i, j, k);
done:
    return rc;
}

static bool is_planned(const bonsai_cell *c, const bonsai_cell *plan)
{
    return c->size == plan->size && c->method == plan->method && c->model == plan->model &&
           c->ratio == plan->ratio;
}

static bonsai_status check_plan(const bonsai_cell *cells, const bonsai_compare_options *o)
{
    for (int i = -1; i < o->method_count; i++)
        for (int j = 0; j < (i < 0 ? 1 : o->ratio_count); j++)
            for (int k = 0; k < o->model_count; k++) {
                const bonsai_cell plan = planned(o, i, j, k);
                if (!is_planned(&cells[place_of(o, i, j) + k], &plan))
                    return bn_fail(BONSAI_E_ARGUMENT, "cell %lld is not as bonsai_compare_plan "
                                   "made it", (long long)place_of(o, i, j) + k);
            }
    return BONSAI_OK;
}

/* ---- one cell ------------------------------------------------------------ */

static bonsai_status hand_over(comparison *t, bonsai_cell *c)
{
    c->done = 1;
    if (t->o.cell && t->o.cell(c, t->o.cell_payload) != 0)
        return bn_fail(BONSAI_E_CANCELED, "canceled after a cell");
    return BONSAI_OK;
}

static void note_refusal(bonsai_cell *c)
{
    c->runs = 0;
    snprintf(c->why, sizeof c->why, "%s", bonsai_error());
}

/* small NULL: on the full graph. */
static bonsai_status train_cell(comparison *t, bonsai_cell *c, const bonsai_graph *small)
{
    bonsai_training *trained = NULL;
    t->train.model = c->model;
    bn_meter_begin(&t->meter, bn_effort_train(t->full, c->ratio, c->model, &t->train), "training");
    bonsai_status rc = bonsai_train(&trained, small ? small : t->full, small ? t->full : NULL,
                                    &t->train);
    bn_meter_end(&t->meter);
    if (rc != BONSAI_OK)
        return rc;
    const bonsai_train_info *i = bonsai_training_info(trained);
    c->runs = i->runs;
    c->accuracy_mean = i->accuracy_mean;
    c->accuracy_std = i->accuracy_std;
    c->seconds_train = i->seconds_train;
    c->seconds_eval = i->seconds_eval;
    bonsai_training_free(trained);
    return BONSAI_OK;
}

static void set_sizes(bonsai_cell *c, const bonsai_cell *from)
{
    c->bytes = from->bytes;
    c->share = from->share;
    c->nodes = from->nodes;
    c->edges = from->edges;
    c->labelled = from->labelled;
    c->seconds_condense = from->seconds_condense;
}

/* The cells of one small graph; NULL: it could not be made, and the sentence says why. */
static bonsai_status fill_cells(comparison *t, int64_t first, const bonsai_cell *sizes,
                                const bonsai_graph *small)
{
    bonsai_status rc = BONSAI_OK;
    for (int k = 0; k < t->o.model_count && rc == BONSAI_OK; k++) {
        bonsai_cell *c = &t->cells[first + k];
        if (c->done)
            continue;
        if (small)
            set_sizes(c, sizes);
        rc = small ? train_cell(t, c, small) : BONSAI_E_ARGUMENT;
        if (rc == BONSAI_E_ARGUMENT)
            note_refusal(c);
        if (rc == BONSAI_OK || rc == BONSAI_E_ARGUMENT)
            rc = hand_over(t, c);
    }
    return rc;
}

/* A model that cannot be trained on the full graph costs a cell; if none can, the graph or
 * the options are at fault, and nothing can be compared. */
static bonsai_status fill_full(comparison *t)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_cell *refused = NULL;
    int trained = 0;
    for (int k = 0; k < t->o.model_count; k++) {
        bonsai_cell *c = &t->cells[k];
        if (!c->done) {
            set_sizes(c, &t->whole);
            rc = train_cell(t, c, NULL);
            if (rc == BONSAI_E_ARGUMENT) {
                note_refusal(c);
                refused = c;
            } else {
                BN_TRY(rc);
                BN_TRY(hand_over(t, c));
            }
        }
        trained += c->runs > 0;
    }
    if (refused && trained == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "%s", refused->why);
    rc = BONSAI_OK;
    for (int k = 0; k < t->o.model_count; k++)
        if (!t->cells[k].done)
            BN_TRY(hand_over(t, &t->cells[k]));
done:
    return rc;
}

/* ---- one method ---------------------------------------------------------- */

static bool has_open_cell(const comparison *t, int64_t first)
{
    for (int k = 0; k < t->o.model_count; k++)
        if (!t->cells[first + k].done)
            return true;
    return false;
}

static void list_open(comparison *t, int method)
{
    t->open = 0;
    for (int j = 0; j < t->o.ratio_count; j++)
        if (has_open_cell(t, place_of(&t->o, method, j))) {
            t->place[t->open] = j;
            t->ratio[t->open++] = t->o.ratios[j];
        }
}

/* What the i-th of several ratios would have taken alone: what comes before the choice was
 * done once for all. */
static double seconds_alone(const bonsai_condense_info *info, int i)
{
    double shared = info[0].seconds_total - info[0].seconds_cover - info[0].seconds_sparsify;
    return i == 0 ? info[0].seconds_total
                  : shared + info[i].seconds_total - info[i - 1].seconds_total;
}

static bonsai_cell sizes_of(const comparison *t, const bonsai_condense_info *info, int i)
{
    bool paper = t->condense.accounting != BONSAI_ACCOUNTING_STRICT;
    const bonsai_condense_info *s = &info[i];
    return (bonsai_cell){
        .bytes = paper ? s->paper_bytes : s->bytes, .share = paper ? s->paper_ratio : s->ratio,
        .nodes = s->nodes, .edges = s->edges, .labelled = s->labelled,
        .seconds_condense = seconds_alone(info, i),
    };
}

/* Ratios first .. first+count-1 of the open ones, condensed together.  One that is refused is
 * given up; of several that are, nothing is done and the status says so. */
static bonsai_status run_ratios(comparison *t, int method, int first, int count)
{
    for (int i = 0; i < count; i++)
        bonsai_condense_info_init(&t->info[i]);
    bonsai_status rc = bonsai_condense_many(t->small, t->info, t->ratio + first, count, t->full,
                                            &t->condense);
    if (rc == BONSAI_E_ARGUMENT && count == 1)
        return fill_cells(t, place_of(&t->o, method, t->place[first]), NULL, NULL);
    if (rc != BONSAI_OK)
        return rc;
    bn_meter_end(&t->meter);
    for (int i = 0; i < count; i++) {
        const bonsai_cell sizes = sizes_of(t, t->info, i);
        if (rc == BONSAI_OK)
            rc = fill_cells(t, place_of(&t->o, method, t->place[first + i]), &sizes, t->small[i]);
        bonsai_graph_free(t->small[i]);
    }
    return rc;
}

/* Where all ratios together are refused, the first goes alone, to know which it is. */
static bonsai_status run_method(comparison *t, int method)
{
    bonsai_status rc = BONSAI_OK;
    list_open(t, method);
    t->condense.method = t->o.methods[method];
    bn_meter_begin(&t->meter, bn_effort_condense(t->full, t->condense.method, t->ratio, t->open,
                                                 &t->condense), NULL);
    for (int first = 0, count = t->open; first < t->open && rc == BONSAI_OK;) {
        rc = run_ratios(t, method, first, count);
        if (rc == BONSAI_E_ARGUMENT && count > 1) {
            rc = BONSAI_OK;
            count = 1;
            continue;
        }
        first += count;
        count = t->open - first;
    }
    bn_meter_end(&t->meter);
    return rc;
}

/* ---- all of it ----------------------------------------------------------- */

static bonsai_status settle(comparison *t, const bonsai_graph *g, const bonsai_compare_options *o)
{
    bonsai_status rc;
    int64_t cells;
    static const double usual[3] = {60, 20, 20};
    BN_TRY(BN_OPTIONS(&t->o, o, compare));
    BN_TRY(check_lists(&cells, &t->o));
    BN_TRY(check_plan(t->cells, &t->o));
    BN_TRY(BN_OPTIONS(&t->condense, t->o.condense, condense));
    BN_TRY(BN_OPTIONS(&t->train, t->o.train, train));
    BN_TRY(bn_request_check(&t->condense));
    double *split = t->train.split;
    if (split[0] == 0 && split[1] == 0 && split[2] == 0)
        memcpy(split, usual, sizeof usual);
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, t->train.threads));
    BN_TRY(bn_graph_parts(&t->split, g, split, t->train.seed));
    t->full = t->split ? t->split : g;
    memset(t->train.split, 0, sizeof t->train.split);       /* the graph has it now */
    memset(t->condense.split, 0, sizeof t->condense.split);
    t->meter.to = (bn_progress){t->o.progress, t->o.payload};
    t->meter.stage = "comparing";
    t->train.progress = t->condense.progress = bn_meter_tick;
    t->train.payload = t->condense.payload = &t->meter;
done:
    return rc;
}

static bonsai_status make_room(comparison *t)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&t->place, t->o.ratio_count));
    BN_TRY(BN_NEW(&t->ratio, t->o.ratio_count));
    BN_TRY(BN_NEW(&t->small, t->o.ratio_count));
    BN_TRY(BN_NEW(&t->info, t->o.ratio_count));
done:
    return rc;
}

static bonsai_status measure_full(comparison *t)
{
    bonsai_cell *w = &t->whole;
    *w = (bonsai_cell){.share = 1, .nodes = t->full->view.nodes,
                       .edges = bonsai_graph_edges(t->full)};
    for (int64_t v = 0; v < w->nodes; v++)
        w->labelled += bn_label(t->full, v) >= 0;
    return bonsai_graph_bytes(&w->bytes, t->full, t->condense.accounting);
}

static void add_up_efforts(comparison *t)
{
    for (int i = -1; i < t->o.method_count; i++) {
        for (int j = 0; j < (i < 0 ? 1 : t->o.ratio_count); j++)
            for (int k = 0; k < t->o.model_count; k++) {
                const bonsai_cell *c = &t->cells[place_of(&t->o, i, j) + k];
                if (!c->done)
                    t->meter.total += bn_effort_train(t->full, c->ratio, c->model, &t->train);
            }
        if (i < 0)
            continue;
        list_open(t, i);
        if (t->open > 0)
            t->meter.total += bn_effort_condense(t->full, t->o.methods[i], t->ratio, t->open,
                                                 &t->condense);
    }
}

bonsai_status bonsai_compare(bonsai_cell *cells, const bonsai_graph *g,
                             const bonsai_compare_options *o)
{
    bonsai_status rc;
    comparison t = {.cells = cells};
    BN_TRY(settle(&t, g, o));
    BN_TRY(make_room(&t));
    BN_TRY(measure_full(&t));
    add_up_efforts(&t);
    BN_TRY(bn_meter_start(&t.meter));
    BN_TRY(fill_full(&t));
    for (int i = 0; i < t.o.method_count; i++)
        BN_TRY(run_method(&t, i));
    BN_TRY(bn_meter_finish(&t.meter));
done:
    bn_free(t.place);
    bn_free(t.ratio);
    bn_free(t.small);
    bn_free(t.info);
    bonsai_graph_free(t.split);
    return rc;
}
