/* gcsntk.c -- GC-SNTK (Wang et al., WWW 2024): learns rows and real targets of a kernel regression
 * that predicts the classes of training nodes.
 *
 * The regression and its gradients are in krr.c, the kernel in sntk.c; the loss is the mean squared
 * distance of the classes of training nodes to their labels.  Rows start at random, without a
 * class.  A step sees up to PER_STEP batches of training nodes.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "gcsntk.h"

enum { PER_STEP = 10 };

/* The factor on the targets before the softmax: targets are near 1, and with many classes their
 * softmax is nearly flat.  The factor was chosen by GCN's validation accuracies, summed over the
 * public splits of Cora, CiteSeer and PubMed and 60/20/20 of Cora, Amazon Photo and a part of
 * ogbn-arxiv: 410.0 at 3, 414.8 at 5, 408.9 at 10. */
static const double SHARPNESS = 5;

/* hops of the rows, {hops, layers} of the kernel, mean, ridge, rate, epochs, batch */
static const bn_gcsntk_settings settings[BN_LIKES] = {
    [BN_LIKE_CORA] = {3, {2, 2}, true, 1, 0.01, 200, 2000},
    [BN_LIKE_CITESEER] = {3, {2, 2}, true, 1e-3, 0.01, 120, 2000},
    [BN_LIKE_PUBMED] = {3, {2, 2}, true, 1e-3, 0.01, 200, 2000},
    [BN_LIKE_ARXIV] = {1, {1, 1}, false, 1e-5, 1e-3, 200, 500},
    [BN_LIKE_FLICKR] = {2, {1, 1}, false, 1e-5, 1e-3, 200, 2000},
    [BN_LIKE_REDDIT] = {2, {1, 1}, false, 1e-5, 2e-3, 400, 2000},
};

const bn_gcsntk_settings *bn_gcsntk_settings_of(const bn_problem *s)
{
    return &settings[s->like];
}

typedef struct {
    const bn_gcsntk_settings *how;
    bn_partition   nodes;           /* the training nodes */
    int32_t   *label;           /* theirs, in the order of the partition */
    float     *param;           /* n x f rows, then n x c targets */
    bn_descent descent;         /* of both */
    bn_krr     krr;
} state;

/* ---- a step ---- */

/* Fits the regression to the present rows and targets. */
static void fit(const bn_problem *s, bn_krr *k)
{
    const float *param = ((const state *)s->state)->param;
    const int64_t rows = s->n * s->f;
    for (int64_t i = 0; i < rows; i++)
        k->x[i] = (double)param[i];
    for (int64_t i = 0; i < s->n * s->c; i++)
        k->y[i] = (double)param[rows + i];
    bn_krr_fit(k);
}

static int64_t steps_of_epoch(const bn_partition *c)
{
    return (c->batches + PER_STEP - 1) / PER_STEP;
}

static bonsai_status step(bn_problem *s, int64_t i)
{
    bonsai_status rc = BONSAI_OK;
    state *a = s->state;
    const int64_t rows = s->n * s->f, first = i % steps_of_epoch(&a->nodes) * PER_STEP;
    const int64_t end = bn_least(first + PER_STEP, a->nodes.batches);
    const int64_t seen = bn_partition_first(&a->nodes, end) - bn_partition_first(&a->nodes, first);
    s->made = BN_MADE_NONE;             /* so far */
    BN_TRY(bn_problem_tick(s, i));
    fit(s, &a->krr);
    for (int64_t b = first; b < end; b++) {
        BN_TRY(bn_problem_tick(s, i));
        if (bn_problem_late(s))
            goto done;
        const bn_sntk_rows batch = bn_partition_batch(&a->nodes, b);
        bn_krr_learn(&a->krr, &batch, a->label + bn_partition_first(&a->nodes, b),
                     1 / ((double)seen * (double)s->c));
    }
    s->made = BN_MADE_WHOLE;
    bn_krr_finish(&a->krr);
    s->loss = a->krr.loss;
    for (int64_t j = 0; j < rows; j++)
        a->descent.l.grad[j] = (float)a->krr.dx[j];
    for (int64_t j = 0; j < s->n * s->c; j++)
        a->descent.l.grad[rows + j] = (float)a->krr.dy[j];
    bn_descend(&a->descent, s);
done:
    return rc;
}

