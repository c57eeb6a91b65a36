/* standardise.c -- mean and spread of columns of features; the same graph with mean 0 and spread 1.
 *
 * The numbers are recorded in the graph, in graphs condensed from it and in models trained on
 * those: later graphs are scaled by the same numbers.  A column with mostly zeros is only divided,
 * so sparse features take at most twice their room.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph.h"

/* ---- mean and spread ---- */

/* In two passes, in double, over blocks of nodes whose number depends only on the sizes of the
 * graph; the blocks are added in order.  Only non-zero features are read: the zeros of a column are
 * counted. */

enum { MOST_BLOCKS = 64, MOST_NUMBERS = 1 << 24 };

typedef struct {
    const bonsai_graph *g;
    int64_t  rows, count, room, blocks;
    bool     all;               /* all nodes take part, not only those for training */
    int32_t *node;              /* the nodes that take part */
    int32_t *place;             /* position of a feature among the chosen, or -1 */
    int32_t *index;             /* blocks x room, a row each */
    float   *value;
    double  *sum, *present;     /* blocks x count: sums, and numbers of non-zeros */
} gathering;

static void gathering_free(gathering *a)
{
    bn_free(a->node);
    bn_free(a->place);
    bn_free(a->index);
    bn_free(a->value);
    bn_free(a->sum);
    bn_free(a->present);
}

static bonsai_status gathering_new(gathering *a, const int32_t *kept)
{
    bonsai_status rc;
    const bonsai_view *v = &a->g->view;
    BN_TRY(BN_NEW(&a->node, v->nodes));
    for (int64_t i = 0; i < v->nodes; i++)
        if (a->all || bn_part(a->g, i) == BONSAI_PART_TRAIN)
            a->node[a->rows++] = (int32_t)i;
    if (a->rows == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, a->g->where, "no node is in the training part, so its "
                          "features cannot be standardised");
    a->blocks = MOST_NUMBERS / (v->features + 1);
    a->blocks = a->blocks < 1 ? 1 : a->blocks > MOST_BLOCKS ? MOST_BLOCKS : a->blocks;
    a->room = bn_row_room(a->g);
    BN_TRY(BN_NEW(&a->place, v->features));
    memset(a->place, 0xff, (size_t)v->features * sizeof *a->place);
    for (int64_t j = 0; j < a->count; j++)
        a->place[kept ? kept[j] : j] = (int32_t)j;
    BN_TRY(BN_NEW(&a->index, a->blocks * a->room));
    BN_TRY(BN_NEW(&a->value, a->blocks * a->room));
    BN_TRY(BN_NEW(&a->sum, a->blocks * a->count));
    BN_TRY(BN_NEW(&a->present, a->blocks * a->count));
done:
    return rc;
}

/* Adds the features of a block, or, with mean, the squared differences from it. */
static void add_block(const gathering *a, int64_t b, const float *mean)
{
    int32_t *index = a->index + b * a->room;
    float *value = a->value + b * a->room;
    double *sum = a->sum + b * a->count, *present = a->present + b * a->count;
    memset(sum, 0, (size_t)a->count * sizeof *sum);
    memset(present, 0, (size_t)a->count * sizeof *present);
    for (int64_t i = a->rows * b / a->blocks; i < a->rows * (b + 1) / a->blocks; i++) {
        int64_t len = bn_row_get(index, value, a->g, a->node[i]);
        for (int64_t e = 0; e < len; e++) {
            int32_t j = a->place[index[e]];
            if (j < 0)
                continue;
            double x = mean ? (double)value[e] - (double)mean[j] : (double)value[e];
            sum[j] += mean ? x * x : x;
            present[j]++;
        }
    }
}

/* Adds the sums of all blocks to block 0. */
static void add_all(gathering *a, const float *mean, int threads)
{
    const double work = 8.0 * bn_features_work(a->g, a->rows);
#pragma omp parallel for num_threads(bn_team(threads, work)) schedule(static)
    for (int64_t b = 0; b < a->blocks; b++)
        add_block(a, b, mean);
    for (int64_t b = 1; b < a->blocks; b++)
        for (int64_t j = 0; j < a->count; j++) {
            a->sum[j] += a->sum[b * a->count + j];
            a->present[j] += a->present[b * a->count + j];
        }
}

