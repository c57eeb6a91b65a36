/* effort.c -- how long the parts of a comparison will take.
 *
 * Counts of additions, divided by how fast each kind of them runs; an error of a factor
 * of two only bends the estimate of the time left.
 *
 * SPDX-License-Identifier: MIT */
#include "effort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 10000 };

static double stored_features(const bonsai_graph *g)
{
    return bn_has(g, BONSAI_FEATURE_INDICES)
               ? (double)g->view.section[BONSAI_FEATURE_INDICES].count
               : (double)g->view.nodes * (double)g->view.features;
}

/* The trees: every sampled one against all; herding and kcenter: every pick against all;
 * all but the random ones average features over neighbours first. */
double bn_effort_condense(const bonsai_graph *full, bonsai_method method, const double *ratios,
                          int count, const bonsai_condense_options *o)
{
    enum { MEASURING = 20, SAMPLE = 3025, FAST = 8 };   /* FAST: products of dense blocks */
    double n = (double)full->view.nodes, m = (double)bonsai_graph_edges(full);
    double x = stored_features(full), row = n > 0 ? x / n : 0, sum = 0;
    double work = MEASURING * (x + m);
    for (int i = 0; i < count; i++)
        sum += ratios[i];
    if (method == BONSAI_TREES || method == BONSAI_HERDING || method == BONSAI_KCENTER)
        work += o->layers * (m * row + x);
    if (method == BONSAI_TREES)
        work += fmin(n, SAMPLE) * x / FAST;
    if (method == BONSAI_HERDING || method == BONSAI_KCENTER)
        work += sum * n * x;
    return work + sum * MEASURING * (x + m);
}

/* Forward and back cost three times what forward does. */
double bn_effort_train(const bonsai_graph *full, double share, bonsai_model_kind model,
                       const bonsai_train_options *o)
{
    static const double kind[BONSAI_MODELS] = {1, 2, 1, 1.5};
    enum { BACK = 3, CALL = 100000 };                   /* CALL: a pass over nothing */
    double n = (double)full->view.nodes, m = (double)bonsai_graph_edges(full);
    double h = (double)o->hidden, c = (double)full->view.classes, inner = o->layers - 1;
    double first = inner > 0 ? h : c;
    double pass = stored_features(full) * first + m * (inner * h + c) + inner * n * h * c;
    double judged = ceil(o->epochs / fmax(1, o->every));
    return kind[model] * o->seeds *
           (o->epochs * (BACK * share * pass + CALL) + judged * (share < 1 ? pass : 0));
}

/* ---- the meter ----------------------------------------------------------- */

/* The end is kept for the end. */
static int parts_done(const bn_meter *m, double share)
{
    double parts = m->total > 0 ? PARTS * (m->done + share * m->now) / m->total : 0;
    return parts < PARTS - 1 ? (int)parts : PARTS - 1;
}

bonsai_status bn_meter_start(bn_meter *m)
{
    m->done = m->now = 0;
    m->at = 0;
    return bn_tick(m->to, m->stage, 0, PARTS);
}

void bn_meter_begin(bn_meter *m, double effort, const char *only)
{
    m->only = only;
    m->now = effort;
    m->floor = 0;
    m->inner[0] = 0;
}

void bn_meter_end(bn_meter *m)
{
    m->done += m->now;
    m->now = 0;
}

bonsai_status bn_meter_finish(bn_meter *m)
{
    return bn_tick(m->to, m->stage, PARTS, PARTS);
}

/* Where it is not known how many stages will come, each takes half of what is left. */
static double inside(bn_meter *m, const bonsai_progress *p)
{
    double share = p->total ? (double)p->done / (double)p->total : 0;
    if (m->only)
        return strcmp(m->only, p->stage) == 0 ? share : 0;
    if (strcmp(m->inner, p->stage) != 0) {
        if (m->inner[0])
            m->floor += (1 - m->floor) / 2;
        snprintf(m->inner, sizeof m->inner, "%s", p->stage);
    }
    return m->floor + (1 - m->floor) / 2 * share;
}

int bn_meter_tick(const bonsai_progress *p, void *meter)
{
    bn_meter *m = meter;
    if (!m->to.fn)
        return 0;
    int at = parts_done(m, inside(m, p));
    m->at = at > m->at ? at : m->at;
    const bonsai_progress now = {m->stage, (uint64_t)m->at, PARTS};
    return m->to.fn(&now, m->to.payload);
}
