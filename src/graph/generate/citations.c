/* citations.c -- draws the edges of a generated graph.
 *
 * A degree-corrected block model, drawn like citations.  Every node cites a few others: one plus a
 * geometric number, so no node is isolated if the mean degree is 2 or more.  Class and popularity
 * decide which nodes it cites.  The choice between the own class and another is made first and kept
 * while the target is redrawn, so the homophily is as requested.
 *
 * Popularity is a power law of the rank within the class: the node at quantile q has weight q^-a
 * with a = 1/(exponent-1), flat below a quantile q0 that keeps the largest hub near sqrt(n) times
 * the mean.  That law has a closed inverse, so a draw takes one power and one inverse permutation,
 * without tables.
 *
 * A row of the adjacency merges the nodes that a node cites and those that cite it.  Both are kept
 * as lists, and rows are made from them on demand: in a graph, or on the way to a file.  Each rank
 * draws for its own nodes and sends the citations to the ranks that own their targets.  The same
 * edge drawn from both ends merges, which matters only in small dense graphs: there the draw is
 * repeated with more citations until the mean degree is right.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "generate.h"

typedef struct {                /* the law of popularity: weight max(q, flat)^-a at quantile q */
    double a, flat;
    double head, total;         /* mass below flat, total mass */
} tail;

typedef struct {
    const bn_maker *k;
    tail     tail;
    double   inner, outer;      /* chance to cite the own class; the same on the border */
    double   mean;              /* citations per node */
    bn_permutation ranks;
    bn_citations *c;
} citing;

/* Sets the mass below and above the flat part; their sum is the mean weight. */
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
        e->c->first[v - e->k->begin + 1] = draw_count(e, v, seed);
}

/* Draws a node of the class by popularity. */
static int32_t draw_member(const citing *e, int64_t t, bn_rng *r)
{
    const int64_t *first = e->k->first;
    int64_t size = first[t + 1] - first[t];
    int64_t i = (int64_t)(draw_quantile(&e->tail, bn_rng_unit(r)) * (double)size);
    return (int32_t)bn_unpermuted(&e->ranks, first[t] + (i < size ? i : size - 1));
}

static bool try_target(int32_t *row, int64_t count, int32_t v, int32_t target)
{
    return target != v && bn_insert_sorted(row, count, target);
}

/* Picks the class that a node of class t cites.  A node on the border cites its own class less
 * often; the others compensate, so the overall homophily is as requested. */
static int64_t pick_class(const citing *e, int64_t t, int64_t leaning, bn_rng *r)
{
    const bn_maker *k = e->k;
    int64_t size = k->first[t + 1] - k->first[t];
    if (size == k->n)
        return t;
    double u = bn_rng_unit(r);
    if (size > 1 && u < (leaning == t ? e->inner : e->outer))
        return t;
    return leaning != t && bn_rng_unit(r) < 0.8 ? leaning : bn_maker_other(k, t, r);
}

/* Adds one citation to the row of v.  If the class is used up, takes any node. */
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
        const int64_t *first = e->c->first + (v - e->k->begin);
        int64_t wanted = first[1] - first[0], count = 0;
        int64_t t = bn_maker_class(e->k, v), leaning = bn_maker_leaning(e->k, v);
        int32_t *row = e->c->target + first[0];
        for (int64_t i = 0; i < wanted; i++)
            count += cite(e, row, count, (int32_t)v, pick_class(e, t, leaning, &r), &r);
        for (int64_t i = count; i < wanted; i++)
            row[i] = (int32_t)v;                /* not found: a self loop, which is dropped */
    }
}

static bonsai_status draw_targets(citing *e)
{
    bonsai_status rc;
    const bn_maker *k = e->k;
    int64_t nodes = k->end - k->begin, *first;
    BN_TRY(BN_NEW(&e->c->first, nodes + 1));
    BN_TRY(bn_maker_blocks(k, k->begin, k->end, "degrees", 1, count_citations, e));
    first = e->c->first;
    for (int64_t i = 0; i < nodes; i++)
        first[i + 1] += first[i];
    BN_TRY(BN_NEW(&e->c->target, first[nodes]));
    BN_TRY(bn_maker_blocks(k, k->begin, k->end, "edges", 4 * e->mean, draw_citations, e));
done:
    return rc;
}

/* ---- who cites a node ---- */

typedef struct {                /* citations of the nodes of the block, with the citing node */
    int64_t  count;
    const int32_t *to, *from;
    int32_t *room[4];           /* buffers of these lists and of those for other ranks */
} arrivals;

static bonsai_status list_sources(int32_t **out, const citing *e)
{
    const int64_t *first = e->c->first;
    int64_t nodes = e->k->end - e->k->begin;
    bonsai_status rc = BN_NEW(out, first[nodes]);
    for (int64_t i = 0; rc == BONSAI_OK && i < nodes; i++)
        for (int64_t j = first[i]; j < first[i + 1]; j++)
            (*out)[j] = (int32_t)(e->k->begin + i);
    return rc;
}

