/* distance.c -- the distance of two gradients.
 *
 * A column of length 0 has cosine 0 and no derivative.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "tangent.h"

enum { WIDE = 64 };             /* columns at a time */

static double squares(real *v, const real *s, const real *g, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const real by = s[i] - g[i];
        sum += (double)by * (double)by;
        v[i] = 2 * by;
    }
    return sum;
}

/* Returns the distances, 1 - cosine, of columns from .. from+wide-1; fills v with the
 * derivatives. */
static double some_cosines(real *v, const real *s, const real *g, const bn_extent *x, int64_t from)
{
    static const double least = 1e-6;
    const int64_t rows = x->rows, cols = x->cols, wide = cols - from < WIDE ? cols - from : WIDE;
    double of_g[WIDE] = {0}, of_s[WIDE] = {0}, dot[WIDE] = {0}, sum = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < wide; j++) {
            const double a = (double)g[i * cols + from + j], b = (double)s[i * cols + from + j];
            of_g[j] += a * a;
            of_s[j] += b * b;
            dot[j] += a * b;
        }
    for (int64_t j = 0; j < wide; j++) {
        const double u = sqrt(of_g[j]), w = sqrt(of_s[j]), q = u * w + least;
        sum += 1 - dot[j] / q;
        of_g[j] = -1 / q;
        of_s[j] = w > 0 ? dot[j] * u / (q * q * w) : 0;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < wide; j++) {
            const int64_t at = i * cols + from + j;
            v[at] = (real)((double)g[at] * of_g[j] + (double)s[at] * of_s[j]);
        }
    return sum;
}

static double cosines(real *v, const real *s, const real *g, const bn_extent *x)
{
    double sum = 0;
    for (int64_t from = 0; from < x->cols; from += WIDE)
        sum += some_cosines(v, s, g, x, from);
    return sum;
}

double bn_distance(real *v, const real *s, const real *g, const bn_extent *x)
{
    const bn_extent whole = {x->kind, x->rows * x->cols, 1};
    switch (x->kind) {
    case BN_FAR_COLUMNS: return cosines(v, s, g, x);
    case BN_FAR_WHOLE:   return cosines(v, s, g, &whole);
    default:             return squares(v, s, g, x->rows * x->cols);
    }
}
