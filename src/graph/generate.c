/* generate.c -- graphs that look like citation networks: classes, split and edges.
 *
 * A degree-corrected block model, drawn the way citations come about.  Every node
 * cites a few others (one plus a geometric number, so that nobody is alone when
 * the mean degree is 2 or more); whom it cites depends on class and popularity.
 * The choice "own class or another" is made first and kept while the target is
 * redrawn, so homophily comes out as asked.
 *
 * Popularity is a power law in the rank within the class: the node at quantile q
 * has weight q^-a with a = 1/(exponent-1), flat below a quantile q0 that keeps the
 * largest hub near sqrt(n) times the mean.  That law is inverted in closed form, so
 * a draw is one power and one lookup, without tables.
 *
 * Entries are listed in both directions and sorted by bn_adjacent_build.  The same
 * edge drawn from both ends merges, which matters in small dense graphs only: there
 * the draw is repeated with more citations until the mean degree is right.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "generate.h"

static const double most_border = 0.17; /* share of nodes that lean to another class */

/* ---- options ---- */

static bonsai_status check_count(const char *name, int64_t value, int64_t low, int64_t high)
{
    if (value >= low && value <= high)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s is %lld but must be in %lld..%lld", name,
                   (long long)value, (long long)low, (long long)high);
}

/* NaN is in no range, so the comparisons are written to fail on it. */
static bonsai_status check_real(const char *name, double value, double low, double high)
{
    if (value >= low && value <= high)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s is %g but must be in %g..%g", name, value, low, high);
}

static bonsai_status check_options(const bonsai_generate_options *o)
{
    bonsai_status rc;
    BN_TRY(check_count("nodes", o->nodes, 1, INT32_MAX));
    BN_TRY(check_count("features", o->features, 0, INT32_MAX));
    BN_TRY(check_count("classes", o->classes, 1, o->nodes));
    BN_TRY(check_count("threads", o->threads, 0, INT32_MAX));
    if (!(o->degree >= 0 && o->degree < (double)o->nodes))
        return bn_fail(BONSAI_E_ARGUMENT, "degree is %g but must be at least 0 and less than the "
                       "%lld nodes", o->degree, (long long)o->nodes);
    if (!(o->exponent == 0 || (o->exponent > 2 && isfinite(o->exponent))))
        return bn_fail(BONSAI_E_ARGUMENT, "exponent is %g but must be 0 or greater than 2",
                       o->exponent);
    BN_TRY(check_real("homophily", o->homophily, 0, 1));
    BN_TRY(check_real("imbalance", o->imbalance, 0, 1));
    BN_TRY(check_real("difficulty", o->difficulty, 0, 1));
    if (o->features > 0 && !o->dense && !(o->words >= 0 && o->words <= (double)o->features))
        rc = bn_fail(BONSAI_E_ARGUMENT, "words is %g but must be in 0..%lld, the number of "
                     "features", o->words, (long long)o->features);
done:
    return rc;
}

/* ---- shared tools ---- */

/* A Feistel network over the bits of n-1: each round changes one half by a hash of
 * the other, so it can be undone and no two inputs meet.  Numbers of n and above
 * walk on until they fall below it, less than two steps on average. */
