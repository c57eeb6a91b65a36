/* ridge.c -- ridge regression by conjugate gradients on the normal equations.
 *
 * The matrix is needed by rows and by columns, so it is transposed once; both products then run
 * over independent rows, each summed in order.  Right-hand sides are padded to whole groups of
 * columns, for which the kernels have no scalar loop.  Sums that control the iteration are doubles
 * in a fixed order.  Residuals are divided by the diagonal of the system (Jacobi): a word is in a
 * few rows or in nearly all of them, and without the division rare words take hundreds of steps.  A
 * product of matrices is never multiplied out, and the mean of its rows is subtracted on the way.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tensor.h"

enum { MOST_STEPS = 200 };

typedef struct {
    const bn_chain *x;
    int64_t  cols, k, size;     /* right-hand sides, padded; cols * k */
    const bn_ridge_how *how;
    const double *squares;      /* cols: of the columns of x */
    float   *w;                 /* (cols,k): the result so far */
    float   *r, *p, *s;         /* (cols,k): residual, direction, its image */
    float   *q, *room[2];       /* (rows,k); for products in between */
    double  *rr, *rr0, *ps;     /* k; rr: residual times itself after the division */
} solver;

/* Sets out[j] to the sum over rows of a[.][j] b[.][j]. */
static void column_dots(double *out, const float *a, const float *b, int64_t size, int64_t k)
{
    memset(out, 0, (size_t)k * sizeof *out);
    for (int64_t i = 0; i < size; i += k)
        for (int64_t j = 0; j < k; j++)
            out[j] += (double)a[i + j] * (double)b[i + j];
}

/* Sets out[j] to the sum over rows of share[.] a[.][j]; share NULL: 1. */
static void column_sums(double *out, const float *share, const float *a, int64_t rows, int64_t k)
{
    memset(out, 0, (size_t)k * sizeof *out);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            out[j] += (share ? (double)share[i] : 1) * (double)a[i * k + j];
}

/* Sets out[j] to the sum over rows of r[.][j]^2 over the diagonal. */
static void residual_dots(double *out, const solver *v)
{
    memset(out, 0, (size_t)v->k * sizeof *out);
    for (int64_t i = 0; i < v->cols; i++) {
        const float *r = v->r + i * v->k;
        const double by = 1 / (v->squares[i] + v->how->lambda);
        for (int64_t j = 0; j < v->k; j++)
            out[j] += (double)r[j] * (double)r[j] * by;
    }
}

/* Sets p to the residual over the diagonal, plus share of p; share NULL: 0. */
static void find_direction(solver *v, const double *share)
{
    for (int64_t i = 0; i < v->cols; i++) {
        const float by = (float)(1 / (v->squares[i] + v->how->lambda));
        float *p = v->p + i * v->k;
        const float *r = v->r + i * v->k;
        for (int64_t j = 0; j < v->k; j++)
            p[j] = by * r[j] + (share ? (float)share[j] * p[j] : 0);
    }
}

/* Subtracts the mean row times p from every row of q. */
static void centre_rows(solver *v, const float *p)
{
    const int64_t rows = bn_chain_rows(v->x);
    column_sums(v->ps, v->how->mean, p, v->cols, v->k);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < v->k; j++)
            v->q[i * v->k + j] -= (float)v->ps[j];
}

/* Subtracts the mean row, times the sum of each column of q, from s, which is x' q. */
static void centre_columns(solver *v, float *s)
{
    column_sums(v->ps, NULL, v->q, bn_chain_rows(v->x), v->k);
    for (int64_t i = 0; i < v->cols; i++)
        for (int64_t j = 0; j < v->k; j++)
            s[i * v->k + j] -= v->how->mean[i] * (float)v->ps[j];
}

/* Computes s = x' q. */
static void turned(solver *v, float *s)
{
    bn_chain_times_turned(s, v->x, v->q, v->k, v->room, v->how->threads);
    if (v->how->mean)
        centre_columns(v, s);
}

/* Computes s = (x' x + lambda) p. */
static void apply(solver *v)
{
    bn_chain_times(v->q, v->x, v->p, v->k, v->room, v->how->threads);
    if (v->how->mean)
        centre_rows(v, v->p);
    turned(v, v->s);
    for (int64_t i = 0; i < v->size; i++)
        v->s[i] += (float)v->how->lambda * v->p[i];
}

/* Advances every column by one step; returns false when all have converged.  A converged column has
 * no direction left and does not change. */
