/* linear.c -- accuracy of a linear model on features alone, and on features averaged over two hops.
 *
 * Ridge regression from rows of length 1, and a constant, to +1 for the class and -1 for the
 * others, with lambda = 1, which is near the best on the Planetoid sets.  It uses at most 10,000
 * training and 10,000 test nodes.
 *
 * The second average of a node (half its own row, half the mean of its neighbours) needs the first
 * average of its neighbours, the near nodes.  Each is computed once, so the work is at most linear
 * in the edges.  It runs over blocks of columns, wide enough to be fast and narrow enough that near
 * nodes times columns stay below 2^24; only non-zeros are kept.  No array of nodes times features
 * is built.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "options/options.h"

enum { MOST_NODES = 10000, MOST_CELLS = 1 << 24, FREE_STEPS = 1 << 28, PER_VALUE = 1 << 14 };
static const double most_steps = 2e10, lambda = 1;

typedef struct {
    const bonsai_graph *g;
    uint64_t    seed;
    int         threads;
    bn_progress progress;
    bn_csr      adjacency;

    int64_t  train, test, count;/* count = train + test */
    int32_t *node;              /* count: training nodes first */
    int64_t  classes;           /* all; where they are more than nodes, those of the nodes and one
                                 * that stands for the others, which all score alike */
    int32_t *class;             /* count: the number of a node's among these */

    int      hops;              /* 0 or 2 */
    int64_t  near_count;
    int32_t *near;              /* sampled nodes and, with hops, their neighbours */
    int32_t *place;             /* n: position of a node in near, or -1 */
    int64_t  from, to;          /* the current columns */
    float   *first;             /* (near_count, to-from): near nodes averaged once */
    float   *second;            /* (count, to-from) */

    int64_t  blocks;            /* number of blocks of columns */
    int64_t *piece;             /* blocks*count+1: row i of block b is piece b*count+i */
    int32_t *index;
    float   *value;
    int64_t  index_room, value_room;

    int64_t  *offsets;          /* count+1: the whole rows */
    int32_t *column;
    float   *entry;
    float   *w, *y, *score;     /* (f+1,c), (train,c), (test,c) */
    float   *mean;              /* c: of the targets */
} yardstick;

/* ---- which nodes ---- */

/* Lists the labelled nodes of a part in seeded order; returns how many. */
static int64_t list_part(int32_t *list, const yardstick *s, bonsai_part part)
{
    int64_t count = 0;
    for (int64_t v = 0; v < s->g->view.nodes; v++)
        if (bn_label(s->g, v) >= 0 && (part == BONSAI_PART_NONE || bn_part(s->g, v) == part))
            list[count++] = (int32_t)v;
    bn_rng_shuffle(list, count, s->seed + (uint64_t)part);
    return count;
}

static bonsai_status sample_nodes(yardstick *s)
{
    bonsai_status rc;
    int32_t *list = NULL;
    BN_TRY(BN_NEW(&list, s->g->view.nodes));
    BN_TRY(BN_NEW(&s->node, 2 * MOST_NODES));
    if (bn_has(s->g, BONSAI_SECTION_SPLIT)) {
        s->train = bn_least(list_part(list, s, BONSAI_PART_TRAIN), MOST_NODES);
        memcpy(s->node, list, (size_t)s->train * sizeof *list);
        s->test = bn_least(list_part(list, s, BONSAI_PART_TEST), MOST_NODES);
        memcpy(s->node + s->train, list, (size_t)s->test * sizeof *list);
    } else {                                    /* 60/20/20 */
        int64_t all = list_part(list, s, BONSAI_PART_NONE);
        int64_t train = (int64_t)((double)all * 0.6 + 0.5), test = (int64_t)((double)all * 0.2);
        s->train = bn_least(train, MOST_NODES);
        s->test = bn_least(test > 0 ? test : bn_least(all - train, 1), MOST_NODES);
        memcpy(s->node, list, (size_t)s->train * sizeof *list);
        memcpy(s->node + s->train, list + all - s->test, (size_t)s->test * sizeof *list);
    }
    s->count = s->train + s->test;
    if (s->train == 0 || s->test == 0)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, s->g->where, "%lld labelled training and %lld labelled "
                        "test nodes; a linear model needs some of both", (long long)s->train,
                        (long long)s->test);
