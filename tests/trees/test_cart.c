/* test_cart.c -- the features of a decision tree, against one grown the slow way.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "condense/condense.h"
#include "random_graph.h"


/* ---- an oracle: tries every cut of every feature on every node ---- */

enum { MOST_ROWS = 64, MOST_CLASSES = 8 };

static double purity(const float *x, int f, const int32_t *label, const int *rows, int n, int j,
                     float cut, int *left)
{
    int count[2][MOST_CLASSES] = {{0}}, size[2] = {0}, square[2] = {0};
    for (int i = 0; i < n; i++) {
        int side = x[rows[i] * f + j] > cut;
        count[side][label[rows[i]]]++;
        size[side]++;
    }
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < MOST_CLASSES; c++)
            square[side] += count[side][c] * count[side][c];
    *left = size[0];
    if (size[0] == 0 || size[1] == 0)
        return -1;
    return (double)square[0] / size[0] + (double)square[1] / size[1];
}

static void slow_tree(uint8_t *used, const float *x, int f, const int32_t *label, const int *rows,
                      int n)
{
    int mixed = 0, best_j = -1, lower[MOST_ROWS], upper[MOST_ROWS], a = 0, b = 0;
    double best = -1;
    float best_cut = 0;
    for (int i = 1; i < n; i++)
        mixed |= label[rows[i]] != label[rows[0]];
    if (!mixed)
        return;
    for (int j = 0; j < f; j++)
        for (int i = 0; i < n; i++) {
            int left;
            float cut = x[rows[i] * f + j];
            double score = purity(x, f, label, rows, n, j, cut, &left);
            if (score < 0 || score < best || (score == best && (j > best_j || cut >= best_cut)))
                continue;
            best = score;
            best_j = j;
            best_cut = cut;
        }
    if (best_j < 0)
        return;
    used[best_j] = 1;
    for (int i = 0; i < n; i++)
        if (x[rows[i] * f + best_j] <= best_cut)
            lower[a++] = rows[i];
        else
            upper[b++] = rows[i];
    slow_tree(used, x, f, label, lower, a);
    slow_tree(used, x, f, label, upper, b);
}

/* ---- embeddings by hand ---- */

static bn_embedding dense_of(const float *x, int64_t rows, int64_t f)
{
    bn_embedding e = {.rows = rows, .f = f};
    assert_int_equal(BN_BIG(&e.dense, NULL, rows * f), BONSAI_OK);
    memcpy(e.dense, x, (size_t)(rows * f) * sizeof *x);
    return e;
}

static bn_embedding sparse_of(const float *x, int64_t rows, int64_t f)
{
    bn_embedding e = {.rows = rows, .f = f};
    int64_t at = 0;
    assert_int_equal(BN_BIG(&e.offsets, NULL, rows + 1), BONSAI_OK);
    assert_int_equal(BN_BIG(&e.index, NULL, rows * f), BONSAI_OK);
    assert_int_equal(BN_BIG(&e.value, NULL, rows * f), BONSAI_OK);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t j = 0; j < f; j++)
            if (x[r * f + j] != 0) {
                e.index[at] = (int32_t)j;
                e.value[at++] = x[r * f + j];
            }
        e.offsets[r + 1] = at;
    }
    return e;
}

static void assert_keeps(const bn_embedding *e, const int32_t *label, int classes, int threads,
                         const uint8_t *used)
{
    int32_t *kept;
    int64_t count, expected = 0;
    assert_int_equal(bn_cart(&kept, &count, e, &(bn_cart_task){.label = label, .classes = classes},
                             &(bn_place){.threads = threads}),
                     BONSAI_OK);
    for (int64_t j = 0; j < e->f; j++)
        if (used[j]) {
            assert_true(expected < count);
            assert_int_equal(kept[expected++], j);
        }
    assert_int_equal(count, expected);
    bn_free(kept);
}

