/* metrics.c -- measures of a network's scores, and of predictions of the caller's.
 *
 * src/nn/tally.c has the formulas.
 *
 * SPDX-License-Identifier: MIT */
#include "metrics.h"
#include "options/options.h"

#include <math.h>

/* ---- scores ---- */

/* Returns the logarithm of the sum of the exponentials of a row. */
static double log_sum(const real *y, int64_t c)
{
    double top = (double)y[0], sum = 0;
    for (int64_t k = 1; k < c; k++)
        top = (double)y[k] > top ? (double)y[k] : top;
    for (int64_t k = 0; k < c; k++)
        sum += exp((double)y[k] - top);
    return top + log(sum);
}

/* Returns the mean over the classes that occur of the average precision of each against all others;
 * nodes are ranked by the probability of the class. */
static double mean_precision(bn_tally *t, const bn_judged *j, const real *scores, int threads)
{
    const int64_t c = t->classes, n = j->count;
    double sum = 0;
    int64_t occur = 0;
#pragma omp parallel for num_threads(bn_team(threads, 16.0 * (double)(n * c))) schedule(static)
    for (int64_t i = 0; i < n; i++)
        t->level[i] = log_sum(scores + j->node[i] * c, c);
    for (int64_t k = 0; k < c; k++) {
        if (t->labels[k] == 0 || t->labels[k] == n)
            continue;
        for (int64_t i = 0; i < n; i++) {
            const double y = (double)scores[j->node[i] * c + k];
            t->item[0][i] = bn_rank_key((float)(y - t->level[i]), j->label[i] == k);
        }
        sum += bn_tally_order(BONSAI_METRIC_AP, t->item, n);
        occur++;
    }
    return occur ? sum / (double)occur : -1;
}

bool bn_measure(double *metric, bn_tally *t, const bn_judged *j, const real *scores, int threads)
{
    int64_t strange = 0, c = t->classes;
    const double work = 2.0 * (double)(j->count * c);
    t->ranked = c == 2;
#pragma omp parallel for num_threads(bn_team(threads, work)) reduction(+:strange)
    for (int64_t i = 0; i < j->count; i++) {
        const real *y = scores + j->node[i] * c;
        int64_t best = 0;
        for (int64_t k = 1; k < c; k++)
            best = y[k] > y[best] ? k : best;
        t->guess[i] = (int32_t)best;
        strange += !isfinite(y[best]);
        if (t->ranked) {
            t->item[0][i] = bn_rank_key((float)(y[1] - y[0]), j->label[i] == 1);
            strange += isnan(y[1]) != 0;
        }
    }
    if (strange)
        return false;
    bn_tally_count(metric, t, j->label, j->count);
    if (t->each)
        metric[BONSAI_METRIC_AP] = mean_precision(t, j, scores, threads);
    return true;
}

/* ---- the nodes ---- */

bonsai_status bn_judged_list(bn_judged *j, const bonsai_graph *g, bonsai_part part)
{
    bonsai_status rc;
    int64_t n = g->view.nodes, found = 0;
    for (int64_t v = 0; v < n; v++)
        found += bn_part(g, v) == part && bn_label(g, v) >= 0;
    BN_TRY(BN_NEW(&j->node, found));
    BN_TRY(BN_NEW(&j->label, found));
    for (int64_t v = 0; v < n; v++)
        if (bn_part(g, v) == part && bn_label(g, v) >= 0) {
            j->node[j->count] = (int32_t)v;
            j->label[j->count++] = bn_label(g, v);
        }
done:
    return rc;
}

void bn_judged_free(bn_judged *j)
{
    bn_free(j->node);
    bn_free(j->label);
}

int bn_rarer(const bonsai_graph *g)
{
    int64_t count[2] = {0};
    for (int64_t v = 0; v < g->view.nodes; v++) {
        const int32_t label = bn_label(g, v);
        if (label == 0 || label == 1)
            count[label]++;
    }
    return count[0] >= count[1];
}

/* ---- predictions of the caller's ---- */

/* Checks predictions; classes: one more than the highest class of a label or a prediction. */
static bonsai_status check_guesses(int64_t *classes, const bn_judged *j, const bonsai_graph *g,
                                   const int32_t *guess)
{
    *classes = g->view.classes;
    for (int64_t i = 0; i < j->count; i++) {
        const int32_t k = guess[j->node[i]];
        if (k < 0)
            return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "the class %d that is predicted for "
                              "node %d is negative", (int)k, (int)j->node[i]);
        *classes = k >= *classes ? (int64_t)k + 1 : *classes;
    }
    return BONSAI_OK;
}

/* Fills the items of the tally with margins, those of the scores, which follow from the ratio of
 * the probabilities.  Returns the place of the first pair that are not probabilities, or -1. */
