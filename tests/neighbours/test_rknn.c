/* test_rknn.c -- lists turned round, and the paper's toy setting from features to
 * cover.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include "condense/condense.h"
#include "random_graph.h"

enum { MOST_TREES = 40, MOST_K = 6, CASES = 200 };


typedef struct { int64_t trees, z; int k; int32_t sample[MOST_TREES], list[MOST_TREES * MOST_K]; } input;

static void make_input(input *in, uint64_t seed)
{
    uint64_t s = seed;
    in->trees = 2 + random_below(&s, MOST_TREES - 1);
    in->k = 1 + random_below(&s, in->trees - 1 < MOST_K ? (int)in->trees - 1 : MOST_K);
    in->z = 0;
    for (int32_t t = 0; t < in->trees; t++) {
        if (random_below(&s, 3) == 0)
            continue;
        bool taken[MOST_TREES] = {false};
        taken[t] = true;
        for (int j = 0; j < in->k; j++) {
            int other = random_below(&s, (int)in->trees);
            while (taken[other])
                other = (other + 1) % (int)in->trees;
            taken[other] = true;
            in->list[in->z * in->k + j] = other;
        }
        in->sample[in->z++] = t;
    }
}

static bool lists(const input *in, int64_t s, int64_t tree)
{
    bool found = in->sample[s] == tree;
    for (int j = 0; j < in->k; j++)
        found |= in->list[s * in->k + j] == tree;
    return found;
}

static void holds_exactly_the_samples_that_list_a_tree(void **state)
{
    (void)state;
    input in;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        bn_lists out;
        make_input(&in, seed);
        assert_int_equal(bn_rknn(&out, in.trees, &(bn_sample){in.sample, in.z}, in.list, in.k),
                         BONSAI_OK);
        assert_int_equal(out.count, in.trees);
        for (int64_t t = 0; t < in.trees; t++) {
            int64_t at = out.offsets[t];
            for (int64_t s = 0; s < in.z; s++)
                if (lists(&in, s, t)) {
                    assert_true(at < out.offsets[t + 1]);
                    assert_int_equal(out.item[at++], s);
                }
            assert_int_equal(at, out.offsets[t + 1]);
        }
        bn_lists_free(&out);
    }
}

static bonsai_status try_memory(void *payload)
{
    const input *in = payload;
    bn_lists out;
    bonsai_status rc = bn_rknn(&out, in->trees, &(bn_sample){in->sample, in->z}, in->list, in->k);
    bn_lists_free(&out);
    return rc;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    input in;
    make_input(&in, 3);
    survives_failed_allocations(try_memory, &in, 3);
}

/* L = 1, k = 2, all trees sampled.  Two triangles 0 1 2 and 3 4 5 joined by 2 - 3,
 * and 6 alone; the only feature is 0 0 0 12 12 12 100.
 * After a round: 0, 0, (0 + 12/3)/2 = 2, (12 + 24/3)/2 = 10, 12, 12, 100.
 * Nearest two: 0: 1 2; 1: 0 2; 2: 0 1; 3: 4 5; 4: 5 3; 5: 4 3; 6: 4 5.
 * Reverse: 0, 1 and 2 cover {0 1 2}, 3 covers {3 4 5}, 4 and 5 cover {3 4 5 6}, 6
 * itself.  Greedy: 4 (four; degree 2 as 5, lower id), then 0 (three; 0 and 1 have a
 * degree of 2, 2 has 3), then everything is covered. */
static void the_toy_setting_of_the_paper_by_hand(void **state)
{
    (void)state;
    static const float x[7] = {0, 0, 0, 12, 12, 12, 100};
    static const int32_t from[7] = {0, 0, 1, 3, 3, 4, 2}, to[7] = {1, 2, 2, 4, 5, 5, 3};
    static const float embedded[7] = {0, 0, 2, 10, 12, 12, 100};
    static const int32_t near[14] = {1, 2, 0, 2, 0, 1, 4, 5, 5, 3, 4, 3, 4, 5};
    static const int64_t degree[7] = {2, 2, 3, 3, 2, 2, 0}, covers[7] = {3, 3, 3, 3, 4, 4, 1};
    static const int32_t all[7] = {0, 1, 2, 3, 4, 5, 6};
    bonsai_view v;
    bonsai_graph *g = NULL;
    bn_embedding e;
    bn_lists reverse;
    bn_cover *c = NULL;
    int32_t list[14];
    bonsai_view_init(&v);
    v.nodes = 7;
    v.features = 1;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 7, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 7, from, to, NULL, NULL), BONSAI_OK);
    assert_int_equal(bn_embed(&e, g, &(bn_nodes){all, 7}, BN_RULE_WL, 1, &(bn_place){.threads = 1}),
                     BONSAI_OK);
    assert_memory_equal(e.dense, embedded, sizeof embedded);
    assert_int_equal(bn_knn(list, NULL, &(bn_sharded){.e = &e, .at = &(bn_place){.threads = 1}},
                            &(bn_sample){all, 7}, 2, NULL), BONSAI_OK);
    assert_memory_equal(list, near, sizeof near);
    assert_int_equal(bn_rknn(&reverse, 7, &(bn_sample){all, 7}, list, 2), BONSAI_OK);
    for (int t = 0; t < 7; t++)
        assert_int_equal(reverse.offsets[t + 1] - reverse.offsets[t], covers[t]);
    assert_int_equal(bn_cover_new(&c, &reverse, 7, degree, NULL, 0), BONSAI_OK);
    assert_int_equal(bn_cover_next(c), 4);
    bn_cover_take(c, 4);
    assert_int_equal(bn_cover_reached(c), 4);
    assert_int_equal(bn_cover_next(c), 0);
    bn_cover_take(c, 0);
    assert_int_equal(bn_cover_reached(c), 7);
    assert_int_equal(bn_cover_next(c), 5);          /* the next round */
    bn_cover_free(c);
    bn_lists_free(&reverse);
    bn_embedding_free(&e);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_exactly_the_samples_that_list_a_tree),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(the_toy_setting_of_the_paper_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
