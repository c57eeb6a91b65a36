/* engine.c -- runs the cells of a study and tells each as it becomes known.
 *
 * The split is drawn once.  A method condenses to all ratios that still miss a cell in one go,
 * since one embedding serves them; then each small graph trains its models, and is freed.  Where a
 * small graph is the same as an earlier one, to the bit, the same training would follow, so its
 * result is taken.  A budget that is too small, or a small graph that cannot be trained on, costs
 * its own cells only.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "condense/condense.h"
#include "effort.h"
#include "study.h"

typedef struct {
    bonsai_compare_options  o;
    bonsai_condense_options condense;   /* the setting of the cells at hand */
    bonsai_train_options    train;
    bonsai_cell  *given;        /* the caller's cells; one is written as it becomes known */
    bonsai_cell  *cells;        /* ours */
    int64_t       count;
    bonsai_graph *split;        /* ours */
    const bonsai_graph *full;   /* with the split that all cells share */
    bonsai_cell   whole;        /* the sizes of the full graph in a setting; nodes 0: not yet */
    bn_meter      meter;
    int           open;         /* ratios of one method that miss a cell: */
    double       *ratio;        /* room for one of each cell */
    bonsai_graph **small;       /* NULL: it could not be made */
    bonsai_condense_info *info;
} engine;

/* ---- what is asked ------------------------------------------------------- */

static int64_t settings(const engine *t)
{
    return t->o.setting_count > 0 ? t->o.setting_count : 1;
}

static bonsai_status use_setting(engine *t, int64_t i)
{
    bonsai_status rc;
    BN_TRY(BN_OPTIONS(&t->condense, t->o.setting_count > 0 ? t->o.settings[i] : t->o.condense,
                      condense));
    memset(t->condense.split, 0, sizeof t->condense.split);     /* the graph has it */
    t->condense.progress = bn_meter_tick;
    t->condense.payload = &t->meter;
done:
    return rc;
}

static bonsai_status check_settings(engine *t)
{
    bonsai_status rc = BONSAI_OK;
    if (t->o.setting_count < 0 || (t->o.setting_count > 0 && !t->o.settings))
        return bn_fail(BONSAI_E_ARGUMENT, "%lld settings, but no list of them",
                       (long long)t->o.setting_count);
    for (int64_t i = 0; i < settings(t); i++)
        BN_TRY(use_setting(t, i));
done:
    return rc;
}

static bool is_pairs(const bonsai_cell *c)
{
    return c->study != BONSAI_STUDY_TRAINING;
}

static bonsai_status check_cell(const engine *t, int64_t i)
{
    const bonsai_cell *c = &t->cells[i];
    const char *wrong =
        c->study < BONSAI_STUDY_TRAINING || c->study > BONSAI_STUDY_WEIGHTS ? "study" :
        c->method < -1 || c->method >= BONSAI_METHOD_COUNT ? "method" :
        !bonsai_model_name(c->model) ? "model" :
        !(c->ratio > 0 && c->ratio <= 1) ? "ratio" :
        c->setting < 0 || c->setting >= settings(t) ? "setting" :
        is_pairs(c) && !(c->nearest <= 1 && c->nearest * (double)c->pairs >= 2) ? "share of pairs" :
        NULL;
    return wrong ? bn_fail(BONSAI_E_ARGUMENT, "cell %lld has no valid %s", (long long)i, wrong)
                 : BONSAI_OK;
}

static bonsai_status check_cells(const engine *t)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < t->count && rc == BONSAI_OK; i++)
        rc = check_cell(t, i);
    return rc;
}

/* ---- one cell ------------------------------------------------------------ */

static bonsai_status hand_over(engine *t, bonsai_cell *c)
{
    c->done = 1;
    bn_result_fill(bn_structs_at(t->given, c - t->cells), c);
    if (t->o.cell && t->o.cell(c, t->o.cell_payload) != 0)
        return bn_fail(BONSAI_E_CANCELED, "canceled after a cell");
    return BONSAI_OK;
}

static void note_refusal(bonsai_cell *c)
{
    c->runs = 0;
    snprintf(c->why, sizeof c->why, "%s", bonsai_error());
}

