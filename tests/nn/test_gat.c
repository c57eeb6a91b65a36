/* test_gat.c -- layers in float: attention by the definition, and the same bits for any
 * number of threads.
 *
 * Gradients by finite differences are in test_layers.c.
 *
 * SPDX-License-Identifier: MIT */
#include "layering.h"

/* ---- by hand ---- */

/* Node 0 hears of 1 and 2; src and dst are the features themselves. */
static void a_star_of_three_is_as_worked_out_by_hand(void **state)
{
    (void)state;
    const int32_t source[] = {1, 2}, target[] = {0, 0};
    const float x[3] = {0, 1, -2};
    bonsai_view v;
    bonsai_read_options o;
    bonsai_graph *g = NULL;
    layer l;
    plan p = {BONSAI_MODEL_GAT, 1, 1, true, 1, 1, DENSE_INPUT, false};
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    v.nodes = 3;
    o.keep_directed = 1;
    assert_int_equal(bonsai_graph_build(&g, &v, 2, source, target, NULL, &o), BONSAI_OK);
    make_layer(&l, &p, g, 1);
    memcpy(l.features, x, sizeof x);
    l.param[BN_W][0] = l.param[BN_ATT_SRC][0] = l.param[BN_ATT_DST][0] = 1;
    l.param[BN_B][0] = 10;
    run_forward(&l, 1);
    double e = exp(1), a = exp(-0.4);       /* scores 0 of itself, 1, leaky(-2) */
    assert_true(fabs((double)l.y[0] - (10 + (e - 2 * a) / (1 + e + a))) < 1e-5);
    assert_true(fabs((double)l.y[1] - 11) < 1e-5 && fabs((double)l.y[2] - 8) < 1e-5);
    free_layer(&l);
}

/* ---- by the definition ---- */

static void outputs_are_those_of_the_definition(void **state)
{
    (void)state;
    for (int v = 0; v < variants(); v++)
        for (int g = 0; g < GRAPHS; g++)
            for (int wide = 0; wide < 2; wide++) {
                layer l;
                plan p = variant(v, g % 2, g % 3 ? DENSE_INPUT : SPARSE_INPUT);
                p.d = wide ? 40 + v : p.d;
                make_layer(&l, &p, random_graph((uint64_t)g, 30, 60, NO_FEATURES, graph_kinds[g]),
                           3);
                run_forward(&l, 2);
                equals_the_definition(&l, 3e-5);
                free_layer(&l);
            }
}

/* Scores of some hundreds, whose exponentials alone are beyond a float. */
static void large_scores_do_not_overflow(void **state)
{
    (void)state;
    layer l;
    plan p = variant(with_heads(), true, DENSE_INPUT);
    make_layer(&l, &p, random_graph(2, 30, 60, NO_FEATURES, 0), 3);
    for (int64_t i = 0; i < l.wide; i++)
        l.param[BN_ATT_SRC][i] *= 200;
    run_forward(&l, 1);
    equals_the_definition(&l, 1e-3);
    run_backward(&l, 1);
    for (int64_t i = 0; i < l.size[BN_W]; i++)
        assert_true(isfinite(l.grad[BN_W][i]));
    free_layer(&l);
}

/* More entries than are taken together. */
static void a_node_with_many_neighbours_hears_them_all(void **state)
{
    (void)state;
    enum { N = 700 };
    int32_t source[N], target[N];
    bonsai_view v;
    layer l;
    plan p = {BONSAI_MODEL_GAT, 1, 2, false, 3, 5, DENSE_INPUT, false};
    for (int directed = 0; directed < 2; directed++) {
        bonsai_graph *g = NULL;
        bonsai_read_options o;
        bonsai_view_init(&v);
        bonsai_read_options_init(&o);
        v.nodes = N;
        o.keep_directed = directed;
        for (int i = 0; i < N; i++) {
            source[i] = i;
            target[i] = 0;
        }
        assert_int_equal(bonsai_graph_build(&g, &v, N, source, target, NULL, &o), BONSAI_OK);
        make_layer(&l, &p, g, 5);
        run_forward(&l, 1);
        equals_the_definition(&l, 3e-5);
        free_layer(&l);
    }
}

