/* test_encode.c -- the smallest lossless encoding, and lossy ones.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "oracle.h"
#include "random_graph.h"

static int64_t planned(const bonsai_graph *g, bonsai_encoding e)
{
    bonsai_write_options o;
    int64_t bytes[BONSAI_SECTION_COUNT], sum = 0;
    bonsai_write_options_init(&o);
    o.features = e;
    o.threads = 2;
    assert_int_equal(bonsai_graph_sections(NULL, bytes, BONSAI_SECTION_COUNT, g, &o), BONSAI_OK);
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++)
        sum += bytes[s];
    return sum + bytes[BONSAI_SECTION_FEATURE_COLUMNS];
}

static bonsai_graph *again(const bonsai_graph *g, bonsai_encoding e)
{
    bonsai_write_options o;
    bonsai_graph *back = NULL;
    const char *path = temp_path("again.bonsai");
    bonsai_write_options_init(&o);
    o.features = e;
    o.threads = 1;
    if (bonsai_graph_save(NULL, g, path, &o) != BONSAI_OK ||
        bonsai_graph_load(&back, path) != BONSAI_OK || bonsai_graph_check(back, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return back;
}

static void same_rows(const bonsai_graph *g, const float *x, int64_t n, int64_t f)
{
    float row[256];
    for (int64_t v = 0; v < n; v++) {
        bonsai_graph_row(row, g, v);
        for (int64_t j = 0; j < f; j++)
            if (memcmp(&row[j], &x[v * f + j], 4) != 0)
                fail_msg("node %d feature %d: %a became %a", (int)v, (int)j,
                         (double)x[v * f + j], (double)row[j]);
    }
}

/* ---- checksums ---- */

static bonsai_status add_bytes(const void *data, int64_t len, void *payload)
{
    bn_checksum *sum = payload;
    sum->crc = bn_crc32(sum->crc, data, len);
    sum->bytes += len;
    return BONSAI_OK;
}

static bonsai_status mapped_coding(bn_coding *p, const bonsai_graph *g)
{
    bn_traits t;
    bool integer;
    bonsai_status rc = bn_traits_of(&t, &integer, g, NULL);
    t = bn_traits_mapped(&t);
    return rc != BONSAI_OK ? rc : bn_coding_of(p, g, BONSAI_ENCODING_AUTO, &t, NULL);
}

static void assert_sums(const bonsai_graph *g, const bn_coding *p, int threads)
{
    bn_checksum sum[BONSAI_SECTION_COUNT] = {{0}};
    assert_int_equal(bn_coding_sums(sum, p, g, bn_rows_of(&g->view, NULL), threads), BONSAI_OK);
    for (int s = BONSAI_SECTION_FEATURES; s <= BONSAI_SECTION_FEATURE_SCALE; s++) {
        bn_checksum one = {0};
        if (p->type[s] == BONSAI_TYPE_NONE || bn_coding_keeps(p, g, s))
            continue;
        assert_int_equal(bn_coding_emit(p, g, s, add_bytes, &one), BONSAI_OK);
        assert_int_equal(one.bytes, bn_coding_bytes(p, s));
        assert_int_equal(sum[s].bytes, one.bytes);
        assert_int_equal(sum[s].crc, one.crc);
    }
}

/* So many rows that threads share them, and that there is more than one batch. */
static void sums_of_encoded_features_are_those_of_their_bytes(void **state)
{
    (void)state;
    enum { N = 17000, F = 7 };
    float *x = calloc(N * F, sizeof *x);
    static const int percent[] = {20, 100};
    for (uint64_t seed = 0; seed < 2 * NATURES; seed++) {
        uint64_t s = seed;
        bn_coding p;
        random_features(x, N, F, seed % NATURES, percent[seed / NATURES], &s);
        bonsai_graph *g = dense_graph(x, N, F);
        assert_int_equal(mapped_coding(&p, g), BONSAI_OK);
        for (int threads = 1; threads < 4; threads += 2)
            assert_sums(g, &p, threads);
        bonsai_graph_free(g);
    }
    free(x);
}

static bonsai_status sum_features(void *payload)
{
    bn_checksum sum[BONSAI_SECTION_COUNT] = {{0}};
    bn_coding p;
    const bonsai_graph *g = payload;
    bonsai_status rc = mapped_coding(&p, g);
    return rc != BONSAI_OK ? rc : bn_coding_sums(sum, &p, g, bn_rows_of(&g->view, NULL), 2);
}

