/* facts.h -- everything that a report shows, gathered once and drawn by others.
 *
 *   facts.c   sizes, distributions, what the small graph says about itself
 *   map.c     two principal directions of the embeddings, and where everything lies in them
 *   principal.c  the directions
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FACTS_H
#define BN_FACTS_H

#include "condense/record.h"

typedef struct { double x, y; } bn_spot;

typedef struct {                /* at most 200 points, x ascending */
    int64_t  count;
    bn_spot *at;
} bn_curve;

typedef struct {                /* one round of pruning */
    bn_curve scores;            /* PageRank (y) by rank (x from 0), descending */
    int64_t  nodes, knee;       /* nodes ranked; rank of the knee, -1: none */
    int64_t  pruned;            /* nodes that went; 0 in the last one: that was too few to go on */
    int64_t  number;            /* from 1; those between the first ones and the last are left out */
} bn_prune;

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
    double  variance[2];        /* share that each direction explains */
    int64_t trees;              /* training nodes in the grid: a sample where there are very many */
    int64_t grid[BN_MAP_SIDE * BN_MAP_SIDE];    /* row by row from low_y: training nodes a cell */
    int32_t most[BN_MAP_SIDE * BN_MAP_SIDE];    /* their most frequent class; -1: empty */
    int64_t dots, all_dots;     /* drawn: at most 2,000, the heaviest first; and all there are */
    bn_dot *dot;
    int64_t all_trees;          /* training nodes */
    int64_t outside;            /* those of the grid that lie beyond it, counted at its edge */
} bn_map;

typedef struct {
    const bonsai_graph *small, *full;   /* full may be NULL */
    bn_record   made;           /* what the small graph says about its making */
    const char *method;         /* "unknown": the graph does not say */
    int64_t classes;
    char  **class_name;         /* classes; "class 3" where the graph has no names */
    double *class_small;        /* labelled nodes of each class, ... */
    double *class_weight;       /* ... by their weights, ... */
    double *class_full;         /* ... and training nodes of the full graph; NULL: not known */
    bonsai_stats small_stats, full_stats;       /* degrees; full: size 0 where not known */
    int64_t small_bytes[BONSAI_SECTION_COUNT], full_bytes[BONSAI_SECTION_COUNT];  /* full: 0 where not known */
    bn_curve coverage;          /* share of the sample that the roots cover (y) by the bytes of what
                                 * is left of their trees (x), in the order in which they were
                                 * taken, in the accounting of the budget; trees only */
    int64_t  rounds;
    bn_prune *round;
    bn_map  map;
} bn_facts;

/* Refuses a full graph that is not the one that was condensed, as far as numbers tell. */
bonsai_status bn_facts_gather(bn_facts *f, const bonsai_graph *small, const bonsai_graph *full,
                              int threads, bn_progress p);
void bn_facts_free(bn_facts *f);

/* The map alone: embeddings of the full graph's training nodes, as the small graph's method makes
 * them, and of the small graph's nodes (prototypes lie where their features are). */
bonsai_status bn_map_make(bn_map *m, const bonsai_graph *small, const bonsai_graph *full,
                          int layers, bool alike, int threads, bn_progress p);
void bn_map_free(bn_map *m);

#endif
