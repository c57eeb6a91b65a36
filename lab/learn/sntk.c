/* sntk.c -- the structural kernel and its adjoint.
 *
 * With z the cosine of two rows after the sums so far, and their norms u and v, a ReLU layer makes
 * of the covariance s = u v z the covariance u v k1(z), and of the tangent kernel t
 * t k0(z) + u v k1(z), where
 *
 *   k1(z) = (z (pi - acos z) + sqrt(1 - z^2)) / pi,   k1' = k0,
 *   k0(z) = (pi - acos z) / pi,                       k0' = 1 / (pi sqrt(1 - z^2)).
 *
 * A cosine is kept below MOST, where k0' is bounded; beyond it has no slope.  The kernel of a row
 * with itself therefore shrinks by k1(MOST) a layer, and so the norms of rows that stand alone are
 * known in closed form.
 *
 * Columns do not mix after the first product: they are worked on in blocks, by one thread each.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "sntk.h"

static const double pi = 3.14159265358979323846, MOST = 0.9999, LEAST_NORM = 1e-12;

enum { COLUMNS = 64, LEAST_COLUMNS = 8, BANDS = 8 };

static double k0(double z)
{
    return (pi - acos(z)) / pi;
}

static double k1(double z, double slope)
{
    return z * slope + sqrt(1 - z * z) / pi;
}

static double clip(double z)
{
    return z > MOST ? MOST : z < -MOST ? -MOST : z;
}

/* ---- room ---- */

bonsai_status bn_sntk_new(bn_sntk_tape *t, bn_sntk how, int64_t rows, int64_t cols, int threads)
{
    bonsai_status rc;
    const int64_t steps = (int64_t)how.hops * how.layers;
    *t = (bn_sntk_tape){.how = how, .threads = threads};
    if (!bn_mul(&t->most, rows, cols) || t->most > INT64_MAX / (steps + 1))
        return bn_fail(BONSAI_E_MEMORY, "out of memory: a kernel of %lld x %lld",
                       (long long)rows, (long long)cols);
    BN_TRY(BN_NEW(&t->kernel, t->most));
    BN_TRY(BN_NEW(&t->cosine, steps * t->most));
    BN_TRY(BN_NEW(&t->slope, steps * t->most));
    BN_TRY(BN_NEW(&t->before, steps * t->most));
    BN_TRY(BN_NEW(&t->now, t->most));
    BN_TRY(BN_NEW(&t->next, t->most));
    BN_TRY(BN_NEW(&t->dnorm, cols));
done:
    return rc;
}

void bn_sntk_free(bn_sntk_tape *t)
{
    void *const owned[] = {t->kernel, t->cosine, t->slope, t->before, t->now, t->next, t->dnorm};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    memset(t, 0, sizeof *t);
}

/* ---- norms ---- */

static double at_least(double norm)
{
    return norm > LEAST_NORM ? norm : LEAST_NORM;
}

/* Returns the root of the factor by which a layer shrinks the kernel of a row with itself. */
static double shrinks(void)
{
    return sqrt(k1(MOST, k0(MOST)));
}

void bn_sntk_norms(double *norm, const double *x, int64_t n, int64_t f, bn_sntk how)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < f; j++)
            sum += x[i * f + j] * x[i * f + j];
        sum = at_least(sqrt(sum));
        for (int l = 0; l < how.hops * how.layers; l++, sum *= shrinks())
            norm[l * n + i] = sum;
    }
}

/* Computes s = A s A^T, rows first, then columns. */
static void sum_both(double *s, const bn_sntk_rows *a, double *room, int threads)
{
    const int64_t n = a->rows;
    const bn_around *r = &a->around;
    const double work = (double)(r->offsets[n] - r->offsets[0]) * (double)n;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        memset(room + i * n, 0, (size_t)n * sizeof *room);
        for (int64_t e = r->offsets[i]; e < r->offsets[i + 1]; e++)
            for (int64_t j = 0; j < n; j++)
                room[i * n + j] += r->value[e] * s[r->index[e] * n + j];
    }
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t e = r->offsets[j]; e < r->offsets[j + 1]; e++)
                sum += r->value[e] * room[i * n + r->index[e]];
            s[i * n + j] = sum;
        }
}

