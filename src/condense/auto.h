/* auto.h -- the better of two methods, by a probe; see auto.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_AUTO_H
#define BN_AUTO_H

#include "prepare.h"

/* Makes the small graph of p by one method, with its report attached; condense.c's. */
typedef bonsai_status bn_make_fn(bonsai_graph **out, bonsai_condense_info *info, bn_preparation *p,
                                 bonsai_method method);

/* Trees or prototypes, whichever the probe finds better, and why. */
bonsai_status bn_auto(bonsai_graph **out, bonsai_condense_info *info, bn_preparation *p,
                      bn_make_fn *make);

#endif
