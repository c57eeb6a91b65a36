/* calls.h -- every public call, on graphs and a model from anywhere; for fuzz_calls.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CALLS_H
#define BN_CALLS_H

#include "bonsai_study.h"
#include "mutate.h"

typedef struct {
    bonsai_graph *graph[3];     /* those that loaded come first */
    int           graphs;       /* from 1 */
    bonsai_model *model;        /* NULL: none loaded */
    char          archive[300]; /* the path of the last NumPy archive; "": none came */
    mu_rng        rng;          /* for options; the same input gives the same */
    int           patience;     /* calls of progress until it cancels; -1: never */
} calls;

typedef void calls_fn(calls *c);

extern calls_fn *const calls_of_one[], *const calls_of_several[];
extern const int calls_of_one_count, calls_of_several_count;

/* One of the graphs. */
const bonsai_graph *calls_graph(calls *c);
int calls_progress(const bonsai_progress *p, void *payload);    /* payload: the calls */
/* Whether a call succeeded.  A failure must have a sentence and leave no object: `made`. */
bool calls_went(bonsai_status rc, const void *made);
void calls_must(bool condition, const char *what);

/* Options that are valid and small. */
void calls_read_options(bonsai_read_options *o, calls *c);
void calls_condense_options(bonsai_condense_options *o, calls *c);
void calls_train_options(bonsai_train_options *o, calls *c);

#endif
