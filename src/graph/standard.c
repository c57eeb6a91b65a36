/* standard.c -- mean and spread of features over the training nodes, or over all.
 *
 * Two passes, in double, over blocks of nodes whose number depends only on the sizes of the
 * graph; the blocks are added in order.  Only non-zero features are read: the zeros of a
 * column are counted.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "graph.h"

enum { MOST_BLOCKS = 64, MOST_NUMBERS = 1 << 24 };

typedef struct {
    const bonsai_graph *g;
    int64_t  rows, count, room, blocks;
    bool     all;               /* nodes take part, not only those for training */
    int32_t *node;              /* those that do */
    int32_t *place;             /* where a feature goes, or -1 */
    int32_t *index;             /* blocks x room, a row each */
    float   *value;
    double  *sum, *present;     /* blocks x count: sums, and how many were not zero */
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

/* Adds the features of a block, or with mean the squares of what they differ by. */
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

/* The sums of all blocks, in block 0. */
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

bonsai_status bn_standard(float *mean, float *spread, const bonsai_graph *g, const bn_standard_of *of,
                          int threads)
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
