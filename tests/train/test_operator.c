/* test_operator.c -- graphs whose edge weights are an operator: checks, files, sums and training.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "condense/condense.h"
#include "embed/embed.h"
#include "study/map.h"
#include "training.h"

enum { N = 24, F = 5 };

static float features[N * F];
static uint32_t labels[N];

/* N nodes, a diagonal, a ring and some chords, with weights of both signs; `a` (N,N) is the same in
 * full. */
static bonsai_graph *operator_graph(double a[N][N])
{
    static int32_t source[N * N], target[N * N];
    static float weight[N * N];
    bonsai_view v;
    bonsai_graph *g = NULL;
    uint64_t state = 11;
    int64_t m = 0;
    bonsai_view_init(&v);
    for (int i = 0; i < N; i++) {
        labels[i] = (uint32_t)i % 3;
        for (int j = 0; j < F; j++)
            features[i * F + j] = random_real(&state) + ((int)labels[i] == j ? 2 : 0);
        for (int j = 0; j <= i; j++)
            if (i == j || i == j + 1 || random_below(&state, 4) == 0) {
                const float w = random_real(&state) / 3;
                for (int k = 0; k < (i == j ? 1 : 2); k++, m++) {
                    source[m] = k ? j : i;
                    target[m] = k ? i : j;
                    weight[m] = w;
                }
                if (a)
                    a[i][j] = a[j][i] = (double)w;
            }
    }
    v.nodes = N;
    v.features = F;
    v.classes = 3;
    v.flags = BONSAI_FLAG_OPERATOR;
    set_section(&v, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, features, N * F);
    set_section(&v, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, labels, N);
    if (bonsai_graph_build(&g, &v, m, source, target, weight, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

/* ---- checks ---- */

static void weights_of_any_sign_need_the_flag(void **state)
{
    (void)state;
    bonsai_graph *g = operator_graph(NULL), *other = NULL;
    assert_int_equal(g->view.flags, BONSAI_FLAG_OPERATOR | BONSAI_FLAG_SELF_LOOPS);
    assert_int_equal(bonsai_graph_check(g, NULL), BONSAI_OK);
    bonsai_view v = view_of(g);
    v.flags &= ~(uint64_t)BONSAI_FLAG_OPERATOR;
    assert_fails(bonsai_graph_new(&other, &v, 1), BONSAI_E_ARGUMENT, "not positive and finite");
    v = view_of(g);
    v.section[BONSAI_SECTION_EDGE_WEIGHTS] = (bonsai_array){0};
    assert_fails(bonsai_graph_new(&other, &v, 1), BONSAI_E_ARGUMENT,
                 "says that its edge weights are an operator, but has none");
    v = view_of(g);
    v.flags |= 32;
    assert_fails(bonsai_graph_new(&other, &v, 1), BONSAI_E_ARGUMENT, "unknown flags");
    bonsai_graph_free(g);
}

static void entries_must_be_finite_and_symmetric(void **state)
{
    (void)state;
    bonsai_view v;
    bonsai_graph *g = NULL;
    const int32_t from[] = {0, 1}, to[] = {1, 0};
    bonsai_view_init(&v);
    v.nodes = 2;
    v.flags = BONSAI_FLAG_OPERATOR;
    assert_fails(bonsai_graph_build(&g, &v, 2, from, to, (float[]){-1, INFINITY}, NULL),
                 BONSAI_E_ARGUMENT, "edge 1: weight inf is not finite");
    assert_fails(bonsai_graph_build(&g, &v, 2, from, to, (float[]){-1, 1}, NULL),
                 BONSAI_E_ARGUMENT, "an operator that is not symmetric");
    assert_fails(bonsai_graph_build(&g, &v, 2, from, to, NULL, NULL), BONSAI_E_ARGUMENT,
                 "but has none");
    assert_int_equal(bonsai_graph_build(&g, &v, 2, from, to, (float[]){-1, -1}, NULL), BONSAI_OK);
    bonsai_graph_free(g);
}

/* Sums would have to know which way an entry points. */
static void a_directed_graph_is_none(void **state)
{
    (void)state;
    bonsai_graph *g = operator_graph(NULL), *other = NULL;
    bonsai_read_options o;
    bonsai_view v = view_of(g), bare;
    v.flags |= BONSAI_FLAG_DIRECTED;
    assert_fails(bonsai_graph_new(&other, &v, 1), BONSAI_E_ARGUMENT,
                 "is directed, but its edge weights are an operator");
    bonsai_read_options_init(&o);
    o.keep_directed = 1;
    bonsai_view_init(&bare);
    bare.nodes = 2;
    bare.flags = BONSAI_FLAG_OPERATOR;
    assert_fails(bonsai_graph_build(&other, &bare, 2, (int32_t[]){0, 1}, (int32_t[]){1, 0},
                                    (float[]){1, 1}, &o), BONSAI_E_ARGUMENT, "is directed, but");
    const char *path = temp_path("directed.npz");
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    assert_fails(bonsai_graph_read(&other, path, &o), BONSAI_E_FORMAT, "is directed, but");
    bonsai_graph_free(g);
}

/* ---- files ---- */

static bonsai_graph *through_a_file(const bonsai_graph *g, const char *name)
{
    bonsai_graph *back = NULL;
    const char *path = temp_path(name);
    if (bonsai_graph_save(NULL, g, path, NULL) != BONSAI_OK ||
        bonsai_graph_load(&back, path) != BONSAI_OK)
        fail_msg("%s: %s", name, bonsai_error());
    return back;
}

static void files_keep_it(void **state)
{
    (void)state;
    static const char *const name[] = {"a.bonsai", "a.npz", "a.edges/"};
    bonsai_graph *g = operator_graph(NULL);
    for (int i = 0; i < 3; i++) {
        bonsai_graph *back = through_a_file(g, name[i]);
        bonsai_view a = view_of(g), b = view_of(back);
        const bonsai_array *w = &a.section[BONSAI_SECTION_EDGE_WEIGHTS];
        assert_int_equal(a.flags, b.flags);
        assert_int_equal(w->count, b.section[BONSAI_SECTION_EDGE_WEIGHTS].count);
        assert_memory_equal(w->data, b.section[BONSAI_SECTION_EDGE_WEIGHTS].data,
                            (size_t)w->count * sizeof(float));
        bonsai_graph_free(back);
    }
    bonsai_graph_free(g);
}

static void only_its_native_file_is_of_version_1_2(void **state)
{
    (void)state;
    size_t len;
    bonsai_graph *g = operator_graph(NULL), *plain = made_graph(30, 8, 1);
    for (int i = 0; i < 2; i++) {
        const char *path = temp_path("minor.bonsai");
        assert_int_equal(bonsai_graph_save(NULL, i ? plain : g, path, NULL), BONSAI_OK);
        uint8_t *bytes = read_file(path, &len);
        assert_int_equal(bytes[10] == 2, i == 0);
        free(bytes);
    }
    bonsai_graph_free(g);
    bonsai_graph_free(plain);
}

/* ---- what is refused ---- */

static void a_part_of_it_is_refused_and_another_order_is_not(void **state)
{
    (void)state;
    bonsai_graph *g = operator_graph(NULL), *out = NULL;
    int32_t node[N];
    for (int i = 0; i < N; i++)
        node[i] = N - 1 - i;
    assert_fails(bonsai_graph_induce(&out, g, node, N - 1), BONSAI_E_ARGUMENT,
                 "an operator of all of its nodes");
    assert_int_equal(bonsai_graph_induce(&out, g, node, N), BONSAI_OK);
    assert_int_equal(out->view.flags, g->view.flags);
    bonsai_graph_free(out);
    bonsai_graph_free(g);
}

static void it_is_not_condensed(void **state)
{
    (void)state;
    bonsai_graph *g = operator_graph(NULL), *out = NULL;
    bonsai_condense_options o;
    bonsai_linear l;
    bonsai_condense_options_init(&o);
    bonsai_linear_init(&l);
    o.nodes = 3;
    assert_fails(bonsai_condense(&out, NULL, g, &o), BONSAI_E_ARGUMENT,
                 "its edge weights are an operator, not weights of edges");
    assert_fails(bonsai_graph_linear(&l, g, 1, NULL), BONSAI_E_ARGUMENT, "no averages over hops");
    bonsai_graph_free(g);
}

/* ---- weights of a stranger ---- */

/* The same graph, all nodes for training, whose weights are 3e38 in size. */
static bonsai_graph *huge_operator(void)
{
    static float weight[N * N];
    static uint8_t split[N];
    bonsai_graph *g = operator_graph(NULL);
    bonsai_view v = view_of(g);
    const bonsai_array *given = &v.section[BONSAI_SECTION_EDGE_WEIGHTS];
    for (int64_t i = 0; i < given->count; i++)
        weight[i] = bn_real_at(given, i) < 0 ? -3e38f : 3e38f;
    memset(split, BONSAI_PART_TRAIN, N);
    set_section(&v, BONSAI_SECTION_EDGE_WEIGHTS, BONSAI_TYPE_F32, weight, given->count);
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, split, N);
    bonsai_graph *out = graph_of(&v);
    bonsai_graph_free(g);
    return out;
}

static void products_that_overflow_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = huge_operator();
    bn_embedding e;
    int32_t nearest[2];
    int64_t found;
    double wl[2], seen[2];
    for (int layers = 1; layers < 4; layers++)
        assert_fails(bn_embed(&e, g, NULL, BN_RULE_WL, layers, NULL), BONSAI_E_ARGUMENT,
                     "over neighbours overflows");
    assert_fails(bonsai_condense_nearest(nearest, NULL, &found, 2, g, 0, g, NULL),
                 BONSAI_E_ARGUMENT, "over neighbours overflows");
    for (int what = BONSAI_STUDY_EMBEDDING; what <= BONSAI_STUDY_WEIGHTS && has_method(BONSAI_METHOD_GCOND);
         what++)
        assert_fails(bonsai_study_pairs(wl, seen, 2, g, (bonsai_study)what, NULL),
                     BONSAI_E_ARGUMENT, "no distances in WL space");
    bonsai_graph_free(g);
}

/* They are shown where their features are, so that no weight matters. */
static void maps_do_not_multiply_with_it(void **state)
{
    (void)state;
    bonsai_graph *huge = huge_operator();
    bonsai_view v = view_of(huge);
    v.section[BONSAI_SECTION_EDGE_WEIGHTS] = (bonsai_array){0};
    v.flags &= ~(uint64_t)BONSAI_FLAG_OPERATOR;
    bonsai_graph *plain = graph_of(&v);
    const bonsai_graph *const pair[][2] = {{huge, plain}, {plain, huge}, {huge, huge}};
    for (int k = 0; k < 3; k++) {
        bn_map m[BN_MAPS];
        bonsai_report *r = NULL;
        assert_int_equal(bn_map_make(m, pair[k][0], pair[k][1], 2, false, NULL), BONSAI_OK);
        assert_int_equal(m[0].dots, N);
        for (int i = 0; i < N; i++)
            assert_true(fabs(m[0].dot[i].x) < 100 && fabs(m[0].dot[i].y) < 100);
        bn_map_free(m);
        assert_int_equal(bonsai_report_new(&r, pair[k][0], pair[k][1], NULL), BONSAI_OK);
        bonsai_report_free(r);
    }
    bonsai_graph_free(plain);
    bonsai_graph_free(huge);
}

/* ---- sums ---- */

static void expect(const float *got, double a[N][N], const float *x, int times)
{
    double now[N * F], next[N * F];
    for (int i = 0; i < N * F; i++)
        now[i] = (double)x[i];
    for (int t = 0; t < times; t++) {
        memset(next, 0, sizeof next);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < F; k++)
                    next[i * F + k] += a[i][j] * now[j * F + k];
        memcpy(now, next, sizeof now);
    }
    for (int i = 0; i < N * F; i++)
        if (fabs((double)got[i] - now[i]) > 1e-5)
            fail_msg("number %d is %g, not %g", i, (double)got[i], now[i]);
}

