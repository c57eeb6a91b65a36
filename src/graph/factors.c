/* factors.c -- features that are mixtures of a few directions: a basis, and coordinates of each
 * node.
 *
 * A row is the sum over the directions of its coordinate times the direction; both are whole
 * numbers times a scale, one for each direction and one for each node.  Readers of features need
 * not know: rows are decoded once, in one order of additions, and lie beside the basis as ordinary
 * rows.  The writer and the size of a graph take the smaller of the two.  A graph whose features
 * are changed loses its basis.
 *
 * With the flag of coordinates, features are the coordinates themselves, as if the directions were
 * at right angles: then only the basis says what they mean, and the writer always takes it.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

typedef struct {
    const int8_t *basis, *coordinate;
    const float  *basis_scale, *coordinate_scale;
    bonsai_array  column;
    int64_t n, f, r, columns;
    float  *direction;          /* r x columns: the basis times its scales */
    float  *room;               /* lanes x columns */
    int64_t *before;            /* n+1: non-zero values before each row, if sparse */
    void   *index;
    float  *value, *dense;      /* the decoded features */
} factors;

void bn_factors_drop(bonsai_view *v)
{
    for (int s = BONSAI_SECTION_BASIS; s <= BONSAI_SECTION_COORDINATE_SCALE; s++)
        v->section[s] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    v->flags &= ~(uint64_t)BONSAI_FLAG_COORDINATES;
}

bool bn_factors_are_squares(const bonsai_graph *g)
{
    static const int8_t squares[] = {0, 1, 4, 9, 16, 25, 36, 49};
    const bonsai_array *a = &g->view.section[BONSAI_SECTION_BASIS];
    const int8_t *number = a->data;
    for (int64_t i = 0; i < a->count; i++)
        if (!memchr(squares, abs(number[i]), sizeof squares))
            return false;
    return a->type == BONSAI_TYPE_I8;
}

static factors factors_of(const bonsai_graph *g)
{
    const bonsai_array *a = g->view.section;
    return (factors){.basis = a[BONSAI_SECTION_BASIS].data,
                     .coordinate = a[BONSAI_SECTION_COORDINATES].data,
                     .basis_scale = a[BONSAI_SECTION_BASIS_SCALE].data,
                     .coordinate_scale = a[BONSAI_SECTION_COORDINATE_SCALE].data,
                     .column = a[BONSAI_SECTION_BASIS_COLUMNS], .n = g->view.nodes,
                     .f = g->view.features, .r = a[BONSAI_SECTION_BASIS_SCALE].count,
                     .columns = bn_basis_columns(&g->view)};
}

static void decode_row(float *out, const factors *k, int64_t v)
{
    memset(out, 0, (size_t)k->columns * sizeof *out);
    for (int64_t d = 0; d < k->r; d++) {
        const float share = k->coordinate_scale[v] * (float)k->coordinate[v * k->r + d];
        const float *direction = k->direction + d * k->columns;
        for (int64_t j = 0; share != 0.0f && j < k->columns; j++)
            out[j] += share * direction[j];
    }
}

static int64_t column_of(const factors *k, int64_t j)
{
    return k->column.data ? bn_int_at(&k->column, j) : j;
}

static void put_dense(const factors *k, const float *row, int64_t v)
{
    for (int64_t j = 0; j < k->columns; j++)
        k->dense[v * k->f + column_of(k, j)] = row[j] + 0.0f;   /* no negative zero */
}

static void put_sparse(const factors *k, const float *row, int64_t v)
{
    for (int64_t j = 0, at = k->before[v]; j < k->columns; j++) {
        if (row[j] == 0.0f)
            continue;
        if (k->f <= 65536)
            ((uint16_t *)k->index)[at] = (uint16_t)column_of(k, j);
        else
            ((uint32_t *)k->index)[at] = (uint32_t)column_of(k, j);
        k->value[at++] = row[j];
    }
}

static void count_row(const factors *k, const float *row, int64_t v)
{
    for (int64_t j = 0; j < k->columns; j++)
        k->before[v + 1] += row[j] != 0.0f;
}

