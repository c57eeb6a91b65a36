/* record.h -- the record of how a condensed graph was made, and the checks and splits that use it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RECORD_H
#define BN_RECORD_H

#include "fact.h"
#include "prototypes/prototypes.h"
#include "trees/trees.h"

/* ---- writing ---- */

/* Writes the record into the small graph's metadata: only what is the same on every run, so no
 * times, threads or memory.  c: of picked nodes, else NULL. */
bonsai_status bn_record_write(bonsai_graph *small, const bonsai_condense_info *i,
                              const bonsai_condense_options *o, const bn_choice *c);
/* Adds the reason of a choice and the probe's scores to the record. */
bonsai_status bn_record_reason(bonsai_graph *small, const bonsai_condense_info *i);
/* Writes the record of updated prototypes: that of `before` with the new sizes and the reason. */
bonsai_status bn_record_updated(bonsai_graph *small, const bonsai_condense_info *i,
                                const bonsai_graph *before);

/* Returns whether the probe, fitted on the small graph, is hardly better than always naming the
 * largest class (probetext.c). */
bool bn_is_idle(const bonsai_condense_info *i);

/* Finds the checksum of all that condensing reads of a graph (fingerprint.c): its counted
 * sections in their smallest encoding, but only the labels of the given training nodes.  A graph
 * has the same checksum in any format.  t: the traits of its features.  Each rank (graph.h) has
 * all training nodes. */
bonsai_status bn_fingerprint(uint32_t *out, const bonsai_graph *g, const bn_traits *t,
                             const int32_t *train, int64_t count, const bn_place *at);

/* ---- reading ---- */

typedef struct {
    bool known;                 /* the graph has a record; else all are defaults */
    bool has_options;           /* the record has options */
    bool has_crc;               /* the record has the checksum of the full graph */
    bool updated;               /* the graph was made by an update */
    char method[32];            /* by name, perhaps of a newer version; "": unknown */
    bonsai_condense_info    info;       /* without times and memory */
    bonsai_condense_options o;          /* that it was made with */
    int  layers;                /* prototypes: rounds of averaging their features; -1: unknown */
    char rows[16];              /* prototypes: what their rows are made of: bn_kind_named */
} bn_record;

/* Reads the record of g as JSON, NULL without one; does not look at other sections. */
bonsai_status bn_record_load(bn_json **root, const bonsai_graph *g);
/* Reads the record.  This and the next two fail only if the metadata are not JSON, or for lack of
 * memory. */
bonsai_status bn_record_read(bn_record *r, const bonsai_graph *small);
/* Reads the reasons for the nodes: the node of the full graph that is the root of the tree (-1:
 * dropped or unknown), the samples that it covers, its PageRank.  Each array has room for all
 * nodes, or is NULL.  *known: whether the record has reasons. */
bonsai_status bn_record_reasons(bool *known, int64_t *tree, int64_t *covers, double *score,
                                const bonsai_graph *small);
/* Reads the trace of the choice of trees; empty if the record has none.  The caller frees *out. */
bonsai_status bn_record_trace(bn_trace **out, const bonsai_graph *small);

/* Returns the budget in bytes for a graph of these sizes; 0 if the options give nodes or trees. */
double bn_record_budget(const bonsai_condense_options *o, double full_bytes,
                        double paper_full_bytes);

/* ---- the split that a pair of graphs is judged on (judgesplit.c) ---- */

typedef struct {
    double   percent[3];        /* in: as asked, all 0: not asked; out: as drawn, all 0: none */
    uint64_t seed;              /* likewise */
    bonsai_split_source from;
} bn_judge_split;

/* Finds the split of full into training and judging nodes, for small (NULL, or full: full
 * alone): the split that was asked for; else the one that condensing drew for small; else that
 * of full; else 60/20/20, or all for training if full is condensed itself.  *drawn: full with
 * that split; NULL if it is full's own. */
bonsai_status bn_judge_split_of(bonsai_graph **drawn, bn_judge_split *p, const bonsai_graph *small,
                                const bonsai_graph *full);
/* Counts the labelled nodes of small that are validation or test nodes of full: training on them
 * would make the judgement too good. */
bonsai_status bn_judge_split_leaks(int64_t *leaks, const bonsai_graph *small,
                                   const bonsai_graph *full);

/* ---- whether two graphs belong together (compatible.c) ---- */

typedef enum {
    BN_SAME_COLUMNS,              /* full has the classes and the features of small */
    BN_SAME_SOURCE              /* and is the graph that small was made of, by its record */
} bn_compatibility;

/* Fails unless two verified graphs belong together; every call with two graphs checks them so.
 * *kept gets the column of full for each feature of small, ascending; NULL: small has all of
 * them. */
bonsai_status bn_compatible_check(int32_t **kept, const bonsai_graph *small,
                                  const bonsai_graph *full, bn_compatibility level, int threads);
/* Projects g on the basis of small, if the features of small are coordinates and g is not
 * projected; else *out is NULL.  (coordinates.c) */
bonsai_status bn_projected(bonsai_graph **out, const bonsai_graph *g, const bonsai_graph *small);
/* Fails if a node number is out of range. */
bonsai_status bn_node_check(const bonsai_graph *small, int64_t node);
/* Fails unless the checksum of full is the one in the record of small. */
bonsai_status bn_compatible_crc(const bn_record *r, const bonsai_graph *small,
                                const bonsai_graph *full, uint32_t crc);

#endif
