/* test_eigen.c -- eigenpairs against matrices written out, their residuals and their bits.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "learn/eigen.h"
#include "random_graph.h"

/* ---- small matrices ---- */

static void a_matrix_of_known_pairs(void **state)
{
    (void)state;
    double a[9] = {2, 1, 0, 1, 2, 0, 0, 0, -5}, value[3];
    assert_int_equal(bn_blas_begin(1), BONSAI_OK);
    assert_int_equal(bn_eigen_small(value, a, 3), BONSAI_OK);
    bn_blas_end();
    const double wanted[3] = {-5, 1, 3};
    for (int i = 0; i < 3; i++)
        assert_true(fabs(value[i] - wanted[i]) < 1e-14);
    assert_true(fabs(fabs(a[2]) - 1) < 1e-14);
    assert_true(fabs(a[3] + a[4]) < 1e-14 && fabs(a[6] - a[7]) < 1e-14);
}

static bonsai_status solve_small(void *payload)
{
    (void)payload;
    double a[25] = {0}, value[5];
    for (int i = 0; i < 5; i++)
        a[6 * i] = i;
    bonsai_status rc = bn_blas_begin(1);
    if (rc != BONSAI_OK)
        return rc;
    rc = bn_eigen_small(value, a, 5);
    bn_blas_end();
    return rc;
}

/* ---- the ends of a graph ---- */

typedef struct {
    bonsai_graph *g;
    bn_messages m;
    bn_ends e;
    float *lambda, *u;
} ends;

static ends ends_of(int64_t n, int64_t edges, int64_t low, int64_t high, int threads)
{
    ends t = {.g = random_graph(3, n, edges, NO_FEATURES, WITH_WEIGHTS)};
    assert_int_equal(bn_messages_make(&t.m, t.g, BN_NORM_BOTH, false, threads), BONSAI_OK);
    t.e = (bn_ends){.n = n, .low = low, .high = high, .seed = 1, .threads = threads,
                    .until = INFINITY};
    t.lambda = malloc((size_t)(low + high + 1) * sizeof(float));
    t.u = malloc((size_t)(n * (low + high) + 1) * sizeof(float));
    return t;
}

static void solve(ends *t)
{
    t->e.a = &t->m.to;
    assert_int_equal(bn_blas_begin(t->e.threads), BONSAI_OK);
    const bonsai_status rc = bn_eigen_ends(t->lambda, t->u, &t->e);
    bn_blas_end();
    if (rc != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

static void free_ends(ends *t)
{
    bn_messages_free(&t->m);
    bonsai_graph_free(t->g);
    free(t->lambda);
    free(t->u);
}

/* The largest residual |(I - A) u - lambda u|, in double, from the edges alone. */
static double worst_residual(const ends *t)
{
    const int64_t n = t->e.n, k = t->e.low + t->e.high;
    const float *w = t->g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    double *half = malloc((size_t)n * sizeof *half), worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double degree = 1;
        for (int64_t e = bn_row_begin(t->g, i); e < bn_row_begin(t->g, i + 1); e++)
            degree += (double)w[e];
        half[i] = 1 / sqrt(degree);
    }
    for (int64_t j = 0; j < k; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double y = half[i] * half[i] * (double)t->u[i * k + j];
            for (int64_t e = bn_row_begin(t->g, i); e < bn_row_begin(t->g, i + 1); e++)
                y += half[i] * (double)w[e] * half[bn_neighbors(t->g)[e]] *
                     (double)t->u[(int64_t)bn_neighbors(t->g)[e] * k + j];
            y = (1 - (double)t->lambda[j]) * (double)t->u[i * k + j] - y;
            sum += y * y;
        }
        worst = fmax(worst, sqrt(sum));
    }
    free(half);
    return worst;
}

static double worst_angle(const ends *t)
{
    const int64_t n = t->e.n, k = t->e.low + t->e.high;
    double worst = 0;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b <= a; b++) {
            double dot = a == b ? -1 : 0;
            for (int64_t i = 0; i < n; i++)
                dot += (double)t->u[i * k + a] * (double)t->u[i * k + b];
            worst = fmax(worst, fabs(dot));
        }
    return worst;
}

static void signs_are_fixed(const ends *t)
{
    const int64_t n = t->e.n, k = t->e.low + t->e.high;
    for (int64_t j = 0; j < k; j++) {
        float most = 0;
        for (int64_t i = 0; i < n; i++)
            if (fabsf(t->u[i * k + j]) > fabsf(most))
                most = t->u[i * k + j];
        assert_true(most > 0);
    }
}

