/* test_fields.c -- the table of option fields against the structs that it describes, and structs that grow.
 *
 * SPDX-License-Identifier: MIT */
#include "options/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "testing.h"

enum { ROOM = 1024 };           /* bytes, more than any struct has */

typedef union { unsigned char byte[ROOM]; bonsai_condense_options condense; double real; } room;

static void init(room *o, bonsai_options_kind kind)
{
    switch (kind) {
    case BONSAI_OPTIONS_READ: bonsai_read_options_init((bonsai_read_options *)o); break;
    case BONSAI_OPTIONS_WRITE: bonsai_write_options_init((bonsai_write_options *)o); break;
    case BONSAI_OPTIONS_GENERATE: bonsai_generate_options_init((bonsai_generate_options *)o); break;
    case BONSAI_OPTIONS_CONDENSE: bonsai_condense_options_init((bonsai_condense_options *)o); break;
    case BONSAI_OPTIONS_TRAIN: bonsai_train_options_init((bonsai_train_options *)o); break;
    case BONSAI_OPTIONS_SHAPE: bonsai_shape_init((bonsai_shape *)o); break;
    case BONSAI_OPTIONS_PLAN: bonsai_plan_options_init((bonsai_plan_options *)o); break;
    case BONSAI_OPTIONS_COMPARE: bonsai_compare_options_init((bonsai_compare_options *)o); break;
    case BONSAI_OPTIONS_SUGGEST:
        bonsai_suggest_options_init((bonsai_suggest_options *)o);
        break;
    default: bonsai_report_options_init((bonsai_report_options *)o);
    }
}

static void each_kind(void (*look)(bonsai_options_kind kind))
{
    for (int kind = 0; kind < BONSAI_OPTIONS_COUNT; kind++)
        look((bonsai_options_kind)kind);
}

/* ---- rows and members ---- */

/* A row begins where the one before it ends, but for what its alignment leaves free. */
static void tiles(bonsai_options_kind kind)
{
    size_t end = sizeof(size_t);
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(kind, i)); i++) {
        size_t align = f->type == BONSAI_FIELD_SPLIT ? sizeof(double) : bn_field_bytes(f);
        size_t begin = (end + align - 1) / align * align;
        if (f->offset != begin)
            fail_msg("%s.%s begins at %zu, not at %zu: a member before it has no row",
                     bn_structs[kind].name, f->name, f->offset, begin);
        assert_int_equal(f->size, sizeof *f);
        end = begin + bn_field_bytes(f);
    }
    size_t whole = (end + sizeof(size_t) - 1) / sizeof(size_t) * sizeof(size_t);
    if (whole != bn_structs[kind].size)
        fail_msg("%s has %zu bytes, its rows %zu: the last member has no row", bn_structs[kind].name,
                 bn_structs[kind].size, whole);
}

static void every_member_has_one_row(void **state)
{
    (void)state;
    each_kind(tiles);
    assert_null(bonsai_field_at(BONSAI_OPTIONS_COUNT, 0));
    assert_null(bonsai_field_at(BONSAI_OPTIONS_READ, -1));
}

/* What the program and Python offer has a help text, and a name for its value. */
static void described(bonsai_options_kind kind)
{
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(kind, i)); i++) {
        bool number = f->type >= BONSAI_FIELD_INT && f->type < BONSAI_FIELD_TEXT;
        if (f->type == BONSAI_FIELD_POINTER || !f->help) {
            assert_true(f->type == BONSAI_FIELD_POINTER || strstr(f->name, "_count") ||
                        strcmp(f->name, "spelling") == 0);
            continue;
        }
        assert_null(strchr(f->help, '\n'));
        assert_true(!number || f->arg);
        assert_true(f->type != BONSAI_FIELD_CHOICE || f->words);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(f->name, bonsai_field_at(kind, k)->name);
    }
}

static void every_option_is_described(void **state)
{
    (void)state;
    each_kind(described);
}

