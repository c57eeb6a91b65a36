/* sharpen.c -- rows moved to where their class differs from the others.
 *
 * A network that learns from a few nodes sees their features mostly along the nodes themselves.
 * The mean of a class points to what is common in it, shared with other classes or not; the
 * weights of a ridge classifier point to what tells it from them.  So where a class has few
 * nodes each is moved that way, by half its distance from the mean of all where it is the only
 * one and less where there are more, which can tell classes apart by themselves.  A node that
 * stands for itself stays what it is.  An entry may vanish but does not change its sign, so that
 * rows stay as sparse, and as positive, as they were.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "candidate.h"

static const double most = 0.5;         /* of the distance from the mean */

/* What the weights of each class have beyond those of all classes: its length. */
static void measure(double *length, double *mean, const float *weights, int64_t f, int64_t classes)
{
    for (int64_t j = 0; j < f; j++) {
        const float *w = weights + j * classes;
        mean[j] = 0;
        for (int64_t k = 0; k < classes; k++)
            mean[j] += (double)w[k] / (double)classes;
        for (int64_t k = 0; k < classes; k++)
            length[k] += ((double)w[k] - mean[j]) * ((double)w[k] - mean[j]);
    }
    for (int64_t k = 0; k < classes; k++)
        length[k] = sqrt(length[k]);
}

/* The distance of a row from the mean of all. */
static double distance(const bn_embedding *e, int64_t i, const float *mean)
{
    double sum = 0;
    for (int64_t j = 0; j < e->f; j++) {
        double d = (double)mean[j] - (e->dense ? (double)e->dense[i * e->f + j] : 0);
        sum += d * d;
    }
    for (int64_t n = e->dense ? 0 : e->offsets[i]; !e->dense && n < e->offsets[i + 1]; n++) {
        double v = (double)e->value[n];
        sum += v * (v - 2 * (double)mean[e->index[n]]);
    }
    return sum > 0 ? sqrt(sum) : 0;
}

static void move(float *entry, double by)
{
    double to = (double)*entry + by;
    if (*entry != 0.0f)
        *entry = *entry > 0 ? (float)fmax(to, 0) : (float)fmin(to, 0);
}

bonsai_status bn_sharpen(bn_embedding *x, const float *mean, const bn_clusters *c,
                         const bn_source *s)
{
    bonsai_status rc;
    double *length = NULL, *common = NULL;
    int64_t classes = s->classes;
    double share = most * fmin(1, (double)s->live / (double)c->count);
    BN_TRY(BN_NEW(&length, classes));
    BN_TRY(BN_NEW(&common, x->f));
    measure(length, common, s->weights, x->f, classes);
    for (int64_t i = 0; i < c->count; i++) {
        const float *w = s->weights + c->label[i];
        double by = share * distance(x, i, mean) / length[c->label[i]];
        if (c->size[i] == 1 || !isfinite(by))   /* a node by itself; weights that are all zero */
            continue;
        for (int64_t j = 0; x->dense && j < x->f; j++)
            move(&x->dense[i * x->f + j], by * ((double)w[j * classes] - common[j]));
        for (int64_t n = x->dense ? 0 : x->offsets[i]; !x->dense && n < x->offsets[i + 1]; n++)
            move(&x->value[n], by * ((double)w[x->index[n] * classes] - common[x->index[n]]));
    }
done:
    bn_free(length);
    bn_free(common);
    return rc;
}
