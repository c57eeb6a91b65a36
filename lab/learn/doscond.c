/* doscond.c -- one-step graph condensation (Jin et al., KDD 2022).
 *
 * GCond with a student that is never trained: each round draws a new student, a GCN of two layers,
 * and moves the small graph once; with the settings of ogbn-arxiv, Flickr and Reddit five or ten
 * times.  Gradients of all parameters are compared by their squared difference.
 *
 * The full graph's gradients use whole neighbourhoods, which the reference samples.  If these would
 * take too much memory, and on ogbn-arxiv as published, the student is linear after two hops and
 * gradients are compared by cosines.
 *
 * SPDX-License-Identifier: MIT */
#include "gcond.h"

enum { MOST_REACHED = 1 << 27 };        /* numbers in the rows that training nodes reach */

static const bn_gcond_set sets[BN_LIKES] = {
    [BN_LIKE_CORA] = {BN_STUDENT_GCN, 1, 0, 1e-3, 1e-3, 5000, 128, 0.05f},
    [BN_LIKE_CITESEER] = {BN_STUDENT_GCN, 1, 0, 1e-3, 1e-3, 3000, 128, 0.05f},
    [BN_LIKE_PUBMED] = {BN_STUDENT_GCN, 1, 0, 1e-3, 1e-3, 2000, 128, 0.05f},
    [BN_LIKE_ARXIV] = {BN_STUDENT_LINEAR, 5, 0, 0.01, 0.02, 1000, 256, 0.01f},
    [BN_LIKE_FLICKR] = {BN_STUDENT_GCN, 10, 0, 0.005, 0.005, 1000, 256, 0.01f},
    [BN_LIKE_REDDIT] = {BN_STUDENT_LINEAR, 10, 0, 0.01, 0.02, 1000, 256, 0.01f},
};

static bonsai_status begin(bn_problem *s)
{
    bn_gcond_set set = sets[s->like];
    int64_t reached = 0;
    if (set.form == BN_STUDENT_GCN) {
        bonsai_status rc = bn_onehop_count(&reached, s, s->job->train, s->job->trees);
        if (rc != BONSAI_OK)
            return rc;
    }
    if (reached > MOST_REACHED / s->f)
        set.form = BN_STUDENT_LINEAR;
    const bn_far far = set.form == BN_STUDENT_GCN ? BN_FAR_SQUARES : BN_FAR_COLUMNS;
    return bn_gcond_begin(s, &(bn_gcond_how){.set = &set, .streams = 1, .far = far});
}

const bn_learner bn_doscond = {
    .edges = true, .pair = 40, .begin = begin, .step = bn_gcond_step, .show = bn_gcond_show,
    .end = bn_gcond_end, .work = bn_work_doscond,
};
