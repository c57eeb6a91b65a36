/* needs.c -- estimates the memory of condensing from the shape of a graph alone; see needs.h.
 *
 * The terms follow the arrays of the stages.  Arrays that grow with the graph can spill.  The least
 * counts those that cannot: room for threads and blocks, arrays over the trees on the rank that
 * covers, the samples, the small graph and its candidates.
 *
 * SPDX-License-Identifier: MIT */
#include "needs.h"

#include <math.h>

#include "methods.h"
#include "options/options.h"
#include "prototypes/basis.h"
#include "prototypes/randomlayer.h"
#include "prototypes/judge.h"
#include "prototypes/kmeans/kmeans.h"
#include "prototypes/sourcerows.h"

/* OF_PROGRAM: code, libraries, and what is small; RESERVED: its address space beyond that;
 * PER_TREE: bytes of a training node on the rank that covers; HELD_SAMPLES: rows of samples that
 * are in memory at once; CANDIDATES: small graphs that are in memory beside each other. */
enum { MEGABYTE = 1 << 20, OF_PROGRAM = 16 * MEGABYTE, RESERVED = 32 * MEGABYTE,
       PER_TREE = 48, HELD_SAMPLES = 4096, CANDIDATES = 8 };

/* ---- shapes ---- */

static int bytes_of(const bonsai_graph *g)
{
    bonsai_type t = g->view.section[BONSAI_SECTION_FEATURES].type;
    return t == BONSAI_TYPE_NONE ? 4 : (int)bonsai_type_bytes(t);
}

/* Splits the labelled nodes, which s->train has, as condensing does. */
static void share_out(bonsai_shape *s, const bonsai_graph *g)
{
    const int64_t labelled = s->train;
    double percent[3];
    bn_usual_split(percent, g);
    s->train = bn_split_end(labelled, percent[0]);
    s->val = bn_split_end(labelled, percent[0] + percent[1]) - s->train;
}

bonsai_status bonsai_graph_shape(bonsai_shape *out, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_shape s;
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    const bonsai_view *v = &g->view;
    bonsai_shape_init(&s);
    BN_TRY(bn_result_check(out, "bonsai_shape"));
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_SECTION_LABELS) | BN_BIT(BONSAI_SECTION_SPLIT), 0));
    s.nodes = v->nodes;
    s.edges = v->section[BONSAI_SECTION_NEIGHBORS].count;
    s.features = v->features;
    s.classes = v->classes;
    s.nonzeros = v->section[BONSAI_SECTION_FEATURE_INDICES].count;
    s.value_bytes = bytes_of(g);
    s.weighted = bn_has(g, BONSAI_SECTION_EDGE_WEIGHTS);
    for (int i = 0; i < BONSAI_SECTION_COUNT; i++)
        if (bn_has(g, i))
            s.bytes += v->section[i].count * (int64_t)bonsai_type_bytes(v->section[i].type);
    for (int64_t i = 0; i < v->nodes && bn_has(g, BONSAI_SECTION_LABELS); i++) {
        bool labelled = bn_label(g, i) >= 0, split = bn_has(g, BONSAI_SECTION_SPLIT);
        s.train += labelled && (!split || bn_part(g, i) == BONSAI_PART_TRAIN);
        s.val += labelled && split && bn_part(g, i) == BONSAI_PART_VAL;
    }
    if (!bn_has(g, BONSAI_SECTION_SPLIT))
        share_out(&s, g);
    bn_result_fill(out, &s);
done:
    return rc;
}

/* ---- work ---- */

int64_t bn_needs_whole(double bytes)
{
    return bytes < 2e18 ? (int64_t)bytes : INT64_MAX / 4;
}

double bn_needs_reach(const bonsai_shape *s, double share, int rounds)
{
    const double degree = (double)s->edges / fmax(1, (double)s->nodes);
    for (int r = 0; r < rounds; r++)
        share = 1 - (1 - share) * exp(-degree * share);
    return share;
}

double bn_needs_share(const bn_needs *q, int round)
{
    const double judged = q->needs & BN_NEEDS_JUDGE ? fmin(BN_MOST_JUDGED, (double)q->s.val) : 0;
    const double share = fmin(1, ((double)q->s.train + judged) / fmax(1, (double)q->s.nodes));
    return bn_needs_reach(&q->s, share, q->o->layers - round);
}

