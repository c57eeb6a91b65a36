/* chosen.h -- the nodes that a method has chosen so far, priced, with their roles.
 *
 * A byte or node budget that has room for one node of every class keeps it: until a
 * class has a root, one of its nodes, its seat, is priced along with the chosen ones.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CHOSEN_H
#define BN_CHOSEN_H

#include "reader.h"

typedef struct {                /* of a node that is or was chosen */
    double  score;              /* last PageRank */
    int32_t brought;            /* root whose tree brought the node */
    int32_t turn;               /* of a root: how many had come when this one did */
    uint8_t depth;              /* of a root: hops at which its tree was cut */
    uint8_t role;               /* bonsai_role; NONE: not chosen any more */
} bn_chosen_node;

typedef struct {
    const bn_job *job;
    bn_budget budget;
    int64_t   z;                /* samples that count; 0: the method covers none */
    bn_reader *reader;
    bn_price *price;            /* chosen nodes and waiting seats */
    bn_hoptree *hoptree;
    uint8_t  *hopeless;         /* trees: from this depth on it will never fit */
    bn_slotmap  slots;            /* of nodes that are or were chosen */
    bn_chosen_node *chosen;          /* by slot */
    int64_t   chosen_room;
    int32_t   turns;
    int32_t  *member;           /* the chosen nodes */
    int64_t   member_room;
    int64_t   members;
    int64_t   roots;
    int64_t  *class_roots;      /* classes */
    int64_t  *class_trees;      /* classes: training nodes */
    int64_t  *seat;             /* classes: tree of the seat; -1: none, or not needed any more */
    bn_trace *trace;            /* borrowed; NULL: none */
    bonsai_progress last;       /* what was said last: said again while PageRank walks */
} bn_chosen;

int bn_by_id(const void *a, const void *b);     /* for qsort: node ids, ascending */

/* What is known of a node; NULL: never chosen. */
static inline bn_chosen_node *bn_chosen_find(const bn_chosen *s, int32_t node)
{
    int64_t slot = bn_slotmap_find(&s->slots, node);
    return slot < 0 ? NULL : &s->chosen[slot];
}

static inline int bn_chosen_role(const bn_chosen *s, int32_t node)
{
    const bn_chosen_node *c = bn_chosen_find(s, node);
    return c ? c->role : BONSAI_ROLE_NONE;
}

/* An empty set with its seats.  bn_chosen_free takes one that was never made, too, if it
 * is all zero. */
bonsai_status bn_chosen_new(bn_chosen *s, const bn_job *job, const bn_budget *budget);
void    bn_chosen_free(bn_chosen *s);
int32_t bn_chosen_label(const bn_chosen *s, int64_t tree);
/* Takes the tree, cut at the given depth, if it fits; if its root is one, at less depth so far. */
bonsai_status bn_chosen_try(bool *fits, bn_chosen *s, int64_t tree, int depth);
/* The first tree that fits as a single node, taken; -1: none does.  So that a budget
 * with room for a node is never left empty, however impatient the search. */
bonsai_status bn_chosen_any(int64_t *tree, bn_chosen *s);
/* Makes a node that the price has a chosen one, with a new score if so told; one that is chosen
 * stays as it is. */
bonsai_status bn_chosen_add(bn_chosen *s, int32_t node, int32_t root, bool anew);
/* Drops some nodes, or none of them where the rest would cost more than the budget, which it can by
 * the paper's accounting. */
bool    bn_chosen_drop(bn_chosen *s, const int32_t *nodes, int64_t count);
bool    bn_chosen_exceeds(const bn_chosen *s);        /* its budget */
double  bn_chosen_used(const bn_chosen *s);           /* share of the budget, 0 .. 1 */
int64_t bn_chosen_tree(const bn_chosen *s, int32_t root);     /* by its root's id */
/* How many samples a root covers that are not among the covered ones, where they then are too; and
 * how many all roots cover.  Cut or whole, a tree covers the same. */
