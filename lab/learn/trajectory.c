/* trajectory.c -- nodes without edges on which a student follows an expert.
 *
 * A round takes the parameters of an expert at some epoch, lets a student descend from there on
 * the small graph, and moves features (and labels) so that it ends nearer to where the expert was
 * some epochs later.  The student's rate is learned as well.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trajectory.h"

enum { EXPERTS = 200, HIDDEN = 256, GAP = 10, EXPERT_BYTES = 1 << 29, WAY_BYTES = 1 << 26 };

static const double eta_rate = 1e-6, eta_keep = 0.5, label_keep = 0.9, row_keep = 0.9;
static const double step_share = 0.5;   /* of the published rate */

typedef struct {
    bn_trajectory_plan plan;
    bn_experts *experts;
    int64_t  count;             /* experts */
    int64_t *wanted;            /* epochs that are kept, ascending */
    int64_t  epochs;            /* of these */
    bn_unroll u;
    bn_chase  round;
    float   *dx, *xspeed;       /* n x f */
    float   *q, *w;             /* n x c, n: of the student */
    float   *dq, *logit, *speed;        /* n x c: of soft labels */
    double   eta_speed;
    float   *end, *dend;        /* slabs */
    float   *room;
} follow;

/* ---- epochs ---- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns whether the fully trained expert is needed. */
static bool wants_last(const bn_trajectory_plan *p)
{
    return p->beta > 0 || p->soft > 0;
}

/* Lists the epochs of starts and targets, and the last one. */
static bonsai_status list_epochs(follow *f)
{
    bonsai_status rc;
    const bn_trajectory_plan *p = &f->plan;
    const int64_t starts = (p->window_end + GAP - 1) / GAP;
    int64_t count = 0, kept = 0;
    BN_TRY(BN_NEW(&f->wanted, 2 * starts + 1));
    for (int64_t i = 0; i < starts; i++) {
        f->wanted[count++] = i * GAP;
        f->wanted[count++] = i * GAP + p->ahead;
    }
    if (wants_last(p))
        f->wanted[count++] = p->epochs;
    qsort(f->wanted, (size_t)count, sizeof *f->wanted, by_number);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || f->wanted[i] != f->wanted[i - 1])
            f->wanted[kept++] = f->wanted[i];
    f->epochs = kept;
done:
    return rc;
}

static const float *slab_at(const follow *f, const float *slabs, int64_t epoch)
{
    const int64_t *at = bsearch(&epoch, f->wanted, (size_t)f->epochs, sizeof epoch, by_number);
    return slabs + (at - f->wanted) * bn_experts_size(f->experts);
}

static const float *last_slab(const follow *f, const float *slabs)
{
    return slabs + (f->epochs - 1) * bn_experts_size(f->experts);
}

/* Returns the epoch at which the student of round i starts.  The window grows as in all published
 * rounds. */
static int64_t start_epoch(const bn_problem *s, const follow *f, int64_t i)
{
    const bn_trajectory_plan *p = &f->plan;
    const double share = (double)i / (double)s->steps;
    int64_t window = p->window + (int64_t)(share * (double)p->rounds);
    window = window < p->window_end ? window : p->window_end;
    bn_rng r = bn_rng_at(~s->seed, (uint64_t)i);
    return bn_rng_below(&r, window) / GAP * GAP;
}

/* ---- the start: training nodes spread out in what an expert sees ---- */

static double squared_gap(const float *a, const float *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum;
}

typedef struct {
    const bn_problem *s;
    const float *at;            /* training nodes x HIDDEN */
    int32_t *of;                /* places of a class */
    int64_t  count;
    float   *mean;              /* HIDDEN */
    double  *far;               /* of each from what is picked */
    int64_t  done;              /* picked of all classes */
} spread;

static void find_mean(spread *a)
{
    memset(a->mean, 0, HIDDEN * sizeof *a->mean);
    for (int64_t i = 0; i < a->count; i++)
        for (int64_t k = 0; k < HIDDEN; k++)
            a->mean[k] += a->at[(int64_t)a->of[i] * HIDDEN + k] / (float)a->count;
}

/* Returns the candidate farthest from all picked ones, after `last` was picked; the next one if
 * time is up. */
