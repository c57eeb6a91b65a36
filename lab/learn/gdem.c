/* gdem.c -- GDEM: eigenvectors and features whose spectrum is that of the full graph.
 *
 * Liu, Bo and Shi, "Graph Distillation with Eigenbasis Matching", ICML 2024.  The eigenvalues are
 * those of the full graph's largest component; eigenvectors U and features X are learned in turn
 * (spectra.c).  What comes out is the operator I - U diag(lambda) U', which is used as it is.
 * Training nodes outside of the component do not take part in class means.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eigen.h"
#include "learn.h"
#include "tangent.h"

enum { HIDDEN = 256, SHOWN = 512 };      /* SHOWN: rows between two reports */

typedef struct {
    int    pairs[3];            /* eigenpairs at most, by size */
    double low[3];              /* the share of them from the low end */
    int    rounds[3], of_u[3], of_x[3];         /* steps on U, then on X, and so on */
    double alpha[3], beta[3], gamma[3], rate_x[3], rate_u[3];
    int    start_rounds, teacher_rounds;        /* of the first X; of the network behind it */
    double start_rate, start_decay, teacher_rate, teacher_decay;
} settings;

/* The published settings.  None exist for Cora: it has those of CiteSeer's half. */
static const settings published[BN_LIKES] = {
    [BN_LIKE_CORA] = {{35, 70, 140}, {.8, .8, .8}, {1500, 1500, 1500}, {10, 10, 10}, {15, 15, 15},
                      {.05, .05, .05}, {1e-5, 1e-5, 1e-5}, {.5, .5, .5}, {5e-4, 5e-4, 5e-4},
                      {5e-4, 5e-4, 5e-4}, 200, 100, .005, .05, .05, 5e-4},
    [BN_LIKE_CITESEER] = {{30, 60, 120}, {1, .8, .95}, {500, 1500, 500}, {5, 10, 1}, {1, 15, 10},
                          {1, .05, .001}, {1e-5, 1e-5, 1e-6}, {1, .5, .1}, {1e-4, 5e-4, .001},
                          {.01, 5e-4, 1e-4}, 200, 100, .005, .05, .05, 5e-4},
    [BN_LIKE_PUBMED] = {{15, 30, 60}, {.95, 1, .95}, {1000, 1500, 1500}, {15, 5, 20}, {5, 5, 1},
                        {1e-4, 1, .01}, {1e-7, 1e-5, 1e-7}, {.01, .01, .5}, {1e-4, 5e-4, .001},
                        {5e-4, .01, 1e-4}, 100, 400, .01, .05, .01, .005},
    [BN_LIKE_ARXIV] = {{90, 454, 909}, {.95, .9, .85}, {500, 2000, 1000}, {1, 10, 1}, {5, 5, 5},
                       {1e-4, .01, .001}, {.01, 1e-4, 1e-4}, {.01, .01, 1}, {5e-4, 1e-4, 1e-4},
                       {5e-4, 1e-4, .005}, 400, 300, .01, .005, .01, .005},
    [BN_LIKE_FLICKR] = {{44, 223, 446}, {1, 1, 1}, {2000, 2000, 2000}, {5, 5, 5}, {10, 10, 10},
                        {.01, .01, .01}, {1e-7, 1e-7, 1e-7}, {.05, .05, .05}, {1e-4, 1e-4, 1e-4},
                        {.05, .05, .05}, 500, 400, .001, 5e-4, .05, .005},
    [BN_LIKE_REDDIT] = {{76, 153, 769}, {1, 1, .9}, {1000, 500, 1000}, {20, 15, 5}, {5, 10, 5},
                        {1, .5, 1}, {1e-6, 1e-6, 1e-6}, {.01, .5, .5}, {1e-4, 5e-4, 5e-4},
                        {1e-4, .005, 1e-4}, 400, 100, .05, 5e-5, .005, .005},
};

typedef struct {
    bn_spectra goal;
    int32_t   *node;            /* of the largest component, ascending */
    int64_t    count;
    float     *lambda, *kept, *q, *r, *share;
    float     *u;               /* n x k */
    bn_descent of_u, of_x;
    float     *room;
} spectral;

