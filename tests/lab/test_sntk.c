/* test_sntk.c -- the structural kernel, the regression on it, and GC-SNTK.
 *
 * The frozen numbers are those of the formulas of the method in numpy: the kernel by its recursion,
 * the regression by a general solver, the gradient by a backward pass of its own (which a general
 * automatic differentiation agreed with to 1e-13).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "condensing.h"
#include "learn/gcsntk.h"
#include "learning.h"

enum { MOST = 12 };

/* ---- small cases ---- */

typedef struct {
    int64_t  rows, n, f, c;
    double   x[MOST * MOST];                    /* of the nodes */
    int64_t  offsets[MOST + 1];
    int32_t  index[MOST * MOST];
    double   value[MOST * MOST];
    double   norm[4 * MOST];
    int32_t  label[MOST];
    bn_sntk_rows a;
    bn_krr   k;
} small;

static void waves(double *x, int64_t count, double from, double step)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = sin(from + step * (double)i);
}

/* Nodes in a row, every third without the next. */
static void join(small *v, bool mean)
{
    int64_t e = 0;
    for (int64_t i = 0; i < v->rows; i++) {
        int64_t first = e;
        for (int64_t j = 0; j < v->rows; j++)
            if (i == j || (i + 1 == j && i % 3 != 2) || (j + 1 == i && j % 3 != 2))
                v->index[e++] = (int32_t)j;
        for (; first < e; first++)
            v->value[first] = 1;
        v->offsets[i + 1] = e;
    }
    for (int64_t i = 0; mean && i < v->rows; i++)
        for (e = v->offsets[i]; e < v->offsets[i + 1]; e++)
            v->value[e] = 1 / (double)(v->offsets[i + 1] - v->offsets[i]);
}

static void make(small *v, bn_sntk kernel, bool mean, double ridge, int threads)
{
    static double room[2 * MOST * MOST];
    const bn_krr_how how = {kernel, ridge, v->n, v->f, v->c, v->rows, threads};
    v->offsets[0] = 0;
    join(v, mean);
    waves(v->x, v->rows * v->f, 1, 0.7);
    v->a = (bn_sntk_rows){.rows = v->rows, .f = v->f, .x = v->x, .norm = v->norm,
                          .around = {v->offsets, v->index, v->value}};
    bn_sntk_norms_around(v->norm, &v->a, kernel, room, threads);
    assert_int_equal(bn_krr_new(&v->k, &how), BONSAI_OK);
    waves(v->k.x, v->n * v->f, 2, 1.3);
    waves(v->k.y, v->n * v->c, 0.5, 0.9);
    for (int64_t i = 0; i < v->rows; i++)
        v->label[i] = (int32_t)(i * i % v->c);
}

static double loss_of(small *v)
{
    bn_krr_fit(&v->k);
    bn_krr_learn(&v->k, &v->a, v->label, 1 / (double)(v->rows * v->c));
    return v->k.loss;
}

/* ---- the regression ---- */

static void near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within))
        fail_msg("%.17g instead of %.17g", got, wanted);
}

typedef struct {
    bn_sntk kernel;
    bool    mean;
    double  ridge, loss, with[3], own[3], dx[12], dy[6];
} frozen;

static const frozen known[] = {
    {{2, 2}, true, 1, 0.2504165699125528,
     {0.8038173000002455, 1.1260450164736069, 0.8643008878980676},
     {9.803908590716699, 5.148045231502086, 2.063586767497831},
     {-0.00015180818415904524, 2.105984620596291e-05, 0.00011860470007706532,
      -0.00015742915221509497, 0.00011654570891372711, 0.0002056421247711709,
      0.0001712662471845586, 0.0002136519022248127, -8.204074771853007e-05,
      -0.00014718451913976153, 2.198938151991165e-05, 0.00018791691737289512},
     {0.0005692075040847809, -0.0005692075040847806, 0.0006099710756930877, -0.0006099710756930877,
      0.0016125635606589201, -0.001612563560658921}},
    {{1, 1}, false, 1e-5, 0.2532042535982272,
     {0.989325368982455, 1.1077836720113483, 0.20749180830289443},
     {3.948716570164656, 2.437786620264589, -0.019866239318924978},
     {-0.013259062619030256, -0.0026160162113303548, -0.0007191765403312851, -0.018843289406713246,
      0.024492050630226234, 0.014161116549074333, 0.010480262215586612, 0.02212547685020725,
      -0.02159484559792085, -0.012149393500633505, 0.0005353999142115942, -0.004646846458396034},
     {-0.0076764577539012915, 0.0076764577539012915, -0.0060942929887987975,
      0.0060942929887987975, 0.031915783880047, -0.03191578388004699}},
};

