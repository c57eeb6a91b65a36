/* gcsr.c -- GCSR (Liu et al., KDD 2024): rows whose edges let a student follow experts.
 *
 * Edges come from the rows in closed form (closededges.c), drawn towards P, how classes are joined
 * in the full graph, and Q, the edges so far; both move on with every round.  A student starts
 * where an expert was after some epochs, and should end where that one was a few epochs later
 * (expertgap.c).
 *
 * P is made of edges between training nodes: row by row, the share of the neighbours of a class
 * that each class has.  Where few nodes have a training label, so that hardly any edge joins two,
 * a neighbour without one counts with the class that the first expert expects of it.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "experts.h"
#include "prototypes/sourcerows.h"

enum { HIDDEN = 256, EXPERTS = 100, SLOW = 50, FIRST_SEED = 1 << 20 };

static const double STUDENT_RATE = 0.01, EXPERT_DECAY = 5e-4;
static const float LEAST = 0.01f;       /* of an edge, as in the judging of the authors */
static const int64_t EXPERT_BYTES = (int64_t)1 << 29, UNROLL_BYTES = (int64_t)1 << 28;

typedef struct {
    int64_t students, ahead;    /* steps of a student, epochs that the expert is ahead */
    int64_t starts;             /* epochs at which it may start */
    double  rate, alpha, beta, tau, gamma;
    int     hops;
    double  rounds;
} settings;

static const struct {
    double   expert_rate;
    settings of[3];
} published[BN_LIKES] = {
    [BN_LIKE_CORA] = {1e-3, {{5, 2, 50, 1e-6, 1, 0.9, 0.9, 0.5, 3, 8000},
                             {5, 2, 60, 1e-6, 1, 1, 0.9, 0.5, 2, 7000},
                             {5, 2, 60, 1e-6, 0.1, 0.999, 0.9, 0.5, 2, 5000}}},
    [BN_LIKE_CITESEER] = {1e-3, {{5, 2, 60, 5e-7, 1, 0.999, 0.9, 0.5, 4, 6000},
                                 {5, 2, 60, 1e-6, 1, 0.999, 0.9, 0.5, 4, 1000},
                                 {5, 2, 60, 5e-8, 10, 0.999, 0.99, 0.5, 4, 100}}},
    [BN_LIKE_PUBMED] = {1e-3, {{5, 2, 50, 1e-6, 1, 0.9, 0.9, 0.5, 3, 8000},
                               {5, 2, 60, 1e-6, 1, 1, 0.9, 0.5, 2, 7000},
                               {5, 2, 60, 1e-6, 0.1, 0.999, 0.9, 0.5, 2, 5000}}},
    [BN_LIKE_ARXIV] = {0.05, {{100, 1, 60, 0.01, 0.1, 1, 0.9, 0.5, 2, 3000},
                              {100, 1, 60, 0.005, 10, 0.9, 0.99, 0.5, 2, 25000},
                              {100, 1, 90, 0.005, 10, 1, 0.9, 0.5, 1, 20000}}},
    [BN_LIKE_FLICKR] = {1e-3, {{50, 1, 50, 5e-5, 1, 0.999, 0.9, 0.5, 2, 20000},
                               {50, 2, 95, 5e-5, 500, 1, 0.9, 0.5, 2, 10000},
                               {100, 1, 95, 1e-4, 1000, 1, 0.9, 0.5, 2, 10000}}},
    [BN_LIKE_REDDIT] = {1e-3, {{20, 1, 50, 1e-3, 500, 0.1, 0.99999, 0.5, 3, 14000},
                               {20, 1, 95, 5e-3, 1, 0.1, 0.99999, 0.5, 3, 10000},
                               {20, 1, 95, 1e-2, 1, 0.1, 0.99999, 0.5, 3, 10000}}},
};

typedef struct {
    const settings *how;
    bn_experts *experts;
    int64_t     count, turns;   /* experts, and how many take turns */
    int64_t    *epochs;         /* 0, 1, ...: what is kept of them */
    float      *p, *q;          /* n x n */
    float      *y, *w;          /* n x c, n: what a student learns */
    bn_descent  rows;
    bn_gap  gap;
    bn_chase    round;
} state;

/* ---- how classes are joined ---- */

/* Marks the training nodes: kind (nodes of the graph) = 1 + their class. */
static void mark_known(int32_t *kind, const bn_problem *s)
{
    for (int64_t t = 0; t < s->job->trees; t++)
        kind[s->job->train[t]] = s->label[t] + 1;
}

/* Lists the neighbours of training nodes that are not marked; returns how many. */
static int64_t list_strangers(int32_t *node, int32_t *kind, const bn_problem *s)
{
    const bonsai_graph *g = s->job->g;
    int64_t count = 0;
    for (int64_t t = 0; t < s->job->trees; t++)
        for (int64_t e = bn_row_begin(g, s->job->train[t]);
             e < bn_row_begin(g, s->job->train[t] + 1); e++)
            if (kind[bn_neighbors(g)[e]] == 0) {
                kind[bn_neighbors(g)[e]] = -1;
                node[count++] = bn_neighbors(g)[e];
            }
    return count;
}