static void layer_both(double *s, const double *norm, int64_t n, int threads)
{
    const double work = 16.0 * (double)n * (double)n;
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double uv = norm[i] * norm[j], z = clip(s[i * n + j] / uv);
            s[i * n + j] = uv * k1(z, k0(z));
        }
}

void bn_sntk_norms_around(double *norm, const bn_sntk_rows *a, bn_sntk how, double *room,
                          int threads)
{
    const int64_t n = a->rows;
    const bn_product p = {.a = a->x, .b = a->x, .b_turned = true, .m = n, .n = n, .k = a->f};
    bn_multiply(room, &p, threads);
    for (int i = 0; i < how.hops * how.layers; i++, norm += n) {
        if (i % how.layers == 0)
            sum_both(room, a, room + n * n, threads);
        for (int64_t j = 0; j < n; j++)
            norm[j] = at_least(sqrt(room[j * n + j]));
        layer_both(room, norm, n, threads);
    }
}

/* ---- forward ---- */

typedef struct {                /* some columns of a comparison */
    bn_sntk_tape *t;
    const bn_sntk_rows *a, *b;
    int64_t first, end;
} band;

/* Computes y = A x, or its transpose times x, for the columns of a band. */
static void sum_around(double *y, const double *x, const band *d, bool turned)
{
    const bn_around *r = &d->a->around;
    const int64_t n = d->b->rows;
    const size_t bytes = (size_t)(d->end - d->first) * sizeof *y;
    for (int64_t i = 0; i < d->a->rows; i++)
        memset(y + i * n + d->first, 0, bytes);
    for (int64_t i = 0; i < d->a->rows; i++)
        for (int64_t e = r->offsets[i]; e < r->offsets[i + 1]; e++) {
            const int64_t to = turned ? r->index[e] : i, from = turned ? i : r->index[e];
            for (int64_t j = d->first; j < d->end; j++)
                y[to * n + j] += r->value[e] * x[from * n + j];
        }
}

static void copy_band(double *y, const double *x, const band *d)
{
    for (int64_t i = 0; i < d->a->rows; i++)
        memcpy(y + i * d->b->rows + d->first, x + i * d->b->rows + d->first,
               (size_t)(d->end - d->first) * sizeof *y);
}

/* Applies layer l to the covariance s in place. */
static void layer_forward(double *s, const band *d, int l)
{
    bn_sntk_tape *t = d->t;
    const int64_t n = d->b->rows, at = l * t->most;
    for (int64_t i = 0; i < d->a->rows; i++)
        for (int64_t j = d->first, e = i * n + j; j < d->end; j++, e++) {
            const double uv = d->a->norm[l * d->a->rows + i] * d->b->norm[l * n + j];
            const double z = clip(s[e] / uv), slope = k0(z);
            t->cosine[at + e] = z;
            t->slope[at + e] = slope;
            s[e] = uv * k1(z, slope);
            t->kernel[e] = t->before[at + e] * slope + s[e];
        }
}

static void band_forward(const band *d)
{
    bn_sntk_tape *t = d->t;
    double *now = t->now, *next = t->next;
    copy_band(t->kernel, now, d);
    for (int l = 0; l < t->how.hops * t->how.layers; l++) {
        double *before = t->before + l * t->most;
        if (l % t->how.layers == 0 && d->a->around.offsets) {
            sum_around(before, t->kernel, d, false);
            sum_around(next, now, d, false);
            double *swap = now;
            now = next;
            next = swap;
        } else {
            copy_band(before, t->kernel, d);
        }
        layer_forward(now, d, l);
    }
}

/* Returns the width of bands for `count` columns; it does not depend on the threads. */
static int64_t band_width(int64_t count)
{
    const int64_t all = BANDS * LEAST_COLUMNS, wide = (count + all - 1) / all * LEAST_COLUMNS;
    return bn_least(wide, COLUMNS);
}

