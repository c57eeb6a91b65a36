/* test_expand.c -- features of four bits, and dense features of some columns, in native files.
 *
 * tests/io/test_format.py reads and writes them by the page alone.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nativefile.h"
#include "oracle.h"
#include "random_graph.h"

static bonsai_graph *loaded(const char *path, int threads)
{
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = threads;
    if (bonsai_graph_read(&g, path, &o) != BONSAI_OK || bonsai_graph_check(g, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static void same_rows(const bonsai_graph *g, const float *x, int64_t n, int64_t f)
{
    float *row = calloc((size_t)f + 1, sizeof *row);
    for (int64_t v = 0; v < n; v++) {
        bonsai_graph_row(row, g, v);
        assert_memory_equal(row, x + v * f, (size_t)f * sizeof *row);
    }
    free(row);
}

/* ---- there and back ---- */

enum { FORMS = 10 };            /* q4 and s4: sparse, dense; f32, f16, u8, i8, q4, s4 of some columns */

static int form_of(const bonsai_type *types)
{
    static const bonsai_type order[] = {BONSAI_TYPE_Q4, BONSAI_TYPE_S4, BONSAI_TYPE_F32,
                                        BONSAI_TYPE_F16, BONSAI_TYPE_U8, BONSAI_TYPE_I8};
    for (int i = 0; i < 6; i++) {
        if (types[BONSAI_SECTION_FEATURE_COLUMNS] && types[BONSAI_SECTION_FEATURES] == order[i])
            return 4 + i;
        if (i < 2 && types[BONSAI_SECTION_FEATURE_VALUES] == order[i])
            return i;
        if (i < 2 && types[BONSAI_SECTION_FEATURES] == order[i])
            return 2 + i;
    }
    return -1;
}

/* The types of a file's sections, whose lengths must be those that were planned. */
static void check_lengths(const char *path, const bonsai_type *types, const int64_t *bytes)
{
    size_t len;
    uint8_t *file = read_file(path, &len);
    for (uint64_t i = 0; i < number(file + 24, 4); i++) {
        const uint8_t *e = file + 64 + 32 * i;
        uint64_t id = number(e, 4), at = number(e + 8, 8);
        uint64_t next = i + 1 < number(file + 24, 4) ? number(e + 40, 8) : len;
        assert_int_equal(number(e + 4, 4), types[id]);
        assert_true(at + (uint64_t)bytes[id] <= next && next < at + (uint64_t)bytes[id] + 64);
        assert_int_equal(number(e + 24, 4), oracle_crc(file + at, bytes[id]));
    }
    free(file);
}

static void every_form_comes_back(void **state)
{
    (void)state;
    enum { N = 9, F = 300 };
    static float x[N * F];
    static const int percent[] = {4, 30, 100}, filled[] = {100, 40, 12};
    int seen[FORMS] = {0};
    for (uint64_t seed = 0; seed < 9 * NATURES; seed++) {
        uint64_t s = seed;
        bonsai_type types[BONSAI_SECTION_COUNT];
        int64_t bytes[BONSAI_SECTION_COUNT], n = 2 + random_below(&s, N - 1);
        const char *path = temp_path("form.bonsai"), *second = temp_path("form2.bonsai");
        random_features(x, n, F, seed % NATURES, percent[seed / NATURES % 3], &s);
        for (int j = 0; j < F; j++)
            for (int64_t v = 0; j % 100 >= filled[seed / NATURES / 3] && v < n; v++)
                x[v * F + j] = 0;
        bonsai_graph *g = dense_graph(x, n, F);
        assert_int_equal(bonsai_graph_sections(types, bytes, BONSAI_SECTION_COUNT, g, NULL),
                         BONSAI_OK);
        assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
        check_lengths(path, types, bytes);
        bonsai_graph *back = loaded(path, 1);
        same_rows(back, x, n, F);
        assert_null(back->view.section[BONSAI_SECTION_FEATURE_COLUMNS].data);
        assert_int_equal(bonsai_graph_save(NULL, back, second, NULL), BONSAI_OK);
        size_t len[2];
        uint8_t *file[2] = {read_file(path, &len[0]), read_file(second, &len[1])};
        assert_int_equal(len[0], len[1]);       /* and saving it again changes no byte */
        assert_memory_equal(file[0], file[1], len[0]);
        if (form_of(types) >= 0)
            seen[form_of(types)]++;
        free(file[0]);
        free(file[1]);
        bonsai_graph_free(back);
        bonsai_graph_free(g);
    }
    for (int i = 0; i < FORMS; i++)
        if (seen[i] == 0)
            fail_msg("form %d was not made", i);
}