static void gcn_sums_with_it_as_it_is(void **state)
{
    (void)state;
    static double a[N][N];
    static float y[N * F];
    bonsai_graph *g = operator_graph(a);
    bn_messages m;
    const bn_input x = {.rows = N, .cols = F, .dense = features};
    assert_int_equal(bn_messages_make(&m, g, BN_NORM_BOTH, true, 1), BONSAI_OK);
    bn_pass(y, &m.to, &x, (bn_span){0, N, 1});
    expect(y, a, features, 1);
    bn_pass(y, &m.back, &x, (bn_span){0, N, 1});
    expect(y, a, features, 1);
    bn_messages_free(&m);
    bonsai_graph_free(g);
}

static void embeddings_are_its_powers(void **state)
{
    (void)state;
    static double a[N][N];
    bonsai_graph *g = operator_graph(a);
    static const bn_rule rules[] = {BN_RULE_WL, BN_RULE_MEAN, BN_RULE_AROUND};
    for (int i = 0; i < 9; i++) {
        bn_embedding e;
        assert_int_equal(bn_embed(&e, g, NULL, rules[i % 3], i / 3, NULL), BONSAI_OK);
        static float rows[N * F];
        for (int v = 0; v < N; v++)
            bn_embedding_row(rows + v * F, &e, v);
        expect(rows, a, features, i / 3);
        bn_embedding_free(&e);
    }
    bonsai_graph_free(g);
}

