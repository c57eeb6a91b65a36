/* solving.h -- linear systems by the book, for oracles.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SOLVING_H
#define BN_SOLVING_H

#include <math.h>

/* Solves a w = b for a (n,n), b (n,k) in place, with pivots; w is left in b. */
static inline void eliminate(double *a, double *b, int n, int k)
{
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p; i < n; i++)
            best = fabs(a[i * n + p]) > fabs(a[best * n + p]) ? i : best;
        for (int j = 0; j < n + k; j++) {
            double *x = j < n ? a + p * n + j : b + p * k + j - n;
            double *y = j < n ? a + best * n + j : b + best * k + j - n, t = *x;
            *x = *y;
            *y = t;
        }
        for (int i = 0; i < n; i++) {
            double share = i == p ? 0 : a[i * n + p] / a[p * n + p];
            for (int j = p; share != 0 && j < n; j++)
                a[i * n + j] -= share * a[p * n + j];
            for (int j = 0; share != 0 && j < k; j++)
                b[i * k + j] -= share * b[p * k + j];
        }
    }
    for (int i = 0; i < n * k; i++)
        b[i] /= a[i / k * n + i / k];
}

#endif
