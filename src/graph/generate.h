/* generate.h -- what the two halves of the generator share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GENERATE_H
#define BN_GENERATE_H

#include "graph.h"

/* Everything is drawn by (seed of a purpose, item), so threads do not matter.
 *
 * Nodes have a rank in 0..n-1, a seeded permutation of their ids: class t owns the
 * ranks first[t] .. first[t+1]-1, and within a class the lowest rank is the most
 * popular. */
typedef struct {
    bonsai_generate_options o;
    int64_t      n, f, c;
    int          threads;
    bn_progress  progress;
    bonsai_graph *g;
    int64_t     *first;         /* c+1 */
    int32_t     *member;        /* n: the node of a rank */
    double       border;        /* chance that a node is on the border to another class */
} bn_maker;

enum bn_purpose {
    BN_RANKS, BN_PARTS, BN_BORDER, BN_COUNTS, BN_EDGES, BN_TOPICS, BN_LENGTHS, BN_WORDS, BN_POINTS
};

/* The seed of one purpose. */
static inline uint64_t bn_maker_seed(const bn_maker *k, enum bn_purpose p)
{
    return bn_rng_at(k->o.seed, (uint64_t)p).key;
}

/* A seeded permutation of 0..n-1 that needs no memory. */
int64_t bn_permuted(int64_t i, int64_t n, uint64_t seed);

/* Calls fn for the nodes [begin, end) in parallel, a block at a time, with a tick
 * in between.  cost: steps a node, so that ticks come often.  lane: 0 .. threads-1,
 * different for blocks that run at the same time. */
typedef void bn_block_fn(void *payload, int64_t begin, int64_t end, int64_t lane);
bonsai_status bn_maker_blocks(const bn_maker *k, const char *stage, double cost, bn_block_fn *fn,
                              void *payload);

/* The class that a node leans to: its own, or that which it borders on. */
int64_t bn_maker_leaning(const bn_maker *k, int64_t v);

/* Puts id into a sorted row of count ids; false if it is there already. */
bool bn_insert_sorted(int32_t *row, int64_t count, int32_t id);

/* Features of all nodes, whose labels are laid already (topics.c). */
bonsai_status bn_maker_features(bn_maker *k);

#endif
