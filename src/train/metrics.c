/* metrics.c -- accuracy, balanced accuracy, macro F1 and the area under the ROC curve.
 *
 * A measure is a row of the table: its name for people, and its formula over what was counted.
 * Conventions are those of scikit-learn.  Balanced accuracy is the mean recall of the classes that
 * occur among the labels, macro F1 the mean over those that occur among labels or predictions.
 *
 * The area under the curve is the share of pairs of a node of class 1 and one of class 0 in which
 * the first has the higher margin, ties counting half.  Margins are sorted as whole numbers, in
 * three passes; all counts are whole, so that threads and their order change nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "metrics.h"

#include <math.h>
#include <string.h>

#include "base/fields.h"

/* ---- the table ---- */

static double percent(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : -1;
}

static double accuracy(bn_tally *t)
{
    int64_t right = 0;
    for (int64_t k = 0; k < t->classes; k++)
        right += t->right[k];
    return percent((double)right, (double)t->nodes);
}

double bn_recall(const bn_tally *t, int64_t k)
{
    return percent((double)t->right[k], (double)t->labels[k]);
}

static double balanced(bn_tally *t)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < t->classes; k++)
        if (t->labels[k] > 0) {
            sum += bn_recall(t, k);
            count++;
        }
    return count ? sum / (double)count : -1;
}

static double macro_f1(bn_tally *t)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < t->classes; k++)
        if (t->labels[k] + t->guesses[k] > 0) {
            sum += percent(2.0 * (double)t->right[k], (double)(t->labels[k] + t->guesses[k]));
            count++;
        }
    return count ? sum / (double)count : -1;
}

