/* request.c -- what may be asked for: the methods' names, the ranges of the options.
 *
 * SPDX-License-Identifier: MIT */
#include "condense.h"

static const char *const method_names[BONSAI_METHOD_COUNT] = {
    "trees", "random", "random-trees", "herding", "kcenter", "degree", "prototypes", "auto",
};

const char *bonsai_method_name(bonsai_method m)
{
    return (unsigned)m < BONSAI_METHOD_COUNT ? method_names[m] : NULL;
}

static bonsai_status check_real(const char *name, double v, double low, double high)
{
    if (v >= low && v <= high)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s is %g; it must be in %g..%g", name, v, low, high);
}

bonsai_status bn_request_check(const bonsai_condense_options *o)
{
    bonsai_status rc;
    if (!bonsai_method_name(o->method))
        return bn_fail(BONSAI_E_ARGUMENT, "method %d is not known", (int)o->method);
    if (o->accounting != BONSAI_ACCOUNTING_STRICT && o->accounting != BONSAI_ACCOUNTING_PAPER_FULL)
        return bn_fail(BONSAI_E_ARGUMENT, "accounting %d is not known", (int)o->accounting);
    if (o->bytes < 0 || o->nodes < 0 || o->trees < 0)
        return bn_fail(BONSAI_E_ARGUMENT, "a budget is negative");
    if (o->memory < 0)
        return bn_fail(BONSAI_E_ARGUMENT, "memory is %lld; it must be a number of bytes, or 0 for "
                       "what is free", (long long)o->memory);
    BN_TRY(check_real("the number of layers", o->layers, 0, 16));
    BN_TRY(check_real("theta", o->theta, 1e-4, 1));
    BN_TRY(check_real("delta", o->delta, 1e-9, 1));
    BN_TRY(check_real("beta", o->beta, 1e-3, 0.999));
    BN_TRY(check_real("the prune share", o->prune_share, 0, 1));
    BN_TRY(check_real("the least share to prune", o->min_pruned, 0, 1));
    BN_TRY(check_real("oversample", o->oversample, 1, 1e6));
    BN_TRY(check_real("project", o->project, 0, 1e6));
    BN_TRY(check_real("k", o->k, 1, 1e6));
    BN_TRY(check_real("patience", (double)o->patience, 1, 1e15));
    BN_TRY(check_real("the sample", (double)o->sample, -1, 1e15));
done:
    return rc;
}

bonsai_status bn_request_ratio(double ratio)
{
    if (ratio > 0 && ratio <= 1)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "a ratio of %g is not in (0, 1]", ratio);
}

bonsai_status bn_request_budget(const bonsai_condense_options *o)
{
    if (o->ratio != 0)
        return bn_request_ratio(o->ratio);
    if (o->bytes > 0 || o->nodes > 0 || o->trees > 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "no budget was given: set ratio, bytes, nodes or trees");
}
