/* rare.h -- a graph with a class of 2 % of the nodes that features and edges tell apart.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RARE_H
#define BN_RARE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_graph.h"

enum { RARE_COLUMNS = 12, RARE_DEGREE = 3, RARE_ONE_IN = 50 };

/* A number of a bell curve, about: mean 0, spread 1. */
static inline float rare_bell(uint64_t *seed)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)random_below(seed, 1 << 20) / (1 << 20);
    return (float)(sum - 6);
}

/* Draws edges between any nodes, and as many again between those of the rare class. */
static inline int64_t rare_edges(int32_t *from, int32_t *to, int64_t nodes, uint64_t *seed)
{
    int64_t m = 0;
    for (int64_t v = 0; v < nodes; v++)
        for (int i = 0; i < RARE_DEGREE; i++, m++) {
            from[m] = (int32_t)v;
            to[m] = (int32_t)random_below(seed, (int)nodes);
            if (v % RARE_ONE_IN == 0 && i > 0)
                to[m] -= to[m] % RARE_ONE_IN;
        }
    return m;
}

/* Every 50th node is of class `rare`, 0 or 1; with signal 0 nothing tells.  60/20/20. */
static inline bonsai_graph *rare_graph(int64_t nodes, double signal, int rare)
{
    uint64_t seed = 7;
    bonsai_graph *g = NULL;
    bonsai_view v;
    float *x = malloc((size_t)nodes * RARE_COLUMNS * sizeof *x);
    uint8_t *label = malloc((size_t)nodes), *part = malloc((size_t)nodes);
    int32_t *from = malloc((size_t)nodes * RARE_DEGREE * sizeof *from);
    int32_t *to = malloc((size_t)nodes * RARE_DEGREE * sizeof *to);
    for (int64_t i = 0; i < nodes; i++) {
        const int share = random_below(&seed, 5), is_rare = i % RARE_ONE_IN == 0;
        label[i] = (uint8_t)(is_rare ? rare : 1 - rare);
        part[i] = (uint8_t)(share < 3 ? BONSAI_PART_TRAIN
                            : share == 3 ? BONSAI_PART_VAL : BONSAI_PART_TEST);
        for (int k = 0; k < RARE_COLUMNS; k++)
            x[i * RARE_COLUMNS + k] = rare_bell(&seed) + (float)(k < 2 ? signal * is_rare : 0);
    }
    const int64_t m = rare_edges(from, to, nodes, &seed);
    bonsai_view_init(&v);
    v.nodes = nodes;
    v.features = RARE_COLUMNS;
    v.classes = 2;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, nodes * RARE_COLUMNS, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, nodes, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){part, nodes, BONSAI_TYPE_U8};
    if (bonsai_graph_build(&g, &v, m, from, to, NULL, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    free(x);
    free(label);
    free(part);
    free(from);
    free(to);
    return g;
}

#endif
