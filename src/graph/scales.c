/* scales.c -- how far apart the scales of a graph's columns are, from a sample of its rows.
 *
 * A column with mostly zeros, such as a word, or a yes or no, has a scale that never counts as the
 * largest: scaling such columns would only make them dense.  A table may be stored as sparse rows;
 * sparse rows of many columns are words.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "graph.h"

enum { LEAST_ROWS = 10, MOST_ROWS = 1000, MOST_COLUMNS = 1024 };

typedef struct {
    int32_t *index;
    float   *value;
    double  *sum, *squares;     /* of each column, minus its value in the first row */
    int64_t *zeros;             /* in each column */
    float   *first;
} sampling;

static bonsai_status sampling_new(sampling *s, int64_t features)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&s->index, features));
    BN_TRY(BN_NEW(&s->value, features));
    BN_TRY(BN_NEW(&s->sum, features));
    BN_TRY(BN_NEW(&s->squares, features));
    BN_TRY(BN_NEW(&s->zeros, features));
    BN_TRY(BN_NEW(&s->first, features));
done:
    return rc;
}

static void sampling_free(sampling *s)
{
    bn_free(s->index);
    bn_free(s->value);
    bn_free(s->sum);
    bn_free(s->squares);
    bn_free(s->zeros);
    bn_free(s->first);
}

/* Reads a row including its zeros. */
static void read_row(sampling *s, float *row, const bonsai_graph *g, int64_t node)
{
    for (int64_t j = 0; j < g->view.features; j++)
        row[j] = 0;
    int64_t length = bn_row_get(s->index, s->value, g, node);
    for (int64_t e = 0; e < length; e++)
        row[s->index[e]] = s->value[e];
}

static bonsai_status add_rows(sampling *s, const bonsai_graph *g, int64_t rows)
{
    bonsai_status rc;
    float *row = NULL;
    BN_TRY(BN_NEW(&row, g->view.features));
    read_row(s, s->first, g, 0);
    for (int64_t i = 1; i < rows; i++) {
        read_row(s, row, g, g->view.nodes * i / rows);
        for (int64_t j = 0; j < g->view.features; j++) {
            const double x = (double)row[j] - (double)s->first[j];
            s->sum[j] += x;
            s->squares[j] += x * x;
            s->zeros[j] += row[j] == 0;
        }
    }
done:
    bn_free(row);
    return rc;
}

static bool is_sparse(const bonsai_graph *g)
{
    return bn_has(g, BONSAI_SECTION_FEATURE_OFFSETS);
}

/* Returns whether the scale of a column may be the largest. */
static bool may_lead(const sampling *s, int64_t column)
{
    return s->squares[column] > 0 && s->zeros[column] >= 0;
}

static bool is_table(const sampling *s, const bonsai_graph *g)
{
    bool one = false;
    for (int64_t j = 0; !one && j < g->view.features; j++)
        one = may_lead(s, j);
    return one;
}

/* Finds the standard deviation of each column of a table and its mean, in s, with zeros[j] = -1 if
 * most are zeros; *out is NULL if g is not a table, or has fewer than `least` nodes. */
static bonsai_status find_spreads(double **out, sampling *s, const bonsai_graph *g, int64_t least)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t rows = g->view.nodes < MOST_ROWS ? g->view.nodes : MOST_ROWS;
    *out = NULL;
    if (rows < least || g->view.features == 0 || bn_has(g, BONSAI_SECTION_COORDINATES) ||
        (is_sparse(g) && g->view.features > MOST_COLUMNS))
        return rc;
    BN_TRY(bn_graph_need(g, BN_FEATURE_SECTIONS, 0));
    BN_TRY(sampling_new(s, g->view.features));
    BN_TRY(add_rows(s, g, rows));
    for (int64_t j = 0; j < g->view.features; j++) {
        const double mean = s->sum[j] / (double)rows;
        s->squares[j] = sqrt(fmax(s->squares[j] / (double)rows - mean * mean, 0));
        s->sum[j] = (double)s->first[j] + mean;
        if (2 * s->zeros[j] > rows)
            s->zeros[j] = -1;
    }
    *out = is_table(s, g) ? s->squares : NULL;
done:
    return rc;
}

bonsai_status bonsai_graph_scales(double *least_out, double *most_out, const bonsai_graph *g)
{
    bonsai_status rc;
    sampling s = {.index = NULL};
    double *spread;
    if (bn_is_null(least_out, "least_out") || bn_is_null(most_out, "most_out") ||
        bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    *least_out = *most_out = 0;
    BN_TRY(find_spreads(&spread, &s, g, 2));
    for (int64_t j = 0; spread && j < g->view.features; j++)
        *most_out = may_lead(&s, j) ? fmax(*most_out, spread[j]) : *most_out;
    *least_out = *most_out;
    for (int64_t j = 0; *most_out > 0 && j < g->view.features; j++)
        *least_out = spread[j] > 0 ? fmin(*least_out, spread[j]) : *least_out;
done:
    sampling_free(&s);
    return rc;
}

bonsai_status bn_graph_scale(double *out, const bonsai_graph *g)
{
    bonsai_status rc;
    sampling s = {.index = NULL};
    double *spread;
    const float *by = g->view.section[BONSAI_SECTION_FEATURE_SPREAD].data;
    *out = 0;
    BN_TRY(find_spreads(&spread, &s, g, LEAST_ROWS));
    for (int64_t j = 0; spread && j < g->view.features; j++)
        if (may_lead(&s, j))
            *out = fmax(*out, spread[j] * fabs((double)bn_divisor(by ? by[j] : 1)));
done:
    sampling_free(&s);
    return rc;
}

bonsai_status bn_graph_column_scales(float **mean_out, float **spread_out, const bonsai_graph *g)
{
    bonsai_status rc;
    sampling s = {.index = NULL};
    double *spread;
    float *mean = NULL, *to = NULL;
    *mean_out = *spread_out = NULL;
    BN_TRY(find_spreads(&spread, &s, g, LEAST_ROWS));
    if (!spread)
        goto done;
    BN_TRY(BN_NEW(&mean, g->view.features));
    BN_TRY(BN_NEW(&to, g->view.features));
    for (int64_t j = 0; j < g->view.features; j++) {
        const double at = bn_unscaled(g, j, s.sum[j]);
        mean[j] = (float)at;
        to[j] = s.zeros[j] < 0 ? 0 : (float)(bn_unscaled(g, j, s.sum[j] + spread[j]) - at);
    }
    *mean_out = mean;
    *spread_out = to;
    mean = to = NULL;
done:
    bn_free(mean);
    bn_free(to);
    sampling_free(&s);
    return rc;
}
