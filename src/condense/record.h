/* record.h -- what a condensed graph says about its making, and what follows from it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RECORD_H
#define BN_RECORD_H

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

typedef struct {
    bool known;                 /* the graph says that it was condensed; else all is as by default */
    bonsai_condense_info    info;       /* without times and memory */
    bonsai_condense_options o;          /* that it was made with */
    int  layers;                /* prototypes: rounds of averaging in their features; -1: not said */
} bn_record;

/* Fails only where the metadata are no JSON. */
bonsai_status bn_record_read(bn_record *r, const bonsai_graph *small);

/* ---- the split that a pair of graphs is judged on (parts.c) ---- */

typedef struct {
    double   percent[3];        /* asked for; all 0: not asked.  Then what was drawn; all 0: none */
    uint64_t seed;              /* likewise */
    bonsai_split_source from;
} bn_parts;

/* Which nodes of full train and which judge what is made of small (NULL, or full: full alone).  A
 * split that was asked for rules; then the one that small was condensed with, if it was drawn;
 * then that of full; then 60/20/20, or all for training where full is condensed itself.
 * *drawn: full with that split; NULL where it is full's own. */
bonsai_status bn_parts_for(bonsai_graph **drawn, bn_parts *p, const bonsai_graph *small,
                           const bonsai_graph *full);
/* Labelled nodes of small that are by their ids validation or test nodes of full: what is judged
 * there has been trained on. */
int64_t bn_parts_leaks(const bonsai_graph *small, const bonsai_graph *full);

#endif
