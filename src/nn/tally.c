/* tally.c -- predictions counted against labels: accuracy, F1, the area under the ROC curve, ...
 *
 * A measure is a row of the table: its name for people, and its formula over what was counted.
 * Conventions are those of scikit-learn.  Balanced accuracy is the mean recall of the classes that
 * occur among the labels, macro F1 the mean over those that occur among labels or predictions.
 *
 * The area under the curve is the share of pairs of a node of class 1 and one of class 0 in which
 * the first has the higher margin, ties counting half.  Average precision is the mean over the
 * positive nodes of the precision among all nodes that score as high.  Margins are sorted as whole
 * numbers, in three passes; all counts are whole, so that threads and their order change nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "tally.h"

#include <math.h>
#include <string.h>

#include "options/fields.h"

static double percent(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : -1;
}

/* ---- of counts ---- */

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

/* ---- of an order ---- */

uint64_t bn_rank_key(float score, bool flag)
{
    uint32_t bits;
    score += 0.0f;
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 1u << 31;
    return (uint64_t)bits << 1 | (uint64_t)flag;
}

/* Sorts the items by all their 33 bits, smallest first, in three passes over 11 bits each. */
static const uint64_t *sorted(uint64_t *const item[2], int64_t n)
{
    enum { BITS = 11, VALUES = 1 << BITS, PASSES = 3 };
    uint64_t *from = item[0], *to = item[1];
    for (int pass = 0; pass < PASSES; pass++) {
        int64_t start[VALUES + 1] = {0};
        const int shift = pass * BITS;
        for (int64_t i = 0; i < n; i++)
            start[1 + (from[i] >> shift & (VALUES - 1))]++;
        for (int v = 0; v < VALUES; v++)
            start[v + 1] += start[v];
        for (int64_t i = 0; i < n; i++)
            to[start[from[i] >> shift & (VALUES - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

typedef struct {                /* sorted items, from the most positive end */
    const uint64_t *item;
    int64_t n, at;              /* at: items passed */
    int     positive;           /* the flag of positive items; 0: they have the lowest margins */
    int64_t hits;               /* positive ones among those passed */
    uint64_t margin;            /* of the last group */
} ladder;

static uint64_t item_at(const ladder *l, int64_t i)
{
    return l->item[l->positive ? l->n - 1 - i : i];
}

/* Passes the next items, all of one margin, and returns the positive ones among them. */
static int64_t pass(ladder *l)
{
    int64_t hits = 0;
    l->margin = item_at(l, l->at) >> 1;
    for (; l->at < l->n && item_at(l, l->at) >> 1 == l->margin; l->at++)
        hits += (int)(item_at(l, l->at) & 1) == l->positive;
    l->hits += hits;
    return hits;
}

static double area(ladder l, int64_t all)
{
    int64_t twice = 0;          /* pairs, a tie counting 1 */
    while (l.at < l.n) {
        const int64_t before = l.at - l.hits, hits = pass(&l), others = l.at - l.hits - before;
        twice += hits * (2 * (l.n - all - before) - others);
    }
    return percent((double)twice, 2.0 * (double)all * (double)(l.n - all));
}

static double precision(ladder l, int64_t all)
{
    double sum = 0;
    while (l.at < l.n) {
        const int64_t hits = pass(&l);
        sum += (double)hits * ((double)l.hits / (double)l.at);
    }
    return percent(sum, (double)all);
}

/* Returns the highest F1 of calling all positive from some margin on; *cut: that margin. */
static double best_f1(uint64_t *cut, ladder l, int64_t all)
{
    double best = -1;
    while (l.at < l.n) {
        pass(&l);
        const double f1 = percent(2.0 * (double)l.hits, (double)(l.at + all));
        if (f1 > best) {
            best = f1;
            *cut = l.margin;
        }
    }
    return best;
}

static double f1_at(uint64_t cut, const ladder *l, int64_t all)
{
    int64_t called = 0, hits = 0;
    for (int64_t i = 0; i < l->n; i++) {
        const uint64_t margin = l->item[i] >> 1;
        if (l->positive ? margin >= cut : margin <= cut) {
            called++;
            hits += (int)(l->item[i] & 1) == l->positive;
        }
    }
    return percent(2.0 * (double)hits, (double)(called + all));
}

double bn_tally_order(bonsai_metric m, uint64_t *const item[2], int64_t n)
{
    uint64_t unused;
    int64_t all = 0;
    for (int64_t i = 0; i < n; i++)
        all += (int64_t)(item[0][i] & 1);
    if (all == 0 || all == n)
        return -1;
    const ladder l = {.item = sorted(item, n), .n = n, .positive = 1};
    return m == BONSAI_METRIC_AUC  ? area(l, all)
           : m == BONSAI_METRIC_AP ? precision(l, all)
                                   : best_f1(&unused, l, all);
}

/* Fills the metrics of the margins of two classes. */
static void measure_order(double *metric, bn_tally *t)
{
    const int p = t->positive;
    if (t->finds)
        t->cut = UINT64_MAX;
    if (!t->ranked || t->labels[0] == 0 || t->labels[1] == 0)
        return;
    ladder l = {.item = sorted(t->item, t->nodes), .n = t->nodes, .positive = 1};
    metric[BONSAI_METRIC_AUC] = area(l, t->labels[1]);
    l.positive = p;
    metric[BONSAI_METRIC_AP] = precision(l, t->labels[p]);
    if (t->finds)
        metric[BONSAI_METRIC_F1MAX] = best_f1(&t->cut, l, t->labels[p]);
    else if (t->cut != UINT64_MAX)
        metric[BONSAI_METRIC_F1MAX] = f1_at(t->cut, &l, t->labels[p]);
}

/* ---- the table ---- */

static const struct {
    const char *text;
    double    (*value)(bn_tally *t);    /* NULL: measure_order fills it */
} table[BONSAI_METRIC_COUNT] = {
    [BONSAI_METRIC_ACCURACY] = {"accuracy", accuracy},
    [BONSAI_METRIC_BALANCED] = {"balanced accuracy", balanced},
    [BONSAI_METRIC_F1] = {"macro F1", macro_f1},
    [BONSAI_METRIC_AUC] = {"ROC AUC", NULL},
    [BONSAI_METRIC_AP] = {"average precision", NULL},
    [BONSAI_METRIC_F1MAX] = {"F1 at the best threshold", NULL},
};

const char *bonsai_metric_name(bonsai_metric m)
{
    return (unsigned)m < BONSAI_METRIC_COUNT ? bn_metric_words[m] : NULL;
}

const char *bonsai_metric_text(bonsai_metric m)
{
    return (unsigned)m < BONSAI_METRIC_COUNT ? table[m].text : NULL;
}

double bn_idle(bonsai_metric m, const int64_t *labels, int64_t classes, int positive)
{
    int64_t n = 0, most = 0, occur = 0;
    for (int64_t k = 0; k < classes; k++) {
        n += labels[k];
        most = labels[k] > most ? labels[k] : most;
        occur += labels[k] > 0;
    }
    if (n == 0)
        return -1;
    const double all = (double)n;
    const double of = classes == 2 ? (double)labels[positive] : all / (double)occur;
    switch (m) {
    case BONSAI_METRIC_BALANCED:
        return 100.0 / (double)occur;
    case BONSAI_METRIC_F1:
        return percent(2.0 * (double)most, all + (double)most) / (double)occur;
    case BONSAI_METRIC_AUC:
        return 50;
    case BONSAI_METRIC_AP:
        return percent(of, all);
    case BONSAI_METRIC_F1MAX:
        return percent(2 * of, all + of);
    default:
        return percent((double)most, all);
    }
}

/* ---- counting ---- */

bonsai_status bn_tally_new(bn_tally *t, int64_t classes, int64_t nodes, bool each)
{
    bonsai_status rc;
    t->classes = classes;
    t->each = each && classes > 2;
    t->positive = 1;
    t->cut = UINT64_MAX;
    BN_TRY(BN_NEW(&t->labels, 3 * classes));
    BN_TRY(BN_NEW(&t->guess, nodes));
    if (classes == 2 || t->each)
        BN_TRY(BN_NEW(&t->item[0], 2 * nodes));
    if (t->each)
        BN_TRY(BN_NEW(&t->level, nodes));
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
    bn_free(t->level);
}

void bn_tally_count(double *metric, bn_tally *t, const int32_t *label, int64_t nodes)
{
    t->nodes = nodes;
    memset(t->labels, 0, 3 * (size_t)t->classes * sizeof *t->labels);
    for (int64_t i = 0; i < nodes; i++) {
        t->labels[label[i]]++;
        t->guesses[t->guess[i]]++;
        t->right[label[i]] += label[i] == t->guess[i];
    }
    for (int m = 0; m < BONSAI_METRIC_ROOM; m++)
        metric[m] = m < BONSAI_METRIC_COUNT && table[m].value ? table[m].value(t) : -1;
    measure_order(metric, t);
}