static void words_are_those_of_the_names(void **state)
{
    (void)state;
    const bonsai_field *method = bn_field_named(BONSAI_OPTIONS_CONDENSE, "method");
    const bonsai_field *model = bn_field_named(BONSAI_OPTIONS_TRAIN, "model");
    const bonsai_field *features = bn_field_named(BONSAI_OPTIONS_WRITE, "features");
    for (int i = 0; i < BONSAI_METHOD_COUNT; i++)
        assert_string_equal(method->words[i], bonsai_method_name((bonsai_method)i));
    for (int i = 0; i < BONSAI_MODEL_COUNT; i++)
        assert_string_equal(model->words[i], bonsai_model_name((bonsai_model_kind)i));
    assert_null(method->words[BONSAI_METHOD_COUNT]);
    assert_null(model->words[BONSAI_MODEL_COUNT]);
    assert_string_equal(features->words[BONSAI_ENCODING_SPARSE_U8], "sparse-u8");
    assert_null(features->words[BONSAI_ENCODING_SPARSE_U8 + 1]);
}

/* ---- presets and ranges ---- */

static void presets_pass(bonsai_options_kind kind)
{
    room o;
    init(&o, kind);
    assert_int_equal(bn_fields_check(kind, &o), BONSAI_OK);
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(kind, i)); i++)
        assert_true(bn_field_number(f, &o) == f->preset);
}

static void presets_are_what_init_sets(void **state)
{
    (void)state;
    each_kind(presets_pass);
}

static void refused(bonsai_options_kind kind, const bonsai_field *f, double value)
{
    room o;
    char start[64];
    init(&o, kind);
    bn_field_set(f, &o, value);
    snprintf(start, sizeof start, "%s ", f->name);
    assert_int_equal(bn_fields_check(kind, &o), BONSAI_E_ARGUMENT);
    if (strncmp(bonsai_error(), start, strlen(start)) != 0)
        fail_msg("\"%s\" does not begin with %s", bonsai_error(), f->name);
}

/* One below the least and one above the most are refused by name; both ends are not. */
static void limits(bonsai_options_kind kind)
{
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(kind, i)); i++) {
        const bool real = f->type == BONSAI_FIELD_REAL || f->type == BONSAI_FIELD_SPEED;
        const double below = f->words && f->type == BONSAI_FIELD_LONG ? -2 : f->low - 1;
        if (f->low == f->high || f->type <= BONSAI_FIELD_SET)
            continue;
        if (below != f->preset)
            refused(kind, f, below);
        else
            refused(kind, f, -1);
        if (!isinf(f->high) && (real || f->high < INT32_MAX || bn_field_bytes(f) == 8))
            refused(kind, f, f->high + (real ? 0.1 * fabs(f->high) : 1));
        if (real)
            refused(kind, f, NAN);
        assert_true(bn_field_in_range(f, f->low) == !(f->marks & BONSAI_MARK_ABOVE));
        assert_true(bn_field_in_range(f, f->high) == !(f->marks & BONSAI_MARK_BELOW));
    }
}

static void what_is_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    each_kind(limits);
}