static void summing_survives_failed_allocations(void **state)
{
    (void)state;
    const float x[] = {0, 0, 0, 1.5f, 0, 0, 0, 0, 0, 0.75f, 0, 0};
    bonsai_graph *g = dense_graph(x, 2, 6);
    survives_failed_allocations(sum_features, g, 5);
    bonsai_graph_free(g);
}

/* ---- encodings ---- */

static void the_smallest_lossless_encoding_is_chosen(void **state)
{
    (void)state;
    static const int percent[] = {0, 3, 20, 60, 100};
    float x[20 * 24];
    for (uint64_t seed = 0; seed < 160; seed++) {
        uint64_t s = seed;
        int64_t n = random_below(&s, 7), f = random_below(&s, seed % 2 ? 40 : 6);
        random_features(x, n, f, seed % NATURES, percent[seed / NATURES % 5], &s);
        bonsai_graph *g = dense_graph(x, n, f), *back = again(g, BONSAI_ENCODING_AUTO);
        int64_t wanted = oracle_feature_bytes(x, n, f), got = planned(g, BONSAI_ENCODING_AUTO);
        if (got != wanted)
            fail_msg("seed %d: %d bytes, but %d would do", (int)seed, (int)got, (int)wanted);
        same_rows(back, x, n, f);
        assert_int_equal(planned(back, BONSAI_ENCODING_AUTO), wanted);
        bonsai_graph_free(g);
        bonsai_graph_free(back);
    }
}

static void every_lossless_path_keeps_every_bit(void **state)
{
    (void)state;
    static const bonsai_encoding lossless[] = {BONSAI_ENCODING_AUTO, BONSAI_ENCODING_KEEP,
                                               BONSAI_ENCODING_F32, BONSAI_ENCODING_SPARSE_F32};
    for (uint64_t seed = 0; seed < 108; seed++) {
        bonsai_graph *g = random_graph(seed, (int64_t)(seed % 9), 20, seed % LAYOUTS,
                                       seed % 2 ? WITH_ALL : 0), *h = g;
        for (int k = 0; k < 4; k++) {           /* each from the one before */
            int equal = 0;
            bonsai_graph *next = again(h, lossless[(seed + (uint64_t)k) % 4]);
            assert_int_equal(bonsai_graph_equal(&equal, g, next), BONSAI_OK);
            if (!equal)
                fail_msg("seed %d: lost in step %d", (int)seed, k);
            if (h != g)
                bonsai_graph_free(h);
            h = next;
        }
        bonsai_graph_free(h);
        bonsai_graph_free(g);
    }
}

static void stored_zeros_are_dropped(void **state)
{
    (void)state;
    const uint32_t offsets[] = {0, 2, 4}, neighbors[] = {0}, adjacency[] = {0, 0, 0};
    const uint16_t indices[] = {0, 2, 1, 2};
    const float values[] = {0, 1.5f, 2.25f, 0};
    bonsai_view v;
    bonsai_graph *g, *back;
    int equal = 0;
    bonsai_view_init(&v);
    v.nodes = 2;
    v.features = 300;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){adjacency, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){indices, 4, BONSAI_TYPE_U16};
    v.section[BONSAI_SECTION_FEATURE_VALUES] = (bonsai_array){values, 4, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_new(&g, &v, 0), BONSAI_OK);
    back = again(g, BONSAI_ENCODING_SPARSE_F32);
    assert_int_equal(bonsai_graph_view(back)->section[BONSAI_SECTION_FEATURE_INDICES].count, 2);
    assert_int_equal(bonsai_graph_equal(&equal, g, back), BONSAI_OK);
    assert_true(equal);
    bonsai_graph_free(g);
    bonsai_graph_free(back);
}

/* The scale of a row and the error of its worst feature. */
static void check_lossy(const bonsai_graph *back, const float *x, int64_t n, int64_t f)
{
    float row[256];
    const float *scale = bonsai_graph_view(back)->section[BONSAI_SECTION_FEATURE_SCALE].data;
    assert_non_null(scale);
    for (int64_t v = 0; v < n; v++) {
        bonsai_graph_row(row, back, v);
        for (int64_t j = 0; j < f; j++) {
            double error = fabs((double)row[j] - (double)x[v * f + j]);
            assert_true(error <= (double)scale[v] / 2 * (1 + 1e-4));
        }
    }
}

