/* teacher.c -- softmax regression, by ridge regressions on what is left over.
 *
 * The mean posterior of a prototype's members says how sure one can be of them, not what a
 * network should answer for the prototype's own row: the mean of a mixed cluster may lie where
 * every classifier is sure.  A teacher answers for the row itself.  A network that learns from such
 * answers learns the teacher's boundaries, which were drawn from thousands of nodes, instead of
 * those between a few means.
 *
 * The second derivative of the loss is nowhere larger than half the gram matrix of the rows for
 * each class (Boehning), so that every step is a ridge regression of what the probabilities still
 * miss, with one factorisation for all steps.  Momentum, which starts over when it leads uphill,
 * makes forty steps enough (Nesterov; O'Donoghue and Candes).
 *
 * SPDX-License-Identifier: MIT */
#include "teacher.h"

#include <math.h>
#include <string.h>

#include "prototypes.h"
#include "tensor/tensor.h"

enum { STEPS = 40, LEAST_ROWS = 1024 };
static const double lambda = 1e-5;      /* of the mean squared length of a row */
static const double most_work = 2e8;    /* products of a step */

typedef struct {
    int64_t n, f, m, c, k;      /* rows; coordinates; f + 1; classes; classes, padded */
    bn_matrix a, t;             /* (n,m): rows of unit length on average, and 1; transposed */
    const int32_t *label;
    double  *mean, scale;       /* f; of the rows as they were given */
    double  *gram, *factor, *side;      /* (m,m); its factor; (m,c) */
    double  *w, *v, *last;      /* (m,c): weights; the start of the next step; the last weights */
    float   *in, *slope;        /* (m,k): v, and the slope there */
    float   *score;             /* (n,k) */
    int      threads;
} fit;

int64_t bn_teacher_rows(int64_t rows, int64_t f, int64_t classes)
{
    const double most = most_work / ((double)(f + 1) * (double)classes);
    const int64_t afford = (int64_t)fmax(fmin(most, BN_TEACHER_ROWS), LEAST_ROWS);
    return bn_least(rows, afford);
}

void bn_teacher_free(bn_teacher *t)
{
    bn_free(t->w);
    memset(t, 0, sizeof *t);
}

static void fit_free(fit *q)
{
    void *all[] = {q->mean, q->gram, q->factor, q->side, q->w, q->v, q->last, q->in, q->slope,
                   q->score};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bn_free(all[i]);
    bn_matrix_free(&q->a);
    bn_matrix_free(&q->t);
}

/* Moves the rows' mean to zero and makes them as long as 1, on average. */
static bonsai_status lay_rows(fit *q, const bn_embedding *x)
{
    bonsai_status rc;
    double squares = 0;
    BN_TRY(BN_NEW(&q->mean, q->f));
    BN_TRY(BN_NEW(&q->a.dense, q->n * q->m));
    for (int64_t i = 0; i < q->n; i++)
        for (int64_t j = 0; j < q->f; j++)
            q->mean[j] += (double)x->dense[i * q->f + j] / (double)q->n;
    for (int64_t i = 0; i < q->n; i++)
        for (int64_t j = 0; j < q->f; j++) {
            const double v = (double)x->dense[i * q->f + j] - q->mean[j];
            squares += v * v / (double)q->n;
        }
    q->scale = squares > 0 && isfinite(squares) ? 1 / sqrt(squares) : 1;
    for (int64_t i = 0; i < q->n; i++) {
        float *to = q->a.dense + i * q->m;
        for (int64_t j = 0; j < q->f; j++)
            to[j] = (float)(((double)x->dense[i * q->f + j] - q->mean[j]) * q->scale);
        to[q->f] = 1;
    }
    q->a.rows = q->n;
    q->a.cols = q->m;
    BN_TRY(bn_matrix_transpose(&q->t, &q->a));
done:
    return rc;
}

/* Computes half the gram matrix of the rows, and its factor. */
static bonsai_status find_factor(fit *q)
{
    bonsai_status rc;
    float *in = NULL, *out = NULL;
    const int64_t wide = (q->m + BN_NARROW - 1) / BN_NARROW * BN_NARROW;
    const bn_system s = {q->gram, q->m, q->c, q->c};
    BN_TRY(BN_NEW(&in, q->n * wide));
    BN_TRY(BN_NEW(&out, q->m * wide));
    BN_TRY(BN_NEW(&q->factor, bn_solve_room(&s)));
    for (int64_t i = 0; i < q->n; i++)
        memcpy(in + i * wide, q->a.dense + i * q->m, (size_t)q->m * sizeof *in);
    bn_matrix_times(out, &q->t, in, wide, q->threads);
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t j = 0; j < q->m; j++)
            q->gram[i * q->m + j] = (double)out[i * wide + j] / (double)q->n / 2;
    bn_factor(&s, lambda, q->factor, q->threads);