static void features_are_those_of_a_tree_grown_the_slow_way(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int trial = 0; trial < 240; trial++) {
        float x[MOST_ROWS * 12];
        int32_t label[MOST_ROWS];
        int rows[MOST_ROWS], n = 2 + random_below(&state, MOST_ROWS - 2);
        int f = 1 + random_below(&state, 12), classes = 2 + random_below(&state, MOST_CLASSES - 2);
        uint8_t used[12] = {0};
        random_features(x, n, f, (nature)(trial % NATURES), 10 + random_below(&state, 91), &state);
        for (int i = 0; i < n; i++) {
            rows[i] = i;
            label[i] = random_below(&state, classes);
        }
        slow_tree(used, x, f, label, rows, n);
        if (!memchr(used, 1, (size_t)f))
            used[0] = 1;
        bn_embedding dense = dense_of(x, n, f), sparse = sparse_of(x, n, f);
        for (int threads = 1; threads <= 8; threads += threads == 1 ? 1 : 6) {
            assert_keeps(&dense, label, classes, threads, used);
            assert_keeps(&sparse, label, classes, threads, used);
        }
        bn_embedding_free(&dense);
        bn_embedding_free(&sparse);
    }
}

/* ---- by hand ---- */

static void long_columns_are_sorted_as_short_ones(void **unused)
{
    (void)unused;
    enum { N = 3000, F = 3 };
    static float x[N * F];
    static int32_t label[N];
    static const uint8_t used[F] = {0, 1, 0};
    uint64_t state = 5;
    for (int i = 0; i < N; i++) {
        x[i * F] = 1;                           /* says nothing */
        x[i * F + 1] = random_real(&state) * 100;
        x[i * F + 2] = i % 2 ? 1.0f : -1.0f;    /* says little */
        label[i] = x[i * F + 1] > -20 ? 1 + (x[i * F + 1] > 30) : 0;
    }
    bn_embedding e = dense_of(x, N, F);
    assert_keeps(&e, label, 3, 2, used);
    bn_embedding_free(&e);
}

/* 40,000 entries, which threads share.  Two features tell the classes apart together; the others
 * hold chance, and the last is a copy of the first. */
static void threads_find_the_split_that_one_alone_finds(void **unused)
{
    (void)unused;
    enum { N = 2000, F = 20 };
    static float x[N * F];
    static int32_t label[N];
    uint64_t state = 9;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < F; j++)
            x[i * F + j] = (float)(1 + random_below(&state, 50));
        x[i * F + F - 1] = x[i * F + 7];
        label[i] = (x[i * F + 7] > 20) + 2 * (x[i * F + 13] > 35);
    }
    for (int first = 0; first < F; first += 5) {       /* the best is with any of the threads */
        uint8_t used[F] = {0};
        for (int i = 0; i < N && first > 0; i++)
            for (int j = F - 2; j > 0; j--) {           /* columns move on, but for the copy */
                float v = x[i * F + j];
                x[i * F + j] = x[i * F + j - 1];
                x[i * F + j - 1] = v;
            }
        for (int j = 0; j < F - 1; j++)
            used[j] = j == (7 + first / 5) % (F - 1) || j == (13 + first / 5) % (F - 1);
        bn_embedding dense = dense_of(x, N, F), sparse = sparse_of(x, N, F);
        for (int threads = 1; threads <= 8; threads += threads == 1 ? 2 : 5) {
            assert_keeps(&dense, label, 4, threads, used);
            assert_keeps(&sparse, label, 4, threads, used);
        }
        bn_embedding_free(&dense);
        bn_embedding_free(&sparse);
    }
}

static void exclusive_or_is_split_although_no_first_cut_helps(void **unused)
{
    (void)unused;
    const float x[] = {0, 0, 0, 1, 1, 0, 1, 1};
    const int32_t label[] = {0, 1, 1, 0};
    bn_embedding e = sparse_of(x, 4, 2);
    assert_keeps(&e, label, 2, 1, (const uint8_t[]){1, 1});
    bn_embedding_free(&e);
}

