/* test_project.c -- k-NN through a random projection.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "condense/condense.h"
#include "random_graph.h"

static const bn_progress silent = {NULL, NULL};

static bonsai_graph *generated(int64_t nodes, int64_t features, int dense)
{
    bonsai_graph *g;
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = features;
    o.classes = 4;
    o.dense = dense;
    o.words = dense ? 0 : 10;
    o.seed = 9;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

/* The matrix itself: what a graph of unit vectors without edges is projected to. */
static bn_embedding signs_of(int64_t f, int dims, uint64_t seed)
{
    bonsai_view v;
    bonsai_graph *g;
    bn_embedding out;
    uint32_t *offsets = calloc((size_t)f + 1, sizeof *offsets), nothing = 0;
    float *x = calloc((size_t)(f * f), sizeof *x);
    for (int64_t j = 0; j < f; j++)
        x[j * f + j] = 1;
    bonsai_view_init(&v);
    v.nodes = v.features = f;
    v.section[BONSAI_OFFSETS] = (bonsai_array){offsets, f + 1, BONSAI_U32};
    v.section[BONSAI_NEIGHBORS] = (bonsai_array){&nothing, 0, BONSAI_U32};
    v.section[BONSAI_FEATURES] = (bonsai_array){x, f * f, BONSAI_F32};
    assert_int_equal(bonsai_graph_new(&g, &v, 1), BONSAI_OK);
    assert_int_equal(bn_project(&out, g, NULL, 0, 0, dims, seed, 1, silent), BONSAI_OK);
    bonsai_graph_free(g);
    free(offsets);
    free(x);
    return out;
}

static void the_matrix_holds_signs_that_the_seed_decides(void **unused)
{
    (void)unused;
    enum { F = 50, P = 70 };
    bn_embedding a = signs_of(F, P, 1), b = signs_of(F, P, 1), c = signs_of(F, P, 2);
    int plus = 0, same = 0;
    for (int i = 0; i < F * P; i++) {
        assert_true(fabsf(fabsf(a.dense[i]) - 1 / sqrtf(P)) < 1e-6f);
        assert_true(a.dense[i] == b.dense[i]);
        plus += a.dense[i] > 0;
        same += a.dense[i] == c.dense[i];
    }
    assert_in_range(plus, F * P * 45 / 100, F * P * 55 / 100);
    assert_in_range(same, F * P * 45 / 100, F * P * 55 / 100);
    bn_embedding_free(&a);
    bn_embedding_free(&b);
    bn_embedding_free(&c);
}

static void assert_projected(const bonsai_graph *g, int layers, int dims, const bn_embedding *signs)
{
    bn_embedding all, low;
    int64_t f = g->view.features;
    assert_int_equal(bn_wl(&all, g, NULL, 0, layers, 1, silent), BONSAI_OK);
    assert_int_equal(bn_project(&low, g, NULL, 0, layers, dims, 3, 2, silent), BONSAI_OK);
    assert_int_equal(low.f, dims);
    for (int64_t v = 0; v < g->view.nodes; v++)
        for (int d = 0; d < dims; d++) {
            double sum = 0;
            int64_t begin = all.dense ? v * f : all.offsets[v];
            int64_t end = all.dense ? begin + f : all.offsets[v + 1];
            for (int64_t i = begin; i < end; i++)
                sum += all.dense ? (double)all.dense[i] * (double)signs->dense[(i - begin) * dims + d]
                                 : (double)all.value[i] * (double)signs->dense[all.index[i] * dims + d];
            assert_true(fabs(sum - (double)low.dense[v * dims + d]) < 1e-4 * (1 + fabs(sum)));
        }
    bn_embedding_free(&all);
    bn_embedding_free(&low);
}

static void projecting_and_embedding_can_be_exchanged(void **unused)
{
    (void)unused;
    enum { F = 40, P = 9 };
    bn_embedding signs = signs_of(F, P, 3);
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(120, F, dense);
        for (int layers = 0; layers < 4; layers++)
            assert_projected(g, layers, P, &signs);
        bonsai_graph_free(g);
    }
    bn_embedding_free(&signs);
}

