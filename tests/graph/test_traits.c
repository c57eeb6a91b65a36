/* test_traits.c -- the traits of features, and how long they are kept.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include "random_graph.h"

enum { N = 5000, F = 3, LATE = N * F - 7 };

static float    dense[N * F];
static uint16_t half[N * F];
static uint64_t offsets[N + 1];
static uint32_t empty[N + 1], index_of[N * F];

static bonsai_view view_of(int64_t n, int64_t f)
{
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = n;
    v.features = f;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){empty, n + 1, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){empty, 0, BONSAI_TYPE_U32};
    return v;
}

/* Ordinary numbers, with the given one among the last. */
static void fill_arrays(float late, uint64_t *state)
{
    for (int i = 0; i < N * F; i++) {
        dense[i] = random_below(state, 4) ? random_real(state) + 1.5f : 0.0f;
        half[i] = random_below(state, 4) ? (uint16_t)(0x3000 + random_below(state, 0x1000)) : 0;
        index_of[i] = (uint32_t)(i % F);
    }
    dense[LATE] = late;
    half[LATE] = bn_half_from_float(late);
    for (int i = 0; i <= N; i++)
        offsets[i] = (uint64_t)i * F;
}

static bonsai_graph *graph_of(layout kind)
{
    bonsai_view v = view_of(N, F);
    bonsai_graph *g = NULL;
    if (kind == DENSE_F32)
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){dense, N * F, BONSAI_TYPE_F32};
    else if (kind == DENSE_F16)
        v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){half, N * F, BONSAI_TYPE_F16};
    else {
        v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, N + 1, BONSAI_TYPE_U64};
        v.section[BONSAI_SECTION_FEATURE_INDICES] =
            (bonsai_array){index_of, N * F, BONSAI_TYPE_U32};
        v.section[BONSAI_SECTION_FEATURE_VALUES] = (bonsai_array){dense, N * F, BONSAI_TYPE_F32};
    }
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    return g;
}

static int64_t nnz_of(const bonsai_graph *g, int threads)
{
    bonsai_stats stats;
    bonsai_read_options o;
    bonsai_stats_init(&stats);
    bonsai_read_options_init(&o);
    o.threads = threads;
    assert_int_equal(bonsai_graph_stats(&stats, NULL, g, &o), BONSAI_OK);
    return stats.feature_nnz;
}

static bonsai_type eight_bits_of(const bonsai_graph *g)
{
    bonsai_type types[BONSAI_SECTION_COUNT];
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.features = BONSAI_ENCODING_U8;
    assert_int_equal(bonsai_graph_sections(types, NULL, BONSAI_SECTION_COUNT, g, &o), BONSAI_OK);
    return types[BONSAI_SECTION_FEATURES];
}

/* The first rows show that the features are ordinary, so the rest are only counted. */
static void zeros_and_signs_count_in_late_rows_too(void **state)
{
    (void)state;
    static const layout kinds[] = {DENSE_F32, DENSE_F16, SPARSE_F32};
    static const float late[] = {0.0f, -1.25f, -0.0f};
    uint64_t s = 77;
    for (int k = 0; k < 9; k++) {
        fill_arrays(late[k / 3], &s);
        int64_t nnz = k / 3 == 2;               /* a minus zero is kept */
        for (int i = 0; i < N * F; i++)
            nnz += kinds[k % 3] == DENSE_F16 ? (half[i] & 0x7fff) != 0 : dense[i] != 0.0f;
        bonsai_graph *g = graph_of(kinds[k % 3]);
        assert_int_equal(nnz_of(g, 1), nnz);
        assert_int_equal(nnz_of(g, 3), nnz);
        assert_int_equal(eight_bits_of(g), k / 3 ? BONSAI_TYPE_I8 : BONSAI_TYPE_U8);
        bonsai_graph_free(g);
    }
}

static double strict_of(const bonsai_graph *g)
{
    double bytes;
    assert_int_equal(bonsai_graph_bytes(&bytes, g, BONSAI_ACCOUNTING_STRICT), BONSAI_OK);
    return bytes;
}

/* Traits are kept only if nobody else can change the arrays. */
static void the_callers_arrays_are_measured_again(void **state)
{
    (void)state;
    float x[] = {1, 2, 3, 4}, *other;
    bonsai_view v = view_of(2, 2);
    bonsai_graph *g;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 4, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    double small = strict_of(g);
    x[1] = 0.1234567f;
    assert_true(strict_of(g) == small + 8);     /* four floats instead of four halves */
    bonsai_graph_free(g);
    assert_int_equal(bonsai_graph_new(&g, &v, 1), BONSAI_OK);
    assert_true(strict_of(g) == small + 8);
    assert_int_equal(bn_graph_array(&other, g, BONSAI_SECTION_FEATURES, BONSAI_TYPE_F32, 4),
                     BONSAI_OK);
    assert_true(strict_of(g) == small - 8);     /* zeros: no column at all */
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_and_signs_count_in_late_rows_too),
        cmocka_unit_test(the_callers_arrays_are_measured_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
