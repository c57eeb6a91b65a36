/* classweight.c -- weights of classes in the loss.
 *
 * The loss of a node is the sum over classes of weight times share times surprise, as in PyTorch.
 * That is the plain loss of a target with other shares, times what these sum to, so that the loss
 * itself need not know of it.  Balanced weights are n / (c n_k) as in scikit-learn: n_k is what the
 * training nodes have of class k, each by its own weight, and c the number of their classes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "train.h"

static void balance(double *weight, int64_t classes, const bn_targets *t)
{
    double all = 0;
    int64_t occur = 0;
    for (int64_t p = 0; p < t->count; p++) {
        if (t->label)
            weight[t->label[p]] += (double)t->weight[p];
        for (int64_t k = 0; !t->label && k < classes; k++)
            weight[k] += (double)t->weight[p] * (double)t->soft[p * classes + k];
    }
    for (int64_t k = 0; k < classes; k++) {
        all += weight[k];
        occur += weight[k] > 0;
    }
    for (int64_t k = 0; k < classes; k++)
        weight[k] = weight[k] > 0 ? all / ((double)occur * weight[k]) : 0;
}

/* Reads the number at *at, for class k, and moves past the comma that ends it. */
static bonsai_status read_weight(double *weight, const char **at, int64_t k)
{
    const char *from = *at, *to = from + strcspn(from, ",");
    if (!bn_parse_real(at, to, weight) || *at != to || !isfinite(*weight))
        return bn_fail(BONSAI_E_ARGUMENT, "class_weight: \"%.*s\" is neither a number nor "
                       "\"balanced\"", (int)(to - from < 40 ? to - from : 40), from);
    if (*weight < 0)
        return bn_fail(BONSAI_E_ARGUMENT, "class_weight: the weight %g of class %lld is negative",
                       *weight, (long long)k);
    *at = *to ? to + 1 : NULL;
    return BONSAI_OK;
}

/* Reads one number for each class, with commas between them. */
static bonsai_status read_weights(double *weight, int64_t classes, const char *text,
                                  const char *where)
{
    bonsai_status rc = BONSAI_OK;
    double sum = 0, one;
    int64_t count = 0;
    for (const char *at = text; at; count++) {
        BN_TRY(read_weight(&one, &at, count));
        if (count < classes)
            weight[count] = one;
        sum += one;
    }
    if (count != classes)
        rc = bn_fail(BONSAI_E_ARGUMENT, "class_weight has %lld number%s, but %s has %lld classes: "
                     "give one for each, or \"balanced\"", (long long)count, bn_s(count), where,
                     (long long)classes);
    else if (!(sum > 0))
        rc = bn_fail(BONSAI_E_ARGUMENT, "class_weight: the weights of all %lld classes are 0",
                     (long long)classes);
done:
    return rc;
}

/* Multiplies the weight of each target by that of its classes; returns the new sum. */
static double apply(bn_targets *t, int64_t classes, const double *weight)
{
    double sum = 0;
    for (int64_t p = 0; p < t->count; p++) {
        float *soft = t->label ? NULL : t->soft + p * classes;
        double own = t->label ? weight[t->label[p]] : 0;
        for (int64_t k = 0; soft && k < classes; k++)
            own += weight[k] * (double)soft[k];
        for (int64_t k = 0; soft && own > 0 && k < classes; k++)
            soft[k] = (float)(weight[k] * (double)soft[k] / own);
        t->weight[p] = (float)(own * (double)t->weight[p]);
        sum += (double)t->weight[p];
    }
    return sum;
}

bonsai_status bn_weigh_classes(bn_targets *t, int64_t classes, const char *text, const char *where)
{
    bonsai_status rc;
    double *weight = NULL;
    if (!text)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&weight, classes));
    if (strcmp(text, "balanced") == 0)
        balance(weight, classes, t);
    else
        BN_TRY(read_weights(weight, classes, text, where));
    const double sum = apply(t, classes, weight);
    if (!(sum > 0) || !isfinite(sum)) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "class_weight: no class of the training nodes of %s has a "
                     "weight above 0", where);
        goto done;
    }
    for (int64_t p = 0; p < t->count; p++)
        t->weight[p] = (float)((double)t->weight[p] / sum);
done:
    bn_free(weight);
    return rc;
}
