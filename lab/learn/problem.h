/* problem.h -- how a problem is made and freed; for learn.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PROBLEM_H
#define BN_PROBLEM_H

#include "learn.h"
#include "prototypes/candidate.h"

/* Makes room for a small graph of the given number of nodes and loads what a method starts from.
 * Free it even on failure. */
bonsai_status bn_problem_new(bn_problem *s, const bn_learner *how, const bn_job *job,
                             int64_t nodes);
void bn_problem_free(bn_problem *s);
bool bn_is_like(const bn_problem *s);    /* its settings are those of its own dataset */

/* ---- the small graph (learned.c) ---- */

typedef struct {                /* what a budget holds */
    int64_t nodes;
    int     bits;               /* of a feature: 8 or 32 */
    bool    cut;                /* rows lose entries until they fit into `bytes` */
    double  bytes;
    bool    limited;            /* it holds more than a method with pairs can learn */
} bn_fit;

bonsai_status bn_learned_nodes(bn_fit *fit, const bn_learner *how, const bn_job *job,
                               const bn_budget *budget);
/* Makes the small graph that the problem holds. */
bonsai_status bn_learned_graph(bonsai_graph **out, const bn_problem *s, const bn_fit *fit);

#endif
