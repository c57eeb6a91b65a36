/* basis.c -- a few directions that tell classes apart, in four bits, and rows in their coordinates.
 *
 * The weights of c classes span c - 1 directions, since what all classes have in common tells
 * none of them apart.  They are turned so that no class stands out (Helmert) and put at right
 * angles to the mean row, which is the first direction, and to each other.  Candidates leave the
 * first one out (a bare basis) or keep it: most graphs of words are learned faster and better
 * without it, and dense features only with it, because networks do not unlearn the random weights
 * that they begin with along it.  Directions are rounded to signed squares, as rows of prototypes
 * are.  If not all columns fit, those that say most are kept, and the classifiers are fitted again
 * on these: what a dropped column knew is often known to others.
 *
 * After that all rows are r coordinates.  Rounded directions are not quite at right angles, so
 * their products with each other are factored (Cholesky), and coordinates are kept as if they were.
 *
 * SPDX-License-Identifier: MIT */
#include "basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 7 };
static const double least_new = 0.05;   /* of a direction, beyond those before it */

void bn_basis_free(bn_basis *b)
{
    bn_free(b->column);
    bn_free(b->number);
    bn_free(b->scale);
    bn_free(b->factor);
    bn_scorer_free(&b->project);
    memset(b, 0, sizeof *b);
}

static bool has_view(int views, int v)
{
    return views >> v & 1;
}

int64_t bn_basis_most(const bn_guide *g, int views)
{
    int64_t each = g->lives > 1 ? g->lives - 1 : 1;
    return 1 + each * (has_view(views, BN_GUIDE_OWN) + has_view(views, BN_GUIDE_FAR));
}

/* ---- columns ---- */

/* Picks the columns with the highest rates; all of them if there is room. */
static bonsai_status pick_columns(bn_basis *b, const bn_guide *g, int views, int64_t columns)
{
    bonsai_status rc;
    double *rate = NULL;
    int64_t count = 0;
    b->columns = g->f;
    if (columns >= g->f)
        return BONSAI_OK;
    BN_TRY(BN_NEW(&rate, g->f));
    for (int64_t j = 0; j < g->f; j++) {
        for (int v = 0; v < BN_GUIDES; v++)
            rate[j] += has_view(views, v) ? g->rate[v][j] : 0;
        count += rate[j] > 0;
    }
    b->columns = bn_least(columns, count);
    BN_TRY(bn_columns_pick(&b->column, b->columns, rate, g->f));
done:
    bn_free(rate);
    return rc;
}

/* ---- directions ---- */

/* Fills row k-1 of out (lives-1 x columns) with the Helmert contrast of the first k classes and
 * the next one. */
static void turn(double *out, const float *w, const bn_guide *g, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++) {
        double sum = (double)w[j * g->classes + g->live[0]];
        for (int64_t k = 1; k < g->lives; k++) {
            double v = (double)w[j * g->classes + g->live[k]];
            out[(k - 1) * columns + j] = (sum - (double)k * v) / sqrt((double)(k * (k + 1)));
            sum += v;
        }
    }
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Makes the vectors unit vectors at right angles; returns how many are left, at the start of x. */
static int64_t straighten(double *x, int64_t count, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        double *v = x + i * n, before = sqrt(dot(v, v, n));
        for (int64_t k = 0; k < kept; k++) {
            double share = dot(v, x + k * n, n);
            for (int64_t j = 0; j < n; j++)
                v[j] -= share * x[k * n + j];
        }
        double length = sqrt(dot(v, v, n));
        if (!(length > least_new * before) || !isfinite(length))
            continue;
        for (int64_t j = 0; j < n; j++)
            x[kept * n + j] = v[j] / length;
        kept++;
    }
    return kept;
}

static void round_direction(int8_t *number, float *scale, const double *x, int64_t n)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++)
        most = fmax(most, fabs(x[j]));
    *scale = (float)(most / (LEVELS * LEVELS));
    for (int64_t j = 0; j < n; j++) {
        int q = (int)floor(sqrt(fabs(x[j]) / most) * LEVELS + 0.5);
        number[j] = (int8_t)(x[j] < 0 ? -q * q : q * q);
    }
}

/* ---- coordinates ---- */

static bonsai_status find_factor(bn_basis *b)
{
    return bn_angles_factor(&b->factor, b->number, b->scale, b->r, b->columns);
}

/* Replaces x by factor^-1 x. */
static void forward(double *x, const bn_basis *b)
{
    for (int64_t i = 0; i < b->r; i++)
        x[i] = (x[i] - dot(b->factor + i * b->r, x, i)) / b->factor[i * b->r + i];
}

void bn_basis_shares(double *x, const bn_basis *b)
{
    for (int64_t i = b->r - 1; i >= 0; i--) {
        double sum = x[i];
        for (int64_t k = i + 1; k < b->r; k++)
            sum -= b->factor[k * b->r + i] * x[k];
        x[i] = sum / b->factor[i * b->r + i];
    }
}

static bonsai_status find_projection(bn_basis *b)
{
    bonsai_status rc;
    double *x = NULL;
    BN_TRY(bn_scorer_room(&b->project, b->f, b->r));
    BN_TRY(BN_NEW(&x, b->r));
    for (int64_t j = 0; j < b->columns; j++) {
        float *to = b->project.w + (b->column ? b->column[j] : j) * b->project.wide;
        for (int64_t i = 0; i < b->r; i++)
            x[i] = (double)b->number[i * b->columns + j] * (double)b->scale[i];
        forward(x, b);
        for (int64_t i = 0; i < b->r; i++)
            to[i] = (float)x[i];
    }
done:
    bn_free(x);
    return rc;
}

