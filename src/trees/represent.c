/* represent.c -- finds the sampled trees that each tree represents: it is among their k nearest.
 *
 * Trees are compared by their WL embeddings, or by a projection of these.  A second sample measures
 * how well a choice covers trees that it was not made for.  Both are found once for all budgets;
 * later budgets are charged the seconds that they took.  Paper: section 3.1.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "trees.h"

/* ---- the embedding ---- */

/* Returns the trees of this rank. */
static bn_nodes own_trees(const bn_job *job)
{
    const int r = bn_rank(job->at.world);
    return (bn_nodes){job->train + job->tree_first[r], job->tree_first[r + 1] - job->tree_first[r]};
}

static double seconds_of(const bn_job *job, int stage)
{
    return job->at.clock ? job->at.clock->seconds[stage] : 0;
}

/* Adds the seconds that an earlier budget took to those of this one. */
static bonsai_status charge(const bn_job *job, int stage, double seconds)
{
    if (job->at.clock)
        job->at.clock->seconds[stage] += seconds;
    return BONSAI_OK;
}

bonsai_status bn_embed_rows(bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    const bn_nodes own = own_trees(job);
    if (job->wl.f > 0)
        return charge(job, BN_STAGE_WL, job->seconds_wl);
    bn_enter(&job->at, BN_STAGE_WL);
    const double before = seconds_of(job, BN_STAGE_WL);
    if (job->projected)
        rc = bn_project(&job->wl, job->whole, &own, job->o->layers,
                        (bn_projection){job->o->project, job->o->seed}, &job->at);
    else
        rc = bn_embed(&job->wl, job->whole, &own, BN_RULE_WL, job->raw ? 0 : job->o->layers,
                      &job->at);
    bn_enter(&job->at, BN_STAGE_KNN);
    job->seconds_wl = seconds_of(job, BN_STAGE_WL) - before;
    job->columns = job->wl.columns > 0 ? job->wl.columns : job->columns;
    return rc;
}

bonsai_status bn_embed_trees(bn_job *job)
{
    if (job->known)
        return charge(job, BN_STAGE_WL, job->seconds_wl);
    return job->o->no_rknn || job->rknn.offsets ? BONSAI_OK : bn_embed_rows(job);
}

/* ---- neighbours ---- */

int64_t bn_sample_size(const bonsai_condense_options *o, int64_t trees)
{
    double z = o->sample < 0 ? (double)trees
               : o->sample > 0 ? (double)o->sample
               : ceil(log(2 / o->delta) * (2 + o->theta) / (o->theta * o->theta));
    return z < (double)trees ? (int64_t)z : trees;
}

/* Draws z trees of all without replacement, ascending. */
static bonsai_status draw(int32_t **out, int64_t trees, int64_t z, uint64_t seed)
{
    bonsai_status rc;
    uint8_t *taken = NULL;
    BN_TRY(BN_NEW(out, z));
    BN_TRY(BN_NEW(&taken, trees));
    BN_TRY(bn_rng_pick(taken, trees, z, seed));
    for (int64_t t = 0, i = 0; t < trees; t++)
        if (taken[t])
            (*out)[i++] = (int32_t)t;
done:
    bn_free(taken);
    return rc;
}

/* Draws two samples, puts them one after the other, and makes room for the neighbours of both. */
static bonsai_status draw_samples(int32_t **both, int32_t **list, bn_job *job)
{
    bonsai_status rc;
    const bonsai_condense_options *o = job->o;
    job->z = bn_sample_size(o, job->trees);
    job->checks = bn_least(job->trees, BN_CHECK_SAMPLE);
    BN_TRY(draw(&job->sample, job->trees, job->z, o->seed));
    BN_TRY(draw(&job->check, job->trees, job->checks, o->seed + 1));
    BN_TRY(BN_NEW(both, job->z + job->checks));
    BN_TRY(BN_NEW(list, (job->z + job->checks) * o->k));
    BN_TRY(BN_NEW(&job->check_list, job->checks * o->k));
    memcpy(*both, job->sample, (size_t)job->z * sizeof **both);
    memcpy(*both + job->z, job->check, (size_t)job->checks * sizeof **both);
done:
    return rc;
}

static bn_roots roots_of(const bn_job *job)
{
    return (bn_roots){job->whole, job->train, job->trees, job->tree_first, job->o->layers};
}

static bonsai_status find_nearest(int32_t *list, bn_job *job, const bn_sample *s)
{
    const bn_sharded x = {.e = &job->wl, .first = job->tree_first, .at = &job->at};
    const bn_roots roots = roots_of(job);
    if (job->projected)
        return bn_project_knn(list, &job->wl, &roots, s, job->o->k, &job->at);
    return bn_knn(list, NULL, &x, s, job->o->k, &job->work);
}

/* Finds the reverse k-NN of the sample, and the k-NN of the second sample, which checks the
 * cover. */
static bonsai_status find_neighbours(bn_job *job)
{
    bonsai_status rc;
    const int k = job->o->k;
    int32_t *both = NULL, *list = NULL;
    bn_world *w = job->at.world;
    BN_TRY(bn_agree(w, draw_samples(&both, &list, job)));
    const bool all = job->z == job->trees;      /* the second sample is part of the first */
    const bn_sample sample = {job->sample, job->z};
    const bn_roots roots = roots_of(job);
    BN_TRY(find_nearest(list, job, &(bn_sample){both, all ? job->z : job->z + job->checks}));
    for (int64_t i = 0; i < job->checks; i++)
        memcpy(job->check_list + i * k, list + (all ? job->check[i] : job->z + i) * k,
               (size_t)k * sizeof *list);
    if (bn_rank(w) == 0)
        rc = bn_rknn(&job->rknn, job->trees, &sample, list, k);
    BN_TRY(bn_agree(w, rc));
    if (job->projected)
        BN_TRY(bn_project_recall(&job->recall, list, &roots, &sample, k, &job->at));
done:
    bn_free(both);
    bn_free(list);
    return rc;
}

/* Makes empty lists: the cover then takes trees in random order. */
static bonsai_status represent_nothing(bn_job *job)
{
    job->rknn.count = job->trees;
    bonsai_status rc = BN_NEW(&job->rknn.offsets, job->trees + 1);
    return rc != BONSAI_OK ? rc : BN_NEW(&job->rknn.item, 0);
}

bonsai_status bn_find_represented(bn_job *job)
{
    bonsai_status rc = BONSAI_OK;
    if (job->known || job->rknn.offsets)
        return charge(job, BN_STAGE_KNN, job->seconds_knn);
    bn_enter(&job->at, BN_STAGE_KNN);
    const double before = seconds_of(job, BN_STAGE_KNN);
    if (job->o->no_rknn)
        BN_TRY(bn_agree(job->at.world, represent_nothing(job)));
    else
        BN_TRY(find_neighbours(job));
    bn_embedding_free(&job->wl);
    bn_enter(&job->at, BN_STAGE_COVER);
    job->seconds_knn = seconds_of(job, BN_STAGE_KNN) - before;
    job->known = true;
done:
    return rc;
}

void bn_forget_represented(bn_job *job)
{
    bn_embedding_free(&job->wl);
    bn_free(job->sample);
    bn_lists_free(&job->rknn);
    bn_free(job->check);
    bn_free(job->check_list);
}
