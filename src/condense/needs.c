/* needs.c -- what condensing needs in memory, from the shape of a graph alone; see needs.h.
 *
 * The terms follow the arrays of the stages.  What grows with the graph can spill; what is counted
 * as least cannot: room for threads and blocks, for what is as long as the trees on the rank that
 * covers, for the samples, for the small graph and its candidates.
 *
 * SPDX-License-Identifier: MIT */
#include "needs.h"

#include <math.h>

#include "methods.h"
#include "prototypes/hidden.h"
#include "prototypes/judge.h"
#include "prototypes/kmeans/kmeans.h"

/* PER_TREE: bytes of a training node on the rank that covers; HELD_SAMPLES: rows of samples that
 * are in memory at once; CANDIDATES: small graphs that are in memory beside each other. */
enum { MEGABYTE = 1 << 20, OF_PROGRAM = 48 * MEGABYTE,
       PER_TREE = 48, HELD_SAMPLES = 4096, CANDIDATES = 8 };

int64_t bn_needs_whole(double bytes)
{
    return bytes < 2e18 ? (int64_t)bytes : INT64_MAX / 4;
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
    double share = fmin(1, ((double)q->s.train + fmin(BN_MOST_JUDGED, (double)q->s.val)) / n);
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
    return BN_SPARSE_SHARE * mean < f ? 2 * mean : f;   /* with their numbers, or dense */
}

/* What any two nodes take that are learned. */
static double pair_bytes(const bn_needs *q)
{
    const bn_method *m = bn_method_of(q->o->method);
    return m && m->learner ? m->learner->pair : 0;
}

bn_labour bn_needs_labour(const bn_needs *q)
{
    const bonsai_shape *s = &q->s;
    const double f = (double)s->features, fit = bn_needs_budget(q) / (f + 8);
    const double asked = q->o->nodes > 0 ? (double)q->o->nodes
                         : q->o->trees > 0 ? (double)q->o->trees : fmax(1, fit);
    const double row = bn_needs_row(s, 1);
    const double pair = pair_bytes(q), most = pair > 0 ? BN_MOST_PAIRED : INFINITY;
    return (bn_labour){.nodes = fmin(fmin((double)s->train, asked), most), .pair = pair,
                       .full = (double)s->nodes, .train = (double)s->train, .features = f,
                       .classes = (double)s->classes,
                       .degree = (double)s->edges / fmax(1, (double)s->nodes),
                       .row = row < f ? row / 2 : f};
}

/* Bytes. */
static double learning(const bn_needs *q)
{
    const bn_labour w = bn_needs_labour(q);
    return bn_labour_bytes(&w);
}

/* Numbers in the other views of a node: its own row, and what is around it. */
static double views(const bn_needs *q)
{
    return q->needs & BN_NEEDS_JUDGE ? bn_needs_row(&q->s, 0) + bn_needs_row(&q->s, 1) : 0;
}

int64_t bn_needs_fixed(const bn_needs *q)
{
    const bonsai_shape *s = &q->s;
    double f = (double)s->features, n = (double)s->nodes, t = (double)s->train;
    double z = (double)bn_needs_sample(q->o, s->train), row = bn_needs_row(s, q->o->layers);
    double fit = fmin(BN_FIT_ROWS, t), wide = s->nonzeros ? fmin(f + 1, BN_FIT_DIRECT) : f + 1;
    const bool embeds = q->needs & (BN_EMBEDS | BN_REDOES);
    double bytes = OF_PROGRAM + (embeds ? (double)q->threads * BN_THREAD_BYTES : 0);
    bytes += n / 2 + PER_TREE * t;
    if (q->needs & BN_COMPARES)
        bytes += 8 * fmin(z, HELD_SAMPLES) * row + 8.0 * BN_KNN_BLOCK * (f + BN_KNN_BLOCK) +
                 8 * z * (double)(bn_knn_room(q->o->k) + q->o->k);
    if (q->needs & BN_NEEDS_CLUSTERS)
        bytes += 4 * fit * row + 8 * (double)(1 + q->threads) * wide * wide +
                 8 * fmin(BN_KMEANS_SAMPLE, t) * row +
                 4 * BN_MOST_JUDGED * (row + 2 * views(q) + BN_HIDDEN_WIDE) +
                 CANDIDATES * bn_needs_budget(q);
    else
        bytes += 2 * bn_needs_budget(q);
    if (q->needs & BN_LEARNS)
        bytes += learning(q);
    if (q->needs & BN_REDOES)           /* features divided, columns of the tree, edges taken */
        bytes += 8 * n * bn_needs_row(s, 0) + 12 * t * row + (double)s->edges;
    return bn_needs_whole(bytes);
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
    return bn_needs_whole(bytes);
}

int64_t bn_needs_least(const bn_needs *q)
{
    const bool panels = q->needs & (BN_COMPARES | BN_NEEDS_JUDGE);
    return bn_needs_fixed(q) + (panels ? bn_needs_panels(q, BN_PANEL_LEAST) : 0);
}

int64_t bn_needs_program(void)
{
    enum { USUAL = 8 * MEGABYTE, STEP = 32 * MEGABYTE };
    const int64_t here = bn_memory_private();
    return here <= USUAL ? USUAL : (here / STEP + 1) * STEP;
}

int64_t bn_needs_told(const bn_needs *q, int64_t program)
{
    return ((bn_needs_least(q) + program) / MEGABYTE + 2) * MEGABYTE;
}

int64_t bn_needs_large(const bn_needs *q, int columns)
{
    double t = (double)q->s.train / q->ranks;
    double x = 4 * t * (bn_needs_row(&q->s, q->o->layers) + views(q));
    double panels = (double)bn_needs_panels(q, columns), most = x + panels;
    if (q->needs & BN_NEEDS_CLUSTERS)   /* posteriors, clusters, their members */
        most = fmax(most, x + t * (4 * (double)q->s.classes + 60));
    return bn_needs_whole(most);
}