int64_t bn_permuted(int64_t i, int64_t n, uint64_t seed)
{
    int bits = 0;
    while ((n - 1) >> bits > 0)
        bits++;
    int low_bits = bits / 2;
    uint64_t low_mask = (1ull << low_bits) - 1, high_mask = (1ull << (bits - low_bits)) - 1;
    uint64_t x = (uint64_t)i;
    do {
        uint64_t low = x & low_mask, high = x >> low_bits;
        for (uint64_t round = 0; round < 6; round += 2) {
            high ^= bn_rng_at(seed + round, low).key & high_mask;
            low ^= bn_rng_at(seed + round + 1, high).key & low_mask;
        }
        x = high << low_bits | low;
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}

bool bn_insert_sorted(int32_t *row, int64_t count, int32_t id)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (row[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && row[low] == id)
        return false;
    memmove(row + low + 1, row + low, (size_t)(count - low) * sizeof *row);
    row[low] = id;
    return true;
}

bonsai_status bn_maker_blocks(const bn_maker *k, const char *stage, double cost, bn_block_fn *fn,
                              void *payload)
{
    bonsai_status rc;
    int64_t block = (int64_t)((1 << 20) / (cost + 1)) + 1;
    int64_t fair = (k->n + k->threads - 1) / k->threads;
    block = block < fair ? block : fair;
    for (int64_t at = 0; at < k->n; at += block * k->threads) {
        BN_TRY(bn_tick(k->progress, stage, at, k->n));
#pragma omp parallel for num_threads(k->threads) schedule(static, 1)
        for (int64_t lane = 0; lane < k->threads; lane++) {
            int64_t begin = at + lane * block, end = begin + block < k->n ? begin + block : k->n;
            if (begin < end)
                fn(payload, begin, end, lane);
        }
    }
    BN_TRY(bn_tick(k->progress, stage, k->n, k->n));
done:
    return rc;
}

/* ---- classes and split ---- */

/* Sizes in proportion to (t+1)^-imbalance, at least one node each. */
static bonsai_status size_classes(bn_maker *k)
{
    bonsai_status rc = BN_NEW(&k->first, k->c + 1);
    if (rc != BONSAI_OK)
        return rc;
    double total = 0, sum = 0;
    for (int64_t t = 0; t < k->c; t++)
        total += pow((double)(t + 1), -k->o.imbalance);
    for (int64_t t = 0; t < k->c; t++) {
        sum += pow((double)(t + 1), -k->o.imbalance);
        int64_t end = t + 1 + (int64_t)((double)(k->n - k->c) * (sum / total) + 0.5);
        k->first[t + 1] = t + 1 == k->c || end > k->n ? k->n : end;
    }
    return BONSAI_OK;
}

static int64_t class_of_rank(const bn_maker *k, int64_t rank)
{
    int64_t low = 0, high = k->c;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (k->first[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A class other than t, in proportion to size. */
static int64_t draw_other(const bn_maker *k, int64_t t, bn_rng *r)
{
    int64_t size = k->first[t + 1] - k->first[t], rank = bn_rng_below(r, k->n - size);
    return class_of_rank(k, rank < k->first[t] ? rank : rank + size);
}

int64_t bn_maker_leaning(const bn_maker *k, int64_t v)
{
    bn_rng r = bn_rng_at(bn_maker_seed(k, BN_BORDER), (uint64_t)v);
    int64_t own = bn_label(k->g, v);
    return k->c > 1 && bn_rng_unit(&r) < k->border ? draw_other(k, own, &r) : own;
}

static void place_nodes(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    bn_maker *k = payload;
    (void)lane;
    uint64_t ranks = bn_maker_seed(k, BN_RANKS), parts = bn_maker_seed(k, BN_PARTS);
    uint8_t *split = k->g->owned[BONSAI_SPLIT], *narrow = k->g->owned[BONSAI_LABELS];
    uint32_t *wide = k->g->owned[BONSAI_LABELS];
    bool is_narrow = k->g->view.section[BONSAI_LABELS].type == BONSAI_U8;
    int64_t train = (int64_t)((double)k->n * 0.6 + 0.5);
    int64_t known = (int64_t)((double)k->n * 0.8 + 0.5);
    for (int64_t v = begin; v < end; v++) {
        int64_t rank = bn_permuted(v, k->n, ranks), part = bn_permuted(v, k->n, parts);
        int64_t label = class_of_rank(k, rank);
        k->member[rank] = (int32_t)v;
        if (is_narrow)
            narrow[v] = (uint8_t)label;
        else
            wide[v] = (uint32_t)label;
        split[v] = part < train ? BONSAI_TRAIN : part < known ? BONSAI_VAL : BONSAI_TEST;
    }
}

static bonsai_status make_nodes(bn_maker *k)
{
    bonsai_status rc;
    void *ignored;
    bonsai_type type = k->c <= UINT8_MAX ? BONSAI_U8 : BONSAI_U32;
    BN_TRY(size_classes(k));
    BN_TRY(BN_NEW(&k->member, k->n));
    BN_TRY(bn_graph_array(&ignored, k->g, BONSAI_LABELS, type, k->n));
    BN_TRY(bn_graph_array(&ignored, k->g, BONSAI_SPLIT, BONSAI_U8, k->n));
    BN_TRY(bn_maker_blocks(k, "nodes", 4, place_nodes, k));
done:
    return rc;
}

/* ---- edges ---- */

typedef struct {                /* the law of popularity: weight max(q, flat)^-a at quantile q */
    double a, flat;
    double head, total;         /* mass below flat, mass of all */
} tail;

typedef struct {
    const bn_maker *k;
    tail     tail;
    double   inner, outer;      /* chance to cite the own class; the same on the border */
    double   mean;              /* citations a node */
    int64_t  m;                 /* citations */
    int64_t *first;             /* n+1: the citations of each node */
    int32_t *source, *target;   /* 2m: each citation, then each backwards */
} citing;

/* Mass below and above the flat part; their sum is the mean weight. */
static void set_flat(tail *t, double flat)
{
    double b = 1 - t->a;
    t->flat = flat;
    t->head = pow(flat, b);
    t->total = t->head + (1 - t->head) / b;
}

static tail tail_of(double exponent, int64_t n)
{
    tail t = {.a = exponent > 0 ? 1 / (exponent - 1) : 0};
    double low = -700, high = 0;                /* bisects log(flat) for the bound on hubs */
    for (int i = 0; i < 60 && t.a > 0; i++) {
        double middle = (low + high) / 2;
        set_flat(&t, exp(middle));
        if (pow(t.flat, -t.a) > sqrt((double)n) * t.total)
            low = middle;
        else
            high = middle;
    }
    set_flat(&t, t.a > 0 ? exp(high) : 0);
    return t;
}

static double draw_quantile(const tail *t, double u)
{
    double mass = u * t->total, b = 1 - t->a;
    if (t->a == 0)
        return u;
    if (mass < t->head)
        return mass * pow(t->flat, t->a);
    return pow(t->head + (mass - t->head) * b, 1 / b);
}

static int64_t draw_count(const citing *e, int64_t v, uint64_t seed)
{
    bn_rng r = bn_rng_at(seed, (uint64_t)v);
    double u = bn_rng_unit(&r), more = e->mean - 1;
    if (more < 0)
        return u < e->mean && e->k->n > 1;
    if (more > 0)
        more = floor(log1p(-u) / log(more / (1 + more)));
    return more + 1 < (double)(e->k->n - 1) ? (int64_t)more + 1 : e->k->n - 1;
}

static void count_citations(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    citing *e = payload;
    uint64_t seed = bn_maker_seed(e->k, BN_COUNTS);
    (void)lane;
    for (int64_t v = begin; v < end; v++)
        e->first[v + 1] = draw_count(e, v, seed);
}

/* A node of the class by popularity. */
static int32_t draw_member(const citing *e, int64_t t, bn_rng *r)
{
    const int64_t *first = e->k->first;
    int64_t size = first[t + 1] - first[t];
    int64_t i = (int64_t)(draw_quantile(&e->tail, bn_rng_unit(r)) * (double)size);
    return e->k->member[first[t] + (i < size ? i : size - 1)];
}

static bool try_target(int32_t *row, int64_t count, int32_t v, int32_t target)
{
    return target != v && bn_insert_sorted(row, count, target);
}

/* The class that a node of class t cites.  A node on the border cites its own class
 * less, the others make up for it, and on the whole homophily is as asked. */
static int64_t pick_class(const citing *e, int64_t t, int64_t leaning, bn_rng *r)
{
    const bn_maker *k = e->k;
    int64_t size = k->first[t + 1] - k->first[t];
    if (size == k->n)
        return t;
    double u = bn_rng_unit(r);
    if (size > 1 && u < (leaning == t ? e->inner : e->outer))
        return t;
    return leaning != t && bn_rng_unit(r) < 0.8 ? leaning : draw_other(k, t, r);
}

/* Adds one citation to the row of v.  Where the class is used up, anybody will do. */
static bool cite(const citing *e, int32_t *row, int64_t count, int32_t v, int64_t t, bn_rng *r)
{
    for (int tries = 0; tries < 32; tries++)
        if (try_target(row, count, v, draw_member(e, t, r)))
            return true;
    for (int tries = 0; tries < 64; tries++)
        if (try_target(row, count, v, (int32_t)bn_rng_below(r, e->k->n)))
            return true;
    return false;
}

static void draw_citations(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    const citing *e = payload;
    uint64_t seed = bn_maker_seed(e->k, BN_EDGES);
    (void)lane;
    for (int64_t v = begin; v < end; v++) {
        bn_rng r = bn_rng_at(seed, (uint64_t)v);
        int64_t at = e->first[v], wanted = e->first[v + 1] - at, count = 0;
        int64_t t = bn_label(e->k->g, v), leaning = bn_maker_leaning(e->k, v);
        for (int64_t i = 0; i < wanted; i++)
            count += cite(e, e->target + at, count, (int32_t)v, pick_class(e, t, leaning, &r), &r);
        for (int64_t i = count; i < wanted; i++)
            e->target[at + i] = (int32_t)v;     /* not found: a self loop, which is dropped */
        for (int64_t i = at; i < at + wanted; i++) {
            e->source[i] = e->target[e->m + i] = (int32_t)v;
            e->source[e->m + i] = e->target[i];
        }
    }
}

static bonsai_status draw_edges(bn_adjacent *out, citing *e)
{
    bonsai_status rc;
    const bn_maker *k = e->k;
    uint64_t flags;
    bonsai_read_info info = {0};
    bonsai_read_options o = bn_read_defaults;
    o.keep_directed = 1;                        /* both directions are listed */
    o.threads = k->threads;
    o.progress = k->progress.fn;
    o.payload = k->progress.payload;
    BN_TRY(BN_NEW(&e->first, k->n + 1));
    BN_TRY(bn_maker_blocks(k, "degrees", 1, count_citations, e));
    for (int64_t v = 0; v < k->n; v++)
        e->first[v + 1] += e->first[v];
    e->m = e->first[k->n];
    BN_TRY(BN_NEW(&e->source, 2 * e->m));
    BN_TRY(BN_NEW(&e->target, 2 * e->m));
    BN_TRY(bn_maker_blocks(k, "edges", 4 * e->mean, draw_citations, e));
    bn_free(e->first);
    e->first = NULL;
    BN_TRY(bn_adjacent_build(out, &flags, &info, k->g->where, k->n, 2 * e->m, e->source, e->target,
                             NULL, &o));
done:
    bn_free(e->first);
    bn_free(e->source);
    bn_free(e->target);
    e->first = NULL;
    e->source = e->target = NULL;
    return rc;
}

static bonsai_status make_edges(bn_maker *k)
{
    bonsai_status rc;
    bn_adjacent a = {0};
    citing e = {.k = k, .tail = tail_of(k->o.exponent, k->n), .mean = k->o.degree / 2};
    double wanted = k->o.degree * (double)k->n, h = k->o.homophily;
    e.outer = h / 4;
    e.inner = (h - k->border * e.outer) / (1 - k->border);
    for (int rounds = 0; rounds < 8; rounds++) {
        bn_adjacent_free(&a);
        BN_TRY(draw_edges(&a, &e));
        if (fabs((double)a.m - wanted) <= 0.01 * wanted + 2 || a.m == 0)
            break;
        e.mean = fmin(e.mean * wanted / (double)a.m, (double)k->n);
    }
    k->g->owned[BONSAI_OFFSETS] = a.offsets;
    k->g->owned[BONSAI_NEIGHBORS] = a.neighbors;
    k->g->view.section[BONSAI_OFFSETS] = (bonsai_array){a.offsets, a.n + 1, BONSAI_U64};
    k->g->view.section[BONSAI_NEIGHBORS] = (bonsai_array){a.neighbors, a.m, BONSAI_U32};
    k->g->info.edges_given = a.m;
done:
    return rc;
}

bonsai_status bonsai_graph_generate(bonsai_graph **out, const bonsai_generate_options *given)
{
    bonsai_status rc;
    bn_maker k = {0};
    *out = NULL;
    BN_TRY(BN_OPTIONS(&k.o, given, generate));
    BN_TRY(check_options(&k.o));
    k.n = k.o.nodes;
    k.f = k.o.features;
    k.c = k.o.classes;
    k.threads = bn_threads(k.o.threads);
    k.border = fmin(most_border, 0.75 * (1 - k.o.homophily));
    k.progress = (bn_progress){k.o.progress, k.o.payload};
    BN_TRY(bn_graph_new(&k.g, "generated"));
    k.g->view.nodes = k.n;
    k.g->view.features = k.f;
    k.g->view.classes = k.c;
    BN_TRY(make_nodes(&k));
    BN_TRY(make_edges(&k));
    bn_free(k.member);
    k.member = NULL;
    BN_TRY(bn_maker_features(&k));
    BN_TRY(bn_view_shape(&k.g->view, k.g->where));
    BN_TRY(bn_graph_need(k.g, BN_ALL_SECTIONS, k.threads));
    *out = k.g;
    k.g = NULL;
done:
    bonsai_graph_free(k.g);
    bn_free(k.first);
    bn_free(k.member);
    return rc;
}
