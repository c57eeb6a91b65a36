/* test_message.c -- sums over neighbours and products, against matrices written out in full.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "random_graph.h"

enum { N = 37, H = 21 };

/* The sum of a norm as an N x N matrix in double, from the edges alone: entry (i,j) is what i
 * takes of j. */
static void write_out(double s[N][N], const bonsai_graph *g, bn_norm norm)
{
    double loop[N], degree[N] = {0};
    const bool sum = norm == BN_NORM_SUM || norm == BN_NORM_WEIGHTED_SUM;
    const bool mean = norm == BN_NORM_MEAN || norm == BN_NORM_WEIGHTED_MEAN;
    const float *weight = norm == BN_NORM_BOTH || norm == BN_NORM_WEIGHTED_SUM ||
                          norm == BN_NORM_WEIGHTED_MEAN
                          ? g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data : NULL;
    memset(s, 0, sizeof(double) * N * N);
    for (int i = 0; i < N; i++)
        loop[i] = 1;
    for (int j = 0; j < N; j++)
        for (int64_t e = bn_row_begin(g, j); e < bn_row_begin(g, j + 1); e++) {
            int i = bn_neighbors(g)[e];
            double w = weight ? (double)weight[e] : 1;
            if (norm == BN_NORM_BOTH && i == j)
                loop[i] = w;
            else
                s[i][j] += w;
        }
    for (int i = 0; i < N; i++) {
        if (norm == BN_NORM_BOTH)
            s[i][i] = loop[i];
        for (int j = 0; j < N; j++)
            degree[i] += s[i][j];
        if (sum)
            s[i][i] += 1;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (norm == BN_NORM_BOTH)
                s[i][j] /= sqrt(degree[i]) * sqrt(degree[j]);
            else if (mean && degree[i] > 0)
                s[i][j] /= degree[i];
}

static void fill(float *x, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++)
        x[i] = random_real(state);
}

static void is_close(const float *got, const double *wanted, int count)
{
    for (int i = 0; i < count; i++)
        if (fabs((double)got[i] - wanted[i]) > 1e-5 * (1 + fabs(wanted[i])))
            fail_msg("number %d is %g, not %g", i, (double)got[i], wanted[i]);
}

/* The same matrix with its zeros left out, which are none. */
static bn_input as_sparse(const float *x)
{
    static int64_t offsets[N + 1];
    static int32_t index[N * H];
    for (int i = 0; i < N * H; i++)
        index[i] = i % H;
    for (int i = 0; i <= N; i++)
        offsets[i] = i * H;
    return (bn_input){.rows = N, .cols = H, .offsets = offsets, .index = index, .value = x};
}

static void check_side(const bn_side *side, double s[N][N], bool transposed, uint64_t *state)
{
    static float x[N * H], y[N * H], some[N * H];
    const bn_input dense = {.rows = N, .cols = H, .dense = x}, sparse = as_sparse(x);
    static double wanted[N * H];
    fill(x, N * H, state);
    memset(wanted, 0, sizeof wanted);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < H; k++)
                wanted[i * H + k] += (transposed ? s[j][i] : s[i][j]) * (double)x[j * H + k];
    bn_pass(y, side, &dense, (bn_span){0, N, 3});
    is_close(y, wanted, N * H);
    bn_pass(some, side, &dense, (bn_span){5, 9, 1});
    assert_memory_equal(some, y + 5 * H, 9 * H * sizeof *y);
    bn_pass(some, side, &sparse, (bn_span){0, N, 2});
    assert_memory_equal(some, y, sizeof y);
}

static void sums_and_their_transposes_are_those_of_the_definition(void **state)
{
    (void)state;
    uint64_t s = 3;
    static double full[N][N];
    for (int trial = 0; trial < 60; trial++) {
        int with = (trial & 1 ? WITH_WEIGHTS : 0) | (trial & 2 ? WITH_LOOPS : 0) |
                   (trial & 4 ? WITH_REPEATED : 0) | (trial & 8 ? DIRECTED : 0);
        bonsai_graph *g = random_graph((uint64_t)trial, N, 20 + 3 * trial, DENSE_F32, with);
        for (bn_norm norm = BN_NORM_BOTH; norm <= BN_NORM_NONE; norm++) {
            bn_messages m;
            assert_int_equal(bn_messages_make(&m, g, norm, true, 2), BONSAI_OK);
            write_out(full, g, norm);
            check_side(&m.to, full, false, &s);
            check_side(&m.back, full, true, &s);
            bn_messages_free(&m);
        }
        bonsai_graph_free(g);
    }
}

