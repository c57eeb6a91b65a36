/* power.c -- measures Lemma 1 of the paper: the error of the representative power of trees when it
 * is estimated from a sample of them.
 *
 * One reverse k-NN of all training trees serves every draw: a draw counts the sampled trees in each
 * tree's list.  That costs exact k-NN once, and then time linear in trees x k a draw, plus the
 * sorting of its errors.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "options/fields.h"
#include "condense/methods.h"
#include "condense/needs.h"

enum { MOST_DRAWS = 1000000, NUMBERS = sizeof(bonsai_power_error) / sizeof(double) };

static const double UPPER = 0.95;

typedef struct {
    const bn_job *job;
    bonsai_power *power;        /* the one in work */
    uint8_t *taken;             /* trees */
    double  *error;             /* trees */
    int64_t  done, total;       /* draws of all */
} study;

/* Returns how many trees list this tree or are it; sampled_by: how many of those are in the
 * sample. */
static int64_t listed_by(const study *s, int64_t tree)
{
    return s->job->rknn.offsets[tree + 1] - s->job->rknn.offsets[tree];
}

static int64_t sampled_by(const study *s, int64_t tree)
{
    int64_t count = 0;
    for (int64_t i = s->job->rknn.offsets[tree]; i < s->job->rknn.offsets[tree + 1]; i++)
        count += s->taken[s->job->rknn.item[i]];
    return count;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Summarises the errors of a draw; sorts them. */
static bonsai_power_error sum_up(double *error, int64_t trees, double theta)
{
    bonsai_power_error e = {0};
    qsort(error, (size_t)trees, sizeof *error, ascending);
    for (int64_t t = 0; t < trees; t++) {
        e.mean += error[t];
        e.above += error[t] > theta;
    }
    e.mean /= (double)trees;
    e.above /= (double)trees;
    e.most = error[trees - 1];
    e.upper = error[(int64_t)ceil(UPPER * (double)trees) - 1];
    return e;
}

static bonsai_status draw(bonsai_power_error *out, study *s, uint64_t seed)
{
    bonsai_status rc;
    const int64_t n = s->job->trees, z = s->power->sample;
    for (int64_t t = 0; t < n; t++)
        s->taken[t] = 0;
    BN_TRY(bn_rng_pick(s->taken, n, z, seed));
    for (int64_t t = 0; t < n; t++)
        s->error[t] = fabs((double)sampled_by(s, t) / (double)z -
                           (double)listed_by(s, t) / (double)n);
    *out = sum_up(s->error, n, s->power->theta);
done:
    return rc;
}

/* Adds a draw to the mean, least and largest of the `before` draws before it. */
static void add_draw(bonsai_power *p, const bonsai_power_error *e, int64_t before)
{
    const double *from = (const double *)e;
    double *mean = (double *)&p->error, *least = (double *)&p->least;
    double *largest = (double *)&p->largest;
    for (int i = 0; i < NUMBERS; i++) {
        mean[i] += (from[i] - mean[i]) / (double)(before + 1);
        least[i] = before == 0 ? from[i] : fmin(least[i], from[i]);
        largest[i] = before == 0 ? from[i] : fmax(largest[i], from[i]);
    }
}

/* Fills the fields that do not depend on the draw. */
static void describe(study *s)
{
    bonsai_power *p = s->power;
    int64_t most = 0, above = 0;
    const double n = (double)s->job->trees;
    for (int64_t t = 0; t < s->job->trees; t++) {
        most = listed_by(s, t) > most ? listed_by(s, t) : most;
        above += (double)listed_by(s, t) / n > p->theta;
    }
    p->trees = s->job->trees;
    p->power_mean = (double)s->job->rknn.offsets[p->trees] / (n * n);
    p->power_most = (double)most / n;
    p->power_above = (double)above / n;
    p->error = p->least = p->largest = (bonsai_power_error){0};
}

static bonsai_status measure(study *s)
{
    bonsai_status rc = BONSAI_OK;
    bonsai_power *p = s->power;
    bonsai_condense_options o = *s->job->o;
    o.theta = p->theta;
    o.delta = p->delta;
    o.sample = p->sample;
    p->sample = bn_sample_size(&o, s->job->trees);
    describe(s);
    for (int64_t d = 0; d < p->draws; d++) {
        bonsai_power_error e;
        BN_TRY(bn_tick(s->job->at.progress, "power", s->done++, s->total));
        BN_TRY(draw(&e, s, o.seed + (uint64_t)d));
        add_draw(p, &e, d);
        if (p->each)
            p->each[d] = e;
    }
done:
    return rc;
}

/* Fails if a field is out of range; the ranges are those of condensing. */
static bonsai_status check(const bonsai_power *p, const bonsai_condense_options *base)
{
    bonsai_condense_options o = *base;
    o.theta = p->theta;
    o.delta = p->delta;
    o.sample = p->sample;
    if (p->draws < 1 || p->draws > MOST_DRAWS)
        return bn_fail(BONSAI_E_ARGUMENT, "draws is %lld, not in 1 .. %d", (long long)p->draws,
                       MOST_DRAWS);
    return bn_fields_check(BONSAI_OPTIONS_CONDENSE, &o);
}

/* Computes the exact reverse k-NN of all trees, whatever else the options ask for. */
static bonsai_status prepare(bn_preparation *p, const bonsai_graph *g)
{
    p->o.method = BONSAI_METHOD_TREES;
    p->o.sample = -1;
    p->o.no_rknn = p->o.select_features = p->o.project = 0;
    bonsai_status rc;
    BN_TRY(bn_prepare(p, g, bn_method_of(p->o.method)->needs));
    BN_TRY(bn_embed_trees(&p->job));
    BN_TRY(bn_find_represented(&p->job));
done:
    return rc;
}

bonsai_status bonsai_study_power(bonsai_power *powers, int64_t count, const bonsai_graph *g,
                                 const bonsai_condense_options *o)
{
    bonsai_status rc;
    bn_preparation p = {0};
    bonsai_power *ours = NULL;
    study s = {.job = &p.job};
    if (bn_is_null(powers, "the array of bonsai_power") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    if (count < 1)
        return bn_fail(BONSAI_E_ARGUMENT, "%lld sample sizes cannot be studied", (long long)count);
    BN_TRY(BN_OPTIONS(&p.o, o, condense));
    BN_TRY(bn_structs_read((void **)&ours, &bn_power_empty, powers, count, "bonsai_power"));
    for (int64_t i = 0; i < count; i++) {
        BN_TRY(check(&ours[i], &p.o));
        s.total += ours[i].draws;
    }
    BN_TRY(prepare(&p, g));
    BN_TRY(BN_NEW(&s.taken, p.job.trees));
    BN_TRY(BN_NEW(&s.error, p.job.trees));
    for (int64_t i = 0; i < count; i++) {
        s.power = &ours[i];
        BN_TRY(measure(&s));
        bn_result_fill(bn_structs_at(powers, i), &ours[i]);
    }
    BN_TRY(bn_tick(p.job.at.progress, "power", s.total, s.total));
done:
    bn_free(s.taken);
    bn_free(s.error);
    bn_free(ours);
    bn_preparation_free(&p);
    return rc;
}
