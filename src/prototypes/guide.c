/* guide.c -- linear classifiers of nodes' own rows and of averaged ones: what tells classes apart.
 *
 * The weights of ridge regression are the discriminants (S + l)^-1 (m_k - m), S and m being the
 * covariance and the mean of the rows and m_k the mean of a class.  How much l is right differs from
 * graph to graph: the one whose classifier is right about most of the judged nodes is taken.  Large
 * systems are solved by conjugate gradients on the rows, each from where the one before ended.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "basis.h"

enum { WAYS = 4, USUAL = 1, MOST_STEPS = 60, LEAST_STEPS = 15, STEPS_AGAIN = 12 };
static const double most_of_a_step = 2e9, usual_step = 4e8;     /* products */
static const double grid[WAYS] = {1e-2, 1e-3, 1e-4, 1e-5};
static const double enough = 1e-4;      /* of a squared residual: directions no longer turn */

void bn_guide_free(bn_guide *g)
{
    for (int v = 0; v < BN_GUIDES; v++) {
        bn_embedding_free(&g->rows[v]);
        bn_free(g->w[v]);
        bn_free(g->rate[v]);
        bn_free(g->label[v]);
    }
    bn_free(g->mean);
    bn_free(g->live);
    memset(g, 0, sizeof *g);
}

/* ---- which lambda ---- */

/* How many of the judged rows each of the fit's lambdas has right. */
static bonsai_status count_right(int64_t *right, const bn_fit *q, const bn_embedding *judged,
                                 const int32_t *label)
{
    bonsai_status rc;
    bn_scorer scorer = {0};
    float *score = NULL;
    BN_TRY(bn_scorer_new(&scorer, q));
    BN_TRY(BN_NEW(&score, judged->rows * q->k));
    const double work = bn_numbers(judged, judged->rows) * (double)q->k / 4;
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(static)
    for (int64_t i = 0; i < judged->rows; i += BN_FIT_BLOCK)
        bn_score_rows(score + i * q->k, &scorer, judged, i, bn_least(BN_FIT_BLOCK, judged->rows - i));
    for (int64_t i = 0; i < judged->rows * q->ways; i++) {
        const float *s = score + i * q->c;
        int64_t best = 0;
        for (int64_t j = 1; j < q->c; j++)
            best = s[j] > s[best] ? j : best;
        right[i % q->ways] += best == label[i / q->ways];
    }
done:
    bn_scorer_free(&scorer);
    bn_free(score);
    return rc;
}

static void copy_way(float *w, const bn_fit *q, int way)
{
    for (int64_t j = 0; j < q->x->f; j++)
        memcpy(w + j * q->c, q->w + j * q->k + way * q->c, (size_t)q->c * sizeof *w);
}

/* All lambdas of a small system at once. */
static bonsai_status fit_at_once(bn_guide *g, int view, const bn_embedding *judged,
                                 const int32_t *label)
{
    bonsai_status rc;
    int64_t right[WAYS] = {0};
    int best = USUAL;
    bn_fit q = {.x = &g->rows[view], .n = g->rows[view].rows, .c = g->classes, .lambda = grid,
                .ways = WAYS, .threads = g->threads};
    BN_TRY(bn_fit_rows(&q, &(bn_labels){.label = g->label[view]}));
    BN_TRY(bn_fit_direct(&q));
    BN_TRY(count_right(right, &q, judged, label));
    for (int w = 0; w < WAYS && judged->rows > 0; w++)
        best = w == 0 || right[w] > right[best] ? w : best;
    copy_way(g->w[view], &q, best);
    g->lambda[view] = grid[best];
done:
    bn_fit_free(&q);
    return rc;
}

typedef struct {                /* a large system, looked at while it is solved */
    bn_guide *g;
    int view;
    bn_fit *q;
    const bn_embedding *judged;
    const int32_t *label;
    int64_t most;
    bonsai_status rc;
} watch;

/* Keeps the weights that are right about most; ends when they get worse. */
static bool look(int way, void *payload)
{
    watch *k = payload;
    int64_t right = 0;
    k->q->ways = 1;
    k->rc = count_right(&right, k->q, k->judged, k->label);
    if (k->rc != BONSAI_OK || right < k->most)
        return true;
    k->most = right;
    k->g->lambda[k->view] = grid[way];
    copy_way(k->g->w[k->view], k->q, 0);
    return false;
}

