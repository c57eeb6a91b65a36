/* needs.c -- what condensing needs in memory, from the shape of a graph alone; see needs.h.
 *
 * The terms follow the arrays of the stages.  What grows with the graph can spill; what is counted
 * as least cannot: room for threads and blocks, for what is as long as the trees on the rank that
 * covers, for the samples, for the small graph and its candidates.
 *
 * SPDX-License-Identifier: MIT */
#include "needs.h"

#include <math.h>

/* Of a thread: its stack, its blocks, and the buffer of 128 MB that OpenBLAS reserves for it.
 * FIT: rows that posteriors are fitted on;
 * KMEANS: rows that clusters are first found on. */
enum { MEGABYTE = 1 << 20, OF_PROGRAM = 48 * MEGABYTE, OF_THREAD = 160 * MEGABYTE,
       KNN_BLOCK = 2048, FIT = 20000, KMEANS = 8192, PER_TREE = 48, CANDIDATES = 8,
       LEAST_COLUMNS = 4, JUDGED = 5000 };

bool bn_needs_trees(const bn_needs *q)
{
    return q->o->method == BONSAI_METHOD_TREES || q->o->method == BONSAI_METHOD_AUTO;
}

bool bn_needs_prototypes(const bn_needs *q)
{
    return q->o->method == BONSAI_METHOD_PROTOTYPES || q->o->method == BONSAI_METHOD_AUTO;
}

int64_t bn_needs_sample(const bonsai_condense_options *o, int64_t trees)
{
    double z = o->sample < 0 ? (double)trees
               : o->sample > 0 ? (double)o->sample
               : ceil(log(2 / o->delta) * (2 + o->theta) / (o->theta * o->theta));
    return z < (double)trees ? (int64_t)z : trees;
}

double bn_needs_share(const bn_needs *q, int round)
{
    double n = fmax(1, (double)q->s.nodes), degree = (double)q->s.edges / n;
    double share = fmin(1, ((double)q->s.train + fmin(JUDGED, (double)q->s.val)) / n);
    for (int r = q->o->layers; r > round; r--)
        share = 1 - (1 - share) * exp(-degree * share);
    return share;
}

/* Bytes of the graph, roughly: for a budget that is a ratio. */
double bn_needs_graph(const bonsai_shape *s)
{
    double n = (double)s->nodes, features = s->nonzeros
               ? 4 * n + (double)s->nonzeros * (s->features <= 65536 ? 6 : 8)
               : n * (double)s->features * s->value_bytes;
    return 4 * n + (double)s->edges * (s->weighted ? 8 : 4) + features + 2 * n;
}

double bn_needs_budget(const bn_needs *q)
{
    const bonsai_condense_options *o = q->o;
    double full = bn_needs_graph(&q->s), row = full / fmax(1, (double)q->s.nodes);
    return o->ratio > 0 ? o->ratio * full : o->bytes > 0 ? (double)o->bytes
           : (double)(o->nodes > 0 ? o->nodes : o->trees) * row;
}

double bn_needs_row(const bonsai_shape *s, int layers)
{
    double mean = (double)s->nonzeros / fmax(1, (double)s->nodes), f = (double)s->features;
    double degree = (double)s->edges / fmax(1, (double)s->nodes);
    if (s->nonzeros == 0)
        return f;
    for (int i = 0; i < layers; i++)            /* words of neighbours, most of them new */
        mean = f * (1 - exp(-mean * (1 + degree) / f));
    return 16 * mean < f ? 2 * mean : f;        /* with their numbers, or dense: wl.c */
}

int64_t bn_needs_fixed(const bn_needs *q)
{
    const bonsai_shape *s = &q->s;
    double f = (double)s->features, n = (double)s->nodes, t = (double)s->train;
    double z = (double)bn_needs_sample(q->o, s->train), row = bn_needs_row(s, q->o->layers);
    double fit = fmin(FIT, t), wide = s->nonzeros ? fmin(f + 1, 1024) : f + 1;
    bool embeds = q->o->method != BONSAI_METHOD_RANDOM && q->o->method != BONSAI_METHOD_RANDOM_TREES &&
                  q->o->method != BONSAI_METHOD_DEGREE;
    double bytes = OF_PROGRAM + (embeds ? (double)q->threads * OF_THREAD : 0);
    bytes += n / 2 + PER_TREE * t;
    if (bn_needs_trees(q))
        bytes += 8 * fmin(z, 4096) * row + 8.0 * KNN_BLOCK * (f + KNN_BLOCK) +
                 8 * z * (5.0 * q->o->k + 128);
    if (bn_needs_prototypes(q))
        bytes += 4 * fit * row + 8 * (double)(1 + q->threads) * wide * wide +
                 8 * fmin(KMEANS, t) * row + 4 * JUDGED * row + CANDIDATES * bn_needs_budget(q);
    else
        bytes += 2 * bn_needs_budget(q);
    return bytes < 4e18 ? (int64_t)bytes : INT64_MAX / 2;
}

double bn_needs_halo(const bn_needs *q, int round)
{
    double n = fmax(1, (double)q->s.nodes), others = n - n / q->ranks;
    double entries = (double)q->s.edges / q->ranks * bn_needs_share(q, round);
    return others * (1 - exp(-entries / n));
}

/* Own rows and those of the halo, before and after a round; degrees; renumbered neighbours. */
int64_t bn_needs_panels(const bn_needs *q, int columns)
{
    double rows = (double)q->s.nodes / q->ranks, halo = bn_needs_halo(q, 1);
    double near = q->ranks > 1 ? 4 * (double)q->s.edges / q->ranks * bn_needs_share(q, 1) : 0;
    double bytes = 8 * (rows + halo) * columns + 5 * rows + near;
    return bytes < 4e18 ? (int64_t)bytes : INT64_MAX / 2;
}

int64_t bn_needs_least(const bn_needs *q)
{
    const bool embeds = bn_needs_trees(q) || bn_needs_prototypes(q);
    return bn_needs_fixed(q) + (embeds ? bn_needs_panels(q, LEAST_COLUMNS) : 0);
}

int64_t bn_needs_large(const bn_needs *q, int columns)
{
    double t = (double)q->s.train / q->ranks, x = 4 * t * bn_needs_row(&q->s, q->o->layers);
    double panels = (double)bn_needs_panels(q, columns), most = x + panels;
    if (bn_needs_prototypes(q))         /* posteriors, clusters, their members */
        most = fmax(most, x + t * (4 * (double)q->s.classes + 60));
    return most < 4e18 ? (int64_t)most : INT64_MAX / 2;
}
