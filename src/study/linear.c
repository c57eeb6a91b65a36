/* linear.c -- accuracy of a linear model on features alone, and on features averaged over two hops.
 *
 * Ridge regression from rows of length 1, and a constant, to +1 for the class and -1 for the
 * others, with lambda = 1, which is near the best on the Planetoid sets.  It uses at most 10,000
 * training and 10,000 test nodes.  Rows are averaged by the rule of the WL embedding: half a node's
 * own, half the mean of its neighbours.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "embed/embed.h"
#include "options/options.h"

enum { MOST_NODES = 10000, FREE_STEPS = 1 << 28, PER_VALUE = 1 << 14 };
static const double most_steps = 2e10, lambda = 1;

typedef struct {
    const bonsai_graph *g;
    uint64_t seed;
    bn_place at;
    int64_t  train, test, count;/* count = train + test */
    int32_t *node;              /* count: training nodes first */
    int64_t  classes;           /* all; where they are more than nodes, those of the nodes and one
                                 * that stands for the others, which all score alike */
    int32_t *class;             /* count: the number of a node's among these */
    int64_t *offsets;           /* count+1: the rows that are fitted and judged */
    int32_t *column;
    float   *entry;
    float   *w, *y, *score;     /* (f+1,c), (train,c), (test,c) */
    float   *mean;              /* c: of the targets */
} model;

/* ---- which nodes ---- */

/* Lists the labelled nodes of a part in seeded order; returns how many. */
static int64_t list_part(int32_t *list, const model *s, bonsai_part part)
{
    int64_t count = 0;
    for (int64_t v = 0; v < s->g->view.nodes; v++)
        if (bn_label(s->g, v) >= 0 && (part == BONSAI_PART_NONE || bn_part(s->g, v) == part))
            list[count++] = (int32_t)v;
    bn_rng_shuffle(list, count, s->seed + (uint64_t)part);
    return count;
}

static bonsai_status sample_nodes(model *s)
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

/* Numbers the classes that occur in ascending order.  The lowest class that does not occur keeps
 * its place among them and stands for all such classes. */
static bonsai_status number_classes(model *s)
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

/* ---- rows ---- */

/* Returns the entries of the sampled nodes and of their neighbours, *near of them: what averaging
 * over two hops reads. */
static bonsai_status count_near(double *entries, double *near, const model *s)
{
    const bonsai_graph *g = s->g;
    uint8_t *met = NULL;
    bonsai_status rc = BN_NEW(&met, g->view.nodes);
    *entries = *near = 0;
    for (int64_t i = 0; rc == BONSAI_OK && i < s->count; i++) {
        met[s->node[i]] = 1;
        for (int64_t e = bn_row_begin(g, s->node[i]); e < bn_row_begin(g, s->node[i] + 1); e++)
            met[bn_neighbors(g)[e]] = 1;
    }
    for (int64_t v = 0; rc == BONSAI_OK && v < g->view.nodes; v++)
        if (met[v]) {
            *near += 1;
            *entries += (double)(bn_row_begin(g, v + 1) - bn_row_begin(g, v));
        }
    bn_free(met);
    return rc;
}

/* Fails if the work would take minutes: steps over the edges of near nodes, times the row length.
 * A few values in many columns must not cost much. */
static bonsai_status check_work(const model *s)
{
    bonsai_status rc;
    double entries, near, f = (double)s->g->view.features;
    const bonsai_array *sparse = &s->g->view.section[BONSAI_SECTION_FEATURE_INDICES];
    double length = sparse->data ? (double)sparse->count / (double)s->g->view.nodes : f;
    double most = sparse->data ? FREE_STEPS + PER_VALUE * (double)sparse->count : most_steps;
    most = fmin(most, most_steps);
    BN_TRY(count_near(&entries, &near, s));
    const double steps = entries * length + near * f;
    if (steps > most)
        rc = bn_fail_at(BONSAI_E_ARGUMENT, s->g->where, "is too large for the linear model: "
                        "averaging would take %.0e steps, the most is %.0e", steps, most);
done:
    return rc;
}

/* Appends a row of x with length 1, and the constant. */
static void add_row(model *s, int64_t i, const bn_embedding *x, int64_t row)
{
    const int64_t begin = x->dense ? row * x->f : x->offsets[row];
    const int64_t length = x->dense ? x->f : x->offsets[row + 1] - begin;
    const float *value = (x->dense ? x->dense : x->value) + begin;
    int64_t to = s->offsets[i];
    double sum = 0;
    for (int64_t e = 0; e < length; e++)
        sum += (double)value[e] * (double)value[e];
    for (int64_t e = 0; e < length; e++)
        if (value[e] != 0) {
            s->column[to] = x->dense ? (int32_t)e : x->index[begin + e];
            s->entry[to++] = (float)((double)value[e] / sqrt(sum));
        }
    s->column[to] = (int32_t)x->f;
    s->entry[to++] = 1.0f;
    s->offsets[i + 1] = to;
}

