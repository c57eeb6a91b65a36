/* paper_run.c -- the measurements: condensing, training, pairs of nodes.
 *
 * Cells come in an order in which those of one small graph follow each other, so that it is made
 * once.  Where a small graph is the same as an earlier one, to the bit, the same training would
 * follow to the bit, so its result is taken: in the paper's accounting most budgets hold all
 * training nodes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

typedef struct {
    paper        *p;
    bonsai_graph *full;         /* of set, with the split that all cells share */
    int           set;          /* -1: none yet */
    bonsai_graph *small;
    paper_cell    made;         /* the cell that small was made for; its sizes and times */
} work;

typedef struct { double wl, seen; } pair;

/* ---- progress over all cells --------------------------------------------- */

/* Rough numbers of additions: an error of a factor of two only bends the time left. */
static double effort_of(const paper *p, const paper_cell *c)
{
    static const double method[BONSAI_METHOD_COUNT] = {
        [BONSAI_METHOD_TREES] = 800, [BONSAI_METHOD_AUTO] = 2400, [BONSAI_METHOD_RANDOM] = 50, [BONSAI_METHOD_HERDING] = 1000,
        [BONSAI_METHOD_KCENTER] = 1000};
    const dataset *d = &p->sets[c->set];
    double n = (double)d->nodes, f = (double)d->features;
    double share = c->method < 0 ? 1 : c->accounting ? 0.5 : c->ratio / 100;
    double epoch = share * (n * fmin(f, 50) + (double)d->edges) * 128 * 3 + f * 128 * 10;
    double train = p->train.seeds * p->train.epochs * epoch;
    if (c->kind >= CELL_GRADIENT)
        return 10 * epoch;
    if (c->kind == CELL_DISTANCE)
        return train / 7;                       /* one training for seven cells */
    int large = c->accounting && (c->method == BONSAI_METHOD_HERDING || c->method == BONSAI_METHOD_KCENTER);
    return train + (c->method < 0 ? 0 : n * f * method[c->method] * (large ? 5 : 1));
}

static int tick_all(paper *p, double now)
{
    bonsai_progress at = {sizeof at, "paper",
                          (uint64_t)(1e6 * (p->effort_done + now) / p->effort), 1000000};
    if (at.done >= at.total)
        at.done = at.total - 1;                 /* the end comes once */
    return progress_tick(&at, &p->s->progress);
}

static int on_tick(const bonsai_progress *at, void *payload)
{
    paper *p = payload;
    double share = p->training && at->total ? (double)at->done / (double)at->total : 0;
    return tick_all(p, strcmp(at->stage, "training") == 0 ? share * p->effort_now : 0);
}

/* ---- the small graph ----------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
    for (const unsigned char *at = data, *end = at + len; at < end; at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

/* Of all that enters training. */
static void checksum(char out[20], const bonsai_graph *g)
{
    const bonsai_view *v = bonsai_graph_view(g);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = BONSAI_SECTION_OFFSETS; i <= BONSAI_SECTION_KEPT_FEATURES; i++) {
        const bonsai_array *a = &v->section[i];
        int counts = i <= BONSAI_SECTION_SPLIT || i == BONSAI_SECTION_KEPT_FEATURES;
        int64_t head[3] = {i, a->type, a->data && counts ? a->count : 0};
        hash = mix(hash, head, sizeof head);
        if (head[2] > 0)
            hash = mix(hash, a->data, (size_t)a->count * bonsai_type_bytes(a->type));
    }
    snprintf(out, 20, "%016llx", (unsigned long long)hash);
}

static int is_of_same_graph(const paper_cell *a, const paper_cell *b)
{
    return a->kind == b->kind && a->set == b->set && a->accounting == b->accounting &&
           a->ratio == b->ratio && a->method == b->method && a->without == b->without &&
           a->k == b->k && a->sample == b->sample;
}

static void note_sizes(paper_cell *c, const bonsai_condense_info *i, const bonsai_graph *small)
{
    c->nodes = i->nodes;
    c->edges = i->edges;
    c->bytes = c->accounting ? i->paper_bytes : i->bytes;
    c->bytes_share = c->accounting ? i->paper_ratio : i->ratio;
    c->seconds = i->seconds_total;
    c->wl = i->seconds_wl;
    c->knn = i->seconds_knn;
    c->greedy = i->seconds_cover;
    c->ppr = i->seconds_sparsify;
    checksum(c->graph, small);
}

