/* gemm.c -- matrix products with single-threaded BLAS.
 *
 * A multi-threaded BLAS rounds differently with another number of threads.  So products are small
 * blocks of fixed size inside our own parallel loops, and BLAS uses one thread while they run.  It
 * also rounds differently on another processor: outside training these products only propose.
 *
 * SPDX-License-Identifier: MIT */
#include <cblas.h>

#include "tensor.h"

void bn_gemm_nt(float *c, const float *a, const float *b, int m, int n, int k)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, a, k, b, k, 0.0f, c, n);
}
