/* problem.h -- how a problem begins and ends; for learn.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PROBLEM_H
#define BN_PROBLEM_H

#include "learn.h"
#include "prototypes/candidate.h"

/* Room for a small graph of so many nodes, and what a method starts from.  In any case to be
 * freed. */
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
/* The small graph that the problem shows. */
bonsai_status bn_learned_graph(bonsai_graph **out, const bn_problem *s, const bn_fit *fit);

#endif
