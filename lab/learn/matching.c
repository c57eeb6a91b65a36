/* matching.c -- the distance of a small graph's gradients from those of the full graph.
 *
 * The derivative of a distance by rows or edges is the tangent of the gradient in the direction of
 * the derivative of the distance by the gradient.  If the student reads rows after two hops, each
 * class has its own rows, so one matrix collects all of them before the hops lead back to features
 * and edges.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tangent.h"

static bool reads_graph(const bn_matching *m)
{
    return m->s.form == BN_STUDENT_GCN;
}

/* ---- room ---- */

static void fill_targets(bn_matching *m)
{
    for (int64_t i = 0; m->q && i < m->s.n; i++)
        m->q[i * m->s.c + m->kind[i]] = 1;
}

/* Assigns room. q must be 0. */
void bn_matching_lay(bn_matching *m, bn_slab *slab)
{
    const int64_t n = m->s.n, f = m->s.f;
    static const real some;
    bn_student s = m->s;
    s.x = s.norm = &some;
    m->size = bn_student_size(&s);
    real **const tall[] = {&m->hops, &m->x1, &m->dh, &m->dx1};
    real **const square[] = {&m->a, &m->norm, &m->dnorm, &m->da};
    for (size_t i = 0; i < sizeof tall / sizeof *tall; i++)
        *tall[i] = bn_slab_take(slab, n, f);
    for (size_t i = 0; m->net && i < sizeof square / sizeof *square; i++)
        *square[i] = bn_slab_take(slab, n, n);
    m->half = bn_slab_take(slab, n, 2);
    m->q = bn_slab_take(slab, n, s.c);
    m->w = bn_slab_take(slab, n, 1);
    m->v = bn_slab_take(slab, 1, m->size);
    m->full = bn_slab_take(slab, s.c, m->size);
    m->room = bn_slab_take(slab, 1, bn_student_room(&s));
    fill_targets(m);
}

/* ---- the small graph ---- */

/* Computes y (n,f) = the operator, which is symmetric, times x; add: adds it to y. */
static void hop(real *y, const bn_matching *m, const real *x, bool add)
{
    const bn_input norm = {.rows = m->s.n, .cols = m->s.n, .dense = m->norm};
    bn_times(y, &norm, x, m->s.f, add, (bn_span){0, m->s.n, m->s.threads});
}

void bn_matching_forward(bn_matching *m)
{
    if (!m->net) {
        memcpy(m->hops, m->x, (size_t)(m->s.n * m->s.f) * sizeof *m->hops);
        return;
    }
    bn_edgenet_forward(m->a, m->net, m->param, m->x);
    bn_small_norm(m->norm, m->half, m->a, m->s.n);
    if (reads_graph(m))
        return;
    hop(m->x1, m, m->x, false);
    hop(m->hops, m, m->x1, false);
}

/* Returns the student on `count` nodes from `first`, each of weight w[...]; GCN reads all nodes. */
static bn_student student_on(const bn_matching *m, int64_t first, int64_t count)
{
    bn_student s = m->s;
    s.hops = 0;
    s.q = m->q;
    s.w = m->w;
    if (reads_graph(m)) {
        s.norm = m->norm;
        s.x = m->x;
        return s;
    }
    s.n = count;
    s.x = m->hops + first * s.f;
    s.q += first * s.c;
    s.w += first;
    return s;
}

static void weigh(bn_matching *m, int64_t first, int64_t count)
{
    memset(m->w, 0, (size_t)m->s.n * sizeof *m->w);
    for (int64_t i = first; i < first + count; i++)
        m->w[i] = 1 / (real)count;
}

void bn_matching_train(real *grad, bn_matching *m)
{
    const bn_student s = student_on(m, 0, m->s.n);
    weigh(m, 0, s.n);
    bn_student_grad(grad, &s, m->theta, m->room);
}

/* ---- the distance ---- */

/* Replaces v, the gradient of a class, by the derivative of its distance from g; returns the
 * distance. */
