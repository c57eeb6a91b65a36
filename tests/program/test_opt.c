/* test_opt.c -- options of the program: every field of the library is one, and values as people
 * write them.
 *
 * SPDX-License-Identifier: MIT */
#include "captured.h"
#include "opt/opt.h"

typedef union { double align; unsigned char byte[1024]; bonsai_condense_options condense; } room;

static session quiet;

static int parse(const opt_group *groups, const char *name, const char *value)
{
    static char program[] = "test", option[64], text[64];       /* options keep the text */
    char *argv[] = {program, option, text, NULL};
    const opt_spec spec = {.usage = "", .about = "", .args = "", .groups = groups};
    snprintf(option, sizeof option, "--%s", name);
    snprintf(text, sizeof text, "%s", value ? value : "");
    quiet = silent_session();
    return opt_parse(&quiet, &spec, value ? 3 : 2, argv);
}

/* A text that the option takes, and that is not its default; NULL: it takes none. */
static const char *some_value(const bonsai_field *f)
{
    static char text[64];
    if (f->type == BONSAI_FIELD_FLAG && !f->words)
        return NULL;
    if (f->type == BONSAI_FIELD_SET)
        return "gat,sage";
    if (f->type == BONSAI_FIELD_FLAG || f->type == BONSAI_FIELD_CHOICE)
        return f->words[f->preset == 1 ? 0 : 1];
    if (f->type == BONSAI_FIELD_SPLIT)
        return "50/30/20";
    if (f->type == BONSAI_FIELD_INT && f->high < 3)
        return "2";
    if (f->type == BONSAI_FIELD_BYTES || f->type == BONSAI_FIELD_SPEED)
        return "3000";          /* fewer need a unit */
    snprintf(text, sizeof text, "%g", f->type == BONSAI_FIELD_REAL && f->high <= 1 ? 0.25 : 3);
    return text;
}

static void every_field_is_an_option(void **state)
{
    (void)state;
    for (int kind = 0; kind < BONSAI_OPTIONS_COUNT; kind++) {
        const bonsai_field *f;
        for (int i = 0; (f = bonsai_field_at((bonsai_options_kind)kind, i)); i++) {
            room o = {.byte = {0}};
            char name[48], now[64];
            const opt_group groups[] = {{.base = &o, .kind = (bonsai_options_kind)kind}, {0}};
            if (!f->help || (f->marks & BONSAI_MARK_LOCAL && kind != BONSAI_OPTIONS_READ))
                continue;
            option_name(name, sizeof name, f);
            const char *value = some_value(f);
            if (parse(groups, name, value) != OPT_GO)
                fail_msg("--%s %s: %s", name, value ? value : "", quiet.said);
            bonsai_field_text(now, sizeof now, f, &o);
            assert_string_equal(now, value ? value : "yes");
        }
    }
}

static void memory_is_a_size_wherever_it_is_an_option(void **state)
{
    (void)state;
    int found = 0;
    for (int kind = 0; kind < BONSAI_OPTIONS_COUNT; kind++) {
        room o = {.byte = {0}};
        const bonsai_field *f = field_named((bonsai_options_kind)kind, "memory");
        const opt_group groups[] = {{.base = &o, .kind = (bonsai_options_kind)kind}, {0}};
        int64_t bytes;
        if (!f)
            continue;
        found++;
        assert_int_equal(parse(groups, "memory", "3G"), OPT_GO);
        memcpy(&bytes, o.byte + f->offset, sizeof bytes);
        assert_int_equal(bytes, 3ll << 30);
        assert_int_equal(parse(groups, "memory", "1.5kB"), OPT_GO);
        memcpy(&bytes, o.byte + f->offset, sizeof bytes);
        assert_int_equal(bytes, 1500);
        assert_int_equal(parse(groups, "memory", "-1"), EXIT_USAGE);
        assert_non_null(strstr(quiet.said, "not a size such as 500M or 3G"));
    }
    assert_int_equal(found, 4);
}