static int64_t rank(bn_tally *t, const bn_judged *j, const float *probabilities)
{
    for (int64_t i = 0; i < j->count; i++) {
        const float *p = probabilities + 2 * (int64_t)j->node[i];
        const double margin = log((double)p[1]) - log((double)p[0]);
        if (isnan(margin))
            return i;
        t->item[0][i] = bn_rank_key((float)margin, j->label[i] == 1);
    }
    t->ranked = true;
    return -1;
}

static bonsai_status rank_all(bn_tally *t, const bn_judged *j, const bonsai_graph *g,
                              const float *probabilities)
{
    const int64_t bad = rank(t, j, probabilities);
    if (bad < 0)
        return BONSAI_OK;
    const float *p = probabilities + 2 * (int64_t)j->node[bad];
    return bn_fail_at(BONSAI_E_ARGUMENT, g->where, "%g and %g, predicted for node %d, are not "
                      "probabilities", (double)p[0], (double)p[1], (int)j->node[bad]);
}

/* Finds the threshold of F1 that is best for the validation nodes; UINT64_MAX: not known. */
static bonsai_status find_cut(uint64_t *cut, const bonsai_graph *g, const float *probabilities)
{
    bonsai_status rc;
    double unused[BONSAI_METRIC_ROOM];
    bn_judged val = {0};
    bn_tally t = {0};
    BN_TRY(bn_judged_list(&val, g, BONSAI_PART_VAL));
    BN_TRY(bn_tally_new(&t, 2, val.count, false));
    t.positive = bn_rarer(g);
    t.finds = true;
    rank(&t, &val, probabilities);
    bn_tally_count(unused, &t, val.label, val.count);
    *cut = t.cut;
done:
    bn_tally_free(&t);
    bn_judged_free(&val);
    return rc;
}

bonsai_status bonsai_judge(bonsai_measures *out, double *recall, const bonsai_graph *g,
                           bonsai_part part, const int32_t *classes, const float *probabilities)
{
    bonsai_status rc;
    bonsai_measures found = {.size = sizeof found};
    bn_judged j = {0};
    bn_tally t = {0};
    int64_t most;
    if (bn_is_null(out, "out") || bn_is_null(g, "the graph") || bn_is_null(classes, "the classes"))
        return BONSAI_E_ARGUMENT;
    if ((unsigned)part > BONSAI_PART_TEST)
        return bn_fail(BONSAI_E_ARGUMENT, "part %d is not known", (int)part);
    BN_TRY(bn_result_check(out, "bonsai_measures"));
    BN_TRY(bn_graph_need(g, 1u << BONSAI_SECTION_LABELS | 1u << BONSAI_SECTION_SPLIT, 1));
    BN_TRY(bn_judged_list(&j, g, part));
    BN_TRY(check_guesses(&most, &j, g, classes));
    BN_TRY(bn_tally_new(&t, most, j.count, false));
    for (int64_t i = 0; i < j.count; i++)
        t.guess[i] = classes[j.node[i]];
    if (probabilities && most == 2) {
        BN_TRY(rank_all(&t, &j, g, probabilities));
        BN_TRY(find_cut(&t.cut, g, probabilities));
        t.positive = bn_rarer(g);
    }
    bn_tally_count(found.metric, &t, j.label, j.count);
    found.nodes = j.count;
    for (int64_t k = 0; k < most; k++)
        found.right += t.right[k];
    for (int64_t k = 0; recall && k < g->view.classes; k++)
        recall[k] = bn_recall(&t, k);
    bn_result_fill(out, &found);
done:
    bn_tally_free(&t);
    bn_judged_free(&j);
    return rc;
}

/* ---- classes that are lost ---- */

static const double most_apart = 40;    /* points between recalls that are still similar */
static const double most_more = 5;   /* points that balanced accuracy may lose more than accuracy */

/* Returns how many points the small graph's model loses; 0: not known. */
static double loses(bonsai_metric m, const double *small, const double *full)
{
    return small[m] >= 0 && full[m] >= 0 ? full[m] - small[m] : 0;
}

int64_t bonsai_judge_lost(const double *recall, int64_t classes, const double *small,
                          const double *full)
{
    double least = INFINITY, most = -INFINITY;
    int64_t lost = -1;
    for (int64_t k = 0; k < classes; k++) {
        if (!(recall[k] >= 0))
            continue;
        if (recall[k] < least)
            lost = k;
        least = fmin(least, recall[k]);
        most = fmax(most, recall[k]);
    }
    const double hidden = full ? loses(BONSAI_METRIC_BALANCED, small, full) -
                                     loses(BONSAI_METRIC_ACCURACY, small, full) : 0;
    return most - least > most_apart || hidden > most_more ? lost : -1;
}
