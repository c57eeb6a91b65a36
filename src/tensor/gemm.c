/* gemm.c -- matrix products with single-threaded BLAS.
 *
 * A multi-threaded BLAS rounds differently with another number of threads.  So products are small
 * blocks of fixed size inside our own parallel loops, and BLAS uses one thread while they run.  It
 * also rounds differently on another processor: outside training these products only propose.
 *
 * SPDX-License-Identifier: MIT */
#include <cblas.h>
#include <pthread.h>

#include "tensor.h"

/* The setting is global: the first caller saves it, the last restores it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, before;

void bn_blas_begin(void)
{
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void bn_blas_end(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0)
        openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}

void bn_gemm_nt(float *c, const float *a, const float *b, int m, int n, int k)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, a, k, b, k, 0.0f, c, n);
}