static int64_t farthest(spread *a, int64_t last)
{
    const float *centre = a->at + (int64_t)a->of[last] * HIDDEN;
    int64_t best = 0;
    if (bn_problem_late(a->s))
        return (last + 1) % a->count;
    for (int64_t i = 0; i < a->count; i++) {
        const double gap = squared_gap(a->at + (int64_t)a->of[i] * HIDDEN, centre, HIDDEN);
        a->far[i] = gap < a->far[i] ? gap : a->far[i];
        best = a->far[i] > a->far[best] ? i : best;
    }
    return best;
}

/* Picks the candidate nearest to the mean, then repeatedly the one farthest from all picked
 * ones. */
static bonsai_status pick_spread(int32_t *pick, spread *a, int64_t want)
{
    bonsai_status rc = BONSAI_OK;
    int64_t best = 0;
    find_mean(a);
    for (int64_t i = 0; i < a->count; i++) {
        a->far[i] = squared_gap(a->at + (int64_t)a->of[i] * HIDDEN, a->mean, HIDDEN);
        best = a->far[i] < a->far[best] ? i : best;
    }
    for (int64_t i = 0; i < a->count; i++)
        a->far[i] = INFINITY;
    for (int64_t j = 0; j < want; j++) {
        BN_TRY(bn_tick(a->s->job->at.progress, "first rows", a->done++, a->s->n));
        pick[j] = a->of[best];
        best = farthest(a, best);
    }
done:
    return rc;
}

static bonsai_status pick_nodes(int32_t *pick, const bn_problem *s, const float *hidden)
{
    bonsai_status rc;
    const int64_t trees = s->job->trees;
    spread a = {.s = s, .at = hidden};
    BN_TRY(BN_NEW(&a.of, trees));
    BN_TRY(BN_NEW(&a.far, trees));
    BN_TRY(BN_NEW(&a.mean, HIDDEN));
    for (int64_t k = 0; k < s->c; pick += s->want[k++]) {
        a.count = 0;
        for (int64_t t = 0; t < trees; t++)
            if (s->label[t] == k)
                a.of[a.count++] = (int32_t)t;
        if (a.count > 0)
            BN_TRY(pick_spread(pick, &a, s->want[k]));
    }
    BN_TRY(bn_tick(s->job->at.progress, "first rows", s->n, s->n));
done:
    bn_free(a.of);
    bn_free(a.far);
    bn_free(a.mean);
    return rc;
}

static bonsai_status start_rows(bn_problem *s, const follow *f, const float *slab)
{
    bonsai_status rc;
    float *hidden = NULL;
    int32_t *pick = NULL;
    BN_TRY(BN_NEW(&hidden, s->job->trees * HIDDEN));
    BN_TRY(BN_NEW(&pick, s->n));
    bn_expert_hidden(hidden, f->experts, slab);
    BN_TRY(pick_nodes(pick, s, hidden));
    for (int64_t i = 0; i < s->n; i++)
        pick[i] = s->job->train[pick[i]];
    BN_TRY(bn_problem_rows(s->x, s, pick, s->n, 0));
done:
    bn_free(hidden);
    bn_free(pick);
    return rc;
}

/* ---- soft labels ---- */

static void show_labels(follow *f, int64_t n, int64_t c)
{
    memcpy(f->q, f->logit, (size_t)(n * c) * sizeof *f->q);
    bn_softmax(f->q, n, c, 1);
}

/* Sets soft labels to the expert's prediction, raised so that the true class is at least as likely
 * as any. */
static void start_labels(bn_problem *s, follow *f, const float *slab)
{
    const int64_t n = s->n, c = s->c, w2 = (s->f + 1) * HIDDEN;
    const bn_input x = {.rows = n, .cols = s->f, .dense = s->x};
    const bn_input hidden = {.rows = n, .cols = HIDDEN, .dense = f->room};
    const bn_span all = {0, n, s->threads};
    bn_times(f->room, &x, slab, HIDDEN, false, all);
    bn_bias(f->room, slab + s->f * HIDDEN, n, HIDDEN, s->threads);
    bn_relu_forward(f->room, n * HIDDEN, 0, 0, s->threads);
    bn_times(f->logit, &hidden, slab + w2, c, false, all);
    bn_bias(f->logit, slab + w2 + HIDDEN * c, n, c, s->threads);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < c; k++)
            if (f->logit[i * c + k] > f->logit[i * c + s->kind[i]])
                f->logit[i * c + s->kind[i]] = f->logit[i * c + k];
    show_labels(f, n, c);
}

