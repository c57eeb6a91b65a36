/* timeestimate.c -- how long the parts of a comparison will take.
 *
 * Counts of additions, each kind times how slow it is beside those of training, as measured
 * on Cora, PubMed and Amazon Photo.  An error of a factor of two only bends the estimate of
 * the time left.
 *
 * SPDX-License-Identifier: MIT */
#include "timeestimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "condense/methods.h"
#include "nn/nn.h"

enum { PARTS = 10000 };

static double stored_features(const bonsai_graph *g)
{
    return bn_has(g, BONSAI_SECTION_FEATURE_INDICES)
               ? (double)g->view.section[BONSAI_SECTION_FEATURE_INDICES].count
               : (double)g->view.nodes * (double)g->view.features;
}

/* Returns the entries of an averaged row: averaging over neighbours fills sparse rows. */
static double embedded_row(const bonsai_graph *g, int layers)
{
    double n = fmax(1, (double)g->view.nodes), row = stored_features(g) / n;
    return fmin((double)g->view.features,
                row * pow(1 + (double)bonsai_graph_edges(g) / n, layers));
}

/* Adds up what takes longest: covers compare each sampled tree with all, pairs each pick with
 * all, clusters run k-means. */
double bn_time_condense(const bonsai_graph *full, bonsai_method method, const double *ratios,
                          int count, const bonsai_condense_options *o)
{
    enum { MEASURING = 500, SPARSE = 3, SAMPLE = 3025, ROUNDS = 10 };  /* how slow; how many */
    double n = (double)full->view.nodes, m = (double)bonsai_graph_edges(full);
    double x = stored_features(full) + m, row = embedded_row(full, o->layers);
    double work = MEASURING * x;
    const unsigned needs = bn_method_of(method)->needs;
    if (needs & BN_EMBEDS)
        work += SPARSE * o->layers * m * row;
    if (needs & BN_NEEDS_COVER)
        work += fmin(n, SAMPLE) * n * row / 2;          /* by products of blocks */
    for (int i = 0; i < count; i++) {
        work += ratios[i] * MEASURING * x;
        if (needs & BN_NEEDS_PAIRS)
            work += SPARSE * ratios[i] * n * n * row;
        if (needs & BN_NEEDS_CLUSTERS)                  /* each row against those of its class */
            work += ROUNDS * ratios[i] * n * n * row / fmax(1, (double)full->view.classes);
    }
    return work;
}

/* Adds up three passes for each epoch, forward and back, a step of every parameter, and
 * judging. */
double bn_time_train(const bonsai_graph *full, double share, bonsai_model_kind model,
                       const bonsai_train_options *o)
{
    enum { BACK = 3, STEP = 8, CALL = 100000 };         /* CALL: an epoch of nothing */
    double n = (double)full->view.nodes, m = (double)bonsai_graph_edges(full);
    double h = (double)o->hidden, c = (double)full->view.classes, inner = o->layers - 1;
    double first = inner > 0 ? h : c;
    double pass = stored_features(full) * first + m * (inner * h + c) + inner * n * h * c;
    double step = STEP * (double)full->view.features * first + CALL;
    double judged = share < 1 ? ceil(o->epochs / fmax(1, o->every)) : 0;
    return bn_layers[model]->cost * o->seeds *
           (o->epochs * (BACK * share * pass + step) + judged * pass);
}

/* ---- the meter ----------------------------------------------------------- */

/* Returns the parts done, less than all until the end.  Options that fail later may give any
 * effort. */
static int parts_done(const bn_meter *m, double share)
{
    double parts = PARTS * (m->done + share * m->now) / m->total;
    return parts > 0 && parts < PARTS ? (int)parts : parts >= PARTS ? PARTS - 1 : 0;
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

/* Returns the share of this part that is done.  If the number of its stages is not known,
 * each takes half of what is left. */
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
    const bonsai_progress now = {sizeof now, m->stage, (uint64_t)m->at, PARTS, NULL};
    return m->to.fn(&now, m->to.payload);
}
