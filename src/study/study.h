/* study.h -- the parts of a study.
 *
 *   compare.c         the cells of a table of methods, ratios and models
 *   queue.c           groups of cells, one after the other or side by side
 *   engine.c          runs a group
 *   cellfacts.c       the table of facts of cells
 *   means.c           cells of several splits and draws as one, and two methods in pairs
 *   suggest.c         the smallest ratio that keeps a share of the full graph's score
 *   train_beside.c    a model on the full graph, beside the small one
 *   graph_checksum.c  a number that is the same for graphs that train alike
 *   timeestimate.c    how long the parts take
 *   map.c             where embeddings lie, in two directions of principal.c or discriminant.c
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_STUDY_H
#define BN_STUDY_H

#include "record/fact.h"
#include "graph/graph.h"

typedef struct { double wl, seen; } bn_pair;

/* Lists the pairs of bonsai_study_pairs, nearest in WL space first. (lab/correlate.c) */
bonsai_status bn_pairs_sorted(bn_pair **out, int64_t pairs, const bonsai_graph *g,
                              bonsai_study what, const bonsai_train_options *o);
/* Fills the outcome of a cell from its pairs, sorted. */
void bn_correlate(bonsai_cell *c, const bn_pair *pair);

/* ---- the facts of small graphs that cells hold (cellfacts.c) ---- */

/* Fills the facts of a cell from those of its small graph. */
void bn_cell_fill(bonsai_cell *c, const bonsai_condense_info *i);
/* Adds the facts of a cell to sums; -1 once one is not known. */
void bn_cell_add(bonsai_cell *to, const bonsai_cell *c);
/* Divides the sums by the number of cells. */
void bn_cell_divide(bonsai_cell *to, int64_t cells);

/* The sections that enter training, as bits. */
enum {
    BN_ENTERS_TRAINING = ((2u << BONSAI_SECTION_SPLIT) - 1) | 1u << BONSAI_SECTION_KEPT_FEATURES
};

#endif