static void move_labels(follow *f, int64_t n, int64_t c, float factor)
{
    for (int64_t i = 0; i < n * c; i += c) {
        const float *q = f->q + i, *dq = f->dq + i;
        float mean = 0;
        for (int64_t k = 0; k < c; k++)
            mean += q[k] * dq[k];
        for (int64_t k = 0; k < c; k++) {
            float *speed = &f->speed[i + k];
            *speed = (float)label_keep * *speed + factor * q[k] * (dq[k] - mean);
            f->logit[i + k] -= (float)f->plan.soft * *speed;
        }
    }
    show_labels(f, n, c);
}

/* ---- begin ---- */

static bonsai_status make_experts(bn_problem *s, follow *f)
{
    const bn_trajectory_plan *p = &f->plan;
    const bn_training how = {
        .form = BN_STUDENT_GCN, .hidden = HIDDEN, .adam = p->adam, .rate = p->expert_rate,
        .decay = p->expert_decay, .pace = p->pace, .share = p->share, .grown = p->grown,
        .wanted = f->wanted, .count = f->epochs, .experts = f->count, .bytes = EXPERT_BYTES};
    return bn_experts_new(&f->experts, s, &how);
}

static bonsai_status make_student(bn_problem *s, follow *f)
{
    bonsai_status rc;
    const int64_t n = s->n, c = s->c;
    f->u = (bn_unroll){.s = {.form = BN_STUDENT_MLP, .n = n, .f = s->f, .h = HIDDEN, .c = c,
                             .x = s->x, .threads = s->threads},
                       .steps = f->plan.steps, .every = 1, .rate = f->plan.eta,
                       .look = bn_chase_look, .of = &f->round};
    f->u.every = bn_unroll_every(&f->u, WAY_BYTES);
    if (!s->q)
        BN_TRY(BN_NEW(&f->q, n * c));
    else
        f->q = s->q;
    BN_TRY(BN_NEW(&f->w, n));
    BN_TRY(BN_NEW(&f->dq, n * c));
    BN_TRY(BN_NEW(&f->logit, n * c));
    BN_TRY(BN_NEW(&f->speed, n * c));
    BN_TRY(BN_NEW(&f->end, bn_experts_size(f->experts)));
    BN_TRY(BN_NEW(&f->dend, bn_experts_size(f->experts)));
    const int64_t way = bn_unroll_room(&f->u), one = bn_student_room(&f->u.s);
    BN_TRY(BN_NEW(&f->room, way > one ? way : one));
    BN_TRY(BN_NEW(&f->dx, n * s->f));
    BN_TRY(BN_NEW(&f->xspeed, n * s->f));
    f->u.s.q = f->q;
    f->u.s.w = f->w;
    for (int64_t i = 0; i < n; i++)
        f->w[i] = 1 / (float)n;
    bn_one_hot(f->q, s->kind, n, c);
done:
    return rc;
}

/* Returns the plan, with shorter ways below a hundredth of the effort, which has two experts. */
static bn_trajectory_plan shortened(const bn_problem *s, const bn_trajectory_plan *plan)
{
    bn_trajectory_plan p = *plan;
    int64_t *const length[] = {&p.epochs, &p.grown, &p.window, &p.window_end, &p.ahead, &p.steps};
    for (size_t i = 0; s->job->o->effort < 0.01 && i < sizeof length / sizeof *length; i++)
        *length[i] = bn_effort(s, 100 * (double)*length[i]);
    return p;
}

bonsai_status bn_trajectory_begin(bn_problem *s, const bn_trajectory_plan *plan)
{
    bonsai_status rc;
    follow *f = NULL;
    const float *slabs;
    BN_TRY(BN_NEW(&f, 1));
    s->state = f;
    f->plan = shortened(s, plan);
    f->count = bn_effort(s, EXPERTS);
    s->steps = bn_effort(s, (double)plan->rounds);
    f->count = f->count < s->steps ? f->count : s->steps;
    BN_TRY(list_epochs(f));
    BN_TRY(make_experts(s, f));
    BN_TRY(make_student(s, f));
    BN_TRY(bn_expert(&slabs, f->experts, 0));
    if (!slabs) {                               /* no time for any */
        BN_TRY(bn_problem_start(s, 0));
        goto done;
    }
    BN_TRY(start_rows(s, f, last_slab(f, slabs)));
    if (plan->soft > 0)
        start_labels(s, f, last_slab(f, slabs));
done:
    return rc;
}

