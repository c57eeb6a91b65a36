/* gcond.c -- graph condensation by matching gradients (Jin et al., ICLR 2022), with edges and
 * without.
 *
 * A round starts with a new student.  In each step of a round the small graph moves so that, class
 * by class, it gives the student the same gradient as the full graph; between steps the student is
 * trained on the small graph.  Features and edges take turns: the first fifth of every 50 rounds
 * moves edges.
 *
 * Of the full graph only the training nodes' rows after two hops are needed, which are made once;
 * the reference samples neighbours, and these rows are the mean of such samples.  On ogbn-arxiv and
 * Flickr the reference has a hidden layer before the hops; here it follows them.
 *
 * A node without edges stands for a row after two hops, and starts as one; from raw rows the
 * accuracy falls within a hundred rounds.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "gcond.h"

enum { TURN = 50, EDGES = 5 };          /* rounds of a turn; its share for edges is 1 / EDGES */
enum { PAIRS = 512 };                   /* of a block of pairs */
enum { MOST_KEPT = 1 << 26 };           /* numbers of all pairs that are kept */
enum { SEED_EDGES = 1, SEED_MODEL, SEED_BATCH };

static const double rate_model = 0.01;

const bn_gcond_set bn_gcond_sets[BN_LIKES] = {
    [BN_LIKE_CORA] = {BN_STUDENT_LINEAR, 20, 15, 1e-4, 1e-4, 600, 128, 0.05f},
    [BN_LIKE_CITESEER] = {BN_STUDENT_LINEAR, 20, 15, 1e-4, 1e-4, 600, 128, 0.05f},
    [BN_LIKE_PUBMED] = {BN_STUDENT_LINEAR, 20, 15, 1e-4, 1e-4, 600, 128, 0.05f},
    [BN_LIKE_ARXIV] = {BN_STUDENT_MLP, 20, 3, 0.01, 0.01, 1000, 256, 0.01f},
    [BN_LIKE_FLICKR] = {BN_STUDENT_MLP, 10, 1, 0.005, 0.005, 1000, 256, 0.01f},
    [BN_LIKE_REDDIT] = {BN_STUDENT_LINEAR, 10, 1, 0.1, 0.1, 1000, 256, 0.01f},
};

static uint64_t seed_of(const bn_problem *s, uint64_t what, int64_t i)
{
    bn_rng r = bn_rng_at(s->seed, what << 56 | (uint64_t)i);
    return bn_rng_next(&r);
}

/* Returns whether round i moves edges.  A short run counts as one turn, with one round for edges
 * unless it has only one round. */
static bool is_for_edges(const bn_gcond_state *g, const bn_problem *s, int64_t i)
{
    const int64_t turn = s->steps < TURN ? s->steps : TURN;
    const int64_t count = turn / EDGES > 0 ? turn / EDGES : turn > 1;
    return g->m.net && i % turn < count;
}

/* ---- the full graph ---- */

/* Loads the training nodes by class and the rows that the student reads of them. */
static bonsai_status load_full(bn_gcond_state *g, bn_problem *s)
{
    bonsai_status rc;
    const int64_t count = s->job->trees;
    int32_t *node = NULL;
    int64_t at = 0;
    BN_TRY(BN_NEW(&node, count));
    BN_TRY(BN_NEW(&g->kind, count));
    BN_TRY(BN_NEW(&g->order, count));
    for (int64_t k = 0; k < s->c; k++)
        for (int64_t t = 0; t < count; t++)
            if (s->label[t] == k) {
                g->order[at] = (int32_t)at;
                g->kind[at] = (int32_t)k;
                node[at++] = s->job->train[t];
            }
    if (g->set.form == BN_STUDENT_GCN) {
        BN_TRY(bn_fullgcn_new(&g->gcn, s, node, count, BN_BATCH, BN_STUDENT_HIDDEN));
        goto done;
    }
    BN_TRY(BN_NEW(&g->rows, count * s->f));
    BN_TRY(bn_problem_rows(g->rows, s, node, count, 2));
done:
    bn_free(node);
    return rc;
}

