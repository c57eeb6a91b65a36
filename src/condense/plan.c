/* plan.c -- what condensing would take: time, memory of each rank, bytes on the wire.
 *
 * Work follows from the shape: entries gathered for the embedding, products of the neighbour
 * search, rows met by the clusters.  What a unit of it costs was measured on graphs of 0.3 to 2
 * million nodes (doc/scale.md); machines differ in how many products and bytes a second their
 * threads do.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "methods.h"
#include "needs.h"
#include "options/options.h"
#include "prototypes/hidden.h"
#include "prototypes/judge.h"

/* What a stage reaches of a thread's products and of the memory's rate, and seconds of one thread. */
static const double start = 0.02;               /* of the program, with its libraries */
static const double checks = 3;                 /* passes over the file: checksum, sizes, ranges */
static const double gather_share = 0.45;        /* of memory's rate, for rows at random, ... */
static const double spread_share = 0.17;        /* ... and where they begin as sparse ones */
static const double merge = 1e-8;               /* an entry of a row that stays sparse */
static const double redo_dense = 1.8e-8, redo_sparse = 2e-7;    /* the same in the published way */
static const double pair = 7e-10;               /* to look at a product */
static const double sparse_times = 2;           /* as long as dense ones, by their numbers */
static const double apart = 2e-8;               /* to compare two rows, beside reading them: ... */
static const double in_order = 2.5, in_class = 0.6;     /* ... all in their order, or of a class */
static const double cluster = 2.4e-6;           /* a row, for each that the root of clusters has */
static const double most_parted = 4000;         /* clusters from which more hardly take longer */
static const double many_rows = 1e5, many_times = 4;    /* the search then takes larger steps */
static const double makes = 4;                  /* times that rows of clusters are sent */
static const double sums = 60;                  /* of the means of a cluster, in all rounds */
static const double learn_share = 0.65;         /* of a thread's products, in small matrices */
static const double probe_share = 0.33;         /* ... in double precision, in a fixed order */
static const double large_tries = 6, tries = 36;        /* candidates near the budget, and in all */
static const double cover_tree = 1.3e-6;        /* a tree, and ... */
static const double cover_node = 1e-4;          /* ... a node of the small graph, with rounds */
static const double chance = 0.5;               /* that auto has to look for neighbours */

typedef struct {
    bn_needs q;
    const bonsai_plan_options *o;
    bonsai_plan *p;
    double flops, bytes;        /* a second, of a rank */
    double found;               /* rows of others over those that were estimated */
} planning;

/* ---- shapes ---- */

static int bytes_of(const bonsai_graph *g)
{
    bonsai_type t = g->view.section[BONSAI_SECTION_FEATURES].type;
    return t == BONSAI_TYPE_NONE ? 4 : (int)bonsai_type_bytes(t);
}

/* As condensing draws its split: s->train has all labelled nodes. */
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

/* Rows of others that a rank needs, on average: estimated for nodes in random order, or as many of
 * those that were counted for all nodes. */
static double halo_of(const planning *x, double share)
{
    return x->found * bn_needs_halo_of(&x->q, share);
}

/* How much longer the lists of neighbours' neighbours are than those of nodes. */
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

/* auto may do without the one of trees. */
static double embeddings(const planning *x)
{
    const double trees = x->q.needs & BN_TRIES_OTHERS ? chance : 1;
    return (x->q.needs & (BN_NEEDS_COVER | BN_NEEDS_WL) ? trees : 0) +
           !!(x->q.needs & BN_NEEDS_JUDGE);
}

/* Bytes that a rank gets to embed a part of the nodes: rows before each round, and their ids once. */
static double received(const planning *x, double share, int rounds)
{
    const bonsai_shape *s = &x->q.s;
    double bytes = rounds > 0 ? 4 * halo_of(x, bn_needs_reach(s, share, rounds - 1)) : 0;
    for (int round = 1; round <= rounds; round++)
        bytes += halo_of(x, bn_needs_reach(s, share, rounds - round)) *
                 bn_needs_sent(&x->q, rounds, round);
    return bytes;
}