bonsai_status bn_basis_project(bn_embedding *out, const bn_basis *b, const bn_embedding *x,
                               const bn_place *at)
{
    bonsai_status rc;
    *out = (bn_embedding){.rows = x->rows, .f = b->r};
    BN_TRY(BN_BIG(&out->dense, at->memory, x->rows * b->r));
    const double work = (bn_numbers(x, x->rows) + 32.0 * (double)x->rows) * (double)b->r / 4;
#pragma omp parallel for num_threads(bn_team(bn_threads(at->threads), work)) schedule(static)
    for (int64_t i = 0; i < x->rows; i += BN_FIT_BLOCK)
        bn_score_rows(out->dense + i * b->r, &b->project, x, i,
                      bn_least(BN_FIT_BLOCK, x->rows - i));
done:
    return rc;
}

bonsai_status bn_basis_project_views(bn_views *out, const bn_basis *b, const bn_views *x,
                                     const bn_place *at)
{
    bonsai_status rc;
    BN_TRY(bn_basis_project(&out->own, b, &x->own, at));
    BN_TRY(bn_basis_project(&out->around, b, &x->around, at));
    BN_TRY(bn_basis_project(&out->far, b, &x->far, at));
done:
    return rc;
}

/* ---- all of it ---- */

/* Finds the directions of all views, one after the other, as doubles. */
static bonsai_status find_directions(double **out, bn_basis *b, const bn_guide *g, int views,
                                     const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    float *w = NULL;
    int64_t each = g->lives - 1, n = b->columns, count = 1;
    BN_TRY(bn_agree(at->world, BN_NEW(out, bn_basis_most(g, views) * n)));
    for (int64_t j = 0; j < n; j++)
        (*out)[j] = (double)g->mean[BN_GUIDE_FAR][b->column ? b->column[j] : j];
    for (int v = 0; v < BN_GUIDES; v++) {
        if (!has_view(views, v))
            continue;
        if (b->column) {
            bn_free(w);
            w = NULL;
            BN_TRY(bn_agree(at->world, BN_NEW(&w, n * g->classes)));
            BN_TRY(bn_guide_refit(w, g, v, b->column, n, at));
        }
        turn(*out + count * n, w ? w : g->w[v], g, n);
        count += each;
    }
    b->r = straighten(*out, count, n);
done:
    bn_free(w);
    return rc;
}

static bonsai_status round_all(bn_basis *b, const double *x)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&b->number, b->r * b->columns));
    BN_TRY(BN_NEW(&b->scale, b->r));
    for (int64_t i = 0; i < b->r; i++)
        round_direction(b->number + i * b->columns, &b->scale[i], x + i * b->columns, b->columns);
    BN_TRY(find_factor(b));
    BN_TRY(find_projection(b));
done:
    return rc;
}

bonsai_status bn_basis_copy(bn_basis *out, const bn_basis *b, int64_t first, bool projects)
{
    bonsai_status rc;
    const int64_t r = b->r - first;
    *out = (bn_basis){.f = b->f, .r = r, .columns = b->columns};
    BN_TRY(BN_NEW(&out->number, r * b->columns));
    BN_TRY(BN_NEW(&out->scale, r));
    memcpy(out->number, b->number + first * b->columns,
           (size_t)(r * b->columns) * sizeof *b->number);
    memcpy(out->scale, b->scale + first, (size_t)r * sizeof *b->scale);
    BN_TRY(find_factor(out));
    if (b->column) {
        BN_TRY(BN_NEW(&out->column, b->columns));
        memcpy(out->column, b->column, (size_t)b->columns * sizeof *b->column);
    }
    if (projects)
        BN_TRY(find_projection(out));
done:
    if (rc != BONSAI_OK)
        bn_basis_free(out);
    return rc;
}

bonsai_status bn_basis_of(bn_basis *out, const bonsai_graph *g)
{
    bonsai_status rc;
    const bonsai_array *a = g->view.section, *column = &a[BONSAI_SECTION_BASIS_COLUMNS];
    *out = (bn_basis){.f = bn_basis_features(g), .r = a[BONSAI_SECTION_BASIS_SCALE].count};
    out->columns = column->data ? column->count : out->f;
    BN_TRY(BN_NEW(&out->number, out->r * out->columns));
    BN_TRY(BN_NEW(&out->scale, out->r));
    memcpy(out->number, a[BONSAI_SECTION_BASIS].data, (size_t)(out->r * out->columns));
    memcpy(out->scale, a[BONSAI_SECTION_BASIS_SCALE].data, (size_t)out->r * sizeof *out->scale);
    if (column->data) {
        BN_TRY(BN_NEW(&out->column, out->columns));
        for (int64_t j = 0; j < out->columns; j++)
            out->column[j] = (int32_t)bn_int_at(column, j);
    }
    BN_TRY(find_factor(out));
    BN_TRY(find_projection(out));
done:
    if (rc != BONSAI_OK)
        bn_basis_free(out);
    return rc;
}

bonsai_status bn_basis_make(bn_basis *out, const bn_guide *g, int views, int64_t columns,
                            const bn_place *at)
{
    bonsai_status rc;
    double *x = NULL;
    *out = (bn_basis){.f = g->f};
    BN_TRY(bn_agree(at->world, pick_columns(out, g, views, columns)));
    if (g->lives > 1)
        BN_TRY(find_directions(&x, out, g, views, at));
    BN_TRY(bn_agree(at->world, round_all(out, x)));
done:
    bn_free(x);
    if (rc != BONSAI_OK)
        bn_basis_free(out);
    return rc;
}
