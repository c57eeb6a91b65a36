/* spectra.c -- the distance of a small graph's spectrum from that of a full graph, and its
 * gradients.
 *
 * Outer products of rows of length 1 are never made: the squared distance of p p' and q q' is 2 - 2
 * (p'q)^2. Class means are taken of U before it is multiplied with anything as wide as the
 * features.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>
#include <tgmath.h>

#include "tangent.h"

typedef struct {
    const bn_spectra *s;
    real *b, *db;               /* (k,f): U'X and its gradient */
    real *kb;                   /* (k,f): K U'X, then the gradient of it */
    real *m, *dm;               /* (c,f): class means of length 1, and the gradient of the means */
    real *length;               /* c: of the means; 0: the class does not take part */
    real *w, *dw;               /* (c,k): class means of U, and the gradient */
    real *miss, *miss_t;        /* (c,c): R M' - I, and its transpose */
    real *o;                    /* (k,k): U'U - I */
    real *sum;                  /* k: parts of the loss */
    real *turned;               /* (k,n) or (k,c): the transpose of U or w */
} work;

/* Assigns room, or only counts it. */
static int64_t lay_out(work *w, const bn_spectra *s, real *room)
{
    const int64_t kf = s->k * s->f, cf = s->c * s->f, ck = s->c * s->k;
    const struct { real **to; int64_t count; } part[] = {
        {&w->b, kf}, {&w->db, kf}, {&w->kb, kf}, {&w->m, cf}, {&w->dm, cf}, {&w->length, s->c},
        {&w->w, ck}, {&w->dw, ck}, {&w->miss, s->c * s->c}, {&w->miss_t, s->c * s->c},
        {&w->o, s->k * s->k}, {&w->sum, s->k}, {&w->turned, s->k * (s->n > s->c ? s->n : s->c)}};
    int64_t at = 0;
    w->s = s;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].to = room ? room + at : NULL;
        at += part[i].count;
    }
    return at;
}

int64_t bn_spectra_room(const bn_spectra *s)
{
    work w;
    return lay_out(&w, s, NULL);
}

static real dot(const real *a, const real *b, int64_t count)
{
    const int32_t first = 0;
    real out;
    bn_real_dots(&out, a, (bn_cols){b, count, count}, &first, 1);
    return out;
}

/* Computes out (k,h) = the transpose of a (rows,k) times x (rows,h). */
static void times_turned(real *out, work *w, const real *a, int64_t rows, const real *x, int64_t h)
{
    const int64_t k = w->s->k;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            w->turned[j * rows + i] = a[i * k + j];
    const bn_input in = {.rows = k, .cols = rows, .dense = w->turned};
    bn_times(out, &in, x, h, false, (bn_span){0, k, w->s->threads});
}

/* Returns 1 / length; 0 for a row of length 0, which stays unchanged. */
static real inverse(real length)
{
    return length > 0 ? 1 / length : 0;
}

static double add_up(const real *x, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[i];
    return sum;
}

/* ---- rows of U'X ---- */

/* Returns the term of alpha; db = its gradient. */
static double match_rows(work *w, const real *u, const real *x)
{
    const bn_spectra *s = w->s;
    const int64_t f = s->f;
    const double each = s->alpha / ((double)s->k * (double)f * (double)f);
    times_turned(w->b, w, u, s->n, x, f);
    const double cost = 8.0 * (double)(s->k * f);
#pragma omp parallel for num_threads(bn_team(s->threads, cost)) schedule(static)
    for (int64_t j = 0; j < s->k; j++) {
        const real *b = w->b + j * f, *q = s->q + j * f, by = inverse(sqrt(dot(b, b, f)));
        const real cosine = by * dot(b, q, f), factor = (real)(-4 * each) * cosine * by;
        for (int64_t i = 0; i < f; i++) {
            w->db[j * f + i] = factor * (q[i] - cosine * by * b[i]);
            w->kb[j * f + i] = s->kept[j] * b[i];
        }
        w->sum[j] = 2 - 2 * cosine * cosine;
    }
    return each * add_up(w->sum, s->k);
}

/* ---- class means ---- */

