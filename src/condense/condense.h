/* condense.h -- condenses a graph, on one rank or many; checks the options.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CONDENSE_H
#define BN_CONDENSE_H

#include "trees/trees.h"

/* ---- checks of options (condense.c) ---- */

/* Fail if no budget is given, or if the ratio is out of range. */

bonsai_status bn_request_budget(const bonsai_condense_options *o);
bonsai_status bn_request_ratio(double ratio);
/* Fails if other options exclude coordinates as features; sets the method that makes them. */
bonsai_status bn_request_coordinates(bonsai_condense_options *o, bool ratios);
/* Copies the last error on the graph `where` without the name of its file, which may be any
 * bytes. */
void bn_request_refusal(char *to, size_t size, const char *where);

/* ---- condensing (condense.c, induce.c) ---- */

typedef struct {                /* one small graph, or one for each ratio */
    const bonsai_condense_options *o;   /* NULL: the defaults */
    const double *ratios;       /* NULL: the budget of the options */
    int count;
    bool plain;                 /* the probe need not measure the full graph */
} bn_asked;

/* Condenses on all ranks together: on rank 0 as bonsai_condense_many, on the others out stays NULL;
 * info is the same everywhere. */
bonsai_status bn_condense(bonsai_graph **out, bonsai_condense_info *info, const bonsai_graph *g,
                          const bn_asked *a, bn_world *w);
/* Stops the place's clock, and gives its seconds on rank 0 to all ranks.  Collective. */
bonsai_status bn_fill_spent(bonsai_condense_info *i, const bn_place *at);
/* Makes on rank 0 the graph of the nodes, ascending, that rank 0 gives (induce.c), as
 * bonsai_graph_induce does; every rank reads its own nodes.  Collective. */
bonsai_status bn_induce(bonsai_graph **out, const bn_job *job, const int32_t *nodes, int64_t count);

#endif
