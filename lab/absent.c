/* absent.c -- stands in for the laboratory in builds without it: no methods, and public calls that
 * fail.
 *
 * SPDX-License-Identifier: MIT */
#include "condense/methods.h"
#include "study/study.h"

const bn_method bn_lab_methods[BONSAI_METHOD_COUNT] = {{.run = NULL}};

static bonsai_status refuse(const char *call)
{
    return bn_fail(BONSAI_E_ARGUMENT, "%s is not in this build (BONSAI_LAB=OFF)", call);
}

bonsai_status bn_pairs_sorted(bn_pair **out, int64_t pairs, const bonsai_graph *g,
                              bonsai_study what, const bonsai_train_options *o)
{
    (void)out, (void)pairs, (void)g, (void)what, (void)o;
    return refuse("a study of pairs");
}

void bn_correlate(bonsai_cell *c, const bn_pair *pair)
{
    (void)c, (void)pair;
}

bonsai_status bonsai_study_power(bonsai_power *powers, int64_t count, const bonsai_graph *g,
                                 const bonsai_condense_options *o)
{
    (void)powers, (void)count, (void)g, (void)o;
    return refuse("bonsai_study_power");
}

bonsai_status bonsai_study_pairs(double *wl, double *seen, int64_t pairs, const bonsai_graph *g,
                                 bonsai_study what, const bonsai_train_options *o)
{
    (void)wl, (void)seen, (void)pairs, (void)g, (void)what, (void)o;
    return refuse("bonsai_study_pairs");
}
