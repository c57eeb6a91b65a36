/* test_network.c -- a graph made ready, layers in order, and the same by row blocks.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "random_graph.h"

enum { N = 150, ENOUGH = 1 << 28, WIDE = 1 << 14 };

typedef struct {
    bonsai_graph *g;
    bn_dims s;
    float *param, *grad;
    int64_t count;
} setting;

static const layout layouts[] = {DENSE_F32, DENSE_F16, SPARSE_ONES, SPARSE_F32, SPARSE_I8};

/* Its features are those of the graph. */
static setting set_up_as(int trial, bn_dims d)
{
    uint64_t state = (uint64_t)trial + 77;
    bn_param table[BN_MOST_PARAMS];
    int params;
    setting t = {.s = d};
    int with = (trial & 1 ? WITH_WEIGHTS : 0) | (trial & 2 ? WITH_LOOPS : 0) |
               (trial % 5 == 0 ? DIRECTED : 0);
    t.g = random_graph((uint64_t)trial, N, 600, layouts[trial % 5], with);
    t.s.features = t.g->view.features;
    assert_int_equal(bn_dims_check(&t.s, "test"), BONSAI_OK);
    bn_dims_params(table, &params, &t.count, &t.s);
    t.param = calloc((size_t)t.count, sizeof *t.param);
    t.grad = calloc((size_t)t.count, sizeof *t.grad);
    for (int64_t i = 0; i < t.count; i++)
        t.param[i] = random_real(&state) * 0.4f;
    return t;
}

static setting set_up(int trial)
{
    int kind = trial % BONSAI_MODEL_COUNT, nth = trial / BONSAI_MODEL_COUNT;
    return set_up_as(trial, (bn_dims){.kind = (bonsai_model_kind)kind, .layers = 1 + nth % 3,
                                      .heads = 1 + nth / 3 % 2, .gin_layers = 1 + nth / 3 % 2,
                                      .hidden = 8 + 30 * (nth / 6 % 2), .classes = 5});
}

static void tear_down(setting *t)
{
    free(t->param);
    free(t->grad);
    bonsai_graph_free(t->g);
}

/* Scores, and a gradient into t->grad. */
static float *run(const setting *t, int64_t room, int threads, bool backward)
{
    bn_operand o;
    bn_network *w;
    size_t bytes = (size_t)(N * t->s.classes) * sizeof(float);
    float *scores = malloc(bytes);
    assert_int_equal(bn_operand_make(&o, t->g, &t->s, NULL, (bn_purpose){backward, room, threads}),
                     BONSAI_OK);
    assert_int_equal(bn_network_new(&w, &t->s, &o, 0, backward, threads), BONSAI_OK);
    memcpy(scores, bn_network_forward(w, t->param, backward, 1), bytes);
    if (backward) {
        memset(t->grad, 0, (size_t)t->count * sizeof *t->grad);
        bn_network_backward(w, t->grad, t->param, scores);
    }
    bn_network_free(w);
    bn_operand_free(&o);
    return scores;
}

static float *run_blocks(const setting *t, int64_t room, int threads)
{
    bn_operand o;
    bn_infer *i;
    size_t bytes = (size_t)(N * t->s.classes) * sizeof(float);
    float *scores = malloc(bytes);
    assert_int_equal(bn_operand_make(&o, t->g, &t->s, NULL, (bn_purpose){false, room, threads}),
                     BONSAI_OK);
    assert_int_equal(bn_infer_new(&i, &t->s, &o, threads), BONSAI_OK);
    bn_infer_scores(i, t->param);
    memcpy(scores, bn_infer_scores(i, t->param), bytes);    /* a second time is as good */
    bn_infer_free(i);
    bn_operand_free(&o);
    return scores;
}

static void is_close(const float *a, const float *b, int64_t count)
{
    double most = 1e-6;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs((double)b[i]));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= 2e-5 * most))
            fail_msg("number %lld is %g, not %g", (long long)i, (double)a[i], (double)b[i]);
}