/* ---- beginning and end ---- */

static bn_krr_how krr_how(const bn_problem *s, int64_t most)
{
    const bn_gcsntk_settings *how = bn_gcsntk_settings_of(s);
    return (bn_krr_how){.kernel = how->kernel, .ridge = how->ridge, .n = s->n, .f = s->f, .c = s->c,
                        .most = most, .threads = s->threads};
}

static bonsai_status begin(bn_problem *s)
{
    bonsai_status rc;
    state *a = NULL;
    const int64_t count = s->n * (s->f + s->c);
    BN_TRY(BN_NEW(&a, 1));
    s->state = a;
    a->how = bn_gcsntk_settings_of(s);
    BN_TRY(bn_partition_new(&a->nodes, s, s->job->train, s->job->trees));
    BN_TRY(BN_NEW(&a->label, a->nodes.count));
    for (int64_t i = 0; i < a->nodes.count; i++)
        a->label[i] = s->label[a->nodes.place[i]];
    BN_TRY(BN_NEW(&a->param, count));
    BN_TRY(bn_descent_new(&a->descent, a->param, count, a->how->rate, 0));
    const bn_krr_how how = krr_how(s, bn_partition_most(&a->nodes));
    BN_TRY(bn_krr_new(&a->krr, &how));
    bn_rng r = bn_rng_at(s->seed, 0);
    for (int64_t i = 0; i < count; i++)
        a->param[i] = (float)bn_rng_unit(&r);
    s->steps = bn_effort(s, a->how->epochs) * steps_of_epoch(&a->nodes);
done:
    return rc;
}

/* Turns targets into likelihoods, for networks that learn from these. */
static bonsai_status show(bn_problem *s)
{
    const float *param = ((const state *)s->state)->param;
    memcpy(s->x, param, (size_t)(s->n * s->f) * sizeof *s->x);
    memcpy(s->q, param + s->n * s->f, (size_t)(s->n * s->c) * sizeof *s->q);
    for (int64_t i = 0; i < s->n; i++)
        bn_posterior_of(s->q + i * s->c, s->c, SHARPNESS);
    return BONSAI_OK;
}

static void end(bn_problem *s)
{
    state *a = s->state;
    if (!a)
        return;
    bn_partition_free(&a->nodes);
    bn_descent_free(&a->descent);
    bn_krr_free(&a->krr);
    bn_free(a->label);
    bn_free(a->param);
    bn_free(a);
    s->state = NULL;
}

const bn_learner bn_gc_sntk = {.units = BN_UNITS_STANDARD, .soft = true, .pair = 120,
                               .begin = begin, .step = step, .show = show, .end = end,
                               .work = bn_work_gc_sntk};

/* ---- predictions ---- */

static int32_t best(const double *score, int64_t c)
{
    int32_t at = 0;
    for (int32_t k = 1; k < c; k++)
        at = score[k] > score[at] ? k : at;
    return at;
}

bonsai_status bn_gcsntk_predict(int32_t *label, const bn_problem *s, bn_partition *c)
{
    bonsai_status rc;
    bn_krr k;
    const bn_krr_how how = krr_how(s, bn_partition_most(c));
    BN_TRY(bn_krr_new(&k, &how));
    fit(s, &k);
    for (int64_t b = 0; b < c->batches; b++) {
        const bn_sntk_rows rows = bn_partition_batch(c, b);
        const int32_t *place = c->place + bn_partition_first(c, b);
        bn_krr_score(&k, &rows);
        for (int64_t i = 0; i < rows.rows; i++)
            label[place[i]] = best(k.score + i * s->c, s->c);
    }
done:
    bn_krr_free(&k);
    return rc;
}
