/* train.h -- what a training is made of before its runs begin, and the runs.
 *
 *   task.c      options checked, targets listed, graphs made ready
 *   classweight.c  weights of classes in the loss
 *   metrics.c   measures of how well predictions fit labels
 *   runs.c      epochs, and seeds side by side
 *   train.c     the public calls
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TRAIN_H
#define BN_TRAIN_H

#include "record/record.h"
#include "metrics.h"
#include "model.h"

typedef struct {                /* shared by all runs, and constant once made */
    bonsai_train_options o;
    int         threads;
    bn_progress progress;
    const bonsai_graph *small, *full;   /* trained on; judged on, with its split */
    bonsai_graph *drawn;        /* the graph with a split that was drawn, or NULL */
    const bonsai_graph *given;  /* full, before it was projected on small's basis; else full */
    bonsai_graph *projected;    /* or NULL */
    bn_judge_split    parts;          /* the origin of that split */
    int64_t     leaks;          /* labelled nodes of small that full judges on */
    bool        same;           /* small and full are one graph */
    bn_dims     dims;
    int64_t     count;          /* parameters */
    int32_t    *kept;           /* features of full that small has, or NULL: all */
    float      *mean, *spread;  /* of these, or NULL */
    bn_columns  of_small, of_full;
    bn_targets  targets;
    bn_judged   val, test;
    int         positive;       /* two classes: the one with fewer labelled nodes in full */
    bn_operand  train, judge;   /* judge is empty if they are the same */
} bn_task;

bonsai_status bn_task_make(bn_task *t, const bonsai_graph *small, const bonsai_graph *full,
                           const bonsai_train_options *o);
void bn_task_free(bn_task *t);

/* Weighs the targets by class as the text asks (bonsai_train_options; NULL: not at all): multiplies
 * a target's weight by those of its classes, by their shares, and makes its shares those of the
 * weighted classes.  Weights sum to 1 again.  where: the graph's name. */
bonsai_status bn_weigh_classes(bn_targets *t, int64_t classes, const char *text, const char *where);

/* Returns the room for an operand that is judged on; memory: as in the options, 0: not limited. */
int64_t bn_memory_room(int64_t memory);

typedef struct {                /* the results of the runs */
    bonsai_run   *run;          /* o.seeds */
    bonsai_epoch *point;        /* o.seeds x o.epochs */
    double       *recall;       /* o.seeds x classes: of test nodes, at the best epoch */
    real         *param;        /* of the best epoch of the best run */
    int           best;
    int           in_blocks;
} bn_outcome;

bonsai_status bn_runs(bn_outcome *out, const bn_task *t);
void bn_outcome_free(bn_outcome *o);

#endif
