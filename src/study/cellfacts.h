/* cellfacts.h -- the facts of small graphs that cells of studies hold, and their means.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CELLFACTS_H
#define BN_CELLFACTS_H

#include "record/fact.h"

/* Fills the facts of a cell from those of its small graph. */
void bn_cell_fill(bonsai_cell *c, const bonsai_condense_info *i);
/* Adds the facts of a cell to sums; -1 once one is not known. */
void bn_cell_add(bonsai_cell *to, const bonsai_cell *c);
/* Divides the sums by the number of cells. */
void bn_cell_divide(bonsai_cell *to, int64_t cells);

#endif