/* All eigenvalues of I - A, ascending; free() them. */
static double *all_values(const ends *t)
{
    const int64_t n = t->e.n;
    ends all = ends_of(n, 3 * n, n, 0, 1);
    double *value = malloc((size_t)n * sizeof *value);
    solve(&all);
    for (int64_t i = 0; i < n; i++)
        value[i] = (double)all.lambda[i];
    free_ends(&all);
    return value;
}

static void small_graphs_are_solved_as_a_whole(void **state)
{
    (void)state;
    ends t = ends_of(120, 300, 15, 5, 2);
    solve(&t);
    assert_true(worst_residual(&t) < 2e-6);
    assert_true(worst_angle(&t) < 2e-6);
    signs_are_fixed(&t);
    free_ends(&t);
}

static void a_subspace_finds_the_same_ends(void **state)
{
    (void)state;
    enum { SIZE = 700 };
    ends t = ends_of(SIZE, 3 * SIZE, 40, 9, 2);
    solve(&t);
    double *wanted = all_values(&t);
    for (int j = 0; j < 49; j++) {
        const double value = wanted[j < 40 ? j : SIZE - 49 + j];
        if (fabs((double)t.lambda[j] - value) > 3e-6)
            fail_msg("eigenvalue %d is %g, not %g", j, (double)t.lambda[j], value);
    }
    assert_true(worst_residual(&t) < 2e-5);
    assert_true(worst_angle(&t) < 2e-5);
    signs_are_fixed(&t);
    free(wanted);
    free_ends(&t);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    ends a = ends_of(2500, 5000, 20, 5, 1), b = ends_of(2500, 5000, 20, 5, 3);
    solve(&a);
    solve(&b);
    assert_memory_equal(a.lambda, b.lambda, 25 * sizeof(float));
    assert_memory_equal(a.u, b.u, 2500 * 25 * sizeof(float));
    assert_true(worst_residual(&a) < 2e-5);
    free_ends(&a);
    free_ends(&b);
}

/* An isolated node has the eigenvalue 0. */
static void equal_eigenvalues_get_orthogonal_vectors(void **state)
{
    (void)state;
    ends t = ends_of(900, 300, 30, 0, 1);
    solve(&t);
    for (int j = 0; j < 30; j++)
        assert_true(fabsf(t.lambda[j]) < 2e-6f);
    assert_true(worst_angle(&t) < 2e-5);
    free_ends(&t);
}

static void one_node_has_one_pair(void **state)
{
    (void)state;
    ends t = ends_of(1, 0, 1, 0, 1);
    solve(&t);
    assert_true(t.lambda[0] == 0.0f && t.u[0] == 1.0f);
    free_ends(&t);
}

/* ---- failures ---- */

static int calls_left;

static int cancel_later(const bonsai_progress *p, void *payload)
{
    (void)p;
    (void)payload;
    return calls_left-- == 0;
}

/* A small graph is solved as a whole: reports are before and after. */
static void it_may_be_canceled(void **state)
{
    (void)state;
    for (int i = 0; i < 7; i++) {
        const int small = i < 4, after = small ? i : i - 4;
        ends t = small ? ends_of(50, 150, 10, 3, 1) : ends_of(700, 2100, 10, 3, 1);
        t.e.a = &t.m.to;
        t.e.progress = (bn_progress){cancel_later, NULL};
        calls_left = after;
        assert_int_equal(bn_blas_begin(1), BONSAI_OK);
        assert_int_equal(bn_eigen_ends(t.lambda, t.u, &t.e), BONSAI_E_CANCELED);
        bn_blas_end();
        free_ends(&t);
    }
}

static bonsai_status solve_again(void *payload)
{
    ends *t = payload;
    bonsai_status rc = bn_blas_begin(1);
    if (rc != BONSAI_OK)
        return rc;
    rc = bn_eigen_ends(t->lambda, t->u, &t->e);
    bn_blas_end();
    return rc;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    survives_failed_allocations(solve_small, NULL, 2);
    ends t = ends_of(700, 2100, 3, 2, 1);
    t.e.a = &t.m.to;
    survives_failed_allocations(solve_again, &t, 12);
    free_ends(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_of_known_pairs),
        cmocka_unit_test(small_graphs_are_solved_as_a_whole),
        cmocka_unit_test(a_subspace_finds_the_same_ends),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(equal_eigenvalues_get_orthogonal_vectors),
        cmocka_unit_test(one_node_has_one_pair),
        cmocka_unit_test(it_may_be_canceled),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
