/* subspace.c -- directions of the largest eigenvalues, columns at right angles, and small symmetric
 * matrices made diagonal by Jacobi's rotations: plain C, in a fixed order, so that every processor
 * gets the same bits.
 *
 * A block of directions is multiplied by the matrix until the two largest values no longer change:
 * the more directions, the fewer steps.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tensor.h"

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

/* Computes v = v q. */
static void turn(double *v, double q[BN_BLOCK][BN_BLOCK], int64_t f)
{
    for (int64_t j = 0; j < f; j++) {
        double row[BN_BLOCK] = {0};
        for (int a = 0; a < BN_BLOCK; a++)
            for (int b = 0; b < BN_BLOCK; b++)
                row[b] += v[j * BN_BLOCK + a] * q[a][b];
        memcpy(v + j * BN_BLOCK, row, sizeof row);
    }
}

/* Multiplies v, then turns it so that its columns have the largest values they can. */
static void settle(bn_subspace *s, double value[2])
{
    double t[BN_BLOCK][BN_BLOCK], q[BN_BLOCK][BN_BLOCK];
    s->multiply(s->y, s->v, s->payload);
    for (int a = 0; a < BN_BLOCK; a++)
        for (int b = a; b < BN_BLOCK; b++)
            t[a][b] = t[b][a] = bn_block_dot(s->v, a, s->y, b, s->f, BN_BLOCK);
    bn_diagonalise(&t[0][0], &q[0][0], BN_BLOCK);
    turn(s->v, q, s->f);
    turn(s->y, q, s->f);
    value[0] = t[0][0];
    value[1] = t[1][1];
}

bonsai_status bn_subspace_find(double value[2], bn_subspace *s, bn_progress p)
{
    bonsai_status rc = BONSAI_OK;
    const size_t bytes = (size_t)(s->f * BN_BLOCK) * sizeof *s->v;
    double last[2];
    for (int64_t j = 0; j < s->f; j++) {
        bn_rng r = bn_rng_at(1, (uint64_t)j);
        for (int b = 0; b < BN_BLOCK; b++)
            s->v[j * BN_BLOCK + b] = bn_rng_normal(&r);
    }
    bn_straighten(s->v, s->f, BN_BLOCK);
    for (int step = 0; step < BN_SUBSPACE_STEPS; step++) {
        memcpy(last, value, sizeof last);
        settle(s, value);
        if (step > 0 && fabs(value[0] - last[0]) + fabs(value[1] - last[1]) < 1e-11 * value[0])
            break;
        if (step + 1 < BN_SUBSPACE_STEPS) {
            memcpy(s->v, s->y, bytes);
            bn_straighten(s->v, s->f, BN_BLOCK);
        }
        BN_TRY(bn_tick(p, s->stage, step, BN_SUBSPACE_STEPS));
    }
done:
    return rc;
}