static void blocks_give_the_scores_of_the_whole(void **state)
{
    (void)state;
    for (int trial = 0; trial < 120; trial++) {
        setting t = set_up(trial);
        float *whole = run(&t, 0, 2, false), *blocks = run_blocks(&t, 0, 2);
        float *kept = run_blocks(&t, ENOUGH, 3);
        is_close(blocks, whole, N * t.s.classes);
        is_close(kept, whole, N * t.s.classes);
        free(whole), free(blocks), free(kept);
        tear_down(&t);
    }
}

/* With 16,384 columns a block has 64 rows, and the last of three has fewer than the others. */
static void several_blocks_give_the_scores_of_the_whole(void **state)
{
    (void)state;
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++)
        for (int nth = 0; nth < 3; nth++) {
            setting t = set_up_as(kind * 3 + nth,
                                  (bn_dims){.kind = (bonsai_model_kind)kind, .layers = 2,
                                            .heads = 2, .gin_layers = 1, .hidden = WIDE,
                                            .classes = 5});
            float *whole = run(&t, 0, 2, false), *blocks = run_blocks(&t, 0, 2);
            is_close(blocks, whole, N * t.s.classes);
            free(whole), free(blocks);
            tear_down(&t);
        }
}

static void blocks_keep_nothing_as_wide_as_hidden_of_all_nodes(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
            bonsai_graph *g = random_graph(1, N, 300, layouts[i], 0);
            bn_dims d = {.kind = (bonsai_model_kind)kind, .layers = 2, .heads = 2, .gin_layers = 2,
                         .features = g->view.features, .hidden = WIDE, .classes = 5};
            bn_operand o;
            assert_int_equal(bn_operand_make(&o, g, &d, NULL, (bn_purpose){false, 0, 1}), BONSAI_OK);
            int64_t bytes = bn_infer_bytes(&d, &o), wide = (int64_t)sizeof(real) * N * WIDE;
            assert_true(bytes > 0 && bytes < wide);
            assert_true(bn_network_bytes(&d, &o, false) >= wide);
            bn_operand_free(&o);
            bonsai_graph_free(g);
        }
}

static void sums_that_are_kept_change_nothing_but_the_rounding(void **state)
{
    (void)state;
    for (int trial = 0; trial < 120; trial++) {
        setting t = set_up(trial);
        float *grad = malloc((size_t)t.count * sizeof *grad);
        float *plain = run(&t, 0, 2, true);
        memcpy(grad, t.grad, (size_t)t.count * sizeof *grad);
        float *kept = run(&t, ENOUGH, 2, true);
        is_close(kept, plain, N * t.s.classes);
        is_close(t.grad, grad, t.count);
        free(plain), free(kept), free(grad);
        tear_down(&t);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        setting t = set_up(trial);
        float *grad = malloc((size_t)t.count * sizeof *grad);
        float *one = run(&t, ENOUGH, 1, true);
        memcpy(grad, t.grad, (size_t)t.count * sizeof *grad);
        float *three = run(&t, ENOUGH, 3, true);
        assert_memory_equal(one, three, (size_t)(N * t.s.classes) * sizeof *one);
        assert_memory_equal(t.grad, grad, (size_t)t.count * sizeof *grad);
        free(one), free(three);
        one = run_blocks(&t, 0, 1);
        three = run_blocks(&t, 0, 3);
        assert_memory_equal(one, three, (size_t)(N * t.s.classes) * sizeof *one);
        free(one), free(three), free(grad);
        tear_down(&t);
    }
}

