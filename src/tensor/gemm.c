/* gemm.c -- matrix products with single-threaded BLAS.
 *
 * A multi-threaded BLAS rounds differently with another number of threads.  So products are small
 * blocks of fixed size inside our own parallel loops, and BLAS uses one thread while they run.  It
 * also rounds differently on another processor: outside training these products only propose.
 *
 * SPDX-License-Identifier: MIT */
#include <cblas.h>
#include <string.h>

#include "tensor.h"

void bn_gemm_nt(float *c, const float *a, const float *b, int m, int n, int k)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, a, k, b, k, 0.0f, c, n);
}

/* Returns the rows of a block; few rows are cut too, as work for some threads. */
static int64_t block_rows(int64_t rows)
{
    enum { ROWS = 128, LEAST_ROWS = 16, BLOCKS = 8 };
    const int64_t high = (rows + BLOCKS - 1) / BLOCKS;
    return high < LEAST_ROWS ? LEAST_ROWS : bn_least(high, ROWS);
}

void bn_multiply(double *c, const bn_product *p, int threads)
{
    const int64_t high = block_rows(p->m), blocks = (p->m + high - 1) / high;
    const double work = (double)p->m * (double)p->n * (double)p->k / 4;
    if (p->n == 0 || p->k == 0) {
        memset(c, 0, p->add ? 0 : (size_t)(p->m * p->n) * sizeof *c);
        return;
    }
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(dynamic, 1)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t at = b * high, rows = bn_least(high, p->m - at);
        cblas_dgemm(CblasRowMajor, p->a_turned ? CblasTrans : CblasNoTrans,
                    p->b_turned ? CblasTrans : CblasNoTrans, (int)rows, (int)p->n, (int)p->k, 1,
                    p->a + (p->a_turned ? at : at * p->k), (int)(p->a_turned ? p->m : p->k), p->b,
                    (int)(p->b_turned ? p->k : p->n), p->add ? 1 : 0, c + at * p->n, (int)p->n);
    }
}
