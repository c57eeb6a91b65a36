/* gcsntk.h -- the kernel regression on learned rows that GC-SNTK uses.
 *
 *   partition.c  batches of nodes of the full graph
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

/* Cuts the given nodes into batches.  Free it even on failure. */
bonsai_status bn_partition_new(bn_partition *c, const bn_problem *s, const int32_t *node,
                               int64_t count);
void bn_partition_free(bn_partition *c);
int64_t bn_partition_first(const bn_partition *c, int64_t batch);       /* its first row */
int64_t bn_partition_most(const bn_partition *c);               /* rows of a batch at most */
/* Returns the rows of a batch, valid until the next call. */
bn_sntk_rows bn_partition_batch(bn_partition *c, int64_t batch);

/* ---- the classifier (gcsntk.c) ---- */

/* Fills label (one for each node of the partition) with the classes that the present rows and
 * targets predict, in the order in which the nodes were given. */
bonsai_status bn_gcsntk_predict(int32_t *label, const bn_problem *s, bn_partition *c);

#endif