static bool step(solver *v)
{
    bool more = false;
    apply(v);
    column_dots(v->ps, v->p, v->s, v->size, v->k);
    for (int64_t j = 0; j < v->k; j++)
        v->ps[j] = v->ps[j] > 0 ? v->rr[j] / v->ps[j] : 0;
    for (int64_t i = 0; i < v->size; i += v->k)
        for (int64_t j = 0; j < v->k; j++) {
            v->w[i + j] += (float)v->ps[j] * v->p[i + j];
            v->r[i + j] -= (float)v->ps[j] * v->s[i + j];
        }
    residual_dots(v->ps, v);
    for (int64_t j = 0; j < v->k; j++) {
        double now = v->ps[j];
        bool open = now > v->how->enough * v->rr0[j];
        v->ps[j] = open && v->rr[j] > 0 ? now / v->rr[j] : 0;
        v->rr[j] = now;
        more |= open;
    }
    find_direction(v, v->ps);
    return more;
}

static bonsai_status prepare(solver *v)
{
    bonsai_status rc;
    const int64_t between = bn_chain_room(v->x) * v->k;
    BN_TRY(BN_NEW(&v->w, v->size));
    BN_TRY(BN_NEW(&v->r, v->size));
    BN_TRY(BN_NEW(&v->p, v->size));
    BN_TRY(BN_NEW(&v->s, v->size));
    BN_TRY(BN_NEW(&v->q, bn_chain_rows(v->x) * v->k));
    BN_TRY(BN_NEW(&v->room[0], between));
    BN_TRY(BN_NEW(&v->room[1], between));
    BN_TRY(BN_NEW(&v->rr, v->k));
    BN_TRY(BN_NEW(&v->rr0, v->k));
    BN_TRY(BN_NEW(&v->ps, v->k));
done:
    return rc;
}

/* Copies rows of `from` floats to rows of `to` floats. */
static void pad(float *out, int64_t to, const float *in, int64_t from, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        memcpy(out + i * to, in + i * from, (size_t)(to < from ? to : from) * sizeof *out);
}

static void free_solver(solver *v)
{
    void *all[] = {v->w, v->r, v->p, v->s, v->q, v->room[0], v->room[1], v->rr, v->rr0, v->ps};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bn_free(all[i]);
}

static bonsai_status solve(solver *v)
{
    bonsai_status rc = BONSAI_OK;
    const bn_ridge_how *how = v->how;
    const int most = how->steps > 0 ? how->steps : MOST_STEPS;
    for (int i = 0; i < most; i++) {
        BN_TRY(bn_tick(how->progress, "fitting", i, most));
        const bool more = step(v);
        if ((how->look && how->look(v->w, v->k, i + 1, how->payload)) || !more)
            break;
    }
    BN_TRY(bn_tick(how->progress, "fitting", most, most));
done:
    return rc;
}

/* Starts from w: subtracts (x' x + lambda) w from the residual. */
static void begin_at(solver *v, const float *start, int64_t k)
{
    pad(v->w, v->k, start, k, v->cols);
    memcpy(v->p, v->w, (size_t)v->size * sizeof *v->p);
    apply(v);
    for (int64_t i = 0; i < v->size; i++)
        v->r[i] -= v->s[i];
}

bonsai_status bn_ridge_chain(float *w, const bn_chain *x, const double *squares, const float *y,
                             int64_t k, const bn_ridge_how *how)
{
    bonsai_status rc;
    const int64_t lanes = bn_chain_lanes(x);
    solver v = {.x = x, .cols = bn_chain_cols(x), .k = (k + lanes - 1) / lanes * lanes, .how = how,
                .squares = squares};
    if (!bn_mul(&v.size, v.cols, v.k))
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for %lld times %lld weights",
                       (long long)v.cols, (long long)k);
    BN_TRY(prepare(&v));
    pad(v.q, v.k, y, k, bn_chain_rows(x));
    turned(&v, v.r);
    residual_dots(v.rr0, &v);
    if (how->start)
        begin_at(&v, how->start, k);
    find_direction(&v, NULL);
    residual_dots(v.rr, &v);
    BN_TRY(solve(&v));
    pad(w, k, v.w, v.k, v.cols);
done:
    free_solver(&v);
    return rc;
}

/* Adds up the squares of each row of a transposed matrix. */
static void sum_squares(double *out, const bn_matrix *t)
{
    for (int64_t i = 0; i < t->rows; i++) {
        const int64_t first = t->dense ? i * t->cols : t->offsets[i];
        const int64_t end = t->dense ? first + t->cols : t->offsets[i + 1];
        const float *value = t->dense ? t->dense : t->value;
        for (int64_t e = first; e < end; e++)
            out[i] += value ? (double)value[e] * (double)value[e] : 1;
    }
}

bonsai_status bn_ridge(float *w, const bn_matrix *x, const float *y, int64_t k,
                       const bn_ridge_how *how)
{
    bonsai_status rc;
    bn_matrix turned = {0};
    double *squares = NULL;
    const bn_chain one = {{{x, &turned}}, 1};
    BN_TRY(bn_matrix_transpose(&turned, x));
    BN_TRY(BN_NEW(&squares, x->cols));
    sum_squares(squares, &turned);
    BN_TRY(bn_ridge_chain(w, &one, squares, y, k, how));
done:
    bn_free(squares);
    bn_matrix_free(&turned);
    return rc;
}
