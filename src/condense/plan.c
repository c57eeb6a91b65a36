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
#include "prototypes/hidden.h"
#include "prototypes/judge.h"

/* What a stage reaches of a thread's products and of the memory's rate. */
static const double gather_share = 0.33;        /* of memory's rate, in rows at random, ... */
static const double cache_times = 4;            /* ... and so much more from the cache */
static const double cache = 16 << 20;           /* bytes of 16 columns that stay there */
static const double pair = 7e-10;               /* seconds to look at a product, of a thread */
static const double passes = 56;                /* of the clusters over a row, for a few thousand */
static const double makes = 6;                  /* times that clusters are made under a budget */
static const double checks = 3;                 /* passes over the file: checksum, sizes, ranges */
static const double learn_share = 0.65;         /* of a thread's products, in small matrices */
static const double probe_share = 0.25;         /* ... in double precision, in a fixed order */
static const double cover_tree = 1.3e-6;        /* seconds for a tree, and ... */
static const double cover_node = 1e-4;          /* ... for a node of the small graph, with rounds */

typedef struct {
    bn_needs q;
    const bonsai_plan_options *o;
    bonsai_plan *p;
    const bn_learner *learner;  /* NULL: the method does not learn */
    double flops, bytes;        /* a second, of a rank */
    double halo[17];            /* rows of others that a rank needs for each round, on average */
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

/* Rows of others that are needed: counted for all nodes, or estimated for those in reach. */
static bonsai_status find_halo(planning *x)
{
    bonsai_status rc = BONSAI_OK;
    int64_t *rows = NULL, most = 0, all = 0;
    int ranks = x->q.ranks;
    if (x->o->look && ranks > 1) {
        BN_TRY(BN_NEW(&rows, ranks));
        BN_TRY(bn_halo_count(rows, x->o->look, ranks));
        for (int r = 0; r < ranks; r++) {
            most = rows[r] > most ? rows[r] : most;
            all += rows[r];
        }
    }
    for (int round = 1; round <= x->q.o->layers; round++) {
        double guess = bn_needs_halo(&x->q, round), whole = bn_needs_halo(&x->q, 0);
        double share = whole > 0 ? guess / whole : 0;
        x->halo[round] = rows ? share * (double)all / ranks : guess;
        if (round == 1)
            x->p->halo = (int64_t)(rows ? share * (double)most : guess);
    }
    x->p->counted = rows != NULL;
done:
    bn_free(rows);
    return rc;
}

static double embeddings(const planning *x)
{
    return !!(x->q.needs & BN_COMPARES) + !!(x->q.needs & BN_NEEDS_JUDGE);
}

static void plan_wire(planning *x)
{
    const bonsai_shape *s = &x->q.s;
    double ranks = x->q.ranks, row = 4 * bn_needs_row(s, x->q.o->layers), rows = 0, other = 0;
    double t = (double)s->train, z = (double)bn_needs_sample(x->q.o, s->train);
    for (int round = 1; round <= x->q.o->layers; round++)
        rows += x->halo[round] * 4 * bn_needs_row(s, round - 1);
    rows *= ranks * embeddings(x);
    if (x->q.needs & BN_NEEDS_JUDGE)
        rows += ranks * x->halo[x->q.o->layers] * 4 * bn_needs_row(s, 0);
    if (x->q.needs & BN_COMPARES)
        other += (ranks - 1) * (z + BN_CHECK_SAMPLE) * (row + 8 * ranks * x->q.o->k);
    if (x->q.needs & BN_NEEDS_CLUSTERS)
        other += (ranks - 1) * (fmin(BN_FIT_ROWS, t) + fmin(BN_MOST_JUDGED, (double)s->val)) * row +
                 makes * t * row * (1 - 1 / ranks) + (ranks - 1) * 8 * bn_needs_budget(&x->q);
    x->p->wire_rows = bn_needs_whole(rows);
    x->p->wire = bn_needs_whole(rows + (ranks > 1 ? other : 0));
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
}

/* ---- seconds ---- */

/* More clusters take longer, though far less than in proportion. */
static double cluster_share(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    double few = 4000, long_row = fmin((double)s->features, 2 * bn_needs_row(s, 0));
    double row = long_row + (double)s->classes + 10;
    return pow(fmax(1, bn_needs_budget(&x->q) / row) / few, 0.3);
}

/* Of the full graph once, and of each candidate; in both views of the probe. */
static double probe_products(const planning *x)
{
    const bonsai_shape *s = &x->q.s;
    const double full = fmin(BN_MOST_FITTED, (double)s->train), near = 1 + bn_needs_views(&x->q);
    const double small = bn_needs_budget(&x->q) / fmax(1, bn_needs_graph(s) / (double)s->nodes);
    const double wide[] = {2 * (double)s->features + 1, BN_HIDDEN_WIDE + 1}, length[] = {near, wide[1]};
    double sum = 0, fitted;
    for (int view = 0; view < 2; view++)
        sum += bn_probe_products_once(&fitted, full, wide[view], length[view]) +
               makes * bn_probe_products(small, wide[view], length[view]);
    return sum;
}

static void plan_time(planning *x)
{
    const bonsai_shape *s = &x->q.s;
    bonsai_plan *p = x->p;
    double ranks = x->q.ranks, t = (double)s->train / ranks, row = bn_needs_row(s, x->q.o->layers);
    double z = (double)bn_needs_sample(x->q.o, s->train) + BN_CHECK_SAMPLE, n = (double)s->nodes;
    double gathered = 0;
    double gather = gather_share * (64 * (n / ranks + x->halo[1]) <= cache ? cache_times : 1);
    for (int round = 1; round <= x->q.o->layers; round++)
        gathered += (double)s->edges / ranks * bn_needs_share(&x->q, round) * 4 *
                    bn_needs_row(s, round - 1);
    if (x->q.needs & BN_NEEDS_JUDGE)            /* what is around nodes, beside the embedding */
        gathered += (double)s->edges / ranks * bn_needs_share(&x->q, x->q.o->layers) * 4 *
                    bn_needs_row(s, 0) / embeddings(x);
    p->seconds_read = (double)p->file / ranks * (1 / x->o->disk + checks / x->bytes);
    p->seconds_wl = embeddings(x) * (gathered / gather + 8 * n / ranks * (double)s->features) /
                    x->bytes;
    if (x->q.needs & BN_COMPARES) {
        p->seconds_knn = 2 * z * t * row / x->flops + pair * z * t / x->q.threads;
        p->seconds_cover = cover_tree * (double)s->train +
                           cover_node * bn_needs_budget(&x->q) / fmax(1, bn_needs_graph(s) / n);
    }
    if (x->q.needs & BN_NEEDS_CLUSTERS)
        p->seconds_cluster = makes * passes * 4 * t * row * cluster_share(x) / x->bytes;
    if (x->q.needs & BN_NEEDS_JUDGE)            /* every rank does the same */
        p->seconds_probe = 2 * probe_products(x) / (probe_share * x->flops);
    if (x->learner) {
        const bn_labour w = bn_needs_labour(&x->q);
        p->seconds_learn = x->q.o->effort * x->learner->labour(&w) / (learn_share * x->flops);
    }
    p->seconds_exchange = (double)p->wire / ranks / x->o->network;
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
    if (bn_method_of(c.method)->needs & BN_REDOES)
        BN_TRY(bn_redo_check(&c));
    BN_TRY(check_shape(&s, &o));
    x.q = (bn_needs){.s = s, .o = &c, .needs = bn_method_of(c.method)->needs, .ranks = o.ranks,
                     .threads = bn_threads(o.threads), .fewer = o.threads == 0};
    if (o.memory > 0)
        bn_needs_fit(&x.q, o.memory - bn_needs_program(), INT64_MAX);
    x.learner = bn_method_of(c.method)->learner;
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