static void an_operator_is_the_sum_of_all_norms_that_know_weights(void **state)
{
    (void)state;
    static const bn_norm norms[] = {BN_NORM_BOTH, BN_NORM_WEIGHTED_SUM, BN_NORM_WEIGHTED_MEAN};
    static double full[N][N];
    uint64_t s = 5;
    bonsai_graph *g = random_graph(3, N, 90, DENSE_F32, WITH_WEIGHTS | WITH_LOOPS);
    const float *weight = g->view.section[BONSAI_SECTION_EDGE_WEIGHTS].data;
    memset(full, 0, sizeof full);
    for (int i = 0; i < N; i++)
        for (int64_t e = bn_row_begin(g, i); e < bn_row_begin(g, i + 1); e++)
            full[i][bn_neighbors(g)[e]] += (double)weight[e];
    g->view.flags |= BONSAI_FLAG_OPERATOR;
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
        bn_messages m;
        assert_int_equal(bn_messages_make(&m, g, norms[i], true, 2), BONSAI_OK);
        check_side(&m.to, full, false, &s);
        check_side(&m.back, full, true, &s);
        bn_messages_free(&m);
    }
    bonsai_graph_free(g);
}

static void the_mirror_joins_an_entry_and_its_reverse(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        bonsai_graph *g = random_graph((uint64_t)trial, N, 80, DENSE_F32,
                                       trial & 1 ? DIRECTED | WITH_LOOPS : WITH_REPEATED);
        bn_messages m;
        assert_int_equal(bn_messages_make(&m, g, BN_NORM_NONE, true, 2), BONSAI_OK);
        int64_t entries = bn_int_at(&m.to.offsets, N);
        uint8_t *seen = calloc((size_t)entries + 1, 1);
        const bonsai_array *to = &m.to.offsets, *back = &m.back.offsets;
        for (int64_t j = 0; j < N; j++)
            for (int64_t e = bn_int_at(back, j); e < bn_int_at(back, j + 1); e++) {
                int64_t t = m.mirror[e], i = m.back.ids[e];
                assert_int_equal(m.to.ids[t], j);
                assert_true(t >= bn_int_at(to, i) && t < bn_int_at(to, i + 1));
                assert_false(seen[t]);
                seen[t] = 1;
            }
        free(seen);
        bn_messages_free(&m);
        bonsai_graph_free(g);
    }
}

static bonsai_status make_directed(void *payload)
{
    bn_messages m;
    bonsai_status rc = bn_messages_make(&m, payload, BN_NORM_BOTH, true, 2);
    if (rc == BONSAI_OK)
        bn_messages_free(&m);
    return rc;
}

static bonsai_status make_mirror(void *payload)
{
    bn_messages m;
    bonsai_status rc = bn_messages_make(&m, payload, BN_NORM_NONE, true, 2);
    if (rc == BONSAI_OK)
        bn_messages_free(&m);
    return rc;
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, N, 80, DENSE_F32, DIRECTED | WITH_WEIGHTS);
    survives_failed_allocations(make_directed, g, 5);
    survives_failed_allocations(make_mirror, g, 4);
    bonsai_graph_free(g);
}

/* ---- products ---- */

typedef struct {
    float   dense[3000 * 40], value[3000 * 40], t_value[3000 * 40];
    int64_t offsets[3001], t_offsets[41];
    int32_t index[3000 * 40], t_index[3000 * 40];
} matrix;

/* A random matrix, a third of it not zero, both ways. */
static void random_matrix(matrix *m, bn_input *dense, bn_input *sparse, int n, int f,
                          uint64_t *state)
{
    int64_t e = 0, t = 0;
    for (int i = 0; i < n; i++) {
        m->offsets[i] = e;
        for (int j = 0; j < f; j++) {
            float v = random_below(state, 3) ? 0 : random_real(state);
            m->dense[i * f + j] = v;
            if (v != 0) {
                m->index[e] = j;
                m->value[e++] = v;
            }
        }
    }
    m->offsets[n] = e;
    for (int j = 0; j < f; j++) {
        m->t_offsets[j] = t;
        for (int i = 0; i < n; i++)
            if (m->dense[i * f + j] != 0) {
                m->t_index[t] = i;
                m->t_value[t++] = m->dense[i * f + j];
            }
    }
    m->t_offsets[f] = t;
    *dense = (bn_input){.rows = n, .cols = f, .dense = m->dense};
    *sparse = (bn_input){.rows = n, .cols = f, .offsets = m->offsets, .index = m->index,
                         .value = m->value, .t_offsets = m->t_offsets, .t_index = m->t_index,
                         .t_value = m->t_value};
}

