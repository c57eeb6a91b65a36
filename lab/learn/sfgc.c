/* sfgc.c -- structure-free graph condensation (Zheng et al. 2023).
 *
 * SPDX-License-Identifier: MIT */
#include "trajectory.h"

/* Experts are the same for all sizes of a dataset. */
#define CORA .expert_rate = 0.4, .epochs = 2500, .eta = 0.5, .rate = 1e-4, .rounds = 2000
#define CITESEER .adam = true, .expert_rate = 0.001, .expert_decay = 5e-4, .epochs = 800, \
                 .window = 40, .rounds = 2000
#define ARXIV .expert_rate = 1, .epochs = 2000, .rounds = 2000
#define FLICKR .adam = true, .expert_rate = 0.001, .expert_decay = 5e-4, .epochs = 1000

static const bn_trajectory_plan plans[BN_LIKES][3] = {
    [BN_LIKE_CORA] = {{CORA, .window = 60, .ahead = 1500, .steps = 400},
                      {CORA, .window = 40, .ahead = 1200, .steps = 500},
                      {CORA, .window = 40, .ahead = 2000, .steps = 500}},
    [BN_LIKE_CITESEER] = {{CITESEER, .ahead = 500, .steps = 200, .eta = 1, .rate = 5e-4},
                          {CITESEER, .ahead = 500, .steps = 200, .eta = 1, .rate = 1e-3},
                          {CITESEER, .ahead = 400, .steps = 300, .eta = 0.6, .rate = 1e-3}},
    [BN_LIKE_PUBMED] = {{CITESEER, .ahead = 500, .steps = 200, .eta = 1, .rate = 5e-4},
                        {CITESEER, .ahead = 500, .steps = 200, .eta = 1, .rate = 1e-3},
                        {CITESEER, .ahead = 400, .steps = 300, .eta = 0.6, .rate = 1e-3}},
    [BN_LIKE_ARXIV] = {{ARXIV, .window = 40, .ahead = 1800, .steps = 600, .eta = 0.2, .rate = 0.2},
                       {ARXIV, .window = 40, .ahead = 1900, .steps = 1200, .eta = 0.1, .rate = 0.1},
                       {ARXIV, .window = 20, .ahead = 1900, .steps = 1000, .eta = 0.1,
                        .rate = 0.1}},
    [BN_LIKE_FLICKR] = {{FLICKR, .rounds = 2000, .window = 40, .ahead = 700, .steps = 600,
                         .eta = 0.3, .rate = 0.1},
                        {FLICKR, .rounds = 2000, .window = 40, .ahead = 900, .steps = 600,
                         .eta = 0.2, .rate = 0.01},
                        {FLICKR, .rounds = 2000, .window = 40, .ahead = 900, .steps = 900,
                         .eta = 0.2, .rate = 0.02}},
    [BN_LIKE_REDDIT] = {{FLICKR, .rounds = 3000, .window = 40, .ahead = 900, .steps = 900,
                         .eta = 0.5, .rate = 0.02},
                        {FLICKR, .rounds = 3000, .window = 60, .ahead = 900, .steps = 900,
                         .eta = 0.5, .rate = 0.05},
                        {FLICKR, .rounds = 1500, .window = 40, .ahead = 900, .steps = 900,
                         .eta = 0.2, .rate = 0.2}},
};

static bonsai_status begin(bn_problem *s)
{
    bn_trajectory_plan plan = plans[s->like][s->size];
    plan.window_end = plan.window;
    plan.squared = true;
    return bn_trajectory_begin(s, &plan);
}

const bn_learner bn_sfgc = {.units = BN_UNITS_PUBLISHED, .begin = begin, .step = bn_trajectory_step,
                            .show = bn_trajectory_show, .end = bn_trajectory_end,
                            .work = bn_work_sfgc};
