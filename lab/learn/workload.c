/* workload.c -- estimates the floating-point operations of a method that learns at effort 1.
 *
 * The terms are those of the rounds with the settings of Cora, whose factors were measured on Cora
 * and PubMed: a plan should tell minutes from hours, not seconds from seconds.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "learn.h"

static const double students = 128, experts = 256;      /* hidden columns */
static const double batch = 256;        /* rows of a class that gradients are made of */
static const double few = 3e7;          /* that a round takes even of a handful of nodes */

/* Returns the training nodes in the batches of all classes. */
static double seen(const bn_workload *w)
{
    return fmin(w->train, batch * w->classes);
}

static double around(const bn_workload *w, double nodes)
{
    return fmin(w->full, nodes * (1 + w->degree));
}

/* Returns the operations of the network of edges, forward and back, and of the hops. */
static double edges(const bn_workload *w)
{
    const double n = w->nodes, f = w->features, h = students;
    return few + 3 * (4 * n * f * h + 2 * n * n * h * h) + 12 * n * n * f;
}

static double gradients(const bn_workload *w, double inner)
{
    return few + (8 * seen(w) + 6 * inner * w->nodes) * w->features * w->classes;
}

double bn_work_gcond(const bn_workload *w)
{
    return 12000 * (edges(w) + gradients(w, 15));
}

double bn_work_gcond_x(const bn_workload *w)
{
    return 12000 * 1.5 * gradients(w, 15);
}

double bn_work_doscond(const bn_workload *w)
{
    return 5000 * (edges(w) + 8 * around(w, seen(w)) * w->features * students);
}

double bn_work_sgdd(const bn_workload *w)
{
    return 12000 * (2 * edges(w) + gradients(w, 15));
}

double bn_work_gc_sntk(const bn_workload *w)
{
    return 200 * w->train * w->nodes * (5 * w->features + 2e4);
}

double bn_work_gdem(const bn_workload *w)
{
    const double n = w->nodes, pairs = fmin(n, 140), h = experts, f = w->features;
    const double spectrum = 40 * w->full * pairs * (pairs + 10 * w->degree);
    return spectrum + 1500 * (few + 6 * n * pairs * f) + 200 * 4 * n * f * h +
           100 * 2.5 * w->train * f * h;
}

double bn_work_gcsr(const bn_workload *w)
{
    const double fh = w->features * experts;
    return 7000 * (3 * few + 12 * w->nodes * fh) + 100 * 62 * 1.5 * w->train * fh;
}

/* Returns the operations of rounds of `steps` steps and experts of `epochs` epochs. */
static double follow(const bn_workload *w, double steps, double epochs)
{
    const double n = w->nodes, h = experts;
    return steps * 6 * n * n * h + 200 * epochs * 6 * around(w, w->train) * w->row * h;
}

double bn_work_sfgc(const bn_workload *w)
{
    return follow(w, 2000 * 500, 2500);
}

double bn_work_geom(const bn_workload *w)
{
    return follow(w, 200 * 2500, 3000);
}

/* ---- of a plan ---- */

static const bn_learner *learner_of(const bn_needs *q)
{
    return bn_method_of(q->o->method)->how;
}

static bn_workload workload_of(const bn_needs *q)
{
    const bonsai_shape *s = &q->s;
    const double f = (double)s->features, fit = bn_needs_budget(q) / (f + 8);
    const double asked = q->o->nodes > 0 ? (double)q->o->nodes
                         : q->o->trees > 0 ? (double)q->o->trees : fmax(1, fit);
    const double row = bn_needs_row(s, 1);
    const double pair = learner_of(q)->pair, most = pair > 0 ? BN_MOST_PAIRED : INFINITY;
    return (bn_workload){.nodes = fmin(fmin((double)s->train, asked), most), .pair = pair,
                       .full = (double)s->nodes, .train = (double)s->train, .features = f,
                       .classes = (double)s->classes,
                       .degree = (double)s->edges / fmax(1, (double)s->nodes),
                       .row = row < f ? row / 2 : f};
}

double bn_learn_operations(const bn_needs *q)
{
    const bn_workload w = workload_of(q);
    return q->o->effort * learner_of(q)->work(&w);
}

/* Returns the bytes without cached experts. */
double bn_learn_bytes(const bn_needs *q)
{
    const bn_workload w = workload_of(q);
    const double n = w.nodes, f = w.features, panel = 1 << 26;
    return 4 * (1.5 * w.train * f + 2 * fmin(panel, w.full * f) + 8 * n * f +
                6 * fmin(panel, n * n * experts)) + w.pair * n * n;
}
