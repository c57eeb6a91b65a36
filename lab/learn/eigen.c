/* eigen.c -- eigenpairs: of small symmetric matrices, and the ends of a graph's spectrum.
 *
 * The ends of a large spectrum come from a subspace that a Chebyshev polynomial of the operator
 * filters: it stays within [-1, 1] on the part of the spectrum that is not wanted, and grows
 * outside.  A sweep filters a block of vectors, makes it orthonormal, and takes the Ritz pairs of
 * the operator in it.  The degree is such that the polynomial does not exceed `growth`, so that
 * single precision holds the block.  The cut between wanted and unwanted is the lowest Ritz value
 * of the block, which has some more vectors than are asked for.
 *
 * SPDX-License-Identifier: MIT */
#include "eigen.h"

#include <math.h>
#include <string.h>

#include "base/scratch.h"

enum { DENSE = 600,             /* nodes whose matrix is solved as a whole */
       SPARE = 16,              /* vectors more than asked for, at least, ... */
       SHARE = 4,               /* ... or one for each so many */
       SWEEPS = 120, LEAST_DEGREE = 4, MOST_DEGREE = 60 };

static const double growth = 1000, exact = 1e-5, dependent = 1e-6;

/* ---- small matrices: LAPACK of OpenBLAS ---- */

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info,
             size_t jobz_len, size_t uplo_len);

bonsai_status bn_eigen_small(double *value, double *a, int64_t n)
{
    bonsai_status rc;
    double *work = NULL, work_size = 0;
    int *iwork = NULL, iwork_size = 0, info = 0, order = (int)n, ask = -1;
    if (n == 0)
        return BONSAI_OK;
    dsyevd_("V", "L", &order, a, &order, value, &work_size, &ask, &iwork_size, &ask, &info, 1, 1);
    int lwork = (int)work_size, liwork = iwork_size;
    BN_TRY(BN_NEW(&work, lwork));
    BN_TRY(BN_NEW(&iwork, liwork));
    dsyevd_("V", "L", &order, a, &order, value, work, &lwork, iwork, &liwork, &info, 1, 1);
    if (info != 0)
        rc = bn_fail(BONSAI_E_ARGUMENT, "no eigenvalues of a matrix of %d rows were found: its "
                     "numbers are not finite", order);
done:
    bn_free(work);
    bn_free(iwork);
    return rc;
}

/* ---- a filtered subspace ---- */

typedef struct {
    const bn_ends *e;
    double  sign;               /* the highest eigenvalues of sign A are looked for: so many */
    int64_t n, wanted, b;       /* b: vectors of the block */
    float  *v, *av, *more;      /* (n,b): the block; A times it; another */
    float  *turn;               /* (b,b) */
    float  *room;
    double *small, *value;      /* (b,b), b */
} subspace;

static void subspace_free(subspace *s)
{
    bn_big_free(s->v);
    bn_big_free(s->av);
    bn_big_free(s->more);
    bn_free(s->turn);
    bn_free(s->room);
    bn_free(s->small);
    bn_free(s->value);
}

static bn_input block_of(const subspace *s, const float *v)
{
    return (bn_input){.rows = s->n, .cols = s->b, .dense = v};
}

static bonsai_status subspace_new(subspace *s)
{
    bonsai_status rc;
    BN_TRY(BN_BIG(&s->v, NULL, s->n * s->b));
    BN_TRY(BN_BIG(&s->av, NULL, s->n * s->b));
    BN_TRY(BN_BIG(&s->more, NULL, s->n * s->b));
    BN_TRY(BN_NEW(&s->turn, s->b * s->b));
    const bn_input block = block_of(s, s->v);
    BN_TRY(BN_NEW(&s->room, bn_times_room(&block, s->b)));
    BN_TRY(BN_NEW(&s->small, s->b * s->b));
    BN_TRY(BN_NEW(&s->value, s->b));
    for (int64_t i = 0; i < s->n; i++) {
        bn_rng r = bn_rng_at(s->e->seed, (uint64_t)i);
        for (int64_t j = 0; j < s->b; j++)
            s->v[i * s->b + j] = (float)bn_rng_normal(&r);
    }
done:
    return rc;
}

static void swap(float **a, float **b)
{
    float *t = *a;
    *a = *b;
    *b = t;
}

/* Computes y = scale (sign A - centre) x - less y. */
static void apply(float *y, subspace *s, const float *x, double scale, double centre, double less)
{
    const int64_t n = s->n, b = s->b;
    const bn_input block = block_of(s, x);
    const float a = (float)(scale * s->sign), c = (float)(scale * centre), l = (float)less;
    float *ax = s->av;
    bn_pass(ax, s->e->a, &block, (bn_span){0, n, s->e->threads});
#pragma omp parallel for num_threads(bn_team(s->e->threads, (double)(n * b))) schedule(static)
    for (int64_t i = 0; i < n * b; i++)
        y[i] = a * ax[i] - c * x[i] - l * y[i];
}