/* By all their 33 bits, smallest first: three passes over 11 bits each. */
static const uint64_t *sorted(bn_tally *t)
{
    enum { BITS = 11, VALUES = 1 << BITS, PASSES = 3 };
    uint64_t *from = t->item[0], *to = t->item[1];
    for (int pass = 0; pass < PASSES; pass++) {
        int64_t start[VALUES + 1] = {0};
        const int shift = pass * BITS;
        for (int64_t i = 0; i < t->nodes; i++)
            start[1 + (from[i] >> shift & (VALUES - 1))]++;
        for (int v = 0; v < VALUES; v++)
            start[v + 1] += start[v];
        for (int64_t i = 0; i < t->nodes; i++)
            to[start[from[i] >> shift & (VALUES - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static double area(bn_tally *t)
{
    int64_t below = 0, twice = 0;               /* of class 0; pairs, a tie counting 1 */
    if (!t->ranked || t->labels[0] == 0 || t->labels[1] == 0)
        return -1;
    const uint64_t *item = sorted(t);
    for (int64_t i = 0, count[2]; i < t->nodes; below += count[0]) {
        const uint64_t margin = item[i] >> 1;
        count[0] = count[1] = 0;
        for (; i < t->nodes && item[i] >> 1 == margin; i++)
            count[item[i] & 1]++;
        twice += count[1] * (2 * below + count[0]);
    }
    return percent((double)twice, 2.0 * (double)t->labels[0] * (double)t->labels[1]);
}

static const struct {
    const char *text;
    double    (*value)(bn_tally *t);
} table[BONSAI_METRIC_COUNT] = {
    [BONSAI_METRIC_ACCURACY] = {"accuracy", accuracy},
    [BONSAI_METRIC_BALANCED] = {"balanced accuracy", balanced},
    [BONSAI_METRIC_F1] = {"macro F1", macro_f1},
    [BONSAI_METRIC_AUC] = {"ROC AUC", area},
};

const char *bonsai_metric_name(bonsai_metric m)
{
    return (unsigned)m < BONSAI_METRIC_COUNT ? bn_metric_words[m] : NULL;
}

const char *bonsai_metric_text(bonsai_metric m)
{
    return (unsigned)m < BONSAI_METRIC_COUNT ? table[m].text : NULL;
}

/* ---- counting ---- */

bonsai_status bn_tally_new(bn_tally *t, int64_t classes, int64_t nodes)
{
    bonsai_status rc;
    t->classes = classes;
    BN_TRY(BN_NEW(&t->labels, 3 * classes));
    BN_TRY(BN_NEW(&t->guess, nodes));
    if (classes == 2)
        BN_TRY(BN_NEW(&t->item[0], 2 * nodes));
    t->guesses = t->labels + classes;
    t->right = t->guesses + classes;
    t->item[1] = t->item[0] ? t->item[0] + nodes : NULL;
done:
    return rc;
}

void bn_tally_free(bn_tally *t)
{
    bn_free(t->labels);
    bn_free(t->guess);
    bn_free(t->item[0]);
}

/* The bits of a float as a whole number of the same order; the zeros are equal. */
static uint64_t ranked(float margin, int32_t label)
{
    uint32_t bits;
    margin += 0.0f;
    memcpy(&bits, &margin, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 1u << 31;
    return (uint64_t)bits << 1 | (uint64_t)label;
}

static void count(double *metric, bn_tally *t, const bn_judged *j)
{
    t->nodes = j->count;
    memset(t->labels, 0, 3 * (size_t)t->classes * sizeof *t->labels);
    for (int64_t i = 0; i < j->count; i++) {
        t->labels[j->label[i]]++;
        t->guesses[t->guess[i]]++;
        t->right[j->label[i]] += j->label[i] == t->guess[i];
    }
    for (int m = 0; m < BONSAI_METRIC_ROOM; m++)
        metric[m] = m < BONSAI_METRIC_COUNT ? table[m].value(t) : -1;
}

bool bn_measure(double *metric, bn_tally *t, const bn_judged *j, const real *scores, int threads)
{
    int64_t strange = 0, c = t->classes;
    const double work = 2.0 * (double)(j->count * c);
    t->ranked = t->item[0] != NULL;
#pragma omp parallel for num_threads(bn_team(threads, work)) reduction(+:strange)
    for (int64_t i = 0; i < j->count; i++) {
        const real *y = scores + j->node[i] * c;
        int64_t best = 0;
        for (int64_t k = 1; k < c; k++)
            best = y[k] > y[best] ? k : best;
        t->guess[i] = (int32_t)best;
        strange += !isfinite(y[best]);
        if (t->ranked) {
            t->item[0][i] = ranked((float)(y[1] - y[0]), j->label[i]);
            strange += isnan(y[1]) != 0;
        }
    }
    if (strange)
        return false;
    count(metric, t, j);
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

/* ---- predictions of the caller's ---- */

/* *classes: one more than the highest class of a label or a prediction. */
static bonsai_status check_guesses(int64_t *classes, const bn_judged *j, const bonsai_graph *g,
                                   const int32_t *guess)
{
    *classes = g->view.classes;
    for (int64_t i = 0; i < j->count; i++) {
        const int32_t k = guess[j->node[i]];
        if (k < 0)
            return bn_fail(BONSAI_E_ARGUMENT, "%s: the class %d that is predicted for node %d is "
                           "negative", g->where, (int)k, (int)j->node[i]);
        *classes = k >= *classes ? (int64_t)k + 1 : *classes;
    }
    return BONSAI_OK;
}

/* The margins are those of the scores, which the probabilities' ratio gives back. */
static bonsai_status rank(bn_tally *t, const bn_judged *j, const bonsai_graph *g,
                          const float *probabilities)
{
    for (int64_t i = 0; i < j->count; i++) {
        const float *p = probabilities + 2 * (int64_t)j->node[i];
        const double margin = log((double)p[1]) - log((double)p[0]);
        if (isnan(margin))
            return bn_fail(BONSAI_E_ARGUMENT, "%s: %g and %g, predicted for node %d, are no "
                           "probabilities", g->where, (double)p[0], (double)p[1], (int)j->node[i]);
        t->item[0][i] = ranked((float)margin, j->label[i]);
    }
    t->ranked = true;
    return BONSAI_OK;
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
    BN_TRY(bn_tally_new(&t, most, j.count));
    for (int64_t i = 0; i < j.count; i++)
        t.guess[i] = classes[j.node[i]];
    if (probabilities && most == 2)
        BN_TRY(rank(&t, &j, g, probabilities));
    count(found.metric, &t, &j);
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

static const double most_apart = 40;    /* points between recalls that are still alike */
static const double most_more = 5;      /* ... that balanced accuracy may lose more than accuracy */

/* How many points the small graph's model loses; 0: not known. */
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
