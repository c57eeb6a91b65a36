/* rop.c -- gradients of a student on a small graph, and derivatives of these gradients.
 *
 * The derivative of <v, gradient> with respect to anything is the tangent of the backward pass in
 * the direction v of the parameters (Pearlmutter 1994): every line of the forward and of the
 * backward pass has a line beside it, by the product rule.  The second derivative of relu is 0.
 *
 * All forms are one or two layers, each u0 = in W, then u1 = N u0, u2 = N u1, ...; a bias is added
 * to the first or to the last of them.  Products with the graph are made where rows are narrow.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>
#include <tgmath.h>

#include "tangent.h"

typedef struct {                /* a layer at work; `_dot`: the tangent of what is beside it */
    int64_t f, h;
    int     hops;
    bool    late, relu;         /* the bias comes after the hops */
    int64_t w_at, b_at, end;    /* in the slab; b_at = end: no bias */
    const real *in, *in_dot;    /* (n,f); in NULL: the identity, in_dot NULL: 0 */
    real   *u, *u_dot;          /* hops+1 of (n,h): the last after relu */
    real   *g, *g_dot;          /* the same of their gradients */
} layer;

typedef struct {
    const bn_student *s;
    layer   l[2];
    int     layers;
    const real *theta, *v;
    real   *scratch;            /* of products */
} task;

/* ---- the layers of a form ---- */

static layer plan_layer(const bn_student *s, int64_t at, int64_t f, int64_t h, bool bias)
{
    layer l = {.f = f, .h = h, .hops = s->norm ? s->hops : 0, .w_at = at, .b_at = at + f * h};
    l.end = l.b_at + (bias ? h : 0);
    return l;
}

static task plan(const bn_student *s)
{
    task t = {.s = s, .layers = s->form == BN_STUDENT_LINEAR ? 1 : 2};
    const int64_t first = t.layers == 1 ? s->c : s->h;
    t.l[0] = plan_layer(s, 0, s->f, first, s->x != NULL);
    t.l[0].late = true;
    if (t.layers == 1)
        return t;
    t.l[1] = plan_layer(s, t.l[0].end, s->h, s->c, true);
    t.l[0].relu = s->form != BN_STUDENT_SGC2;
    t.l[0].hops = 0;
    if (s->form != BN_STUDENT_GCN)
        return t;
    t.l[0].hops = t.l[1].hops = s->norm ? 1 : 0;
    t.l[1].late = true;
    return t;
}