static void few_trees_are_all_candidates_and_give_the_exact_lists(void **unused)
{
    (void)unused;
    for (int dense = 0; dense < 2; dense++) {
        enum { N = 30, K = 4 };
        bonsai_graph *g = generated(N, 60, dense);
        int32_t all[N], exact[N * K], list[N * K];
        bn_embedding x, low;
        double recall;
        for (int i = 0; i < N; i++)
            all[i] = i;
        assert_int_equal(bn_wl(&x, g, all, N, 2, 2, silent), BONSAI_OK);
        assert_int_equal(bn_project(&low, g, all, N, 2, 2, 1, 2, silent), BONSAI_OK);
        assert_int_equal(bn_knn(exact, NULL, &x, all, N, K, 2, silent), BONSAI_OK);
        assert_int_equal(bn_project_knn(list, &low, g, all, all, N, K, 2, 2, silent), BONSAI_OK);
        assert_memory_equal(list, exact, sizeof list);
        assert_int_equal(bn_project_recall(&recall, list, g, all, N, all, N, K, 2, 1), BONSAI_OK);
        assert_true(recall == 1);
        for (int i = 0; i < N * K; i++)
            list[i] = i / K;                    /* nobody is its own neighbour */
        assert_int_equal(bn_project_recall(&recall, list, g, all, N, all, N, K, 2, 1), BONSAI_OK);
        assert_true(recall == 0);
        bn_embedding_free(&x);
        bn_embedding_free(&low);
        bonsai_graph_free(g);
    }
}

static void neighbours_are_in_order_of_their_exact_distances(void **unused)
{
    (void)unused;
    enum { N = 600, Z = 70, K = 5 };
    bonsai_graph *g = generated(N, 100, 1);
    int32_t all[N], sample[Z], list[3][Z * K];
    bn_embedding x, low;
    for (int i = 0; i < N; i++)
        all[i] = i;
    for (int i = 0; i < Z; i++)
        sample[i] = i * 8;
    assert_int_equal(bn_wl(&x, g, all, N, 1, 1, silent), BONSAI_OK);
    for (int i = 0; i < 3; i++) {
        int threads = (const int[]){1, 2, 8}[i];
        assert_int_equal(bn_project(&low, g, all, N, 1, 12, 1, threads, silent), BONSAI_OK);
        assert_int_equal(bn_project_knn(list[i], &low, g, all, sample, Z, K, 1, threads, silent),
                         BONSAI_OK);
        assert_memory_equal(list[i], list[0], sizeof list[0]);
        bn_embedding_free(&low);
    }
    for (int i = 0; i < Z * K; i++) {
        assert_int_not_equal(list[0][i], sample[i / K]);
        if (i % K > 0)
            assert_true(bn_embedding_dist2(&x, sample[i / K], list[0][i - 1]) <=
                        bn_embedding_dist2(&x, sample[i / K], list[0][i]));
    }
    bn_embedding_free(&x);
    bonsai_graph_free(g);
}

static bonsai_status condense_projected(bonsai_graph **out, bonsai_condense_info *info,
                                        const bonsai_graph *g, int dims)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_TREES;
    bonsai_condense_info_init(info);
    o.ratio = 0.1;
    o.project = dims;
    o.sample = 150;
    o.threads = 2;
    return bonsai_condense(out, info, g, &o);
}

static void the_report_says_how_many_neighbours_were_found(void **unused)
{
    (void)unused;
    bonsai_graph *g = generated(900, 120, 1), *small;
    bonsai_condense_info info;
    double before = 0;
    for (int dims = 1; dims <= 64; dims *= 8) {
        assert_int_equal(condense_projected(&small, &info, g, dims), BONSAI_OK);
        assert_true(info.recall > before && info.recall <= 1);
        assert_int_equal(small->view.features, 120);
        before = info.recall;
        bonsai_graph_free(small);
    }
    assert_true(before > 0.7);
    assert_int_equal(condense_projected(&small, &info, g, 120), BONSAI_OK);
    assert_true(info.recall == 1);              /* nothing to gain: exact */
    bonsai_graph_free(small);
    assert_fails(condense_projected(&small, &info, g, -1), BONSAI_E_ARGUMENT, "project is -1");
    bonsai_graph_free(g);
}

static bonsai_status whole_way(void *payload)
{
    bonsai_status rc;
    enum { N = 40, K = 3 };
    int32_t all[N], list[N * K];
    bn_embedding low;
    double recall;
    for (int i = 0; i < N; i++)
        all[i] = i;
    BN_TRY(bn_project(&low, payload, all, N, 1, 4, 1, 2, silent));
    rc = bn_project_knn(list, &low, payload, all, all, N, K, 1, 2, silent);
    bn_embedding_free(&low);
    if (rc == BONSAI_OK)
        rc = bn_project_recall(&recall, list, payload, all, N, all, N, K, 1, 2);
done:
    return rc;
}

static void failed_allocations_are_survived(void **unused)
{
    (void)unused;
    bonsai_graph *g = generated(40, 30, 1);
    survives_failed_allocations(whole_way, g, 20);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_holds_signs_that_the_seed_decides),
        cmocka_unit_test(projecting_and_embedding_can_be_exchanged),
        cmocka_unit_test(few_trees_are_all_candidates_and_give_the_exact_lists),
        cmocka_unit_test(neighbours_are_in_order_of_their_exact_distances),
        cmocka_unit_test(the_report_says_how_many_neighbours_were_found),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("project", tests, NULL, NULL);
}
