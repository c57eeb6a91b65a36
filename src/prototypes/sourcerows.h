/* sourcerows.h -- the rows that prototypes are made of, and their labels; see sourcerows.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SOURCEROWS_H
#define BN_SOURCEROWS_H

#include "basis.h"

static const double bn_sharpness = 3;   /* of posteriors */

typedef struct {
    bn_source s;
    bn_embedding copy[BN_VIEWS];        /* of some rows, or empty, ... */
    bn_sharded   view[BN_VIEWS];        /* ... and of all ranks */
    bn_embedding low;                   /* far rows in few dimensions, or empty, ... */
    bn_sharded   near;                  /* ... and of all ranks */
    int32_t *node, *label;
    uint8_t *known;
    int64_t *have;
    float   *posterior;
} bn_source_rows;

/* Collects all training rows or, unless `all`, those that are not held out for judging. at: the
 * job's place, with the progress of inner stages.  Collective. */
bonsai_status bn_source_rows_make(bn_source_rows *r, const bn_job *job, bool all,
                                  const bn_place *at);
/* Fills s from the given views and the other fields. */
bonsai_status bn_source_rows_fill(bn_source_rows *r, const bn_embedding *const given[BN_VIEWS],
                                  int64_t classes, const bn_place *at);
/* Computes the posteriors of the rows.  Collective. */
bonsai_status bn_source_rows_posterior(bn_source_rows *r);
/* Computes the posteriors with the guide's classifier of averaged rows.  Collective. */
bonsai_status bn_source_rows_posterior_by(bn_source_rows *r, const bn_guide *g);
void bn_source_rows_free(bn_source_rows *r);
enum { BN_MOST_UNLABELLED = 20000 };    /* nodes without a label that take part */
/* Return whether labels are so few that nodes without one take part. */
bool bn_few_labels(const bonsai_condense_options *o, int64_t trees, int64_t nodes);
bool bn_job_few_labels(const bn_job *job);
/* Collects rows as bn_source_rows_make does, and those of nodes without a known label, which get
 * the class that a classifier expects (unlabelled.c). */
bonsai_status bn_source_rows_unlabelled(bn_source_rows *out, const bn_job *job, bool all,
                                        const bn_place *at);

#endif
