/* geom.c -- expanding windows of expert trajectories (Zhang et al. 2024).
 *
 * As sfgc, with experts that see easy nodes first, starts that move later, a ratio of distances,
 * the loss of the fully trained expert, and soft labels.
 *
 * SPDX-License-Identifier: MIT */
#include "trajectory.h"

#define CORA .expert_rate = 0.4, .epochs = 3000, .pace = BN_CURRICULUM_GEOMETRIC, .share = 0.75, \
             .grown = 1500, .steps = 2500, .window = 50, .window_end = 200, .rate = 1e-4, \
             .beta = 0.01, .soft = 5e-5, .eta = 0.5
#define CITESEER .adam = true, .expert_rate = 0.001, .expert_decay = 5e-4, .epochs = 1000, \
                 .pace = BN_CURRICULUM_ROOT, .share = 0.8, .grown = 250, .ahead = 350
#define ARXIV .expert_rate = 1, .epochs = 2400, .pace = BN_CURRICULUM_ROOT, \
              .share = 0.85, .grown = 1200
#define FLICKR .adam = true, .expert_rate = 0.001, .expert_decay = 5e-4, .epochs = 1100, \
               .pace = BN_CURRICULUM_ROOT, .share = 0.95, .rounds = 400
#define REDDIT .adam = true, .expert_rate = 0.001, .expert_decay = 5e-4, .epochs = 1000, \
               .pace = BN_CURRICULUM_LINEAR, .share = 0.9, .grown = 800, .window = 1

#define CITESEERS \
    {{CITESEER, .steps = 200, .window = 1, .window_end = 30, .rate = 1e-4, .beta = 0.1, .eta = 1, \
      .rounds = 500}, \
     {CITESEER, .steps = 200, .window = 10, .window_end = 80, .rate = 7e-4, .beta = 0.05, \
      .eta = 1, .rounds = 2000}, \
     {CITESEER, .steps = 400, .window = 1, .window_end = 20, .rate = 5e-4, .beta = 0.1, \
      .eta = 0.6, .rounds = 2000}}

static const bn_trajectory_plan plans[BN_LIKES][3] = {
    [BN_LIKE_CORA] = {{CORA, .ahead = 1400, .rounds = 2000}, {CORA, .ahead = 1400, .rounds = 200},
                      {CORA, .ahead = 1500, .rounds = 2000}},
    [BN_LIKE_CITESEER] = CITESEERS,
    [BN_LIKE_PUBMED] = CITESEERS,
    [BN_LIKE_ARXIV] = {{ARXIV, .ahead = 1100, .steps = 650, .window = 30, .window_end = 50,
                        .rate = 0.25, .eta = 0.2, .rounds = 200},
                       {ARXIV, .ahead = 1600, .steps = 2100, .window = 200, .window_end = 300,
                        .rate = 0.05, .eta = 0.1, .rounds = 400},
                       {ARXIV, .ahead = 1900, .steps = 2100, .window = 200, .window_end = 350,
                        .rate = 0.03, .eta = 0.1, .rounds = 400}},
    [BN_LIKE_FLICKR] = {{FLICKR, .grown = 150, .ahead = 600, .steps = 700, .window = 10,
                         .window_end = 30, .rate = 0.07, .beta = 0.3, .eta = 0.3},
                        {FLICKR, .grown = 100, .ahead = 600, .steps = 200, .window = 30,
                         .window_end = 60, .rate = 0.1, .beta = 100, .eta = 0.2},
                        {FLICKR, .grown = 100, .ahead = 70, .steps = 300, .window = 10,
                         .window_end = 70, .rate = 0.07, .beta = 0.3, .eta = 0.2}},
    [BN_LIKE_REDDIT] = {{REDDIT, .ahead = 800, .steps = 800, .window_end = 50, .rate = 0.02,
                         .beta = 0.25, .eta = 0.5, .rounds = 3000},
                        {REDDIT, .ahead = 1000, .steps = 1000, .window_end = 20, .rate = 0.03,
                         .beta = 0.1, .eta = 0.5, .rounds = 500},
                        {REDDIT, .ahead = 900, .steps = 800, .window_end = 10, .rate = 0.2,
                         .beta = 0.25, .eta = 0.2, .rounds = 3000}},
};

static bonsai_status begin(bn_problem *s)
{
    return bn_trajectory_begin(s, &plans[s->like][s->size]);
}

const bn_learner bn_geom = {.units = BN_UNITS_PUBLISHED, .soft = true, .begin = begin,
                            .step = bn_trajectory_step, .show = bn_trajectory_show,
                            .end = bn_trajectory_end, .work = bn_work_geom};
