/* condense.h -- the door to condensing, for one rank or many; what may be asked for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CONDENSE_H
#define BN_CONDENSE_H

#include "trees/trees.h"

/* ---- what may be asked for (condense.c) ---- */

bonsai_status bn_request_budget(const bonsai_condense_options *o);
bonsai_status bn_request_ratio(double ratio);
/* What coordinates as features go with; the method becomes the one that makes them. */
bonsai_status bn_request_coordinates(bonsai_condense_options *o, bool ratios);
/* What was said last, of the graph `where`, without the name of the file: that may be any bytes, and
 * a record may not. */
void bn_request_refusal(char *to, size_t size, const char *where);

/* ---- the door (condense.c, induce.c) ---- */

typedef struct {                /* what is asked for: one small graph, or one for each ratio */
    const bonsai_condense_options *o;   /* NULL: the defaults */
    const double *ratios;       /* NULL: the budget of the options */
    int count;
    bool plain;                 /* what the full graph is worth need not be measured */
} bn_asked;

/* The door for all ranks together: on rank 0 as bonsai_condense_many, on the others out stays NULL;
 * info is the same everywhere. */
bonsai_status bn_condense(bonsai_graph **out, bonsai_condense_info *info, const bonsai_graph *g,
                          const bn_asked *a, bn_world *w);
/* Stops the place's clock, and gives its seconds on rank 0 to all ranks.  Collective. */
bonsai_status bn_fill_spent(bonsai_condense_info *i, const bn_place *at);
/* The graph of the nodes, ascending, that rank 0 gives, made on rank 0 alone (induce.c): what
 * bonsai_graph_induce would make of them, every rank reading its own.  Collective. */
bonsai_status bn_induce(bonsai_graph **out, const bn_job *job, const int32_t *nodes, int64_t count);

#endif
