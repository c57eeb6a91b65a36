/* guide.c -- fits linear classifiers of nodes' own rows and of averaged ones.
 *
 * The weights of ridge regression are the discriminants (S + l)^-1 (m_k - m), S and m being the
 * covariance and the mean of the rows and m_k the mean of a class.  They are found by conjugate
 * gradients with little regularisation, which end when the classifier is right about most of the
 * judged nodes: the steps go from class means to discriminants, as a falling l does, and the best
 * of them is as good as the best l, for the price of one solution.
 *
 * Averaged rows are long, so they are multiplied as products of edges and features (averages.c),
 * unless the graph is too large for that or its rows are short.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "basis.h"

enum { MOST_STEPS = 40, USUAL_STEPS = 8, STEPS_AGAIN = 10, PATIENCE = 3 };
enum { MEASURED = 2048 };               /* rows that the variance of columns is taken from */
enum { DENSE_GAIN = 4 };                /* how much faster dense numbers are multiplied */
static const double lambda = 1e-5;      /* of the mean squared distance from the mean row */
static const double enough = 1e-8;      /* of a squared residual */
static const double most_of_a_step = 4e8;       /* products of sampled rows */
static const int view_of[BN_GUIDES] = {[BN_GUIDE_OWN] = BN_OWN, [BN_GUIDE_FAR] = BN_FAR};

struct bn_guide_rows {
    bn_averages averages;       /* on rank 0, where rows are products of matrices */
    bn_embedding some[BN_GUIDES];       /* else some labelled rows, on every rank, ... */
    bn_matrix matrix[BN_GUIDES], turned[BN_GUIDES];     /* ... and as matrices on rank 0 */
};

void bn_guide_free(bn_guide *g)
{
    for (int v = 0; v < BN_GUIDES; v++) {
        if (g->rows) {
            bn_embedding_free(&g->rows->some[v]);
            bn_matrix_free(&g->rows->turned[v]);
        }
        bn_free(g->mean[v]);
        bn_free(g->variance[v]);
        bn_free(g->w[v]);
        bn_free(g->rate[v]);
        bn_free(g->label[v]);
    }
    if (g->rows)
        bn_averages_free(&g->rows->averages);
    bn_free(g->rows);
    bn_free(g->constant);
    bn_free(g->live);
    memset(g, 0, sizeof *g);
}

/* ---- a fit that is watched ---- */

typedef struct {                /* a fit on some columns of a view */
    const bn_guide *g;
    int      view;
    const int32_t *column;      /* NULL: all */
    int64_t  columns;
    const float *mean;          /* of these columns */
    double  *prior;             /* classes: the mean of the targets */
    bn_scorer scorer;
    float   *score;             /* rows that are judged at a time x classes */
    float   *best;              /* columns x classes: the weights that are right about most, ... */
    int64_t  most;              /* ... how many that is, ... */
    int      step;              /* ... after how many steps, ... */
    int      next, worse;       /* ... when to look next, and how many looks were no better */
    int      fixed;             /* steps to take without a look; 0: looks decide */
} watch;

static void keep(watch *k, const float *w, int64_t stride, int step)
{
    const int64_t c = k->g->classes;
    for (int64_t j = 0; j < k->columns; j++)
        memcpy(k->best + j * c, w + j * stride, (size_t)c * sizeof *w);
    k->step = step;
}

/* Fills the constant of the scores, which makes up for the mean of the rows and of the targets. */
static void find_constant(float *constant, const watch *k, const float *w, int64_t stride)
{
    for (int64_t i = 0; i < k->g->classes; i++) {
        double sum = k->prior[i];
        for (int64_t j = 0; j < k->columns; j++)
            sum -= (double)k->mean[j] * (double)w[j * stride + i];
        constant[i] = (float)sum;
    }
}

/* Copies the weights into the scorer. */
static void take_weights(watch *k, const float *w, int64_t stride)
{
    const int64_t c = k->g->classes;
    find_constant(k->scorer.w + k->scorer.f * k->scorer.wide, k, w, stride);
    for (int64_t j = 0; j < k->columns; j++)
        memcpy(k->scorer.w + (k->column ? k->column[j] : j) * k->scorer.wide, w + j * stride,
               (size_t)c * sizeof *w);
}

