/* test_modelbad.c -- model files that are damaged or lie: each is refused in a sentence.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <unistd.h>

#include "modelling.h"
#include "nativefile.h"
#include "oracle.h"

static bonsai_status load_bytes(const uint8_t *file, size_t len, const bonsai_model *wanted)
{
    const char *path = temp_path("damaged.bonsai");
    bonsai_model *m = (bonsai_model *)1;
    unlink(path);
    write_file(path, file, len);
    bonsai_status rc = bonsai_model_load(&m, path);
    if (rc == BONSAI_OK && wanted)
        assert_same_model(m, wanted);
    if (rc != BONSAI_OK)
        assert_null(m);
    bonsai_model_free(m);
    return rc;
}

static uint8_t *whole_file(size_t *len)
{
    const char *path = temp_path("whole.bonsai");
    bonsai_model *m = small_model(WITH_EVERY);
    save_model(m, path);
    bonsai_model_free(m);
    return read_file(path, len);
}

static void every_flipped_bit_is_seen(void **state)
{
    (void)state;
    size_t len;
    uint8_t *file = whole_file(&len);
    bonsai_model *m = small_model(WITH_EVERY);
    int64_t before = bn_mem_live();
    assert_int_equal(load_bytes(file, len, m), BONSAI_OK);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (load_bytes(file, len, m) != BONSAI_E_FORMAT ||
            !strstr(bonsai_error(), "damaged.bonsai: "))
            fail_msg("bit %zu: %s", bit, bonsai_error());
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(bn_mem_live(), before);
    bonsai_model_free(m);
    free(file);
}

static void every_cut_is_seen(void **state)
{
    (void)state;
    size_t len;
    uint8_t *file = whole_file(&len), *longer = calloc(len + 1, 1);
    for (size_t cut = 0; cut < len; cut++)
        assert_int_equal(load_bytes(file, cut, NULL), BONSAI_E_FORMAT);
    assert_fails(load_bytes(file, 0, NULL), BONSAI_E_FORMAT, "0 bytes are too few");
    memcpy(longer, file, len);
    assert_fails(load_bytes(longer, len + 1, NULL), BONSAI_E_FORMAT, "it was cut or added to");
    free(longer);
    free(file);
}

/* ---- wrong numbers behind good checksums ---- */

enum { PARAMETERS = 32 };

static void repair(uint8_t *file)
{
    static const int width[] = {0, 1, 2, 4, 8, 1, 2, 4};
    uint64_t entries = number(file + 24, 4);
    for (uint8_t *e = file + 64; e < file + 64 + 32 * entries; e += 32)
        if (number(e + 4, 4) < 8 && number(e + 16, 8) < 4096)
            put(e + 24, oracle_crc(file + number(e + 8, 8),
                                   (int64_t)number(e + 16, 8) * width[number(e + 4, 4)]), 4);
    put(file + 28, 0, 4);
    put(file + 28, oracle_crc(file, (int64_t)(64 + 32 * entries)), 4);
}

/* Writes a number into the header (id 0) or a section's entry. */
static void refuse_field(uint64_t id, int at, uint64_t value, int bytes, const char *sentence)
{
    size_t len;
    uint8_t *file = whole_file(&len);
    put((id ? entry_of(file, id) : file) + at, value, bytes);
    repair(file);
    assert_fails(load_bytes(file, len, NULL), BONSAI_E_FORMAT, sentence);
    free(file);
}

static void refuse_element(uint64_t id, int64_t at, uint64_t value, int bytes, const char *sentence)
{
    size_t len;
    uint8_t *file = whole_file(&len);
    put(file + number(entry_of(file, id) + 8, 8) + at, value, bytes);
    repair(file);
    assert_fails(load_bytes(file, len, NULL), BONSAI_E_FORMAT, sentence);
    free(file);
}