/* Draws the batch of class k, whose nodes begin at `first`: the first places of `order`. */
static void draw_batch(bn_gcond_state *g, const bn_problem *s, int64_t k, int64_t first,
                       uint64_t seed)
{
    const int64_t have = s->have[k];
    int32_t *order = g->order + first;
    bn_rng r = bn_rng_at(seed, (uint64_t)k);
    for (int64_t i = 0; have > BN_BATCH && i < BN_BATCH; i++) {
        const int64_t other = i + bn_rng_below(&r, have - i);
        const int32_t swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
}

/* Returns the batch's rows; if the batch is the whole class, without copying. */
static const float *batch_rows(bn_gcond_state *g, const bn_problem *s, int64_t k, int64_t first)
{
    if (s->have[k] <= BN_BATCH)
        return g->rows + first * s->f;
    for (int64_t i = 0; i < BN_BATCH; i++)
        memcpy(g->batch + i * s->f, g->rows + g->order[first + i] * s->f,
               (size_t)s->f * sizeof *g->batch);
    return g->batch;
}

/* Computes the gradient of class k of the full graph. */
static void full_gradient(bn_gcond_state *g, const bn_problem *s, int64_t k, int64_t first)
{
    const int64_t count = s->have[k] < BN_BATCH ? s->have[k] : BN_BATCH;
    float *grad = g->m.full + k * g->m.size;
    bn_student full = g->m.s;
    if (full.form == BN_STUDENT_GCN) {
        bn_fullgcn_grad(grad, &g->gcn, g->theta, g->order + first, count, (int32_t)k);
        return;
    }
    full.n = count;
    full.x = batch_rows(g, s, k, first);
    full.q = g->q;
    full.w = g->w;
    bn_one_hot(g->q, g->kind + first, count, s->c);
    for (int64_t i = 0; i < count; i++)
        g->w[i] = 1 / (float)count;
    bn_student_grad(grad, &full, g->theta, g->room);
}

static void full_gradients(bn_gcond_state *g, const bn_problem *s, uint64_t seed)
{
    int64_t first = 0;
    for (int64_t k = 0; k < s->c; first += s->have[k++])
        if (s->want[k] > 0) {
            draw_batch(g, s, k, first, seed);
            full_gradient(g, s, k, first);
        }
}

/* ---- a round ---- */

/* Draws weights and biases as PyTorch does for a linear layer. */
static void new_model(bn_gcond_state *g, const bn_problem *s, int64_t round)
{
    const int64_t wide = g->set.form == BN_STUDENT_LINEAR ? s->c : BN_STUDENT_HIDDEN;
    const int64_t first = (s->f + 1) * wide;
    bn_draw_uniform(g->theta, 0, first, 1 / sqrt((double)s->f),
                    seed_of(s, SEED_MODEL, 2 * round));
    bn_draw_uniform(g->theta + first, 0, g->m.size - first, 1 / sqrt((double)wide),
                    seed_of(s, SEED_MODEL, 2 * round + 1));
    bn_descent_restart(&g->model);
}

static void train_model(bn_gcond_state *g, bn_problem *s)
{
    for (int i = 0; i < g->set.inner; i++) {
        bn_matching_train(g->model.l.grad, &g->m);
        bn_descend(&g->model, s);
    }
}

/* Adds up how much the distance depends on each node; sets the gradient of fixed nodes to 0. */
static void choose_rows(bn_gcond_state *g, const bn_problem *s)
{
    float *grad = g->x.l.grad;
    for (int64_t i = 0; g->weight && i < s->n; i++)
        for (int64_t j = i * s->f; j < (i + 1) * s->f; j++)
            g->weight[i] += fabs((double)s->x[j] * (double)grad[j]);
    for (int64_t i = 0; g->moves && i < s->n; i++)
        if (!g->moves[i])
            memset(grad + i * s->f, 0, (size_t)s->f * sizeof *grad);
}

static double move(bn_gcond_state *g, bn_problem *s, bool edges)
{
    const double far = bn_matching_backward(edges ? NULL : g->x.l.grad,
                                            edges ? g->edges.l.grad : NULL, &g->m);
    if (!edges)
        choose_rows(g, s);
    if (bn_descend(edges ? &g->edges : &g->x, s))
        bn_matching_forward(&g->m);
    return far;
}

bonsai_status bn_gcond_step(bn_problem *s, int64_t i)
{
    bonsai_status rc = BONSAI_OK;
    bn_gcond_state *g = s->state;
    const bool edges = is_for_edges(g, s, i);
    double sum = 0;
    int o = 0;
    new_model(g, s, i);
    while (o < g->set.outer && (o == 0 || !bn_problem_late(s))) {
        if (o > 0) {
            BN_TRY(bn_problem_tick(s, i));
            train_model(g, s);
        }
        full_gradients(g, s, seed_of(s, SEED_BATCH, i * g->set.outer + o));
        sum += move(g, s, edges);
        o++;
    }
    s->loss = sum / o;
    s->made = o < g->set.outer ? BN_MADE_PART : BN_MADE_WHOLE;
done:
    return rc;
}

/* ---- begin and end ---- */

static void lay_out(bn_gcond_state *g, const bn_problem *s, bn_slab *slab)
{
    if (g->m.net)
        bn_edgenet_lay(&g->net, slab);
    bn_matching_lay(&g->m, slab);
    g->theta = bn_slab_take(slab, 1, g->m.size);
    g->param = bn_slab_take(slab, g->m.net ? g->net.count : 0, 1);
    g->batch = bn_slab_take(slab, BN_BATCH, s->f);
    g->q = bn_slab_take(slab, BN_BATCH, s->c);
    g->w = bn_slab_take(slab, BN_BATCH, 1);
    bn_student full = g->m.s;
    full.n = BN_BATCH;
    full.x = s->x;
    g->room = bn_slab_take(slab, 1, bn_student_room(&full));
}

static bonsai_status make_slab(bn_gcond_state *g, const bn_problem *s)
{
    bn_slab slab = {0};
    lay_out(g, s, &slab);
    if (bn_slab_bytes(&slab) < 0)
        return bn_fail_at(BONSAI_E_MEMORY, s->job->g->where, "%lld nodes are too many to learn",
                          (long long)s->n);
    bonsai_status rc = BN_NEW(&g->slab, slab.used);
    if (rc != BONSAI_OK)
        return rc;
    slab = (bn_slab){.reals = g->slab};
    lay_out(g, s, &slab);
    g->m.x = s->x;
    g->m.theta = g->theta;
    g->m.param = g->param;
    return BONSAI_OK;
}

static void set_up(bn_gcond_state *g, const bn_problem *s, const bn_gcond_how *how)
{
    const int64_t kept = s->n * s->n * how->set->hidden * how->streams;
    g->set = *how->set;
    g->net = (bn_edgenet){.n = s->n, .d = s->f, .h = how->set->hidden, .streams = how->streams,
                          .threads = s->threads, .pairs = PAIRS, .keep = kept <= MOST_KEPT};
    g->m = (bn_matching){.s = {.form = how->set->form, .n = s->n, .f = s->f, .h = BN_STUDENT_HIDDEN,
                               .c = s->c, .threads = s->threads},
                         .kind = s->kind, .want = s->want, .net = how->streams ? &g->net : NULL,
                         .far = how->far, .smooth = how->smooth};
}

bonsai_status bn_gcond_begin(bn_problem *s, const bn_gcond_how *how)
{
    bonsai_status rc;
    bn_gcond_state *g;
    BN_TRY(BN_NEW(&g, 1));
    s->state = g;
    set_up(g, s, how);
    s->least = g->set.least;
    s->steps = bn_effort(s, g->set.rounds);
    BN_TRY(load_full(g, s));
    BN_TRY(bn_problem_start(s, how->streams ? 0 : 2));
    BN_TRY(make_slab(g, s));
    BN_TRY(bn_descent_new(&g->x, s->x, s->n * s->f, g->set.rate_x, 0));
    BN_TRY(bn_descent_new(&g->model, g->theta, g->m.size, rate_model, 0));
    g->model.student = true;
    if (g->m.net) {
        BN_TRY(bn_descent_new(&g->edges, g->param, g->net.count, g->set.rate_a, 0));
        bn_edgenet_init(g->param, &g->net, seed_of(s, SEED_EDGES, 0));
    }
    bn_matching_forward(&g->m);
done:
    return rc;
}

bonsai_status bn_gcond_show(bn_problem *s)
{
    const bn_gcond_state *g = s->state;
    if (s->a)
        memcpy(s->a, g->m.a, (size_t)(s->n * s->n) * sizeof *s->a);
    return BONSAI_OK;
}

void bn_gcond_end(bn_problem *s)
{
    bn_gcond_state *g = s->state;
    if (!g)
        return;
    bn_descent_free(&g->x);
    bn_descent_free(&g->edges);
    bn_descent_free(&g->model);
    bn_fullgcn_free(&g->gcn);
    void *const owned[] = {g->slab, g->rows, g->kind, g->order, g->weight, g->moves, g};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    s->state = NULL;
}

static bonsai_status begin(bn_problem *s)
{
    return bn_gcond_begin(s, &(bn_gcond_how){.set = &bn_gcond_sets[s->like], .streams = 1});
}

static bonsai_status begin_alone(bn_problem *s)
{
    return bn_gcond_begin(s, &(bn_gcond_how){.set = &bn_gcond_sets[s->like]});
}

const bn_learner bn_gcond = {
    .edges = true, .pair = 40, .begin = begin, .step = bn_gcond_step, .show = bn_gcond_show,
    .end = bn_gcond_end, .work = bn_work_gcond,
};

const bn_learner bn_gcond_x = {
    .begin = begin_alone, .step = bn_gcond_step, .show = bn_gcond_show, .end = bn_gcond_end,
    .work = bn_work_gcond_x,
};
