/* methods.c -- one row for each method; see methods.h.
 *
 * auto tries the methods that enter it, the cheaper ones first, and prefers the cheaper one where
 * the probe scores two methods alike.
 *
 * SPDX-License-Identifier: MIT */
#include "methods.h"

#include <stdio.h>

#include "options/fields.h"

static const bn_method methods[BONSAI_METHOD_COUNT] = {
    [BONSAI_METHOD_TREES] = {
        BN_NEEDS_COVER | BN_TAKES_PROJECT | BN_RUNS_ON_RANKS | BN_ENTERS_AUTO,
        bn_run_picked, .pick = bn_trees},
    [BONSAI_METHOD_RANDOM] = {
        BN_RUNS_ON_RANKS | BN_ENTERS_AUTO, bn_run_picked, .pick = bn_random},
    [BONSAI_METHOD_RANDOM_TREES] = {0, bn_run_picked, .pick = bn_random_trees},
    [BONSAI_METHOD_HERDING] = {
        BN_NEEDS_WL | BN_NEEDS_PAIRS | BN_BY_CLASS | BN_TAKES_RAW | BN_ENTERS_AUTO,
        bn_run_picked, .pick = bn_herding},
    [BONSAI_METHOD_KCENTER] = {
        BN_NEEDS_WL | BN_NEEDS_PAIRS | BN_TAKES_RAW | BN_ENTERS_AUTO,
        bn_run_picked, .pick = bn_kcenter},
    [BONSAI_METHOD_DEGREE] = {0, bn_run_picked, .pick = bn_by_degree},
    [BONSAI_METHOD_PROTOTYPES] = {
        BN_NEEDS_JUDGE | BN_NEEDS_CLUSTERS | BN_RUNS_ON_RANKS | BN_ENTERS_AUTO | BN_CAN_FOLLOW,
        bn_run_made, .make = bn_prototypes},
    [BONSAI_METHOD_AUTO] = {
        BN_NEEDS_COVER | BN_NEEDS_JUDGE | BN_NEEDS_CLUSTERS | BN_TAKES_RAW | BN_RUNS_ON_RANKS |
            BN_TRIES_OTHERS,
        .run = bn_run_auto},
};

const bn_method *bn_method_of(bonsai_method m)
{
    if ((unsigned)m >= BONSAI_METHOD_COUNT)
        return NULL;
    return methods[m].run ? &methods[m] : &bn_lab_methods[m];
}

bonsai_status bn_method_check(bonsai_condense_options *o)
{
    const bn_method *m = bn_method_of(o->method);
    if (!m->run)
        return bn_fail(BONSAI_E_ARGUMENT, "method %s is not in this build (BONSAI_LAB=OFF)",
                       bonsai_method_name(o->method));
    return m->check ? m->check(o) : BONSAI_OK;
}

const char *bonsai_method_name(bonsai_method m)
{
    return bn_method_of(m) ? bn_method_words[m] : NULL;
}

/* Lists the methods that run on several ranks: "a, b and c". */
static void list_methods(char *to, size_t size)
{
    const char *name[BONSAI_METHOD_COUNT];
    int count = 0;
    size_t at = 0;
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++)
        if (bn_method_of((bonsai_method)m)->needs & BN_RUNS_ON_RANKS)
            name[count++] = bonsai_method_name((bonsai_method)m);
    for (int i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(to + at, size - at, "%s%s",
                               i == 0 ? "" : i < count - 1 ? ", " : " and ", name[i]);
}

bonsai_status bn_method_on_ranks(bonsai_method m)
{
    char several[256];
    if (bn_method_of(m)->needs & BN_RUNS_ON_RANKS)
        return BONSAI_OK;
    list_methods(several, sizeof several);
    return bn_fail(BONSAI_E_ARGUMENT, "the method %s runs on one rank only: %s run on several",
                   bonsai_method_name(m), several);
}