/* Training nodes and judged ones; what is around them; and where labels are few the same of others,
 * which are embedded twice as far besides. */
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

/* Bytes of a row of the embedding as it is. */
static double row_bytes(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const int rounds = x->q.o->layers;
    const double entries = bn_needs_entries(s, rounds), f = (double)s->features;
    return bn_needs_sparse(&x->q, rounds, rounds) && !bn_is_full((int64_t)entries, (int64_t)f)
           ? 8 * entries : 4 * f;
}

/* Trees whose neighbours are looked for: both samples, or all. */
static double sampled(const planning *x)
{
    const double t = (double)x->q.s.train, z = (double)bn_needs_sample(x->q.o, x->q.s.train);
    return fmin(t, z + BN_CHECK_SAMPLE);
}

/* Nodes of the graph that the budget holds, most of them without edges. */
static double picked(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const double n = (double)s->nodes, full = bn_needs_graph(s);
    const double edges = (double)s->edges * (n <= 65536 ? 2 : 4);
    return fmin((double)s->train,
                bn_needs_budget(&x->q) / fmax(1, fmax(full / 4, full - edges) / n));
}

/* Of clusters: rows that are fitted and judged, sums of their means, rows of small ones. */
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

/* Nothing that is not embedded has panels. */
static int64_t panels_of(const bn_needs *q, int columns)
{
    return q->needs & (BN_EMBEDS | BN_REDOES) ? bn_needs_panels(q, columns) : 0;
}

