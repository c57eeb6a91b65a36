/* worth.c -- what a small graph is worth, in a sentence for people.
 *
 * SPDX-License-Identifier: MIT */
#include "bonsai_study.h"

#include <stdio.h>

#include "base/base.h"

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

int bonsai_condense_worth(char *out, size_t size, double *kept, const bonsai_condense_info *i)
{
    const bonsai_condense_info none = {.size = sizeof none, .probe = -1, .probe_full = -1};
    bonsai_condense_info all;
    char judged[64];
    double share = -1;
    bonsai_status rc = bn_options_merge(&all, &none, sizeof none, i, "bonsai_condense_info");
    if (rc != BONSAI_OK)
        return rc;
    name_judged(judged, sizeof judged, &all);
    if (all.probe >= 0 && all.probe_full > 0)
        share = 100 * all.probe / all.probe_full;
    if (kept)
        *kept = share;
    if (all.probe < 0)
        return snprintf(out, size, "%s", "");
    if (share < 0)
        return bn_print(out, size, "A quick classifier, the probe, gets %.1f %% of %s right when "
                        "fitted on the small graph.", all.probe, judged);
    return bn_print(out, size, "A quick classifier, the probe, gets %.1f %% of %s right when fitted "
                    "on the small graph and %.1f %% when fitted on the full one: the small graph "
                    "keeps %.1f %% of that.", all.probe, judged, all.probe_full, share);
}