static void is_what_the_formulas_say(void **state)
{
    static const int32_t label[] = {0, 1, 1, 0, 1};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const frozen *w = &known[i];
        small v = {.rows = 5, .n = 3, .f = 4, .c = 2};
        make(&v, w->kernel, w->mean, w->ridge, 1);
        memcpy(v.label, label, sizeof label);
        bn_krr_fit(&v.k);
        for (int j = 0; j < 3; j++)
            near(v.k.own.kernel[j], w->own[j], 1e-13);
        bn_krr_score(&v.k, &v.a);
        for (int j = 0; j < 3; j++)
            near(v.k.with.kernel[j], w->with[j], 1e-13);
        near(loss_of(&v), w->loss, 1e-13);
        bn_krr_finish(&v.k);
        for (int j = 0; j < 12; j++)
            near(v.k.dx[j], w->dx[j], 1e-12);
        for (int j = 0; j < 6; j++)
            near(v.k.dy[j], w->dy[j], 1e-12);
        bn_krr_free(&v.k);
    }
}

static void differences(small *v, double *x, const double *d, int64_t count)
{
    const double h = 1e-5;
    double scale = 0;
    for (int64_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(d[i]));
    for (int64_t i = 0; i < count; i++) {
        const double was = x[i];
        x[i] = was + h;
        double up = loss_of(v);
        x[i] = was - h;
        up -= loss_of(v);
        x[i] = was;
        near(up / (2 * h), d[i], 1e-6 * scale);
    }
}

static void gradients_are_differences(void **state)
{
    static const bn_sntk kernels[] = {{1, 1}, {2, 2}, {2, 1}, {1, 3}};
    (void)state;
    for (int i = 0; i < 8; i++) {
        small v = {.rows = 7, .n = 4, .f = 5, .c = 3};
        double dx[20], dy[12];
        make(&v, kernels[i / 2], i % 2, i < 4 ? 1e-2 : 1, 1);
        loss_of(&v);
        bn_krr_finish(&v.k);
        memcpy(dx, v.k.dx, sizeof dx);
        memcpy(dy, v.k.dy, sizeof dy);
        differences(&v, v.k.x, dx, 20);
        differences(&v, v.k.y, dy, 12);
        bn_krr_free(&v.k);
    }
}

static void one_node_learns_from_one(void **state)
{
    small v = {.rows = 1, .n = 1, .f = 3, .c = 2};
    double dx[3], dy[2];
    (void)state;
    make(&v, (bn_sntk){2, 2}, true, 1, 1);
    loss_of(&v);
    bn_krr_finish(&v.k);
    memcpy(dx, v.k.dx, sizeof dx);
    memcpy(dy, v.k.dy, sizeof dy);
    differences(&v, v.k.x, dx, 3);
    differences(&v, v.k.y, dy, 2);
    bn_krr_free(&v.k);
}

static void rows_may_change_places(void **state)
{
    small v = {.rows = 7, .n = 4, .f = 5, .c = 3}, w = v;
    (void)state;
    make(&v, (bn_sntk){2, 2}, true, 1, 1);
    make(&w, (bn_sntk){2, 2}, true, 1, 1);
    for (int i = 0; i < 4; i++) {
        memcpy(w.k.x + (3 - i) * 5, v.k.x + i * 5, 5 * sizeof(double));
        memcpy(w.k.y + (3 - i) * 3, v.k.y + i * 3, 3 * sizeof(double));
    }
    near(loss_of(&v), loss_of(&w), 1e-13);
    bn_krr_finish(&v.k);
    bn_krr_finish(&w.k);
    for (int i = 0; i < 20; i++)
        near(v.k.dx[i], w.k.dx[(3 - i / 5) * 5 + i % 5], 1e-13);
    bn_krr_free(&v.k);
    bn_krr_free(&w.k);
}

