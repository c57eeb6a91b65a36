/* worth.c -- what a small graph is worth, in a sentence for people.
 *
 * SPDX-License-Identifier: MIT */
#include "bonsai_study.h"

#include <math.h>
#include <stdio.h>

#include "record.h"
#include "options/options.h"

static const double hardly = 1;         /* point above naming the largest class, ... */
static const double hardly_share = 0.1; /* ... or this share of what the full graph is above it */
static const double by_chance = 3;      /* points, where the full graph is hardly above it either:
                                         * the best of many is lucky on few rare nodes */

bool bn_is_idle(const bonsai_condense_info *i)
{
    const double gain = i->probe_full - i->probe_idle;
    const double least = i->probe_full < 0 ? hardly
                         : gain > hardly   ? fmin(hardly, hardly_share * gain) : by_chance;
    return i->probe >= 0 && i->probe_idle >= 0 && i->probe_idle < 100 &&
           i->probe <= i->probe_idle + least;
}

static void name_judged(char *out, size_t size, const bonsai_condense_info *i)
{
    if (i->probe_held > 0)
        snprintf(out, size, "%lld held-out training node%s", (long long)i->probe_held,
                 bn_s(i->probe_held));
    else if (i->probe_val > 0)
        snprintf(out, size, "%lld validation node%s", (long long)i->probe_val,
                 bn_s(i->probe_val));
    else
        snprintf(out, size, "the nodes it judges on");
}

const char *bonsai_aim_text(bonsai_aim aim)
{
    if (aim == BONSAI_AIM_MIXED)
        return "mean of accuracy and balanced accuracy";
    return aim > BONSAI_AIM_MIXED && aim < BONSAI_AIM_COUNT
               ? bonsai_metric_text((bonsai_metric)(aim - BONSAI_AIM_ACCURACY)) : NULL;
}

/* Writes what the percent are of: "of 500 validation nodes right", or a metric. */
static void name_measure(char *out, size_t size, const bonsai_condense_info *i)
{
    char judged[64];
    const bool right = i->metric == BONSAI_AIM_ACCURACY || !bonsai_aim_text(i->metric);
    name_judged(judged, sizeof judged, i);
    if (right)
        snprintf(out, size, "of %s right", judged);
    else
        snprintf(out, size, "(%s of %s)", bonsai_aim_text(i->metric), judged);
}

/* Returns the length of the sentence on a classifier that has learned nothing. */
static int say_idle(char *out, size_t size, const bonsai_condense_info *i, const char *measure)
{
    char full[96] = "";
    if (i->probe_full >= 0)
        bn_print(full, sizeof full, " and %.1f %% when fitted on the full one", i->probe_full);
    return bn_print(out, size, "A quick classifier, the probe, gets %.1f %% %s when fitted on the "
                    "small graph%s; %s gets %.1f %%: the small graph is hardly better than that.",
                    i->probe, measure, full,
                    i->metric >= BONSAI_AIM_AUC ? "scoring all nodes alike"
                                                : "always naming the largest class",
                    i->probe_idle);
}

int bonsai_condense_worth(char *out, size_t size, double *kept, const bonsai_condense_info *i)
{
    const bonsai_condense_info none = {.size = sizeof none, .probe = -1, .probe_full = -1,
                                       .probe_idle = -1};
    bonsai_condense_info all;
    char measure[128];
    double share = -1;
    bonsai_status rc = bn_options_merge(&all, &none, sizeof none, i, "bonsai_condense_info");
    if (rc != BONSAI_OK)
        return rc;
    name_measure(measure, sizeof measure, &all);
    if (all.probe >= 0 && all.probe_full > 0 && !bn_is_idle(&all))
        share = 100 * all.probe / all.probe_full;
    if (kept)
        *kept = share;
    if (all.probe < 0)
        return snprintf(out, size, "%s", "");
    if (bn_is_idle(&all))
        return say_idle(out, size, &all, measure);
    if (share < 0)
        return bn_print(out, size, "A quick classifier, the probe, gets %.1f %% %s when fitted on "
                        "the small graph.", all.probe, measure);
    return bn_print(out, size, "A quick classifier, the probe, gets %.1f %% %s when fitted on the "
                    "small graph and %.1f %% when fitted on the full one: the small graph keeps "
                    "%.1f %% of that.", all.probe, measure, all.probe_full, share);
}
