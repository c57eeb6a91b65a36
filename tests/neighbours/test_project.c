/* test_project.c -- k-NN through a random projection.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "record/fact.h"
#include "condense/condense.h"
#include "random_graph.h"
#include "threads_world.h"

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
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, f + 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){&nothing, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, f * f, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_new(&g, &v, 1), BONSAI_OK);
    assert_int_equal(bn_project(&out, g, NULL, 0, (bn_projection){dims, seed},
                                &(bn_place){.threads = 1}), BONSAI_OK);
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
    assert_int_equal(bn_embed(&all, g, NULL, BN_RULE_WL, layers, &(bn_place){.threads = 1}),
                     BONSAI_OK);
    assert_int_equal(bn_project(&low, g, NULL, layers, (bn_projection){dims, 3},
                                &(bn_place){.threads = 2}), BONSAI_OK);
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
        assert_int_equal(bn_embed(&x, g, &(bn_nodes){all, N}, BN_RULE_WL, 2,
                                  &(bn_place){.threads = 2}), BONSAI_OK);
        assert_int_equal(bn_project(&low, g, &(bn_nodes){all, N}, 2, (bn_projection){2, 1},
                                    &(bn_place){.threads = 2}), BONSAI_OK);
        assert_int_equal(bn_knn(exact, NULL,
                                &(bn_sharded){.e = &x, .at = &(bn_place){.threads = 2}},
                                &(bn_sample){all, N}, K, NULL), BONSAI_OK);
        assert_int_equal(bn_project_knn(list, &low, &(bn_roots){g, all, N, NULL, 2},
                                        &(bn_sample){all, N}, K, &(bn_place){.threads = 2}),
                         BONSAI_OK);
        assert_memory_equal(list, exact, sizeof list);
        assert_int_equal(bn_project_recall(&recall, list, &(bn_roots){g, all, N, NULL, 2},
                                           &(bn_sample){all, N}, K, &(bn_place){.threads = 1}),
                         BONSAI_OK);
        assert_true(recall == 1);
        for (int i = 0; i < N * K; i++)
            list[i] = i / K;                    /* nobody is its own neighbour */
        assert_int_equal(bn_project_recall(&recall, list, &(bn_roots){g, all, N, NULL, 2},
                                           &(bn_sample){all, N}, K, &(bn_place){.threads = 1}),
                         BONSAI_OK);
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
    assert_int_equal(bn_embed(&x, g, &(bn_nodes){all, N}, BN_RULE_WL, 1, &(bn_place){.threads = 1}),
                     BONSAI_OK);
    for (int i = 0; i < 3; i++) {
        int threads = (const int[]){1, 2, 8}[i];
        assert_int_equal(bn_project(&low, g, &(bn_nodes){all, N}, 1, (bn_projection){12, 1},
                                    &(bn_place){.threads = threads}), BONSAI_OK);
        assert_int_equal(bn_project_knn(list[i], &low, &(bn_roots){g, all, N, NULL, 1},
                                        &(bn_sample){sample, Z}, K,
                                        &(bn_place){.threads = threads}), BONSAI_OK);
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
    o.method = BONSAI_METHOD_TREES;
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
        assert_true(bn_fact(&info, BN_FACT_RECALL) > before && bn_fact(&info, BN_FACT_RECALL) <= 1);
        assert_int_equal(small->view.features, 120);
        before = bn_fact(&info, BN_FACT_RECALL);
        bonsai_graph_free(small);
    }
    assert_true(before > 0.7);
    assert_int_equal(condense_projected(&small, &info, g, 120), BONSAI_OK);
    assert_true(bn_fact(&info, BN_FACT_RECALL) == 1);              /* nothing to gain: exact */
    bonsai_graph_free(small);
    assert_fails(condense_projected(&small, &info, g, -1), BONSAI_E_ARGUMENT, "project is -1");
    bonsai_graph_free(g);
}

/* ---- over ranks ---- */

