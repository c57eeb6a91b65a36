/* test_baselines.c -- the simple methods, each against a plain search for its picks.
 *
 * SPDX-License-Identifier: MIT */
#include "record/fact.h"
#include "condensing.h"

enum { N = 24, F = 3, WIDE = 64 };

/* The features as they are, or in three of many columns, so that rows stay sparse. */
static void put_features(bonsai_view *v, const float *x, bool sparse)
{
    static uint64_t offsets[N + 1];
    static uint32_t index[N * F];
    static float value[N * F];
    uint64_t nnz = 0;
    for (int i = 0; i < N * F; i++) {
        if (x[i] != 0.0f) {
            index[nnz] = (uint32_t)(i % F * 17);
            value[nnz++] = x[i];
        }
        offsets[i / F + 1] = nnz;
    }
    v->features = sparse ? WIDE : F;
    if (!sparse) {
        v->section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
        return;
    }
    v->section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, N + 1, BONSAI_TYPE_U64};
    v->section[BONSAI_SECTION_FEATURE_INDICES] =
        (bonsai_array){index, (int64_t)nnz, BONSAI_TYPE_U32};
    v->section[BONSAI_SECTION_FEATURE_VALUES] =
        (bonsai_array){value, (int64_t)nnz, BONSAI_TYPE_F32};
}

/* N isolated nodes, all in training, of c classes, with features of a few small
 * integers so that every sum is exact; sparse for odd seeds. */
static bonsai_graph *points(float *x, uint8_t *label, int classes, uint64_t seed)
{
    static uint8_t split[N];
    bool sparse = seed % 2;
    bonsai_view v;
    bonsai_graph *g = NULL;
    for (int i = 0; i < N; i++) {
        split[i] = BONSAI_PART_TRAIN;
        label[i] = (uint8_t)(i < classes ? i : random_below(&seed, classes));
        for (int j = 0; j < F; j++)
            x[i * F + j] = (float)(random_below(&seed, 64) - 20);
    }
    bonsai_view_init(&v);
    v.nodes = N;
    v.classes = classes;
    put_features(&v, x, sparse);
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, N, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, N, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    return g;
}

static void nodes_of(int *in, const bonsai_graph *g, bonsai_method m, int64_t trees, uint64_t seed)
{
    bonsai_condense_options o;
    bonsai_condense_info i;
    bonsai_condense_options_init(&o);
    o.method = m;
    o.trees = trees;
    o.threads = 1;
    o.seed = seed;
    o.layers = 1;
    bonsai_graph *small = condensed(&i, g, &o);
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    memset(in, 0, N * sizeof *in);
    for (int64_t v = 0; v < small->view.nodes; v++)
        in[origin[v]] = 1;
    assert_int_equal(i.roots, trees);
    assert_true(i.coverage == -1 && bn_fact(&i, BN_FACT_COVERAGE_BOUND) == -1);
    bonsai_graph_free(small);
}

static double dist2(const float *x, int a, int b)
{
    double sum = 0;
    for (int j = 0; j < F; j++)
        sum += pow((double)(x[a * F + j] - x[b * F + j]), 2);
    return sum;
}

/* One more pick leaves the picks before it as they are and adds the farthest node. */
static void kcenter_takes_the_farthest_node(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        float x[N * F];
        uint8_t label[N];
        int before[N], after[N];
        bonsai_graph *g = points(x, label, 2, seed);
        nodes_of(before, g, BONSAI_METHOD_KCENTER, 1, seed);
        for (int count = 2; count < 8; count++) {
            int best = -1;
            double far = -1;
            for (int v = 0; v < N; v++) {
                double near = INFINITY;
                for (int u = 0; u < N; u++)
                    near = before[u] ? fmin(near, dist2(x, u, v)) : near;
                if (!before[v] && near > far) {
                    far = near;
                    best = v;
                }
            }
            nodes_of(after, g, BONSAI_METHOD_KCENTER, count, seed);
            before[best] = 1;
            assert_memory_equal(before, after, sizeof after);
        }
        bonsai_graph_free(g);
    }
}

/* With one class: the pick is the node of largest product with w, and w += mean - pick. */
static void herding_follows_the_mean_of_the_class(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        float x[N * F];
        uint8_t label[N];
        int got[N], want[N] = {0};
        double mean[F] = {0}, w[F] = {0};
        bonsai_graph *g = points(x, label, 1, seed);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < F; j++)
                mean[j] += (double)x[i * F + j] / N;
        for (int count = 1; count < 8; count++) {
            int best = -1;
            double most = 0, second = -INFINITY;
            for (int j = 0; j < F; j++)
                w[j] += mean[j];
            for (int v = 0; v < N; v++) {
                double product = 0;
                for (int j = 0; j < F; j++)
                    product += w[j] * (double)x[v * F + j];
                if (want[v])
                    continue;
                if (best < 0 || product > most) {
                    second = best < 0 ? second : most;
                    most = product;
                    best = v;
                } else if (product > second) {
                    second = product;
                }
            }
            if (most - second < 1e-2)           /* rounding may choose otherwise */
                break;
            want[best] = 1;
            for (int j = 0; j < F; j++)
                w[j] -= (double)x[best * F + j];
            nodes_of(got, g, BONSAI_METHOD_HERDING, count, seed);
            assert_memory_equal(got, want, sizeof got);
        }
        bonsai_graph_free(g);
    }
}