/* As the embedding does: as many columns as fit, and only then the rows themselves. */
static void plan_memory(planning *x)
{
    bonsai_plan *p = x->p;
    bn_needs *q = &x->q;
    const int64_t program = bn_needs_program();
    int64_t panels, room, all = bn_needs_all(q), fixed = bn_needs_fixed(q) + program;
    p->least = bn_needs_told(q, program);
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

/* Of a part of the nodes, with so many rounds. */
static double embed_seconds(const planning *x, double share, int rounds)
{
    const bonsai_shape *s = &x->q.s;
    const double n = (double)s->nodes / x->q.ranks, edges = (double)s->edges / x->q.ranks;
    const double rate = (s->nonzeros ? spread_share : gather_share) * x->bytes;
    double sum = 0;
    for (int round = 1; round <= rounds; round++) {
        const double added = (n + edges) * bn_needs_reach(s, share, rounds - round);
        sum += bn_needs_sparse(&x->q, rounds, round)
               ? merge * added * bn_needs_entries(s, round - 1) / x->q.threads
               : 4 * added * (double)s->features / rate;
    }
    return sum;
}

/* In the published way, which goes through its own rounding. */
static double redo_seconds(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const double n = (double)s->nodes, added = (n + (double)s->edges) * (double)s->train / n;
    return added / x->q.threads *
           (s->nonzeros ? redo_sparse * bn_needs_entries(s, 0) : redo_dense * (double)s->features);
}

static void plan_embedding(planning *x)
{
    const int rounds = x->q.o->layers;
    const double share = bn_needs_share(&x->q, rounds);
    double sum = embeddings(x) * embed_seconds(x, share, rounds);
    if (x->q.needs & BN_NEEDS_JUDGE)            /* what is around nodes */
        sum += embed_seconds(x, share, 1);
    if (x->q.needs & BN_REDOES)
        sum += redo_seconds(x);
    x->p->seconds_wl = sum;
}

/* To compare each pick with all training nodes, or with those of a class. */
static double pairs_seconds(const planning *x, bool by_class)
{
    const double pairs = picked(x) * (double)x->q.s.train;
    return pairs / (by_class ? (double)x->q.s.classes : 1) *
           (apart / x->q.threads + row_bytes(x) / ((by_class ? in_class : in_order) * x->bytes));
}

static double knn_seconds(const planning *x)
{
    const bool redoes = x->q.needs & BN_REDOES;
    const double t = (double)x->q.s.train / x->q.ranks, row = row_bytes(x) / 4;
    const double times = row < (double)x->q.s.features ? sparse_times : 1;
    const double products = (redoes ? (double)x->q.s.train / 2 : sampled(x)) * t;   /* once a pair */
    return products * (2 * row * times / x->flops + pair / x->q.threads);
}

/* As far as auto may have to pick nodes. */
static void plan_picking(planning *x)
{
    bonsai_plan *p = x->p;
    const double t = (double)x->q.s.train;
    const bool tries_others = x->q.needs & BN_TRIES_OTHERS;
    const double share = tries_others ? chance : 1;
    if (x->q.needs & BN_COMPARES) {
        p->seconds_knn = share * knn_seconds(x);
        p->seconds_cover = share * (cover_tree * t + cover_node * picked(x));
    }
    if (x->q.needs & BN_NEEDS_PAIRS)
        p->seconds_cover = pairs_seconds(x, x->q.needs & BN_BY_CLASS);
    if (tries_others && picked(x) * t * row_bytes(x) / 4 <= BN_MOST_PAIRS)
        p->seconds_cover += share * (pairs_seconds(x, true) + pairs_seconds(x, false));
}

/* Clusters, the classifier that gives soft labels, and rows of more nodes where labels are few. */
static double cluster_seconds(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const double wide = bn_needs_wide(&x->q), rows = (double)s->train + wide;
    const double f = (double)s->features, fit = fmin(BN_FIT_ROWS, (double)s->train);
    const double m = fmin(fit, s->nonzeros ? fmin(f + 1, BN_FIT_DIRECT) : f + 1);
    const double all = fmin(1, rows / (double)s->nodes);
    const double parted = sqrt(fmin(most_parted, bn_needs_clusters(&x->q)));
    double sum = cluster * rows * parted / x->q.ranks / x->q.threads /
                 (rows > many_rows ? many_times : 1);
    sum += fit * row_bytes(x) / 4 * m / (learn_share * x->flops);
    if (wide > 0)
        sum += embed_seconds(x, all, 2 * x->q.o->layers) + embed_seconds(x, all, x->q.o->layers) +
               embed_seconds(x, all, 1);
    return sum;
}

/* Of the full graph once, and of candidates; in both views of the probe.  Every rank does the same. */
static double probe_seconds(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const double full = fmin(BN_MOST_FITTED, (double)s->train), near = 1 + bn_needs_views(&x->q);
    const double wide[] = {2 * (double)s->features + 1, BN_HIDDEN_WIDE + 1};
    const double length[] = {near, wide[1]}, nodes = bn_needs_clusters(&x->q);
    double sum = 0, fitted;
    for (int view = 0; view < 2; view++)
        sum += bn_probe_products_once(&fitted, full, wide[view], length[view]) +
               (x->q.needs & BN_NEEDS_CLUSTERS
                ? large_tries * bn_probe_products(nodes, wide[view], length[view]) +
                  tries * bn_needs_judged(&x->q) * length[view] * 5 * (double)s->classes : 0);
    return 2 * sum / (probe_share * x->flops);
}

static void plan_time(planning *x)
{
    bonsai_plan *p = x->p;
    p->seconds_read = start + (double)p->file / x->q.ranks * (1 / x->o->disk + checks / x->bytes);
    plan_embedding(x);
    plan_picking(x);
    if (x->q.needs & BN_NEEDS_CLUSTERS)
        p->seconds_cluster = cluster_seconds(x);
    if (x->q.needs & BN_NEEDS_JUDGE)
        p->seconds_probe = probe_seconds(x);
    if (x->q.needs & BN_LEARNS)
        p->seconds_learn = bn_method_of(x->q.o->method)->operations(&x->q) /
                           (learn_share * x->flops);
    p->seconds_exchange = (double)p->wire / x->q.ranks / x->o->network;
    p->seconds_scratch = (double)p->scratch * (2 + 2 * makes) / x->o->disk;
    p->seconds_total = p->seconds_read + p->seconds_wl + p->seconds_knn + p->seconds_cover +
                       p->seconds_cluster + p->seconds_learn + p->seconds_probe +
                       p->seconds_exchange + p->seconds_scratch;
}

/* ---- the door ---- */

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