static void end(bn_problem *s)
{
    spectral *g = s->state;
    if (!g)
        return;
    bn_free(g->node);
    bn_free(g->lambda);
    bn_free(g->kept);
    bn_free(g->q);
    bn_free(g->r);
    bn_free(g->share);
    bn_free(g->u);
    bn_descent_free(&g->of_u);
    bn_descent_free(&g->of_x);
    bn_free(g->room);
    bn_free(g);
}

/* ---- the largest component ---- */

/* Marks all nodes that v reaches, breadth first; returns how many. */
static int64_t reach(int32_t *part, int32_t *queue, const bonsai_graph *g, int32_t v, int32_t mark)
{
    int64_t count = 1;
    queue[0] = v;
    part[v] = mark;
    for (int64_t at = 0; at < count; at++)
        for (int64_t e = bn_row_begin(g, queue[at]); e < bn_row_begin(g, queue[at] + 1); e++) {
            const int32_t w = bn_neighbors(g)[e];
            if (part[w] == 0) {
                part[w] = mark;
                queue[count++] = w;
            }
        }
    return count;
}

/* Lists the nodes of the largest component (the first of equals) in t->node. */
static bonsai_status find_component(spectral *t, const bonsai_graph *g)
{
    bonsai_status rc;
    int32_t *part = NULL, *queue = NULL, marks = 0, best = 0;
    const int64_t n = g->view.nodes;
    BN_TRY(BN_NEW(&part, n));
    BN_TRY(BN_NEW(&queue, n));
    for (int64_t v = 0; v < n; v++) {
        const int64_t size = part[v] ? 0 : reach(part, queue, g, (int32_t)v, ++marks);
        if (size > t->count) {
            t->count = size;
            best = marks;
        }
    }
    BN_TRY(BN_NEW(&t->node, t->count));
    t->count = 0;
    for (int64_t v = 0; v < n; v++)
        if (part[v] == best)
            t->node[t->count++] = (int32_t)v;
done:
    bn_free(part);
    bn_free(queue);
    return rc;
}

/* Makes a graph of the component's edges alone. */
static bonsai_status cut_component(bonsai_graph **out, const spectral *t, const bonsai_graph *g)
{
    bonsai_status rc;
    bonsai_graph *edges = NULL;
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = g->view.nodes;
    v.flags = g->view.flags;
    for (int i = BONSAI_SECTION_OFFSETS; i <= BONSAI_SECTION_EDGE_WEIGHTS; i++)
        v.section[i] = g->view.section[i];
    BN_TRY(bonsai_graph_new(&edges, &v, 0));
    BN_TRY(bonsai_graph_induce(out, edges, t->node, t->count));
done:
    bonsai_graph_free(edges);
    return rc;
}

/* ---- the spectrum of the full graph ---- */

static bonsai_status solve(float *u, spectral *t, const bn_problem *s)
{
    bonsai_status rc;
    bonsai_graph *part = NULL;
    bn_messages m = {0};
    const int64_t k = t->goal.k;
    const int64_t low = (int64_t)ceil((double)k * published[s->like].low[s->size] - 1e-9);
    BN_TRY(cut_component(&part, t, s->job->g));
    BN_TRY(bn_messages_make(&m, part, BN_NORM_BOTH, false, s->threads));
    BN_TRY(bn_eigen_ends(t->lambda, u,
                         &(bn_ends){.a = &m.to, .n = t->count, .low = low, .high = k - low,
                                    .seed = s->seed, .threads = s->threads, .until = s->until,
                                    .progress = s->job->at.progress}));
    for (int64_t j = 0; j < k; j++)
        t->kept[j] = 1 - t->lambda[j];
done:
    bn_messages_free(&m);
    bonsai_graph_free(part);
    return rc;
}

static void make_unit(float *row, int64_t f)
{
    double sum = 0;
    for (int64_t j = 0; j < f; j++)
        sum += (double)row[j] * (double)row[j];
    for (int64_t j = 0; j < f && sum > 0; j++)
        row[j] = (float)((double)row[j] / sqrt(sum));
}

