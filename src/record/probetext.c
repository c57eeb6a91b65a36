/* probetext.c -- writes the sentence on what the probe gets from a small graph.
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
    const double idle = bn_fact(i, BN_FACT_PROBE_IDLE), gain = i->probe_full - idle;
    const double least = i->probe_full < 0 ? hardly
                         : gain > hardly   ? fmin(hardly, hardly_share * gain) : by_chance;
    return i->probe >= 0 && idle >= 0 && idle < 100 && i->probe <= idle + least;
}

static void name_judged(char *out, size_t size, const bonsai_condense_info *i)
{
    const int64_t held = bn_fact_whole(i, BN_FACT_PROBE_HELD);
    const int64_t val = bn_fact_whole(i, BN_FACT_PROBE_VAL);
    if (held > 0)
        snprintf(out, size, "%lld held-out training node%s", (long long)held, bn_s(held));
    else if (val > 0)
        snprintf(out, size, "%lld validation node%s", (long long)val, bn_s(val));
    else
        snprintf(out, size, "the nodes it judges on");
}

static bonsai_aim aim_of(const bonsai_condense_info *i)
{
    return (bonsai_aim)bn_fact(i, BN_FACT_METRIC);
}

const char *bonsai_aim_text(bonsai_aim aim)
{
    if (aim == BONSAI_AIM_MIXED)
        return "mean of accuracy and balanced accuracy";
    return aim > BONSAI_AIM_MIXED && aim < BONSAI_AIM_COUNT
               ? bonsai_metric_text((bonsai_metric)(aim - BONSAI_AIM_ACCURACY)) : NULL;
}

/* Writes what is measured in percent: "of 500 validation nodes right", or a metric. */
static void name_measure(char *out, size_t size, const bonsai_condense_info *i)
{
    char judged[64];
    const bool right = aim_of(i) == BONSAI_AIM_ACCURACY || !bonsai_aim_text(aim_of(i));
    name_judged(judged, sizeof judged, i);
    if (right)
        snprintf(out, size, "of %s right", judged);
    else
        snprintf(out, size, "(%s of %s)", bonsai_aim_text(aim_of(i)), judged);
}

/* Writes the sentence on a small graph that teaches hardly anything; returns its length. */
static int say_idle(char *out, size_t size, const bonsai_condense_info *i, const char *measure)
{
    char full[96] = "";
    if (i->probe_full >= 0)
        bn_print(full, sizeof full, " and %.1f %% when fitted on the full one", i->probe_full);
    return bn_print(out, size, "A quick classifier, the probe, gets %.1f %% %s when fitted on the "
                    "small graph%s; %s gets %.1f %%: the small graph is hardly better than that.",
                    i->probe, measure, full,
                    aim_of(i) >= BONSAI_AIM_AUC ? "scoring all nodes alike"
                                                : "always naming the largest class",
                    bn_fact(i, BN_FACT_PROBE_IDLE));
}

int bonsai_condense_worth(char *out, size_t size, double *kept, const bonsai_condense_info *i)
{
    bonsai_condense_info all;
    char measure[128];
    double share = -1;
    bonsai_status rc = bn_info_read(&all, i);
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
