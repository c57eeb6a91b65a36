/* plan.c -- what condensing would take: time, memory of each rank, bytes on the wire.
 *
 * Work follows from the shape: rows added up for the embedding, products of the neighbour search,
 * rows met by the clusters.  A rate per stage turns it into seconds; doc/scale.md compares
 * these with measured ones.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "condense/methods.h"
#include "condense/needs.h"
#include "options/options.h"
#include "prototypes/randomlayer.h"
#include "prototypes/judge.h"

static const double makes = 4;          /* times that rows of clusters are sent */
static const double sums = 60;          /* of the means of a cluster, in all rounds */
static const double chance = 0.5;       /* that auto has to look for neighbours */

typedef struct {
    bn_needs q;
    const bonsai_plan_options *o;
    bonsai_plan *p;
    double flops, bytes;        /* a second, of a rank */
    double found;               /* rows of others over those that were estimated */
} planning;

/* No file system holds a file of more bytes. */
static const double most_bytes = 1e18;

static bonsai_status check_shape(const bonsai_shape *s, const bonsai_plan_options *o)
{
    bonsai_shape counted = *s;
    counted.bytes = 0;                  /* not as told, but by the numbers that all else rests on */
    if (s->nodes < 1 || s->nodes > INT32_MAX || s->edges < 0 || s->features < 1 ||
        s->features > INT32_MAX || s->classes < 1 || s->classes > INT32_MAX || s->nonzeros < 0 ||
        s->train < 1 || s->train > s->nodes || s->val < 0 || s->value_bytes < 1)
        return bn_fail(BONSAI_E_ARGUMENT, "a graph of %lld nodes, %lld edges, %lld features, %lld "
                       "classes and %lld training nodes cannot be condensed", (long long)s->nodes,
                       (long long)s->edges, (long long)s->features, (long long)s->classes,
                       (long long)s->train);
    if (bn_needs_graph(&counted) > most_bytes)
        return bn_fail(BONSAI_E_ARGUMENT, "a graph of %lld nodes, %lld edges and %lld features has "
                       "%.1e bytes, more than any file holds", (long long)s->nodes,
                       (long long)s->edges, (long long)s->features, bn_needs_graph(&counted));
    if (o->ranks < 1 || (int64_t)o->ranks > s->nodes)
        return bn_fail(BONSAI_E_ARGUMENT, "ranks is %d; it must be in 1..%lld, a node for each at "
                       "least", o->ranks, (long long)s->nodes);
    return BONSAI_OK;
}

/* ---- bytes ---- */

/* Returns the rows of other ranks that a rank needs on average: an estimate for nodes in random
 * order, scaled by the count for all nodes if there is one. */
static double halo_of(const planning *x, double share)
{
    return x->found * bn_needs_halo_of(&x->q, share);
}

/* Returns how much longer the lists of neighbours' neighbours are than those of nodes. */
static double skew_of(const bonsai_graph *g)
{
    double sum = 0, squares = 0;
    for (int64_t v = 0; v < g->view.nodes; v++) {
        const double row = 1 + (double)(bn_row_begin(g, v + 1) - bn_row_begin(g, v));
        sum += row;
        squares += row * row;
    }
    return squares * (double)g->view.nodes / (sum * sum);
}

static bonsai_status find_halo(planning *x)
{
    bonsai_status rc = BONSAI_OK;
    int64_t *rows = NULL, most = 0, all = 0;
    const int ranks = x->q.ranks, rounds = x->q.o->layers;
    const double whole = bn_needs_halo_of(&x->q, 1);
    const double guess = rounds > 0 ? bn_needs_halo(&x->q, 1) : 0;
    x->found = 1;
    x->p->halo = (int64_t)guess;
    if (!x->o->look || ranks == 1 || !(whole > 0))
        goto done;
    BN_TRY(BN_NEW(&rows, ranks));
    BN_TRY(bn_halo_count(rows, x->o->look, ranks));
    for (int r = 0; r < ranks; r++) {
        most = rows[r] > most ? rows[r] : most;
        all += rows[r];
    }
    x->found = (double)all / ranks / whole;
    x->q.skew = skew_of(x->o->look);
    x->p->halo = (int64_t)((double)most * guess / whole);
    x->p->counted = 1;
done:
    bn_free(rows);
    return rc;
}