enum { MOST_RANKS = 8 };

typedef struct {
    const bonsai_graph *g;
    int64_t first[MOST_RANKS + 1], tree_first[MOST_RANKS + 1];      /* nodes and trees of ranks */
    int32_t *nodes, *sample;
    int64_t trees, z, limit;    /* of memory; 0: none */
    int     k, layers, dims, threads;
    bn_embedding low;           /* the answers alone */
    int32_t *list;
    double  recall;
} errand;

static void spread_trees(errand *t, int ranks, bool even, uint64_t *s)
{
    int64_t n = t->g->view.nodes;
    memset(t->first, 0, sizeof t->first);
    t->first[ranks] = n;
    for (int r = 1; r < ranks; r++) {
        int64_t at = even ? n * r / ranks : random_below(s, (int)n + 1);
        int i = r;
        for (; i > 1 && t->first[i - 1] > at; i--)
            t->first[i] = t->first[i - 1];
        t->first[i] = at;
    }
    for (int r = 0; r <= ranks; r++)
        for (t->tree_first[r] = 0; t->tree_first[r] < t->trees &&
                                   t->nodes[t->tree_first[r]] < t->first[r];)
            t->tree_first[r]++;
}

static bool same_part(const bn_embedding *low, const errand *t, int64_t begin, int64_t end)
{
    return low->rows == end - begin &&
           memcmp(low->dense, t->low.dense + begin * t->dims,
                  (size_t)((end - begin) * t->dims) * sizeof(float)) == 0;
}

static bonsai_status project_here(bn_world *w, void *payload)
{
    const errand *t = payload;
    bonsai_status rc;
    bn_memory memory = {.limit = t->limit};
    bn_place at = {.world = w, .first = t->first, .memory = t->limit ? &memory : NULL,
                   .threads = t->threads};
    int64_t begin = t->tree_first[w->rank], end = t->tree_first[w->rank + 1];
    size_t bytes = (size_t)(t->z * t->k) * sizeof(int32_t);
    int32_t *list = calloc(1, bytes);
    bn_embedding low = {0};
    double recall = -2;
    BN_TRY(bn_project(&low, t->g, &(bn_nodes){t->nodes + begin, end - begin}, t->layers,
                      (bn_projection){t->dims, 5}, &at));
    BN_TRY(bn_project_knn(list, &low,
                          &(bn_roots){t->g, t->nodes, t->trees, t->tree_first, t->layers},
                          &(bn_sample){t->sample, t->z}, t->k, &at));
    BN_TRY(bn_project_recall(&recall, list,
                             &(bn_roots){t->g, t->nodes, t->trees, t->tree_first, t->layers},
                             &(bn_sample){t->sample, t->z}, t->k, &at));
    bool right = same_part(&low, t, begin, end) && memcmp(list, t->list, bytes) == 0 &&
                 recall == t->recall && (!t->limit || memory.spilled_most > 0);
    BN_TRY(bn_agree(w, right ? BONSAI_OK
                             : bn_fail(BONSAI_E_FORMAT, "wrong answer on rank %d", w->rank)));
done:
    bn_embedding_free(&low);
    free(list);
    return rc;
}

