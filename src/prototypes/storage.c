/* storage.c -- what a graph of prototypes takes, for each way to store its rows.
 *
 * A row may keep all of its entries, some of its own with their columns, or those in columns that
 * all rows share, which are listed once; a number takes eight bits, or four where it is a square.
 * Or rows are mixtures of a few directions, which are stored once.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "candidate.h"

static double index_bytes(const bn_storage *s)
{
    return s->f <= 65536 ? 2 : 4;
}

static double value_bytes(const bn_storage *s, double values)
{
    return s->squares ? ceil(values / 2) : values * (double)bonsai_type_bytes(s->type);
}

/* Returns the bytes of a basis in four bits, and of eight bits for each coordinate. */
static double factor_bytes(const bn_storage *s, double rows)
{
    double r = (double)s->directions, columns = (double)s->kept;
    double list = fmin(columns * index_bytes(s), ceil((double)s->f / 8));   /* or a bit for each */
    return ceil(r * columns / 2) + 4 * r + (s->kept < s->f ? list : 0) + rows * (r + 4);
}

static double feature_bytes(const bn_storage *s, double rows, double stored)
{
    if (s->directions > 0)
        return factor_bytes(s, rows);
    double dense = value_bytes(s, rows * (double)s->f);
    double offset = stored <= (double)UINT32_MAX ? 4 : 8;
    double other = s->columns ? stored * index_bytes(s) + value_bytes(s, rows * stored)
                              : (rows + 1) * offset + stored * index_bytes(s) +
                                    value_bytes(s, stored);
    return fmin(dense, other) + (s->type == BONSAI_TYPE_F32 ? 0 : 4 * rows);
}

double bn_storage_bytes(const bn_storage *s, int64_t n, int64_t stored)
{
    double rows = (double)bn_storage_rows(s, n), soft = s->soft ? (double)s->classes : 0;
    double entries = (s->pairs ? 3 : s->alone ? 0 : 1) * (double)n;     /* of the adjacency */
    if (s->accounting != BONSAI_ACCOUNTING_STRICT)      /* doc/bytes.md; E has the self loop */
        return 2 * (3 * (double)stored + rows * (1 + soft + (s->largest > 0)) + 2 * rows);
    double label = s->classes <= 255 ? 1 : s->classes <= 65535 ? 2 : 4;
    double weight = s->largest == 0 ? 0 : s->both ? 4 : s->largest <= 255 ? 1
                                                    : s->largest <= 65535 ? 2 : 4;
    return 4 * (rows + 1) + 4 * entries + rows * (label + soft + weight) +
           feature_bytes(s, rows, (double)stored);
}

int64_t bn_storage_most(const bn_storage *s, double bytes, int64_t entries)
{
    int64_t low = 0, high = 1 << 30;
    while (low < high) {
        int64_t n = high - (high - low) / 2;
        int64_t stored = s->columns ? entries : bn_storage_rows(s, n) * entries;
        if (bn_storage_bytes(s, n, stored) <= bytes)
            low = n;
        else
            high = n - 1;
    }
    return low;
}
