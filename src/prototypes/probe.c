/* probe.c -- ridge regression as the judge of candidates.
 *
 * Candidates are compared by what two classifiers fitted on their points alone (fit.c) get right
 * among validation nodes, or by another metric of these (merit.c), behind a hidden layer of random
 * weights (randomlayer.c):
 *
 *   near  a node's own row and the mean of its neighbours' beside it, as GraphSAGE has them
 *   far   rows averaged over closed neighbourhoods, much as GCN, GAT and GIN have them
 *
 * each the mean over a few lambdas.  The best of the lambdas would be too kind to candidates that
 * only one of them can use, and that no network learns from.  The mean of both views ranks
 * candidates as trained networks do; either alone is far off on some graphs (doc/algorithm.md).
 *
 * SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "randomlayer.h"
#include "judge.h"
#include "merit.h"

enum { STRETCH = 16, SCORES = 1 << 24 };        /* blocks judged at a time, and their scores */
enum { WAYS = 3, LONG_ROW = 1024 };
static const double most_to_fit = 4e9;          /* products of a fit that lasts no second */
static const double grid[WAYS] = {1, 0.1, 0.01};        /* over the number of points */

struct bn_probe {
    const bn_job *job;
    bn_embedding near, far;     /* what is judged on, in both views, ... */
    const int32_t *label;       /* ... and the labels: the job's */
    bn_random_layer hidden[2];        /* of both views */
    double   near_share;        /* of the score */
    bn_merit merit;             /* the metric */
    int64_t *held, holds;       /* training nodes among them, by their origins, ascending */
    int      threads, users;    /* users: who will free it */
};

/* ---- the probe ---- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t origin(const bonsai_graph *g, int64_t v)
{
    const uint32_t *of = g->view.section[BONSAI_SECTION_ORIGIN].data;
    return of ? (int64_t)of[v] : v;
}

static bonsai_status list_held(bn_probe *p, const bn_job *job)
{
    bonsai_status rc = BN_NEW(&p->held, job->held ? job->judge.own.rows : 0);
    for (int64_t t = 0; rc == BONSAI_OK && job->held && t < job->trees; t++)
        if (job->held[t])
            p->held[p->holds++] = origin(job->g, job->train[t]);
    if (p->holds > 0)
        qsort(p->held, (size_t)p->holds, sizeof *p->held, by_number);
    return rc;
}

/* Returns the weight of near rows for networks of these models (bits; 0: all), from 0 to 1; far
 * rows have the rest.  GIN does not see its own row apart from its neighbours', GraphSAGE does. */
static double near_share_of(int models)
{
    static const double share[BONSAI_MODEL_COUNT][2] = {
        [BONSAI_MODEL_GCN] = {1, 1}, [BONSAI_MODEL_GAT] = {1, 1}, [BONSAI_MODEL_GIN] = {1, 2},
        [BONSAI_MODEL_SAGE] = {1, 0}};
    double near = 0, far = 0;
    for (int m = 0; m < BONSAI_MODEL_COUNT; m++)
        if (models == 0 || models >> m & 1) {
            near += share[m][0];
            far += share[m][1];
        }
    return near / (near + far);
}

/* Makes a random layer for the rows x and fills out with its output. */
static bonsai_status hide(bn_embedding *out, bn_random_layer *h, const bn_embedding *x, int threads)
{
    bonsai_status rc;
    BN_TRY(bn_random_layer_new(h, x));
    BN_TRY(bn_random_layer_rows(out, h, x, threads));
done:
    return rc;
}

bonsai_status bn_probe_of(bn_probe **out, const bn_job *job, const bn_views *judged)
{
    bonsai_status rc;
    bn_probe *p = NULL;
    bn_embedding near = {0};
    BN_TRY(BN_NEW(&p, 1));
    p->users = 1;
    p->job = job;
    p->threads = bn_threads(job->at.threads);
    p->near_share = near_share_of(job->o->for_models);
    BN_TRY(bn_merit_of(&p->merit, job));
    BN_TRY(list_held(p, job));
    BN_TRY(bn_views_join(&near, judged));
    BN_TRY(hide(&p->near, &p->hidden[0], &near, p->threads));
    BN_TRY(hide(&p->far, &p->hidden[1], &judged->far, p->threads));
    p->label = job->judge_label;
    *out = p;
    p = NULL;
done:
    bn_embedding_free(&near);
    bn_probe_free(p);
    return rc;
}

