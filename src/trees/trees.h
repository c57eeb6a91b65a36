/* trees.h -- the methods that pick nodes of the graph, and their stages.
 *
 * Read bn_trees (trees.c) first: the paper's method.  Each stage is one file and uses none of the
 * others; exemplars.c and baselines.c use them on the nodes of chosen.h.  A "tree" is the
 * computation tree of a training node: the node and everything within L hops.  A tree's number is
 * its place in the ascending list of training nodes, so that ties by number are ties by node id.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TREES_H
#define BN_TREES_H

#include "job.h"

/* ---- features that matter (cart.c) ---- */

typedef struct {
    const int32_t *label;       /* rows: 0 .. classes-1 */
    int64_t classes;
    int     depth;              /* splits above a leaf at most; 0: any number */
    bool    by_chance;          /* of equally good features a random one splits, by the seed, ... */
    uint64_t seed;              /* ... not the lowest */
} bn_cart_task;

/* Lists the features, ascending, that a CART classifier of the rows' labels splits on: by Gini
 * impurity, until the leaves are pure or at the largest depth.  Feature 0 if nothing can be split.
 * The caller frees *out. */
bonsai_status bn_cart(int32_t **out, int64_t *count, const bn_embedding *e,
                      const bn_cart_task *task, const bn_place *at);

/* ---- what trees represent (represent.c) ---- */

/* Fills job->wl with the embeddings of this rank's trees, once for all budgets.  Collective, as the
 * next two. */
bonsai_status bn_embed_rows(bn_job *job);
/* Does the same if trees are compared and job->rknn is not filled yet. */
bonsai_status bn_embed_trees(bn_job *job);
/* Fills job->rknn and its companions, once for all budgets; then frees the embedding. */
bonsai_status bn_find_represented(bn_job *job);
void bn_forget_represented(bn_job *job);
/* Returns the number of trees to sample. */
int64_t bn_sample_size(const bonsai_condense_options *o, int64_t trees);

/* ---- reading the graph (reader.c) ---- */

/* Reads neighbours and features of nodes for the selection stages. */
typedef struct bn_reader bn_reader;

/* Makes a reader.  accounting: STRICT or PAPER_CONDENSED.  g must be undirected and verified. */
bonsai_status bn_reader_new(bn_reader **out, const bonsai_graph *g, bonsai_accounting accounting);
void          bn_reader_free(bn_reader *r);     /* NULL is fine */

/* ---- the price of a set of nodes (price.c) ---- */

/* The bytes that the writer would need for the graph of some nodes and the edges among them,
 * kept up to date while nodes are added and removed: adjacency, weights where the full graph has
 * them, features and labels. */
typedef struct bn_price bn_price;

/* Makes the price of no nodes, in the accounting of the reader, which it borrows. */
bonsai_status bn_price_new(bn_price **out, bn_reader *r);
void    bn_price_free(bn_price *p);
double  bn_price_bytes(const bn_price *p);
int64_t bn_price_nodes(const bn_price *p);
int64_t bn_price_entries(const bn_price *p);
const uint64_t *bn_price_bits(const bn_price *p);       /* the priced nodes, as bits */
bonsai_status bn_price_add(bn_price *p, int32_t node);  /* must not be in */
void    bn_price_remove(bn_price *p, int32_t node);     /* must be in */
void    bn_price_again(bn_price *p, int32_t node);      /* adds one that was in before */
/* Marks the set; undo restores it, given the nodes that were added since.  No node may have been
 * removed since.  O(1) and O(count). */
void    bn_price_mark(bn_price *p);
void    bn_price_undo(bn_price *p, const int32_t *nodes, int64_t count);
/* Returns the least that a node costs, and the least that the set costs.  No set costs less than
 * the sum of its nodes' least; with more nodes the set costs no less than its floor plus their
 * least. */
bonsai_status bn_price_least(double *out, bn_price *p, int32_t node);
double  bn_price_floor(const bn_price *p);
/* Returns the least that an entry adds to the price; 0: prices can fall when a node is added. */
double  bn_price_entry(const bn_price *p);
/* Returns the non-zero features of a node, and a bit of BN_ENCODING_BITS for each small encoding
 * that its row forbids. */
enum { BN_ENCODING_BITS = 7 };
bonsai_status bn_price_row(int64_t *nnz, int *forbids, bn_price *p, int32_t node);

/* ---- trees (hoptree.c) ---- */

typedef struct bn_hoptree bn_hoptree;   /* room for growing trees */

bonsai_status bn_hoptree_new(bn_hoptree **out, bn_reader *r);
void bn_hoptree_free(bn_hoptree *e);

typedef struct {
    const int32_t *node;        /* the root first; borrowed until the next call */
    int64_t count;
    bool    fits;
    bool    never;              /* alone it exceeds the budget, so it fits into no set */
} bn_tree;

/* Adds the nodes within `layers` hops of root to the priced set if it stays within the budget in
 * bytes and nodes.  If they fit, *tree lists all of them, also those that were in the set before;
 * else nothing changes. */
bonsai_status bn_hoptree_grow(bn_tree *tree, bn_hoptree *e, bn_price *p, int32_t root, int layers,
                          const bn_budget *budget);
/* Removes what the last call added. */
void bn_hoptree_undo(bn_hoptree *e, bn_price *p);

/* ---- lazy greedy cover (cover.c) ---- */

typedef struct bn_cover bn_cover;

/* Makes an order of trees: the largest number of uncovered samples first, divided by cost if
 * given (a number per tree); ties to the lower tie[] (the root's degree), then to the lower
 * tree.  When all samples are covered, another round begins; when no tree covers a new sample,
 * the rest follows in seeded random order.  Borrows all arrays. */