/* Returns how many judged rows the weights classify correctly. */
static int64_t count_right(watch *k)
{
    const bn_embedding *x = k->g->judged[k->view];
    const int64_t c = k->g->classes;
    int64_t right = 0;
    const double work = bn_numbers(x, x->rows) * (double)c / 4;
#pragma omp parallel for num_threads(bn_team(k->g->threads, work)) schedule(static)
    for (int64_t i = 0; i < x->rows; i += BN_FIT_BLOCK)
        bn_score_rows(k->score + i * c, &k->scorer, x, i, bn_least(BN_FIT_BLOCK, x->rows - i));
    for (int64_t i = 0; i < x->rows; i++) {
        const float *s = k->score + i * c;
        int64_t best = 0;
        for (int64_t j = 1; j < c; j++)
            best = s[j] > s[best] ? j : best;
        right += best == k->g->judged_label[i];
    }
    return right;
}

/* Scores the weights after a step, more rarely the more steps there were, and keeps the best.
 * Returns true to end after three scores in a row that were no better. */
static bool look(const float *w, int64_t stride, int step, void *payload)
{
    watch *k = payload;
    if (k->fixed > 0) {
        keep(k, w, stride, step);
        return step >= k->fixed;
    }
    if (step < k->next)
        return false;
    take_weights(k, w, stride);
    const int64_t right = count_right(k);
    const bool better = right > k->most;
    if (better) {
        keep(k, w, stride, step);
        k->most = right;
    }
    k->worse = better ? 0 : k->worse + 1;
    k->next = step + (step < 8 ? 2 : step / 4);
    return k->worse >= PATIENCE;
}

/* ---- fitting ---- */

/* Fills the targets, +-1 less their mean. */
static void set_targets(float *y, const watch *k)
{
    const bn_guide *g = k->g;
    const int32_t *label = g->label[k->view];
    const int64_t rows = bn_chain_rows(&g->chain[k->view]), c = g->classes;
    for (int64_t j = 0; j < c; j++)
        k->prior[j] = -1;
    for (int64_t i = 0; i < rows; i++)
        k->prior[label[i]] += 2 / (double)rows;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < c; j++)
            y[i * c + j] = (float)((label[i] == j ? 1 : -1) - k->prior[j]);
}

static double sum_of(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += x[j];
    return sum;
}

/* Fits x, whose columns have these variances, and stores the weights in k->best. constant: filled
 * with what to add to scores, unless NULL. */
static bonsai_status fit(watch *k, const bn_chain *x, const double *variance, const float *start,
                         int steps, float *constant)
{
    bonsai_status rc;
    const bn_guide *g = k->g;
    const int64_t rows = bn_chain_rows(x), c = g->classes;
    float *y = NULL, *w = NULL;
    double *squares = NULL;
    const double spread = sum_of(variance, k->columns);
    bn_ridge_how how = {.lambda = (spread > 0 ? lambda * spread : 1) * (double)rows,
                        .enough = enough, .steps = steps, .threads = g->threads,
                        .progress = g->progress, .start = start, .mean = k->mean, .look = look,
                        .payload = k};
    BN_TRY(BN_NEW(&y, rows * c));
    BN_TRY(BN_NEW(&w, k->columns * c));
    BN_TRY(BN_NEW(&squares, k->columns));
    BN_TRY(BN_NEW(&k->prior, c));
    for (int64_t j = 0; j < k->columns; j++)
        squares[j] = variance[j] * (double)rows;
    if (!isfinite(how.lambda)) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "%lld rows of %lld features cannot be fitted: their "
                     "squares are not finite", (long long)rows, (long long)k->columns);
        goto done;
    }
    if (k->fixed == 0) {
        BN_TRY(bn_scorer_room(&k->scorer, g->f, c));
        BN_TRY(BN_NEW(&k->score, g->judged[k->view]->rows * c));
    }
    set_targets(y, k);
    BN_TRY(bn_ridge_chain(w, x, squares, y, c, &how));
    if (k->step == 0)           /* solved before the first look */
        keep(k, w, c, 1);
    if (constant)
        find_constant(constant, k, k->best, c);
done:
    bn_free(y);
    bn_free(w);
    bn_free(squares);
    bn_free(k->prior);
    bn_free(k->score);
    bn_scorer_free(&k->scorer);
    return rc;
}

