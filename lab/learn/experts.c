/* experts.c -- training of experts, and a cache of the most recent ones.
 *
 * All epochs are full batches without dropout.  The first weights come from the seed and the number
 * of the expert; nothing else of an expert is random.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "experts.h"

enum { TICK_WORK = 1 << 30 };

typedef struct {                /* an expert that is kept */
    int64_t which, used;        /* -1: none; when it was asked for */
    float  *slabs;
} seat;

struct bn_experts {
    const bn_problem *s;
    bn_training how;
    int64_t *wanted;            /* a copy */
    bn_expert_rows r;
    int64_t  size;
    int64_t  w2, b1, b2;        /* places in a slab; W1 is first */
    int32_t *order;             /* training nodes as they come in; NULL: all at once */
    bn_targets targets;         /* those that take part */
    bn_learned l;
    float   *hidden, *dhidden;  /* rows x hidden */
    float   *out, *dout;        /* rows x c */
    float   *z;                 /* training nodes x c */
    float   *room;
    seat    *seats;
    int64_t  count, clock;      /* seats */
};

/* ---- room ---- */

static int64_t work_room(const bn_experts *e)
{
    const bn_input hidden = {.rows = e->r.rows, .cols = e->how.hidden, .dense = e->hidden};
    const int64_t wide = e->how.hidden > e->s->c ? e->how.hidden : e->s->c;
    int64_t size = BN_BIAS_ROOM * wide, more = bn_times_room(&e->r.x, e->how.hidden);
    size = more > size ? more : size;
    more = bn_times_room(&hidden, e->s->c);
    return more > size ? more : size;
}

static bonsai_status make_room(bn_experts *e)
{
    bonsai_status rc;
    const int64_t h = e->how.hidden, c = e->s->c, trees = e->s->job->trees;
    BN_TRY(BN_NEW(&e->hidden, e->r.rows * h));
    BN_TRY(BN_NEW(&e->dhidden, e->r.rows * h));
    BN_TRY(BN_NEW(&e->out, e->r.rows * c));
    BN_TRY(BN_NEW(&e->dout, e->r.rows * c));
    BN_TRY(BN_NEW(&e->z, trees * c));
    BN_TRY(BN_NEW(&e->room, work_room(e)));
    BN_TRY(BN_NEW(&e->l.param, e->size));
    BN_TRY(BN_NEW(&e->l.grad, e->size));
    if (e->how.adam) {
        BN_TRY(BN_NEW(&e->l.m, e->size));
        BN_TRY(BN_NEW(&e->l.v, e->size));
    }
    e->l.count = e->size;
    BN_TRY(BN_NEW(&e->targets.node, trees));
    BN_TRY(BN_NEW(&e->targets.label, trees));
    BN_TRY(BN_NEW(&e->targets.weight, trees));
    if (e->how.pace == BN_CURRICULUM_NONE)
        goto done;
    BN_TRY(BN_NEW(&e->order, trees));
    BN_TRY(bn_curriculum_order(e->order, e->s));
done:
    return rc;
}

static bonsai_status make_seats(bn_experts *e)
{
    bonsai_status rc;
    const int64_t each = e->size * e->how.count;
    int64_t fit = e->how.bytes / (each * (int64_t)sizeof(float));
    fit = fit < 1 ? 1 : fit;
    BN_TRY(BN_NEW(&e->seats, fit < e->how.experts ? fit : e->how.experts));
    e->count = fit < e->how.experts ? fit : e->how.experts;
    for (int64_t i = 0; i < e->count; i++)
        e->seats[i].which = -1;
    for (int64_t i = 0; i < e->count; i++)
        BN_TRY(BN_NEW(&e->seats[i].slabs, each));
done:
    return rc;
}

bonsai_status bn_experts_new(bn_experts **out, const bn_problem *s, const bn_training *how)
{
    bonsai_status rc;
    bn_experts *e = NULL;
    BN_TRY(BN_NEW(&e, 1));
    e->s = s;
    e->how = *how;
    BN_TRY(BN_NEW(&e->wanted, how->count));
    memcpy(e->wanted, how->wanted, (size_t)how->count * sizeof *e->wanted);
    e->how.wanted = e->wanted;
    e->b1 = s->f * how->hidden;
    e->w2 = e->b1 + how->hidden;
    e->b2 = e->w2 + how->hidden * s->c;
    e->size = e->b2 + s->c;
    BN_TRY(bn_expert_rows_make(&e->r, s, how->form));
    BN_TRY(make_room(e));
    BN_TRY(make_seats(e));
    *out = e;
    e = NULL;
done:
    bn_experts_free(e);
    return rc;
}

void bn_experts_free(bn_experts *e)
{
    if (!e)
        return;
    for (int64_t i = 0; i < e->count; i++)
        bn_free(e->seats[i].slabs);
    bn_expert_rows_free(&e->r);
    void *const owned[] = {e->wanted, e->order, e->targets.node, e->targets.label,
                           e->targets.weight, e->l.param, e->l.grad, e->l.m, e->l.v, e->hidden,
                           e->dhidden, e->out, e->dout, e->z, e->room, e->seats};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        bn_free(owned[i]);
    bn_free(e);
}