/* Fills label (count) with the classes that an expert predicts for rows x (count x f); ones: the
 * averaged column of ones. */
static bonsai_status expect(int32_t *label, const float *slab, const bn_problem *s,
                            const bn_input *x, const float *ones)
{
    bonsai_status rc;
    float *hidden = NULL, *score = NULL;
    const float *b1 = slab + s->f * HIDDEN, *w2 = b1 + HIDDEN, *b2 = w2 + HIDDEN * s->c;
    const bn_span all = {0, x->rows, s->threads};
    BN_TRY(BN_NEW(&hidden, x->rows * HIDDEN));
    BN_TRY(BN_NEW(&score, x->rows * s->c));
    const bn_input h = {.rows = x->rows, .cols = HIDDEN, .dense = hidden};
    bn_times(hidden, x, slab, HIDDEN, false, all);
    for (int64_t i = 0; i < x->rows; i++)
        bn_real_axpy(hidden + i * HIDDEN, ones[i], b1, HIDDEN);
    bn_times(score, &h, w2, s->c, false, all);
    for (int64_t i = 0; i < x->rows; i++) {
        float *row = score + i * s->c;
        bn_real_axpy(row, ones[i], b2, s->c);
        label[i] = 0;
        for (int32_t k = 1; k < s->c; k++)
            label[i] = row[k] > row[label[i]] ? k : label[i];
    }
done:
    bn_free(hidden);
    bn_free(score);
    return rc;
}

/* If labels are few, marks neighbours of training nodes with the class that the first expert
 * predicts. */
static bonsai_status mark_expected(int32_t *kind, const bn_problem *s, const state *a)
{
    bonsai_status rc;
    int32_t *node = NULL, *label = NULL;
    float *x = NULL, *ones = NULL;
    const float *slabs;
    const int64_t last = a->how->starts + a->how->ahead - 1;
    BN_TRY(BN_NEW(&node, s->job->g->view.nodes));
    const int64_t count = list_strangers(node, kind, s);
    BN_TRY(BN_NEW(&label, count));
    BN_TRY(BN_NEW(&x, count * s->f));
    BN_TRY(BN_NEW(&ones, count));
    BN_TRY(bn_problem_rows(x, s, node, count, 2));
    BN_TRY(bn_problem_ones(ones, s, node, count, 2));
    BN_TRY(bn_expert(&slabs, a->experts, 0));
    const bn_input rows = {.rows = count, .cols = s->f, .dense = x};
    if (slabs)
        BN_TRY(expect(label, slabs + last * bn_experts_size(a->experts), s, &rows, ones));
    for (int64_t i = 0; i < count; i++)
        kind[node[i]] = slabs ? label[i] + 1 : 0;
done:
    bn_free(node);
    bn_free(label);
    bn_free(x);
    bn_free(ones);
    return rc;
}

static void count_pairs(double *pairs, const int32_t *kind, const bn_problem *s)
{
    const bonsai_graph *g = s->job->g;
    for (int64_t t = 0; t < s->job->trees; t++) {
        const int64_t v = s->job->train[t];
        for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++) {
            const int32_t other = bn_neighbors(g)[e];
            if (other != v && kind[other] > 0)
                pairs[s->label[t] * s->c + kind[other] - 1]++;
        }
    }
}

