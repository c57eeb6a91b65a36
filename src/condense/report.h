/* report.h -- what a condensed graph says about itself.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REPORT_H
#define BN_REPORT_H

#include "condense.h"

/* Puts the report into the small graph's metadata.  Only what is the same on every
 * run goes in: no times, no threads, no memory. */
bonsai_status bn_report_attach(bonsai_graph *small, const bonsai_condense_info *i,
                               const bonsai_condense_options *o, const bn_choice *c,
                               const bonsai_graph *full);
/* Copies as much as the caller's struct holds. */
void    bn_info_copy(bonsai_condense_info *to, const bonsai_condense_info *from);
int64_t bn_peak_rss(void);      /* of this process, in bytes */

#endif
