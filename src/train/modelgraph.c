/* modelgraph.c -- compares a graph with that of a model's training: its scales and its split.
 *
 * Columns are compared one by one if the model knows the mean and spread of each: those that it
 * scales by, or those of its graph if they are few.  Else the largest spread is compared.
 *
 * A split depends on the seed and on which nodes have labels.  On another graph with as many nodes
 * it would call training nodes test nodes; so a model has a checksum of the labels.  Outside the
 * training part that only says whether they are known.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "model.h"

enum { MOST_COLUMNS = 1024, FAR = 100, MANY_NODES = 100 };

/* ---- the scales that a model keeps ---- */

bonsai_status bn_model_scales(bonsai_model *m, const bonsai_graph *g)
{
    bonsai_status rc;
    float *mean = NULL, *spread = NULL;
    const int64_t f = m->dims.features;
    BN_TRY(bn_graph_scale(&m->info.scale, g));
    if (m->mean || f > MOST_COLUMNS)
        return BONSAI_OK;
    BN_TRY(bn_graph_column_scales(&mean, &spread, g));
    if (!mean)
        goto done;
    BN_TRY(BN_NEW(&m->column_mean, f));
    BN_TRY(BN_NEW(&m->column_spread, f));
    for (int64_t i = 0; i < f; i++) {
        const int64_t j = m->kept ? m->kept[i] : i;
        m->column_mean[i] = mean[j];
        m->column_spread[i] = spread[j];
    }
done:
    bn_free(mean);
    bn_free(spread);
    return rc;
}

/* ---- comparing scales ---- */

/* Returns whether two scales are far apart.  Few nodes may miss the rare large values of a column,
 * so they need a larger difference. */
static bool is_far(const float was[2], const float is[2], int64_t nodes)
{
    const double a = (double)was[1], b = (double)is[1], by = nodes < MANY_NODES ? 30 : 10;
    if (!(a > 1e-6 * fabs((double)was[0])) || !(b > 0))
        return false;
    return b >= by * a || by * b <= a || fabs((double)is[0] - (double)was[0]) > 10 * a;
}

typedef struct { int64_t columns, column; double was[2], is[2]; } found;

static bonsai_status compare_columns(found *out, const bonsai_model *m, const bonsai_graph *g)
{
    bonsai_status rc;
    float *mean = NULL, *spread = NULL;
    bn_columns at;
    BN_TRY(bn_model_columns(&at, m, g));
    BN_TRY(bn_graph_column_scales(&mean, &spread, g));
    for (int64_t i = 0; mean && i < m->dims.features; i++) {
        const int64_t j = at.kept ? at.kept[i] : i;
        const float was[2] = {m->mean ? m->mean[i] : m->column_mean[i],
                              m->mean ? m->spread[i] : m->column_spread[i]};
        const float is[2] = {mean[j], spread[j]};
        if (!is_far(was, is, g->view.nodes) || out->columns++ > 0)
            continue;
        out->column = m->kept ? m->kept[i] : i;
        for (int k = 0; k < 2; k++) {
            out->was[k] = (double)was[k];
            out->is[k] = (double)is[k];
        }
    }
done:
    bn_free(mean);
    bn_free(spread);
    return rc;
}

static bonsai_status compare_largest(found *out, const bonsai_model *m, const bonsai_graph *g)
{
    double scale;
    const bonsai_status rc = bn_graph_scale(&scale, g);
    if (rc == BONSAI_OK && scale > 0 && m->info.scale > 0 &&
        (scale >= FAR * m->info.scale || FAR * scale <= m->info.scale))
        *out = (found){1, -1, {0, m->info.scale}, {0, scale}};
    return rc;
}

bonsai_status bonsai_model_scale(int64_t *columns, int64_t *column, double was[2], double is[2],
                                 const bonsai_model *m, const bonsai_graph *g)
{
    bonsai_status rc;
    found x = {0, -1, {0, 0}, {0, 0}};
    if (bn_is_null(columns, "columns") || bn_is_null(column, "column") || bn_is_null(was, "was") ||
        bn_is_null(is, "is") || bn_is_null(m, "the model") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(m->mean || m->column_mean ? compare_columns(&x, m, g) : compare_largest(&x, m, g));
    *columns = x.columns;
    *column = x.column;
    for (int k = 0; k < 2; k++) {
        was[k] = x.was[k];
        is[k] = x.is[k];
    }
done:
    return rc;
}

/* ---- the split ---- */

int64_t bn_split_sum(const bonsai_graph *g)
{
    enum { PIECE = 1024, KNOWN = -2 };
    int32_t label[PIECE];
    uint32_t crc = 0;
    for (int64_t at = 0; at < g->view.nodes; at += PIECE) {
        const int64_t n = bn_least(PIECE, g->view.nodes - at);
        for (int64_t i = 0; i < n; i++) {
            label[i] = bn_label(g, at + i);
            if (label[i] >= 0 && bn_part(g, at + i) != BONSAI_PART_TRAIN)
                label[i] = KNOWN;
        }
        crc = bn_crc32(crc, label, n * (int64_t)sizeof *label);
    }
    return crc > 0 ? crc : 1;
}

static bool has_labels(const bonsai_graph *g)
{
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_label(g, v) >= 0)
            return true;
    return false;
}

bonsai_status bonsai_model_split(bonsai_graph **out, const bonsai_model *m, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *drawn = NULL;
    if (bn_is_null(out, "out"))
        return BONSAI_E_ARGUMENT;
    *out = NULL;
    if (bn_is_null(m, "the model") || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_SECTION_LABELS), 0));
    if (m->info.split_labels == 0 || !has_labels(g))
        goto done;
    BN_TRY(bonsai_graph_split(&drawn, g, m->info.split, m->info.split_seed));
    if (bn_split_sum(drawn) == m->info.split_labels) {
        *out = drawn;
        drawn = NULL;
    }
done:
    bonsai_graph_free(drawn);
    return rc;
}
