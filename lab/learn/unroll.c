/* unroll.c -- descent of a student, and the derivative of its end.
 *
 * The way back goes through all steps from the last to the first, with one tangent of the backward
 * pass each: lambda = derivative by theta after the step; that before it is lambda - rate H lambda.
 * Some steps are kept; those between two of them are made again, to the same bits.
 *
 * Where a student has fewer nodes than features its first weights W1 are never made.  They move
 * by combinations of the rows of x alone, so S = x W1 + b1 says all: a step of S is K times its
 * gradient, K = x x' + ones ones'.  Then x takes part once at each end of the way, and a step
 * costs n n h instead of n f h.  What is stepped, W1 b1 W2 b2 or S W2 b2, is called a state.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tangent.h"

enum { LOOK = 64, LOOK_WORK = 1 << 27 };        /* steps, and products in them, without a look */

typedef struct {                /* a way, with what it works in */
    const bn_unroll *u;
    bn_student s;               /* of a state */
    bool    dual;               /* a state is S W2 b2 */
    int64_t size, first;        /* numbers of a state; those of S, 0: W1 is there */
    int64_t count;              /* states that are kept */
    int64_t made, stretch;      /* steps; and those between two looks */
    bonsai_status rc;           /* of the last look */
    real   *kept, *between;     /* count and `every` states */
    real   *grad, *lambda, *v, *hess;   /* a state each */
    real   *kernel, *dkernel;   /* (n,n); the rest is there for S alone */
    real   *sum;                /* (n,h): of the gradients of S */
    real   *outer;              /* (n,h): what the end of W1 asks of every gradient of S */
    real   *moved;              /* (n,h): K times a matrix */
    real   *room;               /* of the student, and of products */
} way;

/* ---- sizes ---- */

static int64_t wide_room(const bn_student *s)
{
    const bn_input x = {.rows = s->n, .cols = s->f, .dense = s->x};
    const int64_t bias = BN_BIAS_ROOM * s->h, product = bn_times_room(&x, s->h);
    return product > bias ? product : bias;
}

static way plan(const bn_unroll *u)
{
    way y = {.u = u, .s = u->s};
    const bool two = u->s.form == BN_STUDENT_MLP || u->s.form == BN_STUDENT_SGC2;
    y.dual = two && u->s.n < u->s.f;
    if (y.dual) {
        y.s.x = NULL;
        y.s.f = u->s.n;
        y.first = u->s.n * u->s.h;
    }
    y.size = bn_student_size(&y.s);
    y.count = (u->steps + u->every - 1) / u->every;
    y.stretch = 1 + LOOK_WORK / (1 + y.s.n * y.size);
    y.stretch = y.stretch < LOOK ? y.stretch : LOOK;
    return y;
}

/* Assigns room, or only counts it if room is NULL. */
static int64_t lay_out(way *y, real *room)
{
    const int64_t n = y->s.n, k = y->dual ? n * n : 0;
    const struct {
        real  **at;
        int64_t size;
    } part[] = {
        {&y->kept, y->count * y->size}, {&y->between, y->u->every * y->size},
        {&y->grad, y->size}, {&y->lambda, y->size}, {&y->v, y->size}, {&y->hess, y->size},
        {&y->kernel, k}, {&y->dkernel, k},
        {&y->sum, y->first}, {&y->outer, y->first}, {&y->moved, y->first}, {&y->room, 0},
    };
    const int64_t work = bn_student_room(&y->s), wide = wide_room(&y->u->s);
    int64_t used = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].at = room ? room + used : NULL;
        used += part[i].size;
    }
    return used + (work > wide ? work : wide);
}

int64_t bn_unroll_room(const bn_unroll *u)
{
    way y = plan(u);
    return lay_out(&y, NULL);
}

int64_t bn_unroll_every(const bn_unroll *u, int64_t bytes)
{
    bn_unroll v = *u;
    int64_t best = 1, least = INT64_MAX;
    for (v.every = 1; v.every <= u->steps; v.every++) {
        const int64_t size = bn_unroll_room(&v) * (int64_t)sizeof(real);
        if (size <= bytes)
            return v.every;
        best = size < least ? v.every : best;
        least = size < least ? size : least;
    }
    return best;
}

/* ---- products ---- */

static bn_span all_rows(const way *y)
{
    return (bn_span){0, y->s.n, y->s.threads};
}

/* Computes y->moved = K times x (n,h) and returns it. */
static const real *move(const way *y, const real *x)
{
    const bn_input k = {.rows = y->s.n, .cols = y->s.n, .dense = y->kernel};
    bn_times(y->moved, &k, x, y->s.h, false, all_rows(y));
    return y->moved;
}