/* One lambda after the other. */
static bonsai_status fit_in_turn(bn_guide *g, int view, const bn_embedding *judged,
                                 const int32_t *label, bn_progress p)
{
    bonsai_status rc;
    const bool looks = judged->rows > 0;
    watch k = {.g = g, .view = view, .judged = judged, .label = label, .most = -1};
    bn_fit q = {.x = &g->rows[view], .n = g->rows[view].rows, .c = g->classes,
                .lambda = looks ? grid : &grid[USUAL], .ways = looks ? WAYS : 1,
                .threads = g->threads, .steps = g->steps[view], .enough = enough,
                .look = looks ? look : NULL,
                .payload = &k};
    k.q = &q;
    g->lambda[view] = grid[USUAL];
    BN_TRY(bn_fit_labels(&q, g->label[view], p));
    BN_TRY(k.rc);
    if (!looks)
        copy_way(g->w[view], &q, 0);
done:
    bn_fit_free(&q);
    return rc;
}

static bonsai_status fit_view(bn_guide *g, int view, const bn_job *job, bn_progress p)
{
    const bn_embedding *judged = view == BN_GUIDE_OWN ? &job->judge.own : &job->judge.far;
    bonsai_status rc = BN_NEW(&g->w[view], g->f * g->classes);
    if (rc != BONSAI_OK)
        return rc;
    if (bn_least(g->rows[view].rows, g->f + 1) <= BN_FIT_DIRECT)
        return fit_at_once(g, view, judged, job->judge_label);
    return fit_in_turn(g, view, judged, job->judge_label, p);
}

/* ---- what columns are worth ---- */

/* The mean and the variance of each column. */
static void measure_columns(double *sum, double *out, const bn_embedding *x)
{
    const double n = (double)x->rows;
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t end = x->dense ? x->f : x->offsets[i + 1];
        for (int64_t e = x->dense ? 0 : x->offsets[i]; e < end; e++) {
            int64_t j = x->dense ? e : x->index[e];
            double v = x->dense ? (double)x->dense[i * x->f + j] : (double)x->value[e];
            sum[j] += v;
            out[j] += v * v;
        }
    }
    for (int64_t j = 0; j < x->f; j++) {
        double mean = sum[j] / n, variance = out[j] / n - mean * mean;
        sum[j] = mean;
        out[j] = variance > 0 ? variance : 0;
    }
}

/* Their variance times what classes differ by in the weights, as shares of the whole. */
static bonsai_status rate_columns(bn_guide *g, int view)
{
    bonsai_status rc;
    double total = 0, *common = NULL;
    BN_TRY(BN_NEW(&g->rate[view], g->f));
    BN_TRY(BN_NEW(&common, g->f));
    measure_columns(common, g->rate[view], &g->rows[view]);
    for (int64_t j = 0; j < g->f; j++) {
        const float *w = g->w[view] + j * g->classes;
        double mean = 0, squares = 0;
        for (int64_t k = 0; k < g->lives; k++)
            mean += (double)w[g->live[k]] / (double)g->lives;
        for (int64_t k = 0; k < g->lives; k++)
            squares += ((double)w[g->live[k]] - mean) * ((double)w[g->live[k]] - mean);
        g->rate[view][j] *= squares;
        total += g->rate[view][j];
    }
    for (int64_t j = 0; j < g->f && total > 0; j++)
        g->rate[view][j] /= total;
    bn_free(g->mean);                           /* of the last view */
    g->mean = common;
    common = NULL;
done:
    bn_free(common);
    return rc;
}

/* ---- all of it ---- */

static bonsai_status learn(bn_guide *g, const bn_job *job, bn_progress p)
{
    bonsai_status rc = BONSAI_OK;
    for (int v = 0; v < BN_GUIDES; v++) {
        BN_TRY(fit_view(g, v, job, p));
        BN_TRY(rate_columns(g, v));
    }
done:
    return rc;
}

static bonsai_status list_classes(bn_guide *g, const bn_source *s)
{
    bonsai_status rc = BN_NEW(&g->live, s->classes);
    for (int64_t k = 0; rc == BONSAI_OK && k < s->classes; k++)
        if (s->have[k] > 0)
            g->live[g->lives++] = (int32_t)k;
    return rc;
}

/* Returns the steps for each lambda: fewer if each takes long. */
static int steps_of(const bn_sharded *x, int64_t rows, int64_t classes)
{
    const double work = (double)rows * x->length * (double)classes;
    return (int)fmax(fmin(MOST_STEPS * usual_step / fmax(work, 1), MOST_STEPS), LEAST_STEPS);
}