bonsai_status bn_probe_new(bn_probe **out, const bn_job *job)
{
    if (!job->probe)
        return bn_probe_of(out, job, &job->judge);
    job->probe->users++;
    *out = job->probe;
    return BONSAI_OK;
}

void bn_probe_free(bn_probe *p)
{
    if (!p || --p->users > 0)
        return;
    bn_embedding_free(&p->near);
    bn_embedding_free(&p->far);
    bn_random_layer_free(&p->hidden[0]);
    bn_random_layer_free(&p->hidden[1]);
    bn_free(p->held);
    bn_free(p);
}

const bn_merit *bn_probe_merit(const bn_probe *p)
{
    return &p->merit;
}

typedef struct {
    const bn_embedding *rows;
    const int32_t *label;
    const bn_merit *merit;
} judged_rows;

typedef struct {                /* of the judged rows, for each lambda */
    int64_t  right[WAYS];       /* how many are right */
    int32_t *guess;             /* ways x rows: the classes of the highest scores */
    float   *score;             /* rows x ways x classes, or a stretch of the rows */
    int64_t  stretch;           /* rows that there is room for */
} findings;

/* Counts in right (ways) the rows from `first` on that each lambda classifies correctly, and
 * stores the guessed classes. */
static void count_right(int64_t *right, findings *v, const judged_rows *j, const bn_fit *q,
                        int64_t first, int64_t rows)
{
    const float *score = v->score + first % v->stretch * q->k;
    for (int64_t i = 0; i < rows * q->ways; i++) {
        const float *s = score + i * q->c;
        const int64_t row = first + i / q->ways, way = i % q->ways;
        int64_t best = 0;
        for (int64_t k = 1; k < q->c; k++)
            best = s[k] > s[best] ? k : best;
        right[way] += best == j->label[row];
        v->guess[way * j->rows->rows + row] = (int32_t)best;
    }
}

static bonsai_status judge(findings *v, const judged_rows *j, const bn_fit *q)
{
    bonsai_status rc;
    bn_scorer scorer = {0};
    int64_t (*part)[WAYS] = NULL, rows = j->rows->rows;
    int64_t blocks = (rows + BN_FIT_BLOCK - 1) / BN_FIT_BLOCK;
    int64_t stretch = bn_least(STRETCH, SCORES / BN_FIT_BLOCK / q->k + 1) * BN_FIT_BLOCK;
    v->stretch = j->merit->orders ? blocks * BN_FIT_BLOCK : stretch;
    BN_TRY(BN_NEW(&v->score, bn_least(v->stretch, rows) * q->k));
    BN_TRY(BN_NEW(&v->guess, rows * q->ways));
    BN_TRY(BN_NEW(&part, blocks));
    BN_TRY(bn_scorer_new(&scorer, q));
    for (int64_t at = 0; at < rows; at += v->stretch) {
        int64_t end = bn_least(at + v->stretch, rows);
        const double work = bn_numbers(j->rows, end - at) * (double)q->k / 4;
#pragma omp parallel for num_threads(bn_team(q->threads, work)) schedule(dynamic)
        for (int64_t i = at; i < end; i += BN_FIT_BLOCK) {
            int64_t count = bn_least(BN_FIT_BLOCK, end - i);
            bn_score_rows(v->score + (i - at) * q->k, &scorer, j->rows, i, count);
            count_right(part[i / BN_FIT_BLOCK], v, j, q, i, count);
        }
    }
    for (int64_t i = 0; i < blocks; i++)
        for (int w = 0; w < q->ways; w++)
            v->right[w] += part[i][w];
done:
    bn_scorer_free(&scorer);
    bn_free(part);
    return rc;
}

