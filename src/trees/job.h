/* job.h -- what every method starts from, and what it may take.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_JOB_H
#define BN_JOB_H

#include "neighbours/neighbours.h"

typedef struct {                /* nodes as networks see them */
    bn_embedding own;           /* their features as they are */
    bn_embedding around;        /* the mean of their neighbours' */
    bn_embedding far;           /* averaged o->layers times over closed neighbourhoods */
} bn_views;

/* ---- a job: what all methods start from (condense.c) ---- */

typedef struct {
    const bonsai_graph *g;      /* the graph that is condensed: full, or its training part */
    const bonsai_condense_options *o;   /* complete */
    bn_place at;                /* threads are at least 1 */
    int64_t *tree_first;        /* ranks+1: the trees of each rank */
    int32_t *train;             /* training nodes with a label, ascending: the trees' roots */
    int64_t  trees;             /* of all ranks */
    bn_embedding x;             /* a row per tree of this rank; empty where the method needs
                                 * none; of prototypes and auto the far rows, ... */
    bn_embedding own, around;   /* ... and these are their other views: bn_views */
    int32_t *sample;            /* z trees, ascending */
    int64_t  z;
    bn_lists rknn;              /* per tree the samples it covers; empty for other methods,
                                 * and on other ranks than 0 */
    bn_views judge;             /* prototypes and auto: rows that the probe judges on, the
                                 * same on every rank, ... */
    int32_t *judge_label;       /* ... and their labels */
    uint8_t *held;              /* trees: 1: it is one of those rows; NULL: none is */
    struct bn_probe *probe;     /* ... and the probe that does; NULL: there are none */
} bn_job;

typedef struct {                /* what may be taken: each a limit, INFINITY or INT64_MAX if none */
    double  bytes;              /* in the accounting of the job */
    int64_t nodes, trees;
} bn_budget;

#endif