static void a_wrong_header_is_refused(void **state)
{
    (void)state;
    refuse_field(0, 0, 0x88, 1, "is not a bonsai file: its first bytes do not match");
    refuse_field(0, 8, 2, 2, "is of format version 2.3; this library reads 1.x");
    refuse_field(0, 12, 1, 4, "is a graph, not a model; \"bonsai train\" makes one of it");
    refuse_field(0, 12, 7, 4, "is a bonsai file but holds no model (kind 7)");
    refuse_field(0, 32, 4, 8, "the header says 4 parameters where the metadata say 50");
    refuse_field(0, 40, 3, 8, "the header says 3 features where the metadata say 5");
    refuse_field(0, 48, UINT64_MAX, 8, "the header says 18446744073709551615 classes where the "
                                       "metadata say 2");
    refuse_field(0, 56, 1, 8, "the header says 1 reserved bits where the metadata say 0");
}

static void a_wrong_table_is_refused(void **state)
{
    (void)state;
    refuse_field(PARAMETERS, 0, 33, 4, "section 33 is not known in a model to this version");
    refuse_field(PARAMETERS, 0, UINT32_MAX, 4, "section 4294967295 is not known in a model");
    refuse_field(BONSAI_SECTION_CLASS_NAMES, 0, 9, 4, "section 9 is not known in a model");
    refuse_field(BONSAI_SECTION_CLASS_NAMES, 0, 0, 4, "section 0 is not known in a model");
    refuse_field(PARAMETERS, 4, BONSAI_TYPE_U32, 4, "parameters: type u32 (3) is not allowed here");
    refuse_field(BONSAI_SECTION_KEPT_FEATURES, 4, BONSAI_TYPE_F32, 4,
                 "kept features: type f32 (7) is not");
    refuse_field(PARAMETERS, 4, 10, 4, "section 32 has the unknown type 10");
    refuse_field(PARAMETERS, 16, UINT64_MAX, 8, "does not fit in the file");
}

static void wrong_elements_are_refused(void **state)
{
    (void)state;
    refuse_element(PARAMETERS, 0, 0x7fc00000, 4,
                   "parameter convs.0.lin.weight: entry 0 is nan, which is not finite");
    refuse_element(PARAMETERS, 4 * 13, 0x7f800000, 4,
                   "parameter convs.0.bias: entry 1 is inf, which is not finite");
    refuse_element(PARAMETERS, 4 * 49, 0xff800000, 4,
                   "parameter convs.1.att_dst: entry 3 is -inf, which is not finite");
    refuse_element(BONSAI_SECTION_KEPT_FEATURES, 4, 0, 4,
                   "kept features: entry 1 is 0, out of order");
    refuse_element(BONSAI_SECTION_KEPT_FEATURES, 8, 5, 4,
                   "kept features: entry 2 is 5, outside 0..4");
    refuse_element(BONSAI_SECTION_KEPT_FEATURES, 8, 1u << 31, 4,
                   "kept features: entry 2 is 2147483648");
    refuse_element(BONSAI_SECTION_FEATURE_MEAN, 4, 0x7fc00000, 4,
                   "feature mean: entry 1 is nan, which");
    refuse_element(BONSAI_SECTION_FEATURE_SPREAD, 4, 0x7f800000, 4,
                   "feature spread: entry 1 is inf");
    refuse_element(BONSAI_SECTION_FEATURE_SPREAD, 8, 0, 4,
                   "feature spread: entry 2 is 0, which divides");
    refuse_element(BONSAI_SECTION_FEATURE_SPREAD, 8, 1u << 31, 4, "entry 2 is 0, which divides");
    refuse_element(BONSAI_SECTION_CLASS_NAMES, 0, 0, 1, "class names: 3 names where 2 are needed");
    refuse_element(BONSAI_SECTION_CLASS_NAMES, 1, 0xff, 1, "class names: byte 1 is not UTF-8");
    refuse_element(BONSAI_SECTION_FEATURE_NAMES, 0, 0, 1,
                   "feature names: 4 names where 3 are needed");
    refuse_element(BONSAI_SECTION_FEATURE_NAMES, 1, 0xff, 1, "feature names: byte 1 is not UTF-8");
}