/* Adds the share of a view to the percentage, the mean over the lambdas. */
static bonsai_status add_merit(double *percent, double share, const findings *v,
                               const judged_rows *j, const bn_fit *q)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t rows = j->rows->rows;
    for (int w = 0; w < WAYS && rows > 0; w++) {
        double value;
        if (j->merit->aim == BONSAI_AIM_ACCURACY) {
            *percent += 100 * share * (double)v->right[w] / (double)rows / WAYS;
            continue;
        }
        BN_TRY(bn_merit_score(&value, j->merit,
                              &(bn_verdict){j->label, rows, v->guess + w * rows,
                                            v->score + w * q->c, q->k}));
        *percent += share * value / WAYS;
    }
done:
    return rc;
}

/* Returns the number of points to fit: all of x, or fewer if rows are long, since a system of
 * both sides' size would take longer than all other steps, and its square of bytes. */
static int64_t some_points(const bn_embedding *x)
{
    return x->f >= LONG_ROW ? bn_least(x->rows, BN_MOST_POINTS) : x->rows;
}

/* Returns the products of a fit of n points whose rows have this many numbers. */
static double products(double n, double wide, double length, int ways)
{
    const double m = fmin(n, wide);
    return n * length * m / 2 + ways * m * m * m / 3;
}

/* Returns the most points, up to n, whose fit takes at most `most` products. */
static double within(double n, double wide, double length, int ways, double most)
{
    while (n > 64 && products(n, wide, length, ways) > most)
        n *= 0.9;
    return floor(n);
}

static int64_t points_within(const bn_embedding *x, int ways, double most)
{
    const double rows = (double)x->rows;
    return (int64_t)within(rows, 1 + (double)x->f, 1 + bn_numbers(x, x->rows) / rows, ways, most);
}

double bn_probe_products(double n, double wide, double length)
{
    return products(wide > LONG_ROW ? fmin(n, BN_MOST_POINTS) : n, wide, length, WAYS);
}

double bn_probe_products_once(double *fitted, double n, double wide, double length)
{
    *fitted = within(n, wide, length, WAYS, most_to_fit);
    return products(*fitted, wide, length, WAYS);
}

/* Adds a view's share to the percentage: the mean over the lambdas of what fits on the points of
 * x get right. once: fits only as many points as a second allows. */
static bonsai_status score(double *percent, double share, const bn_probe *p,
                           const bn_embedding *judged, const bn_embedding *x,
                           const bn_labels *labels, bool once)
{
    bonsai_status rc;
    double lambda[WAYS];
    findings v = {{0}, NULL, NULL, 0};
    const judged_rows j = {judged, p->label, &p->merit};
    bn_fit q = {.x = x, .n = once ? points_within(x, WAYS, most_to_fit) : some_points(x),
                .c = p->job->g->view.classes, .lambda = lambda, .ways = WAYS,
                .threads = p->threads};
    for (int w = 0; w < WAYS; w++)
        lambda[w] = grid[w] / (double)q.n;
    assert(q.x->f == judged->f);
    BN_TRY(bn_fit_rows(&q, labels));
    BN_TRY(bn_fit_direct(&q));
    BN_TRY(judge(&v, &j, &q));
    BN_TRY(add_merit(percent, share, &v, &j, &q));
done:
    bn_free(v.score);
    bn_free(v.guess);
    bn_fit_free(&q);
    return rc;
}

static bonsai_status score_views(double *percent, const bn_probe *p, const bn_views *rows,
                                 const bn_labels *labels, bool once)
{
    bonsai_status rc;
    bn_embedding both = {0}, near = {0}, far = {0};
    *percent = 0;
    if (rows->own.rows == 0)
        return bn_fail(BONSAI_E_ARGUMENT, "a probe needs at least one point");
    BN_TRY(bn_views_join(&both, rows));
    BN_TRY(bn_random_layer_rows(&near, &p->hidden[0], &both, p->threads));
    BN_TRY(score(percent, p->near_share, p, &p->near, &near, labels, once));
    BN_TRY(bn_random_layer_rows(&far, &p->hidden[1], &rows->far, p->threads));
    BN_TRY(score(percent, 1 - p->near_share, p, &p->far, &far, labels, once));
    *percent = fmin(*percent, 100);             /* shares may add up to a little more */
done:
    bn_embedding_free(&both);
    bn_embedding_free(&near);
    bn_embedding_free(&far);
    return rc;
}