/* Finds the mean of the rows, as a product with ones. */
static bonsai_status find_mean(float *mean, const bn_chain *x, int threads)
{
    bonsai_status rc;
    const int64_t k = bn_chain_lanes(x), rows = bn_chain_rows(x), cols = bn_chain_cols(x);
    float *ones = NULL, *sum = NULL, *room[2] = {NULL, NULL};
    BN_TRY(BN_NEW(&ones, rows * k));
    BN_TRY(BN_NEW(&sum, cols * k));
    BN_TRY(BN_NEW(&room[0], bn_chain_room(x) * k));
    BN_TRY(BN_NEW(&room[1], bn_chain_room(x) * k));
    for (int64_t i = 0; i < rows; i++)
        ones[i * k] = (float)(1 / (double)rows);
    bn_chain_times_turned(sum, x, ones, k, room, threads);
    for (int64_t j = 0; j < cols; j++)
        mean[j] = sum[j * k];
done:
    bn_free(ones);
    bn_free(sum);
    bn_free(room[0]);
    bn_free(room[1]);
    return rc;
}

static bonsai_status fit_view(bn_guide *g, int view, const int *steps)
{
    bonsai_status rc = BONSAI_OK;
    watch k = {.g = g, .view = view, .columns = g->f, .mean = g->mean[view], .best = g->w[view],
               .most = -1, .next = 2};
    if (g->chain[view].count == 0)
        return BONSAI_OK;
    BN_TRY(find_mean(g->mean[view], &g->chain[view], g->threads));
    k.fixed = steps ? steps[view] : g->judged[view]->rows == 0 ? USUAL_STEPS : 0;
    BN_TRY(fit(&k, &g->chain[view], g->variance[view], NULL, MOST_STEPS, g->constant));
    g->steps[view] = k.step > 0 ? k.step : USUAL_STEPS;
    g->right[view] = k.most;
done:
    return rc;
}

/* ---- what columns are worth ---- */

/* Rates columns by their variance times what classes differ by in the weights, as shares of
 * the whole. */
static void rate_columns(bn_guide *g, int view)
{
    double total = 0, *rate = g->rate[view];
    for (int64_t j = 0; j < g->f; j++) {
        const float *w = g->w[view] + j * g->classes;
        double mean = 0, squares = 0;
        for (int64_t k = 0; k < g->lives; k++)
            mean += (double)w[g->live[k]] / (double)g->lives;
        for (int64_t k = 0; k < g->lives; k++)
            squares += ((double)w[g->live[k]] - mean) * ((double)w[g->live[k]] - mean);
        rate[j] = g->variance[view][j] * squares;
        total += rate[j];
    }
    for (int64_t j = 0; j < g->f && total > 0; j++)
        rate[j] /= total;
}

/* Measures the variance of each column in some rows, and the share of entries that are not zero. */
static bonsai_status measure_columns(double *out, double *filled, const bn_embedding *x)
{
    int64_t entries = 0;
    bonsai_status rc;
    const double n = (double)x->rows;
    double *sum = NULL;
    BN_TRY(BN_NEW(&sum, x->f));
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t end = x->dense ? x->f : x->offsets[i + 1];
        for (int64_t e = x->dense ? 0 : x->offsets[i]; e < end; e++) {
            int64_t j = x->dense ? e : x->index[e];
            double v = x->dense ? (double)x->dense[i * x->f + j] : (double)x->value[e];
            sum[j] += v;
            out[j] += v * v;
            entries += v != 0;
        }
    }
    for (int64_t j = 0; j < x->f; j++)
        out[j] = fmax(out[j] / n - sum[j] / n * (sum[j] / n), 0);
    *filled = (double)entries / (n * (double)x->f);
done:
    bn_free(sum);
    return rc;
}

/* ---- what is fitted ---- */

/* Samples as many rows of a view as a step can afford. */
static bonsai_status take_rows(bn_guide *g, int view, const bn_source *s, const bn_place *at)
{
    bonsai_status rc;
    const bn_sharded *x = s->view[view_of[view]];
    const int64_t count = bn_rows_to_fit(x, s->classes, most_of_a_step);
    struct bn_guide_rows *r = g->rows;
    bn_embedding *e = &r->some[view];
    BN_TRY(bn_rows_some(e, &g->label[view], x, s->label, count));
    if (bn_rank(at->world) == 0) {
        r->matrix[view] = (bn_matrix){e->rows, e->f, e->offsets, e->index, e->value, e->dense};
        rc = bn_matrix_transpose(&r->turned[view], &r->matrix[view]);
        g->chain[view] = (bn_chain){{{&r->matrix[view], &r->turned[view]}}, 1};
    }
    BN_TRY(bn_agree(at->world, rc));
    BN_TRY(bn_agree(at->world, measure_columns(g->variance[view], &g->filled[view], e)));
done:
    return rc;
}