static void sentences_say_the_range(void **state)
{
    (void)state;
#define SAYS(kind, name, value, text) \
    assert_fails(bn_field_check(bn_field_named(BONSAI_OPTIONS_##kind, name), value), \
                 BONSAI_E_ARGUMENT, text)
    SAYS(CONDENSE, "k", 0, "k is 0; it must be in 1..1000000");
    SAYS(CONDENSE, "ratio", 0, "ratio is 0; it must be above 0 and at most 1");
    SAYS(CONDENSE, "sample", -2, "sample is -2; it must be in 1..1e+15, or -1 for all");
    SAYS(CONDENSE, "memory", -3, "memory is -3; it must be at least 0");
    SAYS(CONDENSE, "method", 99, "method 99 is not known");
    SAYS(CONDENSE, "for_models", 16, "for_models 16 is not known");
    SAYS(CONDENSE, "for_models", -1, "for_models -1 is not known");
    SAYS(TRAIN, "dropout", 1, "dropout is 1; it must be at least 0 and below 1");
#undef SAYS
}

/* ---- text and JSON ---- */

static void text_is_what_the_program_takes(void **state)
{
    (void)state;
    room o;
    char text[96];
    init(&o, BONSAI_OPTIONS_CONDENSE);
    bonsai_condense_options *c = &o.condense;
#define READS(name, expected) \
    bonsai_field_text(text, sizeof text, bn_field_named(BONSAI_OPTIONS_CONDENSE, name), c); \
    assert_string_equal(text, expected)
    READS("ratio", "");
    READS("sample", "");
    READS("split", "");
    READS("memory", "");
    READS("project", "0");
    READS("method", "auto");
    READS("density", "gain");
    READS("members", "no");
    READS("progress", "");
    READS("theta", "0.05");
    READS("for_models", "all");
    c->ratio = 0.01;
    c->sample = -1;
    c->split[0] = 2.5;
    c->split[2] = 87.5;
    c->memory = 1 << 20;
    c->density = c->members = 1;
    c->seed = UINT64_MAX;
    c->for_models = 1 << BONSAI_MODEL_GCN | 1 << BONSAI_MODEL_SAGE;
    READS("for_models", "gcn,sage");
    READS("ratio", "0.01");
    READS("sample", "all");
    READS("split", "2.5/0/87.5");
    READS("memory", "1048576");
    READS("density", "density");
    READS("members", "yes");
    READS("seed", "18446744073709551615");
#undef READS
}

/* Every field gets a value of its own that can be given. */
static void fill(room *o, bonsai_options_kind kind)
{
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(kind, i)); i++) {
        const double split[3] = {50, 30, 19.5};
        const double middle = isinf(f->high) ? f->low + 3 + i : (f->low + f->high) / 2;
        if (f->type == BONSAI_FIELD_SPLIT)
            memcpy(o->byte + f->offset, split, sizeof split);
        else if (f->type <= BONSAI_FIELD_SET)
            bn_field_set(f, o, 1);
        else if (f->type == BONSAI_FIELD_U64)
            memset(o->byte + f->offset, 0xf0, sizeof(uint64_t));
        else if (f->type < BONSAI_FIELD_TEXT)
            bn_field_set(f, o, f->low == f->high ? i : middle);
    }
}

static void there_and_back(bonsai_options_kind kind)
{
    room was, is;
    init(&was, kind);
    init(&is, kind);
    fill(&was, kind);
    bn_json *all = bn_fields_json(kind, &was);
    assert_non_null(all);
    bn_fields_from_json(kind, &is, all);
    const bonsai_field *f;
    for (int i = 0; (f = bonsai_field_at(kind, i)); i++) {
        bool aside = f->marks & BONSAI_MARK_ASIDE || f->type == BONSAI_FIELD_POINTER;
        const bool unsaid = f->type == BONSAI_FIELD_TEXT && f->marks & BONSAI_MARK_UNUSUAL;
        assert_true((aside || unsaid) == !bn_json_get(all, f->name));
        if (!aside)
            assert_memory_equal(was.byte + f->offset, is.byte + f->offset, bn_field_bytes(f));
    }
    bn_json_free(all);
}

static void json_gives_back_what_it_was_made_of(void **state)
{
    (void)state;
    each_kind(there_and_back);
}

static void what_could_not_be_given_is_passed_over(void **state)
{
    (void)state;
    room o, usual;
    init(&o, BONSAI_OPTIONS_CONDENSE);
    init(&usual, BONSAI_OPTIONS_CONDENSE);
    bn_json *bad = bn_json_pack("{s:i,s:s,s:f,s:s,s:[fff],s:n,s:i,s:[f],s:i,s:i}", "layers", 17,
                                "k",
                                "five", "theta", 7.0, "accounting", "none", "split", 90.0, 90.0,
                                0.0, "beta", "sample", -5, "delta", 1.0, "unknown", 3, "bytes", -1);
    assert_non_null(bad);
    bn_fields_from_json(BONSAI_OPTIONS_CONDENSE, &o, bad);
    assert_memory_equal(&o.condense, &usual.condense, sizeof o.condense);
    bn_fields_from_json(BONSAI_OPTIONS_CONDENSE, &o, NULL);
    assert_memory_equal(&o.condense, &usual.condense, sizeof o.condense);
    bn_json_free(bad);
}

/* A record may say "inductive": 4294967296. */
static void a_flag_takes_any_number(void **state)
{
    (void)state;
    bonsai_condense_options o;
    const bonsai_field *f = bn_field_named(BONSAI_OPTIONS_CONDENSE, "inductive");
    bonsai_condense_options_init(&o);
    bn_field_set(f, &o, 4294967296.0);
    assert_int_equal(o.inductive, 1);
    bn_field_set(f, &o, 0);
    assert_int_equal(o.inductive, 0);
}

