/* record.h -- what a condensed graph says about its making, and what follows from it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RECORD_H
#define BN_RECORD_H

#include "fact.h"
#include "prototypes/prototypes.h"
#include "trees/trees.h"

/* ---- writing ---- */

/* Puts the record into the small graph's metadata.  Only what is the same on every run goes in: no
 * times, no threads, no memory.  c: of picked nodes, else NULL. */
bonsai_status bn_record_write(bonsai_graph *small, const bonsai_condense_info *i,
                              const bonsai_condense_options *o, const bn_choice *c);
/* Adds the reason of a choice, and the probe's scores, to the record that is there. */
bonsai_status bn_record_reason(bonsai_graph *small, const bonsai_condense_info *i);
/* The record of prototypes that were updated: as before, with the new sizes and the reason. */
bonsai_status bn_record_updated(bonsai_graph *small, const bonsai_condense_info *i,
                                const bonsai_graph *before);

/* Returns whether the probe, fitted on the small graph, is hardly better than always naming the
 * largest class (probetext.c). */
bool bn_is_idle(const bonsai_condense_info *i);

/* A checksum of all that condensing reads of a graph (fingerprint.c): its counted sections in their
 * smallest encoding, but of the labels only those of the given training nodes.  The same graph has
 * the same number in any format.  t: the traits of its features.  Over ranks (graph.h) each has all
 * of the training nodes. */
bonsai_status bn_fingerprint(uint32_t *out, const bonsai_graph *g, const bn_traits *t,
                             const int32_t *train, int64_t count, const bn_place *at);

/* ---- reading ---- */

typedef struct {
    bool known;                 /* the graph says that it was condensed; else all are defaults */
    bool has_options;           /* it says how */
    bool has_crc;               /* it has a checksum of the graph that it was made of */
    bool updated;               /* it was made by an update */
    char method[32];            /* by name: this version may not know it; "": not said */
    bonsai_condense_info    info;       /* without times and memory */
    bonsai_condense_options o;          /* that it was made with */
    int  layers;                /* prototypes: rounds of averaging their features; -1: not said */
    char rows[16];              /* prototypes: what their rows are made of: bn_kind_named */
} bn_record;

/* The record of g as JSON, NULL where it has none.  What other sections hold is not its business. */
bonsai_status bn_record_load(bn_json **root, const bonsai_graph *g);
/* This and the next two fail only where the metadata are no JSON, or for lack of memory. */
bonsai_status bn_record_read(bn_record *r, const bonsai_graph *small);
/* Why each node is there: the node of the full graph that is the root of its tree (-1: gone, or not
 * said), the samples that it covers, its PageRank.  Each array has room for all nodes, or is NULL.
 * *known: whether the record says so. */
bonsai_status bn_record_reasons(bool *known, int64_t *tree, int64_t *covers, double *score,
                                const bonsai_graph *small);
/* How the choice of trees went; empty where the record does not say.  Yours to bn_free. */
bonsai_status bn_record_trace(bn_trace **out, const bonsai_graph *small);

/* The budget in bytes of these options for a graph of these sizes; 0: it is in nodes or trees. */
double bn_record_budget(const bonsai_condense_options *o, double full_bytes,
                        double paper_full_bytes);

/* ---- the split that a pair of graphs is judged on (judgesplit.c) ---- */

typedef struct {
    double   percent[3];        /* asked for; all 0: not asked.  Then what was drawn; all 0: none */
    uint64_t seed;              /* likewise */
    bonsai_split_source from;
} bn_judge_split;

/* Which nodes of full train and which judge what is made of small (NULL, or full: full alone).  A
 * split that was asked for rules; then the one that small was condensed with, if it was drawn;
 * then that of full; then 60/20/20, or all for training where full is condensed itself.
 * *drawn: full with that split; NULL where it is full's own. */
bonsai_status bn_judge_split_of(bonsai_graph **drawn, bn_judge_split *p, const bonsai_graph *small,
                                const bonsai_graph *full);
/* Labelled nodes of small that are by their ids validation or test nodes of full: what is judged
 * there has been trained on. */
bonsai_status bn_judge_split_leaks(int64_t *leaks, const bonsai_graph *small,
                                   const bonsai_graph *full);

/* ---- whether two graphs belong together (compatible.c) ---- */

typedef enum {
    BN_SAME_COLUMNS,              /* full has the classes and the features of small */
    BN_SAME_SOURCE              /* and is the graph that small was made of, as far as it says */
} bn_compatibility;

/* Every call that takes two graphs checks them here first; both must be verified.  *kept gets the
 * column of full that each feature of small is, ascending; NULL: small has all of them. */
bonsai_status bn_compatible_check(int32_t **kept, const bonsai_graph *small,
                                  const bonsai_graph *full, bn_compatibility level, int threads);
/* The graph g in the coordinates of small, where these are the features of small and g has not been
 * projected; else *out is NULL.  (coordinates.c) */
bonsai_status bn_projected(bonsai_graph **out, const bonsai_graph *g, const bonsai_graph *small);
/* Refuses a node that the graph has not. */
bonsai_status bn_node_check(const bonsai_graph *small, int64_t node);
/* Whether the checksum of full is the one in the record of small. */
bonsai_status bn_compatible_crc(const bn_record *r, const bonsai_graph *small,
                                const bonsai_graph *full, uint32_t crc);

#endif