/* Multiplies v by the polynomial of the operator that is small on [-1, cut]. */
static void filter(subspace *s, double top, double cut)
{
    const double half = (cut + 1) / 2, centre = (cut - 1) / 2, far = (top - centre) / half;
    const double grows = far > 1 ? acosh(far) : 0;
    int degree = grows * MOST_DEGREE > acosh(growth) ? (int)(acosh(growth) / grows) : MOST_DEGREE;
    degree = degree < LEAST_DEGREE ? LEAST_DEGREE : degree;
    memset(s->more, 0, (size_t)(s->n * s->b) * sizeof *s->more);
    apply(s->more, s, s->v, 1 / half, centre, 0);
    for (int d = 1; d < degree; d++) {
        apply(s->v, s, s->more, 2 / half, centre, 1);
        swap(&s->v, &s->more);
    }
    swap(&s->v, &s->more);
}

/* Computes small (b,b) = the transpose of x times y. */
static void gram(subspace *s, const float *x, const float *y)
{
    const bn_input block = block_of(s, x);
    memset(s->turn, 0, (size_t)(s->b * s->b) * sizeof *s->turn);
    bn_times_t(s->turn, &block, y, s->b, s->room, s->e->threads);
    const float *at = s->turn;
    for (int64_t i = 0; i < s->b; i++)
        for (int64_t j = 0; j < s->b; j++)
            s->small[i * s->b + j] = ((double)at[i * s->b + j] + (double)at[j * s->b + i]) / 2;
}

/* Replaces x by x times turn. */
static void rotate(float **x, subspace *s)
{
    const bn_input block = block_of(s, *x);
    bn_times(s->more, &block, s->turn, s->b, false, (bn_span){0, s->n, s->e->threads});
    swap(x, &s->more);
}

/* Fills a column with random numbers; used if the vector depends on others. */
static void fill_column(subspace *s, int64_t j, uint64_t round)
{
    for (int64_t i = 0; i < s->n; i++) {
        bn_rng r = bn_rng_at(s->e->seed + round, (uint64_t)(i + s->n * (1 + j)));
        s->v[i * s->b + j] = (float)(bn_rng_normal(&r) / sqrt((double)s->n));
    }
}

/* Makes the columns of v orthonormal in single precision: scales each to length 1, then uses the
 * eigenpairs of their products. */
static bonsai_status make_orthogonal(subspace *s, uint64_t round)
{
    bonsai_status rc;
    const int64_t b = s->b;
    double *length = s->value;
    gram(s, s->v, s->v);
    for (int64_t i = 0; i < b; i++)
        length[i] = s->small[i * b + i] > 0 ? sqrt(s->small[i * b + i]) : 1;
    for (int64_t i = 0; i < b; i++)
        for (int64_t j = 0; j < b; j++) {
            s->small[i * b + j] /= length[i] * length[j];
            s->turn[i * b + j] = (float)(1 / length[i]);        /* of row i, for below */
        }
    BN_TRY(bn_eigen_small(s->value, s->small, b));
    for (int64_t j = 0; j < b; j++) {
        const double by = s->value[j] > dependent ? 1 / sqrt(s->value[j]) : 0;
        for (int64_t i = 0; i < b; i++)
            s->turn[i * b + j] *= (float)(s->small[j * b + i] * by);
    }
    rotate(&s->v, s);
    for (int64_t j = 0; j < b && !(s->value[j] > dependent); j++)
        fill_column(s, j, round);
done:
    return rc;
}

/* Fills v with the Ritz vectors, highest value of sign A first, and av with A times v. */
static bonsai_status find_ritz(subspace *s)
{
    bonsai_status rc;
    const int64_t b = s->b;
    const bn_input block = block_of(s, s->v);
    bn_pass(s->av, s->e->a, &block, (bn_span){0, s->n, s->e->threads});
    gram(s, s->v, s->av);
    for (int64_t i = 0; i < b * b; i++)
        s->small[i] *= -s->sign;        /* ascending means the highest first */
    BN_TRY(bn_eigen_small(s->value, s->small, b));
    for (int64_t i = 0; i < b; i++)
        for (int64_t j = 0; j < b; j++)
            s->turn[i * b + j] = (float)s->small[j * b + i];
    rotate(&s->v, s);
    rotate(&s->av, s);
    for (int64_t j = 0; j < b; j++)
        s->value[j] = -s->value[j];
done:
    return rc;
}