bonsai_status bn_guide_make(bn_guide *out, const bn_source *s, const bn_job *job,
                            const bn_place *at)
{
    bonsai_status rc;
    static const int of[BN_GUIDES] = {[BN_GUIDE_OWN] = BN_OWN, [BN_GUIDE_FAR] = BN_FAR};
    *out = (bn_guide){.f = s->view[BN_FAR]->e->f, .classes = s->classes,
                      .threads = bn_threads(at->threads)};
    for (int v = 0; v < BN_GUIDES; v++) {
        const int64_t count = bn_rows_to_fit(s->view[of[v]], s->classes, most_of_a_step);
        out->steps[v] = steps_of(s->view[of[v]], count, s->classes);
        BN_TRY(bn_rows_some(&out->rows[v], &out->label[v], s->view[of[v]], s->label, count));
    }
    BN_TRY(bn_agree(at->world, list_classes(out, s)));
    BN_TRY(bn_agree(at->world, learn(out, job, at->progress)));
    for (int v = 0; v < BN_GUIDES; v++) {       /* those of rank 0, as posteriors are */
        BN_TRY(bn_share(at->world, out->w[v], out->f * out->classes * (int64_t)sizeof *out->w[v], 0));
        BN_TRY(bn_share(at->world, out->rate[v], out->f * (int64_t)sizeof *out->rate[v], 0));
    }
    BN_TRY(bn_share(at->world, out->mean, out->f * (int64_t)sizeof *out->mean, 0));
done:
    if (rc != BONSAI_OK)
        bn_guide_free(out);
    return rc;
}

/* ---- some columns ---- */

/* The rows of x in some columns, which ascend. */
static bonsai_status take_columns(bn_embedding *out, const bn_embedding *x, const int32_t *column,
                                  int64_t columns)
{
    bonsai_status rc;
    int32_t *place = NULL;
    int64_t at = 0;
    *out = (bn_embedding){.rows = x->rows, .f = columns};
    if (x->dense) {
        BN_TRY(BN_BIG(&out->dense, NULL, x->rows * columns));
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t j = 0; j < columns; j++)
                out->dense[i * columns + j] = x->dense[i * x->f + column[j]];
        return BONSAI_OK;
    }
    BN_TRY(BN_NEW(&place, x->f));
    for (int64_t j = 0; j < columns; j++)
        place[column[j]] = (int32_t)(j + 1);
    BN_TRY(BN_BIG(&out->offsets, NULL, x->rows + 1));
    BN_TRY(BN_BIG(&out->index, NULL, x->offsets[x->rows]));
    BN_TRY(BN_BIG(&out->value, NULL, x->offsets[x->rows]));
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++)
            if (place[x->index[e]] > 0) {
                out->index[at] = place[x->index[e]] - 1;
                out->value[at++] = x->value[e];
            }
        out->offsets[i + 1] = at;
    }
done:
    bn_free(place);
    return rc;
}

/* Fits some columns, starting from the weights of all columns, so that a few steps suffice. */
static bonsai_status refit(float *w, const bn_guide *g, int view, const int32_t *column,
                           int64_t columns, bn_progress p)
{
    bonsai_status rc;
    bn_embedding some = {0};
    float *start = NULL;
    bn_fit q = {.x = &some, .n = g->rows[view].rows, .c = g->classes, .lambda = &g->lambda[view],
                .ways = 1, .threads = g->threads, .steps = STEPS_AGAIN, .enough = enough};
    BN_TRY(take_columns(&some, &g->rows[view], column, columns));
    BN_TRY(BN_NEW(&start, columns * g->classes));
    for (int64_t j = 0; j < columns; j++)
        memcpy(start + j * g->classes, g->w[view] + column[j] * g->classes,
               (size_t)g->classes * sizeof *start);
    q.start = start;
    BN_TRY(bn_fit_labels(&q, g->label[view], p));
    copy_way(w, &q, 0);
done:
    bn_fit_free(&q);
    bn_free(start);
    bn_embedding_free(&some);
    return rc;
}

bonsai_status bn_guide_refit(float *w, const bn_guide *g, int view, const int32_t *column,
                             int64_t columns, const bn_place *at)
{
    bonsai_status rc = refit(w, g, view, column, columns, at->progress);
    BN_TRY(bn_agree(at->world, rc));
    BN_TRY(bn_share(at->world, w, columns * g->classes * (int64_t)sizeof *w, 0));
done:
    return rc;
}