done:
    bn_free(list);
    return rc;
}

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Numbers the classes that occur in their order; the lowest one that does not occur keeps its place
 * among them and stands for all such. */
static bonsai_status number_classes(yardstick *s)
{
    bonsai_status rc;
    int32_t *seen = NULL;
    int64_t kept = 0, absent = 0;
    s->classes = s->g->view.classes;
    BN_TRY(BN_NEW(&s->class, s->count));
    BN_TRY(BN_NEW(&seen, s->count));
    for (int64_t i = 0; i < s->count; i++)
        s->class[i] = seen[i] = bn_label(s->g, s->node[i]);
    if (s->classes <= s->count)
        goto done;
    qsort(seen, (size_t)s->count, sizeof *seen, ascending);
    for (int64_t i = 0; i < s->count; i++)
        if (i == 0 || seen[i] != seen[i - 1])
            seen[kept++] = seen[i];
    while (absent < kept && seen[absent] == absent)
        absent++;
    for (int64_t i = 0; i < s->count; i++) {
        const int32_t *at = bsearch(&s->class[i], seen, (size_t)kept, sizeof *seen, ascending);
        s->class[i] = (int32_t)(at - seen + (s->class[i] > absent));
    }
    s->classes = kept + 1;
done:
    bn_free(seen);
    return rc;
}

static void add_near(yardstick *s, int32_t v)
{
    if (s->place[v] >= 0)
        return;
    s->place[v] = (int32_t)s->near_count;
    s->near[s->near_count++] = v;
}

static bonsai_status find_near(yardstick *s)
{
    bonsai_status rc;
    int64_t n = s->g->view.nodes;
    BN_TRY(BN_NEW(&s->near, n));
    BN_TRY(BN_NEW(&s->place, n));
    for (int64_t v = 0; v < n; v++)
        s->place[v] = -1;
    for (int64_t i = 0; i < s->count; i++)
        add_near(s, s->node[i]);
    for (int64_t i = 0; s->hops && i < s->count; i++) {
        int64_t end = bn_row_begin(s->g, s->node[i] + 1);
        for (int64_t e = bn_row_begin(s->g, s->node[i]); e < end; e++)
            add_near(s, bn_neighbors(s->g)[e]);
    }
done:
    return rc;
}

/* ---- averages, one block of columns at a time ---- */

/* row += weight * (columns from..to-1 of a sparse row); a short search finds the start of the
 * block. */
static void add_sparse(float *row, const yardstick *s, int64_t node, float weight)
{
    const bonsai_view *v = &s->g->view;
    bn_csr x = {v->nodes, v->features, v->section[BONSAI_SECTION_FEATURE_OFFSETS],
                v->section[BONSAI_SECTION_FEATURE_INDICES],
                v->section[BONSAI_SECTION_FEATURE_VALUES],
                v->section[BONSAI_SECTION_FEATURE_SCALE].data};
    int64_t e = bn_int_at(&x.offsets, node), end = bn_int_at(&x.offsets, node + 1), high = end;
    while (s->from > 0 && e < high) {
        int64_t middle = (e + high) / 2;
        if (bn_int_at(&x.indices, middle) < s->from)
            e = middle + 1;
        else
            high = middle;
    }
    for (; e < end; e++) {
        int64_t j = bn_int_at(&x.indices, e);
        if (j >= s->to)
            break;
        row[j - s->from] += weight * bn_csr_value(&x, node, e);
    }
}

