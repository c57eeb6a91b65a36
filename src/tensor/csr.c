/* csr.c -- multiplies sparse matrices by dense ones, and transposes them.
 *
 * Rows are independent and each adds its entries in order, so the result does not depend on the
 * number of threads.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tensor.h"

void bn_matrix_times(float *y, const bn_matrix *a, const float *x, int64_t k, int threads)
{
    const bn_kernels *kernel = bn_kernels_get();
    const double work = (double)(a->rows + a->offsets[a->rows] - a->offsets[0]) * (double)k;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic, 32)
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t e = a->offsets[r];
        memset(y + r * k, 0, (size_t)k * sizeof *y);
        kernel->combine(y + r * k, x, k, k, a->index + e, a->value ? a->value + e : NULL,
                        a->offsets[r + 1] - e);
    }
}

bonsai_status bn_matrix_flip(bn_matrix *out, const bn_matrix *a)
{
    bonsai_status rc;
    int64_t entries = a->offsets[a->rows] - a->offsets[0];
    *out = (bn_matrix){.rows = a->cols, .cols = a->rows};
    BN_TRY(BN_NEW(&out->offsets, a->cols + 2));
    BN_TRY(BN_NEW(&out->index, entries));
    BN_TRY(BN_NEW(&out->value, entries));
    int64_t *place = out->offsets + 1;          /* once filled, the start of the next line */
    for (int64_t e = a->offsets[0]; e < a->offsets[a->rows]; e++)
        place[a->index[e] + 1]++;
    for (int64_t j = 0; j < a->cols; j++)
        place[j + 1] += place[j];
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->offsets[r]; e < a->offsets[r + 1]; e++) {
            int64_t at = place[a->index[e]]++;
            out->index[at] = (int32_t)r;
            out->value[at] = a->value ? a->value[e] : 1.0f;
        }
done:
    if (rc != BONSAI_OK)
        bn_matrix_free(out);
    return rc;
}

void bn_matrix_free(bn_matrix *a)
{
    bn_free(a->offsets);
    bn_free(a->index);
    bn_free(a->value);
    memset(a, 0, sizeof *a);
}
