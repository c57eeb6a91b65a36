/* queue.c -- a study: its groups of cells, one after the other or side by side.
 *
 * One after the other, each has all threads.  Side by side, each worker has one: small graphs leave
 * threads little to share, and groups are independent.  Then the calling thread only reports
 * what the others have measured, so that no cell waits for a long one.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"
#include "study.h"

typedef struct {                /* a group of cells */
    int64_t first;
    double  effort;
} group;

typedef struct {
    bn_study   s;
    group     *group;
    int64_t    groups;
    bn_worker *workers;
    int        lanes;
    atomic_llong next;
    atomic_int working;
} queue;

/* ---- what is asked ------------------------------------------------------- */

static int64_t settings(const bn_study *s)
{
    return s->o.setting_count > 0 ? s->o.setting_count : 1;
}

static bonsai_status check_settings(bn_study *s)
{
    bonsai_status rc = BONSAI_OK;
    bn_worker w = {.s = s};
    if (s->o.setting_count < 0 || (s->o.setting_count > 0 && !s->o.settings))
        return bn_fail(BONSAI_E_ARGUMENT, "%lld settings, but no list of them",
                       (long long)s->o.setting_count);
    for (int64_t i = 0; i < settings(s) && rc == BONSAI_OK; i++)
        rc = bn_worker_setting(&w, i);
    return rc;
}

static bonsai_status check_cell(const bn_study *s, int64_t i)
{
    const bonsai_cell *c = &s->cells[i];
    bool pairs = c->study != BONSAI_STUDY_TRAINING;
    const char *wrong =
        c->study < BONSAI_STUDY_TRAINING || c->study > BONSAI_STUDY_WEIGHTS ? "study" :
        c->method < -1 || c->method >= BONSAI_METHOD_COUNT ? "method" :
        !bonsai_model_name(c->model) ? "model" :
        !(c->ratio > 0 || (c->ratio == 0 && c->method >= 0)) || c->ratio > 1 ? "ratio" :
        c->setting < 0 || c->setting >= settings(s) ? "setting" :
        c->split < 0 || c->split >= BN_MOST_DRAWS ? "split" :
        c->draw < 0 || c->draw >= BN_MOST_DRAWS ? "draw" :
        pairs && !(c->nearest <= 1 && c->nearest * (double)c->pairs >= 2) ? "share of pairs" : NULL;
    return wrong ? bn_fail(BONSAI_E_ARGUMENT, "cell %lld has no valid %s", (long long)i, wrong)
                 : BONSAI_OK;
}

static bonsai_status check_cells(bn_study *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < s->count && rc == BONSAI_OK; i++) {
        rc = check_cell(s, i);
        s->splits = s->cells[i].split >= s->splits ? s->cells[i].split + 1 : s->splits;
    }
    return rc;
}

/* Sets the shares that splits are drawn with; all 0: the graph's own split is the only one. */
static bonsai_status choose_shares(double split[3], const bonsai_graph *g, int splits)
{
    const bool own = bn_split_is_own(split);
    if (own && splits > 1)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its own split is one, and %d splits are "
                          "asked for; a split such as 60/20/20 draws them", splits);
    if (bn_split_is_asked(split) || (splits == 1 && bn_has(g, BONSAI_SECTION_SPLIT)))
        return BONSAI_OK;
    bonsai_split_named(split, "random");
    return BONSAI_OK;
}

static bool is_drawn(const bn_study *s, int split)
{
    return split > 0 || !s->o.own_split || !bn_has(s->g, BONSAI_SECTION_SPLIT);
}

/* Draws the splits that miss a cell; if none does, the first, so that a graph without a split
 * is refused. */
static bonsai_status draw_splits(bn_study *s)
{
    bonsai_status rc;
    double *split = s->train.split;
    BN_TRY(choose_shares(split, s->g, s->splits));
    BN_TRY(bn_graph_need(s->g, BN_ALL_SECTIONS, s->train.threads));
    BN_TRY(BN_NEW(&s->drawn, s->splits));
    for (int i = 0; i < s->splits; i++) {
        bool open = i == 0;
        for (int64_t k = 0; k < s->count && !open; k++)
            open = s->cells[k].split == i && !s->cells[k].done;
        if (open && is_drawn(s, i))
            BN_TRY(bn_graph_parts(&s->drawn[i], s->g, split, s->train.seed + (uint64_t)i));
    }
    memset(split, 0, sizeof s->train.split);    /* the graphs have it now */
done:
    return rc;
}