static int by_id(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Computes r = class means of U K U'X over the training nodes of the component, each of length 1,
 * and q = U'X. */
static bonsai_status find_means(spectral *t, const bn_problem *s, const float *u)
{
    bonsai_status rc;
    const int64_t k = t->goal.k;
    float *mean = NULL;
    BN_TRY(BN_NEW(&mean, s->c * k));
    for (int64_t i = 0; i < s->job->trees; i++) {
        const int32_t *at = bsearch(&s->job->train[i], t->node, (size_t)t->count, sizeof *at,
                                    by_id);
        for (int64_t j = 0; at && j < k; j++)
            mean[s->label[i] * k + j] += u[(at - t->node) * k + j] * t->kept[j];
    }
    const bn_input in = {.rows = s->c, .cols = k, .dense = mean};
    bn_times(t->r, &in, t->q, s->f, false, (bn_span){0, s->c, s->threads});
    for (int64_t c = 0; c < s->c; c++)
        make_unit(t->r + c * s->f, s->f);
done:
    bn_free(mean);
    return rc;
}

static bonsai_status find_spectrum(spectral *t, const bn_problem *s)
{
    bonsai_status rc;
    const int64_t k = t->goal.k;
    float *u = NULL, *x = NULL, *room = NULL;
    BN_TRY(BN_NEW(&u, t->count * k));
    BN_TRY(BN_NEW(&x, t->count * s->f));
    const bn_input in = {.rows = t->count, .cols = k, .dense = u};
    BN_TRY(BN_NEW(&room, bn_times_room(&in, s->f)));
    BN_TRY(solve(u, t, s));
    BN_TRY(bn_problem_rows(x, s, t->node, t->count, 0));
    bn_times_t(t->q, &in, x, s->f, room, s->threads);
    BN_TRY(find_means(t, s, u));
    for (int64_t j = 0; j < k; j++)
        make_unit(t->q + j * s->f, s->f);
done:
    bn_free(u);
    bn_free(x);
    bn_free(room);
    return rc;
}

/* ---- the first features: those that a network on single rows takes for their class ---- */

typedef struct {
    bn_student full, small;
    float *x, *q, *w;           /* of the training nodes */
    float *sq, *sw;             /* of the small graph */
    float *theta, *room;
    bn_descent steps;
} teacher;

static void teacher_free(teacher *t)
{
    bn_free(t->x);
    bn_free(t->q);
    bn_free(t->w);
    bn_free(t->sq);
    bn_free(t->sw);
    bn_free(t->theta);
    bn_free(t->room);
    bn_descent_free(&t->steps);
}

/* Draws x (rows,cols) as first weights after Glorot. */
static void draw(float *x, int64_t rows, int64_t cols, uint64_t seed)
{
    bn_draw_uniform(x, 0, rows * cols, sqrt(6.0 / (double)(rows + cols)), seed);
}

static bonsai_status teacher_new(teacher *t, const bn_problem *s)
{
    bonsai_status rc;
    const int64_t trees = s->job->trees, f = s->f, c = s->c;
    BN_TRY(BN_NEW(&t->x, trees * f));
    BN_TRY(BN_NEW(&t->q, trees * c));
    BN_TRY(BN_NEW(&t->w, trees));
    BN_TRY(BN_NEW(&t->sq, s->n * c));
    BN_TRY(BN_NEW(&t->sw, s->n));
    BN_TRY(bn_problem_rows(t->x, s, s->job->train, trees, 0));
    bn_one_hot(t->q, s->label, trees, c);
    bn_one_hot(t->sq, s->kind, s->n, c);
    for (int64_t i = 0; i < trees; i++)
        t->w[i] = 1 / (float)trees;
    for (int64_t i = 0; i < s->n; i++)
        t->sw[i] = 1 / (float)s->n;
    t->full = (bn_student){.form = BN_STUDENT_MLP, .n = trees, .f = f, .h = HIDDEN, .c = c,
                           .x = t->x, .q = t->q, .w = t->w, .threads = s->threads};
    t->small = t->full;
    t->small.n = s->n;
    t->small.x = s->x;
    t->small.q = t->sq;
    t->small.w = t->sw;
    const int64_t room = bn_student_room(&t->full), other = bn_student_room(&t->small);
    BN_TRY(BN_NEW(&t->room, room > other ? room : other));
    BN_TRY(BN_NEW(&t->theta, bn_student_size(&t->full)));
    draw(t->theta, f, HIDDEN, s->seed + 1);
    draw(t->theta + f * HIDDEN + HIDDEN, HIDDEN, c, s->seed + 2);
    draw(s->x, s->n, f, s->seed + 3);
done:
    return rc;
}

static bonsai_status train_teacher(teacher *t, bn_problem *s)
{
    bonsai_status rc;
    const settings *p = &published[s->like];
    const int64_t rounds = bn_effort(s, p->teacher_rounds);
    BN_TRY(bn_descent_new(&t->steps, t->theta, bn_student_size(&t->full), p->teacher_rate,
                          p->teacher_decay));
    t->steps.student = true;
    for (int64_t i = 0; i < rounds && !bn_problem_late(s); i++) {
        BN_TRY(bn_tick(s->job->at.progress, "training a teacher", i, rounds));
        bn_student_grad(t->steps.l.grad, &t->full, t->theta, t->room);
        bn_descend(&t->steps, s);
    }
    BN_TRY(bn_tick(s->job->at.progress, "training a teacher", rounds, rounds));
done:
    bn_descent_free(&t->steps);
    return rc;
}

static bonsai_status ask_teacher(teacher *t, bn_problem *s)
{
    bonsai_status rc;
    const settings *p = &published[s->like];
    const int64_t rounds = bn_effort(s, p->start_rounds);
    BN_TRY(bn_descent_new(&t->steps, s->x, s->n * s->f, p->start_rate, p->start_decay));
    for (int64_t i = 0; i < rounds && !bn_problem_late(s); i++) {
        BN_TRY(bn_tick(s->job->at.progress, "first features", i, rounds));
        bn_student_input(t->steps.l.grad, &t->small, t->theta, 1, t->room);
        bn_descend(&t->steps, s);
    }
    BN_TRY(bn_tick(s->job->at.progress, "first features", rounds, rounds));
done:
    return rc;
}

static bonsai_status start_features(bn_problem *s)
{
    bonsai_status rc;
    teacher t = {0};
    BN_TRY(teacher_new(&t, s));
    BN_TRY(train_teacher(&t, s));
    BN_TRY(ask_teacher(&t, s));
done:
    teacher_free(&t);
    return rc;
}

/* ---- the first eigenvectors: those of a stochastic block model ---- */

static bonsai_status tick_vectors(const bn_problem *s, int64_t part)
{
    enum { PARTS = 3 };
    return bn_tick(s->job->at.progress, "first eigenvectors", part, PARTS);
}

/* Draws edges: nodes of one class are joined with probability 1/c, others with a third of that. */
static void draw_edges(float *a, const bn_problem *s)
{
    const int64_t n = s->n;
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int64_t i = 0; i < n; i++) {
        bn_rng r = bn_rng_at(s->seed + 4, (uint64_t)i);
        for (int64_t j = 0; j < i; j++) {
            const double chance = (s->kind[i] == s->kind[j] ? 1.0 : 1.0 / 3) / (double)s->c;
            a[i * n + j] = a[j * n + i] = bn_rng_unit(&r) < chance ? 1 : 0;
        }
    }
}

