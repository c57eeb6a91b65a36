/* trajectory.h -- nodes without edges on which a student follows an expert: SFGC and GEOM.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TRAJECTORY_H
#define BN_TRAJECTORY_H

#include "experts.h"

typedef struct {                /* settings of one dataset and size */
    /* experts */
    bool    adam;
    double  expert_rate, expert_decay;
    int64_t epochs;
    bn_curriculum pace;
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
} bn_trajectory_plan;

bonsai_status bn_trajectory_begin(bn_problem *s, const bn_trajectory_plan *plan);
bonsai_status bn_trajectory_step(bn_problem *s, int64_t i);
bonsai_status bn_trajectory_show(bn_problem *s);
void          bn_trajectory_end(bn_problem *s);

#endif
