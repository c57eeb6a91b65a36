/* judge.h -- rows of the training nodes and of those that candidates are judged on; see judge.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_JUDGE_H
#define BN_JUDGE_H

#include "trees/job.h"

enum { BN_MOST_JUDGED = 5000 };         /* rows that candidates are judged on */
enum { BN_MOST_POINTS = 2048 };         /* of a candidate that the probe fits if rows are long */

/* Fills own, around, far, judge, judge_label, held and probe of the job.  Judged are up to 5,000
 * labelled validation nodes.  If there are none or the options exclude them (inductive: only the
 * training part is read), a fifth of the training nodes is judged instead, or no node if they are
 * fewer than five. */
bonsai_status bn_judge_embed(bn_job *job);
void bn_judge_forget(bn_job *job);              /* frees them, ... */
void bn_rows_forget(bn_job *job);               /* ... and the rows of trees alone */
void bn_views_free(bn_views *v);
/* Fills out = [own | around], dense or sparse by what it holds. */
bonsai_status bn_views_join(bn_embedding *out, const bn_views *v);
/* Removes the first columns of dense rows. */
void bn_embedding_drop(bn_embedding *e, int64_t columns);
/* Returns the rank's first tree. */
static inline int64_t bn_job_first(const bn_job *job)
{
    return job->tree_first ? job->tree_first[bn_rank(job->at.world)] : 0;
}

#endif
