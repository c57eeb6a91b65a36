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

/* The nodes that the budget holds, and the bits of their features, 8 or 32. */
bonsai_status bn_learned_nodes(int64_t *nodes, int *bits, const bn_learner *how, const bn_job *job,
                               const bn_budget *budget);
/* The small graph that the lesson shows. */
bonsai_status bn_learned_graph(bonsai_graph **out, const bn_lesson *s, int bits);

#endif
