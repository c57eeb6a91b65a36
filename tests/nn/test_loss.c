/* test_loss.c -- losses by hand and against their formula in double; ReLU and dropout.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "random_graph.h"

static void close_to(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * (1 + fabs(wanted))))
        fail_msg("%.9g instead of %.9g", got, wanted);
}

static void two_nodes_by_hand(void **state)
{
    (void)state;
    float y[6] = {0, 0, 9, 9, 0, logf(3)}, dy[6];
    int32_t node[2] = {0, 2}, label[2] = {1, 1};
    float weight[2] = {0.25f, 0.75f};
    const bn_targets t = {2, node, label, NULL, weight};
    double wanted = 0.25 * log(2) + 0.75 * log(4.0 / 3);
    close_to(bn_cross_entropy(dy, y, 3, 2, &t, 1), wanted, 1e-6);
    close_to(bn_cross_entropy(NULL, y, 3, 2, &t, 1), wanted, 1e-6);
    const double slope[6] = {0.125, -0.125, 0, 0, 0.75 * 0.25, -0.75 * 0.25};
    for (int i = 0; i < 6; i++)
        close_to((double)dy[i], slope[i], 1e-6);
}

static void soft_labels_by_hand(void **state)
{
    (void)state;
    float y[3] = {0, logf(2), 0}, dy[3], soft[3] = {0.5f, 0.25f, 0.25f}, weight[1] = {1};
    int32_t node[1] = {0};
    const bn_targets t = {1, node, NULL, soft, weight};
    close_to(bn_cross_entropy(dy, y, 1, 3, &t, 1), 0.75 * log(4) + 0.25 * log(2), 1e-6);
    close_to((double)dy[0], 0.25 - 0.5, 1e-6);
    close_to((double)dy[1], 0.5 - 0.25, 1e-6);
    close_to((double)dy[2], 0.0, 1e-6);
}

enum { N = 3000, C = 7 };

typedef struct {
    float   y[N * C], soft[N * C], weight[N];
    int32_t node[N], label[N];
    bn_targets t;
} problem;

static problem *make_problem(uint64_t seed, bool soft)
{
    problem *p = calloc(1, sizeof *p);
    uint64_t s = seed;
    double sum = 0;
    for (int i = 0; i < N * C; i++)
        p->y[i] = 8 * random_real(&s);
    for (int32_t v = 0; v < N; v++)
        if (random_below(&s, 3) && (seed % 2 || (v > 10 && v < N - 10)))
            p->node[p->t.count++] = v;
    for (int64_t i = 0; i < p->t.count; i++) {
        float row[C], total = 0;
        for (int k = 0; k < C; k++)
            total += row[k] = 1 + random_real(&s);
        for (int k = 0; k < C; k++)
            p->soft[i * C + k] = row[k] / total;
        p->label[i] = random_below(&s, C);
        sum += (double)(p->weight[i] = 2 + random_real(&s));
    }
    for (int64_t i = 0; i < p->t.count; i++)
        p->weight[i] = (float)((double)p->weight[i] / sum);
    p->t.node = p->node;
    p->t.label = soft ? NULL : p->label;
    p->t.soft = soft ? p->soft : NULL;
    p->t.weight = p->weight;
    return p;
}

/* slope (N, C) in double; returns the loss. */
static double oracle(double *slope, const problem *p)
{
    double loss = 0;
    memset(slope, 0, N * C * sizeof *slope);
    for (int64_t i = 0; i < p->t.count; i++) {
        const float *y = p->y + p->node[i] * C;
        double sum = 0;
        for (int k = 0; k < C; k++)
            sum += exp((double)y[k]);
        for (int k = 0; k < C; k++) {
            double wanted = p->t.soft ? (double)p->soft[i * C + k] : p->label[i] == k;
            double share = exp((double)y[k]) / sum;
            loss -= (double)p->weight[i] * wanted * log(share);
            slope[p->node[i] * C + k] = (double)p->weight[i] * (share - wanted);
        }
    }
    return loss;
}

static void losses_are_those_of_the_formula(void **state)
{
    (void)state;
    double *slope = malloc(N * C * sizeof *slope);
    float *dy = malloc(N * C * sizeof *dy);
    for (uint64_t seed = 0; seed < 4; seed++) {
        problem *p = make_problem(seed, seed / 2);
        memset(dy, 0x7f, N * C * sizeof *dy);
        double wanted = oracle(slope, p), got = bn_cross_entropy(dy, p->y, N, C, &p->t, 2);
        close_to(got, wanted, 1e-6);
        close_to(bn_cross_entropy(NULL, p->y, N, C, &p->t, 2), wanted, 1e-6);
        for (int i = 0; i < N * C; i++)
            if (fabs((double)dy[i] - slope[i]) > 1e-6 / N)
                fail_msg("slope %d is %g instead of %g", i, (double)dy[i], slope[i]);
        free(p);
    }
    free(slope);
    free(dy);
}