static bonsai_status start_vectors(spectral *t, const bn_problem *s)
{
    bonsai_status rc;
    const int64_t n = s->n, k = t->goal.k;
    float *norm = NULL, *half = NULL;
    double *l = NULL, *value = NULL;
    BN_TRY(BN_NEW(&norm, n * n));
    BN_TRY(BN_NEW(&half, n));
    BN_TRY(BN_NEW(&l, n * n));
    BN_TRY(BN_NEW(&value, n));
    BN_TRY(tick_vectors(s, 0));
    draw_edges(s->a, s);
    BN_TRY(tick_vectors(s, 1));
    bn_small_norm(norm, half, s->a, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            l[i * n + j] = (i == j) - (double)norm[i * n + j];
    BN_TRY(tick_vectors(s, 2));
    BN_TRY(bn_eigen_small(value, l, n));
    BN_TRY(tick_vectors(s, 3));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++)
            t->u[i * k + j] = (float)l[j * n + i];
done:
    bn_free(norm);
    bn_free(half);
    bn_free(l);
    bn_free(value);
    return rc;
}

/* ---- learning ---- */

static bonsai_status make_room(spectral *t, bn_problem *s)
{
    bonsai_status rc;
    const settings *p = &published[s->like];
    const int i = s->size;
    int64_t k = p->pairs[i] < s->n ? p->pairs[i] : s->n;
    k = k < t->count ? k : t->count;
    BN_TRY(BN_NEW(&t->lambda, k));
    BN_TRY(BN_NEW(&t->kept, k));
    BN_TRY(BN_NEW(&t->q, k * s->f));
    BN_TRY(BN_NEW(&t->r, s->c * s->f));
    BN_TRY(BN_NEW(&t->share, s->n));
    BN_TRY(BN_NEW(&t->u, s->n * k));
    BN_TRY(bn_descent_new(&t->of_u, t->u, s->n * k, p->rate_u[i], 0));
    BN_TRY(bn_descent_new(&t->of_x, s->x, s->n * s->f, p->rate_x[i], 0));
    for (int64_t v = 0; v < s->n; v++)
        t->share[v] = 1 / (float)s->want[s->kind[v]];
    t->goal = (bn_spectra){.n = s->n, .k = k, .f = s->f, .c = s->c, .q = t->q, .r = t->r,
                           .kept = t->kept, .kind = s->kind, .share = t->share,
                           .alpha = p->alpha[i], .beta = p->beta[i], .gamma = p->gamma[i],
                           .threads = s->threads};
    BN_TRY(BN_NEW(&t->room, bn_spectra_room(&t->goal)));
done:
    return rc;
}

