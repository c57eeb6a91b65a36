/* csr.c -- multiplies sparse matrices, as stored in a file, by dense ones.
 *
 * Rows are independent and each adds its entries in order, so the result does not depend on the
 * number of threads.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tensor.h"

void bn_csr_times_dense(float *y, const bn_csr *a, const float *x, int64_t k, int threads)
{
    const bn_kernels *kernel = bn_kernels_get();
    const double work = (double)(a->rows + a->indices.count) * (double)k;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic, 256)
    for (int64_t r = 0; r < a->rows; r++) {
        float *row = y + r * k;
        memset(row, 0, (size_t)k * sizeof *row);
        int64_t end = bn_int_at(&a->offsets, r + 1);
        for (int64_t e = bn_int_at(&a->offsets, r); e < end; e++)
            kernel->axpy(row, bn_csr_value(a, r, e), x + bn_int_at(&a->indices, e) * k, k);
    }
}

void bn_csr_mean(float *y, const bn_csr *a, const float *x, int64_t k, int threads)
{
    const bn_kernels *kernel = bn_kernels_get();
    const double work = (double)(a->rows + a->indices.count) * (double)k;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic, 256)
    for (int64_t r = 0; r < a->rows; r++) {
        float *row = y + r * k;
        int64_t e = bn_int_at(&a->offsets, r), end = bn_int_at(&a->offsets, r + 1);
        double total = 0;
        if (e == end) {
            memcpy(row, x + r * k, (size_t)k * sizeof *row);
            continue;
        }
        memset(row, 0, (size_t)k * sizeof *row);
        for (; e < end; e++) {
            float w = bn_csr_value(a, r, e);
            kernel->axpy(row, w, x + bn_int_at(&a->indices, e) * k, k);
            total += (double)w;
        }
        kernel->scale(row, (float)(1.0 / total), k);
    }
}
