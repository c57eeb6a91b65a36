/* probe.c -- ridge regression as the judge of candidates, and for posteriors.
 *
 * Candidates are compared by what a classifier fitted on their points alone (fit.c) gets right
 * among validation nodes.  The lambdas are those that were best somewhere among 6 to 1,600
 * points of four real graphs; all are scored in one pass over the judged rows.
 *
 * SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fit.h"

enum { STRETCH = 16, SCORES = 1 << 24 };        /* blocks judged at a time, and their scores */
enum { WAYS = 4, MOST_SIDE = 2048 };
static const double grid[WAYS] = {0.03162, 0.003162, 0.0003162, 0.00003162};
static const double posterior_lambda = 1e-4;
static const double most_products = 8e9;        /* of dense rows, for a posterior, ... */
static const double most_of_a_step = 4e8;       /* ... and of sparse ones in each of its steps */

struct bn_probe {
    const bn_embedding *judge;
    const int32_t *label;
    int64_t classes;
    int     threads;
};

/* ---- the probe ---- */

bonsai_status bn_probe_new(bn_probe **out, const bn_embedding *judge, const int32_t *label,
                           int64_t classes, const bn_place *at)
{
    bn_probe *p = NULL;
    bonsai_status rc = BN_NEW(&p, 1);
    if (rc == BONSAI_OK)
        *p = (bn_probe){judge, label, classes, bn_threads(bn_here(at)->threads)};
    *out = p;
    return rc;
}

void bn_probe_free(bn_probe *p)
{
    bn_free(p);
}

/* Adds to right (WAYS) how many of some rows each lambda has right. */
static void count_right(int64_t *right, const float *score, const int32_t *label, int64_t rows,
                        int64_t c)
{
    for (int64_t i = 0; i < rows * WAYS; i++) {
        const float *s = score + i * c;
        int64_t best = 0;
        for (int64_t j = 1; j < c; j++)
            best = s[j] > s[best] ? j : best;
        right[i % WAYS] += best == label[i / WAYS];
    }
}

static bonsai_status judge_all(int64_t *right, const bn_probe *p, const bn_fit *q)
{
    bonsai_status rc;
    float *score = NULL;
    bn_scorer scorer = {0};
    int64_t (*part)[WAYS] = NULL, rows = p->judge->rows;
    int64_t blocks = (rows + BN_FIT_BLOCK - 1) / BN_FIT_BLOCK;
    int64_t stretch = bn_least(STRETCH, SCORES / BN_FIT_BLOCK / q->k + 1) * BN_FIT_BLOCK;
    BN_TRY(BN_NEW(&score, bn_least(stretch, rows) * q->k));
    BN_TRY(BN_NEW(&part, blocks));
    BN_TRY(bn_scorer_new(&scorer, q));
    for (int64_t at = 0; at < rows; at += stretch) {
        int64_t end = bn_least(at + stretch, rows);
        const double work = bn_numbers(p->judge, end - at) * (double)q->k / 4;
#pragma omp parallel for num_threads(bn_team(p->threads, work)) schedule(dynamic)
        for (int64_t i = at; i < end; i += BN_FIT_BLOCK) {
            int64_t count = bn_least(BN_FIT_BLOCK, end - i);
            float *s = score + (i - at) * q->k;
            bn_score_rows(s, &scorer, p->judge, i, count);
            count_right(part[i / BN_FIT_BLOCK], s, p->label + i, count, q->c);
        }
    }
    for (int64_t i = 0; i < blocks; i++)
        for (int w = 0; w < WAYS; w++)
            right[w] += part[i][w];
done:
    bn_scorer_free(&scorer);
    bn_free(score);
    bn_free(part);
    return rc;
}

/* Some of very many points speak for all: a system as large as both sides of them would take longer
 * than everything else, and its square of bytes. */
static int64_t points_to_fit(const bn_embedding *x)
{
    return x->f >= MOST_SIDE ? bn_least(x->rows, MOST_SIDE) : x->rows;
}

/* From points, or from the rows of x, which have the labels and all weigh the same. */
static bonsai_status score(double *percent, double *lambda, const bn_probe *p, const bn_embedding *x,
                           const bn_points *points, const int32_t *label)
{
    bonsai_status rc;
    int64_t right[WAYS] = {0}, rows = p->judge->rows;
    bn_fit q = {.x = x, .n = points_to_fit(x), .c = p->classes, .lambda = grid, .ways = WAYS,
                .threads = p->threads};
    int best = 0;
    assert(x->f == p->judge->f);
    if (q.n == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "a probe needs at least one point");
    BN_TRY(bn_fit_rows(&q, points, label));
    BN_TRY(bn_fit_direct(&q));
    BN_TRY(judge_all(right, p, &q));
    for (int w = 1; w < WAYS; w++)              /* the largest comes first and keeps ties */
        best = right[w] > right[best] ? w : best;
    *percent = rows > 0 ? 100.0 * (double)right[best] / (double)rows : 0;
    *lambda = grid[best];
done:
    bn_fit_free(&q);
    return rc;
}

bonsai_status bn_probe_score(double *percent, double *lambda, bn_probe *p, const bn_points *points)
{
    return score(percent, lambda, p, points->x, points, NULL);
}

