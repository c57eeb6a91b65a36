/* engine.c -- runs a group of cells.
 *
 * A method condenses to all ratios that still miss a cell in one go, since one embedding serves
 * them; then each small graph trains its models, and is freed.  Where a small graph is the same as
 * an earlier one of its draw, to the bit, the same training would follow, so its result is taken.
 * A budget that is too small, or a small graph that cannot be trained on, costs its own cells only.
 *
 * SPDX-License-Identifier: MIT */
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "condense/methods.h"
#include "study.h"

/* ---- what a cell belongs to ---------------------------------------------- */

bool bn_cell_joins(const bn_study *s, const bonsai_cell *c, const bonsai_cell *first)
{
    if (c->study != first->study || c->split != first->split || c->draw != first->draw ||
        !bn_cell_open(s, c))
        return false;
    if (bn_cell_of_pairs(c))
        return c->model == first->model && c->pairs == first->pairs;
    if (bn_cell_of_full(c) || bn_cell_of_full(first))
        return c == first;
    return c->method == first->method && c->setting == first->setting &&
           (c->ratio == 0) == (first->ratio == 0);
}

/* ---- a worker ------------------------------------------------------------ */

/* Returns the number of a draw, whose seeds do not depend on how many draws and splits there
 * are. */
static uint64_t draw_number(const bonsai_cell *c)
{
    return (uint64_t)c->split * BN_MOST_DRAWS + (uint64_t)c->draw;
}

bonsai_status bn_worker_setting(bn_worker *w, int64_t setting)
{
    bonsai_status rc;
    const bonsai_compare_options *o = &w->s->o;
    BN_TRY(BN_OPTIONS(&w->condense, o->setting_count > 0 ? o->settings[setting] : o->condense,
                      condense));
    memset(w->condense.split, 0, sizeof w->condense.split);     /* the graph has it */
    w->condense.threads = w->s->beside ? 1 : w->condense.threads;
    w->condense.progress = bn_meter_tick;
    w->condense.payload = w->meter;
done:
    return rc;
}

/* Sets the split, the setting and the seeds of a cell. */
static bonsai_status use(bn_worker *w, const bonsai_cell *c)
{
    const bn_study *s = w->s;
    bonsai_status rc = bn_worker_setting(w, c->setting);
    w->full = s->drawn[c->split] ? s->drawn[c->split] : s->g;
    w->condense.seed += draw_number(c);
    w->condense.method = (bonsai_method)c->method;
    w->train.model = c->model;
    w->train.seed = s->train.seed + draw_number(c) * (uint64_t)s->train.seeds;
    return rc;
}

bonsai_status bn_worker_new(bn_worker *w, bn_study *s)
{
    *w = (bn_worker){.s = s, .train = s->train, .full = s->g};
    w->meter = s->beside ? &w->own : &s->meter;
    w->train.threads = s->beside ? 1 : s->train.threads;
    w->train.progress = bn_meter_tick;
    w->train.payload = w->meter;
    return BN_NEW(&w->ratio, s->count);
}

void bn_worker_free(bn_worker *w)
{
    bn_free(w->ratio);
}

/* Ends a part of the worker's meter, and adds its effort to the study's meter if workers run side
 * by side. */
static void end_part(bn_worker *w)
{
    double effort = w->meter->now;
    bn_meter_end(w->meter);
    if (!w->s->beside)
        return;
#pragma omp critical(bn_study)
    w->s->meter.done += effort;
}

/* ---- one cell ------------------------------------------------------------ */

bonsai_status bn_cell_report(bn_study *s, int64_t i)
{
    bonsai_cell *c = &s->cells[i];
    c->done = 1;
    atomic_store(&s->state[i], BN_CELL_REPORTED);
    bn_result_fill(bn_structs_at(s->given, i), c);
    if (s->o.cell && s->o.cell(c, s->o.cell_payload) != 0)
        return bn_fail(BONSAI_E_CANCELED, "canceled after a cell");
    return BONSAI_OK;
}

static bonsai_status hand_over(bn_worker *w, const bonsai_cell *c)
{
    bn_study *s = w->s;
    atomic_store(&s->state[c - s->cells], BN_CELL_READY);
    return s->beside ? BONSAI_OK : bn_cell_report(s, c - s->cells);
}