int64_t bn_experts_size(const bn_experts *e)
{
    return e->size;
}

/* ---- one epoch ---- */

static bn_span all_of(const bn_experts *e, int64_t rows)
{
    return (bn_span){0, rows, e->s->threads};
}

static bn_input dense(const float *x, int64_t rows, int64_t cols)
{
    return (bn_input){.rows = rows, .cols = cols, .dense = x};
}

/* Adds to every row of y the bias b times the averaged column of ones. */
static void add_bias(const bn_experts *e, float *y, const float *b, int64_t h)
{
    const bn_input ones = dense(e->r.ones, e->r.rows, 1);
    if (e->r.ones)
        bn_times(y, &ones, b, h, true, all_of(e, e->r.rows));
    else
        bn_bias(y, b, e->r.rows, h, e->s->threads);
}

static void bias_t(const bn_experts *e, float *db, const float *dy, int64_t h)
{
    const bn_input ones = dense(e->r.ones, e->r.rows, 1);
    if (e->r.ones)
        bn_times_t(db, &ones, dy, h, e->room, e->s->threads);
    else
        bn_bias_t(db, dy, e->r.rows, h, e->room, e->s->threads);
}

static void first_layer(const bn_experts *e, const float *slab)
{
    const int64_t h = e->how.hidden;
    bn_times(e->hidden, &e->r.x, slab, h, false, all_of(e, e->r.rows));
    add_bias(e, e->hidden, slab + e->b1, h);
    if (e->how.form == BN_STUDENT_GCN)
        bn_relu_forward(e->hidden, e->r.rows * h, 0, 0, e->s->threads);
}

/* Returns the scores of training nodes. */
static float *forward(const bn_experts *e)
{
    const float *p = e->l.param;
    const int64_t c = e->s->c, trees = e->s->job->trees;
    const bn_input hidden = dense(e->hidden, e->r.rows, e->how.hidden);
    first_layer(e, p);
    bn_times(e->out, &hidden, p + e->w2, c, false, all_of(e, e->r.rows));
    if (e->how.form != BN_STUDENT_GCN) {
        add_bias(e, e->out, p + e->b2, c);
        return e->out;
    }
    bn_times(e->z, &e->r.to, e->out, c, false, all_of(e, trees));
    bn_bias(e->z, p + e->b2, trees, c, e->s->threads);
    return e->z;
}

/* Returns dout (rows x c), given the gradient of the scores of training nodes. */
static const float *scores_back(const bn_experts *e, const float *dz)
{
    float *db = e->l.grad + e->b2;
    const int64_t c = e->s->c;
    if (e->how.form != BN_STUDENT_GCN) {
        bias_t(e, db, dz, c);
        return dz;
    }
    bn_bias_t(db, dz, e->s->job->trees, c, e->room, e->s->threads);
    memset(e->dout, 0, (size_t)(e->r.rows * c) * sizeof *e->dout);
    bn_times_t(e->dout, &e->r.to, dz, c, e->room, e->s->threads);
    return e->dout;
}

static void backward(const bn_experts *e, const float *dz)
{
    const int64_t h = e->how.hidden, c = e->s->c;
    const bn_input hidden = dense(e->hidden, e->r.rows, h);
    const float *dout = scores_back(e, dz);
    bn_times_t(e->l.grad + e->w2, &hidden, dout, c, e->room, e->s->threads);
    bn_times_back(e->dhidden, dout, (bn_cols){e->l.param + e->w2, c, c}, h, false,
                  all_of(e, e->r.rows));
    if (e->how.form == BN_STUDENT_GCN)
        bn_relu_backward(e->dhidden, e->hidden, e->r.rows * h, 0, e->s->threads);
    bn_times_t(e->l.grad, &e->r.x, e->dhidden, h, e->room, e->s->threads);
    bias_t(e, e->l.grad + e->b1, e->dhidden, h);
}

/* Lists the nodes that take part in epoch t, ascending. */
static void choose_targets(bn_experts *e, int64_t t)
{
    bn_targets *a = &e->targets;
    const int64_t trees = e->s->job->trees;
    int64_t count = (int64_t)ceil(bn_curriculum_share(&e->how, t) * (double)trees);
    count = count < 1 ? 1 : count > trees ? trees : count;
    if (t > 0 && count == a->count)
        return;
    for (int64_t i = 0; i < trees; i++)
        a->label[i] = e->order ? 0 : 1;
    for (int64_t i = 0; e->order && i < count; i++)
        a->label[e->order[i]] = 1;
    a->count = 0;
    for (int64_t i = 0; i < trees; i++)
        if (a->label[i])
            a->node[a->count++] = (int32_t)i;
    for (int64_t i = 0; i < count; i++) {
        a->label[i] = e->s->label[a->node[i]];
        a->weight[i] = 1 / (float)count;
    }
}

/* Resets the moments of Adam. */
static void forget(bn_experts *e)
{
    const size_t bytes = e->how.adam ? (size_t)e->size * sizeof(float) : 0;
    if (bytes == 0)
        return;
    memset(e->l.m, 0, bytes);
    memset(e->l.v, 0, bytes);
}