/* Trees: every third node, so that a rank may have nodes without trees. */
static void start_errand(errand *t, const bonsai_graph *g, int64_t z, int layers)
{
    *t = (errand){.g = g, .z = z, .k = 3, .layers = layers, .dims = 7, .threads = 2};
    t->nodes = calloc((size_t)g->view.nodes, sizeof *t->nodes);
    for (int32_t v = 0; v < g->view.nodes; v += 3)
        t->nodes[t->trees++] = v;
    t->sample = calloc((size_t)z, sizeof *t->sample);
    for (int64_t s = 0; s < z; s++)
        t->sample[s] = (int32_t)(s * t->trees / z);
    t->list = calloc((size_t)(z * t->k), sizeof *t->list);
    assert_int_equal(bn_project(&t->low, g, &(bn_nodes){t->nodes, t->trees}, layers,
                                (bn_projection){t->dims, 5}, &(bn_place){.threads = 1}), BONSAI_OK);
    assert_int_equal(bn_project_knn(t->list, &t->low,
                                    &(bn_roots){g, t->nodes, t->trees, NULL, layers},
                                    &(bn_sample){t->sample, z}, t->k, &(bn_place){.threads = 1}),
                     BONSAI_OK);
    assert_int_equal(bn_project_recall(&t->recall, t->list,
                                       &(bn_roots){g, t->nodes, t->trees, NULL, layers},
                                       &(bn_sample){t->sample, z}, t->k, &(bn_place){.threads = 1}),
                     BONSAI_OK);
}

static void end_errand(errand *t)
{
    bn_embedding_free(&t->low);
    free(t->nodes);
    free(t->sample);
    free(t->list);
}

static void ranks_and_limits_do_not_change_what_is_found(void **unused)
{
    (void)unused;
    static const int ranks[] = {1, 2, 3, 5, 8};
    uint64_t s = 1;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(400, 90, dense);
        for (int layers = 0; layers < 3; layers++) {
            errand t;
            start_errand(&t, g, layers == 1 ? 134 : 40, layers);        /* all trees, or some */
            assert_true(t.recall < 1);
            for (int i = 0; i < 5; i++) {
                t.limit = i == layers;
                t.threads = i % 2 ? 8 : 1;
                spread_trees(&t, ranks[i], i % 2, &s);
                if (run_ranks(ranks[i], project_here, &t) != BONSAI_OK)
                    fail_msg("%d ranks, %d layers: %s", ranks[i], layers, bonsai_error());
            }
            end_errand(&t);
        }
        bonsai_graph_free(g);
    }
}

static bonsai_status project_on_three(void *payload)
{
    return run_ranks(3, project_here, payload);
}

static void a_failed_allocation_on_some_rank_ends_all(void **unused)
{
    (void)unused;
    uint64_t s = 1;
    errand t;
    bonsai_graph *g = generated(60, 20, 1);
    start_errand(&t, g, 10, 1);
    spread_trees(&t, 3, true, &s);
    survives_failed_allocations(project_on_three, &t, 100);
    end_errand(&t);
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
    BN_TRY(bn_project(&low, payload, &(bn_nodes){all, N}, 1, (bn_projection){4, 1},
                      &(bn_place){.threads = 2}));
    rc = bn_project_knn(list, &low, &(bn_roots){payload, all, N, NULL, 1}, &(bn_sample){all, N}, K,
                        &(bn_place){.threads = 2});
    bn_embedding_free(&low);
    if (rc == BONSAI_OK)
        rc = bn_project_recall(&recall, list, &(bn_roots){payload, all, N, NULL, 1},
                               &(bn_sample){all, N}, K, &(bn_place){.threads = 2});
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

/* More than 2^28 numbers are not embedded only to see how good the lists are. */
static void what_is_too_large_to_embed_has_no_recall(void **unused)
{
    (void)unused;
    int32_t nodes[] = {0, 1, 2, 3}, sample[] = {0}, list[] = {1};
    bonsai_graph *g = generated(40, 20, 0);
    double recall = -2;
    g->view.features = ((int64_t)1 << 26) + 1;
    const bn_roots roots = {g, nodes, 4, NULL, 0};
    assert_int_equal(bn_project_recall(&recall, list, &roots, &(bn_sample){sample, 1}, 1,
                                       &(bn_place){.threads = 1}), BONSAI_OK);
    assert_true(recall == -1);
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
        cmocka_unit_test(ranks_and_limits_do_not_change_what_is_found),
        cmocka_unit_test(what_is_too_large_to_embed_has_no_recall),
        cmocka_unit_test(a_failed_allocation_on_some_rank_ends_all),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("project", tests, NULL, NULL);
}
