/* condensed.h -- condensed graphs as facts and tables.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_CONDENSED_H
#define BONSAI_CONDENSED_H

#include "output/summary.h"

/* A fact by its path (bonsai_fact_at): NAN or 0 if it is not known. */
double fact(const bonsai_condense_info *i, const char *path);
int64_t fact_whole(const bonsai_condense_info *i, const char *path);

/* Adds all that condensing reports, of a graph that was written to path. */
void summary_condensed(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i,
                       const bonsai_graph *small, const char *path);
void summary_why(summary *r, const bonsai_condense_info *i);     /* nothing if none is known */
void summary_seed(summary *r, uint64_t seed);
void summary_condensed_sizes(summary *r, const bonsai_condense_info *i);  /* small and full */
/* Notes the peak at the row before; adds what scratch files held, and the limit. */
void summary_condensed_memory(summary *r, const bonsai_condense_info *i);
/* Adds how it was made: trees and their cover, prototypes, or learned nodes. */
void summary_condensed_making(summary *r, const bonsai_condense_info *i, const bonsai_graph *small);
/* Adds the number of prototypes, and of second nodes of pairs. */
void summary_prototypes(summary *r, const char *key, const char *second_key,
                        const bonsai_graph *small);
void summary_condensed_quality(summary *r, const bonsai_condense_info *i);     /* by the probe */
const char *condensed_method(const bonsai_condense_info *i);            /* by name */
void summary_condensed_options(summary *r, const bonsai_condense_options *o);   /* in JSON alone */
int64_t condensed_roles(const bonsai_graph *g, bonsai_role role);       /* nodes of that role */

/* Adds what a prototype of small stands for: its soft label, members, nearest nodes of full (or
 * NULL; names: of its nodes, or NULL) and features; then the strongest features of any node. */
void summary_prototype(summary *r, const bonsai_graph *small, const bonsai_graph *full,
                       const char *const *names, const bonsai_why *w);
void summary_strongest(summary *r, const bonsai_graph *small, const bonsai_graph *full,
                       const bonsai_why *w);

#endif
