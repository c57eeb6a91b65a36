/* generate.c -- generates graphs that look like citation networks: options, classes and split.
 *
 * citations.c draws the edges, topics.c the features.  Both can work on a block of the nodes, which
 * is how ranks share the work; here they work on all of them.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "generate.h"
#include "options/options.h"

static const double most_border = 0.17; /* share of nodes that lean to another class */

/* ---- options ---- */

/* Checks options that depend on each other; the others are checked alone. */
static bonsai_status check_options(const bonsai_generate_options *o)
{
    if (o->classes > o->nodes)
        return bn_fail(BONSAI_E_ARGUMENT, "classes is %lld; it must be in 1..%lld, the number of "
                       "nodes", (long long)o->classes, (long long)o->nodes);
    if (o->degree >= (double)o->nodes)
        return bn_fail(BONSAI_E_ARGUMENT, "degree is %g; it must be at least 0 and less than the "
                       "%lld nodes", o->degree, (long long)o->nodes);
    if (o->exponent > 0 && o->exponent <= 2)
        return bn_fail(BONSAI_E_ARGUMENT, "exponent is %g; it must be 0 or above 2", o->exponent);
    if (o->features > 0 && !o->dense && o->words > (double)o->features)
        return bn_fail(BONSAI_E_ARGUMENT, "words is %g; it must be in 0..%lld, the number of "
                       "features", o->words, (long long)o->features);
    return BONSAI_OK;
}

/* ---- shared tools ---- */

/* Makes a Feistel network over the bits of n-1: each round changes one half by a hash of the other,
 * so it can be inverted and maps no two inputs to one.  Outputs of n and above are mapped again
 * until they are below n, in less than two steps on average. */
bn_permutation bn_permutation_of(int64_t n, uint64_t seed)
{
    int bits = 0;
    while ((n - 1) >> bits > 0)
        bits++;
    return (bn_permutation){.n = (uint64_t)n, .seed = seed, .low_bits = bits / 2,
                            .low_mask = (1ull << bits / 2) - 1,
                            .high_mask = (1ull << (bits - bits / 2)) - 1};
}

int64_t bn_permuted(const bn_permutation *p, int64_t i)
{
    uint64_t x = (uint64_t)i;
    do {
        uint64_t low = x & p->low_mask, high = x >> p->low_bits;
        for (uint64_t round = 0; round < 6; round += 2) {
            high ^= bn_rng_at(p->seed + round, low).key & p->high_mask;
            low ^= bn_rng_at(p->seed + round + 1, high).key & p->low_mask;
        }
        x = high << p->low_bits | low;
    } while (x >= p->n);
    return (int64_t)x;
}