int64_t bn_chosen_cover(uint8_t *covered, const bn_chosen *s, int32_t root);
bonsai_status bn_chosen_covered(int64_t *out, const bn_chosen *s);
/* What the set is now, as a choice; coverage too, where there are samples. */
bonsai_status bn_chosen_collect(bn_choice *out, bn_chosen *s);

/* ---- PageRank and its knee on the set (sparsify.c) ---- */

#define BN_ENOUGH 0.98          /* of the budget: it counts as used */

/* Scores all chosen nodes by PageRank from the roots; there must be one. */
bonsai_status bn_chosen_rank(bn_chosen *s);
/* The chosen nodes that have one of the roles of the mask (1 << role), lowest score
 * first, ties to the higher id. */
bonsai_status bn_chosen_lowest(bn_ranked **out, int64_t *count, const bn_chosen *s, int roles);
/* The score at the knee of some nodes, which come with the lowest first; 0: there is none. */
bonsai_status bn_chosen_knee(double *bar, bn_chosen *s, const bn_ranked *all, int64_t count);
/* Drops the ego nodes below the knee, *pruned of them; none if that is less than the
 * least share of the nodes and the budget is used: then *settled. */
bonsai_status bn_chosen_prune(bn_chosen *s, int64_t *pruned, bool *settled);

/* Adds single nodes within `layers` hops of the roots while they fit, the nearest
 * first: for when no tree is left that could use the rest of the budget. */
bonsai_status bn_chosen_widen(bn_chosen *s);

/* ---- whole trees (wholetrees.c) ---- */

/* How many roots have every node within `layers` hops of them in the set. */
bonsai_status bn_chosen_whole(int64_t *out, const bn_chosen *s);
/* Marks the classes that have a root whose tree was not cut. */
void bn_chosen_deep(uint8_t *deep, const bn_chosen *s);
/* Of the trees that were not cut, drops those below the knee, by the mean score of their nodes, so
 * many at most: *pruned of them, and what no other tree has.  Of every class one stays.  None go if
 * they are less than the least share.  The cover drops them too. */
bonsai_status bn_chosen_prune_trees(bn_chosen *s, bn_cover *cover, int64_t most, int64_t *pruned);
/* Drops the trees that were cut, of classes that have another: *dropped of them, in the same way.
 * None go where the rest would cost more than the budget, which it can by the paper's accounting. */
bonsai_status bn_chosen_drop_cut(bn_chosen *s, bn_cover *cover, int64_t *dropped);

typedef struct {                /* a set as it was at some time */
    int64_t    members, roots, covered;         /* covered: samples */
    int32_t    turns;
    int32_t   *member;
    bn_chosen_node *chosen;          /* members */
} bn_snapshot;

/* bn_snapshot_free takes one that is all zero, too. */
bonsai_status bn_chosen_remember(bn_snapshot *out, const bn_chosen *s);
/* Whether it now covers more samples than then, or as many with more roots. */
bonsai_status bn_chosen_better(bool *better, const bn_chosen *s, const bn_snapshot *then);
/* Makes the set what it was.  No seat may have been waiting then. */
void bn_chosen_restore(bn_chosen *s, const bn_snapshot *then);
void bn_snapshot_free(bn_snapshot *b);
/* Tells the cover that the roots are what is taken, and all others may come. */
bonsai_status bn_chosen_resume(const bn_chosen *s, bn_cover *cover);

/* ---- how it went (trace.c) ---- */

/* A round of filling begins; the scores that a round of pruning saw, of nodes or of trees,
 * descending; what went then. */
void bn_chosen_trace_round(bn_chosen *s);
void bn_chosen_trace_scores(bn_chosen *s, const double *sorted, int64_t n, int64_t knee);
void bn_chosen_trace_pruned(bn_chosen *s, int64_t pruned);
/* The curve of the set as it is now, if it has a trace and there are samples. */
bonsai_status bn_chosen_trace_curve(bn_chosen *s);

#endif