static void make_kernel(const way *y)
{
    const bn_student *s = &y->u->s;
    bn_times_back(y->kernel, s->x, (bn_cols){s->x, s->f, s->f}, s->n, false, all_rows(y));
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            y->kernel[i * s->n + j] += s->ones ? s->ones[i] * s->ones[j] : 1;
}

/* Computes out (n,h) = x W1 + ones b1 of a slab. */
static void first_layer(const way *y, real *out, const real *theta)
{
    const bn_student *s = &y->u->s;
    const bn_input x = {.rows = s->n, .cols = s->f, .dense = s->x};
    bn_times(out, &x, theta, s->h, false, all_rows(y));
    for (int64_t i = 0; i < s->n; i++)
        bn_real_axpy(out + i * s->h, s->ones ? s->ones[i] : 1, theta + s->f * s->h, s->h);
}

/* Adds to dx g (n,h) times the transpose of W1, and to dones the same of b1, of a slab. */
static void first_layer_back(const way *y, bn_unrolled *out, const real *g, const real *theta)
{
    const bn_student *s = &y->u->s;
    const real *b = theta + s->f * s->h;
    if (out->dx)
        bn_times_back(out->dx, g, (bn_cols){theta, s->h, s->h}, s->f, true, all_rows(y));
    for (int64_t i = 0; out->dones && i < s->n; i++)
        for (int64_t k = 0; k < s->h; k++)
            out->dones[i] += g[i * s->h + k] * b[k];
}

/* ---- forward ---- */

/* Returns whether to continue after a step. */
static bool goes_on(way *y)
{
    bool stop = false;
    if (y->u->look && ++y->made % y->stretch == 0)
        y->rc = y->u->look(&stop, y->u->of);
    return y->rc == BONSAI_OK && !stop;
}

static void start_state(const way *y, real *state, const real *start)
{
    const int64_t skip = y->dual ? (y->u->s.f + 1) * y->u->s.h : 0;
    if (y->dual)
        first_layer(y, state, start);
    memcpy(state + y->first, start + skip, (size_t)(y->size - y->first) * sizeof *state);
}

/* Computes next = the state after a step from now; next may be now. */
static void step(const way *y, real *next, const real *now)
{
    const real rate = (real)y->u->rate;
    bn_student_grad(y->grad, &y->s, now, y->room);
    if (next != now)
        memcpy(next, now, (size_t)y->size * sizeof *next);
    if (y->dual)
        bn_real_axpy(next, -rate, move(y, y->grad), y->first);
    bn_real_axpy(next + y->first, -rate, y->grad + y->first, y->size - y->first);
}

/* Computes end = the slab of the last state: W1 and b1 moved by the sum of the gradients of S. */
static void end_slab(const way *y, real *end, const real *state, const real *start)
{
    const bn_student *s = &y->u->s;
    const real rate = (real)y->u->rate;
    const int64_t weights = s->f * s->h, skip = y->dual ? weights + s->h : 0;
    memcpy(end + skip, state + y->first, (size_t)(y->size - y->first) * sizeof *end);
    if (!y->dual)
        return;
    const bn_input x = {.rows = s->n, .cols = s->f, .dense = s->x};
    memcpy(end, start, (size_t)skip * sizeof *end);
    for (int64_t i = 0; i < y->first; i++)
        y->moved[i] = -rate * y->sum[i];
    bn_times_t(end, &x, y->moved, s->h, y->room, s->threads);
    for (int64_t i = 0; i < s->n; i++)
        bn_real_axpy(end + weights, s->ones ? s->ones[i] : 1, y->moved + i * s->h, s->h);
}

bonsai_status bn_unroll_run(real *end, const bn_unroll *u, const real *start, real *room)
{
    way y = plan(u);
    lay_out(&y, room);
    if (y.dual) {
        make_kernel(&y);
        memset(y.sum, 0, (size_t)y.first * sizeof *y.sum);
    }
    real *now = y.between;
    start_state(&y, now, start);
    for (int64_t t = 0; t < u->steps; t++) {
        if (t % u->every == 0)
            memcpy(y.kept + t / u->every * y.size, now, (size_t)y.size * sizeof *now);
        step(&y, now, now);
        bn_real_axpy(y.sum, 1, y.grad, y.first);
        if (!goes_on(&y))
            return y.rc;
    }
    end_slab(&y, end, now, start);
    return BONSAI_OK;
}

/* ---- backward ---- */