bonsai_status bn_cover_new(bn_cover **out, const bn_lists *covers, int64_t samples,
                           const int64_t *tie, const double *cost, uint64_t seed);
int64_t bn_cover_next(bn_cover *c);                 /* neither taken nor skipped; -1: none left */
void    bn_cover_take(bn_cover *c, int64_t tree);   /* covers its samples */
void    bn_cover_skip(bn_cover *c, int64_t tree);   /* not again until bn_cover_retry */
void    bn_cover_retry(bn_cover *c);                /* allows the skipped trees again */
/* Drops taken trees until bn_cover_resume; samples that no other taken tree covers are open
 * again. */
void    bn_cover_drop(bn_cover *c, const int32_t *trees, int64_t count);
/* Sets the taken trees to exactly these; all others may be taken again. */
void    bn_cover_resume(bn_cover *c, const int32_t *trees, int64_t count);
int64_t bn_cover_reached(const bn_cover *c);        /* samples covered since the start */
int64_t bn_cover_rechecks(const bn_cover *c);       /* gains computed again */
void    bn_cover_free(bn_cover *c);

/* ---- personalised PageRank and its knee (ppr.c) ---- */

typedef struct {                /* a small graph that is walked on */
    int64_t n;
    const int64_t *offsets;
    const int32_t *neighbors;
    const float   *weights;     /* NULL: all 1 */
    const uint8_t *root;        /* n: 1: walks return there */
} bn_links;

/* Fills pi (n), teleporting to the roots only: pi = (1 - beta) A pi + beta e, A column-stochastic,
 * until the L1 change is below 1e-9.  *rounds gets the number of steps. */
bonsai_status bn_ppr(double *pi, int *rounds, const bn_links *g, double beta, const bn_place *at);

typedef struct {
    double beta;                /* the chance to return to a root */
    double enough;              /* L1 change of a step that ends it */
    int    most;                /* steps */
} bn_walks;

/* Does the same until the change is below how->enough, or for how->most steps. */
bonsai_status bn_ppr_until(double *pi, int *rounds, const bn_links *g, const bn_walks *how,
                           const bn_place *at);
/* Finds the index of the largest second difference of scores in descending order, and the score
 * there; -1 with fewer than three nodes. */
void bn_knee(int64_t *index, double *score, const double *sorted, int64_t n);

typedef struct { double score; int32_t node; } bn_ranked;

int bn_lowest_first(const void *a, const void *b);      /* for qsort; ties to the higher id */

/* ---- the choice and its trace (trace.c) ---- */

/* A trace of the choice for the report (trace.c), of a fixed size. */
enum { BN_TRACE_POINTS = 200, BN_TRACE_SCORES = BONSAI_SCORES_ROOM, BN_TRACE_ROUNDS = 10,
       BN_TRACE_STARTS = 50 };

typedef struct {
    double  bytes;              /* in the accounting of the job */
    int64_t covered;            /* samples */
    bool    keep;               /* not to be thinned out: the first of a round */
} bn_trace_point;

typedef struct {                /* a look at the PageRank of all nodes */
    int64_t number;             /* from 1 */
    int64_t nodes, knee, pruned;        /* nodes, or trees; knee: a rank; -1: none */
    int64_t count;
    int64_t rank[BN_TRACE_SCORES];      /* from 0, ascending, denser at the top */
    double  score[BN_TRACE_SCORES];     /* descending */
} bn_trace_round;

typedef struct {
    int64_t count, every, met;  /* points; roots from one point to the next; roots since the last */
    bn_trace_point point[BN_TRACE_POINTS];      /* by roots in the order in which they were taken */
    int64_t starts;
    int32_t start[BN_TRACE_STARTS];             /* roots that had come when a round began */
    int64_t rounds;
    bn_trace_round round[BN_TRACE_ROUNDS];      /* the first ones and the last */
} bn_trace;

typedef struct {                /* what was taken */
    int64_t  count;
    int32_t *node;              /* ids in the job's graph, ascending */
    uint8_t *role;              /* bonsai_role */
    float   *score;             /* PageRank from the roots; 0: none */
    int32_t *tree;              /* root of the tree that brought the node: a root's is itself */
    int32_t *covers;            /* samples that a root covers */
    double   bytes;             /* the price of the set, in the accounting of the job */
    double   coverage, coverage_bound;
    int64_t  rechecks;
    int      rounds, shallow_classes;
    int64_t  whole;             /* roots with all of their tree; -1: unknown */
    bn_trace *trace;            /* of the method trees; NULL: no trace */
} bn_choice;

void bn_choice_free(bn_choice *c);

/* ---- the methods that pick nodes ---- */

/* Chooses nodes of the job's graph within the budget; fails where nothing fits. */
typedef bonsai_status bn_pick_fn(bn_choice *out, bn_job *job, const bn_budget *budget);

/* The paper's method, and its ablations and extras (trees.c).  Collective: rank 0 chooses and has
 * the choice; the others answer what it asks about their nodes. */
bn_pick_fn bn_trees;
/* The other methods (baselines.c), likewise: training nodes, or their trees, at random; nodes whose
 * mean follows that of their class; the node farthest from all before; nodes of most neighbours. */
bn_pick_fn bn_random, bn_random_trees, bn_herding, bn_kcenter, bn_by_degree;
/* Ends a choice, given its status on each rank: the others are no longer asked.  Fails if a budget
 * in bytes has no room for any node; the sentence names the least that has.  Collective. */
bonsai_status bn_choice_end(bn_choice *out, const bn_job *job, const bn_budget *budget,
                            bonsai_status rc);

#endif