static void note_refusal(bonsai_cell *c)
{
    c->runs = 0;
    snprintf(c->why, sizeof c->why, "%s", bonsai_error());
}

static void copy_training(const bn_study *s, bonsai_cell *c, const bonsai_cell *from)
{
    c->runs = c->units = from->runs;
    c->unit = from->unit;
    c->accuracy_mean = from->accuracy_mean;
    c->accuracy_std = from->accuracy_std;
    c->accuracy_error = from->accuracy_error;
    c->seconds_train = from->seconds_train;
    c->seconds_eval = from->seconds_eval;
    c->metric = from->metric;
    memcpy(c->metric_mean, from->metric_mean, sizeof c->metric_mean);
    memcpy(c->metric_std, from->metric_std, sizeof c->metric_std);
    memcpy(c->metric_error, from->metric_error, sizeof c->metric_error);
    for (int i = 0; c->accuracies && i < c->runs; i++)
        c->accuracies[i] = from->accuracies[i];
    for (int64_t k = 0; c->recall && k < s->g->view.classes; k++)
        c->recall[k] = from->recall[k];
}

static bool take_training(const bn_study *s, bonsai_cell *c)
{
    for (const bonsai_cell *d = s->cells; c->checksum != 0 && d < s->cells + s->count; d++)
        if (d->model == c->model && d->split == c->split && d->draw == c->draw &&
            bn_cell_measured(s, d) && d->checksum == c->checksum &&
            (d->accuracies || !c->accuracies) && (d->recall || !c->recall)) {
            copy_training(s, c, d);
            return true;
        }
    return false;
}

/* Trains on a small graph, or on the full graph if small is NULL. */
static bonsai_status train(bn_worker *w, bonsai_cell *c, const bonsai_graph *small)
{
    bonsai_training *trained = NULL;
    bonsai_status rc = use(w, c);
    if (rc == BONSAI_OK)
        rc = bonsai_train(&trained, small ? small : w->full, small ? w->full : NULL, &w->train);
    if (rc != BONSAI_OK)
        return rc;
    const bonsai_train_info *i = bonsai_training_info(trained);
    c->runs = c->units = i->runs;
    c->unit = BONSAI_UNIT_RUN;
    for (int m = 0; m < BONSAI_METRIC_ROOM; m++) {
        c->metric_mean[m] = i->metric_mean[m];
        c->metric_std[m] = i->metric_std[m];
        c->metric_error[m] = i->runs > 1 ? i->metric_std[m] / sqrt(i->runs) : NAN;
    }
    c->metric = i->metric;
    c->accuracy_mean = i->accuracy_mean;
    c->accuracy_std = i->accuracy_std;
    c->accuracy_error = c->metric_error[BONSAI_METRIC_ACCURACY];
    c->seconds_train = i->seconds_train;
    c->seconds_eval = i->seconds_eval;
    for (int r = 0; c->accuracies && r < i->runs; r++)
        c->accuracies[r] = bonsai_training_run(trained, r)->accuracy;
    for (int k = 0; c->recall && k < i->classes; k++)
        c->recall[k] = bonsai_training_class(trained, k)->recall_mean;
    bonsai_training_free(trained);
    return BONSAI_OK;
}

/* Returns the share of the graph that a ratio asks for; of ratio 0 that of the setting's
 * nodes. */
static double share_asked(const bn_worker *w, double ratio)
{
    const double nodes = fmax(1, (double)w->s->g->view.nodes);
    return ratio > 0 ? ratio : fmin(1, (double)w->condense.nodes / nodes);
}

static double effort_of_training(const bn_worker *w, const bonsai_cell *c)
{
    return bn_time_train(w->s->g, share_asked(w, c->ratio), c->model, &w->train);
}

static bonsai_status train_cell(bn_worker *w, bonsai_cell *c, const bonsai_graph *small)
{
    bn_meter_begin(w->meter, effort_of_training(w, c), "training");
    bonsai_status rc = take_training(w->s, c) ? BONSAI_OK : train(w, c, small);
    end_part(w);
    return rc;
}

/* ---- the full graph ------------------------------------------------------ */

