/* lab.c -- the methods of the laboratory, as rows of condense/methods.h.
 *
 * They serve comparisons: auto tries none of them, and none runs on several ranks.
 *
 * SPDX-License-Identifier: MIT */
#include "learn/learn.h"
#include "published/published.h"

#define LEARNS(learner)                                                                         \
    {.needs = BN_NEEDS_JUDGE | BN_LEARNS, .run = bn_run_learned, .how = &(learner),             \
     .bytes = bn_learn_bytes, .operations = bn_learn_operations}

const bn_method bn_lab_methods[BONSAI_METHOD_COUNT] = {
    [BONSAI_METHOD_GCOND] = LEARNS(bn_gcond),
    [BONSAI_METHOD_GCOND_X] = LEARNS(bn_gcond_x),
    [BONSAI_METHOD_DOSCOND] = LEARNS(bn_doscond),
    [BONSAI_METHOD_SGDD] = LEARNS(bn_sgdd),
    [BONSAI_METHOD_EXGC] = LEARNS(bn_exgc),
    [BONSAI_METHOD_GC_SNTK] = LEARNS(bn_gc_sntk),
    [BONSAI_METHOD_GDEM] = LEARNS(bn_gdem),
    [BONSAI_METHOD_GCSR] = LEARNS(bn_gcsr),
    [BONSAI_METHOD_SFGC] = LEARNS(bn_sfgc),
    [BONSAI_METHOD_GEOM] = LEARNS(bn_geom),
    [BONSAI_METHOD_PUBLISHED] = {
        .needs = BN_REDOES, .run = bn_run_published, .check = bn_published_check,
        .prepare = bn_published_prepare, .forget = bn_published_forget,
        .bytes = bn_published_bytes},
};