static void descend(bn_experts *e, int64_t t)
{
    const bool slow = e->how.slow > 0 && t >= e->how.slow;
    const double rate = slow ? e->how.rate / 10 : e->how.rate;
    if (slow && t == e->how.slow)
        forget(e);
    if (e->how.adam) {
        bn_adam(&e->l, slow ? t - e->how.slow + 1 : t + 1, rate, e->how.decay, e->s->threads);
        return;
    }
    bn_real_axpy(e->l.grad, (float)e->how.decay, e->l.param, e->size);
    bn_real_axpy(e->l.param, (float)-rate, e->l.grad, e->size);
    memset(e->l.grad, 0, (size_t)e->size * sizeof *e->l.grad);
}

static void epoch(bn_experts *e, int64_t t)
{
    const int64_t c = e->s->c, trees = e->s->job->trees;
    choose_targets(e, t);
    float *z = forward(e);
    bn_cross_entropy(z, z, trees, c, &e->targets, e->s->threads);
    backward(e, z);
    descend(e, t);
}

/* ---- an expert ---- */

static void draw(float *w, int64_t count, int64_t fan, bn_rng *r)
{
    const double bound = 1 / sqrt((double)fan);
    for (int64_t i = 0; i < count; i++)
        w[i] = (float)(bound * (2 * bn_rng_unit(r) - 1));
}

static void begin(bn_experts *e, int64_t which)
{
    bn_rng r = bn_rng_at(e->s->seed, (uint64_t)which);
    draw(e->l.param, e->w2, e->s->f, &r);
    draw(e->l.param + e->w2, e->size - e->w2, e->how.hidden, &r);
    memset(e->l.grad, 0, (size_t)e->size * sizeof *e->l.grad);
    forget(e);
}

/* Returns the epochs between two checks of the clock. */
static int64_t tick_every(const bn_experts *e)
{
    const double inputs = e->r.x.dense ? (double)(e->r.rows * e->s->f)
                                       : (double)e->r.x.offsets[e->r.rows];
    const double every = (double)TICK_WORK / (inputs * (double)e->how.hidden);
    return every < 1 ? 1 : every > 100 ? 100 : (int64_t)every;
}

/* Trains an expert. *done is false if time was up before the last epoch. */
static bonsai_status train(bool *done, bn_experts *e, seat *to, int64_t which)
{
    bonsai_status rc = BONSAI_OK;
    const int64_t last = e->wanted[e->how.count - 1], every = tick_every(e);
    int64_t kept = 0;
    *done = false;
    begin(e, which);
    for (int64_t t = 0;; t++) {
        for (; kept < e->how.count && e->wanted[kept] == t; kept++)
            memcpy(to->slabs + kept * e->size, e->l.param, (size_t)e->size * sizeof(float));
        if (t == last)
            break;
        if (t % every == 0)
            BN_TRY(bn_tick(e->s->job->at.progress, "training an expert", t, last));
        if (t % every == 0 && bn_problem_late(e->s))
            goto done;
        epoch(e, t);
    }
    BN_TRY(bn_tick(e->s->job->at.progress, "training an expert", last, last));
    *done = true;
done:
    return rc;
}

/* Returns the seat of an expert; if it has none, the seat that was least recently used. */
static seat *find_seat(bn_experts *e, int64_t which)
{
    seat *best = &e->seats[0];
    for (seat *a = e->seats; a < e->seats + e->count; a++) {
        if (a->which == which)
            return a;
        best = a->used < best->used ? a : best;
    }
    return best;
}

bonsai_status bn_expert(const float **slabs, bn_experts *e, int64_t which)
{
    bonsai_status rc = BONSAI_OK;
    bool done = true;
    seat *a = find_seat(e, which);
    *slabs = NULL;
    if (a->which != which) {
        a->which = -1;
        BN_TRY(train(&done, e, a, which));
    }
    if (!done)
        goto done;
    a->which = which;
    a->used = ++e->clock;
    *slabs = a->slabs;
done:
    return rc;
}

/* Returns the place of training node t among the averaged rows: that of its loop, the first entry
 * of its row. */
static int64_t own_row(const bn_experts *e, int64_t t)
{
    return e->r.to.index[e->r.to.offsets[t]];
}

void bn_expert_hidden(float *out, const bn_experts *e, const float *slab)
{
    const int64_t h = e->how.hidden;
    first_layer(e, slab);
    for (int64_t t = 0; t < e->s->job->trees; t++)
        memcpy(out + t * h, e->hidden + own_row(e, t) * h, (size_t)h * sizeof *out);
}

int64_t bn_expert_turn(int64_t i, int64_t rounds, int64_t experts, int64_t turns)
{
    const int64_t groups = (experts + turns - 1) / turns, length = (rounds + groups - 1) / groups;
    const int64_t first = i / length * turns, count = bn_least(experts - first, turns);
    return first + i % length % count;
}

bonsai_status bn_chase_look(bool *stop, const void *of)
{
    const bn_chase *r = of;
    *stop = bn_problem_late(r->s);
    return bn_problem_tick(r->s, r->i);
}