/* A piece of the metadata is replaced by one of the same length. */
static void refuse_metadata(const char *old, const char *new, const char *sentence)
{
    size_t len, piece = strlen(old);
    uint8_t *file = whole_file(&len), *e = entry_of(file, BONSAI_SECTION_METADATA);
    char *text = (char *)file + number(e + 8, 8), *end = text + number(e + 16, 8) - piece;
    assert_int_equal(piece, strlen(new));
    while (text < end && memcmp(text, old, piece) != 0)
        text++;
    assert_memory_equal(text, old, piece);
    memcpy(text, new, piece);
    repair(file);
    assert_fails(load_bytes(file, len, NULL), BONSAI_E_FORMAT, sentence);
    free(file);
}

static void wrong_metadata_are_refused(void **state)
{
    (void)state;
    refuse_metadata("{\"", "[\"", "metadata: ");
    refuse_metadata("{\"bonsai\":\"", "         [\"", "metadata: ");
    refuse_metadata("\"bonsai\"", "\"layers\"", "metadata: duplicate object key");
    refuse_metadata("\"model\":\"gat\"", "\"model\":\"gut\"", "\"gut\" is not a model that");
    refuse_metadata("\"model\":\"gat\"", "\"model\":12345", "\"model\" is missing or not a text");
    refuse_metadata("\"layers\":2", "\"Layers\":2", "metadata: \"layers\" is missing");
    refuse_metadata("\"layers\":2", "\"layers\":0", "the number of layers is 0, which is");
    refuse_metadata("\"layers\":2", "\"layers\":1", "the header says 50 parameters where the");
    refuse_metadata("\"hidden\":4", "\"hidden\":0", "hidden is 0, which is outside");
    refuse_metadata("\"hidden\":4", "\"hidden\":3", "hidden is 3, which 2 heads cannot share");
    refuse_metadata("\"hidden\":4", "\"hidden\":8", "the header says 50 parameters where");
    refuse_metadata("\"heads\":2,\"gin_layers\":1", "\"heads\":2000000000000001",
                    "\"heads\" is 2000000000000001, outside 0..2147483647");
    refuse_metadata("\"heads\":2", "\"heads\":0", "heads is 0, which is outside 1..1024");
    refuse_metadata("\"gin_layers\":1", "\"gin_layers\":3", "gin_layers is 3, which is");
    refuse_metadata("\"features\":3", "\"weighted\":2", "\"weighted\" is 2, outside 0..1");
    refuse_metadata("\"features\":3", "\"features\":0", "the number of features is 0, which is");
    refuse_metadata("\"features\":3", "\"features\":6", "\"graph_features\" is 5, outside 6..");
    refuse_metadata("\"features\":3", "\"features\":t", "metadata: ");
    refuse_metadata("\"graph_features\":5", "\"graph_features\":7", "header says 5 features where");
    refuse_metadata("\"classes\":2", "\"classes\":0", "the number of classes is 0, which is");
    refuse_metadata("\"classes\":2", "\"classes\":3", "header says 50 parameters where the");
    refuse_metadata("\"epoch\":", "\"eboch\":", "metadata: \"epoch\" is missing");
    refuse_metadata("\"accuracy_val\":33", "\"accuracy_val\":-3", "accuracy_val is -3.3");
    refuse_metadata("\"accuracy_val\":33.", "\"accuracy_val\":333", "accuracy_val is 3.3");
    refuse_metadata("\"accuracy_val\":", "\"accuracy_vel\":", "\"accuracy_val\" is missing");
    refuse_metadata("\"seed\":", "\"sead\":", "metadata: \"seed\" is missing");
    refuse_metadata("\"split_seed\":", "\"split_sead\":", "\"split_seed\" is missing");
    refuse_metadata("\"split_labels\":", "\"split_tables\":", "\"split_labels\" is missing");
    refuse_metadata("\"scale\":12", "\"scale\":-1", "scale is -1.5, which is no standard deviation");
    refuse_metadata("\"scale\":1", "\"scale\":\"", "metadata: ");
    refuse_metadata("\"split\":[2.5,", "\"split\":[-25,", "is not three numbers of percent");
    refuse_metadata("\"split\":[2.5,", "\"split\":[0,0,", "is not three numbers of percent");
    refuse_metadata("\"split\":[2.5,", "\"split\":[2.6,", "at most 100 in all");
}

