/* parting.h -- divides the rows of a matrix among ranks, for tests on several ranks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_PARTING_H
#define BN_PARTING_H

#include "embedding.h"
#include "random_graph.h"
#include "threads_world.h"

enum { MOST_RANKS = 8 };
static const int rank_counts[] = {1, 2, 3, 5, 8};

typedef struct {
    int     ranks;
    int64_t first[MOST_RANKS + 1];
    bn_embedding e[MOST_RANKS];         /* the rows of each rank; all zero if it has none */
} parted_rows;

/* Borders are random, so some ranks have no rows; even: ranks have about the same number of
 * rows. */
static inline void part_rows(parted_rows *out, const float *x, int64_t rows, int64_t f, int ranks,
                             bool sparse, bool even, uint64_t *s)
{
    memset(out, 0, sizeof *out);
    out->ranks = ranks;
    out->first[ranks] = rows;
    for (int r = 1; r < ranks; r++) {
        int64_t at = even ? rows * r / ranks : random_below(s, (int)rows + 1);
        int i = r;
        for (; i > 1 && out->first[i - 1] > at; i--)
            out->first[i] = out->first[i - 1];
        out->first[i] = at;
    }
    for (int r = 0; r < ranks; r++) {
        int64_t count = out->first[r + 1] - out->first[r];
        if (count > 0)
            (sparse ? set_sparse : set_dense)(&out->e[r], x + out->first[r] * f, count, f);
    }
}

static inline void free_parts(parted_rows *p)
{
    for (int r = 0; r < p->ranks; r++)
        bn_embedding_free(&p->e[r]);
}

#endif