static void add_features(float *row, const yardstick *s, int64_t node, float weight)
{
    const bonsai_array *x = &s->g->view.section[BONSAI_SECTION_FEATURES];
    const float *scale = s->g->view.section[BONSAI_SECTION_FEATURE_SCALE].data;
    int64_t at = node * s->g->view.features;
    if (!x->data)
        add_sparse(row, s, node, weight);
    else if (x->type == BONSAI_TYPE_F32)
        bn_kernels_get()->axpy(row, weight, (const float *)x->data + at + s->from, s->to - s->from);
    else
        for (int64_t j = s->from; j < s->to; j++)
            row[j - s->from] += weight * (scale ? scale[node] : 1.0f) * bn_real_at(x, at + j);
}

static void add_first(float *row, const yardstick *s, int64_t node, float weight)
{
    int64_t width = s->to - s->from;
    bn_kernels_get()->axpy(row, weight, s->first + s->place[node] * width, width);
}

/* row = half of the node's own row, half the mean of its neighbours; all its own without
 * neighbours. */
static void average(float *row, const yardstick *s, int64_t node,
                    void (*add)(float *, const yardstick *, int64_t, float))
{
    const bn_csr *a = &s->adjacency;
    int64_t begin = bn_int_at(&a->offsets, node), end = bn_int_at(&a->offsets, node + 1);
    double total = 0;
    for (int64_t e = begin; e < end; e++)
        total += (double)bn_csr_value(a, node, e);
    memset(row, 0, (size_t)(s->to - s->from) * sizeof *row);
    add(row, s, node, begin < end ? 0.5f : 1.0f);
    for (int64_t e = begin; e < end; e++)
        add(row, s, bn_int_at(&a->indices, e),
            (float)(0.5 * (double)bn_csr_value(a, node, e) / total));
}

/* Of so many rows. */
static double average_work(const yardstick *s, int64_t rows)
{
    const double degree = (double)s->adjacency.indices.count / (double)s->adjacency.rows;
    return (double)rows * (1 + degree) * 4 * (double)(s->to - s->from);
}

/* Computes the rows of the block of columns; ticks between batches of rows. */
static bonsai_status fill_block(yardstick *s)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t batch = 4096, width = s->to - s->from, f = s->g->view.features;
    for (int64_t at = 0; s->hops && at < s->near_count; at += batch) {
        int64_t end = bn_least(at + batch, s->near_count);
        BN_TRY(bn_tick(s->progress, "averaging", s->from * s->near_count + at * width,
                       s->near_count * f));
        const double work = average_work(s, end - at);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(dynamic, 64)
        for (int64_t i = at; i < end; i++)
            average(s->first + i * width, s, s->near[i], add_features);
    }
    const double work = average_work(s, s->count);
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(dynamic, 64)
    for (int64_t i = 0; i < s->count; i++) {
        float *row = s->second + i * width;
        if (s->hops) {
            average(row, s, s->node[i], add_first);
        } else {
            memset(row, 0, (size_t)width * sizeof *row);
            add_features(row, s, s->node[i], 1.0f);
        }
    }
done:
    return rc;
}

/* Appends the non-zeros of the block's rows. */
static bonsai_status keep_block(yardstick *s, int64_t b)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t width = s->to - s->from;
    for (int64_t i = 0; i < s->count; i++) {
        int64_t *at = &s->piece[b * s->count + i];
        BN_TRY(bn_grow((void **)&s->index, &s->index_room, *at + width, sizeof *s->index));
        BN_TRY(bn_grow((void **)&s->value, &s->value_room, *at + width, sizeof *s->value));
        at[1] = at[0];
        for (int64_t j = 0; j < width; j++)
            if (s->second[i * width + j] != 0.0f) {
                s->index[at[1]] = (int32_t)(s->from + j);
                s->value[at[1]++] = s->second[i * width + j];
            }
    }
done:
    return rc;
}

/* Joins one whole row of length 1, and the constant after it. */
static void join_row(yardstick *s, int64_t i)
{
    double sum = 0;
    int64_t to = s->offsets[i];
    for (int64_t b = 0; b < s->blocks; b++) {
        const int64_t *piece = &s->piece[b * s->count + i];
        for (int64_t e = piece[0]; e < piece[1]; e++, to++) {
            s->column[to] = s->index[e];
            s->entry[to] = s->value[e];
            sum += (double)s->value[e] * (double)s->value[e];
        }
    }
    for (int64_t e = s->offsets[i]; e < to; e++)
        s->entry[e] = (float)((double)s->entry[e] / sqrt(sum));
    s->column[to] = (int32_t)s->g->view.features;
    s->entry[to++] = 1.0f;
    s->offsets[i + 1] = to;
}