/* The program's help lists options by group, and first those that newcomers need. */
static void groups_have_headings_and_the_first_is_short(void **state)
{
    (void)state;
    const bonsai_field *f;
    int first = 0;
    for (int kind = 0; kind < BONSAI_OPTIONS_COUNT; kind++)
        for (int i = 0; (f = bonsai_field_at((bonsai_options_kind)kind, i)); i++)
            assert_non_null(bonsai_group_name(f->group));
    for (int i = 0; (f = bonsai_field_at(BONSAI_OPTIONS_CONDENSE, i)); i++)
        first += f->help && f->group == BONSAI_GROUP_MAIN;
    assert_in_range(first, 1, 6);
    for (int group = 1; group < BONSAI_GROUP_COUNT; group++)
        assert_string_not_equal(bonsai_group_name(group), bonsai_group_name(group - 1));
    assert_string_equal(bonsai_group_name(BONSAI_GROUP_SPEED), "speed and memory");
    assert_null(bonsai_group_name(-1));
    assert_null(bonsai_group_name(BONSAI_GROUP_COUNT));
}

/* ---- structs that grow ---- */

static void an_older_struct_keeps_the_new_defaults(void **state)
{
    (void)state;
    bonsai_generate_options given, got;
    memset(&given, 0x5a, sizeof given);
    bonsai_generate_options_init_sized(&given, offsetof(bonsai_generate_options, degree));
    assert_int_equal(*(unsigned char *)&given.degree, 0x5a);
    given.nodes = 77;
    assert_int_equal(BN_OPTIONS(&got, &given, generate), BONSAI_OK);
    assert_int_equal(got.nodes, 77);
    assert_int_equal(got.size, sizeof got);
    assert_true(got.degree == 4);
    assert_int_equal(got.seed, 1);
}

typedef struct { bonsai_write_options known; uint64_t tail[2]; } newer_options;

static void a_newer_struct_is_accepted_while_its_tail_is_zero(void **state)
{
    (void)state;
    newer_options given;
    bonsai_write_options got;
    memset(&given, 0xff, sizeof given);
    bonsai_write_options_init_sized(&given.known, sizeof given);
    assert_int_equal(given.known.size, sizeof given);
    assert_int_equal(given.tail[1], 0);
    given.known.threads = 3;
    assert_int_equal(BN_OPTIONS(&got, &given, write), BONSAI_OK);
    assert_int_equal(got.threads, 3);
    assert_int_equal(got.size, sizeof got);
    given.tail[1] = 1;
    assert_fails(BN_OPTIONS(&got, &given, write), BONSAI_E_ARGUMENT,
                 "bonsai_write_options has options that this version");
}

static void a_struct_without_init_is_refused(void **state)
{
    (void)state;
    bonsai_read_options given = {0}, got, usual;
    assert_fails(BN_OPTIONS(&got, &given, read), BONSAI_E_ARGUMENT,
                 "bonsai_read_options was not initialised");
    assert_int_equal(BN_OPTIONS(&got, NULL, read), BONSAI_OK);
    bonsai_read_options_init(&usual);
    assert_memory_equal(&got, &usual, sizeof got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_has_one_row),
        cmocka_unit_test(every_option_is_described),
        cmocka_unit_test(words_are_those_of_the_names),
        cmocka_unit_test(presets_are_what_init_sets),
        cmocka_unit_test(what_is_out_of_range_is_refused_by_name),
        cmocka_unit_test(sentences_say_the_range),
        cmocka_unit_test(text_is_what_the_program_takes),
        cmocka_unit_test(json_gives_back_what_it_was_made_of),
        cmocka_unit_test(what_could_not_be_given_is_passed_over),
        cmocka_unit_test(a_flag_takes_any_number),
        cmocka_unit_test(groups_have_headings_and_the_first_is_short),
        cmocka_unit_test(an_older_struct_keeps_the_new_defaults),
        cmocka_unit_test(a_newer_struct_is_accepted_while_its_tail_is_zero),
        cmocka_unit_test(a_struct_without_init_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
