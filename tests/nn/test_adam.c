/* test_adam.c -- the optimiser against its formulas in double, and the first weights.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "random_graph.h"

enum { COUNT = (2 << 14) + 1, STEPS = 25 };      /* two blocks and one weight more */

/* Kingma and Ba's algorithm 1, with the decay in the gradient. */
static double oracle(double w, const double *g, double rate, double decay)
{
    double m = 0, v = 0;
    for (int t = 1; t <= STEPS; t++) {
        double slope = g[t - 1] + decay * w;
        m = 0.9 * m + 0.1 * slope;
        v = 0.999 * v + 0.001 * slope * slope;
        w -= rate * (m / (1 - pow(0.9, t))) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8);
    }
    return w;
}

static void steps_are_those_of_the_formulas(void **state)
{
    (void)state;
    enum { FEW = 100 };
    static double slope[FEW][STEPS], first[FEW];
    float w[FEW], g[FEW], m[FEW] = {0}, v[FEW] = {0};
    for (int trial = 0; trial < 4; trial++) {
        double rate = trial % 2 ? 0.01 : 0.3, decay = trial / 2 ? 5e-4 : 0;
        uint64_t s = 7 + (uint64_t)trial;
        memset(m, 0, sizeof m);
        memset(v, 0, sizeof v);
        for (int i = 0; i < FEW; i++)
            first[i] = w[i] = random_real(&s);
        for (int t = 0; t < STEPS; t++) {
            for (int i = 0; i < FEW; i++)
                slope[i][t] = g[i] = ldexpf(random_real(&s), i % 12 - 9);
            bn_adam(&(bn_learned){w, g, m, v, FEW}, t + 1, rate, decay, 1);
        }
        for (int i = 0; i < FEW; i++) {
            double wanted = oracle(first[i], slope[i], rate, decay);
            if (fabs(wanted - (double)w[i]) > 2e-5 * (1 + fabs(wanted)))
                fail_msg("weight %d became %g instead of %g", i, (double)w[i], wanted);
            assert_true(g[i] == 0);
        }
    }
}

static void many_threads_take_the_same_step(void **state)
{
    (void)state;
    float *all = calloc(8 * COUNT, sizeof *all);
    for (int k = 0; k < 2; k++) {
        float *w = all + 4 * k * COUNT;
        uint64_t s = 3;
        for (int i = 0; i < 3 * COUNT; i++)
            w[i] = random_real(&s);
        const bn_learned l = {w, w + COUNT, w + 2 * COUNT, w + 3 * COUNT, COUNT};
        bn_adam(&l, 3, 0.01, 1e-3, k ? 3 : 1);
        for (int i = 0; i < COUNT; i++)
            assert_true(l.grad[i] == 0);
    }
    assert_memory_equal(all, all + 4 * COUNT, 4 * COUNT * sizeof *all);
    free(all);
}

static bn_dims shape_of(bonsai_model_kind kind)
{
    return (bn_dims){.kind = kind, .layers = 3, .heads = 4, .gin_layers = 2, .features = 90,
                      .hidden = 64, .classes = 5};
}

/* The bound by PyTorch Geometric's rules, from the parameter's own name. */
static double bound_of(const bn_param *p, const bn_dims *s)
{
    int64_t in = p->layer == 0 ? s->features : s->hidden;
    int64_t out = p->layer == 2 ? s->classes : s->hidden;
    if (s->kind == BONSAI_MODEL_GCN || s->kind == BONSAI_MODEL_GAT) {
        int64_t width = p->layer == 2 ? s->classes : s->hidden / s->heads;
        if (strstr(p->name, "bias"))
            return 0;
        if (strstr(p->name, "att"))
            return sqrt(6.0 / (double)(s->heads + width));
        return sqrt(6.0 / (double)(in + (s->kind == BONSAI_MODEL_GAT ? s->heads * width : out)));
    }
    return 1 / sqrt((double)(strstr(p->name, "nn.2") ? out : in));
}

static void first_weights_fill_their_range_evenly(void **state)
{
    (void)state;
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bn_dims s = shape_of(kind);
        bn_param table[BN_MOST_PARAMS];
        int count;
        int64_t total;
        bn_dims_params(table, &count, &total, &s);
        float *w = calloc((size_t)total, sizeof *w);
        bn_init_params(w, &s, 42);
        for (int p = 0; p < count; p++) {
            double bound = bound_of(&table[p], &s), sum = 0, squares = 0, most = 0;
            int64_t n = table[p].rows * table[p].cols;
            for (int64_t i = table[p].at; i < table[p].at + n; i++) {
                sum += (double)w[i];
                squares += (double)w[i] * (double)w[i];
                most = fmax(most, fabs((double)w[i]));
            }
            assert_true(most <= bound * 1.000001);
            if (n < 1000)
                continue;
            assert_true(most >= bound * 0.99);
            assert_true(fabs(sum / (double)n) <= 4 * bound / sqrt(3.0 * (double)n));
            assert_true(fabs(squares / (double)n / (bound * bound / 3) - 1) <= 0.1);
        }
        free(w);
    }
}

/* All of a layer within the same bound, biases too. */
static void first_weights_may_be_uniform_by_the_inputs(void **state)
{
    (void)state;
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bn_dims s = shape_of(kind);
        bn_param table[BN_MOST_PARAMS];
        int count;
        int64_t total;
        bn_dims_params(table, &count, &total, &s);
        float *w = calloc((size_t)total, sizeof *w);
        bn_init_uniform(w, &s, 42);
        for (int p = 0; p < count; p++) {
            double bound = 1 / sqrt(table[p].layer == 0 ? 90 : 64), most = 0;
            int64_t n = table[p].rows * table[p].cols;
            for (int64_t i = table[p].at; i < table[p].at + n; i++)
                most = fmax(most, fabs((double)w[i]));
            assert_true(most <= bound * 1.000001);
            assert_true(most >= bound * (n < 20 ? 0.1 : 0.8));
        }
        free(w);
    }
}

static void first_weights_differ_by_seed_and_place(void **state)
{
    (void)state;
    bn_dims s = shape_of(BONSAI_MODEL_GIN);
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total, equal = 0, repeated = 0;
    bn_dims_params(table, &count, &total, &s);
    float *a = calloc((size_t)total, sizeof *a), *b = calloc((size_t)total, sizeof *b);
    bn_init_params(a, &s, 1);
    bn_init_params(b, &s, 1);
    assert_memory_equal(a, b, (size_t)total * sizeof *a);
    bn_init_params(b, &s, 2);
    for (int64_t i = 0; i < total; i++) {
        equal += a[i] == b[i];
        repeated += i > 0 && a[i] == b[i - 1];
    }
    assert_true(equal < total / 1000 && repeated < total / 1000);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_formulas),
        cmocka_unit_test(many_threads_take_the_same_step),
        cmocka_unit_test(first_weights_fill_their_range_evenly),
        cmocka_unit_test(first_weights_may_be_uniform_by_the_inputs),
        cmocka_unit_test(first_weights_differ_by_seed_and_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