/* ---- training ---- */

static void networks_train_on_it_and_are_judged_on_another(void **state)
{
    (void)state;
    bonsai_graph *g = operator_graph(NULL);
    bonsai_view v = view_of(g);
    uint8_t split[N];
    memset(split, BONSAI_PART_TEST, sizeof split);
    set_section(&v, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, split, N);
    v.section[BONSAI_SECTION_EDGE_WEIGHTS] = (bonsai_array){0};
    v.flags = BONSAI_FLAG_SELF_LOOPS;
    bonsai_graph *full = graph_of(&v);
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++) {
        bonsai_train_options o = quick(kind);
        bonsai_training *t = trained(g, full, &o);
        const double first = bonsai_training_epoch(t, 0)->loss;
        assert_true(bonsai_training_epoch(t, 39)->loss < first);
        bonsai_training_free(t);
    }
    bonsai_graph_free(full);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_any_sign_need_the_flag),
        cmocka_unit_test(entries_must_be_finite_and_symmetric),
        cmocka_unit_test(a_directed_graph_is_none),
        cmocka_unit_test(files_keep_it),
        cmocka_unit_test(only_its_native_file_is_of_version_1_2),
        cmocka_unit_test(a_part_of_it_is_refused_and_another_order_is_not),
        cmocka_unit_test(it_is_not_condensed),
        cmocka_unit_test(products_that_overflow_are_refused),
        cmocka_unit_test(maps_do_not_multiply_with_it),
        cmocka_unit_test(gcn_sums_with_it_as_it_is),
        cmocka_unit_test(embeddings_are_its_powers),
        cmocka_unit_test(networks_train_on_it_and_are_judged_on_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
