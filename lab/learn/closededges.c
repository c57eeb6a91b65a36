/* closededges.c -- edges between rows that express each other, in closed form, and their adjoint.
 *
 * With K = X X^T, the matrix B that minimises |X - B^T X|^2 + alpha |B - P|^2 + beta |B - Q|^2 is
 * M^-1 (K + alpha P + beta Q), M = K + (alpha + beta) I; edges are (|B| + |B|^T) / 2.  Given their
 * gradient dA,
 *
 *   dB = sign(B) (dA + dA^T) / 2,  Y = M^-1 dB,  dK = Y - Y B^T,  dX = (dK + dK^T) X.
 *
 * One Cholesky factor serves both systems.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "tangent.h"

typedef struct {                /* the parts of the room */
    double *x, *dx;             /* (n,f) */
    double *k, *b, *y;          /* (n,n) */
    double *factor;
} parts;

static bn_system system_of(const bn_closededges *e, const double *k)
{
    return (bn_system){.a = k, .m = e->n, .k = e->n, .stride = e->n};
}

int64_t bn_closededges_room(const bn_closededges *e)
{
    const bn_system s = system_of(e, NULL);
    return 2 * e->n * e->f + 3 * e->n * e->n + bn_solve_room(&s);
}

static parts parts_of(const bn_closededges *e, double *room)
{
    const int64_t rows = e->n * e->f, pairs = e->n * e->n;
    return (parts){room, room + rows, room + 2 * rows, room + 2 * rows + pairs,
                   room + 2 * rows + 2 * pairs, room + 2 * rows + 3 * pairs};
}

void bn_closededges_run(real *a, const bn_closededges *e, double *room)
{
    const parts r = parts_of(e, room);
    const int64_t n = e->n;
    const bn_product gram = {.a = r.x, .b = r.x, .b_turned = true, .m = n, .n = n, .k = e->f};
    const bn_system s = system_of(e, r.k);
    for (int64_t i = 0; i < n * e->f; i++)
        r.x[i] = (double)e->x[i];
    bn_multiply(r.k, &gram, e->threads);
    for (int64_t i = 0; i < n * n; i++)
        r.b[i] = r.k[i] + e->alpha * (double)e->p[i] + e->beta * (double)e->q[i];
    bn_factor(&s, e->alpha + e->beta, r.factor, e->threads);
    bn_solve_factored(r.b, &s, r.factor, e->threads);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            a[i * n + j] = (real)((fabs(r.b[i * n + j]) + fabs(r.b[j * n + i])) / 2);
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

void bn_closededges_back(real *dx, const bn_closededges *e, const real *da, double *room)
{
    const parts r = parts_of(e, room);
    const int64_t n = e->n;
    const bn_system s = system_of(e, r.k);
    const bn_product through = {.a = r.y, .b = r.b, .b_turned = true, .m = n, .n = n, .k = n};
    const bn_product back = {.a = r.y, .b = r.x, .m = n, .n = e->f, .k = n};
    double *dk = r.k;           /* the factor is all that is still needed of it */
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            r.y[i * n + j] = sign(r.b[i * n + j]) *
                             ((double)da[i * n + j] + (double)da[j * n + i]) / 2;
    bn_solve_factored(r.y, &s, r.factor, e->threads);
    bn_multiply(dk, &through, e->threads);
    for (int64_t i = 0; i < n * n; i++)
        dk[i] = r.y[i] - dk[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            r.y[i * n + j] = dk[i * n + j] + dk[j * n + i];
    bn_multiply(r.dx, &back, e->threads);
    for (int64_t i = 0; i < n * e->f; i++)
        dx[i] += (real)r.dx[i];
}
