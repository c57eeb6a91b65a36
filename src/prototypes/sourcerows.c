/* sourcerows.c -- collects the rows that prototypes are made of: those of all training nodes, or
 * only of those that candidates are not judged on.
 *
 * SPDX-License-Identifier: MIT */
#include "sourcerows.h"

#include <string.h>

#include "judge.h"

void bn_source_rows_free(bn_source_rows *r)
{
    for (int v = 0; v < BN_VIEWS; v++) {
        bn_embedding_free(&r->copy[v]);
        bn_sharded_free(&r->view[v]);
    }
    bn_embedding_free(&r->low);
    bn_sharded_free(&r->near);
    bn_big_free(r->node);
    bn_big_free(r->label);
    bn_big_free(r->known);
    bn_free(r->have);
    bn_big_free(r->posterior);
}

/* Lists the rank's own rows that take part, and the nodes of the rows of all ranks. */
static bonsai_status list_rows(bn_source_rows *r, int64_t *row, int64_t *count, const bn_job *job,
                               const uint8_t *held)
{
    bonsai_status rc;
    bn_memory *m = job->at.memory;
    int64_t own = job->far.rows, first = bn_job_first(job), all = 0;
    BN_TRY(BN_BIG(&r->label, m, own));
    BN_TRY(BN_BIG(&r->node, m, job->trees));
    for (int64_t t = 0; t < job->trees; t++)
        if (!held || !held[t])
            r->node[all++] = job->train[t];
    *count = 0;
    for (int64_t t = 0; t < own; t++) {
        if (held && held[first + t])
            continue;
        row[*count] = t;
        r->label[*count] = bn_label(job->g, job->train[first + t]);
        r->have[r->label[*count]]++;
        (*count)++;
    }
done:
    return rc;
}

static bonsai_status copy_rows(bn_source_rows *r, const bn_job *job, const uint8_t *held)
{
    bonsai_status rc;
    const bn_embedding *const given[BN_VIEWS] = {&job->own, &job->around, &job->far};
    int64_t *row = NULL, count;
    BN_TRY(BN_NEW(&r->have, job->g->view.classes));
    BN_TRY(BN_BIG(&row, job->at.memory, job->far.rows));
    BN_TRY(list_rows(r, row, &count, job, held));
    for (int v = 0; held && v < BN_VIEWS; v++)
        BN_TRY(bn_embedding_take(&r->copy[v], given[v], row, count, given[v]->dense != NULL,
                                 &job->at));
done:
    bn_big_free(row);
    return rc;
}

bonsai_status bn_source_rows_fill(bn_source_rows *r, const bn_embedding *const given[BN_VIEWS],
                                  int64_t classes, const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    for (int v = 0; v < BN_VIEWS; v++) {
        BN_TRY(bn_sharded_look(&r->view[v], given[v], at));
        r->s.view[v] = &r->view[v];
    }
    r->s.node = r->node;
    r->s.label = r->label;
    r->s.known = r->known;
    r->s.classes = classes;
    r->s.have = r->have;
    for (int64_t k = 0; k < classes; k++)
        r->s.live += r->have[k] > 0;
    BN_TRY(bn_clusters_near(&r->s.near, &r->near, &r->low, r->s.view[BN_FAR]));
done:
    return rc;
}

bonsai_status bn_source_rows_make(bn_source_rows *r, const bn_job *job, bool all,
                                  const bn_place *at)
{
    bonsai_status rc;
    const uint8_t *held = all ? NULL : job->held;
    const bn_embedding *given[BN_VIEWS] = {&job->own, &job->around, &job->far};
    int64_t classes = job->g->view.classes;
    BN_TRY(bn_agree(at->world, copy_rows(r, job, held)));
    BN_TRY(bn_sum_int(at->world, r->have, classes));
    for (int v = 0; held && v < BN_VIEWS; v++)
        given[v] = &r->copy[v];
    BN_TRY(bn_source_rows_fill(r, given, classes, at));
done:
    return rc;
}

static bonsai_status make_posterior(bn_source_rows *r)
{
    const bn_sharded *x = r->s.view[BN_FAR];
    return bn_agree(x->at->world,
                    BN_BIG(&r->posterior, x->at->memory, x->e->rows * r->s.classes));
}

bonsai_status bn_source_rows_posterior(bn_source_rows *r)
{
    bonsai_status rc;
    BN_TRY(make_posterior(r));
    BN_TRY(bn_posterior(r->posterior, r->s.view[BN_FAR], r->label, r->s.classes, bn_sharpness));
    r->s.posterior = r->posterior;
done:
    return rc;
}

bonsai_status bn_source_rows_posterior_by(bn_source_rows *r, const bn_guide *g)
{
    bonsai_status rc;
    bn_scorer scorer = {0};
    const bn_sharded *x = r->s.view[BN_FAR];
    const int64_t c = r->s.classes;
    BN_TRY(make_posterior(r));
    BN_TRY(bn_agree(x->at->world, bn_scorer_room(&scorer, g->f, c)));
    for (int64_t j = 0; j < g->f; j++)
        memcpy(scorer.w + j * scorer.wide, g->w[BN_GUIDE_FAR] + j * c,
               (size_t)c * sizeof *scorer.w);
    memcpy(scorer.w + g->f * scorer.wide, g->constant, (size_t)c * sizeof *scorer.w);
    bn_posterior_by(r->posterior, &scorer, x->e, c, bn_sharpness, bn_threads(x->at->threads));
    r->s.posterior = r->posterior;
done:
    bn_scorer_free(&scorer);
    return rc;
}