/* Returns the expected number of embeddings; auto may do without that of trees. */
static double embeddings(const planning *x)
{
    const double trees = x->q.needs & BN_TRIES_OTHERS ? chance : 1;
    return (x->q.needs & (BN_NEEDS_COVER | BN_NEEDS_WL) ? trees : 0) +
           !!(x->q.needs & BN_NEEDS_JUDGE);
}

/* Returns the bytes that a rank receives to embed a part of the nodes: rows before each round,
 * and their ids once. */
static double received(const planning *x, double share, int rounds)
{
    const bonsai_shape *s = &x->q.s;
    double bytes = rounds > 0 ? 4 * halo_of(x, bn_needs_reach(s, share, rounds - 1)) : 0;
    for (int round = 1; round <= rounds; round++)
        bytes += halo_of(x, bn_needs_reach(s, share, rounds - round)) *
                 bn_needs_sent(&x->q, rounds, round);
    return bytes;
}

/* Returns the bytes that all ranks receive to embed training and judged nodes, what is around
 * them and, if labels are few, other nodes, which are also embedded twice as far. */
static double wire_rows(const planning *x)
{
    const int rounds = x->q.o->layers;
    const double share = bn_needs_share(&x->q, rounds), wide = bn_needs_wide(&x->q);
    const double all = fmin(1, ((double)x->q.s.train + wide) / (double)x->q.s.nodes);
    double bytes = embeddings(x) * received(x, share, rounds);
    if (x->q.needs & BN_NEEDS_JUDGE)
        bytes += received(x, share, 1);
    if (wide > 0)
        bytes += received(x, all, 2 * rounds) + received(x, all, rounds) + received(x, all, 1);
    return x->q.ranks * bytes;
}

/* Returns the bytes of a row of the embedding, dense or sparse. */
static double row_bytes(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const int rounds = x->q.o->layers;
    const double entries = bn_needs_entries(s, rounds), f = (double)s->features;
    return bn_needs_sparse(&x->q, rounds, rounds) && !bn_is_full((int64_t)entries, (int64_t)f)
           ? 8 * entries : 4 * f;
}

/* Returns how many trees need a neighbour search: both samples, or all. */
static double sampled(const planning *x)
{
    const double t = (double)x->q.s.train, z = (double)bn_sample_size(x->q.o, x->q.s.train);
    return fmin(t, z + BN_CHECK_SAMPLE);
}

/* Returns how many nodes the budget holds, most of them without edges. */
static double picked(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const double n = (double)s->nodes, full = bn_needs_graph(s);
    const double edges = (double)s->edges * (n <= 65536 ? 2 : 4);
    return fmin((double)s->train,
                bn_needs_budget(&x->q) / fmax(1, fmax(full / 4, full - edges) / n));
}

/* Returns the bytes that clustering sends: rows that are fitted and judged, sums of means, rows
 * of small clusters. */
static double wire_clusters(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const double ranks = x->q.ranks, row = row_bytes(x), t = (double)s->train;
    const double gathered = fmin(BN_FIT_ROWS, t) + bn_needs_judged(&x->q);
    const double added = sums * pow(bn_needs_clusters(&x->q), 0.9);
    return (ranks - 1) * (gathered * row + added * 8 * (double)s->features) +
           (1 - 1 / ranks) * (makes * t + bn_needs_wide(&x->q)) * row;
}

static void plan_wire(planning *x)
{
    const double ranks = x->q.ranks, rows = wire_rows(x);
    double other = 0;
    if (x->q.needs & BN_COMPARES)
        other += (ranks - 1) * sampled(x) * (row_bytes(x) + 8 * ranks * x->q.o->k);
    if (x->q.needs & BN_NEEDS_CLUSTERS)
        other += wire_clusters(x);
    x->p->wire_rows = bn_needs_whole(ranks > 1 ? rows : 0);
    x->p->wire = bn_needs_whole(ranks > 1 ? rows + other : 0);
}

/* Returns the bytes of panels, 0 if the method needs no embedding. */
static int64_t panels_of(const bn_needs *q, int columns)
{
    return q->needs & (BN_EMBEDS | BN_REDOES) ? bn_needs_panels(q, columns) : 0;
}

/* Plans memory as the embedding does: panels with as many columns as fit, then a scratch file if
 * the rows do not fit. */
