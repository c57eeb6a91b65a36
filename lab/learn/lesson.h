/* lesson.h -- how a lesson begins and ends; for learn.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_LESSON_H
#define BN_LESSON_H

#include "learn.h"
#include "prototypes/candidate.h"

/* Room for a small graph of so many nodes, and what a method starts from.  In any case to be
 * freed. */
bonsai_status bn_lesson_new(bn_lesson *s, const bn_learner *how, const bn_job *job, int64_t nodes);
void bn_lesson_free(bn_lesson *s);
bool bn_is_like(const bn_lesson *s);    /* its settings are those of its own dataset */

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
/* The small graph that the lesson shows. */
bonsai_status bn_learned_graph(bonsai_graph **out, const bn_lesson *s, const bn_fit *fit);

#endif
