/* tricky_rows.h -- matrices whose rows are hard to tell apart, for tests of neighbours.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TRICKY_ROWS_H
#define BN_TRICKY_ROWS_H

#include <string.h>

#include "random_graph.h"

typedef enum { SPREAD, REPEATED_ROWS, GRID, EQUAL_ROWS, FAR_AWAY, ONE_OUTLIER, TINY, HUGE_ONES,
               KINDS } kind;
static const char *const kind_name[] = {"spread", "repeated rows", "grid", "equal rows", "far away",
                                        "one outlier", "tiny", "huge"};

static inline float tricky(kind how, int64_t r, int64_t j, uint64_t *s)
{
    switch (how) {
    case GRID:       return (float)random_below(s, 2);              /* many equal distances */
    case EQUAL_ROWS: return (float)(j % 3);
    case FAR_AWAY:   return 1e4f + (float)random_below(s, 8) * 0x1p-9f;
    case ONE_OUTLIER:return r == 3 ? 1e6f : random_real(s);
    case TINY:       return random_real(s) * 1e-22f;                /* squares underflow */
    case HUGE_ONES:  return random_real(s) * 3e38f;                 /* squares overflow */
    default:         return random_real(s);
    }
}

/* Fills a matrix of a kind; about `percent` of its entries are non-zero. */
static inline void fill_rows(float *x, int64_t rows, int64_t f, kind how, int percent, uint64_t *s)
{
    for (int64_t r = 0; r < rows; r++) {
        int chance = how == EQUAL_ROWS || how == FAR_AWAY || random_below(s, 8) ? percent : 0;
        for (int64_t j = 0; j < f; j++)
            x[r * f + j] = how == EQUAL_ROWS || random_below(s, 100) < chance ? tricky(how, r, j, s)
                                                                                : 0.0f;
        if (how == REPEATED_ROWS && r > 2 && random_below(s, 2))
            memcpy(x + r * f, x + random_below(s, (int)r) * f, (size_t)f * sizeof *x);
    }
}

/* Draws all rows, or about half of them; returns how many. */
static inline int64_t draw_rows(int32_t *sample, int64_t rows, uint64_t *s)
{
    int64_t z = 0;
    int keep = random_below(s, 3);              /* 0: all */
    for (int32_t r = 0; r < rows; r++)
        if (keep == 0 || random_below(s, 2))
            sample[z++] = r;
    if (z == 0)
        sample[z++] = 0;
    return z;
}

#endif
