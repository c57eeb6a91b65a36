/* chain.c -- multiplies by a product of matrices, one factor after the other.
 *
 * Averaged rows have many entries, but their factors, the features and the edges, have few:
 * multiplying by the factors costs a fraction of multiplying by the rows.
 *
 * SPDX-License-Identifier: MIT */
#include "tensor.h"

int64_t bn_chain_rows(const bn_chain *c)
{
    return c->factor[0].a->rows;
}

int64_t bn_chain_cols(const bn_chain *c)
{
    return c->factor[c->count - 1].a->cols;
}

int64_t bn_chain_room(const bn_chain *c)
{
    int64_t most = 0;
    for (int i = 1; i < c->count; i++)
        most = c->factor[i].a->rows > most ? c->factor[i].a->rows : most;
    return most;
}

int64_t bn_chain_lanes(const bn_chain *c)
{
    enum { LANES = 8 };
    for (int i = 0; i < c->count; i++)
        if (c->factor[i].a->dense)
            return BN_NARROW;
    return LANES;
}

void bn_chain_times(float *y, const bn_chain *c, const float *x, int64_t k, float *const room[2],
                    int threads)
{
    for (int i = c->count - 1; i >= 0; i--) {
        float *to = i == 0 ? y : room[i % 2];
        bn_matrix_times(to, c->factor[i].a, x, k, threads);
        x = to;
    }
}

void bn_chain_times_turned(float *y, const bn_chain *c, const float *x, int64_t k,
                           float *const room[2], int threads)
{
    for (int i = 0; i < c->count; i++) {
        float *to = i == c->count - 1 ? y : room[i % 2];
        bn_matrix_times(to, c->factor[i].turned, x, k, threads);
        x = to;
    }
}