static bonsai_status measure_full(bn_worker *w, bonsai_cell *c)
{
    bonsai_status rc;
    BN_TRY(use(w, c));
    c->share = 1;
    c->nodes = w->full->view.nodes;
    c->edges = bonsai_graph_edges(w->full);
    c->labelled = 0;
    for (int64_t v = 0; v < c->nodes; v++)
        c->labelled += bn_label(w->full, v) >= 0;
    BN_TRY(bonsai_graph_bytes(&c->bytes, w->full, w->condense.accounting));
    BN_TRY(bonsai_graph_bytes(&c->strict_bytes, w->full, BONSAI_ACCOUNTING_STRICT));
    c->strict_share = 1;
    c->features = w->full->view.features;
    c->whole_trees = -1;
done:
    return rc;
}

static bonsai_status run_full(bn_worker *w, bonsai_cell *c)
{
    bonsai_status rc;
    BN_TRY(measure_full(w, c));
    rc = train_cell(w, c, NULL);
    if (rc == BONSAI_E_ARGUMENT) {
        note_refusal(c);
        atomic_store(&w->s->state[c - w->s->cells], BN_CELL_REFUSED);
        return BONSAI_OK;
    }
    BN_TRY(rc);
    BN_TRY(hand_over(w, c));
done:
    return rc;
}

/* ---- one method in one setting ------------------------------------------- */

static void list_open(bn_worker *w, const bonsai_cell *first)
{
    const bn_study *s = w->s;
    w->open = 0;
    for (const bonsai_cell *c = s->cells; c < s->cells + s->count; c++) {
        if (!bn_cell_joins(s, c, first))
            continue;
        int i = 0;
        while (i < w->open && w->ratio[i] != c->ratio)
            i++;
        if (i == w->open)
            w->ratio[w->open++] = c->ratio;
    }
}

/* Fills the sizes of small graph i.  What was asked of a cell stays: other threads read it. */
static void note_sizes(bonsai_cell *made, const bn_worker *w, int i)
{
    bool paper = w->condense.accounting != BONSAI_ACCOUNTING_STRICT;
    const bonsai_condense_info *s = &w->info[i];
    made->bytes = paper ? bn_fact(s, BN_FACT_PAPER_BYTES) : s->bytes;
    made->share = paper ? bn_fact(s, BN_FACT_PAPER_RATIO) : s->ratio;
    bn_cell_fill(made, s);
    made->checksum = bonsai_graph_checksum(w->small[i], BN_ENTERS_TRAINING);
}

/* Fills the cells of small graph i; -1: it could not be made, and the last error says why. */
static bonsai_status fill_cells(bn_worker *w, const bonsai_cell *made, int i)
{
    bonsai_status rc = BONSAI_OK;
    const bn_study *s = w->s;
    const bonsai_graph *small = i < 0 ? NULL : w->small[i];
    for (bonsai_cell *c = s->cells; c < s->cells + s->count && rc == BONSAI_OK; c++) {
        if (!bn_cell_joins(s, c, made) || c->ratio != made->ratio)
            continue;
        if (small)
            note_sizes(c, w, i);
        rc = small ? train_cell(w, c, small) : BONSAI_E_ARGUMENT;
        if (rc == BONSAI_E_ARGUMENT)
            note_refusal(c);
        if (rc == BONSAI_OK || rc == BONSAI_E_ARGUMENT)
            rc = hand_over(w, c);
    }
    return rc;
}

/* Fails if small graphs beside each other count bytes in different ways. */
static bonsai_status check_alike(const bn_worker *w)
{
    if (!(bn_method_of(w->condense.method)->needs & BN_REDOES) ||
        w->condense.accounting != BONSAI_ACCOUNTING_STRICT)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "the method %s counts bytes as the published code "
                   "does; compare it in the paper's accounting",
                   bonsai_method_name(w->condense.method));
}

/* Condenses to ratios first .. first+count-1 of the open ones together.  A single one that is
 * refused costs its cells; if several are refused, nothing is done and the status says so. */
static bonsai_status run_ratios(bn_worker *w, const bonsai_cell *like, int first, int count)
{
    bonsai_cell made = *like;
    bonsai_status rc = use(w, like);
    made.ratio = w->ratio[first];
    for (int i = 0; i < count; i++)
        bonsai_condense_info_init(&w->info[i]);
    if (rc == BONSAI_OK)
        rc = check_alike(w);
    const bn_asked asked = {&w->condense, made.ratio > 0 ? w->ratio + first : NULL, count, true};
    if (rc == BONSAI_OK)
        rc = bn_condense(w->small, w->info, w->full, &asked, NULL);
    if (rc == BONSAI_E_ARGUMENT && count == 1)
        return fill_cells(w, &made, -1);
    if (rc != BONSAI_OK)
        return rc;
    end_part(w);
    for (int i = 0; i < count; i++) {
        made.ratio = w->ratio[first + i];
        if (rc == BONSAI_OK)
            rc = fill_cells(w, &made, i);
        bonsai_graph_free(w->small[i]);
    }
    return rc;
}