/* Fills w->small and w->made for the cell, unless they are already. */
static bonsai_status condense(work *w, const paper_cell *c)
{
    bonsai_condense_options o;
    bonsai_condense_info info;
    if (w->small && is_of_same_graph(&w->made, c))
        return BONSAI_OK;
    bonsai_graph_free(w->small);
    w->small = NULL;
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(&info);
    o.ratio = c->ratio / 100;
    o.method = (bonsai_method)c->method;
    o.accounting = c->accounting ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    o.no_ppr = c->without == NO_PPR;
    o.no_rknn = c->without == NO_RKNN;
    o.k = c->k ? c->k : o.k;
    o.sample = c->sample ? c->sample : o.sample;
    o.seed = w->p->train.seed;
    o.threads = w->p->s->read.threads;
    o.progress = on_tick;
    o.payload = w->p;
    w->p->training = 0;
    bonsai_status rc = bonsai_condense(&w->small, &info, w->full, &o);
    if (rc == BONSAI_OK) {
        w->made = *c;
        note_sizes(&w->made, &info, w->small);
    }
    return rc;
}

static void take_sizes(paper_cell *c, const paper_cell *from)
{
    c->nodes = from->nodes;
    c->edges = from->edges;
    c->bytes = from->bytes;
    c->bytes_share = from->bytes_share;
    c->seconds = from->seconds;
    c->wl = from->wl;
    c->knn = from->knn;
    c->greedy = from->greedy;
    c->ppr = from->ppr;
    snprintf(c->graph, sizeof c->graph, "%s", from->graph);
}

/* ---- training ------------------------------------------------------------ */

static int take_training(const paper *p, paper_cell *c)
{
    for (int64_t i = 0; i < p->count; i++) {
        const paper_cell *d = &p->cells[i];
        if (d->done && d->runs > 0 && d->kind == CELL_FIT && d->set == c->set &&
            d->model == c->model && *d->graph && strcmp(d->graph, c->graph) == 0) {
            c->runs = d->runs;
            c->accuracy = d->accuracy;
            c->spread = d->spread;
            c->train = d->train;
            return 1;
        }
    }
    return 0;
}

static bonsai_train_options training_of(const work *w, const paper_cell *c)
{
    bonsai_train_options o = w->p->train;
    o.model = c->model;
    o.threads = w->p->s->read.threads;
    o.progress = on_tick;
    o.payload = w->p;
    w->p->training = 1;
    return o;
}

static bonsai_status train(work *w, paper_cell *c)
{
    bonsai_training *t = NULL;
    bonsai_train_options o = training_of(w, c);
    bonsai_status rc = bonsai_train(&t, w->small ? w->small : w->full, w->small ? w->full : NULL,
                                    &o);
    if (rc != BONSAI_OK)
        return rc;
    const bonsai_train_info *i = bonsai_training_info(t);
    c->runs = i->runs;
    c->accuracy = i->accuracy_mean;
    c->spread = i->runs > 1 ? i->accuracy_std : NAN;
    c->train = i->seconds_train / i->runs;
    bonsai_training_free(t);
    return BONSAI_OK;
}

static bonsai_status fit(work *w, paper_cell *c)
{
    bonsai_status rc;
    if (c->method < 0) {
        bonsai_graph_free(w->small);
        w->small = NULL;
        c->nodes = bonsai_graph_nodes(w->full);
        c->edges = bonsai_graph_edges(w->full);
        rc = bonsai_graph_bytes(&c->bytes, w->full, BONSAI_ACCOUNTING_STRICT);
        c->bytes_share = 1;
        return rc == BONSAI_OK ? train(w, c) : rc;
    }
    rc = condense(w, c);
    if (rc != BONSAI_OK)
        return rc;
    take_sizes(c, &w->made);
    return take_training(w->p, c) ? BONSAI_OK : train(w, c);
}

/* ---- pairs of nodes ------------------------------------------------------ */

static int nearest_first(const void *a, const void *b)
{
    double x = ((const pair *)a)->wl, y = ((const pair *)b)->wl;
    return (x > y) - (x < y);
}