/* So many rows that threads share them. */
static void threads_change_nothing(void **state)
{
    (void)state;
    enum { N = 30001, F = 9 };
    float *x = calloc(N * F, sizeof *x);
    for (int kind = 0; kind < 3; kind++) {
        static const nature kinds[] = {SQUARES, SIGNED_SQUARES, FLOATS};
        uint64_t s = 5;
        random_features(x, N, F, kinds[kind], 90, &s);
        for (int64_t v = 0; v < N; v++)
            x[v * F + 4] = 0;
        bonsai_graph *g = dense_graph(x, N, F), *back[2];
        const char *path = temp_path("threads.bonsai");
        assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
        for (int k = 0; k < 2; k++)
            back[k] = loaded(path, k ? 3 : 1);
        for (int s2 = BONSAI_SECTION_FEATURES; s2 <= BONSAI_SECTION_FEATURE_VALUES; s2++) {
            const bonsai_array *a = &back[0]->view.section[s2], *b = &back[1]->view.section[s2];
            assert_int_equal(a->type, b->type);
            assert_int_equal(a->count, b->count);
            if (a->data)
                assert_memory_equal(a->data, b->data, (size_t)a->count * bonsai_type_bytes(a->type));
        }
        same_rows(back[1], x, N, F);
        bonsai_graph_free(back[0]);
        bonsai_graph_free(back[1]);
        bonsai_graph_free(g);
    }
    free(x);
}

static void keeping_the_encoding_is_for_mapping(void **state)
{
    (void)state;
    const float x[] = {1, 0, 4, 9, 0, 1, 16, 0, 0, 0, 0, 0, 25, 0, 1, 1, 0, 1, 1, 0};
    bonsai_graph *g = dense_graph(x, 5, 4), *back;
    bonsai_write_options o;
    bonsai_type types[BONSAI_SECTION_COUNT];
    const char *path = temp_path("keep.bonsai");
    bonsai_write_options_init(&o);
    assert_int_equal(bonsai_graph_sections(types, NULL, BONSAI_SECTION_COUNT, g, &o), BONSAI_OK);
    assert_int_equal(types[BONSAI_SECTION_FEATURES], BONSAI_TYPE_Q4);
    o.features = BONSAI_ENCODING_KEEP;
    assert_int_equal(bonsai_graph_save(NULL, g, path, &o), BONSAI_OK);
    back = loaded(path, 1);
    assert_null(back->owned[BONSAI_SECTION_FEATURES]);
    assert_true(bn_has(back, BONSAI_SECTION_FEATURES));
    same_rows(back, x, 5, 4);
    bonsai_graph_free(back);
    bonsai_graph_free(g);
}

/* ---- files that lie ---- */

static uint8_t *packed_file(size_t *len)
{
    static const float x[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 49, 0, 9, 0, 0, 0, 0, 0, 0, 0, -1, 0, 25,
                              0, 0, 0, 0, 0, 0, 0, 0, 0, -36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1,
                              0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 9};
    const char *path = temp_path("packed.bonsai");
    bonsai_graph *g = dense_graph(x, 5, 12);
    bonsai_type types[BONSAI_SECTION_COUNT];
    assert_int_equal(bonsai_graph_sections(types, NULL, BONSAI_SECTION_COUNT, g, NULL), BONSAI_OK);
    assert_int_equal(types[BONSAI_SECTION_FEATURES], BONSAI_TYPE_S4);
    assert_int_equal(types[BONSAI_SECTION_FEATURE_COLUMNS], BONSAI_TYPE_U16);
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    bonsai_graph_free(g);
    return read_file(path, len);
}

static bonsai_status load_bytes(const uint8_t *file, size_t len)
{
    const char *path = temp_path("damaged.bonsai");
    bonsai_graph *g = NULL;
    unlink(path);
    write_file(path, file, len);
    bonsai_status rc = bonsai_graph_load(&g, path);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_verify(g);
    bonsai_graph_free(g);
    return rc;
}

static void every_flipped_bit_is_detected(void **state)
{
    (void)state;
    size_t len;
    uint8_t *file = packed_file(&len);
    int64_t before = bn_mem_live();
    assert_int_equal(load_bytes(file, len), BONSAI_OK);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        if (bit / 8 == 10 || bit / 8 == 11)
            continue;                           /* the minor version: the checksum finds it too */
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(load_bytes(file, len), BONSAI_E_FORMAT);
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(bn_mem_live(), before);
    free(file);
}