static void equal_splits_go_to_the_lower_feature(void **unused)
{
    (void)unused;
    const float x[] = {0, -1, 2, 0, -1, 2, 0, 1, 3, 0, 1, 3};
    const int32_t label[] = {0, 0, 1, 1};
    bn_embedding e = dense_of(x, 4, 3);
    assert_keeps(&e, label, 2, 3, (const uint8_t[]){0, 1, 0});
    bn_embedding_free(&e);
}

static void one_class_keeps_the_first_feature(void **unused)
{
    (void)unused;
    const float x[] = {1, 2, 3, 4};
    const int32_t label[] = {0, 0};
    bn_embedding e = dense_of(x, 2, 2);
    assert_keeps(&e, label, 1, 2, (const uint8_t[]){1, 0});
    bn_embedding_free(&e);
}

static void equal_rows_keep_the_first_feature(void **unused)
{
    (void)unused;
    const float x[] = {0, 5, 0, 5, 0, 5};
    const int32_t label[] = {0, 1, 2};
    bn_embedding e = sparse_of(x, 3, 2);
    assert_keeps(&e, label, 3, 2, (const uint8_t[]){1, 0});
    bn_embedding_free(&e);
}

static void no_features_are_refused(void **unused)
{
    (void)unused;
    int32_t *kept, label[] = {0, 1};
    int64_t count;
    bn_embedding e = {.rows = 2, .f = 0};
    assert_fails(bn_cart(&kept, &count, &e, &(bn_cart_task){.label = label, .classes = 2},
                         &(bn_place){.threads = 1}), BONSAI_E_ARGUMENT,
                 "no features to select from");
    assert_null(kept);
}

static int stop_at_once(const bonsai_progress *p, void *payload)
{
    int *calls = payload;
    assert_string_equal(p->stage, "features");
    return ++*calls > 2;
}

static void a_canceled_tree_leaves_nothing_behind(void **unused)
{
    (void)unused;
    enum { N = 40, F = 5 };
    float x[N * F];
    int32_t *kept, label[N];
    int64_t count, live;
    int calls = 0;
    uint64_t state = 3;
    random_features(x, N, F, FLOATS, 80, &state);
    for (int i = 0; i < N; i++)
        label[i] = random_below(&state, 3);
    bn_embedding e = dense_of(x, N, F);
    live = bn_mem_live();
    assert_fails(bn_cart(&kept, &count, &e, &(bn_cart_task){.label = label, .classes = 3},
                         &(bn_place){.threads = 2, .progress = {stop_at_once, &calls}}),
                 BONSAI_E_CANCELED, "features");
    assert_int_equal(bn_mem_live(), live);
    bn_embedding_free(&e);
}

typedef struct { bn_embedding e; const int32_t *label; } planting;

static bonsai_status plant_one(void *payload)
{
    planting *p = payload;
    int32_t *kept;
    int64_t count;
    bonsai_status rc = bn_cart(&kept, &count, &p->e,
                               &(bn_cart_task){.label = p->label, .classes = 3},
                               &(bn_place){.threads = 2});
    bn_free(kept);
    return rc;
}

static void failed_allocations_are_survived(void **unused)
{
    (void)unused;
    enum { N = 40, F = 4 };
    float x[N * F];
    int32_t label[N];
    uint64_t state = 4;
    random_features(x, N, F, FLOATS, 60, &state);
    for (int i = 0; i < N; i++)
        label[i] = random_below(&state, 3);
    planting p = {sparse_of(x, N, F), label};
    survives_failed_allocations(plant_one, &p, 20);
    bn_embedding_free(&p.e);
}