static double pearson(const pair *q, int64_t n)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int64_t i = 0; i < n; i++) {
        x += q[i].wl / (double)n;
        y += q[i].seen / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double dx = q[i].wl - x, dy = q[i].seen - y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* Of a correlation that large by chance, by Fisher's transform. */
static double chance_of(double r, int64_t n)
{
    return isnan(r) ? NAN : erfc(fabs(atanh(fmin(fmax(r, -1), 1))) * sqrt((double)n - 3) / sqrt(2));
}

static void correlate(paper_cell *c, const pair *q, int64_t n)
{
    int64_t near = (int64_t)(c->share / 100 * (double)n);
    c->runs = 1;
    c->value = pearson(q, near);
    c->extra = c->kind == CELL_DISTANCE ? q[near - 1].wl : chance_of(c->value, near);
}

/* All cells that the same pairs serve: those behind c that differ in their share only. */
static bonsai_status study(work *w, paper_cell *c)
{
    static const bonsai_study what[] = {
        [CELL_DISTANCE] = BONSAI_STUDY_EMBEDDING, [CELL_GRADIENT] = BONSAI_STUDY_GRADIENT,
        [CELL_WEIGHTS] = BONSAI_STUDY_WEIGHTS};
    int64_t n = c->kind != CELL_DISTANCE ? 10000 : w->p->quick ? 50000 : 200000;
    double *wl = calloc((size_t)n, sizeof *wl), *seen = calloc((size_t)n, sizeof *seen);
    pair *q = calloc((size_t)n, sizeof *q);
    bonsai_train_options o = training_of(w, c);
    bonsai_status rc = wl && seen && q ? BONSAI_OK : BONSAI_E_MEMORY;
    if (rc == BONSAI_OK)
        rc = bonsai_study_pairs(wl, seen, n, w->full, what[c->kind], &o);
    for (int64_t i = 0; rc == BONSAI_OK && i < n; i++)
        q[i] = (pair){wl[i], seen[i]};
    if (rc == BONSAI_OK)
        qsort(q, (size_t)n, sizeof *q, nearest_first);
    const paper_cell *end = w->p->cells + w->p->count;
    for (paper_cell *d = c; rc == BONSAI_OK && d < end && is_of_same_graph(d, c) &&
                            d->model == c->model; d++)
        correlate(d, q, n);
    free(wl);
    free(seen);
    free(q);
    return rc;
}

/* ---- all of them --------------------------------------------------------- */

/* The graph of the cell's dataset, with one split for all. */
static bonsai_status load(work *w, int set)
{
    static const double percent[3] = {60, 20, 20};
    bonsai_graph *g = NULL;
    if (w->set == set)
        return BONSAI_OK;
    bonsai_graph_free(w->small);
    bonsai_graph_free(w->full);
    w->small = w->full = NULL;
    w->set = -1;
    bonsai_read_options o = w->p->s->read;
    o.progress = on_tick;
    o.payload = w->p;
    w->p->training = 0;
    bonsai_status rc = bonsai_graph_read(&g, w->p->sets[set].path, &o);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_split(&w->full, g, percent, w->p->train.seed);
    bonsai_graph_free(g);
    if (rc == BONSAI_OK)
        w->set = set;
    return rc;
}

static bonsai_status measure(work *w, paper_cell *c)
{
    bonsai_status rc = load(w, c->set);
    if (rc != BONSAI_OK)
        return rc;
    rc = c->kind == CELL_FIT ? fit(w, c) : c->runs > 0 ? BONSAI_OK : study(w, c);
    if (rc == BONSAI_E_ARGUMENT) {              /* costs this cell only */
        c->runs = 0;
        snprintf(c->why, sizeof c->why, "%.159s", bonsai_error());
        rc = BONSAI_OK;
    }
    return rc;
}

static int stopped(const paper *p, bonsai_status rc)
{
    if (rc == BONSAI_E_MEMORY)
        return fail_with(p->s, "there is not enough memory");
    if (rc == BONSAI_E_CANCELED)
        return fail_with(p->s, "canceled; %lld of %lld cells are in %s, and the same command goes "
                         "on with the rest", (long long)cells_done(p), (long long)p->count,
                         p->cells_path);
    return fail(p->s, rc);
}

int paper_run(paper *p)
{
    work w = {.p = p, .set = -1};
    int code = EXIT_DONE;
    for (int64_t i = 0; i < p->count; i++)
        p->effort += p->cells[i].done ? 0 : effort_of(p, &p->cells[i]);
    for (int64_t i = 0; i < p->count && code == EXIT_DONE; i++) {
        paper_cell *c = &p->cells[i];
        if (c->done)
            continue;
        p->effort_now = effort_of(p, c);
        bonsai_status rc = tick_all(p, 0) ? BONSAI_E_CANCELED : measure(&w, c);
        if (rc == BONSAI_OK) {
            c->done = 1;
            code = cells_append(p, c);
            p->effort_done += p->effort_now;
        } else
            code = stopped(p, rc);
    }
    bonsai_graph_free(w.small);
    bonsai_graph_free(w.full);
    return code;
}