static bool take_training(const engine *t, bonsai_cell *c)
{
    for (const bonsai_cell *d = t->cells; c->checksum != 0 && d < t->cells + t->count; d++)
        if (d->done && d->runs > 0 && d->model == c->model && d->checksum == c->checksum) {
            c->runs = d->runs;
            c->accuracy_mean = d->accuracy_mean;
            c->accuracy_std = d->accuracy_std;
            c->seconds_train = d->seconds_train;
            c->seconds_eval = d->seconds_eval;
            return true;
        }
    return false;
}

/* small NULL: on the full graph. */
static bonsai_status train(engine *t, bonsai_cell *c, const bonsai_graph *small)
{
    bonsai_training *trained = NULL;
    t->train.model = c->model;
    bonsai_status rc = bonsai_train(&trained, small ? small : t->full, small ? t->full : NULL,
                                    &t->train);
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

static bonsai_status train_cell(engine *t, bonsai_cell *c, const bonsai_graph *small)
{
    bn_meter_begin(&t->meter, bn_effort_train(t->full, c->ratio, c->model, &t->train), "training");
    bonsai_status rc = take_training(t, c) ? BONSAI_OK : train(t, c, small);
    bn_meter_end(&t->meter);
    return rc;
}

static void set_sizes(bonsai_cell *c, const bonsai_cell *from)
{
    c->bytes = from->bytes;
    c->share = from->share;
    c->nodes = from->nodes;
    c->edges = from->edges;
    c->labelled = from->labelled;
    c->checksum = from->checksum;
    c->seconds_condense = from->seconds_condense;
    c->seconds_wl = from->seconds_wl;
    c->seconds_knn = from->seconds_knn;
    c->seconds_cover = from->seconds_cover;
    c->seconds_sparsify = from->seconds_sparsify;
}

/* ---- the full graph ------------------------------------------------------ */

static bool is_of_full(const bonsai_cell *c)
{
    return !is_pairs(c) && c->method < 0;
}

static bonsai_status measure_full(engine *t, int setting)
{
    bonsai_status rc;
    bonsai_cell *w = &t->whole;
    if (w->nodes > 0 && w->setting == setting)
        return BONSAI_OK;
    BN_TRY(use_setting(t, setting));
    *w = (bonsai_cell){.share = 1, .nodes = t->full->view.nodes, .setting = setting,
                       .edges = bonsai_graph_edges(t->full)};
    for (int64_t v = 0; v < w->nodes; v++)
        w->labelled += bn_label(t->full, v) >= 0;
    BN_TRY(bonsai_graph_bytes(&w->bytes, t->full, t->condense.accounting));
done:
    return rc;
}

/* A model that cannot be trained on the full graph costs a cell; if none can, the graph or
 * the options are at fault, and nothing can be compared. */
static bonsai_status run_full(engine *t)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_cell *refused = NULL;
    int64_t trained = 0;
    for (bonsai_cell *c = t->cells; c < t->cells + t->count; c++) {
        if (is_of_full(c) && !c->done) {
            BN_TRY(measure_full(t, c->setting));
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
        trained += is_of_full(c) && c->runs > 0;
    }
    if (refused && trained == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "%s", refused->why);
    rc = BONSAI_OK;
    for (bonsai_cell *c = t->cells; c < t->cells + t->count; c++)
        if (is_of_full(c) && !c->done)
            BN_TRY(hand_over(t, c));
done:
    return rc;
}

/* ---- one method in one setting ------------------------------------------- */

static bool is_open(const bonsai_cell *c, const bonsai_cell *like)
{
    return !c->done && !is_pairs(c) && c->method == like->method && c->setting == like->setting;
}

static void list_open(engine *t, const bonsai_cell *like)
{
    t->open = 0;
    for (const bonsai_cell *c = t->cells; c < t->cells + t->count; c++) {
        int i = 0;
        while (is_open(c, like) && i < t->open && t->ratio[i] != c->ratio)
            i++;
        if (is_open(c, like) && i == t->open)
            t->ratio[t->open++] = c->ratio;
    }
}

/* The cells of one small graph; NULL: it could not be made, and the sentence says why. */
static bonsai_status fill_cells(engine *t, const bonsai_cell *made, const bonsai_graph *small)
{
    bonsai_status rc = BONSAI_OK;
    for (bonsai_cell *c = t->cells; c < t->cells + t->count && rc == BONSAI_OK; c++) {
        if (!is_open(c, made) || c->ratio != made->ratio)
            continue;
        if (small)
            set_sizes(c, made);
        rc = small ? train_cell(t, c, small) : BONSAI_E_ARGUMENT;
        if (rc == BONSAI_E_ARGUMENT)
            note_refusal(c);
        if (rc == BONSAI_OK || rc == BONSAI_E_ARGUMENT)
            rc = hand_over(t, c);
    }
    return rc;
}

static void note_sizes(bonsai_cell *made, const engine *t, int i)
{
    bool paper = t->condense.accounting != BONSAI_ACCOUNTING_STRICT;
    const bonsai_condense_info *s = &t->info[i];
    made->bytes = paper ? s->paper_bytes : s->bytes;
    made->share = paper ? s->paper_ratio : s->ratio;
    made->nodes = s->nodes;
    made->edges = s->edges;
    made->labelled = s->labelled;
    made->checksum = bonsai_graph_checksum(t->small[i], BN_ENTERS_TRAINING);
    made->seconds_condense = s->seconds_total;
    made->seconds_wl = s->seconds_wl;
    made->seconds_knn = s->seconds_knn;
    made->seconds_cover = s->seconds_cover;
    made->seconds_sparsify = s->seconds_sparsify;
}

/* Ratios first .. first+count-1 of the open ones, condensed together.  One that is refused is
 * given up; of several that are, nothing is done and the status says so. */
static bonsai_status run_ratios(engine *t, const bonsai_cell *like, int first, int count)
{
    bonsai_cell made = {.method = like->method, .setting = like->setting,
                        .ratio = t->ratio[first]};
    for (int i = 0; i < count; i++)
        bonsai_condense_info_init(&t->info[i]);
    bonsai_status rc = bonsai_condense_many(t->small, t->info, t->ratio + first, count, t->full,
                                            &t->condense);
    if (rc == BONSAI_E_ARGUMENT && count == 1)
        return fill_cells(t, &made, NULL);
    if (rc != BONSAI_OK)
        return rc;
    bn_meter_end(&t->meter);
    for (int i = 0; i < count; i++) {
        made.ratio = t->ratio[first + i];
        note_sizes(&made, t, i);
        if (rc == BONSAI_OK)
            rc = fill_cells(t, &made, t->small[i]);
        bonsai_graph_free(t->small[i]);
    }
    return rc;
}

static double effort_of_method(const engine *t, const bonsai_cell *like)
{
    return bn_effort_condense(t->full, (bonsai_method)like->method, t->ratio, t->open,
                              &t->condense);
}

/* Where all ratios together are refused, the first goes alone, to know which it is. */
static bonsai_status run_method(engine *t, const bonsai_cell *like)
{
    bonsai_status rc;
    const bonsai_cell what = *like;             /* it changes on the way */
    list_open(t, &what);
    BN_TRY(use_setting(t, what.setting));
    BN_TRY(BN_NEW(&t->small, t->open));
    BN_TRY(BN_NEW(&t->info, t->open));
    t->condense.method = (bonsai_method)what.method;
    bn_meter_begin(&t->meter, effort_of_method(t, &what), NULL);
    for (int first = 0, count = t->open; first < t->open && rc == BONSAI_OK;) {
        rc = run_ratios(t, &what, first, count);
        if (rc == BONSAI_E_ARGUMENT && count > 1) {
            rc = BONSAI_OK;
            count = 1;
            continue;
        }
        first += count;
        count = t->open - first;
    }
    bn_meter_end(&t->meter);
done:
    bn_free(t->small);
    bn_free(t->info);
    t->small = NULL;
    t->info = NULL;
    return rc;
}

/* ---- pairs of nodes ------------------------------------------------------ */

static bool shares_pairs(const bonsai_cell *c, const bonsai_cell *like)
{
    return !c->done && c->study == like->study && c->model == like->model &&
           c->pairs == like->pairs;
}

/* Gradients are those before training. */
static double effort_of_pairs(const engine *t, const bonsai_cell *c)
{
    bonsai_train_options o = t->train;
    o.seeds = 1;
    o.epochs = c->study == BONSAI_STUDY_EMBEDDING ? o.epochs : 1;
    return bn_effort_train(t->full, 1, c->model, &o);
}

/* All cells that the same pairs serve. */
static bonsai_status run_pairs(engine *t, const bonsai_cell *like)
{
    const bonsai_cell what = *like;             /* it changes on the way */
    bn_pair *pair = NULL;
    t->train.model = what.model;
    bn_meter_begin(&t->meter, effort_of_pairs(t, &what), NULL);
    bonsai_status rc = bn_pairs_sorted(&pair, what.pairs, t->full, what.study, &t->train);
    bn_meter_end(&t->meter);
    bool refused = rc == BONSAI_E_ARGUMENT;
    for (bonsai_cell *c = t->cells; c < t->cells + t->count; c++) {
        if ((rc != BONSAI_OK && !refused) || !shares_pairs(c, &what))
            continue;
        if (refused)
            note_refusal(c);
        else
            bn_correlate(c, pair);
        rc = hand_over(t, c);
        refused = refused && rc == BONSAI_OK;
    }
    bn_free(pair);
    return rc;
}

/* ---- all of it ----------------------------------------------------------- */

static bonsai_status settle(engine *t, const bonsai_graph *g, const bonsai_compare_options *o)
{
    bonsai_status rc;
    static const double usual[3] = {60, 20, 20};
    BN_TRY(BN_OPTIONS(&t->o, o, compare));
    BN_TRY(BN_OPTIONS(&t->train, t->o.train, train));
    BN_TRY(check_settings(t));
    BN_TRY(check_cells(t));
    double *split = t->train.split;
    if (split[0] == 0 && split[1] == 0 && split[2] == 0)
        memcpy(split, usual, sizeof usual);
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, t->train.threads));
    BN_TRY(bn_graph_parts(&t->split, g, split, t->train.seed));
    t->full = t->split ? t->split : g;
    memset(t->train.split, 0, sizeof t->train.split);       /* the graph has it now */
    t->meter.to = (bn_progress){t->o.progress, t->o.payload};
    t->meter.stage = "comparing";
    t->train.progress = bn_meter_tick;
    t->train.payload = &t->meter;
    BN_TRY(BN_NEW(&t->ratio, t->count));