static void threads_and_place_do_not_change_a_bit(void **state)
{
    (void)state;
    float *dy = malloc(N * C * sizeof *dy);
    for (uint64_t seed = 0; seed < 4; seed++) {
        problem *p = make_problem(seed, seed / 2);
        double one = bn_cross_entropy(dy, p->y, N, C, &p->t, 1);
        double three = bn_cross_entropy(p->y, p->y, N, C, &p->t, 3);
        assert_memory_equal(&one, &three, sizeof one);
        assert_memory_equal(dy, p->y, N * C * sizeof *dy);
        free(p);
    }
    free(dy);
}

static void large_scores_do_not_overflow(void **state)
{
    (void)state;
    float y[3] = {1e4f, 9e3f, -1e4f}, dy[3], weight[1] = {1};
    int32_t node[1] = {0}, label[1] = {1};
    const bn_targets t = {1, node, label, NULL, weight};
    close_to(bn_cross_entropy(dy, y, 1, 3, &t, 1), 1000, 1e-6);
    close_to((double)dy[0], 1, 1e-6);
    close_to((double)dy[1], -1, 1e-6);
    y[1] = NAN;
    assert_false(isfinite(bn_cross_entropy(NULL, y, 1, 3, &t, 1)));
    y[1] = INFINITY;
    assert_false(isfinite(bn_cross_entropy(dy, y, 1, 3, &t, 1)));
}

static void softmax_gives_shares(void **state)
{
    (void)state;
    float y[8] = {0, logf(3), 50, 50, -1e4f, 1e4f, 0, 0};
    const double wanted[8] = {0.25, 0.75, 0.5, 0.5, 0, 1, 0.5, 0.5};
    bn_softmax(y, 4, 2, 2);
    for (int i = 0; i < 8; i++)
        close_to((double)y[i], wanted[i], 1e-6);
}

static void relu_keeps_what_is_positive_or_no_number(void **state)
{
    (void)state;
    float y[5] = {-1, 0, 2, NAN, -INFINITY}, dy[5] = {5, 6, 7, 8, 9};
    bn_relu_forward(y, 5, 0, 1, 1);
    assert_true(y[0] == 0 && y[1] == 0 && y[2] == 2 && isnan(y[3]) && y[4] == 0);
    bn_relu_backward(dy, y, 5, 0, 1);
    assert_true(dy[0] == 0 && dy[1] == 0 && dy[2] == 7 && dy[3] == 8 && dy[4] == 0);
}

enum { MANY = 100001 };

static void dropout_keeps_the_mean_and_its_gradient_follows(void **state)
{
    (void)state;
    float *y = malloc(MANY * sizeof *y), *dy = malloc(MANY * sizeof *dy);
    const double shares[3] = {0.1, 0.5, 0.9};
    for (int trial = 0; trial < 3; trial++) {
        double p = shares[trial];
        int64_t dropped = 0, pairs = 0;
        for (int i = 0; i < MANY; i++) {
            y[i] = 3;
            dy[i] = 2;
        }
        bn_relu_forward(y, MANY, p, 11, 1);
        bn_relu_backward(dy, y, MANY, p, 1);
        for (int i = 0; i < MANY; i++) {
            if (y[i] != 0)
                close_to((double)y[i], 3 / (1 - p), 1e-6);
            close_to((double)dy[i], y[i] == 0 ? 0 : 2 / (1 - p), 1e-6);
            dropped += y[i] == 0;
            pairs += i % 2 && y[i] == 0 && y[i - 1] == 0;
        }
        close_to((double)dropped / MANY, p, 0.01);
        close_to((double)pairs / (MANY / 2), p * p, 0.01);      /* neighbours decide on their own */
    }
    free(y);
    free(dy);
}

static void dropout_depends_on_the_seed_and_not_on_threads(void **state)
{
    (void)state;
    float *y[3];
    int64_t equal = 0;
    for (int k = 0; k < 3; k++) {
        y[k] = malloc(MANY * sizeof *y[k]);
        for (int i = 0; i < MANY; i++)
            y[k][i] = 1;
        bn_relu_forward(y[k], MANY, 0.5, k == 2 ? 6 : 5, k + 1);
    }
    assert_memory_equal(y[0], y[1], MANY * sizeof *y[0]);
    for (int i = 0; i < MANY; i++)
        equal += y[0][i] == y[2][i];
    close_to((double)equal / MANY, 0.5, 0.01);
    for (int k = 0; k < 3; k++)
        free(y[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_nodes_by_hand),
        cmocka_unit_test(soft_labels_by_hand),
        cmocka_unit_test(losses_are_those_of_the_formula),
        cmocka_unit_test(threads_and_place_do_not_change_a_bit),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(softmax_gives_shares),
        cmocka_unit_test(relu_keeps_what_is_positive_or_no_number),
        cmocka_unit_test(dropout_keeps_the_mean_and_its_gradient_follows),
        cmocka_unit_test(dropout_depends_on_the_seed_and_not_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