int64_t bn_student_size(const bn_student *s)
{
    const task t = plan(s);
    return t.l[t.layers - 1].end;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bn_input dense(const real *at, int64_t rows, int64_t cols)
{
    return (bn_input){.rows = rows, .cols = cols, .dense = at};
}

static int64_t scratch_of(const task *t)
{
    const int64_t n = t->s->n;
    static const real some;
    int64_t size = 0;
    for (const layer *l = t->l; l < t->l + t->layers; l++) {
        const bn_input in = dense(&some, n, l->f), norm = dense(&some, n, n);
        size = most(size, bn_times_room(&in, l->h));
        size = most(size, bn_times_room(&norm, l->h));
        size = most(size, BN_BIAS_ROOM * l->h);
    }
    return size;
}

static int64_t stack(const task *t, const layer *l)
{
    return (l->hops + 1) * t->s->n * l->h;
}

int64_t bn_student_room(const bn_student *s)
{
    const task t = plan(s);
    int64_t size = scratch_of(&t);
    for (const layer *l = t.l; l < t.l + t.layers; l++)
        size += 4 * stack(&t, l);
    return size;
}

static void take_room(task *t, real *room)
{
    t->scratch = room;
    room += scratch_of(t);
    for (layer *l = t->l; l < t->l + t->layers; l++) {
        real **const of[] = {&l->u, &l->u_dot, &l->g, &l->g_dot};
        for (int i = 0; i < 4; i++, room += stack(t, l))
            *of[i] = room;
    }
}

/* ---- products ---- */

static bn_span all_rows(const task *t)
{
    return (bn_span){0, t->s->n, t->s->threads};
}

/* Computes y (n,h) = in w; add: adds it to y. */
static void project(const task *t, real *y, const layer *l, const real *in, const real *w, bool add)
{
    const bn_input x = dense(in, t->s->n, l->f);
    if (in)
        bn_times(y, &x, w, l->h, add, all_rows(t));
    else
        memcpy(y, w, (size_t)(l->f * l->h) * sizeof *y);
}

/* Adds the transpose of in times g0 to dw (f,h). */
static void project_t(const task *t, real *dw, const layer *l, const real *in, const real *g)
{
    const bn_input x = dense(in, t->s->n, l->f);
    if (in)
        bn_times_t(dw, &x, g, l->h, t->scratch, t->s->threads);
    else
        bn_real_axpy(dw, 1, g, l->f * l->h);
}

/* Computes din (n,f) = g0 times the transpose of w; add: adds it. */
static void project_back(const task *t, real *din, const layer *l, const real *g, const real *w,
                         bool add)
{
    bn_times_back(din, g, (bn_cols){w, l->h, l->h}, l->f, add, all_rows(t));
}

static void add_bias(const task *t, real *y, const layer *l, const real *b)
{
    const bn_input ones = dense(t->s->ones, t->s->n, 1);
    if (l->b_at == l->end)
        return;
    if (t->s->ones)
        bn_times(y, &ones, b, l->h, true, all_rows(t));
    else
        bn_bias(y, b, t->s->n, l->h, t->s->threads);
}

static void bias_t(const task *t, real *db, const layer *l, const real *g)
{
    const bn_input ones = dense(t->s->ones, t->s->n, 1);
    if (l->b_at == l->end)
        return;
    if (t->s->ones)
        bn_times_t(db, &ones, g, l->h, t->scratch, t->s->threads);
    else
        bn_bias_t(db, g, t->s->n, l->h, t->scratch, t->s->threads);
}

/* Computes u[1 ...] from u[0], with the bias. */
static void hop(const task *t, real *u, const layer *l, const real *b)
{
    const int64_t one = t->s->n * l->h;
    const bn_input norm = dense(t->s->norm, t->s->n, t->s->n);
    if (!l->late)
        add_bias(t, u, l, b);
    for (int k = 0; k < l->hops; k++)
        bn_times(u + (k + 1) * one, &norm, u + k * one, l->h, false, all_rows(t));
    if (l->late)
        add_bias(t, u + l->hops * one, l, b);
}

/* Computes the gradients of u[hops-1 ... 0] from that of u[hops]. */
static void hop_t(const task *t, real *g, const layer *l)
{
    const int64_t one = t->s->n * l->h;
    const bn_input norm = dense(t->s->norm, t->s->n, t->s->n);
    for (int k = l->hops - 1; k >= 0; k--) {
        memset(g + k * one, 0, (size_t)one * sizeof *g);
        bn_times_t(g + k * one, &norm, g + (k + 1) * one, l->h, t->scratch, t->s->threads);
    }
}

static real *last(const task *t, const layer *l, real *u)
{
    return u + l->hops * t->s->n * l->h;
}

/* Sets y to 0 where the layer's output is 0. */
static void mask(const task *t, real *y, const layer *l)
{
    const real *out = last(t, l, l->u);
    for (int64_t i = 0; l->relu && i < t->s->n * l->h; i++)
        y[i] = out[i] <= 0 ? 0 : y[i];          /* what is not a number stays */
}

/* ---- forward ---- */

static void forward(const task *t, layer *l)
{
    project(t, l->u, l, l->in, t->theta + l->w_at, false);
    hop(t, l->u, l, t->theta + l->b_at);
    mask(t, last(t, l, l->u), l);
}

static void forward_dot(const task *t, layer *l)
{
    project(t, l->u_dot, l, l->in, t->v + l->w_at, false);
    if (l->in_dot)
        project(t, l->u_dot, l, l->in_dot, t->theta + l->w_at, true);
    hop(t, l->u_dot, l, t->v + l->b_at);
    mask(t, last(t, l, l->u_dot), l);
}

static void run(task *t)
{
    t->l[0].in = t->s->x;
    for (int i = 0; i < t->layers; i++) {
        if (i) {
            t->l[1].in = last(t, &t->l[0], t->l[0].u);
            t->l[1].in_dot = t->v ? last(t, &t->l[0], t->l[0].u_dot) : NULL;
        }
        forward(t, &t->l[i]);
        if (t->v)
            forward_dot(t, &t->l[i]);
    }
}

/* ---- the loss ---- */

/* Computes p (c) = softmax(z); returns the cross-entropy of q and p. */
static double softmax_row(real *p, const real *z, const real *q, int64_t c)
{
    real top = z[0], sum = 0;
    double wanted = 0;
    for (int64_t k = 1; k < c; k++)
        top = z[k] > top ? z[k] : top;
    for (int64_t k = 0; k < c; k++) {
        p[k] = exp(z[k] - top);
        sum += p[k];
        wanted += (double)q[k] * (double)(z[k] - top);
    }
    for (int64_t k = 0; k < c; k++)
        p[k] /= sum;
    return log((double)sum) - wanted;
}

/* Computes g_dot = w times the tangent of p. */
static void softmax_dot(real *g_dot, const real *p, const real *z_dot, real w, int64_t c)
{
    real mean = 0;
    for (int64_t k = 0; k < c; k++)
        mean += p[k] * z_dot[k];
    for (int64_t k = 0; k < c; k++)
        g_dot[k] = w * p[k] * (z_dot[k] - mean);
}

/* Fills the gradient of the scores and its tangent; returns the loss. */
static double loss_of(const task *t)
{
    const bn_student *s = t->s;
    const layer *l = &t->l[t->layers - 1];
    const real *z = last(t, l, l->u), *z_dot = last(t, l, l->u_dot);
    real *g = last(t, l, l->g), *g_dot = last(t, l, l->g_dot);
    double loss = 0;
    for (int64_t i = 0, at = 0; i < s->n; i++, at += s->c) {
        loss += (double)s->w[i] * softmax_row(g + at, z + at, s->q + at, s->c);
        if (t->v)
            softmax_dot(g_dot + at, g + at, z_dot + at, s->w[i], s->c);
        for (int64_t k = at; k < at + s->c; k++)
            g[k] = s->w[i] * (g[k] - s->q[k]);
    }
    return loss;
}

/* ---- backward ---- */

/* Computes g of this layer from its last entry, then that of the layer below, if any. */
static void backward(const task *t, const layer *l, const layer *below)
{
    hop_t(t, l->g, l);
    if (t->v)
        hop_t(t, l->g_dot, l);
    if (!below)
        return;
    real *g = last(t, below, below->g), *g_dot = last(t, below, below->g_dot);
    project_back(t, g, l, l->g, t->theta + l->w_at, false);
    mask(t, g, below);
    if (!t->v)
        return;
    project_back(t, g_dot, l, l->g_dot, t->theta + l->w_at, false);
    project_back(t, g_dot, l, l->g, t->v + l->w_at, true);
    mask(t, g_dot, below);
}

static void run_back(const task *t)
{
    for (int i = t->layers - 1; i >= 0; i--)
        backward(t, &t->l[i], i ? &t->l[i - 1] : NULL);
}

static void put_grad(const task *t, const layer *l, real *grad)
{
    memset(grad + l->w_at, 0, (size_t)(l->end - l->w_at) * sizeof *grad);
    project_t(t, grad + l->w_at, l, l->in, l->g);
    bias_t(t, grad + l->b_at, l, l->late ? last(t, l, l->g) : l->g);
}

static void put_hess(const task *t, const layer *l, real *hess)
{
    memset(hess + l->w_at, 0, (size_t)(l->end - l->w_at) * sizeof *hess);
    project_t(t, hess + l->w_at, l, l->in, l->g_dot);
    if (l->in_dot)
        project_t(t, hess + l->w_at, l, l->in_dot, l->g);
    bias_t(t, hess + l->b_at, l, l->late ? last(t, l, l->g_dot) : l->g_dot);
}

double bn_student_grad(real *grad, const bn_student *s, const real *theta, real *room)
{
    task t = plan(s);
    take_room(&t, room);
    t.theta = theta;
    run(&t);
    const double loss = loss_of(&t);
    run_back(&t);
    for (int i = 0; i < t.layers; i++)
        put_grad(&t, &t.l[i], grad);
    return loss;
}

/* ---- what the gradient is made of ---- */

static void put_x(const task *t, real *dx)
{
    const layer *l = &t->l[0];
    project_back(t, dx, l, l->g_dot, t->theta + l->w_at, true);
    project_back(t, dx, l, l->g, t->v + l->w_at, true);
}

/* Adds to dn the gradient of u[k+1] times the transpose of u[k], and its tangent. */
static void put_norm(const task *t, const layer *l, real *dn)
{
    const int64_t n = t->s->n, one = n * l->h;
    for (int k = 0; k < l->hops; k++) {
        const bn_cols u = {l->u + k * one, l->h, l->h}, u_dot = {l->u_dot + k * one, l->h, l->h};
        bn_times_back(dn, l->g_dot + (k + 1) * one, u, n, true, all_rows(t));
        bn_times_back(dn, l->g + (k + 1) * one, u_dot, n, true, all_rows(t));
    }
}

static void put_ones(const task *t, const layer *l, real *dones)
{
    const real *b = t->theta + l->b_at, *b_dot = t->v + l->b_at;
    const real *g = l->late ? last(t, l, l->g) : l->g;
    const real *g_dot = l->late ? last(t, l, l->g_dot) : l->g_dot;
    for (int64_t i = 0; i < t->s->n && l->b_at < l->end; i++)
        for (int64_t k = 0; k < l->h; k++)
            dones[i] += g_dot[i * l->h + k] * b[k] + g[i * l->h + k] * b_dot[k];
}

static void put_targets(const task *t, real *dq)
{
    const layer *l = &t->l[t->layers - 1];
    const real *z_dot = last(t, l, l->u_dot);
    for (int64_t i = 0; i < t->s->n; i++)
        bn_real_axpy(dq + i * l->h, -t->s->w[i], z_dot + i * l->h, l->h);
}

/* Returns <v, gradient>: the change of the loss in the direction v. */
static double slope_of(const task *t)
{
    const layer *l = &t->l[t->layers - 1];
    const real *g = last(t, l, l->g), *z_dot = last(t, l, l->u_dot);
    double sum = 0;
    for (int64_t i = 0; i < t->s->n * l->h; i++)
        sum += (double)g[i] * (double)z_dot[i];
    return sum;
}

void bn_rop(bn_tangent *out, const bn_student *s, const real *theta, const real *v, real *room)
{
    task t = plan(s);
    take_room(&t, room);
    t.theta = theta;
    t.v = v;
    run(&t);
    out->loss = loss_of(&t);
    out->slope = slope_of(&t);
    run_back(&t);
    for (const layer *l = t.l; l < t.l + t.layers; l++) {
        if (out->grad)
            put_grad(&t, l, out->grad);
        if (out->hess)
            put_hess(&t, l, out->hess);
        if (out->dn)
            put_norm(&t, l, out->dn);
        if (out->dones)
            put_ones(&t, l, out->dones);
    }
    if (out->dx)
        put_x(&t, out->dx);
    if (out->dq)
        put_targets(&t, out->dq);
}

double bn_student_input(real *dx, const bn_student *s, const real *theta, real factor, real *room)
{
    task t = plan(s);
    take_room(&t, room);
    t.theta = theta;
    run(&t);
    const double loss = loss_of(&t);
    run_back(&t);
    for (int64_t i = 0; i < s->n * t.l[0].h; i++)
        t.l[0].g[i] *= factor;
    project_back(&t, dx, &t.l[0], t.l[0].g, theta, true);
    return loss;
}
