/* absent.c -- methods whose files have not come yet.
 *
 * SPDX-License-Identifier: MIT */
#include "learn.h"

const bn_learner bn_doscond;
const bn_learner bn_sgdd;
const bn_learner bn_exgc;