done:
    bn_free(in);
    bn_free(out);
    return rc;
}

static bonsai_status make_room(fit *q)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&q->gram, q->m * q->m));
    BN_TRY(BN_NEW(&q->side, q->m * q->c));
    BN_TRY(BN_NEW(&q->w, q->m * q->c));
    BN_TRY(BN_NEW(&q->v, q->m * q->c));
    BN_TRY(BN_NEW(&q->last, q->m * q->c));
    BN_TRY(BN_NEW(&q->in, q->m * q->k));
    BN_TRY(BN_NEW(&q->slope, q->m * q->k));
    BN_TRY(BN_NEW(&q->score, q->n * q->k));
done:
    return rc;
}

/* Replaces side by the step from v: the ridge regression of what the probabilities miss. */
static void find_step(fit *q)
{
    const bn_system s = {q->gram, q->m, q->c, q->c};
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t j = 0; j < q->c; j++)
            q->in[i * q->k + j] = (float)q->v[i * q->c + j];
    bn_matrix_times(q->score, &q->a, q->in, q->k, q->threads);
    const double work = 32.0 * (double)q->n * (double)q->c;
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t i = 0; i < q->n; i++) {
        bn_posterior_of(q->score + i * q->k, q->c, 1);
        q->score[i * q->k + q->label[i]] -= 1;
    }
    bn_matrix_times(q->slope, &q->t, q->score, q->k, q->threads);
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t j = 0; j < q->c; j++)
            q->side[i * q->c + j] = -(double)q->slope[i * q->k + j] / (double)q->n -
                                    lambda * q->v[i * q->c + j];
    bn_solve_factored(q->side, &s, q->factor, q->threads);
}

/* Takes the step; returns whether the way from the weights before leads uphill. */
static bool move(fit *q)
{
    double up = 0;
    memcpy(q->last, q->w, (size_t)(q->m * q->c) * sizeof *q->w);
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t j = 0; j < q->c; j++) {
            const int64_t at = i * q->c + j;
            const double slope = (double)q->slope[i * q->k + j] / (double)q->n + lambda * q->v[at];
            q->w[at] = q->v[at] + q->side[at];
            up += slope * (q->w[at] - q->last[at]);
        }
    return up > 0;
}

static void learn(fit *q)
{
    double pace = 1;
    for (int step = 0; step < STEPS; step++) {
        find_step(q);
        pace = move(q) ? 1 : pace;
        const double next = (1 + sqrt(1 + 4 * pace * pace)) / 2;
        for (int64_t i = 0; i < q->m * q->c; i++)
            q->v[i] = q->w[i] + (pace - 1) / next * (q->w[i] - q->last[i]);
        pace = next;
    }
}

/* Fills the weights of rows as they were given. */
static bonsai_status take_weights(bn_teacher *out, const fit *q)
{
    bonsai_status rc = BN_NEW(&out->w, q->m * q->c);
    if (rc != BONSAI_OK)
        return rc;
    double *constant = out->w + q->f * q->c;
    memcpy(constant, q->w + q->f * q->c, (size_t)q->c * sizeof *constant);
    for (int64_t j = 0; j < q->f; j++)
        for (int64_t k = 0; k < q->c; k++) {
            const double w = q->w[j * q->c + k] * q->scale;
            out->w[j * q->c + k] = w;
            constant[k] -= w * q->mean[j];
        }
    out->f = q->f;
    out->c = q->c;
    return BONSAI_OK;
}

bonsai_status bn_teacher_make(bn_teacher *out, const bn_embedding *x, const int32_t *label,
                              int64_t classes, int threads)
{
    bonsai_status rc;
    fit q = {.n = x->rows, .f = x->f, .m = x->f + 1, .c = classes,
             .k = (classes + BN_NARROW - 1) / BN_NARROW * BN_NARROW, .label = label,
             .threads = threads};
    *out = (bn_teacher){.f = 0};
    BN_TRY(lay_rows(&q, x));
    BN_TRY(make_room(&q));
    BN_TRY(find_factor(&q));
    learn(&q);
    BN_TRY(take_weights(out, &q));
done:
    fit_free(&q);
    return rc;
}

void bn_teacher_label(float *posterior, const bn_teacher *t, const float *row)
{
    const double *constant = t->w + t->f * t->c;
    for (int64_t k = 0; k < t->c; k++) {
        double sum = constant[k];
        for (int64_t j = 0; j < t->f; j++)
            sum += (double)row[j] * t->w[j * t->c + k];
        posterior[k] = (float)sum;
    }
    bn_posterior_of(posterior, t->c, 1);
}