static void threads_change_no_bit(void **state)
{
    double dx[2][50];
    (void)state;
    for (int i = 0; i < 2; i++) {
        small v = {.rows = 12, .n = 10, .f = 5, .c = 3};
        make(&v, (bn_sntk){2, 2}, true, 1, 1 + 2 * i);
        loss_of(&v);
        bn_krr_finish(&v.k);
        memcpy(dx[i], v.k.dx, sizeof dx[i]);
        bn_krr_free(&v.k);
    }
    assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
}

/* ---- the kernel ---- */

/* The tangent kernel of a fully connected network, between two rows of different norms. */
static double plain(const double *x, const double *y, int f, int layers)
{
    const double pi = acos(-1);
    double xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < f; i++) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    double t = xy, shrunk = (0.9999 * (pi - acos(0.9999)) + sqrt(1 - 0.9999 * 0.9999)) / pi;
    for (int l = 0; l < layers; l++) {
        const double size = sqrt(xx * yy), z = fmin(xy / size, 0.9999), angle = acos(z);
        xy = size * (sin(angle) + (pi - angle) * z) / pi;
        t = t * (pi - angle) / pi + xy;
        xx *= shrunk;
        yy *= shrunk;
    }
    return t;
}

static void without_neighbours_it_is_the_plain_kernel(void **state)
{
    (void)state;
    for (int layers = 1; layers <= 2; layers++) {
        small v = {.rows = 7, .n = 4, .f = 5, .c = 3};
        make(&v, (bn_sntk){2, layers}, true, 1, 1);
        bn_sntk_norms(v.norm, v.x, 7, 5, v.k.how.kernel);
        v.a.around.offsets = NULL;
        bn_krr_fit(&v.k);
        bn_krr_score(&v.k, &v.a);
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 4; j++)
                near(v.k.with.kernel[i * 4 + j], plain(v.x + i * 5, v.k.x + j * 5, 5, 2 * layers),
                     1e-12);
        bn_krr_free(&v.k);
    }
}

static void without_hops_it_is_the_product(void **state)
{
    small v = {.rows = 7, .n = 4, .f = 5, .c = 3};
    (void)state;
    make(&v, (bn_sntk){0, 2}, true, 1, 1);
    bn_krr_fit(&v.k);
    bn_krr_score(&v.k, &v.a);
    for (int i = 0; i < 28; i++)
        near(v.k.with.kernel[i], plain(v.x + i / 4 * 5, v.k.x + i % 4 * 5, 5, 0), 1e-13);
    bn_krr_free(&v.k);
}

/* By Cholesky: no pivot is below 0.  Rows 0 and 1 are equal. */
static void is_positive_semidefinite(void **state)
{
    small v = {.rows = 2, .n = 10, .f = 12, .c = 2};
    double *a = NULL;
    (void)state;
    make(&v, (bn_sntk){2, 2}, true, 1, 1);
    memcpy(v.k.x, v.k.x + 12, 12 * sizeof(double));
    bn_krr_fit(&v.k);
    a = v.k.own.kernel;
    for (int j = 0; j < 10; j++) {
        assert_true(a[j * 10 + j] > -1e-9);
        for (int i = j + 1; i < 10; i++)
            near(a[i * 10 + j], a[j * 10 + i], 1e-9);
        for (int i = j + 1; a[j * 10 + j] > 1e-9 && i < 10; i++)
            for (int k = j + 1; k < 10; k++)
                a[i * 10 + k] -= a[i * 10 + j] * a[j * 10 + k] / a[j * 10 + j];
    }
    bn_krr_free(&v.k);
}

