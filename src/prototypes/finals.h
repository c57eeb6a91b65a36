/* finals.h -- networks trained on a few small graphs, to choose between them; see finals.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FINALS_H
#define BN_FINALS_H

#include "basis.h"
#include "merit.h"

enum { BN_FINALS_MOST = 14 };    /* small graphs that are compared at once */

typedef struct {                /* a small graph that takes part */
    const bonsai_graph *g;      /* with features of the full graph or, of a basis, shares of its
                                 * directions */
    const bn_basis *basis;      /* NULL: there is none */
    const bn_basis *onto;       /* its features are coordinates in this one, which judged rows are
                                 * projected on; NULL: they are not */
} bn_entrant;

/* Trains networks on each of `count` small graphs and fills percent with the merit of their
 * answers for the job's judged nodes.  *epochs: to train for; 0: it is set to what all can be
 * trained for, or below 0 if the graphs are too large for it, and then percent is not filled.
 * The same bits for any number of threads. */
bonsai_status bn_finals_judge(double *percent, int *epochs, const bn_entrant *e, int count,
                              const bn_merit *m, const bn_job *job);

#endif