static void eight_bits_are_off_by_at_most_half_a_step(void **state)
{
    (void)state;
    float x[20 * 24];
    for (uint64_t seed = 0; seed < 100; seed++) {
        uint64_t s = seed;
        random_features(x, 10, 20, seed % NATURES, 50, &s);
        if (seed % 5 == 0)
            for (int i = 0; i < 200; i++)
                x[i] *= 1e33f * (float)(seed % 3 ? 1 : -1);
        bonsai_graph *g = dense_graph(x, 10, 20);
        bonsai_graph *a = again(g, BONSAI_ENCODING_U8), *b = again(g, BONSAI_ENCODING_SPARSE_U8);
        check_lossy(a, x, 10, 20);
        check_lossy(b, x, 10, 20);
        assert_int_equal(planned(g, BONSAI_ENCODING_U8), 200 + 40);
        bonsai_graph_free(g);
        bonsai_graph_free(a);
        bonsai_graph_free(b);
    }
}

/* Rows that are not of squares: each code is that of the nearest. */
static void four_bits_are_the_nearest_square(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        float x[20];
        uint64_t s = seed;
        bool is_signed = seed % 2;
        bonsai_type t = is_signed ? BONSAI_TYPE_S4 : BONSAI_TYPE_Q4;
        for (int i = 0; i < 20; i++)
            x[i] = random_real(&s) + (is_signed ? 0.0f : 1.0f);
        float scale = bn_scale_pick(x, 20, t, 0);
        for (int i = 0; i < 20; i++) {
            int code = bn_quantise(x[i], scale, t);
            assert_true(code < 16 && !(is_signed && code == 8));
            code = is_signed && code > 8 ? code - 16 : code;
            double error = fabs((double)(scale * (float)(code * abs(code))) - (double)x[i]);
            for (int q = is_signed ? -7 : 0; q <= (is_signed ? 7 : 15); q++)
                assert_true(error <= fabs((double)scale * q * abs(q) - (double)x[i]) + 1e-6);
        }
    }
    assert_int_equal(bn_quantise(-3, 1, BONSAI_TYPE_Q4), 0);
    assert_int_equal(bn_quantise(1e9f, 1, BONSAI_TYPE_Q4), 15);
    assert_int_equal(bn_quantise(-1e9f, 1, BONSAI_TYPE_S4), 9);
    assert_true(bn_scale_pick((float[]){2, 5}, 2, BONSAI_TYPE_Q4, 0) == 5 / 225.0f);
    assert_true(bn_scale_pick((float[]){2, 8}, 2, BONSAI_TYPE_S4, 2) == 2);
}

static void the_largest_float_stays_finite_in_eight_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        float x[3] = {FLT_MAX, 1e38f, i % 2 ? -1.0f : 1.0f};
        for (int k = 0; k < i; k++)
            x[0] = nextafterf(x[0], 0);
        bonsai_graph *g = dense_graph(x, 1, 3), *back = again(g, BONSAI_ENCODING_U8);
        check_lossy(back, x, 1, 3);
        bonsai_graph_free(g);
        bonsai_graph_free(back);
    }
}

static void halves_are_the_nearest(void **state)
{
    (void)state;
    float x[40], row[4];
    uint64_t s = 5;
    random_features(x, 10, 4, FLOATS, 100, &s);
    bonsai_graph *g = dense_graph(x, 10, 4), *back = again(g, BONSAI_ENCODING_F16);
    for (int v = 0; v < 10; v++) {
        bonsai_graph_row(row, back, v);
        for (int j = 0; j < 4; j++)
            assert_true(row[j] == bn_half_to_float(oracle_half(x[v * 4 + j])));
    }
    bonsai_graph_free(back);
    bonsai_graph_free(g);
    x[5] = -65520.0f;
    g = dense_graph(x, 10, 4);
    assert_fails(bonsai_graph_save(NULL, g, temp_path("no.bonsai"),
                                   &(bonsai_write_options){.size = sizeof(bonsai_write_options),
                                                           .features = BONSAI_ENCODING_F16,
                                                           .threads = 1}),
                 BONSAI_E_ARGUMENT, "node 1 has a feature of -65520, which f16 cannot hold");
    assert_false(bn_is_file(temp_path("no.bonsai")));
    bonsai_graph_free(g);
}

static void keeping_the_encoding_keeps_dense_and_sparse(void **state)
{
    (void)state;
    for (int k = DENSE_F32; k < LAYOUTS; k++) {
        bonsai_graph *g = random_graph(1, 9, 20, k, 0), *back = again(g, BONSAI_ENCODING_KEEP);
        assert_int_equal(bn_has(back, BONSAI_SECTION_FEATURES), k < SPARSE_ONES);
        bonsai_graph_free(g);
        bonsai_graph_free(back);
    }
}

