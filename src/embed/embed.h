/* embed.h -- embeddings of nodes: WL and averages, dense or sparse, over ranks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EMBED_H
#define BN_EMBED_H

#include "base/place.h"
#include "graph/graph.h"

/* ---- WL embeddings (wl.c) ---- */

/* The arrays are from BN_BIG. */
typedef struct {                /* one row per requested node: dense or sparse */
    int64_t  rows, f;
    float   *dense;             /* rows x f, or NULL */
    int64_t *offsets;           /* rows+1: sparse rows, indices ascending, no zeros */
    int32_t *index;
    float   *value;
} bn_embedding;

/* The embeddings after `layers` rounds of the given nodes (NULL: all of them); the
 * same bits for any number of threads and for features given dense or sparse. */
bonsai_status bn_wl(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes, int64_t count,
                    int layers, int threads, bn_progress p);
/* As bn_wl, but in each round a node counts as much as each of its neighbours. */
bonsai_status bn_average(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, int threads, bn_progress p);
/* Both over ranks and under a limit.  g is the whole graph on every rank, of which only the rows of
 * its own nodes are read (offsets: any); the nodes are the rank's own, ascending, and so are the
 * rows.  NULL, 0: all of its own.  What is not within `layers` hops of a node that some rank asks
 * for is neither computed nor sent.  The same bits as alone. */
bonsai_status bn_wl_over(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                         int64_t count, int layers, bn_where *at, int threads, bn_progress p);
bonsai_status bn_average_over(bn_embedding *out, const bonsai_graph *g, const int32_t *nodes,
                              int64_t count, int layers, bn_where *at, int threads, bn_progress p);
void bn_embedding_free(bn_embedding *e);
/* One row as f floats, zeros included; and sum (f) += weight times a row. */
void bn_embedding_row(float *out, const bn_embedding *e, int64_t row);
void bn_row_add(double *sum, const bn_embedding *e, int64_t row, double weight);
/* Squared distance of two rows by the fixed-order kernel: dense and sparse agree. */
float bn_embedding_dist2(const bn_embedding *e, int64_t a, int64_t b);
/* The same of row i of a and row j of b, both dense or both sparse. */
float bn_rows_dist2(const bn_embedding *a, int64_t i, const bn_embedding *b, int64_t j);
/* Whether the rows are dense, and how many columns they have: what a rank without any need not
 * know of itself. */
bonsai_status bn_rows_form(bool *dense, int64_t *f, const bn_embedding *e, bn_world *w);
/* The given rows of all, where rank r has rows first[r] .. first[r+1]-1 of them (e: its own; first
 * is not read alone): in the order given, which may repeat some, on every rank; dense where e is,
 * also on ranks without rows.  The rows are the same on every rank.  (gather.c) */
bonsai_status bn_rows_gather(bn_embedding *out, const bn_embedding *e, const int64_t *first,
                             const int64_t *rows, int64_t count, const bn_where *at);

#endif
