/* posterior.c -- soft classes of rows, from ridge regression on their labels (fit.c).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "fit.h"

static const double posterior_lambda = 1e-4;
static const double enough = 1e-5;      /* posteriors change by about a percent, at most */
static const double most_of_a_step = 4e8;       /* products: about a second for all steps */

int64_t bn_rows_to_fit(const bn_sharded *x, int64_t classes, double most)
{
    int64_t n = bn_least(x->rows, BN_FIT_ROWS);
    double each = x->length * (double)classes;
    if (x->e->f >= BN_FIT_DIRECT && (double)n * each > most)
        n = (int64_t)fmax(most / each, BN_FIT_DIRECT);
    return n;
}

void bn_posterior_of(float *row, int64_t c, double sharpness)
{
    enum { KEPT = 128 };                /* exponentials that are not found twice */
    double kept[KEPT], total = 0;
    float most = row[0];
    for (int64_t j = 1; j < c; j++)
        most = row[j] > most ? row[j] : most;
    for (int64_t j = 0; j < c; j++) {
        const double e = bn_exp(sharpness * ((double)row[j] - (double)most));
        total += e;
        if (j < KEPT)
            kept[j] = e;
    }
    for (int64_t j = 0; j < c; j++) {
        const double e = j < KEPT ? kept[j] : bn_exp(sharpness * ((double)row[j] - (double)most));
        row[j] = (float)(e / total);
    }
}

bonsai_status bn_labels_gather(int32_t *out, const bn_sharded *x, const int32_t *own,
                               const int64_t *row, int64_t count)
{
    bonsai_status rc;
    bn_world *w = x->at->world;
    int32_t *mine = NULL;
    int64_t *bytes = NULL, here = 0;
    rc = BN_NEW(&mine, count);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&bytes, bn_ranks(w));
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0, r = 0; i < count; i++) {
        while (row[i] >= x->first[r + 1])
            r++;
        bytes[r] += (int64_t)sizeof *mine;
        if (r == bn_rank(w))
            mine[here++] = own[row[i] - x->first[r]];
    }
    BN_TRY(bn_gather(w, out, bytes, mine));
done:
    bn_free(mine);
    bn_free(bytes);
    return rc;
}

bonsai_status bn_rows_some(bn_embedding *some, int32_t **label, const bn_sharded *x,
                           const int32_t *own, int64_t count)
{
    bonsai_status rc;
    bn_world *w = x->at->world;
    int64_t *row = NULL;
    rc = BN_NEW(&row, count);
    if (rc == BONSAI_OK)
        rc = BN_NEW(label, count);
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0; i < count; i++)
        row[i] = i * x->rows / count;
    BN_TRY(bn_labels_gather(*label, x, own, row, count));
    BN_TRY(bn_rows_gather(some, x, row, count));
done:
    bn_free(row);
    return rc;
}

/* Fits one lambda and one label a row, in the faster way. */
static bonsai_status fit_labels(bn_fit *q, const int32_t *label, bn_progress p)
{
    bonsai_status rc;
    BN_TRY(bn_fit_rows(q, &(bn_labels){.label = label}));
    if (q->m > BN_FIT_DIRECT) {
        BN_TRY(bn_fit_steps(q, p));
        goto done;
    }
    BN_TRY(bn_tick(p, "fitting", 0, 1));
    BN_TRY(bn_fit_direct(q));
    BN_TRY(bn_tick(p, "fitting", 1, 1));
done:
    return rc;
}

void bn_posterior_by(float *posterior, const bn_scorer *scorer, const bn_embedding *e,
                     int64_t classes, double sharpness, int threads)
{
    const double work = (bn_numbers(e, e->rows) + 32.0 * (double)e->rows) * (double)classes;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t first = 0; first < e->rows; first += BN_FIT_BLOCK) {
        int64_t count = bn_least(BN_FIT_BLOCK, e->rows - first);
        bn_score_rows(posterior + first * classes, scorer, e, first, count);
        for (int64_t r = first; r < first + count; r++)
            bn_posterior_of(posterior + r * classes, classes, sharpness);
    }
}

bonsai_status bn_posterior(float *posterior, const bn_sharded *x, const int32_t *label,
                           int64_t classes, double sharpness)
{
    bonsai_status rc;
    bn_world *w = x->at->world;
    const bn_embedding *e = x->e;
    bn_embedding some = {0};
    int32_t *some_label = NULL;
    bool here = bn_sharded_here(x);
    bn_fit q = {.x = here ? e : &some, .n = bn_rows_to_fit(x, classes, most_of_a_step),
                .c = classes, .lambda = &posterior_lambda, .ways = 1, .enough = enough,
                .threads = bn_threads(x->at->threads)};
    bn_scorer scorer = {0};
    if (x->rows == 0)
        return BONSAI_OK;
    if (!here)
        BN_TRY(bn_rows_some(&some, &some_label, x, label, q.n));
    BN_TRY(bn_agree(w, fit_labels(&q, here ? label : some_label, x->at->progress)));
    /* those of rank 0, so that nothing hangs on how another machine rounds */
    BN_TRY(bn_share(w, q.w, (e->f + 1) * classes * (int64_t)sizeof *q.w, 0));
    BN_TRY(bn_agree(w, bn_scorer_new(&scorer, &q)));
    bn_posterior_by(posterior, &scorer, e, classes, sharpness, q.threads);
done:
    bn_fit_free(&q);
    bn_scorer_free(&scorer);
    bn_embedding_free(&some);
    bn_free(some_label);
    return rc;
}