/* Fills the rows of the sampled nodes, averaged `hops` times. */
static bonsai_status gather_rows(model *s, int hops)
{
    bonsai_status rc;
    bn_embedding x = {0};
    int32_t *sorted = NULL;
    int64_t total = s->count;
    BN_TRY(BN_NEW(&sorted, s->count));
    memcpy(sorted, s->node, (size_t)s->count * sizeof *sorted);
    qsort(sorted, (size_t)s->count, sizeof *sorted, ascending);
    BN_TRY(bn_embed(&x, s->g, &(bn_nodes){sorted, s->count}, BN_RULE_WL, hops, &s->at));
    for (int64_t i = 0; i < s->count; i++)
        total += bn_embedding_length(&x, i);
    BN_TRY(BN_NEW(&s->offsets, s->count + 1));
    BN_TRY(BN_NEW(&s->column, total));
    BN_TRY(BN_NEW(&s->entry, total));
    for (int64_t i = 0; i < s->count; i++) {
        const int32_t *at = bsearch(&s->node[i], sorted, (size_t)s->count, sizeof *sorted,
                                    ascending);
        add_row(s, i, &x, at - sorted);
    }
done:
    bn_embedding_free(&x);
    bn_free(sorted);
    return rc;
}

static void free_rows(model *s)
{
    bn_free(s->offsets);
    bn_free(s->column);
    bn_free(s->entry);
    bn_free(s->w);
    bn_free(s->y);
    bn_free(s->score);
    bn_free(s->mean);
    s->offsets = NULL;
    s->column = NULL;
    s->entry = s->w = s->y = s->score = s->mean = NULL;
}

/* ---- fitting and judging ---- */

static bn_matrix rows_of(const model *s, int64_t begin, int64_t count)
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
static void set_targets(model *s)
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

static bonsai_status judge(double *percent, model *s, int hops)
{
    bonsai_status rc;
    int64_t c = s->classes, right = 0;
    BN_TRY(gather_rows(s, hops));
    const bn_matrix train = rows_of(s, 0, s->train), test = rows_of(s, s->train, s->test);
    BN_TRY(BN_NEW(&s->w, train.cols * c));
    BN_TRY(BN_NEW(&s->y, s->train * c));
    BN_TRY(BN_NEW(&s->score, s->test * c));
    BN_TRY(BN_NEW(&s->mean, c));
    set_targets(s);
    const bn_ridge_how how = {.lambda = lambda, .enough = 1e-8, .threads = s->at.threads,
                              .progress = s->at.progress};
    BN_TRY(bn_ridge(s->w, &train, s->y, c, &how));
    bn_matrix_times(s->score, &test, s->w, c, s->at.threads);
    for (int64_t i = 0; i < s->test; i++)
        right += largest_of(s->score + i * c, s->mean, c) == s->class[s->train + i];
    *percent = 100.0 * (double)right / (double)s->test;
done:
    free_rows(s);
    return rc;
}

static bonsai_status find_majority(double *percent, const model *s)
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
    model s = {.g = g, .seed = seed};
    bonsai_linear_init(&l);
    if (bn_is_null(g, "the graph"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_result_check(out, "bonsai_linear"));
    BN_TRY(BN_OPTIONS(&o, given, read));
    s.at.threads = bn_threads(o.threads);
    s.at.progress = (bn_progress){o.progress, o.payload};
    if (g->view.features == 0)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has no features for a linear model");
    if (!bn_has(g, BONSAI_SECTION_LABELS))
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "has no labels for a linear model");
    if (g->view.flags & BONSAI_FLAG_OPERATOR)
        return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "its edge weights are an operator, so there "
                          "are no averages over hops for a linear model");
    BN_TRY(bn_graph_need(g, BN_BIT(BONSAI_SECTION_NEIGHBORS) | BN_BIT(BONSAI_SECTION_EDGE_WEIGHTS) |
                                BN_BIT(BONSAI_SECTION_LABELS) | BN_BIT(BONSAI_SECTION_SPLIT) |
                                BN_FEATURE_SECTIONS, s.at.threads));
    BN_TRY(sample_nodes(&s));
    BN_TRY(number_classes(&s));
    l.train = s.train;
    l.test = s.test;
    BN_TRY(find_majority(&l.majority, &s));
    BN_TRY(check_work(&s));
    BN_TRY(judge(&l.features_only, &s, 0));
    BN_TRY(judge(&l.two_hops, &s, 2));
    bn_result_fill(out, &l);
done:
    bn_free(s.node);
    bn_free(s.class);
    return rc;
}