/* Computes the derivative by the last state and by what else its slab is made of. */
static void start_back(const way *y, bn_unrolled *out, const real *dend)
{
    const int64_t skip = y->dual ? (y->u->s.f + 1) * y->u->s.h : 0;
    memcpy(y->lambda + y->first, dend + skip, (size_t)(y->size - y->first) * sizeof *y->lambda);
    if (!y->dual)
        return;
    memset(y->lambda, 0, (size_t)y->first * sizeof *y->lambda);
    memset(y->dkernel, 0, (size_t)(y->s.n * y->s.n) * sizeof *y->dkernel);
    first_layer(y, y->outer, dend);
    for (int64_t i = 0; i < y->first; i++)
        y->moved[i] = (real)-y->u->rate * y->sum[i];
    first_layer_back(y, out, y->moved, dend);
}

/* Computes v = -rate times the derivative by the state after a step, the direction of the
 * tangent. */
static void direct(const way *y)
{
    const real rate = (real)y->u->rate;
    if (y->dual) {
        const real *moved = move(y, y->lambda);
        for (int64_t i = 0; i < y->first; i++)
            y->v[i] = -rate * (y->outer[i] + moved[i]);
    }
    for (int64_t i = y->first; i < y->size; i++)
        y->v[i] = -rate * y->lambda[i];
}

/* Subtracts from dkernel rate lambda times the transpose of the gradient. */
static void add_kernel(const way *y)
{
    const int64_t n = y->s.n, h = y->s.h;
    for (int64_t i = 0; i < y->first; i++)
        y->moved[i] = (real)-y->u->rate * y->lambda[i];
    bn_times_back(y->dkernel, y->moved, (bn_cols){y->grad, h, h}, n, true, all_rows(y));
}

/* Replaces lambda after a step from `now` by that before the step; returns <v, gradient>. */
static double step_back(const way *y, bn_unrolled *out, const real *now)
{
    bn_tangent t = {.hess = y->hess, .dx = y->dual ? NULL : out->dx, .dn = out->dn, .dq = out->dq,
                    .dones = out->dones, .grad = y->dual ? y->grad : NULL};
    direct(y);
    bn_rop(&t, &y->s, now, y->v, y->room);
    if (y->dual)
        add_kernel(y);
    bn_real_axpy(y->lambda, 1, y->hess, y->size);
    return t.slope;
}

/* Computes the states of steps first .. first+count-1 again from the stored one. */
static bool make_again(way *y, int64_t first, int64_t count)
{
    memcpy(y->between, y->kept + first / y->u->every * y->size, (size_t)y->size * sizeof(real));
    for (int64_t t = 1; t < count; t++) {
        step(y, y->between + t * y->size, y->between + (t - 1) * y->size);
        if (!goes_on(y))
            return false;
    }
    return true;
}

/* Adds the derivatives by x and ones through S at the start and through K. */
static void end_back(const way *y, bn_unrolled *out, const real *start)
{
    const bn_student *s = &y->u->s;
    const int64_t n = s->n;
    real *k = y->dkernel;
    first_layer_back(y, out, y->lambda, start);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            k[i * n + j] = k[j * n + i] = k[i * n + j] + k[j * n + i];
    const bn_input both = {.rows = n, .cols = n, .dense = k};
    if (out->dx)
        bn_times(out->dx, &both, s->x, s->f, true, all_rows(y));
    for (int64_t i = 0; out->dones && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            out->dones[i] += k[i * n + j] * (s->ones ? s->ones[j] : 1);
}

bonsai_status bn_unroll_back(bn_unrolled *out, const bn_unroll *u, const real *start,
                             const real *dend, real *room)
{
    way y = plan(u);
    double slope = 0;
    lay_out(&y, room);
    start_back(&y, out, dend);
    for (int64_t p = y.count - 1; p >= 0; p--) {
        const int64_t first = p * u->every;
        const int64_t count = u->steps - first < u->every ? u->steps - first : u->every;
        if (!make_again(&y, first, count))
            return y.rc;
        for (int64_t t = count - 1; t >= 0; t--) {
            slope += step_back(&y, out, y.between + t * y.size);
            if (!goes_on(&y))
                return y.rc;
        }
    }
    out->drate = u->rate != 0 ? slope / u->rate : 0;
    if (y.dual)
        end_back(&y, out, start);
    return BONSAI_OK;
}

/* ---- the loss ---- */

static double apart(const real *a, const real *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double d = (double)a[i] - (double)b[i];
        sum += d * d;
    }
    return sum;
}

double bn_missed(real *dend, const real *end, const real *start, const real *target, int64_t count,
                 bool squared)
{
    const double far = apart(start, target, count), near = apart(end, target, count);
    const double factor = squared ? 2 / far : near > 0 ? 1 / sqrt(near * far) : 0;
    for (int64_t i = 0; i < count; i++)
        dend[i] = (real)(factor * ((double)end[i] - (double)target[i]));
    return squared ? near / far : sqrt(near / far);
}
