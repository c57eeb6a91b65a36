/* blend.h -- three rows that describe a node, and mixtures of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_BLEND_H
#define BN_BLEND_H

#include "embed.h"

/* A node's own features; the mean of its neighbours' features; their average after some rounds. */
enum { BN_OWN, BN_AROUND, BN_FAR, BN_VIEWS };

typedef struct { double share[BN_VIEWS]; } bn_blend;

/* Sets out to the sum of the parts times their shares; parts without a share may be NULL.  Dense if
 * one of them is. */
bonsai_status bn_blend_rows(bn_embedding *out, const bn_embedding *const part[BN_VIEWS],
                            const bn_blend *b, const bn_place *at);
/* Makes one view of some nodes as bn_embed does; BN_FAR is after `layers` rounds. */
bonsai_status bn_embed_view(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                            int view, int layers, const bn_place *at);
/* Returns how many hops a mixture reaches. */
static inline int bn_blend_reach(const bn_blend *b, int layers)
{
    return b->share[BN_FAR] != 0 && layers > 1 ? layers : b->share[BN_AROUND] != 0 ? 1 : layers;
}
/* Makes a mixture for some nodes. */
bonsai_status bn_embed_blend(bn_embedding *out, const bonsai_graph *g, const bn_nodes *nodes,
                             const bn_blend *b, int layers, const bn_place *at);

#endif
