/* prepare.h -- the input of all methods, prepared once for any number of budgets.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PREPARE_H
#define BN_PREPARE_H

#include "condense.h"

typedef struct {
    bn_job job;
    bonsai_condense_options o;
    unsigned needs;                     /* of the method */
    const bonsai_graph *full;           /* as given, with the split that is used */
    bonsai_graph *split, *part;         /* ours: a graph with another split, the training part */
    bonsai_graph *columns;              /* ours: that with the selected features only */
    bn_memory memory;                   /* for job.at */
    double   largest;                   /* of several ratios; 0: the options' own budget */
    int64_t  allowed;                   /* bytes of private memory */
    int64_t  program;                   /* bytes that the process had before (bn_needs_program), ... */
    bn_bound process;                   /* ... and could still reserve */
    int64_t *first;                     /* ranks+1: nodes of each rank, for job.at */
    bn_sizes sizes;                     /* of the full graph */
    int64_t full_labelled;
    uint32_t crc;                       /* of what is read of the full graph */
    void   *own;                        /* of the method: what all budgets share */
    bool    plain;                      /* the probe need not measure the full graph */
    double  probe_full;                 /* what the probe gets from the full graph; -1: not known, */
    int64_t probe_fitted;               /* ... and from how many of its training nodes */
} bn_preparation;

/* Fills a zeroed preparation whose options are set and checked; job.at.clock is set to count
 * seconds, and job.at.world on several ranks, which all call this with the same graph and
 * options.  needs: bits of a row of methods.h; 0: the graph is only measured. */
bonsai_status bn_prepare(bn_preparation *p, const bonsai_graph *g, unsigned needs);
/* Sets the number of threads and the bytes that large arrays may take (memorylimit.c). */
bonsai_status bn_prepare_memory(bn_preparation *p);
void bn_preparation_free(bn_preparation *p);

#endif
