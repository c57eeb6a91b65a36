/* chosen.h -- the nodes that a method has chosen so far, priced, with their roles.
 *
 * A budget in bytes or nodes reserves room for one node of every class if they all fit: until a
 * class has a root, one of its nodes, its seat, is priced along with the chosen ones.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CHOSEN_H
#define BN_CHOSEN_H

#include "reader.h"

typedef struct {                /* of a node that is or was chosen */
    double  score;              /* last PageRank */
    int32_t brought;            /* root whose tree brought the node */
    int32_t turn;               /* of a root: the number of roots taken before it */
    uint8_t depth;              /* of a root: hops at which its tree was cut */
    uint8_t role;               /* bonsai_role; NONE: dropped */
} bn_chosen_node;

typedef struct {
    const bn_job *job;
    bn_budget budget;
    int64_t   z;                /* samples that count; 0: the method covers none */
    bn_reader *reader;
    bn_price *price;            /* chosen nodes and waiting seats */
    bn_hoptree *hoptree;
    uint8_t  *hopeless;         /* trees: from this depth on the tree never fits */
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
    int64_t  *seat;             /* classes: tree of the seat; -1: no seat, or a root */
    bn_trace *trace;            /* borrowed; NULL: none */
    bonsai_progress last;       /* the last report, repeated during PageRank */
} bn_chosen;

int bn_by_id(const void *a, const void *b);     /* for qsort: node ids, ascending */

/* Returns the entry of a node; NULL if it was never chosen. */
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

/* Makes an empty set with its seats.  bn_chosen_free takes zeros, too. */
bonsai_status bn_chosen_new(bn_chosen *s, const bn_job *job, const bn_budget *budget);
void    bn_chosen_free(bn_chosen *s);
int32_t bn_chosen_label(const bn_chosen *s, int64_t tree);
/* Takes a tree, cut at a depth, if it fits; its root may have a tree of less depth already. */
bonsai_status bn_chosen_try(bool *fits, bn_chosen *s, int64_t tree, int depth);
/* Takes the first tree that fits as a single node; *tree is -1 if none fits.  A budget with room
 * for a node then never stays empty, however short the search was. */
bonsai_status bn_chosen_any(int64_t *tree, bn_chosen *s);
/* Adds a priced node, with a score of 0 if `anew`; does nothing if the node is chosen already. */
bonsai_status bn_chosen_add(bn_chosen *s, int32_t node, int32_t root, bool anew);
/* Drops nodes; returns false and drops nothing if the rest would exceed the budget, which
 * happens by the paper's accounting only. */
bool    bn_chosen_drop(bn_chosen *s, const int32_t *nodes, int64_t count);
bool    bn_chosen_exceeds(const bn_chosen *s);        /* its budget */
double  bn_chosen_used(const bn_chosen *s);           /* share of the budget, 0 .. 1 */
int64_t bn_chosen_tree(const bn_chosen *s, int32_t root);     /* by its root's id */
/* Returns the number of samples that a root covers anew, and marks them as covered; the second
 * counts those that all roots cover.  A cut tree covers as much as a whole one. */
int64_t bn_chosen_cover(uint8_t *covered, const bn_chosen *s, int32_t root);
bonsai_status bn_chosen_covered(int64_t *out, const bn_chosen *s);
/* Fills a choice with the chosen nodes, and with the coverage if there are samples. */
bonsai_status bn_chosen_collect(bn_choice *out, bn_chosen *s);

/* ---- PageRank and its knee on the set (sparsify.c) ---- */

#define BN_ENOUGH 0.98          /* of the budget counts as all of it */

/* Scores all chosen nodes by PageRank from the roots; there must be one. */
bonsai_status bn_chosen_rank(bn_chosen *s);
/* Lists the chosen nodes of the roles in the mask (1 << role), lowest score first, ties to the
 * higher id. */
bonsai_status bn_chosen_lowest(bn_ranked **out, int64_t *count, const bn_chosen *s, int roles);
/* Finds the score at the knee of nodes sorted with the lowest first; 0 if there is no knee. */
bonsai_status bn_chosen_knee(double *bar, bn_chosen *s, const bn_ranked *all, int64_t count);
/* Drops the ego nodes below the knee, *pruned of them.  If they are less than the least share of
 * the nodes and the budget is used, drops none and sets *settled. */
bonsai_status bn_chosen_prune(bn_chosen *s, int64_t *pruned, bool *settled);

/* Adds single nodes within `layers` hops of the roots while they fit, the nearest first, once no
 * tree can use the rest of the budget. */
bonsai_status bn_chosen_widen(bn_chosen *s);

/* ---- whole trees (wholetrees.c) ---- */

/* Counts the roots with every node within `layers` hops in the set. */
bonsai_status bn_chosen_whole(int64_t *out, const bn_chosen *s);
/* Marks the classes that have a root whose tree was not cut. */
void bn_chosen_deep(uint8_t *deep, const bn_chosen *s);
/* Drops whole trees below the knee of the mean scores of their nodes, `most` at most, with the
 * nodes that no other tree has; *pruned gets their number.  Keeps one tree of every class.
 * Drops none if they are less than the least share.  Drops them from the cover, too. */
bonsai_status bn_chosen_prune_trees(bn_chosen *s, bn_cover *cover, int64_t most, int64_t *pruned);
/* Drops the cut trees of classes that have a whole one, likewise: *dropped of them.  Drops none if
 * the rest would exceed the budget, which happens by the paper's accounting only. */
bonsai_status bn_chosen_drop_cut(bn_chosen *s, bn_cover *cover, int64_t *dropped);

typedef struct {                /* a copy of the set at some time */
    int64_t    members, roots, covered;         /* covered: samples */
    int32_t    turns;
    int32_t   *member;
    bn_chosen_node *chosen;          /* members */
} bn_snapshot;

/* Copies the set.  bn_snapshot_free takes zeros, too. */
bonsai_status bn_chosen_remember(bn_snapshot *out, const bn_chosen *s);
/* Finds whether the set covers more samples than the snapshot, or as many with more roots. */
bonsai_status bn_chosen_better(bool *better, const bn_chosen *s, const bn_snapshot *then);
/* Restores the set of a snapshot, which must have been taken without a waiting seat. */
void bn_chosen_restore(bn_chosen *s, const bn_snapshot *then);
void bn_snapshot_free(bn_snapshot *b);
/* Sets the taken trees of the cover to the roots of the set. */
bonsai_status bn_chosen_resume(const bn_chosen *s, bn_cover *cover);

/* ---- the trace of the choice (trace.c) ---- */

/* Record the start of a round of filling, the descending scores of nodes or trees in a round of
 * pruning, and the number that it dropped. */
void bn_chosen_trace_round(bn_chosen *s);
void bn_chosen_trace_scores(bn_chosen *s, const double *sorted, int64_t n, int64_t knee);
void bn_chosen_trace_pruned(bn_chosen *s, int64_t pruned);
/* Records the curve of the set, if it has a trace and there are samples. */
bonsai_status bn_chosen_trace_curve(bn_chosen *s);

#endif
