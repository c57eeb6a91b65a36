/* wl.h -- what the dense and the sparse way of propagating share; see wl.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_WL_H
#define BN_WL_H

#include "condense.h"

typedef struct {                /* sparse rows under way */
    int64_t rows;
    int64_t *offsets;
    int32_t *index;
    float   *value;
} bn_wl_rows;

typedef struct {
    const bonsai_graph *g;
    const int32_t *nodes;       /* requested, or NULL: all */
    int64_t count, n, f;
    int     layers, threads;
    bn_progress progress;
    bool    alike;              /* a node counts as one of its neighbours, not as all of them */
    float  *inverse;            /* n: 1 / degree, or alike 1 / (degree + 1); 0: no neighbour */
    bn_wl_rows x;               /* the embedding so far, while sparse; offsets NULL: dense */
    int     done;               /* rounds that x has been through */
} bn_wl_run;

/* The next value of v, which has neighbours, from its own and their sum. */
static inline float bn_wl_next(const bn_wl_run *w, int64_t v, float own, float sum)
{
    return w->alike ? (own + sum) * w->inverse[v] : (own + w->inverse[v] * sum) * 0.5f;
}

bonsai_status bn_wl_tick(const bn_wl_run *w, int rounds, int64_t done, int64_t total);

bonsai_status bn_wl_sparse_load(bn_wl_run *w);          /* x = the features */
/* One round: x is replaced by the next embedding of the nodes (NULL: all). */
bonsai_status bn_wl_sparse_step(bn_wl_run *w, const int32_t *nodes, int64_t count);
bonsai_status bn_wl_sparse_pick(bn_wl_run *w);          /* x = its rows of the requested nodes */
void bn_wl_rows_free(bn_wl_rows *r);

#endif