static bonsai_status join_rows(yardstick *s)
{
    bonsai_status rc;
    int64_t total = s->piece[s->blocks * s->count] + s->count;
    BN_TRY(BN_NEW(&s->offsets, s->count + 1));
    BN_TRY(BN_NEW(&s->column, total));
    BN_TRY(BN_NEW(&s->entry, total));
    for (int64_t i = 0; i < s->count; i++)
        join_row(s, i);
done:
    return rc;
}

/* Refuses work that would take minutes: steps over the edges of near nodes, times the row length,
 * plus a few per block.  A few values in many columns may not ask for much. */
static bonsai_status check_work(const yardstick *s)
{
    double edges = 0, f = (double)s->g->view.features;
    const bonsai_array *sparse = &s->g->view.section[BONSAI_SECTION_FEATURE_INDICES];
    double length = sparse->data ? (double)sparse->count / (double)s->g->view.nodes : f;
    double most = sparse->data ? FREE_STEPS + PER_VALUE * (double)sparse->count : most_steps;
    most = fmin(most, most_steps);
    for (int64_t i = 0; s->hops && i < s->near_count; i++)
        edges += (double)(bn_row_begin(s->g, s->near[i] + 1) - bn_row_begin(s->g, s->near[i]));
    double steps = edges * (length + 4 * (double)s->blocks) + (double)s->near_count * f;
    if (steps <= most)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, s->g->where, "is too large for the linear yardstick: "
                      "averaging would take %.0e steps, the most is %.0e", steps, most);
}

static bonsai_status gather_rows(yardstick *s)
{
    bonsai_status rc;
    int64_t f = s->g->view.features;
    BN_TRY(find_near(s));
    int64_t width = bn_least(MOST_CELLS / s->near_count + 1, f);
    s->blocks = (f + width - 1) / width;
    BN_TRY(check_work(s));
    BN_TRY(BN_NEW(&s->first, s->hops ? s->near_count * width : 0));
    BN_TRY(BN_NEW(&s->second, s->count * width));
    BN_TRY(BN_NEW(&s->piece, s->blocks * s->count + 1));
    for (int64_t b = 0; b < s->blocks; b++) {
        s->from = b * width;
        s->to = bn_least(s->from + width, f);
        BN_TRY(fill_block(s));
        BN_TRY(keep_block(s, b));
    }
    BN_TRY(join_rows(s));
    BN_TRY(bn_tick(s->progress, "averaging", s->near_count * f, s->near_count * f));
done:
    return rc;
}

static void free_rows(yardstick *s)
{
    void *all[] = {s->near, s->place, s->first, s->second, s->piece, s->index, s->value,
                   s->offsets, s->column, s->entry, s->w, s->y, s->score, s->mean};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bn_free(all[i]);
    s->near = s->place = s->index = s->column = NULL;
    s->first = s->second = s->value = s->entry = s->w = s->y = NULL;
    s->score = s->mean = NULL;
    s->piece = NULL;
    s->offsets = NULL;
    s->near_count = s->index_room = s->value_room = 0;
}

/* ---- fitting and judging ---- */

static bn_matrix rows_of(const yardstick *s, int64_t begin, int64_t count)
{
    return (bn_matrix){count, s->g->view.features + 1, s->offsets + begin, s->column, s->entry,
                       NULL};
}

static int64_t largest_of(const float *row, const float *plus, int64_t count)
{
    int64_t best = 0;
    for (int64_t j = 1; j < count; j++)
        best = row[j] + plus[j] > row[best] + plus[best] ? j : best;
    return best;
}

/* Sets y: +1 for the class, -1 for the others, minus the mean of each column.  Scores start from
 * those means, so what is left to fit has no large constant part. */