/* Calls `one` for all bands of columns. */
static void all_bands(void (*one)(const band *d), bn_sntk_tape *t, const bn_sntk_rows *a,
                      const bn_sntk_rows *b)
{
    const int64_t wide = band_width(b->rows);
    const int64_t bands = (b->rows + wide - 1) / wide;
    const double work = 32.0 * t->how.hops * t->how.layers * (double)a->rows * (double)b->rows;
#pragma omp parallel for num_threads(bn_team(t->threads, work)) schedule(dynamic, 1)
    for (int64_t i = 0; i < bands; i++)
        one(&(band){t, a, b, i * wide, bn_least((i + 1) * wide, b->rows)});
}

void bn_sntk_forward(bn_sntk_tape *t, const bn_sntk_rows *a, const bn_sntk_rows *b)
{
    const bn_product p = {.a = a->x, .b = b->x, .b_turned = true, .m = a->rows, .n = b->rows,
                          .k = a->f};
    bn_multiply(t->now, &p, t->threads);
    all_bands(band_forward, t, a, b);
}

/* ---- backward ---- */

/* Goes back through layer l: replaces dt and ds by the gradients before it; adds to dnorm the
 * gradient of b's norms, which all are shares of the norm of the row: `share`. */
static void layer_backward(double *dt, double *ds, const band *d, int l, double share)
{
    const bn_sntk_tape *t = d->t;
    const int64_t n = d->b->rows, at = l * t->most;
    for (int64_t i = 0; i < d->a->rows; i++)
        for (int64_t j = d->first, e = i * n + j; j < d->end; j++, e++) {
            const double u = d->a->norm[l * d->a->rows + i], uv = u * d->b->norm[l * n + j];
            const double z = t->cosine[at + e], slope = t->slope[at + e];
            const double root = sqrt(1 - z * z), both = ds[e] + dt[e];
            const double dz = fabs(z) < MOST
                                  ? both * uv * slope + dt[e] * t->before[at + e] / (pi * root) : 0;
            t->dnorm[j] += share * u * (both * (z * slope + root / pi) - dz * z / uv);
            ds[e] = dz / uv;
            dt[e] *= slope;
        }
}

/* Computes a band's gradient of the first product from the gradient in t->kernel, and leaves it
 * there. */
static void band_backward(const band *d)
{
    bn_sntk_tape *t = d->t;
    const int64_t n = d->b->rows;
    double *dt = t->kernel, *ds = t->now, *room = t->next;
    for (int64_t i = 0; i < d->a->rows; i++)
        memset(ds + i * n + d->first, 0, (size_t)(d->end - d->first) * sizeof *ds);
    for (int64_t j = d->first; j < d->end; j++)
        t->dnorm[j] = 0;
    for (int l = t->how.hops * t->how.layers - 1; l >= 0; l--) {
        layer_backward(dt, ds, d, l, pow(shrinks(), l));
        if (l % t->how.layers == 0 && d->a->around.offsets) {
            sum_around(room, ds, d, true);
            copy_band(ds, room, d);
            sum_around(room, dt, d, true);
            copy_band(dt, room, d);
        }
    }
    for (int64_t i = 0; i < d->a->rows; i++)
        for (int64_t j = d->first; j < d->end; j++)
            dt[i * n + j] += ds[i * n + j];
}

void bn_sntk_backward(double *dx, const double *dkernel, bn_sntk_tape *t, const bn_sntk_rows *a,
                      const bn_sntk_rows *b)
{
    const int64_t n = b->rows, f = b->f;
    const bn_product p = {.a = t->kernel, .b = a->x, .a_turned = true, .add = true, .m = n, .n = f,
                          .k = a->rows};
    memcpy(t->kernel, dkernel, (size_t)(a->rows * n) * sizeof *dkernel);
    all_bands(band_backward, t, a, b);
    bn_multiply(dx, &p, t->threads);
    for (int64_t j = 0; t->how.hops * t->how.layers > 0 && j < n; j++)
        for (int64_t k = 0; k < f; k++)
            dx[j * f + k] += t->dnorm[j] / b->norm[j] * b->x[j * f + k];
}
