/* update.h -- prototypes after their graph has changed; see update.c.
 *
 *   changes.c  what differs between two graphs, and whose embeddings that reaches
 *   moves.c    which prototype each node that it reached belongs to
 *   adjust.c   rows, soft labels, weights and members of the prototypes that moves concern
 *   update.c   the door: checks, order, report
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_UPDATE_H
#define BN_UPDATE_H

#include "embed/embed.h"
#include "trees/job.h"

/* ---- differences (changes.c) ---- */

enum { BN_NEW_EDGES = 1, BN_NEW_FEATURES = 2, BN_NEW_LABEL = 4, BN_TOUCHED = 8 };

typedef struct {
    uint8_t *kind;              /* per node of the newer graph: bits of the above */
    int64_t  added, changed;    /* nodes that are new; older ones that differ in anything */
    int64_t  touched;           /* nodes whose embedding may differ */
} bn_changes;

/* Finds the nodes of `now`, whose first ones are those of `was`, that differ, and those whose
 * embeddings after `layers` rounds may differ. */
bonsai_status bn_changes_find(bn_changes *out, const bonsai_graph *now, const bonsai_graph *was,
                              int layers, bn_progress p);
void bn_changes_free(bn_changes *c);
/* Lists the given nodes and all within `hops` of one, ascending. */
bonsai_status bn_ball(int32_t **out, int64_t *size, const bonsai_graph *g, const int32_t *nodes,
                      int64_t count, int hops);

/* ---- which node belongs to which prototype (moves.c) ---- */

typedef struct {
    const bonsai_graph *now, *was, *small;
    int      layers;
    bn_blend blend;             /* the views that rows mix */
    const bn_place *at;
    int32_t *before, *after;    /* per node of now: its prototype; -1: none */
    int64_t *size_before, *size_after;      /* per prototype: members */
    int32_t *left, *joined;     /* nodes whose old embedding is removed, whose new one is added;
                                 * ascending */
    int64_t  lefts, joins;
    bn_embedding old, fresh;    /* a row for each of them */
    int64_t  moved;             /* to another prototype, or from none */
} bn_moves;

/* Finds the moves; the graphs, layers and place must be set, the rest zero. */
bonsai_status bn_moves_find(bn_moves *m, const bn_changes *c);
void bn_moves_free(bn_moves *m);

/* ---- the new prototypes (adjust.c) ---- */

/* Makes the small graph with all changes, without a report; *adjusted: how many prototypes
 * changed. */
bonsai_status bn_adjust(bonsai_graph **out, int64_t *adjusted, const bn_moves *m);
/* Lowers weights above the limit to it. */
void bn_adjust_limit(bonsai_graph *small, float most);

#endif
