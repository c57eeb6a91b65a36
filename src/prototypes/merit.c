/* merit.c -- the metric that the probe compares small graphs by.
 *
 * Accuracy hides a rare class: on a graph with 2 % of fraud a small graph that has lost all of it
 * scores 98 %.  Where a class is rare and no metric is asked for, the score is therefore the mean
 * of accuracy and balanced accuracy, in which each class counts alike.
 *
 * SPDX-License-Identifier: MIT */
#include "merit.h"

#include <string.h>

#include "options/fields.h"
#include "nn/tally.h"

enum { MOST_ORDERED = 1000 };   /* classes whose scores are kept to be sorted */
enum { RARE = 10, UNEQUAL = 3 };        /* a class is rare below one in so many labelled nodes, and
                                 * below one in so many of an equal share; of more than ten
                                 * classes most are small, and none is the one that matters */

/* ---- which metric ---- */

static bool has_rare_class(const int64_t *count, int64_t classes, int64_t all)
{
    int64_t least = all, live = 0;
    for (int64_t k = 0; k < classes; k++)
        if (count[k] > 0) {
            least = bn_least(least, count[k]);
            live++;
        }
    return live <= RARE && RARE * least < all && UNEQUAL * live * least < all;
}

static bonsai_aim choose(const bn_job *job, int64_t *count, int64_t classes)
{
    if (job->o->metric != BONSAI_AIM_AUTO)
        return job->o->metric;
    memset(count, 0, (size_t)classes * sizeof *count);
    for (int64_t t = 0; t < job->trees && bn_has(job->g, BONSAI_SECTION_LABELS); t++)
        count[bn_label(job->g, job->train[t])]++;
    return has_rare_class(count, classes, job->trees) ? BONSAI_AIM_MIXED : BONSAI_AIM_ACCURACY;
}

static void set_shares(bn_merit *m)
{
    if (m->aim == BONSAI_AIM_MIXED)
        m->share[BONSAI_METRIC_ACCURACY] = m->share[BONSAI_METRIC_BALANCED] = 0.5;
    else
        m->share[m->aim - BONSAI_AIM_ACCURACY] = 1;
    m->orders = m->share[BONSAI_METRIC_AUC] > 0 || m->share[BONSAI_METRIC_AP] > 0 ||
                m->share[BONSAI_METRIC_F1MAX] > 0;
}

/* Fails if the metric sorts nodes by scores and their classes are too few or too many for it. */
static bonsai_status check_order(const bn_merit *m, const bn_job *job, const int64_t *count)
{
    const char *name = m->orders ? bn_metric_words[m->aim - BONSAI_AIM_ACCURACY] : "";
    const int64_t rows = job->judge.far.rows;
    if (!m->orders)
        return BONSAI_OK;
    if (m->aim == BONSAI_AIM_F1MAX && m->classes != 2)
        return bn_fail_at(BONSAI_E_ARGUMENT, job->g->where, "has %lld classes, but the metric %s "
                          "is for two; balanced and f1 are for any number", (long long)m->classes,
                          name);
    if (m->classes > MOST_ORDERED)
        return bn_fail_at(BONSAI_E_ARGUMENT, job->g->where, "has %lld classes; the probe has the "
                          "metric %s for at most %d", (long long)m->classes, name, MOST_ORDERED);
    for (int64_t k = 0; k < m->classes && rows > 0; k++)
        if (count[k] == rows)
            return bn_fail_at(BONSAI_E_ARGUMENT, job->g->where, "all %lld nodes that the probe "
                              "judges on are of class %lld, but the metric %s needs two classes",
                              (long long)rows, (long long)k, name);
    return BONSAI_OK;
}

/* Returns the number of judged nodes that accuracy would need for the standard error of the
 * metric: c^2 / sum of 1/n_k for the mean recall of c classes with n_k nodes. */
static int64_t independent(const bn_merit *m, const int64_t *count, int64_t rows)
{
    double sum = 0;
    int64_t occur = 0;
    if (m->aim == BONSAI_AIM_ACCURACY || rows == 0)
        return rows;
    for (int64_t k = 0; k < m->classes; k++)
        if (count[k] > 0) {
            sum += 1 / (double)count[k];
            occur++;
        }
    const double many = (double)(occur * occur) / sum;
    return many < 1 ? 1 : (int64_t)many;
}

bonsai_status bn_merit_of(bn_merit *m, const bn_job *job)
{
    bonsai_status rc;
    int64_t *count = NULL;
    const int64_t c = job->g->view.classes, rows = job->judge.far.rows;
    *m = (bn_merit){.classes = c, .idle = -1};
    BN_TRY(BN_NEW(&count, c));
    m->aim = choose(job, count, c);
    set_shares(m);
    memset(count, 0, (size_t)c * sizeof *count);
    for (int64_t i = 0; i < rows; i++)
        count[job->judge_label[i]]++;
    m->positive = c == 2 && count[0] >= count[1];
    m->independent = independent(m, count, rows);
    BN_TRY(check_order(m, job, count));
    if (rows == 0)
        goto done;
    m->idle = 0;
    for (int k = 0; k < BONSAI_METRIC_COUNT; k++)
        if (m->share[k] > 0)
            m->idle += m->share[k] * bn_idle((bonsai_metric)k, count, c, m->positive);
done:
    bn_free(count);
    return rc;
}

/* ---- the score ---- */

/* Fills the sort keys of the nodes: of two classes the score of class k less that of the other,
 * of more classes the score of class k. */
static void rank(bn_tally *t, const bn_verdict *v, int64_t k)
{
    for (int64_t r = 0; r < v->rows; r++) {
        const float *s = v->score + r * v->stride;
        t->item[0][r] = bn_rank_key(t->classes == 2 ? s[k] - s[1 - k] : s[k], v->label[r] == k);
    }
}

/* Returns the metric of an order: of two classes the positive one's, else the mean. */
static double order(bonsai_metric metric, const bn_merit *m, bn_tally *t, const bn_verdict *v)
{
    double sum = 0;
    int64_t occur = 0;
    for (int64_t k = 0; k < m->classes; k++) {
        if ((m->classes == 2 && k != m->positive) || t->labels[k] == 0)
            continue;
        rank(t, v, k);
        sum += bn_tally_order(metric, t->item, v->rows);
        occur++;
    }
    return occur ? sum / (double)occur : 0;
}

bonsai_status bn_merit_score(double *percent, const bn_merit *m, const bn_verdict *v)
{
    bonsai_status rc;
    double metric[BONSAI_METRIC_ROOM];
    bn_tally t = {0};
    *percent = 0;
    BN_TRY(bn_tally_new(&t, m->classes, v->rows, m->orders));
    if (v->rows == 0)
        goto done;
    memcpy(t.guess, v->guess, (size_t)v->rows * sizeof *t.guess);
    bn_tally_count(metric, &t, v->label, v->rows);
    for (int k = 0; k < BONSAI_METRIC_COUNT; k++)
        if (m->share[k] > 0)
            *percent += m->share[k] *
                        (k >= BONSAI_METRIC_AUC ? order((bonsai_metric)k, m, &t, v) : metric[k]);
done:
    bn_tally_free(&t);
    return rc;
}