int64_t bn_unpermuted(const bn_permutation *p, int64_t i)
{
    uint64_t x = (uint64_t)i;
    do {
        uint64_t low = x & p->low_mask, high = x >> p->low_bits;
        for (uint64_t round = 6; round > 0; round -= 2) {
            low ^= bn_rng_at(p->seed + round - 1, high).key & p->low_mask;
            high ^= bn_rng_at(p->seed + round - 2, low).key & p->high_mask;
        }
        x = high << p->low_bits | low;
    } while (x >= p->n);
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

bonsai_status bn_maker_blocks(const bn_maker *k, int64_t begin, int64_t end, const char *stage,
                              double cost, bn_block_fn *fn, void *payload)
{
    bonsai_status rc = BONSAI_OK;
    int64_t block = (int64_t)((1 << 20) / (cost + 1)) + 1, all = k->end - k->begin;
    int64_t fair = (end - begin + k->threads - 1) / k->threads;
    block = block < fair ? block : fair;
    for (int64_t at = begin; at < end; at += block * k->threads) {
        BN_TRY(bn_tick(k->progress, stage, at - k->begin, all));
        const double work = 16.0 * (cost + 1) * (double)bn_least(end - at, block * k->threads);
#pragma omp parallel for num_threads(bn_team(k->threads, work)) schedule(static, 1)
        for (int64_t lane = 0; lane < k->threads; lane++) {
            int64_t from = at + lane * block, to = from + block < end ? from + block : end;
            if (from < to)
                fn(payload, from, to, lane);
        }
    }
    if (end == k->end)
        BN_TRY(bn_tick(k->progress, stage, all, all));
done:
    return rc;
}

/* ---- classes and split ---- */

/* Sets class sizes in proportion to (t+1)^-imbalance, at least one node each. */
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

int64_t bn_maker_other(const bn_maker *k, int64_t t, bn_rng *r)
{
    int64_t size = k->first[t + 1] - k->first[t], rank = bn_rng_below(r, k->n - size);
    return class_of_rank(k, rank < k->first[t] ? rank : rank + size);
}

int64_t bn_maker_class(const bn_maker *k, int64_t v)
{
    return bn_label(k->g, v - k->begin);
}

int64_t bn_maker_leaning(const bn_maker *k, int64_t v)
{
    bn_rng r = bn_rng_at(bn_maker_seed(k, BN_BORDER), (uint64_t)v);
    int64_t own = bn_maker_class(k, v);
    return k->c > 1 && bn_rng_unit(&r) < k->border ? bn_maker_other(k, own, &r) : own;
}

static void place_nodes(void *payload, int64_t begin, int64_t end, int64_t lane)
{
    bn_maker *k = payload;
    (void)lane;
    const bn_permutation ranks = bn_permutation_of(k->n, bn_maker_seed(k, BN_RANKS));
    const bn_permutation parts = bn_permutation_of(k->n, bn_maker_seed(k, BN_PARTS));
    uint8_t *split = k->g->owned[BONSAI_SECTION_SPLIT];
    uint8_t *narrow = k->g->owned[BONSAI_SECTION_LABELS];
    uint32_t *wide = k->g->owned[BONSAI_SECTION_LABELS];
    bool is_narrow = k->g->view.section[BONSAI_SECTION_LABELS].type == BONSAI_TYPE_U8;
    int64_t train = (int64_t)((double)k->n * 0.6 + 0.5);
    int64_t known = (int64_t)((double)k->n * 0.8 + 0.5);
    for (int64_t v = begin; v < end; v++) {
        int64_t part = bn_permuted(&parts, v), i = v - k->begin;
        int64_t label = class_of_rank(k, bn_permuted(&ranks, v));
        if (is_narrow)
            narrow[i] = (uint8_t)label;
        else
            wide[i] = (uint32_t)label;
        split[i] = part < train   ? BONSAI_PART_TRAIN
                   : part < known ? BONSAI_PART_VAL
                                  : BONSAI_PART_TEST;
    }
}

static bonsai_status make_nodes(bn_maker *k)
{
    bonsai_status rc;
    void *ignored;
    int64_t nodes = k->end - k->begin;
    bonsai_type type = k->c <= UINT8_MAX ? BONSAI_TYPE_U8 : BONSAI_TYPE_U32;
    BN_TRY(size_classes(k));
    BN_TRY(bn_graph_new(&k->g, "generated"));
    k->g->view.nodes = nodes;
    k->g->view.features = k->f;
    k->g->view.classes = k->c;
    BN_TRY(bn_graph_array(&ignored, k->g, BONSAI_SECTION_LABELS, type, nodes));
    BN_TRY(bn_graph_array(&ignored, k->g, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, nodes));
    BN_TRY(bn_maker_blocks(k, k->begin, k->end, "nodes", 4, place_nodes, k));
done:
    return rc;
}

bonsai_status bn_maker_init(bn_maker *k, const bonsai_generate_options *o, const bn_world *w)
{
    bonsai_status rc;
    memset(k, 0, sizeof *k);
    BN_TRY(BN_OPTIONS(&k->o, o, generate));
    BN_TRY(check_options(&k->o));
    k->n = k->o.nodes;
    k->f = k->o.features;
    k->c = k->o.classes;
    k->begin = bn_maker_begin(k->n, bn_rank(w), bn_ranks(w));
    k->end = bn_maker_begin(k->n, bn_rank(w) + 1, bn_ranks(w));
    k->threads = bn_threads(k->o.threads);
    k->border = fmin(most_border, 0.75 * (1 - k->o.homophily));
    k->progress = (bn_progress){k->o.progress, k->o.payload};
    BN_TRY(make_nodes(k));
done:
    return rc;
}

void bn_maker_free(bn_maker *k)
{
    bonsai_graph_free(k->g);
    bn_free(k->first);
    memset(k, 0, sizeof *k);
}

/* ---- the graph ---- */

static bonsai_status lay_edges(bn_maker *k)
{
    bonsai_status rc;
    bn_citations c = {0};
    int32_t *neighbors;
    int64_t entries;
    BN_TRY(bn_citations_draw(&c, &entries, k, NULL));
    k->g->owned[BONSAI_SECTION_OFFSETS] = c.offsets;
    k->g->view.section[BONSAI_SECTION_OFFSETS] =
        (bonsai_array){c.offsets, k->n + 1, BONSAI_TYPE_U64};
    BN_TRY(bn_graph_array(&neighbors, k->g, BONSAI_SECTION_NEIGHBORS, BONSAI_TYPE_U32, entries));
    BN_TRY(bn_citations_rows(neighbors, &c, k, k->begin, k->end));
    k->g->info.edges_given = entries;
done:
    if (k->g->owned[BONSAI_SECTION_OFFSETS])
        c.offsets = NULL;
    bn_citations_free(&c);
    return rc;
}

static bonsai_status lay_features(bn_maker *k)
{
    bonsai_status rc;
    bn_writer *w = NULL;
    if (k->f == 0)
        return BONSAI_OK;
    BN_TRY(bn_writer_new(&w, k));
    BN_TRY(bn_writer_lay(k->g, w, k->begin, k->end));
done:
    bn_writer_free(w);
    return rc;
}

bonsai_status bonsai_graph_generate(bonsai_graph **out, const bonsai_generate_options *given)
{
    bonsai_status rc;
    bn_maker k;
    if (BN_NO_PLACE(out))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_maker_init(&k, given, NULL));
    BN_TRY(lay_edges(&k));
    BN_TRY(lay_features(&k));
    BN_TRY(bn_view_shape(&k.g->view, k.g->where));
    BN_TRY(bn_graph_need(k.g, BN_ALL_SECTIONS, k.threads));
    *out = k.g;
    k.g = NULL;
done:
    bn_maker_free(&k);
    return rc;
}