static void check_products(const bn_input *x, const float *dense, int h, uint64_t *state)
{
    int n = (int)x->rows, f = (int)x->cols;
    float *w = calloc((size_t)(f * h), 4), *y = calloc((size_t)(n * h), 4);
    float *again = calloc((size_t)(n * h + f * h), 4), *dw = calloc((size_t)(f * h), 4);
    float *room = calloc((size_t)bn_times_room(x, h) + 1, 4);
    double *wanted = calloc((size_t)(n * h + f * h), sizeof *wanted);
    fill(w, f * h, state);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < f; j++)
            for (int k = 0; k < h; k++)
                wanted[i * h + k] += (double)dense[i * f + j] * (double)w[j * h + k];
    bn_times(y, x, w, h, false, (bn_span){0, n, 1});
    is_close(y, wanted, n * h);
    bn_times(again, x, w, h, true, (bn_span){0, n, 3});
    is_close(again, wanted, n * h);
    bn_times(again, x, w, h, false, (bn_span){0, n, 3});
    assert_memory_equal(again, y, (size_t)(n * h) * 4);
    memset(wanted, 0, (size_t)(f * h) * sizeof *wanted);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < f; j++)
            for (int k = 0; k < h; k++)
                wanted[j * h + k] += (double)dense[i * f + j] * (double)y[i * h + k];
    for (int i = 0; i < f * h; i++) {
        dw[i] = again[i] = 1;
        wanted[i] += 1;
    }
    bn_times_t(dw, x, y, h, room, 1);
    for (int i = 0; i < f * h; i++)
        assert_true(fabs((double)dw[i] - wanted[i]) < 1e-4 * (10 + fabs(wanted[i])));
    bn_times_t(again, x, y, h, room, 3);
    assert_memory_equal(again, dw, (size_t)(f * h) * 4);
    free(w), free(y), free(again), free(dw), free(room), free(wanted);
}

static void products_are_right_and_the_same_for_any_threads(void **state)
{
    (void)state;
    static const int size[][3] = {{1, 1, 1}, {5, 3, 7}, {255, 40, 16}, {600, 17, 5}, {3000, 40, 9}};
    static matrix m;
    uint64_t s = 11;
    bn_input dense, sparse;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        random_matrix(&m, &dense, &sparse, size[i][0], size[i][1], &s);
        check_products(&dense, m.dense, size[i][2], &s);
        check_products(&sparse, m.dense, size[i][2], &s);
    }
}

static void a_bias_goes_to_every_row_and_its_gradient_is_their_sum(void **state)
{
    (void)state;
    enum { ROWS = 5000, WIDE = 3 };
    static float y[ROWS * WIDE], room[BN_BIAS_ROOM * WIDE];
    const float b[WIDE] = {1, 2, 3};
    float db[WIDE] = {10, 20, 30}, again[WIDE] = {10, 20, 30};
    bn_bias(y, b, ROWS, WIDE, 3);
    bn_bias(y, b, ROWS, WIDE, 1);
    for (int i = 0; i < ROWS * WIDE; i++)
        assert_true(y[i] == 2 * b[i % WIDE]);
    bn_bias_t(db, y, ROWS, WIDE, room, 1);
    bn_bias_t(again, y, ROWS, WIDE, room, 3);
    for (int j = 0; j < WIDE; j++)
        assert_true(db[j] == (float)(j + 1) * (2 * ROWS + 10) && again[j] == db[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_their_transposes_are_those_of_the_definition),
        cmocka_unit_test(an_operator_is_the_sum_of_all_norms_that_know_weights),
        cmocka_unit_test(the_mirror_joins_an_entry_and_its_reverse),
        cmocka_unit_test(failed_allocations_leave_nothing),
        cmocka_unit_test(products_are_right_and_the_same_for_any_threads),
        cmocka_unit_test(a_bias_goes_to_every_row_and_its_gradient_is_their_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