bonsai_status bn_probe_rows(double *percent, const bn_probe *p, const bn_views *rows,
                            const int32_t *label)
{
    return score_views(percent, p, rows, &(bn_labels){.label = label}, false);
}

bonsai_status bn_probe_once(double *percent, const bn_probe *p, const bn_views *rows,
                            const int32_t *label)
{
    return score_views(percent, p, rows, &(bn_labels){.label = label}, true);
}

double bn_probe_error(double percent, int64_t judged)
{
    double share = percent / 100;
    return judged > 0 ? 100 * sqrt(share * (1 - share) / (double)judged) : 0;
}

/* ---- a small graph ---- */

typedef struct {
    int32_t *node;              /* labelled ones that are not themselves judged on */
    int64_t  count;
    bn_views views;
    float   *target, *weight;
} points;

static void points_free(points *q)
{
    bn_free(q->node);
    bn_views_free(&q->views);
    bn_free(q->target);
    bn_free(q->weight);
}

static bonsai_status list_labelled(points *q, const bonsai_graph *small, const bn_probe *p)
{
    const bool known = bn_has(small, BONSAI_SECTION_ORIGIN);
    bonsai_status rc = BN_NEW(&q->node, small->view.nodes);
    for (int64_t v = 0; rc == BONSAI_OK && v < small->view.nodes; v++) {
        int64_t of = origin(small, v);
        if (bn_label(small, v) >= 0 &&
            !(known && p->holds > 0 &&
              bsearch(&of, p->held, (size_t)p->holds, sizeof *p->held, by_number)))
            q->node[q->count++] = (int32_t)v;
    }
    return rc;
}

static bonsai_status view_nodes(points *q, const bonsai_graph *small, const bn_probe *p)
{
    bonsai_status rc;
    int layers = p->job->o->layers;
    const bn_nodes nodes = {q->node, q->count};
    const bn_place at = {.threads = p->threads};
    BN_TRY(bn_embed_view(&q->views.own, small, &nodes, BN_OWN, layers, &at));
    BN_TRY(bn_embed_view(&q->views.around, small, &nodes, BN_AROUND, layers, &at));
    BN_TRY(bn_embed_view(&q->views.far, small, &nodes, BN_FAR, layers, &at));
done:
    return rc;
}

/* Reads soft labels and weights as training does, if there are any. */
static bonsai_status read_labels(points *q, const bonsai_graph *small)
{
    bonsai_status rc;
    const bonsai_array *soft = &small->view.section[BONSAI_SECTION_SOFT_LABELS];
    const bonsai_array *weight = &small->view.section[BONSAI_SECTION_NODE_WEIGHTS];
    int64_t c = small->view.classes;
    BN_TRY(BN_NEW(&q->target, q->count * c));
    BN_TRY(BN_NEW(&q->weight, q->count));
    for (int64_t i = 0; i < q->count; i++) {
        int64_t v = q->node[i];
        float *to = q->target + i * c;
        double sum = 0;
        for (int64_t k = 0; soft->data && k < c; k++)
            sum += (double)bn_real_at(soft, v * c + k);
        for (int64_t k = 0; sum > 0 && k < c; k++)
            to[k] = (float)((double)bn_real_at(soft, v * c + k) / sum);
        if (!(sum > 0))
            to[bn_label(small, v)] = 1;
        q->weight[i] = weight->data ? bn_real_at(weight, v) : 1.0f;
    }
done:
    return rc;
}

bonsai_status bn_probe_graph(double *percent, const bn_probe *p, const bonsai_graph *small)
{
    bonsai_status rc;
    points q = {0};
    *percent = 0;
    BN_TRY(list_labelled(&q, small, p));
    if (q.count == 0)
        goto done;
    BN_TRY(view_nodes(&q, small, p));
    BN_TRY(read_labels(&q, small));
    BN_TRY(score_views(percent, p, &q.views, &(bn_labels){q.target, q.weight, NULL}, false));
done:
    points_free(&q);
    return rc;
}
