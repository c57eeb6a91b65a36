/* embedding.h -- makes embeddings from a matrix for tests, dense or sparse.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EMBEDDING_H
#define BN_EMBEDDING_H

#include "condense/condense.h"
#include "testing.h"

/* x (rows, f) as an embedding; bn_embedding_free it. */
static inline void set_dense(bn_embedding *e, const float *x, int64_t rows, int64_t f)
{
    memset(e, 0, sizeof *e);
    e->rows = rows;
    e->f = f;
    assert_int_equal(BN_BIG(&e->dense, NULL, rows * f), BONSAI_OK);
    memcpy(e->dense, x, (size_t)(rows * f) * sizeof *x);
}

static inline void set_sparse(bn_embedding *e, const float *x, int64_t rows, int64_t f)
{
    int64_t nnz = 0;
    memset(e, 0, sizeof *e);
    e->rows = rows;
    e->f = f;
    assert_int_equal(BN_BIG(&e->offsets, NULL, rows + 1), BONSAI_OK);
    assert_int_equal(BN_BIG(&e->index, NULL, rows * f), BONSAI_OK);
    assert_int_equal(BN_BIG(&e->value, NULL, rows * f), BONSAI_OK);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t j = 0; j < f; j++)
            if (x[r * f + j] != 0.0f) {
                e->index[nnz] = (int32_t)j;
                e->value[nnz++] = x[r * f + j];
            }
        e->offsets[r + 1] = nnz;
    }
}

#endif