static double effort_of_method(const bn_worker *w, const bonsai_cell *like)
{
    const double share = share_asked(w, 0);
    return bn_time_condense(w->s->g, (bonsai_method)like->method,
                              like->ratio > 0 ? w->ratio : &share, w->open, &w->condense);
}

/* Runs all ratios of a method together; if they are refused, one after the other, to find out
 * which it is. */
static bonsai_status run_method(bn_worker *w, const bonsai_cell *like)
{
    bonsai_status rc;
    list_open(w, like);
    BN_TRY(use(w, like));
    BN_TRY(BN_NEW(&w->small, w->open));
    BN_TRY(BN_NEW(&w->info, w->open));
    bn_meter_begin(w->meter, effort_of_method(w, like), NULL);
    for (int first = 0, count = w->open; first < w->open && rc == BONSAI_OK;) {
        rc = run_ratios(w, like, first, count);
        if (rc == BONSAI_E_ARGUMENT && count > 1) {
            rc = BONSAI_OK;
            count = 1;
            continue;
        }
        first += count;
        count = w->open - first;
    }
    end_part(w);
done:
    bn_free(w->small);
    bn_free(w->info);
    w->small = NULL;
    w->info = NULL;
    return rc;
}

/* ---- pairs of nodes ------------------------------------------------------ */

/* Returns the effort of pairs: gradients are those before training. */
static double effort_of_pairs(const bn_worker *w, const bonsai_cell *c)
{
    bonsai_train_options o = w->train;
    o.seeds = 1;
    o.epochs = c->study == BONSAI_STUDY_EMBEDDING ? o.epochs : 1;
    return bn_time_train(w->s->g, 1, c->model, &o);
}

/* Fills all cells that the same pairs serve. */
static bonsai_status run_pairs(bn_worker *w, const bonsai_cell *like)
{
    const bn_study *s = w->s;
    bn_pair *pair = NULL;
    bonsai_status rc = use(w, like);
    if (rc != BONSAI_OK)
        return rc;
    bn_meter_begin(w->meter, effort_of_pairs(w, like), NULL);
    rc = bn_pairs_sorted(&pair, like->pairs, w->full, like->study, &w->train);
    end_part(w);
    bool refused = rc == BONSAI_E_ARGUMENT;
    for (bonsai_cell *c = s->cells; c < s->cells + s->count; c++) {
        if ((rc != BONSAI_OK && !refused) || !bn_cell_joins(s, c, like))
            continue;
        if (refused)
            note_refusal(c);
        else
            bn_correlate(c, pair);
        rc = hand_over(w, c);
        refused = refused && rc == BONSAI_OK;
    }
    bn_free(pair);
    return rc;
}

/* ---- a group ------------------------------------------------------------- */

bonsai_status bn_group_run(bn_worker *w, int64_t first)
{
    bonsai_cell *c = &w->s->cells[first];
    const bonsai_cell like = *c;                /* the cell changes on the way */
    return bn_cell_of_pairs(c)     ? run_pairs(w, &like)
           : bn_cell_of_full(c) ? run_full(w, c)
                           : run_method(w, &like);
}

bonsai_status bn_group_effort(double *effort, bn_worker *w, int64_t first)
{
    bonsai_status rc;
    const bn_study *s = w->s;
    const bonsai_cell *like = &s->cells[first];
    *effort = bn_cell_of_pairs(like) ? effort_of_pairs(w, like) : 0;
    BN_TRY(bn_worker_setting(w, like->setting));
    for (const bonsai_cell *c = s->cells; c < s->cells + s->count && !bn_cell_of_pairs(like); c++)
        if (bn_cell_joins(s, c, like))
            *effort += effort_of_training(w, c);
    if (bn_cell_of_pairs(like) || bn_cell_of_full(like))
        goto done;
    list_open(w, like);
    *effort += effort_of_method(w, like);
done:
    return rc;
}
