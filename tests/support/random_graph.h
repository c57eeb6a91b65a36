/* random_graph.h -- random numbers, matrices and graphs for tests.
 *
 * The generator is not the library's, so a bug there cannot hide here.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RANDOM_GRAPH_H
#define BN_RANDOM_GRAPH_H

#include "testing.h"

uint64_t random_bits(uint64_t *state);
int      random_below(uint64_t *state, int n);          /* 0 .. n-1 */
float    random_real(uint64_t *state);                  /* -1 .. 1, 24 random bits */

typedef enum {                  /* the kind of numbers in a feature matrix */
    BINARY, SMALL_INTS, ROW_SCALED, HALVES, FLOATS, SIGNED_INTS, SIGNED_SCALED, MINUS_ZEROS,
    SQUARES, SIGNED_SQUARES, NATURES
} nature;

/* Fills x (n,f); each entry is non-zero with the given chance in percent. */
void random_features(float *x, int64_t n, int64_t f, nature kind, int percent, uint64_t *state);
/* A graph of these features alone, without edges. */
bonsai_graph *dense_graph(const float *x, int64_t n, int64_t f);

typedef enum {                  /* how a graph stores its features */
    NO_FEATURES, DENSE_F32, DENSE_F16, DENSE_U8, DENSE_I8,
    SPARSE_ONES, SPARSE_F32, SPARSE_U8, SPARSE_I8, LAYOUTS
} layout;

enum {                          /* what else it has */
    WITH_WEIGHTS = 1, WITH_LABELS = 2, WITH_SOFT = 4, WITH_EXTRAS = 8, WITH_LOOPS = 16,
    WITH_REPEATED = 32, DIRECTED = 64,
    WITH_ALL = WITH_WEIGHTS | WITH_LABELS | WITH_SOFT | WITH_EXTRAS
};

/* A graph of n nodes built from m edges, with every section that `with` asks for in a random
 * type. */
bonsai_graph *random_graph(uint64_t seed, int64_t n, int64_t m, layout features, int with);

#endif