static void plan_memory(planning *x)
{
    bonsai_plan *p = x->p;
    bn_needs *q = &x->q;
    const int64_t program = bn_needs_program();
    int64_t panels, room, all = bn_needs_all(q), fixed = bn_needs_fixed(q) + program;
    p->least = bn_needs_reported(q, program);
    p->most = fixed + all > p->least ? fixed + all : p->least;
    p->columns = bn_needs_columns(q);
    room = x->o->memory > 0 ? x->o->memory - fixed : all;
    while ((panels = panels_of(q, p->columns)) > room && p->columns > BN_PANEL_LEAST)
        p->columns = p->columns > BN_PANEL_NARROW ? BN_PANEL_NARROW : p->columns / 2;
    p->scratch = all > room ? bn_needs_large(q, p->columns) - panels : 0;
    p->held = fixed + (p->scratch ? panels : all);
    p->held = p->held > p->least ? p->held : p->least;
    p->fits = x->o->memory <= 0 || x->o->memory >= p->least;
    if (!(q->needs & (BN_EMBEDS | BN_REDOES)) || bn_needs_sparse(q, q->o->layers, q->o->layers))
        p->columns = 0;
}

/* ---- seconds ---- */

/* The work of a thread in a second, by stage; a share is of the machine's matrix products or of
 * its memory's bytes. */
static const double start = 0.02;               /* seconds: of the program, with its libraries */
static const double embed_share = 0.45;         /* of bytes: rows that are added up */
static const double search_share = 1;        /* of products */
static const double pick_share = 2.3;           /* of bytes: rows that picks are compared with */
static const double cover_rate = 1e4;           /* nodes of the small graph */
static const double cluster_rate = 2.5e4;       /* rows */
static const double learn_share = 0.65, probe_share = 0.33;     /* of products */

/* Returns the bytes of the rows that are added up for a part of the nodes. */
static double added(const planning *x, double share, int rounds)
{
    const bonsai_shape *s = &x->q.s;
    double sum = 0;
    for (int round = 1; round <= rounds; round++)
        sum += ((double)s->nodes + (double)s->edges) / x->q.ranks *
               bn_needs_reach(s, share, rounds - round) *
               (bn_needs_sparse(&x->q, rounds, round) ? 8 * bn_needs_entries(s, round - 1)
                                                      : 4 * (double)s->features);
    return sum;
}

static double added_in_all(const planning *x)
{
    const int rounds = x->q.o->layers;
    const double share = bn_needs_share(&x->q, rounds), wide = bn_needs_wide(&x->q);
    const double all = fmin(1, ((double)x->q.s.train + wide) / (double)x->q.s.nodes);
    double sum = embeddings(x) * added(x, share, rounds);
    if (x->q.needs & BN_NEEDS_JUDGE)            /* what is around nodes */
        sum += added(x, share, 1);
    if (x->q.needs & BN_REDOES)
        sum += added(x, (double)x->q.s.train / (double)x->q.s.nodes, 1);
    if (wide > 0)
        sum += added(x, all, 2 * rounds) + added(x, all, rounds) + added(x, all, 1);
    return sum;
}

/* Returns the products of the neighbour search, each pair once. */
static double searched(const planning *x)
{
    const double t = (double)x->q.s.train, rows = x->q.needs & BN_REDOES ? t / 2 : sampled(x);
    return x->q.needs & BN_COMPARES ? rows * t / x->q.ranks * row_bytes(x) / 2 : 0;
}

/* Returns the seconds to choose nodes, by the cover or by comparing each pick with all training
 * nodes. */
static double cover_seconds(const planning *x)
{
    const double pairs = picked(x) * (double)x->q.s.train;
    const bool tries = x->q.needs & BN_TRIES_OTHERS;
    const bool compares = x->q.needs & BN_NEEDS_PAIRS ||
                          (tries && pairs * row_bytes(x) / 4 <= BN_MOST_PAIRS);
    double sum = compares ? pairs * row_bytes(x) / (pick_share * x->bytes) : 0;
    if (x->q.needs & BN_COMPARES)
        sum += picked(x) / cover_rate;
    return tries ? chance * sum : sum;
}

/* Returns the products of fitting the full graph once and some large candidates, which every rank
 * does. */
