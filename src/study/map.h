/* map.h -- where everything lies, in two directions of the embeddings.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MAP_H
#define BN_MAP_H

#include "base/place.h"
#include "graph/graph.h"

typedef struct { double x, y; } bn_spot;

typedef struct {                /* a node of the small graph in the map */
    double  x, y;
    int32_t label;              /* -1: unknown */
    double  weight;             /* members, or samples that it covers; at least 1 */
    int64_t node;               /* in the small graph */
} bn_dot;

enum { BN_MAP_SIDE = 96 };

typedef struct {
    bool    known;              /* there was a full graph to make it of */
    double  low_x, high_x, low_y, high_y;
    double  variance[2];        /* share that each direction explains: of the variance, or of what
                                 * separates the classes */
    int64_t trees;              /* training nodes in the grid: a sample where there are very many */
    int64_t grid[BN_MAP_SIDE * BN_MAP_SIDE];    /* row by row from low_y: training nodes a cell */
    int32_t most[BN_MAP_SIDE * BN_MAP_SIDE];    /* their most frequent class; -1: empty */
    int64_t dots, all_dots;     /* drawn: at most 2,000, the heaviest first; and all there are */
    bn_dot *dot;
    int64_t all_trees;          /* training nodes */
    int64_t outside;            /* those of the grid that lie beyond it, counted at its edge */
    double  nearest;            /* share of them that lie nearest to the middle of their own class,
                                 * as drawn; -1: not known */
} bn_map;

/* The maps: by the principal directions, and by those that separate the classes; a graph of one
 * class has only the first. */
enum { BN_MAP_WIDEST, BN_MAP_APART, BN_MAPS };

/* Makes maps of the embeddings of the full graph's training nodes, computed like the small
 * graph's method does, and of the small graph's nodes. alike: these were made or learned, and lie
 * where their features are. */
bonsai_status bn_map_make(bn_map m[BN_MAPS], const bonsai_graph *small, const bonsai_graph *full,
                          int layers, bool alike, const bn_place *at);
void bn_map_free(bn_map m[BN_MAPS]);
/* Returns how much node v of a small graph stands for, at least 1: its weight in the loss, else
 * its members, else the samples that it covers as a root. */
double bn_stands_for(const bonsai_graph *g, const int64_t *covers, int64_t v);

#endif