/* Uses all rows of a view, as a product of matrices. */
static bonsai_status take_product(bn_guide *g, int view, const bn_chain *chain, const bn_source *s,
                                  const bn_place *at)
{
    bonsai_status rc;
    const bn_sharded *x = s->view[view_of[view]];
    bn_embedding some = {0};
    int32_t *label = NULL;
    int64_t *row = NULL;
    rc = BN_NEW(&row, x->rows);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&g->label[view], x->rows);
    BN_TRY(bn_agree(at->world, rc));
    for (int64_t i = 0; i < x->rows; i++)
        row[i] = i;
    BN_TRY(bn_labels_gather(g->label[view], x, s->label, row, x->rows));
    BN_TRY(bn_rows_some(&some, &label, x, s->label, bn_least(x->rows, MEASURED)));
    BN_TRY(bn_agree(at->world, measure_columns(g->variance[view], &g->filled[view], &some)));
    if (bn_rank(at->world) == 0)
        g->chain[view] = *chain;
done:
    bn_embedding_free(&some);
    bn_free(label);
    bn_free(row);
    return rc;
}

/* Returns whether a product with matrices is faster than one with averaged rows as they are. */
static bool use_product(const bn_source *s, const bn_job *job, bool dense)
{
    const bn_sharded *own = s->view[BN_OWN], *far = s->view[BN_FAR];
    const double cost = bn_averages_cost(job->g, own->length, job->o->layers);
    const double rows = (double)bn_rows_to_fit(far, s->classes, INFINITY) * far->length;
    return cost > 0 && cost * (dense ? DENSE_GAIN : 1) < rows;
}

static bonsai_status take_views(bn_guide *g, const bn_source *s, const bn_job *job,
                                const bn_place *at)
{
    bonsai_status rc;
    bool dense, own_dense;
    int64_t f = 0;
    BN_TRY(bn_rows_form(&own_dense, &f, s->view[BN_OWN]->e, at->world));
    BN_TRY(bn_rows_form(&dense, &f, s->view[BN_FAR]->e, at->world));
    if (!use_product(s, job, dense)) {
        for (int v = 0; v < BN_GUIDES; v++)
            BN_TRY(take_rows(g, v, s, at));
        goto done;
    }
    const bn_nodes nodes = {s->node, s->view[BN_FAR]->rows};
    BN_TRY(bn_averages_make(&g->rows->averages, job->g, &nodes, job->o->layers, own_dense, at));
    const bn_chain own = bn_averages_own(&g->rows->averages);
    const bn_chain far = bn_averages_far(&g->rows->averages, job->o->layers);
    BN_TRY(take_product(g, BN_GUIDE_OWN, &own, s, at));
    BN_TRY(take_product(g, BN_GUIDE_FAR, &far, s, at));
done:
    return rc;
}

/* ---- all of it ---- */

static bonsai_status make_room(bn_guide *g, const bn_source *s)
{
    bonsai_status rc;
    BN_TRY(BN_NEW(&g->rows, 1));
    BN_TRY(BN_NEW(&g->constant, s->classes));
    BN_TRY(BN_NEW(&g->live, s->classes));
    for (int64_t k = 0; k < s->classes; k++)
        if (s->have[k] > 0)
            g->live[g->lives++] = (int32_t)k;
    for (int v = 0; v < BN_GUIDES; v++) {
        BN_TRY(BN_NEW(&g->mean[v], g->f));
        BN_TRY(BN_NEW(&g->variance[v], g->f));
        BN_TRY(BN_NEW(&g->w[v], g->f * g->classes));
        BN_TRY(BN_NEW(&g->rate[v], g->f));
    }
done:
    return rc;
}

static bonsai_status learn(bn_guide *g, const int *steps)
{
    bonsai_status rc = BONSAI_OK;
    for (int v = 0; v < BN_GUIDES; v++) {
        BN_TRY(fit_view(g, v, steps));
        rate_columns(g, v);
    }
done:
    return rc;
}

