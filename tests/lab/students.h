/* students.h -- small students whose numbers come from formulas, so that other programs can repeat
 * them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_STUDENTS_H
#define BN_STUDENTS_H

#include <math.h>

#include "learn/tangent.h"
#include "testing.h"

enum { PUPIL_N = 11, PUPIL_F = 8, PUPIL_H = 6, PUPIL_C = 3, PUPIL_MOST = 128, PUPIL_ROOM = 4096 };

typedef struct {                /* a student and what it points to; may be changed, not copied */
    bn_student s;
    real x[PUPIL_N * PUPIL_F], norm[PUPIL_N * PUPIL_N], ones[PUPIL_N];
    real q[PUPIL_N * PUPIL_C], w[PUPIL_N];
    real theta[PUPIL_MOST], v[PUPIL_MOST], room[PUPIL_ROOM];
} example;

static inline double wave(int64_t i, double phase)
{
    return sin(1.7 * (double)i + phase + 0.3 * cos(2.9 * (double)i));
}

/* One number of all. */
static inline double mark(const real *x, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[i] * cos(0.37 * (double)i);
    return sum;
}

static inline void soften(real *q, int64_t n, int64_t c)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < c; k++)
            sum += exp(2 * wave(i * c + k, 0.3));
        for (int64_t k = 0; k < c; k++)
            q[i * c + k] = (real)(exp(2 * wave(i * c + k, 0.3)) / sum);
    }
}

static inline void make_example(example *p, bn_student_form form, int hops)
{
    const int64_t n = PUPIL_N, f = PUPIL_F;
    for (int64_t i = 0; i < n * f; i++)
        p->x[i] = (real)wave(i, 0.1);
    for (int64_t i = 0; i < n * n; i++)
        p->norm[i] = (real)((1 + wave(i, 0.7)) / (double)n);
    soften(p->q, n, PUPIL_C);
    for (int64_t i = 0; i < n; i++) {
        p->ones[i] = (real)(1 + 0.5 * wave(i, 0.4));
        p->w[i] = (real)((1.5 + wave(i, 0.9)) / (double)n);
    }
    for (int64_t i = 0; i < PUPIL_MOST; i++) {
        p->theta[i] = (real)wave(i, 1.1);
        p->v[i] = (real)wave(i, 2.3);
    }
    p->s = (bn_student){.form = form, .hops = hops, .n = n, .f = f, .h = PUPIL_H, .c = PUPIL_C,
                        .norm = p->norm, .x = p->x, .ones = p->ones, .q = p->q, .w = p->w,
                        .threads = 1};
    assert_true(bn_student_size(&p->s) <= PUPIL_MOST && bn_student_room(&p->s) <= PUPIL_ROOM);
}

#endif