bonsai_status bn_standard(float *mean, float *spread, const bonsai_graph *g,
                          const bn_standard_of *of, int threads)
{
    bonsai_status rc;
    int64_t count = of->kept ? of->count : g->view.features;
    gathering a = {.g = g, .count = count, .all = of->all};
    BN_TRY(gathering_new(&a, of->kept));
    double rows = (double)a.rows;
    add_all(&a, NULL, threads);
    for (int64_t j = 0; j < count; j++)
        mean[j] = (float)(a.sum[j] / rows);
    add_all(&a, mean, threads);
    for (int64_t j = 0; j < count; j++) {
        double m = (double)mean[j], squares = a.sum[j] + (rows - a.present[j]) * m * m;
        spread[j] = (float)sqrt(squares / rows);
        if (!(spread[j] > 0))
            spread[j] = 1;
    }
done:
    gathering_free(&a);
    return rc;
}

typedef struct {
    const bonsai_graph *g;
    bonsai_graph *out;
    float   *mean, *spread;     /* of out */
    int32_t *centred;           /* columns whose mean is subtracted */
    int64_t  count;             /* of centred columns */
    int32_t *index;             /* of one row */
    float   *value;
} scaling;

/* ---- the numbers ---- */

bool bn_is_standardised(const bonsai_graph *g, const float *mean, const float *spread,
                        const int32_t *kept, int64_t count)
{
    const float *by_mean = g->view.section[BONSAI_SECTION_FEATURE_MEAN].data;
    const float *by_spread = g->view.section[BONSAI_SECTION_FEATURE_SPREAD].data;
    bool same = by_mean && mean;
    for (int64_t j = 0; same && j < count; j++) {
        const int64_t at = kept ? kept[j] : j;
        same = by_mean[at] == mean[j] && bn_divisor(by_spread[at]) == bn_divisor(spread[j]);
    }
    return same;
}

/* Takes the mean of a column to be 0 if most of its values are zeros. */
static bonsai_status keep_zeros(scaling *s)
{
    bonsai_status rc;
    const bonsai_view *v = &s->g->view;
    int64_t *present = NULL;
    BN_TRY(BN_NEW(&present, v->features));
    for (int64_t i = 0; i < v->nodes; i++) {
        const int64_t length = bn_row_get(s->index, s->value, s->g, i);
        for (int64_t e = 0; e < length; e++)
            present[s->index[e]]++;
    }
    for (int64_t j = 0; j < v->features; j++)
        if (2 * present[j] < v->nodes)
            s->mean[j] = 0;
done:
    bn_free(present);
    return rc;
}

static bonsai_status find_numbers(scaling *s, const bonsai_graph *like)
{
    bonsai_status rc;
    const int64_t f = s->g->view.features;
    BN_TRY(bn_graph_array(&s->mean, s->out, BONSAI_SECTION_FEATURE_MEAN, BONSAI_TYPE_F32, f));
    BN_TRY(bn_graph_array(&s->spread, s->out, BONSAI_SECTION_FEATURE_SPREAD, BONSAI_TYPE_F32, f));
    if (like) {
        const bonsai_array *x = like->view.section;
        memcpy(s->mean, x[BONSAI_SECTION_FEATURE_MEAN].data, (size_t)f * sizeof *s->mean);
        memcpy(s->spread, x[BONSAI_SECTION_FEATURE_SPREAD].data, (size_t)f * sizeof *s->spread);
    } else {
        const bn_standard_of all = {.all = true};
        BN_TRY(bn_standard(s->mean, s->spread, s->g, &all, bn_threads(0)));
        BN_TRY(keep_zeros(s));
    }
    BN_TRY(BN_NEW(&s->centred, f));
    for (int64_t j = 0; j < f; j++)
        if (s->mean[j] != 0)
            s->centred[s->count++] = (int32_t)j;
done:
    return rc;
}

/* ---- the features ---- */

static bonsai_status scale_dense(scaling *s)
{
    float *to;
    const int64_t f = s->g->view.features;
    bonsai_status rc = bn_graph_array(&to, s->out, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32,
                                      s->g->view.nodes * f);
    for (int64_t i = 0; rc == BONSAI_OK && i < s->g->view.nodes; i++, to += f) {
        bn_row_whole(to, s->g, i);
        for (int64_t j = 0; j < f; j++)
            to[j] = bn_standardised(to[j], s->mean[j], s->spread[j]);
    }
    return rc;
}

