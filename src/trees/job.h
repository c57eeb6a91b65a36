/* job.h -- the job of a method (graph, options, training nodes) and its budget.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_JOB_H
#define BN_JOB_H

#include "neighbours/neighbours.h"

/* The stages that seconds are counted for; a fact each, in the order of record/fact.h. */
enum {
    BN_STAGE_MEASURE, BN_STAGE_WL, BN_STAGE_KNN, BN_STAGE_COVER, BN_STAGE_SPARSIFY,
    BN_STAGE_CLUSTER, BN_STAGE_FIT, BN_STAGE_PROBE, BN_STAGE_LEARN, BN_STAGE_FINISH, BN_STAGES
};

enum { BN_CHECK_SAMPLE = 500 };         /* trees of the second sample at most */

typedef struct {                /* nodes as networks see them */
    bn_embedding own;           /* their features as they are */
    bn_embedding around;        /* the mean of their neighbours' */
    bn_embedding far;           /* averaged o->layers times over closed neighbourhoods */
} bn_views;

/* The input of all methods.  Lists of trees are of all ranks, rows of trees of this rank. */
typedef struct {
    const bonsai_graph *g;      /* the graph that is condensed: full, or its training part */
    const bonsai_graph *whole;  /* the same with all features, where g has selected ones only */
    const bonsai_condense_options *o;   /* complete */
    bn_place at;                /* threads are at least 1 */
    int64_t *tree_first;        /* ranks+1: the trees of each rank */
    int32_t *train;             /* training nodes with a label, ascending: the trees' roots */
    int64_t  trees;             /* of all ranks */

    /* methods that compare trees (represent.c): made when a method first asks, for all budgets */
    bool raw;                   /* embed features as they are: no averages */
    bool projected;             /* the embedding is in few dimensions */
    bool known;                 /* rknn is filled; it took ... */
    double seconds_wl, seconds_knn;     /* ... these seconds */
    bn_embedding wl;            /* a row per tree: its WL embedding, while it is needed */
    int32_t *sample;            /* z trees, ascending */
    int64_t  z;
    bn_lists rknn;              /* per tree the samples it represents, on rank 0 */
    int32_t *check, *check_list;        /* a second sample and its neighbours, on rank 0 */
    int64_t  checks;
    double   recall;            /* of neighbours that were found through a projection */
    bn_knn_work work;           /* pairs of trees that were compared */
    int      columns;           /* of the last dense embedding at a time */

    /* methods that judge candidates (prototypes/judge.c) */
    bn_embedding own, around, far;      /* a row per tree: its views */
    bn_views judge;             /* rows that the probe judges on, the same on every rank, ... */
    int32_t *judge_label;       /* ... and their labels */
    uint8_t *held;              /* trees: 1: it is one of those rows; NULL: none is */
    struct bn_probe *probe;     /* ... and the probe; NULL: no rows to judge on */
} bn_job;

typedef struct {                /* limits; INFINITY or INT64_MAX: no limit */
    double  bytes;              /* in the accounting of the job */
    int64_t nodes, trees;
} bn_budget;

#endif
