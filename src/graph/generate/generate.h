/* generate.h -- shared by the parts of the generator.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GENERATE_H
#define BN_GENERATE_H

#include "base/world.h"
#include "graph/graph.h"

/* Everything is drawn by (seed of a purpose, item), so the result depends neither on threads nor on
 * ranks.
 *
 * Nodes have a popularity rank in 0..n-1, a seeded permutation of their ids: class t owns the ranks
 * first[t] .. first[t+1]-1, and within a class the lowest rank is the most popular. */
typedef struct {
    bonsai_generate_options o;
    int64_t      n, f, c;
    int64_t      begin, end;    /* the nodes made here: all, or a block of them */
    int          threads;
    bn_progress  progress;
    bonsai_graph *g;            /* labels and split of these nodes; node v is node v - begin of g */
    int64_t     *first;         /* c+1 */
    double       border;        /* chance that a node is on the border to another class */
} bn_maker;

enum bn_purpose {
    BN_RANKS, BN_PARTS, BN_BORDER, BN_COUNTS, BN_EDGES, BN_TOPICS, BN_LENGTHS, BN_WORDS, BN_POINTS
};

/* Checks the options, and sets up the nodes of this rank of w. */
bonsai_status bn_maker_init(bn_maker *k, const bonsai_generate_options *o, const bn_world *w);
void          bn_maker_free(bn_maker *k);
/* Returns the first node of a rank. */
static inline int64_t bn_maker_begin(int64_t n, int64_t rank, int64_t ranks)
{
    return n / ranks * rank + n % ranks * rank / ranks;
}

/* Returns the seed of one purpose. */
static inline uint64_t bn_maker_seed(const bn_maker *k, enum bn_purpose p)
{
    return bn_rng_at(k->o.seed, (uint64_t)p).key;
}

typedef struct {                /* a seeded permutation of 0..n-1 without memory */
    uint64_t n, seed, low_mask, high_mask;
    int      low_bits;
} bn_permutation;

bn_permutation bn_permutation_of(int64_t n, uint64_t seed);
int64_t bn_permuted(const bn_permutation *p, int64_t i);
int64_t bn_unpermuted(const bn_permutation *p, int64_t i);      /* what is permuted to i */

/* Calls fn for the nodes [begin, end) in parallel, a block at a time, with a tick between blocks.
 * cost: steps per node, so that ticks come often enough.  lane: 0 .. threads-1, different for
 * blocks that run at the same time. */
typedef void bn_block_fn(void *payload, int64_t begin, int64_t end, int64_t lane);
bonsai_status bn_maker_blocks(const bn_maker *k, int64_t begin, int64_t end, const char *stage,
                              double cost, bn_block_fn *fn, void *payload);

/* Return the class of a node, and the class that it leans to: its own, or the one it borders on. */
int64_t bn_maker_class(const bn_maker *k, int64_t v);
int64_t bn_maker_leaning(const bn_maker *k, int64_t v);
/* Draws a class other than t, in proportion to size. */
int64_t bn_maker_other(const bn_maker *k, int64_t t, bn_rng *r);

/* Inserts id into a sorted row of count ids; returns false if it is already there. */
bool bn_insert_sorted(int32_t *row, int64_t count, int32_t id);

/* ---- edges (citations.c) ---- */

typedef struct {                /* of the maker's nodes: i is node begin + i */
    int64_t *first;             /* nodes they cite, ascending, maybe then themselves: dropped */
    int32_t *target;
    int64_t *back_first;        /* the nodes that cite them, ascending */
    int32_t *back;
    int64_t *offsets;           /* of the rows that merge both */
} bn_citations;

/* Draws the citations of this rank's block of w; *entries: of all ranks. */
bonsai_status bn_citations_draw(bn_citations *out, int64_t *entries, const bn_maker *k,
                                bn_world *w);
/* Writes the neighbours of the nodes [begin, end), row after row. */
bonsai_status bn_citations_rows(int32_t *to, const bn_citations *c, const bn_maker *k,
                                int64_t begin, int64_t end);
void          bn_citations_free(bn_citations *c);

/* ---- features (topics.c) ---- */

typedef struct bn_writer bn_writer;

bonsai_status bn_writer_new(bn_writer **out, const bn_maker *k);       /* k->f must be above 0 */
void          bn_writer_free(bn_writer *w);
/* Counts the non-zero features of the maker's nodes: words, or all. */
bonsai_status bn_writer_count(int64_t *out, bn_writer *w);
/* Writes the features of the nodes [begin, end) into g, which has only these nodes. */
bonsai_status bn_writer_lay(bonsai_graph *g, bn_writer *w, int64_t begin, int64_t end);

#endif
