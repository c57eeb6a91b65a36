/* report.h -- what a condensed graph says about itself.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REPORT_H
#define BN_REPORT_H

#include <jansson.h>

#include "prototypes/prototypes.h"
#include "trees/trees.h"

/* A checksum of all that condensing reads of a graph: its counted sections in their
 * smallest encoding, but of the labels only those of the given training nodes.  The
 * same graph has the same number in any format. */
bonsai_status bn_report_crc(uint32_t *out, const bonsai_graph *g, const int32_t *train,
                            int64_t count, int threads);
/* The same over ranks (graph.h); the training nodes are all of them, on every rank. */
bonsai_status bn_report_crc_over(uint32_t *out, const bonsai_graph *g, const int32_t *train,
                                 int64_t count, bn_world *w, const int64_t *first, int threads);
/* Puts the report into the small graph's metadata.  Only what is the same on every
 * run goes in: no times, no threads, no memory. */
bonsai_status bn_report_attach(bonsai_graph *small, const bonsai_condense_info *i,
                               const bonsai_condense_options *o, const bn_choice *c,
                               uint32_t input_crc);
/* The same for prototypes. */
bonsai_status bn_report_recipe(bonsai_graph *small, const bonsai_condense_info *i,
                               const bonsai_condense_options *o, const bn_recipe *r,
                               uint32_t input_crc);
/* Adds the reason of a choice, and the probe's scores, to the report that is there. */
bonsai_status bn_report_choice(bonsai_graph *small, const bonsai_condense_info *i);
/* The report of prototypes that were updated: as before, with the new sizes and the reason. */
bonsai_status bn_report_again(bonsai_graph *small, const bonsai_condense_info *i,
                              const json_t *before, uint32_t input_crc);
/* Copies as much as the caller's struct holds. */
void    bn_info_copy(bonsai_condense_info *to, const bonsai_condense_info *from);

#endif