/* The kept features as bits. */
static uint64_t kept_by(const bn_embedding *e, const bn_cart_task *task, int threads)
{
    int32_t *kept;
    int64_t count;
    uint64_t bits = 0;
    assert_int_equal(bn_cart(&kept, &count, e, task, &(bn_place){.threads = threads}), BONSAI_OK);
    for (int64_t i = 0; i < count; i++)
        bits |= (uint64_t)1 << kept[i];
    bn_free(kept);
    return bits;
}

/* Rows of three classes: one feature parts the first from the others, another these. */
static void no_leaf_is_deeper_than_asked(void **state)
{
    (void)state;
    float x[] = {0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1};
    const int32_t label[] = {0, 0, 1, 1, 2, 2};
    bn_embedding e = dense_of(x, 6, 2);
    bn_cart_task task = {.label = label, .classes = 3, .depth = 1};
    assert_int_equal(kept_by(&e, &task, 1), 1);
    task.depth = 2;
    assert_int_equal(kept_by(&e, &task, 1), 3);
    task.depth = 0;
    assert_int_equal(kept_by(&e, &task, 1), 3);
    bn_embedding_free(&e);
}

/* Sixty columns alike: the lowest splits, or by chance any of them, the same for any threads. */
static void chance_decides_between_equal_features_by_the_seed(void **state)
{
    (void)state;
    enum { N = 4, F = 60 };
    float x[N * F];
    const int32_t label[N] = {0, 1, 0, 1};
    uint64_t seen = 0;
    for (int i = 0; i < N * F; i++)
        x[i] = (float)(i / F % 2);
    bn_embedding e = dense_of(x, N, F);
    bn_cart_task task = {.label = label, .classes = 2};
    assert_int_equal(kept_by(&e, &task, 1), 1);
    task.by_chance = true;
    for (task.seed = 1; task.seed <= 300; task.seed++) {
        uint64_t one = kept_by(&e, &task, 1);
        assert_true(one != 0 && (one & (one - 1)) == 0);
        assert_true(kept_by(&e, &task, 3) == one && kept_by(&e, &task, 8) == one);
        seen |= one;
    }
    int different = 0;
    for (int i = 0; i < F; i++)
        different += (int)(seen >> i & 1);
    assert_true(different > 50);
    bn_embedding_free(&e);
}

static void a_stored_minus_zero_is_no_value(void **state)
{
    (void)state;
    int64_t offsets[] = {0, 1, 1, 2, 2};
    int32_t index[] = {0, 1}, label[] = {0, 1, 0, 1}, *kept = NULL;
    float value[] = {-0.0f, 1.0f};
    bn_embedding e = {.rows = 4, .f = 2, .offsets = offsets, .index = index, .value = value};
    int64_t count;
    assert_int_equal(bn_cart(&kept, &count, &e, &(bn_cart_task){.label = label, .classes = 2},
                             &(bn_place){.threads = 1}), BONSAI_OK);
    assert_int_equal(count, 1);
    assert_int_equal(kept[0], 1);           /* rows 0, 1 and 3 cannot be told apart */
    bn_free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_those_of_a_tree_grown_the_slow_way),
        cmocka_unit_test(long_columns_are_sorted_as_short_ones),
        cmocka_unit_test(threads_find_the_split_that_one_alone_finds),
        cmocka_unit_test(exclusive_or_is_split_although_no_first_cut_helps),
        cmocka_unit_test(equal_splits_go_to_the_lower_feature),
        cmocka_unit_test(one_class_keeps_the_first_feature),
        cmocka_unit_test(equal_rows_keep_the_first_feature),
        cmocka_unit_test(no_features_are_refused),
        cmocka_unit_test(a_canceled_tree_leaves_nothing_behind),
        cmocka_unit_test(no_leaf_is_deeper_than_asked),
        cmocka_unit_test(chance_decides_between_equal_features_by_the_seed),
        cmocka_unit_test(a_stored_minus_zero_is_no_value),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("cart", tests, NULL, NULL);
}