static void narrow_integers_take_the_narrowest_type(void **state)
{
    (void)state;
    static const struct { int64_t classes; bonsai_type type; } rows[] = {
        {0, BONSAI_TYPE_U8}, {255, BONSAI_TYPE_U8}, {256, BONSAI_TYPE_U16},
        {65535, BONSAI_TYPE_U16}, {65536, BONSAI_TYPE_U32}};
    for (int i = 0; i < 5; i++) {
        uint32_t label[3] = {UINT32_MAX, 0, (uint32_t)rows[i].classes - 1};
        bonsai_view v;
        bonsai_graph *g, *back;
        bonsai_type types[BONSAI_SECTION_COUNT];
        int equal = 0;
        if (rows[i].classes == 0)
            label[1] = label[2] = UINT32_MAX;
        bonsai_view_init(&v);
        v.nodes = 3;
        v.classes = rows[i].classes;
        v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, 3, BONSAI_TYPE_U32};
        assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
        assert_int_equal(bonsai_graph_sections(types, NULL, BONSAI_SECTION_COUNT, g, NULL),
                         BONSAI_OK);
        assert_int_equal(types[BONSAI_SECTION_LABELS], rows[i].type);
        back = again(g, BONSAI_ENCODING_AUTO);
        assert_int_equal(bonsai_graph_equal(&equal, g, back), BONSAI_OK);
        assert_true(equal);
        assert_int_equal(bonsai_graph_label(back, 2), (int)rows[i].classes - 1);
        bonsai_graph_free(g);
        bonsai_graph_free(back);
    }
}

static void wide_indices_are_used_beyond_65536_features(void **state)
{
    (void)state;
    for (int64_t f = 65536; f <= 65537; f++) {
        const uint32_t offsets[] = {0, 1}, index[] = {(uint32_t)f - 1};
        bonsai_view v;
        bonsai_graph *g, *back;
        bonsai_view_init(&v);
        v.nodes = 1;
        v.features = f;
        v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, 2, BONSAI_TYPE_U32};
        v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, 1, BONSAI_TYPE_U32};
        assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
        back = again(g, BONSAI_ENCODING_AUTO);
        const bonsai_array *ids =
            &bonsai_graph_view(back)->section[BONSAI_SECTION_FEATURE_INDICES];
        assert_int_equal(ids->type, f > 65536 ? BONSAI_TYPE_U32 : BONSAI_TYPE_U16);
        assert_int_equal(bn_int_at(ids, 0), f - 1);
        bonsai_graph_free(g);
        bonsai_graph_free(back);
    }
}

static void an_unknown_encoding_is_refused(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 3, 3, DENSE_F32, 0);
    bonsai_write_options o;
    int64_t bytes[BONSAI_SECTION_COUNT];
    bonsai_write_options_init(&o);
    o.features = (bonsai_encoding)99;
    assert_fails(bonsai_graph_sections(NULL, bytes, BONSAI_SECTION_COUNT, g, &o), BONSAI_E_ARGUMENT,
                 "features 99 is not known");
    bonsai_graph_free(g);
}

static bonsai_status plan_it(void *payload)
{
    int64_t bytes[BONSAI_SECTION_COUNT];
    return bonsai_graph_sections(NULL, bytes, BONSAI_SECTION_COUNT, payload, NULL);
}

static void planning_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(1, 8, 20, SPARSE_I8, WITH_ALL);
    survives_failed_allocations(plan_it, g, 3);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_encoded_features_are_those_of_their_bytes),
        cmocka_unit_test(summing_survives_failed_allocations),
        cmocka_unit_test(the_smallest_lossless_encoding_is_chosen),
        cmocka_unit_test(every_lossless_path_keeps_every_bit),
        cmocka_unit_test(stored_zeros_are_dropped),
        cmocka_unit_test(eight_bits_are_off_by_at_most_half_a_step),
        cmocka_unit_test(four_bits_are_the_nearest_square),
        cmocka_unit_test(the_largest_float_stays_finite_in_eight_bits),
        cmocka_unit_test(halves_are_the_nearest),
        cmocka_unit_test(keeping_the_encoding_keeps_dense_and_sparse),
        cmocka_unit_test(narrow_integers_take_the_narrowest_type),
        cmocka_unit_test(wide_indices_are_used_beyond_65536_features),
        cmocka_unit_test(an_unknown_encoding_is_refused),
        cmocka_unit_test(planning_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