/* ---- edges ---- */

static void graphs_of_no_node_and_of_one_are_layers_too(void **state)
{
    (void)state;
    for (int v = 0; v < variants(); v++)
        for (int n = 0; n < 2; n++) {
            layer l;
            plan p = variant(v, false, DENSE_INPUT);
            make_layer(&l, &p, random_graph(1, n, n, NO_FEATURES, WITH_LOOPS), 3);
            run_forward(&l, 3);
            equals_the_definition(&l, 3e-5);
            run_backward(&l, 3);
            for (int64_t i = 0; i < l.h; i++)   /* of no node it is 0 */
                assert_true(l.grad[BN_B][i] == 0 || n == 1);
            free_layer(&l);
        }
}

/* ---- two ways ---- */

static void keep_outputs(real *to, const layer *l)
{
    int64_t at = 0, n = l->n;
    memcpy(to, l->y, (size_t)(n * l->h) * sizeof *to);
    at += n * l->h;
    if (l->dx)
        memcpy(to + at, l->dx, (size_t)(n * l->p.f) * sizeof *to);
    at += l->dx ? n * l->p.f : 0;
    for (int i = 0; i < BN_SLOTS; i++) {
        if (l->size[i] > 0)
            memcpy(to + at, l->grad[i], (size_t)l->size[i] * sizeof *to);
        at += l->size[i];
    }
}

/* Enough rows for several blocks and parts of every sum. */
static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { N = 2500, M = 9000 };
    assert_int_equal(bn_blas_begin(3), BONSAI_OK);
    for (int v = 0; v < variants(); v++)
        for (input_kind input = 0; input < INPUTS; input++) {
            layer l;
            plan p = variant(v, v % 2, input);
            if (!takes(&p, input))
                continue;
            int with = graph_kinds[v % GRAPHS];
            make_layer(&l, &p, random_graph((uint64_t)v, N, M, NO_FEATURES, with), 7);
            int64_t count = l.n * (l.h + (l.dx ? p.f : 0));
            for (int i = 0; i < BN_SLOTS; i++)
                count += l.size[i];
            real *one = take_reals(&l, count), *many = take_reals(&l, count);
            run_forward(&l, 1);
            run_backward(&l, 1);
            keep_outputs(one, &l);
            run_forward(&l, 3);
            run_backward(&l, 3);
            keep_outputs(many, &l);
            for (int64_t i = 0; i < count; i++)
                assert_true(isfinite(one[i]));
            assert_memory_equal(one, many, (size_t)count * sizeof *one);
            free_layer(&l);
        }
    bn_blas_end();
}

/* The same rows with the smaller and the larger type of offset. */
static void the_type_of_offsets_does_not_matter(void **state)
{
    (void)state;
    enum { N = 100 };
    static uint32_t narrow[N + 1];
    static uint64_t broad[N + 1];
    layer l;
    plan p = variant(with_heads(), true, DENSE_INPUT);
    make_layer(&l, &p, random_graph(4, N, 300, NO_FEATURES, 0), 3);
    run_forward(&l, 1);
    run_backward(&l, 1);
    real *before = take_reals(&l, l.n * p.f);
    memcpy(before, l.dx, (size_t)(l.n * p.f) * sizeof *before);
    for (int64_t i = 0; i <= N; i++)
        broad[i] = narrow[i] = (uint32_t)bn_int_at(&l.o.m.to.offsets, i);
    l.o.m.to.offsets = (bonsai_array){narrow, N + 1, BONSAI_TYPE_U32};
    l.o.m.back.offsets = (bonsai_array){broad, N + 1, BONSAI_TYPE_U64};
    run_forward(&l, 1);
    run_backward(&l, 1);
    assert_memory_equal(before, l.dx, (size_t)(l.n * p.f) * sizeof *before);
    free_layer(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_star_of_three_is_as_worked_out_by_hand),
        cmocka_unit_test(outputs_are_those_of_the_definition),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(a_node_with_many_neighbours_hears_them_all),
        cmocka_unit_test(graphs_of_no_node_and_of_one_are_layers_too),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(the_type_of_offsets_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