static bonsai_status settle(bn_study *s, const bonsai_compare_options *o)
{
    bonsai_status rc;
    s->splits = 1;
    BN_TRY(BN_OPTIONS(&s->o, o, compare));
    BN_TRY(BN_OPTIONS(&s->train, s->o.train, train));
    BN_TRY(check_settings(s));
    BN_TRY(check_cells(s));
    BN_TRY(draw_splits(s));
    s->meter.to = (bn_progress){s->o.progress, s->o.payload};
    s->meter.stage = "comparing";
    BN_TRY(BN_NEW(&s->state, s->count));
    for (int64_t i = 0; i < s->count; i++)
        atomic_store(&s->state[i], s->cells[i].done ? BN_CELL_REPORTED : BN_CELL_OPEN);
done:
    return rc;
}

/* ---- groups -------------------------------------------------------------- */

static bool begins_group(const queue *q, int64_t i)
{
    const bn_study *s = &q->s;
    if (atomic_load(&s->state[i]) != BN_CELL_OPEN)
        return false;
    for (int64_t k = 0; k < q->groups; k++)
        if (bn_cell_joins(s, &s->cells[i], &s->cells[q->group[k].first]))
            return false;
    return true;
}

static bonsai_status list_groups(queue *q)
{
    bonsai_status rc;
    bn_study *s = &q->s;
    bn_worker w = {0};
    BN_TRY(bn_worker_new(&w, s));
    BN_TRY(BN_NEW(&q->group, s->count));
    for (int64_t i = 0; i < s->count; i++)
        if (begins_group(q, i)) {
            group *g = &q->group[q->groups];
            g->first = i;
            BN_TRY(bn_group_effort(&g->effort, &w, i));
            s->meter.total += g->effort;
            q->groups++;
        }
done:
    bn_worker_free(&w);
    return rc;
}

/* ---- the full graph ------------------------------------------------------ */

/* Settles a split when all its cells of the full graph were tried: a model that cannot be
 * trained on it costs a cell, but if none can, the graph or the options are at fault. */
static bonsai_status settle_split(bn_study *s, int split)
{
    bonsai_status rc = BONSAI_OK;
    const bonsai_cell *refused = NULL, *end = s->cells + s->count;
    int64_t trained = 0;
    for (const bonsai_cell *c = s->cells; c < end; c++) {
        if (!bn_cell_of_full(c) || c->split != split)
            continue;
        if (bn_cell_open(s, c))
            return BONSAI_OK;
        refused = bn_cell_state(s, c) == BN_CELL_REFUSED ? c : refused;
        trained += bn_cell_measured(s, c);
    }
    if (refused && trained == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "%s", refused->why);
    for (const bonsai_cell *c = s->cells; refused && c < end && rc == BONSAI_OK; c++)
        if (c->split == split && bn_cell_state(s, c) == BN_CELL_REFUSED)
            rc = bn_cell_report(s, c - s->cells);
    return rc;
}

static bonsai_status settle_full(bn_study *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int i = 0; i < s->splits && rc == BONSAI_OK; i++)
        rc = settle_split(s, i);
    return rc;
}

/* ---- in order ------------------------------------------------------------ */

static bonsai_status run_in_order(queue *q)
{
    bonsai_status rc;
    bn_worker w = {0};
    BN_TRY(bn_worker_new(&w, &q->s));
    for (int64_t i = 0; i < q->groups; i++) {
        BN_TRY(bn_group_run(&w, q->group[i].first));
        BN_TRY(settle_full(&q->s));
    }
done:
    bn_worker_free(&w);
    return rc;
}

/* ---- side by side -------------------------------------------------------- */

/* Orders groups by effort, the longest first, so that none is left for the end. */
static int by_effort(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->effort != y->effort)
        return x->effort < y->effort ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Stops the others and keeps the first failure: those that follow come from stopping. */
static void stop(bn_study *s, bonsai_status rc)
{
#pragma omp critical(bn_study)
    {
        if (s->rc == BONSAI_OK) {
            s->rc = rc;
            snprintf(s->why, sizeof s->why, "%s", bonsai_error());
        }
    }
    atomic_store(&s->canceled, true);
}

static int is_stopped(const bonsai_progress *p, void *study)
{
    (void)p;
    return atomic_load(&((bn_study *)study)->canceled);
}

static void work(queue *q, bn_worker *w)
{
    bn_study *s = &q->s;
    int64_t i;
    while (!atomic_load(&s->canceled) && (i = atomic_fetch_add(&q->next, 1)) < q->groups) {
        bonsai_status rc = bn_group_run(w, q->group[i].first);
        if (rc != BONSAI_OK)
            stop(s, rc);
    }
}