static double apart(real *v, const real *g, const bn_matching *m)
{
    const int64_t f = m->s.f, h = m->s.h, c = m->s.c;
    if (m->far != BN_FAR_COLUMNS)
        return bn_distance(v, v, g, &(bn_extent){m->far, m->size, 1});
    const int64_t wide = m->s.form == BN_STUDENT_LINEAR ? c : h, second = (f + 1) * wide;
    double sum = bn_distance(v, v, g, &(bn_extent){m->far, f, wide});
    memset(v + f * wide, 0, (size_t)wide * sizeof *v);
    if (second == m->size)
        return sum;
    sum += bn_distance(v + second, v + second, g + second, &(bn_extent){m->far, h, c});
    memset(v + second + h * c, 0, (size_t)c * sizeof *v);
    return sum;
}

/* Returns the distance of class k, whose nodes begin at `first`; adds its derivatives to dh, or to
 * dx and dnorm. */
static double match_class(real *dx, bn_matching *m, int64_t k, int64_t first, double share)
{
    const bn_student s = student_on(m, first, m->want[k]);
    bn_tangent t = {.dx = m->dh + first * s.f};
    if (reads_graph(m)) {
        t.dx = dx;
        t.dn = m->dnorm;
    }
    weigh(m, first, m->want[k]);
    bn_student_grad(m->v, &s, m->theta, m->room);
    const double far = apart(m->v, m->full + k * m->size, m);
    for (int64_t i = 0; i < m->size; i++)
        m->v[i] *= (real)share;
    bn_rop(&t, &s, m->theta, m->v, m->room);
    return share * far;
}

static double match_all(real *dx, bn_matching *m)
{
    double sum = 0;
    int64_t first = 0, most = 1;
    for (int64_t k = 0; k < m->s.c; k++)
        most = m->want[k] > most ? m->want[k] : most;
    for (int64_t k = 0; k < m->s.c; k++) {
        if (m->want[k] > 0)
            sum += match_class(dx, m, k, first, (double)m->want[k] / (double)most);
        first += m->want[k];
    }
    return sum;
}

/* Goes back through two hops: adds to dnorm and dx. */
static void hops_back(real *dx, bn_matching *m)
{
    const int64_t n = m->s.n, f = m->s.f;
    const bn_span all = {0, n, m->s.threads};
    hop(m->dx1, m, m->dh, false);
    if (dx)
        hop(dx, m, m->dx1, true);
    bn_times_back(m->dnorm, m->dh, (bn_cols){m->x1, f, f}, n, false, all);
    bn_times_back(m->dnorm, m->dx1, (bn_cols){m->x, f, f}, n, true, all);
}

/* Returns the trace of Y^T (1 - norm) Y, Y the classes, times its weight; adds its gradient to
 * dnorm. */
static double smoothness(bn_matching *m)
{
    const int64_t n = m->s.n;
    double within = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (m->kind[i] == m->kind[j]) {
                within += (double)m->norm[i * n + j];
                m->dnorm[i * n + j] -= (real)m->smooth;
            }
    return m->smooth * ((double)n - within);
}

double bn_matching_backward(real *dx, real *dparam, bn_matching *m)
{
    const int64_t n = m->s.n;
    memset(m->dh, 0, (size_t)(n * m->s.f) * sizeof *m->dh);
    if (m->net)
        memset(m->dnorm, 0, (size_t)(n * n) * sizeof *m->dnorm);
    double sum = match_all(dx, m);
    if (!m->net) {
        if (dx && !reads_graph(m))
            bn_real_axpy(dx, 1, m->dh, n * m->s.f);
        return sum;
    }
    if (!reads_graph(m))
        hops_back(dx, m);
    if (m->smooth > 0)
        sum += smoothness(m);
    bn_small_norm_back(m->da, m->dnorm, m->a, m->half, n, m->half + n);
    bn_edgenet_backward(dx, dparam, m->net, m->param, m->a, m->da);
    return sum;
}
