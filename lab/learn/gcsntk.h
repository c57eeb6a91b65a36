/* gcsntk.h -- kernel regression on learned rows: what GC-SNTK learns by, and how to ask it.
 *
 *   partition.c      nodes of the full graph as the kernel sees them
 *   krr.c sntk.c the regression, and its kernel
 *   gcsntk.c     the method; predictions of its own classifier
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_GCSNTK_H
#define BN_GCSNTK_H

#include "krr.h"
#include "learn.h"

typedef struct {
    int     hops;               /* that rows are averaged before the kernel */
    bn_sntk kernel;
    bool    mean;               /* the kernel's own hops take means, not sums */
    double  ridge;              /* times the mean of the kernel's diagonal */
    double  rate, epochs;
    int64_t batch;              /* rows at most */
} bn_gcsntk_settings;

const bn_gcsntk_settings *bn_gcsntk_settings_of(const bn_problem *s);

/* ---- nodes of the full graph (partition.c) ---- */

typedef struct {
    int64_t  count, f, batches;
    int      steps;             /* layers of the kernel in all */
    int32_t *place;             /* count: which of the given nodes is here */
    float   *x;                 /* count x f: averaged rows in units */
    int64_t *offsets;           /* count+1: neighbours in the same batch */
    int32_t *index;
    double  *value;
    double  *norm;              /* batch by batch: steps x its rows */
    double  *room;              /* rows of a batch x f */
} bn_partition;

/* The given nodes, in batches.  In any case to be freed. */
bonsai_status bn_partition_new(bn_partition *c, const bn_problem *s, const int32_t *node,
                               int64_t count);
void bn_partition_free(bn_partition *c);
int64_t bn_partition_first(const bn_partition *c, int64_t batch);       /* its first row */
int64_t bn_partition_most(const bn_partition *c);               /* rows of a batch at most */
/* Its rows, until another one is asked for. */
bn_sntk_rows bn_partition_batch(bn_partition *c, int64_t batch);

/* ---- the classifier (gcsntk.c) ---- */

/* label (as many as the partition has) = the classes that the learned rows and targets of this
 * moment give to its nodes, in the order in which they were given. */
bonsai_status bn_gcsntk_predict(int32_t *label, const bn_problem *s, bn_partition *c);

#endif