done:
    return rc;
}

/* Each effort once: of a method with the first of its open cells. */
static bonsai_status add_up_efforts(engine *t)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < t->count; i++) {
        const bonsai_cell *c = &t->cells[i], *first = t->cells;
        if (c->done)
            continue;
        while (is_pairs(c) ? !shares_pairs(first, c) : !is_open(first, c))
            first++;
        if (!is_pairs(c))
            t->meter.total += bn_effort_train(t->full, c->ratio, c->model, &t->train);
        if (first < c)
            continue;
        if (is_pairs(c)) {
            t->meter.total += effort_of_pairs(t, c);
        } else if (c->method >= 0) {
            list_open(t, c);
            BN_TRY(use_setting(t, c->setting));
            t->meter.total += effort_of_method(t, c);
        }
    }
done:
    return rc;
}

bonsai_status bonsai_study_run(bonsai_cell *cells, int64_t count, const bonsai_graph *g,
                               const bonsai_compare_options *o)
{
    bonsai_status rc;
    engine t = {.given = cells, .count = count};
    BN_TRY(bn_structs_read((void **)&t.cells, &bn_cell_empty, cells, count, "bonsai_cell"));
    BN_TRY(settle(&t, g, o));
    BN_TRY(add_up_efforts(&t));
    BN_TRY(bn_meter_start(&t.meter));
    for (int64_t i = 0; i < count; i++)
        if (!t.cells[i].done)
            BN_TRY(is_pairs(&t.cells[i])   ? run_pairs(&t, &t.cells[i])
                   : t.cells[i].method < 0 ? run_full(&t)
                                           : run_method(&t, &t.cells[i]));
    BN_TRY(bn_meter_finish(&t.meter));
done:
    bn_free(t.cells);
    bn_free(t.ratio);
    bonsai_graph_free(t.split);
    return rc;
}
