/* edgenet.h -- blocks of pairs of nodes; shared by edgenet.c and edgenet_back.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EDGENET_H
#define BN_EDGENET_H

#include "tangent.h"

enum { BN_EDGE_SUMS = 3 };

typedef struct {                /* pairs (i,j) of some nodes i and all j, worked on by one thread */
    const bn_edgenet *e;
    const real *param;
    int64_t first, rows;        /* nodes i */
    int64_t pairs;
    real   *y[BN_EDGE_STREAMS], *z[BN_EDGE_STREAMS], *g[BN_EDGE_STREAMS];       /* (pairs,h) */
    real   *room;
} bn_edge_block;

bn_edge_block bn_edge_block_at(const bn_edgenet *e, const real *param, int64_t at);
double bn_edge_work(const bn_edgenet *e);       /* of a pass over all blocks, for bn_team */
void bn_edge_join(real *restrict y, const real *restrict p, const real *restrict q, int64_t h);
void bn_edge_first(const bn_edge_block *b);     /* y = what the second layer reads */
void bn_edge_second(const bn_edge_block *b);    /* z = the second layer, by way of y */
void bn_edge_third(const bn_edge_block *b);     /* y = what the third layer reads, of z */

#endif