static void columns_are_chosen_and_standardised(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        bonsai_graph *g = NULL;
        for (uint64_t seed = 0; !g || g->view.features < 2; seed++) {
            bonsai_graph_free(g);
            g = random_graph(seed, N, 300, layouts[i], 0);
        }
        int64_t f = g->view.features;
        const int32_t kept[2] = {0, (int32_t)f - 1};
        const float mean[2] = {0.5f, -1}, spread[2] = {2, 4};
        float *row = calloc((size_t)f, sizeof *row);
        bn_columns c = {kept, 2, mean, spread};
        bn_dims s = {.kind = BONSAI_MODEL_GCN, .layers = 1, .features = 2, .classes = 3,
                     .hidden = 1};
        bn_operand o;
        assert_int_equal(bn_operand_make(&o, g, &s, &c, (bn_purpose){true, 0, 2}), BONSAI_OK);
        assert_int_equal(o.x.cols, 2);
        for (int64_t v = 0; v < N; v++) {
            bonsai_graph_row(row, g, v);
            for (int j = 0; j < 2; j++)
                assert_true(o.x.dense[v * 2 + j] == (row[kept[j]] - mean[j]) / spread[j]);
        }
        bn_operand_free(&o);
        free(row);
        bonsai_graph_free(g);
    }
}

static bonsai_status make_all(void *payload)
{
    bonsai_status rc;
    setting *t = payload;
    bn_operand o = {0};
    bn_network *w = NULL;
    bn_infer *i = NULL;
    const int32_t kept[1] = {0};
    const bn_columns c = {kept, 1, NULL, NULL};
    bn_dims s = t->s;
    s.features = 1;
    BN_TRY(bn_operand_make(&o, t->g, &s, &c, (bn_purpose){true, ENOUGH, 2}));
    BN_TRY(bn_network_new(&w, &s, &o, 0.5, true, 2));
    BN_TRY(bn_infer_new(&i, &s, &o, 2));
done:
    bn_infer_free(i);
    bn_network_free(w);
    bn_operand_free(&o);
    return rc;
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    for (int trial = 0; trial < 12; trial++) {
        setting t = set_up(trial);
        survives_failed_allocations(make_all, &t, 5);
        tear_down(&t);
    }
}

static void dimensions_out_of_range_are_refused(void **state)
{
    (void)state;
    const bn_dims good = {BONSAI_MODEL_GAT, 2, 4, 1, 10, 8, 3, false};
    bn_dims s = good;
    s.layers = 17;
    assert_fails(bn_dims_check(&s, "here"), BONSAI_E_ARGUMENT,
                 "here: the number of layers is 17, which is outside 1..16");
    s = good;
    s.hidden = 10;
    assert_fails(bn_dims_check(&s, "here"), BONSAI_E_ARGUMENT,
                 "here: hidden is 10, which 4 heads cannot share equally");
    s = good;
    s.kind = BONSAI_MODEL_COUNT;
    assert_fails(bn_dims_check(&s, "here"), BONSAI_E_ARGUMENT, "the kind of model is 4");
    s = good;
    s.gin_layers = 3;
    assert_fails(bn_dims_check(&s, "here"), BONSAI_E_ARGUMENT, "gin_layers is 3");
}

static void a_network_that_is_too_large_is_refused(void **state)
{
    (void)state;
    setting t = set_up(1);
    bn_operand o;
    bn_network *w = NULL;
    assert_int_equal(bn_operand_make(&o, t.g, &t.s, NULL, (bn_purpose){true, 0, 1}), BONSAI_OK);
    assert_true(bn_network_bytes(&t.s, &o, false) > N * t.s.classes * 4);
    assert_true(bn_network_bytes(&t.s, &o, true) > bn_network_bytes(&t.s, &o, false));
    bn_mem_limit(5000);
    assert_fails(bn_network_new(&w, &t.s, &o, 0, false, 1), BONSAI_E_MEMORY, "no room for");
    bn_mem_limit(0);
    assert_null(w);
    bn_operand_free(&o);
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_give_the_scores_of_the_whole),
        cmocka_unit_test(several_blocks_give_the_scores_of_the_whole),
        cmocka_unit_test(blocks_keep_nothing_as_wide_as_hidden_of_all_nodes),
        cmocka_unit_test(sums_that_are_kept_change_nothing_but_the_rounding),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(columns_are_chosen_and_standardised),
        cmocka_unit_test(failed_allocations_leave_nothing),
        cmocka_unit_test(dimensions_out_of_range_are_refused),
        cmocka_unit_test(a_network_that_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
