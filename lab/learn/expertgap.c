/* expertgap.c -- the distance of a student on rows and their edges from an expert, and its
 * derivative by the rows.
 *
 * A student of SGC2 sees rows x and edges A only as H = N N x and s = N N 1, N the operator of A:
 * its steps are made on these, and their derivatives dH and ds go back through both products,
 *
 *   dx = N N dH,  dN = dH (N x)^T + (N dH) x^T + ds (N 1)^T + (N ds) 1^T,
 *
 * then through the operator and, since edges come from the rows, through these.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tangent.h"

typedef struct {                /* the parts of the room */
    real *norm, *dnorm, *da;    /* (n,n) */
    real *x1, *x2, *dx2, *dx1;  /* (n,f): N x, N N x and their gradients */
    real *half, *s1, *s2, *ds2, *ds1, *ones;    /* n */
    real *end, *dend;           /* slabs */
    real *unroll;
} parts;

/* Returns the student's descent.  While room is only counted, x stands for the rows that it will
 * read. */
static bn_unroll steps_of(const bn_gap *w, const parts *r)
{
    bn_unroll u = w->u;
    u.s.form = BN_STUDENT_SGC2;
    u.s.hops = 0;
    u.s.n = w->e.n;
    u.s.f = w->e.f;
    u.s.norm = NULL;
    u.s.x = r ? r->x2 : w->e.x;
    u.s.ones = r ? r->s2 : w->e.x;
    u.s.threads = w->e.threads;
    return u;
}

/* Assigns room, or only counts it if room is NULL. */
static int64_t lay_out(parts *r, const bn_gap *w, real *room)
{
    const int64_t n = w->e.n, f = w->e.f;
    const bn_unroll u = steps_of(w, NULL);
    const int64_t slab = bn_student_size(&u.s);
    const struct { real **to; int64_t size; } all[] = {
        {&r->norm, n * n}, {&r->dnorm, n * n}, {&r->da, n * n}, {&r->x1, n * f}, {&r->x2, n * f},
        {&r->dx2, n * f}, {&r->dx1, n * f}, {&r->half, n}, {&r->s1, n}, {&r->s2, n}, {&r->ds2, n},
        {&r->ds1, n}, {&r->ones, n}, {&r->end, slab}, {&r->dend, slab},
        {&r->unroll, bn_unroll_room(&u)}};
    int64_t used = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].to = room ? room + used : NULL;
        used += all[i].size;
    }
    return used;
}

int64_t bn_gap_room(const bn_gap *w)
{
    return lay_out(&(parts){0}, w, NULL);
}

int64_t bn_gap_every(const bn_gap *w, int64_t bytes)
{
    const bn_unroll u = steps_of(w, NULL);
    return bn_unroll_every(&u, bytes);
}

/* ---- products with the operator, which is symmetric ---- */

static void pass(real *y, const real *norm, const real *x, int64_t cols, const bn_gap *w)
{
    const int64_t n = w->e.n;
    const bn_input a = {.rows = n, .cols = n, .dense = norm};
    bn_times(y, &a, x, cols, false, (bn_span){0, n, w->e.threads});
}

static void forward(const parts *r, const real *a, const bn_gap *w)
{
    const int64_t n = w->e.n, f = w->e.f;
    bn_small_norm(r->norm, r->half, a, n);
    for (int64_t i = 0; i < n; i++)
        r->ones[i] = 1;
    pass(r->x1, r->norm, w->e.x, f, w);
    pass(r->x2, r->norm, r->x1, f, w);
    pass(r->s1, r->norm, r->ones, 1, w);
    pass(r->s2, r->norm, r->s1, 1, w);
}

/* Adds dy x^T to dnorm. */
static void outer(const parts *r, const real *dy, const real *x, int64_t cols, const bn_gap *w)
{
    const int64_t n = w->e.n;
    bn_times_back(r->dnorm, dy, (bn_cols){x, cols, cols}, n, true, (bn_span){0, n, w->e.threads});
}

static void backward(real *dx, const parts *r, const real *a, const bn_gap *w)
{
    const int64_t n = w->e.n, f = w->e.f;
    memset(r->dnorm, 0, (size_t)(n * n) * sizeof *r->dnorm);
    pass(r->dx1, r->norm, r->dx2, f, w);
    pass(r->ds1, r->norm, r->ds2, 1, w);
    pass(dx, r->norm, r->dx1, f, w);
    outer(r, r->dx2, r->x1, f, w);
    outer(r, r->dx1, w->e.x, f, w);
    outer(r, r->ds2, r->s1, 1, w);
    outer(r, r->ds1, r->ones, 1, w);
    bn_small_norm_back(r->da, r->dnorm, a, r->half, n, r->ds1);
}

/* Checks for cancelling between two long parts. */
static bonsai_status look(const bn_unroll *u)
{
    bool stop = false;
    return u->look ? u->look(&stop, u->of) : BONSAI_OK;
}

bonsai_status bn_gap_run(double *loss, real *dx, real *a, const bn_gap *w, const real *start,
                         const real *target)
{
    bonsai_status rc;
    const int64_t n = w->e.n;
    parts r;
    lay_out(&r, w, w->room);
    const bn_unroll u = steps_of(w, &r);
    bn_unrolled d = {.dx = r.dx2, .dones = r.ds2};
    bn_closededges_run(a, &w->e, w->wide);
    BN_TRY(look(&u));
    forward(&r, a, w);
    BN_TRY(bn_unroll_run(r.end, &u, start, r.unroll));
    *loss = bn_missed(r.dend, r.end, start, target, bn_student_size(&u.s), true);
    memset(r.dx2, 0, (size_t)(n * w->e.f) * sizeof *r.dx2);
    memset(r.ds2, 0, (size_t)n * sizeof *r.ds2);
    BN_TRY(bn_unroll_back(&d, &u, start, r.dend, r.unroll));
    BN_TRY(look(&u));
    backward(dx, &r, a, w);
    BN_TRY(look(&u));
    bn_closededges_back(dx, &w->e, r.da, w->wide);
done:
    return rc;
}
