/* test_expertgap.c -- edges between rows that express each other, students on them, and GCSR's rows.
 *
 * In double.  The frozen numbers are those of the formulas in PyTorch, written out without
 * automatic differentiation; with three nodes of four features the first weights of a student are
 * never made.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "testing.h"

#include "learn/tangent.h"

enum { MOST = 8, HIDDEN = 3, CLASSES = 2, SLAB = 100 };

static void near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within))
        fail_msg("%.17g instead of %.17g", got, wanted);
}

static void waves(real *x, int64_t count, double from, double step)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = sin(from + step * (double)i);
}

/* ---- edges ---- */

typedef struct {
    real    x[MOST * MOST], p[MOST * MOST], q[MOST * MOST], a[MOST * MOST];
    double *wide;
    bn_closededges e;
} scene;

static void make(scene *v, int64_t n, int64_t f)
{
    memset(v, 0, sizeof *v);
    v->e = (bn_closededges){n, f, v->x, v->p, v->q, 1, 0.9, 1};
    waves(v->x, n * f, 1, 0.7);
    waves(v->p, n * n, 2, 0.3);
    for (int64_t i = 0; i < n * n; i++) {
        v->p[i] = fabs(v->p[i]);
        v->q[i] = i % (n + 1) == 0;
    }
    v->wide = calloc((size_t)bn_closededges_room(&v->e), sizeof *v->wide);
}

static void edges_are_symmetric_and_solve_the_system(void **state)
{
    scene v;
    double wanted[3] = {0};
    (void)state;
    make(&v, 3, 1);
    for (int i = 0; i < 3; i++)
        v.x[i] = 0;             /* then B is the mean of p and q */
    bn_closededges_run(v.a, &v.e, v.wide);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            wanted[j] = (v.p[i * 3 + j] + v.p[j * 3 + i]) / 2 + 0.9 * v.q[i * 3 + j];
            near(v.a[i * 3 + j], wanted[j] / 1.9, 1e-14);
            near(v.a[i * 3 + j], v.a[j * 3 + i], 0);
        }
    free(v.wide);
}

/* A sum over the edges with waves as weights. */
static double sum_of(scene *v, const real *weight)
{
    double sum = 0;
    bn_closededges_run(v->a, &v->e, v->wide);
    for (int64_t i = 0; i < v->e.n * v->e.n; i++)
        sum += weight[i] * v->a[i];
    return sum;
}

static void gradients_of_edges_are_differences(void **state)
{
    static const int64_t sizes[][2] = {{5, 4}, {3, 6}, {1, 3}, {8, 1}};
    const double h = 1e-6;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        scene v;
        real weight[MOST * MOST], dx[MOST * MOST] = {0};
        make(&v, sizes[i][0], sizes[i][1]);
        waves(weight, v.e.n * v.e.n, 0.3, 1.1);
        sum_of(&v, weight);
        bn_closededges_back(dx, &v.e, weight, v.wide);
        for (int64_t j = 0; j < v.e.n * v.e.f; j++) {
            const real was = v.x[j];
            v.x[j] = was + h;
            double up = sum_of(&v, weight);
            v.x[j] = was - h;
            up -= sum_of(&v, weight);
            v.x[j] = was;
            near(up / (2 * h), dx[j], 1e-8);
        }
        free(v.wide);
    }
}

/* ---- students ---- */

typedef struct {
    scene v;
    real  start[SLAB], target[SLAB], y[MOST * CLASSES], w[MOST], dx[MOST * MOST];
    bn_gap f;
} journey;

static void set_out(journey *j, int64_t n, int64_t features, int threads)
{
    static const int kind[MOST] = {0, 0, 1, 1, 1, 0, 1, 0};
    memset(j, 0, sizeof *j);
    make(&j->v, n, features);
    for (int64_t i = 0; i < n; i++) {
        j->y[i * CLASSES + kind[i]] = 1;
        j->w[i] = 1 / (real)n;
    }
    j->f = (bn_gap){.e = j->v.e, .u = {.s = {.h = HIDDEN, .c = CLASSES, .q = j->y, .w = j->w},
                       .steps = 3, .every = 1, .rate = 0.01}, .wide = j->v.wide};
    j->f.e.threads = threads;
    j->f.room = calloc((size_t)bn_gap_room(&j->f), sizeof *j->f.room);
    const int64_t size = (features + 1) * HIDDEN + (HIDDEN + 1) * CLASSES;
    waves(j->start, size, 0.5, 0.9);
    waves(j->target, size, 0.6, 0.9);
    for (int i = 0; i < SLAB; i++) {
        j->start[i] /= 2;
        j->target[i] /= 2;
    }
}