/* Changes a byte of a section, or a number of its entry, corrects all checksums and expects the
 * sentence. */
static void refuse(uint64_t id, int at, uint64_t value, int bytes, bool in_entry,
                   const char *sentence)
{
    size_t len;
    uint8_t *file = packed_file(&len), *e = entry_of(file, id);
    put(in_entry ? e + at : file + number(e + 8, 8) + at, value, bytes);
    for (uint64_t i = 0; i < number(file + 24, 4) && !in_entry; i++) {
        uint8_t *entry = file + 64 + 32 * i;
        static const uint64_t halves[] = {0, 2, 4, 8, 16, 2, 4, 8, 1, 1};
        uint64_t stored = (number(entry + 16, 8) * halves[number(entry + 4, 4)] + 1) / 2;
        put(entry + 24, oracle_crc(file + number(entry + 8, 8), (int64_t)stored), 4);
    }
    put(file + 28, 0, 4);
    put(file + 28, oracle_crc(file, 64 + 32 * (int64_t)number(file + 24, 4)), 4);
    assert_fails(load_bytes(file, len), BONSAI_E_FORMAT, sentence);
    free(file);
}

static void files_that_lie_are_refused(void **state)
{
    (void)state;
    refuse(4, 1, 0x08, 1, false, "features: entry 2 is -8, outside -7..7");
    refuse(4, 1, 0x80, 1, false, "features: entry 3 is -8, outside -7..7");
    refuse(4, 7, 0x11, 1, false, "features: the half byte behind the last entry is not 0");
    refuse(23, 0, 12, 2, false, "feature columns: entry 0 is 12, outside 0..11");
    refuse(23, 2, 1, 2, false, "feature columns: entry 1 is 1, out of order");
    refuse(23, 2, 0, 2, false, "feature columns: entry 1 is 0, out of order");
    refuse(4, 24, 1, 4, true, "the checksum of the section \"features\" does not match");
    refuse(23, 24, 1, 4, true, "the checksum of the section \"feature columns\" does not match");
    refuse(23, 4, BONSAI_TYPE_U8, 4, true, "bytes follow its last section");
}

static void a_view_has_neither_four_bits_nor_columns(void **state)
{
    (void)state;
    static const uint8_t codes[6] = {1, 2, 3};
    static const uint16_t columns[1] = {1};
    static const float x[4] = {1, 2, 3, 4}, scale[2] = {1, 1};
    static const uint32_t offsets[3] = {0}, neighbors[1] = {0};
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = 2;
    v.features = 3;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){codes, 6, BONSAI_TYPE_Q4};
    v.section[BONSAI_SECTION_FEATURE_SCALE] = (bonsai_array){scale, 2, BONSAI_TYPE_F32};
    assert_fails(bonsai_graph_new(&g, &v, 1), BONSAI_E_ARGUMENT,
                 "features: type q4 (8) is not allowed here");
    v.section[BONSAI_SECTION_FEATURE_SCALE] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, 2, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_FEATURE_COLUMNS] = (bonsai_array){columns, 1, BONSAI_TYPE_U16};
    assert_fails(bonsai_graph_new(&g, &v, 1), BONSAI_E_ARGUMENT,
                 "feature columns: type u16 (2) is not allowed here");
    v.section[BONSAI_SECTION_FEATURE_COLUMNS].count = 4;
    assert_fails(bonsai_graph_new(&g, &v, 1), BONSAI_E_ARGUMENT,
                 "4 feature columns; the number must be in 0..3");
}

/* ---- memory ---- */

static bonsai_status load_packed(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_load(&g, payload);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status save_packed(void *payload)
{
    return bonsai_graph_save(NULL, payload, temp_path("no.bonsai"), NULL);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    size_t len;
    uint8_t *file = packed_file(&len);
    char path[256];
    snprintf(path, sizeof path, "%s", temp_path("packed.bonsai"));
    bonsai_graph *g = loaded(path, 1);
    survives_failed_allocations(load_packed, path, 5);
    survives_failed_allocations(save_packed, g, 5);
    bonsai_graph_free(g);
    static float wide[3 * 400] = {[3] = 1, [403] = 4, [803] = 9, [9] = 1, [409] = 25, [809] = 4};
    g = dense_graph(wide, 3, 400);              /* becomes sparse */
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    survives_failed_allocations(load_packed, path, 6);
    bonsai_graph_free(g);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_comes_back),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(keeping_the_encoding_is_for_mapping),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(files_that_lie_are_refused),
        cmocka_unit_test(a_view_has_neither_four_bits_nor_columns),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