static void sections_go_together(void **state)
{
    (void)state;
    static const struct { int with; bool no_mean, no_spread, no_kept; const char *text; } rows[] = {
        {WITH_MEAN, true, false, false, "has \"feature spread\" but not \"feature mean\""},
        {WITH_MEAN, false, true, false, "has \"feature mean\" but not \"feature spread\""},
        {WITH_KEPT, false, false, true, "takes 3 of 5 features but does not say which"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bonsai_model *m = small_model(rows[i].with), *back;
        float *mean = m->mean, *spread = m->spread;
        int32_t *kept = m->kept;
        m->mean = rows[i].no_mean ? NULL : mean;
        m->spread = rows[i].no_spread ? NULL : spread;
        m->kept = rows[i].no_kept ? NULL : kept;
        save_model(m, temp_path("alone.bonsai"));
        assert_fails(bonsai_model_load(&back, temp_path("alone.bonsai")), BONSAI_E_FORMAT,
                     rows[i].text);
        m->mean = mean;
        m->spread = spread;
        m->kept = kept;
        bonsai_model_free(m);
    }
}

/* One element less, where the table, the padding and the checksums agree. */
static void counts_that_do_not_fit_the_dimensions_are_refused(void **state)
{
    (void)state;
    static const struct { int id; int64_t count; const char *text; } rows[] = {
        {BONSAI_SECTION_KEPT_FEATURES, 3, "kept features: 2 elements where 3 are needed"},
        {BONSAI_SECTION_FEATURE_MEAN, 3, "feature mean: 2 elements where 3 are needed"},
        {BONSAI_SECTION_FEATURE_SPREAD, 3, "feature spread: 2 elements where 3 are needed"},
        {PARAMETERS, 50, "parameters: 49 elements where 50 are needed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len;
        uint8_t *file = whole_file(&len), *e = entry_of(file, (uint64_t)rows[i].id);
        assert_int_equal(number(e + 16, 8), rows[i].count);
        put(e + 16, (uint64_t)rows[i].count - 1, 8);
        put(file + number(e + 8, 8) + 4 * (rows[i].count - 1), 0, 4);
        if (rows[i].id == PARAMETERS)
            len -= 4;
        put(file + 16, len, 8);
        repair(file);
        assert_fails(load_bytes(file, len, NULL), BONSAI_E_FORMAT, rows[i].text);
        free(file);
    }
}

/* The file of one section only; the other of the two that must be there is missing. */
static void refuse_alone(uint64_t id, const char *sentence)
{
    size_t len;
    uint8_t *file = whole_file(&len), *e = entry_of(file, id);
    uint64_t bytes = number(e + 16, 8) * (id == PARAMETERS ? 4 : 1);
    uint64_t from = number(e + 8, 8);
    memmove(file + 64, e, 32);
    memset(file + 96, 0, 32);
    memmove(file + 128, file + from, bytes);
    put(file + 64 + 8, 128, 8);
    put(file + 24, 1, 4);
    put(file + 16, 128 + bytes, 8);
    repair(file);
    assert_fails(load_bytes(file, 128 + bytes, NULL), BONSAI_E_FORMAT, sentence);
    free(file);
}

static void a_model_needs_its_parameters_and_its_metadata(void **state)
{
    (void)state;
    refuse_alone(PARAMETERS, "has no metadata");
    refuse_alone(BONSAI_SECTION_METADATA, "has no parameters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_is_seen),
        cmocka_unit_test(every_cut_is_seen),
        cmocka_unit_test(a_wrong_header_is_refused),
        cmocka_unit_test(a_wrong_table_is_refused),
        cmocka_unit_test(wrong_elements_are_refused),
        cmocka_unit_test(wrong_metadata_are_refused),
        cmocka_unit_test(sections_go_together),
        cmocka_unit_test(counts_that_do_not_fit_the_dimensions_are_refused),
        cmocka_unit_test(a_model_needs_its_parameters_and_its_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
