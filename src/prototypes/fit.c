/* fit.c -- weighted ridge regression in closed form.
 *
 * Least squares from rows and a constant to +1 for the class and -1 for the others, each
 * row with its share of the weights (they sum to 1), plus l |w|^2, where l is lambda times the
 * mean squared length of a row.  The constant is a share of the root of that mean.  In these terms
 * the answer changes neither with the unit of the features, nor with the scale of the weights, nor
 * when a point of weight 2 is given as two, and one grid of lambdas serves seven points as well as
 * thousands.  The constant is penalised like any feature: for rows cut to their largest entries a
 * free constant drowns the rest, and the score no longer tells how well a network trains (on Cora
 * it is 17 points too low, else 2).
 *
 * With the rows times the roots of their weights in A (n, f+1), primal is (A'A + l) w = A'y, dual
 * is w = A' (AA' + l)^-1 y; the smaller system is built once and factored per lambda.  A is cut
 * into slabs of doubles for products; sparse rows are instead added up as outer products of their
 * lines (rows, or columns where dual) while these are short.
 *
 * A panel of the result has one owner that adds in a fixed order, and the products are our own, so
 * the bits depend neither on the number of threads nor on the processor.
 * Cost O(n f min(n, f) + min(n, f)^3).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "fit.h"

enum { DEPTH = BN_DEPTH, TILE = BN_TILE, PANEL = 4 * TILE, LONG_LINE = 8 };
static const double enough = 1e-6;      /* of steps, unless the caller says otherwise */
static const double constant = 0.3;     /* over the length of a row */

void bn_fit_free(bn_fit *q)
{
    void *all[] = {q->root, q->y, q->offsets, q->index, q->value, q->slab, q->gram, q->factor, q->b,
                   q->exact, q->w};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bn_free(all[i]);
}

static int64_t row_at(const bn_fit *q, int64_t i)
{
    return i * q->x->rows / q->n;
}