static bonsai_status join_classes(bn_problem *s, state *a)
{
    bonsai_status rc;
    double *pairs = NULL;
    int32_t *kind = NULL;
    BN_TRY(BN_NEW(&kind, s->job->g->view.nodes));
    BN_TRY(BN_NEW(&pairs, s->c * s->c));
    mark_known(kind, s);
    if (bn_job_few_labels(s->job))
        BN_TRY(mark_expected(kind, s, a));
    count_pairs(pairs, kind, s);
    for (int64_t k = 0; k < s->c; k++) {
        double sum = 0;
        for (int64_t l = 0; l < s->c; l++)
            sum += pairs[k * s->c + l];
        for (int64_t l = 0; sum > 0 && l < s->c; l++)
            pairs[k * s->c + l] /= sum;
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            a->p[i * s->n + j] = (float)pairs[s->kind[i] * s->c + s->kind[j]];
done:
    bn_free(kind);
    bn_free(pairs);
    return rc;
}

/* ---- beginning and end ---- */

static bonsai_status find_experts(bn_problem *s, state *a)
{
    bonsai_status rc;
    const int64_t kept = a->how->starts + a->how->ahead;
    BN_TRY(BN_NEW(&a->epochs, kept));
    for (int64_t i = 0; i < kept; i++)
        a->epochs[i] = i;
    a->count = bn_effort(s, EXPERTS);
    const bn_training how = {
        .form = BN_STUDENT_SGC2, .hidden = HIDDEN, .adam = true, .slow = SLOW,
        .rate = published[s->like].expert_rate, .decay = EXPERT_DECAY, .wanted = a->epochs,
        .count = kept, .experts = a->count, .bytes = EXPERT_BYTES};
    BN_TRY(bn_experts_new(&a->experts, s, &how));
    a->turns = EXPERT_BYTES / (kept * bn_experts_size(a->experts) * (int64_t)sizeof(float));
    a->turns = a->turns < 1 ? 1 : bn_least(a->turns, BN_EXPERT_TURNS);
done:
    return rc;
}

static bonsai_status find_student(bn_problem *s, state *a)
{
    bonsai_status rc;
    const settings *how = a->how;
    const int64_t pairs = s->n * s->n;
    BN_TRY(BN_NEW(&a->p, pairs));
    BN_TRY(BN_NEW(&a->q, pairs));
    BN_TRY(BN_NEW(&a->y, s->n * s->c));
    BN_TRY(BN_NEW(&a->w, s->n));
    bn_one_hot(a->y, s->kind, s->n, s->c);
    for (int64_t i = 0; i < s->n; i++) {
        a->w[i] = 1 / (float)s->n;
        a->q[i * s->n + i] = 1;
    }
    bn_gap *f = &a->gap;
    f->e = (bn_closededges){.n = s->n, .f = s->f, .x = s->x, .p = a->p, .q = a->q,
                             .alpha = how->alpha, .beta = how->beta, .threads = s->threads};
    f->u = (bn_unroll){.s = {.h = HIDDEN, .c = s->c, .q = a->y, .w = a->w}, .steps = how->students,
                       .every = 1, .rate = STUDENT_RATE, .look = bn_chase_look, .of = &a->round};
    f->u.every = bn_gap_every(f, UNROLL_BYTES);
    BN_TRY(BN_NEW(&f->room, bn_gap_room(f)));
    BN_TRY(BN_NEW(&f->wide, bn_closededges_room(&f->e)));
    BN_TRY(bn_descent_new(&a->rows, s->x, s->n * s->f, how->rate, 0));
done:
    return rc;
}

static bonsai_status begin(bn_problem *s)
{
    bonsai_status rc;
    state *a = NULL;
    BN_TRY(BN_NEW(&a, 1));
    s->state = a;
    a->how = &published[s->like].of[s->size];
    s->steps = bn_effort(s, a->how->rounds);
    s->least = LEAST;
    BN_TRY(find_student(s, a));
    BN_TRY(bn_problem_start(s, a->how->hops));
    BN_TRY(find_experts(s, a));
    BN_TRY(join_classes(s, a));
done:
    return rc;
}

static void end(bn_problem *s)
{
    state *a = s->state;
    if (!a)
        return;
    bn_experts_free(a->experts);
    bn_descent_free(&a->rows);
    void *const owned[] = {a->epochs, a->p, a->q, a->y, a->w, a->gap.room, a->gap.wide, a};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    s->state = NULL;
}

/* ---- a round ---- */

/* Computes to = share to + (1 - share) a. */
static void draw_near(float *to, const float *a, double share, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(share * (double)to[i] + (1 - share) * (double)a[i]);
}

static bonsai_status step(bn_problem *s, int64_t i)
{
    bonsai_status rc;
    state *a = s->state;
    const float *slabs;
    const int64_t size = bn_experts_size(a->experts);
    double loss;
    bn_rng r = bn_rng_at(s->seed + FIRST_SEED, (uint64_t)i);
    const int64_t from = bn_rng_below(&r, a->how->starts);
    s->made = BN_MADE_NONE;             /* so far */
    BN_TRY(bn_expert(&slabs, a->experts, bn_expert_turn(i, s->steps, a->count, a->turns)));
    if (!slabs)
        goto done;
    a->round = (bn_chase){s, i};
    BN_TRY(bn_gap_run(&loss, a->rows.l.grad, s->a, &a->gap, slabs + from * size,
                      slabs + (from + a->how->ahead) * size));
    if (bn_problem_late(s))
        goto done;
    s->loss = loss;
    s->made = BN_MADE_WHOLE;
    if (!bn_descend(&a->rows, s))
        goto done;
    draw_near(a->p, s->a, a->how->tau, s->n * s->n);
    draw_near(a->q, s->a, a->how->gamma, s->n * s->n);
done:
    return rc;
}

/* Fills the edges from the present rows. */
static bonsai_status show(bn_problem *s)
{
    state *a = s->state;
    bn_closededges_run(s->a, &a->gap.e, a->gap.wide);
    return BONSAI_OK;
}

const bn_learner bn_gcsr = {.units = BN_UNITS_PUBLISHED, .edges = true, .pair = 40, .begin = begin,
                            .step = step, .show = show, .end = end, .work = bn_work_gcsr};