/* ---- rounds ---- */

/* Moves rows by a gradient scaled to the length of an Adam step, because a long descent may be
 * chaotic: then its gradient is thousands of times that of another.  Adam itself weighs every
 * feature alike and would walk at random in those on which nothing depends.  *factor: what the
 * gradient was multiplied with.  Returns whether there was a step. */
static bool move_rows(bn_problem *s, follow *f, double *factor)
{
    const int64_t count = s->n * s->f;
    const double rate = step_share * f->plan.rate * sqrt((double)count);
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)f->dx[i] * (double)f->dx[i];
    *factor = sum > 0 ? 1 / sqrt(sum) : 0;
    s->skipped += !isfinite(sum);
    s->in_a_row = isfinite(sum) ? 0 : s->in_a_row + 1;
    for (int64_t i = 0; isfinite(sum) && i < count; i++) {
        f->xspeed[i] = (float)(row_keep * (double)f->xspeed[i] +
                               (1 - row_keep) * *factor * (double)f->dx[i]);
        s->x[i] -= (float)rate * f->xspeed[i];
    }
    memset(f->dx, 0, (size_t)count * sizeof *f->dx);
    return isfinite(sum);
}

static void move_eta(follow *f, double slope)
{
    f->eta_speed = eta_keep * f->eta_speed + slope;
    const double next = f->u.rate - eta_rate * f->eta_speed;
    f->u.rate = next > 0 ? next : f->u.rate;
}

bonsai_status bn_trajectory_step(bn_problem *s, int64_t i)
{
    bonsai_status rc;
    follow *f = s->state;
    const float *slabs;
    const bn_trajectory_plan *p = &f->plan;
    const int64_t epoch = start_epoch(s, f, i), size = bn_experts_size(f->experts);
    double factor;
    bn_unrolled out = {.dx = f->dx, .dq = p->soft > 0 ? f->dq : NULL};
    const int64_t which = bn_expert_turn(i, s->steps, f->count, BN_EXPERT_TURNS);
    s->made = BN_MADE_NONE;             /* so far */
    BN_TRY(bn_expert(&slabs, f->experts, which));
    if (!slabs)
        goto done;
    const float *start = slab_at(f, slabs, epoch), *target = slab_at(f, slabs, epoch + p->ahead);
    f->round = (bn_chase){s, i};
    BN_TRY(bn_unroll_run(f->end, &f->u, start, f->room));
    if (bn_problem_late(s))
        goto done;
    s->loss = bn_missed(f->dend, f->end, start, target, size, p->squared);
    memset(f->dq, 0, (size_t)(s->n * s->c) * sizeof *f->dq);
    BN_TRY(bn_unroll_back(&out, &f->u, start, f->dend, f->room));
    if (bn_problem_late(s))
        goto done;
    if (p->beta > 0)
        s->loss += p->beta * bn_student_input(f->dx, &f->u.s, last_slab(f, slabs), (float)p->beta,
                                              f->room);
    s->made = BN_MADE_WHOLE;
    if (!move_rows(s, f, &factor))
        goto done;
    move_eta(f, factor * out.drate);
    if (p->soft > 0)
        move_labels(f, s->n, s->c, (float)factor);
done:
    return rc;
}

bonsai_status bn_trajectory_show(bn_problem *s)
{
    (void)s;                    /* all of it is there */
    return BONSAI_OK;
}

void bn_trajectory_end(bn_problem *s)
{
    follow *f = s->state;
    if (!f)
        return;
    bn_experts_free(f->experts);
    void *const owned[] = {f->wanted, s->q ? NULL : f->q, f->w, f->dx, f->xspeed, f->dq, f->logit,
                           f->speed, f->end, f->dend, f->room, f};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    s->state = NULL;
}