/* Calls use for every decoded row. */
static void for_rows(const factors *k, int lanes,
                     void (*use)(const factors *k, const float *row, int64_t v))
{
    const double work = (double)k->n * (double)k->columns * (double)k->r;
#pragma omp parallel for num_threads(bn_team(lanes, work)) schedule(static)
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t v = lane; v < k->n; v += lanes) {
            decode_row(k->room + lane * k->columns, k, v);
            use(k, k->room + lane * k->columns, v);
        }
}

/* Returns whether dense rows take no more memory than sparse rows. */
static bool is_dense(const factors *k)
{
    const int64_t item = k->f <= 65536 ? 6 : 8;
    return (double)k->f * 4 <= 8 + (double)(k->columns * item);
}

static bonsai_status fill_sparse(bonsai_graph *g, factors *k, int lanes)
{
    bonsai_status rc;
    uint64_t *offsets;
    BN_TRY(BN_NEW(&k->before, k->n + 1));
    for_rows(k, lanes, count_row);
    for (int64_t v = 0; v < k->n; v++)
        k->before[v + 1] += k->before[v];
    BN_TRY(bn_graph_array(&offsets, g, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, k->n + 1));
    BN_TRY(bn_graph_array(&k->index, g, BONSAI_SECTION_FEATURE_INDICES,
                          k->f <= 65536 ? BONSAI_TYPE_U16 : BONSAI_TYPE_U32, k->before[k->n]));
    BN_TRY(bn_graph_array(&k->value, g, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32,
                          k->before[k->n]));
    memcpy(offsets, k->before, (size_t)(k->n + 1) * sizeof *offsets);
    for_rows(k, lanes, put_sparse);
done:
    return rc;
}

/* ---- directions that are not quite at right angles ---- */

/* Rounded directions are a little askew, so their products with each other are factored (Cholesky),
 * and coordinates are kept as if the directions were at right angles. */

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

/* Makes the coordinates, turned to right angles, the features of g. */
static bonsai_status decode_coordinates(bonsai_graph *g)
{
    bonsai_status rc;
    const factors k = factors_of(g);
    double *factor = NULL, *x = NULL;
    float *to;
    BN_TRY(bn_angles_factor(&factor, k.basis, k.basis_scale, k.r, k.columns));
    BN_TRY(BN_NEW(&x, k.r));
    BN_TRY(bn_graph_array(&to, g, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, k.n * k.r));
    for (int64_t v = 0; v < k.n; v++) {
        for (int64_t d = 0; d < k.r; d++)
            x[d] = (double)k.coordinate_scale[v] * (double)k.coordinate[v * k.r + d];
        bn_angles_of(x, factor, k.r);
        for (int64_t d = 0; d < k.r; d++)
            to[v * k.r + d] = (float)x[d];
    }
    g->spanned = k.f;
    g->view.features = k.r;
done:
    bn_free(factor);
    bn_free(x);
    return rc;
}

bonsai_status bn_factors_decode(bonsai_graph *g, int threads)
{
    bonsai_status rc;
    factors k = factors_of(g);
    if (g->view.flags & BONSAI_FLAG_COORDINATES) {
        rc = decode_coordinates(g);
        return rc != BONSAI_OK ? rc : bn_graph_need(g, BN_FEATURE_SECTIONS, threads);
    }
    int lanes = bn_lanes(bn_threads(threads), k.n / 16);
    BN_TRY(BN_NEW(&k.direction, k.r * k.columns));
    BN_TRY(BN_NEW(&k.room, lanes * k.columns));
    for (int64_t i = 0; i < k.r * k.columns; i++)
        k.direction[i] = k.basis_scale[i / k.columns] * (float)k.basis[i];
    if (is_dense(&k)) {
        BN_TRY(bn_graph_array(&k.dense, g, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, k.n * k.f));
        for_rows(&k, lanes, put_dense);
    } else {
        BN_TRY(fill_sparse(g, &k, lanes));
    }
    BN_TRY(bn_graph_need(g, BN_FEATURE_SECTIONS, threads));     /* products may not be finite */
done:
    bn_free(k.direction);
    bn_free(k.room);
    bn_free(k.before);
    return rc;
}