static void refusals_name_the_option_and_its_range(void **state)
{
    (void)state;
    room o = {.byte = {0}};
    const opt_group groups[] = {{.base = &o, .kind = BONSAI_OPTIONS_CONDENSE}, {0}};
    const opt_group trains[] = {{.base = &o, .kind = BONSAI_OPTIONS_TRAIN}, {0}};
    static const struct { int train; const char *name, *value, *says; } bad[] = {
        {0, "k", "0", "--k is 0, which is outside 1..1000000"},
        {0, "k", "many", "--k is \"many\", which is not a whole number"},
        {0, "k", "99999999999999999999", "which is too large"},
        {0, "ratio", "0", "--ratio is 0, which is not above 0 and at most 1"},
        {0, "bytes", "0", "--bytes is 0, which is less than 1"},
        {0, "sample", "none", "--sample is \"none\", which is neither all nor a whole number"},
        {0, "greedy", "gian", "which is none of gain|density; did you mean gain?"},
        {0, "split", "60/30/20", "which sums to 110, more than 100"},
        {0, "split", "0/0/0", "which leaves no nodes"},
        {0, "seed", "-1", "not a whole number of at most 64 bits"},
        {0, "prune-shar", "1", "there is no option --prune-shar; did you mean --prune-share?"},
        {1, "dropout", "1", "--dropout is 1, which is not at least 0 and below 1"},
        {1, "rate", "fast", "--rate is \"fast\", which is not a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse(bad[i].train ? trains : groups, bad[i].name, bad[i].value),
                         EXIT_USAGE);
        if (!strstr(quiet.said, bad[i].says))
            fail_msg("\"%s\" does not say \"%s\"", quiet.said, bad[i].says);
    }
}

static void a_row_of_its_own_goes_before_a_field(void **state)
{
    (void)state;
    room o = {.byte = {0}};
    struct { const char *k; } own = {NULL};
    static const bonsai_field rows[] = {{.name = "k", .type = BONSAI_FIELD_TEXT, .arg = "K",
                                         .help = "other"}, {0}};
    const opt_group groups[] = {{.base = &own, .own = rows},
                                {.base = &o, .kind = BONSAI_OPTIONS_CONDENSE, .but = "theta"}, {0}};
    assert_int_equal(parse(groups, "k", "many"), OPT_GO);
    assert_string_equal(own.k, "many");
    assert_int_equal(parse(groups, "theta", "1"), EXIT_USAGE);
    assert_int_equal(parse(groups, "delta", "1"), OPT_GO);
}

static void lists_hold_each_word_once(void **state)
{
    (void)state;
    const char *const *models = field_named(BONSAI_OPTIONS_TRAIN, "model")->words;
    int out[BONSAI_MODEL_COUNT], count;
    quiet = silent_session();
    assert_int_equal(parse_words(&quiet, out, &count, "--m", "sage,gat", models), OPT_GO);
    assert_true(count == 2 && out[0] == BONSAI_MODEL_SAGE && out[1] == BONSAI_MODEL_GAT);
    assert_int_equal(parse_words(&quiet, out, &count, "--m", "all", models), OPT_GO);
    assert_int_equal(count, BONSAI_MODEL_COUNT);
    assert_int_equal(parse_words(&quiet, out, &count, "--m", "gat,gat", models), EXIT_USAGE);
    assert_non_null(strstr(quiet.said, "--m holds gat twice"));
    assert_int_equal(parse_words(&quiet, out, &count, "--m", "gct", models), EXIT_USAGE);
    assert_non_null(strstr(quiet.said, "none of gcn, gat, gin, sage"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_an_option),
        cmocka_unit_test(memory_is_a_size_wherever_it_is_an_option),
        cmocka_unit_test(refusals_name_the_option_and_its_range),
        cmocka_unit_test(a_row_of_its_own_goes_before_a_field),
        cmocka_unit_test(lists_hold_each_word_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