static int owner(const citing *e, int64_t v, int ranks)
{
    int64_t n = e->k->n;
    int r = (int)(v / (n / ranks + 1));         /* the owner, or a rank before it */
    while (bn_maker_begin(n, r + 1, ranks) <= v)
        r++;
    return r;
}

/* Sorts the citations by the ranks that own their targets; bytes (ranks): what each receives. */
static bonsai_status sort_by_owner(arrivals *a, int64_t *bytes, const citing *e, int ranks)
{
    bonsai_status rc;
    const bn_citations *c = e->c;
    int64_t nodes = e->k->end - e->k->begin, *at = NULL;
    BN_TRY(BN_NEW(&at, ranks));
    BN_TRY(BN_NEW(&a->room[0], c->first[nodes]));
    BN_TRY(BN_NEW(&a->room[1], c->first[nodes]));
    for (int64_t j = 0; j < c->first[nodes]; j++)
        bytes[owner(e, c->target[j], ranks)] += (int64_t)sizeof *c->target;
    for (int r = 1; r < ranks; r++)
        at[r] = at[r - 1] + bytes[r - 1] / (int64_t)sizeof *c->target;
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t j = c->first[i]; j < c->first[i + 1]; j++) {
            int64_t to = at[owner(e, c->target[j], ranks)]++;
            a->room[0][to] = c->target[j];
            a->room[1][to] = (int32_t)(e->k->begin + i);
        }
done:
    bn_free(at);
    return rc;
}

static bonsai_status make_room(arrivals *a, const int64_t *bytes, int ranks)
{
    bonsai_status rc;
    for (int r = 0; r < ranks; r++)
        a->count += bytes[r] / (int64_t)sizeof *a->to;
    BN_TRY(BN_NEW(&a->room[2], a->count));
    BN_TRY(BN_NEW(&a->room[3], a->count));
    a->to = a->room[2];
    a->from = a->room[3];
done:
    return rc;
}

static bonsai_status exchange(arrivals *a, const citing *e, bn_world *w)
{
    bonsai_status rc;
    int ranks = bn_ranks(w);
    int64_t *bytes = NULL, *out_bytes, *in_bytes;       /* (ranks, ranks): from, to */
    BN_TRY(bn_agree(w, BN_NEW(&bytes, (int64_t)ranks * (ranks + 1))));
    out_bytes = bytes + bn_rank(w) * ranks;
    in_bytes = bytes + ranks * ranks;
    BN_TRY(bn_agree(w, sort_by_owner(a, out_bytes, e, ranks)));
    BN_TRY(bn_sum_int(w, bytes, (int64_t)ranks * ranks));
    for (int r = 0; r < ranks; r++)
        in_bytes[r] = bytes[r * ranks + bn_rank(w)];
    BN_TRY(bn_agree(w, make_room(a, in_bytes, ranks)));
    BN_TRY(bn_exchange(w, a->room[2], in_bytes, a->room[0], out_bytes));
    BN_TRY(bn_exchange(w, a->room[3], in_bytes, a->room[1], out_bytes));
done:
    bn_free(bytes);
    return rc;
}

typedef struct { int64_t begin, end; } range;

/* Takes the citations of the lane's own rows from all, which keeps their order. */
static void take_citations(bn_citations *c, const arrivals *a, int64_t first, range rows)
{
    int64_t *next = c->back_first + 1 - first;
    for (int64_t i = 0; i < a->count; i++)
        if (a->to[i] >= rows.begin && a->to[i] < rows.end && a->to[i] != a->from[i])
            c->back[next[a->to[i]]++] = a->from[i];
}

static void count(bn_citations *c, const arrivals *a, int64_t first, range rows)
{
    int64_t *counts = c->back_first + 2 - first;
    for (int64_t i = 0; i < a->count; i++)
        if (a->to[i] >= rows.begin && a->to[i] < rows.end && a->to[i] != a->from[i])
            counts[a->to[i]]++;
}

static void each_lane(const citing *e, const arrivals *a,
                      void (*fn)(bn_citations *, const arrivals *, int64_t, range))
{
    const bn_maker *k = e->k;
    int64_t nodes = k->end - k->begin;
    const double work = 4.0 * k->threads * (double)a->count;
#pragma omp parallel for num_threads(bn_team(k->threads, work)) schedule(static, 1)
    for (int64_t lane = 0; lane < k->threads; lane++)
        fn(e->c, a, k->begin, (range){k->begin + bn_maker_begin(nodes, lane, k->threads),
                                      k->begin + bn_maker_begin(nodes, lane + 1, k->threads)});
}

/* Counts are stored one place after the start of their row, and that one place after its final one;
 * taking the citations moves the starts there. */