static bonsai_status begin(bn_problem *s)
{
    bonsai_status rc;
    spectral *t;
    BN_TRY(BN_NEW(&t, 1));
    s->state = t;
    s->steps = bn_effort(s, published[s->like].rounds[s->size]);
    BN_TRY(find_component(t, s->job->g));
    BN_TRY(make_room(t, s));
    BN_TRY(find_spectrum(t, s));
    BN_TRY(start_features(s));
    BN_TRY(start_vectors(t, s));
done:
    return rc;
}

static bonsai_status step(bn_problem *s, int64_t i)
{
    spectral *t = s->state;
    const settings *p = &published[s->like];
    const int of_u = p->of_u[s->size], of_x = p->of_x[s->size];
    const bool is_u = i % (of_u + of_x) < of_u;
    bn_descent *d = is_u ? &t->of_u : &t->of_x;
    float *du = is_u ? d->l.grad : NULL, *dx = is_u ? NULL : d->l.grad;
    s->loss = bn_spectra_loss(du, dx, &t->goal, t->u, s->x, t->room);
    bn_descend(d, s);
    return BONSAI_OK;
}

/* Computes a = I - U diag(lambda) U': rows first .. end-1 up to the diagonal, mirrored to
 * columns. */
static void show_rows(const bn_problem *s, int64_t first, int64_t end)
{
    const spectral *t = s->state;
    const int64_t n = s->n, k = t->goal.k;
    const double work = (double)(end - first) * (double)end * (double)k;
#pragma omp parallel for num_threads(bn_team(s->threads, work)) schedule(dynamic, 8)
    for (int64_t i = first; i < end; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = i == j;
            for (int64_t l = 0; l < k; l++)
                sum -= (double)t->u[i * k + l] * (double)t->lambda[l] * (double)t->u[j * k + l];
            s->a[i * n + j] = s->a[j * n + i] = (float)sum;
        }
}

static bonsai_status show(bn_problem *s)
{
    bonsai_status rc = BONSAI_OK;
    for (int64_t i = 0; i < s->n; i += SHOWN) {
        BN_TRY(bn_tick(s->job->at.progress, "writing the operator", i, s->n));
        show_rows(s, i, bn_least(i + SHOWN, s->n));
    }
    BN_TRY(bn_tick(s->job->at.progress, "writing the operator", s->n, s->n));
done:
    return rc;
}

const bn_learner bn_gdem = {
    .units = BN_UNITS_PUBLISHED, .edges = true, .pair = 40, .is_operator = true,
    .begin = begin, .step = step, .show = show, .end = end, .work = bn_work_gdem,
};