/* Copies the results of rank 0 to the other ranks. */
static bonsai_status share_all(bn_guide *g, bn_world *w)
{
    bonsai_status rc;
    BN_TRY(bn_share(w, g->steps, sizeof g->steps, 0));
    BN_TRY(bn_share(w, g->right, sizeof g->right, 0));
    BN_TRY(bn_share(w, g->constant, g->classes * (int64_t)sizeof *g->constant, 0));
    for (int v = 0; v < BN_GUIDES; v++) {
        BN_TRY(bn_share(w, g->w[v], g->f * g->classes * (int64_t)sizeof *g->w[v], 0));
        BN_TRY(bn_share(w, g->rate[v], g->f * (int64_t)sizeof *g->rate[v], 0));
        BN_TRY(bn_share(w, g->mean[v], g->f * (int64_t)sizeof *g->mean[v], 0));
    }
done:
    return rc;
}

bonsai_status bn_guide_make(bn_guide *out, const bn_source *s, const bn_job *job, const int *steps,
                            const bn_place *at)
{
    bonsai_status rc;
    *out = (bn_guide){.f = s->view[BN_FAR]->e->f, .classes = s->classes,
                      .judged = {&job->judge.own, &job->judge.far},
                      .judged_label = job->judge_label, .progress = at->progress,
                      .threads = bn_threads(at->threads)};
    BN_TRY(bn_agree(at->world, make_room(out, s)));
    BN_TRY(take_views(out, s, job, at));
    BN_TRY(bn_agree(at->world, learn(out, steps)));
    BN_TRY(share_all(out, at->world));
done:
    if (rc != BONSAI_OK)
        bn_guide_free(out);
    return rc;
}

/* ---- some columns ---- */

/* Copies some columns, which ascend, of a matrix. */
static bonsai_status take_columns(bn_matrix *out, const bn_matrix *x, const int32_t *column,
                                  int64_t columns)
{
    bonsai_status rc;
    int32_t *place = NULL;
    int64_t at = 0;
    *out = (bn_matrix){.rows = x->rows, .cols = columns};
    if (x->dense) {
        BN_TRY(BN_NEW(&out->dense, x->rows * columns));
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t j = 0; j < columns; j++)
                out->dense[i * columns + j] = x->dense[i * x->cols + column[j]];
        return BONSAI_OK;
    }
    BN_TRY(BN_NEW(&place, x->cols));
    for (int64_t j = 0; j < columns; j++)
        place[column[j]] = (int32_t)(j + 1);
    BN_TRY(BN_NEW(&out->offsets, x->rows + 1));
    BN_TRY(BN_NEW(&out->index, x->offsets[x->rows]));
    BN_TRY(BN_NEW(&out->value, x->offsets[x->rows]));
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
                           int64_t columns)
{
    bonsai_status rc;
    bn_matrix some = {0}, turned = {0};
    float *start = NULL, *mean = NULL;
    double *variance = NULL;
    bn_chain chain = g->chain[view];
    watch k = {.g = g, .view = view, .column = column, .columns = columns, .best = w, .most = -1,
               .next = 2, .fixed = g->judged[view]->rows == 0 ? STEPS_AGAIN : 0};
    if (chain.count == 0)
        return BONSAI_OK;
    BN_TRY(take_columns(&some, chain.factor[chain.count - 1].a, column, columns));
    BN_TRY(bn_matrix_transpose(&turned, &some));
    chain.factor[chain.count - 1].a = &some;
    chain.factor[chain.count - 1].turned = &turned;
    BN_TRY(BN_NEW(&start, columns * g->classes));
    BN_TRY(BN_NEW(&mean, columns));
    BN_TRY(BN_NEW(&variance, columns));
    for (int64_t j = 0; j < columns; j++) {
        memcpy(start + j * g->classes, g->w[view] + column[j] * g->classes,
               (size_t)g->classes * sizeof *start);
        mean[j] = g->mean[view][column[j]];
        variance[j] = g->variance[view][column[j]];
    }
    k.mean = mean;
    BN_TRY(fit(&k, &chain, variance, start, STEPS_AGAIN, NULL));
done:
    bn_matrix_free(&some);
    bn_matrix_free(&turned);
    bn_free(start);
    bn_free(mean);
    bn_free(variance);
    return rc;
}

bonsai_status bn_guide_refit(float *w, const bn_guide *g, int view, const int32_t *column,
                             int64_t columns, const bn_place *at)
{
    bonsai_status rc = refit(w, g, view, column, columns);
    BN_TRY(bn_agree(at->world, rc));
    BN_TRY(bn_share(at->world, w, columns * g->classes * (int64_t)sizeof *w, 0));
done:
    return rc;
}