static void a_row_of_zeros_is_finite(void **state)
{
    small v = {.rows = 7, .n = 4, .f = 5, .c = 3};
    (void)state;
    make(&v, (bn_sntk){2, 2}, true, 1, 1);
    memset(v.k.x, 0, 5 * sizeof(double));
    assert_true(isfinite(loss_of(&v)));
    bn_krr_finish(&v.k);
    for (int i = 0; i < 20; i++)
        assert_true(isfinite(v.k.dx[i]));
    bn_krr_free(&v.k);
}

/* ---- the method ---- */

static void begin(scene *l, int64_t nodes, int dense)
{
    scene_set(l, learnable(nodes, dense ? 16 : 60, 3, dense), BONSAI_METHOD_GC_SNTK);
    scene_begin(l, &bn_gc_sntk, 9);
}

/* The share of the given nodes that the regression gets right, in percent. */
static double right(const scene *l, const int32_t *node, int64_t count)
{
    bn_partition c;
    int32_t *said = malloc((size_t)count * sizeof *said);
    double got = 0;
    assert_int_equal(bn_partition_new(&c, &l->s, node, count), BONSAI_OK);
    assert_int_equal(bn_gcsntk_predict(said, &l->s, &c), BONSAI_OK);
    for (int64_t i = 0; i < count; i++)
        got += said[i] == bn_label(l->g, node[i]);
    bn_partition_free(&c);
    free(said);
    return 100 * got / (double)count;
}

static void learns_what_it_is_taught(void **state)
{
    scene l;
    double before = 0;
    (void)state;
    begin(&l, 200, 0);
    assert_int_equal(l.s.how->begin(&l.s), BONSAI_OK);
    for (int i = 0; i < l.s.steps; i++) {
        assert_int_equal(l.s.how->step(&l.s, i), BONSAI_OK);
        before = i == 0 ? l.s.loss : before;
    }
    assert_true(l.s.loss < 0.5 * before);
    assert_int_equal(l.s.skipped, 0);
    assert_true(right(&l, l.p.job.train, l.p.job.trees) > 90);
    assert_int_equal(l.s.how->show(&l.s), BONSAI_OK);
    for (int64_t i = 0; i < l.s.n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < l.s.c; k++)
            sum += (double)l.s.q[i * l.s.c + k];
        near(sum, 1, 1e-6);
    }
    drop(&l);
}

/* Dense features have the settings of ogbn-arxiv: batches of 500. */
static void batches_hold_each_node_once(void **state)
{
    scene l;
    bn_partition c;
    int64_t inside = 0;
    (void)state;
    begin(&l, 2000, 1);
    assert_int_equal(bn_partition_new(&c, &l.s, l.p.job.train, l.p.job.trees), BONSAI_OK);
    assert_int_equal(c.count, 1200);
    assert_int_equal(c.batches, 3);
    uint8_t *seen = calloc(1200, 1);
    for (int64_t b = 0; b < 3; b++) {
        const bn_sntk_rows rows = bn_partition_batch(&c, b);
        const int32_t *place = c.place + bn_partition_first(&c, b);
        assert_int_equal(rows.rows, 400);
        for (int64_t i = 0; i < rows.rows; i++) {
            assert_false(seen[place[i]]++);
            inside += rows.around.offsets[i + 1] - rows.around.offsets[i] - 1;
            for (int64_t e = rows.around.offsets[i]; e < rows.around.offsets[i + 1]; e++)
                assert_in_range(rows.around.index[e], 0, 399);
            assert_int_equal(rows.around.index[rows.around.offsets[i]], i);
        }
    }
    assert_true(inside > 0);
    free(seen);
    bn_partition_free(&c);
    drop(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_the_formulas_say),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(one_node_learns_from_one),
        cmocka_unit_test(rows_may_change_places),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(without_neighbours_it_is_the_plain_kernel),
        cmocka_unit_test(without_hops_it_is_the_product),
        cmocka_unit_test(is_positive_semidefinite),
        cmocka_unit_test(a_row_of_zeros_is_finite),
        cmocka_unit_test(learns_what_it_is_taught),
        cmocka_unit_test(batches_hold_each_node_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