static void set_targets(yardstick *s)
{
    int64_t c = s->classes;
    for (int64_t i = 0; i < s->train; i++)
        s->mean[s->class[i]] += 2.0f / (float)s->train;
    for (int64_t j = 0; j < c; j++)
        s->mean[j] -= 1.0f;
    for (int64_t i = 0; i < s->train; i++)
        for (int64_t j = 0; j < c; j++)
            s->y[i * c + j] = (s->class[i] == j ? 1.0f : -1.0f) - s->mean[j];
}

static bonsai_status judge(double *percent, yardstick *s, int hops)
{
    bonsai_status rc;
    int64_t c = s->classes, right = 0;
    s->hops = hops;
    BN_TRY(gather_rows(s));
    const bn_matrix train = rows_of(s, 0, s->train), test = rows_of(s, s->train, s->test);
    BN_TRY(BN_NEW(&s->w, train.cols * c));
    BN_TRY(BN_NEW(&s->y, s->train * c));
    BN_TRY(BN_NEW(&s->score, s->test * c));
    BN_TRY(BN_NEW(&s->mean, c));
    set_targets(s);
    const bn_ridge_how how = {.lambda = lambda, .enough = 1e-8, .threads = s->threads,
                              .progress = s->progress};
    BN_TRY(bn_ridge(s->w, &train, s->y, c, &how));
    bn_matrix_times(s->score, &test, s->w, c, s->threads);
    for (int64_t i = 0; i < s->test; i++)
        right += largest_of(s->score + i * c, s->mean, c) == s->class[s->train + i];
    *percent = 100.0 * (double)right / (double)s->test;
done:
    free_rows(s);
    return rc;
}

static bonsai_status find_majority(double *percent, const yardstick *s)
{
    int64_t *count = NULL, best = 0, right = 0, c = s->classes;
    bonsai_status rc = BN_NEW(&count, c);
    if (rc != BONSAI_OK)
        return rc;
    for (int64_t i = 0; i < s->train; i++)
        count[s->class[i]]++;
    for (int64_t j = 1; j < c; j++)
        best = count[j] > count[best] ? j : best;
    for (int64_t i = s->train; i < s->count; i++)
        right += s->class[i] == best;
    *percent = 100.0 * (double)right / (double)s->test;
    if (count[best] == s->train)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, s->g->where, "all training nodes have class %lld; a "
                        "linear model needs two classes", (long long)bn_label(s->g, s->node[0]));
    bn_free(count);
    return rc;
}

bonsai_status bonsai_graph_linear(bonsai_linear *out, const bonsai_graph *g, uint64_t seed,
                                  const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_read_options o;
    bonsai_linear l;
    yardstick s = {.g = g, .seed = seed};
    bonsai_linear_init(&l);
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_result_check(out, "bonsai_linear"));
    BN_TRY(BN_OPTIONS(&o, given, read));
    s.threads = bn_threads(o.threads);
    s.progress = (bn_progress){o.progress, o.payload};
    if (g->view.features == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has no features for a linear model");
    if (!bn_has(g, BONSAI_SECTION_LABELS))
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has no labels for a linear model");
    if (g->view.flags & BONSAI_FLAG_OPERATOR)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its edge weights are an operator, so there "
                          "are no averages over hops for a linear model");
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_SECTION_NEIGHBORS) | BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS) |
                                BN_BIT(BONSAI_SECTION_LABELS) | BN_BIT(BONSAI_SECTION_SPLIT) |
                                BN_FEATURE_SECTIONS, s.threads));
    s.adjacency = bn_adjacency(g);
    BN_TRY(sample_nodes(&s));
    BN_TRY(number_classes(&s));
    l.train = s.train;
    l.test = s.test;
    BN_TRY(find_majority(&l.majority, &s));
    BN_TRY(judge(&l.features_only, &s, 0));
    BN_TRY(judge(&l.two_hops, &s, 2));
    bn_result_fill(out, &l);
done:
    bn_free(s.node);
    bn_free(s.class);
    return rc;
}
