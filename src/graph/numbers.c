/* numbers.c -- the nodes of a graph by the numbers that small graphs know them by.
 *
 * A graph that was reordered, or is a part of another, has the numbers of its nodes there in its
 * origin section; small graphs of it go on with these.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "graph.h"

typedef struct {
    uint32_t number;
    int32_t  node;
} entry;

static int by_number(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The first entry of that number, or the first behind it. */
static int64_t find(const entry *list, int64_t count, uint32_t number)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t bn_number_of(const bonsai_graph *g, int64_t node)
{
    const int64_t origin = bonsai_graph_origin(g, node);
    return (uint32_t)(origin < 0 ? node : origin);
}

bonsai_status bn_numbers_find(int32_t *out, const uint32_t *number, int64_t count,
                              const bonsai_graph *g)
{
    entry *list = NULL;
    const int64_t n = g->view.nodes;
    const bool renumbered = bn_has(g, BONSAI_SECTION_ORIGIN);
    bonsai_status rc = renumbered ? BN_NEW(&list, n) : BONSAI_OK;
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t v = 0; renumbered && v < n; v++)
        list[v] = (entry){bn_number_of(g, v), (int32_t)v};
    if (renumbered)
        qsort(list, (size_t)n, sizeof *list, by_number);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = renumbered ? find(list, n, number[i]) : (int64_t)number[i];
        out[i] = at >= n || (renumbered && list[at].number != number[i]) ? -1
                 : renumbered ? list[at].node : (int32_t)at;
    }
    bn_free(list);
    return BONSAI_OK;
}
