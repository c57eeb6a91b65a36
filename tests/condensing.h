/* condensing.h -- graphs and options for the tests of condensing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CONDENSING_H
#define BN_CONDENSING_H

#include <math.h>
#include <stdlib.h>

#include "condense/condense.h"
#include "random_graph.h"

/* How many cases a random graph can be: features x weights x self loops. */
enum { CASES = 32 };

/* A random graph with labels and a split, n of 12 to 40 nodes; case i of CASES. */
static inline bonsai_graph *case_graph(uint64_t seed)
{
    static const layout kinds[8] = {DENSE_F32, SPARSE_F32, SPARSE_ONES, DENSE_U8,
                                    SPARSE_U8, DENSE_I8, SPARSE_I8, DENSE_F16};
    int with = WITH_LABELS | (seed & 8 ? WITH_WEIGHTS : 0) | (seed & 16 ? WITH_LOOPS : 0);
    int64_t n = 12 + (int64_t)(seed * 7 % 29);
    return random_graph(seed, n, n + (int64_t)(seed * 5 % 60), kinds[seed % 8], with);
}

static inline int64_t training_nodes(const bonsai_graph *g)
{
    int64_t count = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        count += bn_part(g, v) == BONSAI_TRAIN && bn_label(g, v) >= 0;
    return count;
}

static inline double size_in(const bonsai_graph *g, bonsai_accounting a)
{
    double bytes = -1;
    if (bonsai_graph_bytes(&bytes, g, a) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return bytes;
}

static inline bonsai_graph *condensed(bonsai_condense_info *info, const bonsai_graph *g,
                                      const bonsai_condense_options *o)
{
    bonsai_graph *small = NULL;
    bonsai_condense_info_init(info);
    if (bonsai_condense(&small, info, g, o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return small;
}

/* The file that a graph is saved as; free() it. */
static inline uint8_t *saved(size_t *len, const bonsai_graph *g)
{
    const char *path = temp_path("saved.bonsai");
    if (bonsai_graph_save(g, path, NULL, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return read_file(path, len);
}

static inline void assert_same_file(const bonsai_graph *a, const bonsai_graph *b)
{
    size_t m, n;
    uint8_t *x = saved(&m, a), *y = saved(&n, b);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

/* Nodes of a class that may be condensed from. */
static inline int64_t in_class(const bonsai_graph *g, int64_t c)
{
    int64_t count = 0;
    for (int64_t v = 0; v < g->view.nodes; v++)
        count += bn_part(g, v) == BONSAI_TRAIN && bn_label(g, v) == c;
    return count;
}

#endif