/* Returns the place of the first of index[begin .. end-1], which ascend, that is not below x. */
static int64_t lower_bound(const int32_t *index, int64_t begin, int64_t end, int64_t x)
{
    while (begin < end) {
        int64_t middle = (begin + end) / 2;
        if (index[middle] < x)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* ---- slabs: a part of A as doubles ---- */

typedef struct {
    int64_t first, last;        /* rows */
    int64_t from, to;           /* columns */
    bool    by_rows;            /* in panels of rows; else of columns */
} slab;

static double *in_slab(const bn_fit *q, const slab *s, int64_t i, int64_t j)
{
    int64_t row = i - s->first, col = j - s->from;
    return q->slab + (s->by_rows ? bn_in_panels(row, col, s->to - s->from)
                                 : bn_in_panels(col, row, s->last - s->first));
}

static void cut_row(const bn_fit *q, const slab *s, int64_t i)
{
    const bn_embedding *x = q->x;
    int64_t row = row_at(q, i), end = bn_least(s->to, x->f);
    double root = q->root[i];
    if (s->to > x->f)
        *in_slab(q, s, i, x->f) = root * q->one;
    if (x->dense) {
        for (int64_t j = s->from; j < end; j++)
            *in_slab(q, s, i, j) = root * (double)x->dense[row * x->f + j];
        return;
    }
    int64_t e = lower_bound(x->index, x->offsets[row], x->offsets[row + 1], s->from);
    for (; e < x->offsets[row + 1] && x->index[e] < end; e++)
        *in_slab(q, s, i, x->index[e]) = root * (double)x->value[e];
}

/* Cuts a part of A into q->slab. */
static void cut(const bn_fit *q, slab s)
{
    int64_t rows = s.last - s.first, cols = s.to - s.from;
    int64_t size = s.by_rows ? bn_whole_tiles(rows) * cols : bn_whole_tiles(cols) * rows;
    memset(q->slab, 0, (size_t)size * sizeof *q->slab);
    const double work = 16.0 * (double)rows * (double)cols;
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t i = s.first; i < s.last; i++)
        cut_row(q, &s, i);
}

/* The product of a panel of each, of `depth` columns, added to a tile of c, which has `stride`
 * columns and rows x cols of the tile. */
typedef struct { double *c; int64_t stride, rows, cols; } target;

static void add_product(const target *t, const double *a, const double *b, int64_t depth)
{
    double sum[TILE * TILE];
    int64_t rows = bn_least(t->rows, TILE), cols = bn_least(t->cols, TILE);
    bn_kernels_get()->outer(sum, a, b, depth);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            t->c[i * t->stride + j] += sum[i * TILE + j];
}

/* ---- lines: a sparse A by rows or by columns ---- */

static bonsai_status list_rows(bn_fit *q, int64_t entries)
{
    bonsai_status rc;
    const bn_embedding *x = q->x;
    BN_TRY(BN_NEW(&q->offsets, q->n + 1));
    BN_TRY(BN_NEW(&q->index, entries));
    BN_TRY(BN_NEW(&q->value, entries));
    for (int64_t i = 0, at = 0; i < q->n; i++) {
        int64_t row = row_at(q, i);
        for (int64_t e = x->offsets[row]; e < x->offsets[row + 1]; e++, at++) {
            q->index[at] = x->index[e];
            q->value[at] = q->root[i] * (double)x->value[e];
        }
        q->index[at] = (int32_t)x->f;
        q->value[at++] = q->root[i] * q->one;
        q->offsets[i + 1] = at;
    }
done:
    return rc;
}

static bonsai_status list_columns(bn_fit *q, int64_t entries)
{
    bonsai_status rc;
    const bn_embedding *x = q->x;
    BN_TRY(BN_NEW(&q->offsets, q->wide + 2));
    BN_TRY(BN_NEW(&q->index, entries));
    BN_TRY(BN_NEW(&q->value, entries));
    int64_t *place = q->offsets + 1;            /* each start, once filled, is the next one's */
    for (int64_t i = 0; i < q->n; i++)
        for (int64_t e = x->offsets[row_at(q, i)]; e < x->offsets[row_at(q, i) + 1]; e++)
            place[x->index[e] + 1]++;
    for (int64_t j = 0; j < q->wide; j++)
        place[j + 1] += place[j];
    for (int64_t i = 0; i < q->n; i++) {
        int64_t row = row_at(q, i);
        for (int64_t e = x->offsets[row]; e < x->offsets[row + 1]; e++) {
            int64_t at = place[x->index[e]]++;
            q->index[at] = (int32_t)i;
            q->value[at] = q->root[i] * (double)x->value[e];
        }
        q->index[place[x->f]] = (int32_t)i;
        q->value[place[x->f]++] = q->root[i] * q->one;
    }
done:
    return rc;
}

static bonsai_status list_lines(bn_fit *q)
{
    int64_t entries = q->n;
    for (int64_t i = 0; i < q->n; i++)
        entries += q->x->offsets[row_at(q, i) + 1] - q->x->offsets[row_at(q, i)];
    return q->dual ? list_columns(q, entries) : list_rows(q, entries);
}

/* ---- the system ---- */

/* Adds to rows p .. p+PANEL-1 of the lower half; the slab has `deep` columns. */
static void add_panel(const bn_fit *q, int64_t p, int64_t deep)
{
    int64_t m = q->m, high = bn_least(p + PANEL, m);
    for (int64_t j = 0; j < high; j += TILE)
        for (int64_t i = j > p ? j : p; i < high; i += TILE) {
            target t = {q->gram + i * m + j, m, m - i, m - j};
            add_product(&t, q->slab + i * deep, q->slab + j * deep, deep);
        }
}

static void gram_of_slabs(bn_fit *q)
{
    for (int64_t at = 0; at < q->depth; at += DEPTH) {
        int64_t end = bn_least(at + DEPTH, q->depth);
        cut(q, q->dual ? (slab){0, q->n, at, end, true} : (slab){at, end, 0, q->wide, false});
        const double work = (double)(end - at) * (double)q->m * (double)q->m / 8;
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
        for (int64_t p = 0; p < q->m; p += PANEL)
            add_panel(q, p, end - at);
    }
}

static double squares_of_lines(const bn_fit *q)
{
    double squares = 0;
    for (int64_t r = 0; r < q->depth; r++) {
        double length = (double)(q->offsets[r + 1] - q->offsets[r]);
        squares += length * length;
    }
    return squares;
}

static void gram_of_lines(bn_fit *q)
{
#pragma omp parallel for num_threads(bn_team(q->threads, 2 * squares_of_lines(q))) schedule(dynamic)
    for (int64_t p = 0; p < q->m; p += PANEL)
        for (int64_t r = 0; r < q->depth; r++) {
            int64_t begin = q->offsets[r], end = q->offsets[r + 1];
            for (int64_t a = lower_bound(q->index, begin, end, p);
                 a < end && q->index[a] < p + PANEL; a++) {
                double *row = q->gram + q->index[a] * q->m, v = q->value[a];
                for (int64_t e = begin; e <= a; e++)
                    row[q->index[e]] += v * q->value[e];
            }
        }
}

/* Returns whether outer products of lines are faster: they cost the squares of their lengths,
 * but the other way is many times as fast for each product. */
static bool lines_are_short(const bn_fit *q)
{
    return LONG_LINE * squares_of_lines(q) < (double)q->m * (double)q->m * (double)q->depth;
}

/* Computes out (wide,k) = A' y (n,k) of sparse rows: a panel of features has one owner, as
 * has a column. */
static void back_lines(double *out, const bn_fit *q, const double *y, int64_t k)
{
    int64_t lines = q->dual ? q->wide : q->n;
    memset(out, 0, (size_t)(q->wide * k) * sizeof *out);
    const double work = 2.0 * (double)q->offsets[lines] * (double)k;
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
    for (int64_t p = 0; p < q->wide; p += PANEL)
        for (int64_t r = q->dual ? p : 0; r < (q->dual ? bn_least(p + PANEL, lines) : lines); r++) {
            int64_t begin = q->offsets[r], end = q->offsets[r + 1];
            if (!q->dual) {
                begin = lower_bound(q->index, begin, end, p);
                end = lower_bound(q->index, begin, end, p + PANEL);
            }
            for (int64_t e = begin; e < end; e++) {
                double *to = out + (q->dual ? r : q->index[e]) * k, v = q->value[e];
                const double *from = y + (q->dual ? q->index[e] : r) * k;
                for (int64_t j = 0; j < k; j++)
                    to[j] += v * from[j];
            }
        }
}

/* Lays rows of y (.,k) out as out (k,rows), in panels of columns. */
static void put_sides(double *out, const double *y, int64_t rows, int64_t k)
{
    memset(out, 0, (size_t)(bn_whole_tiles(k) * rows) * sizeof *out);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            out[bn_in_panels(j, i, rows)] = y[i * k + j];
}

/* Computes the same of dense rows. */
static void back_slabs(double *out, const bn_fit *q, const double *y, int64_t k)
{
    memset(out, 0, (size_t)(q->wide * k) * sizeof *out);
    for (int64_t at = 0; at < q->n; at += DEPTH) {
        int64_t end = bn_least(at + DEPTH, q->n), deep = end - at;
        double *side = q->slab + bn_whole_tiles(q->wide) * deep;
        cut(q, (slab){at, end, 0, q->wide, false});
        put_sides(side, y + at * k, deep, k);
        const double work = (double)deep * (double)q->wide * (double)k / 4;
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
        for (int64_t p = 0; p < q->wide; p += TILE)
            for (int64_t j = 0; j < k; j += TILE) {
                target t = {out + p * k + j, k, q->wide - p, k - j};
                add_product(&t, q->slab + p * deep, side + j * deep, deep);
            }
    }
}

static void back(double *out, const bn_fit *q, const double *y, int64_t k)
{
    if (q->offsets)
        back_lines(out, q, y, k);
    else
        back_slabs(out, q, y, k);
}

static bn_system system_of(const bn_fit *q)
{
    return (bn_system){q->gram, q->m, q->c, q->k};
}

/* Solves for as many lambdas at once as there are threads.  What is finite is positive
 * definite by far more than rounding takes away. */
static void solve_all(const bn_fit *q)
{
    int team = bn_lanes(q->threads, q->ways);
    bn_system s = system_of(q);
    for (int first = 0; first < q->ways; first += team) {
        int last = (int)bn_least(first + team, q->ways);
        const double work = (last - first) * pow((double)q->m, 3) / 6;
#pragma omp parallel for num_threads(bn_team(team, work)) schedule(static)
        for (int i = first; i < last; i++)
            bn_solve(q->b + i * q->c, &s, q->lambda[i] * q->squares,
                     q->factor + (i - first) * bn_solve_room(&s));
    }
}

/* ---- a fit, from rows to weights ---- */

static void shape(bn_fit *q)
{
    q->wide = q->x->f + 1;
    q->k = q->c * q->ways;
    q->dual = q->n < q->wide;
    q->m = q->dual ? q->n : q->wide;
    q->depth = q->dual ? q->wide : q->n;
}

bonsai_status bn_fit_rows(bn_fit *q, const bn_labels *given)
{
    bonsai_status rc;
    double total = 0;
    shape(q);
    BN_TRY(BN_NEW(&q->root, q->n));
    BN_TRY(BN_NEW(&q->y, q->n * q->c));
    for (int64_t i = 0; i < q->n; i++)
        total += given->weight ? (double)given->weight[row_at(q, i)] : 1;
    for (int64_t i = 0; i < q->n; i++) {
        int64_t row = row_at(q, i);
        double weight = (given->weight ? (double)given->weight[row] : 1) / total;
        q->squares += weight * bn_row_squares(q->x, row);
        q->root[i] = sqrt(weight);
        for (int64_t j = 0; j < q->c; j++) {
            double is = given->target ? (double)given->target[row * q->c + j]
                                      : given->label[row] == j;
            q->y[i * q->c + j] = q->root[i] * (2 * is - 1);
        }
    }
    q->one = q->squares > 0 ? constant * sqrt(q->squares) : 1;
    q->squares += q->one * q->one;
    if (!isfinite(q->squares))
        rc = bn_fail(BONSAI_E_ARGUMENT, "%lld rows of %lld features cannot be fitted: one of them "
                     "is not finite", (long long)q->n, (long long)q->x->f);
done:
    return rc;
}

static void build(bn_fit *q)
{
    if (q->offsets && lines_are_short(q))
        gram_of_lines(q);
    else
        gram_of_slabs(q);
    const double *y = q->y;
    if (!q->dual) {                             /* q->exact serves for one right-hand side first */
        back(q->exact, q, q->y, q->c);
        y = q->exact;
    }
    for (int64_t i = 0; i < q->m; i++)
        for (int w = 0; w < q->ways; w++)
            memcpy(q->b + i * q->k + w * q->c, y + i * q->c, (size_t)q->c * sizeof *y);
}

/* Allocates what a direct fit needs.  The slab has panels of either kind of cut, and beside
 * those of columns the right-hand sides. */
static bonsai_status make_room(bn_fit *q)
{
    bonsai_status rc;
    bn_system s = system_of(q);
    int64_t rows = bn_least(DEPTH, q->n), columns = bn_least(DEPTH, q->wide);
    int64_t by_rows = q->dual ? bn_whole_tiles(q->n) * columns : 0;
    int64_t by_columns = (bn_whole_tiles(q->wide) + bn_whole_tiles(q->k)) * rows;
    if (q->dual && !q->x->dense)
        by_columns = 0;
    BN_TRY(BN_NEW(&q->slab, by_rows > by_columns ? by_rows : by_columns));
    BN_TRY(BN_NEW(&q->gram, q->m * q->m));
    BN_TRY(BN_NEW(&q->factor, bn_lanes(q->threads, q->ways) * bn_solve_room(&s)));
    BN_TRY(BN_NEW(&q->b, q->m * q->k));
    BN_TRY(BN_NEW(&q->exact, q->wide * q->k));
done:
    return rc;
}

/* Scales the weight of the constant, which is 1 for those who score. */
static void scale_constant(bn_fit *q, double by)
{
    for (int64_t j = 0; j < q->k; j++)
        q->w[q->x->f * q->k + j] *= (float)by;
}

bonsai_status bn_fit_direct(bn_fit *q)
{
    bonsai_status rc;
    if (!q->x->dense)
        BN_TRY(list_lines(q));
    BN_TRY(make_room(q));
    BN_TRY(BN_NEW(&q->w, q->wide * q->k));
    build(q);
    solve_all(q);
    if (q->dual)
        back(q->exact, q, q->b, q->k);
    const double *w = q->dual ? q->exact : q->b;
    for (int64_t i = 0; i < q->wide * q->k; i++)
        q->w[i] = (float)w[i];
    scale_constant(q, q->one);
done:
    return rc;
}

/* Lays A out in single precision, sparse or dense as it is. */
static bonsai_status lay_rows(bn_matrix *a, bn_fit *q)
{
    bonsai_status rc;
    const int64_t f = q->x->f;
    *a = (bn_matrix){.rows = q->n, .cols = q->wide};
    if (q->x->dense) {
        BN_TRY(BN_NEW(&a->dense, q->n * q->wide));
        for (int64_t i = 0; i < q->n; i++) {
            const float *row = q->x->dense + row_at(q, i) * f;
            for (int64_t j = 0; j < f; j++)
                a->dense[i * q->wide + j] = (float)(q->root[i] * (double)row[j]);
            a->dense[i * q->wide + f] = (float)(q->root[i] * q->one);
        }
        goto done;
    }
    BN_TRY(list_lines(q));
    a->offsets = q->offsets;
    a->index = q->index;
    BN_TRY(BN_NEW(&a->value, q->offsets[q->n]));
    for (int64_t i = 0; i < q->offsets[q->n]; i++)
        a->value[i] = (float)q->value[i];
done:
    return rc;
}

/* Fits by conjugate gradients on the rows, where neither side of A is small. */
bonsai_status bn_fit_steps(bn_fit *q, bn_progress p)
{
    bonsai_status rc;
    float *y = NULL;
    bn_matrix a = {0};
    q->dual = false;
    BN_TRY(lay_rows(&a, q));
    BN_TRY(BN_NEW(&y, q->n * q->c));
    BN_TRY(BN_NEW(&q->w, q->wide * q->c));
    for (int64_t i = 0; i < q->n * q->c; i++)
        y[i] = (float)q->y[i];
    const bn_ridge_how how = {.lambda = q->lambda[0] * q->squares, .steps = q->steps,
                              .enough = q->enough > 0 ? q->enough : enough,
                              .threads = q->threads, .progress = p};
    BN_TRY(bn_ridge(q->w, &a, y, q->c, &how));
    scale_constant(q, q->one);
done:
    bn_free(a.value);
    bn_free(a.dense);
    bn_free(y);
    return rc;
}
