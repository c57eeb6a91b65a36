/* rotations.c -- columns at right angles, and small symmetric matrices made diagonal by Jacobi's
 * rotations: plain C, in a fixed order, so that every processor gets the same bits.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "principal.h"

enum { SWEEPS = 30 };

double bn_block_dot(const double *a, int p, const double *b, int q, int64_t f, int width)
{
    double sum = 0;
    for (int64_t j = 0; j < f; j++)
        sum += a[j * width + p] * b[j * width + q];
    return sum;
}

/* Makes columns orthonormal, in two passes, because one leaves rounding errors. */
void bn_straighten(double *v, int64_t f, int width)
{
    for (int c = 0; c < width; c++) {
        double before = sqrt(bn_block_dot(v, c, v, c, f, width));
        for (int pass = 0; pass < 2; pass++)
            for (int d = 0; d < c; d++) {
                double along = bn_block_dot(v, c, v, d, f, width);
                for (int64_t j = 0; j < f; j++)
                    v[j * width + c] -= along * v[j * width + d];
            }
        double length = sqrt(bn_block_dot(v, c, v, c, f, width));
        double scale = length > 1e-10 * before ? 1 / length : 0;
        for (int64_t j = 0; j < f; j++)
            v[j * width + c] *= scale;
    }
}

/* Turns columns p and r of t, n x n, by an angle. */
static void mix(double *t, int n, int p, int r, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double a = t[k * n + p], b = t[k * n + r];
        t[k * n + p] = c * a - s * b;
        t[k * n + r] = s * a + c * b;
    }
}

/* Makes t[p][r] zero by a rotation, which it gathers in q. */
static void rotate(double *t, double *q, int n, int p, int r)
{
    const double apart = t[p * n + r];
    if (apart == 0)
        return;
    double theta = (t[r * n + r] - t[p * n + p]) / (2 * apart);
    double tangent = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(tangent * tangent + 1), s = tangent * c;
    mix(t, n, p, r, c, s);
    mix(q, n, p, r, c, s);
    for (int k = 0; k < n; k++) {
        double a = t[p * n + k], b = t[r * n + k];
        t[p * n + k] = c * a - s * b;
        t[r * n + k] = s * a + c * b;
    }
}

static void swap_columns(double *t, double *q, int n, int a, int b)
{
    double value = t[a * n + a];
    t[a * n + a] = t[b * n + b];
    t[b * n + b] = value;
    for (int k = 0; k < n; k++) {
        value = q[k * n + a];
        q[k * n + a] = q[k * n + b];
        q[k * n + b] = value;
    }
}

void bn_diagonalise(double *t, double *q, int n)
{
    memset(q, 0, (size_t)n * (size_t)n * sizeof *q);
    for (int a = 0; a < n; a++)
        q[a * n + a] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < n; p++)
            for (int r = p + 1; r < n; r++)
                rotate(t, q, n, p, r);
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            if (t[b * n + b] > t[a * n + a])
                swap_columns(t, q, n, a, b);
}
