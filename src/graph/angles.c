/* angles.c -- coordinates along directions that are not quite at right angles.
 *
 * Rounded directions are a little askew, so their products with each other are factored (Cholesky),
 * and coordinates are kept as if the directions were at right angles.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "graph.h"

static const double jitter = 1e-9;      /* of the largest product */

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Replaces the lower half of a by its Cholesky factor. */
static void factorise(double *a, int64_t r)
{
    double most = 0;
    for (int64_t i = 0; i < r; i++)
        most = fmax(most, a[i * r + i]);
    for (int64_t i = 0; i < r; i++)
        for (int64_t k = 0; k <= i; k++) {
            double sum = a[i * r + k] - dot(a + i * r, a + k * r, k);
            if (i == k)
                a[i * r + i] = sqrt(fmax(sum, jitter * most));
            else
                a[i * r + k] = sum / a[k * r + k];
        }
}

bonsai_status bn_angles_factor(double **out, const int8_t *number, const float *scale, int64_t r,
                               int64_t columns)
{
    bonsai_status rc = BN_NEW(out, r * r);
    for (int64_t i = 0; rc == BONSAI_OK && i < r; i++)
        for (int64_t k = 0; k <= i; k++) {
            double sum = 0;
            for (int64_t j = 0; j < columns; j++)
                sum += (double)(number[i * columns + j] * number[k * columns + j]);
            (*out)[i * r + k] = sum * (double)scale[i] * (double)scale[k];
        }
    if (rc == BONSAI_OK)
        factorise(*out, r);
    return rc;
}

void bn_angles_of(double *x, const double *factor, int64_t r)
{
    for (int64_t i = 0; i < r; i++) {
        double sum = 0;
        for (int64_t k = i; k < r; k++)
            sum += factor[k * r + i] * x[k];
        x[i] = sum;
    }
}
