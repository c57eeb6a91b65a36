/* test_size.c -- the size of a graph, under our accounting and the paper's.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdlib.h>

#include "random_graph.h"

static double size_of(const bonsai_graph *g, bonsai_accounting a)
{
    double bytes = -1;
    if (bonsai_graph_bytes(&bytes, g, a) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return bytes;
}

static uint64_t number(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes-- > 0)
        v = v << 8 | p[bytes];
    return v;
}

static void the_size_is_the_length_of_the_sections_in_the_file(void **state)
{
    (void)state;
    static const int half_bytes[] = {0, 2, 4, 8, 16, 2, 4, 8, 1, 1};
    for (uint64_t seed = 0; seed < 100; seed++) {
        bonsai_graph *g = random_graph(seed, (int64_t)(seed % 11), 30, seed % LAYOUTS,
                                       seed % 3 ? WITH_ALL : WITH_LABELS);
        const char *path = temp_path("size.bonsai");
        int64_t bytes[BONSAI_SECTION_COUNT];
        bonsai_type types[BONSAI_SECTION_COUNT];
        size_t len;
        double counted = 0;
        assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
        assert_int_equal(bonsai_graph_sections(types, bytes, BONSAI_SECTION_COUNT, g, NULL),
                         BONSAI_OK);
        uint8_t *file = read_file(path, &len);
        bool seen[BONSAI_SECTION_COUNT] = {false};
        for (uint64_t i = 0; i < number(file + 24, 4); i++) {
            const uint8_t *entry = file + 64 + 32 * i;
            uint64_t id = number(entry, 4), type = number(entry + 4, 4);
            uint64_t length = (number(entry + 16, 8) * (uint64_t)half_bytes[type] + 1) / 2;
            assert_int_equal(types[id], type);
            assert_int_equal(bytes[id], length);
            counted += id <= 12 || id == 23 ? (double)length : 0;
            seen[id] = true;
        }
        for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
            assert_true(seen[s] || (bytes[s] == 0 && types[s] == BONSAI_TYPE_NONE));
        assert_true(counted == size_of(g, BONSAI_ACCOUNTING_STRICT));
        free(file);
        bonsai_graph_free(g);
    }
}

/* A program of an older or a newer version knows fewer or more sections. */
static void no_more_entries_are_written_than_the_caller_has(void **state)
{
    (void)state;
    enum { MORE = BONSAI_SECTION_COUNT + 5 };
    bonsai_graph *g = random_graph(1, 10, 30, 0, WITH_ALL);
    bonsai_type all[BONSAI_SECTION_COUNT], types[MORE];
    int64_t bytes[MORE];
    assert_int_equal(bonsai_graph_sections(all, NULL, BONSAI_SECTION_COUNT, g, NULL), BONSAI_OK);
    for (int count = 0; count <= MORE; count++) {
        memset(types, 0x55, sizeof types);
        memset(bytes, 0x55, sizeof bytes);
        assert_int_equal(bonsai_graph_sections(types, bytes, count, g, NULL), BONSAI_OK);
        for (int s = 0; s < MORE; s++) {
            int known = s < BONSAI_SECTION_COUNT ? (int)all[s] : 0;
            assert_int_equal(types[s], s < count ? known : 0x55555555);
            assert_true(s < count ? bytes[s] != 0x5555555555555555
                                  : bytes[s] == 0x5555555555555555);
        }
    }
    bonsai_graph_free(g);
}

/* Five nodes, edges 0-1 1-2 2-3 and nothing at 4. */
static bonsai_graph *five(const float *x, int64_t f, bool directed)
{
    bonsai_view v;
    bonsai_read_options o;
    bonsai_graph *g;
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    v.nodes = 5;
    v.features = f;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 5 * f, BONSAI_TYPE_F32};
    o.keep_directed = directed;
    o.keep_self_loops = 1;
    assert_int_equal(bonsai_graph_build(&g, &v, 4, (int32_t[]){0, 1, 2, 3}, (int32_t[]){1, 2, 3, 3},
                                        NULL, &o), BONSAI_OK);
    return g;
}