static void herding_gives_every_class_its_share(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        float x[N * F];
        uint8_t label[N];
        int in[N], have[3] = {0}, all[3] = {0};
        bonsai_graph *g = points(x, label, 3, seed);
        nodes_of(in, g, BONSAI_METHOD_HERDING, 12, seed);
        for (int v = 0; v < N; v++) {
            all[label[v]]++;
            have[label[v]] += in[v];
        }
        for (int c = 0; c < 3; c++)
            assert_true(abs(2 * have[c] - all[c]) <= 2);
        bonsai_graph_free(g);
    }
}

/* A path with one more edge at 5 and two more at 9; the ends have one neighbour. */
static void degree_takes_the_nodes_of_most_neighbours(void **state)
{
    (void)state;
    float x[N * F];
    uint8_t label[N], split[N];
    int32_t source[N + 2], target[N + 2];
    bonsai_view v;
    bonsai_graph *g = NULL;
    bonsai_graph_free(points(x, label, 1, 3));
    for (int i = 0; i < N; i++) {
        split[i] = BONSAI_PART_TRAIN;
        source[i] = i;
        target[i] = (i + 1) % N;
    }
    source[N] = 9;
    target[N] = 5;
    source[N + 1] = 9;
    target[N + 1] = 20;
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = F;
    v.classes = 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, N, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, N, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, N + 2, source, target, NULL, NULL), BONSAI_OK);
    static const int order[] = {9, 5, 20, 0, 1, 2};     /* 4, 3, 3, then by id */
    int got[N], want[N] = {0};
    for (int count = 1; count <= 6; count++) {
        want[order[count - 1]] = 1;
        nodes_of(got, g, BONSAI_METHOD_DEGREE, count, 1);
        assert_memory_equal(got, want, sizeof got);
    }
    bonsai_graph_free(g);
}

/* Over many seeds every node is about as likely as any other. */
static void random_prefers_no_node(void **state)
{
    (void)state;
    float x[N * F];
    uint8_t label[N];
    int in[N], times[N] = {0};
    bonsai_graph *g = points(x, label, 1, 1);
    for (uint64_t seed = 0; seed < 600; seed++) {
        nodes_of(in, g, BONSAI_METHOD_RANDOM, 6, seed);
        for (int v = 0; v < N; v++)
            times[v] += in[v];
    }
    for (int v = 0; v < N; v++)                 /* 150 expected, five sigmas are 53 */
        assert_true(times[v] > 97 && times[v] < 203);
    bonsai_graph_free(g);
}

static void random_trees_bring_their_neighbours(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        bonsai_graph *g = case_graph(seed);
        bonsai_condense_options o;
        bonsai_condense_info i;
        bonsai_condense_options_init(&o);
        o.method = BONSAI_METHOD_RANDOM_TREES;
        o.trees = 1;
        o.layers = 1;
        o.seed = seed;
        if (training_nodes(g) > 0) {
            bonsai_graph *small = condensed(&i, g, &o);
            const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
            const uint8_t *role = small->view.section[BONSAI_SECTION_ROLE].data;
            int64_t root = 0, wanted = 1;
            while (role[root] != BONSAI_ROLE_ROOT)
                root++;
            for (int64_t v = 0; v < g->view.nodes; v++)
                for (int64_t e = bn_row_begin(g, v); e < bn_row_begin(g, v + 1); e++)
                    wanted += v == origin[root] && bn_neighbors(g)[e] != v;
            assert_int_equal(i.nodes, wanted);
            bonsai_graph_free(small);
        }
        bonsai_graph_free(g);
    }
}

typedef struct { const bonsai_graph *g; bonsai_condense_options o; } asked;

static bonsai_status choose_once(void *payload)
{
    const asked *a = payload;
    bonsai_graph *small = NULL;
    bonsai_status rc = bonsai_condense(&small, NULL, a->g, &a->o);
    bonsai_graph_free(small);
    return rc;
}

static void every_method_survives_failed_allocations(void **state)
{
    (void)state;
    static const bonsai_method methods[] = {BONSAI_METHOD_RANDOM, BONSAI_METHOD_RANDOM_TREES,
                                            BONSAI_METHOD_HERDING, BONSAI_METHOD_KCENTER,
                                            BONSAI_METHOD_DEGREE};
    float x[N * F];
    uint8_t label[N];
    bonsai_graph *g = points(x, label, 2, 4);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        asked a = {.g = g};
        bonsai_condense_options_init(&a.o);
        a.o.method = methods[k];
        a.o.trees = 5;
        a.o.threads = 1;
        survives_failed_allocations(choose_once, &a, 5);
    }
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kcenter_takes_the_farthest_node),
        cmocka_unit_test(herding_follows_the_mean_of_the_class),
        cmocka_unit_test(herding_gives_every_class_its_share),
        cmocka_unit_test(degree_takes_the_nodes_of_most_neighbours),
        cmocka_unit_test(random_prefers_no_node),
        cmocka_unit_test(random_trees_bring_their_neighbours),
        cmocka_unit_test(every_method_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
