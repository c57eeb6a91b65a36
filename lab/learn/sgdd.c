/* sgdd.c -- graph condensation with the structure broadcast (Yang et al., NeurIPS 2023).
 *
 * GCond with a network that also reads the nodes' places in a list, and with a term for edges
 * between classes.  The reference has a third term, a distance of spectra: its weight is 1e-10, so
 * that it changes nothing, and it is not here.  Edges between classes are counted by the operator
 * with its self loops, as the student sees them.
 *
 * SPDX-License-Identifier: MIT */
#include "gcond.h"

static const double smooth = 0.1;

static const bn_gcond_set sets[BN_LIKES] = {
    [BN_LIKE_CORA] = {BN_STUDENT_LINEAR, 20, 15, 1e-4, 1e-4, 600, 128, 0.05f},
    [BN_LIKE_CITESEER] = {BN_STUDENT_LINEAR, 20, 15, 1e-4, 1e-4, 600, 128, 0.05f},
    [BN_LIKE_PUBMED] = {BN_STUDENT_LINEAR, 20, 15, 1e-4, 1e-4, 600, 128, 0.05f},
    [BN_LIKE_ARXIV] = {BN_STUDENT_MLP, 20, 3, 0.01, 0.01, 500, 128, 0.01f},
    [BN_LIKE_FLICKR] = {BN_STUDENT_MLP, 10, 1, 0.005, 0.005, 200, 128, 0.01f},
    [BN_LIKE_REDDIT] = {BN_STUDENT_LINEAR, 10, 1, 0.1, 0.001, 200, 128, 0.01f},
};

static bonsai_status begin(bn_problem *s)
{
    const bn_gcond_how how = {.set = &sets[s->like], .streams = 2, .smooth = smooth};
    return bn_gcond_begin(s, &how);
}

const bn_learner bn_sgdd = {
    .edges = true, .pair = 40, .begin = begin, .step = bn_gcond_step, .show = bn_gcond_show,
    .end = bn_gcond_end, .work = bn_work_sgdd,
};