static bonsai_status report_ready(bn_study *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < s->count && rc == BONSAI_OK; i++)
        if (atomic_load(&s->state[i]) == BN_CELL_READY)
            rc = bn_cell_report(s, i);
    return rc == BONSAI_OK ? settle_full(s) : rc;
}

static bonsai_status report_progress(bn_study *s)
{
    const bonsai_progress nothing = {sizeof nothing, "", 0, 0, NULL};
    bn_meter now;
#pragma omp critical(bn_study)
    now = s->meter;
    now.now = 0;
    if (bn_meter_tick(&nothing, &now) != 0)
        return bn_fail(BONSAI_E_CANCELED, "canceled during \"%s\"", now.stage);
    return BONSAI_OK;
}

/* Hands cells to the caller as they are measured, those before a failure too. */
static void report(queue *q)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    bn_study *s = &q->s;
    bool more = true;
    while (more) {
        more = atomic_load(&q->working) > 0;
        bonsai_status rc = report_ready(s);
        if (rc == BONSAI_OK && !atomic_load(&s->canceled))
            rc = report_progress(s);
        if (rc != BONSAI_OK)
            stop(s, rc);
        if (more)
            nanosleep(&pause, NULL);
    }
}

/* Runs groups side by side; if no thread can be started, the calling one works. */
static bonsai_status run_side_by_side(queue *q)
{
    bonsai_status rc = BONSAI_OK;
    bn_study *s = &q->s;
    qsort(q->group, (size_t)q->groups, sizeof *q->group, by_effort);
    BN_TRY(BN_NEW(&q->workers, q->lanes));
    for (int i = 0; i < q->lanes; i++) {
        BN_TRY(bn_worker_new(&q->workers[i], s));
        q->workers[i].own = (bn_meter){.to = {is_stopped, s}, .stage = "", .total = 1};
    }
#pragma omp parallel num_threads(bn_team(q->lanes + 1, INFINITY))
    {
        int me = bn_thread();
        if (me > 0)
            atomic_fetch_add(&q->working, 1);
#pragma omp barrier
        if (me > 0 || atomic_load(&q->working) == 0)
            work(q, &q->workers[me > 0 ? me - 1 : 0]);
        if (me > 0)
            atomic_fetch_sub(&q->working, 1);
        else
            report(q);
    }
    if (s->rc != BONSAI_OK)
        rc = bn_fail(s->rc, "%s", s->why);
done:
    for (int i = 0; q->workers && i < q->lanes; i++)
        bn_worker_free(&q->workers[i]);
    bn_free(q->workers);
    return rc;
}

/* ---- all of it ----------------------------------------------------------- */

bonsai_status bonsai_compare_split(double percent[3], const bonsai_graph *g,
                                   const bonsai_compare_options *given)
{
    bonsai_status rc;
    bonsai_compare_options o;
    bonsai_train_options train;
    if (bn_is_null(percent, "out") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&o, given, compare));
    BN_TRY(BN_OPTIONS(&train, o.train, train));
    BN_TRY(choose_shares(train.split, g, o.splits));
    if (bn_split_is_own(train.split))
        memset(train.split, 0, sizeof train.split);
    memcpy(percent, train.split, sizeof train.split);
done:
    return rc;
}

bonsai_status bonsai_study_run(bonsai_cell *cells, int64_t count, const bonsai_graph *g,
                               const bonsai_compare_options *o)
{
    bonsai_status rc;
    queue q = {.s = {.g = g, .given = cells, .count = count}};
    bn_study *s = &q.s;
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_structs_read((void **)&s->cells, &bn_cell_empty, cells, count, "bonsai_cell"));
    BN_TRY(settle(s, o));
    BN_TRY(list_groups(&q));
    q.lanes = bn_lanes(bn_threads(s->train.threads), q.groups);
    s->beside = s->o.side_by_side && q.lanes > 1;
    BN_TRY(bn_meter_start(&s->meter));
    BN_TRY(s->beside ? run_side_by_side(&q) : run_in_order(&q));
    BN_TRY(bn_meter_finish(&s->meter));
done:
    for (int i = 0; s->drawn && i < s->splits; i++)
        bonsai_graph_free(s->drawn[i]);
    bn_free(s->drawn);
    bn_free(s->cells);
    bn_free(s->state);
    bn_free(q.group);
    return rc;
}