bonsai_status bn_probe_labelled(double *percent, const bn_job *job, const bn_embedding *x,
                                const int32_t *label)
{
    const bn_probe p = {&job->judge, job->judge_label, job->g->view.classes,
                        bn_threads(job->at.threads)};
    double lambda;
    return score(percent, &lambda, &p, x, NULL, label);
}

/* ---- posteriors ---- */

/* Rows are fewer where they are long or classes are many, so that no fit takes longer than about a
 * second. */
static int64_t rows_to_fit(const bn_sharded *x, int64_t classes)
{
    int64_t n = bn_least(x->rows, BN_FIT_ROWS);
    double f = (double)(x->e->f + 1), each = x->length * (double)classes;
    if (x->e->dense && (double)n * f * fmin((double)n, f) > most_products)
        n = (int64_t)fmax(most_products / (f * f), sqrt(most_products / f));
    if (!x->e->dense && f > BN_FIT_DIRECT && (double)n * each > most_of_a_step)
        n = (int64_t)fmax(most_of_a_step / each, BN_FIT_DIRECT);
    return n;
}

static void soften(float *row, int64_t c, double sharpness)
{
    float most = row[0];
    double total = 0;
    for (int64_t j = 1; j < c; j++)
        most = row[j] > most ? row[j] : most;
    for (int64_t j = 0; j < c; j++)
        total += bn_exp(sharpness * ((double)row[j] - (double)most));
    for (int64_t j = 0; j < c; j++)
        row[j] = (float)(bn_exp(sharpness * ((double)row[j] - (double)most)) / total);
}

/* The labels of the given rows, which ascend, of all ranks. */
static bonsai_status gather_labels(int32_t *out, const bn_sharded *x, const int32_t *label,
                                   const int64_t *row, int64_t count)
{
    bonsai_status rc;
    bn_world *w = x->at->world;
    int32_t *mine = NULL;
    int64_t *bytes = NULL, own = 0;
    rc = BN_NEW(&mine, count);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&bytes, bn_ranks(w));
    BN_TRY(bn_agree(w, rc));
    for (int64_t i = 0, r = 0; i < count; i++) {
        while (row[i] >= x->first[r + 1])
            r++;
        bytes[r] += (int64_t)sizeof *mine;
        if (r == bn_rank(w))
            mine[own++] = label[row[i] - x->first[r]];
    }
    BN_TRY(bn_gather(w, out, bytes, mine));
done:
    bn_free(mine);
    bn_free(bytes);
    return rc;
}

/* Some rows that speak for all, at even distances, and their labels: on every rank. */
static bonsai_status gather_rows(bn_embedding *some, int32_t **label, const bn_sharded *x,
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
    BN_TRY(gather_labels(*label, x, own, row, count));
    BN_TRY(bn_rows_gather(some, x, row, count));
done:
    bn_free(row);
    return rc;
}

static bonsai_status fit_posterior(bn_fit *q, const int32_t *label, bn_progress p)
{
    bonsai_status rc;
    BN_TRY(bn_fit_rows(q, NULL, label));
    if (!q->x->dense && q->m > BN_FIT_DIRECT) {
        BN_TRY(bn_fit_steps(q, p));
        goto done;
    }
    BN_TRY(bn_tick(p, "fitting", 0, 1));
    BN_TRY(bn_fit_direct(q));
    BN_TRY(bn_tick(p, "fitting", 1, 1));
done:
    return rc;
}

bonsai_status bn_posterior(float *posterior, float *weights, const bn_sharded *x,
                           const int32_t *label, int64_t classes, double sharpness)
{
    bonsai_status rc;
    bn_world *w = x->at->world;
    const bn_embedding *e = x->e;
    bn_embedding some = {0};
    int32_t *some_label = NULL;
    bool here = bn_sharded_here(x);
    bn_fit q = {.x = here ? e : &some, .n = rows_to_fit(x, classes), .c = classes,
                .lambda = &posterior_lambda, .ways = 1, .threads = bn_threads(x->at->threads)};
    bn_scorer scorer = {0};
    if (x->rows == 0)
        return BONSAI_OK;
    if (!here)
        BN_TRY(gather_rows(&some, &some_label, x, label, q.n));
    BN_TRY(bn_agree(w, fit_posterior(&q, here ? label : some_label, x->at->progress)));
    /* those of rank 0, so that nothing hangs on how another machine rounds */
    BN_TRY(bn_share(w, q.w, (e->f + 1) * classes * (int64_t)sizeof *q.w, 0));
    BN_TRY(bn_agree(w, bn_scorer_new(&scorer, &q)));
    if (weights)
        memcpy(weights, q.w, (size_t)(e->f * classes) * sizeof *weights);
    const double work = (bn_numbers(e, e->rows) + 32.0 * (double)e->rows) * (double)classes;
#pragma omp parallel for num_threads(bn_team(q.threads, work)) schedule(static)
    for (int64_t first = 0; first < e->rows; first += BN_FIT_BLOCK) {
        int64_t count = bn_least(BN_FIT_BLOCK, e->rows - first);
        bn_score_rows(posterior + first * classes, &scorer, e, first, count);
        for (int64_t r = first; r < first + count; r++)
            soften(posterior + r * classes, classes, sharpness);
    }
done:
    bn_fit_free(&q);
    bn_scorer_free(&scorer);
    bn_embedding_free(&some);
    bn_free(some_label);
    return rc;
}