static double probed(const planning *x)
{
    const double full = fmin(BN_MOST_FITTED, (double)x->q.s.train);
    const double near = 1 + bn_needs_views(&x->q);
    const double wide[] = {2 * (double)x->q.s.features + 1, BN_RANDOM_COLUMNS + 1};
    const double length[] = {near, wide[1]}, large_tries = 8;
    double sum = 0, fitted;
    for (int view = 0; view < 2; view++) {
        sum += bn_probe_products_once(&fitted, full, wide[view], length[view]);
        if (x->q.needs & BN_NEEDS_CLUSTERS)
            sum += large_tries * bn_probe_products(bn_needs_clusters(&x->q), wide[view],
                                                   length[view]);
    }
    return 2 * sum;
}

static void plan_time(planning *x)
{
    bonsai_plan *p = x->p;
    p->seconds_read = start + (double)p->file / x->q.ranks / x->o->disk;
    p->seconds_wl = added_in_all(x) / (embed_share * x->bytes);
    p->seconds_knn = (x->q.needs & BN_TRIES_OTHERS ? chance : 1) * searched(x) /
                     (search_share * x->flops);
    p->seconds_cover = cover_seconds(x);
    if (x->q.needs & BN_NEEDS_CLUSTERS)
        p->seconds_cluster = ((double)x->q.s.train + bn_needs_wide(&x->q)) / x->q.ranks /
                             x->q.threads / cluster_rate;
    if (x->q.needs & BN_NEEDS_JUDGE)
        p->seconds_probe = probed(x) / (probe_share * x->flops);
    if (x->q.needs & BN_LEARNS)
        p->seconds_learn = bn_method_of(x->q.o->method)->operations(&x->q) /
                           (learn_share * x->flops);
    p->seconds_exchange = (double)p->wire / x->q.ranks / x->o->network;
    p->seconds_scratch = (double)p->scratch * (2 + 2 * makes) / x->o->disk;
    p->seconds_total = p->seconds_read + p->seconds_wl + p->seconds_knn + p->seconds_cover +
                       p->seconds_cluster + p->seconds_learn + p->seconds_probe +
                       p->seconds_exchange + p->seconds_scratch;
}

/* ---- the plan ---- */

bonsai_status bonsai_plan_make(bonsai_plan *out, const bonsai_shape *shape,
                               const bonsai_plan_options *given)
{
    bonsai_status rc;
    bonsai_plan_options o, usual;
    bonsai_condense_options c;
    bonsai_shape none, s;
    bonsai_plan p;
    planning x = {.o = &o, .p = &p};
    if (bn_is_null(shape, "the shape"))
        return BONSAI_E_ARGUMENT;
    bonsai_plan_init(&p);
    bonsai_plan_options_init(&usual);
    bonsai_shape_init(&none);
    BN_TRY(bn_result_check(out, "bonsai_plan"));
    BN_TRY(bn_options_merge(&s, &none, sizeof s, shape, "bonsai_shape"));
    BN_TRY(BN_OPTIONS(&o, given, plan));
    BN_TRY(BN_OPTIONS(&c, o.condense, condense));
    if (c.ratio <= 0 && c.bytes <= 0 && c.nodes <= 0 && c.trees <= 0)
        c.ratio = 0.001;
    BN_TRY(bn_method_check(&c));
    BN_TRY(check_shape(&s, &o));
    if (o.ranks > 1)
        BN_TRY(bn_method_on_ranks(c.method));
    x.q = (bn_needs){.s = s, .o = &c, .needs = bn_method_of(c.method)->needs, .ranks = o.ranks,
                     .threads = bn_threads(o.threads), .fewer = o.threads == 0};
    if (o.memory > 0)
        bn_needs_fit(&x.q, o.memory - bn_needs_program(), INT64_MAX);
    x.flops = 1e9 * (o.gflops > 0 ? o.gflops : usual.gflops) * x.q.threads;
    x.bytes = 1e9 * (o.gigabytes > 0 ? o.gigabytes : usual.gigabytes) * x.q.threads;
    o.disk = o.disk > 0 ? o.disk : usual.disk;
    o.network = o.network > 0 ? o.network : usual.network;
    p.ranks = o.ranks;
    p.threads = x.q.threads;
    p.file = bn_needs_whole(bn_needs_graph(&s));
    BN_TRY(find_halo(&x));
    plan_memory(&x);
    plan_wire(&x);
    plan_time(&x);
    bn_result_fill(out, &p);
done:
    return rc;
}