/* Returns how many of the wanted pairs, from the first on, are exact. */
static int64_t count_exact(const subspace *s, double *sum)
{
    const int64_t b = s->b;
    memset(sum, 0, (size_t)b * sizeof *sum);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->wanted; j++) {
            const double v = (double)s->v[i * b + j], av = (double)s->av[i * b + j];
            const double r = s->sign * av - s->value[j] * v;
            sum[j] += r * r;
        }
    int64_t count = 0;
    while (count < s->wanted && sqrt(sum[count]) < exact)
        count++;
    return count;
}

static bonsai_status sweep_all(subspace *s, int64_t before)
{
    bonsai_status rc = BONSAI_OK;
    int64_t found = 0;
    const int64_t all = s->e->low + s->e->high;
    for (int i = 0; i < SWEEPS && found < s->wanted && bn_seconds() < s->e->until; i++) {
        BN_TRY(bn_tick(s->e->progress, "eigenpairs", before + found, all));
        if (i > 0)
            filter(s, s->value[0], s->value[s->b - 1]);
        BN_TRY(make_orthogonal(s, (uint64_t)i));
        BN_TRY(make_orthogonal(s, (uint64_t)i));
        BN_TRY(find_ritz(s));
        const int64_t now = count_exact(s, s->small);
        found = now > found ? now : found;
    }
done:
    return rc;
}

/* Computes the pairs of one end of the spectrum into their columns of u. */
static bonsai_status find_end(float *lambda, float *u, const bn_ends *e, bool high)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t wanted = high ? e->high : e->low, all = e->low + e->high;
    const int64_t spare = wanted / SHARE > SPARE ? wanted / SHARE : SPARE;
    subspace s = {.e = e, .sign = high ? -1 : 1, .n = e->n, .wanted = wanted, .b = wanted + spare};
    if (wanted == 0)
        return BONSAI_OK;
    BN_TRY(subspace_new(&s));
    BN_TRY(sweep_all(&s, high ? e->low : 0));
    for (int64_t j = 0; j < wanted; j++) {
        const int64_t to = high ? all - 1 - j : j;
        lambda[to] = (float)(1 - s.sign * s.value[j]);
        for (int64_t i = 0; i < e->n; i++)
            u[i * all + to] = s.v[i * s.b + j];
    }
done:
    subspace_free(&s);
    return rc;
}

/* ---- all of a small graph ---- */

static bonsai_status write_out(double *out, const bn_ends *e)
{
    bonsai_status rc;
    float *unit = NULL, *a = NULL;
    const int64_t n = e->n;
    BN_TRY(BN_NEW(&unit, n * n));
    BN_TRY(BN_NEW(&a, n * n));
    for (int64_t i = 0; i < n; i++)
        unit[i * n + i] = 1;
    const bn_input x = {.rows = n, .cols = n, .dense = unit};
    bn_pass(a, e->a, &x, (bn_span){0, n, e->threads});
    for (int64_t i = 0; i < n * n; i++)
        out[i] = (double)(unit[i] - a[i]);
done:
    bn_free(unit);
    bn_free(a);
    return rc;
}

static bonsai_status solve_all(float *lambda, float *u, const bn_ends *e)
{
    bonsai_status rc;
    double *a = NULL, *value = NULL;
    const int64_t n = e->n, all = e->low + e->high;
    BN_TRY(BN_NEW(&a, n * n));
    BN_TRY(BN_NEW(&value, n));
    BN_TRY(write_out(a, e));
    BN_TRY(bn_tick(e->progress, "eigenpairs", 0, all));
    BN_TRY(bn_eigen_small(value, a, n));
    BN_TRY(bn_tick(e->progress, "eigenpairs", all, all));
    for (int64_t j = 0; j < all; j++) {
        const int64_t from = j < e->low ? j : n - all + j;
        lambda[j] = (float)value[from];
        for (int64_t i = 0; i < n; i++)
            u[i * all + j] = (float)a[from * n + i];
    }
done:
    bn_free(a);
    bn_free(value);
    return rc;
}

/* Flips the sign of u if its entry of largest magnitude (the first of several) is negative. */
static void fix_sign(float *u, int64_t n, int64_t stride)
{
    float most = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabsf(u[i * stride]) > fabsf(most))
            most = u[i * stride];
    for (int64_t i = 0; most < 0 && i < n; i++)
        u[i * stride] = -u[i * stride];
}

bonsai_status bn_eigen_ends(float *lambda, float *u, const bn_ends *e)
{
    bonsai_status rc;
    const int64_t all = e->low + e->high;
    BN_TRY(bn_tick(e->progress, "eigenpairs", 0, all));
    if (e->n <= DENSE || 3 * all > e->n) {
        BN_TRY(solve_all(lambda, u, e));
    } else {
        BN_TRY(find_end(lambda, u, e, false));
        BN_TRY(find_end(lambda, u, e, true));
    }
    for (int64_t j = 0; j < all; j++)
        fix_sign(u + j, e->n, all);
    BN_TRY(bn_tick(e->progress, "eigenpairs", all, all));
done:
    return rc;
}
