/* follow.h -- nodes without edges on which a student gets where an expert got: SFGC and GEOM.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FOLLOW_H
#define BN_FOLLOW_H

#include "experts.h"

typedef struct {                /* settings of one dataset and size */
    /* experts */
    bool    adam;
    double  expert_rate, expert_decay;
    int64_t epochs;
    bn_pace pace;
    double  share;
    int64_t grown;
    /* rounds: a student starts at an epoch below `window` + round, at most `window_end`, and makes
     * `steps` towards the expert `ahead` epochs later */
    int64_t rounds, window, window_end, ahead, steps;
    double  eta;                /* the student's rate at first */
    double  rate;               /* of features: how far each moves in a round, about */
    double  beta;               /* weight of the loss that the fully trained expert has */
    double  soft;               /* rate of soft labels; 0: hard ones */
    bool    squared;            /* the loss is a ratio of squares */
} bn_follow_plan;

bonsai_status bn_follow_begin(bn_lesson *s, const bn_follow_plan *plan);
bonsai_status bn_follow_step(bn_lesson *s, int64_t i);
bonsai_status bn_follow_show(bn_lesson *s);
void          bn_follow_end(bn_lesson *s);

#endif