/* Returns the bytes of the graph, roughly: for a budget that is a ratio. */
double bn_needs_graph(const bonsai_shape *s)
{
    if (s->bytes > 0)
        return (double)s->bytes;
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

double bn_needs_entries(const bonsai_shape *s, int layers)
{
    double mean = (double)s->nonzeros / fmax(1, (double)s->nodes), f = (double)s->features;
    double degree = (double)s->edges / fmax(1, (double)s->nodes);
    for (int i = 0; i < layers && s->nonzeros; i++)     /* words of neighbours, most of them new */
        mean = f * (1 - exp(-mean * (1 + degree) / f));
    return s->nonzeros ? mean : f;
}

/* Returns the mean entries of a row after `rounds` rounds, each row weighted by its neighbours. */
static double entries_met(const bn_needs *q, int rounds)
{
    const double usual = 2, skew = q->skew > 0 ? q->skew : usual, f = (double)q->s.features;
    return rounds == 0 ? bn_needs_entries(&q->s, 0)
                       : f * (1 - pow(1 - bn_needs_entries(&q->s, rounds) / f, skew));
}

bool bn_needs_sparse(const bn_needs *q, int rounds, int round)
{
    bool sparse = q->s.nonzeros > 0;
    for (int done = 0; done < round; done++) {          /* as wl.c decides */
        const double share = done + 1 == rounds ? BN_SPARSE_SHARE / 2 : BN_SPARSE_SHARE;
        sparse = sparse && share * entries_met(q, done) <= (double)q->s.features;
    }
    return sparse;
}

double bn_needs_sent(const bn_needs *q, int rounds, int round)
{
    return bn_needs_sparse(q, rounds, round) ? 4 + 8 * bn_needs_entries(&q->s, round - 1)
                                             : 4 * (double)q->s.features;
}

double bn_needs_row(const bonsai_shape *s, int layers)
{
    const double mean = bn_needs_entries(s, layers), f = (double)s->features;
    return BN_SPARSE_SHARE * mean < f ? 2 * mean : f;   /* with their numbers, or dense */
}

double bn_needs_views(const bn_needs *q)
{
    double sum = 0, f = (double)q->s.features;
    for (int i = 0; i < 2 && (q->needs & BN_NEEDS_JUDGE); i++) {
        const double mean = bn_needs_entries(&q->s, i);
        sum += bn_is_full((int64_t)mean, (int64_t)f) ? f : 2 * mean;
    }
    return sum;
}

double bn_needs_judged(const bn_needs *q)
{
    const bool apart = q->o->no_validation || q->o->inductive || q->s.val == 0;
    const double rows = apart ? (double)(q->s.train / 5) : (double)q->s.val;
    return q->needs & BN_NEEDS_JUDGE ? fmin(BN_MOST_JUDGED, rows) : 0;
}

double bn_needs_wide(const bn_needs *q)
{
    const bool widens = (q->needs & BN_NEEDS_CLUSTERS) &&
                        bn_few_labels(q->o, q->s.train, q->s.nodes);
    return widens ? fmin(BN_MOST_UNLABELLED, (double)(q->s.nodes - q->s.train)) : 0;
}

double bn_needs_clusters(const bn_needs *q)
{
    const double row = fmin((double)q->s.features, 4 * bn_needs_entries(&q->s, 0));
    const double fit = bn_needs_budget(q) / (row + (double)q->s.classes + 10);
    return fmax((double)q->s.classes, fmin(fit, (double)q->s.train + bn_needs_wide(q)));
}

/* Returns the bytes of the neighbour search. */
static double searching(const bn_needs *q, double row)
{
    const double z = (double)bn_sample_size(q->o, q->s.train), f = (double)q->s.features;
    const double block = fmin(BN_KNN_BLOCK, (double)q->s.train);
    return q->needs & BN_COMPARES
           ? 8 * fmin(z, HELD_SAMPLES) * row + 4 * block * (2 * f + block) +
             8 * z * (double)(bn_knn_room(q->o->k) + q->o->k) : 0;
}

/* Returns the columns of the wider view. */
static double probed_columns(const bn_needs *q)
{
    return fmax(2 * (double)q->s.features, BN_RANDOM_COLUMNS) + 1;
}

/* Returns the bytes of a fit of the probe: rows of nodes, and a system with its factor for some. */
static double fitting(const bn_needs *q, double nodes, double fitted, double row)
{
    const double near = bn_needs_views(q), m = fmin(fitted, probed_columns(q));
    return 4 * nodes * (2 * near + row + BN_RANDOM_COLUMNS) + 12 * fitted * near + 16 * m * m;
}

/* Returns the bytes of probing the full graph, or the largest candidates. */
static double probing(const bn_needs *q, double row)
{
    const double n = fmin(BN_MOST_FITTED, (double)q->s.train);
    const double most = (double)q->s.train + bn_needs_wide(q);
    const double made = q->needs & BN_NEEDS_CLUSTERS ? fmin(2 * bn_needs_clusters(q), most) : 0;
    double fitted = 0;
    if (!(q->needs & BN_NEEDS_JUDGE))
        return 0;
    bn_probe_products_once(&fitted, n, probed_columns(q), bn_needs_views(q) + 1);
    return fmax(fitting(q, n, fitted, row), fitting(q, made, fmin(made, BN_MOST_POINTS), row));
}

/* Returns the bytes of clusters and of the classifier that gives their rows soft labels. */
static double clustering(const bn_needs *q, double row)
{
    const double f = (double)q->s.features, t = (double)q->s.train, fit = fmin(BN_FIT_ROWS, t);
    const double wide = fmin(fit, q->s.nonzeros ? fmin(f + 1, BN_FIT_DIRECT) : f + 1);
    return q->needs & BN_NEEDS_CLUSTERS
           ? 4 * fit * row + 8 * (double)(1 + q->threads) * wide * wide +
             8 * fmin(BN_KMEANS_SAMPLE, t) * row : 0;
}

/* Returns the bytes of bases and their rows: the classifiers' rows, laid out for products both
 * ways; all rows in the coordinates of two bases; the judged rows in these. */
static double molding(const bn_needs *q, double row)
{
    const double f = (double)q->s.features, c = (double)q->s.classes, t = (double)q->s.train;
    const double fit = fmin(BN_FIT_ROWS, t), r = fmin(2 * c, f) + 1, judged = bn_needs_judged(q);
    if (!(q->needs & BN_NEEDS_CLUSTERS) || c > BN_BASIS_CLASSES)
        return 0;
    return 4 * fit * (bn_needs_row(&q->s, 0) + 4 * row) + 4 * (f + 1) * (8 * fmax(c, 16) + 4 * r) +
           2 * 4 * (4 * t * r + judged * (3 * r + 2 * BN_RANDOM_COLUMNS));
}

/* Takes the largest stage, since stages follow each other, and adds the judged rows, which stay. */
int64_t bn_needs_fixed(const bn_needs *q)
{
    const bonsai_shape *s = &q->s;
    const double n = (double)s->nodes, t = (double)s->train, row = bn_needs_row(s, q->o->layers);
    const bool embeds = q->needs & (BN_EMBEDS | BN_REDOES);
    double bytes = OF_PROGRAM + (embeds ? (double)q->threads * BN_THREAD_HELD : 0);
    bytes += n / 2 + PER_TREE * t;
    bytes += 4 * bn_needs_judged(q) * (row + 2 * bn_needs_views(q) + 2 * BN_RANDOM_COLUMNS);
    bytes += fmax(fmax(searching(q, row), probing(q, row)), clustering(q, row) + molding(q, row));
    bytes += (q->needs & BN_NEEDS_CLUSTERS ? CANDIDATES : 2) * bn_needs_budget(q);
    if (q->needs & (BN_LEARNS | BN_REDOES))
        bytes += bn_method_of(q->o->method)->bytes(q);
    return bn_needs_whole(bytes);
}

int64_t bn_needs_reserved(const bn_needs *q)
{
    const bool embeds = q->needs & (BN_EMBEDS | BN_REDOES);
    return RESERVED + (embeds ? q->threads * (BN_THREAD_BYTES - BN_THREAD_HELD) : 0);
}

double bn_needs_halo_of(const bn_needs *q, double share)
{
    const double n = fmax(1, (double)q->s.nodes), others = n - n / q->ranks;
    return others * (1 - exp(-(double)q->s.edges / q->ranks * share / n));
}

double bn_needs_halo(const bn_needs *q, int round)
{
    return bn_needs_halo_of(q, bn_needs_share(q, round));
}

/* Counts own rows and those of the halo, before and after a round; degrees; renumbered
 * neighbours. */
int64_t bn_needs_panels(const bn_needs *q, int columns)
{
    double rows = (double)q->s.nodes / q->ranks, halo = bn_needs_halo(q, 1);
    double near = q->ranks > 1 ? 4 * (double)q->s.edges / q->ranks * bn_needs_share(q, 1) : 0;
    double bytes = 8 * (rows + halo) * columns + 5 * rows + near;
    return bn_needs_whole(bytes);
}

/* Returns the least with a number of threads. */
static int64_t least_with(const bn_needs *q, int threads)
{
    bn_needs with = *q;
    const bool panels = q->needs & (BN_COMPARES | BN_NEEDS_JUDGE);
    with.threads = threads;
    return bn_needs_fixed(&with) + (panels ? bn_needs_panels(&with, BN_PANEL_LEAST) : 0);
}

int64_t bn_needs_least(const bn_needs *q)
{
    return least_with(q, q->fewer ? 1 : q->threads);
}

void bn_needs_fit(bn_needs *q, int64_t memory, int64_t room)
{
    while (q->fewer && q->threads > 1) {
        const int64_t least = least_with(q, q->threads);
        if (least <= memory && least + bn_needs_reserved(q) <= room)
            return;
        q->threads--;
    }
}

int64_t bn_needs_program(void)
{
    enum { USUAL = 8 * MEGABYTE, STEP = 32 * MEGABYTE };
    const int64_t here = bn_memory_private();
    return here <= USUAL ? USUAL : (here / STEP + 1) * STEP;
}

int64_t bn_needs_reported(const bn_needs *q, int64_t program)
{
    return ((bn_needs_least(q) + program) / MEGABYTE + 2) * MEGABYTE;
}

int bn_needs_columns(const bn_needs *q)
{
    const double rows = (double)q->s.nodes / q->ranks + bn_needs_halo(q, 1);
    return bn_panel_usual((int64_t)rows, q->s.features);
}

int64_t bn_needs_all(const bn_needs *q)
{
    const int64_t wide = bn_needs_columns(q), most = BN_PANEL_WIDEST / wide;
    const int64_t panels = bn_least(most, (q->s.features + wide - 1) / wide);
    return bn_needs_large(q, (int)(wide * (panels + 1) / 2));
}

/* Returns the bytes of rows of unlabelled nodes, which prototypes use where labels are few. */
static double widened(const bn_needs *q)
{
    const double t = (double)q->s.train, wide = bn_needs_wide(q);
    const int layers = q->o->layers;
    if (wide == 0)
        return 0;
    return 4 * (t + wide) / q->ranks *
           (bn_needs_views(q) + bn_needs_row(&q->s, layers) + bn_needs_row(&q->s, 2 * layers) +
            4 * (double)q->s.classes);
}

/* Returns the bytes of the rows of the round before the last, which are sparse if features are. */
static double before_last(const bn_needs *q)
{
    const int round = q->o->layers - 1;
    if (q->s.nonzeros == 0 || round < 0)
        return 0;
    return 8 * (double)q->s.nodes / q->ranks * bn_needs_share(q, round) *
           bn_needs_entries(&q->s, round);
}

int64_t bn_needs_large(const bn_needs *q, int columns)
{
    const double t = (double)q->s.train / q->ranks;
    const bool embeds = q->needs & (BN_EMBEDS | BN_REDOES);
    const double x = embeds ? 4 * t * (bn_needs_row(&q->s, q->o->layers) + bn_needs_views(q)) : 0;
    double after = widened(q);
    if (q->needs & BN_NEEDS_CLUSTERS)   /* posteriors, clusters, their members */
        after += t * (4 * (double)q->s.classes + 60);
    const double making = (double)bn_needs_panels(q, columns) + before_last(q);
    return bn_needs_whole(x + fmax(embeds ? making : 0, after));
}