static void find_means(work *w, const real *u)
{
    const bn_spectra *s = w->s;
    memset(w->w, 0, (size_t)(s->c * s->k) * sizeof *w->w);
    for (int64_t i = 0; i < s->n; i++)
        bn_real_axpy(w->w + s->kind[i] * s->k, s->share[i], u + i * s->k, s->k);
    const bn_input in = {.rows = s->c, .cols = s->k, .dense = w->w};
    bn_times(w->m, &in, w->kb, s->f, false, (bn_span){0, s->c, s->threads});
    for (int64_t c = 0; c < s->c; c++) {
        real *m = w->m + c * s->f;
        const real *r = s->r + c * s->f;
        w->length[c] = dot(r, r, s->f) > 0 ? sqrt(dot(m, m, s->f)) : 0;
        const real by = inverse(w->length[c]);
        for (int64_t j = 0; j < s->f; j++)
            m[j] *= by;
    }
}

/* Computes miss = R M' - I; returns the term of beta. */
static double compare_means(work *w)
{
    const bn_spectra *s = w->s;
    double sum = 0;
    bn_times_back(w->miss, s->r, (bn_cols){w->m, s->f, s->f}, s->c, false,
                  (bn_span){0, s->c, s->threads});
    for (int64_t i = 0; i < s->c; i++)
        for (int64_t j = 0; j < s->c; j++) {
            real *at = w->miss + i * s->c + j;
            *at = w->length[i] > 0 && w->length[j] > 0 ? *at - (i == j) : 0;
            w->miss_t[j * s->c + i] = *at;
            sum += (double)*at * (double)*at;
        }
    return s->beta * sum / ((double)s->c * (double)s->c);
}

/* Adds to db and dw the gradients of the term of beta. */
static double match_means(work *w, const real *u)
{
    const bn_spectra *s = w->s;
    const double factor = 2 * s->beta / ((double)s->c * (double)s->c);
    find_means(w, u);
    const double loss = compare_means(w);
    const bn_input miss = {.rows = s->c, .cols = s->c, .dense = w->miss_t};
    bn_times(w->dm, &miss, s->r, s->f, false, (bn_span){0, s->c, s->threads});
    for (int64_t c = 0; c < s->c; c++) {
        real *dm = w->dm + c * s->f, *m = w->m + c * s->f;
        const real along = dot(dm, m, s->f), by = (real)factor * inverse(w->length[c]);
        for (int64_t j = 0; j < s->f; j++)
            dm[j] = (dm[j] - along * m[j]) * by;
    }
    bn_times_back(w->dw, w->dm, (bn_cols){w->kb, s->f, s->f}, s->k, false,
                  (bn_span){0, s->c, s->threads});
    times_turned(w->kb, w, w->w, s->c, w->dm, s->f);
    for (int64_t j = 0; j < s->k; j++)
        bn_real_axpy(w->db + j * s->f, s->kept[j], w->kb + j * s->f, s->f);
    return loss;
}

/* ---- eigenvectors ---- */

/* Computes o = U'U - I; returns the term of gamma. */
static double match_angles(work *w, const real *u)
{
    const bn_spectra *s = w->s;
    double sum = 0;
    times_turned(w->o, w, u, s->n, u, s->k);
    for (int64_t j = 0; j < s->k; j++)
        w->o[j * s->k + j] -= 1;
    for (int64_t i = 0; i < s->k * s->k; i++)
        sum += (double)w->o[i] * (double)w->o[i];
    return s->gamma * sum / ((double)s->k * (double)s->k);
}

static void gather_du(real *du, work *w, const real *u, const real *x)
{
    const bn_spectra *s = w->s;
    const real factor = (real)(4 * s->gamma / ((double)s->k * (double)s->k));
    const bn_input in = {.rows = s->n, .cols = s->k, .dense = u};
    const bn_span all = {0, s->n, s->threads};
    for (int64_t i = 0; i < s->k * s->k; i++)
        w->o[i] *= factor;
    bn_times(du, &in, w->o, s->k, false, all);
    bn_times_back(du, x, (bn_cols){w->db, s->f, s->f}, s->k, true, all);
    for (int64_t i = 0; i < s->n; i++)
        bn_real_axpy(du + i * s->k, s->share[i], w->dw + s->kind[i] * s->k, s->k);
}

double bn_spectra_loss(real *du, real *dx, const bn_spectra *s, const real *u, const real *x,
                       real *room)
{
    work w;
    lay_out(&w, s, room);
    double loss = match_rows(&w, u, x) + match_means(&w, u) + match_angles(&w, u);
    const bn_input in = {.rows = s->n, .cols = s->k, .dense = u};
    if (du)
        gather_du(du, &w, u, x);
    if (dx)
        bn_times(dx, &in, w.db, s->f, false, (bn_span){0, s->n, s->threads});
    return loss;
}