static void the_paper_prices_are_those_of_its_code(void **state)
{
    (void)state;
    enum { F = 100 };
    static float x[5 * F];
    x[0] = x[F + 1] = x[F + 7] = x[4 * F + 3] = 1;              /* binary, 4 words */
    bonsai_graph *g = five(x, F, false);
    assert_int_equal(bonsai_graph_edges(g), 7);                 /* 3 edges twice, a self loop */
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_FULL) == 2 * (5 * F * 1 + 2 * 7));
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED) == 2 * (4 + 2 * (3 + 5)));
    bonsai_graph_free(g);
    x[0] = 3;                                                   /* integers: twice the non-zeros */
    g = five(x, F, true);
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_FULL) == 2 * (5 * F * 1 + 2 * 4));
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED) == 2 * (2 * 4 + 2 * (3 + 5)));
    bonsai_graph_free(g);
    x[0] = 0.5f;                                                /* sparse reals: the sum */
    x[1] = 0.3f;
    g = five(x, F, false);
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_FULL) == 2 * (5 * F * 2 + 2 * 7));
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED) ==
                2 * (3 + 0.5 + (double)0.3f + 2 * (3 + 5)));
    bonsai_graph_free(g);
    uint64_t s = 1;
    random_features(x, 5, F, FLOATS, 100, &s);
    for (int i = 0; i < 5 * F; i++)
        x[i] += 0.25f;                                          /* dense: two a feature */
    g = five(x, F, false);
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED) == 2 * (2 * 5 * F + 2 * (3 + 5)));
    bonsai_graph_free(g);
}

/* A prototype costs 3 per non-zero and 1 per label or weight, instead of the price of a row. */
static void prototypes_have_a_paper_price_of_their_own(void **state)
{
    (void)state;
    static const float x[3 * 4] = {1, 0, 2, 0, 0, 0, 0, 0.5f, 1, 1, 1, 1};
    const uint8_t role[3] = {BONSAI_ROLE_PROTOTYPE, BONSAI_ROLE_PROTOTYPE, BONSAI_ROLE_PROTOTYPE};
    const uint8_t label[3] = {0};
    const uint8_t soft[6] = {255, 0, 255, 0, 255, 0}, weight[3] = {1, 2, 3};
    const uint32_t offsets[4] = {0, 1, 2, 3}, loop[3] = {0, 1, 2};
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = 3;
    v.features = 4;
    v.classes = 2;
    v.flags = BONSAI_FLAG_SELF_LOOPS;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 4, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){loop, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 12, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_ROLE] = (bonsai_array){role, 3, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 3, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED) == 2 * (3 * 7 + 3 + 2 * 3));
    bonsai_graph_free(g);
    v.section[BONSAI_SECTION_SOFT_LABELS] = (bonsai_array){soft, 6, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_NODE_WEIGHTS] = (bonsai_array){weight, 3, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED) == 2 * (3 * 7 + 3 + 6 + 3 + 2 * 3));
    bonsai_graph_free(g);
}

static void strict_bytes_by_hand(void **state)
{
    (void)state;
    static const float x[5 * 2] = {1, 0, 0, 0, 1, 1, 0, 0, 0, 1};
    bonsai_graph *g = five(x, 2, false);
    /* offsets 6*4, neighbours 7*4, features: dense f16 5*2*2 against q4 5+20, u8 10+20 and
     * sparse ones 6*4 + 4*2 */
    assert_true(size_of(g, BONSAI_ACCOUNTING_STRICT) == 24 + 28 + 20);
    bonsai_graph_free(g);
}

static void an_empty_graph_has_a_size(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 0, 0, NO_FEATURES, 0);
    assert_true(size_of(g, BONSAI_ACCOUNTING_STRICT) == 4);
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_FULL) == 0);
    assert_true(size_of(g, BONSAI_ACCOUNTING_PAPER_CONDENSED) == 0);
    double bytes;
    assert_fails(bonsai_graph_bytes(&bytes, g, (bonsai_accounting)9), BONSAI_E_ARGUMENT,
                 "accounting 9 is not known");
    bonsai_graph_free(g);
}

static bonsai_status all_sizes(void *payload)
{
    bonsai_status rc;
    double bytes;
    for (int a = BONSAI_ACCOUNTING_STRICT; a <= BONSAI_ACCOUNTING_PAPER_CONDENSED; a++)
        BN_TRY(bonsai_graph_bytes(&bytes, payload, (bonsai_accounting)a));
done:
    return rc;
}

static void sizes_survive_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 8, 20, SPARSE_I8, WITH_ALL);
    survives_failed_allocations(all_sizes, g, 4);        /* traits are kept */
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_size_is_the_length_of_the_sections_in_the_file),
        cmocka_unit_test(no_more_entries_are_written_than_the_caller_has),
        cmocka_unit_test(the_paper_prices_are_those_of_its_code),
        cmocka_unit_test(prototypes_have_a_paper_price_of_their_own),
        cmocka_unit_test(strict_bytes_by_hand),
        cmocka_unit_test(an_empty_graph_has_a_size),
        cmocka_unit_test(sizes_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
