/* averages.h -- averaged rows as a product of sparse matrices; see averages.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_AVERAGES_H
#define BN_AVERAGES_H

#include "embed.h"
#include "tensor/tensor.h"

typedef struct {
    bn_embedding features;      /* of all nodes, ... */
    bn_matrix x, x_turned;      /* ... and as a matrix, whose arrays are those of features */
    bn_matrix round, round_turned;      /* (nodes,nodes): one round of averaging */
    bn_matrix last, last_turned;        /* (count,nodes): the requested rows of a round */
    bn_matrix pick, pick_turned;        /* (count,nodes): picks the requested nodes */
} bn_averages;

/* Returns how many numbers a product with averaged rows reads, at `entries` features a node; 0: the
 * graph is too large to be gathered, or has too many rounds. */
double bn_averages_cost(const bonsai_graph *g, double entries, int layers);
/* Makes the matrices for some nodes, ascending, on rank 0, which gathers the graph; the others get
 * none.  Features are stored dense or sparse.  Collective. */
bonsai_status bn_averages_make(bn_averages *out, const bonsai_graph *g, const bn_nodes *nodes,
                               int layers, bool dense, const bn_place *at);
void bn_averages_free(bn_averages *a);
/* Return the rows of the nodes: their features, and these after `layers` rounds of averaging. */
bn_chain bn_averages_own(const bn_averages *a);
bn_chain bn_averages_far(const bn_averages *a, int layers);

#endif