static double go(journey *j)
{
    double loss;
    assert_int_equal(bn_gap_run(&loss, j->dx, j->v.a, &j->f, j->start, j->target), BONSAI_OK);
    return loss;
}

static void come_back(journey *j)
{
    free(j->f.room);
    free(j->v.wide);
}

static const struct {
    int64_t n;
    double  loss, a[5], dx[20];
} known[] = {
    {5, 0.9998541494492467,
     {0.9718967884121942, 0.21294661518434713, 0.37814024319484185, 0.24146152396228093,
      0.23170820733461092},
     {-0.00014794089666768292, -0.00017427208228826835, 0.0004063394650918032,
      -0.0006859768282549795, -5.529947083333548e-05, -0.0001445832183452234,
      0.00025181066609013735, -0.00043609056912132844, 0.00044779214718676806,
      0.00012797459128988025, -0.0003856166346575023, 0.000951000043107304, 0.0004257038840554245,
      0.00013949712346788903, -0.00030546446616167846, 0.0008139385282390151,
      0.00047920436391193054, 0.00015160120121010236, -0.00043304395212364656,
      0.0010812696837580345}},
    {3, 0.9949742188945979,
     {0.9488922010593511, 0.1156415001441429, 0.24460263114984604},
     {-0.001992058684597912, -0.0009587056918410806, 0.003078026169343423, -0.005648231922338244,
      -0.0022268477402320104, -0.0009580686810616558, 0.0036611898008614154,
      -0.006548006728779567, 0.0006579494512408275, 0.0004944071888305007,
      -0.0005336360727109994, 0.0016461850379580383}},
};

static void is_what_the_formulas_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        journey j;
        set_out(&j, known[i].n, 4, 1);
        near(go(&j), known[i].loss, 1e-13);
        for (int64_t k = 0; k < known[i].n; k++)
            near(j.v.a[k], known[i].a[k], 1e-13);
        for (int64_t k = 0; k < known[i].n * 4; k++)
            near(j.dx[k], known[i].dx[k], 1e-13);
        come_back(&j);
    }
}

static void gradients_are_differences(void **state)
{
    static const int64_t sizes[][2] = {{6, 4}, {3, 6}, {1, 3}};
    const double h = 1e-5;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        journey j;
        real dx[MOST * MOST];
        set_out(&j, sizes[i][0], sizes[i][1], 1);
        go(&j);
        memcpy(dx, j.dx, sizeof dx);
        for (int64_t k = 0; k < j.v.e.n * j.v.e.f; k++) {
            const real was = j.v.x[k];
            j.v.x[k] = was + h;
            double up = go(&j);
            j.v.x[k] = was - h;
            up -= go(&j);
            j.v.x[k] = was;
            near(up / (2 * h), dx[k], 1e-9);
        }
        come_back(&j);
    }
}

static void nodes_may_change_places(void **state)
{
    journey j, k;
    (void)state;
    set_out(&j, 5, 4, 1);
    set_out(&k, 5, 4, 1);
    for (int a = 0; a < 5; a++) {
        memcpy(k.v.x + (4 - a) * 4, j.v.x + a * 4, 4 * sizeof(real));
        memcpy(k.y + (4 - a) * CLASSES, j.y + a * CLASSES, CLASSES * sizeof(real));
        for (int b = 0; b < 5; b++)
            k.v.p[(4 - a) * 5 + 4 - b] = j.v.p[a * 5 + b];
    }
    near(go(&j), go(&k), 1e-13);
    for (int i = 0; i < 20; i++)
        near(j.dx[i], k.dx[(4 - i / 4) * 4 + i % 4], 1e-13);
    come_back(&j);
    come_back(&k);
}

static void threads_change_no_bit(void **state)
{
    journey j, k;
    (void)state;
    set_out(&j, 8, 5, 1);
    set_out(&k, 8, 5, 3);
    go(&j);
    go(&k);
    assert_memory_equal(j.dx, k.dx, 40 * sizeof *j.dx);
    come_back(&j);
    come_back(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_symmetric_and_solve_the_system),
        cmocka_unit_test(gradients_of_edges_are_differences),
        cmocka_unit_test(is_what_the_formulas_say),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(nodes_may_change_places),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