static bonsai_status list_citing(const citing *e, const arrivals *a)
{
    bonsai_status rc;
    bn_citations *c = e->c;
    int64_t nodes = e->k->end - e->k->begin;
    BN_TRY(BN_NEW(&c->back_first, nodes + 2));
    each_lane(e, a, count);
    for (int64_t i = 0; i < nodes; i++)
        c->back_first[i + 2] += c->back_first[i + 1];
    BN_TRY(BN_NEW(&c->back, c->back_first[nodes + 1]));
    BN_TRY(bn_tick(e->k->progress, "citations", 0, 1));
    each_lane(e, a, take_citations);
    BN_TRY(bn_tick(e->k->progress, "citations", 1, 1));
done:
    return rc;
}

static bonsai_status find_citing(const citing *e, bn_world *w)
{
    bonsai_status rc;
    arrivals a = {0};
    if (bn_ranks(w) > 1)
        BN_TRY(exchange(&a, e, w));
    else {
        BN_TRY(list_sources(&a.room[0], e));
        a.count = e->c->first[e->k->end - e->k->begin];
        a.to = e->c->target;
        a.from = a.room[0];
    }
    for (int i = 0; i < 2 && bn_ranks(w) > 1; i++) {
        bn_free(a.room[i]);
        a.room[i] = NULL;
    }
    BN_TRY(bn_agree(w, list_citing(e, &a)));
done:
    for (int i = 0; i < 4; i++)
        bn_free(a.room[i]);
    return rc;
}

/* ---- rows ---- */

/* Merges the neighbours of a node in ascending order; returns their number.  to may be NULL. */
static int64_t merge_row(int32_t *to, const bn_citations *c, int64_t begin, int64_t i)
{
    const int32_t *a = c->target + c->first[i], *a_end = c->target + c->first[i + 1];
    const int32_t *b = c->back + c->back_first[i], *b_end = c->back + c->back_first[i + 1];
    int64_t n = 0;
    while (a_end > a && a_end[-1] == begin + i)
        a_end--;
    while (a < a_end || b < b_end) {
        int32_t next = a < a_end && (b == b_end || *a <= *b) ? *a : *b;
        a += a < a_end && *a == next;
        b += b < b_end && *b == next;
        if (to)
            to[n] = next;
        n++;
    }
    return n;
}

typedef struct { const bn_citations *c; int64_t begin; int32_t *to; int64_t base; } filling;

static void fill_rows(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    const filling *f = payload;
    (void)lane;
    for (int64_t i = begin - f->begin; i < end - f->begin; i++)
        if (f->to)                      /* NULL: the graph has no edge */
            merge_row(f->to + f->c->offsets[i] - f->base, f->c, f->begin, i);
}

static void size_rows(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    const filling *f = payload;
    (void)lane;
    for (int64_t i = begin - f->begin; i < end - f->begin; i++)
        f->c->offsets[i + 1] = merge_row(NULL, f->c, f->begin, i);
}

static bonsai_status find_rows(const citing *e)
{
    bonsai_status rc;
    const bn_maker *k = e->k;
    int64_t nodes = k->end - k->begin;
    filling f = {.c = e->c, .begin = k->begin};
    BN_TRY(BN_NEW(&e->c->offsets, nodes + 1));
    BN_TRY(bn_maker_blocks(k, k->begin, k->end, "rows", 4 * e->mean, size_rows, &f));
    for (int64_t i = 0; i < nodes; i++)
        e->c->offsets[i + 1] += e->c->offsets[i];
done:
    return rc;
}

bonsai_status bn_citations_rows(int32_t *to, const bn_citations *c, const bn_maker *k,
                                int64_t begin, int64_t end)
{
    filling f = {c, k->begin, to, c->offsets[begin - k->begin]};
    return bn_maker_blocks(k, begin, end, "filling rows", 2 * k->o.degree, fill_rows, &f);
}

void bn_citations_free(bn_citations *c)
{
    bn_free(c->first);
    bn_free(c->target);
    bn_free(c->back_first);
    bn_free(c->back);
    bn_free(c->offsets);
    memset(c, 0, sizeof *c);
}

bonsai_status bn_citations_draw(bn_citations *c, int64_t *entries, const bn_maker *k, bn_world *w)
{
    bonsai_status rc;
    citing e = {.k = k, .c = c, .tail = tail_of(k->o.exponent, k->n), .mean = k->o.degree / 2,
                .ranks = bn_permutation_of(k->n, bn_maker_seed(k, BN_RANKS))};
    double wanted = k->o.degree * (double)k->n, h = k->o.homophily;
    e.outer = h / 4;
    e.inner = (h - k->border * e.outer) / (1 - k->border);
    for (int rounds = 0; rounds < 8; rounds++) {
        bn_citations_free(c);
        BN_TRY(bn_agree(w, draw_targets(&e)));
        BN_TRY(find_citing(&e, w));
        BN_TRY(bn_agree(w, find_rows(&e)));
        *entries = c->offsets[k->end - k->begin];
        BN_TRY(bn_sum_int(w, entries, 1));
        if (fabs((double)*entries - wanted) <= 0.01 * wanted + 2 || *entries == 0)
            break;
        e.mean = fmin(e.mean * wanted / (double)*entries, (double)k->n);
    }
done:
    if (rc != BONSAI_OK)
        bn_citations_free(c);
    return rc;
}
