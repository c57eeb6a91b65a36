/* exemplars.h -- trees that are chosen for what they represent: the cover adds them, PageRank
 * prunes them.
 *
 * Every step has two forms: pruning drops nodes one by one, which leaves room for more trees, or,
 * with the option keep_trees, whole trees.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EXEMPLARS_H
#define BN_EXEMPLARS_H

#include "chosen.h"

typedef struct {
    const bn_job *job;
    bn_choice *out;             /* gets its rounds, its bound and its trace */
    bn_chosen    set;
    bn_cover *cover;
    int64_t  *degree;           /* trees */
    double   *cost;             /* trees: stand-alone bytes, for --greedy density */
    uint8_t  *tried;            /* classes: a tree of it has fitted or been tried */
    uint8_t  *deep;             /* classes: one of full depth is in the set */
    int64_t  *misses;           /* classes, while seats are filled */
    int64_t   added;            /* trees taken in the last filling */
    int64_t   most;             /* whole trees that may go in a round; 0: no more rounds */
    int64_t   pruned;           /* ... that went in this one */
    bn_snapshot before;         /* ... and the set before they did */
    int64_t   tries;
    const char *stage;
    int64_t   done, total;      /* progress of the stage */
} bn_exemplars;

/* ---- a stage of progress (exemplars.c) ---- */

bonsai_status bn_stage_begin(bn_exemplars *t, const char *stage, int64_t total);
bonsai_status bn_stage_tick(bn_exemplars *t);
bonsai_status bn_stage_end(bn_exemplars *t);

/* ---- the steps (exemplars.c) ---- */

/* Makes an empty set with a seat for every class, and the cover's lists; fills out's bound. */
bonsai_status bn_exemplars_new(bn_exemplars *t, bn_choice *out, const bn_job *job,
                               const bn_budget *budget);
void bn_exemplars_free(bn_exemplars *t);        /* zeros are fine */
/* Takes whole trees in the order of the greedy cover until none fits.  A class that has a seat and
 * no tree gets its root alone or with a shallower tree; so does the first root if no tree fits. */
bonsai_status bn_take_trees(bn_exemplars *t);
/* Fills the rest of the budget: with whole trees, then with shallower ones if they may be cut. */
bonsai_status bn_fill_trees(bn_exemplars *t);
/* Ranks the chosen nodes by PageRank and drops those below the knee; with keep_trees whole trees.
 * *more: fill again. */
bonsai_status bn_prune_trees(bool *more, bn_exemplars *t);
/* Ends a round; undoes one of whole trees that improves nothing.  *more: another may follow;
 * with keep_trees bn_prune_trees alone says so. */
bonsai_status bn_end_round(bool *more, bn_exemplars *t);
/* Adds single nodes to the rest of the budget, scores the chosen nodes, and stores them in out. */
bonsai_status bn_finish_trees(bn_exemplars *t);

/* ---- costs (bound.c) ---- */

/* Fills t->cost: the bytes of every tree that covers a sample, alone. */
bonsai_status bn_price_trees(bn_exemplars *t);
/* Fills the bound of the coverage, which no choice of trees at this budget exceeds. */
bonsai_status bn_bound_coverage(bn_exemplars *t);

#endif