/* Scales the row of a node: its own columns and all that are centred.  Returns their number. */
static int64_t scale_row(int32_t *index, float *value, const scaling *s, int64_t node)
{
    const int64_t length = bn_row_get(s->index, s->value, s->g, node);
    int64_t k = 0;
    for (int64_t e = 0, c = 0; e < length || c < s->count; k++) {
        const int32_t own = e < length ? s->index[e] : INT32_MAX;
        const int32_t must = c < s->count ? s->centred[c] : INT32_MAX;
        const int32_t j = own < must ? own : must;
        index[k] = j;
        value[k] = bn_standardised(own == j ? s->value[e] : 0, s->mean[j], s->spread[j]);
        e += own == j;
        c += must == j;
    }
    return k;
}

static bonsai_status scale_sparse(scaling *s)
{
    bonsai_status rc;
    const int64_t n = s->g->view.nodes, room = bn_row_room(s->g) + s->count;
    int32_t *index = NULL;
    float *value = NULL;
    uint64_t *offset;
    BN_TRY(BN_NEW(&index, room));
    BN_TRY(BN_NEW(&value, room));
    BN_TRY(bn_graph_array(&offset, s->out, BONSAI_SECTION_FEATURE_OFFSETS, BONSAI_TYPE_U64, n + 1));
    for (int64_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + (uint64_t)scale_row(index, value, s, i);
    int32_t *to;
    float *values;
    BN_TRY(bn_graph_array(&to, s->out, BONSAI_SECTION_FEATURE_INDICES, BONSAI_TYPE_U32,
                          (int64_t)offset[n]));
    BN_TRY(bn_graph_array(&values, s->out, BONSAI_SECTION_FEATURE_VALUES, BONSAI_TYPE_F32,
                          (int64_t)offset[n]));
    for (int64_t i = 0; i < n; i++)
        scale_row(to + offset[i], values + offset[i], s, i);
done:
    bn_free(index);
    bn_free(value);
    return rc;
}

/* ---- the graph ---- */

static bonsai_status scale(scaling *s, const bonsai_graph *like)
{
    bonsai_status rc;
    const uint32_t own = BN_FEATURE_SECTIONS | BN_FACTOR_SECTIONS |
                         BN_BIT(BONSAI_SECTION_FEATURE_MEAN) |
                         BN_BIT(BONSAI_SECTION_FEATURE_SPREAD);
    BN_TRY(bn_graph_need(s->g, BN_ALL_SECTIONS, 0));
    BN_TRY(bn_graph_derive(&s->out, s->g, BN_ALL_SECTIONS & ~own));
    BN_TRY(BN_NEW(&s->index, bn_row_room(s->g)));
    BN_TRY(BN_NEW(&s->value, bn_row_room(s->g)));
    BN_TRY(find_numbers(s, like));
    BN_TRY(bn_has(s->g, BONSAI_SECTION_FEATURE_OFFSETS) ? scale_sparse(s) : scale_dense(s));
    BN_TRY(bonsai_graph_verify(s->out));
done:
    return rc;
}

/* Returns whether g is to be scaled by the numbers of like. */
static bool lacks_scaling(const bonsai_graph *g, const bonsai_graph *like)
{
    return bn_has(like, BONSAI_SECTION_FEATURE_MEAN) && !bn_has(g, BONSAI_SECTION_FEATURE_MEAN) &&
           g->view.features == like->view.features;
}

bonsai_status bonsai_graph_standardise(bonsai_graph **out, const bonsai_graph *g,
                                       const bonsai_graph *like)
{
    bonsai_status rc;
    scaling s = {.g = g};
    if (BN_NO_PLACE(out) || bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    if (like ? !lacks_scaling(g, like) : g->view.features == 0 || g->view.nodes == 0)
        return BONSAI_OK;
    if (!like && bn_has(g, BONSAI_SECTION_FEATURE_MEAN))
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its columns of features are scaled "
                          "already, by the mean and spread that it records");
    if (like)
        BN_TRY(bn_graph_need(like, BN_ALL_SECTIONS, 0));
    BN_TRY(scale(&s, like));
done:
    bn_free(s.centred);
    bn_free(s.index);
    bn_free(s.value);
    return bn_graph_give(out, s.out, rc);
}
